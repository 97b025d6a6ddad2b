//! What the model gets of an output: all of it, or its beginning and its end.
//!
//! Owns the cut, and what is known of the whole then. Pure: knows neither processes nor files.
//!
//! Invariant: what is left out is counted, in bytes and in lines, and a part that is kept begins and
//! ends with whole lines wherever they fit.

use std::path::Path;

use crate::{
    protocol::tool::{WholeFile, WholeOutput},
    text::{cut, sanitize::settle},
    tools::process::{Captured, CommandEnd, Look, MOST_SPILLED, OutputFile},
};

/// Most characters of output that the model gets.
pub(in crate::tools::run_command) const MOST_CHARACTERS: usize = 30_000;

/// Of a longer output so many are of its beginning; the end tells more.
const HEAD_CHARACTERS: usize = 10_000;

/// Output as the model gets it.
pub(super) struct Shown {
    pub(super) text: String,
    is_cut: bool,
}

impl Shown {
    /// `None` if there is no output. `rest` says where what is left out can be read.
    pub(super) fn of(output: &Captured, rest: Option<&str>) -> Option<Self> {
        let mut shown = Self::settled(output, rest);
        if shown.text.is_empty() {
            return None;
        }
        if shown.text.trim().is_empty() {
            "(only white space)".clone_into(&mut shown.text);
        }
        if shown.text.ends_with('\n') {
            shown.text.pop();
        }
        Some(shown)
    }

    /// Settled, and cut once in the middle if it is too long.
    fn settled(output: &Captured, rest: Option<&str>) -> Self {
        let head = settle(&output.head);
        if !output.cut() && head.chars().count() <= MOST_CHARACTERS {
            return Self { text: head.into_owned(), is_cut: false };
        }
        let tail = settle(&output.tail);
        let (kept_head, after) = beginning(&head);
        let (before, kept_tail) = end(if output.cut() { &tail } else { after });
        let dropped: &[&str] = if output.cut() { &[after, before] } else { &[before] };
        let bytes = dropped.iter().map(|part| part.len() as u64).sum::<u64>();
        let lines = dropped.iter().map(|part| part.matches('\n').count() as u64).sum::<u64>();
        let (lines, bytes) = (lines + output.left_out_lines, bytes + output.left_out_bytes);
        let kept_head = kept_head.trim_end_matches('\n');
        let rest = rest.map(|rest| format!("; {rest}")).unwrap_or_default();
        let marker = format!("[... {lines} lines, {bytes} bytes left out{rest} ...]");
        Self { text: format!("{kept_head}\n{marker}\n{kept_tail}"), is_cut: true }
    }

    /// What is known of the whole, if this is not all of it.
    pub(super) fn whole(&self, output: &Captured, place: WholePlace) -> Option<WholeOutput> {
        let (bytes, lines) = (output.total_bytes, output.total_lines);
        let text_bytes = self.text.len() as u64;
        let WholePlace { file, untold } = place;
        self.is_cut.then_some(WholeOutput { bytes, lines, text_bytes, file, untold })
    }
}

/// The beginning that is kept, and what comes after it.
fn beginning(text: &str) -> (&str, &str) {
    let (kept, after) = split_at_char(text, HEAD_CHARACTERS);
    let length = if after.starts_with('\n') {
        kept.len() + 1
    } else {
        cut::whole_lines_at_start(kept).len()
    };
    text.split_at_checked(length).unwrap_or((kept, after))
}

/// What comes before the end that is kept, and that.
fn end(text: &str) -> (&str, &str) {
    let skip = text.chars().count().saturating_sub(MOST_CHARACTERS - HEAD_CHARACTERS);
    let (before, kept) = split_at_char(text, skip);
    if before.is_empty() || before.ends_with('\n') {
        return (before, kept);
    }
    let length = text.len() - cut::whole_lines_at_end(kept).len();
    text.split_at_checked(length).unwrap_or((before, kept))
}

fn split_at_char(text: &str, characters: usize) -> (&str, &str) {
    let at = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// Where all of an output is; nowhere, if it could not be written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WholePlace {
    file: Option<WholeFile>,
    untold: Option<String>,
}

impl WholePlace {
    /// This part of a file. Paths are told as text: one that is none leads nowhere.
    fn at(path: &Path, from: u64, (bytes, cut): (u64, Option<String>)) -> Self {
        let Some(text) = path.to_str() else {
            let untold = format!("the path of its file is not UTF-8: {}", path.display());
            return Self { untold: Some(untold), file: None };
        };
        let file = WholeFile { path: text.to_owned(), from, bytes, cut };
        Self { file: Some(file), untold: None }
    }
}

/// Where the output of a command is that was waited for.
pub(super) fn by_the_end(end: &CommandEnd) -> WholePlace {
    let Some(OutputFile { path, bytes, cut }) = &end.file else { return WholePlace::default() };
    WholePlace::at(path, 0, (*bytes, cut.clone()))
}

/// Where what a look found is. While the command runs its file may hold less than that.
pub(super) fn by_the_look(look: &Look) -> WholePlace {
    let Some(path) = &look.file else { return WholePlace::default() };
    let ended = look.end.as_ref().and_then(|end| end.as_ref().ok()?.file.as_ref());
    let most = ended.map_or(MOST_SPILLED, |file| file.bytes);
    let bytes = most.saturating_sub(look.from).min(look.output.total_bytes);
    let why = || ended.and_then(|file| file.cut.clone());
    let why = || why().unwrap_or_else(|| "a file holds no more".to_owned());
    let cut = (bytes < look.output.total_bytes).then(why);
    WholePlace::at(path, look.from, (bytes, cut))
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    use super::*;

    #[test]
    fn a_path_that_is_no_text_is_the_reason_and_not_a_failed_write() {
        let place = WholePlace::at(Path::new(OsStr::from_bytes(b"/s/\xff/1.txt")), 0, (9, None));
        assert_eq!(place.file, None);
        let untold = "the path of its file is not UTF-8: /s/\u{fffd}/1.txt";
        assert_eq!(place.untold.as_deref(), Some(untold));
        let place = WholePlace::at(Path::new("/s/1.txt"), 3, (9, None));
        assert_eq!(place.untold, None);
        assert_eq!(place.file.map(|file| (file.path, file.from)), Some(("/s/1.txt".into(), 3)));
    }
}
