//! Spellings that count as the same, such as `aͤ` for `ä`.
//!
//! Each pair of a table replaces one text by another in the whole text, in order. A text is searched once per pair, so
//! tables of a few dozen spellings are meant, not dictionaries. Tables live as long as the process: a program has a
//! few.

use std::collections::HashSet;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Mutex, PoisonError};

/// A spelling and its replacement.
type Pair = (String, String);

/// A table of texts that are replaced by others, one after the other in the whole text. Two are equal if they are the
/// same.
#[derive(Clone, Copy)]
pub struct Equivalences(&'static [Pair]);

impl Equivalences {
    /// The table of these pairs; `None` if there are none.
    ///
    /// It is kept as long as the process, so that what refers to it is copied like a number: a program has a few.
    pub fn new(pairs: Vec<Pair>) -> Option<Self> {
        static KNOWN: Mutex<Option<HashSet<&'static [Pair]>>> = Mutex::new(None);
        if pairs.is_empty() {
            return None;
        }
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if let Some(&table) = known.get(pairs.as_slice()) {
            return Some(Self(table));
        }
        let table: &'static [Pair] = pairs.leak();
        known.insert(table);
        Some(Self(table))
    }

    /// The text with all replacements; `None` where nothing is replaced.
    pub fn apply(self, text: &str) -> Option<String> {
        let mut replaced: Option<String> = None;
        for (from, to) in self.0 {
            let text = replaced.as_deref().unwrap_or(text);
            if text.contains(from.as_str()) {
                replaced = Some(text.replace(from.as_str(), to));
            }
        }
        replaced
    }
}

impl PartialEq for Equivalences {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Equivalences {}

impl Debug for Equivalences {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        formatter.debug_map().entries(self.0.iter().map(|(from, to)| (from, to))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(pairs: &[(&str, &str)]) -> Equivalences {
        let pairs = pairs.iter().map(|&(from, to)| (from.to_owned(), to.to_owned()));
        Equivalences::new(pairs.collect()).expect("there are pairs")
    }

    #[test]
    fn replacements_follow_each_other() {
        let table = table(&[("ſſ", "ss"), ("==", "–"), ("ss", "ß")]);
        assert_eq!(table.apply("daſſ ==="), Some("daß –=".to_owned()));
        assert_eq!(table.apply("das = s s"), None);
    }

    #[test]
    fn tables_of_the_same_pairs_are_equal() {
        assert_eq!(table(&[("a", "b"), ("b", "c")]), table(&[("a", "b"), ("b", "c")]));
        assert_ne!(table(&[("a", "b"), ("b", "c")]), table(&[("b", "c"), ("a", "b")]));
        assert_eq!(Equivalences::new(Vec::new()), None);
    }
}
