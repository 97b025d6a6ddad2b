//! Every cell and every overlay at 40, 80 and 200 columns, as snapshots: a change of the screen is
//! seen in review as what it is.

mod overlays;

use std::fmt::Write as _;

use crossterm::event::{KeyCode, KeyModifiers};

use super::*;
use crate::{
    protocol::{
        background::{BackgroundCommand, BackgroundState},
        budget::{Budget, Spent},
        cost::Usd,
        exit::{AbortBy, AbortDuring, ErrorKind, ExitReason},
        id::{CallId, TurnId},
        models::{Listing, ServerModels},
        question::{Fate, FileChange, Preview, Question, Texts},
        tool::{Batch, ToolCall, ToolResult, ToolStatus},
        usage::TokenUsage,
    },
    text::hunks,
};

/// A scene at all three widths, without the blank ends of rows.
fn seen(name: &str, play: impl Fn(&mut Stage)) {
    let mut pictures = String::new();
    for size in [(40, 30), (80, 30), (200, 40)] {
        let about = About {
            model: "qwen2.5-coder:7b".into(),
            place: "localhost:11434".into(),
            scripted: false,
            context_window: Some(32_768),
        };
        let mut stage = Stage::new(about, size);
        play(&mut stage);
        stage.draw();
        // What was drawn first may settle where the next frame begins.
        stage.draw();
        writeln!(pictures, "──── {} columns", size.0).unwrap();
        for row in stage.rows() {
            assert!(!row.contains('\x1b'), "{row:?}");
            pictures.push_str(row.trim_end());
            pictures.push('\n');
        }
    }
    insta::assert_snapshot!(name, pictures);
}

fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

fn press(stage: &mut Stage, code: KeyCode) {
    stage.key(KeyEvent::new(code, KeyModifiers::NONE));
}

fn ctrl(stage: &mut Stage, c: char) {
    stage.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
}

fn typed(stage: &mut Stage, text: &str) {
    for c in text.chars() {
        press(stage, KeyCode::Char(c));
    }
}

fn begin(stage: &mut Stage, prompt: &str) {
    stage.event(StreamEvent::TurnStarted { turn: TurnId(1), prompt: prompt.into() });
    stage.event(StreamEvent::IterationStarted { iteration: 1, max: 20 });
    stage.pass(ms(400));
}

fn say(stage: &mut Stage, text: &str) {
    stage.event(StreamEvent::TextDelta { text: text.into() });
}

fn end(stage: &mut Stage, reason: ExitReason) {
    stage.pass(ms(600));
    let ended = StreamEvent::TurnEnded {
        turn: TurnId(1),
        reason,
        iterations: 1,
        tools: 0,
        elapsed_ms: 1_000,
    };
    stage.event(ended);
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: CallId(id.into()), name: name.into(), arguments: arguments.into() }
}

