//! VQA accuracy: how many of the people who were asked gave this answer, after a cleaning that removes punctuation and
//! articles.
//!
//! The cleaning reproduces the known codes with what is odd about them: a sign before a number goes, and at most 32
//! full stops do, because the codes pass a flag where `re.sub` takes a count.

use super::contractions::contraction;
use super::python::is_digit;
use crate::kernel::prepare::lowercase;
use crate::kernel::whitespace::{is_whitespace, strip};

/// Which of the codes cleans texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Processing {
    /// MMF and lmms-eval's `TextVQA`: commas, question marks and possessives go first.
    Evalai,
    /// VQA: texts are cleaned only where answers differ.
    Vqa,
    /// lmms-eval's `VQAv2`.
    VqaAlways,
    /// `VLMEvalKit`.
    Vlmevalkit,
}

/// How the shares of the answers are averaged: the codes differ in the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Mean {
    /// Rounded once, as `statistics.mean`.
    Exact,
    /// Added in the order of the answers, as a loop does.
    Sum,
    /// Added in pairs, as `numpy.mean`.
    Numpy,
}

/// VQA accuracy of a row.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct VqaAccuracy {
    processing: Processing,
    mean: Mean,
}

/// Which bytes are deleted, or replaced by a space.
const IS_SIGN: [bool; 256] = {
    let (signs, mut is_sign, mut index) = (b";/[]\"{}()=+\\_-><@`,?!", [false; 256], 0);
    while index < signs.len() {
        is_sign[signs[index] as usize] = true;
        index += 1;
    }
    is_sign
};

/// `re.UNICODE`, which the codes pass as the largest number of full stops to remove.
const MOST_STOPS: usize = 32;

impl VqaAccuracy {
    /// The mean, over the answers, of the share of three other people who gave the predicted one.
    pub fn score<'a>(self, prediction: &str, answers: impl Iterator<Item = &'a str>) -> Option<f64> {
        let mut answers: Vec<String> = answers.map(|answer| self.processing.trimmed(answer)).collect();
        let first = answers.first()?;
        let mut prediction = self.processing.trimmed(prediction);
        if self.processing != Processing::Vqa || answers.iter().any(|answer| answer != first) {
            prediction = self.processing.cleaned(&prediction);
            for answer in &mut answers {
                *answer = self.processing.cleaned(answer);
            }
        }
        let is_equal: Vec<bool> = answers.iter().map(|answer| *answer == prediction).collect();
        Some(self.mean.of_matches(&is_equal))
    }
}

impl Processing {
    /// What every code does first.
    fn trimmed(self, text: &str) -> String {
        if self == Self::Evalai {
            let mut text = lower(text);
            text.retain(|character| !matches!(character, ',' | '?'));
            return spaced(&text.replace("'s", " 's"));
        }
        spaced(text)
    }

    fn cleaned(self, text: &str) -> String {
        let text = self.without_stops(&self.without_punctuation(text));
        let mut cleaned = String::with_capacity(text.len());
        for word in lower(&text).split(is_whitespace).filter(|word| !word.is_empty()) {
            let word = number_word(word).unwrap_or(word);
            if matches!(word, "a" | "an" | "the") {
                continue;
            }
            if !cleaned.is_empty() {
                cleaned.push(' ');
            }
            cleaned.push_str(contraction(word).unwrap_or(word));
        }
        cleaned
    }

    /// Deletes a sign that is next to a space somewhere, and every sign if a comma is between digits; puts a space
    /// in place of others.
    fn without_punctuation(self, text: &str) -> String {
        let bytes = text.as_bytes();
        let is_space = |index: Option<usize>| index.and_then(|index| bytes.get(index)) == Some(&b' ');
        let mut is_deleted = [self.has_comma_in_number(text); 256];
        for (index, &byte) in bytes.iter().enumerate() {
            if IS_SIGN[usize::from(byte)] && (is_space(index.checked_sub(1)) || is_space(Some(index + 1))) {
                is_deleted[usize::from(byte)] = true;
            }
        }
        let mut kept = bytes.to_vec();
        kept.retain_mut(|byte| {
            let (is_sign, is_deleted) = (IS_SIGN[usize::from(*byte)], is_deleted[usize::from(*byte)]);
            if is_sign {
                *byte = b' ';
            }
            !(is_sign && is_deleted)
        });
        String::from_utf8(kept).expect("all signs are ASCII")
    }

    fn has_comma_in_number(self, text: &str) -> bool {
        text.match_indices(',').any(|(index, _)| {
            let mut after = &text[index + 1..];
            if matches!(self, Self::Evalai | Self::VqaAlways) {
                // Their pattern lets commas repeat.
                after = after.trim_start_matches(',');
            }
            text[..index].ends_with(is_digit) && after.starts_with(is_digit)
        })
    }

