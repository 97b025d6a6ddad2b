//! Fenced code that is still growing: found line by line, without a parser. Owns the rule that
//! closes a fence; must not know other blocks, or how code is drawn.
//!
//! Invariant: each line is looked at once.

/// Fenced code at the left margin.
#[derive(Debug)]
pub(super) struct Fence {
    /// Where the block begins.
    pub(super) start: usize,
    /// Where the code begins.
    pub(super) body: usize,
    /// Where the code's complete lines end.
    pub(super) code_end: usize,
    /// Where the block ends, so far.
    pub(super) end: usize,
    pub(super) closed: bool,
    pub(super) info: String,
    sign: u8,
    length: usize,
}

impl Fence {
    /// The fence with which `text` begins, if it is at the left margin. `start` is where that
    /// is in the source.
    pub(super) fn open(start: usize, text: &str, info: String) -> Option<Self> {
        let sign = text.bytes().next().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = text.bytes().take_while(|&byte| byte == sign).count();
        let body = start + text.find('\n').map_or(text.len(), |newline| newline + 1);
        Some(Self { start, body, code_end: body, end: body, closed: false, info, sign, length })
    }

    /// Looks through the lines up to `complete` for the closing fence.
    pub(super) fn scan(&mut self, source: &str, complete: usize) {
        let new = source.get(self.code_end..complete).unwrap_or_default();
        for line in new.split_inclusive('\n') {
            self.end += line.len();
            if self.is_closed_by(line) {
                self.closed = true;
                return;
            }
            self.code_end = self.end;
        }
    }

    /// Whether this may become the closing fence, and so is not drawn as code yet.
    pub(super) fn may_be_closed_by(&self, line: &str) -> bool {
        let line = line.trim_matches(' ');
        line.bytes().all(|byte| byte == self.sign)
    }

    /// As the parser has it: blanks may follow, but no tabs, although the
    /// specification (0.31, 4.5) allows them.
    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim_end_matches('\n');
        let indent = line.bytes().take_while(|&byte| byte == b' ').count();
        let signs = line.bytes().skip(indent).take_while(|&byte| byte == self.sign).count();
        let rest = line.bytes().skip(indent + signs);
        indent < 4 && signs >= self.length && rest.into_iter().all(|byte| byte == b' ')
    }
}
