//! Failed requests: which are sent again, after how long, how often, and what is left of them.

mod ended;
mod http;
mod told;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt, future::BoxFuture, stream};
use mcc_tui::{
    agent::Limits,
    headless::{self, Format, Job},
    permission::Mode,
    protocol::{
        about::About,
        event::StreamEvent,
        exit::{AbortBy, ErrorKind, ExitReason},
        message::Message,
        op::Op,
        scheduler::Scheduler,
        usage::TokenUsage,
    },
    provider::{
        Delta, DeltaStream, Provider, ProviderError, Request,
        openai::OpenAi,
        scripted::{Script, Scripted},
    },
    session::history,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{
    rig::{Rig, Strict, check_grammar, reason},
    server::{self, Reply, Server},
};

/// Plays one script a request, the last one again and again: a server that gets better.
struct Sequence {
    scripts: Vec<Scripted>,
    next: AtomicUsize,
}

impl Sequence {
    fn of(scripts: &[&str]) -> Self {
        let script = |text: &&str| {
            let script = Script::parse(&format!("model = 'test'\n{text}"), "test").unwrap();
            Scripted::new(script, Path::new("/project"))
        };
        Self { scripts: scripts.iter().map(script).collect(), next: AtomicUsize::new(0) }
    }
}

fn sequence(scripts: &[&str]) -> Arc<Strict> {
    Strict::over(Sequence::of(scripts))
}

impl Provider for Sequence {
    fn about(&self) -> About {
        self.scripts[0].about()
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        let next = self.next.fetch_add(1, Ordering::SeqCst).min(self.scripts.len() - 1);
        self.scripts[next].stream(request)
    }

    fn use_model(&self, model: String) {
        self.scripts[0].use_model(model);
    }
}

const FAILS: &str = "[past_end]\nerror = { kind = 'server', message = 'busy', hint = 'do' }";
const BREAKS: &str = "[past_end]\ntext = 'half of it, and more'\nbreak_after = 2";
const BREAKS_IN_CALLS: &str = "
[past_end]
text = 'I look.'
break_after = 99
[[past_end.call]]
name = 'look'
arguments = { say = 'never' }
";
const CALLS: &str = "
[past_end]
[[past_end.call]]
name = 'look'
arguments = { say = 'ran', ms = 20 }
";
const ANSWERS: &str = "[past_end]\ntext = 'all of it'\nusage = { prompt = 10, completion = 2 }";

/// Number, wait and kind of each retry.
fn retries(events: &[StreamEvent]) -> Vec<(u32, u64, ErrorKind)> {
    let retry = |event: &StreamEvent| match event {
        StreamEvent::Retrying { attempt, of, wait_ms, kind, .. } => {
            assert_eq!(*of, 5);
            Some((*attempt, *wait_ms, *kind))
        }
        _ => None,
    };
    events.iter().filter_map(retry).collect()
}

fn answers(history: &[Message]) -> Vec<&str> {
    let text = |message: &'_ Message| matches!(message, Message::Assistant(_));
    history
        .iter()
        .filter(|message| text(message))
        .map(|message| match message {
            Message::Assistant(answer) => answer.text.as_str(),
            _ => "",
        })
        .collect()
}

fn usage(events: &[StreamEvent]) -> Vec<TokenUsage> {
    let usage = |event: &StreamEvent| match event {
        StreamEvent::UsageUpdated { turn, .. } => Some(*turn),
        _ => None,
    };
    events.iter().filter_map(usage).collect()
}

fn iterations(events: &[StreamEvent]) -> usize {
    events.iter().filter(|event| matches!(event, StreamEvent::IterationStarted { .. })).count()
}

/// The rig's random number is always one half.
const WAITS: [u64; 5] = [250, 500, 1_000, 2_000, 4_000];

#[tokio::test(start_paused = true)]
async fn five_retries_are_six_requests_and_their_waits_double() {
    let mut rig = Rig::new(sequence(&[FAILS]));
    let began = Instant::now();
    let events = rig.turn("go").await;
    check_grammar(&events);
    assert_eq!(began.elapsed(), Duration::from_millis(WAITS.iter().sum()));
    let expected: Vec<_> = (1..).zip(WAITS).map(|(n, ms)| (n, ms, ErrorKind::Server)).collect();
    assert_eq!(retries(&events), expected);
    assert_eq!((rig.provider.count(), iterations(&events)), (6, 1));
    let ExitReason::Error { kind: ErrorKind::Server, message, hint } = reason(&events) else {
        panic!("{events:?}")
    };
    assert_eq!((message.as_str(), hint.as_str()), ("busy", "It was tried 6 times. do"));
    assert_eq!(answers(&rig.history().await), Vec::<&str>::new());
}

#[tokio::test(start_paused = true)]
async fn a_response_that_broke_is_in_no_request_and_not_in_the_history() {
    for broken in [BREAKS, BREAKS_IN_CALLS] {
        let mut rig = Rig::new(sequence(&[broken, broken, ANSWERS]));
        let events = rig.turn("go").await;
        check_grammar(&events);
        assert_eq!(reason(&events), ExitReason::EndTurn);
        assert_eq!(retries(&events).len(), 2);
        let requests = rig.provider.requests.lock().unwrap().clone();
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|request| *request == requests[0]), "{requests:?}");
        assert!(rig.runs.lock().unwrap().is_empty(), "no call of a broken response runs");
        assert_eq!(answers(&rig.history().await), ["all of it"]);
    }
}

