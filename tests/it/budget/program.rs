//! Budgets and prices with the built binary against a server that counts.

use std::path::Path;

use mcc_tui::{
    protocol::{
        cost::{OwnPrice, PerMillion, Rates, Usd},
        usage::TokenUsage,
    },
    provider::{
        Provider,
        openai::{OpenAi, Settings},
    },
};
use serde_json::{Value, json};

use crate::support::{
    program::{Outcome, outcome, program},
    server::{Reply, Server},
};

/// A response that reads a file, by so many tokens.
fn reads(prompt: u64, completion: u64) -> Reply {
    let call = json!({ "index": 0, "id": "c1", "type": "function",
        "function": { "name": "read_file", "arguments": "{\"path\":\"a.txt\"}" } });
    respond(&json!({ "tool_calls": [call] }), "tool_calls", (prompt, completion))
}

fn says(prompt: u64, completion: u64) -> Reply {
    respond(&json!({ "content": "It says alpha." }), "stop", (prompt, completion))
}

fn respond(delta: &Value, finish: &str, (prompt, completion): (u64, u64)) -> Reply {
    let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": prompt,
        "completion_tokens": completion, "total_tokens": prompt + completion,
        "prompt_tokens_details": { "cached_tokens": 400 } } });
    Reply::sse(format!("data: {chunk}\n\ndata: {usage}\n\ndata: [DONE]\n\n"))
}

struct Place(tempfile::TempDir);

impl Place {
    /// With this file of settings of the user.
    fn new(settings: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("home/.config/mcc-tui")).unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        std::fs::write(dir.path().join("project/a.txt"), "alpha\n").unwrap();
        std::fs::write(dir.path().join("home/.config/mcc-tui/config.toml"), settings).unwrap();
        Self(dir)
    }

    fn project(&self) -> &Path {
        self.0.path()
    }

    async fn run(&self, url: &str, arguments: &[&str]) -> Outcome {
        let mut command = program(&self.project().join("project"), &self.project().join("home"));
        command.args(["--base-url", url, "--model", "m", "-p", "what does it say?"]);
        outcome(command.args(arguments).spawn().unwrap()).await
    }

    async fn report(&self, url: &str, arguments: &[&str]) -> (i32, Value) {
        let arguments: Vec<_> =
            arguments.iter().copied().chain(["--output-format", "json"]).collect();
        let run = self.run(url, &arguments).await;
        (run.code, serde_json::from_str(&run.out).expect(&run.err))
    }
}

const PRICE: &str = "[price]\ninput = 2\ncached = 0.5\noutput = 8\n";

#[tokio::test]
async fn what_a_run_costs_is_told_where_the_price_is_set() {
    let place = Place::new(PRICE);
    let server = Server::start(vec![reads(1_000, 50), says(1_100, 20)]).await;
    let (code, report) = place.report(&server.base_url(), &[]).await;
    // (600 * 2 + 400 * 0.5 + 50 * 8) + (700 * 2 + 400 * 0.5 + 20 * 8) = 1,800 + 1,760 millionths
    assert_eq!((code, &report["cost_usd"]), (0, &json!(0.003_56)));
    assert_eq!(report["usage"]["prompt"], json!(2_100));
    assert_eq!(report.get("budgets"), None, "none is set");
    let server = Server::start(vec![reads(1_000, 50), says(1_100, 20)]).await;
    let run = place.run(&server.base_url(), &[]).await;
    assert!(run.err.contains(", $0.0035)") || run.err.contains(" s, $0.0035\n"), "{}", run.err);
}

#[tokio::test]
async fn a_server_on_this_machine_has_no_price_unless_one_is_set() {
    let place = Place::new("");
    let server = Server::start(vec![says(1_000, 50)]).await;
    let (code, report) = place.report(&server.base_url(), &["--max-cost", "0.50"]).await;
    assert_eq!((code, report.get("cost_usd"), report.get("budgets")), (0, None, None));
    let notice = report["notices"][0].as_str().unwrap();
    assert!(notice.starts_with("What m costs at 127.0.0.1:"), "{notice}");
    assert!(notice.contains("the money budget of $0.50 cannot be kept"), "{notice}");
}

