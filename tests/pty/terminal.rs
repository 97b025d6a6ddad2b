//! What the program makes of its terminal, and what it tells it.

mod told;

use std::{thread, time::Duration};

use tempfile::TempDir;

use crate::{
    program::{CTRL_D, ENTER, ESC, Launch, Program, SMALL, count, has, is_busy, last_row},
    support::{Exit, UNTOLD, eventually},
};

const TRUE_COLOUR: (&str, &str) = ("COLORTERM", "truecolor");
const DARK: &str = "\x1b]11;rgb:1010/1010/1010\x1b\\";
const LIGHT: &str = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\";
const FOCUS_LOST: &str = "\x1b[O";
const FOCUS_GAINED: &str = "\x1b[I";

fn started(env: &[(&str, &str)]) -> Program {
    Launch { script: Some("echo"), env, ..Launch::default() }.start()
}

/// Settings of the user, in a folder for `XDG_CONFIG_HOME`.
fn settings(text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("mcc-tui")).unwrap();
    std::fs::write(folder.path().join("mcc-tui/config.toml"), text).unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    (folder, path)
}

/// Colours of the letters on the screen.
fn colours(screen: &vt100::Screen) -> Vec<vt100::Color> {
    let (rows, columns) = screen.size();
    let cells = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
    let cells = cells.filter_map(|(row, column)| screen.cell(row, column));
    cells
        .filter(|cell| cell.has_contents())
        .flat_map(|cell| [cell.fgcolor(), cell.bgcolor()])
        .collect()
}

fn is_plain(screen: &vt100::Screen) -> bool {
    colours(screen).iter().all(|colour| *colour == vt100::Color::Default)
}

fn is_true(colour: vt100::Color) -> bool {
    matches!(colour, vt100::Color::Rgb(..))
}

/// Waits for colours of their own; gives the brightest of them.
#[track_caller]
fn wait_own_colours(program: &Program) -> u8 {
    program.wait_screen(|screen| colours(screen).into_iter().any(is_true), "colours of its own");
    let all = program.with_screen(colours);
    let green = |colour| match colour {
        vt100::Color::Rgb(_, green, _) => green,
        _ => 0,
    };
    all.into_iter().map(green).max().unwrap_or(0)
}

#[track_caller]
fn assert_types(program: &Program, text: &str) {
    program.type_text(text);
    program.wait_prompt(text);
}

#[test]
fn the_colours_follow_the_background_that_the_terminal_tells() {
    // light letters on a dark background, and dark ones on a light one
    for (answer, is_bright) in [(DARK, true), (LIGHT, false)] {
        let program = started(&[TRUE_COLOUR, UNTOLD]);
        assert!(!program.with_screen(colours).into_iter().any(is_true), "nothing is known yet");
        program.wait_bytes(b"\x1b]11;?\x1b\\");
        program.send(answer);
        assert_eq!(wait_own_colours(&program) > 0x80, is_bright);
        assert_types(&program, "typed");
    }
}

#[test]
fn the_first_frame_waits_for_no_answer_and_keys_work_without_one() {
    let program = started(&[TRUE_COLOUR, UNTOLD]);
    assert_types(&program, "]11;rgb: is no answer");
    program.send(ENTER);
    program.wait_for(|screen| screen.contains("the last: ]11;rgb: is no answer"), "the answer");
    assert!(!program.with_screen(colours).into_iter().any(is_true));
}

#[test]
fn an_answer_amid_typing_is_no_text() {
    let program = started(&[TRUE_COLOUR, UNTOLD]);
    program.type_text("be");
    program.send(format!("fore{LIGHT}af"));
    program.type_text("ter");
    program.wait_prompt("beforeafter");
}

#[test]
fn an_answer_in_pieces_is_no_text() {
    for at in [1, 2, 4, 5, 9, 13, 23, 24] {
        let program = started(&[TRUE_COLOUR, UNTOLD]);
        program.wait_bytes(b"\x1b]11;?\x1b\\");
        let (head, tail) = DARK.split_at(at);
        program.send(head);
        // so that the program has a chance to read them apart; it must stand both
        thread::park_timeout(Duration::from_millis(10));
        program.send(tail);
        assert_types(&program, "typed");
    }
}

