//! The binary: parse, run, exit.

use std::process::ExitCode;

use mcc_tui::tools::process::{KEEPER_FLAG, keeper};

fn main() -> ExitCode {
    // Before anything else: a keeper is no agent and needs nothing of one.
    if std::env::args_os().nth(1).is_some_and(|first| first == KEEPER_FLAG) {
        return keeper::main();
    }
    ExitCode::SUCCESS
}
