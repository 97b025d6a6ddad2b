//! What `arguments` promises, tested.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{repair, schema};
use crate::protocol::tool::ToolStatus;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "old": {"type": "string"},
            "limit": {"type": "integer"},
            "replace_all": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "options": {"type": "object"},
            "mode": {"type": "string", "enum": ["fast", "slow"]},
        },
        "required": ["path"],
    })
}

fn repaired(raw: &str) -> Value {
    repair("tool", raw, &schema()).unwrap().arguments
}

fn refused(raw: &str) -> String {
    let error = repair("tool", raw, &schema()).unwrap_err();
    assert_eq!(error.status, ToolStatus::Refused);
    assert!(error.text.starts_with("Error: "), "{}", error.text);
    assert!(error.text.contains(r#"{"path":"src/main.rs"}"#), "shows a call: {}", error.text);
    error.text
}

#[test]
fn empty_text_is_an_empty_object() {
    let schema = json!({"type": "object", "properties": {}});
    for raw in ["", "  \n", "{}"] {
        assert_eq!(repair("tool", raw, &schema).unwrap().arguments, json!({}));
    }
}

#[test]
fn other_names_of_arguments_are_accepted() {
    for name in ["path", "file_path", "filePath", "filename", "file", "FILE-PATH"] {
        assert_eq!(repaired(&json!({ name: "a" }).to_string()), json!({"path": "a"}));
    }
    for name in ["old", "old_string", "oldString", "old_str"] {
        assert_eq!(
            repaired(&json!({"path": "a", name: "x"}).to_string()),
            json!({"path": "a", "old": "x"})
        );
    }
    assert_eq!(
        repaired(r#"{"path":"a","replaceAll":true}"#),
        json!({"path": "a", "replace_all": true})
    );
}

#[test]
fn the_right_name_wins_over_an_alias_and_that_is_told() {
    let repaired = repair("tool", r#"{"file":"b","path":"a"}"#, &schema()).unwrap();
    assert_eq!(repaired.arguments, json!({"path": "a"}));
    assert_eq!(repaired.notes.len(), 1);
}

#[test]
fn types_are_repaired_where_nothing_can_be_misread() {
    for (raw, name, value) in [
        (r#""true""#, "replace_all", json!(true)),
        (r#""false""#, "replace_all", json!(false)),
        (r#""12""#, "limit", json!(12)),
        ("12.0", "limit", json!(12)),
        (r#""[\"a\",\"b\"]""#, "tags", json!(["a", "b"])),
        (r#""one""#, "tags", json!(["one"])),
        (r#""{\"a\":1}""#, "options", json!({"a": 1})),
    ] {
        let raw = format!(r#"{{"path":"x","{name}":{raw}}}"#);
        assert_eq!(repaired(&raw).get(name), Some(&value), "{raw}");
    }
}

#[test]
fn other_wrong_types_are_refused_and_named() {
    for (raw, what) in [
        (r#"{"path":1}"#, "`path` must be of type string, but is a number"),
        (r#"{"path":null}"#, "`path` must be of type string, but is null"),
        (r#"{"path":"a","limit":"many"}"#, "`limit` must be of type integer, but is a string"),
        (r#"{"path":"a","limit":1.5}"#, "`limit` must be of type integer"),
        (r#"{"path":"a","limit":1e300}"#, "`limit` must be of type integer"),
        (r#"{"path":"a","replace_all":1}"#, "`replace_all` must be of type boolean"),
        (r#"{"path":"a","mode":"medium"}"#, r#"must be one of "fast", "slow""#),
    ] {
        let text = refused(raw);
        assert!(text.contains(what), "{raw}: {text}");
    }
}

#[test]
fn null_for_an_optional_argument_is_as_if_left_out() {
    assert_eq!(repaired(r#"{"path":"a","limit":null}"#), json!({"path": "a"}));
}

#[test]
fn an_unknown_argument_is_ignored_with_a_note() {
    let repaired = repair("tool", r#"{"path":"a","colour":"red"}"#, &schema()).unwrap();
    assert_eq!(repaired.arguments, json!({"path": "a"}));
    assert!(repaired.notes[0].contains("\"colour\""), "{:?}", repaired.notes);
}

#[test]
fn a_missing_argument_is_named() {
    assert!(refused("").contains("needs the argument `path`"));
    assert!(refused(r#"{"limit":3}"#).contains("path (string, required), old (string)"));
}

#[test]
fn text_that_is_no_object_is_refused_with_what_was_wrong() {
    assert!(refused("[1]").contains("are an array, not a JSON object"));
    assert!(refused("\"hello\"").contains("are a string"));
    let cut = refused(r#"{"path": "src/ma"#);
    assert!(cut.contains("line 1 column 16") && cut.contains("cut off"), "{cut}");
    let comma = refused("{\"path\": \"a\",}");
    assert!(comma.contains("line 1 column 14") && comma.contains(r#"near "{\"path\""#), "{comma}");
}

#[test]
fn an_object_that_was_encoded_twice_is_an_object() {
    assert_eq!(repaired(r#""{\"path\":\"a\"}""#), json!({"path": "a"}));
}

#[test]
fn a_lean_schema_says_only_what_a_model_needs() {
    #[derive(schemars::JsonSchema)]
    #[schemars(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Mode {
        Fast,
        Slow,
    }
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Arguments {
        /// Where.
        path: String,
        limit: Option<u64>,
        mode: Option<Mode>,
    }
    assert_eq!(
        schema::lean::<Arguments>(),
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where."},
                "limit": {"type": "integer"},
                "mode": {"type": "string", "enum": ["fast", "slow"]},
            },
            "required": ["path"],
        })
    );
}

proptest! {
    #[test]
    fn any_text_gives_fitting_arguments_or_a_refusal(raw in "\\PC{0,80}") {
        check(&raw)?;
    }

    #[test]
    fn any_json_gives_fitting_arguments_or_a_refusal(
        names in prop::collection::vec("path|file|old|limit|tags|mode|replace_all|x", 0..6),
        values in prop::collection::vec(
            "true|null|-3|1e3|1.5|\"12\"|\"true\"|\"\\[\\]\"|\\[1\\]|\\{\\}|\"é\\\\u0000\"", 6),
    ) {
        let pairs: Vec<String> =
            names.iter().zip(&values).map(|(name, value)| format!("\"{name}\":{value}")).collect();
        check(&format!("{{{}}}", pairs.join(",")))?;
    }
}

fn check(raw: &str) -> Result<(), TestCaseError> {
    let schema = schema();
    match repair("tool", raw, &schema) {
        Ok(repaired) => {
            prop_assert!(repaired.arguments["path"].is_string());
            for (name, value) in repaired.arguments.as_object().unwrap() {
                let right = match schema["properties"][name]["type"].as_str().unwrap() {
                    "string" => value.is_string(),
                    "integer" => value.is_i64(),
                    "boolean" => value.is_boolean(),
                    "array" => value.is_array(),
                    _ => value.is_object(),
                };
                prop_assert!(right, "{} is {}", name, value);
            }
            let again = repair("tool", &repaired.arguments.to_string(), &schema).unwrap();
            prop_assert_eq!(again.arguments, repaired.arguments);
            prop_assert!(again.notes.is_empty());
        }
        Err(error) => prop_assert_eq!(error.status, ToolStatus::Refused),
    }
    Ok(())
}

#[test]
fn notes_about_countless_unknown_arguments_are_few_and_short() {
    let unknown = (0..10_000).map(|n| format!("\"{n}{}\":1", "x".repeat(100)));
    let raw = format!("{{\"path\":\"a\",{}}}", unknown.collect::<Vec<_>>().join(","));
    let repaired = repair("tool", &raw, &schema()).unwrap();
    assert_eq!(repaired.arguments, json!({"path": "a"}));
    assert_eq!(repaired.notes.len(), 6);
    assert_eq!(repaired.notes.last().unwrap(), "9995 more arguments were ignored.");
    assert!(repaired.notes.iter().all(|note| !note.contains(&"x".repeat(64))));
}

#[test]
fn arguments_of_countless_values_are_refused_unread() {
    let list = format!("[{}0]", "{\"\":0},".repeat(200_000));
    assert!(refused(&format!("{{\"path\":\"a\",\"x\":{list}}}")).contains("200000 values"));
    // Also where they hide in a string that would be read as what it holds.
    let hidden = json!({"path": "a", "options": list}).to_string();
    assert!(refused(&hidden).contains("`options` must be of type object"));
}
