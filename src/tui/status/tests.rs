//! The status line, whole, at the widths that count.

use proptest::prelude::*;

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
        highlight::Highlighter,
        history::recall::Recall,
        keymap::Keys,
        meter::Meter,
        overlay::{help::Help, themes::ThemeList},
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
    line(app, width, true).spans.iter().map(|span| span.content.as_ref()).collect()
}

#[test]
fn the_line_of_a_running_turn_at_200_80_and_40_columns() {
    let app = busy();
    // 32,400 of 128,000 are 25.3 of 100 and 2.02 of 8
    let all = " ⠋ working · iteration 3/20 · 2 tools · 32.4k of 128k tokens ━━┄┄┄┄┄┄ 25% · \
               qwen2.5-coder · asks first, no sandbox · Esc stops";
    assert_eq!(shown(&app, 200), all);
    let at_80 = " ⠋ iteration 3/20 · 2 tools · 32.4k of 128k tokens ━━┄┄┄┄┄┄ 25% · Esc stops";
    assert_eq!(shown(&app, 80), at_80);
    assert_eq!(shown(&app, 40), " ⠋ it 3/20 · 32.4k/128k 25% · Esc stops");
}

#[test]
fn the_line_of_an_idle_screen_at_200_80_and_40_columns() {
    let mut app = app();
    app.progress.context = 900;
    app.progress.estimated = true;
    let at_80 = " ~900 of 128k tokens ━┄┄┄┄┄┄┄ 0% · qwen2.5-coder · ? keys · Ctrl-D quits";
    let all = at_80.replace("coder", "coder · asks first, no sandbox");
    assert_eq!(shown(&app, 200), all);
    assert_eq!(shown(&app, 80), at_80);
    assert_eq!(shown(&app, 40), " ~900/128k 0% · ? keys · Ctrl-D quits");
}

#[test]
fn that_there_is_no_sandbox_is_said_from_110_columns_on() {
    let mut app = with(busy(), costing(0.0134, vec![tokens(12_400)]));
    for width in 110..=200 {
        assert!(shown(&app, width).contains("no sandbox"), "{width}: {}", shown(&app, width));
    }
    assert!(shown(&app, 200).contains(" · asks first, no sandbox · "));
    app.yolo = true;
    assert!(shown(&app, 200).contains(" · nothing asks, no sandbox · "));
}

#[test]
fn what_goes_goes_in_one_order_and_each_field_says_itself_in_fewer_words_first() {
    let app = with(busy(), costing(0.0134, vec![tokens(12_400)]));
    let words = ["qwen", "working", "$0.0134", "2 tools", "25%", "bud", "3/20"];
    let mut gone = 0;
    for width in (12..=109).rev() {
        let line = shown(&app, width);
        assert!(wrap::width(&line) <= usize::from(width), "{line}");
        assert!(line.ends_with("Esc stops"), "{line}");
        let there: Vec<_> = words.iter().map(|word| line.contains(word)).collect();
        let now = there.iter().filter(|is_there| !**is_there).count();
        assert!(now >= gone, "{width}: {line}");
        assert!(there.iter().skip(now).all(|is_there| *is_there), "{width}: {line}");
        gone = now;
    }
    assert_eq!(gone, words.len());
}

type Numbers = (usize, u64, u32, usize);
type Choices = ([bool; 6], usize, Option<String>);

fn numbers() -> impl Strategy<Value = Numbers> {
    (0..3_usize, 0..200_000_u64, 0..100_001_u32, 0..6_usize)
}

fn choices() -> impl Strategy<Value = Choices> {
    (any::<[bool; 6]>(), 0..8_usize, prop::option::of("[a-zA-Z0-9/:._ -]{0,60}"))
}

/// Any combination of what the line can say.
fn made((running, context, iteration, budget): Numbers, choices: Choices) -> App {
    let ([is_busy, stopping, yolo, priced, estimated, drafts], open, model) = choices;
    let mut app = app();
    app.turn = is_busy.then_some(TurnId(1));
    app.stopping = is_busy && stopping;
    app.yolo = yolo;
    app.about.model = model.unwrap_or_default();
    app.progress.running = running;
    app.progress.context = context;
    app.progress.estimated = estimated;
    (app.progress.iteration, app.progress.max) = (iteration, iteration);
    let time = |used_ms| Budget::Time { limit_ms: 5_400_000, used_ms };
    let cost = |dollars| Budget::Cost { limit_usd: usd(0.5), used_usd: usd(dollars) };
    let budgets = match budget {
        0 => vec![],
        1 => vec![tokens(context)],
        2 => vec![cost(0.013), tokens(10)],
        3 => vec![cost(0.43)],
        4 => vec![time(context * 30)],
        _ => vec![time(5_399_999), tokens(99_999)],
    };
    let cost_usd = priced.then(|| usd(0.0134));
    app.meter = Meter::new(Spent { cost_usd, estimated, budgets });
    if drafts {
        app.composer.paste("a draft");
    }
    match open {
        0 => app.help = Some(Help::default()),
        1 => app.themes = Some(ThemeList::new(ThemeName::Dark)),
        2 => app.in_background.open(),
        3 => app.calls.open_timeline(),
        4 => app.recall = Some(Recall::new(app.composer.history())),
        5 => app.must_choose = true,
        6 => app.say("cleared; Ctrl-_ or Up brings it back"),
        _ => {}
    }
    app
}

