//! Terminals that change their size while something is going on.

use crate::{
    program::{CTRL_D, ESC, Program, is_busy, last_row},
    support::Exit,
};

/// The words `w1000 w1001 …` that stand on whole rows: each row follows the one before, and no
/// row ends before the next word would not have fitted.
fn is_wrapped_at(screen: &str, columns: usize) -> bool {
    let rows: Vec<Vec<&str>> = screen
        .lines()
        .filter(|row| row.trim_start().starts_with("w1"))
        .map(|row| row.split_whitespace().collect())
        .collect();
    let Some((_, whole)) = rows.split_last().filter(|(_, whole)| whole.len() > 1) else {
        return false;
    };
    let numbers = whole.iter().flatten().map(|word| word.trim_start_matches('w').parse::<u32>());
    let Ok(numbers) = numbers.collect::<Result<Vec<u32>, _>>() else { return false };
    let in_order = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
    // every word has five letters; at most a margin of four columns stays free
    let full = whole.iter().all(|row| (columns - 4 - 6..=columns).contains(&(row.len() * 6 - 1)));
    in_order && full
}

#[test]
fn an_answer_that_streams_is_wrapped_anew_with_every_size() {
    let program = Program::script("hang");
    program.say("words");
    program.wait_for(|screen| is_wrapped_at(screen, 80), "words wrapped at 80 columns");
    for (columns, rows) in [(40, 10), (200, 50), (80, 24), (41, 10)] {
        program.resize(columns, rows);
        let right = |screen: &str| {
            is_wrapped_at(screen, usize::from(columns))
                && is_busy(screen)
                && last_row(screen).contains("answering")
        };
        program.wait_for(right, &format!("words and status at {columns}x{rows}"));
        program.type_text("x");
        program.wait_for(|screen| screen.contains("› x"), "an echo");
        program.send("\x7f");
    }
    program.send(ESC);
    program.wait_end("abort");
}

#[test]
fn a_key_that_comes_with_a_new_size_is_not_left_until_the_next_one() {
    let program = Program::script("hang");
    let mut typed = String::new();
    for round in 0..60_u16 {
        let key = char::from(b'a' + u8::try_from(round % 26).unwrap());
        typed.push(key);
        program.resize(80 + round % 2, 24);
        program.send(key.to_string());
        let end = typed.len().saturating_sub(5);
        let tail = typed[end..].to_owned();
        program.wait_for(|screen| screen.contains(&tail), &format!("key {round}"));
    }
}

#[test]
fn a_burst_of_keys_is_taken_to_its_end() {
    let program = Program::script("hang");
    for round in 1..6 {
        program.send("burst ".repeat(500) + "end");
        // so many at once are a paste, and the same text again is the same paste
        let chips = |screen: &str| screen.matches("3,003 characters]").count();
        program.wait_for(|screen| chips(screen) == round, "the end of the burst");
    }
}

#[test]
fn the_narrow_status_line_still_says_how_to_stop() {
    let program = Program::script("hang");
    program.say("words");
    program.wait_words();
    program.resize(40, 10);
    let told = |screen: &str| is_busy(screen) && last_row(screen).contains("Esc stops");
    program.wait_for(told, "the key that stops");
}

#[test]
fn a_storm_of_sizes_is_survived() {
    let mut program = Program::script("hang");
    program.say("words");
    program.wait_words();
    let sizes = [(80, 24), (1, 1), (200, 50), (2, 3), (40, 10), (300, 5), (5, 100), (17, 8)];
    for n in 0..50 {
        let (columns, rows) = sizes[n * 5 % sizes.len()];
        let before = program.bytes().len();
        program.resize(columns, rows);
        if n % 2 == 0 {
            // half of them meet a program that has drawn the size before, half do not
            program.wait_screen(|_| true, "a screen");
            crate::support::eventually(|| program.bytes().len() > before, "something drawn");
        }
    }
    program.resize(80, 24);
    program.wait_for(|screen| is_wrapped_at(screen, 80) && is_busy(screen), "the usual screen");
    program.send(ESC);
    program.wait_end("abort");
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    assert!(!program.screen().contains("panicked"), "{}", program.screen());
}

#[test]
fn an_open_question_survives_a_small_terminal() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_armed();
    program.resize(40, 10);
    let asks = |screen: &str| screen.contains("May it create notes.txt?");
    program.wait_for(asks, "the question on a small screen");
    program.resize(3, 2);
    program.settle();
    program.resize(200, 50);
    program.wait_for(asks, "the question on a large screen");
    program.wait_armed();
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("notes.txt").as_deref(), Some("a note\n"));
}
