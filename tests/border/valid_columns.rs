//! Text columns as Polars sends them: the right values come back.

use super::harness::c::{
    _polars_plugin_get_version, ACCURACIES, ANLS, CER, CONFUSION_COUNTS, CONTAINS_ANSWER, CORRECTIONS,
    COUNTING, EDIT_OPS, ERROR_TYPE, EXACT_MATCH, HAMMING, LEVENSHTEIN, METRICS, NEAREST_ANSWER, NLS,
    RELAXED_ACCURACY, SCORE, SCORE_DETAILS, TELLING, TEXT_KIND, UNWRAP, UNWRAPPING, VQA_ACCURACY,
};
use super::harness::call::{call, call_field, call_with, floats};
use super::harness::describe::{Array, Column, Schema, inline_view, long_view};
use super::harness::options::{CONTAINMENT, OPTIONS, RELAXED, UNWRAPPING as UNWRAPPING_OPTIONS, VQA};
use super::harness::read::Values;

/// 13 bytes, the shortest text that does not fit into a view.
const LONG: &str = "thirteen byte";
/// Three edits from it.
const LONGER: &str = "thirteen bytes..";

fn prediction(chunks: impl IntoIterator<Item = Array>) -> Column {
    Column::text("prediction", chunks)
}

fn answers(chunks: impl IntoIterator<Item = Array>) -> Column {
    Column::text("answers", chunks)
}

#[track_caller]
fn assert_nls(prediction: Column, answers: Column, expected: &[Option<f64>]) {
    assert_eq!(floats(NLS, prediction, answers).as_deref(), Ok(expected));
}

#[test]
fn the_interface_has_version_0_1() {
    // SAFETY: takes nothing, returns a number.
    assert_eq!(unsafe { _polars_plugin_get_version() }, 1);
}

#[test]
fn every_exported_metric_is_driven() {
    let sources = [
        include_str!("../../src/plugin/expressions.rs"),
        include_str!("../../src/plugin/alignments.rs"),
        include_str!("../../src/plugin/gec/mod.rs"),
        include_str!("../../src/plugin/scorers.rs"),
        include_str!("../../src/plugin/text_kind.rs"),
        include_str!("../../src/plugin/unwrap.rs"),
    ];
    let exported = sources.iter().flat_map(|source| source.split("_polars_plugin_field_").skip(1));
    let exported: Vec<_> = exported.filter_map(|rest| rest.split_once(',')).map(|(name, _)| name).collect();
    let driven = [METRICS, COUNTING, CORRECTIONS, ACCURACIES, TELLING, UNWRAPPING].concat();
    assert_eq!(exported, driven.iter().map(|metric| metric.name).collect::<Vec<_>>());
}

#[test]
fn scores_of_benchmarks_and_unwrapping_take_columns_of_text() {
    let texts = ["42", "b", LONG];
    let columns = || [prediction([Array::texts(&texts).with_nulls(&[1])]), answers([Array::texts(&texts)])];
    for (metric, options, right) in
        [(RELAXED_ACCURACY, RELAXED, 1.0), (CONTAINS_ANSWER, CONTAINMENT, 1.0), (VQA_ACCURACY, VQA, 0.0)]
    {
        let scores = call_with(metric, &columns(), options).expect("valid columns").values;
        assert_eq!(scores, Values::Float(vec![Some(right), None, Some(right)]));
        assert!(call_with(metric, &columns(), OPTIONS).is_err(), "the options of another function");
    }
    let wrapped = prediction([Array::texts(&["Answer: 42"])]);
    let Ok(output) = call_with(UNWRAP, &[wrapped], UNWRAPPING_OPTIONS) else { panic!("a valid column") };
    assert_eq!(output.values.of("text"), &Values::Text(vec![Some("42".into())]));
    assert_eq!(output.values.of("steps"), &Values::Text(vec![Some("marker".into())]));
}

#[test]
fn kinds_of_texts_are_numbers() {
    let texts = prediction([Array::texts(&["42", " ", "N/A", "['thirteen']", "x"]).with_nulls(&[4])]);
    let Ok(output) = call(TEXT_KIND, &[texts]) else { panic!("a valid column") };
    assert_eq!(output.values, Values::Unsigned(vec![Some(0), Some(1), Some(2), Some(3), None]));
}

#[test]
fn texts_inside_and_outside_their_views() {
    let left = ["", "a", "twelve bytes", LONG, LONG, "é", "漢字"];
    let right = ["", "b", "twelve bytes", LONG, LONGER, "è", "漢語"];
    assert_nls(
        prediction([Array::texts(&left)]),
        answers([Array::texts(&right)]),
        &[Some(1.0), Some(0.0), Some(1.0), Some(1.0), Some(0.8125), Some(0.0), Some(0.5)],
    );
}

