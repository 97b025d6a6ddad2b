//! The forms of an action besides `name(…)`: JSON, a separate input, square brackets, the rest
//! of the line, and the end of the work.
//!
//! Owns these forms. Must not know how arguments in round brackets are read.
//!
//! Invariant: text without quotes or names is given to a parameter only if there is just one
//! that it can be for.

use super::{
    Action, Arguments, Bound, Callee, Cursor, Fault, Flaw, Map, Named, Parsed, Reason, Rule, Value,
    Values, arguments, fence, finish_word, is_input, skip_label, value,
};
use crate::provider::text::quoted;

impl<'a> Action<'a> {
    /// `{"action": …, "action_input": …}`, or a list of such objects.
    pub(super) fn json_call(&self, mut cursor: Cursor<'a>) -> Result<Parsed, Flaw> {
        let (value, repaired) = self.json(&mut cursor).map_err(|fault| match fault {
            Fault::Open => Flaw(Reason::Truncated, None),
            Fault::Bad => Flaw(Reason::BadArguments, None),
        })?;
        let (first, extra) = match &value {
            Value::Array(list) => (list.first(), list.len().saturating_sub(1)),
            value => (Some(value), 0),
        };
        let named = first.and_then(Named::from_json).ok_or(Flaw(Reason::NoToolName, None))?;
        let callee = Callee { name: &named.name, tool: self.tools.get(&named.name) };
        let is_finish = finish_word(&named.name) == Some(named.name.len());
        let bound = match named.arguments.clone() {
            Some(value) if callee.tool.is_none() && is_finish => {
                return Ok(Parsed::Answer(answer_of(&value)));
            }
            None | Some(Value::Null) => Bound::default(),
            Some(Value::Object(map)) => arguments::by_name(map, callee.tool),
            Some(Value::String(text)) => match serde_json::from_str(&text) {
                Ok(Value::Object(map)) => arguments::by_name(map, callee.tool),
                _ => self.single(callee, &text)?,
            },
            Some(Value::Array(positional)) => {
                let given = Arguments { positional, ..Arguments::default() };
                arguments::bind(given, callee.tool).map_err(|fault| callee.fault(fault))?
            }
            Some(value) => self.single(callee, &value.to_string())?,
        };
        let repaired = bound.repaired || repaired;
        let mut parsed = self.complete(callee, Bound { repaired, end: cursor.at(), ..bound })?;
        if let Parsed::Call(found) = &mut parsed {
            found.extra = extra;
        }
        Ok(parsed)
    }

    /// A JSON value, and whether it had to be repaired.
    fn json(&self, cursor: &mut Cursor<'a>) -> Result<(Value, bool), Fault> {
        let fault = match value::json(cursor) {
            Ok(value) => return Ok((value, false)),
            Err(fault) if self.is_cut => return Err(fault),
            Err(fault) => fault,
        };
        let near = self.raw.get(..self.reach(cursor)).unwrap_or(self.raw);
        for (text, rule) in [(self.raw, Rule::STRICT), (near, Rule::TOLERANT), (near, Rule::CLOSE)]
        {
            let mut ahead = Cursor::new(text, cursor.at());
            if let Ok(value) = Values::new(rule).json_or_like(&mut ahead) {
                cursor.go_to(ahead.at());
                return Ok((value, true));
            }
        }
        Err(fault)
    }

    /// What follows a label of input: JSON, a block, or plain text up to the next label.
    pub(super) fn input(&self, callee: Callee<'_>, mut cursor: Cursor<'a>) -> Result<Parsed, Flaw> {
        let reach = self.reach(&cursor);
        cursor.space();
        cursor.eat("**");
        if cursor.rest().starts_with("`{") {
            cursor.bump();
        }
        if let Some(block) = fence::block(cursor) {
            let block = block.map_err(|fault| callee.fault(fault))?;
            let inner = Action { raw: block.body, tools: self.tools, is_cut: false };
            let bound = inner.input_text(callee, block.body.trim_end_matches(['\n', '\r']))?;
            return self.complete(callee, Bound { end: block.end, ..bound });
        }
        if cursor.is_at(&['{']) {
            let mut ahead = cursor;
            match self.json(&mut ahead) {
                Ok((Value::Object(map), repaired)) => {
                    let mut bound = arguments::by_name(map, callee.tool);
                    bound.repaired |= repaired;
                    return self.complete(callee, Bound { end: ahead.at(), ..bound });
                }
                Ok(_) | Err(Fault::Bad) => {}
                Err(fault) => return Err(callee.fault(fault)),
            }
        }
        if self.is_cut && reach == self.raw.len() {
            return Err(callee.flaw(Reason::Truncated));
        }
        let bound = self.input_text(callee, cursor.between(cursor.at(), reach))?;
        self.complete(callee, Bound { end: reach, ..bound })
    }

    /// The text of an input, whole.
    fn input_text(&self, callee: Callee<'_>, text: &str) -> Result<Bound, Flaw> {
        let trimmed = text.trim();
        if trimmed.starts_with('{') {
            let inner = Action { raw: trimmed, tools: self.tools, is_cut: self.is_cut };
            if let Ok((Value::Object(map), repaired)) = inner.json(&mut Cursor::new(trimmed, 0)) {
                let bound = arguments::by_name(map, callee.tool);
                return Ok(Bound { repaired: bound.repaired || repaired, ..bound });
            }
        }
        let trimmed = trimmed.strip_suffix("\n```").unwrap_or(trimmed).trim();
        if super::is_nothing(trimmed, self.tools) || trimmed.is_empty() {
            return Ok(Bound::default());
        }
        self.single(callee, trimmed)
    }

