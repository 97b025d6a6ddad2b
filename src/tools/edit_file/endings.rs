//! Line ends during an edit: compared as line feeds, kept byte for byte. Pure.
//!
//! Owns the way between a text and its form with line feeds only. Must not know how places are
//! found.
//!
//! Invariant: a kept line keeps its own end; an added line gets the first end of its region.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

const DEADLINE: Duration = Duration::from_millis(200);

/// A text with its `\r\n` turned to `\n`, and the way back.
#[derive(Clone, Debug)]
pub struct Unified {
    /// The text, with line feeds only (a lone carriage return stays).
    pub text: String,
    /// Which line feeds of `text` had a carriage return, by offset, ascending.
    with_cr: Vec<usize>,
    /// The offsets of all line feeds of `text`, ascending.
    feeds: Vec<usize>,
}

impl Unified {
    /// Takes a text with any line ends.
    #[must_use]
    pub fn of(original: &str) -> Self {
        let text = original.replace("\r\n", "\n");
        let mut with_cr = Vec::new();
        let mut offset = 0;
        for line in original.split_inclusive('\n') {
            if line.ends_with("\r\n") {
                offset += line.len() - 1;
                with_cr.push(offset - 1);
            } else {
                offset += line.len();
            }
        }
        let feeds = text.match_indices('\n').map(|(at, _)| at).collect();
        Self { text, with_cr, feeds }
    }

    /// Where an offset of `text` is in the original.
    #[must_use]
    pub fn original(&self, offset: usize) -> usize {
        offset + self.with_cr.partition_point(|at| *at < offset)
    }

    /// The number of the line that an offset of `text` is in, from 1.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.feeds.partition_point(|at| *at < offset) + 1
    }

    /// `new` (line feeds only) with the line ends that it has to have in place of
    /// `start..end` of `text`. `None` if the text has no line ends to go by.
    #[must_use]
    pub fn dress(&self, new: &str, start: usize, end: usize) -> Option<String> {
        let first = self.feeds.partition_point(|at| *at < start);
        // The region's own first line end, else that of its line, else the one before it.
        let model = self.feeds.get(first).or_else(|| self.feeds.last())?;
        let default = self.has_cr(*model);
        let uniform = self.with_cr.is_empty() || self.with_cr.len() == self.feeds.len();
        let mut ends = vec![default; new.matches('\n').count()];
        if !uniform && !ends.is_empty() {
            self.keep_ends(new, start, end, &mut ends);
        }
        let mut dressed = String::with_capacity(new.len());
        let mut ends = ends.into_iter();
        for line in new.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => {
                    dressed.push_str(line);
                    dressed.push_str(if ends.next() == Some(true) { "\r\n" } else { "\n" });
                }
                None => dressed.push_str(line),
            }
        }
        Some(dressed)
    }

    /// Sets the ends of lines of `new` that are in the region already.
    fn keep_ends(&self, new: &str, start: usize, end: usize, ends: &mut [bool]) {
        let first = self.feeds.partition_point(|at| *at < start);
        let region: Vec<&str> = self.text.get(start..end).unwrap_or("").split('\n').collect();
        let lines: Vec<&str> = new.split('\n').collect();
        let deadline = Instant::now().checked_add(DEADLINE);
        for op in capture_diff_slices_deadline(Algorithm::Myers, &region, &lines, deadline) {
            let DiffOp::Equal { old_index, new_index, len } = op else { continue };
            for step in 0..len {
                let at = self.feeds.get(first + old_index + step).filter(|at| **at < end);
                if let (Some(at), Some(kept)) = (at, ends.get_mut(new_index + step)) {
                    *kept = self.has_cr(*at);
                }
            }
        }
    }

    fn has_cr(&self, feed: usize) -> bool {
        self.with_cr.binary_search(&feed).is_ok()
    }
}
