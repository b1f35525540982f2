//! Where words begin and end: a bit for each byte of a text.

use super::super::lanes::{BLOCK, Isa, Task};
use super::super::ones::ones;
use super::super::utf8::character;
use super::super::whitespace::is_whitespace;
use super::Range;

/// Words of bits after the last block: a window reads a word more.
const BEHIND: usize = 1;

/// Places that are written at once: how many there are in a block is hard to foresee.
const GROUP: usize = 8;

/// The words of a text that stand between whitespace.
#[derive(Default)]
pub struct Borders {
    /// Bytes of words; zeros behind the text.
    inside: Vec<u64>,
    len: usize,
    words: usize,
    /// Whether one byte stands between two words, and none at the ends.
    are_close: bool,
    /// Whitespace of ASCII other than spaces, and where whitespace beyond ASCII may start: a bit for each byte.
    controls: Vec<u64>,
    wide_starts: Vec<u64>,
    /// Whitespace beyond ASCII: where it stands, and its bytes.
    wide: Vec<(usize, usize)>,
}

impl Borders {
    /// Finds the words of a text. Where `joins`, a single character of whitespace other than a space does not end
    /// a word.
    pub fn find(&mut self, isa: Isa, text: &[u8], joins: bool) {
        let Self { inside, controls, len, .. } = self;
        *len = text.len();
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        let all = blocks.len() + 1;
        inside.resize(all + BEHIND, 0);
        inside[all..].fill(0);
        lengthen(controls, all);
        let behind = (&mut inside[blocks.len()..], &mut controls[blocks.len()..]);
        let is_ascii =
            isa.whitespace(&last_block(rest), behind.0, behind.1) & isa.whitespace(blocks, inside, controls);
        if !is_ascii {
            self.find_wide(isa, text, joins);
        }
        isa.perform(CountWords { borders: self, joins });
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Whether one byte stands between two words, and none at the ends.
    pub fn are_close(&self) -> bool {
        self.are_close
    }

    /// Where the words stand.
    #[inline(always)]
    pub fn ranges(&self, ranges: &mut Vec<Range>) {
        ranges.resize(self.words + GROUP, Range::default());
        self.write(ranges.as_flattened_mut(), |inside, behind| inside ^ behind, |place| place);
        ranges.truncate(self.words);
    }

    /// Where the words begin, followed by anything; the text must be shorter than 4 GB.
    #[inline(always)]
    pub fn first_bytes(&self, places: &mut Vec<u32>) {
        lengthen(places, self.words + GROUP);
        self.write(places, |inside, behind| inside & !behind, |place| place as u32);
    }

    /// Where they end, followed by anything; the text must be shorter than 4 GB.
    #[inline(always)]
    pub fn ends(&self, places: &mut Vec<u32>) {
        lengthen(places, self.words + GROUP);
        self.write(places, |inside, behind| !inside & behind, |place| place as u32);
    }

    /// Writes places, which are told by the bytes of words and by those behind a byte of a word. Whole groups are written,
    /// the last of them beyond the last word.
    #[inline(always)]
    fn write<T>(&self, places: &mut [T], changes: impl Fn(u64, u64) -> u64, of: impl Fn(usize) -> T) {
        let (mut is_inside, mut seen) = (0, 0);
        for (&inside, first) in self.inside.iter().zip((0..).step_by(BLOCK)) {
            let mut changes = changes(inside, inside << 1 | is_inside);
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
    }

    /// Finds whitespace beyond ASCII. Where `joins`, one character of it joins the words beside it.
    #[inline(never)]
    fn find_wide(&mut self, isa: Isa, text: &[u8], joins: bool) {
        let Self { inside, wide_starts, wide, .. } = self;
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        wide_starts.resize(blocks.len() + 1, 0);
        isa.wide_starts(blocks, wide_starts);
        isa.wide_starts(&last_block(rest), &mut wide_starts[blocks.len()..]);
        wide.clear();
        for (&starts, first) in wide_starts.iter().zip((0..).step_by(BLOCK)) {
            for at in ones(starts).map(|bit| first + bit) {
                let (code, width) = character(text, at);
                if char::from_u32(code).is_some_and(is_whitespace) {
                    wide.push((at, width));
                    (at..at + width).for_each(|at| inside[at / BLOCK] &= !(1 << (at % BLOCK)));
                }
            }
        }
        let is_inside = |inside: &[u64], at: usize| inside[at / BLOCK] >> (at % BLOCK) & 1 != 0;
        // No neighbour of a character that is joined is whitespace, so the order does not matter.
        for &(at, width) in wide.iter().filter(|_| joins) {
            let joins = at > 0
                && at + width < text.len()
                && is_inside(inside, at - 1)
                && is_inside(inside, at + width);
            for at in at..at + if joins { width } else { 0 } {
                inside[at / BLOCK] |= 1 << (at % BLOCK);
            }
        }
    }
}

/// Counts words, after single characters of ASCII whitespace other than spaces have joined the words
/// beside them if they do.
struct CountWords<'a> {
    borders: &'a mut Borders,
    joins: bool,
}

impl Task for CountWords<'_> {
    type Result = ();

    #[inline(always)]
    fn perform(self) {
        let Self { borders, joins } = self;
        let Borders { inside, controls, .. } = borders;
        let blocks = inside.len() - BEHIND;
        let join = if joins { u64::MAX } else { 0 };
        let (mut before, mut is_inside) = (0, 0);
        let (mut letters, mut words) = (0, 0);
        let (inside, controls) = (&mut inside[..=blocks], &controls[..blocks]);
        let mut block = inside[0];
        for (index, &controls) in controls.iter().enumerate() {
            let behind = inside[index + 1];
            let beside = (block << 1 | before >> (BLOCK - 1)) & (block >> 1 | behind << (BLOCK - 1));
            let all = block | controls & join & beside;
            inside[index] = all;
            letters += all.count_ones() as usize;
            words += (all & !(all << 1 | is_inside)).count_ones() as usize;
            is_inside = all >> (BLOCK - 1);
            (before, block) = (block, behind);
        }
        borders.words = words;
        borders.are_close = letters + words == borders.len + 1;
    }
}

/// The last bytes of a text, followed by spaces.
fn last_block(rest: &[u8]) -> [[u8; BLOCK]; 1] {
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    [last]
}

/// Makes a vector at least so long. What it has behind a length is not lost, so that it is not written for each text anew.
pub fn lengthen<T: Clone + Default>(values: &mut Vec<T>, len: usize) {
    if values.len() < len {
        values.resize(len, T::default());
    }
}
