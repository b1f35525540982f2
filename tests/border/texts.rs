//! Texts that are not UTF-8: an error that names column and row wherever they stand, unless nobody reads them.

use super::harness::c::{METRICS, NLS};
use super::harness::call::{call, floats};
use super::harness::describe::{Array, Bytes, Column, Schema, inline_view, long_view};
use super::harness::read::Values;

/// Bytes that no UTF-8 text holds: stray and missing continuations, overlong forms, surrogates, code points
/// beyond U+10FFFF, bytes that never occur.
const INVALID: &[&[u8]] = &[
    b"\x80",
    b"\xbf",
    b"\xc3",
    b"\xc3(",
    b"\xc0\x80",
    b"\xc1\xbf",
    b"\xe0\x80\x80",
    b"\xe6\xbc",
    b"\xe6\xbc(",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xf0\x80\x80\x80",
    b"\xf0\x9d\x84",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xfe",
    b"\xff",
    b"\xff\xff\xff\xff",
];

/// Texts around an invalid part: at the start, at the end and inside, in a view and outside.
fn invalid_texts() -> impl Iterator<Item = Vec<u8>> {
    let around: [(&[u8], &[u8]); 8] = [
        (b"", b""),
        (b"ab", b""),
        (b"", b"ab"),
        (b"12345678", b""),
        ("é".as_bytes(), "é".as_bytes()),
        (b"a text that is longer than a view ", b""),
        (b"", b" a text that is longer than a view"),
        ("漢字漢字漢字 ".as_bytes(), " 漢字".as_bytes()),
    ];
    let texts = INVALID
        .iter()
        .flat_map(move |invalid| around.map(|(before, after)| [before, invalid, after].concat()));
    texts.inspect(|text| assert!(std::str::from_utf8(text).is_err()))
}

fn others(rows: usize) -> Column {
    Column::text("other", [Array::texts(&vec!["ok"; rows])])
}

#[track_caller]
fn assert_names_row(outcome: Result<Vec<Option<f64>>, String>, column: &str, row: usize, rows: usize) {
    let message = outcome.expect_err("invalid UTF-8");
    let place = format!("column '{column}', row {row} (counted from 0, of {rows} rows in this batch)");
    assert!(message.contains(&place) && message.contains("UTF-8"), "{message}");
}

#[test]
fn invalid_texts_are_named_on_either_side() {
    for text in invalid_texts() {
        let rows: [&[u8]; 4] = [b"ok", "gültig, und länger".as_bytes(), &text, b"ok"];
        let column = || Column::text("bad", [Array::texts(&rows)]);
        assert_names_row(floats(NLS, column(), others(4)), "bad", 2, 4);
        assert_names_row(floats(NLS, others(4), column()), "bad", 2, 4);
        // The row is counted through the chunks.
        let chunks = || [Array::texts(&["ok"; 3]), Array::texts(&rows), Array::texts(&rows)];
        assert_names_row(floats(NLS, Column::text("bad", chunks()), others(11)), "bad", 5, 11);
        let slices = [Array::texts(&["ok"]), Array::texts(&rows).slice(1, 2)];
        assert_names_row(floats(NLS, others(3), Column::text("bad", slices)), "bad", 2, 3);
    }
}

#[test]
fn invalid_texts_are_named_among_many_beyond_ascii() {
    // Texts are checked 64 at a time; some of them stand in their views, others in a buffer.
    let valid =
        ["é", "zwölf Byte é", "gültig, und länger", "漢字", "漢字漢字漢字", "ASCII", "ASCII, and longer", ""];
    for text in invalid_texts() {
        for row in [0, 62, 63, 64, 127, 129] {
            let mut rows: Vec<&[u8]> = valid.iter().map(|text| text.as_bytes()).cycle().take(130).collect();
            let scores = floats(NLS, Column::text("good", [Array::texts(&rows)]), others(130));
            assert!(scores.is_ok_and(|scores| scores.iter().all(Option::is_some)));
            rows[row] = &text;
            let column = || Column::text("bad", [Array::texts(&rows)]);
            assert_names_row(floats(NLS, column(), others(130)), "bad", row, 130);
            // Behind it a text that would go on with its last character.
            rows[(row + 1) % 130] = "\u{80}".as_bytes();
            let lists = Column::list("bad", [Array::list(&[0, 130], Array::texts(&rows))]);
            assert_names_row(floats(NLS, others(1), lists), "bad", 0, 1);
        }
    }
}

