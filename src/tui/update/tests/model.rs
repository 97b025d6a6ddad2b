//! Commands in the prompt, and the picker of a model: which key does what, and what it disturbs.

use super::*;
use crate::protocol::models::{Listing, ServerModels};

pub(super) fn listed(models: &[&str], choose: bool) -> StreamEvent {
    let server = |place: &str, present, models: &[&str]| ServerModels {
        base_url: format!("http://{place}/v1"),
        place: place.into(),
        name: String::new(),
        present,
        models: models.iter().map(|model| (*model).to_owned()).collect(),
        listing: Listing::Known,
    };
    let servers = vec![server("localhost:1", true, models), server("b:2", false, &["phi-4"])];
    StreamEvent::ModelsListed { servers, choose }
}

fn use_model(model: &str, place: &str) -> Vec<Effect> {
    let server = Some(format!("http://{place}/v1"));
    vec![Effect::Send(Op::UseModel { model: model.into(), server })]
}

fn ask() -> Vec<Effect> {
    vec![Effect::Send(Op::ListModels)]
}

fn words(app: &mut App) -> String {
    let rows = screen(app, 80, 24).join(" ");
    rows.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// With the picker open over what is known.
fn picking() -> App {
    let mut app = app();
    typed(&mut app, "/model");
    assert_eq!(press(&mut app, KeyCode::Enter), ask());
    assert!(words(&mut app).contains("asking for the models"));
    tell(&mut app, listed(&["qwen", "gemma"], false));
    app
}

#[test]
fn a_slash_shows_the_commands_tab_completes_and_enter_runs() {
    let mut app = app();
    typed(&mut app, "/");
    let all = words(&mut app);
    for name in ["/model [name]", "/help", "/quit"] {
        assert!(all.contains(name), "{all}");
    }
    typed(&mut app, "mo");
    assert!(!words(&mut app).contains("/help"));
    assert_eq!(press(&mut app, KeyCode::Tab), []);
    assert_eq!(app.composer.text(), "/model ");
    assert_eq!(press(&mut app, KeyCode::Enter), ask());
    assert!(app.composer.is_empty() && app.picker.is_some());
}

#[test]
fn a_command_that_is_begun_is_run_and_one_that_merely_holds_the_letters_is_not() {
    let mut app = app();
    typed(&mut app, "/ui");
    assert!(words(&mut app).contains("/quit"));
    assert_eq!(press(&mut app, KeyCode::Enter), [], "the letters of quit, but not its beginning");
    assert_eq!(app.composer.text(), "/ui");
    assert!(words(&mut app).contains("There is no command /ui; the nearest is /quit."));
    press(&mut app, KeyCode::Down);
    assert_eq!(press(&mut app, KeyCode::Enter), [Effect::Quit], "marked on purpose");
    typed(&mut app, "/q");
    assert_eq!(press(&mut app, KeyCode::Enter), [Effect::Quit]);
    typed(&mut app, "/h");
    press(&mut app, KeyCode::Enter);
    assert!(app.help.is_some());
}

#[test]
fn an_unknown_command_is_not_sent_and_stays() {
    for text in ["/modle", "/modle qwen"] {
        let mut app = app();
        typed(&mut app, text);
        assert_eq!(press(&mut app, KeyCode::Enter), []);
        assert_eq!(app.composer.text(), text);
        let words = words(&mut app);
        assert!(words.contains("There is no command /modle; the nearest is /model."), "{words}");
    }
}

#[test]
fn what_looks_like_a_path_or_begins_with_a_blank_is_a_message() {
    for text in ["/usr/bin is what?", "//model", " /model"] {
        let mut app = app();
        typed(&mut app, text);
        assert!(app.commands.fitting(&app.composer).is_none());
        assert_eq!(press(&mut app, KeyCode::Enter), submit_of(text));
    }
}

#[test]
fn esc_closes_the_list_before_it_stops_a_turn_and_typing_opens_it_again() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "/mo");
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    assert!(!words(&mut app).contains("/model"));
    typed(&mut app, "d");
    assert!(words(&mut app).contains("/model"));
    press(&mut app, KeyCode::Esc);
    assert_eq!(press(&mut app, KeyCode::Esc), [Effect::Interrupt(AbortBy::User)]);
}

