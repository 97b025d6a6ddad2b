//! The markups of calls, as one table: a mark, and how what follows it is read.
//!
//! Owns the table and the forms that are mostly JSON. Must not know where in a text a mark may
//! stand.
//!
//! Invariant: the end of a JSON call is found by its brackets, never by the tag that closes it.

use serde_json::{Map, Value};

use super::{item::Item, markup, python};
use crate::{
    provider::text::{
        call::Named,
        cursor::Cursor,
        fence,
        shape::Tools,
        value::{Rule, Values, is_key},
    },
    text::cut,
};

/// Reads what follows a mark; none if it is no call.
type Read = fn(&mut Cursor<'_>, &Tools) -> Option<Vec<Item>>;

/// Marks and their forms. Of two marks that begin alike, the longer comes first.
const FORMATS: &[(&str, Read)] = &[
    // Hermes, Qwen: JSON; Qwen3-Coder: tags; GLM: a name and pairs
    ("<tool_call>", tool_call),
    ("<tool_calls>", tool_call),
    ("<function_call>", tool_call),
    ("<function_calls>", markup::invokes),
    // Qwen3-Coder, and Llama's own form, without the tag around it
    ("<function=", markup::function),
    // MiniMax and others
    ("<minimax:tool_call>", markup::invokes),
    ("<invoke name=", markup::invoke),
    // Mistral
    ("[TOOL_CALLS]", mistral),
    // Llama
    ("<|python_tag|>", python_tag),
    // Granite
    ("<|tool_call|>", objects),
    // Gemma, as a dialect of its own
    ("<|tool_call>", gemma),
    ("<start_function_call>", gemma),
    // DeepSeek
    ("<｜tool▁calls▁begin｜>", deepseek_calls),
    ("<｜tool▁call▁begin｜>", deepseek),
    // Kimi
    ("<|tool_calls_section_begin|>", kimi_calls),
    ("<|tool_call_begin|>", kimi),
    // harmony
    ("<|start|>", harmony),
    ("<|channel|>", harmony),
    ("<tool_response>", |_, _| Some(vec![Item::InventedResult("<tool_response>")])),
];

/// Tags and tokens that may follow a call and mean nothing more.
const CLOSERS: &[&str] = &[
    "</tool_call>",
    "</tool_calls>",
    "</function_call>",
    "</function_calls>",
    "</minimax:tool_call>",
    "<|/tool_call|>",
    "<tool_call|>",
    "<end_function_call>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<|call|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|im_end|>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
    "</s>",
];

/// What begins somewhere.
pub(super) enum Begins {
    /// No mark.
    Nothing,
    /// A mark, and no call behind it.
    FalseMark,
    /// Calls, or what else a markup holds.
    Items(Vec<Item>),
}

/// Whether a mark begins here.
pub(super) fn is_mark(cursor: &Cursor<'_>) -> bool {
    FORMATS.iter().any(|(mark, _)| cursor.begins(mark))
}

/// Reads what begins here, and steps over it if it is of a format.
pub(super) fn read(cursor: &mut Cursor<'_>, tools: &Tools) -> Begins {
    let mark = FORMATS.iter().find(|(mark, _)| cursor.begins(mark));
    let Some((mark, form)) = mark else { return Begins::Nothing };
    let mut ahead = *cursor;
    ahead.eat(mark);
    ahead.space();
    let Some(items) = form(&mut ahead, tools) else { return Begins::FalseMark };
    close(&mut ahead);
    *cursor = ahead;
    Begins::Items(items)
}

/// Steps over the tags and tokens that close calls.
pub(super) fn close(cursor: &mut Cursor<'_>) {
    loop {
        let mut ahead = *cursor;
        ahead.space();
        if !CLOSERS.iter().any(|closer| ahead.eat(closer)) {
            return;
        }
        *cursor = ahead;
    }
}

fn tool_call(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    if cursor.is_at(&['{', '[']) {
        return objects(cursor, tools);
    }
    if cursor.eat("<function=") {
        return markup::function(cursor, tools);
    }
    if cursor.eat("<invoke name=") {
        return markup::invoke(cursor, tools);
    }
    markup::pairs(cursor, tools)
}

/// One or more objects, or a list of them.
fn objects(cursor: &mut Cursor<'_>, _: &Tools) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    loop {
        let mut ahead = *cursor;
        ahead.space();
        if !items.is_empty() {
            ahead.eat_one(&[',', ';']);
            ahead.space();
        }
        if !ahead.is_at(&['{', '[']) {
            break;
        }
        let Some((value, repaired)) = json(&mut ahead) else { break };
        let list = match value {
            Value::Array(list) => list,
            value => vec![value],
        };
        let calls: Option<Vec<_>> = list.iter().map(Named::from_json).collect();
        let Some(calls) = calls else { break };
        items.extend(calls.into_iter().map(|named| Item::Call { named, repaired }));
        *cursor = ahead;
    }
    (!items.is_empty()).then_some(items)
}

