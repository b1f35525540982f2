//! Random pairs of texts as columns, for benchmarks of the kernel alone.

use std::ops::Range;

use anls_frame::kernel::request::{Rows, Texts};
use anls_frame::kernel::view::{INLINE, Memory};

/// Random numbers (`SplitMix64`), the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    pub fn one_of(&mut self, letters: &[char]) -> char {
        letters[self.below(letters.len())]
    }

    /// The text after these numbers of insertions, deletions and replacements.
    pub fn with_errors(&mut self, text: &[char], errors: usize, letters: &[char]) -> Vec<char> {
        let mut text = text.to_vec();
        for _ in 0..errors {
            let place = self.below(text.len());
            match self.below(3) {
                0 => text.insert(place, self.one_of(letters)),
                1 if text.len() > 1 => drop(text.remove(place)),
                _ => text[place] = self.one_of(letters),
            }
        }
        text
    }
}

/// A column as Arrow keeps it, in one buffer.
#[derive(Default)]
pub struct Column {
    pub views: Vec<u128>,
    pub buffer: String,
    starts: Vec<usize>,
}

impl Column {
    pub fn push(&mut self, text: &str) {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
        if text.len() <= INLINE as usize {
            view[4..4 + text.len()].copy_from_slice(text.as_bytes());
        } else {
            view[4..8].copy_from_slice(&text.as_bytes()[..4]);
            view[12..].copy_from_slice(&(self.buffer.len() as u32).to_le_bytes());
        }
        self.views.push(u128::from_le_bytes(view));
        // Short texts as well, as a view cannot be lent as one.
        self.starts.push(self.buffer.len());
        self.buffer.push_str(text);
    }
}

impl Texts for Column {
    fn views<'a>(&'a self, texts: Range<usize>, _room: &'a mut Vec<u128>) -> &'a [u128] {
        &self.views[texts]
    }

    fn has_nulls(&self) -> bool {
        false
    }

    fn is_valid(&self, _index: usize) -> bool {
        true
    }

    fn clear_nulls(&self, _texts: Range<usize>, _bits: &mut [u64]) {}

    fn text(&self, index: usize) -> &str {
        &self.buffer[self.starts[index]..][..self.views[index] as u32 as usize]
    }

    fn memory(&self, index: usize) -> Memory<'_> {
        Memory::new(&self.buffer.as_bytes()[self.starts[index]..], self.views[index] as u32 as usize)
    }
}

/// A prediction and an answer a row.
#[derive(Default)]
pub struct Table {
    pub predictions: Column,
    pub answers: Column,
}

impl Table {
    pub fn push(&mut self, [prediction, answer]: [String; 2]) {
        self.predictions.push(&prediction);
        self.answers.push(&answer);
    }
}

impl Rows for Table {
    type Texts = Column;

    fn texts(&self) -> [&Column; 2] {
        [&self.predictions, &self.answers]
    }

    fn answers(&self, row: usize) -> Range<usize> {
        row..row + 1
    }

    fn answers_of(&self, rows: Range<usize>) -> Range<usize> {
        rows
    }

    fn have_one_answer(&self, _rows: Range<usize>) -> bool {
        true
    }
}
