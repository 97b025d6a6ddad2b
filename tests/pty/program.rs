//! The built binary in a folder of its own, playing a script or the demo.
//!
//! Owns the words and places by which tests find things on its screen, so that a change of the
//! screen is a change here. Must not know what a single test is about.

use std::{fs, ops::Deref, path::Path, thread, time::Duration};

use rustix::process::Pid;
use tempfile::TempDir;

use crate::support::{Term, eventually, processes_with, text_of};

/// Between two keys of a person.
const APART: Duration = Duration::from_millis(30);

/// Columns and rows.
pub(crate) type Size = (u16, u16);
pub(crate) const SMALL: Size = (80, 24);
pub(crate) const LARGE: Size = (200, 50);

pub(crate) const ESC: &str = "\x1b";
pub(crate) const ENTER: &str = "\r";
pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const CTRL_D: &str = "\x04";
pub(crate) const CTRL_G: &str = "\x07";
pub(crate) const CTRL_T: &str = "\x14";
pub(crate) const CTRL_Z: &str = "\x1a";

/// The program, at work in its folder.
pub(crate) struct Program {
    term: Term,
    folder: TempDir,
}

/// What a program starts with.
pub(crate) struct Launch<'a> {
    pub(crate) size: Size,
    /// Name of a script below `tests/fixtures/pty`; the built-in demo if there is none.
    pub(crate) script: Option<&'a str>,
    pub(crate) args: &'a [&'a str],
    pub(crate) env: &'a [(&'a str, &'a str)],
    /// Files of the folder: path and content.
    pub(crate) files: &'a [(&'a str, &'a str)],
}

impl Default for Launch<'_> {
    fn default() -> Self {
        Self { size: SMALL, script: None, args: &[], env: &[], files: &[] }
    }
}

impl Launch<'_> {
    /// Starts it, and waits until it can be typed into.
    pub(crate) fn start(&self) -> Program {
        let program = self.open();
        program.wait_idle();
        program
    }

    /// Starts it.
    pub(crate) fn open(&self) -> Program {
        let folder = folder(self.files);
        let script = self.script.map(script_path);
        let mut args = Vec::new();
        if let Some(script) = &script {
            args.extend(["--script", script]);
        }
        args.extend(self.args);
        let term = Term::start(self.size.0, self.size.1, &args, self.env, folder.path());
        Program { term, folder }
    }
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        write(folder.path(), path, content);
    }
    folder
}

