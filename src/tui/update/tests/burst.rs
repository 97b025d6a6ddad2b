//! What many keys have written at once is text, whoever has the keys.

use super::{
    calls::{selected, shift, title, working},
    *,
};

fn burst(app: &mut App, text: &str) -> Vec<Effect> {
    update(app, Msg::Burst(text.into()))
}

#[test]
fn it_is_in_the_box_what_a_paste_is() {
    for text in ["hello", "?what", "/usr/bin", "a\tb", "one\rtwo", "1\r2\r3\r4\r", "\u{1b}[31mred"]
    {
        let (mut one, mut other) = (app(), app());
        assert_eq!(burst(&mut one, text), []);
        update(&mut other, Msg::Paste(text.into()));
        assert_eq!(one.composer.text(), other.composer.text(), "{text:?}");
        assert_eq!(screen(&mut one, 80, 24), screen(&mut other, 80, 24), "{text:?}");
        assert!(one.help.is_none());
    }
}

#[test]
fn text_in_between_makes_the_next_ctrl_c_ask_again() {
    for message in [Msg::Burst("one\ntwo".into()), Msg::Paste("one\ntwo".into())] {
        let mut app = app();
        ctrl(&mut app, 'c');
        update(&mut app, message);
        assert_eq!(ctrl(&mut app, 'c'), [], "clears the box");
        assert_eq!(ctrl(&mut app, 'c'), [], "says that it would quit");
        assert_eq!(ctrl(&mut app, 'c'), [Effect::Quit]);
    }
}

#[test]
fn it_answers_no_question_and_becomes_the_prompt() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("1"));
    wait(&mut app, 1_000);
    assert_eq!(burst(&mut app, "yes do it"), []);
    assert_eq!(app.questions.len(), 1);
    assert_eq!(app.composer.text(), "yes do it");
    assert!(app.question().is_none(), "the keys are the prompt's");
}

#[test]
fn it_stops_no_selected_call() {
    let mut app = working();
    shift(&mut app, KeyCode::Up);
    assert!(selected(&mut app).is_some());
    assert_eq!(burst(&mut app, "xylophone"), []);
    assert_eq!((selected(&mut app), app.composer.text().as_str()), (None, "xylophone"));
}

#[test]
fn words_behind_the_key_that_searches_are_searched_for() {
    let mut app = working();
    shift(&mut app, KeyCode::Up);
    burst(&mut app, "/tool");
    assert_eq!(
        app.search.as_ref().map(|search| search.query().to_owned()).as_deref(),
        Some("tool")
    );
    press(&mut app, KeyCode::Enter);
    burst(&mut app, "/tool_a");
    assert_eq!(
        app.search.as_ref().map(|search| search.query().to_owned()).as_deref(),
        Some("tool_a")
    );
    assert!(app.composer.is_empty());
    let mut app = working();
    shift(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    let opened = title(&mut app);
    burst(&mut app, "/words");
    assert!(screen(&mut app, 80, 24).iter().any(|row| row.contains("/ words")));
    burst(&mut app, "/more");
    assert!(screen(&mut app, 80, 24).iter().any(|row| row.contains("/ words/more")));
    assert_eq!(title(&mut app), opened);
}

#[test]
fn a_page_that_takes_no_text_says_where_it_would_go() {
    let mut app = working();
    shift(&mut app, KeyCode::Up);
    press(&mut app, KeyCode::Enter);
    for msg in [Msg::Burst("x marks it".into()), Msg::Paste("x marks it".into())] {
        app.hint = None;
        assert_eq!(update(&mut app, msg), []);
        assert!(app.hint.as_ref().is_some_and(|hint| hint.words().contains("Esc closes this")));
        assert!(app.composer.is_empty());
    }
}

#[test]
fn it_closes_the_list_of_what_runs() {
    let mut app = app();
    typed(&mut app, "/jobs");
    press(&mut app, KeyCode::Enter);
    assert!(app.in_background.is_open());
    burst(&mut app, "go on");
    assert!(!app.in_background.is_open());
    assert_eq!(app.composer.text(), "go on");
}
