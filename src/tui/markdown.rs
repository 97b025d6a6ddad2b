//! Markdown that streams in, drawn as lines.
//!
//! Owns the source and the lines drawn for one width and theme. Must not know where the text
//! comes from; it is expected to be neutralised already.
//!
//! Invariant: however the text is cut into pieces, the lines at its end are the same. What is
//! drawn while it grows costs about as much as what came since the last time, not as much as
//! the whole.

mod bare;
pub(super) mod blocks;
mod code;
mod containers;
mod context;
mod fence;
mod fence_view;
mod inline;
mod mend;
mod outline;
mod render;
mod table;

use std::{fmt, ops::Range};

use ratatui::text::{Line, Span};

use super::{highlight::Highlighter, links::Links, theme::Theme, wrap::wrap_line};
use code::language;
use context::Context;
use fence::Fence;
use fence_view::FenceView;
use mend::mend;
use outline::{Block, LARGE_TAIL, Outline, SMALL_TAIL, has_grown};
use render::{Rendered, has_blank_line, render};

/// A raw line, in bytes, that is broken before it is complete.
const RAW_LINE: usize = 1024;

/// A text in markdown that may still grow.
#[derive(Default)]
pub struct Markdown {
    source: String,
    ended: bool,
    outline: Outline,
    links: Links,
    view: View,
}

impl fmt::Debug for Markdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Markdown").field("source", &self.source).finish_non_exhaustive()
    }
}

impl Markdown {
    /// An empty text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty text whose links are among these.
    pub(super) fn linking(links: Links) -> Self {
        Self { links, ..Self::default() }
    }

    /// Appends a piece of the text. Control characters other than line feed and tab are
    /// dropped. Nothing is drawn yet.
    pub fn push(&mut self, piece: &str) {
        if piece.chars().any(is_dropped) {
            self.source.extend(piece.chars().filter(|&c| !is_dropped(c)));
        } else {
            self.source.push_str(piece);
        }
    }

    /// Says that the text is complete: from now on it is drawn as it is.
    pub fn finish(&mut self) {
        self.ended = true;
        if self.outline.has_definitions() {
            self.outline = Outline::default();
            self.view = View::default();
        }
    }

    /// Whether the text is complete.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.ended
    }

    /// The text so far, as it came.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The text drawn at this width, in columns. Kept until the text, the width, the theme or
    /// the colours of its code change. Blank lines stand between blocks, none at either end.
    pub fn lines(
        &mut self,
        width: u16,
        theme: &Theme,
        highlighter: &Highlighter,
    ) -> &[Line<'static>] {
        self.outline.advance(&self.source, self.ended);
        if self.view.width != width || self.view.theme.as_ref() != Some(theme) {
            self.view = View { width, theme: Some(theme.clone()), ..View::default() };
        }
        let text = Text { source: &self.source, ended: self.ended, outline: &self.outline };
        self.view
            .update(text, Context { width, theme, highlighter, links: &self.links, grows: false });
        &self.view.lines
    }
}

fn is_dropped(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

#[derive(Clone, Copy)]
struct Text<'a> {
    source: &'a str,
    ended: bool,
    outline: &'a Outline,
}

/// The lines for one width and theme: those of the finished blocks, then those of the tail.
#[derive(Default)]
struct View {
    width: u16,
    theme: Option<Theme>,
    lines: Vec<Line<'static>>,
    /// Number of finished blocks that are drawn, of their lines, and where those of each begin,
    /// the gap before them included.
    blocks: usize,
    rows: usize,
    starts: Vec<usize>,
    /// Where in the source the last thing that was drawn for good ends.
    end: usize,
    waiting: Vec<Waiting>,
    fence: Option<FenceView>,
    tail: Tail,
    /// Length of the source, its state and the highlighter's generation when last drawn.
    seen: Option<(usize, bool, u64)>,
    /// Bytes of the largest tail that was drawn as markdown.
    #[cfg(test)]
    largest_parsed: usize,
}

/// A finished block with code that is still plain.
struct Waiting {
    block: usize,
    rows: Range<usize>,
    pending: Vec<u64>,
}

