//! `mcc-tui doctor`: the built binary against servers of all kinds on real sockets.

mod model;
mod settings;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{
    program::{BOUND, Outcome, outcome, program, signal},
    server::{DeadPort, Reply, Server},
};
use model::{Model, Tools};

const KEY: &str = "sk-secret-0123456789";

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        std::fs::create_dir_all(dir.path().join("home/.config/mcc-tui")).unwrap();
        Self { dir }
    }

    fn config(&self) -> PathBuf {
        self.dir.path().join("home/.config/mcc-tui/config.toml")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let folder = self.dir.path();
        let mut command = program(&folder.join("project"), &folder.join("home"));
        command.args(arguments);
        command
    }

    async fn run(&self, arguments: &[&str]) -> Outcome {
        outcome(self.command(arguments).spawn().unwrap()).await
    }
}

/// The status of a check in what was printed for people.
fn status<'a>(out: &'a str, check: &str) -> &'a str {
    let line = out.lines().find(|line| line.starts_with(check));
    line.and_then(|line| line.get(16..)?.split_whitespace().next()).unwrap_or("not there")
}

/// What was printed, without its line breaks.
fn flat(out: &str) -> String {
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn statuses(out: &str) -> [&str; 9] {
    [
        "server",
        "models",
        "stream",
        "native call",
        "parallel calls",
        "usage",
        "context window",
        "text call",
        "abort",
    ]
    .map(|check| status(out, check))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_server_passes_every_check_and_gives_its_settings() {
    let model = Model::default().start().await;
    let run = Place::new().run(&["doctor", &model.base_url()]).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let expected = ["ok", "ok", "ok", "ok", "ok", "ok", "ok", "skipped", "ok"];
    assert_eq!(statuses(&run.out), expected, "{}", run.out);
    let told = flat(&run.out);
    for words in [
        "test-server/7 answered in",
        "1 model: small. It is used.",
        "\"ready\" came in 2 pieces",
        "2 calls in one answer",
        "11 tokens of the request and 5 of the answer",
        "16384 tokens, told by llama.cpp's /props",
    ] {
        assert!(told.contains(words), "{words}: {}", run.out);
    }
    let lines =
        format!("\nbase_url = \"{}\"\nmodel = \"small\"\ntools = \"native\"\n", model.base_url());
    assert!(told.contains("It can be used here: the model calls tools. (exit code 0)"), "{told}");
    assert!(run.out.ends_with(&lines), "{}", run.out);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    assert_eq!(run.err, "", "piped, there is no progress");
    let dropped = tokio::time::timeout(BOUND, model.dropped()).await;
    dropped.expect("the long answer is dropped in its middle");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strict_server_takes_the_history_with_calls_and_results() {
    let Some(mock) = crate::strict_server::MockServer::start(json!([
        { "calls": [{ "name": "read_file", "args": { "path": "notes.txt" } }] },
        { "text": { "literal": "The word is kingfisher." } }
    ]))
    .await
    else {
        println!("skipped: MCC_SHARED is not set, or python3 is missing");
        return;
    };
    let run = Place::new().run(&["doctor", &mock.base_url]).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(status(&run.out, "native call"), "ok");
    // That script has only one answer to a request with tools.
    assert_eq!(status(&run.out, "parallel calls"), "no");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_one_object_with_all_checks_and_without_the_key() {
    let model = Model::default().start().await;
    let place = Place::new();
    let mut command = place.command(&["doctor", &model.base_url(), "--json", "--model", "small"]);
    let run = outcome(command.env("OPENAI_API_KEY", KEY).spawn().unwrap()).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["format"], "mcc-tui doctor");
    assert_eq!(report["exit_code"], 0);
    let checks = report["checks"].as_array().unwrap();
    let words: Vec<_> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
    assert_eq!(
        words,
        [
            "server",
            "models",
            "stream",
            "native_call",
            "parallel_calls",
            "usage",
            "context_window",
            "text_call",
            "abort"
        ]
    );
    assert_eq!(checks[7]["status"], "skipped");
    let config = json!({ "base_url": model.base_url(), "model": "small", "tools": "native" });
    assert_eq!(report["config"], config);
    assert!(!run.out.contains(KEY), "{}", run.out);
    assert!(model.requests().iter().all(|head| head.contains(KEY)), "it was sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_lacks_is_told_and_does_not_spoil_the_rest() {
    let model = Model { counts: false, window: None, parallel: false, ..Model::default() };
    let model = model.start().await;
    let run = Place::new().run(&["doctor", &model.base_url()]).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let expected = ["ok", "ok", "ok", "ok", "no", "no", "no", "skipped", "ok"];
    assert_eq!(statuses(&run.out), expected, "{}", run.out);
    assert!(flat(&run.out).contains("Only one call came at a time."), "{}", run.out);
    assert!(!run.out.contains("context_window ="), "a guess is no setting: {}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ignores_stream_is_seen() {
    let model = Model { streams: false, ..Model::default() }.start().await;
    let run = Place::new().run(&["doctor", &model.base_url()]).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let expected = ["ok", "ok", "no", "ok", "ok", "ok", "ok", "skipped", "skipped"];
    assert_eq!(statuses(&run.out), expected, "{}", run.out);
    assert!(flat(&run.out).contains("the server does not stream"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_tools_says_so_in_its_own_words() {
    let model = Model { tools: Tools::Refused, ..Model::default() }.start().await;
    let run = Place::new().run(&["doctor", &model.base_url()]).await;
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert_eq!(statuses(&run.out)[3..5], ["no", "skipped"], "{}", run.out);
    assert_eq!(status(&run.out, "text call"), "no", "{}", run.out);
    assert!(flat(&run.out).contains("small does not support tools"), "{}", run.out);
    assert!(!run.out.contains("tools = "), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_calls_as_text_alone_is_used_that_way() {
    let model = Model { tools: Tools::AsText, ..Model::default() }.start().await;
    let run = Place::new().run(&["doctor", &model.base_url()]).await;
    assert_eq!(status(&run.out, "native call"), "no", "{}", run.out);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(status(&run.out, "text call"), "ok", "{}", run.out);
    assert!(run.out.contains("\ntools = \"text\"\n"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_the_server_does_not_read_are_named_as_such_and_used() {
    let model = Model { tools: Tools::Leaked, ..Model::default() }.start().await;
    let run = Place::new().run(&["doctor", &model.base_url()]).await;
    assert_eq!((run.code, status(&run.out, "native call")), (0, "ok"), "{}", run.out);
    assert!(flat(&run.out).contains("--enable-auto-tool-choice"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_that_is_refused_is_no_call_that_worked() {
    let model = Model { tools: Tools::RefusedResults, ..Model::default() }.start().await;
    let run = Place::new().run(&["doctor", &model.base_url()]).await;
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert_eq!(status(&run.out, "native call"), "no", "{}", run.out);
    assert!(flat(&run.out).contains("the request with its result failed"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_hold_escape_sequences_never_reach_the_terminal() {
    let evil = "evil\u{1b}]0;title\u{7}\u{9b}31m\u{202e}";
    let model = Model { names: vec![evil.into(), "good".into()], ..Model::default() };
    let model = Model { server: "x\u{9b}31m".into(), ..model }.start().await;
    let place = Place::new();
    for arguments in [&["doctor"][..], &["doctor", "--json"], &["doctor", "--model", evil]] {
        let url = model.base_url();
        let run = place.run(&[arguments, &["--base-url", &url]].concat()).await;
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let is_control = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!run.out.contains(is_control), "{:?}", run.out);
    }
    let run = place.run(&["doctor", &model.base_url()]).await;
    assert!(run.out.contains("\nmodel = \"good\"\n"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_end_with_the_code_of_their_kind_and_the_rest_is_skipped() {
    let rest = |out: &str, from: usize| {
        assert!(statuses(out)[from..].iter().all(|status| *status == "not there"), "{out}");
        assert_eq!(status(out, "all others"), "skipped", "{out}");
        assert_eq!(out.matches("Nothing to check").count(), 1, "{out}");
        assert!(flat(out).contains("It cannot be used as it is: see the failure above."), "{out}");
    };
    let place = Place::new();
    let dead = DeadPort::hold();
    let run = place.run(&["doctor", &dead.base_url()]).await;
    assert_eq!(run.code, 75, "{}", run.out);
    assert!(flat(&run.out).contains("nothing listens on"), "{}", run.out);
    rest(&run.out, 1);

    let body = r#"{"error":{"message":"Incorrect API key provided"}}"#;
    let closed = Server::start(vec![Reply::new(401, "application/json", body)]).await;
    let run = place.run(&["doctor", &closed.base_url()]).await;
    assert_eq!((run.code, status(&run.out, "server")), (77, "ok"), "{}", run.out);
    assert!(flat(&run.out).contains("Incorrect API key provided. No key was sent"), "{}", run.out);
    rest(&run.out, 2);

    let empty = Model { names: Vec::new(), ..Model::default() }.start().await;
    let run = place.run(&["doctor", &empty.base_url()]).await;
    assert_eq!((run.code, status(&run.out, "models")), (78, "no"), "{}", run.out);
    rest(&run.out, 2);
    let run = place.run(&["doctor", &empty.base_url(), "--model", "unlisted"]).await;
    assert_eq!((run.code, status(&run.out, "models")), (0, "no"), "{}", run.out);

    let run = place.run(&["doctor", "nonsense"]).await;
    assert_eq!(run.code, 78, "{}", run.out);
    let run = place.run(&["doctor"]).await;
    assert_eq!(run.code, 78, "{}", run.out);
    assert!(flat(&run.out).contains("No server is set"), "{}", run.out);
    let run = place.run(&["doctor", "--model", "m"]).await;
    assert_eq!(run.code, 77, "{}", run.out);
    assert!(flat(&run.out).contains("OPENAI_API_KEY is not set"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_does_not_hang_the_checks() {
    let place = Place::new();
    let silent = Server::start(vec![Reply::silence()]).await;
    let run = place.run(&["doctor", &silent.base_url(), "--timeout", "1"]).await;
    assert_eq!((run.code, status(&run.out, "server")), (75, "unknown"), "{}", run.out);
    assert!(flat(&run.out).contains("No answer within 1 s"), "{}", run.out);
    assert!(flat(&run.out).contains("It could not be found out"), "{}", run.out);
    assert_eq!(status(&run.out, "all others"), "skipped", "{}", run.out);
    let mute = Model { answers: false, ..Model::default() }.start().await;
    let run = place.run(&["doctor", &mute.base_url(), "--timeout", "1"]).await;
    assert_eq!((run.code, status(&run.out, "stream")), (75, "unknown"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_at_once_with_its_code() {
    let place = Place::new();
    for (name, code) in [("INT", 130), ("HUP", 129), ("TERM", 143)] {
        let mut silent = Server::start(vec![Reply::silence()]).await;
        let child = place.command(&["doctor", &silent.base_url()]).spawn().unwrap();
        tokio::time::timeout(BOUND, silent.arrived(1)).await.expect("it asks");
        signal(child.id().unwrap(), name);
        assert_eq!(outcome(child).await.code, code, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_word_is_a_command_unless_it_is_marked_as_a_prompt() {
    let place = Place::new();
    let script = place.dir.path().join("script.toml");
    std::fs::write(&script, "model = 'test'\n[[reply]]\ntext = 'You said: {{ prompt }}'").unwrap();
    let script = script.to_str().unwrap();
    for more in [&["-p", "doctor"][..], &["-p", "--", "doctor"]] {
        let run = place.run(&[&["--script", script], more].concat()).await;
        assert_eq!((run.code, run.out.as_str()), (0, "You said: doctor\n"), "{}", run.err);
    }
    let wrong: [&[&str]; 7] = [
        &["-p", "doctor", "http://localhost:1/v1"],
        &["fix", "doctor"],
        &["--yolo", "doctor"],
        &["doctor", "--yolo"],
        &["doctor", "--timeout", "0"],
        &["doctor", "http://a/v1", "--base-url", "http://b/v1"],
        &["--script", script, "doctor"],
    ];
    for arguments in wrong {
        let run = place.run(arguments).await;
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}: {}", run.err);
    }
    let run = place.run(&["doctor", "--help"]).await;
    assert_eq!(run.code, 0);
    assert!(run.out.contains("mcc-tui doctor http://localhost:11434/v1"), "{}", run.out);
    assert!(run.out.contains("mcc-tui -- doctor"), "{}", run.out);
    // The other words that a parser could take for itself stay prompts.
    let run = place.run(&["--script", script, "-p", "help"]).await;
    assert_eq!((run.code, run.out.as_str()), (0, "You said: help\n"), "{}", run.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_goes_away_is_no_success() {
    let model = Model::default().start().await;
    let full = std::fs::OpenOptions::new().write(true).open(Path::new("/dev/full")).unwrap();
    let child = Place::new().command(&["doctor", &model.base_url()]).stdout(full).spawn().unwrap();
    assert_eq!(outcome(child).await.code, 130);
}
