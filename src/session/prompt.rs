//! The instructions that every conversation begins with. Owns their assembly from
//! `assets/prompts`; holds nothing that changes from request to request or from folder to
//! folder (a clock, a name), so that a server's prompt cache keeps working, and small models do
//! not take a name for a path.

/// The instructions.
#[must_use]
pub fn instructions() -> String {
    include_str!("../../assets/prompts/system.md").replace("{system}", std::env::consts::OS)
}
