//! The diagonals after one error more, eight in a vector.

#![expect(clippy::cast_possible_wrap, reason = "texts are shorter than 2^31")]

use std::arch::x86_64::{
    __m256i as Vector, _mm256_add_epi32 as add, _mm256_and_si256 as and, _mm256_andnot_si256 as and_not,
    _mm256_blendv_epi8, _mm256_castsi256_ps, _mm256_cmpeq_epi8, _mm256_cmpeq_epi32, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_max_epi32 as max, _mm256_min_epi32 as min, _mm256_movemask_epi8,
    _mm256_movemask_ps, _mm256_or_si256 as or, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32 as all,
    _mm256_setr_epi8, _mm256_setr_epi32, _mm256_setzero_si256 as zero, _mm256_shuffle_epi8,
    _mm256_srai_epi32, _mm256_sub_epi32 as sub,
};
use std::ops::Range;

use super::super::arch::x86::{Gather, load32, store32};
use super::{DIAGONALS, NOWHERE, Table, Unit, Wavefront};
use crate::kernel::pattern::Units;

/// Bytes of a vector.
const BYTES: usize = 32;

/// Vectors whose bits are kept at once.
const AT_ONCE: usize = 64 / DIAGONALS;

/// See [`wavefronts`](super::wavefronts); both have the same number of cells, a multiple of [`DIAGONALS`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn wavefronts<U: Unit>(table: Table<U>, mut start: Wavefront, mut end: Wavefront) -> [usize; 2] {
    let length = start.now.len();
    assert!(length.is_multiple_of(DIAGONALS) && end.now.len() == length);
    let texts = [gather(table.pattern), gather(table.text)];
    let mut furthest = [[0; DIAGONALS]; 2];
    for from in (0..length).step_by(DIAGONALS * AT_ONCE) {
        let to = length.min(from + DIAGONALS * AT_ONCE);
        // Both ends take a step before either is followed, so that one waits less for the other.
        let open = [
            advance::<U, false>(table, texts, &mut start, from..to, &mut furthest[0]),
            advance::<U, true>(table, texts, &mut end, from..to, &mut furthest[1]),
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
    texts: [Gather; 2],
    wavefront: &mut Wavefront,
    cells: Range<usize>,
    furthest: &mut [i32; DIAGONALS],
) -> u64 {
    let (mut open, mut sums) = (0, load32(furthest));
    let before = &wavefront.before[cells.start..cells.end + 2];
    let chunks = wavefront.now[cells.clone()].as_chunks_mut::<DIAGONALS>().0.iter_mut().enumerate();
    for (index, now) in chunks {
        let place = DIAGONALS * index;
        let near = before[place..].first_chunk().expect("a cell more at each end");
        let eight = eight::<U, BACK>(table, texts, wavefront.first + (cells.start + place) as i32, near);
        store32(now, eight.rows);
        sums = max(sums, eight.sums);
        open |= u64::from(eight.open) << place;
    }
    store32(furthest, sums);
    open
}

/// Passes over the equal characters of the diagonals whose bits are set.
#[inline]
#[target_feature(enable = "avx2")]
fn follow<U: Unit, const BACK: bool>(
    table: Table<U>,
    wavefront: &mut Wavefront,
    from: usize,
    mut open: u64,
    furthest: &mut [i32; DIAGONALS],
) {
    while open != 0 {
        let place = from + open.trailing_zeros() as usize;
        open &= open - 1;
        let (row, diagonal) = (&mut wavefront.now[place], wavefront.first + place as i32);
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
fn eight<U: Unit, const BACK: bool>(
    table: Table<U>,
    [pattern, text]: [Gather; 2],
    first: i32,
    near: &[i32; DIAGONALS + 2],
) -> Eight {
    let (rows, columns) = table.size();
    let diagonals = add(all(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    let [left, own, right] = load_near(near);
    let [free, costly] = if BACK { [right, left] } else { [left, right] };
    let last = if BACK { add(all(rows), diagonals) } else { sub(all(columns), diagonals) };
    let row = max(free, add(max(own, costly), all(1)));
    let row = min(row, min(all(rows), last));
    let shift = if BACK { sub(all(columns - rows), diagonals) } else { diagonals };
    let column = add(row, shift);
    // The sign bit says whether a cell is outside. Sums of [`NOWHERE`] do not overflow.
    let outside = or(row, column);
    let row = choose(outside, all(NOWHERE), row);
    let (last_row, last_column) = (all(pattern.last()), all(text.last()));
    let (rows_left, columns_left) = (sub(last_row, row), sub(last_column, column));
    let near_end = or(rows_left, columns_left);
    let fetchable = and_not(or(outside, near_end), all(-1));
    let [row_at, column_at] = if BACK { [rows_left, columns_left] } else { [row, column] };
    // SAFETY: where it is fetchable, neither a place nor the rest up to the last one is negative.
    let (left, right) =
        unsafe { (pattern.fetch(row_at, zero(), fetchable), text.fetch(column_at, all(-1), fetchable)) };
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
    // Four vectors at a time, because the branch at the end of a path is often mispredicted.
    while done + 4 * step <= length {
        let differences = [0, 1, 2, 3].map(|index| differing::<U, BACK>(left, right, done + index * step));
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

/// A bit for each byte of a vector that differs, counted from the start or from the end.
#[inline]
#[target_feature(enable = "avx2")]
fn differing<U: Unit, const BACK: bool>(left: &[U], right: &[U], done: usize) -> u32 {
    let step = BYTES / size_of::<U>();
    let [left, right] = [left, right].map(|units| {
        let place = if BACK { units.len() - done - step } else { done };
        match U::units(&units[place..place + step]) {
            Units::Bytes(bytes) => load32(bytes),
            Units::Codes(codes) => load32(codes),
        }
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

/// The units as what is fetched from.
#[inline]
fn gather<U: Unit>(units: &[U]) -> Gather<'_> {
    match U::units(units) {
        Units::Bytes(bytes) => Gather::bytes(bytes),
        Units::Codes(codes) => Gather::words(codes),
    }
}

/// The bytes of each four in reverse order.
#[inline]
#[target_feature(enable = "avx2")]
fn reversed(bytes: Vector) -> Vector {
    let order = _mm256_setr_epi8(
        3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14,
        13, 12,
    );
    _mm256_shuffle_epi8(bytes, order)
}

/// The first value where the sign is set, else the second one.
#[inline]
#[target_feature(enable = "avx2")]
fn choose(sign: Vector, first: Vector, second: Vector) -> Vector {
    _mm256_blendv_epi8(second, first, _mm256_srai_epi32::<31>(sign))
}

/// The cells before eight places, at them and after them.
#[inline]
#[target_feature(enable = "avx2")]
fn load_near(cells: &[i32; DIAGONALS + 2]) -> [Vector; 3] {
    [0, 1, 2].map(|place| load32(&cells[place..place + DIAGONALS]))
}