#[test]
fn a_late_answer_is_no_text_and_changes_nothing() {
    let program = started(&[TRUE_COLOUR, UNTOLD]);
    program.wait_bytes(b"\x1b]11;?\x1b\\");
    thread::park_timeout(Duration::from_millis(2_500));
    program.send(LIGHT);
    assert_types(&program, "typed");
    program.settle();
    assert!(!program.with_screen(colours).into_iter().any(is_true));
}

#[test]
fn esc_stops_a_turn_while_an_answer_is_still_to_come() {
    let program = Launch { script: Some("hang"), env: &[UNTOLD], ..Launch::default() }.start();
    program.say("words");
    program.wait_words();
    program.send(ESC);
    program.wait_end("abort");
}

#[test]
fn a_terminal_that_cannot_answer_is_not_asked() {
    for env in [
        [("TERM", "linux"), TRUE_COLOUR],
        [("TERM", "screen-256color"), TRUE_COLOUR],
        [("NO_COLOR", "1"), TRUE_COLOUR],
    ] {
        let program = started(&env);
        program.settle();
        assert!(!has(&program.bytes(), b"\x1b]11;?"), "{env:?}");
    }
}

#[test]
fn the_environment_tells_the_background_where_the_terminal_does_not() {
    for (value, is_bright) in [("15;0", true), ("0;15", false)] {
        let program = started(&[TRUE_COLOUR, UNTOLD, ("COLORFGBG", value)]);
        assert_eq!(wait_own_colours(&program) > 0x80, is_bright, "{value}");
    }
}

#[test]
fn no_color_means_none() {
    let program = Launch {
        script: Some("hang"),
        env: &[("NO_COLOR", "1"), TRUE_COLOUR],
        ..Launch::default()
    }
    .start();
    program.say("words");
    program.wait_words();
    assert!(program.with_screen(is_plain));
    let bytes = program.bytes();
    for colour in [b"\x1b[38".as_slice(), b"\x1b[48", b"\x1b[31", b"\x1b[36"] {
        assert!(!has(&bytes, colour), "{}", colour.escape_ascii());
    }
}

#[test]
fn the_list_of_themes_shows_each_at_once() {
    let program = started(&[TRUE_COLOUR]);
    wait_own_colours(&program);
    program.say("/theme");
    program.wait_for(|screen| screen.contains("▸ auto"), "the list");
    program.send("\x1b[F");
    program.wait_screen(is_plain, "no colours");
    program.send(ESC);
    program.wait_idle();
    wait_own_colours(&program);
    program.say("/theme");
    program.wait_for(|screen| screen.contains("▸ auto"), "the list");
    program.send("\x1b[B\x1b[B");
    program.wait_for(|screen| screen.contains("▸ light"), "the mark");
    program.send(ENTER);
    program.wait_for(|screen| screen.contains("theme = \"light\" below [ui]"), "how to keep it");
    assert!(wait_own_colours(&program) < 0x80);
}

