//! The slot rules, one by one.

use super::*;

fn fragment(index: Option<i64>, id: &str, name: &str, arguments: &str) -> Delta {
    let label = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Delta::Call(CallFragment {
        index,
        id: label(id),
        name: label(name),
        arguments: arguments.to_owned(),
    })
}

fn fold(deltas: &[Delta]) -> Response {
    let mut fold = Accumulator::new();
    for delta in deltas {
        fold.push(delta).unwrap();
    }
    fold.finish()
}

fn call(id: &str, name: &str, arguments: &str) -> AssembledCall {
    AssembledCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

#[test]
fn fragments_of_one_index_are_one_call() {
    let whole = fold(&[
        fragment(Some(0), "a", "read", "{\"p\""),
        fragment(Some(1), "b", "list", ""),
        fragment(Some(0), "", "", ":1}"),
    ]);
    assert_eq!(whole.calls, [call("a", "read", "{\"p\":1}"), call("b", "list", "{}")]);
}

#[test]
fn a_name_and_id_repeated_in_every_delta_count_once() {
    let whole = fold(&[
        fragment(Some(0), "a", "read", "{"),
        fragment(Some(0), "a", "read", "}"),
        fragment(Some(0), "x", "", ""),
    ]);
    assert_eq!(whole.calls, [call("a", "read", "{}")]);
}

#[test]
fn a_new_id_with_a_name_on_the_same_index_is_a_new_call() {
    let whole = fold(&[
        fragment(Some(0), "a", "read", "{}"),
        fragment(Some(0), "b", "read", "{\"n\":2}"),
        fragment(Some(0), "", "", " "),
    ]);
    assert_eq!(whole.calls, [call("a", "read", "{}"), call("b", "read", "{\"n\":2} ")]);
}

#[test]
fn without_an_index_the_id_decides_and_then_the_last_call() {
    let whole = fold(&[
        fragment(None, "a", "read", "{"),
        fragment(None, "b", "list", "{"),
        fragment(None, "a", "", "}"),
        fragment(None, "", "", "}"),
        fragment(None, "", "stat", "{}"),
    ]);
    assert_eq!(
        whole.calls,
        [call("a", "read", "{}"), call("b", "list", "{}"), call("", "stat", "{}")]
    );
}

#[test]
fn a_call_is_announced_once_when_its_name_is_known() {
    let mut fold = Accumulator::new();
    assert_eq!(fold.push(&fragment(Some(0), "a", "", "")), Ok(None));
    let named = Announcement { index: 0, name: "read".into() };
    assert_eq!(fold.push(&fragment(Some(0), "a", "read", "")), Ok(Some(named)));
    assert_eq!(fold.push(&fragment(Some(0), "a", "read", "{}")), Ok(None));
    let second = Announcement { index: 1, name: "list".into() };
    assert_eq!(fold.push(&fragment(Some(7), "b", "list", "")), Ok(Some(second)));
}

#[test]
fn the_last_usage_wins_a_cut_sticks_and_a_broken_response_has_no_finish() {
    let usage = |prompt| Delta::Usage(TokenUsage { prompt, ..TokenUsage::default() });
    let whole = fold(&[
        usage(1),
        Delta::Finish(FinishReason::Length),
        usage(2),
        Delta::Finish(FinishReason::Stop),
    ]);
    assert_eq!(whole.usage.map(|usage| usage.prompt), Some(2));
    assert_eq!(whole.finish, Some(FinishReason::Length));
    assert_eq!(fold(&[Delta::Text("half".into())]).finish, None);
}

#[test]
fn more_calls_than_the_bound_are_an_error_and_not_a_silent_cut() {
    let mut fold = Accumulator::new();
    for index in 0..MAX_CALLS {
        fold.push(&fragment(Some(i64::try_from(index).unwrap()), "", "read", "")).unwrap();
    }
    let error = fold.push(&fragment(Some(-1), "", "read", "")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert_eq!(fold.finish().calls.len(), MAX_CALLS);
}

#[test]
fn arguments_larger_than_any_file_end_the_response() {
    let mut fold = Accumulator::new();
    let most = "x".repeat(MAX_ARGUMENTS);
    fold.push(&fragment(Some(0), "a", "write", &most)).unwrap();
    let error = fold.push(&fragment(Some(0), "", "", "y")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert!(error.message.contains("12 MiB of arguments"), "{error}");
    assert_eq!(fold.finish().calls[0].arguments.len(), MAX_ARGUMENTS);
}

#[test]
fn arguments_of_all_calls_and_text_share_one_bound() {
    let mut fold = Accumulator::new();
    fold.push(&fragment(Some(0), "a", "write", &"x".repeat(MAX_ARGUMENTS - 6))).unwrap();
    fold.push(&fragment(Some(1), "b", "write", &"x".repeat(MAX_TEXT - 6))).unwrap();
    let error = fold.push(&Delta::Text("y".into())).unwrap_err();
    assert!(error.message.contains("more than 13 MiB"), "{error}");
}

#[test]
fn text_and_reasoning_have_a_bound_in_bytes_and_one_in_lines() {
    let mut fold = Accumulator::new();
    fold.push(&Delta::Text("x".repeat(MAX_TEXT / 2))).unwrap();
    fold.push(&Delta::Reasoning("x".repeat(MAX_TEXT / 2))).unwrap();
    let error = fold.push(&Delta::Text("x".into())).unwrap_err();
    assert!(error.message.contains("more than 1 MiB of text"), "{error}");
    assert_eq!(fold.finish().text.len(), MAX_TEXT / 2, "what was taken stays");
    let mut fold = Accumulator::new();
    fold.push(&Delta::Text("\n".repeat(MAX_LINES))).unwrap();
    fold.push(&Delta::Text("x".into())).unwrap();
    let error = fold.push(&Delta::Reasoning("\n".into())).unwrap_err();
    assert!(error.message.contains("more than 50000 lines"), "{error}");
}

#[test]
fn arguments_of_countless_values_end_the_response_before_anyone_reads_them() {
    let mut fold = Accumulator::new();
    fold.push(&fragment(Some(0), "a", "write", "{\"x\":[")).unwrap();
    let many = "{\"\":0},".repeat(1000);
    let pushes = (0..MAX_VALUES).find(|_| fold.push(&fragment(Some(0), "", "", &many)).is_err());
    assert_eq!(pushes, Some(MAX_VALUES / 2000 - 1), "two marks for each object");
    // The same marks in a string are no values.
    let text = format!("{{\"x\":\"{}\"}}", "[{,".repeat(MAX_VALUES));
    Accumulator::new().push(&fragment(Some(0), "a", "write", &text)).unwrap();
}

#[test]
fn of_an_endless_name_only_the_start_is_kept() {
    let whole = fold(&[fragment(Some(0), "a", &"é".repeat(1 << 20), "{}")]);
    assert_eq!(whole.calls, [call("a", &"é".repeat(MAX_NAME / 2), "{}")]);
}
