//! The environment that commands run in, as far as a proof hangs on it.
//!
//! Owns which variables can make a shell or a program do something else than its words say, and
//! where programs may lie. Must not know what a command does.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

/// Folders of the system, in which a name is the program that everybody knows under it.
const SYSTEM: [&str; 12] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/opt/local/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/run/current-system/sw/bin",
    "/nix/var/nix/profiles/default/bin",
];

/// What is run before a command, or changes how its words are split or options are read.
const CHANGES_SHELLS: [&str; 8] = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "GLOBIGNORE",
    "GREP_OPTIONS",
    "POSIXLY_CORRECT",
    "_POSIX2_VERSION",
];

/// Variables of git that change no command that shows something: those for commits, for the network
/// and for the prompt of a shell.
const HARMLESS_TO_GIT: [&str; 13] = [
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_ASKPASS",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_MERGE_AUTOEDIT",
];

/// The variables of an environment.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Surroundings {
    variables: Vec<(OsString, OsString)>,
}

impl Surroundings {
    /// Those of this process, which its commands inherit.
    pub(in super::super) fn of_this_process() -> Self {
        Self { variables: std::env::vars_os().collect() }
    }

    #[cfg(test)]
    pub(super) fn of(variables: &[(&str, &str)]) -> Self {
        let own = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        Self { variables: variables.iter().map(own).collect() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        let variable = self.variables.iter().find(|(known, _)| known == name);
        variable.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// Whether a shell runs a command as it is written, with the system's own libraries.
    pub(super) fn shell_is_plain(&self, workspace: &Path) -> bool {
        let is_harmless = |(name, value): &(OsString, OsString)| {
            let name = name.to_string_lossy();
            let is_function =
                name.starts_with("BASH_FUNC_") || value.as_encoded_bytes().starts_with(b"()");
            let loads =
                name.starts_with("LD_") || name.starts_with("DYLD_") || name == "GCONV_PATH";
            !is_function
                && !CHANGES_SHELLS.contains(&name.as_ref())
                && (!loads || value.is_empty() || loads_elsewhere(value, workspace))
        };
        // Programs that are scripts look for others in `PATH` in their turn.
        self.variables.iter().all(is_harmless)
            && self.get("PATH").is_some_and(|folders| leads_elsewhere(folders, workspace))
            && self.program("bash", workspace).is_some()
    }

    /// Where the shell finds a program, if that is in a folder of the system.
    pub(super) fn program(&self, name: &str, workspace: &Path) -> Option<PathBuf> {
        for folder in std::env::split_paths(self.get("PATH")?) {
            if !folder.is_absolute() {
                return None;
            }
            let file = folder.join(name);
            match file.symlink_metadata() {
                Ok(_) => {
                    let is_system = SYSTEM.iter().any(|system| folder == Path::new(system));
                    let target = file.canonicalize().ok()?;
                    let is_safe = target.is_file() && !target.starts_with(workspace);
                    return (is_system && is_safe).then_some(file);
                }
                Err(error) if is_absence(&error) => {}
                Err(_) => return None,
            }
        }
        None
    }

    /// Whether `cd` looks for a folder elsewhere first.
    pub(super) fn redirects_folders(&self) -> bool {
        self.get("CDPATH").is_some()
    }

    /// Whether `rg` takes options from a file.
    pub(super) fn configures_rg(&self) -> bool {
        self.get("RIPGREP_CONFIG_PATH").is_some()
    }

    /// Whether git takes settings or files from the environment.
    pub(super) fn configures_git(&self) -> bool {
        self.variables.iter().any(|(name, _)| {
            let name = name.to_string_lossy();
            name.starts_with("GIT_")
                && !name.starts_with("GIT_COMMITTER_")
                && !name.starts_with("GIT_PS1_")
                && !HARMLESS_TO_GIT.contains(&name.as_ref())
        })
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The same for a list of libraries, for which more signs stand between two paths.
fn loads_elsewhere(paths: &OsStr, workspace: &Path) -> bool {
    let has_other_signs = paths.as_encoded_bytes().iter().any(|byte| b" ;".contains(byte));
    !has_other_signs && leads_elsewhere(paths, workspace)
}

/// Whether every part of a list of paths is absolute and outside of the workspace.
fn leads_elsewhere(paths: &OsStr, workspace: &Path) -> bool {
    std::env::split_paths(paths).all(|path| {
        let target = path.canonicalize();
        path.is_absolute()
            && !path.starts_with(workspace)
            && !target.is_ok_and(|target| target.starts_with(workspace))
    })
}
