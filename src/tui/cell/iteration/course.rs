//! When a call waited, asked and ran, and the bar that shows it on the time axis of its
//! iteration. Owns the axis; knows no calls.
//!
//! Invariant: a bar is exactly as wide as it was asked for, and says by its signs alone what
//! happened when.

use std::time::{Duration, Instant};

use ratatui::{style::Style, text::Span};

use crate::tui::theme::Theme;

/// From when to when; without an end it lasts.
pub(in crate::tui) type Stretch = (Instant, Option<Instant>);
/// A stretch with the sign that it is drawn by.
pub(in crate::tui) type Drawn = (Stretch, char, Style);

/// How long a call waited, how long the user was asked, and how long it ran, as far as each
/// happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tui) struct Times {
    pub(in crate::tui) waited: Option<Duration>,
    pub(in crate::tui) asked: Option<Duration>,
    pub(in crate::tui) ran: Option<Duration>,
}

/// The course of one call.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tui) struct Course {
    planned: Option<Instant>,
    asks: Option<Stretch>,
    runs: Option<Stretch>,
    closed: bool,
}

impl Course {
    pub(super) fn planned(now: Instant) -> Self {
        Self { planned: Some(now), ..Self::default() }
    }

    pub(super) fn ask(&mut self, now: Instant) {
        self.asks = Some((now, None));
    }

    pub(super) fn answered(&mut self, now: Instant) {
        self.asks = self.asks.map(|(start, end)| (start, end.or(Some(now))));
    }

    /// It runs. What ran before its response was complete goes on.
    pub(super) fn start(&mut self, now: Instant) {
        self.runs.get_or_insert((now, None));
    }

    /// Nothing more is heard of it.
    pub(super) fn close(&mut self, now: Instant) {
        self.closed = true;
        self.runs = self.runs.map(|(start, end)| (start, end.or(Some(now))));
    }

    /// The call has its result. One that began before it was told of began so much earlier.
    pub(super) fn finish(&mut self, now: Instant, elapsed: Duration) {
        self.answered(now);
        // The end is known already of what ended before its response did.
        self.runs = self.runs.map(|(start, end)| match end {
            Some(_) => (start, end),
            None => (now.checked_sub(elapsed).map_or(start, |began| began.min(start)), None),
        });
        self.close(now);
    }

    /// How long each part took until now.
    pub(in crate::tui) fn times(&self, now: Instant) -> Times {
        let took = |(start, end): Stretch| end.unwrap_or(now).saturating_duration_since(start);
        let asked = self.asks.map(took);
        let until = self.runs.map(|(start, _)| start).or(self.end(now));
        let before = self.planned.zip(until).map(|planned| took((planned.0, Some(planned.1))));
        Times {
            waited: before.map(|before| before.saturating_sub(asked.unwrap_or_default())),
            asked,
            ran: self.runs.map(took),
        }
    }

    /// The stretches of its bar, in the order in which they are drawn.
    pub(in crate::tui) fn drawn(&self, now: Instant, theme: &Theme) -> impl Iterator<Item = Drawn> {
        let until = self.runs.map(|(start, _)| start).or(self.end(now));
        let waits = self.planned.zip(until).filter(|(planned, until)| until > planned);
        let waits = waits.map(|(planned, until)| ((planned, Some(until)), '·', theme.dim));
        let asks = self.asks.map(|asks| (asks, '?', theme.warning));
        let runs = self.runs.map(|runs| {
            let style = if runs.1.is_some() { theme.marker } else { theme.running };
            (runs, '━', style)
        });
        waits.into_iter().chain(asks).chain(runs)
    }

    /// When it ran, if it did.
    pub(in crate::tui) fn runs(&self) -> Option<Stretch> {
        self.runs
    }

    /// When the user was asked, if that was.
    pub(in crate::tui) fn asks(&self) -> Option<Stretch> {
        self.asks
    }

    fn begin(&self) -> Option<Instant> {
        self.runs.map(|(start, _)| start).into_iter().chain(self.planned).min()
    }

