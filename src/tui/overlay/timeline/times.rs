//! When a turn began and ended, and when each of its requests went out, was answered and was
//! complete. Owns these moments; knows neither events nor drawing.
//!
//! Invariant: a request has an end as soon as the next one begins or the turn is over.

use std::time::{Duration, Instant};

use crate::tui::cell::iteration::course::Stretch;

/// The moments of the running turn, else of the last one.
#[derive(Debug, Default)]
pub(in crate::tui) struct TurnTimes {
    began: Option<Instant>,
    ended: Option<Instant>,
    requests: Vec<Request>,
}

/// The moments of one request.
#[derive(Debug)]
pub(in crate::tui) struct Request {
    number: u32,
    requested: Instant,
    /// The first word or call of the answer that counts.
    heard: Option<Instant>,
    /// Its calls were planned, or it ended without any.
    ended: Option<Instant>,
    retries: u32,
}

impl TurnTimes {
    pub(in crate::tui) fn turn_began(&mut self, now: Instant) {
        *self = Self { began: Some(now), ..Self::default() };
    }

    pub(in crate::tui) fn requested(&mut self, number: u32, now: Instant) {
        self.complete(now);
        let request = Request { number, requested: now, heard: None, ended: None, retries: 0 };
        self.requests.push(request);
    }

    pub(in crate::tui) fn heard(&mut self, now: Instant) {
        if let Some(request) = self.open() {
            request.heard.get_or_insert(now);
        }
    }

    /// What was heard is discarded; the request is sent again.
    pub(in crate::tui) fn retried(&mut self) {
        if let Some(request) = self.open() {
            request.heard = None;
            request.retries += 1;
        }
    }

    /// The answer is complete.
    pub(in crate::tui) fn complete(&mut self, now: Instant) {
        if let Some(request) = self.open() {
            request.ended = Some(now);
        }
    }

    pub(in crate::tui) fn turn_ended(&mut self, now: Instant) {
        self.complete(now);
        if self.began.is_some() {
            self.ended.get_or_insert(now);
        }
    }

    pub(in crate::tui) fn requests(&self) -> &[Request] {
        &self.requests
    }

    pub(in crate::tui) fn runs(&self) -> bool {
        self.began.is_some() && self.ended.is_none()
    }

    /// From the beginning to the end, or to now.
    pub(in crate::tui) fn stretch(&self, now: Instant) -> Option<(Instant, Instant)> {
        Some((self.began?, self.ended.unwrap_or(now)))
    }

    pub(in crate::tui) fn whole(&self, now: Instant) -> Duration {
        self.stretch(now)
            .map_or(Duration::ZERO, |(began, end)| end.saturating_duration_since(began))
    }

    fn open(&mut self) -> Option<&mut Request> {
        self.requests.last_mut().filter(|request| request.ended.is_none())
    }
}

impl Request {
    pub(in crate::tui) fn number(&self) -> u32 {
        self.number
    }

    pub(in crate::tui) fn heard(&self) -> Option<Instant> {
        self.heard
    }

    /// From the request to its plan or end.
    pub(in crate::tui) fn stretch(&self) -> Stretch {
        (self.requested, self.ended)
    }

    /// ` · 2 retries`; nothing if there was none.
    pub(in crate::tui) fn retries_in_words(&self) -> String {
        match self.retries {
            0 => String::new(),
            1 => " · 1 retry".to_owned(),
            retries => format!(" · {retries} retries"),
        }
    }
}
