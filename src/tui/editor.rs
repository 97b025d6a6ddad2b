//! The user's own editor, for one text. Owns its start and its end; the caller gives the terminal
//! away before, and takes it again after.
//!
//! Must not know what the text is. Invariant: the text goes through a file that only the user can
//! read and that is gone afterwards; an editor that fails changes nothing.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    process::Command,
};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};

/// Largest text that is taken back, in bytes.
const MAX: u64 = 10 * 1024 * 1024;

/// Opens the text in `$VISUAL`, else `$EDITOR`, else `vi`, as a file of this name, and waits until
/// the editor ends. Blocks; nobody else may read the terminal meanwhile.
///
/// # Errors
/// Words for the user: what failed and what to do.
pub(super) fn edit(text: &str, file_name: &str) -> Result<String, String> {
    let folder = tempfile::Builder::new()
        .prefix("mcc-tui-")
        .tempdir()
        .map_err(|error| format!("no file for the editor could be made: {error}"))?;
    let name = Path::new(file_name).file_name().filter(|name| !name.is_empty());
    let path = folder.path().join(name.unwrap_or_else(|| "text".as_ref()));
    fs::write(&path, text).map_err(|error| format!("the editor's file: {error}"))?;
    let editor = ["VISUAL", "EDITOR"].iter().filter_map(|name| std::env::var(name).ok());
    let editor = editor.into_iter().find(|editor| !editor.trim().is_empty());
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    // The variable holds a command with arguments, in the words of the shell. The shell must not
    // go at a Ctrl-C that is meant for the editor.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("trap : INT; {editor} \"$1\"")).arg("sh").arg(&path);
    let child = command.spawn().map_err(|error| format!("sh could not be started: {error}"))?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let status = pid.map(wait).transpose().map_err(|error| format!("the editor: {error}"))?;
    match status.flatten() {
        Some(0) => read(&path),
        Some(127) => Err(format!("there is no editor `{editor}`: set $VISUAL or $EDITOR")),
        Some(code) => Err(format!("`{editor}` ended with {code}: nothing was changed")),
        None => Err(format!("`{editor}` was stopped: nothing was changed")),
    }
}

/// Waits for its end; gives its exit code, `None` if a signal ended it. Where the editor is sent to
/// the background, this program goes with it.
fn wait(pid: Pid) -> io::Result<Option<i32>> {
    loop {
        let status: WaitStatus = match waitpid(Some(pid), WaitOptions::UNTRACED) {
            Ok(Some((_, status))) => status,
            Ok(None) | Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        };
        if status.stopped() {
            kill_process(rustix::process::getpid(), Signal::STOP)?;
            // The shell continues the whole group; who continued only this program forgot one.
            kill_process(pid, Signal::CONT)?;
            continue;
        }
        return Ok(status.exit_status());
    }
}

fn read(path: &Path) -> Result<String, String> {
    let failed = |error: io::Error| format!("what the editor wrote cannot be read: {error}");
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > MAX {
        return Err("what the editor wrote has more than 10 MB: nothing was changed".to_owned());
    }
    String::from_utf8(bytes)
        .map_err(|_| "what the editor wrote is not UTF-8: nothing was changed".to_owned())
}
