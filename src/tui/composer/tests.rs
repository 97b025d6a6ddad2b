//! Nothing typed is lost.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;

fn typed(composer: &mut Composer, text: &str) {
    for c in text.chars() {
        composer.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    }
}

#[test]
fn a_long_paste_is_a_chip_that_comes_out_whole() {
    let mut composer = Composer::new();
    let paste = "line\n".repeat(812);
    typed(&mut composer, "look: ");
    composer.paste(&paste);
    typed(&mut composer, " ok");
    assert_eq!(composer.area.lines(), ["look: [pasted 812 lines] ok"]);
    assert_eq!(composer.take(), format!("look: {paste} ok"));
    assert!(composer.is_empty());
}

#[test]
fn a_chip_goes_whole_or_not_at_all() {
    let mut composer = Composer::new();
    typed(&mut composer, "a ");
    composer.paste(&"x\n".repeat(50));
    composer.key(KeyEvent::new(KeyCode::Left, KeyModifiers::NONE));
    typed(&mut composer, "b");
    assert_eq!(composer.text(), format!("a b{}", "x\n".repeat(50)), "no caret inside a chip");
    composer.key(KeyEvent::new(KeyCode::End, KeyModifiers::NONE));
    composer.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
    assert_eq!(composer.text(), "a b");
}

#[test]
fn a_paste_that_names_another_chip_stays_as_it_is() {
    let mut composer = Composer::new();
    let first = format!("[pasted 12 lines]\n{}", "x\n".repeat(20));
    let second = "y\n".repeat(12);
    composer.paste(&first);
    composer.paste(&second);
    assert_eq!(composer.text(), format!("{first}{second}"));
}

#[test]
fn a_draft_that_was_left_for_the_history_can_be_reached_again() {
    let mut composer = Composer::new();
    composer.paste("one");
    composer.take();
    typed(&mut composer, "draft");
    composer.back();
    typed(&mut composer, "!");
    assert_eq!(composer.text(), "one!");
    composer.take();
    composer.back();
    composer.back();
    assert_eq!(composer.text(), "draft");
}

#[test]
fn a_paste_is_made_harmless() {
    let mut composer = Composer::new();
    composer.paste("a\x1b[31mb\r\nc\rd\x07");
    assert_eq!(composer.text(), "ab\nc\nd");
}

#[test]
fn up_and_down_walk_the_history_and_come_back_to_the_draft() {
    let mut composer = Composer::new();
    for text in ["one", "two\nlines"] {
        composer.paste(text);
        composer.take();
    }
    typed(&mut composer, "draft");
    composer.back();
    assert_eq!(composer.text(), "two\nlines");
    composer.back();
    composer.back();
    assert_eq!(composer.text(), "one");
    composer.forward();
    composer.forward();
    assert_eq!(composer.text(), "draft");
}

#[test]
fn what_is_given_back_stands_before_what_was_typed_meanwhile() {
    let mut composer = Composer::new();
    typed(&mut composer, "new");
    composer.give_back("old");
    assert_eq!(composer.text(), "old\nnew");
}

fn key(composer: &mut Composer, code: KeyCode, modifiers: KeyModifiers) {
    composer.key(KeyEvent::new(code, modifiers));
}

#[test]
fn short_pastes_go_in_as_text_and_long_ones_are_counted() {
    let mut composer = Composer::new();
    composer.paste("a\nb\nc");
    assert_eq!(composer.area.lines(), ["a", "b", "c"]);
    composer.replace("");
    composer.paste("a\nb\nc\nd");
    composer.paste("\ne\nf\ng");
    composer.paste(&"x".repeat(501));
    composer.paste(&"y\n".repeat(12_345));
    let shown = "[pasted 4 lines][pasted 4 lines #2][pasted 501 characters][pasted 12,345 lines]";
    assert_eq!(composer.area.lines(), [shown]);
    let whole = format!("a\nb\nc\nd\ne\nf\ng{}{}", "x".repeat(501), "y\n".repeat(12_345));
    assert_eq!(composer.text(), whole);
}

