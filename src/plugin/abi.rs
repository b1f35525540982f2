//! Polars' plugin interface, version 0.1, in C.
//!
//! Polars' pointers are followed here and, for schemas, in [`super::schema`] alone. Facts are from the sources of
//! `polars-ffi` (the structs and who frees what) and `pyo3-polars-derive` (the exported functions):
//!
//! - A column arrives as a [`SeriesExport`]: one schema and any number of chunks. The callee owns the
//!   columns: it moves each chunk out and then releases the export, which frees the memory around them.
//! - A schema call lends its fields; the caller frees them.
//! - A result is written through the return pointer. Where nothing was written, Polars asks for the text
//!   of `_polars_plugin_get_last_error_message` on the same thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_buffer::bit_chunk_iterator::UnalignedBitChunk;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use super::dtype::Dtype;
use super::schema::{RawSchema, foreign};
use super::{Error, Result};

/// `(major << 16) | minor` of the interface; minor 1 passes keyword arguments to schema calls.
const VERSION: u32 = 1;

/// Longer arrays are refused, so that no number of bytes or bits computed from a length overflows.
const MAX_ROWS: usize = usize::MAX / 128;

/// Longer keyword arguments are refused: real ones take a few hundred bytes, and a pickle nested tens of
/// thousands deep would exhaust the stack of its reader.
const MAX_KWARGS: usize = 8 << 10;

static HAS_RUN: AtomicBool = AtomicBool::new(false);

/// Whether Polars has called a function on data: then it has started its threads.
pub fn has_run() -> bool {
    HAS_RUN.load(Ordering::Relaxed)
}

/// `ArrowArray` of the C data interface, with readable fields.
#[repr(C)]
struct RawArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const *const RawArray,
    dictionary: *const RawArray,
    release: Option<unsafe extern "C" fn(*mut RawArray)>,
    private_data: *mut c_void,
}

/// A column on its way between Polars and the plugin.
#[repr(C)]
pub struct SeriesExport {
    field: *const RawSchema,
    arrays: *mut *mut FFI_ArrowArray,
    len: usize,
    release: Option<unsafe extern "C" fn(*mut SeriesExport)>,
    private_data: *mut c_void,
}

impl Drop for SeriesExport {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: whoever made the export set the callback for it, and it runs once: a live export is
            // moved, never copied.
            unsafe { release(self) }
        }
    }
}

/// A column as Polars handed it over: its name, its layout and its chunks, none of them read yet.
pub struct ForeignColumn {
    /// Name of the column.
    pub name: String,
    /// Layout.
    pub dtype: Dtype,
    chunks: Vec<FFI_ArrowArray>,
}

fn bad<T>(what: &str) -> Result<T> {
    Err(Error::new(format!("not a valid Arrow array: {what}")))
}

impl RawArray {
    /// Refuses what the Arrow library would trust: it takes the producer's numbers as they are. What cannot be seen
    /// from here, the length of the first two buffers, stays the producer's promise.
    fn check(&self, dtype: &Dtype) -> Result<()> {
        if self.release.is_none() {
            return bad("it has already been released");
        }
        let (Ok(length), Ok(offset)) = (usize::try_from(self.length), usize::try_from(self.offset)) else {
            return bad("a negative length or offset");
        };
        let Some(end) = length.checked_add(offset).filter(|&end| end <= MAX_ROWS) else {
            return bad("its length overflows");
        };
        let (buffers, children) = match dtype {
            // None by the specification, one in Polars.
            Dtype::Null => (0..=1, 0),
            // A view names its text buffer with 32 bits.
            Dtype::Text => (3..=3 + i64::from(u32::MAX), 0),
            Dtype::Categories(_) | Dtype::Enumeration(_) | Dtype::Groups => (2..=2, 0),
            Dtype::List(_) => (2..=2, 1),
            Dtype::Array(..) => (1..=1, 1),
            Dtype::Other(_) => return Ok(()),
        };
        if !buffers.contains(&self.n_buffers) || self.n_children != children {
            return bad("the wrong number of buffers or children");
        }
        if !self.dictionary.is_null() && !matches!(dtype, Dtype::Categories(_) | Dtype::Enumeration(_)) {
            return bad("an unknown dictionary");
        }
        if matches!(dtype, Dtype::Null) {
            return Ok(());
        }
        if self.buffers.is_null() || !self.buffers.is_aligned() {
            return bad("no buffers");
        }
        self.check_validity(offset, length)?;
        match dtype {
            Dtype::Text if end > 0 && self.buffer(1).is_null() => bad("no views"),
            Dtype::Text => self.check_text_buffers(),
            Dtype::Categories(_) | Dtype::Enumeration(_) if end > 0 && self.buffer(1).is_null() => {
                bad("no keys")
            }
            Dtype::Categories(_) | Dtype::Enumeration(_) => {
                // SAFETY: null or an array that lives as long as this one.
                let Some(values) = (unsafe { foreign(self.dictionary) }) else {
                    return bad("no dictionary");
                };
                values.check(&Dtype::Text)
            }
            Dtype::Groups if end > 0 && self.buffer(1).is_null() => bad("no values"),
            Dtype::List(_) if end > 0 && self.buffer(1).is_null() => bad("no offsets"),
            Dtype::List(child) => self.entries()?.check(child),
            Dtype::Array(child, width) => {
                let entries = self.entries()?;
                entries.check(child)?;
                let needed = i64::try_from(end).ok().and_then(|end| end.checked_mul(i64::from(*width)));
                if needed.is_some_and(|needed| needed <= entries.length) {
                    Ok(())
                } else {
                    bad("too few entries")
                }
            }
            Dtype::Null | Dtype::Groups | Dtype::Other(_) => Ok(()),
        }
    }

