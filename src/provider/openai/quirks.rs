//! What servers turn out not to take. Owns the table: how a refusal is recognised and how the
//! request is repaired; and what the settings and earlier refusals say of this server.
//!
//! Must not know the network. Invariant: pure but for what was learnt; a row changes nothing that
//! the user set, and applying a row twice is as good as once.

mod history;
mod ids;
mod said;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::{Map, Value};

use crate::{provider::Request, text::cut};

/// What a body is made from.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) request: &'a Request,
    /// What the user adds to every body.
    pub(super) fields: &'a Map<String, Value>,
}

/// One thing that a server may refuse.
struct Quirk {
    /// Its name in settings and reports.
    name: &'static str,
    /// Statuses of such a refusal.
    statuses: &'static [u16],
    /// Whether the server's sentence, in lower case, is about this.
    says: fn(&str) -> bool,
    repair: fn(&mut Map<String, Value>, &Asked<'_>),
}

/// A request that was looked at and refused.
const REFUSED: &[u16] = &[400, 422];
/// The same, or a chat template that gave up: servers that fill templates in answer 500 for that,
/// and mlx-lm 404.
const TEMPLATE: &[u16] = &[400, 404, 422, 500];

/// In the order in which they are applied. Those that need the messages one by one come first.
const QUIRKS: [Quirk; 14] = [
    // Fireworks: "Extra inputs are not permitted, field: 'stream_options'" (FlowiseAI/Flowise,
    // issue 2866); "Validation error at #/stream_options" (microsoft/semantic-kernel, issue 10510).
    Quirk {
        name: "no_stream_options",
        statuses: REFUSED,
        says: |said| said::names(said, "stream_options"),
        repair: |body, asked| leave_out(body, asked, "stream_options"),
    },
    // OpenAI: "Unsupported parameter: 'stop' is not supported with this model." (langgenius/dify,
    // issue 18971); xAI: "Argument not supported on this model: stop" (BerriAI/litellm, issue 12635).
    Quirk {
        name: "no_stop",
        statuses: REFUSED,
        says: |said| said::names(said, "stop") && said::is_refusal(said),
        repair: |body, asked| leave_out(body, asked, "stop"),
    },
    // OpenAI: "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    // (griptape-ai/ComfyUI-Griptape, issue 312).
    Quirk {
        name: "max_completion_tokens",
        statuses: REFUSED,
        says: |said| {
            said::names(said, "max_tokens")
                && said::names(said, "max_completion_tokens")
                && said::is_refusal(said)
        },
        repair: |body, _| rename(body, "max_tokens", "max_completion_tokens"),
    },
    // Mistral: "extra_forbidden" for body.max_completion_tokens (editor-code-assistant/eca,
    // issue 231); older vLLM the same (voideditor/void, issue 128).
    Quirk {
        name: "max_tokens",
        statuses: REFUSED,
        says: |said| {
            said::names(said, "max_completion_tokens")
                && !said.contains("use 'max_completion_tokens'")
                && said::is_refusal(said)
        },
        repair: |body, _| rename(body, "max_completion_tokens", "max_tokens"),
    },
    // Moonshot: "thinking is enabled but reasoning_content is missing in assistant tool call
    // message at index 2" (aaif-goose/goose, issue 6902); DeepSeek: "The `reasoning_content` in the
    // thinking mode must be passed back to the API." (zed-industries/zed, issue 55321); a gateway:
    // "must include reasoning_content" (esengine/DeepSeek-Reasonix, issue 6173).
    Quirk {
        name: "reasoning_content",
        statuses: REFUSED,
        says: |said| {
            said::names(said, "reasoning_content")
                && said::any(said, &["must be passed back", "is missing", "must include"])
        },
        repair: history::reasoning,
    },
    // Anthropic behind gateways: "messages: text content blocks must be non-empty"
    // (NousResearch/hermes-agent, pull request 31582); MiniMax: "chat content is empty (code 2013)"
    // (earendil-works/pi, issue 3365); Bedrock: "The content field in the Message object at … is
    // empty" (Portkey-AI/gateway, issue 995); "messages.1.content.0.text.text: Field required"
    // (router-for-me/CLIProxyAPI, issue 749).
    Quirk {
        name: "null_content",
        statuses: TEMPLATE,
        says: said::content_is_empty,
        repair: |body, _| history::null_content(body),
    },
    // Ollama: "invalid message content type: <nil>" (SAIL-Research-Lab/cheetahclaws, pull request
    // 72); "Invalid value for 'content': expected a string, got null." (docker/docker-agent, issue
    // 63); LM Studio: "'content' field must be a string or an array of objects"
    // (lmstudio-ai/lmstudio-bug-tracker, issue 261); llama.cpp: "Expected 'content' to be a string
    // or an array" (ggml-org/llama.cpp, issue 13471).
    Quirk {
        name: "no_content",
        statuses: TEMPLATE,
        says: said::content_is_null,
        repair: |body, _| history::no_content(body),
    },
    // Mistral: "Unexpected role 'user' after role 'tool'" (mistralai/mistral-common, issue 169).
    // What is put between is an answer of the assistant (avante-corp/avante.nvim, pull request 2695).
    Quirk {
        name: "answer_after_tools",
        statuses: TEMPLATE,
        says: |said| said.contains("unexpected role 'user' after role 'tool'"),
        repair: |body, _| history::answer_after_tools(body),
    },
    // Mistral's templates: "After the optional system message, conversation roles must alternate
    // user and assistant roles except for tool calls and results." (ggml-org/llama.cpp, issue
    // 19851); Gemma's: "Conversation roles must alternate user/assistant/…" (janhq/jan, issue 6254);
    // Bedrock: "A conversation must alternate between user and assistant roles."
    // (microsoft/semantic-kernel, issue 10281).
    Quirk {
        name: "alternate_roles",
        statuses: TEMPLATE,
        says: said::roles_alternate,
        repair: |body, _| history::alternate_roles(body),
    },
    // Gemma's template: "System role not supported" (vllm-project/vllm, pull request 2964); OpenAI:
    // "'messages[0].role' does not support 'system' with this model." (tailcallhq/forgecode, issue
    // 1177); MiniMax: "invalid message role: system" (codexu/note-gen, issue 918); Google: "Developer
    // instruction is not enabled for models/gemma-3-27b-it" (0xPlaygrounds/rig, issue 788). Old
    // Mistral templates count it among the roles that must alternate (EricLBuehler/mistral.rs,
    // issue 45).
    Quirk {
        name: "system_in_user",
        statuses: TEMPLATE,
        says: |said| said::no_system(said) || said::roles_alternate(said),
        repair: |body, _| history::system_in_user(body),
    },
    // Mistral: "Tool call id was turn1_0 but must be a-z, A-Z, 0-9, with a length of 9."
    // (nearai/ironclaw, issue 1241); oMLX says it with 500 (jundot/omlx, pull request 1997).
    Quirk {
        name: "ids_9",
        statuses: TEMPLATE,
        says: |said| said.contains("tool call id") && said::any(said, &["length of 9", "length 9"]),
        repair: |body, _| ids::rewrite(body, ids::Form::Nine),
    },
    // Azure: "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with
    // maximum length 40, but got a string with length 43 instead." (vercel/ai, issue 5171).
    Quirk {
        name: "ids_40",
        statuses: REFUSED,
        says: |said| said::id_is_too_long(said) && said.contains("maximum length 40"),
        repair: |body, _| ids::rewrite(body, ids::Form::UpTo(40)),
    },
    // OpenAI: the same with 64 (decolua/9router, pull request 3167); Anthropic behind gateways:
    // "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" (tailcallhq/forgecode, issue
    // 1142).
    Quirk {
        name: "ids_64",
        statuses: REFUSED,
        says: |said| {
            said::id_is_too_long(said) && said.contains("maximum length 64")
                || said.contains("tool_use.id: string should match pattern")
        },
        repair: |body, _| ids::rewrite(body, ids::Form::UpTo(64)),
    },
    // Gemini behind gateways: "Unknown name "additionalProperties" at
    // 'tools[0].function_declarations[0].parameters': Cannot find field." (Laisky/one-api, issue
    // 60).
    Quirk {
        name: "plain_schemas",
        statuses: REFUSED,
        says: |said| said.contains("unknown name") && said.contains("function_declarations"),
        repair: |body, _| plain_schemas(body),
    },
];

/// Some of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u32);

impl Set {
    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    fn rows(self) -> impl Iterator<Item = &'static Quirk> {
        QUIRKS.iter().enumerate().filter(move |(at, _)| self.holds(place(*at))).map(|(_, row)| row)
    }

