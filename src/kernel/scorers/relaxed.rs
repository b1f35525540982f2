//! Relaxed accuracy, as `ChartQA` is scored: numbers may be a little off, texts may not.

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
    pub fn accepts<'a>(self, prediction: &str, mut answers: impl Iterator<Item = &'a str>) -> bool {
        let prediction = if self.strip { strip(prediction) } else { prediction };
        let Some(predicted) = number(prediction) else {
            return answers.any(|answer| are_equal(prediction, answer));
        };
        answers.any(|answer| {
            if prediction == answer {
                // The difference of infinities, and that of NaN, is near nothing.
                return predicted.is_finite();
            }
            match number(answer) {
                // NaN counts as other than 0, and is then near nothing.
                Some(number) if number != 0.0 => (predicted - number).abs() / number.abs() <= self.tolerance,
                _ => are_equal(prediction, answer),
            }
        })
    }
}

/// Whether texts are equal in lower case.
fn are_equal(prediction: &str, answer: &str) -> bool {
    let same = |(left, right): &(u8, u8)| left.eq_ignore_ascii_case(right);
    match prediction.bytes().zip(answer.bytes()).find(|pair| !same(pair)) {
        // Or one goes on.
        None => prediction.len() == answer.len(),
        Some((left, right)) if left.is_ascii() && right.is_ascii() => false,
        // How a sigma is lowered depends on the text around it.
        _ if prediction.contains('Σ') || answer.contains('Σ') => lowercase(prediction) == lowercase(answer),
        _ => lowered(prediction).eq(lowered(answer)),
    }
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
            (" a", "a", false),
        ] {
            assert_eq!(rule.accepts(prediction, [answer].into_iter()), is_right, "{prediction:?} {answer:?}");
        }
        assert!(RelaxedAccuracy { strip: true, ..rule }.accepts(" a", ["b", "a"].into_iter()));
    }
}
