//! Whether the settings of a repository leave a command of git alone.
//!
//! Owns which settings can make git run a program when it only shows something: filters, text
//! converters, helpers, hooks, other repositories inside. Must not know the options of commands.
//!
//! The settings of the repository itself came with it and are hostile: each must stand in a list
//! of harmless ones. Those of the user and the system are theirs: only those that run something
//! are refused. Attributes can name no more than what settings define, so that they need no look.
//!
//! Invariant: a repository that reaches beyond the workspace, or is not of the plainest kind, is
//! refused.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

use super::{
    Proof,
    git_config::{self, Setting},
    surroundings::Surroundings,
};
use crate::tools::run_command::reads::git::Looks;

/// Largest file of settings, in bytes.
const MAX_CONFIG: u64 = 1 << 20;

/// Largest index that is looked through, in bytes.
const MAX_INDEX: u64 = 16 << 20;

/// Files of settings that may be read, included ones too.
const MAX_FILES: usize = 32;

/// How an entry of the index begins that is a repository of its own: its mode, as it is stored.
/// The size of a file may look the same, which costs a question.
const GITLINK: [u8; 4] = [0, 0, 0xE0, 0];

/// Sections of which every setting is harmless to commands that show something.
const HARMLESS_SECTIONS: [&str; 14] = [
    "advice",
    "author",
    "branch",
    "color",
    "commit",
    "committer",
    "fetch",
    "gc",
    "init",
    "lfs",
    "pull",
    "push",
    "rebase",
    "user",
];

/// Single harmless settings: section and key, whatever stands between.
const HARMLESS: [(&str, &str); 37] = [
    ("core", "abbrev"),
    ("core", "autocrlf"),
    ("core", "bare"),
    ("core", "commentchar"),
    ("core", "eol"),
    ("core", "filemode"),
    ("core", "ignorecase"),
    ("core", "logallrefupdates"),
    ("core", "precomposeunicode"),
    ("core", "quotepath"),
    ("core", "repositoryformatversion"),
    ("core", "safecrlf"),
    ("core", "symlinks"),
    ("core", "whitespace"),
    ("diff", "algorithm"),
    ("diff", "colormoved"),
    ("diff", "context"),
    ("diff", "mnemonicprefix"),
    ("diff", "noprefix"),
    ("diff", "renames"),
    ("extensions", "objectformat"),
    ("log", "abbrevcommit"),
    ("log", "date"),
    ("log", "decorate"),
    ("log", "follow"),
    ("merge", "conflictstyle"),
    ("merge", "ff"),
    ("remote", "fetch"),
    ("remote", "gh-resolved"),
    ("remote", "prune"),
    ("remote", "push"),
    ("remote", "pushurl"),
    ("remote", "tagopt"),
    ("remote", "url"),
    ("status", "showuntrackedfiles"),
    ("submodule", "active"),
    ("submodule", "url"),
];

/// The top folder of the repository that git finds from `folder`, if nothing in it or in the
/// settings makes git run another program.
pub(super) fn judge(
    proof: &Proof<'_>,
    folder: &Path,
    looks: Looks,
    program: &Path,
) -> Option<PathBuf> {
    if proof.around.configures_git() {
        return None;
    }
    let root = root(folder, proof.workspace.root())?;
    let git = root.join(".git");
    is_plain(&git)?;
    let own = git_config::parse(&text(&git.join("config"), true)?)?;
    if !own.iter().all(is_harmless) {
        return None;
    }
    if looks == Looks::Files {
        has_no_repositories_inside(&git)?;
    }
    let mut files = Files { left: MAX_FILES, looks };
    for path in of_the_user(proof.around)?.into_iter().chain(of_the_system(program)) {
        files.are_harmless(&path, proof.around)?;
    }
    Some(root)
}

