//! Commands through the real keeper: the built binary, real shells, real signals.
//!
//! Every test ends with a look into `/proc`: nothing of its command may be left.

mod ends;
mod fights;
mod output;
mod probe;
mod reads;
mod stops;
mod strays;
mod tool;
