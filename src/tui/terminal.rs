//! What is known of the terminal before anything is drawn, from the environment alone. Asks the
//! terminal nothing. Must not know what is drawn.

use super::{
    between::{self, Between},
    theme::{Depth, Ground},
};
use crate::config::{LinkChoice, SignChoice, WidthMethod};

/// Terminals that have all colours and say so only in `TERM`.
const ALL_COLOURS: [&str; 6] =
    ["alacritty", "wezterm", "foot", "xterm-kitty", "xterm-ghostty", "contour"];

/// The first releases of these that have links, as they tell them in the environment.
const VTE_LINKS: u32 = 5_000;
const KONSOLE_LINKS: u32 = 201_200;

/// How the terminal calls its user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Call {
    /// By the bell alone.
    #[default]
    Bell,
    /// By OSC 9.
    Osc9,
    /// By OSC 777.
    Osc777,
}

/// What is known of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the terminal")]
pub struct Facts {
    /// How many colours it has.
    pub depth: Depth,
    /// How light its background is, by `COLORFGBG`.
    pub ground: Option<Ground>,
    /// Whether it may be asked for its background.
    pub tells_ground: bool,
    /// Whether it can draw signs that are not ASCII.
    pub has_signs: bool,
    /// Whether it shows progress (OSC 9;4) and takes it for nothing else.
    pub shows_progress: bool,
    /// Whether it is known to have links (OSC 8).
    pub has_links: bool,
    /// Whether the user wants no colours (`NO_COLOR`).
    pub no_color: bool,
    /// How it calls its user.
    pub call: Call,
    /// Whether GNU screen is, or may be, in between. While a program has the mouse it holds Esc
    /// back until the next key, and it counts the characters of an emoji each by itself.
    pub in_screen: bool,
    /// Whether the terminal is to be asked what it is.
    pub is_asked: bool,
}

impl Default for Facts {
    fn default() -> Self {
        Self::of(&|name| (name == "LANG").then(|| "C.UTF-8".to_owned()))
    }
}

impl Facts {
    /// What the environment tells.
    #[must_use]
    pub fn of(env: &dyn Fn(&str) -> Option<String>) -> Self {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let term = env("TERM").unwrap_or_default();
        // What stands in between does not hand everything on.
        let in_between = env("TMUX").is_some() || env("STY").is_some();
        let between = Between::of(&env);
        let in_screen =
            env("STY").is_some() || matches!(between, Between::Screen | Between::Either);
        let program = env("TERM_PROGRAM").filter(|_| !in_between).unwrap_or_default();
        let windows = env("WT_SESSION").is_some() && !in_between;
        let conemu = env("ConEmuANSI").is_some_and(|value| value == "ON") && !in_between;
        Self {
            depth: depth(&term, env("COLORTERM").as_deref(), windows),
            ground: env("COLORFGBG").and_then(|value| ground(&value)),
            tells_ground: !in_screen && understands_questions(&term),
            has_signs: term != "linux" && is_utf8(&env),
            shows_progress: windows
                || conemu
                || matches!(program.as_str(), "WezTerm" | "ghostty" | "iTerm.app"),
            has_links: !in_between && has_links(&term, &program, &env),
            no_color: env("NO_COLOR").is_some(),
            call: if in_between { Call::Bell } else { call(&term, &program) },
            in_screen,
            is_asked: between == Between::Either && !in_between,
        }
    }
}

impl Facts {
    /// Whether signs are to be in ASCII.
    #[must_use]
    pub fn needs_ascii(self, choice: SignChoice) -> bool {
        match choice {
            SignChoice::Auto => !self.has_signs,
            SignChoice::Unicode => false,
            SignChoice::Ascii => true,
        }
    }

    /// Whether to take the mouse.
    #[must_use]
    pub fn takes_mouse(self, choice: Option<bool>) -> bool {
        choice.unwrap_or(!self.in_screen)
    }

    /// Whether emoji are drawn for a terminal that counts every character by itself.
    #[must_use]
    pub fn counts_chars(self, choice: WidthMethod) -> bool {
        match choice {
            WidthMethod::Auto => self.in_screen,
            WidthMethod::Clusters => false,
            WidthMethod::Chars => true,
        }
    }

    /// The terminal has told what it is, by the first number of its answer.
    pub(super) fn told(&mut self, device: u32) {
        self.in_screen = device == between::SCREEN;
    }

    /// Whether links are to be told to the terminal.
    #[must_use]
    pub fn draws_links(self, choice: LinkChoice) -> bool {
        match choice {
            LinkChoice::Auto => self.has_links,
            LinkChoice::On => true,
            LinkChoice::Off => false,
        }
    }
}

