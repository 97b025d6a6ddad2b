//! What a question looks like, at the widths that people have.

use ratatui::{Terminal, backend::TestBackend};

use super::{
    review::tests::{change, preview, thirty},
    *,
};
use crate::{
    config::KeyChoice,
    protocol::{id::CallId, question::FileChange},
};

fn approval(preview: Preview) -> Approval {
    let question = Question {
        call_id: CallId("a".into()),
        tool: "edit_file".into(),
        preview,
        session_grant: "every file change in this folder".into(),
    };
    Approval::new(question, Instant::now())
}

/// The question as text, a line a row, without the blanks at the ends.
fn screen(approval: &mut Approval, width: u16, most: u16) -> Vec<String> {
    screen_with(&Keys::default(), approval, (width, most))
}

fn screen_with(keys: &Keys, approval: &mut Approval, (width, most): (u16, u16)) -> Vec<String> {
    let (theme, highlighter) = (Theme::default(), Highlighter::off());
    let look = Look {
        theme: &theme,
        highlighter: &highlighter,
        keys,
        focus: true,
        drafting: false,
        searching: false,
    };
    let height = approval.height((width, most), &look);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            approval.draw(frame, frame.area(), &look);
        })
        .unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

/// Two hunks, the second of which is left out.
fn two_hunks() -> Approval {
    let (old, new) = thirty();
    let new = new.replace("let v15 = 150;", "let v15 = 15;");
    let mut approval = approval(preview(vec![change("a.rs", &old, &new)]));
    let review = approval.review_mut().unwrap();
    review.step(1);
    assert!(review.toggle());
    approval
}

#[test]
fn a_write_on_eighty_columns_has_both_numbers_and_says_what_is_taken() {
    assert_eq!(
        screen(&mut two_hunks(), 80, 40),
        [
            "? May it change a.rs?  +1 −1  1 of 2 taken",
            " [x] hunk 1 of 2 · line 5 · +1 −1",
            " 2  2   let v2 = 2;",
            " 3  3   let v3 = 3;",
            " 4  4   let v4 = 4;",
            " 5    - let v5 = 5;",
            "    5 + let v5 = 50;",
            " 6  6   let v6 = 6;",
            " 7  7   let v7 = 7;",
            " 8  8   let v8 = 8;",
            "▶[ ] hunk 2 of 2 · line 25 · +1 −1  left out",
            "22 22   let v22 = 22;",
            "23 23   let v23 = 23;",
            "24 24   let v24 = 24;",
            "25    - let v25 = 25;",
            "   25 + let v25 = 250;",
            "26 26   let v26 = 26;",
            "27 27   let v27 = 27;",
            "28 28   let v28 = 28;",
            "y yes, what is taken   n no   t no, and tell it why   Space take or leave",
            "← → parts   e edit it   Esc stop",
        ]
    );
}

#[test]
fn the_keys_are_told_as_the_user_has_bound_them() {
    let choice = |key: &str, action: &str| KeyChoice {
        key: key.into(),
        action: action.into(),
        path: "config.toml".into(),
        line: Some(1),
    };
    let chosen = [
        choice("f5", "allow-once"),
        choice("f6", "allow-session"),
        choice("v", "review-edit"),
        choice("n", "review-next"),
        choice("p", "review-previous"),
        choice("x", "deny"),
    ];
    let keys = Keys::with(&chosen).unwrap();
    let (old, new) = thirty();
    let mut approval = approval(preview(vec![change("a.rs", &old, &new)]));
    let rows = screen_with(&keys, &mut approval, (80, 40));
    let words = rows.get(rows.len() - 3..).unwrap().join(" ");
    for told in ["F5 yes", "F6 F6 every file change", "x no", "p n parts", "v edit it"] {
        assert!(words.contains(told), "{told}: {words}");
    }
}

#[test]
fn a_row_of_keys_that_fits_exactly_is_whole() {
    let (old, new) = thirty();
    let row = "t no, and tell it why   Space take or leave   ← → parts   e edit it   Esc stop";
    assert_eq!(row.chars().count(), 78);
    let mut approval = approval(preview(vec![change("a.rs", &old, &new)]));
    assert_eq!(screen(&mut approval, 78, 20).last().unwrap(), row);
}

