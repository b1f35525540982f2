//! Longest common subsequence with a pattern of any length, in blocks of 64 rows with carries between them (Hyyrö
//! 2004).
//!
//! It gives the distance without substitutions, for which they cost at least 2. The time grows with the product of the
//! lengths, divided by 64; errors do not shorten it.

use super::pattern::{MatchBits, Unit};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct CommonSubsequence {
    bits: MatchBits,
    lcs: Vec<u64>,
}

impl CommonSubsequence {
    /// Length of the longest common subsequence of two texts; `pattern` is not empty.
    pub fn common_subsequence<U: Unit>(&mut self, pattern: &[U], text: &[U]) -> usize {
        self.bits.fill(pattern, text);
        self.lcs.clear();
        self.lcs.resize(self.bits.words(), u64::MAX);
        for match_bits in self.bits.rows() {
            let mut carry = false;
            for (row, &eq) in self.lcs.iter_mut().zip(match_bits) {
                let matches = *row & eq;
                let (sum, first) = row.overflowing_add(matches);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                carry = first || second;
                *row = sum | (*row & !eq);
            }
        }
        // A zero bit is a row at which the common subsequence grows. Rows past the pattern's end match
        // nothing, so they keep their ones.
        self.lcs.iter().map(|row| row.count_zeros() as usize).sum()
    }
}
