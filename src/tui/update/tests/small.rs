//! The smallest screen: no word for a key is cut there.

use super::*;

/// Draws forty columns and ten rows; the words for keys stand whole.
#[track_caller]
fn check(app: &mut App, state: &str) {
    let rows = screen(app, 40, 10);
    assert!(!rows[9].contains('…'), "{state}: {rows:#?}");
}

#[test]
fn what_the_status_line_says_of_keys_is_not_cut_while_nothing_runs() {
    let mut app = app();
    check(&mut app, "idle");
    typed(&mut app, "hello");
    check(&mut app, "typing");
    ctrl(&mut app, 'c');
    check(&mut app, "cleared");
    wait(&mut app, 5_000);
    ctrl(&mut app, 'r');
    check(&mut app, "history");
    press(&mut app, KeyCode::Esc);
    for (text, state) in [("!ls", "shell"), ("/th", "commands"), ("@a", "files")] {
        typed(&mut app, text);
        check(&mut app, state);
        app.composer.take();
    }
    for command in ["/theme", "/jobs", "/help", "/model"] {
        typed(&mut app, command);
        press(&mut app, KeyCode::Enter);
        check(&mut app, command);
        press(&mut app, KeyCode::Esc);
    }
}

#[test]
fn what_the_status_line_says_of_keys_is_not_cut_while_a_call_runs() {
    let mut app = app();
    start(&mut app);
    check(&mut app, "busy");
    let id = CallId("a".into());
    let call = ToolCall { id: id.clone(), name: "run_command".into(), arguments: "{}".into() };
    let batch = Batch { calls: vec![id.clone()], concurrent: true };
    tell(&mut app, StreamEvent::BatchesPlanned { calls: vec![call], batches: vec![batch] });
    tell(&mut app, StreamEvent::ToolStarted { call_id: id });
    for (key, state) in [
        (KeyCode::Tab, "selected"),
        (KeyCode::Char('/'), "search begun"),
        (KeyCode::Char('r'), "search typed"),
        (KeyCode::Enter, "search over"),
        (KeyCode::Esc, "selected again"),
        (KeyCode::Enter, "opened"),
        (KeyCode::Char('/'), "search in a call"),
        (KeyCode::Esc, "opened again"),
        (KeyCode::Esc, "closed"),
        (KeyCode::Esc, "left"),
    ] {
        press(&mut app, key);
        check(&mut app, state);
    }
    ctrl(&mut app, 't');
    check(&mut app, "time line");
    press(&mut app, KeyCode::Esc);
    typed(&mut app, "next");
    press(&mut app, KeyCode::Enter);
    let rows = screen(&mut app, 40, 10);
    assert!(rows.iter().any(|row| row == " ⋯ next  (queued; Up, Ctrl-X)"), "{rows:#?}");
    press(&mut app, KeyCode::Esc);
    check(&mut app, "stopping");
}

#[test]
fn an_ended_search_says_how_it_goes_on() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: "needle".into() });
    end(&mut app, ExitReason::EndTurn);
    app.searched.typed = "needle".into();
    crate::tui::update::find::next_hit(&mut app, true);
    let last = screen(&mut app, 40, 10)[9].clone();
    assert!(last.contains("find: needle") && last.contains("1 of 1 · Esc closes"), "{last}");
}