#[test]
fn a_locale_without_signs_gets_ascii_alone() {
    for (env, size) in [([("LC_ALL", "C")], SMALL), ([("TERM", "linux")], (40, 10))] {
        let program = Launch { size, env: &env, ..Launch::default() }.start();
        program.say("show me");
        // In few words where the screen is narrow.
        let asks = |screen: &str| screen.contains("reate summary.md?");
        let screen = program.wait_for(asks, "the question");
        assert!(screen.is_ascii(), "{screen}");
        program.settle();
        let bytes = program.bytes();
        assert!(bytes.is_ascii(), "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn nothing_spins_where_motion_is_off() {
    let (_folder, path) = settings("[ui]\nmotion = false\n");
    for env in [("MCC_REDUCED_MOTION", "1"), ("XDG_CONFIG_HOME", &path)] {
        let program = Launch { script: Some("hang"), env: &[env], ..Launch::default() }.start();
        program.say("words");
        let still = |screen: &str| last_row(screen).contains("● answering");
        let screen = program.wait_for(still, "a still sign");
        assert!(!is_busy(&screen), "{screen}");
        program.send(ESC);
        program.wait_end("abort");
        let text = String::from_utf8_lossy(&program.bytes()).into_owned();
        let spinner = text.chars().find(|c| ('\u{2800}'..='\u{28ff}').contains(c));
        assert_eq!(spinner, None);
    }
}

#[test]
fn keys_of_the_user_count_and_stand_in_the_help() {
    let (_folder, path) = settings("[keys]\n\"ctrl-t\" = \"help\"\n\"f6\" = \"abort\"\n");
    let env = [("XDG_CONFIG_HOME", path.as_str())];
    let program = Launch { script: Some("hang"), env: &env, size: (100, 60), ..Launch::default() };
    let program = program.open();
    program.wait_for(|screen| last_row(screen).contains("Ctrl-T keys"), "the key that counts");
    program.send("\x14");
    let screen = program.wait_for(|screen| screen.contains("Esc closes the help"), "the help");
    assert!(screen.contains("Ctrl-T") && screen.contains("F6"), "{screen}");
    program.send(ESC);
    program.wait_prompt("type what you want");
    program.say("words");
    program.wait_for(|screen| last_row(screen).contains("F6 stops"), "the key that counts");
    program.send("\x1b[17~");
    program.wait_end("abort");
}

#[test]
fn a_key_that_is_none_is_told_with_the_nearest_and_the_usual_keys_stay() {
    let (_folder, path) = settings("model = \"m\"\n[keys]\n\"ctrl-t\" = \"hepl\"\n");
    let env = [("XDG_CONFIG_HOME", path.as_str())];
    let program = Launch { script: Some("echo"), env: &env, ..Launch::default() }.start();
    let screen = program.screen();
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Did you mean `help`?"), "{screen}");
    let letters: String = screen.split_whitespace().collect();
    assert!(letters.contains("config.toml:3"), "{screen}");
    program.send("?");
    program.wait_for(|screen| screen.contains("Esc closes the help"), "the help");
}

#[test]
fn a_terminal_that_claims_to_be_endless_is_used_in_part() {
    let mut program = Program::script("hang");
    program.say("words");
    program.wait_words();
    let before = program.bytes().len();
    program.claim(65_535, 65_535);
    eventually(|| program.bytes().len() > before, "a frame of that size");
    let peak = program.peak();
    assert!(peak > 0 && peak < 600 << 20, "{peak} bytes");
    program.resize(80, 24);
    // A key that comes together with a size is read only with the next one.
    let is_usual = |screen: &str| is_busy(screen) && last_row(screen).contains("Esc stops");
    program.wait_for(is_usual, "a frame of the usual size");
    program.send(ESC);
    program.wait_end("abort");
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
}

#[test]
fn emoji_of_disputed_width_leave_nothing_behind_when_they_are_scrolled_away() {
    // This terminal counts every character by itself, as tmux and others do.
    for size in [SMALL, (40, 10)] {
        let program = Launch { script: Some("emoji"), size, ..Launch::default() }.start();
        program.say("go");
        program.wait_end("end_turn");
        let is_plain = |screen: &str| !screen.contains(['🇩', '🇪', '👍', '🏽', '❤', '👩']);
        for _ in 0..3 {
            program.send("\x1b[1;5H");
            program.wait_for(|screen| !is_plain(screen) && screen.contains("› go"), "the top");
            program.send("\x1b[6~");
            program.wait_for(|screen| !is_plain(screen) && !screen.contains("› go"), "a page on");
            program.send("\x1b[1;5F");
            program.wait_for(|screen| screen.contains("■ end_turn"), "the end");
            let screen = program.screen();
            assert!(is_plain(&screen), "{screen}");
        }
    }
}
