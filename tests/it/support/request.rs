//! Requests as they come from a socket. Owns where one ends; reads none.

/// Whether a request has come to the end of its body, as far as it says where that is.
pub(crate) fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
    });
    body.len() >= length.unwrap_or(0)
}
