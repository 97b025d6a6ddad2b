//! What `wire` promises, tested.

use super::*;

#[test]
fn a_request_arrives_as_it_was_sent_whatever_bytes_it_holds() {
    for (cwd, command) in [
        (&b"/tmp"[..], &b"echo hi"[..]),
        (b"", b""),
        (b"/with\nnewline", b"12 34\nprintf '\xff'\n"),
        (b"/x", &vec![b'a'; 200_000]),
    ] {
        let request = Request {
            cwd: OsString::from_vec(cwd.to_vec()).into(),
            command: OsString::from_vec(command.to_vec()),
            tells_folder: command.is_empty(),
        };
        let bytes = request.encode();
        assert_eq!(Request::decode(&mut &bytes[..]).unwrap(), request);
    }
}

#[test]
fn a_request_that_was_cut_is_no_request() {
    let whole = Request { cwd: "/tmp".into(), command: "echo hi".into(), tells_folder: true };
    let whole = whole.encode();
    for cut in 0..whole.len() {
        assert!(Request::decode(&mut &whole[..cut]).is_err(), "cut at {cut}");
    }
    assert!(Request::decode(&mut &b"0 0\n"[..]).is_err());
    assert!(Request::decode(&mut &b"0 0 2\n"[..]).is_err());
    assert!(Request::decode(&mut &b"99999999999 1\n"[..]).is_err());
}

#[test]
fn every_report_can_be_read_back() {
    let named = Named { pid: 7, name: "a name (x)".to_owned() };
    for report in [
        Report::Failed("no such folder".to_owned()),
        Report::Started(1),
        Report::Folder(EndFolder::Unusable),
        Report::Folder(EndFolder::At("/a folder/ü".into())),
        Report::Exit(255),
        Report::Signal(9),
        Report::Leftover(named.clone()),
        Report::Survivor(named),
        Report::Done,
    ] {
        let line = report.line();
        assert_eq!(Report::parse(line.strip_suffix('\n').unwrap()), Some(report));
    }
}

#[test]
fn a_name_cannot_forge_a_report() {
    let line = Report::Leftover(Named { pid: 7, name: "x\ndone".to_owned() }).line();
    assert_eq!(line, "leftover 7 x?done\n");
    assert_eq!(EndFolder::told("/x\ndone"), EndFolder::Unusable);
    assert_eq!(EndFolder::told("relative"), EndFolder::Unusable);
    assert_eq!(EndFolder::told(&format!("/{}", "x".repeat(4000))), EndFolder::Unusable);
    assert_eq!(Report::parse("thread 'main' panicked"), None);
    assert_eq!(Report::parse("exit many"), None);
}
