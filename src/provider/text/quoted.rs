//! Quoted texts as models write them in calls: `'…'`, `"…"`, `` `…` ``, tripled, and curly.
//!
//! Owns where such a text ends, and its escapes. Knows nothing of what stands around it but
//! the characters that may follow a closing quote.
//!
//! Invariant: every character of the text is kept or unescaped, none is dropped.

use super::{Fault, cursor::Cursor};

/// Which quote closes a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// The first one that is not escaped.
    First,
    /// The first one that a separator or a bracket follows.
    BeforeSeparator,
    /// The one at this place; if there is none, the first one.
    At(usize),
}

/// What may follow a closing quote.
const SEPARATORS: &[char] = &[',', ')', ']', '}', ':', '，', '）', '：', '、'];

/// The quotes that close a text which began with `open`.
pub(super) fn closers(open: char) -> Option<&'static [char]> {
    Some(match open {
        '\'' => &['\''],
        '"' => &['"'],
        '`' => &['`'],
        '“' | '”' => &['”', '“'],
        '‘' | '’' => &['’', '‘'],
        '「' => &['」'],
        '『' => &['』'],
        _ => return None,
    })
}

/// Reads a text from its opening quote to behind its closing one. A text that does not begin
/// with a quote is [`Fault::Bad`].
pub(super) fn read(cursor: &mut Cursor<'_>, closing: Closing) -> Result<String, Fault> {
    let triple = ["'''", "\"\"\""].into_iter().find(|quote| cursor.begins(quote));
    let single = cursor.peek().and_then(closers).ok_or(Fault::Bad)?;
    if let Some(quote) = triple {
        cursor.eat(quote);
    } else {
        cursor.bump();
    }
    let mut text = String::new();
    while let Some(char) = cursor.peek() {
        let start = *cursor;
        let is_quote = match triple {
            Some(quote) => cursor.eat(quote),
            None => cursor.eat_one(single),
        };
        if is_quote && closes(start, *cursor, closing) {
            return Ok(text);
        }
        *cursor = start;
        cursor.bump();
        if char == '\\' {
            unescape(cursor, &mut text);
        } else {
            text.push(char);
        }
    }
    Err(Fault::Open)
}

fn closes(quote: Cursor<'_>, mut after: Cursor<'_>, closing: Closing) -> bool {
    match closing {
        Closing::First => true,
        Closing::At(place) => quote.at() == place,
        Closing::BeforeSeparator => {
            after.space();
            after.is_at_end() || after.is_at(SEPARATORS)
        }
    }
}

/// Adds what the escape after a backslash stands for. One that is unknown stays as it is: a
/// backslash before a letter is mostly part of a pattern or of a path.
fn unescape(cursor: &mut Cursor<'_>, text: &mut String) {
    let after = *cursor;
    let plain = match cursor.bump() {
        Some('n') => Some('\n'),
        Some('t') => Some('\t'),
        Some('r') => Some('\r'),
        Some(char @ ('\\' | '\'' | '"' | '`')) => Some(char),
        Some('u') => code_unit(cursor).and_then(|first| pair(cursor, first)),
        _ => None,
    };
    if let Some(char) = plain {
        text.push(char);
    } else {
        text.push('\\');
        *cursor = after;
        if let Some(char) = cursor.bump() {
            text.push(char);
        }
    }
}

fn code_unit(cursor: &mut Cursor<'_>) -> Option<u32> {
    let Some(digits) = cursor.rest().get(..4) else {
        cursor.touch_edge();
        return None;
    };
    if !digits.chars().all(|char| char.is_ascii_hexdigit()) {
        return None;
    }
    cursor.eat(digits);
    u32::from_str_radix(digits, 16).ok()
}

fn pair(cursor: &mut Cursor<'_>, first: u32) -> Option<char> {
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    let second = cursor.eat("\\u").then(|| code_unit(cursor)).flatten()?;
    let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + low)
}

#[cfg(test)]
mod tests {
    use super::{Closing, Cursor, Fault, read};

    fn first(text: &str) -> Result<String, Fault> {
        read(&mut Cursor::new(text, 0), Closing::First)
    }

    #[test]
    fn escapes_that_are_known_are_undone_and_others_stay() {
        assert_eq!(first(r"'a\tb\\n\'c'").unwrap(), "a\tb\\n'c");
        assert_eq!(first(r"'\d+\b'").unwrap(), r"\d+\b");
        assert_eq!(first(r#""\u00e4\ud83d\ude00""#).unwrap(), "ä😀");
        assert_eq!(first(r#""\ud83d x \u12""#).unwrap(), r"\ud83d x \u12");
    }

    #[test]
    fn a_text_ends_at_its_own_quote_only() {
        assert_eq!(first("'''a'b\n''' c").unwrap(), "a'b\n");
        assert_eq!(first("“a\"b”").unwrap(), "a\"b");
        assert_eq!(first("'a"), Err(Fault::Open));
        assert_eq!(first("a"), Err(Fault::Bad));
        assert_eq!(first(r"'\"), Err(Fault::Open));
    }

    #[test]
    fn before_a_separator_means_that_quotes_in_the_middle_are_text() {
        let mut cursor = Cursor::new("'grep 'foo' src')", 0);
        let text = read(&mut cursor, Closing::BeforeSeparator).unwrap();
        assert_eq!((text.as_str(), cursor.rest()), ("grep 'foo' src", ")"));
    }
}
