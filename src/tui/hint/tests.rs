//! Words for the user: how long they stand, and beside what.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{Terminal, backend::TestBackend};

use super::*;
use crate::{
    protocol::{
        about::About,
        event::StreamEvent,
        exit::ExitReason,
        question::{Preview, Question},
    },
    tui::{highlight::Highlighter, theme::Theme, update::update, view::view},
};

fn app() -> App {
    let about = About {
        model: "qwen".into(),
        place: "localhost:1".into(),
        scripted: false,
        context_window: None,
    };
    App::new(about, "~".into(), Theme::plain(), Highlighter::off())
}

fn key(app: &mut App, code: KeyCode) {
    drop(update(app, Msg::Key(KeyEvent::new(code, KeyModifiers::NONE))));
}

fn ctrl(app: &mut App, c: char) {
    drop(update(app, Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL))));
}

fn typed(app: &mut App, text: &str) {
    text.chars().for_each(|c| key(app, KeyCode::Char(c)));
}

fn tell(app: &mut App, event: StreamEvent) {
    drop(update(app, Msg::Stream(event)));
}

fn start(app: &mut App) {
    tell(app, StreamEvent::TurnStarted { turn: TurnId(1), prompt: "go".into() });
    tell(app, StreamEvent::IterationStarted { iteration: 1, max: 20 });
}

fn end(app: &mut App) {
    let reason = ExitReason::EndTurn;
    let (iterations, tools, elapsed_ms) = (1, 0, 1);
    tell(app, StreamEvent::TurnEnded { turn: TurnId(1), reason, iterations, tools, elapsed_ms });
}

fn ask(app: &mut App) {
    let preview = Preview::Command { command: "make".into(), cwd: ".".into(), background: false };
    let question = Question {
        call_id: CallId("a".into()),
        tool: "run_command".into(),
        preview,
        session_grant: "this command".into(),
    };
    tell(app, StreamEvent::QuestionAsked { question });
}

fn words(app: &App) -> Option<&str> {
    app.hint.as_ref().map(Hint::words)
}

fn rows(app: &mut App, (width, height): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view(app, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |cells: &[ratatui::buffer::Cell]| {
        cells.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned()
    };
    buffer.content.chunks(usize::from(width)).map(row).collect()
}

#[test]
fn a_word_leaves_what_esc_does_in_the_line_at_every_width() {
    for width in 20..=200 {
        let mut app = app();
        start(&mut app);
        for words in ["nothing is queued", "queued prompts are back in the box; Ctrl-R finds more"]
        {
            app.say(words);
            let rows = rows(&mut app, (width, 16));
            assert!(rows[15].ends_with("Esc stops"), "{rows:#?}");
            let shown = rows[10..].join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(shown.contains(words), "{rows:#?}");
        }
    }
}

#[test]
fn a_word_without_room_in_the_line_stands_in_the_place_of_the_rule_above_it() {
    let mut app = app();
    start(&mut app);
    let before = rows(&mut app, (40, 16));
    app.say("the engine does not answer: not sent");
    let after = rows(&mut app, (40, 16));
    assert_eq!(after[14], " the engine does not answer: not sent");
    assert_eq!(after[..14], before[..14]);
    assert_eq!(after[15], before[15]);
}

#[test]
fn a_word_longer_than_three_rows_ends_with_a_mark() {
    let mut app = app();
    app.say(&"word ".repeat(60));
    let rows = rows(&mut app, (40, 16));
    assert!(rows[14].ends_with('…') && rows[10].starts_with(" ──"), "{rows:#?}");
}

#[test]
fn a_word_goes_with_the_turn_the_question_or_the_mode_that_it_is_about() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "/new");
    key(&mut app, KeyCode::Enter);
    assert_eq!(words(&app), Some("a turn runs: Esc stops it, then /new"));
    tell(&mut app, StreamEvent::TextDelta { text: "so".into() });
    assert!(words(&app).is_some(), "that is still true");
    end(&mut app);
    assert_eq!(words(&app), None);

    start(&mut app);
    ask(&mut app);
    typed(&mut app, "x");
    app.tick(app.now + Duration::from_secs(1));
    assert_eq!(words(&app), None, "the question had no keys yet");
    key(&mut app, KeyCode::Backspace);
    app.tick(app.now + Duration::from_secs(1));
    key(&mut app, KeyCode::Tab);
    key(&mut app, KeyCode::Enter);
    assert!(words(&app).is_some_and(|words| words.contains("y yes")), "{:?}", words(&app));
    let call_id = CallId("a".into());
    let decision = Some(crate::protocol::question::Decision::AllowOnce);
    tell(&mut app, StreamEvent::QuestionResolved { call_id, decision });
    assert_eq!(words(&app), None);
}

#[test]
fn a_word_goes_with_a_key_that_does_something_else_and_not_with_what_is_typed_on() {
    let mut app = app();
    start(&mut app);
    ctrl(&mut app, 'x');
    assert_eq!(words(&app), Some("nothing is queued"));
    key(&mut app, KeyCode::F(2));
    assert_eq!(words(&app), Some("the mouse is the terminal's"));
    ctrl(&mut app, 'o');
    assert_eq!(words(&app), None);
    typed(&mut app, "a draft");
    ctrl(&mut app, 'x');
    typed(&mut app, " and more");
    assert_eq!(words(&app), Some("nothing is queued"));
    key(&mut app, KeyCode::Enter);
    assert_eq!(words(&app), None, "now something is");
}

#[test]
fn that_ctrl_c_quits_is_said_no_longer_than_it_does() {
    let mut app = app();
    ctrl(&mut app, 'c');
    assert_eq!(words(&app), Some("Ctrl-C again quits"));
    key(&mut app, KeyCode::Char('a'));
    assert_eq!(words(&app), None);
}

#[test]
fn what_was_done_stays_true_when_the_turn_ends_and_goes_with_the_next_key_or_in_time() {
    let mut app = app();
    start(&mut app);
    drop(update(&mut app, Msg::NotHeard));
    assert!(words(&app).is_some());
    app.report("copied");
    end(&mut app);
    assert_eq!(words(&app), Some("copied"));
    ctrl(&mut app, 'o');
    assert_eq!(words(&app), None);
    app.report("copied");
    app.tick(app.now + HINT);
    assert_eq!(words(&app), None);
}
