//! The answers of llama.cpp are recorded ones; the others have the shape that is documented.

use serde_json::json;

use super::*;

fn recorded(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn llama_cpp_tells_what_it_serves_and_not_what_the_model_was_trained_for() {
    let props = recorded(include_str!("../../../tests/fixtures/servers/llamacpp-props.json"));
    let models = recorded(include_str!("../../../tests/fixtures/servers/llamacpp-models.json"));
    assert_eq!(llama(&props), Some(8_192));
    assert_eq!(listed(&models, "qwen2.5-coder-1.5b-instruct-q4_k_m"), Some(8_192));
    assert_eq!(listed(&models, "any name will do there"), Some(8_192));
}

#[test]
fn a_list_of_models_tells_it_in_many_ways() {
    let list = json!({ "object": "list", "data": [
        { "id": "vllm", "object": "model", "owned_by": "vllm", "max_model_len": 32_768 },
        { "id": "router", "context_length": 131_072 },
        { "id": "groq", "context_window": 16_384 },
        { "id": "mistral", "max_context_length": 65_536 },
        { "id": "openai", "object": "model", "owned_by": "system" },
    ] });
    let windows = ["vllm", "router", "groq", "mistral", "openai", "other"];
    let windows = windows.map(|model| listed(&list, model));
    let right = [Some(32_768), Some(131_072), Some(16_384), Some(65_536), None, None];
    assert_eq!(windows, right);
}

#[test]
fn lm_studio_tells_how_a_model_is_loaded_and_else_what_it_takes() {
    let list = json!({ "object": "list", "data": [
        { "id": "a", "object": "model", "type": "llm", "state": "loaded",
          "max_context_length": 131_072, "loaded_context_length": 4_096 },
        { "id": "b", "object": "model", "type": "llm", "state": "not-loaded",
          "max_context_length": 32_768 },
    ] });
    assert_eq!(studio(&list, "a"), Some(4_096));
    assert_eq!(studio(&list, "b"), Some(32_768));
    assert_eq!(studio(&list, "c"), None);
}

fn details(parameters: &str) -> Value {
    json!({ "parameters": parameters, "model_info": {
        "general.architecture": "qwen2", "qwen2.block_count": 28,
        "qwen2.context_length": 32_768, "vision.context_length": 512 } })
}

#[test]
fn ollama_tells_how_a_model_runs_then_how_it_is_set() {
    let running = json!({ "models": [
        { "name": "llama3.2:3b", "model": "llama3.2:3b", "context_length": 2_048 },
        { "name": "qwen2.5-coder:latest", "model": "qwen2.5-coder:latest",
          "size_vram": 0, "context_length": 16_384 },
    ] });
    let set = details("stop    \"<|im_end|>\"\nnum_ctx                        24576\ntop_k 20");
    let model = "qwen2.5-coder";
    assert_eq!(ollama(Some(&running), Some(&set), model), Some(16_384));
    assert_eq!(ollama(Some(&json!({ "models": [] })), Some(&set), model), Some(24_576));
    assert_eq!(ollama(None, Some(&set), model), Some(24_576));
    assert_eq!(ollama(Some(&running), None, "other"), None);
    assert_eq!(ollama(None, None, model), None);
}

#[test]
fn ollama_gives_less_than_a_model_takes_unless_the_model_runs_elsewhere() {
    let plain = details("stop \"x\"");
    assert_eq!(ollama(None, Some(&plain), "m"), Some(4_096));
    let mut small = plain.clone();
    small["model_info"]["qwen2.context_length"] = json!(2_048);
    assert_eq!(ollama(None, Some(&small), "m"), Some(2_048));
    let mut elsewhere = plain;
    elsewhere["remote_model"] = json!("qwen3-coder:480b");
    assert_eq!(ollama(None, Some(&elsewhere), "m"), Some(32_768));
    let nameless = json!({ "remote_model": "m", "model_info": { "llama.context_length": 8_192 } });
    assert_eq!(ollama(None, Some(&nameless), "m"), Some(8_192));
}

#[test]
fn vllm_is_known_by_its_version() {
    assert!(is_vllm(&json!({ "version": "0.11.0" })));
    assert!(!is_vllm(&json!({ "detail": "Not Found" })));
}

#[test]
fn numbers_that_cannot_be_meant_are_none() {
    for wrong in [json!(0), json!(-1), json!(255), json!(1e30), json!("8192"), json!(null)] {
        let props = json!({ "default_generation_settings": { "n_ctx": wrong } });
        assert_eq!(llama(&props), None, "{wrong}");
        let list = json!({ "data": [{ "id": "m", "max_model_len": wrong }] });
        assert_eq!(listed(&list, "m"), None, "{wrong}");
    }
    for answer in [json!(null), json!([]), json!("x"), json!({ "data": {}, "models": 7 })] {
        assert_eq!((llama(&answer), listed(&answer, "m")), (None, None));
        assert_eq!((studio(&answer, "m"), is_vllm(&answer)), (None, false));
        assert_eq!(ollama(Some(&answer), Some(&answer), "m"), None);
    }
}

#[test]
fn the_table_can_be_read_and_the_longest_name_counts() {
    assert!(known::table().windows.len() > 20);
    assert!(known::table().windows.values().all(|tokens| SIZES.contains(tokens)));
    for (model, tokens) in [
        ("gpt-4", Some(8_192)),
        ("gpt-4-0613", Some(8_192)),
        ("gpt-4-turbo-2024-04-09", Some(128_000)),
        ("gpt-4o-mini", Some(128_000)),
        ("openai/gpt-4.1-mini", Some(1_047_576)),
        ("gpt-5-mini", Some(400_000)),
        ("gpt-5-chat-latest", Some(128_000)),
        ("anthropic/Claude-Sonnet-4-5", Some(200_000)),
        ("o3-mini", Some(200_000)),
        // never taken for one that it only begins like
        ("gpt-4.5-preview", None),
        ("gpt-50", None),
        ("o30", None),
        ("qwen2.5-coder:7b", None),
        ("", None),
    ] {
        assert_eq!(known(model), tokens, "{model}");
    }
}
