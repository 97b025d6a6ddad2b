//! The edit and patch tools against tables of cases and the data of other projects, below
//! `$MCC_SHARED`; without it, all is skipped. What differs on purpose is named with its reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Place;

fn folder(name: &str) -> Option<PathBuf> {
    let found = std::env::var_os("MCC_SHARED").map(|shared| PathBuf::from(shared).join(name));
    let found = found.filter(|folder| folder.exists());
    if found.is_none() {
        println!("skipped: MCC_SHARED names no folder with {name}");
    }
    found
}

/// Cases that came out right, wrong, or otherwise on purpose.
#[derive(Default)]
struct Tally {
    right: usize,
    wrong: Vec<String>,
    refused: BTreeMap<&'static str, Vec<String>>,
}

impl Tally {
    fn add(&mut self, name: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.right += 1,
            Err(why) => self.wrong.push(format!("{name}: {why}")),
        }
    }

    /// As [`Tally::add`], where these cases are refused on purpose. Another result than the
    /// expected one is wrong all the same.
    fn add_unless(
        &mut self,
        name: &str,
        result: Result<(), String>,
        refused: &[(&str, &'static str)],
    ) {
        let reason = refused.iter().find(|(case, _)| *case == name).map(|(_, reason)| *reason);
        match (reason, result) {
            (Some(reason), Err(why)) if why.starts_with("Error: ") => self.differs(name, reason),
            (Some(_), Ok(())) => self.wrong.push(format!("{name}: is not refused any more")),
            (_, result) => self.add(name, result),
        }
    }

    fn differs(&mut self, name: &str, reason: &'static str) {
        self.refused.entry(reason).or_default().push(name.to_owned());
    }

    #[track_caller]
    fn report(&self, table: &str) {
        let differing: usize = self.refused.values().map(Vec::len).sum();
        let all = self.right + self.wrong.len() + differing;
        println!("{table}: {} of {all} right, {differing} differ on purpose", self.right);
        for (reason, names) in &self.refused {
            println!("  {reason}: {}", names.join(", "));
        }
        assert!(self.wrong.is_empty(), "{table}:\n{}", self.wrong.join("\n"));
        assert!(all > 0, "{table} has no cases");
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    entries
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn same(got: &[u8], expected: &[u8]) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    let (got, expected) = (String::from_utf8_lossy(got), String::from_utf8_lossy(expected));
    let diff = similar::TextDiff::from_lines(expected.as_ref(), got.as_ref());
    let diff = diff.unified_diff().header("expected", "got").to_string();
    Err(format!("another result\n{diff}"))
}

/// All files below a folder, by relative path.
pub(super) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in sorted(&next) {
            if entry.is_dir() {
                pending.push(entry);
            } else {
                let path = entry.strip_prefix(folder).unwrap().to_owned();
                files.insert(path, fs::read(entry).unwrap());
            }
        }
    }
    files
}

#[tokio::test]
async fn the_table_of_edits_holds() {
    let Some(folder) = folder("cases/edit_match") else { return };
    let table = fs::read_to_string(folder.join("cases.jsonl")).unwrap();
    let mut tally = Tally::default();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let place = Place::new();
        let content = case["content"].as_str().unwrap();
        place.put("file", content);
        let arguments = json!({
            "path": "file", "old": case["old"], "new": case["new"],
            "replace_all": case["replace_all"],
        });
        let result = place.call("edit_file", arguments).await;
        let (id, expect) = (&case["id"], &case["expect"]);
        if expect["ok"] == true {
            let output = result.unwrap_or_else(|error| panic!("{id}: {error}"));
            assert_eq!(place.get("file"), expect["after"].as_str().unwrap(), "{id}");
            let level = match expect["level"].as_str().unwrap() {
                "exact" => None,
                "trim_end" => Some("ignoring blanks at the ends"),
                "punct" => Some("typographic"),
                "indent" => Some("another indentation"),
                other => panic!("{id}: unknown level {other}"),
            };
            match level {
                Some(words) => assert!(output.text.contains(words), "{id}: {}", output.text),
                None => assert!(!output.text.contains("It fitted"), "{id}: {}", output.text),
            }
        } else {
            let error = result.expect_err(line);
            assert_eq!(place.get("file"), content, "{id}");
            let summary = match expect["error"].as_str().unwrap() {
                "ambiguous" => "not unique",
                "empty_old" => "old is empty",
                "not_found" => "old not found",
                "same" => "nothing to do",
                other => panic!("{id}: unknown error {other}"),
            };
            assert_eq!(error.summary, summary, "{id}: {error}");
            if let Some(lines) = expect["lines"].as_array() {
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                assert!(error.text.contains(&lines.join(", ")), "{id}: {error}");
            }
        }
        tally.add(&id.to_string(), Ok(()));
    }
    tally.report("edit_match");
}

