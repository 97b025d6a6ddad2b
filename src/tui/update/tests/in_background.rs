//! Commands in the background on the screen: what is seen of them, and the key that ends one.

use super::*;
use crate::protocol::background::{BackgroundCommand, BackgroundState};

fn command(id: &str, state: BackgroundState) -> StreamEvent {
    let background = BackgroundCommand {
        id: id.into(),
        command: "npm run dev".into(),
        state,
        elapsed_ms: 12_000,
        last_line: "listening".into(),
    };
    StreamEvent::BackgroundChanged { background }
}

fn ended(by_itself: bool) -> BackgroundState {
    let how = "stopped by the user".into();
    BackgroundState::Ended { status: ToolStatus::Cancelled, how, by_itself }
}

fn screen(app: &mut App, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view(app, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    (0..height).map(|y| row(y) + "\n").collect()
}

#[test]
fn what_runs_stands_above_the_prompt_also_between_turns_and_nothing_moves_for_it() {
    let mut app = app();
    tell(&mut app, command("b1", BackgroundState::Running));
    let line = " ○ 1 in the background (/jobs): b1 npm run dev";
    for size in [(80, 24), (50, 10)] {
        assert!(screen(&mut app, size).contains(line), "{}", screen(&mut app, size));
    }
    assert_eq!(app.beat(), None);
    tell(&mut app, command("b1", ended(true)));
    assert!(!screen(&mut app, (80, 24)).contains("in the background"));
}

#[test]
fn x_ends_the_marked_one_and_esc_closes_the_list_without_ending_any() {
    let mut app = app();
    for id in ["b1", "b2"] {
        tell(&mut app, command(id, BackgroundState::Running));
    }
    typed(&mut app, "/jobs");
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    let shown = screen(&mut app, (80, 24));
    assert!(shown.contains(" ▸ b1 npm run dev  12.0 s") && shown.contains("     listening"));
    assert!(shown.contains("x ends it · Esc closes"), "{shown}");
    assert!(app.beat().is_some(), "the time is seen to go on");
    assert_eq!(press(&mut app, KeyCode::Enter), [], "that could be meant for the prompt");
    press(&mut app, KeyCode::Down);
    let end = Effect::Send(Op::EndBackground { id: "b2".into() });
    assert_eq!(press(&mut app, KeyCode::Char('x')), [end]);
    assert!(screen(&mut app, (80, 24)).contains("b2 npm run dev  12.0 s, ending"));
    tell(&mut app, command("b2", ended(false)));
    assert!(screen(&mut app, (80, 24)).contains("b2 has ended: stopped by the user"));
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    let shown = screen(&mut app, (80, 24));
    assert!(shown.contains("1 in the background (/jobs): b1"), "{shown}");
    assert_eq!(app.composer.text(), "", "no key of the list is typed");
}

#[test]
fn the_question_says_that_a_command_is_to_run_on() {
    for (cwd, background, words) in [
        (".", false, "May it run this command?"),
        (".", true, "May it run this command in the background?"),
        ("sub", false, "May it run this in sub?"),
        ("sub", true, "May it run this in the background in sub?"),
    ] {
        let mut app = app();
        start(&mut app);
        let command = "npm run dev".into();
        let preview = Preview::Command { command, cwd: cwd.into(), background };
        let (call_id, tool) = (CallId("a".into()), "run_command".into());
        let question = Question { call_id, tool, preview, session_grant: "it".into() };
        tell(&mut app, StreamEvent::QuestionAsked { question });
        assert!(screen(&mut app, (80, 24)).contains(words), "{words}");
    }
}

/// A question that waits beneath the list.
fn asked_beneath() -> App {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 1_000);
    app.in_background.open();
    app
}

#[test]
fn who_types_beneath_the_list_is_done_with_it_and_loses_no_letter() {
    let mut app = app();
    app.in_background.open();
    typed(&mut app, "hello");
    assert_eq!(app.composer.text(), "hello");
    assert!(!app.in_background.is_open());
    let mut app = asked_beneath();
    typed(&mut app, "yes");
    assert_eq!(app.composer.text(), "yes", "it answered no question");
}
