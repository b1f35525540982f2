//! Calls of the plugin as Polars makes them, with the checks that every call must pass.

use std::ffi::{CStr, c_void};

use super::c::{_polars_plugin_get_last_error_message, CExport, CSchema, Metric};
use super::describe::{Column, Schema};
use super::export::{export_column, export_schema};
use super::ledger::Ledger;
use super::options::OPTIONS;
use super::read::{Field, Output, Values, read_field, read_output};

/// Calls a metric on columns with the usual options.
#[track_caller]
pub fn call(metric: Metric, columns: &[Column]) -> Result<Output, String> {
    call_with(metric, columns, OPTIONS)
}

/// Calls a metric on columns: every struct passed must be released once, and an error must be a message.
#[track_caller]
pub fn call_with(metric: Metric, columns: &[Column], kwargs: &[u8]) -> Result<Output, String> {
    let ledger = Ledger::default();
    let exports: Vec<CExport> = columns.iter().map(|column| export_column(column, &ledger)).collect();
    let mut result = CExport::EMPTY;
    let context = 0_u64;
    // SAFETY: the arguments of the plugin interface.
    unsafe {
        (metric.data)(
            exports.as_ptr(),
            exports.len(),
            kwargs.as_ptr(),
            kwargs.len(),
            &raw mut result,
            (&raw const context).cast::<c_void>(),
        );
    }
    // The columns are the plugin's now.
    exports.into_iter().for_each(std::mem::forget);
    let outcome = if result.private_data.is_null() {
        assert!(result.release.is_none(), "a failure leaves the result as it was");
        Err(last_error())
    } else {
        // SAFETY: written by the plugin.
        Ok(unsafe { read_output(result) })
    };
    ledger.settle();
    outcome.map_err(checked_message)
}

/// Asks a metric for the field that results from these fields.
#[track_caller]
pub fn call_field(metric: Metric, fields: &[Schema], kwargs: &[u8]) -> Result<Field, String> {
    let ledger = Ledger::default();
    let fields: Vec<CSchema> = fields.iter().map(|field| export_schema(field, &ledger)).collect();
    let releases = ledger.releases();
    let mut result = CSchema::EMPTY;
    // SAFETY: the arguments of the plugin interface.
    unsafe {
        (metric.field)(fields.as_ptr(), fields.len(), &raw mut result, kwargs.as_ptr(), kwargs.len());
    }
    assert_eq!(ledger.releases(), releases, "fields are lent, not given");
    drop(fields);
    ledger.settle();
    if result.private_data.is_null() {
        assert!(result.release.is_none(), "a failure leaves the result as it was");
        return Err(checked_message(last_error()));
    }
    // SAFETY: written by the plugin; released at the end of the scope.
    Ok(unsafe { read_field(&result) })
}

/// The scores of a metric that returns floats.
#[track_caller]
pub fn floats(metric: Metric, prediction: Column, answers: Column) -> Result<Vec<Option<f64>>, String> {
    let output = call(metric, &[prediction, answers])?;
    let Values::Float(values) = output.values else { panic!("{output:?} holds no floats") };
    Ok(values)
}

/// The message of the last error on this thread.
pub fn last_error() -> String {
    // SAFETY: a NUL-terminated text that is valid until the next call.
    let message = unsafe { CStr::from_ptr(_polars_plugin_get_last_error_message()) };
    message.to_str().expect("UTF-8").to_owned()
}

#[track_caller]
fn checked_message(message: String) -> String {
    assert!(!message.is_empty(), "an error has a message");
    assert!(!message.contains("internal error") && message != "PANIC", "a panic: {message}");
    message
}
