//! Levenshtein distance to a pattern of at most 64 characters, one machine word a column.
//!
//! Myers (1999) in Hyyrö's formulation (2003): one column of the dynamic-programming table is two words
//! that hold the +1 and the -1 steps between neighbouring cells, and a text character advances it in about
//! fifteen instructions.

use super::pattern::Unit;

/// Distance between `pattern` (1 to 64 units) and `text`. `bits` is a table of zeros for each unit, and is left so: only
/// the entries of the pattern are written and wiped, which is much cheaper than clearing all of it for each pair.
#[inline(always)]
pub fn distance_by_table<U: Unit>(pattern: &[U], text: &[U], bits: &mut [u64]) -> usize {
    for (position, unit) in pattern.iter().enumerate() {
        bits[unit.code() as usize] |= 1 << position;
    }
    let distance = columns(pattern.len(), text.iter().map(|unit| bits[unit.code() as usize]));
    for unit in pattern {
        bits[unit.code() as usize] = 0;
    }
    distance
}

/// Distance between `pattern` (1 to 64 units) and `text`, for any script. Comparing a text unit with all pattern units
/// beats a hash table for short patterns: the loop has no unpredictable branch, and becomes vector compares.
pub fn distance_units<U: Unit>(pattern: &[U], text: &[U]) -> usize {
    let match_bits = |unit: U| {
        pattern.iter().enumerate().fold(0, |bits, (position, &p)| bits | (u64::from(p == unit) << position))
    };
    columns(pattern.len(), text.iter().map(|&unit| match_bits(unit)))
}

/// Distance between a pattern and a text, given for each unit of the text its positions in the pattern.
#[inline(always)]
pub fn columns(pattern_length: usize, match_bits: impl Iterator<Item = u64>) -> usize {
    debug_assert!((1..=64).contains(&pattern_length));
    let last = 1 << (pattern_length - 1);
    let (mut up, mut down) = (u64::MAX, 0_u64);
    let mut distance = pattern_length;
    for eq in match_bits {
        let diagonal = (((eq & up).wrapping_add(up)) ^ up) | eq | down;
        let mut right_up = down | !(diagonal | up);
        let mut right_down = up & diagonal;
        distance += usize::from(right_up & last != 0);
        distance -= usize::from(right_down & last != 0);
        // The first row of the table grows by one a column.
        right_up = (right_up << 1) | 1;
        right_down <<= 1;
        up = right_down | !(diagonal | right_up);
        down = right_up & diagonal;
    }
    distance
}
