//! The built binary without a screen: formats, exit codes, signals, and who gets what.

mod settings;

use std::{path::Path, process::Stdio, time::Duration};

use mcc_tui::protocol::{event::StreamEvent, exit::ExitReason};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::Command,
};

use crate::support::program::{BOUND, Outcome, outcome, program, signal};

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        std::fs::write(dir.path().join("project/a.txt"), "alpha\n").unwrap();
        Self { dir }
    }

    fn project(&self) -> std::path::PathBuf {
        self.dir.path().join("project")
    }

    fn script(&self, text: &str) -> String {
        let path = self.dir.path().join("script.toml");
        std::fs::write(&path, format!("model = 'test'\n{text}")).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(&self.project(), &self.dir.path().join("home"));
        command.args(arguments);
        command
    }

    async fn run(&self, arguments: &[&str]) -> Outcome {
        outcome(self.command(arguments).spawn().unwrap()).await
    }
}

const TASK: &str = "
[[reply]]
text = 'First I look.'
[[reply.call]]
name = 'read_file'
arguments = { path = 'a.txt' }
[[reply]]
[[reply.call]]
name = 'write_file'
arguments = { path = 'b.txt', content = 'beta' }
[[reply]]
text = 'Result: {{ results[1][0].status }}'
";

#[tokio::test]
async fn the_answer_is_on_stdout_and_progress_on_stderr() {
    let place = Place::new();
    let script = place.script(TASK);
    let run = place.run(&["--script", &script, "--yolo", "-p", "go"]).await;
    assert_eq!((run.code, run.out.as_str()), (0, "First I look.\n\nResult: ok\n"));
    assert!(run.err.contains("✓ read_file a.txt · 1 line ·"), "{}", run.err);
    assert!(run.err.contains("■ end_turn · answered after 3 iterations, 2 tools,"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(place.project().join("b.txt")).unwrap(), "beta");
}

#[tokio::test]
async fn what_would_ask_is_denied_unless_it_is_allowed_by_any_of_its_names() {
    let place = Place::new();
    let script = place.script(TASK);
    let run = place.run(&["--script", &script, "-p", "go"]).await;
    assert_eq!((run.code, run.out.as_str()), (6, "First I look.\n\nResult: denied\n"));
    assert!(run.err.contains("■ denied · A call was not allowed. Allow it with --allow"));
    assert!(!place.project().join("b.txt").exists());
    for name in ["write_file", "writeFile"] {
        let run = place.run(&["--script", &script, "--allow", name, "-p", "go"]).await;
        assert_eq!(run.code, 0, "{}", run.err);
    }
}

#[tokio::test]
async fn json_is_one_object_with_the_same_words() {
    let place = Place::new();
    let script = place.script(TASK);
    let run = place.run(&["--script", &script, "-p", "go", "--output-format", "json"]).await;
    assert_eq!(run.code, 6);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let expected = json!({
        "format": "mcc-tui", "version": 1, "model": "test", "scripted": true, "reason": "denied",
        "calls": 1, "exit_code": 6, "iterations": 3, "tools": 1, "answer": "Result: denied",
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&report[key], value, "{key}");
    }
    let statuses: Vec<_> = report["tool_calls"].as_array().unwrap().iter().collect();
    assert_eq!(statuses.len(), 2);
    assert_eq!((&statuses[0]["status"], &statuses[1]["status"]), (&json!("ok"), &json!("denied")));
}

#[tokio::test]
async fn stream_json_is_a_head_and_then_one_event_a_line() {
    let place = Place::new();
    let script = place.script(TASK);
    let arguments = ["--script", &script, "--yolo", "-p", "go", "--output-format", "stream-json"];
    let run = place.run(&arguments).await;
    let mut lines = run.out.lines();
    let head: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!((&head["format"], &head["version"]), (&json!("mcc-tui"), &json!(1)));
    let events: Vec<StreamEvent> =
        lines.map(|line| serde_json::from_str(line).expect("an event")).collect();
    assert!(matches!(events.first(), Some(StreamEvent::TurnStarted { .. })));
    crate::support::rig::check_grammar(&events);
    assert_eq!(crate::support::rig::reason(&events), ExitReason::EndTurn);
}

#[tokio::test]
async fn a_prompt_can_come_from_stdin_with_p_and_without() {
    let place = Place::new();
    let script = place.script("[[reply]]\ntext = 'You said: {{ prompt }}'");
    let cases: [&[&str]; 3] = [&["-p"], &["-p", "-"], &[]];
    for more in cases {
        let arguments = [&["--script", script.as_str()], more].concat();
        let mut child = place.command(&arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"two\nlines\n").await.unwrap();
        drop(stdin);
        let run = outcome(child).await;
        assert_eq!((run.code, run.out.as_str()), (0, "You said: two\nlines\n"), "{}", run.err);
    }
}

#[tokio::test]
async fn what_is_piped_in_follows_the_prompt() {
    let place = Place::new();
    let script = place.script("[[reply]]\ntext = 'You said: {{ prompt }}'");
    let mut child = place
        .command(&["--script", &script, "-p", "review"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"the diff\n").await.unwrap();
    drop(stdin);
    let run = outcome(child).await;
    assert_eq!((run.code, run.out.as_str()), (0, "You said: review\n\nthe diff\n"), "{}", run.err);
    // A pipe that nobody writes and nobody closes.
    let mut child = place
        .command(&["--script", &script, "-p", "review"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    let run = outcome(child).await;
    assert_eq!((run.code, run.out.as_str()), (0, "You said: review\n"), "{}", run.err);
    assert!(run.err.contains("nothing came on stdin"), "{}", run.err);
    drop(stdin);
}

#[tokio::test]
async fn without_a_prompt_or_a_terminal_it_says_what_to_do() {
    let place = Place::new();
    for arguments in [&["-p"][..], &[], &["-p", "  "]] {
        let run = place.run(arguments).await;
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        assert!(run.err.contains("mcc-tui -p \"what to do\""), "{}", run.err);
    }
}

#[tokio::test]
async fn signals_abort_with_the_exit_code_of_the_signal() {
    let place = Place::new();
    let script = place.script("[[reply]]\ntext = 'hello'\nhang = true");
    for (name, code) in [("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 143), ("USR2", 143)] {
        let arguments = ["--script", &script, "-p", "go", "--output-format", "stream-json"];
        let mut child = place.command(&arguments).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut heard = String::new();
        // The pieces of a text merge or not, as the machine is busy or not.
        while heard != "hello" {
            let line = tokio::time::timeout(BOUND, lines.next_line()).await.unwrap().unwrap();
            let line = line.expect("text comes before the response has ended");
            if let Ok(StreamEvent::TextDelta { text }) = serde_json::from_str(&line) {
                heard.push_str(&text);
            }
        }
        signal(child.id().unwrap(), name);
        assert_eq!(outcome(child).await.code, code, "{name}");
    }
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_the_run() {
    let place = Place::new();
    let script =
        place.script("pace_ms = 5\n[[reply]]\ntext = '{% for n in range(99999) %}x {% endfor %}'");
    let arguments = ["--script", &script, "-p", "go", "--output-format", "stream-json"];
    let mut child = place.command(&arguments).spawn().unwrap();
    drop(child.stdout.take());
    let run = outcome(child).await;
    assert_eq!(run.code, 130);
    assert!(run.err.contains("the output cannot be written"), "{}", run.err);
}

#[tokio::test]
async fn an_answer_that_cannot_be_written_is_never_a_success() {
    let place = Place::new();
    let script = place.script("[[reply]]\ntext = 'short'");
    for format in ["text", "json", "stream-json"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let arguments = ["--script", &script, "-p", "go", "--output-format", format];
        let run = outcome(place.command(&arguments).stdout(full).spawn().unwrap()).await;
        assert_eq!(run.code, 130, "{format}: {}", run.err);
        assert!(run.err.contains("the output cannot be written"), "{format}: {}", run.err);
    }
}

#[tokio::test]
async fn a_reader_that_does_not_read_cannot_make_it_deaf() {
    let place = Place::new();
    let script = place.script("[[reply]]\ntext = '{% for n in range(99999) %}x {% endfor %}'");
    let mut child = place.command(&["--script", &script, "-p", "go"]).spawn().unwrap();
    let stdout = child.stdout.take();
    let pid = child.id().unwrap();
    let full = async {
        let stdout = stdout.as_ref().unwrap();
        // How many bytes fill it depends on the sizes of the writes: full is what grows no more.
        let (mut bytes, mut same) = (0, 0);
        while bytes < 30_000 || same < 30 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let now = rustix::io::ioctl_fionread(stdout).unwrap();
            same = if now == bytes { same + 1 } else { 0 };
            bytes = now;
        }
    };
    tokio::time::timeout(BOUND, full).await.expect("the pipe fills");
    signal(pid, "TERM");
    signal(pid, "TERM");
    let mut ended = false;
    for _ in 0..200 {
        if child.try_wait().unwrap().is_some() {
            ended = true;
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        let pid = pid.to_string();
        let _again = std::process::Command::new("kill").args(["-s", "TERM", &pid]).output();
    }
    assert!(ended, "it did not end");
    assert_eq!(child.wait().await.unwrap().code(), Some(143));
    drop(stdout);
}

#[tokio::test]
async fn an_answer_that_the_length_limit_cut_is_joined_again() {
    let place = Place::new();
    let script = place
        .script("[[reply]]\ntext = 'The answer is for'\nfinish = 'length'\n[[reply]]\ntext = 'x'");
    // The nudge is a user message, so the script begins anew: three more pieces, then the end.
    let joined = "The answer is for".repeat(4);
    let run = place.run(&["--script", &script, "-p", "go"]).await;
    assert_eq!((run.code, run.out.as_str()), (8, format!("{joined}\n").as_str()));
    let run = place.run(&["--script", &script, "-p", "go", "--output-format", "json"]).await;
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["answer"], json!(joined));
}

#[tokio::test]
async fn errors_end_with_the_code_of_their_kind_and_say_what_to_do() {
    let place = Place::new();
    let port = crate::support::server::DeadPort::hold();
    let dead = port.base_url();
    let cases: [(&[&str], i32, &str); 4] = [
        (&["--base-url", &dead, "--model", "m"], 75, "nothing listens on"),
        (&["--model", "m"], 77, "OPENAI_API_KEY is not set"),
        (&["--base-url", "nonsense", "--model", "m"], 78, "--base-url"),
        (&["--allow", "nope"], 2, "no such tool"),
    ];
    for (arguments, code, words) in cases {
        let run = place.run(&[arguments, &["-p", "go"]].concat()).await;
        assert_eq!(run.code, code, "{}", run.err);
        assert!(run.err.contains(words), "{}", run.err);
    }
    broken_config(&place.project());
    let run = place.run(&["-p", "go"]).await;
    assert_eq!(run.code, 78);
    let words = "config.toml:2: unknown key `modle`. Did you mean `model`? Mend the file; then run \
                 this again.";
    assert!(run.err.contains(words), "{}", run.err);
    assert_eq!(run.err.matches("modle").count(), 1, "{}", run.err);
}

#[tokio::test]
async fn a_server_without_a_list_of_models_is_used_if_one_is_named_and_else_that_is_said() {
    use crate::support::server::{Reply, Server};
    let place = Place::new();
    let missing = [
        Reply::new(404, "application/json", "{\"error\":\"not found\"}"),
        Reply::new(404, "text/html", "<html><title>404 Not Found</title></html>"),
        Reply::new(200, "text/html", "<html><title>Welcome</title></html>"),
    ];
    for reply in missing {
        let server = Server::start(vec![reply]).await;
        let url = server.base_url();
        for arguments in [&["-p", "go", "--base-url", &url][..], &["doctor", &url]] {
            let run = place.run(arguments).await;
            let told = format!("{} {}", run.out, run.err);
            let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_ne!(run.code, 0, "{told}");
            assert!(told.contains("The list of models could not be had ("), "{told}");
            let way = "Name the model: --model NAME, or `model` in the config file.";
            assert!(told.contains(way), "{told}");
            assert!(!told.contains("ends in /v1"), "it does: {told}");
        }
    }
}

#[tokio::test]
async fn a_call_that_was_begun_and_not_ended_is_told_and_asked_for_again() {
    use crate::support::server::{Reply, Server};
    let event = |text: &str| {
        let delta = json!({ "choices": [{ "delta": { "content": text } }] });
        let stop = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
        Reply::sse(format!("data: {delta}\n\ndata: {stop}\n\ndata: [DONE]\n\n"))
    };
    let half = "I look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a";
    let server = Server::start(vec![event(half), event("It holds alpha.")]).await;
    let place = Place::new();
    let url = server.base_url();
    let arguments = ["-p", "go", "--base-url", &url, "--model", "m", "--output-format", "json"];
    let run = place.run(&arguments).await;
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, &report["iterations"]), (0, &json!(2)), "{}", run.out);
    assert!(report["answer"].as_str().unwrap().ends_with("It holds alpha."), "{}", run.out);
    let notices = report["notices"].to_string();
    assert!(notices.contains("it began a call and did not end it"), "{notices}");
    let asked_again = |request: &String| {
        request.contains("chat/completions") && request.contains("You began a call")
    };
    assert!(server.requests().iter().any(asked_again), "the model is told");

    let server = Server::start(vec![event(half)]).await;
    let url = server.base_url();
    let run = place.run(&["-p", "go", "--base-url", &url, "--model", "m"]).await;
    assert_eq!(run.code, 76, "again and again is an end: {}", run.err);
}

#[tokio::test]
async fn who_answers_is_told_once_in_a_run() {
    use crate::support::server::{Reply, Server};
    let answer = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n\
                  data: [DONE]\n\n";
    let server = Server::start(vec![Reply::sse(answer)]).await;
    let place = Place::new();
    let url = server.base_url();
    let run = place.run(&["-p", "go", "--base-url", &url, "--model", "m"]).await;
    assert_eq!((run.code, run.out.as_str()), (0, "hi\n"), "{}", run.err);
    assert_eq!(run.err.matches("· m @ ").count(), 1, "{}", run.err);
    assert_eq!(run.err.matches("8,192 tokens").count(), 1, "{}", run.err);
}

#[tokio::test]
async fn a_host_that_nobody_knows_ends_the_turn_at_once() {
    let place = Place::new();
    let arguments = ["-p", "go", "--model", "m", "--base-url", "http://no-such-host.invalid/v1"];
    let run = place.run(&arguments).await;
    assert_eq!(run.code, 75, "{}", run.err);
    assert!(run.err.contains("the name no-such-host.invalid is not known"), "{}", run.err);
    assert!(!run.err.contains("retry 1"), "{}", run.err);
}

fn broken_config(project: &Path) {
    std::fs::create_dir(project.join(".mcc-tui")).unwrap();
    std::fs::write(project.join(".mcc-tui/config.toml"), "\nmodle = 'x'\n").unwrap();
}
