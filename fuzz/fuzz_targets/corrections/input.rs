//! What the fuzzer chooses: rows of sentences and edits, as the package hands them over or of any content.

use anls_frame::kernel::whitespace::is_whitespace;
use arbitrary::Arbitrary;

use crate::harness::describe::{Array, Column, Schema};
use crate::options::{KINDS, Options};

/// The exact method of M² takes time that grows with the sixth power of a rewritten passage.
const MOST_WORDS: usize = 12;
const MOST_ROWS: usize = 5;
const MOST_ENTRIES: usize = 6;

/// Few words, so that sentences share some; one that differs in case, one of spaces that are none in ASCII.
const WORDS: [&str; 9] = ["a", "b", "A", "ab", "caf\u{e9}", "\u{6f22}", ".", "a\u{a0}b", "thirteen bytes"];

#[derive(Arbitrary, Debug)]
pub struct Input {
    pub function: u8,
    pub options: Options,
    pub rows: Vec<Row>,
    /// The column of this number is one row, as a literal is.
    pub literal: Option<u8>,
}

#[derive(Arbitrary, Debug)]
pub struct Row {
    sentences: [Sentence; 3],
    edits: [Vec<EditText>; 2],
    annotators: [Vec<Annotator>; 2],
    nulls: u8,
}

#[derive(Arbitrary, Debug)]
enum Sentence {
    Words(Vec<u8>),
    Free(String),
}

#[derive(Arbitrary, Debug)]
enum EditText {
    Sound { start: u8, end: u8, annotator: u8, kind: u8, corrections: Vec<Vec<u8>> },
    Free(String),
}

#[derive(Arbitrary, Debug)]
enum Annotator {
    Sound(u8),
    Free(String),
}

/// Words of a text, by the spaces that Python splits at.
pub fn words(text: &str) -> Vec<&str> {
    text.split(is_whitespace).filter(|word| !word.is_empty()).collect()
}

fn joined(choices: &[u8], most: usize) -> String {
    let words = choices.iter().take(most).map(|&choice| WORDS[usize::from(choice) % WORDS.len()]);
    words.collect::<Vec<_>>().join(" ")
}

impl Sentence {
    fn spell(&self) -> String {
        match self {
            Self::Words(choices) => joined(choices, MOST_WORDS),
            Self::Free(text) => text.chars().take(2 * MOST_WORDS).collect(),
        }
    }
}

impl EditText {
    fn spell(&self) -> String {
        match self {
            Self::Sound { start, end, annotator, kind, corrections } => {
                // Mostly inside; past the end, too.
                let [start, end] = [start % 14, end % 4].map(i32::from);
                let end = start + end;
                let kind = KINDS[usize::from(*kind) % KINDS.len()];
                let mut fields =
                    vec![start.to_string(), end.to_string(), (annotator % 3).to_string(), kind.to_owned()];
                fields.extend(corrections.iter().take(3).map(|words| joined(words, 3)));
                fields.join("\u{1f}")
            }
            Self::Free(text) => text.clone(),
        }
    }
}

impl Annotator {
    fn spell(&self) -> String {
        match self {
            Self::Sound(number) => (number % 4).to_string(),
            Self::Free(text) => text.clone(),
        }
    }
}

impl Row {
    pub fn sentence(&self, place: usize) -> Option<String> {
        (self.nulls >> place & 1 == 0 || self.nulls < 192).then(|| self.sentences[place].spell())
    }

    fn edits(&self, place: usize) -> Option<Vec<String>> {
        let is_there = self.nulls >> (3 + place) & 1 == 0 || self.nulls < 192;
        is_there.then(|| self.edits[place].iter().take(MOST_ENTRIES).map(EditText::spell).collect())
    }

    fn annotators(&self, place: usize) -> Vec<String> {
        self.annotators[place].iter().take(MOST_ENTRIES).map(Annotator::spell).collect()
    }

    fn is_sound(&self) -> bool {
        let edits = self.edits.iter().flat_map(|edits| edits.iter().take(MOST_ENTRIES));
        let annotators = self.annotators.iter().flat_map(|one| one.iter().take(MOST_ENTRIES));
        edits.into_iter().all(|edit| matches!(edit, EditText::Sound { .. }))
            && annotators.into_iter().all(|one| matches!(one, Annotator::Sound(_)))
    }
}

impl Input {
    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.rows.len().min(MOST_ROWS)]
    }

    /// Whether every edit and every annotator can be read.
    pub fn is_sound(&self) -> bool {
        self.rows().iter().all(Row::is_sound)
    }

    pub fn sentences(&self, place: usize) -> Column {
        let texts: Vec<_> = self.rows().iter().map(|row| row.sentence(place)).collect();
        let nulls: Vec<usize> = (0..texts.len()).filter(|&row| texts[row].is_none()).collect();
        let texts: Vec<String> = texts.into_iter().map(Option::unwrap_or_default).collect();
        Column::text("sentence", [Array::texts(&texts).with_nulls(&nulls)])
    }

    /// All sentences of a row but the source, as references.
    pub fn references(&self) -> Column {
        let of_row = |row: &Row| [2, 0].into_iter().filter_map(|place| row.sentence(place)).collect();
        lists("references", self.rows().iter().map(|row| Some(of_row(row))))
    }

    pub fn edits(&self, place: usize) -> Column {
        lists("edits", self.rows().iter().map(|row| row.edits(place)))
    }

    pub fn annotators(&self, place: usize) -> Column {
        lists("annotators", self.rows().iter().map(|row| Some(row.annotators(place))))
    }
}

fn lists(name: &str, rows: impl Iterator<Item = Option<Vec<String>>>) -> Column {
    let rows: Vec<_> = rows.collect();
    let nulls: Vec<usize> = (0..rows.len()).filter(|&row| rows[row].is_none()).collect();
    let mut offsets = vec![0];
    let mut entries = Vec::new();
    for row in rows.into_iter().map(Option::unwrap_or_default) {
        entries.extend(row);
        offsets.push(i64::try_from(entries.len()).expect("few"));
    }
    let array = Array::list(&offsets, Array::texts(&entries)).with_nulls(&nulls);
    Column::new(Schema::list(name, Schema::text("item")), [array])
}