    /// Repairs a body that was made from `asked`.
    pub(super) fn repair(self, body: &mut Map<String, Value>, asked: &Asked<'_>) {
        for row in self.rows() {
            (row.repair)(body, asked);
        }
    }

    pub(super) fn names(self) -> Vec<&'static str> {
        self.rows().map(|row| row.name).collect()
    }
}

fn place(at: usize) -> Set {
    Set(1 << at)
}

/// The rows that a refusal may be about, one at a time, the likeliest first. `status` is none for
/// an error inside of a stream.
pub(super) fn recognised(status: Option<u16>, sentence: &str) -> impl Iterator<Item = Set> {
    let said = sentence.to_lowercase();
    let fits = move |row: &Quirk| {
        status.is_none_or(|status| row.statuses.contains(&status)) && (row.says)(&said)
    };
    QUIRKS.iter().enumerate().filter(move |(_, row)| fits(row)).map(|(at, _)| place(at))
}

/// Which of the fields that the user added the refusal names.
pub(super) fn named_field<'a>(sentence: &str, fields: &'a Map<String, Value>) -> Option<&'a str> {
    let said = sentence.to_lowercase();
    fields.keys().map(String::as_str).find(|key| said::names(&said, &key.to_lowercase()))
}

/// What a server is known to refuse. Behind one address may be many models with quirks that
/// exclude each other, so what was learnt counts for the model that it was learnt of.
#[derive(Debug, Default)]
pub(super) struct Quirks {
    set: Set,
    learnt: Mutex<HashMap<String, Set>>,
}