#[test]
fn earlier_commands_are_walked_past_and_no_list_holds_the_keys() {
    let mut app = app();
    for text in ["first", "/help"] {
        typed(&mut app, text);
        press(&mut app, KeyCode::Enter);
        press(&mut app, KeyCode::Esc);
        app.sent = None;
    }
    press(&mut app, KeyCode::Up);
    assert_eq!(app.composer.text(), "/help");
    press(&mut app, KeyCode::Up);
    assert_eq!(app.composer.text(), "first");
}

#[test]
fn the_first_prompt_may_be_a_command() {
    let mut app = app();
    assert_eq!(begin(&mut app, "/model"), ask());
    let mut app = super::app();
    assert_eq!(begin(&mut app, "/etc/hosts: what is it?"), submit_of("/etc/hosts: what is it?"));
}

#[test]
fn a_model_is_found_chosen_and_told() {
    let mut app = picking();
    typed(&mut app, "gem");
    assert_eq!(press(&mut app, KeyCode::Enter), use_model("gemma", "localhost:1"));
    assert!(app.picker.is_none() && app.composer.is_empty());
    let told = words(&mut app);
    assert!(told.contains("gemma @ localhost:1 answers from the next request on"), "{told}");
    assert!(told.contains("To keep it: model = \"gemma\" in ~/.config/mcc-tui/config"), "{told}");
}

#[test]
fn a_model_of_another_server_is_chosen_with_its_server() {
    let mut app = picking();
    for key in [KeyCode::Down, KeyCode::Down, KeyCode::Down] {
        press(&mut app, key);
    }
    ctrl(&mut app, 'p');
    ctrl(&mut app, 'n');
    assert_eq!(press(&mut app, KeyCode::Enter), use_model("phi-4", "b:2"));
    let told = words(&mut app);
    assert!(told.contains("model = \"phi-4\" and base_url = \"http://b:2/v1\""), "{told}");
}

#[test]
fn esc_and_ctrl_c_close_the_picker_and_change_nothing() {
    let mut app = picking();
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    assert!(app.picker.is_none() && !words(&mut app).contains("answers from"));
    let mut app = picking();
    assert_eq!(ctrl(&mut app, 'c'), []);
    assert!(app.picker.is_none());
}

#[test]
fn while_a_turn_runs_esc_closes_only_the_picker_and_the_choice_is_made_at_once() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "/model");
    assert_eq!(press(&mut app, KeyCode::Enter), ask(), "it is not queued");
    tell(&mut app, listed(&["qwen", "gemma"], false));
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    assert!(app.is_busy() && !app.stopping && app.picker.is_none());
    typed(&mut app, "/model");
    press(&mut app, KeyCode::Enter);
    tell(&mut app, listed(&["qwen", "gemma"], false));
    press(&mut app, KeyCode::Down);
    assert_eq!(press(&mut app, KeyCode::Enter), use_model("gemma", "localhost:1"));
    assert!(app.is_busy());
}

#[test]
fn an_exact_name_is_chosen_without_looking() {
    let mut app = app();
    typed(&mut app, "/model gemma");
    assert_eq!(press(&mut app, KeyCode::Enter), ask());
    let chosen = tell(&mut app, listed(&["gemma3", "gemma"], false));
    assert_eq!(chosen, use_model("gemma", "localhost:1"));
    assert!(app.picker.is_none());
}

#[test]
fn at_the_start_the_picker_opens_by_itself_and_enter_takes_the_one_in_use() {
    let mut app = app();
    tell(&mut app, listed(&["gemma", "qwen"], true));
    assert!(words(&mut app).contains("▸ qwen in use"));
    assert_eq!(press(&mut app, KeyCode::Enter), use_model("qwen", "localhost:1"));
    assert!(!words(&mut app).contains("from the next request"), "nothing changed");
}