#[tokio::test]
async fn a_spent_budget_ends_a_run_with_4_and_with_the_same_words_everywhere() {
    let place = Place::new(PRICE);
    for (flag, limit, expected) in [
        ("--max-tokens", "1050", json!({ "budget": "tokens", "limit": 1_050, "used": 1_050 })),
        (
            "--max-cost",
            "0.0018",
            json!({ "budget": "cost", "limit_usd": 0.0018, "used_usd": 0.0018 }),
        ),
    ] {
        let server = Server::start(vec![reads(1_000, 50), says(1_100, 20)]).await;
        let (code, report) = place.report(&server.base_url(), &[flag, limit]).await;
        assert_eq!((code, &report["reason"]), (4, &json!("budget_exceeded")), "{report}");
        assert_eq!(report["exit_code"], json!(4));
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&report[key], value, "{key}");
        }
        assert_eq!(report["budgets"], json!([expected]));
        assert_eq!(report["tool_calls"][0]["status"], json!("ok"), "the call is done");
        let sent = server.requests();
        let sent = sent.iter().filter(|request| request.contains("/chat/completions"));
        assert_eq!(sent.count(), 1);
        let server = Server::start(vec![reads(1_000, 50)]).await;
        let run = place.run(&server.base_url(), &[flag, limit]).await;
        assert_eq!(run.code, 4);
        assert!(run.err.contains("■ budget_exceeded · The "), "{}", run.err);
        assert!(run.err.contains(flag) && run.err.contains("/new"), "{}", run.err);
    }
}

#[tokio::test]
async fn a_file_sets_budgets_and_a_project_allows_no_more() {
    let place = Place::new("[budget]\ntokens = 1_050\n");
    let folder = place.project().join("project/.mcc-tui");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "[budget]\ntokens = 999999\n").unwrap();
    let server = Server::start(vec![reads(1_000, 50), says(1_100, 20)]).await;
    assert_eq!(place.report(&server.base_url(), &[]).await.0, 4);
    let server = Server::start(vec![reads(1_000, 50), says(1_100, 20)]).await;
    assert_eq!(place.report(&server.base_url(), &["--max-tokens", "9999"]).await.0, 0);
}

#[tokio::test]
async fn a_budget_that_cannot_be_meant_is_a_wrong_command_line() {
    let place = Place::new("");
    for (flag, value, words) in [
        ("--max-tokens", "0", "a whole number of tokens above 0, like 200000"),
        ("--max-tokens", "-5", "a whole number of tokens above 0"),
        ("--max-cost", "nan", "a number of US dollars above 0, like 0.50"),
        ("--max-cost", "-1", "a number of US dollars above 0"),
        ("--max-time", "10", "a time above 0 with its unit, like 10m, 90s or 1h30m"),
    ] {
        let run = place.run("http://127.0.0.1:9/v1", &[flag, value]).await;
        assert_eq!(run.code, 2, "{flag} {value}");
        assert!(run.err.contains(words), "{}", run.err);
    }
}

#[test]
fn a_model_has_the_price_that_is_set_and_else_its_makers_at_its_makers() {
    let usage = TokenUsage { prompt: 1_000_000, ..TokenUsage::default() };
    let cost = |base_url: &str, model: &str, price: Option<OwnPrice>| {
        let provider = OpenAi::new(Settings { price, ..Settings::new(base_url, model) }).unwrap();
        provider.price().map(|price| price.cost(usage))
    };
    let (there, here) = ("https://api.openai.com/v1", "http://localhost:11434/v1");
    assert_eq!(cost(there, "gpt-4.1", None), Usd::new(2.0));
    assert_eq!(cost(there, "no-such-model", None), None);
    assert_eq!(cost(here, "gpt-4.1", None), None, "a name says nothing of a machine of one's own");
    let rate = PerMillion::new(7.0).unwrap();
    let rates = Rates { input: rate, cached: None, output: rate };
    let own = |model: Option<&str>| Some(OwnPrice { model: model.map(str::to_owned), rates });
    assert_eq!(cost(there, "gpt-4.1", own(None)), Usd::new(7.0));
    assert_eq!(cost(here, "m", own(Some("m"))), Usd::new(7.0));
    assert_eq!(cost(there, "gpt-4.1", own(Some("m"))), Usd::new(2.0), "that is of another model");
    assert_eq!(cost(here, "other", own(Some("m"))), None);
}
