//! Addresses that stand in the text as they are: the extended autolinks of GitHub's markdown, for
//! `http`, `https` and `www.`. Pure. Must not know which of them a terminal may get.
//!
//! Invariant: what is found are parts of the text in its order, on boundaries of characters. The time
//! is linear in the text, but for the parentheses at the end of an address.

use std::ops::Range;

/// An address: where it stands, and what it leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bare {
    pub(super) range: Range<usize>,
    pub(super) target: String,
}

/// What may end a sentence behind an address.
const TRAILING: [char; 10] = ['?', '!', '.', ',', ':', '*', '_', '~', '\'', '"'];
/// Signs of a script without blanks that end an address, too.
const WIDE: [char; 18] = [
    '、', '。', '，', '．', '！', '？', '：', '；', '（', '）', '「', '」', '『', '』', '《', '》',
    '【', '】',
];

/// The addresses in a text.
pub(super) fn addresses(text: &str) -> Vec<Bare> {
    let mut found: Vec<Bare> = Vec::new();
    let mut from = 0;
    while let Some((start, is_www)) = next(text, from) {
        let end = text.get(start..).and_then(|rest| length(rest, is_www)).map(|end| start + end);
        if let Some((end, address)) = end.and_then(|end| Some((end, text.get(start..end)?))) {
            let scheme = if is_www { "http://" } else { "" };
            found.push(Bare { range: start..end, target: format!("{scheme}{address}") });
            from = end;
        } else {
            // Past its first letter, which is of ASCII.
            from = start + 1;
        }
    }
    found
}

/// Where the next address may begin, and whether it does so without a scheme.
fn next(text: &str, from: usize) -> Option<(usize, bool)> {
    let rest = text.get(from..)?;
    for (offset, c) in rest.char_indices() {
        if matches!(c, 'h' | 'H' | 'w' | 'W') {
            let before = text.get(..from + offset).and_then(|before| before.chars().next_back());
            let here = text.get(from + offset..)?;
            let at = from + offset;
            if scheme(here).is_some() && !before.is_some_and(char::is_alphanumeric) {
                return Some((at, false));
            }
            let is_free = |c: char| c.is_whitespace() || "*_~(".contains(c);
            if starts_with(here, "www.") && before.is_none_or(is_free) {
                return Some((at, true));
            }
        }
    }
    None
}

/// What follows the scheme.
fn scheme(text: &str) -> Option<&str> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| starts_with(text, scheme))?;
    text.get(scheme.len()..)
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|first| first.eq_ignore_ascii_case(start))
}

/// Bytes of the address that the text begins with, if it is one.
fn length(text: &str, is_www: bool) -> Option<usize> {
    let after = if is_www { text } else { scheme(text)? };
    let ends = |c: char| c.is_whitespace() || c == '<' || WIDE.contains(&c);
    let rest = after.split(ends).next().unwrap_or_default();
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = rest.split(|c: char| !is_of_name(c)).next().unwrap_or_default();
    // In brackets stands an address of numbers; this machine's name has no dot.
    let is_host = rest.starts_with('[') && !is_www || is_domain(name, is_www);
    let address = text.get(..text.len() - after.len() + rest.len())?;
    let length = without_trailing(address).len();
    let least = text.len() - after.len() + name.trim_end_matches('.').len();
    (is_host && length >= least).then_some(length)
}

/// Names with a dot between them, the last two of which have no underscore.
fn is_domain(name: &str, needs_dot: bool) -> bool {
    let name = name.trim_end_matches('.');
    let mut labels = name.rsplit('.');
    let (last, before) = (labels.next().unwrap_or_default(), labels.next());
    let is_whole = name.split('.').all(|label| !label.is_empty());
    let has_underscore = last.contains('_') || before.is_some_and(|label| label.contains('_'));
    is_whole && !has_underscore && (before.is_some() || !needs_dot)
}

/// The address without what ends the sentence that it stands in.
fn without_trailing(address: &str) -> &str {
    let mut rest = address;
    let mut surplus = closing_surplus(rest);
    while let Some(last) = rest.chars().next_back() {
        let shorter = rest.get(..rest.len() - last.len_utf8()).unwrap_or_default();
        rest = match last {
            ')' if surplus > 0 => {
                surplus -= 1;
                shorter
            }
            ';' => match entity_start(rest) {
                Some(start) => rest.get(..start).unwrap_or_default(),
                None => return rest,
            },
            _ if TRAILING.contains(&last) => shorter,
            _ => return rest,
        };
    }
    rest
}

