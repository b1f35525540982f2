//! Whole columns of text pairs, scored together: every row has the distance of the textbook table, and as many
//! edits.
//!
//! Rows are computed many at a time, so what matters is who stands beside whom.
#![no_main]
#![allow(dead_code, reason = "the harness serves the tests as well")]

#[path = "../../tests/border/harness/mod.rs"]
mod harness;
#[path = "shared/texts.rs"]
mod texts;

use anls_frame::kernel::prepare::{Preparation, Whitespace};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

use harness::c::{CONFUSION_COUNTS, EDIT_OPS, ERROR_TYPE, LEVENSHTEIN, NLS};
use harness::call::call;
use harness::describe::{Array, Column, Schema};
use harness::read::Values;
use texts::{Texts, table};

/// What the options of the harness ask for, beside `==` that counts as `-`.
const PREPARATION: Preparation =
    Preparation { ignore_case: true, whitespace: Whitespace::Squeeze, ..Preparation::NONE };

/// Few different pairs make many rows, so that a short input is a long column.
#[derive(Arbitrary, Debug)]
struct Input {
    pairs: [Texts; 6],
    /// One of the pairs a row, or null.
    rows: Vec<u8>,
    cut: u16,
    /// The first prediction stands for all rows, as a literal does.
    one_prediction: bool,
}

const MOST_ROWS: usize = 300;

fn prepared(text: &str) -> Vec<char> {
    PREPARATION.prepare(text, &mut String::new()).replace("==", "-").chars().collect()
}

fuzz_target!(|input: Input| {
    let Input { pairs, rows, cut, one_prediction } = input;
    let mut pairs = pairs.map(Texts::spell);
    if one_prediction {
        let first = rows.first().map_or(0, |&row| usize::from(row) % pairs.len());
        let prediction = pairs[first].0.clone();
        for pair in &mut pairs {
            pair.0.clone_from(&prediction);
        }
    }
    let rows: Vec<(bool, &(String, String))> = rows
        .iter()
        .take(MOST_ROWS)
        .map(|&row| (row >= 240, &pairs[usize::from(row) % pairs.len()]))
        .collect();

    let predictions: Vec<&str> = rows.iter().map(|(_, (prediction, _))| prediction.as_str()).collect();
    let answers: Vec<&str> = rows.iter().map(|(_, (_, answer))| answer.as_str()).collect();
    let nulls: Vec<usize> = (0..rows.len()).filter(|&row| rows[row].0).collect();
    let literal = one_prediction && !rows.is_empty();
    let prediction = Array::texts(&predictions[..if literal { 1 } else { rows.len() }]);
    // Two chunks, the second a slice of all rows.
    let answer = Array::texts(&answers).with_nulls(&nulls);
    let [all, cut] =
        [rows.len(), usize::from(cut) % (rows.len() + 1)].map(|rows| i64::try_from(rows).expect("few"));
    let columns = [
        Column::text("prediction", [prediction]),
        Column::text("answers", [answer.clone().slice(0, cut), answer.slice(cut, all - cut)]),
    ];

    let distances: Vec<Option<(usize, usize)>> = rows
        .iter()
        .map(|(is_null, (prediction, answer))| {
            let (prediction, answer) = (prepared(prediction), prepared(answer));
            (!is_null).then(|| (table(&prediction, &answer, 1), prediction.len().max(answer.len())))
        })
        .collect();
    let expected = distances.iter().map(|row| row.map(|(distance, _)| distance as i64)).collect();
    assert_eq!(call(LEVENSHTEIN, &columns).expect("distances").values, Values::Signed(expected));
    let score = |(distance, length)| if length == 0 { 1.0 } else { 1.0 - distance as f64 / length as f64 };
    let expected = distances.iter().map(|row| row.map(score)).collect();
    assert_eq!(call(NLS, &columns).expect("scores").values, Values::Float(expected));
    check_edits(&columns, &distances);
});

/// There are as many edits as the distance says, in each row and where rows are counted by group.
fn check_edits(columns: &[Column; 2], distances: &[Option<(usize, usize)>]) {
    let edits = call(EDIT_OPS, columns).expect("edits").values;
    let Values::List(lengths, _) = edits else { panic!("no lists") };
    let expected: Vec<_> = distances.iter().map(|row| row.map(|(distance, _)| distance)).collect();
    assert_eq!(lengths, expected);
    let Values::Unsigned(types) = call(ERROR_TYPE, columns).expect("types").values else {
        panic!("no types")
    };
    let is_null = |row: &Option<u64>| row.is_none();
    assert!(types.iter().map(is_null).eq(distances.iter().map(Option::is_none)));

    let groups: Vec<i64> = (0..distances.len()).map(|row| i64::try_from(row).expect("few") % 3).collect();
    let groups = Column::new(Schema::new("groups", "L"), [Array::numbers(&groups)]);
    let columns = [columns[0].clone(), columns[1].clone(), groups];
    let counted = call(CONFUSION_COUNTS, &columns).expect("counts").values;
    let Values::List(_, counts) = counted else { panic!("no lists") };
    let (Values::Text(ops), Values::Signed(counts)) = (counts.of("op"), counts.of("count")) else {
        panic!("no counts")
    };
    let total = |names: &[&str]| -> i64 {
        let of_names = |(op, _): &(&Option<String>, _)| names.contains(&op.as_deref().unwrap_or_default());
        ops.iter().zip(counts).filter(of_names).filter_map(|(_, count)| *count).sum()
    };
    let scored: Vec<usize> = expected.into_iter().flatten().collect();
    assert_eq!(total(&["n"]), scored.len() as i64);
    assert_eq!(total(&["replace", "insert", "delete"]), scored.iter().sum::<usize>() as i64);
}
