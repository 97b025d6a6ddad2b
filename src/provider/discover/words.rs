//! What the user is told of what was found. Owns the sentences.

use super::{Found, Offer};
use crate::text::cut::one_line;

/// Models of one server that are named.
const NAMED: usize = 5;
/// Columns of a name.
const NAME: usize = 60;

impl Found {
    /// Which model is used, what else there is, and how to choose that.
    #[must_use]
    pub fn notice(&self) -> String {
        let mut offers = self.offers.iter();
        let Some(first) = offers.next() else { return String::new() };
        let mut words = format!(
            "No model is set. Found {} at {}: it is used.",
            one_line(&self.model, NAME),
            first.title()
        );
        let rest = first.models.get(1..).unwrap_or_default();
        let mut others: Vec<String> = Vec::new();
        if !rest.is_empty() {
            others.push(format!("{} there ({})", names(rest), first.flags()));
        }
        others.extend(offers.map(|offer| {
            format!("{} at {} ({})", names(&offer.models), offer.title(), offer.flags())
        }));
        if others.is_empty() {
            words.push_str(" --base-url URL --model NAME chooses another.");
        } else {
            words.push_str(" To choose another, start with its flags: ");
            words.push_str(&others.join("; "));
            words.push('.');
        }
        words
    }
}

impl Offer {
    fn title(&self) -> String {
        match self.server.name.as_str() {
            "" => self.place.clone(),
            name => format!("{name} ({})", self.place),
        }
    }

    fn flags(&self) -> String {
        format!("--base-url {} --model NAME", self.server.base_url)
    }
}

fn names(models: &[String]) -> String {
    let named: Vec<_> = models.iter().take(NAMED).map(|name| one_line(name, NAME)).collect();
    match models.len() - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