#[tokio::test]
async fn the_scenarios_of_codex_hold() {
    let Some(folder) = folder("peer-cases/codex-apply-patch/scenarios") else { return };
    let mut tally = Tally::default();
    for case in sorted(&folder).into_iter().filter(|path| path.is_dir()) {
        let place = Place::new();
        let name = name(&case);
        let input = case.join("input");
        for (path, bytes) in if input.exists() { tree(&input) } else { BTreeMap::new() } {
            let path = path.to_str().unwrap();
            place.put(path, bytes);
            // What is overwritten or removed must have been seen.
            place.text("read_file", json!({"path": path})).await;
        }
        let patch = fs::read_to_string(case.join("patch.txt")).unwrap();
        let result = place.call("apply_patch", json!({"patch": patch})).await;
        if name.starts_with("015_") {
            result.expect_err("a patch is applied whole or not at all");
            assert!(tree(&place.path(".")).is_empty());
            tally.differs(&name, "nothing stands of a patch that fails later on");
            continue;
        }
        let (got, expected) = (tree(&place.path(".")), tree(&case.join("expected")));
        let result = if got == expected {
            Ok(())
        } else {
            Err(format!("{:?}\n got {got:?}\nexpected {expected:?}", result.map(|r| r.text)))
        };
        tally.add(&name, result);
    }
    tally.report("codex-apply-patch");
}

/// Refused on purpose.
const TWO_PLACES: &str = "the line after @@ stands there three times, and two places fit";
const NOT_THERE: &str = "a line that should stay or go is not in the file";
const UNEVEN: &str = "the indentation differs by tabs here and blanks there, so by no one shift";

