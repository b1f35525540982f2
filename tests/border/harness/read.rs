//! Results of the plugin, read as Polars would.

use std::ffi::CStr;
use std::ops::Range;

use super::c::{CArray, CExport, CSchema};

/// A column of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Float(Vec<Option<f64>>),
    Unsigned(Vec<Option<u64>>),
    Signed(Vec<Option<i64>>),
    Boolean(Vec<Option<bool>>),
    Text(Vec<Option<String>>),
    Struct(Vec<(Field, Values)>),
    /// How long the list of each row is, and what stands in all of them.
    List(Vec<Option<usize>>, Box<Values>),
}

/// A field of a result: name and format, with the fields inside a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub format: String,
    pub children: Vec<Field>,
}

/// What a call on data returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub field: Field,
    pub values: Values,
}

impl Values {
    /// The values of a struct's field.
    pub fn of(&self, name: &str) -> &Self {
        let Self::Struct(fields) = self else { panic!("{self:?} is no struct") };
        let (_, values) = fields.iter().find(|(field, _)| field.name == name).expect("a field of that name");
        values
    }

    /// The values of some rows.
    pub fn at(&self, rows: &[usize]) -> Self {
        match self {
            Self::Float(values) => Self::Float(rows.iter().map(|&row| values[row]).collect()),
            Self::Unsigned(values) => Self::Unsigned(rows.iter().map(|&row| values[row]).collect()),
            Self::Signed(values) => Self::Signed(rows.iter().map(|&row| values[row]).collect()),
            Self::Boolean(values) => Self::Boolean(rows.iter().map(|&row| values[row]).collect()),
            Self::Text(values) => Self::Text(rows.iter().map(|&row| values[row].clone()).collect()),
            Self::Struct(fields) => {
                Self::Struct(fields.iter().map(|(field, values)| (field.clone(), values.at(rows))).collect())
            }
            Self::List(lengths, entries) => {
                let mut end = 0;
                let places: Vec<Range<usize>> = lengths
                    .iter()
                    .map(|length| {
                        let start = end;
                        end += length.unwrap_or(0);
                        start..end
                    })
                    .collect();
                let inside: Vec<usize> = rows.iter().flat_map(|&row| places[row].clone()).collect();
                Self::List(rows.iter().map(|&row| lengths[row]).collect(), Box::new(entries.at(&inside)))
            }
        }
    }
}

/// # Safety
/// The schema is valid by the C data interface.
pub unsafe fn read_field(schema: &CSchema) -> Field {
    // SAFETY: NUL-terminated texts and live children, by the interface.
    unsafe {
        let text = |pointer| CStr::from_ptr(pointer).to_str().expect("UTF-8").to_owned();
        let child = |index| read_field(&**schema.children.add(index));
        Field {
            name: text(schema.name),
            format: text(schema.format),
            children: (0..to_usize(schema.n_children)).map(child).collect(),
        }
    }
}

/// Reads a result and releases it.
///
/// # Safety
/// The export is one that the plugin has written.
pub unsafe fn read_output(export: CExport) -> Output {
    // SAFETY: by the interface, one live schema and `len` arrays that are ours to move out.
    unsafe {
        let field = read_field(&*export.field);
        assert_eq!(export.len, 1, "a result has one chunk");
        let array = std::ptr::read(*export.arrays);
        let values = read_values(&field, &array);
        release_in_turn(array, export);
        Output { field, values }
    }
}

/// Polars drops the export before the arrays that it moved out of it.
fn release_in_turn(array: CArray, export: CExport) {
    let schema = export.field;
    assert!(!schema.is_null());
    drop(export);
    assert!(array.release.is_some(), "the array outlives its export");
    drop(array);
}

unsafe fn read_values(field: &Field, array: &CArray) -> Values {
    let (offset, rows) = (to_usize(array.offset), to_usize(array.length));
    // SAFETY: each buffer has the type that the format says and as many values as the array has rows.
    unsafe {
        let validity = if array.null_count == 0 { std::ptr::null() } else { *array.buffers };
        let valid = |row: usize| validity.is_null() || bit(validity.cast(), offset + row);
        let rows = || (0..rows).map(|row| valid(row).then_some(offset + row));
        let buffer = |index| *array.buffers.add(index);
        match field.format.as_str() {
            "g" => {
                let values = buffer(1).cast::<f64>();
                Values::Float(rows().map(|row| Some(*values.add(row?))).collect())
            }
            "C" | "L" => {
                let number = |row: usize| match field.format.as_str() {
                    "C" => u64::from(*buffer(1).cast::<u8>().add(row)),
                    _ => *buffer(1).cast::<u64>().add(row),
                };
                Values::Unsigned(rows().map(|row| Some(number(row?))).collect())
            }
            "i" | "l" => {
                let number = |row: usize| match field.format.as_str() {
                    "i" => i64::from(*buffer(1).cast::<i32>().add(row)),
                    _ => *buffer(1).cast::<i64>().add(row),
                };
                Values::Signed(rows().map(|row| Some(number(row?))).collect())
            }
            "b" => Values::Boolean(rows().map(|row| Some(bit(buffer(1).cast(), row?))).collect()),
            "vu" => Values::Text(rows().map(|row| Some(text(array, row?))).collect()),
            "+s" => {
                let child = |(index, field): (usize, &Field)| {
                    (field.clone(), read_values(field, &**array.children.add(index)))
                };
                Values::Struct(field.children.iter().enumerate().map(child).collect())
            }
            "+L" => {
                let offsets = buffer(1).cast::<i64>();
                let length = |row: usize| to_usize(*offsets.add(row + 1) - *offsets.add(row));
                let lengths = rows().map(|row| Some(length(row?))).collect();
                Values::List(lengths, Box::new(read_values(&field.children[0], &**array.children)))
            }
            other => panic!("a result of format {other:?}"),
        }
    }
}

unsafe fn bit(bits: *const u8, index: usize) -> bool {
    // SAFETY: the caller stays within the buffer.
    unsafe { *bits.add(index / 8) >> (index % 8) & 1 == 1 }
}

unsafe fn text(array: &CArray, row: usize) -> String {
    // SAFETY: views of the C data interface, over buffers whose lengths the last buffer holds.
    unsafe {
        let buffer = |index| *array.buffers.add(index);
        let view = buffer(1).cast::<u128>().add(row).read();
        let length = usize::try_from(view & 0xffff_ffff).expect("32 bits");
        let bytes = if length <= 12 {
            view.to_le_bytes()[4..4 + length].to_vec()
        } else {
            let [index, start] = [view >> 64 & 0xffff_ffff, view >> 96].map(|number| number as usize);
            let last = to_usize(array.n_buffers) - 1;
            let buffer_length = buffer(last).cast::<i64>().add(index).read();
            assert!(start + length <= to_usize(buffer_length), "a text inside its buffer");
            std::slice::from_raw_parts(buffer(2 + index).cast::<u8>().add(start), length).to_vec()
        };
        String::from_utf8(bytes).expect("UTF-8")
    }
}

fn to_usize(number: i64) -> usize {
    usize::try_from(number).expect("a length")
}
