//! What the ignore files of a tree leave out.
//!
//! Owns which files hold rules, how they are read, and whose rule decides. Must not walk.
//!
//! Rules come from `.gitignore`, `.ignore` and `.rgignore` in the folder, in the folders above it
//! up to the top of the repository, and from `.git/info/exclude`. The excludes file of the user,
//! and the one of a linked worktree, are not read.
//!
//! Invariant: a cloned folder is hostile, so a rule file is read only if it is a regular file of
//! a bounded size, and what is not used is counted and told.

#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::limits::Limits;
use super::{Workspace, open};
use crate::text::line;

/// Largest file of rules that is read, in bytes.
const MAX_FILE: u64 = 1024 * 1024;

/// Rules that one file may hold. Each costs memory many times its length.
const MAX_RULES: Size = Size { rules: 5_000, bytes: 256 * 1024 };

/// Rules that one walk takes on, from all files together.
const MAX_ALL_RULES: Size = Size { rules: 50_000, bytes: 2 * 1024 * 1024 };

/// Longest rule, in bytes: longer than any path.
const MAX_RULE: usize = 4_096;

/// The files that hold rules in a folder. Rules of a file before win over all rules of the files
/// after it, wherever those are.
const FILES: [&str; 4] = [".rgignore", ".ignore", GITIGNORE, EXCLUDE];
const GITIGNORE: &str = ".gitignore";
const EXCLUDE: &str = ".git/info/exclude";

/// How much rules are.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    rules: usize,
    bytes: usize,
}

impl Size {
    fn and(self, other: Self) -> Self {
        Self { rules: self.rules + other.rules, bytes: self.bytes + other.bytes }
    }

    fn fits(self, room: Self) -> bool {
        self.rules <= room.rules && self.bytes <= room.bytes
    }
}

/// The rules of a folder, and of the folders above it.
#[derive(Debug)]
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    /// A file of [`FILES`], and what it says.
    files: Vec<(&'static str, Gitignore)>,
    /// Whether git starts anew here.
    is_repository: bool,
}

/// What reading rules came to in one walk.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    /// When to end.
    pub(super) limits: &'a Limits,
    workspace: &'a Workspace,
    /// Bytes read from files of rules.
    pub(super) bytes: u64,
    taken: Size,
    unused: usize,
    first_unused: Option<String>,
    lines: usize,
}

impl<'a> Reading<'a> {
    /// Nothing was read yet.
    pub(super) fn new(workspace: &'a Workspace, limits: &'a Limits) -> Self {
        Self {
            limits,
            workspace,
            bytes: 0,
            taken: Size::default(),
            unused: 0,
            first_unused: None,
            lines: 0,
        }
    }

