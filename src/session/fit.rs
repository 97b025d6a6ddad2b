//! Keeps the results of one response small enough for the next request. Pure.
//!
//! Owns the bound and the mark that says what was left out; nothing is left out silently.

use crate::{protocol::tool::ToolResult, text::cut};

/// Bytes that all results of one response may have together: a response can ask for a hundred
/// reads, and a small window holds some ten thousand tokens.
pub(super) const MAX: usize = 60_000;
/// No result is cut below this; so very many results can be more than [`MAX`] together.
const LEAST: usize = 1_000;
/// Of what is kept, so much is the end: exit codes and where to read on stand there.
const TAIL: usize = 500;

/// Cuts the largest results until all fit.
pub(super) fn fit(results: &mut [ToolResult], max: usize) {
    let fair = fair_share(results, max);
    for result in results.iter_mut().filter(|result| result.text.len() > fair) {
        let head = cut::head(&result.text, fair - TAIL);
        let tail = cut::tail(&result.text, TAIL);
        let left_out = result.text.len() - head.len() - tail.len();
        result.text = format!(
            "{head}\n[... {left_out} bytes left out: the results of one reply share {max} bytes; \
             ask for fewer or smaller parts at once ...]\n{tail}"
        );
    }
}

/// The size at which cutting every larger result makes all of them fit: the small ones keep
/// what they have, the rest is shared evenly.
fn fair_share(results: &[ToolResult], max: usize) -> usize {
    let mut sizes: Vec<usize> = results.iter().map(|result| result.text.len()).collect();
    sizes.sort_unstable();
    let mut room = max;
    for (n, size) in sizes.iter().enumerate() {
        let share = room / (sizes.len() - n);
        if *size > share {
            return share.max(LEAST);
        }
        room -= size;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{id::CallId, tool::ToolStatus};

    fn results(sizes: &[usize]) -> Vec<ToolResult> {
        let result = |(n, size): (usize, &usize)| ToolResult {
            call_id: CallId(n.to_string()),
            status: ToolStatus::Ok,
            text: "x".repeat(*size),
            summary: String::new(),
            diff: None,
            whole: None,
        };
        sizes.iter().enumerate().map(result).collect()
    }

    /// Sizes before, and the bytes kept of each.
    #[track_caller]
    fn check(sizes: &[usize], max: usize, kept: &[usize]) {
        let mut results = results(sizes);
        fit(&mut results, max);
        let count = |result: &ToolResult| {
            result.text.lines().filter(|line| line.starts_with('x')).map(str::len).sum::<usize>()
        };
        assert_eq!(results.iter().map(count).collect::<Vec<_>>(), kept);
        for (result, (before, kept)) in results.iter().zip(sizes.iter().zip(kept)) {
            let mark = format!("{} bytes left out", before - kept);
            assert_eq!(result.text.contains(&mark), before != kept);
        }
    }

    #[test]
    fn the_end_of_a_result_is_kept_it_says_how_the_call_ended() {
        let mut results = results(&[90_000]);
        results[0].text.push_str("\nexit 1");
        fit(&mut results, 60_000);
        assert!(results[0].text.ends_with("x\nexit 1"));
    }

    #[test]
    fn the_largest_give_and_the_small_keep_what_they_have() {
        check(&[10_000, 20_000, 30_000], 60_000, &[10_000, 20_000, 30_000]);
        check(&[10_000, 20_000, 90_000], 60_000, &[10_000, 20_000, 30_000]);
        check(&[90_000, 5_000, 90_000], 60_000, &[27_500, 5_000, 27_500]);
        check(&[5_000; 100], 60_000, &[1_000; 100]);
        check(&[], 60_000, &[]);
    }
}
