//! What a call is about, in a few words: for the line of a call while nothing else is known of it.
//!
//! Owns which argument tells that. Must not know any tool, nor check anything.

use super::tool::ToolCall;

/// Files that are named; of more than that only so many.
const MOST_FILES: usize = 6;

/// Names of the argument that holds a patch.
const PATCHES: [&str; 3] = ["patch", "input", "diff"];

/// What stands before the name of a file in a patch.
const FILES: [&str; 5] =
    ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"];

/// Arguments that say best what a call is about, the most telling first.
const SUBJECTS: [&str; 9] =
    ["command", "cmd", "pattern", "query", "path", "file_path", "filePath", "url", "id"];

impl ToolCall {
    /// What the call is about, on one line, from its arguments: the path, the command, the
    /// pattern, the id. Empty if nothing tells. Takes arguments of any form.
    #[must_use]
    pub fn subject(&self) -> String {
        let Ok(arguments) = serde_json::from_str::<serde_json::Value>(&self.arguments) else {
            // A patch may be written without an object around it.
            return patched(&self.arguments);
        };
        let text = |name: &str| match arguments.get(name)? {
            serde_json::Value::String(text) => Some(text.clone()),
            serde_json::Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let Some((name, subject)) =
            SUBJECTS.iter().find_map(|name| text(name).map(|subject| (*name, subject)))
        else {
            let patch = PATCHES.iter().find_map(|name| text(name));
            return patch.map_or_else(String::new, |patch| patched(&patch));
        };
        if !matches!(name, "pattern" | "query") {
            return subject;
        }
        match text("path").filter(|path| !path.is_empty() && *path != ".") {
            Some(path) => format!("\"{subject}\" {path}"),
            None => format!("\"{subject}\""),
        }
    }
}

/// The files that a patch names, each once.
fn patched(patch: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for line in patch.lines() {
        let named = FILES.iter().find_map(|mark| line.trim_start().strip_prefix(mark));
        if let Some(name) = named.map(str::trim)
            && !name.is_empty()
            && !names.contains(&name)
            && names.len() <= MOST_FILES
        {
            names.push(name);
        }
    }
    if names.len() > MOST_FILES {
        names.truncate(MOST_FILES);
        names.push("…");
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::id::CallId;

    fn subject(arguments: &str) -> String {
        let call =
            ToolCall { id: CallId("1".into()), name: "x".into(), arguments: arguments.into() };
        call.subject()
    }

    #[test]
    fn a_patch_is_about_the_files_that_it_names() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+*** y\n\
                     *** Add File: b c.md\n+*** Add File: no\n*** Update File: src/a.rs\n*** End Patch";
        assert_eq!(subject(patch), "src/a.rs, b c.md");
        for name in ["patch", "input"] {
            assert_eq!(
                subject(&serde_json::json!({ name: patch }).to_string()),
                "src/a.rs, b c.md"
            );
        }
        let unified = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(subject(&serde_json::json!({ "patch": unified }).to_string()), "x.py");
        let many = [0, 1, 2, 3, 4, 5, 6, 7].map(|n| format!("*** Delete File: {n}")).join("\n");
        assert_eq!(subject(&many), "0, 1, 2, 3, 4, 5, …");
        assert_eq!(subject("nothing of the kind"), "");
    }
}
