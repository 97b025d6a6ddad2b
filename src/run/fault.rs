//! Faults on purpose, so that tests of the whole program see what it does about its own.
//!
//! Owns `MCC_TEST_PANIC=engine`; a build without debug assertions does not look at it. Must not
//! know what the front end makes of a fault.

use std::sync::Arc;

use futures_util::{FutureExt, future::BoxFuture, stream::BoxStream};

use crate::{
    protocol::{about::About, models::ServerModels},
    provider::{DeltaStream, Provider, ProviderError, Request, Window},
};

/// The provider, or one at whose first request the engine panics, if that was asked for.
pub(super) fn provider(real: Arc<dyn Provider>) -> Arc<dyn Provider> {
    let asked = cfg!(debug_assertions)
        && std::env::var_os("MCC_TEST_PANIC").is_some_and(|place| place == "engine");
    if asked { Arc::new(Faulty(real)) } else { real }
}

struct Faulty(Arc<dyn Provider>);

impl Provider for Faulty {
    fn about(&self) -> About {
        self.0.about()
    }

    fn window(&self) -> Window {
        self.0.window()
    }

    #[expect(clippy::panic, reason = "that is what it is for")]
    fn stream(&self, _: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        async { panic!("asked for by MCC_TEST_PANIC=engine") }.boxed()
    }

    fn use_model(&self, model: String) {
        self.0.use_model(model);
    }

    fn offers(&self) -> BoxStream<'_, Vec<ServerModels>> {
        self.0.offers()
    }

    fn use_offer(&self, base_url: &str, model: String) -> Result<(), ProviderError> {
        self.0.use_offer(base_url, model)
    }
}
