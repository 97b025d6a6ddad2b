//! A script beside settings that cannot be used.

use super::{Place, broken_config};

#[tokio::test]
async fn keys_that_cannot_be_used_are_no_matter_where_there_is_no_screen() {
    let place = Place::new();
    let script = place.script("[[reply]]\ntext = 'hi'\n");
    let config = place.dir.path().join("home/.config/mcc-tui");
    std::fs::create_dir_all(&config).unwrap();
    for keys in ["f5 = 'no-such-action'", "f5 = 7"] {
        std::fs::write(config.join("config.toml"), format!("[keys]\n{keys}\n")).unwrap();
        let run = place.run(&["--script", &script, "-p", "go"]).await;
        assert_eq!((run.code, run.out.as_str()), (0, "hi\n"), "{}", run.err);
        assert!(!run.err.contains("keys"), "{}", run.err);
    }
}

#[tokio::test]
async fn a_script_goes_on_without_settings_that_cannot_be_used_and_says_so() {
    let place = Place::new();
    let script = place.script("[[reply]]\ntext = 'hi'\n");
    broken_config(&place.project());
    let run = place.run(&["--script", &script, "-p", "go"]).await;
    assert_eq!((run.code, run.out.as_str()), (0, "hi\n"), "{}", run.err);
    let words = ["The settings cannot be used.", "unknown key `modle`", "runs without them"];
    assert!(words.iter().all(|words| run.err.contains(words)), "{}", run.err);
    assert_eq!(run.err.matches("modle").count(), 1, "{}", run.err);
}
