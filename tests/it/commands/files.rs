//! Output that is too long to be shown: in a file, which the tools that read may read.

use std::{os::unix::fs::PermissionsExt, path::PathBuf};

use mcc_tui::tools::{
    Tool, ToolContext, ToolOutput, edit_file::EditFile, process::MOST_SPILLED, read_file::ReadFile,
    search_code::SearchCode, seen::Seen, write_file::WriteFile,
};
use serde_json::json;

use super::{
    bench::{Bench, bench},
    probe::Probe,
};

/// The numbers to a hundred thousand: 588,895 bytes.
const LONG: &str = "seq 1 100000";

fn path_in(output: &str) -> String {
    let rest = output.split_once("full text: ").unwrap_or_else(|| panic!("{output}")).1;
    rest.split_once(" ...]").unwrap().0.to_owned()
}

impl Bench {
    async fn reads(&self, tool: &dyn Tool, arguments: serde_json::Value) -> ToolOutput {
        assert!(tool.access(&arguments, &self.context).unwrap().is_read_only());
        self.tool(tool, arguments).await.unwrap()
    }

    fn kept(&self) -> Vec<PathBuf> {
        let entries = |folder: &std::path::Path| {
            let entries = std::fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
        };
        entries(&self.state.path().join("out")).iter().flat_map(|one| entries(one)).collect()
    }
}

