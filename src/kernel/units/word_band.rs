//! Edit distance of two texts in words, without a table of words.
//!
//! Each word has a [key](super::word_keys) and a check of two bytes. A check is compared with those of 64 words of the
//! other text at once, which gives the match bits of a column. If one text has at most 64 words, a column of the table
//! is one machine word. Otherwise, after Hyyrö (2003), a column within a band of 64 diagonals is two machine words,
//! which move down by one row per column.
//!
//! Two different words with one check can make the distance too small, never too large. So the columns are kept, their
//! path is walked back, and its errors are counted by keys. If there are as many, the path is the shortest within the
//! band. A path that leaves the band inserts and deletes many words, and changes every word that the other text lacks.
//! If this does not rule out such a path, the distance is left to the methods for long text, with
//! [`word_table`](super::word_table).
//!
//! The time grows with the number of words, whatever the errors. It is wasted if the band is given up: on texts with
//! errors in most words, or with very different lengths.

use super::super::distance::Workspace;
use super::super::lanes::{ColumnSteps, Isa, ROWS, Task};
use super::Range;
use super::word_keys::{FindKeys, Key, Texts, WordKeys, lengthen};
use super::word_table::WordTable;

/// Diagonals of the band.
const BAND: usize = ROWS;

/// Most words that one text may have more: half of the band is left for both sides.
const MOST_LONGER: usize = BAND / 2 - 1;

/// Columns after which it is asked whether there are too many errors.
const LOOK: usize = 64;

/// Places at which it is looked how many words the other text does not have; as many as a power of 2.
const PLACES: usize = 1 << 14;

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct WordBand {
    words: [WordKeys; 2],
    steps: Vec<ColumnSteps>,
    seen: Seen,
    table: WordTable,
}

/// Places at which the words of a text have been seen.
#[derive(Default)]
struct Seen {
    /// When a word was last seen there. Empty before it is first asked: most pairs never ask.
    stamps: Vec<u8>,
    /// The stamp of now, so that nothing has to be cleared for each text.
    now: u8,
}

impl WordBand {
    /// The distance; `None` if two different long words have one key.
    pub fn distance(
        &mut self,
        isa: Isa,
        texts: [&[u8]; 2],
        ranges: &[Vec<Range>; 2],
        workspace: &mut Workspace,
    ) -> Option<usize> {
        let Self { words: [rows, columns], steps, seen, table } = self;
        let fewer = usize::from(ranges[1].len() < ranges[0].len());
        let sides = [fewer, 1 - fewer];
        let texts =
            Texts { texts: sides.map(|side| texts[side]), ranges: sides.map(|side| &ranges[side][..]) };
        let [few, many] = texts.ranges.map(<[Range]>::len);
        let longer = many - few;
        if few == 0 {
            return Some(many);
        }
        let [before, all] = match longer {
            _ if few <= ROWS => [0, ROWS],
            ..=MOST_LONGER => [BAND - 1 - below(longer), many + BAND - 1],
            _ => [0, few],
        };
        rows.pad(before, few, all);
        columns.pad(0, many, many);
        isa.perform(FindKeys { words: [&mut *rows, &mut *columns], texts });
        let words = [&*rows, &*columns];
        let pair = Pair { texts, words, first: fewer };
        lengthen(steps, many + 1);
        let steps = &mut steps[..=many];
        let found = if few <= ROWS { pair.all_rows(isa, steps) } else { pair.band(isa, longer, steps, seen) };
        match found {
            Ok(distance) => Some(distance),
            Err(guess) => {
                table.search(isa, texts, words, |words, slots| workspace.many_errors(words, slots, guess))
            }
        }
    }
}

/// Two texts and their words; the rows are those of the text with fewer.
#[derive(Clone, Copy)]
struct Pair<'a> {
    texts: Texts<'a>,
    words: [&'a WordKeys; 2],
    /// Which of them is the first one of the pair.
    first: usize,
}

