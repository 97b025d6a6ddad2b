//! Styles by meaning. Owns every colour of the screen; no other file names one.
//! Must not know what is drawn with them.
//!
//! Invariant: here stand only the 16 ANSI colours, the terminal's own foreground and background, and
//! bold, dim, italic, underline and reverse, so that dark and light terminals both work (what the
//! sixteen look like is the palette's, which knows more of the terminal); and whatever a colour says is also said by a sign, a word or an attribute.

pub(super) mod link;
mod palette;

pub use palette::{Depth, Ground, Palette};
use ratatui::style::{Color, Modifier, Style};

/// What a piece of source code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// Anything else.
    Plain,
    /// A word of the language.
    Keyword,
    /// A quoted text.
    Text,
    /// A remark.
    Comment,
    /// A number.
    Number,
    /// A constant of the language, like `true`.
    Constant,
    /// A type.
    Type,
    /// A function, defined or called.
    Function,
    /// A tag of markup or the key of a setting.
    Tag,
    /// A heading in markup.
    Heading,
    /// A line that a diff adds.
    Added,
    /// A line that a diff removes.
    Removed,
    /// Broken code.
    Invalid,
}

/// The named styles. [`Theme::default`] has colours, [`Theme::plain`] has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Plain text.
    pub text: Style,
    /// What matters less.
    pub dim: Style,
    /// `**strong**`.
    pub strong: Style,
    /// `*emphasis*`.
    pub emphasis: Style,
    /// `~~struck~~`; the marks are drawn too.
    pub struck: Style,
    /// `` `code` `` within text; the marks are drawn too.
    pub inline_code: Style,
    /// Text of a code block that is not highlighted.
    pub code: Style,
    /// The gutter and the label of a code block.
    pub code_frame: Style,
    /// Text of a link.
    pub link: Style,
    /// Target of a link.
    pub url: Style,
    /// Text of a quote.
    pub quote: Style,
    /// The bar beside a quote.
    pub quote_bar: Style,
    /// Bullet or number of a list.
    pub marker: Style,
    /// Lines of a table.
    pub table_frame: Style,
    /// Head of a table.
    pub table_head: Style,
    /// What the user wrote.
    pub prompt: Style,
    /// It worked.
    pub success: Style,
    /// It did not work.
    pub failure: Style,
    /// Be careful.
    pub warning: Style,
    /// It is being done.
    pub running: Style,
    /// The program says something.
    pub notice: Style,
    /// An added line of a diff.
    pub added: Style,
    /// The changed part of an added line.
    pub added_word: Style,
    /// A removed line of a diff.
    pub removed: Style,
    /// The changed part of a removed line.
    pub removed_word: Style,
    /// The head of a hunk, and the names of the files.
    pub hunk: Style,
    /// A line's number.
    pub line_number: Style,
    /// What is selected.
    pub selection: Style,
    /// A hit of a search.
    pub hit: Style,
    /// The status line.
    pub status: Style,
    /// Rules and borders.
    pub frame: Style,
    headings: [Style; 4],
    syntax: [Style; 12],
}

impl Default for Theme {
    fn default() -> Self {
        let text = Style::new();
        let dim = text.add_modifier(Modifier::DIM);
        let bold = text.add_modifier(Modifier::BOLD);
        let italic = text.add_modifier(Modifier::ITALIC);
        let underlined = text.add_modifier(Modifier::UNDERLINED);
        let reversed = text.add_modifier(Modifier::REVERSED);
        Self {
            text,
            dim,
            strong: bold,
            emphasis: italic,
            struck: dim,
            inline_code: text.fg(Color::Cyan),
            code: text,
            code_frame: dim,
            link: underlined.fg(Color::Blue),
            url: dim,
            quote: italic,
            quote_bar: dim,
            marker: text.fg(Color::Cyan),
            table_frame: dim,
            table_head: bold,
            prompt: bold,
            success: text.fg(Color::Green),
            failure: bold.fg(Color::Red),
            warning: bold.fg(Color::Yellow),
            running: text.fg(Color::Cyan),
            notice: italic,
            added: text.fg(Color::Green),
            added_word: bold.add_modifier(Modifier::UNDERLINED).fg(Color::Green),
            removed: text.fg(Color::Red),
            removed_word: bold.add_modifier(Modifier::UNDERLINED).fg(Color::Red),
            hunk: text.fg(Color::Cyan),
            line_number: dim,
            selection: reversed,
            hit: reversed.add_modifier(Modifier::BOLD),
            status: dim,
            frame: dim,
            headings: [
                bold.add_modifier(Modifier::UNDERLINED).fg(Color::Magenta),
                bold.fg(Color::Magenta),
                bold.add_modifier(Modifier::ITALIC),
                italic.add_modifier(Modifier::UNDERLINED),
            ],
            syntax: Self::syntax_styles(),
        }
    }
}

