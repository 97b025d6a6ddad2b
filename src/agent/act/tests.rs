//! Whatever runs at the same time, all comes out as if it had run one by one: random lists of
//! calls over a small tree, with random pauses before, inside and after each, on a paused clock.
//!
//! The tools here work on a tree in memory, so that ten thousand lists take seconds. Each reads,
//! pauses, and only then writes: whoever overtakes is seen.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::*;
use crate::{
    agent::{Limits, Waits, outbox::Outbox, plan, ready::Read},
    link::{Interrupt, link},
    protocol::{
        about::About,
        access::{Access, Resource},
        message::{AssistantMessage, Message},
        scheduler::Scheduler,
        tool::ToolSpec,
    },
    provider::{DeltaStream, Provider, ProviderError, Request},
    session::RawCall,
    tools::{
        Run, Tool, ToolContext, ToolError, ToolOutput, process::Processes, registry::Registry,
        seen::Seen, workspace::Workspace,
    },
};

type Tree = BTreeMap<&'static str, String>;

/// What happened: a call began or ended at this millisecond.
type Log = Vec<(usize, &'static str, u128)>;

struct Disk {
    tree: Mutex<Tree>,
    log: Mutex<Log>,
    began: tokio::time::Instant,
}

impl Disk {
    fn new(tree: Tree) -> Arc<Self> {
        let began = tokio::time::Instant::now();
        Arc::new(Self { tree: Mutex::new(tree), log: Mutex::default(), began })
    }
}

fn context() -> ToolContext {
    ToolContext {
        workspace: Workspace::open(std::path::Path::new("/")).unwrap(),
        seen: Seen::default(),
        processes: Processes::new("/nonexistent".into()),
    }
}

const FILES: [&str; 5] = ["a", "b", "d/a", "d/b", "d/e/c"];

/// One tool for all: `{"n": 3, "do": "edit", "path": "a", "say": "x", "ms": [1, 2, 3]}`.
struct OnDisk(Arc<Disk>);

fn path_of(arguments: &Value) -> &'static str {
    let wanted = arguments["path"].as_str().unwrap();
    FILES.into_iter().chain(["d", "d/e", ""]).find(|path| *path == wanted).unwrap()
}

impl Tool for OnDisk {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({ "type": "object", "properties": {
            "n": { "type": "integer" }, "do": { "type": "string" }, "path": { "type": "string" },
            "say": { "type": "string" }, "ms": { "type": "array" } } });
        ToolSpec { name: "disk".into(), description: "test".into(), parameters }
    }

    fn access(&self, arguments: &Value, _: &ToolContext) -> Result<Access, ToolError> {
        let path = std::path::Path::new("/w").join(path_of(arguments));
        Ok(match arguments["do"].as_str().unwrap() {
            "read" => Access::read(Resource::File(path)),
            "list" => Access::read(Resource::Tree(path)),
            "edit" | "write" => Access::write(Resource::File(path)),
            "clear" => Access::write(Resource::Tree(path)),
            _ => Access::unknown(),
        })
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        _: &'a ToolContext,
        _: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { Ok(ToolOutput { text: self.work(arguments).await, ..ToolOutput::default() }) }
            .boxed()
    }
}

