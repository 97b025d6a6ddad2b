//! What is said, when, and how often.

use super::*;

fn user(words: usize) -> Message {
    Message::User { text: "lorem ".repeat(words) }
}

fn place(model: &str, window: Option<u64>) -> Place {
    Place {
        model: model.to_owned(),
        room: Room { window, is_told: window.is_some() },
        widen: "Give it more.",
    }
}

fn usage(prompt: u64) -> TokenUsage {
    TokenUsage { prompt, completion: 10, ..TokenUsage::default() }
}

/// One request: what is said before and after it.
fn ask(
    intake: &mut Intake,
    messages: &[Message],
    prompt: u64,
    place: &Place,
) -> (Option<String>, Option<String>) {
    let before = intake.sending(messages, &[], place);
    (before, intake.counted(usage(prompt), place))
}

#[test]
fn a_cut_is_told_once_for_each_window_and_model() {
    let mut intake = Intake::default();
    // 6,000 words of 6 bytes: 36,000 × 2 / 7 = 10,285 are guessed, 6,000 are there at least
    let history = [user(6_000)];
    let small = place("m", Some(4_096));
    let (before, after) = ask(&mut intake, &history, 2_051, &small);
    assert_eq!(
        before.as_deref(),
        Some(
            "About 10,300 tokens are sent to a context window of 4,096: the server may drop the \
             beginning of this conversation, or refuse. Give it more."
        )
    );
    assert_eq!(
        after.as_deref(),
        Some(
            "The server read only 2,051 of about 10,300 tokens: it dropped the oldest part of \
             this conversation without saying so."
        ),
        "what to do was said just before"
    );
    assert_eq!(ask(&mut intake, &history, 2_051, &small), (None, None));
    let (before, after) = ask(&mut intake, &history, 2_051, &place("m", Some(5_000)));
    assert!(before.is_some() && after.is_some(), "another window");
    let (before, after) = ask(&mut intake, &history, 2_051, &place("other", Some(4_096)));
    assert!(before.is_some() && after.is_some(), "another model");
}

#[test]
fn a_window_that_is_learnt_with_the_answer_counts_for_it_and_the_advice_is_given() {
    let mut intake = Intake::default();
    assert_eq!(intake.sending(&[user(6_000)], &[], &place("m", None)), None);
    let after = intake.counted(usage(2_051), &place("m", Some(4_096))).unwrap();
    assert!(after.ends_with("without saying so. Give it more."), "{after}");
}

#[test]
fn a_model_that_the_server_chose_just_now_is_the_one_that_was_asked() {
    let mut intake = Intake::default();
    assert_eq!(intake.sending(&[user(6_000)], &[], &place("", None)), None);
    assert!(intake.counted(usage(2_051), &place("m", Some(4_096))).is_some());
}

#[test]
fn a_changed_model_and_a_shortened_history_are_no_measure() {
    let long = [user(100), user(5_000)];
    // A count that fell from 9,000 to 3,000 would be proof, had the request only grown.
    let prepared = || {
        let mut intake = Intake::default();
        let open = place("m", None);
        assert_eq!(ask(&mut intake, &long[..1], 200, &open), (None, None));
        assert_eq!(ask(&mut intake, &long, 9_000, &open), (None, None));
        intake
    };
    let grown = [long[0].clone(), long[1].clone(), user(100)];
    assert!(ask(&mut prepared(), &grown, 3_000, &place("m", None)).1.is_some());
    assert_eq!(ask(&mut prepared(), &grown, 3_000, &place("other", None)), (None, None));
    let compacted = [user(60), user(2_000), user(100)];
    assert_eq!(ask(&mut prepared(), &compacted, 3_000, &place("m", None)), (None, None));
    let mut switched = prepared();
    switched.sending(&grown, &[], &place("m", None));
    assert_eq!(switched.counted(usage(3_000), &place("other", None)), None, "in the middle");
}

#[test]
fn a_server_that_counts_nothing_is_not_accused() {
    let mut intake = Intake::default();
    intake.sending(&[user(6_000)], &[], &place("m", None));
    assert_eq!(intake.counted(usage(0), &place("m", Some(4_096))), None);
}

#[test]
fn estimates_look_like_estimates() {
    for (tokens, words) in
        [(994, "990"), (995, "1,000"), (9_849, "9,800"), (9_850, "9,900"), (10_285, "10,300")]
    {
        assert_eq!(rounded(tokens), words);
    }
    assert_eq!(rounded(u64::MAX), "18,446,744,073,709,551,600");
}