    /// The null count decides whether the validity is looked at, so the two must not contradict each other.
    fn check_validity(&self, offset: usize, length: usize) -> Result<()> {
        let validity = self.buffer(0).cast::<u8>();
        match self.null_count {
            // Not counted.
            -1 => return Ok(()),
            0 if validity.is_null() || length == 0 => return Ok(()),
            0 => {}
            1.. if !validity.is_null() => return Ok(()),
            _ => return bad("its null count contradicts its validity"),
        }
        // SAFETY: not null, and the producer promises a bit for each row.
        let bits = unsafe { std::slice::from_raw_parts(validity, (offset + length).div_ceil(8)) };
        if UnalignedBitChunk::new(bits, offset, length).count_ones() == length {
            Ok(())
        } else {
            bad("its null count contradicts its validity")
        }
    }

    /// The child of a list, whose number was checked.
    fn entries(&self) -> Result<&RawArray> {
        // SAFETY: null or one pointer, which is null or an array that lives as long as this one.
        let entries = unsafe { foreign(self.children).and_then(|&child| foreign(child)) };
        entries.map_or_else(|| bad("no entries"), Ok)
    }

    /// A column of views ends with a buffer that holds the lengths of its text buffers.
    fn check_text_buffers(&self) -> Result<()> {
        let texts = usize::try_from(self.n_buffers - 3).expect("checked to be at least 3");
        if texts == 0 {
            return Ok(());
        }
        let lengths = self.buffer(2 + texts).cast::<i64>();
        if lengths.is_null() || !lengths.is_aligned() {
            return bad("no lengths of the text buffers");
        }
        for text in 0..texts {
            // SAFETY: not null, aligned, and as long as there are text buffers.
            let length = unsafe { lengths.add(text).read() };
            if length < 0 || (length > 0 && self.buffer(2 + text).is_null()) {
                return bad("a text buffer without a length");
            }
        }
        Ok(())
    }

    fn buffer(&self, index: usize) -> *const c_void {
        // SAFETY: callers have checked `buffers` and stay below `n_buffers`.
        unsafe { *self.buffers.add(index) }
    }
}

fn named_dtype(schema: &RawSchema) -> Result<(String, Dtype)> {
    let name = schema.name();
    match Dtype::read(schema) {
        Ok(dtype) => Ok((name, dtype)),
        Err(error) => Err(Error::new(format!("column '{name}': {error}"))),
    }
}

impl ForeignColumn {
    /// Moves the chunks out of an export, which is released by its owner.
    fn take(export: &SeriesExport) -> Result<Self> {
        if export.release.is_none() {
            return Err(Error::new("a column has already been released"));
        }
        let pointers = if export.arrays.is_null() {
            &[]
        } else {
            // SAFETY: `arrays` holds `len` pointers.
            unsafe { std::slice::from_raw_parts(export.arrays, export.len) }
        };
        // Moved before anything is refused: the export does not release its arrays.
        let chunks: Vec<_> = pointers
            .iter()
            .filter(|array| !array.is_null())
            // SAFETY: a pointer to an array that is ours to move out.
            .map(|&array| unsafe { FFI_ArrowArray::from_raw(array) })
            .collect();
        // SAFETY: null, or the schema that the export owns.
        let schema =
            unsafe { foreign(export.field) }.ok_or_else(|| Error::new("a column without a schema"))?;
        let (name, dtype) = named_dtype(schema)?;
        if chunks.len() != export.len {
            return Err(Error::new(format!("column '{name}': a chunk is missing")));
        }
        Ok(Self { name, dtype, chunks })
    }

