//! Relaxed accuracy, as `ChartQA` is scored: numbers may be a little off, texts may not.

use super::python::float;
use crate::kernel::prepare::lowercase;
use crate::kernel::whitespace::is_whitespace;

/// How far a number may be off, and whether predictions are stripped.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct RelaxedAccuracy {
    tolerance: f64,
    strip: bool,
}

impl RelaxedAccuracy {
    /// Whether a prediction agrees with one of the answers.
    pub fn accepts<'a>(self, prediction: &str, mut answers: impl Iterator<Item = &'a str>) -> bool {
        let prediction = if self.strip { prediction.trim_matches(is_whitespace) } else { prediction };
        let number = number(prediction);
        answers.any(|answer| self.agree(prediction, number, answer))
    }

    fn agree(self, prediction: &str, predicted: Option<f64>, answer: &str) -> bool {
        match (predicted, number(answer)) {
            // NaN counts as other than 0, and is then near nothing.
            (Some(predicted), Some(number)) if number != 0.0 => {
                (predicted - number).abs() / number.abs() <= self.tolerance
            }
            _ if prediction.is_ascii() && answer.is_ascii() => prediction.eq_ignore_ascii_case(answer),
            // How a sigma is lowered depends on the text around it.
            _ if prediction.contains('Σ') || answer.contains('Σ') => {
                lowercase(prediction) == lowercase(answer)
            }
            _ => lowered(prediction).eq(lowered(answer)),
        }
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
