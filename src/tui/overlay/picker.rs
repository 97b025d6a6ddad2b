//! The picker of a model: what all servers offer, found by a few letters.
//!
//! Owns the filter and the mark. Must not know what the choice leads to. Invariant: closing it
//! changes nothing; every name is made harmless before it is drawn or compared, and is given back
//! as the server wrote it.

mod draw;

use crossterm::event::KeyEvent;

use crate::{
    protocol::models::{Listing, ServerModels},
    text::{cut::one_line, sanitize::sanitize},
    tui::{composer::Composer, fuzzy::Fuzzy},
};
pub(in crate::tui) use draw::Look;

/// Characters of a name that are shown and compared.
const NAME: usize = 256;

/// The picker, with what is known of the models.
pub(in crate::tui) struct Picker {
    filter: Composer,
    groups: Vec<Group>,
    /// The models that fit, in the order in which they are drawn.
    hits: Vec<Hit>,
    /// Which of them is marked.
    marked: usize,
    /// The first row that is drawn.
    scroll: usize,
    /// Whether the engine has told anything.
    told: bool,
    /// The name to choose as soon as it is known to be there.
    exact: Option<String>,
    /// Whether the mark is where somebody wanted it.
    moved: bool,
    /// The model in use.
    current: String,
    fuzzy: Fuzzy,
}

/// One server.
struct Group {
    server: ServerModels,
    /// The names as they are shown.
    shown: Vec<String>,
}

/// One model that fits.
#[derive(Clone)]
struct Hit {
    group: usize,
    model: usize,
    graphemes: Vec<usize>,
}

/// A choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) struct Chosen {
    pub(in crate::tui) base_url: String,
    pub(in crate::tui) place: String,
    pub(in crate::tui) model: String,
    /// Whether its server is the present one.
    pub(in crate::tui) here: bool,
}

impl Picker {
    /// A picker that knows nothing yet. A name to begin with is chosen by itself if it is exactly
    /// that of a model.
    pub(in crate::tui) fn new(name: &str) -> Self {
        let mut filter = Composer::new();
        filter.paste(&one_line(&sanitize(name), NAME));
        Self {
            filter,
            groups: Vec::new(),
            hits: Vec::new(),
            marked: 0,
            scroll: 0,
            told: false,
            exact: Some(name.to_owned()).filter(|name| !name.is_empty()),
            moved: false,
            current: String::new(),
            fuzzy: Fuzzy::new(),
        }
    }

    /// Takes what is known now; gives the choice if that decides it.
    pub(in crate::tui) fn list(
        &mut self,
        servers: Vec<ServerModels>,
        current: &str,
    ) -> Option<Chosen> {
        let marked = self.marked().map(|chosen| (chosen.base_url, chosen.model));
        let shown = |server: &ServerModels| server.models.iter().map(|name| shown(name)).collect();
        let group = |server| Group { shown: shown(&server), server };
        self.groups = servers.into_iter().map(group).collect();
        current.clone_into(&mut self.current);
        self.told = true;
        self.find();
        if self.moved
            && let Some((base_url, model)) = marked
        {
            let is_it = |hit: &Hit| {
                self.of(hit).is_some_and(|it| it.base_url == base_url && it.model == model)
            };
            self.marked = self.hits.iter().position(is_it).unwrap_or(0);
        }
        self.exact()
    }

    /// The model that was asked for by its whole name: at the present server, or at any once all
    /// have told.
    fn exact(&mut self) -> Option<Chosen> {
        let name = self.exact.as_deref()?;
        let has = |group: &&Group| group.server.models.iter().any(|model| model == name);
        let here = self.groups.iter().filter(|group| group.server.present).find(has);
        let anywhere = || self.groups.iter().find(has).filter(|_| !self.is_loading());
        let server = &here.or_else(anywhere)?.server;
        let chosen = Chosen { model: name.to_owned(), ..at(server) };
        self.exact = None;
        Some(chosen)
    }

    /// Whether more is to come.
    pub(in crate::tui) fn is_loading(&self) -> bool {
        let is_coming =
            |group: &Group| matches!(group.server.listing, Listing::Asking | Listing::Waiting);
        !self.told || self.groups.iter().any(is_coming)
    }