#[test]
fn chunks_cut_differently_on_each_side() {
    let rows = ["a", LONG, "ab", LONGER, "", "twelve bytes"];
    for left_cut in 0..=rows.len() {
        for right_cut in 0..=rows.len() {
            let chunks = |cut: usize| [&rows[..cut], &[], &rows[cut..]].map(Array::texts);
            assert_nls(prediction(chunks(left_cut)), answers(chunks(right_cut)), &[Some(1.0); 6]);
        }
    }
}

#[test]
fn a_thousand_chunks_cut_differently_on_each_side() {
    // Chunks of 0 to 3 rows against chunks of 0 to 5, each a slice of a longer array.
    let rows = ["a", LONG, "ab", LONGER, "", "twelve bytes", "é", "漢字"];
    let whole: Vec<&str> = rows.repeat(250);
    let chunks = |longest: usize| {
        let mut chunks = Vec::new();
        let mut start = 0;
        for number in 0.. {
            let end = (start + number * 7 % (longest + 1)).min(whole.len());
            // One row before and one after, which the slice leaves out.
            let around =
                Array::texts(&[&["x"], &whole[start..end], &["a text that is not asked for"]].concat());
            chunks.push(around.slice(1, i64::try_from(end - start).expect("small")));
            start = end;
            if end == whole.len() {
                break;
            }
        }
        chunks
    };
    let (left, right) = (chunks(3), chunks(5));
    assert!(left.len() > 1_000 && right.len() > 700, "{} and {} chunks", left.len(), right.len());
    assert_nls(prediction(left.clone()), answers(right.clone()), &vec![Some(1.0); 2_000]);
    // Row by row, with rows that differ.
    let shifted: Vec<&str> = whole[1..].iter().chain(&whole[..1]).copied().collect();
    let expected = floats(NLS, prediction([Array::texts(&shifted)]), answers([Array::texts(&whole)]));
    assert_eq!(floats(NLS, prediction([Array::texts(&shifted)]), answers(right)), expected);
    assert_eq!(
        floats(NLS, answers(left), prediction([Array::texts(&shifted)])),
        expected,
        "symmetric, so the sides may change places"
    );
}

#[test]
fn a_chunk_may_have_several_text_buffers() {
    let buffers: [&[u8]; 3] = [b"..", b"thirteen bytes..", b"-thirteen byte-"];
    let left = Array::views(&[long_view(13, 1, 0), long_view(13, 2, 1), long_view(16, 1, 0)], &buffers);
    let right =
        Array::views(&[long_view(13, 0, 0), inline_view(b"x"), long_view(13, 0, 0)], &[b"thirteen byte"]);
    let expected = [Some(1.0), Some(0.0), Some(0.8125)];
    assert_nls(prediction([left.clone()]), answers([right.clone()]), &expected);
    let twice = expected.repeat(2);
    assert_nls(prediction([left.clone(), left]), answers([right.clone(), right]), &twice);
}

#[test]
fn no_chunks_and_empty_chunks_are_no_rows() {
    let empty = || Array::texts::<&str>(&[]);
    assert_nls(prediction([]), answers([]), &[]);
    assert_nls(prediction([]), answers([empty(), empty()]), &[]);
    assert_nls(prediction([empty()]), Column::new(Schema::new("answers", "n"), [Array::null(0)]), &[]);
}

#[test]
fn a_slice_of_no_rows_may_lie_anywhere() {
    let nothing = || Array::texts(&["a", LONG, "b"]).with_nulls(&[1]).slice(2, 0);
    assert_nls(prediction([nothing()]), answers([nothing()]), &[]);
    let row = || Array::texts(&[LONG]);
    assert_nls(prediction([nothing(), row(), nothing()]), answers([row()]), &[Some(1.0)]);
}

#[test]
fn slices_move_values_and_validity() {
    let letters: Vec<String> = ('a'..='z').map(|letter| letter.to_string().repeat(13)).collect();
    let whole = Array::texts(&letters).with_nulls(&[3, 8, 9, 17]);
    for (offset, length) in [(0, 26), (1, 3), (7, 12), (8, 8), (16, 10), (25, 1)] {
        let slice = || whole.clone().slice(offset, length);
        let value = |row| (![3, 8, 9, 17].contains(&row)).then_some(1.0);
        let expected: Vec<_> = (offset..offset + length).map(value).collect();
        assert_nls(prediction([slice()]), answers([slice()]), &expected);
        let twice = expected.repeat(2);
        assert_nls(prediction([slice(), slice()]), answers([slice(), slice()]), &twice);
    }
}