    /// Gives a text to the one parameter that it can be for.
    fn single(&self, callee: Callee<'_>, text: &str) -> Result<Bound, Flaw> {
        let text = unquoted(text);
        let Some(tool) = callee.tool else {
            let list = Value::Array(vec![Value::String(text)]);
            let map = Map::from_iter([("_positional".to_owned(), list)]);
            return Ok(Bound { map, ..Bound::default() });
        };
        let only = match (tool.only_required(), tool.parameters.as_slice()) {
            (Some(only), _) => only,
            (None, []) => return Ok(Bound::default()),
            (None, [first, ..]) if tool.required().next().is_none() => first,
            _ => return self.several(callee, &text),
        };
        let map = Map::from_iter([(only.name.clone(), only.fit(&text))]);
        let bound = arguments::by_name(map, callee.tool);
        let is_sure = only.is_required || tool.parameters.len() == 1;
        Ok(Bound { repaired: bound.repaired || !is_sure, ..bound })
    }

    /// `path='a', content='b'` without brackets.
    fn several(&self, callee: Callee<'_>, text: &str) -> Result<Bound, Flaw> {
        if self.is_cut {
            return Err(callee.flaw(Reason::Truncated));
        }
        let mut values = Values::new(Rule::CLOSE);
        let bound = arguments::list(&mut Cursor::new(text, 0), &mut values, ')')
            .and_then(|given| arguments::bind(given, callee.tool))
            .map_err(|_| callee.flaw(Reason::BadArguments))?;
        Ok(Bound { repaired: true, ..bound })
    }

    /// `name[…]`: plain text, or arguments if the tool needs several.
    pub(super) fn square(
        &self,
        callee: Callee<'_>,
        mut cursor: Cursor<'a>,
    ) -> Result<Parsed, Flaw> {
        cursor.bump();
        if callee.tool.is_some_and(|tool| tool.required().nth(1).is_some()) {
            return self.bracketed(callee, cursor, ']');
        }
        let end = matching(cursor).ok_or_else(|| callee.flaw(Reason::Truncated))?;
        let bound = self.input_text(callee, cursor.between(cursor.at(), end))?;
        self.complete(callee, Bound { end: end + 1, ..bound })
    }

    /// `name rest of the line`, as a shell would have it.
    pub(super) fn tail(&self, callee: Callee<'_>, mut cursor: Cursor<'a>) -> Result<Parsed, Flaw> {
        let Some(tool) = callee.tool else { return Err(Flaw(Reason::NoToolName, None)) };
        if tool.only_required().is_none() {
            return Err(callee.flaw(Reason::BadArguments));
        }
        cursor.eat_one(&[':', '=', '：']);
        let line = cursor.line();
        if self.is_cut && cursor.is_at_end() && !self.raw.ends_with('\n') {
            return Err(callee.flaw(Reason::Truncated));
        }
        let bound = self.single(callee, line.trim())?;
        self.complete(callee, Bound { end: cursor.at(), repaired: true, ..bound })
    }

    /// The answer behind the word that ends the work.
    pub(super) fn finish(&self, mut cursor: Cursor<'a>) -> Parsed {
        let near = self.raw.get(..self.reach(&cursor)).unwrap_or(self.raw);
        cursor.take_while(|char| matches!(char, '`' | '*' | ' '));
        let text = near.get(cursor.at()..).unwrap_or("");
        let start = cursor;
        let answer = match cursor.bump() {
            Some('[') => unquoted(inside(text, ']')),
            Some('(') => match arguments::call(self.place(&cursor, ')'), None) {
                Ok(bound) => answer_of(&Value::Object(bound.map)),
                Err(_) => unquoted(inside(text, ')')),
            },
            _ => self.finish_below(start, text),
        };
        if answer.is_empty() { Parsed::Nothing } else { Parsed::Answer(answer) }
    }

    /// The answer behind a colon, or as the input.
    fn finish_below(&self, mut cursor: Cursor<'a>, text: &str) -> String {
        cursor.space();
        let text = if is_input(&cursor) {
            skip_label(&mut cursor);
            cursor.between(cursor.at(), self.reach(&cursor)).trim()
        } else {
            text.trim().trim_start_matches([':', '：']).trim()
        };
        match serde_json::from_str::<Value>(text) {
            Ok(value) => answer_of(&value),
            Err(_) => unquoted(text),
        }
    }
}

/// The text in the brackets that `text` begins with, up to the last closing one.
fn inside(text: &str, end: char) -> &str {
    let text = text.get(1..).unwrap_or("");
    text.rfind(end).and_then(|end| text.get(..end)).unwrap_or(text).trim()
}

/// The first text in a value, or all of it.
fn answer_of(value: &Value) -> String {
    let first = match value {
        Value::Object(map) => map.values().next(),
        Value::Array(list) => list.first(),
        Value::String(text) => return text.trim().to_owned(),
        value => return value.to_string(),
    };
    match first {
        None => String::new(),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Array(list)) if list.len() == 1 => {
            list.first().and_then(Value::as_str).map_or_else(|| value.to_string(), str::to_owned)
        }
        Some(_) => value.to_string(),
    }
}

/// A text without the quotes that are around all of it.
fn unquoted(text: &str) -> String {
    let mut cursor = Cursor::new(text, 0);
    match quoted::read(&mut cursor, quoted::Closing::First) {
        Ok(inner) if cursor.is_at_end() => inner,
        _ => text.to_owned(),
    }
}

/// The place of the bracket that closes the one before the cursor, on the same line.
fn matching(cursor: Cursor<'_>) -> Option<usize> {
    let mut depth = 1_usize;
    let line = cursor.rest().lines().next().unwrap_or("");
    for (at, char) in line.char_indices() {
        match char {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(cursor.at() + at);
        }
    }
    line.rfind(']').map(|at| cursor.at() + at)
}
