//! [`Policy`]: allow, ask or deny one call, from what it may touch. Pure.

use std::collections::HashSet;

use crate::protocol::{
    access::{Access, Resource},
    question::Preview,
};

/// How much is allowed from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Reads are allowed, everything else asks.
    #[default]
    Ask,
    /// Everything is allowed (`--yolo`).
    Yolo,
}

/// What the policy says of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Ask the user.
    Ask,
}

/// The rules of one session.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    mode: Mode,
    /// Tools that never ask (`--allow TOOL`), by canonical name.
    tools: HashSet<String>,
    /// Given by the user during the session.
    changes_granted: bool,
    /// Files of secrets.
    reads_granted: HashSet<String>,
    /// Command, folder, and whether in the background.
    commands_granted: HashSet<(String, String, bool)>,
}

/// Folders whose files can make other programs run something: they ask even after "allow every
/// file change". Compared without case, as some disks do.
const PROTECTED: [&str; 2] = [".git", ".mcc-tui"];

impl Policy {
    /// Starts with a mode and the tools that never ask, by canonical name.
    #[must_use]
    pub fn new(mode: Mode, tools: impl IntoIterator<Item = String>) -> Self {
        Self { mode, tools: tools.into_iter().collect(), ..Self::default() }
    }

    /// Decides about a call. `preview` is what it will do, as the user would see it.
    #[must_use]
    pub fn decide(&self, tool: &str, access: &Access, preview: &Preview) -> Verdict {
        let is_harmless = access.is_harmless() && access.secret().is_none();
        if is_harmless || self.mode == Mode::Yolo || self.tools.contains(tool) {
            return Verdict::Allow;
        }
        let granted = match preview {
            Preview::Nothing => false,
            Preview::Read { path } => self.reads_granted.contains(path),
            Preview::Write { .. } => self.changes_granted && !touches_protected(access),
            Preview::Command { command, cwd, background } => {
                self.commands_granted.contains(&(command.clone(), cwd.clone(), *background))
            }
        };
        if granted { Verdict::Allow } else { Verdict::Ask }
    }

    /// Remembers "allow for this session".
    pub fn grant(&mut self, preview: &Preview) {
        match preview {
            Preview::Nothing => {}
            Preview::Read { path } => {
                self.reads_granted.insert(path.clone());
            }
            Preview::Write { .. } => self.changes_granted = true,
            Preview::Command { command, cwd, background } => {
                self.commands_granted.insert((command.clone(), cwd.clone(), *background));
            }
        }
    }

    /// What [`Policy::grant`] would allow from then on, in words.
    #[must_use]
    pub fn grant_words(preview: &Preview) -> &'static str {
        match preview {
            Preview::Nothing => "this call",
            Preview::Read { .. } => "reading this file",
            Preview::Write { .. } => "every file change in this folder",
            Preview::Command { .. } => "exactly this command",
        }
    }
}

fn touches_protected(access: &Access) -> bool {
    access.writes.iter().any(|resource| match resource {
        Resource::File(path) | Resource::Tree(path) => path.components().any(|part| {
            let name = part.as_os_str().to_string_lossy().to_lowercase();
            PROTECTED.contains(&name.as_str())
        }),
        Resource::World | Resource::Cwd | Resource::Net => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write() -> Preview {
        Preview::Write {
            path: "a".into(),
            diff: String::new(),
            creates: true,
            added: 1,
            removed: 0,
            files: Vec::new(),
        }
    }

    fn command(text: &str) -> Preview {
        Preview::Command { command: text.into(), cwd: ".".into(), background: false }
    }

    fn file(path: &str) -> Access {
        Access::write(Resource::File(path.into()))
    }

    #[test]
    fn reads_are_allowed_and_everything_else_asks() {
        let policy = Policy::default();
        let read = Access::read(Resource::File("/w/a".into()));
        assert_eq!(policy.decide("read_file", &read, &Preview::Nothing), Verdict::Allow);
        assert_eq!(policy.decide("write_file", &file("/w/a"), &write()), Verdict::Ask);
        assert_eq!(policy.decide("run_command", &Access::unknown(), &command("ls")), Verdict::Ask);
    }

    #[test]
    fn a_file_of_secrets_asks_until_it_is_granted_however_it_is_read() {
        let mut policy = Policy::default();
        let access = Access::read(Resource::File("/w/.env".into()));
        let preview = |path: &str| Preview::Read { path: path.into() };
        for (tool, preview) in
            [("read_file", preview(".env")), ("run_command", command("cat .env"))]
        {
            assert_eq!(policy.decide(tool, &access, &Preview::Nothing), Verdict::Ask);
            assert_eq!(policy.decide(tool, &access, &preview), Verdict::Ask);
        }
        policy.grant(&preview(".env"));
        assert_eq!(policy.decide("search_code", &access, &preview(".env")), Verdict::Allow);
        assert_eq!(policy.decide("read_file", &access, &preview("sub/.env")), Verdict::Ask);
        let cat = policy.decide("run_command", &access, &command("cat .env"));
        assert_eq!(cat, Verdict::Ask, "a command is granted by itself");
        let named = Policy::new(Mode::Ask, ["read_file".to_owned()]);
        assert_eq!(named.decide("read_file", &access, &preview(".env")), Verdict::Allow);
    }

    #[test]
    fn yolo_and_a_named_tool_do_not_ask() {
        let yolo = Policy::new(Mode::Yolo, []);
        assert_eq!(yolo.decide("run_command", &Access::unknown(), &command("ls")), Verdict::Allow);
        let named = Policy::new(Mode::Ask, ["write_file".to_owned()]);
        assert_eq!(named.decide("write_file", &file("/w/a"), &write()), Verdict::Allow);
        assert_eq!(named.decide("edit_file", &file("/w/a"), &write()), Verdict::Ask);
    }

    #[test]
    fn a_grant_covers_what_its_words_say_and_no_more() {
        let mut policy = Policy::default();
        policy.grant(&write());
        policy.grant(&command("cargo test"));
        assert_eq!(policy.decide("edit_file", &file("/w/b"), &write()), Verdict::Allow);
        assert_eq!(policy.decide("write_file", &file("/w/.git/hooks/x"), &write()), Verdict::Ask);
        assert_eq!(policy.decide("write_file", &file("/w/.GIT/config"), &write()), Verdict::Ask);
        let run = |text| policy.decide("run_command", &Access::unknown(), &command(text));
        assert_eq!(run("cargo test"), Verdict::Allow);
        assert_eq!(run("cargo test; rm -rf ~"), Verdict::Ask);
        for (cwd, background) in [("sub", false), (".", true)] {
            let (command, cwd) = ("cargo test".into(), cwd.into());
            let otherwise = Preview::Command { command, cwd, background };
            let decided = policy.decide("run_command", &Access::unknown(), &otherwise);
            assert_eq!(decided, Verdict::Ask, "the same words do something else so");
        }
    }
}
