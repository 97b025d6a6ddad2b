//! Calls of tools: by the server's own means, several at once, and as text. Owns what is said of
//! a model that does not call.

use std::sync::Arc;

use super::Known;
use crate::{
    doctor::{
        check::Outcome,
        errand::{self, AS_TEXT, File, ONE, TWO, Went},
    },
    protocol::tool_mode::ToolMode,
    provider::{Provider, ProviderError, accumulate::Response, calling::Calling, text::leaked},
    text::{cut::one_line, sanitize::sanitize},
};

/// Characters of an answer that are shown.
const SHOWN: usize = 80;

const LEAKED: &str = "Calls come as words of the answer, so the server does not know how this \
                      model writes them (llama.cpp: start it with --jinja; vLLM: with \
                      --enable-auto-tool-choice and --tool-call-parser). mcc-tui reads them there.";

/// One call by the server's own means. If it comes as words of the answer, it is tried again with
/// such words read, as a turn does it.
pub(super) async fn native(known: &mut Known) -> Outcome {
    let first = errand::run(known.server(), &ONE).await;
    let leaks = matches!(&first, Ok(Went::NoCall(response)) if holds_calls(response));
    let went = if leaks { run(known, ToolMode::Native, &ONE).await } else { first };
    let works = matches!(went, Ok(Went::Used(_)));
    if works {
        known.tools = Some(ToolMode::Native);
    }
    let outcome = match went {
        Ok(Went::Used(_)) => Outcome::ok("The model called read_file, and used its result."),
        Ok(went) => failed(went),
        Err(error) => Outcome::failed(error),
    };
    if leaks { Outcome { told: format!("{LEAKED} {}", outcome.told), ..outcome } } else { outcome }
}

/// Two calls in one answer.
pub(super) async fn parallel(known: &mut Known) -> Outcome {
    if known.tools != Some(ToolMode::Native) {
        return Outcome::skipped("No native call worked.");
    }
    match run(known, ToolMode::Native, &TWO).await {
        Ok(Went::Used(calls)) => {
            Outcome::ok(format!("{calls} calls in one answer, and their results were used."))
        }
        Ok(Went::Unused(0 | 1, _)) => {
            Outcome::no("Only one call came at a time. It works; reading many files takes longer.")
        }
        Ok(Went::Unused(calls, _)) => Outcome::ok(format!(
            "{calls} calls in one answer, and their results were taken, though not all used."
        )),
        Ok(went) => failed(went),
        Err(error) => Outcome::failed(error),
    }
}

/// One call as text.
pub(super) async fn text(known: &mut Known, always: bool) -> Outcome {
    let is_native = known.tools == Some(ToolMode::Native);
    if is_native && !always {
        return Outcome::skipped("Not needed, as native calls work; --all checks it anyway.");
    }
    match run(known, ToolMode::Text, &AS_TEXT).await {
        Ok(Went::Used(_)) => {
            known.tools.get_or_insert(ToolMode::Text);
            Outcome::ok("The model wrote a call of read_file as text, and used its result.")
        }
        Ok(went) => failed(went),
        Err(error) => Outcome::failed(error),
    }
}

async fn run(known: &Known, mode: ToolMode, files: &[File]) -> Result<Went, ProviderError> {
    let server: Arc<dyn Provider> = known.shared();
    errand::run(&Calling::new(server, mode), files).await
}

fn failed(went: Went) -> Outcome {
    match went {
        // Callers have words of their own for it.
        Went::Used(_) => Outcome::ok("The result was used."),
        Went::Unused(_, response) => Outcome::no(format!(
            "The call came and its result was taken, but the model did not use it: {}",
            said(&response)
        )),
        Went::NoCall(response) => {
            Outcome::no(format!("The model did not call read_file: {}", said(&response)))
        }
        Went::BadCall(why) => Outcome::no(one_line(&sanitize(&why), 3 * SHOWN)),
        Went::Refused(error) => {
            Outcome::failed_in("The call came, but the request with its result failed", error)
        }
    }
}

fn holds_calls(response: &Response) -> bool {
    let tools = errand::tools();
    !leaked::recover(&response.text, response.finish.as_ref(), &tools).calls.is_empty()
}

/// The start of what the model said, harmless.
fn said(response: &Response) -> String {
    if let Some(unusable) = &response.unusable {
        return format!("{}.", one_line(&sanitize(&unusable.fault), SHOWN));
    }
    let text = one_line(&sanitize(&response.text), SHOWN);
    match (text.is_empty(), response.calls.len()) {
        (false, _) => format!("it said \"{text}\"."),
        (true, 0) => "it said nothing.".to_owned(),
        (true, _) => "it only called again.".to_owned(),
    }
}
