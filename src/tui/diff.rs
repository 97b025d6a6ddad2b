//! Unified diffs as rows (stub).
use super::theme::Theme;
use ratatui::text::Line;
/// Rows.
pub fn diff_lines(unified: &str, _width: u16, _theme: &Theme) -> Vec<Line<'static>> {
    unified.lines().map(|line| Line::from(line.to_owned())).collect()
}
