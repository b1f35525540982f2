//! What kind of error a prediction is: the smallest difference that separates it from an answer.
//!
//! Each kind forgives what the kinds before it forgive, and one thing more. Kinds are tried in order, so rows with
//! small errors are cheap, and rows that nothing explains try them all.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use super::categories::{Category, category};
use super::number::is_same_number;
use super::prepare::{Preparation, Whitespace, lowercase};
use super::whitespace::is_whitespace;

/// Kinds of errors, in the order in which they are tried. The numbers are those of the Python package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ErrorType {
    /// There is no prediction.
    Missing = 0,
    /// The prediction is empty or only whitespace.
    Empty = 1,
    /// A text was predicted, but every answer is empty or only whitespace.
    Invented = 2,
    /// Equal code points: no error.
    Exact = 3,
    /// Equal in lower case.
    Case = 4,
    /// Equal without whitespace.
    Whitespace = 5,
    /// Equal without punctuation.
    Punctuation = 6,
    /// Equal without combining marks.
    Diacritics = 7,
    /// The same number, written otherwise.
    NumberFormat = 8,
    /// The answer, with more text around it.
    ExtraText = 9,
    /// A part of the answer.
    Truncated = 10,
    /// Similar enough for a score.
    Near = 11,
    /// Anything else.
    Wrong = 12,
}

/// Text around words.
const SQUEEZED: Preparation =
    Preparation { ignore_case: true, whitespace: Whitespace::Squeeze, ..Preparation::NONE };

/// Fewest code points that must be contained.
const SHORTEST_CONTAINED: usize = 2;

/// Working memory, reused from row to row.
#[derive(Default)]
pub struct Classifier {
    prediction: String,
    answer: String,
    failure: Vec<usize>,
}

impl Classifier {
    /// The kind of error of a prediction; `is_near` says whether its best score survives the cut. `None`
    /// without answers.
    pub fn classify<'a>(
        &mut self,
        prediction: &str,
        answers: impl Iterator<Item = &'a str>,
        is_near: bool,
    ) -> Option<ErrorType> {
        let is_blank = is_blank(prediction);
        let mut smallest = None;
        for answer in answers {
            let found = if prediction == answer {
                // No smaller one can follow.
                return Some(ErrorType::Exact);
            } else if is_blank {
                if self::is_blank(answer) { ErrorType::Whitespace } else { ErrorType::Empty }
            } else if self::is_blank(answer) {
                ErrorType::Invented
            } else {
                let difference = self.difference(prediction, answer);
                difference.unwrap_or(if is_near { ErrorType::Near } else { ErrorType::Wrong })
            };
            if smallest.is_none_or(|smallest| rank(found) < rank(smallest)) {
                smallest = Some(found);
            }
        }
        smallest
    }

    /// What separates two texts that are not equal and not blank, if it has a name.
    fn difference(&mut self, prediction: &str, answer: &str) -> Option<ErrorType> {
        if prediction.is_ascii() && answer.is_ascii() {
            if prediction.eq_ignore_ascii_case(answer) {
                return Some(ErrorType::Case);
            }
            if equal_where(prediction, answer, |byte| !is_ascii_whitespace(byte)) {
                return Some(ErrorType::Whitespace);
            }
            let is_content = |byte| !is_ascii_whitespace(byte) && !is_ascii_punctuation(byte);
            if equal_where(prediction, answer, is_content) {
                return Some(ErrorType::Punctuation);
            }
        } else {
            let (prediction, answer) = (lowercase(prediction), lowercase(answer));
            if prediction == answer {
                return Some(ErrorType::Case);
            }
            let is_counted = |letter: &char| is_content(*letter);
            let is_written = |letter: &char| !is_whitespace(*letter);
            if prediction.chars().filter(is_written).eq(answer.chars().filter(is_written)) {
                return Some(ErrorType::Whitespace);
            }
            if prediction.chars().filter(is_counted).eq(answer.chars().filter(is_counted)) {
                return Some(ErrorType::Punctuation);
            }
            let base = |letter: &char| is_content(*letter) && canonical_combining_class(*letter) == 0;
            if prediction.nfd().filter(base).eq(answer.nfd().filter(base)) {
                return Some(ErrorType::Diacritics);
            }
        }
        if is_same_number(prediction, answer) {
            return Some(ErrorType::NumberFormat);
        }
        let Self { prediction: prediction_buffer, answer: answer_buffer, failure } = self;
        let prediction = SQUEEZED.prepare(prediction, prediction_buffer);
        let answer = SQUEEZED.prepare(answer, answer_buffer);
        if contains(prediction, answer, failure) {
            return Some(ErrorType::ExtraText);
        }
        contains(answer, prediction, failure).then_some(ErrorType::Truncated)
    }
}