impl OnDisk {
    async fn work(&self, arguments: &Value) -> String {
        let n = usize::try_from(arguments["n"].as_u64().unwrap()).unwrap();
        let (path, say) = (path_of(arguments), arguments["say"].as_str().unwrap());
        let pause = |k: usize| {
            tokio::time::sleep(Duration::from_millis(arguments["ms"][k].as_u64().unwrap()))
        };
        let below =
            |file: &str| path.is_empty() || file == path || file.starts_with(&format!("{path}/"));
        let look = || -> Tree {
            let tree = self.0.tree.lock().unwrap();
            tree.iter().filter(|(file, _)| below(file)).map(|(k, v)| (*k, v.clone())).collect()
        };
        self.log(n, "begin");
        pause(0).await;
        let seen = look();
        pause(1).await;
        let mut tree = self.0.tree.lock().unwrap().clone();
        match arguments["do"].as_str().unwrap() {
            "read" | "list" => {}
            "write" => drop(tree.insert(path, say.to_owned())),
            "edit" => {
                let text = seen.get(path).cloned().unwrap_or_default();
                tree.insert(path, format!("{text}{say}"));
            }
            "clear" => seen.keys().for_each(|file| drop(tree.remove(file))),
            // A command: everything gets a mark.
            _ => seen.keys().for_each(|file| tree.entry(file).or_default().push_str(say)),
        }
        // Only what this call may write is written, as a real tool would.
        {
            let mut real = self.0.tree.lock().unwrap();
            for file in FILES.into_iter().filter(|file| below(file)) {
                match tree.get(file) {
                    Some(text) => drop(real.insert(file, text.clone())),
                    None => drop(real.remove(file)),
                }
            }
        }
        pause(2).await;
        self.log(n, "end");
        format!("{seen:?}")
    }

    fn log(&self, n: usize, what: &'static str) {
        let at = self.0.began.elapsed().as_millis();
        self.0.log.lock().unwrap().push((n, what, at));
    }
}

struct Silent;

impl Provider for Silent {
    fn about(&self) -> About {
        About { model: "m".into(), place: "p".into(), scripted: true, context_window: None }
    }
    fn stream(&self, _: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        std::future::pending().boxed()
    }
    fn use_model(&self, _: String) {}
}

/// A small generator of numbers: the lists must be the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

fn any_list(dice: &mut Dice) -> Vec<Value> {
    let count = 2 + dice.below(7);
    (0..count).map(|n| any_call(dice, n)).collect()
}

fn any_call(dice: &mut Dice, n: u64) -> Value {
    let file = FILES[usize::try_from(dice.below(5)).unwrap()];
    let folder = ["", "d", "d/e"][usize::try_from(dice.below(3)).unwrap()];
    let (what, path) = match dice.below(20) {
        0..7 => ("read", file),
        7..10 => ("list", folder),
        14..17 => ("write", file),
        17 => ("clear", folder),
        18 => ("run", ""),
        _ => ("edit", file),
    };
    let ms: Vec<u64> = (0..3).map(|_| dice.below(4)).collect();
    json!({"n": n, "do": what, "path": path, "say": format!("{n}"), "ms": ms})
}

/// Results in call order, the tree, and the log.
type Outcome = (Vec<String>, Tree, Log);

async fn run(list: &[Value], scheduler: Scheduler, forget: Option<fn(&Access) -> bool>) -> Outcome {
    let tree = FILES.into_iter().map(|file| (file, String::new())).collect();
    let disk = Disk::new(tree);
    let registry = Registry::new(vec![Arc::new(OnDisk(Arc::clone(&disk)))]);
    let (mut front, end) = link();
    let drain = tokio::spawn(async move { while front.next().await.is_some() {} });
    let interrupt = Interrupt::default();
    let outbox = Outbox::new(end.events(), interrupt.clone());
    let context = context();
    let waits = Waits::default();
    let limits = Limits { max_iterations: 1, interactive: true, scheduler };
    let world = World {
        provider: &Silent,
        registry: &registry,
        context: &context,
        limits,
        outbox: &outbox,
        interrupt: &interrupt,
        waits: &waits,
        random: || 0.5,
    };
    let mut session = Session::new("be good".into());
    session.push_user("go");
    let calls = session.push_calls(AssistantMessage::default(), raw(list));
    let ready: Vec<_> =
        calls.iter().map(|call| Ready::of(&world, call, &Read::default())).collect();
    let mut planned: Vec<_> =
        calls.iter().zip(&ready).map(|(call, ready)| ready.planned(call)).collect();
    for call in &mut planned {
        if forget.is_some_and(|forget| forget(&call.access)) {
            call.access.reads.clear();
        }
        // Times differ, so that no call equals another.
        call.shared = None;
    }
    let plan = plan::plan(&planned, scheduler);
    let mut policy = Policy::new(crate::permission::Mode::Yolo, []);
    let calls = calls.into_iter().zip(ready).collect();
    let acted = act(&world, (&mut session, &mut policy), calls, &plan, Early::default()).await;
    assert_eq!((acted.unanswered, acted.aborted), (0, None));
    session.close_calls();
    drop((outbox, end));
    drain.await.unwrap();
    (results(&session), disk.tree.lock().unwrap().clone(), disk.log.lock().unwrap().clone())
}

