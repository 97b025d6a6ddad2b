//! Calls written in tags: `<function=…>`, `<invoke name="…">`, and pairs of keys and values.
//!
//! Owns where the text of a parameter ends. Must not know the marks around a call.
//!
//! Invariant: a closing tag within a parameter's text is text, unless what may follow a
//! parameter follows it.

use serde_json::{Map, Value};

use super::item::Item;
use crate::provider::text::{
    cursor::Cursor,
    shape::{Parameter, Tools},
    value::is_key,
};

/// What may follow the end of a parameter.
const AFTER: &[&str] = &[
    "<parameter",
    "</function>",
    "</invoke>",
    "<arg_key>",
    "</tool_call>",
    "</minimax:tool_call>",
    "</function_calls>",
    "<invoke",
];

/// `name>`, then parameters or JSON, and `</function>`.
pub(super) fn function(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    let name = cursor.take_while(|char| !matches!(char, '>' | '<' | '\n')).trim();
    let name = name.trim_matches('"');
    if !cursor.eat(">") || !is_name(name) {
        return None;
    }
    cursor.space();
    if cursor.is_at(&['{']) {
        let value = crate::provider::text::value::json(cursor).ok()?;
        cursor.space();
        cursor.eat("</function>");
        return Some(vec![Item::call(name, value)]);
    }
    let map = parameters(cursor, name, tools)?;
    let is_closed = cursor.eat("</function>");
    (is_closed || !map.is_empty()).then(|| vec![Item::call(name, Value::Object(map))])
}

/// One or more `<invoke name="…">`.
pub(super) fn invokes(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    loop {
        cursor.space();
        if !cursor.eat("<invoke name=") {
            break;
        }
        items.append(&mut invoke(cursor, tools)?);
    }
    (!items.is_empty()).then_some(items)
}

/// `"name">`, then parameters and `</invoke>`.
pub(super) fn invoke(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    let name = cursor.take_while(|char| !matches!(char, '>' | '<' | '\n')).trim();
    let name = name.trim_matches(['"', '\'']);
    if !cursor.eat(">") || !is_name(name) {
        return None;
    }
    let map = parameters(cursor, name, tools)?;
    let is_closed = cursor.eat("</invoke>");
    (is_closed || !map.is_empty()).then(|| vec![Item::call(name, Value::Object(map))])
}

/// `<parameter=key>text</parameter>` or `<parameter name="key">text</parameter>`, any number.
fn parameters(cursor: &mut Cursor<'_>, tool: &str, tools: &Tools) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    let mut is_closing = true;
    loop {
        cursor.space();
        if !cursor.eat("<parameter=") && !cursor.eat("<parameter name=") {
            return Some(map);
        }
        let key = cursor.take_while(|char| !matches!(char, '>' | '<' | '\n')).trim();
        let key = key.split_whitespace().next()?.trim_matches(['"', '\'']);
        if !cursor.eat(">") || !is_name(key) {
            return None;
        }
        let mut ahead = *cursor;
        let closed = if is_closing { text_until(&mut ahead, "</parameter>") } else { None };
        let text = if let Some(text) = closed {
            *cursor = ahead;
            text
        } else {
            // Some models leave a closing tag out. If no more follow, they are not looked for.
            is_closing = false;
            text_until_next(cursor)?
        };
        map.insert(key.to_owned(), fit(tools, tool, key, text));
    }
}

/// A name, then `<arg_key>key</arg_key><arg_value>text</arg_value>`, any number.
pub(super) fn pairs(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    let name = cursor.take_while(|char| is_key(char) || char == '/');
    let mut map = Map::new();
    cursor.space();
    while cursor.eat("<arg_key>") {
        let key = cursor.until("</arg_key>")?.trim();
        cursor.space();
        if !is_name(key) || !cursor.eat("<arg_value>") {
            return None;
        }
        let text = text_until(cursor, "</arg_value>")?;
        map.insert(key.to_owned(), fit(tools, name, key, text));
        cursor.space();
    }
    // A name alone in the tags is a call only if there is such a tool.
    let is_call = !map.is_empty() || (tools.get(name).is_some() && cursor.begins("</tool_call>"));
    (is_name(name) && is_call).then(|| vec![Item::call(name, Value::Object(map))])
}

/// The text up to the closing tag that ends it; steps over the tag.
fn text_until<'a>(cursor: &mut Cursor<'a>, closer: &str) -> Option<&'a str> {
    let start = cursor.at();
    while cursor.until(closer).is_some() {
        let end = cursor.at() - closer.len();
        let mut after = *cursor;
        after.space();
        if after.is_at_end() || AFTER.iter().any(|tag| after.begins(tag)) {
            return Some(cursor.between(start, end));
        }
    }
    None
}

/// The text up to the next parameter or the end of the call, at the beginning of a line.
fn text_until_next<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let start = cursor.at();
    let ends = ["\n<parameter", "\n</function>", "\n</invoke>"];
    while !cursor.is_at_end() {
        if ends.iter().any(|end| cursor.begins(end)) {
            return Some(cursor.between(start, cursor.at()));
        }
        cursor.bump();
        cursor.take_while(|char| char != '\n');
    }
    None
}

/// The text as the parameter's value, without the line ends that stand beside its tags.
fn fit(tools: &Tools, tool: &str, key: &str, text: &str) -> Value {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let parameter: Option<&Parameter> = tools.get(tool).and_then(|tool| tool.parameter(key));
    parameter.map_or_else(|| Value::String(text.to_owned()), |parameter| parameter.fit(text))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| is_key(char) || matches!(char, '/' | ':'))
}
