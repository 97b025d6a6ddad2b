//! What goes with requests, and to which server: the key, headers, fields, quirks.

use super::*;

#[test]
fn a_project_file_cannot_lead_the_key_to_another_server() {
    let evil = "base_url = 'https://evil.example/v1'\nmodel = 'm'\n";
    let case = Case::new().project(evil).env("OPENAI_API_KEY", "secret");
    let server = case.server();
    assert_eq!(server.key, None);
    assert!(server.key_withheld.unwrap().contains("--base-url https://evil.example/v1"));

    let named = Case::new().project(evil).user("base_url = 'https://evil.example/v1'\n");
    assert_eq!(named.env("OPENAI_API_KEY", "k").server().key.as_deref(), Some("k"));

    let mut flag = Case::new().project(evil).env("OPENAI_API_KEY", "k");
    flag.flags.base_url = Some("https://evil.example/v1".into());
    assert_eq!(flag.server().key.as_deref(), Some("k"));

    // Spellings that two readers of addresses may take for two hosts, and a port of this machine
    // where somebody else may listen.
    for url in [
        r"https://evil.example\@localhost/v1",
        "https:evil.example/://localhost/v1",
        "http://127.0.0.1:1/v1",
    ] {
        let case = Case::new().project(&format!("base_url = '{url}'\n"));
        assert_eq!(case.env("OPENAI_API_KEY", "k").server().key, None, "{url}");
    }

    Case::new().project("api_key_env = 'AWS_SECRET'\n").fails(
        "project.toml",
        None,
        "may only stand in your own config file",
    );
}

#[test]
fn debug_output_never_holds_the_key() {
    let server = Case::new().env("OPENAI_API_KEY", "sk-very-secret").server();
    assert!(!format!("{server:?}").contains("very-secret"));
}

const HEADERS: &str = "[headers]\nX-Team = 'blue'\nX-Token = 'Token ${MY_TOKEN}'\n";

#[test]
fn headers_take_what_the_environment_says_and_are_never_shown() {
    let case = Case::new().user(&format!("model = 'm'\n{HEADERS}")).env("MY_TOKEN", "s3cret-t0ken");
    let server = case.server();
    let got: Vec<_> = server.headers.iter().map(|h| (h.name.as_str(), h.value.as_str())).collect();
    assert_eq!(got, [("X-Team", "blue"), ("X-Token", "Token s3cret-t0ken")]);
    assert_eq!(server.headers[1].secrets, ["s3cret-t0ken"]);
    assert!(!format!("{server:?}").contains("t0ken"));
    Case::new().user(HEADERS).fails(
        "user.toml",
        None,
        "`X-Token` in [headers] needs the variable MY_TOKEN",
    );
    Case::new().user("[headers]\n'a b' = 'x'\n").fails("user.toml", Some(2), "is no name");
    Case::new().user("[headers]\nok = 'x'\nbad = \"a\\nb\"\n").fails(
        "user.toml",
        Some(3),
        "`bad` has a value",
    );
    Case::new().user("[headers]\nx = 1\n").fails("user.toml", Some(2), "`x` has to be text in");
}

#[test]
fn headers_of_the_user_go_to_no_server_that_only_the_project_names() {
    let project = "base_url = 'https://evil.example/v1'\nmodel = 'm'\n";
    let case = Case::new().project(project).user(HEADERS);
    let server = case.server();
    assert_eq!(server.headers, []);
    assert!(server.key_withheld.unwrap().contains("your headers"));
    // They were meant for the user's own server, so the usual one is a stranger too.
    let usual = format!("base_url = '{OPENAI}'\n");
    let own = format!("base_url = 'https://mine.example/v1'\n{HEADERS}");
    assert_eq!(Case::new().project(&usual).user(&own).server().headers, []);
    let named = format!("base_url = 'https://evil.example/v1'\n{HEADERS}");
    let named = Case::new().project(project).user(&named).env("MY_TOKEN", "t");
    assert_eq!(named.server().headers.len(), 2);
    let mut flag = Case::new().project(project).user(HEADERS).env("MY_TOKEN", "t");
    flag.flags.base_url = Some("https://evil.example/v1".into());
    assert_eq!(flag.server().headers.len(), 2);
    Case::new().project(HEADERS).fails(
        "project.toml",
        None,
        "`[headers]` may only stand in your own",
    );
}

#[test]
fn headers_alone_are_for_the_usual_server_and_not_for_one_that_is_found() {
    let server = Case::new().user(HEADERS).env("MY_TOKEN", "t").server();
    assert_eq!((server.base_url.as_str(), server.headers.len()), (OPENAI, 2));
}

#[test]
fn fields_of_both_files_are_put_together_and_none_replaces_what_is_asked() {
    let case = Case::new()
        .user("model = 'm'\n[body]\ntemperature = 0.2\nseed = 1\n")
        .project("[body]\nseed = 2\n[body.thinking]\ntype = 'enabled'\n");
    let want =
        serde_json::json!({ "seed": 2, "temperature": 0.2, "thinking": { "type": "enabled" } });
    assert_eq!(Value::Object(case.server().body), want);
    for name in ["messages", "stream", "tools", "model"] {
        let text = format!("[body]\ntop_p = 1\n{name} = 'x'\n");
        Case::new().project(&text).fails("project.toml", Some(3), &format!("`{name}` "));
    }
    Case::new().user("[body]\ntop_p = nan\n").fails("user.toml", Some(2), "JSON does not have");
}

#[test]
fn an_unknown_quirk_is_an_error_with_the_nearest() {
    let case = Case::new().user("model = 'm'\nquirks = ['ids_9', 'no_stop']\n");
    assert_eq!(case.server().quirks, ["ids_9", "no_stop"]);
    Case::new().project("\nquirks = ['no_stpo']\n").fails(
        "project.toml",
        Some(2),
        "unknown quirk `no_stpo`. Did you mean `no_stop`?",
    );
}
