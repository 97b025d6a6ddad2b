//! [`view`]: draws the state. Layout only; what things look like is the cells' and the theme's.
//! Changes nothing but the places that drawing itself settles (scroll positions, caches).

use ratatui::{
    Frame,
    layout::{Position, Rect},
    style::Modifier,
    text::{Line, Span},
};

use super::{
    app::App,
    calls, cell,
    overlay::{approval, in_background, picker::Look, themes::ThemeList},
    search,
    status::{self, header},
    transcript::Mark,
    wrap,
};

/// Below this many rows the header goes, below fewer the rules too: the words come first.
const HEADER_ROWS: u16 = 14;
const RULE_ROWS: u16 = 9;

/// Draws one frame.
pub(super) fn view(app: &mut App, frame: &mut Frame<'_>) {
    draw(app, frame);
    app.skin.finish(frame.buffer_mut());
}

fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let mut rest = frame.area();
    if rest.width == 0 || rest.height == 0 {
        return;
    }
    let (width, height) = (rest.width, rest.height);
    let has_header = height >= HEADER_ROWS;
    if has_header {
        let header = header::header(app, width);
        put(frame, take_top(&mut rest, 1), &header);
        rule(app, frame, take_top(&mut rest, 1), "");
    }
    let mut status_area = take_bottom(&mut rest, 1);
    if !has_header || !header::has_marks(app, width) {
        marks(app, frame, &mut status_area);
    }
    if !is_searching(app) {
        put(frame, status_area, &status::line(app, status_area.width, has_header));
    }
    let has_said = said(app, frame, &mut rest, status_area.width);
    if let Some(help) = &mut app.help {
        return help.draw(frame, rest, (&app.keys, &app.theme));
    }
    if picker(app, frame, rest) || calls::draw(app, frame, rest) {
        return;
    }
    let rules = height >= RULE_ROWS;
    if list(app, frame, &mut rest) {
        transcript(app, frame, rest);
        return;
    }
    // A word for the user stands in the rule's place.
    if rules && !has_said {
        rule(app, frame, take_bottom(&mut rest, 1), "");
    }
    let mut caret = prompt(app, frame, &mut rest, height);
    commands(app, frame, &mut rest);
    files(app, frame, &mut rest);
    queued(app, frame, &mut rest);
    if rules {
        running_on(app, frame, &mut rest);
    }
    if !app.questions.is_empty() {
        caret = question(app, frame, &mut rest, rules).or(caret);
    }
    let rule_area = rules.then(|| take_bottom(&mut rest, 1));
    transcript(app, frame, rest);
    if let Some(area) = rule_area {
        let more = if app.transcript.more_below() { " ↓ more below · Ctrl-End " } else { "" };
        rule(app, frame, area, more);
    }
    // After the transcript, which finds what this counts.
    caret = search_line(app, frame, status_area).or(caret);
    if let Some(caret) = caret {
        frame.set_cursor_position(caret);
    }
}

/// The picker, if it is open.
fn picker(app: &mut App, frame: &mut Frame<'_>, rest: Rect) -> bool {
    let Some(picker) = &mut app.picker else { return false };
    let spinner = app.now.saturating_duration_since(app.began);
    let look = Look { theme: &app.theme, spinner: status::beat(spinner), settings: &app.settings };
    app.page = rest.height.saturating_sub(1);
    if let Some(caret) = picker.draw(frame, rest, &look) {
        frame.set_cursor_position(caret);
    }
    true
}

/// What must be seen on every screen, at the end of the status line, whatever else stands there.
fn marks(app: &App, frame: &mut Frame<'_>, area: &mut Rect) {
    let marks = header::marks(app);
    if !marks.is_empty() {
        let marks = Line::from(Span::styled(format!(" {marks}"), app.theme.warning));
        let columns = u16::try_from(marks.width()).unwrap_or(area.width).min(area.width);
        area.width -= columns;
        put(frame, Rect { x: area.right(), width: columns, ..*area }, &marks);
    }
}

/// A word for the user for which there is no room in the status line, above it; false if there is
/// none.
fn said(app: &App, frame: &mut Frame<'_>, rest: &mut Rect, line_width: u16) -> bool {
    let rows = status::above(app, rest.width, line_width);
    let room = usize::from(rest.height / 2).max(1);
    let height = u16::try_from(rows.len().min(room)).unwrap_or(u16::MAX);
    let area = take_bottom(rest, height);
    for (y, row) in (area.y..area.bottom()).zip(&rows) {
        frame.buffer_mut().set_line(area.x, y, row, area.width);
    }
    !rows.is_empty()
}

