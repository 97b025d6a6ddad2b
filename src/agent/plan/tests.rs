//! Plans by hand, by the table of cases, and by what must hold for any list of calls.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::protocol::access::Resource;

fn file(path: &str) -> Resource {
    Resource::File(PathBuf::from(path))
}

fn tree(path: &str) -> Resource {
    Resource::Tree(PathBuf::from(path))
}

fn planned(accesses: Vec<Access>) -> Vec<Planned> {
    let call = |(n, access)| Planned { id: CallId(format!("c{n}")), access, shared: None };
    accesses.into_iter().enumerate().map(call).collect()
}

#[track_caller]
fn check(accesses: &[Access], scheduler: Scheduler, after: &[&[usize]], batches: &[usize]) {
    let calls = planned(accesses.to_vec());
    let plan = plan(&calls, scheduler);
    assert_eq!(plan.after, after);
    let sizes: Vec<_> = plan.batches(&calls).iter().map(|batch| batch.calls.len()).collect();
    assert_eq!(sizes, batches);
}

#[test]
fn only_what_conflicts_waits() {
    let calls = [
        Access::read(file("/w/a")),
        Access::read(file("/w/b")),
        Access::write(file("/w/c")),
        Access::read(tree("/w")),
        Access::write(file("/v/a")),
        Access::unknown(),
        Access::read(file("/w/a")),
    ];
    check(
        &calls,
        Scheduler::Effects,
        &[&[], &[], &[], &[2], &[], &[0, 1, 2, 3, 4], &[5]],
        &[3, 2, 1, 1],
    );
    let one_by_one: [&[usize]; 7] =
        [&[], &[0], &[0, 1], &[0, 1, 2], &[0, 1, 2, 3], &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4, 5]];
    check(&calls, Scheduler::Serial, &one_by_one, &[1; 7]);
}

#[test]
fn reads_in_a_row_are_one_batch_by_the_simple_rule() {
    let (read, write) = (Access::read(file("/w/a")), Access::write(file("/w/b")));
    let calls = [read.clone(), read.clone(), write.clone(), read.clone(), write.clone(), write];
    let after: [&[usize]; 6] = [&[], &[], &[0, 1], &[0, 1, 2], &[0, 1, 2, 3], &[0, 1, 2, 3, 4]];
    check(&calls, Scheduler::Batch, &after, &[2, 1, 1, 1, 1]);
}

#[test]
fn a_prefix_of_a_name_is_no_folder_of_it() {
    let calls =
        [Access::write(file("/w/ab")), Access::read(tree("/w/a")), Access::write(tree("/w/a/b"))];
    check(&calls, Scheduler::Effects, &[&[], &[], &[1]], &[2, 1]);
}

#[test]
fn the_folder_of_commands_and_the_network_are_things_of_their_own() {
    let calls = [
        Access { reads: vec![], writes: vec![Resource::Cwd] },
        Access { reads: vec![Resource::Cwd, tree("/w")], writes: vec![] },
        Access { reads: vec![Resource::Net], writes: vec![] },
        Access { reads: vec![], writes: vec![Resource::Net] },
    ];
    check(&calls, Scheduler::Effects, &[&[], &[0], &[], &[2]], &[1, 2, 1]);
}

#[test]
fn an_equal_read_runs_once_unless_something_between_may_change_it() {
    let read = |path: &str| Planned {
        id: CallId(String::new()),
        access: Access::read(file(path)),
        shared: Some(("read_file".into(), Value::from(path))),
    };
    let write =
        Planned { id: CallId(String::new()), access: Access::write(file("a")), shared: None };
    let calls = [read("a"), read("b"), read("a"), write, read("a"), read("a"), read("b")];
    let plan = plan(&calls, Scheduler::Effects);
    assert_eq!(plan.same_as, [None, None, Some(0), None, None, Some(4), Some(1)]);
}

