//! The clipboard: through the terminal (OSC 52), and by the program of the desktop if there is
//! one. Owns the framing of the sequence and the choice of the program; must not know what is
//! copied.
//!
//! Invariant: no shell, nothing that is waited for, and no more than terminals take. The terminal
//! never answers, so nobody knows whether it did as it was told.

use std::{
    io::Write,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};

use super::between::Between;

/// Bytes of text that make a sequence of 100,000 bytes, the longest that common terminals take:
/// eight of them frame it, and four stand for three of the text.
pub(super) const MOST: usize = (100_000 - 8) / 4 * 3;
/// Bytes of one piece for GNU screen, which drops longer strings.
const PIECE: usize = 512;
/// How long the desktop's program has to take the text.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// The ways to the clipboard.
pub(super) struct Clipboard {
    between: Between,
    programs: Vec<&'static [&'static str]>,
}

/// What became of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) lines: usize,
    pub(super) bytes: usize,
    /// Whether the terminal was told.
    pub(super) terminal: bool,
    /// The desktop's program that has it.
    pub(super) program: Option<&'static str>,
}

impl Copied {
    /// What the user is told.
    pub(super) fn words(&self) -> String {
        let s = if self.lines == 1 { "" } else { "s" };
        let lines = format!("{} line{s}", self.lines);
        match (self.terminal, self.program) {
            (true, None) => format!("copied {lines}, as far as the terminal allows it"),
            (true, Some(_)) => format!("copied {lines}"),
            (false, Some(program)) => format!("copied {lines} with {program}"),
            (false, None) => format!(
                "not copied: {} kB are more than the {} kB that terminals take; /export writes a \
                 file",
                self.bytes / 1_000,
                MOST / 1_000
            ),
        }
    }
}

impl Clipboard {
    /// Looks at the environment.
    pub(super) fn new(env: &dyn Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let between = Between::of(env);
        let mut programs: Vec<&'static [&'static str]> = Vec::new();
        // On another machine they would reach its desktop, where nobody sits.
        if !is_set("SSH_CONNECTION") && !is_set("SSH_TTY") {
            if cfg!(target_os = "macos") {
                programs.push(&["pbcopy"]);
            }
            if is_set("WAYLAND_DISPLAY") {
                programs.push(&["wl-copy"]);
            }
            if is_set("DISPLAY") {
                programs.push(&["xclip", "-selection", "clipboard"]);
                programs.push(&["xsel", "--clipboard", "--input"]);
            }
        }
        Self { between, programs }
    }

    /// Gives the text to the desktop's program, if there is one, and the bytes for the terminal.
    pub(super) fn copy(&self, text: &str) -> (Copied, Vec<u8>) {
        let program = self.programs.iter().find_map(|command| give(command, text));
        let terminal = text.len() <= MOST;
        let copied =
            Copied { lines: text.lines().count().max(1), bytes: text.len(), terminal, program };
        (copied, if terminal { sequence(text, self.between) } else { Vec::new() })
    }
}

/// The sequence that tells the terminal.
fn sequence(text: &str, between: Between) -> Vec<u8> {
    let plain = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    match between {
        Between::Nothing => plain.into_bytes(),
        // Depending on its settings tmux takes the one or lets the other through.
        Between::Tmux => {
            let doubled = plain.replace('\x1b', "\x1b\x1b");
            format!("{plain}\x1bPtmux;{doubled}\x1b\\").into_bytes()
        }
        Between::Screen => {
            let pieces = plain.as_bytes().chunks(PIECE);
            pieces.flat_map(|piece| [b"\x1bP".as_slice(), piece, b"\x1b\\"].concat()).collect()
        }
        // Of the strings for screen tmux takes the first piece alone, so its own form comes last.
        Between::Either => {
            [sequence(text, Between::Screen), sequence(text, Between::Tmux)].concat()
        }
    }
}

