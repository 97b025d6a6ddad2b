//! Any messages in any order, at any size.

use proptest::prelude::*;

use super::*;
use crate::{
    protocol::{
        budget::{Budget, Spent},
        cost::Usd,
        tool::WholeOutput,
        usage::TokenUsage,
    },
    tui::effect::Whose,
};

fn usage_updated(n: u64) -> StreamEvent {
    StreamEvent::UsageUpdated {
        turn: TokenUsage::default(),
        context: n,
        estimated: n.is_multiple_of(2),
        cost_usd: Usd::new(1.0).filter(|_| n.is_multiple_of(3)),
        session: Spent {
            cost_usd: Usd::new(2.0).filter(|_| n.is_multiple_of(3)),
            estimated: n.is_multiple_of(5),
            budgets: vec![
                Budget::Tokens { limit: n, used: n / 2 },
                Budget::Time { limit_ms: n, used_ms: n },
            ],
        },
    }
}

fn any_event() -> impl Strategy<Value = StreamEvent> {
    let id = "[ab]".prop_map(CallId);
    let text = prop_oneof![".*", "\\PC{0,20}", Just("# h\n\n```rust\nfn x() {}\n".to_owned())];
    let status = prop_oneof![
        Just(ToolStatus::Ok),
        Just(ToolStatus::Error),
        Just(ToolStatus::Denied),
        Just(ToolStatus::Cancelled)
    ];
    prop_oneof![
        Just(StreamEvent::TurnStarted { turn: TurnId(1), prompt: "p".into() }),
        (0_u32..3).prop_map(|iteration| StreamEvent::IterationStarted { iteration, max: 20 }),
        text.clone().prop_map(|text| StreamEvent::TextDelta { text }),
        text.clone().prop_map(|text| StreamEvent::ReasoningDelta { text }),
        text.clone().prop_map(|name| StreamEvent::CallAnnounced { index: 0, name }),
        text.clone().prop_map(|arguments| {
            let call = |id: &str| ToolCall {
                id: CallId(id.into()),
                name: "x".into(),
                arguments: arguments.clone(),
            };
            let batch =
                Batch { calls: vec![CallId("a".into()), CallId("b".into())], concurrent: true };
            StreamEvent::BatchesPlanned { calls: vec![call("a"), call("b")], batches: vec![batch] }
        }),
        id.clone().prop_map(|id| question(&id.0)),
        id.clone().prop_map(|call_id| StreamEvent::QuestionResolved { call_id, decision: None }),
        id.clone().prop_map(|call_id| StreamEvent::ToolStarted { call_id }),
        (id.clone(), text.clone())
            .prop_map(|(call_id, text)| StreamEvent::ToolOutput { call_id, text }),
        (id, status, text.clone(), proptest::option::of(text)).prop_map(
            |(call_id, status, text, diff)| {
                // Anywhere: within a character, too.
                let text_bytes = text.len().div_ceil(2) as u64;
                let output =
                    WholeOutput { bytes: 9, lines: 1, text_bytes, file: None, untold: None };
                let whole = diff.is_none().then_some(output);
                let summary = text.clone();
                let result = ToolResult { call_id, status, text, summary, diff, whole };
                StreamEvent::ToolFinished { result, elapsed_ms: 7 }
            }
        ),
        (1_u32..6, any::<u64>()).prop_map(|(attempt, wait_ms)| retrying(attempt, wait_ms)),
        any::<bool>().prop_map(|choose| model::listed(&["m", "\u{1b}[31mn"], choose)),
        any::<u64>().prop_map(usage_updated),
        ".*".prop_map(|text| StreamEvent::Steered { text }),
        Just(StreamEvent::TurnEnded {
            turn: TurnId(1),
            reason: abort_reason(),
            iterations: 1,
            tools: 1,
            elapsed_ms: 1
        }),
    ]
}

fn any_msg() -> impl Strategy<Value = Msg> {
    let code = prop_oneof![
        any::<char>().prop_map(KeyCode::Char),
        "[a-zA-Z?/tr@!(){}]".prop_map(|text| KeyCode::Char(text.chars().next().unwrap())),
        Just(KeyCode::Enter),
        Just(KeyCode::Esc),
        Just(KeyCode::Tab),
        Just(KeyCode::Up),
        Just(KeyCode::Down),
        Just(KeyCode::Backspace),
        Just(KeyCode::PageUp),
        Just(KeyCode::PageDown),
        Just(KeyCode::Home),
        Just(KeyCode::End),
    ];
    let modifiers = prop_oneof![
        Just(KeyModifiers::NONE),
        Just(KeyModifiers::CONTROL),
        Just(KeyModifiers::ALT),
        Just(KeyModifiers::SHIFT)
    ];
    prop_oneof![
        3 => (code, modifiers).prop_map(|(code, modifiers)| Msg::Key(KeyEvent::new(code, modifiers))),
        1 => ".*".prop_map(Msg::Paste),
        1 => ".*".prop_map(Msg::Burst),
        1 => ((-3_i64..3), (0_u16..90, 0_u16..40)).prop_map(|(steps, at)| Msg::Wheel(steps, at)),
        1 => prop::collection::vec("\\PC{0,9}", 0..9).prop_map(Msg::Files),
        1 => prop::collection::vec(".*", 0..9).prop_map(Msg::History),
        1 => ".*".prop_map(|text| Msg::Edited(Whose::Prompt, Ok(text))),
        1 => (0_u16..120, 0_u16..40).prop_map(|(column, row)| Msg::Click(column, row)),
        1 => (0_u16..120, 0_u16..40).prop_map(|(column, row)| Msg::Drag(column, row)),
        1 => Just(Msg::Release),
        6 => any_event().prop_map(Msg::Stream),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn any_messages_at_any_size_are_drawn_and_nothing_harmful_is(
        msgs in prop::collection::vec((any_msg(), 0_u64..500), 0..40),
        width in 1_u16..120, height in 1_u16..40,
    ) {
        let mut app = app();
        for (msg, ms) in msgs {
            wait(&mut app, ms);
            let ends = matches!(msg, Msg::Stream(StreamEvent::TurnEnded { .. }));
            update(&mut app, msg);
            if ends {
                prop_assert!(app.turn.is_none() && app.questions.is_empty());
            }
            for row in screen(&mut app, width, height) {
                prop_assert!(!row.chars().any(char::is_control), "{row:?}");
            }
        }
    }
}