    fn end(&self, now: Instant) -> Option<Instant> {
        if !self.closed && (self.planned.is_some() || self.runs.is_some()) {
            return Some(now);
        }
        self.runs.and_then(|(_, end)| end)
    }
}

/// From the first beginning to the last end.
#[derive(Clone, Copy, Debug)]
pub(in crate::tui) struct Axis {
    start: Instant,
    length: Duration,
}

impl Axis {
    /// The axis that all of these fit on; none if nothing ran.
    pub(super) fn of<'a>(
        courses: impl Iterator<Item = &'a Course> + Clone,
        now: Instant,
    ) -> Option<Self> {
        let start = courses.clone().filter_map(Course::begin).min()?;
        let end = courses.filter_map(|course| course.end(now)).max()?;
        let length = end.saturating_duration_since(start);
        (!length.is_zero()).then_some(Self { start, length })
    }

    /// The axis from one moment to another; none if they are the same.
    pub(in crate::tui) fn between(start: Instant, end: Instant) -> Option<Self> {
        let length = end.saturating_duration_since(start);
        (!length.is_zero()).then_some(Self { start, length })
    }

    /// The bar of one call.
    pub(in crate::tui) fn bar(
        &self,
        course: &Course,
        columns: u16,
        now: Instant,
        theme: &Theme,
    ) -> Vec<Span<'static>> {
        self.draw(course.drawn(now, theme), columns, now)
    }

    /// A bar of these stretches; a later one is drawn over an earlier one.
    pub(in crate::tui) fn draw(
        &self,
        stretches: impl Iterator<Item = Drawn>,
        columns: u16,
        now: Instant,
    ) -> Vec<Span<'static>> {
        let mut bar: Vec<(char, Style)> = vec![(' ', Style::new()); usize::from(columns)];
        for ((from, until), sign, style) in stretches {
            let (from, until) = (self.column(from, columns), until.unwrap_or(now));
            // What happened at all takes a column.
            let until = self.column(until, columns).max(from + 1);
            let from = from.min(usize::from(columns).saturating_sub(1));
            for place in bar.iter_mut().take(until).skip(from) {
                *place = (sign, style);
            }
        }
        joined(bar)
    }

    fn column(&self, at: Instant, columns: u16) -> usize {
        let along = at.saturating_duration_since(self.start).as_secs_f64();
        let share = (along / self.length.as_secs_f64()).clamp(0.0, 1.0);
        let column = (share * f64::from(columns)).round();
        // Between 0 and the columns: no cut.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let column = column as usize;
        column
    }
}

/// Neighbours of one style as one span.
fn joined(bar: Vec<(char, Style)>) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (sign, style) in bar {
        match spans.last_mut().filter(|span| span.style == style) {
            Some(span) => span.content.to_mut().push(sign),
            None => spans.push(Span::styled(sign.to_string(), style)),
        }
    }
    spans
}

/// Less than this that was saved is not worth a word.
const WORTH_TELLING: Duration = Duration::from_millis(100);

/// Whether it is worth a word that so much was saved of what it would have taken in all: at least
/// a tenth of it, and more than nobody notices.
pub(in crate::tui) fn is_worth_telling(saved: Duration, in_all: Duration) -> bool {
    saved >= WORTH_TELLING && saved >= in_all / 10
}

/// How long at least one of them ran, and how long all would have taken one after the other.
pub(super) fn saved<'a>(
    courses: impl Iterator<Item = &'a Course>,
    now: Instant,
) -> (Duration, Duration) {
    together(courses.filter_map(|course| course.runs), now)
}

