//! Vectors: several pairs of short texts side by side, or several words of one long pair.
//!
//! The only place in the kernel with `unsafe`: loads, stores, and calls that need a CPU feature.

mod affix;
mod compress;
mod decode;
mod pairs;
mod quads;
mod registers;
mod strip;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vectors;
mod views;
mod wavefront;

pub use affix::{Affixes, affixes};
pub use compress::{keep, keep_halves};
pub use decode::{Decoded, decode};
pub use pairs::{Batch, PAIRS, Planes};
pub use quads::{QUAD, Quads};
#[cfg(test)]
pub use registers::masks_by_bytes;
pub use registers::{LONGEST, Masks, Padded, Register};
pub use strip::{WORDS, Words};
pub use views::{Shown, VIEWS, is_plain};
pub use wavefront::{DIAGONALS, NOWHERE, Table, Wavefront};

use super::pattern::Unit;

/// Instruction sets with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// As AVX2, with operations of three operands where one waits for another.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 32 pairs in one vector.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 16 pairs in one vector; every x86-64 machine has it.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// 16 pairs in one vector; every aarch64 machine has it.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// One pair at a time.
    Portable,
}

impl Default for Isa {
    /// The widest one that this machine has.
    fn default() -> Self {
        Self::available().next().unwrap_or(Self::Portable)
    }
}

impl Isa {
    /// What this machine can run, widest first.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let vectors = {
            let has_avx2 = is_x86_feature_detected!("avx2");
            let has_avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl");
            let wide = [(has_avx2 && has_avx512, Self::Avx512), (has_avx2, Self::Avx2), (true, Self::Sse2)];
            wide.into_iter().filter_map(|(has, isa)| has.then_some(isa))
        };
        #[cfg(target_arch = "aarch64")]
        let vectors = std::iter::once(Self::Neon);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let vectors = std::iter::empty();
        vectors.chain([Self::Portable])
    }
}

/// Whether the machine has the features that text is decoded and compared with, 32 bytes at a time.
#[cfg(target_arch = "x86_64")]
fn has_avx2_and_bits() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

impl Isa {
    /// The columns of a strip of rows; see [`strip`].
    pub fn strip<U: Unit>(self, text: &[U], bits: &[Words], first: Words, steps: &mut [i8]) {
        match self {
            // SAFETY: this instruction set is only chosen where the machine has it.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { strip::avx512::columns(text, bits, first, steps) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { strip::avx2::columns(text, bits, first, steps) },
            // SAFETY: every aarch64 machine has NEON.
            #[cfg(target_arch = "aarch64")]
            Self::Neon => unsafe { strip::neon::columns(text, bits, first, steps) },
            _ => strip::columns(text, bits, first, steps),
        }
    }

    /// Whether [`Self::waves`] computes several diagonals at once.
    pub fn wavefronts_are_vectors(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let vectors = matches!(self, Self::Avx512 | Self::Avx2);
        #[cfg(not(target_arch = "x86_64"))]
        let vectors = false;
        vectors
    }

    /// The diagonals after one error more from both ends; see [`wave`].
    pub fn wavefronts<U: Unit>(self, table: Table<U>, start: Wavefront, end: Wavefront) -> [usize; 2] {
        match self {
            // SAFETY: these instruction sets are only chosen where the machine has AVX2.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx2 => unsafe { wavefront::avx2::wavefronts(table, start, end) },
            _ => wavefront::wavefronts(table, start, end),
        }
    }
}
