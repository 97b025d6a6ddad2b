//! Why a turn ended. Owns the words, the exit codes and the sentences: they stand here once, and
//! the screen, the JSON, the exit code and the docs take them from here.

use serde::{Deserialize, Serialize};

use super::budget::Budget;

/// Why a turn ended.
#[doc(alias = "Terminal")]
#[doc(alias = "StopReason")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum ExitReason {
    /// The model answered without calling a tool.
    EndTurn,
    /// The cap on requests was reached.
    MaxIterations {
        /// The cap.
        limit: u32,
    },
    /// A budget of the session is spent.
    BudgetExceeded {
        /// Which one, where it ends, and what is used.
        #[serde(flatten)]
        budget: Budget,
    },
    /// The same thing again and again.
    LoopDetected {
        /// What was repeated, in words.
        pattern: String,
        /// How often.
        count: u32,
    },
    /// Calls were denied and nobody could answer, or the user chose to stop with a denial.
    Denied {
        /// How many calls.
        calls: u32,
    },
    /// The conversation does not fit the context window.
    ContextOverflow {
        /// Whether it is this prompt alone that does not fit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        alone: bool,
    },
    /// The answer was cut by the length limit, and going on did not help.
    OutputLimit,
    /// The server refused or filtered the answer.
    ContentFilter,
    /// Stopped.
    Abort {
        /// By whom.
        by: AbortBy,
        /// What was going on then.
        during: AbortDuring,
    },
    /// Something failed that only the user can repair.
    Error {
        /// What kind of failure.
        kind: ErrorKind,
        /// What happened, in the failing part's own words.
        message: String,
        /// What the user can do.
        hint: String,
    },
}

/// Who aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbortBy {
    /// A key.
    User,
    /// SIGINT.
    Signal,
    /// SIGHUP, or the terminal went away.
    Hangup,
    /// SIGTERM.
    Terminate,
    /// The front end went away.
    Consumer,
}

/// What a turn was doing when it was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbortDuring {
    /// Waiting for the first word of the model.
    Request,
    /// The model was answering.
    Stream,
    /// Tools were running.
    Tools,
    /// A question was open.
    Question,
}

/// What kind of failure ended a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The server could not be reached, or the connection broke.
    Network,
    /// The server was silent for too long.
    Timeout,
    /// Too many requests.
    RateLimit,
    /// The server failed.
    Server,
    /// The key is missing, wrong, or not allowed to do this.
    Auth,
    /// No money or quota left.
    Quota,
    /// The settings are wrong.
    Config,
    /// The server does not know the model.
    ModelNotFound,
    /// The server refused the request.
    BadRequest,
    /// The answer could not be understood.
    Protocol,
    /// The answer was empty, twice.
    EmptyResponse,
    /// A fault of this program.
    Internal,
}

impl ErrorKind {
    /// The word for this kind, the same on screen, in JSON and in the docs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::RateLimit => "rate_limit",
            Self::Server => "server",
            Self::Auth => "auth",
            Self::Quota => "quota",
            Self::Config => "config",
            Self::ModelNotFound => "model_not_found",
            Self::BadRequest => "bad_request",
            Self::Protocol => "protocol",
            Self::EmptyResponse => "empty_response",
            Self::Internal => "internal",
        }
    }

    /// Exit code, after `sysexits.h`: 75 try again, 76 protocol, 77 no permission, 78 settings.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Network | Self::Timeout | Self::RateLimit | Self::Server => 75,
            Self::Protocol | Self::EmptyResponse => 76,
            Self::Auth | Self::Quota => 77,
            Self::Config | Self::ModelNotFound | Self::BadRequest => 78,
            Self::Internal => 70,
        }
    }
}

impl AbortBy {
    /// The word for this, as in the JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Signal => "signal",
            Self::Hangup => "hangup",
            Self::Terminate => "terminate",
            Self::Consumer => "consumer",
        }
    }
}

