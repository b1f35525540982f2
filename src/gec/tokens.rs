//! Tokens: the words between whitespace, numbered.
//!
//! Numbers are compared in one operation, and hold within one row only: each row starts its own [`Vocabulary`].

use std::collections::HashMap;

use crate::kernel::whitespace::is_whitespace;

/// The words of a text, as Python's `str.split()` gives them.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_whitespace).filter(|word| !word.is_empty())
}

/// Numbers words: equal words get equal numbers.
#[derive(Default)]
pub struct Vocabulary<'a> {
    numbers: HashMap<&'a str, u32>,
    words: Vec<&'a str>,
}

impl<'a> Vocabulary<'a> {
    /// The number of a word.
    pub fn number(&mut self, word: &'a str) -> u32 {
        let next = self.words.len() as u32;
        let words = &mut self.words;
        *self.numbers.entry(word).or_insert_with(|| {
            words.push(word);
            next
        })
    }

    /// The numbers of the words of a text.
    pub fn numbers(&mut self, text: &'a str) -> Vec<u32> {
        split(text).map(|word| self.number(word)).collect()
    }

    /// Words joined by one space.
    pub fn join(&self, numbers: &[u32]) -> String {
        let words: Vec<_> = numbers.iter().map(|&number| self.words[number as usize]).collect();
        words.join(" ")
    }
}
