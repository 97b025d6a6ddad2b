//! Checks and names the server's address. Owns what a good base URL is; opens no connection.
//!
//! Invariant: an [`Endpoint`] has a host or a socket, ends without a slash, and carries no secret.

use std::{net::IpAddr, path::Path};

use reqwest::Url;

use crate::{protocol::exit::ErrorKind, provider::ProviderError};

const EXAMPLES: &str = "Give --base-url (or base_url in the config file) an address like \
                        https://api.openai.com/v1, http://localhost:11434/v1 or \
                        unix:/run/server.sock.";
/// What is wrong with an address that begins otherwise.
const SCHEMES: &str = "it does not begin with http://, https:// or unix:/";
/// What an address of a socket begins with.
const UNIX: &str = "unix:";
/// What stands between the path of a socket and the path of the API.
const BETWEEN: &str = ":/";
/// The path of the API on a socket for which none is given.
const API: &str = "/v1";

/// A checked base URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    base: String,
    shown: String,
    socket: Option<String>,
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
        let refuse = |why: &str| Err(refusal(text, why));
        if let Some(rest) = text.trim().strip_prefix(UNIX) {
            return Self::on_socket(rest).or_else(refuse);
        }
        let trimmed = text.trim().trim_end_matches('/');
        let trimmed = trimmed.strip_suffix("/chat/completions").unwrap_or(trimmed);
        let url = match Url::parse(trimmed.trim_end_matches('/')) {
            Ok(url) => url,
            Err(error) => return refuse(&why(trimmed, &error.to_string())),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return refuse(SCHEMES);
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
        let base = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self {
            shown: base.clone(),
            base,
            socket: None,
            host: host.to_owned(),
            port,
            named_port: url.port().is_some(),
            encrypted: url.scheme() == "https",
        })
    }

    /// A server on a socket of this machine: `/run/server.sock`, and after a colon the path of
    /// the API if that is not `/v1`. The slashes of `unix:///run/server.sock` are fine too.
    fn on_socket(rest: &str) -> Result<Self, &'static str> {
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        if !rest.starts_with('/') {
            return Err("the path of the socket has to begin with a slash");
        }
        let (socket, api) = match rest.rsplit_once(BETWEEN) {
            Some((socket, api)) => (socket, format!("/{api}")),
            None => (rest, API.to_owned()),
        };
        if socket.ends_with('/') || socket.is_empty() || socket.contains('\0') {
            return Err("it names no socket");
        }
        let api = api.trim_end_matches('/');
        let api = api.strip_suffix("/chat/completions").unwrap_or(api).trim_end_matches('/');
        let url = Url::parse(&format!("http://localhost{api}"));
        let url = url.map_err(|_| "the path of the API is none")?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it has a part after ? or #");
        }
        let named = if api == API { String::new() } else { format!(":{api}") };
        Ok(Self {
            base: url.as_str().trim_end_matches('/').to_owned(),
            shown: format!("{UNIX}{socket}{named}"),
            socket: Some(socket.to_owned()),
            host: "localhost".to_owned(),
            port: 80,
            named_port: false,
            encrypted: false,
        })
    }

    /// The URL of requests, without a slash at its end.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// The address as people write it.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// The socket, if the server is on one.
    pub(super) fn socket(&self) -> Option<&Path> {
        self.socket.as_deref().map(Path::new)
    }

    /// Where a server keeps what it has beside the API.
    pub(super) fn root(&self) -> &str {
        self.base.strip_suffix("/v1").unwrap_or(&self.base)
    }

    /// The server for the screen: the port only where it is not the usual one.
    pub(super) fn place(&self) -> String {
        if self.named_port || self.socket.is_some() { self.address() } else { self.host.clone() }
    }

    /// Host and port, or the path of the socket.
    pub(super) fn address(&self) -> String {
        self.socket.clone().unwrap_or_else(|| format!("{}:{}", self.host, self.port))
    }

    /// The host alone.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The host without the brackets of an IPv6 address.
    pub(super) fn bare_host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    /// The port, usual or named.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Whether the connection is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    /// Whether the server is this machine.
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.bare_host();
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// Why this is no address, in plain words.
fn why(text: &str, fault: &str) -> String {
    match fault {
        _ if text.is_empty() => "it is empty".to_owned(),
        _ if !text.contains("://") => SCHEMES.to_owned(),
        "empty host" => "it names no server".to_owned(),
        "invalid port number" => "its port is no number up to 65535".to_owned(),
        other => other.to_owned(),
    }
}

