//! The instructions that every conversation begins with. Owns their assembly from
//! `assets/prompts`; holds nothing that changes from request to request (a clock, say), so that
//! a server's prompt cache keeps working.

use std::path::Path;

/// The instructions for work in this folder.
#[must_use]
pub fn instructions(workspace: &Path) -> String {
    let folder = workspace.file_name().map_or_else(
        || workspace.to_string_lossy().into_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    include_str!("../../assets/prompts/system.md")
        .replace("{folder}", &folder)
        .replace("{system}", std::env::consts::OS)
}
