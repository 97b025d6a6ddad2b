//! The interrupt of one turn: two tokens and who pulled them. Never queued.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use crate::protocol::exit::AbortBy;

/// Stops one turn. Clones are the same interrupt.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: CancellationToken,
    kill: CancellationToken,
    by: OnceLock<AbortBy>,
}

impl Interrupt {
    /// Asks everything of the turn to stop. The first caller is remembered.
    pub fn abort(&self, by: AbortBy) {
        self.shared.by.get_or_init(|| by);
        self.shared.stop.cancel();
    }

    /// No more patience with processes that were asked to stop.
    pub fn kill(&self) {
        self.shared.kill.cancel();
    }

    /// Who aborted, if anybody did.
    #[must_use]
    pub fn by(&self) -> Option<AbortBy> {
        self.shared.by.get().copied()
    }

    /// Whether the turn must stop.
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        self.shared.stop.is_cancelled()
    }

    /// Resolves once the turn must stop. Cancel-safe.
    pub async fn aborted(&self) {
        self.shared.stop.cancelled().await;
    }

    /// The token that stops, for tools.
    #[must_use]
    pub fn stop_token(&self) -> &CancellationToken {
        &self.shared.stop
    }

    /// The token that ends patience, for tools.
    #[must_use]
    pub fn kill_token(&self) -> &CancellationToken {
        &self.shared.kill
    }

    /// Whether both are clones of one.
    pub(super) fn is(&self, other: &Interrupt) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}
