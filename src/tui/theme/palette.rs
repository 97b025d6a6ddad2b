//! What the sixteen colours of the theme become on this terminal. Owns every colour beyond them.
//! Must not know what is drawn.
//!
//! Invariant: everything is drawn with the sixteen colours first, and painted over at the end of
//! the frame, so that another palette counts at once and no cache depends on it. On a black
//! background, or on a white one, every text in a colour of a palette for it has a contrast of at
//! least 4.5:1, in high contrast of 7:1. No colour has that on both: where the background is not
//! known, high contrast leaves words in the terminal's own colour and tells them apart by
//! attributes, and colours signs alone, by at least 4.5:1 on either.

use ratatui::{
    buffer::{Buffer, Cell},
    style::{Color, Modifier},
};

use crate::config::ThemeName;

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// None.
    None,
    /// The sixteen, whatever they look like.
    #[default]
    Sixteen,
    /// The 256 of xterm.
    Indexed,
    /// All.
    True,
}

/// How light the background is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Light text on it can be read.
    Dark,
    /// Dark text on it can be read.
    Light,
}

/// Red, green, yellow, blue, magenta, cyan, and what is dim.
type Seven = [Color; 7];

const SIXTEEN: Seven = [
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Reset,
];
/// Blue is hardly to be read on black in many terminals, yellow and cyan on white.
const SIXTEEN_DARK: Seven = with(SIXTEEN, 3, Color::Cyan);
const SIXTEEN_LIGHT: Seven = with(with(SIXTEEN, 2, Color::Magenta), 5, Color::Blue);

const INDEXED_DARK: Seven = indexed([210, 114, 179, 111, 177, 80, 246]);
const INDEXED_LIGHT: Seven = indexed([124, 22, 94, 25, 90, 23, 241]);
const INDEXED_DARK_STRONG: Seven = indexed([217, 157, 229, 153, 219, 159, 255]);
const INDEXED_LIGHT_STRONG: Seven = indexed([88, 22, 237, 18, 53, 23, 232]);

/// On black and on white.
const INDEXED_BOTH: Seven = with(indexed([131, 29, 163, 63, 98, 63, 243]), 6, Color::Reset);
const TRUE_BOTH: Seven = with(
    rgb([0xe9_1313, 0x0f_890f, 0x94_7004, 0x11_6ff2, 0xcb_1dcb, 0x04_828d, 0x76_7676]),
    6,
    Color::Reset,
);

const TRUE_DARK: Seven =
    rgb([0xff_7b75, 0x73_d17a, 0xe5_c050, 0x6e_afff, 0xd6_96f0, 0x56_c9d2, 0x96_9aa2]);
const TRUE_LIGHT: Seven =
    rgb([0xb0_1a28, 0x14_6a28, 0x75_5200, 0x14_50be, 0x82_2896, 0x00_616b, 0x5f_646b]);
const TRUE_DARK_STRONG: Seven =
    rgb([0xff_a8a4, 0x9c_f0a2, 0xff_e38a, 0xa6_d0ff, 0xec_c0ff, 0x8f_f0f7, 0xe6_e6e6]);
const TRUE_LIGHT_STRONG: Seven =
    rgb([0x80_0010, 0x00_4a14, 0x52_3800, 0x00_2e82, 0x58_0c6c, 0x00_424a, 0x1c_1c1c]);

const fn with(mut seven: Seven, at: usize, color: Color) -> Seven {
    #![expect(clippy::indexing_slicing, reason = "at compile time")]
    seven[at] = color;
    seven
}

const fn indexed(numbers: [u8; 7]) -> Seven {
    #![expect(clippy::indexing_slicing, reason = "at compile time")]
    let mut seven = SIXTEEN;
    let mut n = 0;
    while n < seven.len() {
        seven[n] = Color::Indexed(numbers[n]);
        n += 1;
    }
    seven
}

const fn rgb(numbers: [u32; 7]) -> Seven {
    #![expect(clippy::indexing_slicing, reason = "at compile time")]
    let mut seven = SIXTEEN;
    let mut n = 0;
    while n < seven.len() {
        seven[n] = Color::from_u32(numbers[n]);
        n += 1;
    }
    seven
}

/// What the sixteen colours become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// `None`: no colours.
    colors: Option<Seven>,
    /// Whether what is dim is as strong as the rest.
    strong: bool,
    /// Whether words are in the terminal's own colour.
    signs_only: bool,
}

impl Default for Palette {
    /// The sixteen as they are.
    fn default() -> Self {
        Self { colors: Some(SIXTEEN), strong: false, signs_only: false }
    }
}

