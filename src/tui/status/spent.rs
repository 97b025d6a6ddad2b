//! What the session costs, and how far its budgets are used: two pieces of the status line. Owns
//! their words.

use super::{Need, Part};
use crate::{
    protocol::budget::{Budget, Spent},
    text::number::short,
    tui::app::App,
};

/// Hundredths of a budget that are told; beyond, it is spent many times over.
const MOST: u64 = 999;

/// The cost, if it is known, and the budget of which the least is left, if there is one.
pub(super) fn parts(app: &App) -> Vec<Part> {
    let spent = app.meter.spent(app.moment());
    let nearest = spent.nearest().copied();
    let style = app.theme.status;
    let mut parts = Vec::new();
    // The budget of money tells the cost itself.
    if !matches!(nearest, Some(Budget::Cost { .. }))
        && let Some(cost) = spent.cost_usd
    {
        let words = format!("{}{cost}", about(&spent));
        parts.push(Part { need: Need::Cost, words, short: String::new(), style });
    }
    if let Some(budget) = nearest {
        let is_near = budget.is_nearly_spent();
        parts.push(Part {
            need: if is_near { Need::Warning } else { Need::Budget },
            words: words(&budget, &spent),
            short: format!("budget {}%", budget.hundredths().min(MOST)),
            style: if is_near { app.theme.warning } else { style },
        });
    }
    parts
}

/// What stands before a number that is an estimate.
fn about(spent: &Spent) -> &'static str {
    if spent.estimated { "~" } else { "" }
}

/// `budget 12.4k of 100k tokens`, `$0.31 of $0.50`, `budget 4 of 10 min`.
fn words(budget: &Budget, spent: &Spent) -> String {
    let about = about(spent);
    match *budget {
        // Rounded, what is nearly spent would look spent.
        Budget::Tokens { limit, used } if used != limit && short(used) == short(limit) => {
            format!("budget {about}{}", budget.used())
        }
        Budget::Tokens { limit, used } => {
            format!("budget {about}{} of {} tokens", short(used), short(limit))
        }
        Budget::Cost { limit_usd, used_usd } => format!("{about}{used_usd} of {limit_usd}"),
        Budget::Time { limit_ms, used_ms } if limit_ms.is_multiple_of(60_000) => {
            format!("budget {} of {} min", used_ms / 60_000, limit_ms / 60_000)
        }
        Budget::Time { limit_ms, used_ms } if limit_ms < 600_000 => {
            format!("budget {} of {} s", used_ms / 1_000, limit_ms / 1_000)
        }
        Budget::Time { .. } => format!("budget {}", budget.used()),
    }
}
