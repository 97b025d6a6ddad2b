//! The input box: what is steered, queued, run, searched and named.

mod search;

use super::*;
use crate::tui::effect::Editing;

fn alt(app: &mut App, code: KeyCode) -> Vec<Effect> {
    update(app, Msg::Key(KeyEvent::new(code, KeyModifiers::ALT)))
}

fn steer_of(text: &str) -> Vec<Effect> {
    vec![Effect::Send(Op::Steer { text: text.into() })]
}

fn shows(app: &mut App, words: &str) -> bool {
    screen(app, 80, 24).iter().any(|row| row.contains(words))
}

#[test]
fn what_is_steered_is_shown_as_said_once_the_turn_heard_it() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "not that file");
    assert_eq!(ctrl(&mut app, 's'), steer_of("not that file"));
    assert!(app.composer.is_empty());
    assert!(shows(&mut app, "⋯ not that file  (goes with the next request)"));
    tell(&mut app, StreamEvent::Steered { text: "not that file".into() });
    assert!(!shows(&mut app, "⋯") && shows(&mut app, "› not that file"));
    assert_eq!(end(&mut app, ExitReason::EndTurn), []);
}

#[test]
fn what_the_turn_did_not_hear_is_the_next_prompt_before_what_was_queued() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "queued");
    press(&mut app, KeyCode::Enter);
    typed(&mut app, "steered");
    ctrl(&mut app, 's');
    assert_eq!(end(&mut app, ExitReason::EndTurn), submit_of("steered"));
    start(&mut app);
    assert_eq!(end(&mut app, ExitReason::EndTurn), submit_of("queued"));
}

#[test]
fn what_the_turn_did_not_hear_comes_back_after_an_abort() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "steered");
    ctrl(&mut app, 's');
    assert_eq!(end(&mut app, abort_reason()), []);
    assert_eq!(app.composer.text(), "steered");
}

#[test]
fn an_engine_that_takes_no_word_gives_it_back() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "steered");
    ctrl(&mut app, 's');
    update(&mut app, Msg::NotSent("steered".into()));
    assert_eq!(app.composer.text(), "steered");
    assert!(app.steered.is_empty());
}

#[test]
fn on_an_empty_prompt_ctrl_s_steers_what_was_queued_last_and_while_idle_it_sends() {
    let mut app = app();
    typed(&mut app, "go");
    assert_eq!(ctrl(&mut app, 's'), submit_of("go"));
    start(&mut app);
    assert_eq!(ctrl(&mut app, 's'), []);
    typed(&mut app, "later");
    press(&mut app, KeyCode::Enter);
    assert_eq!(ctrl(&mut app, 's'), steer_of("later"));
    assert!(app.queued.is_empty());
}

#[test]
fn one_queued_prompt_can_be_removed_and_is_not_lost() {
    let mut app = app();
    start(&mut app);
    for text in ["one", "two"] {
        typed(&mut app, text);
        press(&mut app, KeyCode::Enter);
    }
    ctrl(&mut app, 'x');
    assert_eq!(app.queued, ["one"]);
    app.queued.clear();
    press(&mut app, KeyCode::Up);
    assert_eq!(app.composer.text(), "two");
}

#[test]
fn an_exclamation_mark_runs_a_command_and_a_blank_before_it_says_it() {
    let mut app = app();
    typed(&mut app, "!ls -l");
    let run = vec![Effect::Send(Op::RunCommand { command: "ls -l".into() })];
    assert_eq!(press(&mut app, KeyCode::Enter), run);
    start(&mut app);
    typed(&mut app, "!pwd");
    assert_eq!(press(&mut app, KeyCode::Enter), [], "it waits");
    let run = vec![Effect::Send(Op::RunCommand { command: "pwd".into() })];
    assert_eq!(end(&mut app, ExitReason::EndTurn), run);
    app.sent = None;
    typed(&mut app, " !important");
    assert_eq!(press(&mut app, KeyCode::Enter), submit_of(" !important"));
    app.sent = None;
    typed(&mut app, "!");
    assert_eq!(press(&mut app, KeyCode::Enter), [], "a command is missing");
    assert_eq!(app.composer.text(), "!");
}

#[test]
fn what_nobody_saw_begin_like_a_command_is_a_message() {
    let mut app = app();
    let pasted = "!rm -rf x\n".repeat(9);
    update(&mut app, Msg::Paste(pasted.clone()));
    assert_eq!(press(&mut app, KeyCode::Enter), submit_of(&format!(" {pasted}")));
    app.sent = None;
    assert_eq!(begin(&mut app, "!rm x"), submit_of(" !rm x"));
}

