//! Edit operations: how one text becomes the other, with the fewest edits.
//!
//! Several paths can have the fewest; the one taken is rapidfuzz's, so that positions can be compared. Its
//! rule: common ends are matches; then, walking back from the end of both texts, delete where that leads to
//! a smaller distance, else insert where the neighbouring cell is below its own upper neighbour, else go
//! diagonally. Long texts are split first (Hirschberg 1975), at the same sizes and the same places, because
//! a split decides between paths as well. It bounds the memory: the table of a part takes about a megabyte.
//!
//! The table consists of bit vectors (Hyyrö 2003), a row for each character of the prediction, and of each
//! row only the words in which a path of the known distance can run.

use super::diagonal::{Step, Wavefronts};
use super::distance::Workspace;
use super::length::length;
use super::pattern::{MatchBits, Unit};
use super::weighted::SubstitutionCost;

/// What happens at one place of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Another character is in its place.
    Replace,
    /// A character was added before it.
    Insert,
    /// The character is missing.
    Delete,
}

/// One edit on the way from the reference to the prediction; positions and characters are code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What happens.
    pub operation: Operation,
    /// Where, in the reference.
    pub reference_position: usize,
    /// Where, in the prediction.
    pub prediction_position: usize,
    /// The reference's character, unless one is inserted.
    pub reference: Option<char>,
    /// The prediction's character, unless one is deleted.
    pub prediction: Option<char>,
}

/// How many edits of each kind lead from the reference to the prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EditCounts {
    /// Characters that another one replaces.
    pub substitutions: usize,
    /// Characters that are missing.
    pub deletions: usize,
    /// Characters that were added.
    pub insertions: usize,
    /// Characters of the reference that stay.
    pub hits: usize,
}

/// Working memory of alignments, reused from pair to pair.
#[derive(Default)]
pub struct Aligner {
    workspace: Workspace,
    wavefronts: Wavefronts,
    reference: Vec<u32>,
    prediction: Vec<u32>,
    table: Table,
    edits: Vec<Edit>,
}

/// Bits of a word.
const WORD: usize = 64;

/// Entries of a table of bytes.
const BYTES: usize = 256;

/// Above this many bytes of table a pair is split, as in rapidfuzz, unless one text is as short as this.
const SPLIT_BYTES: usize = 1 << 20;
const UNSPLIT_REFERENCE: usize = 64;
const UNSPLIT_PREDICTION: usize = 9;

/// Edits are few if each has this many letters and there are at most [`MOST_EDITS`]: the time grows with their square.
const LETTERS_OF_EDIT: usize = 8;
const MOST_EDITS: usize = 2_000;

impl Aligner {
    /// The edits that turn the reference into the prediction, from the start to the end.
    pub fn edits(&mut self, reference: &str, prediction: &str) -> &[Edit] {
        self.edits_within(reference, prediction, None)
    }

    /// The same, if it is known that there are at most `most` edits.
    pub fn edits_within(&mut self, reference: &str, prediction: &str, most: Option<usize>) -> &[Edit] {
        let Self {
            workspace, reference: reference_units, prediction: prediction_units, table, edits, ..
        } = self;
        edits.clear();
        if reference == prediction {
            return edits;
        }
        // The distance bounds the paths, so that long texts need not be compared everywhere.
        let mut distance = |length: usize| {
            if length <= UNSPLIT_REFERENCE {
                return usize::MAX;
            }
            most.unwrap_or_else(|| workspace.distance(reference, prediction, SubstitutionCost::One))
        };
        if reference.is_ascii() && prediction.is_ascii() {
            let part = Part::new(reference.as_bytes(), prediction.as_bytes());
            table.align(part, usize::MAX, distance(reference.len()), edits);
        } else {
            for (text, units) in [(reference, &mut *reference_units), (prediction, &mut *prediction_units)] {
                units.clear();
                units.extend(text.chars().map(u32::from));
            }
            let distance = distance(reference_units.len());
            table.align(Part::new(reference_units, prediction_units), usize::MAX, distance, edits);
        }
        edits
    }

