//! What `review` promises, tested.

mod place;

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::tui::{highlight::Highlighter, theme::Theme};

/// A file that is asked about.
pub(in crate::tui) fn change(path: &str, old: &str, new: &str) -> FileChange {
    let (before, after) = (hunks::lines(old), hunks::lines(new));
    let changes = hunks::changes(&hunks::differences(&before, &after));
    FileChange {
        path: path.into(),
        fate: if old.is_empty() { Fate::Created } else { Fate::Changed },
        hunks: hunks::grouped(&changes),
        optional: false,
        texts: Some(Texts { old: old.into(), new: new.into(), changes: changes.into() }),
    }
}

/// A question about these files.
pub(in crate::tui) fn preview(files: Vec<FileChange>) -> Preview {
    let path = files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(", ");
    let counts =
        files.iter().filter_map(|file| file.texts.as_ref()).flat_map(|texts| &*texts.changes);
    let (added, removed) =
        counts.fold((0, 0), |(a, r), change| (a + change.new_lines, r + change.old_lines));
    let creates = files.iter().all(|file| file.fate == Fate::Created);
    Preview::Write { path, diff: String::new(), creates, added, removed, files }
}

/// Thirty lines, three of which change, far apart.
pub(in crate::tui) fn thirty() -> (String, String) {
    let old: String = (1..=30).fold(String::new(), |mut text, n| {
        writeln!(text, "let v{n} = {n};").unwrap();
        text
    });
    let new = old
        .replace("let v5 = 5;", "let v5 = 50;")
        .replace("let v15 = 15;", "let v15 = 150;")
        .replace("let v25 = 25;", "let v25 = 250;");
    (old, new)
}

fn review(files: Vec<FileChange>) -> Review {
    Review::of(&preview(files)).unwrap()
}

fn one_file() -> Review {
    let (old, new) = thirty();
    review(vec![change("a.rs", &old, &new)])
}

fn text(drawn: &draw::Drawn) -> Vec<String> {
    let line = |line: &ratatui::text::Line<'_>| {
        let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
        text.trim_end().to_owned()
    };
    drawn.lines.iter().map(line).collect()
}

fn drawn(review: &mut Review, width: u16, room: usize) -> draw::Drawn {
    review.draw((width, room), &Theme::plain(), &Highlighter::off())
}

fn part(path: &str, part: Part) -> FilePart {
    FilePart { path: path.into(), part }
}

#[test]
fn without_a_choice_all_is_allowed_as_asked() {
    assert_eq!(one_file().decision(), Some(Decision::AllowOnce));
}

#[test]
fn a_hunk_that_is_left_is_not_in_the_answer() {
    let mut review = one_file();
    review.step(1);
    assert!(review.toggle());
    let files = vec![part("a.rs", Part::Hunks { taken: vec![0, 2] })];
    assert_eq!(review.decision(), Some(Decision::AllowPart { files }));
    assert_eq!(review.counts(), (2, 3));
    assert!(review.toggle());
    assert_eq!(review.decision(), Some(Decision::AllowOnce));
}

#[test]
fn with_nothing_taken_there_is_no_answer() {
    let mut review = one_file();
    for _ in 0..3 {
        assert!(review.toggle());
        review.step(1);
    }
    assert_eq!(review.decision(), None);
}

#[test]
fn the_only_hunk_of_the_only_file_cannot_be_left() {
    let mut review = review(vec![change("a", "1\n", "2\n")]);
    assert!(!review.has_choice() && !review.toggle());
    assert_eq!(review.decision(), Some(Decision::AllowOnce));
}

#[test]
fn one_of_several_files_is_left() {
    let files = ["a", "b"].map(|path| FileChange { optional: true, ..change(path, "1\n", "2\n") });
    let mut review = review(files.to_vec());
    review.step(5);
    assert!(review.toggle());
    let files = vec![part("b", Part::Left)];
    assert_eq!(review.decision(), Some(Decision::AllowPart { files }));
}

