//! Up to 32 bytes of text in registers: loaded, compared and examined without a loop over their length.
//!
//! Every text of at most 32 bytes is prepared here, in two vectors of SSE2 or NEON. Functions that need AVX2 could not
//! be inlined into the loop over rows, which is compiled for all machines.

#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(unused_unsafe, reason = "portable operations need no CPU features")
)]

#[cfg_attr(target_arch = "x86_64", path = "x86.rs")]
#[cfg_attr(target_arch = "aarch64", path = "neon.rs")]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), path = "portable.rs")]
mod halves;

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
        // SAFETY: every machine of the architecture has these CPU features.
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

    /// A byte in all places.
    #[inline]
    pub fn repeat(byte: u8) -> Self {
        Self::load(&[byte; LONGEST])
    }

    /// The bits that are set in either.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        // SAFETY: as in `load`.
        Self(unsafe { halves::or(self.0, other.0) })
    }

    /// The bytes.
    #[inline]
    pub fn store(self, bytes: &mut Padded) {
        // SAFETY: as in `load`.
        unsafe { halves::store(self.0, bytes) }
    }

    /// Where both have the same byte.
    #[inline]
    pub fn same(self, other: Self) -> u32 {
        // SAFETY: as in `load`.
        unsafe { halves::same(self.0, other.0) }
    }

    /// With `A` to `Z` in lower case.
    #[inline]
    pub fn lowercase(self) -> Self {
        // SAFETY: as in `load`.
        Self(unsafe { halves::lowercase(self.0) })
    }

    /// The places of bytes of some kinds.
    #[inline]
    pub fn masks(self) -> Masks {
        // SAFETY: as in `load`.
        unsafe { halves::masks(self.0) }
    }

    /// The places of Python's ASCII whitespace, and the text with spaces in its place.
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
