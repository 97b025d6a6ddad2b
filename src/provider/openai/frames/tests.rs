//! The framing rules, each whole and byte by byte.

use proptest::prelude::*;

use super::*;

fn cut(body: &[u8], size: usize) -> (Vec<Piece>, String) {
    let (mut framer, mut out) = (Framer::default(), Vec::new());
    for piece in body.chunks(size) {
        framer.push(piece, &mut out).unwrap();
    }
    framer.finish(&mut out).unwrap();
    (out, framer.stray().to_owned())
}

/// The pieces, which must be the same however the body is cut.
fn pieces(body: &[u8]) -> Vec<Piece> {
    let whole = cut(body, body.len().max(1));
    for size in [1, 2, 3, 7, 13] {
        assert_eq!(cut(body, size), whole, "cut every {size} bytes");
    }
    whole.0
}

fn document(text: &str) -> Piece {
    Piece::Document(text.to_owned())
}

#[test]
fn all_three_line_ends_separate_events() {
    let want = [document("{\"a\":1}"), document("{\"b\":2}"), Piece::Done];
    for end in ["\n", "\r\n", "\r"] {
        let body =
            format!("data: {{\"a\":1}}{end}{end}data:{{\"b\":2}}{end}{end}data: [DONE]{end}{end}");
        assert_eq!(pieces(body.as_bytes()), want, "{end:?}");
    }
}

#[test]
fn comments_names_and_ids_are_not_data() {
    let body = b": ping\n\nid: 7\nevent: message\nretry: 10\ndata: {}\n\n: bye\n";
    assert_eq!(pieces(body), [document("{}")]);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(pieces(b"\xef\xbb\xbfdata: {}\n\n"), [document("{}")]);
}

#[test]
fn the_last_event_needs_no_blank_line() {
    assert_eq!(pieces(b"data: {}"), [document("{}")]);
    assert_eq!(pieces(b"data: [DONE]"), [Piece::Done]);
}

#[test]
fn an_event_cut_inside_is_dropped() {
    assert_eq!(pieces(b"data: {}\n\ndata: {\"a\":"), [document("{}")]);
}

#[test]
fn single_newlines_between_frames_still_separate_them() {
    let body = b"data: {\"a\":\"}\"}\ndata: {\"b\":2}\ndata: [DONE] \n";
    assert_eq!(pieces(body), [document("{\"a\":\"}\"}"), document("{\"b\":2}"), Piece::Done]);
}

#[test]
fn one_document_over_several_data_lines_is_joined() {
    assert_eq!(pieces(b"data: {\"a\":\ndata: 1}\n\n"), [document("{\"a\": 1}")]);
}

#[test]
fn errors_come_through_in_all_their_shapes() {
    let want = [document("{\"error\":{\"message\":\"no\"}}")];
    assert_eq!(pieces(b"event: error\ndata: {\"message\":\"no\"}\n\n"), want);
    assert_eq!(pieces(b"event: error\ndata: no\n\n"), want);
    assert_eq!(pieces(b"error: {\"error\":{\"message\":\"no\"}}\n"), want);
    assert_eq!(pieces(b"{\"error\":{\"message\":\"no\"}}"), want);
    assert_eq!(pieces(b"{\n \"error\": {\n \"message\": \"no\"\n }\n}\n"), want);
}

#[test]
fn words_outside_of_events_are_kept() {
    assert_eq!(cut(b"quota exceeded\n", 4), (vec![], "quota exceeded".to_owned()));
    assert_eq!(cut(b"data: quota exceeded\n\n", 4), (vec![], "quota exceeded".to_owned()));
}

#[test]
fn invalid_utf8_damages_its_own_event_only() {
    let body = b"data: {\"a\":\"\xff\"}\n\ndata: {\"b\":2}\n\n";
    assert_eq!(pieces(body), [document("{\"a\":\"\u{fffd}\"}"), document("{\"b\":2}")]);
}

