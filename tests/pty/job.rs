//! Under a shell: to the background and back.

use rustix::process::Signal;

use crate::{
    program::{CTRL_D, CTRL_G, CTRL_Z, LARGE, count, folder, is, last_row, script_path},
    support::{Term, eventually, processes_with},
};

/// A shell with job control, in which the program was started.
fn under_a_shell() -> (Term, tempfile::TempDir) {
    under_a_shell_with("vi")
}

fn under_a_shell_with(editor: &str) -> (Term, tempfile::TempDir) {
    let folder = folder(&[]);
    let args = ["--norc", "--noprofile", "-i"];
    let env = [("PS1", "shell> "), ("VISUAL", editor)];
    let bash = Term::spawn("bash", LARGE, &args, &env, folder.path());
    bash.wait_for(|screen| screen.contains("shell>"), "the shell");
    let binary = env!("CARGO_BIN_EXE_mcc-tui");
    bash.send(format!("{binary} --script {}\r", script_path("echo")));
    bash.wait_for(|screen| last_row(screen).contains("? keys"), "the program");
    (bash, folder)
}

#[track_caller]
fn assert_the_shell_works_and_fg_comes_back(bash: &Term) {
    bash.wait_for(|screen| screen.contains("Stopped") && screen.contains("shell>"), "the shell");
    bash.with_screen(|screen| {
        assert!(!screen.alternate_screen() && !screen.hide_cursor());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    });
    bash.send("echo shell-$((40+2))\r");
    bash.wait_for(|screen| screen.contains("shell-42"), "an answer of the shell");
    bash.send("fg\r");
    let back = |screen: &vt100::Screen| screen.alternate_screen() && screen.bracketed_paste();
    bash.wait_screen(back, "the full screen");
    let whole = |screen: &str| {
        let first = screen.lines().next().unwrap_or_default();
        first.contains("mcc-tui ·") && screen.contains(" › a draft")
    };
    bash.wait_for(whole, "the screen with the draft");
    bash.type_text("ed word");
    bash.wait_for(|screen| screen.contains(" › a drafted word"), "an echo");
}

#[test]
fn ctrl_z_stops_it_and_fg_brings_it_back() {
    let (bash, _folder) = under_a_shell();
    bash.type_text("a draft");
    bash.wait_for(|screen| screen.contains(" › a draft"), "the draft");
    bash.send(CTRL_Z);
    assert_the_shell_works_and_fg_comes_back(&bash);
    bash.send("\r");
    bash.wait_for(|screen| screen.contains("the last: a drafted word"), "the answer");
    bash.send(CTRL_D);
    bash.wait_screen(|screen| !screen.alternate_screen(), "the end of the full screen");
    bash.send("echo code-$?\r");
    bash.wait_for(|screen| screen.contains("code-0"), "the exit code");
}

#[test]
fn a_stop_signal_is_obeyed_like_ctrl_z() {
    let (bash, _folder) = under_a_shell();
    bash.type_text("a draft");
    bash.wait_for(|screen| screen.contains(" › a draft"), "the draft");
    let program = || processes_with(bash.marker()).into_iter().find(|pid| is(*pid, "mcc-tui"));
    eventually(|| program().is_some(), "the program");
    rustix::process::kill_process(program().unwrap(), Signal::TSTP).unwrap();
    assert_the_shell_works_and_fg_comes_back(&bash);
}

#[test]
fn a_kill_after_ctrl_z_ends_it_and_leaves_the_shell_alone() {
    let (bash, _folder) = under_a_shell();
    bash.send(CTRL_Z);
    bash.wait_for(|screen| screen.contains("Stopped") && screen.contains("shell>"), "the shell");
    let taken = count(&bash.bytes(), b"\x1b[?1049h");
    bash.send("kill %1\r");
    let program = || processes_with(bash.marker()).into_iter().any(|pid| is(pid, "mcc-tui"));
    eventually(|| !program(), "its end");
    // At a prompt the shell tells of it, once it knows: the last thread may end behind the first.
    let is_told = || {
        let is_told = bash.screen().contains("Exit 143");
        if !is_told {
            bash.send("\r");
        }
        is_told
    };
    eventually(is_told, "the exit code");
    assert_eq!(count(&bash.bytes(), b"\x1b[?1049h"), taken, "it took no terminal");
    bash.send("echo shell-$((40+2))\r");
    bash.wait_for(|screen| screen.contains("shell-42"), "an answer of the shell");
}

#[test]
fn let_go_on_behind_a_shell_it_stops_again_and_fg_still_brings_it_back() {
    let (bash, _folder) = under_a_shell();
    bash.type_text("a draft");
    bash.wait_for(|screen| screen.contains(" › a draft"), "the draft");
    bash.send(CTRL_Z);
    bash.wait_for(|screen| screen.contains("Stopped") && screen.contains("shell>"), "the shell");
    let program = || processes_with(bash.marker()).into_iter().find(|pid| is(*pid, "mcc-tui"));
    let stopped = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", program().unwrap())).unwrap();
        stat.rsplit_once(") ").unwrap().1.starts_with('T')
    };
    eventually(stopped, "its stop");
    bash.send("bg; echo let-$((40+2))\r");
    bash.wait_for(|screen| screen.contains("let-42"), "the shell's word");
    eventually(stopped, "its stop once more");
    assert_the_shell_works_and_fg_comes_back(&bash);
}

#[test]
fn an_editor_that_is_stopped_takes_the_program_along_and_both_come_back() {
    // Read again if the stop broke it off.
    let editor = "f() { echo ready; until read line; do :; done; printf %s \"$line\" >\"$1\"; }; f";
    let (bash, _folder) = under_a_shell_with(editor);
    bash.type_text("kept");
    bash.wait_for(|screen| screen.contains(" › kept"), "the prompt");
    bash.send(CTRL_G);
    bash.wait_for(|screen| screen.contains("ready"), "the editor");
    bash.send(CTRL_Z);
    bash.wait_for(|screen| screen.contains("Stopped") && screen.contains("shell>"), "the shell");
    bash.send("echo shell-$((40+2))\r");
    bash.wait_for(|screen| screen.contains("shell-42"), "an answer of the shell");
    bash.send("fg\r");
    // Typed, stopped, and let go on.
    let named = |screen: &str| screen.matches("mcc-tui --script").count() == 3;
    bash.wait_for(named, "the shell's word");
    bash.send("a draft\r");
    let back = |screen: &vt100::Screen| screen.alternate_screen() && screen.bracketed_paste();
    bash.wait_screen(back, "the full screen");
    bash.wait_for(|screen| screen.contains(" › a draft"), "the text of the editor");
    bash.type_text("ed word");
    bash.wait_for(|screen| screen.contains(" › a drafted word"), "an echo");
}
