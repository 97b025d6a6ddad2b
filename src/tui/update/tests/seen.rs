//! What must be seen at every size, and what the status line says of a running answer.

use super::*;

#[test]
fn that_nothing_asks_and_that_no_model_answers_is_seen_at_every_size() {
    for (width, height) in [(40, 10), (40, 13), (40, 14), (30, 20), (80, 24), (200, 50)] {
        for folder in ["~", "/home/someone/code/customers/deep/down/in/a/tree/billing-api"] {
            let mut app = app();
            app.folder = folder.into();
            app.yolo = true;
            app.about.model = "demo".into();
            app.about.scripted = true;
            for busy in [false, true] {
                if busy {
                    start(&mut app);
                    wait(&mut app, 12_000);
                }
                for hint in [false, true] {
                    if hint {
                        app.say("a hint of some length that fills the whole of the status line");
                    }
                    let rows = screen(&mut app, width, height).join("\n");
                    assert!(rows.contains("yolo"), "{width}x{height}\n{rows}");
                    assert!(rows.contains("demo"), "{width}x{height}\n{rows}");
                    if busy {
                        assert!(rows.contains("Esc stops"), "{width}x{height}\n{rows}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_search_does_not_hide_that_nothing_asks() {
    let mut app = app();
    app.yolo = true;
    ctrl(&mut app, 'f');
    assert!(screen(&mut app, 40, 10)[9].ends_with(" yolo"));
}

#[test]
fn of_a_long_path_the_end_is_kept() {
    let mut app = app();
    app.folder = "~/code/customers/northwind/services/billing-api".into();
    app.yolo = true;
    let header = screen(&mut app, 80, 24)[0].clone();
    assert_eq!(
        header,
        " mcc-tui · …/services/billing-api · qwen @ localhost:1 · yolo: nothing asks"
    );
    let header = screen(&mut app, 200, 24)[0].clone();
    assert!(header.contains("~/code/customers/northwind/services/billing-api"), "{header}");
}

#[test]
fn thoughts_are_no_answer_and_a_silence_is_counted() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::ReasoningDelta { text: "hm".into() });
    assert!(status(&mut app).starts_with("thinking · "));
    tell(&mut app, StreamEvent::TextDelta { text: "so".into() });
    assert!(status(&mut app).starts_with("answering · "));
    wait(&mut app, 12_000);
    assert!(status(&mut app).starts_with("answering, nothing for 12 s · "));
    tell(&mut app, StreamEvent::TextDelta { text: "and".into() });
    assert!(status(&mut app).starts_with("answering · "));
}

#[test]
fn what_was_discarded_is_seen_to_be_so_and_folded() {
    let long = "one line of an answer\n\nand one more line";
    let mut app = app();
    start(&mut app);
    for attempt in 1..=6 {
        tell(&mut app, StreamEvent::TextDelta { text: long.into() });
        tell(&mut app, retrying(attempt, 0));
    }
    tell(&mut app, StreamEvent::TextDelta { text: long.into() });
    end(&mut app, ExitReason::EndTurn);
    let rows = screen(&mut app, 80, 50).join("\n");
    assert_eq!(rows.matches("one line of an answer").count(), 1, "{rows}");
    assert_eq!(rows.matches("× discarded, 9 words (Ctrl-O shows them)").count(), 6, "{rows}");
    ctrl(&mut app, 'o');
    let rows = screen(&mut app, 80, 60).join("\n");
    assert_eq!(rows.matches("× one line of an answer").count(), 6, "{rows}");
}

#[test]
fn the_calls_of_the_next_attempt_stand_below_the_word_that_the_last_one_broke_off() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "write_file".into() });
    tell(&mut app, retrying(1, 0));
    tell(&mut app, StreamEvent::TextDelta { text: "a text of its own".into() });
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "read_file".into() });
    let rows = screen(&mut app, 100, 24).join("\n");
    let place = |words: &str| rows.find(words).unwrap_or_else(|| panic!("{words}: {rows}"));
    let places = [
        place("write_file"),
        place("the line is cut"),
        place("a text of its own"),
        place("read_file"),
    ];
    assert!(places.is_sorted(), "{rows}");
}

#[test]
fn queued_prompts_that_have_no_row_are_counted() {
    let mut app = app();
    start(&mut app);
    for text in ["one", "two", "three"] {
        typed(&mut app, text);
        press(&mut app, KeyCode::Enter);
    }
    let rows = screen(&mut app, 40, 10).join("\n");
    assert!(rows.contains("⋯ three  +2 more"), "{rows}");
    assert!(!screen(&mut app, 80, 40).join("\n").contains("more"));
}

#[test]
fn an_empty_session_says_who_answers_and_where_to_find_more() {
    for (width, height) in [(40, 10), (80, 24)] {
        let mut app = app();
        let rows = screen(&mut app, width, height).join("\n");
        for words in ["qwen answers, at localhost:1.", "? shows", "/model", "no sandbox"] {
            assert!(rows.contains(words), "{words}\n{rows}");
        }
        start(&mut app);
        assert!(!screen(&mut app, width, height).join("\n").contains("answers, at"));
    }
}

#[test]
fn a_new_session_is_begun_by_a_command_but_not_beneath_a_running_turn() {
    let mut app = app();
    typed(&mut app, "/new");
    assert_eq!(press(&mut app, KeyCode::Enter), [Effect::Send(Op::NewSession)]);
    start(&mut app);
    typed(&mut app, "/new");
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    assert!(screen(&mut app, 40, 10)[8].contains("a turn runs: Esc stops it, then /new"));
}

#[test]
fn the_time_of_a_turn_says_how_much_of_it_the_user_took() {
    let mut app = app();
    start(&mut app);
    for _ in 0..2 {
        tell(&mut app, question("a"));
        wait(&mut app, 1_000);
        press(&mut app, KeyCode::Char('y'));
        wait(&mut app, 500);
    }
    end(&mut app, ExitReason::EndTurn);
    let rows = screen(&mut app, 100, 24).join("\n");
    assert!(rows.contains("0 tools, 4.10 s, 2.00 s of it waiting for you"), "{rows}");
}

#[test]
fn blanks_that_were_discarded_are_no_word() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: "Working.".into() });
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "write_file".into() });
    tell(&mut app, StreamEvent::TextDelta { text: "\n ".into() });
    tell(&mut app, retrying(1, 0));
    let rows = screen(&mut app, 80, 24).join("\n");
    assert_eq!(rows.matches("× discarded").count(), 1, "{rows}");
    assert!(rows.contains("× discarded: Working."), "{rows}");
}
