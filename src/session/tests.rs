//! The history stays valid, whatever happens.

use proptest::prelude::*;

use super::*;
use crate::protocol::tool::ToolStatus;

#[test]
fn names_that_a_server_would_refuse_are_sent_back_in_a_form_that_it_takes() {
    let long = "x".repeat(99);
    for (written, sent) in [
        ("read_file", "read_file"),
        ("functions.read_file", "functions_read_file"),
        ("", "unknown_tool"),
        ("日本", "__"),
        (long.as_str(), long.split_at(64).0),
    ] {
        let mut session = Session::new("s".into());
        let call = RawCall { name: written.into(), ..raw("a", "{}") };
        let calls = session.push_calls(AssistantMessage::default(), vec![call]);
        assert_eq!(calls[0].name, written, "the tool layer sees what was written");
        session.close_calls();
        let Message::Assistant(answer) = &session.messages()[1] else { panic!() };
        assert_eq!(answer.calls[0].name, sent);
    }
}

fn raw(id: &str, arguments: &str) -> RawCall {
    RawCall { id: id.into(), name: "read_file".into(), arguments: arguments.into() }
}

fn result(call: &ToolCall, text: &str) -> ToolResult {
    ToolResult {
        call_id: call.id.clone(),
        status: ToolStatus::Ok,
        text: text.into(),
        summary: String::new(),
        diff: None,
        whole: None,
    }
}

