//! A command line that makes no sense, or asks for the help: what is printed instead of a run.
//!
//! Owns that what was typed, or put there by who knows what script, reaches the terminal as text
//! alone. Must not know any argument. Invariant: of a fault no control character but the line
//! breaks and tabs of its own words is printed, and nothing that reorders or hides text.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    io::Write as _,
};

use clap::Parser;

use super::Cli;
use crate::text::sanitize::sanitize;

/// What is to be printed instead of a run.
#[derive(Debug)]
pub enum Refused {
    /// The help or the version, in colours where there are any.
    Asked(clap::Error),
    /// What is wrong with the command line, harmless.
    Fault(String),
}

impl Refused {
    /// Prints it; gives the exit code: 0, or 2 for a fault.
    #[must_use]
    pub fn tell(&self) -> u8 {
        match self {
            Self::Asked(help) => {
                // Nobody is left to be told that it could not be.
                let _told = help.print().is_ok();
                0
            }
            Self::Fault(words) => {
                let _told = std::io::stderr().write_all(words.as_bytes()).is_ok();
                2
            }
        }
    }
}

/// Reads a command line, of which the first word is the program.
///
/// # Errors
/// What to print instead of a run: what is wrong with it, or the help.
pub fn read(typed: &[OsString]) -> Result<Cli, Refused> {
    let error = match Cli::try_parse_from(typed) {
        Ok(cli) => return Ok(cli),
        Err(error) if !error.use_stderr() => return Err(Refused::Asked(error)),
        Err(error) => error,
    };
    // Told of the line as it can be shown: an open sequence in it would swallow clap's own words
    // as these are made plain.
    let shown = typed.iter().map(|word| visible(word));
    let error = Cli::try_parse_from(shown).err().filter(clap::Error::use_stderr).unwrap_or(error);
    Err(Refused::Fault(sanitize(&error.render().to_string()).into_owned()))
}

/// The word with everything that is no plain text as its code point.
fn visible(word: &OsStr) -> String {
    let mut shown = String::new();
    for c in word.to_string_lossy().chars() {
        if c.is_control() || sanitize(c.encode_utf8(&mut [0; 4])).is_empty() {
            // Writing to a string cannot fail.
            let _written = write!(shown, "<U+{:04X}>", u32::from(c)).is_ok();
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(arguments: &[&str]) -> String {
        let words: Vec<_> = ["mcc-tui"].iter().chain(arguments).map(OsString::from).collect();
        match read(&words) {
            Err(Refused::Fault(words)) => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_typed_stands_in_a_fault_as_text() {
        let words = fault(&["--bad\u{1b}]0;PWN\u{7}"]);
        assert!(words.contains("unexpected argument '--bad<U+001B>]0;PWN<U+0007>'"), "{words}");
        let words = fault(&["--max-time", "\u{9b}31m\u{202e}x"]);
        assert!(words.contains("<U+009B>31m<U+202E>x"), "{words}");
        let words = fault(&["--output-format", "a\nb"]);
        assert!(words.contains("'a<U+000A>b'"), "{words}");
    }

    #[test]
    fn an_open_sequence_swallows_nothing_of_what_is_said_behind_it() {
        let words = fault(&["--bad\u{1b}]0;PWN"]);
        assert!(words.contains("Usage: mcc-tui"), "{words}");
    }

    #[test]
    fn the_help_is_no_fault() {
        let words = ["mcc-tui", "--help"].map(OsString::from);
        assert!(matches!(read(&words), Err(Refused::Asked(_))));
    }

    #[test]
    fn a_line_that_can_be_read_is_read_as_it_was_typed() {
        let words = ["mcc-tui", "-p", "a\u{1b}[31m"].map(OsString::from);
        assert_eq!(read(&words).unwrap().prompt.as_deref(), Some("a\u{1b}[31m"));
    }
}
