//! The parts of the doctor that need no server.

use std::path::{Path, PathBuf};

use super::{page::Saved, settings::Settings};
use crate::{
    config::{Config, Flags, Server, Sources},
    protocol::tool_mode::ToolMode,
};

fn settings() -> Settings {
    Settings {
        base_url: "http://localhost:8080/v1".to_owned(),
        model: "qwen \"coder\"".to_owned(),
        tools: Some(ToolMode::Text),
        context_window: Some(16_384),
        quirks: vec!["no_stream_options", "no_stop"],
    }
}

/// What the program makes of this user's file.
fn loaded(user: &Path) -> Box<Server> {
    let sources = Sources {
        flags: Flags::default(),
        env: &|_| None,
        project: PathBuf::from("/dev/null/config.toml"),
        user: Some(user.to_owned()),
    };
    Config::load(&sources).unwrap().model.into_server().unwrap()
}

fn saved_into(settings: &Settings, path: &Path) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let saved = runtime.block_on(settings.save(path.to_owned()));
    matches!(saved, Saved::At(at) if at == path)
}

#[test]
fn what_is_printed_is_a_config_file_that_the_program_reads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    std::fs::write(&path, settings().lines()).unwrap();
    let server = loaded(&path);
    assert_eq!(server.base_url, "http://localhost:8080/v1");
    assert_eq!(server.model, "qwen \"coder\"");
    assert_eq!((server.tools, server.context_window), (ToolMode::Text, Some(16_384)));
    assert_eq!(server.quirks, ["no_stream_options", "no_stop"]);
}

#[test]
fn saving_makes_the_folders_and_a_file_that_only_its_owner_writes() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/config.toml");
    assert!(saved_into(&settings(), &path));
    assert_eq!(loaded(&path).model, "qwen \"coder\"");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o022, 0);
}

#[test]
fn what_else_is_in_the_file_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    let before = "# mine\nmodel = 'old' # the good one\nmax_iterations = 7\n\n# the screen\n[ui]\n\
                  mouse = false # no\n";
    std::fs::write(&path, before).unwrap();
    assert!(saved_into(&settings(), &path));
    let after = std::fs::read_to_string(&path).unwrap();
    let kept = ["# mine\n", " # the good one\n", "max_iterations = 7\n", "# the screen\n[ui]\n"];
    for kept in kept {
        assert!(after.contains(kept), "{kept}: {after}");
    }
    assert!(after.ends_with("mouse = false # no\n"), "{after}");
    assert!(!after.contains("old"), "{after}");
    assert_eq!(loaded(&path).base_url, "http://localhost:8080/v1");
    assert!(saved_into(&settings(), &path));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), after, "twice is the same");
}

#[test]
fn a_file_that_is_no_toml_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    for before in ["model = \n", "[model]\na = 1\n"] {
        std::fs::write(&path, before).unwrap();
        assert!(!saved_into(&settings(), &path));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    }
}

#[test]
fn a_pipe_in_the_place_of_the_file_is_neither_waited_for_nor_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let saved = runtime.block_on(settings().save(path.clone()));
    let Saved::Not(why) = saved else { panic!("it was replaced") };
    assert!(why.contains("it is not a regular file"), "{why}");
    assert!(std::fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
}

#[test]
fn a_link_stays_a_link_and_one_that_leads_nowhere_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (real, link) = (dir.path().join("real.toml"), dir.path().join("link.toml"));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    assert!(!saved_into(&settings(), &link));
    std::fs::write(&real, "# kept\n").unwrap();
    assert!(saved_into(&settings(), &link));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("# kept"));
}

#[test]
fn what_is_not_known_is_no_setting() {
    let settings = Settings { tools: None, context_window: None, quirks: Vec::new(), ..settings() };
    let keys: Vec<_> = settings.entries().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["base_url", "model"]);
}
