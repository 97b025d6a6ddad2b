//! Calls that run while their response still streams: what is told of them, and when; that each can
//! be stopped alone; that they count for nothing before the response has ended.

use std::sync::Arc;

use mcc_tui::protocol::{
    event::StreamEvent,
    exit::{AbortBy, ExitReason},
    id::CallId,
    op::Op,
    tool::{ToolResult, ToolStatus},
};
use tokio::time::Instant;

use crate::support::rig::{Rig, Strict, check_grammar, reason, results};

/// A piece of arguments comes every 100 ms, 800 characters of them.
const PIECE: usize = 800;

/// A reply with these calls to `look` and then one to `change` whose arguments take so many
/// pieces. The first call is announced at once; its arguments are there after 100 ms, those of the
/// next after 300 ms, and so on.
fn script(looks: &[&str], pieces: usize, more: &str) -> Arc<Strict> {
    let looks: Vec<String> = looks
        .iter()
        .map(|look| format!("[[reply.call]]\nname = 'look'\narguments = {{ {look} }}\n"))
        .collect();
    let looks = looks.concat();
    let frame = r#"{"on":"w","say":""}"#.len();
    let say = "x".repeat(pieces * PIECE - frame);
    Strict::script(&format!(
        "pace_ms = 100\n[[reply]]\npiece = {}\n{more}\n{looks}[[reply.call]]\nname = 'change'\n\
         arguments = {{ on = 'w', say = '{say}' }}\n[[reply]]\ntext = 'done'",
        PIECE / 8
    ))
}

/// The events of a turn, each with the milliseconds since its beginning. `also` is called with each.
async fn timed(rig: &mut Rig, mut also: impl FnMut(&Rig, &StreamEvent)) -> Vec<(u64, StreamEvent)> {
    let began = Instant::now();
    rig.submit("go");
    let mut events = Vec::new();
    loop {
        let event = rig.front.next().await.expect("the engine ended in the middle of a turn");
        also(rig, &event);
        let over = matches!(event, StreamEvent::TurnEnded { .. });
        events.push((u64::try_from(began.elapsed().as_millis()).unwrap(), event));
        if over {
            return events;
        }
    }
}

fn without_times(events: &[(u64, StreamEvent)]) -> Vec<StreamEvent> {
    events.iter().map(|(_, event)| event.clone()).collect()
}

/// What was told of the calls, short: when, of which place, and what.
fn told(events: &[(u64, StreamEvent)]) -> Vec<String> {
    let mut ids: Vec<CallId> = Vec::new();
    let mut place = |id: &CallId| {
        ids.iter().position(|known| known == id).unwrap_or_else(|| {
            ids.push(id.clone());
            ids.len() - 1
        })
    };
    let words = events.iter().filter_map(|(ms, event)| {
        let words = match event {
            StreamEvent::EarlyCallChanged { index, call, result: None, .. } => {
                assert_eq!(place(&call.id), *index);
                format!("{index} early")
            }
            StreamEvent::EarlyCallChanged { index, result: Some(result), elapsed_ms, .. } => {
                format!("{index} early {} after {elapsed_ms}", result.status.word())
            }
            StreamEvent::ToolOutput { call_id, .. } => format!("{} prints", place(call_id)),
            StreamEvent::BatchesPlanned { calls, .. } => {
                let places: Vec<_> = calls.iter().map(|call| place(&call.id)).collect();
                format!("planned {places:?}")
            }
            StreamEvent::ToolStarted { call_id } => format!("{} starts", place(call_id)),
            StreamEvent::ToolFinished { result, elapsed_ms } => {
                let place = place(&result.call_id);
                format!("{place} {} after {elapsed_ms}", result.status.word())
            }
            _ => return None,
        };
        Some(format!("{ms}: {words}"))
    });
    words.collect()
}

fn early_end(event: &StreamEvent) -> Option<&ToolResult> {
    match event {
        StreamEvent::EarlyCallChanged { result, .. } => result.as_deref(),
        _ => None,
    }
}

