//! Other ways to write the same stream. Owns what the rules of event streams and of JSON leave
//! free, and what servers leave out; knows no deltas.

use serde_json::{Map, Value, json};

/// A way to write a stream anew.
pub type Mutation = (&'static str, fn(&str) -> Vec<u8>);

pub const MUTATIONS: &[Mutation] = &[
    ("CRLF", |text| text.replace('\n', "\r\n").into_bytes()),
    ("CR", |text| text.replace('\n', "\r").into_bytes()),
    ("a BOM", |text| [b"\xef\xbb\xbf", text.as_bytes()].concat()),
    ("comments between events", |text| text.replace("\n\n", "\n\n: ping\n\n").into_bytes()),
    ("comments inside of events", |text| before_data(text, ":\n: ping\n")),
    ("all comments twice", |text| {
        each_line(
            text,
            |line| if line.starts_with(':') { format!("{line}\n{line}") } else { line.into() },
        )
    }),
    ("no blank after data:", |text| each_line(text, |line| line.replacen("data: ", "data:", 1))),
    ("events with names and ids", |text| {
        // What has a name already keeps it.
        let name = if text.contains("event:") { "" } else { "event: message\n" };
        before_data(text, &format!("{name}id: 7\nretry: 3000\n"))
    }),
    ("blank lines thrice", |text| text.replace("\n\n", "\n\n\n\n").into_bytes()),
    ("no empty line at the end", |text| text.trim_end().as_bytes().to_vec()),
    ("one line end at the end", |text| format!("{}\n", text.trim_end()).into_bytes()),
    ("[DONE] with blanks", |text| each_line(text, |line| line.replace("[DONE]", "  [DONE] "))),
    ("no [DONE]", |text| each_line(text, |line| line.replace("data: [DONE]", ""))),
    ("optional fields left out", |text| each_chunk(text, without_optional)),
    ("unknown fields", |text| each_chunk(text, with_unknown)),
    ("fields in another order", |text| each_chunk(text, reversed)),
    ("escapes for all that is not ASCII", |text| each_json(text, &|value| escaped(&value))),
    ("blanks in the JSON", |text| {
        each_json(text, &|value| serde_json::to_string_pretty(&value).unwrap().replace('\n', " "))
    }),
    ("JSON over several data lines", |text| {
        each_json(text, &|value| {
            serde_json::to_string_pretty(&value).unwrap().replace('\n', "\ndata: ")
        })
    }),
    ("null where nothing is", |text| each_chunk(text, with_nulls)),
];

/// The text of a body with one kind of line end.
pub fn lines_of(body: &[u8]) -> String {
    String::from_utf8_lossy(body).replace("\r\n", "\n")
}

/// The first place behind a whole event that says why the response ended.
pub fn finish_known_at(body: &[u8]) -> Option<usize> {
    let mut at = 0;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let json = std::str::from_utf8(line).unwrap_or("");
        let kept = json.trim_end().len();
        let json = json.trim().trim_start_matches("data:");
        let Ok(chunk) = serde_json::from_str::<Value>(json) else { continue };
        let choices = chunk.get("choices").and_then(Value::as_array).into_iter().flatten();
        let is_said = |choice: &Value| {
            choice["finish_reason"].as_str().is_some_and(|word| !word.is_empty())
                || choice.pointer("/delta/refusal").is_some_and(Value::is_string)
        };
        if choices.into_iter().any(is_said) {
            return Some(start + kept);
        }
    }
    None
}

fn each_line(text: &str, mut change: impl FnMut(&str) -> String) -> Vec<u8> {
    let lines: Vec<String> = text.split('\n').map(&mut change).collect();
    lines.join("\n").into_bytes()
}

fn before_data(text: &str, line: &str) -> Vec<u8> {
    each_line(
        text,
        |data| if data.starts_with("data:") { format!("{line}{data}") } else { data.into() },
    )
}

