//! Text for the normal screen, where nothing but the terminal breaks lines, and that in mid-word.
//!
//! Owns where a line of an answer is broken. Must not know who said it. Invariant: no word is
//! broken and none is lost; code and tables stay as they are.

use super::width;

/// Columns that must be left beside what later rows begin with.
const LEAST: usize = 16;

/// A text in markdown, its prose broken between words into rows of at most so many columns. A word
/// that is longer stays whole.
pub(in crate::tui) fn wrapped(text: &str, columns: u16) -> String {
    let columns = usize::from(columns);
    let mut fence: Option<&str> = None;
    let mut rows = Vec::new();
    for line in text.split('\n') {
        let (prefix, body) = split(line);
        let mark = fence_mark(body);
        let is_code = fence.is_some() || mark.is_some();
        fence = match (fence, mark) {
            (None, mark) => mark,
            (Some(open), Some(mark)) if mark.starts_with(open) && body.trim_end() == mark => None,
            (open, _) => open,
        };
        if is_code || is_laid_out(line, body) || width(line) <= columns {
            rows.push(line.to_owned());
        } else {
            fill(&mut rows, (prefix, body), columns);
        }
    }
    rows.join("\n")
}

/// What a line begins with, the sign of a list or a quote, and the rest.
fn split(line: &str) -> (&str, &str) {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start_matches([' ', '>']);
        let after = after_item(trimmed);
        if after.is_none() {
            let start = line.len() - trimmed.len();
            return line.split_at_checked(start).unwrap_or(("", line));
        }
        rest = after.unwrap_or_default();
    }
}

/// What follows the sign of an item of a list, if the text begins with one.
fn after_item(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = text.get(digits..)?;
    let after = match digits {
        0 => sign.strip_prefix(['-', '*', '+']),
        1..=9 => sign.strip_prefix(['.', ')']),
        _ => None,
    };
    after?.strip_prefix(' ')
}

/// The run of backticks or tildes that begins or ends a block of code.
fn fence_mark(body: &str) -> Option<&str> {
    let sign = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|c| *c == sign).count();
    body.get(..length).filter(|_| length >= 3)
}

/// Rows of tables, and code that is moved in.
fn is_laid_out(line: &str, body: &str) -> bool {
    let is_table = body.starts_with('|') || body.contains(" | ");
    let is_moved_in = line.starts_with("    ") || line.starts_with('\t');
    is_table || is_moved_in && after_item(line.trim_start()).is_none()
}

fn fill(rows: &mut Vec<String>, (prefix, body): (&str, &str), columns: usize) {
    // Quotes go on as quotes, and what belongs to an item stands below its text.
    let hang: String = prefix.chars().map(|c| if c == '>' { '>' } else { ' ' }).collect();
    let hang = if width(&hang) + LEAST <= columns { hang.as_str() } else { "" };
    let mut row = prefix.to_owned();
    let mut has_word = false;
    for word in body.split(' ') {
        if has_word && width(&row) + 1 + width(word) > columns {
            rows.push(std::mem::replace(&mut row, hang.to_owned()).trim_end().to_owned());
            has_word = false;
            if word.is_empty() {
                continue;
            }
        }
        if has_word {
            row.push(' ');
        }
        row.push_str(word);
        has_word |= !word.is_empty();
    }
    rows.push(row);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prose_is_broken_between_words_and_items_and_quotes_go_on_as_such() {
        for (text, rows) in [
            ("one two three four five six", "one two three four\nfive six"),
            ("- one two three four five", "- one two three four\n  five"),
            ("12. one two three four five", "12. one two three\n    four five"),
            ("> one two three four five", "> one two three four\n> five"),
            ("> - one two three four five", "> - one two three\n>   four five"),
            ("fits in twenty, yes.", "fits in twenty, yes."),
            ("漢字 漢字 漢字 漢字 漢字", "漢字 漢字 漢字 漢字\n漢字"),
            ("a\n\nb", "a\n\nb"),
        ] {
            assert_eq!(wrapped(text, 20), rows);
        }
    }

    #[test]
    fn a_long_word_stays_whole() {
        let url = "https://example.org/a/rather/long/path";
        assert_eq!(wrapped(&format!("see {url} for more"), 20), format!("see\n{url}\nfor more"));
    }

    #[test]
    fn code_and_tables_stay_as_they_are() {
        for text in [
            "```sh\ncargo test --lib -- some::long::path\n```",
            "- a\n  ~~~~\n  one two three four five six\n  ~~~\n  one two three four five six\n  ~~~~",
            "| one | two | three | four | five |\n|---|---|---|---|---|",
            "one | two | three | four | five",
            "    let indented = code(with, arguments);",
        ] {
            assert_eq!(wrapped(text, 20), text);
        }
        let after = "```\nx\n```\none two three four five six";
        assert!(wrapped(after, 20).ends_with("one two three four\nfive six"), "{after}");
    }

    proptest! {
        #[test]
        fn no_word_is_broken_or_lost(text in "([a-z>` |.0-9-]{0,12}[ \n]{1,2}){0,20}", columns in 1_u16..60) {
            let words = |text: &str| {
                // Signs of quotes are not words: a row may begin with one more.
                let words = text.split_whitespace().map(|word| word.trim_start_matches('>'));
                words.filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
            };
            prop_assert_eq!(words(&wrapped(&text, columns)), words(&text));
        }
    }
}
