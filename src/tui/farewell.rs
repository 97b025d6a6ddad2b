//! The end of the screen: what runs is ended, and what should stay is said on the normal screen.
//!
//! Owns the order of that and how long each part may take. Must not know how anything is ended:
//! the engine does it, and tells.

use std::time::Duration;

use super::{Running, message::Msg, screen, update::update, wrap::prose};
use crate::{
    protocol::{background::BackgroundCommand, event::StreamEvent, exit::AbortBy, op::Op},
    text::{cut::one_line, sanitize::sanitize},
};

/// How long the end of the program waits for a running turn to end, and for commands after it.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long it waits for the user's editor: more than it takes to kill one that does not end.
const LAST_EDIT: Duration = Duration::from_secs(2);
/// Characters of a command in the last words.
const COMMAND: usize = 60;

impl Running {
    /// Gives the terminal back, ends what runs, and leaves the last words on the normal screen.
    pub(super) async fn farewell(&mut self) {
        // It says how to draw, and nothing is drawn any more.
        drop(self.input.close().await);
        screen::leave();
        if self.loan.is_lent() {
            let edited = tokio::time::timeout(LAST_EDIT, self.jobs.end_edit()).await;
            // The last word to the terminal is ours: the editor's own may have been cut.
            screen::clear_up();
            if let Ok(edited) = edited {
                update(&mut self.app, edited);
            }
        }
        let in_background = self.app.in_background.commands();
        if self.app.is_busy() && !self.engine_gone {
            // A second interrupt would mean to have no patience with processes.
            if !self.app.stopping {
                self.front.interrupt(AbortBy::User);
            }
            let end = async {
                while let Some(event) = self.front.next().await {
                    let over = matches!(event, StreamEvent::TurnEnded { .. });
                    update(&mut self.app, Msg::Stream(event));
                    if over {
                        break;
                    }
                }
            };
            let _in_time = tokio::time::timeout(FAREWELL, end).await.is_ok();
        }
        self.end_background().await;
        let columns = self.screen.size().0;
        let mut said = self.app.farewell(columns);
        let ends = in_background.iter().map(|command| self.end_of(command));
        said.extend(ends.map(|text| prose::wrapped(&text, columns)));
        screen::say(&said.iter().map(|text| self.app.skin.words(text)).collect::<Vec<_>>());
    }

    /// Ends the commands in the background that still run.
    async fn end_background(&mut self) {
        for command in self.app.in_background.commands() {
            // An engine that is gone has ended them.
            let _told = self.front.send(Op::EndBackground { id: command.id }).is_ok();
        }
        let end = async {
            while !self.engine_gone && !self.app.in_background.running().is_empty() {
                let Some(event) = self.front.next().await else { break };
                update(&mut self.app, Msg::Stream(event));
            }
        };
        let _in_time = tokio::time::timeout(FAREWELL, end).await.is_ok();
    }

    /// What is to be said of a command that ran when the program was to end.
    fn end_of(&self, command: &BackgroundCommand) -> String {
        let runs = self.app.in_background.commands().iter().any(|left| left.id == command.id);
        let end =
            if runs { "was told to end, and did not say that it did" } else { "has ended too" };
        format!("{} {end}", name(command))
    }
}

/// `b1 (npm run dev)`.
fn name(command: &BackgroundCommand) -> String {
    let words = one_line(&sanitize(&command.command), COMMAND);
    format!("{} ({words})", sanitize(&command.id))
}
