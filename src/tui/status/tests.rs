//! The status line, whole, at the widths that count.

use super::*;
use crate::{
    config::{KeyChoice, ThemeName},
    protocol::{
        about::About,
        budget::{Budget, Spent},
        cost::Usd,
        id::TurnId,
    },
    tui::{
        highlight::Highlighter, keymap::Keys, meter::Meter, overlay::themes::ThemeList,
        theme::Theme,
    },
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

fn usd(dollars: f64) -> Usd {
    Usd::new(dollars).unwrap()
}

fn with(mut app: App, spent: Spent) -> App {
    app.meter = Meter::new(spent);
    app
}

fn tokens(used: u64) -> Budget {
    Budget::Tokens { limit: 100_000, used }
}

fn costing(dollars: f64, budgets: Vec<Budget>) -> Spent {
    Spent { cost_usd: Some(usd(dollars)), estimated: false, budgets }
}

#[test]
fn cost_and_budget_stand_in_the_line_at_200_80_and_40_columns() {
    let app = with(busy(), costing(0.0134, vec![tokens(12_400)]));
    let all = " ⠋ working · iteration 3/20 · 2 tools · 32.4k of 128k tokens ━━┄┄┄┄┄┄ 25% · \
               $0.0134 · budget 12.4k of 100k tokens · qwen2.5-coder · Esc stops";
    assert_eq!(shown(&app, 200), all);
    let at_80 = " ⠋ working · iteration 3/20 · 2 tools · budget 12.4k of 100k tokens · Esc stops";
    assert_eq!(shown(&app, 80), at_80);
    assert_eq!(shown(&app, 40), " ⠋ working · iteration 3/20 · Esc stops");
}

#[test]
fn a_budget_that_is_nearly_spent_is_among_the_last_to_go_and_warns() {
    let app = with(busy(), costing(0.05, vec![tokens(80_000)]));
    assert_eq!(shown(&app, 52), " ⠋ working · budget 80.0k of 100k tokens · Esc stops");
    assert_eq!(shown(&app, 40), " ⠋ working · budget 80% · Esc stops");
    assert_eq!(shown(&app, 30), " ⠋ working · Esc stops");
    let style = |app: &App| {
        let line = line(app, 200);
        line.spans.iter().find(|span| span.content.contains("of 100k")).unwrap().style
    };
    assert_eq!(style(&app), app.theme.warning);
    let before = with(busy(), costing(0.05, vec![tokens(79_999)]));
    assert_eq!(style(&before), before.theme.status);
}

#[test]
fn a_budget_of_money_tells_the_cost_and_the_nearest_budget_is_shown() {
    let cost = Budget::Cost { limit_usd: usd(0.5), used_usd: usd(0.31) };
    let app = with(busy(), costing(0.31, vec![tokens(12_400), cost]));
    let line = shown(&app, 200);
    assert!(line.contains(" · $0.31 of $0.50 · "), "{line}");
    assert!(!line.contains("100k"), "{line}");
    let nearer = with(busy(), costing(0.31, vec![tokens(62_001), cost]));
    let far = with(busy(), costing(0.31, vec![tokens(61_999), cost]));
    assert!(shown(&far, 200).contains("$0.31 of $0.50"));
    // 62 of 100 both: the first counts
    assert!(shown(&nearer, 200).contains("$0.31 · budget 62.0k of 100k tokens"));
}

#[test]
fn what_is_estimated_says_so_and_time_is_none_of_it() {
    let cost = Spent { estimated: true, ..costing(0.02, vec![tokens(9_000)]) };
    assert!(shown(&with(busy(), cost), 200).contains("~$0.02 · budget ~9.0k of 100k tokens"));
    let time = |limit_ms, used_ms| Budget::Time { limit_ms, used_ms };
    for (budget, words) in [
        (time(600_000, 299_999), " · budget 4 of 10 min · "),
        (time(90_000, 40_500), " · budget 40 of 90 s · "),
        (time(750_000, 65_000), " · budget 1:05 of 12:30 min · "),
    ] {
        let spent = Spent { cost_usd: None, estimated: true, budgets: vec![budget] };
        let line = shown(&with(busy(), spent), 200);
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn a_budget_that_is_not_spent_does_not_look_so() {
    for (used, words) in [
        (99_949, "budget 99.9k of 100k tokens"),
        (99_999, "budget 99,999 of 100,000 tokens"),
        (100_000, "budget 100k of 100k tokens"),
        (100_001, "budget 100,001 of 100,000 tokens"),
    ] {
        let line = shown(&with(busy(), costing(0.1, vec![tokens(used)])), 200);
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn time_goes_on_between_two_words_of_the_engine() {
    let time = Budget::Time { limit_ms: 600_000, used_ms: 0 };
    let mut app = with(busy(), Spent { budgets: vec![time], ..Spent::default() });
    app.meter.start(app.moment());
    app.now += Duration::from_mins(8);
    let line = shown(&app, 200);
    assert!(line.contains("budget 8 of 10 min"), "{line}");
}

#[test]
fn without_price_and_budget_nothing_is_said_of_them() {
    let line = shown(&with(busy(), Spent { estimated: true, ..Spent::default() }), 200);
    assert!(!line.contains('$') && !line.contains("budget"), "{line}");
}
