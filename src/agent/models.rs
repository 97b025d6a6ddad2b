//! Which models there are, and the choice of one, while a turn runs or none does.
//!
//! Owns the one listing that goes on. Must not know screens. Invariant: a listing holds nothing up,
//! and a new one replaces it.

use std::sync::Arc;

use futures_util::StreamExt;
use tokio_util::task::AbortOnDropHandle;

use crate::{link::EventSender, protocol::event::StreamEvent, provider::Provider};

/// Lists and chooses the models of a provider.
pub(super) struct Models {
    provider: Arc<dyn Provider>,
    events: EventSender,
    listing: Option<AbortOnDropHandle<()>>,
    /// Tells who answers; a newer one says all.
    telling: Option<AbortOnDropHandle<()>>,
}

impl Models {
    pub(super) fn new(provider: Arc<dyn Provider>, events: EventSender) -> Self {
        Self { provider, events, listing: None, telling: None }
    }

    /// Begins to list.
    pub(super) fn list(&mut self) {
        let (provider, events) = (Arc::clone(&self.provider), self.events.clone());
        let listing = async move {
            let mut offers = provider.offers();
            while let Some(servers) = offers.next().await {
                let event = StreamEvent::ModelsListed { servers, choose: false };
                if events.send(event).await.is_err() {
                    return;
                }
            }
        };
        self.listing = Some(AbortOnDropHandle::new(tokio::spawn(listing)));
    }

    /// Uses this model from the next request on, and tells it; whatever happens meanwhile.
    pub(super) fn choose(&mut self, model: String, server: Option<&str>) {
        let chosen = if let Some(server) = server {
            self.provider.use_offer(server, model)
        } else {
            self.provider.use_model(model);
            Ok(())
        };
        let events = self.events.clone();
        // Without a front end there is nobody to tell.
        match chosen {
            Ok(()) => {
                let event = StreamEvent::ModelChosen { about: self.provider.about() };
                let tell = async move {
                    let _gone = events.send(event).await.is_err();
                };
                self.telling = Some(AbortOnDropHandle::new(tokio::spawn(tell)));
            }
            Err(error) => {
                let event = StreamEvent::Notice { text: format!("{error} {}", error.hint) };
                drop(tokio::spawn(async move {
                    let _gone = events.send(event).await.is_err();
                }));
            }
        }
    }
}
