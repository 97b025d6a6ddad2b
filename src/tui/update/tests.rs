//! What keys and events do to the state, and that drawing stands any of it at any size.

mod asked;
mod burst;
mod calls;
mod find;
mod in_background;
mod input;
mod model;
mod motions;
mod review;
mod seen;
mod small;
mod theme;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::{Terminal, backend::TestBackend};

use super::*;
use crate::{
    protocol::{
        about::About,
        budget::{Budget, Spent},
        cost::Usd,
        event::StreamEvent,
        exit::{AbortDuring, ErrorKind, ExitReason},
        id::{CallId, TurnId},
        question::{Decision, Preview, Question},
        tool::{Batch, ToolCall, ToolResult, ToolStatus, WholeOutput},
        usage::TokenUsage,
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
fn a_question_is_deaf_until_no_key_came_for_300_ms() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 200);
    typed(&mut app, "y");
    wait(&mut app, 200);
    typed(&mut app, "n");
    assert_eq!(app.composer.text(), "yn", "meant for the prompt");
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('y')), [], "a draft keeps the keys");
    assert_eq!(app.composer.text(), "yny");
    assert_eq!(press(&mut app, KeyCode::Tab), []);
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
    assert_eq!(app.composer.text(), "yny");
}

#[test]
fn whoever_types_words_at_a_question_answers_nothing() {
    for words in ["please y", "don't", "show me first", "be careful and a"] {
        let mut app = app();
        start(&mut app);
        tell(&mut app, question("a"));
        wait(&mut app, 1_000);
        for c in words.chars() {
            assert_eq!(press(&mut app, KeyCode::Char(c)), [], "{words}: {c}");
            wait(&mut app, 1_000);
        }
        assert_eq!(app.composer.text(), words);
    }
}

#[test]
fn a_question_behind_the_help_has_to_be_seen_before_it_takes_keys() {
    let mut app = app();
    start(&mut app);
    press(&mut app, KeyCode::Char('?'));
    tell(&mut app, question("c1"));
    wait(&mut app, 1_000);
    press(&mut app, KeyCode::Esc);
    wait(&mut app, 299);
    assert_eq!(press(&mut app, KeyCode::Char('y')), []);
    assert_eq!(app.composer.text(), "y");
    press(&mut app, KeyCode::Backspace);
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 300);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("c1", Decision::AllowOnce));
}

#[test]
fn a_long_question_is_read_by_pages_and_from_its_ends() {
    let mut app = app();
    start(&mut app);
    let command: Vec<String> = (1..=300).map(|line| format!("echo line-{line}-")).collect();
    let preview =
        Preview::Command { command: command.join("\n"), cwd: ".".into(), background: false };
    let StreamEvent::QuestionAsked { question } = question("c1") else { panic!() };
    tell(&mut app, StreamEvent::QuestionAsked { question: Question { preview, ..question } });
    screen(&mut app, 80, 24);
    wait(&mut app, 1_000);
    let seen = |app: &mut App| -> Vec<String> {
        let rows = screen(app, 80, 24).into_iter();
        rows.filter(|row| row.contains("echo line-")).map(|row| row.trim().to_owned()).collect()
    };
    let first = seen(&mut app);
    assert!(first.len() > 3 && first[0].ends_with("echo line-1-"), "{first:?}");
    press(&mut app, KeyCode::PageDown);
    assert_eq!(seen(&mut app).first(), first.last(), "the last row comes first");
    press(&mut app, KeyCode::End);
    assert!(seen(&mut app).last().unwrap().ends_with("echo line-300-"));
    press(&mut app, KeyCode::Home);
    assert_eq!(seen(&mut app), first);
}

#[test]
fn the_whole_session_is_opened_by_two_presses_only() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('a')), []);
    assert!(screen(&mut app, 100, 24).join("\n").contains("once more: exactly this command"));
    assert_eq!(press(&mut app, KeyCode::Char('a')), decide("a", Decision::AllowSession));
}

