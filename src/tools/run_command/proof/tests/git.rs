//! Git: settings, repositories and environments that could make a look run something.

use super::*;

#[test]
fn a_usual_repository_can_be_looked_at() {
    let Some(place) = Place::with_git() else { return };
    place.set(
        "[remote \"origin\"]\nurl = git@example.org:a/b\nfetch = +refs/heads/*:refs/remotes/origin/*\n\
         [branch \"main\"]\nremote = origin\nmerge = refs/heads/main\n[user]\nname = a",
    );
    for command in [
        "git status",
        "git -C . status",
        "git diff HEAD~1 -- src",
        "git log -5",
        "git show HEAD:a.txt",
        "git branch --show-current",
        "cd src && git status --short",
        "git -C src log | head -n 3",
    ] {
        place.passes(command);
    }
    let root = place.workspace.root().to_owned();
    assert_eq!(place.access_in("src/deep", "git status").unwrap().reads, [tree(root)]);
    for command in ["git diff ../x ../y", "git -C .. status", "git diff /etc/passwd /etc/group"] {
        place.refuses(command);
    }
    place.put("home/a", "");
    fs::write(
        place.outer.path().join("home/.gitconfig"),
        "[alias]\n\tst = \"!f() { x; }; f\"\n[core]\n\tpager = delta\n[user]\n\tname = a # b\n",
    )
    .unwrap();
    place.passes("git status");
}

#[test]
fn settings_of_the_repository_that_could_run_something_ask() {
    for setting in SETTINGS.split("\n\n") {
        let Some(place) = Place::with_git() else { return };
        place.passes("git status");
        place.set(setting);
        place.refuses("git status");
        place.refuses("git log");
    }
}

#[test]
fn settings_of_the_user_that_run_something_ask_where_they_matter() {
    // Names, differences, files
    for (setting, passing) in [
        ("[core]\nfsmonitor = true", [false, false, false]),
        ("[core]\nfsmonitor = false", [true, true, true]),
        ("[filter \"lfs\"]\nclean = git-lfs clean -- %f", [true, true, false]),
        ("[diff]\nexternal = difft", [true, false, false]),
        ("[diff \"pdf\"]\ntextconv = x", [true, false, false]),
        ("[diff]\nalgorithm = histogram", [true, true, true]),
        ("[core]\nhooksPath = ~/hooks", [true, true, false]),
        ("[log]\nshowSignature = true", [false, false, false]),
        ("[trace2]\neventTarget = /tmp/x", [false, false, false]),
        ("[include]\npath = other", [true, false, false]),
        ("[includeIf \"gitdir:/x/\"]\npath = ~/other", [true, false, false]),
        ("[include]\npath = missing", [true, true, true]),
        ("[include]\npath = .gitconfig", [false, false, false]),
        ("[include]\npath = ~other/x", [false, false, false]),
        ("not a setting", [false, false, false]),
    ] {
        let Some(place) = Place::with_git() else { return };
        let home = place.outer.path().join("home");
        fs::write(home.join("other"), "[diff]\nexternal = x\n").unwrap();
        fs::write(home.join(".gitconfig"), setting).unwrap();
        let commands = ["git branch", "git log -3", "git status"];
        assert_eq!(commands.map(|command| place.access(command).is_some()), passing, "{setting}");
        fs::remove_file(home.join(".gitconfig")).unwrap();
        fs::create_dir_all(home.join(".config/git")).unwrap();
        fs::write(home.join(".config/git/config"), setting.replace(".gitconfig", "config"))
            .unwrap();
        if !setting.contains("path = other") {
            let again = commands.map(|command| place.access(command).is_some());
            assert_eq!(again, passing, "{setting}");
        }
    }
}

#[test]
fn a_repository_that_is_not_plain_asks() {
    let changes: [(&str, Change); 12] = [
        ("a link in place of the repository", |place| {
            fs::rename(place.path(".git"), place.outer.path().join("git")).unwrap();
            symlink("../git", place.path(".git")).unwrap();
        }),
        ("a file that leads to it", |place| {
            fs::rename(place.path(".git"), place.outer.path().join("git")).unwrap();
            place.put(".git", "gitdir: ../git");
        }),
        ("no repository at all", |place| {
            fs::rename(place.path(".git"), place.outer.path().join("git")).unwrap();
        }),
        ("a hook that runs with the index", |place| {
            place.put(".git/hooks/post-index-change", "#!/bin/sh\n");
        }),
        ("settings elsewhere", |place| place.put(".git/commondir", "../..\n")),
        ("settings of a worktree", |place| place.put(".git/config.worktree", "")),
        ("objects elsewhere", |place| place.put(".git/objects/info/alternates", "/x\n")),
        ("a link to settings", |place| {
            fs::rename(place.path(".git/config"), place.path("config")).unwrap();
            symlink("../config", place.path(".git/config")).unwrap();
        }),
        ("a link that an error would show", |place| {
            symlink("../../secret", place.path(".git/packed-refs")).unwrap();
        }),
        ("a broken head, so that git looks further up", |place| place.put(".git/HEAD", "x\n")),
        ("a folder that is a repository without files", |place| place.put("HEAD", "x")),
        ("an index of two files", |place| place.put(".git/sharedindex.1", "")),
    ];
    for (what, change) in changes {
        let Some(place) = Place::with_git() else { return };
        place.passes("git status");
        change(&place);
        assert_eq!(place.access("git status"), None, "{what}");
    }
}

#[test]
fn a_repository_inside_and_one_around_ask() {
    let Some(place) = Place::with_git() else { return };
    let mode = "160000,0123456789012345678901234567890123456789,inner";
    assert!(place.git(&["update-index", "--add", "--cacheinfo", mode]));
    place.refuses("git status");
    place.refuses("git diff");
    place.passes("git log");

    let Some(place) = Place::with_git() else { return };
    let inner = Workspace::open(&place.path("src")).unwrap();
    let around = Surroundings::of(&[("PATH", "/usr/bin:/bin"), ("HOME", "/nonexistent")]);
    assert_eq!(access("git status", inner.root(), &inner, &around), None);
    assert!(access("ls", inner.root(), &inner, &around).is_some());
}

#[test]
fn an_environment_that_changes_git_asks() {
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_EXTERNAL_DIFF",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_GLOBAL",
        "GIT_TRACE",
        "GIT_TRACE2",
        "GIT_EXEC_PATH",
        "GIT_INDEX_FILE",
    ] {
        let Some(place) = Place::with_git() else { return };
        place.with(name, "/x").refuses("git log");
    }
    let Some(mut place) = Place::with_git() else { return };
    place = place.with("GIT_OPTIONAL_LOCKS", "0").with("GIT_PAGER", "cat");
    place.passes("git log");
    place.variables.retain(|(name, _)| name != "HOME");
    place.refuses("git log");
}
