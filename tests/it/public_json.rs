//! The JSON of events is public: it changes by addition only. Each variant is pinned as text.

use mcc_tui::protocol::{
    about::About,
    background::{BackgroundCommand, BackgroundState},
    budget::{Budget, Spent},
    cost::Usd,
    event::StreamEvent,
    exit::{AbortBy, AbortDuring, ErrorKind, ExitReason},
    id::{CallId, TurnId},
    models::{Listing, ServerModels},
    question::{Decision, Fate, FileChange, FilePart, Part, Preview, Question},
    tool::{Batch, ToolCall, ToolResult, ToolStatus, WholeFile, WholeOutput},
    usage::TokenUsage,
};
use mcc_tui::text::hunks::Hunk;

fn id() -> CallId {
    CallId("call_1".into())
}

fn call() -> ToolCall {
    ToolCall { id: id(), name: "read_file".into(), arguments: "{\"path\":\"a\"}".into() }
}

fn result() -> ToolResult {
    ToolResult {
        diff: Some("@@\n+a\n".into()),
        ..ToolResult::new(id(), ToolStatus::Ok, "text", "1 line")
    }
}

/// Of a look at a command that had printed before, and of which a file holds the first bytes.
fn in_part_of_a_file() -> ToolResult {
    let cut = Some("a file holds no more".into());
    let file = WholeFile { path: "/s/out/1.txt".into(), from: 9, bytes: 50_000, cut };
    let whole =
        WholeOutput { bytes: 90_000, lines: 4_000, text_bytes: 4, file: Some(file), untold: None };
    ToolResult { whole: Some(whole), diff: None, ..result() }
}

fn question() -> Question {
    let preview = Preview::Write {
        path: "a".into(),
        diff: "@@\n+a\n".into(),
        creates: true,
        added: 1,
        removed: 0,
        files: Vec::new(),
    };
    Question { call_id: id(), tool: "write_file".into(), preview, session_grant: "all".into() }
}

fn command() -> Question {
    let (command, cwd) = ("npm run dev".into(), ".".into());
    let preview = Preview::Command { command, cwd, background: true };
    Question { call_id: id(), tool: "run_command".into(), preview, session_grant: "it".into() }
}

fn secret() -> Question {
    Question { preview: Preview::Read { path: ".env".into() }, ..command() }
}

fn in_background(state: BackgroundState) -> StreamEvent {
    let background = BackgroundCommand {
        id: "b1".into(),
        command: "npm run dev".into(),
        state,
        elapsed_ms: 1500,
        last_line: "ready".into(),
    };
    StreamEvent::BackgroundChanged { background }
}

/// A write of several files, with parts.
fn several() -> Question {
    let file = |path: &str, fate, hunks| FileChange {
        path: path.into(),
        fate,
        hunks,
        optional: true,
        texts: None,
    };
    let hunk = Hunk { old_start: 4, old_lines: 1, new_start: 4, new_lines: 2 };
    let preview = Preview::Write {
        path: "4 files".into(),
        diff: "@@\n+a\n".into(),
        creates: false,
        added: 2,
        removed: 1,
        files: vec![
            file("a", Fate::Created, Vec::new()),
            file("b", Fate::Changed, vec![hunk]),
            file("c", Fate::Deleted, Vec::new()),
            file("d", Fate::Moved { from: "e".into() }, Vec::new()),
        ],
    };
    Question { call_id: id(), tool: "apply_patch".into(), preview, session_grant: "all".into() }
}

fn in_part() -> Decision {
    let part = |path: &str, part| FilePart { path: path.into(), part };
    Decision::AllowPart {
        files: vec![
            part("a", Part::Left),
            part("b", Part::Hunks { taken: vec![0, 2] }),
            part("c", Part::Edited { content: "x\n".into() }),
        ],
    }
}

fn about() -> About {
    About {
        model: "m".into(),
        place: "localhost:1".into(),
        scripted: false,
        context_window: Some(8192),
    }
}

fn servers() -> Vec<ServerModels> {
    let failed = Listing::Failed { message: "no".into(), hint: "see".into() };
    let server = |listing| ServerModels {
        base_url: "http://localhost:1/v1".into(),
        place: "localhost:1".into(),
        name: "Ollama".into(),
        present: true,
        models: vec!["m".into()],
        listing,
    };
    [Listing::Known, Listing::Asking, Listing::Waiting, failed].map(server).to_vec()
}

