//! What a command lets the model see of a file: that counts as having read it.
//!
//! Owns when it does. Must not know programs: what was printed tells.
//!
//! Invariant: only a content that the model got whole, as it is, counts as seen.

use std::path::{Path, PathBuf};

use super::told;
use crate::{
    protocol::access::{Access, Resource},
    text::sanitize::settle,
    tools::{
        ToolContext,
        process::CommandEnd,
        workspace::{Resolved, open},
    },
};

/// The one file that a command reads, if it touches no other and changes nothing.
pub(super) fn only_file(access: &Access) -> Option<PathBuf> {
    let mut reads = access.reads.iter().filter(|one| **one != Resource::Cwd);
    match (reads.next(), reads.next()) {
        (Some(Resource::File(path)), None) if access.is_read_only() => Some(path.clone()),
        _ => None,
    }
}

/// Notes that the model has seen the file, if the command printed just what is in it.
pub(super) fn note(context: &ToolContext, path: &Path, end: &CommandEnd) {
    let output = &end.output;
    if output.cut() || output.total_bytes == 0 || settle(&output.head) != output.head {
        return;
    }
    let relative = context.workspace.relative(path);
    let file = Resolved { absolute: path.to_owned(), relative };
    let most = u64::try_from(told::MOST_CHARACTERS).unwrap_or(u64::MAX);
    if let Ok(content) = open::read_whole(&context.workspace, &file, most)
        && content == output.head.as_bytes()
    {
        context.seen.note(path, &content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_touches_anything_else_shows_no_one_file() {
        let file = |name: &str| Resource::File(name.into());
        let reads = |reads: Vec<Resource>| Access { reads, writes: Vec::new() };
        assert_eq!(only_file(&reads(vec![file("/a"), Resource::Cwd])), Some("/a".into()));
        for access in [
            reads(vec![file("/a"), file("/b")]),
            reads(vec![file("/a"), Resource::Tree("/t".into())]),
            reads(vec![Resource::Cwd]),
            Access::write(file("/a")),
            Access::unknown(),
        ] {
            assert_eq!(only_file(&access), None, "{access:?}");
        }
    }
}
