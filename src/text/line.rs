//! Lines of a text. Owns how they are counted, and how a text is kept to one.

/// The number of the line, from 1, in which this byte of a text stands.
#[must_use]
pub(crate) fn number(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

/// The text as one line: control characters are written as escapes.
#[must_use]
pub(crate) fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() {
            line.extend(char.escape_default());
        } else {
            line.push(char);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{escaped, number};

    #[test]
    fn a_line_ends_with_its_line_feed() {
        // a \n b \n: the offsets 0 and 1 are in the first line, 2 and 3 in the second
        let numbers: Vec<_> = (0..5).map(|offset| number("a\nb\n", offset)).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 3]);
        assert_eq!(number("", 7), 1);
    }

    #[test]
    fn no_control_character_ends_a_line() {
        assert_eq!(escaped("a\nb\u{1b}[c é"), "a\\nb\\u{1b}[c é");
    }
}
