//! The tools of a session, found by the names that models use for them.
//!
//! Owns the table of tool aliases. Must not run tools.
//!
//! Invariant: every name leads to at most one tool; a call that parses has arguments that fit
//! its tool's schema.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use super::apply_patch::ApplyPatch;
use super::edit_file::EditFile;
use super::list_files::ListFiles;
use super::multi_edit::MultiEdit;
use super::read_file::ReadFile;
use super::search_code::SearchCode;
use super::workspace::revise::Revision;
use super::write_file::WriteFile;
use super::{Tool, ToolError, arguments};
use crate::protocol::tool::{ToolCall, ToolSpec};

/// Canonical names, and other names for the same tool, folded as [`arguments::fold`] does.
const ALIASES: &[(&str, &[&str])] = &[
    ("read_file", &["readfile", "read", "view", "cat", "openfile"]),
    (
        "list_files",
        &["listfiles", "ls", "listdirectory", "listdir", "list", "glob", "findfiles", "filesearch"],
    ),
    ("search_code", &["searchcode", "grep", "searchfilecontent", "search", "searchfiles"]),
    ("write_file", &["writefile", "write", "createfile"]),
    ("edit_file", &["editfile", "edit", "strreplace", "replace"]),
    ("multi_edit", &["multiedit", "multireplace"]),
    ("apply_patch", &["applypatch", "patch"]),
    (
        "run_command",
        &["runcommand", "runcmd", "bash", "shell", "runshellcommand", "exec", "execcommand"],
    ),
    ("shell_output", &["shelloutput", "bashoutput", "taskoutput", "commandoutput"]),
    ("shell_kill", &["shellkill", "killshell", "killbash", "taskstop", "killcommand"]),
];

/// Tools that are there for models that know them by name: others do better with fewer, and each
/// makes every request longer.
const UNLISTED: [&str; 2] = ["multi_edit", "apply_patch"];

/// The most characters of a name whose nearness is computed: that takes time by the square of it.
const MAX_COMPARED: usize = 64;

/// The tools of a session. Clones share them.
#[derive(Clone)]
pub struct Registry {
    tools: Arc<[Arc<dyn Tool>]>,
    /// Of all tools.
    specs: Arc<[ToolSpec]>,
    /// Of those that the model is told about.
    listed: Arc<[ToolSpec]>,
    aliases: Arc<[ToolSpec]>,
}

/// A call that can be run.
pub struct Parsed {
    /// The tool that it names.
    pub tool: Arc<dyn Tool>,
    /// The tool's canonical name.
    pub name: String,
    /// The arguments, an object that fits the tool's schema.
    pub arguments: Value,
    /// What the model is told beside the result, e.g. that an argument was ignored.
    pub notes: Vec<String>,
    /// Whether the call had to be guessed at, so that it must be asked about if it changes
    /// something. What parses is none; who read the call out of a text knows better.
    pub repaired: bool,
    /// What the user made of it, if not all is to be done as asked.
    pub revision: Option<Revision>,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl std::fmt::Debug for Parsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parsed")
            .field("name", &self.name)
            .field("arguments", &self.arguments)
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}

/// A tool once under each of its other names.
fn aliases(spec: &ToolSpec) -> impl Iterator<Item = ToolSpec> {
    let of_tool = ALIASES.iter().filter(|(canonical, _)| spec.name == *canonical);
    of_tool.flat_map(|(_, aliases)| *aliases).map(|alias| ToolSpec {
        name: (*alias).to_owned(),
        description: String::new(),
        parameters: spec.parameters.clone(),
    })
}

