//! What `tree` promises, tested.

use super::*;

fn process(pid: i32, parent: i32, session: i32) -> Process {
    let named = Named { pid, name: format!("p{pid}") };
    Process { named, zombie: false, stopped: false, parent, group: pid, session, started: 0 }
}

fn pids(members: &[Process]) -> Vec<i32> {
    members.iter().map(|process| process.named.pid).collect()
}

#[test]
fn a_stat_line_is_read_whatever_the_name_holds() {
    // The 22nd field is the start; the numbers after the session are 7 to 22.
    let rest = "7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 2200 23";
    let parsed = parse_stat(&format!("42 (a) b (c\n) S 7 8 9 {rest}")).unwrap();
    assert_eq!(parsed.named, Named { pid: 42, name: "a) b (c\n".to_owned() });
    assert_eq!((parsed.parent, parsed.group, parsed.session, parsed.zombie), (7, 8, 9, false));
    assert_eq!(parsed.started, 2200);
    assert!(parse_stat(&format!("42 (gone) Z 7 8 9 {rest}")).unwrap().zombie);
    assert!(parse_stat(&format!("42 (held) T 7 8 9 {rest}")).unwrap().stopped);
    assert_eq!(parse_stat(""), None);
    assert_eq!(parse_stat("42 (x) S 7"), None);
}

#[test]
fn descendants_and_the_session_belong_to_the_keeper_and_nothing_else_does() {
    // 100 keeps 101, whose child 103 has a session of its own; 104 is an orphan of the session.
    let all = vec![
        process(103, 102, 103),
        process(102, 101, 100),
        process(101, 100, 100),
        process(100, 50, 100),
        process(104, 1, 100),
        process(105, 1, 105),
        process(50, 1, 50),
        process(1, 0, 1),
    ];
    assert_eq!(pids(&members(100, BTreeSet::from([100]), all)), [103, 102, 101, 104]);
}

#[test]
fn a_zombie_is_not_alive_but_its_children_are() {
    let mut dead = process(101, 100, 100);
    dead.zombie = true;
    let all = vec![process(100, 50, 100), dead, process(102, 101, 102)];
    assert_eq!(pids(&members(100, BTreeSet::from([100]), all)), [102]);
}

#[test]
fn what_a_lost_keeper_left_elsewhere_belongs_to_it_with_all_its_children() {
    // 201 was found by its mark or as an orphan; 203 is somebody else's.
    let all = vec![process(201, 1, 201), process(202, 201, 202), process(203, 1, 203)];
    assert_eq!(pids(&members(100, BTreeSet::from([100, 201]), all)), [201, 202]);
}

#[test]
fn this_process_is_never_a_member() {
    let all = vec![process(own_pid(), 100, 100), process(201, own_pid(), 201)];
    assert!(members(100, BTreeSet::from([100]), all).is_empty());
}
