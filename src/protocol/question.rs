//! A permission question and its answer, as data. Owns what the user gets to see before
//! something is changed; `permission` decides whether there is a question at all.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::id::CallId;
use crate::text::hunks::Hunk;

/// Asks the user whether one call may run. Bound to that call: an answer carries its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The call that waits.
    pub call_id: CallId,
    /// Canonical name of the tool.
    pub tool: String,
    /// What it will do.
    pub preview: Preview,
    /// What "allow for this session" will allow from now on, in words,
    /// e.g. `every file change in this folder`.
    pub session_grant: String,
}

/// What a call will do, as the user sees it before it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Preview {
    /// Nothing to show: a read.
    Nothing,
    /// A file will be read whose name says that it holds secrets: the model, and so its server,
    /// gets to see them.
    Read {
        /// Path relative to the workspace.
        path: String,
    },
    /// A file will be written.
    Write {
        /// Path relative to the workspace.
        path: String,
        /// Unified diff against what is there now.
        diff: String,
        /// Whether the file does not exist yet.
        creates: bool,
        /// Lines added.
        added: usize,
        /// Lines removed.
        removed: usize,
        /// The files one by one, with the parts that the user may take or leave.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileChange>,
    },
    /// A command will be run.
    Command {
        /// The whole command, exactly as it will be run.
        command: String,
        /// Directory that it runs in, relative to the workspace (`.` for its root).
        cwd: String,
        /// Whether it is to run on in the background.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        background: bool,
    },
}

/// What will happen to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Path relative to the workspace.
    pub path: String,
    /// What becomes of it.
    pub fate: Fate,
    /// Its parts; empty if there is only the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<Hunk>,
    /// Whether it may be left as it is while the rest is done.
    pub optional: bool,
    /// Its content, where that is text that can be changed. Too much for JSON: only a front end in
    /// the same process has it.
    #[serde(skip)]
    pub texts: Option<Texts>,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It comes to be.
    Created,
    /// It gets another content.
    Changed,
    /// It goes.
    Deleted,
    /// It goes to another path.
    Moved {
        /// Where it was, relative to the workspace.
        from: String,
    },
}

/// A content before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// What is there; empty if the file does not exist.
    pub old: Arc<str>,
    /// What will be there.
    pub new: Arc<str>,
    /// The single changes between them: those of a hunk that lie in its lines.
    pub changes: Arc<[Hunk]>,
}

impl FileChange {
    /// Whether both would do the same to the file.
    #[must_use]
    pub fn does_the_same_as(&self, other: &Self) -> bool {
        let content = |file: &Self| {
            let texts = file.texts.as_ref();
            texts.map(|texts| (Arc::clone(&texts.old), Arc::clone(&texts.new)))
        };
        self.path == other.path && self.fate == other.fate && content(self) == content(other)
    }
}

impl Preview {
    /// Whether both would do the same. The diffs need not be equal for that: finding one ends at a
    /// deadline.
    #[must_use]
    pub fn does_the_same_as(&self, other: &Self) -> bool {
        let known = |files: &[FileChange]| files.iter().all(|file| file.texts.is_some());
        match (self, other) {
            (Self::Write { files, .. }, Self::Write { files: others, .. })
                if !files.is_empty() && known(files) && known(others) =>
            {
                files.len() == others.len()
                    && files.iter().zip(others).all(|(file, other)| file.does_the_same_as(other))
            }
            _ => self == other,
        }
    }
}

/// The user's answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// Run it, this once.
    AllowOnce,
    /// Run it, and do not ask again for the question's `session_grant`.
    AllowSession,
    /// Run it, this once, but change these files in another way than asked. The others are changed
    /// as asked.
    AllowPart {
        /// The files, by their paths in the question.
        files: Vec<FilePart>,
    },
    /// Do not run it; the turn goes on.
    Deny {
        /// A word to the model: what to do instead. Empty if there is none.
        #[serde(default)]
        message: String,
    },
}

/// What is done to one file of a question instead of all that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePart {
    /// Its path in the question.
    pub path: String,
    /// What is done.
    #[serde(flatten)]
    pub part: Part,
}

/// What is done instead of all that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// Nothing.
    Left,
    /// Only these hunks.
    Hunks {
        /// Their places among the hunks of the question, counted from 0.
        taken: Vec<usize>,
    },
    /// The user changed what is to be written.
    Edited {
        /// The whole content.
        content: String,
    },
}