fn depth(term: &str, colorterm: Option<&str>, windows: bool) -> Depth {
    let says_all = matches!(colorterm, Some("truecolor" | "24bit"));
    if says_all || windows || term.ends_with("-direct") || ALL_COLOURS.contains(&term) {
        Depth::True
    } else if term.contains("256color") {
        Depth::Indexed
    } else if term.starts_with("vt") || term.ends_with("-mono") || term.ends_with("-m") {
        Depth::None
    } else {
        Depth::Sixteen
    }
}

/// The last number is the background, by the sixteen colours: 7 and 9 to 15 are light ones.
fn ground(value: &str) -> Option<Ground> {
    let back: u8 = value.rsplit(';').next()?.trim().parse().ok()?;
    match back {
        0..=6 | 8 => Some(Ground::Dark),
        7 | 9..=15 => Some(Ground::Light),
        _ => None,
    }
}

/// Some show the question as text; GNU screen leads it to whoever is attached last.
fn understands_questions(term: &str) -> bool {
    !matches!(term, "" | "linux" | "dumb" | "cons25")
        && !term.starts_with("vt")
        && !term.starts_with("Eterm")
}

fn is_utf8(env: &dyn Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env).unwrap_or_default();
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Others show the sequence as text, or let the link swallow what follows.
fn has_links(term: &str, program: &str, env: &dyn Fn(&str) -> Option<String>) -> bool {
    // Also far away from the multiplexer, where its own variable is not known.
    if term == "linux" || ["dumb", "screen", "tmux", "vt"].iter().any(|it| term.starts_with(it)) {
        return false;
    }
    let at_least = |name: &str, least: u32| {
        env(name).and_then(|value| value.parse::<u32>().ok()).is_some_and(|it| it >= least)
    };
    matches!(program, "iTerm.app" | "WezTerm" | "ghostty" | "vscode")
        || matches!(term, "alacritty" | "wezterm" | "xterm-kitty" | "xterm-ghostty")
        || term == "foot"
        || term.starts_with("foot-")
        || env("WT_SESSION").is_some()
        || at_least("VTE_VERSION", VTE_LINKS)
        || at_least("KONSOLE_VERSION", KONSOLE_LINKS)
}

