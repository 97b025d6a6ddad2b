//! How the calls of a model reach us: as the server's own tool calls, or as text.
//!
//! Owns the choice between the two for one model, and the translation of requests and responses
//! that follows from it. Must not know sessions, tools that run, or a screen.
//!
//! Invariant: the calls of one response come from one source only.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{DeltaStream, Provider, ProviderError, Request, Window};
use crate::protocol::{about::About, tool_mode::ToolMode};

/// A provider whose calls may come as text.
pub struct Calling {
    inner: Arc<dyn Provider>,
    mode: ToolMode,
}

impl Calling {
    /// Lets the model of this provider call tools in this way.
    #[must_use]
    pub fn new(inner: Arc<dyn Provider>, mode: ToolMode) -> Self {
        Self { inner, mode }
    }

    /// Whether calls come as text now; `auto` may have found out.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.mode == ToolMode::Text
    }
}

impl Provider for Calling {
    fn about(&self) -> About {
        self.inner.about()
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        self.inner.stream(request)
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ProviderError>> {
        self.inner.models()
    }

    fn use_model(&self, model: String) {
        self.inner.use_model(model);
    }
}
