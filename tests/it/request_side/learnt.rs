//! What a server refuses is left out, renamed or put in another way, and asked only once.

use super::*;

/// Refuses once in these words, and then takes everything. Gives what was sent: refused, repaired,
/// and the next request.
async fn learn(change: impl FnOnce(&mut Settings), refusal: (u16, &str), name: &str) -> [Value; 3] {
    let no = Reply::new(refusal.0, "application/json", refusal.1);
    let server = Server::start(vec![no, Reply::sse(ANSWER)]).await;
    let mut settings = settings(&server);
    change(&mut settings);
    let provider = OpenAi::new(settings).unwrap();
    let known = provider.quirks().len();
    for _ in 0..2 {
        drain(&provider, request("call_0123456789abcdef")).await.unwrap();
    }
    let learnt = provider.quirks();
    assert!(learnt.contains(&name) && learnt.len() == known + 1, "{learnt:?}");
    let sent: [Value; 3] = bodies(&server).try_into().unwrap();
    assert_eq!(sent[1], sent[2], "the repaired request is the next one");
    assert_ne!(sent[0], sent[1]);
    sent
}

async fn learnt(refusal: (u16, &str), name: &str) -> [Value; 3] {
    learn(|_| {}, refusal, name).await
}

/// The bodies but for one field, which must be all that differs.
fn differ_in(sent: &[Value; 3], field: &str) -> (Option<Value>, Option<Value>) {
    let without = |at: usize| {
        let mut body = sent[at].as_object().unwrap().clone();
        (body.remove(field), body)
    };
    let (before, rest) = without(0);
    let (after, rest_after) = without(1);
    assert_eq!(rest, rest_after, "nothing but {field} is changed");
    (before, after)
}

#[tokio::test]
async fn stream_options_are_left_out() {
    let no = r#"{"error":{"requestid":"eea1c96d","code":400,"message":"Validation error at #/stream_options: Extra inputs are not permitted"}}"#;
    let sent = learnt((400, no), "no_stream_options").await;
    assert_eq!(differ_in(&sent, "stream_options"), (Some(json!({ "include_usage": true })), None));
}

#[tokio::test]
async fn a_word_to_stop_at_is_sent_and_left_out() {
    let no = r#"{"error":{"message":"Unsupported parameter: 'stop' is not supported with this model.","type":"invalid_request_error","param":"stop","code":"unsupported_parameter"}}"#;
    let sent = learnt((400, no), "no_stop").await;
    assert_eq!(differ_in(&sent, "stop"), (Some(json!(["Observation:"])), None));
}

#[tokio::test]
async fn the_longest_answer_is_named_as_the_server_names_it() {
    let openai = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
    let mistral = r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":32000}]},"type":"invalid_request_error","param":null,"code":null}"#;
    for (status, no, from, to) in [
        (400, openai, "max_tokens", "max_completion_tokens"),
        (422, mistral, "max_completion_tokens", "max_tokens"),
    ] {
        let sent = learn(field(from, json!(32_000)), (status, no), to).await;
        assert_eq!((sent[0].get(from), sent[0].get(to)), (Some(&json!(32_000)), None));
        assert_eq!((sent[1].get(from), sent[1].get(to)), (None, Some(&json!(32_000))));
    }
}

#[tokio::test]
async fn a_name_that_is_refused_both_ways_is_given_up() {
    let no = |field: &str| {
        let no = json!({ "error": { "message": format!("{field}: Extra inputs are not permitted, unlike max_tokens") } });
        Reply::new(400, "application/json", no.to_string())
    };
    let server = Server::start(vec![no("max_completion_tokens")]).await;
    let mut settings = settings(&server);
    field("max_tokens", json!(5))(&mut settings);
    let error = drain(&OpenAi::new(settings).unwrap(), request("a")).await.unwrap_err();
    assert_eq!(server.requests().len(), 2, "each name once");
    assert!(error.hint.contains("`max_tokens` stands in [body]"), "{}", error.hint);
}

