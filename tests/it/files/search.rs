//! Searching code: order, context, limits, and what is skipped and told.

use super::*;

#[tokio::test]
async fn matches_come_in_order_with_path_and_line() {
    let place = Place::new();
    place.put("b.rs", "fn main() {}\n");
    place.put("a/z.rs", "x\nfn one() {}\nfn two() {}\n");
    place.put("a.txt", "fn no() {}\n");
    let output =
        place.call("search_code", json!({"pattern": r"fn \w+", "glob": "*.rs"})).await.unwrap();
    assert_eq!(output.text, "a/z.rs:2: fn one() {}\na/z.rs:3: fn two() {}\nb.rs:1: fn main() {}\n");
    assert_eq!(output.summary, "3 matches in 2 files");
    assert_eq!(
        place
            .text("search_code", json!({"pattern": "FN ", "ignore_case": true, "mode": "count"}))
            .await,
        "a/z.rs: 2\na.txt: 1\nb.rs: 1\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "fn", "mode": "files", "path": "a"})).await,
        "a/z.rs\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "fn", "limit": 1})).await,
        "a/z.rs:2: fn one() {}\n[... 3 more matches not shown; narrow the search or raise limit ...]\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "main", "path": "b.rs"})).await,
        "b.rs:1: fn main() {}\n"
    );
}

#[tokio::test]
async fn contexts_that_overlap_are_one() {
    let place = Place::new();
    place.put("a", "1\nhit\n3\nhit\n5\n6\n7\n8\nhit\n");
    place.put("b", "hit\n");
    assert_eq!(
        place.text("search_code", json!({"pattern": "hit", "context": 1})).await,
        "a-1- 1\na:2: hit\na-3- 3\na:4: hit\na-5- 5\n--\na-8- 8\na:9: hit\n--\nb:1: hit\n"
    );
}

#[tokio::test]
async fn a_limit_leaves_no_context_of_what_it_cuts() {
    let place = Place::new();
    place.put("a", "hit\n2\n3\n4\n5\nhit\n");
    place.put("b", "1\nhit\n");
    assert_eq!(
        place.text("search_code", json!({"pattern": "hit", "context": 1, "limit": 1})).await,
        "a:1: hit\na-2- 2\n[... 2 more matches not shown; narrow the search or raise limit ...]\n"
    );
}

#[tokio::test]
async fn the_end_of_a_line_is_before_either_line_end() {
    let place = Place::new();
    place.put("a", "foo\r\nfoo bar\nfoo\n");
    assert_eq!(
        place.text("search_code", json!({"pattern": "^foo$"})).await,
        "a:1: foo\na:3: foo\n"
    );
}

#[tokio::test]
async fn a_line_that_is_too_long_to_search_is_told() {
    let place = Place::new();
    place.put("long", "x".repeat(20 * 1024 * 1024));
    place.put("short", "needle\n");
    let text = place.text("search_code", json!({"pattern": "needle"})).await;
    assert_eq!(
        text,
        "short:1: needle\n[... 1 file could not be searched, for instance long (a line is too \
         long) ...]\n"
    );
}

#[tokio::test]
async fn binary_is_skipped_and_utf16_is_searched() {
    let place = Place::new();
    place.put("bin", b"needle\0needle\n");
    place.put("late", [b"needle\n".repeat(20_000), b"\0".to_vec()].concat());
    place.put(
        "wide",
        "\u{FEFF}a needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "needle"})).await,
        "wide:1: a needle\n[... 2 binary files skipped ...]\n"
    );
}

#[tokio::test]
async fn ignored_files_are_searched_only_where_they_are_named() {
    let place = Place::new();
    place.put(".gitignore", "gen\n");
    place.put("gen/a.rs", "needle\n");
    let text = place.text("search_code", json!({"pattern": "needle"})).await;
    assert_eq!(
        text,
        "no matches for \"needle\" in . (0 files; hidden and git-ignored ones are left out)\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "needle", "path": "gen"})).await,
        "gen/a.rs:1: needle\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "needle", "path": "gen/a.rs"})).await,
        "gen/a.rs:1: needle\n"
    );
}

#[tokio::test]
async fn the_result_does_not_depend_on_timing() {
    let place = Place::new();
    for file in 0..300 {
        place.put(&format!("d{}/f{file}", file % 7), format!("hit {file}\n").repeat(3));
    }
    let arguments = json!({"pattern": "hit", "limit": 500});
    let first = place.text("search_code", arguments.clone()).await;
    assert!(
        first.ends_with("[... 400 more matches not shown; narrow the search or raise limit ...]\n")
    );
    for _ in 0..5 {
        assert_eq!(place.text("search_code", arguments.clone()).await, first);
    }
}

#[tokio::test]
async fn a_stopped_search_says_so_and_is_no_empty_success() {
    let place = Place::new();
    place.put("a", "hit\n");
    place.run.stop.cancel();
    for (tool, arguments) in [
        ("search_code", json!({"pattern": "hit"})),
        ("list_files", json!({})),
        ("read_file", json!({"path": "a"})),
    ] {
        let output = place.call(tool, arguments).await.unwrap();
        assert_eq!(output.status, Some(ToolStatus::Cancelled), "{tool}");
        assert!(output.text.contains("stopped"), "{tool}: {}", output.text);
    }
}
