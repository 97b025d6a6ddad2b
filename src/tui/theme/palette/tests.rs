//! Contrast by the formula of WCAG 2.2, and what becomes of a frame.

use ratatui::{layout::Rect, style::Style};

use super::*;

/// Red, green and blue of a colour of xterm's table of 256.
fn triple(color: Color) -> (u8, u8, u8) {
    match color {
        Color::Rgb(r, g, b) => (r, g, b),
        Color::Indexed(n @ 16..=231) => {
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            (step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        Color::Indexed(n @ 232..) => {
            let grey = 8 + 10 * (n - 232);
            (grey, grey, grey)
        }
        other => panic!("{other:?} is the terminal's own"),
    }
}

/// Relative luminance.
fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let linear = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn the_formula_gives_the_known_contrasts() {
    let near = |a: f64, b: f64| (a - b).abs() < 0.01;
    assert!(near(contrast((0, 0, 0), (255, 255, 255)), 21.0));
    // the grey that is just enough on white
    assert!(near(contrast((0x76, 0x76, 0x76), (255, 255, 255)), 4.54));
    assert!(near(contrast((255, 0, 0), (255, 255, 255)), 4.0));
}

#[test]
fn every_colour_can_be_read_on_its_background() {
    for depth in [Depth::Indexed, Depth::True] {
        for (ground, back) in [(Ground::Dark, (0, 0, 0)), (Ground::Light, (255, 255, 255))] {
            for (theme, least) in [(ThemeName::Auto, 4.5), (ThemeName::HighContrast, 7.0)] {
                let palette = Palette::new(theme, depth, Some(ground));
                for color in palette.colors.unwrap() {
                    let found = contrast(triple(color), back);
                    assert!(found >= least, "{theme:?} {ground:?} {color:?}: {found:.2}");
                }
            }
        }
    }
}

#[test]
fn the_six_colours_of_a_palette_differ() {
    for palette in [INDEXED_DARK, INDEXED_LIGHT, TRUE_DARK, TRUE_LIGHT] {
        let different: std::collections::HashSet<_> = palette.iter().collect();
        assert_eq!(different.len(), 7);
    }
}

fn painted(palette: Palette, style: Style) -> Style {
    painted_sign(palette, "x", style)
}

fn painted_sign(palette: Palette, symbol: &str, style: Style) -> Style {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
    buffer.set_string(0, 0, symbol, style);
    palette.paint(&mut buffer);
    let cell = &buffer[(0, 0)];
    Style::new().fg(cell.fg).bg(cell.bg).add_modifier(cell.modifier)
}

#[test]
fn without_colours_the_attributes_stay() {
    let style = Style::new().fg(Color::Red).bg(Color::Blue).add_modifier(Modifier::BOLD);
    for (theme, depth) in [(ThemeName::Plain, Depth::True), (ThemeName::Auto, Depth::None)] {
        let found = painted(Palette::new(theme, depth, Some(Ground::Dark)), style);
        assert_eq!(
            (found.fg, found.bg, found.add_modifier),
            (Some(Color::Reset), Some(Color::Reset), Modifier::BOLD)
        );
    }
}

#[test]
fn on_an_unknown_background_only_the_terminals_own_colours_are_used() {
    for depth in [Depth::Sixteen, Depth::Indexed, Depth::True] {
        let palette = Palette::new(ThemeName::Auto, depth, None);
        assert_eq!(palette, Palette::default());
        let dim = Style::new().add_modifier(Modifier::DIM);
        assert!(painted(palette, dim).add_modifier.contains(Modifier::DIM));
    }
}

#[test]
fn high_contrast_has_nothing_dim() {
    let dim = Style::new().add_modifier(Modifier::DIM);
    for depth in [Depth::None, Depth::Sixteen, Depth::Indexed, Depth::True] {
        for ground in [None, Some(Ground::Dark), Some(Ground::Light)] {
            let palette = Palette::new(ThemeName::HighContrast, depth, ground);
            assert!(painted(palette, dim).add_modifier.is_empty(), "{depth:?} {ground:?}");
        }
    }
}

const SEVEN: [Color; 6] =
    [Color::Red, Color::Green, Color::Yellow, Color::Blue, Color::Magenta, Color::Cyan];

#[test]
fn high_contrast_on_an_unknown_background_colours_signs_that_can_be_read_on_any() {
    for depth in [Depth::Indexed, Depth::True] {
        let palette = Palette::new(ThemeName::HighContrast, depth, None);
        for color in SEVEN {
            let style = Style::new().fg(color);
            let sign = painted_sign(palette, "✗", style).fg.unwrap();
            for back in [(0, 0, 0), (255, 255, 255)] {
                let found = contrast(triple(sign), back);
                assert!(found >= 4.5, "{depth:?} {color:?} on {back:?}: {found:.2}");
            }
            for word in ["x", "é", "日", ".", "4"] {
                let word = painted_sign(palette, word, style);
                assert_eq!(word.fg, Some(Color::Reset), "words have the strongest contrast");
            }
        }
    }
}

#[test]
fn high_contrast_without_colours_tells_what_matters_apart_by_attributes() {
    let theme = crate::tui::theme::Theme::default();
    let grounds = [None, Some(Ground::Dark), Some(Ground::Light)];
    let of_sixteen = grounds.map(|ground| (Depth::Sixteen, ground));
    for (depth, ground) in of_sixteen.into_iter().chain([(Depth::True, None), (Depth::None, None)])
    {
        let palette = Palette::new(ThemeName::HighContrast, depth, ground);
        let styles = [theme.failure, theme.warning, theme.success, theme.text];
        let told = styles.map(|style| {
            let word = painted(palette, style);
            assert_eq!((word.fg, word.bg), (Some(Color::Reset), Some(Color::Reset)));
            word.add_modifier
        });
        let want = [
            Modifier::BOLD | Modifier::REVERSED,
            Modifier::BOLD | Modifier::UNDERLINED,
            Modifier::BOLD,
            Modifier::empty(),
        ];
        assert_eq!(told, want, "{depth:?} {ground:?}");
    }
}

#[test]
fn no_palette_changes_a_sign_or_a_word() {
    let text = "✓ ok ✗ failed ⊘ denied × cancelled ? waits for you";
    for theme in ThemeName::ALL {
        for depth in [Depth::None, Depth::Sixteen, Depth::Indexed, Depth::True] {
            for ground in [None, Some(Ground::Dark), Some(Ground::Light)] {
                let mut buffer = Buffer::with_lines([text]);
                buffer.set_style(buffer.area, Style::new().fg(Color::Red));
                Palette::new(theme, depth, ground).paint(&mut buffer);
                let drawn: String = buffer.content.iter().map(Cell::symbol).collect();
                assert_eq!(drawn, text);
            }
        }
    }
}

#[test]
fn a_named_theme_counts_on_its_own_background() {
    let light = Palette::new(ThemeName::Light, Depth::True, Some(Ground::Dark));
    assert_eq!(light, Palette::new(ThemeName::Auto, Depth::True, Some(Ground::Light)));
}

#[test]
fn text_on_another_background_keeps_its_colours() {
    let palette = Palette::new(ThemeName::Auto, Depth::True, Some(Ground::Dark));
    let style = Style::new().fg(Color::Red).bg(Color::Yellow);
    assert_eq!(painted(palette, style).fg, Some(Color::Red));
}
