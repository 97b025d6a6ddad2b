//! Arguments in brackets, `('a.rs', limit=3)`, and their binding to a tool's parameters.
//!
//! Owns the ladder from strict reading to guessing: strict, tolerant, greedy, closing. Must not
//! know where in a reply the call stands.
//!
//! Invariant: what was read in any but the strict way is marked as repaired, and nothing is
//! guessed if the text was cut off.

use serde_json::{Map, Value};

use super::{
    Fault,
    cursor::Cursor,
    quoted::{self, Closing},
    shape::{Parameter, Tool},
    value::{Rule, Values, is_key},
};

/// Arguments as they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Arguments {
    pub(super) positional: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
}

/// Arguments by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bound {
    pub(super) map: Map<String, Value>,
    /// Whether they are not quite what was written.
    pub(super) repaired: bool,
    /// The place behind them.
    pub(super) end: usize,
}

/// A text with arguments, and how far they may be guessed at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The whole text.
    pub(super) text: &'a str,
    /// The place behind the opening bracket.
    pub(super) at: usize,
    /// Where the text ends for anything but strict reading: before the next label.
    pub(super) reach: usize,
    /// The closing bracket.
    pub(super) end: char,
    /// Whether the text may be only the first part of what was meant.
    pub(super) is_cut: bool,
}

/// The arguments of a call of `tool`, up to behind the closing bracket.
///
/// # Errors
/// [`Fault::Open`]: the text ends within them. [`Fault::Bad`]: no way to read them.
pub(super) fn call(place: Place<'_>, tool: Option<&Tool>) -> Result<Bound, Fault> {
    let fault = match attempt(place, tool, place.text.len(), Rule::STRICT) {
        Ok(bound) => return Ok(bound),
        Err(fault) => fault,
    };
    if place.is_cut {
        return Err(fault);
    }
    let guess = |rule| attempt(place, tool, place.reach, rule);
    let guessed = guess(Rule::TOLERANT)
        .or_else(|_| {
            let last = last_quote(place).ok_or(Fault::Bad)?;
            guess(Rule { closing: Closing::At(last), completes: false })
        })
        .or_else(|_| guess(Rule::CLOSE));
    guessed.map(|bound| Bound { repaired: true, ..bound }).map_err(|_| fault)
}

fn attempt(
    place: Place<'_>,
    tool: Option<&Tool>,
    reach: usize,
    rule: Rule,
) -> Result<Bound, Fault> {
    let text = place.text.get(..reach).unwrap_or(place.text);
    let mut cursor = Cursor::new(text, place.at);
    let mut values = Values::new(rule);
    let arguments = list(&mut cursor, &mut values, place.end)?;
    let end = cursor.at();
    cursor.blanks();
    // A quote right behind the call shows that the call's own quotes were misread.
    let leftover: &[char] =
        if rule.closing == Closing::First { &['\'', '"'] } else { &['\'', '"', ')', ']', '}'] };
    if cursor.is_at(leftover) {
        return Err(Fault::Bad);
    }
    let mut bound = bind(arguments, tool)?;
    bound.repaired |= values.repaired;
    bound.end = end;
    Ok(bound)
}

/// Reads arguments up to behind the closing bracket.
pub(super) fn list(
    cursor: &mut Cursor<'_>,
    values: &mut Values,
    end: char,
) -> Result<Arguments, Fault> {
    let mut arguments = Arguments::default();
    let greedy = values.rule.closing;
    while values.goes_on(cursor, end)? {
        let name = key(cursor);
        if let Closing::At(_) = greedy {
            values.rule.closing = if is_sound(*cursor, end) { Closing::First } else { greedy };
        }
        let value = values.value(cursor, &[',', end, super::value::wide(end)])?;
        match name {
            Some(name) => arguments.named.push((name, value)),
            None => arguments.positional.push(value),
        }
        Values::separated(cursor, end)?;
    }
    Ok(arguments)
}

