//! The file that a session is exported to. Owns its name and that nothing is ever overwritten;
//! must not know what stands in it.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Names that are tried before giving up.
const NAMES: u32 = 1_000;
const DAY: u64 = 24 * 60 * 60;

/// The two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum Format {
    Markdown,
    Json,
}

impl Format {
    /// After the ending of the name: Markdown unless it is `.json`.
    pub(in crate::tui) fn of(name: &str) -> Self {
        let ending = Path::new(name).extension();
        if ending.is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
            Self::Json
        } else {
            Self::Markdown
        }
    }
}

/// What is to be written where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) struct Export {
    /// As it was typed; empty for a name with the date.
    pub(in crate::tui) name: String,
    pub(in crate::tui) text: String,
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) enum ExportError {
    /// There is such a file; this name is free.
    Exists { name: String, free: String },
    /// Anything else.
    Failed { name: String, why: String },
}

/// Writes a new file; gives its name. A relative one is below `folder`.
pub(in crate::tui) fn write(folder: &Path, export: &Export) -> Result<String, ExportError> {
    let dated = export.name.is_empty();
    let name = if dated { format!("mcc-tui-{}.md", date(now())) } else { export.name.clone() };
    let fail = |name: &str, error: &io::Error| ExportError::Failed {
        name: name.to_owned(),
        why: error.to_string(),
    };
    match create(&place(folder, &name), &export.text) {
        Ok(()) => return Ok(name),
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(fail(&name, &error));
        }
        Err(_) => {}
    }
    let mut others = (2..NAMES).map(|n| numbered(&name, n));
    if dated {
        for other in others {
            match create(&place(folder, &other), &export.text) {
                Ok(()) => return Ok(other),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fail(&other, &error)),
            }
        }
        return Err(fail(&name, &io::Error::from(io::ErrorKind::AlreadyExists)));
    }
    let free = others.find(|other| place(folder, other).symlink_metadata().is_err());
    Err(ExportError::Exists { free: free.unwrap_or_default(), name })
}

/// Only for the user's own eyes: what was said may hold secrets.
fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half of it is worth nothing, and would stand in the way of the next try.
        let _removed = fs::remove_file(path).is_ok();
    }
    written
}

fn place(folder: &Path, name: &str) -> PathBuf {
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    match name.strip_prefix("~/").and_then(|rest| Some(home()?.join(rest))) {
        Some(path) => path,
        None => folder.join(name),
    }
}

/// `a-2.md` for `a.md`.
fn numbered(name: &str, n: u32) -> String {
    let start = name.rfind('/').map_or(0, |at| at + 1);
    let dot = name.rfind('.').filter(|at| *at > start).unwrap_or(name.len());
    let (stem, ending) = name.split_at_checked(dot).unwrap_or((name, ""));
    format!("{stem}-{n}{ending}")
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The day, as `2026-01-31`, in UTC: years are counted from March, so that the leap day is the
/// last one, in cycles of 400 years of 146,097 days.
fn date(since_1970: Duration) -> String {
    let day = since_1970.as_secs() / DAY + 719_468;
    let (cycle, of_cycle) = (day / 146_097, day % 146_097);
    let year_of_cycle =
        (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let from_march = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = cycle * 400 + year_of_cycle + u64::from(month <= 2);
    format!("{year}-{month:02}-{of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn export(name: &str) -> Export {
        Export { name: name.into(), text: "what was said".into() }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        // the dates of `date -u -d @SECONDS +%F`
        let cases = [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_709_164_800, "2024-02-29"),
            (1_767_225_599, "2025-12-31"),
            (4_107_542_400, "2100-03-01"),
        ];
        for (seconds, day) in cases {
            assert_eq!(date(Duration::from_secs(seconds)), day);
        }
    }

    #[test]
    fn nothing_is_ever_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert_eq!(write(folder.path(), &export("a.md")), Ok("a.md".into()));
        fs::write(path("a.md"), "kept").unwrap();
        fs::write(path("a-2.md"), "kept").unwrap();
        let exists = ExportError::Exists { name: "a.md".into(), free: "a-3.md".into() };
        assert_eq!(write(folder.path(), &export("a.md")), Err(exists));
        assert_eq!(fs::read_to_string(path("a.md")).unwrap(), "kept");
        std::os::unix::fs::symlink(path("nowhere"), path("link.md")).unwrap();
        assert!(write(folder.path(), &export("link.md")).is_err(), "a link is no free name");
        assert!(!path("nowhere").exists());
    }

    #[test]
    fn without_a_name_it_is_the_date_and_then_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let first = write(folder.path(), &export("")).unwrap();
        assert!(first.starts_with("mcc-tui-2") && first.contains(".md"), "{first}");
        let second = write(folder.path(), &export("")).unwrap();
        assert_ne!(first, second);
        assert_eq!(fs::read_to_string(folder.path().join(second)).unwrap(), "what was said");
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let failed = write(folder.path(), &export("no/such/a.md")).unwrap_err();
        assert!(matches!(failed, ExportError::Failed { .. }), "{failed:?}");
        assert_eq!(numbered("a.b/c", 2), "a.b/c-2");
        assert_eq!(numbered("x/.md", 2), "x/.md-2");
    }
}
