//! Commands of the built program: what is left when it ends, and what it costs meanwhile.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use futures_util::future::BoxFuture;
use mcc_tui::{
    protocol::{
        about::About,
        event::StreamEvent,
        exit::{AbortBy, ExitReason},
        message::Message,
    },
    provider::{
        DeltaStream, Provider, ProviderError, Request,
        scripted::{Script, Scripted},
    },
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::probe::Probe;
use crate::support::{
    memory::peak_of,
    rig::{Rig, Strict, reason},
};

/// A script in which the model makes one call after the other, then answers.
fn script(calls: &[Value]) -> String {
    let call = |call: &Value| {
        let arguments = call["arguments"].to_string();
        format!(
            "[[reply]]\n[[reply.call]]\nname = {}\nraw_arguments = {arguments:?}\n",
            call["name"]
        )
    };
    let calls: String = calls.iter().map(call).collect();
    format!("{calls}[[reply]]\ntext = 'done'\n")
}

pub(super) fn command(command: &str, background: bool) -> Value {
    let arguments = json!({ "command": command, "background": background });
    json!({ "name": "run_command", "arguments": arguments })
}

/// A model with a script for each turn.
pub(super) struct Turns(Vec<Scripted>);

impl Turns {
    pub(super) fn of(turns: [&[Value]; 2]) -> std::sync::Arc<Strict> {
        let parse = |calls: &[Value]| {
            let text = format!("model = 'test'\n{}", script(calls));
            Scripted::new(Script::parse(&text, "test").unwrap(), Path::new("/project"))
        };
        Strict::over(Self(turns.into_iter().map(parse).collect()))
    }
}

impl Provider for Turns {
    fn about(&self) -> About {
        self.0[0].about()
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        let users = request.messages.iter().filter(|one| matches!(one, Message::User { .. }));
        self.0[users.count() - 1].stream(request)
    }

    fn use_model(&self, _model: String) {}
}

/// The program in this folder, with nobody to ask.
pub(super) fn program(folder: &Path, calls: &[Value]) -> Command {
    let file = folder.join("script.toml");
    fs::write(&file, format!("model = 'test'\n{}", script(calls))).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_mcc-tui"));
    program
        .args(["--yolo", "--output-format", "stream-json", "-p", "go", "--script"])
        .arg(&file)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::null());
    program
}

fn events(output: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(output);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_run_without_a_screen_ends_its_background_commands_and_says_so() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    let sleeps = probe.prefixed("trap '' TERM; setsid sleep 300 & echo up; sleep 300; sleep 300");
    let output = program(folder.path(), &[command(&sleeps, true)]).output().unwrap();
    probe.assert_nothing_is_left();
    assert_eq!(output.status.code(), Some(0));
    let events = events(&output.stdout);
    let told = |event: &Value| {
        let text = event["text"].as_str().unwrap_or_default();
        text.starts_with("A background command was stopped as this run is over: b1 (")
    };
    let notice = events.iter().position(told).unwrap_or_else(|| panic!("{events:?}"));
    assert_eq!(events[notice]["event"], "notice");
    assert_eq!(events[notice + 1]["event"], "turn_ended", "the end is the last");
    let out = folder.path().join(".local/state/mcc-tui/out");
    assert_eq!(fs::read_dir(out).unwrap().count(), 0, "its output goes with the session");
}

/// Starts one command of each kind and waits until both run.
fn started(probe: &Probe, folder: &Path) -> Child {
    let stubborn = "trap '' TERM HUP INT; setsid sleep 300 & while :; do sleep 300; done";
    let calls =
        [command(&probe.prefixed(stubborn), true), command(&probe.prefixed(stubborn), false)];
    let child = program(folder, &calls).stdout(Stdio::null()).spawn().unwrap();
    // Each is a shell with two children; the program itself does not carry the mark.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(probe.until("they never began", || probe.left().len() >= 6));
    child
}

