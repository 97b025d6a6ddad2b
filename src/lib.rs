//! mcc-tui, the library behind the binary: a coding agent on a bounded link between an engine
//! and its front ends.
//!
//! The modules, in reading order:
//!
//! | module | what it is |
//! |---|---|
//! | [`text`] | strings made harmless and cut to size |
//! | [`protocol`] | the words that everything speaks: plain data |
//! | [`link`] | the two ends between engine and front end, and the interrupt |
//! | [`provider`] | where answers come from |
//! | [`permission`] | what may run without asking |
//! | [`tools`] | what the model can do |
//! | [`session`] | the history, always valid |
//! | [`agent`] | the turn machine and the scheduler |
//! | [`signals`] | which signals ask the program to end |
//! | [`headless`] | the front end without a screen |
//! | [`tui`] | the full screen |
//! | [`doctor`] | checks of a server and a model |
//! | [`cli`], [`config`], [`run`] | arguments, settings, and the place where all is put together |

pub mod text;

pub mod protocol;

pub mod link;

pub mod permission;
pub mod provider;
pub mod session;
pub mod tools;

pub mod agent;

pub mod signals;

pub mod headless;
pub mod tui;

pub mod cli;
pub mod config;
pub mod doctor;
pub mod run;
