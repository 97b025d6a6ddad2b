//! How soon one key stops a turn, whatever it does at the moment. The times are printed; what is
//! asserted is that it stops, that the screen says so, and that nothing is left.

use std::{
    io::{Read, Write},
    net::TcpListener,
    time::Instant,
};

use crate::program::{CTRL_C, ESC, Launch, Program, SMALL, last_row};

/// Presses the key and waits for the words; prints how long that took.
#[track_caller]
fn stop(program: &Program, key: &str, what: &str) -> String {
    let pressed = Instant::now();
    program.send(key);
    let stopped =
        |screen: &str| screen.contains("■ abort") || last_row(screen).contains("stopping");
    program.wait_for(stopped, "the word that it stops");
    println!("{what}: stopped on the screen after {} ms", pressed.elapsed().as_millis());
    let screen = program.wait_end("abort");
    println!("{what}: all ended after {} ms", pressed.elapsed().as_millis());
    program.wait_childless();
    screen
}

#[test]
fn while_text_streams() {
    let program = Program::script("stream");
    program.say("long");
    program.wait_for(|screen| screen.contains("FIRST-MARKER"), "the beginning of the answer");
    stop(&program, ESC, "text");
}

#[test]
fn while_a_batch_runs() {
    let program = Program::unasked("batch");
    program.say("go");
    program.wait_sleepers(2);
    let screen = stop(&program, ESC, "batch");
    assert!(screen.contains("not run"), "the call behind it never ran: {screen}");
    assert_eq!(program.file("never"), None);
}

#[test]
fn while_a_question_is_open() {
    let program = Program::script("sleepers");
    program.say("go");
    program.wait_armed();
    let screen = stop(&program, CTRL_C, "question");
    assert!(
        screen.contains("while a question was open") || screen.contains("question"),
        "{screen}"
    );
}

#[test]
fn while_a_command_floods() {
    let program = Program::unasked("endless");
    program.say("go");
    program.wait_for(|screen| screen.contains("│ y"), "the flood");
    stop(&program, ESC, "flood");
}

#[test]
fn while_a_request_waits_to_be_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut request = [0; 16_384];
            let _read = socket.read(&mut request).is_ok();
            let answer = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 60\r\n\
                          content-length: 0\r\nconnection: close\r\n\r\n";
            let _gone = socket.write_all(answer.as_bytes()).is_err();
        }
    });
    let args = ["--base-url", url.as_str(), "--model", "m"];
    let program = Launch { size: SMALL, args: &args, ..Launch::default() }.start();
    program.say("go");
    program.wait_for(|screen| last_row(screen).contains("retry"), "the countdown");
    stop(&program, ESC, "retry");
}
