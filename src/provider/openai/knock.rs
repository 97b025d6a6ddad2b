//! Whether anybody listens at the address of a server on this machine: told before the first prompt
//! is typed, not after it.
//!
//! Owns one connection that is closed at once. Must not send anything: a server may be busy.

use std::{io, time::Duration};

use tokio::{
    net::{TcpStream, UnixStream},
    time::timeout,
};

use super::endpoint::Endpoint;

/// How long a connection may take. One on this machine is refused or accepted at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the address is one of this machine, and nobody listens there. Cancel-safe.
pub async fn is_deserted(base_url: &str) -> bool {
    let Ok(endpoint) = Endpoint::parse(base_url) else { return false };
    if !endpoint.is_loopback() {
        return false;
    }
    let connect = async {
        match endpoint.socket() {
            Some(socket) => UnixStream::connect(socket).await.map(drop),
            None => TcpStream::connect((endpoint.bare_host(), endpoint.port())).await.map(drop),
        }
    };
    let Ok(Err(error)) = timeout(PATIENCE, connect).await else { return false };
    matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_an_address_of_this_machine_where_nobody_listens_is_deserted() {
        let open = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = open.local_addr().unwrap().port();
        assert!(!is_deserted(&format!("http://127.0.0.1:{port}/v1")).await);
        // Bound, so that nobody else gets it, and not listening.
        let held = tokio::net::TcpSocket::new_v4().unwrap();
        held.bind(([127, 0, 0, 1], 0).into()).unwrap();
        let port = held.local_addr().unwrap().port();
        assert!(is_deserted(&format!("http://127.0.0.1:{port}/v1")).await);
        assert!(is_deserted(&format!("http://localhost:{port}")).await);
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let url = format!("unix:{}", socket.display());
        assert!(is_deserted(&url).await);
        let _open = tokio::net::UnixListener::bind(&socket).unwrap();
        assert!(!is_deserted(&url).await);
        assert!(!is_deserted("http://host.invalid:1/v1").await, "nothing is asked of elsewhere");
        assert!(!is_deserted("no address").await);
    }
}
