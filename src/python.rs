//! The Python module `anls_frame._native`.
//!
//! A shell: its file is the plugin that Polars loads, and it carries the version. The three functions score
//! one pair of Python strings, for which a Polars query would cost a hundred times the work.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::kernel::prepare::Preparation;
use crate::kernel::score::Scorer;
use crate::kernel::weighted::SubstitutionCost;
use crate::plugin::options::Options;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{anls, cer, levenshtein};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

#[pyfunction]
fn levenshtein(prediction: &str, reference: &str) -> usize {
    Scorer::default().distance(prediction, reference, Preparation::default(), SubstitutionCost::One)
}

#[pyfunction]
fn cer(prediction: &str, reference: &str) -> f64 {
    let edits =
        Scorer::default().char_errors(prediction, [(0, reference)].into_iter(), Preparation::default());
    edits.expect("there is a reference").rate()
}

/// `options` is the pickle that the expression of this name takes; `None` without answers.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from a Python list")]
fn anls(prediction: &str, answers: Vec<String>, options: &[u8]) -> PyResult<Option<f64>> {
    let to_python = |error: crate::plugin::Error| PyValueError::new_err(error.to_string());
    let options = Options::parse(options).map_err(to_python)?;
    let (protocol, threshold) = (options.protocol(), options.threshold().map_err(to_python)?);
    let answers = answers.iter().map(String::as_str).enumerate();
    let nearest = Scorer::default().nearest(prediction, answers, &protocol, options.substitution_cost());
    Ok(nearest.map(|nearest| nearest.anls(protocol.cut, threshold)))
}
