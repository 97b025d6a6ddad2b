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

/// The call or the words that have the sign of what is selected; empty if nothing has.
fn selected(app: &mut App) -> String {
    let rows = screen(app, 80, 30);
    if let Some(row) = rows.iter().find(|row| row.starts_with(" ▸")) {
        let mut words = row.split_whitespace();
        return words.find(|word| word.starts_with("tool_")).unwrap_or_default().to_owned();
    }
    let barred = rows.iter().filter_map(|row| row.trim_start().strip_prefix('▌'));
    barred.map(str::trim).collect::<Vec<_>>().join("\n")
}

/// A letter after a while: it is not the rest of a word.
fn letter(app: &mut App, c: char) -> Vec<Effect> {
    wait(app, 1_000);
    press(app, KeyCode::Char(c))
}

#[test]
fn letters_lead_over_all_that_was_said_to_calls_and_to_turns() {
    let mut app = two_turns();
    let (prompt, answer) = ("› go", "needle in an answer");
    let steps = [
        ('k', prompt),
        ('k', answer),
        ('k', "tool_b"),
        ('j', answer),
        (')', "tool_c"),
        (')', "tool_c"),
        ('(', "tool_b"),
        ('(', "tool_a"),
        ('(', "tool_a"),
        ('g', prompt),
        ('j', "tool_a"),
        ('G', answer),
        ('j', answer),
        ('{', prompt),
        ('j', "tool_c"),
        ('{', prompt),
        ('{', prompt),
        ('{', prompt),
        ('j', "tool_a"),
        ('}', prompt),
        ('j', "tool_c"),
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
fn to_the_last_item_shows_the_end_and_to_the_first_one_the_beginning() {
    let mut app = two_turns();
    let barred = |rows: &[String]| rows.iter().any(|row| row.contains('▌'));
    for _ in 0..2 {
        letter(&mut app, 'G');
        let rows = screen(&mut app, 80, 12);
        assert!(barred(&rows) && rows.iter().any(|row| row.contains("■ end_turn")), "{rows:#?}");
        assert!(!rows.iter().any(|row| row.contains("more below")), "{rows:#?}");
        letter(&mut app, 'g');
        let rows = screen(&mut app, 80, 12);
        assert!(barred(&rows) && rows[0].contains("› go"), "{rows:#?}");
    }
    // Of one that is higher than the screen it is the beginning that is seen.
    tell(
        &mut app,
        StreamEvent::TextDelta { text: "1. first\n".to_owned() + &"1. one\n".repeat(40) },
    );
    letter(&mut app, 'G');
    let rows = screen(&mut app, 80, 12);
    assert!(rows.iter().any(|row| row.starts_with(" ▌") && row.contains("first")), "{rows:#?}");
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
fn what_is_selected_stays_in_view_at_another_size() {
    let mut app = two_turns();
    letter(&mut app, 'G');
    tell(&mut app, StreamEvent::Notice { text: "line\n".repeat(18) });
    screen(&mut app, 80, 40);
    update(&mut app, Msg::Resize);
    let rows = screen(&mut app, 80, 14);
    assert!(rows.iter().any(|row| row.contains("▌ needle in an answer")), "{rows:#?}");
}

#[test]
fn one_call_unfolds_and_the_others_stay_folded() {
    let mut app = two_turns();
    letter(&mut app, '(');
    letter(&mut app, 'l');
    let unfolded = |app: &mut App| {
        let rows = screen(app, 80, 30);
        ["a", "b", "c"].map(|id| rows.iter().any(|row| row.contains(&format!("│ result of {id}"))))
    };
    assert_eq!(unfolded(&mut app), [false, true, false]);
    ctrl(&mut app, 'o');
    assert_eq!(unfolded(&mut app), [true, true, true], "for all alike");
    letter(&mut app, 'h');
    assert_eq!(unfolded(&mut app), [true, false, true]);
    ctrl(&mut app, 'o');
    assert_eq!(unfolded(&mut app), [false, false, false]);
}

/// What is copied, if anything is.
fn copied(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Copy(text)] => text,
        _ => "",
    }
}

#[test]
fn y_copies_the_block_c_the_code_in_it_and_capital_y_the_turn() {
    let mut app = app();
    start(&mut app);
    let text = "Two ways:\n\n1. Run\n   ```sh\n   ls\n   ```\n2. or\n   ```sh\n   \
                dir\n   ```\n\n```rust\nfn f() {\n    g();\n}\n```\n\nThat is **all**.";
    tell(&mut app, StreamEvent::TextDelta { text: text.into() });
    end(&mut app, ExitReason::EndTurn);
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: "Second.".into() });
    end(&mut app, ExitReason::EndTurn);
    press(&mut app, KeyCode::Tab);
    assert_eq!(selected(&mut app), "Second.", "without a call, what stands last");
    let second = letter(&mut app, 'Y');
    assert!(copied(&second).contains("Second.") && !copied(&second).contains("Two ways"));
    letter(&mut app, 'k');
    assert_eq!(copied(&letter(&mut app, 'y')), "go");
    letter(&mut app, 'k');
    assert_eq!(copied(&letter(&mut app, 'y')), "That is **all**.");
    assert_eq!(letter(&mut app, 'c'), [], "no code here");
    assert!(screen(&mut app, 80, 30)[29].contains("no code here"));
    letter(&mut app, 'k');
    for key in ['y', 'c'] {
        assert_eq!(copied(&letter(&mut app, key)), "fn f() {\n    g();\n}\n");
    }
    letter(&mut app, 'k');
    let keys = |app: &mut App| screen(app, 80, 30)[29].clone();
    wait(&mut app, 5_000);
    assert!(keys(&mut app).contains("y copies the list · c its code, one by one · Y the turn"));
    assert!(copied(&letter(&mut app, 'y')).starts_with("1. Run\n   ```sh\n   ls"));
    for code in ["ls\n", "dir\n", "ls\n"] {
        assert_eq!(copied(&letter(&mut app, 'c')), code);
    }
    let first = letter(&mut app, 'Y');
    assert!(copied(&first).contains("Two ways") && !copied(&first).contains("Second."));
    assert!(copied(&first).contains("end_turn"), "how it ended is told too");
    update(
        &mut app,
        Msg::Copied(crate::tui::clipboard::Copied {
            lines: 3,
            bytes: 20,
            terminal: true,
            program: Some("x"),
        }),
    );
    assert!(screen(&mut app, 80, 30)[29].contains("turn: copied 3 lines"));
}

#[test]
fn enter_unfolds_a_long_prompt_and_says_what_to_do_with_what_is_whole() {
    let mut app = app();
    let prompt = (1..=40).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
    tell(&mut app, StreamEvent::TurnStarted { turn: TurnId(1), prompt });
    tell(&mut app, StreamEvent::TextDelta { text: "Read.".into() });
    end(&mut app, ExitReason::EndTurn);
    assert!(screen(&mut app, 80, 30).join("\n").contains("30 more lines"));
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Enter);
    assert!(screen(&mut app, 80, 30)[29].contains("nothing is folded here"));
    press(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    let rows = screen(&mut app, 80, 30).join("\n");
    assert!(rows.contains("▌› line 1") && rows.contains("line 20"), "{rows}");
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
    assert_eq!(selected(&mut app), "needle in an answer", "where it has led is selected");
    letter(&mut app, '(');
    assert_eq!(selected(&mut app), "tool_c", "motions go on from there");
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
    for word in ["hello", "yes", "go on", "look", "Now what", "nice", "give"] {
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
