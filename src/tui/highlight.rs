//! Colours for source code, made on one thread of their own.
//!
//! Owns syntect: no other module names it. Must not know markdown or the screen; it is asked
//! for code and calls back when it has an answer.
//!
//! Invariant: asking never blocks on the work. The thread and the syntax definitions exist
//! only after the first question; the queue and the cache are bounded; a long line and a
//! large block stay plain, because a regex engine cannot be interrupted.

mod cache;
mod scopes;
mod worker;

use std::{
    collections::VecDeque,
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use ratatui::text::{Line, Span};

use super::theme::{Syntax, Theme};
use cache::Cache;

/// A longer line, in bytes, is not highlighted.
const MAX_LINE: usize = 1_000;
/// A larger block, in bytes, is not highlighted.
const MAX_BLOCK: usize = 512 * 1024;
/// A block of more lines is not highlighted.
const MAX_LINES: usize = 10_000;
/// Questions that wait; of more, the oldest are forgotten and must be asked again.
const MAX_QUEUE: usize = 32;

/// The pieces of each line: how many bytes, and what they are.
type Pieces = Vec<Vec<(u32, Syntax)>>;

/// Highlights code. Dropping it ends its thread after the block that it works on.
pub struct Highlighter {
    shared: Option<Arc<Shared>>,
}

impl fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Highlighter").field("on", &self.shared.is_some()).finish_non_exhaustive()
    }
}

impl Highlighter {
    /// A highlighter that calls `wake` from its thread whenever an answer became ready.
    #[must_use]
    pub fn start(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let shared = Shared {
            state: Mutex::new(State::default()),
            work: Condvar::new(),
            generation: AtomicU64::new(0),
            hasher: RandomState::new(),
            wake,
        };
        Self { shared: Some(Arc::new(shared)) }
    }

    /// A highlighter that answers at once, with plain code.
    #[must_use]
    pub fn off() -> Self {
        Self { shared: None }
    }

    /// The lines of `code`, or `None` when the answer is not ready yet: it is queued then, and
    /// the caller draws plain code meanwhile. Code that will never be highlighted comes back
    /// plain at once.
    #[must_use]
    pub fn highlight(
        &self,
        language: &str,
        code: &str,
        theme: &Theme,
    ) -> Option<Vec<Line<'static>>> {
        self.highlight_after(0, language, code, theme)
    }

    /// As [`Highlighter::highlight`], but gives only the lines after the first `skip`; a block
    /// that grows is asked for again and again without building the old lines anew.
    #[must_use]
    pub fn highlight_after(
        &self,
        skip: usize,
        language: &str,
        code: &str,
        theme: &Theme,
    ) -> Option<Vec<Line<'static>>> {
        let Some(shared) = self.shared.as_ref().filter(|_| is_worth_it(language, code)) else {
            return Some(plain(code).skip(skip).map(|line| plain_line(line, theme)).collect());
        };
        let key = shared.key(language, code);
        let pieces = shared.find_or_ask(key, language, code)?;
        Some(styled(code, &pieces, skip, theme))
    }

    /// What [`Highlighter::is_ready`] wants to hear about this code.
    #[must_use]
    pub fn key(&self, language: &str, code: &str) -> u64 {
        self.shared.as_ref().map_or(0, |shared| shared.key(language, code))
    }

    /// Whether asking again is of use: the answer is there, or the question was forgotten and
    /// there is room for it now.
    #[must_use]
    pub fn is_ready(&self, key: u64) -> bool {
        let Some(shared) = &self.shared else { return true };
        let state = shared.lock();
        state.cache.contains(key) || (!state.is_waiting(key) && state.queue.len() < MAX_QUEUE)
    }

    /// Grows with every answer.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.shared.as_ref().map_or(0, |shared| shared.generation.load(Ordering::Acquire))
    }
}

impl Drop for Highlighter {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.lock().closed = true;
            shared.work.notify_all();
        }
    }
}

struct Shared {
    state: Mutex<State>,
    work: Condvar,
    generation: AtomicU64,
    hasher: RandomState,
    wake: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    current: Option<u64>,
    cache: Cache,
    started: bool,
    closed: bool,
}

struct Job {
    key: u64,
    language: String,
    code: String,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self, language: &str, code: &str) -> u64 {
        self.hasher.hash_one((language, code))
    }

    fn find_or_ask(self: &Arc<Self>, key: u64, language: &str, code: &str) -> Option<Arc<Pieces>> {
        let mut state = self.lock();
        if let Some(pieces) = state.cache.get(key) {
            return Some(pieces);
        }
        if state.is_waiting(key) {
            return None;
        }
        if !state.started {
            let shared = Arc::clone(self);
            let thread = thread::Builder::new().name("highlight".to_owned());
            if thread.spawn(move || worker::run(&shared)).is_err() {
                return Some(Arc::default());
            }
            state.started = true;
        }
        if state.queue.len() >= MAX_QUEUE {
            state.queue.pop_front();
        }
        let job = Job { key, language: language.to_owned(), code: code.to_owned() };
        state.queue.push_back(job);
        drop(state);
        self.work.notify_one();
        None
    }
}

impl State {
    fn is_waiting(&self, key: u64) -> bool {
        self.current == Some(key) || self.queue.iter().any(|job| job.key == key)
    }
}

fn is_worth_it(language: &str, code: &str) -> bool {
    !language.is_empty()
        && code.len() <= MAX_BLOCK
        && code.bytes().filter(|&byte| byte == b'\n').count() <= MAX_LINES
}

fn plain(code: &str) -> impl Iterator<Item = &str> {
    code.split_terminator('\n')
}

fn plain_line(line: &str, theme: &Theme) -> Line<'static> {
    Line::from(Span::styled(line.to_owned(), theme.code))
}

fn styled(code: &str, pieces: &Pieces, skip: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for (index, line) in plain(code).enumerate().skip(skip) {
        let mut spans = Vec::new();
        let mut rest = line;
        for (length, syntax) in pieces.get(index).into_iter().flatten() {
            let Some((head, tail)) = rest.split_at_checked(*length as usize) else { break };
            spans.push(Span::styled(head.to_owned(), theme.syntax(*syntax)));
            rest = tail;
        }
        if !rest.is_empty() {
            spans.push(Span::styled(rest.to_owned(), theme.code));
        }
        out.push(Line::from(spans));
    }
    out
}

#[cfg(test)]
mod tests;
