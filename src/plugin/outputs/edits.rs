//! Edits and their counts, as columns of lists.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, Int64Builder, StringViewBuilder};
use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_buffer::OffsetBuffer;
use arrow_data::ArrayData;

use super::count;
use super::lists::{ListColumn, lists, texts};
use crate::kernel::alignment::{Edit, Operation};
use crate::kernel::confusions::{Counts, Kind, RowKind};
use crate::kernel::units::Written;

/// An edit as it is exported.
#[derive(Clone)]
pub struct ExportedEdit {
    operation: Operation,
    reference_position: i64,
    prediction_position: i64,
    reference: Option<Unit>,
    prediction: Option<Unit>,
}

/// A position of a text and its content.
#[derive(Clone)]
enum Unit {
    Letter(char),
    Text(Box<str>),
}

impl ExportedEdit {
    /// An edit between these texts, the reference first.
    pub fn new(edit: &Edit, texts: &Written) -> Self {
        let places = [edit.reference_position, edit.prediction_position];
        let unit = |side: usize, letter: char| {
            let text = texts.unit(side, places[side]);
            text.map_or(Unit::Letter(letter), |text| Unit::Text(text.into()))
        };
        Self {
            operation: edit.operation,
            reference_position: count(places[0]),
            prediction_position: count(places[1]),
            reference: edit.reference.map(|letter| unit(0, letter)),
            prediction: edit.prediction.map(|letter| unit(1, letter)),
        }
    }
}

pub static EDITS: ListColumn<ExportedEdit> = ListColumn::new(|edits| {
    let positions = |position: fn(&ExportedEdit) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(edits.iter().map(position)))
    };
    vec![
        ("op", texts(edits.iter().map(|edit| Some(operation(edit.operation))))),
        ("reference_pos", positions(|edit| edit.reference_position)),
        ("prediction_pos", positions(|edit| edit.prediction_position)),
        ("reference_char", units(edits.iter().map(|edit| edit.reference.as_ref()))),
        ("predicted_char", units(edits.iter().map(|edit| edit.prediction.as_ref()))),
    ]
});

fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Replace => "replace",
        Operation::Insert => "insert",
        Operation::Delete => "delete",
    }
}

/// What is counted, as the Python package reads it.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Edit(edit) => operation(edit),
        Kind::Reference => "reference",
        Kind::Row(RowKind::Compared) => "n",
        Kind::Row(RowKind::Missing) => "n_missing",
        Kind::Row(RowKind::Unanswerable) => "n_unanswerable",
        Kind::Row(RowKind::Distant) => "n_distant",
    }
}

/// A column of `rows` lists; `counted` has those that are not empty, in rising order of rows. Each list goes when
/// it is written: there may be as many as rows.
pub fn counts_column(rows: usize, counted: impl Iterator<Item = (usize, Counts)>) -> ArrayData {
    let mut offsets = Vec::with_capacity(rows + 1);
    let [mut kinds, mut references, mut predictions] = [(); 3].map(|()| StringViewBuilder::new());
    let mut numbers = Int64Builder::new();
    for (row, counts) in counted {
        offsets.resize(row + 1, numbers.len().cast_signed() as i64);
        for counted in counts.into_counts() {
            kinds.append_value(kind(counted.kind));
            references.append_option(counted.reference);
            predictions.append_option(counted.prediction);
            numbers.append_value(counted.count.cast_signed());
        }
    }
    offsets.resize(rows + 1, numbers.len().cast_signed() as i64);
    let columns: Vec<(_, ArrayRef)> = vec![
        ("op", Arc::new(kinds.finish())),
        ("reference_char", Arc::new(references.finish())),
        ("predicted_char", Arc::new(predictions.finish())),
        ("count", Arc::new(numbers.finish())),
    ];
    lists(columns, OffsetBuffer::new(offsets.into()), None).into_data()
}

fn units<'a>(units: impl Iterator<Item = Option<&'a Unit>>) -> ArrayRef {
    let mut builder = StringViewBuilder::new();
    let mut buffer = [0; 4];
    units.for_each(|unit| {
        builder.append_option(unit.map(|unit| match unit {
            Unit::Letter(letter) => &*letter.encode_utf8(&mut buffer),
            Unit::Text(text) => text,
        }));
    });
    Arc::new(builder.finish())
}
