//! Numbers for people. Owns the grouping of digits, and how a number is made short; knows no units.

/// A whole number with a comma after every three digits from the right: `131,072`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut words = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            words.push(',');
        }
        words.push(digit);
    }
    words
}

/// How many of something: `1 line`, `1,234 lines`. The noun takes an s.
#[must_use]
pub fn counted(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(u64::try_from(number).unwrap_or(u64::MAX)))
}

/// A number in a few signs, rounded to the nearest: `999`, `8.2k`, `131k`, `1.0M`.
#[must_use]
pub fn short(number: u64) -> String {
    let tenths = |unit: u64| number / unit * 10 + (number % unit * 10 + unit / 2) / unit;
    match number {
        0..1_000 => number.to_string(),
        1_000..99_950 => format!("{}.{}k", tenths(1_000) / 10, tenths(1_000) % 10),
        99_950..999_500 => format!("{}k", (number + 500) / 1_000),
        _ => format!("{}.{}M", tenths(1_000_000) / 10, tenths(1_000_000) % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, short};

    #[test]
    fn one_is_one_and_others_are_many() {
        for (number, words) in [(0, "0 lines"), (1, "1 line"), (12_345, "12,345 lines")] {
            assert_eq!(counted(number, "line"), words);
        }
    }

    #[test]
    fn a_short_number_is_rounded_to_the_nearest() {
        for (number, words) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (1_049, "1.0k"),
            (1_050, "1.1k"),
            (8_192, "8.2k"),
            (12_449, "12.4k"),
            (16_384, "16.4k"),
            (32_768, "32.8k"),
            (99_949, "99.9k"),
            (99_950, "100k"),
            (128_000, "128k"),
            (131_072, "131k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (1_048_576, "1.0M"),
            (1_950_000, "2.0M"),
            (u64::MAX, "18446744073709.6M"),
        ] {
            assert_eq!(short(number), words);
        }
    }

    #[test]
    fn digits_stand_in_threes() {
        for (number, words) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (65_536, "65,536"),
            (131_072, "131,072"),
            (1_047_576, "1,047,576"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(number), words);
        }
    }
}
