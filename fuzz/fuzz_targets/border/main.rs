//! Columns of any content, sound and damaged, through the C border.
//!
//! The harness of the border tests hands them over: it fails where a struct is not released exactly once, and
//! where an error is a panic. Sound columns of valid texts must give scores, and the score of a row must not
//! change when the row is handed over alone.
#![no_main]
#![allow(dead_code, reason = "the harness serves the tests as well")]

#[path = "../../../tests/border/harness/mod.rs"]
mod harness;

#[path = "../shared/rows.rs"]
mod rows;

mod damage;
mod input;

use libfuzzer_sys::fuzz_target;

// Links the crate, whose exported functions the harness declares.
use anls_frame as _;
use harness::c::METRICS;
use harness::call::{call, call_field};
use harness::options::OPTIONS;
use input::Input;
use rows::{only_row, rows};

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
            assert_eq!(alone.values, output.values.at(&[row]), "row {row}");
        }
    }
});
