//! Lengths of texts in code points.
//!
//! What denominators of scores count. ASCII texts need no decoding; [`lanes`](super::lanes) counts others while it
//! compares them.

use super::case;

/// Length of the upper-cased text in code points: `ß` counts two, as Python's `len(text.upper())`.
pub fn upper_length(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(|character| case::upper_length(character.into())).sum()
}

/// Length of the text in code points.
pub fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_length_counts_expansions() {
        assert_eq!(upper_length("straße"), 7);
        assert_eq!(upper_length("ﬃ"), 3);
        assert_eq!(upper_length("abc"), 3);
    }
}