    /// As few edits, if they are few for the length of the texts. They are found without a table, and can differ from
    /// rapidfuzz's. The caller says whether the texts are ASCII.
    pub fn few_edits(&mut self, [reference, prediction]: [&str; 2], are_ascii: bool) -> Option<&[Edit]> {
        let Self { wavefronts, reference: reference_units, prediction: prediction_units, edits, .. } = self;
        edits.clear();
        if reference == prediction {
            return Some(edits);
        }
        if are_ascii {
            Part::new(reference.as_bytes(), prediction.as_bytes()).few_edits(wavefronts, edits)?;
        } else {
            for (text, units) in [(reference, &mut *reference_units), (prediction, &mut *prediction_units)] {
                units.clear();
                units.extend(text.chars().map(u32::from));
            }
            Part::new(reference_units.as_slice(), prediction_units).few_edits(wavefronts, edits)?;
        }
        Some(edits)
    }

    /// The numbers of those edits.
    pub fn counts(&mut self, reference: &str, prediction: &str) -> EditCounts {
        let mut counts = EditCounts::default();
        for edit in self.edits(reference, prediction) {
            *match edit.operation {
                Operation::Replace => &mut counts.substitutions,
                Operation::Insert => &mut counts.insertions,
                Operation::Delete => &mut counts.deletions,
            } += 1;
        }
        counts.hits = length(reference) - counts.substitutions - counts.deletions;
        counts
    }
}

/// Parts of both texts, and where they start.
#[derive(Clone, Copy)]
struct Part<'a, U> {
    reference: &'a [U],
    prediction: &'a [U],
    reference_start: usize,
    prediction_start: usize,
}

impl<'a, U: Unit> Part<'a, U> {
    fn new(reference: &'a [U], prediction: &'a [U]) -> Self {
        Self { reference, prediction, reference_start: 0, prediction_start: 0 }
    }

    /// Without the common prefix and suffix.
    fn trimmed(self) -> Self {
        let Self { reference, prediction, reference_start, prediction_start } = self;
        let prefix = U::common_prefix(reference, prediction);
        let (reference, prediction) = (&reference[prefix..], &prediction[prefix..]);
        let suffix = U::common_suffix(reference, prediction);
        Self {
            reference: &reference[..reference.len() - suffix],
            prediction: &prediction[..prediction.len() - suffix],
            reference_start: reference_start + prefix,
            prediction_start: prediction_start + prefix,
        }
    }

    /// Appends the edits along a shortest path, if it is found to have few.
    fn few_edits(self, wavefronts: &mut Wavefronts, edits: &mut Vec<Edit>) -> Option<()> {
        let part = self.trimmed();
        let longer = part.reference.len().max(part.prediction.len());
        let most = (longer / LETTERS_OF_EDIT).min(MOST_EDITS);
        let is_longer = part.reference.len() > part.prediction.len();
        let steps = if is_longer {
            wavefronts.path(part.prediction, part.reference, most)?
        } else {
            wavefronts.path(part.reference, part.prediction, most)?
        };
        edits.extend(steps.into_iter().map(|Step { row, column, passes }| {
            let ([reference, prediction], passes) =
                if is_longer { ([column, row], [passes[1], passes[0]]) } else { ([row, column], passes) };
            let operation = match passes {
                [true, true] => Operation::Replace,
                [true, false] => Operation::Delete,
                _ => Operation::Insert,
            };
            part.edit(operation, reference, prediction)
        }));
        Some(())
    }

    /// The parts before and after a place.
    fn split(self, reference_middle: usize, prediction_middle: usize) -> (Self, Self) {
        let (left_reference, right_reference) = self.reference.split_at(reference_middle);
        let (left_prediction, right_prediction) = self.prediction.split_at(prediction_middle);
        let left = Self { reference: left_reference, prediction: left_prediction, ..self };
        let right = Self {
            reference: right_reference,
            prediction: right_prediction,
            reference_start: self.reference_start + reference_middle,
            prediction_start: self.prediction_start + prediction_middle,
        };
        (left, right)
    }

