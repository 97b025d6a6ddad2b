//! The search in the transcript: what is searched for, how many hits each cell has, and which one
//! was gone to.
//!
//! Owns the counts, and what was searched for before. Must not know how cells look; where a hit stands is asked of
//! the transcript when somebody wants to go there. What output is folded away is searched too.
//!
//! Invariant: a frame takes a bounded amount of text, and a cell is read again only if what it
//! says has changed.

mod line;
mod pattern;

pub(super) use line::draw;
pub(super) use pattern::Pattern;

use super::{
    cell::Look,
    transcript::{Spot, Transcript},
};
use crate::text::sanitize::sanitize;

/// Bytes searched with one frame. To lay text out costs so many times more than to search it.
const FRAME: usize = 1 << 20;
const LAYOUT: usize = 16;
/// Bytes of what is typed.
const MOST: usize = 1_000;

/// What was searched for once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sought {
    pub(super) typed: String,
    pub(super) is_regex: bool,
}

/// An open search.
#[derive(Default)]
pub(super) struct Search {
    pattern: Pattern,
    /// The cell that the search begins from, going up.
    from: usize,
    cells: Vec<Searched>,
    here: Option<Here>,
    /// The cell that was unfolded for it.
    unfolded: Option<usize>,
    /// Where it was gone to, until somebody has asked.
    arrived: Option<Spot>,
    /// Cells that are still to be looked at.
    pending: bool,
    /// What the search before this one was for.
    before: Sought,
    typing: Typing,
}

/// Whether letters are words to search for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Typing {
    #[default]
    Always,
    UntilEnter,
    Ended,
}

/// A cell as it was when it was last looked at.
#[derive(Default)]
struct Searched {
    revision: Option<u64>,
    text: String,
    hits: Option<usize>,
}

/// The hit that was gone to.
struct Here {
    cell: usize,
    /// Which of the hits in the cell, from 0.
    hit: usize,
    /// Whether it is to be brought onto the screen.
    go: bool,
    /// Where it stands, and with which width, folding and revision that was found out.
    spot: Option<(Spot, (u16, bool, u64, u64))>,
}

impl Search {
    /// A search that begins at this cell.
    pub(super) fn new(from: usize, before: Sought) -> Self {
        Self { from, before, ..Self::default() }
    }

    /// A search whose words end with Enter; from then on letters lead from hit to hit.
    pub(super) fn until_enter(from: usize, before: Sought) -> Self {
        Self { typing: Typing::UntilEnter, ..Self::new(from, before) }
    }

    /// Whether letters are words to search for.
    pub(super) fn is_typing(&self) -> bool {
        self.typing != Typing::Ended
    }

    /// The words are complete, if they can be. False if nothing has changed by it; without words
    /// those of the search before are meant.
    pub(super) fn end_typing(&mut self) -> bool {
        let ends = self.typing == Typing::UntilEnter;
        if ends {
            if self.query().is_empty() {
                self.step(true);
            }
            self.typing = Typing::Ended;
        }
        ends
    }

    /// Takes words again, from the beginning.
    pub(super) fn type_anew(&mut self) {
        if self.typing == Typing::Ended {
            self.before = self.sought();
            self.clear();
            self.typing = Typing::UntilEnter;
        }
    }

    /// What is searched for.
    pub(super) fn query(&self) -> &str {
        self.pattern.typed()
    }

    /// The same, and how it is read.
    pub(super) fn sought(&self) -> Sought {
        Sought { typed: self.query().to_owned(), is_regex: self.pattern.is_regex() }
    }

    /// Adds to what is searched for.
    pub(super) fn type_in(&mut self, text: &str) {
        let line = sanitize(text.lines().next().unwrap_or_default()).replace('\t', " ");
        if self.query().len() + line.len() <= MOST {
            self.set(&format!("{}{line}", self.query()));
        }
    }

    /// Takes the last character back.
    pub(super) fn take_back(&mut self) {
        let mut query = self.query().to_owned();
        query.pop();
        self.set(&query);
    }

    pub(super) fn clear(&mut self) {
        self.set("");
    }

    /// Reads what is typed as a regular expression, or as words again.
    pub(super) fn switch_regex(&mut self) {
        self.pattern.read_as(!self.pattern.is_regex());
        self.begin();
    }

    fn set(&mut self, query: &str) {
        self.pattern.set(query);
        self.begin();
    }

    /// Begins to look.
    fn begin(&mut self) {
        self.here = None;
        for cell in &mut self.cells {
            cell.hits = None;
        }
        self.pending = self.pattern.finds();
    }

    /// Whether the next frame has more to look at.
    pub(super) fn is_pending(&self) -> bool {
        self.pending
    }

    /// Looks at more cells; begins with the nearest ones above.
    pub(super) fn advance(&mut self, transcript: &mut Transcript, look: Look<'_>) {
        if !self.pattern.finds() {
            return;
        }
        let look = Look { all: true, ..look };
        let count = transcript.len();
        self.cells.resize_with(count, Searched::default);
        let from = self.from.min(count.saturating_sub(1));
        let mut cost = 0;
        self.pending = false;
        for cell in (0..count.min(from + 1)).rev().chain((from + 1..count).rev()) {
            let Some(searched) = self.cells.get_mut(cell) else { continue };
            let revision = transcript.revision(cell);
            if searched.revision != Some(revision) {
                if cost > FRAME {
                    self.pending = true;
                    continue;
                }
                let text = transcript.text(cell, look);
                cost += (text.len() + 1) * LAYOUT;
                *searched = Searched { revision: Some(revision), text, hits: None };
            }
            if searched.hits.is_none() {
                if cost > FRAME {
                    self.pending = true;
                    continue;
                }
                cost += searched.text.len() + 1;
                let hits = self.pattern.count(&searched.text);
                searched.hits = Some(hits);
            }
            let hits = searched.hits.unwrap_or(0);
            if self.here.is_none() && hits > 0 && !self.pending {
                self.here = Some(Here { cell, hit: hits - 1, go: true, spot: None });
            }
        }
        #[cfg(test)]
        tests::WORK.set(tests::WORK.get() + cost);
    }

