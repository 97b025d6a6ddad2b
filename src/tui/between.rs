//! What stands between the program and the terminal: tmux, GNU screen, or nothing.
//!
//! Owns how they are told apart: by the environment, and where that does not do, by a question.
//! Must not know what depends on it. Asks nothing itself.

/// The question what the terminal is (DA2, secondary device attributes).
pub(super) const QUESTION: &str = "\x1b[>c";
/// The first number of GNU screen's answer, an S. That of tmux is 84, a T.
pub(super) const SCREEN: u32 = 83;

/// What stands in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// Nothing that is known.
    Nothing,
    Tmux,
    /// GNU screen.
    Screen,
    /// One of them: on another machine, and in each other, the environment does not tell which.
    Either,
}

impl Between {
    /// What the environment tells.
    pub(super) fn of(env: &dyn Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let term = env("TERM").unwrap_or_default();
        match (is_set("TMUX"), is_set("STY")) {
            // The inner one names the terminal, and only tmux has this name.
            _ if term.starts_with("tmux") => Self::Tmux,
            (true, false) => Self::Tmux,
            (false, true) => Self::Screen,
            (true, true) => Self::Either,
            // With the name of the outer terminal behind its own.
            (false, false) if term.starts_with("screen.") => Self::Screen,
            (false, false) if term.starts_with("screen") => Self::Either,
            (false, false) => Self::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_tells_them_apart_but_far_away_and_in_each_other() {
        for (tmux, sty, term, want) in [
            ("", "", "xterm-256color", Between::Nothing),
            ("/tmp/x,1,0", "", "screen", Between::Tmux),
            ("/tmp/x,1,0", "1.pts", "tmux-256color", Between::Tmux),
            ("", "", "tmux-256color", Between::Tmux),
            ("", "1.pts", "screen", Between::Screen),
            ("", "1.pts", "xterm", Between::Screen),
            ("", "", "screen.xterm-256color", Between::Screen),
            ("", "", "screen-256color", Between::Either),
            ("", "", "screen", Between::Either),
            ("/tmp/x,1,0", "1.pts", "screen-256color", Between::Either),
        ] {
            let set = [("TMUX", tmux), ("STY", sty), ("TERM", term)];
            let env = |name: &str| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Between::of(&env), want, "{set:?}");
        }
    }
}