    /// The edit at a place of the part.
    fn edit(&self, operation: Operation, reference: usize, prediction: usize) -> Edit {
        let character = |units: &[U], position: usize| char::from_u32(units[position].code());
        Edit {
            operation,
            reference_position: self.reference_start + reference,
            prediction_position: self.prediction_start + prediction,
            reference: match operation {
                Operation::Insert => None,
                _ => character(self.reference, reference),
            },
            prediction: match operation {
                Operation::Delete => None,
                _ => character(self.prediction, prediction),
            },
        }
    }
}

/// Steps down the columns of the dynamic-programming table: +1 and -1 between neighbouring cells.
#[derive(Clone, Copy)]
struct Steps {
    up: u64,
    down: u64,
}

impl Steps {
    /// Of cells that have not been computed: the worst case.
    const UNKNOWN: Self = Self { up: u64::MAX, down: 0 };

    /// Whether the step at a bit is +1, and whether it is -1.
    fn at(self, bit: usize) -> (bool, bool) {
        (self.up >> bit & 1 != 0, self.down >> bit & 1 != 0)
    }

    /// The next row; `carry` is the step next to the upper end, and becomes that next to the lower end.
    #[inline]
    fn advance(&mut self, eq: u64, carry: &mut (u64, u64)) {
        let Self { up, down } = *self;
        let eq = eq | carry.1;
        let diagonal = (((eq & up).wrapping_add(up)) ^ up) | eq | down;
        let right_up = down | !(diagonal | up);
        let right_down = up & diagonal;
        let (carry_up, carry_down) = *carry;
        *carry = (right_up >> (WORD - 1), right_down >> (WORD - 1));
        let (right_up, right_down) = ((right_up << 1) | carry_up, (right_down << 1) | carry_down);
        *self = Self { up: right_down | !(diagonal | right_up), down: right_up & diagonal };
    }
}

/// The words of a row that were computed, and where they are kept.
#[derive(Clone, Copy)]
struct Row {
    first: usize,
    last: usize,
    start: usize,
}

/// Where a path of a limited number of edits can run: the range of (reference - prediction) positions.
#[derive(Clone, Copy)]
struct Band {
    low: isize,
    high: isize,
    columns: usize,
}

impl Band {
    fn new(columns: usize, rows: usize, distance: usize) -> Self {
        let (difference, distance) = (columns.cast_signed() - rows.cast_signed(), distance.cast_signed());
        Self {
            low: (difference - distance).div_euclid(2),
            high: (difference + distance + 1).div_euclid(2),
            columns,
        }
    }

    /// First and last word of a row; rows and columns are counted from 1.
    fn words(self, row: usize) -> (usize, usize) {
        let column = |offset: isize| row.saturating_add_signed(offset).clamp(1, self.columns);
        ((column(self.low) - 1) / WORD, (column(self.high) - 1) / WORD)
    }
}

/// A row of distances, from a first column on.
struct Distances {
    first: usize,
    values: Vec<usize>,
}

impl Distances {
    fn get(&self, column: usize) -> Option<usize> {
        self.values.get(column.checked_sub(self.first)?).copied()
    }
}

/// Working memory of the table.
struct Table {
    bits: MatchBits,
    /// Match bits of a reference of one word; zero between calls.
    byte_bits: Box<[u64; BYTES]>,
    words: Vec<Steps>,
    kept: Vec<Steps>,
    rows: Vec<Row>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            bits: MatchBits::default(),
            byte_bits: Box::new([0; BYTES]),
            words: Vec::new(),
            kept: Vec::new(),
            rows: Vec::new(),
        }
    }
}

