//! Which key and which click does what to calls, and what it leaves alone.

mod chosen;
mod opened;

use std::sync::Arc;

use super::*;
use crate::{protocol::tool::WholeFile, tui::overlay::call::whole::Gathering};

pub(super) fn shift(app: &mut App, code: KeyCode) -> Vec<Effect> {
    update(app, Msg::Key(KeyEvent::new(code, KeyModifiers::SHIFT)))
}

fn batch(calls: &[&str]) -> StreamEvent {
    let call = |id: &&str| ToolCall {
        id: CallId((*id).into()),
        name: format!("tool_{id}"),
        arguments: format!(r#"{{"path": "{id}.txt"}}"#),
    };
    let ids = calls.iter().map(|id| CallId((*id).into())).collect();
    let batches = vec![Batch { calls: ids, concurrent: true }];
    StreamEvent::BatchesPlanned { calls: calls.iter().map(call).collect(), batches }
}

fn run(app: &mut App, id: &str) {
    tell(app, StreamEvent::ToolStarted { call_id: CallId(id.into()) });
}

fn finish(app: &mut App, id: &str, text: &str) {
    let result = ToolResult::new(CallId(id.into()), ToolStatus::Ok, text, "done");
    tell(app, StreamEvent::ToolFinished { result, elapsed_ms: 0 });
}

/// A turn with calls a, b and c, of which a and b run.
pub(super) fn working() -> App {
    let mut app = app();
    start(&mut app);
    tell(&mut app, batch(&["a", "b", "c"]));
    run(&mut app, "a");
    run(&mut app, "b");
    app
}

fn stop_of(id: &str) -> Vec<Effect> {
    vec![Effect::Send(Op::StopCall { call_id: CallId(id.into()) })]
}

/// The call that has the sign of the selected one.
pub(super) fn selected(app: &mut App) -> Option<String> {
    let rows = screen(app, 80, 24);
    let row = rows.iter().find(|row| row.starts_with(" ▸"))?;
    row.split_whitespace().find(|word| word.starts_with("tool_")).map(str::to_owned)
}

pub(super) fn title(app: &mut App) -> String {
    screen(app, 80, 24)[2].trim().to_owned()
}

#[test]
fn shift_up_tab_and_ctrl_up_select_the_newest_call_and_arrows_go_on() {
    for enter in [(KeyCode::Up, KeyModifiers::SHIFT), (KeyCode::Tab, KeyModifiers::NONE)] {
        let mut app = working();
        assert_eq!(selected(&mut app), None);
        assert_eq!(update(&mut app, Msg::Key(KeyEvent::new(enter.0, enter.1))), []);
        assert_eq!(selected(&mut app).as_deref(), Some("tool_c"));
        press(&mut app, KeyCode::Up);
        press(&mut app, KeyCode::Char('k'));
        assert_eq!(selected(&mut app).as_deref(), Some("tool_a"));
        press(&mut app, KeyCode::Up);
        assert_eq!(selected(&mut app), None, "the prompt stands before");
        press(&mut app, KeyCode::Up);
        press(&mut app, KeyCode::Char('j'));
        press(&mut app, KeyCode::Char('j'));
        press(&mut app, KeyCode::Down);
        shift(&mut app, KeyCode::Down);
        assert_eq!(selected(&mut app).as_deref(), Some("tool_c"));
    }
    let mut app = working();
    update(&mut app, Msg::Key(KeyEvent::new(KeyCode::Up, KeyModifiers::CONTROL)));
    assert_eq!(selected(&mut app).as_deref(), Some("tool_c"));
}

#[test]
fn home_and_end_select_what_stands_first_and_last() {
    let mut app = working();
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Home);
    assert!(screen(&mut app, 80, 24).iter().any(|row| row.starts_with("▌› go")));
    press(&mut app, KeyCode::End);
    assert_eq!(selected(&mut app).as_deref(), Some("tool_c"));
}

#[test]
fn esc_leaves_and_only_the_next_one_stops_the_turn() {
    let mut app = working();
    press(&mut app, KeyCode::Tab);
    let keys = |app: &mut App| screen(app, 80, 24)[23].clone();
    assert!(keys(&mut app).contains("Enter opens · y copies · Esc leaves"), "c does not run yet");
    press(&mut app, KeyCode::Up);
    assert!(keys(&mut app).contains("Enter opens · x stops it · Esc leaves"), "b runs");
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    assert_eq!(selected(&mut app), None);
    assert_eq!(press(&mut app, KeyCode::Esc), [Effect::Interrupt(AbortBy::User)]);
    let rows = screen(&mut app, 80, 24);
    assert_eq!(rows[..23].iter().filter(|row| row.contains("stopping")).count(), 2, "{rows:#?}");
}

