//! Shapes of errors that no recording has.

use serde_json::json;

use super::*;

fn read(status: u16, body: &str) -> ProviderError {
    let answer = HttpAnswer { status, retry_after: None, body };
    ProviderError::from_http(&answer, &Origin::default())
}

#[test]
fn a_body_without_words_still_gives_a_sentence() {
    for body in ["", "{}", "null", "{\"error\":{}}", "[]"] {
        let error = read(500, body);
        assert_eq!(
            error.message,
            "The server answered 500 Internal Server Error and gave no reason."
        );
        assert_eq!(error.kind, ErrorKind::Server);
    }
}

#[test]
fn an_error_in_an_array_is_found() {
    let error = read(400, r#"[{"error":{"code":400,"message":"bad field"}}]"#);
    assert_eq!(error.message, "The server answered 400: bad field");
}

#[test]
fn a_validation_report_names_the_field() {
    let error = read(422, r#"{"detail":[{"loc":["body","messages",0],"msg":"Field required"}]}"#);
    assert!(error.message.ends_with("body.messages.0: Field required"), "{error}");
}

#[test]
fn control_characters_do_not_come_through() {
    let error = read(500, "{\"error\":\"a\\u001b[31mb\\nc\"}");
    assert_eq!(error.message, "The server answered 500: a[31mb c");
}

#[test]
fn nesting_without_end_is_cut_and_not_followed() {
    let deep = (0..100).fold(json!("x"), |inner, _| json!({ "error": inner }));
    assert_eq!(read(500, &deep.to_string()).kind, ErrorKind::Server);
}

#[test]
fn a_request_that_fails_in_the_same_way_again_is_no_server_error() {
    let error = read(500, r#"{"error":{"message":"Failed to parse tool call arguments as JSON"}}"#);
    assert_eq!(error.kind, ErrorKind::BadRequest);
}

#[test]
fn a_missing_key_and_a_wrong_key_get_different_hints() {
    let answer = HttpAnswer { status: 401, retry_after: None, body: "" };
    let mut origin = Origin { key_source: "MY_KEY".into(), ..Origin::default() };
    let without = ProviderError::from_http(&answer, &origin).hint;
    assert!(without.contains("set MY_KEY") && without.contains("api_key_env"), "{without}");
    origin.key = Some("secret-key".into());
    let with = ProviderError::from_http(&answer, &origin).hint;
    assert!(with.contains("Check the key in MY_KEY") && !with.contains("secret-key"), "{with}");
}

#[test]
fn an_event_with_a_code_is_read_like_an_answer_with_that_status() {
    let error = ProviderError::from_event(
        &json!({ "message": "Upstream is busy", "code": 503 }),
        &Origin::default(),
    );
    assert_eq!((error.status, error.kind), (Some(503), ErrorKind::Server));
    assert!(error.message.contains("Upstream is busy"), "{error}");
}

#[test]
fn who_is_forbidden_something_is_told_of_the_key_only_where_it_may_be_the_key() {
    for (status, body, is_of_key) in [
        (403, r#"{"error":{"message":"Country, region, or territory not supported"}}"#, false),
        (403, r#"{"error":{"message":"This model is not open to you."}}"#, false),
        (403, r#"{"error":{"message":"Your API key may not use this model."}}"#, true),
        (403, r#"{"error":{"message":"Forbidden","type":"authentication_error"}}"#, true),
        (403, "", true),
        (401, r#"{"error":{"message":"No."}}"#, true),
    ] {
        let error = read(status, body);
        assert_eq!(error.kind, ErrorKind::Auth, "{body}");
        assert_eq!(error.hint.contains("OPENAI_API_KEY"), is_of_key, "{body}: {}", error.hint);
    }
}

#[test]
fn a_wait_that_the_server_asks_for_is_told_once() {
    let after = |seconds| HttpAnswer {
        status: 429,
        retry_after: Some(Duration::from_secs(seconds)),
        body: "slow down",
    };
    let hint = |seconds| ProviderError::from_http(&after(seconds), &Origin::default()).hint;
    assert!(hint(20).starts_with("Wait 20 s and try again, or"), "{}", hint(20));
    let long = hint(600);
    assert!(long.starts_with("The server asks to wait 10:00 min: try again then, or"), "{long}");
}