impl Table {
    /// Appends the edits of a part. `limit` is what rapidfuzz knows of its distance when it decides about a
    /// split, `distance` is the distance, or more.
    fn align<U: Unit>(&mut self, part: Part<U>, limit: usize, distance: usize, edits: &mut Vec<Edit>) {
        let part = part.trimmed();
        let (columns, rows) = (part.reference.len(), part.prediction.len());
        let limit = limit.min(columns.max(rows));
        let distance = distance.min(limit);
        let width = columns.min(2 * limit + 1);
        let bytes = 2 * width * rows / 8;
        if bytes < SPLIT_BYTES || columns <= UNSPLIT_REFERENCE || rows <= UNSPLIT_PREDICTION {
            self.align_whole(&part, distance, edits);
            return;
        }
        let middle = rows / 2;
        let left = self.distances(part.reference, part.prediction, middle, distance);
        let reversed = |units: &[U]| units.iter().rev().copied().collect::<Vec<_>>();
        let (reference, prediction) = (reversed(part.reference), reversed(part.prediction));
        let right = self.distances(&reference, &prediction, rows - middle, distance);
        // The first of the places with the smallest sum.
        let sum = |column: usize| Some((left.get(column)?, right.get(columns - column)?));
        let places = (0..=columns).filter_map(|column| sum(column).map(|parts| (parts.0 + parts.1, column)));
        let (_, column) = places.min().expect("the best path crosses the middle");
        let (left_distance, right_distance) = sum(column).expect("just computed");
        let (left, right) = part.split(column, middle);
        self.align(left, left_distance, left_distance, edits);
        self.align(right, right_distance, right_distance, edits);
    }

    /// Appends the edits of a part whose table fits into memory.
    fn align_whole<U: Unit>(&mut self, part: &Part<U>, distance: usize, edits: &mut Vec<Edit>) {
        let (columns, rows) = (part.reference.len(), part.prediction.len());
        if columns == 0 || rows == 0 {
            walk_back(part, edits, |_, _| None);
        } else if columns <= WORD {
            self.fill_word(part.reference, part.prediction);
            walk_back(part, edits, |row, column| Some(self.kept[row].at(column)));
        } else {
            self.bits.fill(part.reference, part.prediction);
            self.fill(Band::new(columns, rows, distance), true);
            walk_back(part, edits, |row, column| self.step(row, column));
        }
    }

    /// Whether the step down a column is +1, and whether it is -1; `None` where it was not computed. Both
    /// are counted from 0.
    fn step(&self, row: usize, column: usize) -> Option<(bool, bool)> {
        let Row { first, last, start } = self.rows[row];
        let word = column / WORD;
        (first..=last).contains(&word).then(|| self.kept[start + word - first].at(column % WORD))
    }

    /// Computes and keeps all rows, for a reference of one word.
    fn fill_word<U: Unit>(&mut self, reference: &[U], prediction: &[U]) {
        let Self { byte_bits, kept, .. } = self;
        let byte = |unit: U| usize::try_from(unit.code()).ok().filter(|&code| code < BYTES);
        let mut all_bytes = true;
        for (position, &unit) in reference.iter().enumerate() {
            match byte(unit) {
                Some(code) => byte_bits[code] |= 1 << position,
                None => all_bytes = false,
            }
        }
        kept.clear();
        let mut steps = Steps::UNKNOWN;
        for &unit in prediction {
            let eq = match byte(unit) {
                Some(code) => byte_bits[code],
                None if all_bytes => 0,
                None => reference
                    .iter()
                    .enumerate()
                    .fold(0, |bits, (position, &other)| bits | (u64::from(other == unit) << position)),
            };
            steps.advance(eq, &mut (1, 0));
            kept.push(steps);
        }
        for &unit in reference {
            if let Some(code) = byte(unit) {
                byte_bits[code] = 0;
            }
        }
    }