impl Palette {
    /// The palette for this theme on such a terminal. A background that is not known is none that
    /// the palette may count on: only the terminal's own sixteen fit all.
    #[must_use]
    pub fn new(theme: ThemeName, depth: Depth, ground: Option<Ground>) -> Self {
        let ground = match theme {
            ThemeName::Dark => Some(Ground::Dark),
            ThemeName::Light => Some(Ground::Light),
            _ => ground,
        };
        let strong = theme == ThemeName::HighContrast;
        if theme == ThemeName::Plain || depth == Depth::None {
            return Self { colors: None, strong, signs_only: false };
        }
        let colors = match (depth, ground, strong) {
            // What the sixteen look like is the terminal's: there is no contrast to count on.
            (Depth::Sixteen | Depth::None, _, true) => None,
            (Depth::Indexed, None, true) => Some(INDEXED_BOTH),
            (Depth::True, None, true) => Some(TRUE_BOTH),
            (_, None, false) => Some(SIXTEEN),
            (Depth::Sixteen | Depth::None, Some(Ground::Dark), false) => Some(SIXTEEN_DARK),
            (Depth::Sixteen | Depth::None, Some(Ground::Light), false) => Some(SIXTEEN_LIGHT),
            (Depth::Indexed, Some(Ground::Dark), false) => Some(INDEXED_DARK),
            (Depth::Indexed, Some(Ground::Light), false) => Some(INDEXED_LIGHT),
            (Depth::Indexed, Some(Ground::Dark), true) => Some(INDEXED_DARK_STRONG),
            (Depth::Indexed, Some(Ground::Light), true) => Some(INDEXED_LIGHT_STRONG),
            (Depth::True, Some(Ground::Dark), false) => Some(TRUE_DARK),
            (Depth::True, Some(Ground::Light), false) => Some(TRUE_LIGHT),
            (Depth::True, Some(Ground::Dark), true) => Some(TRUE_DARK_STRONG),
            (Depth::True, Some(Ground::Light), true) => Some(TRUE_LIGHT_STRONG),
        };
        Self { colors, strong, signs_only: strong && ground.is_none() }
    }

    /// Gives a frame its colours.
    pub fn paint(&self, buffer: &mut Buffer) {
        if *self != Self::default() {
            buffer.content.iter_mut().for_each(|cell| self.paint_cell(cell));
        }
    }

    fn paint_cell(&self, cell: &mut Cell) {
        let Some([red, green, yellow, blue, magenta, cyan, dim]) = self.colors else {
            if self.strong {
                tell_apart(cell);
            }
            cell.fg = Color::Reset;
            cell.bg = Color::Reset;
            return;
        };
        if self.signs_only {
            tell_apart(cell);
            if !is_sign(cell.symbol()) {
                cell.fg = Color::Reset;
                cell.bg = Color::Reset;
                return;
            }
        }
        // What fits the background of the terminal need not fit another one.
        if cell.bg != Color::Reset {
            return;
        }
        // A grey of its own can be read everywhere; a colour has no dim form of its own.
        let is_dim = cell.modifier.contains(Modifier::DIM);
        if is_dim && cell.fg == Color::Reset && dim != Color::Reset {
            cell.modifier.remove(Modifier::DIM);
            cell.fg = dim;
        } else if is_dim && self.strong {
            cell.modifier.remove(Modifier::DIM);
        }
        cell.fg = match cell.fg {
            Color::Red | Color::LightRed => red,
            Color::Green | Color::LightGreen => green,
            Color::Yellow | Color::LightYellow => yellow,
            Color::Blue | Color::LightBlue => blue,
            Color::Magenta | Color::LightMagenta => magenta,
            Color::Cyan | Color::LightCyan => cyan,
            other => other,
        };
    }
}

/// Says by attributes what a strong word says by its colour, and dims nothing.
fn tell_apart(cell: &mut Cell) {
    let is_bold = cell.modifier.contains(Modifier::BOLD);
    cell.modifier.remove(Modifier::DIM);
    cell.modifier |= match cell.fg {
        Color::Red | Color::LightRed if is_bold => Modifier::REVERSED,
        Color::Yellow | Color::LightYellow if is_bold => Modifier::UNDERLINED,
        Color::Green | Color::LightGreen => Modifier::BOLD,
        _ => Modifier::empty(),
    };
}

/// Whether this is one of the screen's signs, and no part of a word or a sentence.
fn is_sign(symbol: &str) -> bool {
    symbol.chars().all(|c| !c.is_ascii() && !c.is_alphanumeric())
}

#[cfg(test)]
mod tests;
