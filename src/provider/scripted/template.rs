//! What the templates of a script may name, and their rendering. Owns the context; knows
//! nothing of pace and pieces.
//!
//! Invariant: only text of the script is ever parsed as a template. What tools gave back is
//! data: it is put in and never read again.

use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::{complaint::complaint, filters};
use crate::{
    protocol::{
        message::{AssistantMessage, Message},
        tool::{ToolCall, ToolResult},
    },
    provider::ProviderError,
};

/// What a template may name.
#[derive(Debug, Serialize)]
pub(super) struct Context {
    /// The last user message.
    prompt: String,
    /// Name of the workspace's folder.
    workspace: String,
    /// For each reply of this turn the results of its calls.
    results: Vec<Vec<Outcome>>,
    /// One of `for`.
    item: Option<Value>,
    #[serde(skip)]
    pub(super) messages: usize,
    #[serde(skip)]
    pub(super) bytes: usize,
}

#[derive(Debug, Serialize)]
struct Outcome {
    name: String,
    status: &'static str,
    text: String,
    summary: String,
    arguments: serde_json::Value,
}

impl Context {
    /// Reads the history.
    pub(super) fn of(messages: &[Message], workspace: &str) -> Self {
        let last = messages.iter().rposition(|message| matches!(message, Message::User { .. }));
        let turn = messages.get(last.unwrap_or(0)..).unwrap_or_default();
        let prompt = turn.iter().find_map(|message| match message {
            Message::User { text } => Some(text.clone()),
            _ => None,
        });
        let results = turn.iter().enumerate().filter_map(|(at, message)| match message {
            Message::Assistant(reply) => {
                Some(outcomes(reply, turn.get(at + 1..).unwrap_or_default()))
            }
            _ => None,
        });
        Self {
            prompt: prompt.unwrap_or_default(),
            workspace: workspace.to_owned(),
            results: results.collect(),
            item: None,
            messages: messages.len(),
            bytes: messages.iter().map(Message::bytes).sum(),
        }
    }

    /// How many replies this turn has had.
    pub(super) fn turn_replies(&self) -> usize {
        self.results.len()
    }

    fn with(&self, item: Option<&Value>) -> Value {
        let known = Value::from_serialize(self);
        match item {
            Some(item) => minijinja::context! { item, ..known },
            None => known,
        }
    }
}

/// The results of a reply's calls, which stand before the next assistant message.
fn outcomes(reply: &AssistantMessage, after: &[Message]) -> Vec<Outcome> {
    let own = after.iter().map_while(|message| match message {
        Message::Tool(result) => Some(result),
        _ => None,
    });
    let results: Vec<&ToolResult> = own.collect();
    let pair = |call: &ToolCall| {
        let result = results.iter().find(|result| result.call_id == call.id)?;
        Some(Outcome {
            name: call.name.clone(),
            status: result.status.word(),
            text: result.text.clone(),
            summary: result.summary.clone(),
            arguments: serde_json::from_str(&call.arguments)
                .unwrap_or_else(|_| call.arguments.clone().into()),
        })
    };
    reply.calls.iter().filter_map(pair).collect()
}

/// Renders the templates of one script.
pub(super) struct Templates<'a> {
    script: &'a str,
    environment: Environment<'a>,
}

impl<'a> Templates<'a> {
    /// `script` is the file's name, for error messages.
    pub(super) fn new(script: &'a str) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_keep_trailing_newline(true);
        filters::add_to(&mut environment);
        Self { script, environment }
    }

    /// Whether the template can be read; `place` says where it stands.
    pub(super) fn check(&self, place: &str, template: &str) -> Result<(), ProviderError> {
        self.environment
            .template_from_named_str(place, template)
            .map(drop)
            .map_err(|error| self.complain(place, &error))
    }

    /// Whether the expression can be read.
    pub(super) fn check_expression(&self, place: &str, text: &str) -> Result<(), ProviderError> {
        let compiled = self.environment.compile_expression(text);
        compiled.map(drop).map_err(|error| self.complain(place, &error))
    }

    /// Whether all strings in the table can be read as templates.
    pub(super) fn check_values(
        &self,
        place: &str,
        table: &toml::Table,
    ) -> Result<(), ProviderError> {
        table.iter().try_for_each(|(key, value)| {
            map_strings(value, &format!("{place}.{key}"), &mut |place, text| {
                self.check(place, text).map(|()| String::new())
            })
            .map(drop)
        })
    }

    /// Renders a template.
    pub(super) fn render(
        &self,
        place: &str,
        template: &str,
        (context, item): (&Context, Option<&Value>),
    ) -> Result<String, ProviderError> {
        self.environment
            .render_named_str(place, template, context.with(item))
            .map_err(|error| self.complain(place, &error))
    }

    /// Renders all strings in the table; the rest becomes JSON as it stands.
    pub(super) fn render_values(
        &self,
        place: &str,
        table: &toml::Table,
        scope: (&Context, Option<&Value>),
    ) -> Result<serde_json::Value, ProviderError> {
        let entry = |(key, value): (&String, &toml::Value)| {
            let value = map_strings(value, &format!("{place}.{key}"), &mut |place, text| {
                self.render(place, text, scope)
            })?;
            Ok((key.clone(), value))
        };
        table.iter().map(entry).collect::<Result<_, _>>().map(serde_json::Value::Object)
    }

    /// The value of an expression.
    pub(super) fn evaluate(
        &self,
        place: &str,
        expression: &str,
        (context, item): (&Context, Option<&Value>),
    ) -> Result<Value, ProviderError> {
        let compiled = self.environment.compile_expression(expression);
        compiled
            .and_then(|compiled| compiled.eval(context.with(item)))
            .map_err(|error| self.complain(place, &error))
    }

    /// The items of an expression that must be a list.
    pub(super) fn items(
        &self,
        place: &str,
        expression: &str,
        context: &Context,
    ) -> Result<Vec<Value>, ProviderError> {
        let list = self.evaluate(place, expression, (context, None))?;
        let items = list.try_iter().map_err(|error| self.complain(place, &error))?;
        Ok(items.collect())
    }

    fn complain(&self, place: &str, error: &minijinja::Error) -> ProviderError {
        let line = match error.line() {
            Some(line) => format!(", line {line} of it"),
            None => String::new(),
        };
        let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        complaint(format!("{}, {place}{line}: {}{detail}", self.script, error.kind()))
    }
}

/// Turns a TOML value into JSON, each string through `map`, which is told where it stands.
fn map_strings(
    value: &toml::Value,
    place: &str,
    map: &mut impl FnMut(&str, &str) -> Result<String, ProviderError>,
) -> Result<serde_json::Value, ProviderError> {
    Ok(match value {
        toml::Value::String(text) => map(place, text)?.into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(truth) => (*truth).into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => {
            let items = items.iter().enumerate();
            let items = items.map(|(at, item)| map_strings(item, &format!("{place}[{at}]"), map));
            serde_json::Value::Array(items.collect::<Result<_, _>>()?)
        }
        toml::Value::Table(table) => {
            let mut object = serde_json::Map::new();
            for (key, value) in table {
                object.insert(key.clone(), map_strings(value, &format!("{place}.{key}"), map)?);
            }
            serde_json::Value::Object(object)
        }
    })
}