#[test]
fn a_folded_paste_is_shown_in_full_unless_it_is_too_large() {
    let mut composer = Composer::new();
    assert_eq!(composer.unfold(), None);
    composer.paste("1\n2\n3\n4");
    typed(&mut composer, " and ");
    composer.paste("5\n6\n7\n8");
    assert_eq!(composer.unfold(), Some(true), "the one at the caret");
    assert_eq!(composer.area.lines(), ["[pasted 4 lines] and 5", "6", "7", "8"]);
    assert_eq!(composer.unfold(), Some(true));
    assert_eq!(composer.area.lines(), ["1", "2", "3", "4 and 5", "6", "7", "8"]);
    composer.paste(&"x".repeat(1 << 20));
    assert_eq!(composer.unfold(), Some(false));
}

#[test]
fn a_deleted_paste_comes_back_with_undo() {
    let mut composer = Composer::new();
    composer.paste("1\n2\n3\n4");
    key(&mut composer, KeyCode::Backspace, KeyModifiers::NONE);
    assert!(composer.is_empty());
    composer.undo();
    assert_eq!(composer.text(), "1\n2\n3\n4");
    composer.redo();
    assert!(composer.is_empty());
}

#[test]
fn words_are_moved_over_and_deleted() {
    let mut composer = Composer::new();
    composer.paste("one two three");
    key(&mut composer, KeyCode::Left, KeyModifiers::ALT);
    key(&mut composer, KeyCode::Left, KeyModifiers::CONTROL);
    typed(&mut composer, "|");
    assert_eq!(composer.text(), "one |two three");
    key(&mut composer, KeyCode::Backspace, KeyModifiers::NONE);
    key(&mut composer, KeyCode::Delete, KeyModifiers::CONTROL);
    assert_eq!(composer.text().trim_end(), "one  three");
    key(&mut composer, KeyCode::End, KeyModifiers::NONE);
    key(&mut composer, KeyCode::Char('w'), KeyModifiers::CONTROL);
    assert_eq!(composer.text().trim_end(), "one");
}

#[test]
fn what_is_one_character_on_the_screen_is_one_for_the_caret() {
    let mut composer = Composer::new();
    composer.paste("e\u{301}👍🏽x");
    key(&mut composer, KeyCode::Left, KeyModifiers::NONE);
    key(&mut composer, KeyCode::Backspace, KeyModifiers::NONE);
    assert_eq!(composer.text(), "e\u{301}x");
    key(&mut composer, KeyCode::Left, KeyModifiers::NONE);
    key(&mut composer, KeyCode::Delete, KeyModifiers::NONE);
    assert_eq!(composer.text(), "x");
}

#[test]
fn a_backslash_at_the_end_of_the_line_breaks_it() {
    let mut composer = Composer::new();
    composer.paste("one\\");
    assert!(composer.break_at_backslash());
    typed(&mut composer, "two");
    assert_eq!(composer.text(), "one\ntwo");
    assert!(!composer.break_at_backslash());
    composer.replace("a\\b");
    assert!(!composer.break_at_backslash());
}

/// The caret's place in a box of this width, after drawing.
fn caret(composer: &mut Composer, width: u16) -> (u16, u16) {
    use ratatui::{Terminal, backend::TestBackend};
    let mut terminal = Terminal::new(TestBackend::new(width, 5)).unwrap();
    let mut place = None;
    terminal.draw(|frame| place = composer.draw(frame, frame.area(), "", &Theme::plain())).unwrap();
    let place = place.expect("the caret is always on the screen");
    (place.x, place.y)
}

#[test]
fn the_cursor_stands_at_the_caret_also_behind_wide_characters_and_full_rows() {
    let mut composer = Composer::new();
    typed(&mut composer, "漢字");
    assert_eq!(caret(&mut composer, 10), (4, 0));
    key(&mut composer, KeyCode::Left, KeyModifiers::NONE);
    assert_eq!(caret(&mut composer, 10), (2, 0));
    // A row that is full: the caret has a cell, on this row or the next.
    for width in 3..12 {
        composer.replace(&"漢".repeat(20));
        let (x, y) = caret(&mut composer, width);
        assert!(x < width && y < 5, "{width}: {x} {y}");
        composer.replace(&"a".repeat(usize::from(width)));
        let (x, y) = caret(&mut composer, width);
        assert!(x < width && y < 5, "{width}: {x} {y}");
    }
}