/// A list below the transcript that has all keys, if one is open.
fn list(app: &App, frame: &mut Frame<'_>, rest: &mut Rect) -> bool {
    if let Some(themes) = &app.themes {
        let area = take_bottom(rest, ThemeList::height());
        themes.draw(frame, area, &app.theme);
    } else if app.in_background.is_open() {
        let area = take_bottom(rest, in_background::height(&app.in_background));
        in_background::draw(&app.in_background, frame, area, (app.now, &app.theme));
    }
    app.themes.is_some() || app.in_background.is_open()
}

/// Whether a search stands in the place of the status line.
fn is_searching(app: &App) -> bool {
    app.search.is_some() && app.help.is_none() && app.picker.is_none() && !app.calls.is_open()
}

/// The search, if it is open; gives where the caret stands.
fn search_line(app: &App, frame: &mut Frame<'_>, area: Rect) -> Option<Position> {
    let search = app.search.as_ref().filter(|_| is_searching(app))?;
    Some(search::draw(search, frame, area, &app.theme))
}

/// The input box at the bottom; gives where the caret stands.
fn prompt(app: &mut App, frame: &mut Frame<'_>, rest: &mut Rect, height: u16) -> Option<Position> {
    let width = rest.width.saturating_sub(3);
    let most = (height / 3).max(1);
    if app.recall.is_some() {
        return recall(app, frame, rest, most);
    }
    let rows = app.composer.height(width, most);
    let area = take_bottom(rest, rows);
    let (sign, style) = if app.composer.begins_with('!') {
        (" $ ", app.theme.warning)
    } else {
        (" › ", app.theme.running)
    };
    let sign = Line::from(Span::styled(sign, style));
    put(frame, Rect { height: 1, ..area }, &sign);
    let input = Rect { x: area.x + 3.min(area.width), width, ..area };
    let hint = status::prompt(app, width);
    app.composer.draw(frame, input, &hint, &app.theme)
}

/// The search in the history, in place of the input box; gives where the caret stands.
fn recall(app: &mut App, frame: &mut Frame<'_>, rest: &mut Rect, most: u16) -> Option<Position> {
    let recall = app.recall.as_mut()?;
    let width = rest.width.saturating_sub(3);
    let area = take_bottom(rest, recall.height(width, most));
    let sign = Line::from(Span::styled(" › ", app.theme.dim));
    put(frame, Rect { height: 1.min(area.height), ..area }, &sign);
    recall.draw(frame, Rect { x: area.x + 3.min(area.width), width, ..area }, &app.theme);
    let words = take_bottom(rest, 1);
    recall.draw_words(frame, words, &app.theme)
}

/// The files that fit what is being named, above the input box.
fn files(app: &App, frame: &mut Frame<'_>, rest: &mut Rect) {
    let rows = app.files.height().min(rest.height / 2);
    if rows > 0 && app.question().is_none() && app.recall.is_none() {
        let area = take_bottom(rest, rows);
        app.files.draw(frame, area, &app.theme);
    }
}

/// The commands that fit what is being typed, above the input box.
fn commands(app: &App, frame: &mut Frame<'_>, rest: &mut Rect) {
    if app.question().is_some() || app.recall.is_some() {
        return;
    }
    if let Some(fitting) = app.commands.fitting(&app.composer) {
        let area = take_bottom(rest, fitting.height().min(rest.height / 2));
        fitting.draw(frame, area, &app.theme);
    }
}

/// Prompts that wait, above the input box.
fn queued(app: &App, frame: &mut Frame<'_>, rest: &mut Rect) {
    let most = usize::from(rest.height / 4).max(1);
    let last = status::queued(app, rest.width);
    let hidden = (app.queued.len() + app.steered.len()).saturating_sub(most);
    let hint = |n| if n == 0 { last.as_str() } else { "  (queued)" };
    let queued = app.queued.iter().rev().enumerate().map(|(n, text)| (text, hint(n)));
    let told = app.steered.iter().rev().map(|text| (text, "  (goes with the next request)"));
    for (n, (text, hint)) in queued.chain(told).take(most).enumerate() {
        let more = format!("  +{hidden} more");
        let hint = if n == 0 && hidden > 0 { format!("{more}{hint}") } else { hint.to_owned() };
        let width = usize::from(rest.width);
        let room = width.saturating_sub(wrap::width(&hint) + 3).max(width / 2);
        let words = crate::text::cut::one_line(text, room);
        let line = Line::from(vec![
            Span::styled(format!(" ⋯ {words}"), app.theme.text),
            Span::styled(hint, app.theme.dim),
        ]);
        let area = take_bottom(rest, 1);
        put(frame, area, &wrap::cut_line(&line, area.width));
    }
}

