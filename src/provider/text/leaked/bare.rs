//! Replies that are calls and nothing else, without any mark: JSON, a block of it, Python.
//!
//! Owns these forms. Must not know the marks of calls.
//!
//! Invariant: each call names a known tool and has arguments, and nothing else is in the reply;
//! otherwise all of it is text.

use std::cell::Cell;

use serde_json::Value;

use super::{
    formats,
    item::{Item, assembled},
    kept::Recovered,
    python,
    scan::{self, Scan},
};
use crate::provider::text::{
    call::Named,
    cursor::Cursor,
    fence::{self, Fence},
    shape::Tools,
    value::{Rule, Values},
};

/// The calls, if the reply from here on is nothing but calls.
pub(super) fn whole(cursor: Cursor<'_>, tools: &Tools) -> Option<Recovered> {
    if !cursor.begins("```") {
        return inner(cursor, tools);
    }
    let Ok(block) = fence::block(cursor)? else {
        if !may_be_calls(cursor, tools) {
            cursor.forget_edge();
        }
        return None;
    };
    let mut after = cursor;
    after.go_to(block.end);
    formats::close(&mut after);
    after.space();
    let is_all = after.is_at_end();
    is_all.then(|| in_block(block.info, Cursor::new(block.body, 0), tools)).flatten()
}

fn in_block(info: &str, mut body: Cursor<'_>, tools: &Tools) -> Option<Recovered> {
    if info == "tool_code" {
        return only(python::calls(&mut body, tools)?, tools);
    }
    inner(body, tools).or_else(|| {
        let mut scan = Scan::new();
        scan.run(&mut body, tools);
        Some(scan.kept.finish()).filter(|found| !found.calls.is_empty() && found.text.is_empty())
    })
}

/// Whether a block that is not whole may become one of nothing but calls.
fn may_be_calls(cursor: Cursor<'_>, tools: &Tools) -> bool {
    let mut body = cursor;
    let opening = body.line();
    if body.has_none_left() {
        return true;
    }
    let Some((_, info)) = Fence::opening(opening) else { return false };
    // The last line may be the beginning of the one that ends the block.
    let rest = body.rest();
    let lines = rest.rfind('\n').map_or(0, |at| at + 1);
    let is_end = rest.get(lines..).is_some_and(|line| line.trim().chars().all(|it| it == '`'));
    let end = if is_end { lines } else { rest.len() };
    let edge = Cell::new(false);
    let mut body = body.partial_to(body.at() + end, &edge);
    if info != "tool_code" {
        let mut ahead = body;
        ahead.space();
        if ahead.is_at(&['<', '[']) && scan::may_begin(&ahead) {
            return true;
        }
    }
    let is_found = match info {
        "tool_code" => python::calls(&mut body, tools).is_some(),
        _ => inner(body, tools).is_some(),
    };
    is_found || edge.get()
}

/// Objects and lists of JSON one after the other, or a list of calls as in Python.
fn inner(start: Cursor<'_>, tools: &Tools) -> Option<Recovered> {
    let mut cursor = start;
    let items = json(&mut cursor, tools).or_else(|| {
        cursor = start;
        cursor.space();
        if cursor.is_at(&['[']) { python::calls(&mut cursor, tools) } else { None }
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

/// A call as an object of JSON with the name of a known tool and arguments.
fn known_call(value: &Value, tools: &Tools) -> Option<Named> {
    let named = Named::from_json(value)?;
    let is_call = tools.get(&named.name).is_some() && named.arguments.is_some();
    is_call.then_some(named)
}
