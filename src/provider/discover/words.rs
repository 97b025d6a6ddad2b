//! What the user is told of what was found. Owns the sentences.

use super::{Found, Offer};
use crate::text::cut::one_line;

/// Models of one server that are named.
const NAMED: usize = 5;
/// Columns of a name.
const NAME: usize = 60;

impl Found {
    /// Whether there is a choice: several models or several servers.
    #[must_use]
    pub fn has_several(&self) -> bool {
        self.offers.iter().map(|offer| offer.models.len()).sum::<usize>() > 1
    }

    /// Which model is used, and that the others can be chosen on the screen.
    #[must_use]
    pub fn notice_on_screen(&self) -> String {
        let models: usize = self.offers.iter().map(|offer| offer.models.len()).sum();
        let others = match models.saturating_sub(1) {
            1 => "the other one".to_owned(),
            others => format!("{others} others"),
        };
        format!("{} /model shows {others}.", self.used())
    }

    fn used(&self) -> String {
        let title = self.offers.first().map(Offer::title).unwrap_or_default();
        let model = one_line(&self.model, NAME);
        format!("No model is set. Found {model} at {title}: it is used.")
    }

    /// Which model is used, what else there is, and how to choose that.
    #[must_use]
    pub fn notice(&self) -> String {
        let mut offers = self.offers.iter();
        let Some(first) = offers.next() else { return String::new() };
        let mut words = self.used();
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
