//! The answers of llama.cpp are recorded ones; the others have the shape that is documented.

use serde_json::json;

use super::*;

fn recorded(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn told(tokens: u64, server: Server) -> Known {
    Known { tokens, source: Source::Told, server }
}

fn listed_there(list: &Value, model: &str) -> Option<u64> {
    listed(list, model, Server::Other).map(|known| known.tokens)
}

#[test]
fn llama_cpp_tells_what_it_serves_and_not_what_the_model_was_trained_for() {
    let props = recorded(include_str!("../../../tests/fixtures/servers/llamacpp-props.json"));
    let models = recorded(include_str!("../../../tests/fixtures/servers/llamacpp-models.json"));
    assert_eq!(llama(&props), Some(told(8_192, Server::Llama)));
    assert_eq!(listed_there(&models, "qwen2.5-coder-1.5b-instruct-q4_k_m"), Some(8_192));
    assert_eq!(listed_there(&models, "any name will do there"), Some(8_192));
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
    let windows = windows.map(|model| listed_there(&list, model));
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
    assert_eq!(studio(&list, "a"), Some(told(4_096, Server::Studio)));
    let most = Known { tokens: 32_768, source: Source::Published, server: Server::Studio };
    assert_eq!(studio(&list, "b"), Some(most));
    assert_eq!(studio(&list, "c"), None);
}

fn details(parameters: &str) -> Value {
    json!({ "parameters": parameters, "model_info": {
        "general.architecture": "qwen2", "qwen2.block_count": 28,
        "qwen2.context_length": 32_768, "vision.context_length": 512 } })
}

#[test]
fn ollama_tells_how_a_model_runs_and_how_it_is_set() {
    let running = json!({ "models": [
        { "name": "llama3.2:3b", "model": "llama3.2:3b", "context_length": 2_048 },
        { "name": "qwen2.5-coder:latest", "model": "qwen2.5-coder:latest",
          "size_vram": 0, "context_length": 16_384 },
        { "name": "old:latest", "model": "old:latest", "size_vram": 0 },
    ] });
    assert_eq!(ollama_runs(&running, "qwen2.5-coder"), Some(told(16_384, Server::Ollama)));
    assert_eq!(ollama_runs(&running, "llama3.2:3b"), Some(told(2_048, Server::Ollama)));
    for absent in ["llama3.2", "llama3.2:1b", "old", "other"] {
        assert_eq!(ollama_runs(&running, absent), None, "{absent}");
    }
    let set = details("stop    \"<|im_end|>\"\nnum_ctx                        24576\ntop_k 20");
    assert_eq!(ollama_set(&set), Some(told(24_576, Server::Ollama)));
}

#[test]
fn ollama_gives_less_than_a_model_takes_unless_the_model_runs_elsewhere() {
    let usual = |tokens| Some(Known { tokens, source: Source::Usual, server: Server::Ollama });
    let plain = details("stop \"x\"");
    assert_eq!(ollama_set(&plain), usual(4_096));
    let mut small = plain.clone();
    small["model_info"]["qwen2.context_length"] = json!(2_048);
    assert_eq!(ollama_set(&small), usual(2_048));
    assert_eq!(ollama_set(&json!({ "details": { "family": "qwen2" } })), usual(4_096));
    let mut elsewhere = plain;
    elsewhere["remote_model"] = json!("qwen3-coder:480b");
    assert_eq!(ollama_set(&elsewhere), Some(told(32_768, Server::Ollama)));
    let nameless = json!({ "remote_model": "m", "model_info": { "llama.context_length": 8_192 } });
    assert_eq!(ollama_set(&nameless), Some(told(8_192, Server::Ollama)));
    assert_eq!(ollama_set(&json!({ "error": "Unexpected endpoint" })), None);
}

#[test]
fn what_is_set_counts_unless_the_server_loaded_less() {
    let known = |tokens, source| Some(Known { tokens, source, server: Server::Ollama });
    for (set, found, size, is_told) in [
        (None, None, None, false),
        (Some(9_000), None, Some(9_000), false),
        (None, known(4_096, Source::Told), Some(4_096), true),
        (None, known(4_096, Source::Usual), Some(4_096), false),
        (Some(131_072), known(4_096, Source::Told), Some(4_096), true),
        (Some(1_000), known(4_096, Source::Told), Some(1_000), false),
        // a guess never counts more than what is set
        (Some(32_768), known(4_096, Source::Usual), Some(32_768), false),
        (Some(32_768), known(8_192, Source::Assumed), Some(32_768), false),
        (Some(400_000), known(200_000, Source::Published), Some(400_000), false),
    ] {
        assert_eq!(effective(set, found), size, "{set:?} {found:?}");
        assert_eq!(about(set, found).is_told, is_told, "{set:?} {found:?}");
    }
}

#[test]
fn a_guess_is_called_one_and_a_setting_that_is_not_met_is_told() {
    let known = |tokens, source| Known { tokens, source, server: Server::Ollama };
    let usual = notice(None, known(4_096, Source::Usual)).unwrap();
    assert!(usual.contains("Ollama does not say"), "{usual}");
    assert!(usual.contains("4,096") && usual.contains("`context_window`"), "{usual}");
    let assumed = notice(None, Known::assumed(false)).unwrap();
    assert!(assumed.contains("8,192") && assumed.contains("`context_window`"), "{assumed}");
    let less = notice(Some(131_072), known(4_096, Source::Told)).unwrap();
    assert!(less.contains("set to 131,072, but"), "{less}");
    assert!(less.contains("4,096") && less.contains("OLLAMA_CONTEXT_LENGTH=32768"), "{less}");
    for (set, source) in [
        (None, Source::Told),
        (None, Source::Published),
        (Some(4_096), Source::Told),
        (Some(2_048), Source::Told),
        (Some(65_536), Source::Usual),
        (Some(65_536), Source::Assumed),
    ] {
        assert_eq!(notice(set, known(4_096, source)), None, "{set:?} {source:?}");
    }
}

#[test]
fn each_kind_of_server_is_given_a_larger_window_in_its_own_way() {
    for (server, words) in [
        (Server::Ollama, "OLLAMA_CONTEXT_LENGTH=32768 ollama serve"),
        (Server::Ollama, "PARAMETER num_ctx 32768"),
        (Server::Studio, "lms load NAME --context-length 32768"),
        (Server::Llama, "-c 32768"),
        (Server::Vllm, "--max-model-len 32768"),
        (Server::Sglang, "--context-length 32768"),
    ] {
        assert!(server.widen().contains(words), "{}", server.widen());
    }
}

#[test]
fn vllm_is_known_by_its_version_and_sglang_by_its_model() {
    assert!(is_vllm(&json!({ "version": "0.11.0" })));
    assert!(!is_vllm(&json!({ "detail": "Not Found" })));
    assert!(is_sglang(&json!({ "model_path": "Qwen/Qwen3-8B", "is_generation": true })));
    assert!(!is_sglang(&json!({ "detail": "Not Found" })));
}

#[test]
fn a_list_may_stand_without_the_object_around_it() {
    let list = json!([
        { "id": "openai/gpt-oss-20b", "object": "model", "context_length": 131_072 },
        { "id": "other", "object": "model", "context_length": 2_048 },
    ]);
    assert_eq!(listed_there(&list, "openai/gpt-oss-20b"), Some(131_072));
}

#[test]
fn numbers_that_cannot_be_meant_are_none() {
    for wrong in [json!(0), json!(-1), json!(255), json!(1e30), json!("8192"), json!(null)] {
        let props = json!({ "default_generation_settings": { "n_ctx": wrong } });
        assert_eq!(llama(&props), None, "{wrong}");
        let list = json!({ "data": [{ "id": "m", "max_model_len": wrong }] });
        assert_eq!(listed_there(&list, "m"), None, "{wrong}");
    }
    for answer in [json!(null), json!([]), json!("x"), json!({ "data": {}, "models": 7 })] {
        assert_eq!((llama(&answer), listed_there(&answer, "m")), (None, None));
        assert_eq!((studio(&answer, "m"), is_vllm(&answer)), (None, false));
        assert_eq!((ollama_runs(&answer, "m"), ollama_set(&answer)), (None, None));
    }
}

/// What is known of these models where a service serves them, or nobody knows who.
#[track_caller]
fn check_known(hosted: bool, cases: &[(&str, Option<u64>)]) {
    for (model, tokens) in cases {
        assert_eq!(known::known(model, hosted), *tokens, "{model}");
    }
}

#[test]
fn the_table_can_be_read_and_the_longest_name_counts() {
    let table = known::table();
    assert!(table.windows.len() > 20 && table.hosted.len() > 20);
    assert!(table.windows.values().chain(table.hosted.values()).all(|n| SIZES.contains(n)));
    let cases = [
        ("gpt-4", Some(8_192)),
        ("gpt-4-0613", Some(8_192)),
        ("gpt-4-turbo-2024-04-09", Some(128_000)),
        ("gpt-4o-mini", Some(128_000)),
        ("gpt-5-mini-2025-08-07", Some(400_000)),
        ("gpt-5-chat-latest", Some(128_000)),
        ("gpt-5.3-codex-spark", Some(128_000)),
        ("gpt-5.4-2026-03-05", Some(1_050_000)),
        ("gpt-5.4-mini", Some(400_000)),
        ("gpt-5.6-luna", Some(1_050_000)),
        ("o3-mini", Some(200_000)),
        ("gemini-2.5-flash-lite", Some(1_048_576)),
        ("gemini-3-pro-preview", Some(1_048_576)),
        ("grok-4-0709", Some(256_000)),
        ("grok-4-fast-non-reasoning", Some(2_000_000)),
        // never taken for one that it only begins like
        ("gpt-4.5-preview", None),
        ("gpt-50", None),
        ("o30", None),
        ("grok-4.20", None),
        ("qwen2.5-coder:7b", None),
        ("", None),
    ];
    check_known(true, &cases);
    check_known(false, &cases);
}

#[test]
fn names_are_known_as_gateways_write_them() {
    check_known(
        true,
        &[
            ("openai/gpt-4.1-mini", Some(1_047_576)),
            ("openai/gpt-5-mini", Some(400_000)),
            ("anthropic/Claude-Sonnet-4-5", Some(200_000)),
            ("anthropic/claude-sonnet-4.5", Some(200_000)),
            ("anthropic/claude-opus-4.6:beta", Some(1_000_000)),
            ("claude-opus-4-20250514", Some(200_000)),
            ("claude-sonnet-4-5@20250929", Some(200_000)),
            ("claude-3.5-sonnet", Some(200_000)),
            ("us.anthropic.claude-haiku-4-5-20251001-v1:0", Some(200_000)),
            ("anthropic/claude-opus-5.5", Some(1_000_000)),
            ("google/gemini-2.5-pro", Some(1_048_576)),
            ("x-ai/grok-4.1-fast:free", Some(2_000_000)),
            ("qwen/qwen3-coder:free", Some(262_144)),
            ("Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", Some(262_144)),
            ("deepseek-ai/DeepSeek-V3.1", Some(128_000)),
            ("deepseek/deepseek-v4-flash", Some(1_000_000)),
            ("accounts/fireworks/models/glm-5p2", Some(1_000_000)),
            ("accounts/fireworks/models/kimi-k2p6", Some(262_000)),
            ("accounts/fireworks/models/deepseek-v4p1-flash", Some(1_000_000)),
            ("z-ai/glm-4.5-air", Some(131_072)),
            ("moonshotai/Kimi-K2-Instruct-0905", Some(131_072)),
            ("meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo", Some(128_000)),
            ("openai/gpt-oss-120b", Some(131_072)),
            ("MiniMaxAI/MiniMax-M2", Some(196_608)),
            ("mistralai/devstral-small-2505", Some(128_000)),
            ("codestral-latest", Some(256_000)),
            // conversions are not read into other names
            ("qwen3-vl-8b", None),
            ("llama3.1-8b", None),
        ],
    );
}

#[test]
fn what_anybody_can_serve_is_only_known_at_services() {
    for model in ["qwen3-coder:30b", "gpt-oss:20b", "glm-4.6", "devstral-small-2505"] {
        assert_eq!(known::known(model, false), None, "{model}");
    }
    assert_eq!(known::known("gpt-oss:20b", true), Some(131_072));
    assert_eq!(known::known("gpt-5-mini", false), Some(400_000));
}
