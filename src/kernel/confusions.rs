//! Counts of confusions: which characters of references are taken for which, over many pairs of texts.
//!
//! Neighbouring edits count as one confusion of up to [`LONGEST`] units if that is asked for. Adding a pair costs
//! little compared with its alignment, and the counts of parts of a column add up in any order. Confusions say nothing
//! about texts that have little in common: the caller leaves those out.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::alignment::{Aligner, Edit, Operation};
use super::units::Written;

/// Longest side of a confusion, in units: as many code points as a machine word holds.
pub const LONGEST: usize = 3;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An edit, or several neighbouring ones that count as one.
    Edit(Operation),
    /// A place of a reference with these characters.
    Reference,
    /// A row.
    Row(RowKind),
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// It is compared.
    Compared,
    /// It has no prediction.
    Missing,
    /// It has no answer.
    Unanswerable,
    /// Its texts are too different.
    Distant,
}

const ROW_KINDS: [RowKind; 4] =
    [RowKind::Compared, RowKind::Missing, RowKind::Unanswerable, RowKind::Distant];

/// Up to [`LONGEST`] characters in 21 bits each, the last one lowest, plus one, so that none is zero; or, of a longer
/// text, its place among the [`Names`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Letters(u64);

/// Bits of a character.
const BITS: u32 = 21;

/// Set where a text is among the names.
const NAMED: u64 = 1 << (u64::BITS - 1);

impl Letters {
    fn push(&mut self, letter: char) {
        self.0 = self.0 << BITS | (u64::from(u32::from(letter)) + 1);
    }

    fn one(letter: Option<char>) -> Self {
        letter.into_iter().collect()
    }

    /// The place among the names.
    fn name(self) -> Option<usize> {
        (self.0 & NAMED != 0).then_some((self.0 & !NAMED) as usize)
    }

    /// The characters as a text; `None` without any.
    fn text(self, names: &Names) -> Option<String> {
        if let Some(place) = self.name() {
            return Some(names.texts[place].to_string());
        }
        let letter = |place: usize| {
            let code = self.0 >> (BITS as usize * place) & ((1 << BITS) - 1);
            char::from_u32((code as u32).checked_sub(1)?)
        };
        let text: String = (0..LONGEST).rev().filter_map(letter).collect();
        Some(text).filter(|text| !text.is_empty())
    }
}

/// Texts of more than [`LONGEST`] characters: words and grapheme clusters.
#[derive(Default)]
struct Names {
    texts: Vec<Arc<str>>,
    places: HashMap<Arc<str>, usize, FxBuildHasher>,
}

impl Names {
    fn letters(&mut self, text: &str) -> Letters {
        if text.chars().nth(LONGEST).is_none() {
            return text.chars().collect();
        }
        let place = self.places.get(text).copied().unwrap_or_else(|| {
            let text: Arc<str> = text.into();
            self.texts.push(Arc::clone(&text));
            self.places.insert(text, self.texts.len() - 1);
            self.texts.len() - 1
        });
        Letters(NAMED | place as u64)
    }
}

impl FromIterator<char> for Letters {
    fn from_iter<I: IntoIterator<Item = char>>(letters: I) -> Self {
        let mut all = Self::default();
        letters.into_iter().for_each(|letter| all.push(letter));
        all
    }
}

/// What is counted, where: the reference's characters and those that replace them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    /// What.
    kind: Kind,
    /// The reference's characters.
    reference: Letters,
    /// The prediction's characters.
    prediction: Letters,
}

impl Key {
    fn of(kind: Kind) -> Self {
        Self { kind, reference: Letters::default(), prediction: Letters::default() }
    }
}

/// A count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// What is counted.
    pub kind: Kind,
    /// The reference's characters.
    pub reference: Option<String>,
    /// The prediction's characters.
    pub prediction: Option<String>,
    /// How often.
    pub count: u64,
}

/// Counts of a set of rows.
#[derive(Default)]
pub struct Counts {
    names: Names,
    /// Without a random seed: texts that cause collisions slow down only their own counts.
    others: HashMap<Key, u64, FxBuildHasher>,
    /// Rows, in the order of [`ROW_KINDS`].
    rows: [u64; ROW_KINDS.len()],
    /// The ASCII characters of the references.
    ascii: Ascii,
}

/// Number of ASCII characters.
const ASCII: usize = 128;

