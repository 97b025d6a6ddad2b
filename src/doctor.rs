//! `mcc-tui doctor`: checks a server and a model for what an agent needs of them, and says which
//! settings follow.
//!
//! Owns the checks, their order and the words for what they saw. Must not know the engine, the
//! tools or the screen: it talks to a provider as the engine would, and no file is touched but
//! the one that the settings are saved in.
//!
//! | module | what it is |
//! |---|---|
//! | `check` | the checks by name, and what one of them found |
//! | `examine` | the checks in order: what each asks, and what the answers mean |
//! | `errand` | one call of a tool and its result, to and fro |
//! | `hear` | one request and its whole answer, timed |
//! | `settings` | the settings that follow: printed, and saved |
//! | `page` | how all of it is printed |
//!
//! Invariant: it always ends, as each check has a limit; each check is printed as soon as it is
//! known; and nothing that a server says reaches a terminal as it came.

mod check;
mod errand;
mod examine;
mod hear;
mod page;
mod settings;

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use tokio::io::AsyncWrite;

use crate::provider::{ProviderError, openai::OpenAi};
use check::Check;
use examine::Examination;
pub use page::Format;
use page::{Page, Saved};

/// What is to be checked, and how.
pub struct Order {
    /// The server; or why there is none to check.
    pub subject: Result<Subject, ProviderError>,
    /// Whether calls as text are checked although native ones work.
    pub all: bool,
    /// How long each check may take.
    pub limit: Duration,
    /// How it is printed.
    pub format: Format,
    /// Where the settings are kept.
    pub file: ConfigFile,
}

/// A server to check.
pub struct Subject {
    /// The server.
    pub server: Arc<OpenAi>,
    /// Its address as the settings have it.
    pub base_url: String,
    /// The model that is set; empty if none is.
    pub model: String,
    /// How that model came to be.
    pub choice: Choice,
    /// Why the server gets no key, although there is one.
    pub withheld: Option<String>,
    /// How the server was found, if nobody named it.
    pub note: Option<String>,
}

/// How it was decided which model is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The user set it for this server: no other one is taken in its place.
    Meant,
    /// It is set, but perhaps for another server: it counts if this server has it.
    Unsure,
    /// It was found together with the server.
    Found,
}

/// The user's config file, and what is to become of it.
pub enum ConfigFile {
    /// It is left alone; the path is named if there is one.
    Leave(Option<PathBuf>),
    /// The settings are written into it.
    Save(PathBuf),
    /// It should be written, but must not be, for this reason.
    Refuse(String),
}

/// Runs the checks and prints them on `out`; on `progress`, if there is one, which check runs: it
/// is a terminal whose line is replaced. Gives the exit code: 0 if a call of a tool worked one
/// way or the other, 1 if the server answers but no call worked, else the code of the failure.
/// Dropping the future ends it at once.
///
/// # Errors
/// `out` cannot be written.
pub async fn run(
    order: Order,
    out: impl AsyncWrite + Unpin,
    progress: Option<impl AsyncWrite + Unpin>,
) -> io::Result<u8> {
    let mut page = Page::new(out, progress, order.format);
    let base_url = order.subject.as_ref().map(|subject| subject.base_url.clone()).ok();
    page.head(base_url.as_deref()).await?;
    let mut examination = Examination::new(order.subject, order.all, order.limit);
    for check in Check::ALL {
        page.begins(check).await;
        let finding = examination.run(check).await;
        page.found(&finding).await?;
    }
    let code = examination.exit_code();
    let settings = examination.settings();
    let saved = match (order.file, &settings) {
        (ConfigFile::Leave(path), _) => Saved::Left(path),
        (ConfigFile::Refuse(why), _) => Saved::Not(why),
        (ConfigFile::Save(path), Some(settings)) if code == 0 => settings.save(path).await,
        (ConfigFile::Save(_), _) => {
            Saved::Not("no call of a tool worked, so the config file is left as it is.".to_owned())
        }
    };
    let is_lost = matches!(saved, Saved::Not(_));
    let code = if code == 0 && is_lost { NOT_SAVED } else { code };
    page.end(settings.as_ref(), &saved, (code, examination.verdict())).await?;
    Ok(code)
}

/// Exit code when all is well but for the file that could not be written: settings.
const NOT_SAVED: u8 = 78;

#[cfg(test)]
mod tests;
