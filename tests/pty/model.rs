//! The choice of a model on the screen: the command, the picker, and what the servers get to see.

mod picker;
mod start;

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
};

use crate::{
    program::{ENTER, ESC, Launch, Program, SMALL, Size, is_busy, last_row},
    request::is_whole,
    support::eventually,
};

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const TAB: &str = "\t";
const FIRST: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hello \"}}]}\n\n";
const REST: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"there\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// A gate that is open or shut.
#[derive(Default)]
struct Gate {
    is_shut: Mutex<bool>,
    moved: Condvar,
}

impl Gate {
    fn shut(&self) {
        *self.is_shut.lock().unwrap() = true;
    }

    fn open(&self) {
        *self.is_shut.lock().unwrap() = false;
        self.moved.notify_all();
    }

    fn pass(&self) {
        let shut = self.is_shut.lock().unwrap();
        drop(self.moved.wait_while(shut, |shut| *shut).unwrap());
    }
}

type Seen = Mutex<Vec<[String; 3]>>;

/// A model server. It ends with the test binary.
struct Fake {
    address: String,
    /// Path, head and body of each request.
    seen: Arc<Seen>,
    /// Before the end of each answer.
    answers: Arc<Gate>,
    /// Before each list.
    lists: Arc<Gate>,
}

impl Fake {
    fn new(models: &[&str]) -> Self {
        let model = |name: &&str| serde_json::json!({ "id": name, "object": "model" });
        let data: Vec<_> = models.iter().map(model).collect();
        Self::listing(200, serde_json::json!({ "object": "list", "data": data }).to_string())
    }

    fn listing(status: u16, list: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let fake = Self {
            address: listener.local_addr().unwrap().to_string(),
            seen: Arc::default(),
            answers: Arc::default(),
            lists: Arc::default(),
        };
        let (seen, answers, lists) =
            (Arc::clone(&fake.seen), Arc::clone(&fake.answers), Arc::clone(&fake.lists));
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (seen, answers, lists) =
                    (Arc::clone(&seen), Arc::clone(&answers), Arc::clone(&lists));
                let list = list.clone();
                thread::spawn(move || {
                    answer(socket, &seen, (&answers, &lists), (status, &list));
                });
            }
        });
        fake
    }

    fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// How often this path was asked for.
    fn count(&self, path: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|[asked, ..]| asked == path).count()
    }

    /// The models that were asked to answer.
    fn asked(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let chats = seen.iter().filter(|[path, ..]| path == "/v1/chat/completions");
        let model = |[_, _, body]: &[String; 3]| {
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            body["model"].as_str().unwrap().to_owned()
        };
        chats.map(model).collect()
    }

    /// Requests with and without this key.
    fn keys(&self, key: &str) -> (usize, usize) {
        let seen = self.seen.lock().unwrap();
        let with = seen.iter().filter(|[_, head, _]| head.contains(key)).count();
        (with, seen.len() - with)
    }

    /// The program with this server set.
    fn launch(&self, size: Size, more: &[&str]) -> Program {
        let url = self.url();
        let mut args = vec!["--base-url", url.as_str()];
        args.extend(more);
        Launch { size, args: &args, ..Launch::default() }.open()
    }
}

fn answer(
    mut socket: TcpStream,
    seen: &Seen,
    (answers, lists): (&Gate, &Gate),
    (status, list): (u16, &str),
) {
    let Some(request) = request(&mut socket) else { return };
    let path = request[0].clone();
    seen.lock().unwrap().push(request);
    let head = |status: u16, kind: &str| {
        format!("HTTP/1.1 {status} Status\r\nconnection: close\r\ncontent-type: {kind}\r\n\r\n")
    };
    let mut say = |text: &str| socket.write_all(text.as_bytes()).ok();
    match path.as_str() {
        "/v1/models" => {
            lists.pass();
            say(&head(status, "application/json"));
            say(list);
        }
        "/v1/chat/completions" => {
            say(&head(200, "text/event-stream"));
            say(FIRST);
            answers.pass();
            say(REST);
        }
        _ => {
            say(&head(404, "text/plain"));
        }
    }
}

/// Path, head and body of a request.
pub(crate) fn request(socket: &mut TcpStream) -> Option<[String; 3]> {
    let (mut taken, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let read = socket.read(&mut buffer).ok().filter(|read| *read > 0)?;
        taken.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&taken);
        if is_whole(&text) {
            let (head, body) = text.split_once("\r\n\r\n")?;
            return Some([head.split_whitespace().nth(1)?, head, body].map(str::to_owned));
        }
    }
}