#[test]
fn a_write_on_forty_columns_has_one_number_and_scrolls() {
    assert_eq!(
        screen(&mut two_hunks(), 40, 10),
        [
            "? ↑9 ↓4  Change a.rs?  +1 −1  1/2",
            "▶[ ] hunk 2 of 2 · line 25 · +1 −1",
            "22   let v22 = 22;",
            "23   let v23 = 23;",
            "24   let v24 = 24;",
            "25 - let v25 = 25;",
            "y yes, what is taken   n no",
            "t no, and tell it why",
            "Space take or leave   ← → parts",
            "e edit it   Esc stop",
        ]
    );
}

#[test]
fn a_write_on_a_wide_screen_stands_side_by_side() {
    for (width, column) in [(160, 78), (200, 98)] {
        let rows = screen(&mut two_hunks(), width, 40);
        let beside = |left: &str, right: &str| format!("{left:column$} │ {right}");
        assert_eq!(
            rows[..9],
            [
                "? May it change a.rs?  +1 −1  1 of 2 taken".to_owned(),
                " [x] hunk 1 of 2 · line 5 · +1 −1".to_owned(),
                beside(" 2   let v2 = 2;", " 2   let v2 = 2;"),
                beside(" 3   let v3 = 3;", " 3   let v3 = 3;"),
                beside(" 4   let v4 = 4;", " 4   let v4 = 4;"),
                beside(" 5 - let v5 = 5;", " 5 + let v5 = 50;"),
                beside(" 6   let v6 = 6;", " 6   let v6 = 6;"),
                beside(" 7   let v7 = 7;", " 7   let v7 = 7;"),
                beside(" 8   let v8 = 8;", " 8   let v8 = 8;"),
            ]
        );
    }
}

#[test]
fn a_new_file_takes_the_whole_width_of_a_wide_screen() {
    let mut new = approval(preview(vec![change("a.rs", "", "let a = 1;\nlet b = 2;\n")]));
    assert_eq!(
        screen(&mut new, 160, 40)[..4],
        ["? May it create a.rs?  +2 −0", "line 1 · +2 −0", "  1 + let a = 1;", "  2 + let b = 2;",]
    );
}

#[test]
fn the_counts_are_of_what_is_taken() {
    let mut approval = approval(preview(vec![
        change("a", "1\n", "2\n3\n"),
        FileChange { optional: true, ..change("b", "x\ny\n", "") },
    ]));
    assert!(screen(&mut approval, 80, 40)[0].ends_with("+2 −3"));
    let review = approval.review_mut().unwrap();
    review.step(1);
    assert!(review.toggle());
    assert!(screen(&mut approval, 80, 40)[0].ends_with("+2 −1  1 of 2 taken"));
    approval.review_mut().unwrap().edited("a", "1\n2\n3\n4\n".into());
    assert!(screen(&mut approval, 80, 40)[0].contains("+3 −0  1 of 2 taken"));
}

#[test]
fn line_ends_and_a_missing_last_one_are_told() {
    let mut mixed = approval(preview(vec![change("a", "one\r\ntwo\n", "one\ntwo")]));
    assert_eq!(
        screen(&mut mixed, 80, 20)[1..7],
        [
            "line 1 · +2 −2",
            "1   - one␍",
            "2   - two",
            "  1 + one",
            "  2 + two",
            "\\ No newline at end of the new file",
        ]
    );
}

#[test]
fn nothing_in_a_write_is_hidden() {
    let mut evil = approval(preview(vec![change("a", "", "x = \u{202e}1\u{1b}[2J;\n")]));
    let rows = screen(&mut evil, 80, 20);
    assert!(rows.contains(&"  1 + x = <U+202E>1<U+001B>[2J;".to_owned()), "{rows:?}");
}

#[test]
fn a_long_command_scrolls_and_its_controls_are_seen() {
    let command =
        (1..=50).map(|n| "echo ".to_owned() + &n.to_string() + "\u{7}\n").collect::<String>()
            + "rm -r x";
    let mut long = approval(Preview::Command { command, cwd: ".".into(), background: false });
    let rows = screen(&mut long, 80, 10);
    assert_eq!(rows[0], "? May it run this command?  44 more rows: PageDown");
    assert_eq!(rows[1], "$ echo 1<U+0007>");
    long.scroll(1000);
    let rows = screen(&mut long, 80, 10);
    assert_eq!(rows[0], "? May it run this command?  44 rows above: PageUp");
    assert!(rows.contains(&"  rm -r x".to_owned()), "{rows:?}");
}

