//! Unified diffs, as diff and git write them and as models imitate them. Pure.
//!
//! Owns their headers, and which line numbers are believed. Must not know files.
//!
//! Invariant: a line number is believed only where the counts beside it are right.

use super::patch::{Action, FilePatch, Hunk, Line, Patch, settle};
use crate::text::cut;

/// `@@ -old,old_count +new,new_count @@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) old: usize,
    old_count: usize,
    new_count: usize,
}

/// What stands in the head of a hunk: numbers, and a line that stands before the place.
pub(super) fn head(line: &str) -> (Option<Range>, Option<String>) {
    let rest = line.trim_start_matches('@').trim();
    let named = |text: &str| {
        let text = text.trim_end_matches('@').trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let side = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let numbers = || {
        let (old, rest) = rest.strip_prefix('-')?.split_once(" +")?;
        let (new, heading) = rest.split_once("@@").unwrap_or((rest, ""));
        let ((old, old_count), (_, new_count)) = (side(old.trim())?, side(new.trim())?);
        Some((Range { old, old_count, new_count }, heading))
    };
    match numbers() {
        Some((range, heading)) => (Some(range), named(heading)),
        // Numbers of another form name no line of the file, nor does `...`.
        None if !rest.contains(char::is_alphabetic) && rest.contains([',', '.', '+', '-']) => {
            (None, None)
        }
        None => (None, named(rest)),
    }
}

/// What the lines before the hunks of a file say.
#[derive(Default)]
struct Header {
    old: Option<String>,
    new: Option<String>,
    /// From `diff --git`, if nothing else names the file.
    both: Option<(String, String)>,
    from: Option<String>,
    to: Option<String>,
    adds: bool,
    deletes: bool,
    hunks: Vec<Hunk>,
}

/// Reads the lines of a diff.
///
/// # Errors
/// What is wrong, as a sentence.
pub(super) fn read(lines: &[&str]) -> Result<Patch, String> {
    let mut patch = Patch::default();
    let mut header = Header::default();
    let mut rest = lines;
    while let [line, after @ ..] = rest {
        let line = line.trim_end_matches('\r');
        let has_hunks = !header.hunks.is_empty();
        let begins = ["diff --git ", "--- ", "+++ "].iter().any(|mark| line.starts_with(mark));
        if begins && (has_hunks || line.starts_with("diff ")) {
            patch.files.extend(header.finish()?);
            header = Header::default();
        }
        if line.starts_with("@@") {
            let (hunk, used) = hunk(rest);
            header.hunks.push(hunk);
            rest = rest.get(used..).unwrap_or_default();
            continue;
        }
        header.take(line, &mut patch.notes)?;
        rest = after;
    }
    patch.files.extend(header.finish()?);
    Ok(patch)
}

/// Whether the names of a file stand here, rather than a line of a hunk that looks alike.
fn is_names(lines: &[&str]) -> bool {
    matches!(lines, [old, new, ..] if old.starts_with("--- ") && new.starts_with("+++ "))
}

fn hunk(lines: &[&str]) -> (Hunk, usize) {
    let Some((first, body)) = lines.split_first() else { return (Hunk::default(), 0) };
    let (range, anchor) = head(first.trim_end_matches('\r'));
    if let Some(range) = range
        && let Some((mut hunk, used)) = exactly(range, body)
    {
        hunk.anchors.extend(anchor);
        return (hunk, used + 1);
    }
    let mut hunk = Hunk { anchors: anchor.into_iter().collect(), ..Hunk::default() };
    let mut used = 0;
    while let Some(line) = body.get(used) {
        let ends = line.starts_with("@@")
            || line.starts_with("diff --git ")
            || is_names(body.get(used..).unwrap_or_default());
        if ends {
            break;
        }
        hunk.push(line);
        used += 1;
    }
    // Blank lines between the parts of a diff are no context.
    while hunk.lines.last() == Some(&Line::Keep(String::new())) {
        hunk.lines.pop();
    }
    (hunk, used + 1)
}

/// The hunk, if it has just as many lines as its head says.
fn exactly(range: Range, body: &[&str]) -> Option<(Hunk, usize)> {
    let mut hunk = Hunk { number: Some(range.old), ..Hunk::default() };
    let (mut old, mut new) = (range.old_count, range.new_count);
    let mut used = 0;
    while old > 0 || new > 0 {
        let line = body.get(used)?;
        used += 1;
        match line.bytes().next() {
            Some(b'-') => old = old.checked_sub(1)?,
            Some(b'+') => new = new.checked_sub(1)?,
            Some(b' ' | b'\r') | None => {
                old = old.checked_sub(1)?;
                new = new.checked_sub(1)?;
            }
            Some(b'\\') => {}
            Some(_) => return None,
        }
        hunk.push(line);
    }
    if let Some(line) = body.get(used)
        && line.starts_with("\\ No newline")
    {
        hunk.push(line);
        used += 1;
    }
    let next = body.get(used..).unwrap_or_default();
    let ends = match next.first() {
        None => true,
        Some(line) => {
            line.trim().is_empty()
                || ["@@", "diff ", "index "].iter().any(|mark| line.starts_with(mark))
                || is_names(next)
        }
    };
    ends.then_some((hunk, used))
}

impl Header {
    fn take(&mut self, line: &str, notes: &mut Vec<String>) -> Result<(), String> {
        let after = |mark: &str| line.strip_prefix(mark).map(name).transpose();
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.both = both(names);
        } else if let Some(path) = after("--- ")? {
            self.old = Some(path);
        } else if let Some(path) = after("+++ ")? {
            self.new = Some(path);
        } else if let Some(path) = after("rename from ")? {
            self.from = Some(path);
        } else if let Some(path) = after("rename to ")? {
            self.to = Some(path);
        } else if line.starts_with("new file") {
            self.adds = true;
        } else if line.starts_with("deleted file") {
            self.deletes = true;
        } else if line.starts_with("new mode") {
            notes.push("Modes of files are not changed by a patch.".to_owned());
        } else if line.starts_with("copy ")
            || line.starts_with("GIT binary")
            || line.starts_with("Binary files")
        {
            return Err(format!("{:?} cannot be applied", cut::one_line(line, 80)));
        } else if !self.hunks.is_empty() && !line.trim().is_empty() && !is_wrapping(line) {
            let line = cut::one_line(line, 80);
            return Err(format!("the line {line:?} stands behind a hunk that is complete"));
        }
        Ok(())
    }

    fn finish(self) -> Result<Option<FilePatch>, String> {
        let hunks = settle(self.hunks);
        let is_nothing = |path: &Option<String>| path.as_deref() == Some("/dev/null");
        let adds = self.adds || is_nothing(&self.old);
        let deletes = self.deletes || is_nothing(&self.new);
        let named = |path: Option<String>| path.filter(|path| path != "/dev/null");
        let names = match (named(self.old), named(self.new), self.both) {
            (Some(old), Some(new), _) | (None, None, Some((old, new))) => {
                Some(without_prefixes(old, new))
            }
            (Some(old), None, _) => Some(twice(bare(&old, "a/"))),
            (None, Some(new), _) => Some(twice(bare(&new, "b/"))),
            (None, None, None) => None,
        };
        let names = match (self.from, self.to, names) {
            (Some(from), Some(to), _) => Some((from, to)),
            (_, _, Some((old, new))) if old != new => {
                return Err(format!(
                    "`{old}` and `{new}` are different files. Name one of them in both lines, or \
                     use `rename from` and `rename to`"
                ));
            }
            (_, _, names) => names,
        };
        let Some((path, to)) = names else {
            return if hunks.is_empty() {
                Ok(None)
            } else {
                Err("a hunk stands before any line that names a file".to_owned())
            };
        };
        if adds {
            return Ok(Some(FilePatch { action: Action::Add(content(&to, &hunks)?), path: to }));
        }
        if deletes {
            return Ok(Some(FilePatch { path, action: Action::Delete(hunks) }));
        }
        let to = (to != path).then_some(to);
        if hunks.is_empty() && to.is_none() {
            return Err(format!("the part for `{path}` has no changed lines"));
        }
        Ok(Some(FilePatch { path, action: Action::Update { to, hunks } }))
    }
}