/// What is drawn of the tail; places count from where it starts.
#[derive(Default)]
struct Tail {
    start: usize,
    /// Where the part ends that was drawn as markdown.
    parsed: usize,
    /// Where the raw lines end that need no more drawing, and the number of lines then.
    raw: usize,
    rows: usize,
    /// Some code is still plain, as of that generation of the highlighter.
    is_pending: bool,
    generation: u64,
}

impl View {
    fn update(&mut self, text: Text<'_>, context: Context<'_>) {
        let generation = context.highlighter.generation();
        let now = (text.source.len(), text.ended, generation);
        if self.seen == Some(now) {
            return;
        }
        if self.seen.is_some_and(|(_, _, seen)| seen != generation) {
            self.recolour(text, context);
        }
        self.draw_finished(text, context);
        match &text.outline.fence {
            Some(fence) => self.draw_fence(fence, text, context),
            None => self.draw_tail(text, context),
        }
        // The generation of before: an answer that came meanwhile is taken the next time.
        self.seen = Some(now);
    }

    fn draw_fence(&mut self, fence: &Fence, text: Text<'_>, context: Context<'_>) {
        let kept = self.fence.take().filter(|view| view.start == fence.start);
        let mut view = kept.unwrap_or_else(|| {
            self.lines.truncate(self.rows);
            FenceView::new(fence, &mut self.lines, context)
        });
        view.draw(fence, text.source, &mut self.lines, context);
        FenceView::draw_partial(fence, text.source, &mut self.lines, context);
        self.fence = Some(view);
    }

    fn draw_finished(&mut self, text: Text<'_>, context: Context<'_>) {
        let new = text.outline.finished.get(self.blocks..).unwrap_or_default();
        for block in new {
            self.tail = Tail::default();
            self.starts.push(self.rows);
            let grown = self.fence.take().filter(|view| view.start == block.range.start);
            let is_drawn = match (grown, &block.fence) {
                (Some(view), Some(fence)) => self.keep_fence(view, fence, text, context),
                _ => false,
            };
            if !is_drawn {
                self.draw_block(block, text, context);
            }
            self.blocks += 1;
        }
    }

    fn draw_block(&mut self, block: &Block, text: Text<'_>, context: Context<'_>) {
        self.lines.truncate(self.rows);
        let Rendered { lines, pending, end } = draw(block, text, context);
        if lines.is_empty() {
            return;
        }
        push_gap(&mut self.lines, block, text.source.get(self.end..block.range.start));
        let row = self.lines.len();
        self.lines.extend(lines);
        self.rows = self.lines.len();
        self.end = block.range.start + end;
        if !pending.is_empty() {
            let rows = row..self.rows;
            self.waiting.push(Waiting { block: self.blocks, rows, pending });
        }
    }

    /// A fence that is complete keeps the lines that were drawn while it grew, so that they do
    /// not turn plain for a moment. False if it must be drawn as any other block.
    fn keep_fence(
        &mut self,
        mut view: FenceView,
        fence: &Fence,
        text: Text<'_>,
        context: Context<'_>,
    ) -> bool {
        view.draw(fence, text.source, &mut self.lines, context);
        let language = language(&fence.info);
        let code = text.source.get(fence.body..fence.code_end).unwrap_or_default();
        if self.lines.len() <= view.first_row() {
            return false;
        }
        if !language.is_empty() && !view.is_bright() {
            let highlighter = context.highlighter;
            if highlighter.highlight_after(usize::MAX, language, code, context.theme).is_some() {
                return false;
            }
            let pending = vec![highlighter.key(language, code)];
            let rows = view.first_row()..self.lines.len();
            self.waiting.push(Waiting { block: self.blocks, rows, pending });
        }
        self.rows = self.lines.len();
        self.end = fence.end;
        true
    }

