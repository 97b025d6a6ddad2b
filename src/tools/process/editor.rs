//! The user's own editor on a text: a child that has the terminal.
//!
//! Owns the file in between, and the terminal's settings after it. Must not know what the text is
//! for. Invariant: the text comes back as the editor left it, or a sentence says why not.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
    process::{Command, ExitStatus},
};

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::hold::Apart;

/// Bytes of a text that come back.
const MOST: u64 = 8 << 20;
/// What a shell exits with if it finds no such program.
const NOT_FOUND: i32 = 127;

/// Edits a text with this command, which the shell reads. Waits until the editor ends; the
/// terminal must be free. What was typed and not read by then is dropped.
///
/// # Errors
/// A sentence for the user: the editor is missing or failed, or what it left is no text.
pub fn edit(editor: &str, text: &str) -> Result<String, String> {
    let lost = |error: io::Error| format!("The editor's file cannot be used: {error}.");
    let mut file = tempfile::Builder::new()
        .prefix("mcc-tui-prompt-")
        .suffix(".md")
        .tempfile()
        .map_err(lost)?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(lost)?;
    let status = run(editor, file.path())
        .map_err(|error| format!("The editor `{editor}` cannot be started: {error}."))?;
    if !status.success() {
        return Err(failed(editor, status));
    }
    // By its name: many editors write another file and put it in this one's place.
    let mut bytes = Vec::new();
    let open = File::open(file.path()).map_err(lost)?;
    open.take(MOST + 1).read_to_end(&mut bytes).map_err(lost)?;
    if bytes.len() as u64 > MOST {
        return Err("The edited text is larger than 8 MiB: the prompt is as it was.".to_owned());
    }
    String::from_utf8(bytes)
        .map_err(|_| "The edited text is not UTF-8: the prompt is as it was.".to_owned())
}

fn run(editor: &str, path: &Path) -> io::Result<ExitStatus> {
    let settings = tcgetattr(io::stdin()).ok();
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg("sh").arg(path);
    let status = Apart::start(&mut command)?.child.wait();
    if let Some(settings) = settings {
        let _restored = tcsetattr(io::stdin(), OptionalActions::Flush, &settings).is_ok();
    }
    status
}

fn failed(editor: &str, status: ExitStatus) -> String {
    match status.code() {
        Some(NOT_FOUND) => format!(
            "There is no editor `{editor}`: set VISUAL or EDITOR to one. The prompt is as it was."
        ),
        Some(code) => {
            format!("The editor `{editor}` ended with exit code {code}: the prompt is as it was.")
        }
        None => format!("The editor `{editor}` was ended ({status}): the prompt is as it was."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_editor_wrote_comes_back() {
        let edited = edit("sed -i s/draft/text/", "a draft\n漢\n");
        assert_eq!(edited, Ok("a text\n漢\n".to_owned()));
    }

    #[test]
    fn an_editor_that_fails_or_is_missing_is_told() {
        let failed = edit("sh -c 'exit 3'", "x").unwrap_err();
        assert!(failed.contains("exit code 3"), "{failed}");
        let missing = edit("no-such-editor-at-all 2>/dev/null", "x").unwrap_err();
        assert!(missing.contains("There is no editor"), "{missing}");
    }

    #[test]
    fn what_is_no_text_is_told() {
        let told = edit("printf '\\377' >", "x").unwrap_err();
        assert!(told.contains("not UTF-8"), "{told}");
    }
}
