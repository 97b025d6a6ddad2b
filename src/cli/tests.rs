//! The help, against the settings that there are.

use clap::CommandFactory;

use super::*;
use crate::config::known_keys;

/// What stands behind `[table]` in the help, word by word; behind `Keys:` for no table.
fn in_the_help(table: Option<&str>) -> Vec<String> {
    let help = Cli::command().render_long_help().to_string();
    let keys = help.split_once("Keys: ").unwrap().1.split_once("\n\n").unwrap().0;
    let behind = match table {
        Some(table) => keys.split_once(&format!("[{table}]")).unwrap().1,
        None => keys,
    };
    let mut words = behind.split('[').next().unwrap().to_owned();
    while let Some((before, (_, after))) =
        words.split_once(" (").and_then(|(before, rest)| Some((before, rest.split_once(')')?)))
    {
        words = format!("{before}{after}");
    }
    words.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

#[test]
fn the_help_names_every_key_of_a_file() {
    let told = in_the_help(None);
    for (table, keys) in known_keys() {
        if let Some(table) = table {
            let (mut told, mut keys) = (in_the_help(Some(table)), keys.to_vec());
            told.sort();
            keys.sort_unstable();
            assert_eq!(told, keys, "[{table}]");
            continue;
        }
        for key in keys {
            let is_told = told.iter().any(|word| word == key);
            assert!(is_told || !in_the_help(Some(key)).is_empty(), "{key}: {told:?}");
        }
    }
}