#[tokio::test]
async fn a_field_of_the_user_is_never_dropped_but_named_with_its_place() {
    let no = r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"provider_name":"OpenAI","raw":"{\n  \"error\": {\n    \"message\": \"Unsupported parameter: 'temperature' is not supported with this model.\",\n    \"type\": \"invalid_request_error\",\n    \"param\": \"temperature\",\n    \"code\": null\n  }\n}"}},"user_id":"user_REDACTED"}"#;
    let stop = r#"{"code":"Client specified an invalid argument","error":"Argument not supported on this model: stop"}"#;
    for (name, no) in [("temperature", no), ("stop", stop)] {
        let server = Server::start(vec![Reply::new(400, "application/json", no)]).await;
        let mut settings = settings(&server);
        field(name, json!("x"))(&mut settings);
        let provider = OpenAi::new(settings).unwrap();
        let error = drain(&provider, request("a")).await.unwrap_err();
        let last = bodies(&server).pop().unwrap();
        assert_eq!(last[name], "x");
        assert!(error.message.contains("supported"), "{error}");
        assert!(error.hint.contains(&format!("`{name}` stands in [body]")), "{}", error.hint);
    }
}

#[tokio::test]
async fn reasoning_is_sent_back_once_it_is_asked_for_and_not_before() {
    let moonshot = r#"{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 3","type":"invalid_request_error"}}"#;
    let deepseek = r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#;
    for no in [moonshot, deepseek] {
        let sent = learnt((400, no), "reasoning_content").await;
        assert!(!sent[0].to_string().contains("reasoning_content"));
        let message = &sent[1]["messages"][3];
        assert_eq!(message["reasoning_content"], "I should read it.");
        assert_eq!(message["tool_calls"], sent[0]["messages"][3]["tool_calls"]);
    }
}

#[tokio::test]
async fn content_beside_calls_is_null_and_then_not_there() {
    let empty = r#"{"error":{"message":"messages: text content blocks must be non-empty","type":"invalid_request_error"}}"#;
    let null = r#"{"error":{"message":"invalid message content type: <nil>","type":"invalid_request_error","param":null,"code":null}}"#;
    let replies = vec![
        Reply::new(400, "application/json", empty),
        Reply::new(400, "application/json", null),
        Reply::sse(ANSWER),
    ];
    let server = Server::start(replies).await;
    let provider = OpenAi::new(settings(&server)).unwrap();
    for _ in 0..2 {
        drain(&provider, request("a")).await.unwrap();
    }
    assert_eq!(provider.quirks(), ["null_content", "no_content"]);
    let contents: Vec<_> =
        bodies(&server).iter().map(|body| body["messages"][3].get("content").cloned()).collect();
    assert_eq!(contents, [Some(json!("")), Some(Value::Null), None, None]);
}

