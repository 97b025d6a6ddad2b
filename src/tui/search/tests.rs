//! Counts, places and work of a search.
use std::cell::Cell as Count;
thread_local! { pub(super) static WORK: Count<usize> = const { Count::new(0) }; }
