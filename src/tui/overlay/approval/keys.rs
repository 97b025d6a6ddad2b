//! The words for the keys of a question. Owns which of them are told, and where they break.
//! Must not know what a key does.

use std::borrow::Cow;

use ratatui::text::{Line, Span};

use super::{Approval, Look, review::Review};
use crate::tui::{
    keymap::{Action, Keys, Moment, review::OnReview},
    signs::BETWEEN,
    wrap,
};

/// While a question about a write has the focus.
fn asked() -> Moment {
    Moment {
        busy: true,
        empty: true,
        question: true,
        review: true,
        asked: true,
        ..Moment::default()
    }
}

/// A key that does this, as people write it; empty if there is none any more.
fn key(keys: &Keys, action: Action) -> Cow<'static, str> {
    match keys.label(action, asked()).unwrap_or_default() {
        // It takes two presses.
        "a a" => Cow::Borrowed("aa"),
        label if action == Action::AllowSession => Cow::Owned(format!("{label} {label}")),
        "Left" => Cow::Borrowed("←"),
        "Right" => Cow::Borrowed("→"),
        label => Cow::Owned(label.to_owned()),
    }
}

/// Words for keys on one row: the first ones, and as many others as there is room for; the last
/// word leads to those that are left out.
fn fitting(mut words: Vec<String>, more: Vec<String>, (rest, width): (&str, u16)) -> String {
    let columns = |words: &[String]| wrap::width(&words.join(BETWEEN));
    let all = words.iter().chain(&more).cloned().collect::<Vec<_>>();
    if columns(&all) <= usize::from(width) {
        return all.join(BETWEEN);
    }
    for one in more {
        let with = words.iter().cloned().chain([one, rest.to_owned()]).collect::<Vec<_>>();
        if columns(&with) > usize::from(width) {
            break;
        }
        words = with;
        words.pop();
    }
    let with = words.iter().cloned().chain([rest.to_owned()]).collect::<Vec<_>>();
    if columns(&with) <= usize::from(width) { with } else { words }.join(BETWEEN)
}

impl Approval {
    /// What a narrow screen has room for: what answers first, and how to find the rest.
    fn short_words(&self, look: &Look<'_>, width: u16) -> String {
        let keys = format!("{} keys", key(look.keys, Action::Help));
        let key = |action| key(look.keys, action);
        if self.word.is_some() {
            return "Enter no, with this · Esc back".to_owned();
        }
        if self.is_left(look) {
            let answers = [Action::AllowOnce, Action::AllowSession, Action::Deny, Action::DenyWith];
            let answers = answers.map(key);
            let answers = answers.join(" · ");
            if look.searching {
                return format!("Esc, {}: {answers}", self.behind_esc(look));
            }
            return format!("{} answer it: {answers}", key(Action::Focus));
        }
        if self.sure.is_some() {
            return "the same once more: this session".to_owned();
        }
        let told = |action, words: &str| format!("{} {words}", key(action));
        let (yes, no) = (told(Action::AllowOnce, "yes"), told(Action::Deny, "no"));
        let (session, why) = (told(Action::AllowSession, "session"), told(Action::DenyWith, "why"));
        let stop = told(Action::Abort, "stop");
        let Some(review) = &self.review else {
            return fitting(vec![yes, no, session, why], vec![stop], (&keys, width));
        };
        let mut more = Vec::new();
        if review.has_choice() {
            more.push(told(Action::Review(OnReview::Take), "part"));
            let before = key(Action::Review(OnReview::Previous));
            more.push(format!("{before} {}", told(Action::Review(OnReview::Next), "parts")));
        }
        if review.can_be_edited() {
            more.push(told(Action::Review(OnReview::Edit), "edit"));
        }
        if !review.is_changed() {
            more.push(session);
        }
        more.push(why);
        fitting(vec![yes, no, stop], more, (&keys, width))
    }