/// What a call of the table touches; its working folder is `/w`.
fn access_of(call: &Value) -> Access {
    let path = |path: &str| {
        let mut whole = PathBuf::from("/w");
        whole.extend(std::path::Path::new(path).components().filter_map(|part| match part {
            std::path::Component::Normal(name) => Some(name),
            _ => None,
        }));
        whole
    };
    let args = &call["args"];
    let one = || path(args["path"].as_str().unwrap());
    match call["tool"].as_str().unwrap() {
        "read_file" => Access::read(Resource::File(one())),
        "list_files" | "search_code" => Access::read(Resource::Tree(one())),
        "write_file" | "edit_file" => Access::write(Resource::File(one())),
        "apply_patch" => {
            let paths = args["paths"].as_array().unwrap().iter();
            let files: Vec<_> =
                paths.map(|one| Resource::File(path(one.as_str().unwrap()))).collect();
            Access { reads: files.clone(), writes: files }
        }
        "run_cmd" if args["class"] == "read" => Access::read(Resource::Tree(path("."))),
        "run_cmd" => Access::unknown(),
        other => panic!("{other}"),
    }
}

#[test]
fn every_list_of_the_table_is_planned_as_it_says() {
    let Some(shared) = std::env::var_os("MCC_SHARED") else {
        println!("skipped: MCC_SHARED names no folder with cases");
        return;
    };
    let table = PathBuf::from(shared).join("cases/schedule/cases.jsonl");
    let table = std::fs::read_to_string(table).unwrap();
    let mut count = 0;
    for line in table.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let calls = planned(case["calls"].as_array().unwrap().iter().map(access_of).collect());
        let effects = plan(&calls, Scheduler::Effects);
        let pairs = effects.after.iter().enumerate();
        let pairs: Vec<_> =
            pairs.flat_map(|(n, after)| after.iter().map(move |m| [*m, n])).collect();
        assert_eq!(serde_json::to_value(&pairs).unwrap(), case["must_precede"], "{}", case["id"]);
        let batches = plan(&calls, Scheduler::Batch).batches(&calls);
        let place = |id: &CallId| id.0.trim_start_matches('c').parse::<usize>().unwrap();
        let batches: Vec<Vec<usize>> =
            batches.iter().map(|batch| batch.calls.iter().map(place).collect()).collect();
        assert_eq!(serde_json::to_value(&batches).unwrap(), case["seed_batches"], "{}", case["id"]);
        count += 1;
    }
    println!("{count} lists");
    assert!(count > 0);
}

fn any_access() -> impl Strategy<Value = Access> {
    let path = prop::sample::select(vec!["/w/a", "/w/b", "/w/d/a", "/w/d", "/w"]);
    let resource = (path, 0..12).prop_map(|(path, kind)| match kind {
        0..6 => file(path),
        6..9 => tree(path),
        9 => Resource::Cwd,
        10 => Resource::Net,
        _ => Resource::World,
    });
    let some = |most| prop::collection::vec(resource.clone(), 0..most);
    (some(3), some(2)).prop_map(|(reads, writes)| Access { reads, writes })
}

proptest! {
    #[test]
    fn calls_wait_for_earlier_ones_and_for_all_that_conflict(accesses in prop::collection::vec(any_access(), 0..12)) {
        let calls = planned(accesses);
        for scheduler in [Scheduler::Effects, Scheduler::Batch, Scheduler::Serial] {
            let plan = plan(&calls, scheduler);
            for (n, after) in plan.after.iter().enumerate() {
                prop_assert!(after.iter().all(|earlier| *earlier < n));
                for earlier in 0..n {
                    let conflict = calls[earlier].access.conflicts_with(&calls[n].access);
                    prop_assert_eq!(conflict, calls[n].access.conflicts_with(&calls[earlier].access));
                    prop_assert!(!conflict || after.contains(&earlier));
                    prop_assert!(scheduler != Scheduler::Effects || conflict || !after.contains(&earlier));
                }
            }
            let flat: Vec<_> = plan.batches(&calls).into_iter().flat_map(|batch| batch.calls).collect();
            let ids: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
            prop_assert_eq!(flat, ids);
        }
    }
}
