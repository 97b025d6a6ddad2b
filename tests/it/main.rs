//! The real parts against each other: real sockets, files and processes, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may panic"
)]
#![allow(unreachable_pub, reason = "a test binary has no public face")]

mod budget;
mod command_line;
mod commands;
mod discover;
mod doctor;
mod early;
mod equivalence;
mod files;
mod flood;
mod headless;
mod openai;
mod own;
mod partial;
mod public_json;
mod recorded;
mod request_side;
mod retry;
mod scheduling;
mod strict_server;
mod text_mode;
mod text_protocol;
mod turn;
mod window;

mod support {
    pub mod memory;
    pub mod program;
    pub mod request;
    pub mod rig;
    pub mod server;
    pub mod torrent;
}
