//! A new session in the same program.
//!
//! Owns what is forgotten. Must not know screens. Invariant: nothing that the model was told, was
//! allowed, had used or had left running outlives its session.

use tokio_util::sync::CancellationToken;

use super::Agent;
use crate::{
    link::EventSender,
    protocol::{event::StreamEvent, usage::TokenUsage},
    tools::{process::StoppedBy, run_command},
};

/// What the user is told, where the new session begins.
const TOLD: &str = "A new session begins here: the model knows nothing of what stands above, and \
                    what you allowed for the session is asked again.";

impl Agent {
    /// Forgets the conversation and tells so.
    pub(super) async fn begin_anew(&mut self, events: &EventSender) {
        self.session.begin_anew();
        self.context.seen.forget();
        let (processes, kill) = (&self.context.processes, CancellationToken::new());
        let ended =
            run_command::background::end_background(processes, StoppedBy::User, &kill).await;
        let usage = StreamEvent::UsageUpdated {
            turn: TokenUsage::default(),
            context: 0,
            estimated: false,
            cost_usd: None,
            session: self.session.spending().spent(),
        };
        let told = StreamEvent::Notice { text: TOLD.to_owned() };
        let ended = ended.map(|text| StreamEvent::Notice { text });
        for event in ended.into_iter().chain([usage, told]) {
            // Without a front end there is nobody to tell.
            let _gone = events.send(event).await.is_err();
        }
    }
}
