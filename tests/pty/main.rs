//! The built binary on a terminal, as a user sees it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may panic"
)]

mod abort;
mod budget;
mod burst;
mod discover;
mod doctor;
mod ears;
mod find;
mod flood;
mod harness;
mod hostile;
mod hunks;
mod idle;
mod in_background;
mod input;
mod items;
mod job;
mod links;
mod live;
mod model;
mod multiplexer;
mod opened;
mod picture;
mod place;
mod program;
mod question;
mod refused;
mod restore;
mod settings;
mod size;
mod start;
mod stop;
mod support;
mod terminal;
mod turn;
mod whole;

#[path = "../it/support/memory.rs"]
mod memory;
#[path = "../it/support/request.rs"]
mod request;
#[path = "../it/support/torrent.rs"]
mod torrent;