fn usage_updated(cost_usd: Option<Usd>, session: Spent) -> StreamEvent {
    let turn = TokenUsage { prompt: 1, completion: 2, reasoning: 3, cached: 4, beside: 0 };
    StreamEvent::UsageUpdated { turn, context: 9, estimated: true, cost_usd, session }
}

fn spent() -> Spent {
    let usd = |dollars| Usd::new(dollars).unwrap();
    Spent {
        cost_usd: Usd::new(0.5),
        estimated: true,
        budgets: vec![
            Budget::Tokens { limit: 1_000, used: 1_001 },
            Budget::Cost { limit_usd: usd(0.5), used_usd: usd(0.500_1) },
            Budget::Time { limit_ms: 600_000, used_ms: 600_001 },
        ],
    }
}

fn ended(reason: ExitReason) -> StreamEvent {
    StreamEvent::TurnEnded { turn: TurnId(1), reason, iterations: 2, tools: 3, elapsed_ms: 4 }
}

fn ends() -> Vec<StreamEvent> {
    let (abort, during) = (AbortBy::User, AbortDuring::Tools);
    let error = ExitReason::Error {
        kind: ErrorKind::ModelNotFound,
        message: "no such model".into(),
        hint: "choose another".into(),
    };
    vec![
        ended(ExitReason::EndTurn),
        ended(ExitReason::MaxIterations { limit: 20 }),
        ended(ExitReason::BudgetExceeded { budget: spent().budgets[0] }),
        ended(ExitReason::BudgetExceeded { budget: spent().budgets[1] }),
        ended(ExitReason::BudgetExceeded { budget: spent().budgets[2] }),
        ended(ExitReason::Denied { calls: 1 }),
        ended(ExitReason::Abort { by: abort, during }),
        ended(error),
    ]
}

#[test]
fn the_form_of_every_event_is_pinned() {
    let events = [
        StreamEvent::TurnStarted { turn: TurnId(1), prompt: "hi".into() },
        StreamEvent::Steered { text: "wait".into() },
        StreamEvent::ModelChosen { about: about() },
        StreamEvent::ModelsListed { servers: servers(), choose: true },
        StreamEvent::IterationStarted { iteration: 1, max: 20 },
        StreamEvent::TextDelta { text: "a".into() },
        StreamEvent::ReasoningDelta { text: "b".into() },
        StreamEvent::Retrying {
            attempt: 1,
            of: 5,
            wait_ms: 500,
            kind: ErrorKind::RateLimit,
            reason: "slow down".into(),
        },
        StreamEvent::CallAnnounced { index: 0, name: "read_file".into() },
        StreamEvent::EarlyCallChanged { index: 1, call: call(), result: None, elapsed_ms: 0 },
        StreamEvent::EarlyCallChanged {
            index: 1,
            call: call(),
            result: Some(Box::new(result())),
            elapsed_ms: 7,
        },
        StreamEvent::BatchesPlanned {
            calls: vec![call()],
            batches: vec![Batch { calls: vec![id()], concurrent: true }],
        },
        StreamEvent::QuestionAsked { question: question() },
        StreamEvent::QuestionAsked { question: command() },
        StreamEvent::QuestionAsked { question: secret() },
        StreamEvent::QuestionResolved {
            call_id: id(),
            decision: Some(Decision::Deny { message: "no".into() }),
        },
        StreamEvent::QuestionAsked { question: several() },
        StreamEvent::QuestionResolved { call_id: id(), decision: Some(in_part()) },
        StreamEvent::ToolStarted { call_id: id() },
        StreamEvent::ToolOutput { call_id: id(), text: "out".into() },
        StreamEvent::ToolFinished { result: result(), elapsed_ms: 7 },
        StreamEvent::ToolFinished { result: in_part_of_a_file(), elapsed_ms: 7 },
        usage_updated(None, Spent::default()),
        usage_updated(Usd::new(0.0125), spent()),
        in_background(BackgroundState::Running),
        in_background(BackgroundState::Ended {
            status: ToolStatus::Error,
            how: "exit 1".into(),
            by_itself: true,
        }),
        StreamEvent::Notice { text: "note".into() },
    ];
    let events: Vec<_> = events.into_iter().chain(ends()).collect();
    let lines: Vec<_> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    for (line, event) in lines.iter().zip(&events) {
        assert_eq!(&serde_json::from_str::<StreamEvent>(line).unwrap(), event);
    }
    insta::assert_snapshot!(lines.join("\n"));
}
