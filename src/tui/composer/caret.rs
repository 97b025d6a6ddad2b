//! What stands at the caret: graphemes, and a file that is being named with `@`.
//!
//! Pure. Owns how a mention is read and written. Must not know which files there are.

use unicode_segmentation::UnicodeSegmentation;

/// A file that is being named: from the `@` up to the caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) struct Mention {
    /// What stands behind the `@`, without a quote.
    pub(in crate::tui) query: String,
    /// Characters from the `@` to the caret.
    pub(in crate::tui) length: usize,
}

/// The characters of a line up to a column, and those from there.
pub(super) fn split(line: &str, column: usize) -> (&str, &str) {
    let at = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    line.split_at_checked(at).unwrap_or((line, ""))
}

/// Characters of the grapheme before the column, and of the one behind it.
pub(super) fn graphemes(line: &str, column: usize) -> (usize, usize) {
    let (before, behind) = split(line, column);
    let characters = |grapheme: Option<&str>| grapheme.map_or(1, |text| text.chars().count());
    (characters(before.graphemes(true).next_back()), characters(behind.graphemes(true).next()))
}

/// The mention that this text ends with: an `@` at the start of a word, then no blank, or a quote
/// that is not closed.
pub(super) fn mention(before: &str) -> Option<Mention> {
    let mut starts = before.match_indices('@').map(|(at, _)| at).filter(|at| {
        let word = before.get(..*at).unwrap_or_default();
        word.chars().next_back().is_none_or(|c| c.is_whitespace() || "([{<\"'`,:".contains(c))
    });
    let read = |at: usize| {
        let text = before.get(at + 1..)?;
        let query = match text.strip_prefix('"') {
            Some(quoted) if !quoted.contains('"') => quoted,
            None if !text.contains(char::is_whitespace) => text,
            _ => return None,
        };
        Some(Mention { query: query.to_owned(), length: text.chars().count() + 1 })
    };
    starts.find_map(read)
}

/// The path as it is mentioned: in quotes if it holds a blank.
pub(super) fn mentioned(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("@\"{path}\" ") } else { format!("@{path} ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(before: &str) -> Option<String> {
        mention(before).map(|mention| mention.query)
    }

    #[test]
    fn a_mention_begins_at_the_start_of_a_word() {
        assert_eq!(query("@"), Some(String::new()));
        assert_eq!(query("see @src/li"), Some("src/li".to_owned()));
        assert_eq!(query("(@a"), Some("a".to_owned()));
        assert_eq!(query("me@example.org"), None);
        assert_eq!(query("see @src/lib.rs and"), None);
        assert_eq!(query("@a b @c"), Some("c".to_owned()));
        assert_eq!(query("@@types/no"), Some("@types/no".to_owned()));
    }

    #[test]
    fn a_quoted_mention_may_hold_blanks_until_it_is_closed() {
        assert_eq!(query("@\"my fi"), Some("my fi".to_owned()));
        assert_eq!(query("@\"my file\""), None);
        assert_eq!(mention("x @\"my fi").map(|mention| mention.length), Some(7));
    }

    #[test]
    fn a_path_with_blanks_is_quoted() {
        assert_eq!(mentioned("src/lib.rs"), "@src/lib.rs ");
        assert_eq!(mentioned("my file.md"), "@\"my file.md\" ");
    }

    #[test]
    fn graphemes_are_counted_in_characters() {
        // an accent in two code points, and a family in five
        assert_eq!(graphemes("e\u{301}x", 2), (2, 1));
        assert_eq!(graphemes("a👨‍👩‍👧", 1), (1, 5));
        assert_eq!(graphemes("", 0), (1, 1));
    }
}