/// Writes each JSON document anew. What is none stays.
fn each_json(text: &str, write: &dyn Fn(Value) -> String) -> Vec<u8> {
    each_line(text, |line| {
        let json =
            line.strip_prefix("data:").map(|json| serde_json::from_str::<Value>(json.trim()));
        match json {
            Some(Ok(value)) => format!("data: {}", write(value)),
            _ => line.to_owned(),
        }
    })
}

fn each_chunk(text: &str, change: fn(&mut Map<String, Value>)) -> Vec<u8> {
    each_json(text, &|mut value| {
        if let Some(chunk) = value.as_object_mut().filter(|chunk| chunk.contains_key("choices")) {
            change(chunk);
        }
        value.to_string()
    })
}

fn choices(chunk: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    let choices = chunk.get_mut("choices").and_then(Value::as_array_mut);
    choices.into_iter().flatten().filter_map(Value::as_object_mut)
}

fn without_optional(chunk: &mut Map<String, Value>) {
    for field in
        ["object", "created", "model", "system_fingerprint", "service_tier", "id", "provider"]
    {
        chunk.remove(field);
    }
    drop_null(chunk, "usage");
    for choice in choices(chunk) {
        choice.remove("logprobs");
        choice.remove("native_finish_reason");
        drop_null(choice, "finish_reason");
        if let Some(delta) = choice.get_mut("delta").and_then(Value::as_object_mut) {
            delta.remove("role");
            drop_null(delta, "content");
            drop_null(delta, "tool_calls");
            drop_null(delta, "refusal");
        }
    }
}

fn drop_null(object: &mut Map<String, Value>, field: &str) {
    if object.get(field).is_some_and(Value::is_null) {
        object.remove(field);
    }
}

fn with_nulls(chunk: &mut Map<String, Value>) {
    let fields = ["usage", "error", "system_fingerprint", "service_tier", "x_groq"];
    add(chunk, &fields);
    for choice in choices(chunk) {
        add(choice, &["finish_reason", "logprobs", "error", "usage"]);
        if let Some(delta) = choice.get_mut("delta").and_then(Value::as_object_mut) {
            add(
                delta,
                &[
                    "content",
                    "refusal",
                    "tool_calls",
                    "function_call",
                    "reasoning",
                    "reasoning_content",
                ],
            );
        }
    }
}

fn add(object: &mut Map<String, Value>, fields: &[&str]) {
    for field in fields {
        object.entry(*field).or_insert(Value::Null);
    }
}

fn with_unknown(chunk: &mut Map<String, Value>) {
    let unknown = json!({"deep": [1, null, {"text": "no text", "content": "none"}]});
    chunk.insert("x_unknown".into(), unknown.clone());
    chunk.insert("obfuscation".into(), "aHm4x".into());
    for choice in choices(chunk) {
        choice.insert("x_unknown".into(), unknown.clone());
        if let Some(delta) = choice.get_mut("delta").and_then(Value::as_object_mut) {
            delta.insert("x_unknown".into(), unknown.clone());
            let calls = delta.get_mut("tool_calls").and_then(Value::as_array_mut);
            for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
                call.insert("x_unknown".into(), unknown.clone());
            }
        }
    }
}

fn reversed(chunk: &mut Map<String, Value>) {
    let fields: Vec<(String, Value)> = std::mem::take(chunk).into_iter().collect();
    for (name, mut value) in fields.into_iter().rev() {
        reverse(&mut value);
        chunk.insert(name, value);
    }
}

fn reverse(value: &mut Value) {
    match value {
        Value::Object(object) => reversed(object),
        Value::Array(list) => list.iter_mut().for_each(reverse),
        _ => {}
    }
}

fn escaped(value: &Value) -> String {
    let mut text = String::new();
    for char in value.to_string().chars() {
        if char.is_ascii() {
            text.push(char);
        } else {
            let mut units = [0; 2];
            let units = char.encode_utf16(&mut units).iter();
            text.extend(units.map(|unit| format!("\\u{unit:04x}")));
        }
    }
    text
}
