//! The log: a file in the state directory, made at the first line that is written to it.
//! Owns nothing else. `MCC_LOG` sets the level (`error` by default, `off` for none).

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::PathBuf,
    sync::Mutex,
};

use tracing_subscriber::filter::LevelFilter;

/// Begins to log into `mcc-tui.log` below this folder.
pub(super) fn start(folder: Option<PathBuf>) {
    let Some(folder) = folder else { return };
    let level = std::env::var("MCC_LOG").ok().and_then(|level| level.parse().ok());
    let level: LevelFilter = level.unwrap_or(LevelFilter::ERROR);
    let log = LateFile { path: folder.join("mcc-tui.log"), file: None };
    // A second subscriber is refused; the first one then logs.
    let _first = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_writer(Mutex::new(log))
        .try_init()
        .is_ok();
}

/// A file that is opened when there is something to write.
struct LateFile {
    path: PathBuf,
    file: Option<File>,
}

impl LateFile {
    fn open(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            if let Some(folder) = self.path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            self.file = Some(OpenOptions::new().create(true).append(true).open(&self.path)?);
        }
        self.file.as_mut().ok_or_else(|| io::Error::other("the log file was not opened"))
    }
}

impl Write for LateFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}
