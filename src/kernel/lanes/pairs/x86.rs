//! Distances of a batch by SSE2 and by AVX2.

use super::super::arch::x86::{load16, load32, store16, store32};
use super::{Batch, PAIRS, Padded};

/// What an instruction set may have better operations for, from those that all have.
macro_rules! bits {
    ($feature:literal) => {
        /// For each lane the bits of the eight pattern positions from `from` that equal the text's character
        /// in one column.
        #[inline]
        #[target_feature(enable = $feature)]
        fn match_bits<const BYTES: usize>(
            pattern: &[[Vector; 16]; BYTES],
            from: usize,
            text: &[[Vector; 16]; BYTES],
            column: usize,
        ) -> Vector {
            let mut bits = zero();
            for i in 0..8 {
                let mut same = set8((1_u8 << i).cast_signed());
                for (pattern, text) in pattern.iter().zip(text) {
                    same = and(same, equal8(pattern[from + i], text[column % 16]));
                }
                bits = or(bits, same);
            }
            bits
        }

        /// The number of ones in each byte.
        #[inline]
        #[target_feature(enable = $feature)]
        fn ones8(x: Vector) -> Vector {
            let x = sub8(x, and(shift_right16::<1>(x), set8(0x55)));
            let x = add8(and(x, set8(0x33)), and(shift_right16::<2>(x), set8(0x33)));
            and(add8(x, shift_right16::<4>(x)), set8(0x0f))
        }

        /// The sum of the two bytes of each 16-bit lane, in bytes.
        #[inline]
        #[target_feature(enable = $feature)]
        fn fold16([low, high]: [Vector; 2]) -> Vector {
            let fold = |x| add16(and(x, set16(0xff)), shift_right16::<8>(x));
            pack16(fold(low), fold(high))
        }

        /// The sum of the four bytes of each 32-bit lane, in bytes.
        #[inline]
        #[target_feature(enable = $feature)]
        fn fold32([a, b, c, d]: [Vector; 4]) -> Vector {
            let fold = |x| {
                let pairs = add16(and(x, set16(0xff)), shift_right16::<8>(x));
                add32(and(pairs, set32(0xffff)), shift_right32::<16>(pairs))
            };
            pack16(pack32(fold(a), fold(b)), pack32(fold(c), fold(d)))
        }
    };
}

pub mod sse2 {
    use std::arch::x86_64::{
        __m128i as Vector, _mm_add_epi8 as add8, _mm_add_epi16 as add16, _mm_add_epi32 as add32,
        _mm_and_si128 as and, _mm_andnot_si128 as and_not, _mm_cmpeq_epi8 as equal8,
        _mm_cmpgt_epi8 as greater8, _mm_or_si128 as or, _mm_packs_epi32 as pack32,
        _mm_packus_epi16 as pack16, _mm_set1_epi8 as set8, _mm_set1_epi16 as set16, _mm_set1_epi32 as set32,
        _mm_setzero_si128 as zero, _mm_srli_epi16 as shift_right16, _mm_srli_epi32 as shift_right32,
        _mm_sub_epi8 as sub8, _mm_unpackhi_epi8 as unpack_high8, _mm_unpackhi_epi16 as unpack_high16,
        _mm_unpacklo_epi8 as unpack_low8, _mm_unpacklo_epi16 as unpack_low16, _mm_xor_si128 as xor,
    };

    use super::{Batch, PAIRS, Padded, load16, store16};

    const WIDTH: usize = 16;

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(bytes: &[u8; PAIRS], first: usize) -> Vector {
        load16(bytes[first..].first_chunk().expect("half of the lanes"))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn store(bytes: &mut [u8; PAIRS], first: usize, value: Vector) {
        store16(bytes[first..].first_chunk_mut().expect("half of the lanes"), value);
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load_rows(texts: &[Padded; PAIRS], first: usize, from: usize) -> [Vector; 16] {
        // No `array::from_fn` here: it lacks the CPU feature, so the loads could not be inlined into it.
        let mut rows = [zero(); 16];
        for (row, text) in rows.iter_mut().zip(&texts[first..]) {
            *row = load(text, from);
        }
        rows
    }

    bits!("sse2");
    kernel!("sse2");
}

pub mod avx2 {
    use std::arch::x86_64::{
        __m256i as Vector, _mm256_add_epi8 as add8, _mm256_add_epi16 as add16, _mm256_add_epi32 as add32,
        _mm256_and_si256 as and, _mm256_andnot_si256 as and_not, _mm256_cmpeq_epi8 as equal8,
        _mm256_cmpgt_epi8 as greater8, _mm256_or_si256 as or, _mm256_packs_epi32 as pack32,
        _mm256_packus_epi16 as pack16, _mm256_set_m128i, _mm256_set1_epi8 as set8,
        _mm256_set1_epi16 as set16, _mm256_set1_epi32 as set32, _mm256_setzero_si256 as zero,
        _mm256_srli_epi16 as shift_right16, _mm256_srli_epi32 as shift_right32, _mm256_sub_epi8 as sub8,
        _mm256_unpackhi_epi8 as unpack_high8, _mm256_unpackhi_epi16 as unpack_high16,
        _mm256_unpacklo_epi8 as unpack_low8, _mm256_unpacklo_epi16 as unpack_low16, _mm256_xor_si256 as xor,
    };

    use super::{Batch, PAIRS, Padded, load16, load32, store32};

    const WIDTH: usize = 32;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(bytes: &[u8; PAIRS], _first: usize) -> Vector {
        load32(bytes)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(bytes: &mut [u8; PAIRS], _first: usize, value: Vector) {
        store32(bytes, value);
    }

    /// Rows 0 to 15 in the low halves, rows 16 to 31 in the high halves, as `unpack` works in halves.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_rows(texts: &[Padded; PAIRS], _first: usize, from: usize) -> [Vector; 16] {
        let half = |row: usize| load16(texts[row][from..].first_chunk().expect("half of the text"));
        let mut rows = [zero(); 16];
        for (index, row) in rows.iter_mut().enumerate() {
            *row = _mm256_set_m128i(half(index + 16), half(index));
        }
        rows
    }

    bits!("avx2");
    kernel!("avx2");
}
