//! What `apply_patch` promises, tested.

use proptest::prelude::*;
use similar::TextDiff;

use super::apply::apply;
use super::patch::{Action, FilePatch, Hunk, Line, read};
use super::seek::Miss;

fn hunks(patch: &str) -> Vec<Hunk> {
    let patch = read(patch).unwrap();
    match &patch.files[..] {
        [FilePatch { action: Action::Update { hunks, .. }, .. }] => hunks.clone(),
        other => panic!("no update of one file: {other:?}"),
    }
}

fn update(body: &str) -> Vec<Hunk> {
    hunks(&format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch"))
}

fn after(text: &str, body: &str) -> String {
    apply(text, &update(body)).unwrap().text
}

fn miss(text: &str, body: &str) -> Miss {
    apply(text, &update(body)).unwrap_err().1
}

// reading

#[test]
fn an_envelope_holds_all_kinds_of_changes() {
    let patch = read(
        "*** Begin Patch\n*** Add File: a\n+x\n+\n+y\n*** Delete File: b\n*** Update File: c\n\
         *** Move to: d\n@@ fn f() {\n k\n-o\n+n\n*** End Patch\n",
    )
    .unwrap();
    let hunk = Hunk {
        anchors: vec!["fn f() {".into()],
        lines: vec![Line::Keep(" k".into()), Line::Remove("o".into()), Line::Add("n".into())],
        ..Hunk::default()
    };
    let file = |path: &str, action| FilePatch { path: path.into(), action };
    assert_eq!(
        patch.files,
        [
            file("a", Action::Add("x\n\ny\n".into())),
            file("b", Action::Delete(vec![])),
            file("c", Action::Update { to: Some("d".into()), hunks: vec![hunk] }),
        ]
    );
}

#[test]
fn what_models_wrap_around_a_patch_is_no_part_of_it() {
    let bare = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch";
    let right = read(bare).unwrap();
    for wrapped in [
        format!("```diff\n{bare}\n```\n"),
        format!("apply_patch <<'EOF'\n{bare}\nEOF\n"),
        format!("\u{FEFF}{bare}"),
        bare.replace('\n', "\r\n"),
        bare.replace("\n*** End Patch", ""),
        bare.replace("*** Begin Patch\n", ""),
        bare.replace("@@\n", "--- a/f\n+++ b/f\n@@ -1,7 +1,7 @@\n"),
    ] {
        assert_eq!(read(&wrapped).unwrap(), right, "{wrapped:?}");
    }
    assert!(read(&format!("cd src && apply_patch <<'EOF'\n{bare}\nEOF")).is_err());
}

#[test]
fn unified_diffs_are_read_as_models_write_them() {
    let right = hunks("--- a/f\n+++ b/f\n@@\n a\n-b\n+c\n");
    for diff in [
        "```diff\n--- a/f\n+++ b/f\n@@ -10,9 +10,9 @@\n a\n-b\n+c\n```",
        "diff --git a/f b/f\nindex 1..2 100644\n@@ -0,0 @@\n a\n-b\n+c\n",
        "--- f\t2024-01-01\n+++ f\t2024-01-02\n@@ ... @@\n a\n-b\n+c\n\n",
        "+++ b/f\n@@ @@\n a\n-b\n+c",
    ] {
        assert_eq!(hunks(diff), right, "{diff}");
    }
    let counted = hunks("--- f\n+++ f\n@@ -7,2 +7,2 @@ fn x()\n a\n-b\n+c\n");
    assert_eq!(counted[0].number, Some(7), "right counts make the number worth something");
    assert_eq!(counted[0].anchors, ["fn x()"]);
}

#[test]
fn a_diff_creates_deletes_and_moves() {
    let patch = read(
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\
         \\ No newline at end of file\ndiff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n\
         +++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/p b/q\nsimilarity index 100%\n\
         rename from p\nrename to q\n",
    )
    .unwrap();
    assert_eq!(patch.files.len(), 3);
    assert_eq!(patch.files[0].path, "n");
    assert_eq!(patch.files[0].action, Action::Add("x".into()));
    assert!(matches!(&patch.files[1].action, Action::Delete(hunks) if hunks.len() == 1));
    let moved = Action::Update { to: Some("q".into()), hunks: vec![] };
    assert_eq!(patch.files[2], FilePatch { path: "p".into(), action: moved });
}

#[test]
fn removed_lines_that_look_like_heads_are_lines() {
    let found = hunks("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n x\n--- a\n+++ b\n y\n");
    assert_eq!(found[0].lines[1..3], [Line::Remove("-- a".into()), Line::Add("++ b".into())]);
}

#[test]
fn what_is_no_patch_says_why() {
    for (text, why) in [
        ("", "no change of a file"),
        ("*** Begin Patch\n*** End Patch", "no change of a file"),
        ("*** Begin Patch\n*** Update File: f\n*** End Patch", "no changed lines"),
        ("*** Begin Patch\n*** Frobnicate File: f\n*** End Patch", "no change of a file"),
        ("*** Add File: f\n+x\n*** Frobnicate File: f", "Frobnicate"),
        ("*** Add File: f\n+x\ny", "without a `+`"),
        ("*** Update File:\n@@\n-a", "not followed by a path"),
        ("@@ -1 +1 @@\n-a\n+b", "names the file"),
        ("--- a/f\n+++ b/g\n@@\n-a\n+b", "different files"),
        ("diff --git a/f b/f\nGIT binary patch", "cannot be applied"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(why), "{text:?}: {error}");
    }
}

// places

#[test]
fn of_several_places_the_patch_must_name_one() {
    let text = "fn a() {\n    x();\n}\nfn b() {\n    x();\n}\n";
    assert_eq!(miss(text, "@@\n-    x();\n+    y();"), Miss::Ambiguous(vec![2, 5]));
    let second = "fn a() {\n    x();\n}\nfn b() {\n    y();\n}\n";
    assert_eq!(after(text, "@@ fn b() {\n-    x();\n+    y();"), second);
    let both = "@@\n-    x();\n+    y();\n@@\n-    x();\n+    z();";
    assert_eq!(after(text, both), "fn a() {\n    y();\n}\nfn b() {\n    z();\n}\n");
}

#[test]
fn an_anchor_reaches_no_further_than_its_block() {
    let text = "fn a() {\n    w();\n}\nfn b() {\n    x();\n}\nfn c() {\n    x();\n}\n";
    assert_eq!(miss(text, "@@ fn a() {\n-    x();\n+    y();"), Miss::Ambiguous(vec![5, 8]));
    let nested = "class A:\n  def f():\n    x\nclass B:\n  def f():\n    x\n";
    assert_eq!(
        after(nested, "@@ class B:\n@@ def f():\n-    x\n+    y"),
        "class A:\n  def f():\n    x\nclass B:\n  def f():\n    y\n"
    );
}

#[test]
fn an_anchor_that_is_not_there_does_not_matter_to_a_clear_place() {
    assert_eq!(after("a\nb\n", "@@ nowhere\n-b\n+c"), "a\nc\n");
}

#[test]
fn the_order_of_hunks_tells_places_apart_and_may_be_wrong_where_they_are_clear() {
    assert_eq!(after("x\na\nx\n", "@@\n-a\n+b\n@@\n-x\n+y"), "x\nb\ny\n");
    assert_eq!(after("a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A"), "A\nB\n");
    assert_eq!(miss("x\na\nx\nx\n", "@@\n-a\n+b\n@@\n-x\n+y"), Miss::Ambiguous(vec![1, 3, 4]));
}

#[test]
fn a_lenient_fit_must_be_the_only_one() {
    let text = "  x  \n  x\t\n";
    assert_eq!(miss(text, "@@\n-  x\n+  y"), Miss::Ambiguous(vec![1, 2]));
}

#[test]
fn a_number_is_believed_if_it_names_a_place_that_fits_and_its_counts_are_right() {
    let text = "x\na\nx\nb\n";
    let diff = |head: &str| hunks(&format!("--- f\n+++ f\n{head}\n-x\n+y\n"));
    assert_eq!(apply(text, &diff("@@ -3 +3 @@")).unwrap().text, "x\na\ny\nb\n");
    for made_up in ["@@ -2 +2 @@", "@@ -3,4 +3,4 @@", "@@ -99 +99 @@"] {
        let (_, miss) = apply(text, &diff(made_up)).unwrap_err();
        assert_eq!(miss, Miss::Ambiguous(vec![1, 3]), "{made_up}");
    }
}

#[test]
fn the_end_of_the_file_tells_places_apart() {
    assert_eq!(after("x\na\nx\n", "@@\n-x\n+y\n*** End of File"), "x\na\ny\n");
}

#[test]
fn lines_that_are_only_added_need_a_place() {
    assert_eq!(after("a\n", "@@\n+b"), "a\nb\n");
    assert_eq!(after("", "@@\n+b"), "b\n");
    assert_eq!(miss("a\nc\n", "@@ a\n+b"), Miss::NoContext);
    assert_eq!(after("a\nc\n", "@@\n a\n+b"), "a\nb\nc\n");
}

#[test]
fn hunks_that_change_the_same_lines_are_refused() {
    let result = apply("a\nb\nc\n", &update("@@\n-a\n-b\n+x\n@@\n-b\n+y\n c"));
    assert_eq!(result.unwrap_err(), (1, Miss::Overlap(2)));
    // They may share lines that stay.
    assert_eq!(after("a\nb\nc\n", "@@\n-a\n+A\n b\n@@\n b\n-c\n+C"), "A\nb\nC\n");
}

#[test]
fn looking_for_a_long_hunk_in_a_long_text_ends() {
    let text = "a\n".repeat(300_000);
    let hunk = format!("@@\n{}-b\n+c", " a\n".repeat(20_000));
    assert_eq!(miss(&text, &hunk), Miss::TooLong);
}

// what is put in

#[test]
fn lost_blanks_in_front_of_lines_are_borne() {
    let text = "fn f() {\n\ta();\n\tb();\n}\n";
    assert_eq!(
        after(text, "@@\nfn f() {\n\ta();\n-\tb();\n+\tc();\n}"),
        "fn f() {\n\ta();\n\tc();\n}\n"
    );
    assert_eq!(after(" x\n y\n", "@@\n x\n-y\n+z"), " x\n z\n");
    assert_eq!(after("x\ny\n", "@@\n  x\n- y\n+ z"), "x\nz\n");
}

#[test]
fn blank_lines_at_the_ends_of_a_hunk_need_not_be_there() {
    assert_eq!(after("a\nb\n", "@@\n\n a\n-b\n+c\n\n"), "a\nc\n");
    assert_eq!(after("a\n\nb\n", "@@\n-a\n+A\n\n"), "A\n\nb\n");
}

#[test]
fn new_lines_are_shifted_as_the_place_is_or_refused() {
    assert_eq!(
        after("l:\n    - a\n      - b\n", "@@\n-  - a\n+  - A\n-    - b\n+    - B"),
        "l:\n    - A\n      - B\n"
    );
    assert_eq!(miss("a\n", "@@\n-  a\n+b"), Miss::UnevenNew(1));
    assert_eq!(miss("  a\n      b\n", "@@\n-a\n-b\n+c"), Miss::NotFound);
}

#[test]
fn lines_that_stay_keep_their_bytes() {
    assert_eq!(after("a \r\nb\nc\n", "@@\n a\n-b\n+B\n+C\n c"), "a \r\nB\r\nC\r\nc\n");
    assert_eq!(after("“a”\nb\n", "@@\n \"a\"\n-b\n+c"), "“a”\nc\n");
}

#[test]
fn the_end_of_the_last_line_stays_as_it_is_unless_told() {
    assert_eq!(after("a\nb", "@@\n-b\n+c"), "a\nc");
    assert_eq!(after("a\nb", "@@\n-a\n+A\n b"), "A\nb");
    assert_eq!(after("a\nb", "@@\n a\n-b"), "a\n");
    assert_eq!(after("a", "@@\n a\n+b"), "a\nb");
    let diff = |body: &str| hunks(&format!("--- f\n+++ f\n@@\n{body}"));
    let told = |text: &str, body: &str| apply(text, &diff(body)).unwrap().text;
    assert_eq!(told("a", "-a\n\\ No newline at end of file\n+a\n+b\n"), "a\nb\n");
    assert_eq!(told("a\n", "-a\n+a\n\\ No newline at end of file\n"), "a");
}

#[test]
fn a_carriage_return_alone_ends_a_line_if_nothing_else_fits() {
    assert_eq!(after("a\rb\rc\r", "@@\n a\n-b\n+B"), "a\rB\rc\r");
    assert_eq!(after("a\rb\n", "@@\n-a\rb\n+c"), "c\n");
}

// properties

fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a", "b", "", " a", "}", "-a", "+b", "@@", "*** End"]);
    (prop::collection::vec((line, prop::bool::weighted(0.1)), 0..30), any::<bool>()).prop_map(
        |(lines, ends)| {
            let end = |crlf: bool| if crlf { "\r\n" } else { "\n" };
            let mut text: String =
                lines.iter().flat_map(|(line, crlf)| [*line, end(*crlf)]).collect();
            if !ends {
                while text.ends_with(['\n', '\r']) {
                    text.pop();
                }
            }
            text
        },
    )
}

