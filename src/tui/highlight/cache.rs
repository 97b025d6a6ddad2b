//! Answers of the highlighter, the least recently used of which is forgotten first. Owns the
//! bound on their memory; must not know what they mean.
//!
//! Invariant: the sizes of what is kept sum up to at most [`MAX_BYTES`], or one answer is kept.

use std::{collections::HashMap, sync::Arc};

use super::Pieces;

const MAX_BYTES: usize = 8 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Cache {
    entries: HashMap<u64, Entry>,
    bytes: usize,
    clock: u64,
}

struct Entry {
    pieces: Arc<Pieces>,
    bytes: usize,
    used: u64,
}

impl Cache {
    pub(super) fn contains(&self, key: u64) -> bool {
        self.entries.contains_key(&key)
    }

    pub(super) fn get(&mut self, key: u64) -> Option<Arc<Pieces>> {
        self.clock += 1;
        let entry = self.entries.get_mut(&key)?;
        entry.used = self.clock;
        Some(Arc::clone(&entry.pieces))
    }

    pub(super) fn insert(&mut self, key: u64, pieces: Arc<Pieces>) {
        let bytes = pieces.iter().map(|line| 32 + 8 * line.len()).sum::<usize>() + 64;
        self.clock += 1;
        let entry = Entry { pieces, bytes, used: self.clock };
        self.bytes += bytes;
        if let Some(old) = self.entries.insert(key, entry) {
            self.bytes -= old.bytes;
        }
        while self.bytes > MAX_BYTES && self.entries.len() > 1 {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(&key, _)| key) else { return };
            if let Some(old) = self.entries.remove(&oldest) {
                self.bytes -= old.bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Syntax;
    use super::*;

    fn large() -> Arc<Pieces> {
        Arc::new(vec![vec![(1, Syntax::Plain); 1024]; 256])
    }

    #[test]
    fn the_least_recently_used_answer_is_forgotten_first() {
        let mut cache = Cache::default();
        // Each takes a little more than 2 MB, so three fit.
        for key in 1..=3 {
            cache.insert(key, large());
        }
        assert!(cache.get(1).is_some());
        cache.insert(4, large());
        assert!(cache.contains(1) && cache.contains(3) && cache.contains(4));
        assert!(!cache.contains(2));
        assert!(cache.bytes <= MAX_BYTES);
    }

    #[test]
    fn replacing_an_answer_counts_it_once() {
        let mut cache = Cache::default();
        cache.insert(1, large());
        let bytes = cache.bytes;
        cache.insert(1, large());
        assert_eq!(cache.bytes, bytes);
    }
}
