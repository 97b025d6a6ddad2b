//! The ids of calls in the form that a server takes. Owns the forms; knows no refusals.
//!
//! Invariant: a call and its result keep the same id, two calls never get one, and the same
//! history gives the same ids, so that a server finds the start of a request in its cache.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use serde_json::{Map, Value};

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// How long an id of ours is.
const NINE: usize = 9;

/// What an id may look like.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Nine letters and digits.
    Nine,
    /// At most so many letters, digits, `_` and `-`.
    UpTo(usize),
}

impl Form {
    fn fits(self, id: &str) -> bool {
        match self {
            Self::Nine => id.len() == NINE && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            Self::UpTo(most) => {
                let fine = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
                (1..=most).contains(&id.len()) && id.bytes().all(fine)
            }
        }
    }
}

/// Rewrites the ids that do not fit.
pub(super) fn rewrite(body: &mut Map<String, Value>, form: Form) {
    let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) else { return };
    let given = |message: &Value| -> Vec<String> {
        let calls = message.get("tool_calls").and_then(Value::as_array);
        let calls = calls.into_iter().flatten().filter_map(|call| call.get("id"));
        let ids = calls.chain(message.get("tool_call_id")).filter_map(Value::as_str);
        ids.map(str::to_owned).collect()
    };
    let ids: Vec<String> = messages.iter().flat_map(given).collect();
    let mut used: HashSet<String> = ids.iter().filter(|id| form.fits(id)).cloned().collect();
    let mut new: HashMap<String, String> = HashMap::new();
    for id in ids.into_iter().filter(|id| !form.fits(id)) {
        new.entry(id).or_insert_with_key(|id| unused(id, &mut used));
    }
    let put = |place: &mut Value| {
        if let Some(id) = place.as_str().and_then(|id| new.get(id)) {
            *place = id.as_str().into();
        }
    };
    for message in messages {
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        calls.into_iter().flatten().filter_map(|call| call.get_mut("id")).for_each(put);
        message.get_mut("tool_call_id").into_iter().for_each(put);
    }
}

fn unused(id: &str, used: &mut HashSet<String>) -> String {
    let mut salt = 0;
    loop {
        let candidate = short(id, salt);
        if used.insert(candidate.clone()) {
            return candidate;
        }
        salt += 1;
    }
}

fn short(id: &str, salt: u32) -> String {
    let mut hasher = DefaultHasher::new();
    (id, salt).hash(&mut hasher);
    let mut rest = hasher.finish();
    let mut letter = || {
        let at = usize::try_from(rest % 62).unwrap_or_default();
        rest /= 62;
        char::from(LETTERS.get(at).copied().unwrap_or(b'0'))
    };
    (0..NINE).map(|_| letter()).collect()
}
