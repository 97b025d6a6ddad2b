//! The commands that are typed into the prompt: one table, from which the list above the prompt
//! and the help screen are made too.
//!
//! Owns what is a command and what is a message. Must not know how a command is done.

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Model,
    New,
    Copy,
    Export,
    Theme,
    Jobs,
    Mouse,
    Help,
    Quit,
}

/// One row of the table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// The word after the slash.
    pub(super) name: &'static str,
    /// What may follow it; empty if nothing does.
    pub(super) argument: &'static str,
    pub(super) help: &'static str,
    pub(super) does: Does,
}

/// The table.
pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "model",
        argument: "[name]",
        help: "choose the model, from the next request on",
        does: Does::Model,
    },
    Command {
        name: "new",
        argument: "",
        help: "new session: the model forgets all, the screen keeps it",
        does: Does::New,
    },
    Command {
        name: "copy",
        argument: "[code|turn]",
        help: "copy the last answer, its last code block, or the turn",
        does: Does::Copy,
    },
    Command {
        name: "export",
        argument: "[file]",
        help: "write the session to a new file: Markdown, or .json",
        does: Does::Export,
    },
    Command {
        name: "theme",
        argument: "[name]",
        help: "colours for this terminal, seen at once",
        does: Does::Theme,
    },
    Command {
        name: "jobs",
        argument: "",
        help: "what runs in the background, and its last output",
        does: Does::Jobs,
    },
    Command {
        name: "mouse",
        argument: "",
        help: "give the mouse to the terminal, or take it again (F2)",
        does: Does::Mouse,
    },
    Command { name: "help", argument: "", help: "every key and command", does: Does::Help },
    Command { name: "quit", argument: "", help: "end mcc-tui", does: Does::Quit },
];

/// What is none, for the help screen.
pub(super) const MESSAGES: &str = "A first word with a second slash in it is a path \
    (/usr/bin, //): a message. So is a text of several lines, and one with a blank before its slash. \
    After a first ! the rest is a shell command of your own: it runs without a question, and the model \
    is told of it with your next prompt. With a blank before it, too, it is a message.";

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed<'a> {
    /// Words for the model.
    Message,
    /// A command, and what follows it.
    Command(&'static Command, &'a str),
    /// A word after a slash that is no command.
    Unknown(&'a str),
}

/// Reads what was typed.
pub(super) fn read(text: &str) -> Typed<'_> {
    let Some((word, argument)) = split(text) else { return Typed::Message };
    match COMMANDS.iter().find(|command| command.name.eq_ignore_ascii_case(word)) {
        Some(command) => Typed::Command(command, argument),
        None => Typed::Unknown(word),
    }
}

/// The word after the slash and what follows it, if this is meant as a command.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('/')?.trim_end();
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_path = word.contains('/');
    (!is_path && !rest.contains('\n')).then(|| (word, argument.trim()))
}

/// The command whose name is most like this word.
pub(super) fn nearest(word: &str) -> Option<&'static Command> {
    let word = crate::text::cut::head(word, 64).to_lowercase();
    COMMANDS.iter().min_by_key(|command| strsim::damerau_levenshtein(command.name, &word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_word_after_a_slash_is_a_command_with_what_follows_it() {
        let read = |text| match read(text) {
            Typed::Command(command, argument) => Some((command.does, argument)),
            _ => None,
        };
        assert_eq!(read("/model"), Some((Does::Model, "")));
        assert_eq!(read("/model  qwen 8b "), Some((Does::Model, "qwen 8b")));
        assert_eq!(read("/Model org/name"), Some((Does::Model, "org/name")));
        assert_eq!(read("/quit\n"), Some((Does::Quit, "")));
        assert_eq!(read("/hel"), None);
    }

    #[test]
    fn paths_and_texts_of_several_lines_are_messages() {
        for text in [
            "what is /model?",
            "/usr/bin is what?",
            "/usr/",
            "//",
            "//model",
            "// a comment",
            " /model",
            "/model\nand more",
            "",
        ] {
            assert_eq!(read(text), Typed::Message, "{text:?}");
        }
    }

    #[test]
    fn another_word_after_a_slash_is_neither() {
        for (text, word) in [("/", ""), ("/modle qwen", "modle"), ("/etc is what?", "etc")] {
            assert_eq!(read(text), Typed::Unknown(word), "{text:?}");
        }
    }

    #[test]
    fn the_nearest_command_is_named() {
        for (word, name) in
            [("modle", "model"), ("HELO", "help"), ("exit", "quit"), ("qit", "quit")]
        {
            assert_eq!(nearest(word).map(|command| command.name), Some(name), "{word}");
        }
        assert!(nearest(&"x".repeat(1 << 20)).is_some());
    }
}