/// How many more parentheses are closed than opened.
fn closing_surplus(text: &str) -> usize {
    let of = |sign: char| text.matches(sign).count();
    of(')').saturating_sub(of('('))
}

/// Where that begins which looks like the name of a character at the end: `&copy;`.
fn entity_start(text: &str) -> Option<usize> {
    let name = text.strip_suffix(';')?;
    let start = name.rfind('&')?;
    let letters = name.get(start + 1..)?;
    let is_name = !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then_some(start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        addresses(text).iter().map(|bare| text.get(bare.range.clone()).unwrap()).collect()
    }

    /// The examples of the specification, section 6.9.
    #[test]
    fn the_examples_of_the_specification_hold() {
        for (text, links) in [
            ("www.commonmark.org", &["www.commonmark.org"][..]),
            ("Visit www.commonmark.org/help for more information.", &["www.commonmark.org/help"]),
            ("Visit www.commonmark.org.", &["www.commonmark.org"]),
            ("Visit www.commonmark.org/a.b.", &["www.commonmark.org/a.b"]),
            (
                "www.google.com/search?q=Markup+(business)",
                &["www.google.com/search?q=Markup+(business)"],
            ),
            (
                "www.google.com/search?q=Markup+(business)))",
                &["www.google.com/search?q=Markup+(business)"],
            ),
            (
                "(www.google.com/search?q=Markup+(business))",
                &["www.google.com/search?q=Markup+(business)"],
            ),
            (
                "(www.google.com/search?q=Markup+(business)",
                &["www.google.com/search?q=Markup+(business)"],
            ),
            ("www.google.com/search?q=(business))+ok", &["www.google.com/search?q=(business))+ok"]),
            (
                "www.google.com/search?q=commonmark&hl=en",
                &["www.google.com/search?q=commonmark&hl=en"],
            ),
            ("www.google.com/search?q=commonmark&hl;", &["www.google.com/search?q=commonmark"]),
            ("www.commonmark.org/he<lp", &["www.commonmark.org/he"]),
            ("http://commonmark.org", &["http://commonmark.org"]),
            (
                "(Visit https://encrypted.google.com/search?q=Markup+(business))",
                &["https://encrypted.google.com/search?q=Markup+(business)"],
            ),
        ] {
            assert_eq!(found(text), links, "{text}");
        }
    }

    #[test]
    fn what_stands_around_an_address_is_no_part_of_it() {
        for (text, links) in [
            ("\"https://a.example/x\",", &["https://a.example/x"][..]),
            ("see https://a.example/x; then", &["https://a.example/x;"]),
            ("http://localhost:8080/x?y=1.", &["http://localhost:8080/x?y=1"]),
            ("http://[::1]:80/", &["http://[::1]:80/"]),
            ("见https://a.example/x。然后", &[]),
            ("见 https://a.example/x。然后", &["https://a.example/x"]),
            ("HTTPS://A.example", &["HTTPS://A.example"]),
            ("https://a.example https://b.example", &["https://a.example", "https://b.example"]),
            ("https://a_b.c.example/ https://a.b_c.example", &["https://a_b.c.example/"]),
            ("xhttps://a.example awww.b.example", &[]),
            ("https:// http://. www. www.x", &["www.x"]),
            ("ftp://a.example git@a.example", &[]),
        ] {
            assert_eq!(found(text), links, "{text}");
        }
        assert_eq!(addresses("www.a.example")[0].target, "http://www.a.example");
    }

    proptest! {
        #[test]
        fn any_text_gives_parts_of_it_in_order(text in "([hw]ttps?://|www\\.|[ -~]|é|。|\n){0,60}") {
            let mut end = 0;
            for bare in addresses(&text) {
                prop_assert!(bare.range.start >= end && !bare.range.is_empty());
                end = bare.range.end;
                prop_assert!(bare.target.ends_with(text.get(bare.range).unwrap()));
            }
        }
    }
}