impl Pair<'_> {
    fn counts(&self) -> [usize; 2] {
        self.words.map(|words| words.keys().len())
    }

    /// The distance where all rows fit into a machine word, or a guess.
    fn all_rows(&self, isa: Isa, steps: &mut [ColumnSteps]) -> Result<usize, usize> {
        let [rows, columns] = self.counts();
        let checks = self.words[0].padded_checks().first_chunk().expect("64 rows");
        steps[0] = ColumnSteps { rises: u64::MAX, falls: 0 };
        isa.columns(checks, self.words[1].checks(), steps);
        let [rises, falls] = steps[columns].count(u64::MAX >> (ROWS - rows));
        let distance = columns + rises - falls;
        let found = isa.perform(Way::<false> { pair: *self, steps, last: 0 });
        if found == distance { Ok(distance) } else { Err(found) }
    }

    /// The distance where it is certain that no shorter path leaves the band, or a guess.
    fn band(
        &self,
        isa: Isa,
        longer: usize,
        steps: &mut [ColumnSteps],
        seen: &mut Seen,
    ) -> Result<usize, usize> {
        let [rows, columns] = self.counts();
        let checks = self.words.map(WordKeys::checks);
        if longer > MOST_LONGER {
            let missing = [0, 1].map(|side| seen.count_missing(isa, [checks[side], checks[1 - side]]));
            return Err(missing[0].max(missing[1]) + rows / 4);
        }
        let below = below(longer);
        let padded = self.words[0].padded_checks();
        steps[0] = ColumnSteps { rises: u64::MAX << (BAND - 1 - below), falls: 0 };
        let mut lowest = below;
        // The distance `rows` rows above the lowest one.
        let above = |lowest: usize, column: ColumnSteps, rows: usize| {
            let [rises, falls] = column.count(u64::MAX >> 1 & u64::MAX << (BAND - 1 - rows));
            lowest + falls - rises
        };
        for first in (0..columns).step_by(LOOK) {
            let last = (first + LOOK).min(columns);
            lowest +=
                isa.band(&padded[first..last + BAND - 1], &checks[1][first..last], &mut steps[first..=last]);
            // More than half of the words are wrong.
            if above(lowest, steps[last], below) > usize::midpoint(last, LOOK) {
                return Err(rows);
            }
        }
        let distance = above(lowest, steps[columns], longer + below);
        // Most often it is the first text that has wrong words.
        let is_certain = distance <= least_outside(0, longer)
            || [self.first, 1 - self.first].into_iter().any(|side| {
                let missing = seen.count_missing(isa, [checks[side], checks[1 - side]]);
                distance <= least_outside(missing + longer * (1 - side), longer)
            });
        let found = isa.perform(Way::<true> { pair: *self, steps, last: BAND - 2 - below - longer });
        if is_certain && found == distance { Ok(distance) } else { Err(found) }
    }

    /// Whether two words are different.
    #[inline(always)]
    fn differ(&self, [left, right]: [Key; 2], row: usize, column: usize) -> bool {
        let differs = left.differs(right);
        if (differs == 0) & left.is_long() {
            return self.have_other_bytes(row, column);
        }
        differs != 0
    }

    #[cold]
    #[inline(never)]
    fn have_other_bytes(&self, row: usize, column: usize) -> bool {
        self.texts.word(0, row) != self.texts.word(1, column)
    }
}

/// Walks the path of the columns back, and counts its errors.
struct Way<'a, const IN_BAND: bool> {
    pair: Pair<'a>,
    steps: &'a [ColumnSteps],
    /// In a band, the bit of the last row in the last column: the rows of its steps go down from column to column.
    last: usize,
}

