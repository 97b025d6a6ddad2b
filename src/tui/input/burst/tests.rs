//! What keys are that come at once, one by one, and apart: by the rule, with a clock of its own.

use super::*;

/// A terminal with a clock of its own.
struct Terminal {
    bursts: Bursts,
    now: Instant,
}

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// The key that the terminal tells for this byte.
fn event(c: char) -> KeyEvent {
    match c {
        '\r' => key(KeyCode::Enter),
        '\t' => key(KeyCode::Tab),
        '\x1b' => key(KeyCode::Esc),
        '\n' => KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL),
        c if c.is_uppercase() => KeyEvent::new(KeyCode::Char(c), KeyModifiers::SHIFT),
        c => key(KeyCode::Char(c)),
    }
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

impl Terminal {
    /// One on which nothing was typed for long.
    fn new() -> Self {
        let mut terminal = Self { bursts: Bursts::default(), now: Instant::now() };
        terminal.bursts.quiet(terminal.now);
        terminal.pass(ms(1_000));
        terminal
    }

    /// All of this is there at once.
    fn write(&mut self, text: &str) {
        for c in text.chars() {
            self.bursts.take(event(c), self.now);
        }
        self.bursts.quiet(self.now);
    }

    /// Nothing comes for so long.
    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.bursts.expire(self.now);
        self.bursts.quiet(self.now);
    }

    /// What was given on since: text in brackets, keys as the bytes they come from.
    fn told(&mut self) -> String {
        let mut told = String::new();
        while let Some(typed) = self.bursts.ready() {
            match typed {
                Typed::Text(text) => told = format!("{told}[{text}]"),
                Typed::Key(key) => told.push(match key.code {
                    KeyCode::Esc => '\x1b',
                    _ => written(&key),
                }),
            }
        }
        told
    }

    /// The same, after what is held has ended.
    fn ended(&mut self) -> String {
        self.pass(PAUSE);
        assert_eq!(self.bursts.until(), None);
        self.told()
    }
}

#[test]
fn what_is_there_at_once_is_a_paste_keys_or_words_that_are_sent() {
    for (bytes, want) in [
        // Words of one line are text, and an Enter behind them sends.
        ("fix it\r", "[fix it]\r"),
        ("fix it", "[fix it]"),
        ("/help\r", "[/help]\r"),
        ("Grüße, 漢字\r", "[Grüße, 漢字]\r"),
        ("yes", "[yes]"),
        // With a line break within, the whole is a paste, and so is its last line break.
        ("one\rtwo", "[one\rtwo]"),
        ("one\rtwo\r", "[one\rtwo\r]"),
        ("one\ntwo\n", "[one\ntwo\n]"),
        ("one\r\ntwo\r\n", "[one\r\ntwo\r\n]"),
        ("\rone", "[\rone]"),
        ("one\r\r", "[one\r\r]"),
        ("a\rb", "[a\rb]"),
        ("if x:\r\tgo()\r", "[if x:\r\tgo()\r]"),
        // So few may be two hands, and one that repeats is held down.
        ("y", "y"),
        ("\r", "\r"),
        ("y\r", "y\r"),
        ("gg\r", "gg\r"),
        ("\ry", "\ry"),
        ("jjjjjjjj", "jjjjjjjj"),
        ("jjjjjjjj\r", "jjjjjjjj\r"),
        ("\r\r\r", "\r\r\r"),
        // Tabs at the ends are keys, and a tab within is text.
        ("@src\t\r", "[@src]\t\r"),
        ("\tjj", "\tjj"),
        ("\tsay no\t", "\t[say no]\t"),
        ("a\tb\tc", "[a\tb\tc]"),
    ] {
        let mut terminal = Terminal::new();
        terminal.write(bytes);
        assert_eq!(terminal.ended(), want, "{bytes:?}");
    }
}

#[test]
fn a_key_by_itself_waits_no_longer_than_an_eye_sees() {
    let mut terminal = Terminal::new();
    terminal.write("x");
    assert_eq!(
        (terminal.told().as_str(), terminal.bursts.until()),
        ("", Some(terminal.now + LONE))
    );
    terminal.pass(LONE);
    assert_eq!(terminal.told(), "x");
    assert_eq!(terminal.bursts.until(), None);
}