impl ExitReason {
    /// The reason's word, the same on screen, in JSON and in the docs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::MaxIterations { .. } => "max_iterations",
            Self::BudgetExceeded { .. } => "budget_exceeded",
            Self::LoopDetected { .. } => "loop_detected",
            Self::Denied { .. } => "denied",
            Self::ContextOverflow { .. } => "context_overflow",
            Self::OutputLimit => "output_limit",
            Self::ContentFilter => "content_filter",
            Self::Abort { .. } => "abort",
            Self::Error { .. } => "error",
        }
    }

    /// Exit code of a run without a screen.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::EndTurn => 0,
            Self::MaxIterations { .. } => 3,
            Self::BudgetExceeded { .. } => 4,
            Self::LoopDetected { .. } => 5,
            Self::Denied { .. } => 6,
            Self::ContextOverflow { .. } => 7,
            Self::OutputLimit => 8,
            Self::ContentFilter => 10,
            Self::Abort { by: AbortBy::Terminate, .. } => 143,
            Self::Abort { by: AbortBy::Hangup, .. } => 129,
            Self::Abort { .. } => 130,
            Self::Error { kind, .. } => kind.exit_code(),
        }
    }

    /// Whether the turn ended as it should.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self, Self::EndTurn)
    }

    /// One sentence: what happened.
    #[must_use]
    pub fn what_happened(&self) -> String {
        match self {
            Self::EndTurn => "The model answered.".to_owned(),
            Self::MaxIterations { limit } => {
                format!("All {limit} of {limit} iterations are used.")
            }
            Self::BudgetExceeded { budget } => {
                format!("The {} of this session is spent: {}.", budget.name(), budget.used())
            }
            Self::LoopDetected { pattern, count } => {
                format!("The model repeated itself {count} times: {pattern}.")
            }
            Self::Denied { calls: 1 } => "A call was not allowed.".to_owned(),
            Self::Denied { calls } => format!("{calls} calls were not allowed."),
            Self::ContextOverflow { alone: true } => {
                "This prompt, with the instructions and the tools, does not fit the model's \
                 context window."
                    .to_owned()
            }
            Self::ContextOverflow { alone: false } => {
                "The conversation no longer fits the model's context window.".to_owned()
            }
            Self::OutputLimit => "The answer was cut by the server's length limit.".to_owned(),
            Self::ContentFilter => "The server refused or filtered the answer.".to_owned(),
            Self::Abort { by, during } => abort_sentence(*by, *during),
            Self::Error { message, .. } => message.clone(),
        }
    }

    /// Whether a prompt that nothing came of is taken out of the conversation and given back:
    /// kept, it would have the next request fail as well.
    #[must_use]
    pub fn gives_prompt_back(&self) -> bool {
        matches!(
            self,
            Self::Error { .. }
                | Self::ContextOverflow { .. }
                | Self::ContentFilter
                | Self::BudgetExceeded { .. }
        )
    }

    /// One sentence: what to do next. Empty if there is nothing to do.
    #[must_use]
    pub fn what_next(&self) -> String {
        match self {
            Self::EndTurn => String::new(),
            Self::MaxIterations { limit } => format!(
                "Type \"go on\" for {limit} more, or split the task, or start with --max-iterations."
            ),
            Self::BudgetExceeded { budget } => format!(
                "Begin a new session (/new), which has the whole budget again, or start with a \
                 larger one ({}).",
                budget.raise()
            ),
            Self::LoopDetected { .. } => {
                "Say what to do differently, or split the task.".to_owned()
            }
            Self::Denied { .. } => {
                "Allow it with --allow TOOL or --yolo, or run it in the full screen.".to_owned()
            }
            Self::ContextOverflow { alone: true } => {
                "Load the model with a larger window where its server is started, use another \
                 model (/model or --model NAME), or ask for less at once."
                    .to_owned()
            }
            Self::ContextOverflow { alone: false } => {
                "Begin a new session (/new), or ask for smaller parts of the files.".to_owned()
            }
            Self::OutputLimit => "Type \"go on\", or ask for a shorter answer.".to_owned(),
            Self::ContentFilter => "Word the request differently, or use another model.".to_owned(),
            Self::Abort { by: AbortBy::User, .. } => {
                "What was done stays; type what to do next.".to_owned()
            }
            Self::Abort { .. } => "What was done stays.".to_owned(),
            Self::Error { hint, .. } => hint.clone(),
        }
    }
}

fn abort_sentence(by: AbortBy, during: AbortDuring) -> String {
    let who = match by {
        AbortBy::User => "You stopped it",
        AbortBy::Signal => "A signal stopped it",
        AbortBy::Hangup => "Its terminal went away",
        AbortBy::Terminate => "It was told to terminate",
        AbortBy::Consumer => "Nobody was reading any more",
    };
    let when = match during {
        AbortDuring::Request => "while it waited for the model",
        AbortDuring::Stream => "while the model answered",
        AbortDuring::Tools => "while tools ran",
        AbortDuring::Question => "while a question was open",
    };
    format!("{who} {when}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::cost::Usd;

    fn spent() -> [ExitReason; 3] {
        let usd = |dollars| Usd::new(dollars).unwrap();
        [
            Budget::Tokens { limit: 100_000, used: 100_120 },
            Budget::Cost { limit_usd: usd(0.5), used_usd: usd(0.512) },
            Budget::Time { limit_ms: 600_000, used_ms: 601_500 },
        ]
        .map(|budget| ExitReason::BudgetExceeded { budget })
    }

    #[test]
    fn a_spent_budget_says_which_one_how_far_and_what_to_do() {
        let told =
            spent().map(|reason| format!("{} {}", reason.what_happened(), reason.what_next()));
        let begins = [
            "The token budget of this session is spent: 100,120 of 100,000 tokens. Begin",
            "The money budget of this session is spent: $0.512 of $0.50. Begin",
            "The time budget of this session is spent: 10:01 of 10:00 min. Begin",
        ];
        for (told, begin) in told.iter().zip(begins) {
            assert!(told.starts_with(begin) && told.contains("/new"), "{told}");
        }
        for (told, flag) in told.iter().zip(["--max-tokens", "--max-cost", "--max-time"]) {
            assert!(told.contains(flag), "{told}");
        }
        assert!(spent().iter().all(|reason| reason.exit_code() == 4 && reason.gives_prompt_back()));
    }

    #[test]
    fn the_json_of_a_spent_budget_has_its_limit_and_what_is_used() {
        let lines = spent().map(|reason| serde_json::to_string(&reason).unwrap());
        assert_eq!(
            lines,
            [
                r#"{"reason":"budget_exceeded","budget":"tokens","limit":100000,"used":100120}"#,
                r#"{"reason":"budget_exceeded","budget":"cost","limit_usd":0.5,"used_usd":0.512}"#,
                r#"{"reason":"budget_exceeded","budget":"time","limit_ms":600000,"used_ms":601500}"#,
            ]
        );
        let read: Vec<ExitReason> =
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read, spent());
    }
}