/// What may follow a diff in a reply.
fn is_wrapping(line: &str) -> bool {
    line.starts_with("```")
        || line.starts_with("-- ")
        || line.trim_end() == "--"
        || line.starts_with("index ")
        || line.starts_with("old mode")
        || line.starts_with("similarity")
        || line.starts_with("dissimilarity")
}

/// A name as it stands in a header: up to a tab, perhaps in quotes.
fn name(text: &str) -> Result<String, String> {
    let text = text.split('\t').next().unwrap_or(text).trim();
    let Some(quoted) = text.strip_prefix('"') else { return Ok(text.to_owned()) };
    let quoted = quoted.strip_suffix('"').unwrap_or(quoted);
    if quoted.contains('\\') {
        return Err(format!("the path {text} is escaped: write it as it is, in UTF-8"));
    }
    Ok(quoted.to_owned())
}

fn both(names: &str) -> Option<(String, String)> {
    let names = names.trim();
    if let Some(("a", _)) = names.split_once('/') {
        let (old, new) = names.split_once(" b/")?;
        return Some((old.to_owned(), format!("b/{new}")));
    }
    let (old, new) = names.split_once(' ')?;
    Some((old.to_owned(), new.to_owned()))
}

fn bare(path: &str, prefix: &str) -> String {
    path.strip_prefix(prefix).unwrap_or(path).to_owned()
}

fn twice(path: String) -> (String, String) {
    (path.clone(), path)
}

/// The prefixes of git come in pairs; one alone is a folder.
fn without_prefixes(old: String, new: String) -> (String, String) {
    match (old.strip_prefix("a/"), new.strip_prefix("b/")) {
        (Some(old), Some(new)) => (old.to_owned(), new.to_owned()),
        _ => (old, new),
    }
}

fn content(path: &str, hunks: &[Hunk]) -> Result<String, String> {
    let mut content = String::new();
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        match line {
            Line::Add(line) => {
                content.push_str(line);
                content.push('\n');
            }
            Line::Keep(line) if line.trim().is_empty() => content.push('\n'),
            Line::Keep(_) | Line::Remove(_) => {
                return Err(format!("`{path}` is a new file, but has lines without a `+`"));
            }
        }
    }
    if hunks.last().and_then(|hunk| hunk.lacks_end) == Some((false, true)) {
        content.pop();
    }
    Ok(content)
}
