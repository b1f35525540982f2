//! Levenshtein distances of short pairs, one pair in each lane of a vector.
//!
//! Up to 32 pairs are transposed, so that one vector holds the first character of every pattern, the next
//! one the second, and so on. Which pattern positions equal a text character is then found by comparing
//! vectors, without a table, and one step of the bit-parallel recurrence (Hyyrö 2003) serves all lanes.
//!
//! Texts are padded with zeros. Padding both sides to the same column is exact: it is a common suffix, which
//! never changes the distance. All lanes therefore run as many columns as the longest text needs, and each
//! lane's distance is read from the row that its own padding reaches. NUL in a text is harmless.
//!
//! The right method for bytes of up to 32 characters: 5 to 30 ns a pair, where one word a pair takes 40 to
//! 140.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[macro_use]
mod kernel;
#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::{Isa, LONGEST, Padded, Register};
use crate::kernel::bit_parallel::distance_units;

/// Pairs in one batch.
pub const PAIRS: usize = 32;

/// Bytes of a register that one of two texts has.
const HALF: usize = LONGEST / 2;

/// A text of characters of `BYTES` bytes: a register for each of their bytes, and the number of characters.
pub type Planes<const BYTES: usize> = ([Register; BYTES], usize);

/// Pairs on their way into the lanes. Lanes that are not filled hold empty texts.
#[derive(Clone)]
pub struct Batch<const BYTES: usize> {
    /// For each byte of a character: the shorter text of each pair, and the longer one.
    texts: [[[Padded; PAIRS]; 2]; BYTES],
    lengths: [[u8; PAIRS]; 2],
}

impl<const BYTES: usize> Default for Batch<BYTES> {
    fn default() -> Self {
        Self { texts: [[[[0; LONGEST]; PAIRS]; 2]; BYTES], lengths: [[0; PAIRS]; 2] }
    }
}

impl<const BYTES: usize> Batch<BYTES> {
    /// Sets the pair of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, left: Planes<BYTES>, right: Planes<BYTES>) {
        // A computed place costs less than a branch that is taken at random.
        let longer = usize::from(left.1 > right.1);
        for ((left, right), texts) in left.0.iter().zip(&right.0).zip(&mut self.texts) {
            left.store(&mut texts[longer][lane]);
            right.store(&mut texts[1 - longer][lane]);
        }
        self.lengths[longer][lane] = left.1 as u8;
        self.lengths[1 - longer][lane] = right.1 as u8;
    }

    /// Sets the pair of a lane, texts of one byte a character, each in its half of the register. The batch has no
    /// longer texts.
    #[inline(always)]
    pub fn set_both(&mut self, lane: usize, bytes: Register, [left, right]: [usize; 2]) {
        let longer = usize::from(left > right);
        let mut both = [0; LONGEST];
        bytes.store(&mut both);
        let texts = &mut self.texts[0];
        texts[longer][lane][..HALF].copy_from_slice(&both[..HALF]);
        texts[1 - longer][lane][..HALF].copy_from_slice(&both[HALF..]);
        self.lengths[longer][lane] = left as u8;
        self.lengths[1 - longer][lane] = right as u8;
    }

    /// Distances of all lanes; the first `used` were set.
    pub fn distances(&mut self, used: usize, isa: Isa) -> [u8; PAIRS] {
        // The lengths of an earlier batch would make this one run for more columns.
        self.lengths.iter_mut().for_each(|lengths| lengths[used..].fill(0));
        let longest = self.lengths[1].iter().copied().max().unwrap_or(0);
        isa.distances(self, longest)
    }

    fn units(&self, side: usize, lane: usize) -> Vec<u32> {
        let unit = |place: usize| {
            self.texts.iter().rev().fold(0, |unit, texts| unit << 8 | u32::from(texts[side][lane][place]))
        };
        (0..usize::from(self.lengths[side][lane])).map(unit).collect()
    }
}

/// Distances of all lanes of a batch, one after the other.
pub fn distances<const BYTES: usize>(batch: &Batch<BYTES>, _longest: u8) -> [u8; PAIRS] {
    std::array::from_fn(|lane| {
        let [pattern, text] = [0, 1].map(|side| batch.units(side, lane));
        if pattern.is_empty() { text.len() as u8 } else { distance_units(&pattern, &text) as u8 }
    })
}
