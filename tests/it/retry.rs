//! Failed requests: which are sent again, after how long, how often, and what is left of them.

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

#[tokio::test(start_paused = true)]
async fn a_prompt_that_does_not_fit_is_told_in_the_servers_words_and_taken_back() {
    let fails = "[past_end]\nerror = { kind = 'server', context_overflow = true, \
                 message = 'maximum context length is 8192 tokens' }";
    let mut rig = Rig::new(sequence(&[fails, ANSWERS]));
    let events = rig.turn("far too long").await;
    assert_eq!(reason(&events), ExitReason::ContextOverflow { alone: true });
    assert!(reason(&events).what_next().starts_with("Load the model with a larger window"));
    let notice = StreamEvent::Notice { text: "maximum context length is 8192 tokens".to_owned() };
    assert!(events.contains(&notice), "{events:?}");
    let events = rig.turn("short").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let requests = rig.provider.requests.lock().unwrap();
    let prompts = |message: &Message| match message {
        Message::User { text } => Some(text.clone()),
        _ => None,
    };
    let sent: Vec<Vec<String>> =
        requests.iter().map(|sent| sent.iter().filter_map(prompts).collect()).collect();
    assert_eq!(sent, [["far too long"], ["short"]]);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_no_longer_fits_is_told_apart_from_a_prompt_that_never_did() {
    let fails = "[past_end]\nerror = { kind = 'server', context_overflow = true, message = 'no' }";
    let mut rig = Rig::new(sequence(&[ANSWERS, fails]));
    assert_eq!(reason(&rig.turn("short").await), ExitReason::EndTurn);
    let end = reason(&rig.turn("more").await);
    assert_eq!(end, ExitReason::ContextOverflow { alone: false });
    assert!(end.what_next().starts_with("Begin a new session (/new)"), "{}", end.what_next());
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

#[tokio::test(start_paused = true)]
async fn a_word_of_the_user_ends_the_wait_that_it_was_meant_for_and_no_other() {
    let slow = "[past_end]\ndelay_ms = 50\nerror = { kind = 'server', message = 'busy' }";
    let mut rig = Rig::new(sequence(&[slow, slow, ANSWERS]));
    let began = Instant::now();
    rig.submit("go");
    let mut events = Vec::new();
    loop {
        let event = rig.front.next().await.unwrap();
        match event {
            // At the first of these nothing waits yet: that word must be lost.
            StreamEvent::IterationStarted { .. } | StreamEvent::Retrying { attempt: 2, .. } => {
                rig.front.send(Op::RetryNow).unwrap();
            }
            StreamEvent::TurnEnded { .. } => break,
            _ => {}
        }
        events.push(event);
    }
    // two failures, the first wait in full, the second not at all
    assert_eq!(began.elapsed(), Duration::from_millis(50 + 250 + 50));
    assert_eq!(retries(&events).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_front_end_that_goes_away_ends_the_wait() {
    let mut rig = Rig::new(sequence(&[FAILS]));
    rig.submit("go");
    while !matches!(rig.front.next().await, Some(StreamEvent::Retrying { attempt: 5, .. })) {}
    let began = Instant::now();
    rig.history().await;
    assert_eq!(began.elapsed(), Duration::ZERO);
}

/// Everything that can fail, with pieces that take time, so that an abort can fall in between.
fn everything() -> Arc<Strict> {
    sequence(&[
        "[past_end]\ndelay_ms = 10\nerror = { kind = 'rate_limit', message = 'slow down' }",
        "pace_ms = 9\n[past_end]\nreasoning = 'thinking'\ntext = 'half of it'\nbreak_after = 4",
        FAILS,
        CALLS,
        BREAKS_IN_CALLS,
        "pace_ms = 5\n[past_end]\ntext = 'the end of it'",
    ])
}

/// The engine is still able to work: it takes the next prompt to its end.
async fn check_can_go_on(mut rig: Rig) {
    let events = rig.turn("next").await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(rig.provider.open.load(Ordering::SeqCst), 0, "all responses are closed");
    assert_eq!(history::problems(&rig.history().await), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_abort_at_any_time_ends_a_failing_turn_at_once() {
    let mut whole = Rig::new(everything());
    let began = Instant::now();
    let events = whole.turn("go").await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(retries(&events).iter().map(|retry| retry.0).collect::<Vec<_>>(), [1, 2, 3, 1]);
    let length = began.elapsed();
    // 250 + 500 + 1000 and 250 are waits
    assert!(length > Duration::from_secs(2), "{length:?}");
    for ms in (0..length.as_millis() as u64).step_by(7) {
        let mut rig = Rig::new(everything());
        let began = Instant::now();
        rig.submit("go");
        tokio::time::sleep(Duration::from_millis(ms)).await;
        rig.front.interrupt(AbortBy::User);
        let events = rig.rest().await;
        assert_eq!(began.elapsed(), Duration::from_millis(ms), "it ends when it is aborted");
        check_grammar(&events);
        assert_eq!(reason(&events).word(), "abort", "after {ms} ms");
        check_can_go_on(rig).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn an_abort_at_any_step_of_a_failing_turn_leaves_a_history_that_can_be_sent(
        steps in 0_usize..400, twice: bool, hurried: bool,
    ) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let mut rig = Rig::new(everything());
            rig.submit("go");
            for _ in 0..steps {
                tokio::task::yield_now().await;
                if hurried {
                    rig.front.send(Op::RetryNow).ok();
                }
                if steps % 2 == 0 {
                    tokio::time::advance(Duration::from_millis(5)).await;
                }
            }
            rig.front.interrupt(AbortBy::User);
            if twice {
                rig.front.interrupt(AbortBy::User);
            }
            let events = rig.rest().await;
            check_grammar(&events);
            check_can_go_on(rig).await;
        });
    }
}

fn chunk(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}

fn whole(text: &str) -> Reply {
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    Reply::sse(format!("{}data: {last}\n\ndata: [DONE]\n\n", chunk(text)))
}

fn refusal(status: u16, message: &str) -> Reply {
    let body = json!({ "error": { "message": message } });
    Reply::new(status, "application/json", body.to_string())
}

fn openai(base_url: String) -> Arc<Strict> {
    let provider = OpenAi::new(server::settings(base_url, "m"));
    Strict::over(provider.unwrap())
}

/// One turn over HTTP; waits are told and not made.
async fn over_http(replies: Vec<Reply>) -> (Vec<StreamEvent>, Vec<Message>, Vec<Value>) {
    let server = Server::start(replies).await;
    let mut rig = Rig::new(openai(server.base_url()));
    rig.submit("go");
    let mut events = Vec::new();
    while !matches!(events.last(), Some(StreamEvent::TurnEnded { .. })) {
        let event = rig.front.next().await.unwrap();
        if matches!(event, StreamEvent::Retrying { .. }) {
            rig.front.send(Op::RetryNow).unwrap();
        }
        events.push(event);
    }
    check_grammar(&events);
    let body =
        |request: &String| serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    let bodies = server.requests().iter().map(body).collect();
    (events, rig.history().await, bodies)
}

#[tokio::test]
async fn a_server_that_says_when_to_come_back_is_asked_again_then() {
    let slow = || refusal(429, "Rate limit reached");
    let (events, history, requests) = over_http(vec![
        slow().header("retry-after", "2"),
        slow().header("retry-after-ms", "1700").header("retry-after", "2"),
        slow().header("retry-after", "1.25"),
        whole("hello"),
    ])
    .await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let kind = ErrorKind::RateLimit;
    assert_eq!(retries(&events), [(1, 2_000, kind), (2, 1_700, kind), (3, 1_250, kind)]);
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|request| *request == requests[0]));
    assert_eq!(answers(&history), ["hello"]);
}

#[tokio::test]
async fn a_server_that_fails_once_is_asked_twice() {
    let (events, history, requests) =
        over_http(vec![refusal(500, "out of luck"), whole("hello")]).await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(retries(&events), [(1, 250, ErrorKind::Server)]);
    let told = events.iter().find_map(|event| match event {
        StreamEvent::Retrying { reason, .. } => Some(reason.as_str()),
        _ => None,
    });
    assert_eq!(told, Some("The server answered 500: out of luck"));
    assert_eq!((requests.len(), answers(&history)), (2, vec!["hello"]));
}

#[tokio::test]
async fn a_connection_that_is_cut_in_the_middle_gives_the_answer_once() {
    let cut = Reply::sse(chunk("hel"));
    let (events, history, requests) = over_http(vec![cut, whole("hello")]).await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(retries(&events), [(1, 250, ErrorKind::Network)]);
    let shown: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::TextDelta { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(shown, ["hel", "hello"]);
    assert_eq!((requests.len(), answers(&history)), (2, vec!["hello"]));
}

#[tokio::test]
async fn a_server_that_wants_an_hour_is_not_waited_for_and_the_end_says_so() {
    let later = refusal(429, "Come back later").header("retry-after", "3600");
    let (events, _, requests) = over_http(vec![later, whole("hello")]).await;
    assert_eq!((retries(&events).len(), requests.len()), (0, 1));
    let ExitReason::Error { kind: ErrorKind::RateLimit, hint, .. } = reason(&events) else {
        panic!("{events:?}")
    };
    assert!(hint.starts_with("The server asks to wait 60:00 min: try again then, "), "{hint}");
}

#[tokio::test]
async fn where_nothing_listens_or_no_tls_is_spoken_the_end_comes_at_once() {
    let port = crate::support::server::DeadPort::hold();
    let dead = port.base_url();
    let no_tls = server::without_tls().await;
    let plain = format!("https://{}/v1", no_tls.place());
    for (address, words) in [(dead, "nothing listens"), (plain, "does not speak TLS")] {
        let mut rig = Rig::new(openai(address));
        let events = rig.turn("go").await;
        assert_eq!((retries(&events).len(), rig.provider.count()), (0, 1), "{words}");
        let ExitReason::Error { message, .. } = reason(&events) else { panic!("{events:?}") };
        assert!(message.contains(words), "{message}");
    }
}

/// What a run without a screen prints: the answer, and the progress.
async fn print(format: Format) -> (String, String) {
    let rig = Rig::new(sequence(&[FAILS, BREAKS, ANSWERS]));
    let job = Job { prompt: "go".into(), format, about: rig.provider.about(), notices: Vec::new() };
    let (mut out, mut progress) = (Vec::new(), Vec::new());
    let reason = headless::run(rig.front, job, &mut out, &mut progress).await.unwrap();
    assert_eq!(reason, ExitReason::EndTurn);
    (String::from_utf8(out).unwrap(), String::from_utf8(progress).unwrap())
}

#[tokio::test(start_paused = true)]
async fn without_a_screen_each_retry_is_a_line_of_progress() {
    let (shown, _) = print(Format::Live).await;
    assert_eq!(shown, "half of \n\nall of it\n", "who looks on has seen it, and is told");
    let (out, progress) = print(Format::Text).await;
    assert_eq!(out, "all of it\n", "what was discarded is nothing that was answered");
    let lines: Vec<_> = progress.lines().filter(|line| line.contains("retry")).collect();
    assert_eq!(
        lines,
        [
            "· server · busy · retry 1 of 5 in 0.25 s",
            "· network · The connection broke off before the answer was complete. · retry 2 of 5 \
             in 0.50 s · what came of this answer is discarded",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn json_counts_the_retries_and_has_only_the_answer_that_counts() {
    let report: Value = serde_json::from_str(&print(Format::Json).await.0).unwrap();
    assert_eq!(
        (&report["retries"], &report["iterations"], &report["answer"]),
        (&json!(2), &json!(1), &json!("all of it"))
    );
    let (lines, _) = print(Format::StreamJson).await;
    let events: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let retries: Vec<_> = events.iter().filter(|event| event["event"] == "retrying").collect();
    let first = json!({
        "event": "retrying", "attempt": 1, "of": 5, "wait_ms": 250, "kind": "server",
        "reason": "busy",
    });
    assert_eq!((retries.len(), retries[0]), (2, &first));
}
