//! Breaks a paragraph into lines. Owns nothing else.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text in lines of at most `columns` columns, the second and later ones behind `indent`
/// blanks. A word that is too long for a line is broken.
pub(super) fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let blank = usize::from(used > 0);
        if used + blank + word.width() <= columns {
            if let Some(line) = lines.last_mut() {
                line.push_str(if blank == 1 { " " } else { "" });
                line.push_str(word);
            }
            used += blank + word.width();
            continue;
        }
        if used > 0 {
            lines.push(String::new());
            used = 0;
        }
        for character in word.chars() {
            let width = character.width().unwrap_or(0);
            if used > 0 && used + width > columns {
                lines.push(String::new());
                used = 0;
            }
            if let Some(line) = lines.last_mut() {
                line.push(character);
            }
            used += width;
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_are_filled_and_later_ones_indented() {
        assert_eq!(wrap("one two three", 7, 2), "one two\n  three");
        assert_eq!(wrap("", 7, 2), "");
    }

    #[test]
    fn a_word_that_is_too_long_is_broken() {
        assert_eq!(wrap("a bcdefgh i", 4, 1), "a\n bcde\n fgh\n i");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(wrap("日本 語", 4, 0), "日本\n語");
    }
}
