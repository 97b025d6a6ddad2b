//! The vocabulary that every layer shares: plain data, no I/O, no async.
//!
//! Owns the words of a session and their public JSON form. Knows nothing of servers, tools,
//! terminals or channels, and must never import another module of the crate but `text`.
//!
//! Invariant: the JSON of these types is a public format (`--output-format stream-json`);
//! it changes by addition only, under [`FORMAT_VERSION`].

pub mod about;
pub mod access;
pub mod background;
pub mod budget;
pub mod cost;
pub mod event;
pub mod exit;
pub mod extra;
pub mod id;
pub mod message;
pub mod models;
pub mod op;
pub mod question;
pub mod scheduler;
pub mod secret;
mod subject;
pub mod tally;
pub mod tool;
pub mod tool_mode;
pub mod usage;

/// Version of the public JSON, stated in the first line of every stream.
pub const FORMAT_VERSION: u32 = 1;
