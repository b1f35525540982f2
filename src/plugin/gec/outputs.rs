//! Lists and structs of results.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array};
use arrow_buffer::OffsetBuffer;
use arrow_data::ArrayData;

use super::super::outputs::lists::{ListColumn, lists, structs, texts};
use super::{Column, errant, i_measure, m2};
use crate::gec::scores;

/// Tokens of a column of an alignment: source, hypothesis, reference.
pub type AlignedWords = (Option<String>, Option<String>, Option<String>);

fn integers(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn ids(values: impl Iterator<Item = i64>) -> ArrayRef {
    // Read from 32 bits.
    Arc::new(Int32Array::from_iter_values(values.map(|id| i32::try_from(id).unwrap_or_default())))
}

pub static M2: ListColumn<m2::Counts> = ListColumn::new(|all| {
    let count = |value: fn(&m2::Counts) -> i64| integers(all.iter().map(value));
    vec![
        ("annotator", ids(all.iter().map(|one| one.annotator))),
        ("tp", count(|one| one.correct.into())),
        ("fp", count(|one| i64::from(one.proposed) - i64::from(one.correct))),
        ("fn", count(|one| i64::from(one.gold) - i64::from(one.correct))),
        ("proposed", count(|one| one.proposed.into())),
        ("gold", count(|one| one.gold.into())),
    ]
});

pub static M2_EDITS: ListColumn<m2::SystemEdit> = ListColumn::new(|all| {
    vec![
        ("annotator", ids(all.iter().map(|edit| edit.annotator))),
        ("start", ids(all.iter().map(|edit| i64::from(edit.start)))),
        ("end", ids(all.iter().map(|edit| i64::from(edit.end)))),
        ("original", texts(all.iter().map(|edit| Some(edit.original.as_str())))),
        ("correction", texts(all.iter().map(|edit| Some(edit.correction.as_str())))),
        ("matched", Arc::new(all.iter().map(|edit| Some(edit.matched.is_some())).collect::<BooleanArray>())),
        ("type", texts(all.iter().map(|edit| edit.matched.as_deref()))),
    ]
});

pub fn i_measure(column: Column<i_measure::Row>) -> ArrayData {
    let (rows, nulls) = column.into_parts();
    let counts = |part: fn(&i_measure::Row) -> scores::Counts| -> ArrayRef {
        let column = |count: fn(&scores::Counts) -> u32| -> ArrayRef {
            let values = rows.iter().map(|row| i64::from(count(&part(row))));
            Arc::new(Int64Array::new(values.collect(), nulls.clone()))
        };
        let columns = vec![
            ("tp", column(|counts| counts.tp)),
            ("tn", column(|counts| counts.tn)),
            ("fp", column(|counts| counts.fp)),
            ("fn", column(|counts| counts.fn_)),
            ("fpn", column(|counts| counts.fpn)),
        ];
        Arc::new(structs(columns, nulls.clone()))
    };
    let floats = |value: fn(&i_measure::Row) -> Option<f64>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<Float64Array>())
    };
    let references = rows.iter().map(|row| row.reference.into()).collect();
    let columns: Vec<(_, ArrayRef)> = vec![
        ("detection", counts(|row| row.system.detection)),
        ("correction", counts(|row| row.system.correction)),
        ("base_detection", counts(|row| row.baseline.detection)),
        ("base_correction", counts(|row| row.baseline.correction)),
        ("reference_index", Arc::new(Int64Array::new(references, nulls.clone()))),
        ("wacc", floats(|row| row.accuracy)),
        ("wacc_base", floats(|row| row.base_accuracy)),
        ("i_measure", floats(|row| row.improvement)),
    ];
    structs(columns, nulls).into_data()
}

pub static ALIGN3: ListColumn<AlignedWords> = ListColumn::new(|all| {
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
    vec![
        ("src", texts(all.iter().map(|column| column.0.as_deref()))),
        ("hyp", texts(all.iter().map(|column| column.1.as_deref()))),
        ("ref", texts(all.iter().map(|column| column.2.as_deref()))),
        ("label", texts(all.iter().map(|column| Some(label(column))))),
    ]
});

pub static ERRANT: ListColumn<errant::Comparison> = ListColumn::new(|all| {
    let offsets = OffsetBuffer::from_lengths(all.iter().map(|one| one.by_type.len()));
    let types: Vec<_> = all.iter().flat_map(|one| &one.by_type).collect();
    let count = |value: fn(&errant::Counts) -> u32| {
        integers(types.iter().map(move |(_, counts)| value(counts).into()))
    };
    let by_type = vec![
        ("type", texts(types.iter().map(|(kind, _)| Some(kind.as_str())))),
        ("tp", count(|counts| counts.tp)),
        ("fp", count(|counts| counts.fp)),
        ("fn", count(|counts| counts.fn_)),
    ];
    let count =
        |value: fn(&errant::Counts) -> u32| integers(all.iter().map(move |one| value(&one.all).into()));
    vec![
        ("hypothesis_annotator", ids(all.iter().map(|one| one.hypothesis))),
        ("reference_annotator", ids(all.iter().map(|one| one.reference))),
        ("tp", count(|counts| counts.tp)),
        ("fp", count(|counts| counts.fp)),
        ("fn", count(|counts| counts.fn_)),
        ("types", Arc::new(lists(by_type, offsets, None))),
    ]
});
