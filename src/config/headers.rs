//! The table `[headers]`: what goes with every request. Owns what may be
//! written there, and the `${NAME}` in a value; sends nothing.
//!
//! Invariant: a value is in no error.

use crate::protocol::extra::Header;

/// What is wrong with a header as it stands in the file, if anything is.
pub(super) fn fault(name: &str, value: &str) -> Option<String> {
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(in_name) {
        return Some("is no name that a header can have".to_owned());
    }
    if !can_hold(value) {
        return Some("has a value that no header can hold".to_owned());
    }
    pieces(value).err()
}

/// The header with the values of the variables that it names.
///
/// # Errors
/// What is wrong: a variable that is not set, or that no header can hold.
pub(super) fn expand(
    name: &str,
    value: &str,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Header, String> {
    let mut header = Header { name: name.to_owned(), value: String::new(), secrets: Vec::new() };
    for piece in pieces(value)? {
        match piece {
            Piece::Text(text) => header.value.push_str(text),
            Piece::Variable(variable) => {
                let set = env(variable).map(|set| set.trim().to_owned());
                let set = set.ok_or_else(|| {
                    format!(
                        "needs the variable {variable}, which is not set: set it, or change this"
                    )
                })?;
                if !can_hold(&set) {
                    return Err(format!(
                        "cannot hold what is in the variable {variable}: set that again, without \
                         line breaks"
                    ));
                }
                header.value.push_str(&set);
                header.secrets.push(set);
            }
        }
    }
    Ok(header)
}

fn can_hold(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
}

#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

fn pieces(value: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut rest = value;
    while let Some((text, after)) = rest.split_once("${") {
        let (name, after) =
            after.split_once('}').ok_or_else(|| "has a ${ without its }".to_owned())?;
        let fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = name.bytes().all(fine) && !name.starts_with(|c: char| c.is_ascii_digit());
        if name.is_empty() || !is_name {
            return Err("has a ${…} in which there is no name of a variable".to_owned());
        }
        pieces.extend([Piece::Text(text), Piece::Variable(name)]);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_and_told_apart() {
        let env = |name: &str| (name == "TOKEN").then(|| " t0ken\n".to_owned());
        let header = expand("x-auth", "Token ${TOKEN}; $5", &env).unwrap();
        assert_eq!(header.value, "Token t0ken; $5");
        assert_eq!(header.secrets, ["t0ken"]);
        assert!(!format!("{header:?}").contains("t0ken"));
        assert!(expand("x-auth", "${OTHER}", &env).unwrap_err().contains("variable OTHER"));
    }

    #[test]
    fn what_no_header_can_hold_is_told_without_its_value() {
        for (name, value) in
            [("", "a"), ("x y", "a"), ("x:", "a"), ("x", "s3cret\nb"), ("x", "s3cret ü")]
        {
            assert!(!fault(name, value).unwrap().contains("s3cret"), "{name:?}");
        }
        for value in ["${", "${}", "${A B}", "${1A}"] {
            assert!(fault("x", value).is_some(), "{value}");
        }
        assert_eq!(fault("X-Title", "mcc ${_A1}"), None);
        let env = |_: &str| Some("s3cret\nline".to_owned());
        let error = expand("x", "${A}", &env).unwrap_err();
        assert!(error.contains("variable A") && !error.contains("s3cret"), "{error}");
    }
}