    /// The chunks with their lengths, imported where the layout has an Arrow type. Buffers are not copied.
    pub fn import(self) -> Result<(String, Dtype, Vec<Chunk>)> {
        let Self { name, dtype, chunks } = self;
        let arrow = dtype.arrow();
        let chunks = chunks
            .into_iter()
            .map(|array| import_chunk(array, &dtype, arrow.clone()))
            .collect::<Result<_>>()
            .map_err(|error| Error::new(format!("column '{name}': {error}")))?;
        Ok((name, dtype, chunks))
    }
}

/// A chunk of a column.
pub enum Chunk {
    /// `rows` rows, all null.
    Nulls(usize),
    /// Imported data; only the layout has been checked, not the text.
    Data(ArrayData),
}

fn import_chunk(array: FFI_ArrowArray, dtype: &Dtype, arrow: Option<DataType>) -> Result<Chunk> {
    // SAFETY: both structs are `ArrowArray` of the C data interface.
    unsafe { &*(&raw const array).cast::<RawArray>() }.check(dtype)?;
    // Without rows there is nothing to import, and the buffers may point anywhere.
    let Some(arrow) = arrow.filter(|_| !array.is_empty()) else { return Ok(Chunk::Nulls(array.len())) };
    // SAFETY: the schema says this layout, and the checks above hold the numbers against each other.
    let data = unsafe { from_ffi_and_data_type(array, arrow) };
    data.map(Chunk::Data).map_err(|error| Error::new(format!("not a valid Arrow array: {error}")))
}

/// Memory around an exported column, freed by [`release_export`].
struct ExportedParts {
    // Boxed one by one, because Polars reads each through a pointer of its own.
    #[expect(dead_code, reason = "owned here, read by Polars through a pointer")]
    schema: Box<FFI_ArrowSchema>,
    array: *mut FFI_ArrowArray,
    pointers: Box<[*mut FFI_ArrowArray; 1]>,
}

unsafe extern "C" fn release_export(export: *mut SeriesExport) {
    // SAFETY: called once, by the owner of an export that `export_column` made.
    unsafe {
        let parts = Box::from_raw((*export).private_data.cast::<ExportedParts>());
        // The array itself was moved out by the receiver; only its memory is left. Where the receiver gave
        // up before, the array is leaked, as Polars' own exports are, rather than freed twice.
        drop(Box::from_raw(parts.array.cast::<std::mem::ManuallyDrop<FFI_ArrowArray>>()));
        debug_assert!(std::ptr::eq(parts.pointers[0], parts.array));
        (*export).release = None;
        (*export).private_data = std::ptr::null_mut();
    }
}

fn export_column(name: &str, data: &ArrayData) -> Result<SeriesExport> {
    let schema = Box::new(export_field(&Field::new(name, data.data_type().clone(), true))?);
    let array = Box::into_raw(Box::new(FFI_ArrowArray::new(data)));
    let mut pointers = Box::new([array]);
    Ok(SeriesExport {
        field: (&raw const *schema).cast(),
        arrays: pointers.as_mut_ptr(),
        len: 1,
        release: Some(release_export),
        private_data: Box::into_raw(Box::new(ExportedParts { schema, array, pointers })).cast(),
    })
}

fn export_field(field: &Field) -> Result<FFI_ArrowSchema> {
    FFI_ArrowSchema::try_from(field).map_err(|error| Error::new(error.to_string()))
}

/// Runs the body of an exported function: panics and errors become the last error message.
fn guard(body: impl FnOnce() -> Result<()>) {
    let message = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            format!("internal error in anls_frame, please report it: {text}")
        }
    };
    let message = CString::new(message.replace('\0', "\\0")).expect("has no NUL left");
    LAST_ERROR.set(message);
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// The keyword arguments of a call, a pickle.
///
/// # Safety
/// `pointer` is null or points to `len` bytes that outlive the call.
unsafe fn bytes<'a>(pointer: *const u8, len: usize) -> Result<&'a [u8]> {
    if len > MAX_KWARGS {
        return Err(Error::new(format!(
            "the options of the expression take {len} bytes, too many to be read"
        )));
    }
    // SAFETY: the caller's promise.
    Ok(if pointer.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(pointer, len) } })
}

/// Answers a schema call: which field results from these fields.
///
/// # Safety
/// The arguments are those of a schema call of the plugin interface.
pub unsafe fn call_field(
    fields: *const RawSchema,
    n_fields: usize,
    result: *mut FFI_ArrowSchema,
    (kwargs, kwargs_len): (*const u8, usize),
    respond: impl FnOnce(Vec<(String, Dtype)>, &[u8]) -> Result<Field>,
) {
    guard(|| {
        let fields = if fields.is_null() {
            &[]
        } else {
            // SAFETY: the caller lends `n_fields` schemas for the length of the call.
            unsafe { std::slice::from_raw_parts(fields, n_fields) }
        };
        let fields = fields.iter().map(named_dtype).collect::<Result<_>>()?;
        // SAFETY: as promised by the caller.
        let field = export_field(&respond(fields, unsafe { bytes(kwargs, kwargs_len) }?)?)?;
        // SAFETY: the caller gives an empty schema to overwrite.
        unsafe { result.write(field) };
        Ok(())
    });
}