#[test]
fn whatever_signal_ends_the_program_ends_its_commands_too() {
    for (signal, code) in [
        (Signal::TERM, Some(143)),
        (Signal::INT, Some(130)),
        (Signal::HUP, None),
        (Signal::KILL, None),
    ] {
        let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
        let mut child = started(&probe, folder.path());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = child.wait().unwrap();
        if signal == Signal::KILL {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(probe.until_nothing_is_left());
        } else {
            // Whoever waits for the program may count on it.
            probe.assert_nothing_is_left();
            assert!(code.is_none() || status.code() == code, "{status:?} after {signal:?}");
        }
    }
}

#[test]
fn endless_output_costs_the_program_little() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = program(folder.path(), &[command("timeout 5 yes", false)])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_of(child.id()));
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
    assert!(peak > 1_000_000, "it was looked at");
    assert!(peak < 60_000_000, "{peak} bytes");
}

#[tokio::test]
async fn an_abort_ends_the_background_commands_of_this_turn_and_of_those_before() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    let stays =
        |word: &str| probe.prefixed(&format!("echo {word}; trap '' TERM; sleep 300; sleep 300"));
    let first = [command(&stays("one"), true)];
    let second = [command(&stays("two"), true), command("echo ready; sleep 300", false)];
    let mut rig = Rig::real(Turns::of([&first, &second]), folder.path());
    let events = rig.turn("start one").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert!(!probe.left().is_empty(), "it outlives its turn");
    rig.submit("start another");
    let mut events = Vec::new();
    loop {
        let event = rig.front.next().await.unwrap();
        if matches!(&event, StreamEvent::ToolOutput { text, .. } if text.contains("ready")) {
            rig.front.interrupt(AbortBy::User);
        }
        let over = matches!(event, StreamEvent::TurnEnded { .. });
        events.push(event);
        if over {
            break;
        }
    }
    assert!(matches!(reason(&events), ExitReason::Abort { by: AbortBy::User, .. }), "{events:?}");
    probe.assert_nothing_is_left();
    let told = events.iter().any(|event| match event {
        StreamEvent::Notice { text } => {
            text.starts_with("Background commands were stopped too: b1 (") && text.contains("b2 (")
        }
        _ => false,
    });
    assert!(told, "{events:?}");
}

#[tokio::test]
async fn the_model_is_told_on_its_next_look_that_the_user_stopped_it() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    let first =
        [command(&probe.prefixed("sleep 300"), true), command("echo ready; sleep 300", false)];
    let second = [json!({ "name": "BashOutput", "arguments": { "bash_id": "b1" } })];
    let mut rig = Rig::real(Turns::of([&first, &second]), folder.path());
    rig.submit("start");
    loop {
        match rig.front.next().await.unwrap() {
            StreamEvent::ToolOutput { text, .. } if text.contains("ready") => {
                rig.front.interrupt(AbortBy::User);
            }
            StreamEvent::TurnEnded { .. } => break,
            _ => {}
        }
    }
    rig.turn("and now?").await;
    let history = rig.history().await;
    let results: Vec<_> = history
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some(result.text.as_str()),
            _ => None,
        })
        .collect();
    assert!(results.last().unwrap().contains("stopped by the user"), "{results:?}");
    probe.assert_nothing_is_left();
}

#[test]
fn what_the_settings_pass_reaches_commands_and_no_other_secret_does() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("config/mcc-tui");
    fs::create_dir_all(&settings).unwrap();
    fs::write(settings.join("config.toml"), "[shell]\npass = ['ONE_TOKEN']\n").unwrap();
    let output =
        program(folder.path(), &[command("echo $ONE_TOKEN/$TWO_TOKEN/$OPENAI_API_KEY", false)])
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .envs([("ONE_TOKEN", "one"), ("TWO_TOKEN", "two"), ("OPENAI_API_KEY", "key")])
            .output()
            .unwrap();
    let events = events(&output.stdout);
    let result = events.iter().find(|event| event["event"] == "tool_finished").unwrap();
    assert_eq!(result["result"]["text"], "one//\nexit 0");
}
