//! What a front end tells the engine. Owns the list; the link carries it.
//!
//! There is no `Interrupt` here, on purpose: a message can wait behind a queue, and an interrupt
//! must not. It is a token of the link.

use super::{id::CallId, question::Decision};

/// One instruction from a front end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Start a turn with this user message.
    Submit {
        /// What the user typed; not blank.
        text: String,
    },
    /// Tell the running turn something: it goes to the model with the turn's next request, and
    /// `Steered` says so. What was not told so when `TurnEnded` comes was not delivered, and is
    /// the front end's again; without a turn it is ignored.
    Steer {
        /// What the user typed; not blank.
        text: String,
    },
    /// Run a shell command of the user's own, as a turn without a request. Nobody is asked; the
    /// model is told of it with the next prompt.
    RunCommand {
        /// What the shell gets to run.
        command: String,
    },
    /// Answer the open question about this call. An answer to no open question is ignored.
    Decide {
        /// The question's call.
        call_id: CallId,
        /// The answer.
        decision: Decision,
    },
    /// Send a failed request again now instead of after its wait. Without such a wait it is
    /// ignored.
    RetryNow,
    /// Stop this one running call; the others go on. One that does not run is left as it is.
    StopCall {
        /// The call.
        call_id: CallId,
    },
    /// End this command in the background; asked again, it is killed. Answered by
    /// `BackgroundChanged`, during a turn and between turns. One that does not run is left as it
    /// is.
    EndBackground {
        /// The command's id, e.g. `b1`.
        id: String,
    },
    /// Talk to another model from the next request on. Answered by `ModelChosen`, or by a notice if
    /// it cannot be done.
    UseModel {
        /// The model's name, as the server knows it.
        model: String,
        /// The server, by the `base_url` of its list; without it, the present one.
        server: Option<String>,
    },
    /// Tell which models there are. Answered by `ModelsListed`, once or several times.
    ListModels,
}