/// Gives the text to a program; its name if it could be started.
fn give(command: &[&'static str], text: &str) -> Option<&'static str> {
    let (name, arguments) = command.split_first()?;
    let mut child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let text = text.as_bytes().to_vec();
    let write = move || drop(stdin.write_all(&text));
    let wait = move || reap(child);
    // A program that does not read holds up a thread of its own, until its time is over.
    let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
    named("copy").spawn(write).and_then(|_| named("copy end").spawn(wait)).ok()?;
    Some(name)
}

fn reap(mut child: Child) {
    let end = Instant::now() + PATIENCE;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > end {
            let _killed = child.kill().is_ok();
        }
        std::thread::park_timeout(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipboard(env: &[(&str, &str)]) -> Clipboard {
        Clipboard::new(&|name| {
            env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_sequence_is_that_of_xterm_with_base64_after_rfc_4648() {
        // RFC 4648, section 10
        let vectors = [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, base64) in vectors {
            let (copied, bytes) = clipboard(&[("TERM", "xterm-256color")]).copy(text);
            assert_eq!(bytes, format!("\x1b]52;c;{base64}\x07").into_bytes());
            assert!(copied.terminal && copied.program.is_none());
        }
    }

    #[test]
    fn tmux_gets_it_plain_and_as_a_string_with_its_escapes_doubled() {
        for env in [("TMUX", "/tmp/tmux-0/default,1,0"), ("TERM", "tmux-256color")] {
            let bytes = clipboard(&[env]).copy("foo").1;
            let want = "\x1b]52;c;Zm9v\x07\x1bPtmux;\x1b\x1b]52;c;Zm9v\x07\x1b\\";
            assert_eq!(bytes, want.as_bytes());
        }
    }

    #[test]
    fn screen_gets_it_in_short_strings() {
        let text = "x".repeat(3_000);
        for env in [("STY", "1.pts-0.host"), ("TERM", "screen.xterm")] {
            let bytes = clipboard(&[env]).copy(&text).1;
            let all = String::from_utf8(bytes).unwrap();
            let mut inner = String::new();
            for part in all.split_terminator("\x1b\\") {
                let part = part.strip_prefix("\x1bP").unwrap();
                assert!(part.len() <= PIECE && part.len() < 768, "what screen takes");
                inner.push_str(part);
            }
            assert_eq!(inner.into_bytes(), sequence(&text, Between::Nothing));
        }
    }

    #[test]
    fn where_it_may_be_either_both_get_it_and_tmux_last() {
        let text = "x".repeat(3_000);
        let bytes = clipboard(&[("TERM", "screen-256color")]).copy(&text).1;
        let forms = [Between::Screen, Between::Tmux].map(|between| sequence(&text, between));
        assert_eq!(bytes, forms.concat());
    }

    #[test]
    fn what_terminals_do_not_take_is_told_and_not_sent() {
        let clipboard = clipboard(&[]);
        let (copied, bytes) = clipboard.copy(&"x".repeat(MOST));
        assert!(copied.terminal);
        assert_eq!(bytes.len(), 100_000);
        let (copied, bytes) = clipboard.copy(&"x".repeat(MOST + 1));
        assert!(!copied.terminal && bytes.is_empty());
        assert!(copied.words().contains("more than the 74 kB"), "{}", copied.words());
    }

    #[test]
    fn the_desktops_program_is_used_only_where_its_user_sits() {
        let names = |env: &[(&str, &str)]| {
            clipboard(env).programs.iter().map(|it| it[0]).collect::<Vec<_>>()
        };
        let mac = if cfg!(target_os = "macos") { vec!["pbcopy"] } else { Vec::new() };
        assert_eq!(names(&[]), mac);
        assert!(names(&[("WAYLAND_DISPLAY", "wayland-0")]).contains(&"wl-copy"));
        assert!(names(&[("DISPLAY", ":0")]).contains(&"xclip"));
        assert!(names(&[("DISPLAY", ":10"), ("SSH_CONNECTION", "a 1 b 2")]).is_empty());
    }

    #[test]
    fn one_line_and_several_are_counted() {
        let words = |text: &str| clipboard(&[]).copy(text).0.words();
        assert!(words("one").starts_with("copied 1 line,"));
        assert!(words("one\ntwo\n").starts_with("copied 2 lines,"));
    }
}
