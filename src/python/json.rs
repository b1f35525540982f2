//! JSON Lines for Python: columns as Arrow arrays, or as Python values.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::{Array, ArrayRef, LargeListArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyString};

use crate::json::{Cell, Column, Doubt, Kind, Scanner, Table, write};

/// Most bytes of one buffer of strings.
const BLOCK: usize = 1 << 30;

impl From<Doubt> for PyErr {
    fn from(_: Doubt) -> Self {
        PyValueError::new_err("no valid JSON")
    }
}

/// The objects of JSON Lines as columns; `None` if anything is invalid, or an error if they have 4 GiB or more.
#[pyfunction]
pub fn json_lines(text: Bound<'_, PyString>) -> PyResult<Option<JsonLines>> {
    let py = text.py();
    let table = {
        let text = text.to_str()?;
        if u32::try_from(text.len()).is_err() {
            return Err(PyOverflowError::new_err("JSON Lines of 4 GiB or more"));
        }
        py.detach(|| Table::of_lines(text))
    };
    Ok(table.ok().map(|table| JsonLines { text: text.unbind(), table }))
}

#[pyclass(frozen)]
pub struct JsonLines {
    text: Py<PyString>,
    table: Table,
}

#[pymethods]
impl JsonLines {
    #[getter]
    fn height(&self) -> usize {
        self.table.height
    }

    /// The number of the line of each row, unless they are 1, 2, 3, ...
    #[getter]
    fn lines(&self) -> Option<&[u32]> {
        let lines = &*self.table.lines;
        let are_all = lines.last().is_none_or(|last| *last as usize == lines.len());
        (!are_all).then_some(lines)
    }

    #[getter]
    fn width(&self) -> usize {
        self.table.columns.len()
    }

    /// The key, the first row that has it, the first row with a value other than null, whether all rows have it,
    /// and the kinds of its values, a bit for each.
    fn described(&self, column: usize) -> PyResult<(&str, usize, Option<usize>, bool, u16)> {
        let column = self.get(column)?;
        let is_everywhere = column.filled == self.table.height;
        Ok((&column.key, column.first, column.first_value(), is_everywhere, column.kinds()))
    }

    /// The values, with numbers as instances of a subclass of `str`.
    fn values<'py>(&self, column: usize, number: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = number.py();
        let (text, column) = self.column(py, column)?;
        let mut values = Vec::with_capacity(column.cells.len());
        for cell in &column.cells {
            values.push(match cell.kind {
                Kind::Missing | Kind::Null => py.None().into_bound(py),
                _ => value(&mut cell.scanner(text), number)?,
            });
        }
        PyList::new(py, values)
    }

    /// Strings, and numbers as they are written; all else is null, and so is `NaN`.
    fn texts(&self, py: Python<'_>, column: usize) -> PyResult<Arrow> {
        let (text, column) = self.column(py, column)?;
        Ok(Arrow(py.detach(|| {
            texts(column, |cell, strings| match cell.kind {
                Kind::Text => strings.append_option(cell.text(text)),
                Kind::Number if cell.written(text) != "NaN" => strings.append_value(cell.written(text)),
                _ => strings.append_null(),
            })
        })))
    }

    /// Strings as they are, and other values as JSON; an error if only Python can write one.
    fn json(&self, py: Python<'_>, column: usize) -> PyResult<Arrow> {
        let (text, column) = self.column(py, column)?;
        py.detach(|| {
            let (mut written, mut result) = (String::new(), Ok(()));
            let array = texts(column, |cell, strings| match cell.kind {
                Kind::Missing | Kind::Null => strings.append_null(),
                Kind::Text => strings.append_option(cell.text(text)),
                Kind::Bool | Kind::Number => strings.append_value(cell.written(text)),
                Kind::Texts | Kind::List | Kind::Object => {
                    written.clear();
                    if let Err(doubt) = write(&mut cell.scanner(text), &mut written) {
                        result = Err(doubt);
                    }
                    strings.append_value(&written);
                }
            });
            result?;
            Ok(Arrow(array))
        })
    }

    /// Lists of strings; all else is null.
    fn lists(&self, py: Python<'_>, column: usize) -> PyResult<Arrow> {
        let (text, column) = self.column(py, column)?;
        py.detach(|| Ok(Arrow(lists(text, column)?)))
    }

    /// The members of the values that are objects, as columns.
    fn members(&self, py: Python<'_>, column: usize) -> PyResult<Self> {
        let (text, column) = self.column(py, column)?;
        let table = py.detach(|| Table::of_objects(text, column))?;
        Ok(self.with(py, table))
    }

    /// The rows whose value of a column is this string.
    fn only(&self, py: Python<'_>, column: usize, wanted: &str) -> PyResult<Self> {
        let (text, column) = self.column(py, column)?;
        Ok(self.with(py, py.detach(|| self.table.only(text, column, wanted))))
    }

    /// The values of these rows in a column alone, missing without a row.
    #[expect(clippy::needless_pass_by_value, reason = "extracted from a Python list")]
    fn at(&self, py: Python<'_>, column: usize, rows: Vec<Option<usize>>) -> PyResult<Self> {
        let (_, column) = self.column(py, column)?;
        let column = column.at(&rows).ok_or_else(|| PyValueError::new_err("no such row"))?;
        Ok(self.with(py, Table::of_column(column)))
    }

    /// A column alone, with the only entries of its lists in place of these, as long as they are of these kinds.
    fn narrowed(&self, py: Python<'_>, column: usize, kinds: u16) -> PyResult<Self> {
        let (text, column) = self.column(py, column)?;
        let column = py.detach(|| column.narrowed(text, kinds))?;
        Ok(self.with(py, Table::of_column(column)))
    }
}