#[test]
fn a_small_screen_shows_what_is_decided_on_before_the_words_for_the_keys() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 301);
    for (width, height) in [(40, 10), (30, 8), (80, 24)] {
        let rows = screen(&mut app, width, height).join("\n");
        assert!(rows.contains("$ rm -rf build"), "{width}x{height}\n{rows}");
        assert!(rows.contains("y yes"), "{width}x{height}\n{rows}");
    }
}

#[test]
fn a_word_to_the_model_that_is_not_sent_is_not_lost() {
    let mut app = app();
    start(&mut app);
    for leave in [false, true] {
        tell(&mut app, question("a"));
        wait(&mut app, 301);
        press(&mut app, KeyCode::Char('t'));
        typed(&mut app, "use y");
        if leave {
            end(&mut app, abort_reason());
        } else {
            press(&mut app, KeyCode::Esc);
        }
        assert_eq!(app.composer.take(), "use y");
        tell(
            &mut app,
            StreamEvent::QuestionResolved { call_id: CallId("a".into()), decision: None },
        );
    }
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
fn questions_are_answered_in_order_and_the_next_one_arms_itself_first() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    tell(&mut app, question("b"));
    wait(&mut app, 1_000);
    press(&mut app, KeyCode::Char('a'));
    assert_eq!(press(&mut app, KeyCode::Char('a')), decide("a", Decision::AllowSession));
    assert_eq!(press(&mut app, KeyCode::Char('n')), []);
    app.composer.take();
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 301);
    let no = Decision::Deny { message: String::new() };
    assert_eq!(press(&mut app, KeyCode::Char('n')), decide("b", no));
}

#[test]
fn a_denial_can_carry_a_word_to_the_model() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 301);
    press(&mut app, KeyCode::Char('t'));
    typed(&mut app, "use y");
    let no = Decision::Deny { message: "use y".into() };
    assert_eq!(press(&mut app, KeyCode::Enter), decide("a", no));
}

#[test]
fn the_question_shows_the_whole_command_with_what_is_invisible() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    let rows = screen(&mut app, 80, 24).join("\n");
    assert!(rows.contains("$ rm -rf build<U+202E>"), "{rows}");
    assert!(rows.contains("exactly this command, this session"), "{rows}");
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
fn a_wait_is_counted_down_and_then_the_model_is_waited_for() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, retrying(2, 2_500));
    let waits = |seconds: u32| {
        format!(
            "network · retry 2 of 5 in {seconds} s · iteration 1/20 · qwen · Enter retries now · Esc stops"
        )
    };
    assert_eq!(status(&mut app), waits(3));
    assert!(app.moves(), "or nothing would count down");
    wait(&mut app, 500);
    assert_eq!(status(&mut app), waits(2));
    wait(&mut app, 1_999);
    assert_eq!(status(&mut app), waits(1));
    wait(&mut app, 1);
    let after = "waits for the model · retry 2 of 5 · iteration 1/20 · qwen · Esc stops";
    assert_eq!(status(&mut app), after);
    tell(&mut app, StreamEvent::TextDelta { text: "hello".into() });
    assert_eq!(status(&mut app), "answering · iteration 1/20 · qwen · Esc stops");
}

#[test]
fn enter_on_an_empty_prompt_ends_the_wait_and_text_is_queued_as_ever() {
    let mut app = app();
    start(&mut app);
    assert_eq!(press(&mut app, KeyCode::Enter), [], "nothing waits");
    tell(&mut app, retrying(1, 5_000));
    typed(&mut app, "r");
    assert!(status(&mut app).ends_with("in 5 s · iteration 1/20 · qwen · Esc stops"));
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    assert_eq!(app.queued, ["r"]);
    assert_eq!(press(&mut app, KeyCode::Enter), [Effect::Send(Op::RetryNow)]);
    assert_eq!(press(&mut app, KeyCode::Enter), [], "it waits no more");
    assert!(status(&mut app).starts_with("waits for the model · retry 1 of 5"));
}

