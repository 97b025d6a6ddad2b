//! Reads and ranks lists of models. Owns the shapes of the list, and the words for one that could
//! not be had; opens no connection.
//!
//! Invariant: pure and total; names are not empty and none comes twice.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    protocol::exit::ErrorKind,
    provider::{ProviderError, error::doubt},
    text::cut,
};

/// The most bytes of a name that is ranked; comparing endless ones takes endless time.
const MAX_NAME: usize = 128;

/// The names in a list of models, in the server's order. None if it is no such list.
pub(super) fn names(list: &Value) -> Option<Vec<String>> {
    let entries = ["data", "models"].iter().find_map(|key| list.get(*key)?.as_array());
    let mut names: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for entry in entries.or_else(|| list.as_array())? {
        let name = ["id", "name", "model"].iter().find_map(|key| entry.get(*key)?.as_str());
        let name = name.or_else(|| entry.as_str()).unwrap_or_default();
        if !name.is_empty() && known.insert(name) {
            names.push(name.to_owned());
        }
    }
    Some(names)
}

/// The failure, if it is one of the list alone: then a model can be named without it. Whatever
/// else fails, fails for other requests, too.
pub(super) fn unlisted(mut error: ProviderError, base_url: &str) -> ProviderError {
    let is_of_list = matches!(
        error.kind,
        ErrorKind::BadRequest | ErrorKind::ModelNotFound | ErrorKind::Protocol
    );
    if !is_of_list {
        return error;
    }
    let why = match error.message.trim().trim_end_matches('.') {
        "" => "it cannot be read",
        why => why,
    };
    error.message = format!("The list of models could not be had ({why}).");
    error.hint = format!(
        "Name the model: --model NAME, or `model` in the config file.{}",
        doubt(base_url).map(|doubt| format!(" {doubt}")).unwrap_or_default()
    );
    error
}

/// Up to `count` of the names, the likest first. Endless names are never among them.
pub(super) fn nearest(mut names: Vec<String>, wanted: &str, count: usize) -> Vec<String> {
    let wanted = cut::head(wanted, MAX_NAME).to_lowercase();
    names.retain(|name| name.len() <= MAX_NAME);
    names.sort_by_cached_key(|name| {
        let likeness = strsim::jaro_winkler(&name.to_lowercase(), &wanted);
        std::cmp::Reverse(f64::to_bits(likeness))
    });
    names.truncate(count);
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_shapes_of_a_list_are_read() {
        let data = json!({ "data": [{ "id": "a" }, { "id": "b" }, { "id": "a" }, {}] });
        assert_eq!(names(&data), Some(vec!["a".to_owned(), "b".to_owned()]));
        let models = json!({ "models": [{ "name": "a" }] });
        assert_eq!(names(&models), Some(vec!["a".to_owned()]));
        assert_eq!(names(&json!({ "data": null })), None);
        assert_eq!(names(&json!("no")), None);
    }

    #[test]
    fn the_likest_names_come_first() {
        let names = ["gemma3:4b", "qwen2.5-coder:7b", "llama3.2"].map(str::to_owned).to_vec();
        assert_eq!(nearest(names, "Qwen2.5-coder", 1), ["qwen2.5-coder:7b"]);
        let names = vec!["q".repeat(1 << 20), "llama3.2".to_owned()];
        assert_eq!(nearest(names, &"q".repeat(1 << 20), 2), ["llama3.2"]);
    }
}
