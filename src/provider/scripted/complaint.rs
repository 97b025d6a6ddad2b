//! What is said of a script that cannot be played. Owns the error; knows no form of a script.

use crate::{protocol::exit::ErrorKind, provider::ProviderError};

const HINT: &str = "Correct the script, or start without --script.";

/// A script that cannot be played, and why.
pub(super) fn complaint(message: String) -> ProviderError {
    ProviderError::new(ErrorKind::Config, message, HINT)
}