fn write(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Where a script of these tests lies.
pub(crate) fn script_path(name: &str) -> String {
    format!("{}/tests/fixtures/pty/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

impl Program {
    /// Starts the built-in demo in a folder with something to read.
    pub(crate) fn demo(size: Size) -> Self {
        let files = [
            ("Cargo.toml", "[package]\nname = \"parser\"\n"),
            ("README.md", "# A parser\n"),
            ("src/lib.rs", "pub fn parse() {}\n"),
        ];
        Launch { size, files: &files, ..Launch::default() }.start()
    }

    /// Starts a script on the small screen.
    pub(crate) fn script(name: &str) -> Self {
        Launch { script: Some(name), ..Launch::default() }.start()
    }

    /// Starts a script that may do everything unasked.
    pub(crate) fn unasked(name: &str) -> Self {
        Launch { script: Some(name), args: &["--yolo"], ..Launch::default() }.start()
    }

    /// Types a prompt and sends it.
    pub(crate) fn say(&self, prompt: &str) {
        self.type_text(prompt);
        self.send(ENTER);
    }

    /// Presses a key by itself, no faster behind another one than a person does: what comes within
    /// 10 ms of it is taken for typed by nobody, and answers nothing.
    pub(crate) fn press(&self, key: &str) {
        thread::park_timeout(APART);
        self.send(key);
    }

    /// Opens the search in what is looked at, and types these words there.
    #[track_caller]
    pub(crate) fn find(&self, words: &str) {
        self.press("/");
        self.wait_for(|screen| screen.contains("/ words; Ctrl-R"), "the field of the search");
        self.type_text(words);
    }

    /// Waits until no turn runs and keys are for the prompt.
    #[track_caller]
    pub(crate) fn wait_idle(&self) {
        self.wait_for(|screen| last_row(screen).contains("? keys"), "the idle status line");
    }

    /// Waits until numbered words of the answer are on the screen, whichever.
    #[track_caller]
    pub(crate) fn wait_words(&self) {
        self.wait_for(|screen| screen.contains(" w1"), "words of the answer");
    }

    /// Waits for the end of a turn for this reason; gives the screen.
    #[track_caller]
    pub(crate) fn wait_end(&self, reason: &str) -> String {
        let line = format!("■ {reason}");
        let over = |screen: &str| screen.contains(&line) && !is_busy(screen);
        self.wait_for(over, &format!("the line {line}"))
    }

    /// Waits until a question takes keys.
    #[track_caller]
    pub(crate) fn wait_armed(&self) {
        self.wait_screen(is_armed, "a question that takes keys");
    }

    /// Waits until this stands in the input box.
    #[track_caller]
    pub(crate) fn wait_prompt(&self, text: &str) {
        self.wait_for(|screen| prompt(screen) == text, &format!("the prompt {text:?}"));
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        write(self.folder(), path, content);
    }

    /// Content of a file in the folder, if there is one.
    pub(crate) fn file(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.folder().join(path)).ok()
    }

    /// Everything that runs because of the program, but for the program itself.
    pub(crate) fn offspring(&self) -> Vec<Pid> {
        let own = self.pid();
        processes_with(self.marker()).into_iter().filter(|pid| *pid != own).collect()
    }

    /// Waits until so many `sleep`s run below the program.
    #[track_caller]
    pub(crate) fn wait_sleepers(&self, count: usize) {
        wait_sleepers(self.marker(), count);
    }

    #[track_caller]
    pub(crate) fn wait_childless(&self) {
        eventually(|| self.offspring().is_empty(), "the end of all that it started");
    }
}

/// The terminal that the program runs on.
impl Deref for Program {
    type Target = Term;

    fn deref(&self) -> &Term {
        &self.term
    }
}

impl std::ops::DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Term {
        &mut self.term
    }
}

/// Waits until so many `sleep`s with this marker run.
#[track_caller]
pub(crate) fn wait_sleepers(marker: &str, count: usize) {
    let sleepers = || processes_with(marker).into_iter().filter(|pid| is(*pid, "sleep")).count();
    eventually(|| sleepers() == count, "processes to sleep");
}

/// Whether a process runs this program.
pub(crate) fn is(pid: Pid, name: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim() == name)
}

/// Whether a question takes keys: until then its answers are dim, by the attribute or grey.
pub(crate) fn is_armed(screen: &vt100::Screen) -> bool {
    let text = text_of(screen);
    let row = text.lines().position(|row| row.starts_with(" y yes, "));
    let row = row.and_then(|row| u16::try_from(row).ok());
    let is_dim = |cell: &vt100::Cell| cell.dim() || cell.fgcolor() != vt100::Color::Default;
    row.and_then(|row| screen.cell(row, 1)).is_some_and(|cell| !is_dim(cell))
}

/// The last row: the status line.
pub(crate) fn last_row(screen: &str) -> &str {
    screen.lines().next_back().unwrap_or_default()
}

/// Whether the status line tells of a running turn: then a spinner stands before its words.
pub(crate) fn is_busy(screen: &str) -> bool {
    let mark = last_row(screen).trim_start().chars().next();
    mark.is_some_and(|mark| ('\u{2800}'..='\u{28ff}').contains(&mark))
}

/// What stands in the input box, which is the lowest thing behind such a sign.
pub(crate) fn prompt(screen: &str) -> String {
    let rows: Vec<&str> = screen.lines().collect();
    let Some(start) = rows.iter().rposition(|row| row.starts_with(" ›")) else {
        return String::new();
    };
    let below = rows.get(start..rows.len() - 1).unwrap_or_default();
    let own = below.iter().take_while(|row| !row.starts_with(" ─"));
    let text = own.map(|row| row.chars().skip(3).collect::<String>()).collect::<Vec<_>>();
    text.join("\n").trim_end().to_owned()
}

/// Whether these bytes stand in those.
pub(crate) fn has(bytes: &[u8], part: &[u8]) -> bool {
    count(bytes, part) > 0
}

/// How often these bytes stand in those.
pub(crate) fn count(bytes: &[u8], part: &[u8]) -> usize {
    bytes.windows(part.len()).filter(|window| *window == part).count()
}