/// What runs in the background, above the input box.
fn running_on(app: &App, frame: &mut Frame<'_>, rest: &mut Rect) {
    if let Some(line) = in_background::line(&app.in_background, &app.theme, rest.width) {
        put(frame, take_bottom(rest, 1), &line);
    }
}

fn question(
    app: &mut App,
    frame: &mut Frame<'_>,
    rest: &mut Rect,
    rules: bool,
) -> Option<Position> {
    let inner = rest.width.saturating_sub(2);
    if rules {
        rule(app, frame, take_bottom(rest, 1), "");
    }
    // A call that is selected has the keys as a draft has them.
    let drafting = !app.composer.is_empty() || app.calls.selected().is_some();
    let focus = app.question().is_some();
    let look = approval::Look {
        theme: &app.theme,
        highlighter: &app.highlighter,
        keys: &app.keys,
        focus,
        drafting,
        searching: app.search.is_some() || app.recall.is_some(),
    };
    let approval = app.questions.front_mut()?;
    let most = (rest.height * 2 / 3).max(rest.height.min(6));
    let wanted = approval.height((inner, most), &look);
    let area = take_bottom(rest, wanted);
    let area = Rect { x: area.x + 1, width: inner, ..area };
    approval.draw(frame, area, &look)
}

fn transcript(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    app.page = area.height;
    if app.transcript.is_empty() && app.search.is_none() {
        for (y, row) in (area.y..area.bottom()).zip(header::first_screen(app, area.width)) {
            frame.buffer_mut().set_line(area.x, y, &row, area.width);
        }
    }
    let look = cell::Look {
        width: area.width,
        theme: &app.theme,
        highlighter: &app.highlighter,
        now: app.now,
        unfolded: app.unfolded,
        all: false,
    };
    app.calls.area = area;
    if let Some(search) = &mut app.search {
        app.transcript.take_width(look);
        search.advance(&mut app.transcript, look);
        search.settle(&mut app.transcript, look);
        if let Some(spot) = search.take_arrived()
            && app.calls.selected().is_some()
            && let Some(item) = app.transcript.item_at(spot, look)
        {
            app.calls.follow(item, &mut app.transcript);
        }
    }
    app.transcript.take_width(look);
    if let Some(item) = app.calls.take_revealed() {
        app.transcript.reveal(item, usize::from(area.height), look);
    }
    app.transcript.lay_out(area, look);
    if let Some(item) = app.calls.selected() {
        app.transcript.mark_item(item, look);
    }
    if let Some(search) = &app.search {
        search.mark(&mut app.transcript, look);
    }
    for (y, row) in (area.y..area.bottom()).zip(app.transcript.shown()) {
        let room = area.width.saturating_sub(row.indent);
        let x = area.x + row.indent;
        frame.buffer_mut().set_line(x, y, &row.line, room);
        if row.selected {
            bar(app, frame, Rect { y, height: 1, ..area }, row.indent);
        }
        for (columns, mark) in &row.marks {
            let marked = Rect::new(x + columns.start, y, columns.end - columns.start, 1);
            let style = match mark {
                Mark::Selected => app.theme.selection,
                Mark::Hit => app.theme.hit,
                Mark::HitHere => app.theme.hit.add_modifier(Modifier::UNDERLINED),
            };
            frame.buffer_mut().set_style(marked.intersection(area), style);
        }
    }
}

/// The sign of what is selected, left of one of its rows; where no column is free, over it.
fn bar(app: &App, frame: &mut Frame<'_>, row: Rect, indent: u16) {
    let style = app.theme.selection;
    match indent.checked_sub(1) {
        Some(free) => {
            let x = row.x + free / 2;
            frame.buffer_mut().set_string(x, row.y, "▌", app.theme.running);
        }
        None => frame.buffer_mut().set_style(row, style),
    }
}

/// A rule across the screen, with words at its right end.
fn rule(app: &App, frame: &mut Frame<'_>, area: Rect, words: &str) {
    let dashes = usize::from(area.width).saturating_sub(wrap::width(words) + 2);
    let line = Line::from(vec![
        Span::styled(format!(" {}", "─".repeat(dashes)), app.theme.frame),
        Span::styled(words.to_owned(), app.theme.warning),
    ]);
    put(frame, area, &line);
}

fn put(frame: &mut Frame<'_>, area: Rect, line: &Line<'_>) {
    if area.height > 0 {
        frame.buffer_mut().set_line(area.x, area.y, line, area.width);
    }
}

fn take_top(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    let taken = Rect { height: rows, ..*rest };
    rest.y += rows;
    rest.height -= rows;
    taken
}

fn take_bottom(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    rest.height -= rows;
    Rect { y: rest.y + rest.height, height: rows, ..*rest }
}
