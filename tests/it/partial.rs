//! A write that the user allows in part, or edits before it happens, from the model's call to the
//! file and back to the model.

use std::{fs, path::Path};

use mcc_tui::{
    permission::Mode,
    protocol::{
        event::StreamEvent,
        message::Message,
        op::Op,
        question::{Decision, FilePart, Part, Preview, Question},
        tool::{ToolResult, ToolStatus},
    },
};

use crate::support::rig::{Rig, Strict, check_grammar, results};

/// What came of one call.
struct Came {
    result: ToolResult,
    /// What the model was told.
    told: String,
}

/// Makes this call in the folder and answers its question so.
async fn decided(folder: &Path, call: &str, decide: impl FnOnce(&Question) -> Decision) -> Came {
    let script = format!("[[reply]]\n[[reply.call]]\n{call}\n[[reply]]\ntext = 'done'");
    let mut rig = Rig::real_with(Strict::script(&script), folder, Mode::Ask);
    rig.submit("go");
    let (mut decide, mut events) = (Some(decide), Vec::new());
    loop {
        let event = rig.front.next().await.unwrap();
        events.push(event.clone());
        match event {
            StreamEvent::QuestionAsked { question } => {
                let decision = decide.take().expect("asked once")(&question);
                rig.front.send(Op::Decide { call_id: question.call_id, decision }).unwrap();
            }
            StreamEvent::TurnEnded { .. } => break,
            _ => {}
        }
    }
    check_grammar(&events);
    let result = events.into_iter().find_map(|event| match event {
        StreamEvent::ToolFinished { result, .. } => Some(result),
        _ => None,
    });
    let history: Vec<Message> = rig.history().await;
    Came { result: result.unwrap(), told: results(&history)[0].to_owned() }
}

fn part(path: &str, part: Part) -> Decision {
    Decision::AllowPart { files: vec![FilePart { path: path.into(), part }] }
}

/// Thirty lines; the fifth, the fifteenth and the twenty-fifth are `x`.
fn thirty(fifth: &str, fifteenth: &str, end: &str) -> String {
    let line = |n| match n {
        5 => fifth.to_owned(),
        15 => fifteenth.to_owned(),
        25 => "x".to_owned(),
        _ => n.to_string(),
    };
    (1..=30).map(|n| line(n) + end).collect()
}

const EDIT: &str = "name = 'edit_file'\n\
                    arguments = { path = 'a.txt', old = 'x', new = 'y', replace_all = true }";

#[tokio::test]
async fn only_the_hunks_that_are_taken_are_written_and_the_model_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    fs::write(&file, thirty("x", "x", "\n")).unwrap();
    let came = decided(folder.path(), EDIT, |question| {
        let Preview::Write { files, .. } = &question.preview else { panic!("{question:?}") };
        assert_eq!(
            files[0].hunks.iter().map(|hunk| hunk.old_start).collect::<Vec<_>>(),
            [4, 14, 24]
        );
        part("a.txt", Part::Hunks { taken: vec![0, 1] })
    })
    .await;
    assert_eq!(fs::read_to_string(&file).unwrap(), thirty("y", "y", "\n"));
    assert_eq!(came.result.status, ToolStatus::Ok);
    assert!(came.told.contains("`a.txt`: the user took 2 of 3 hunks (+2 −2)"), "{}", came.told);
    let diff = came.result.diff.unwrap();
    assert!(diff.contains("@@ -2,7 +2,7 @@") && diff.contains("@@ -12,7 +12,7 @@"), "{diff}");
    assert!(!diff.contains("@@ -22,7"), "{diff}");
    assert!(came.told.contains(diff.trim_end()), "{}", came.told);
    assert_eq!(came.result.summary, "2 of 3 hunks · +2 −2");
}

