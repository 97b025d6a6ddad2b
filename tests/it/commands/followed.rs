//! Commands in the background as the engine tells of them: to the front end while they run, also
//! between turns, and to the model when they have ended.

use mcc_tui::protocol::{
    background::{BackgroundCommand, BackgroundState},
    event::StreamEvent,
    exit::{AbortBy, ExitReason},
    message::Message,
    op::Op,
    tool::ToolStatus,
};
use serde_json::{Value, json};

use super::{
    probe::{BOUND, Probe},
    program::{Turns, command},
};
use crate::support::rig::{Rig, reason};

/// The next thing that is told of a command, or of one that ended, in a notice.
async fn next(rig: &mut Rig) -> StreamEvent {
    let next = async {
        loop {
            let event = rig.front.next().await.unwrap();
            let is_it = |event: &StreamEvent| {
                matches!(event, StreamEvent::BackgroundChanged { .. } | StreamEvent::Notice { .. })
            };
            if is_it(&event) {
                return event;
            }
        }
    };
    tokio::time::timeout(BOUND, next).await.expect("nothing was told")
}

fn changed(event: StreamEvent) -> BackgroundCommand {
    let StreamEvent::BackgroundChanged { background } = event else { panic!("{event:?}") };
    background
}

fn changes(events: &[StreamEvent]) -> Vec<&BackgroundCommand> {
    let changes = events.iter().filter_map(|event| match event {
        StreamEvent::BackgroundChanged { background } => Some(background),
        _ => None,
    });
    changes.collect()
}

/// What the model was told: by the user, and as results.
async fn told(rig: Rig) -> Vec<String> {
    let history = rig.history().await;
    let text = |message: &Message| match message {
        Message::User { text } => Some(text.clone()),
        Message::Tool(result) => Some(result.text.clone()),
        _ => None,
    };
    history.iter().filter_map(text).collect()
}

#[tokio::test]
async fn what_ends_by_itself_between_turns_is_told_to_the_user_then_and_to_the_model_once() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    let waits = probe.prefixed("until [ -e go ]; do sleep .05; done; echo bye; exit 3");
    let mut rig = Rig::real(Turns::of([&[command(&waits, true)], &[]]), folder.path());
    let events = rig.turn("start").await;
    let [running] = changes(&events)[..] else { panic!("{events:?}") };
    assert_eq!((running.id.as_str(), &running.state), ("b1", &BackgroundState::Running));
    assert_eq!(running.command, waits);
    std::fs::write(folder.path().join("go"), "").unwrap();
    let mut ended = changed(next(&mut rig).await);
    while ended.is_running() {
        assert_eq!(ended.last_line, "bye", "only a new line is news");
        ended = changed(next(&mut rig).await);
    }
    let (status, how, by_itself) = (ToolStatus::Error, "exit 3".to_owned(), true);
    assert_eq!(ended.state, BackgroundState::Ended { status, how, by_itself });
    assert_eq!(ended.last_line, "bye");
    let StreamEvent::Notice { text } = next(&mut rig).await else { panic!() };
    assert!(text.starts_with("The background command b1 ("), "{text}");
    assert!(text.contains("ended by itself after") && text.ends_with(": exit 3."), "{text}");
    let events = rig.turn("and now?").await;
    assert!(changes(&events).is_empty(), "its end is told once: {events:?}");
    let told = told(rig).await;
    let [first, _, second] = &told[..] else { panic!("{told:?}") };
    assert_eq!(first, "start");
    assert!(second.starts_with("(Note from mcc-tui: The background command b1 ("), "{second}");
    assert!(second.contains(": exit 3. Its last line: \"bye\".)\n\nand now?"), "{second}");
    probe.assert_nothing_is_left();
}

