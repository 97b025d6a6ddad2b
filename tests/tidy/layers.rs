//! Who may import whom. Owns the table of layers.
//!
//! Invariant: a module that is not in the table is a finding, so that a new one gets its place
//! here before it grows imports.

use crate::{
    finding::Finding,
    names::{Name, names},
    source::Source,
};

/// A module, and the paths below the crate root that it may name besides its own.
const LAYERS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("protocol", &["text"]),
    ("link", &["protocol", "text"]),
    ("permission", &["protocol", "text"]),
    ("provider", &["protocol", "text"]),
    ("session", &["protocol", "text"]),
    ("tools", &["protocol", "text"]),
    ("agent", &["protocol", "text", "link", "permission", "provider", "session", "tools"]),
    ("signals", &["protocol"]),
    ("headless", &["protocol", "link", "signals", "text"]),
    ("tui", &["protocol", "link", "signals", "config", "text"]),
    ("config", &["protocol", "text"]),
    ("doctor", &["protocol", "text", "provider", "config"]),
    ("cli", &["config", "protocol", "text"]),
    (
        "run",
        &[
            "text",
            "protocol",
            "link",
            "permission",
            "provider",
            "session",
            "tools",
            "agent",
            "signals",
            "headless",
            "tui",
            "doctor",
            "cli",
            "config",
        ],
    ),
    ("main", &["run", "cli", "tools::process::keeper", "tools::process::KEEPER_FLAG"]),
    ("lib", &[]),
];

/// Imports go down the layers, and never sideways.
pub(crate) fn imports_follow_the_layers(source: &Source<'_>) -> Vec<Finding> {
    let Some(module) = module_of(source) else { return Vec::new() };
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
        let message = format!("`{module}` has no layer: add it to LAYERS in tests/tidy/layers.rs");
        return vec![Finding::new(source.path, 1, message)];
    };
    let depth = source.path.matches('/').count();
    names(&source.code)
        .iter()
        .filter_map(|name| Some((name.at, below_root(name, depth)?)))
        .filter(|(_, path)| path.first().is_some_and(|first| first != module))
        .filter(|(_, path)| !allowed.iter().any(|allowed| is_below(path, allowed)))
        .map(|(at, path)| {
            let message = format!(
                "`{module}` must not import `{}`: it may import {}. Move the code to the layer \
                 that knows both, or put the shared words into `protocol`",
                path.join("::"),
                if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") },
            );
            Finding::new(source.path, source.line(at), message)
        })
        .collect()
}

fn module_of<'a>(source: &Source<'a>) -> Option<&'a str> {
    let path = source.path.strip_prefix("src/")?;
    path.split('/').next().filter(|_| source.is_rust()).map(|first| first.trim_end_matches(".rs"))
}

/// The part of the path below the crate root, if it starts there. `depth` is how many `super`
/// lead from the file to the root.
fn below_root(name: &Name, depth: usize) -> Option<&[String]> {
    let supers = name.segments.iter().take_while(|segment| *segment == "super").count();
    let start = match name.segments.first()?.as_str() {
        "crate" | "mcc_tui" => 1,
        "super" if supers >= depth => supers,
        _ => return None,
    };
    name.segments.get(start..)
}

fn is_below(path: &[String], allowed: &str) -> bool {
    let mut segments = path.iter();
    allowed.split("::").all(|part| segments.next().is_some_and(|segment| segment == part))
}

#[cfg(test)]
mod tests {
    use super::imports_follow_the_layers;
    use crate::{finding::starts, source::Source};

    fn check(path: &str, text: &str) -> Vec<String> {
        starts(&imports_follow_the_layers(&Source::new(path, text)))
    }

    #[test]
    fn a_sideways_import_is_found_with_its_line() {
        let text = "//! Doc.\nuse crate::{\n    protocol::id,\n    tools::Tool,\n};\n";
        assert_eq!(check("src/session.rs", text), ["src/session.rs:4"]);
    }

    #[test]
    fn a_path_in_an_expression_is_an_import() {
        assert_eq!(check("src/tui/app.rs", "fn f() { crate::agent::go() }"), ["src/tui/app.rs:1"]);
    }

    #[test]
    fn supers_up_to_the_root_are_imports() {
        let text = "use super::super::session::Session;\nuse super::sibling;";
        assert_eq!(check("src/tools/grep.rs", text), ["src/tools/grep.rs:1"]);
        assert_eq!(check("src/tools.rs", "use super::session;"), ["src/tools.rs:1"]);
    }

    #[test]
    fn everything_at_once_is_no_import_that_is_allowed() {
        assert_eq!(check("src/link.rs", "use crate::*;"), ["src/link.rs:1"]);
    }

    #[test]
    fn the_binary_may_name_the_keeper_but_no_other_tool() {
        let text = "use mcc_tui::tools::process::keeper;\nuse mcc_tui::tools::registry;";
        assert_eq!(check("src/main.rs", text), ["src/main.rs:2"]);
    }

    #[test]
    fn a_module_without_a_layer_is_found() {
        assert_eq!(check("src/helpers.rs", ""), ["src/helpers.rs:1"]);
    }

    #[test]
    fn what_the_table_allows_is_fine() {
        assert!(check("src/agent/turn.rs", "use crate::{link, session, agent::plan};").is_empty());
        assert!(check("src/protocol.rs", "// crate::tools\nuse crate::text::cut;").is_empty());
        assert!(check("tests/it/main.rs", "use mcc_tui::tools;").is_empty());
    }
}
