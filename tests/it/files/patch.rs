//! `apply_patch` on real files.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use mcc_tui::protocol::access::Resource;
use mcc_tui::protocol::question::Preview;
use mcc_tui::protocol::tool::ToolStatus;
use proptest::prelude::*;
use serde_json::json;
use similar::TextDiff;

use super::Place;
use super::tables::tree;

fn envelope(body: &str) -> serde_json::Value {
    json!({"patch": format!("*** Begin Patch\n{body}*** End Patch\n")})
}

const ALL_KINDS: &str = "*** Add File: d/new\n+n\n*** Update File: a\n@@\n-one\n+ONE\n\
                         *** Delete File: gone\n*** Update File: old\n*** Move to: m/moved\n@@\n\
                         -x\n+y\n";

async fn all_kinds() -> Place {
    let place = Place::new();
    for (path, content) in [("a", "one\ntwo\n"), ("gone", "g\n"), ("old", "x\nz\n")] {
        place.put(path, content);
    }
    place.text("read_file", json!({"path": "gone"})).await;
    place
}

#[tokio::test]
async fn a_patch_of_all_kinds_is_shown_and_done() {
    let place = all_kinds().await;
    let before = tree(&place.path("."));
    let Preview::Write { path, diff, creates, added, removed, .. } =
        place.preview("apply_patch", envelope(ALL_KINDS)).await.unwrap()
    else {
        panic!("not a write")
    };
    assert_eq!(path, "4 files: d/new, a, gone (deleted), old (moved to m/moved)");
    assert_eq!((creates, added, removed), (false, 3, 3));
    assert_eq!(
        diff,
        "diff --git a/d/new b/d/new\nnew file\n--- /dev/null\n+++ b/d/new\n@@ -0,0 +1 @@\n+n\n\
         diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n\
         diff --git a/gone b/gone\ndeleted file\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n\
         diff --git a/old b/m/moved\nrename from old\nrename to m/moved\n--- a/old\n+++ b/m/moved\n\
         @@ -1,2 +1,2 @@\n-x\n+y\n z\n"
    );
    assert_eq!(tree(&place.path(".")), before, "a preview changes nothing");
    let output = place.call("apply_patch", envelope(ALL_KINDS)).await.unwrap();
    assert_eq!(
        output.text,
        "Applied the patch to 4 files:\ncreated `d/new` (+1 −0)\nchanged `a` at line 1 (+1 −1)\n\
         deleted `gone` (+0 −1)\nmoved `old` to `m/moved` (+1 −1)\nCreated the folders `d`, `m`."
    );
    assert_eq!((output.summary.as_str(), output.diff), ("+3 −3", Some(diff)));
    let files = [("a", "ONE\ntwo\n"), ("d/new", "n\n"), ("m/moved", "y\nz\n")];
    let files: BTreeMap<PathBuf, Vec<u8>> =
        files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect();
    assert_eq!(tree(&place.path(".")), files);
}

#[tokio::test]
async fn what_a_patch_may_touch_stands_in_its_headers() {
    let place = all_kinds().await;
    symlink("a", place.path("link")).unwrap();
    let root = place.context.workspace.root().to_owned();
    let file = |path: &str| Resource::File(root.join(path));
    let access = place.access("apply_patch", &envelope(ALL_KINDS)).unwrap();
    let tree = |path: &str| Resource::Tree(root.join(path));
    let files = ["a", "gone", "old", "d/new", "m/moved"].map(file);
    let files = [files.as_slice(), &[tree("d"), tree("m")]].concat();
    assert_eq!(access.writes.len(), files.len());
    assert!(files.iter().all(|file| access.writes.contains(file)), "{access:?}");
    let patch = envelope("*** Update File: ./d/../link\n@@\n-one\n+x\n");
    assert_eq!(place.access("apply_patch", &patch).unwrap().writes, [file("a")]);
    for path in ["../secret", "/etc/passwd", "d/../../secret"] {
        for body in [
            format!("*** Add File: {path}\n+x\n"),
            format!("*** Update File: {path}\n@@\n-secret\n+x\n"),
            format!("*** Delete File: {path}\n"),
            format!("*** Update File: a\n*** Move to: {path}\n"),
        ] {
            let refused = place.access("apply_patch", &envelope(&body)).unwrap_err();
            assert_eq!(refused.summary, "outside the folder", "{body}");
            assert_eq!(place.error("apply_patch", envelope(&body)).await, refused);
        }
    }
    assert_eq!(fs::read_to_string(place.path("../secret")).unwrap(), "secret");
}

