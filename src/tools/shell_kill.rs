//! The tool `shell_kill`: ends a background command.
//!
//! Owns its argument. Must not know how commands are ended.

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Run, Tool, ToolContext, ToolError, ToolOutput, arguments, run_command::told,
    shell_output::unknown,
};
use crate::protocol::{access::Access, tool::ToolSpec};

/// Ends background commands.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShellKill;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    id: String,
}

impl Tool for ShellKill {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "shell_kill".to_owned(),
            description: "Ends a background command; gives the rest of its output.".to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    /// What it does when it is asked to end is as unknown as what it did before. Nobody is asked:
    /// the user has allowed the command, and there is nothing to preview.
    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        let Arguments { id } = arguments::read(arguments)?;
        if context.processes.knows(&id) {
            Ok(Access::unknown())
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
            let Arguments { id } = arguments::read(arguments)?;
            let look = context.processes.end(&id, run).await;
            look.map(|look| told::tell_look(&look)).ok_or_else(|| unknown(&id, context))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spec_is_small_because_it_goes_with_every_request() {
        let spec = serde_json::to_string(&ShellKill.spec()).unwrap();
        assert!(spec.len() <= 260, "{} bytes", spec.len());
    }
}
