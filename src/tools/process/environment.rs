//! The environment of commands: the user's own, without secrets, and made quiet.
//!
//! Owns the list of names. Knows no processes; a function of the variables it is given.

use std::ffi::{OsStr, OsString};

/// A variable whose name holds one of these is kept from commands.
const SECRET_PARTS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// So is a variable whose name begins so: the settings of this program and its servers.
const OWN_PREFIXES: [&str; 2] = ["OPENAI_", "MCC_"];

/// What would make the shell run, find or print something else than the command says.
const SHELL_SETTINGS: [&str; 12] = [
    "BASH_ENV",
    "ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "BASH_XTRACEFD",
    "PS4",
    "PROMPT_COMMAND",
    "POSIXLY_CORRECT",
    "CDPATH",
    "GLOBIGNORE",
    // `cd -` would lead to where the user was before this program began.
    "OLDPWD",
    // Programs that find it do less than they would for a user.
    "CI",
];

/// A variable whose name begins so holds a function that the shell would define.
const FUNCTION_PREFIX: &str = "BASH_FUNC_";

/// What keeps programs from asking, paging and painting.
const QUIET: [(&str, &str); 18] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("AWS_PAGER", "cat"),
    ("BAT_PAGER", "cat"),
    ("PSQL_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // A status that is read must not lock the index against the user's own git.
    ("GIT_OPTIONAL_LOCKS", "0"),
    // No window that asks for a password.
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_EDITOR", "true"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("MCC_TUI", "1"),
];

/// What the user's settings say of variables, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    /// They reach commands although their names look like secrets.
    pub(super) passed: Vec<String>,
    /// They do not reach commands, whatever their names look like.
    pub(super) withheld: Vec<String>,
}

/// What a command gets to see of these variables, and what is set for it.
pub(super) fn for_commands(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    wishes: &Wishes,
) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<_> =
        inherited.into_iter().filter(|(name, _)| !is_kept_back(name, wishes)).collect();
    variables.retain(|(name, _)| QUIET.iter().all(|(quiet, _)| name != quiet));
    if !speaks_utf8(&variables) {
        variables.retain(|(name, _)| name != "LC_ALL");
        variables.push(("LC_ALL".into(), "C.UTF-8".into()));
    }
    variables.extend(QUIET.iter().map(|(name, value)| (name.into(), value.into())));
    variables
}

fn is_kept_back(name: &OsStr, wishes: &Wishes) -> bool {
    let named = |names: &[String]| names.iter().any(|one| name == one.as_str());
    let upper = name.to_string_lossy().to_ascii_uppercase();
    let is_secret = SECRET_PARTS.iter().any(|part| upper.contains(part))
        || OWN_PREFIXES.iter().any(|prefix| upper.starts_with(prefix));
    named(&wishes.withheld)
        || SHELL_SETTINGS.iter().any(|setting| name == *setting)
        || upper.starts_with(FUNCTION_PREFIX)
        || (is_secret && !named(&wishes.passed))
}

/// Whether the locale that wins, by the order of POSIX, is one of UTF-8.
fn speaks_utf8(variables: &[(OsString, OsString)]) -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|wanted| {
            variables.iter().find(|(name, value)| name == wanted && !value.is_empty())
        })
        .is_some_and(|(_, value)| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            value.contains("utf-8") || value.contains("utf8")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(variables: &[(&str, &str)]) -> Vec<(String, String)> {
        seen_with(variables, &Wishes::default())
    }

    fn seen_with(variables: &[(&str, &str)], wishes: &Wishes) -> Vec<(String, String)> {
        let pairs = variables.iter().map(|(n, v)| (OsString::from(n), OsString::from(v)));
        for_commands(pairs, wishes)
            .into_iter()
            .map(|(n, v)| (n.into_string().unwrap(), v.into_string().unwrap()))
            .collect()
    }

    fn value(variables: &[(&str, &str)], name: &str) -> Option<String> {
        let mut found = seen(variables).into_iter().filter(|(n, _)| n == name);
        let first = found.next().map(|(_, v)| v);
        assert!(found.next().is_none(), "{name} twice");
        first
    }

    #[test]
    fn secrets_are_dropped_by_name_in_any_case() {
        for name in [
            "OPENAI_API_KEY",
            "aws_secret_access_key",
            "GITHUB_TOKEN",
            "DB_PASSWORD",
            "my_passwd",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "OPENAI_BASE_URL",
            "MCC_MODEL",
            "ClientSecret",
        ] {
            assert_eq!(value(&[(name, "x")], name), None, "{name}");
        }
    }

    #[test]
    fn what_the_user_passes_stays_and_what_is_withheld_does_not() {
        let wishes = Wishes {
            passed: vec!["NPM_TOKEN".to_owned(), "BOTH_KEY".to_owned()],
            withheld: vec!["MY_LLM".to_owned(), "BOTH_KEY".to_owned()],
        };
        let user = [("NPM_TOKEN", "x"), ("OTHER_TOKEN", "x"), ("MY_LLM", "x"), ("BOTH_KEY", "x")];
        let seen = seen_with(&user, &wishes);
        let has = |wanted: &str| seen.iter().any(|(name, _)| name == wanted);
        assert!(has("NPM_TOKEN"));
        assert!(!has("OTHER_TOKEN") && !has("MY_LLM") && !has("BOTH_KEY"));
    }

    #[test]
    fn what_would_change_the_meaning_of_a_command_is_dropped() {
        for name in
            ["BASH_ENV", "ENV", "SHELLOPTS", "BASH_FUNC_ls%%", "BASH_FUNC_cd()", "CDPATH", "OLDPWD"]
        {
            assert_eq!(value(&[(name, "x")], name), None, "{name}");
        }
    }

    #[test]
    fn the_rest_of_the_environment_stays() {
        for name in ["PATH", "HOME", "CARGO_HOME", "SSH_AUTH_SOCK"] {
            assert_eq!(value(&[(name, "x")], name).as_deref(), Some("x"), "{name}");
        }
    }

    #[test]
    fn programs_are_told_not_to_ask_page_or_paint() {
        let user = [("TERM", "xterm"), ("PAGER", "less"), ("EDITOR", "vim"), ("CI", "true")];
        assert_eq!(value(&user, "TERM").as_deref(), Some("dumb"));
        assert_eq!(value(&user, "PAGER").as_deref(), Some("cat"));
        assert_eq!(value(&user, "EDITOR").as_deref(), Some("true"));
        assert_eq!(value(&user, "GIT_EDITOR").as_deref(), Some("true"));
        assert_eq!(value(&user, "GIT_OPTIONAL_LOCKS").as_deref(), Some("0"));
        assert_eq!(value(&user, "MCC_TUI").as_deref(), Some("1"));
        assert_eq!(value(&user, "CI"), None);
    }

    #[test]
    fn a_locale_is_set_only_where_none_speaks_utf_8() {
        assert_eq!(value(&[("LANG", "de_DE.UTF-8")], "LC_ALL"), None);
        assert_eq!(value(&[("LC_ALL", "en_US.utf8")], "LC_ALL").as_deref(), Some("en_US.utf8"));
        assert_eq!(value(&[], "LC_ALL").as_deref(), Some("C.UTF-8"));
        let overridden = [("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")];
        assert_eq!(value(&overridden, "LC_ALL").as_deref(), Some("C.UTF-8"));
    }
}
