//! What is shown, and that anything is drawn harmlessly at any size.

use proptest::prelude::*;
use ratatui::{Terminal, backend::TestBackend};

use super::*;
use crate::protocol::background::{BackgroundCommand, BackgroundState};

fn command(id: &str, command: &str, last_line: &str) -> BackgroundCommand {
    BackgroundCommand {
        id: id.to_owned(),
        command: command.to_owned(),
        state: BackgroundState::Running,
        elapsed_ms: 12_000,
        last_line: last_line.to_owned(),
    }
}

fn screen(list: &InBackground, now: Instant, (width, height): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let draw_it = |frame: &mut Frame<'_>| draw(list, frame, frame.area(), (now, &Theme::plain()));
    terminal.draw(draw_it).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

#[test]
fn the_list_tells_command_time_and_last_line_and_the_line_above_the_prompt_names_them() {
    let (mut list, now, theme) = (InBackground::default(), Instant::now(), Theme::plain());
    assert_eq!(line(&list, &theme, 80), None);
    list.open();
    assert_eq!(screen(&list, now, (60, 3)), [" In the background", "   nothing runs", ""]);
    list.told(command("b1", "npm run dev", "listening on :3000"), now);
    list.told(command("b2", "tail -f log\nmore", ""), now);
    list.step(1);
    list.end_marked();
    assert_eq!(
        screen(&list, now, (60, 5)),
        [
            " In the background",
            "   b1 npm run dev  12.0 s",
            "     listening on :3000",
            " ▸ b2 tail -f log more  12.0 s, ending",
            "     (no output yet)",
        ]
    );
    assert_eq!(screen(&list, now, (60, 2))[0], " ▸ b2 tail -f log more  12.0 s, ending");
    let line = line(&list, &theme, 80).unwrap().to_string();
    assert_eq!(line, " ○ 2 in the background (/jobs): b1 npm run dev, b2 tail -f log more");
}

#[test]
fn of_a_long_command_the_end_is_cut_and_never_its_time() {
    let (mut list, now, theme) = (InBackground::default(), Instant::now(), Theme::plain());
    let long = format!("for i in {}; do sleep 100; done", "1 ".repeat(60));
    list.told(command("b1", &long, ""), now);
    list.open();
    let row = screen(&list, now, (80, 3)).remove(1);
    assert!(row.starts_with(" ▸ b1 for i in 1 1") && row.ends_with(" …  12.0 s"), "{row}");
    assert_eq!(row.chars().count(), 80);
    // Alone it has all of the row.
    let all = line(&list, &theme, 80).unwrap().to_string();
    assert!(all.ends_with('…') && all.chars().count() == 80, "{all}");
    // A short one beside it is whole.
    list.told(command("b2", "npm run dev", ""), now);
    let all = line(&list, &theme, 80).unwrap().to_string();
    assert!(all.ends_with("…, b2 npm run dev") && all.chars().count() == 80, "{all}");
    // No room for both at their least.
    list.told(command("b3", &long, ""), now);
    assert_eq!(line(&list, &theme, 60).unwrap().to_string().chars().count(), 60);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn anything_is_drawn_at_any_size_and_nothing_harmful_is(
        commands in prop::collection::vec((".*", ".*", ".*"), 0..6),
        steps in -9_i64..9, width in 0_u16..90, height in 0_u16..20,
    ) {
        let (mut list, now) = (InBackground::default(), Instant::now());
        for (id, what, last) in &commands {
            list.told(command(id, what, last), now);
        }
        list.open();
        list.step(steps);
        let above = line(&list, &Theme::plain(), width).map(|line| line.to_string());
        for row in screen(&list, now, (width, height)).into_iter().chain(above) {
            prop_assert!(!row.chars().any(char::is_control), "{row:?}");
        }
    }
}