fn texts(session: &Session) -> Vec<String> {
    session
        .messages()
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some(result.text.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn results_stand_in_call_order_whatever_finished_first() {
    let mut session = Session::new("s".into());
    session.push_user("go");
    let calls =
        session.push_calls(AssistantMessage::default(), vec![raw("a", "{}"), raw("b", "{}")]);
    session.settle(result(&calls[1], "second"));
    session.settle(result(&calls[0], "first"));
    session.settle(result(&calls[0], "again"));
    assert_eq!(session.close_calls(), []);
    assert_eq!(texts(&session), ["first", "second"]);
}

#[test]
fn calls_without_a_result_get_one_that_says_so() {
    let mut session = Session::new("s".into());
    session.push_user("go");
    let calls =
        session.push_calls(AssistantMessage::default(), vec![raw("a", "{}"), raw("b", "{}")]);
    session.settle(result(&calls[0], "first"));
    session.push_user("next");
    assert_eq!(texts(&session)[0], "first");
    assert!(texts(&session)[1].starts_with("Not run"));
    assert_eq!(history::problems(session.messages()), Vec::<String>::new());
}

#[test]
fn ids_are_made_unique_over_the_whole_session() {
    let mut session = Session::new("s".into());
    let mut ids = HashSet::new();
    for _ in 0..3 {
        let calls = vec![raw("", "{}"), raw("call_0", "{}"), raw("call_0", "{}")];
        for call in session.push_calls(AssistantMessage::default(), calls) {
            assert!(ids.insert(call.id.0));
        }
    }
    assert_eq!(ids.len(), 9);
}

#[test]
fn unreadable_arguments_are_carried_inside_a_valid_object() {
    let mut session = Session::new("s".into());
    let calls = session.push_calls(AssistantMessage::default(), vec![raw("a", "{\"path\": ")]);
    assert_eq!(calls[0].arguments, "{\"path\": ", "the tool layer sees what was written");
    session.close_calls();
    let Message::Assistant(answer) = &session.messages()[1] else { panic!() };
    let sent: serde_json::Value = serde_json::from_str(&answer.calls[0].arguments).unwrap();
    assert_eq!(sent, serde_json::json!({ "unreadable_arguments": "{\"path\": " }));
}

#[test]
fn empty_answers_and_blank_users_leave_no_message() {
    let mut session = Session::new("s".into());
    session.push_user(" \n");
    session.push_answer(String::new(), "thought".into(), true);
    assert_eq!(session.messages().len(), 1);
}

#[derive(Clone, Debug)]
enum Step {
    User(String),
    Answer(String),
    Calls(Vec<(String, String, String)>),
    Settle(usize),
    Close,
}

fn step() -> impl Strategy<Value = Step> {
    let call = (prop_oneof!["", "call_0", "[a-c]"], ".{0,70}", prop_oneof!["", "\\{\\}", ".*"]);
    prop_oneof![
        ".*".prop_map(Step::User),
        ".*".prop_map(Step::Answer),
        prop::collection::vec(call, 1..4).prop_map(Step::Calls),
        (0_usize..4).prop_map(Step::Settle),
        Just(Step::Close),
    ]
}

proptest! {
    #[test]
    fn any_order_of_steps_leaves_a_history_that_can_be_sent(
        steps in prop::collection::vec(step(), 0..30),
    ) {
        let mut session = Session::new("s".into());
        let mut calls = Vec::new();
        for step in steps {
            match step {
                Step::User(text) => session.push_user(&text),
                Step::Answer(text) => session.push_answer(text, String::new(), false),
                Step::Calls(list) => {
                    let list = list.into_iter();
                    let list = list.map(|(id, name, arguments)| RawCall { id, name, arguments });
                    let list = list.collect();
                    calls = session.push_calls(AssistantMessage::default(), list);
                }
                Step::Settle(n) => {
                    if let Some(call) = calls.get(n) {
                        session.settle(result(call, "r"));
                    }
                }
                Step::Close => {
                    session.close_calls();
                }
            }
        }
        session.close_calls();
        prop_assert_eq!(history::problems(session.messages()), Vec::<String>::new());
    }
}

#[test]
fn a_note_stands_before_what_the_user_said_and_behind_a_result() {
    let mut session = Session::new("s".into());
    session.push_user("go");
    session.note("b1 ended.");
    session.note("b2 ended.");
    let said = "(Note from mcc-tui: b1 ended.)\n\n(Note from mcc-tui: b2 ended.)\n\ngo";
    assert_eq!(session.messages()[1..], [Message::User { text: said.into() }]);
    let calls = session.push_calls(AssistantMessage::default(), vec![raw("a", "{}")]);
    session.settle(result(&calls[0], "text"));
    session.close_calls();
    session.note("b3 ended.");
    assert_eq!(texts(&session), ["text\n\n(Note from mcc-tui: b3 ended.)"]);
    assert_eq!(history::problems(session.messages()), Vec::<String>::new());
}

#[test]
fn a_note_before_a_prompt_that_is_taken_back_is_said_before_the_next() {
    let mut session = Session::new("s".into());
    session.push_user("go");
    session.note("b1 ended.");
    session.take_back("other");
    assert_eq!(session.messages().len(), 2, "that was not said");
    session.take_back("go");
    assert_eq!(session.messages().len(), 1);
    session.push_user("again");
    let said = "(Note from mcc-tui: b1 ended.)\n\nagain";
    assert_eq!(session.messages()[1..], [Message::User { text: said.into() }]);
    session.push_user("and more");
    assert_eq!(session.messages()[2..], [Message::User { text: "and more".into() }]);
}

#[test]
fn an_id_that_was_reserved_is_that_of_its_call_and_is_never_given_again() {
    let mut session = Session::new("be good".into());
    session.push_user("go");
    let lost = session.reserve_id("a");
    let kept = session.reserve_id("a");
    assert_ne!(lost, kept);
    // The server names all its calls the same.
    let known = std::collections::BTreeMap::from([(1, kept.clone())]);
    let calls = vec![raw("a", "{}"), raw("a", "{}"), raw("a", "{}")];
    let calls = session.push_known_calls(AssistantMessage::default(), calls, known);
    assert_eq!(calls[1].id, kept);
    let ids: HashSet<_> = calls.iter().map(|call| call.id.clone()).collect();
    assert_eq!((ids.len(), ids.contains(&lost)), (3, false));
}
