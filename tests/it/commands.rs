//! Commands through the real keeper: the built binary, real shells, real signals.
//!
//! Every test ends with a look into `/proc`: nothing of its command may be left.

mod background;
mod bench;
mod ends;
mod fights;
mod files;
mod folder;
mod followed;
mod memory;
mod output;
mod probe;
mod program;
mod reads;
mod stops;
mod strays;
mod survivors;
mod tool;
