//! Replies that are calls and nothing else, without any mark: JSON, a block of it, Python.
//!
//! Owns these forms. Must not know the marks of calls.
//!
//! Invariant: each call names a known tool and has arguments, and nothing else is in the reply;
//! otherwise all of it is text.

use serde_json::{Map, Value};

use super::{
    Recovered, Scan, assembled,
    formats::{self, Item},
    known_call,
};
use crate::provider::text::{
    arguments,
    cursor::Cursor,
    fence,
    shape::Tools,
    value::{Rule, Values, is_key},
};

/// The calls, if the reply is nothing but calls.
pub(super) fn whole(text: &str, tools: &Tools) -> Option<Recovered> {
    let mut cursor = Cursor::new(text, 0);
    cursor.space();
    if cursor.rest().starts_with("```") {
        let block = fence::block(cursor)?.ok()?;
        let mut after = Cursor::new(text, block.end);
        formats::close(&mut after);
        after.space();
        if !after.is_at_end() {
            return None;
        }
        if block.info == "tool_code" {
            return only(pythonic(&mut Cursor::new(block.body, 0), tools)?, tools);
        }
        return inner(block.body, tools).or_else(|| {
            let mut scan = Scan::new(block.body, tools, false);
            scan.run();
            let found = scan.finish("");
            (!found.calls.is_empty() && found.text.is_empty()).then_some(found)
        });
    }
    inner(cursor.rest(), tools)
}

/// Objects and lists of JSON one after the other, or a list of calls as in Python.
fn inner(text: &str, tools: &Tools) -> Option<Recovered> {
    let mut cursor = Cursor::new(text, 0);
    let items = json(&mut cursor, tools).or_else(|| {
        cursor = Cursor::new(text, 0);
        cursor.space();
        if cursor.is_at(&['[']) { pythonic(&mut cursor, tools) } else { None }
    })?;
    formats::close(&mut cursor);
    cursor.space();
    if cursor.is_at_end() { only(items, tools) } else { None }
}

fn json(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    loop {
        cursor.space();
        if !items.is_empty() {
            cursor.eat_one(&[',', ';']);
            cursor.space();
        }
        if !cursor.is_at(&['{', '[']) {
            break;
        }
        let mut values = Values::new(Rule::STRICT);
        let value = values.json_or_like(cursor).ok()?;
        let list = match value {
            Value::Array(list) => list,
            value => vec![value],
        };
        for value in &list {
            let named = known_call(value, tools)?;
            items.push(Item::Call { named, repaired: values.repaired });
        }
    }
    (!items.is_empty()).then_some(items)
}

/// `[a(x=1), b()]`, or the same without the brackets.
pub(super) fn pythonic(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
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

/// The calls, each of a known tool.
fn only(items: Vec<Item>, tools: &Tools) -> Option<Recovered> {
    let mut found = Recovered::default();
    for item in items {
        let Item::Call { named, repaired } = item else { return None };
        tools.get(&named.name)?;
        found.calls.push(assembled(&named));
        found.repaired |= repaired;
    }
    Some(found)
}