#[tokio::test]
async fn what_is_overwritten_or_deleted_must_have_been_seen() {
    for (body, lost) in [
        ("*** Add File: a\n+x\n", "a"),
        ("*** Delete File: a\n", "a"),
        ("*** Update File: b\n*** Move to: a\n@@\n-two\n+2\n", "a"),
    ] {
        let place = Place::new();
        place.put("a", "one\n");
        place.put("b", "two\n");
        let error = place.error("apply_patch", envelope(body)).await;
        assert_eq!(error.summary, "not read yet", "{body}");
        assert!(error.text.contains("1\tone"), "{error}");
        place.text("read_file", json!({"path": lost})).await;
        place.text("apply_patch", envelope(body)).await;
        assert_ne!(
            tree(&place.path(".")).get(Path::new("a")).map(Vec::as_slice),
            Some(&b"one\n"[..])
        );
    }
    // A diff that shows all that it deletes was made by one who has seen it.
    let place = Place::new();
    place.put("a", "one\n");
    let diff = |body: &str| json!({"patch": format!("--- a/a\n+++ /dev/null\n@@\n{body}")});
    place.put("a", "one\ntwo\n");
    assert_eq!(place.error("apply_patch", diff("-one\n")).await.summary, "more is in it");
    place.text("apply_patch", diff("-one\n-two\n")).await;
    assert!(!place.path("a").exists());
}

#[tokio::test]
async fn one_part_that_does_not_fit_leaves_all_as_it_was() {
    let bad = [
        ("*** Update File: a\n@@\n-three\n+x\n", "hunk not found"),
        ("*** Update File: none\n@@\n-three\n+x\n", "not found"),
        ("*** Delete File: none\n", "not found"),
        ("*** Delete File: folder\n", "is a folder"),
        ("*** Update File: folder\n@@\n-x\n+y\n", "is a folder"),
        ("*** Update File: twice\n@@\n-x\n+y\n", "not unique"),
        ("*** Update File: binary\n@@\n-x\n+y\n", "binary"),
        ("*** Update File: link\n*** Move to: elsewhere\n", "symbolic link"),
        ("*** Delete File: link\n", "symbolic link"),
        ("*** Add File: a/below\n+x\n", "not a folder"),
        ("*** Update File: fixed\n@@\n-x\n+y\n", "read-only"),
        ("*** Update File: a\n*** Move to: ./a\n", "same file"),
    ];
    for (bad, summary) in bad {
        for body in [format!("{ALL_KINDS}{bad}"), format!("{bad}{ALL_KINDS}")] {
            let place = all_kinds().await;
            place.put("folder/x", "x\n");
            place.put("twice", "x\nx\n");
            place.put("binary", b"x\0y");
            let fixed = place.put("fixed", "x\n");
            fs::set_permissions(fixed, Permissions::from_mode(0o444)).unwrap();
            symlink("twice", place.path("link")).unwrap();
            let before = tree(&place.path("."));
            // The part that changes `a` comes first in one of the two.
            let error = place.error("apply_patch", envelope(&body)).await;
            assert_eq!(error.summary, summary, "{body}: {error}");
            assert_eq!(place.preview("apply_patch", envelope(&body)).await.unwrap_err(), error);
            assert_eq!(tree(&place.path(".")), before, "{body}");
        }
    }
}

#[tokio::test]
async fn traits_of_patched_files_are_kept() {
    let place = Place::new();
    let path = place.put("a.sh", "\u{FEFF}one\r\ntwo\r\n");
    fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();
    symlink("a.sh", place.path("link")).unwrap();
    place.text("apply_patch", envelope("*** Update File: link\n@@\n one\n-two\n+2\n+3\n")).await;
    assert_eq!(place.get("a.sh"), "\u{FEFF}one\r\n2\r\n3\r\n");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o751);
    assert_eq!(fs::read_link(place.path("link")).unwrap(), Path::new("a.sh"));
    place.text("apply_patch", envelope("*** Update File: a.sh\n*** Move to: b.sh\n")).await;
    assert_eq!(fs::metadata(place.path("b.sh")).unwrap().mode() & 0o777, 0o751);
    assert!(!path.exists());
    let wide: Vec<u8> = "\u{FEFF}ä\r\nb\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.put("wide", wide);
    place.text("apply_patch", envelope("*** Update File: wide\n@@\n-b\n+日\n")).await;
    let wide: Vec<u8> = "\u{FEFF}ä\r\n日\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(fs::read(place.path("wide")).unwrap(), wide);
    place.put("latin", b"Gr\xFC\xDFe aus K\xF6ln\nsch\xF6n\n");
    let error =
        place.error("apply_patch", envelope("*** Update File: latin\n@@\n-schön\n+日\n")).await;
    assert_eq!(error.summary, "not encodable");
    place.text("apply_patch", envelope("*** Update File: latin\n@@\n-schön\n+grün\n")).await;
    assert_eq!(fs::read(place.path("latin")).unwrap(), b"Gr\xFC\xDFe aus K\xF6ln\ngr\xFCn\n");
}

