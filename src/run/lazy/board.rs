//! What became known of who answers, until somebody takes it. Owns the one place for it, and the
//! wait.
//!
//! Invariant: what is put here is told once, and nothing that was put is lost before that.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// What became known of who answers.
#[derive(Debug, Default)]
pub(in crate::run) struct News {
    /// What the user should know: a paragraph for each.
    pub(in crate::run) texts: Vec<String>,
    /// Whether the user should choose.
    pub(in crate::run) choose: bool,
}

/// Holds the news.
#[derive(Default)]
pub(super) struct Board {
    news: Mutex<Option<News>>,
    has_news: Notify,
}

impl Board {
    pub(super) fn put(&self, news: News) {
        let mut here = self.lock();
        let here_now = here.get_or_insert_default();
        here_now.texts.extend(news.texts);
        here_now.choose |= news.choose;
        drop(here);
        self.has_news.notify_one();
    }

    /// Whether the user is to choose, and was not told yet.
    pub(super) fn has_choice(&self) -> bool {
        self.lock().as_ref().is_some_and(|news| news.choose)
    }

    pub(super) fn take(&self) -> Option<News> {
        self.lock().take()
    }

    /// The news, as soon as there are any. Cancel-safe.
    pub(super) async fn next(&self) -> News {
        loop {
            if let Some(news) = self.take() {
                return news;
            }
            self.has_news.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<News>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
