//! What the tests of commands share: a command with a mark, a way to run it, a look for the mark.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use mcc_tui::tools::{
    Run,
    process::{CommandEnd, CommandSpec, Processes},
};
use tokio_util::sync::CancellationToken;

/// Far more than anything here takes: a bound to fail at, not to measure with.
pub(super) const BOUND: Duration = Duration::from_mins(5);

/// A command whose processes can be told from all others.
pub(super) struct Probe {
    mark: String,
    cwd: PathBuf,
    pub(super) timeout: Duration,
    pub(super) stop: CancellationToken,
    pub(super) kill: CancellationToken,
    seen: Arc<Mutex<Vec<String>>>,
    /// Where its commands write the marks that their keepers gave them.
    marks: tempfile::TempDir,
}

impl Probe {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self::marked(format!("mark-{}-{number}-end", std::process::id()))
    }

    pub(super) fn marked(mark: String) -> Self {
        Self {
            mark,
            cwd: std::env::temp_dir(),
            timeout: BOUND,
            stop: CancellationToken::new(),
            kill: CancellationToken::new(),
            seen: Arc::default(),
            marks: tempfile::tempdir().unwrap(),
        }
    }

    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    pub(super) fn within(self, cwd: &Path) -> Self {
        Self { cwd: cwd.to_owned(), ..self }
    }

    pub(super) fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Cancels a token once the command has printed `word`.
    pub(super) fn run_handle(&self, word: &'static str, then: Option<CancellationToken>) -> Run {
        let (seen, printed) = (Arc::clone(&self.seen), Mutex::new(String::new()));
        let live = move |piece: &str| {
            seen.lock().unwrap().push(piece.to_owned());
            let mut printed = printed.lock().unwrap();
            printed.push_str(piece);
            if printed.contains(word)
                && let Some(token) = &then
            {
                token.cancel();
            }
        };
        Run { stop: self.stop.clone(), kill: self.kill.clone(), live: Arc::new(live) }
    }

    /// The command with the mark.
    pub(super) fn prefixed(&self, command: &str) -> String {
        // The mark is in the environment of every child, and in the shell's own arguments. The
        // keeper's own mark, which no command sets, tells its processes too.
        let note = self.marks.path().join("marks");
        format!(
            "export PROBE_MARK={}; printf 'MCC_COMMAND=%s\\n' \"$MCC_COMMAND\" >>'{}'\n{command}",
            self.mark,
            note.display()
        )
    }

    pub(super) fn spec(&self, command: &str) -> CommandSpec {
        CommandSpec::new(self.prefixed(command), self.cwd.clone(), self.timeout)
    }

    async fn bounded(&self, command: &str, run: Run) -> std::io::Result<CommandEnd> {
        let processes = processes();
        let running = processes.run(self.spec(command), &run);
        tokio::time::timeout(BOUND, running).await.expect("the command never came back")
    }

    pub(super) async fn try_run(&self, command: &str) -> std::io::Result<CommandEnd> {
        let end = self.bounded(command, self.run_handle("", None)).await;
        self.assert_nothing_is_left();
        end
    }

    pub(super) async fn run(&self, command: &str) -> CommandEnd {
        self.try_run(command).await.unwrap()
    }

    /// Runs it, and stops it once it has printed `ready`.
    pub(super) async fn run_and_stop(&self, command: &str) -> CommandEnd {
        self.run_and_stop_at("ready", command).await
    }

    pub(super) async fn run_and_stop_at(&self, word: &'static str, command: &str) -> CommandEnd {
        let run = self.run_handle(word, Some(self.stop.clone()));
        let end = self.bounded(command, run).await.unwrap();
        self.assert_nothing_is_left();
        end
    }

    /// What the live view got, piece by piece.
    pub(super) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// The processes that carry the mark now.
    pub(super) fn left(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let given = fs::read_to_string(self.marks.path().join("marks")).unwrap_or_default();
        let mut marks: Vec<&str> = given.lines().collect();
        marks.push(&self.mark);
        entries
            .flatten()
            .filter_map(|entry| {
                let path = entry.path();
                entry.file_name().to_str()?.parse::<u32>().ok()?;
                let carries = |file: &str| {
                    let text = fs::read(path.join(file)).unwrap_or_default();
                    let text = String::from_utf8_lossy(&text);
                    marks.iter().any(|mark| text.contains(mark))
                };
                let found = carries("cmdline") || carries("environ");
                found.then(|| fs::read_to_string(path.join("stat")).unwrap_or_default())
            })
            .collect()
    }

    pub(super) fn assert_nothing_is_left(&self) {
        assert_eq!(self.left(), Vec::<String>::new());
    }

    /// Waits until nothing is left: for commands that were dropped and not waited for.
    pub(super) async fn until_nothing_is_left(&self) {
        self.until("something of the command is left", || self.left().is_empty()).await;
    }

    pub(super) async fn until(&self, complaint: &str, is_so: impl Fn() -> bool) {
        let waiting = async {
            while !is_so() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        assert!(
            tokio::time::timeout(BOUND, waiting).await.is_ok(),
            "{complaint}: {:?}",
            self.left()
        );
    }
}

/// The built binary is the keeper.
pub(super) fn processes() -> Processes {
    Processes::new(PathBuf::from(env!("CARGO_BIN_EXE_mcc-tui")))
}

/// A command line that runs one ignored test of this binary in a process of its own.
pub(super) fn in_its_own_process(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
    command
}
