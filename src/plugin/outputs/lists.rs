//! Structs and lists of them, as columns.

use std::sync::{Arc, OnceLock};

use arrow_array::{Array, ArrayRef, LargeListArray, StringViewArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};

use super::Column;

/// The columns of structs, with their names.
pub type Named = Vec<(&'static str, ArrayRef)>;

/// A column of lists of structs, which are made from the entries of all rows.
pub struct ListColumn<T> {
    structs: fn(&[T]) -> Named,
    dtype: OnceLock<DataType>,
}

impl<T> ListColumn<T> {
    pub const fn new(structs: fn(&[T]) -> Named) -> Self {
        Self { structs, dtype: OnceLock::new() }
    }

    pub fn dtype(&self) -> DataType {
        self.dtype.get_or_init(|| self.column(Column::default()).data_type().clone()).clone()
    }

    pub fn column(&self, column: Column<Vec<T>>) -> ArrayData {
        let offsets = OffsetBuffer::from_lengths(column.values.iter().map(Vec::len));
        let entries: Vec<T> = column.values.into_iter().flatten().collect();
        lists((self.structs)(&entries), offsets, column.nulls).into_data()
    }
}

/// Lists of the structs in these columns.
pub fn lists(columns: Named, offsets: OffsetBuffer<i64>, nulls: Option<NullBuffer>) -> LargeListArray {
    let entries = structs(columns, None);
    let item = Arc::new(Field::new("item", entries.data_type().clone(), true));
    LargeListArray::new(item, offsets, Arc::new(entries), nulls)
}

pub fn structs(columns: Named, nulls: Option<NullBuffer>) -> StructArray {
    let (names, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let fields = names.into_iter().zip(&columns).map(|(name, column)| (name, column.data_type().clone()));
    StructArray::new(named_fields(fields), columns, nulls)
}

pub fn named_fields<'a>(fields: impl IntoIterator<Item = (&'a str, DataType)>) -> Fields {
    fields.into_iter().map(|(name, dtype)| Field::new(name, dtype, true)).collect()
}

pub fn texts<T: AsRef<str>>(texts: impl Iterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(texts.collect::<StringViewArray>())
}
