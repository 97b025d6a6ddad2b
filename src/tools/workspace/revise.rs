//! A plan as the user changed it: some files left alone, some hunks not taken, some contents
//! edited by hand.
//!
//! Owns what becomes of a plan then, and how the model is told. Must not know any tool.
//!
//! Invariant: only what was shown is done; every file that gets another content than asked is
//! named, with the words for why, and what was really written follows as a diff.

use std::path::PathBuf;

use super::change::Change;
use super::open;
use super::plan::Plan;
use super::rewrite::{MAX_CONTENT, Moved, Rewrite};
use super::text;
use crate::protocol::question::{Fate, FileChange, FilePart, Part, Texts};
use crate::protocol::tool::ToolStatus;
use crate::text::hunks;
use crate::tools::{ToolError, output};

/// What the user was shown, and what the user made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The files of the question.
    pub shown: Vec<FileChange>,
    /// What is done instead of all that was asked; other files are done as asked.
    pub parts: Vec<FilePart>,
}

/// A plan that does what the user wants.
pub(in crate::tools) struct Revised {
    pub(in crate::tools) plan: Plan,
    /// Files that get content which the model will not have seen whole.
    pub(in crate::tools) unseen: Vec<PathBuf>,
    /// What the user made of it, in a few words; `None` if it is done as asked.
    pub(in crate::tools) taken: Option<String>,
}

/// How much of a plan the user took.
#[derive(Default)]
struct Taken {
    /// Files that are done, of so many.
    files: (usize, usize),
    /// Hunks that are done, of so many, in files of which not all are.
    hunks: (usize, usize),
    edited: bool,
}

impl Taken {
    fn count(&mut self, shown: &FileChange, part: Option<&Part>, is_done: bool) {
        self.files.1 += 1;
        if !is_done {
            return;
        }
        self.files.0 += 1;
        let all = shown.hunks.len();
        match part {
            Some(Part::Hunks { taken }) => {
                self.hunks.0 += (0..all).filter(|n| taken.contains(n)).count();
                self.hunks.1 += all;
            }
            Some(Part::Edited { .. }) => self.edited = true,
            Some(Part::Left) | None => {}
        }
    }

    /// `1 of 2 files, 2 of 3 hunks`.
    fn in_words(&self) -> String {
        let counted = [(self.files, "files"), (self.hunks, "hunks")];
        let counted = counted.into_iter().filter(|((taken, all), _)| taken < all);
        let counted = counted.map(|((taken, all), what)| format!("{taken} of {all} {what}"));
        let edited = self.edited.then(|| "edited".to_owned());
        counted.chain(edited).collect::<Vec<_>>().join(", ")
    }
}

impl Rewrite {
    /// The file as the user is asked about it. `alone`: no other file changes with it.
    #[must_use]
    pub fn shown(&self, alone: bool) -> FileChange {
        let texts = self.texts();
        FileChange {
            path: self.path.relative.clone(),
            fate: self.fate(),
            hunks: texts.as_ref().map_or_else(Vec::new, |texts| hunks::grouped(&texts.changes)),
            optional: !alone && self.moved == Moved::No,
            texts,
        }
    }

    fn fate(&self) -> Fate {
        match (&self.moved, &self.old, &self.new) {
            (Moved::From(from, _), ..) => Fate::Moved { from: from.clone() },
            (_, _, None) => Fate::Deleted,
            (_, None, _) => Fate::Created,
            _ => Fate::Changed,
        }
    }

    /// Both contents, if parts of the one can be put into the other and written back.
    fn texts(&self) -> Option<Texts> {
        let new = self.new.as_ref().filter(|_| self.is_plain())?;
        let old = self.old.as_ref().map_or(Some(String::new()), |old| editable(old))?;
        let changes = self.change.changes.as_slice();
        Some(Texts { old: old.into(), new: editable(new)?.into(), changes: changes.into() })
    }
}

fn editable(bytes: &[u8]) -> Option<String> {
    if text::binary_type(bytes).is_some() {
        return None;
    }
    let file = text::decode(bytes);
    file.round_trips(bytes).then_some(file.text)
}

