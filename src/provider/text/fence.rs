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

/// The line so far, of which each may end a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    marks: usize,
    has_ended: bool,
    is_other: bool,
}

impl Line {
    /// Goes on with the next character of the line.
    pub(super) fn push(&mut self, char: char, fence: Fence) {
        if char == fence.mark && !self.has_ended {
            self.marks += 1;
        } else if char.is_whitespace() {
            self.has_ended = self.marks > 0;
        } else {
            self.is_other = true;
        }
    }

    /// Whether the line ends the block, if it is whole.
    pub(super) fn closes(self, fence: Fence) -> bool {
        !self.is_other && self.marks >= fence.length
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
    use proptest::prelude::*;

    use super::{Cursor, Fault, Fence, Line, block};

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

    proptest! {
        #[test]
        fn a_line_read_by_characters_ends_what_the_whole_line_ends(line in "[`~ a\t]{0,8}") {
            let (fence, _) = Fence::opening("```").unwrap();
            let mut read = Line::default();
            line.chars().for_each(|char| read.push(char, fence));
            prop_assert_eq!(read.closes(fence), fence.is_closed_by(&line));
        }
    }
}
