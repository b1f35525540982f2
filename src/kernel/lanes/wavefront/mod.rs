//! The furthest cells of the diagonals after one error more: eight diagonals at once; each fetches the next
//! characters of both texts at places of its own.
//!
//! [`diagonal`](crate::kernel::diagonal) computes texts of more than 64 characters with it that differ little. A cell
//! takes about 1.5 ns with AVX2. NEON and SSE2 have no gather, so the diagonals are processed one by one there, which
//! takes 15 times as long.
//!
//! Most diagonals end at once. The others are collected as bits and followed one by one afterwards, because a branch
//! for each diagonal would often be mispredicted.

#[cfg(target_arch = "x86_64")]
pub mod x86;

use crate::kernel::pattern::Unit;

/// A cell that no path reaches; small enough that adding to it does not matter.
pub const NOWHERE: i32 = i32::MIN / 2;

/// Diagonals that are computed together; their number is always a multiple of it.
pub const DIAGONALS: usize = 8;

/// Two texts.
#[derive(Clone, Copy)]
pub struct Table<'a, U> {
    /// The shorter text, whose characters are the rows.
    pub pattern: &'a [U],
    /// The longer text, whose characters are the columns.
    pub text: &'a [U],
}

/// Neighbouring diagonals, one error further.
pub struct Wavefront<'a> {
    /// The diagonal of the first cell: column minus row, as counted from the start.
    pub first: i32,
    /// The rows that an error less reaches, with a cell more at each end.
    pub before: &'a [i32],
    /// The rows that are reached, [`NOWHERE`] on diagonals outside of the table.
    pub now: &'a mut [i32],
}

/// One error more from the start of the texts, and one from their end, where rows and columns are counted
/// backwards. Returns row plus column of the furthest cell of each.
pub fn wavefronts<U: Unit>(table: Table<U>, start: Wavefront, end: Wavefront) -> [usize; 2] {
    [one_by_one::<U, false>(table, start), one_by_one::<U, true>(table, end)]
}

fn one_by_one<U: Unit, const BACK: bool>(table: Table<U>, wavefront: Wavefront) -> usize {
    let Wavefront { first, before, now } = wavefront;
    let (rows, columns) = table.size();
    for ((diagonal, row), near) in (first..).zip(&mut *now).zip(before.windows(3)) {
        let [free, costly] = if BACK { [near[2], near[0]] } else { [near[0], near[2]] };
        let last = if BACK { rows + diagonal } else { columns - diagonal };
        *row = free.max(near[1].max(costly) + 1).min(rows).min(last);
    }
    let mut furthest = 0;
    for (diagonal, row) in (first..).zip(now) {
        if *row >= 0 && table.column::<BACK>(*row, diagonal) >= 0 {
            *row += table.follow::<BACK>(*row, diagonal);
            furthest = furthest.max(*row + table.column::<BACK>(*row, diagonal));
        } else {
            *row = NOWHERE;
        }
    }
    furthest.cast_unsigned() as usize
}

#[expect(clippy::cast_sign_loss, reason = "cells of the table")]
#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than 2^31")]
impl<U: Unit> Table<'_, U> {
    /// Rows and columns.
    fn size(&self) -> (i32, i32) {
        (self.pattern.len() as i32, self.text.len() as i32)
    }

    /// The column of a row on a diagonal, counted from the same end as the row.
    #[inline]
    fn column<const BACK: bool>(&self, row: i32, diagonal: i32) -> i32 {
        let (rows, columns) = self.size();
        row + if BACK { columns - rows - diagonal } else { diagonal }
    }

    /// How many characters are equal from a cell of the table on.
    #[inline]
    fn follow<const BACK: bool>(&self, row: i32, diagonal: i32) -> i32 {
        let (pattern, text) = self.rest::<BACK>(row, diagonal);
        let same = if BACK { U::common_suffix(pattern, text) } else { U::common_prefix(pattern, text) };
        same as i32
    }

    /// What both texts hold from a cell of the table on.
    #[inline]
    fn rest<const BACK: bool>(&self, row: i32, diagonal: i32) -> (&[U], &[U]) {
        let (row, column) = (row as usize, self.column::<BACK>(row, diagonal) as usize);
        if BACK {
            (&self.pattern[..self.pattern.len() - row], &self.text[..self.text.len() - column])
        } else {
            (&self.pattern[row..], &self.text[column..])
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Isa;
    use super::*;

    /// The furthest rows of all numbers of errors up to `most`, from both ends.
    fn progress<U: Unit>(
        isa: Isa,
        pattern: &[U],
        text: &[U],
        most: usize,
    ) -> Vec<([Vec<i32>; 2], [usize; 2])> {
        let table = Table { pattern, text };
        let room = most + 1 + DIAGONALS;
        let last = i32::try_from(text.len() - pattern.len()).unwrap();
        let mut rows = [vec![NOWHERE; 2 * room + 1], vec![NOWHERE; 2 * room + 1]];
        rows[0][room] = 0;
        rows[1][room] = 0;
        (1..=most)
            .map(|errors| {
                let from = room - errors;
                let to = from + (2 * errors + 1).next_multiple_of(DIAGONALS);
                let mut now = rows.clone();
                let [start, end] = &mut now;
                let wavefront = |side: usize, centre: i32, now| Wavefront {
                    first: centre - i32::try_from(errors).unwrap(),
                    before: &rows[side][from - 1..=to],
                    now,
                };
                let furthest = isa.wavefronts(
                    table,
                    wavefront(0, 0, &mut start[from..to]),
                    wavefront(1, last, &mut end[from..to]),
                );
                rows = now;
                (rows.clone(), furthest)
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn instruction_sets_agree(
            letters in 1..=4_u8,
            texts in prop::array::uniform2(prop::collection::vec(any::<u8>(), 0..300)),
            shared in prop::collection::vec(any::<u8>(), 0..300),
            most in 1..90_usize,
        ) {
            // Texts of exactly the length that is held, so that a checker of memory sees what is read beyond them.
            let [left, right] = texts.map(|text| {
                let (head, tail) = text.split_at(text.len() / 2);
                let units = [head, &shared, tail].concat();
                units.into_iter().map(|byte| byte % letters).collect::<Box<[u8]>>()
            });
            let (pattern, text) = if left.len() <= right.len() { (left, right) } else { (right, left) };
            let expected = progress(Isa::Portable, &pattern, &text, most);
            let units = [&pattern, &text].map(|text| text.iter().map(|&byte| u32::from(byte)).collect::<Box<[u32]>>());
            for isa in Isa::available() {
                prop_assert_eq!(&progress(isa, &pattern, &text, most), &expected);
                prop_assert_eq!(&progress(isa, &units[0], &units[1], most), &expected);
            }
        }
    }
}