#[test]
fn what_comes_back_from_elsewhere_leaves_the_draft_in_the_history() {
    let mut composer = Composer::new();
    typed(&mut composer, "draft");
    composer.take_over("other\ntext\nof\nfour lines");
    assert_eq!(composer.area.lines().len(), 4, "not folded");
    composer.undo();
    composer.undo();
    assert_eq!(composer.text(), "draft");
    composer.replace("");
    composer.back();
    assert_eq!(composer.text(), "draft");
}

#[test]
fn undo_brings_back_what_was_cleared_with_its_folded_pastes() {
    let mut composer = Composer::new();
    let paste = "line\n".repeat(812);
    typed(&mut composer, "look: ");
    composer.paste(&paste);
    typed(&mut composer, "\u{6f22} end");
    let text = format!("look: {paste}\u{6f22} end");
    composer.clear();
    assert!(composer.is_empty());
    composer.undo();
    assert_eq!(composer.text(), text);
    assert_eq!(composer.area.lines(), ["look: [pasted 812 lines]\u{6f22} end"]);
    composer.redo();
    assert!(composer.is_empty());
    composer.back();
    assert_eq!(composer.text(), text, "Up does too");
}

#[test]
fn several_lines_are_cleared_and_come_back_by_one_undo() {
    let mut composer = Composer::new();
    composer.paste("one\ntwo\n");
    typed(&mut composer, "x");
    composer.clear();
    assert!(composer.is_empty());
    composer.undo();
    assert_eq!(composer.text(), "one\ntwo\nx");
}

#[test]
fn a_prompt_that_comes_back_has_its_pastes_folded_as_they_were() {
    let (few, many) = ("1\n2\n3\n4", "line\n".repeat(812));
    let text = format!("look: {few} and {many} ok");
    let shown = ["look: [pasted 4 lines] and [pasted 812 lines] ok"];
    let ways: [fn(&mut Composer, &str); 4] = [
        |composer, _| composer.back(),
        |composer, text| composer.give_back(text),
        |composer, text| composer.take_over(text),
        |composer, _| {
            composer.paste("another");
            composer.back();
            composer.forward();
            composer.back();
        },
    ];
    for come_back in ways {
        let mut composer = Composer::new();
        typed(&mut composer, "look: ");
        composer.paste(few);
        typed(&mut composer, " and ");
        composer.paste(&many);
        typed(&mut composer, " ok");
        assert_eq!(composer.area.lines(), shown);
        assert_eq!(composer.take_sent(), text);
        come_back(&mut composer, &text);
        assert_eq!(
            (composer.area.lines(), composer.text()),
            (&shown.map(str::to_owned)[..], text.clone())
        );
        // One piece for the caret, and unfolded the same way.
        assert_eq!(composer.unfold(), Some(true));
        assert_eq!(composer.area.lines()[..3], ["look: 1", "2", "3"]);
        assert_eq!(composer.text(), text);
    }
}

#[test]
fn a_draft_with_a_folded_paste_is_folded_when_it_is_walked_back_to() {
    let mut composer = Composer::new();
    composer.paste("sent");
    composer.take();
    composer.paste("1\n2\n3\n4");
    composer.back();
    assert_eq!(composer.area.lines(), ["sent"]);
    composer.forward();
    assert_eq!(composer.area.lines(), ["[pasted 4 lines]"]);
    composer.give_back("before");
    assert_eq!(composer.area.lines(), ["before", "[pasted 4 lines]"]);
    assert_eq!(composer.text(), "before\n1\n2\n3\n4");
}

#[test]
fn what_was_sent_unfolded_comes_back_unfolded() {
    let mut composer = Composer::new();
    composer.paste("1\n2\n3\n4");
    assert_eq!(composer.unfold(), Some(true));
    composer.take();
    composer.back();
    assert_eq!(composer.area.lines(), ["1", "2", "3", "4"]);
}

#[test]
fn undo_leads_back_over_a_long_text_from_elsewhere() {
    let mut composer = Composer::new();
    typed(&mut composer, "draft");
    composer.take_over(&"line\n".repeat(300));
    assert_eq!(composer.area.lines(), ["[pasted 300 lines]"]);
    composer.undo();
    composer.undo();
    assert_eq!(composer.text(), "draft");
}
