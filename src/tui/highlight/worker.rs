//! The thread that highlights. Owns the syntax definitions and the state of the block that
//! grew last, so that a growing block is parsed once; must not touch the screen.
//!
//! Invariant: every job that is taken gets an answer in the cache, also when the parser fails
//! or panics on it: then the rest of the code stays plain.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError, atomic::Ordering},
};

use syntect::parsing::{ParseState, ScopeStack, ScopeStackOp, SyntaxReference, SyntaxSet};

use super::{Job, MAX_LINE, Pieces, Shared, Syntax, scopes::Scopes};

/// Works until the highlighter is dropped.
pub(super) fn run(shared: &Shared) {
    let mut parser: Option<Parser> = None;
    while let Some(job) = next(shared) {
        let work = || parser.get_or_insert_with(Parser::load).pieces(&job);
        let pieces = catch_unwind(AssertUnwindSafe(work)).unwrap_or_default();
        if let Some(parser) = &mut parser {
            parser.keep_complete(job.language, job.code, &pieces);
        }
        let mut state = shared.lock();
        state.current = None;
        state.cache.insert(job.key, Arc::new(pieces));
        drop(state);
        shared.generation.fetch_add(1, Ordering::AcqRel);
        (shared.wake)();
    }
}

/// The latest job: what was asked for last is what is on the screen.
fn next(shared: &Shared) -> Option<Job> {
    let mut state = shared.lock();
    loop {
        if state.closed {
            return None;
        }
        if let Some(job) = state.queue.pop_back() {
            state.current = Some(job.key);
            return Some(job);
        }
        state = shared.work.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

struct Parser {
    set: SyntaxSet,
    scopes: Scopes,
    /// The state after the last complete line of the block that was parsed last.
    position: Option<Position>,
    last: Option<Block>,
}

/// A block that may come again with more lines.
struct Block {
    language: String,
    code: String,
    pieces: Pieces,
    position: Position,
}

#[derive(Clone)]
struct Position {
    parse: ParseState,
    stack: ScopeStack,
}

impl Parser {
    fn load() -> Self {
        let set = two_face::syntax::extra_newlines();
        Self { set, scopes: Scopes::new(), position: None, last: None }
    }

    fn pieces(&mut self, job: &Job) -> Pieces {
        self.position = None;
        let Some(syntax) = find(&self.set, &job.language) else { return Pieces::new() };
        let grown = self.last.take().filter(|last| {
            last.language == job.language && job.code.starts_with(last.code.as_str())
        });
        let (mut pieces, mut position, done) = if let Some(last) = grown {
            (last.pieces, last.position, last.code.len())
        } else {
            let parse = ParseState::new(syntax);
            (Pieces::new(), Position { parse, stack: ScopeStack::new() }, 0)
        };
        for line in job.code.get(done..).unwrap_or_default().split_inclusive('\n') {
            if line.ends_with('\n') {
                pieces.push(self.line(line, &mut position));
            } else {
                pieces.push(self.line(&format!("{line}\n"), &mut position.clone()));
            }
        }
        self.position = Some(position);
        pieces
    }

    fn line(&self, line: &str, position: &mut Position) -> Vec<(u32, Syntax)> {
        if line.len() > MAX_LINE {
            return Vec::new();
        }
        let Ok(operations) = position.parse.parse_line(line, &self.set) else { return Vec::new() };
        let mut pieces = Vec::new();
        let length = line.trim_end_matches('\n').len();
        let mut done = 0;
        for (at, operation) in operations {
            let at = at.clamp(done, length);
            self.piece(&mut pieces, at - done, &position.stack);
            done = at;
            apply(&mut position.stack, &operation);
        }
        self.piece(&mut pieces, length - done, &position.stack);
        pieces
    }

    fn piece(&self, pieces: &mut Vec<(u32, Syntax)>, length: usize, stack: &ScopeStack) {
        let length = u32::try_from(length).unwrap_or(0);
        let syntax = self.scopes.classify(stack);
        match pieces.last_mut() {
            _ if length == 0 => {}
            Some((last, same)) if *same == syntax => *last += length,
            _ => pieces.push((length, syntax)),
        }
    }

    /// Remembers the block up to its last complete line, for when it comes again longer.
    fn keep_complete(&mut self, language: String, mut code: String, pieces: &Pieces) {
        let Some(position) = self.position.take() else { return };
        code.truncate(code.rfind('\n').map_or(0, |end| end + 1));
        let complete = code.bytes().filter(|&byte| byte == b'\n').count();
        let pieces = pieces.iter().take(complete).cloned().collect();
        self.last = Some(Block { language, code, pieces, position });
    }
}

/// A definition that pops more than it pushed leaves the stack as it is.
fn apply(stack: &mut ScopeStack, operation: &ScopeStackOp) {
    let before = stack.clone();
    if stack.apply(operation).is_err() {
        *stack = before;
    }
}

/// The definition for the word behind a fence.
fn find<'a>(set: &'a SyntaxSet, language: &str) -> Option<&'a SyntaxReference> {
    let language = language.to_lowercase();
    let token = match language.as_str() {
        "shell" | "console" | "zsh" | "shell-session" | "sh-session" => "bash",
        "golang" => "go",
        "python3" | "py3" => "python",
        "jsonc" | "json5" => "json",
        "csharp" => "cs",
        "objective-c" => "objc",
        other => other,
    };
    set.find_syntax_by_token(token)
}
