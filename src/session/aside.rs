//! Commands that the user ran between two prompts: told to the model with the next one.
//!
//! Owns the words for it and their bound. Must not know how a command runs. Invariant: what is
//! left out is counted.

use crate::text::cut;

/// How a message begins that tells of commands first.
const MARK: &str = "(The user ran this in the folder, outside of your work; it is context.)";
/// Bytes of all commands together; the oldest go first.
const MOST: usize = 64 * 1024;
/// Bytes of a command's own words.
const COMMAND: usize = 2_000;

/// What was run and is not told yet.
#[derive(Debug, Default)]
pub(super) struct Asides {
    told: Vec<String>,
    left_out: usize,
}

impl Asides {
    pub(super) fn push(&mut self, command: &str, told: &str) {
        let short = cut::head(command, COMMAND);
        let more = if short.len() < command.len() { " […]" } else { "" };
        self.told.push(format!("$ {short}{more}\n{told}"));
        while self.told.len() > 1 && self.told.iter().map(String::len).sum::<usize>() > MOST {
            self.told.remove(0);
            self.left_out += 1;
        }
    }

    /// What the user says, behind what they ran; that is told then.
    pub(super) fn before(&mut self, text: &str) -> String {
        let Self { told, left_out } = std::mem::take(self);
        if told.is_empty() {
            return text.to_owned();
        }
        let left_out = match left_out {
            0 => String::new(),
            n => format!("({n} earlier commands are left out.)\n"),
        };
        format!("{MARK}\n{left_out}{}\n\n{text}", told.join("\n\n"))
    }

    /// Whether the message is this prompt, alone or behind commands: those are told again then.
    pub(super) fn take_back(&mut self, message: &str, prompt: &str) -> bool {
        let Some(before) = message.strip_suffix(prompt) else { return false };
        let commands = before.strip_prefix(MARK).map(str::trim);
        if let Some(commands) = commands {
            self.told.insert(0, commands.to_owned());
        }
        before.is_empty() || commands.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_once_before_the_next_prompt() {
        let mut asides = Asides::default();
        assert_eq!(asides.before("hi"), "hi");
        asides.push("ls", "a\nexit 0");
        asides.push("pwd", "/x\nexit 0");
        let message = format!("{MARK}\n$ ls\na\nexit 0\n\n$ pwd\n/x\nexit 0\n\nhi");
        assert_eq!(asides.before("hi"), message);
        assert_eq!(asides.before("again"), "again");
    }

    #[test]
    fn what_is_taken_back_is_told_again() {
        let mut asides = Asides::default();
        asides.push("ls", "a");
        let message = asides.before("hi");
        assert!(!asides.take_back(&message, "other"));
        assert!(asides.take_back(&message, "hi"));
        assert_eq!(asides.before("hi"), message);
        assert!(!asides.take_back("oh hi", "hi"));
        assert!(asides.take_back("hi", "hi"));
    }

    #[test]
    fn the_oldest_go_when_it_is_too_much_and_are_counted() {
        let mut asides = Asides::default();
        for n in 0..5 {
            asides.push(&format!("command {n}"), &"x".repeat(30_000));
        }
        let message = asides.before("hi");
        assert!(message.len() < 70_000);
        assert!(message.contains("(3 earlier commands are left out.)\n$ command 3"));
        asides.push(&"y".repeat(5_000), "");
        assert!(asides.before("hi").contains("yyy […]"));
    }
}
