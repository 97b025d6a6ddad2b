//! The folder that the model works in: resolves paths and keeps them inside.
//!
//! Owns what a path names (`..`, `~`, symbolic links) and how files in the folder are opened,
//! decoded, walked and replaced (the modules below). Must not know any tool or its arguments.
//!
//! Invariant: a [`Resolved`] path is canonical and lies inside the root.

pub mod blocking;
pub mod change;
pub mod commit;
pub mod glob;
mod limits;
pub mod open;
pub mod plan;
pub mod revise;
pub mod rewrite;
mod rules;
pub mod save;
pub mod spelling;
pub mod text;
pub mod walk;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::ToolError;
use crate::protocol::access::Resource;

/// As many symbolic links as the kernel follows before it calls them a loop.
const MAX_LINKS: usize = 40;

/// The folder that the model works in, canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

/// A path inside the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Canonical: the longest existing ancestor resolved, the rest appended.
    pub absolute: PathBuf,
    /// Relative to the root, for display; `.` for the root itself.
    pub relative: String,
}

impl Resolved {
    /// The file as a resource: equal for all paths that name it.
    #[must_use]
    pub fn file(&self) -> Resource {
        Resource::File(spelling::compared(&self.absolute))
    }

    /// The folder with all that is below it as a resource: equal for all paths that name it.
    #[must_use]
    pub fn tree(&self) -> Resource {
        Resource::Tree(spelling::compared(&self.absolute))
    }
}

enum Walked {
    Path(PathBuf),
    Loop,
    NotAFolder(PathBuf),
    Failed(io::Error),
}

impl Workspace {
    /// Takes a folder that exists.
    ///
    /// # Errors
    /// If the folder cannot be resolved, or is not a folder.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let root = spelling::spelled(&folder.canonicalize()?);
        if root.is_dir() {
            Ok(Self { root })
        } else {
            Err(io::Error::from(io::ErrorKind::NotADirectory))
        }
    }

    /// The folder itself, canonical.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What a path written by the model names. The file need not exist.
    ///
    /// # Errors
    /// A text for the model, if the path is empty or malformed, or leads out of the workspace.
    pub fn resolve(&self, path: &str) -> Result<Resolved, ToolError> {
        if path.is_empty() {
            return Err(ToolError::refused(
                "empty path",
                "the path is empty. Use `.` for the whole folder, or a path like `src/main.rs`.",
            ));
        }
        if path.contains('\0') {
            return Err(ToolError::refused(
                "malformed path",
                format!("{path:?} contains a NUL character. Send the path without it."),
            ));
        }
        let absolute = match walk(&self.root.join(expand_home(path)?)) {
            Walked::Path(found) => spelling::spelled(&found),
            Walked::Loop => {
                return Err(ToolError::refused(
                    "link loop",
                    format!("`{path}` leads through a loop of symbolic links. Use another path."),
                ));
            }
            Walked::NotAFolder(file) if file.starts_with(&self.root) => {
                let file = self.relative(&file);
                return Err(ToolError::refused(
                    "not a folder",
                    format!("`{path}` cannot exist: `{file}` is a file, not a folder."),
                ));
            }
            Walked::NotAFolder(_) => return Err(self.outside(path, None)),
            Walked::Failed(error) => {
                return Err(ToolError::refused(
                    "unusable path",
                    format!("`{path}` cannot be resolved: {error}. Use another path."),
                ));
            }
        };
        if absolute.starts_with(&self.root) {
            let relative = self.relative(&absolute);
            Ok(Resolved { absolute, relative })
        } else {
            Err(self.outside(path, Some(&absolute)))
        }
    }

    /// Whether the last part of a path written by the model is a symbolic link itself.
    #[must_use]
    pub fn is_link(&self, path: &str) -> bool {
        let path = expand_home(path).map(|path| self.root.join(path));
        let metadata = path.ok().and_then(|path| path.symlink_metadata().ok());
        metadata.is_some_and(|metadata| metadata.is_symlink())
    }

    /// How a path inside the workspace is shown: relative to the root, `.` for the root.
    #[must_use]
    pub fn relative(&self, absolute: &Path) -> String {
        match absolute.strip_prefix(&self.root) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => rest.to_string_lossy().into_owned(),
            Err(_) => absolute.to_string_lossy().into_owned(),
        }
    }

    fn outside(&self, path: &str, target: Option<&Path>) -> ToolError {
        let target = match target {
            Some(target) if target != Path::new(path) => format!(" (it is {})", target.display()),
            _ => String::new(),
        };
        ToolError::refused(
            "outside the folder",
            format!(
                "`{path}` lies outside the folder of this session{target}. Only paths inside {} \
                 can be used; write them relative to it, for instance `src/main.rs`.",
                self.root.display()
            ),
        )
    }
}

fn expand_home(path: &str) -> Result<PathBuf, ToolError> {
    let rest = match path.strip_prefix('~') {
        Some("") => "",
        Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/'),
        _ => return Ok(PathBuf::from(path)),
    };
    match std::env::home_dir() {
        Some(home) => Ok(home.join(rest)),
        None => Err(ToolError::refused(
            "no home folder",
            format!("`{path}`: the home folder is not known. Use a path relative to this folder."),
        )),
    }
}

/// Follows a path as the kernel does, but goes on lexically where nothing exists yet.
fn walk(path: &Path) -> Walked {
    let mut current = PathBuf::new();
    let mut links = 0;
    let mut rest: VecDeque<OsString> =
        path.components().map(|part| part.as_os_str().to_owned()).collect();
    while let Some(part) = rest.pop_front() {
        match Path::new(&part).components().next() {
            Some(root @ (Component::RootDir | Component::Prefix(_))) => {
                current = PathBuf::from(root.as_os_str());
            }
            Some(Component::ParentDir) => {
                current.pop();
            }
            Some(Component::Normal(name)) => {
                let next = current.join(name);
                match next.symlink_metadata() {
                    Ok(metadata) if metadata.is_symlink() => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Walked::Loop;
                        }
                        match next.read_link() {
                            Ok(target) => prepend(&mut rest, &target),
                            Err(error) => return Walked::Failed(error),
                        }
                    }
                    Ok(metadata) if !metadata.is_dir() && !rest.is_empty() => {
                        return Walked::NotAFolder(next);
                    }
                    Ok(_) => current = next,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => current = next,
                    Err(error) => return Walked::Failed(error),
                }
            }
            Some(Component::CurDir) | None => {}
        }
    }
    Walked::Path(current)
}

fn prepend(rest: &mut VecDeque<OsString>, target: &Path) {
    for part in target.components().rev() {
        rest.push_front(part.as_os_str().to_owned());
    }
}