#[test]
fn x_stops_the_selected_call_alone() {
    let mut app = working();
    press(&mut app, KeyCode::Tab);
    assert_eq!(press(&mut app, KeyCode::Char('x')), [], "c waits still");
    assert!(screen(&mut app, 80, 24)[23].contains("does not run"));
    press(&mut app, KeyCode::Up);
    assert_eq!(press(&mut app, KeyCode::Char('x')), stop_of("b"));
    let rows = screen(&mut app, 80, 24);
    let stopping: Vec<_> = rows.iter().filter(|row| row.contains("stopping")).collect();
    assert!(stopping.len() == 1 && stopping[0].contains("tool_b"), "{rows:#?}");
    assert!(!app.stopping, "the turn goes on");
}

#[test]
fn whoever_begins_to_write_is_done_with_the_calls() {
    let mut app = working();
    press(&mut app, KeyCode::Tab);
    typed(&mut app, "hello x");
    assert_eq!((selected(&mut app), app.composer.text().as_str()), (None, "hello x"));
    assert_eq!(press(&mut app, KeyCode::Tab), []);
    shift(&mut app, KeyCode::Up);
    assert_eq!(selected(&mut app), None, "a draft keeps the keys");
    let mut app = working();
    press(&mut app, KeyCode::Tab);
    update(&mut app, Msg::Paste("pasted".into()));
    assert_eq!((selected(&mut app), app.composer.text().as_str()), (None, "pasted"));
}

#[test]
fn where_nothing_was_said_there_is_nothing_to_select_and_that_is_said() {
    let mut app = app();
    press(&mut app, KeyCode::Tab);
    assert!(screen(&mut app, 80, 24)[23].contains("nothing was said yet"));
    assert_eq!(press(&mut app, KeyCode::Char('x')), []);
    assert_eq!(app.composer.text(), "x");
}

#[test]
fn ctrl_c_stops_the_turn_from_everywhere() {
    for keys in [
        &[KeyCode::Tab][..],
        &[KeyCode::Tab, KeyCode::Enter],
        &[KeyCode::Tab, KeyCode::Enter, KeyCode::Char('/')],
    ] {
        let mut app = working();
        for key in keys {
            press(&mut app, *key);
        }
        assert_eq!(ctrl(&mut app, 'c'), [Effect::Interrupt(AbortBy::User)], "{keys:?}");
    }
}

#[test]
fn a_question_is_deaf_while_keys_are_for_calls_and_for_a_moment_after() {
    let mut app = working();
    press(&mut app, KeyCode::Tab);
    tell(&mut app, question("c"));
    wait(&mut app, 5_000);
    assert_eq!(press(&mut app, KeyCode::Up), []);
    assert_eq!(selected(&mut app).as_deref(), Some("tool_b"));
    press(&mut app, KeyCode::Enter);
    for letter in ['y', 'n', 'a', 't'] {
        assert_eq!(press(&mut app, KeyCode::Char(letter)), []);
    }
    press(&mut app, KeyCode::Esc);
    press(&mut app, KeyCode::Esc);
    assert_eq!(press(&mut app, KeyCode::Char('y')), [], "not armed yet");
    app.composer.take();
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("c", Decision::AllowOnce));
}

#[test]
fn beside_a_question_shift_up_selects_and_tab_is_the_question_s() {
    let mut app = working();
    tell(&mut app, question("c"));
    press(&mut app, KeyCode::Tab);
    assert_eq!(selected(&mut app), None);
    shift(&mut app, KeyCode::Up);
    assert_eq!(selected(&mut app).as_deref(), Some("tool_c"));
}

fn click(app: &mut App, column: u16, row: u16) {
    assert_eq!(update(app, Msg::Click(column, row)), []);
    assert_eq!(update(app, Msg::Release), []);
}

fn row_of(app: &mut App, name: &str) -> u16 {
    let rows = screen(app, 80, 24);
    let row = rows.iter().position(|row| row.contains(name)).unwrap();
    u16::try_from(row).unwrap()
}

