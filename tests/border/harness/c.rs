//! The structs and functions of the C interface, written out once more from its specification: what the
//! plugin believes about them is part of what is tested.

use std::ffi::{c_char, c_void};

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

macro_rules! metrics {
    (
        $(#[$doc:meta])* $list:ident:
        $($constant:ident = $name:literal: $field:ident, $data:ident;)*
    ) => {
        unsafe extern "C" {$(
            fn $field(_: *const CSchema, _: usize, _: *mut CSchema, _: *const u8, _: usize);
            fn $data(
                _: *const CExport, _: usize, _: *const u8, _: usize, _: *mut CExport, _: *const c_void,
            );
        )*}

        $(pub const $constant: Metric = Metric { name: $name, field: $field, data: $data };)*

        $(#[$doc])*
        pub const $list: &[Metric] = &[$($constant),*];
    };
}

metrics! {
    /// Every metric that the plugin exports.
    METRICS:
    LEVENSHTEIN = "levenshtein": _polars_plugin_field_levenshtein, _polars_plugin_levenshtein;
    LCS_DISTANCE = "lcs_distance": _polars_plugin_field_lcs_distance, _polars_plugin_lcs_distance;
    HAMMING = "hamming": _polars_plugin_field_hamming, _polars_plugin_hamming;
    NLS = "nls": _polars_plugin_field_nls, _polars_plugin_nls;
    ANLS = "anls": _polars_plugin_field_anls, _polars_plugin_anls;
    CER = "cer": _polars_plugin_field_cer, _polars_plugin_cer;
    EXACT_MATCH = "exact_match": _polars_plugin_field_exact_match, _polars_plugin_exact_match;
    NEAREST_ANSWER = "nearest_answer": _polars_plugin_field_nearest_answer, _polars_plugin_nearest_answer;
    SCORE = "score": _polars_plugin_field_score, _polars_plugin_score;
    EDIT_OPS = "edit_ops": _polars_plugin_field_edit_ops, _polars_plugin_edit_ops;
    WER = "wer": _polars_plugin_field_wer, _polars_plugin_wer;
    EDIT_COUNTS = "edit_counts": _polars_plugin_field_edit_counts, _polars_plugin_edit_counts;
    WORD_ERRORS = "word_errors": _polars_plugin_field_word_errors, _polars_plugin_word_errors;
    PAGE_ERRORS = "page_errors": _polars_plugin_field_page_errors, _polars_plugin_page_errors;
    SHARED_UNITS = "shared_units": _polars_plugin_field_shared_units, _polars_plugin_shared_units;
    ERROR_TYPE = "error_type": _polars_plugin_field_error_type, _polars_plugin_error_type;
    SCORE_DETAILS = "score_details": _polars_plugin_field_score_details, _polars_plugin_score_details;
}

metrics! {
    /// The one function of three columns that are not all text.
    COUNTING:
    CONFUSION_COUNTS = "confusion_counts":
        _polars_plugin_field_confusion_counts, _polars_plugin_confusion_counts;
}

metrics! {
    /// The functions for grammatical error correction.
    CORRECTIONS:
    M2 = "gec_m2": _polars_plugin_field_gec_m2, _polars_plugin_gec_m2;
    M2_EDITS = "gec_m2_edits": _polars_plugin_field_gec_m2_edits, _polars_plugin_gec_m2_edits;
    I_MEASURE = "gec_i_measure": _polars_plugin_field_gec_i_measure, _polars_plugin_gec_i_measure;
    I_MEASURE_REFERENCES = "gec_i_measure_references":
        _polars_plugin_field_gec_i_measure_references, _polars_plugin_gec_i_measure_references;
    ALIGN3 = "gec_align3": _polars_plugin_field_gec_align3, _polars_plugin_gec_align3;
    ERRANT = "gec_errant": _polars_plugin_field_gec_errant, _polars_plugin_gec_errant;
}

metrics! {
    /// The scores of benchmarks that are no edit distances.
    ACCURACIES:
    RELAXED_ACCURACY = "relaxed_accuracy":
        _polars_plugin_field_relaxed_accuracy, _polars_plugin_relaxed_accuracy;
    CONTAINS_ANSWER = "contains_answer": _polars_plugin_field_contains_answer, _polars_plugin_contains_answer;
    VQA_ACCURACY = "vqa_accuracy": _polars_plugin_field_vqa_accuracy, _polars_plugin_vqa_accuracy;
}

metrics! {
    /// The one function of one column.
    UNWRAPPING:
    UNWRAP = "unwrap": _polars_plugin_field_unwrap, _polars_plugin_unwrap;
}

unsafe extern "C" {
    pub fn _polars_plugin_get_version() -> u32;
    pub fn _polars_plugin_get_last_error_message() -> *const c_char;
}
