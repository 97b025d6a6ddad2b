//! Not written yet.

pub mod diff;
pub mod highlight;
pub mod markdown;
pub mod theme;
pub mod wrap;
