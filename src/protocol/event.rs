//! What the engine tells a front end. Owns the closed list of events and their public JSON.
//!
//! Grammar of one turn (checked by tests):
//! `TurnStarted (IterationStarted heard* (Retrying heard*)* (BatchesPlanned (question | tool)*)?)*
//! TurnEnded`, with `heard` a delta, `CallAnnounced`, or an early call's `EarlyCallChanged` or
//! `ToolOutput`, in any order; `ModelChosen`, `ModelsListed`,
//! `Notice`, `BackgroundChanged` and `UsageUpdated` may stand anywhere, all but the last also
//! between turns, `Steered` right before a request. The turn of a command of the user's own is
//! `TurnStarted BatchesPlanned tool* TurnEnded`. Every `ToolStarted` has one `ToolFinished`, every
//! `QuestionAsked` one `QuestionResolved`, and `TurnEnded` is the last event of the turn, on
//! every path.

use serde::{Deserialize, Serialize};

use super::{
    about::About,
    background::BackgroundCommand,
    budget::Spent,
    cost::Usd,
    exit::{ErrorKind, ExitReason},
    id::{CallId, TurnId},
    models::ServerModels,
    question::{Decision, Question},
    tool::{Batch, ToolCall, ToolResult},
    usage::TokenUsage,
};

/// One event. At most 20 variants; additive only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StreamEvent {
    /// A turn begins: the user's message was taken.
    TurnStarted {
        /// The turn.
        turn: TurnId,
        /// What the user typed.
        prompt: String,
    },
    /// What the user said while the turn runs goes to the model with the request that follows.
    Steered {
        /// What the user typed.
        text: String,
    },
    /// Another model answers from now on, or its name became known.
    ModelChosen {
        /// The model.
        about: About,
    },
    /// Which models there are, as far as it is known now; a later one replaces it.
    ModelsListed {
        /// The servers, the present one first.
        servers: Vec<ServerModels>,
        /// Whether the user should choose: none is named, and there are several.
        choose: bool,
    },
    /// A request goes to the model.
    IterationStarted {
        /// 1 for the first request of the turn.
        iteration: u32,
        /// The most requests that this turn may make.
        max: u32,
    },
    /// The request failed and will be sent again, as the same iteration. What came of its answer
    /// is discarded: text, reasoning, and calls, with the results of those that began early.
    Retrying {
        /// 1 for the first retry of the request.
        attempt: u32,
        /// The most retries of a request.
        of: u32,
        /// Milliseconds until it is sent, unless the user wants it sooner.
        wait_ms: u64,
        /// What kind of failure.
        kind: ErrorKind,
        /// What happened, in the failing part's own words.
        reason: String,
    },
    /// A piece of the answer.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// A piece of the model's reasoning.
    ReasoningDelta {
        /// The piece.
        text: String,
    },
    /// The model began to write a call; its arguments still stream.
    CallAnnounced {
        /// Place of the call in this response, from 0.
        index: usize,
        /// The tool's name as far as it is known.
        name: String,
    },
    /// A call runs while its response still streams, or has ended meanwhile; this is how it is
    /// now, told once for each. It is provisional: when the response ends cleanly the call stands
    /// in `BatchesPlanned` under the same id, and `ToolStarted` and `ToolFinished` tell of it as of
    /// any other; if it does not stand there, or the response breaks off, it is stopped and its
    /// result is discarded.
    EarlyCallChanged {
        /// Place of the call in this response, from 0.
        index: usize,
        /// The call.
        call: ToolCall,
        /// What came of it; absent while it runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Box<ToolResult>>,
        /// Milliseconds since it began to run.
        elapsed_ms: u64,
    },
    /// The calls of the response are complete, and will run as these batches.
    BatchesPlanned {
        /// The calls, in call order.
        calls: Vec<ToolCall>,
        /// How they are cut into batches, in order.
        batches: Vec<Batch>,
    },
    /// The user must decide; the call waits.
    QuestionAsked {
        /// What is asked.
        question: Question,
    },
    /// The question was answered, or fell with an abort (`decision` is then absent).
    QuestionResolved {
        /// The question's call.
        call_id: CallId,
        /// The answer.
        decision: Option<Decision>,
    },
    /// A call began to run.
    ToolStarted {
        /// The call.
        call_id: CallId,
    },
    /// A running call printed something.
    ToolOutput {
        /// The call.
        call_id: CallId,
        /// What it printed; a live view, not the whole.
        text: String,
    },
    /// A call has its result; also sent for calls that never ran.
    ToolFinished {
        /// The result.
        result: ToolResult,
        /// Milliseconds from `ToolStarted`; 0 for a call that never ran.
        elapsed_ms: u64,
    },
    /// Token counts after a response.
    UsageUpdated {
        /// The whole turn so far.
        turn: TokenUsage,
        /// Tokens that the conversation now fills of the context window.
        context: u64,
        /// Whether `turn` or `context` is our own estimate, the server having told nothing.
        estimated: bool,
        /// What the turn costs so far in US dollars, if the price of each response is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<Usd>,
        /// The whole session so far: what it costs, and its budgets.
        #[serde(default, skip_serializing_if = "Spent::is_nothing")]
        session: Spent,
    },
    /// A command in the background was started, has printed another last line, or ended; this is
    /// how it is now. The end is told once. A line is a live view: at most one a second is told.
    BackgroundChanged {
        /// The command.
        background: BackgroundCommand,
    },
    /// Something the user should know.
    Notice {
        /// One or two sentences: what happened, and what to do.
        text: String,
    },
    /// The turn is over. Always its last event.
    TurnEnded {
        /// The turn.
        turn: TurnId,
        /// Why.
        reason: ExitReason,
        /// Requests made.
        iterations: u32,
        /// Tool calls that ran.
        tools: u32,
        /// Milliseconds from `TurnStarted`.
        elapsed_ms: u64,
    },
}
