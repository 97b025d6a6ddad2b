//! What the text of a command does not tell: paths, programs, settings.

mod git;

use std::{
    os::unix::fs::symlink,
    process::{Command, Stdio},
};

use super::*;

/// Commands that read beyond the workspace that they are run in.
const OUTSIDE: &str = include_str!("../../../../tests/fixtures/shell/outside.txt");

/// Settings of a repository that could run something, or are not known.
const SETTINGS: &str = include_str!("../../../../tests/fixtures/shell/git_settings.txt");

/// Commands that only read.
const READS: &str = include_str!("../../../../tests/fixtures/shell/reads.txt");

/// A workspace with a neighbour outside, and an environment.
struct Place {
    outer: tempfile::TempDir,
    workspace: Workspace,
    variables: Vec<(String, String)>,
}

impl Place {
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir_all(outer.path().join("inside/src/deep")).unwrap();
        fs::create_dir(outer.path().join("home")).unwrap();
        fs::write(outer.path().join("secret"), "secret").unwrap();
        let workspace = Workspace::open(&outer.path().join("inside")).unwrap();
        let home = outer.path().join("home").to_str().unwrap().to_owned();
        let variables =
            vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned()), ("HOME".to_owned(), home)];
        let place = Self { outer, workspace, variables };
        for name in ["a.txt", "src/main.rs", "src/lib.rs", "src/deep/x.rs"] {
            place.put(name, "text\n");
        }
        place
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.workspace.root().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn access(&self, command: &str) -> Option<Access> {
        self.access_in(".", command)
    }

    fn access_in(&self, folder: &str, command: &str) -> Option<Access> {
        let variables: Vec<(&str, &str)> =
            self.variables.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let folder = self.path(folder).canonicalize().unwrap();
        access(command, &folder, &self.workspace, &Surroundings::of(&variables))
    }

    #[track_caller]
    fn passes(&self, command: &str) {
        let access = self.access(command).unwrap_or_else(|| panic!("refused: {command}"));
        assert!(access.is_harmless(), "{command}");
    }

    #[track_caller]
    fn refuses(&self, command: &str) {
        assert_eq!(self.access(command), None, "{command}");
    }

    /// Runs git for real; false if there is none.
    fn git(&self, words: &[&str]) -> bool {
        let mut git = Command::new("git");
        git.args(words).current_dir(self.workspace.root()).env_clear().stdout(Stdio::null());
        git.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let name = ["AUTHOR", "COMMITTER"].map(|who| format!("GIT_{who}_NAME"));
        let mail = ["AUTHOR", "COMMITTER"].map(|who| format!("GIT_{who}_EMAIL"));
        git.envs(name.iter().chain(&mail).map(|name| (name, "a@b")));
        git.status().is_ok_and(|status| status.success())
    }

    /// With a repository in it; `None`, said aloud, where there is no git.
    fn with_git() -> Option<Self> {
        let place = Self::new();
        let around = Surroundings::of(&[("PATH", "/usr/bin:/bin")]);
        if around.program("git", Path::new("/nonexistent")).is_none() {
            println!("skipped: no git in the folders of the system");
            return None;
        }
        assert!(place.git(&["init", "-q"]) && place.git(&["add", "."]));
        assert!(place.git(&["commit", "-qm", "one"]));
        Some(place)
    }

    fn set(&self, setting: &str) {
        let config = fs::read_to_string(self.path(".git/config")).unwrap();
        self.put(".git/config", &format!("{config}\n{setting}\n"));
    }
}

type Change = fn(&Place);

fn tree(path: PathBuf) -> Resource {
    Resource::Tree(path)
}

