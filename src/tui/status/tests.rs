//! The status line, whole, at the widths that count.

use super::*;
use crate::{
    config::{KeyChoice, ThemeName},
    protocol::{about::About, id::TurnId},
    tui::{highlight::Highlighter, keymap::Keys, overlay::themes::ThemeList, theme::Theme},
};

fn app() -> App {
    let about = About {
        model: "qwen2.5-coder".into(),
        place: "localhost:11434".into(),
        scripted: false,
        context_window: Some(128_000),
    };
    App::new(about, "~/src/parser".into(), Theme::plain(), Highlighter::off())
}

fn busy() -> App {
    let mut app = app();
    app.turn = Some(TurnId(1));
    app.progress.iteration = 3;
    app.progress.max = 20;
    app.progress.running = 2;
    app.progress.context = 32_400;
    app
}

fn shown(app: &App, width: u16) -> String {
    line(app, width).spans.iter().map(|span| span.content.as_ref()).collect()
}

#[test]
fn the_line_of_a_running_turn_at_200_80_and_40_columns() {
    let app = busy();
    // 32,400 of 128,000 are 25.3 of 100 and 2.02 of 8
    let all = " ⠋ working · iteration 3/20 · 2 tools · 32.4k of 128k tokens ━━┄┄┄┄┄┄ 25% · \
               qwen2.5-coder · Esc stops";
    assert_eq!(shown(&app, 200), all);
    let without_model = " ⠋ working · iteration 3/20 · 2 tools · 32.4k of 128k tokens · Esc stops";
    assert_eq!(shown(&app, 80), without_model);
    assert_eq!(shown(&app, 40), " ⠋ working · iteration 3/20 · Esc stops");
}

#[test]
fn the_line_of_an_idle_screen_at_200_80_and_40_columns() {
    let mut app = app();
    app.progress.context = 900;
    app.progress.estimated = true;
    let all = " ~900 of 128k tokens ━┄┄┄┄┄┄┄ 0% · qwen2.5-coder · ? keys · Ctrl-D quits";
    assert_eq!(shown(&app, 200), all);
    assert_eq!(shown(&app, 80), all);
    assert_eq!(shown(&app, 40), " ? keys · Ctrl-D quits");
}

#[test]
fn what_goes_goes_in_one_order() {
    let app = busy();
    let words = ["qwen", "25%", "tokens", "2 tools", "iteration"];
    let mut gone = 0;
    for width in (20..=120).rev() {
        let line = shown(&app, width);
        assert!(wrap::width(&line) <= usize::from(width), "{line}");
        assert!(width < 24 || line.contains("working") && line.contains("Esc stops"), "{line}");
        let there: Vec<_> = words.iter().map(|word| line.contains(word)).collect();
        let now = there.iter().filter(|is_there| !**is_there).count();
        assert!(now >= gone, "{width}: {line}");
        assert!(there.iter().skip(now).all(|is_there| *is_there), "{width}: {line}");
        gone = now;
    }
    assert_eq!(gone, words.len());
}

#[test]
fn a_window_that_is_nearly_full_warns() {
    let mut app = busy();
    app.progress.context = 128_000 * 4 / 5;
    let gauge = gauge(&app).unwrap();
    assert_eq!(gauge.words, "━━━━━━┄┄ 80%");
    assert_eq!(gauge.style, app.theme.warning);
    app.progress.context = u64::MAX;
    assert_eq!(super::gauge(&app).unwrap().words, "━━━━━━━━ 100%");
    app.about.context_window = Some(0);
    assert!(super::gauge(&app).is_none());
}

#[test]
fn a_hostile_model_name_stays_in_its_place() {
    let mut app = busy();
    app.about.model = format!("a\x1b[2Jb\u{202e}\n{}", "x".repeat(500));
    let line = shown(&app, 200);
    assert!(line.contains("Esc stops"), "{line}");
    assert!(!line.contains(|c: char| c.is_control() || c == '\u{202e}'), "{line:?}");
}

#[test]
fn the_keys_are_those_that_count() {
    let mut app = busy();
    let choice = KeyChoice {
        key: "ctrl-x".into(),
        action: "abort".into(),
        path: "config.toml".into(),
        line: None,
    };
    app.keys = Keys::with(&[choice]).unwrap();
    assert!(shown(&app, 200).contains("Ctrl-X stops"), "{}", shown(&app, 200));
    app.themes = Some(ThemeList::new(ThemeName::Dark));
    assert!(shown(&app, 200).contains("Enter keeps · Esc gives back"));
}
