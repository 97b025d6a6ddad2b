//! Pictures for the README, drawn from the screen of the built binary: `.ci/pictures` makes them.
//!
//! Owns the form of a picture (SVG) and the scenes. They are no checks: the tests here are ignored
//! unless asked for. Colours that the program leaves to the terminal are those of `PALETTE`.

use std::{fmt::Write as _, fs, path::Path};

use tempfile::TempDir;
use vt100::{Cell, Color, Screen};

use crate::{
    program::{CTRL_T, Size, folder, is_armed, last_row, script_path},
    support::{Term, at_least_one, text_of},
};

const SIZE: Size = (112, 34);
/// Pixels of one cell, and of the margin.
const CELL: (f32, f32) = (8.4, 18.0);
const MARGIN: f32 = 14.0;
const GROUND: &str = "#16181d";
const TEXT: &str = "#d7dae0";
/// The sixteen colours of the terminal, as GitHub's dark code looks.
const PALETTE: [&str; 16] = [
    "#3b4048", "#f0716b", "#7ecb7e", "#e3b765", "#6cabf0", "#c792ea", "#5fc9c9", "#c9cdd4",
    "#7a818c", "#ff8a84", "#9be29b", "#f4cd85", "#8bc0ff", "#dab0f5", "#84e1e1", "#ffffff",
];

/// A picture of what a terminal shows.
pub(crate) fn svg(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let width = f32::from(columns).mul_add(CELL.0, 2.0 * MARGIN);
    let height = f32::from(rows).mul_add(CELL.1, 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{GROUND}\"/>\n"
    );
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            column = run(&mut svg, screen, (row, column));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// One run of cells that look alike; gives the column after it.
fn run(svg: &mut String, screen: &Screen, (row, start): (u16, u16)) -> u16 {
    let cell = |column| screen.cell(row, column);
    let Some(first) = cell(start) else { return start + 1 };
    let mut end = start;
    let mut text = String::new();
    // Signs that are no plain letters stand alone, so that a font without them moves nothing.
    let is_plain = |cell: &Cell| cell.contents().is_empty() || cell.contents().is_ascii();
    while let Some(next) = cell(end).filter(|next| end == start || like(first, next)) {
        if end > start
            && !(is_plain(first) && is_plain(next))
            && next.contents() != first.contents()
        {
            break;
        }
        if !next.is_wide_continuation() {
            text.push_str(if next.contents().is_empty() { " " } else { next.contents() });
        }
        end += 1;
    }
    let (x, y) = (f32::from(start).mul_add(CELL.0, MARGIN), f32::from(row).mul_add(CELL.1, MARGIN));
    let width = f32::from(end - start) * CELL.0;
    let (ink, ground) = colours(first);
    if let Some(ground) = ground {
        writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{ground}\"/>",
            CELL.1
        )
        .unwrap();
    }
    if !text.trim().is_empty() {
        let style = style(first);
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" xml:space=\"preserve\" \
             fill=\"{ink}\"{style}>{text}</text>",
            CELL.1.mul_add(0.75, y)
        )
        .unwrap();
    }
    end
}

fn like(one: &Cell, other: &Cell) -> bool {
    one.fgcolor() == other.fgcolor()
        && one.bgcolor() == other.bgcolor()
        && (one.bold(), one.dim(), one.italic(), one.underline(), one.inverse())
            == (other.bold(), other.dim(), other.italic(), other.underline(), other.inverse())
}

/// Of the text, and of what is behind it if that is not the terminal's own.
fn colours(cell: &Cell) -> (String, Option<String>) {
    let (ink, ground) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
    if cell.inverse() {
        let ink_of_inverse = ground.unwrap_or_else(|| GROUND.into());
        return (ink_of_inverse, Some(ink.unwrap_or_else(|| TEXT.into())));
    }
    (ink.unwrap_or_else(|| TEXT.into()), ground)
}

fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Idx(number @ 0..16) => Some(PALETTE[usize::from(number)].into()),
        // The cube of 6 x 6 x 6 and the greys, as xterm has them.
        Color::Idx(number @ 16..232) => {
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = number - 16;
            let (red, green, blue) = (step(n / 36), step(n / 6 % 6), step(n % 6));
            Some(format!("#{red:02x}{green:02x}{blue:02x}"))
        }
        Color::Idx(number) => {
            let grey = 8 + 10 * (number - 232);
            Some(format!("#{grey:02x}{grey:02x}{grey:02x}"))
        }
    }
}

fn style(cell: &Cell) -> String {
    let mut style = String::new();
    for (is_so, attribute) in [
        (cell.bold(), " font-weight=\"bold\""),
        (cell.italic(), " font-style=\"italic\""),
        (cell.underline(), " text-decoration=\"underline\""),
        (cell.dim(), " opacity=\"0.6\""),
    ] {
        if is_so {
            style.push_str(attribute);
        }
    }
    style
}

const FILES: [(&str, &str); 5] = [
    (
        "parser/Cargo.toml",
        "[package]\nname = \"parser\"\nversion = \"0.3.0\"\nedition = \"2024\"\n",
    ),
    ("parser/README.md", "# parser\n\nReads expressions.\n"),
    (
        "parser/src/lib.rs",
        "pub mod lexer;\n\npub fn parse(text: &str) -> usize {\n    lexer::tokens(text).len()\n}\n",
    ),
    (
        "parser/src/lexer.rs",
        "pub fn tokens(text: &str) -> Vec<&str> {\n    text.split(' ').collect()\n}\n",
    ),
    ("parser/tests/parse.rs", "#[test]\nfn nothing_is_parsed_to_nothing() {}\n"),
];

/// The program in a small project, with these arguments.
fn start(args: &[&str]) -> (Term, TempDir) {
    let home = folder(&FILES);
    let env = [("COLORTERM", "truecolor"), ("HOME", home.path().to_str().unwrap())];
    let term = Term::start(SIZE.0, SIZE.1, args, &env, &home.path().join("parser"));
    term.wait_for(|screen| last_row(screen).contains("? keys"), "the idle status line");
    (term, home)
}

fn keep(program: &Term, name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures");
    fs::create_dir_all(&folder).unwrap();
    let picture = program.with_screen(svg);
    fs::write(folder.join(format!("{name}.svg")), picture).unwrap();
    println!("{name}:\n{}", program.with_screen(text_of));
}

#[test]
#[ignore = "writes the pictures of the README"]
fn pictures() {
    let (program, _home) = start(&[]);
    program.send("look around and write down what this is\r");
    program.wait_screen(is_armed, "a question that takes keys");
    keep(&program, "question");
    program.send("y");
    program.wait_for(|screen| screen.contains("■ end_turn"), "the end");
    program.send(CTRL_T);
    program.wait_for(|screen| screen.contains("Esc closes"), "the time line");
    keep(&program, "timeline");
    let (program, _home) = start(&["--yolo", "--script", &script_path("picture")]);
    program.send("do the tests pass?\r");
    program.wait_for(|screen| screen.contains("parse::unicode"), "the tests");
    keep(&program, "batch");
}

#[test]
fn a_picture_has_the_text_and_the_colours_of_the_screen() {
    let mut parser = vt100::Parser::new(at_least_one(2), at_least_one(12), 0);
    parser
        .process("a<b \x1b[1;32mok\x1b[0m\r\n\x1b[38;2;1;2;3m✓\x1b[0m\x1b[7m x \x1b[0m".as_bytes());
    let picture = svg(parser.screen());
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    for part in [
        ">a&lt;b </text>",
        "fill=\"#7ecb7e\" font-weight=\"bold\">ok</text>",
        "fill=\"#010203\">✓</text>",
        "fill=\"#16181d\"> x </text>",
    ] {
        assert!(picture.contains(part), "{part}\n{picture}");
    }
}
