//! Which targets may become links, and whether the text of one claims to lead elsewhere. Pure: the
//! targets are the model's, and it may have them from anywhere.
//!
//! Invariant: an address is printable ASCII without blanks, of bounded length, of a scheme that only
//! shows something, and names its host plainly.

/// Bytes of the longest address that terminals take.
const LONGEST: usize = 2_083;
/// What separates the names of a host, and what looks like it.
const DOTS: [char; 6] = ['.', '\u{3002}', '\u{ff0e}', '\u{ff61}', '\u{2024}', '\u{b7}'];

/// The target as a terminal may get it; `None` if it may not.
pub(in crate::tui) fn of(target: &str) -> Option<String> {
    if target.len() > LONGEST || target.chars().any(|c| c.is_control() || is_hidden(c)) {
        return None;
    }
    let is_plain = match scheme(target) {
        (Some("mailto"), rest) => is_mailbox(rest),
        (Some(_), rest) => is_authority(authority(rest)),
        (None, _) => false,
    };
    let address = is_plain.then(|| encoded(target))?;
    (address.len() <= LONGEST).then_some(address)
}

/// Whether a text names a host, an address or a mailbox that is not where the target leads.
pub(in crate::tui) fn is_claimed_by(text: &str, target: &str) -> bool {
    text.split_whitespace().any(|word| names_place(word) && !is_place(word, target))
}

/// Drops out of sight, or reorders what is in sight.
fn is_hidden(c: char) -> bool {
    let mut buffer = [0; 4];
    crate::text::sanitize::sanitize(c.encode_utf8(&mut buffer)).is_empty()
}

/// The scheme, if it is a known one, and what follows it.
fn scheme(target: &str) -> (Option<&'static str>, &str) {
    for (name, start) in [("https", "https://"), ("http", "http://"), ("mailto", "mailto:")] {
        let Some((first, rest)) = target.split_at_checked(start.len()) else { continue };
        if first.eq_ignore_ascii_case(start) {
            return (Some(name), rest);
        }
    }
    (None, target)
}

/// User, host and port.
fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// A host of plain letters and perhaps a port. Not a user: `https://here@elsewhere` looks like
/// `here`. Not letters beyond ASCII: many look alike.
fn is_authority(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let in_brackets = authority.starts_with('[');
    let fits = |byte: u8| match byte {
        b':' => in_brackets,
        b'.' => true,
        b'-' => !in_brackets,
        _ if in_brackets => byte.is_ascii_hexdigit(),
        _ => byte.is_ascii_alphanumeric(),
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    host.bytes().all(fits)
        && host.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && digits.len() <= 5
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (port.is_empty() || port.starts_with(':'))
}

/// One mailbox, and nothing that a mail would begin with.
fn is_mailbox(rest: &str) -> bool {
    let Some((name, host)) = rest.split_once('@') else { return false };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$'*+-/=^_`{|}~".contains(&byte);
    !name.is_empty()
        && name.bytes().all(is_name)
        && is_authority(host)
        && !host.contains([':', '['])
}

/// Everything but printable ASCII in percents.
fn encoded(target: &str) -> String {
    let mut address = String::with_capacity(target.len());
    for byte in target.bytes() {
        if byte.is_ascii_graphic() {
            address.push(char::from(byte));
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            let digit = |n: u8| DIGITS.get(usize::from(n)).map_or('0', |&digit| char::from(digit));
            address.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    address
}

/// Whether a word looks like a host, an address or a mailbox.
fn names_place(word: &str) -> bool {
    let bare = trimmed(word);
    let first = bare.split('/').next().unwrap_or_default();
    let parts = first.split([':', '@', '=', ',', '|', '(', ')', '?', '#']);
    word.contains("://") || parts.into_iter().any(|part| is_host(trimmed(part)))
}

/// Names with a dot between them (or what looks like one) of which the last begins with a letter,
/// four numbers, or this machine.
fn is_host(word: &str) -> bool {
    let labels: Vec<&str> = word.split(DOTS).collect();
    let is_number = |label: &&str| label.bytes().all(|byte| byte.is_ascii_digit());
    let Some(last) = labels.last().filter(|_| labels.len() > 1) else {
        return word.eq_ignore_ascii_case("localhost");
    };
    let is_name = last.chars().next().is_some_and(char::is_alphabetic) && last.chars().count() > 1;
    is_name || labels.len() == 4 && labels.iter().all(is_number)
}

/// Whether the word says where the target leads: in full, or its host alone.
fn is_place(word: &str, target: &str) -> bool {
    let (word, (scheme, rest)) = (bare(word), self::scheme(target));
    let host = authority(rest);
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let is_host_alone = scheme != Some("mailto") && word.eq_ignore_ascii_case(bare(host));
    word == bare(target) || is_host_alone
}

/// Without the scheme, the customary name of a machine, and signs at both ends.
fn bare(word: &str) -> &str {
    let (_, rest) = scheme(trimmed(word));
    trimmed(rest.strip_prefix("www.").unwrap_or(rest))
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}
