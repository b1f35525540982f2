//! Lists and structs of results.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, LargeListArray, StructArray,
    UInt32Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};

use super::{Column, errant, i_measure, m2};
use crate::gec::scores;

/// Tokens of a column of an alignment: source, hypothesis, reference.
pub type AlignedWords = (Option<String>, Option<String>, Option<String>);

fn fields<const N: usize>(fields: [(&str, DataType); N]) -> Fields {
    fields.into_iter().map(|(name, dtype)| Field::new(name, dtype, true)).collect()
}

fn list_of(fields: Fields) -> DataType {
    DataType::LargeList(Arc::new(Field::new("item", DataType::Struct(fields), true)))
}

fn integers(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn ids(values: impl Iterator<Item = i64>) -> ArrayRef {
    // Read from 32 bits.
    Arc::new(Int32Array::from_iter_values(values.map(|id| i32::try_from(id).unwrap_or_default())))
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    let mut builder = StringViewBuilder::new();
    values.for_each(|value| builder.append_option(value));
    Arc::new(builder.finish())
}

/// Lists of structs, one list a row.
fn lists<T>(
    column: Column<Vec<T>>,
    fields: Fields,
    columns: impl FnOnce(&[T]) -> Vec<ArrayRef>,
) -> ArrayData {
    let (rows, nulls) = column.into_parts();
    let offsets = OffsetBuffer::from_lengths(rows.iter().map(Vec::len));
    let entries: Vec<T> = rows.into_iter().flatten().collect();
    let entries = nested(fields.clone(), columns(&entries), entries.len());
    let item = Arc::new(Field::new("item", DataType::Struct(fields), true));
    LargeListArray::new(item, offsets, entries, nulls).into_data()
}

fn nested(fields: Fields, columns: Vec<ArrayRef>, length: usize) -> ArrayRef {
    debug_assert!(columns.iter().all(|column| column.len() == length));
    Arc::new(StructArray::new(fields, columns, None))
}

fn m2_fields() -> Fields {
    fields([
        ("annotator", DataType::Int32),
        ("tp", DataType::Int64),
        ("fp", DataType::Int64),
        ("fn", DataType::Int64),
        ("proposed", DataType::Int64),
        ("gold", DataType::Int64),
    ])
}

pub fn m2_dtype() -> DataType {
    list_of(m2_fields())
}

pub fn m2(column: Column<Vec<m2::Counts>>) -> ArrayData {
    lists(column, m2_fields(), |all| {
        let tp = |one: &m2::Counts| i64::from(one.correct);
        let (proposed, gold) =
            (|one: &m2::Counts| i64::from(one.proposed), |one: &m2::Counts| i64::from(one.gold));
        vec![
            ids(all.iter().map(|one| one.annotator)),
            integers(all.iter().map(tp)),
            integers(all.iter().map(|one| proposed(one) - tp(one))),
            integers(all.iter().map(|one| gold(one) - tp(one))),
            integers(all.iter().map(proposed)),
            integers(all.iter().map(gold)),
        ]
    })
}

fn m2_edits_fields() -> Fields {
    fields([
        ("annotator", DataType::Int32),
        ("start", DataType::Int32),
        ("end", DataType::Int32),
        ("original", DataType::Utf8View),
        ("correction", DataType::Utf8View),
        ("matched", DataType::Boolean),
        ("type", DataType::Utf8View),
    ])
}

pub fn m2_edits_dtype() -> DataType {
    list_of(m2_edits_fields())
}

pub fn m2_edits(column: Column<Vec<m2::SystemEdit>>) -> ArrayData {
    lists(column, m2_edits_fields(), |all| {
        vec![
            ids(all.iter().map(|edit| edit.annotator)),
            ids(all.iter().map(|edit| i64::from(edit.start))),
            ids(all.iter().map(|edit| i64::from(edit.end))),
            texts(all.iter().map(|edit| Some(edit.original.as_str()))),
            texts(all.iter().map(|edit| Some(edit.correction.as_str()))),
            Arc::new(all.iter().map(|edit| Some(edit.matched.is_some())).collect::<BooleanArray>()),
            texts(all.iter().map(|edit| edit.matched.as_deref())),
        ]
    })
}

fn count_fields() -> Fields {
    fields(["tp", "tn", "fp", "fn", "fpn"].map(|name| (name, DataType::Int64)))
}

fn i_measure_fields() -> Fields {
    let counts = || DataType::Struct(count_fields());
    fields([
        ("detection", counts()),
        ("correction", counts()),
        ("base_detection", counts()),
        ("base_correction", counts()),
        ("reference_index", DataType::UInt32),
        ("wacc", DataType::Float64),
        ("wacc_base", DataType::Float64),
        ("i_measure", DataType::Float64),
    ])
}

pub fn i_measure_dtype() -> DataType {
    DataType::Struct(i_measure_fields())
}

pub fn i_measure(column: Column<i_measure::Row>) -> ArrayData {
    let (rows, nulls) = column.into_parts();
    let counts = |part: fn(&i_measure::Row) -> scores::Counts| -> ArrayRef {
        let column = |count: fn(&scores::Counts) -> u32| -> ArrayRef {
            let values = rows.iter().map(|row| i64::from(count(&part(row))));
            Arc::new(Int64Array::new(values.collect(), nulls.clone()))
        };
        let columns =
            vec![column(|c| c.tp), column(|c| c.tn), column(|c| c.fp), column(|c| c.fn_), column(|c| c.fpn)];
        Arc::new(StructArray::new(count_fields(), columns, nulls.clone()))
    };
    let floats = |value: fn(&i_measure::Row) -> Option<f64>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<Float64Array>())
    };
    let references = rows.iter().map(|row| row.reference).collect();
    let columns: Vec<ArrayRef> = vec![
        counts(|row| row.system.detection),
        counts(|row| row.system.correction),
        counts(|row| row.baseline.detection),
        counts(|row| row.baseline.correction),
        Arc::new(UInt32Array::new(references, nulls.clone())),
        floats(|row| row.accuracy),
        floats(|row| row.base_accuracy),
        floats(|row| row.improvement),
    ];
    StructArray::new(i_measure_fields(), columns, nulls).into_data()
}

