//! The columns of a strip of 256 rows: four words of the recurrence side by side. Each is one column later than the word
//! above it, so that the carry between them comes from the step before.
//!
//! [`band`](crate::kernel::band) computes long texts with it that differ in more than about 6 % of their characters. A
//! column takes about 12 ns with AVX-512, and two to three times as long without vectors.

#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use crate::kernel::pattern::Unit;

/// Words side by side.
pub const WORDS: usize = 4;

/// A bit for each row of a strip.
pub type Words = [u64; WORDS];

/// The columns of a strip, from the match bits of each unit and the vertical steps of the column before the first
/// one. `steps` holds the horizontal step (+1, 0 or -1) of the row above at each column, and gets that of the lowest.
pub fn columns<U: Unit>(text: &[U], bits: &[Words], first: Words, steps: &mut [i8]) {
    let (mut up, mut down) = (first, [0; WORDS]);
    let (mut carry_up, mut carry_down): (Words, Words) = ([0; WORDS], [0; WORDS]);
    // Match bits of the last columns, which later words still need.
    let mut waiting = [[0; WORDS]; WORDS - 1];
    let lag = WORDS - 1;
    for time in 0..text.len() + lag {
        let entering = text.get(time).map_or([0; WORDS], |unit| bits[unit.code() as usize]);
        let eq = [entering[0], waiting[0][1], waiting[1][2], waiting[2][3]];
        waiting = [entering, waiting[0], waiting[1]];
        let above = steps.get(time).copied().unwrap_or(0);
        let in_up = [u64::from(above > 0), carry_up[0], carry_up[1], carry_up[2]];
        let in_down = [u64::from(above < 0), carry_down[0], carry_down[1], carry_down[2]];
        for l in 0..WORDS {
            let eq_in = eq[l] | in_down[l];
            let diagonal = (((eq_in & up[l]).wrapping_add(up[l])) ^ up[l]) | eq_in | down[l];
            let right_up = down[l] | !(diagonal | up[l]);
            let right_down = up[l] & diagonal;
            carry_up[l] = right_up >> 63;
            carry_down[l] = right_down >> 63;
            let right_up = (right_up << 1) | in_up[l];
            let right_down = (right_down << 1) | in_down[l];
            up[l] = right_down | !(diagonal | right_up);
            down[l] = right_up & diagonal;
        }
        if time < lag {
            // Words that have not come to their first column yet.
            for l in time + 1..WORDS {
                (up[l], down[l]) = (first[l], 0);
            }
        } else {
            steps[time - lag] = carry_up[lag] as i8 - carry_down[lag] as i8;
        }
    }
}
