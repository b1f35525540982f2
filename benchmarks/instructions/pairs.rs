//! Scores pairs of one kind a number of times, for `count` to count what a processor executes meanwhile.
//!
//! Two runs that differ in the number of rounds tell what a round costs: what is done once falls out.

mod table;

use std::ops::Range;

use anls_frame::kernel::Isa;
use anls_frame::kernel::prepare::{Preparation, Whitespace};
use anls_frame::kernel::request::{Exact, Request, Similarity};
use anls_frame::kernel::rows::BlockScorer;
use anls_frame::kernel::score::{Cut, Denominator, Protocol};
use table::{Column, Random, Table};

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

fn pair(kind: &Kind, random: &mut Random) -> [String; 2] {
    let letters: Vec<char> = kind.letters.chars().collect();
    let lengths = kind.lengths[random.below(kind.lengths.len())].clone();
    let length = lengths.start + random.below(lengths.len());
    let answer: Vec<char> = (0..length).map(|_| random.one_of(&letters)).collect();
    let is_different = random.below(100) >= kind.equal;
    let errors = if is_different { (length * kind.errors / 100).max(1) } else { 0 };
    let prediction = random.with_errors(&answer, errors, &letters);
    [prediction, answer].map(|text| text.into_iter().collect())
}

fn plain_blocks(column: &Column) -> usize {
    let end = if column.buffer.is_ascii() { column.buffer.len() } else { 0 };
    column.views.chunks(VIEWS).filter(|views| Isa::default().strange(views, 0, end) == 0).count()
}

/// Arguments: the kind of pairs, their number, the number of rounds. Prints the sum of the scores and the number of
/// blocks in which all texts are plain.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, pairs, rounds] = &arguments[..] else { panic!("KIND PAIRS ROUNDS") };
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let (kind, mut random) = (kind(name), Random(20260));
    let mut table = Table::default();
    (0..number(pairs)).for_each(|_| table.push(pair(&kind, &mut random)));
    let whitespace = if kind.prepares { Whitespace::Strip } else { Whitespace::Keep };
    let protocol = Protocol {
        preparation: Preparation { ignore_case: kind.prepares, whitespace, ..Preparation::NONE },
        denominator: Denominator::Prepared,
        cut: Cut::Distance,
    };
    let similarity = Some(Similarity { protocol, exact: Exact::All });
    let request = Request { similarity, ..Request::default() };
    let mut scorer = BlockScorer::default();
    let (mut sum, mut plain) = (0.0, 0);
    for _ in 0..number(rounds) {
        plain += plain_blocks(&table.predictions) + plain_blocks(&table.answers);
        scorer.score_blocks(&table, 0..table.predictions.views.len(), &request, |block| {
            sum += block.best.normalized_distances.iter().map(|distance| 1.0 - distance).sum::<f64>();
        });
    }
    println!("{sum} {plain}");
}
