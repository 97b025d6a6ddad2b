//! What is told of the commands in the background, while a turn runs or none does.
//!
//! Owns what the front end knows of each. Must not know screens, nor how commands run.
//!
//! Invariant: it does not keep the commands alive; a front end that is behind holds up nothing but
//! this.

use std::{collections::HashMap, sync::Arc};

use tokio::sync::Mutex;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    link::EventSender,
    protocol::{background::BackgroundCommand, event::StreamEvent},
    tools::{
        process::{Follower, Processes},
        run_command::background,
    },
};

/// Tells how the commands of a session are, and ends one for the user.
pub(super) struct Background {
    processes: Processes,
    known: Arc<Known>,
    _following: AbortOnDropHandle<()>,
}

/// What the front end knows, by the ids of the commands.
struct Known {
    events: EventSender,
    told: Mutex<HashMap<String, BackgroundCommand>>,
}

impl Background {
    /// Tells from now on what changes.
    pub(super) fn follow(processes: &Processes, events: EventSender) -> Self {
        let known = Arc::new(Known { events, told: Mutex::default() });
        let mut follower = processes.follow_background();
        let its = Arc::clone(&known);
        let following = async move {
            while follower.wait().await {
                its.tell(&follower).await;
            }
        };
        let following = AbortOnDropHandle::new(tokio::spawn(following));
        Self { processes: processes.clone(), known, _following: following }
    }

    /// Tells what has changed by now, and what of any command could not be ended.
    pub(super) async fn tell(&self) {
        self.known.tell(&self.processes.follow_background()).await;
    }

    /// Ends this command. Waits for nothing.
    pub(super) fn ask_to_end(&self, id: &str) {
        self.processes.ask_to_end(id);
    }
}

impl Known {
    async fn tell(&self, follower: &Follower) {
        let mut told = self.told.lock().await;
        let commands = follower.list();
        // Each is named once in a session: what is not listed any more never comes back.
        told.retain(|id, _| commands.iter().any(|command| command.id == *id));
        for command in commands {
            let now = background::shown(&command);
            let before = told.insert(now.id.clone(), now.clone());
            if before.is_some_and(|before| !is_news(&before, &now)) {
                continue;
            }
            let ended = !now.is_running();
            // Without a front end there is nobody to tell.
            let _gone = self.events.send(StreamEvent::BackgroundChanged { background: now }).await;
            if let Some(text) = ended.then(|| background::end_notice(&command)).flatten() {
                let _gone = self.events.send(StreamEvent::Notice { text }).await;
            }
        }
        if let Some(text) = background::stuck_notice(follower) {
            let _gone = self.events.send(StreamEvent::Notice { text }).await;
        }
    }
}

/// Time goes by by itself.
fn is_news(before: &BackgroundCommand, now: &BackgroundCommand) -> bool {
    before.is_running() && (before.state != now.state || before.last_line != now.last_line)
}
