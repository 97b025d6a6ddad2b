//! Real tools on real files: whatever runs side by side, results and files are those of the calls
//! one by one.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use mcc_tui::{
    permission::Mode,
    protocol::{access::Access, question::Preview, scheduler::Scheduler, tool::ToolSpec},
    tools::{
        Run, Tool, ToolContext, ToolError, ToolOutput, apply_patch::ApplyPatch,
        edit_file::EditFile, list_files::ListFiles, read_file::ReadFile, registry::Registry,
        run_command::RunCommand, search_code::SearchCode, write_file::WriteFile,
    },
};
use serde_json::{Value, json};

use crate::support::rig::{Rig, Strict, results};

/// Random lists of calls.
const LISTS: u64 = 200;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        // Knuth's MMIX generator; its high bits are good.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }

    /// Several spellings of few files, so that calls meet.
    fn path(&mut self) -> &'static str {
        self.of(&[
            "a.txt",
            "./a.txt",
            "sub/../a.txt",
            "link.txt",
            "b.txt",
            "sub/c.txt",
            "way/c.txt",
            "sub/new.txt",
            "deep/er/d.txt",
            "gone.txt",
        ])
    }

    fn word(&mut self) -> &'static str {
        self.of(&["one", "two", "three", "four"])
    }

    fn call(&mut self) -> (&'static str, Value) {
        let (path, word, other) = (self.path(), self.word(), self.word());
        match self.below(16) {
            0..4 => ("read_file", json!({ "path": path })),
            4..6 => {
                ("write_file", json!({ "path": path, "content": format!("{word}\n{other}\n") }))
            }
            6..9 => {
                let all = self.below(2) == 0;
                (
                    "edit_file",
                    json!({ "path": path, "old": word, "new": other, "replace_all": all }),
                )
            }
            9 => {
                let patch = format!(
                    "*** Begin Patch\n*** Update File: {path}\n@@\n-{word}\n+{other}\n\
                     *** End Patch\n"
                );
                ("apply_patch", json!({ "patch": patch }))
            }
            10 => ("list_files", json!({ "path": self.of(&[".", "sub", "deep"]), "depth": 3 })),
            11 => ("search_code", json!({ "pattern": word, "path": self.of(&[".", "sub"]) })),
            12..15 => {
                let command = match self.below(6) {
                    0 => format!("cat {path}"),
                    1 => format!("grep -rn {word} ."),
                    2 => "ls".to_owned(),
                    3 => format!("wc -l {path}; head -n 1 a.txt"),
                    4 => format!("grep -c {word} {path} b.txt"),
                    _ => "pwd; cat c.txt".to_owned(),
                };
                ("run_command", json!({ "command": command }))
            }
            _ => {
                let command = match self.below(3) {
                    0 => format!("echo {word} >> {path}"),
                    1 => "cd sub".to_owned(),
                    _ => format!("cp {path} copy.txt; rm -f gone.txt"),
                };
                ("run_command", json!({ "command": command }))
            }
        }
    }
}

/// What runs now, and the most that ran at the same time.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// A real tool that takes its time before and after its work, another one each time.
struct Slowed {
    tool: Arc<dyn Tool>,
    dice: AtomicU64,
    crowd: Arc<Crowd>,
    /// Whether it says that it changes nothing.
    lies: bool,
}

impl Slowed {
    async fn pause(&self) {
        let mut dice = Dice(self.dice.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed));
        tokio::time::sleep(Duration::from_micros(dice.below(4_000))).await;
    }
}

impl Tool for Slowed {
    fn spec(&self) -> ToolSpec {
        self.tool.spec()
    }

    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        let access = self.tool.access(arguments, context)?;
        Ok(if self.lies { Access { writes: Vec::new(), ..access } } else { access })
    }

    fn preview<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        self.tool.preview(arguments, context)
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
        run: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let now = self.crowd.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.crowd.most.fetch_max(now, Ordering::SeqCst);
            self.pause().await;
            let output = self.tool.run(arguments, context, run).await;
            self.pause().await;
            self.crowd.now.fetch_sub(1, Ordering::SeqCst);
            output
        })
    }
}