#[test]
fn the_editor_gets_what_is_taken_and_what_it_gives_is_written() {
    let (old, new) = thirty();
    let mut review = one_file();
    assert!(review.toggle());
    let draft = review.draft().unwrap();
    assert_eq!(draft.text, new.replace("v5 = 50", "v5 = 5"));
    let content = format!("{old}// mine\n");
    review.edited(&draft.path, content.clone());
    assert_eq!(text(&drawn(&mut review, 80, 5))[0], "a.rs (edited by you)  line 31 · +1 −0");
    let files = vec![part("a.rs", Part::Edited { content })];
    assert_eq!(review.decision(), Some(Decision::AllowPart { files }));
    // Back to what was asked: nothing is special about it any more.
    review.edited("a.rs", new);
    assert_eq!(review.decision(), Some(Decision::AllowOnce));
}

#[test]
fn a_file_edited_back_to_what_is_there_is_left() {
    let (old, new) = thirty();
    let other = FileChange { optional: true, ..change("b", "1\n", "2\n") };
    let mut review = review(vec![change("a.rs", &old, &new), other]);
    review.edited("a.rs", old);
    let files = vec![part("a.rs", Part::Left)];
    assert_eq!(review.decision(), Some(Decision::AllowPart { files }));
}

#[test]
fn what_was_left_of_other_files_stays_left_after_an_edit() {
    let files = ["a", "b"].map(|path| FileChange { optional: true, ..change(path, "1\n", "2\n") });
    let mut review = review(files.to_vec());
    review.step(1);
    assert!(review.toggle());
    review.edited("a", "3\n".into());
    let content = "3\n".to_owned();
    let files = vec![part("a", Part::Edited { content }), part("b", Part::Left)];
    assert_eq!(review.decision(), Some(Decision::AllowPart { files }));
}

#[test]
fn the_head_of_the_part_that_is_gone_to_is_seen() {
    let mut review = one_file();
    drawn(&mut review, 80, 6);
    for (steps, head) in [(1, "hunk 2 of 3"), (1, "hunk 3 of 3"), (-2, "hunk 1 of 3")] {
        review.step(steps);
        let rows = text(&drawn(&mut review, 80, 6));
        let here = rows.iter().find(|row| row.starts_with('▶')).unwrap();
        assert!(here.contains(head), "{rows:?}");
    }
}

#[test]
fn scrolling_reaches_the_first_and_the_last_line_and_tells_what_is_hidden() {
    // Three heads, and three hunks of seven unchanged lines and two changed ones: 27 rows.
    let mut review = one_file();
    let all = drawn(&mut review, 80, 100);
    assert_eq!((all.lines.len(), all.above, all.below), (27, 0, 0));
    let all = unmarked(&all);
    let top = drawn(&mut review, 80, 10);
    assert_eq!((top.above, top.below), (0, 17));
    review.scroll(1000);
    let bottom = drawn(&mut review, 80, 10);
    assert_eq!((bottom.above, bottom.below), (17, 0));
    assert_eq!(unmarked(&bottom)[..], all[17..]);
    review.scroll(-1000);
    assert_eq!(unmarked(&drawn(&mut review, 80, 10)), all[..10]);
}

#[test]
fn a_frame_lays_out_only_what_it_shows_of_a_hundred_thousand_lines() {
    let new = "one more line\n".repeat(100_000);
    let mut review = review(vec![change("big.txt", "", &new)]);
    let top = drawn(&mut review, 80, 40);
    assert!(top.laid <= 40, "{}", top.laid);
    assert_eq!(top.below, 100_000 + 1 - 40);
    review.scroll(1_000_000);
    assert!(drawn(&mut review, 80, 40).laid <= 2 * 40);
    assert!(review.height(80, 40) == 40);
}

#[test]
fn a_line_of_nine_megabytes_is_cut_and_told() {
    let new = "x".repeat(9_000_000) + "\n";
    let mut review = review(vec![change("big.js", "", &new)]);
    let drawn = drawn(&mut review, 80, 100);
    let shown: usize = text(&drawn).iter().map(String::len).sum();
    assert!(shown < 10_000, "{shown}");
    assert!(text(&drawn).concat().contains("bytes more"));
}

