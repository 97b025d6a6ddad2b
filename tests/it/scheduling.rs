//! The calls of one response: which begin while it streams, which run once, which can be stopped
//! alone, and in what order the user is asked.

use std::time::Duration;

use mcc_tui::{
    agent::Limits,
    permission::Mode,
    protocol::{
        event::StreamEvent,
        exit::{AbortBy, ExitReason},
        id::CallId,
        op::Op,
        question::Decision,
        scheduler::Scheduler,
        tool::{ToolResult, ToolStatus},
    },
};
use tokio::time::Instant;

use crate::support::rig::{Rig, Strict, check_grammar, reason, results};

/// One reply with these calls, as `(tool, arguments)`, and then one that says that all is done.
fn script(calls: &[(&str, &str)], more: &str) -> std::sync::Arc<Strict> {
    paced_script(0, calls, more)
}

/// The same, with so many milliseconds between two pieces.
fn paced_script(pace_ms: u64, calls: &[(&str, &str)], more: &str) -> std::sync::Arc<Strict> {
    let calls: Vec<String> = calls
        .iter()
        .map(|(tool, arguments)| {
            format!("[[reply.call]]\nname = '{tool}'\narguments = {{ {arguments} }}\n")
        })
        .collect();
    Strict::script(&format!(
        "pace_ms = {pace_ms}\n[[reply]]\n{more}\n{}\n[[reply]]\ntext = 'done'",
        calls.join("")
    ))
}

fn limits(scheduler: Scheduler) -> Limits {
    Limits { max_iterations: 20, interactive: true, scheduler }
}

fn finished(events: &[StreamEvent]) -> Vec<&ToolResult> {
    let results = events.iter().filter_map(|event| match event {
        StreamEvent::ToolFinished { result, .. } => Some(result),
        _ => None,
    });
    results.collect()
}

