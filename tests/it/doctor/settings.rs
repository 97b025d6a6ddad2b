//! The settings that the checks lead to: found, told, and saved.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_does_not_take_becomes_a_setting() {
    let model = Model { takes_options: false, counts: false, ..Model::default() }.start().await;
    let place = Place::new();
    let run = place.run(&["doctor", &model.base_url(), "--save"]).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("\nquirks = [\"no_stream_options\"]\n"), "{}", run.out);
    let before = model.requests().len();
    let run = place.run(&["doctor", "--json"]).await;
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["config"]["quirks"], json!(["no_stream_options"]));
    let is_asked = |request: &String| request.contains("stream_options");
    assert!(!model.requests()[before..].iter().any(is_asked), "it is not tried again");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_several_models_the_first_is_used_with_a_note_or_the_one_that_is_set() {
    let model = Model { names: vec!["a".into(), "b".into()], ..Model::default() }.start().await;
    let place = Place::new();
    let run = place.run(&["doctor", &model.base_url()]).await;
    assert!(flat(&run.out).contains("2 models: a, b. None is set, so the first is used"));
    assert!(run.out.contains("\nmodel = \"a\"\n"), "{}", run.out);
    let run = place.run(&["doctor", "--base-url", &model.base_url(), "-m", "b"]).await;
    assert!(run.out.contains("\nmodel = \"b\"\n"), "{}", run.out);
    // A model that a file sets for another server is not asked of this one.
    std::fs::write(place.config(), "base_url = 'http://127.0.0.1:9/v1'\nmodel = 'else'").unwrap();
    let run = place.run(&["doctor", &model.base_url()]).await;
    assert!(flat(&run.out).contains("else is set, for another server it seems"), "{}", run.out);
    assert!(run.out.contains("\nmodel = \"a\"\n"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_nothing_set_a_server_on_this_machine_is_found() {
    let model = Model::default().start().await;
    let place = Place::new();
    let mut command = place.command(&["doctor"]);
    command.env_remove("MCC_NO_DISCOVERY").env("MCC_DISCOVER", model.base_url());
    let run = outcome(command.spawn().unwrap()).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(flat(&run.out).contains("No server is set; found one at 127.0.0.1:"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn save_keeps_what_is_in_the_file_and_the_next_run_needs_no_flags() {
    let model = Model::default().start().await;
    let place = Place::new();
    let before = "# mine\nmodel = 'old' # why\n\n[ui]\nmouse = false # no mouse\n";
    std::fs::write(place.config(), before).unwrap();
    let run = place.run(&["doctor", &model.base_url(), "--save"]).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(flat(&run.out).contains("Saved in"), "{}", run.out);
    let after = std::fs::read_to_string(place.config()).unwrap();
    let expected = format!(
        "# mine\nmodel = \"small\" # why\nbase_url = \"{}\"\ntools = \"native\"\n\
         \n[ui]\nmouse = false # no mouse\n",
        model.base_url()
    );
    assert_eq!(after, expected);
    let run = place.run(&["doctor"]).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(flat(&run.out).contains("small is used, as it is set"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn save_leaves_a_broken_file_alone_and_saves_nothing_that_does_not_work() {
    let model = Model::default().start().await;
    let place = Place::new();
    for broken in ["model = \n", "modle = 'x'\n"] {
        std::fs::write(place.config(), broken).unwrap();
        let run = place.run(&["doctor", &model.base_url(), "--save"]).await;
        assert_eq!(run.code, 78, "{}{}", run.out, run.err);
        assert!(flat(&run.out).contains("config.toml:1: "), "{}", run.out);
        assert!(flat(&run.out).contains("Not saved: "), "{}", run.out);
        assert_eq!(std::fs::read_to_string(place.config()).unwrap(), broken);
    }
    std::fs::remove_file(place.config()).unwrap();
    let dumb = Model { tools: Tools::Refused, ..Model::default() }.start().await;
    let run = place.run(&["doctor", &dumb.base_url(), "--save"]).await;
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(!place.config().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_of_a_project_is_not_made_the_users_own() {
    let model = Model::default().start().await;
    let place = Place::new();
    let project = place.dir.path().join("project/.mcc-tui");
    std::fs::create_dir(&project).unwrap();
    let settings = format!("base_url = '{}'\n", model.base_url());
    std::fs::write(project.join("config.toml"), settings).unwrap();
    let run = place.run(&["doctor", "--save"]).await;
    assert_eq!(run.code, 78, "{}{}", run.out, run.err);
    assert!(flat(&run.out).contains("Not saved: the address comes from"), "{}", run.out);
    assert!(!place.config().exists());
    let run = place.run(&["doctor", &model.base_url(), "--save"]).await;
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(place.config().exists(), "named by the user, it is their own");
}