#[tokio::test]
async fn the_model_is_told_with_the_next_request_of_the_same_turn_and_not_of_what_it_saw() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    let look = json!({ "name": "shell_output", "arguments": { "id": "b2", "wait_s": 60 } });
    let calls: [Value; 4] = [
        command(&probe.prefixed("until [ -e go ]; do sleep .05; done; exit 4"), true),
        command("touch go; until [ -e on ]; do sleep .05; done", false),
        command(&probe.prefixed("sleep .6; exit 5"), true),
        look,
    ];
    let mut rig = Rig::real(Turns::of([&calls, &[]]), folder.path());
    rig.submit("start");
    while changed(next(&mut rig).await).is_running() {}
    std::fs::write(folder.path().join("on"), "").unwrap();
    let events = rig.rest().await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    rig.turn("and now?").await;
    let told = told(rig).await;
    let [_, _, waited, _, look, again] = &told[..] else { panic!("{told:?}") };
    assert!(waited.contains("\n\n(Note from mcc-tui: The background command b1 ("), "{waited}");
    assert!(waited.ends_with(": exit 4. It printed nothing.)"), "{waited}");
    assert!(look.contains("b2 ended after") && !look.contains("Note from"), "{look}");
    assert_eq!(again, "and now?", "each is told once");
    probe.assert_nothing_is_left();
}

#[tokio::test]
async fn the_user_ends_one_between_turns_and_the_model_hears_of_it() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    let stays = probe.prefixed("trap '' TERM; echo up; sleep 300; sleep 300");
    let calls = [command(&stays, true), command(&probe.prefixed("sleep 300"), true)];
    let mut rig = Rig::real(Turns::of([&calls, &[]]), folder.path());
    rig.turn("start").await;
    for id in ["b1", "b7"] {
        rig.front.send(Op::EndBackground { id: id.into() }).unwrap();
    }
    let mut ended = changed(next(&mut rig).await);
    while ended.is_running() {
        ended = changed(next(&mut rig).await);
    }
    let (status, how) = (ToolStatus::Cancelled, "stopped by the user".to_owned());
    assert_eq!(ended.id, "b1");
    assert_eq!(ended.state, BackgroundState::Ended { status, how, by_itself: false });
    rig.turn("and now?").await;
    let told = told(rig).await;
    let last = told.last().unwrap();
    assert!(last.contains("b1 (") && last.contains("stopped by the user"), "{last}");
    assert!(!last.contains("b2 ("), "the other one runs on: {last}");
    probe.until_nothing_is_left().await;
}

#[tokio::test]
async fn the_user_ends_one_while_a_turn_runs_and_without_patience_when_asked_again() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    let stays = probe.prefixed("trap '' TERM; echo up; sleep 300; sleep 300");
    let calls = [command(&stays, true), command("until [ -e go ]; do sleep .05; done", false)];
    let mut rig = Rig::real(Turns::of([&calls, &[]]), folder.path());
    rig.submit("start");
    assert!(changed(next(&mut rig).await).is_running());
    for _ in 0..2 {
        rig.front.send(Op::EndBackground { id: "b1".into() }).unwrap();
    }
    while changed(next(&mut rig).await).is_running() {}
    probe.assert_nothing_is_left();
    std::fs::write(folder.path().join("go"), "").unwrap();
    let events = rig.rest().await;
    assert_eq!(reason(&events), ExitReason::EndTurn, "the turn goes on");
}

#[tokio::test]
async fn an_abort_tells_the_end_of_each_before_the_end_of_the_turn() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    let calls =
        [command(&probe.prefixed("sleep 300"), true), command("echo ready; sleep 300", false)];
    let mut rig = Rig::real(Turns::of([&calls, &[]]), folder.path());
    rig.submit("start");
    let mut events = Vec::new();
    while let Some(event) = rig.front.next().await {
        if matches!(&event, StreamEvent::ToolOutput { text, .. } if text.contains("ready")) {
            rig.front.interrupt(AbortBy::User);
        }
        let over = matches!(event, StreamEvent::TurnEnded { .. });
        events.push(event);
        if over {
            break;
        }
    }
    let states: Vec<_> = changes(&events).iter().map(|one| one.is_running()).collect();
    assert_eq!(states, [true, false], "{events:?}");
    probe.assert_nothing_is_left();
}
