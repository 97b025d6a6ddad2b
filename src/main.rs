//! The binary: keep a command, or parse, run, and exit with the result.

use std::process::ExitCode;

use mcc_tui::{
    cli, run,
    tools::process::{KEEPER_FLAG, keeper},
};

fn main() -> color_eyre::Result<ExitCode> {
    keeper::conceal();
    // Before anything else: a keeper is no agent and needs nothing of one.
    if std::env::args_os().nth(1).is_some_and(|first| first == KEEPER_FLAG) {
        return Ok(keeper::main());
    }
    match cli::read(&std::env::args_os().collect::<Vec<_>>()) {
        Ok(cli) => run::run(cli).map(ExitCode::from),
        Err(refused) => Ok(ExitCode::from(refused.tell())),
    }
}