    /// Computes rows from the match bits; returns the words of the last row and the distance above them.
    fn fill(&mut self, band: Band, keep: bool) -> (Row, usize) {
        let Self { bits, words, kept, rows, .. } = self;
        words.clear();
        words.resize(bits.words(), Steps::UNKNOWN);
        kept.clear();
        rows.clear();
        let mut row = Row { first: 0, last: 0, start: 0 };
        let mut above = 0;
        for (index, match_bits) in bits.rows().enumerate() {
            let (first, last) = band.words(index + 1);
            for steps in &words[row.first..first] {
                above += steps.up.count_ones() as usize;
                above -= steps.down.count_ones() as usize;
            }
            // Above the band each step costs 1, which no path undercuts.
            above += 1;
            let mut carry = (1, 0);
            for (steps, &eq) in words[first..=last].iter_mut().zip(&match_bits[first..=last]) {
                steps.advance(eq, &mut carry);
            }
            row = Row { first, last, start: kept.len() };
            if keep {
                kept.extend_from_slice(&words[first..=last]);
                rows.push(row);
            }
        }
        (row, above)
    }

    /// Distances of the first `rows` characters of the prediction to each start of the reference that a path
    /// of at most `distance` edits can reach; exact on such a path, otherwise not too small.
    fn distances<U: Unit>(
        &mut self,
        reference: &[U],
        prediction: &[U],
        rows: usize,
        distance: usize,
    ) -> Distances {
        let band = Band::new(reference.len(), prediction.len(), distance);
        self.bits.fill(reference, &prediction[..rows]);
        let (row, above) = self.fill(band, false);
        let mut values = vec![above];
        let first = row.first * WORD;
        for column in first..reference.len().min((row.last + 1) * WORD) {
            let Steps { up, down } = self.words[column / WORD];
            let before = values[column - first];
            let bit = column % WORD;
            values.push(before + (up >> bit & 1) as usize - (down >> bit & 1) as usize);
        }
        Distances { first, values }
    }
}