#[test]
fn naming_a_file_lists_them_once_and_enter_takes_one() {
    let mut app = app();
    typed(&mut app, "see ");
    assert_eq!(press(&mut app, KeyCode::Char('@')), [Effect::ListFiles]);
    assert!(shows(&mut app, "looking for files"));
    assert_eq!(press(&mut app, KeyCode::Char('l')), []);
    let paths = ["src/lib.rs", "my notes.md", "lonely"].map(str::to_owned).to_vec();
    update(&mut app, Msg::Files(paths));
    typed(&mut app, "ib");
    assert!(shows(&mut app, "▸ src/lib.rs"));
    assert_eq!(press(&mut app, KeyCode::Enter), [], "taken, not sent");
    assert_eq!(app.composer.text(), "see @src/lib.rs ");
    typed(&mut app, "@not");
    press(&mut app, KeyCode::Tab);
    assert_eq!(app.composer.text(), "see @src/lib.rs @\"my notes.md\" ");
}

#[test]
fn the_list_of_files_closes_and_moves_and_leaves_other_keys_alone() {
    let mut app = app();
    start(&mut app);
    press(&mut app, KeyCode::Char('@'));
    update(&mut app, Msg::Files(vec!["a".into(), "b".into()]));
    press(&mut app, KeyCode::Down);
    assert!(shows(&mut app, "▸ b"));
    assert_eq!(press(&mut app, KeyCode::Esc), [], "the list closes, the turn goes on");
    assert!(!shows(&mut app, "▸ b") && !app.stopping);
    press(&mut app, KeyCode::Enter);
    assert_eq!(app.queued, ["@"]);
}

#[test]
fn a_hundred_thousand_files_are_looked_through_for_each_key() {
    let mut app = app();
    press(&mut app, KeyCode::Char('@'));
    let paths = (0..100_000).map(|n| format!("src/module_{}/file_{n}.rs", n % 100)).collect();
    update(&mut app, Msg::Files(paths));
    typed(&mut app, "file_99999");
    assert!(shows(&mut app, "▸ src/module_99/file_99999.rs"));
}

#[test]
fn the_editor_gets_the_whole_text_and_what_it_wrote_comes_back() {
    let mut app = app();
    let pasted = "line\n".repeat(9);
    update(&mut app, Msg::Paste(pasted.clone()));
    let editing = Editing { whose: Whose::Prompt, file_name: "prompt.md".into(), text: pasted };
    assert_eq!(ctrl(&mut app, 'g'), [Effect::Edit(editing)]);
    update(&mut app, Msg::Edited(Whose::Prompt, Ok("other\u{1b}[31m text\n".into())));
    assert_eq!(app.composer.text(), "other text");
    update(&mut app, Msg::Edited(Whose::Prompt, Err("The editor failed.".into())));
    assert_eq!(app.composer.text(), "other text");
    assert!(shows(&mut app, "The editor failed."));
}

#[test]
fn a_folded_paste_is_shown_with_a_key() {
    let mut app = app();
    update(&mut app, Msg::Paste("1\n2\n3\n4".into()));
    assert!(shows(&mut app, "[pasted 4 lines]"));
    alt(&mut app, KeyCode::Char('p'));
    assert!(!shows(&mut app, "[pasted") && app.composer.text() == "1\n2\n3\n4");
    alt(&mut app, KeyCode::Char('p'));
    assert!(shows(&mut app, "there is no folded paste"));
}

#[test]
fn undo_and_redo_have_keys() {
    let mut app = app();
    update(&mut app, Msg::Paste("text".into()));
    ctrl(&mut app, '7');
    assert!(app.composer.is_empty());
    alt(&mut app, KeyCode::Char('_'));
    assert_eq!(app.composer.text(), "text");
}

#[test]
fn a_backslash_before_enter_breaks_the_line() {
    let mut app = app();
    typed(&mut app, "one\\");
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    typed(&mut app, "two");
    assert_eq!(press(&mut app, KeyCode::Enter), submit_of("one\ntwo"));
}

#[test]
fn only_what_was_sent_is_kept_beyond_the_end() {
    let mut app = app();
    typed(&mut app, "cleared");
    ctrl(&mut app, 'c');
    typed(&mut app, "sent");
    press(&mut app, KeyCode::Enter);
    assert_eq!(app.composer.history().take_unsaved(), ["sent"]);
}

#[test]
fn esc_closes_what_lies_on_top_and_nothing_else() {
    let mut app = app();
    app.composer.history().remember("earlier");
    start(&mut app);
    typed(&mut app, "/mo");
    ctrl(&mut app, 'r');
    assert!(shows(&mut app, "history:") && !shows(&mut app, "▸ /model"));
    ctrl(&mut app, 't');
    press(&mut app, KeyCode::Esc);
    assert!(shows(&mut app, "history:"), "the time line was on top");
    press(&mut app, KeyCode::Esc);
    assert!(!shows(&mut app, "history:") && shows(&mut app, "▸ /model"));
    ctrl(&mut app, 'f');
    press(&mut app, KeyCode::Esc);
    assert!(app.search.is_none() && shows(&mut app, "▸ /model"));
    press(&mut app, KeyCode::Esc);
    assert!(!shows(&mut app, "▸ /model"));
    assert_eq!((app.composer.text().as_str(), app.stopping), ("/mo", false));
    assert_eq!(press(&mut app, KeyCode::Esc), [Effect::Interrupt(AbortBy::User)]);
}