fn in_one_line(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_open(screen: &str) -> bool {
    last_row(screen).contains("Enter chooses")
}

#[track_caller]
fn wait_words(program: &Program, words: &str) {
    program.wait_for(|screen| in_one_line(screen).contains(words), words);
}

/// Waits until this model is marked in the picker.
#[track_caller]
fn wait_marked(program: &Program, name: &str) {
    let mark = format!("▸ {name}");
    program.wait_for(|screen| is_open(screen) && screen.contains(&mark), &mark);
}

#[track_caller]
fn wait_header(program: &Program, words: &str) {
    let has = |screen: &str| screen.lines().next().is_some_and(|row| row.contains(words));
    program.wait_for(has, &format!("the header with {words}"));
}

/// The program with a search that goes to these servers.
fn searching(servers: &[&Fake], size: Size) -> Program {
    let urls: Vec<_> = servers.iter().map(|fake| fake.url()).collect();
    let urls = urls.join(",");
    let env = [("MCC_NO_DISCOVERY", ""), ("MCC_DISCOVER", urls.as_str())];
    Launch { size, env: &env, ..Launch::default() }.open()
}

#[test]
fn a_new_session_sends_nothing_of_the_one_before_and_says_so() {
    let fake = Fake::new(&["m"]);
    let program = fake.launch(SMALL, &["--model", "m"]);
    program.wait_idle();
    wait_words(&program, "m answers, at");
    program.say("hi");
    program.wait_end("end_turn");
    program.say("/new");
    wait_words(&program, "the model knows nothing of what stands above");
    program.say("hi again");
    program.wait_for(|screen| screen.matches("end_turn").count() == 2, "the second end");
}

#[test]
fn no_list_is_asked_for_beside_an_answer_and_the_choice_counts_from_the_next_request() {
    let fake = Fake::new(&["gemma3", "qwen2.5-coder"]);
    fake.answers.shut();
    let program = fake.launch(SMALL, &["--model", "gemma3"]);
    program.wait_idle();
    program.say("hi");
    program.wait_for(|screen| screen.contains("hello"), "the beginning of the answer");
    program.say("/model");
    wait_words(&program, "the list comes when this answer is complete");
    assert_eq!(fake.count("/v1/models"), 0);
    program.send(ESC);
    program.wait_for(|screen| !is_open(screen) && is_busy(screen), "the turn that goes on");
    program.say("/model");
    wait_words(&program, "the list comes when this answer is complete");
    fake.answers.open();
    wait_marked(&program, "gemma3");
    program.send(ESC);
    program.wait_end("end_turn");

    // The list is known now, and can be used beside the next answer.
    let lists = fake.count("/v1/models");
    fake.answers.shut();
    program.say("again");
    eventually(|| fake.asked().len() == 2, "the second request");
    program.wait_for(is_busy, "the second turn");
    program.say("/model");
    wait_marked(&program, "gemma3");
    program.send(DOWN);
    wait_marked(&program, "qwen2.5-coder");
    program.send(ENTER);
    wait_header(&program, "qwen2.5-coder @");
    assert_eq!(fake.count("/v1/models"), lists);
    fake.answers.open();
    program.wait_idle();
    program.say("and again");
    eventually(|| fake.asked().len() == 3, "the third request");
    assert_eq!(fake.asked(), ["gemma3", "gemma3", "qwen2.5-coder"]);
}

#[test]
fn a_command_that_is_none_is_not_sent_and_a_path_is() {
    let fake = Fake::new(&["m"]);
    let program = fake.launch(SMALL, &["--model", "m"]);
    program.wait_idle();
    program.say("/modle");
    wait_words(&program, "There is no command /modle; the nearest is /model.");
    program.wait_prompt("/modle");
    program.send("\x03");
    program.say("/usr/bin is what?");
    program.wait_end("end_turn");
    assert_eq!(fake.asked().len(), 1);
    program.say("/help");
    program.wait_for(|screen| last_row(screen).contains("closes the help"), "the help");
    program.send(ESC);
    program.wait_idle();
}

#[test]
fn quit_ends_the_program() {
    let mut program = Launch::default().start();
    program.say("/quit");
    assert_eq!(program.wait_exit(), crate::support::Exit::Code(0));
}