/// Makes of a plan what the user made of it.
///
/// # Errors
/// A text for the model: the plan is another one by now, or the user left nothing of it.
pub(in crate::tools) fn revise(plan: Plan, revision: &Revision) -> Result<Revised, ToolError> {
    let is_shown = |part: &&FilePart| revision.shown.iter().any(|file| file.path == part.path);
    if let Some(part) = revision.parts.iter().find(|part| !is_shown(part)) {
        return Err(not_divisible(&part.path));
    }
    let files = plan.rewrites.iter().filter(|rewrite| rewrite.moved != Moved::Away).count();
    let mut words = Vec::new();
    let mut unseen = Vec::new();
    let mut rewrites = Vec::new();
    let mut taken = Taken::default();
    let mut is_revised = false;
    for rewrite in plan.rewrites {
        if rewrite.moved == Moved::Away || rewrite.is_nothing() {
            rewrites.push(rewrite);
            continue;
        }
        let shown = as_shown(&rewrite, files == 1, revision)?;
        let part = revision.parts.iter().find(|part| part.path == shown.path);
        let (rewrite, told) = match part {
            Some(FilePart { part, .. }) => one(rewrite, shown, part)?,
            None => (Some(rewrite), None),
        };
        let changed = part.map(|part| &part.part).filter(|_| told.is_some());
        taken.count(shown, changed, rewrite.is_some());
        is_revised |= told.is_some();
        let told = told.unwrap_or_else(|| "done as you sent it".to_owned());
        let counts = rewrite.as_ref().map(|rewrite| format!(" ({})", rewrite.change.summary()));
        words.push(format!("`{}`: {told}{}", shown.path, counts.unwrap_or_default()));
        let Some(rewrite) = rewrite else { continue };
        let by_hand = part.is_some_and(|part| matches!(part.part, Part::Edited { .. }));
        if by_hand && rewrite.change.is_long() {
            unseen.push(rewrite.path.absolute.clone());
        }
        rewrites.push(rewrite);
    }
    if rewrites.iter().all(Rewrite::is_nothing) {
        return Err(nothing_taken());
    }
    let mut revised = Plan { rewrites, told: plan.told, notes: plan.notes };
    if is_revised {
        let written = output::cut_end(&revised.diff(), "read the file with read_file");
        revised.told = format!("Written, but not all of it as you sent it:\n{}", words.join("\n"));
        revised.notes.push(format!("What was written:\n{}", written.trim_end_matches('\n')));
    }
    let taken = Some(taken.in_words()).filter(|words| is_revised && !words.is_empty());
    Ok(Revised { plan: revised, unseen, taken })
}

/// What was shown of this file, if that is what would be done now.
fn as_shown<'a>(
    rewrite: &Rewrite,
    alone: bool,
    revision: &'a Revision,
) -> Result<&'a FileChange, ToolError> {
    let now = rewrite.shown(alone);
    let shown = revision.shown.iter().find(|shown| shown.path == now.path);
    shown.filter(|shown| shown.does_the_same_as(&now)).ok_or_else(|| {
        let name = &now.path;
        let text = format!(
            "`{name}` was changed by something else while the user decided; nothing was \
             written. Read it again, then send the call anew."
        );
        ToolError::failed("changed meanwhile", text)
    })
}

/// One file as the user wants it, `None` if it stays as it is; and the words for that, `None` if
/// it is done as asked.
fn one(
    rewrite: Rewrite,
    shown: &FileChange,
    part: &Part,
) -> Result<(Option<Rewrite>, Option<String>), ToolError> {
    let left = || Some("the user left it as it is".to_owned());
    let all = shown.hunks.len();
    let (content, told) = match (part, &shown.texts) {
        (Part::Left, _) if shown.optional || shown.texts.is_some() => return Ok((None, left())),
        (Part::Hunks { taken }, Some(texts)) => {
            let taken: Vec<usize> = (0..all).filter(|n| taken.contains(n)).collect();
            if taken.is_empty() {
                return Ok((None, left()));
            }
            let is_taken = |n: usize| taken.contains(&n);
            let content = hunks::apply(&texts.old, &texts.new, &shown.hunks, is_taken);
            (content, format!("the user took {} of {all} hunks", taken.len()))
        }
        (Part::Edited { content }, Some(_)) => {
            (content.clone(), "the user changed it before it was written".to_owned())
        }
        _ => return Err(not_divisible(&shown.path)),
    };
    let Some(texts) = shown.texts.as_ref().filter(|texts| *texts.new != *content) else {
        return Ok((Some(rewrite), None));
    };
    if rewrite.old.is_some() && *texts.old == *content {
        return Ok((None, left()));
    }
    let new = encoded(&rewrite, &content)?;
    let old = rewrite.old.is_some().then_some(&*texts.old);
    let change = Change::between(&shown.path, old, &content);
    Ok((Some(Rewrite::of(rewrite.path, rewrite.old, new, change)), Some(told)))
}

/// The content in the encoding that the file was to have.
fn encoded(rewrite: &Rewrite, content: &str) -> Result<Vec<u8>, ToolError> {
    let file = text::decode(rewrite.new.as_deref().unwrap_or_default());
    let name = &rewrite.path.relative;
    let bytes = text::encode(content, file.encoding, file.bom).ok_or_else(|| {
        let encoding = file.encoding.name();
        ToolError::failed(
            "not encodable",
            format!(
                "`{name}` is encoded as {encoding}, which lacks a character of what the user \
                 made of it; nothing was written. Ask the user what to do."
            ),
        )
    })?;
    if bytes.len() as u64 > MAX_CONTENT {
        let max = open::size(MAX_CONTENT);
        let text =
            format!("what the user made of `{name}` has more than {max}; nothing was written.");
        return Err(ToolError::failed("too large", text));
    }
    Ok(bytes)
}

fn not_divisible(name: &str) -> ToolError {
    let text = format!("`{name}` can only be changed whole or not at all; nothing was written.");
    ToolError::failed("not divisible", text)
}

fn nothing_taken() -> ToolError {
    ToolError {
        status: ToolStatus::Denied,
        text: "Denied: the user took no part of this change; nothing was written. Do not try it \
               again in another form; go on without it or ask what to do."
            .to_owned(),
        summary: "nothing taken".to_owned(),
    }
}
