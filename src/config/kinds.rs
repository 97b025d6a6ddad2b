//! What the value of each key has to be, in plain words and with an example. Owns these words;
//! `file` owns the reading.
//!
//! Invariant: every key of a settings file is here, so that none is told of in the terms of a
//! parser.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::text::cut;

/// The most characters of a value that are shown.
const SHOWN: usize = 40;

/// Keys, what they have to be, and an example.
pub(super) const KINDS: &[(&str, &str, &str)] = &[
    ("model", TEXT, "\"qwen2.5-coder\""),
    ("base_url", TEXT, "\"http://localhost:11434/v1\""),
    ("api_key_env", TEXT, "\"MY_KEY\""),
    ("context_window", "a whole number of tokens", "32768"),
    ("max_iterations", "a whole number from 1 to 4,294,967,295", "20"),
    ("connect_timeout_s", "a whole number of seconds", "10"),
    ("idle_timeout_s", "a whole number of seconds", "300"),
    ("discover", SWITCH, "false"),
    ("tools", "\"auto\", \"native\" or \"text\"", "\"text\""),
    ("scheduler", "\"effects\", \"batch\" or \"serial\"", "\"batch\""),
    ("quirks", "a list of names in quotes", "[\"ids_9\"]"),
    ("pass", "a list of names in quotes", "[\"GITHUB_TOKEN\"]"),
    ("tokens", "a whole number of tokens above 0", "200000"),
    ("cost", "a number of US dollars above 0", "0.50"),
    ("minutes", "a number of minutes above 0", "10"),
    ("input", PRICE, "0.15"),
    ("cached", PRICE, "0.075"),
    ("output", PRICE, "0.60"),
    ("mouse", SWITCH, "true"),
    ("copy_on_select", SWITCH, "true"),
    ("theme", "\"auto\", \"dark\", \"light\", \"high-contrast\" or \"plain\"", "\"dark\""),
    ("motion", SWITCH, "false"),
    ("signs", "\"auto\", \"unicode\" or \"ascii\"", "\"ascii\""),
    ("links", "\"auto\", \"on\" or \"off\"", "\"on\""),
    ("width", "\"auto\", \"clusters\" or \"chars\"", "\"chars\""),
    ("title", SWITCH, "true"),
    ("progress", SWITCH, "true"),
    ("notify", SWITCH, "true"),
];
const TEXT: &str = "text in quotes";
const SWITCH: &str = "true or false";
const PRICE: &str = "a number of US dollars for a million tokens, 0 or more";
/// Those that hold others.
pub(super) const TABLES: [&str; 7] = ["headers", "body", "shell", "budget", "price", "ui", "keys"];

/// What is wrong with the value at this place of the file, if one of ours stands there.
pub(super) fn fault(text: &str, table: &DeTable<'_>, span: &Range<usize>) -> Option<String> {
    let holds = |value: &Range<usize>| value.start <= span.start && span.end <= value.end;
    // The table of a key with a dot in it has no place of its own.
    let inner = table.iter().find_map(|(key, value)| match value.get_ref() {
        DeValue::Table(inner) => {
            let (told, value) = inner.iter().find(|(_, value)| holds(&value.span()))?;
            Some((told, value, key.get_ref() == "headers"))
        }
        _ => None,
    });
    let outer = || table.iter().find(|(_, value)| holds(&value.span()));
    let (told, value, is_header) = match inner {
        Some(inner) => inner,
        None => outer().map(|(key, value)| (key, value, false))?,
    };
    let told = cut::one_line(told.get_ref(), 64);
    let told = told.as_str();
    if inner.is_none() && TABLES.contains(&told) {
        return Some(format!(
            "`{told}` has to be a table: a line [{told}], and its keys below it. Mend this line."
        ));
    }
    if is_header {
        // Its value counts as a secret.
        return Some(format!("`{told}` has to be {TEXT}, like {told} = \"blue\". Mend this line."));
    }
    let (kind, example) = match KINDS.iter().find(|(key, ..)| *key == told) {
        Some((_, kind, example)) => (*kind, *example),
        None => (TEXT, "\"blue\""),
    };
    let written = cut::one_line(text.get(value.span()).unwrap_or_default(), SHOWN);
    Some(format!(
        "`{told}` cannot be {written}: it has to be {kind}, like {told} = {example}. Mend this line."
    ))
}
