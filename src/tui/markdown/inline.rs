//! Text within a block: emphasis, code, links, images. Owns the spans of the block that is
//! being read; must not know blocks, widths or wrapping.
//!
//! Invariant: every text that comes in stands in the spans, in its order; marks that carry
//! meaning beyond an attribute stay visible.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::{
    super::{
        links::{Links, address},
        theme::{Theme, link::numbered},
    },
    bare::{Bare, addresses},
};
use crate::text::sanitize::sanitize;

/// The spans of one block, in rows that its hard breaks make.
pub(super) struct Inline<'a> {
    theme: &'a Theme,
    rows: Vec<Line<'static>>,
    row: Vec<Span<'static>>,
    styles: Vec<Style>,
    links: &'a Links,
    targets: Vec<Target>,
}

/// Where an open link or image leads, and what stands in it so far.
struct Target {
    url: String,
    text: String,
    /// Its number, where the terminal leads to it from the text.
    number: Option<u32>,
}

impl<'a> Inline<'a> {
    pub(super) fn new(theme: &'a Theme, links: &'a Links) -> Self {
        Self {
            theme,
            rows: Vec::new(),
            row: Vec::new(),
            styles: Vec::new(),
            links,
            targets: Vec::new(),
        }
    }

    pub(super) fn push_style(&mut self, style: Style) {
        let outer = self.styles.last().copied().unwrap_or(self.theme.text);
        self.styles.push(outer.patch(style));
    }

    pub(super) fn pop_style(&mut self) {
        self.styles.pop();
    }

    /// What stands as entities in the source has not been neutralised before.
    pub(super) fn text(&mut self, text: &str) {
        let text = &*sanitize(text);
        for target in &mut self.targets {
            target.text.push_str(text);
        }
        let style = self.styles.last().copied().unwrap_or(self.theme.text);
        self.row.push(Span::styled(text.replace('\n', " "), style));
    }

    /// Neutralised text in which an address becomes a link, unless it stands in one; at the end of a text that
    /// goes on it may not be complete.
    pub(super) fn prose(&mut self, text: &str, goes_on: bool) {
        let mut from = 0;
        let found = if self.targets.is_empty() { addresses(text) } else { Vec::new() };
        for Bare { range, target } in found {
            let behind = text.get(range.end..).unwrap_or_default();
            let is_cut = goes_on && !behind.contains(char::is_whitespace);
            // Without links a target that is not in the text would follow in brackets.
            let is_target = text.get(range.clone()) == Some(target.as_str());
            if is_cut || !is_target && self.links.number(&target).is_none() {
                continue;
            }
            self.text(text.get(from..range.start).unwrap_or_default());
            self.open_link(&target);
            self.text(text.get(range.clone()).unwrap_or_default());
            self.close_target();
            from = range.end;
        }
        self.text(text.get(from..).unwrap_or_default());
    }

    pub(super) fn styled(&mut self, style: Style, text: &str) {
        self.push_style(style);
        self.text(text);
        self.pop_style();
    }

    /// Code keeps its marks, so that it is told apart without colours.
    pub(super) fn code(&mut self, code: &str) {
        self.styled(self.theme.inline_code, &format!("`{code}`"));
    }

    pub(super) fn hard_break(&mut self) {
        self.rows.push(Line::from(std::mem::take(&mut self.row)));
    }

    pub(super) fn open_link(&mut self, url: &str) {
        let number = self.links.number(url);
        self.targets.push(Target { url: url.to_owned(), text: String::new(), number });
        self.push_style(linked(self.theme.link, number));
    }

    pub(super) fn open_image(&mut self, url: &str) {
        self.styled(self.theme.dim, "image: ");
        // Within a link the text leads where the link does.
        let number = self.targets.is_empty().then(|| self.links.number(url)).flatten();
        let style = number.map_or(self.theme.text, |_| linked(self.theme.link, number));
        self.targets.push(Target { url: url.to_owned(), text: String::new(), number });
        self.push_style(style);
    }

    /// Ends a link or an image: its target follows unless the text says the same, or leads there
    /// and claims nothing else.
    pub(super) fn close_target(&mut self) {
        self.pop_style();
        let Some(Target { url, text, number }) = self.targets.pop() else { return };
        let says_the_same = text == url || url.strip_prefix("mailto:") == Some(text.as_str());
        let can_be_seen = text.chars().any(char::is_alphanumeric);
        let leads_there = number.is_some() && can_be_seen && !address::is_claimed_by(&text, &url);
        if url.is_empty() || says_the_same || leads_there {
            return;
        }
        let shown = if text.is_empty() { url } else { format!(" ({url})") };
        self.styled(linked(self.theme.url, number), &shown);
    }

    /// The rows of the block that ends here; none if nothing came.
    pub(super) fn take(&mut self) -> Vec<Line<'static>> {
        if !self.row.is_empty() {
            self.hard_break();
        }
        self.targets.clear();
        std::mem::take(&mut self.rows)
    }
}

fn linked(style: Style, number: Option<u32>) -> Style {
    number.map_or(style, |number| numbered(style, number))
}