    /// Finds where the hit stands that was gone to, and brings it onto the screen if it was just
    /// gone to. Unfolds its cell if it is folded away there.
    pub(super) fn settle(&mut self, transcript: &mut Transcript, look: Look<'_>) {
        self.fold_behind(transcript);
        let (pattern, Some(here)) = (&self.pattern, &mut self.here) else { return };
        let cell = here.cell;
        let state = |transcript: &Transcript| {
            (look.width, look.unfolded, transcript.folds(), transcript.revision(cell))
        };
        if !here.go && here.spot.is_none_or(|(_, found_in)| found_in == state(transcript)) {
            return;
        }
        let all = self.cells.get(cell).and_then(|cell| cell.hits).unwrap_or(0);
        let mut spots = transcript.hits(cell, &|line| pattern.find(line), look);
        if here.go && spots.len() < all {
            transcript.unfold_cell(cell);
            self.unfolded = Some(cell);
            spots = transcript.hits(cell, &|line| pattern.find(line), look);
        }
        // Fewer than all, although nothing is folded: the cell has become another meanwhile.
        let complete = spots.len() >= all;
        let spot = spots.get(here.hit).filter(|_| complete).or(spots.last().filter(|_| here.go));
        here.spot = spot.map(|spot| (*spot, state(transcript)));
        if let (true, Some(spot)) = (std::mem::take(&mut here.go), spot) {
            transcript.go_to(*spot);
            self.arrived = Some(*spot);
        }
    }

    /// Where the last frame has led to, once.
    pub(super) fn take_arrived(&mut self) -> Option<Spot> {
        self.arrived.take()
    }

    /// What was unfolded on the way is folded again.
    fn fold_behind(&mut self, transcript: &mut Transcript) {
        let here = self.here.as_ref().map(|here| here.cell);
        if !self.pending
            && here != self.unfolded
            && let Some(cell) = self.unfolded.take()
        {
            transcript.fold_cell(cell);
        }
    }

    /// Marks the hits on the screen.
    pub(super) fn mark(&self, transcript: &mut Transcript, look: Look<'_>) {
        if self.pattern.finds() {
            let here = self.here.as_ref().and_then(|here| here.spot).map(|(spot, _)| spot);
            transcript.mark_hits(&|line| self.pattern.find(line), here, look);
        }
    }

    /// To the next hit, or to the one before; on an empty line, to what was searched for before.
    pub(super) fn step(&mut self, forward: bool) {
        if self.query().is_empty() {
            let Sought { typed, is_regex } = self.before.clone();
            if !typed.is_empty() {
                self.pattern.read_as(is_regex);
            }
            return self.type_in(&typed);
        }
        let Some(Here { cell, hit, .. }) = self.here else { return };
        let hits = |cell: &Searched| cell.hits.unwrap_or(0);
        let has = |(_, cell): &(usize, &Searched)| hits(cell) > 0;
        let own = self.cells.get(cell).map_or(0, hits);
        let found = if forward && hit + 1 < own {
            Some((cell, hit + 1))
        } else if !forward && hit > 0 {
            Some((cell, hit - 1))
        } else if forward {
            let mut cells = self.cells.iter().enumerate();
            let after = cells.clone().skip(cell + 1).find(has).or_else(|| cells.find(has));
            after.map(|(n, _)| (n, 0))
        } else {
            let mut cells = self.cells.iter().enumerate().rev();
            let skip = self.cells.len() - cell;
            let before = cells.clone().skip(skip).find(has).or_else(|| cells.find(has));
            before.map(|(n, cell)| (n, hits(cell).saturating_sub(1)))
        };
        self.here = found.map(|(cell, hit)| Here { cell, hit, go: true, spot: None });
    }

    /// Which key does what, and the same in ever fewer words.
    fn keys(&self) -> [&'static str; 3] {
        match self.typing {
            Typing::Always => [
                "Enter next · Up back · Ctrl-R regex · Esc closes",
                "Enter next · Up back · Esc closes",
                "Esc closes",
            ],
            Typing::UntilEnter => [
                "Enter ends it · Ctrl-R regex · Esc closes",
                "Enter ends it · Esc closes",
                "Esc closes",
            ],
            Typing::Ended => [
                "n next · N back · / anew · Esc closes",
                "n next · N back · Esc closes",
                "Esc closes",
            ],
        }
    }

    /// `3 of 17`, or what else there is to say.
    pub(super) fn words(&self) -> String {
        self.pattern.told(&self.how())
    }

    fn how(&self) -> String {
        let all: usize = self.cells.iter().filter_map(|cell| cell.hits).sum();
        let more = if self.pending { "…" } else { "" };
        match &self.here {
            _ if !self.pattern.finds() => String::new(),
            None if self.pending => "searching…".to_owned(),
            None => self.pattern.told_none(""),
            Some(here) => {
                let before = self.cells.iter().take(here.cell).filter_map(|cell| cell.hits);
                format!("{} of {all}{more}", before.sum::<usize>() + here.hit + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests;
