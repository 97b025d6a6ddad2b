//! What the session costs, and how far its budgets are used: two fields of the status line. Owns
//! their words.

use ratatui::style::Style;

use super::fit::{Field, Worth};
use crate::{
    protocol::budget::{Budget, Spent},
    text::number::short,
    tui::app::App,
};

/// Hundredths of a budget that are told; beyond, it is spent many times over.
const MOST: u64 = 999;

/// The cost, if it is known, and the budget of which the least is left, if there is one.
pub(super) fn fields(app: &App) -> impl Iterator<Item = Field> {
    let spent = app.meter.spent(app.moment());
    let nearest = spent.nearest().copied();
    let style = app.theme.status;
    // The budget of money tells the cost itself.
    let cost = spent.cost_usd.filter(|_| !matches!(nearest, Some(Budget::Cost { .. })));
    let cost =
        cost.and_then(|cost| Field::new(Worth::Cost, style, [format!("{}{cost}", about(&spent))]));
    let budget = nearest.and_then(|budget| field(&budget, &spent, (style, app.theme.warning)));
    cost.into_iter().chain(budget)
}

fn field(budget: &Budget, spent: &Spent, (usual, near): (Style, Style)) -> Option<Field> {
    let is_near = budget.is_nearly_spent();
    let (worth, style) = if is_near { (Worth::Warning, near) } else { (Worth::Budget, usual) };
    let share = format!("bud {}%", budget.hundredths().min(MOST));
    let [long, medium] = words(budget, spent);
    Field::new(worth, style, [long, medium, share])
}

/// What stands before a number that is an estimate.
fn about(spent: &Spent) -> &'static str {
    if spent.estimated { "~" } else { "" }
}

/// `budget 12.4k of 100k tokens`, `$0.31 of $0.50`, `budget 4:05 of 10:00 min`; and shorter.
fn words(budget: &Budget, spent: &Spent) -> [String; 2] {
    let about = about(spent);
    match *budget {
        // Rounded, what is nearly spent would look spent.
        Budget::Tokens { limit, used } if used != limit && short(used) == short(limit) => {
            [format!("budget {about}{}", budget.used()), String::new()]
        }
        Budget::Tokens { limit, used } => {
            let (used, limit) = (short(used), short(limit));
            [
                format!("budget {about}{used} of {limit} tokens"),
                format!("budget {about}{used}/{limit}"),
            ]
        }
        Budget::Cost { limit_usd, used_usd } => {
            let limit = limit_usd.to_string();
            let amount = limit.trim_start_matches('$');
            [format!("{about}{used_usd} of {limit}"), format!("{about}{used_usd}/{amount}")]
        }
        Budget::Time { .. } => {
            let used = budget.used();
            let medium = used.trim_end_matches(" min").replace(" of ", "/");
            [format!("budget {used}"), format!("budget {medium}")]
        }
    }
}
