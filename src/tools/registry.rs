//! The tools by name (stub).
use std::sync::Arc;

use serde_json::Value;

use super::{Tool, ToolError};
use crate::protocol::tool::{ToolCall, ToolSpec};

/// The tools by name.
pub struct Registry {
    tools: Vec<Arc<dyn Tool>>,
}

/// A call that can run.
pub struct Parsed {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Its canonical name.
    pub name: String,
    /// Repaired arguments.
    pub arguments: Value,
    /// What was repaired or ignored.
    pub notes: Vec<String>,
}

impl Registry {
    /// These tools.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { tools }
    }
    /// For the model.
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.tools.iter().map(|t| t.spec()).collect()
    }
    /// Reads a call.
    pub fn parse(&self, call: &ToolCall) -> Result<Parsed, ToolError> {
        let tool = self.tools.iter().find(|t| t.spec().name == call.name);
        let tool = tool.ok_or_else(|| ToolError::refused("unknown", "unknown"))?;
        Ok(Parsed {
            tool: Arc::clone(tool),
            name: call.name.clone(),
            arguments: serde_json::from_str(&call.arguments)
                .map_err(|_| ToolError::refused("x", "x"))?,
            notes: vec![],
        })
    }
}
