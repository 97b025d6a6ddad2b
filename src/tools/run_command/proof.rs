//! From the proof that a command only reads to what it may touch here and now.
//!
//! Owns what the text of a command cannot tell: which program a name leads to ([`surroundings`]),
//! where paths lead, what is there, and what the settings of a repository make git run
//! ([`repository`]). Must not know options or quotes (`reads` does).
//!
//! Invariant: what is given lies inside the workspace and can be read to its end: regular files
//! and folders, no devices, no pipes. As with every tool, it holds for the moment it is asked for.

mod git_config;
mod repository;
mod surroundings;

use std::{
    fs,
    path::{Path, PathBuf},
};

use globset::GlobBuilder;

pub(super) use surroundings::Surroundings;

use super::reads::{self, Place, Run, Step, Word, git};
use crate::{
    protocol::access::{Access, Resource},
    tools::workspace::Workspace,
};

/// Most names that are looked at for wild characters.
const NAMES: usize = 20_000;

/// Most paths that a word with wild characters may stand for.
const MATCHES: usize = 2_000;

/// Folders in which files are made by the kernel, and may have no end.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// What a command in this folder may touch, if it is proven that it only reads in the workspace.
/// All that it may change is where later commands run.
pub(super) fn access(
    command: &str,
    folder: &Path,
    workspace: &Workspace,
    around: &Surroundings,
) -> Option<Access> {
    let reads = reads::reads(command)?;
    if !around.shell_is_plain(workspace.root()) {
        return None;
    }
    let here = vec![folder.to_owned()];
    let mut proof = Proof { workspace, around, now: here.clone(), ever: here, found: Vec::new() };
    for step in &reads.steps {
        proof.step(step)?;
    }
    if proof.found.is_empty() {
        proof.found.push(Resource::Cwd);
    }
    let moves = proof.ever.len() > 1;
    let writes = moves.then_some(Resource::Cwd).into_iter().collect();
    Some(Access { reads: proof.found, writes })
}

struct Proof<'a> {
    workspace: &'a Workspace,
    around: &'a Surroundings,
    /// Folders in which the next step may run.
    now: Vec<PathBuf>,
    /// Folders in which any step may run.
    ever: Vec<PathBuf>,
    found: Vec<Resource>,
}

impl Proof<'_> {
    fn step(&mut self, step: &Step) -> Option<()> {
        match step {
            Step::Doubt => self.now.clone_from(&self.ever),
            Step::Enter(name) => {
                if self.around.redirects_folders() {
                    return None;
                }
                let entered: Option<Vec<_>> =
                    self.now.iter().map(|folder| self.folder(folder, name)).collect();
                self.now = entered?;
                self.ever.extend(self.now.iter().cloned());
            }
            Step::Run(run) => self.run(run)?,
        }
        Some(())
    }

    fn run(&mut self, run: &Run) -> Option<()> {
        let program = match &run.program {
            Some(name) => Some(self.around.program(name, self.workspace.root())?),
            None => None,
        };
        match run.program.as_deref() {
            Some("rg") if self.around.configures_rg() => return None,
            // They are scripts that run it.
            Some("egrep" | "fgrep") => {
                self.around.program("grep", self.workspace.root())?;
            }
            _ => {}
        }
        for folder in self.now.clone() {
            let folder = match &run.git {
                Some(git::Use { folder: Some(name), .. }) => self.folder(&folder, name)?,
                _ => folder,
            };
            if let (Some(git), Some(program)) = (&run.git, &program) {
                let root = repository::judge(self, &folder, git.looks, program)?;
                self.add(Resource::Tree(root));
            }
            for place in &run.places {
                self.place(&folder, place)?;
            }
        }
        Some(())
    }

    fn place(&mut self, folder: &Path, place: &Place) -> Option<()> {
        match place {
            Place::Here => self.read(folder.to_owned(), true),
            Place::Path(word) | Place::File(word) => {
                let may_be_folder = matches!(place, Place::Path(_));
                if word.wild.is_empty() && word.text == "/dev/null" {
                    return Some(());
                }
                for path in self.expand(folder, word)? {
                    let path = self.resolve(&path)?;
                    self.read(path, may_be_folder)?;
                }
                Some(())
            }
        }
    }

    fn read(&mut self, path: PathBuf, may_be_folder: bool) -> Option<()> {
        let is_folder = path.is_dir();
        if is_folder && !may_be_folder {
            return None;
        }
        self.add(if is_folder { Resource::Tree(path) } else { Resource::File(path) });
        Some(())
    }

    fn add(&mut self, resource: Resource) {
        if !self.found.contains(&resource) {
            self.found.push(resource);
        }
    }

    /// A folder that a command enters.
    fn folder(&self, from: &Path, name: &str) -> Option<PathBuf> {
        if name.is_empty() {
            return None;
        }
        self.resolve(&from.join(name)).filter(|folder| folder.is_dir())
    }

    /// Where a path leads, if that is inside, and a file, a folder or nothing.
    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let path = self.workspace.resolve(path.to_str()?).ok()?.absolute;
        if KERNEL.iter().any(|folder| path.starts_with(folder)) {
            return None;
        }
        match path.symlink_metadata() {
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => None,
            _ => Some(path),
        }
    }

    /// The paths that a word stands for: also the word as it is, which it stands for if there is
    /// no such file.
    fn expand(&self, folder: &Path, word: &Word) -> Option<Vec<PathBuf>> {
        if word.text.is_empty() {
            return None;
        }
        let mut paths = vec![folder.to_owned()];
        let mut begin = 0;
        for part in word.text.split('/') {
            let wild: Vec<usize> = word
                .wild
                .iter()
                .filter_map(|at| at.checked_sub(begin))
                .filter(|at| *at < part.len())
                .collect();
            if begin == 0 && part.is_empty() {
                paths = vec![PathBuf::from("/")];
            } else if wild.is_empty() {
                for path in &mut paths {
                    path.push(part);
                }
            } else {
                paths = self.matches(&paths, part, &wild)?;
            }
            begin += part.len() + 1;
        }
        if !word.wild.is_empty() {
            paths.push(folder.join(&word.text));
        }
        Some(paths)
    }

    /// What is in these folders under a name with wild characters. Hidden names count, which the
    /// shell leaves out: more is looked at than is read.
    fn matches(&self, folders: &[PathBuf], part: &str, wild: &[usize]) -> Option<Vec<PathBuf>> {
        let pattern: String = part
            .char_indices()
            .map(|(at, c)| {
                let text = c.to_string();
                if wild.contains(&at) { text } else { globset::escape(&text) }
            })
            .collect();
        let matcher = GlobBuilder::new(&pattern).build().ok()?.compile_matcher();
        let mut found = Vec::new();
        let mut looked_at = 0;
        for folder in folders {
            let folder = self.resolve(folder)?;
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                looked_at += 1;
                let name = entry.ok()?.file_name();
                if matcher.is_match(&name) {
                    found.push(folder.join(name));
                }
                if looked_at > NAMES || found.len() > MATCHES {
                    return None;
                }
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests;
