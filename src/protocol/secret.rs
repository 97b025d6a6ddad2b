//! Files whose names say that they hold secrets. Owns the list of names; reads nothing.

use std::path::Path;

/// Whole names.
const NAMES: [&str; 17] = [
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    "credentials.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "id_rsa",
    "id_ecdsa",
    "id_ed25519",
];

/// Ends of names, behind a dot.
const KINDS: [&str; 8] = ["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"];

/// What a `.env` is for that holds no secrets: it is there to be read.
const SAMPLES: [&str; 5] = ["example", "sample", "template", "dist", "defaults"];

/// Whether the file at this path is one of those, by its name alone.
#[must_use]
pub fn is_secret(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let kind = name.rsplit_once('.').map_or("", |(_, kind)| kind);
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    NAMES.contains(&name.as_str())
        || KINDS.contains(&kind)
        || (name.starts_with(".env.") && !SAMPLES.contains(&kind))
        || (name == "credentials" && folder == ".aws")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_and_others_are_not() {
        for path in [
            "/w/.env",
            "/w/.ENV",
            "/w/a/.env.local",
            "/w/.env.production",
            "/w/server.pem",
            "/w/tls/site.key",
            "/home/u/.ssh/id_ed25519",
            "/home/u/.aws/credentials",
            "/w/secrets.yaml",
        ] {
            assert!(is_secret(Path::new(path)), "{path}");
        }
        for path in [
            "/w/.env.example",
            "/w/.env.sample",
            "/w/env.rs",
            "/w/environment",
            "/w/key.rs",
            "/w/id_ed25519.pub",
            "/w/credentials",
            "/w/.env/readme.md",
            "/",
        ] {
            assert!(!is_secret(Path::new(path)), "{path}");
        }
    }
}
