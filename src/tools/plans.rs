//! Tools that change files: each makes a plan from its arguments, and everything else about it is
//! the same.
//!
//! Owns the way from raw arguments to the preview, the run, and the run in part. Must not know what
//! the arguments mean.
//!
//! Invariant: a preview and the run after it follow from the same plan of the same arguments.

use std::path::Path;

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::workspace::blocking::blocking;
use super::workspace::plan::Plan;
use super::workspace::revise::{self, Revised, Revision};
use super::{Run, Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::protocol::access::Access;
use crate::protocol::question::Preview;
use crate::protocol::tool::ToolSpec;

/// A tool that changes files by a plan.
pub trait Plans: Send + Sync {
    /// What a call is given.
    type Arguments: DeserializeOwned + Send + 'static;

    /// What the model is told of the tool.
    fn described(&self) -> ToolSpec;

    /// What a call may touch.
    ///
    /// # Errors
    /// A text for the model, if the arguments cannot be read or a path leaves the workspace.
    fn touches(arguments: &Self::Arguments, context: &ToolContext) -> Result<Access, ToolError>;

    /// All that a call would change. Changes nothing.
    ///
    /// # Errors
    /// A text for the model, if the call cannot work.
    fn plan(arguments: &Self::Arguments, context: &ToolContext) -> Result<Plan, ToolError>;
}

impl<T: Plans> Tool for T {
    fn spec(&self) -> ToolSpec {
        self.described()
    }

    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        T::touches(&arguments::read(arguments)?, context)
    }

    fn preview<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let arguments = arguments::read(arguments)?;
            let context = context.clone();
            let never = tokio_util::sync::CancellationToken::new();
            blocking(&never, move |_| Ok(T::plan(&arguments, &context)?.preview())).await
        })
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
        run: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let arguments = arguments::read(arguments)?;
            let context = context.clone();
            blocking(&run.stop, move |_| T::plan(&arguments, &context)?.apply(&context)).await
        })
    }

    fn run_revised<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
        run: &'a Run,
        revision: &'a Revision,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let arguments = arguments::read(arguments)?;
            let (context, revision) = (context.clone(), revision.clone());
            blocking(&run.stop, move |_| {
                let plan = T::plan(&arguments, &context)?;
                let Revised { plan, unseen, taken } = revise::revise(plan, &revision)?;
                let is_seen = |path: &Path| !unseen.iter().any(|unseen| unseen == path);
                let mut output = plan.apply_noting(&context, is_seen)?;
                if let Some(taken) = taken {
                    output.summary = format!("{taken} · {}", output.summary);
                }
                Ok(output)
            })
            .await
        })
    }
}
