//! When a response counts as complete, on the paused clock.

use serde_json::json;

use super::*;
use crate::provider::FinishReason;

const SECOND: Duration = Duration::from_secs(1);

/// The deltas of a server that sends these chunks at once and then the last one each second, for
/// ever; and how long it was listened to.
async fn heard(first: Vec<Value>, again: Value) -> (Vec<Delta>, Duration) {
    let forever = stream::unfold((), move |()| {
        let again = again.clone();
        async move {
            tokio::time::sleep(SECOND).await;
            Some((Ok(again), ()))
        }
    });
    let chunks = stream::iter(first.into_iter().map(Ok)).chain(forever).boxed();
    let reading = Reading::new(chunks, Arc::new(Handover::new()), Arc::default());
    let began = Instant::now();
    let deltas = reading.deltas().map(|delta| delta.unwrap()).collect().await;
    (deltas, began.elapsed())
}

fn finish() -> Value {
    json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] })
}

#[tokio::test(start_paused = true)]
async fn usage_for_ever_does_not_keep_a_finished_response_open() {
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 1 } });
    let (deltas, listened) = heard(vec![finish()], usage).await;
    assert_eq!(deltas.first(), Some(&Delta::Finish(FinishReason::Stop)));
    assert_eq!(listened, GRACE);
    let (deltas, listened) = heard(vec![finish()], finish()).await;
    assert!(deltas.len() <= 6, "{deltas:?}");
    assert_eq!(listened, GRACE);
}