#[test]
fn what_is_read_is_told_by_canonical_paths() {
    let place = Place::new();
    symlink("src", place.path("link")).unwrap();
    let root = place.workspace.root().to_owned();
    let file = |name: &str| Resource::File(place.path(name));
    for (command, expected) in [
        ("ls", vec![tree(root.clone())]),
        ("ls ./src/../src link", vec![tree(place.path("src"))]),
        ("cat a.txt missing", vec![file("a.txt"), file("missing")]),
        ("cat link/main.rs", vec![file("src/main.rs")]),
        ("cd src && cat ../a.txt", vec![file("a.txt")]),
        ("cd link && ls", vec![tree(place.path("src"))]),
        ("wc -l < a.txt", vec![file("a.txt")]),
        ("echo a", vec![Resource::Cwd]),
        ("cat /dev/null", vec![Resource::Cwd]),
    ] {
        let access = place.access(command).unwrap_or_else(|| panic!("refused: {command}"));
        let moves = command.starts_with("cd ").then_some(Resource::Cwd);
        let writes = moves.into_iter().collect();
        assert_eq!(access, Access { reads: expected, writes }, "{command}");
    }
    let mut wild = place.access("wc -l src/*.rs").unwrap().reads;
    wild.sort_by_key(|resource| format!("{resource:?}"));
    assert_eq!(wild, [file("src/*.rs"), file("src/lib.rs"), file("src/main.rs")]);
    let inner = place.access_in("src", "ls").unwrap().reads;
    assert_eq!(inner, [tree(place.path("src"))]);
    assert!(place.access_in("src", "cat ../a.txt").is_some());
}

#[test]
fn what_lies_outside_asks() {
    let place = Place::new();
    symlink("../secret", place.path("leak")).unwrap();
    symlink("../../secret", place.path("src/leak.rs")).unwrap();
    symlink("..", place.path("up")).unwrap();
    symlink("../..", place.path("src/deep/out")).unwrap();
    let outside = place.outer.path().join("secret");
    let outside = outside.to_str().unwrap();
    for command in OUTSIDE.lines() {
        place.refuses(command);
    }
    place.refuses(&format!("cat {outside}"));
    place.refuses(&format!("cat '{outside}'"));
    let inside = place.path("a.txt");
    place.passes(&format!("cat '{}'", inside.display()));
    // Quoted, it is a name like any other.
    place.passes("cat '~/.ssh/id_rsa'");
    place.passes("cat .env");
}

#[test]
fn what_is_no_file_and_no_folder_asks() {
    let place = Place::new();
    let pipe = place.path("src/pipe.rs");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    symlink("/dev/zero", place.path("zero")).unwrap();
    symlink("zero", place.path("zero2")).unwrap();
    symlink("loop", place.path("loop")).unwrap();
    for command in [
        "cat src/pipe.rs",
        "cat src/*.rs",
        "wc < src/pipe.rs",
        "cat socket",
        "cat zero",
        "cat zero2",
        "head -c 1 zero",
        "cat loop",
        "cat l*",
        "cat ./*",
    ] {
        place.refuses(command);
    }
    place.passes("ls src");
    place.passes("cat src/m*.rs");
}

#[test]
fn too_many_names_ask() {
    let place = Place::new();
    for n in 0..=MATCHES {
        place.put(&format!("many/f{n}"), "");
    }
    place.refuses("cat many/f*");
    place.passes("cat many/f1*");
}