#[test]
fn an_endless_line_is_refused() {
    let (mut framer, mut out) = (Framer::default(), Vec::new());
    let piece = vec![b'x'; MAX_FRAME / 4];
    let answers: Vec<_> = (0..5).map(|_| framer.push(&piece, &mut out)).collect();
    assert_eq!(answers, [Ok(()), Ok(()), Ok(()), Ok(()), Err(Overlong::Bytes)]);
}

/// Lines as servers send them, and junk between.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "data: {\"a\":1}",
        "data:",
        "data: [DONE]",
        "event: error",
        "error: x",
        ": c",
        "{\"error\":1}",
        "{",
        "\u{feff}data: {}",
        "data: \u{fc}{",
        "\"}",
        "",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n", ""]);
    let line = prop_oneof![
        4 => known.prop_map(|line| line.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ];
    prop::collection::vec((line, end), 0..12).prop_map(|lines| {
        lines.into_iter().flat_map(|(line, end)| [&line, end.as_bytes()].concat()).collect()
    })
}

proptest! {
    #[test]
    fn any_bytes_give_the_same_pieces_however_they_are_cut(body in lines(), size in 1..9_usize) {
        prop_assert_eq!(cut(&body, size), cut(&body, body.len().max(1)));
    }
}

#[test]
fn an_event_of_countless_values_is_refused_before_anyone_reads_it() {
    let many = format!("{{\"x\":[{}0]}}", "{\"\":0},".repeat(MAX_VALUES / 2));
    assert!(many.len() < MAX_FRAME);
    for line in [format!("data: {many}\n\n"), format!("{many}\n"), format!("error: {many}\n")] {
        let (mut framer, mut out) = (Framer::default(), Vec::new());
        assert_eq!(framer.push(line.as_bytes(), &mut out), Err(Overlong::Values));
        assert_eq!(out, []);
        let (mut framer, mut out) = (Framer::default(), Vec::new());
        framer.push(line.trim_end().as_bytes(), &mut out).unwrap();
        assert_eq!(framer.finish(&mut out), Err(Overlong::Values));
        assert_eq!(out, []);
    }
}

#[test]
fn an_endless_name_of_an_event_is_not_kept() {
    let mut framer = Framer::default();
    let body = format!("event: {}\ndata: {{}}\ndata: {{}}\n", "x".repeat(1 << 20));
    framer.push(body.as_bytes(), &mut Vec::new()).unwrap();
    assert_eq!(framer.event.len(), MAX_EVENT);
}

/// The recorded streams of `$MCC_SHARED/streams`; none without it.
fn recorded() -> Vec<(String, Vec<u8>)> {
    let folder = std::env::var_os("MCC_SHARED").map(|it| std::path::Path::new(&it).join("streams"));
    let Some(files) = folder.and_then(|folder| std::fs::read_dir(folder).ok()) else {
        println!("skipped: MCC_SHARED names no folder with streams");
        return Vec::new();
    };
    let paths = files.map(|file| file.unwrap().path());
    let streams = paths.filter(|path| path.extension().is_some_and(|it| it == "sse"));
    streams.map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn a_recorded_stream_cut_anywhere_gives_the_beginning_of_what_the_whole_gives() {
    let mut cuts = 0;
    for (name, body) in recorded().into_iter().filter(|(_, body)| body.len() <= 16 * 1024) {
        let (whole, _) = cut(&body, body.len());
        let (mut framer, mut out) = (Framer::default(), Vec::new());
        for (end, byte) in body.iter().enumerate() {
            let (mut last, mut more) = (framer.clone(), Vec::new());
            last.finish(&mut more).unwrap();
            let got = out.iter().chain(&more);
            let is_beginning = got.zip(&whole).all(|(got, want)| got == want);
            assert!(is_beginning && out.len() + more.len() <= whole.len(), "{name} cut at {end}");
            framer.push(&[*byte], &mut out).unwrap();
            cuts += 1;
        }
    }
    println!("streams cut at {cuts} places");
}