#[tokio::test(start_paused = true)]
async fn when_all_retries_broke_the_text_of_the_last_one_is_kept_and_marked() {
    let mut rig = Rig::new(sequence(&[BREAKS]));
    let events = rig.turn("go").await;
    assert_eq!((retries(&events).len(), rig.provider.count()), (5, 6));
    let history = rig.history().await;
    let Some(Message::Assistant(answer)) = history.last() else { panic!("{history:?}") };
    // two pieces of four characters
    assert_eq!((answer.text.as_str(), answer.incomplete), ("half of ", true));
    assert_eq!(answers(&history).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn retries_are_counted_for_each_iteration_and_requests_are_bounded() {
    let mut scripts = Vec::new();
    for _ in 0..3 {
        scripts.extend([FAILS, BREAKS, FAILS, BREAKS_IN_CALLS, FAILS, CALLS]);
    }
    let limits = Limits { max_iterations: 3, interactive: true, scheduler: Scheduler::default() };
    let mut rig = Rig::with(sequence(&scripts), Mode::Yolo, limits);
    let events = rig.turn("go").await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::MaxIterations { limit: 3 });
    assert_eq!(rig.provider.count(), 18, "3 x (1 + 5)");
    assert_eq!(*rig.runs.lock().unwrap(), ["ran"; 3]);
    assert_eq!(iterations(&events), 3);
    let Some(StreamEvent::TurnEnded { iterations: 3, tools: 3, .. }) = events.last() else {
        panic!("{:?}", events.last())
    };
}

#[tokio::test(start_paused = true)]
async fn what_would_only_fail_again_is_sent_once() {
    for (error, word) in [
        ("kind = 'auth'", "error"),
        ("kind = 'quota'", "error"),
        ("kind = 'bad_request'", "error"),
        ("kind = 'model_not_found'", "error"),
        ("kind = 'config'", "error"),
        ("kind = 'protocol'", "error"),
        ("kind = 'server', context_overflow = true", "context_overflow"),
    ] {
        let fails = format!("[past_end]\nerror = {{ {error}, message = 'no' }}");
        let mut rig = Rig::new(sequence(&[&fails, ANSWERS]));
        let events = rig.turn("go").await;
        assert_eq!(reason(&events).word(), word, "{error}");
        assert_eq!((retries(&events).len(), rig.provider.count()), (0, 1), "{error}");
    }
}

/// Says much at first and then fails in this way; plays a script afterwards.
struct Floods {
    text: String,
    kind: ErrorKind,
    then: Sequence,
}

impl Provider for Floods {
    fn about(&self) -> About {
        self.then.about()
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        if self.then.next.load(Ordering::SeqCst) > 0 {
            return self.then.stream(request);
        }
        self.then.next.store(1, Ordering::SeqCst);
        let error = ProviderError::new(self.kind, "no", "do");
        let said: DeltaStream =
            stream::iter([Ok(Delta::Text(self.text.clone())), Err(error)]).boxed();
        Box::pin(async { Ok(said) })
    }

    fn use_model(&self, model: String) {
        self.then.use_model(model);
    }
}

#[tokio::test(start_paused = true)]
async fn of_an_answer_without_bounds_only_the_beginning_is_sent_again() {
    let text = "nonsense ".repeat(20_000);
    for (kind, most) in [(ErrorKind::Protocol, 8 * 1024), (ErrorKind::BadRequest, text.len())] {
        let then = Sequence::of(&[ANSWERS]);
        let mut rig = Rig::new(Strict::over(Floods { text: text.clone(), kind, then }));
        let events = rig.turn("go").await;
        let told = events.iter().any(|event| matches!(event, StreamEvent::Notice { .. }));
        assert_eq!(told, kind == ErrorKind::Protocol);
        rig.turn("and again").await;
        let requests = rig.provider.requests.lock().unwrap();
        let sent = requests.last().unwrap().iter().find_map(|message| match message {
            Message::Assistant(answer) => Some(answer),
            _ => None,
        });
        let sent = sent.unwrap();
        assert!(sent.incomplete && text.starts_with(&sent.text));
        assert_eq!(sent.text.len(), most);
    }
}

#[tokio::test(start_paused = true)]
async fn tokens_of_a_response_that_broke_are_counted_and_a_refusal_costs_none() {
    let spent = TokenUsage { prompt: 10, completion: 2, ..TokenUsage::default() };
    let events = Rig::new(sequence(&[FAILS, ANSWERS])).turn("go").await;
    assert_eq!(usage(&events), [spent]);
    let events = Rig::new(sequence(&[BREAKS, ANSWERS])).turn("go").await;
    let [broken, whole] = usage(&events)[..] else { panic!("{events:?}") };
    assert!(broken.prompt > 0 && broken.completion > 0, "{broken:?}");
    let mut sum = broken;
    sum.add(spent);
    assert_eq!(whole, sum);
}
