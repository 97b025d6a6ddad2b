//! What the screen gets from the machine: made of the workspace, the environment, and the parts
//! that walk folders and start programs.
//!
//! Owns which editor it is, which files can be named, and how a folder is written.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio_util::sync::CancellationToken;

use super::env;
use crate::{
    config,
    text::sanitize::sanitize,
    tools::{
        process::editor,
        workspace::{
            Workspace,
            walk::{Limits, Walk, below},
        },
    },
    tui::desk::Desk,
};

/// Files that can be named.
const MOST_FILES: usize = 100_000;

/// The desk for this workspace.
pub(super) fn desk(workspace: Workspace) -> Desk {
    Desk {
        files: Arc::new(move || files(&workspace)),
        edit: Arc::new(|text, file_name| editor::edit(&editor_command(), text, file_name)),
        end_edit: Arc::new(editor::end),
        history: config::state_dir(&env).map(|folder| folder.join("history")),
    }
}

fn editor_command() -> String {
    let set = |name| env(name).filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// What git does not ignore, those near the top first. A name that cannot be typed is left out.
fn files(workspace: &Workspace) -> Vec<String> {
    let root = workspace.root();
    let walk = Walk { workspace, path: root, depth: usize::MAX, all: false };
    let mut found = Vec::new();
    let _cut = walk.run(&Limits::start(&CancellationToken::new()), |entry| {
        let path = below(root, &entry.path);
        if found.len() < MOST_FILES
            && !entry.kind.is_dir()
            && let Some(path) = path.to_str()
            && !path.contains(char::is_control)
            && sanitize(path) == path
        {
            found.push(path.to_owned());
        }
    });
    found.sort_by_cached_key(|path| (path.matches('/').count(), path.clone()));
    found
}

/// The folder as people write it: `~` for their home.
pub(super) fn folder_words(root: &Path) -> String {
    let home = env("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
    match home.as_deref().and_then(|home| root.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => root.display().to_string(),
    }
}
