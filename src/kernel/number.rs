//! Numbers in texts, with a point or a comma before the decimals.
//!
//! Tells whether two texts are the same number in one of their readings: "1.234" is a thousand or one with decimals.
//! Used for error types; scores of benchmarks read numbers as Python does, in [`scorers`](super::scorers).

use unicode_normalization::UnicodeNormalization;

use super::categories::{Category, category};
use super::whitespace::is_whitespace;

/// Whether both texts are numbers and a reading of one is a reading of the other: with a point or a comma
/// before the decimals, and the other one between thousands. Currency signs, `%` and spaces do not count.
pub fn is_same_number(left: &str, right: &str) -> bool {
    let (Some(left), Some(right)) = (Number::read(left), Number::read(right)) else { return false };
    left.readings().any(|left| right.readings().any(|right| left == right))
}

/// Digits, points and commas, and whether a minus precedes them.
struct Number {
    is_negative: bool,
    signs: String,
}

/// A number in its shortest form.
#[derive(PartialEq)]
struct Value {
    is_negative: bool,
    whole: String,
    decimals: String,
}

impl Number {
    fn read(text: &str) -> Option<Self> {
        // Most texts are no numbers, which is seen at their first letter.
        if text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let counts = |letter: &char| {
            !is_whitespace(*letter) && *letter != '%' && category(*letter) != Category::Currency
        };
        let signs: String = text.nfkc().filter(counts).collect();
        let (is_negative, digits) = match signs.strip_prefix(['-', '\u{2212}']) {
            Some(rest) => (true, rest),
            None => (false, signs.strip_prefix('+').unwrap_or(&signs)),
        };
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
        is_number.then(|| Self { is_negative, signs: digits.to_owned() })
    }

    fn readings(&self) -> impl Iterator<Item = Value> {
        [('.', ','), (',', '.')].into_iter().filter_map(|(point, thousands)| self.reading(point, thousands))
    }

    fn reading(&self, point: char, thousands: char) -> Option<Value> {
        let (whole, decimals) = self.signs.split_once(point).unwrap_or((&self.signs, "0"));
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let groups: Vec<&str> = whole.split(thousands).collect();
        let is_whole = groups.iter().all(|group| is_digits(group))
            && match &groups[..] {
                [only] => !only.is_empty() || self.signs.contains(point),
                [first, rest @ ..] => {
                    (1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3)
                }
                [] => false,
            };
        if !is_whole || !is_digits(decimals) || decimals.is_empty() {
            return None;
        }
        let whole = groups.concat().trim_start_matches('0').to_owned();
        let decimals = decimals.trim_end_matches('0').to_owned();
        let is_zero = whole.is_empty() && decimals.is_empty();
        Some(Value { is_negative: self.is_negative && !is_zero, whole, decimals })
    }
}

#[cfg(test)]
mod tests {
    use super::is_same_number;

    #[test]
    fn numbers_are_read_both_ways() {
        for (left, right) in [
            ("1,640", "1640"),
            ("1.640,00", "$ 1,640.00"),
            ("￥１，６４０", "1640 ¥"),
            ("15 %", "15"),
            ("0.50", ".5"),
            ("-0", "0.0"),
            ("1,5", "1.5"),
            ("\u{2212}3", "-3,0"),
        ] {
            assert!(is_same_number(left, right) && is_same_number(right, left), "{left} {right}");
        }
        for (left, right) in [
            ("1,64", "164"),
            ("1,2,3", "123"),
            ("15", "-15"),
            ("1.", "1"),
            ("", "0"),
            ("$", "0"),
            ("1a", "1"),
            ("1,0000", "10000"),
        ] {
            assert!(!is_same_number(left, right) && !is_same_number(right, left), "{left} {right}");
        }
    }
}
