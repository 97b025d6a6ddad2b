//! What a markup holds: the parts that reading gives and that what was found is made of. Knows no
//! markup.

use serde_json::Value;

use crate::provider::{accumulate::AssembledCall, text::call::Named};

/// What a markup holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Call { named: Named, repaired: bool },
    Reasoning(String),
    Text(String),
    InventedResult(&'static str),
}

impl Item {
    pub(super) fn call(name: &str, arguments: Value) -> Self {
        let named = Named { id: String::new(), name: name.to_owned(), arguments: Some(arguments) };
        Self::Call { named, repaired: false }
    }
}

/// The call as a response would have brought it.
pub(super) fn assembled(named: &Named) -> AssembledCall {
    AssembledCall {
        id: named.id.clone(),
        name: named.name.clone(),
        arguments: named.argument_text(),
    }
}
