//! `mcc-tui doctor`: from the command line and the settings to the checks, and from those to the
//! exit code. Owns which server is checked, and when a file must not be written.
//!
//! Invariant: an address that a project's file brought is never made the user's own, as their key
//! would follow it from then on.

use std::{
    io::{IsTerminal, Write},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use color_eyre::eyre::{Result, WrapErr};

use super::{
    env, lazy,
    loader::{Loader, UNUSABLE, flags},
    to_its_end,
};
use crate::{
    cli::{Cli, Command, Doctor, OutputFormat},
    config::{self, Config, ConfigError, Server, Sources},
    doctor::{self, Choice, ConfigFile, Format, Order, Subject},
    protocol::exit::{AbortBy, AbortDuring, ErrorKind, ExitReason},
    provider::{ProviderError, discover::Found},
    signals::Signals,
};

const NOBODY: &str = "No server is set, and none was found on this machine.";
const NAME_ONE: &str = "Start one, or name one: mcc-tui doctor http://localhost:11434/v1";

/// What is to be checked, if that is what the command line asks for. With `-p` the lone word is a
/// prompt.
///
/// # Errors
/// A sentence about a command line that makes no sense.
pub(super) fn asked(cli: &mut Cli) -> Result<Option<Doctor>, String> {
    let Some(Command::Doctor(mut doctor)) = cli.command.take() else { return Ok(None) };
    if cli.print {
        let is_lone = doctor == Doctor { timeout: doctor.timeout, ..Doctor::default() };
        if !is_lone || cli.prompt.is_some() {
            return Err("-p takes one prompt, in quotes: mcc-tui -p \"doctor …\"".to_owned());
        }
        cli.prompt = Some("doctor".to_owned());
        return Ok(None);
    }
    let strangers = [
        (cli.prompt.is_some(), "a prompt"),
        (cli.output_format != OutputFormat::Text, "--output-format (there is --json)"),
        (cli.max_iterations.is_some(), "--max-iterations"),
        (cli.yolo, "--yolo"),
        (!cli.allow.is_empty(), "--allow"),
        (cli.script.is_some(), "--script"),
        (cli.demo, "--demo"),
        (cli.no_mouse, "--no-mouse"),
        (cli.tools.is_some(), "--tools (both ways are checked)"),
    ];
    if let Some((_, stranger)) = strangers.iter().find(|(is_there, _)| *is_there) {
        return Err(format!("doctor takes no {}", stranger.trim_start_matches("a ")));
    }
    match (doctor.url.take(), &cli.base_url) {
        (Some(url), Some(flag)) if url != *flag => {
            Err(format!("two addresses: {url} and --base-url {flag}. Give one of them."))
        }
        (Some(url), _) => {
            cli.base_url = Some(url);
            Ok(Some(doctor))
        }
        (None, _) => Ok(Some(doctor)),
    }
}

/// Runs the checks; gives the exit code.
pub(super) fn run(cli: &Cli, asked: Doctor) -> Result<u8> {
    to_its_end(until_stopped(cli, asked))
}

/// A signal ends it at once: nothing is left to clean up.
async fn until_stopped(cli: &Cli, asked: Doctor) -> Result<u8> {
    let mut signals = Signals::listen().wrap_err("signals cannot be heard")?;
    let by = tokio::select! {
        code = check(cli, asked) => return Ok(code),
        by = signals.next() => by,
    };
    if shows() {
        // What the shell prints next begins on a line of its own.
        let _told = writeln!(std::io::stderr()).is_ok();
    }
    Ok(stopped(by))
}

/// Whether somebody looks on who can be shown which check runs.
fn shows() -> bool {
    std::io::stderr().is_terminal() && env("TERM").is_none_or(|term| term != "dumb")
}

fn stopped(by: AbortBy) -> u8 {
    ExitReason::Abort { by, during: AbortDuring::Request }.exit_code()
}

async fn check(cli: &Cli, asked: Doctor) -> u8 {
    let place = Place::of(cli);
    let loaded = place.loader.load();
    let order = Order {
        file: place.file(asked.save, loaded.as_ref().ok()),
        subject: subject(cli, &place, loaded).await,
        all: asked.all,
        limit: Duration::from_secs(asked.timeout.into()),
        format: if asked.json { Format::Json } else { Format::Text },
    };
    let progress = shows().then(tokio::io::stderr);
    // Who does not read to the end is no fault, but no success either.
    doctor::run(order, tokio::io::stdout(), progress).await.unwrap_or(stopped(AbortBy::Consumer))
}

/// Where the settings come from.
struct Place {
    loader: Loader,
    user: Option<PathBuf>,
}

impl Place {
    fn of(cli: &Cli) -> Self {
        let root = cli.dir.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        // The project is the folder itself, wherever a link to it stands.
        let root = root.canonicalize().unwrap_or(root);
        Self { loader: Loader { flags: flags(cli), root }, user: config::user_file(&env) }
    }

    /// What is to become of the user's file.
    fn file(&self, save: bool, loaded: Option<&Config>) -> ConfigFile {
        let Some(path) = self.user.clone() else {
            return if save {
                ConfigFile::Refuse("there is no home folder to keep a config file in.".to_owned())
            } else {
                ConfigFile::Leave(None)
            };
        };
        match loaded.and_then(|config| self.foreign(config)) {
            _ if !save => ConfigFile::Leave(Some(path)),
            Some(url) => ConfigFile::Refuse(format!(
                "the address comes from {}, and your key goes to every address in your own file. \
                 To make it yours, name it: mcc-tui doctor {url} --save",
                config::project_file(&self.loader.root).display()
            )),
            None => ConfigFile::Save(path),
        }
    }

    /// The address, if only the project names it.
    fn foreign(&self, config: &Config) -> Option<String> {
        let own = Config::load(&Sources {
            flags: self.loader.flags.clone(),
            env: &env,
            // A folder below nothing: as if there were no project.
            project: PathBuf::from("/dev/null/config.toml"),
            user: self.user.clone(),
        });
        let own = own.ok().and_then(|config| config.model.into_server());
        let now = &config.model.server()?.base_url;
        // The key goes there anyway.
        let is_usual = now == config::OPENAI;
        let is_own = own.is_some_and(|own| own.base_url == *now);
        (!is_usual && !is_own).then(|| now.clone())
    }
}

async fn subject(
    cli: &Cli,
    place: &Place,
    loaded: Result<Config, ConfigError>,
) -> Result<Subject, ProviderError> {
    let config = loaded.map_err(|error| broken(&error))?;
    let search = config.search.clone();
    let (server, note) = match config.model.into_server() {
        Some(server) => (server, None),
        None => found(place, lazy::search(&search).await)?,
    };
    let choice = match &note {
        Some(_) => Choice::Found,
        // A model that some file sets may be meant for the server of that file.
        None if cli.model.is_none() && cli.base_url.is_some() => Choice::Unsure,
        None => Choice::Meant,
    };
    Ok(Subject {
        server: Arc::new(lazy::connect(&server)?),
        base_url: server.base_url.clone(),
        model: server.model.clone(),
        choice,
        withheld: server.key_withheld.clone(),
        note,
    })
}

fn found(
    place: &Place,
    found: Option<Found>,
) -> Result<(Box<Server>, Option<String>), ProviderError> {
    let nobody = || ProviderError::new(ErrorKind::Config, NOBODY, NAME_ONE);
    let found = found.ok_or_else(nobody)?;
    let at = found.offers.first().map_or(found.base_url.as_str(), |offer| offer.place.as_str());
    let note = format!("No server is set; found one at {at}.");
    let config = place
        .loader
        .named(found.base_url.clone(), found.model)
        .load()
        .map_err(|error| broken(&error))?;
    Ok((config.model.into_server().ok_or_else(nobody)?, Some(note)))
}

fn broken(error: &ConfigError) -> ProviderError {
    let message = format!("{UNUSABLE} {error}");
    ProviderError::new(ErrorKind::Config, message, "Mend the file, then check again.")
}
