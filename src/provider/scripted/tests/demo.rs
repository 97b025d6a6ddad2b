//! The demo on folders of many kinds, with results as tools give them.

use std::{path::Path, time::Duration};

use tokio::time::Instant;

use super::{answer, user};
use crate::{
    protocol::{
        message::{AssistantMessage, Message},
        tool::{ToolCall, ToolResult, ToolStatus},
    },
    provider::scripted::{Script, Scripted},
};

/// What the tools of one test give.
struct Folder {
    listing: &'static str,
    write: (ToolStatus, &'static str),
    search: &'static str,
}

const CRATE: Folder = Folder {
    listing: "src/\ntests/\nCargo.lock  85.3 KB\nCargo.toml  402 B\nREADME.md  1.2 KB\nlatest -> src\nlogo.png  8.8 KB\nmain.py  88 B\nsummary.md  20 B\nzeta.rs  5 B\n[... 2 hidden left out ...]\n",
    write: (ToolStatus::Ok, "+24 −0"),
    search: "src/lib.rs:1:pub fn parse() {}\n",
};

impl Folder {
    fn run(&self, call: &ToolCall) -> ToolResult {
        let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
        let path = arguments["path"].as_str().unwrap().to_owned();
        let (status, text, summary) = match call.name.as_str() {
            "list_files" => (ToolStatus::Ok, self.listing.to_owned(), "9 entries".to_owned()),
            "search_code" => (ToolStatus::Ok, self.search.to_owned(), "1 match".to_owned()),
            "write_file" => {
                (self.write.0, arguments["content"].to_string(), self.write.1.to_owned())
            }
            "read_file" if path.contains("bin") => {
                (ToolStatus::Error, "Error: binary".to_owned(), "binary".to_owned())
            }
            "read_file" => {
                let text = format!(
                    "1\t\n2\t# About {path}\n3\t```{{{{ x }}}}\n[... lines 1-3 of 9 ...]\n"
                );
                (ToolStatus::Ok, text, "3 lines".to_owned())
            }
            other => panic!("no such tool: {other}"),
        };
        ToolResult { call_id: call.id.clone(), status, text, summary, diff: None, whole: None }
    }

    /// Plays a turn to its end: the texts, and the calls of each reply.
    async fn play(&self, history: &mut Vec<Message>) -> (Vec<String>, Vec<Vec<ToolCall>>) {
        let demo = Scripted::new(Script::demo().unwrap(), Path::new("/home/me/my parser"));
        let (mut texts, mut all) = (Vec::new(), Vec::new());
        loop {
            let (text, calls, finished) = answer(&demo, history).await;
            assert!(finished && !text.trim().is_empty());
            let results: Vec<ToolResult> = calls.iter().map(|call| self.run(call)).collect();
            history.push(Message::Assistant(AssistantMessage {
                text: text.clone(),
                calls: calls.clone(),
                ..AssistantMessage::default()
            }));
            history.extend(results.into_iter().map(Message::Tool));
            texts.push(text);
            if calls.is_empty() {
                return (texts, all);
            }
            all.push(calls);
        }
    }
}

fn argument(call: &ToolCall, name: &str) -> String {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
    arguments[name].as_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn the_demo_lists_reads_searches_writes_and_answers() {
    let start = Instant::now();
    let (texts, calls) = CRATE.play(&mut vec![user("anything")]).await;
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    assert_eq!(texts.len(), 4);
    assert!(texts[0].contains("built-in demo") && texts[0].contains("script"));
    let named: Vec<Vec<&str>> =
        calls.iter().map(|calls| calls.iter().map(|call| call.name.as_str()).collect()).collect();
    let reads = ["read_file"; 5].into_iter().chain(["search_code"]).collect();
    assert_eq!(named, [vec!["list_files"], reads, vec!["write_file"]]);
    let read: Vec<String> = calls[1][..5].iter().map(|call| argument(call, "path")).collect();
    assert_eq!(read, ["Cargo.toml", "README.md", "main.py", "zeta.rs", "summary.md"]);
    let content = argument(&calls[2][0], "content");
    for fact in ["my parser", "| `Cargo.toml` | 402 B |", "`src`", "About README.md", "1 match"] {
        assert!(content.contains(fact), "{fact} is missing:\n{content}");
    }
    assert!(!content.contains("\n\n\n"), "{content}");
    let last = &texts[3];
    for part in ["## ", "\n- ", "\n|---|", "\n````toml\n", "```{{ x }}", "is written", "Ollama"] {
        assert!(last.contains(part), "{part:?} is missing:\n{last}");
    }
    assert!(!last.contains("\n\n\n"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn the_demo_plays_again_in_the_next_turn() {
    let mut history = vec![user("a")];
    let (first, _) = CRATE.play(&mut history).await;
    history.push(user("b"));
    let (second, _) = CRATE.play(&mut history).await;
    assert_eq!(first, second);
}

#[tokio::test(start_paused = true)]
async fn the_demo_tells_a_denied_and_a_failed_write_apart() {
    let denied = Folder { write: (ToolStatus::Denied, "denied"), ..CRATE };
    let (texts, _) = denied.play(&mut vec![user("a")]).await;
    assert!(texts[3].contains("was not allowed") && !texts[3].contains("is written"));
    let failed = Folder { write: (ToolStatus::Error, "disk full"), ..CRATE };
    let (texts, _) = failed.play(&mut vec![user("a")]).await;
    assert!(texts[3].contains("could not be written (disk full)"), "{}", texts[3]);
}

#[tokio::test(start_paused = true)]
async fn the_demo_works_in_folders_without_files_to_read() {
    for listing in
        ["`.` is empty.\n", "a/\nb/\n", "bin.dat  12 B\n.env  9 B\n", "x -> y\nq  FIFO\n"]
    {
        let folder = Folder { listing, search: "no matches", ..CRATE };
        let (texts, calls) = folder.play(&mut vec![user("a")]).await;
        assert_eq!(texts.len(), 4);
        assert_eq!(calls[1].len(), 1, "the search alone: {listing}");
        assert!(texts[3].contains(listing.lines().next().unwrap()), "{}", texts[3]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_demo_works_with_odd_names_and_unreadable_files() {
    let listing = "a`b|c \"q\" 'é'.rs  1.2 kB\nbin.rs  7\n{{ 1 }}.md  3\n名前  x.txt  4\n";
    let folder = Folder { listing, ..CRATE };
    let (_, calls) = folder.play(&mut vec![user("a")]).await;
    let read: Vec<String> = calls[1][..4].iter().map(|call| argument(call, "path")).collect();
    assert_eq!(read, ["a`b|c \"q\" 'é'.rs", "bin.rs", "{{ 1 }}.md", "名前  x.txt"]);
    let content = argument(&calls[2][0], "content");
    assert!(content.contains("| ``a`b\\|c \"q\" 'é'.rs`` | 1.2 kB |"), "{content}");
    assert!(content.contains("| `bin.rs` | binary | error |"), "{content}");
}