proptest! {
    #[test]
    fn at_any_width_the_line_fits_says_what_esc_does_and_cuts_no_field(
        numbers in numbers(),
        choices in choices(),
        width in 20..=200_u16,
        named: bool,
    ) {
        let app = made(numbers, choices);
        let line = line(&app, width, named).to_string();
        prop_assert!(wrap::width(&line) <= usize::from(width), "{}", line);
        let mut whole = told(&app, width, named);
        whole.extend(said(&app));
        let forms: Vec<String> = whole.iter().flat_map(|field| field.forms().to_vec()).collect();
        let beat = if app.is_busy() { 3 } else { 1 };
        let keys = keys::field(&app, usize::from(width) - beat).unwrap();
        let sign = line.trim_start_matches([' ', '⠋']);
        let ends = keys.forms().iter().find(|form| sign.ends_with(*form));
        let ends = ends.unwrap_or_else(|| panic!("no keys in {line:?}"));
        let does = app.is_busy() || app.help.is_some() || app.has_list() || app.recall.is_some();
        prop_assert!(!does || ends.contains("Esc "), "{}", line);
        let mut rest = sign.strip_suffix(ends.as_str()).unwrap();
        while !rest.is_empty() {
            let shown = forms.iter().filter(|form| rest.starts_with(&format!("{form}{BETWEEN}")));
            let shown = shown.max_by_key(|form| form.len());
            prop_assert!(shown.is_some(), "{:?} of {:?} is no field", rest, line);
            rest = rest.split_at(shown.unwrap().len() + BETWEEN.len()).1;
        }
    }
}

#[test]
fn a_window_that_is_nearly_full_warns() {
    let mut app = busy();
    let told = |app: &App| super::tokens(app).map(|field| (field.forms()[0].clone(), field.style));
    for (context, words, style) in [
        (128_000 * 4 / 5, "102k of 128k tokens ━━━━━━┄┄ 80%", app.theme.warning),
        (128_000 * 4 / 5 - 1, "102k of 128k tokens ━━━━━━┄┄ 79%", app.theme.status),
        (128_000, "128k of 128k tokens ━━━━━━━━ 100%", app.theme.warning),
    ] {
        app.progress.context = context;
        assert_eq!(told(&app), Some((words.to_owned(), style)));
    }
    app.progress.context = u64::MAX;
    assert!(told(&app).unwrap().0.ends_with(" 100%"));
    app.about.context_window = Some(0);
    app.progress.context = 900;
    assert_eq!(told(&app).unwrap().0, "900 tokens");
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
               $0.0134 · budget 12.4k of 100k tokens · qwen2.5-coder · asks first, no sandbox · \
               Esc stops";
    assert_eq!(shown(&app, 200), all);
    let at_80 = " ⠋ it 3/20 · 2 tools · 32.4k/128k ━━┄┄┄┄┄┄ 25% · $0.0134 · bud 12% · Esc stops";
    assert_eq!(shown(&app, 80), at_80);
    assert_eq!(shown(&app, 40), " ⠋ iteration 3/20 · bud 12% · Esc stops");
    let beside_yolo = 40 - 5; // columns of " yolo"
    assert_eq!(shown(&app, beside_yolo), " ⠋ it 3/20 · bud 12% · Esc stops");
}

#[test]
fn a_budget_that_is_nearly_spent_is_among_the_last_to_go_and_warns() {
    let app = with(busy(), costing(0.05, vec![tokens(80_000)]));
    assert_eq!(shown(&app, 40), " ⠋ iteration 3/20 · bud 80% · Esc stops");
    assert_eq!(shown(&app, 30), " ⠋ bud 80% · Esc stops");
    assert_eq!(shown(&app, 20), " ⠋ Esc stops");
    let style = |app: &App| {
        let line = line(app, 200, true);
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
        (time(600_000, 299_999), " · budget 4:59 of 10:00 min · "),
        (time(90_000, 40_500), " · budget 0:40 of 1:30 min · "),
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
    assert!(line.contains("budget 8:00 of 10:00 min"), "{line}");
}

#[test]
fn without_price_and_budget_nothing_is_said_of_them() {
    let line = shown(&with(busy(), Spent { estimated: true, ..Spent::default() }), 200);
    assert!(!line.contains('$') && !line.contains("budget"), "{line}");
}

#[test]
fn every_budget_has_a_form_without_its_words_and_a_share() {
    let cost = Budget::Cost { limit_usd: usd(0.5), used_usd: usd(0.31) };
    let time = Budget::Time { limit_ms: 600_000, used_ms: 245_999 };
    for (budget, forms) in [
        (tokens(12_400), ["budget 12.4k of 100k tokens", "budget 12.4k/100k", "bud 12%"]),
        (cost, ["$0.31 of $0.50", "$0.31/0.50", "bud 62%"]),
        (time, ["budget 4:05 of 10:00 min", "budget 4:05/10:00", "bud 40%"]),
    ] {
        let app = with(busy(), Spent { budgets: vec![budget], ..Spent::default() });
        let field = spent::fields(&app).last().unwrap();
        assert_eq!(field.forms(), forms);
    }
}

#[test]
fn the_model_is_told_by_its_last_name_or_left_to_the_header() {
    let mut app = app();
    app.about.model = "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct".into();
    assert_eq!(shown(&app, 100), " DeepSeek-Coder-V2-Lite-Instruct · ? keys · Ctrl-D quits");
    app.about.model = "x".repeat(41);
    assert_eq!(shown(&app, 100), " ? keys · Ctrl-D quits");
}

#[test]
fn where_no_header_names_the_model_it_stays_longer() {
    let app = busy();
    let shown = |named| line(&app, 70, named).to_string();
    assert_eq!(shown(true), " ⠋ it 3/20 · 2 tools · 32.4k of 128k tokens ━━┄┄┄┄┄┄ 25% · Esc stops");
    assert_eq!(shown(false), " ⠋ it 3/20 · 2 tools · 32.4k/128k 25% · qwen2.5-coder · Esc stops");
}
