//! Windows of well-known hosted models. Owns the reading of the table; the table is
//! `assets/models.toml`.

use std::{collections::BTreeMap, sync::OnceLock};

const TABLE: &str = include_str!("../../../assets/models.toml");
/// What may follow a known name: a size, a date, a tag.
const ENDS: [char; 3] = ['-', ':', '@'];

#[derive(Default, serde::Deserialize)]
pub(super) struct Table {
    pub(super) windows: BTreeMap<String, u64>,
}

pub(super) fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    // A test reads the table, so that what is shipped can be read.
    READ.get_or_init(|| toml::from_str(TABLE).unwrap_or_default())
}

/// The window of this model, if it is well known. The longest name that begins it counts, and a
/// router's `maker/` before it does not.
pub(in crate::provider) fn known(model: &str) -> Option<u64> {
    let name = model.rsplit('/').next()?.to_ascii_lowercase();
    let begins = |known: &str| {
        name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(ENDS))
    };
    let fitting = table().windows.iter().filter(|(known, _)| begins(known));
    fitting.max_by_key(|(known, _)| known.len()).map(|(_, tokens)| *tokens)
}