fn registry(seed: u64, lies: bool) -> (Registry, Arc<Crowd>) {
    let crowd: Arc<Crowd> = Arc::default();
    let tools: [Arc<dyn Tool>; 7] = [
        Arc::new(ReadFile),
        Arc::new(ListFiles),
        Arc::new(SearchCode),
        Arc::new(WriteFile),
        Arc::new(EditFile),
        Arc::new(ApplyPatch),
        Arc::new(RunCommand),
    ];
    let slowed = |tool| -> Arc<dyn Tool> {
        let (dice, crowd) = (AtomicU64::new(seed), Arc::clone(&crowd));
        Arc::new(Slowed { tool, dice, crowd, lies })
    };
    (Registry::new(tools.into_iter().map(slowed).collect()), crowd)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("sub")).unwrap();
    for (path, content) in [
        ("a.txt", "one\ntwo\nthree\n"),
        ("b.txt", "two\ntwo\nfour\n"),
        ("sub/c.txt", "three\r\nfour\r\n"),
        ("gone.txt", "one\n"),
    ] {
        fs::write(root.join(path), content).unwrap();
    }
    fs::set_permissions(root.join("b.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a.txt", root.join("link.txt")).unwrap();
    symlink("sub", root.join("way")).unwrap();
    folder
}

/// Everything in the folder: mode, and content or target.
fn tree(root: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let content = if meta.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if meta.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else {
                fs::read(&path).unwrap()
            };
            let name = path.strip_prefix(root).unwrap().display().to_string();
            found.insert(name, (meta.permissions().mode(), content));
        }
    }
    found
}

/// One response with these calls, and then one that says that all is done.
fn script(calls: &[(&str, Value)]) -> String {
    let mut text = "[[reply]]\n".to_owned();
    for (name, arguments) in calls {
        let arguments = json!(arguments.to_string()).to_string();
        write!(text, "[[reply.call]]\nname = '{name}'\nraw_arguments = {arguments}\n").unwrap();
    }
    text + "[[reply]]\ntext = 'done'\n"
}

type Outcome = (Vec<String>, BTreeMap<String, (u32, Vec<u8>)>);

/// Runs the calls in a folder of their own: their results, what is in the folder then, and how many
/// ran at the same time.
async fn outcome(
    calls: &[(&str, Value)],
    (scheduler, seed, lies): (Scheduler, u64, bool),
) -> (Outcome, usize) {
    let folder = folder();
    let (registry, crowd) = registry(seed, lies);
    let provider = Strict::script(&script(calls));
    let mut rig = Rig::scheduled(provider, folder.path(), registry, (Mode::Yolo, scheduler));
    rig.turn("go").await;
    let history = rig.history().await;
    let place = folder.path().display().to_string();
    let texts = results(&history).iter().map(|text| text.replace(&place, "ROOT")).collect();
    ((texts, tree(folder.path())), crowd.most.load(Ordering::SeqCst))
}

fn lists() -> impl Iterator<Item = (u64, Vec<(&'static str, Value)>)> {
    (0..LISTS).map(|seed| {
        let mut dice = Dice(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1);
        let calls = 2 + dice.below(7);
        (seed, (0..calls).map(|_| dice.call()).collect())
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_on_real_files_come_out_as_one_by_one() {
    let (mut side_by_side, mut fine) = (0, 0);
    for (seed, calls) in lists() {
        let (one_by_one, most) = outcome(&calls, (Scheduler::Serial, seed, false)).await;
        assert_eq!(most, 1, "{calls:?}");
        assert_eq!(one_by_one.0.len(), calls.len());
        let batch = (seed % 4 == 0).then_some(Scheduler::Batch);
        for scheduler in std::iter::once(Scheduler::Effects).chain(batch) {
            let (other, most) = outcome(&calls, (scheduler, seed, false)).await;
            assert_eq!(other, one_by_one, "{scheduler:?}, list {seed}: {calls:#?}");
            side_by_side += usize::from(most > 1 && scheduler == Scheduler::Effects);
        }
        fine += one_by_one.0.iter().filter(|text| !text.starts_with("Error:")).count();
    }
    println!("{LISTS} lists, {side_by_side} of them side by side; {fine} calls did something");
    assert!(side_by_side > 100, "else this shows nothing: {side_by_side}");
    assert!(fine > 500, "most calls do something: {fine}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_that_lie_about_their_effects_are_found_out() {
    for (seed, calls) in lists() {
        let (one_by_one, _) = outcome(&calls, (Scheduler::Serial, seed, true)).await;
        let (other, _) = outcome(&calls, (Scheduler::Effects, seed, true)).await;
        if other != one_by_one {
            return;
        }
    }
    panic!("calls that conflict ran side by side, and nobody saw a difference");
}