impl<const IN_BAND: bool> Task for Way<'_, IN_BAND> {
    type Result = usize;

    #[inline(always)]
    fn perform(self) -> usize {
        let Self { pair, steps, last: mut bit } = self;
        let [mut rows, mut columns] = pair.words.map(WordKeys::keys);
        let mut errors = 0;
        while !rows.is_empty() && !columns.is_empty() {
            let count = rows.len().min(columns.len());
            let (row, column) = (rows.len() - count, columns.len() - count);
            let (row_keys, column_keys) = (&rows[row..][..count], &columns[column..][..count]);
            let steps = &steps[column..][..=count];
            // The words before those that are equal or changed, and whether the last of the rows is added.
            let (mut before, mut is_added) = (0, None);
            for index in (0..count).rev() {
                let bit = if IN_BAND { bit } else { row + index };
                let added = steps[index + 1].rises >> (bit % BAND);
                let missing = steps[index].falls >> (bit.wrapping_add(usize::from(IN_BAND)) % BAND);
                if (added | missing) & 1 != 0 {
                    (before, is_added) = (index + 1, Some(added & 1 != 0));
                    break;
                }
                let differ = pair.differ([row_keys[index], column_keys[index]], row + index, column + index);
                errors += usize::from(differ);
            }
            (rows, columns) = (&rows[..row + before], &columns[..column + before]);
            match is_added {
                None => {}
                Some(true) => {
                    (rows, bit) = (&rows[..rows.len() - 1], bit.wrapping_sub(1));
                    errors += 1;
                }
                Some(false) => {
                    (columns, bit) = (&columns[..columns.len() - 1], bit.wrapping_add(1));
                    errors += 1;
                }
            }
        }
        errors + rows.len() + columns.len()
    }
}

impl Seen {
    /// How many words of the first text the second one does not have, or fewer.
    fn count_missing(&mut self, isa: Isa, [words, others]: [&[u16]; 2]) -> usize {
        let Self { stamps, now } = self;
        lengthen(stamps, PLACES);
        *now = now.wrapping_add(1);
        if *now == 0 {
            stamps.fill(0);
            *now = 1;
        }
        let stamps = stamps.first_chunk_mut().expect("so many places");
        isa.perform(CountMissing { words, others, stamps, now: *now })
    }
}

struct CountMissing<'a> {
    words: &'a [u16],
    others: &'a [u16],
    stamps: &'a mut [u8; PLACES],
    now: u8,
}

impl Task for CountMissing<'_> {
    type Result = usize;

    #[inline(always)]
    fn perform(self) -> usize {
        let Self { words, others, stamps, now } = self;
        for &other in others {
            stamps[usize::from(other) % PLACES] = now;
        }
        words.iter().map(|&word| usize::from(stamps[usize::from(word) % PLACES] != now)).sum()
    }
}

/// Rows of the band below that of the column, if there are `longer` more columns than rows. The other rows are above.
fn below(longer: usize) -> usize {
    (BAND - 1 - longer) / 2
}