#[test]
fn any_other_key_waits_for_nothing_and_ends_a_burst() {
    let mut terminal = Terminal::new();
    terminal.write("\x1b");
    assert_eq!(terminal.told(), "\x1b");
    terminal.write("hold on\r\x1bhold");
    assert_eq!(terminal.told(), "[hold on]\r\x1b");
    assert_eq!(terminal.ended(), "[hold]");
}

#[test]
fn keys_that_come_one_by_one_but_faster_than_anybody_types_are_one_burst() {
    let mut terminal = Terminal::new();
    for c in "yes do\rit\r".chars() {
        terminal.write(&c.to_string());
        terminal.pass(LONE / 2);
    }
    assert_eq!(terminal.ended(), "[yes do\rit\r]");
    for c in "typed by hand\r".chars() {
        terminal.pass(SETTLE);
        terminal.write(&c.to_string());
    }
    assert_eq!(terminal.ended(), "typed by hand\r");
}

#[test]
fn time_in_which_nobody_looked_is_no_pause() {
    let mut terminal = Terminal::new();
    for c in "one\rtwo\r".chars() {
        terminal.bursts.take(event(c), terminal.now);
        // The program was busy, and looks again: the terminal had more all the while.
        terminal.now += ms(500);
    }
    terminal.bursts.quiet(terminal.now);
    assert_eq!(terminal.ended(), "[one\rtwo\r]");
}

#[test]
fn a_paste_goes_on_over_a_pause_and_is_one_still() {
    let mut terminal = Terminal::new();
    terminal.write("one\rtw");
    terminal.pass(PAUSE * 9 / 10);
    assert_eq!(terminal.told(), "");
    terminal.write("o\rthree\r");
    terminal.pass(PAUSE * 9 / 10);
    terminal.write("fo");
    assert_eq!(terminal.ended(), "[one\rtwo\rthree\rfo]");
}

#[test]
fn an_enter_of_its_own_behind_a_paste_sends() {
    let mut terminal = Terminal::new();
    terminal.write("one\rtwo");
    terminal.pass(NEAR);
    terminal.write("\r");
    assert_eq!(terminal.ended(), "[one\rtwo]\r");
}

#[test]
fn what_is_typed_behind_a_paste_does_not_hold_it_back() {
    let mut terminal = Terminal::new();
    terminal.write("one\rtwo");
    let until = terminal.now + PAUSE;
    for c in "abc".chars() {
        terminal.pass(ms(20));
        terminal.write(&c.to_string());
        assert_eq!(terminal.bursts.until(), Some(until));
    }
    assert_eq!(terminal.ended(), "[one\rtwo]abc");
}

#[test]
fn the_rest_of_a_paste_over_a_slow_line_is_not_sent() {
    let mut terminal = Terminal::new();
    terminal.write("one\rtwo\rthr");
    assert_eq!(terminal.ended(), "[one\rtwo\rthr]");
    terminal.write("ee\r");
    assert_eq!(terminal.ended(), "[ee\r]");
    terminal.pass(SETTLE);
    terminal.write("go on\r");
    assert_eq!(terminal.ended(), "[go on]\r");
}

#[test]
fn one_letter_many_times_is_text_from_some_number_on() {
    let mut terminal = Terminal::new();
    let rule = "-".repeat(MANY);
    terminal.write(&rule);
    assert_eq!(terminal.ended(), format!("[{rule}]"));
}

#[test]
fn keys_with_modifiers_are_no_text() {
    for modifiers in [KeyModifiers::CONTROL, KeyModifiers::ALT] {
        assert!(!is_text(&KeyEvent::new(KeyCode::Char('a'), modifiers)));
        assert!(!is_text(&KeyEvent::new(KeyCode::Enter, modifiers)));
    }
    assert!(!is_text(&KeyEvent::new(KeyCode::Enter, KeyModifiers::SHIFT)));
    assert!(!is_text(&key(KeyCode::Backspace)) && !is_text(&key(KeyCode::Up)));
}

proptest::proptest! {
    #[test]
    fn nothing_is_lost_and_nothing_is_out_of_order(
        pieces in proptest::collection::vec(("[ab\r\n\t\x1b]{0,6}", 0_u64..150), 0..12)
    ) {
        let mut terminal = Terminal::new();
        for (text, pause) in &pieces {
            terminal.write(text);
            terminal.pass(ms(*pause));
        }
        let all: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
        let told = terminal.ended().replace(['[', ']'], "");
        proptest::prop_assert_eq!(told, all);
    }
}
