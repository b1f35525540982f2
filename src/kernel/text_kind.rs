//! What a text may be other than a prediction or an answer, for notes and warnings: blank, a placeholder, a printed
//! list.
//!
//! A report asks this of every text, so two bytes rule out nearly all of them, without a branch for each beginning.

use super::whitespace::strip;

/// Kinds of texts. The numbers are those of the Python package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TextKind {
    /// Nothing else.
    Other = 0,
    /// Empty or only whitespace.
    Blank = 1,
    /// One of [`PLACEHOLDERS`].
    Placeholder = 2,
    /// The text begins as a printed list may begin. Whether it is one, a pattern has to tell.
    ListBeginning = 3,
}

/// Texts that often mark a missing prediction, in lower case. An underscore counts as a space.
const PLACEHOLDERS: [&str; 11] = [
    "none",
    "null",
    "nan",
    "<na>",
    "n/a",
    "#n/a",
    "unknown",
    "unanswerable",
    "not answerable",
    "not found",
    "no answer",
];

/// How these begin in lower case, and how arrays do.
const BEGINNINGS: [[u8; 2]; 8] = [*b"no", *b"nu", *b"na", *b"<n", *b"n/", *b"#n", *b"un", *b"ar"];

/// For each first byte of a text, a bit for each of [`BEGINNINGS`] that starts with it.
static FIRST: [u16; 256] = beginnings_by_byte(0);

/// The same for the second byte. Two bytes are a beginning if they have a bit in common; comparisons with each
/// beginning would be branches, which processors often predict wrongly.
static SECOND: [u16; 256] = beginnings_by_byte(1);

/// The bit of lists, blank texts and whitespace, which any second byte may follow.
const ANY_SECOND: u16 = 1 << BEGINNINGS.len();

const fn beginnings_by_byte(place: usize) -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut index = 0;
        while index < BEGINNINGS.len() {
            if BEGINNINGS[index][place] == (byte as u8).to_ascii_lowercase() {
                table[byte] |= 1 << index;
            }
            index += 1;
        }
        if place == 1 || byte == b'[' as usize || !(byte as u8).is_ascii_graphic() {
            table[byte] |= ANY_SECOND;
        }
        byte += 1;
    }
    table
}

impl TextKind {
    /// Whether a text that begins with two bytes may be more than another text; those of shorter texts are 0.
    #[inline]
    pub fn is_possible([first, second]: [u8; 2]) -> bool {
        FIRST[usize::from(first)] & SECOND[usize::from(second)] != 0
    }

    /// The kind of a text, whatever whitespace is around it. A dot may end a placeholder.
    #[inline]
    pub fn of(text: &str) -> Self {
        let text = strip(text);
        match text.as_bytes() {
            [] => Self::Blank,
            [b'[', ..] => Self::ListBeginning,
            [b'a', ..] if text.starts_with("array(") => Self::ListBeginning,
            [b'#' | b'<' | b'N' | b'U' | b'n' | b'u', ..] => {
                let words = text.strip_suffix('.').unwrap_or(text);
                let plain = |byte: u8| if byte == b'_' { b' ' } else { byte.to_ascii_lowercase() };
                let is_placeholder =
                    PLACEHOLDERS.iter().any(|placeholder| placeholder.bytes().eq(words.bytes().map(plain)));
                if is_placeholder { Self::Placeholder } else { Self::Other }
            }
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PLACEHOLDERS, TextKind};

    fn is_possible(text: &str) -> bool {
        let byte = |index| text.as_bytes().get(index).copied().unwrap_or_default();
        TextKind::is_possible([byte(0), byte(1)])
    }

    #[test]
    fn two_bytes_are_possible_if_a_beginning_has_them_in_any_case() {
        let pairs = ["no", "nu", "na", "<n", "n/", "#n", "un", "ar"];
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                let begins = pairs.iter().any(|pair| pair.as_bytes().eq_ignore_ascii_case(&[first, second]));
                let expected = begins || first == b'[' || !(b'!'..=b'~').contains(&first);
                assert_eq!(TextKind::is_possible([first, second]), expected, "{first} {second}");
            }
        }
    }

    #[test]
    fn blank_texts() {
        for text in ["", " ", "\n\t", "\u{3000}\u{1c}"] {
            assert_eq!(TextKind::of(text), TextKind::Blank, "{text:?}");
            assert!(is_possible(text), "{text:?}");
        }
    }

    #[test]
    fn placeholders_in_any_case() {
        for text in PLACEHOLDERS {
            let joined = text.to_uppercase().replace(' ', "_");
            for text in [text.to_owned(), text.to_uppercase(), format!(" {text}.\n"), joined] {
                assert_eq!(TextKind::of(&text), TextKind::Placeholder, "{text:?}");
                assert!(is_possible(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn beginnings_of_lists() {
        for text in ["['a']", "\u{a0}[", "array(['a', 'b'])", "[x"] {
            assert_eq!(TextKind::of(text), TextKind::ListBeginning, "{text:?}");
            assert!(is_possible(text), "{text:?}");
        }
    }

    #[test]
    fn other_texts() {
        for text in ["42", "None of these", "Nana", "array", "é[", "nan..", "N", ".", "NO"] {
            assert_eq!(TextKind::of(text), TextKind::Other, "{text:?}");
        }
    }
}
