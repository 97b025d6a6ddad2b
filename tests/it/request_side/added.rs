//! What the user adds to every request: headers and fields, and to whom they go.

use super::*;

fn header(name: &str, value: &str, secrets: &[&str]) -> Header {
    let secrets = secrets.iter().map(|secret| (*secret).to_owned()).collect();
    Header { name: name.into(), value: value.into(), secrets }
}

#[tokio::test]
async fn headers_of_the_user_go_with_every_request() {
    let list = Reply::new(200, "application/json", r#"{"data":[{"id":"m"}]}"#);
    let server = Server::start(vec![list, Reply::sse(ANSWER)]).await;
    let headers = vec![
        header("X-Api-Key", "k3y-0123456789", &[]),
        header("User-Agent", "other/1", &[]),
        header("Authorization", "Token t0ken-0123456789", &["t0ken-0123456789"]),
    ];
    let api_key = Some("sk-not-this-one".to_owned());
    let provider = OpenAi::new(Settings { headers, api_key, ..settings(&server) }).unwrap();
    assert_eq!(provider.models().await.unwrap(), ["m"]);
    drain(&provider, request("a")).await.unwrap();
    for request in server.requests() {
        let lower = request.to_ascii_lowercase();
        assert!(lower.contains("\r\nx-api-key: k3y-0123456789\r\n"), "{request}");
        assert!(lower.contains("\r\nauthorization: token t0ken-0123456789\r\n"), "{request}");
        assert!(lower.contains("\r\nuser-agent: other/1\r\n"), "{request}");
        assert!(!lower.contains("sk-not-this-one") && !lower.contains("mcc-tui/"), "{request}");
        assert_eq!(lower.matches("\r\nauthorization:").count(), 1);
    }
}

#[tokio::test]
async fn headers_of_the_user_are_in_no_error_and_in_no_debug_text() {
    let echo = json!({ "error": { "message":
        "Bad key k3y-0123456789 or token t0ken-0123456789." } });
    for reply in [
        Reply::new(401, "application/json", echo.to_string()),
        Reply::sse(format!("data: {echo}\n\n")),
    ] {
        let server = Server::start(vec![reply]).await;
        let headers = vec![
            header("x-api-key", "k3y-0123456789", &[]),
            header("x-token", "Token t0ken-0123456789", &["t0ken-0123456789"]),
        ];
        let settings = Settings { headers, ..settings(&server) };
        let provider = OpenAi::new(settings.clone()).unwrap();
        let error = drain(&provider, request("a")).await.unwrap_err();
        assert!(error.message.contains("Bad key [secret] or token [secret]"), "{error}");
        let texts = [format!("{error:?}"), format!("{settings:?}"), format!("{provider:?}")];
        assert!(texts.iter().all(|text| !text.contains("0123456789")), "{texts:?}");
    }
}

#[test]
fn a_secret_header_goes_unencrypted_to_this_machine_only() {
    let far = |headers| Settings { headers, ..Settings::new("http://192.0.2.7:8000/v1", "m") };
    for secret in [header("x-key", "s3cret", &["s3cret"]), header("authorization", "s3cret", &[])] {
        let error = OpenAi::new(far(vec![secret.clone()])).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Config);
        assert!(error.message.contains("not encrypted"), "{error}");
        assert!(!error.message.contains("s3cret"), "{error}");
        let near = Settings { base_url: "http://localhost:1/v1".into(), ..far(vec![secret]) };
        assert!(OpenAi::new(near).is_ok());
    }
    assert!(OpenAi::new(far(vec![header("x-title", "mcc", &[])])).is_ok());
}

#[test]
fn a_field_that_would_replace_the_request_is_refused() {
    for name in ["messages", "stream", "tools", "model"] {
        let mut settings = Settings::new("http://localhost:1/v1", "m");
        field(name, json!(1))(&mut settings);
        let error = OpenAi::new(settings).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Config);
        assert!(error.message.contains(&format!("`{name}` in [body]")), "{error}");
    }
}

#[tokio::test]
async fn what_the_config_file_adds_arrives_at_the_users_server_and_at_no_other() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(vec![Reply::sse(ANSWER)]).await;
    let token = [("MY_TOKEN", "t0ken-0123456789".to_owned())];
    let adds = "[headers]\nx-token = '${MY_TOKEN}'\n[body]\ntemperature = 0.5\n";
    let users = home.path().join(".config/mcc-tui/config.toml");
    write(&users, &format!("base_url = '{}'\nmodel = 'm'\n{adds}", server.base_url()));
    let said = run(home.path(), &[], &token).await;
    let requests = server.requests();
    assert_eq!(body(requests.first().expect(&said))["temperature"], 0.5);
    let all = requests.iter().all(|request| request.contains("x-token: t0ken-0123456789\r\n"));
    assert!(all, "{requests:?}");

    write(&users, adds);
    let strange = Server::start(vec![Reply::sse(ANSWER)]).await;
    let project = format!("base_url = '{}'\nmodel = 'm'\n", strange.base_url());
    write(&home.path().join("project/.mcc-tui/config.toml"), &project);
    let said = run(home.path(), &[], &token).await;
    let requests = strange.requests();
    assert_eq!(body(requests.first().expect(&said))["temperature"], 0.5);
    let told = |request: &String| request.contains("t0ken") || request.contains("x-token");
    assert!(!requests.iter().any(told), "{requests:?}");
}