#[test]
fn null_rows_may_hold_any_bytes() {
    let garbage = [u128::MAX, long_view(13, u32::MAX, 0), inline_view(&[0xff; 12]), inline_view(b"a")];
    let chunk = || Array::views(&garbage, &[LONG.as_bytes()]).with_nulls(&[0, 1, 2]);
    let expected = [None, None, None, Some(1.0)];
    assert_nls(prediction([chunk()]), answers([chunk()]), &expected);
    assert_nls(prediction([chunk(), chunk()]), answers([chunk(), chunk()]), &expected.repeat(2));
}

#[test]
fn bytes_behind_a_short_text_do_not_count() {
    let padded = inline_view(b"ab") | u128::MAX << 48;
    assert_nls(prediction([Array::views(&[padded], &[])]), answers([Array::texts(&["ab"])]), &[Some(1.0)]);
}

#[test]
fn categories_have_keys_of_each_width() {
    for (key, bytes) in [("C", 1), ("S", 2), ("I", 4)] {
        let values = || Array::texts(&["a", LONG, LONGER]).with_nulls(&[0]);
        let keys = || Array::dictionary(bytes, &[2, 1, 0, 2, 200], values()).with_nulls(&[4]);
        let column = |name, chunks: Vec<Array>| Column::new(Schema::categories(name, key), chunks);
        let expected = [Some(1.0), Some(1.0), None, Some(1.0), None];
        assert_nls(column("prediction", vec![keys()]), column("answers", vec![keys()]), &expected);
        // Dictionaries differ from chunk to chunk.
        let reordered = Array::dictionary(bytes, &[1, 0], Array::texts(&[LONG, LONGER]));
        let sliced = keys().slice(1, 3);
        let chunks = vec![reordered, sliced, keys()];
        let texts = Array::texts(&[LONGER, LONG, LONG, "", LONGER, LONGER, LONGER, "", LONGER, ""]);
        assert_nls(
            column("prediction", chunks),
            answers([texts]),
            &[
                Some(1.0),
                Some(1.0),
                Some(1.0),
                None,
                Some(1.0),
                Some(1.0),
                Some(0.8125),
                None,
                Some(1.0),
                None,
            ],
        );
    }
}

#[test]
fn a_dictionary_may_be_a_slice() {
    let values = Array::texts(&["x", LONG, "y"]).slice(1, 2);
    let keys = Array::dictionary(4, &[0, 1], values);
    let column = Column::new(Schema::categories("prediction", "I"), [keys]);
    assert_nls(column, answers([Array::texts(&[LONG, "y"])]), &[Some(1.0), Some(1.0)]);
}

#[test]
fn nulls_without_a_dtype_give_nulls() {
    let null = |name: &str, rows| Column::new(Schema::new(name, "n"), [Array::null(rows), Array::null(1)]);
    let texts = || Array::texts(&["a", "b", "c"]);
    assert_nls(null("prediction", 2), answers([texts()]), &[None; 3]);
    assert_nls(prediction([texts()]), null("answers", 2), &[None; 3]);
    assert_nls(null("prediction", 2), null("answers", 2), &[None; 3]);
    // The specification knows no buffer here.
    let bare = Array { buffers: vec![], ..Array::null(3) };
    assert_nls(Column::new(Schema::new("prediction", "n"), [bare]), answers([texts()]), &[None; 3]);
}

#[test]
fn one_row_stands_for_all() {
    let rows = || Array::texts(&["a", LONG, "b"]).with_nulls(&[2]);
    let literal = || Array::texts(&[LONG]);
    assert_nls(prediction([literal()]), answers([rows()]), &[Some(0.0), Some(1.0), None]);
    assert_nls(prediction([rows()]), answers([literal()]), &[Some(0.0), Some(1.0), None]);
    let null = || Column::new(Schema::new("literal", "n"), [Array::null(1)]);
    assert_nls(prediction([rows()]), null(), &[None; 3]);
    assert_nls(null(), answers([rows()]), &[None; 3]);
}

#[test]
fn one_row_against_none_gives_none() {
    let none = || Array::texts::<&str>(&[]);
    let literal = || Array::texts(&["a"]);
    assert_nls(prediction([literal()]), answers([none()]), &[]);
    assert_nls(prediction([none()]), answers([literal()]), &[]);
    assert_nls(prediction([none()]), answers([none()]), &[]);
}

