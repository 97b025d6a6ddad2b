//! What fits, what is marked, what is chosen, and that any name is drawn harmlessly at any size.

use crossterm::event::{KeyCode, KeyModifiers};
use proptest::prelude::*;
use ratatui::{Frame, Terminal, backend::TestBackend};

use super::*;
use crate::tui::theme::Theme;

fn server(place: &str, present: bool, models: &[&str]) -> ServerModels {
    ServerModels {
        base_url: format!("http://{place}/v1"),
        place: place.to_owned(),
        name: String::new(),
        present,
        models: models.iter().map(|model| (*model).to_owned()).collect(),
        listing: Listing::Known,
    }
}

fn two() -> Vec<ServerModels> {
    let first = server("a:1", true, &["gemma3:4b", "qwen2.5-coder:7b", "llama3.2"]);
    vec![first, server("b:2", false, &["qwen3", "phi-4"])]
}

fn picker(servers: Vec<ServerModels>, current: &str) -> Picker {
    let mut picker = Picker::new("");
    assert_eq!(picker.list(servers, current), None);
    picker
}

fn typed(picker: &mut Picker, text: &str) {
    for c in text.chars() {
        picker.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    }
}

fn marked(picker: &Picker) -> String {
    picker.marked().map(|it| format!("{} @ {}", it.model, it.place)).unwrap_or_default()
}

fn screen(picker: &mut Picker, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::plain();
    let look = Look { theme: &theme, spinner: "⠋", settings: "~/.config/mcc-tui/config.toml" };
    let draw = |frame: &mut Frame<'_>| {
        picker.draw(frame, frame.area(), &look);
    };
    terminal.draw(draw).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

#[test]
fn the_model_in_use_is_marked_first_and_said_to_be() {
    let mut picker = picker(two(), "qwen2.5-coder:7b");
    assert_eq!(marked(&picker), "qwen2.5-coder:7b @ a:1");
    let rows = screen(&mut picker, 60, 12);
    assert_eq!(
        rows,
        [
            " Model › type to filter",
            " a:1  3",
            "    gemma3:4b",
            "  ▸ qwen2.5-coder:7b  in use",
            "    llama3.2",
            " b:2  2",
            "    qwen3",
            "    phi-4",
            "",
            "",
            "",
            " To keep it: model = \"…\" in ~/.config/mcc-tui/config.toml",
        ]
    );
}

#[test]
fn the_mark_moves_over_all_servers_and_stops_at_the_ends() {
    let mut picker = picker(two(), "gemma3:4b");
    picker.step(-1);
    assert_eq!(marked(&picker), "gemma3:4b @ a:1");
    picker.step(3);
    assert_eq!(marked(&picker), "qwen3 @ b:2");
    picker.step(i64::MAX);
    assert_eq!(marked(&picker), "phi-4 @ b:2");
    picker.step(i64::MIN);
    assert_eq!(marked(&picker), "gemma3:4b @ a:1");
}

#[test]
fn the_best_that_fits_is_marked_whichever_server_has_it() {
    let mut picker = picker(two(), "gemma3:4b");
    typed(&mut picker, "QWEN3");
    assert_eq!(marked(&picker), "qwen3 @ b:2");
    let rows = screen(&mut picker, 60, 12);
    assert_eq!(rows[1..3], [" b:2  1 of 2", "  ▸ qwen3"]);
    picker.clear();
    assert_eq!(marked(&picker), "gemma3:4b @ a:1");
    typed(&mut picker, "xyz");
    assert_eq!(marked(&picker), "xyz @ a:1", "a list need not hold all that a server takes");
    let rows = screen(&mut picker, 60, 12).join("\n");
    assert!(rows.contains("▸ use \"xyz\" as it is typed"), "{rows}");
}

#[test]
fn a_later_list_leaves_the_mark_where_it_was_put() {
    let mut picker = picker(two(), "gemma3:4b");
    picker.step(1);
    let more = server("a:1", true, &["new", "gemma3:4b", "qwen2.5-coder:7b"]);
    picker.list(vec![more], "gemma3:4b");
    assert_eq!(marked(&picker), "qwen2.5-coder:7b @ a:1");
    picker.list(two().split_off(1), "gemma3:4b");
    assert_eq!(marked(&picker), "qwen3 @ b:2", "what is gone cannot be chosen");
}

#[test]
fn a_whole_name_is_chosen_by_itself_once_it_is_known_to_be_there() {
    let mut picker = Picker::new("phi-4");
    let waiting = ServerModels { listing: Listing::Asking, ..server("a:1", true, &[]) };
    let other = two().remove(1);
    assert_eq!(picker.list(vec![waiting, other.clone()], ""), None, "the present one comes first");
    let chosen = picker.list(vec![server("a:1", true, &["x"]), other], "x").unwrap();
    assert_eq!(
        (chosen.model.as_str(), chosen.place.as_str(), chosen.here),
        ("phi-4", "b:2", false)
    );

    let mut picker = Picker::new("phi");
    assert_eq!(picker.list(two(), ""), None, "a part of a name is a filter");
    assert_eq!(marked(&picker), "phi-4 @ b:2");

    let mut picker = Picker::new("phi-4");
    typed(&mut picker, "b");
    assert_eq!(picker.list(two(), ""), None, "whoever goes on typing wants to look");
}