#[tokio::test(start_paused = true)]
async fn a_read_begins_while_its_response_streams_and_nothing_that_it_must_follow_does() {
    let calls = [
        ("look", "say = 'A', on = 'x'"),
        ("change", "say = 'B', on = 'y'"),
        ("look", "say = 'C', on = 'y'"),
        ("look", "say = 'D', on = 'z'"),
    ];
    let mut rig = Rig::new(script(&calls, "hang = true"));
    rig.submit("go");
    while rig.runs.lock().unwrap().len() < 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let mut runs = rig.runs.lock().unwrap().clone();
    runs.sort();
    assert_eq!(runs, ["A", "D"], "a write does not begin, nor what it conflicts with");
    rig.front.interrupt(AbortBy::User);
    let events = rig.rest().await;
    assert!(finished(&events).is_empty(), "nothing was told of what was provisional");
    assert_eq!(reason(&events).word(), "abort");
    assert_eq!(results(&rig.history().await), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn what_began_early_is_not_run_again_and_holds_up_nothing() {
    let calls = [("look", "say = 'A', ms = 300"), ("look", "say = 'B', ms = 100, on = 'y'")];
    for scheduler in [Scheduler::Effects, Scheduler::Batch] {
        let mut rig = Rig::with(script(&calls, ""), Mode::Yolo, limits(scheduler));
        let began = Instant::now();
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert_eq!(began.elapsed(), Duration::from_millis(300));
        let mut runs = rig.runs.lock().unwrap().clone();
        runs.sort();
        assert_eq!(runs, ["A", "B"]);
        assert_eq!(results(&rig.history().await), ["A", "B"]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_began_early_tells_how_long_it_ran_and_not_how_long_the_response_streamed() {
    let say = "slow ".repeat(100);
    let mut rig = Rig::new(Strict::script(&format!(
        "pace_ms = 50\n[[reply]]\n\
         [[reply.call]]\nname = 'look'\narguments = {{ say = 'A', ms = 20 }}\n\
         [[reply.call]]\nname = 'look'\narguments = {{ say = '{say}', ms = 30 }}\n\
         [[reply]]\ntext = 'done'"
    )));
    let began = Instant::now();
    let events = rig.turn("go").await;
    assert!(began.elapsed() > Duration::from_millis(500), "{:?}", began.elapsed());
    let times = events.iter().filter_map(|event| match event {
        StreamEvent::ToolFinished { elapsed_ms, .. } => Some(*elapsed_ms),
        _ => None,
    });
    assert_eq!(times.collect::<Vec<_>>(), [20, 30]);
}

#[tokio::test(start_paused = true)]
async fn what_ended_early_makes_room_for_the_next_while_the_response_streams() {
    let says: Vec<String> = (0..20).map(|number| format!("say = 'A{number}'")).collect();
    let calls: Vec<(&str, &str)> = says.iter().map(|say| ("look", say.as_str())).collect();
    // Paced, so that each ends before the next is whole.
    let rig = Rig::new(paced_script(20, &calls, "hang = true"));
    rig.submit("go");
    while rig.runs.lock().unwrap().len() < 20 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    rig.front.interrupt(AbortBy::User);
}

#[tokio::test(start_paused = true)]
async fn an_equal_read_runs_once_and_both_get_the_result() {
    let calls = [("look", "say = 'A'"), ("look", "say = 'A'"), ("look", "say = 'B'")];
    let mut rig = Rig::with(script(&calls, ""), Mode::Yolo, limits(Scheduler::Batch));
    let events = rig.turn("go").await;
    check_grammar(&events);
    let mut runs = rig.runs.lock().unwrap().clone();
    runs.sort();
    assert_eq!(runs, ["A", "B"]);
    assert_eq!(results(&rig.history().await), ["A", "A", "B"]);
}

#[tokio::test(start_paused = true)]
async fn calls_run_side_by_side_unless_they_conflict_and_one_by_one_if_that_is_set() {
    let calls = [
        ("look", "say = 'A', ms = 200, on = 'x'"),
        ("change", "say = 'B', ms = 150, on = 'y'"),
        ("change", "say = 'C', ms = 100, on = 'x'"),
    ];
    for (scheduler, ms) in
        [(Scheduler::Effects, 300), (Scheduler::Batch, 450), (Scheduler::Serial, 450)]
    {
        let mut rig = Rig::with(script(&calls, ""), Mode::Yolo, limits(scheduler));
        let began = Instant::now();
        let events = rig.turn("go").await;
        assert_eq!(began.elapsed(), Duration::from_millis(ms), "{scheduler:?}");
        check_grammar(&events);
        assert_eq!(results(&rig.history().await), ["A", "B", "C"]);
    }
}

#[tokio::test(start_paused = true)]
async fn one_call_can_be_stopped_alone() {
    let calls = [("look", "say = 'A', ms = 60000"), ("look", "say = 'B', ms = 100, on = 'y'")];
    let mut rig = Rig::new(script(&calls, ""));
    rig.submit("go");
    let mut events = Vec::new();
    loop {
        let event = rig.front.next().await.unwrap();
        events.push(event.clone());
        if let StreamEvent::ToolStarted { call_id } = event {
            rig.front.send(Op::StopCall { call_id }).unwrap();
            rig.front.send(Op::StopCall { call_id: CallId("nobody".into()) }).unwrap();
            break;
        }
    }
    events.extend(rig.rest().await);
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn, "the turn goes on");
    let history = rig.history().await;
    let [stopped, other] = results(&history).try_into().unwrap();
    assert_eq!(stopped.to_lowercase().matches("stopped by the user").count(), 1, "{stopped}");
    assert_eq!(other, "B");
    let status = finished(&events).iter().map(|result| result.status).collect::<Vec<_>>();
    assert!(status.contains(&ToolStatus::Cancelled) && status.contains(&ToolStatus::Ok));
}

#[tokio::test(start_paused = true)]
async fn questions_come_in_call_order_while_unrelated_calls_run() {
    let calls = [
        ("change", "say = 'A', on = 'x'"),
        ("change", "say = 'B', on = 'y'"),
        ("look", "say = 'C', ms = 100, on = 'z'"),
        ("look", "say = 'D', on = 'y'"),
    ];
    let mut rig = Rig::with(script(&calls, ""), Mode::Ask, limits(Scheduler::Effects));
    rig.submit("go");
    let mut seen = Vec::new();
    let mut events = Vec::new();
    while let Some(event) = rig.front.next().await {
        match &event {
            StreamEvent::QuestionAsked { question } => {
                // Long enough for all that does not wait for an answer.
                tokio::time::sleep(Duration::from_secs(1)).await;
                seen.push("asked".to_owned());
                let decision = match seen.iter().filter(|word| *word == "asked").count() {
                    1 => Decision::Deny { message: String::new() },
                    _ => Decision::AllowOnce,
                };
                rig.front.send(Op::Decide { call_id: question.call_id.clone(), decision }).unwrap();
            }
            StreamEvent::ToolFinished { result, .. } => {
                seen.push(
                    if result.status == ToolStatus::Ok { &result.text } else { "denied" }
                        .to_owned(),
                );
            }
            _ => {}
        }
        let ended = matches!(event, StreamEvent::TurnEnded { .. });
        events.push(event);
        if ended {
            break;
        }
    }
    check_grammar(&events);
    assert_eq!(seen, ["asked", "C", "denied", "asked", "B", "D"]);
}
