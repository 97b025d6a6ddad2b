//! What is done to every frame last: the colours of the chosen theme, signs in ASCII, stillness.
//! Must not know what was drawn.
//!
//! Invariant: it changes how cells look, never how many columns they take.

use ratatui::buffer::Buffer;

use super::{
    disputed, signs,
    terminal::Facts,
    theme::{Ground, Palette},
};
use crate::config::{ThemeName, Ui, WidthMethod};

/// How frames look in the end.
#[derive(Clone, Debug)]
pub(super) struct Skin {
    chosen: ThemeName,
    facts: Facts,
    palette: Palette,
    ascii: bool,
    motion: bool,
    width: WidthMethod,
}

impl Default for Skin {
    /// Everything as it was drawn.
    fn default() -> Self {
        Self::new(&Ui::default(), Facts::default())
    }
}

impl Skin {
    pub(super) fn new(ui: &Ui, facts: Facts) -> Self {
        let mut skin = Self {
            chosen: ui.theme,
            facts,
            palette: Palette::default(),
            ascii: facts.needs_ascii(ui.signs),
            motion: ui.motion,
            width: ui.width,
        };
        skin.mix();
        skin
    }

    /// The theme that was chosen.
    pub(super) fn chosen(&self) -> ThemeName {
        self.chosen
    }

    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        self.chosen.name()
    }

    /// Whether something may move by itself.
    pub(super) fn moves(&self) -> bool {
        self.motion
    }

    pub(super) fn choose(&mut self, theme: ThemeName) {
        self.chosen = theme;
        self.mix();
    }

    /// The terminal has told its background.
    pub(super) fn set_ground(&mut self, ground: Ground) {
        self.facts.ground = Some(ground);
        self.mix();
    }

    /// The terminal has told what it is.
    pub(super) fn set_device(&mut self, device: u32) {
        self.facts.told(device);
    }

    /// What is known of the terminal.
    pub(super) fn terminal(&self) -> Facts {
        self.facts
    }

    /// `NO_COLOR` counts unless a theme was named.
    fn mix(&mut self) {
        let is_plain = self.chosen == ThemeName::Auto && self.facts.no_color;
        let theme = if is_plain { ThemeName::Plain } else { self.chosen };
        self.palette = Palette::new(theme, self.facts.depth, self.facts.ground);
    }

    /// A text for the normal screen.
    pub(super) fn words(&self, text: &str) -> String {
        if self.ascii { signs::in_ascii(text) } else { text.to_owned() }
    }

    /// Finishes a frame.
    pub(super) fn finish(&self, buffer: &mut Buffer) {
        self.palette.paint(buffer);
        if !self.motion {
            for cell in &mut buffer.content {
                if signs::SPINNER.contains(&cell.symbol()) {
                    cell.set_symbol(signs::STILL);
                }
            }
        }
        if self.ascii {
            signs::draw_in_ascii(buffer);
        }
        if self.facts.counts_chars(self.width) {
            disputed::simplify(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::{Color, Style};

    use super::*;
    use crate::{
        config::SignChoice,
        tui::theme::{Depth, Theme, link},
    };

    fn red(ui: &Ui, facts: Facts) -> Color {
        let mut buffer = Buffer::with_lines(["x"]);
        buffer.set_string(0, 0, "x", Style::new().fg(Color::Red));
        Skin::new(ui, facts).finish(&mut buffer);
        buffer[(0, 0)].fg
    }

    #[test]
    fn no_color_counts_unless_a_theme_was_named() {
        let facts = Facts { no_color: true, depth: Depth::Sixteen, ..Facts::default() };
        assert_eq!(red(&Ui::default(), facts), Color::Reset);
        let named = Ui { theme: ThemeName::Dark, ..Ui::default() };
        assert_eq!(red(&named, facts), Color::Red);
    }

    #[test]
    fn nothing_spins_where_nothing_may_move() {
        let ui = Ui { motion: false, ..Ui::default() };
        let mut buffer = Buffer::with_lines(["⠋ works ⠸"]);
        Skin::new(&ui, Facts::default()).finish(&mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["● works ●"]));
        let ui = Ui { signs: SignChoice::Ascii, ..ui };
        let mut buffer = Buffer::with_lines(["⠋ works › …"]);
        Skin::new(&ui, Facts::default()).finish(&mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["* works > ~"]));
    }

    #[test]
    fn no_theme_and_no_selection_touches_the_number_of_a_link() {
        let themes = [ThemeName::Dark, ThemeName::HighContrast, ThemeName::Plain];
        for (theme, depth) in themes.into_iter().zip([Depth::True, Depth::Indexed, Depth::None]) {
            let ui = Ui { theme, signs: SignChoice::Ascii, ..Ui::default() };
            let mut buffer = Buffer::with_lines(["→"]);
            let area = buffer.area;
            buffer.set_style(area, link::numbered(Theme::default().link, 70_000));
            for mark in [Theme::default().selection, Theme::default().hit, Theme::default().dim] {
                buffer.set_style(area, mark);
            }
            Skin::new(&ui, Facts { depth, ..Facts::default() }).finish(&mut buffer);
            assert_eq!(link::number(&buffer[(0, 0)]), Some(70_000), "{theme:?}");
        }
    }

    #[test]
    fn the_terminals_word_beats_the_environment() {
        let facts = Facts { ground: Some(Ground::Dark), depth: Depth::True, ..Facts::default() };
        let mut skin = Skin::new(&Ui::default(), facts);
        skin.set_ground(Ground::Light);
        let light = Palette::new(ThemeName::Light, Depth::True, None);
        assert_eq!(skin.palette, light);
    }
}
