//! How the checks are printed: a line a check for people, one object for machines. Owns the layout
//! and the JSON, which is public; decides nothing.
//!
//! Invariant: no line for people is wider than [`COLUMNS`], and what is printed holds no escape
//! sequence that came from outside.

mod wrap;

use std::{io, path::PathBuf};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::{
    check::{Check, Finding},
    settings::Settings,
};
use crate::{protocol::FORMAT_VERSION, text::sanitize::sanitize};
use wrap::wrap;

/// The widest line.
const COLUMNS: usize = 80;
/// Where the words begin: after the name and the status.
const INDENT: usize = 25;
/// The most bytes of what one check tells.
const MOST: usize = 1_200;

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line a check, as soon as it is known.
    Text,
    /// One object at the end.
    Json,
}

/// What became of the config file.
pub(super) enum Saved {
    /// Nobody asked for it. The path, if there is one.
    Left(Option<PathBuf>),
    /// The settings stand in it.
    At(PathBuf),
    /// They do not, for this reason.
    Not(String),
}

/// The page.
pub(super) struct Page<O, P> {
    out: O,
    progress: Option<P>,
    format: Format,
    base_url: Option<String>,
    findings: Vec<Finding>,
}

impl<O: AsyncWrite + Unpin, P: AsyncWrite + Unpin> Page<O, P> {
    pub(super) fn new(out: O, progress: Option<P>, format: Format) -> Self {
        Self { out, progress, format, base_url: None, findings: Vec::new() }
    }

    /// Begins.
    pub(super) async fn head(&mut self, base_url: Option<&str>) -> io::Result<()> {
        self.base_url = base_url.map(|url| sanitize(url).into_owned());
        let head = match &self.base_url {
            Some(url) => wrap(&format!("Checking {url}"), COLUMNS, 0),
            None => return Ok(()),
        };
        self.text(&format!("{head}\n\n")).await
    }

    /// Says which check runs now.
    pub(super) async fn begins(&mut self, check: Check) {
        self.tell(&format!("… checking {}", check.name())).await;
    }

    /// Prints what a check found.
    pub(super) async fn found(&mut self, finding: &Finding) -> io::Result<()> {
        self.tell("\r\u{1b}[K").await;
        self.findings.push(finding.clone());
        if !finding.outcome.is_left_out {
            return self.text(&row(finding)).await;
        }
        // One line stands for all that are left out.
        let count = self.findings.iter().filter(|finding| finding.outcome.is_left_out).count();
        if count > 1 { Ok(()) } else { self.text(&row_of("all others", finding)).await }
    }

    /// Prints what follows of it all.
    pub(super) async fn end(
        &mut self,
        settings: Option<&Settings>,
        saved: &Saved,
        (code, verdict): (u8, &str),
    ) -> io::Result<()> {
        match self.format {
            Format::Text => {
                let verdict = paragraph(&format!("{verdict} (exit code {code})"));
                let end = last_words(settings, saved);
                self.text(&format!("\n{verdict}\n{end}")).await
            }
            Format::Json => {
                let object = self.object(settings, saved, (code, verdict));
                put(&mut self.out, &format!("{object}\n")).await
            }
        }
    }

    async fn text(&mut self, text: &str) -> io::Result<()> {
        match self.format {
            Format::Text => put(&mut self.out, text).await,
            Format::Json => Ok(()),
        }
    }

    /// Progress is only a courtesy.
    async fn tell(&mut self, text: &str) {
        if let Some(progress) = &mut self.progress {
            let _told = put(progress, text).await.is_ok();
        }
    }

    fn object(
        &self,
        settings: Option<&Settings>,
        saved: &Saved,
        (code, verdict): (u8, &str),
    ) -> Value {
        let entries = settings.map(Settings::entries).unwrap_or_default();
        let config: Map<String, Value> =
            entries.into_iter().map(|(key, value)| (key.to_owned(), plain(&value))).collect();
        let (path, told) = match saved {
            Saved::At(path) => (Some(path.display().to_string()), None),
            Saved::Not(why) => (None, Some(sanitize(why).into_owned())),
            Saved::Left(_) => (None, None),
        };
        json!({
            "format": "mcc-tui doctor",
            "version": FORMAT_VERSION,
            "base_url": self.base_url,
            "exit_code": code,
            "verdict": verdict,
            "checks": self.findings.iter().map(entry).collect::<Vec<_>>(),
            "config": config,
            "saved": path,
            "not_saved": told,
        })
    }
}

/// A setting as JSON.
fn plain(value: &toml_edit::Value) -> Value {
    let number = value.as_integer().map(Value::from);
    let text = value.as_str().map(|text| Value::from(sanitize(text).into_owned()));
    let list = value.as_array().map(|list| list.iter().map(plain).collect());
    number.or(text).or(list).unwrap_or_default()
}

fn row(finding: &Finding) -> String {
    row_of(finding.check.name(), finding)
}

fn row_of(name: &str, finding: &Finding) -> String {
    let status = finding.outcome.status.word();
    let words = wrap(&told(finding), COLUMNS - INDENT, INDENT);
    format!("{name:<16}{status:<9}{words}\n")
}

fn told(finding: &Finding) -> String {
    let told = sanitize(&finding.outcome.told);
    crate::text::cut::one_line(&told, MOST)
}

fn entry(finding: &Finding) -> Value {
    let error = finding.outcome.error.as_ref().map(|error| {
        json!({
            "kind": error.kind,
            "message": sanitize(&error.message),
            "hint": sanitize(&error.hint),
        })
    });
    json!({
        "check": finding.check.word(),
        "status": finding.outcome.status.word(),
        "told": told(finding),
        "seconds": finding.took.as_secs_f64(),
        "error": error,
    })
}

fn last_words(settings: Option<&Settings>, saved: &Saved) -> String {
    let follow = settings.map(|settings| {
        let place = match saved {
            Saved::Left(Some(path)) => {
                format!("Settings that follow (--save writes them into {}):", path.display())
            }
            Saved::Left(None) | Saved::At(_) | Saved::Not(_) => "Settings that follow:".to_owned(),
        };
        // A line of a file stays one line, however long: it is there to be copied.
        format!("\n{}\n\n{}", paragraph(&place), sanitize(&settings.lines()))
    });
    let end = match saved {
        Saved::Left(_) => None,
        Saved::At(path) => Some(format!("Saved in {}.", path.display())),
        Saved::Not(why) => Some(format!("Not saved: {why}")),
    };
    let end = end.map(|end| format!("\n{}\n", paragraph(&end)));
    format!("{}{}", follow.unwrap_or_default(), end.unwrap_or_default())
}

fn paragraph(text: &str) -> String {
    wrap(&sanitize(text), COLUMNS, 0)
}

async fn put(writer: &mut (impl AsyncWrite + Unpin), text: &str) -> io::Result<()> {
    writer.write_all(text.as_bytes()).await?;
    writer.flush().await
}
