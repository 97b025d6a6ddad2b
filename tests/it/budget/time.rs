//! A budget of time: what it ends, and when the clock stands still.

use super::*;

fn seconds(limit: u64) -> Budgets {
    Budgets { time: Some(Duration::from_secs(limit)), ..Budgets::default() }
}

#[tokio::test(start_paused = true)]
async fn time_ends_a_turn_once_the_running_call_is_over_and_recorded() {
    for (ms, end) in [
        (9_999, ExitReason::EndTurn),
        (10_000, spent(Budget::Time { limit_ms: 10_000, used_ms: 10_000 })),
        (12_500, spent(Budget::Time { limit_ms: 10_000, used_ms: 12_500 })),
    ] {
        let call = call("look", &format!("{{\"say\":\"seen\",\"ms\":{ms}}}"));
        let mut rig = rig(vec![vec![call, stop()]], seconds(10));
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert_eq!(reason(&events), end, "{ms}");
        assert!(results(&rig.history().await)[0].starts_with("seen"), "{ms}");
    }
}

#[tokio::test(start_paused = true)]
async fn time_ends_a_response_that_does_not_end() {
    for silent in [true, false] {
        let response = if silent { vec![hangs()] } else { vec![text("half"), hangs()] };
        let mut rig = rig(vec![response], seconds(10));
        let began = Instant::now();
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert_eq!(began.elapsed(), Duration::from_secs(10));
        assert_eq!(reason(&events), spent(Budget::Time { limit_ms: 10_000, used_ms: 10_000 }));
        let history = rig.history().await;
        if silent {
            assert_eq!(history.len(), 1, "the prompt is given back: {history:?}");
        } else {
            let Some(Message::Assistant(answer)) = history.last() else { panic!("{history:?}") };
            assert!(answer.incomplete && answer.text == "half");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn time_ends_the_wait_for_a_retry_that_would_not_be_sent() {
    let mut error = ProviderError::new(ErrorKind::RateLimit, "slow down", "");
    error.retry_after = Some(Duration::from_secs(50));
    let mut rig = rig(vec![vec![(0, Err(error))]], seconds(10));
    let began = Instant::now();
    let events = rig.turn("go").await;
    check_grammar(&events);
    assert_eq!(began.elapsed(), Duration::from_secs(10));
    assert!(matches!(reason(&events), ExitReason::BudgetExceeded { .. }), "{events:?}");
    assert_eq!(rig.provider.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn time_in_which_a_question_is_open_or_nothing_runs_does_not_count() {
    let change = || vec![call("change", r#"{"say":"changed","ms":3000}"#), stop()];
    let provider = Paid { responses: Mutex::new(vec![change(), change()].into()), price: None };
    let limits = Limits { max_iterations: 20, interactive: true, scheduler: Scheduler::default() };
    let mut rig = Rig::within(Strict::over(provider), Mode::Ask, limits, seconds(10));
    rig.submit("go");
    let events = loop {
        match rig.front.next().await.unwrap() {
            StreamEvent::QuestionAsked { question } => {
                sleep(Duration::from_hours(1)).await;
                let decision = Decision::AllowOnce;
                rig.front.send(Op::Decide { call_id: question.call_id, decision }).unwrap();
            }
            event @ StreamEvent::TurnEnded { .. } => break vec![event],
            _ => {}
        }
    };
    assert_eq!(reason(&events), ExitReason::EndTurn);
    sleep(Duration::from_hours(1)).await;
    let events = rig.turn("more").await;
    let left = Budget::Time { limit_ms: 10_000, used_ms: 6_000 };
    assert_eq!(last_usage(&events).1.budgets, [left], "two calls of 3 s");
}

/// Nobody has chosen its model: a request waits for that.
struct Unnamed;

impl Provider for Unnamed {
    fn about(&self) -> About {
        About { model: String::new(), ..Paid::default().about() }
    }

    fn stream(&self, _: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        std::future::pending().boxed()
    }

    fn use_model(&self, _: String) {}
}

#[tokio::test(start_paused = true)]
async fn while_no_model_is_chosen_no_time_counts_and_what_was_not_sent_costs_nothing() {
    let limits = Limits { max_iterations: 20, interactive: true, scheduler: Scheduler::default() };
    let budgets = Budgets { tokens: Some(1_000), ..seconds(10) };
    let mut rig = Rig::within(Strict::over(Unnamed), Mode::Yolo, limits, budgets);
    rig.submit("go");
    while !matches!(rig.front.next().await, Some(StreamEvent::IterationStarted { .. })) {}
    sleep(Duration::from_hours(1)).await;
    rig.front.interrupt(AbortBy::User);
    let events = rig.rest().await;
    assert!(matches!(reason(&events), ExitReason::Abort { .. }), "{events:?}");
    let counts = events.iter().any(|event| matches!(event, StreamEvent::UsageUpdated { .. }));
    assert!(!counts, "{events:?}");
}
