//! The turn machine: batches, limits, ends, and that the history can always be sent again.

mod ends;

use std::{sync::atomic::Ordering, time::Duration};

use mcc_tui::{
    agent::Limits,
    permission::Mode,
    protocol::{
        event::StreamEvent,
        exit::{AbortBy, ErrorKind, ExitReason},
        message::Message,
        op::Op,
        question::Decision,
        scheduler::Scheduler,
        tool::ToolStatus,
    },
    session::history,
};
use proptest::prelude::*;
use tokio::time::Instant;

use crate::support::rig::{Rig, Strict, check_grammar, reason, results};

const BATCH: &str = "
[[reply]]
[[reply.call]]
name = 'look'
arguments = { ms = 200, say = 'A' }
[[reply.call]]
name = 'look'
arguments = { ms = 150, say = 'B' }
[[reply.call]]
name = 'change'
arguments = { ms = 100, say = 'C' }
[[reply]]
text = 'done'
";

#[tokio::test(start_paused = true)]
async fn reads_run_side_by_side_and_a_write_alone_in_300_ms() {
    let mut rig = Rig::new(Strict::script(BATCH));
    let began = Instant::now();
    let events = rig.turn("go").await;
    assert_eq!(
        began.elapsed(),
        Duration::from_millis(300),
        "200 for both reads, 100 for the write"
    );
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(
        results(&rig.history().await),
        ["A", "B", "C"],
        "B was first, the order is the calls'"
    );
}

#[tokio::test]
async fn text_reaches_the_front_end_before_the_response_has_ended() {
    let mut rig = Rig::new(Strict::script("[[reply]]\ntext = 'never ending'\nhang = true"));
    rig.submit("go");
    let mut heard = String::new();
    while heard != "never ending" {
        if let StreamEvent::TextDelta { text } = rig.front.next().await.unwrap() {
            heard.push_str(&text);
        }
    }
    assert_eq!(rig.provider.open.load(Ordering::SeqCst), 1, "the response is still open");
    rig.front.interrupt(AbortBy::User);
    check_reason(&rig.rest().await, "abort");
}