#[test]
fn esc_during_a_wait_stops_and_nothing_is_counted_any_more() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, retrying(1, 5_000));
    assert_eq!(press(&mut app, KeyCode::Esc), [Effect::Interrupt(AbortBy::User)]);
    assert!(status(&mut app).starts_with("stopping · "));
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    end(&mut app, abort_reason());
    assert!(app.progress.retry.is_none());
}

#[test]
fn what_a_broken_answer_said_stays_with_a_word_that_it_does_not_count() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: "the first half".into() });
    tell(&mut app, StreamEvent::CallAnnounced { index: 0, name: "write_file".into() });
    tell(&mut app, retrying(1, 0));
    assert_eq!(app.last_words.answer, "");
    tell(&mut app, StreamEvent::TextDelta { text: "all of it".into() });
    end(&mut app, ExitReason::EndTurn);
    let rows = screen(&mut app, 100, 24).join("\n");
    let place = |words: &str| rows.find(words).unwrap_or_else(|| panic!("{words}: {rows}"));
    let places = [
        place("the first half"),
        place("cut off, has no result"),
        place("· the line is cut. What came of this answer is discarded"),
        place("all of it"),
    ];
    assert!(places.is_sorted(), "{rows}");
    assert_eq!(app.last_words.answer, "all of it");
}

#[test]
fn a_refusal_is_told_once_and_discards_nothing() {
    let mut app = app();
    start(&mut app);
    for attempt in 1..=3 {
        tell(&mut app, retrying(attempt, 0));
    }
    let rows = screen(&mut app, 100, 24).join("\n");
    assert_eq!(rows.matches("the line is cut").count(), 1, "{rows}");
    assert!(!rows.contains("discarded"), "{rows}");
}

fn usage_updated(n: u64) -> StreamEvent {
    StreamEvent::UsageUpdated {
        turn: TokenUsage::default(),
        context: n,
        estimated: n.is_multiple_of(2),
        cost_usd: Usd::new(1.0).filter(|_| n.is_multiple_of(3)),
        session: Spent {
            cost_usd: Usd::new(2.0).filter(|_| n.is_multiple_of(3)),
            estimated: n.is_multiple_of(5),
            budgets: vec![
                Budget::Tokens { limit: n, used: n / 2 },
                Budget::Time { limit_ms: n, used_ms: n },
            ],
        },
    }
}