/// How large a difference is, from small to large.
fn rank(kind: ErrorType) -> u8 {
    match kind {
        // A blank answer is matched by a blank prediction, whatever the others are.
        ErrorType::Empty => ErrorType::Wrong as u8,
        // Any answer with a text is nearer than a blank one.
        ErrorType::Invented => ErrorType::Wrong as u8 + 1,
        _ => kind as u8,
    }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_whitespace)
}

/// Whether two ASCII texts are equal in lower case, of the bytes that are kept.
fn equal_where(left: &str, right: &str, keep: impl Fn(u8) -> bool) -> bool {
    let left = left.bytes().filter(|&byte| keep(byte)).map(|byte| byte.to_ascii_lowercase());
    left.eq(right.bytes().filter(|&byte| keep(byte)).map(|byte| byte.to_ascii_lowercase()))
}

fn is_ascii_whitespace(byte: u8) -> bool {
    is_whitespace(char::from(byte))
}

/// Category P in ASCII: the symbols among its signs are none.
fn is_ascii_punctuation(byte: u8) -> bool {
    byte.is_ascii_punctuation()
        && !matches!(byte, b'$' | b'+' | b'<' | b'=' | b'>' | b'^' | b'`' | b'|' | b'~')
}

/// Neither whitespace nor punctuation.
fn is_content(letter: char) -> bool {
    !is_whitespace(letter) && category(letter) != Category::Punctuation
}

/// Whether `text` contains `part` between borders of words (Knuth, Morris and Pratt 1977: a hostile text of
/// repetitions takes no longer than another one).
fn contains(text: &str, part: &str, failure: &mut Vec<usize>) -> bool {
    if part.len() >= text.len() || part.chars().take(SHORTEST_CONTAINED).count() < SHORTEST_CONTAINED {
        return false;
    }
    let (bytes, pattern) = (text.as_bytes(), part.as_bytes());
    failure.clear();
    failure.push(0);
    let mut matched = 0;
    for &byte in &pattern[1..] {
        while matched > 0 && byte != pattern[matched] {
            matched = failure[matched - 1];
        }
        matched += usize::from(byte == pattern[matched]);
        failure.push(matched);
    }
    matched = 0;
    for (position, &byte) in bytes.iter().enumerate() {
        while matched > 0 && byte != pattern[matched] {
            matched = failure[matched - 1];
        }
        matched += usize::from(byte == pattern[matched]);
        if matched == pattern.len() {
            let end = position + 1;
            if is_border(text, end - matched) && is_border(text, end) {
                return true;
            }
            matched = failure[matched - 1];
        }
    }
    false
}

/// Whether a word ends or starts at a position, or could: between CJK characters no space is written.
fn is_border(text: &str, position: usize) -> bool {
    let (before, after) = text.split_at(position);
    match (before.chars().next_back(), after.chars().next()) {
        (Some(before), Some(after)) => !is_word(before) || !is_word(after) || is_cjk(before) || is_cjk(after),
        _ => true,
    }
}

fn is_word(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphanumeric();
    }
    !is_whitespace(letter) && category(letter) == Category::Other
}

/// Han, kana, hangul and bopomofo, in their main blocks.
fn is_cjk(letter: char) -> bool {
    matches!(
        letter,
        '\u{1100}'..='\u{11ff}'
            | '\u{2e80}'..='\u{2fdf}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ffdc}'
            | '\u{20000}'..='\u{3ffff}'
    )
}
