//! One block of markdown, drawn. Owns how each kind of block looks; must not know streams,
//! caches or what stands before and after the block.
//!
//! Invariant: a pure function of text, width, theme, definitions and what the highlighter has
//! ready; no line is wider than the width, and nothing of the text is lost.

use std::ops::Range;

use pulldown_cmark::{
    BlockQuoteKind, BrokenLink, CodeBlockKind, Event, LinkType, Parser, Tag, TagEnd,
};
use ratatui::text::{Line, Span};

use super::{
    super::wrap::{mark, wrap_line},
    code::{code_label, code_rows, info_string, language},
    containers::{Containers, Indents},
    context::Context,
    inline::Inline,
    outline::{Definitions, OPTIONS},
    table::Table,
};
use crate::text::sanitize::sanitize;

/// A drawn block.
#[derive(Default)]
pub(super) struct Rendered {
    pub(super) lines: Vec<Line<'static>>,
    /// Code that was drawn plain because the highlighter is not ready.
    pub(super) pending: Vec<u64>,
    /// Where in the text the last thing that was drawn ends.
    pub(super) end: usize,
}

/// Draws a block; `number` replaces that of the first item, if the block is an ordered list.
pub(super) fn render(
    text: &str,
    number: Option<u64>,
    definitions: &Definitions,
    context: Context<'_>,
) -> Rendered {
    let known = |link: BrokenLink<'_>| Some((definitions.get(&link.reference)?.into(), "".into()));
    let parser = Parser::new_with_broken_link_callback(text, OPTIONS, Some(known));
    let mut renderer = Renderer {
        context,
        text,
        number,
        out: Rendered::default(),
        containers: Containers::default(),
        lists: Vec::new(),
        inline: Inline::new(context.theme, context.links),
        run: String::new(),
        verbatim: None,
        table: Table::default(),
        tight_end: 0,
        gap_at: None,
    };
    for (event, range) in parser.into_offset_iter() {
        renderer.event(event, &range);
    }
    renderer.out
}

struct Renderer<'a> {
    context: Context<'a>,
    text: &'a str,
    number: Option<u64>,
    out: Rendered,
    containers: Containers,
    lists: Vec<Option<u64>>,
    inline: Inline<'a>,
    /// Text that comes in pieces, as far as it came.
    run: String,
    /// Text of a code or HTML block, and the info string if it is code.
    verbatim: Option<(Option<String>, String)>,
    table: Table,
    /// Where the inline event that came last ends.
    tight_end: usize,
    /// Number of lines when the last gap was drawn.
    gap_at: Option<usize>,
}

