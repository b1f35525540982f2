use super::{Column, Doubt, Kind, Scanner, Table, write};

fn kind(text: &str) -> Result<Kind, Doubt> {
    let mut scanner = Scanner::new(text, 0);
    let kind = scanner.value()?;
    if scanner.at() == text.len() { Ok(kind) } else { Err(Doubt) }
}

#[test]
fn values_have_the_kind_of_their_first_byte_and_lists_of_their_entries() {
    for (text, expected) in [
        ("null", Kind::Null),
        ("true", Kind::Bool),
        ("false", Kind::Bool),
        ("-0", Kind::Number),
        ("12.50", Kind::Number),
        ("1E+5", Kind::Number),
        ("NaN", Kind::Number),
        ("-Infinity", Kind::Number),
        (r#""a \" \\ b""#, Kind::Text),
        (r#""\ud83d\ude00""#, Kind::Text),
        ("[]", Kind::Texts),
        (r#"["a" , "b"]"#, Kind::Texts),
        (r#"["a", null]"#, Kind::List),
        (r#"[["a"]]"#, Kind::List),
        (r#"{"a":{"a":1},"b":[{"a":1}]}"#, Kind::Object),
    ] {
        assert_eq!(kind(text), Ok(expected), "{text}");
    }
}

#[test]
fn nothing_invalid_is_read() {
    for text in [
        "",
        " ",
        "nul",
        "01",
        "1.",
        ".5",
        "1e",
        "+1",
        "-",
        "-N",
        "'a'",
        "\"",
        "\"\t\"",
        "\"\n\"",
        r#""\x""#,
        r#""\u12""#,
        r#""\u00g0""#,
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\u0041""#,
        r#""\é""#,
        r#""\"#,
        "[",
        "[1,]",
        "[1 2]",
        "[\n]",
        "{",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        "{1:2}",
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"\u0061":1}"#,
    ] {
        assert_eq!(kind(text), Err(Doubt), "{text}");
    }
}

#[test]
fn the_end_of_a_plain_part_is_found_at_every_place() {
    for length in 0..40 {
        for special in ["\"", "\\\"\"", "\u{1f}\""] {
            let text = format!("\"{}{special}", "é".repeat(length / 2) + &"a".repeat(length % 2));
            assert_eq!(kind(&text).is_ok(), special.as_bytes()[0] != 0x1f, "{text}");
        }
    }
}

#[test]
fn a_hundred_levels_are_read_and_no_more() {
    let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
    assert_eq!(kind(&nested(100)), Ok(Kind::List));
    assert_eq!(kind(&nested(101)), Err(Doubt));
}

#[test]
fn equal_keys_are_found_among_few_and_among_many() {
    for count in [2, 11, 12, 13, 40] {
        let object = |last: usize| {
            let keys = (1..count).chain([last]).map(|key| format!("\"k{key}\":0"));
            format!("{{{}}}", keys.collect::<Vec<_>>().join(","))
        };
        assert_eq!(kind(&object(count)), Ok(Kind::Object));
        assert_eq!(kind(&object(1)), Err(Doubt));
    }
}

fn column<'a>(table: &'a Table, key: &str) -> &'a Column {
    table.columns.iter().find(|column| column.key == key).expect("the table has the key")
}

fn written<'a>(text: &'a str, column: &Column) -> Vec<&'a str> {
    column.cells.iter().map(|cell| cell.written(text)).collect()
}

const LINES: &str =
    "{\"a\": 1, \"b\": \"x\"}\r\n\n\t {\"b\": \"y\", \"c\": null}\n \t\n{\"c\": \"\\u0078\", \"b\": \"x\"} ";

#[test]
fn lines_are_rows_and_missing_keys_empty() {
    let table = Table::of_lines(LINES).unwrap();
    let keys: Vec<_> = table.columns.iter().map(|column| &*column.key).collect();
    assert_eq!((keys, table.height, &*table.lines), (vec!["a", "b", "c"], 3, &[1, 3, 5][..]));

    let a = column(&table, "a");
    assert_eq!((written(LINES, a), a.first, a.filled, a.first_value()), (vec!["1", "", ""], 0, 1, Some(0)));
    assert_eq!(a.kinds(), Kind::Number.bit() | Kind::Missing.bit());
    let c = column(&table, "c");
    assert_eq!((written(LINES, c), c.first), (vec!["", "null", r#""\u0078""#], 1));
    assert_eq!((c.filled, c.first_value(), c.cells[2].text(LINES).as_deref()), (2, Some(2), Some("x")));
}

#[test]
fn no_line_may_be_anything_but_an_object_or_empty() {
    for line in ["1", "[]", "{} {}", "{}x", "\u{b}", r#"{"a":1,"a":1}"#, r#"{"a":"#] {
        assert!(Table::of_lines(line).is_err(), "{line}");
        assert!(Table::of_lines(&format!("{{}}\n{line}\n")).is_err(), "{line}");
    }
}

#[test]
fn rows_with_a_text_keep_their_lines_and_the_keys_that_they_have() {
    let table = Table::of_lines(LINES).unwrap();
    let found = table.only(LINES, column(&table, "b"), "x");
    assert_eq!((found.height, &*found.lines), (2, &[1, 5][..]));
    assert_eq!(written(LINES, column(&found, "c")), ["", r#""\u0078""#]);

    let found = table.only(LINES, column(&table, "c"), "x");
    let firsts: Vec<_> = found.columns.iter().map(|column| (&*column.key, column.first)).collect();
    assert_eq!(firsts, [("c", 0), ("b", 0)]); // as in the only line that is left
    assert_eq!(table.only(LINES, column(&table, "b"), "z").height, 0);
}

#[test]
fn rows_of_a_column_are_chosen_by_number() {
    let table = Table::of_lines(LINES).unwrap();
    let chosen = column(&table, "a").at(&[Some(1), None, Some(0), Some(0)]).unwrap();
    assert_eq!((written(LINES, &chosen), chosen.first, chosen.filled), (vec!["", "", "1", "1"], 2, 2));
    assert!(column(&table, "a").at(&[Some(3)]).is_none());
}

#[test]
fn members_are_columns_of_their_own() {
    let text = "{\"doc\": {\"x\": [1], \"y\": 2}}\n{\"doc\": null}\n{\"doc\": {\"y\": 3}}\n{}";
    let table = Table::of_lines(text).unwrap();
    let members = Table::of_objects(text, column(&table, "doc")).unwrap();
    assert_eq!((members.height, members.columns.len()), (4, 2));
    assert_eq!(written(text, column(&members, "x")), ["[1]", "", "", ""]);
    assert_eq!(written(text, column(&members, "y")), ["2", "", "3", ""]);
}

#[test]
fn lists_around_a_single_entry_are_left() {
    let text = r#"{"a": [[["x"]]]}
{"a": ["x"]}
{"a": [[1], [2]]}
{"a": [[]]}"#;
    let table = Table::of_lines(text).unwrap();
    let lists = column(&table, "a").narrowed(text, Kind::Texts.bit() | Kind::List.bit()).unwrap();
    assert_eq!(written(text, &lists), [r#"["x"]"#, r#"["x"]"#, "[[1], [2]]", "[]"]);
    let texts = lists.narrowed(text, Kind::Text.bit()).unwrap();
    assert_eq!(written(text, &texts), [r#""x""#, r#""x""#, "[[1], [2]]", "[]"]);
}

#[test]
fn values_are_written_as_python_writes_them() {
    for (text, expected) in [
        (r#"{"a":[1,2.50,{}],"b":[]}"#, r#"{"a": [1, 2.50, {}], "b": []}"#),
        ("[ null,true , \"\\u00e9\\/\\u0001\\n\x7f\" ]", "[null, true, \"é/\\u0001\\n\x7f\"]"),
        (r#"{"é\"":"é","\ud83d\ude00":1}"#, r#"{"\u00e9\"": "é", "\ud83d\ude00": 1}"#),
    ] {
        let mut found = String::new();
        write(&mut Scanner::new(text, 0), &mut found).unwrap();
        assert_eq!(found, expected);
    }
    assert_eq!(write(&mut Scanner::new("{\"\x7f\":1}", 0), &mut String::new()), Err(Doubt));
}
