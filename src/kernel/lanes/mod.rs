//! Vectors: several pairs of short texts side by side, or several words of one long pair.
//!
//! Each method has a folder of its own: portable in `mod.rs`, with the operations of an instruction set in
//! `x86.rs` and `neon.rs`. Which of them runs is decided here alone, by [`Isa`]. So `unsafe` is needed here, where
//! functions are called that need CPU features, in `arch`, which takes pointers, and in `registers`, which are
//! built with what every machine of the architecture has.

mod affix;
mod arch;
mod compress;
mod decode;
mod narrow;
mod pairs;
mod prepare;
mod quads;
mod registers;
mod strip;
mod task;
mod views;
mod wavefront;
mod window;

pub use affix::Affixes;
pub use compress::each;
pub use decode::Decoded;
pub use narrow::SPARE;
pub use pairs::{Batch, PAIRS, Planes};
pub use prepare::{AT_ONCE, Seen, Steps};
pub use quads::{QUAD, Quads};
#[cfg(test)]
pub use registers::masks_by_bytes;
pub use registers::{LONGEST, Masks, Padded, Register};
pub use strip::{WORDS, Words};
pub use task::Task;
pub use views::{Shown, VIEWS, is_plain};
pub use wavefront::{DIAGONALS, NOWHERE, Table, Wavefront};
pub use window::{ColumnSteps, ROWS, Rows};

use super::pattern::Unit;
use super::view::Memory;

/// Instruction sets with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// As AVX2, with twice as many registers and operations of three operands, for [`strip`]: on an Intel Xeon, AVX2
    /// takes 14 to 16 % longer for pages with 20 % of errors and more. Other methods are those of AVX2, [`quads`] too:
    /// with AVX-512, pairs of up to 64 characters take as long, and those of up to 128 take 14 % longer.
    /// `benchmarks/ways` compares them.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// x86-64-v3, that is AVX2 with the operations on bits that came with it: 32 pairs in one vector.
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
            let has_avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let has_avx512 = has_avx2
                && cfg!(not(without_avx512))
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl");
            let wide = [(has_avx512, Self::Avx512), (has_avx2, Self::Avx2), (true, Self::Sse2)];
            wide.into_iter().filter_map(|(has, isa)| has.then_some(isa))
        };
        #[cfg(target_arch = "aarch64")]
        let vectors = std::iter::once(Self::Neon);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let vectors = std::iter::empty();
        vectors.chain([Self::Portable])
    }
}

/// Calls the function of an instruction set, or the portable one where it has none of its own.
macro_rules! dispatch {
    (
        $isa:ident, $arguments:tt,
        $(avx512: $avx512:path,)? $(avx2: $avx2:path,)? $(sse2: $sse2:path,)? $(neon: $neon:path,)? portable: $portable:path
    ) => {
        match $isa {
            $(
                // SAFETY: this instruction set is only chosen where the machine has all its features.
                #[cfg(target_arch = "x86_64")]
                Self::Avx512 => unsafe { $avx512 $arguments },
            )?
            $(
                // SAFETY: as above; AVX-512 comes with the features of AVX2.
                #[cfg(target_arch = "x86_64")]
                #[allow(unreachable_patterns, reason = "unless AVX-512 has a function of its own")]
                Self::Avx512 | Self::Avx2 => unsafe { $avx2 $arguments },
            )?
            $(
                // SAFETY: every x86-64 machine has SSE2.
                #[cfg(target_arch = "x86_64")]
                Self::Sse2 => unsafe { $sse2 $arguments },
            )?
            $(
                // SAFETY: every aarch64 machine has NEON.
                #[cfg(target_arch = "aarch64")]
                Self::Neon => unsafe { $neon $arguments },
            )?
            _ => $portable $arguments,
        }
    };
}

impl Isa {
    /// Distances of all lanes of a batch whose longest text has `longest` characters.
    fn distances<const BYTES: usize>(self, batch: &Batch<BYTES>, longest: u8) -> [u8; PAIRS] {
        dispatch!(
            self, (batch, longest),
            avx2: pairs::x86::avx2::distances,
            sse2: pairs::x86::sse2::distances,
            neon: pairs::neon::distances,
            portable: pairs::distances
        )
    }

    /// Distances of four pairs.
    fn quad_distances<const WORDS: usize, const LONGEST: usize>(
        self,
        quads: &mut Quads<WORDS, LONGEST>,
    ) -> [usize; QUAD] {
        dispatch!(
            self, (quads),
            avx2: quads::x86::distances, portable: quads::distances
        )
    }