/// ASCII characters that are kept as they are before a table counts them: the table takes 2 KiB, and there may
/// be as many sets of rows as rows.
const FEW: usize = 256;

/// How often each ASCII character was seen.
enum Ascii {
    /// So few that these are the characters.
    Few(Vec<u8>),
    /// Counts at even and at odd places: an increment need not wait for the one before.
    Many(Box<[[u64; ASCII]; 2]>),
}

impl Default for Ascii {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Ascii {
    /// Counts the characters of a text of ASCII.
    fn add_text(&mut self, text: &[u8]) {
        let counts = match self.with_room(text.len()) {
            Self::Few(seen) => return seen.extend_from_slice(text),
            Self::Many(counts) => counts,
        };
        let (pairs, last) = text.as_chunks::<2>();
        for &[even, odd] in pairs {
            counts[0][usize::from(even) % ASCII] += 1;
            counts[1][usize::from(odd) % ASCII] += 1;
        }
        for &byte in last {
            counts[0][usize::from(byte) % ASCII] += 1;
        }
    }

    /// Counts one character.
    fn add(&mut self, byte: u8) {
        match self {
            Self::Few(seen) => seen.push(byte),
            Self::Many(counts) => counts[0][usize::from(byte) % ASCII] += 1,
        }
    }

    /// Adds what was counted elsewhere.
    fn extend(&mut self, other: Self) {
        match other {
            Self::Few(seen) => self.add_text(&seen),
            Self::Many(other) => {
                let sums = self.table().as_flattened_mut().iter_mut();
                sums.zip(other.as_flattened()).for_each(|(sum, count)| *sum += count);
            }
        }
    }

    /// Changes to a table if `more` further characters are too many to be kept.
    fn with_room(&mut self, more: usize) -> &mut Self {
        if matches!(self, Self::Few(seen) if seen.len() + more > FEW) {
            self.table();
        }
        self
    }

    /// The table, made of the characters before where there is none yet.
    fn table(&mut self) -> &mut [[u64; ASCII]; 2] {
        if let Self::Few(seen) = self {
            let seen = std::mem::take(seen);
            *self = Self::Many(Box::new([[0; ASCII]; 2]));
            self.add_text(&seen);
        }
        match self {
            Self::Many(counts) => counts,
            Self::Few(_) => unreachable!("it has become a table"),
        }
    }

    /// How often each character was seen.
    fn counts(&self) -> [u64; ASCII] {
        let mut counts = [0; ASCII];
        match self {
            Self::Few(seen) => seen.iter().for_each(|&byte| counts[usize::from(byte)] += 1),
            Self::Many(places) => {
                let sums = counts.iter_mut().zip(places[0].iter().zip(&places[1]));
                sums.for_each(|(sum, (even, odd))| *sum = even + odd);
            }
        }
        counts
    }
}

impl Counts {
    /// Counts a row that is not compared.
    pub fn add_row(&mut self, kind: RowKind) {
        self.rows[kind as usize] += 1;
    }

    /// Counts a pair of texts, the reference first, with at most `most` edits between them, where that is
    /// known; neighbouring edits count as one where they turn at most `longest` units into at most `longest` others.
    pub fn add_pair(&mut self, aligner: &mut Aligner, texts: &Written, most: Option<usize>, longest: usize) {
        self.add_row(RowKind::Compared);
        self.add_reference(texts, longest);
        let edits = aligner.edits_within(texts.texts[0], texts.texts[1], most);
        if longest == 1 {
            for edit in edits.chunks(1) {
                self.add_edits(edit[0].operation, edit, texts);
            }
            return;
        }
        for run in edits.chunk_by(is_next) {
            let [reference, prediction] = [
                run.iter().filter_map(|edit| edit.reference).count(),
                run.iter().filter_map(|edit| edit.prediction).count(),
            ];
            let is_one = reference != prediction
                && (1..=longest).contains(&reference)
                && (1..=longest).contains(&prediction);
            if is_one {
                self.add_edits(Operation::Replace, run, texts);
            } else {
                for edit in run.chunks(1) {
                    self.add_edits(edit[0].operation, edit, texts);
                }
            }
        }
    }

    /// Adds the counts of other rows.
    pub fn extend(&mut self, counts: Self) {
        let Self { names, others, .. } = self;
        let mut own = |letters: Letters| match letters.name() {
            Some(place) => names.letters(&counts.names.texts[place]),
            None => letters,
        };
        for (Key { kind, reference, prediction }, count) in counts.others {
            let key = Key { kind, reference: own(reference), prediction: own(prediction) };
            *others.entry(key).or_default() += count;
        }
        self.ascii.extend(counts.ascii);
        self.rows.iter_mut().zip(counts.rows).for_each(|(sum, count)| *sum += count);
    }

