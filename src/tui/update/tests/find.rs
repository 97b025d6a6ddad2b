//! Searching, selecting, copying and exporting, as far as the state goes.

use super::*;
use crate::tui::record::ExportError;

/// A screen on which this was said.
fn after(answer: &str) -> App {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: answer.into() });
    end(&mut app, ExitReason::EndTurn);
    screen(&mut app, 80, 24);
    app
}

/// Column and row of these words.
fn place(app: &mut App, words: &str) -> (u16, u16) {
    let rows = screen(app, 80, 24);
    let row = rows.iter().position(|row| row.contains(words)).unwrap();
    let column = rows[row].find(words).unwrap();
    let column = rows[row].get(..column).unwrap().chars().count();
    (u16::try_from(column).unwrap(), u16::try_from(row).unwrap())
}

fn copied(effects: Vec<Effect>) -> Option<String> {
    match <[Effect; 1]>::try_from(effects) {
        Ok([Effect::Copy(text)]) => Some(text),
        _ => None,
    }
}

#[test]
fn dragging_copies_what_lies_between_press_and_release() {
    let mut app = after("alpha beta gamma");
    let (x, y) = place(&mut app, "beta");
    assert_eq!(update(&mut app, Msg::Click(x, y)), []);
    update(&mut app, Msg::Drag(x + 3, y));
    assert_eq!(copied(update(&mut app, Msg::Release)).as_deref(), Some("beta"));
    app.copy_on_select = false;
    update(&mut app, Msg::Click(x, y));
    update(&mut app, Msg::Drag(x + 3, y));
    assert_eq!(update(&mut app, Msg::Release), []);
    let alt_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::ALT);
    assert_eq!(copied(update(&mut app, Msg::Key(alt_c))).as_deref(), Some("beta"));
    press(&mut app, KeyCode::Esc);
    assert!(!app.transcript.has_selection());
    assert_eq!(copied(update(&mut app, Msg::Key(alt_c))).as_deref(), Some("alpha beta gamma"));
}

#[test]
fn two_presses_select_a_word_and_three_a_line() {
    let mut app = after("alpha beta gamma");
    let (x, y) = place(&mut app, "beta");
    let click = |app: &mut App| {
        update(app, Msg::Click(x, y));
        copied(update(app, Msg::Release))
    };
    assert_eq!(click(&mut app), None);
    assert_eq!(click(&mut app).as_deref(), Some("beta"));
    assert_eq!(click(&mut app).as_deref(), Some("alpha beta gamma"));
    wait(&mut app, 1_000);
    assert_eq!(click(&mut app), None, "long after, it is a press of its own");
}

#[test]
fn a_pointer_at_the_edge_scrolls_and_selects_what_comes() {
    let answer = (0..60).map(|n| format!("line {n}\n\n")).collect::<Vec<_>>().concat();
    let mut app = after(&answer);
    let (x, y) = place(&mut app, "line 59");
    update(&mut app, Msg::Click(x + 6, y));
    update(&mut app, Msg::Drag(x, 0));
    assert!(app.moves(), "frames come by themselves");
    for _ in 0..200 {
        wait(&mut app, 60);
        screen(&mut app, 80, 24);
    }
    let text = copied(update(&mut app, Msg::Release)).unwrap();
    assert!(text.contains("line 0\n") && text.ends_with("line 59"), "{text}");
    assert!(!app.moves() || app.hint.is_some());
}

#[test]
fn the_search_has_the_keys_until_it_is_closed() {
    let mut app = after("alpha beta");
    tell(&mut app, question("1"));
    wait(&mut app, 1_000);
    ctrl(&mut app, 'f');
    typed(&mut app, "y");
    assert_eq!(app.questions.len(), 1, "a letter of a pattern is no answer");
    press(&mut app, KeyCode::Backspace);
    typed(&mut app, "beta");
    let rows = screen(&mut app, 80, 24);
    assert!(rows[23].starts_with(" find: beta") && rows[23].contains("1 of 1"), "{rows:?}");
    assert_eq!(app.composer.text(), "");
    press(&mut app, KeyCode::Esc);
    assert!(app.search.is_none());
    assert_eq!(app.searched.typed, "beta");
}

#[test]
fn esc_closes_the_search_and_stops_nothing() {
    let mut app = app();
    start(&mut app);
    ctrl(&mut app, 'f');
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    assert!(app.search.is_none() && !app.stopping);
    assert_eq!(press(&mut app, KeyCode::Esc), [Effect::Interrupt(AbortBy::User)]);
}