impl Quirks {
    /// Begins with those of these names.
    ///
    /// # Errors
    /// What is wrong with a name that is none, and which there are.
    pub(super) fn named(names: &[String]) -> Result<Self, String> {
        let mut set = Set::default();
        for name in names {
            let at = QUIRKS.iter().position(|row| row.name == name);
            set = set.with(place(at.ok_or_else(|| unknown(name))?));
        }
        Ok(Self { set, learnt: Mutex::default() })
    }

    pub(super) fn of(&self, model: &str) -> Set {
        self.set.with(self.lock().get(model).copied().unwrap_or_default())
    }

    pub(super) fn learn(&self, model: &str, quirk: Set) {
        let mut learnt = self.lock();
        let known = learnt.entry(model.to_owned()).or_default();
        *known = known.with(quirk);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Set>> {
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All names, in the order of the table.
pub(super) fn names() -> Vec<&'static str> {
    QUIRKS.iter().map(|row| row.name).collect()
}

fn unknown(name: &str) -> String {
    let name = cut::one_line(name, 64);
    format!("There is no quirk \"{name}\". There are {}.", names().join(", "))
}

/// What the user set stays: the refusal of it is theirs to see.
fn leave_out(body: &mut Map<String, Value>, asked: &Asked<'_>, field: &str) {
    match asked.fields.get(field) {
        Some(theirs) => body.insert(field.to_owned(), theirs.clone()),
        None => body.remove(field),
    };
}

fn rename(body: &mut Map<String, Value>, from: &str, to: &str) {
    if !body.contains_key(to)
        && let Some(value) = body.remove(from)
    {
        body.insert(to.to_owned(), value);
    }
}

/// What every server knows of a schema.
const PLAIN: [&str; 7] =
    ["type", "description", "properties", "required", "items", "enum", "anyOf"];

fn plain_schemas(body: &mut Map<String, Value>) {
    for tool in body.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(schema) = tool.pointer_mut("/function/parameters") {
            make_plain(schema);
        }
    }
}

fn make_plain(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    map.retain(|key, _| PLAIN.contains(&key.as_str()));
    if let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(make_plain);
    }
    if let Some(items) = map.get_mut("items") {
        make_plain(items);
    }
    if let Some(variants) = map.get_mut("anyOf").and_then(Value::as_array_mut) {
        variants.iter_mut().for_each(make_plain);
    }
}

#[cfg(test)]
mod tests;