#[test]
fn texts_in_several_buffers_are_checked_in_their_own() {
    let buffers =
        ["only ASCII stands in here", "ändern muß sich nichts", "漢字漢字漢字漢字"].map(str::as_bytes);
    let lengths = buffers.map(<[u8]>::len);
    for row in [0, 1, 2, 63, 64, 65, 199] {
        // The texts point to the buffers in turn, or 67 to each. One of them stands in its view.
        for number_of in [|row: u32| row % 3, |row: u32| row / 67 % 3] {
            let whole = |row| long_view(lengths[number_of(row) as usize], number_of(row), 0);
            let mut views: Vec<_> = (0..200).map(whole).collect();
            views[row.max(1) - 1] = inline_view("é".as_bytes());
            let score =
                |views: &[_]| floats(NLS, others(200), Column::text("bad", [Array::views(views, &buffers)]));
            assert!(score(&views).is_ok());
            for number in [1, 2] {
                // The first character is cut.
                views[row] = long_view(15, number, 1);
                assert_names_row(score(&views), "bad", row, 200);
            }
            for (length, number) in [(lengths[0] + 1, 0), (13, 3)] {
                views[row] = long_view(length, number, 0);
                let message = score(&views).expect_err("outside");
                assert!(message.contains(&format!("column 'bad', row {row} ")), "{message}");
                assert!(message.contains("outside its buffer"), "{message}");
            }
        }
    }
}

#[test]
fn invalid_texts_are_named_by_every_metric() {
    for &metric in METRICS {
        for text in [&b"\xff"[..], b"\xff and longer than a view"] {
            let bad = || Column::text("bad", [Array::texts(&[b"ok", text])]);
            for columns in [[bad(), others(2)], [others(2), bad()], [bad(), others(1)], [others(1), bad()]] {
                let message = call(metric, &columns).expect_err("invalid UTF-8");
                assert!(message.contains("column 'bad', row 1"), "{message}");
            }
        }
    }
}

#[test]
fn an_invalid_literal_is_named_even_against_no_rows() {
    let literal = || Column::text("bad", [Array::texts(&[b"\xff"])]);
    assert_names_row(floats(NLS, literal(), others(3)), "bad", 0, 1);
    assert_names_row(floats(NLS, others(3), literal()), "bad", 0, 1);
    assert_names_row(floats(NLS, others(0), literal()), "bad", 0, 1);
}

#[test]
fn invalid_texts_are_named_in_lists() {
    for text in invalid_texts() {
        let entries = || Array::texts(&[&b"ok"[..], b"", &text, b"ok"]);
        let lists = || Array::list(&[0, 1, 3, 4], entries());
        assert_names_row(floats(NLS, others(3), Column::list("bad", [lists()])), "bad", 1, 3);
        let chunks = [lists().slice(0, 1), lists().slice(2, 1), lists()];
        assert_names_row(floats(NLS, others(5), Column::list("bad", chunks)), "bad", 3, 5);
        let schema = Schema::fixed("bad", 2, Schema::text("item"));
        let fixed = Column::new(schema, [Array::fixed(2, entries())]);
        assert_names_row(floats(NLS, others(2), fixed), "bad", 1, 2);
    }
}

#[test]
fn invalid_texts_in_a_dictionary_are_named_where_they_are_used() {
    for text in invalid_texts() {
        let values = || Array::texts(&[b"ok", text.as_slice()]);
        for (key, bytes) in [("C", 1), ("S", 2), ("I", 4)] {
            let column = |keys| {
                let chunk = Array::dictionary(bytes, keys, values());
                Column::new(Schema::categories("bad", key), [chunk])
            };
            assert_names_row(floats(NLS, column(&[0, 0, 1]), others(3)), "bad", 2, 3);
            assert_names_row(floats(NLS, others(3), column(&[0, 1, 1])), "bad", 1, 3);
            assert_eq!(floats(NLS, column(&[0, 0, 0]), others(3)), Ok(vec![Some(1.0); 3]));
            let null = Array::dictionary(bytes, &[0, 1], values()).with_nulls(&[1]);
            let null = Column::new(Schema::categories("bad", key), [null]);
            assert_eq!(floats(NLS, null, others(2)), Ok(vec![Some(1.0), None]));
        }
        let schema = Schema::list("bad", Schema::categories("item", "I"));
        let lists = Array::list(&[0, 1, 3], Array::dictionary(4, &[0, 0, 1], values()));
        assert_names_row(floats(NLS, others(2), Column::new(schema, [lists])), "bad", 1, 2);
    }
}

