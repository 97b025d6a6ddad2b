//! Which top-level blocks a growing text has. Owns the cut between what is finished and what
//! may still change; must not know how anything is drawn.
//!
//! Invariant: only complete lines decide. A finished block never changes, except that a link
//! may find a definition that comes later; that is put right when the text ends.

use std::{collections::HashMap, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::{code::info_string, fence::Fence};

/// The extensions that are understood.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// A tail of this many bytes is parsed again at each new line; a longer one only after it
/// grew by an eighth, so that the whole stays linear.
pub(super) const SMALL_TAIL: usize = 16 * 1024;

/// A longer tail is not drawn as markdown before its block ends: one frame would take too long.
pub(super) const LARGE_TAIL: usize = 64 * 1024;

/// Whether a tail that was `then` long and is `now` long is worth another look.
pub(super) fn has_grown(then: usize, now: usize) -> bool {
    now > then && (now < SMALL_TAIL || now - then >= now / 8)
}

/// Targets of reference links, by label.
#[derive(Debug, Default)]
pub(super) struct Definitions(HashMap<String, String>);

impl Definitions {
    /// The target for a label, if its definition was seen.
    pub(super) fn get(&self, label: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&Self::normal(label)).cloned()
    }

    /// The first definition of a label counts.
    fn add(&mut self, label: &str, target: &str) {
        self.0.entry(Self::normal(label)).or_insert_with(|| target.to_owned());
    }

    fn normal(label: &str) -> String {
        label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    }
}

/// A piece of the text that is drawn by itself.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) range: Range<usize>,
    /// It goes on with the list before it: a blank line only where the source has one.
    pub(super) continues: bool,
    /// Number of its first item, where that is not what the source says.
    pub(super) number: Option<u64>,
    /// It grew as this fence.
    pub(super) fence: Option<Fence>,
}

/// The blocks of a text so far.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// What will not change.
    pub(super) finished: Vec<Block>,
    /// Where the rest begins.
    pub(super) tail: usize,
    /// The fenced code that is open at the end of the text.
    pub(super) fence: Option<Fence>,
    pub(super) definitions: Definitions,
    checked: usize,
    /// Set if the tail begins with an item of the list before it.
    continued: Option<Continued>,
    has_definitions: bool,
}

impl Outline {
    /// Whether the blocks must be found anew at the end of the text, since a definition may
    /// have come after its use.
    pub(super) fn has_definitions(&self) -> bool {
        self.has_definitions
    }

    /// Where in the source the rest begins, which is one block or is becoming one.
    pub(super) fn tail_start(&self) -> usize {
        self.fence.as_ref().map_or(self.tail, |fence| fence.start)
    }

    /// Whether that goes on with the list before it.
    pub(super) fn tail_continues(&self) -> bool {
        self.continued.is_some()
    }

    /// Takes in the lines that came since the last call.
    pub(super) fn advance(&mut self, source: &str, ended: bool) {
        loop {
            let complete =
                if ended { source.len() } else { source.rfind('\n').map_or(0, |at| at + 1) };
            if let Some(mut fence) = self.fence.take() {
                fence.scan(source, complete);
                if !fence.closed && !ended {
                    self.fence = Some(fence);
                    return;
                }
                self.tail = fence.end;
                self.checked = fence.end;
                self.finish(fence.start..fence.end, Some(fence));
                continue;
            }
            let Some(tail) = source.get(self.tail..complete).filter(|tail| !tail.is_empty()) else {
                return;
            };
            let known = self.checked.saturating_sub(self.tail);
            if !ended && !has_grown(known, tail.len()) {
                return;
            }
            self.checked = complete;
            if !self.take(tail, ended) {
                return;
            }
        }
    }

    /// The blocks of what is drawn for the tail; places count from where it starts.
    pub(super) fn tail_blocks(&self, text: &str) -> Vec<Block> {
        let mut continued = self.continued;
        let parts = split(text, |_, _| {}).parts;
        let block = |part: Part| {
            let list = continued.take();
            let number = list.and_then(|list| list.number);
            Block { range: part.range, continues: list.is_some(), number, fence: None }
        };
        parts.into_iter().map(block).collect()
    }