/// Three reads side by side and a command after them.
fn plan(stage: &mut Stage) {
    let id = |id: &str| CallId(id.into());
    stage.event(StreamEvent::BatchesPlanned {
        calls: vec![
            call("1", "read_file", r#"{"path":"src/lib.rs"}"#),
            call("2", "read_file", r#"{"path":"src/nothing.rs"}"#),
            call("3", "search_code", r#"{"pattern":"pub fn","path":"src"}"#),
            call("4", "run_command", r#"{"command":"cargo test --workspace --all-features"}"#),
        ],
        batches: vec![
            Batch { calls: vec![id("1"), id("2"), id("3")], concurrent: true },
            Batch { calls: vec![id("4")], concurrent: false },
        ],
    });
}

fn start(stage: &mut Stage, id: &str) {
    stage.event(StreamEvent::ToolStarted { call_id: CallId(id.into()) });
}

fn finish(
    stage: &mut Stage,
    (id, status, text, summary): (&str, ToolStatus, &str, &str),
    took: u64,
) {
    let result = ToolResult::new(CallId(id.into()), status, text, summary);
    stage.event(StreamEvent::ToolFinished { result, elapsed_ms: took });
}

/// The reads are done, one of them in vain, and the command prints.
fn working(stage: &mut Stage) {
    begin(stage, "do the tests pass?");
    say(stage, "I read the sources while the tests run.");
    plan(stage);
    for id in ["1", "2", "3"] {
        start(stage, id);
    }
    stage.pass(ms(20));
    finish(stage, ("1", ToolStatus::Ok, "1\tpub fn parse() {}\n", "1 line"), 20);
    finish(stage, ("2", ToolStatus::Error, "There is no src/nothing.rs.", "not found"), 20);
    stage.pass(ms(60));
    finish(stage, ("3", ToolStatus::Ok, "src/lib.rs\n1: pub fn parse() {}\n", "1 match"), 80);
    start(stage, "4");
    for line in ["Compiling parser v0.3.0", "running 12 tests", "test words ... ok"] {
        stage.pass(ms(700));
        let text = format!("{line}\n");
        stage.event(StreamEvent::ToolOutput { call_id: CallId("4".into()), text });
    }
}

/// The turn of [`working`], at its end.
fn worked(stage: &mut Stage) {
    working(stage);
    stage.pass(ms(900));
    finish(stage, ("4", ToolStatus::Ok, "running 12 tests\nall passed\n", "exit 0"), 3_000);
    stage.event(StreamEvent::UsageUpdated {
        turn: TokenUsage { prompt: 4_000, completion: 200, ..TokenUsage::default() },
        context: 4_200,
        estimated: false,
        cost_usd: None,
        session: Spent::default(),
    });
    stage.event(StreamEvent::IterationStarted { iteration: 2, max: 20 });
    stage.pass(ms(500));
    say(stage, "All 12 tests pass.");
    end(stage, ExitReason::EndTurn);
}

#[test]
fn an_empty_session() {
    seen("empty_session", |_| {});
}

#[test]
fn a_prompt_and_an_answer() {
    seen("answer", |stage| {
        begin(stage, "what is it?\nand is it good?");
        say(
            stage,
            "# A parser\n\nIt reads **words**, *numbers* and `code`, ~~badly~~ well; \
             see [the guide](https://example.com/guide).\n\n\
             1. one\n   - nested\n2. two\n\n- [x] done\n- [ ] open\n\n> a quote\n> > in a quote\n\n\
             | name | what it does |\n|:--|--:|\n| parse | reads a text into a tree, at once |\n\
             | lex | words |\n\n```rust\nfn main() {\n    println!(\"hi\");\n}\n```\n\n---\n\n\
             日本語 and é and 👩‍👩‍👧 stand in columns.\n",
        );
        end(stage, ExitReason::EndTurn);
    });
}

#[test]
fn an_answer_that_grows() {
    seen("answer_growing", |stage| {
        begin(stage, "a table, please");
        say(stage, "Here:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 ");
    });
}

#[test]
fn reasoning_folded_and_open() {
    let think = |stage: &mut Stage| {
        begin(stage, "why?");
        let text = "It could be the lexer.\nOr the parser.\n".repeat(6);
        stage.event(StreamEvent::ReasoningDelta { text });
        say(stage, "It is the lexer.");
    };
    seen("reasoning", think);
    seen("reasoning_open", |stage| {
        think(stage);
        ctrl(stage, 'o');
    });
}

#[test]
fn calls_while_they_run_and_after() {
    seen("calls_announced", |stage| {
        begin(stage, "look");
        stage.event(StreamEvent::CallAnnounced { index: 0, name: "read_file".into() });
        stage.pass(ms(200));
    });
    seen("calls_early", |stage| {
        begin(stage, "look, then write it down");
        for (index, name) in ["read_file", "run_command", "write_file"].into_iter().enumerate() {
            stage.event(StreamEvent::CallAnnounced { index, name: name.into() });
        }
        let calls = [
            call("1", "read_file", r#"{"path":"src/lib.rs"}"#),
            call("2", "run_command", r#"{"command":"sort huge.txt | uniq -c"}"#),
        ];
        let tell = |stage: &mut Stage, index: usize, result: Option<ToolResult>| {
            let (call, result, elapsed_ms) = (calls[index].clone(), result.map(Box::new), 300);
            stage.event(StreamEvent::EarlyCallChanged { index, call, result, elapsed_ms });
        };
        tell(stage, 0, None);
        tell(stage, 1, None);
        stage.pass(ms(300));
        let id = CallId("1".into());
        tell(stage, 0, Some(ToolResult::new(id, ToolStatus::Ok, "text", "41 lines")));
        let (call_id, text) = (CallId("2".into()), "  7 error\n 12 warning\n".into());
        stage.event(StreamEvent::ToolOutput { call_id, text });
        stage.pass(ms(2_000));
    });
    seen("calls_running", working);
    seen("calls_done", worked);
}

#[test]
fn calls_that_came_to_nothing() {
    seen("calls_ended_badly", |stage| {
        begin(stage, "do it");
        plan(stage);
        start(stage, "1");
        stage.pass(ms(5_000));
        finish(
            stage,
            ("1", ToolStatus::TimedOut, "half\n(timed out after 5 s)", "timed out"),
            5_000,
        );
        finish(stage, ("2", ToolStatus::Refused, "no such tool", "refused"), 0);
        finish(stage, ("3", ToolStatus::Denied, "Denied", "denied"), 0);
        start(stage, "4");
        stage.pass(ms(200));
        finish(stage, ("4", ToolStatus::Cancelled, "half\n(stopped by the user)", "stopped"), 200);
        end(stage, ExitReason::Abort { by: AbortBy::User, during: AbortDuring::Tools });
    });
}

#[test]
fn notices_retries_and_ends() {
    seen("retry", |stage| {
        begin(stage, "hello");
        say(stage, "Hel");
        stage.event(StreamEvent::Retrying {
            attempt: 2,
            of: 5,
            wait_ms: 3_000,
            kind: ErrorKind::RateLimit,
            reason: "The server is busy".into(),
        });
        stage.pass(ms(1_000));
    });
    seen("ends", |stage| {
        let error = ExitReason::Error {
            kind: ErrorKind::Auth,
            message: "The server answered 401: wrong key.".into(),
            hint: "Check OPENAI_API_KEY.".into(),
        };
        for reason in [
            ExitReason::EndTurn,
            ExitReason::MaxIterations { limit: 20 },
            ExitReason::Denied { calls: 2 },
            ExitReason::OutputLimit,
            ExitReason::ContentFilter,
            error,
        ] {
            begin(stage, "go on");
            end(stage, reason);
        }
        stage.event(StreamEvent::Notice { text: "The window is full to the half.".into() });
    });
}

#[test]
fn queued_and_steered() {
    seen("queued_and_steered", |stage| {
        begin(stage, "begin");
        stage.event(StreamEvent::Steered { text: "only the lexer".into() });
        say(stage, "I begin with the lexer.");
        typed(stage, "then the parser");
        press(stage, KeyCode::Enter);
        typed(stage, "then the tests");
        press(stage, KeyCode::Enter);
        typed(stage, "a draft");
    });
}

/// A turn that costs, with these budgets.
fn costs(stage: &mut Stage, budgets: Vec<Budget>) {
    begin(stage, "do the tests pass?");
    say(stage, "I look.");
    let cost_usd = Usd::new(0.0134);
    stage.event(StreamEvent::UsageUpdated {
        turn: TokenUsage { prompt: 12_000, completion: 400, ..TokenUsage::default() },
        context: 12_400,
        estimated: false,
        cost_usd,
        session: Spent { cost_usd, estimated: false, budgets },
    });
}

#[test]
fn a_turn_with_a_price_and_a_budget() {
    seen("cost_and_budget", |stage| {
        costs(stage, vec![Budget::Tokens { limit: 100_000, used: 12_400 }]);
    });
}

#[test]
fn a_budget_that_is_nearly_spent() {
    seen("budget_nearly_spent", |stage| {
        let usd = |dollars| Usd::new(dollars).unwrap();
        costs(stage, vec![Budget::Cost { limit_usd: usd(0.016), used_usd: usd(0.0134) }]);
        let text = "83 % of this session's money budget is used ($0.0134 of $0.016). At its end \
                    the turn ends with budget_exceeded; the model is told.";
        stage.event(StreamEvent::Notice { text: text.into() });
    });
}

#[test]
fn a_budget_that_is_spent() {
    seen("budget_spent", |stage| {
        let budget = Budget::Tokens { limit: 12_000, used: 12_400 };
        costs(stage, vec![budget]);
        end(stage, ExitReason::BudgetExceeded { budget });
    });
}
