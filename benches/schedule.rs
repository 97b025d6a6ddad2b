//! How near the calls of one response come to the best time that they could take, and what a call
//! costs beside its own work. Run by hand: `cargo bench --bench schedule`.
//!
//! First a report. Random plans of sleeping tools: the time from the first start to the last end,
//! divided by a bound that is made of what each call took by itself:
//! - the critical path, for plans of up to eight calls, which all have a place at once: on a clock
//!   that only counts the sleeps it is 1, whatever the plan, and on a real one at most 1.05;
//! - max(critical path, work / 8), for plans of up to 32 calls: no schedule with eight places can
//!   be faster, and the best one may be slower.
//!
//! Then, timed: three calls of 200, 200 and 100 ms under each scheduler, and 64 instant reads.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "benches are not an interface"
)]

use std::{
    fmt::Write as _,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use divan::{Bencher, counter::ItemsCount};
use futures_util::{StreamExt, future::BoxFuture, stream};
use mcc_tui::{
    agent::{
        Agent, Limits,
        plan::{Planned, plan},
    },
    link::{FrontEnd, link},
    permission::{Mode, Policy},
    protocol::{
        about::About,
        access::{Access, Resource},
        event::StreamEvent,
        id::CallId,
        message::Message,
        op::Op,
        scheduler::Scheduler,
        tool::ToolSpec,
    },
    provider::{CallFragment, Delta, DeltaStream, FinishReason, Provider, ProviderError, Request},
    session::Session,
    tools::{
        Run, Tool, ToolContext, ToolError, ToolOutput, process::Processes, registry::Registry,
        seen::Seen, workspace::Workspace,
    },
};
use serde_json::{Value, json};
use tokio::{runtime::Runtime, time::Instant};

/// Random plans of each kind.
const PLANS: usize = 200;
/// Calls that run at the same time at most.
const PLACES: u32 = 8;
/// Instant reads in one response.
const READS: usize = 64;

fn main() {
    if std::env::args().any(|argument| argument == "--bench") {
        report();
    }
    divan::main();
}

/// One call: it sleeps for so long while it has this file to itself, or shares it with readers.
#[derive(Clone, Debug)]
struct Nap {
    ms: u64,
    file: String,
    reads: bool,
}

impl Nap {
    fn new(ms: u64, file: &str, reads: bool) -> Self {
        Self { ms, file: file.to_owned(), reads }
    }

    fn access(&self) -> Access {
        let file = Resource::File(Path::new("/project").join(&self.file));
        if self.reads { Access::read(file) } else { Access::write(file) }
    }

    /// The fragments of one response with this call in it.
    fn fragment(&self, place: usize) -> Delta {
        let name = if self.reads { "look" } else { "change" };
        Delta::Call(CallFragment {
            index: i64::try_from(place).ok(),
            id: Some(format!("call_{place}")),
            name: Some(name.to_owned()),
            arguments: json!({ "ms": self.ms, "file": self.file, "place": place }).to_string(),
        })
    }
}

/// When each call began and ended, by its place.
type Log = Arc<Mutex<Vec<(usize, Instant, Instant)>>>;

struct Sleeper {
    reads: bool,
    log: Log,
}

impl Tool for Sleeper {
    fn spec(&self) -> ToolSpec {
        let properties = json!({ "ms": { "type": "integer" }, "file": { "type": "string" },
            "place": { "type": "integer" } });
        ToolSpec {
            name: if self.reads { "look" } else { "change" }.to_owned(),
            description: String::new(),
            parameters: json!({ "type": "object", "properties": properties }),
        }
    }

    fn access(&self, arguments: &Value, _: &ToolContext) -> Result<Access, ToolError> {
        let file = arguments["file"].as_str().unwrap_or_default();
        Ok(Nap::new(0, file, self.reads).access())
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        _: &'a ToolContext,
        _: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let began = Instant::now();
            let ms = arguments["ms"].as_u64().unwrap_or(0);
            if ms > 0 {
                tokio::time::sleep(Duration::from_millis(ms)).await;
            }
            let place = arguments["place"].as_u64().and_then(|place| usize::try_from(place).ok());
            self.log.lock().unwrap().push((place.unwrap(), began, Instant::now()));
            Ok(ToolOutput { text: "done".to_owned(), ..ToolOutput::default() })
        })
    }
}