/// A value of JSON, or what is meant for it; and whether it is not quite JSON.
fn json(cursor: &mut Cursor<'_>) -> Option<(Value, bool)> {
    let mut values = Values::new(Rule::STRICT);
    let value = values.json_or_like(cursor).ok()?;
    Some((value, values.repaired))
}

/// An object of arguments.
fn arguments(cursor: &mut Cursor<'_>) -> Option<(Value, bool)> {
    cursor.space();
    if !cursor.is_at(&['{']) {
        return None;
    }
    json(cursor)
}

fn named(name: &str, id: &str, (arguments, repaired): (Value, bool)) -> Option<Vec<Item>> {
    let name = name.trim();
    let name = name.strip_prefix("functions.").unwrap_or(name);
    let is_name = !name.is_empty() && name.chars().all(|char| is_key(char) || char == '/');
    let named = Named { id: id.to_owned(), name: name.to_owned(), arguments: Some(arguments) };
    is_name.then(|| vec![Item::Call { named, repaired }])
}

/// `[TOOL_CALLS][{…}]`, `[TOOL_CALLS]name[ARGS]{…}`, the latter also with `[CALL_ID]id`.
fn mistral(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    if cursor.is_at(&['[', '{']) {
        return objects(cursor, tools);
    }
    let name = cursor.take_while(|char| is_key(char) || char == '/');
    let id = if cursor.eat("[CALL_ID]") { cursor.take_while(is_key) } else { "" };
    cursor.eat("[ARGS]");
    named(name, id, arguments(cursor)?)
}

/// `<|python_tag|>{…}; {…}`, or calls as in Python.
fn python_tag(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    if cursor.is_at(&['{']) {
        return objects(cursor, tools);
    }
    python::calls(cursor, tools)
}

fn deepseek_calls(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    if cursor.eat("<｜tool▁call▁begin｜>") { deepseek(cursor, tools) } else { None }
}

/// `function<｜tool▁sep｜>name`, a line end and a block of JSON; or `name<｜tool▁sep｜>{…}`.
fn deepseek(cursor: &mut Cursor<'_>, _: &Tools) -> Option<Vec<Item>> {
    let first = cursor.take_while(|char| is_key(char) || char == '/');
    if !cursor.eat("<｜tool▁sep｜>") {
        return None;
    }
    cursor.space();
    if cursor.is_at(&['{']) {
        return named(first, "", arguments(cursor)?);
    }
    let name = cursor.line();
    fence::Fence::opening(cursor.line())?;
    let items = named(name, "", arguments(cursor)?);
    cursor.space();
    cursor.eat("```");
    items
}

fn kimi_calls(cursor: &mut Cursor<'_>, tools: &Tools) -> Option<Vec<Item>> {
    if cursor.eat("<|tool_call_begin|>") { kimi(cursor, tools) } else { None }
}

/// `functions.name:0<|tool_call_argument_begin|>{…}`; the whole of the first part is the id.
fn kimi(cursor: &mut Cursor<'_>, _: &Tools) -> Option<Vec<Item>> {
    cursor.space();
    let id = cursor.take_while(|char| is_key(char) || matches!(char, ':' | '/'));
    cursor.space();
    if !cursor.eat("<|tool_call_argument_begin|>") {
        return None;
    }
    let name = id.split_once(':').map_or(id, |(name, _)| name);
    named(name, id, arguments(cursor)?)
}

