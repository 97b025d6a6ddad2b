//! The form of a script file, and its reading. Owns the keys; knows nothing of how they play.
//!
//! Invariant: a [`Script`] that was parsed has templates that compile, and no reply that
//! contradicts itself.

use std::{num::NonZeroUsize, time::Duration};

use serde::Deserialize;

use super::{complaint::complaint, template::Templates};
use crate::{
    protocol::exit::ErrorKind,
    provider::{FinishReason, ProviderError},
    text::line,
};

/// A script that can be played.
#[derive(Clone, Debug)]
pub struct Script {
    pub(super) name: String,
    pub(super) model: String,
    pub(super) context_window: Option<u64>,
    pace_ms: u64,
    replies: Vec<Reply>,
    past_end: Reply,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    model: String,
    #[serde(default)]
    pace_ms: u64,
    context_window: Option<u64>,
    #[serde(default, rename = "reply")]
    replies: Vec<Reply>,
    past_end: Option<Reply>,
}

/// One response of the model, as written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    #[serde(default)]
    pub(super) text: String,
    #[serde(default)]
    pub(super) reasoning: String,
    #[serde(default, rename = "call")]
    pub(super) calls: Vec<Call>,
    pub(super) finish: Option<String>,
    #[serde(default)]
    pub(super) delay_ms: u64,
    pub(super) piece: Option<NonZeroUsize>,
    #[serde(default)]
    pub(super) hang: bool,
    repeat: Option<NonZeroUsize>,
    pub(super) error: Option<Failure>,
    pub(super) break_after: Option<usize>,
    pub(super) usage: Option<Usage>,
}

/// One tool call, as written; `each` can make it several.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: toml::Table,
    pub(super) raw_arguments: Option<String>,
    #[serde(rename = "if")]
    pub(super) condition: Option<String>,
    #[serde(rename = "for")]
    pub(super) each: Option<String>,
    pub(super) id: Option<String>,
}

/// A failure in place of a response.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    kind: ErrorKind,
    message: String,
    #[serde(default)]
    hint: String,
    #[serde(default)]
    context_overflow: bool,
    status: Option<u16>,
}

/// Token counts, as the script wants them told.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Usage {
    pub(super) prompt: u64,
    pub(super) completion: u64,
}

impl Script {
    /// Reads a script. `name` is the file's name, for error messages.
    ///
    /// # Errors
    /// Of kind `config`, with the file, the line or the reply, and what is wrong there.
    pub fn parse(text: &str, name: &str) -> Result<Self, ProviderError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line::number(text, span.start));
            complaint(format!("{name}, line {line}: {}", error.message().trim_end()))
        })?;
        let done = Reply { text: "done".to_owned(), ..Reply::default() };
        let script = Self {
            name: name.to_owned(),
            model: file.model,
            context_window: file.context_window,
            pace_ms: file.pace_ms,
            replies: file.replies,
            past_end: file.past_end.unwrap_or(done),
        };
        script.check()?;
        Ok(script)
    }

    /// The demo that comes with the program: it works on whatever folder it is started in.
    ///
    /// # Errors
    /// None, unless the program was built with a broken demo.
    pub fn demo() -> Result<Self, ProviderError> {
        Self::parse(include_str!("../../../assets/demo/demo.toml"), "demo.toml")
    }

    /// Pause between two pieces.
    pub(super) fn pace(&self) -> Duration {
        Duration::from_millis(self.pace_ms)
    }

    /// The reply to a request with `given` assistant messages in this turn, and its place in
    /// words.
    pub(super) fn reply(&self, given: usize) -> (String, &Reply) {
        let mut left = given;
        for (place, reply) in self.places() {
            let repeat = reply.repeat.map_or(1, NonZeroUsize::get);
            if left < repeat || place == PAST_END {
                return (place, reply);
            }
            left = left.saturating_sub(repeat);
        }
        (PAST_END.to_owned(), &self.past_end)
    }

    fn places(&self) -> impl Iterator<Item = (String, &Reply)> {
        let numbered = self.replies.iter().enumerate();
        let numbered = numbered.map(|(index, reply)| (format!("reply {}", index + 1), reply));
        numbered.chain(std::iter::once((PAST_END.to_owned(), &self.past_end)))
    }

    fn check(&self) -> Result<(), ProviderError> {
        let templates = Templates::new(&self.name);
        for (place, reply) in self.places() {
            templates.check(&format!("{place}, text"), &reply.text)?;
            templates.check(&format!("{place}, reasoning"), &reply.reasoning)?;
            for (index, call) in reply.calls.iter().enumerate() {
                let place = call.place(&place, index);
                if call.raw_arguments.is_some() && !call.arguments.is_empty() {
                    let both = "`arguments` and `raw_arguments` exclude each other";
                    return Err(complaint(format!("{}, {place}: {both}", self.name)));
                }
                let expressions = [("if", &call.condition), ("for", &call.each)];
                for (key, expression) in expressions {
                    let expression = expression.as_deref().unwrap_or("none");
                    templates.check_expression(&format!("{place}, {key}"), expression)?;
                }
                templates.check_values(&format!("{place}, arguments"), &call.arguments)?;
            }
        }
        Ok(())
    }
}

const PAST_END: &str = "past_end";

impl Call {
    /// Where the call stands, in words.
    pub(super) fn place(&self, reply: &str, index: usize) -> String {
        format!("{reply}, call {} ({})", index + 1, self.name)
    }
}

impl Reply {
    /// Why the response ends, as far as the script says.
    pub(super) fn finish(&self, has_calls: bool) -> FinishReason {
        match &self.finish {
            Some(word) => FinishReason::from_word(word),
            None if has_calls => FinishReason::ToolCalls,
            None => FinishReason::Stop,
        }
    }
}

impl Failure {
    pub(super) fn error(&self) -> ProviderError {
        ProviderError {
            context_overflow: self.context_overflow,
            status: self.status,
            ..ProviderError::new(self.kind, self.message.as_str(), self.hint.as_str())
        }
    }
}
