//! Levenshtein distances of short pairs, one pair in each lane of a vector.
//!
//! Up to 32 pairs are transposed, so that one vector holds the first character of every pattern, the next
//! one the second, and so on. Which pattern positions equal a text character is then found by comparing
//! vectors, without a table, and one step of the bit-parallel recurrence (Hyyrö 2003) serves all lanes.
//!
//! Texts are padded with zeros. Padding both sides to the same column is exact: it is a common suffix, which
//! never changes the distance. All lanes therefore run as many columns as the longest text needs, and each
//! lane's distance is read from the row that its own padding reaches. NUL in a text is harmless.
//!
//! The right method for bytes of up to 32 characters: 5 to 30 ns a pair, where one word a pair takes 40 to
//! 140. The only place in the kernel with `unsafe`: loads, stores, and calls that need a CPU feature.

use super::bit_parallel::distance_ascii;

/// Pairs in one batch.
pub const PAIRS: usize = 32;

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
pub struct Register(registers::Halves);

impl Register {
    /// All bytes.
    #[inline]
    pub fn load(bytes: &Padded) -> Self {
        // SAFETY: the baseline of the architecture, if anything.
        Self(unsafe { registers::load(bytes) })
    }

    /// The first `len` bytes, followed by zeros.
    #[inline]
    pub fn load_first(bytes: &Padded, len: usize) -> Self {
        const KEPT_AND_CUT: [[u8; LONGEST]; 2] = [[0xff; LONGEST], [0; LONGEST]];
        let mask = KEPT_AND_CUT.as_flattened()[LONGEST - len..].first_chunk().expect("one of 33 places");
        // SAFETY: as in `load`.
        Self(unsafe { registers::and(registers::load(bytes), registers::load(mask)) })
    }

    /// The first 16 bytes from the least significant on, followed by zeros.
    #[inline]
    pub fn from_low(bytes: u128) -> Self {
        // SAFETY: as in `load`.
        Self(unsafe { registers::from_low(bytes) })
    }

    /// The bytes.
    #[inline]
    pub fn store(self, bytes: &mut Padded) {
        // SAFETY: as in `load`.
        unsafe { registers::store(self.0, bytes) }
    }

    /// With `A` to `Z` in lower case.
    #[inline]
    pub fn lowercase(self) -> Self {
        // SAFETY: as in `load`.
        Self(unsafe { registers::lowercase(self.0) })
    }

    /// Where bytes of some kinds stand.
    #[inline]
    pub fn masks(self) -> Masks {
        // SAFETY: as in `load`.
        unsafe { registers::masks(self.0) }
    }
}

impl PartialEq for Register {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // SAFETY: as in `load`.
        unsafe { registers::equal(self.0, other.0) }
    }
}

#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128,
        _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8, _mm_setzero_si128, _mm_storeu_si128,
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
    pub fn from_low(bytes: u128) -> Halves {
        let (low, high) = (bytes as u64, (bytes >> u64::BITS) as u64);
        [_mm_set_epi64x(high.cast_signed(), low.cast_signed()), _mm_setzero_si128()]
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
    pub fn masks([low, high]: Halves) -> Masks {
        let mask = |low, high| {
            _mm_movemask_epi8(low).cast_unsigned() | _mm_movemask_epi8(high).cast_unsigned() << 16
        };
        let space = _mm_set1_epi8(b' '.cast_signed());
        Masks {
            beyond_ascii: mask(low, high),
            controls: mask(_mm_cmpgt_epi8(space, low), _mm_cmpgt_epi8(space, high)),
            spaces: mask(_mm_cmpeq_epi8(space, low), _mm_cmpeq_epi8(space, high)),
        }
    }
}

/// The same byte by byte.
#[cfg(not(target_arch = "x86_64"))]
mod registers {
    use super::{Masks, Padded};

    pub type Halves = Padded;

    pub unsafe fn load(bytes: &Padded) -> Halves {
        *bytes
    }

    pub unsafe fn from_low(bytes: u128) -> Halves {
        let mut halves = [0; super::LONGEST];
        halves[..16].copy_from_slice(&bytes.to_le_bytes());
        halves
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
}

/// The masks, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
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

/// Pairs on their way into the lanes. Lanes that are not filled hold empty texts.
#[derive(Clone)]
pub struct Batch {
    len: usize,
    /// The shorter text of each pair, and the longer one.
    texts: [[Padded; PAIRS]; 2],
    lengths: [[u8; PAIRS]; 2],
}

/// Instruction sets with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// 32 pairs in one vector.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 16 pairs in one vector; every x86-64 machine has it.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// One pair at a time.
    Portable,
}

impl Default for Lanes {
    /// The widest one that this machine has.
    fn default() -> Self {
        Self::available().next().unwrap_or(Self::Portable)
    }
}