impl JsonLines {
    fn with(&self, py: Python<'_>, table: Table) -> Self {
        Self { text: self.text.clone_ref(py), table }
    }

    fn column<'a>(&'a self, py: Python<'a>, column: usize) -> PyResult<(&'a str, &'a Column)> {
        Ok((self.text.to_str(py)?, self.get(column)?))
    }

    fn get(&self, column: usize) -> PyResult<&Column> {
        self.table.columns.get(column).ok_or_else(|| PyValueError::new_err("no such column"))
    }
}

/// The next value.
fn value<'py>(scanner: &mut Scanner, number: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = number.py();
    match scanner.peek() {
        b'"' => {
            let span = scanner.string()?;
            Ok(PyString::new(py, &scanner.decoded(span)).into_any())
        }
        b'{' => {
            let found = PyDict::new(py);
            scanner.members(|scanner, key| {
                let key = scanner.decoded(key);
                found.set_item(&*key, value(scanner, number)?)
            })?;
            Ok(found.into_any())
        }
        b'[' => {
            let found = PyList::empty(py);
            scanner.entries(|scanner| found.append(value(scanner, number)?))?;
            Ok(found.into_any())
        }
        first => {
            let start = scanner.at();
            match scanner.value()? {
                Kind::Number => number.call1((scanner.slice(start, scanner.at()),)),
                Kind::Bool => (first == b't').into_bound_py_any(py),
                _ => Ok(py.None().into_bound(py)),
            }
        }
    }
}

/// A column of strings, each appended by a function.
fn texts(column: &Column, mut append: impl FnMut(&Cell, &mut StringViewBuilder)) -> ArrayRef {
    let bytes: usize = column.cells.iter().map(Cell::bytes).sum();
    let mut strings = strings(column.cells.len(), bytes);
    for cell in &column.cells {
        append(cell, &mut strings);
    }
    Arc::new(strings.finish())
}

fn lists(text: &str, column: &Column) -> Result<ArrayRef, Doubt> {
    let bytes = column.cells.iter().map(Cell::bytes).sum();
    let mut strings = strings(column.cells.len(), bytes);
    let (mut lengths, mut are_lists) = (Vec::new(), Vec::new());
    for cell in &column.cells {
        let mut length = 0;
        if cell.kind == Kind::Texts {
            cell.scanner(text).entries(|scanner| {
                let span = scanner.string()?;
                strings.append_value(scanner.decoded(span));
                length += 1;
                Ok::<_, Doubt>(())
            })?;
        }
        lengths.push(length);
        are_lists.push(cell.kind == Kind::Texts);
    }
    let entries = strings.finish();
    let item = Arc::new(Field::new("item", entries.data_type().clone(), true));
    let offsets = OffsetBuffer::from_lengths(lengths);
    let nulls = Some(NullBuffer::from(are_lists)).filter(|nulls| nulls.null_count() > 0);
    Ok(Arc::new(LargeListArray::new(item, offsets, Arc::new(entries), nulls)))
}

/// A builder whose strings share a buffer, as far as it may be that large.
fn strings(rows: usize, bytes: usize) -> StringViewBuilder {
    StringViewBuilder::with_capacity(rows).with_fixed_block_size(bytes.clamp(1, BLOCK) as u32)
}

/// An array that Polars imports.
#[pyclass(frozen)]
pub struct Arrow(ArrayRef);

#[pymethods]
impl Arrow {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema); // a wish
        let (array, schema): (FFI_ArrowArray, FFI_ArrowSchema) =
            to_ffi(&self.0.to_data()).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((schema, array))
    }
}
