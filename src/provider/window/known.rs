//! Windows of well-known models. Owns the reading of the table and of the ways in which gateways
//! write a name; the table is `assets/models.toml`.

use std::{collections::BTreeMap, sync::OnceLock};

const TABLE: &str = include_str!("../../../assets/models.toml");
/// What may follow a known name: a size, a date, a tag.
const ENDS: [char; 3] = ['-', ':', '@'];
/// The maker that writes versions with dashes, where gateways write dots and put regions before.
const DASHED: &str = "claude-";

#[derive(Default, serde::Deserialize)]
pub(super) struct Table {
    /// What only its maker serves.
    pub(super) windows: BTreeMap<String, u64>,
    /// What anybody can serve: only counts at services.
    pub(super) hosted: BTreeMap<String, u64>,
}

pub(super) fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    // A test reads the table, so that what is shipped can be read.
    READ.get_or_init(|| toml::from_str(TABLE).unwrap_or_default())
}

/// The window of this model, if it is well known. The longest name that begins it counts, and a
/// router's `maker/` before it does not. `hosted` is whether a service serves it.
pub(super) fn known(model: &str, hosted: bool) -> Option<u64> {
    let name = plain(model.rsplit('/').next()?);
    let begins = |known: &str| {
        name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(ENDS))
    };
    let table = table();
    let open = table.hosted.iter().filter(|_| hosted);
    let fitting = table.windows.iter().chain(open).filter(|(known, _)| begins(known));
    fitting.max_by_key(|(known, _)| known.len()).map(|(_, tokens)| *tokens)
}

/// A name as the table has it: `us.anthropic.claude-opus-4.6` is `claude-opus-4-6`, and `glm-5p2`
/// is `glm-5.2`.
fn plain(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    if let Some(claude) = name.find(DASHED).and_then(|at| name.get(at..)) {
        return claude.replace('.', "-");
    }
    let mut plain = String::new();
    let mut rest = name.chars().peekable();
    while let Some(char) = rest.next() {
        let is_point = char == 'p'
            && plain.ends_with(|before: char| before.is_ascii_digit())
            && rest.peek().is_some_and(char::is_ascii_digit);
        plain.push(if is_point { '.' } else { char });
    }
    plain
}
