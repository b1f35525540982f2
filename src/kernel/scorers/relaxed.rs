//! Relaxed accuracy, as `ChartQA` is scored: numbers may be a little off, texts may not.
//!
//! The tolerance is a share of the answer. Numbers are read as Python reads them, and everything else is compared as
//! text.

use super::python::float;
use crate::kernel::prepare::lowercase;
use crate::kernel::whitespace::strip;

/// When a prediction agrees with an answer.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct RelaxedAccuracy {
    /// The largest distance of a number, as a share of the answer.
    pub tolerance: f64,
    /// Whether whitespace around predictions is removed.
    pub strip: bool,
}

impl RelaxedAccuracy {
    /// Whether a prediction agrees with one of the answers.
    #[inline(always)]
    pub fn accepts<'a>(self, prediction: &str, answers: impl Iterator<Item = &'a str>) -> bool {
        let prediction = if self.strip { strip(prediction) } else { prediction };
        let mut predicted = None;
        // The closure of `any` would be a function of its own.
        for answer in answers {
            let is_right = if prediction == answer {
                !is_beyond_numbers(prediction)
            } else if let Some(predicted) = *predicted.get_or_insert_with(|| number(prediction)) {
                self.is_near(predicted, number(answer)).unwrap_or_else(|| are_equal(prediction, answer))
            } else {
                are_equal(prediction, answer)
            };
            if is_right {
                return true;
            }
        }
        false
    }

    /// Whether a number is near an answer; nothing unless the answer is a number other than 0, as which NaN counts.
    #[inline]
    fn is_near(self, predicted: f64, answer: Option<f64>) -> Option<bool> {
        let answer = answer.filter(|&answer| answer != 0.0)?;
        Some((predicted - answer).abs() / answer.abs() <= self.tolerance)
    }
}

/// Whether a text is a number that is near nothing, not even itself: the difference of infinities, and that of NaN, is NaN.
#[inline]
fn is_beyond_numbers(text: &str) -> bool {
    // All of them are long, or have an exponent, or are the words for it.
    let may_be = text.len() > 300 || text.bytes().any(|byte| matches!(byte, b'e' | b'E' | b'n' | b'N'));
    may_be && number(text).is_some_and(|number| !number.is_finite())
}

/// Whether different texts are equal in lower case.
#[inline(always)]
fn are_equal(prediction: &str, answer: &str) -> bool {
    let first = |text: &str| text.bytes().next().filter(u8::is_ascii);
    let differ = |(left, right): (u8, u8)| !left.eq_ignore_ascii_case(&right);
    // Most differ in their first letter.
    !first(prediction).zip(first(answer)).is_some_and(differ) && are_equal_lowered(prediction, answer)
}

#[inline(never)]
fn are_equal_lowered(prediction: &str, answer: &str) -> bool {
    let differ = |(left, right): (u8, u8)| !left.eq_ignore_ascii_case(&right);
    let Some(at) = prediction.bytes().zip(answer.bytes()).position(differ) else {
        // Or one goes on.
        return prediction.len() == answer.len();
    };
    if [prediction, answer].iter().all(|text| text.as_bytes()[at].is_ascii()) {
        return false;
    }
    // The characters before are as long in both.
    let start = (0..=at).rev().find(|&at| prediction.is_char_boundary(at)).unwrap_or(0);
    let [left, right] = [prediction, answer].map(|text| text[start..].chars().next());
    let first = |letter: Option<char>| letter.and_then(|letter| letter.to_lowercase().next());
    // How a sigma is lowered depends on the text around it.
    let has_sigma = |text: &str| text.contains('Σ');
    if left != Some('Σ') && right != Some('Σ') && first(left) != first(right) {
        return false;
    }
    if has_sigma(prediction) || has_sigma(answer) {
        return lowercase(prediction) == lowercase(answer);
    }
    lowered(prediction).eq(lowered(answer))
}

fn lowered(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

/// A number, or a percentage as a share.
fn number(text: &str) -> Option<f64> {
    if text.ends_with('%') {
        float(text.trim_end_matches('%')).map(|number| number / 100.0)
    } else {
        float(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_has_its_known_traps() {
        let rule = RelaxedAccuracy { tolerance: 0.05, strip: false };
        for (prediction, answer, is_right) in [
            ("2%", "2", false),
            ("10.4", "10", true),
            ("10.5", "10", true),
            ("10.6", "10", false),
            ("abc", "ABC", true),
            ("0", "0", true),
            ("0.0", "0", false),
            ("2021", "2020", true),
            ("nan", "nan", false),
            ("inf", "inf", false),
            ("5%%", "5%", true),
            ("1,000", "1000", false),
            (" 5", "5", true),
            ("1e400", "1e400", false),
            ("infinity war", "infinity war", true),
            ("Éa", "éA", true),
            ("é", "è", false),
            ("ΟΔΟΣ", "οδος", true),
            ("ΣΑΣ", "ΣΑσ", false),
            ("İ", "i\u{307}", true),
            ("\u{212a}", "k", true),
            (" a", "a", false),
        ] {
            assert_eq!(rule.accepts(prediction, [answer].into_iter()), is_right, "{prediction:?} {answer:?}");
        }
        assert!(RelaxedAccuracy { strip: true, ..rule }.accepts(" a", ["b", "a"].into_iter()));
    }
}