    /// What Enter chooses.
    pub(in crate::tui) fn marked(&self) -> Option<Chosen> {
        match self.hits.get(self.marked) {
            Some(hit) => self.of(hit),
            None => self.as_typed(),
        }
    }

    /// A name that is typed, where no model fits it: a list need not hold all that a server takes.
    fn as_typed(&self) -> Option<Chosen> {
        let name = self.filter.text().trim().to_owned();
        let present = self.groups.iter().find(|group| group.server.present)?;
        let is_told = matches!(present.server.listing, Listing::Failed { .. } | Listing::Known);
        (is_told && !name.is_empty() && self.hits.is_empty())
            .then(|| Chosen { model: name, ..at(&present.server) })
    }

    fn of(&self, hit: &Hit) -> Option<Chosen> {
        let server = &self.groups.get(hit.group)?.server;
        let model = server.models.get(hit.model)?.clone();
        Some(Chosen { model, ..at(server) })
    }

    fn is_current(&self, hit: &Hit) -> bool {
        self.of(hit).is_some_and(|it| it.here && it.model == self.current)
    }

    /// A key that is no command goes to the filter.
    pub(in crate::tui) fn key(&mut self, key: KeyEvent) {
        let before = self.filter.text();
        self.filter.key(key);
        let after = self.filter.text();
        if after.contains(['\n', '\t']) {
            self.filter.replace(&after.replace(['\n', '\t'], ""));
        }
        self.refine(&before);
    }

    pub(in crate::tui) fn paste(&mut self, text: &str) {
        let before = self.filter.text();
        self.filter.paste(&one_line(text, NAME));
        self.refine(&before);
    }

    pub(in crate::tui) fn clear(&mut self) {
        let before = self.filter.text();
        self.filter.delete_to_head();
        self.refine(&before);
    }

    fn refine(&mut self, before: &str) {
        if self.filter.text() != before {
            (self.exact, self.moved) = (None, false);
            self.find();
        }
    }

    /// Moves the mark; it stops at the ends.
    pub(in crate::tui) fn step(&mut self, steps: i64) {
        let far = if steps < 0 { isize::MIN } else { isize::MAX };
        let steps = isize::try_from(steps).unwrap_or(far);
        let most = self.hits.len().saturating_sub(1);
        self.marked = self.marked.saturating_add_signed(steps).min(most);
        (self.exact, self.moved) = (None, true);
    }

    /// Finds what fits: each server's best first, and the server with the best of all first.
    /// Without a filter all of it in its order, with the model in use marked.
    fn find(&mut self) {
        let filter = self.filter.text();
        let is_filtered = !filter.trim().is_empty();
        let mut found = Vec::new();
        for (group, Group { shown, .. }) in self.groups.iter().enumerate() {
            let mut hits = self.fuzzy.find(&filter, shown.iter().map(String::as_str));
            if is_filtered {
                hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
            }
            if let Some(best) = hits.first() {
                found.push((best.score, group, hits));
            }
        }
        if is_filtered {
            found.sort_by_key(|(best, _, _)| std::cmp::Reverse(*best));
        }
        let hits = found.into_iter().flat_map(|(_, group, hits)| {
            let hit = move |hit: crate::tui::fuzzy::Hit| Hit {
                group,
                model: hit.index,
                graphemes: hit.graphemes,
            };
            hits.into_iter().map(hit)
        });
        self.hits = hits.collect();
        let current = self.hits.iter().position(|hit| self.is_current(hit));
        self.marked = current.filter(|_| !is_filtered).unwrap_or(0);
    }
}

/// A choice at this server, without a model.
fn at(server: &ServerModels) -> Chosen {
    Chosen {
        base_url: server.base_url.clone(),
        place: server.place.clone(),
        model: String::new(),
        here: server.present,
    }
}

/// The name as it is shown.
fn shown(name: &str) -> String {
    match one_line(&sanitize(name), NAME) {
        name if name.is_empty() => "(a name without a visible character)".to_owned(),
        name => name,
    }
}

#[cfg(test)]
mod tests;
