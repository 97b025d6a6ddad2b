//! What lies over the transcript or beside it and takes the keys. One overlay a file.

pub(super) mod approval;
pub(super) mod help;
