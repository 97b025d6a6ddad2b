//! What the screen gets from the machine it runs on, besides the terminal: files to name, an
//! editor, a place for the history.
//!
//! Owns nothing but these three. Must not know how they are done: who starts the screen does.

use std::{path::PathBuf, sync::Arc};

/// Lists the files of the workspace, relative to it, those near the top first. May take seconds.
pub type ListFiles = Arc<dyn Fn() -> Vec<String> + Send + Sync>;

/// Gives a text to the user's editor, as a file of a name, the second; the editor has the terminal
/// meanwhile. Gives what came of it, or a sentence about what went wrong. Takes as long as the
/// user does.
pub type EditText = Arc<dyn Fn(&str, &str) -> Result<String, String> + Send + Sync>;

/// What the screen gets from the machine.
#[derive(Clone)]
pub struct Desk {
    /// Lists files.
    pub files: ListFiles,
    /// Edits a text.
    pub edit: EditText,
    /// Ends the editor that has the terminal and waits until it is gone, for a second or two; what
    /// it was given comes back as ever. No editor is started afterwards.
    pub end_edit: Arc<dyn Fn() + Send + Sync>,
    /// The file of the history; without it, nothing outlives the program.
    pub history: Option<PathBuf>,
}
