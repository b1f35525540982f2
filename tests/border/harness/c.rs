//! The structs and functions of the C interface, written out once more from its specification: what the
//! plugin believes about them is part of what is tested.

use std::ffi::{c_char, c_void};
use std::mem::transmute;

use anls_frame::plugin::abi::{ColumnsCall, Exported, FieldCall};
use anls_frame::plugin::exported;

/// `ArrowSchema` of the Arrow C data interface.
#[repr(C)]
pub struct CSchema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const u8,
    pub flags: i64,
    pub n_children: i64,
    pub children: *const *mut CSchema,
    pub dictionary: *mut CSchema,
    pub release: Option<unsafe extern "C" fn(*mut CSchema)>,
    pub private_data: *mut c_void,
}

/// `ArrowArray` of the Arrow C data interface.
#[repr(C)]
pub struct CArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *const *const c_void,
    pub children: *const *mut CArray,
    pub dictionary: *mut CArray,
    pub release: Option<unsafe extern "C" fn(*mut CArray)>,
    pub private_data: *mut c_void,
}

/// A column in Polars' plugin interface.
#[repr(C)]
pub struct CExport {
    pub field: *mut CSchema,
    pub arrays: *mut *mut CArray,
    pub len: usize,
    pub release: Option<unsafe extern "C" fn(*mut CExport)>,
    pub private_data: *mut c_void,
}

impl CSchema {
    /// What Polars passes for the plugin to write into.
    pub const EMPTY: Self = Self {
        format: std::ptr::null(),
        name: std::ptr::null(),
        metadata: std::ptr::null(),
        flags: 0,
        n_children: 0,
        children: std::ptr::null(),
        dictionary: std::ptr::null_mut(),
        release: None,
        private_data: std::ptr::null_mut(),
    };
}

impl CExport {
    /// What Polars passes for the plugin to write into.
    pub const EMPTY: Self = Self {
        field: std::ptr::null_mut(),
        arrays: std::ptr::null_mut(),
        len: 0,
        release: None,
        private_data: std::ptr::null_mut(),
    };
}

/// Releases what it holds when it goes out of scope, as Polars' own structs do.
macro_rules! release_on_drop {
    ($($type:ty),*) => {$(
        impl Drop for $type {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: set by the maker of the struct, for this struct.
                    unsafe { release(self) }
                }
            }
        }
    )*};
}

release_on_drop!(CSchema, CArray, CExport);

/// A schema call: fields, their number, result, keyword arguments and their length.
pub type FieldFunction = unsafe extern "C" fn(*const CSchema, usize, *mut CSchema, *const u8, usize);

/// A call on data: columns, their number, keyword arguments and their length, result, context.
pub type DataFunction =
    unsafe extern "C" fn(*const CExport, usize, *const u8, usize, *mut CExport, *const c_void);

/// A metric: its name and its two exported functions.
#[derive(Clone, Copy)]
pub struct Metric {
    pub name: &'static str,
    pub field: FieldFunction,
    pub data: DataFunction,
}

/// The functions of a list of the library, as Polars declares them.
const fn declared<const N: usize>(exported: &[Exported]) -> [Metric; N] {
    let mut metrics = [const { Metric::declared(&exported::METRICS[0]) }; N];
    let mut index = 0;
    while index < N {
        metrics[index] = Metric::declared(&exported[index]);
        index += 1;
    }
    metrics
}

impl Metric {
    const fn declared(exported: &Exported) -> Self {
        let (_, name) = exported.symbol.split_at("_polars_plugin_".len());
        // SAFETY: the same functions, whose structs are written out once more.
        let (field, data) = unsafe {
            (
                transmute::<FieldCall, FieldFunction>(exported.field),
                transmute::<ColumnsCall, DataFunction>(exported.call),
            )
        };
        Self { name, field, data }
    }

    const fn named(name: &str, metrics: &[Self]) -> Self {
        let mut index = 0;
        while !are_equal(metrics[index].name.as_bytes(), name.as_bytes()) {
            index += 1;
        }
        metrics[index]
    }
}

const fn are_equal(mut left: &[u8], mut right: &[u8]) -> bool {
    while let ([first, others @ ..], [other_first, other_others @ ..]) = (left, right) {
        if *first != *other_first {
            return false;
        }
        (left, right) = (others, other_others);
    }
    left.is_empty() && right.is_empty()
}

/// Every metric that the plugin exports.
pub const METRICS: &[Metric] = &declared::<{ exported::METRICS.len() }>(exported::METRICS);
/// The one function of three columns that are not all text.
pub const COUNTING: &[Metric] = &declared::<{ exported::COUNTING.len() }>(exported::COUNTING);
/// The functions for grammatical error correction.
pub const CORRECTIONS: &[Metric] = &declared::<{ exported::CORRECTIONS.len() }>(exported::CORRECTIONS);
/// The scores of benchmarks that are no edit distances.
pub const ACCURACIES: &[Metric] = &declared::<{ exported::ACCURACIES.len() }>(exported::ACCURACIES);
/// The function that tells kinds of texts apart.
pub const TELLING: &[Metric] = &declared::<{ exported::TELLING.len() }>(exported::TELLING);
/// The one function of one column that has options.
pub const UNWRAPPING: &[Metric] = &declared::<{ exported::UNWRAPPING.len() }>(exported::UNWRAPPING);

/// Functions that are called alone.
macro_rules! named {
    ($($list:ident: $($constant:ident = $name:literal),*;)*) => {
        $($(#[allow(dead_code, reason = "some are called by fuzzers alone")]
        pub const $constant: Metric = Metric::named($name, $list);)*)*
    };
}

named! {
    METRICS:
        LEVENSHTEIN = "levenshtein", HAMMING = "hamming", NLS = "nls", ANLS = "anls", CER = "cer",
        EXACT_MATCH = "exact_match", NEAREST_ANSWER = "nearest_answer", SCORE = "score",
        EDIT_OPS = "edit_ops", ERROR_TYPE = "error_type", SCORE_DETAILS = "score_details";
    COUNTING: CONFUSION_COUNTS = "confusion_counts";
    CORRECTIONS:
        M2 = "gec_m2", M2_EDITS = "gec_m2_edits", I_MEASURE = "gec_i_measure",
        I_MEASURE_REFERENCES = "gec_i_measure_references", ALIGN3 = "gec_align3";
    ACCURACIES:
        RELAXED_ACCURACY = "relaxed_accuracy", CONTAINS_ANSWER = "contains_answer",
        VQA_ACCURACY = "vqa_accuracy";
    TELLING: TEXT_KIND = "text_kind";
    UNWRAPPING: UNWRAP = "unwrap";
}

unsafe extern "C" {
    pub fn _polars_plugin_get_version() -> u32;
    pub fn _polars_plugin_get_last_error_message() -> *const c_char;
}
