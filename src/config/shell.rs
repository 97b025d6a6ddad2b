//! The table `[shell]`: what commands get to see. Owns its keys and what may be a name of a variable;
//! starts nothing.
//!
//! Invariant: the key of the server never passes.

use serde::Deserialize;

/// The keys of the table.
pub(super) const KEYS: [&str; 1] = ["pass"];

/// The table as it stands in a file. All of it is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct ShellFile {
    /// Variables that reach commands although their names look like secrets.
    pub(super) pass: Vec<String>,
}

impl ShellFile {
    pub(super) fn is_empty(&self) -> bool {
        self.pass.is_empty()
    }

    /// What is wrong with a name in `pass`, if anything is. `key_variable` holds the key of the
    /// server.
    pub(super) fn fault(&self, key_variable: &str) -> Option<String> {
        self.pass.iter().find_map(|name| {
            let shown = crate::text::cut::one_line(name, 64);
            if !is_name(name) {
                Some(format!(
                    "`{shown}` in pass is no name of a variable: letters, digits and `_`, without \
                     `$` and value, e.g. \"GITHUB_TOKEN\"."
                ))
            } else if name == key_variable {
                Some(format!(
                    "`{shown}` holds the key of the server, which no command gets. Remove it from \
                     pass; a command can have a copy under another name."
                ))
            } else {
                None
            }
        })
    }
}

fn is_name(name: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.bytes().all(fine) && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(names: &[&str]) -> Option<String> {
        let pass = names.iter().map(|name| (*name).to_owned()).collect();
        ShellFile { pass }.fault("MY_KEY")
    }

    #[test]
    fn only_names_pass_and_never_that_of_the_key() {
        assert_eq!(fault(&["GITHUB_TOKEN", "_a1", "OPENAI_API_KEY"]), None);
        for name in ["", "$A", "A=b", "1A", "A B", "*TOKEN", "Ä"] {
            assert!(fault(&["A", name]).unwrap().contains("is no name of a variable"), "{name}");
        }
        assert!(fault(&["MY_KEY"]).unwrap().contains("holds the key of the server"));
    }
}
