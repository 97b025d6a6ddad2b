//! Text within a block: emphasis, code, links, images. Owns the spans of the block that is
//! being read; must not know blocks, widths or wrapping.
//!
//! Invariant: every text that comes in stands in the spans, in its order; marks that carry
//! meaning beyond an attribute stay visible.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::super::theme::Theme;

/// The spans of one block, in rows that its hard breaks make.
pub(super) struct Inline<'a> {
    theme: &'a Theme,
    rows: Vec<Line<'static>>,
    row: Vec<Span<'static>>,
    styles: Vec<Style>,
    links: Vec<Target>,
}

/// Where an open link or image leads, and what stands in it so far.
struct Target {
    url: String,
    text: String,
}

impl<'a> Inline<'a> {
    pub(super) fn new(theme: &'a Theme) -> Self {
        Self { theme, rows: Vec::new(), row: Vec::new(), styles: Vec::new(), links: Vec::new() }
    }

    pub(super) fn push_style(&mut self, style: Style) {
        let outer = self.styles.last().copied().unwrap_or(self.theme.text);
        self.styles.push(outer.patch(style));
    }

    pub(super) fn pop_style(&mut self) {
        self.styles.pop();
    }

    pub(super) fn text(&mut self, text: &str) {
        if let Some(link) = self.links.last_mut() {
            link.text.push_str(text);
        }
        let style = self.styles.last().copied().unwrap_or(self.theme.text);
        self.row.push(Span::styled(text.replace('\n', " "), style));
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
        self.links.push(Target { url: url.to_owned(), text: String::new() });
        self.push_style(self.theme.link);
    }

    pub(super) fn open_image(&mut self, url: &str) {
        self.styled(self.theme.dim, "image: ");
        self.links.push(Target { url: url.to_owned(), text: String::new() });
        self.push_style(self.theme.text);
    }

    /// Ends a link or an image: its target follows unless the text says the same.
    pub(super) fn close_target(&mut self) {
        self.pop_style();
        let Some(Target { url, text }) = self.links.pop() else { return };
        let says_the_same = text == url || url.strip_prefix("mailto:") == Some(text.as_str());
        if url.is_empty() || says_the_same {
            return;
        }
        let shown = if text.is_empty() { url } else { format!(" ({url})") };
        self.styled(self.theme.url, &shown);
    }

    /// The rows of the block that ends here; none if nothing came.
    pub(super) fn take(&mut self) -> Vec<Line<'static>> {
        if !self.row.is_empty() {
            self.hard_break();
        }
        self.links.clear();
        std::mem::take(&mut self.rows)
    }
}
