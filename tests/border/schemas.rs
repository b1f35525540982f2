//! Schemas that no producer should send, in the schema call and in the call on data.

use super::harness::c::{LEVENSHTEIN, NLS};
use super::harness::call::{call, call_field, floats};
use super::harness::describe::{Array, Column, Fault, Schema};
use super::harness::options::OPTIONS;

/// Format strings that name no texts, those of 32-bit lists and texts among them: Polars sends neither.
const FOREIGN_FORMATS: &[&[u8]] = &[
    b"",
    b"b",
    b"c",
    b"C",
    b"s",
    b"S",
    b"i",
    b"I",
    b"l",
    b"L",
    b"e",
    b"f",
    b"g",
    b"z",
    b"Z",
    b"vz",
    b"u",
    b"U",
    b"d:10,2",
    b"d:",
    b"w:8",
    b"w:16",
    b"w:",
    b"tdD",
    b"tdm",
    b"tts",
    b"ttn",
    b"tsm:",
    b"tsm:UTC",
    b"ts",
    b"tDu",
    b"tiM",
    b"+s",
    b"+m",
    b"+l",
    b"+vl",
    b"+vL",
    b"+r",
    b"+ud:0,1",
    b"+us:",
    b"_pli128",
    b"_plu128",
    b"v",
    b"vuu",
    b"+",
    b"+L+L",
    b" vu",
    b"nn",
    b"\x01",
    b"\xe6\xbc\xa2",
    b"'; drop table",
    b"%s%n",
];

/// Formats that cannot be read at all.
const BAD_FORMATS: &[&[u8]] =
    &[b"\xff", b"vu\x80", b"+w:", b"+w:-1", b"+w:x", b"+w:2147483648", b"+w:99999999999999999999"];

/// Schema call and call on data, with the schema as answers.
#[track_caller]
fn messages(schema: &Schema) -> [String; 2] {
    let field = call_field(NLS, &[Schema::text("prediction"), schema.clone()], OPTIONS);
    let texts = || Array::texts(&["a", "b"]);
    let columns = [Column::text("prediction", [texts()]), Column::new(schema.clone(), [texts()])];
    [field.expect_err("a schema call"), call(NLS, &columns).expect_err("a call on data")]
}

#[track_caller]
fn assert_refused(schema: &Schema, words: &str) {
    for message in messages(schema) {
        let named = message.contains("column 'answers'") && message.contains(words);
        assert!(named, "{schema:?}: {message}");
    }
}

#[test]
fn formats_that_hold_no_text_are_refused() {
    for &format in FOREIGN_FORMATS {
        let schema = Schema { format: Some(format.to_vec()), ..Schema::text("answers") };
        assert_refused(&schema, "needs a string or a list of strings");
        assert_refused(&Schema::list("answers", schema.clone()), "has dtype List(");
        assert_refused(&Schema::fixed("answers", 2, schema.clone()), "has dtype Array(");
        let dictionary = Some(Box::new(Schema { name: None, ..schema }));
        let coded = Schema { dictionary, ..Schema::new("answers", "I") };
        assert_refused(&coded, "has dtype Dictionary(");
    }
}

#[test]
fn formats_that_cannot_be_read_are_refused() {
    for &format in BAD_FORMATS {
        let schema =
            Schema { format: Some(format.to_vec()), ..Schema::list("answers", Schema::text("item")) };
        assert_refused(&schema, "format");
        assert_refused(&Schema::list("answers", schema), "format");
    }
    let schema = Schema { format: None, ..Schema::text("answers") };
    assert_refused(&schema, "without an Arrow format");
    assert_refused(&Schema::list("answers", schema), "without an Arrow format");
}

#[test]
fn a_format_of_any_length_is_refused() {
    assert_refused(&Schema::new("answers", &"+".repeat(1 << 20)), "dtype with Arrow format");
}

