//! Calls repeated until a leak would show.
//!
//! The memory of the whole process is measured, so each of these tests runs in a process of its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

use super::harness::c::{CONFUSION_COUNTS, METRICS, SCORE};
use super::harness::call::{call, call_field};
use super::harness::describe::{Array, Column, Schema};
use super::harness::options::OPTIONS;
use super::harness::process::alone;

/// The system's allocator with a count of the bytes in use.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
static BYTES: AtomicIsize = AtomicIsize::new(0);
/// The most bytes that were in use.
static PEAK: AtomicIsize = AtomicIsize::new(0);

fn add(bytes: usize, sign: isize) {
    let change = sign * bytes.cast_signed();
    let bytes = BYTES.fetch_add(change, Ordering::Relaxed) + change;
    PEAK.fetch_max(bytes, Ordering::Relaxed);
}

// SAFETY: forwards to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, here and below.
        let pointer = unsafe { System.alloc(layout) };
        // What there is no memory for is not in use; some of these sizes are next to the largest number.
        if !pointer.is_null() {
            add(layout.size(), 1);
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(layout.size(), -1);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Checks that the memory in use does not grow by a byte a call.
fn assert_flat(calls: isize, mut call: impl FnMut()) {
    // Whatever is set up once and kept.
    (0..10).for_each(|_| call());
    let before = BYTES.load(Ordering::Relaxed);
    (0..calls).for_each(|_| call());
    let grown = BYTES.load(Ordering::Relaxed) - before;
    assert!(grown < calls, "{grown} bytes more after {calls} calls");
}

fn columns() -> Vec<[Column; 2]> {
    let texts = || Array::texts(&["a", "a text outside its view", "b"]).with_nulls(&[2]);
    let prediction = || Column::text("prediction", [texts(), texts()]);
    let categories = || Array::dictionary(4, &[0, 1, 2], texts());
    let fixed = Schema::fixed("answers", 1, Schema::text("item"));
    let lists = || Array::list(&[0, 1, 2, 3], texts());
    vec![
        [prediction(), Column::text("answers", [texts().slice(1, 2), texts(), texts().slice(2, 1)])],
        [prediction(), Column::list("answers", [lists(), lists()])],
        [prediction(), Column::new(fixed, [Array::fixed(3, texts()), Array::fixed(3, texts())])],
        [prediction(), Column::new(Schema::categories("answers", "I"), [categories(), categories()])],
        [prediction(), Column::new(Schema::new("answers", "n"), [Array::null(6)])],
    ]
}

/// Columns that fail at the schema, at the third chunk, at a text, and at the number of rows.
fn damaged_columns() -> Vec<[Column; 2]> {
    let texts = || Array::texts(&["a", "a text outside its view"]);
    let good = || Column::text("prediction", [texts(), texts()]);
    let late = |chunk: Array| Column::text("answers", [texts(), texts(), chunk, texts(), texts()]);
    vec![
        [good(), Column::new(Schema::new("answers", "g"), [texts()])],
        [good(), late(Array { length: -1, ..texts() })],
        [good(), late(Array::texts(&[&b"\xff"[..], b"\xff and longer than a view"]))],
        [good(), late(texts())],
    ]
}

#[test]
fn ten_thousand_schema_calls_keep_no_memory() {
    alone("border::repetition::ten_thousand_schema_calls_keep_no_memory", || {
        let fields: Vec<_> =
            columns().into_iter().map(|columns| columns.map(|column| column.schema)).collect();
        let mut turn = 0;
        assert_flat(10_000, || {
            let (metric, fields) = (METRICS[turn % METRICS.len()], &fields[turn / 8 % fields.len()]);
            // Metrics of two texts refuse lists; a message must not leak either.
            let _ = call_field(metric, fields, OPTIONS);
            let _ = call_field(metric, fields, &OPTIONS[..turn % OPTIONS.len()]);
            turn += 1;
        });
    });
}

#[test]
fn many_calls_on_data_keep_no_memory() {
    alone("border::repetition::many_calls_on_data_keep_no_memory", || {
        let columns = columns();
        assert_flat(200, || {
            for &metric in METRICS {
                for columns in &columns {
                    drop(call(metric, columns));
                }
            }
        });
    });
}

#[test]
fn many_failing_calls_on_data_keep_no_memory() {
    alone("border::repetition::many_failing_calls_on_data_keep_no_memory", || {
        let columns = damaged_columns();
        assert_flat(200, || {
            for &metric in METRICS {
                for columns in &columns {
                    call(metric, columns).expect_err("an error");
                }
            }
        });
    });
}

#[test]
fn calls_of_several_threads_keep_no_memory() {
    alone("border::repetition::calls_of_several_threads_keep_no_memory", || {
        let rows = ["a", "a text outside its view", "b"].repeat(20_000);
        let columns = ["prediction", "answers"].map(|name| Column::text(name, [Array::texts(&rows)]));
        assert_flat(50, || drop(call(SCORE, &columns).expect("scores")));
    });
}

#[test]
fn confusions_of_many_groups_take_memory_for_what_they_count() {
    alone("border::repetition::confusions_of_many_groups_take_memory_for_what_they_count", || {
        const GROUPS: i64 = 50_000;
        let texts = |text| Array::texts(&vec![text; GROUPS as usize]);
        let columns = [
            Column::text("prediction", [texts("a b c d")]),
            Column::text("answers", [texts("a b x d")]),
            Column::new(Schema::new("groups", "L"), [Array::numbers(&(0..GROUPS).collect::<Vec<_>>())]),
        ];
        let before = BYTES.load(Ordering::Relaxed);
        drop(call(CONFUSION_COUNTS, &columns).expect("counts"));
        let taken = (PEAK.load(Ordering::Relaxed) - before) / GROUPS as isize;
        assert!(taken < 2048, "{taken} bytes a group");
    });
}

/// Large results stand beside the allocator, in memory that is kept for the next call.
#[cfg(target_os = "linux")]
#[test]
fn large_results_keep_as_much_as_one_of_them_takes() {
    fn kilobytes() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").expect("a status");
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("a size");
        size.trim().trim_end_matches(" kB").parse().expect("a number")
    }
    alone("border::repetition::large_results_keep_as_much_as_one_of_them_takes", || {
        let rows = ["a", "a text outside its view", "b"].repeat(150_000);
        let columns = ["prediction", "answers"].map(|name| Column::text(name, [Array::texts(&rows)]));
        let results = |calls| (0..calls).for_each(|_| drop(call(SCORE, &columns).expect("scores")));
        results(3);
        let before = kilobytes();
        results(25);
        // A column that is not given back takes 4 MiB a call; malloc and the sanitizer keep some memory as well.
        assert!(kilobytes() < before + (64 << 10), "{} kB more", kilobytes() - before);
    });
}
