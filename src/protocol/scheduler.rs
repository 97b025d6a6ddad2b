//! How the calls of one response are ordered. Owns the words, the same in settings and reports.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Which calls of one response may run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheduler {
    /// All of which none may change what another touches.
    #[default]
    Effects,
    /// Reads that follow one another; everything else alone.
    Batch,
    /// None: one after the other.
    Serial,
}

impl Scheduler {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Effects => "effects",
            Self::Batch => "batch",
            Self::Serial => "serial",
        }
    }
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Scheduler {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        [Self::Effects, Self::Batch, Self::Serial]
            .into_iter()
            .find(|mode| mode.word() == word)
            .ok_or_else(|| "it is one of effects, batch, serial".to_owned())
    }
}