/// `call:name{key:<escape>text<escape>,…}`; the newer dialect has `<|"|>` around texts.
fn gemma(cursor: &mut Cursor<'_>, _: &Tools) -> Option<Vec<Item>> {
    cursor.eat("call:");
    let name = cursor.take_while(|char| is_key(char) || char == '/');
    let map = gemma_object(cursor, 0)?;
    named(name, "", (map, false))
}

const GEMMA_QUOTES: &[&str] = &["<escape>", "<|\"|>", "<|'|>"];

fn gemma_object(cursor: &mut Cursor<'_>, depth: usize) -> Option<Value> {
    let mut map = Map::new();
    cursor.space();
    if depth > 32 || !cursor.eat("{") {
        return None;
    }
    loop {
        cursor.space();
        if cursor.eat("}") {
            return Some(Value::Object(map));
        }
        let key = match GEMMA_QUOTES.iter().find(|quote| cursor.eat(quote)) {
            Some(quote) => cursor.until(quote)?,
            None => cursor.take_while(is_key),
        };
        cursor.space();
        if key.is_empty() || !cursor.eat(":") {
            return None;
        }
        map.insert(key.to_owned(), gemma_value(cursor, depth)?);
        cursor.space();
        if !cursor.eat(",") && !cursor.is_at(&['}']) {
            return None;
        }
    }
}

fn gemma_value(cursor: &mut Cursor<'_>, depth: usize) -> Option<Value> {
    cursor.space();
    if let Some(quote) = GEMMA_QUOTES.iter().find(|quote| cursor.eat(quote)) {
        return cursor.until(quote).map(|text| Value::String(text.to_owned()));
    }
    if cursor.is_at(&['{']) {
        return gemma_object(cursor, depth + 1);
    }
    if cursor.eat("[") {
        let mut list = Vec::new();
        loop {
            cursor.space();
            if cursor.eat("]") {
                return Some(Value::Array(list));
            }
            if depth > 32 {
                return None;
            }
            list.push(gemma_value(cursor, depth + 1)?);
            cursor.space();
            if !cursor.eat(",") && !cursor.is_at(&[']']) {
                return None;
            }
        }
    }
    let word = cursor.take_while(|char| !matches!(char, ',' | '}' | ']')).trim();
    let value = serde_json::from_str(word).unwrap_or_else(|_| Value::String(word.to_owned()));
    (!word.is_empty()).then_some(value)
}

/// `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`; other
/// channels are reasoning and text.
fn harmony(cursor: &mut Cursor<'_>, _: &Tools) -> Option<Vec<Item>> {
    const LONGEST: usize = 200;
    let start = cut::head(cursor.rest(), LONGEST);
    let line = start.split('\n').next()?;
    let Some(end) = line.find("<|message|>") else {
        if line.len() == cursor.rest().len() {
            cursor.touch_edge();
        }
        return None;
    };
    let header = line.get(..end)?;
    cursor.go_to(cursor.at() + header.len() + "<|message|>".len());
    if let Some((_, to)) = header.split_once("to=") {
        let mut to = Cursor::new(to, 0);
        let name = to.take_while(|char| is_key(char) || char == '/');
        return named(name, "", arguments(cursor)?);
    }
    let channels = ["analysis", "commentary", "final"];
    let channel = channels.into_iter().find(|channel| header.contains(channel))?;
    let ends = ["<|end|>", "<|return|>", "<|start|>", "<|channel|>"];
    let start = cursor.at();
    while !cursor.is_at_end() && !ends.iter().any(|end| cursor.begins(end)) {
        cursor.bump();
        cursor.take_while(|char| char != '<');
    }
    let body = cursor.between(start, cursor.at()).to_owned();
    if !cursor.eat("<|end|>") {
        cursor.eat("<|return|>");
    }
    Some(vec![if channel == "analysis" { Item::Reasoning(body) } else { Item::Text(body) }])
}
