//! How the fields of the status line fit into its columns: what is told elsewhere, too, goes first;
//! then each field says itself in ever fewer words before any of them goes, and they go in the
//! order of their worth.
//!
//! Owns that order. Must not know what a field says. Invariant: a field is drawn in one of its
//! forms or not at all, and which key does what is always drawn.

use ratatui::style::Style;

use crate::tui::{signs::BETWEEN, wrap};

/// What a field is worth: the least goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Worth {
    /// The model, where the header names it.
    Named,
    /// That tools run, beside their number.
    Working,
    Sandbox,
    /// The model, where nothing else names it.
    Model,
    Cost,
    Tools,
    Tokens,
    /// What the model does.
    Doing,
    Budget,
    Iteration,
    /// What has to be done, or little is left of a budget.
    Warning,
    /// What was just done.
    Said,
    /// Which key does what.
    Keys,
}

/// In which order fields get more words where there is room for some: where few words tell less,
/// first.
const GROWTH: [Worth; 11] = [
    Worth::Keys,
    Worth::Said,
    Worth::Warning,
    Worth::Tokens,
    Worth::Budget,
    Worth::Doing,
    Worth::Iteration,
    Worth::Cost,
    Worth::Tools,
    Worth::Model,
    Worth::Sandbox,
];

/// What is told elsewhere, too.
const TWICE: [Worth; 2] = [Worth::Named, Worth::Working];

/// One field of the status line.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) worth: Worth,
    pub(super) style: Style,
    /// The same in ever fewer columns; never empty.
    forms: Vec<String>,
    /// The form in use.
    at: usize,
}

impl Field {
    /// A field in these forms, the longest first; one that is not shorter than the one before it
    /// is none. No field if there is nothing to say.
    pub(super) fn new(
        worth: Worth,
        style: Style,
        forms: impl IntoIterator<Item = String>,
    ) -> Option<Self> {
        let mut kept: Vec<String> = Vec::new();
        for form in forms.into_iter().filter(|form| !form.is_empty()) {
            if kept.last().is_none_or(|last| wrap::width(&form) < wrap::width(last)) {
                kept.push(form);
            }
        }
        let at = kept.len().checked_sub(1)?;
        Some(Self { worth, style, forms: kept, at })
    }

    /// The words in use.
    pub(super) fn words(&self) -> &str {
        self.forms.get(self.at).map_or("", String::as_str)
    }

    /// Columns of the fewest words.
    pub(super) fn least(&self) -> usize {
        self.forms.last().map_or(0, |form| wrap::width(form))
    }

    #[cfg(test)]
    pub(super) fn forms(&self) -> &[String] {
        &self.forms
    }
}

/// The fields for which there is room, in their order, in as many words as fit.
pub(super) fn fit(mut fields: Vec<Field>, room: usize) -> Vec<Field> {
    for twice in TWICE {
        for field in &mut fields {
            field.at = 0;
        }
        if columns(&fields) > room {
            fields.retain(|field| field.worth != twice);
        }
    }
    for field in &mut fields {
        field.at = field.forms.len().saturating_sub(1);
    }
    while columns(&fields) > room {
        let least = fields.iter().map(|field| field.worth).min();
        let Some(least) = least.filter(|worth| *worth != Worth::Keys) else { break };
        // Of several that are worth the same, the last.
        if let Some(at) = fields.iter().rposition(|field| field.worth == least) {
            fields.remove(at);
        }
    }
    while GROWTH.iter().any(|worth| grow(&mut fields, *worth, room)) {}
    fields
}

/// Gives the first field of this worth that has longer words the next ones, if they fit.
fn grow(fields: &mut [Field], worth: Worth, room: usize) -> bool {
    for at in 0..fields.len() {
        let Some(field) = fields.get_mut(at).filter(|field| field.worth == worth) else { continue };
        let Some(longer) = field.at.checked_sub(1) else { continue };
        field.at = longer;
        if columns(fields) <= room {
            return true;
        }
        if let Some(field) = fields.get_mut(at) {
            field.at = longer + 1;
        }
    }
    false
}

fn columns(fields: &[Field]) -> usize {
    let words: usize = fields.iter().map(|field| wrap::width(field.words())).sum();
    words + wrap::width(BETWEEN) * fields.len().saturating_sub(1)
}
