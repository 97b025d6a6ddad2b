//! An opened call: live, searched, closed, whole, and opened before its answer has ended.

use super::*;

#[test]
fn an_opened_call_is_live_and_takes_the_keys() {
    let mut app = working();
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    assert!(title(&mut app).contains("tool_b  b.txt"), "{}", title(&mut app));
    let call_id = CallId("b".into());
    tell(&mut app, StreamEvent::ToolOutput { call_id, text: "printed later\n".into() });
    assert!(screen(&mut app, 80, 24).contains(&" printed later".to_owned()));
    typed(&mut app, "hello?");
    assert!(app.composer.is_empty() && app.help.is_some(), "help opens here too");
    press(&mut app, KeyCode::Esc);
    assert!(app.calls.is_open() && app.help.is_none());
    assert_eq!(press(&mut app, KeyCode::Char('x')), stop_of("b"));
    assert!(screen(&mut app, 80, 24)[3].contains("stopping"));
    finish(&mut app, "b", "the result");
    assert!(screen(&mut app, 80, 24).contains(&" the result".to_owned()));
    assert_eq!(press(&mut app, KeyCode::Char('y')), [Effect::Copy("the result".into())]);
    let alt_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::ALT);
    assert_eq!(update(&mut app, Msg::Key(alt_c)), [Effect::Copy("the result".into())]);
    ctrl(&mut app, 't');
    assert!(app.calls.shows_timeline(), "the one instead of the other");
    ctrl(&mut app, 't');
    assert!(!app.calls.is_open());
    press(&mut app, KeyCode::Enter);
    press(&mut app, KeyCode::Char('q'));
    assert_eq!(selected(&mut app).as_deref(), Some("tool_b"), "back where one was");
}

#[test]
fn in_an_opened_call_esc_ends_the_search_before_it_closes() {
    let mut app = working();
    finish(&mut app, "a", "one\ntwo\none\n");
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    press(&mut app, KeyCode::Char('/'));
    typed(&mut app, "one");
    update(&mut app, Msg::Paste(String::new()));
    let rows = screen(&mut app, 80, 24);
    assert!(rows[22].contains("/ one") && rows[22].contains("1 of 2"), "{rows:#?}");
    for width in 24..80 {
        let rows = screen(&mut app, width, 10);
        assert!(rows[9].contains("Esc ends it"), "{width}: {rows:#?}");
    }
    press(&mut app, KeyCode::Enter);
    press(&mut app, KeyCode::Char('n'));
    assert!(screen(&mut app, 80, 24)[22].contains("2 of 2"));
    press(&mut app, KeyCode::Char('N'));
    assert!(screen(&mut app, 80, 24)[22].contains("1 of 2"));
    press(&mut app, KeyCode::Esc);
    assert!(title(&mut app).contains("tool_a"), "still open");
    press(&mut app, KeyCode::Esc);
    assert!(!title(&mut app).contains("tool_a"));
    assert_eq!(selected(&mut app).as_deref(), Some("tool_a"));
}

#[test]
fn ctrl_f_begins_the_search_in_an_open_call_and_x_is_then_a_letter() {
    let mut app = working();
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Enter);
    ctrl(&mut app, 'f');
    assert_eq!(press(&mut app, KeyCode::Char('x')), []);
    assert!(app.calls.view().is_some_and(|view| view.is_typing()));
    assert!(screen(&mut app, 80, 24).join("\n").contains("Enter searches"));
}

#[test]
fn no_search_opens_unseen_below_the_time_line() {
    for key in ['/', 'n', 'N'] {
        let mut app = working();
        ctrl(&mut app, 't');
        press(&mut app, KeyCode::Char(key));
        assert!(app.search.is_none());
        let rows = screen(&mut app, 80, 24);
        assert!(rows[23].contains("the time line has no search"), "{rows:#?}");
    }
}

#[test]
fn ctrl_c_closes_what_lies_on_top_and_then_counts_as_ever() {
    let opens: &[fn(&mut App)] = &[
        |app| drop(ctrl(app, 't')),
        |app| drop((press(app, KeyCode::Tab), press(app, KeyCode::Enter))),
        |app| drop(press(app, KeyCode::Char('?'))),
        |app| drop((typed(app, "/theme"), press(app, KeyCode::Enter))),
        |app| drop((typed(app, "/model"), press(app, KeyCode::Enter))),
        |app| drop((typed(app, "/jobs"), press(app, KeyCode::Enter))),
        |app| drop(ctrl(app, 'f')),
        |app| drop(ctrl(app, 'r')),
    ];
    for (n, open) in opens.iter().enumerate() {
        let mut app = working();
        end(&mut app, ExitReason::EndTurn);
        open(&mut app);
        let is_open = |app: &App| {
            let list = app.help.is_some() || app.has_list() || app.calls.is_open();
            list || app.search.is_some() || app.recall.is_some()
        };
        assert!(is_open(&app), "{n}");
        assert_eq!(ctrl(&mut app, 'c'), [], "{n}");
        assert!(!is_open(&app), "{n}");
        assert_eq!(ctrl(&mut app, 'c'), [], "{n}");
        assert_eq!(ctrl(&mut app, 'c'), [Effect::Quit], "{n}");
    }
}

