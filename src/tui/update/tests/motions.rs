//! The motions of vim on a selected call, and the search that begins there.

use super::*;

/// Two turns: the first with the calls a and b, the second with c.
fn two_turns() -> App {
    let mut app = app();
    for calls in [&["a", "b"][..], &["c"]] {
        start(&mut app);
        let call = |id: &&str| ToolCall {
            id: CallId((*id).into()),
            name: format!("tool_{id}"),
            arguments: "{}".into(),
        };
        let ids = calls.iter().map(|id| CallId((*id).into())).collect();
        let batches = vec![Batch { calls: ids, concurrent: true }];
        let planned =
            StreamEvent::BatchesPlanned { calls: calls.iter().map(call).collect(), batches };
        tell(&mut app, planned);
        for id in calls {
            tell(&mut app, StreamEvent::ToolStarted { call_id: CallId((*id).into()) });
            let text = format!("result of {id}");
            let result = ToolResult::new(CallId((*id).into()), ToolStatus::Ok, text, "done");
            tell(&mut app, StreamEvent::ToolFinished { result, elapsed_ms: 0 });
        }
        tell(&mut app, StreamEvent::TextDelta { text: "needle in an answer".into() });
        end(&mut app, ExitReason::EndTurn);
    }
    screen(&mut app, 80, 30);
    press(&mut app, KeyCode::Tab);
    assert_eq!(selected(&mut app), "tool_c");
    app
}

/// The call that has the sign of the selected one; empty if none has.
fn selected(app: &mut App) -> String {
    let rows = screen(app, 80, 30);
    let row = rows.iter().find(|row| row.starts_with(" ▸")).cloned().unwrap_or_default();
    row.split_whitespace().find(|word| word.starts_with("tool_")).unwrap_or_default().to_owned()
}

/// A letter after a while: it is not the rest of a word.
fn letter(app: &mut App, c: char) -> Vec<Effect> {
    wait(app, 1_000);
    press(app, KeyCode::Char(c))
}

#[test]
fn letters_lead_from_call_to_call_and_from_turn_to_turn() {
    let mut app = two_turns();
    let steps = [
        ('k', "tool_b"),
        ('j', "tool_c"),
        ('g', "tool_a"),
        ('G', "tool_c"),
        ('{', "tool_a"),
        ('{', "tool_a"),
        ('j', "tool_b"),
        ('{', "tool_a"),
        ('}', "tool_c"),
        ('}', "tool_c"),
    ];
    for (n, (c, call)) in steps.into_iter().enumerate() {
        assert_eq!(letter(&mut app, c), [], "step {n}");
        assert_eq!(selected(&mut app), call, "step {n}");
    }
    letter(&mut app, 'i');
    assert_eq!(selected(&mut app), "");
    assert!(app.composer.is_empty());
}

#[test]
fn h_folds_l_unfolds_and_y_copies_the_result() {
    let mut app = two_turns();
    letter(&mut app, 'l');
    assert!(screen(&mut app, 80, 30).iter().any(|row| row.contains("│ result of c")));
    letter(&mut app, 'h');
    assert!(!screen(&mut app, 80, 30).iter().any(|row| row.contains("│ result of c")));
    assert_eq!(letter(&mut app, 'y'), [Effect::Copy("result of c".into())]);
    assert_eq!(selected(&mut app), "tool_c");
}

#[test]
fn half_pages_scroll_the_transcript_beside_the_selected_call() {
    let mut app = two_turns();
    tell(&mut app, StreamEvent::TextDelta { text: "line\n\n".repeat(60) + "the end" });
    app.transcript.go_to_end();
    assert!(screen(&mut app, 80, 30).join("\n").contains("the end"));
    assert_eq!(ctrl(&mut app, 'u'), []);
    assert!(!screen(&mut app, 80, 30).join("\n").contains("the end"));
    assert_eq!(ctrl(&mut app, 'd'), [], "no end of the program");
    assert!(screen(&mut app, 80, 30).join("\n").contains("the end"));
    press(&mut app, KeyCode::Esc);
    assert_eq!(ctrl(&mut app, 'd'), [Effect::Quit]);
}

#[test]
fn a_search_from_a_call_takes_words_until_enter_and_n_leads_on() {
    let mut app = two_turns();
    let last = |app: &mut App| screen(app, 80, 30)[29].clone();
    letter(&mut app, 'n');
    assert!(last(&mut app).contains("nothing searched for yet"));
    letter(&mut app, '/');
    typed(&mut app, "needle");
    assert!(last(&mut app).contains("find: needle") && last(&mut app).contains("2 of 2"));
    press(&mut app, KeyCode::Enter);
    assert!(last(&mut app).contains("2 of 2"), "Enter ends the words and stays");
    letter(&mut app, 'N');
    assert!(last(&mut app).contains("1 of 2"));
    letter(&mut app, 'n');
    assert!(last(&mut app).contains("2 of 2") && last(&mut app).contains("find: needle"));
    letter(&mut app, 'k');
    assert_eq!(selected(&mut app), "tool_b", "motions go on as ever");
    letter(&mut app, 'j');
    assert!(last(&mut app).contains("find: needle "), "other letters are no words any more");
    press(&mut app, KeyCode::Esc);
    assert_eq!(selected(&mut app), "tool_c", "back where one was");
    letter(&mut app, 'n');
    assert!(last(&mut app).contains("find: needle"), "what was searched for last");
    letter(&mut app, '/');
    typed(&mut app, "answer");
    assert!(last(&mut app).contains("find: answer"), "{}", last(&mut app));
}

#[test]
fn the_word_of_somebody_who_begins_to_write_is_whole() {
    for word in ["hello", "yes", "go on", "look", "Now what"] {
        let mut app = two_turns();
        wait(&mut app, 5_000);
        letter(&mut app, 'k');
        wait(&mut app, 5_000);
        typed(&mut app, word);
        assert_eq!(app.composer.text(), word);
        assert_eq!(selected(&mut app), "");
    }
    for word in ["now what", "No", "what"] {
        let mut app = two_turns();
        letter(&mut app, '/');
        typed(&mut app, "needle");
        press(&mut app, KeyCode::Enter);
        wait(&mut app, 5_000);
        typed(&mut app, word);
        assert_eq!(app.composer.text(), word, "from the hits of a search");
        assert!(app.search.is_none() && selected(&mut app).is_empty());
    }
}

#[test]
fn i_leaves_the_hits_of_a_search_too() {
    let mut app = two_turns();
    letter(&mut app, '/');
    typed(&mut app, "needle");
    press(&mut app, KeyCode::Enter);
    letter(&mut app, 'i');
    assert!(app.search.is_none() && app.composer.is_empty() && selected(&mut app).is_empty());
}
