//! What becomes of one call before anything runs: it can run, it cannot, or nobody knows what
//! was meant. Owns that difference: only the last one speaks against the model.

use super::{plan::Planned, world::World};
use crate::{
    protocol::{access::Access, tool::ToolCall},
    tools::{ToolError, registry::Parsed},
};

/// One call of the response that is acted on.
pub(super) enum Ready {
    /// And what it may touch.
    Runs(Parsed, Access),
    /// It was understood and cannot run.
    Refused(ToolError),
    /// Nobody knows what was meant.
    Unreadable(ToolError),
}

/// What is known of the response that the calls stand in.
#[derive(Default)]
pub(super) struct Read {
    /// The length limit ended it, so a call may be half of itself, also where it happens to parse.
    pub(super) cut: bool,
    /// A call in it had to be guessed at.
    pub(super) repaired: bool,
    /// What the model is told beside the results.
    pub(super) notes: Vec<String>,
}

impl Ready {
    /// Reads a call.
    pub(super) fn of(world: &World<'_>, call: &ToolCall, read: &Read) -> Self {
        if read.cut {
            return Self::Refused(ToolError::refused(
                "cut off",
                "this reply was cut by the length limit, so none of its calls ran. \
                 Send the call again in smaller parts.",
            ));
        }
        let parsed = match world.registry.parse(call) {
            Ok(mut parsed) => {
                parsed.notes.extend(read.notes.iter().cloned());
                parsed.repaired = read.repaired;
                parsed
            }
            Err(error) => return Self::Unreadable(error),
        };
        match parsed.tool.access(&parsed.arguments, world.context) {
            Ok(access) => Self::Runs(parsed, access),
            Err(error) => Self::Refused(error),
        }
    }

    /// What it may touch; a call that does not run touches nothing.
    pub(super) fn access(&self) -> Access {
        match self {
            Self::Runs(_, access) => access.clone(),
            Self::Refused(_) | Self::Unreadable(_) => Access::default(),
        }
    }

    /// The call as the plan sees it.
    pub(super) fn planned(&self, call: &ToolCall) -> Planned {
        let shared = match self {
            Self::Runs(parsed, _) => Some((parsed.name.clone(), parsed.arguments.clone())),
            Self::Refused(_) | Self::Unreadable(_) => None,
        };
        Planned { id: call.id.clone(), access: self.access(), shared }
    }

    /// The call as it is shown: under the tool's own name, if it is known.
    pub(super) fn shown(&self, call: &ToolCall) -> ToolCall {
        match self {
            Self::Runs(parsed, _) => ToolCall { name: parsed.name.clone(), ..call.clone() },
            Self::Refused(_) | Self::Unreadable(_) => call.clone(),
        }
    }
}