#[test]
fn the_whole_output_of_an_open_call_is_asked_for_once_and_forgotten_when_it_closes() {
    let mut app = working();
    let file = WholeFile { path: "/s/out/1.txt".into(), from: 0, bytes: 9, cut: None };
    let output =
        WholeOutput { bytes: 9, lines: 2, text_bytes: 1, file: Some(file.clone()), untold: None };
    let call_id = CallId("b".into());
    let wish = [Effect::ReadOutput { call_id: call_id.clone(), file }];
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Up);
    assert_eq!(press(&mut app, KeyCode::Enter), [], "it still runs");
    let result = ToolResult::new(call_id.clone(), ToolStatus::Ok, "1\nexit 0", "done");
    let result = ToolResult { whole: Some(output), ..result };
    let finished = Msg::Stream(StreamEvent::ToolFinished { result, elapsed_ms: 0 });
    assert_eq!(update(&mut app, finished), wish);
    assert_eq!(press(&mut app, KeyCode::Home), [], "it was asked for");
    assert!(screen(&mut app, 80, 24).contains(&" reading the whole output ...".to_owned()));
    let mut gathering = Gathering::new();
    gathering.push(b"1\nwhole\n");
    let whole = Arc::new(gathering.finish(None, ""));
    let memory = Arc::downgrade(&whole);
    update(&mut app, Msg::OutputRead(call_id.clone(), Ok(whole)));
    assert!(screen(&mut app, 80, 24).contains(&" whole".to_owned()));
    assert_eq!(press(&mut app, KeyCode::Char('q')), []);
    assert!(memory.upgrade().is_none(), "nothing of it is held");
    assert_eq!(press(&mut app, KeyCode::Enter), wish, "opened again, it is read again");
    update(&mut app, Msg::OutputRead(call_id, Err("no such file".into())));
    let told = " The whole output cannot be shown: no such file.".to_owned();
    assert!(screen(&mut app, 80, 24).contains(&told));
}

fn early(id: &str, result: Option<ToolResult>) -> StreamEvent {
    let result = result.map(Box::new);
    let call = ToolCall {
        id: CallId(id.into()),
        name: format!("tool_{id}"),
        arguments: format!(r#"{{"path": "{id}.txt"}}"#),
    };
    StreamEvent::EarlyCallChanged { index: 0, call, result, elapsed_ms: 0 }
}

/// The answer streams still: call a runs, b is being written.
fn streaming() -> App {
    let mut app = app();
    start(&mut app);
    for (index, name) in ["tool_a", "tool_b"].into_iter().enumerate() {
        tell(&mut app, StreamEvent::CallAnnounced { index, name: name.into() });
    }
    tell(&mut app, early("a", None));
    app
}

#[test]
fn a_call_that_runs_early_is_opened_with_arguments_and_output_and_stopped() {
    let mut app = streaming();
    assert_eq!(app.progress.running, 1);
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    let call_id = CallId("a".into());
    tell(&mut app, StreamEvent::ToolOutput { call_id, text: "printed\n".into() });
    let rows = screen(&mut app, 80, 24).join("\n");
    for words in ["tool_a  a.txt", "running", "path", "printed", "x stops it"] {
        assert!(rows.contains(words), "{words}: {rows}");
    }
    assert_eq!(press(&mut app, KeyCode::Char('x')), stop_of("a"));
    let text = "printed\n(stopped by the user: only this call)";
    let result = ToolResult::new(CallId("a".into()), ToolStatus::Cancelled, text, "stopped");
    tell(&mut app, early("a", Some(result)));
    assert_eq!(app.progress.running, 0);
    let rows = screen(&mut app, 80, 24).join("\n");
    assert!(rows.contains("cancelled") && rows.contains("only this call"), "{rows}");
    press(&mut app, KeyCode::Esc);
    assert_eq!(press(&mut app, KeyCode::Char('x')), [], "it runs no more");
}

#[test]
fn a_call_that_is_open_before_it_runs_shows_its_arguments_once_they_are_known() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "tool_a".into() });
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Enter);
    assert!(!screen(&mut app, 80, 24).join("\n").contains("a.txt"));
    tell(&mut app, early("a", None));
    let rows = screen(&mut app, 80, 24).join("\n");
    assert!(rows.contains("Arguments") && rows.contains("path"), "{rows}");
}

#[test]
fn calls_that_ran_early_are_discarded_with_their_answer_and_the_next_one_has_its_own() {
    let mut app = streaming();
    tell(&mut app, retrying(1, 500));
    assert_eq!(app.progress.running, 0);
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "tool_c".into() });
    tell(&mut app, early("c", None));
    let rows = screen(&mut app, 80, 40);
    let row = |name: &str| rows.iter().find(|row| row.contains(name)).unwrap();
    assert!(row("tool_a").contains("discarded with the answer"), "{rows:#?}");
    assert!(row("tool_b").contains("cut off"), "{rows:#?}");
    assert!(row("tool_c").contains("c.txt") && row("tool_c").ends_with('s'), "{rows:#?}");
    end(&mut app, abort_reason());
    let rows = screen(&mut app, 80, 40).join("\n");
    assert_eq!(rows.matches("discarded with the answer").count(), 2, "{rows}");
}