fn roles(body: &Value) -> Vec<&str> {
    body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_answer_stands_between_the_results_and_the_user() {
    let no = r#"{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","param":null,"code":"3230"}"#;
    let sent = learnt((400, no), "answer_after_tools").await;
    assert_eq!(roles(&sent[0]), ["system", "user", "user", "assistant", "tool", "user"]);
    let want = ["system", "user", "user", "assistant", "tool", "assistant", "user"];
    assert_eq!(roles(&sent[1]), want);
}

#[tokio::test]
async fn roles_alternate_where_they_have_to() {
    let no = r#"{"error":{"code":500,"message":"\n------------\nWhile executing CallExpression at line 189, column 32 in source:\n...== 0) %}↵            {{- raise_exception('After the optional system message, con...\n                                           ^\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.","type":"server_error"}}"#;
    let sent = learnt((500, no), "alternate_roles").await;
    assert_eq!(roles(&sent[1]), ["system", "user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(sent[1]["messages"][1]["content"], "one\n\ntwo");
    assert_eq!(sent[1]["messages"][5]["content"], "three");
}

#[tokio::test]
async fn instructions_go_in_front_of_the_first_words_of_the_user() {
    let vllm = r#"{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}"#;
    let openai = r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}}"#;
    for no in [vllm, openai] {
        let sent = learnt((400, no), "system_in_user").await;
        assert_eq!(roles(&sent[1]), ["user", "user", "assistant", "tool", "user"]);
        assert_eq!(sent[1]["messages"][0]["content"], "Be brief.\n\none");
    }
}

#[tokio::test]
async fn where_the_roles_alternate_already_the_instructions_are_what_is_refused() {
    let no = r#"{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/... at row 19, column 27:\n","type":"server_error"}}"#;
    let server =
        Server::start(vec![Reply::new(500, "application/json", no), Reply::sse(ANSWER)]).await;
    let provider = OpenAi::new(settings(&server)).unwrap();
    let messages = vec![Message::System { text: "Be brief.".into() }, user("hello")];
    drain(&provider, Request::new(messages, Arc::new([]))).await.unwrap();
    assert_eq!(provider.quirks(), ["system_in_user"]);
    let want = json!([{ "role": "user", "content": "Be brief.\n\nhello" }]);
    assert_eq!(bodies(&server)[1]["messages"], want);
}

#[tokio::test]
async fn ids_of_calls_take_the_form_of_the_server() {
    let mistral = r#"{"object":"error","message":"Tool call id was call_0123456789abcdef but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","param":null,"code":"3280","raw_status_code":400}"#;
    let sent = learnt((400, mistral), "ids_9").await;
    let id = sent[1]["messages"][3]["tool_calls"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 9);
    assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    assert_eq!(sent[1]["messages"][4]["tool_call_id"], id.as_str());

    for (most, name) in [(40, "ids_40"), (64, "ids_64")] {
        let no = json!({ "error": {
            "message": format!("Invalid 'messages[3].tool_calls[0].id': string too long. Expected \
                                a string with maximum length {most}, but got a string with length \
                                86 instead."),
            "type": "invalid_request_error", "param": "messages[3].tool_calls[0].id",
            "code": "string_above_max_length" } });
        let no = Reply::new(400, "application/json", no.to_string());
        let server = Server::start(vec![no, Reply::sse(ANSWER)]).await;
        let provider = OpenAi::new(settings(&server)).unwrap();
        drain(&provider, request(&"x".repeat(86))).await.unwrap();
        drain(&provider, request("call_1")).await.unwrap();
        assert_eq!(provider.quirks(), [name]);
        let sent = bodies(&server);
        assert_eq!(sent.len(), 3);
        let id = sent[1]["messages"][3]["tool_calls"][0]["id"].as_str().unwrap();
        assert!(id.len() <= most, "{id}");
        assert_eq!(sent[1]["messages"][4]["tool_call_id"], id);
        assert_eq!(sent[2]["messages"][4]["tool_call_id"], "call_1", "one that fits stays");
    }
}

#[tokio::test]
async fn schemas_are_made_plain_for_servers_that_know_few_keywords() {
    let no = r#"{"error":{"message":"Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field.","code":400}}"#;
    let sent = learnt((400, no), "plain_schemas").await;
    let schema = |at: usize| sent[at]["tools"][0]["function"]["parameters"].clone();
    assert_eq!(schema(0), json!({ "type": "object", "additionalProperties": false }));
    assert_eq!(schema(1), json!({ "type": "object" }));
}

#[tokio::test]
async fn several_lessons_are_learnt_in_one_request() {
    let no = |message: &str| {
        let no = json!({ "object": "error", "message": message }).to_string();
        Reply::new(400, "application/json", no)
    };
    let replies = vec![
        no("System role not supported"),
        no("Extra inputs are not permitted, field: 'stream_options'"),
        no("Unexpected role 'user' after role 'tool'"),
        Reply::sse(ANSWER),
    ];
    let server = Server::start(replies).await;
    let provider = OpenAi::new(settings(&server)).unwrap();
    drain(&provider, request("a")).await.unwrap();
    assert_eq!(provider.quirks(), ["no_stream_options", "answer_after_tools", "system_in_user"]);
    drain(&provider, request("a")).await.unwrap();
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test]
async fn a_quirk_that_is_set_needs_no_refusal() {
    let server = Server::start(vec![Reply::sse(ANSWER)]).await;
    let quirks = vec!["no_stream_options".to_owned()];
    let provider = OpenAi::new(Settings { quirks, ..settings(&server) }).unwrap();
    assert_eq!(provider.quirks(), ["no_stream_options"]);
    drain(&provider, request("a")).await.unwrap();
    assert_eq!(bodies(&server)[0].get("stream_options"), None);
    let quirks = vec!["no_stream_option".to_owned()];
    let error = OpenAi::new(Settings { quirks, ..settings(&server) }).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Config);
    assert!(error.message.contains("There is no quirk \"no_stream_option\""), "{error}");
}

#[tokio::test]
async fn an_error_in_an_open_stream_is_a_lesson_for_the_next_try() {
    let no = r#"{"error":{"message":"Error rendering prompt with jinja template: \"Conversation roles must alternate user/assistant/user/assistant/...\"."}}"#;
    let no = Reply::sse(format!("event: error\ndata: {no}\n\n"));
    let server = Server::start(vec![no, Reply::sse(ANSWER)]).await;
    let provider = OpenAi::new(settings(&server)).unwrap();
    let error = drain(&provider, request("a")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Server, "which the turn tries again");
    drain(&provider, request("a")).await.unwrap();
    assert_eq!(provider.quirks(), ["alternate_roles"]);
    assert_eq!(bodies(&server)[1]["messages"][1]["content"], "one\n\ntwo");
}