/// Whether the quoted text that begins here is followed as one should be.
fn is_sound(mut cursor: Cursor<'_>, end: char) -> bool {
    if cursor.peek().and_then(quoted::closers).is_none() {
        return true;
    }
    let is_read = quoted::read(&mut cursor, Closing::First).is_ok();
    is_read && !cursor.is_at_end() && Values::separated(&mut cursor, end).is_ok()
}

/// The name before a value, `path=` or `"path":`; steps over both.
fn key(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut ahead = *cursor;
    let name = match ahead.peek()? {
        '\'' | '"' => {
            let quote = ahead.bump()?;
            let name = ahead.take_while(is_key);
            name.chars().next().filter(|_| ahead.eat_one(&[quote]))?;
            name
        }
        first if first.is_alphabetic() || first == '_' => ahead.take_while(is_key),
        _ => return None,
    };
    ahead.blanks();
    // `a == b`, `http://…` and `C:\…` are no names with values.
    if !ahead.eat_one(&['=', ':', '＝', '：']) || ahead.is_at(&['=', ':', '/', '\\']) {
        return None;
    }
    ahead.space();
    *cursor = ahead;
    Some(name.to_owned())
}

/// The last quote within reach that the closing bracket follows.
fn last_quote(place: Place<'_>) -> Option<usize> {
    let text = place.text.get(..place.reach)?;
    let after = text.get(place.at..)?;
    let ends = [place.end, super::value::wide(place.end)];
    let mut is_before_end = false;
    for (at, char) in after.char_indices().rev() {
        if is_before_end && quoted::closers(char).is_some() {
            return Some(place.at + at);
        }
        is_before_end = ends.contains(&char) || is_before_end && char.is_whitespace();
    }
    None
}

/// Gives each argument its name.
///
/// # Errors
/// [`Fault::Bad`]: more than the tool takes.
pub(super) fn bind(mut arguments: Arguments, tool: Option<&Tool>) -> Result<Bound, Fault> {
    if let ([Value::Object(map)], true) = (&*arguments.positional, arguments.named.is_empty())
        && !is_argument_itself(map, tool)
    {
        return Ok(by_name(map.clone(), tool));
    }
    let mut map: Map<String, Value> = Map::new();
    let positional = std::mem::take(&mut arguments.positional);
    match tool {
        Some(tool) => {
            let is_named = |name: &str| arguments.named.iter().any(|(named, _)| named == name);
            let mut free = tool.parameters.iter().filter(|one| !is_named(&one.name));
            for value in positional {
                map.insert(free.next().ok_or(Fault::Bad)?.name.clone(), value);
            }
        }
        None if positional.is_empty() => {}
        None => drop(map.insert("_positional".to_owned(), Value::Array(positional))),
    }
    map.extend(arguments.named);
    Ok(by_name(map, tool))
}

/// Whether an object is the first argument, and not the object of all arguments.
fn is_argument_itself(map: &Map<String, Value>, tool: Option<&Tool>) -> bool {
    tool.is_some_and(|tool| {
        tool.parameters.first().is_some_and(|first| !first.is_text)
            && !map.keys().any(|key| tool.parameter(key).is_some())
    })
}

/// Arguments that have their names already.
pub(super) fn by_name(mut map: Map<String, Value>, tool: Option<&Tool>) -> Bound {
    let mut repaired = false;
    for (name, value) in &mut map {
        let is_path = tool.and_then(|tool| tool.parameter(name)).is_some_and(Parameter::is_path);
        if let Value::String(text) = value
            && is_path
            && text.chars().any(char::is_control)
        {
            *text = escapes_put_back(text);
            repaired = true;
        }
    }
    Bound { map, repaired, end: 0 }
}

/// A path in which `\n` and the like were taken for line ends.
fn escapes_put_back(text: &str) -> String {
    let mut path = String::with_capacity(text.len());
    for char in text.chars() {
        let letter = match char {
            '\n' => "\\n",
            '\t' => "\\t",
            '\r' => "\\r",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '\0' => "\\0",
            other => {
                path.push(other);
                continue;
            }
        };
        path.push_str(letter);
    }
    path
}

#[cfg(test)]
mod tests;