    fn draw_tail(&mut self, text: Text<'_>, context: Context<'_>) {
        self.fence = None;
        let start = text.outline.tail;
        let Some(tail) = text.source.get(start..).filter(|tail| !tail.is_empty()) else {
            return self.lines.truncate(self.rows);
        };
        if self.tail.start != start {
            self.tail = Tail { start, ..Tail::default() };
        }
        let generation = context.highlighter.generation();
        let is_recoloured = self.tail.is_pending && self.tail.generation != generation;
        let is_worth_it = tail.len() <= LARGE_TAIL && has_grown(self.tail.parsed, tail.len());
        if is_worth_it || is_recoloured && tail.len() < SMALL_TAIL {
            #[cfg(test)]
            {
                self.largest_parsed = self.largest_parsed.max(tail.len());
            }
            self.lines.truncate(self.rows);
            let is_pending = self.draw_parsed(tail, text, context);
            let (length, rows) = (tail.len(), self.lines.len());
            self.tail = Tail { start, parsed: length, raw: length, rows, is_pending, generation };
        } else {
            self.draw_raw(tail, context);
        }
    }

    /// Draws the tail as markdown. True if some of its code is still plain.
    fn draw_parsed(&mut self, tail: &str, text: Text<'_>, context: Context<'_>) -> bool {
        let mended = mend(tail);
        let mut is_pending = false;
        for block in text.outline.tail_blocks(&mended) {
            let source = mended.get(block.range.clone()).unwrap_or_default();
            let context = Context { grows: true, ..context };
            let rendered = render(source, block.number, &text.outline.definitions, context);
            if rendered.lines.is_empty() {
                continue;
            }
            let start = text.outline.tail + block.range.start;
            push_gap(&mut self.lines, &block, text.source.get(self.end..start));
            self.lines.extend(rendered.lines);
            is_pending |= !rendered.pending.is_empty();
        }
        is_pending
    }

    /// Appends what came since the tail was parsed, as it is. Each piece is wrapped once, but
    /// for the last line, which may still grow up to [`RAW_LINE`].
    fn draw_raw(&mut self, tail: &str, context: Context<'_>) {
        self.lines.truncate(self.tail.rows);
        let mut rest = tail.get(self.tail.raw..).unwrap_or_default();
        while let Some(end) = raw_line_end(rest) {
            let (line, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            self.lines.extend(raw_rows(line, context));
            self.tail.raw += line.len();
            self.tail.rows = self.lines.len();
            rest = after;
        }
        if !rest.is_empty() {
            self.lines.extend(raw_rows(rest, context));
        }
    }

    /// Draws the blocks anew whose code was highlighted meanwhile.
    fn recolour(&mut self, text: Text<'_>, context: Context<'_>) {
        for mut waiting in std::mem::take(&mut self.waiting) {
            let is_ready = waiting.pending.iter().any(|&key| context.highlighter.is_ready(key));
            let block = text.outline.finished.get(waiting.block).filter(|_| is_ready);
            if let Some(block) = block {
                let Rendered { lines, pending, .. } = draw(block, text, context);
                // The text is the same, and so is the number of rows.
                let rows = self.lines.get_mut(waiting.rows.clone()).unwrap_or_default();
                rows.iter_mut().zip(lines).for_each(|(row, line)| *row = line);
                waiting.pending = pending;
            }
            if !waiting.pending.is_empty() {
                self.waiting.push(waiting);
            }
        }
    }
}

fn draw(block: &Block, text: Text<'_>, context: Context<'_>) -> Rendered {
    let source = text.source.get(block.range.clone()).unwrap_or_default();
    render(source, block.number, &text.outline.definitions, context)
}

fn push_gap(lines: &mut Vec<Line<'static>>, block: &Block, between: Option<&str>) {
    if !lines.is_empty() && (!block.continues || has_blank_line(between.unwrap_or_default())) {
        lines.push(Line::default());
    }
}

/// Where the first line ends, if it is complete or long enough to be broken here.
fn raw_line_end(text: &str) -> Option<usize> {
    let start = text.get(..text.floor_char_boundary(RAW_LINE)).unwrap_or_default();
    if let Some(newline) = start.find('\n') {
        return Some(newline + 1);
    }
    (text.len() > RAW_LINE).then(|| start.rfind(' ').map_or(start.len(), |blank| blank + 1))
}

fn raw_rows(line: &str, context: Context<'_>) -> Vec<Line<'static>> {
    let line = Line::from(Span::styled(line.trim_end_matches('\n'), context.theme.text));
    wrap_line(&line, context.width, &[], &[])
}

#[cfg(test)]
mod tests;
