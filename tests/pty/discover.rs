//! A model server that is found on this machine, seen on the screen.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use crate::program::{Launch, SMALL};

const MODELS: &str = r#"{"object":"list","data":[{"id":"found-coder","object":"model"}]}"#;
const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hello there\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// A server with one model; gives its address. It ends with the test binary.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            thread::spawn(move || answer(socket));
        }
    });
    address
}

fn answer(mut socket: TcpStream) {
    let mut request = vec![0; 64 * 1024];
    let mut read = 0;
    // A head and its body come in one or two pieces; only the path is looked at.
    while !request[..read].windows(4).any(|end| end == b"\r\n\r\n") {
        match socket.read(&mut request[read..]) {
            Ok(more) if more > 0 => read += more,
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&request[..read]).into_owned();
    let (status, kind, body) = match head.split_whitespace().nth(1).unwrap_or_default() {
        "/v1/models" => (200, "application/json", MODELS),
        "/v1/chat/completions" => (200, "text/event-stream", ANSWER),
        _ => (404, "text/plain", "not here"),
    };
    let head = format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    socket.write_all(head.as_bytes()).ok();
    // The rest of the request is taken, or closing would reset the connection.
    while matches!(socket.read(&mut request), Ok(more) if more > 0) {}
}

fn in_one_line(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_found_stands_in_the_header_and_is_told() {
    let address = server();
    let urls = format!("http://{address}/v1");
    let env = [("MCC_NO_DISCOVERY", ""), ("MCC_DISCOVER", urls.as_str())];
    let program = Launch { env: &env, ..Launch::default() }.start();
    let is_told =
        |screen: &str| in_one_line(screen).contains(&format!("Found found-coder at {address}"));
    program.wait_for(is_told, "the notice");
    let header = program.row(0);
    assert!(header.contains(&format!("found-coder @ {address}")), "{header}");
    program.say("hi");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("hello there"), "{screen}");
}

#[test]
fn a_prompt_that_is_sent_before_the_search_has_ended_waits_for_it() {
    let address = server();
    // Nobody answers at the second address, so that the search takes its time.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let urls = format!("http://{address}/v1,http://{}/v1", silent.local_addr().unwrap());
    let env = [("MCC_NO_DISCOVERY", ""), ("MCC_DISCOVER", urls.as_str())];
    let program = Launch { env: &env, args: &["good morning"], ..Launch::default() }.start();
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("hello there"), "{screen}");
    assert!(!screen.contains("demo"), "{screen}");
}

#[test]
fn with_nothing_found_the_screen_says_that_it_is_the_demo() {
    // Held and never listened on.
    let held = tokio::net::TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let absent = held.local_addr().unwrap();
    let urls = format!("http://{absent}/v1");
    let env = [("MCC_NO_DISCOVERY", ""), ("MCC_DISCOVER", urls.as_str())];
    let program = Launch { size: SMALL, env: &env, ..Launch::default() }.start();
    let is_told = |screen: &str| {
        let words = in_one_line(screen);
        words.contains("no model server answers here") && words.contains("the built-in demo")
    };
    program.wait_for(is_told, "the notice");
    assert!(program.row(0).contains("demo, not a real model"), "{}", program.row(0));
}

#[test]
fn the_demo_can_be_asked_for_although_a_server_would_be_found() {
    let urls = format!("http://{}/v1", server());
    let env = [("MCC_NO_DISCOVERY", ""), ("MCC_DISCOVER", urls.as_str())];
    let program = Launch { size: SMALL, env: &env, args: &["--demo"], ..Launch::default() }.start();
    let screen =
        program.wait_for(|screen| in_one_line(screen).contains("the built-in demo"), "the notice");
    assert!(program.row(0).contains("demo, not a real model"), "{}", program.row(0));
    assert!(!in_one_line(&screen).contains("Found found-coder"), "{screen}");
}
