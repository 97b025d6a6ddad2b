//! Order, bounds and the interrupt of the link.

use futures_util::FutureExt;

use super::*;

fn text(piece: &str) -> StreamEvent {
    StreamEvent::TextDelta { text: piece.to_owned() }
}

fn notice(words: &str) -> StreamEvent {
    StreamEvent::Notice { text: words.to_owned() }
}

fn submit(words: &str) -> Op {
    Op::Submit { text: words.to_owned() }
}

#[tokio::test]
async fn pieces_of_a_text_merge_while_they_wait_and_never_pass_another_event() {
    let (mut front, agent) = link();
    let events = agent.events();
    for event in [text("a"), text("b"), notice("n"), text("c"), text("d")] {
        events.send(event).await.unwrap();
    }
    assert_eq!(front.next().await, Some(text("ab")));
    assert_eq!(front.next().await, Some(notice("n")));
    assert_eq!(front.next().await, Some(text("cd")));
    drop(agent);
    drop(events);
    assert_eq!(front.next().await, None);
}

#[tokio::test]
async fn a_front_end_that_does_not_read_makes_the_sender_wait_and_loses_nothing() {
    let (mut front, agent) = link();
    let events = agent.events();
    let sender = tokio::spawn(async move {
        for n in 0..1000 {
            events.send(notice(&n.to_string())).await.unwrap();
            events.send(text(&"x".repeat(4096))).await.unwrap();
        }
        drop(agent);
    });
    // On one thread: each yield lets the sender run until it has to wait.
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    assert!(!sender.is_finished(), "4 MB must not fit");
    let (mut notices, mut bytes) = (0, 0);
    while let Some(event) = front.next().await {
        match event {
            StreamEvent::Notice { text } => {
                assert_eq!(text, notices.to_string());
                notices += 1;
            }
            StreamEvent::TextDelta { text } => bytes += text.len(),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((notices, bytes), (1000, 4096 * 1000));
}

#[tokio::test]
async fn so_little_text_waits_that_a_stopped_turn_ends_soon() {
    let (mut front, agent) = link();
    let events = agent.events();
    while events.send(text(&"x".repeat(100))).now_or_never().is_some() {}
    let Some(StreamEvent::TextDelta { text }) = front.next().await else { panic!() };
    assert!((30_000..=32 * 1024).contains(&text.len()), "{}", text.len());
}

#[tokio::test]
async fn live_output_that_does_not_fit_is_left_out_and_never_blocks() {
    let (mut front, agent) = link();
    let (events, id) = (agent.events(), CallId("c".to_owned()));
    for _ in 0..10_000 {
        events.live(&id, &"y".repeat(1024));
    }
    let Some(StreamEvent::ToolOutput { text, .. }) = front.next().await else { panic!() };
    assert!(text.len() <= 256 * 1024, "{}", text.len());
}

#[tokio::test]
async fn dropping_the_front_end_is_seen_at_both_doors() {
    let (front, mut agent) = link();
    let events = agent.events();
    front.send(submit("hi")).unwrap();
    drop(front);
    assert_eq!(events.send(notice("x")).await, Err(Gone));
    events.gone().await;
    let (_, interrupt) = agent.next().await.unwrap();
    assert_eq!(interrupt.unwrap().by(), Some(AbortBy::Consumer), "a turn that waits is stopped");
    assert!(agent.next().await.is_none());
}

#[tokio::test]
async fn an_interrupt_reaches_a_turn_that_still_waits_in_the_queue() {
    let (front, mut agent) = link();
    front.send(submit("one")).unwrap();
    front.interrupt(AbortBy::User);
    let (_, interrupt) = agent.next().await.unwrap();
    let interrupt = interrupt.unwrap();
    assert_eq!(interrupt.by(), Some(AbortBy::User));
    assert!(!interrupt.kill_token().is_cancelled());
    front.interrupt(AbortBy::User);
    assert!(interrupt.kill_token().is_cancelled());
    agent.turn_ended(&interrupt);
    front.send(submit("two")).unwrap();
    let (_, next) = agent.next().await.unwrap();
    assert!(!next.unwrap().is_aborted(), "the next turn starts fresh");
}
