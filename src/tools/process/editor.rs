//! The user's own editor on a text: a child that has the terminal.
//!
//! Owns the file in between, and the terminal's settings after it. Must not know what the text is
//! for. Invariant: the file is the user's alone and gone afterwards; the text comes back as the
//! editor left it, or a sentence says why not; once [`end`] was asked for, no editor is started.

use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, waitpid},
    termios::{OptionalActions, tcgetattr, tcgetpgrp, tcsetattr},
};

use super::{hold::Apart, tree::Tree};

/// How long an editor that is told to end may save what it can and give the terminal back.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long is waited for one that was killed.
const DYING: Duration = Duration::from_millis(500);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(10);

static OPEN: Mutex<Open> = Mutex::new(Open { shell: None, is_over: false });

/// What is open.
struct Open {
    /// The shell that an editor runs in.
    shell: Option<Pid>,
    /// No editor is started any more.
    is_over: bool,
}

/// Bytes of a text that come back.
const MOST: u64 = 8 << 20;
/// What a shell exits with if it finds no such program.
const NOT_FOUND: i32 = 127;

/// Edits a text with this command, which the shell reads, as a file of this name (its folders are
/// left out). Waits until the editor ends, and stops with it if it is stopped; the terminal must
/// be free. What was typed and not read by then is dropped.
///
/// # Errors
/// A sentence for the user: the editor is missing or failed, or what it left is no text.
pub fn edit(editor: &str, text: &str, file_name: &str) -> Result<String, String> {
    let lost = |error: io::Error| format!("The editor's file cannot be used: {error}.");
    let private = fs::Permissions::from_mode(0o700);
    let mut builder = tempfile::Builder::new();
    let folder = builder.prefix("mcc-tui-").permissions(private).tempdir().map_err(lost)?;
    let name = Path::new(file_name).file_name().filter(|name| !name.is_empty());
    let path = folder.path().join(name.unwrap_or_else(|| "text".as_ref()));
    fs::write(&path, text).map_err(lost)?;
    let code = run(editor, &path)
        .map_err(|error| format!("The editor `{editor}` cannot be started: {error}."))?;
    if code != Some(0) {
        return Err(failed(editor, code));
    }
    // By its name: many editors write another file and put it in this one's place.
    let mut bytes = Vec::new();
    let open = File::open(&path).map_err(lost)?;
    open.take(MOST + 1).read_to_end(&mut bytes).map_err(lost)?;
    if bytes.len() as u64 > MOST {
        return Err("The edited text is larger than 8 MiB: nothing was changed.".to_owned());
    }
    String::from_utf8(bytes)
        .map_err(|_| "The edited text is not UTF-8: nothing was changed.".to_owned())
}

/// Ends the editor that runs, if one does, and keeps every other from being started. Waits until it
/// is gone, up to 1.5 seconds: it is told to end, saves what it can and gives the terminal back in
/// its own way; one that does not is killed.
pub fn end() {
    let mut open = locked();
    open.is_over = true;
    let Some(shell) = open.shell else { return };
    drop(open);
    let below = Tree::of(shell.as_raw_nonzero().get());
    // Not the shell, which ends behind its editor: without it nobody would wait for that.
    below.signal_each(Signal::TERM);
    if below.is_empty() {
        kill_process(shell, Signal::TERM).ok();
    }
    if is_gone_within(PATIENCE, shell, &below) {
        return;
    }
    Tree::of(shell.as_raw_nonzero().get()).signal_each(Signal::KILL);
    // A parent that ended before may have left these alone.
    below.signal_each(Signal::KILL);
    if locked().shell == Some(shell) {
        kill_process(shell, Signal::KILL).ok();
    }
    let _dead = is_gone_within(DYING, shell, &below);
}

fn locked() -> MutexGuard<'static, Open> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_gone_within(limit: Duration, shell: Pid, below: &Tree) -> bool {
    let began = Instant::now();
    while locked().shell == Some(shell) || !below.is_gone() {
        if began.elapsed() > limit {
            return false;
        }
        thread::park_timeout(PAUSE);
    }
    true
}

/// Gives the exit code; none if a signal ended the editor.
fn run(editor: &str, path: &Path) -> io::Result<Option<i32>> {
    let settings = tcgetattr(io::stdin()).ok();
    let mut command = Command::new("sh");
    // An interrupt is for the editor: the shell must not end before it.
    command.arg("-c").arg(format!("trap : INT; {editor} \"$@\"")).arg("sh").arg(path);
    let mut open = locked();
    if open.is_over {
        return Err(io::Error::other("the program ends"));
    }
    let apart = Apart::start(&mut command)?;
    let pid = Pid::from_raw(apart.pid).ok_or_else(|| io::Error::other("it has no id"))?;
    open.shell = Some(pid);
    drop(open);
    let code = wait(pid);
    locked().shell = None;
    // Whoever sets a terminal that is in front of another group is stopped for it.
    let is_in_front = tcgetpgrp(io::stdin()).is_ok_and(|front| front == getpgrp());
    if let Some(settings) = settings.filter(|_| is_in_front) {
        let _restored = tcsetattr(io::stdin(), OptionalActions::Flush, &settings).is_ok();
    }
    code
}

/// Waits for its end. Where the editor is stopped, so is this program: the shell that started us
/// shows its prompt, and lets both go on together.
fn wait(pid: Pid) -> io::Result<Option<i32>> {
    loop {
        match waitpid(Some(pid), WaitOptions::UNTRACED) {
            Ok(Some((_, status))) if status.stopped() => kill_process(getpid(), Signal::STOP)?,
            Ok(Some((_, status))) => return Ok(status.exit_status()),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn failed(editor: &str, code: Option<i32>) -> String {
    match code {
        Some(NOT_FOUND) => format!(
            "There is no editor `{editor}`: set VISUAL or EDITOR to one. Nothing was changed."
        ),
        Some(code) => {
            format!("The editor `{editor}` ended with exit code {code}: nothing was changed.")
        }
        None => format!("The editor `{editor}` was ended by a signal: nothing was changed."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_editor_wrote_comes_back() {
        let edited = edit("sed -i s/draft/text/", "a draft\n漢\n", "prompt.md");
        assert_eq!(edited, Ok("a text\n漢\n".to_owned()));
    }

    #[test]
    fn an_editor_that_fails_or_is_missing_is_told() {
        let failed = edit("sh -c 'exit 3'", "x", "x").unwrap_err();
        assert!(failed.contains("exit code 3"), "{failed}");
        let missing = edit("no-such-editor-at-all 2>/dev/null", "x", "x").unwrap_err();
        assert!(missing.contains("There is no editor"), "{missing}");
    }

    #[test]
    fn what_is_no_text_is_told() {
        let told = edit("printf '\\377' >", "x", "x").unwrap_err();
        assert!(told.contains("not UTF-8"), "{told}");
    }

    #[test]
    fn the_editor_is_shown_a_file_of_that_name_and_of_the_user_alone() {
        let show =
            "f() { stat -c '%a %n' \"${1%/*}\" \"$1\" >\"$1.new\"; mv \"$1.new\" \"$1\"; }; f";
        let edited = edit(show, "x", "../src/main.rs").unwrap();
        let (folder, file) = edited.trim_end().split_once('\n').unwrap();
        assert!(folder.starts_with("700 "), "{folder}");
        assert_eq!(file.rsplit_once('/').unwrap().1, "main.rs");
        assert!(!Path::new(folder.trim_start_matches("700 ")).exists());
        assert!(edit("cat >/dev/null", "x", "..").is_ok());
    }
}