#[tokio::test]
async fn line_ends_and_encoding_stay_in_a_part() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    let utf16 = |text: &str| {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xFF, 0xFE].into_iter().chain(units).collect::<Vec<u8>>()
    };
    fs::write(&file, utf16(&thirty("x", "x", "\r\n"))).unwrap();
    decided(folder.path(), EDIT, |_| part("a.txt", Part::Hunks { taken: vec![1] })).await;
    assert_eq!(fs::read(&file).unwrap(), utf16(&thirty("x", "y", "\r\n")));
}

#[tokio::test]
async fn what_the_user_edited_is_written_instead() {
    let folder = tempfile::tempdir().unwrap();
    let call = "name = 'write_file'\narguments = { path = 'new/a.txt', content = \"a\\n\" }";
    let content = "mine\n".to_owned();
    let came = decided(folder.path(), call, |_| part("new/a.txt", Part::Edited { content })).await;
    assert_eq!(fs::read_to_string(folder.path().join("new/a.txt")).unwrap(), "mine\n");
    let told = &came.told;
    assert!(
        told.contains("`new/a.txt`: the user changed it before it was written (+1 −0)"),
        "{told}"
    );
    assert!(told.contains("+mine") && !told.contains("+a\n"), "{told}");
}

#[tokio::test]
async fn of_a_patch_single_files_are_left() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "1\n").unwrap();
    fs::write(folder.path().join("b"), "1\n").unwrap();
    let call = "name = 'apply_patch'\narguments = { patch = '''\n*** Begin Patch\n*** Update File: a\n\
                @@\n-1\n+2\n*** Update File: b\n@@\n-1\n+3\n*** End Patch\n''' }";
    let came = decided(folder.path(), call, |_| part("a", Part::Left)).await;
    assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "3\n");
    assert_eq!(came.result.summary, "1 of 2 files · +1 −1");
    let told = &came.told;
    assert!(
        told.contains("`a`: the user left it as it is\n`b`: done as you sent it (+1 −1)"),
        "{told}"
    );
}

#[tokio::test]
async fn what_is_all_taken_is_told_as_if_it_had_been_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    fs::write(&file, thirty("x", "x", "\n")).unwrap();
    let came =
        decided(folder.path(), EDIT, |_| part("a.txt", Part::Hunks { taken: vec![0, 1, 2] })).await;
    assert!(came.told.starts_with("Edited `a.txt` in 3 places"), "{}", came.told);
}

#[tokio::test]
async fn an_answer_that_fits_no_part_changes_nothing() {
    let none = || part("a.txt", Part::Hunks { taken: vec![7] });
    let other = || part("other.txt", Part::Left);
    let whole = || part("a.txt", Part::Left);
    for (answer, status) in
        [(none(), ToolStatus::Denied), (whole(), ToolStatus::Denied), (other(), ToolStatus::Error)]
    {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        fs::write(&file, thirty("x", "x", "\n")).unwrap();
        let came = decided(folder.path(), EDIT, |_| answer).await;
        assert_eq!(came.result.status, status, "{}", came.told);
        assert!(came.told.contains("nothing was written"), "{}", came.told);
        assert_eq!(fs::read_to_string(&file).unwrap(), thirty("x", "x", "\n"));
    }
}

#[tokio::test]
async fn a_file_that_changed_while_the_user_chose_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    fs::write(&file, thirty("x", "x", "\n")).unwrap();
    let changed = thirty("x", "somebody else's", "\n");
    let came = decided(folder.path(), EDIT, |_| {
        fs::write(&file, &changed).unwrap();
        part("a.txt", Part::Hunks { taken: vec![0] })
    })
    .await;
    assert_eq!(came.result.summary, "changed meanwhile");
    assert_eq!(fs::read_to_string(&file).unwrap(), changed);
}

#[tokio::test]
async fn a_command_has_no_parts() {
    let folder = tempfile::tempdir().unwrap();
    let call = "name = 'run_command'\narguments = { command = 'touch ran' }";
    let came = decided(folder.path(), call, |_| Decision::AllowPart { files: Vec::new() }).await;
    assert_eq!(came.result.status, ToolStatus::Denied);
    assert!(!folder.path().join("ran").exists());
}
