//! The functions for grammatical error correction, over sentences and edits of any content.
//!
//! What can be read must be scored, the result of a row must not change when the row is handed over alone, and
//! the edits and alignments that come out must be those of the texts that went in.
#![no_main]
#![allow(dead_code, reason = "the harness serves the tests as well")]

#[path = "../../../tests/border/harness/mod.rs"]
mod harness;
#[path = "../shared/rows.rs"]
mod rows;

mod input;
mod options;

use libfuzzer_sys::fuzz_target;

use harness::c::{ALIGN3, CORRECTIONS, I_MEASURE, I_MEASURE_REFERENCES, M2, M2_EDITS};
use harness::call::{call_field, call_with};
use harness::describe::Column;
use harness::read::{Output, Values};
use input::{Input, words};
use rows::only_row;

/// Places of the sentences of a row.
const PREDICTION: usize = 0;
const SOURCE: usize = 1;
const REFERENCE: usize = 2;

fuzz_target!(|input: Input| {
    let function = CORRECTIONS[usize::from(input.function) % CORRECTIONS.len()];
    let texts = || vec![input.sentences(PREDICTION), input.sentences(SOURCE)];
    let with_edits = || [texts(), vec![input.edits(0), input.annotators(0)]].concat();
    let (mut columns, options) = match function.name {
        name if name == M2.name => (with_edits(), input.options.of_m2()),
        name if name == M2_EDITS.name => (with_edits(), input.options.of_m2_edits()),
        name if name == I_MEASURE.name => (with_edits(), input.options.of_i_measure()),
        name if name == I_MEASURE_REFERENCES.name => {
            ([texts(), vec![input.references()]].concat(), input.options.of_i_measure())
        }
        name if name == ALIGN3.name => {
            ([texts(), vec![input.sentences(REFERENCE)]].concat(), input.options.of_align3())
        }
        _ => {
            let edits = |place| [input.edits(place), input.annotators(place)];
            ([edits(0), edits(1)].concat(), input.options.of_errant())
        }
    };
    let height = input.rows().len();
    let literal = input.literal.map(|column| usize::from(column) % columns.len()).filter(|_| height > 0);
    if let Some(column) = literal {
        columns[column] = only_row(&columns[column], 0);
    }

    let fields: Vec<_> = columns.iter().map(|column| column.schema.clone()).collect();
    let field = call_field(function, &fields, &options).expect("columns of the right dtypes");
    let output = call_with(function, &columns, &options);
    if let Err(message) = &output {
        // Limits are there to be met: on the table of an alignment and on the ways to combine edits.
        let is_limit = !input.options.has_cells() || message.contains("max_references");
        assert!(is_limit || !input.is_sound(), "sound edits: {message}");
    }
    let Ok(Output { field: found, values }) = output else { return };
    assert_eq!(field, found, "the field that was announced");
    for row in 0..height {
        let one = |(place, column): (usize, &Column)| {
            only_row(column, if literal == Some(place) { 0 } else { row })
        };
        let alone: Vec<Column> = columns.iter().enumerate().map(one).collect();
        let alone = call_with(function, &alone, &options).expect("a row of columns that were accepted");
        let values = values.at(&[row]);
        assert_eq!(alone.values, values, "row {row}");
        let sentences = |place| {
            let row = if literal == Some(place) { 0 } else { row };
            input.rows()[row].sentence(place)
        };
        match function.name {
            name if name == ALIGN3.name => {
                check_alignment(&values, [PREDICTION, SOURCE, REFERENCE].map(sentences))
            }
            name if name == M2_EDITS.name && input.options.keeps_edits() => {
                check_edits(&values, sentences(PREDICTION), sentences(SOURCE));
            }
            _ => {}
        }
    }
});

/// Each column of the alignment holds the words of its text.
fn check_alignment(values: &Values, sentences: [Option<String>; 3]) {
    let Values::List(_, columns) = values else { panic!("no list") };
    let [Some(prediction), Some(source), Some(reference)] = sentences else { return };
    for (name, text) in [("hyp", prediction), ("src", source), ("ref", reference)] {
        let Values::Text(found) = columns.of(name) else { panic!("no texts") };
        assert_eq!(found.iter().flatten().collect::<Vec<_>>(), words(&text), "{name}");
    }
}

/// The edits that were found, by each annotator, turn the source into the prediction.
fn check_edits(values: &Values, prediction: Option<String>, source: Option<String>) {
    let Values::List(_, edits) = values else { panic!("no list") };
    let (Some(prediction), Some(source)) = (prediction, source) else { return };
    let numbers = |name| match edits.of(name) {
        Values::Signed(numbers) => numbers.iter().copied().map(Option::unwrap).collect::<Vec<_>>(),
        other => panic!("no numbers: {other:?}"),
    };
    let texts = |name| match edits.of(name) {
        Values::Text(texts) => texts.iter().map(|text| text.clone().unwrap()).collect::<Vec<_>>(),
        other => panic!("no texts: {other:?}"),
    };
    let [annotators, starts, ends] = ["annotator", "start", "end"].map(numbers);
    let [originals, corrections] = ["original", "correction"].map(texts);
    let source = words(&source);
    let mut ids = annotators.clone();
    ids.dedup();
    for id in ids {
        let mut corrected = Vec::new();
        let mut done = 0;
        for edit in (0..annotators.len()).filter(|&edit| annotators[edit] == id) {
            let [start, end] = [starts[edit], ends[edit]].map(|place| usize::try_from(place).unwrap());
            corrected.extend(&source[done..start]);
            assert_eq!(words(&originals[edit]), source[start..end]);
            corrected.extend(words(&corrections[edit]));
            done = end;
        }
        corrected.extend(&source[done..]);
        assert_eq!(corrected, words(&prediction));
    }
}