#[test]
fn invalid_texts_that_nobody_reads_do_no_harm() {
    for text in invalid_texts() {
        let rows = Array::texts(&[b"ok", text.as_slice(), b"ok"]);
        let expected = [Some(1.0), None, Some(1.0)];
        let null = Column::text("bad", [rows.clone().with_nulls(&[1])]);
        assert_eq!(floats(NLS, null, others(3)).as_deref(), Ok(&expected[..]));
        let slices = [rows.clone().slice(0, 1), rows.clone().slice(2, 1)];
        assert_eq!(floats(NLS, Column::text("bad", slices), others(2)), Ok(vec![Some(1.0); 2]));
        let lists = Array::list(&[0, 1, 2, 3], rows.clone()).with_nulls(&[1]);
        assert_eq!(floats(NLS, others(3), Column::list("bad", [lists])).as_deref(), Ok(&expected[..]));
        let lists = Array::list(&[0, 1, 2, 3], rows.with_nulls(&[1]));
        assert_eq!(floats(NLS, others(3), Column::list("bad", [lists])).as_deref(), Ok(&expected[..]));
    }
}

#[test]
fn a_character_cut_by_its_view_is_invalid() {
    let text = "sechzehn Zeichen: é und einige mehr";
    let accent = text.find('é').expect("is there");
    let score = |length, offset| {
        let chunk = Array::views(&[inline_view(b"ok"), long_view(length, 0, offset)], &[text.as_bytes()]);
        floats(NLS, others(2), Column::text("bad", [chunk]))
    };
    assert!(score(accent, 0).is_ok() && score(accent + 2, 0).is_ok());
    assert_names_row(score(accent + 1, 0), "bad", 1, 2);
    assert_names_row(score(13, accent + 1), "bad", 1, 2);
    assert_names_row(
        floats(NLS, others(1), Column::text("bad", [one("abcdefghijk".as_bytes(), b"\xc3")])),
        "bad",
        0,
        1,
    );
}

fn one(start: &[u8], end: &[u8]) -> Array {
    Array::texts(&[[start, end].concat()])
}

#[test]
fn a_character_cut_by_the_end_of_the_buffer_is_invalid() {
    let whole = "a text that ends in é".as_bytes();
    let cut = &whole[..whole.len() - 1];
    assert_names_row(floats(NLS, others(1), Column::text("bad", [one(cut, b"")])), "bad", 0, 1);
    // The rest of the character lies in memory, behind what the buffer is said to hold.
    let mut chunk = one(whole, b"");
    chunk.buffers[3] = Some(Bytes::longs(&[i64::try_from(cut.len()).expect("small")]));
    let message = floats(NLS, others(1), Column::text("bad", [chunk])).expect_err("outside");
    assert!(message.contains("column 'bad', row 0") && message.contains("outside its buffer"), "{message}");
    // Two buffers that hold one character between them.
    let chunk = Array::views(&[long_view(cut.len(), 0, 0)], &[cut, b"\xa9"]);
    assert_names_row(floats(NLS, others(1), Column::text("bad", [chunk])), "bad", 0, 1);
}

#[test]
fn characters_of_every_length_are_valid() {
    for text in [
        "\0",
        "\u{7f}",
        "\u{80}",
        "\u{7ff}",
        "\u{800}",
        "\u{d7ff}",
        "\u{e000}",
        "\u{ffff}",
        "\u{10000}",
        "\u{10ffff}",
    ] {
        for repeated in 1..=14 {
            let text = text.repeat(repeated);
            let column = |name| Column::text(name, [Array::texts(&[&text])]);
            let output = call(super::harness::c::NEAREST_ANSWER, &[column("a"), column("b")]);
            assert_eq!(output.expect("valid").values, Values::Text(vec![Some(text.clone())]));
        }
    }
}