    /// Performs a task that is compiled for this instruction set.
    pub fn perform<T: Task>(self, task: T) -> T::Result {
        dispatch!(self, (task), avx2: task::x86::perform, portable: Task::perform)
    }

    /// The columns of a strip of rows; see [`strip::columns`].
    pub fn strip<U: Unit>(self, text: &[U], bits: &[Words], first: Words, steps: &mut [i8]) {
        dispatch!(
            self, (text, bits, first, steps),
            avx512: strip::x86::avx512::columns,
            avx2: strip::x86::avx2::columns,
            neon: strip::neon::columns,
            portable: strip::columns
        );
    }

    /// Whether [`Self::wavefronts`] computes several diagonals at once.
    pub fn wavefronts_are_vectors(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let are_vectors = matches!(self, Self::Avx512 | Self::Avx2);
        #[cfg(not(target_arch = "x86_64"))]
        let are_vectors = false;
        are_vectors
    }

    /// The diagonals after one error more from both ends; see [`wavefront::wavefronts`].
    pub fn wavefronts<U: Unit>(self, table: Table<U>, start: Wavefront, end: Wavefront) -> [usize; 2] {
        dispatch!(
            self, (table, start, end), avx2: wavefront::x86::wavefronts, portable: wavefront::wavefronts
        )
    }

    /// What pairs of views show.
    pub fn shown(self, predictions: &[u128; VIEWS], answers: &[u128; VIEWS]) -> Shown {
        dispatch!(
            self, (predictions, answers),
            avx2: views::x86::shown, neon: views::neon::shown, portable: views::shown
        )
    }

    /// The views that neither hold ASCII nor point into one buffer before `end`, a bit for each of at most [`VIEWS`].
    pub fn strange(self, views: &[u128], buffer: u32, end: usize) -> u64 {
        let (fours, rest) = views.as_chunks::<4>();
        let strange = dispatch!(
            self, (fours, buffer, end),
            avx2: views::x86::strange, neon: views::neon::strange, portable: views::strange
        );
        let behind = (views.len() - rest.len()..).zip(rest);
        behind.fold(strange, |strange, (place, &view)| {
            strange | u64::from(!is_plain(view, buffer, end)) << place
        })
    }

    /// The common ends of two texts.
    pub fn affixes(self, texts: [Memory; 2]) -> Affixes {
        dispatch!(self, (texts), avx2: affix::x86::affixes, portable: affix::affixes)
    }

    /// Two texts of at most [`LONGEST`] characters; `None` where one has characters above U+FFFF.
    pub fn decode(self, texts: [Memory; 2]) -> Option<Decoded> {
        dispatch!(
            self, (texts),
            avx2: decode::x86::decode, neon: decode::neon::decode, portable: decode::decode
        )
    }

    /// The columns of all rows; see [`window::all_rows`].
    pub fn columns(self, rows: &Rows, columns: &[u16], steps: &mut [ColumnSteps]) {
        dispatch!(self, (rows, columns, steps), avx2: window::x86::all_rows, portable: window::all_rows);
    }

    /// The columns of a band; see [`window::band`].
    pub fn band(self, rows: &[u16], columns: &[u16], steps: &mut [ColumnSteps]) -> usize {
        dispatch!(self, (rows, columns, steps), avx2: window::x86::band, portable: window::band)
    }

    /// Narrows the start of a text; see [`narrow`](narrow::narrow).
    pub fn narrow(self, text: &[u8], block: u8, narrow: &mut [u8]) -> (usize, usize) {
        dispatch!(
            self, (text, block, narrow),
            avx2: narrow::x86::narrow, neon: narrow::neon::narrow, portable: narrow::narrow
        )
    }

    /// Writes a text after these steps; see [`prepare`].
    pub fn prepare(self, text: Memory, steps: Steps, prepared: &mut [[u8; AT_ONCE]]) -> Seen {
        dispatch!(self, (text, steps, prepared), avx2: prepare::x86::prepare, portable: prepare::prepare)
    }

    /// The bytes whose bits are set, followed by zeros, and their number.
    pub fn keep(self, text: &Padded, kept: u32) -> (Register, usize) {
        dispatch!(
            self, (text, kept),
            avx2: compress::x86::keep, neon: compress::neon::keep, portable: compress::keep
        )
    }

    /// The bytes of each half whose bits are set, followed by zeros, and their numbers.
    pub fn keep_halves(self, texts: &Padded, kept: u32) -> (Register, [usize; 2]) {
        dispatch!(
            self, (texts, kept),
            avx2: compress::x86::keep_halves, neon: compress::neon::keep_halves, portable: compress::keep_halves
        )
    }
}
