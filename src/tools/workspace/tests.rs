//! What `workspace` promises, tested.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::Workspace;
use crate::protocol::tool::ToolStatus;

/// `outer/root` is the workspace, `outer/secret` lies outside.
fn forest() -> (tempfile::TempDir, Workspace) {
    let outer = tempfile::tempdir().unwrap();
    fs::create_dir_all(outer.path().join("root/src")).unwrap();
    fs::create_dir(outer.path().join("secret")).unwrap();
    fs::write(outer.path().join("root/src/main.rs"), "").unwrap();
    fs::write(outer.path().join("secret/key"), "").unwrap();
    let workspace = Workspace::open(&outer.path().join("root")).unwrap();
    (outer, workspace)
}

fn refusal(workspace: &Workspace, path: &str) -> String {
    let error = workspace.resolve(path).unwrap_err();
    assert_eq!(error.status, ToolStatus::Refused);
    error.summary
}

#[test]
fn spellings_of_one_path_are_one_path() {
    let (_outer, workspace) = forest();
    let file = workspace.root().join("src/main.rs");
    for spelling in [
        "src/main.rs",
        "./src/main.rs",
        "src//main.rs",
        "src/../src/./main.rs",
        "../root/src/main.rs",
        "missing/../src/main.rs",
        file.to_str().unwrap(),
    ] {
        let resolved = workspace.resolve(spelling).unwrap();
        assert_eq!((resolved.absolute, resolved.relative.as_str()), (file.clone(), "src/main.rs"));
    }
    for spelling in [".", "./", "src/..", workspace.root().to_str().unwrap()] {
        assert_eq!(workspace.resolve(spelling).unwrap().relative, ".");
    }
}

#[test]
fn what_leaves_the_folder_is_refused_with_a_way_out() {
    let (_outer, workspace) = forest();
    for path in ["..", "../secret/key", "/etc/passwd", "src/../../secret", "~", "~/x", "/"] {
        assert_eq!(refusal(&workspace, path), "outside the folder", "{path}");
    }
    let text = workspace.resolve("../secret/key").unwrap_err().text;
    assert!(text.contains("../secret/key") && text.contains("relative"), "{text}");
    assert_eq!(refusal(&workspace, "../root2"), "outside the folder", "a name that begins alike");
}

#[test]
fn malformed_paths_are_refused() {
    let (_outer, workspace) = forest();
    assert_eq!(refusal(&workspace, ""), "empty path");
    assert_eq!(refusal(&workspace, "a\0b"), "malformed path");
    assert_eq!(refusal(&workspace, "src/main.rs/x"), "not a folder");
    assert_eq!(refusal(&workspace, &"n".repeat(5000)), "unusable path");
}

#[test]
fn links_are_followed_and_judged_by_where_they_lead() {
    let (outer, workspace) = forest();
    let root = workspace.root();
    symlink("src", root.join("inside")).unwrap();
    symlink("../secret", root.join("parent_out")).unwrap();
    symlink(outer.path().join("secret/key"), root.join("final_out")).unwrap();
    symlink("../secret/new", root.join("dangling_out")).unwrap();
    symlink("src/new.rs", root.join("dangling_in")).unwrap();
    symlink("loop_b", root.join("loop_a")).unwrap();
    symlink("loop_a", root.join("loop_b")).unwrap();
    assert_eq!(workspace.resolve("inside/main.rs").unwrap().relative, "src/main.rs");
    assert_eq!(workspace.resolve("inside/new/deep").unwrap().relative, "src/new/deep");
    assert_eq!(workspace.resolve("dangling_in").unwrap().relative, "src/new.rs");
    for path in ["parent_out/key", "parent_out/new", "final_out", "dangling_out"] {
        assert_eq!(refusal(&workspace, path), "outside the folder", "{path}");
    }
    assert_eq!(refusal(&workspace, "parent_out/../root/x/../../secret"), "outside the folder");
    assert_eq!(refusal(&workspace, "loop_a/x"), "link loop");
}

#[test]
fn a_workspace_is_a_folder() {
    let (_outer, workspace) = forest();
    assert!(Workspace::open(&workspace.root().join("src/main.rs")).is_err());
    assert!(Workspace::open(&workspace.root().join("nowhere")).is_err());
}

#[derive(Clone, Debug)]
enum Node {
    Folder,
    File,
    Link(String),
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    let part = prop_oneof![6 => name(), 2 => Just("..".to_owned()), 1 => Just(".".to_owned())];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/"))
}

fn node() -> impl Strategy<Value = (String, Node)> {
    let place = prop::collection::vec(name(), 1..4).prop_map(|parts| parts.join("/"));
    let node = prop_oneof![
        2 => Just(Node::Folder),
        1 => Just(Node::File),
        3 => path().prop_map(Node::Link),
        1 => path().prop_map(|path| Node::Link(format!("OUTER/{path}"))),
    ];
    (place, node)
}

/// Plants what can be planted, in the workspace (`a`) and beside it.
fn plant(outer: &Path, nodes: &[(String, Node)]) {
    fs::create_dir(outer.join("a")).unwrap();
    for (place, node) in nodes {
        let place = outer.join(place);
        // Only inside: a link may lead the place itself anywhere.
        let inside = place.parent().and_then(|parent| parent.canonicalize().ok());
        if !inside.is_some_and(|parent| parent.starts_with(outer)) {
            continue;
        }
        match node {
            Node::Folder => drop(fs::create_dir(place)),
            Node::File if !place.exists() && !place.is_symlink() => drop(fs::write(place, "")),
            Node::File => {}
            Node::Link(target) => {
                let target = target.replace("OUTER", outer.to_str().unwrap());
                drop(symlink(target, place));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn resolving_agrees_with_the_system(
        nodes in prop::collection::vec(node(), 0..14),
        paths in prop::collection::vec(path(), 1..12),
    ) {
        let outer = tempfile::tempdir().unwrap();
        let outer_path = outer.path().canonicalize().unwrap();
        plant(&outer_path, &nodes);
        let workspace = Workspace::open(&outer_path.join("a")).unwrap();
        let root = workspace.root().to_owned();
        for path in paths.iter().flat_map(|path| [path.clone(), format!("{}/{path}", root.display())]) {
            let real = root.join(&path).canonicalize();
            match (workspace.resolve(&path), real) {
                (Ok(resolved), Ok(real)) => prop_assert_eq!(resolved.absolute, real),
                (Err(error), Ok(real)) => {
                    prop_assert!(!real.starts_with(&root), "{} is inside: {}", path, error);
                }
                (Ok(resolved), Err(_)) => {
                    // Nothing is there yet; what is there of it must be canonical and inside.
                    let existing: PathBuf = resolved
                        .absolute
                        .ancestors()
                        .find(|part| part.symlink_metadata().is_ok())
                        .unwrap()
                        .to_owned();
                    prop_assert!(resolved.absolute.starts_with(&root));
                    prop_assert_eq!(existing.canonicalize().unwrap(), existing);
                }
                (Err(_), Err(_)) => {}
            }
        }
    }
}
