//! Repairs escapes of half characters in JSON text. Owns that one fault; knows no grammar.
//!
//! A server that cuts its text between UTF-16 units escapes each half (`\ud83d`) alone, which no
//! JSON reader takes: one emoji would cost the whole answer. Invariant: valid text stays as it is.

use std::borrow::Cow;

/// The text with each half that has no partner replaced by U+FFFD.
pub(super) fn repair(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        let length = match (unit(from), from.get(6..).and_then(unit)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => 0,
            (Some(_), _) => 6,
            // A backslash and what it escapes, which may be another backslash.
            (None, _) => from.chars().take(2).map(char::len_utf8).sum(),
        };
        let taken = if length == 0 { 6 } else { length };
        let (escape, after) = from.split_at_checked(taken).unwrap_or((from, ""));
        out.push_str(if length == 0 { "\\ufffd" } else { escape });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The unit that an escape at the start of the text stands for.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::repair;

    #[test]
    fn pairs_and_all_else_stay() {
        for text in [
            r#"{"a":"\ud83d\ude00"}"#,
            r#"{"a":"\\ud83d"}"#,
            r#"{"a":"\n\"\u00e4\\"}"#,
            r#"{"a":"\ud83d\ude00\\\ud83d\ude00"}"#,
            "\\",
        ] {
            assert_eq!(repair(text), text);
        }
    }

    #[test]
    fn halves_without_a_partner_are_replaced() {
        assert_eq!(repair(r#""\ud83d""#), r#""\ufffd""#);
        assert_eq!(repair(r#""\uDE00x\ud83d\ud83d\ude00""#), r#""\ufffdx\ufffd\ud83d\ude00""#);
        assert_eq!(repair(r#""\\\ud83d\n""#), r#""\\\ufffd\n""#);
    }
}
