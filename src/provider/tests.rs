//! What the words of servers for the end of an answer mean.

use super::FinishReason::{self, ContentFilter, Length, Other, Stop, ToolCalls};

#[test]
fn every_word_means_what_its_server_means_by_it() {
    let known = [
        (Stop, "stop Stop STOP end_turn eos eos_token stop_sequence completed done"),
        (ToolCalls, "tool_calls tool_call function_call tool_use TOOL_CALLS tool-calls"),
        (
            Length,
            "length Length max_tokens MAX_TOKENS max-tokens model_length token_limit \
             context_length_exceeded max_output_tokens max_completion_tokens",
        ),
        (ContentFilter, "content_filter refusal safety SAFETY RECITATION sensitive"),
    ];
    for (reason, words) in known {
        for word in words.split_whitespace() {
            assert_eq!(FinishReason::from_word(word), reason, "{word}");
            assert_eq!(FinishReason::from_word(&format!(" {word}\n")), reason, "{word}");
        }
    }
    let unknown = "insufficient_system_resource error abort cancelled timeout network_error \
                   overloaded unknown MALFORMED_FUNCTION_CALL";
    for word in unknown.split_whitespace() {
        assert_eq!(FinishReason::from_word(word), Other(word.to_owned()));
    }
    let Other(kept) = FinishReason::from_word(&"x".repeat(1 << 20)) else { panic!("unknown") };
    assert!(kept.chars().count() <= 64, "{kept}");
}

#[test]
fn a_cut_sticks_whatever_follows() {
    let odd = || Other("error".to_owned());
    for (first, then, both) in [
        (Length, Stop, Length),
        (Length, ToolCalls, Length),
        (Length, odd(), Length),
        (ContentFilter, Stop, ContentFilter),
        (odd(), Stop, odd()),
        (Stop, Length, Length),
        (Stop, odd(), odd()),
        (Stop, ToolCalls, ToolCalls),
        (ToolCalls, Stop, Stop),
    ] {
        assert_eq!(first.clone().and_then(then.clone()), both, "{first:?}, {then:?}");
    }
}
