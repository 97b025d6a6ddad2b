//! Servers that send without an end, to the built binary without a screen: what it holds stays
//! bounded, it says what was wrong, and a signal ends it.

use std::{
    fs::File,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::{
    memory::{MOST_MEMORY, peak_of},
    program::{BOUND, program, signal},
    torrent::{Flooding, Torrent, call, delta, reasoning},
};

/// How often the memory of the process is looked at.
const LOOK: Duration = Duration::from_millis(2);

struct Run {
    dir: tempfile::TempDir,
    child: Child,
    flood: Flooding,
    peak: u64,
}

/// How it ended.
struct Ended {
    code: Option<i32>,
    err: String,
    peak: u64,
}

impl Run {
    fn start(torrent: Torrent, arguments: &[&str]) -> Self {
        let flood = torrent.start();
        let dir = tempfile::tempdir().unwrap();
        let child = program(dir.path(), dir.path())
            .into_std()
            .args(["--base-url", &flood.base_url, "--model", "m", "-p", "go"])
            .args(arguments)
            .env("OPENAI_API_KEY", "none")
            .stdout(Stdio::null())
            .stderr(File::create(dir.path().join("err")).unwrap())
            .spawn()
            .unwrap();
        Self { dir, child, flood, peak: 0 }
    }

    /// Looks at the process until it is so, or has ended.
    fn look_until(&mut self, is_so: impl Fn(&Flooding) -> bool) {
        let end = Instant::now() + BOUND;
        while self.child.try_wait().unwrap().is_none() && !is_so(&self.flood) {
            assert!(Instant::now() < end, "nothing ends it: {}", self.flood.sent());
            self.peak = self.peak.max(peak_of(self.child.id()));
            thread::park_timeout(LOOK);
        }
    }

    fn interrupt(&self) {
        signal(self.child.id(), "INT");
    }

    fn end(mut self) -> Ended {
        self.look_until(|_| false);
        let code = self.child.wait().unwrap().code();
        let err = std::fs::read_to_string(self.dir.path().join("err")).unwrap();
        Ended { code, err, peak: self.peak }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.child.kill().ok();
    }
}

fn check(name: &str, ended: &Ended, code: i32, words: &str) {
    println!("{name}: {} MB", ended.peak >> 20);
    assert_eq!(ended.code, Some(code), "{name}: {}", ended.err);
    assert!(ended.err.contains(words), "{name}: {}", ended.err);
    assert!(ended.peak > 0 && ended.peak < MOST_MEMORY, "{name}: {} bytes", ended.peak);
}

#[test]
fn an_answer_without_an_end_is_broken_off_before_it_fills_the_memory() {
    let prose = "Some words of an answer, and more of them. ".repeat(24) + "\\n\\n";
    let begun = delta("x").replace("x\"}}]}\n\n", "");
    for (name, head, piece, words) in [
        ("text", "", delta(&prose), "more than 1 MiB of text"),
        ("short pieces of text", "", delta("word "), "more than 1 MiB of text"),
        ("short lines", "", delta(&"a\\n\\n".repeat(99)), "more than 50000 lines"),
        ("reasoning", "", reasoning(&prose), "more than 1 MiB of text"),
        (
            "arguments",
            &call("{\\\"a\\\":\\\""),
            call(&"y".repeat(999)),
            "more than 12 MiB of arguments",
        ),
        ("an event that never ends", &begun, "x".repeat(999), "2 MiB in one event"),
        ("a line that never ends", "", "x".repeat(999), "2 MiB in one event"),
        ("values in one event", "data: [", "{},".repeat(333), "2 MiB in one event"),
    ] {
        for format in ["text", "json", "stream-json"] {
            let torrent = Torrent { head: head.to_owned(), piece: piece.clone() };
            let run = Run::start(torrent, &["--output-format", format]);
            let ended = run.end();
            let words = if format == "text" { words } else { "" };
            check(&format!("{name} as {format}"), &ended, 76, words);
        }
    }
}

#[test]
fn a_signal_ends_a_stream_in_which_nothing_is_said() {
    let bulky = format!("data: {{\"x\":[{}0]}}\n\n", "{\"a\":{}},".repeat(40_000));
    for (name, piece, enough) in [
        ("comments", ": ping\n\n", 32_000_000),
        ("empty lines", "\n", 32_000_000),
        ("empty events", "data: \n\n", 32_000_000),
        ("empty objects", "data: {}\n\n", 8_000_000),
        ("objects that mean nothing", &bulky, 16_000_000),
    ] {
        let mut run = Run::start(Torrent { head: String::new(), piece: piece.to_owned() }, &[]);
        run.look_until(|flood| flood.sent() > enough);
        run.interrupt();
        check(name, &run.end(), 130, "■ abort");
    }
}
