//! Numbers for people. Owns the grouping of digits; knows no units.

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

#[cfg(test)]
mod tests {
    use super::{counted, grouped};

    #[test]
    fn one_is_one_and_others_are_many() {
        for (number, words) in [(0, "0 lines"), (1, "1 line"), (12_345, "12,345 lines")] {
            assert_eq!(counted(number, "line"), words);
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
