//! Fenced code that is still growing, drawn line by line. Owns what is drawn of it; must not know
//! other blocks.
//!
//! Invariant: the rows are those that the renderer draws for the same code, and the work for
//! each new line does not depend on how much code stands before it, apart from the questions
//! to the highlighter, which are asked at a bounded pace.

use ratatui::text::{Line, Span};

use super::{
    super::wrap::wrap_line,
    code::{code_label, code_rows, language},
    containers::Containers,
    context::Context,
    fence::Fence,
    outline::has_grown,
};

/// What is drawn of a growing fence.
#[derive(Debug)]
pub(super) struct FenceView {
    /// Which fence it is.
    pub(super) start: usize,
    /// Rows before the fence, and the gap between.
    pub(super) before: usize,
    /// Where in the source the lines end that are drawn, and the number of rows then.
    drawn: (usize, usize),
    /// As `drawn`, for the lines that are highlighted; and how many lines these are.
    bright: (usize, usize),
    bright_lines: usize,
    /// The question that is open: where its code ends, and the generation it was asked in.
    asked: Option<(usize, u64)>,
}

impl FenceView {
    /// Draws the head of a fence below what is in `lines`.
    pub(super) fn new(fence: &Fence, lines: &mut Vec<Line<'static>>, context: Context<'_>) -> Self {
        let before = lines.len();
        if before > 0 {
            lines.push(Line::default());
        }
        if let Some(label) = code_label(&fence.info, context) {
            lines.extend(wrap_line(&label, context.width, &[], &[]));
        }
        let at = (fence.body, lines.len());
        Self { start: fence.start, before, drawn: at, bright: at, bright_lines: 0, asked: None }
    }

    /// Brings the complete lines up to date; `lines` then ends with them.
    pub(super) fn draw(
        &mut self,
        fence: &Fence,
        source: &str,
        lines: &mut Vec<Line<'static>>,
        context: Context<'_>,
    ) {
        lines.truncate(self.drawn.1);
        self.take_answer(fence, source, lines, context);
        self.draw_plain(source, fence.code_end, lines, context);
        let (bright, end) = (self.bright.0, fence.code_end);
        let grown = has_grown(bright - fence.body, end - fence.body);
        if self.asked.is_none() && grown && !language(&fence.info).is_empty() {
            self.asked = Some((end, context.highlighter.generation()));
            self.take(fence, source, lines, context);
        }
    }

    /// Draws the line that is not complete yet.
    pub(super) fn draw_partial(
        fence: &Fence,
        source: &str,
        lines: &mut Vec<Line<'static>>,
        context: Context<'_>,
    ) {
        let partial = source.get(fence.code_end..).unwrap_or_default();
        if !fence.may_be_closed_by(partial) {
            lines.extend(plain_rows(partial, context));
        }
    }

    /// Whether all that is drawn is highlighted.
    pub(super) fn is_bright(&self) -> bool {
        self.bright == self.drawn
    }

    /// The first row of the block, after the gap.
    pub(super) fn first_row(&self) -> usize {
        if self.before > 0 { self.before + 1 } else { 0 }
    }

    fn draw_plain(
        &mut self,
        source: &str,
        end: usize,
        lines: &mut Vec<Line<'static>>,
        context: Context<'_>,
    ) {
        let new = source.get(self.drawn.0..end).unwrap_or_default();
        for line in new.split_terminator('\n') {
            lines.extend(plain_rows(line, context));
        }
        self.drawn = (end, lines.len());
    }

    fn take_answer(
        &mut self,
        fence: &Fence,
        source: &str,
        lines: &mut Vec<Line<'static>>,
        context: Context<'_>,
    ) {
        if self.asked.is_some_and(|(_, asked)| asked != context.highlighter.generation()) {
            self.take(fence, source, lines, context);
        }
    }

    /// Puts highlighted lines in the place of plain ones if the answer is there.
    fn take(
        &mut self,
        fence: &Fence,
        source: &str,
        lines: &mut Vec<Line<'static>>,
        context: Context<'_>,
    ) {
        let Some((end, _)) = self.asked else { return };
        let Context { theme, highlighter, .. } = context;
        let code = source.get(fence.body..end).unwrap_or_default();
        let language = language(&fence.info);
        // Read before asking: an answer that comes in between is then seen the next time.
        let generation = highlighter.generation();
        let answer = highlighter.highlight_after(self.bright_lines, language, code, theme);
        let Some(answer) = answer else {
            self.asked = Some((end, generation));
            return;
        };
        let drawn = self.drawn.0;
        lines.truncate(self.bright.1);
        self.bright_lines += answer.len();
        for line in answer {
            lines.extend(rows(&line, context));
        }
        self.bright = (end, lines.len());
        self.drawn = self.bright;
        self.asked = None;
        self.draw_plain(source, drawn, lines, context);
    }
}

fn plain_rows(line: &str, context: Context<'_>) -> Vec<Line<'static>> {
    let line = Line::from(Span::styled(line.to_owned(), context.theme.code));
    rows(&line, context)
}

fn rows(line: &Line<'static>, context: Context<'_>) -> Vec<Line<'static>> {
    code_rows(line, context, Containers::default().indents(context.width))
}
