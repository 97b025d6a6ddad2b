//! What the user does beside the model: tells a running turn something, and runs commands.

use mcc_tui::protocol::{
    event::StreamEvent,
    exit::{AbortBy, AbortDuring, ExitReason},
    message::Message,
    op::Op,
    tool::ToolStatus,
};

use crate::support::rig::{Rig, Strict, check_grammar, reason};

const LOOK: &str = "[[reply]]\n[[reply.call]]\nname = 'look'\narguments = { ms = 200 }\n\
                    [[reply]]\ntext = 'done'\n";

fn steer(text: &str) -> Op {
    Op::Steer { text: text.into() }
}

fn run(command: &str) -> Op {
    Op::RunCommand { command: command.into() }
}

/// What the user says in these messages.
fn said(messages: &[Message]) -> Vec<&str> {
    let text = |message: &'_ Message| matches!(message, Message::User { .. });
    let users = messages.iter().filter(|message| text(message));
    users
        .map(|message| match message {
            Message::User { text } => text.as_str(),
            _ => "",
        })
        .collect()
}

async fn until(rig: &mut Rig, is_it: impl Fn(&StreamEvent) -> bool) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    loop {
        let event = rig.front.next().await.expect("the engine ended");
        let found = is_it(&event);
        events.push(event);
        if found {
            return events;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_steered_stands_behind_the_results_in_the_next_request() {
    let mut rig = Rig::new(Strict::script(LOOK));
    rig.submit("go");
    let started = |event: &StreamEvent| matches!(event, StreamEvent::ToolStarted { .. });
    let mut events = until(&mut rig, started).await;
    rig.front.send(steer("one")).unwrap();
    rig.front.send(steer("two")).unwrap();
    events.extend(rig.rest().await);
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let heard: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::Steered { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(heard, ["one", "two"]);
    let requests = rig.provider.requests.lock().unwrap().clone();
    assert_eq!(requests.len(), 3, "the script begins anew behind what the user says");
    assert_eq!(said(&requests[0]), ["go"]);
    assert_eq!(said(&requests[1]), ["go", "one", "two"]);
    let last = requests[1].len() - 3;
    assert!(matches!(requests[1][last], Message::Tool(_)), "{:?}", requests[1]);
}

#[tokio::test(start_paused = true)]
async fn what_comes_too_late_is_not_told_to_have_been_heard() {
    let mut rig = Rig::new(Strict::script("[[reply]]\ntext = 'a b c'\nhang = true"));
    rig.submit("go");
    let text = |event: &StreamEvent| matches!(event, StreamEvent::TextDelta { .. });
    until(&mut rig, text).await;
    rig.front.send(steer("late")).unwrap();
    tokio::task::yield_now().await;
    rig.front.interrupt(AbortBy::User);
    let events = rig.rest().await;
    assert!(!events.iter().any(|event| matches!(event, StreamEvent::Steered { .. })));
    rig.front.send(steer("without a turn")).unwrap();
    let history = rig.history().await;
    assert_eq!(said(&history), ["go"]);
}

#[tokio::test]
async fn a_command_is_a_turn_without_a_request_and_is_told_with_the_next_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let mut rig = Rig::real(Strict::script("[[reply]]\ntext = 'ok'"), folder.path());
    rig.front.send(run("echo one; pwd; exit 3")).unwrap();
    let events = rig.rest().await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let StreamEvent::TurnStarted { prompt, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(prompt, "!echo one; pwd; exit 3");
    let asked = |event: &StreamEvent| matches!(event, StreamEvent::QuestionAsked { .. });
    assert!(!events.iter().any(asked), "nobody is asked");
    assert_eq!(rig.provider.count(), 0);
    rig.turn("and?").await;
    let requests = rig.provider.requests.lock().unwrap().clone();
    let said = said(&requests[0]);
    assert_eq!(said.len(), 1);
    let place = folder.path().canonicalize().unwrap();
    let output = format!("$ echo one; pwd; exit 3\none\n{}\nexit 3\n\nand?", place.display());
    assert!(said[0].starts_with("(The user ran") && said[0].ends_with(&output), "{said:?}");
}

#[tokio::test]
async fn an_interrupt_stops_a_command_and_what_it_printed_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut rig = Rig::real(Strict::script("[[reply]]\ntext = 'ok'"), folder.path());
    rig.front.send(run("echo begun; sleep 600")).unwrap();
    let printed = |event: &StreamEvent| matches!(event, StreamEvent::ToolOutput { .. });
    let mut events = until(&mut rig, printed).await;
    rig.front.interrupt(AbortBy::User);
    events.extend(rig.rest().await);
    check_grammar(&events);
    let expected = ExitReason::Abort { by: AbortBy::User, during: AbortDuring::Tools };
    assert_eq!(reason(&events), expected);
    let status = events.iter().find_map(|event| match event {
        StreamEvent::ToolFinished { result, .. } => Some(result.status),
        _ => None,
    });
    assert_eq!(status, Some(ToolStatus::Cancelled));
    rig.turn("and?").await;
    let requests = rig.provider.requests.lock().unwrap().clone();
    assert!(said(&requests[0])[0].contains("\nbegun\nstopped by the user"), "{requests:?}");
}

#[tokio::test]
async fn a_command_that_cannot_be_run_is_told_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut rig = Rig::real(Strict::script("[[reply]]\ntext = 'ok'"), folder.path());
    rig.front.send(run("a\0b")).unwrap();
    let events = rig.rest().await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
}

#[tokio::test(start_paused = true)]
async fn a_new_session_knows_nothing_of_the_one_before() {
    let mut rig = Rig::new(Strict::script("[[reply]]\ntext = 'done'"));
    rig.turn("the first").await;
    rig.front.send(Op::NewSession).unwrap();
    let notice = |event: &StreamEvent| matches!(event, StreamEvent::Notice { .. });
    let events = until(&mut rig, notice).await;
    let context = |event: &StreamEvent| match event {
        StreamEvent::UsageUpdated { context, .. } => Some(*context),
        _ => None,
    };
    assert_eq!(events.iter().find_map(context), Some(0));
    rig.turn("the second").await;
    let requests = rig.provider.requests.lock().unwrap().clone();
    assert_eq!(said(&requests[1]), ["the second"]);
    assert_eq!(requests[0][0], requests[1][0], "the instructions stay");
    assert_eq!(requests[1].len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_new_session_waits_for_the_end_of_the_turn() {
    let mut rig = Rig::new(Strict::script(LOOK));
    rig.submit("go");
    let started = |event: &StreamEvent| matches!(event, StreamEvent::ToolStarted { .. });
    until(&mut rig, started).await;
    rig.front.send(Op::NewSession).unwrap();
    let events = rig.rest().await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(said(&rig.history().await), Vec::<&str>::new());
}
