//! Calls written as in Python.
//!
//! Owns this form. Must not know where in a reply it may stand.
//!
//! Invariant: each call names a known tool, and nothing in it had to be guessed at.

use serde_json::{Map, Value};

use super::item::Item;
use crate::provider::text::{
    arguments,
    cursor::Cursor,
    shape::Tools,
    value::{Rule, Values, is_key},
};

/// `[a(x=1), b()]`, or the same without the brackets.
pub(super) fn calls(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    cursor.space();
    let is_list = cursor.eat("[");
    loop {
        cursor.space();
        if is_list && cursor.eat("]") {
            break;
        }
        let name = cursor.take_while(|char| is_key(char) || char == '/');
        let tool = tools.get(name);
        if tool.is_none() || !cursor.eat("(") {
            return if is_list { None } else { Some(items).filter(|items| !items.is_empty()) };
        }
        let mut values = Values::new(Rule::STRICT);
        let given = arguments::list(cursor, &mut values, ')').ok()?;
        let bound = arguments::bind(given, tool).ok()?;
        if values.repaired {
            return None;
        }
        items.push(Item::call(name, Value::Object(Map::from_iter(bound.map))));
        cursor.blanks();
        cursor.eat_one(&[',', ';']);
    }
    (!items.is_empty()).then_some(items)
}