#[tokio::test]
async fn parts_for_one_file_see_each_other() {
    let place = Place::new();
    place.put("a", "one\n");
    let body = "*** Update File: a\n@@\n-one\n+two\n*** Update File: ./a\n@@\n-two\n+three\n\
                *** Add File: b\n+b\n*** Update File: b\n@@\n-b\n+B\n*** Update File: a\n\
                *** Move to: c\n*** Update File: c\n*** Move to: d\n@@\n-three\n+four\n";
    let output = place.call("apply_patch", envelope(body)).await.unwrap();
    assert!(output.text.contains("moved `a` to `d` (+1 −1)"), "{}", output.text);
    let files = [("b", "B\n"), ("d", "four\n")];
    let files: BTreeMap<PathBuf, Vec<u8>> =
        files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect();
    assert_eq!(tree(&place.path(".")), files);
}

#[tokio::test]
async fn one_change_of_one_file_is_shown_as_any_other() {
    let place = Place::new();
    place.put("a", "one\n");
    let patch = envelope("*** Update File: a\n@@\n-one\n+two\n");
    let shown = place.preview("apply_patch", patch.clone()).await.unwrap();
    let edit = json!({"path": "a", "old": "one", "new": "two"});
    assert_eq!(shown, place.preview("edit_file", edit).await.unwrap());
    place.text("apply_patch", patch).await;
    let same = envelope("*** Update File: a\n@@\n-two\n+two\n");
    assert_eq!(place.preview("apply_patch", same.clone()).await.unwrap(), Preview::Nothing);
    assert_eq!(place.call("apply_patch", same).await.unwrap().summary, "no change");
}

#[tokio::test]
async fn a_patch_comes_under_the_names_that_models_use() {
    let place = Place::new();
    let body = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    for (tool, argument) in [
        ("apply_patch", "patch"),
        ("applypatch", "input"),
        ("patch", "diff"),
        ("ApplyPatch", "patchText"),
    ] {
        place.text(tool, json!({argument: body})).await;
        assert_eq!(place.get("a"), "x\n");
        fs::remove_file(place.path("a")).unwrap();
    }
    let error = place.error("apply_patch", json!({"patch": "a\nb"})).await;
    assert_eq!(error.status, ToolStatus::Refused);
    assert!(error.text.contains("*** Begin Patch"), "{error}");
}

#[tokio::test]
async fn a_hunk_that_fits_twice_names_the_lines() {
    let place = Place::new();
    place.put("a", "x\na\nx\n");
    let error = place.error("apply_patch", envelope("*** Update File: a\n@@\n-x\n+y\n")).await;
    assert_eq!(error.summary, "not unique");
    assert!(error.text.contains("at lines 1, 3"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_diff_of_two_folders_makes_the_second_of_the_first_or_changes_nothing(
        files in prop::collection::btree_map("[a-c](/[a-c]x)?", ("([ab]{0,2}\n){0,6}", "([ab]{0,2}\n){0,6}"), 1..5),
        broken in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        // A name cannot be a file and a folder.
        let names: Vec<String> = files.keys().cloned().collect();
        let files: BTreeMap<String, (String, String)> = files
            .into_iter()
            .filter(|(name, (old, new))| {
                old != new && !names.iter().any(|other| other.starts_with(&format!("{name}/")))
            })
            .collect();
        prop_assume!(!files.is_empty());
        let place = Place::new();
        let mut patch = String::new();
        let mut expected = BTreeMap::new();
        let broken = broken.map(|index| index.index(files.len()));
        for (index, (name, (old, new))) in files.iter().enumerate() {
            if broken == Some(index) {
                place.put(name, "something else\n");
            } else {
                place.put(name, old);
            }
            let diff = TextDiff::from_lines(old.as_str(), new.as_str());
            let (from, to) = (format!("a/{name}"), format!("b/{name}"));
            patch.push_str(&diff.unified_diff().header(&from, &to).to_string());
            expected.insert(PathBuf::from(name), new.as_bytes().to_vec());
        }
        let before = tree(&place.path("."));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let result = runtime.block_on(place.call("apply_patch", json!({"patch": patch})));
        if broken.is_some() {
            if result.is_err() {
                prop_assert_eq!(tree(&place.path(".")), before);
            } else {
                // Without any context the head must say that the file is empty or ends there.
                let old = broken.and_then(|index| files.values().nth(index)).map(|(old, _)| old);
                prop_assert!(old.is_some_and(String::is_empty));
            }
        } else {
            prop_assert!(result.is_ok(), "{:?}\n{}", result, patch);
            prop_assert_eq!(tree(&place.path(".")), expected);
        }
    }
}