impl Registry {
    /// These tools, in this order. Of two with the same name the first is found.
    #[must_use]
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let specs: Arc<[ToolSpec]> = tools.iter().map(|tool| tool.spec()).collect();
        let is_listed = |spec: &&ToolSpec| !UNLISTED.contains(&spec.name.as_str());
        let listed = specs.iter().filter(is_listed).cloned().collect();
        let unlisted = specs.iter().filter(|spec| !is_listed(spec)).cloned();
        let aliases = unlisted.chain(specs.iter().flat_map(aliases)).collect();
        Self { tools: tools.into(), specs, listed, aliases }
    }

    /// The tools for files: read, list, search, write, edit; and, not listed, several edits and
    /// patch.
    #[must_use]
    pub fn files() -> Self {
        Self::new(vec![
            Arc::new(ReadFile),
            Arc::new(ListFiles),
            Arc::new(SearchCode),
            Arc::new(WriteFile),
            Arc::new(EditFile),
            Arc::new(MultiEdit),
            Arc::new(ApplyPatch),
        ])
    }

    /// These tools and one more.
    #[must_use]
    pub fn with(self, tool: Arc<dyn Tool>) -> Self {
        let mut tools = self.tools.to_vec();
        tools.push(tool);
        Self::new(tools)
    }

    /// What the model is told about the tools.
    #[must_use]
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.listed.clone()
    }

    /// The tools that are not listed, and the same tools under the other names that they go by.
    #[must_use]
    pub fn aliases(&self) -> Arc<[ToolSpec]> {
        self.aliases.clone()
    }

    /// The tool of this name: canonical, or an alias; case, `-`, `_` and a prefix `functions.`
    /// do not matter.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.find(name).map(|(tool, _)| tool.clone())
    }

    /// Finds a call's tool and makes its arguments fit.
    ///
    /// # Errors
    /// A text for the model: an unknown tool, with near names, or arguments that do not fit.
    pub fn parse(&self, call: &ToolCall) -> Result<Parsed, ToolError> {
        let Some((tool, spec)) = self.find(&call.name) else {
            return Err(self.unknown(&call.name));
        };
        let repaired = arguments::repair(&spec.name, &call.arguments, &spec.parameters)?;
        Ok(Parsed {
            tool: tool.clone(),
            name: spec.name.clone(),
            arguments: repaired.arguments,
            notes: repaired.notes,
            repaired: false,
            revision: None,
        })
    }

    fn find(&self, name: &str) -> Option<(&Arc<dyn Tool>, &ToolSpec)> {
        let name = bare(name);
        let mut entries = self.tools.iter().zip(self.specs.iter());
        let exact = entries.clone().find(|(_, spec)| spec.name == name);
        if exact.is_some() {
            return exact;
        }
        let folded = arguments::fold(name);
        let alias = ALIASES.iter().find(|(_, aliases)| aliases.contains(&folded.as_str()));
        entries.find(|(_, spec)| {
            arguments::fold(&spec.name) == folded
                || alias.is_some_and(|(canonical, _)| spec.name == *canonical)
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.specs.iter().map(|spec| spec.name.as_str())
    }

    fn unknown(&self, name: &str) -> ToolError {
        let folded = arguments::fold(bare(name));
        let mut near: Vec<(f64, &str)> =
            self.names().map(|known| (nearness(&folded, known), known)).collect();
        near.retain(|(nearness, _)| *nearness >= 0.6);
        near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let near: Vec<String> =
            near.iter().take(3).map(|(_, known)| format!("`{known}`")).collect();
        let near = if near.is_empty() {
            String::new()
        } else {
            format!(" Did you mean {}?", near.join(" or "))
        };
        let shown = crate::text::cut::one_line(name, 80);
        let all: Vec<&str> = self.listed.iter().map(|spec| spec.name.as_str()).collect();
        ToolError::refused(
            "unknown tool",
            format!("there is no tool {shown:?}.{near} The tools are: {}.", all.join(", ")),
        )
    }
}

/// How near a folded name is to a tool's name or one of its aliases.
fn nearness(folded: &str, known: &str) -> f64 {
    if folded.chars().nth(MAX_COMPARED).is_some() {
        return 0.0;
    }
    let canonical = arguments::fold(known);
    let aliases = ALIASES.iter().find(|(name, _)| *name == known);
    std::iter::once(canonical.as_str())
        .chain(aliases.iter().flat_map(|(_, aliases)| aliases.iter().copied()))
        .map(|name| strsim::normalized_damerau_levenshtein(folded, name))
        .fold(0.0, f64::max)
}

/// A name without white space around it and without the prefix that some models write.
fn bare(name: &str) -> &str {
    let name = name.trim();
    match name.split_at_checked("functions.".len()) {
        Some((prefix, rest)) if prefix.eq_ignore_ascii_case("functions.") => rest,
        _ => name,
    }
}
