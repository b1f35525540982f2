//! Columns long enough for several threads and for many rows at a time: each row scores as it does alone.

use super::harness::c::{METRICS, NLS};
use super::harness::call::{call, floats};
use super::harness::describe::{Array, Column, Schema};
use super::harness::process::alone;

const ROWS: usize = 50_000;

/// Texts of 0 to 40 characters and a few long ones, in ASCII and beyond, some with spaces and capitals.
fn texts(seed: usize) -> Vec<String> {
    let text = |index: usize| {
        let unit = ["a", "B", "é", "漢", "ab ", "x"][(index * 7 + seed) % 6];
        let length = if index.is_multiple_of(23) { 70 + index % 80 } else { (index * 5 + seed) % 41 };
        let mut text = unit.repeat(length);
        text.push_str(["", "y", " Z", "ß"][(index + seed) % 4]);
        text
    };
    (0..97).map(text).collect()
}

/// The texts again and again, cut into chunks of different lengths, with a null for each eleventh row.
fn column(name: &str, texts: &[String], cuts: &[usize]) -> Column {
    let mut chunks = Vec::new();
    let mut start = 0;
    for &end in cuts.iter().chain([&ROWS]) {
        let rows: Vec<&str> = (start..end).map(|row| texts[row % texts.len()].as_str()).collect();
        let nulls: Vec<usize> =
            (start..end).filter(|row| row % texts.len() % 11 == 5).map(|row| row - start).collect();
        chunks.push(Array::texts(&rows).with_nulls(&nulls));
        start = end;
    }
    Column::text(name, chunks)
}

#[test]
fn every_row_of_a_large_column_scores_as_it_does_alone() {
    alone("border::large_columns::every_row_of_a_large_column_scores_as_it_does_alone", || {
        let (left, right) = (texts(1), texts(3));
        let columns = [
            column("prediction", &left, &[1, 20_000, 20_000, 41_111]),
            column("answers", &right, &[8_192, 33_333]),
        ];
        for &metric in METRICS {
            let values = call(metric, &columns).expect("scores").values;
            for row in 0..left.len() {
                let null = if row % 11 == 5 { &[0][..] } else { &[] };
                let alone = |name, text| Column::text(name, [Array::texts(&[text]).with_nulls(null)]);
                let alone = [alone("prediction", &left[row]), alone("answers", &right[row])];
                let expected = call(metric, &alone).expect("a score").values;
                let rows: Vec<usize> = (row..ROWS).step_by(left.len()).collect();
                let expected = expected.at(&vec![0; rows.len()]);
                assert_eq!(values.at(&rows), expected, "{}, row {row} and those of its texts", metric.name);
            }
        }
    });
}

#[test]
fn large_calls_at_once_keep_to_themselves() {
    alone("border::large_columns::large_calls_at_once_keep_to_themselves", || {
        std::thread::scope(|scope| {
            for seed in 0..4 {
                scope.spawn(move || {
                    let name = format!("of thread {seed}");
                    let columns =
                        || [1, 3].map(|other| column(&name, &texts(seed + other), &[10_000 * seed]));
                    let expected = call(NLS, &columns()).expect("scores");
                    for _ in 0..3 {
                        assert_eq!(call(NLS, &columns()).as_ref(), Ok(&expected));
                        let [left, mut right] = columns();
                        right.schema = Schema::new(&name, "i");
                        let message = call(NLS, &[left, right]).expect_err("numbers");
                        assert!(message.contains(&format!("column '{name}'")), "{message}");
                    }
                });
            }
        });
    });
}

#[test]
fn the_first_of_several_invalid_texts_is_named() {
    alone("border::large_columns::the_first_of_several_invalid_texts_is_named", || {
        let mut rows = vec![b"a valid text outside its view".to_vec(); ROWS];
        for row in [ROWS - 1, 40_000, 17_001, 17_000] {
            rows[row] = b"an invalid text outside its view: \xe6\xbc".to_vec();
            let place = format!("column 'bad', row {row} (counted from 0, of {ROWS} rows in this batch)");
            let bad = || Column::text("bad", [Array::texts(&rows[..9_999]), Array::texts(&rows[9_999..])]);
            let literal = || Column::text("one", [Array::texts(&["one"])]);
            for outcome in [floats(NLS, bad(), literal()), floats(NLS, literal(), bad())] {
                let message = outcome.expect_err("invalid UTF-8");
                assert!(message.contains(&place), "{message}");
            }
            let offsets: Vec<i64> = (0..=i64::try_from(ROWS).expect("small")).collect();
            let lists = Column::list("bad", [Array::list(&offsets, Array::texts(&rows))]);
            let message = floats(NLS, literal(), lists).expect_err("invalid UTF-8");
            assert!(message.contains(&place), "{message}");
        }
    });
}
