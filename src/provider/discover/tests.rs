//! Which answers count as a model server, which model comes first, and what is said.

use serde_json::{Value, json};

use super::{
    Candidate, Found, Offer, mute_last,
    read::{Told, listed, ranked},
    usual,
};

fn list(names: &[&str]) -> Value {
    let data: Vec<_> =
        names.iter().map(|name| json!({ "id": name, "object": "model", "created": 1 })).collect();
    json!({ "object": "list", "data": data })
}

/// The order of these models, with what else a server tells.
fn order(names: &[&str], path: &str, more: &Value) -> Vec<String> {
    let (list, null) = (list(names), Value::Null);
    let pick = |its: &str| if its == path { more } else { &null };
    let told =
        Told { list: &list, tags: pick("tags"), running: pick("ps"), studio: pick("studio") };
    ranked(listed(&list).unwrap(), &told)
}

#[test]
fn the_usual_servers_are_asked_at_their_ports_on_this_machine() {
    let places: Vec<_> = usual()
        .into_iter()
        .map(|candidate| format!("{} {}", candidate.name, candidate.base_url))
        .collect();
    let right = [
        "Ollama http://127.0.0.1:11434/v1",
        "LM Studio http://127.0.0.1:1234/v1",
        "llama.cpp http://127.0.0.1:8080/v1",
        "vLLM http://127.0.0.1:8000/v1",
    ];
    assert_eq!(places, right);
}

#[test]
fn a_recorded_list_is_read() {
    let text = include_str!("../../../tests/fixtures/servers/llamacpp-models.json");
    let names = listed(&serde_json::from_str(text).unwrap());
    assert_eq!(names, Some(vec!["qwen2.5-coder-1.5b-instruct-q4_k_m".to_owned()]));
}

#[test]
fn json_of_another_shape_is_no_model_server() {
    for answer in [
        json!({ "data": [{ "id": "a", "object": "model" }] }),
        json!({ "object": "list", "data": [{ "id": "a", "object": "product" }] }),
        json!({ "object": "list", "data": [{ "id": 7, "object": "model" }] }),
        json!({ "object": "list", "data": null }),
        json!({ "object": "list" }),
        json!([{ "id": "a", "object": "model" }]),
        json!({ "models": [{ "name": "a" }] }),
        json!("models"),
    ] {
        assert_eq!(listed(&answer), None, "{answer}");
    }
}

#[test]
fn names_are_not_empty_not_endless_and_come_once() {
    let endless = "x".repeat(257);
    assert_eq!(listed(&list(&["a", "", &endless, "a", "b"])).unwrap(), ["a", "b"]);
    assert_eq!(listed(&list(&[])), Some(vec![]));
}

#[test]
fn the_first_that_is_made_for_this_work_comes_before_the_first() {
    let none = Value::Null;
    assert_eq!(order(&["gemma3", "llama3.2"], "", &none), ["gemma3", "llama3.2"]);
    let names = ["gemma3", "Qwen2.5-Coder:7b", "llama-3.1-8B-Instruct"];
    let right = ["Qwen2.5-Coder:7b", "gemma3", "llama-3.1-8B-Instruct"];
    assert_eq!(order(&names, "", &none), right);
}

#[test]
fn a_model_in_memory_comes_before_all_that_are_not() {
    let names = ["qwen2.5-coder:7b", "llama3.2:3b", "gemma3:4b"];
    let right = ["llama3.2:3b", "qwen2.5-coder:7b", "gemma3:4b"];
    let ps = json!({ "models": [{ "name": "llama3.2:3b", "model": "llama3.2:3b" }] });
    assert_eq!(order(&names, "ps", &ps), right);
    let studio = json!({ "data": [
        { "id": "qwen2.5-coder:7b", "type": "llm", "state": "not-loaded" },
        { "id": "llama3.2:3b", "type": "llm", "state": "loaded" } ] });
    assert_eq!(order(&names, "studio", &studio), right);
    let both = json!({ "models": [{ "name": "gemma3:4b" }, { "name": "qwen2.5-coder:7b" }] });
    assert_eq!(order(&names, "ps", &both)[0], "qwen2.5-coder:7b");
}

