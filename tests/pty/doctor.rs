//! `mcc-tui doctor` on a terminal: what runs is shown, replaced, and stopped by Ctrl-C.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use tempfile::TempDir;

use crate::{
    program::{CTRL_C, SMALL, folder},
    support::{Exit, Term},
};

/// A server that refuses everybody, and its base URL.
fn closed_door() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let answer = "HTTP/1.1 401 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            let _done = socket.read(&mut request).and_then(|_| socket.write(answer.as_bytes()));
        }
    });
    url
}

/// The program, and the folder that it runs in.
fn doctor(url: &str) -> (Term, TempDir) {
    let folder = folder(&[]);
    let term = Term::start(SMALL.0, SMALL.1, &["doctor", url], &[], folder.path());
    (term, folder)
}

#[test]
fn the_line_of_the_check_that_runs_is_replaced_by_what_it_found() {
    let (mut term, _folder) = doctor(&closed_door());
    assert_eq!(term.wait_exit(), Exit::Code(77));
    let written = String::from_utf8_lossy(&term.bytes()).into_owned();
    assert!(written.contains("… checking models\r\u{1b}[K"), "{written:?}");
    let screen = term.screen();
    assert!(!screen.contains("checking models"), "{screen}");
    assert!(screen.contains("\nmodels          no       The server answered 401"), "{screen}");
    assert!(screen.contains("\nall others      skipped  "), "{screen}");
}

#[test]
fn ctrl_c_ends_a_check_that_waits() {
    // Nobody takes the connection up, and nobody refuses it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut term, _folder) = doctor(&format!("http://{}/v1", listener.local_addr().unwrap()));
    term.wait_for(|screen| screen.contains("… checking server"), "the check");
    term.send(CTRL_C);
    assert_eq!(term.wait_exit(), Exit::Code(130));
    drop(listener);
}
