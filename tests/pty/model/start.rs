//! The choice at the start: servers that are found, and those that name no model.

use super::*;

#[test]
fn a_list_that_cannot_be_had_at_the_start_is_told_before_anything_is_sent() {
    let fake = Fake::listing(401, r#"{"error":{"message":"no such key here"}}"#.to_owned());
    let program = fake.launch(SMALL, &[]);
    wait_words(&program, "no such key here");
    assert!(!is_open(&program.screen()));
    // Nobody listens there.
    let args = ["--base-url", "http://127.0.0.1:1/v1"];
    let program = Launch { args: &args, ..Launch::default() }.open();
    program.wait_for(|screen| screen.contains("\n · "), "the notice");
}

#[test]
fn of_several_servers_at_the_start_one_is_chosen_and_gets_the_request() {
    let (first, second) = (Fake::new(&["gemma3", "a-coder"]), Fake::new(&["phi-4"]));
    let program = searching(&[&first, &second], SMALL);
    wait_marked(&program, "a-coder");
    wait_header(&program, "a-coder @");
    program.type_text("phi");
    wait_marked(&program, "phi-4");
    program.send(ENTER);
    wait_header(&program, &format!("phi-4 @ {}", second.address));
    program.say("hi");
    program.wait_end("end_turn");
    assert_eq!((first.asked(), second.asked()), (vec![], vec!["phi-4".to_owned()]));
    // And back again.
    program.say("/model gemma3");
    wait_header(&program, &format!("gemma3 @ {}", first.address));
    program.say("hi");
    eventually(|| first.asked() == ["gemma3"], "the request to the first server");
}

#[test]
fn a_server_that_is_found_beside_the_one_that_is_set_never_gets_its_key() {
    let (set, found) = (Fake::new(&["gemma3"]), Fake::new(&["phi-4"]));
    let (url, urls) = (set.url(), format!("{},{}", set.url(), found.url()));
    let env = [
        ("MCC_NO_DISCOVERY", ""),
        ("MCC_DISCOVER", urls.as_str()),
        ("OPENAI_API_KEY", "secret-of-the-user"),
    ];
    let args = ["--base-url", url.as_str(), "--model", "gemma3"];
    let program = Launch { env: &env, args: &args, ..Launch::default() }.start();
    program.say("/model");
    wait_words(&program, "phi-4");
    program.type_text("phi");
    wait_marked(&program, "phi-4");
    program.send(ENTER);
    wait_header(&program, "phi-4 @");
    program.say("hi");
    program.wait_end("end_turn");
    assert_eq!(found.asked(), ["phi-4"]);
    program.say("/model gemma3");
    wait_header(&program, "gemma3 @");
    program.say("hi");
    eventually(|| set.asked() == ["gemma3"], "the request to the server that is set");
    let key = "secret-of-the-user";
    assert_eq!(found.keys(key).0, 0);
    assert_eq!(set.keys(key).1, 0, "the server that is set is not searched for");
}

#[test]
fn whoever_types_already_is_not_disturbed_by_what_is_found() {
    let fake = Fake::new(&["gemma3", "a-coder"]);
    fake.lists.shut();
    let program = searching(&[&fake], SMALL);
    program.wait_idle();
    program.type_text("fix it");
    program.wait_prompt("fix it");
    fake.lists.open();
    wait_words(&program, "Found a-coder at");
    wait_words(&program, "/model shows the other one.");
    program.settle();
    assert!(!is_open(&program.screen()), "{}", program.screen());
    program.wait_prompt("fix it");
    program.send(ENTER);
    program.wait_end("end_turn");
    assert_eq!(fake.asked(), ["a-coder"]);
}

#[test]
fn a_server_without_a_named_model_is_asked_and_the_first_prompt_waits_for_the_choice() {
    let fake = Fake::new(&["gemma3", "a-coder"]);
    let program = fake.launch(SMALL, &["good morning"]);
    program.wait_for(is_open, "the picker");
    wait_words(&program, "gemma3");
    program.send(ESC);
    let waits = |screen: &str| last_row(screen).contains("waits for your choice: /model");
    program.wait_for(|screen| waits(screen) && !is_open(screen), "the turn that waits");
    program.say("/model");
    wait_words(&program, "a-coder");
    program.type_text("coder");
    wait_marked(&program, "a-coder");
    program.send(ENTER);
    let screen = program.wait_end("end_turn");
    assert!(!screen.contains("error"), "{screen}");
    assert_eq!(fake.asked(), ["a-coder"]);
}

#[test]
fn a_server_without_a_named_model_opens_the_picker_at_the_start() {
    let fake = Fake::new(&["gemma3", "a-coder"]);
    let program = fake.launch(SMALL, &[]);
    wait_marked(&program, "gemma3");
    program.send(DOWN);
    wait_marked(&program, "a-coder");
    program.send(ENTER);
    wait_header(&program, "a-coder @");
    program.say("hi");
    program.wait_end("end_turn");
    assert_eq!(fake.asked(), ["a-coder"]);

    let only = Fake::new(&["gemma3"]);
    let program = only.launch(SMALL, &[]);
    wait_header(&program, "gemma3 @");
    program.settle();
    assert!(!is_open(&program.screen()), "one is no choice");
}