#[test]
fn nobody_who_types_or_waits_is_disturbed_by_it() {
    let mut app = app();
    typed(&mut app, "fix");
    tell(&mut app, listed(&["gemma", "qwen"], true));
    assert!(app.picker.is_none());
    assert_eq!(app.composer.text(), "fix");
    let mut app = super::app();
    start(&mut app);
    tell(&mut app, listed(&["gemma", "qwen"], true));
    assert!(app.picker.is_none());
}

fn nameless() -> App {
    let mut app = app();
    app.about.model.clear();
    app
}

#[test]
fn a_turn_that_waits_for_the_choice_opens_the_picker_and_says_so() {
    let mut app = nameless();
    start(&mut app);
    tell(&mut app, listed(&["gemma", "qwen"], true));
    assert!(app.picker.is_some());
    press(&mut app, KeyCode::Esc);
    assert!(status(&mut app).starts_with("waits for your choice: /model"));
    tell(&mut app, listed(&["gemma", "qwen"], true));
    assert!(app.picker.is_none(), "it was closed, and asks once");
    let about = About { model: "gemma".into(), ..app.about.clone() };
    tell(&mut app, StreamEvent::ModelChosen { about });
    assert!(status(&mut app).starts_with("waits for the model"));
}

#[test]
fn the_next_prompt_without_a_choice_asks_again() {
    let mut app = nameless();
    tell(&mut app, listed(&["gemma", "qwen"], true));
    press(&mut app, KeyCode::Esc);
    typed(&mut app, "go");
    assert_eq!(press(&mut app, KeyCode::Enter), submit_of("go"));
    tell(&mut app, listed(&["gemma", "qwen"], true));
    assert!(app.picker.is_some());
}

#[test]
fn whoever_types_already_is_told_that_no_model_is_chosen() {
    let mut app = nameless();
    typed(&mut app, "fix");
    tell(&mut app, listed(&["gemma", "qwen"], true));
    assert!(app.picker.is_none());
    assert!(words(&mut app).contains("No model is chosen"), "{}", words(&mut app));
}

#[test]
fn a_question_under_the_picker_is_not_answered_by_its_keys() {
    let mut app = picking();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 1_000);
    assert_eq!(press(&mut app, KeyCode::Char('y')), []);
    press(&mut app, KeyCode::Esc);
    assert_eq!(press(&mut app, KeyCode::Char('y')), [], "it arms itself first");
    assert_eq!(app.composer.text(), "y");
}

#[test]
fn the_wheel_and_pastes_are_for_the_picker() {
    let mut app = picking();
    update(&mut app, Msg::Wheel(1, (9, 9)));
    update(&mut app, Msg::Wheel(-1, (9, 9)));
    update(&mut app, Msg::Paste("gem\nma".into()));
    assert!(app.composer.is_empty());
    assert!(words(&mut app).contains("Model › gem ma"), "{}", words(&mut app));
    assert_eq!(press(&mut app, KeyCode::Enter), use_model("gemma", "localhost:1"));
}

#[test]
fn an_engine_that_is_gone_leaves_no_picker_that_waits_for_ever() {
    let mut app = app();
    typed(&mut app, "/model");
    press(&mut app, KeyCode::Enter);
    update(&mut app, Msg::NotHeard);
    assert!(app.picker.is_none() && !app.moves() || app.hint.is_some());
    let mut app = super::app();
    typed(&mut app, "/model");
    press(&mut app, KeyCode::Enter);
    update(&mut app, Msg::EngineGone);
    assert!(app.picker.is_none() && !app.moves());
}

