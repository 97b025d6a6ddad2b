//! What `change` promises, tested.

use super::Change;

#[test]
fn a_change_is_a_unified_diff_with_counts() {
    let change = Change::between("x.txt", Some("a\nb\nc\n"), "a\nB\nc\nd\n");
    assert_eq!(change.diff, "--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n");
    assert_eq!(change.summary(), "+2 −1");
}

#[test]
fn a_new_file_is_compared_with_nothing() {
    let change = Change::between("x", None, "a\n");
    assert_eq!(change.diff, "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!((change.added, change.removed), (1, 0));
}

#[test]
fn a_long_diff_is_cut_but_counted_whole() {
    let new =
        |lines: usize| (0..lines).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let change = Change::between("x", None, &new(3_000));
    assert_eq!(change.added, 3_000);
    // Two header lines and the hunk line are part of the 2,000 that are kept.
    assert!(change.diff.ends_with("\n+1996\n[... 1003 more lines of the diff left out ...]\n"));
    assert!(change.is_long());
    let whole = Change::between("x", None, &new(1_997)).diff;
    assert!(whole.ends_with("\n+1996\n"), "it is not cut: {whole}");
}

#[test]
fn nothing_changed_is_an_empty_diff() {
    assert_eq!(Change::between("x", Some("a\n"), "a\n"), Change::default());
}