fn diff(old: &str, new: &str, radius: usize) -> String {
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(radius).header("a/f", "b/f").to_string()
}

/// With line feeds only: line ends are no part of what a patch changes.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_diff_of_two_texts_makes_the_second_of_the_first(old in text(), new in text()) {
        let (plain_old, plain_new) = (plain(&old), plain(&new));
        prop_assume!(plain_old != plain_new);
        let hunks = hunks(&diff(&plain_old, &plain_new, 3));
        prop_assert_eq!(&apply(&plain_old, &hunks).unwrap().text, &plain_new);
        // The same on the file with other line ends: they stay with their lines.
        let applied = apply(&old, &hunks).unwrap().text;
        prop_assert_eq!(plain(&applied), plain_new);
    }

    #[test]
    fn without_numbers_the_result_is_the_same_or_a_refusal(old in text(), new in text()) {
        let (old, new) = (plain(&old), plain(&new));
        prop_assume!(old != new);
        let diff = diff(&old, &new, 3);
        let bare: Vec<&str> =
            diff.lines().map(|line| if line.starts_with("@@ -") { "@@" } else { line }).collect();
        let Ok(patch) = read(&format!("{}\n", bare.join("\n"))) else { return Ok(()) };
        let [FilePatch { action: Action::Update { hunks, .. }, .. }] = &patch.files[..] else {
            return Ok(());
        };
        // Lines that look like heads cannot be told from them without counts, nor can it be
        // told whether blank lines at the end belong to the patch.
        prop_assume!(!bare[2..].iter().any(|line| line.starts_with("@@") && *line != "@@"));
        if let Ok(applied) = apply(&old, hunks) {
            let without_blanks = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("\n");
            prop_assert_eq!(without_blanks(&applied.text), without_blanks(&new));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\*\\*\\* (Begin Patch|Add File: a|Update File: b|Move to: c|Delete File: d|End of File|End Patch)|--- a/x|\\+\\+\\+ b/x|@@|@@ -1 \\+1 @@|[-+ ]x|\\\\ No newline|diff --git a/x b/x|rename from x|```|\n){0,12}") {
        if let Ok(patch) = read(&text.replace("***", "\n***")) {
            prop_assert!(!patch.files.is_empty());
            for file in &patch.files {
                if let Action::Update { hunks, .. } = &file.action {
                    drop(apply("x\nx\n", hunks));
                }
            }
        }
    }

    #[test]
    fn a_hunk_that_does_not_fit_fails_the_whole(old in text(), new in text(), line in any::<prop::sample::Index>()) {
        let (old, new) = (plain(&old), plain(&new));
        let mut hunks = match read(&diff(&old, &new, 3)) {
            Ok(patch) => match patch.files.into_iter().next().map(|file| file.action) {
                Some(Action::Update { hunks, .. }) => hunks,
                _ => return Ok(()),
            },
            Err(_) => return Ok(()),
        };
        let wanted: Vec<(usize, usize)> = hunks
            .iter()
            .enumerate()
            .flat_map(|(h, hunk)| (0..hunk.lines.len()).map(move |l| (h, l)))
            .filter(|(h, l)| !matches!(hunks[*h].lines[*l], Line::Add(_)))
            .collect();
        prop_assume!(!wanted.is_empty());
        let (h, l) = wanted[line.index(wanted.len())];
        hunks[h].lines[l] = match &hunks[h].lines[l] {
            Line::Keep(_) => Line::Keep(" not there".into()),
            _ => Line::Remove("not there".into()),
        };
        prop_assert_eq!(apply(&old, &hunks).unwrap_err(), (h, Miss::NotFound));
    }
}