    /// All counts, in no order.
    pub fn into_counts(self) -> impl Iterator<Item = Counted> {
        let ascii = (0_u8..).zip(self.ascii.counts()).map(|(byte, count)| {
            let reference = Letters::one(Some(char::from(byte)));
            (Key { reference, ..Key::of(Kind::Reference) }, count)
        });
        let rows =
            ROW_KINDS.into_iter().zip(self.rows).map(|(kind, count)| (Key::of(Kind::Row(kind)), count));
        let all = self.others.into_iter().chain(ascii).chain(rows).filter(|&(_, count)| count > 0);
        let names = self.names;
        all.map(move |(Key { kind, reference, prediction }, count)| Counted {
            kind,
            reference: reference.text(&names),
            prediction: prediction.text(&names),
            count,
        })
    }

    fn add(&mut self, key: Key) {
        *self.others.entry(key).or_default() += 1;
    }

    /// Counts neighbouring edits as one.
    fn add_edits(&mut self, operation: Operation, edits: &[Edit], texts: &Written) {
        let [reference, prediction] = if texts.are_code_points() {
            [
                edits.iter().filter_map(|edit| edit.reference).collect(),
                edits.iter().filter_map(|edit| edit.prediction).collect(),
            ]
        } else {
            let reference = edits.iter().filter(|edit| edit.reference.is_some());
            let prediction = edits.iter().filter(|edit| edit.prediction.is_some());
            let reference = texts.joined(0, reference.map(|edit| edit.reference_position));
            let prediction = texts.joined(1, prediction.map(|edit| edit.prediction_position));
            [self.names.letters(&reference), self.names.letters(&prediction)]
        };
        self.add(Key { kind: Kind::Edit(operation), reference, prediction });
    }

    fn add_reference(&mut self, texts: &Written, longest: usize) {
        if !texts.are_code_points() {
            return self.add_reference_units(texts, longest);
        }
        let [reference, _] = texts.texts;
        if reference.is_ascii() {
            self.ascii.add_text(reference.as_bytes());
        } else {
            self.ascii.with_room(reference.len());
            reference.chars().for_each(|letter| self.add_letters(Letters::one(Some(letter))));
        }
        for length in 2..=longest {
            for (start, _) in reference.char_indices() {
                let letters = reference[start..].chars().take(length);
                if letters.clone().count() == length {
                    self.add_letters(letters.collect());
                }
            }
        }
    }

    fn add_reference_units(&mut self, texts: &Written, longest: usize) {
        let units = texts.count(0);
        for length in 1..=longest {
            for start in 0..(units + 1).saturating_sub(length) {
                let letters = self.names.letters(&texts.joined(0, start..start + length));
                self.add_letters(letters);
            }
        }
    }

    /// Counts a place of a reference.
    fn add_letters(&mut self, reference: Letters) {
        match reference.0.checked_sub(1) {
            Some(byte) if byte < ASCII as u64 => self.ascii.add(byte as u8),
            _ => self.add(Key { reference, ..Key::of(Kind::Reference) }),
        }
    }
}

/// Whether two edits are adjacent in both texts.
fn is_next(edit: &Edit, next: &Edit) -> bool {
    next.reference_position == edit.reference_position + usize::from(edit.reference.is_some())
        && next.prediction_position == edit.prediction_position + usize::from(edit.prediction.is_some())
}

#[cfg(test)]
mod tests {
    use super::super::units::{TextUnit, Units, WordRule};
    use super::*;

    fn counted_by(
        unit: TextUnit,
        reference: &str,
        prediction: &str,
        longest: usize,
    ) -> Vec<(String, String, u64)> {
        let mut counts = Counts::default();
        let mut units = Units::default();
        counts.add_pair(&mut Aligner::default(), &units.write([reference, prediction], unit), None, longest);
        let mut edits: Vec<_> = counts
            .into_counts()
            .filter(|counted| matches!(counted.kind, Kind::Edit(_)))
            .map(|Counted { reference, prediction, count, .. }| {
                (reference.unwrap_or_default(), prediction.unwrap_or_default(), count)
            })
            .collect();
        edits.sort();
        edits
    }