#[tokio::test]
async fn a_front_end_that_goes_away_stops_the_response() {
    let mut rig = Rig::new(Strict::script("[[reply]]\ntext = 'x'\nhang = true"));
    rig.submit("go");
    while !matches!(rig.front.next().await, Some(StreamEvent::TextDelta { .. })) {}
    let open = std::sync::Arc::clone(&rig.provider.open);
    let history = rig.history().await;
    assert_eq!(open.load(Ordering::SeqCst), 0);
    let Some(Message::Assistant(answer)) = history.last() else { panic!("{history:?}") };
    assert!(answer.incomplete && answer.text == "x");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_stops_calling_ends_after_exactly_the_limit() {
    let script = "[[reply]]\nrepeat = 1000\n[[reply.call]]\nname = 'look'\narguments = {}\n";
    for limit in [1, 2, 7] {
        let limits =
            Limits { max_iterations: limit, interactive: true, scheduler: Scheduler::default() };
        let mut rig = Rig::with(Strict::script(script), Mode::Yolo, limits);
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert_eq!(reason(&events), ExitReason::MaxIterations { limit });
        assert_eq!(rig.provider.count(), limit as usize);
        assert_eq!(rig.runs.lock().unwrap().len(), limit as usize);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_or_panics_does_not_disturb_its_siblings() {
    let mut rig = Rig::new(Strict::script(
        "[[reply]]
        [[reply.call]]
        name = 'look'
        arguments = { panic = true }
        [[reply.call]]
        name = 'look'
        arguments = { ms = 50, say = 'fine' }
        [[reply.call]]
        name = 'no_such_tool'
        arguments = {}
        [[reply.call]]
        name = 'look'
        raw_arguments = '{\"ms\":'
        [[reply]]
        text = 'done'",
    ));
    let events = rig.turn("go").await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let statuses: Vec<_> = statuses(&rig.history().await);
    let expected = [ToolStatus::Error, ToolStatus::Ok, ToolStatus::Refused, ToolStatus::Refused];
    assert_eq!(statuses, expected);
}

#[tokio::test(start_paused = true)]
async fn calls_decide_whether_tools_run_and_a_cut_response_runs_none() {
    let call = "[[reply.call]]\nname = 'look'\narguments = { say = 'ran' }\n";
    for (finish, ran) in [("stop", 1), ("tool_calls", 1), ("odd_word", 1), ("length", 0)] {
        let script = format!("[[reply]]\nfinish = '{finish}'\n{call}[[reply]]\ntext = 'done'");
        let mut rig = Rig::new(Strict::script(&script));
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert_eq!(reason(&events), ExitReason::EndTurn, "{finish}");
        assert_eq!(rig.runs.lock().unwrap().len(), ran, "{finish}");
        let statuses = statuses(&rig.history().await);
        assert_eq!(statuses, [if ran == 1 { ToolStatus::Ok } else { ToolStatus::Refused }]);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_understood_and_refused_never_end_the_turn() {
    let script = "[[reply]]\nrepeat = 5\n[[reply.call]]\nname = 'look'\n\
                  arguments = { refuse = true }\n[[reply]]\ntext = 'done'";
    let mut rig = Rig::new(Strict::script(script));
    let events = rig.turn("go").await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(statuses(&rig.history().await), [ToolStatus::Refused; 5]);
}

#[tokio::test(start_paused = true)]
async fn the_user_decides_and_the_model_is_told() {
    let script = "
        [[reply]]
        repeat = 2
        [[reply.call]]
        name = 'change'
        arguments = { say = 'ran' }
        [[reply]]
        text = 'done'";
    let deny = |message: &str| Decision::Deny { message: message.into() };
    let cases = [
        (vec![Decision::AllowOnce, Decision::AllowOnce], vec!["ran", "ran"]),
        (vec![Decision::AllowSession], vec!["ran", "ran"]),
        (vec![deny("use b.rs"), deny("")], vec!["says: use b.rs", "did not allow"]),
    ];
    for (decisions, expected) in cases {
        let limits =
            Limits { max_iterations: 20, interactive: true, scheduler: Scheduler::default() };
        let mut rig = Rig::with(Strict::script(script), Mode::Ask, limits);
        rig.submit("go");
        let (mut decisions, mut events) = (decisions.into_iter(), Vec::new());
        loop {
            let event = rig.front.next().await.unwrap();
            events.push(event.clone());
            match event {
                StreamEvent::QuestionAsked { question } => {
                    let decision = decisions.next().expect("asked too often");
                    rig.front.send(Op::Decide { call_id: question.call_id, decision }).unwrap();
                }
                StreamEvent::TurnEnded { .. } => break,
                _ => {}
            }
        }
        check_grammar(&events);
        assert_eq!(decisions.next(), None, "asked too seldom");
        check_reason(&events, "end_turn");
        let history = rig.history().await;
        for (result, words) in results(&history).iter().zip(&expected) {
            assert!(result.contains(words), "{result}");
        }
        assert_eq!(results(&history).len(), expected.len());
    }
}

/// Everything a turn can be in the middle of: waiting, thinking, talking, asking, reading,
/// writing, and a call that hears nothing.
const EVERYTHING: &str = "
pace_ms = 7
[[reply]]
delay_ms = 20
reasoning = 'think think think'
text = 'words words words'
[[reply.call]]
name = 'look'
arguments = { ms = 40, say = 'A' }
[[reply.call]]
name = 'look'
arguments = { ms = 25, deaf = true, say = 'B' }
[[reply.call]]
name = 'change'
arguments = { ms = 30, say = 'C' }
[[reply.call]]
name = 'nope'
arguments = {}
[[reply]]
text = 'the end of it'
";

/// Runs everything, answers questions after 15 ms, aborts after so many ms.
async fn abort_after(ms: u64, twice: bool, mode: Mode) {
    let limits = Limits { max_iterations: 20, interactive: true, scheduler: Scheduler::default() };
    let mut rig = Rig::with(Strict::script(EVERYTHING), mode, limits);
    rig.submit("go");
    let deadline = tokio::time::sleep(Duration::from_millis(ms));
    tokio::pin!(deadline);
    let (mut events, mut aborted) = (Vec::new(), false);
    loop {
        let event = tokio::select! {
            () = &mut deadline, if !aborted => {
                aborted = true;
                rig.front.interrupt(AbortBy::User);
                if twice {
                    rig.front.interrupt(AbortBy::User);
                }
                continue;
            }
            event = rig.front.next() => event.unwrap(),
        };
        events.push(event.clone());
        match event {
            StreamEvent::QuestionAsked { question } => {
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(15)) => {}
                    () = &mut deadline, if !aborted => {
                        aborted = true;
                        rig.front.interrupt(AbortBy::User);
                    }
                }
                let decide =
                    Op::Decide { call_id: question.call_id, decision: Decision::AllowOnce };
                rig.front.send(decide).unwrap();
            }
            StreamEvent::TurnEnded { .. } => break,
            _ => {}
        }
    }
    check_grammar(&events);
    let word = reason(&events).word();
    assert_eq!(word, if aborted { "abort" } else { "end_turn" }, "after {ms} ms");
    assert_eq!(rig.provider.open.load(Ordering::SeqCst), 0, "the response is closed");
    check_can_go_on(rig).await;
}

#[tokio::test(start_paused = true)]
async fn an_abort_at_any_millisecond_leaves_a_history_that_a_strict_server_takes() {
    for ms in 0..400 {
        abort_after(ms, ms % 3 == 0, if ms % 2 == 0 { Mode::Ask } else { Mode::Yolo }).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn an_abort_at_any_step_of_the_engine_leaves_a_history_that_can_be_sent(
        steps in 0_usize..400, twice: bool,
    ) {
        // Time does not separate all await points; steps of the scheduler do.
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let mut rig = Rig::new(Strict::script(EVERYTHING));
            rig.submit("go");
            for _ in 0..steps {
                tokio::task::yield_now().await;
                if steps % 2 == 0 {
                    tokio::time::advance(Duration::from_millis(1)).await;
                }
            }
            rig.front.interrupt(AbortBy::User);
            if twice {
                rig.front.interrupt(AbortBy::User);
            }
            let events = rig.rest().await;
            check_grammar(&events);
            check_can_go_on(rig).await;
        });
    }
}

/// The next prompt gets an answer or an abort: above all, the strict provider takes the history.
async fn check_can_go_on(mut rig: Rig) {
    let before = rig.provider.count();
    rig.submit("next");
    while rig.provider.count() == before {
        tokio::task::yield_now().await;
    }
    rig.front.interrupt(AbortBy::User);
    let end = reason(&rig.rest().await);
    // A refusal is a panic of the strict provider, and so an error of the kind `internal`.
    assert!(!matches!(end, ExitReason::Error { kind: ErrorKind::Internal, .. }), "{end:?}");
    let provider = std::sync::Arc::clone(&rig.provider);
    assert_eq!(history::problems(&rig.history().await), Vec::<String>::new());
    let requests = provider.requests.lock().unwrap();
    let last = requests.last().expect("a request was made");
    assert_eq!(history::problems(last), Vec::<String>::new());
}

fn statuses(history: &[Message]) -> Vec<ToolStatus> {
    let status = |message: &Message| match message {
        Message::Tool(result) => Some(result.status),
        _ => None,
    };
    history.iter().filter_map(status).collect()
}

#[track_caller]
fn check_reason(events: &[StreamEvent], word: &str) {
    assert_eq!(reason(events).word(), word, "{:?}", reason(events));
}
