//! 16 rows in a vector of AVX2.

use std::arch::x86_64::{
    __m256i as Vector, _mm256_cmpeq_epi16, _mm256_movemask_epi8, _mm256_packs_epi16,
    _mm256_permute4x64_epi64, _mm256_set1_epi16,
};

use super::super::arch::x86::load32;
use super::{ColumnSteps, Rows, all_rows_by, band_by};

/// See [`all_rows`](super::all_rows).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn all_rows(rows: &Rows, columns: &[u16], steps: &mut [ColumnSteps]) {
    let (rows, _) = rows.as_chunks::<16>();
    let (first, second) = (load32(&rows[0]), load32(&rows[1]));
    let (third, fourth) = (load32(&rows[2]), load32(&rows[3]));
    all_rows_by(columns, steps, |column| {
        let column = _mm256_set1_epi16(column.cast_signed());
        half(first, second, column) | half(third, fourth, column) << u32::BITS
    });
}

/// See [`band`](super::band).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn band(rows: &[u16], columns: &[u16], steps: &mut [ColumnSteps]) -> usize {
    band_by(rows, columns, steps, |rows, column| {
        let (rows, _) = rows.as_chunks::<16>();
        let column = _mm256_set1_epi16(column.cast_signed());
        half(load32(&rows[0]), load32(&rows[1]), column)
            | half(load32(&rows[2]), load32(&rows[3]), column) << u32::BITS
    })
}

/// Which of 32 rows are equal to a column.
#[inline]
#[target_feature(enable = "avx2")]
fn half(first: Vector, second: Vector, column: Vector) -> u64 {
    // The halves of both vectors come out in turn.
    let equal = _mm256_packs_epi16(_mm256_cmpeq_epi16(first, column), _mm256_cmpeq_epi16(second, column));
    let equal = _mm256_permute4x64_epi64::<0b11_01_10_00>(equal);
    u64::from(_mm256_movemask_epi8(equal).cast_unsigned())
}