/// How long at least one of these lasted, and the sum of all.
pub(in crate::tui) fn together(
    stretches: impl Iterator<Item = Stretch>,
    now: Instant,
) -> (Duration, Duration) {
    let ended = |(start, end): Stretch| (start, end.unwrap_or(now).max(start));
    let mut stretches: Vec<(Instant, Instant)> = stretches.map(ended).collect();
    stretches.sort_unstable();
    let sum = stretches.iter().map(|(start, end)| end.saturating_duration_since(*start)).sum();
    let mut busy = Duration::ZERO;
    let mut until: Option<Instant> = None;
    for (start, end) in stretches {
        let from = until.map_or(start, |until| until.max(start));
        busy += end.saturating_duration_since(from);
        until = Some(until.map_or(end, |until| until.max(end)));
    }
    (busy, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Planned at 0; asked, started and ended at these milliseconds.
    fn course(zero: Instant, asked: Option<(u64, u64)>, ran: Option<(u64, u64)>) -> Course {
        let mut course = Course::planned(zero);
        if let Some((from, until)) = asked {
            course.ask(zero + ms(from));
            course.answered(zero + ms(until));
        }
        if let Some((from, until)) = ran {
            course.start(zero + ms(from));
            course.finish(zero + ms(until), ms(until - from));
        }
        course
    }

    fn drawn(axis: &Axis, course: &Course, now: Instant) -> String {
        let spans = axis.bar(course, 10, now, &Theme::plain());
        spans.iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn bars_stand_on_one_axis() {
        let zero = Instant::now();
        let courses = [
            course(zero, None, Some((0, 200))),
            course(zero, None, Some((0, 100))),
            course(zero, Some((0, 100)), Some((100, 200))),
            course(zero, None, Some((100, 101))),
        ];
        let now = zero + ms(500);
        let axis = Axis::of(courses.iter(), now).unwrap();
        let bars: Vec<_> = courses.iter().map(|course| drawn(&axis, course, now)).collect();
        assert_eq!(bars, ["━━━━━━━━━━", "━━━━━     ", "?????━━━━━", "·····━    "]);
    }

    #[test]
    fn what_lasts_grows_with_the_axis() {
        let zero = Instant::now();
        let mut courses = [course(zero, None, None), course(zero, None, Some((0, 50)))];
        courses[0].start(zero);
        let now = zero + ms(100);
        let axis = Axis::of(courses.iter(), now).unwrap();
        assert_eq!(drawn(&axis, &courses[0], now), "━━━━━━━━━━");
        assert_eq!(drawn(&axis, &courses[1], now), "━━━━━     ");
    }

    #[test]
    fn a_call_that_began_early_began_before_it_was_planned() {
        let zero = Instant::now();
        let mut early = Course::planned(zero + ms(100));
        early.start(zero + ms(100));
        early.finish(zero + ms(100), ms(100));
        let other = course(zero + ms(100), None, Some((0, 100)));
        let courses = [early, other];
        let axis = Axis::of(courses.iter(), zero + ms(300)).unwrap();
        assert_eq!(drawn(&axis, &courses[0], zero), "━━━━━     ");
        assert_eq!(drawn(&axis, &courses[1], zero), "     ━━━━━");
    }

    #[test]
    fn what_is_saved_is_the_difference_to_one_after_the_other() {
        let zero = Instant::now();
        let courses = [
            course(zero, None, Some((0, 200))),
            course(zero, None, Some((0, 200))),
            course(zero, None, Some((300, 400))),
            course(zero, None, None),
        ];
        assert_eq!(saved(courses.iter(), zero + ms(900)), (ms(300), ms(500)));
    }

    #[test]
    fn the_time_before_a_run_is_waiting_but_for_the_question() {
        let zero = Instant::now();
        let asked = course(zero, Some((100, 300)), Some((400, 1_000)));
        let times = asked.times(zero + ms(5_000));
        assert_eq!(times.waited, Some(ms(200)), "100 before the question and 100 after it");
        assert_eq!((times.asked, times.ran), (Some(ms(200)), Some(ms(600))));
        let waits = course(zero, None, None).times(zero + ms(70));
        assert_eq!(waits, Times { waited: Some(ms(70)), ..Times::default() });
        assert_eq!(Course::default().times(zero), Times::default());
    }

    #[test]
    fn nothing_that_ran_has_no_axis() {
        let zero = Instant::now();
        assert!(Axis::of([Course::default()].iter(), zero).is_none());
        assert!(Axis::of([course(zero, None, Some((0, 0)))].iter(), zero).is_none());
    }
}
