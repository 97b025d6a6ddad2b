//! How long a server asks to wait. Owns the spellings of headers and sentences; knows no retry
//! policy.
//!
//! Invariant: every wait is at most a day, whatever a hostile server says.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest wait that is believed.
const MAX: Duration = Duration::from_hours(24);

/// Reads `retry-after-ms` and `retry-after`: seconds, a fraction, or a date.
pub(crate) fn from_headers<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    now: SystemTime,
) -> Option<Duration> {
    let millis = header("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    // A zero beside a real value is filler.
    if let Some(wait) = millis.and_then(|millis| seconds(millis / 1000.0))
        && !wait.is_zero()
    {
        return Some(wait);
    }
    let text = header("retry-after")?.trim();
    match text.parse::<f64>() {
        Ok(number) => seconds(number),
        Err(_) => http_date(text).map(|at| at.duration_since(now).unwrap_or_default().min(MAX)),
    }
}

/// Reads a wait out of a sentence: `Please try again in 1m30.5s`.
pub(super) fn in_sentence(sentence: &str) -> Option<Duration> {
    let lower = sentence.to_lowercase();
    let rest = ["try again in ", "retry in ", "retry after "]
        .iter()
        .find_map(|words| lower.split_once(words).map(|(_, rest)| rest.to_owned()))?;
    let mut words = rest.split_whitespace();
    let first = words.next()?.trim_end_matches([',', ';', ')']);
    duration(first.trim_end_matches('.')).or_else(|| {
        let number: f64 = first.parse().ok()?;
        let unit = words.next()?;
        if unit.starts_with("second") {
            seconds(number)
        } else if unit.starts_with("minute") {
            seconds(number * 60.0)
        } else {
            None
        }
    })
}

/// Reads `399ms`, `34.4s`, `1m30s`, `2h`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut sum = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(letters)?;
        let scale = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        sum += number.parse::<f64>().ok()? * scale;
        rest = tail;
    }
    if text.trim().is_empty() { None } else { seconds(sum) }
}

fn seconds(number: f64) -> Option<Duration> {
    if number.is_nan() || number < 0.0 {
        return None;
    }
    Some(Duration::try_from_secs_f64(number).unwrap_or(MAX).min(MAX))
}

/// Reads the fixed form of an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_whitespace().skip(1);
    let day: u64 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let month = 1 + u64::try_from(MONTHS.iter().position(|month| *month == name)?).ok()?;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(str::parse::<u64>);
    let (hour, minute, second) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    if !(1970..10_000).contains(&year) || !(1..=31).contains(&day) || hour > 23 || minute > 59 {
        return None;
    }
    // Days since 1970 with the year counted from March, so that a leap day comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    UNIX_EPOCH.checked_add(Duration::from_secs(((days * 24 + hour) * 60 + minute) * 60 + second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_wait_are_read() {
        let millis = |text| duration(text).map(|wait| wait.as_millis());
        assert_eq!(millis("399ms"), Some(399));
        assert_eq!(millis("34.4s"), Some(34_400));
        assert_eq!(millis("1m30s"), Some(90_000));
        assert_eq!(millis("soon"), None);
        assert_eq!(millis(""), None);
        let wait = in_sentence("Please try again in 50.5s. Visit us.");
        assert_eq!(wait, Some(Duration::from_millis(50_500)));
        assert_eq!(in_sentence("Please retry in 5 seconds"), Some(Duration::from_secs(5)));
        assert_eq!(in_sentence("Try your request again."), None);
    }

    #[test]
    fn headers_give_seconds_fractions_milliseconds_and_dates() {
        // 784111777 is the moment that RFC 9110 uses as its example of a date.
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777 - 30);
        let read = |name: &'static str, value: &'static str| {
            from_headers(|asked| (asked == name).then_some(value), now)
        };
        assert_eq!(read("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(read("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(read("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(read("retry-after", date), Some(Duration::from_secs(30)));
        assert_eq!(read("retry-after", "1e300"), Some(MAX));
        assert_eq!(read("retry-after", "-3"), None);
        assert_eq!(read("retry-after", "\u{1}"), None);
    }

    #[test]
    fn a_zero_of_milliseconds_does_not_hide_the_seconds() {
        let both = |name: &str| Some(if name == "retry-after" { "1" } else { "0" });
        assert_eq!(from_headers(both, UNIX_EPOCH), Some(Duration::from_secs(1)));
    }
}