/// Thirty folders with names of one letter, and a file.
fn deep() -> String {
    "d/".repeat(30) + "very_long_name_of_a_file.txt"
}

/// All rows of the question without its title and the words for its keys, from the first page to
/// the last.
fn all_pages(approval: &mut Approval, (width, height): (u16, u16)) -> String {
    let mut seen: Vec<String> = Vec::new();
    approval.scroll(i64::MIN);
    for _ in 0..50 {
        let rows = screen(approval, width, height);
        assert!(rows[0].contains("very_long_name_of_a_file.txt?"), "{rows:?}");
        let shown = rows[1..=approval.page.min(rows.len() - 1)].iter().cloned();
        seen.extend(shown.filter(|row| seen.last() != Some(row)).collect::<Vec<_>>());
        approval.page(1);
    }
    seen.concat()
}

#[test]
fn the_name_of_the_file_is_always_seen_and_a_path_that_is_cut_stands_whole_below() {
    let change = |path: &str| approval(preview(vec![change(path, "", "one\ntwo\n")]));
    let rows = screen(&mut change(&deep()), 80, 24);
    assert_eq!(
        rows[..4],
        [
            "? Create d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d…/very_long_name_of_a_file.txt?  +2 −0",
            deep().get(..80).unwrap(),
            deep().get(80..).unwrap(),
            "line 1 · +2 −0",
        ]
    );
    let rows = screen(&mut change(&deep()), 40, 10);
    assert!(rows[0].ends_with("…/very_long_name_of_a_file.txt?"), "{rows:?}");
    assert_eq!(rows[1], deep().get(..40).unwrap());
    for size in [(40, 10), (80, 9), (200, 8)] {
        let all = all_pages(&mut change(&deep()), size);
        assert!(size.0 == 200 || all.contains(&deep()), "{size:?}: {all}");
    }
    let rows = screen(&mut change(&deep()), 200, 24);
    assert_eq!(rows[0], format!("? May it create {}?  +2 −0", deep()));
    assert_eq!(rows[1], "line 1 · +2 −0");
}

#[test]
fn what_is_invisible_in_a_path_is_seen_in_all_of_it() {
    let path = format!("a\u{1b}[2J/{}", deep());
    let whole = format!("a<U+001B>[2J/{}", deep());
    for size in [(40, 10), (80, 24)] {
        let mut write = approval(preview(vec![change(&path, "", "one\n")]));
        assert!(all_pages(&mut write, size).contains(&whole));
        let mut read = approval(Preview::Read { path: path.clone() });
        assert!(all_pages(&mut read, size).contains(&whole));
    }
}

#[test]
fn of_a_name_that_has_no_room_both_ends_are_seen() {
    let path = format!("src/{}.tar.gz", "n".repeat(60));
    let rows = screen(&mut approval(preview(vec![change(&path, "", "one\n")])), 40, 12);
    assert!(rows[0].starts_with("? src/nnnn") && rows[0].ends_with("nnn.tar.gz?"), "{rows:?}");
    assert_eq!(rows[1..3].concat(), path);
}

#[test]
fn of_several_files_each_is_named_and_each_stands_whole_once() {
    let (old, new) = thirty();
    let other = "e/".repeat(40) + "b.rs";
    let files = vec![change(&deep(), &old, &new), change(&other, "", "one\n")];
    let mut two = approval(preview(files));
    let rows = screen(&mut two, 80, 60);
    let heads = rows.iter().filter(|row| row.contains("hunk 1 of 3")).collect::<Vec<_>>();
    assert!(heads[0].contains("…/very_long_name_of_a_file.txt  hunk"), "{heads:?}");
    let all = rows.concat();
    assert_eq!(all.matches(&format!("{other} (new)")).count(), 1, "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("…/b.rs (new)  line 1 · +1 −0")), "{rows:?}");
}