fn early_start(event: &StreamEvent) -> Option<(usize, &CallId)> {
    match event {
        StreamEvent::EarlyCallChanged { index, call, result: None, .. } => Some((*index, &call.id)),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn what_begins_early_is_told_when_it_begins_prints_and_ends() {
    // The arguments of the write come from 500 to 800 ms.
    let looks = ["ms = 500, on = 'x', say = 'A'", "ms = 1000, on = 'z', say = 'B'"];
    let mut rig = Rig::new(script(&looks, 4, ""));
    let events = timed(&mut rig, |_, _| {}).await;
    check_grammar(&without_times(&events));
    let mut told = told(&events);
    // Which of three calls that begin together is told first is nobody's business.
    told.iter_mut().filter(|words| words.starts_with("800: ")).for_each(|words| {
        *words = words.replace(" prints", " starts");
    });
    told[6..].sort();
    told.dedup();
    let expected = [
        "100: 0 early",
        "100: 0 prints",
        "300: 1 early",
        "300: 1 prints",
        "600: 0 early ok after 500",
        "800: planned [0, 1, 2]",
        "1300: 1 ok after 1000",
        "800: 0 ok after 500",
        "800: 0 starts",
        "800: 1 starts",
        "800: 2 ok after 0",
        "800: 2 starts",
    ];
    assert_eq!(told, expected);
    assert_eq!(events.last().unwrap().0, 1_300, "the longest of them, from its early start");
    let shown: Vec<_> = events.iter().filter_map(|(_, event)| early_end(event)).collect();
    assert_eq!(shown.len(), 1);
    assert_eq!((shown[0].text.as_str(), shown[0].status), ("A", ToolStatus::Ok));
    let history = rig.history().await;
    assert_eq!(results(&history)[..2], ["A", "B"]);
}

#[tokio::test(start_paused = true)]
async fn one_that_began_early_is_stopped_alone_and_the_others_go_on() {
    let looks = ["ms = 60000, on = 'x', say = 'A'", "ms = 400, on = 'z', say = 'B'"];
    let mut rig = Rig::new(script(&looks, 4, ""));
    let events = timed(&mut rig, |rig, event| {
        if let Some((1, _)) = early_start(event) {
            let call_id = CallId("call_2_0".into());
            rig.front.send(Op::StopCall { call_id }).unwrap();
        }
    });
    let events = events.await;
    check_grammar(&without_times(&events));
    let first = events.iter().find_map(|(_, event)| early_start(event)).unwrap();
    assert_eq!(first, (0, &CallId("call_2_0".into())), "the server's own id");
    let ends: Vec<_> = told(&events).into_iter().filter(|words| words.contains("after")).collect();
    assert_eq!(ends[..2], ["300: 0 early cancelled after 200", "700: 1 early ok after 400"]);
    assert_eq!(events.last().unwrap().0, 800);
    assert_eq!(reason(&without_times(&events)), ExitReason::EndTurn);
    let history = rig.history().await;
    let results = results(&history);
    assert_eq!(results[0].matches("stopped by the user").count(), 1, "{results:?}");
    assert_eq!(results[1], "B");
}

#[tokio::test(start_paused = true)]
async fn one_that_does_not_hear_the_stop_is_given_up_though_pieces_come_all_the_time() {
    // The answer streams for more than four seconds.
    let mut rig = Rig::new(script(&["ms = 60000, deaf = true"], 40, ""));
    let events = timed(&mut rig, |rig, event| {
        if let Some((_, id)) = early_start(event) {
            rig.front.send(Op::StopCall { call_id: id.clone() }).unwrap();
        }
    });
    let events = events.await;
    check_grammar(&without_times(&events));
    let (at, result) = events.iter().find_map(|(ms, event)| Some((ms, early_end(event)?))).unwrap();
    assert_eq!((*at, result.status), (100 + 2_500, ToolStatus::Cancelled), "after its grace");
    assert_eq!(reason(&without_times(&events)), ExitReason::EndTurn);
}

#[tokio::test(start_paused = true)]
async fn of_a_response_that_breaks_off_nothing_is_kept_and_no_id_comes_again() {
    let looks = ["ms = 200, on = 'x', say = 'A'", "ms = 60000, on = 'z', say = 'B'"];
    let mut rig = Rig::new(script(&looks, 4, "break_after = 6"));
    let events = without_times(&timed(&mut rig, |_, _| {}).await);
    check_grammar(&events);
    let tries = 1 + events.iter().filter(|it| matches!(it, StreamEvent::Retrying { .. })).count();
    assert!(tries > 1, "{events:?}");
    let mut ids: Vec<_> = events.iter().filter_map(early_start).map(|(_, id)| id).collect();
    assert_eq!(ids.len(), 2 * tries);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 2 * tries, "each has its own id");
    assert_eq!(events.iter().filter_map(early_end).count(), tries, "of the short one each time");
    let is_final = |event: &&StreamEvent| {
        matches!(event, StreamEvent::ToolStarted { .. } | StreamEvent::ToolFinished { .. })
    };
    assert_eq!(events.iter().find(is_final), None);
    assert_eq!(results(&rig.history().await), Vec::<&str>::new());
}

#[tokio::test(start_paused = true)]
async fn an_abort_stops_what_began_early_and_tells_no_result() {
    let mut rig = Rig::new(script(&["ms = 60000, on = 'x'"], 4, ""));
    let events = timed(&mut rig, |rig, event| {
        if early_start(event).is_some() {
            rig.front.interrupt(AbortBy::User);
        }
    });
    let events = events.await;
    check_grammar(&without_times(&events));
    assert_eq!(events.last().unwrap().0, 100);
    assert_eq!(reason(&without_times(&events)).word(), "abort");
    assert_eq!(events.iter().filter_map(|(_, event)| early_end(event)).count(), 0);
    assert_eq!(results(&rig.history().await), Vec::<&str>::new());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_goes_on_after_its_end_is_another_call() {
    // Closed after 40 characters, a whole piece; then more of it comes.
    let closed = format!(r#"{{"on":"x","say":"{}"}}"#, "A".repeat(21));
    assert_eq!(closed.len(), 40);
    let mut rig = Rig::new(Strict::script(&format!(
        "pace_ms = 100\n[[reply]]\npiece = 5\n[[reply.call]]\nname = 'look'\n\
         raw_arguments = '{closed}{{}}'\n[[reply]]\ntext = 'done'"
    )));
    let events = without_times(&timed(&mut rig, |_, _| {}).await);
    check_grammar(&events);
    let began: Vec<_> = events.iter().filter_map(early_start).collect();
    let planned = events.iter().find_map(|event| match event {
        StreamEvent::BatchesPlanned { calls, .. } => Some(calls.clone()),
        _ => None,
    });
    let planned = planned.unwrap();
    assert_eq!((began.len(), planned.len()), (1, 1));
    assert_ne!(*began[0].1, planned[0].id);
    let refused = events.iter().find_map(|event| match event {
        StreamEvent::ToolFinished { result, .. } => Some(result.status),
        _ => None,
    });
    assert_eq!(refused, Some(ToolStatus::Refused), "nobody knows what was meant");
}
