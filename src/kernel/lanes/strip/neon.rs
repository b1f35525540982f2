//! The columns of a strip with two words in a vector.

use std::arch::aarch64::{
    uint64x2_t, vaddq_u64, vandq_u64, vbicq_u64, vcopyq_laneq_u64, vdupq_n_s64, vdupq_n_u64, veorq_u64,
    vextq_u64, vgetq_lane_u64, vornq_u64, vorrq_u64, vreinterpretq_u64_s64, vshrq_n_u64, vsliq_n_u64,
};

use super::super::arch::neon::load_words;
use super::{Unit, WORDS, Words};

/// Columns between the first word and the last one.
const LAG: usize = WORDS - 1;

/// Four words.
type Vectors = [uint64x2_t; 2];

/// What goes from column to column.
struct Column {
    up: Vectors,
    down: Vectors,
    right_up: Vectors,
    right_down: Vectors,
    /// Match bits still to be used: of the last column for the second word, of the last three for the two after it.
    waiting: uint64x2_t,
    waiting_behind: [uint64x2_t; LAG],
}

/// See [`columns`](super::columns).
#[target_feature(enable = "neon")]
pub fn columns<U: Unit>(text: &[U], bits: &[Words], first: Words, steps: &mut [i8]) {
    let none = vdupq_n_u64(0);
    let first = vectors(&first);
    let mut column = Column {
        up: first,
        down: [none; 2],
        right_up: [none; 2],
        right_down: [none; 2],
        waiting: none,
        waiting_behind: [none; LAG],
    };
    for time in 0..LAG {
        let entering = text.get(time).map_or(&[0; WORDS], |unit| &bits[unit.code() as usize]);
        column.advance(entering, steps.get(time).copied().unwrap_or(0));
        // Words that have not come to their first column yet.
        if time == 0 {
            column.up[0] = vcopyq_laneq_u64::<1, 1>(column.up[0], first[0]);
            column.down[0] = vcopyq_laneq_u64::<1, 1>(column.down[0], none);
        }
        if time <= 1 {
            (column.up[1], column.down[1]) = (first[1], none);
        } else {
            column.up[1] = vcopyq_laneq_u64::<1, 1>(column.up[1], first[1]);
            column.down[1] = vcopyq_laneq_u64::<1, 1>(column.down[1], none);
        }
    }
    for time in LAG..text.len() {
        column.advance(&bits[text[time].code() as usize], steps[time]);
        steps[time - LAG] = column.lowest_step();
    }
    // The later words leave the text.
    for time in text.len().max(LAG)..text.len() + LAG {
        column.advance(&[0; WORDS], 0);
        steps[time - LAG] = column.lowest_step();
    }
}

impl Column {
    /// One step: the first word enters a column, the others follow.
    #[inline]
    #[target_feature(enable = "neon")]
    fn advance(&mut self, entering: &Words, above: i8) {
        let [ahead, behind] = vectors(entering);
        let [one, two, three] = self.waiting_behind;
        let eq = [vcopyq_laneq_u64::<1, 1>(ahead, self.waiting), vcopyq_laneq_u64::<1, 1>(two, three)];
        (self.waiting, self.waiting_behind) = (ahead, [behind, one, two]);
        let in_up = entering_bits(-i64::from(above), self.right_up);
        let in_down = entering_bits(i64::from(above), self.right_down);
        for half in 0..2 {
            let (up, down) = (self.up[half], self.down[half]);
            // As in `columns`, with as few operations as can be between a column and the next one.
            let eq_in = vorrq_u64(eq[half], in_down[half]);
            let sum = vaddq_u64(vandq_u64(eq_in, up), up);
            let kept = vorrq_u64(eq_in, down);
            let diagonal = vorrq_u64(veorq_u64(sum, up), kept);
            let right_up = vornq_u64(down, vorrq_u64(sum, vorrq_u64(kept, up)));
            // Where `up` is set, the sum differs where it is not.
            let right_down = vorrq_u64(vbicq_u64(up, sum), vandq_u64(kept, up));
            (self.right_up[half], self.right_down[half]) = (right_up, right_down);
            let right_up = vsliq_n_u64::<1>(in_up[half], right_up);
            let right_down = vsliq_n_u64::<1>(in_down[half], right_down);
            self.up[half] = vornq_u64(right_down, vorrq_u64(diagonal, right_up));
            self.down[half] = vandq_u64(right_up, diagonal);
        }
    }

    /// Horizontal step of the lowest row.
    #[inline]
    #[target_feature(enable = "neon")]
    fn lowest_step(&self) -> i8 {
        let sign = |words: Vectors| (vgetq_lane_u64::<1>(words[1]) >> 63) as i8;
        sign(self.right_up) - sign(self.right_down)
    }
}

/// What enters each word: the highest bit of the word above, which is a column ahead, or the sign of `above`.
#[inline]
#[target_feature(enable = "neon")]
fn entering_bits(above: i64, [ahead, behind]: Vectors) -> Vectors {
    let above = vreinterpretq_u64_s64(vdupq_n_s64(above));
    let words = [vextq_u64::<1>(above, ahead), vextq_u64::<1>(ahead, behind)];
    words.map(|words| vshrq_n_u64::<63>(words))
}

#[inline]
#[target_feature(enable = "neon")]
fn vectors(words: &Words) -> Vectors {
    let (halves, _) = words.as_chunks();
    [load_words(&halves[0]), load_words(&halves[1])]
}
