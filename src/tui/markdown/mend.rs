//! Half-written markdown made presentable while it streams in. Owns what is held back and
//! what is closed for the eye; must not decide anything that lasts.
//!
//! Invariant: what it gives is only drawn, never kept; a text that is complete comes back as
//! it is. Linear in the text.

use std::borrow::Cow;

/// The text to draw for a tail that may end anywhere.
pub(super) fn mend(tail: &str) -> Cow<'_, str> {
    let tail = hold_back(tail);
    if is_in_fence(tail) {
        return Cow::Borrowed(tail);
    }
    let (before, open) = tail.split_at_checked(region(tail)).unwrap_or((tail, ""));
    match close(open) {
        Some(closed) => Cow::Owned(format!("{before}{closed}")),
        None => Cow::Borrowed(tail),
    }
}

/// Leaves out a last line of which nothing but signs is there, and the head of a table before
/// it is known to be one.
fn hold_back(tail: &str) -> &str {
    let start = tail.rfind('\n').map_or(0, |newline| newline + 1);
    let (complete, partial) = tail.split_at_checked(start).unwrap_or((tail, ""));
    let is_sign = |c: char| c.is_ascii_digit() || " \t#*-+_=|:>~`.)!\\".contains(c);
    let is_head = |line: &str| line.trim_start().starts_with('|');
    let mut lines = complete.lines().rev();
    let follows_row = lines.next().is_some_and(is_head);
    if is_task_box(partial) {
        return complete;
    }
    if !partial.chars().all(is_sign) && (!is_head(partial) || follows_row) {
        return tail;
    }
    if follows_row && lines.next().is_none_or(|line| line.trim().is_empty()) {
        let head = complete.trim_end_matches('\n');
        let start = head.rfind('\n').map_or(0, |newline| newline + 1);
        return head.get(..start).unwrap_or_default();
    }
    complete
}

/// Whether a line is the box of a task, or its beginning, with no word behind it yet.
fn is_task_box(line: &str) -> bool {
    let is_mark = |head: &str| {
        let number = head.trim_end_matches(['.', ')']);
        matches!(head, "-" | "*" | "+")
            || (number.len() + 1 == head.len() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let line = line.trim_start_matches(['>', ' ', '\t']).trim_end();
    let Some((head, rest)) = line.split_once(' ') else { return false };
    is_mark(head) && matches!(rest.trim_start(), "[" | "[x" | "[X" | "[ ]" | "[x]" | "[X]")
}

fn is_in_fence(tail: &str) -> bool {
    let is_fence = |line: &&str| {
        let line = line.trim_start_matches(['>', ' ', '\t']);
        let line = line.trim_start_matches(['-', '*', '+']).trim_start();
        line.starts_with("```") || line.starts_with("~~~")
    };
    tail.lines().filter(is_fence).count() % 2 == 1
}

/// Where the last piece of running text begins.
fn region(tail: &str) -> usize {
    let mut at = tail.len();
    for line in tail.split_inclusive('\n').rev() {
        if line.trim().is_empty() {
            break;
        }
        at -= line.len();
        let line = line.trim_start();
        let is_item = line.split(['.', ')', ' ']).next().is_some_and(|head| {
            !head.is_empty() && head.bytes().all(|b| b.is_ascii_digit() || b"-*+".contains(&b))
        });
        if is_item || line.starts_with(['#', '>', '|']) {
            break;
        }
    }
    at
}

/// The text with open code, emphasis and links closed; `None` if nothing is open.
fn close(text: &str) -> Option<String> {
    let mut scan = Scan { text, out: String::with_capacity(text.len() + 8), ..Scan::default() };
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at = match c {
            '\\' => scan.copy(at, (at + 2).min(text.len())),
            '`' => scan.code(at),
            '*' | '_' | '~' => scan.emphasis(at, c),
            '[' => scan.open_bracket(at),
            ']' => scan.close_bracket(at),
            _ => scan.copy(at, at + c.len_utf8()),
        };
    }
    scan.end()
}

#[derive(Default)]
struct Scan<'a> {
    text: &'a str,
    out: String,
    /// What must be written to close what is open.
    open: Vec<String>,
    /// Where in `out` the open brackets stand.
    brackets: Vec<usize>,
    changed: bool,
}