/// Asks for the calls at the first request of each turn, and says that all is done at the second.
struct Asks {
    deltas: Mutex<Vec<Delta>>,
}

impl Provider for Asks {
    fn about(&self) -> About {
        About { model: "m".into(), place: "p".into(), scripted: true, context_window: None }
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        let asks = matches!(request.messages.last(), Some(Message::User { .. }));
        let mut deltas = if asks { self.deltas.lock().unwrap().clone() } else { Vec::new() };
        if deltas.is_empty() {
            deltas.push(Delta::Text("done".to_owned()));
        }
        deltas.push(Delta::Finish(FinishReason::Stop));
        Box::pin(async move { Ok(stream::iter(deltas.into_iter().map(Ok)).boxed()) })
    }

    fn use_model(&self, _: String) {}
}

/// An engine in which nothing asks.
struct Engine {
    front: FrontEnd,
    provider: Arc<Asks>,
    log: Log,
}

impl Engine {
    fn start(scheduler: Scheduler) -> Self {
        let (front, end) = link();
        let provider = Arc::new(Asks { deltas: Mutex::default() });
        let log = Log::default();
        let tool = |reads| -> Arc<dyn Tool> { Arc::new(Sleeper { reads, log: Arc::clone(&log) }) };
        let agent = Agent {
            provider: Arc::clone(&provider) as Arc<dyn Provider>,
            registry: Registry::new(vec![tool(true), tool(false)]),
            context: ToolContext {
                workspace: Workspace::open(&std::env::temp_dir()).unwrap(),
                seen: Seen::default(),
                processes: Processes::new("/nonexistent".into()),
            },
            policy: Policy::new(Mode::Yolo, []),
            limits: Limits { max_iterations: 3, interactive: true, scheduler },
            session: Session::new("be quick".into()),
            told: Some(provider.about()),
            random: || 0.5,
        };
        tokio::spawn(agent.run(end));
        Self { front, provider, log }
    }

    /// Runs one turn with these calls.
    async fn turn(&mut self, naps: &[Nap]) {
        let deltas = naps.iter().enumerate().map(|(place, nap)| nap.fragment(place)).collect();
        *self.provider.deltas.lock().unwrap() = deltas;
        self.log.lock().unwrap().clear();
        self.front.send(Op::Submit { text: "go".into() }).unwrap();
        let mut ran = 0;
        while let Some(event) = self.front.next().await {
            match event {
                StreamEvent::ToolFinished { .. } => ran += 1,
                StreamEvent::TurnEnded { .. } => break,
                _ => {}
            }
        }
        assert_eq!(ran, naps.len(), "each call has its result");
    }

