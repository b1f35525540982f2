//! Columns of any content, sound and damaged, through the C border.
//!
//! The harness of the border tests hands them over: it fails where a struct is not released exactly once, and
//! where an error is a panic. Sound columns of valid texts must give scores, and the score of a row must not
//! change when the row is handed over alone.
#![no_main]
#![allow(dead_code, reason = "the harness serves the tests as well")]

#[path = "../../../tests/border/harness/mod.rs"]
mod harness;

mod damage;
mod input;

use std::ops::Range;

use libfuzzer_sys::fuzz_target;

use harness::c::METRICS;
use harness::call::{call, call_field};
use harness::describe::Column;
use harness::options::OPTIONS;
use harness::read::Values;
use input::Input;

fuzz_target!(|input: Input| {
    let metric = METRICS[usize::from(input.metric) % METRICS.len()];
    let columns = &input.columns;
    let fields = columns.each_ref().map(|column| column.schema.clone());
    let field = call_field(metric, &fields, OPTIONS);
    let output = call(metric, columns);
    if let Ok(output) = &output {
        assert_eq!(field.as_ref(), Ok(&output.field), "the field that was announced");
    }
    let [left, right] = columns.each_ref().map(rows);
    if field.is_ok() && (left == right || left == 1 || right == 1) && input.is_sound {
        assert!(output.is_ok(), "sound columns of valid texts: {output:?}");
    }
    if let Ok(output) = output {
        let rows = if left == 1 { right } else { left };
        for row in 0..rows {
            let alone = [(&columns[0], left), (&columns[1], right)]
                .map(|(column, rows)| only_row(column, if rows == 1 { 0 } else { row }));
            let alone = call(metric, &alone).expect("a row of columns that were accepted");
            assert_eq!(alone.values, rows_of(&output.values, row..row + 1), "row {row}");
        }
    }
});

/// Number of rows, of a column whose lengths are sound.
fn rows(column: &Column) -> usize {
    column.chunks.iter().filter_map(|chunk| usize::try_from(chunk.length).ok()).fold(0, usize::saturating_add)
}

/// The same column with one row alone.
fn only_row(column: &Column, mut row: usize) -> Column {
    for chunk in &column.chunks {
        let rows = usize::try_from(chunk.length).expect("accepted");
        if row < rows {
            let chunk = chunk.clone();
            let offset = chunk.offset + i64::try_from(row).expect("small");
            return Column { chunks: vec![chunk.slice(offset, 1)], ..column.clone() };
        }
        row -= rows;
    }
    unreachable!("the row is one of the column's")
}

fn rows_of(values: &Values, rows: Range<usize>) -> Values {
    match values {
        Values::Float(values) => Values::Float(values[rows].to_vec()),
        Values::Unsigned(values) => Values::Unsigned(values[rows].to_vec()),
        Values::Boolean(values) => Values::Boolean(values[rows].to_vec()),
        Values::Text(values) => Values::Text(values[rows].to_vec()),
        Values::Struct(fields) => {
            let of_rows = |(field, values): &(_, _)| (Clone::clone(field), rows_of(values, rows.clone()));
            Values::Struct(fields.iter().map(of_rows).collect())
        }
        Values::List(lengths, entries) => {
            let start = lengths[..rows.start].iter().flatten().sum();
            let length: usize = lengths[rows.clone()].iter().flatten().sum();
            let entries = rows_of(entries, start..start + length);
            Values::List(lengths[rows].to_vec(), Box::new(entries))
        }
    }
}
