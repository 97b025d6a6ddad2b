//! Processes that nothing could end.
//!
//! Owns the list until somebody tells it to the user. Knows no commands.

use std::{
    fs,
    sync::{Arc, Mutex, PoisonError},
};

use super::Named;

/// What could not be ended. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Stuck {
    list: Arc<Mutex<Vec<Named>>>,
}

impl Stuck {
    pub(super) fn add(&self, survivors: &[Named]) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(survivors);
    }

    /// Those that are still there; each is given once.
    pub(super) fn take(&self) -> Vec<Named> {
        let mut list =
            std::mem::take(&mut *self.list.lock().unwrap_or_else(PoisonError::into_inner));
        list.sort_by_key(|one| one.pid);
        list.dedup_by_key(|one| one.pid);
        list.retain(is_there);
        list
    }
}

/// Whether the process is there; where that cannot be seen, it counts as there.
fn is_there(one: &Named) -> bool {
    let exists = |path: &str| fs::exists(path).unwrap_or(false);
    !exists("/proc/self") || exists(&format!("/proc/{}", one.pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_there_is_given_once_and_what_is_gone_is_not() {
        let named = |pid| Named { pid, name: "name".to_owned() };
        let own = named(i32::try_from(std::process::id()).unwrap());
        let stuck = Stuck::default();
        stuck.add(&[own.clone(), named(i32::MAX), own.clone()]);
        assert_eq!(stuck.take(), [own]);
        assert_eq!(stuck.take(), []);
    }
}