fn call(term: &str, program: &str) -> Call {
    match program {
        "iTerm.app" | "WezTerm" | "ghostty" => Call::Osc9,
        _ if term == "xterm-kitty" || term == "xterm-ghostty" => Call::Osc9,
        _ if term.starts_with("foot") || term.starts_with("rxvt-unicode") => Call::Osc777,
        _ => Call::Bell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(set: &[(&str, &str)]) -> Facts {
        Facts::of(&|name| {
            set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn colours_are_those_that_the_terminal_says_it_has() {
        let cases: [(&[(&str, &str)], Depth); 8] = [
            (&[("TERM", "xterm")], Depth::Sixteen),
            (&[("TERM", "linux")], Depth::Sixteen),
            (&[("TERM", "xterm-256color")], Depth::Indexed),
            (&[("TERM", "tmux-256color")], Depth::Indexed),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Depth::True),
            (&[("TERM", "xterm"), ("COLORTERM", "24bit")], Depth::True),
            (&[("TERM", "xterm-kitty")], Depth::True),
            (&[("TERM", "vt100")], Depth::None),
        ];
        for (set, depth) in cases {
            assert_eq!(facts(set).depth, depth, "{set:?}");
        }
    }

    #[test]
    fn the_background_is_the_last_number() {
        for (value, want) in [
            ("15;0", Some(Ground::Dark)),
            ("0;15", Some(Ground::Light)),
            ("0;default;15", Some(Ground::Light)),
            ("7;8", Some(Ground::Dark)),
            ("12;7", Some(Ground::Light)),
            ("15;default", None),
            ("15;99", None),
            ("", None),
        ] {
            assert_eq!(facts(&[("COLORFGBG", value)]).ground, want, "{value}");
        }
    }

    #[test]
    fn signs_need_a_locale_and_a_font_that_have_them() {
        let cases: [(&[(&str, &str)], bool); 6] = [
            (&[("LANG", "en_GB.UTF-8")], true),
            (&[("LANG", "C.utf8")], true),
            (&[("LANG", "en_GB.UTF-8"), ("LC_ALL", "C")], false),
            (&[("LC_CTYPE", "de_DE.UTF-8"), ("LANG", "C")], true),
            (&[("LANG", "en_GB.UTF-8"), ("TERM", "linux")], false),
            (&[], false),
        ];
        for (set, want) in cases {
            assert_eq!(facts(set).has_signs, want, "{set:?}");
        }
    }

    #[test]
    fn progress_goes_only_to_terminals_that_are_known_to_show_it() {
        for (name, value) in [
            ("TERM_PROGRAM", "WezTerm"),
            ("TERM_PROGRAM", "ghostty"),
            ("TERM_PROGRAM", "iTerm.app"),
            ("WT_SESSION", "a-guid"),
            ("ConEmuANSI", "ON"),
        ] {
            assert!(facts(&[(name, value)]).shows_progress, "{name}={value}");
            let inside = facts(&[(name, value), ("TMUX", "/tmp/tmux-0/default,1,0")]);
            assert!(!inside.shows_progress && inside.call == Call::Bell, "{name}={value}");
        }
        for value in ["Apple_Terminal", "vscode", "tmux"] {
            assert!(!facts(&[("TERM_PROGRAM", value)]).shows_progress, "{value}");
        }
        assert!(!facts(&[("ConEmuANSI", "OFF")]).shows_progress);
    }

    #[test]
    fn links_are_told_only_to_terminals_that_are_known_to_have_them() {
        let cases: [(&[(&str, &str)], bool); 18] = [
            (&[("TERM_PROGRAM", "iTerm.app")], true),
            (&[("TERM_PROGRAM", "WezTerm")], true),
            (&[("TERM_PROGRAM", "ghostty")], true),
            (&[("TERM_PROGRAM", "vscode")], true),
            (&[("TERM_PROGRAM", "Apple_Terminal")], false),
            (&[("TERM", "xterm-kitty")], true),
            (&[("TERM", "foot-extra")], true),
            (&[("TERM", "alacritty")], true),
            (&[("TERM", "xterm-256color")], false),
            (&[("VTE_VERSION", "5000")], true),
            (&[("VTE_VERSION", "4999")], false),
            (&[("VTE_VERSION", "new")], false),
            (&[("KONSOLE_VERSION", "201200")], true),
            (&[("KONSOLE_VERSION", "200800")], false),
            (&[("WT_SESSION", "a-guid")], true),
            (&[("WT_SESSION", "a-guid"), ("STY", "1.pts")], false),
            (&[("TERM", "tmux-256color"), ("VTE_VERSION", "7600")], false),
            (&[("TERM_PROGRAM", "WezTerm"), ("TMUX", "/tmp/tmux-0/default,1,0")], false),
        ];
        for (set, want) in cases {
            let facts = facts(set);
            assert_eq!(facts.draws_links(LinkChoice::Auto), want, "{set:?}");
            assert!(facts.draws_links(LinkChoice::On) && !facts.draws_links(LinkChoice::Off));
        }
    }

    #[test]
    fn in_gnu_screen_and_where_it_may_be_the_mouse_is_left_and_emoji_are_plain() {
        for set in [
            &[("STY", "1.pts"), ("TERM", "screen")][..],
            &[("STY", "1.pts"), ("TMUX", "/tmp/x,1,0"), ("TERM", "tmux-256color")],
            &[("TERM", "screen.xterm-256color")],
            &[("TERM", "screen-256color")],
        ] {
            let mut facts = facts(set);
            assert!(!facts.takes_mouse(None) && facts.takes_mouse(Some(true)), "{set:?}");
            assert!(facts.counts_chars(WidthMethod::Auto), "{set:?}");
            assert!(!facts.counts_chars(WidthMethod::Clusters), "{set:?}");
            let is_asked = set == [("TERM", "screen-256color")];
            assert_eq!(facts.is_asked, is_asked, "{set:?}");
            // Version 4.9 and tmux.
            facts.told(83);
            assert!(!facts.takes_mouse(None));
            facts.told(84);
            assert!(facts.takes_mouse(None) && !facts.counts_chars(WidthMethod::Auto));
        }
        for set in [&[("TMUX", "/tmp/x,1,0"), ("TERM", "screen")][..], &[("TERM", "xterm")]] {
            let facts = facts(set);
            assert!(facts.takes_mouse(None) && !facts.takes_mouse(Some(false)), "{set:?}");
            assert!(!facts.counts_chars(WidthMethod::Auto) && !facts.is_asked, "{set:?}");
            assert!(facts.counts_chars(WidthMethod::Chars));
        }
    }

    #[test]
    fn only_terminals_that_understand_the_question_are_asked() {
        for (term, want) in [
            ("xterm-256color", true),
            ("linux", false),
            ("screen.xterm-256color", false),
            ("Eterm", false),
            ("vt220", false),
        ] {
            assert_eq!(facts(&[("TERM", term)]).tells_ground, want, "{term}");
        }
        let tmux = [("TERM", "screen-256color"), ("TMUX", "/tmp/tmux-0/default,1,0")];
        assert!(facts(&tmux).tells_ground);
    }
}
