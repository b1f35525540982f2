//! Match bits of a pattern: for each character, the positions at which the pattern holds it.
//!
//! The bit-parallel methods ask, for each character of the text, "where is it in the pattern?". The
//! answers are in a table. It is indexed by dense ids, so that it stays small whatever the script.

use std::collections::HashMap;

/// A text unit: a byte that is a character, or a code point.
pub trait Unit: Copy + Eq {
    /// The unit as a code point.
    fn code(self) -> u32;

    /// Units by their type, for what is done with each in a way of its own.
    fn units(units: &[Self]) -> Units<'_>;

    /// Length of the common prefix of two blocks, [`BLOCK`] for equal ones.
    fn first_difference(left: &[Self; BLOCK], right: &[Self; BLOCK]) -> usize;

    /// Length of their common suffix.
    fn last_difference(left: &[Self; BLOCK], right: &[Self; BLOCK]) -> usize;

    /// Length of the common prefix of two texts, compared in blocks.
    #[inline]
    fn common_prefix(left: &[Self], right: &[Self]) -> usize {
        let (mut left, mut right, mut length) = (left, right, 0);
        while let (Some((left_block, left_rest)), Some((right_block, right_rest))) =
            (left.split_first_chunk(), right.split_first_chunk())
        {
            let same = Self::first_difference(left_block, right_block);
            length += same;
            if same < BLOCK {
                return length;
            }
            (left, right) = (left_rest, right_rest);
        }
        length + left.iter().zip(right).take_while(|(left, right)| left == right).count()
    }

    /// Length of the common suffix of two texts, compared in blocks.
    #[inline]
    fn common_suffix(left: &[Self], right: &[Self]) -> usize {
        let (mut left, mut right, mut length) = (left, right, 0);
        while let (Some((left_rest, left_block)), Some((right_rest, right_block))) =
            (left.split_last_chunk(), right.split_last_chunk())
        {
            let same = Self::last_difference(left_block, right_block);
            length += same;
            if same < BLOCK {
                return length;
            }
            (left, right) = (left_rest, right_rest);
        }
        let pairs = left.iter().rev().zip(right.iter().rev());
        length + pairs.take_while(|(left, right)| left == right).count()
    }
}

/// Units of each type.
pub enum Units<'a> {
    /// Bytes that are characters.
    Bytes(&'a [u8]),
    /// Code points, or ids of them.
    Codes(&'a [u32]),
}

/// Units that are compared at once.
pub const BLOCK: usize = 8;

impl Unit for u8 {
    #[inline]
    fn code(self) -> u32 {
        u32::from(self)
    }

    #[inline]
    fn units(units: &[Self]) -> Units<'_> {
        Units::Bytes(units)
    }

    #[inline]
    fn first_difference(left: &[Self; BLOCK], right: &[Self; BLOCK]) -> usize {
        let difference = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        difference.trailing_zeros() as usize / 8
    }

    #[inline]
    fn last_difference(left: &[Self; BLOCK], right: &[Self; BLOCK]) -> usize {
        // Read backwards, so that the zeros are counted in the same way: some processors are slow at the other one.
        let difference = u64::from_be_bytes(*left) ^ u64::from_be_bytes(*right);
        difference.trailing_zeros() as usize / 8
    }
}

impl Unit for u32 {
    #[inline]
    fn code(self) -> u32 {
        self
    }

    #[inline]
    fn units(units: &[Self]) -> Units<'_> {
        Units::Codes(units)
    }

    #[inline]
    fn first_difference(left: &[Self; BLOCK], right: &[Self; BLOCK]) -> usize {
        left.iter().zip(right).position(|(left, right)| left != right).unwrap_or(BLOCK)
    }

    #[inline]
    fn last_difference(left: &[Self; BLOCK], right: &[Self; BLOCK]) -> usize {
        left.iter().zip(right).rev().position(|(left, right)| left != right).unwrap_or(BLOCK)
    }
}

/// Two texts as dense ids, for tables that are indexed by them; reused from pair to pair.
#[derive(Default)]
pub struct DenseIds {
    /// Id of each code point of the basic plane, 0 where it has none.
    basic: Vec<u32>,
    others: HashMap<u32, u32>,
    /// The pattern's ids.
    pub pattern: Vec<u32>,
    /// The text's ids; 0 where the pattern does not have the code point.
    pub text: Vec<u32>,
}

/// Code points of the basic plane.
pub const BASIC: usize = 1 << 16;

impl DenseIds {
    /// Replaces the texts and returns the number of ids.
    pub fn fill<U: Unit>(&mut self, pattern: &[U], text: &[U]) -> usize {
        let Self { basic, others, pattern: pattern_ids, text: text_ids } = self;
        basic.resize(BASIC, 0);
        let mut next = 1;
        pattern_ids.clear();
        pattern_ids.extend(pattern.iter().map(|unit| {
            let code = unit.code();
            let id = match basic.get_mut(code as usize) {
                Some(id) => id,
                None => others.entry(code).or_insert(0),
            };
            if *id == 0 {
                *id = next;
                next += 1;
            }
            *id
        }));
        text_ids.clear();
        text_ids.extend(text.iter().map(|unit| match basic.get(unit.code() as usize) {
            Some(&id) => id,
            None => others.get(&unit.code()).copied().unwrap_or(0),
        }));
        for unit in pattern {
            if let Some(id) = basic.get_mut(unit.code() as usize) {
                *id = 0;
            }
        }
        others.clear();
        next as usize
    }
}

/// Match bits of a pattern for the units of a text, in words of 64 positions; reused from pair to pair.
#[derive(Default)]
pub struct MatchBits {
    ids: DenseIds,
    words: usize,
    /// `words` words for each id; those of id 0 stay zero.
    bits: Vec<u64>,
}

impl MatchBits {
    /// Replaces the tables by those of other texts.
    pub fn fill<U: Unit>(&mut self, pattern: &[U], text: &[U]) {
        let Self { ids, words, bits } = self;
        *words = pattern.len().div_ceil(64);
        bits.clear();
        bits.resize(ids.fill(pattern, text) * *words, 0);
        for (position, &id) in ids.pattern.iter().enumerate() {
            bits[id as usize * *words + position / 64] |= 1 << (position % 64);
        }
    }

    /// The number of 64-position words.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The match bits of each unit of the text, [`Self::words`] words.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.ids.text.iter().map(|&id| &self.bits[id as usize * self.words..][..self.words])
    }
}
