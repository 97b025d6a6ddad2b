//! From scopes of a syntax definition to what a piece of code is. Owns the table; must not
//! know colours.
//!
//! Invariant: the innermost scope that the table knows decides.

use syntect::parsing::{Scope, ScopeStack};

use super::Syntax;

/// The first prefix that fits a scope counts, so the longer ones stand first.
const TABLE: &[(&str, Syntax)] = &[
    ("comment", Syntax::Comment),
    ("meta.interpolation", Syntax::Plain),
    ("meta.template.expression", Syntax::Plain),
    ("string", Syntax::Text),
    ("constant.numeric", Syntax::Number),
    ("constant", Syntax::Constant),
    ("keyword.operator.word", Syntax::Keyword),
    ("keyword.operator.logical", Syntax::Keyword),
    ("keyword.operator", Syntax::Plain),
    ("keyword", Syntax::Keyword),
    ("storage.type.numeric", Syntax::Type),
    ("storage", Syntax::Keyword),
    ("entity.name.function", Syntax::Function),
    ("entity.name.macro", Syntax::Function),
    ("support.function", Syntax::Function),
    ("support.macro", Syntax::Function),
    ("variable.function", Syntax::Function),
    ("entity.name.tag", Syntax::Tag),
    ("entity.other.attribute-name", Syntax::Type),
    ("support.type.property-name", Syntax::Tag),
    ("variable.language", Syntax::Constant),
    ("entity.name.type", Syntax::Type),
    ("entity.name.class", Syntax::Type),
    ("entity.name.struct", Syntax::Type),
    ("entity.name.enum", Syntax::Type),
    ("entity.name.trait", Syntax::Type),
    ("entity.name.impl", Syntax::Type),
    ("entity.name.interface", Syntax::Type),
    ("entity.name.namespace", Syntax::Type),
    ("entity.other.inherited-class", Syntax::Type),
    ("support.type", Syntax::Type),
    ("support.class", Syntax::Type),
    ("markup.heading", Syntax::Heading),
    ("entity.name.section", Syntax::Heading),
    ("markup.inserted", Syntax::Added),
    ("markup.deleted", Syntax::Removed),
    ("markup.raw", Syntax::Text),
    ("invalid", Syntax::Invalid),
];

/// The table, ready for comparing.
pub(super) struct Scopes(Vec<(Scope, Syntax)>);

impl Scopes {
    pub(super) fn new() -> Self {
        let known =
            TABLE.iter().filter_map(|(name, syntax)| Some((Scope::new(name).ok()?, *syntax)));
        Self(known.collect())
    }

    pub(super) fn classify(&self, stack: &ScopeStack) -> Syntax {
        let known = |scope: &Scope| {
            let found = self.0.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
            found.map(|(_, syntax)| *syntax)
        };
        stack.as_slice().iter().rev().find_map(known).unwrap_or(Syntax::Plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_table_is_a_scope() {
        assert_eq!(Scopes::new().0.len(), TABLE.len());
    }

    #[test]
    fn the_innermost_known_scope_decides() {
        let scopes = Scopes::new();
        let mut stack = ScopeStack::new();
        stack.push(Scope::new("source.rust").unwrap());
        assert_eq!(scopes.classify(&stack), Syntax::Plain);
        stack.push(Scope::new("string.quoted.double").unwrap());
        stack.push(Scope::new("punctuation.definition.string").unwrap());
        assert_eq!(scopes.classify(&stack), Syntax::Text);
        stack.push(Scope::new("constant.character.escape").unwrap());
        assert_eq!(scopes.classify(&stack), Syntax::Constant);
    }
}
