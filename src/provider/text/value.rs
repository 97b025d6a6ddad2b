//! Values as models write them: JSON, and what is meant for it.
//!
//! Owns their forms: JSON, the same with Python's words and quotes, bare words. Must not know
//! which tool they are for.
//!
//! Invariant: JSON that is valid is read as JSON and as nothing else; anything that had to be
//! guessed at says so.

use serde_json::{Map, Value};

use super::{
    Fault,
    cursor::Cursor,
    quoted::{self, Closing},
};

/// Brackets in brackets; deeper ones are no arguments of a tool.
const DEEPEST: usize = 64;

/// How values are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Which quote closes a text.
    pub(super) closing: Closing,
    /// Whether brackets that are missing at the end of the text are added.
    pub(super) completes: bool,
}

impl Rule {
    /// Nothing is guessed.
    pub(super) const STRICT: Self = Self { closing: Closing::First, completes: false };
    /// Quotes within texts are told by what follows them.
    pub(super) const TOLERANT: Self = Self { closing: Closing::BeforeSeparator, completes: false };
    /// A bracket that is missing at the end is added.
    pub(super) const CLOSE: Self = Self { closing: Closing::First, completes: true };
}

/// Reads values by a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values {
    pub(super) rule: Rule,
    /// Whether something was not quite as it should be.
    pub(super) repaired: bool,
    depth: usize,
}

/// Reads the valid JSON value that begins here, and steps over it.
///
/// # Errors
/// [`Fault::Open`]: the text ends within it.
pub(super) fn json(cursor: &mut Cursor<'_>) -> Result<Value, Fault> {
    let mut values = serde_json::Deserializer::from_str(cursor.rest()).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => {
            cursor.go_to(cursor.at() + values.byte_offset());
            Ok(value)
        }
        Some(Err(error)) if !error.is_eof() => Err(Fault::Bad),
        _ => {
            cursor.touch_edge();
            Err(Fault::Open)
        }
    }
}

impl Values {
    pub(super) fn new(rule: Rule) -> Self {
        Self { rule, repaired: false, depth: 0 }
    }

    /// Reads one value. A bare word goes up to one of `stops`.
    pub(super) fn value(
        &mut self,
        cursor: &mut Cursor<'_>,
        stops: &[char],
    ) -> Result<Value, Fault> {
        match cursor.peek().ok_or(Fault::Open)? {
            '{' | '[' => self.json_or_like(cursor),
            open if quoted::closers(open).is_some() => {
                quoted::read(cursor, self.rule.closing).map(Value::String)
            }
            _ => self.bare(cursor, stops),
        }
    }

    /// Reads an object or a list: JSON if it is, else what is meant for it.
    pub(super) fn json_or_like(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, Fault> {
        // Within what is no JSON, a value of its own is not tried again: that would take time
        // with the square of the depth.
        if self.depth == 0
            && let Ok(value) = json(cursor)
        {
            return Ok(value);
        }
        self.repaired = true;
        if self.depth >= DEEPEST {
            return Err(Fault::Bad);
        }
        self.depth += 1;
        let is_object = cursor.is_at(&['{']);
        cursor.bump();
        let value = if is_object { self.object(cursor) } else { self.list(cursor) };
        self.depth -= 1;
        value
    }

    fn object(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, Fault> {
        let mut map = Map::new();
        while self.goes_on(cursor, '}')? {
            let key = match cursor.peek() {
                Some(open) if quoted::closers(open).is_some() => {
                    quoted::read(cursor, self.rule.closing)?
                }
                _ => cursor.take_while(is_key).to_owned(),
            };
            cursor.space();
            if key.is_empty() || !cursor.eat_one(&[':', '：', '=']) {
                return Err(if cursor.is_at_end() { Fault::Open } else { Fault::Bad });
            }
            cursor.space();
            let value = self.value(cursor, &[',', '}', '\n'])?;
            map.insert(key, value);
            Self::separated(cursor, '}')?;
        }
        Ok(Value::Object(map))
    }

    fn list(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, Fault> {
        let mut list = Vec::new();
        while self.goes_on(cursor, ']')? {
            list.push(self.value(cursor, &[',', ']', '\n'])?);
            Self::separated(cursor, ']')?;
        }
        Ok(Value::Array(list))
    }

    /// Whether another element follows; steps over the closing bracket if none does.
    pub(super) fn goes_on(&mut self, cursor: &mut Cursor<'_>, end: char) -> Result<bool, Fault> {
        cursor.space();
        if cursor.is_at_end() {
            self.repaired = true;
            return if self.rule.completes { Ok(false) } else { Err(Fault::Open) };
        }
        Ok(!cursor.eat_one(&[end, wide(end)]))
    }

    /// Steps over the comma, unless the closing bracket or the end of the text follows.
    pub(super) fn separated(cursor: &mut Cursor<'_>, end: char) -> Result<(), Fault> {
        cursor.space();
        let is_separated = cursor.eat_one(&[',', '，']) || cursor.is_at(&[end, wide(end)]);
        if is_separated || cursor.is_at_end() { Ok(()) } else { Err(Fault::Bad) }
    }

    /// Numbers and words of JSON and Python; else a text without quotes.
    fn bare(&mut self, cursor: &mut Cursor<'_>, stops: &[char]) -> Result<Value, Fault> {
        let mut depth = 0_usize;
        let start = cursor.at();
        while let Some(char) = cursor.peek() {
            if depth == 0 && stops.contains(&char) {
                break;
            }
            match char {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            cursor.bump();
        }
        let word = cursor.between(start, cursor.at()).trim();
        Ok(match word {
            "" => return Err(if cursor.is_at_end() { Fault::Open } else { Fault::Bad }),
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => match serde_json::from_str::<serde_json::Number>(word) {
                Ok(number) => Value::Number(number),
                Err(_) if cursor.is_at_end() && !self.rule.completes => return Err(Fault::Open),
                Err(_) => {
                    self.repaired = true;
                    Value::String(word.to_owned())
                }
            },
        })
    }
}

/// The same bracket as Chinese keyboards write it.
pub(super) fn wide(bracket: char) -> char {
    match bracket {
        ')' => '）',
        ']' => '】',
        '}' => '｝',
        other => other,
    }
}

/// A character of a name.
pub(super) fn is_key(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.')
}