    fn without_stops(self, text: &str) -> String {
        let goes = |index: usize| {
            let follows_digit = self == Self::Vlmevalkit && text[..index].ends_with(is_digit);
            !follows_digit && !text[index + 1..].starts_with(is_digit)
        };
        let mut kept = String::with_capacity(text.len());
        let mut end = 0;
        let stops = text.match_indices('.').map(|(index, _)| index);
        for stop in stops.filter(|&index| goes(index)).take(MOST_STOPS) {
            kept.push_str(&text[end..stop]);
            end = stop + 1;
        }
        kept + &text[end..]
    }
}

/// The text in one line, without whitespace at its ends.
fn spaced(text: &str) -> String {
    strip(text).replace(['\n', '\t'], " ")
}

fn lower(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { lowercase(text) }
}

fn number_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "none" | "zero" => "0",
        "one" => "1",
        "two" => "2",
        "three" => "3",
        "four" => "4",
        "five" => "5",
        "six" => "6",
        "seven" => "7",
        "eight" => "8",
        "nine" => "9",
        "ten" => "10",
        _ => return None,
    })
}

impl Mean {
    /// The mean of `min(1, others / 3)`, where the others are the equal answers without the answer itself.
    fn of_matches(self, is_equal: &[bool]) -> f64 {
        let matches = is_equal.iter().filter(|&&is_equal| is_equal).count();
        let share = |&is_equal: &bool| ((matches - usize::from(is_equal)) as f64 / 3.0).min(1.0);
        let shares: Vec<f64> = is_equal.iter().map(share).collect();
        let n = shares.len();
        match self {
            Self::Exact => exact_mean(&shares),
            Self::Sum => shares.iter().fold(0.0, |sum, share| sum + share) / n as f64,
            Self::Numpy => pairwise_sum(&shares) / n as f64,
        }
    }
}

/// The mean of multiples of 2^-54 up to 1, rounded once.
fn exact_mean(shares: &[f64]) -> f64 {
    const SCALE: f64 = (1_u64 << 54) as f64;
    #[expect(clippy::cast_sign_loss, reason = "no share is negative")]
    let sum: u128 = shares.iter().map(|share| (share * SCALE) as u128).sum();
    let n = shares.len() as u128;
    // Enough bits that the rest decides only about a tie, which a last bit settles.
    let scaled = sum << 40;
    let quotient = (scaled / n) | u128::from(!scaled.is_multiple_of(n));
    quotient as f64 / SCALE / (1_u64 << 40) as f64
}

/// The sum as numpy adds: from eight numbers on with eight sums, in halves beyond 128.
fn pairwise_sum(values: &[f64]) -> f64 {
    let n = values.len();
    if n < 8 {
        return values.iter().fold(0.0, |sum, value| sum + value);
    }
    if n > 128 {
        let half = n / 2;
        let (left, right) = values.split_at(half - half % 8);
        return pairwise_sum(left) + pairwise_sum(right);
    }
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = eights[0];
    for eight in &eights[1..] {
        for (sum, value) in sums.iter_mut().zip(eight) {
            *sum += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, value| sum + value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cleaned_as_the_codes_clean_them() {
        use Processing::{Evalai, Vlmevalkit, Vqa};
        for (processing, text, cleaned) in [
            (Evalai, "2010.", "2010"),
            (Vlmevalkit, "2010.", "2010."),
            (Evalai, "it's", "it 's"),
            (Vqa, "it's", "it's"),
            (Vqa, "The White-House", "white house"),
            (Vqa, "1,000", "1000"),
            (Evalai, "-5", "5"),
            (Vqa, "(a) b", "b"),
            (Vqa, "www.x.com", "wwwxcom"),
            (Vqa, "none", "0"),
            (Vqa, "Ten", "10"),
            (Vqa, "dont", "don't"),
            (Vqa, "U.S.", "us"),
            (Vqa, "$5.00", "$5.00"),
            (Vqa, "im", "im"),
            (Vqa, &".".repeat(40), "........"),
        ] {
            assert_eq!(processing.cleaned(&processing.trimmed(text)), cleaned, "{processing:?} {text:?}");
        }
    }

    #[test]
    fn means_differ_in_the_last_bit() {
        let mut is_equal = [false; 10];
        is_equal[8..].fill(true);
        let bits = |mean: Mean, is_equal: &[bool]| mean.of_matches(is_equal).to_bits();
        assert_eq!(bits(Mean::Exact, &is_equal), 0.6_f64.to_bits());
        assert_ne!(bits(Mean::Sum, &is_equal), bits(Mean::Exact, &is_equal));
        assert_eq!(bits(Mean::Exact, &[true]), 0.0_f64.to_bits());
        assert_eq!(bits(Mean::Numpy, &[true; 200]), 1.0_f64.to_bits());
    }
}
