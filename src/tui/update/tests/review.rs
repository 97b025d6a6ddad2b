//! A write that is asked about: its parts, and the editor.

use super::*;
use crate::{
    protocol::question::{Fate, FileChange, FilePart, Part, Texts},
    text::hunks,
    tui::effect::Editing,
};

const OLD: &str = "a\n1\n2\n3\n4\n5\n6\n7\n8\nb\n";
const NEW: &str = "A\n1\n2\n3\n4\n5\n6\n7\n8\nB\n";

/// A change of two places of a file.
fn write(id: &str) -> StreamEvent {
    let changes = hunks::changes(&hunks::differences(&hunks::lines(OLD), &hunks::lines(NEW)));
    let file = FileChange {
        path: "src/a.rs".into(),
        fate: Fate::Changed,
        hunks: hunks::between(OLD, NEW),
        optional: false,
        texts: Some(Texts { old: OLD.into(), new: NEW.into(), changes: changes.into() }),
    };
    let preview = Preview::Write {
        path: "src/a.rs".into(),
        diff: String::new(),
        creates: false,
        added: 2,
        removed: 2,
        files: vec![file],
    };
    let question = Question {
        call_id: CallId(id.into()),
        tool: "edit_file".into(),
        preview,
        session_grant: "all".into(),
    };
    StreamEvent::QuestionAsked { question }
}

fn asked() -> App {
    let mut app = app();
    start(&mut app);
    tell(&mut app, write("c1"));
    wait(&mut app, 300);
    app
}

fn part(part: Part) -> Vec<Effect> {
    let files = vec![FilePart { path: "src/a.rs".into(), part }];
    decide("c1", Decision::AllowPart { files })
}

fn whose() -> Whose {
    Whose::Write { call_id: CallId("c1".into()), path: "src/a.rs".into() }
}

#[test]
fn what_is_left_out_is_not_in_the_answer() {
    let mut app = asked();
    press(&mut app, KeyCode::Right);
    press(&mut app, KeyCode::Char(' '));
    assert_eq!(press(&mut app, KeyCode::Char('y')), part(Part::Hunks { taken: vec![0] }));
}

#[test]
fn all_of_it_is_allowed_as_ever_and_only_all_of_it_for_the_session() {
    let mut app = asked();
    press(&mut app, KeyCode::Char(' '));
    press(&mut app, KeyCode::Char('a'));
    assert_eq!(press(&mut app, KeyCode::Char('a')), []);
    press(&mut app, KeyCode::Char(' '));
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("c1", Decision::AllowOnce));
}

#[test]
fn the_editor_gets_what_is_taken_and_its_text_is_seen_before_it_is_an_answer() {
    let mut app = asked();
    press(&mut app, KeyCode::Char(' '));
    let text = OLD.replace("b\n", "B\n");
    let editing = Editing { whose: whose(), file_name: "src/a.rs".into(), text };
    assert_eq!(press(&mut app, KeyCode::Char('e')), [Effect::Edit(editing)]);
    let mine = OLD.replace("b\n", "mine\n");
    assert_eq!(update(&mut app, Msg::Edited(whose(), Ok(mine.clone()))), []);
    wait(&mut app, 299);
    assert_eq!(press(&mut app, KeyCode::Char('y')), [], "it has just changed");
    press(&mut app, KeyCode::Backspace);
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 300);
    let rows = screen(&mut app, 80, 24);
    assert!(rows.iter().any(|row| row.contains("+ mine")));
    let title = rows.iter().find(|row| row.contains("May it change")).unwrap();
    assert!(title.contains("+1 −1  edited"), "of two changes one is left: {title}");
    assert_eq!(press(&mut app, KeyCode::Char('y')), part(Part::Edited { content: mine }));
}

#[test]
fn what_was_edited_for_a_question_that_is_over_is_not_lost() {
    let mut app = asked();
    press(&mut app, KeyCode::Char('e'));
    end(&mut app, abort_reason());
    update(&mut app, Msg::Edited(whose(), Ok("mine\n".into())));
    press(&mut app, KeyCode::Up);
    assert_eq!(app.composer.text(), "mine\n");
}

#[test]
fn an_editor_that_failed_changes_nothing_and_says_why() {
    let mut app = asked();
    press(&mut app, KeyCode::Char('e'));
    update(&mut app, Msg::Edited(whose(), Err("The editor failed.".into())));
    assert!(screen(&mut app, 80, 24).iter().any(|row| row.contains("The editor failed.")));
    wait(&mut app, 300);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("c1", Decision::AllowOnce));
}
