//! The picker: letters, errors, hostile names, long lists, small screens.

use super::*;

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
fn without_any_server_the_picker_says_so() {
    let program = Launch::default().start();
    program.say("/model");
    wait_words(&program, "No model server answers on this machine");
    program.send(ESC);
    program.wait_idle();
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
