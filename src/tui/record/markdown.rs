//! Events as Markdown: what was said, every call with its arguments and its result, and how each
//! turn ended. Pure.
//!
//! Invariant: nothing in a text can end the block that it stands in, and no control character
//! comes out.

use std::fmt::Write as _;

use crate::{
    protocol::{
        about::About,
        event::StreamEvent,
        tally::{Tally, ending, short_time},
        tool::{ToolCall, ToolResult},
    },
    text::{
        cut::one_line,
        sanitize::{Stream, sanitize},
    },
};

/// Characters of what a call is about, in its heading.
const SUBJECT: usize = 120;

/// A whole session.
pub(super) fn session<'a>(
    events: impl Iterator<Item = &'a StreamEvent> + Clone,
    gone: usize,
    (about, folder): (&About, &str),
) -> String {
    let model = format!("{} @ {} · {folder}", about.model, about.place);
    let mut text = format!("# mcc-tui\n\n{}\n\n", sanitize(&one_line(&model, 400)));
    if gone > 0 {
        line(
            &mut text,
            &format!("*The beginning is missing: {gone} events were too much to keep.*"),
        );
    }
    text.push_str(&turn(events));
    text
}

/// One turn, or several.
pub(in crate::tui) fn turn<'a>(events: impl Iterator<Item = &'a StreamEvent> + Clone) -> String {
    let mut text = String::new();
    let mut rest = events.clone();
    let (mut speaks, mut cost) = (false, None);
    for event in events {
        rest.next();
        let heading =
            matches!(event, StreamEvent::TextDelta { .. } | StreamEvent::BatchesPlanned { .. });
        if heading && !std::mem::replace(&mut speaks, true) {
            line(&mut text, "## Answer");
        }
        match event {
            StreamEvent::TurnStarted { prompt, .. } | StreamEvent::Steered { text: prompt } => {
                (speaks, cost) = (false, None);
                line(&mut text, "## Prompt");
                line(&mut text, &sanitize(prompt));
            }
            StreamEvent::TextDelta { text: said } => {
                line(&mut text, Stream::default().push(said).trim_matches('\n'));
            }
            StreamEvent::BatchesPlanned { calls, .. } => {
                for it in calls {
                    call(&mut text, it, result_of(it, rest.clone()));
                }
            }
            StreamEvent::Retrying { reason, .. } => {
                let reason = one_line(&sanitize(reason), 400);
                line(&mut text, &format!("*{reason} What came of this answer is discarded.*"));
            }
            StreamEvent::ModelChosen { about } => {
                let model = one_line(&format!("{} @ {}", about.model, about.place), 400);
                line(&mut text, &format!("*From here on: {}*", sanitize(&model)));
            }
            StreamEvent::UsageUpdated { cost_usd, estimated, .. } => {
                cost = cost_usd.map(|cost| (cost, *estimated));
            }
            StreamEvent::Notice { text: notice } => {
                line(&mut text, &format!("*{}*", sanitize(notice).trim()));
            }
            StreamEvent::TurnEnded { reason, iterations, tools, elapsed_ms, .. } => {
                let (iterations, tools, elapsed_ms) = (*iterations, *tools, *elapsed_ms);
                let tally = Tally { iterations, tools, elapsed_ms, asked_ms: 0, cost };
                let words = ending(reason, tally);
                line(&mut text, &sanitize(&words));
            }
            _ => {}
        }
    }
    text
}

/// What is said by itself.
fn line(text: &mut String, words: &str) {
    if !words.trim().is_empty() {
        text.push_str(words);
        text.push_str("\n\n");
    }
}

/// The result of a call, if it comes before the next calls: ids may be used again.
fn result_of<'a>(
    call: &ToolCall,
    rest: impl Iterator<Item = &'a StreamEvent>,
) -> Option<(&'a ToolResult, u64)> {
    let over = |event: &&StreamEvent| {
        matches!(event, StreamEvent::BatchesPlanned { .. } | StreamEvent::TurnEnded { .. })
    };
    rest.take_while(|event| !over(event)).find_map(|event| match event {
        StreamEvent::ToolFinished { result, elapsed_ms } if result.call_id == call.id => {
            Some((result, *elapsed_ms))
        }
        _ => None,
    })
}

fn call(text: &mut String, call: &ToolCall, result: Option<(&ToolResult, u64)>) {
    let subject = one_line(&sanitize(&call.subject()), SUBJECT);
    let name = one_line(&sanitize(&call.name), SUBJECT);
    line(text, format!("### {name} {subject}").trim_end());
    block(text, "json", &call.arguments);
    let Some((result, elapsed_ms)) = result else { return line(text, "no result") };
    let summary = one_line(&sanitize(&result.summary), SUBJECT);
    let time = short_time(elapsed_ms);
    line(text, &format!("{} · {time}", result.status.with(&summary)));
    block(text, "", &result.text);
    if let Some(diff) = &result.diff {
        block(text, "diff", diff);
    }
}

/// A block of code, behind a fence that nothing in it can close.
fn block(text: &mut String, language: &str, content: &str) {
    let content = sanitize(content);
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let content = content.strip_suffix('\n').unwrap_or(&content);
    let _written = write!(text, "{fence}{language}\n{content}\n{fence}\n\n").is_ok();
}
