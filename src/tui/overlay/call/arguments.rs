//! A call's arguments as lines: JSON with its structure, and long texts as the texts that they
//! are. Owns this form; must not know what an argument means.
//!
//! Invariant: every value stands in the lines, whatever form the arguments have; what is no JSON
//! stands there as it was written.

use ratatui::text::{Line, Span};
use serde_json::Value;

use super::page::pieces;
use crate::{text::sanitize::sanitize, tui::theme::Theme};

/// A text of more characters than this, or of several lines, is written out below its name.
const SHORT: usize = 200;

/// Stands before each row of a text that is written out.
const GUTTER: &str = "  │ ";

/// Whether this is what stands before a row of a text that is written out.
pub(super) fn is_gutter(span: &Span<'_>) -> bool {
    span.content.strip_suffix(GUTTER).is_some_and(|indent| indent.chars().all(|c| c == ' '))
}

/// The lines of these arguments.
pub(super) fn lines(arguments: &str, theme: &Theme) -> Vec<Line<'static>> {
    let mut writer = Writer { lines: Vec::new(), theme };
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => writer.value(&value, "", "", 0),
        Err(_) if arguments.trim().is_empty() => {}
        Err(_) => writer.text(arguments, ""),
    }
    writer.lines
}

struct Writer<'a> {
    lines: Vec<Line<'static>>,
    theme: &'a Theme,
}

impl Writer<'_> {
    /// A value behind its name, and with a comma behind it if another one follows.
    fn value(&mut self, value: &Value, name: &str, comma: &str, depth: usize) {
        let indent = "  ".repeat(depth);
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                self.line(&indent, name, "{");
                for (n, (key, value)) in (1..).zip(fields) {
                    let comma = if n < fields.len() { "," } else { "" };
                    let name = format!("{}: ", Value::String(key.clone()));
                    self.value(value, &name, comma, depth + 1);
                }
                self.line(&indent, "", &format!("}}{comma}"));
            }
            Value::Array(items) if !items.is_empty() => {
                self.line(&indent, name, "[");
                for (n, value) in (1..).zip(items) {
                    let comma = if n < items.len() { "," } else { "" };
                    self.value(value, "", comma, depth + 1);
                }
                self.line(&indent, "", &format!("]{comma}"));
            }
            Value::String(text) if text.contains('\n') || text.chars().nth(SHORT).is_some() => {
                self.line(&indent, name, "");
                self.text(text, &indent);
            }
            value => self.line(&indent, name, &format!("{value}{comma}")),
        }
    }

    fn line(&mut self, indent: &str, name: &str, value: &str) {
        self.lines.push(Line::from(vec![
            Span::styled(format!("{indent}{}", sanitize(name)), self.theme.dim),
            Span::styled(sanitize(value).into_owned(), self.theme.text),
        ]));
    }

    fn text(&mut self, text: &str, indent: &str) {
        let text = sanitize(text);
        for piece in pieces(&text) {
            let part = text.get(piece.range()).unwrap_or_default();
            self.lines.push(piece.line(vec![
                Span::styled(format!("{indent}{GUTTER}"), self.theme.dim),
                Span::styled(part.to_owned(), self.theme.text),
            ]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(arguments: &str) -> Vec<String> {
        lines(arguments, &Theme::plain()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn structure_is_kept_and_long_texts_are_texts() {
        let arguments =
            r#"{"path":"a.txt","edits":[{"old":"x","new":"1\n\t2\n"}],"n":3,"none":{}}"#;
        let expected = [
            "{",
            "  \"path\": \"a.txt\",",
            "  \"edits\": [",
            "    {",
            "      \"old\": \"x\",",
            "      \"new\": ",
            "        │ 1",
            "        │ \t2",
            "    }",
            "  ],",
            "  \"n\": 3,",
            "  \"none\": {}",
            "}",
        ];
        assert_eq!(shown(arguments), expected);
    }

    #[test]
    fn what_is_no_json_stands_as_it_is_and_nothing_harmful_does() {
        assert_eq!(shown("{\"path\": \n\u{1b}[31mx"), ["  │ {\"path\": ", "  │ x"]);
        assert_eq!(
            shown(r#"{"a\u001b]0;t\u0007b": "c\u202ed"}"#)[1],
            "  \"a\\u001b]0;t\\u0007b\": \"cd\""
        );
        assert_eq!(shown(" "), Vec::<String>::new());
        assert_eq!(shown("7"), ["7"]);
    }
}
