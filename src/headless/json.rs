//! `--output-format json` and `stream-json`: the public formats, versioned in their first words.

use std::io::{self, Write};

use serde::Serialize;

use super::Printer;
use crate::protocol::{
    FORMAT_VERSION,
    about::About,
    background::BackgroundCommand,
    budget::Budget,
    cost::Usd,
    event::StreamEvent,
    exit::ExitReason,
    tool::{ToolCall, ToolResult, ToolStatus},
    usage::TokenUsage,
};

/// The head of both formats.
#[derive(Serialize)]
struct Head {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    about: About,
}

impl Head {
    fn new(about: About) -> Self {
        Self { format: "mcc-tui", version: FORMAT_VERSION, about }
    }
}

/// `stream-json`: the head, then one event a line.
pub(super) struct Lines {
    head: Option<Head>,
}

impl Lines {
    pub(super) fn new(about: About) -> Self {
        Self { head: Some(Head::new(about)) }
    }
}

impl Printer for Lines {
    fn event(
        &mut self,
        event: &StreamEvent,
        out: &mut dyn Write,
        _progress: &mut dyn Write,
    ) -> io::Result<()> {
        if let Some(head) = self.head.take() {
            line(&head, out)?;
        }
        line(event, out)
    }
}

/// `json`: one object when the turn has ended.
pub(super) struct Whole {
    report: Report,
    /// Bytes of the answer that responses before this one gave: one that the length limit cut
    /// goes on in the next.
    kept: usize,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// The text since the last calls.
    answer: String,
    #[serde(flatten)]
    reason: Option<ExitReason>,
    exit_code: u8,
    what_happened: String,
    what_next: String,
    iterations: u32,
    retries: u32,
    tools: u32,
    elapsed_ms: u64,
    usage: TokenUsage,
    usage_estimated: bool,
    /// What the turn costs in US dollars, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<Usd>,
    /// The budgets that are set, with what is used of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    budgets: Vec<Budget>,
    tool_calls: Vec<Call>,
    /// The commands that ran in the background, as they were last.
    background: Vec<BackgroundCommand>,
    notices: Vec<String>,
}

#[derive(Serialize)]
struct Call {
    #[serde(flatten)]
    written: ToolCall,
    status: Option<ToolStatus>,
    summary: String,
    elapsed_ms: u64,
}

impl Whole {
    pub(super) fn new(about: About) -> Self {
        Self {
            kept: 0,
            report: Report {
                head: Head::new(about),
                answer: String::new(),
                reason: None,
                exit_code: 0,
                what_happened: String::new(),
                what_next: String::new(),
                iterations: 0,
                retries: 0,
                tools: 0,
                elapsed_ms: 0,
                usage: TokenUsage::default(),
                usage_estimated: false,
                cost_usd: None,
                budgets: Vec::new(),
                tool_calls: Vec::new(),
                background: Vec::new(),
                notices: Vec::new(),
            },
        }
    }

    fn finish(&mut self, result: &ToolResult, elapsed_ms: u64) {
        let call = self.report.tool_calls.iter_mut().find(|call| call.written.id == result.call_id);
        if let Some(call) = call {
            call.status = Some(result.status);
            call.summary.clone_from(&result.summary);
            call.elapsed_ms = elapsed_ms;
        }
    }
}

impl Printer for Whole {
    fn event(
        &mut self,
        event: &StreamEvent,
        out: &mut dyn Write,
        _progress: &mut dyn Write,
    ) -> io::Result<()> {
        let report = &mut self.report;
        match event {
            StreamEvent::ModelChosen { about } => report.head.about.clone_from(about),
            StreamEvent::IterationStarted { .. } => self.kept = report.answer.len(),
            StreamEvent::Retrying { .. } => {
                report.retries += 1;
                report.answer.truncate(self.kept);
            }
            StreamEvent::TextDelta { text } => report.answer.push_str(text),
            StreamEvent::BatchesPlanned { calls, .. } => {
                report.answer.clear();
                report.tool_calls.extend(calls.iter().map(|call| Call {
                    written: call.clone(),
                    status: None,
                    summary: String::new(),
                    elapsed_ms: 0,
                }));
            }
            StreamEvent::ToolFinished { result, elapsed_ms } => self.finish(result, *elapsed_ms),
            StreamEvent::UsageUpdated { turn, estimated, cost_usd, session, .. } => {
                report.cost_usd = *cost_usd;
                report.budgets.clone_from(&session.budgets);
                report.usage = *turn;
                report.usage_estimated |= *estimated;
            }
            StreamEvent::BackgroundChanged { background } => {
                let known = &mut report.background;
                match known.iter_mut().find(|known| known.id == background.id) {
                    Some(known) => known.clone_from(background),
                    None => known.push(background.clone()),
                }
            }
            StreamEvent::Notice { text } => report.notices.push(text.clone()),
            StreamEvent::TurnEnded { reason, iterations, tools, elapsed_ms, .. } => {
                report.exit_code = reason.exit_code();
                report.what_happened = reason.what_happened();
                report.what_next = reason.what_next();
                report.reason = Some(reason.clone());
                (report.iterations, report.tools) = (*iterations, *tools);
                report.elapsed_ms = *elapsed_ms;
                return line(report, out);
            }
            _ => {}
        }
        Ok(())
    }
}

fn line<T: Serialize>(value: &T, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    out.flush()
}
