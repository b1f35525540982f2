//! The furthest cells of the diagonals after one error more, for [`diagonal`](crate::kernel::diagonal): eight
//! diagonals at once, of which each fetches the next characters of both texts at places of its own.
//!
//! Most diagonals end at once. Those that do not become bits, and are followed to their ends one by one
//! afterwards: a branch for each diagonal would be one that nobody can predict.

use crate::kernel::pattern::Unit;

/// A cell that no path reaches; small enough that adding to it does not matter.
pub const NOWHERE: i32 = i32::MIN / 2;

/// Diagonals side by side: what is computed is a multiple of them.
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
pub struct Wave<'a> {
    /// The diagonal of the first cell: column minus row, as counted from the start.
    pub first: i32,
    /// The rows that an error less reaches, with a cell more at each end.
    pub before: &'a [i32],
    /// The rows that are reached, [`NOWHERE`] on diagonals outside of the table.
    pub now: &'a mut [i32],
}

/// One error more from the start of the texts, and one from their end, where rows and columns are counted
/// backwards. Returns row plus column of the furthest cell of each.
pub fn waves<U: Unit>(table: Table<U>, start: Wave, end: Wave) -> [usize; 2] {
    [one_by_one::<U, false>(table, start), one_by_one::<U, true>(table, end)]
}

