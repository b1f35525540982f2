//! Where words begin and end: a bit for each byte of a text.

use super::super::lanes::{LONGEST, Register};
use super::super::utf8::character;
use super::super::whitespace::is_whitespace;
use super::Range;

/// Bytes for which a word of memory has bits.
const BLOCK: usize = 2 * LONGEST;

/// Places that are written at once: how many there are in a block is hard to foresee.
const GROUP: usize = 8;

/// Bits that are found in memory by their place.
const STEP: usize = 8;

/// The words of a text that stand between whitespace.
#[derive(Default)]
pub struct Borders {
    /// Bytes of words; zeros behind the text.
    inside: Vec<u64>,
    /// First bytes of words, eight bytes of bits each; ones behind the text, so that a search for the next word ends
    /// there.
    starts: Vec<[u8; STEP]>,
    len: usize,
    words: usize,
    /// Whether one byte stands between two words, and none at the ends.
    are_close: bool,
    /// Whitespace of ASCII other than spaces: the words of `inside` that have some, and its bits.
    controls: Vec<(usize, u64)>,
    /// Whitespace beyond ASCII: where it stands, and its bytes.
    wide: Vec<(usize, usize)>,
}

impl Borders {
    /// Finds the words of a text. Where `joins`, a single character of whitespace other than a space does not end
    /// a word.
    #[inline(always)]
    pub fn find(&mut self, text: &[u8], joins: bool) {
        self.inside.clear();
        self.controls.clear();
        self.wide.clear();
        self.len = text.len();
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        // Whitespace that the block before has begun.
        let mut begun = 0;
        for (index, block) in blocks.iter().enumerate() {
            self.find_in(text, BLOCK * index, block, &mut begun);
        }
        let mut last = [b' '; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        self.find_in(text, text.len() - rest.len(), &last, &mut begun);
        if joins {
            self.join();
        }
        self.mark_starts();
    }

    /// The same of a text that is read backwards.
    #[inline(always)]
    pub fn reverse(&mut self, other: &Self) {
        let Self { inside, len, .. } = self;
        *len = other.len;
        inside.clear();
        // What stands behind the text comes first, and is shifted out.
        let unused = BLOCK * other.inside.len() - *len;
        let mut words = other.inside.iter().rev().map(|word| word.reverse_bits()).skip(unused / BLOCK);
        let (mut word, shift) = (words.next().unwrap_or(0), unused % BLOCK);
        for _ in 0..=*len / BLOCK {
            let next = words.next().unwrap_or(0);
            inside.push(word >> shift | (next << 1) << (BLOCK - 1 - shift));
            word = next;
        }
        self.mark_starts();
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Whether one byte stands between two words, and none at the ends.
    pub fn are_close(&self) -> bool {
        self.are_close
    }

    /// Whether a byte is part of a word; no byte behind the text is.
    #[inline(always)]
    pub fn is_inside(&self, at: usize) -> bool {
        self.inside[at / BLOCK] >> (at % BLOCK) & 1 != 0
    }

    /// Bytes of a word from a place in it on, at most 64.
    #[inline(always)]
    pub fn inside_from(&self, at: usize) -> usize {
        let (word, bit) = (at / BLOCK, at % BLOCK);
        let bits = self.inside[word] >> bit | (self.inside[word + 1] << 1) << (BLOCK - 1 - bit);
        bits.trailing_ones() as usize
    }

    /// Where words begin, to find the next one.
    #[inline(always)]
    pub fn starts(&self) -> Starts<'_> {
        Starts(self.starts.as_flattened())
    }

    /// The last word that begins at a place or before it.
    #[inline(always)]
    pub fn last(&self, at: usize) -> usize {
        let unused = BLOCK - 1 - at % BLOCK;
        let mut word = at / BLOCK;
        let mut found = u64::from_le_bytes(self.starts[word]) << unused >> unused;
        while found == 0 {
            word -= 1;
            found = u64::from_le_bytes(self.starts[word]);
        }
        BLOCK * word + found.ilog2() as usize
    }

    /// Where the words stand.
    #[inline(always)]
    pub fn ranges(&self, ranges: &mut Vec<Range>) {
        self.write(ranges, |place| place);
    }

    /// The same in half the memory; the text must be shorter than 4 GB.
    #[inline(always)]
    pub fn places(&self, places: &mut Vec<[u32; 2]>) {
        self.write(places, |place| place as u32);
    }

    #[inline(always)]
    fn write<T: Copy + Default>(&self, ranges: &mut Vec<[T; 2]>, of: impl Fn(usize) -> T) {
        // Whole groups are written, the last of them beyond the last word.
        ranges.resize(self.words + GROUP, [T::default(); 2]);
        let places = ranges.as_flattened_mut();
        let (mut is_inside, mut seen) = (0, 0);
        for (&inside, first) in self.inside.iter().zip((0..).step_by(BLOCK)) {
            // Where a word begins or ends.
            let mut changes = inside ^ (inside << 1 | is_inside);
            is_inside = inside >> (BLOCK - 1);
            let end = seen + changes.count_ones() as usize;
            while seen < end {
                for place in &mut places[seen..seen + GROUP] {
                    *place = of(first + changes.trailing_zeros() as usize);
                    changes &= changes.wrapping_sub(1);
                }
                seen += GROUP;
            }
            seen = end;
        }
        ranges.truncate(self.words);
    }

    #[inline(always)]
    fn find_in(&mut self, text: &[u8], first: usize, block: &[u8; BLOCK], begun: &mut u64) {
        let halves = [0, LONGEST].map(|at| Register::load(block[at..].first_chunk().expect("a half")));
        let both = |bits: [u32; 2]| u64::from(bits[0]) | u64::from(bits[1]) << u32::BITS;
        let masks = halves.map(Register::masks);
        let spaces = both(masks.map(|masks| masks.spaces));
        let others = both(masks.map(|masks| masks.controls | masks.beyond_ascii));
        if others | *begun == 0 {
            self.inside.push(!spaces);
            return;
        }
        let mut whitespace = both(halves.map(|half| half.whitespace().0));
        let controls = whitespace & !spaces;
        if controls != 0 {
            self.controls.push((self.inside.len(), controls));
        }
        whitespace |= *begun;
        *begun = 0;
        let mut wide = both(masks.map(|masks| masks.beyond_ascii));
        if wide != 0 && !block.iter().fold(false, |any, &byte| any | may_start_whitespace(byte)) {
            wide = 0;
        }
        while wide != 0 {
            let bit = wide.trailing_zeros();
            wide &= wide - 1;
            let at = first + bit as usize;
            if !may_start_whitespace(text[at]) {
                continue;
            }
            let (code, width) = character(text, at);
            if char::from_u32(code).is_some_and(is_whitespace) {
                self.wide.push((at, width));
                let bits = ((1_u128 << width) - 1) << bit;
                whitespace |= bits as u64;
                *begun = (bits >> u64::BITS) as u64;
            }
        }
        self.inside.push(!whitespace);
    }

    /// Joins words between which a single character of whitespace stands that is no space.
    fn join(&mut self) {
        let Self { inside, controls, wide, len, .. } = self;
        // No neighbour of a character that is joined is whitespace, so the order does not matter.
        for &(word, bits) in &*controls {
            let before = if word > 0 { inside[word - 1] >> (BLOCK - 1) } else { 0 };
            let behind = inside.get(word + 1).map_or(0, |next| next << (BLOCK - 1));
            let letters = inside[word];
            inside[word] |= bits & (letters << 1 | before) & (letters >> 1 | behind);
        }
        let is_inside = |inside: &[u64], at: usize| inside[at / BLOCK] >> (at % BLOCK) & 1 != 0;
        for &(at, width) in &*wide {
            let joins =
                at > 0 && at + width < *len && is_inside(inside, at - 1) && is_inside(inside, at + width);
            for at in at..at + if joins { width } else { 0 } {
                inside[at / BLOCK] |= 1 << (at % BLOCK);
            }
        }
    }

    #[inline(always)]
    fn mark_starts(&mut self) {
        let Self { inside, starts, len, words, are_close, .. } = self;
        // Two places behind the text are asked for, and a window reads a word more.
        inside.push(0);
        inside.push(0);
        starts.clear();
        let mut is_inside = 0;
        *words = 0;
        let mut letters = 0;
        for &inside in &*inside {
            letters += inside.count_ones() as usize;
            let first = inside & !(inside << 1 | is_inside);
            is_inside = inside >> (BLOCK - 1);
            *words += first.count_ones() as usize;
            starts.push(first.to_le_bytes());
        }
        *are_close = letters + *words == *len + 1;
        let last = &mut starts[*len / BLOCK];
        *last = (u64::from_le_bytes(*last) | u64::MAX << (*len % BLOCK)).to_le_bytes();
        starts[*len / BLOCK + 1..].fill([u8::MAX; STEP]);
    }
}

/// Where the words of a text begin.
#[derive(Clone, Copy)]
pub struct Starts<'a>(&'a [u8]);

impl Starts<'_> {
    /// The first word at a place or behind it; the end of the text where there is none, and one byte more behind it.
    #[inline(always)]
    pub fn next(self, at: usize) -> usize {
        let mut byte = at / STEP;
        let found = self.bits(byte) >> (at % STEP);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        loop {
            byte += STEP;
            let found = self.bits(byte);
            if found != 0 {
                return STEP * byte + found.trailing_zeros() as usize;
            }
        }
    }

    #[inline(always)]
    fn bits(self, byte: usize) -> u64 {
        u64::from_le_bytes(*self.0[byte..byte + STEP].first_chunk().expect("so many bytes"))
    }
}

/// Whether whitespace beyond ASCII starts with this byte.
fn may_start_whitespace(byte: u8) -> bool {
    matches!(byte, 0xc2 | 0xe1..=0xe3)
}
