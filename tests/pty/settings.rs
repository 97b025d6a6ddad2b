//! Settings that are wrong, and mended while the program runs.

use crate::program::{ENTER, LARGE, Launch, Program, SMALL, Size};

fn broken(size: Size) -> Program {
    let files = [(".mcc-tui/config.toml", "max_iterations = 3\nmodle = \"x\"\n")];
    Launch { size, files: &files, ..Launch::default() }.start()
}

fn words(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_broken_settings_file_is_told_with_line_and_nearest_key_on_the_open_screen() {
    for size in [SMALL, LARGE] {
        let program = broken(size);
        let screen = program.screen();
        // a path is broken anywhere at the end of a row
        assert!(
            screen.split_whitespace().collect::<String>().contains("config.toml:2"),
            "{screen}"
        );
        let words = words(&screen);
        assert!(words.contains("unknown key `modle`"), "{screen}");
        assert!(words.contains("Did you mean `model`?"), "{screen}");
    }
}

#[test]
fn a_missing_key_and_a_server_that_is_not_there_are_told_before_the_first_prompt() {
    let held = tokio::net::TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = held.local_addr().unwrap().to_string();
    let url = format!("http://{address}/v1");
    for (args, told) in [
        (&["--model", "m", "--base-url", &url][..], format!("Nothing answers at {address}.")),
        (&["--model", "gpt-5-mini"], "No API key: OPENAI_API_KEY is not set".to_owned()),
    ] {
        let program = Launch { args, ..Launch::default() }.start();
        program.wait_for(|screen| words(screen).contains(&told), &told);
    }
}

#[test]
fn a_prompt_is_kept_until_the_settings_are_mended_and_then_uses_them() {
    let program = broken(SMALL);
    program.say("what is here?");
    let screen = program.wait_end("error");
    assert!(words(&screen).contains("Did you mean `model`?"), "{screen}");
    program.wait_prompt("what is here?");
    // A port that nobody listens on, and that nobody else gets while it is held.
    let held = tokio::net::TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = held.local_addr().unwrap().to_string();
    let mended = format!("model = \"m\"\nbase_url = \"http://{address}/v1\"\n");
    program.write(".mcc-tui/config.toml", &mended);
    program.send(ENTER);
    let told =
        |screen: &str| screen.matches("■ error").count() == 2 && words(screen).contains(&address);
    let screen = program.wait_for(told, "an error that names the address");
    assert!(screen.contains("› what is here?"), "{screen}");
    program.wait_prompt("what is here?");
    let header = program.row(0);
    assert!(header.contains(&format!("m @ {address}")), "who answers now: {header}");
}
