//! Scores pairs of one kind so many times, for `count` to count what a processor executes meanwhile.
//!
//! Two runs that differ in the number of rounds tell what a round costs: what is done once falls out.

use std::ops::Range;

use anls_frame::kernel::Isa;
use anls_frame::kernel::prepare::{Preparation, Whitespace};
use anls_frame::kernel::request::{Exact, Request, Rows, Similarity};
use anls_frame::kernel::rows::BlockScorer;
use anls_frame::kernel::score::{Cut, Denominator, Protocol};
use anls_frame::kernel::view::{INLINE, Memory};

const LATIN: &str = "etaoinshrdlucmfwypvbgkjqxz    0123456789.,-";
const ACCENTED: &str = "eéèêaàâiîoôuûcçñäöüß tnrs";
const CJK: &str = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出";

/// Views looked at together where a column is checked.
const VIEWS: usize = 64;

/// What the pairs of a kind are made of.
struct Kind {
    letters: &'static str,
    /// Two ranges, each as often.
    lengths: [Range<usize>; 2],
    /// Shares of equal pairs and of errors in the others, in percent.
    equal: usize,
    errors: usize,
    /// Whether they are scored after preparation.
    prepares: bool,
}

fn kind(name: &str) -> Kind {
    let (letters, lengths, equal, errors) = match name {
        // As in `inputs.py`.
        "benchmark" => (LATIN, [2..11, 11..21], 60, 15),
        "inside" => (LATIN, [4..8, 8..12], 0, 15),
        "loaded" => (LATIN, [14..22, 22..30], 0, 15),
        // Unprepared, as preparing them costs many times as much everywhere.
        "accented" => (ACCENTED, [8..19, 19..30], 0, 15),
        "CJK" => (CJK, [8..19, 19..30], 0, 15),
        "long" => (LATIN, [400..500, 500..600], 0, 40),
        _ => panic!("no such kind: {name}"),
    };
    Kind { letters, lengths, equal, errors, prepares: letters == LATIN }
}

/// Random numbers (`SplitMix64`), the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

fn pair(kind: &Kind, random: &mut Random) -> [String; 2] {
    let letters: Vec<char> = kind.letters.chars().collect();
    let lengths = kind.lengths[random.below(kind.lengths.len())].clone();
    let length = lengths.start + random.below(lengths.len());
    let letter = |random: &mut Random| letters[random.below(letters.len())];
    let answer: Vec<char> = (0..length).map(|_| letter(random)).collect();
    let mut prediction = answer.clone();
    if random.below(100) >= kind.equal {
        for _ in 0..(length * kind.errors / 100).max(1) {
            let place = random.below(prediction.len());
            match random.below(3) {
                0 => prediction.insert(place, letter(random)),
                1 if prediction.len() > 1 => drop(prediction.remove(place)),
                _ => prediction[place] = letter(random),
            }
        }
    }
    [prediction, answer].map(|text| text.into_iter().collect())
}

/// A column as Arrow keeps it, in one buffer.
#[derive(Default)]
struct Column {
    views: Vec<u128>,
    buffer: String,
    starts: Vec<usize>,
}

impl Column {
    fn push(&mut self, text: &str) {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
        if text.len() <= INLINE as usize {
            view[4..4 + text.len()].copy_from_slice(text.as_bytes());
        } else {
            view[4..8].copy_from_slice(&text.as_bytes()[..4]);
            view[12..].copy_from_slice(&(self.buffer.len() as u32).to_le_bytes());
        }
        self.views.push(u128::from_le_bytes(view));
        // Short texts as well, as a view cannot be lent as one.
        self.starts.push(self.buffer.len());
        self.buffer.push_str(text);
    }

    fn text(&self, index: usize) -> &str {
        &self.buffer[self.starts[index]..][..self.views[index] as u32 as usize]
    }

    fn memory(&self, index: usize) -> Memory<'_> {
        Memory::new(&self.buffer.as_bytes()[self.starts[index]..], self.views[index] as u32 as usize)
    }

    fn plain_blocks(&self) -> usize {
        let end = if self.buffer.is_ascii() { self.buffer.len() } else { 0 };
        self.views.chunks(VIEWS).filter(|views| Isa::default().are_plain(views, 0, end)).count()
    }
}

struct Table {
    predictions: Column,
    answers: Column,
}

impl Rows for Table {
    fn views(&self) -> [&[u128]; 2] {
        [&self.predictions.views, &self.answers.views]
    }

    fn is_plain(&self) -> bool {
        true
    }

    fn prediction(&self, row: usize) -> Option<usize> {
        Some(row)
    }

    fn answers(&self, row: usize) -> Range<usize> {
        row..row + 1
    }

    fn has_null_answers(&self) -> bool {
        false
    }

    fn is_answer(&self, _index: usize) -> bool {
        true
    }

    fn prediction_text(&self, index: usize) -> &str {
        self.predictions.text(index)
    }

    fn answer_text(&self, index: usize) -> &str {
        self.answers.text(index)
    }

    fn prediction_memory(&self, index: usize) -> Memory<'_> {
        self.predictions.memory(index)
    }

    fn answer_memory(&self, index: usize) -> Memory<'_> {
        self.answers.memory(index)
    }
}

/// Arguments: the kind of pairs, their number, the number of rounds. Prints the sum of the scores and the number of
/// blocks in which all texts are plain.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, pairs, rounds] = &arguments[..] else { panic!("KIND PAIRS ROUNDS") };
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let (kind, mut random) = (kind(name), Random(20260));
    let mut table = Table { predictions: Column::default(), answers: Column::default() };
    for _ in 0..number(pairs) {
        let [prediction, answer] = pair(&kind, &mut random);
        table.predictions.push(&prediction);
        table.answers.push(&answer);
    }
    let whitespace = if kind.prepares { Whitespace::Strip } else { Whitespace::Keep };
    let protocol = Protocol {
        preparation: Preparation { ignore_case: kind.prepares, whitespace, unicode_form: None },
        denominator: Denominator::Prepared,
        cut: Cut::Distance,
    };
    let similarity = Some(Similarity { protocol, exact: Exact::All });
    let request = Request { similarity, ..Request::default() };
    let mut scorer = BlockScorer::default();
    let (mut sum, mut plain) = (0.0, 0);
    for _ in 0..number(rounds) {
        plain += table.predictions.plain_blocks() + table.answers.plain_blocks();
        scorer.score_blocks(&table, 0..table.views()[0].len(), &request, |block| {
            sum += block.best.normalized_distances.iter().map(|distance| 1.0 - distance).sum::<f64>();
        });
    }
    println!("{sum} {plain}");
}
