//! Answers without tools: whether they stream, whether they are counted, and whether one that
//! nobody reads any more is given up.

use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::Known;
use crate::{
    doctor::{
        check::Outcome,
        hear::{Heard, hear, is_piece, plain, words},
    },
    protocol::exit::ErrorKind,
    provider::{Provider, ProviderError},
    text::{cut::one_line, sanitize::sanitize},
};

const READY: &str = "Reply with the single word ready.";
/// So long that no server sends it as one piece.
const COUNT: &str = "Count from 1 to 30 in digits, separated by commas. Write nothing else.";
/// So long that it is never over before it is stopped.
const LONG: &str = "Write the numbers from 1 to 1000 in English words, one on each line. Do not \
                    leave any out and do not stop early.";
/// Pieces after which the long answer is dropped.
const ENOUGH: usize = 3;
/// What a server may take for the next request besides three times what it took before.
const GRACE: Duration = Duration::from_secs(5);
/// Characters of an answer that are shown.
const SHOWN: usize = 60;

/// Whether a short answer comes, and comes in pieces.
pub(super) async fn streams(known: &mut Known) -> Outcome {
    let heard = match hear(known.server(), plain(READY)).await {
        Ok(heard) => heard,
        Err(error) => return Outcome::end(error),
    };
    if heard.pieces == 0 {
        return Outcome::end(ProviderError::new(
            ErrorKind::EmptyResponse,
            "The answer was empty.",
            "Use another model with --model, or look at the server's own log.",
        ));
    }
    known.baseline = Some(heard.took);
    known.usage = heard.response.usage;
    let told = describe(&heard);
    if heard.pieces > 1 {
        return Outcome::ok(told);
    }
    // One word may well be one piece; a row of numbers is not.
    match hear(known.server(), plain(COUNT)).await {
        Ok(longer) if longer.pieces > 1 => Outcome::ok(format!(
            "{told} A longer answer came in {} pieces after {} more.",
            longer.pieces,
            words(longer.took)
        )),
        Ok(longer) if longer.response.text.trim().len() <= SHOWN => Outcome::ok(format!(
            "{told} A second answer, after {} more, was too short to say whether it streams.",
            words(longer.took)
        )),
        Ok(longer) => Outcome::no(format!(
            "{told} A longer answer came as one piece, too, after {} more: the server does not \
             stream. It works, but nothing shows until an answer is whole.",
            words(longer.took)
        )),
        Err(error) => Outcome::end(error),
    }
}

fn describe(heard: &Heard) -> String {
    let said = one_line(&sanitize(&heard.response.text), SHOWN);
    let said = if said.is_empty() { "Only thought".to_owned() } else { format!("\"{said}\"") };
    let thought = if heard.response.reasoning.is_empty() { "" } else { ", thought included" };
    let pieces = match heard.pieces {
        1 => "1 piece".to_owned(),
        many => format!("{many} pieces"),
    };
    let (first, took) = (words(heard.first), words(heard.took));
    format!("{said} came in {pieces}{thought}, the first after {first}, all after {took}.")
}

/// Whether the stream told how many tokens there were.
pub(super) fn usage(known: &mut Known) -> Outcome {
    match known.usage {
        Some(usage) => Outcome::ok(format!(
            "The stream told {} tokens of the request and {} of the answer.",
            usage.prompt, usage.completion
        )),
        None => Outcome::no(
            "The stream told no token counts, so how full the context window is can only be \
             estimated.",
        ),
    }
}

/// Drops a long answer in its middle, and sees whether the server is free again soon.
pub(super) async fn abort(known: &mut Known) -> Outcome {
    let usual = known.baseline.unwrap_or_default();
    match drop_in_the_middle(known).await {
        Ok(true) => {}
        Ok(false) => {
            return Outcome::skipped("The long answer was over before it could be stopped.");
        }
        Err(error) => return Outcome::failed(error),
    }
    let began = Instant::now();
    let next = hear(known.server(), plain(READY)).await;
    let took = began.elapsed();
    if let Err(error) = next {
        return Outcome::failed_in("The next request after a stop failed", error);
    }
    given_up(took, usual)
}

/// What the time of the next request means. A machine that is slow takes as long as before.
fn given_up(took: Duration, usual: Duration) -> Outcome {
    let (took_words, usual_words) = (words(took), words(usual));
    if took <= usual * 3 + GRACE {
        Outcome::ok(format!(
            "Dropped in mid-answer; the next request was answered after {took_words} (before: \
             {usual_words}). No sign that the server goes on with what nobody reads."
        ))
    } else {
        Outcome::no(format!(
            "After an answer was dropped, the next request took {took_words} (before: \
             {usual_words}): the server seems to go on generating for nobody."
        ))
    }
}

/// True if the answer was still going on when it was dropped.
async fn drop_in_the_middle(known: &Known) -> Result<bool, ProviderError> {
    let mut stream = known.server().stream(plain(LONG)).await?;
    let mut pieces = 0;
    while pieces < ENOUGH {
        match stream.next().await {
            Some(delta) => pieces += usize::from(is_piece(&delta?)),
            None => return Ok(false),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{Duration, given_up};
    use crate::doctor::check::Status;

    #[test]
    fn a_server_that_is_busy_long_after_a_stop_is_seen() {
        let after =
            |took, usual| given_up(Duration::from_secs(took), Duration::from_secs(usual)).status;
        assert_eq!(after(1, 1), Status::Ok);
        assert_eq!(after(60, 1), Status::No);
        assert_eq!(after(60, 30), Status::Ok, "it was as slow before");
    }
}