#[test]
fn dictionaries_of_other_keys_are_refused() {
    for key in ["c", "s", "i", "l", "L", "g", "u", "vu", "+L", "", "n"] {
        assert_refused(&Schema::categories("answers", key), "has dtype Dictionary(String)");
    }
    let nested = Some(Box::new(Schema::categories("", "I")));
    assert_refused(&Schema { dictionary: nested, ..Schema::new("answers", "I") }, "Dictionary(Categorical)");
    let misaligned = Schema::categories("answers", "I").with(Fault::MisalignedDictionary);
    assert_refused(&misaligned, "has dtype UInt32");
}

#[test]
fn lists_without_one_child_are_refused() {
    let faults = [
        Fault::ChildCount(0),
        Fault::ChildCount(2),
        Fault::ChildCount(-1),
        Fault::ChildCount(i64::MIN),
        Fault::NoChildren,
        Fault::NoChild,
        Fault::MisalignedChild,
    ];
    for fault in faults {
        for schema in
            [Schema::list("answers", Schema::text("item")), Schema::fixed("answers", 2, Schema::text("item"))]
        {
            let schema = schema.with(fault);
            assert_refused(&schema, "without the schema of its entries");
            assert_refused(&Schema::list("answers", schema), "without the schema of its entries");
        }
    }
}

#[test]
fn nested_lists_are_refused_at_any_depth() {
    for (depth, words) in
        [(2, "List(List(String))"), (33, "has dtype"), (34, "too deeply"), (1_000, "too deeply")]
    {
        let nested = (0..depth).fold(Schema::text("item"), |entries, _| Schema::list("answers", entries));
        let words = if depth > 32 { "too deeply" } else { words };
        assert_refused(&nested, words);
    }
}

#[test]
fn released_schemas_are_refused() {
    let released = || Schema::text("answers").with(Fault::Released);
    // The name is gone with the schema.
    for message in messages(&released()) {
        assert!(message.contains("column '': the schema of a column has already been released"), "{message}");
    }
    assert_refused(&Schema::list("answers", released()), "already been released");
    assert_refused(&Schema::fixed("answers", 1, released()), "already been released");
    let dictionary = Some(Box::new(released()));
    assert_refused(&Schema { dictionary, ..Schema::new("answers", "I") }, "already been released");
}

/// Metadata of the C data interface, with these numbers of entries and bytes.
fn metadata(entries: i32, fields: &[(i32, &[u8])]) -> Vec<u8> {
    let mut bytes = entries.to_ne_bytes().to_vec();
    for (length, field) in fields {
        bytes.extend(length.to_ne_bytes());
        bytes.extend(*field);
    }
    bytes
}

#[test]
fn extension_types_are_refused_wherever_they_stand() {
    let name: (i32, &[u8]) = (20, b"ARROW:extension:name");
    for metadata in [
        metadata(1, &[name, (3, b"geo")]),
        metadata(2, &[(1, b"k"), (0, b""), name, (0, b"")]),
        metadata(
            3,
            &[(0, b""), (4, b"\xff\xfe\x00\x80"), (20, b"ARROW:extension:namf"), (1, b"v"), name, (1, b"x")],
        ),
    ] {
        let extended = |name| Schema { metadata: Some(metadata.clone()), ..Schema::text(name) };
        assert_refused(&extended("answers"), "has dtype Extension(String)");
        assert_refused(&Schema::list("answers", extended("item")), "has dtype List(Extension(String))");
        let dictionary = Some(Box::new(extended("")));
        assert_refused(
            &Schema { dictionary, ..Schema::new("answers", "I") },
            "Dictionary(Extension(String))",
        );
    }
}