fn any_event() -> impl Strategy<Value = StreamEvent> {
    let id = "[ab]".prop_map(CallId);
    let text = prop_oneof![".*", "\\PC{0,20}", Just("# h\n\n```rust\nfn x() {}\n".to_owned())];
    let status = prop_oneof![
        Just(ToolStatus::Ok),
        Just(ToolStatus::Error),
        Just(ToolStatus::Denied),
        Just(ToolStatus::Cancelled)
    ];
    prop_oneof![
        Just(StreamEvent::TurnStarted { turn: TurnId(1), prompt: "p".into() }),
        (0_u32..3).prop_map(|iteration| StreamEvent::IterationStarted { iteration, max: 20 }),
        text.clone().prop_map(|text| StreamEvent::TextDelta { text }),
        text.clone().prop_map(|text| StreamEvent::ReasoningDelta { text }),
        text.clone().prop_map(|name| StreamEvent::CallAnnounced { index: 0, name }),
        text.clone().prop_map(|arguments| {
            let call = |id: &str| ToolCall {
                id: CallId(id.into()),
                name: "x".into(),
                arguments: arguments.clone(),
            };
            let batch =
                Batch { calls: vec![CallId("a".into()), CallId("b".into())], concurrent: true };
            StreamEvent::BatchesPlanned { calls: vec![call("a"), call("b")], batches: vec![batch] }
        }),
        id.clone().prop_map(|id| question(&id.0)),
        id.clone().prop_map(|call_id| StreamEvent::QuestionResolved { call_id, decision: None }),
        id.clone().prop_map(|call_id| StreamEvent::ToolStarted { call_id }),
        (id.clone(), text.clone())
            .prop_map(|(call_id, text)| StreamEvent::ToolOutput { call_id, text }),
        (id, status, text.clone(), proptest::option::of(text)).prop_map(
            |(call_id, status, text, diff)| {
                // Anywhere: within a character, too.
                let text_bytes = text.len().div_ceil(2) as u64;
                let output =
                    WholeOutput { bytes: 9, lines: 1, text_bytes, file: None, untold: None };
                let whole = diff.is_none().then_some(output);
                let summary = text.clone();
                let result = ToolResult { call_id, status, text, summary, diff, whole };
                StreamEvent::ToolFinished { result, elapsed_ms: 7 }
            }
        ),
        (1_u32..6, any::<u64>()).prop_map(|(attempt, wait_ms)| retrying(attempt, wait_ms)),
        any::<bool>().prop_map(|choose| model::listed(&["m", "\u{1b}[31mn"], choose)),
        any::<u64>().prop_map(usage_updated),
        ".*".prop_map(|text| StreamEvent::Steered { text }),
        Just(StreamEvent::TurnEnded {
            turn: TurnId(1),
            reason: abort_reason(),
            iterations: 1,
            tools: 1,
            elapsed_ms: 1
        }),
    ]
}

fn any_msg() -> impl Strategy<Value = Msg> {
    let code = prop_oneof![
        any::<char>().prop_map(KeyCode::Char),
        "[a-zA-Z?/tr@!]".prop_map(|text| KeyCode::Char(text.chars().next().unwrap())),
        Just(KeyCode::Enter),
        Just(KeyCode::Esc),
        Just(KeyCode::Tab),
        Just(KeyCode::Up),
        Just(KeyCode::Down),
        Just(KeyCode::Backspace),
        Just(KeyCode::PageUp),
        Just(KeyCode::PageDown),
        Just(KeyCode::Home),
        Just(KeyCode::End),
    ];
    let modifiers = prop_oneof![
        Just(KeyModifiers::NONE),
        Just(KeyModifiers::CONTROL),
        Just(KeyModifiers::ALT),
        Just(KeyModifiers::SHIFT)
    ];
    prop_oneof![
        3 => (code, modifiers).prop_map(|(code, modifiers)| Msg::Key(KeyEvent::new(code, modifiers))),
        1 => ".*".prop_map(Msg::Paste),
        1 => ((-3_i64..3), (0_u16..90, 0_u16..40)).prop_map(|(steps, at)| Msg::Wheel(steps, at)),
        1 => prop::collection::vec("\\PC{0,9}", 0..9).prop_map(Msg::Files),
        1 => prop::collection::vec(".*", 0..9).prop_map(Msg::History),
        1 => ".*".prop_map(|text| Msg::Edited(Whose::Prompt, Ok(text))),
        1 => (0_u16..120, 0_u16..40).prop_map(|(column, row)| Msg::Click(column, row)),
        6 => any_event().prop_map(Msg::Stream),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn any_messages_at_any_size_are_drawn_and_nothing_harmful_is(
        msgs in prop::collection::vec((any_msg(), 0_u64..500), 0..40),
        width in 1_u16..120, height in 1_u16..40,
    ) {
        let mut app = app();
        for (msg, ms) in msgs {
            wait(&mut app, ms);
            let ends = matches!(msg, Msg::Stream(StreamEvent::TurnEnded { .. }));
            update(&mut app, msg);
            if ends {
                prop_assert!(app.turn.is_none() && app.questions.is_empty());
            }
            for row in screen(&mut app, width, height) {
                prop_assert!(!row.chars().any(char::is_control), "{row:?}");
            }
        }
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