    /// What was not used, for the notes of a result.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(first) = &self.first_unused {
            let files = if self.unused == 1 { "file" } else { "files" };
            let count = self.unused;
            notes.push(format!("{count} ignore {files} not used, for instance {first}"));
        }
        if self.lines > 0 {
            let lines = if self.lines == 1 { "line" } else { "lines" };
            let count = self.lines;
            notes.push(format!("{count} {lines} of ignore files not used: too long or not UTF-8"));
        }
        notes
    }

    fn leave_out(&mut self, folder: &Path, name: &str, why: &str) {
        self.unused += 1;
        let path = self.workspace.relative(&folder.join(name));
        self.first_unused.get_or_insert_with(|| format!("{} ({why})", line::escaped(&path)));
    }

    /// The rules of one file; `None` if it has none that can be used.
    fn file(&mut self, folder: &Path, name: &str) -> Option<Gitignore> {
        let path = folder.join(name);
        let metadata = match path.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if is_absence(&error) => return None,
            Err(error) => {
                self.leave_out(folder, name, &error.to_string());
                return None;
            }
        };
        if !metadata.is_file() {
            let kind =
                if metadata.is_dir() { "folder" } else { open::kind_word(metadata.file_type()) };
            self.leave_out(folder, name, &format!("a {kind}"));
            return None;
        }
        let built = self.bytes_of(&path).and_then(|bytes| self.build(folder, &bytes));
        match built {
            Ok(rules) => rules,
            Err(error) => {
                self.leave_out(folder, name, &error.to_string());
                None
            }
        }
    }

    fn bytes_of(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let file = open::open_nofollow(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let too_large = || io::Error::other(format!("larger than {}", open::size(MAX_FILE)));
        if metadata.len() > MAX_FILE {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        let result = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
        self.bytes += bytes.len() as u64;
        result?;
        if bytes.len() as u64 > MAX_FILE { Err(too_large()) } else { Ok(bytes) }
    }

    fn build(&mut self, folder: &Path, bytes: &[u8]) -> io::Result<Option<Gitignore>> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut builder = GitignoreBuilder::new(folder);
        let mut size = Size::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            size = size.and(Size { rules: 1, bytes: line.len() });
            if !size.fits(MAX_RULES) || !self.taken.and(size).fits(MAX_ALL_RULES) {
                return Err(io::Error::other("too many rules"));
            }
            if self.limits.reached().is_some() {
                return Ok(None);
            }
            match std::str::from_utf8(line) {
                Ok(line) if line.len() <= MAX_RULE => {
                    if let Some(line) = as_git_reads(line) {
                        // What is no pattern matches nothing, as in git.
                        drop(builder.add_line(None, &line));
                    }
                }
                _ => self.lines += 1,
            }
        }
        self.taken = self.taken.and(size);
        builder.build().map(|rules| (!rules.is_empty()).then_some(rules)).map_err(io::Error::other)
    }
}

/// A rule in the syntax of the matcher, to which braces mean alternatives; `None` if to git it
/// matches nothing.
fn as_git_reads(rule: &str) -> Option<String> {
    let mut read = String::with_capacity(rule.len());
    let mut chars = rule.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                read.push(char);
                read.extend(chars.next());
            }
            '{' | '}' => read.extend(['\\', char]),
            '[' => read.push_str(class(&mut chars)?.as_str()),
            _ => read.push(char),
        }
    }
    Some(read)
}

/// The rest of a class of characters, with its brackets, if it is closed.
fn class(chars: &mut std::str::Chars<'_>) -> Option<String> {
    let mut class = String::from("[");
    let mut is_first = true;
    loop {
        let char = chars.next()?;
        class.push(char);
        if char == ']' && !is_first {
            return Some(class);
        }
        is_first = is_first && class.len() == 2 && matches!(char, '!' | '^');
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl Rules {
    /// The rules that hold in `folder`, given those that hold in the folder it lies in.
    pub(super) fn below(
        above: Option<&Arc<Self>>,
        folder: &Path,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<Self>> {
        let files: Vec<_> =
            FILES.iter().filter_map(|name| Some((*name, reading.file(folder, name)?))).collect();
        let is_repository = folder.join(".git").symlink_metadata().is_ok();
        if files.is_empty() && (!is_repository || above.is_none()) {
            return above.cloned();
        }
        Some(Arc::new(Self { above: above.cloned(), files, is_repository }))
    }

    /// What the rules say of an entry: the deepest folder decides, and in it the last rule.
    fn verdict(&self, path: &Path, is_folder: bool) -> Match<()> {
        for name in FILES {
            let is_gits = matches!(name, GITIGNORE | EXCLUDE);
            let mut next = Some(self);
            while let Some(rules) = next {
                for (_, file) in rules.files.iter().filter(|(file, _)| *file == name) {
                    let verdict = file.matched(path, is_folder);
                    if !verdict.is_none() {
                        return verdict.map(|_| ());
                    }
                }
                next = rules.above.as_deref().filter(|_| !(is_gits && rules.is_repository));
            }
        }
        Match::None
    }
}

/// Whether an entry is left out: what is hidden or ignored, unless a rule takes it back in.
pub(super) fn leave_out(rules: Option<&Arc<Rules>>, path: &Path, is_folder: bool) -> bool {
    match rules.map_or(Match::None, |rules| rules.verdict(path, is_folder)) {
        Match::Ignore(()) => true,
        Match::Whitelist(()) => false,
        Match::None => is_hidden(path),
    }
}

/// Whether the name begins with a dot.
pub(super) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
