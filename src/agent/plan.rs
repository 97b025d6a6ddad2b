//! Cuts the calls of one response into batches. Pure, so that the plan can be shown and tested.

use crate::protocol::{id::CallId, tool::Batch};

/// Each run of consecutive read-only calls is one concurrent batch; every other call is a batch
/// of its own. In call order, and every call stands in exactly one batch.
///
/// Takes each call's id and whether it only reads.
#[must_use]
pub fn batches(calls: &[(CallId, bool)]) -> Vec<Batch> {
    let mut plan: Vec<Batch> = Vec::new();
    for (id, reads_only) in calls {
        match plan.last_mut() {
            Some(batch) if *reads_only && batch.concurrent => batch.calls.push(id.clone()),
            _ => plan.push(Batch { calls: vec![id.clone()], concurrent: *reads_only }),
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `r` reads, `w` writes; batches are separated by a blank.
    #[track_caller]
    fn check(calls: &str, expected: &str) {
        let calls: Vec<_> =
            calls.chars().enumerate().map(|(n, c)| (CallId(format!("{c}{n}")), c == 'r')).collect();
        let shown: Vec<String> = batches(&calls)
            .iter()
            .map(|batch| batch.calls.iter().filter_map(|id| id.0.chars().next()).collect())
            .collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn reads_in_a_row_run_together_and_everything_else_alone() {
        check("", "");
        check("r", "r");
        check("rrw", "rr w");
        check("wrrwwr", "w rr w w r");
    }

    proptest! {
        #[test]
        fn no_call_is_lost_moved_or_wrongly_shared(reads in prop::collection::vec(any::<bool>(), 0..40)) {
            let calls: Vec<_> =
                reads.iter().enumerate().map(|(n, r)| (CallId(n.to_string()), *r)).collect();
            let plan = batches(&calls);
            let flat: Vec<_> = plan.iter().flat_map(|batch| batch.calls.clone()).collect();
            let ids: Vec<_> = calls.iter().map(|(id, _)| id.clone()).collect();
            prop_assert_eq!(flat, ids);
            for batch in &plan {
                let all_read = batch.calls.iter().all(|id| calls.contains(&(id.clone(), true)));
                prop_assert_eq!(batch.concurrent, all_read);
                prop_assert!(batch.concurrent || batch.calls.len() == 1);
            }
            for pair in plan.windows(2) {
                prop_assert!(!(pair[0].concurrent && pair[1].concurrent), "neighbours merge");
            }
        }
    }
}
