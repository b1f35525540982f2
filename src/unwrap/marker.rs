//! Answers after a marker such as "The answer is".
//!
//! The last marker counts, because reasoning often names earlier candidates. Only markers in English are known; callers
//! add others.

use super::reading::rfind;
use crate::kernel::whitespace::{is_whitespace, strip};

const SIGNS: [char; 4] = ['*', '_', '#', '>'];
const CONCLUSIONS: [&str; 4] = ["so", "thus", "therefore", "hence"];
const NOUN: &str = "answer";

/// The text after the last marker, up to the end of its line, or the next line that is not blank.
pub fn marked<'a>(text: &'a str, markers: &[String]) -> Option<&'a str> {
    let own = markers.iter().filter(|marker| !marker.is_empty());
    let own = own.filter_map(|marker| Some(Marker { end: rfind(text, marker)? + marker.len(), around: "" }));
    let last = usual(text).into_iter().chain(own).max_by_key(|marker| marker.end)?;
    let mut lines = text[last.end..].split('\n').map(strip);
    let answer = lines.find(|line| !line.trim_matches(SIGNS).is_empty())?;
    // The emphasis may be around the marker and the answer.
    let emphasis = last.around.trim_matches(|letter| !matches!(letter, '*' | '_'));
    let inside =
        answer.strip_suffix(emphasis).filter(|inside| !emphasis.is_empty() && !inside.contains(emphasis));
    Some(inside.unwrap_or(answer))
}

/// A marker: where it ends, and the signs before it that nothing after it has closed.
struct Marker<'a> {
    end: usize,
    around: &'a str,
}

/// The last of the usual markers.
fn usual(text: &str) -> Option<Marker<'_>> {
    // Of the same length, so that positions are those of the text.
    let lowered = text.to_ascii_lowercase();
    let nouns: Vec<usize> = lowered.match_indices(NOUN).map(|(at, _)| at).collect();
    nouns.into_iter().rev().find_map(|at| {
        let end = end(&lowered, at + NOUN.len())?;
        let around = before(text, &lowered[..at])?;
        let is_closed = text[at..end].contains(SIGNS);
        Some(Marker { end, around: if is_closed { "" } else { around } })
    })
}

/// Where a marker ends whose noun ends here: after a colon, or after "is" with or without one, and the signs after it.
fn end(lowered: &str, noun: usize) -> Option<usize> {
    let mut rest = skipped(&lowered[noun..]);
    let after_is = rest.strip_prefix("is").filter(|after| {
        after.is_empty()
            || after.starts_with(is_whitespace)
            || after.starts_with([':', '：'])
            || after.starts_with(SIGNS)
    });
    let has_is = after_is.is_some_and(|_| lowered[noun..].starts_with(is_whitespace));
    if let Some(after) = after_is.filter(|_| has_is) {
        rest = skipped(after);
    }
    let after_colon = rest.strip_prefix([':', '：']);
    if after_colon.is_none() && !has_is {
        return None;
    }
    // Signs that close what was opened before the marker; those that open something stay with the answer.
    let rest = after_colon.unwrap_or(rest);
    let signs = rest.trim_start_matches(SIGNS);
    let closes = after_colon.is_some() && (signs.is_empty() || signs.starts_with(is_whitespace));
    Some(lowered.len() - if closes { signs.len() } else { rest.len() })
}

/// The text after blanks within the line and signs that have no meaning.
fn skipped(text: &str) -> &str {
    let behind_signs = text.trim_start_matches(SIGNS);
    behind_signs.trim_start_matches([' ', '\t'])
}

/// The signs before a marker whose noun begins at the end of this text; nothing unless the marker begins the text, a
/// line or a sentence.
fn before<'a>(text: &'a str, lowered: &str) -> Option<&'a str> {
    let mut rest = lowered;
    for words in [&["final"][..], &["the"], &CONCLUSIONS] {
        rest = without_word(rest, words).unwrap_or(rest);
    }
    let start = rest.trim_end_matches([' ', '\t']).trim_end_matches(SIGNS);
    let around = text[start.len()..rest.len()].trim();
    let start = start.trim_end_matches([' ', '\t']);
    let begins_line = start.is_empty() || start.ends_with('\n');
    let begins_sentence = start.ends_with(['.', '!', '?']) && start.len() < rest.len();
    (begins_line || begins_sentence).then_some(around)
}

/// The text without one of these words at its end, a comma after the word and the blanks around both.
fn without_word<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let trimmed = text.trim_end_matches([' ', '\t']);
    let trimmed = trimmed.strip_suffix(',').unwrap_or(trimmed);
    let rest = words.iter().find_map(|word| trimmed.strip_suffix(word))?;
    (!rest.ends_with(char::is_alphanumeric)).then_some(rest)
}
