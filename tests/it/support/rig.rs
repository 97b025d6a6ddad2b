//! An engine on a link, with tools that take time and a provider that keeps a log.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, StreamExt, future::BoxFuture};
use mcc_tui::{
    agent::{Agent, Limits},
    link::{FrontEnd, link},
    permission::{Mode, Policy},
    protocol::{
        about::About,
        access::{Access, Resource},
        budget::Budgets,
        cost::Price,
        event::StreamEvent,
        exit::ExitReason,
        message::Message,
        op::Op,
        question::Preview,
        scheduler::Scheduler,
        tool::ToolSpec,
    },
    provider::{
        DeltaStream, Provider, ProviderError, Request, Window,
        scripted::{Script, Scripted},
    },
    session::{Session, history},
    tools::{
        Run, Tool, ToolContext, ToolError, ToolOutput, process::Processes, registry::Registry,
        run_command::RunCommand, seen::Seen, shell_kill::ShellKill, shell_output::ShellOutput,
        workspace::Workspace,
    },
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// A provider that refuses what a strict server would refuse, and counts.
pub struct Strict {
    inner: Box<dyn Provider>,
    pub requests: Mutex<Vec<Vec<Message>>>,
    /// Streams that were opened and not yet dropped.
    pub open: Arc<AtomicUsize>,
}

impl Strict {
    pub fn over(inner: impl Provider + 'static) -> Arc<Self> {
        Arc::new(Self { inner: Box::new(inner), requests: Mutex::default(), open: Arc::default() })
    }

    pub fn script(text: &str) -> Arc<Self> {
        let script = Script::parse(&format!("model = 'test'\n{text}"), "test").unwrap();
        Self::over(Scripted::new(script, Path::new("/project")))
    }

    pub fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

impl Provider for Strict {
    fn about(&self) -> About {
        self.inner.about()
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn price(&self) -> Option<Price> {
        self.inner.price()
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        let problems = history::problems(&request.messages);
        assert_eq!(problems, Vec::<String>::new(), "a strict server refuses this history");
        self.requests.lock().unwrap().push(request.messages.clone());
        async move {
            let stream = self.inner.stream(request).await?;
            self.open.fetch_add(1, Ordering::SeqCst);
            let guard = Open(Arc::clone(&self.open));
            Ok(stream
                .map(move |item| {
                    let _held = &guard;
                    item
                })
                .boxed())
        }
        .boxed()
    }

    fn use_model(&self, model: String) {
        self.inner.use_model(model);
    }
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A tool that takes its time: `{"ms": 200, "say": "A"}`; `{"on": "y"}` touches that file; `{"panic": true}` panics,
/// `{"deaf": true}` does not hear a stop.
pub struct Slow {
    pub name: &'static str,
    pub reads: bool,
    pub runs: Arc<Mutex<Vec<String>>>,
}

impl Tool for Slow {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.into(),
            description: "test".into(),
            parameters: json!({ "type": "object", "properties": {
                "ms": { "type": "integer" }, "say": { "type": "string" },
                "on": { "type": "string" },
                "refuse": { "type": "boolean" }, "panic": { "type": "boolean" }, "deaf": { "type": "boolean" } } }),
        }
    }

    fn access(&self, arguments: &Value, _: &ToolContext) -> Result<Access, ToolError> {
        if arguments["refuse"] == json!(true) {
            return Err(ToolError::refused("outside", "outside the folder"));
        }
        let file = arguments["on"].as_str().unwrap_or("x");
        let file = Resource::File(Path::new("/project").join(file));
        Ok(if self.reads { Access::read(file) } else { Access::write(file) })
    }

    fn preview<'a>(
        &'a self,
        _: &'a Value,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        let preview =
            Preview::Command { command: self.name.into(), cwd: ".".into(), background: false };
        async { Ok(preview) }.boxed()
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        _: &'a ToolContext,
        run: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let say = arguments["say"].as_str().unwrap_or("done").to_owned();
        async move {
            self.runs.lock().unwrap().push(say.clone());
            assert_ne!(arguments["panic"], json!(true), "asked to panic");
            (run.live)(&say);
            let nap = tokio::time::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap_or(0)));
            if arguments["deaf"] == json!(true) {
                nap.await;
            } else {
                tokio::select! {
                    () = nap => {}
                    () = run.stop.cancelled() => return Err(ToolError::failed("stopped", "stopped")),
                }
            }
            Ok(ToolOutput { text: say, ..ToolOutput::default() })
        }
        .boxed()
    }
}

