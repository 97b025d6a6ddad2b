//! Text files as bytes and back: encodings, byte order marks, line ends.
//!
//! Owns what counts as text and how a changed text is written again. Must not touch files.
//!
//! Invariant: a text that is offered for editing encodes to exactly the bytes it came from.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// So many bytes at the start decide whether a file is binary.
const SNIFFED: usize = 8 * 1024;

/// A file's content as text, with what is needed to write it back.
#[derive(Clone, Debug)]
pub struct TextFile {
    /// The text without a byte order mark, line ends as they are.
    pub text: String,
    /// How the bytes encode the text.
    pub encoding: &'static Encoding,
    /// Whether the file begins with a byte order mark.
    pub bom: bool,
    /// Whether bytes were replaced by U+FFFD: then the text cannot be written back.
    pub lossy: bool,
}

/// How the lines of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endings {
    /// No line end at all.
    None,
    /// Only `\n`.
    Lf,
    /// Only `\r\n`.
    CrLf,
    /// Both.
    Mixed,
}

impl Endings {
    /// How the lines of this text end.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let all = text.matches('\n').count();
        let crlf = text.matches("\r\n").count();
        match (all, crlf) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (all, crlf) if all == crlf => Self::CrLf,
            _ => Self::Mixed,
        }
    }
}

/// A line with characters that show nothing, or turn the order of others, written as escapes.
/// Tabs stay.
#[must_use]
pub fn visible(line: &str) -> Cow<'_, str> {
    let is_hidden = |char: char| {
        char.is_control() && char != '\t'
            || matches!(char, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    if !line.contains(is_hidden) {
        return Cow::Borrowed(line);
    }
    let mut visible = String::with_capacity(line.len() + 8);
    for char in line.chars() {
        match char {
            '\r' => visible.push_str("\\r"),
            char if is_hidden(char) => visible.extend(char.escape_unicode()),
            char => visible.push(char),
        }
    }
    Cow::Owned(visible)
}

/// If the bytes are no text: what they are, e.g. `image/png` or `unknown type`.
#[must_use]
pub fn binary_type(bytes: &[u8]) -> Option<&'static str> {
    let start = bytes.get(..SNIFFED.min(bytes.len())).unwrap_or(bytes);
    if start.starts_with(&[0xFF, 0xFE, 0, 0]) || start.starts_with(&[0, 0, 0xFE, 0xFF]) {
        return Some("UTF-32 text");
    }
    if Encoding::for_bom(start).is_some() {
        return None;
    }
    let control =
        start.iter().filter(|byte| matches!(byte, 1..=7 | 14..=26 | 28..=31 | 127)).count();
    let binary = start.contains(&0) || control * 10 > start.len() * 3;
    binary.then(|| infer::get(start).map_or("unknown type", |kind| kind.mime_type()))
}

/// The encoding that a byte order mark names, and the length of the mark.
#[must_use]
pub fn encoding_by_bom(start: &[u8]) -> Option<(&'static Encoding, usize)> {
    Encoding::for_bom(start)
}

/// Guesses the encoding of text that is not UTF-8 and has no byte order mark.
#[must_use]
pub fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

/// Whether bytes that are not quite UTF-8 are still better read as UTF-8 with a few broken
/// places than as a legacy encoding.
#[must_use]
pub fn is_damaged_utf8(multibyte: u64, malformed: u64) -> bool {
    multibyte >= malformed
}

/// Decodes a whole content that is no binary.
#[must_use]
pub fn decode(bytes: &[u8]) -> TextFile {
    if let Some((encoding, mark)) = encoding_by_bom(bytes) {
        let body = bytes.get(mark..).unwrap_or_default();
        let (text, lossy) = encoding.decode_without_bom_handling(body);
        return TextFile { text: text.into_owned(), encoding, bom: true, lossy };
    }
    let (multibyte, malformed) = count_sequences(bytes);
    let encoding = if malformed == 0 || is_damaged_utf8(multibyte, malformed) {
        UTF_8
    } else {
        guess_encoding(bytes)
    };
    let (text, lossy) = encoding.decode_without_bom_handling(bytes);
    TextFile { text: text.into_owned(), encoding, bom: false, lossy }
}

fn count_sequences(bytes: &[u8]) -> (u64, u64) {
    let (mut multibyte, mut malformed) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let wide = chunk.valid().chars().filter(|char| !char.is_ascii()).count();
        multibyte += wide as u64;
        malformed += u64::from(!chunk.invalid().is_empty());
    }
    (multibyte, malformed)
}

/// Encodes a text as a file with this encoding; `None` if a character cannot be encoded.
#[must_use]
pub fn encode(text: &str, encoding: &'static Encoding, bom: bool) -> Option<Vec<u8>> {
    let mark: &[u8] = match (bom, encoding) {
        (false, _) => &[],
        (true, encoding) if encoding == UTF_16LE => &[0xFF, 0xFE],
        (true, encoding) if encoding == UTF_16BE => &[0xFE, 0xFF],
        (true, _) => &[0xEF, 0xBB, 0xBF],
    };
    let mut bytes = mark.to_vec();
    if encoding == UTF_16LE {
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    } else if encoding == UTF_16BE {
        bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
    } else {
        let (encoded, _, unmappable) = encoding.encode(text);
        if unmappable {
            return None;
        }
        bytes.extend_from_slice(&encoded);
    }
    Some(bytes)
}

impl TextFile {
    /// Whether writing this text back gives the same bytes.
    #[must_use]
    pub fn round_trips(&self, bytes: &[u8]) -> bool {
        !self.lossy && encode(&self.text, self.encoding, self.bom).as_deref() == Some(bytes)
    }
}