#[test]
fn what_is_steered_does_not_split_the_turn() {
    let mut app = app();
    start(&mut app);
    let call = ToolCall {
        id: CallId("c1".into()),
        name: "read_file".into(),
        arguments: r#"{"path": "a.rs"}"#.into(),
    };
    let batch = Batch { calls: vec![call.id.clone()], concurrent: false };
    tell(&mut app, StreamEvent::BatchesPlanned { calls: vec![call], batches: vec![batch] });
    tell(&mut app, StreamEvent::IterationStarted { iteration: 2, max: 20 });
    tell(&mut app, StreamEvent::Steered { text: "not that file".into() });
    ctrl(&mut app, 't');
    assert!(shows(&mut app, "read_file  a.rs"), "the call before it is in the time line");
}

/// A prompt with the caret in its middle, something to undo and to redo, and something deleted.
fn edited() -> App {
    let mut app = app();
    app.composer.paste("one two\n\nthree four five six");
    state(&mut app);
    for _ in "five six".chars() {
        press(&mut app, KeyCode::Left);
    }
    ctrl(&mut app, 'w');
    typed(&mut app, "x");
    app.composer.undo();
    assert_eq!(app.composer.text(), "one two\n\nthree five six");
    app
}

/// Text and screen with the caret.
fn state(app: &mut App) -> (String, String) {
    let mut terminal = Terminal::new(TestBackend::new(60, 24)).unwrap();
    terminal.draw(|frame| view(app, frame)).unwrap();
    let caret = terminal.get_cursor_position().unwrap();
    (app.composer.text(), format!("{caret}"))
}

#[test]
fn the_help_lists_every_key_that_does_something_in_the_prompt() {
    let mut help = app();
    press(&mut help, KeyCode::Char('?'));
    let help = screen(&mut help, 300, 200).join("\n");
    let before = state(&mut edited());
    let letters = ('a'..='z').chain("0123456789<>[]{}()/\\_-=+.,;:'@#!".chars());
    let modified = letters.flat_map(|c| {
        let shown = c.to_ascii_uppercase();
        [
            (KeyModifiers::CONTROL, KeyCode::Char(c), format!("Ctrl-{shown}")),
            (KeyModifiers::ALT, KeyCode::Char(c), format!("Alt-{shown}")),
        ]
    });
    let named = [
        (KeyCode::Left, "Left"),
        (KeyCode::Right, "Right"),
        (KeyCode::Up, "Up"),
        (KeyCode::Down, "Down"),
        (KeyCode::Home, "Home"),
        (KeyCode::End, "End"),
        (KeyCode::Backspace, "Backspace"),
        (KeyCode::Delete, "Delete"),
    ];
    let named = named.into_iter().flat_map(|(code, name)| {
        [
            (KeyModifiers::NONE, code, name.to_owned()),
            (KeyModifiers::CONTROL, code, format!("Ctrl-{name}")),
            (KeyModifiers::ALT, code, format!("Alt-{name}")),
        ]
    });
    // Other spellings of a key that is listed, as terminals send it.
    let same = ["Ctrl-5", "Ctrl-6", "Ctrl-7", "Ctrl-/", "Ctrl--", "Ctrl-M", "Alt-Home", "Alt-End"];
    let mut active = 0;
    for (modifiers, code, label) in modified.chain(named) {
        let mut app = edited();
        let effects = update(&mut app, Msg::Key(KeyEvent::new(code, modifiers)));
        let is_active = state(&mut app) != before || !effects.is_empty() || app.recall.is_some();
        active += usize::from(is_active);
        let is_told = help.contains(&label) || same.contains(&label.as_str());
        assert!(!is_active || is_told, "{label} does something and is not told:\n{help}");
    }
    assert!(active > 30, "{active}");
}

#[test]
fn moving_and_deleting_by_words_can_be_bound_to_other_keys() {
    let mut app = app();
    let bound = [("f7", "input-word-back"), ("f8", "input-delete-word"), ("f9", "input-put-back")];
    let choices = bound.map(|(key, action)| crate::config::KeyChoice {
        key: key.into(),
        action: action.into(),
        path: "config.toml".into(),
        line: None,
    });
    app.keys = crate::tui::Keys::with(&choices).unwrap();
    typed(&mut app, "one two");
    press(&mut app, KeyCode::F(7));
    press(&mut app, KeyCode::F(8));
    assert_eq!(app.composer.text(), "two");
    press(&mut app, KeyCode::F(9));
    assert_eq!(app.composer.text(), "one two");
}