fn raw(list: &[Value]) -> Vec<RawCall> {
    let raw = list.iter().enumerate().map(|(n, arguments)| RawCall {
        id: format!("c{n}"),
        name: "disk".into(),
        arguments: arguments.to_string(),
    });
    raw.collect()
}

fn results(session: &Session) -> Vec<String> {
    let results = session.messages().iter().filter_map(|message| match message {
        Message::Tool(result) => Some(result.text.clone()),
        _ => None,
    });
    results.collect()
}

/// Whether two calls ran at the same time, and whether two that conflict did.
fn overlaps(list: &[Value], log: &[(usize, &str, u128)]) -> (bool, bool) {
    let (disk, context) = (OnDisk(Disk::new(Tree::new())), context());
    let access = |n: usize| disk.access(&list[n], &context).unwrap();
    let (mut any, mut conflicting) = (false, false);
    let mut open: Vec<usize> = Vec::new();
    for (n, what, _) in log {
        if *what == "end" {
            open.retain(|other| other != n);
            continue;
        }
        any |= !open.is_empty();
        conflicting |= open.iter().any(|other| access(*other).conflicts_with(&access(*n)));
        open.push(*n);
    }
    (any, conflicting)
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_random_lists_come_out_as_if_they_had_run_one_by_one() {
    let mut dice = Dice(20_261_130);
    let mut overlapped = 0;
    for _ in 0..10_000 {
        let list = any_list(&mut dice);
        let (results, tree, _) = run(&list, Scheduler::Serial, None).await;
        for scheduler in [Scheduler::Effects, Scheduler::Batch] {
            let (found, left, log) = run(&list, scheduler, None).await;
            assert_eq!((&found, &left), (&results, &tree), "{scheduler:?} {list:?}");
            let (any, conflicting) = overlaps(&list, &log);
            assert!(!conflicting, "{list:?}\n{log:?}");
            overlapped += usize::from(any && scheduler == Scheduler::Effects);
        }
    }
    println!("in {overlapped} of 10000 lists calls ran at the same time");
    assert!(overlapped > 5_000, "else the test proves nothing: {overlapped}");
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_forgets_one_rule_is_caught() {
    let rules: [fn(&Access) -> bool; 2] = [
        |access| {
            access.is_read_only() && access.reads.iter().any(|one| matches!(one, Resource::Tree(_)))
        },
        |access| {
            access.is_read_only() && access.reads.iter().any(|one| matches!(one, Resource::File(_)))
        },
    ];
    for (rule, forget) in rules.into_iter().enumerate() {
        let mut dice = Dice(7);
        let mut caught = false;
        for _ in 0..1_000 {
            let list = any_list(&mut dice);
            let (results, tree, _) = run(&list, Scheduler::Serial, None).await;
            let (found, left, _) = run(&list, Scheduler::Effects, Some(forget)).await;
            caught |= (found, left) != (results, tree);
        }
        assert!(caught, "rule {rule}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_long_reads_and_a_write_elsewhere_take_as_long_as_the_longest() {
    let call = |n: u64, what: &str, path: &str, ms: u64| json!({"n": n, "do": what, "path": path, "say": "x", "ms": [ms, 0, 0]});
    let list = [call(0, "read", "a", 200), call(1, "read", "b", 200), call(2, "write", "d/a", 100)];
    for (scheduler, expected) in
        [(Scheduler::Effects, 200), (Scheduler::Batch, 300), (Scheduler::Serial, 500)]
    {
        let began = tokio::time::Instant::now();
        run(&list, scheduler, None).await;
        assert_eq!(began.elapsed(), Duration::from_millis(expected), "{scheduler:?}");
    }
}