#[test]
fn a_click_opens_a_call_and_what_is_covered_is_not_clicked() {
    let mut app = working();
    let row = row_of(&mut app, "tool_b");
    click(&mut app, 10, row);
    assert!(title(&mut app).contains("tool_b"));
    wait(&mut app, 1_000);
    click(&mut app, 10, row + 1);
    assert!(title(&mut app).contains("tool_b"), "what is covered is not clicked");
    press(&mut app, KeyCode::Esc);
    assert_eq!(selected(&mut app), None);
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 1_000);
    click(&mut app, 70, row);
    press(&mut app, KeyCode::Esc);
    assert_eq!(selected(&mut app).as_deref(), Some("tool_b"), "the keys go on from it");
}

#[test]
fn a_double_click_on_a_call_selects_a_word_of_its_line() {
    let mut app = working();
    let row = row_of(&mut app, "tool_b");
    let column = screen(&mut app, 80, 24)[usize::from(row)].find("tool_b").unwrap();
    // What stands before it are signs of one column each.
    let column = u16::try_from(column).unwrap();
    click(&mut app, column, row);
    screen(&mut app, 80, 24);
    wait(&mut app, 200);
    update(&mut app, Msg::Click(column, row));
    assert_eq!(update(&mut app, Msg::Release), [Effect::Copy("tool_b".into())]);
    assert!(!app.calls.is_open());
}

#[test]
fn a_drag_over_a_call_opens_nothing() {
    let mut app = working();
    let row = row_of(&mut app, "tool_b");
    update(&mut app, Msg::Click(60, row));
    update(&mut app, Msg::Drag(62, row));
    update(&mut app, Msg::Release);
    assert!(!app.calls.is_open());
}

#[test]
fn a_click_beside_a_draft_opens_and_leaves_the_keys_to_the_draft() {
    let mut app = working();
    typed(&mut app, "draft");
    let row = row_of(&mut app, "tool_b");
    click(&mut app, 10, row);
    assert!(title(&mut app).contains("tool_b"));
    press(&mut app, KeyCode::Esc);
    typed(&mut app, "x");
    assert_eq!((selected(&mut app), app.composer.text().as_str()), (None, "draftx"));
    click(&mut app, 10, 23);
    click(&mut app, 500, 500);
    assert_eq!(selected(&mut app), None, "nothing is there");
}

#[test]
fn the_selected_call_is_scrolled_into_view() {
    let mut app = working();
    tell(&mut app, StreamEvent::TextDelta { text: "word\n\n".repeat(100) });
    assert_eq!(selected(&mut app), None);
    press(&mut app, KeyCode::Tab);
    assert_eq!(selected(&mut app).as_deref(), Some("tool_c"));
}

#[test]
fn ctrl_t_shows_the_turn_as_time_and_closes_it_again() {
    let mut app = working();
    wait(&mut app, 2_000);
    assert_eq!(ctrl(&mut app, 't'), []);
    let rows = screen(&mut app, 80, 24);
    assert!(rows[2].contains("Time line · the turn runs · 2.00 s"), "{rows:#?}");
    let model = rows.iter().position(|row| row.contains("iteration 1 · model")).unwrap();
    assert!(rows[model + 1].contains("tool_a") && rows[model + 3].contains("tool_c"), "{rows:#?}");
    wait(&mut app, 1_000);
    assert!(screen(&mut app, 80, 24)[2].contains("3.00 s"), "it grows");
    ctrl(&mut app, 't');
    assert!(!screen(&mut app, 80, 24).join("\n").contains("Time line"));
    end(&mut app, ExitReason::EndTurn);
    wait(&mut app, 60_000);
    ctrl(&mut app, 't');
    let rows = screen(&mut app, 80, 24);
    assert!(rows[2].contains("the turn is over · 3.00 s"), "{rows:#?}");
    assert!(rows[23].contains("Esc closes"), "{rows:#?}");
}

#[test]
fn the_help_tells_the_keys_for_calls() {
    let mut app = app();
    press(&mut app, KeyCode::Char('?'));
    let rows = screen(&mut app, 100, 120).join("\n");
    for words in ["select a call", "the others and the turn go on", "Ctrl-T"] {
        assert!(rows.contains(words), "{words}: {rows}");
    }
}

#[test]
fn keys_of_the_box_leave_the_calls() {
    let mut app = working();
    app.composer.history().remember("earlier");
    press(&mut app, KeyCode::Tab);
    assert_eq!(selected(&mut app).as_deref(), Some("tool_c"));
    ctrl(&mut app, 'r');
    assert_eq!(selected(&mut app), None);
    press(&mut app, KeyCode::Enter);
    assert_eq!(app.composer.text(), "earlier");
}
