//! A provider whose words come from a script: for tests, and for the demo that is built in.
//!
//! Owns the choice of the reply and its delivery; [`script`] owns the file's form, [`template`]
//! what its templates may name. Must not know tools, sessions or screens: it plays from the
//! history alone.
//!
//! Invariant: it keeps no state between requests. The same history gets the same reply, so a
//! retried request does too.
//!
//! A script is TOML. Unknown keys are errors.
//!
//! ```toml
//! model = "demo"            # the name to show
//! pace_ms = 12              # pause between two pieces; 0 if absent
//! context_window = 8192     # tokens; unknown if absent
//!
//! [[reply]]                 # one response of the model; the first is for the first request
//! text = "Hello {{ prompt }}"
//! reasoning = "…"           # before the text
//! delay_ms = 50             # before the first piece, or before the error
//! piece = 4                 # characters a piece; arguments come in pieces of eight times that
//! finish = "stop"           # finish_reason; if absent `tool_calls` with calls, else `stop`
//! repeat = 2                # how many requests in a row get this reply; 1 if absent
//! hang = true               # all pieces, and then silence without an end
//! break_after = 3           # the stream ends after 3 pieces, without a finish
//! usage = { prompt = 10, completion = 2 }             # if absent, a quarter of the bytes
//! error = { kind = "rate_limit", message = "slow down", hint = "wait" }  # instead of pieces;
//!                           # also takes `context_overflow = true` and `status = 429`
//!
//! [[reply.call]]            # a tool call of this reply
//! name = "read_file"
//! for = "results[0][0].text | files"                  # one call for each `item`
//! if = "item != 'secret'"                             # only where this holds
//! arguments = { path = "{{ item }}" }                 # strings are templates
//! raw_arguments = '{"path":'                          # instead: sent as it stands
//! id = "call_1"                                       # unique if absent
//!
//! [past_end]                # the reply after the last one; the text `done` if absent
//! ```
//!
//! Which reply: the count of assistant messages after the last user message, nudges and
//! steering included, so every turn plays the script from its start.

mod complaint;
mod deliver;
mod filters;
mod script;
mod template;
#[cfg(test)]
mod tests;

use std::{path::Path, sync::Mutex, sync::PoisonError};

use futures_util::{FutureExt, StreamExt, future::BoxFuture};

use super::{DeltaStream, Provider, ProviderError, Request};
use crate::protocol::about::About;
pub use script::Script;
use template::{Context, Templates};

/// Plays a [`Script`].
pub struct Scripted {
    script: Script,
    workspace: String,
    model: Mutex<String>,
}

impl Scripted {
    /// `folder` is the workspace; templates get to know the last part of its name.
    #[must_use]
    pub fn new(script: Script, folder: &Path) -> Self {
        let workspace = folder.file_name().map_or_else(
            || folder.to_string_lossy().into_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let model = Mutex::new(script.model.clone());
        Self { script, workspace, model }
    }

    fn answer(&self, request: &Request) -> Result<deliver::Answer, ProviderError> {
        let context = Context::of(&request.messages, &self.workspace);
        let (number, reply) = self.script.reply(context.turn_replies());
        let templates = Templates::new(&self.script.name);
        deliver::Answer::render(&number, reply, (&templates, &context))
    }
}

impl Provider for Scripted {
    fn about(&self) -> About {
        About {
            model: self.model.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            place: "built in".to_owned(),
            scripted: true,
            context_window: self.script.context_window,
        }
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        async move {
            let answer = self.answer(&request)?;
            if let Some(error) = answer.error {
                tokio::time::sleep(answer.delay).await;
                return Err(error);
            }
            Ok(deliver::stream(answer, self.script.pace()).boxed())
        }
        .boxed()
    }

    fn use_model(&self, model: String) {
        *self.model.lock().unwrap_or_else(PoisonError::into_inner) = model;
    }
}
