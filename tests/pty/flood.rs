//! Servers that send without an end, on the screen: what the program holds stays bounded, it
//! says what was wrong, and Esc stops it.

use std::time::Duration;

use crate::{
    memory::MOST_MEMORY,
    program::{ESC, Launch, Program, is_busy, last_row},
    torrent::{Flooding, Torrent, call, delta, reasoning},
};

/// A bound that fails a hang: a terminal draws what is read here, on a busy machine.
const BOUND: Duration = Duration::from_mins(4);

struct Flooded {
    program: Program,
    flood: Flooding,
}

impl Flooded {
    fn start(head: &str, piece: &str) -> Self {
        let flood = Torrent { head: head.to_owned(), piece: piece.to_owned() }.start();
        let args = ["--base-url", &flood.base_url, "--model", "m"];
        let env = [("OPENAI_API_KEY", "none")];
        let program = Launch { args: &args, env: &env, ..Launch::default() }.start();
        program.say("go");
        Self { program, flood }
    }

    /// Waits for the end of the turn, and gives the screen.
    fn end(&self, name: &str, reason: &str) -> String {
        let is_over = |screen: &str| screen.contains("■ ") && !is_busy(screen);
        let screen = self.program.wait_within(BOUND, is_over, "the end of the turn");
        assert!(screen.contains(&format!("■ {reason}")), "{name}: {screen}");
        let peak = self.program.peak();
        println!("{name}: {} MB", peak >> 20);
        assert!(peak > 0 && peak < MOST_MEMORY, "{name}: {peak} bytes");
        screen.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn an_answer_without_an_end_is_broken_off_before_it_fills_the_memory() {
    let prose = "Some words of an answer, and more of them. ".repeat(24);
    for (name, head, piece, words) in [
        ("text", "", delta(&format!("{prose}\\n\\n")), "1 MiB of text"),
        ("one paragraph", "", delta(&prose), "1 MiB of text"),
        ("one word", "", delta(&"w".repeat(999)), "1 MiB of text"),
        ("short lines", "", delta(&"a\\n\\n".repeat(99)), "50000 lines"),
        ("a list", "", delta(&"- a\\n".repeat(99)), "50000 lines"),
        ("code", &delta("```rust\\n"), delta(&"let x = 1;\\n".repeat(99)), "50000 lines"),
        ("reasoning", "", reasoning(&prose), "1 MiB of text"),
        ("arguments", &call("{\\\"a\\\":\\\""), call(&"y".repeat(999)), "12 MiB of arguments"),
        ("a line that never ends", "", "x".repeat(999), "2 MiB in one event"),
    ] {
        let screen = Flooded::start(head, &piece).end(name, "error · protocol");
        assert!(screen.contains(words), "{name}: {screen}");
    }
}

#[test]
fn esc_stops_what_a_server_sends_without_an_end() {
    for (name, piece) in [("text", delta("word ")), ("comments", ": ping\n\n".to_owned())] {
        let flooded = Flooded::start("", &piece);
        let shown = |screen: &str| name != "text" || screen.contains("word word");
        let is_begun =
            |screen: &str| shown(screen) && is_busy(screen) && flooded.flood.sent() > 1_000_000;
        flooded.program.wait_within(BOUND, is_begun, "the flood");
        flooded.program.send(ESC);
        flooded.end(name, "abort");
        assert!(!last_row(&flooded.program.screen()).contains("stopping"));
    }
}
