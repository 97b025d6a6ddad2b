//! Commands that only read run without a question, all others ask: a model, the engine, a shell.

use std::path::Path;

use mcc_tui::{
    agent::{Agent, Limits},
    link::{FrontEnd, link},
    permission::{Mode, Policy},
    protocol::{
        event::StreamEvent,
        op::Op,
        question::{Decision, Preview},
        tool::ToolStatus,
    },
    provider::Provider,
    session::Session,
    tools::{
        ToolContext, registry::Registry, run_command::RunCommand, seen::Seen, workspace::Workspace,
    },
};
use serde_json::json;

use super::probe::processes;
use crate::support::rig::Strict;

/// An engine that asks, with a model that runs these commands, one a response.
fn engine(folder: &Path, commands: &[&str]) -> FrontEnd {
    let reply = |(n, command): (usize, &&str)| {
        let arguments = json!({ "command": command });
        format!(
            "[[reply]]\n[[reply.call]]\nid = 'c{n}'\nname = 'run_command'\n\
             raw_arguments = '''{arguments}'''\n"
        )
    };
    let replies: String = commands.iter().enumerate().map(reply).collect();
    let script = replies + "[[reply]]\ntext = 'done'\n";
    let provider = Strict::script(&script);
    let (front, end) = link();
    let agent = Agent {
        provider: provider.clone() as std::sync::Arc<dyn Provider>,
        registry: Registry::files().with(std::sync::Arc::new(RunCommand)),
        context: ToolContext {
            workspace: Workspace::open(folder).unwrap(),
            seen: Seen::default(),
            processes: processes(),
        },
        policy: Policy::new(Mode::Ask, []),
        limits: Limits {
            max_iterations: 20,
            interactive: true,
            scheduler: mcc_tui::protocol::scheduler::Scheduler::default(),
        },
        session: Session::new("be good".into()),
        told: Some(provider.about()),
        random: || 0.5,
    };
    tokio::spawn(agent.run(end));
    front
}

/// What was asked, and how each call ended; every question is answered with no.
async fn turn(front: &mut FrontEnd) -> (Vec<String>, Vec<(ToolStatus, String)>) {
    front.send(Op::Submit { text: "go".into() }).unwrap();
    let (mut asked, mut ended) = (Vec::new(), Vec::new());
    loop {
        match front.next().await.unwrap() {
            StreamEvent::QuestionAsked { question } => {
                let Preview::Command { command, .. } = question.preview else { panic!() };
                asked.push(command);
                let decision = Decision::Deny { message: String::new() };
                front.send(Op::Decide { call_id: question.call_id, decision }).unwrap();
            }
            StreamEvent::ToolFinished { result, .. } => ended.push((result.status, result.text)),
            StreamEvent::TurnEnded { .. } => return (asked, ended),
            _ => {}
        }
    }
}

#[tokio::test]
async fn only_what_does_more_than_read_is_asked_about() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("project");
    std::fs::create_dir(&folder).unwrap();
    for name in ["a.txt", ".env", ".env.example"] {
        std::fs::write(folder.join(name), "alpha\n").unwrap();
    }
    std::fs::write(outer.path().join("secret"), "hidden\n").unwrap();
    let commands = [
        "ls -la",
        "cat a.txt | wc -l",
        "ls > x",
        "touch y",
        "cat ../secret",
        "grep -c alpha a.txt && pwd",
        "cat a.txt; rm a.txt",
        "cat .env.example",
        "grep alpha .env",
    ];
    let (asked, ended) = turn(&mut engine(&folder, &commands)).await;
    assert_eq!(
        asked,
        ["ls > x", "touch y", "cat ../secret", "cat a.txt; rm a.txt", "grep alpha .env"]
    );
    let (ok, no) = (ToolStatus::Ok, ToolStatus::Denied);
    let statuses: Vec<ToolStatus> = ended.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [ok, ok, no, no, no, ok, no, ok, no]);
    assert!(ended[0].1.contains("a.txt"), "{:?}", ended[0]);
    assert!(ended[1].1.starts_with("1\n"), "{:?}", ended[1]);
    assert!(ended[5].1.starts_with("1\n"), "{:?}", ended[5]);
    assert!(ended.iter().all(|(_, text)| !text.contains("hidden")));
    let mut left: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".env", ".env.example", "a.txt"]);
}
