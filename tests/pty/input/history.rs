//! The history of prompts: it outlives the program, is searched, and gives back what was cleared.

use super::*;

#[test]
fn the_history_outlives_the_program_and_is_searched() {
    let state = tempfile::tempdir().unwrap();
    let env = [("XDG_STATE_HOME", state.path().to_str().unwrap())];
    let launch = Launch { script: Some("stream"), env: &env, ..Launch::default() };
    let mut program = launch.start();
    for prompt in ["fix the parser", "run the tests", "fix the docs"] {
        program.say(prompt);
        program.wait_for(|screen| screen.contains(&format!("› {prompt}")), "the prompt as said");
        program.wait_idle();
    }
    let file = state.path().join("mcc-tui").join("history");
    let lines = || fs::read_to_string(&file).unwrap_or_default().lines().count();
    eventually(|| lines() == 3, "the history in its file");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));

    let program = launch.start();
    eventually(
        || {
            program.send(UP);
            program.settle();
            program.screen().contains(" › fix the")
        },
        "a prompt of the earlier run",
    );
    program.send(CTRL_C);
    program.wait_idle();
    program.type_text("draft");
    program.wait_prompt("draft");
    program.send(CTRL_R);
    program.type_text("fix");
    let shows = |words: &'static str| move |screen: &str| screen.contains(words);
    program.wait_for(shows("history: fix"), "the search");
    program.wait_prompt("fix the docs");
    program.send(CTRL_R);
    program.wait_prompt("fix the parser");
    program.send(ESC);
    program.wait_prompt("draft");
    program.send(CTRL_R);
    program.type_text("run");
    program.wait_prompt("run the tests");
    program.send(ENTER);
    program.wait_for(|screen| !last_row(screen).contains("older"), "the closed search");
    program.wait_prompt("run the tests");
}

#[test]
fn up_leads_to_the_prompts_of_this_folder_first() {
    let state = tempfile::tempdir().unwrap();
    let env = [("XDG_STATE_HOME", state.path().to_str().unwrap())];
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let file = state.path().join("mcc-tui").join("history");
    let lines = || fs::read_to_string(&file).unwrap_or_default().lines().count();
    let start = |folder: usize| {
        let args = ["-C", folders[folder].path().to_str().unwrap()];
        Launch { script: Some("stream"), env: &env, args: &args, ..Launch::default() }.start()
    };
    for (folder, prompt) in [(0, "said here"), (1, "said there")] {
        let mut program = start(folder);
        program.say(prompt);
        program.wait_for(|screen| screen.contains(&format!("› {prompt}")), "the prompt as said");
        program.wait_idle();
        eventually(|| lines() == folder + 1, "the history in its file");
        program.send(CTRL_D);
        assert_eq!(program.wait_exit(), Exit::Code(0));
    }
    let program = start(0);
    // The file is read beside the first frames: until then there is nothing earlier.
    let is_there = || {
        program.send(UP);
        program.settle();
        program.screen().contains(" › said ")
    };
    eventually(is_there, "a prompt of an earlier run");
    // On a slow machine Up was pressed more than once.
    program.send(DOWN.repeat(9));
    program.wait_for(|screen| screen.contains("type what you want"), "the empty prompt");
    program.send(UP);
    program.wait_prompt("said here");
    program.send(UP);
    program.wait_prompt("said there");
}

#[test]
fn undo_brings_back_what_ctrl_c_has_cleared() {
    let program = Program::script("hang");
    program.type_text("a long thought");
    program.wait_prompt("a long thought");
    program.send(CTRL_C);
    program.wait_for(|screen| last_row(screen).contains("cleared; Ctrl-_"), "the hint");
    // Terminals send this for Ctrl-_.
    program.send("\x1f");
    program.wait_prompt("a long thought");
}

#[test]
fn a_broken_history_is_no_error() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().join("mcc-tui");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("history"), b"\xff\xfe\x00 broken\n\"good\"\n{").unwrap();
    let env = [("XDG_STATE_HOME", state.path().to_str().unwrap())];
    let program = Launch { script: Some("stream"), env: &env, ..Launch::default() }.start();
    program.say("hello");
    program.wait_idle();
    program.send(UP);
    program.wait_prompt("hello");
    // The file is read beside the first frames: until then there is nothing earlier.
    let is_good = || {
        program.send(UP);
        program.settle();
        program.screen().contains(" › good")
    };
    eventually(is_good, "what was good in the file");
}
