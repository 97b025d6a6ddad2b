//! Keys of the user, told by what they do.

use proptest::prelude::*;

use super::*;
use crate::tui::keymap::review::OnReview;

fn choice(key: &str, action: &str) -> KeyChoice {
    KeyChoice {
        key: key.into(),
        action: action.into(),
        path: "/home/config.toml".into(),
        line: Some(7),
    }
}

fn with(choices: &[(&str, &str)]) -> Result<Keys, ConfigError> {
    let choices: Vec<_> = choices.iter().map(|(key, action)| choice(key, action)).collect();
    Keys::with(&choices)
}

fn ctrl(c: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)
}

fn plain(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

const BUSY: Moment = Moment {
    busy: true,
    empty: false,
    question: false,
    review: false,
    asked: false,
    retry: false,
    help: false,
    picker: false,
    list: false,
    files: false,
    recall: false,
    search: false,
    hits: false,
    selected: false,
    browse: false,
    pager: false,
    first_row: false,
    last_row: false,
};

#[test]
fn a_key_of_the_user_counts_where_its_action_does_and_the_usual_one_stays() {
    let keys = with(&[("ctrl-q", "abort")]).unwrap();
    assert_eq!(keys.lookup(&ctrl('q'), BUSY), Some(Action::Abort));
    assert_eq!(keys.lookup(&plain(KeyCode::Esc), BUSY), Some(Action::Abort));
    assert_eq!(keys.lookup(&ctrl('q'), Moment::default()), None);
}

#[test]
fn a_key_of_the_user_comes_before_what_it_meant() {
    let keys = with(&[("Ctrl-L", "fold"), ("f2", "redraw")]).unwrap();
    assert_eq!(keys.lookup(&ctrl('l'), BUSY), Some(Action::Fold));
    assert_eq!(keys.lookup(&plain(KeyCode::F(2)), BUSY), Some(Action::Redraw));
    let labels: Vec<_> = keys
        .rows()
        .iter()
        .filter(|row| row.action == Action::Mouse)
        .map(|row| &row.label)
        .collect();
    assert!(labels.is_empty(), "the help shows what counts: {labels:?}");
}

#[test]
fn lists_keep_their_own_keys() {
    let keys = with(&[("tab", "fold"), ("up", "page-up")]).unwrap();
    let list = Moment { list: true, ..Moment::default() };
    assert_eq!(keys.lookup(&plain(KeyCode::Tab), list), Some(Action::Complete));
    assert_eq!(keys.lookup(&plain(KeyCode::Up), list), Some(Action::Previous));
    assert_eq!(keys.lookup(&plain(KeyCode::Up), BUSY), Some(Action::PageUp));
}

#[test]
fn unknown_names_are_told_with_the_nearest_and_the_place() {
    for (key, name, nearest) in [
        ("ctrl-t", "fodl", "`fold`"),
        ("ctrl-t", "page_up", "`page-up`"),
        ("ctrl-t", "undo", "`input-undo`"),
        ("ctrl-t", "calls_opne", "`calls-open`"),
        ("ctrl-t", "stop", "`abort`"),
        ("ctrl-t", "exit", "`quit`"),
        ("ctrl-entr", "fold", "`ctrl-enter`"),
        ("ctl-t", "fold", "`ctrl-t`"),
        ("crtl-shfit-f", "fold", "`ctrl-shift-f`"),
        ("ctrl+t", "fold", "`ctrl-t`"),
        ("alt page-up", "fold", "`alt-pageup`"),
        ("escape", "fold", "`esc`"),
        ("control-return", "fold", "`ctrl-enter`"),
    ] {
        let error = with(&[(key, name)]).unwrap_err();
        assert_eq!((error.path.to_str(), error.line), (Some("/home/config.toml"), Some(7)));
        assert!(error.what.contains(nearest), "{}", error.what);
        assert!(error.what.contains("[keys]"), "{}", error.what);
    }
}

#[test]
fn where_no_name_is_near_those_that_there_are_are_told() {
    for name in ["", "zzzzzz", "make-coffee-for-me", "xy"] {
        let error = with(&[("ctrl-t", name)]).unwrap_err().what;
        let mut all = Keys::actions();
        all.sort();
        let all = all.join(", ");
        assert!(error.ends_with(&format!("The actions are: {all}.")), "{name}: {error}");
    }
    for key in ["", "f25", "f0", "-", "hyper-t", "zzzzzz", "ctrl-"] {
        if key == "-" {
            assert!(with(&[("ctrl--", "fold")]).is_ok());
            continue;
        }
        let error = with(&[(key, "fold")]).unwrap_err().what;
        assert!(error.contains("f1 to f24") && error.contains("pageup"), "{key}: {error}");
    }
}

proptest! {
    #[test]
    fn a_name_with_one_wrong_letter_is_known_by_the_others(
        at in 0..bindings().count(),
        place in 0..40_usize,
        letter in "[a-z]",
    ) {
        let name = bindings().nth(at).unwrap().action.name();
        let mut letters: Vec<_> = name.chars().collect();
        let place = place % letters.len();
        letters[place] = letter.chars().next().unwrap();
        let wrong: String = letters.into_iter().collect();
        if Keys::actions().contains(&wrong) {
            return Ok(());
        }
        let error = with(&[("ctrl-t", &wrong)]).unwrap_err().what;
        prop_assert!(error.contains("Did you mean `"), "{}", error);
    }
}

#[test]
fn the_readme_lists_every_action_and_every_named_key_that_there_is() {
    let readme = include_str!("../../../../README.md");
    let section = readme.split_once("### Keys of your own").unwrap().1;
    let (text, table) = section.split("\n## ").next().unwrap().split_once("| where |").unwrap();
    let names = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let (mut told, mut there) = (names(table), Keys::actions());
    told.sort();
    there.sort();
    assert_eq!(told, there);
    for (name, ..) in NAMED {
        assert!(names(text).iter().any(|told| told == name), "{name}");
    }
}

#[test]
fn no_way_out_may_be_lost() {
    assert!(with(&[("esc", "redraw")]).is_ok(), "Ctrl-C still stops");
    for (choices, words) in [
        (&[("esc", "redraw"), ("ctrl-c", "redraw")][..], "stop a turn"),
        (&[("enter", "redraw")], "send a prompt"),
        (&[("ctrl-c", "redraw"), ("ctrl-d", "redraw")], "quit"),
    ] {
        let error = with(choices).unwrap_err();
        assert!(error.what.contains(words), "{}", error.what);
    }
    let kept = [("ctrl-x", "abort"), ("esc", "redraw"), ("ctrl-c", "redraw")];
    assert!(with(&kept).is_ok(), "another key stops, and Ctrl-D quits");
}

#[test]
fn letters_are_not_taken_from_what_is_typed() {
    for (key, action) in [("x", "redraw"), ("space", "abort"), ("shift-x", "send")] {
        let error = with(&[(key, action)]).unwrap_err();
        assert!(error.what.contains("is a letter"), "{}", error.what);
    }
    let keys = with(&[("h", "help"), ("shift-y", "allow-once")]).unwrap();
    let empty = Moment { empty: true, ..Moment::default() };
    assert_eq!(keys.lookup(&plain(KeyCode::Char('h')), empty), Some(Action::Help));
    assert_eq!(keys.lookup(&plain(KeyCode::Char('h')), Moment::default()), None);
    let capital = KeyEvent::new(KeyCode::Char('Y'), KeyModifiers::SHIFT);
    let asked = Moment { question: true, ..Moment::default() };
    assert_eq!(keys.lookup(&capital, asked), Some(Action::AllowOnce));
}

#[test]
fn the_keys_of_a_write_can_be_chosen_and_give_way_to_those_of_any_question() {
    let keys = with(&[("v", "review-edit"), ("space", "deny")]).unwrap();
    let asked = Moment { question: true, asked: true, ..BUSY };
    let review = Moment { review: true, ..asked };
    assert_eq!(
        keys.lookup(&plain(KeyCode::Char('v')), review),
        Some(Action::Review(OnReview::Edit))
    );
    assert_eq!(
        keys.lookup(&plain(KeyCode::Char('e')), review),
        Some(Action::Review(OnReview::Edit))
    );
    assert_eq!(keys.lookup(&plain(KeyCode::Char('v')), asked), None);
    for moment in [asked, review] {
        assert_eq!(keys.lookup(&plain(KeyCode::Char(' ')), moment), Some(Action::Deny));
    }
    let told = keys.rows().iter().filter(|row| row.action == Action::Review(OnReview::Take));
    assert_eq!(told.count(), 0, "the help shows what counts");
}

#[test]
fn keys_are_labelled_as_people_write_them() {
    for (written, label) in [
        ("ctrl-t", "Ctrl-T"),
        ("alt-enter", "Alt-Enter"),
        ("CTRL-SHIFT-F5", "Ctrl-Shift-F5"),
        ("shift-x", "X"),
        ("ctrl--", "Ctrl--"),
        ("-", "-"),
    ] {
        assert_eq!(read(written).unwrap().2, label);
    }
}

#[test]
fn where_the_table_itself_cannot_be_used_the_usual_keys_hold_and_it_is_told() {
    let what = "`keys` is a table.".to_owned();
    let fault = ConfigError { path: "/home/config.toml".into(), line: Some(2), what };
    let (keys, why) = Keys::or_usual(&Err(fault));
    assert_eq!(keys.lost(), None);
    let want = "/home/config.toml:2: `keys` is a table. Until then every key means what it usually \
                does.";
    assert_eq!(why.as_deref(), Some(want));
}

proptest! {
    #[test]
    fn whatever_is_bound_can_be_stopped_and_left(
        choices in prop::collection::vec((0..NAMED.len(), 0..bindings().count(), 0..3_usize), 0..12),
    ) {
        let choices: Vec<_> = choices.into_iter().map(|(key, action, modifier)| {
            let modifier = ["", "ctrl-", "alt-"][modifier];
            choice(&format!("{modifier}{}", NAMED[key].0), &bindings().nth(action).unwrap().action.name())
        }).collect();
        if let Ok(keys) = Keys::with(&choices) {
            prop_assert_eq!(keys.lost(), None);
        }
    }
}

#[test]
fn over_a_selected_call_and_over_a_selection_their_own_keys_hold() {
    let keys = with(&[("enter", "send"), ("esc", "abort")]).unwrap();
    let browse = Moment { browse: true, busy: true, empty: true, ..Moment::default() };
    let open = Action::Calls(crate::tui::keymap::calls::OnCalls::Open);
    assert_eq!(keys.lookup(&plain(KeyCode::Enter), browse), Some(open));
    let leave = Action::Calls(crate::tui::keymap::calls::OnCalls::Leave);
    assert_eq!(keys.lookup(&plain(KeyCode::Esc), browse), Some(leave));
    let selected = Moment { selected: true, ..Moment::default() };
    assert_eq!(keys.lookup(&plain(KeyCode::Esc), selected), Some(Action::Unselect));
}

#[test]
fn a_letter_can_be_chosen_where_nothing_is_typed() {
    let keys = with(&[("s", "calls-find"), ("o", "calls-open")]).unwrap();
    let find = Action::Calls(crate::tui::keymap::calls::OnCalls::Find);
    let pager = Moment { pager: true, ..Moment::default() };
    assert_eq!(keys.lookup(&plain(KeyCode::Char('s')), pager), Some(find));
    assert_eq!(keys.lookup(&plain(KeyCode::Char('s')), Moment::default()), None);
}
