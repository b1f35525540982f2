//! The words of a text as keys of 16 bytes: all bytes of a word that has at most 15, and a hash of a longer one.
//!
//! Keys make two words comparable in two operations, without a table. Equal keys prove equal words only up to 15 bytes:
//! compare the bytes of longer words as well. Each word also has a check of 16 bits, which
//! [`word_band`](super::word_band) compares 64 at a time; different words share one now and then.

use super::super::lanes::Task;
use super::Range;

/// Words of at least this many bytes are not identified by their key alone.
const LONG: usize = 16;

/// The words of a text. Its vectors may be longer: the rest of them belongs to earlier texts.
#[derive(Default)]
pub struct WordKeys {
    words: usize,
    keys: Vec<Key>,
    /// A number of each word that is the same for equal words and seldom for others. There are zeros before and after them.
    checks: Vec<u16>,
    /// Zeros before them.
    before: usize,
    /// Which words are not identified by their key alone, and how many they are.
    long: Vec<u32>,
    long_words: usize,
}

/// Two texts and where their words are.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    pub texts: [&'a [u8]; 2],
    pub ranges: [&'a [Range]; 2],
}

impl<'a> Texts<'a> {
    /// The bytes of a word.
    pub fn word(&self, side: usize, index: usize) -> &'a [u8] {
        let [start, end] = self.ranges[side][index];
        &self.texts[side][start..end]
    }
}

/// Finds the keys of the words of two texts.
pub struct FindKeys<'a> {
    pub words: [&'a mut WordKeys; 2],
    pub texts: Texts<'a>,
}

impl Task for FindKeys<'_> {
    type Result = ();

    #[inline(always)]
    fn perform(self) {
        let Self { words, texts: Texts { texts, ranges } } = self;
        for ((words, text), ranges) in words.into_iter().zip(texts).zip(ranges) {
            words.find(text, ranges);
            if words.long_words > 0 {
                words.find_others(text, ranges);
            }
        }
    }
}

impl WordKeys {
    /// The keys of all words.
    pub fn keys(&self) -> &[Key] {
        &self.keys[..self.words]
    }

    /// A number of each word that is the same for equal words and seldom for others.
    pub fn checks(&self) -> &[u16] {
        &self.checks[self.before..self.before + self.words]
    }

    /// The same with the zeros before and after them.
    pub fn padded_checks(&self) -> &[u16] {
        &self.checks
    }

    /// Makes room for `words` numbers after `before` zeros, with zeros after them up to `all`.
    pub fn pad(&mut self, before: usize, words: usize, all: usize) {
        self.before = before;
        lengthen(&mut self.checks, all);
        self.checks[..before].fill(0);
        self.checks[before + words..all].fill(0);
    }

    /// Words that are not identified by their key alone, by their numbers.
    pub fn long(&self) -> &[u32] {
        &self.long[..self.long_words]
    }

    /// Finds the keys of all words except long ones and the last few of the text, and notes these.
    #[inline(always)]
    fn find(&mut self, text: &[u8], ranges: &[Range]) {
        let Self { words, keys, checks, before, long, long_words } = self;
        *words = ranges.len();
        lengthen(keys, ranges.len());
        // Written by number: a push, which may have to grow, would cost registers.
        lengthen(long, ranges.len());
        let mut noted = 0;
        let (keys, checks) = (&mut keys[..ranges.len()], &mut checks[*before..][..ranges.len()]);
        for (index, &[start, end]) in ranges.iter().enumerate() {
            match text.get(start..start + LONG) {
                Some(bytes) if end - start < LONG => {
                    let key = Key::of_first(bytes.first_chunk().expect("so many bytes"), end - start);
                    (keys[index], checks[index]) = (key, key.check());
                }
                _ => {
                    long[noted] = index as u32;
                    noted += 1;
                }
            }
        }
        *long_words = noted;
    }

    /// The keys of the words that are noted. A function of its own, so that the loop over the others has all registers.
    #[inline(never)]
    fn find_others(&mut self, text: &[u8], ranges: &[Range]) {
        let mut long_words = 0;
        for noted in 0..self.long_words {
            let index = self.long[noted] as usize;
            let [start, end] = ranges[index];
            let key = Key::of_any(text, start, end);
            self.keys[index] = key;
            self.checks[self.before + index] = key.check();
            self.long[long_words] = index as u32;
            long_words += usize::from(end - start >= LONG);
        }
        self.long_words = long_words;
    }
}

/// Makes a vector at least `len` long. It is never shortened, so that its end is not cleared again for each text.
pub fn lengthen<T: Clone + Default>(values: &mut Vec<T>, len: usize) {
    if values.len() < len {
        values.resize(len, T::default());
    }
}

