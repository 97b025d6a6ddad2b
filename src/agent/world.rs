//! [`World`]: what a turn works with and does not change. Owns nothing; every part of the engine
//! that works for a turn is handed it.

use super::{Limits, Waits, outbox::Outbox};
use crate::{
    link::Interrupt,
    protocol::{id::CallId, tool::ToolResult},
    provider::Provider,
    tools::{ToolContext, ToolError, registry::Registry},
};

/// What a turn works with and does not change.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub(super) provider: &'a dyn Provider,
    pub(super) registry: &'a Registry,
    pub(super) context: &'a ToolContext,
    pub(super) limits: Limits,
    pub(super) outbox: &'a Outbox,
    pub(super) interrupt: &'a Interrupt,
    pub(super) waits: &'a Waits,
    pub(super) random: fn() -> f64,
}

/// The result of a call that a tool turned down.
pub(super) fn error_result(call_id: &CallId, error: ToolError) -> ToolResult {
    ToolResult::new(call_id.clone(), error.status, error.text, error.summary)
}