#[test]
fn every_metric_returns_the_field_it_announced() {
    let columns = || {
        let left = Array::texts(&["kitten", "", LONG, "x"]).with_nulls(&[3]);
        let right = Array::texts(&["sitten", "ab", LONG, "x"]);
        [prediction([left]), answers([right])]
    };
    for &metric in METRICS {
        let output = call(metric, &columns()).expect("scores");
        let fields = columns().map(|column| column.schema);
        assert_eq!(call_field(metric, &fields, OPTIONS).as_ref(), Ok(&output.field), "{}", metric.name);
        assert_eq!(output.field.name, metric.name);
    }
    let values = |metric| call(metric, &columns()).expect("scores").values;
    let [nls, anls, cer] = [
        [Some(1.0 - 1.0 / 6.0), Some(0.0), Some(1.0), None],
        [Some(1.0 - 1.0 / 6.0), Some(0.0), Some(1.0), None],
        [Some(1.0 / 6.0), Some(1.0), Some(0.0), None],
    ]
    .map(|values| Values::Float(values.to_vec()));
    let distances = Values::Signed(vec![Some(1), Some(2), Some(0), None]);
    let exact = Values::Boolean(vec![Some(false), Some(false), Some(true), None]);
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(values(LEVENSHTEIN), distances);
    assert_eq!(values(HAMMING), Values::Signed(vec![Some(1), None, Some(0), None]));
    assert_eq!([values(NLS), values(ANLS), values(CER)], [nls.clone(), anls.clone(), cer.clone()]);
    assert_eq!(values(EXACT_MATCH), exact);
    assert_eq!(values(NEAREST_ANSWER), Values::Text(vec![text("sitten"), text("ab"), text(LONG), None]));
    for score in [values(SCORE), values(SCORE_DETAILS)] {
        let of = |name| score.of(name).clone();
        let floats = [nls.clone(), anls.clone(), cer.clone()];
        assert_eq!([of("nls"), of("anls"), of("cer")], floats);
        assert_eq!((of("exact_match"), of("char_errors")), (exact.clone(), distances.clone()));
        assert_eq!(of("reference_length"), Values::Signed(vec![Some(6), Some(2), Some(13), None]));
    }
}

#[test]
fn edits_come_as_lists() {
    let columns = || {
        let left = Array::texts(&["cat", "", "a"]).with_nulls(&[1]);
        [prediction([left]), answers([Array::texts(&["cafe", "a", "a"])])]
    };
    let Values::List(lengths, edits) = call(EDIT_OPS, &columns()).unwrap().values else { panic!("no lists") };
    assert_eq!(lengths, [Some(2), None, Some(0)]);
    assert_eq!(*edits.of("reference_pos"), Values::Signed(vec![Some(2), Some(3)]));
    let letter = |letter: &str| Some(letter.to_owned());
    assert_eq!(*edits.of("reference_char"), Values::Text(vec![letter("f"), letter("e")]));
    assert_eq!(*edits.of("predicted_char"), Values::Text(vec![letter("t"), None]));
    let types = call(ERROR_TYPE, &columns()).unwrap().values;
    assert_eq!(types, Values::Unsigned(vec![Some(11), Some(0), Some(3)]));
}

#[test]
fn counts_stand_in_the_first_row_of_their_group() {
    let left = prediction([Array::texts(&["ab", "a", "x"])]);
    let right = answers([Array::texts(&["aa", "a", "y"])]);
    let groups = |groups: &[i64]| Column::new(Schema::new("groups", "L"), [Array::numbers(groups)]);
    let counted = |column| {
        let columns = [left.clone(), right.clone(), column];
        let Values::List(lengths, counts) = call(CONFUSION_COUNTS, &columns).unwrap().values else {
            panic!("no lists")
        };
        let Values::Signed(counts) = counts.of("count").clone() else { panic!("no counts") };
        (lengths, counts.into_iter().flatten().sum::<i64>())
    };
    // Two replacements, three rows, and the characters of the references: a a a y.
    assert_eq!(counted(groups(&[7, 7, 8])), (vec![Some(3), Some(0), Some(3)], 2 + 3 + 4));
    assert_eq!(counted(groups(&[7])).0, [Some(5), Some(0), Some(0)]);
    let wrong = call(CONFUSION_COUNTS, &[left.clone(), right.clone(), left.clone()]).unwrap_err();
    assert!(wrong.contains("groups are UInt64"), "{wrong}");
}