fn align3_fields() -> Fields {
    fields(["src", "hyp", "ref", "label"].map(|name| (name, DataType::Utf8View)))
}

pub fn align3_dtype() -> DataType {
    list_of(align3_fields())
}

pub fn align3(column: Column<Vec<AlignedWords>>) -> ArrayData {
    let label = |(source, hypothesis, reference): &AlignedWords| match (
        source == hypothesis,
        source == reference,
        hypothesis == reference,
    ) {
        (true, true, _) => "tn",
        (true, false, _) => "fn",
        (false, true, _) => "fp",
        (false, false, true) => "tp",
        (false, false, false) => "fpn",
    };
    lists(column, align3_fields(), |all| {
        vec![
            texts(all.iter().map(|column| column.0.as_deref())),
            texts(all.iter().map(|column| column.1.as_deref())),
            texts(all.iter().map(|column| column.2.as_deref())),
            texts(all.iter().map(|column| Some(label(column)))),
        ]
    })
}

fn type_fields() -> Fields {
    fields([
        ("type", DataType::Utf8View),
        ("tp", DataType::Int64),
        ("fp", DataType::Int64),
        ("fn", DataType::Int64),
    ])
}

fn errant_fields() -> Fields {
    fields([
        ("hypothesis_annotator", DataType::Int32),
        ("reference_annotator", DataType::Int32),
        ("tp", DataType::Int64),
        ("fp", DataType::Int64),
        ("fn", DataType::Int64),
        ("types", list_of(type_fields())),
    ])
}

pub fn errant_dtype() -> DataType {
    list_of(errant_fields())
}

pub fn errant(column: Column<Vec<errant::Comparison>>) -> ArrayData {
    lists(column, errant_fields(), |all| {
        let offsets = OffsetBuffer::from_lengths(all.iter().map(|one| one.by_type.len()));
        let entries: Vec<_> = all.iter().flat_map(|one| &one.by_type).collect();
        let count = |value: fn(&errant::Counts) -> u32| {
            integers(entries.iter().map(move |(_, counts)| i64::from(value(counts))))
        };
        let columns = vec![
            texts(entries.iter().map(|(kind, _)| Some(kind.as_str()))),
            count(|counts| counts.tp),
            count(|counts| counts.fp),
            count(|counts| counts.fn_),
        ];
        let item = Arc::new(Field::new("item", DataType::Struct(type_fields()), true));
        let entries = nested(type_fields(), columns, entries.len());
        let no_nulls: Option<NullBuffer> = None;
        let all_counts = |value: fn(&errant::Counts) -> u32| {
            integers(all.iter().map(move |one| i64::from(value(&one.all))))
        };
        vec![
            ids(all.iter().map(|one| one.hypothesis)),
            ids(all.iter().map(|one| one.reference)),
            all_counts(|counts| counts.tp),
            all_counts(|counts| counts.fp),
            all_counts(|counts| counts.fn_),
            Arc::new(LargeListArray::new(item, offsets, entries, no_nulls)),
        ]
    })
}
