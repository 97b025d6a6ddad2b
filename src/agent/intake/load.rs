//! How many tokens a request holds, estimated twice: what it probably is, and what it is at least.
//! Owns both estimates; knows no server and no tokenizer.
//!
//! Invariant: pure; `floor` is below the count of every common tokenizer, for text of any script
//! and for blanks, rulers and code alike.

use crate::protocol::{message::Message, tool::ToolSpec, usage::estimated_tokens};

/// Weight of a piece of a word that may be one token: 16 ASCII letters, or 6 others.
const PIECE: usize = 48;
/// Weights of a letter.
const ASCII: usize = 3;
const OTHER: usize = 8;

/// The size of a request in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// What it probably is; may be off by a factor of two.
    pub(super) guess: u64,
    /// What the messages alone are at least: how a server words the tools is not known.
    pub(super) floor: u64,
}

impl Load {
    pub(super) fn of(messages: &[Message], tools: &[ToolSpec]) -> Self {
        let bytes: usize = messages.iter().map(Message::bytes).sum();
        let of_tool = |tool: &ToolSpec| {
            tool.name.len() + tool.description.len() + tool.parameters.to_string().len()
        };
        let bytes = bytes + tools.iter().map(of_tool).sum::<usize>();
        Self { guess: estimated_tokens(bytes), floor: messages.iter().map(floor).sum() }
    }

    /// What it has more than an earlier one.
    pub(super) fn beyond(self, earlier: Self) -> Self {
        Self {
            guess: self.guess.saturating_sub(earlier.guess),
            floor: self.floor.saturating_sub(earlier.floor),
        }
    }
}

fn floor(message: &Message) -> u64 {
    match message {
        Message::System { text } | Message::User { text } => at_least(text),
        Message::Assistant(answer) => {
            let calls = answer.calls.iter().map(|call| at_least(&call.arguments));
            at_least(&answer.text) + calls.sum::<u64>()
        }
        Message::Tool(result) => at_least(&result.text),
    }
}

/// Tokens that a text has at least. Tokenizers cut between words and signs; they take blanks, one
/// sign before a word and any run of signs together.
pub(super) fn at_least(text: &str) -> u64 {
    let (mut tokens, mut word, mut signs) = (0, 0_usize, 0_u64);
    for char in text.chars() {
        let is_letter = char.is_alphanumeric() || char == '_';
        if is_letter {
            if word == 0 {
                tokens += u64::from(signs > 1);
                signs = 0;
            }
            word += if char.is_ascii() { ASCII } else { OTHER };
            continue;
        }
        tokens += pieces(word);
        word = 0;
        if char.is_whitespace() {
            tokens += u64::from(signs > 0);
            signs = 0;
        } else {
            signs += 1;
        }
    }
    tokens + pieces(word) + u64::from(signs > 0)
}

fn pieces(word: usize) -> u64 {
    u64::try_from(word.div_ceil(PIECE)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_runs_of_signs_count_and_blanks_do_not() {
        for (text, tokens) in [
            ("", 0),
            ("   \n\t  ", 0),
            ("the quick brown fox", 4),
            ("yes, no.", 4),
            ("----------------------------------------", 1),
            // self, .foo, (bar, );
            ("self.foo(bar);", 4),
            // let, x, =, (", a, ")
            ("let x = (\"a\")", 6),
            ("snake_case_is_one", 2),
            (&"a".repeat(16), 1),
            (&"a".repeat(17), 2),
            (&"ж".repeat(12), 2),
            (&"字".repeat(60), 10),
        ] {
            assert_eq!(at_least(text), tokens, "{text}");
        }
    }

    #[test]
    fn calls_and_tools_belong_to_a_request() {
        let tool = ToolSpec {
            name: "look".into(),
            description: "d".repeat(12),
            parameters: serde_json::json!({}),
        };
        let messages = [Message::User { text: "w".repeat(52) }];
        // 52 bytes, and with the tool 4 + 12 + 2 more
        assert_eq!(Load::of(&messages, &[]).guess, 52 * 2 / 7);
        assert_eq!(Load::of(&messages, std::slice::from_ref(&tool)).guess, 70 * 2 / 7);
        assert_eq!(Load::of(&messages, &[tool]).floor, 4);
    }
}