#[test]
fn what_has_no_texts_is_shown_from_the_diff() {
    let gone = FileChange {
        path: "gone".into(),
        fate: Fate::Deleted,
        hunks: Vec::new(),
        optional: true,
        texts: None,
    };
    let changed = FileChange { optional: true, ..change("a", "1\n", "2\n") };
    let Preview::Write { path, files, .. } = preview(vec![changed, gone]) else { panic!() };
    let diff = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n\
                diff --git a/gone b/gone\ndeleted file\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n";
    let preview =
        Preview::Write { path, diff: diff.into(), creates: false, added: 1, removed: 2, files };
    let mut review = Review::of(&preview).unwrap();
    let rows = text(&drawn(&mut review, 80, 20));
    assert!(rows.contains(&" [x] gone (deleted)  whole file".to_owned()), "{rows:?}");
    assert!(rows.contains(&"1   - g".to_owned()), "{rows:?}");
    review.step(1);
    assert!(review.toggle());
    let files = vec![part("gone", Part::Left)];
    assert_eq!(review.decision(), Some(Decision::AllowPart { files }));
}

/// Texts that have lines in common.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a\n", "b\n", "c\r\n", "\n", "漢\t字\n", "\u{202e}x\n"]);
    let end = prop::sample::select(vec!["", "end"]);
    (prop::collection::vec(line, 0..80), end).prop_map(|(lines, end)| lines.concat() + end)
}

proptest! {
    #[test]
    fn the_answer_gives_the_content_that_the_editor_would_get(
        old in lines(), new in lines(), keys in prop::collection::vec((0_i64..5, any::<bool>()), 0..12),
    ) {
        prop_assume!(old != new && !old.is_empty());
        let asked = change("a", &old, &new);
        let mut review = review(vec![asked.clone()]);
        for (steps, toggles) in keys {
            review.step(steps - 2);
            if toggles {
                review.toggle();
            }
        }
        let content = match review.decision() {
            Some(Decision::AllowOnce) => new.clone(),
            Some(Decision::AllowPart { files }) => match &files[0].part {
                Part::Hunks { taken } => {
                    hunks::apply(&old, &new, &asked.hunks, |n| taken.contains(&n))
                }
                other => panic!("{other:?}"),
            },
            None => old.clone(),
            other => panic!("{other:?}"),
        };
        prop_assert_eq!(review.draft().unwrap().text, content);
    }

    #[test]
    fn no_row_is_too_wide_and_the_room_is_kept(
        old in lines(), new in lines(), width in 1_u16..210, room in 0_usize..30, scroll in -50_i64..50,
    ) {
        let mut review = review(vec![change("a.rs", &old, &new)]);
        for _ in 0..2 {
            let drawn = drawn(&mut review, width, room);
            prop_assert!(drawn.lines.len() <= room);
            for line in &drawn.lines {
                let columns: usize =
                    line.spans.iter().map(|span| crate::tui::wrap::width(&span.content)).sum();
                prop_assert!(columns <= usize::from(width), "{:?}", line);
            }
            review.scroll(scroll);
        }
    }
}

#[test]
fn an_editor_that_changed_nothing_leaves_what_was_taken_and_left() {
    let mut review = one_file();
    review.step(1);
    assert!(review.toggle());
    let draft = review.draft().unwrap();
    review.edited(&draft.path, draft.text);
    assert!(!review.is_edited());
    let files = vec![part("a.rs", Part::Hunks { taken: vec![0, 2] })];
    assert_eq!(review.decision(), Some(Decision::AllowPart { files }));
}

/// The lines without the sign for where the user is, which moves with them.
fn unmarked(drawn: &draw::Drawn) -> Vec<String> {
    text(drawn).iter().map(|line| line.replacen('▶', " ", 1).trim_end().to_owned()).collect()
}
