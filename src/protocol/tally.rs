//! What a turn took, and the line that ends it: the same words on the screen and without one.

use super::{cost::Usd, exit::ExitReason};

/// Milliseconds of waiting for the user from which on they are told.
const WORTH_TELLING: u64 = 1_000;

/// What a turn took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Requests made.
    pub iterations: u32,
    /// Tool calls that ran.
    pub tools: u32,
    /// Milliseconds from its start to its end.
    pub elapsed_ms: u64,
    /// Milliseconds of it in which a question waited for the user; 0 where nobody counts them.
    pub asked_ms: u64,
    /// What it cost, if that is known, and whether that is in part an estimate.
    pub cost: Option<(Usd, bool)>,
}

impl Tally {
    /// How long it took, and how much of that the user did.
    fn time(&self) -> String {
        let time = short_time(self.elapsed_ms);
        match self.asked_ms.min(self.elapsed_ms) {
            0..WORTH_TELLING => time,
            asked => format!("{time}, {} of it waiting for you", short_time(asked)),
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = |n: u32| if n == 1 { "" } else { "s" };
        let (iterations, tools) = (self.iterations, self.tools);
        let time = self.time();
        write!(f, "{iterations} iteration{}, ", plural(iterations))?;
        write!(f, "{tools} tool{}, {time}", plural(tools))?;
        match self.cost {
            Some((cost, estimated)) => write!(f, ", {}{cost}", if estimated { "~" } else { "" }),
            None => Ok(()),
        }
    }
}

/// The line that ends a turn: the reason's word, what happened, what to do next.
#[must_use]
pub fn ending(reason: &ExitReason, tally: Tally) -> String {
    let word = reason.word();
    if reason.is_success() && tally.iterations == 0 {
        // Without a request it was a command of the user's own.
        return format!("■ {word} · your command is over, {}", short_time(tally.elapsed_ms));
    }
    if reason.is_success() {
        return format!("■ {word} · answered after {tally}");
    }
    let words = format!("{} {}", sentence(&reason.what_happened()), reason.what_next());
    let kind = match reason {
        ExitReason::Error { kind, .. } => format!(" · {}", kind.word()),
        _ => String::new(),
    };
    format!("■ {word}{kind} · {} ({tally})", words.trim())
}

/// A server's own words may end as they like; ours that follow begin a new sentence.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let ends = text.is_empty() || text.ends_with(['.', '!', '?', '…', '"', ')']);
    if ends { text.to_owned() } else { format!("{text}.") }
}

/// Milliseconds for people: `0.20 s`, `12.3 s`, `2:05 min`.
#[must_use]
pub fn short_time(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{:02} s", ms / 1_000, ms % 1_000 / 10),
        10_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{}:{:02} min", ms / 60_000, ms % 60_000 / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short_and_never_rounded_up() {
        let cases = [
            (0, "0.00 s"),
            (9, "0.00 s"),
            (209, "0.20 s"),
            (9_999, "9.99 s"),
            (12_345, "12.3 s"),
            (59_999, "59.9 s"),
            (60_000, "1:00 min"),
            (3_725_000, "62:05 min"),
        ];
        for (ms, words) in cases {
            assert_eq!(short_time(ms), words);
        }
    }

    #[test]
    fn an_ending_says_why_and_what_to_do() {
        let tally = Tally { iterations: 1, tools: 2, elapsed_ms: 4_100, asked_ms: 0, cost: None };
        assert_eq!(
            ending(&ExitReason::EndTurn, tally),
            "■ end_turn · answered after 1 iteration, 2 tools, 4.10 s"
        );
        let asked = Tally { elapsed_ms: 25_600, asked_ms: 14_000, ..tally };
        assert_eq!(
            ending(&ExitReason::EndTurn, asked),
            "■ end_turn · answered after 1 iteration, 2 tools, 25.6 s, 14.0 s of it waiting for you"
        );
        let cost = Usd::new(0.013).map(|cost| (cost, true));
        assert!(
            ending(&ExitReason::EndTurn, Tally { cost, ..tally })
                .ends_with("2 tools, 4.10 s, ~$0.013")
        );
        let own = Tally { iterations: 0, tools: 1, ..tally };
        assert_eq!(ending(&ExitReason::EndTurn, own), "■ end_turn · your command is over, 4.10 s");
        let limit = ending(&ExitReason::MaxIterations { limit: 20 }, tally);
        assert!(limit.starts_with("■ max_iterations · All 20 of 20 iterations are used. Type"));
        assert!(limit.ends_with("(1 iteration, 2 tools, 4.10 s)"));
        let error = ExitReason::Error {
            kind: crate::protocol::exit::ErrorKind::Server,
            message: "Not Found".to_owned(),
            hint: "Check it.".to_owned(),
        };
        assert!(ending(&error, tally).starts_with("■ error · server · Not Found. Check it. ("));
    }
}