/// The patch with the one file in it called `file`.
fn renamed(patch: &str) -> String {
    let lines = patch.split('\n').map(|line| {
        if line.starts_with("*** Update File:") { "*** Update File: file" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

async fn patched(original: &[u8], patch: &str, expected: &[u8]) -> Result<(), String> {
    let place = Place::new();
    let path = place.put("file", original);
    match place.call("apply_patch", json!({"patch": renamed(patch)})).await {
        Ok(_) => same(&fs::read(path).unwrap(), expected),
        Err(error) => {
            assert_eq!(fs::read(path).unwrap(), original, "a refused patch changes nothing");
            Err(error.text)
        }
    }
}

#[tokio::test]
async fn the_patches_of_the_vs_code_corpus_are_applied() {
    let Some(folder) = folder("peer-cases/vscode-copilot-chat/apply_patch/corpus") else { return };
    let mut tally = Tally::default();
    for file in sorted(&folder) {
        let name = name(&file);
        if file.extension().is_some_and(|end| end == "patch") {
            let case: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            let text = |key: &str| case[key].as_str().unwrap().to_owned();
            let (original, expected) = (text("original"), text("expected"));
            let patch = text("patch");
            let result = patched(original.as_bytes(), &patch, expected.as_bytes()).await;
            tally.add_unless(&name, result, &[("33.patch", TWO_PLACES)]);
        }
        let Some(case) = name.strip_suffix("-call.txt") else { continue };
        let read = |end: &str| fs::read(folder.join(format!("{case}-{end}.txt")));
        let mut patch = fs::read_to_string(&file).unwrap();
        if case == "262549" {
            // Stands there as the body of a JSON text.
            patch = patch.replace("\\\"", "\"");
        }
        let input = read("input").unwrap();
        let output = if case == "reindent" {
            let text = String::from_utf8(input.clone()).unwrap();
            text.replace("    - item2b", "    - item20b").replace("- nested1", "- nested3").into()
        } else {
            read("output").unwrap()
        };
        tally.add(case, patched(&input, &patch, &output).await);
    }
    tally.report("vscode apply_patch");
}

#[tokio::test]
async fn the_diffs_of_git_are_applied() {
    let Some(folder) = folder("peer-cases/vscode-copilot-chat/gitdiff") else { return };
    let mut tally = Tally::default();
    for file in sorted(&folder) {
        let name = name(&file);
        let Some(case) = name.strip_suffix(".diff") else { continue };
        let base = case.split('-').take(2).collect::<Vec<_>>().join("-");
        let diff = fs::read_to_string(&file).unwrap();
        // They compare two files; here one is changed.
        let diff: Vec<&str> = diff
            .split('\n')
            .filter(|line| !line.starts_with("diff --git "))
            .map(|line| match line {
                _ if line.starts_with("--- a/") => "--- a/file",
                _ if line.starts_with("+++ b/") => "+++ b/file",
                line => line,
            })
            .collect();
        let original = fs::read(folder.join(base)).unwrap();
        let expected = fs::read(folder.join(case)).unwrap();
        tally.add(case, patched(&original, &diff.join("\n"), &expected).await);
    }
    tally.report("vscode gitdiff");
}

#[tokio::test]
async fn diffs_without_any_head_are_applied_or_refused() {
    let Some(folder) = folder("peer-cases/vscode-copilot-chat/pseudodiff") else { return };
    let mut tally = Tally::default();
    for file in sorted(&folder) {
        let name = name(&file);
        let Some(case) = name.strip_suffix(".diff") else { continue };
        let base = case.split('-').take(2).collect::<Vec<_>>().join("-");
        let diff = fs::read_to_string(&file).unwrap();
        let patch = format!("*** Begin Patch\n*** Update File: file\n{diff}\n*** End Patch");
        let original = fs::read(folder.join(base)).unwrap();
        let expected = fs::read(folder.join(case)).unwrap();
        let refused = [
            "03-unusedimport-addone",
            "05-beginend-move",
            "06-similarline-comma",
            "08-modifyunchanged-one",
            "10-test-one",
            "11-replaceatend-one",
            "12-insertmethod-one",
            "12-insertmethod-two",
            "13-coroutine-one",
        ]
        .map(|case| (case, NOT_THERE));
        tally.add_unless(case, patched(&original, &patch, &expected).await, &refused);
    }
    tally.report("vscode pseudodiff");
}

/// The FIND and REPLACE blocks of a reply.
fn blocks(reply: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    for part in reply.replace("\r\n", "\n").split("---FIND\n").skip(1) {
        let (find, rest) = part.split_once("---REPLACE\n").unwrap();
        let replace = rest.split("\n---").next().unwrap();
        let inside = |block: &str| {
            let lines: Vec<&str> = block.trim_end_matches('\n').split('\n').collect();
            assert!(lines[0].starts_with("```") && lines.last().unwrap().starts_with("```"));
            [&lines[1..lines.len() - 1], &[""]].concat().join("\n")
        };
        blocks.push((inside(find), inside(replace)));
    }
    blocks
}

#[tokio::test]
async fn edits_of_vs_code_are_applied_or_refused() {
    let Some(folder) = folder("peer-cases/vscode-copilot-chat/patch") else { return };
    let mut tally = Tally::default();
    for file in sorted(&folder).iter().flat_map(|folder| sorted(folder)) {
        let name = name(&file);
        let Some((case, end)) = name.split_once(".patch") else { continue };
        let beside = |which: &str| fs::read(file.with_file_name(format!("{case}.{which}{end}")));
        let reply = fs::read_to_string(&file).unwrap();
        let (original, expected) = (beside("original").unwrap(), beside("expected").unwrap());
        let place = Place::new();
        let path = place.put("file", &original);
        let mut result = Ok(());
        for (old, new) in blocks(&reply) {
            let arguments = json!({"path": "file", "old": old, "new": new});
            let edited = place.call("edit_file", arguments).await;
            result = result.and(edited.map(drop).map_err(|error| error.text));
        }
        let result = result.and_then(|()| same(&fs::read(path).unwrap(), &expected));
        let refused = [
            ("no-duplicate-case-with-cookbook", UNEVEN),
            ("constructor-super-with-cookbook-00", NOT_THERE),
            ("no-new-with-cookbook-00", NOT_THERE),
            ("should-not-generate-an-error-for-variables-declared-in-outer-scopes", NOT_THERE),
        ];
        tally.add_unless(case, result, &refused);
    }
    tally.report("vscode patch");
}

#[tokio::test]
async fn an_edit_with_line_feeds_keeps_the_crlf_of_the_file() {
    let Some(folder) = folder("peer-cases/vscode-copilot-chat/editFileToolUtilsFixtures") else {
        return;
    };
    let read = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
    };
    let joined = |name: &str| -> String {
        let value = read(name);
        match &value {
            Value::Array(lines) => {
                lines.iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\r\n")
            }
            other => other.as_str().unwrap().to_owned(),
        }
    };
    let call = read("crlf-tool-call.json");
    let place = Place::new();
    let path = place.put("file", joined("crlf-input.json"));
    let arguments = json!({"path": "file", "old": call["oldString"], "new": call["newString"]});
    place.text("edit_file", arguments).await;
    let mut tally = Tally::default();
    tally.add("crlf", same(&fs::read(path).unwrap(), joined("crlf-output.json").as_bytes()));
    tally.report("vscode editFileToolUtils");
}
