//! How commands of the model run: with the variables that the user passes, without the key, and with their long outputs in the state
//! directory. Owns where this program's own file is.

use std::path::{Path, PathBuf};

use color_eyre::eyre::{Result, WrapErr};

use crate::{
    config::{Config, state_dir},
    tools::process::Processes,
};

/// How commands run: with what the user passes, without the key, and with their long outputs in the
/// state directory.
pub(super) fn processes(config: &Config) -> Result<Processes> {
    let key = config.model.server().map(|server| server.key_variable.clone());
    let pass = config.pass.iter().cloned();
    let processes = Processes::new(own_binary()?).adopting().passing(pass).withholding(key);
    Ok(match state_dir(&super::env) {
        Some(folder) => processes.spilling_below(folder.join("out")),
        None => processes,
    })
}

/// This program's own file. Linux knows it even after another version took its place on disk.
fn own_binary() -> Result<PathBuf> {
    let linux = Path::new("/proc/self/exe");
    if linux.exists() {
        return Ok(linux.to_owned());
    }
    std::env::current_exe().wrap_err("cannot find the program's own file")
}