#[test]
fn other_metadata_is_ignored() {
    for metadata in [
        metadata(0, &[]),
        metadata(-1, &[]),
        metadata(i32::MIN, &[]),
        metadata(1, &[(3, b"key"), (5, b"value")]),
        metadata(1, &[(3, b"\xff\xfe\x80"), (2, b"\xc3\x28")]),
        metadata(1, &[(-1, b"")]),
        metadata(1, &[(i32::MIN, b"")]),
        metadata(2, &[(1, b"k"), (-1, b"")]),
        metadata(2, &[(0, b""), (0, b""), (-20, b"ARROW:extension:name")]),
        metadata(1, &[(5, b"ARROW"), (0, b"")]),
        metadata(1, &[(0, b""), (20, b"ARROW:extension:name")]),
    ] {
        let schema = |name| Schema { metadata: Some(metadata.clone()), ..Schema::text(name) };
        let answers = Column::new(schema("answers"), [Array::texts(&["a"])]);
        assert_eq!(
            floats(NLS, Column::text("prediction", [Array::texts(&["a"])]), answers),
            Ok(vec![Some(1.0)])
        );
        assert!(call_field(NLS, &[schema("prediction"), schema("answers")], OPTIONS).is_ok());
    }
}

#[test]
fn columns_may_have_any_name() {
    let long = "long ".repeat(10_000);
    let names: &[(Option<&[u8]>, &str)] = &[
        (None, "column ''"),
        (Some(b""), "column ''"),
        (Some(b"\xff\xfename"), "column '\u{fffd}\u{fffd}name'"),
        (Some(br"a\0b\x00"), r"column 'a\0b\x00'"),
        (Some(b"\x1b[31m%s%n{}"), "column '\x1b[31m%s%n{}'"),
        (Some("名前 'é'\n".as_bytes()), "column '名前 'é'\n'"),
        (Some(long.as_bytes()), "column 'long long"),
    ];
    for &(name, words) in names {
        let schema = |format: &str| Schema { name: name.map(<[u8]>::to_vec), ..Schema::new("", format) };
        let column = |format| Column::new(schema(format), [Array::texts(&["a"])]);
        assert_eq!(floats(NLS, column("vu"), column("vu")), Ok(vec![Some(1.0)]));
        let message = call(NLS, &[column("vu"), column("i")]).expect_err("numbers");
        assert!(message.contains(words), "{message}");
        let message = call_field(NLS, &[schema("vu"), schema("i")], OPTIONS).expect_err("numbers");
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_text_metric_refuses_lists() {
    let list = || Schema::list("answers", Schema::text("item"));
    for wrong in [list(), Schema::fixed("answers", 1, Schema::text("item"))] {
        let fields = [Schema::text("prediction"), wrong];
        let message = call_field(LEVENSHTEIN, &fields, OPTIONS).expect_err("a list");
        assert!(message.contains("column 'answers' has dtype"), "{message}");
        let fields = [list(), Schema::text("prediction")];
        let message = call_field(NLS, &fields, OPTIONS).expect_err("a list as prediction");
        assert!(message.contains("column 'answers' has dtype List(String)"), "{message}");
    }
}

#[test]
fn an_array_of_another_layout_is_refused() {
    let texts = || Array::texts(&["a", "a longer text than a view"]);
    let layouts: [(Schema, Array); 5] = [
        (Schema::text("answers"), texts()),
        (Schema::list("answers", Schema::text("item")), Array::list(&[0, 1, 2], texts())),
        (Schema::fixed("answers", 1, Schema::text("item")), Array::fixed(2, texts())),
        (Schema::categories("answers", "I"), Array::dictionary(4, &[0, 1], texts())),
        (Schema::new("answers", "n"), Array::null(2)),
    ];
    for (position, (schema, _)) in layouts.iter().enumerate() {
        for (other, (_, array)) in layouts.iter().enumerate() {
            let answers = Column::new(schema.clone(), [array.clone()]);
            let outcome = floats(NLS, Column::text("prediction", [Array::texts(&["a", "b"])]), answers);
            if other == position {
                assert!(outcome.is_ok(), "{outcome:?}");
                continue;
            }
            let message = outcome.expect_err("another layout");
            assert!(message.contains("column 'answers': not a valid Arrow array"), "{message}");
        }
    }
}