    /// Finishes what the tail allows; true if there may be more to take.
    fn take(&mut self, tail: &str, ended: bool) -> bool {
        let definitions = &mut self.definitions;
        let mut split = split(tail, |label, target| definitions.add(label, target));
        self.has_definitions |= split.has_definitions;
        let base = self.tail;
        let last = if ended { None } else { split.parts.pop() };
        for part in split.parts {
            self.finish(base + part.range.start..base + part.range.end, None);
        }
        let Some(last) = last else {
            if ended {
                self.tail = base + tail.len();
            }
            return false;
        };
        self.tail = base + last.range.start;
        match last.kind {
            Kind::Fence(info) => {
                let text = tail.get(last.range.start..).unwrap_or_default();
                self.fence = Fence::open(self.tail, text, info);
                self.fence.is_some()
            }
            Kind::List { number, items } => {
                self.finish_items(tail, base, number, &items);
                false
            }
            Kind::Other => false,
        }
    }

    /// Finishes all items of a list but the last.
    fn finish_items(&mut self, text: &str, base: usize, number: Option<u64>, items: &[usize]) {
        let (Some(&last), Some(before)) = (items.last(), items.len().checked_sub(1)) else {
            return;
        };
        let start = line_start(text, last);
        let indent = text.get(start..last).unwrap_or_default();
        if before == 0 || indent.len() > 3 || !indent.bytes().all(|byte| byte == b' ') {
            return;
        }
        let number = self.continued.and_then(|list| list.number).or(number);
        let count = u64::try_from(before).unwrap_or(u64::MAX);
        let tail = base + start;
        self.finish(self.tail..tail, None);
        let number = number.map(|number| number.saturating_add(count));
        self.continued = Some(Continued { number });
        self.tail = tail;
    }

    fn finish(&mut self, range: Range<usize>, fence: Option<Fence>) {
        let list = self.continued.take();
        let number = list.and_then(|list| list.number);
        self.finished.push(Block { range, continues: list.is_some(), number, fence });
    }
}

/// The first item of a tail whose list began before it.
#[derive(Clone, Copy, Debug)]
struct Continued {
    number: Option<u64>,
}

struct Part {
    /// From the beginning of its first line.
    range: Range<usize>,
    kind: Kind,
}

enum Kind {
    /// Fenced code, with its info string.
    Fence(String),
    /// A list: the first number, and where the items begin.
    List {
        number: Option<u64>,
        items: Vec<usize>,
    },
    Other,
}

struct Split {
    parts: Vec<Part>,
    has_definitions: bool,
}

/// The top-level blocks of a text.
fn split(text: &str, mut define: impl FnMut(&str, &str)) -> Split {
    let mut events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    let mut parts: Vec<Part> = Vec::new();
    let mut depth = 0_usize;
    let mut has_definitions = false;
    for (event, range) in events.by_ref() {
        if let (1, Event::Start(Tag::Item), Some(Kind::List { items, .. })) =
            (depth, &event, parts.last_mut().map(|part| &mut part.kind))
        {
            items.push(range.start);
        }
        has_definitions |= matches!(event, Event::Start(Tag::FootnoteDefinition(_)));
        if depth == 0 && !matches!(event, Event::End(_)) {
            let kind = match &event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    Kind::Fence(info_string(info))
                }
                Event::Start(Tag::List(number)) => {
                    Kind::List { number: *number, items: Vec::new() }
                }
                _ => Kind::Other,
            };
            parts.push(Part { range: line_start(text, range.start)..range.end, kind });
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let mut found: Vec<_> = events.reference_definitions().iter().collect();
    found.sort_by_key(|(_, definition)| definition.span.start);
    for (label, definition) in found {
        has_definitions = true;
        define(label, &definition.dest);
    }
    Split { parts, has_definitions }
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}