    /// The time of the last turn from the first start to the last end, and what each call took.
    fn times(&self) -> (Duration, Vec<Duration>) {
        let mut log = self.log.lock().unwrap().clone();
        log.sort_by_key(|(place, ..)| *place);
        let first = log.iter().map(|(_, began, _)| *began).min().unwrap();
        let last = log.iter().map(|(.., ended)| *ended).max().unwrap();
        (last - first, log.iter().map(|(_, began, ended)| *ended - *began).collect())
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        // Knuth's MMIX generator; its high bits are good.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    /// Calls on a few files, two of three of them reads.
    fn plan(&mut self, most: u64) -> Vec<Nap> {
        let calls = 2 + self.below(most - 1);
        let nap = |_| {
            let (ms, file, reads) = (20 + self.below(61), self.below(6), self.below(3) > 0);
            Nap::new(ms, &format!("file_{file}"), reads)
        };
        (0..calls).map(nap).collect()
    }
}

/// The longest chain of calls that wait for one another, by what each took.
fn critical_path(naps: &[Nap], took: &[Duration]) -> Duration {
    let planned: Vec<_> = naps
        .iter()
        .enumerate()
        .map(|(place, nap)| Planned {
            id: CallId(place.to_string()),
            access: nap.access(),
            shared: None,
        })
        .collect();
    let mut ends: Vec<Duration> = Vec::new();
    for (took, after) in took.iter().zip(plan(&planned, Scheduler::Effects).after) {
        let begins = after.iter().map(|earlier| ends[*earlier]).max().unwrap_or_default();
        ends.push(begins + *took);
    }
    ends.into_iter().max().unwrap_or_default()
}

/// Makespan divided by the bound, for each of so many random plans.
async fn ratios(most: u64) -> Vec<f64> {
    let mut engine = Engine::start(Scheduler::Effects);
    let mut dice = Dice(42);
    let mut ratios = Vec::new();
    for _ in 0..PLANS {
        let naps = dice.plan(most);
        engine.turn(&naps).await;
        let (makespan, took) = engine.times();
        let work: Duration = took.iter().sum();
        let bound = critical_path(&naps, &took).max(work / PLACES);
        ratios.push(makespan.as_secs_f64() / bound.as_secs_f64());
    }
    ratios
}

fn told(ratios: &[f64]) -> String {
    let most = ratios.iter().copied().fold(0.0, f64::max);
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    format!("mean {mean:.3}, max {most:.3}")
}

fn report() {
    let mut page = String::new();
    let bounds =
        [(8, "critical path, up to 8 calls"), (32, "max(critical path, work / 8), up to 32")];
    for (most, bound) in bounds {
        let exact = paused().block_on(ratios(most));
        let real = runtime().block_on(ratios(most));
        let (exact, real) = (told(&exact), told(&real));
        writeln!(page, "{PLANS} plans, makespan / {bound}").unwrap();
        writeln!(page, "  counted clock: {exact}\n  real clock:    {real}").unwrap();
    }
    let (none, all) = runtime().block_on(overhead());
    let each = (all.saturating_sub(none)).as_secs_f64() * 1e6 / READS as f64;
    writeln!(page, "one response of {READS} instant reads: {all:.0?}, without calls {none:.0?}")
        .unwrap();
    writeln!(page, "  {each:.1} µs a call beside its own work, its events included").unwrap();
    println!("{page}");
}

/// Median time of a turn without calls, and of one with instant reads.
async fn overhead() -> (Duration, Duration) {
    let reads = instant_reads();
    let mut medians = [Duration::ZERO; 2];
    for (median, naps) in medians.iter_mut().zip([&[][..], &reads]) {
        let mut times = Vec::new();
        for _ in 0..40 {
            // A new one each time: a longer history costs more.
            let mut engine = Engine::start(Scheduler::Effects);
            let began = std::time::Instant::now();
            engine.turn(naps).await;
            times.push(began.elapsed());
        }
        times.sort();
        *median = times[times.len() / 2];
    }
    (medians[0], medians[1])
}

fn instant_reads() -> Vec<Nap> {
    (0..READS).map(|n| Nap::new(0, &format!("file_{n}"), true)).collect()
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A runtime whose clock stands still while anything runs, and jumps to the end of the next sleep.
fn paused() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(true).build().unwrap()
}

/// Two reads and a write of another file: 500, 300 and 200 ms are the least.
#[divan::bench(args = [Scheduler::Serial, Scheduler::Batch, Scheduler::Effects], sample_count = 5)]
fn calls_of_200_200_and_100_ms(bencher: Bencher<'_, '_>, scheduler: Scheduler) {
    let naps = [Nap::new(200, "a", true), Nap::new(200, "b", true), Nap::new(100, "c", false)];
    let runtime = runtime();
    let mut engine = runtime.block_on(async { Engine::start(scheduler) });
    bencher.bench_local(|| runtime.block_on(engine.turn(&naps)));
}

#[divan::bench(sample_count = 40)]
fn a_turn_with_64_instant_reads(bencher: Bencher<'_, '_>) {
    let (runtime, reads) = (runtime(), instant_reads());
    bencher
        .counter(ItemsCount::new(READS))
        .with_inputs(|| runtime.block_on(async { Engine::start(Scheduler::Effects) }))
        .bench_local_values(|mut engine| runtime.block_on(engine.turn(&reads)));
}
