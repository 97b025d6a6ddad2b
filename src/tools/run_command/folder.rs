//! The folder that commands run in, remembered from one to the next.
//!
//! Owns what is accepted as that folder, and what is said of it. Must not know how it is learnt.
//!
//! Invariant: it lies inside the workspace whenever a command starts there without having named
//! it.

use std::path::Path;

use crate::tools::{
    ToolContext, ToolError,
    process::{CommandEnd, EndFolder, Exit},
    workspace::Resolved,
};

/// Where a command runs that does not say where, and what the model is told of that.
pub(super) fn remembered(context: &ToolContext) -> Result<(Resolved, Option<String>), ToolError> {
    let root = || context.workspace.resolve(".");
    let Some(folder) = context.processes.folder() else { return Ok((root()?, None)) };
    if let Some(resolved) = usable(context, &folder) {
        return Ok((resolved, None));
    }
    let gone = context.workspace.relative(&folder);
    let note = format!(
        "the folder `{gone}` of earlier commands cannot be used any more: this one ran in the \
         root of the workspace, and later ones do."
    );
    Ok((root()?, Some(note)))
}

/// Remembers where the shell of a command was when it exited by itself. What the model is told,
/// if it has to be.
pub(super) fn after(context: &ToolContext, ran_in: &Resolved, end: &CommandEnd) -> Option<String> {
    // Whatever vanished before is given up now.
    let own = Some(&ran_in.absolute).filter(|folder| folder.as_path() != context.workspace.root());
    context.processes.change_folder(own.cloned());
    let stays = &ran_in.relative;
    let ended = matches!(end.exit, Exit::Code(_) | Exit::Signal(_));
    let folder = match &end.folder {
        EndFolder::At(folder) => folder,
        EndFolder::Unusable if ran_in.absolute.is_dir() => {
            return Some(format!(
                "the folder that it ended in does not exist any more: later commands run in \
                 `{stays}` as before."
            ));
        }
        // If the folder is gone, the next command finds that out and says so.
        EndFolder::Unusable | EndFolder::Unknown => return None,
    };
    if *folder == ran_in.absolute {
        return None;
    }
    match usable(context, folder) {
        Some(now) if ended => {
            let told = format!("later commands run in `{}`.", now.relative);
            let folder = Some(now.absolute).filter(|now| now != context.workspace.root());
            context.processes.change_folder(folder);
            Some(told)
        }
        Some(_) => Some(format!("later commands run in `{stays}` as before.")),
        None => Some(format!(
            "it ended in {}, outside of the workspace: later commands run in `{stays}` as before.",
            folder.display()
        )),
    }
}

fn usable(context: &ToolContext, folder: &Path) -> Option<Resolved> {
    let resolved = context.workspace.resolve(folder.to_str()?).ok()?;
    resolved.absolute.is_dir().then_some(resolved)
}
