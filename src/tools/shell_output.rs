//! The tool `shell_output`: what a background command printed since the last look.
//!
//! Owns its arguments. Must not know how commands are kept, nor how a look is told.

use std::time::Duration;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Run, Tool, ToolContext, ToolError, ToolOutput, arguments, run_command::told};
use crate::protocol::{
    access::Access,
    tool::{ToolSpec, ToolStatus},
};

/// Seconds that a look waits at most.
const MOST_SECONDS: u64 = 120;

/// Looks at background commands.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShellOutput;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// E.g. `b1`, as it was given at the start
    id: String,
    /// Waits so long for its end; at least 2, at most 120
    wait_s: Option<u64>,
}

impl Tool for ShellOutput {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "shell_output".to_owned(),
            description: "New output of a background command since the last look, and whether it \
                          still runs."
                .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        let Arguments { id, .. } = arguments::read(arguments)?;
        if context.processes.knows(&id) {
            Ok(Access::default())
        } else {
            Err(unknown(&id, context))
        }
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
        run: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let Arguments { id, wait_s } = arguments::read(arguments)?;
            let wait = Duration::from_secs(wait_s.unwrap_or_default().min(MOST_SECONDS));
            let look = context.processes.look(&id, wait, run).await;
            let look = look.ok_or_else(|| unknown(&id, context))?;
            let mut told = told::tell_look(&look);
            if look.end.is_none() && run.stop.is_cancelled() {
                told.status = Some(ToolStatus::Cancelled);
                told.text.push_str("\nThe user stopped the wait.");
            }
            Ok(told)
        })
    }
}

/// There is no such command: which there are.
pub(super) fn unknown(id: &str, context: &ToolContext) -> ToolError {
    let shown = crate::text::cut::one_line(id, 40);
    let all = context.processes.background();
    let known = if all.is_empty() {
        "None was started: use run_command with background: true.".to_owned()
    } else {
        format!("There are: {}.", told::list(&all))
    };
    ToolError::refused(
        "no such command",
        format!("there is no background command {shown:?}. {known}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spec_is_small_because_it_goes_with_every_request() {
        let spec = serde_json::to_string(&ShellOutput.spec()).unwrap();
        assert!(spec.len() <= 420, "{} bytes", spec.len());
    }
}
