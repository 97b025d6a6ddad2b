//! The headers that the user adds to every request. Owns what a header may be; sends nothing.
//!
//! Invariant: every value counts as a secret: no error and no log shows it.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::{
    protocol::{exit::ErrorKind, extra::Header},
    provider::ProviderError,
    text::cut,
};

/// Headers that say how the request itself is sent, which is not for the user to say.
const OURS: [&str; 9] = [
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What the user adds, checked.
#[derive(Default)]
pub(super) struct Headers {
    /// For every request.
    pub(super) all: HeaderMap,
    /// What takes the place of the key.
    pub(super) authorization: Option<HeaderValue>,
    /// The last word of that: the key itself.
    pub(super) token: Option<String>,
    /// What no text may show.
    pub(super) secrets: Vec<String>,
    /// Whether any of them is worth as much as a key.
    pub(super) are_secret: bool,
}

impl Headers {
    /// Checks them.
    ///
    /// # Errors
    /// `Config`: a name or a value that no header can hold, or a header that is not for the user.
    pub(super) fn check(given: &[Header]) -> Result<Self, ProviderError> {
        let mut headers = Self::default();
        for Header { name, value, secrets } in given {
            let known = HeaderName::from_bytes(name.as_bytes());
            let known = known.map_err(|_| refuse(name, "is no name that a header can have"))?;
            if OURS.contains(&known.as_str()) {
                return Err(refuse(name, "is set by mcc-tui itself"));
            }
            let mut checked = HeaderValue::from_str(value.trim())
                .map_err(|_| refuse(name, "has a value that no header can hold"))?;
            checked.set_sensitive(true);
            headers.are_secret |= !secrets.is_empty() || known == AUTHORIZATION;
            headers.secrets.extend(secrets.iter().cloned().chain([value.trim().to_owned()]));
            if headers.all.contains_key(&known) || known == AUTHORIZATION && headers.token.is_some()
            {
                return Err(refuse(name, "stands there twice"));
            }
            if known == AUTHORIZATION {
                headers.token = value.split_whitespace().last().map(str::to_owned);
                headers.secrets.extend(headers.token.clone());
                headers.authorization = Some(checked);
            } else {
                headers.all.insert(known, checked);
            }
        }
        // The longest first, so that no rest of one stays where another is a part of it.
        headers.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        headers.secrets.dedup();
        Ok(headers)
    }
}

fn refuse(name: &str, why: &str) -> ProviderError {
    ProviderError::new(
        ErrorKind::Config,
        format!("The header \"{}\" {why}.", cut::one_line(name, 64)),
        "Change or remove it in [headers] of your config file.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, value: &str) -> Header {
        Header { name: name.into(), value: value.into(), secrets: Vec::new() }
    }

    #[test]
    fn what_no_header_can_hold_is_refused_without_showing_it() {
        for (name, value) in [("", "x"), ("a b", "x"), ("a", "s3cret\nx"), ("a", "s3cret\u{7f}")] {
            let error = Headers::check(&[header(name, value)]).err().unwrap();
            assert_eq!(error.kind, ErrorKind::Config);
            assert!(!error.message.contains("s3cret"), "{error}");
            assert!(error.hint.contains("[headers]"), "{}", error.hint);
        }
        assert!(Headers::check(&[header("x-a", "1"), header("X-A", "2")]).is_err());
        for name in ["Content-Length", "transfer-encoding", "Connection"] {
            assert!(Headers::check(&[header(name, "1")]).is_err(), "{name}");
        }
    }

    #[test]
    fn an_authorization_stands_apart_and_its_token_is_a_secret_too() {
        let headers = Headers::check(&[header("Authorization", "Token abcdefgh1")]).ok().unwrap();
        assert!(headers.all.is_empty() && headers.are_secret);
        assert_eq!(headers.authorization.unwrap(), "Token abcdefgh1");
        assert_eq!(headers.secrets, ["Token abcdefgh1", "abcdefgh1"]);
    }
}