/// An engine that runs.
pub struct Rig {
    pub front: FrontEnd,
    pub provider: Arc<Strict>,
    pub runs: Arc<Mutex<Vec<String>>>,
    engine: JoinHandle<Session>,
}

impl Rig {
    /// An engine with the tools `look` (reads) and `change` (writes), where nothing asks.
    pub fn new(provider: Arc<Strict>) -> Self {
        Self::with(
            provider,
            Mode::Yolo,
            Limits { max_iterations: 20, interactive: true, scheduler: Scheduler::default() },
        )
    }

    pub fn with(provider: Arc<Strict>, mode: Mode, limits: Limits) -> Self {
        Self::within(provider, mode, limits, Budgets::default())
    }

    /// The same with budgets.
    pub fn within(provider: Arc<Strict>, mode: Mode, limits: Limits, budgets: Budgets) -> Self {
        let runs: Arc<Mutex<Vec<String>>> = Arc::default();
        let tool = |name, reads| -> Arc<dyn Tool> {
            Arc::new(Slow { name, reads, runs: Arc::clone(&runs) })
        };
        let (front, end) = link();
        let agent = Agent {
            provider: Arc::clone(&provider) as Arc<dyn Provider>,
            registry: Registry::new(vec![tool("look", true), tool("change", false)]),
            context: ToolContext {
                workspace: Workspace::open(&std::env::temp_dir()).unwrap(),
                seen: Seen::default(),
                processes: Processes::new("/nonexistent".into()),
            },
            policy: Policy::new(mode, []),
            limits,
            session: Session::new("be good".into()).within(budgets),
            told: Some(provider.about()),
            random: || 0.5,
        };
        Self { front, provider, runs, engine: tokio::spawn(agent.run(end)) }
    }

    /// An engine with the real tools in this folder, where nothing asks.
    pub fn real(provider: Arc<Strict>, folder: &Path) -> Self {
        Self::real_with(provider, folder, Mode::Yolo)
    }

    /// An engine with the real tools in this folder.
    pub fn real_with(provider: Arc<Strict>, folder: &Path, mode: Mode) -> Self {
        let registry = Registry::files()
            .with(Arc::new(RunCommand))
            .with(Arc::new(ShellOutput))
            .with(Arc::new(ShellKill));
        Self::scheduled(provider, folder, registry, (mode, Scheduler::default()))
    }

    /// An engine with these tools in this folder, and in the order of this scheduler.
    pub fn scheduled(
        provider: Arc<Strict>,
        folder: &Path,
        registry: Registry,
        (mode, scheduler): (Mode, Scheduler),
    ) -> Self {
        let (front, end) = link();
        let agent = Agent {
            provider: Arc::clone(&provider) as Arc<dyn Provider>,
            registry,
            context: ToolContext {
                workspace: Workspace::open(folder).unwrap(),
                seen: Seen::default(),
                processes: Processes::new(env!("CARGO_BIN_EXE_mcc-tui").into()),
            },
            policy: Policy::new(mode, []),
            limits: Limits { max_iterations: 20, interactive: true, scheduler },
            session: Session::new("be good".into()),
            told: Some(provider.about()),
            random: || 0.5,
        };
        Self { front, provider, runs: Arc::default(), engine: tokio::spawn(agent.run(end)) }
    }

    pub fn submit(&self, text: &str) {
        self.front.send(Op::Submit { text: text.into() }).unwrap();
    }

    /// Submits, and gives all events of the turn.
    pub async fn turn(&mut self, text: &str) -> Vec<StreamEvent> {
        self.submit(text);
        self.rest().await
    }

