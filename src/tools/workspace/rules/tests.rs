//! What the rules promise, tested; git itself is the judge of which files they leave out.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::{MAX_FILE, MAX_RULES, Reading, Rules, as_git_reads};
use crate::tools::workspace::Workspace;
use crate::tools::workspace::walk::{Limits, Walk, Walked};

fn place() -> (tempfile::TempDir, Workspace) {
    let outer = tempfile::tempdir().unwrap();
    fs::create_dir(outer.path().join("work")).unwrap();
    let workspace = Workspace::open(&outer.path().join("work")).unwrap();
    (outer, workspace)
}

fn put(workspace: &Workspace, name: &str, content: impl AsRef<[u8]>) {
    let path = workspace.root().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn limits() -> Limits {
    Limits::start(&CancellationToken::new())
}

/// The files below a folder that a walk visits, relative to the workspace, and how it went.
fn walked(workspace: &Workspace, below: &str) -> (BTreeSet<String>, Walked) {
    let path = workspace.resolve(below).unwrap().absolute;
    let walk = Walk { workspace, path: &path, depth: usize::MAX, all: false };
    let mut files = BTreeSet::new();
    let walked = walk.run(&limits(), |entry| {
        if !entry.kind.is_dir() {
            files.insert(workspace.relative(&entry.path));
        }
    });
    (files, walked)
}

fn files(workspace: &Workspace, below: &str) -> Vec<String> {
    walked(workspace, below).0.into_iter().collect()
}

/// What is told of a rule file that is not used, after checking that it stops nothing and that
/// no more than so many bytes of it were read.
fn unused(workspace: &Workspace, max_bytes: u64) -> String {
    put(workspace, "a.txt", "");
    let limits = limits();
    let mut reading = Reading::new(workspace, &limits);
    assert!(Rules::below(None, workspace.root(), &mut reading).is_none());
    assert!(reading.bytes <= max_bytes, "{} bytes were read", reading.bytes);
    let (files, walked) = walked(workspace, ".");
    assert_eq!(files.into_iter().collect::<Vec<_>>(), ["a.txt"]);
    assert_eq!((walked.cut, walked.notes.len()), (None, 1));
    walked.notes.into_iter().next().unwrap()
}

#[test]
fn a_link_to_an_endless_device_is_not_read() {
    for name in [".gitignore", ".ignore", ".rgignore"] {
        let (_outer, workspace) = place();
        symlink("/dev/zero", workspace.root().join(name)).unwrap();
        let note = unused(&workspace, 0);
        assert!(note.starts_with("1 ignore file not used"), "{note}");
        assert!(note.ends_with(&format!(" {name} (a symbolic link)")), "{note}");
    }
    let (_outer, workspace) = place();
    fs::create_dir_all(workspace.root().join(".git/info")).unwrap();
    symlink("/dev/zero", workspace.root().join(".git/info/exclude")).unwrap();
    unused(&workspace, 0);
    let (_outer, workspace) = place();
    fs::create_dir_all(workspace.root().join("evil/info")).unwrap();
    symlink("evil", workspace.root().join(".git")).unwrap();
    put(&workspace, "evil/info/exclude", "a.txt\n");
    let limits = limits();
    let mut reading = Reading::new(&workspace, &limits);
    Rules::below(None, workspace.root(), &mut reading);
    assert_eq!(reading.bytes, 0, "a link on the way is none to follow either");
}

#[test]
fn a_named_pipe_does_not_block() {
    let (_outer, workspace) = place();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        workspace.root().join(".ignore"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let note = unused(&workspace, 0);
    assert!(note.ends_with(" .ignore (a named pipe)"), "{note}");
}

#[test]
fn a_huge_file_is_not_read() {
    let (_outer, workspace) = place();
    let file = fs::File::create(workspace.root().join(".gitignore")).unwrap();
    file.set_len(2 * 1024 * 1024 * 1024).unwrap();
    let note = unused(&workspace, 0);
    assert!(note.ends_with(" .gitignore (larger than 1.0 MB)"), "{note}");
}

#[test]
fn too_many_rules_are_not_taken_on() {
    let (_outer, workspace) = place();
    put(&workspace, ".gitignore", "x\n".repeat(MAX_RULES.rules + 1));
    let note = unused(&workspace, MAX_FILE);
    assert!(note.ends_with(" .gitignore (too many rules)"), "{note}");
    put(&workspace, ".gitignore", format!("{}\n", "*x".repeat(2_000)).repeat(70));
    let note = unused(&workspace, MAX_FILE);
    assert!(note.ends_with(" .gitignore (too many rules)"), "{note}");
    put(&workspace, ".gitignore", "x\n".repeat(MAX_RULES.rules - 1) + "*.txt\n");
    assert!(files(&workspace, ".").is_empty());
}

#[test]
fn lines_that_cannot_be_used_are_counted_and_the_others_are() {
    let (_outer, workspace) = place();
    put(&workspace, "a.txt", "");
    put(&workspace, "b.txt", "");
    let long = "x".repeat(5_000);
    put(&workspace, ".gitignore", [b"\xFF\n", long.as_bytes(), b"\na.txt\r\n"].concat());
    let (files, walked) = walked(&workspace, ".");
    assert_eq!(files.into_iter().collect::<Vec<_>>(), ["b.txt"]);
    assert_eq!(walked.notes, ["2 lines of ignore files not used: too long or not UTF-8"]);
}

#[test]
fn braces_are_only_braces_however_deep() {
    assert_eq!(as_git_reads("a{b,c}[{]\\{").as_deref(), Some("a\\{b,c\\}[{]\\{"));
    assert_eq!(as_git_reads("a[!]]{").as_deref(), Some("a[!]]\\{"));
    assert_eq!(as_git_reads("a[!]{"), None, "a class without an end");
    let (_outer, workspace) = place();
    put(&workspace, "a.txt", "");
    put(&workspace, "{a}.txt", "");
    put(&workspace, ".gitignore", "{".repeat(4_096) + "\n{a}.txt\n");
    assert_eq!(files(&workspace, "."), ["a.txt"]);
}

#[test]
fn the_files_of_rules_have_an_order() {
    let (_outer, workspace) = place();
    for name in ["a", "b", "c", "d", "e/b"] {
        put(&workspace, name, "");
    }
    put(&workspace, ".git/info/exclude", "a\nb\nc\nd\n");
    put(&workspace, ".gitignore", "!b\n!c\n!d\n");
    put(&workspace, "e/.gitignore", "!b\n");
    put(&workspace, ".ignore", "b\nc\n");
    put(&workspace, ".rgignore", "!c\n");
    assert_eq!(files(&workspace, "."), ["c", "d"]);
}

#[test]
fn a_rule_can_take_a_hidden_name_in() {
    let (_outer, workspace) = place();
    put(&workspace, ".env", "");
    put(&workspace, ".github/ci", "");
    put(&workspace, ".gitignore", "!.github\n");
    assert_eq!(files(&workspace, "."), [".github/ci"]);
}

#[test]
fn rules_from_above_hold_in_the_folder_that_is_named() {
    let (outer, workspace) = place();
    put(&workspace, ".gitignore", "*.log\nd/e/x\n");
    put(&workspace, "d/.gitignore", "!keep.log\n");
    for name in ["a.log", "keep.log", "x", "y"] {
        put(&workspace, &format!("d/e/{name}"), "");
    }
    assert_eq!(files(&workspace, "d/e"), ["d/e/keep.log", "d/e/y"]);
    // The workspace may be a part of a repository.
    fs::create_dir(outer.path().join(".git")).unwrap();
    fs::write(outer.path().join(".gitignore"), "work/d/e/y\n").unwrap();
    assert_eq!(files(&workspace, "d/e"), ["d/e/keep.log"]);
    // A repository inside starts anew.
    fs::create_dir(workspace.root().join("d/e/.git")).unwrap();
    assert_eq!(
        files(&workspace, "d/e"),
        ["a.log", "keep.log", "x", "y"].map(|n| format!("d/e/{n}"))
    );
}

fn git(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("XDG_CONFIG_HOME", folder.join("none"))
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .ok()?;
    assert!(output.status.success(), "{output:?}");
    Some(output.stdout)
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "ab", "a.o", "b c"]).prop_map(str::to_owned)
}

