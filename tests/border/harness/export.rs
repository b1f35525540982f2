//! From descriptions to C structs with release callbacks that count.

use std::alloc::Layout;
use std::ffi::{CString, c_void};
use std::mem::ManuallyDrop;

use super::c::{CArray, CExport, CSchema};
use super::describe::{Array, Bytes, Column, Fault, Schema};
use super::ledger::{Entry, Ledger};

/// A box whose content is read through pointers while it is owned.
struct Owned<T>(*mut T);

impl<T> Owned<T> {
    fn new(value: T) -> Self {
        Self(Box::into_raw(Box::new(value)))
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: made from a box, and dropped once.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// A buffer without a byte to spare, so that a sanitizer sees what reads past its end.
struct Block {
    base: *mut u8,
    layout: Layout,
    skew: usize,
}

const ALIGNMENT: usize = 16;

impl Block {
    fn new(Bytes { bytes, skew }: &Bytes) -> Self {
        let layout = Layout::from_size_align(skew + bytes.len(), ALIGNMENT).expect("small");
        if bytes.is_empty() {
            // An empty buffer may point anywhere, so it points to nothing.
            return Self { base: std::ptr::without_provenance_mut(ALIGNMENT), layout, skew: *skew };
        }
        // SAFETY: the size is not 0, and the block holds what is copied into it.
        let base = unsafe {
            let base = std::alloc::alloc(layout);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), base.add(*skew), bytes.len());
            base
        };
        Self { base, layout, skew: *skew }
    }

    fn pointer(&self) -> *const c_void {
        self.base.wrapping_add(self.skew).cast()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.layout.size() > self.skew {
            // SAFETY: allocated with this layout.
            unsafe { std::alloc::dealloc(self.base, self.layout) }
        }
    }
}

/// A pointer one byte further on: not null, not aligned, never to be followed.
fn misaligned<T>(pointer: *mut T) -> *mut T {
    pointer.wrapping_byte_add(1)
}

fn count(values: usize) -> i64 {
    i64::try_from(values).expect("small")
}

/// Pointers to the children of a struct, with their number, after what the faults do to them.
fn child_pointers<T>(children: &[Owned<T>], faults: &[Fault]) -> (Vec<*mut T>, i64) {
    let mut pointers: Vec<*mut T> = children.iter().map(|child| child.0).collect();
    let mut number = count(pointers.len());
    for fault in faults {
        match fault {
            Fault::NoChild => pointers[0] = std::ptr::null_mut(),
            Fault::MisalignedChild => pointers[0] = misaligned(pointers[0]),
            Fault::ChildCount(other) => number = *other,
            _ => {}
        }
    }
    (pointers, number)
}

fn or_null<T>(values: &[T], is_null: bool) -> *const T {
    if is_null { std::ptr::null() } else { values.as_ptr() }
}