#[test]
fn a_router_of_llama_cpp_says_in_its_list_what_is_loaded() {
    let mut list = list(&["a-coder", "b"]);
    list["data"][0]["status"] = json!({ "value": "unloaded" });
    list["data"][1]["status"] = json!({ "value": "loaded" });
    let null = Value::Null;
    let told = Told { list: &list, tags: &null, running: &null, studio: &null };
    assert_eq!(ranked(listed(&list).unwrap(), &told), ["b", "a-coder"]);
}

#[test]
fn models_that_do_not_converse_are_left_out() {
    let null = Value::Null;
    let names = ["nomic-embed-text:latest", "all-minilm", "bge-m3", "whisper-large", "gemma3"];
    assert_eq!(order(&names, "", &null), ["gemma3"]);
    let studio = json!({ "data": [{ "id": "odd", "type": "embeddings", "state": "loaded" }] });
    assert_eq!(order(&["odd", "gemma3"], "studio", &studio), ["gemma3"]);
    let bert = json!({ "models": [{ "name": "odd", "details": { "family": "nomic-bert" } }] });
    assert_eq!(order(&["odd", "gemma3"], "tags", &bert), ["gemma3"]);
    let able = json!({ "models": [
        { "name": "odd", "capabilities": ["embedding"] },
        { "name": "gemma3", "capabilities": ["completion", "vision"] } ] });
    assert_eq!(order(&["odd", "gemma3"], "tags", &able), ["gemma3"]);
    assert_eq!(order(&["text-embedding-3"], "", &null), Vec::<String>::new());
}

fn offer(name: &str, port: u16, models: &[&str]) -> Offer {
    Offer {
        server: Candidate {
            name: name.to_owned(),
            base_url: format!("http://127.0.0.1:{port}/v1"),
        },
        place: format!("127.0.0.1:{port}"),
        models: models.iter().map(|model| (*model).to_owned()).collect(),
    }
}

fn found(offers: Vec<Offer>) -> Found {
    Found {
        base_url: offers[0].server.base_url.clone(),
        model: offers[0].models[0].clone(),
        offers,
    }
}

#[test]
fn names_that_do_not_converse_come_last_and_stay() {
    let names = ["whisper-1", "gpt-5", "text-embedding-3", "gpt-4o"].map(str::to_owned).to_vec();
    assert_eq!(mute_last(names), ["gpt-5", "gpt-4o", "whisper-1", "text-embedding-3"]);
}

#[test]
fn on_the_screen_the_notice_leads_to_the_command() {
    let two = found(vec![offer("Ollama", 11_434, &["a"]), offer("", 99, &["x"])]);
    assert!(two.has_several());
    assert_eq!(
        two.notice_on_screen(),
        "No model is set. Found a at Ollama (127.0.0.1:11434): it is used. \
         /model shows the other one."
    );
    let four = found(vec![offer("", 99, &["a", "b", "c", "d"])]);
    assert!(four.notice_on_screen().ends_with("it is used. /model shows 3 others."));
    assert!(!found(vec![offer("", 99, &["a"])]).has_several());
}

#[test]
fn the_notice_names_the_one_that_is_used_and_how_to_choose_another() {
    let one = found(vec![offer("Ollama", 11_434, &["qwen2.5-coder"])]);
    assert_eq!(
        one.notice(),
        "No model is set. Found qwen2.5-coder at Ollama (127.0.0.1:11434): it is used. \
         --base-url URL --model NAME chooses another."
    );
}

#[test]
fn the_notice_names_the_others_with_the_flags_that_choose_them() {
    let all = found(vec![
        offer("Ollama", 11_434, &["a", "b", "c", "d", "e", "f", "g", "h"]),
        offer("", 99, &["x"]),
    ]);
    assert_eq!(
        all.notice(),
        "No model is set. Found a at Ollama (127.0.0.1:11434): it is used. To choose another, \
         start with its flags: b, c, d, e, f and 2 more there \
         (--base-url http://127.0.0.1:11434/v1 --model NAME); \
         x at 127.0.0.1:99 (--base-url http://127.0.0.1:99/v1 --model NAME)."
    );
}
