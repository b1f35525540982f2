//! Lists of edits and of counts, as columns.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, StringViewBuilder, UInt64Builder};
use arrow_array::{ArrayRef, StringViewArray, UInt32Array};
use arrow_buffer::OffsetBuffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};

use super::Result;
use super::outputs::{Column, count, list_array};
use crate::kernel::alignment::{Edit, Operation};
use crate::kernel::confusions::{Counts, Kind, RowKind};

/// An edit with positions as they are exported.
#[derive(Clone, Copy)]
pub struct ExportedEdit {
    edit: Edit,
    reference_position: u32,
    prediction_position: u32,
}

impl ExportedEdit {
    pub fn new(edit: Edit) -> Result<Self> {
        Ok(Self {
            edit,
            reference_position: count(edit.reference_position)?,
            prediction_position: count(edit.prediction_position)?,
        })
    }
}

/// The dtype of `edit_ops`.
pub fn edits_dtype() -> DataType {
    list_of(edits_fields())
}

/// The dtype of counts.
pub fn counts_dtype() -> DataType {
    list_of(counts_fields())
}

fn list_of(fields: Fields) -> DataType {
    DataType::LargeList(Arc::new(Field::new("item", DataType::Struct(fields), true)))
}

fn edits_fields() -> Fields {
    [
        ("op", DataType::Utf8View),
        ("reference_pos", DataType::UInt32),
        ("prediction_pos", DataType::UInt32),
        ("reference_char", DataType::Utf8View),
        ("predicted_char", DataType::Utf8View),
    ]
    .into_iter()
    .map(|(name, dtype)| Field::new(name, dtype, true))
    .collect()
}

fn counts_fields() -> Fields {
    [
        ("op", DataType::Utf8View),
        ("reference_char", DataType::Utf8View),
        ("predicted_char", DataType::Utf8View),
        ("count", DataType::UInt64),
    ]
    .into_iter()
    .map(|(name, dtype)| Field::new(name, dtype, true))
    .collect()
}

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

impl Column<Vec<ExportedEdit>> {
    pub fn into_edits(self) -> ArrayData {
        self.into_lists(edits_fields(), |edits| {
            let positions = |position: fn(&ExportedEdit) -> u32| -> ArrayRef {
                Arc::new(UInt32Array::from_iter_values(edits.iter().map(position)))
            };
            vec![
                texts(edits.iter().map(|edit| Some(operation(edit.edit.operation)))),
                positions(|edit| edit.reference_position),
                positions(|edit| edit.prediction_position),
                letters(edits.iter().map(|edit| edit.edit.reference)),
                letters(edits.iter().map(|edit| edit.edit.prediction)),
            ]
        })
    }
}

/// Lists of counts in some of so many rows, in rising order; those of the others are empty. Each list goes when
/// it is written: there may be as many as rows.
pub fn counts_column(rows: usize, lists: impl Iterator<Item = (usize, Counts)>) -> ArrayData {
    let mut offsets = Vec::with_capacity(rows + 1);
    let [mut kinds, mut references, mut predictions] = [(); 3].map(|()| StringViewBuilder::new());
    let mut numbers = UInt64Builder::new();
    for (row, counts) in lists {
        offsets.resize(row + 1, numbers.len().cast_signed() as i64);
        for (key, count) in counts.into_counts() {
            kinds.append_value(kind(key.kind));
            references.append_option(key.reference.text());
            predictions.append_option(key.prediction.text());
            numbers.append_value(count);
        }
    }
    offsets.resize(rows + 1, numbers.len().cast_signed() as i64);
    let texts = [kinds, references, predictions].into_iter();
    let mut columns: Vec<ArrayRef> =
        texts.map(|mut builder| Arc::new(builder.finish()) as ArrayRef).collect();
    columns.push(Arc::new(numbers.finish()));
    list_array(counts_fields(), OffsetBuffer::new(offsets.into()), columns, None)
}

fn texts<T: AsRef<str>>(texts: impl Iterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(texts.collect::<StringViewArray>())
}

fn letters(letters: impl Iterator<Item = Option<char>>) -> ArrayRef {
    let mut builder = StringViewBuilder::new();
    let mut buffer = [0; 4];
    letters.for_each(|letter| builder.append_option(letter.map(|letter| &*letter.encode_utf8(&mut buffer))));
    Arc::new(builder.finish())
}
