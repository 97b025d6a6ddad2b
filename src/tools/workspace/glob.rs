//! Which files are meant, by their names.
//!
//! Owns the syntax of globs, and the error that teaches it. Must not know what is done with the
//! files.
//!
//! Invariant: any text is compiled, or refused with a way out.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::walk::below;
use crate::tools::ToolError;

/// A glob such as `*.rs` or `src/**/*.ts`; `!` before it means all other files.
pub struct Glob {
    matcher: GlobMatcher,
    negated: bool,
    by_name: bool,
}

impl Glob {
    /// Compiles a glob.
    ///
    /// # Errors
    /// A text for the model: what is wrong, and one that is right.
    pub fn parse(glob: &str) -> Result<Self, ToolError> {
        let (negated, pattern) = match glob.strip_prefix('!') {
            Some(pattern) => (true, pattern),
            None => (false, glob),
        };
        let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
        let matcher =
            GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| {
                ToolError::failed(
                    "bad glob",
                    format!("{glob:?} is not a glob: {}. Use one like `*.rs`.", error.kind()),
                )
            })?;
        let by_name = !pattern.contains('/');
        Ok(Self { matcher: matcher.compile_matcher(), negated, by_name })
    }

    /// Whether it fits an entry of a folder: one without a folder in it fits a name anywhere; one
    /// with a folder fits the path below the root, or below the folder that is walked.
    #[must_use]
    pub fn fits(&self, entry: &Path, (root, folder): (&Path, &Path)) -> bool {
        let matches = |path: &Path| self.matcher.is_match(path);
        let matched = if self.by_name {
            entry.file_name().is_some_and(|name| self.matcher.is_match(name))
        } else {
            matches(&below(root, entry)) || (!self.negated && matches(&below(folder, entry)))
        };
        matched != self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_fits_names_or_paths_as_it_has_folders_or_not() {
        let (root, folder) = (Path::new("/w"), Path::new("/w/sub"));
        for (glob, path, fits) in GLOBS {
            let entry = folder.join(path);
            assert_eq!(
                Glob::parse(glob).unwrap().fits(&entry, (root, folder)),
                *fits,
                "{glob} {path}"
            );
        }
        assert!(Glob::parse("a[").is_err());
    }

    const GLOBS: &[(&str, &str, bool)] = &[
        ("*.rs", "a.rs", true),
        ("*.rs", "deep/er/a.rs", true),
        ("*.rs", "a.rsx", false),
        ("sub/*.rs", "a.rs", true),
        ("sub/*.rs", "deep/a.rs", false),
        ("deep/*.rs", "deep/a.rs", true),
        ("sub/**/*.rs", "a.rs", true),
        ("sub/**/*.rs", "deep/er/a.rs", true),
        ("**/er/**", "deep/er/a.rs", true),
        ("./deep/*.{rs,ts}", "deep/a.ts", true),
        ("!*.rs", "a.rs", false),
        ("!*.rs", "a.ts", true),
        ("!sub/*", "a.ts", false),
    ];
}
