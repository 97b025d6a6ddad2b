//! The input box on a terminal: pastes, files, commands, the editor, steering, the history.

mod editor;
mod history;

use std::{
    fs,
    io::Write,
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    sync::{Arc, Condvar, Mutex},
    thread,
};

use rustix::process::Signal;

use crate::{
    model::request,
    program::{CTRL_C, CTRL_D, CTRL_G, ENTER, ESC, Launch, Program, SMALL, is_busy, last_row},
    support::{Exit, eventually},
};

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const TAB: &str = "\t";
const CTRL_R: &str = "\x12";
const CTRL_S: &str = "\x13";
const ALT_P: &str = "\x1bp";

/// A model server that calls `list_files` first, and then only answers. The end of its answers
/// waits while the gate is shut.
struct Fake {
    url: String,
    bodies: Arc<Mutex<Vec<String>>>,
    gate: Arc<(Mutex<bool>, Condvar)>,
}

impl Fake {
    /// `calls`: how many of the first answers are calls.
    fn new(calls: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let fake = Self { url, bodies: Arc::default(), gate: Arc::default() };
        let (bodies, gate) = (Arc::clone(&fake.bodies), Arc::clone(&fake.gate));
        thread::spawn(move || {
            for mut socket in listener.incoming().flatten() {
                let Some([path, _, body]) = request(&mut socket) else { continue };
                let mut say = |text: &str| socket.write_all(text.as_bytes()).ok();
                if path != "/v1/chat/completions" {
                    say("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
                    continue;
                }
                let before = bodies.lock().unwrap().len();
                bodies.lock().unwrap().push(body);
                say(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n",
                );
                say(&format!(
                    "data: {{\"choices\":[{{\"delta\":{{\"content\":\"answer-{before} \"}}}}]}}\n\n"
                ));
                let shut = gate.0.lock().unwrap();
                drop(gate.1.wait_while(shut, |shut| *shut).unwrap());
                if before < calls {
                    say(&format!(
                        "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"c{before}\",\
                         \"type\":\"function\",\"function\":{{\"name\":\"list_files\",\"arguments\":\"{{}}\"}}}}]}},\
                         \"finish_reason\":\"tool_calls\"}}]}}\n\ndata: [DONE]\n\n"
                    ));
                } else {
                    say(
                        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
                    );
                }
            }
        });
        fake
    }

    fn shut(&self) {
        *self.gate.0.lock().unwrap() = true;
    }

    fn open(&self) {
        *self.gate.0.lock().unwrap() = false;
        self.gate.1.notify_all();
    }

    /// What the user says in the request with that number.
    fn said(&self, request: usize) -> Vec<String> {
        let bodies = self.bodies.lock().unwrap();
        let body: serde_json::Value = serde_json::from_str(&bodies[request]).unwrap();
        let messages = body["messages"].as_array().unwrap().iter();
        let of_user = messages.filter(|message| message["role"] == "user");
        of_user.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }

    fn wait_requests(&self, count: usize) {
        eventually(|| self.bodies.lock().unwrap().len() == count, "requests to the server");
    }

    fn launch(&self, env: &[(&str, &str)], files: &[(&str, &str)]) -> Program {
        let args = ["--base-url", self.url.as_str(), "--model", "m"];
        Launch { args: &args, env, files, size: SMALL, ..Launch::default() }.start()
    }
}

fn paste(program: &Program, text: &str) {
    program.send(format!("\x1b[200~{text}\x1b[201~"));
}

#[test]
fn a_megabyte_is_folded_at_once_and_sent_whole() {
    let fake = Fake::new(0);
    let program = fake.launch(&[], &[]);
    // 12,345 lines of 85 bytes
    let lines: Vec<_> = (0..12_345).map(|n| format!("{n:05} {}\n", "x".repeat(78))).collect();
    let text = lines.concat();
    assert_eq!(text.len(), 12_345 * 85);
    program.type_text("look: ");
    paste(&program, &text);
    program.wait_prompt("look: [pasted 12,345 lines]");
    program.type_text("!");
    program.wait_prompt("look: [pasted 12,345 lines]!");
    program.send("\x7f\x7f");
    program.wait_prompt("look:");
    paste(&program, &text);
    paste(&program, "\u{1b}[31mone\rtwo\x07\nthree\nfour");
    program.wait_prompt("look: [pasted 12,345 lines][pasted 4 lines]");
    program.send(ENTER);
    fake.wait_requests(1);
    assert_eq!(fake.said(0), [format!("look: {text}one\ntwo\nthree\nfour")]);
}

#[test]
fn a_folded_paste_can_be_shown_and_a_short_one_is_text() {
    let program = Program::script("hang");
    paste(&program, "one\ntwo\nthree");
    program.wait_prompt("one\ntwo\nthree");
    program.send(CTRL_C);
    paste(&program, "1\n2\n3\n4");
    program.wait_prompt("[pasted 4 lines]");
    program.send(ALT_P);
    program.wait_prompt("1\n2\n3\n4");
}

/// Rows between the rules above the prompt and below it.
fn rows_of_prompt(screen: &str) -> usize {
    let rules = screen.lines().enumerate().filter(|(_, row)| row.starts_with(" ─"));
    let mut rules = rules.map(|(row, _)| row).collect::<Vec<_>>().into_iter().rev();
    rules.next().unwrap_or(0).saturating_sub(rules.next().unwrap_or(0) + 1)
}

#[test]
fn every_key_for_a_line_break_breaks_the_line() {
    let program = Program::script("hang");
    let mut lines = String::new();
    for (n, key) in ["\n", "\x1b\r", "\x1b[13;2u", "\\\r"].iter().enumerate() {
        program.type_text(&n.to_string());
        program.send(key);
        // with something right behind it, it would be a paste
        lines = format!("{lines}{n}\n");
        program.wait_for(|screen| rows_of_prompt(screen) == n + 2, "the next line");
    }
    program.type_text("end");
    program.wait_prompt(&format!("{lines}end"));
}

#[test]
fn a_file_is_named_with_a_few_of_its_letters() {
    let files = [
        ("src/tui/composer.rs", ""),
        ("src/lib.rs", ""),
        ("my notes.md", ""),
        (".gitignore", "target\n"),
        ("target/composer.o", ""),
        (".git/HEAD", ""),
    ];
    let program = Launch { script: Some("hang"), files: &files, ..Launch::default() }.start();
    program.type_text("see @comp");
    let screen = program.wait_for(|screen| screen.contains("▸ src/tui/composer.rs"), "the file");
    assert!(!screen.contains("composer.o"), "{screen}");
    program.send(TAB);
    program.wait_prompt("see @src/tui/composer.rs");
    program.type_text("and @not");
    program.wait_for(|screen| screen.contains("▸ my notes.md"), "the other file");
    program.send(ENTER);
    program.wait_prompt("see @src/tui/composer.rs and @\"my notes.md\"");
    assert!(!is_busy(&program.screen()));
    program.type_text("@");
    program.wait_for(|screen| screen.contains("▸ "), "all files");
    program.send(ESC);
    program.wait_for(|screen| !screen.contains("▸ "), "the closed list");
}

#[test]
fn ten_thousand_files_are_no_trouble() {
    let program = Launch { script: Some("hang"), ..Launch::default() }.open();
    for n in 0..10_000 {
        let folder = program.folder().join(format!("d{}", n % 100));
        if n < 100 {
            fs::create_dir(&folder).unwrap();
        }
        fs::write(folder.join(format!("file{n}.txt")), "").unwrap();
    }
    program.wait_idle();
    program.type_text("@f9999");
    program.wait_for(|screen| screen.contains("▸ d99/file9999.txt"), "one of ten thousand");
}

#[test]
fn a_command_of_the_users_own_is_run_and_told_with_the_next_prompt() {
    let fake = Fake::new(0);
    let program = fake.launch(&[], &[]);
    program.say("!echo from-$((40 + 2))");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("› !echo"), "{screen}");
    program.send("\x0f");
    program.wait_for(|screen| screen.contains("from-42"), "its output");
    assert_eq!(fake.bodies.lock().unwrap().len(), 0, "the model is not asked");
    program.say("what was that?");
    fake.wait_requests(1);
    let said = fake.said(0);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("The user ran") && said[0].contains("$ echo from-$((40 + 2))"));
    assert!(said[0].contains("\nfrom-42\n") && said[0].ends_with("\n\nwhat was that?"), "{said:?}");
}

