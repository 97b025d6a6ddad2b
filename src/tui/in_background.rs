//! The commands that run in the background, as the engine told of them, and the list of them.
//!
//! Owns what is known of each and which one is marked. Must not know how they run. Invariant:
//! closing the list ends nothing.

use std::time::{Duration, Instant};

use crate::protocol::background::BackgroundCommand;

/// What runs in the background.
#[derive(Default)]
pub(super) struct InBackground {
    running: Vec<Running>,
    /// Which one is marked, if the list is open.
    marked: Option<usize>,
}

/// One command.
pub(super) struct Running {
    pub(super) command: BackgroundCommand,
    /// When that was told.
    told: Instant,
    /// Whether it was asked to end.
    pub(super) is_ending: bool,
}

impl Running {
    /// How long it has run.
    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        let then = Duration::from_millis(self.command.elapsed_ms);
        then.saturating_add(now.saturating_duration_since(self.told))
    }
}

impl InBackground {
    /// Takes what was told. Gives the command if it ended because it was asked to, here.
    pub(super) fn told(
        &mut self,
        command: BackgroundCommand,
        now: Instant,
    ) -> Option<BackgroundCommand> {
        let at = self.running.iter().position(|known| known.command.id == command.id);
        match (at, command.is_running()) {
            (Some(at), true) => {
                let known = self.running.get_mut(at)?;
                (known.command, known.told) = (command, now);
                None
            }
            (None, true) => {
                self.running.push(Running { command, told: now, is_ending: false });
                None
            }
            (Some(at), false) => {
                let known = self.running.remove(at);
                self.marked = self.marked.map(|marked| marked - usize::from(marked > at));
                self.step(0);
                known.is_ending.then_some(command)
            }
            (None, false) => None,
        }
    }

    /// Nothing runs any more.
    pub(super) fn clear(&mut self) {
        self.running.clear();
        self.step(0);
    }

    pub(super) fn running(&self) -> &[Running] {
        &self.running
    }

    /// The commands themselves, in the order of their start.
    pub(super) fn commands(&self) -> Vec<BackgroundCommand> {
        self.running.iter().map(|running| running.command.clone()).collect()
    }

    /// Opens the list.
    pub(super) fn open(&mut self) {
        self.marked = Some(0);
    }

    /// Closes the list; whether it was open.
    pub(super) fn close(&mut self) -> bool {
        self.marked.take().is_some()
    }

    pub(super) fn is_open(&self) -> bool {
        self.marked.is_some()
    }

    /// Moves the mark; it stops at the ends.
    pub(super) fn step(&mut self, steps: i64) {
        let far = if steps < 0 { isize::MIN } else { isize::MAX };
        let steps = isize::try_from(steps).unwrap_or(far);
        let most = self.running.len().saturating_sub(1);
        self.marked = self.marked.map(|at| at.saturating_add_signed(steps).min(most));
    }

    /// Which one is marked.
    pub(super) fn marked(&self) -> Option<usize> {
        self.marked.filter(|at| *at < self.running.len())
    }

    /// The marked one is asked to end; gives its id.
    pub(super) fn end_marked(&mut self) -> Option<String> {
        let running = self.running.get_mut(self.marked?)?;
        running.is_ending = true;
        Some(running.command.id.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{background::BackgroundState, tool::ToolStatus};

    fn command(id: &str) -> BackgroundCommand {
        BackgroundCommand {
            id: id.to_owned(),
            command: "sleep 300".to_owned(),
            state: BackgroundState::Running,
            elapsed_ms: 1_500,
            last_line: String::new(),
        }
    }

    fn ended(id: &str) -> BackgroundCommand {
        let how = "stopped by the user".to_owned();
        let status = ToolStatus::Cancelled;
        let state = BackgroundState::Ended { status, how, by_itself: false };
        BackgroundCommand { state, ..command(id) }
    }

    fn ids(list: &InBackground) -> Vec<&str> {
        list.running().iter().map(|one| one.command.id.as_str()).collect()
    }

    #[test]
    fn what_runs_is_listed_in_the_order_of_its_start_until_it_ends() {
        let (mut list, now) = (InBackground::default(), Instant::now());
        for id in ["b1", "b2", "b1"] {
            assert_eq!(list.told(command(id), now), None);
        }
        assert_eq!(ids(&list), ["b1", "b2"]);
        assert_eq!(list.running()[0].elapsed(now), Duration::from_millis(1_500));
        let later = now + Duration::from_secs(2);
        assert_eq!(list.running()[0].elapsed(later), Duration::from_millis(3_500));
        assert_eq!(list.told(ended("b1"), now), None, "nobody asked for it here");
        assert_eq!(list.told(ended("b7"), now), None);
        assert_eq!(ids(&list), ["b2"]);
    }

    #[test]
    fn the_mark_stays_with_its_command_when_another_one_ends() {
        let (mut list, now) = (InBackground::default(), Instant::now());
        assert_eq!(list.end_marked(), None, "the list is closed");
        list.open();
        assert_eq!((list.end_marked(), list.marked()), (None, None), "nothing runs");
        for id in ["b1", "b2", "b3"] {
            list.told(command(id), now);
        }
        list.step(1);
        list.told(ended("b1"), now);
        assert_eq!(list.end_marked().as_deref(), Some("b2"));
        assert!(list.running()[0].is_ending);
        assert_eq!(list.told(ended("b2"), now), Some(ended("b2")));
        list.step(i64::MAX);
        assert_eq!(list.end_marked().as_deref(), Some("b3"));
        assert!(list.close() && !list.close());
    }
}
