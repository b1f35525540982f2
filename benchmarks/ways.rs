//! Times the ways of a pair, the table in `src/kernel/mod.rs`: nanoseconds a pair on columns of such pairs alone, the
//! kernel without the border, on one thread. The script `ways` runs it.

#[path = "instructions/table.rs"]
mod table;

use std::time::Instant;

use anls_frame::kernel::prepare::{Preparation, Whitespace};
use anls_frame::kernel::request::{Exact, Request, Similarity};
use anls_frame::kernel::rows::BlockScorer;
use anls_frame::kernel::score::{Cut, Denominator, Protocol};
use anls_frame::kernel::weighted::SubstitutionCost;
use table::{Random, Table};

const LATIN: &str = "abcdefghijklmnopqrstuvwxyz";
/// About one in ten beyond ASCII, as in French.
const ACCENTED: &str = "abcdefghijklmnopqrstuvwxyzaeiounrst lmdéèàç";
const CJK: &str = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出";

/// Characters of a column.
const CHARACTERS: usize = 1 << 20;

/// Pairs of random text, and how the prediction differs from the answer.
struct Way {
    name: &'static str,
    letters: &'static str,
    length: usize,
    different: Different,
    is_prepared: bool,
    cost: SubstitutionCost,
}

enum Different {
    /// This number of neighbouring characters that the answer does not have.
    Middle(usize),
    /// Errors at random places, in percent.
    Errors(usize),
    /// A letter, and a space before the prediction.
    Space,
}

fn ways() -> Vec<Way> {
    use Different::{Errors, Middle, Space};
    let cost = SubstitutionCost::One;
    let way = |name, letters, length, different, is_prepared| Way {
        name,
        letters,
        length,
        different,
        is_prepared,
        cost,
    };
    vec![
        way("equal, 10 characters", LATIN, 10, Middle(0), true),
        way("equal, 24", LATIN, 24, Middle(0), true),
        way("different, 10", LATIN, 10, Errors(20), true),
        way("different, 10, a space at an end", LATIN, 10, Space, true),
        way("different, 24", LATIN, 24, Errors(20), true),
        way("raw, 60 that differ in 16", LATIN, 60, Middle(16), false),
        way("raw, 30 accented", ACCENTED, 30, Errors(15), false),
        way("raw, 30 CJK", CJK, 30, Errors(15), false),
        way("prepared, 60 that differ in 16", LATIN, 60, Middle(16), true),
        way("prepared, 30 accented", ACCENTED, 30, Errors(15), true),
        way("prepared, 30 CJK", CJK, 30, Errors(15), true),
        way("prepared, 100, 5 %", LATIN, 100, Errors(5), true),
        way("prepared, 100 accented, 5 %", ACCENTED, 100, Errors(5), true),
        way("raw, 60 that differ everywhere", LATIN, 60, Errors(50), false),
        way("raw, 120 that differ everywhere", LATIN, 120, Errors(50), false),
        way("raw, 250 that differ everywhere", LATIN, 250, Errors(50), false),
        Way { cost: SubstitutionCost::Indel, ..way("indel, 12", LATIN, 12, Errors(20), false) },
        way("page of 3,000, 1 %", LATIN, 3_000, Errors(1), false),
        way("page of 3,000, 5 %", LATIN, 3_000, Errors(5), false),
        way("page of 3,000, 20 %", LATIN, 3_000, Errors(20), false),
        way("page of 3,000, 50 %", LATIN, 3_000, Errors(50), false),
    ]
}

fn pair(way: &Way, random: &mut Random) -> [String; 2] {
    let letters: Vec<char> = way.letters.chars().collect();
    let answer: Vec<char> = (0..way.length).map(|_| random.one_of(&letters)).collect();
    let mut prediction = answer.clone();
    match way.different {
        Different::Middle(different) => {
            let start = (way.length - different) / 2;
            prediction[start..start + different].fill('#');
        }
        Different::Errors(percent) => {
            prediction = random.with_errors(&answer, (way.length * percent / 100).max(1), &letters);
        }
        Different::Space => {
            prediction[way.length / 2] = '#';
            prediction.insert(0, ' ');
        }
    }
    [prediction, answer].map(|text| text.into_iter().collect())
}

/// The shortest time of a pair, in nanoseconds.
fn nanoseconds(way: &Way) -> f64 {
    let (mut table, mut random) = (Table::default(), Random(20260));
    let pairs = (CHARACTERS / way.length.max(32)).max(64);
    (0..pairs).for_each(|_| table.push(pair(way, &mut random)));
    let whitespace = if way.is_prepared { Whitespace::Strip } else { Whitespace::Keep };
    let protocol = Protocol {
        preparation: Preparation { ignore_case: way.is_prepared, whitespace, ..Preparation::NONE },
        denominator: Denominator::Prepared,
        cut: Cut::Distance,
    };
    let similarity = Some(Similarity { protocol, exact: Exact::All });
    let request = Request { similarity, cost: way.cost, ..Request::default() };
    let mut scorer = BlockScorer::default();
    let (begun, mut shortest, mut sum) = (Instant::now(), f64::INFINITY, 0.0);
    while begun.elapsed().as_secs_f64() < 0.3 {
        let start = Instant::now();
        scorer.score_blocks(&table, 0..table.predictions.views.len(), &request, |block| {
            sum += block.best.normalized_distances[0];
        });
        shortest = start.elapsed().as_secs_f64().min(shortest);
    }
    assert!(sum >= 0.0);
    shortest * 1e9 / pairs as f64
}

fn main() {
    for way in ways() {
        println!("{}\t{:.1}", way.name, nanoseconds(&way));
    }
}