/// Appends the edits on the way back from the last cell of a part's table. `step` tells of a row and a column,
/// both counted from 0, whether the step down is +1 and whether it is -1, or nothing where no path leads.
fn walk_back<U: Unit>(
    part: &Part<U>,
    edits: &mut Vec<Edit>,
    step: impl Fn(usize, usize) -> Option<(bool, bool)>,
) {
    let start = edits.len();
    let (mut column, mut row) = (part.reference.len(), part.prediction.len());
    while row > 0 && column > 0 {
        if step(row - 1, column - 1).is_some_and(|(up, _)| up) {
            column -= 1;
            edits.push(part.edit(Operation::Delete, column, row));
            continue;
        }
        row -= 1;
        if row > 0 && step(row - 1, column - 1).is_some_and(|(_, down)| down) {
            edits.push(part.edit(Operation::Insert, column, row));
            continue;
        }
        column -= 1;
        if part.reference[column] != part.prediction[row] {
            edits.push(part.edit(Operation::Replace, column, row));
        }
    }
    edits.extend((0..column).rev().map(|column| part.edit(Operation::Delete, column, 0)));
    edits.extend((0..row).rev().map(|row| part.edit(Operation::Insert, 0, row)));
    edits[start..].reverse();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::oracle::edit_distance;
    use super::*;

    /// The reference after the edits; panics where they do not fit.
    fn applied(reference: &str, prediction: &str, edits: &[Edit]) -> String {
        let (reference, prediction): (Vec<char>, Vec<char>) =
            (reference.chars().collect(), prediction.chars().collect());
        let (mut result, mut next) = (String::new(), 0);
        for edit in edits {
            result.extend(&reference[next..edit.reference_position]);
            assert_eq!(result.chars().count(), edit.prediction_position);
            next = edit.reference_position;
            if edit.operation != Operation::Insert {
                assert_eq!(edit.reference, Some(reference[next]));
                next += 1;
            }
            if edit.operation != Operation::Delete {
                assert_eq!(edit.prediction, Some(prediction[edit.prediction_position]));
            }
            result.extend(edit.prediction);
        }
        result.extend(&reference[next..]);
        result
    }

    fn assert_edits(aligner: &mut Aligner, reference: &str, prediction: &str) {
        let edits = aligner.edits(reference, prediction);
        assert_eq!(applied(reference, prediction, edits), prediction, "{reference:?}");
        assert_eq!(edits.len(), edit_distance(reference, prediction, 1), "{reference:?} {prediction:?}");
    }

    #[test]
    fn every_pair_over_two_letters_up_to_length_six() {
        let texts: Vec<String> = (0..=6_u32)
            .flat_map(|n| {
                (0..1_u32 << n)
                    .map(move |w| (0..n).map(|i| if w >> i & 1 == 0 { 'a' } else { 'é' }).collect())
            })
            .collect();
        let mut aligner = Aligner::default();
        for reference in &texts {
            for prediction in &texts {
                assert_edits(&mut aligner, reference, prediction);
            }
        }
    }

    #[test]
    fn each_number_of_few_edits_is_found() {
        for n in 2..=15 {
            // No common ends, without which the texts would be shorter.
            let is_other = |at: usize| at + 1 == 8 * n || (at.is_multiple_of(8) && at < 8 * (n - 1));
            let [reference, prediction] = ['a', 'b']
                .map(|other| (0..8 * n).map(|at| if is_other(at) { other } else { 'c' }).collect::<String>());
            let mut aligner = Aligner::default();
            let edits = aligner.few_edits([&reference, &prediction], true);
            assert_eq!(edits.map(<[Edit]>::len), Some(n));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: crate::kernel::oracle::cases(500), ..ProptestConfig::default() })]

        #[test]
        fn long_texts_are_split(reference in "[ab]{0,4200}", prediction in "[ab漢]{0,4200}") {
            assert_edits(&mut Aligner::default(), &reference, &prediction);
        }

        #[test]
        fn edits_do_not_depend_on_what_is_known(
            reference in "[abc]{0,300}", changes in proptest::collection::vec((0..300_usize, "[abé]{0,3}"), 0..20),
            more in 0..70_usize,
        ) {
            let mut letters: Vec<char> = reference.chars().collect();
            for (place, text) in changes {
                let place = place.min(letters.len());
                letters.splice(place..letters.len().min(place + 1), text.chars());
            }
            let prediction: String = letters.into_iter().collect();
            let most = edit_distance(&reference, &prediction, 1) + more;
            let mut known = Aligner::default();
            let found = known.edits_within(&reference, &prediction, Some(most));
            assert_eq!(found, Aligner::default().edits(&reference, &prediction));
        }

        #[test]
        fn few_edits_are_as_few(
            reference in "[abc]{0,300}", changes in proptest::collection::vec((0..300_usize, "[abcé]{0,3}"), 0..30),
            swaps in any::<bool>(),
        ) {
            let mut letters: Vec<char> = reference.chars().collect();
            for (place, text) in changes {
                let place = place.min(letters.len());
                letters.splice(place..letters.len().min(place + 1), text.chars());
            }
            let prediction: String = letters.into_iter().collect();
            // No common ends, without which the texts would be shorter.
            let texts = [format!("x{reference}x"), format!("y{prediction}y")];
            let [reference, prediction] = if swaps { [&texts[1], &texts[0]] } else { [&texts[0], &texts[1]] };
            let distance = edit_distance(reference, prediction, 1);
            let mut aligner = Aligner::default();
            let are_ascii = reference.is_ascii() && prediction.is_ascii();
            match aligner.few_edits([reference, prediction], are_ascii) {
                Some(edits) => {
                    assert_eq!(&applied(reference, prediction, edits), prediction);
                    assert_eq!(edits.len(), distance);
                }
                // Up to here nothing is guessed.
                None => assert!(distance > 15 || 8 * distance > reference.len().min(prediction.len())),
            }
        }

        #[test]
        fn texts_of_some_words_have_a_band(reference in "[abc]{0,300}", prediction in "[abcé]{0,300}") {
            assert_edits(&mut Aligner::default(), &reference, &prediction);
        }
    }
}
