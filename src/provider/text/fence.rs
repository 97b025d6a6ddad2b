//! Fenced blocks: lines of at least three backticks or tildes around a text. Owns their rule;
//! knows nothing of what stands in them.
//!
//! Invariant: a block ends at a line with nothing but as many marks as it began with, or more.

use super::{Fault, cursor::Cursor};

/// The line that begins a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
}

/// A whole block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    /// The word after the marks, e.g. `json`.
    pub(super) info: &'a str,
    /// The lines, with their ends.
    pub(super) body: &'a str,
    /// The place after the block.
    pub(super) end: usize,
}

impl Fence {
    /// Reads a line that begins a block, and the word after the marks.
    pub(super) fn opening(line: &str) -> Option<(Self, &str)> {
        let line = line.trim();
        let mark = line.chars().next().filter(|char| matches!(char, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        let fence = Self { mark, length };
        (length >= 3 && !info.contains(mark)).then_some((fence, info.trim()))
    }

    /// Whether the line ends the block that this line began.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|char| char == self.mark)
    }
}

/// The block that begins with the line at this place, if one does.
///
/// # Errors
/// [`Fault::Open`]: it begins, and never ends.
pub(super) fn block(mut cursor: Cursor<'_>) -> Option<Result<Block<'_>, Fault>> {
    let (fence, info) = Fence::opening(cursor.line())?;
    let start = cursor.at();
    while !cursor.is_at_end() {
        let end = cursor.at();
        if fence.is_closed_by(cursor.line()) {
            let body = cursor.between(start, end);
            return Some(Ok(Block { info, body, end: cursor.at() }));
        }
    }
    Some(Err(Fault::Open))
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Fault, block};

    fn body(text: &str) -> Option<Result<&str, Fault>> {
        block(Cursor::new(text, 0)).map(|block| block.map(|block| block.body))
    }

    #[test]
    fn a_longer_fence_holds_a_shorter_one() {
        assert_eq!(body("````\n```\na\n```\n````\nb"), Some(Ok("```\na\n```\n")));
        assert_eq!(body("~~~\n```\n~~~~"), Some(Ok("```\n")));
    }

    #[test]
    fn a_block_without_an_end_is_open_and_a_line_of_code_is_none() {
        assert_eq!(body("```rust\nfn"), Some(Err(Fault::Open)));
        assert_eq!(body("```"), Some(Err(Fault::Open)));
        assert_eq!(body("```a``` b\n```"), None);
        assert_eq!(body("a"), None);
        assert_eq!(body("```\n```"), Some(Ok("")));
    }
}