    fn counted(reference: &str, prediction: &str, longest: usize) -> Vec<(String, String, u64)> {
        counted_by(TextUnit::Codepoint, reference, prediction, longest)
    }

    fn edit(reference: &str, prediction: &str, count: u64) -> (String, String, u64) {
        (reference.to_owned(), prediction.to_owned(), count)
    }

    #[test]
    fn neighbouring_edits_are_one_confusion_where_lengths_differ() {
        assert_eq!(counted("corner", "comer", 1), [edit("n", "", 1), edit("r", "m", 1)]);
        assert_eq!(counted("corner", "comer", 2), [edit("rn", "m", 1)]);
        assert_eq!(counted("modern", "rnodem", 2), [edit("m", "rn", 1), edit("rn", "m", 1)]);
        assert_eq!(counted("ab", "xy", 3), [edit("a", "x", 1), edit("b", "y", 1)]);
        assert_eq!(counted("abcd", "x", 3).len(), 4);
        assert_eq!(counted("a  b", "ab", 3), [edit(" ", "", 2)]);
    }

    #[test]
    fn few_and_many_characters_count_alike() {
        let texts = ["", "ab", "aé b", "漢字", &"abc \u{7f}".repeat(40), &"é\0z".repeat(90)];
        let letters = |texts: &[&str]| {
            let mut counts: HashMap<String, u64> = HashMap::new();
            for letter in texts.iter().flat_map(|text| text.chars()) {
                *counts.entry(letter.into()).or_default() += 1;
            }
            counts
        };
        let counted = |counts: Counts| -> HashMap<String, u64> {
            let counts = counts.into_counts().filter(|counted| counted.kind == Kind::Reference);
            counts.map(|counted| (counted.reference.expect("a character"), counted.count)).collect()
        };
        let of = |texts: &[&str]| {
            let mut counts = Counts::default();
            for text in texts {
                let mut units = Units::default();
                let texts = units.write([text, text], TextUnit::Codepoint);
                counts.add_pair(&mut Aligner::default(), &texts, None, 1);
            }
            counts
        };
        for end in 0..=texts.len() {
            assert_eq!(counted(of(&texts[..end])), letters(&texts[..end]));
            for middle in 0..=end {
                // Sets of rows that have a table and those that have none, added up.
                let mut sum = of(&texts[middle..end]);
                sum.extend(of(&texts[..middle]));
                assert_eq!(counted(sum), letters(&texts[..end]));
            }
        }
    }

    #[test]
    fn letters_come_back() {
        for text in ["a", "\0", "\u{10ffff}", "\0\0", "漢字\u{10ffff}"] {
            assert_eq!(text.chars().collect::<Letters>().text(&Names::default()).as_deref(), Some(text));
        }
        assert_eq!(Letters::default().text(&Names::default()), None);
    }

    #[test]
    fn words_and_clusters_are_counted_as_they_are_written() {
        let words = TextUnit::Word(WordRule::Whitespace);
        assert_eq!(counted_by(words, "the same\nkind", "the game kind", 1), [edit("same", "game", 1)]);
        assert_eq!(
            counted_by(words, "of the\nsame kind", "ofthe same kind", 2),
            [edit("of the", "ofthe", 1)]
        );
        let clusters = |reference, prediction| counted_by(TextUnit::Grapheme, reference, prediction, 1);
        assert_eq!(clusters("ae\u{301}", "ae"), [edit("e\u{301}", "e", 1)]);
        assert_eq!(clusters("a👩‍👩‍👦", "ab"), [edit("👩‍👩‍👦", "b", 1)]);
    }

    #[test]
    fn names_of_several_sets_add_up() {
        let of = |texts: &[&str]| {
            let mut counts = Counts::default();
            for text in texts {
                let mut units = Units::default();
                let texts = units.write([text, ""], TextUnit::Word(WordRule::Whitespace));
                counts.add_pair(&mut Aligner::default(), &texts, None, 2);
            }
            counts
        };
        let sorted = |counts: Counts| {
            let mut all: Vec<_> = counts
                .into_counts()
                .map(|counted| (format!("{:?}", counted.kind), counted.reference, counted.count))
                .collect();
            all.sort();
            all
        };
        let texts = ["first second a", "second third", "a first"];
        let mut sum = of(&texts[2..]);
        sum.extend(of(&texts[..2]));
        assert_eq!(sorted(sum), sorted(of(&texts)));
    }
}