#[tokio::test]
async fn long_output_is_in_a_file_that_can_be_read_and_searched() {
    let bench = bench();
    let text = bench.text(LONG).await;
    let path = path_in(&text);
    let whole = std::fs::read_to_string(&path).unwrap();
    let numbers: Vec<_> = (1..=100_000).map(|number| number.to_string()).collect();
    let expected = numbers.join("\n") + "\n";
    assert!(whole == expected, "{} bytes", whole.len());
    let page = bench.reads(&ReadFile, json!({ "path": path, "offset": 50_000, "limit": 2 })).await;
    assert!(page.text.starts_with("50000\t50000\n50001\t50001\n"), "{}", page.text);
    let found = bench.reads(&SearchCode, json!({ "path": path, "pattern": "^77777$" })).await;
    assert_eq!(found.text.lines().next().unwrap(), format!("{path}:77777: 77777"));
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_result_that_is_cut_names_exactly_the_bytes_of_its_output() {
    let bench = bench();
    let output = bench.call(json!({ "command": LONG })).await;
    let whole = output.whole.unwrap();
    assert_eq!((whole.bytes, whole.lines), (588_895, 100_000));
    let file = whole.file.unwrap();
    assert_eq!((file.path, file.from, file.bytes), (path_in(&output.text), 0, 588_895));
    let about = usize::try_from(whole.text_bytes).unwrap();
    assert_eq!(output.text.split_at(about).1, "\nexit 0");
    assert_eq!(bench.call(json!({ "command": "seq 1 100" })).await.whole, None);
    // of a command in the background, those that came since the look before
    let command = "echo first; until test -e go; do sleep 0.1; done; seq 1 100000";
    let started = bench.start(command).await;
    assert_eq!(started.whole, None, "{}", started.text);
    std::fs::write(bench.folder.path().join("go"), "").unwrap();
    let look = bench.look("b1", 60).await;
    let whole = look.whole.unwrap();
    let file = whole.file.unwrap();
    let all = std::fs::read(&file.path).unwrap();
    assert_eq!(all.len(), 588_901, "`first` and its end are 6 bytes more");
    assert_eq!((file.from + file.bytes, file.cut), (588_901, None));
    assert_eq!(whole.bytes, file.bytes);
    let found = all.get(usize::try_from(file.from).unwrap()..).unwrap();
    let (beginning, printed) = (look.text.get(..100).unwrap(), &found[..100]);
    assert_eq!(beginning.as_bytes(), printed);
}

#[tokio::test]
async fn nothing_but_that_file_can_be_read_outside_and_nothing_can_be_written() {
    let bench = bench();
    let path = path_in(&bench.text(LONG).await);
    let folder = std::path::Path::new(&path).parent().unwrap();
    std::fs::write(folder.join("other.txt"), "secret").unwrap();
    for outside in [
        folder.join("other.txt").display().to_string(),
        folder.display().to_string(),
        format!("{path}/../other.txt"),
        format!("{}/../{}/other.txt", folder.display(), folder.file_name().unwrap().display()),
        "/etc/passwd".to_owned(),
    ] {
        for tool in [&ReadFile as &dyn Tool, &SearchCode] {
            let arguments = json!({ "path": outside, "pattern": "." });
            assert!(tool.access(&arguments, &bench.context).is_err(), "{outside}");
            let error = bench.tool(tool, arguments).await.unwrap_err();
            assert_eq!(error.summary, "outside the folder", "{outside}");
        }
    }
    let writes = json!({ "path": path, "content": "x", "old": "1", "new": "2" });
    for tool in [&WriteFile as &dyn Tool, &EditFile] {
        let error = bench.tool(tool, writes.clone()).await.unwrap_err();
        assert_eq!(error.summary, "outside the folder");
    }
}

#[tokio::test]
async fn a_file_that_a_link_took_the_place_of_is_not_read() {
    let bench = bench();
    let path = path_in(&bench.text(LONG).await);
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    for tool in [&ReadFile as &dyn Tool, &SearchCode] {
        let told = bench.tool(tool, json!({ "path": path, "pattern": "root" })).await;
        let told = told.map_or_else(|error| error.text, |output| output.text);
        assert!(!told.contains("root:"), "{told}");
    }
}

#[tokio::test]
async fn what_is_shown_whole_makes_no_file() {
    let bench = bench();
    bench.command("seq 1 1000; head -c 20000 /dev/zero | tr '\\0' x").await;
    assert!(!bench.state.path().join("out").exists());
}

#[tokio::test]
async fn the_files_go_with_the_session() {
    let bench = bench();
    bench.command(LONG).await;
    bench.command(LONG).await;
    assert_eq!(bench.kept().len(), 2);
    let Bench { state, context, .. } = bench;
    drop(context);
    assert_eq!(std::fs::read_dir(state.path().join("out")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_file_has_a_limit_and_the_result_says_so() {
    let bench = bench();
    let text = bench.text("yes | head -c 120000000").await;
    let told = format!("its first {MOST_SPILLED} bytes: ");
    assert!(text.contains(&told), "{text}");
    let kept = bench.kept();
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::metadata(&kept[0]).unwrap().len(), MOST_SPILLED);
}

#[tokio::test]
async fn what_was_printed_before_a_stop_is_in_the_file_too() {
    let bench = bench();
    let output =
        bench.call(json!({ "command": format!("{LONG}; sleep 60"), "timeout_s": 2 })).await;
    assert!(output.text.contains("timed out after 2 s"));
    assert_eq!(std::fs::metadata(path_in(&output.text)).unwrap().len(), 588_895);
}

#[tokio::test]
async fn without_a_place_for_files_the_output_is_cut_and_counted_all_the_same() {
    let probe = Probe::new();
    let end = probe.run(LONG).await;
    assert_eq!((end.output.total_bytes, end.file), (588_895, None));
}

#[tokio::test]
async fn a_file_that_a_command_showed_whole_may_be_overwritten_and_no_other() {
    let bench = bench();
    let path = bench.folder.path().join("a.txt");
    let long = "x".repeat(40_000);
    for (content, command, is_seen) in [
        ("one\ntwo\n", "cat a.txt", true),
        ("one\ntwo\n", "head -n 5 a.txt", true),
        ("one\ntwo\n", "grep -n . a.txt", false),
        ("one\ntwo\n", "head -n 1 a.txt", false),
        ("one\ntwo\n", "cat a.txt a.txt", false),
        ("one\rtwo\n", "cat a.txt", false),
        (long.as_str(), "cat a.txt", false),
        ("one\n", "ls; cat a.txt", false),
        ("one\n", "echo one", false),
    ] {
        let bench = Bench { context: fresh(&bench.context), ..self::bench() };
        std::fs::write(&path, content).unwrap();
        bench.text(command).await;
        let write = json!({ "path": "a.txt", "content": "new\n" });
        let written = bench.tool(&WriteFile, write).await;
        assert_eq!(written.is_ok(), is_seen, "{command}: {written:?}");
    }
}

/// The same place, and nothing seen of it.
fn fresh(context: &ToolContext) -> ToolContext {
    ToolContext { seen: Seen::default(), ..context.clone() }
}
