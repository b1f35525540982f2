//! Calls with the wrong number of columns, damaged exports, and errors on several threads.

use std::sync::Barrier;

use super::harness::c::{CArray, CExport, METRICS, NLS};
use super::harness::call::{call, call_field, floats, last_error};
use super::harness::describe::{Array, Column, Fault, Schema};
use super::harness::options::OPTIONS;

fn column(name: &str) -> Column {
    Column::text(name, [Array::texts(&["a", "a text outside its view"])])
}

#[test]
fn the_structs_have_the_sizes_of_the_interface() {
    assert_eq!((size_of::<CArray>(), size_of::<CExport>()), (80, 40));
}

#[test]
fn other_numbers_of_columns_are_refused() {
    for &metric in METRICS {
        for number in [0, 1, 3, 100] {
            let columns: Vec<_> = (0..number).map(|_| column("a")).collect();
            let fields: Vec<_> = columns.iter().map(|column| column.schema.clone()).collect();
            let expected = format!("`{}` takes 2 columns, got {number}", metric.name);
            assert_eq!(call(metric, &columns).expect_err("columns"), expected);
            assert_eq!(call_field(metric, &fields, OPTIONS).expect_err("fields"), expected);
        }
    }
}

#[test]
fn columns_and_fields_may_be_a_null_pointer() {
    for &metric in METRICS {
        for number in [0, 2] {
            let mut result = CExport::EMPTY;
            let null = std::ptr::null();
            let context = std::ptr::null();
            let (kwargs, kwargs_len) = (OPTIONS.as_ptr(), OPTIONS.len());
            // SAFETY: the arguments of the interface, but for the columns, which are none.
            unsafe { (metric.data)(null, number, kwargs, kwargs_len, &raw mut result, context) };
            assert!(result.private_data.is_null());
            assert!(last_error().contains("takes 2 columns, got 0"), "{}", last_error());
        }
    }
}

#[test]
fn columns_of_different_lengths_are_refused() {
    let rows = |name: &str, rows| Column::text(name, [Array::texts(&vec!["a"; rows])]);
    for (left, right) in [(2, 3), (3, 2), (0, 2), (2, 0)] {
        let message = floats(NLS, rows("left", left), rows("right", right)).expect_err("lengths");
        let expected = format!("'left' has {left} rows, 'right' has {right}");
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn damaged_exports_are_refused_and_the_other_column_is_released() {
    let faults = [
        (Fault::Released, "already been released"),
        (Fault::NoSchema, "without a schema"),
        (Fault::NoChunks, "column 'damaged': a chunk is missing"),
        (Fault::NoChunk(0), "column 'damaged': a chunk is missing"),
        (Fault::NoChunk(2), "column 'damaged': a chunk is missing"),
        (Fault::NoChunk(4), "column 'damaged': a chunk is missing"),
    ];
    for (fault, words) in faults {
        let damaged = || Column::text("damaged", (0..5).map(|_| Array::texts(&["a"]))).with(fault);
        for columns in [[damaged(), column("b")], [column("b"), damaged()], [damaged(), damaged()]] {
            for &metric in METRICS {
                let message = call(metric, &columns).expect_err("a damaged export");
                assert!(message.contains(words), "{message}");
            }
        }
    }
}

#[test]
fn an_array_passed_twice_in_a_column_is_refused() {
    // The second pointer finds the struct moved out.
    let chunks = [Array::texts(&["a"]), Array::texts(&["a"]).with(Fault::Released)];
    let message = floats(NLS, Column::text("twice", chunks), column("other")).expect_err("released");
    assert!(message.contains("column 'twice': not a valid Arrow array: it has already been released"));
}

#[test]
fn an_error_stays_on_its_thread() {
    let message = call(NLS, &[column("only")]).expect_err("one column");
    assert_eq!(last_error(), message);
    std::thread::spawn(|| assert_eq!(last_error(), "")).join().expect("no message on another thread");
    assert_eq!(last_error(), message);
}

#[test]
fn threads_that_fail_at_once_read_their_own_errors() {
    const THREADS: usize = 4;
    let barrier = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let barrier = &barrier;
            scope.spawn(move || {
                let name = format!("of thread {thread}");
                for round in 0..200 {
                    barrier.wait();
                    if (thread + round) % 3 == 0 {
                        // One that succeeds in between.
                        assert!(floats(NLS, column(&name), column(&name)).is_ok());
                        continue;
                    }
                    let numbers = Schema::new(&name, "i");
                    let chunk = Array::texts(&["a"]);
                    let outcome = call(NLS, &[column("prediction"), Column::new(numbers, [chunk])]);
                    let message = outcome.expect_err("numbers");
                    assert!(message.contains(&format!("column '{name}'")), "{message}");
                    assert_eq!(last_error(), message);
                }
            });
        }
    });
}