/// The nearest folder with a `.git`. A folder that looks like a repository without files, as git
/// takes it, ends the search.
fn root(folder: &Path, workspace: &Path) -> Option<PathBuf> {
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(workspace)) {
        if exists(&folder.join("HEAD")) {
            return None;
        }
        if exists(&folder.join(".git")) {
            return Some(folder.to_owned());
        }
    }
    None
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// Whether `.git` is a folder that git takes for a repository, with all in it, and no hook that
/// runs when the index is refreshed.
fn is_plain(git: &Path) -> Option<()> {
    let folders = is_folder(git) && is_folder(&git.join("objects")) && is_folder(&git.join("refs"));
    let head = text(&git.join("HEAD"), true)?;
    let head = head.trim_end();
    let is_head = head.strip_prefix("ref: ").is_some_and(|name| name.starts_with("refs/"))
        || (matches!(head.len(), 40 | 64) && head.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let elsewhere =
        ["commondir", "config.worktree", "objects/info/alternates", "hooks/post-index-change"];
    let has_none = elsewhere.iter().all(|name| !exists(&git.join(name)));
    let no_links = has_no_links(git) && has_no_links(&git.join("info"));
    (folders && is_head && has_none && no_links).then_some(())
}

/// A link in place of a file of git would show lines of what it leads to, in an error at least.
fn has_no_links(folder: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(folder) else { return !exists(folder) };
    entries.all(|entry| {
        let kind = entry.and_then(|entry| entry.file_type());
        kind.is_ok_and(|kind| kind.is_dir() || kind.is_file())
    })
}

/// Repositories inside have settings of their own, which `git status` follows.
fn has_no_repositories_inside(git: &Path) -> Option<()> {
    let index = git.join("index");
    if !exists(&index) {
        return Some(());
    }
    let is_split = fs::read_dir(git).ok()?.any(|entry| {
        entry.is_ok_and(|entry| entry.file_name().as_encoded_bytes().starts_with(b"sharedindex."))
    });
    let bytes = bytes(&index, MAX_INDEX, true)?;
    let has_link = bytes.windows(GITLINK.len()).any(|window| window == GITLINK);
    (!is_split && !has_link).then_some(())
}

fn is_harmless(setting: &Setting) -> bool {
    let (section, key) = (setting.section.as_str(), setting.key.as_str());
    // A driver for differences stands in a subsection.
    let is_driver = section == "diff" && !setting.subsection.is_empty();
    HARMLESS_SECTIONS.contains(&section) || (!is_driver && HARMLESS.contains(&(section, key)))
}

/// Where settings of the user stand.
fn of_the_user(around: &Surroundings) -> Option<Vec<PathBuf>> {
    let home = PathBuf::from(around.get("HOME")?);
    let folder = match around.get("XDG_CONFIG_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => home.join(".config"),
    };
    (home.is_absolute() && folder.is_absolute())
        .then(|| vec![folder.join("git/config"), home.join(".gitconfig")])
}

/// Where settings of the system may stand: it was decided when git was built.
fn of_the_system(program: &Path) -> Vec<PathBuf> {
    let canonical = program.canonicalize().ok();
    let prefixes = [Some(program), canonical.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(|file| file.parent()?.parent())
        .map(|prefix| prefix.join("etc/gitconfig"));
    let fixed = [
        "/etc/gitconfig",
        "/opt/homebrew/etc/gitconfig",
        "/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig",
        "/Applications/Xcode.app/Contents/Developer/usr/share/git-core/gitconfig",
    ];
    prefixes.chain(fixed.map(PathBuf::from)).collect()
}

/// Files of settings that are not hostile.
struct Files {
    left: usize,
    looks: Looks,
}

impl Files {
    fn are_harmless(&mut self, path: &Path, around: &Surroundings) -> Option<()> {
        if !path.exists() {
            // A link that leads nowhere is no file to git either.
            return Some(());
        }
        self.left = self.left.checked_sub(1)?;
        for setting in git_config::parse(&text(path, false)?)? {
            if runs_something(&setting, self.looks) {
                return None;
            }
            if matches!(setting.section.as_str(), "include" | "includeif") && setting.key == "path"
            {
                let included = included(&setting.value, path, around)?;
                self.are_harmless(&included, around)?;
            }
        }
        Some(())
    }
}

fn included(value: &str, from: &Path, around: &Surroundings) -> Option<PathBuf> {
    if let Some(rest) = value.strip_prefix("~/") {
        return Some(PathBuf::from(around.get("HOME")?).join(rest));
    }
    if value.starts_with(['~', '%']) {
        return None;
    }
    Some(from.parent()?.join(value))
}

/// Whether a setting makes a command that looks so deep run another program, or write.
fn runs_something(setting: &Setting, looks: Looks) -> bool {
    let key = setting.key.as_str();
    let is_off = matches!(setting.value.as_str(), "false" | "no" | "off" | "0" | "");
    match setting.section.as_str() {
        "trace2" => true,
        "core" => match key {
            "fsmonitor" => !is_off,
            "hookspath" => looks == Looks::Files,
            "alternaterefscommand" | "worktree" | "splitindex" => true,
            _ => false,
        },
        "log" => key == "showsignature" && !is_off,
        "format" => key == "pretty",
        "remote" => matches!(key, "promisor" | "partialclonefilter"),
        "status" => key == "submodulesummary" && !is_off,
        "diff" => looks >= Looks::Differences && matches!(key, "external" | "textconv" | "command"),
        "filter" => looks == Looks::Files,
        _ => false,
    }
}

fn text(path: &Path, is_hostile: bool) -> Option<String> {
    String::from_utf8(bytes(path, MAX_CONFIG, is_hostile)?).ok()
}

/// All of a regular file. A hostile one must not be a link.
fn bytes(path: &Path, max: u64, is_hostile: bool) -> Option<Vec<u8>> {
    let metadata = if is_hostile { path.symlink_metadata() } else { path.metadata() };
    if !metadata.ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(max + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= max).then_some(bytes)
}
