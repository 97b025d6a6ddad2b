//! What keys and events do to the state, and that drawing stands any of it at any size.

mod any;
mod asked;
mod beside;
mod burst;
mod calls;
mod device;
mod find;
mod in_background;
mod input;
mod model;
mod motions;
mod questions;
mod review;
mod seen;
mod small;
mod theme;
mod waiting;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{Terminal, backend::TestBackend};

use super::*;
use crate::{
    protocol::{
        about::About,
        budget::Budget,
        event::StreamEvent,
        exit::{AbortDuring, ErrorKind, ExitReason},
        id::{CallId, TurnId},
        question::{Decision, Preview, Question},
        tool::{Batch, ToolCall, ToolResult, ToolStatus, WholeOutput},
    },
    tui::{highlight::Highlighter, theme::Theme, view::view},
};

fn app() -> App {
    let about = About {
        model: "qwen".into(),
        place: "localhost:1".into(),
        scripted: false,
        context_window: Some(128_000),
    };
    App::new(about, "~/src/parser".into(), Theme::plain(), Highlighter::off())
}

fn press(app: &mut App, code: KeyCode) -> Vec<Effect> {
    update(app, Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn ctrl(app: &mut App, c: char) -> Vec<Effect> {
    update(app, Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)))
}

fn typed(app: &mut App, text: &str) {
    for c in text.chars() {
        press(app, KeyCode::Char(c));
    }
}

fn tell(app: &mut App, event: StreamEvent) -> Vec<Effect> {
    update(app, Msg::Stream(event))
}

fn wait(app: &mut App, ms: u64) {
    let now = app.now + Duration::from_millis(ms);
    app.tick(now);
}

fn start(app: &mut App) {
    tell(app, StreamEvent::TurnStarted { turn: TurnId(1), prompt: "go".into() });
    tell(app, StreamEvent::IterationStarted { iteration: 1, max: 20 });
}

fn end(app: &mut App, reason: ExitReason) -> Vec<Effect> {
    let ended = StreamEvent::TurnEnded {
        turn: TurnId(1),
        reason,
        iterations: 1,
        tools: 0,
        elapsed_ms: 4_100,
    };
    tell(app, ended)
}

fn abort_reason() -> ExitReason {
    ExitReason::Abort { by: AbortBy::User, during: AbortDuring::Stream }
}

fn submit_of(text: &str) -> Vec<Effect> {
    vec![Effect::Send(Op::Submit { text: text.into() })]
}

fn question(id: &str) -> StreamEvent {
    let preview = Preview::Command {
        command: "rm -rf build\u{202e}".into(),
        cwd: ".".into(),
        background: false,
    };
    let question = Question {
        call_id: CallId(id.into()),
        tool: "run_command".into(),
        preview,
        session_grant: "exactly this command".into(),
    };
    StreamEvent::QuestionAsked { question }
}

fn decide(id: &str, decision: Decision) -> Vec<Effect> {
    vec![Effect::Send(Op::Decide { call_id: CallId(id.into()), decision })]
}

