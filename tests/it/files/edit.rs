//! Editing a file: previews, several edits in a row, changes in between, encodings.

use super::*;

#[tokio::test]
async fn several_edits_of_a_file_follow_each_other_or_nothing_is_done() {
    let place = Place::new();
    place.put("a.txt", "one\r\ntwo\r\n");
    place.text("read_file", json!({"path": "a.txt"})).await;
    let edits = json!([{"old": "one", "new": "1"}, {"old_string": "1\ntwo", "newString": "1\n2"}]);
    let told = place.text("multi_edit", json!({"path": "a.txt", "edits": edits})).await;
    assert!(told.contains("2 edits"), "{told}");
    assert_eq!(place.get("a.txt"), "1\r\n2\r\n");
    let edits = json!([{"old": "1", "new": "one"}, {"old": "3", "new": "three"}]);
    let error = place.error("multi_edit", json!({"path": "a.txt", "edits": edits})).await;
    assert!(error.text.contains("edit 2 of 2"), "{error}");
    assert_eq!(place.get("a.txt"), "1\r\n2\r\n", "all or nothing");
    let error = place.error("multi_edit", json!({"path": "a.txt", "edits": []})).await;
    assert!(error.text.contains("no edit"), "{error}");
}

#[tokio::test]
async fn an_edit_is_previewed_applied_and_told() {
    let place = Place::new();
    place.put("a.rs", "fn a() {}\nfn b() {}\n");
    let arguments = json!({"path": "a.rs", "old": "fn b() {}", "new": "fn c() {}"});
    let Preview::Write { diff, creates, added, removed, .. } =
        place.preview("edit_file", arguments.clone()).await.unwrap()
    else {
        panic!("not a write")
    };
    assert_eq!((creates, added, removed), (false, 1, 1));
    let output = place.call("edit_file", arguments.clone()).await.unwrap();
    assert_eq!(output.text, "Edited `a.rs` at line 2 (+1 −1).");
    assert_eq!(output.diff, Some(diff));
    assert_eq!(place.get("a.rs"), "fn a() {}\nfn c() {}\n");
    let error = place.error("edit_file", arguments.clone()).await;
    assert!(error.text.contains("already applied?"), "{error}");
    assert_eq!(place.preview("edit_file", arguments).await.unwrap_err(), error);
}

#[tokio::test]
async fn an_edit_creates_what_is_missing_or_empty_and_nothing_else() {
    let place = Place::new();
    place.text("edit_file", json!({"path": "d/new", "old": "", "new": "x\n"})).await;
    assert_eq!(place.get("d/new"), "x\n");
    place.put("empty", "");
    place.text("edit_file", json!({"path": "empty", "old": "", "new": "x\n"})).await;
    assert_eq!(place.get("empty"), "x\n");
    assert_eq!(
        place.error("edit_file", json!({"path": "empty", "old": "", "new": "y"})).await.summary,
        "old is empty"
    );
    assert_eq!(
        place.error("edit_file", json!({"path": "none", "old": "a", "new": "y"})).await.summary,
        "not found"
    );
}

#[tokio::test]
async fn an_edit_of_a_file_that_changed_fits_or_fails_but_says_so() {
    let place = Place::new();
    place.put("a", "one\ntwo\n");
    place.text("read_file", json!({"path": "a"})).await;
    place.put("a", "zero\none\ntwo\n");
    let text = place.text("edit_file", json!({"path": "a", "old": "two", "new": "2"})).await;
    assert!(text.contains("changed since you last saw it"), "{text}");
    assert_eq!(place.get("a"), "zero\none\n2\n");
}

#[tokio::test]
async fn encodings_survive_an_edit() {
    let place = Place::new();
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect()
    };
    place.put("wide", wide("ä\r\nb\r\n"));
    place.text("edit_file", json!({"path": "wide", "old": "b", "new": "日\nc"})).await;
    assert_eq!(fs::read(place.path("wide")).unwrap(), wide("ä\r\n日\r\nc\r\n"));
    let latin = b"Gr\xFC\xDFe aus K\xF6ln, sch\xF6ne Gr\xFC\xDFe\n";
    place.put("latin", latin);
    let error = place.error("edit_file", json!({"path": "latin", "old": "aus", "new": "日"})).await;
    assert_eq!(error.summary, "not encodable");
    place.text("edit_file", json!({"path": "latin", "old": "aus Köln", "new": "für"})).await;
    assert_eq!(
        fs::read(place.path("latin")).unwrap(),
        b"Gr\xFC\xDFe f\xFCr, sch\xF6ne Gr\xFC\xDFe\n"
    );
    place.put("broken", [b"zw\xC3\xB6lf ".as_slice(), b"\xFF end\n"].concat());
    let error = place.error("edit_file", json!({"path": "broken", "old": "end", "new": "x"})).await;
    assert_eq!(error.summary, "damaged text");
}