#[test]
fn the_picker_is_usable_on_a_small_screen() {
    let mut app = picking();
    let rows = screen(&mut app, 40, 10);
    assert!(rows[0].starts_with(" Model › type to filter"), "{rows:?}");
    assert_eq!(
        rows[1..6],
        [" localhost:1  2", "  ▸ qwen  in use", "    gemma", " b:2  1", "    phi-4"]
    );
    assert!(rows[9].contains("Enter chooses · Esc closes"), "{rows:?}");
    press(&mut app, KeyCode::Esc);
    typed(&mut app, "/");
    let rows = screen(&mut app, 40, 10).join("\n");
    assert!(rows.contains("/model"), "{rows}");
    // The rest is reached by moving the mark.
    for _ in 0..20 {
        press(&mut app, KeyCode::Down);
    }
    let rows = screen(&mut app, 40, 10).join("\n");
    assert!(rows.contains("/quit"), "{rows}");
}

#[test]
fn the_help_lists_the_commands_and_what_is_none() {
    let mut app = app();
    typed(&mut app, "/help");
    press(&mut app, KeyCode::Enter);
    let rows = screen(&mut app, 100, 120).join("\n");
    for words in ["Commands", "/model [name]", "/quit", "with a second slash in it is a path"] {
        assert!(rows.contains(words), "{words}\n{rows}");
    }
}

#[test]
fn the_status_line_says_that_there_is_no_such_command() {
    for text in ["/xyz", "/xyz and more"] {
        let mut app = app();
        typed(&mut app, text);
        let line = status(&mut app);
        assert!(line.contains("no such command") && !line.contains("sends"), "{line}");
        assert_eq!(press(&mut app, KeyCode::Enter), []);
        assert_eq!(app.composer.text(), text);
        start(&mut app);
        assert!(status(&mut app).ends_with("no such command · Esc stops"), "{text}");
    }
    for (text, words) in [
        ("/usr/bin is what?", "Enter sends"),
        (" /xyz", "Enter sends"),
        ("/model x", "Enter runs"),
        ("/mod", "Enter runs"),
    ] {
        let mut app = app();
        typed(&mut app, text);
        let line = status(&mut app);
        assert!(line.contains(words) && !line.contains("no such"), "{text}: {line}");
    }
    let mut app = app();
    typed(&mut app, "/");
    let line = status(&mut app);
    assert!(line.contains("Tab completes · Esc closes"), "nothing is meant yet: {line}");
    press(&mut app, KeyCode::Down);
    assert!(status(&mut app).contains("Enter runs"), "it was marked");
}

#[test]
fn where_the_list_of_commands_has_no_room_it_says_how_many_more_there_are() {
    let mut app = app();
    typed(&mut app, "/");
    let all = crate::tui::command::COMMANDS.len();
    let rows = screen(&mut app, 40, 10);
    let is_one = |row: &&String| row.starts_with(" ▸ /") || row.starts_with("   /");
    let listed = rows.iter().filter(is_one).count();
    let more = format!("   … {} more", all - listed);
    assert!(rows.contains(&more), "{more}: {rows:#?}");
    for _ in 1..all {
        press(&mut app, KeyCode::Down);
        let rows = screen(&mut app, 40, 10);
        assert!(rows.iter().any(|row| row.starts_with(" ▸ /")), "{rows:#?}");
        assert!(rows.contains(&more), "{rows:#?}");
    }
    assert!(!screen(&mut app, 80, 40).join("\n").contains("more"));
}

#[test]
fn a_sign_for_a_command_without_one_stays_and_says_what_is_missing() {
    for text in ["!", "!  "] {
        let mut app = app();
        typed(&mut app, text);
        assert!(status(&mut app).ends_with("a shell command follows"));
        assert_eq!(press(&mut app, KeyCode::Enter), []);
        assert_eq!(app.composer.text(), text);
        let rows = screen(&mut app, 80, 24);
        assert!(rows[23].contains("behind the ! a command is missing"), "{rows:#?}");
        start(&mut app);
        assert_eq!(press(&mut app, KeyCode::Enter), []);
        assert!(app.queued.is_empty());
    }
}
