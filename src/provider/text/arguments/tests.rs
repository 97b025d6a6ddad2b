//! The ladder of reading: each rung takes what the one above cannot, and no more.

use serde_json::{Value, json};

use super::{Place, call};
use crate::{
    protocol::tool::ToolSpec,
    provider::text::{Fault, shape::Tool},
};

fn tool(required: &[&str]) -> Tool {
    let of = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
    let properties: serde_json::Map<_, _> = required.iter().map(of).collect();
    Tool::new(&ToolSpec {
        name: "f".to_owned(),
        description: String::new(),
        parameters: json!({"properties": properties, "required": required}),
    })
}

/// The arguments, and whether they were repaired. `text` begins behind the bracket.
fn read(text: &str, required: &[&str], is_cut: bool) -> Result<(Value, bool), Fault> {
    let place = Place { text, at: 0, reach: text.len(), end: ')', is_cut };
    let bound = call(place, Some(&tool(required)))?;
    Ok((Value::Object(bound.map), bound.repaired))
}

#[test]
fn what_is_written_rightly_is_not_repaired() {
    let read = |text| read(text, &["path", "content"], false).unwrap();
    assert_eq!(read("'a', 'b')"), (json!({"path": "a", "content": "b"}), false));
    assert_eq!(read("content='b', path=\"a\")"), (json!({"content": "b", "path": "a"}), false));
    assert_eq!(read("'a', content: 'b',)"), (json!({"path": "a", "content": "b"}), false));
    assert_eq!(read("\n  'a',\n  'b'\n)"), (json!({"path": "a", "content": "b"}), false));
    assert_eq!(read("'a', 3)"), (json!({"path": "a", "content": 3}), false));
    assert_eq!(read("'a', True) tail"), (json!({"path": "a", "content": true}), false));
    assert_eq!(
        read("'a', [1, {\"b\": null}])"),
        (json!({"path": "a", "content": [1, {"b": null}]}), false)
    );
}

#[test]
fn quotes_in_quotes_are_repaired() {
    let one = |text| read(text, &["command"], false).unwrap();
    assert_eq!(one("'grep 'a' b')"), (json!({"command": "grep 'a' b"}), true));
    assert_eq!(one("'f('x', 'y')')"), (json!({"command": "f('x', 'y')"}), true));
    assert_eq!(one("ls -l)"), (json!({"command": "ls -l"}), true));
    assert_eq!(one("'ls'"), (json!({"command": "ls"}), true));
    let two = |text| read(text, &["path", "content"], false).unwrap();
    assert_eq!(two("'a', 'f('x', 'y')')"), (json!({"path": "a", "content": "f('x', 'y')"}), true));
}

#[test]
fn nothing_is_guessed_if_the_text_was_cut() {
    for text in ["'ls'", "'grep 'a' b')", "'ls", "", "{\"command\": \"ls\""] {
        assert!(read(text, &["command"], true).is_err(), "{text}");
    }
    assert_eq!(read("'half", &["command"], false), Err(Fault::Open));
    assert_eq!(read("'a', 'b')", &["command"], false), Err(Fault::Bad));
}

#[test]
fn only_paths_get_their_backslashes_back() {
    let (map, repaired) = read(r"'C:\new\table', 'a\nb')", &["path", "content"], false).unwrap();
    assert_eq!(map, json!({"path": r"C:\new\table", "content": "a\nb"}));
    assert!(repaired);
}

#[test]
fn an_address_is_not_a_name_with_a_value() {
    let one = |text| read(text, &["url"], false).unwrap();
    assert_eq!(one("http://a.b/c)"), (json!({"url": "http://a.b/c"}), true));
    assert_eq!(one("a == b)"), (json!({"url": "a == b"}), true));
}