impl Lanes {
    /// What this machine can run, widest first.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let vectors = is_x86_feature_detected!("avx2").then_some(Self::Avx2).into_iter().chain([Self::Sse2]);
        #[cfg(not(target_arch = "x86_64"))]
        let vectors = std::iter::empty();
        vectors.chain([Self::Portable])
    }
}

impl Lanes {
    /// Runs portable code compiled for these lanes. What it calls has to be inlined for that.
    pub fn compile<R>(self, code: impl FnOnce() -> R) -> R {
        match self {
            // SAFETY: this instruction set is only chosen where the machine has it.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { avx2::run(code) },
            _ => code(),
        }
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self { len: 0, texts: [[[0; LONGEST]; PAIRS]; 2], lengths: [[0; PAIRS]; 2] }
    }
}

impl Batch {
    /// Number of pairs inside.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds a pair and returns its lane. The batch must not be full.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    pub fn push(&mut self, left: (Register, usize), right: (Register, usize)) -> usize {
        // Computed places cost less than a branch that is as often taken as not.
        let longer = usize::from(left.1 > right.1);
        let lane = self.len;
        left.0.store(&mut self.texts[longer][lane]);
        right.0.store(&mut self.texts[1 - longer][lane]);
        self.lengths[longer][lane] = left.1 as u8;
        self.lengths[1 - longer][lane] = right.1 as u8;
        self.len += 1;
        lane
    }

    /// Distances of all lanes; the batch is empty afterwards.
    pub fn distances(&mut self, lanes: Lanes) -> [u8; PAIRS] {
        let used = self.len;
        // Lanes left over from an earlier batch would make this one run for their lengths.
        self.lengths.iter_mut().for_each(|lengths| lengths[used..].fill(0));
        self.len = 0;
        let longest = self.lengths[1].iter().copied().max().unwrap_or(0);
        match (lanes, longest) {
            // SAFETY: this instruction set is only chosen where the machine has it.
            #[cfg(target_arch = "x86_64")]
            (Lanes::Avx2, _) => unsafe { avx2::distances(self, longest) },
            // SAFETY: every x86-64 machine has SSE2.
            #[cfg(target_arch = "x86_64")]
            (Lanes::Sse2, _) => unsafe { sse2::distances(self, longest) },
            (Lanes::Portable, _) => self.one_by_one(used),
        }
    }

    fn one_by_one(&self, used: usize) -> [u8; PAIRS] {
        let mut bits = [0; 256];
        std::array::from_fn(|lane| {
            let [pattern, text] =
                [0, 1].map(|side| &self.texts[side][lane][..usize::from(self.lengths[side][lane])]);
            if lane >= used || pattern.is_empty() {
                return text.len() as u8;
            }
            distance_ascii(pattern, text, &mut bits) as u8
        })
    }
}

