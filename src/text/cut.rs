//! Cutting text to a size without breaking a character. Owns nothing else.

/// The longest start of `text` that has at most `max` bytes and ends between characters.
#[must_use]
pub fn head(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or(text)
}

/// The longest end of `text` that has at most `max` bytes and begins between characters.
#[must_use]
pub fn tail(text: &str, max: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(max));
    text.get(start..).unwrap_or("")
}

/// One line for a narrow place: white space folded, cut at `max` characters with `…`.
#[must_use]
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > max.saturating_mul(4) {
            break;
        }
    }
    if line.chars().count() <= max {
        return line;
    }
    let mut short: String = line.chars().take(max.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The text without the beginning of a line that was cut before, unless that takes more than a
/// quarter of the text.
#[must_use]
pub fn whole_lines_at_end(text: &str) -> &str {
    match head(text, text.len() / 4).find('\n') {
        Some(end) => text.get(end + 1..).unwrap_or(text),
        None => text,
    }
}

/// The text without the end of it that is no whole line, unless that takes more than a quarter of
/// the text.
#[must_use]
pub fn whole_lines_at_start(text: &str) -> &str {
    let end = tail(text, text.len() / 4).rfind('\n');
    let end = end.map(|end| text.len() - tail(text, text.len() / 4).len() + end + 1);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{whole_lines_at_end, whole_lines_at_start};

    #[test]
    fn a_part_begins_and_ends_with_a_line_if_little_is_lost_by_that() {
        for (text, at_end, at_start) in [
            ("", "", ""),
            ("12345678", "12345678", "12345678"),
            // two of eight bytes are a quarter
            ("1\n345678", "345678", "1\n345678"),
            ("12\n45678", "12\n45678", "12\n45678"),
            ("123456\n8", "123456\n8", "123456\n"),
            ("12345\n78", "12345\n78", "12345\n78"),
            // the end of a line is no line that is cut
            ("1234567\n", "1234567\n", "1234567\n"),
            ("\n2345\n7é", "2345\n7é", "\n2345\n7é"),
        ] {
            assert_eq!(whole_lines_at_end(text), at_end, "{text:?}");
            assert_eq!(whole_lines_at_start(text), at_start, "{text:?}");
        }
    }
}
