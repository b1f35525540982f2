//! List columns as Polars sends them: the right values come back.

use super::harness::c::{NEAREST_ANSWER, NLS};
use super::harness::call::{call, floats};
use super::harness::describe::{Array, Column, Schema, inline_view};
use super::harness::read::Values;

const LONG: &str = "an answer that is longer than a view";

fn predictions(rows: usize) -> Column {
    Column::text("prediction", [Array::texts(&vec![LONG; rows])])
}

fn fixed(name: &str, width: usize, chunks: impl IntoIterator<Item = Array>) -> Column {
    Column::new(Schema::fixed(name, width, Schema::text("item")), chunks)
}

/// NLS of each row against [`LONG`].
#[track_caller]
fn assert_nls(answers: Column, expected: &[Option<f64>]) {
    assert_eq!(floats(NLS, predictions(expected.len()), answers).as_deref(), Ok(expected));
}

#[test]
fn the_best_answer_of_a_list_counts() {
    let entries = Array::texts(&["", LONG, "b", LONG, ""]).with_nulls(&[2]);
    let lists = || Array::list(&[0, 2, 2, 3, 4, 5], entries.clone());
    let expected = [Some(1.0), None, None, Some(1.0), Some(0.0)];
    assert_nls(Column::list("answers", [lists()]), &expected);
    assert_nls(Column::list("answers", [lists(), lists()]), &expected.repeat(2));
    let answers = Column::list("answers", [lists()]);
    let output = call(NEAREST_ANSWER, &[predictions(5), answers]).expect("scores");
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(output.values, Values::Text(vec![text(LONG), None, None, text(LONG), text("")]));
}

#[test]
fn lists_may_be_slices_of_slices() {
    let entries = Array::texts(&["x", "y", LONG, "", LONG, "z"]).with_nulls(&[3]).slice(1, 4);
    let lists = Array::list(&[1, 1, 2, 3, 4, 4], entries);
    let whole = [None, Some(1.0), None, Some(1.0), None];
    for offset in 0..=5 {
        for length in 0..=5 - offset {
            let slice = || lists.clone().slice(offset, length);
            let [start, end] = [offset, offset + length].map(|row| usize::try_from(row).expect("small"));
            let expected = &whole[start..end];
            assert_nls(Column::list("answers", [slice()]), expected);
            assert_nls(Column::list("answers", [slice(), slice()]), &expected.repeat(2));
        }
    }
}

#[test]
fn entries_outside_the_lists_are_not_read() {
    let invalid = inline_view(b"\xff");
    let entries = Array::views(&[invalid, inline_view(b"z"), u128::MAX, invalid], &[]);
    // The second list is null over an entry; the first and the last entry belong to no list.
    let lists = Array::list(&[1, 2, 3], entries).with_nulls(&[1]);
    assert_nls(Column::list("answers", [lists]), &[Some(0.0), None]);
}

#[test]
fn lists_of_fixed_width() {
    let entries = || Array::texts(&["", LONG, "", "z", LONG, LONG]).with_nulls(&[0]);
    let expected = [Some(1.0), Some(0.0), Some(1.0)];
    assert_nls(fixed("answers", 2, [Array::fixed(3, entries())]), &expected);
    let two = || Array::fixed(3, entries()).with_nulls(&[1]);
    assert_nls(fixed("answers", 2, [two()]), &[Some(1.0), None, Some(1.0)]);
    assert_nls(
        fixed("answers", 2, [two().slice(1, 2), two().slice(3, 0), two()]),
        &[None, Some(1.0), Some(1.0), None, Some(1.0)],
    );
    assert_nls(fixed("answers", 1, [Array::fixed(3, entries())]), &[None, Some(1.0), Some(0.0)]);
}

#[test]
fn lists_of_width_zero_have_no_answer() {
    let nothing = || Array::texts::<&str>(&[]);
    assert_nls(fixed("answers", 0, [Array::fixed(3, nothing())]), &[None; 3]);
    assert_nls(fixed("answers", 0, [Array::fixed(2, nothing()), Array::fixed(0, nothing())]), &[None; 2]);
}

#[test]
fn lists_of_nulls_have_no_answer() {
    let list = Column::new(
        Schema::list("answers", Schema::new("item", "n")),
        [Array::list(&[0, 0, 2], Array::null(2)), Array::list(&[0], Array::null(0))],
    );
    assert_nls(list, &[None; 2]);
    let entries = Schema::new("item", "n");
    let array = Column::new(Schema::fixed("answers", 2, entries), [Array::fixed(3, Array::null(6))]);
    assert_nls(array, &[None; 3]);
}

#[test]
fn lists_of_categories() {
    for (key, bytes) in [("C", 1), ("S", 2), ("I", 4)] {
        let entries = |values: &[&str]| Array::dictionary(bytes, &[1, 0, 0, 1], Array::texts(values));
        let schema = Schema::list("answers", Schema::categories("item", key));
        let chunks = [
            Array::list(&[0, 1, 3, 4], entries(&["z", LONG])),
            Array::list(&[0, 1, 3, 4], entries(&[LONG, ""])).slice(1, 2),
        ];
        assert_nls(Column::new(schema, chunks), &[Some(1.0), Some(0.0), Some(1.0), Some(1.0), Some(0.0)]);
        let schema = Schema::fixed("answers", 2, Schema::categories("item", key));
        assert_nls(Column::new(schema, [Array::fixed(2, entries(&["", LONG]))]), &[Some(1.0), Some(1.0)]);
    }
}

#[test]
fn one_list_stands_for_all_rows() {
    let list = |rows: &[&str]| {
        Column::list(
            "answers",
            [Array::list(&[0, i64::try_from(rows.len()).expect("small")], Array::texts(rows))],
        )
    };
    let scores = floats(NLS, Column::text("prediction", [Array::texts(&["a", "b", "c"])]), list(&["x", "b"]));
    assert_eq!(scores, Ok(vec![Some(0.0), Some(1.0), Some(0.0)]));
    let none = Column::text("prediction", [Array::texts::<&str>(&[])]);
    assert_eq!(floats(NLS, none, list(&["x"])), Ok(vec![]));
    // One prediction for several lists.
    let lists = Column::list("answers", [Array::list(&[0, 1, 1, 3], Array::texts(&["z", "x", LONG]))]);
    assert_eq!(floats(NLS, predictions(1), lists), Ok(vec![Some(0.0), None, Some(1.0)]));
}

#[test]
fn a_column_of_lists_may_have_no_rows() {
    let lists = Column::list("answers", [Array::list(&[0], Array::texts::<&str>(&[]))]);
    assert_eq!(floats(NLS, predictions(0), lists), Ok(vec![]));
    // Older producers give no offsets where there are no rows.
    let bare = Array { buffers: vec![None, None], ..Array::list(&[0], Array::texts::<&str>(&[])) };
    assert_eq!(floats(NLS, predictions(0), Column::list("answers", [bare])), Ok(vec![]));
}
