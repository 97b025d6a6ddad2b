//! What takes time and is done beside the screen: listing files, reading and writing the history,
//! the outputs of commands, the user's editor.
//!
//! Owns the jobs that run. Must not know the state. Invariant: the loop never waits for one of
//! them; each ends with at most one message.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::task::JoinSet;

use super::{
    desk::Desk,
    effect::{Editing, read_output},
    history::file,
    message::Msg,
};
use crate::protocol::{id::CallId, tool::WholeFile};

/// The jobs that run.
pub(super) struct Jobs {
    desk: Desk,
    /// Where prompts are typed.
    folder: PathBuf,
    running: JoinSet<Option<Msg>>,
    /// Which output is wanted: that which was asked for last.
    outputs: Arc<AtomicU64>,
}

impl Jobs {
    /// Begins with reading the history, for the folder that is worked in.
    pub(super) fn start(desk: Desk, folder: PathBuf) -> Self {
        let mut jobs =
            Self { desk, folder: folder.clone(), running: JoinSet::new(), outputs: Arc::default() };
        if let Some(path) = jobs.desk.history.clone() {
            jobs.running.spawn_blocking(move || Some(Msg::History(file::load(&path, &folder))));
        }
        jobs
    }

    /// Lists the files.
    pub(super) fn list_files(&mut self) {
        let files = self.desk.files.clone();
        self.running.spawn_blocking(move || Some(Msg::Files(files())));
    }

    /// Reads the output of a call; whatever was asked for before is not wanted any more.
    pub(super) fn read_output(&mut self, call_id: CallId, file: WholeFile) {
        let outputs = Arc::clone(&self.outputs);
        let own = outputs.fetch_add(1, Ordering::Relaxed) + 1;
        self.running.spawn_blocking(move || {
            let is_wanted = || outputs.load(Ordering::Relaxed) == own;
            let read = read_output::read(&file, &is_wanted)?;
            Some(Msg::OutputRead(call_id, read.map(Arc::new)))
        });
    }

    /// Gives a text to the editor. The terminal must be free.
    pub(super) fn edit(&mut self, editing: Editing) {
        let edit = self.desk.edit.clone();
        let Editing { whose, file_name, text } = editing;
        // Always answered: the screen waits for it.
        let work = move || catch_unwind(AssertUnwindSafe(|| edit(&text, &file_name)));
        self.running.spawn_blocking(move || {
            let lost = |_panic| Err("The editor could not be run (a fault of mcc-tui).".to_owned());
            Some(Msg::Edited(whose, work().unwrap_or_else(lost)))
        });
    }

    /// Ends the editor that has the terminal, waits until it is gone, and gives what came of it.
    /// Cancel-safe: it ends all the same.
    pub(super) async fn end_edit(&mut self) -> Msg {
        let end = self.desk.end_edit.clone();
        let _ended = tokio::task::spawn_blocking(move || end()).await.is_ok();
        loop {
            let msg = self.next().await;
            if matches!(msg, Msg::Edited(..)) {
                return msg;
            }
        }
    }

    /// Writes prompts to the history.
    pub(super) fn save(&mut self, prompts: Vec<String>) {
        let Some(path) = self.desk.history.clone() else { return };
        if prompts.is_empty() {
            return;
        }
        let folder = self.folder.clone();
        self.running.spawn_blocking(move || {
            if let Err(error) = file::add(&path, &folder, &prompts) {
                tracing::warn!(%error, path = %path.display(), "the history cannot be written");
            }
            None
        });
    }

    /// The next message; never, while nothing runs. Cancel-safe.
    pub(super) async fn next(&mut self) -> Msg {
        while let Some(ended) = self.running.join_next().await {
            if let Ok(Some(msg)) = ended {
                return msg;
            }
        }
        std::future::pending().await
    }
}