fn tree_path() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..5).prop_map(|parts| parts.join("/"))
}

fn rule() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => name(),
        2 => Just("**".to_owned()),
        2 => Just("*".to_owned()),
        1 => prop::sample::select(vec!["*.o", "?", "a*", "[ab]", "[!a]", "a?", "{a,b}", "\\a"])
            .prop_map(str::to_owned),
    ];
    let shape = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let pattern =
        (prop::collection::vec(part, 1..4), shape).prop_map(|(parts, (not, root, end, blank))| {
            let mark = |wished: bool, mark: &'static str| if wished { mark } else { "" };
            let (not, root, end) = (mark(not, "!"), mark(root, "/"), mark(end, "/"));
            format!("{not}{root}{}{end}{}", parts.join("/"), mark(blank, "  "))
        });
    prop_oneof![
        12 => pattern,
        1 => prop::sample::select(vec!["", "#a", "!", "/", "\\#a", "\\!a", "a\\ ", "a[", "a\\"])
            .prop_map(str::to_owned),
    ]
}

fn rules() -> impl Strategy<Value = String> {
    prop::collection::vec(rule(), 0..7).prop_map(|rules| rules.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_walk_sees_just_what_git_would_add(
        tree in prop::collection::vec(tree_path(), 1..24),
        ignores in prop::collection::vec((tree_path(), rules()), 0..4),
        top in rules(),
        exclude in rules(),
    ) {
        let (_outer, workspace) = place();
        let root = workspace.root();
        if git(root, &["init", "-q", "--template="]).is_none() {
            println!("skipped: git is not installed");
            return Ok(());
        }
        put(&workspace, ".git/info/exclude", &exclude);
        put(&workspace, ".gitignore", &top);
        for path in &tree {
            let path = root.join(path);
            if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.exists() {
                fs::write(path, "").unwrap();
            }
        }
        for (folder, rules) in &ignores {
            if root.join(folder).is_dir() {
                put(&workspace, &format!("{folder}/.gitignore"), rules);
            }
        }
        let listed = git(root, &["ls-files", "--others", "--exclude-standard", "-z"]).unwrap();
        // What is hidden is another matter.
        let visible = |path: &String| !path.split('/').any(|part| part.starts_with('.'));
        let by_git: BTreeSet<String> = listed
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| String::from_utf8(path.to_vec()).unwrap())
            .filter(visible)
            .collect();
        let by_walk: BTreeSet<String> =
            walked(&workspace, ".").0.into_iter().filter(visible).collect();
        prop_assert_eq!(by_walk, by_git);
    }
}
