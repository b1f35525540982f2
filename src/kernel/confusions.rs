//! Which characters are taken for which: counts over many pairs of texts.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::alignment::{Aligner, Edit, Operation};

/// Longest side of a confusion, in code points: as many as a word holds.
pub const LONGEST: usize = 3;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An edit, or several neighbouring ones that count as one.
    Edit(Operation),
    /// A place of a reference where these characters stand.
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

/// Up to [`LONGEST`] characters in 21 bits each, the last one lowest, plus one, so that none is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Letters(u64);

/// Bits of a character.
const BITS: u32 = 21;

impl Letters {
    fn push(&mut self, letter: char) {
        self.0 = self.0 << BITS | (u64::from(u32::from(letter)) + 1);
    }

    fn one(letter: Option<char>) -> Self {
        letter.into_iter().collect()
    }

    /// The characters as a text; `None` without any.
    pub fn text(self) -> Option<String> {
        let letter = |place: usize| {
            let code = self.0 >> (BITS as usize * place) & ((1 << BITS) - 1);
            char::from_u32((code as u32).checked_sub(1)?)
        };
        let text: String = (0..LONGEST).rev().filter_map(letter).collect();
        Some(text).filter(|text| !text.is_empty())
    }
}

impl FromIterator<char> for Letters {
    fn from_iter<I: IntoIterator<Item = char>>(letters: I) -> Self {
        let mut all = Self::default();
        letters.into_iter().for_each(|letter| all.push(letter));
        all
    }
}

/// What is counted, where: the reference's characters and those that stand in their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// What.
    pub kind: Kind,
    /// The reference's characters.
    pub reference: Letters,
    /// The prediction's characters.
    pub prediction: Letters,
}

impl Key {
    fn of(kind: Kind) -> Self {
        Self { kind, reference: Letters::default(), prediction: Letters::default() }
    }
}

/// Counts of a set of rows.
#[derive(Default)]
pub struct Counts {
    others: HashMap<Key, u64, BuildHasherDefault<KeyHasher>>,
    /// Rows, in the order of [`ROW_KINDS`].
    rows: [u64; ROW_KINDS.len()],
    /// How often each ASCII character stands in the references, at even and at odd places: an increment
    /// need not wait for the one before.
    ascii: Option<Box<[[u64; ASCII]; 2]>>,
}

/// Number of ASCII characters.
const ASCII: usize = 128;

impl Counts {
    /// Counts a row that is not compared.
    pub fn add_row(&mut self, kind: RowKind) {
        self.rows[kind as usize] += 1;
    }

    /// Counts a pair of texts; neighbouring edits count as one where they turn at most `longest` characters
    /// into at most so many others.
    pub fn add_pair(&mut self, aligner: &mut Aligner, reference: &str, prediction: &str, longest: usize) {
        self.add_row(RowKind::Compared);
        self.add_reference(reference, longest);
        let edits = aligner.edits(reference, prediction);
        if longest == 1 {
            for edit in edits {
                self.add_edit(edit);
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
                self.add(Key {
                    kind: Kind::Edit(Operation::Replace),
                    reference: run.iter().filter_map(|edit| edit.reference).collect(),
                    prediction: run.iter().filter_map(|edit| edit.prediction).collect(),
                });
            } else {
                for edit in run {
                    self.add_edit(edit);
                }
            }
        }
    }

    /// Adds the counts of other rows.
    pub fn extend(&mut self, counts: Self) {
        for (key, count) in counts.others {
            *self.others.entry(key).or_default() += count;
        }
        if let Some(counts) = counts.ascii {
            let ascii = self.ascii.get_or_insert_with(no_ascii);
            let sums = ascii.as_flattened_mut().iter_mut();
            sums.zip(counts.as_flattened()).for_each(|(sum, count)| *sum += count);
        }
        self.rows.iter_mut().zip(counts.rows).for_each(|(sum, count)| *sum += count);
    }

    /// All counts, in no order.
    pub fn into_counts(self) -> impl Iterator<Item = (Key, u64)> {
        let ascii = self.ascii.into_iter().flat_map(|counts| {
            let [even, odd] = *counts;
            (0_u8..).zip(even.into_iter().zip(odd)).map(|(byte, (even, odd))| {
                let reference = Letters::one(Some(char::from(byte)));
                (Key { reference, ..Key::of(Kind::Reference) }, even + odd)
            })
        });
        let rows =
            ROW_KINDS.into_iter().zip(self.rows).map(|(kind, count)| (Key::of(Kind::Row(kind)), count));
        self.others.into_iter().chain(ascii).chain(rows).filter(|&(_, count)| count > 0)
    }

    fn add(&mut self, key: Key) {
        *self.others.entry(key).or_default() += 1;
    }

    fn add_edit(&mut self, edit: &Edit) {
        self.add(Key {
            kind: Kind::Edit(edit.operation),
            reference: Letters::one(edit.reference),
            prediction: Letters::one(edit.prediction),
        });
    }

    fn add_reference(&mut self, reference: &str, longest: usize) {
        let ascii = self.ascii.get_or_insert_with(no_ascii);
        if reference.is_ascii() {
            let (pairs, last) = reference.as_bytes().as_chunks::<2>();
            for &[even, odd] in pairs {
                ascii[0][usize::from(even) % ASCII] += 1;
                ascii[1][usize::from(odd) % ASCII] += 1;
            }
            for &byte in last {
                ascii[0][usize::from(byte) % ASCII] += 1;
            }
        } else {
            for letter in reference.chars() {
                let code = u32::from(letter) as usize;
                if code < ASCII {
                    ascii[0][code] += 1;
                } else {
                    let reference = Letters::one(Some(letter));
                    *self.others.entry(Key { reference, ..Key::of(Kind::Reference) }).or_default() += 1;
                }
            }
        }
        for length in 2..=longest {
            for (start, _) in reference.char_indices() {
                let letters = reference[start..].chars().take(length);
                if letters.clone().count() == length {
                    self.add(Key { reference: letters.collect(), ..Key::of(Kind::Reference) });
                }
            }
        }
    }
}

fn no_ascii() -> Box<[[u64; ASCII]; 2]> {
    Box::new([[0; ASCII]; 2])
}

/// Whether nothing stands between two edits, in either text.
fn is_next(edit: &Edit, next: &Edit) -> bool {
    next.reference_position == edit.reference_position + usize::from(edit.reference.is_some())
        && next.prediction_position == edit.prediction_position + usize::from(edit.prediction.is_some())
}

/// A hash of a few whole numbers: the standard one takes longer than the counting. Nobody gains from
/// collisions in counts of his own texts.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value.cast_unsigned() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(reference: &str, prediction: &str, longest: usize) -> Vec<(String, String, u64)> {
        let mut counts = Counts::default();
        counts.add_pair(&mut Aligner::default(), reference, prediction, longest);
        let mut edits: Vec<_> = counts
            .into_counts()
            .filter(|(key, _)| matches!(key.kind, Kind::Edit(_)))
            .map(|(key, count)| {
                (key.reference.text().unwrap_or_default(), key.prediction.text().unwrap_or_default(), count)
            })
            .collect();
        edits.sort();
        edits
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
    fn letters_come_back() {
        for text in ["a", "\0", "\u{10ffff}", "\0\0", "漢字\u{10ffff}"] {
            assert_eq!(text.chars().collect::<Letters>().text().as_deref(), Some(text));
        }
        assert_eq!(Letters::default().text(), None);
    }
}
