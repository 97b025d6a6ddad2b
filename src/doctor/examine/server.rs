//! What the server is and offers: whether it is there, its models, the context window. Owns which
//! model is used.

use super::Known;
use crate::{
    doctor::{
        Choice,
        check::{Outcome, closed},
        hear::words,
    },
    protocol::exit::ErrorKind,
    provider::{Provider, ProviderError, openai::reach::WindowSource},
    text::{cut::one_line, sanitize::sanitize},
};

/// Models that are named.
const NAMED: usize = 5;
/// The most characters of a name that is shown.
const NAME: usize = 60;
/// A longer name is none that anybody could choose.
const MAX_NAME: usize = 256;
/// A window below this holds hardly more than the instructions and one file.
const SMALL: u64 = 8_000;

/// Whether the server is there.
pub(super) async fn reached(known: &mut Known) -> Outcome {
    let reached = match known.server().reach().await {
        Ok(reached) => reached,
        Err(error) => return Outcome::end(error),
    };
    let name = reached.name.as_deref().unwrap_or("It does not say what it is, and");
    let note = known.subject.note.as_ref().map(|note| format!("{note} ")).unwrap_or_default();
    Outcome::ok(format!("{note}{name} answered in {}.", words(reached.first_byte)))
}

/// Lists the models, and decides which one is used.
pub(super) async fn models(known: &mut Known) -> Outcome {
    let names = match known.server().models().await {
        Ok(names) => names,
        Err(error) => return unlisted(known, error),
    };
    let listed = match names.len() {
        0 => "The server lists no models.".to_owned(),
        1 => format!("1 model: {}.", shown(&names)),
        count => format!("{count} models: {}.", shown(&names)),
    };
    let set = known.model.clone();
    let is_listed = names.iter().any(|name| is_same(name, &set));
    let is_unsure = known.subject.choice == Choice::Unsure;
    if !set.is_empty() && (is_listed || !is_unsure || names.is_empty()) {
        let set = harmless(&set);
        return match (known.subject.choice, is_listed) {
            (Choice::Found, _) => {
                Outcome::ok(format!("{listed} {set} is used; --model NAME checks another."))
            }
            (_, true) => Outcome::ok(format!("{listed} {set} is used, as it is set.")),
            (_, false) => Outcome::no(format!(
                "{listed} {set} is set and not among them; it is tried anyway."
            )),
        };
    }
    // A name that no settings file could hold as it is is never chosen for the user.
    let fit = |name: &&String| name.len() <= MAX_NAME && sanitize(name) == name.as_str();
    let Some(chosen) = names.iter().find(fit).cloned() else {
        return Outcome::end(ProviderError::new(
            ErrorKind::Config,
            format!("{listed} None is set, so there is no model to check."),
            "Load a model into the server, or name one with --model.",
        ));
    };
    known.server().use_model(chosen.clone());
    known.model.clone_from(&chosen);
    let chosen = one_line(&chosen, NAME);
    Outcome::ok(match (set.is_empty(), names.len()) {
        (true, 1) => format!("{listed} It is used."),
        (true, _) => {
            format!("{listed} None is set, so the first is used; --model NAME checks another.")
        }
        (false, _) => format!(
            "{listed} {} is set, for another server it seems, so {chosen} is used; --model NAME \
             checks another.",
            harmless(&set)
        ),
    })
}

/// Without a list it goes on, if a model is set and the failure is one of the list alone.
fn unlisted(known: &Known, error: ProviderError) -> Outcome {
    let is_of_all = matches!(
        error.kind,
        ErrorKind::Network | ErrorKind::Timeout | ErrorKind::Auth | ErrorKind::Quota
    );
    if is_of_all || known.model.is_empty() {
        return Outcome::end(error);
    }
    let message = closed(&error.message);
    let told = format!("{message} {} is tried, as it is set.", harmless(&known.model));
    Outcome { told, ..Outcome::failed(error) }
}

/// Ollama leaves out the usual tag.
fn is_same(listed: &str, set: &str) -> bool {
    listed == set || listed.strip_suffix(":latest") == Some(set)
}

fn shown(names: &[String]) -> String {
    let named: Vec<_> = names.iter().take(NAMED).map(|name| harmless(name)).collect();
    match names.len() - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Sanitized before it is cut, as a cut could leave the rest of a sequence behind.
fn harmless(name: &str) -> String {
    one_line(&sanitize(name), NAME)
}

/// How large the context window is, and who says so.
pub(super) async fn window(known: &mut Known) -> Outcome {
    let Some((tokens, source)) = known.server().find_window().await else {
        return Outcome::no(
            "Nobody tells how large it is: set context_window, so that the conversation is kept \
             within it.",
        );
    };
    if !matches!(source, WindowSource::Assumed | WindowSource::Awaited) {
        known.window = Some(tokens);
        known.tells_window = matches!(source, WindowSource::Told(_) | WindowSource::Known);
    }
    let whence = match source {
        WindowSource::Set => "as it is set".to_owned(),
        WindowSource::Told(place) => format!("told {place}"),
        WindowSource::Known => "from the table of known models".to_owned(),
        WindowSource::Awaited => {
            return Outcome::unknown(format!(
                "The server did not say in time how large it is; {tokens} tokens are assumed \
                 until it does."
            ));
        }
        WindowSource::Assumed => {
            return Outcome::no(format!(
                "Nobody tells how large it is; {tokens} tokens are assumed. Set context_window if \
                 you know better."
            ));
        }
    };
    let advice = if tokens < SMALL {
        " That is little for this work: start the server with a larger one if you can."
    } else {
        ""
    };
    Outcome::ok(format!("{tokens} tokens, {whence}.{advice}"))
}