impl Renderer<'_> {
    fn event(&mut self, event: Event<'_>, range: &Range<usize>) {
        let theme = self.context.theme;
        if !matches!(event, Event::Start(_) | Event::End(TagEnd::Item)) {
            self.tight_end = range.end;
        }
        if !matches!(event, Event::Text(_)) {
            self.end_run(&event);
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) | Event::Html(text) => match &mut self.verbatim {
                Some((_, verbatim)) => verbatim.push_str(&text),
                // By pieces: a control that an entity stands for must not take what follows along.
                None => self.run.push_str(&sanitize(&text)),
            },
            Event::InlineHtml(html) => self.inline.styled(theme.dim, &html),
            Event::Code(code) => self.inline.code(&code),
            Event::SoftBreak => self.inline.text(" "),
            Event::HardBreak => self.inline.hard_break(),
            Event::FootnoteReference(label) => self.inline.text(&format!("[^{label}]")),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.inline.text(&text),
            Event::TaskListMarker(done) => self.task(done),
            Event::Rule => {
                self.start_block(range);
                let rule = "─".repeat(self.containers.room(self.context.width));
                self.frame(mark::no_text(Line::from(Span::styled(rule, theme.frame))));
                self.finish(range);
            }
        }
    }

    /// The text that came in pieces is complete; what follows tells whether an address at its end is.
    fn end_run(&mut self, next: &Event<'_>) {
        if self.run.is_empty() {
            return;
        }
        let goes_on = match next {
            Event::SoftBreak | Event::HardBreak => false,
            Event::End(_) => self.context.grows,
            _ => true,
        };
        self.inline.prose(&std::mem::take(&mut self.run), goes_on);
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        let theme = self.context.theme;
        match tag {
            Tag::Paragraph => self.start_block(range),
            Tag::Heading { level, .. } => {
                self.start_block(range);
                self.inline.push_style(theme.heading(level as u8));
            }
            Tag::BlockQuote(kind) => self.start_quote(kind, range),
            Tag::CodeBlock(kind) => {
                self.start_block(range);
                let info = match kind {
                    CodeBlockKind::Indented => String::new(),
                    CodeBlockKind::Fenced(info) => info_string(&info),
                };
                self.verbatim = Some((Some(info), String::new()));
            }
            Tag::HtmlBlock => {
                self.start_block(range);
                self.verbatim = Some((None, String::new()));
            }
            Tag::List(start) => {
                self.start_block(range);
                let number = self.number.take();
                self.lists.push(start.map(|start| number.unwrap_or(start)));
            }
            Tag::Item => self.start_item(range),
            Tag::FootnoteDefinition(label) => {
                self.start_block(range);
                self.containers.open_note(format!("[^{}]: ", sanitize(&label)), theme.marker);
            }
            Tag::Table(alignments) => {
                self.start_block(range);
                self.table = Table::new(alignments);
            }
            Tag::TableHead => self.inline.push_style(theme.table_head),
            Tag::Emphasis => self.inline.push_style(theme.emphasis),
            Tag::Strong => self.inline.push_style(theme.strong),
            Tag::Strikethrough => {
                self.inline.push_style(theme.struck);
                self.inline.text("~~");
            }
            Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
                self.inline.open_link(&format!("mailto:{dest_url}"));
            }
            Tag::Link { dest_url, .. } => self.inline.open_link(&dest_url),
            Tag::Image { dest_url, .. } => self.inline.open_image(&dest_url),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.flush(range),
            TagEnd::Heading(_) => {
                self.inline.pop_style();
                self.flush(range);
            }
            TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => self.close(range),
            TagEnd::Item => {
                self.flush_tight();
                self.close(range);
            }
            TagEnd::CodeBlock | TagEnd::HtmlBlock => self.end_verbatim(range),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Table => {
                let lines =
                    self.table.draw(self.containers.room(self.context.width), self.context.theme);
                for line in &lines {
                    self.line(line);
                }
                self.finish(range);
            }
            TagEnd::TableHead => {
                self.inline.pop_style();
                self.table.end_head();
            }
            TagEnd::TableRow => self.table.end_row(),
            TagEnd::TableCell => {
                let spans = self.inline.take().into_iter().flat_map(|line| line.spans);
                self.table.cell(spans.collect());
            }
            TagEnd::Emphasis | TagEnd::Strong => self.inline.pop_style(),
            TagEnd::Strikethrough => {
                self.inline.text("~~");
                self.inline.pop_style();
            }
            TagEnd::Link | TagEnd::Image => self.inline.close_target(),
            _ => {}
        }
    }
}