/// The least length of a path that leaves the band, given how many columns have words that no row has: the path deletes
/// and inserts enough words to get out and come back, and each word that the other text lacks is an error.
fn least_outside(missing: usize, longer: usize) -> usize {
    let below = below(longer);
    let deleted = (below + 1).min(BAND - below - longer);
    let inserted = deleted + longer;
    deleted + inserted.max(missing)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::{TextUnit, Units, WordRule};
    use super::*;
    use crate::kernel::oracle::{cases, edited};
    use crate::kernel::weighted::SubstitutionCost;

    /// Working memory of an instruction set.
    struct Tested {
        isa: Isa,
        band: WordBand,
        workspace: Workspace,
    }

    impl Tested {
        fn all() -> Vec<Self> {
            let tested = |isa| Self { isa, band: WordBand::default(), workspace: Workspace::default() };
            Isa::available().map(tested).collect()
        }

        fn distance(&mut self, texts: [&str; 2]) -> Option<usize> {
            let Self { isa, band, workspace } = self;
            let mut units = Units::default();
            let (_, ranges) = units.numbers(texts, WordRule::Whitespace);
            band.distance(*isa, texts.map(str::as_bytes), ranges, workspace)
        }
    }

    /// The distance of the words as code points.
    fn distance(texts: [&str; 2]) -> usize {
        let mut units = Units::default();
        let [left, right] = units.code_points(texts, TextUnit::Word(WordRule::Whitespace));
        Workspace::default().distance(left, right, SubstitutionCost::One)
    }

    fn joined(words: &[String]) -> String {
        words.join(" ")
    }

    /// Words of all lengths, whose first bytes are often the same.
    const WORD: &str = "[a-e]|[a-z]{2,7}|é[ab]{0,3}|\u{0}{1,3}|abcdefgh[ab]{0,9}|x{16,40}[ab]|ab{14}[a-c]";

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn distances_are_those_of_the_code_points(
            vocabulary in prop::collection::vec(WORD, 1..60),
            shared in prop::collection::vec(any::<prop::sample::Index>(), 0..300),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, WORD), 0..150),
            moved in 0..60_usize,
        ) {
            let answer: Vec<&str> = shared.iter().map(|index| index.get(&vocabulary).as_str()).collect();
            let prediction = edited(&answer, &edits);
            // A path to the moved words leaves the band.
            let moved = moved.min(prediction.len());
            let mut turned = prediction.clone();
            turned.rotate_left(moved);
            let mut tested = Tested::all();
            for prediction in [prediction, turned] {
                let texts = [prediction.join(" "), answer.join(" ")];
                let texts = texts.each_ref().map(String::as_str);
                for texts in [texts, [texts[1], texts[0]]] {
                    let expected = distance(texts);
                    for tested in &mut tested {
                        prop_assert_eq!(tested.distance(texts), Some(expected), "{:?}", tested.isa);
                    }
                }
            }
        }
    }

    #[test]
    fn every_fifth_word_is_wrong() {
        let answer: Vec<String> = (0..500).map(|place| format!("w{}", place * place % 71)).collect();
        let mut prediction = answer.clone();
        (0..100).for_each(|place| prediction[5 * place] = format!("wrong{place}"));
        let texts = [joined(&prediction), joined(&answer)];
        for mut tested in Tested::all() {
            assert_eq!(tested.distance(texts.each_ref().map(String::as_str)), Some(100), "{:?}", tested.isa);
        }
    }

    #[test]
    fn different_words_of_one_hash_are_different() {
        let vocabulary: Vec<String> = (0..2_000).map(|number| format!("w{number}")).collect();
        let text = joined(&vocabulary);
        let mut units = Units::default();
        let (_, [ranges, _]) = units.numbers([&text, ""], WordRule::Whitespace);
        let mut words = <[WordKeys; 2]>::default();
        let [found, other] = &mut words;
        for words in [&mut *found, &mut *other] {
            words.pad(0, vocabulary.len(), vocabulary.len());
        }
        let texts = Texts { texts: [text.as_bytes(); 2], ranges: [ranges; 2] };
        FindKeys { words: [found, other], texts }.perform();
        let mut seen = HashMap::new();
        let numbered = words[0].checks().iter().zip(0..);
        let same = numbered.filter_map(|(&check, number)| Some([seen.insert(check, number)?, number]));
        let same: Vec<[usize; 2]> = same.collect();
        assert!(same.len() > 10, "one in 65,536 pairs is expected");
        for [one, other] in same {
            for count in [10, 300] {
                let mut answer: Vec<String> = (0..count).map(|place| format!("other{place}")).collect();
                answer[count / 2].clone_from(&vocabulary[one]);
                let mut prediction = answer.clone();
                prediction[count / 2].clone_from(&vocabulary[other]);
                let texts = [joined(&prediction), joined(&answer)];
                for mut tested in Tested::all() {
                    assert_eq!(
                        tested.distance(texts.each_ref().map(String::as_str)),
                        Some(1),
                        "{:?}",
                        tested.isa
                    );
                }
            }
        }
    }

    #[test]
    fn shorter_paths_outside_are_not_missed() {
        let words: Vec<String> = (0..100).map(|place| format!("w{place}")).collect();
        for moved in 0..50 {
            let mut turned = words.clone();
            turned.rotate_left(moved);
            let texts = [joined(&words), joined(&turned)];
            let texts = texts.each_ref().map(String::as_str);
            let expected = 2 * moved;
            assert_eq!(distance(texts), expected);
            for mut tested in Tested::all() {
                assert_eq!(tested.distance(texts), Some(expected), "{:?} {moved}", tested.isa);
            }
        }
    }
}
