//! A response whose calls may be text, as deltas of a response whose calls are native.
//!
//! Owns the order of the sources of calls, and what the model and the user are told of a reply
//! that did not follow the protocol. Must not know how a request is written.
//!
//! Invariants: nothing that the server sent is lost; text that was given out stays; a finish
//! comes last, and only if the response had one or a call in it is complete.

use std::{collections::VecDeque, sync::Arc};

use futures_util::{StreamExt, stream};

use super::{
    Calling, switched,
    view::{Found, Rest, Views},
};
use crate::{
    protocol::tool::ToolSpec,
    provider::{
        CallFragment, Delta, DeltaStream, FinishReason, ProviderError, Remark, Request, Unusable,
        accumulate::AssembledCall,
        text::{
            leaked, prompt,
            react::{self, Outcome, Reader},
        },
    },
};

/// What a model is told that wrote a call as text although it can call natively.
const CALL_NATIVELY: &str = "Nothing was run: you wrote a call as plain text. Call the tool by \
                             the function calls of the API instead.";

/// A response as it arrives.
pub(super) struct Reply {
    /// Absent once nothing more is wanted of it.
    inner: Option<DeltaStream>,
    ready: VecDeque<Result<Delta, ProviderError>>,
    kind: Kind,
    tools: Arc<[ToolSpec]>,
    reader: Reader,
    views: Views,
    raw: String,
    /// Whether labels may mean something: not for a model that is known to call natively.
    reads_labels: bool,
    finish: Option<FinishReason>,
    has_native: bool,
}

enum Kind {
    /// Calls should be native; the way to text is open as long as the request is here.
    Native(Calling, Option<Box<Request>>),
    /// Calls are text.
    Text,
    /// Another reply does the work.
    PassedOn,
}

impl Reply {
    /// `again` is the request, if it may be sent again as text.
    pub(super) fn native(
        inner: DeltaStream,
        tools: (Arc<[ToolSpec]>, Vec<ToolSpec>),
        calling: Calling,
        again: Option<Box<Request>>,
    ) -> Self {
        Self::new(inner, tools, Kind::Native(calling, again))
    }

    pub(super) fn text(inner: DeltaStream, request: &Request, before: Vec<Delta>) -> Self {
        let mut reply = Self::new(inner, offered(request), Kind::Text);
        reply.ready.extend(before.into_iter().map(Ok));
        reply
    }

    fn new(
        inner: DeltaStream,
        (tools, names): (Arc<[ToolSpec]>, Vec<ToolSpec>),
        kind: Kind,
    ) -> Self {
        let reads_labels = !matches!(kind, Kind::Native(_, None));
        Self {
            inner: Some(inner),
            reads_labels,
            ready: VecDeque::new(),
            kind,
            tools,
            reader: Reader::new(&names),
            views: Views::new(&names),
            raw: String::new(),
            finish: None,
            has_native: false,
        }
    }

