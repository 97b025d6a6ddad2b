//! Requests that failed and are sent again: the wait, what ends it, and what became of the answer.

use super::*;

#[test]
fn a_wait_is_counted_down_and_then_the_model_is_waited_for() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, retrying(2, 2_500));
    let waits = |seconds: u32| {
        format!(
            "network · retry 2 of 5 in {seconds} s · iteration 1/20 · qwen · Enter retries now · Esc stops"
        )
    };
    assert_eq!(status(&mut app), waits(3));
    assert!(app.moves(), "or nothing would count down");
    wait(&mut app, 500);
    assert_eq!(status(&mut app), waits(2));
    wait(&mut app, 1_999);
    assert_eq!(status(&mut app), waits(1));
    wait(&mut app, 1);
    let after = "waits for the model · retry 2 of 5 · iteration 1/20 · qwen · Esc stops";
    assert_eq!(status(&mut app), after);
    tell(&mut app, StreamEvent::TextDelta { text: "hello".into() });
    assert_eq!(status(&mut app), "answering · iteration 1/20 · qwen · Esc stops");
}

#[test]
fn enter_on_an_empty_prompt_ends_the_wait_and_text_is_queued_as_ever() {
    let mut app = app();
    start(&mut app);
    assert_eq!(press(&mut app, KeyCode::Enter), [], "nothing waits");
    tell(&mut app, retrying(1, 5_000));
    typed(&mut app, "r");
    assert!(status(&mut app).ends_with("in 5 s · iteration 1/20 · qwen · Esc stops"));
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    assert_eq!(app.queued, ["r"]);
    assert_eq!(press(&mut app, KeyCode::Enter), [Effect::Send(Op::RetryNow)]);
    assert_eq!(press(&mut app, KeyCode::Enter), [], "it waits no more");
    assert!(status(&mut app).starts_with("waits for the model · retry 1 of 5"));
}

#[test]
fn esc_during_a_wait_stops_and_nothing_is_counted_any_more() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, retrying(1, 5_000));
    assert_eq!(press(&mut app, KeyCode::Esc), [Effect::Interrupt(AbortBy::User)]);
    assert!(status(&mut app).starts_with("stopping · "));
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    end(&mut app, abort_reason());
    assert!(app.progress.retry.is_none());
}

#[test]
fn what_a_broken_answer_said_stays_with_a_word_that_it_does_not_count() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: "the first half".into() });
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "write_file".into() });
    tell(&mut app, retrying(1, 0));
    assert_eq!(app.last_words.answer, "");
    tell(&mut app, StreamEvent::TextDelta { text: "all of it".into() });
    end(&mut app, ExitReason::EndTurn);
    let rows = screen(&mut app, 100, 24).join("\n");
    let place = |words: &str| rows.find(words).unwrap_or_else(|| panic!("{words}: {rows}"));
    let places = [
        place("the first half"),
        place("cut off, has no result"),
        place("· the line is cut. What came of this answer is discarded"),
        place("all of it"),
    ];
    assert!(places.is_sorted(), "{rows}");
    assert_eq!(app.last_words.answer, "all of it");
}

#[test]
fn a_refusal_is_told_once_and_discards_nothing() {
    let mut app = app();
    start(&mut app);
    for attempt in 1..=3 {
        tell(&mut app, retrying(attempt, 0));
    }
    let rows = screen(&mut app, 100, 24).join("\n");
    assert_eq!(rows.matches("the line is cut").count(), 1, "{rows}");
    assert!(!rows.contains("discarded"), "{rows}");
}
