//! What the user is told of failed requests: in words, as lines of progress, as JSON.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_prompt_that_does_not_fit_is_told_in_the_servers_words_and_taken_back() {
    let fails = "[past_end]\nerror = { kind = 'server', context_overflow = true, \
                 message = 'maximum context length is 8192 tokens' }";
    let mut rig = Rig::new(sequence(&[fails, ANSWERS]));
    let events = rig.turn("far too long").await;
    assert_eq!(reason(&events), ExitReason::ContextOverflow { alone: true });
    assert!(reason(&events).what_next().starts_with("Load the model with a larger window"));
    let notice = StreamEvent::Notice { text: "maximum context length is 8192 tokens".to_owned() };
    assert!(events.contains(&notice), "{events:?}");
    let events = rig.turn("short").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let requests = rig.provider.requests.lock().unwrap();
    let prompts = |message: &Message| match message {
        Message::User { text } => Some(text.clone()),
        _ => None,
    };
    let sent: Vec<Vec<String>> =
        requests.iter().map(|sent| sent.iter().filter_map(prompts).collect()).collect();
    assert_eq!(sent, [["far too long"], ["short"]]);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_no_longer_fits_is_told_apart_from_a_prompt_that_never_did() {
    let fails = "[past_end]\nerror = { kind = 'server', context_overflow = true, message = 'no' }";
    let mut rig = Rig::new(sequence(&[ANSWERS, fails]));
    assert_eq!(reason(&rig.turn("short").await), ExitReason::EndTurn);
    let end = reason(&rig.turn("more").await);
    assert_eq!(end, ExitReason::ContextOverflow { alone: false });
    assert!(end.what_next().starts_with("Begin a new session (/new)"), "{}", end.what_next());
}

/// What a run without a screen prints: the answer, and the progress.
async fn print(format: Format) -> (String, String) {
    let rig = Rig::new(sequence(&[FAILS, BREAKS, ANSWERS]));
    let job = Job { prompt: "go".into(), format, about: rig.provider.about(), notices: Vec::new() };
    let (mut out, mut progress) = (Vec::new(), Vec::new());
    let reason = headless::run(rig.front, job, &mut out, &mut progress).await.unwrap();
    assert_eq!(reason, ExitReason::EndTurn);
    (String::from_utf8(out).unwrap(), String::from_utf8(progress).unwrap())
}

#[tokio::test(start_paused = true)]
async fn without_a_screen_each_retry_is_a_line_of_progress() {
    let (shown, _) = print(Format::Live).await;
    assert_eq!(shown, "half of \n\nall of it\n", "who looks on has seen it, and is told");
    let (out, progress) = print(Format::Text).await;
    assert_eq!(out, "all of it\n", "what was discarded is nothing that was answered");
    let lines: Vec<_> = progress.lines().filter(|line| line.contains("retry")).collect();
    assert_eq!(
        lines,
        [
            "· server · busy · retry 1 of 5 in 0.25 s",
            "· network · The connection broke off before the answer was complete. · retry 2 of 5 \
             in 0.50 s · what came of this answer is discarded",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn json_counts_the_retries_and_has_only_the_answer_that_counts() {
    let report: Value = serde_json::from_str(&print(Format::Json).await.0).unwrap();
    assert_eq!(
        (&report["retries"], &report["iterations"], &report["answer"]),
        (&json!(2), &json!(1), &json!("all of it"))
    );
    let (lines, _) = print(Format::StreamJson).await;
    let events: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let retries: Vec<_> = events.iter().filter(|event| event["event"] == "retrying").collect();
    let first = json!({
        "event": "retrying", "attempt": 1, "of": 5, "wait_ms": 250, "kind": "server",
        "reason": "busy",
    });
    assert_eq!((retries.len(), retries[0]), (2, &first));
}
