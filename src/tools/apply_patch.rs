//! The tool that applies a patch to several files.
//!
//! Owns what a patch may touch; [`patch`] reads it, [`apply`] finds the places, `stage` works
//! out the files. Must not know how bytes get to the disk.
//!
//! Invariant: a patch is applied whole, each part in the one place that was meant, or nothing of
//! it is.

pub mod apply;
mod envelope;
pub mod patch;
mod reading;
pub mod seek;
mod stage;
mod told;
mod unified;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Deserialize;

use super::plans::Plans;
use super::workspace::plan::Plan;
use super::workspace::rewrite;
use super::{ToolContext, ToolError, arguments};
use crate::protocol::access::Access;
use crate::protocol::tool::ToolSpec;
use patch::{Action, Patch};

/// `apply_patch`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApplyPatch;

/// What a call is given.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct Arguments {
    patch: String,
}

impl Plans for ApplyPatch {
    type Arguments = Arguments;

    fn described(&self) -> ToolSpec {
        ToolSpec {
            name: "apply_patch".to_owned(),
            description: "Change several files at once, all or none: `*** Begin Patch`, then \
                          `*** Update File: path` (or Add, Delete; `*** Move to: path`) with `@@` \
                          and lines that begin with ` `, `-` or `+`, `*** End Patch`. Unified \
                          diffs work too."
                .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn touches(arguments: &Arguments, context: &ToolContext) -> Result<Access, ToolError> {
        let patch = read(arguments)?;
        let mut access = Access::default();
        for file in &patch.files {
            let moved = match &file.action {
                Action::Update { to, .. } => to.as_deref(),
                Action::Add(_) | Action::Delete(_) => None,
            };
            for path in std::iter::once(file.path.as_str()).chain(moved) {
                let one = rewrite::access(&context.workspace.resolve(path)?);
                for (all, some) in
                    [(&mut access.reads, one.reads), (&mut access.writes, one.writes)]
                {
                    for resource in some {
                        if !all.contains(&resource) {
                            all.push(resource);
                        }
                    }
                }
            }
        }
        Ok(access)
    }

    fn plan(arguments: &Arguments, context: &ToolContext) -> Result<Plan, ToolError> {
        plan_patch(arguments, context)
    }
}

fn plan_patch(arguments: &Arguments, context: &ToolContext) -> Result<Plan, ToolError> {
    stage::plan(&read(arguments)?, context)
}

fn read(arguments: &Arguments) -> Result<Patch, ToolError> {
    patch::read(&arguments.patch).map_err(|what| {
        ToolError::refused(
            "malformed patch",
            format!(
                "the patch cannot be read: {what}. It should look like\n*** Begin Patch\n*** \
                 Update File: src/main.rs\n@@ fn main() {{\n kept line\n-old line\n+new line\n*** \
                 End Patch"
            ),
        )
    })
}