    /// Which keys answer, for whoever has pressed one that does not; in so many columns.
    pub(in crate::tui) fn answers(&self, keys: &Keys, columns: u16) -> String {
        let is_changed = self.review.as_ref().is_some_and(Review::is_changed);
        let session = Some((Action::AllowSession, "session")).filter(|_| !is_changed);
        let words = [Some((Action::AllowOnce, "yes")), session, Some((Action::Deny, "no"))];
        let words = words.into_iter().flatten().chain([(Action::DenyWith, "why")]);
        let told = words.filter_map(|(action, words)| {
            let key = key(keys, action);
            (!key.trim().is_empty()).then(|| format!("{key} {words}"))
        });
        let told = told.collect::<Vec<_>>().join(BETWEEN);
        let long = format!("answer: {told}");
        if wrap::width(&long) + 2 <= usize::from(columns) { long } else { told }
    }

    /// The words for the keys, on one row.
    pub(super) fn short_keys(&self, width: u16, look: &Look<'_>) -> Line<'static> {
        wrap::cut_line(&Line::from(Span::raw(self.short_words(look, width))), width)
    }

    /// What answers once Esc has closed a search.
    fn behind_esc(&self, look: &Look<'_>) -> String {
        if self.leaves_keys(look.drafting) {
            format!("{} answers", key(look.keys, Action::Focus))
        } else {
            "then".to_owned()
        }
    }

    /// The keys that answer, with their words.
    fn words(&self, look: &Look<'_>) -> Vec<(Cow<'static, str>, Cow<'static, str>)> {
        let keys = look.keys;
        let told = |action, words: &'static str| (key(keys, action), Cow::Borrowed(words));
        if self.word.is_some() {
            return vec![
                ("Enter".into(), "no, with this word".into()),
                ("Esc".into(), "back to the question".into()),
            ];
        }
        let review = self.review.as_ref();
        let is_changed = review.is_some_and(Review::is_changed);
        let yes = if is_changed { "yes, what is taken" } else { "yes, once" };
        let session = format!("{}, this session", self.question.session_grant);
        if let Some(first) = self.sure.filter(|_| !self.is_left(look)) {
            return vec![
                (first.code.to_string().into(), format!("once more: {session}").into()),
                ("Backspace".into(), "not that".into()),
                told(Action::Abort, "stop"),
            ];
        }
        let mut words = Vec::new();
        if look.searching {
            let words_of_esc = format!("closes the search, {}:", self.behind_esc(look));
            words.push(("Esc".into(), words_of_esc.into()));
        } else if self.is_left(look) {
            words.push(told(Action::Focus, "answer it:"));
        }
        words.push(told(Action::AllowOnce, yes));
        if !is_changed {
            words.push((key(keys, Action::AllowSession), session.into()));
        }
        words.push(told(Action::Deny, "no"));
        words.push(told(Action::DenyWith, "no, and tell it why"));
        if review.is_some_and(Review::has_choice) {
            words.push(told(Action::Review(OnReview::Take), "take or leave"));
            let (before, next) = (
                key(keys, Action::Review(OnReview::Previous)),
                key(keys, Action::Review(OnReview::Next)),
            );
            words.push((format!("{before} {next}").into(), "parts".into()));
        }
        if review.is_some_and(Review::can_be_edited) {
            words.push(told(Action::Review(OnReview::Edit), "edit it"));
        }
        words.push(told(Action::Abort, "stop"));
        words.retain(|(key, _)| !key.trim().is_empty());
        words
    }

    /// The keys that answer, as many on a row as fit; a key and its words stay together.
    pub(super) fn keys(&self, width: u16, look: &Look<'_>) -> Vec<Line<'static>> {
        let theme = look.theme;
        let mut rows: Vec<Line<'static>> = Vec::new();
        let mut room = 0;
        for (key, words) in self.words(look) {
            let wanted = wrap::width(&key) + 1 + wrap::width(&words) + 3;
            if wanted > room {
                rows.push(Line::default());
                room = usize::from(width) + 3;
            }
            room = room.saturating_sub(wanted);
            if let Some(row) = rows.last_mut() {
                if !row.spans.is_empty() {
                    row.push_span(Span::raw("   "));
                }
                row.push_span(Span::styled(key, theme.strong));
                row.push_span(Span::styled(format!(" {words}"), theme.text));
            }
        }
        rows.iter().flat_map(|row| wrap::wrap_line(row, width, &[], &[])).collect()
    }
}