/// Bits in front of the length.
const BEFORE_LENGTH: u32 = 56;

/// Long words have this in place of their length, others in addition to it. The highest bit marks taken slots.
const TAKEN: u64 = 0x80;

/// What hashes of words are made with.
pub const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// The upper half of a product is mixed into the lower one, as in wyhash.
#[inline(always)]
pub fn mixed(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> u64::BITS) as u64
}

/// The bytes of a word, followed by zeros, and their number in the last one; of a long word the first eight and a hash.
/// No word has zeros.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Key {
    low: u64,
    high: u64,
}

impl Key {
    /// The key of the first `len` of the bytes.
    #[inline(always)]
    fn of_first(bytes: &[u8; LONG], len: usize) -> Self {
        /// The mask of the kept bytes, and the bits to add.
        const KEPT: [[u64; 4]; LONG] = {
            let mut kept = [[0; 4]; LONG];
            let mut len = 0;
            while len < LONG {
                let bits = (1_u128 << (8 * len)) - 1;
                kept[len] =
                    [bits as u64, (bits >> u64::BITS) as u64, (TAKEN | len as u64) << BEFORE_LENGTH, 0];
                len += 1;
            }
            kept
        };
        let all = u128::from_le_bytes(*bytes);
        let [low, high, length, _] = KEPT[len];
        Self { low: all as u64 & low, high: (all >> u64::BITS) as u64 & high | length }
    }

    /// The key of any word.
    #[inline(always)]
    fn of_any(text: &[u8], start: usize, end: usize) -> Self {
        let len = end - start;
        let last: Option<&[u8; LONG]> = text[..end].last_chunk();
        match (last, text[start..].first_chunk()) {
            (Some(last), _) if len < LONG => {
                let word = u128::from_le_bytes(*last) >> (8 * (LONG - len));
                Self::of_first(&word.to_le_bytes(), len)
            }
            // All bytes are among the first or the last ones.
            (Some(last), Some(first)) if len <= 2 * LONG => {
                let halves = [first, last].map(|bytes| u128::from_le_bytes(*bytes));
                let [first, last] = halves
                    .map(|bytes| mixed(bytes as u64 ^ FACTORS[0], (bytes >> u64::BITS) as u64 ^ FACTORS[1]));
                Self::long(halves[0] as u64, first ^ last.rotate_left(len as u32))
            }
            _ => Self::of_rare(&text[start..end]),
        }
    }

    /// The key of a very long word, or of one of a very short text.
    #[inline(never)]
    fn of_rare(word: &[u8]) -> Self {
        if word.len() < LONG {
            let mut first = [0; LONG];
            first[..word.len()].copy_from_slice(word);
            return Self::of_first(&first, word.len());
        }
        let eights = word.windows(8).rev().step_by(8);
        let hash = eights.fold(word.len() as u64, |hash, bytes| {
            mixed(
                hash ^ u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes")) ^ FACTORS[0],
                FACTORS[1],
            )
        });
        Self::long(u64::from_le_bytes(*word.first_chunk().expect("eight bytes")), hash)
    }

    /// The key of a long word, from its first bytes and a hash of all.
    #[inline(always)]
    fn long(first: u64, hash: u64) -> Self {
        Self { low: first, high: hash >> (u64::BITS - BEFORE_LENGTH) | TAKEN << BEFORE_LENGTH }
    }

    /// Whether there is no word.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.high == 0
    }

    /// Whether the word is not identified by its key alone.
    #[inline(always)]
    pub fn is_long(self) -> bool {
        self.high >> BEFORE_LENGTH == TAKEN
    }

    /// Zero where two keys are equal.
    #[inline(always)]
    pub fn differs(self, other: Self) -> u64 {
        (self.low ^ other.low) | (self.high ^ other.high)
    }

    /// Whether the other key is that of another word; that of no word is not.
    #[inline(always)]
    pub fn is_another(self, other: Self) -> bool {
        let differs = self.differs(other);
        ((differs | differs.wrapping_neg()) & other.high).cast_signed() < 0
    }

    /// Its place in a table: the lowest bits.
    #[inline(always)]
    pub fn hash(self) -> u64 {
        self.product().rotate_left(20)
    }

    #[inline(always)]
    fn check(self) -> u16 {
        (self.product() >> (u64::BITS - u16::BITS)) as u16
    }

    /// The upper bits depend on all bytes.
    #[inline(always)]
    fn product(self) -> u64 {
        (self.low ^ self.high.rotate_left(u32::BITS)).wrapping_mul(FACTORS[0])
    }
}
