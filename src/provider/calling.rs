//! How the calls of a model reach us: as the server's own tool calls, or as text.
//!
//! Owns the choice between the two for one model. Must not know sessions, tools that run, or a
//! screen.
//!
//! | module | what it is |
//! |---|---|
//! | `rewrite` | a request, in the words of the protocol of labels |
//! | `view` | what of a reply is shown while it comes |
//! | `reply` | a response of either kind, turned into deltas as if its calls had been native |
//!
//! Invariants: the calls of one response come from one source only, the first of native, written
//! in the model's own markup, written by the protocol; `auto` leaves native calls only for a
//! model that never made one.

mod reply;
mod rewrite;
mod view;

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use futures_util::{FutureExt, future::BoxFuture};

use self::reply::Reply;
use super::{Delta, DeltaStream, Provider, ProviderError, Remark, Request, Window};
use crate::protocol::{about::About, cost::Price, tool_mode::ToolMode};

/// Replies with labels and without a native call, after which the calls are read out of text.
const LABELLED: u32 = 2;

/// A provider whose calls may come as text.
#[derive(Clone)]
pub struct Calling {
    inner: Arc<dyn Provider>,
    choice: Arc<Choice>,
}

/// How the present model calls tools, as far as it is known.
struct Choice {
    mode: ToolMode,
    found_text: AtomicBool,
    found_native: AtomicBool,
    labelled: AtomicU32,
}

impl Choice {
    fn is_text(&self) -> bool {
        match self.mode {
            ToolMode::Text => true,
            ToolMode::Native => false,
            ToolMode::Auto => self.found_text.load(Ordering::Relaxed),
        }
    }

    /// Whether calls may still turn out to come as text.
    fn is_open(&self) -> bool {
        self.mode == ToolMode::Auto && !self.found_native.load(Ordering::Relaxed)
    }

    fn has_called(&self) {
        self.found_native.store(true, Ordering::Relaxed);
    }

    /// The server refused the tools. Gives whether the calls come as text from now on.
    fn refused(&self) -> bool {
        let is_auto = self.mode == ToolMode::Auto;
        if is_auto {
            self.found_text.store(true, Ordering::Relaxed);
        }
        is_auto
    }

    /// A reply held a call with a label. Gives whether the calls come as text from now on.
    fn wrote_a_label(&self) -> bool {
        let labelled = self.labelled.fetch_add(1, Ordering::Relaxed) + 1;
        labelled >= LABELLED && self.refused()
    }

    fn forget(&self) {
        self.found_text.store(false, Ordering::Relaxed);
        self.found_native.store(false, Ordering::Relaxed);
        self.labelled.store(0, Ordering::Relaxed);
    }
}

impl Calling {
    /// Lets the model of this provider call tools in this way.
    #[must_use]
    pub fn new(inner: Arc<dyn Provider>, mode: ToolMode) -> Self {
        let choice = Choice {
            mode,
            found_text: AtomicBool::new(false),
            found_native: AtomicBool::new(false),
            labelled: AtomicU32::new(0),
        };
        Self { inner, choice: Arc::new(choice) }
    }

    /// Whether calls come as text now; `auto` may have found out.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.choice.is_text()
    }

    async fn begin(&self, request: Request) -> Result<DeltaStream, ProviderError> {
        if request.tools.is_empty() {
            return self.inner.stream(request).await;
        }
        if self.is_text() {
            return self.as_text(&request, Vec::new()).await;
        }
        let tools = reply::offered(&request);
        let again = self.choice.is_open().then(|| Box::new(request.clone()));
        match (self.inner.stream(request).await, again) {
            (Ok(stream), again) => Ok(Reply::native(stream, tools, self.clone(), again).deltas()),
            (Err(error), Some(again)) => self.after_refusal(error, &again).await,
            (Err(error), None) => Err(error),
        }
    }

    /// Sends the request again as text, if it was refused because of its tools.
    async fn after_refusal(
        &self,
        error: ProviderError,
        request: &Request,
    ) -> Result<DeltaStream, ProviderError> {
        if error.tools_unsupported && self.choice.refused() {
            let notice = Delta::Remark(Remark::Notice(switched(&error.message)));
            return self.as_text(request, vec![notice]).await;
        }
        Err(error)
    }

    async fn as_text(
        &self,
        request: &Request,
        before: Vec<Delta>,
    ) -> Result<DeltaStream, ProviderError> {
        let stream = self.inner.stream(rewrite::as_text(request)).await?;
        Ok(Reply::text(stream, request, before).deltas())
    }
}

/// What the user is told about the change.
fn switched(why: &str) -> String {
    format!(
        "{}. From now on this model calls tools as text. With `tools = \"text\"` in the config file \
         it does so from the start.",
        why.trim().trim_end_matches('.')
    )
}

impl Provider for Calling {
    fn about(&self) -> About {
        self.inner.about()
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn price(&self) -> Option<Price> {
        self.inner.price()
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        self.begin(request).boxed()
    }

    fn use_model(&self, model: String) {
        self.choice.forget();
        self.inner.use_model(model);
    }
}

#[cfg(test)]
mod tests;
