//! `ArrowSchema` of the C data interface, read as far as [`super::dtype`] asks.

use std::ffi::{CStr, c_char, c_void};

use super::{Error, Result};

/// A schema that a producer lends, with readable fields.
#[repr(C)]
pub struct RawSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const u8,
    flags: i64,
    n_children: i64,
    children: *const *const RawSchema,
    dictionary: *const RawSchema,
    release: Option<unsafe extern "C" fn(*mut RawSchema)>,
    private_data: *mut c_void,
}

/// What a foreign pointer points to; `None` where it is null or misaligned.
///
/// # Safety
/// An aligned pointer that is not null points to a `T` that lives for `'a`.
pub unsafe fn foreign<'a, T>(pointer: *const T) -> Option<&'a T> {
    // SAFETY: the caller's promise.
    if pointer.is_aligned() { unsafe { pointer.as_ref() } } else { None }
}

impl RawSchema {
    pub fn format(&self) -> Result<&str> {
        if self.release.is_none() {
            return Err(Error::new("the schema of a column has already been released"));
        }
        if self.format.is_null() {
            return Err(Error::new("a column came without an Arrow format"));
        }
        // SAFETY: not null, and the C data interface makes it a NUL-terminated text that lives as long as
        // the schema.
        let format = unsafe { CStr::from_ptr(self.format) };
        format.to_str().map_err(|_| Error::new("a column's Arrow format is not UTF-8"))
    }

    /// The name; empty where there is none.
    pub fn name(&self) -> String {
        if self.release.is_none() || self.name.is_null() {
            return String::new();
        }
        // SAFETY: as for the format.
        unsafe { CStr::from_ptr(self.name) }.to_string_lossy().into_owned()
    }

    /// The dictionary's values, for a dictionary-encoded column.
    pub fn dictionary(&self) -> Option<&RawSchema> {
        // SAFETY: null or a schema that lives as long as this one.
        unsafe { foreign(self.dictionary) }
    }

    pub fn only_child(&self) -> Result<&RawSchema> {
        let missing = || Error::new("a list column came without the schema of its entries");
        if self.n_children != 1 {
            return Err(missing());
        }
        // SAFETY: an array of one pointer, which is null or a schema that lives as long as this one.
        unsafe { foreign(self.children).and_then(|&child| foreign(child)) }.ok_or_else(missing)
    }

    /// Whether the metadata has a key that starts so.
    pub fn has_metadata(&self, prefix: &[u8]) -> bool {
        if self.metadata.is_null() {
            return false;
        }
        // Layout: number of entries, then key length, key, value length, value; native 32-bit integers.
        let mut position = 0;
        // SAFETY: the producer promises this layout; lengths are followed only while they are not negative.
        let mut read_length = |skip: usize| unsafe {
            position += skip;
            let bytes = self.metadata.add(position).cast::<[u8; 4]>().read();
            position += 4;
            (usize::try_from(i32::from_ne_bytes(bytes)).ok(), position)
        };
        let (Some(entries), _) = read_length(0) else { return false };
        let mut skip = 0;
        for _ in 0..entries {
            let (Some(key_length), start) = read_length(skip) else { return false };
            // SAFETY: as above.
            let key = unsafe { std::slice::from_raw_parts(self.metadata.add(start), key_length) };
            if key.starts_with(prefix) {
                return true;
            }
            let (Some(value_length), _) = read_length(key_length) else { return false };
            skip = value_length;
        }
        false
    }
}
