//! Budgets of a session in the turn machine, on a paused clock: where they end exactly, what counts,
//! and what is left of the turn that spends one.

mod program;
mod time;

use std::{collections::VecDeque, sync::Mutex, time::Duration};

use futures_util::{
    FutureExt, StreamExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use mcc_tui::{
    agent::Limits,
    permission::Mode,
    protocol::{
        about::About,
        budget::{Budget, Budgets, Spent},
        cost::{PerMillion, Price, Rates, Usd},
        event::StreamEvent,
        exit::{AbortBy, ErrorKind, ExitReason},
        message::Message,
        op::Op,
        question::Decision,
        scheduler::Scheduler,
        usage::TokenUsage,
    },
    provider::{CallFragment, Delta, DeltaStream, FinishReason, Provider, ProviderError, Request},
    session::history,
};
use tokio::time::{Instant, sleep};

use crate::support::rig::{Rig, Strict, check_grammar, reason, results};

type Piece = (u64, Result<Delta, ProviderError>);

/// Gives one response after the other: each piece after so many milliseconds. Then there is only
/// "done".
#[derive(Default)]
struct Paid {
    responses: Mutex<VecDeque<Vec<Piece>>>,
    price: Option<Price>,
}

fn now(delta: Delta) -> Piece {
    (0, Ok(delta))
}

fn text(words: &str) -> Piece {
    now(Delta::Text(words.into()))
}

fn call(name: &str, arguments: &str) -> Piece {
    now(Delta::Call(CallFragment {
        index: Some(0),
        id: Some("c".into()),
        name: Some(name.into()),
        arguments: arguments.into(),
    }))
}

fn used(prompt: u64, completion: u64) -> Piece {
    now(Delta::Usage(TokenUsage { prompt, completion, ..TokenUsage::default() }))
}

fn stop() -> Piece {
    now(Delta::Finish(FinishReason::Stop))
}

fn breaks() -> Piece {
    (0, Err(ProviderError::new(ErrorKind::Network, "It broke off.", "")))
}

fn hangs() -> Piece {
    (u64::MAX / 2, Ok(Delta::Text("never".into())))
}

/// A read, in a response of so many tokens.
fn looks(tokens: u64) -> Vec<Piece> {
    vec![call("look", r#"{"say":"seen"}"#), stop(), used(tokens, 0)]
}

fn answers(tokens: u64) -> Vec<Piece> {
    vec![text("answer"), stop(), used(tokens, 0)]
}

/// So many dollars for a million tokens of any kind.
fn price(dollars: f64) -> Price {
    let rate = PerMillion::new(dollars).unwrap();
    Price::flat(Rates { input: rate, cached: None, output: rate })
}

impl Provider for Paid {
    fn about(&self) -> About {
        About { model: "m".into(), place: "p".into(), scripted: false, context_window: None }
    }

    fn price(&self) -> Option<Price> {
        self.price
    }

    fn stream(&self, _: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        let pieces = self.responses.lock().unwrap().pop_front();
        let pieces = pieces.unwrap_or_else(|| vec![text("done"), stop(), used(0, 0)]);
        let pieces: BoxStream<'static, _> = stream::iter(pieces)
            .then(|(ms, piece)| async move {
                sleep(Duration::from_millis(ms)).await;
                piece
            })
            .boxed();
        async { Ok(pieces) }.boxed()
    }

    fn use_model(&self, _: String) {}
}

fn rig(responses: Vec<Vec<Piece>>, budgets: Budgets) -> Rig {
    paid(responses, budgets, None)
}

fn paid(responses: Vec<Vec<Piece>>, budgets: Budgets, price: Option<Price>) -> Rig {
    let provider = Paid { responses: Mutex::new(responses.into()), price };
    let limits = Limits { max_iterations: 20, interactive: true, scheduler: Scheduler::default() };
    Rig::within(Strict::over(provider), Mode::Yolo, limits, budgets)
}

fn tokens(limit: u64) -> Budgets {
    Budgets { tokens: Some(limit), ..Budgets::default() }
}

fn dollars(limit: f64) -> Budgets {
    Budgets { cost: Usd::new(limit), ..Budgets::default() }
}

fn spent(budget: Budget) -> ExitReason {
    ExitReason::BudgetExceeded { budget }
}

fn notices(events: &[StreamEvent]) -> Vec<&str> {
    let text = |event: &'_ StreamEvent| matches!(event, StreamEvent::Notice { .. });
    let notices = events.iter().filter(|event| text(event));
    notices.map(|event| if let StreamEvent::Notice { text } = event { text } else { "" }).collect()
}

fn last_usage(events: &[StreamEvent]) -> (Option<Usd>, Spent) {
    let usage = events.iter().rev().find_map(|event| match event {
        StreamEvent::UsageUpdated { cost_usd, session, .. } => Some((*cost_usd, session.clone())),
        _ => None,
    });
    usage.expect("some usage is told")
}

#[tokio::test(start_paused = true)]
async fn a_budget_lasts_to_its_last_token_and_no_further_request_is_sent_then() {
    for (first, requests, end) in [
        (999, 2, ExitReason::EndTurn),
        (1_000, 1, spent(Budget::Tokens { limit: 1_000, used: 1_000 })),
        (1_001, 1, spent(Budget::Tokens { limit: 1_000, used: 1_001 })),
    ] {
        let mut rig = rig(vec![looks(first)], tokens(1_000));
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert_eq!((reason(&events), rig.provider.count()), (end, requests), "{first}");
        assert_eq!(*rig.runs.lock().unwrap(), ["seen"], "what was asked for is done and recorded");
        assert_eq!(results(&rig.history().await).len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_spends_the_budget_is_an_answer() {
    let mut rig = rig(vec![answers(5_000)], tokens(1_000));
    let events = rig.turn("go").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(notices(&events), Vec::<&str>::new(), "the next turn says it");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_begins_with_a_spent_budget_ends_at_once_and_its_prompt_is_given_back() {
    let mut rig = rig(vec![answers(1_000)], tokens(1_000));
    rig.turn("first").await;
    for _ in 0..2 {
        let events = rig.turn("second").await;
        check_grammar(&events);
        assert_eq!(reason(&events), spent(Budget::Tokens { limit: 1_000, used: 1_000 }));
        assert!(reason(&events).gives_prompt_back());
        assert!(matches!(events.last(), Some(StreamEvent::TurnEnded { iterations: 0, .. })));
        assert_eq!(rig.provider.count(), 1);
    }
    let history = rig.history().await;
    let said =
        |text: &str| history.iter().any(|it| matches!(it, Message::User { text: t } if t == text));
    assert!(said("first") && !said("second"), "{history:?}");
}

#[tokio::test(start_paused = true)]
async fn a_new_session_has_the_whole_budget_again() {
    let mut rig = rig(vec![answers(1_000), answers(999)], tokens(1_000));
    rig.turn("first").await;
    rig.front.send(Op::NewSession).unwrap();
    let events = rig.turn("second").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let whole = events.iter().find_map(|event| match event {
        StreamEvent::UsageUpdated { session, .. } => Some(session.budgets.clone()),
        _ => None,
    });
    assert_eq!(whole.unwrap(), [Budget::Tokens { limit: 1_000, used: 0 }], "told at its begin");
}

#[tokio::test(start_paused = true)]
async fn from_80_percent_on_the_user_and_the_model_are_told_once() {
    for (first, told) in [(799, 0), (800, 1)] {
        let mut rig = rig(vec![looks(first), looks(10), answers(10)], tokens(1_000));
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert_eq!(notices(&events).len(), usize::from(first + 10 >= 800), "{events:?}");
        let requests = rig.provider.requests.lock().unwrap().clone();
        let notes = |request: &[Message]| {
            results(request).iter().filter(|text| text.contains("Note from mcc-tui: 8")).count()
        };
        assert_eq!(notes(&requests[1]), told, "at the end of the result");
        assert_eq!(notes(&requests[2]), 1, "and never again");
        assert!(
            requests
                .iter()
                .flatten()
                .all(|it| !matches!(it, Message::System { text } if text.contains("80")))
        );
        if told == 1 {
            let note = results(&requests[1])[0].to_owned();
            assert!(note.starts_with("seen\n\n(Note from mcc-tui: 80 % of this session's token"));
            assert!(
                notices(&events)[0].starts_with(
                    "80 % of this session's token budget is used (800 of 1,000 tokens)."
                )
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_discarded_broken_or_stopped_counts() {
    let broken = |tokens| vec![text("half"), used(tokens, 0), breaks()];
    let mut discarded = rig(vec![broken(600), broken(600), answers(1)], tokens(1_000));
    let events = discarded.turn("go").await;
    check_grammar(&events);
    assert_eq!(reason(&events), spent(Budget::Tokens { limit: 1_000, used: 1_200 }));
    assert_eq!(discarded.provider.count(), 2);

    let mut stopped = rig(vec![vec![text("half"), used(1_000, 0), hangs()]], tokens(1_000));
    stopped.submit("go");
    while !matches!(stopped.front.next().await, Some(StreamEvent::TextDelta { .. })) {}
    // The count comes with the text.
    tokio::task::yield_now().await;
    stopped.front.interrupt(AbortBy::User);
    assert!(matches!(reason(&stopped.rest().await), ExitReason::Abort { .. }));
    let events = stopped.turn("more").await;
    assert!(matches!(reason(&events), ExitReason::BudgetExceeded { .. }), "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn where_the_server_counts_nothing_the_estimate_counts_and_says_so() {
    // 7,000 bytes are 2,000 tokens, at 3.5 bytes each
    let mut rig = rig(vec![vec![text(&"x".repeat(7_000)), stop()]], tokens(2_000));
    let events = rig.turn("go").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert!(last_usage(&events).1.estimated);
    assert!(matches!(reason(&rig.turn("more").await), ExitReason::BudgetExceeded { .. }));
}

#[tokio::test(start_paused = true)]
async fn no_request_for_more_is_written_down_that_is_not_sent() {
    let cut =
        || vec![text("half an answer"), now(Delta::Finish(FinishReason::Length)), used(1_000, 0)];
    let empty = || vec![stop(), used(1_000, 0)];
    for response in [cut(), empty()] {
        let mut rig = rig(vec![response], tokens(1_000));
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert!(matches!(reason(&events), ExitReason::BudgetExceeded { .. }), "{events:?}");
        let history = rig.history().await;
        assert_eq!(history::problems(&history), Vec::<String>::new());
        let asked = history.iter().filter(|it| matches!(it, Message::User { .. })).count();
        assert!(asked <= 1, "{history:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_goes_on_beyond_the_budget_is_ended_and_one_that_ends_is_not() {
    let goes_on = |last| (0..last).flat_map(|n| [text("x"), used(998 + n, 0)]).collect::<Vec<_>>();
    let mut runaway = rig(vec![goes_on(1_000)], tokens(1_000));
    let events = runaway.turn("go").await;
    check_grammar(&events);
    // 1,000 could be the last count, 1,001 as well; the third one beyond shows that it goes on
    assert_eq!(reason(&events), spent(Budget::Tokens { limit: 1_000, used: 1_002 }));
    let history = runaway.history().await;
    let Some(Message::Assistant(answer)) = history.last() else { panic!("{history:?}") };
    assert_eq!((answer.text.as_str(), answer.incomplete), ("xxxxx", true));
    let mut whole = goes_on(4);
    whole.push(stop());
    assert_eq!(reason(&rig(vec![whole], tokens(1_000)).turn("go").await), ExitReason::EndTurn);
}

#[tokio::test(start_paused = true)]
async fn money_ends_where_its_tokens_do() {
    // At 2 dollars for a million, 250,000 tokens are half a dollar.
    for (first, end) in [(249_999, true), (250_000, false)] {
        let mut rig = paid(vec![looks(first)], dollars(0.5), Some(price(2.0)));
        let events = rig.turn("go").await;
        assert_eq!(reason(&events) == ExitReason::EndTurn, end, "{first}");
        let cost = Usd::new(first as f64 * 2e-6);
        let (turn, session) = last_usage(&events);
        assert_eq!((turn, session.cost_usd), (cost, cost));
    }
}

#[tokio::test(start_paused = true)]
async fn the_cost_of_a_session_is_that_of_its_turns() {
    let mut rig = paid(vec![answers(1_000), answers(2_000)], Budgets::default(), Some(price(1.0)));
    rig.turn("first").await;
    let (turn, session) = last_usage(&rig.turn("second").await);
    assert_eq!((turn, session.cost_usd), (Usd::new(0.002), Usd::new(0.003)));
}

#[tokio::test(start_paused = true)]
async fn where_no_price_is_known_it_is_said_once_and_no_number_is_made_up() {
    let mut rig = paid(vec![looks(10), answers(10), answers(10)], dollars(0.5), None);
    let events = rig.turn("go").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let told = "What m costs at p is not known, so the money budget of $0.50 cannot be kept. Set";
    assert!(notices(&events)[0].starts_with(told), "{events:?}");
    assert_eq!(notices(&events).len(), 1);
    assert_eq!(last_usage(&events), (None, Spent::default()));
    assert_eq!(notices(&rig.turn("more").await), Vec::<&str>::new());
    let mut unbudgeted = paid(vec![answers(10)], tokens(1_000), None);
    assert_eq!(notices(&unbudgeted.turn("go").await), Vec::<&str>::new());
}

#[tokio::test(start_paused = true)]
async fn without_a_budget_nothing_ends_and_nothing_is_said() {
    let mut rig =
        rig(vec![looks(u64::MAX), looks(u64::MAX), answers(u64::MAX)], Budgets::default());
    let events = rig.turn("go").await;
    assert_eq!((reason(&events), notices(&events)), (ExitReason::EndTurn, Vec::new()));
    assert!(last_usage(&events).1.is_nothing());
}
