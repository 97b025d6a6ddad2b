//! How a turn ends: each end with its reason, and in order whatever happened.

use super::*;

#[tokio::test(start_paused = true)]
async fn every_end_has_its_reason() {
    let cut_calls =
        "[[reply]]\nfinish = 'length'\nrepeat = 9\n[[reply.call]]\nname = 'look'\narguments = {}\n";
    let unreadable = "[[reply]]\nrepeat = 9\n[[reply.call]]\nname = 'nope'\narguments = {}\n";
    let cases = [
        ("[[reply]]\ntext = 'hi'", "end_turn"),
        ("[[reply]]\ntext = 'a'\nfinish = 'length'\nrepeat = 9", "output_limit"),
        ("[[reply]]\ntext = 'a'\nfinish = 'content_filter'", "content_filter"),
        ("[[reply]]\ntext = ''\nrepeat = 9", "error"),
        ("[[reply]]\ntext = 'half of it'\nbreak_after = 1", "error"),
        (unreadable, "error"),
        ("[[reply]]\ntext = 'a'\nfinish = 'overloaded'", "error"),
        (cut_calls, "output_limit"),
    ];
    for (script, word) in cases {
        let mut rig = Rig::new(Strict::script(script));
        let events = rig.turn("go").await;
        check_grammar(&events);
        check_reason(&events, word);
        check_can_go_on(rig).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_without_a_finish_is_an_error_and_keeps_what_had_come() {
    let mut rig = Rig::new(Strict::script("[[reply]]\ntext = 'half of it'\nbreak_after = 1"));
    let events = rig.turn("go").await;
    assert!(matches!(reason(&events), ExitReason::Error { kind: ErrorKind::Network, .. }));
    let history = rig.history().await;
    let Some(Message::Assistant(answer)) = history.last() else { panic!("{history:?}") };
    assert_eq!((answer.text.as_str(), answer.incomplete), ("half", true));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_the_server_gave_up_is_no_success() {
    for word in ["insufficient_system_resource", "error", "abort", "timeout", "network_error"] {
        let script = format!("[[reply]]\ntext = 'half an ans'\nfinish = '{word}'");
        let mut rig = Rig::new(Strict::script(&script));
        let events = rig.turn("go").await;
        check_grammar(&events);
        let ExitReason::Error { kind, message, hint } = reason(&events) else { panic!("{word}") };
        assert_eq!(kind, ErrorKind::Server);
        assert!(message.contains(word) && !hint.is_empty(), "{message} {hint}");
        let history = rig.history().await;
        let Some(Message::Assistant(answer)) = history.last() else { panic!("{history:?}") };
        assert_eq!((answer.text.as_str(), answer.incomplete), ("half an ans", true));
    }
}

#[tokio::test(start_paused = true)]
async fn where_nobody_can_be_asked_a_change_is_denied_and_the_end_says_so() {
    let limits = Limits { max_iterations: 20, interactive: false, scheduler: Scheduler::default() };
    let mut rig = Rig::with(Strict::script(BATCH), Mode::Ask, limits);
    let events = rig.turn("go").await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::Denied { calls: 1 });
    assert_eq!(reason(&events).exit_code(), 6);
    assert_eq!(*rig.runs.lock().unwrap(), ["A", "B"]);
}

#[tokio::test(start_paused = true)]
async fn an_abort_with_a_tool_that_hears_nothing_still_ends_the_turn() {
    let script =
        "[[reply]]\n[[reply.call]]\nname = 'look'\narguments = { ms = 999999, deaf = true }";
    let mut rig = Rig::new(Strict::script(script));
    rig.submit("go");
    while !matches!(rig.front.next().await, Some(StreamEvent::ToolStarted { .. })) {}
    let began = Instant::now();
    rig.front.interrupt(AbortBy::User);
    check_reason(&rig.rest().await, "abort");
    assert_eq!(began.elapsed(), Duration::from_millis(2_500), "the tool's time for last words");
    check_can_go_on(rig).await;
}

/// A provider whose stream panics in the middle.
struct Panics;

impl mcc_tui::provider::Provider for Panics {
    fn about(&self) -> mcc_tui::protocol::about::About {
        mcc_tui::protocol::about::About {
            model: "p".into(),
            place: "test".into(),
            scripted: true,
            context_window: None,
        }
    }

    fn stream(
        &self,
        _: mcc_tui::provider::Request,
    ) -> futures_util::future::BoxFuture<
        '_,
        Result<mcc_tui::provider::DeltaStream, mcc_tui::provider::ProviderError>,
    > {
        use futures_util::StreamExt;
        let items = futures_util::stream::iter(0..2).map(|n| {
            assert_eq!(n, 0, "asked to panic");
            Ok(mcc_tui::provider::Delta::Text("some".into()))
        });
        Box::pin(async move { Ok(items.boxed()) })
    }

    fn use_model(&self, _: String) {}
}

#[tokio::test]
async fn a_panic_of_the_machine_ends_the_turn_in_order() {
    let mut rig = Rig::new(Strict::over(Panics));
    for prompt in ["one", "two"] {
        let events = rig.turn(prompt).await;
        check_grammar(&events);
        assert!(matches!(reason(&events), ExitReason::Error { kind: ErrorKind::Internal, .. }));
    }
    assert_eq!(history::problems(&rig.history().await), Vec::<String>::new());
}
