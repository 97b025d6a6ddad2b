//! What a turn uses, counted: tokens, what they cost, time. Owns the order of counting and telling,
//! and the words for a budget of which little is left; the sums are the session's.
//!
//! Invariant: each response counts once, whether it was whole, discarded, broken off or stopped;
//! a budget that is spent ends the turn before a further request.

use super::{State, Turn};
use crate::{
    agent::reply::Bounds,
    protocol::{
        budget::Budget,
        cost::{Price, Usd},
        event::StreamEvent,
        exit::ExitReason,
        usage::{TokenUsage, estimated_tokens},
    },
    provider::accumulate::Response,
};

/// What the present turn used.
#[derive(Default)]
pub(super) struct Tab {
    usage: TokenUsage,
    /// Whether a part of `usage` is our own estimate.
    estimated: bool,
    /// What its responses cost whose price is known.
    known: Usd,
    /// Whether there was one whose price is not.
    has_unknown: bool,
    /// The price of the response that comes.
    pub(super) price: Option<Price>,
}

impl Turn<'_> {
    /// Counts the tokens of a response, by our own estimate if the server told none; one that is
    /// not kept costs as much, but fills no context.
    pub(super) async fn count(&mut self, response: &Response, kept: bool) {
        // The size of the window is often learnt while the answer streams.
        self.tell_model().await;
        let notice = self.intake.after(&self.world, response.usage);
        self.notice(notice).await;
        let is_estimate = response.usage.is_none();
        let usage = response.usage.unwrap_or_else(|| TokenUsage {
            prompt: self.intake.estimated(),
            completion: estimated(response),
            ..TokenUsage::default()
        });
        let tab = &mut self.tab;
        tab.usage.add(usage);
        tab.estimated |= is_estimate;
        match tab.price {
            Some(price) => tab.known = tab.known.plus(price.cost(usage)),
            None => tab.has_unknown = true,
        }
        self.session.spending_mut().respond(usage, self.tab.price, is_estimate);
        self.look_at_the_clock();
        let event = StreamEvent::UsageUpdated {
            turn: self.tab.usage,
            context: if kept { usage.total() } else { usage.prompt },
            estimated: self.tab.estimated,
            cost_usd: (!self.tab.has_unknown).then_some(self.tab.known),
            session: self.session.spending().spent(),
        };
        self.world.outbox.send(event).await;
        self.warn().await;
    }

    /// The end of the turn, if a budget is spent.
    pub(super) fn spent(&mut self) -> Option<State> {
        self.look_at_the_clock();
        let budget = self.session.spending().spent_budget()?;
        Some(State::Close(ExitReason::BudgetExceeded { budget }))
    }

    /// Says something for the model to go on with, if it may.
    pub(super) fn ask_again(&mut self, text: &str) -> State {
        if let Some(end) = self.spent() {
            return end;
        }
        self.session.push_user(text);
        State::Prepare
    }

    /// Before a request: tells that little is left, the user and, in what is sent, the model.
    pub(super) async fn warn_both(&mut self) {
        self.warn().await;
        for budget in self.session.spending_mut().notes() {
            let note = format!(
                "{}. Come to an end: finish what matters most, then say what is done and what is \
                 not.",
                running_out(&budget)
            );
            self.session.note(&note);
        }
    }

    /// Where money cannot be counted, its budget cannot be kept.
    pub(super) async fn admit_unknown_price(&mut self) {
        let about = self.world.provider.about();
        if self.tab.price.is_some() || about.scripted {
            return;
        }
        let unkept = self.session.spending_mut().unkept().map(|limit| {
            format!(
                "What {} costs at {} is not known, so the money budget of {limit} cannot be kept. \
                 Set `input` and `output` in [price] of your config file: US dollars for a million \
                 tokens, 0 if it costs nothing.",
                about.model, about.place
            )
        });
        self.notice(unkept).await;
    }

    async fn warn(&mut self) {
        for budget in self.session.spending_mut().news() {
            let text = format!(
                "{}. At its end the turn ends with budget_exceeded; the model is told.",
                running_out(&budget)
            );
            self.notice(Some(text)).await;
        }
    }

    /// What the response that comes may use.
    pub(super) fn bounds(&mut self, price: Option<Price>) -> Bounds {
        self.look_at_the_clock();
        Bounds::new(self.session.spending(), price)
    }

    fn look_at_the_clock(&mut self) {
        self.session.spending_mut().work(self.world.waits.clock.worked());
    }
}

/// `81 % of this session's token budget is used (81,204 of 100,000 tokens)`
fn running_out(budget: &Budget) -> String {
    let (name, used) = (budget.name(), budget.used());
    format!("{} % of this session's {name} is used ({used})", budget.hundredths())
}

/// A rough size of a response in tokens, as that of a request is estimated.
fn estimated(response: &Response) -> u64 {
    let calls = response.calls.iter().map(|call| call.name.len() + call.arguments.len());
    estimated_tokens(response.text.len() + response.reasoning.len() + calls.sum::<usize>())
}