/// Answers a call on data: the column that results from these columns.
///
/// # Safety
/// The arguments are those of a call of the plugin interface. The columns become ours.
pub unsafe fn call_columns(
    columns: *const SeriesExport,
    n_columns: usize,
    result: *mut SeriesExport,
    (kwargs, kwargs_len): (*const u8, usize),
    respond: impl FnOnce(Vec<ForeignColumn>, &[u8]) -> Result<(&'static str, ArrayData)>,
) {
    HAS_RUN.store(true, Ordering::Relaxed);
    guard(|| {
        let n_columns = if columns.is_null() { 0 } else { n_columns };
        // All of them first: an error at one column must still release the others.
        // SAFETY: the caller gives `n_columns` exports away and forgets them.
        let exports: Vec<SeriesExport> =
            (0..n_columns).map(|index| unsafe { columns.add(index).read() }).collect();
        let columns = exports.iter().map(ForeignColumn::take).collect::<Vec<_>>();
        let columns = columns.into_iter().collect::<Result<_>>()?;
        // SAFETY: as promised by the caller.
        let (name, data) = respond(columns, unsafe { bytes(kwargs, kwargs_len) }?)?;
        let export = export_column(name, &data)?;
        // SAFETY: the caller gives an empty export to overwrite.
        unsafe { result.write(export) };
        Ok(())
    });
}

/// A schema call, as Polars calls it.
pub type FieldCall = unsafe extern "C" fn(*const RawSchema, usize, *mut FFI_ArrowSchema, *const u8, usize);

/// A call on columns, as Polars calls it.
pub type ColumnsCall =
    unsafe extern "C" fn(*const SeriesExport, usize, *const u8, usize, *mut SeriesExport, *const c_void);

/// The two functions that are exported for an expression.
#[derive(Clone, Copy)]
pub struct Exported {
    /// The symbol of the call on columns.
    pub symbol: &'static str,
    /// The schema call.
    pub field: FieldCall,
    /// The call on columns.
    pub call: ColumnsCall,
}

/// Exports the two functions of each expression: the schema call and the call on data; and lists them.
macro_rules! export {
    ($($expression:ident: $field:ident, $call:ident;)*) => {
    $(
        /// Schema call of this expression.
        ///
        /// # Safety
        /// Called by Polars, with the arguments of its plugin interface.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $field(
            fields: *const $crate::plugin::schema::RawSchema,
            n_fields: usize,
            result: *mut arrow_array::ffi::FFI_ArrowSchema,
            kwargs: *const u8,
            kwargs_len: usize,
        ) {
            // SAFETY: the arguments of a schema call, passed on.
            unsafe {
                $crate::plugin::abi::call_field(
                    fields,
                    n_fields,
                    result,
                    (kwargs, kwargs_len),
                    |fields, kwargs| $expression.field(&fields, kwargs),
                );
            }
        }

        /// Call of this expression on columns.
        ///
        /// # Safety
        /// Called by Polars, with the arguments of its plugin interface; the columns become ours.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $call(
            columns: *const $crate::plugin::abi::SeriesExport,
            n_columns: usize,
            kwargs: *const u8,
            kwargs_len: usize,
            result: *mut $crate::plugin::abi::SeriesExport,
            _context: *const std::ffi::c_void,
        ) {
            // SAFETY: the arguments of a call on columns, passed on.
            unsafe {
                $crate::plugin::abi::call_columns(
                    columns,
                    n_columns,
                    result,
                    (kwargs, kwargs_len),
                    |columns, kwargs| $expression.call(columns, kwargs),
                );
            }
        }
    )*

        /// What is exported here.
        pub const EXPORTED: &[$crate::plugin::abi::Exported] =
            &[$($crate::plugin::abi::Exported { symbol: stringify!($call), field: $field, call: $call }),*];
    };
}

pub(super) use export;

/// The version of the plugin interface.
#[unsafe(no_mangle)]
pub extern "C" fn _polars_plugin_get_version() -> u32 {
    VERSION
}

/// The message of the last error on this thread; valid until the next call on it.
#[unsafe(no_mangle)]
pub extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    LAST_ERROR.with_borrow(|message| message.as_ptr())
}