#[test]
fn a_server_that_tells_no_models_takes_a_name_as_it_is_typed() {
    let failed = Listing::Failed { message: "It answered 404.".into(), hint: "Look.".into() };
    let mut picker = picker(vec![ServerModels { listing: failed, ..server("a:1", true, &[]) }], "");
    assert_eq!(picker.marked(), None);
    let rows = screen(&mut picker, 60, 12);
    assert_eq!(rows[1..4], [" a:1", "    It answered 404.", "    Look."]);
    typed(&mut picker, "my model");
    assert_eq!(marked(&picker), "my model @ a:1");
    assert!(screen(&mut picker, 60, 12).join("\n").contains("▸ use \"my model\" as it is typed"));
}

#[test]
fn what_is_still_to_come_and_what_is_empty_is_said() {
    let mut loading = Picker::new("");
    assert!(loading.is_loading());
    assert!(screen(&mut loading, 60, 8)[1].contains("⠋ asking for the models"));
    for (listing, words) in [
        (Listing::Asking, "⠋ asking for its models"),
        (Listing::Waiting, "⠋ the list comes when this answer is complete"),
        (Listing::Known, "offers no models"),
    ] {
        let is_coming = listing != Listing::Known;
        let mut picker = picker(vec![ServerModels { listing, ..server("a:1", true, &[]) }], "");
        assert_eq!(picker.is_loading(), is_coming);
        assert!(screen(&mut picker, 60, 8)[2].contains(words), "{words}");
    }
    let mut picker = picker(vec![], "");
    assert!(screen(&mut picker, 60, 8)[1].contains("No model server answers on this machine"));
}

#[test]
fn names_are_made_harmless_to_be_seen_and_given_back_as_they_are() {
    let evil = ["\u{1b}]0;x\u{7}a\u{1b}[31mb", "\u{202e}txet", "漢字漢字漢字", "\u{200b}\n"];
    let mut picker = picker(vec![server("a:1", true, &evil)], "");
    let rows = screen(&mut picker, 50, 8);
    let right =
        ["  ▸ ab", "    txet", "    漢 字 漢 字 漢 字", "    (a name without a visible character)"];
    assert_eq!(rows[2..6], right);
    typed(&mut picker, "ab");
    assert_eq!(picker.marked().unwrap().model, evil[0]);
}

#[test]
fn an_endless_name_is_cut_and_does_not_hide_that_it_is_in_use() {
    let name = "x".repeat(300);
    let mut picker = picker(vec![server("a:1", true, &[&name])], &name);
    let row = &screen(&mut picker, 40, 8)[2];
    assert!(row.starts_with("  ▸ xxx") && row.ends_with("x…  in use"), "{row}");
    assert_eq!(picker.marked().unwrap().model, name);
}

#[test]
fn of_many_models_the_marked_one_is_on_the_screen() {
    let names: Vec<_> = (0..500).map(|n| format!("model-{n:03}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let mut picker = picker(vec![server("a:1", true, &names)], "model-250");
    for (steps, name) in [(0, "250"), (-1, "249"), (40, "289"), (i64::MAX, "499"), (-3, "496")] {
        picker.step(steps);
        let rows = screen(&mut picker, 40, 9);
        let marked: Vec<_> = rows.iter().filter(|row| row.contains('▸')).collect();
        assert_eq!(marked.len(), 1, "{rows:?}");
        assert!(marked[0].contains(name), "{rows:?}");
    }
    picker.step(i64::MIN);
    assert_eq!(screen(&mut picker, 40, 9)[1..3], [" a:1  500", "  ▸ model-000"]);
}

fn any_server() -> impl Strategy<Value = ServerModels> {
    let listing = prop_oneof![
        Just(Listing::Known),
        Just(Listing::Asking),
        Just(Listing::Waiting),
        (".*", ".*").prop_map(|(message, hint)| Listing::Failed { message, hint }),
    ];
    (".*", any::<bool>(), prop::collection::vec(".*", 0..6), listing).prop_map(
        |(place, present, models, listing)| ServerModels {
            models,
            listing,
            ..server(&place, present, &[])
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn anything_is_drawn_at_any_size_and_nothing_harmful_is(
        servers in prop::collection::vec(any_server(), 0..4), filter in "\\PC{0,4}",
        steps in -9_i64..9, width in 0_u16..90, height in 0_u16..20,
    ) {
        let mut picker = picker(servers, "");
        typed(&mut picker, &filter);
        picker.step(steps);
        for row in screen(&mut picker, width, height) {
            prop_assert!(!row.chars().any(char::is_control), "{row:?}");
        }
    }
}
