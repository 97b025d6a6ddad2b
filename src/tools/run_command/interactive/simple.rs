//! The simple commands of a shell command, as far as they can be told by a quick look.
//!
//! Owns the scan. Pure. It need not be exact: what it gives is used for hints only.

/// One program with its arguments, after quotes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<String>,
    /// Whether something is given to it as its input.
    pub(super) has_input: bool,
}

/// Stands in a word for what a substitution gives.
const UNKNOWN: char = '\u{FFFC}';

pub(super) fn simple_commands(command: &str) -> Vec<Simple> {
    let mut scan = Scan { chars: command.chars().collect(), ..Scan::default() };
    while let Some(c) = scan.next() {
        scan.take(c);
    }
    while let Some(outer) = scan.outer.pop() {
        scan.end();
        scan.now = outer;
    }
    scan.end();
    scan.found
}

#[derive(Default)]
struct Scan {
    chars: Vec<char>,
    at: usize,
    now: Building,
    /// Commands that a substitution or a group interrupts.
    outer: Vec<Building>,
    /// Words that end here-documents which begin after this line.
    documents: Vec<String>,
    found: Vec<Simple>,
}

#[derive(Default)]
struct Building {
    simple: Simple,
    word: Option<String>,
    quote: Option<char>,
    /// Whether the next word is a file of a redirection.
    redirects: bool,
    /// Whether that file is a word that ends a here-document.
    is_document: bool,
}

impl Scan {
    fn next(&mut self) -> Option<char> {
        let next = self.chars.get(self.at).copied();
        self.at += 1;
        next
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next_if(&mut self, c: char) -> bool {
        let is = self.peek() == Some(c);
        self.at += usize::from(is);
        is
    }

    fn take(&mut self, c: char) {
        match (self.now.quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => self.now.quote = None,
            (Some('\''), _) => self.push(c),
            (_, '\\') => {
                if let Some(next) = self.next().filter(|next| *next != '\n') {
                    self.push(next);
                }
            }
            (_, '$') if self.next_if('(') => self.open(true),
            (_, '`') => self.backtick(),
            (Some(_), _) => self.push(c),
            (None, '\'' | '"') => {
                self.now.quote = Some(c);
                self.now.word.get_or_insert_default();
            }
            (None, _) => self.unquoted(c),
        }
    }

    fn unquoted(&mut self, c: char) {
        match c {
            ' ' | '\t' => self.end_word(),
            '#' if self.now.word.is_none() => {
                while self.peek().is_some_and(|next| next != '\n') {
                    self.at += 1;
                }
            }
            '<' | '>' if self.next_if('(') => self.open(true),
            '<' => self.input(),
            '>' => self.output(),
            '&' if self.next_if('>') => self.output(),
            '&' => {
                self.next_if('&');
                self.end();
            }
            '|' => {
                let is_pipe = !self.next_if('|');
                self.next_if('&');
                self.end();
                self.now.simple.has_input = is_pipe;
            }
            '\n' => {
                self.end();
                self.skip_documents();
            }
            ';' => self.end(),
            '(' => self.open(false),
            ')' => self.close(),
            _ => self.push(c),
        }
    }

    fn push(&mut self, c: char) {
        self.now.word.get_or_insert_default().push(c);
    }

    fn input(&mut self) {
        // A number before it is a descriptor.
        self.now.word = self.now.word.take().filter(|word| word.parse::<u32>().is_err());
        self.end_word();
        self.now.simple.has_input = true;
        self.now.redirects = true;
        if self.next_if('<') && !self.next_if('<') {
            self.next_if('-');
            self.now.is_document = true;
        }
        self.next_if('&');
        self.next_if('>');
    }

    fn output(&mut self) {
        self.now.word = self.now.word.take().filter(|word| word.parse::<u32>().is_err());
        self.end_word();
        self.now.redirects = true;
        while self.next_if('>') || self.next_if('&') || self.next_if('|') {}
    }

    /// A substitution is a part of a word; a group is not, and what stands before it is no
    /// command but a name.
    fn open(&mut self, substitutes: bool) {
        let mut outer = std::mem::take(&mut self.now);
        if substitutes {
            outer.word.get_or_insert_default().push(UNKNOWN);
        } else {
            outer = Building::default();
        }
        self.outer.push(outer);
    }

    fn close(&mut self) {
        if let Some(outer) = self.outer.pop() {
            self.end();
            self.now = outer;
        } else {
            // The pattern of a case.
            self.now = Building::default();
        }
    }

    /// The second of two ends what the first began.
    fn backtick(&mut self) {
        let inner: String = self.chars.iter().skip(self.at).take_while(|c| **c != '`').collect();
        self.at += inner.chars().count() + 1;
        self.found.extend(simple_commands(&inner));
        self.push(UNKNOWN);
    }

    fn end_word(&mut self) {
        let Some(word) = self.now.word.take() else { return };
        if std::mem::take(&mut self.now.is_document) {
            self.documents.push(word);
            self.now.redirects = false;
        } else if !std::mem::take(&mut self.now.redirects) {
            self.now.simple.words.push(word);
        }
    }

    fn end(&mut self) {
        self.end_word();
        let done = std::mem::take(&mut self.now).simple;
        if !done.words.is_empty() {
            self.found.push(done);
        }
    }

    fn skip_documents(&mut self) {
        for end in std::mem::take(&mut self.documents) {
            while self.at < self.chars.len() {
                let line: String =
                    self.chars.iter().skip(self.at).take_while(|c| **c != '\n').collect();
                self.at += line.chars().count() + 1;
                if line.trim_start_matches('\t') == end {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with spaces between, `<` before what has an input.
    fn scanned(command: &str) -> Vec<String> {
        let show = |simple: &Simple| {
            let input = if simple.has_input { "< " } else { "" };
            format!("{input}{}", simple.words.join(" "))
        };
        simple_commands(command).iter().map(show).collect()
    }

    #[test]
    fn a_command_is_taken_apart_into_programs_with_their_words() {
        for (command, expected) in [
            ("", &[][..]),
            ("ls -l 'a b' \"c d\"", &["ls -l a b c d"]),
            ("a; b && c || d & e\nf", &["a", "b", "c", "d", "e", "f"]),
            ("a | b |& c", &["a", "< b", "< c"]),
            ("a <x 2>&1 >y b &>z", &["< a b"]),
            ("a <<< 'x y' b", &["< a b"]),
            ("a <<'E' | b\nvim\nE\nc", &["< a", "< b", "c"]),
            ("a <<-E\n\tvim\n\tE\nc", &["< a", "c"]),
            ("a $(b c) d", &["b c", "a \u{FFFC} d"]),
            ("a \"x $(b 'c)' \"d\") y\" e", &["b c) d", "a x \u{FFFC} y e"]),
            ("a `b c` d", &["b c", "a \u{FFFC} d"]),
            ("(a; b) | c", &["a", "b", "< c"]),
            ("a <(b) c", &["b", "a \u{FFFC} c"]),
            ("f() { a; }", &["{ a", "}"]),
            ("case x in a) b;; esac", &["b", "esac"]),
            ("a # b; c\nd", &["a", "d"]),
            ("a\\ b \\\nc", &["a b c"]),
            ("a 'unclosed; b", &["a unclosed; b"]),
            ("a $(b", &["b", "a \u{FFFC}"]),
        ] {
            assert_eq!(scanned(command), expected, "{command}");
        }
    }
}
