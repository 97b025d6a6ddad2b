//! The mouse in an opened call: what is selected, copied and ended, and what is left alone.

use super::*;

/// A call with a result of three lines, open; and where its first line stands.
fn opened_with_lines() -> (App, u16) {
    let mut app = working();
    finish(&mut app, "a", "first line\nsecond line\nlast");
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    let row = row_of(&mut app, "first line");
    (app, row)
}

/// From the first column of a row to the sixth one of the next.
fn drag(app: &mut App, row: u16) -> Vec<Effect> {
    update(app, Msg::Click(1, row));
    update(app, Msg::Drag(6, row + 1));
    update(app, Msg::Release)
}

fn alt_c(app: &mut App) -> Vec<Effect> {
    update(app, Msg::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::ALT)))
}

const CHOSEN: &str = "first line\nsecond";

#[test]
fn in_an_opened_call_the_mouse_selects_and_copies_and_esc_unselects_before_it_closes() {
    let (mut app, row) = opened_with_lines();
    assert_eq!(drag(&mut app, row), [Effect::Copy(CHOSEN.into())]);
    assert!(!app.transcript.has_selection(), "nothing below it is selected");
    assert!(status(&mut app).ends_with("Alt-C copies · Esc unselects"), "{}", status(&mut app));
    assert_eq!(alt_c(&mut app), [Effect::Copy(CHOSEN.into())]);
    let all = "first line\nsecond line\nlast";
    assert_eq!(press(&mut app, KeyCode::Char('y')), [Effect::Copy(CHOSEN.into())]);
    press(&mut app, KeyCode::Down);
    assert_eq!(alt_c(&mut app), [Effect::Copy(CHOSEN.into())], "keys that scroll leave it");
    press(&mut app, KeyCode::Esc);
    assert!(app.calls.is_open() && !app.calls.has_selection());
    assert!(status(&mut app).ends_with("Esc closes"), "{}", status(&mut app));
    assert_eq!(alt_c(&mut app), [Effect::Copy(all.into())]);
    assert_eq!(press(&mut app, KeyCode::Char('y')), [Effect::Copy(all.into())]);
    press(&mut app, KeyCode::Esc);
    assert!(!app.calls.is_open());
}

#[test]
fn what_is_selected_in_an_opened_call_waits_for_a_key_if_the_user_wants_that() {
    let (mut app, row) = opened_with_lines();
    app.copy_on_select = false;
    assert_eq!(drag(&mut app, row), []);
    assert!(screen(&mut app, 80, 24).join("\n").contains("selected; Alt-C copies it"));
    assert_eq!(alt_c(&mut app), [Effect::Copy(CHOSEN.into())]);
}

#[test]
fn clicks_in_an_opened_call_select_words_and_lines_and_one_alone_nothing() {
    let (mut app, row) = opened_with_lines();
    click(&mut app, 8, row);
    assert!(app.calls.is_open() && !app.calls.has_selection());
    update(&mut app, Msg::Click(8, row));
    assert_eq!(update(&mut app, Msg::Release), [Effect::Copy("line".into())]);
    update(&mut app, Msg::Click(8, row));
    assert_eq!(update(&mut app, Msg::Release), [Effect::Copy("first line".into())]);
    wait(&mut app, 1_000);
    click(&mut app, 8, row);
    assert!(!app.calls.has_selection(), "a click ends it");
}

#[test]
fn a_press_below_the_help_or_on_the_time_line_selects_nothing() {
    let (mut app, row) = opened_with_lines();
    press(&mut app, KeyCode::Char('?'));
    assert_eq!(drag(&mut app, row), []);
    press(&mut app, KeyCode::Esc);
    assert!(app.calls.is_open() && !app.calls.has_selection());
    ctrl(&mut app, 't');
    assert!(app.calls.shows_timeline());
    screen(&mut app, 80, 24);
    assert_eq!(drag(&mut app, 4), []);
    assert!(!app.transcript.has_selection());
}

#[test]
fn what_is_selected_in_the_transcript_stays_there_while_a_call_is_open() {
    let mut app = working();
    let row = row_of(&mut app, "› go");
    update(&mut app, Msg::Click(3, row));
    update(&mut app, Msg::Drag(4, row));
    assert_eq!(update(&mut app, Msg::Release), [Effect::Copy("go".into())]);
    finish(&mut app, "b", "other words");
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    let row = row_of(&mut app, "other words");
    update(&mut app, Msg::Click(1, row));
    update(&mut app, Msg::Drag(5, row));
    assert_eq!(update(&mut app, Msg::Release), [Effect::Copy("other".into())]);
    press(&mut app, KeyCode::Esc);
    press(&mut app, KeyCode::Esc);
    assert!(!app.calls.is_open());
    assert_eq!(alt_c(&mut app), [Effect::Copy("go".into())]);
}

#[test]
fn while_the_pointer_pulls_in_an_opened_call_frames_go_on() {
    let mut app = working();
    let text = (0..200).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    finish(&mut app, "a", &text);
    finish(&mut app, "b", "done");
    finish(&mut app, "c", "done");
    end(&mut app, ExitReason::EndTurn);
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    let row = row_of(&mut app, "line 3");
    wait(&mut app, 5_000);
    assert_eq!(app.beat(), None);
    update(&mut app, Msg::Click(1, row));
    update(&mut app, Msg::Drag(6, 23));
    assert!(app.beat().is_some());
    let before = screen(&mut app, 80, 24)[22].clone();
    wait(&mut app, 100);
    assert_ne!(screen(&mut app, 80, 24)[22], before, "it moves");
    let chosen = update(&mut app, Msg::Release);
    let Some(Effect::Copy(text)) = chosen.first() else { panic!("{chosen:?}") };
    assert!(text.starts_with("line 3\nline 4\n"), "{text}");
    assert_eq!(app.beat(), None);
}
