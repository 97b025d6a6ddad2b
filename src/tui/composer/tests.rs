//! Nothing typed is lost.

use crossterm::event::{KeyCode, KeyModifiers};

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
    assert_eq!(composer.area.lines(), ["look: [pasted #1: 812 lines] ok"]);
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
    let first = format!("[pasted #2: 12 lines]\n{}", "x\n".repeat(20));
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
