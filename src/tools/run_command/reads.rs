//! The proof that a shell command only reads: [`reads`] says what it reads, or nothing.
//!
//! Owns the way from the text of a command to what it reads: [`shell`] splits it into words,
//! [`programs`] and the modules beside it know which options and operands of a program only
//! read. Pure: must not look at files or at the environment, which decide whether a name leads to
//! the program that is meant and a path to a place that may be read (`proof` does).
//!
//! Why no parser crate: the proof needs not to understand a shell, but to be sure. What it
//! accepts are plain and quoted words between four separators; everything else is refused unread,
//! so that a full grammar would be parsed only to be thrown away. A test holds the words against
//! those that bash itself splits.
//!
//! Invariant: refused unless proven. Every program, option and operand that passes stands in a
//! table; there is no list of what is bad. A wrong refusal costs a question, a wrong proof costs
//! data.

mod find;
mod formats;
pub(super) mod git;
mod options;
mod programs;
mod scripts;
mod search;
mod shell;
mod tables;

pub(super) use shell::Word;

use shell::{Joint, Simple};

/// What a command that only reads does, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    /// Never empty.
    pub(super) steps: Vec<Step>,
}

/// One thing that such a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It changes the folder in which the rest is run, if that folder is there.
    Enter(String),
    /// From here on it is open which of the changes of the folder took place.
    Doubt,
    /// It runs a program.
    Run(Run),
}

/// One program and what it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// Its bare name, to be looked up; `None` for what the shell does itself.
    pub(super) program: Option<String>,
    /// What it reads.
    pub(super) places: Vec<Place>,
    /// What it needs of the repository, if it is git.
    pub(super) git: Option<git::Use>,
}

/// Something that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A file, or a folder with what is below it.
    Path(Word),
    /// A file, and never a folder: of those, the program would read what lies in them through
    /// symbolic links.
    File(Word),
    /// The folder that the program runs in.
    Here,
}

/// What a command reads, if it is proven that it changes nothing, ends, and starts nothing else.
pub(super) fn reads(command: &str) -> Option<Reads> {
    let line = shell::parse(command)?;
    let mut steps = Vec::new();
    let mut joints = line.iter().map(|(joint, _)| *joint).skip(1);
    for (joint, simple) in &line {
        let fed = *joint == Joint::Pipe;
        let feeds = joints.next() == Some(Joint::Pipe);
        if matches!(joint, Joint::Or | Joint::Then) {
            steps.push(Step::Doubt);
        }
        let changes_folder = simple.words.first().is_some_and(|word| word.text == "cd");
        steps.push(match changes_folder {
            true if fed || feeds => return None,
            true => Step::Enter(folder(simple)?),
            false => Step::Run(programs::run(simple, fed)?),
        });
    }
    Some(Reads { steps })
}

/// The operand of `cd`. `cd` follows `..` along the names, and all others along the links.
fn folder(cd: &Simple) -> Option<String> {
    let [name, folder] = cd.words.as_slice() else { return None };
    let text = folder.literal().filter(|text| !text.is_empty() && !text.starts_with('-'))?;
    let goes_up = text.split('/').any(|part| part == "..");
    (name.bare && cd.input.is_none() && !goes_up).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