impl Theme {
    /// No colours at all, for `NO_COLOR`; the attributes stay.
    #[must_use]
    pub fn plain() -> Self {
        let mut theme = Self::default();
        for style in theme.styles_mut() {
            style.fg = None;
            style.bg = None;
        }
        theme
    }

    /// A heading of this level, 1 to 6.
    #[must_use]
    pub fn heading(&self, level: u8) -> Style {
        let index = usize::from(level.saturating_sub(1));
        self.headings.get(index).or(self.headings.last()).copied().unwrap_or(self.strong)
    }

    /// A piece of source code.
    #[must_use]
    pub fn syntax(&self, syntax: Syntax) -> Style {
        let index = match syntax {
            Syntax::Plain => return self.code,
            Syntax::Keyword => 0,
            Syntax::Text => 1,
            Syntax::Comment => 2,
            Syntax::Number => 3,
            Syntax::Constant => 4,
            Syntax::Type => 5,
            Syntax::Function => 6,
            Syntax::Tag => 7,
            Syntax::Heading => 8,
            Syntax::Added => 9,
            Syntax::Removed => 10,
            Syntax::Invalid => 11,
        };
        self.syntax.get(index).copied().unwrap_or(self.code)
    }

    /// In the order that [`Theme::syntax`] gives them.
    fn syntax_styles() -> [Style; 12] {
        let text = Style::new();
        let bold = text.add_modifier(Modifier::BOLD);
        [
            bold.fg(Color::Magenta),
            text.fg(Color::Green),
            text.add_modifier(Modifier::DIM | Modifier::ITALIC),
            text.fg(Color::Cyan),
            text.fg(Color::Cyan),
            text.fg(Color::Yellow),
            text.fg(Color::Blue),
            text.fg(Color::Blue),
            bold.fg(Color::Magenta),
            text.fg(Color::Green),
            text.fg(Color::Red),
            text.add_modifier(Modifier::UNDERLINED).fg(Color::Red),
        ]
    }

    /// Every style; a field that is missing here does not compile.
    fn styles_mut(&mut self) -> impl Iterator<Item = &mut Style> {
        let Self {
            text,
            dim,
            strong,
            emphasis,
            struck,
            inline_code,
            code,
            code_frame,
            link,
            url,
            quote,
            quote_bar,
            marker,
            table_frame,
            table_head,
            prompt,
            success,
            failure,
            warning,
            running,
            notice,
            added,
            added_word,
            removed,
            removed_word,
            hunk,
            line_number,
            selection,
            hit,
            status,
            frame,
            headings,
            syntax,
        } = self;
        let words = [text, dim, strong, emphasis, struck, inline_code, code, code_frame, link, url];
        let blocks = [quote, quote_bar, marker, table_frame, table_head];
        let states = [prompt, success, failure, warning, running, notice];
        let diffs = [added, added_word, removed, removed_word, hunk, line_number];
        let screen = [selection, hit, status, frame];
        let lists = headings.iter_mut().chain(syntax);
        words.into_iter().chain(blocks).chain(states).chain(diffs).chain(screen).chain(lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_theme_has_no_colours_and_keeps_the_attributes() {
        let mut plain = Theme::plain();
        assert!(plain.styles_mut().all(|style| style.fg.is_none() && style.bg.is_none()));
        assert_eq!(plain.failure.add_modifier, Modifier::BOLD);
    }

    #[test]
    fn no_style_uses_a_colour_outside_the_sixteen() {
        let mut theme = Theme::default();
        for style in theme.styles_mut() {
            assert!(!matches!(style.fg, Some(Color::Rgb(..) | Color::Indexed(_))));
            assert_eq!(style.bg, None);
        }
    }

    #[test]
    fn headings_of_the_first_three_levels_differ_without_colour() {
        let plain = Theme::plain();
        let looks: Vec<_> = (1..=4).map(|level| plain.heading(level).add_modifier).collect();
        assert_eq!(looks.iter().collect::<std::collections::HashSet<_>>().len(), 4);
        assert_eq!(plain.heading(6), plain.heading(4));
    }
}
