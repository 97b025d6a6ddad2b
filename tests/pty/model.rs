//! The choice of a model on the screen: the command, the picker, and what the servers get to see.

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
fn a_model_is_chosen_by_a_few_letters_and_the_next_request_names_it() {
    let fake = Fake::new(&["gemma3", "qwen2.5-coder", "llama3.2"]);
    let program = fake.launch(SMALL, &["--model", "gemma3"]);
    program.wait_idle();
    program.type_text("/mo");
    wait_words(&program, "/model [name]");
    program.send(TAB);
    program.wait_prompt("/model");
    program.send(ENTER);
    wait_marked(&program, "gemma3");
    program.wait_for(|screen| screen.contains("gemma3  in use"), "the model in use");
    program.type_text("cod");
    wait_marked(&program, "qwen2.5-coder");
    program.send(ENTER);
    wait_header(&program, &format!("qwen2.5-coder @ {}", fake.address));
    wait_words(&program, "answers from the next request on");
    program.say("hi");
    program.wait_end("end_turn");
    assert_eq!(fake.asked(), ["qwen2.5-coder"]);
    // Closed with Esc, it changes nothing.
    program.say("/model");
    wait_marked(&program, "qwen2.5-coder");
    program.send(UP);
    wait_marked(&program, "gemma3");
    program.send(ESC);
    program.wait_idle();
    program.say("hi");
    eventually(|| fake.asked().len() == 2, "the second request");
    assert_eq!(fake.asked()[1], "qwen2.5-coder");
}