#[test]
fn esc_stops_a_command_of_the_users_own() {
    let program = Program::script("hang");
    program.say("!echo begun; sleep 600");
    program.wait_sleepers(1);
    program.send(ESC);
    program.wait_end("abort");
    program.wait_childless();
}

#[test]
fn what_is_steered_goes_with_the_next_request_of_the_running_turn() {
    let fake = Fake::new(1);
    fake.shut();
    let program = fake.launch(&[], &[]);
    program.say("look around");
    program.wait_for(|screen| screen.contains("answer-0"), "the first answer");
    program.type_text("not the docs");
    program.wait_prompt("not the docs");
    program.send(CTRL_S);
    let told = |screen: &str| screen.contains("⋯ not the docs  (goes with the next request)");
    program.wait_for(told, "what waits");
    fake.open();
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("› not the docs") && screen.contains("2 iterations"), "{screen}");
    assert_eq!(fake.said(0), ["look around"]);
    assert_eq!(fake.said(1), ["look around", "not the docs"]);
    assert_eq!(fake.bodies.lock().unwrap().len(), 2);
}

#[test]
fn what_is_steered_too_late_is_the_next_prompt() {
    let fake = Fake::new(0);
    fake.shut();
    let program = fake.launch(&[], &[]);
    program.say("hi");
    program.wait_for(|screen| screen.contains("answer-0"), "the answer");
    program.type_text("and then");
    program.wait_prompt("and then");
    program.send(CTRL_S);
    program.wait_for(|screen| screen.contains("⋯ and then"), "what waits");
    fake.open();
    fake.wait_requests(2);
    program.wait_for(|screen| screen.contains("answer-1"), "the next answer");
    assert_eq!(fake.said(1), ["hi", "and then"]);
}

