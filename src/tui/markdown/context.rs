//! What drawing depends on besides the text. Knows no markdown.

use super::super::{highlight::Highlighter, links::Links, theme::Theme};

/// What drawing depends on besides the text.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) width: u16,
    pub(super) theme: &'a Theme,
    pub(super) highlighter: &'a Highlighter,
    pub(super) links: &'a Links,
    /// The end of the text may still grow.
    pub(super) grows: bool,
}
