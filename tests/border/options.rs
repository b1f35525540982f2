//! Keyword arguments that the Python package does not send.

use super::harness::c::{ANLS, METRICS, Metric, NLS};
use super::harness::call::{call_field, call_with, last_error};
use super::harness::describe::{Array, Column, Schema};
use super::harness::options::{OPTIONS, PICKLES};
use super::harness::read::Values;

/// The messages of the schema call and the call on data, which must both fail, or `None` where both succeed.
#[track_caller]
fn messages(metric: Metric, kwargs: &[u8]) -> Option<[String; 2]> {
    let column = |name| Column::text(name, [Array::texts(&["a", "a text outside its view"])]);
    let data = call_with(metric, &[column("prediction"), column("answers")], kwargs);
    let field = call_field(metric, &[Schema::text("prediction"), Schema::text("answers")], kwargs);
    assert_eq!(data.is_ok(), field.is_ok(), "{data:?} {field:?}");
    Some([field.err()?, data.err()?])
}

#[track_caller]
fn assert_refused(kwargs: &[u8]) {
    for &metric in METRICS {
        for message in messages(metric, kwargs).expect("an error") {
            assert!(message.contains("options of the expression"), "{message}");
        }
    }
}

fn replaced(from: &[u8], to: &[u8]) -> Vec<u8> {
    let start = OPTIONS.windows(from.len()).position(|window| window == from).expect("a part of the options");
    [&OPTIONS[..start], to, &OPTIONS[start + from.len()..]].concat()
}

#[test]
fn every_pickle_protocol_is_read() {
    for pickle in PICKLES {
        for &metric in METRICS {
            assert_eq!(messages(metric, pickle), None, "{}", metric.name);
        }
    }
}

#[test]
fn options_that_take_turns_stay_apart() {
    // More of them than a thread remembers.
    for step in (0..=20).chain((0..=20).rev()) {
        let threshold = f64::from(step) / 20.0;
        let kwargs = replaced(&0.5_f64.to_be_bytes(), &threshold.to_be_bytes());
        let columns = ["abcd", "abxy"].map(|text| Column::text(text, [Array::texts(&[text])]));
        let expected = Values::Float(vec![Some(if threshold <= 0.5 { 0.5 } else { 0.0 })]);
        assert_eq!(call_with(ANLS, &columns, &kwargs).expect("scores").values, expected);
    }
}

#[test]
fn pickles_of_something_else_are_refused() {
    let others: &[&[u8]] = &[
        b"",
        b"\0",
        b".",
        b"garbage",
        b"\x80\x05.",
        b"\x80\x05N.",
        b"\x80\x05K\x01.",
        b"\x80\x05\x8c\x03abc.",
        b"\x80\x05}\x94.",
        b"\x80\x05]\x94.",
        b"\x80\x05)\x94.",
        b"\x80\x05}\x94}\x94s.",
        b"\x80\x05]\x94h\x00a.",
        b"\x80\x05}\x94\x8c\x08protocol\x94h\x00s.",
        b"\x80\x05\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.",
        b"\x80\xffN.",
        b"((((((((",
        b"\x80\x05\x95\xff\xff\xff\xff\xff\xff\xff\xff}.",
        b"\x80\x05B\xff\xff\xff\xff",
        b"\x80\x05\x8e\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x80\x05\x8b\xff\xff\xff\x7f",
        b"\x80\x05\x8b\x00\x00\x00\x80",
        b"{\"protocol\": \"anls\"}",
    ];
    for pickle in others {
        assert_refused(pickle);
    }
}

#[test]
fn nesting_of_any_depth_is_refused() {
    for depth in [100, 8_000, 100_000, 10_000_000] {
        assert_refused(&[b"\x80\x05N", vec![0x85; depth].as_slice(), b"."].concat());
        assert_refused(&vec![b'('; depth]);
    }
}

#[test]
fn missing_unknown_and_mistyped_fields_are_refused() {
    for (from, to) in [
        ("protocol", "protokol"),
        ("threshold", "threshole"),
        ("ignore_case", "ignore_cafe"),
        ("whitespace", "whitespice"),
        ("unicode_form", "unicode_from"),
        ("length", "lenght"),
        ("cut", "cot"),
        ("unit", "unot"),
        ("words", "wards"),
        ("equivalences", "equivalenced"),
        ("codepoint", "codepaint"),
        ("squeeze", "squeese"),
        ("prepared", "unprepar"),
        ("similarity", "dissimilar"),
    ] {
        assert_refused(&replaced(from.as_bytes(), to.as_bytes()));
    }
    // Numbers where the fields take others: cost -1 and 0.5, threshold as a text, case as a number.
    assert_refused(&replaced(b"K\x01", b"J\xff\xff\xff\xff"));
    assert_refused(&replaced(b"K\x01", b"G?\xe0\0\0\0\0\0\0"));
    assert_refused(&replaced(b"G?\xe0\0\0\0\0\0\0", b"\x8c\x030.5"));
    assert_refused(&replaced(b"\x88", b"K\x01"));
    assert_refused(&replaced(b"\x8c\x02==", b"K\x01"));
    assert_refused(&replaced(b"K\x01", b"\x8a\x0a\0\0\0\0\0\0\0\0\0\x01"));
}

#[test]
fn options_cut_anywhere_are_refused() {
    for end in 0..OPTIONS.len() {
        let messages = messages(NLS, &OPTIONS[..end]).expect("an error");
        assert!(messages[1].contains("options of the expression"), "{messages:?}");
    }
    for tail in [&b"\0"[..], b".", OPTIONS] {
        assert_refused(&[OPTIONS, tail].concat());
    }
}

#[test]
fn options_with_one_byte_changed_do_no_harm() {
    for position in 0..OPTIONS.len() {
        for byte in [0, 1, b'.', b'(', b'N', b'}', b's', 0x7f, 0x80, 0x94, 0xff, OPTIONS[position] ^ 1] {
            let mut kwargs = OPTIONS.to_vec();
            kwargs[position] = byte;
            // A value or a message; `messages` checks the rest.
            messages(NLS, &kwargs);
        }
    }
}

#[test]
fn a_null_pointer_is_no_options() {
    for &metric in METRICS {
        for length in [0, 10] {
            let mut result = super::harness::c::CSchema::EMPTY;
            // SAFETY: the arguments of a schema call, without fields and without keyword arguments.
            unsafe { (metric.field)(std::ptr::null(), 0, &raw mut result, std::ptr::null(), length) };
            assert!(result.private_data.is_null());
            assert!(last_error().contains("options of the expression"), "{}", last_error());
        }
    }
}
