//! Checks and names the server's address. Owns what a good base URL is; opens no connection.
//!
//! Invariant: an [`Endpoint`] has a host, ends without a slash, and carries no secret.

use std::net::IpAddr;

use reqwest::Url;

use crate::{protocol::exit::ErrorKind, provider::ProviderError};

const EXAMPLES: &str = "Give --base-url (or base_url in the config file) an address like \
                        https://api.openai.com/v1 or http://localhost:11434/v1.";

/// A checked base URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    base: String,
    host: String,
    port: u16,
    named_port: bool,
    encrypted: bool,
}

impl Endpoint {
    /// Checks a base URL.
    ///
    /// # Errors
    /// `Config`: it is no http or https address of a server.
    pub(super) fn parse(text: &str) -> Result<Self, ProviderError> {
        let refuse = |why: &str| {
            Err(ProviderError::new(
                ErrorKind::Config,
                format!("The base URL \"{text}\" cannot be used: {why}."),
                EXAMPLES,
            ))
        };
        let trimmed = text.trim().trim_end_matches('/');
        let trimmed = trimmed.strip_suffix("/chat/completions").unwrap_or(trimmed);
        let url = match Url::parse(trimmed.trim_end_matches('/')) {
            Ok(url) => url,
            Err(error) => return refuse(&error.to_string()),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return refuse("it does not begin with http:// or https://");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ProviderError::new(
                ErrorKind::Config,
                "The base URL cannot be used: it holds a user name or a password.",
                EXAMPLES,
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("it has a part after ? or #");
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return refuse("it names no server");
        };
        Ok(Self {
            base: url.as_str().trim_end_matches('/').to_owned(),
            host: host.to_owned(),
            port,
            named_port: url.port().is_some(),
            encrypted: url.scheme() == "https",
        })
    }

    /// The URL, without a slash at its end.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// Where a server keeps what it has beside the API.
    pub(super) fn root(&self) -> &str {
        self.base.strip_suffix("/v1").unwrap_or(&self.base)
    }

    /// The server for the screen: the port only where it is not the usual one.
    pub(super) fn place(&self) -> String {
        if self.named_port { self.address() } else { self.host.clone() }
    }

    /// Host and port.
    pub(super) fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The host alone.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Whether the connection is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    /// Whether the server is this machine.
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Endpoint {
        Endpoint::parse(text).unwrap()
    }

    #[test]
    fn slashes_and_the_path_of_the_call_are_taken_off() {
        for text in [
            "http://localhost:11434/v1",
            "http://localhost:11434/v1/",
            " http://localhost:11434/v1// ",
            "http://localhost:11434/v1/chat/completions/",
        ] {
            assert_eq!(parsed(text).base(), "http://localhost:11434/v1", "{text}");
        }
        assert_eq!(parsed("http://localhost:11434").base(), "http://localhost:11434");
    }

    #[test]
    fn the_root_is_beside_the_api() {
        assert_eq!(parsed("http://localhost:11434/v1/").root(), "http://localhost:11434");
        assert_eq!(parsed("http://host/models/v1").root(), "http://host/models");
        assert_eq!(parsed("http://localhost:11434").root(), "http://localhost:11434");
    }

    #[test]
    fn the_place_is_short_and_the_address_is_whole() {
        assert_eq!(parsed("https://api.openai.com/v1").place(), "api.openai.com");
        assert_eq!(parsed("https://api.openai.com/v1").address(), "api.openai.com:443");
        assert_eq!(parsed("http://[::1]:8080").place(), "[::1]:8080");
    }

    #[test]
    fn a_bad_address_is_refused_with_its_value_and_an_example() {
        for text in ["", "localhost:11434/v1", "ftp://host/v1", "http://", "https://a/v1?b=c"] {
            let error = Endpoint::parse(text).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Config, "{text}");
            assert!(error.message.contains(&format!("\"{text}\"")), "{error}");
            assert!(error.hint.contains("http://localhost:11434/v1"), "{}", error.hint);
        }
    }

    #[test]
    fn a_password_in_the_address_is_refused_and_not_repeated() {
        let error = Endpoint::parse("https://me:s3cret@host/v1").unwrap_err();
        assert!(!error.message.contains("s3cret"), "{error}");
    }

    #[test]
    fn this_machine_is_known_by_name_and_number() {
        for text in
            ["http://localhost", "http://a.localhost:1", "http://127.8.0.1", "http://[::1]:1"]
        {
            assert!(parsed(text).is_loopback(), "{text}");
        }
        for text in ["http://localhost.example.com", "http://10.0.0.1", "http://128.0.0.1"] {
            assert!(!parsed(text).is_loopback(), "{text}");
        }
    }
}
