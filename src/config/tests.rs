//! Order of sources, errors with file and line, and where a key may go.

mod requests;

use std::collections::HashMap;

use super::*;

struct Case {
    dir: tempfile::TempDir,
    env: HashMap<&'static str, &'static str>,
    flags: Flags,
}

impl Case {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), env: HashMap::new(), flags: Flags::default() }
    }

    fn project(self, text: &str) -> Self {
        std::fs::write(self.dir.path().join("project.toml"), text).unwrap();
        self
    }

    fn user(self, text: &str) -> Self {
        std::fs::write(self.dir.path().join("user.toml"), text).unwrap();
        self
    }

    fn env(mut self, name: &'static str, value: &'static str) -> Self {
        self.env.insert(name, value);
        self
    }

    fn load(&self) -> Result<Config, ConfigError> {
        let env = |name: &str| self.env.get(name).map(|value| (*value).to_owned());
        Config::load(&Sources {
            flags: self.flags.clone(),
            env: &env,
            project: self.dir.path().join("project.toml"),
            user: Some(self.dir.path().join("user.toml")),
        })
    }

    fn server(&self) -> Server {
        *self.load().unwrap().model.into_server().unwrap()
    }

    #[track_caller]
    fn fails(&self, file: &str, line: Option<usize>, words: &str) {
        let error = self.load().unwrap_err();
        assert_eq!(error.path, self.dir.path().join(file));
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn nothing_set_is_no_choice() {
    let config = Case::new().load().unwrap();
    assert_eq!(config.model, ModelChoice::Unset);
    assert_eq!((config.max_iterations, config.mouse), (20, None));
    let blank = Case::new().env("OPENAI_API_KEY", "  ").env("MCC_MODEL", "").load().unwrap();
    assert_eq!(blank.model, ModelChoice::Unset);
}

#[test]
fn the_search_for_a_server_can_be_switched_off_and_led_elsewhere() {
    let search = |case: Case| case.load().unwrap().search;
    assert_eq!(search(Case::new()), Search::Usual);
    assert_eq!(search(Case::new().env("MCC_NO_DISCOVERY", " ")), Search::Usual);
    assert_eq!(search(Case::new().env("MCC_NO_DISCOVERY", "1")), Search::Off);
    assert_eq!(search(Case::new().user("discover = false\n")), Search::Off);
    let project = || Case::new().user("discover = false\n").project("discover = true\n");
    assert_eq!(search(project()), Search::Usual);
    let named = |case: Case| case.env("MCC_DISCOVER", " http://a:1/v1,, http://b/v1 ");
    let there = Search::At(vec!["http://a:1/v1".to_owned(), "http://b/v1".to_owned()]);
    assert_eq!(search(named(Case::new())), there);
    assert_eq!(search(named(Case::new().user("discover = false\n"))), there);
    assert_eq!(search(named(Case::new().env("MCC_NO_DISCOVERY", "1"))), Search::Off);
    Case::new().user("discover = 'no'\n").fails("user.toml", Some(1), "true or false");
}

#[test]
fn the_first_source_that_is_set_wins() {
    let mut case = Case::new().user("model = 'user'\nmax_iterations = 1\n");
    assert_eq!(case.server().model, "user");
    case = case.project("model = 'project'\nmax_iterations = 2\n");
    assert_eq!(case.server().model, "project");
    assert_eq!(case.load().unwrap().max_iterations, 2);
    case = case.env("MCC_MODEL", "env");
    assert_eq!(case.server().model, "env");
    case.flags.model = Some("flag".into());
    case.flags.max_iterations = Some(3);
    assert_eq!(case.server().model, "flag");
    assert_eq!(case.load().unwrap().max_iterations, 3);
}

#[test]
fn a_key_alone_means_openai_and_an_address_alone_needs_no_key() {
    let openai = Case::new().env("OPENAI_API_KEY", "k").server();
    assert_eq!((openai.base_url.as_str(), openai.key.as_deref()), (OPENAI, Some("k")));
    let local = Case::new().env("OPENAI_BASE_URL", "http://localhost:11434/v1").server();
    assert_eq!((local.key, local.model.as_str()), (None, ""));
}

#[test]
fn errors_name_file_line_and_the_nearest_key() {
    Case::new().project("model = 'x'\n\nmodle = 'y'\n").fails(
        "project.toml",
        Some(3),
        "unknown key `modle`. Did you mean `model`?",
    );
    Case::new().user("[ui]\nmose = false\n").fails(
        "user.toml",
        Some(2),
        "unknown key `mose` in [ui]. Did you mean `mouse`?",
    );
    Case::new().user("quite_something = 1\n").fails(
        "user.toml",
        Some(1),
        "Known keys: model, base_url",
    );
    // A key that takes minutes to compare is not compared.
    let endless = format!("{} = 1\n", "m".repeat(60_000));
    Case::new().user(&endless).fails("user.toml", Some(1), "Known keys: model, base_url");
    Case::new().user("model = \n").fails("user.toml", Some(1), "");
    Case::new().user("\nmodel = 7\n").fails("user.toml", Some(2), "`model` cannot be 7");
    let case = Case::new();
    std::fs::write(case.dir.path().join("user.toml"), b"model = '\xff'").unwrap();
    case.fails("user.toml", None, "cannot be read");
}

#[test]
fn a_value_of_the_wrong_kind_is_told_in_plain_words_with_an_example() {
    for (line, told) in [
        (
            "context_window = \"lots\"",
            "`context_window` cannot be \"lots\": it has to be a whole number of tokens, like \
             context_window = 32768.",
        ),
        ("context_window = -1", "`context_window` cannot be -1: it has to be a whole number"),
        ("max_iterations = 0", "`max_iterations` cannot be 0: it has to be a whole number from 1"),
        ("idle_timeout_s = 1.5", "`idle_timeout_s` cannot be 1.5: it has to be a whole number of"),
        ("tools = \"nativ\"", "`tools` cannot be \"nativ\": it has to be \"auto\", \"native\" or"),
        ("scheduler = 1", "`scheduler` cannot be 1: it has to be \"effects\", \"batch\" or"),
        ("discover = \"no\"", "`discover` cannot be \"no\": it has to be true or false"),
        ("quirks = \"ids_9\"", "`quirks` cannot be \"ids_9\": it has to be a list of names"),
        ("quirks = [7]", "`quirks` cannot be [7]: it has to be a list of names in quotes, like"),
        (
            "ui = { theme = \"pink\" }",
            "`theme` cannot be \"pink\": it has to be \"auto\", \"dark\",",
        ),
        ("ui.mouse = 1", "`mouse` cannot be 1: it has to be true or false, like mouse = true."),
        ("headers.model = 7", "`model` has to be text in quotes, like model = \"blue\"."),
        ("headers = 7", "`headers` has to be a table: a line [headers]"),
    ] {
        Case::new().user(&format!("\n{line}\n")).fails("user.toml", Some(2), told);
    }
}

#[test]
fn every_key_of_a_file_has_words_for_its_kind() {
    let keys = super::file::KEYS.iter().chain(&super::ui::KEYS).chain(&super::shell::KEYS);
    let keys = keys.chain(&super::budget::KEYS).chain(&super::budget::PRICE_KEYS);
    for key in keys.filter(|key| !super::kinds::TABLES.contains(key)) {
        assert!(super::kinds::KINDS.iter().any(|(known, ..)| known == key), "{key}");
    }
}

#[test]
fn what_is_no_small_regular_file_is_refused_and_not_read() {
    let case = Case::new();
    let user = case.dir.path().join("user.toml");
    std::os::unix::fs::symlink("/dev/zero", &user).unwrap();
    case.fails("user.toml", None, "not a regular file");
    std::fs::remove_file(&user).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &user, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    case.fails("user.toml", None, "not a regular file");
    std::fs::remove_file(&user).unwrap();
    std::fs::File::create(&user).unwrap().set_len(1 << 31).unwrap();
    case.fails("user.toml", None, "larger than 64 KiB");
    std::fs::remove_file(&user).unwrap();
    std::fs::create_dir(&user).unwrap();
    case.fails("user.toml", None, "not a regular file");
}

#[test]
fn the_looks_are_the_projects_before_the_users_and_faults_name_their_line() {
    let case = Case::new()
        .user("[ui]\ntheme = \"light\"\nsigns = \"ascii\"\nlinks = \"off\"\nnotify = false\n")
        .project("[ui]\ntheme = \"high-contrast\"\n");
    let ui = case.load().unwrap().ui;
    let want = Ui {
        theme: ThemeName::HighContrast,
        signs: SignChoice::Ascii,
        links: LinkChoice::Off,
        notify: false,
        ..Ui::default()
    };
    assert_eq!(ui, want);
    let wrong = Case::new().user("[ui]\ntitle = true\nthem = \"dark\"\n");
    wrong.fails("user.toml", Some(3), "Did you mean `theme`?");
    let wrong = Case::new().user("[ui]\ntheme = \"solar\"\n");
    wrong.fails("user.toml", Some(2), "\"high-contrast\"");
}

#[test]
fn keys_are_the_users_alone_and_keep_their_lines() {
    let case = Case::new().user("model = \"m\"\n[keys]\n\"ctrl-t\" = \"fold\"\nf5 = \"redraw\"\n");
    let keys = case.load().unwrap().keys.unwrap();
    let found: Vec<_> =
        keys.iter().map(|key| (key.key.as_str(), key.action.as_str(), key.line)).collect();
    assert_eq!(found, [("ctrl-t", "fold", Some(3)), ("f5", "redraw", Some(4))]);
}

#[test]
fn keys_that_cannot_be_used_take_no_other_setting_with_them() {
    let allow = "[keys]\n\"enter\" = \"allow-session\"\n";
    let cases = [
        (Case::new().project(allow), "project.toml: `[keys]` may only stand in your own"),
        (Case::new().user("[keys]\nf4 = 'fold'\nf5 = 7\n"), "user.toml:3: `f5` in [keys] takes"),
        (Case::new().user("\nkeys = 'fold'\n"), "user.toml:2: `keys` is a table"),
    ];
    for (case, words) in cases {
        let config = case.env("MCC_MODEL", "m").load().unwrap();
        assert_eq!(config.model.server().unwrap().model, "m");
        let error = config.keys.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn variables_pass_into_commands_by_the_users_own_word_alone() {
    let user = "api_key_env = 'MY_KEY'\n[shell]\npass = [\n  'GITHUB_TOKEN',\n  'NPM_TOKEN'\n]\n";
    assert_eq!(Case::new().user(user).load().unwrap().pass, ["GITHUB_TOKEN", "NPM_TOKEN"]);
    assert_eq!(Case::new().load().unwrap().pass, Vec::<String>::new());
    let project = Case::new().project("[shell]\npass = ['GITHUB_TOKEN']\n");
    project.fails("project.toml", None, "`[shell] pass` may only stand in your own config file");
    for (text, line, words) in [
        ("[shell]\npas = []\n", 2, "unknown key `pas` in [shell]. Did you mean `pass`?"),
        ("[shell]\npass = 'GITHUB_TOKEN'\n", 2, "has to be a list of names in quotes"),
        ("[shell]\n\npass = ['$TOKEN']\n", 3, "`$TOKEN` in pass is no name of a variable"),
        ("[shell]\npass = ['OPENAI_API_KEY']\n", 2, "holds the key of the server"),
    ] {
        Case::new().user(text).fails("user.toml", Some(line), words);
    }
}

#[test]
fn budgets_come_from_flags_and_else_from_the_file_that_allows_less() {
    let case = || {
        Case::new()
            .user("[budget]\ntokens = 1000\ncost = 0.5\n")
            .project("[budget]\ntokens = 9000\n")
    };
    let budgets = case().load().unwrap().budgets;
    assert_eq!((budgets.tokens, budgets.time), (Some(1_000), None), "a project allows no more");
    let mut typed = case();
    typed.flags.budgets.tokens = Some(5_000);
    let budgets = typed.load().unwrap().budgets;
    assert_eq!((budgets.tokens, budgets.cost), (Some(5_000), crate::protocol::cost::Usd::new(0.5)));
    assert_eq!(Case::new().load().unwrap().budgets, crate::protocol::budget::Budgets::default());
}

#[test]
fn budgets_and_prices_that_cannot_be_meant_are_refused_with_line_and_example() {
    for (text, words) in [
        ("[budget]\ntokens = 0\n", "`tokens` cannot be 0: it has to be a whole number of tokens"),
        ("[budget]\ncost = -1.0\n", "`cost` cannot be -1.0: it has to be a number of US dollars"),
        ("[budget]\ncost = nan\n", "`cost` cannot be nan"),
        ("[budget]\nminutes = 0\n", "it has to be a number of minutes above 0, like minutes = 10"),
        ("[budget]\ntoken = 5\n", "unknown key `token` in [budget]. Did you mean `tokens`?"),
        ("[price]\noutpt = 1\n", "unknown key `outpt` in [price]. Did you mean `output`?"),
        ("[price]\ninput = -0.1\n", "it has to be a number of US dollars for a million tokens"),
    ] {
        Case::new().user(text).fails("user.toml", Some(2), words);
    }
    Case::new().user("budget = 5\n").fails("user.toml", Some(1), "`budget` has to be a table");
    Case::new().user("[price]\ninput = 1\n").fails("user.toml", Some(1), "has no `output`");
}

#[test]
fn a_price_is_the_users_to_say_and_is_that_of_the_model_beside_it() {
    let price = "[price]\ninput = 1\noutput = 2\n";
    Case::new().project(price).fails("project.toml", None, "`[price]` may only stand in your own");
    let of = |case: Case| case.server().price.unwrap().model;
    let named = format!("model = \"mine\"\n{price}");
    assert_eq!(of(Case::new().user(&named)).as_deref(), Some("mine"));
    // a project's model is another one, and its price is not known
    assert_eq!(of(Case::new().user(&named).project("model = \"x\"\n")).as_deref(), Some("mine"));
    assert_eq!(of(Case::new().user(price).env("MCC_MODEL", "x")), None, "of the model in use");
    assert_eq!(Case::new().env("MCC_MODEL", "x").server().price, None);
}