#[test]
fn an_error_and_an_empty_list_are_told_and_a_name_can_be_typed() {
    let failing = Fake::listing(500, r#"{"error":{"message":"out of memory"}}"#.to_owned());
    let program = failing.launch(SMALL, &["--model", "m"]);
    program.wait_idle();
    program.say("/model");
    wait_words(&program, "out of memory");
    program.type_text("other");
    wait_words(&program, "use \"other\" as it is typed");
    program.send(ENTER);
    wait_header(&program, "other @");

    let empty = Fake::new(&[]);
    let program = empty.launch(SMALL, &["--model", "m"]);
    program.wait_idle();
    program.say("/model");
    wait_words(&program, "offers no models");
    program.send(ESC);
    program.wait_idle();
}

#[test]
fn a_list_that_cannot_be_had_at_the_start_is_told_before_anything_is_sent() {
    let fake = Fake::listing(401, r#"{"error":{"message":"no such key here"}}"#.to_owned());
    let program = fake.launch(SMALL, &[]);
    wait_words(&program, "no such key here");
    assert!(!is_open(&program.screen()));
    // Nobody listens there.
    let args = ["--base-url", "http://127.0.0.1:1/v1"];
    let program = Launch { args: &args, ..Launch::default() }.open();
    program.wait_for(|screen| screen.contains("\n · "), "the notice");
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
fn without_any_server_the_picker_says_so() {
    let program = Launch::default().start();
    program.say("/model");
    wait_words(&program, "No model server answers on this machine");
    program.send(ESC);
    program.wait_idle();
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
fn of_several_servers_at_the_start_one_is_chosen_and_gets_the_request() {
    let (first, second) = (Fake::new(&["gemma3", "a-coder"]), Fake::new(&["phi-4"]));
    let program = searching(&[&first, &second], SMALL);
    wait_marked(&program, "a-coder");
    wait_header(&program, "a-coder @");
    program.type_text("phi");
    wait_marked(&program, "phi-4");
    program.send(ENTER);
    wait_header(&program, &format!("phi-4 @ {}", second.address));
    program.say("hi");
    program.wait_end("end_turn");
    assert_eq!((first.asked(), second.asked()), (vec![], vec!["phi-4".to_owned()]));
    // And back again.
    program.say("/model gemma3");
    wait_header(&program, &format!("gemma3 @ {}", first.address));
    program.say("hi");
    eventually(|| first.asked() == ["gemma3"], "the request to the first server");
}

#[test]
fn a_server_that_is_found_beside_the_one_that_is_set_never_gets_its_key() {
    let (set, found) = (Fake::new(&["gemma3"]), Fake::new(&["phi-4"]));
    let (url, urls) = (set.url(), format!("{},{}", set.url(), found.url()));
    let env = [
        ("MCC_NO_DISCOVERY", ""),
        ("MCC_DISCOVER", urls.as_str()),
        ("OPENAI_API_KEY", "secret-of-the-user"),
    ];
    let args = ["--base-url", url.as_str(), "--model", "gemma3"];
    let program = Launch { env: &env, args: &args, ..Launch::default() }.start();
    program.say("/model");
    wait_words(&program, "phi-4");
    program.type_text("phi");
    wait_marked(&program, "phi-4");
    program.send(ENTER);
    wait_header(&program, "phi-4 @");
    program.say("hi");
    program.wait_end("end_turn");
    assert_eq!(found.asked(), ["phi-4"]);
    program.say("/model gemma3");
    wait_header(&program, "gemma3 @");
    program.say("hi");
    eventually(|| set.asked() == ["gemma3"], "the request to the server that is set");
    let key = "secret-of-the-user";
    assert_eq!(found.keys(key).0, 0);
    assert_eq!(set.keys(key).1, 0, "the server that is set is not searched for");
}

#[test]
fn enter_takes_the_model_that_would_be_used() {
    let fake = Fake::new(&["gemma3", "a-coder"]);
    let program = searching(&[&fake], SMALL);
    wait_marked(&program, "a-coder");
    program.send(ENTER);
    program.wait_for(|screen| !is_open(screen), "the closed picker");
    program.say("hi");
    program.wait_end("end_turn");
    assert_eq!(fake.asked(), ["a-coder"]);
}

#[test]
fn whoever_types_already_is_not_disturbed_by_what_is_found() {
    let fake = Fake::new(&["gemma3", "a-coder"]);
    fake.lists.shut();
    let program = searching(&[&fake], SMALL);
    program.wait_idle();
    program.type_text("fix it");
    program.wait_prompt("fix it");
    fake.lists.open();
    wait_words(&program, "Found a-coder at");
    wait_words(&program, "/model shows the other one.");
    program.settle();
    assert!(!is_open(&program.screen()), "{}", program.screen());
    program.wait_prompt("fix it");
    program.send(ENTER);
    program.wait_end("end_turn");
    assert_eq!(fake.asked(), ["a-coder"]);
}

#[test]
fn a_server_without_a_named_model_is_asked_and_the_first_prompt_waits_for_the_choice() {
    let fake = Fake::new(&["gemma3", "a-coder"]);
    let program = fake.launch(SMALL, &["good morning"]);
    program.wait_for(is_open, "the picker");
    wait_words(&program, "gemma3");
    program.send(ESC);
    let waits = |screen: &str| last_row(screen).contains("waits for your choice: /model");
    program.wait_for(|screen| waits(screen) && !is_open(screen), "the turn that waits");
    program.say("/model");
    wait_words(&program, "a-coder");
    program.type_text("coder");
    wait_marked(&program, "a-coder");
    program.send(ENTER);
    let screen = program.wait_end("end_turn");
    assert!(!screen.contains("error"), "{screen}");
    assert_eq!(fake.asked(), ["a-coder"]);
}

#[test]
fn a_server_without_a_named_model_opens_the_picker_at_the_start() {
    let fake = Fake::new(&["gemma3", "a-coder"]);
    let program = fake.launch(SMALL, &[]);
    wait_marked(&program, "gemma3");
    program.send(DOWN);
    wait_marked(&program, "a-coder");
    program.send(ENTER);
    wait_header(&program, "a-coder @");
    program.say("hi");
    program.wait_end("end_turn");
    assert_eq!(fake.asked(), ["a-coder"]);

    let only = Fake::new(&["gemma3"]);
    let program = only.launch(SMALL, &[]);
    wait_header(&program, "gemma3 @");
    program.settle();
    assert!(!is_open(&program.screen()), "one is no choice");
}

#[test]
fn hostile_names_are_harmless_and_the_smallest_screen_will_do() {
    let endless = "x".repeat(300);
    let evil = ["\x1b]0;title\x07\x1b[31mred", "\u{202e}drow", "漢字漢字", endless.as_str()];
    let fake = Fake::new(&evil);
    let program = fake.launch((40, 10), &["--model", "m"]);
    program.wait_idle();
    program.say("/model");
    wait_marked(&program, "red");
    for name in ["drow", "漢字漢字", "xxxx"] {
        program.send(DOWN);
        wait_marked(&program, name);
    }
    program.type_text("red");
    wait_marked(&program, "red");
    program.settle();
    let written = program.bytes();
    for bad in [b"\x1b]0;" as &[u8], "\u{202e}".as_bytes()] {
        assert!(!written.windows(bad.len()).any(|window| window == bad));
    }
    program.send(ENTER);
    program.wait_for(|screen| !is_open(screen), "the closed picker");
    program.say("hi");
    eventually(|| fake.asked() == [evil[0]], "the request with the whole name");
}

#[test]
fn five_hundred_models_are_no_trouble() {
    let names: Vec<_> = (0..500).map(|n| format!("model-{n:03}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let fake = Fake::new(&names);
    let program = fake.launch(SMALL, &["--model", "model-250"]);
    program.wait_idle();
    program.say("/model");
    wait_marked(&program, "model-250");
    program.type_text("99");
    wait_words(&program, "5 of 500");
    program.send("\x15");
    wait_marked(&program, "model-250");
    program.send(ESC);
    program.wait_idle();
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
