//! Which contents of files the model has seen: overwriting needs to have seen what is lost.

/// Contents that the model has seen, by canonical path and hash. Clones share one memory.
#[derive(Clone, Debug, Default)]
pub struct Seen {}