/// Containers and the gaps between blocks.
impl Renderer<'_> {
    fn start_block(&mut self, range: &Range<usize>) {
        self.flush_tight();
        self.begin(range.start, false);
    }

    fn start_quote(&mut self, kind: Option<BlockQuoteKind>, range: &Range<usize>) {
        let theme = self.context.theme;
        self.start_block(range);
        self.containers.open_quote(Span::styled("▌ ", theme.quote_bar));
        let label = match kind {
            None => return,
            Some(BlockQuoteKind::Note) => "Note",
            Some(BlockQuoteKind::Tip) => "Tip",
            Some(BlockQuoteKind::Important) => "Important",
            Some(BlockQuoteKind::Warning) => "Warning",
            Some(BlockQuoteKind::Caution) => "Caution",
        };
        self.line(&Line::from(Span::styled(label, theme.strong)));
        self.gap_at = Some(self.out.lines.len());
    }

    fn start_item(&mut self, range: &Range<usize>) {
        self.begin(range.start, true);
        let depth = self.lists.len();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => ["▪ ", "• ", "◦ "].get(depth.min(3) % 3).copied().unwrap_or("• ").to_owned(),
        };
        self.containers.open_item(marker, self.context.theme.marker);
    }

    fn task(&mut self, done: bool) {
        let text = if done { "[x] " } else { "[ ] " };
        let replaces = matches!(self.lists.last(), Some(None));
        self.containers.mark_task(text, self.context.theme.marker, replaces);
    }

    /// Leaves a container; one in which nothing was drawn shows its sign at least.
    fn close(&mut self, range: &Range<usize>) {
        if self.containers.is_fresh() {
            self.line(&Line::default());
            self.finish(range);
        }
        self.containers.close();
    }

    /// A blank line before a block. Between the parts of an item, and between items, there is
    /// one only where the source has one.
    fn begin(&mut self, start: usize, is_item: bool) {
        if self.out.lines.is_empty()
            || self.gap_at == Some(self.out.lines.len())
            || self.containers.is_fresh()
        {
            return;
        }
        let by_source = is_item || self.containers.is_item();
        if by_source && !has_blank_line(self.text.get(self.out.end..start).unwrap_or_default()) {
            return;
        }
        self.out.lines.push(self.containers.empty_row(self.context.width));
        self.gap_at = Some(self.out.lines.len());
    }
}

/// Lines.
impl Renderer<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let width = self.context.width;
        let Indents { first, next } = self.containers.indents(width);
        self.out.lines.extend(wrap_line(line, width, &first, &next));
        self.containers.mark_drawn();
    }

    /// A line without text. Whether its row begins a line nonetheless, with a marker.
    fn frame(&mut self, line: Line<'static>) -> bool {
        let has_marker = self.containers.is_fresh();
        if has_marker {
            self.line(&Line::from(mark::all(line.spans).collect::<Vec<_>>()));
        } else {
            self.line(&line);
        }
        has_marker
    }

    fn flush(&mut self, range: &Range<usize>) {
        for line in self.inline.take() {
            self.line(&line);
        }
        self.finish(range);
    }

    /// Text of an item that is not in a paragraph ends where the next block begins.
    fn flush_tight(&mut self) {
        let lines = self.inline.take();
        if !lines.is_empty() {
            self.out.end = self.tight_end;
        }
        for line in lines {
            self.line(&line);
        }
    }

    fn end_verbatim(&mut self, range: &Range<usize>) {
        let Some((info, text)) = self.verbatim.take() else { return };
        let theme = self.context.theme;
        let Some(info) = info else {
            for line in text.lines() {
                self.line(&Line::from(Span::styled(line, theme.dim)));
            }
            return self.finish(range);
        };
        let is_begun = match code_label(&info, self.context) {
            Some(label) => self.frame(label),
            None => false,
        };
        let lines = self.code_lines(language(&info), &text);
        for (n, line) in lines.into_iter().enumerate() {
            let indents = self.containers.indents(self.context.width);
            let mut rows = code_rows(&line, self.context, indents);
            if let Some(row) = rows.first_mut().filter(|_| is_begun && n == 0) {
                mark::go_on(row);
            }
            self.out.lines.extend(rows);
            self.containers.mark_drawn();
        }
        self.finish(range);
    }

    fn code_lines(&mut self, language: &str, code: &str) -> Vec<Line<'static>> {
        let Context { theme, highlighter, .. } = self.context;
        if let Some(lines) = highlighter.highlight(language, code, theme) {
            return lines;
        }
        self.out.pending.push(highlighter.key(language, code));
        let plain = |line: &str| Line::from(Span::styled(line.to_owned(), theme.code));
        code.split_terminator('\n').map(plain).collect()
    }

    fn finish(&mut self, range: &Range<usize>) {
        let drawn = self.text.get(range.clone()).unwrap_or_default();
        self.out.end = range.start + drawn.trim_end().len();
    }
}

/// Whether a blank line stands in this text between two blocks.
pub(super) fn has_blank_line(between: &str) -> bool {
    between.bytes().filter(|&byte| byte == b'\n').count() >= 2
}
