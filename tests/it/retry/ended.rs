//! What ends the wait for a retry: a word of the user, a front end that is gone, an abort.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_word_of_the_user_ends_the_wait_that_it_was_meant_for_and_no_other() {
    let slow = "[past_end]\ndelay_ms = 50\nerror = { kind = 'server', message = 'busy' }";
    let mut rig = Rig::new(sequence(&[slow, slow, ANSWERS]));
    let began = Instant::now();
    rig.submit("go");
    let mut events = Vec::new();
    loop {
        let event = rig.front.next().await.unwrap();
        match event {
            // At the first of these nothing waits yet: that word must be lost.
            StreamEvent::IterationStarted { .. } | StreamEvent::Retrying { attempt: 2, .. } => {
                rig.front.send(Op::RetryNow).unwrap();
            }
            StreamEvent::TurnEnded { .. } => break,
            _ => {}
        }
        events.push(event);
    }
    // two failures, the first wait in full, the second not at all
    assert_eq!(began.elapsed(), Duration::from_millis(50 + 250 + 50));
    assert_eq!(retries(&events).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_front_end_that_goes_away_ends_the_wait() {
    let mut rig = Rig::new(sequence(&[FAILS]));
    rig.submit("go");
    while !matches!(rig.front.next().await, Some(StreamEvent::Retrying { attempt: 5, .. })) {}
    let began = Instant::now();
    rig.history().await;
    assert_eq!(began.elapsed(), Duration::ZERO);
}

/// Everything that can fail, with pieces that take time, so that an abort can fall in between.
fn everything() -> Arc<Strict> {
    sequence(&[
        "[past_end]\ndelay_ms = 10\nerror = { kind = 'rate_limit', message = 'slow down' }",
        "pace_ms = 9\n[past_end]\nreasoning = 'thinking'\ntext = 'half of it'\nbreak_after = 4",
        FAILS,
        CALLS,
        BREAKS_IN_CALLS,
        "pace_ms = 5\n[past_end]\ntext = 'the end of it'",
    ])
}

/// The engine is still able to work: it takes the next prompt to its end.
async fn check_can_go_on(mut rig: Rig) {
    let events = rig.turn("next").await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(rig.provider.open.load(Ordering::SeqCst), 0, "all responses are closed");
    assert_eq!(history::problems(&rig.history().await), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_abort_at_any_time_ends_a_failing_turn_at_once() {
    let mut whole = Rig::new(everything());
    let began = Instant::now();
    let events = whole.turn("go").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(retries(&events).iter().map(|retry| retry.0).collect::<Vec<_>>(), [1, 2, 3, 1]);
    let length = began.elapsed();
    // 250 + 500 + 1000 and 250 are waits
    assert!(length > Duration::from_secs(2), "{length:?}");
    for ms in (0..length.as_millis() as u64).step_by(7) {
        let mut rig = Rig::new(everything());
        let began = Instant::now();
        rig.submit("go");
        tokio::time::sleep(Duration::from_millis(ms)).await;
        rig.front.interrupt(AbortBy::User);
        let events = rig.rest().await;
        assert_eq!(began.elapsed(), Duration::from_millis(ms), "it ends when it is aborted");
        check_grammar(&events);
        assert_eq!(reason(&events).word(), "abort", "after {ms} ms");
        check_can_go_on(rig).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn an_abort_at_any_step_of_a_failing_turn_leaves_a_history_that_can_be_sent(
        steps in 0_usize..400, twice: bool, hurried: bool,
    ) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let mut rig = Rig::new(everything());
            rig.submit("go");
            for _ in 0..steps {
                tokio::task::yield_now().await;
                if hurried {
                    rig.front.send(Op::RetryNow).ok();
                }
                if steps % 2 == 0 {
                    tokio::time::advance(Duration::from_millis(5)).await;
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