    /// The deltas.
    pub(super) fn deltas(self) -> DeltaStream {
        stream::unfold(self, |mut reply| async move {
            let delta = reply.next().await?;
            Some((delta, reply))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<Delta, ProviderError>> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            match self.inner.as_mut()?.next().await {
                Some(Ok(delta)) => self.take(delta),
                Some(Err(error)) => self.broke(error).await,
                None => {
                    self.inner = None;
                    self.end();
                }
            }
        }
    }

    fn give(&mut self, delta: Delta) {
        self.ready.push_back(Ok(delta));
    }

    fn take(&mut self, delta: Delta) {
        match delta {
            delta if matches!(self.kind, Kind::PassedOn) => self.give(delta),
            Delta::Text(text) => self.said(&text),
            Delta::Finish(finish) => {
                self.finish = Some(match self.finish.take() {
                    Some(earlier) => earlier.and_then(finish),
                    None => finish,
                });
            }
            delta => {
                self.has_native |= matches!(delta, Delta::Call(_));
                self.give(delta);
            }
        }
        if let Kind::Native(_, again) = &mut self.kind {
            // Something came of it: it is not sent again.
            *again = None;
        }
    }

    fn said(&mut self, text: &str) {
        let pieces = if self.reads_labels {
            self.raw.push_str(text);
            self.reader.push(text)
        } else {
            Vec::new()
        };
        match self.kind {
            Kind::Native(..) => {
                let shown = self.views.text.push(text);
                self.show(shown);
            }
            Kind::PassedOn => {}
            Kind::Text => {
                let shown = self.views.push(pieces);
                self.show(shown);
                if self.reader.has_enough() {
                    // Dropped here, so that the server need not write on.
                    self.inner = None;
                    self.finish = Some(FinishReason::Stop);
                    self.end();
                }
            }
        }
    }

    fn show(&mut self, pieces: Vec<leaked::Piece>) {
        for piece in pieces {
            self.give(match piece {
                leaked::Piece::Reasoning(text) => Delta::Reasoning(text),
                leaked::Piece::Text(text) => Delta::Text(text),
            });
        }
    }

    /// The response failed. If the server does not take the tools after all, it is asked anew.
    async fn broke(&mut self, error: ProviderError) {
        self.inner = None;
        if let Kind::Native(calling, again) = &mut self.kind
            && let Some(request) = again.take()
        {
            let calling = calling.clone();
            match calling.after_refusal(error, &request).await {
                Ok(stream) => {
                    self.kind = Kind::PassedOn;
                    self.inner = Some(stream);
                }
                Err(error) => self.ready.push_back(Err(error)),
            }
            return;
        }
        let rest = self.rest(None);
        self.show(rest.shown);
        self.ready.push_back(Err(error));
    }

    /// What was held back, now that no more comes.
    fn rest(&mut self, finish: Option<&FinishReason>) -> Rest {
        let reader = std::mem::replace(&mut self.reader, Reader::new(&[]));
        let views = std::mem::replace(&mut self.views, Views::new(&[]));
        let read = reader.finish(finish);
        match self.kind {
            Kind::Text => views.finish(read, finish),
            Kind::Native(..) | Kind::PassedOn => {
                let ended = views.text.finish(finish);
                let found = Found { calls: ended.calls, repaired: ended.repaired };
                Rest { shown: ended.rest, found, read }
            }
        }
    }

    /// All has come: what is it?
    fn end(&mut self) {
        if matches!(self.kind, Kind::PassedOn) {
            return;
        }
        let finish = self.finish.take();
        // Beside native calls, what looks like one in the text is text.
        let read_as = finish.as_ref().filter(|_| !self.has_native);
        let Rest { shown, found, read } = self.rest(read_as);
        self.show(shown);
        if self.has_native {
            if let Kind::Native(calling, _) = &self.kind {
                calling.choice.has_called();
            }
            return self.close(finish);
        }
        if !found.calls.is_empty() {
            self.recovered(found);
            return self.close(Some(FinishReason::ToolCalls));
        }
        match &self.kind {
            Kind::Native(calling, _) => {
                let calling = calling.clone();
                self.labelled(&calling, read, finish);
            }
            Kind::Text | Kind::PassedOn => self.read(read, finish),
        }
    }

    fn close(&mut self, finish: Option<FinishReason>) {
        if let Some(finish) = finish {
            self.give(Delta::Finish(finish));
        }
    }

    fn recovered(&mut self, found: Found) {
        if found.repaired {
            self.give(Delta::Remark(Remark::Repaired));
        }
        for (index, call) in found.calls.into_iter().enumerate() {
            self.give(fragment(index, call));
        }
    }

    /// A reply without a native call, of a model that should make such: it may not be able to.
    fn labelled(&mut self, calling: &Calling, read: react::Reply, finish: Option<FinishReason>) {
        let is_call = matches!(&read.outcome, Outcome::Action { unknown_tool: false, .. });
        if !is_call || finish.is_none() || !calling.choice.is_open() {
            return self.close(finish);
        }
        if calling.choice.wrote_a_label() {
            let why = "The model writes its calls as text instead of making them.";
            self.give(Delta::Remark(Remark::Notice(switched(why))));
            return self.read(read, finish);
        }
        let unusable = Unusable {
            raw: std::mem::take(&mut self.raw),
            told: CALL_NATIVELY.to_owned(),
            fault: "it wrote a call as text".to_owned(),
            thought: None,
        };
        self.give(Delta::Remark(Remark::Unusable(unusable)));
        self.close(finish);
    }

    /// What came of a reply that follows the protocol of labels, more or less.
    fn read(&mut self, read: react::Reply, finish: Option<FinishReason>) {
        for note in notes(&read) {
            self.give(Delta::Remark(Remark::Note(note)));
        }
        let told = prompt::correction(&read.outcome, &self.tools);
        match read.outcome {
            Outcome::Action { call, repaired, .. } => {
                if repaired {
                    self.give(Delta::Remark(Remark::Repaired));
                }
                self.give(fragment(0, call));
                return self.close(finish.map(|_| FinishReason::ToolCalls));
            }
            Outcome::Answer { .. } => {}
            outcome => {
                if let (Some(told), false) = (told, self.raw.trim().is_empty()) {
                    let thought = matches!(outcome, Outcome::BareThought).then_some(read.thought);
                    let (raw, fault) = (std::mem::take(&mut self.raw), fault(&outcome));
                    let unusable = Unusable { raw, told, fault, thought };
                    self.give(Delta::Remark(Remark::Unusable(unusable)));
                }
            }
        }
        self.close(finish);
    }
}

/// The tools on offer, and the same under all names by which they may be called.
pub(super) fn offered(request: &Request) -> (Arc<[ToolSpec]>, Vec<ToolSpec>) {
    let names = request.tools.iter().chain(request.aliases.iter()).cloned().collect();
    (Arc::clone(&request.tools), names)
}

fn fragment(index: usize, call: AssembledCall) -> Delta {
    Delta::Call(CallFragment {
        index: i64::try_from(index).ok(),
        id: Some(call.id).filter(|id| !id.is_empty()),
        name: Some(call.name),
        arguments: call.arguments,
    })
}

/// What the model is told of parts of its reply that were not taken.
fn notes(read: &react::Reply) -> Vec<String> {
    let mut notes = Vec::new();
    let left_out = read.ignored_actions;
    if left_out > 0 {
        let actions = if left_out == 1 { "action was" } else { "actions were" };
        notes.push(format!(
            "{left_out} more {actions} not taken: write one action in a reply, and wait for its \
             result."
        ));
    }
    if read.invented_observation {
        notes.push("Your own observation was dropped: this one is real.".to_owned());
    }
    if read.dropped_answer {
        notes.push("Your answer was dropped: it came before this result.".to_owned());
    }
    notes
}

/// What was wrong with a reply, for the user.
fn fault(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Malformed { reason, tool } => {
            let of = tool.as_ref().map(|tool| format!(" (for {tool})")).unwrap_or_default();
            format!("its call could not be read: {}{of}", reason.word().replace('_', " "))
        }
        _ => "it holds neither a call nor an answer".to_owned(),
    }
}
