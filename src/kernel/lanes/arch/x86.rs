//! Loads and stores of SSE2 and AVX2.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_loadu_si256, _mm256_mask_i32gather_epi32,
    _mm256_storeu_si256,
};

/// Numbers that vectors are made of.
///
/// # Safety
/// Any bytes are a number, and a number has no other bytes.
pub unsafe trait Number: Copy {}

// SAFETY: integers have no padding, and take any value.
unsafe impl Number for u8 {}
// SAFETY: as above.
unsafe impl Number for u16 {}
// SAFETY: as above.
unsafe impl Number for i32 {}
// SAFETY: as above.
unsafe impl Number for u32 {}

/// The vector of 16 bytes.
#[inline]
#[target_feature(enable = "sse2")]
pub fn load16(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes, any alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// The bytes of a vector.
#[inline]
#[target_feature(enable = "sse2")]
pub fn store16(bytes: &mut [u8; 16], value: __m128i) {
    // SAFETY: 16 bytes, any alignment.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), value) }
}

/// The vector of numbers that have 32 bytes together.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load32<T: Number>(numbers: &[T]) -> __m256i {
    assert!(size_of_val(numbers) == size_of::<__m256i>());
    // SAFETY: 32 bytes, any alignment.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

/// The numbers of a vector, which have 32 bytes together.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store32<T: Number>(numbers: &mut [T], value: __m256i) {
    assert!(size_of_val(numbers) == size_of::<__m256i>());
    // SAFETY: 32 bytes, any alignment.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), value) }
}

/// Numbers, fetched four bytes at a time from eight independent places.
#[derive(Clone, Copy)]
pub struct Gather<'a> {
    numbers: Numbers<'a>,
    last: i32,
}

#[derive(Clone, Copy)]
enum Numbers<'a> {
    Bytes(&'a [u8]),
    Words(&'a [u32]),
}

impl<'a> Gather<'a> {
    /// Bytes; four are fetched.
    #[inline]
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Self { numbers: Numbers::Bytes(bytes), last: last(bytes.len(), 4) }
    }

    /// Words; one is fetched.
    #[inline]
    pub fn words(words: &'a [u32]) -> Self {
        Self { numbers: Numbers::Words(words), last: last(words.len(), 1) }
    }

    /// The last place with four bytes left, or -1.
    #[inline]
    pub fn last(&self) -> i32 {
        self.last
    }

    /// The four bytes at each place where the mask's sign is set, else those of `otherwise`.
    ///
    /// # Safety
    /// These places lie between 0 and [`Self::last`].
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn fetch(&self, places: __m256i, otherwise: __m256i, mask: __m256i) -> __m256i {
        // SAFETY: the caller guarantees that four bytes are left at each place.
        unsafe {
            match self.numbers {
                Numbers::Bytes(bytes) => {
                    _mm256_mask_i32gather_epi32::<1>(otherwise, bytes.as_ptr().cast(), places, mask)
                }
                Numbers::Words(words) => {
                    _mm256_mask_i32gather_epi32::<4>(otherwise, words.as_ptr().cast(), places, mask)
                }
            }
        }
    }
}

/// The last place from which a full fetch stays within the numbers, or -1.
#[inline]
fn last(length: usize, fetched: i32) -> i32 {
    let length = i32::try_from(length).expect("places have 32 bits");
    (length - fetched).max(-1)
}
