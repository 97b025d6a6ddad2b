//! The signs of the screen that are not ASCII, and what stands for each where fonts or the locale
//! are poor: one table. Must not know what a sign means.
//!
//! Invariant: every sign that the screen draws by itself is in the table, takes one column, and
//! has a form of one column in ASCII. The table is used at the end of the frame; what others wrote
//! is drawn with it too, as the terminal could not show it either.

use ratatui::buffer::Buffer;

/// How the spinner looks, one after the other.
pub(super) const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// What stands in the spinner's place where nothing may move.
pub(super) const STILL: &str = "●";
/// Between two pieces of a line.
pub(super) const BETWEEN: &str = " · ";
/// Parts of a gauge: what is full, and what is not.
pub(super) const FULL: &str = "━";
pub(super) const FREE: &str = "┄";

/// A sign, and its form in ASCII.
const TABLE: &[(char, char)] = &[
    ('⠋', '|'),
    ('⠙', '/'),
    ('⠹', '-'),
    ('⠸', '\\'),
    ('⠼', '|'),
    ('⠴', '/'),
    ('⠦', '-'),
    ('⠧', '\\'),
    ('⠇', '|'),
    ('⠏', '/'),
    ('●', '*'),
    ('○', 'o'),
    ('◉', '@'),
    ('◦', 'o'),
    ('•', '*'),
    ('▪', '*'),
    ('■', '#'),
    ('□', '#'),
    ('▌', '|'),
    ('█', '#'),
    ('▉', '#'),
    ('▊', '#'),
    ('▋', '#'),
    ('▍', '|'),
    ('▎', '|'),
    ('▏', '|'),
    ('▐', '|'),
    ('▀', '"'),
    ('▄', '_'),
    ('░', '.'),
    ('▒', ':'),
    ('▓', '#'),
    ('▸', '>'),
    ('▾', 'v'),
    ('▴', '^'),
    ('◂', '<'),
    ('▶', '>'),
    ('▼', 'v'),
    ('▲', '^'),
    ('◀', '<'),
    ('▷', '>'),
    ('▽', 'v'),
    ('›', '>'),
    ('‹', '<'),
    ('»', '>'),
    ('«', '<'),
    ('→', '>'),
    ('←', '<'),
    ('↑', '^'),
    ('↓', 'v'),
    ('↔', '-'),
    ('↕', '|'),
    ('↵', '<'),
    ('↳', '>'),
    ('↪', '>'),
    ('⏎', '<'),
    ('␍', '<'),
    ('⇥', '>'),
    ('·', '.'),
    ('…', '~'),
    ('⋯', '~'),
    ('⋮', ':'),
    ('–', '-'),
    ('—', '-'),
    ('−', '-'),
    ('×', 'x'),
    ('÷', '/'),
    ('✓', '+'),
    ('✔', '+'),
    ('✗', 'x'),
    ('✘', 'x'),
    ('⊘', '!'),
    ('∅', '0'),
    ('∴', ':'),
    ('∞', '8'),
    ('≈', '~'),
    ('≤', '<'),
    ('≥', '>'),
    ('≠', '#'),
    ('±', '+'),
    ('°', 'o'),
    ('¶', 'P'),
    ('§', 'S'),
    ('␣', '_'),
    ('─', '-'),
    ('━', '='),
    ('┄', '.'),
    ('┅', '='),
    ('┈', '.'),
    ('╌', '-'),
    ('═', '='),
    ('│', '|'),
    ('┃', '|'),
    ('┆', ':'),
    ('┊', ':'),
    ('╎', ':'),
    ('║', '|'),
    ('┌', '+'),
    ('┐', '+'),
    ('└', '+'),
    ('┘', '+'),
    ('├', '+'),
    ('┤', '+'),
    ('┬', '+'),
    ('┴', '+'),
    ('┼', '+'),
    ('╭', '+'),
    ('╮', '+'),
    ('╰', '+'),
    ('╯', '+'),
    ('╴', '-'),
    ('╵', '|'),
    ('╶', '-'),
    ('╷', '|'),
    ('╸', '='),
    ('╹', '|'),
    ('╺', '='),
    ('╻', '|'),
];

/// The sign in ASCII, if it has such a form.
pub(super) fn ascii(sign: char) -> Option<char> {
    TABLE.iter().find(|(from, _)| *from == sign).map(|(_, to)| *to)
}

/// A text whose signs are in ASCII.
pub(super) fn in_ascii(text: &str) -> String {
    text.chars().map(|sign| ascii(sign).unwrap_or(sign)).collect()
}

/// Gives a frame signs in ASCII.
pub(super) fn draw_in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        if symbol.is_ascii() {
            continue;
        }
        let mut chars = symbol.chars();
        if let (Some(sign), None) = (chars.next(), chars.next())
            && let Some(sign) = ascii(sign)
        {
            cell.set_char(sign);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn every_sign_and_its_form_take_one_column() {
        for (sign, form) in TABLE {
            assert_eq!(crate::tui::wrap::width(&sign.to_string()), 1, "{sign}");
            assert!(form.is_ascii_graphic(), "{sign}: {form:?}");
        }
        let signs: std::collections::HashSet<_> = TABLE.iter().map(|(sign, _)| sign).collect();
        assert_eq!(signs.len(), TABLE.len(), "each sign stands there once");
    }

    #[test]
    fn the_spinner_moves_in_ascii_too() {
        let mut before = None;
        for sign in SPINNER {
            let now = in_ascii(sign);
            assert!(now.is_ascii() && before.as_ref() != Some(&now), "{sign}");
            before = Some(now);
        }
    }

    /// Characters of string and character literals outside of tests and comments.
    fn signs_of(path: &Path, found: &mut Vec<(String, char)>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                signs_of(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs")
                && name != "tests.rs"
                && name != "signs.rs"
            {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
                let lines = code.lines().map(|line| line.split("//").next().unwrap());
                let signs = lines.flat_map(str::chars).filter(|c| !c.is_ascii());
                found.extend(signs.map(|sign| (path.display().to_string(), sign)));
            }
        }
    }

    #[test]
    fn every_sign_of_the_screen_is_in_the_table() {
        let mut found = Vec::new();
        signs_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui"), &mut found);
        assert!(found.iter().any(|(_, sign)| *sign == '›'), "it looks at the right place");
        // Where lines break and addresses end is decided by characters that are never drawn by the screen itself.
        let draws =
            |path: &str| !path.ends_with("tui/wrap.rs") && !path.ends_with("markdown/bare.rs");
        found.retain(|(path, _)| draws(path));
        let missing: Vec<_> = found.iter().filter(|(_, sign)| ascii(*sign).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_frame_in_ascii_keeps_words_and_columns() {
        let mut buffer = Buffer::with_lines(["─ ✓ naïve 漢字 › …"]);
        draw_in_ascii(&mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["- + naïve 漢字 > ~"]));
    }
}
