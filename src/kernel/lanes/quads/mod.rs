//! Levenshtein distances of four pairs at a time, each with one word per column, or two.
//!
//! Pairs come here whose differing parts are too long for lanes, up to 128 characters in one byte each. One pair alone
//! waits for each operation of the recurrence before the next one can start, so four of them take about as long
//! as one. Match bits come from a table, because there are too many rows to compare.

#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::Isa;

/// Pairs side by side.
pub const QUAD: usize = 4;

/// Rows of a word.
const ROWS: usize = u64::BITS as usize;

/// A value for each pair.
type Each = [u64; QUAD];

/// Four pairs of texts of at most `LONGEST` bytes, which take `WORDS` words a column.
pub struct Quads<const WORDS: usize, const LONGEST: usize> {
    /// The shorter text of each pair, and the longer one.
    texts: [[[u8; LONGEST]; QUAD]; 2],
    lengths: [[usize; QUAD]; 2],
    /// For each byte where the shorter texts have it. Zeros, and left so.
    bits: Box<[[Each; WORDS]; 256]>,
}

impl<const WORDS: usize, const LONGEST: usize> Default for Quads<WORDS, LONGEST> {
    fn default() -> Self {
        const { assert!(LONGEST == WORDS * ROWS) };
        Self {
            texts: [[[0; LONGEST]; QUAD]; 2],
            lengths: [[0; QUAD]; 2],
            bits: Box::new([[[0; QUAD]; WORDS]; 256]),
        }
    }
}

impl<const WORDS: usize, const LONGEST: usize> Quads<WORDS, LONGEST> {
    /// Sets the pair of a lane, texts that fit.
    pub fn set(&mut self, lane: usize, left: &[u8], right: &[u8]) {
        let (shorter, longer) = if left.len() <= right.len() { (left, right) } else { (right, left) };
        for (side, text) in [shorter, longer].into_iter().enumerate() {
            self.texts[side][lane][..text.len()].copy_from_slice(text);
            self.lengths[side][lane] = text.len();
        }
    }

    /// The distances; the first `used` were set.
    pub fn distances(&mut self, used: usize, isa: Isa) -> [usize; QUAD] {
        self.lengths.iter_mut().for_each(|lengths| lengths[used..].fill(0));
        isa.quad_distances(self)
    }

    /// See [`Self::distances`].
    #[inline(always)]
    fn compute(&mut self) -> [usize; QUAD] {
        let Self { texts: [shorter, longer], lengths: [rows, columns], bits, .. } = self;
        for lane in 0..QUAD {
            for (row, &byte) in shorter[lane][..rows[lane]].iter().enumerate() {
                bits[usize::from(byte)][row / ROWS][lane] |= 1 << (row % ROWS);
            }
        }
        let mut order = [0, 1, 2, 3];
        order.sort_unstable_by_key(|&lane: &usize| columns[lane]);
        let (mut up, mut down) = ([[u64::MAX; QUAD]; WORDS], [[0; QUAD]; WORDS]);
        let mut distances = [0; QUAD];
        let mut column = 0;
        for lane in order {
            let end = columns[lane].min(LONGEST);
            while column < end {
                let eq: [&[Each; WORDS]; QUAD] =
                    std::array::from_fn(|lane| &bits[usize::from(longer[lane][column])]);
                // The first row of the table grows by one a column.
                let (mut in_up, mut in_down) = ([1; QUAD], [0; QUAD]);
                for word in 0..WORDS {
                    for lane in 0..QUAD {
                        let (up, down) = (&mut up[word][lane], &mut down[word][lane]);
                        let eq = eq[lane][word][lane] | in_down[lane];
                        let diagonal = (((eq & *up).wrapping_add(*up)) ^ *up) | eq | *down;
                        let right_up = *down | !(diagonal | *up);
                        let right_down = *up & diagonal;
                        let (out_up, out_down) = (right_up >> (ROWS - 1), right_down >> (ROWS - 1));
                        let right_up = right_up << 1 | in_up[lane];
                        let right_down = right_down << 1 | in_down[lane];
                        *up = right_down | !(diagonal | right_up);
                        *down = right_up & diagonal;
                        (in_up[lane], in_down[lane]) = (out_up, out_down);
                    }
                }
                column += 1;
            }
            // The steps down the last column of this pair.
            let mut distance = columns[lane];
            for word in 0..WORDS {
                let rows = rows[lane].saturating_sub(word * ROWS);
                let inside = if rows < ROWS { (1 << rows) - 1 } else { u64::MAX };
                distance += (up[word][lane] & inside).count_ones() as usize;
                distance -= (down[word][lane] & inside).count_ones() as usize;
            }
            distances[lane] = distance;
        }
        for lane in 0..QUAD {
            for &byte in &shorter[lane][..rows[lane]] {
                bits[usize::from(byte)] = [[0; QUAD]; WORDS];
            }
        }
        distances
    }
}

/// The distances of four pairs.
pub fn distances<const WORDS: usize, const LONGEST: usize>(
    quads: &mut Quads<WORDS, LONGEST>,
) -> [usize; QUAD] {
    quads.compute()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::oracle::{ONE_IN, edit_distance};

    fn assert_distances<const WORDS: usize, const LONGEST: usize>(pairs: &[[Vec<u8>; 2]]) {
        // One character a byte, so that bytes beyond ASCII can be tried as well.
        let text = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect::<String>();
        let fits = |pair: &&[Vec<u8>; 2]| pair.iter().all(|text| text.len() <= LONGEST);
        let pairs: Vec<_> = pairs.iter().filter(fits).collect();
        for isa in Isa::available() {
            let mut quads = Quads::<WORDS, LONGEST>::default();
            for pairs in pairs.chunks(QUAD) {
                for (place, [left, right]) in pairs.iter().enumerate() {
                    quads.set(place, left, right);
                }
                let distances = quads.distances(pairs.len(), isa);
                for ([left, right], distance) in pairs.iter().zip(distances) {
                    let expected = edit_distance(&text(left), &text(right), 1);
                    assert_eq!(distance, expected, "{left:?} {right:?} {isa:?}");
                }
                assert!(quads.bits.iter().flatten().flatten().all(|&bits| bits == 0));
            }
        }
    }

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let borders = prop::sample::select(vec![0_usize, 1, 31, 32, 33, 63, 64, 65, 127, 128]);
        let letters = prop::sample::select(vec![0_u8, 1, b'a', 0x7f, 0x80, 0xff]);
        prop_oneof![borders, 0..=128_usize]
            .prop_flat_map(move |len| prop::collection::vec(letters.clone(), len))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000 / ONE_IN, ..ProptestConfig::default() })]

        #[test]
        fn fours_of_any_lengths(pairs in prop::collection::vec([texts(), texts()], 1..12)) {
            assert_distances::<1, 64>(&pairs);
            assert_distances::<2, 128>(&pairs);
        }
    }
}