/// A name, a password and a query may be secrets: they are not repeated.
fn refusal(text: &str, why: &str) -> ProviderError {
    let shown = text.rsplit_once('@').map_or(text, |(_, server)| server);
    let shown = shown.split(['?', '#']).next().unwrap_or(shown);
    let message = format!("The base URL \"{shown}\" cannot be used: {why}.");
    let is_bare = !shown.contains("://") && !shown.trim().is_empty() && !shown.contains(' ');
    let hint = if is_bare && !shown.starts_with(UNIX) {
        format!("Perhaps http://{} is meant. {EXAMPLES}", shown.trim_start_matches('/'))
    } else {
        EXAMPLES.to_owned()
    };
    ProviderError::new(ErrorKind::Config, message, hint)
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
        for text in ["", "localhost:11434/v1", "ftp://host/v1", "http://"] {
            let error = Endpoint::parse(text).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Config, "{text}");
            assert!(error.message.contains(&format!("\"{text}\"")), "{error}");
            assert!(error.hint.contains("http://localhost:11434/v1"), "{}", error.hint);
        }
    }

    #[test]
    fn what_is_wrong_with_an_address_is_said_in_plain_words() {
        for (text, why) in [
            ("", "it is empty"),
            ("127.0.0.1:19004/v1", "it does not begin with http://, https:// or unix:/"),
            ("localhost:11434/v1", "it does not begin with http://, https:// or unix:/"),
            ("htp://host/v1", "it does not begin with http://, https:// or unix:/"),
            ("http://host:190040/v1", "its port is no number up to 65535"),
        ] {
            let error = Endpoint::parse(text).unwrap_err();
            assert!(error.message.ends_with(&format!("cannot be used: {why}.")), "{error}");
            let is_bare = text.starts_with(['1', 'l']);
            let perhaps = format!("Perhaps http://{text} is meant.");
            assert_eq!(error.hint.contains(&perhaps), is_bare, "{text}: {}", error.hint);
        }
    }

    #[test]
    fn secrets_in_the_address_are_refused_and_not_repeated() {
        for (text, shown) in [
            ("https://me:s3cret@host/v1", "a user name or a password"),
            ("https://s3cret@host/v1", "a user name or a password"),
            ("https://host/v1?key=s3cret", "\"https://host/v1\""),
            ("https://host/v1#s3cret", "\"https://host/v1\""),
            ("me:s3cret@host?key=s3cret", "\"host\""),
        ] {
            let error = Endpoint::parse(text).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Config, "{text}");
            assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
            assert!(error.message.contains(shown), "{error}");
        }
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

    #[test]
    fn a_socket_is_named_by_its_path_and_has_the_usual_path_of_the_api() {
        for text in ["unix:/run/a.sock", " unix:///run/a.sock ", "unix:/run/a.sock:/v1/"] {
            let endpoint = parsed(text);
            assert_eq!(endpoint.base(), "http://localhost/v1", "{text}");
            assert_eq!(endpoint.socket(), Some(Path::new("/run/a.sock")), "{text}");
            assert_eq!(endpoint.place(), "/run/a.sock");
            assert_eq!(endpoint.shown(), "unix:/run/a.sock");
            assert!(endpoint.is_loopback() && !endpoint.is_encrypted());
        }
        let other = parsed("unix:/run/a.sock:/api/v3");
        assert_eq!(
            (other.base(), other.shown()),
            ("http://localhost/api/v3", "unix:/run/a.sock:/api/v3")
        );
        assert_eq!(parsed("unix:/run/a.sock:/").base(), "http://localhost");
        for text in
            ["unix:", "unix:a.sock", "unix:/", "unix:/run/", "unix://", "unix:/a.sock:/v1?a"]
        {
            let error = Endpoint::parse(text).unwrap_err();
            assert!(error.hint.contains("unix:/run/server.sock"), "{text}: {}", error.hint);
        }
    }
}
