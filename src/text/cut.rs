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