    /// The events up to the end of the turn.
    pub async fn rest(&mut self) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        loop {
            let event = self.front.next().await.expect("the engine ended in the middle of a turn");
            let over = matches!(event, StreamEvent::TurnEnded { .. });
            events.push(event);
            if over {
                return events;
            }
        }
    }

    /// Ends the engine and gives the history.
    pub async fn history(self) -> Vec<Message> {
        drop(self.front);
        self.engine.await.unwrap().messages().to_vec()
    }
}

/// Why the turn with these events ended.
pub fn reason(events: &[StreamEvent]) -> ExitReason {
    match events.last() {
        Some(StreamEvent::TurnEnded { reason, .. }) => reason.clone(),
        other => panic!("not the end of a turn: {other:?}"),
    }
}

/// Texts of the results in a history, in order.
pub fn results(messages: &[Message]) -> Vec<&str> {
    let text = |message: &'_ Message| match message {
        Message::Tool(result) => Some(result.text.clone()),
        _ => None,
    };
    messages
        .iter()
        .filter(|message| text(message).is_some())
        .map(|message| match message {
            Message::Tool(result) => result.text.as_str(),
            _ => "",
        })
        .collect()
}

/// The grammar of one turn, as the event module states it.
#[track_caller]
pub fn check_grammar(events: &[StreamEvent]) {
    let mut tools = std::collections::BTreeSet::new();
    let mut asked = std::collections::BTreeSet::new();
    let mut finished = std::collections::BTreeSet::new();
    let mut planned = std::collections::BTreeSet::new();
    // Whether a response may still come, and the calls of it that began: with their ends.
    let mut streams = false;
    let mut early = std::collections::BTreeMap::new();
    assert!(matches!(events.first(), Some(StreamEvent::TurnStarted { .. })), "{events:?}");
    for (n, event) in events.iter().enumerate() {
        match event {
            StreamEvent::TurnStarted { .. } => assert_eq!(n, 0),
            StreamEvent::TurnEnded { .. } => assert_eq!(n + 1, events.len(), "{events:?}"),
            StreamEvent::IterationStarted { .. } | StreamEvent::Retrying { .. } => streams = true,
            StreamEvent::EarlyCallChanged { call, result: None, elapsed_ms, .. } => {
                assert!(streams && *elapsed_ms == 0, "{events:?}");
                assert_eq!(early.insert(call.id.clone(), (call.clone(), false)), None, "twice");
            }
            StreamEvent::EarlyCallChanged { call, result: Some(result), .. } => {
                assert!(streams && result.call_id == call.id, "{events:?}");
                let before = early.insert(call.id.clone(), (call.clone(), true));
                assert_eq!(before, Some((call.clone(), false)), "it began and ends once");
            }
            StreamEvent::ToolOutput { call_id, .. } => {
                let runs_early = streams && matches!(early.get(call_id), Some((_, false)));
                assert!(tools.contains(call_id) || runs_early || planned.contains(call_id));
            }
            StreamEvent::BatchesPlanned { calls, batches } => {
                streams = false;
                for call in calls {
                    let began = early.get(&call.id);
                    assert!(began.is_none_or(|(began, _)| began == call), "another call");
                }
                let flat: Vec<_> = batches.iter().flat_map(|batch| batch.calls.clone()).collect();
                let ids: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
                assert_eq!(flat, ids);
                planned.extend(ids);
            }
            StreamEvent::ToolStarted { call_id } => assert!(tools.insert(call_id.clone())),
            StreamEvent::ToolFinished { result, .. } => {
                tools.remove(&result.call_id);
                assert!(finished.insert(result.call_id.clone()), "twice: {events:?}");
            }
            StreamEvent::QuestionAsked { question } => {
                assert!(asked.insert(question.call_id.clone()));
            }
            StreamEvent::QuestionResolved { call_id, .. } => assert!(asked.remove(call_id)),
            _ => {}
        }
    }
    assert!(tools.is_empty() && asked.is_empty(), "left open: {tools:?} {asked:?} {events:?}");
    assert_eq!(planned, finished, "every planned call has its one result: {events:?}");
}