fn one_by_one<U: Unit, const BACK: bool>(table: Table<U>, wave: Wave) -> usize {
    let Wave { first, before, now } = wave;
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

#[cfg(target_arch = "x86_64")]
#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than 2^31")]
pub mod avx2 {
    use std::arch::x86_64::{
        __m256i as Vector, _mm256_add_epi32 as add, _mm256_and_si256 as and, _mm256_andnot_si256 as and_not,
        _mm256_blendv_epi8, _mm256_castsi256_ps, _mm256_cmpeq_epi8, _mm256_cmpeq_epi32, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_mask_i32gather_epi32, _mm256_max_epi32 as max,
        _mm256_min_epi32 as min, _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_or_si256 as or,
        _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32 as all, _mm256_setr_epi8, _mm256_setr_epi32,
        _mm256_setzero_si256 as zero, _mm256_shuffle_epi8, _mm256_srai_epi32, _mm256_storeu_si256,
        _mm256_sub_epi32 as sub,
    };
    use std::ops::Range;

    use super::{DIAGONALS, NOWHERE, Table, Unit, Wave};

    /// Bytes of a vector.
    const BYTES: usize = 32;

    /// Vectors whose bits are kept at once.
    const AT_ONCE: usize = 64 / DIAGONALS;

    /// See [`waves`](super::waves); both have the same number of cells, a multiple of [`DIAGONALS`].
    #[target_feature(enable = "avx2")]
    pub fn waves<U: Unit>(table: Table<U>, mut start: Wave, mut end: Wave) -> [usize; 2] {
        let length = start.now.len();
        assert!(length.is_multiple_of(DIAGONALS) && end.now.len() == length);
        let mut furthest = [[0; DIAGONALS]; 2];
        for from in (0..length).step_by(DIAGONALS * AT_ONCE) {
            let to = length.min(from + DIAGONALS * AT_ONCE);
            // Both before any is followed: one waits less for the other.
            let open = [
                advance::<U, false>(table, &mut start, from..to, &mut furthest[0]),
                advance::<U, true>(table, &mut end, from..to, &mut furthest[1]),
            ];
            follow::<U, false>(table, &mut start, from, open[0], &mut furthest[0]);
            follow::<U, true>(table, &mut end, from, open[1], &mut furthest[1]);
        }
        furthest.map(|sums| sums.into_iter().fold(0, i32::max).cast_unsigned() as usize)
    }

    /// One error more, and over the characters that are fetched. Returns a bit for each diagonal that may go on.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn advance<U: Unit, const BACK: bool>(
        table: Table<U>,
        wave: &mut Wave,
        cells: Range<usize>,
        furthest: &mut [i32; DIAGONALS],
    ) -> u64 {
        let (mut open, mut sums) = (0, load(furthest));
        let before = &wave.before[cells.start..cells.end + 2];
        let chunks = wave.now[cells.clone()].as_chunks_mut().0.iter_mut().enumerate();
        for (index, now) in chunks {
            let place = DIAGONALS * index;
            let near = before[place..].first_chunk().expect("a cell more at each end");
            let eight = eight::<U, BACK>(table, wave.first + (cells.start + place) as i32, near);
            store(now, eight.rows);
            sums = max(sums, eight.sums);
            open |= u64::from(eight.open) << place;
        }
        store(furthest, sums);
        open
    }

    /// Passes over the equal characters of the diagonals whose bits are set.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn follow<U: Unit, const BACK: bool>(
        table: Table<U>,
        wave: &mut Wave,
        from: usize,
        mut open: u64,
        furthest: &mut [i32; DIAGONALS],
    ) {
        while open != 0 {
            let place = from + open.trailing_zeros() as usize;
            open &= open - 1;
            let (row, diagonal) = (&mut wave.now[place], wave.first + place as i32);
            let (pattern, text) = table.rest::<BACK>(*row, diagonal);
            *row += same::<U, BACK>(pattern, text) as i32;
            furthest[0] = furthest[0].max(*row + table.column::<BACK>(*row, diagonal));
        }
    }

    /// Eight diagonals.
    struct Eight {
        rows: Vector,
        /// Row plus column of those in the table.
        sums: Vector,
        /// A bit for each that may go on.
        open: u32,
    }

    /// Eight diagonals one error further, and over the characters that are fetched.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn eight<U: Unit, const BACK: bool>(table: Table<U>, first: i32, near: &[i32; DIAGONALS + 2]) -> Eight {
        const { assert!(size_of::<U>() == 1 || size_of::<U>() == 4) };
        // Units that are fetched at once.
        let fetched = 4 / size_of::<U>() as i32;
        let (rows, columns) = table.size();
        let diagonals = add(all(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        let [left, own, right] = load_near(near);
        let [free, costly] = if BACK { [right, left] } else { [left, right] };
        let last = if BACK { add(all(rows), diagonals) } else { sub(all(columns), diagonals) };
        let row = max(free, add(max(own, costly), all(1)));
        let row = min(row, min(all(rows), last));
        let shift = if BACK { sub(all(columns - rows), diagonals) } else { diagonals };
        let column = add(row, shift);
        // The sign bit tells. Sums of what is far below 0 do not overflow.
        let outside = or(row, column);
        let row = choose(outside, all(NOWHERE), row);
        let (last_row, last_column) = (all(rows - fetched), all(columns - fetched));
        let (rows_left, columns_left) = (sub(last_row, row), sub(last_column, column));
        let near_end = or(rows_left, columns_left);
        let fetchable = and_not(or(outside, near_end), all(-1));
        let [row_at, column_at] = if BACK { [rows_left, columns_left] } else { [row, column] };
        // SAFETY: fetched are only diagonals of which `fetched` units lie at the place in both texts.
        let (left, right) = unsafe {
            (
                fetch(table.pattern, row_at, zero(), fetchable),
                fetch(table.text, column_at, all(-1), fetchable),
            )
        };
        let (count, is_full) = if size_of::<U>() == 1 {
            let equal = _mm256_cmpeq_epi8(left, right);
            let equal = if BACK { reversed(equal) } else { equal };
            // The equal bytes before the first other one, each -1.
            let same = and_not(add(equal, all(1)), equal);
            let pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), same);
            (_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)), _mm256_cmpeq_epi32(same, all(-1)))
        } else {
            let equal = _mm256_cmpeq_epi32(left, right);
            (equal, equal)
        };
        let open = or(and(is_full, fetchable), and_not(outside, near_end));
        let rows = sub(row, count);
        let sums = choose(outside, zero(), add(rows, add(rows, shift)));
        Eight { rows, sums, open: _mm256_movemask_ps(_mm256_castsi256_ps(open)).cast_unsigned() }
    }

    /// Length of the common prefix, or suffix, of two texts.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn same<U: Unit, const BACK: bool>(left: &[U], right: &[U]) -> usize {
        let (step, length) = (BYTES / size_of::<U>(), left.len().min(right.len()));
        let mut done = 0;
        // Four vectors at a time, as where a path ends is a branch that nobody can predict.
        while done + 4 * step <= length {
            let differences =
                [0, 1, 2, 3].map(|index| differing::<U, BACK>(left, right, done + index * step));
            let bytes = equal_bytes::<BACK>(differences);
            done += bytes / size_of::<U>();
            if bytes < 4 * BYTES {
                return done;
            }
        }
        while done + step <= length {
            let differences = [differing::<U, BACK>(left, right, done), u32::MAX, u32::MAX, u32::MAX];
            let bytes = equal_bytes::<BACK>(differences);
            done += bytes / size_of::<U>();
            if bytes < BYTES {
                return done;
            }
        }
        if BACK {
            done + U::common_suffix(&left[..left.len() - done], &right[..right.len() - done])
        } else {
            done + U::common_prefix(&left[done..], &right[done..])
        }
    }

    /// A bit for each byte of a vector that differs, so many units from the start or from the end.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn differing<U: Unit, const BACK: bool>(left: &[U], right: &[U], done: usize) -> u32 {
        let step = BYTES / size_of::<U>();
        let [left, right] = [left, right].map(|units| {
            let place = if BACK { units.len() - done - step } else { done };
            load(&units[place..place + step])
        });
        !_mm256_movemask_epi8(_mm256_cmpeq_epi8(left, right)).cast_unsigned()
    }

    /// The bytes before the first difference.
    #[inline]
    fn equal_bytes<const BACK: bool>(differences: [u32; 4]) -> usize {
        let [a, b, c, d] = differences.map(u128::from);
        let bytes = if BACK {
            (a << 96 | b << 64 | c << 32 | d).leading_zeros()
        } else {
            (a | b << 32 | c << 64 | d << 96).trailing_zeros()
        };
        bytes as usize
    }

    /// Four bytes of the units at each place where the mask's sign is set, others from `otherwise`.
    ///
    /// # Safety
    /// The units have four bytes from each of these places on.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn fetch<U: Unit>(units: &[U], places: Vector, otherwise: Vector, mask: Vector) -> Vector {
        let start = units.as_ptr().cast();
        // SAFETY: the caller vouches for the places.
        unsafe {
            if size_of::<U>() == 1 {
                _mm256_mask_i32gather_epi32::<1>(otherwise, start, places, mask)
            } else {
                _mm256_mask_i32gather_epi32::<4>(otherwise, start, places, mask)
            }
        }
    }

    /// The bytes of each four in reverse order.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn reversed(bytes: Vector) -> Vector {
        let order = _mm256_setr_epi8(
            3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15,
            14, 13, 12,
        );
        _mm256_shuffle_epi8(bytes, order)
    }

    /// The first value where the sign is set, else the second one.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn choose(sign: Vector, first: Vector, second: Vector) -> Vector {
        _mm256_blendv_epi8(second, first, _mm256_srai_epi32::<31>(sign))
    }

    /// The cells before eight places, at them and behind them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_near(cells: &[i32; DIAGONALS + 2]) -> [Vector; 3] {
        [0, 1, 2].map(|place| load(&cells[place..place + DIAGONALS]))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load<T: Copy>(units: &[T]) -> Vector {
        assert!(size_of_val(units) == BYTES);
        // SAFETY: so many bytes are there.
        unsafe { _mm256_loadu_si256(units.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(cells: &mut [i32; DIAGONALS], rows: Vector) {
        // SAFETY: eight cells of four bytes.
        unsafe { _mm256_storeu_si256(cells.as_mut_ptr().cast(), rows) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Lanes;
    use super::*;

    /// The furthest rows of all numbers of errors up to `most`, from both ends.
    fn progress<U: Unit>(
        lanes: Lanes,
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
                let wave = |side: usize, centre: i32, now| Wave {
                    first: centre - i32::try_from(errors).unwrap(),
                    before: &rows[side][from - 1..=to],
                    now,
                };
                let furthest =
                    lanes.waves(table, wave(0, 0, &mut start[from..to]), wave(1, last, &mut end[from..to]));
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
            let expected = progress(Lanes::Portable, &pattern, &text, most);
            let units = [&pattern, &text].map(|text| text.iter().map(|&byte| u32::from(byte)).collect::<Box<[u32]>>());
            for lanes in Lanes::available() {
                prop_assert_eq!(&progress(lanes, &pattern, &text, most), &expected);
                prop_assert_eq!(&progress(lanes, &units[0], &units[1], most), &expected);
            }
        }
    }
}
