//! What is kept and shown of what commands print.

use mcc_tui::{
    text::sanitize::settle,
    tools::process::{Exit, HEAD, TAIL},
};

use super::probe::{Probe, in_its_own_process};

#[tokio::test]
async fn both_outputs_are_kept_in_the_order_of_a_terminal() {
    let end = Probe::new().run("for i in 1 2 3; do echo out $i; echo err $i >&2; done").await;
    assert_eq!(end.output.head, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
    assert_eq!((end.output.total_lines, end.output.total_bytes), (6, 36));
}

#[tokio::test]
async fn nul_and_invalid_utf_8_are_no_trouble() {
    let end = Probe::new().run(r"printf 'a\0b\377c\342\202'").await;
    assert_eq!(end.output.head, "a\0b\u{FFFD}c\u{FFFD}");
}

#[tokio::test]
async fn a_character_that_comes_in_pieces_is_one() {
    let probe = Probe::new();
    let command = r"for byte in 342 202 254 12; do printf '\'$byte; sleep .2; done";
    let end = probe.run(command).await;
    assert_eq!((end.output.head.as_str(), end.output.total_lines), ("€\n", 1));
    assert_eq!(probe.seen().concat(), "€\n");
}

#[tokio::test]
async fn the_live_view_gets_at_most_thirty_pieces_a_second() {
    let (probe, begun) = (Probe::new(), std::time::Instant::now());
    probe.run("for i in $(seq 300); do echo $i; sleep .002; done").await;
    let pieces = probe.seen().len() as u128;
    // One more for the beginning of the first second, and one for the rest at the end.
    let most = begun.elapsed().as_millis() * 30 / 1000 + 2;
    assert!(pieces <= most, "{pieces} pieces, {most} at most");
    assert!(pieces > 1);
}

#[tokio::test]
async fn what_would_command_a_terminal_reaches_neither_the_view_nor_the_model() {
    let probe = Probe::new();
    let command =
        r"printf 'a\033]52;c;aGk=\007b\033]0;title\007c\033[?1049hd\033[200~e\033[?2004hf\n'";
    probe.run(command).await;
    assert_eq!(probe.seen().concat(), "abcdef\n");
    let text = super::bench::bench().text(command).await;
    assert_eq!(text, "abcdef\nexit 0");
}

#[tokio::test]
async fn the_live_view_is_settled_and_whole() {
    let probe = Probe::new();
    let command =
        r"printf '10%%\r20%%\r100%%\n'; printf '\033]52;c;aGk=\007\033[31mred\033[0m €\n'";
    probe.run(command).await;
    let seen = probe.seen().concat();
    assert!(!seen.contains('\x1b'), "{seen:?}");
    // A state of a line that is drawn over the one before begins with a carriage return.
    assert_eq!(settle(&seen), "100%\nred €\n", "{seen:?}");
}

#[tokio::test]
async fn endless_output_is_bounded_and_can_be_stopped() {
    let probe = Probe::new();
    let end = probe.run_and_stop_at("y\ny\n", "echo ready; exec yes").await;
    assert_eq!(end.exit, Exit::Stopped);
    assert!(end.output.head.starts_with("ready\ny\ny\n"));
    assert!(end.output.head.len() + end.output.tail.len() <= HEAD + TAIL);
}

#[tokio::test]
async fn a_flood_is_counted_to_the_last_byte() {
    // "y\n" is 2 bytes: 20 MB are 10 million lines.
    let probe = Probe::new();
    let end = probe.run("yes | head -c 20000000").await;
    assert_eq!(end.exit, Exit::Code(0));
    assert_eq!((end.output.total_bytes, end.output.total_lines), (20_000_000, 10_000_000));
    assert_eq!(end.output.left_out_bytes, 20_000_000 - (HEAD + TAIL) as u64);
    for piece in probe.seen() {
        assert!(piece.len() <= 4 << 10, "{} bytes at once", piece.len());
    }
}

#[tokio::test]
async fn one_very_long_line_is_bounded() {
    let end = Probe::new().run("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end").await;
    assert_eq!((end.output.total_bytes, end.output.total_lines), (20_000_005, 2));
    assert!(end.output.tail.ends_with("x\nend\n"));
}

#[test]
fn a_command_sees_no_secrets_and_no_terminal_settings() {
    let status = in_its_own_process("commands::output::prints_its_environment")
        .env("OPENAI_API_KEY", "hunter2")
        .env("MY_TOKEN", "hunter2")
        .env("db_password", "hunter2")
        .env("HARMLESS", "stays")
        .env("PAGER", "less")
        .env("CI", "true")
        .env("BASH_ENV", "/nonexistent")
        .env("ENV", "/nonexistent")
        .env("BASH_FUNC_planted%%", "() { echo planted; }")
        .status();
    assert!(status.unwrap().success());
}

#[tokio::test]
#[ignore = "needs variables of its own: run by another test, in a process of its own"]
async fn prints_its_environment() {
    let end = Probe::new().run("env").await;
    let lines: Vec<_> = end.output.head.lines().collect();
    assert!(!end.output.head.contains("hunter2"), "{lines:?}");
    for line in ["HARMLESS=stays", "PAGER=cat", "TERM=dumb", "GIT_TERMINAL_PROMPT=0", "MCC_TUI=1"] {
        assert!(lines.contains(&line), "{line} in {lines:?}");
    }
    for line in ["GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=true"] {
        assert!(lines.contains(&line), "{line} in {lines:?}");
    }
    for name in ["CI=", "BASH_ENV=", "ENV=", "BASH_FUNC_"] {
        assert!(!lines.iter().any(|line| line.starts_with(name)), "{name} in {lines:?}");
    }
    let end = Probe::new().run("planted").await;
    assert_eq!(end.exit, Exit::Code(127));
}

#[tokio::test]
async fn a_command_gets_no_descriptor_but_its_three() {
    // Whatever else is open was inherited from whoever started the tests.
    let inherited: Vec<_> = std::fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .map(|target| target.display().to_string())
        .collect();
    let end = Probe::new()
        .run("for fd in /proc/$$/fd/*; do readlink $fd; done; readlink /proc/$$/fd/1")
        .await;
    let output = end.output.head.lines().last().unwrap().to_owned();
    let strange: Vec<_> = end
        .output
        .head
        .lines()
        .filter(|target| *target != output && *target != "/dev/null")
        .filter(|target| !inherited.iter().any(|known| known == target))
        .collect();
    assert!(output.starts_with("pipe:"), "{output}");
    assert_eq!(strange, Vec::<&str>::new());
}