#[test]
fn copy_takes_the_answer_its_code_or_the_turn() {
    let mut app = after("Do:\n\n```sh\ncargo test\n```\n\nThat is **all**.");
    let mut run = |command: &str| {
        typed(&mut app, command);
        copied(press(&mut app, KeyCode::Enter))
    };
    let answer = "Do:\n\n```sh\ncargo test\n```\n\nThat is **all**.";
    assert_eq!(run("/copy").as_deref(), Some(answer));
    assert_eq!(run("/copy code").as_deref(), Some("cargo test\n"));
    let turn = run("/copy turn").unwrap();
    assert!(turn.starts_with("## Prompt\n\ngo\n") && turn.contains(answer), "{turn}");
    assert_eq!(run("/copy nothing"), None);
    let mut app = super::app();
    typed(&mut app, "/copy");
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    assert!(app.hint.is_some_and(|hint| hint.words().contains("no answer")));
}

#[test]
fn a_name_that_is_taken_is_asked_for_again() {
    let mut app = after("said");
    typed(&mut app, "/export a.md");
    let effects = press(&mut app, KeyCode::Enter);
    let [Effect::Export(export)] = &effects[..] else { panic!("{effects:?}") };
    assert!(export.name == "a.md" && export.text.contains("said"));
    let exists = ExportError::Exists { name: "a.md".into(), free: "a-2.md".into() };
    update(&mut app, Msg::Exported(Err(exists)));
    assert_eq!(app.composer.text(), "/export a-2.md");
    let effects = press(&mut app, KeyCode::Enter);
    let [Effect::Export(export)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(export.name, "a-2.md");
    typed(&mut app, "/export a.JSON");
    let effects = press(&mut app, KeyCode::Enter);
    let [Effect::Export(export)] = &effects[..] else { panic!("{effects:?}") };
    assert!(export.text.starts_with('{'), "{}", export.text);
}

#[test]
fn the_whole_session_is_printed_at_the_end_if_that_is_wanted() {
    let mut app = after("the first answer");
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: "the second answer".into() });
    end(&mut app, ExitReason::EndTurn);
    typed(&mut app, "a draft");
    assert!(!app.farewell(80).concat().contains("the first answer"));
    app.print_transcript = true;
    let said = app.farewell(80).concat();
    for words in ["the first answer", "the second answer", "not sent: a draft"] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn ctrl_r_in_the_search_reads_it_as_a_regex_and_the_next_search_knows() {
    let mut app = after("pay $0.50, foo( and fooo");
    ctrl(&mut app, 'f');
    typed(&mut app, "$0.50");
    assert!(screen(&mut app, 80, 24)[23].contains("  1 of 1 · Enter next"));
    ctrl(&mut app, 'u');
    typed(&mut app, "fo+,?");
    let row = screen(&mut app, 80, 24).remove(23);
    assert!(row.contains("no hits; Ctrl-R reads it as a regex · Esc"), "{row}");
    ctrl(&mut app, 'r');
    assert!(app.recall.is_none());
    let row = screen(&mut app, 80, 24).remove(23);
    assert!(row.contains("regex · 2 of 2 · Enter next"), "{row}");
    press(&mut app, KeyCode::Esc);
    ctrl(&mut app, 'f');
    assert!(!screen(&mut app, 80, 24)[23].contains("regex · 2"));
    press(&mut app, KeyCode::Enter);
    let row = screen(&mut app, 80, 24).remove(23);
    assert!(row.starts_with(" find: fo+,?") && row.contains("regex · 2 of 2"), "{row}");
    typed(&mut app, "(");
    for (width, words) in
        [(80, "regex · invalid: unclosed group · "), (40, "regex · invalid… · Esc")]
    {
        let row = screen(&mut app, width, 24).remove(23);
        assert!(row.starts_with(" find: fo+,?(") && row.contains(words), "{row}");
    }
}

#[test]
fn with_nothing_typed_nothing_parts_the_keys_from_the_field() {
    let mut app = after("alpha");
    ctrl(&mut app, 'f');
    for width in [40, 80] {
        let row = screen(&mut app, width, 24).pop().unwrap();
        let behind = row.strip_prefix(" find: ").unwrap().trim();
        assert!(behind.starts_with(['E', 'U']) && behind.ends_with("Esc closes"), "{row}");
    }
}

#[test]
fn the_lines_of_a_paste_are_parted_by_a_blank_in_the_field() {
    for paste in ["beta\ngamma", "beta\r\ngamma\r\n", "beta\rgamma"] {
        let mut app = after("alpha beta gamma");
        ctrl(&mut app, 'f');
        update(&mut app, Msg::Paste(paste.into()));
        assert_eq!(app.search.as_ref().unwrap().query(), "beta gamma", "{paste:?}");
    }
    let mut app = after("alpha");
    ctrl(&mut app, 'f');
    update(&mut app, Msg::Paste("alpha ".into()));
    assert_eq!(app.search.as_ref().unwrap().query(), "alpha ", "a blank of one line stays");
}