#[test]
fn a_name_leads_to_the_program_of_the_system_or_asks() {
    Place::new().passes("ls");
    let place = Place::new();
    place.put("bin/ls", "#!/bin/sh\n");
    place.put("bin2/other", "#!/bin/sh\n");
    symlink("inside/bin2", place.outer.path().join("link")).unwrap();
    for name in ["bin/ls", "other/egrep2"] {
        let path = place.outer.path().join(name);
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let root = place.workspace.root().to_str().unwrap().to_owned();
    let mut place = place;
    for (path, passes) in [
        (format!("{root}/bin:/usr/bin:/bin"), false),
        (format!("{root}/bin2:/usr/bin:/bin"), false),
        (format!("/usr/bin:/bin:{root}/bin"), false),
        (format!("{}/link:/usr/bin:/bin", place.outer.path().display()), false),
        (format!("{}/bin:/usr/bin:/bin", place.outer.path().display()), false),
        (format!("{}/other:/usr/bin:/bin", place.outer.path().display()), true),
        ("/nonexistent:/usr/bin:/bin".to_owned(), true),
        ("/bin:/usr/bin".to_owned(), true),
        (".:/usr/bin:/bin".to_owned(), false),
        (":/usr/bin:/bin".to_owned(), false),
        ("/usr/bin:".to_owned(), false),
        ("bin:/usr/bin".to_owned(), false),
        ("~/bin:/usr/bin".to_owned(), false),
        ("/usr/bin/../bin".to_owned(), false),
        (root.clone(), false),
        (String::new(), false),
    ] {
        place = place.with("PATH", &path);
        assert_eq!(place.access("ls").is_some(), passes, "{path}");
    }
    place.variables.retain(|(name, _)| name != "PATH");
    place.refuses("ls");
    let place = Place::new();
    let whole = Workspace::open(Path::new("/")).unwrap();
    let around = Surroundings::of(&[("PATH", "/usr/bin:/bin")]);
    let folder = place.workspace.root();
    assert_eq!(access("ls", folder, &whole, &around), None, "the programs lie in the workspace");
    let shells = place.outer.path().join("shells");
    fs::create_dir(&shells).unwrap();
    fs::write(shells.join("bash"), "").unwrap();
    fs::write(shells.join("grep"), "").unwrap();
    let shells = format!("{}:/usr/bin:/bin", shells.display());
    place.with("PATH", &shells).refuses("echo a");
}

#[test]
fn an_environment_that_changes_commands_asks() {
    for (name, value) in [
        ("BASH_ENV", "x"),
        ("ENV", "x"),
        ("BASH_FUNC_ls%%", "() { rm x; }"),
        ("BASH_FUNC_ls()", "() { rm x; }"),
        ("ls", "() { rm x; }"),
        ("SHELLOPTS", "xtrace"),
        ("BASHOPTS", "extglob"),
        ("GLOBIGNORE", "x"),
        ("POSIXLY_CORRECT", "1"),
        ("LD_PRELOAD", "./x.so"),
        ("LD_PRELOAD", "x.so"),
        ("LD_PRELOAD", "/usr/lib/x.so ./x.so"),
        ("LD_LIBRARY_PATH", "/usr/lib;lib"),
        ("LD_LIBRARY_PATH", "/usr/lib:"),
        ("LD_LIBRARY_PATH", "lib"),
        ("DYLD_INSERT_LIBRARIES", "x"),
    ] {
        Place::new().with(name, value).refuses("ls");
    }
    let place = Place::new();
    let inside = place.path("lib").display().to_string();
    place.with("LD_LIBRARY_PATH", &inside).refuses("ls");
    Place::new().with("LD_LIBRARY_PATH", "/usr/lib:/nonexistent").passes("ls");
    Place::new().with("CDPATH", "/tmp").refuses("cd src && ls");
    Place::new().with("CDPATH", "/tmp").passes("ls");
    Place::new().with("RIPGREP_CONFIG_PATH", "x").refuses("rg x");
}

/// Every file below a folder with its content, but for the index, which only caches.
fn snapshot(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            snapshot(&path, found);
        } else if !path.ends_with(".git/index") {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn what_passes_ends_and_changes_nothing_when_it_is_run() {
    let Some(place) = Place::with_git() else { return };
    for name in ["a", "b", "-x", "src/a", "my file"] {
        place.put(name, "{\"a\": {\"b\": [1]}, \"scripts\": {}}\n");
    }
    let before = &mut Vec::new();
    snapshot(place.outer.path(), before);
    let mut ran = 0;
    for command in READS.lines().filter(|line| !line.starts_with("-- ")) {
        if place.access(command).is_none() {
            continue;
        }
        ran += 1;
        let mut shell = Command::new("bash");
        shell.args(["-c", command]).current_dir(place.workspace.root()).env_clear();
        shell.envs(place.variables.iter().map(|(name, value)| (name, value)));
        shell.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        assert!(shell.status().unwrap().code().is_some(), "{command}");
        let after = &mut Vec::new();
        snapshot(place.outer.path(), after);
        assert!(before == after, "{command} changes something");
    }
    println!("{ran} commands run, nothing changed");
    assert!(ran >= 80, "only {ran} commands could be run");
}
