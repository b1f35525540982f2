//! Arrays that no producer should send: an error that names the column, or the right value.

use super::harness::c::NLS;
use super::harness::call::floats;
use super::harness::describe::{Array, Bytes, Column, Fault, Schema, inline_view, long_view};

const LONG: &str = "longer than a view";

/// What is done to an array, by name.
type Damage = (&'static str, fn(&mut Array));

/// Damage to any array of a layout with a validity.
const ANY_ARRAY: &[Damage] = &[
    ("released", |array| array.faults.push(Fault::Released)),
    ("length -1", |array| array.length = -1),
    ("length of the smallest integer", |array| array.length = i64::MIN),
    ("offset -1", |array| array.offset = -1),
    ("length without bounds", |array| array.length = i64::MAX),
    ("length that overflows in bytes", |array| array.length = i64::MAX / 16),
    ("offset without bounds", |array| array.offset = i64::MAX),
    ("length and offset that overflow together", |array| {
        (array.length, array.offset) = (i64::MAX / 2 + 1, i64::MAX / 2 + 1);
    }),
    ("null count -2", |array| array.null_count = -2),
    ("null count of the smallest integer", |array| array.null_count = i64::MIN),
    ("nulls without a validity", |array| array.buffers[0] = None),
    ("a validity with nulls, and a null count of 0", |array| array.null_count = 0),
    ("no buffers", |array| array.faults.push(Fault::NoBuffers)),
    ("0 buffers", |array| array.faults.push(Fault::BufferCount(0))),
    ("-1 buffers", |array| array.faults.push(Fault::BufferCount(-1))),
    ("all buffers", |array| array.faults.push(Fault::BufferCount(i64::MAX))),
    ("-1 children", |array| array.faults.push(Fault::ChildCount(-1))),
    ("2 children", |array| array.faults.push(Fault::ChildCount(2))),
];

const TEXTS: &[Damage] = &[
    ("2 buffers", |array| array.faults.push(Fault::BufferCount(2))),
    ("text buffers left out", |array| array.faults.push(Fault::BufferCount(3))),
    ("1 child", |array| array.faults.push(Fault::ChildCount(1))),
    ("no views", |array| array.buffers[1] = None),
    ("no text buffer", |array| array.buffers[2] = None),
    ("no lengths", |array| array.buffers[3] = None),
    ("misaligned lengths", |array| array.buffers[3].as_mut().expect("lengths").skew = 4),
    ("a negative length", |array| array.buffers[3] = Some(Bytes::longs(&[-1]))),
    ("a buffer shorter than its texts", |array| array.buffers[3] = Some(Bytes::longs(&[17]))),
    ("an empty buffer", |array| array.buffers[3] = Some(Bytes::longs(&[0]))),
    ("a buffer that is not there", |array| set_view(array, long_view(13, 1, 0))),
    ("a buffer far outside", |array| set_view(array, long_view(13, u32::MAX, 0))),
    ("a text behind its buffer", |array| set_view(array, long_view(13, 0, 6))),
    ("a text far behind its buffer", |array| set_view(array, long_view(13, 0, 0xffff_ffff))),
    ("a text of negative length", |array| set_view(array, long_view(0xffff_ffff, 0, 0))),
    ("a text of the largest length", |array| set_view(array, long_view(0x7fff_ffff, 0, 0))),
    ("an unknown dictionary", |array| array.dictionary = Some(Box::new(Array::texts(&["a"])))),
    ("an unknown, misaligned dictionary", |array| array.faults.push(Fault::MisalignedDictionary)),
];

const LISTS: &[Damage] = &[
    ("1 buffer", |array| array.faults.push(Fault::BufferCount(1))),
    ("3 buffers", |array| array.buffers.push(None)),
    ("0 children", |array| array.faults.push(Fault::ChildCount(0))),
    ("no children", |array| array.faults.push(Fault::NoChildren)),
    ("no child", |array| array.faults.push(Fault::NoChild)),
    ("misaligned child", |array| array.faults.push(Fault::MisalignedChild)),
    ("no offsets", |array| array.buffers[1] = None),
    ("negative offsets", |array| set_offsets(array, &[-1, 1, 2])),
    ("offsets that fall", |array| set_offsets(array, &[0, 2, 1])),
    ("offsets that fall below 0", |array| set_offsets(array, &[0, -1, 2])),
    ("offsets behind the entries", |array| set_offsets(array, &[0, 1, 4])),
    ("offsets far behind the entries", |array| set_offsets(array, &[i64::MAX, i64::MAX, i64::MAX])),
    ("offsets that leave the entries and return", |array| set_offsets(array, &[0, 9, 2])),
    ("an unknown dictionary", |array| array.dictionary = Some(Box::new(Array::texts(&["a"])))),
];

const FIXED_LISTS: &[Damage] = &[
    ("2 buffers", |array| array.buffers.push(None)),
    ("0 children", |array| array.faults.push(Fault::ChildCount(0))),
    ("no children", |array| array.faults.push(Fault::NoChildren)),
    ("no child", |array| array.faults.push(Fault::NoChild)),
    ("misaligned child", |array| array.faults.push(Fault::MisalignedChild)),
    ("an entry missing", |array| array.children[0].length = 3),
    ("an offset behind the entries", |array| array.offset = 1),
    ("more rows than numbers", |array| array.length = i64::MAX / 128),
    ("an unknown dictionary", |array| array.dictionary = Some(Box::new(Array::texts(&["a"])))),
];

const CATEGORIES: &[Damage] = &[
    ("1 buffer", |array| array.faults.push(Fault::BufferCount(1))),
    ("3 buffers", |array| array.buffers.push(None)),
    ("1 child", |array| array.faults.push(Fault::ChildCount(1))),
    ("no keys", |array| array.buffers[1] = None),
    ("no dictionary", |array| array.dictionary = None),
    ("misaligned dictionary", |array| array.faults.push(Fault::MisalignedDictionary)),
    ("a key outside the dictionary", |array| array.dictionary.as_mut().expect("values").length = 1),
    ("an empty dictionary", |array| array.dictionary.as_mut().expect("values").length = 0),
];

/// Damage to rows of the Null dtype, which have no validity.
const NULLS: &[Damage] = &[
    ("released", |array| array.faults.push(Fault::Released)),
    ("length -1", |array| array.length = -1),
    ("length without bounds", |array| array.length = i64::MAX),
    ("length beyond memory", |array| array.length = i64::MAX / 128),
    ("offset -1", |array| array.offset = -1),
    ("2 buffers", |array| array.faults.push(Fault::BufferCount(2))),
    ("1 child", |array| array.faults.push(Fault::ChildCount(1))),
];

/// What is accepted: buffers of any alignment, nulls that were not counted or counted wrongly.
const HARMLESS: &[Damage] = &[
    ("null count -1", |array| array.null_count = -1),
    ("null count too high", |array| array.null_count = 7),
    ("null count beyond reason", |array| array.null_count = i64::MAX),
    ("misaligned validity", |array| array.buffers[0].as_mut().expect("validity").skew = 1),
    ("misaligned values", |array| {
        array.buffers[1].as_mut().expect("values").skew = 1;
    }),
    ("values aligned to 4 bytes", |array| array.buffers[1].as_mut().expect("values").skew = 4),
];

fn set_view(array: &mut Array, view: u128) {
    array.buffers[1].as_mut().expect("views").bytes[..16].copy_from_slice(&view.to_ne_bytes());
}

fn set_offsets(array: &mut Array, offsets: &[i64]) {
    array.buffers[1] = Some(Bytes::longs(offsets));
}

/// Two rows, the first valid and outside its view, the second null.
fn texts() -> Array {
    Array::texts(&[LONG, "b"]).with_nulls(&[1])
}

fn lists(entries: Array) -> Array {
    Array::list(&[0, 1, 2], entries).with_nulls(&[1])
}

fn fixed(entries: Array) -> Array {
    Array::fixed(2, entries).with_nulls(&[1])
}

fn categories(values: Array) -> Array {
    Array::dictionary(4, &[1, 0], values).with_nulls(&[1])
}

fn damaged(mut array: Array, damage: fn(&mut Array)) -> Array {
    damage(&mut array);
    array
}

/// Scores a column whose third chunk of five is this one, and a column of this chunk alone, as answers; as
/// predictions too where they are texts. `rows` are those of an undamaged chunk.
fn score_everywhere(schema: &Schema, sound: &Array, chunk: &Array) -> Vec<Result<Vec<Option<f64>>, String>> {
    let fifth = |position| if position == 2 { chunk } else { sound }.clone();
    let column = |chunks: Vec<Array>| Column::new(schema.clone(), chunks);
    let other = |rows| Column::text("other", [Array::texts(&vec![LONG; rows])]);
    let all = || column((0..5).map(fifth).collect());
    let mut outcomes =
        vec![floats(NLS, other(2), column(vec![chunk.clone()])), floats(NLS, other(10), all())];
    if schema.children.is_empty() {
        outcomes.push(floats(NLS, column(vec![chunk.clone()]), other(2)));
        outcomes.push(floats(NLS, all(), other(10)));
    }
    outcomes
}

#[track_caller]
fn assert_refused(schema: &Schema, sound: &Array, chunk: &Array, what: &str) {
    for outcome in score_everywhere(schema, sound, chunk) {
        let message = outcome.expect_err(what);
        assert!(message.contains("column 'damaged'"), "{what}: {message}");
    }
}

/// A layout: its schema, an array of two rows that is sound, and where its damage is put.
struct Layout {
    schema: Schema,
    sound: Array,
    inner: fn(&mut Array) -> &mut Array,
}

fn layout(schema: Schema, sound: Array) -> Layout {
    Layout { schema, sound, inner: |array| array }
}

/// Text arrays wherever they can stand.
fn text_layouts() -> Vec<Layout> {
    let item = || Schema::text("item");
    vec![
        layout(Schema::text("damaged"), texts()),
        Layout {
            inner: |array| &mut array.children[0],
            ..layout(Schema::list("damaged", item()), lists(texts()))
        },
        Layout {
            inner: |array| &mut array.children[0],
            ..layout(Schema::fixed("damaged", 1, item()), fixed(texts()))
        },
        Layout {
            inner: |array| array.dictionary.as_mut().expect("values"),
            ..layout(Schema::categories("damaged", "I"), category_of_the_first())
        },
    ]
}

/// Keys that all name the first, damaged value.
fn category_of_the_first() -> Array {
    Array::dictionary(4, &[0, 0], texts()).with_nulls(&[1])
}

fn category_layouts() -> Vec<Layout> {
    let values = || Array::texts(&["b", LONG]);
    let item = || Schema::categories("item", "I");
    vec![
        layout(Schema::categories("damaged", "I"), categories(values())),
        Layout {
            inner: |array| &mut array.children[0],
            ..layout(Schema::list("damaged", item()), lists(categories(values())))
        },
    ]
}

#[track_caller]
fn assert_all_refused(layouts: &[Layout], damages: &[&[Damage]]) {
    for Layout { schema, sound, inner } in layouts {
        for outcome in score_everywhere(schema, sound, sound) {
            let scores = outcome.expect("sound arrays give scores");
            assert_eq!(scores[..2], [Some(1.0), None]);
        }
        for &(what, damage) in damages.iter().copied().flatten() {
            let mut chunk = sound.clone();
            damage(inner(&mut chunk));
            assert_refused(schema, sound, &chunk, what);
        }
    }
}

#[test]
fn damaged_texts_are_refused() {
    assert_all_refused(&text_layouts(), &[ANY_ARRAY, TEXTS]);
}

#[test]
fn damaged_lists_are_refused() {
    let schema = Schema::list("damaged", Schema::text("item"));
    let entries = || Array::texts(&[LONG, "b", "c"]);
    assert_all_refused(&[layout(schema, lists(entries()))], &[ANY_ARRAY, LISTS]);
}

#[test]
fn damaged_lists_of_fixed_width_are_refused() {
    let schema = Schema::fixed("damaged", 2, Schema::text("item"));
    let entries = || Array::texts(&[LONG, "b", "c", "d"]);
    assert_all_refused(&[layout(schema, fixed(entries()))], &[ANY_ARRAY, FIXED_LISTS]);
}

#[test]
fn damaged_categories_are_refused() {
    assert_all_refused(&category_layouts(), &[ANY_ARRAY, CATEGORIES]);
}

#[test]
fn damaged_nulls_are_refused() {
    let schema = Schema::new("damaged", "n");
    let lists = Schema::list("damaged", Schema::new("item", "n"));
    for &(what, damage) in NULLS {
        assert_refused(&schema, &Array::null(2), &damaged(Array::null(2), damage), what);
    }
    for &(what, damage) in &NULLS[..3] {
        let chunk = |entries| Array::list(&[0, 1, 2], entries);
        assert_refused(&lists, &chunk(Array::null(2)), &chunk(damaged(Array::null(2), damage)), what);
    }
}

#[test]
fn more_rows_than_memory_holds_are_an_error() {
    // Nothing but the length says how many rows there are.
    for rows in [1 << 50, i64::MAX / 128] {
        let none = Array { length: rows, ..Array::fixed(0, Array::texts::<&str>(&[])) };
        let schema = Schema::fixed("damaged", 0, Schema::text("item"));
        assert_refused(&schema, &Array::fixed(2, Array::texts::<&str>(&[])), &none, "width 0");
        let none = Array { length: rows, ..Array::null(0) };
        let schema = Schema::new("damaged", "n");
        assert_refused(&schema, &Array::null(2), &none, "nulls");
    }
}

#[test]
fn harmless_damage_changes_no_value() {
    let layouts = text_layouts().into_iter().chain(category_layouts()).map(|layout| (layout, HARMLESS));
    let schema = Schema::list("damaged", Schema::text("item"));
    let lists = layout(schema, lists(Array::texts(&[LONG, "b"])));
    for (Layout { schema, sound, inner }, damages) in layouts.chain([(lists, HARMLESS)]) {
        for &(what, damage) in damages {
            let mut chunk = sound.clone();
            damage(inner(&mut chunk));
            for outcome in score_everywhere(&schema, &sound, &chunk) {
                let scores = outcome.expect(what);
                assert_eq!(scores, [Some(1.0), None].repeat(scores.len() / 2), "{what}");
            }
        }
    }
}

#[test]
fn buffers_may_be_missing_where_there_are_no_rows() {
    let sound = Array::texts(&[LONG, LONG]);
    let empty = Array { buffers: vec![None; 3], ..Array::default() };
    for outcome in score_everywhere(&Schema::text("empty"), &sound, &empty).into_iter().skip(1).step_by(2) {
        // Eight rows against ten.
        assert!(outcome.expect_err("lengths differ").contains("different lengths"));
    }
    let outcome = floats(NLS, Column::text("a", [empty.clone()]), Column::text("b", [empty]));
    assert_eq!(outcome, Ok(vec![]));
}

#[test]
fn a_view_never_reaches_the_texts_of_another_chunk() {
    let other = || Array::views(&[long_view(18, 0, 0)], &[LONG.as_bytes()]);
    for buffer in [1, 2, 3, u32::MAX - 1, u32::MAX] {
        let stray = Array::views(&[inline_view(b"a"), long_view(18, buffer, 0)], &[LONG.as_bytes()]);
        for chunks in [[other(), stray.clone(), other()], [stray.clone(), other(), other()]] {
            let rows = Array::texts(&[LONG; 4]);
            let outcome = floats(NLS, Column::text("damaged", chunks), Column::text("other", [rows]));
            let message = outcome.expect_err("a text outside its buffer");
            assert!(message.contains("column 'damaged', row"), "{message}");
        }
    }
}
