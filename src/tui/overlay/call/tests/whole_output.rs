//! The whole output of a call whose result was cut: asked for, shown, searched, or not to be had.

use super::*;
use crate::tui::selection::Grain;

/// Of 200,000 lines of 7 bytes the model got the first and the last.
fn cut() -> ToolResult {
    let text = "000000\n[... 199998 lines, 1399986 bytes left out ...]\n199999";
    let file = WholeFile { path: "/s/out/1.txt".into(), from: 0, bytes: 1_400_000, cut: None };
    let text_bytes = text.len() as u64;
    let whole = WholeOutput {
        bytes: 1_400_000,
        lines: 200_000,
        text_bytes,
        file: Some(file),
        untold: None,
    };
    let text = format!("{text}\nexit 0\nleft-over processes were stopped: 7 sleep");
    let result = ToolResult::new(CallId(ID.into()), ToolStatus::Ok, text, "exit 0 · 200000 lines");
    ToolResult { whole: Some(whole), ..result }
}

fn gathered(short: Option<&str>) -> Arc<WholeText> {
    let mut gathering = Gathering::new();
    let all: String = (0..200_000).fold(String::new(), |all, n| all + &format!("{n:06}\n"));
    gathering.push(all.as_bytes());
    Arc::new(gathering.finish(short.map(str::to_owned), "/s/out/1.txt"))
}

impl Open {
    fn end(&mut self, result: ToolResult) {
        let now = self.now;
        self.change(|iteration, _| iteration.finish(result, (now, Duration::ZERO)));
    }

    fn ask(&mut self) -> Option<(CallId, WholeFile)> {
        self.view.ask_for_output(self.transcript.call(self.view.place()).unwrap())
    }

    fn told(&mut self, read: Result<Arc<WholeText>, String>) {
        self.view.output_read(&CallId(ID.into()), read);
    }
}

#[test]
fn the_whole_output_is_asked_for_once_and_until_it_comes_the_cut_text_says_that_it_is_cut() {
    let mut open = Open::new("{}", false);
    assert_eq!(open.ask(), None, "the call has no result yet");
    open.end(cut());
    let asked = open.ask().unwrap();
    assert_eq!((asked.0, asked.1.path.as_str()), (CallId(ID.into()), "/s/out/1.txt"));
    assert_eq!(open.ask(), None, "it was asked for");
    let part = "the model got 60 of 1,400,000 bytes";
    let rows = open.screen(100, 24);
    assert!(rows[1].contains(&format!("exit 0 · 200000 lines · cut: {part}")), "{rows:#?}");
    let title = format!(" Result, cut: {part}");
    let at = rows.iter().position(|row| *row == title).unwrap();
    assert_eq!(rows[at + 1..at + 3], [" reading the whole output ...", " 000000"], "{rows:#?}");
    open.search("100123");
    let rows = open.screen(100, 24);
    assert!(rows[23].ends_with("no hits in what is shown"), "{rows:#?}");
    open.view.output_read(&CallId("another".into()), Ok(gathered(None)));
    assert!(open.screen(100, 24)[1].contains("cut: "), "that was another call");
}

#[test]
fn the_whole_output_is_shown_counted_and_searched() {
    let mut open = Open::new("{}", false);
    open.end(cut());
    open.ask();
    open.told(Ok(gathered(None)));
    let rows = open.screen(100, 24);
    // 21 rows are in view: braces and a blank of the arguments, and the title, stand before the
    // output; a blank and two lines about the command after it.
    let head = rows.iter().position(|row| row == " 000000").unwrap() - 3;
    assert!(rows[0].ends_with(&format!("↓{}", 200_000 + head + 3 - 21)), "{rows:#?}");
    assert!(!rows[1].contains("cut"), "{rows:#?}");
    let title = " Output, all of it · the model got 60 of 1,400,000 bytes";
    assert!(rows.contains(&title.to_owned()), "{rows:#?}");
    open.search("10012");
    let mut frames = 0;
    while open.view.is_pending() || frames == 0 {
        open.screen(100, 24);
        frames += 1;
        assert!(frames < 100, "each frame searches more");
    }
    assert!(frames > 3, "no frame searches all of it");
    let rows = open.screen(100, 24);
    // 010012, 100120 to 100129 and 110012
    assert!(rows[23].ends_with("1 of 12") && rows.contains(&" 010012".to_owned()), "{rows:#?}");
    open.press(KeyCode::Enter);
    open.view.next_hit(false);
    let rows = open.screen(100, 24);
    assert!(rows[22..].iter().any(|row| row.contains("12 of 12")), "{rows:#?}");
    assert!(rows.contains(&" 110012".to_owned()), "{rows:#?}");
    open.view.end_search();
    open.view.pager.go_to_end();
    let rows = open.screen(100, 24);
    let end = [" 199999", "", " exit 0", " left-over processes were stopped: 7 sleep"];
    assert_eq!(rows[20..], end, "{rows:#?}");
}

