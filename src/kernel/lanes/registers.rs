//! Up to 32 bytes of text in registers: loaded, compared and examined without a loop over their length.

/// Longest text of a lane, in bytes.
pub const LONGEST: usize = 32;

/// A text of at most [`LONGEST`] bytes, followed by zeros.
pub type Padded = [u8; LONGEST];

/// Positions of bytes in a text, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    /// Bytes beyond ASCII.
    pub beyond_ascii: u32,
    /// Bytes below the space, and some of those beyond ASCII.
    pub controls: u32,
    /// Spaces.
    pub spaces: u32,
}

/// [`LONGEST`] bytes in registers. Arrays would be taken apart byte by byte by the compiler.
#[derive(Clone, Copy, Debug)]
pub struct Register(halves::Halves);

impl Register {
    /// All bytes.
    #[inline]
    pub fn load(bytes: &Padded) -> Self {
        // SAFETY: the baseline of the architecture, if anything.
        Self(unsafe { halves::load(bytes) })
    }

    /// The first `len` bytes, followed by zeros.
    #[inline]
    pub fn load_first(bytes: &Padded, len: usize) -> Self {
        const KEPT_AND_CUT: [[u8; LONGEST]; 2] = [[0xff; LONGEST], [0; LONGEST]];
        let mask = KEPT_AND_CUT.as_flattened()[LONGEST - len..].first_chunk().expect("one of 33 places");
        // SAFETY: as in `load`.
        Self(unsafe { halves::and(halves::load(bytes), halves::load(mask)) })
    }

    /// The bytes.
    #[inline]
    pub fn store(self, bytes: &mut Padded) {
        // SAFETY: as in `load`.
        unsafe { halves::store(self.0, bytes) }
    }

    /// With `A` to `Z` in lower case.
    #[inline]
    pub fn lowercase(self) -> Self {
        // SAFETY: as in `load`.
        Self(unsafe { halves::lowercase(self.0) })
    }

    /// Where bytes of some kinds stand.
    #[inline]
    pub fn masks(self) -> Masks {
        // SAFETY: as in `load`.
        unsafe { halves::masks(self.0) }
    }

    /// Where Python's ASCII whitespace stands, and the text with spaces in its place.
    #[inline]
    pub fn whitespace(self) -> (u32, Self) {
        // SAFETY: as in `load`.
        let (mask, spaced) = unsafe { halves::whitespace(self.0) };
        (mask, Self(spaced))
    }
}

impl PartialEq for Register {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // SAFETY: as in `load`.
        unsafe { halves::equal(self.0, other.0) }
    }
}

#[cfg(target_arch = "x86_64")]
mod halves {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8,
        _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_storeu_si128,
        _mm_sub_epi8,
    };

    use super::{Masks, Padded};

    pub type Halves = [__m128i; 2];

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn load(bytes: &Padded) -> Halves {
        let bytes = bytes.as_ptr();
        // SAFETY: twice 16 of 32 bytes, any alignment.
        unsafe { [_mm_loadu_si128(bytes.cast()), _mm_loadu_si128(bytes.add(16).cast())] }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn store([low, high]: Halves, bytes: &mut Padded) {
        let bytes = bytes.as_mut_ptr();
        // SAFETY: twice 16 of 32 bytes, any alignment.
        unsafe {
            _mm_storeu_si128(bytes.cast(), low);
            _mm_storeu_si128(bytes.add(16).cast(), high);
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn and(left: Halves, right: Halves) -> Halves {
        [_mm_and_si128(left[0], right[0]), _mm_and_si128(left[1], right[1])]
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn equal(left: Halves, right: Halves) -> bool {
        let equal = _mm_and_si128(_mm_cmpeq_epi8(left[0], right[0]), _mm_cmpeq_epi8(left[1], right[1]));
        _mm_movemask_epi8(equal) == 0xffff
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn lowercase([low, high]: Halves) -> Halves {
        [lowercase_half(low), lowercase_half(high)]
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn lowercase_half(half: __m128i) -> __m128i {
        let above = _mm_cmpgt_epi8(half, _mm_set1_epi8(b'A'.cast_signed() - 1));
        let below = _mm_cmpgt_epi8(_mm_set1_epi8(b'Z'.cast_signed() + 1), half);
        _mm_add_epi8(half, _mm_and_si128(_mm_and_si128(above, below), _mm_set1_epi8(32)))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn mask(low: __m128i, high: __m128i) -> u32 {
        _mm_movemask_epi8(low).cast_unsigned() | _mm_movemask_epi8(high).cast_unsigned() << 16
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn masks([low, high]: Halves) -> Masks {
        let space = _mm_set1_epi8(b' '.cast_signed());
        Masks {
            beyond_ascii: mask(low, high),
            controls: mask(_mm_cmpgt_epi8(space, low), _mm_cmpgt_epi8(space, high)),
            spaces: mask(_mm_cmpeq_epi8(space, low), _mm_cmpeq_epi8(space, high)),
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn whitespace(halves: Halves) -> (u32, Halves) {
        let [low, high] = halves.map(|half| whitespace_half(half));
        let spaced = |half, at| {
            _mm_or_si128(_mm_andnot_si128(at, half), _mm_and_si128(at, _mm_set1_epi8(b' '.cast_signed())))
        };
        (mask(low, high), [spaced(halves[0], low), spaced(halves[1], high)])
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn whitespace_half(half: __m128i) -> __m128i {
        // Two ranges of five bytes each, those below them being far above after the subtraction.
        let within = |first: u8| {
            let above = _mm_sub_epi8(half, _mm_set1_epi8(first.cast_signed()));
            _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(4)), above)
        };
        _mm_or_si128(within(b'\t'), within(0x1c))
    }
}

#[cfg(target_arch = "aarch64")]
#[path = "registers/neon.rs"]
mod halves;

/// The same byte by byte.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod halves {
    use super::{Masks, Padded};

    pub type Halves = Padded;

    pub unsafe fn load(bytes: &Padded) -> Halves {
        *bytes
    }

    pub unsafe fn store(halves: Halves, bytes: &mut Padded) {
        *bytes = halves;
    }

    pub unsafe fn and(left: Halves, right: Halves) -> Halves {
        std::array::from_fn(|index| left[index] & right[index])
    }

    pub unsafe fn equal(left: Halves, right: Halves) -> bool {
        left == right
    }

    pub unsafe fn lowercase(halves: Halves) -> Halves {
        halves.map(|byte| byte.to_ascii_lowercase())
    }

    pub unsafe fn masks(halves: Halves) -> Masks {
        super::masks_by_bytes(&halves)
    }

    pub unsafe fn whitespace(halves: Halves) -> (u32, Halves) {
        let is_whitespace = |byte: u8| matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ');
        let bit = |(position, &byte)| u32::from(is_whitespace(byte)) << position;
        let mask = (0..).zip(&halves).map(bit).fold(0, |mask, bit| mask | bit);
        (mask, halves.map(|byte| if is_whitespace(byte) { b' ' } else { byte }))
    }
}

/// The masks, byte by byte.
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub fn masks_by_bytes(text: &Padded) -> Masks {
    let mask = |is: fn(u8) -> bool| {
        (0..).zip(text).fold(0, |mask, (position, &byte)| mask | u32::from(is(byte)) << position)
    };
    Masks {
        beyond_ascii: mask(|byte| byte >= 0x80),
        controls: mask(|byte| !(b' '..0x80).contains(&byte)),
        spaces: mask(|byte| byte == b' '),
    }
}
