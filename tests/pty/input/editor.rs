//! The editor of the user: the terminal is its own while it runs, and comes back.

use super::*;

/// An editor that is a shell script, in a folder of its own.
fn editor(script: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("editor");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    let command = path.to_str().unwrap().to_owned();
    (folder, command)
}

#[test]
fn the_editor_changes_the_prompt_and_the_screen_comes_back() {
    let (_folder, command) = editor("printf ' and more' >> \"$1\"");
    let env = [("EDITOR", command.as_str())];
    let program = Launch { script: Some("hang"), env: &env, ..Launch::default() }.start();
    program.type_text("a draft");
    program.wait_prompt("a draft");
    program.send(CTRL_G);
    program.wait_prompt("a draft and more");
    assert!(program.is_raw_mode());
    program.wait_screen(vt100::Screen::alternate_screen, "the full screen");
    program.type_text("!");
    program.wait_prompt("a draft and more!");
}

#[test]
fn keys_are_for_the_editor_while_it_has_the_terminal() {
    let (_folder, command) =
        editor("printf 'what now? '; read line; printf '%s' \"$line\" > \"$1\"");
    let env = [("EDITOR", "false"), ("VISUAL", command.as_str())];
    let program = Launch { script: Some("hang"), env: &env, ..Launch::default() }.start();
    program.send(CTRL_G);
    program.wait_for(|screen| screen.contains("what now?"), "the editor's own words");
    program.wait_screen(|screen| !screen.alternate_screen(), "the normal screen");
    assert!(!program.is_raw_mode());
    program.type_text("typed into it");
    program.wait_for(|screen| screen.contains("what now? typed into it"), "the echo");
    program.send(ENTER);
    program.wait_prompt("typed into it");
}

#[test]
fn an_interrupt_for_the_editor_ends_only_the_editor() {
    let (_folder, command) = editor("printf 'ready '; read line");
    let env = [("EDITOR", command.as_str())];
    let program = Launch { script: Some("hang"), env: &env, ..Launch::default() }.start();
    program.type_text("kept");
    program.wait_prompt("kept");
    program.send(CTRL_G);
    program.wait_for(|screen| screen.contains("ready"), "the editor");
    program.send(CTRL_C);
    program.wait_for(|screen| screen.contains("· The editor"), "the notice");
    program.wait_prompt("kept");
    program.type_text("!");
    program.wait_prompt("kept!");
}

#[test]
fn an_editor_goes_with_the_program() {
    let (folder, command) = editor(
        "trap 'echo gone > \"${0%/*}/end\"; exit 1' HUP; printf 'ready '; while :; do sleep 1; done",
    );
    let env = [("EDITOR", command.as_str())];
    let mut program = Launch { script: Some("hang"), env: &env, ..Launch::default() }.start();
    program.type_text("kept");
    program.wait_prompt("kept");
    program.send(CTRL_G);
    program.wait_for(|screen| screen.contains("ready"), "the editor");
    program.kill(Signal::TERM);
    assert_eq!(program.wait_exit(), Exit::Code(143));
    eventually(|| folder.path().join("end").exists(), "the end of the editor");
    assert!(program.screen().contains("not sent: kept"), "{}", program.screen());
}

#[test]
fn an_editor_that_is_missing_is_told() {
    let env = [("EDITOR", "no-such-editor")];
    let program = Launch { script: Some("hang"), env: &env, ..Launch::default() }.start();
    program.type_text("kept");
    program.wait_prompt("kept");
    program.send(CTRL_G);
    program.wait_for(|screen| screen.contains("There is no editor"), "the notice");
    program.wait_prompt("kept");
}