impl Scan<'_> {
    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }

    fn copy(&mut self, from: usize, to: usize) -> usize {
        // A step into the middle of a character takes the whole of it.
        let to = self.text.ceil_char_boundary(to);
        self.out.push_str(self.text.get(from..to).unwrap_or_default());
        to
    }

    fn run(&self, at: usize, c: char) -> usize {
        self.rest(at).chars().take_while(|&next| next == c).count()
    }

    fn code(&mut self, at: usize) -> usize {
        let length = self.run(at, '`');
        let mut from = at + length;
        while let Some(found) = self.rest(from).find('`') {
            let run = self.run(from + found, '`');
            from += found + run;
            if run == length {
                return self.copy(at, from);
            }
        }
        self.changed = true;
        let text = self.text;
        let inner = text.get(at + length..).unwrap_or_default().trim_end();
        let inner = inner.strip_suffix('`').map_or(inner, |inner| inner.trim_end_matches('`'));
        if !inner.is_empty() {
            let marks = "`".repeat(length);
            self.out.extend([marks.as_str(), inner, marks.as_str()]);
        }
        self.text.len()
    }

    fn emphasis(&mut self, at: usize, c: char) -> usize {
        let length = self.run(at, c);
        let end = at + length;
        let before = self.text.get(..at).and_then(|text| text.chars().next_back());
        let Some(after) = self.rest(end).chars().next() else {
            // What stands at the very end closes what is open, or would open something.
            self.changed = true;
            return end;
        };
        let marks = c.to_string().repeat(length);
        let closes = before.is_some_and(|before| !before.is_whitespace());
        if c == '_'
            && closes
            && before.is_some_and(char::is_alphanumeric)
            && after.is_alphanumeric()
        {
            return self.copy(at, end);
        }
        if closes && self.open.last() == Some(&marks) {
            self.open.pop();
        } else if !after.is_whitespace() && length <= 3 && (c != '~' || length == 2) {
            self.open.push(marks);
        }
        self.copy(at, end)
    }

    fn open_bracket(&mut self, at: usize) -> usize {
        self.brackets.push(self.out.len());
        self.copy(at, at + 1)
    }

    fn close_bracket(&mut self, at: usize) -> usize {
        let Some(bracket) = self.brackets.pop() else { return self.copy(at, at + 1) };
        if self.rest(at + 1).is_empty() {
            // The target may follow.
            self.drop_bracket(bracket);
            return self.text.len();
        }
        if !self.rest(at + 1).starts_with('(') {
            return self.copy(at, at + 1);
        }
        if let Some(found) = self.rest(at).find(')') {
            return self.copy(at, at + found + 1);
        }
        self.drop_bracket(bracket);
        self.text.len()
    }

    fn drop_bracket(&mut self, at: usize) {
        self.changed = true;
        if self.out.get(at..=at).is_some_and(|sign| sign == "[") {
            self.out.remove(at);
        }
        if self.out.get(..at).is_some_and(|before| before.ends_with('!')) {
            self.out.remove(at - 1);
        }
    }

    fn end(mut self) -> Option<String> {
        if let Some(bracket) = self.brackets.first().copied() {
            self.drop_bracket(bracket);
        }
        if self.open.is_empty() && !self.changed {
            return None;
        }
        let blanks = self.out.len() - self.out.trim_end().len();
        self.out.truncate(self.out.len() - blanks);
        for marks in self.open.iter().rev() {
            self.out.push_str(marks);
        }
        Some(self.out)
    }
}
