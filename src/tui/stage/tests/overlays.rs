//! What lies over the transcript: questions, calls, lists, commands, models.

use super::*;

fn ask(stage: &mut Stage, preview: Preview, tool: &str) {
    begin(stage, "mend the parser");
    let arguments = match preview {
        Preview::Command { .. } => r#"{"command":"rm -rf target && cargo test"}"#,
        _ => r#"{"path":"src/lib.rs"}"#,
    };
    stage.event(StreamEvent::BatchesPlanned {
        calls: vec![call("1", tool, arguments)],
        batches: vec![Batch { calls: vec![CallId("1".into())], concurrent: false }],
    });
    let question = Question {
        call_id: CallId("1".into()),
        tool: tool.into(),
        preview,
        session_grant: "every file change in this folder".into(),
    };
    stage.event(StreamEvent::QuestionAsked { question });
    // It takes no keys before it was there for a moment.
    stage.draw();
    stage.pass(ms(500));
}

fn edit() -> Preview {
    let lines: Vec<String> = (1..=30).map(|line| format!("let line_{line} = {line};\n")).collect();
    let old = lines.concat();
    let new = old.replace("line_3 = 3", "third = 3").replace("line_27 = 27;", "line_27 = 72;");
    let changes = hunks::changes(&hunks::differences(&hunks::lines(&old), &hunks::lines(&new)));
    let diff = similar::TextDiff::from_lines(&old, &new).unified_diff().to_string();
    let file = FileChange {
        path: "src/lib.rs".into(),
        fate: Fate::Changed,
        hunks: hunks::grouped(&changes),
        optional: false,
        texts: Some(Texts { old: old.into(), new: new.into(), changes: changes.into() }),
    };
    Preview::Write {
        path: "src/lib.rs".into(),
        diff,
        creates: false,
        added: 2,
        removed: 2,
        files: vec![file],
    }
}

#[test]
fn questions() {
    seen("question_edit", |stage| ask(stage, edit(), "edit_file"));
    seen("question_edit_in_part", |stage| {
        ask(stage, edit(), "edit_file");
        press(stage, KeyCode::Char(' '));
    });
    let command =
        "rm -rf target && cargo test \u{1b}[2J --workspace \\\n    --all-features".to_owned();
    let preview = Preview::Command { command, cwd: ".".into(), background: false };
    seen("question_command", |stage| ask(stage, preview.clone(), "run_command"));
    let preview =
        Preview::Command { command: "npm run dev".into(), cwd: "web".into(), background: true };
    seen("question_background", |stage| ask(stage, preview.clone(), "run_command"));
    seen("question_word", |stage| {
        ask(stage, preview.clone(), "run_command");
        press(stage, KeyCode::Char('t'));
        typed(stage, "only in the crate parser");
    });
}

#[test]
fn overlays() {
    seen("help", |stage| press(stage, KeyCode::Char('?')));
    seen("commands", |stage| typed(stage, "/"));
    seen("commands_none", |stage| typed(stage, "/nothing"));
    seen("themes", |stage| {
        typed(stage, "/theme");
        press(stage, KeyCode::Enter);
    });
    seen("timeline", |stage| {
        worked(stage);
        ctrl(stage, 't');
    });
    seen("search", |stage| {
        worked(stage);
        ctrl(stage, 'f');
        typed(stage, "test");
    });
    seen("search_none", |stage| {
        worked(stage);
        ctrl(stage, 'f');
        typed(stage, "nowhere");
    });
    seen("call_selected", |stage| {
        worked(stage);
        stage.key(KeyEvent::new(KeyCode::Up, KeyModifiers::SHIFT));
    });
    seen("call_opened", |stage| {
        worked(stage);
        stage.key(KeyEvent::new(KeyCode::Up, KeyModifiers::SHIFT));
        press(stage, KeyCode::Enter);
    });
    seen("recall", |stage| {
        for prompt in ["read the manifest", "write the tests"] {
            typed(stage, prompt);
            press(stage, KeyCode::Enter);
            begin(stage, prompt);
            end(stage, ExitReason::EndTurn);
        }
        ctrl(stage, 'r');
        typed(stage, "the");
    });
}

#[test]
fn commands_in_the_background() {
    let tell = |stage: &mut Stage, id: &str, command: &str, state: BackgroundState| {
        let last_line = "listening on 127.0.0.1:3000".to_owned();
        let (id, command) = (id.to_owned(), command.to_owned());
        let background = BackgroundCommand { id, command, state, elapsed_ms: 61_000, last_line };
        stage.event(StreamEvent::BackgroundChanged { background });
    };
    let server = "npm run dev -- --host 127.0.0.1 --port 3000";
    seen("background", |stage| {
        worked(stage);
        tell(stage, "b1", server, BackgroundState::Running);
        tell(stage, "b2", "cargo watch", BackgroundState::Running);
    });
    seen("background_list", |stage| {
        tell(stage, "b1", server, BackgroundState::Running);
        let (status, how) = (ToolStatus::Error, "exit 1".to_owned());
        let ended = BackgroundState::Ended { status, how, by_itself: true };
        tell(stage, "b2", "cargo watch", ended);
        typed(stage, "/jobs");
        press(stage, KeyCode::Enter);
    });
    seen("background_list_empty", |stage| {
        typed(stage, "/jobs");
        press(stage, KeyCode::Enter);
    });
}

#[test]
fn models() {
    let server = |place: &str, models: &[&str], present, listing| ServerModels {
        base_url: format!("http://{place}/v1"),
        place: place.into(),
        name: "Ollama".into(),
        present,
        models: models.iter().map(|model| (*model).to_owned()).collect(),
        listing,
    };
    let failed = Listing::Failed { message: "connection refused".into(), hint: "Start it.".into() };
    seen("picker", |stage| {
        typed(stage, "/model");
        press(stage, KeyCode::Enter);
        stage.event(StreamEvent::ModelsListed {
            servers: vec![
                server("localhost:11434", &["qwen2.5-coder:7b", "llama3.2"], true, Listing::Known),
                server("localhost:1234", &["gpt-oss-20b"], false, Listing::Known),
                server("localhost:8080", &[], false, failed.clone()),
            ],
            choose: false,
        });
    });
    seen("picker_filtered", |stage| {
        typed(stage, "/model");
        press(stage, KeyCode::Enter);
        stage.event(StreamEvent::ModelsListed {
            servers: vec![server("localhost:11434", &["qwen", "llama3.2"], true, Listing::Known)],
            choose: false,
        });
        typed(stage, "zzz");
    });
}