#[test]
fn a_program_that_wants_the_terminal_is_told_to_the_user_by_the_keys_that_lead_there() {
    let program = Program::script("hang");
    program.say("!vim notes.txt");
    let screen = program.wait_end("end_turn");
    let words = screen.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("vim wants the terminal, and mcc-tui has it. Ctrl-Z"), "{screen}");
    assert!(!words.contains("edit_file"), "{screen}");
}

#[test]
fn naming_a_file_closes_the_list_of_what_runs_instead_of_lying_over_it() {
    let files = [("notes.txt", "x")];
    let program = Launch { script: Some("hang"), files: &files, ..Launch::default() }.start();
    program.say("/jobs");
    program.wait_for(|screen| screen.contains("nothing runs"), "the list of what runs");
    program.type_text("@no");
    let named = |screen: &str| screen.contains("notes.txt") && !screen.contains("nothing runs");
    program.wait_for(named, "the files alone");
    program.send(TAB);
    program.wait_prompt("@notes.txt");
}

#[test]
fn the_cursor_stands_at_the_caret_behind_wide_characters_and_wraps() {
    let program = Program::script("hang");
    program.type_text("漢字");
    program.wait_prompt("漢字");
    program.settle();
    assert_eq!(program.cursor(), Some((21, 3 + 4)));
    // 77 columns of room: 38 wide characters fill 76
    program.type_text(&"漢".repeat(37));
    program.wait_for(|screen| screen.matches('漢').count() == 38, "all of them");
    program.settle();
    assert_eq!(program.cursor(), Some((21, 3 + 2)), "the 39th stands on the next row");
    program.type_text("e\u{301}");
    program.settle();
    assert_eq!(program.cursor(), Some((21, 3 + 3)));
}