/// The kernel over one instruction set. Needs in scope: `Vector`, `WIDTH` (lanes of a byte each), `load`,
/// `load_rows` and `store`, and the operations used below, under names that say lane width but not vector
/// width. `unpack` and `pack` may work in halves of 128 bits: all vectors share the order that follows, and
/// packing undoes it.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($feature:literal) => {
        /// Distances of all lanes of a batch whose longest text has `longest` characters.
        #[target_feature(enable = $feature)]
        pub fn distances(batch: &Batch, longest: u8) -> [u8; PAIRS] {
            let mut result = [0; PAIRS];
            let mut first = 0;
            while first < PAIRS {
                let distances = match longest {
                    ..=8 => lanes8(batch, first, longest),
                    ..=16 => lanes16(batch, first, longest),
                    _ => lanes32(batch, first, longest),
                };
                store(&mut result, first, distances);
                first += WIDTH;
            }
            result
        }

        /// One vector for each character position, from one text a row.
        #[inline]
        #[target_feature(enable = $feature)]
        fn transposed(texts: &[Padded; PAIRS], first: usize, from: usize) -> [Vector; 16] {
            let mut rows: [Vector; 16] = load_rows(texts, first, from);
            for _ in 0..4 {
                let mut next = rows;
                for i in 0..8 {
                    next[2 * i] = unpack_low8(rows[i], rows[i + 8]);
                    next[2 * i + 1] = unpack_high8(rows[i], rows[i + 8]);
                }
                rows = next;
            }
            rows
        }

        /// For each lane the bits of eight pattern positions that equal the text's character.
        #[inline]
        #[target_feature(enable = $feature)]
        fn match_bits(pattern: &[Vector], character: Vector) -> Vector {
            let mut bits = zero();
            for (i, &position) in pattern.iter().enumerate().take(8) {
                bits = or(bits, and(equal8(position, character), set8((1_u8 << i).cast_signed())));
            }
            bits
        }

        /// For each lane the bits of the eight rows from `first_row` on that lie above its last row.
        #[inline]
        #[target_feature(enable = $feature)]
        fn row_bits(last: Vector, first_row: u8) -> Vector {
            let mut bits = zero();
            for i in 0..8 {
                let row = set8((first_row + i).cast_signed());
                bits = or(bits, and(greater8(last, row), set8((1_u8 << i).cast_signed())));
            }
            bits
        }

        /// The last row of each lane: its pattern's length, and the padding up to the last column.
        #[inline]
        #[target_feature(enable = $feature)]
        fn last_rows(batch: &Batch, first: usize, longest: u8) -> Vector {
            let pattern = load(&batch.lengths[0], first);
            let text = load(&batch.lengths[1], first);
            sub8(add8(pattern, set8(longest.cast_signed())), text)
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

        #[inline]
        #[target_feature(enable = $feature)]
        fn widen16(planes: [Vector; 2]) -> [Vector; 2] {
            [unpack_low8(planes[0], planes[1]), unpack_high8(planes[0], planes[1])]
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn widen32(planes: [Vector; 4]) -> [Vector; 4] {
            let [a, b] = widen16([planes[0], planes[1]]);
            let [c, d] = widen16([planes[2], planes[3]]);
            [unpack_low16(a, c), unpack_high16(a, c), unpack_low16(b, d), unpack_high16(b, d)]
        }

        kernel!(@step step8, add8, set8, $feature);
        kernel!(@step step16, add16, set16, $feature);
        kernel!(@step step32, add32, set32, $feature);

        #[target_feature(enable = $feature)]
        fn lanes8(batch: &Batch, first: usize, longest: u8) -> Vector {
            let pattern = transposed(&batch.texts[0], first, 0);
            let text = transposed(&batch.texts[1], first, 0);
            let (mut up, mut down) = (set8(-1), zero());
            for &character in &text[..usize::from(longest)] {
                (up, down) = step8(match_bits(&pattern[..8], character), up, down);
            }
            let rows = row_bits(last_rows(batch, first, longest), 0);
            let (up, down) = (ones8(and(up, rows)), ones8(and(down, rows)));
            sub8(add8(set8(longest.cast_signed()), up), down)
        }

        #[target_feature(enable = $feature)]
        fn lanes16(batch: &Batch, first: usize, longest: u8) -> Vector {
            let pattern = transposed(&batch.texts[0], first, 0);
            let text = transposed(&batch.texts[1], first, 0);
            let (mut up, mut down) = ([set8(-1); 2], [zero(); 2]);
            for &character in &text[..usize::from(longest)] {
                let planes = [match_bits(&pattern[..8], character), match_bits(&pattern[8..], character)];
                let eq = widen16(planes);
                for i in 0..2 {
                    (up[i], down[i]) = step16(eq[i], up[i], down[i]);
                }
            }
            let last = last_rows(batch, first, longest);
            let rows = widen16([row_bits(last, 0), row_bits(last, 8)]);
            let ups = fold16([ones8(and(up[0], rows[0])), ones8(and(up[1], rows[1]))]);
            let downs = fold16([ones8(and(down[0], rows[0])), ones8(and(down[1], rows[1]))]);
            sub8(add8(set8(longest.cast_signed()), ups), downs)
        }

        #[target_feature(enable = $feature)]
        fn lanes32(batch: &Batch, first: usize, longest: u8) -> Vector {
            let pattern = [transposed(&batch.texts[0], first, 0), transposed(&batch.texts[0], first, 16)];
            let text = [transposed(&batch.texts[1], first, 0), transposed(&batch.texts[1], first, 16)];
            let (mut up, mut down) = ([set8(-1); 4], [zero(); 4]);
            for &character in text.as_flattened()[..usize::from(longest)].iter() {
                let planes = [
                    match_bits(&pattern[0][..8], character),
                    match_bits(&pattern[0][8..], character),
                    match_bits(&pattern[1][..8], character),
                    match_bits(&pattern[1][8..], character),
                ];
                let eq = widen32(planes);
                for i in 0..4 {
                    (up[i], down[i]) = step32(eq[i], up[i], down[i]);
                }
            }
            let last = last_rows(batch, first, longest);
            let rows = widen32([row_bits(last, 0), row_bits(last, 8), row_bits(last, 16), row_bits(last, 24)]);
            let mut ones = ([zero(); 4], [zero(); 4]);
            for i in 0..4 {
                ones.0[i] = ones8(and(up[i], rows[i]));
                ones.1[i] = ones8(and(down[i], rows[i]));
            }
            sub8(add8(set8(longest.cast_signed()), fold32(ones.0)), fold32(ones.1))
        }
    };
    (@step $name:ident, $add:ident, $set:ident, $feature:literal) => {
        /// One column: the vertical steps of all rows from the ones of the column before.
        #[inline]
        #[target_feature(enable = $feature)]
        fn $name(eq: Vector, up: Vector, down: Vector) -> (Vector, Vector) {
            let ones = set8(-1);
            let diagonal = or(or(xor($add(and(eq, up), up), up), eq), down);
            let right_up = or(down, and_not(or(diagonal, up), ones));
            let right_down = and(up, diagonal);
            // The first row of the table grows by one a column.
            let right_up = or($add(right_up, right_up), $set(1));
            let right_down = $add(right_down, right_down);
            (or(right_down, and_not(or(diagonal, right_up), ones)), and(right_up, diagonal))
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i as Vector, _mm_add_epi8 as add8, _mm_add_epi16 as add16, _mm_add_epi32 as add32,
        _mm_and_si128 as and, _mm_andnot_si128 as and_not, _mm_cmpeq_epi8 as equal8,
        _mm_cmpgt_epi8 as greater8, _mm_loadu_si128, _mm_or_si128 as or, _mm_packs_epi32 as pack32,
        _mm_packus_epi16 as pack16, _mm_set1_epi8 as set8, _mm_set1_epi16 as set16, _mm_set1_epi32 as set32,
        _mm_setzero_si128 as zero, _mm_srli_epi16 as shift_right16, _mm_srli_epi32 as shift_right32,
        _mm_storeu_si128, _mm_sub_epi8 as sub8, _mm_unpackhi_epi8 as unpack_high8,
        _mm_unpackhi_epi16 as unpack_high16, _mm_unpacklo_epi8 as unpack_low8,
        _mm_unpacklo_epi16 as unpack_low16, _mm_xor_si128 as xor,
    };

    use super::{Batch, PAIRS, Padded};

    const WIDTH: usize = 16;

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(bytes: &[u8; PAIRS], first: usize) -> Vector {
        let bytes = &bytes[first..first + WIDTH];
        // SAFETY: 16 bytes, any alignment.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn store(bytes: &mut [u8; PAIRS], first: usize, value: Vector) {
        let bytes = &mut bytes[first..first + WIDTH];
        // SAFETY: 16 bytes, any alignment.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), value) }
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

    kernel!("sse2");
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i as Vector, _mm_loadu_si128, _mm256_add_epi8 as add8, _mm256_add_epi16 as add16,
        _mm256_add_epi32 as add32, _mm256_and_si256 as and, _mm256_andnot_si256 as and_not,
        _mm256_cmpeq_epi8 as equal8, _mm256_cmpgt_epi8 as greater8, _mm256_loadu_si256,
        _mm256_or_si256 as or, _mm256_packs_epi32 as pack32, _mm256_packus_epi16 as pack16, _mm256_set_m128i,
        _mm256_set1_epi8 as set8, _mm256_set1_epi16 as set16, _mm256_set1_epi32 as set32,
        _mm256_setzero_si256 as zero, _mm256_srli_epi16 as shift_right16, _mm256_srli_epi32 as shift_right32,
        _mm256_storeu_si256, _mm256_sub_epi8 as sub8, _mm256_unpackhi_epi8 as unpack_high8,
        _mm256_unpackhi_epi16 as unpack_high16, _mm256_unpacklo_epi8 as unpack_low8,
        _mm256_unpacklo_epi16 as unpack_low16, _mm256_xor_si256 as xor,
    };

    use super::{Batch, PAIRS, Padded};

    const WIDTH: usize = 32;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(bytes: &[u8; PAIRS], _first: usize) -> Vector {
        // SAFETY: 32 bytes, any alignment.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(bytes: &mut [u8; PAIRS], _first: usize, value: Vector) {
        // SAFETY: 32 bytes, any alignment.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), value) }
    }

    /// Rows 0 to 15 in the low halves, rows 16 to 31 in the high halves, as `unpack` works in halves.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_rows(texts: &[Padded; PAIRS], _first: usize, from: usize) -> [Vector; 16] {
        let half = |row: usize| {
            let bytes = &texts[row][from..from + 16];
            // SAFETY: 16 bytes, any alignment.
            unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
        };
        let mut rows = [zero(); 16];
        for (index, row) in rows.iter_mut().enumerate() {
            *row = _mm256_set_m128i(half(index + 16), half(index));
        }
        rows
    }

    /// Runs code that becomes part of this function, and so is compiled for AVX2.
    #[target_feature(enable = "avx2")]
    pub fn run<R>(code: impl FnOnce() -> R) -> R {
        code()
    }

    kernel!("avx2");
}
