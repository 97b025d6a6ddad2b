//! A patch as data, and reading one in whichever form a model wrote it. Pure.
//!
//! Owns what a patch can say, and which of the two forms a text is in: [`envelope`](super) or
//! unified diff. Must not know files.
//!
//! Invariant: every line of the text is used, or the patch is refused; nothing is skipped but
//! the wrapping around a patch.

use super::{envelope, unified};
use crate::text::cut;

/// What a patch does, in the order it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// What it does to each file. Never empty. The same file may come more than once.
    pub files: Vec<FilePatch>,
    /// What was in it and is not done, e.g. a change of mode.
    pub notes: Vec<String>,
}

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// The file, as named in its header.
    pub path: String,
    /// What happens to it.
    pub action: Action,
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It gets this content.
    Add(String),
    /// It goes. If its content was given, that must be all that is in it.
    Delete(Vec<Hunk>),
    /// It is changed, moved, or both.
    Update {
        /// The path it is moved to.
        to: Option<String>,
        /// The changes; may be empty if it is moved.
        hunks: Vec<Hunk>,
    },
}

/// One change to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines that stand before the place, outermost first.
    pub anchors: Vec<String>,
    /// What is there, and what shall be.
    pub lines: Vec<Line>,
    /// The line where it begins, from 1; for a hunk that only adds, the line before it, from 0.
    /// Only if the counts beside it were right: models make such numbers up.
    pub number: Option<usize>,
    /// Whether it ends where the file ends.
    pub at_end: bool,
    /// Whether the last line of the file lacks a line end, before and after; `None` if the
    /// patch does not say.
    pub lacks_end: Option<(bool, bool)>,
}

/// One line of a hunk, without its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// It stays. As written: some models leave out the blank in front.
    Keep(String),
    /// It goes.
    Remove(String),
    /// It comes.
    Add(String),
}

impl Hunk {
    /// Whether it says nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| matches!(line, Line::Keep(text) if text.trim().is_empty()))
            && self.anchors.is_empty()
    }

    /// Whether it changes anything.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.lines.iter().any(|line| !matches!(line, Line::Keep(_)))
    }

    /// Takes the line that says that the line before it has no line end.
    pub fn note_missing_end(&mut self) {
        let (old, new) = self.lacks_end.unwrap_or_default();
        self.lacks_end = match self.lines.last() {
            Some(Line::Keep(_)) => Some((true, true)),
            Some(Line::Remove(_)) => Some((true, new)),
            Some(Line::Add(_)) => Some((old, true)),
            None => self.lacks_end,
        };
    }

    /// Takes a line of the body.
    pub fn push(&mut self, line: &str) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.starts_with("\\ No newline") {
            self.note_missing_end();
            return;
        }
        self.lines.push(match line.split_at_checked(1) {
            Some(("+", rest)) => Line::Add(rest.to_owned()),
            Some(("-", rest)) => Line::Remove(rest.to_owned()),
            _ => Line::Keep(line.to_owned()),
        });
    }
}

/// What is left of a list of hunks that were read: a hunk without changes only says where the
/// next one is.
#[must_use]
pub fn settle(hunks: Vec<Hunk>) -> Vec<Hunk> {
    let mut settled = Vec::new();
    let mut anchors: Vec<String> = Vec::new();
    for mut hunk in hunks.into_iter().filter(|hunk| !hunk.is_empty()) {
        anchors.append(&mut hunk.anchors);
        if hunk.has_changes() {
            hunk.anchors = std::mem::take(&mut anchors);
            settled.push(hunk);
        } else {
            let mut kept = hunk.lines.into_iter().filter_map(|line| match line {
                Line::Keep(text) if !text.trim().is_empty() => Some(text),
                _ => None,
            });
            anchors.extend(kept.next_back());
        }
    }
    settled
}

/// Reads a patch.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub fn read(text: &str) -> Result<Patch, String> {
    let text = unwrap(text)?;
    let has = |mark: &str| text.iter().any(|line| line.trim_start().starts_with(mark));
    let in_sections =
        ["*** Update File:", "*** Add File:", "*** Delete File:"].iter().any(|m| has(m));
    let patch = if in_sections {
        envelope::read(&text)?
    } else if has("diff --git ") || has("--- ") || has("+++ ") {
        unified::read(&text)?
    } else if has("@@") {
        return Err("no line names the file that is to be changed. Begin the part for each file \
                    with `*** Update File: path`"
            .to_owned());
    } else {
        let first = text.iter().find(|line| !line.trim().is_empty());
        let shown = first.map_or(String::new(), |line| {
            format!("; it begins with {:?}", cut::one_line(line, 80))
        });
        return Err(format!("there is no change of a file in it{shown}"));
    };
    if patch.files.is_empty() {
        return Err("there is no change of a file in it".to_owned());
    }
    Ok(patch)
}

/// The lines between the marks of the envelope, without a fence or the shell command that some
/// models write around a patch.
fn unwrap(text: &str) -> Result<Vec<&str>, String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines: Vec<&str> = text.split('\n').collect();
    if let Some(begin) = lines.iter().position(|line| line.trim() == "*** Begin Patch") {
        if lines.iter().take(begin).any(|line| line.trim_start().starts_with("cd ")) {
            return Err("it begins with a change of folder. Leave that out, and write paths \
                        relative to the folder of this session"
                .to_owned());
        }
        let end = lines.iter().rposition(|line| line.trim() == "*** End Patch");
        lines.truncate(end.filter(|end| *end > begin).unwrap_or(lines.len()));
        lines.drain(..=begin);
        lines.retain(|line| !matches!(line.trim_end(), "*** Begin Patch" | "*** End Patch"));
    } else {
        if lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let is_fence = |line: &str| line.starts_with("```") || line.starts_with("~~~");
        let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(0);
        if lines.get(first).is_some_and(|line| is_fence(line)) {
            lines.drain(..=first);
            let last = lines.iter().rposition(|line| !line.trim().is_empty());
            if let Some(last) = last.filter(|last| lines.get(*last).is_some_and(|l| is_fence(l))) {
                lines.truncate(last);
            }
        }
        let last = lines.iter().rposition(|line| !line.trim().is_empty());
        if let Some(last) = last
            && lines.get(last).is_some_and(|line| line.trim() == "*** End Patch")
        {
            lines.truncate(last);
        }
    }
    Ok(lines)
}