/// The screen as text, a line a row.
fn screen(app: &mut App, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view(app, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

fn retrying(attempt: u32, wait_ms: u64) -> StreamEvent {
    let (kind, reason) = (ErrorKind::Network, "the line is cut".to_owned());
    StreamEvent::Retrying { attempt, of: 5, wait_ms, kind, reason }
}

fn status(app: &mut App) -> String {
    screen(app, 100, 24)[23]
        .trim_start_matches([' ', '⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'])
        .to_owned()
}

#[test]
fn enter_sends_while_idle_and_queues_while_busy() {
    let mut app = app();
    typed(&mut app, "first");
    assert_eq!(press(&mut app, KeyCode::Enter), submit_of("first"));
    start(&mut app);
    typed(&mut app, "second");
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    assert!(screen(&mut app, 80, 24).iter().any(|row| row.contains("⋯ second")));
    assert_eq!(end(&mut app, ExitReason::EndTurn), submit_of("second"));
}

#[test]
fn what_was_queued_comes_back_to_the_box_when_the_turn_did_not_end_well() {
    let mut app = app();
    start(&mut app);
    for text in ["one", "two"] {
        typed(&mut app, text);
        press(&mut app, KeyCode::Enter);
    }
    typed(&mut app, "draft");
    assert_eq!(end(&mut app, abort_reason()), []);
    assert_eq!(app.composer.text(), "one\ntwo\ndraft");
}

#[test]
fn a_queued_command_never_comes_back_with_other_words() {
    for (queued, draft, box_after) in [
        (&["!echo one", "rm -rf x"][..], "", "rm -rf x"),
        (&["rm -rf x", "!echo one"], "", "rm -rf x"),
        (&["!echo one"], "rm -rf x", "rm -rf x"),
        (&["!echo one", "!echo two"], "", ""),
        (&["!echo one"], "", "!echo one"),
    ] {
        let mut app = app();
        start(&mut app);
        for text in queued {
            typed(&mut app, text);
            press(&mut app, KeyCode::Enter);
        }
        typed(&mut app, draft);
        end(&mut app, abort_reason());
        assert_eq!(app.composer.text(), box_after, "{queued:?} {draft:?}");
        let found = app.composer.history().find("echo one", 0, "").is_some();
        assert!(found, "it is not lost: {queued:?}");
    }
}

#[test]
fn a_prompt_that_came_to_nothing_stands_ready_again() {
    let error = ExitReason::Error {
        kind: ErrorKind::Network,
        message: "connection refused".into(),
        hint: "Start the server.".into(),
    };
    for (reason, told) in [
        (error, "■ error · network · connection refused. Start the server."),
        (ExitReason::ContextOverflow { alone: false }, "■ context_overflow"),
        (ExitReason::ContentFilter, "■ content_filter"),
        (
            ExitReason::BudgetExceeded { budget: Budget::Tokens { limit: 9, used: 9 } },
            "■ budget_exceeded · The token budget of this session is spent: 9 of 9 tokens.",
        ),
    ] {
        let mut app = app();
        typed(&mut app, "do it");
        press(&mut app, KeyCode::Enter);
        start(&mut app);
        end(&mut app, reason);
        assert_eq!(app.composer.text(), "do it");
        let rows = screen(&mut app, 80, 24).join("\n");
        assert!(rows.contains(told), "{rows}");
    }
}

#[test]
fn a_prompt_that_could_not_be_given_to_the_engine_is_not_lost() {
    let mut app = app();
    typed(&mut app, "do it");
    press(&mut app, KeyCode::Enter);
    update(&mut app, Msg::NotSent("do it".into()));
    assert_eq!(app.composer.text(), "do it");
    assert!(!app.is_busy());
}

#[test]
fn esc_stops_from_the_moment_a_prompt_is_sent_and_a_second_one_again() {
    let mut app = app();
    assert_eq!(press(&mut app, KeyCode::Esc), [], "nothing runs");
    typed(&mut app, "go");
    press(&mut app, KeyCode::Enter);
    let stop = [Effect::Interrupt(AbortBy::User)];
    assert_eq!(press(&mut app, KeyCode::Esc), stop);
    start(&mut app);
    assert_eq!(ctrl(&mut app, 'c'), stop);
    assert!(screen(&mut app, 80, 24)[23].contains("stopping"));
    end(&mut app, abort_reason());
    assert!(!app.is_busy() && !app.stopping);
}

#[test]
fn ctrl_c_clears_then_quits_and_nothing_cleared_is_lost() {
    let mut app = app();
    typed(&mut app, "text");
    assert_eq!(ctrl(&mut app, 'c'), []);
    assert!(app.composer.is_empty());
    press(&mut app, KeyCode::Up);
    assert_eq!(app.composer.text(), "text");
    ctrl(&mut app, 'c');
    assert_eq!(ctrl(&mut app, 'c'), []);
    assert_eq!(ctrl(&mut app, 'c'), [Effect::Quit]);
}

#[test]
fn a_second_ctrl_c_that_comes_late_does_not_quit() {
    let mut app = app();
    assert_eq!(ctrl(&mut app, 'c'), []);
    wait(&mut app, 2_001);
    assert_eq!(ctrl(&mut app, 'c'), []);
    typed(&mut app, "x");
    press(&mut app, KeyCode::Backspace);
    assert_eq!(ctrl(&mut app, 'c'), [], "a key in between begins anew");
}

#[test]
fn text_after_a_call_does_not_open_a_second_block() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "read_file".into() });
    tell(&mut app, StreamEvent::TextDelta { text: "and more".into() });
    let call =
        ToolCall { id: CallId("a".into()), name: "read_file".into(), arguments: "{}".into() };
    let batch = Batch { calls: vec![call.id.clone()], concurrent: true };
    tell(&mut app, StreamEvent::BatchesPlanned { calls: vec![call], batches: vec![batch] });
    let rows = screen(&mut app, 80, 24).join("\n");
    assert_eq!(rows.matches("iteration 1   ").count(), 1, "{rows}");
    assert!(!rows.contains("is being written"), "{rows}");
}

#[test]
fn what_was_typed_and_not_sent_is_said_on_the_way_out() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "queued");
    press(&mut app, KeyCode::Enter);
    typed(&mut app, "draft");
    assert!(app.farewell(80).ends_with(&["not sent: queued".into(), "not sent: draft".into()]));
}

#[test]
fn calls_that_were_only_announced_are_cut_off_by_the_end() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "write_file".into() });
    assert!(screen(&mut app, 80, 24).join("\n").contains("is being written"));
    end(&mut app, abort_reason());
    assert!(screen(&mut app, 80, 24).join("\n").contains("cut off, has no result"));
}

#[test]
fn small_screens_keep_the_words_the_box_and_the_status() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: "hello".into() });
    for (width, height) in [(40, 10), (20, 5), (80, 24), (200, 50)] {
        let rows = screen(&mut app, width, height);
        assert!(rows.join("\n").contains("hello"), "{width}x{height}: {rows:?}");
        let last = &rows[usize::from(height) - 1];
        assert!(width < 40 || last.contains("answering"), "{rows:?}");
        assert!(last.contains("Esc stops"), "{rows:?}");
    }
}

#[test]
fn a_short_thought_is_shown_and_a_long_one_folded_once_it_is_over() {
    for (thought, shown) in [
        ("I look at the folder.", "∴ I look at the folder."),
        ("One.\nTwo.", "∴ thought, 2 words (Ctrl-O shows them)"),
    ] {
        let mut app = app();
        start(&mut app);
        tell(&mut app, StreamEvent::ReasoningDelta { text: thought.into() });
        end(&mut app, ExitReason::EndTurn);
        let rows = screen(&mut app, 80, 24);
        assert!(rows.iter().any(|row| row.trim() == shown), "{rows:?}");
    }
}
