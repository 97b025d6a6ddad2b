//! In GNU screen and tmux, the real ones: Esc stops a turn, and emoji break no row.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use tempfile::TempDir;

use crate::{
    program::{CTRL_D, ENTER, ESC, SMALL, folder, has, last_row, prompt, script_path},
    support::{Exit, Term, eventually},
};

/// A family: three people, joined to one emoji.
const FAMILY: &str = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
const JOINER: &[u8] = "\u{200d}".as_bytes();

/// The program inside of another one that shows it, with a folder for both.
struct Inside {
    term: Term,
    _folder: TempDir,
}

fn is_installed(name: &str) -> bool {
    let is_there = Command::new("sh").args(["-c", &format!("command -v {name}")]).output();
    let is_there = is_there.is_ok_and(|output| output.status.success());
    if !is_there {
        println!("skipped: {name} is not installed");
    }
    is_there
}

fn takes_mouse(screen: &vt100::Screen) -> bool {
    screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
}

impl Inside {
    fn start(name: &str, args: &[&str], folder: TempDir) -> Self {
        // GNU screen wants a folder of its own for its sockets.
        let sockets = folder.path().join("sockets");
        fs::create_dir(&sockets).unwrap();
        fs::set_permissions(&sockets, fs::Permissions::from_mode(0o700)).unwrap();
        let env = [("SCREENDIR", sockets.to_str().unwrap())];
        let term = Term::spawn(name, SMALL, args, &env, folder.path());
        term.wait_for(|screen| last_row(screen).contains("? keys"), "the program");
        Self { term, _folder: folder }
    }

    fn in_screen() -> Option<Self> {
        is_installed("screen").then(|| {
            let folder = folder(&[("rc", "startup_message off\nterm screen-256color\n")]);
            let (binary, script) = (env!("CARGO_BIN_EXE_mcc-tui"), script_path("hang"));
            Self::start("screen", &["-U", "-c", "rc", binary, "--script", &script], folder)
        })
    }

    /// In tmux, by this command of a shell.
    fn in_tmux(before: &str) -> Option<Self> {
        is_installed("tmux").then(|| {
            // A tmux of its own without the settings of anybody; it hands Esc on soon.
            let conf = "set -g status off\nset -s escape-time 10\nset -g mouse off\n";
            let folder = folder(&[("conf", conf)]);
            let socket = socket(folder.path());
            let binary = env!("CARGO_BIN_EXE_mcc-tui");
            let command = format!("{before} {binary} --script {}", script_path("hang"));
            let args = ["-u", "-S", &socket, "-f", "conf", "new-session", &command];
            Self::start("tmux", &args, folder)
        })
    }

    /// Esc stops a turn, and the program ends.
    fn assert_stops(&self) {
        self.term.type_text("words");
        self.term.send(ENTER);
        self.term.wait_for(|screen| screen.contains(" w1"), "words of the answer");
        self.term.send(ESC);
        self.term.wait_for(|screen| screen.contains("■ abort"), "the end of the turn");
        self.term.send(CTRL_D);
    }
}

fn socket(folder: &Path) -> String {
    folder.join("tmux").to_str().unwrap().to_owned()
}

#[test]
fn in_gnu_screen_esc_stops_a_turn_because_the_mouse_is_not_taken() {
    let Some(mut inside) = Inside::in_screen() else { return };
    assert!(!inside.term.with_screen(takes_mouse));
    inside.assert_stops();
    assert_eq!(inside.term.wait_exit(), Exit::Code(0));
}

#[test]
fn in_gnu_screen_the_mouse_can_be_had_and_what_that_costs_is_said() {
    let Some(inside) = Inside::in_screen() else { return };
    inside.term.type_text("/mouse");
    inside.term.send(ENTER);
    inside.term.wait_for(|screen| last_row(screen).contains("Ctrl-C stops"), "the words for it");
    inside.term.wait_screen(takes_mouse, "the mouse");
}

#[test]
fn in_gnu_screen_emoji_of_several_characters_are_drawn_as_their_first() {
    let Some(inside) = Inside::in_screen() else { return };
    inside.term.send(format!("ab hello {FAMILY} xy"));
    let whole = |screen: &str| prompt(screen).starts_with("ab hello \u{1f468}");
    inside.term.wait_for(|screen| whole(screen) && prompt(screen).ends_with(" xy"), "the prompt");
    assert!(!has(&inside.term.bytes(), JOINER));
}

#[test]
fn gnu_screen_is_left_without_the_rows_that_were_drawn() {
    if !is_installed("screen") {
        return;
    }
    let folder = folder(&[("rc", "startup_message off\n")]);
    let (binary, script) = (env!("CARGO_BIN_EXE_mcc-tui"), script_path("stream"));
    let command = format!("{binary} --script {script}; echo left-$((40+2)); sleep 300");
    let inside = Inside::start("screen", &["-U", "-c", "rc", "sh", "-c", &command], folder);
    inside.term.send(CTRL_D);
    let screen = inside.term.wait_for(|screen| screen.contains("left-42"), "the next command");
    assert_eq!(screen.trim(), "left-42");
}

#[test]
fn in_tmux_esc_stops_a_turn_and_the_mouse_is_taken() {
    // As it is, and as it looks from another machine, where tmux has to be asked.
    for before in ["", "env -u TMUX -u TERM_PROGRAM TERM=screen-256color"] {
        let Some(mut inside) = Inside::in_tmux(before) else { return };
        inside.term.wait_screen(takes_mouse, "the mouse");
        inside.term.send(format!("ab {FAMILY} xy"));
        eventually(|| has(&inside.term.bytes(), JOINER), "the emoji as it was written");
        inside.term.send("\x15");
        inside.term.wait_for(|screen| prompt(screen) == "type what you want", "the empty prompt");
        inside.assert_stops();
        assert_eq!(inside.term.wait_exit(), Exit::Code(0));
    }
}