#[test]
fn what_was_searched_for_in_vain_is_found_once_the_whole_output_is_there() {
    let mut open = Open::new("{}", false);
    open.end(cut());
    open.ask();
    open.search("123456");
    assert!(open.screen(100, 24)[23].contains("no hits"));
    open.told(Ok(gathered(None)));
    while open.screen(100, 24)[23].contains("searching") {}
    let rows = open.screen(100, 24);
    assert!(rows[23].contains("1 of 1") && rows.contains(&" 123456".to_owned()), "{rows:#?}");
}

#[test]
fn a_whole_output_that_cannot_be_shown_leaves_the_cut_text_and_says_why() {
    let without_file = |untold: Option<&str>| {
        let ToolResult { whole, .. } = cut();
        let untold = untold.map(str::to_owned);
        let whole = whole.map(|whole| WholeOutput { file: None, untold, ..whole });
        ToolResult { whole, ..cut() }
    };
    for (result, read, why) in [
        (cut(), Some("/s/out/1.txt: it is gone"), "/s/out/1.txt: it is gone."),
        (without_file(None), None, "it could not be written to a file."),
        (without_file(Some("its path is \u{1b}[1mnone")), None, "its path is none."),
    ] {
        let mut open = Open::new("{}", false);
        open.end(result);
        assert_eq!(open.ask().is_some(), read.is_some());
        if let Some(error) = read {
            open.told(Err(error.to_owned()));
        }
        let rows = open.screen(100, 24);
        assert!(rows.contains(&format!(" The whole output cannot be shown: {why}")), "{rows:#?}");
        let title = " Result, cut: the model got 60 of 1,400,000 bytes";
        assert!(rows.contains(&title.to_owned()), "{rows:#?}");
        assert!(rows.contains(&" exit 0".to_owned()), "{rows:#?}");
    }
}

#[test]
fn an_output_without_its_end_says_so_and_shows_the_end_that_the_model_got() {
    let mut open = Open::new("{}", false);
    open.end(cut());
    open.ask();
    open.told(Ok(gathered(Some("Only the first 9 bytes could be kept"))));
    let rows = open.screen(100, 24);
    assert!(rows.iter().any(|row| row.starts_with(" Output, not all of it: see its end")));
    open.view.pager.go_to_end();
    let rows = open.screen(100, 24);
    let end = [
        " 199999",
        "",
        " Only the first 9 bytes could be kept",
        "",
        " What the model got",
        " 000000",
        " [... 199998 lines, 1399986 bytes left out ...]",
        " 199999",
        " exit 0",
        " left-over processes were stopped: 7 sleep",
    ];
    assert_eq!(rows[14..], end, "{rows:#?}");
    open.search("nothing like that");
    while open.screen(100, 24)[23].contains("searching") {}
    assert!(open.screen(100, 24)[23].ends_with("no hits in what is shown"));
}

#[test]
fn a_frame_of_a_whole_output_lays_out_what_is_in_view() {
    let mut open = Open::new("{}", false);
    open.end(cut());
    open.ask();
    open.screen(80, 24);
    open.told(Ok(gathered(None)));
    open.screen(80, 24);
    assert_eq!(open.view.page.added(), 0, "its lines were counted before");
    let call = open.transcript.call(open.view.place()).unwrap();
    let theme = Theme::plain();
    let shown = open.view.page.with((call, &open.view.whole), None, &theme);
    let counting = Counting { shown: &shown, asked: std::cell::Cell::new(0) };
    let mut pager = Pager::new(false);
    assert_eq!(pager.window(&counting, 78, 21).len(), 21);
    pager.go_to_end();
    assert_eq!(pager.window(&counting, 78, 21).len(), 21);
    assert!(counting.asked.get() <= 4 * 21, "{} lines were laid out", counting.asked.get());
}

#[test]
fn of_a_whole_output_all_is_copied_as_it_was_printed_with_what_stands_after_it() {
    let mut open = Open::new("{}", false);
    open.end(cut());
    open.screen(100, 14);
    assert_eq!(open.choose(100, "000000", "199999").as_deref().map(str::len), Some(60));
    open.ask();
    open.told(Ok(gathered(None)));
    assert_eq!(open.selected(), None, "it was the cut text");
    open.view.pager.go_to_top();
    let at = open.find(100, "000000");
    open.button(at, Grain::Letter);
    open.view.pager.go_to_end();
    let end = open.find(100, "199999");
    open.drag((end.0 + 5, end.1));
    let all: String = (0..200_000).fold(String::new(), |all, n| all + &format!("{n:06}\n"));
    assert_eq!(open.release().as_deref(), all.strip_suffix('\n'));
    open.button(at, Grain::Letter);
    open.drag((99, 99));
    let tail = "199999\n\nexit 0\nleft-over processes were stopped: 7 sleep";
    assert!(open.release().unwrap().ends_with(tail));
    assert_eq!(
        open.choose(100, "left-over", "stopped").as_deref(),
        Some("left-over processes were stopped")
    );
    open.frame(30);
    assert_eq!(open.selected().as_deref(), Some("left-over processes were stopped"));
}