unsafe extern "C" fn release_schema(schema: *mut CSchema) {
    // SAFETY: made by `export_schema`, whose ledger lives.
    unsafe {
        Entry::release((*schema).private_data);
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut CArray) {
    // SAFETY: made by `export_array`, whose ledger lives.
    unsafe {
        Entry::release((*array).private_data);
        (*array).release = None;
    }
}

unsafe extern "C" fn release_export(export: *mut CExport) {
    // SAFETY: made by `export_column`, whose ledger lives.
    unsafe {
        Entry::release((*export).private_data);
        (*export).release = None;
    }
}

pub fn export_schema(schema: &Schema, ledger: &Ledger) -> CSchema {
    let text = |text: &Option<Vec<u8>>| {
        text.as_ref().map(|text| CString::new(text.clone()).expect("a C text has no NUL inside"))
    };
    let pointer = |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
    let (format, name) = (text(&schema.format), text(&schema.name));
    let metadata = schema.metadata.clone().map(|metadata| Block::new(&metadata.into()));
    let owned = |schema: &Schema| Owned::new(export_schema(schema, ledger));
    let children: Vec<_> = schema.children.iter().map(owned).collect();
    let dictionary = schema.dictionary.as_deref().map(owned);
    let (pointers, n_children) = child_pointers(&children, &schema.faults);
    let mut exported = CSchema {
        format: pointer(&format),
        name: pointer(&name),
        metadata: metadata.as_ref().map_or(std::ptr::null(), |metadata| metadata.pointer().cast()),
        n_children,
        children: or_null(&pointers, schema.faults.contains(&Fault::NoChildren)),
        dictionary: dictionary_pointer(dictionary.as_ref(), &schema.faults),
        flags: 2,
        release: Some(release_schema),
        private_data: std::ptr::null_mut(),
    };
    let what = format!("schema {:?}", schema.name.as_deref().map(String::from_utf8_lossy));
    let memory = (format, name, metadata, children, dictionary, pointers);
    exported.private_data = ledger.enter(what, memory);
    if schema.faults.contains(&Fault::Released) {
        // SAFETY: just made. What is passed on is a struct whose pointers are stale.
        unsafe { release_schema(&raw mut exported) };
    }
    exported
}

pub fn export_array(array: &Array, ledger: &Ledger) -> CArray {
    let blocks: Vec<_> = array.buffers.iter().map(|buffer| buffer.as_ref().map(Block::new)).collect();
    let buffers: Vec<_> =
        blocks.iter().map(|block| block.as_ref().map_or(std::ptr::null(), Block::pointer)).collect();
    let owned = |array: &Array| Owned::new(export_array(array, ledger));
    let children: Vec<_> = array.children.iter().map(owned).collect();
    let dictionary = array.dictionary.as_deref().map(owned);
    let (pointers, n_children) = child_pointers(&children, &array.faults);
    let buffer_count = array.faults.iter().find_map(|fault| match fault {
        Fault::BufferCount(number) => Some(*number),
        _ => None,
    });
    let mut exported = CArray {
        length: array.length,
        null_count: array.null_count,
        offset: array.offset,
        n_buffers: buffer_count.unwrap_or(count(buffers.len())),
        n_children,
        buffers: or_null(&buffers, array.faults.contains(&Fault::NoBuffers)),
        children: or_null(&pointers, array.faults.contains(&Fault::NoChildren)),
        dictionary: dictionary_pointer(dictionary.as_ref(), &array.faults),
        release: Some(release_array),
        private_data: std::ptr::null_mut(),
    };
    let memory = (blocks, buffers, children, dictionary, pointers);
    exported.private_data = ledger.enter(format!("array of {} rows", array.length), memory);
    if array.faults.contains(&Fault::Released) {
        // SAFETY: as for a schema.
        unsafe { release_array(&raw mut exported) };
    }
    exported
}

fn dictionary_pointer<T>(dictionary: Option<&Owned<T>>, faults: &[Fault]) -> *mut T {
    let pointer = dictionary.map_or(std::ptr::null_mut(), |dictionary| dictionary.0);
    if faults.contains(&Fault::MisalignedDictionary) { misaligned(pointer) } else { pointer }
}

pub fn export_column(column: &Column, ledger: &Ledger) -> CExport {
    let schema = Owned::new(export_schema(&column.schema, ledger));
    // As in Polars, the export frees the memory of its chunks but does not release them: whoever receives
    // the column has moved them out.
    let export_chunk = |(index, chunk): (usize, &Array)| {
        let missing = column.faults.contains(&Fault::NoChunks);
        if missing || column.faults.contains(&Fault::NoChunk(index)) {
            return None;
        }
        Some(Owned::new(ManuallyDrop::new(export_array(chunk, ledger))))
    };
    let chunks: Vec<_> = column.chunks.iter().enumerate().map(export_chunk).collect();
    let mut pointers: Vec<*mut CArray> = chunks
        .iter()
        .map(|chunk| chunk.as_ref().map_or(std::ptr::null_mut(), |chunk| chunk.0.cast()))
        .collect();
    let mut exported = CExport {
        field: if column.faults.contains(&Fault::NoSchema) { std::ptr::null_mut() } else { schema.0 },
        arrays: pointers.as_mut_ptr(),
        len: pointers.len(),
        release: Some(release_export),
        private_data: std::ptr::null_mut(),
    };
    if column.faults.contains(&Fault::NoChunks) {
        exported.arrays = std::ptr::null_mut();
    }
    let arrays = pointers.clone();
    exported.private_data = ledger.enter("an export".to_owned(), (schema, chunks, pointers));
    if column.faults.contains(&Fault::Released) {
        for array in arrays {
            // SAFETY: just made. As its receiver would, the chunk is moved out and released.
            drop(unsafe { std::ptr::read(array) });
        }
        // SAFETY: as for a schema.
        unsafe { release_export(&raw mut exported) };
    }
    exported
}
