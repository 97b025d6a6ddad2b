//! What `interactive` promises, tested.

use super::*;

#[test]
fn programs_that_need_a_terminal_are_refused_with_a_hint() {
    for (command, program) in [
        ("vim", "vim"),
        ("vi src/main.rs", "vi"),
        ("/usr/bin/vim a", "vim"),
        ("cd src && nano a", "nano"),
        ("emacs -nw a", "emacs"),
        ("sudo vim /etc/hosts", "vim"),
        ("EDITOR=x FOO=1 nvim a", "nvim"),
        ("env A=b timeout -k 5 10 vim", "vim"),
        ("nohup top &", "top"),
        ("if true; then htop; fi", "htop"),
        ("echo $(vim a)", "vim"),
        ("echo `nano a`", "nano"),
        ("bash -c 'cd x; vim a'", "vim"),
        ("(less file)", "less"),
        ("more file", "more"),
        ("python", "python"),
        ("python3 -i", "python3"),
        ("python3.12", "python3.12"),
        ("ls; ipython", "ipython"),
        ("node", "node"),
        ("irb", "irb"),
        ("php -a", "php"),
        ("bash", "bash"),
        ("sh -i", "sh"),
        ("zsh -l", "zsh"),
        ("su", "su"),
        ("su - root", "su"),
        ("psql -h localhost mydb", "psql"),
        ("mysql -u root", "mysql"),
        ("sqlite3 a.db", "sqlite3"),
        ("redis-cli -h host -p 6379", "redis-cli"),
        ("gdb ./a", "gdb"),
        ("top", "top"),
        ("watch ls", "watch"),
        ("tmux", "tmux"),
        ("tmux attach -t a", "tmux"),
        ("ssh host", "ssh"),
        ("ssh -p 22 -i key -v user@host", "ssh"),
        ("telnet host 25", "telnet"),
        ("sftp host", "sftp"),
    ] {
        let (refused, hint) = refusal(command).unwrap_or_else(|| panic!("{command}"));
        assert_eq!(refused, program, "{command}");
        assert!(hint.ends_with('.'), "{command}");
    }
}

#[test]
fn everything_that_can_run_without_one_is_let_through() {
    for command in [
        "",
        "ls",
        "vim --version",
        "which vim",
        "command -v vim",
        "apt-get install -y nano vim",
        "echo vim; git commit -m 'use vim'",
        "vim -es -c ':%s/a/b/' -c wq file",
        "nvim --headless +q",
        "emacs --batch -l a.el",
        "ed file <<'E'\n1d\nw\nE",
        "git log | less",
        "python3 a.py",
        "python3 -c 'print(1)'",
        "python3 -m pytest",
        "python3 - <<'E'\nprint(1)\nE",
        "python3 <<'E'\nprint(1)\nE",
        "python3 < a.py",
        "echo 'print(1)' | python3",
        "python3 $(find . -name a.py)",
        "python3-config --cflags",
        "node -e 1",
        "node index.js",
        "bash a.sh",
        "bash -c 'ls'",
        "curl x | bash",
        "bash -s <<< ls",
        "su -c ls root",
        "psql -Atqc 'select 1' db",
        "psql --command='select 1'",
        "psql db < a.sql",
        "mysql -uroot -e 'select 1'",
        "sqlite3 a.db 'select 1'",
        "sqlite3 a.db <<< '.tables'",
        "redis-cli -h host get key",
        "gdb -batch -ex run ./a",
        "top -b -n 1",
        "top -bn1",
        "tmux new -d ls",
        "ssh host ls -l",
        "ssh -N -L 1:a:2 host",
        "ssh host <<'E'\nls\nE",
        "ssh -V",
        "man ls",
        "cat <<'E' > a.sh\nvim x\ntop\nE",
        "for editor in vim nano; do which $editor; done",
        "vim() { true; }",
        "case $x in vim) echo;; top) echo;; esac",
        "grep -r 'ssh host' . # vim",
        "$EDITOR a",
    ] {
        assert_eq!(refusal(command), None, "{command}");
    }
}

#[test]
fn a_hostile_command_takes_no_long_time_and_no_deep_stack() {
    for command in ["$(".repeat(200_000), "`".repeat(200_001), "(".repeat(200_000)] {
        assert_eq!(refusal(&command), None);
    }
    let nested = (0..6).fold("vim".to_owned(), |inner, _| format!("bash -c {inner:?}"));
    assert!(refusal(&nested).is_some());
}
