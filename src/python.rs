//! The Python module `anls_frame._native`.
//!
//! Its file is the plugin that Polars loads, and it carries the version. The functions and
//! `PairScorer` score Python strings, one pair or a few, for which a Polars query would cost a hundred times
//! the work. [`json`] reads JSON Lines, for which Python takes ten times as long.

mod json;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use crate::gec::m2;
use crate::kernel::pages::Pages;
use crate::kernel::prepare::Preparation;
use crate::kernel::score::{CharErrors, Nearest, Protocol, Scorer};
use crate::kernel::units::Units;
use crate::kernel::weighted::SubstitutionCost;
use crate::plugin::options::Options;
use crate::plugin::{abi, parallel};

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::json::{JsonLines, json_lines};
    #[pymodule_export]
    use super::{PairScorer, after_fork, anls, cer, levenshtein, page_marks, prepared, units};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Bytes of text from which other Python threads may run meanwhile. Shorter texts take microseconds, and to get
/// the interpreter back from a thread that computes takes milliseconds.
const LONG: usize = 4 << 10;

/// Scores `bytes` bytes of text.
fn score<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < LONG { work() } else { py.detach(work) }
}

/// To be called in a process that was just forked; whether Polars had started its threads before.
#[pyfunction]
fn after_fork() -> bool {
    parallel::after_fork();
    m2::after_fork();
    abi::has_run()
}

#[pyfunction]
fn levenshtein(py: Python<'_>, prediction: &str, reference: &str) -> usize {
    score(py, prediction.len() + reference.len(), || {
        Scorer::default().distance(prediction, reference, Preparation::default(), SubstitutionCost::One)
    })
}

#[pyfunction]
fn cer(py: Python<'_>, prediction: &str, reference: &str) -> f64 {
    let edits = score(py, prediction.len() + reference.len(), || {
        let references = [(0, reference)].into_iter();
        Scorer::default().char_errors(prediction, references, Preparation::default())
    });
    edits.expect("there is a reference").rate()
}

/// `options` is the pickle that the expression of this name takes; `None` without answers.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from a Python list")]
fn anls(py: Python<'_>, prediction: &str, answers: Vec<String>, options: &[u8]) -> PyResult<Option<f64>> {
    let options = Options::parse(options).map_err(to_python)?;
    let (protocol, threshold) = (options.protocol(), options.threshold().map_err(to_python)?);
    let bytes = prediction.len() + answers.iter().map(String::len).sum::<usize>();
    let nearest = score(py, bytes, || {
        let answers = answers.iter().map(String::as_str).enumerate();
        Scorer::default().nearest(prediction, answers, &protocol, options.substitution_cost())
    });
    Ok(nearest.map(|nearest| nearest.anls(protocol.cut, threshold)))
}

/// A text as a protocol prepares it.
#[pyfunction]
fn prepared(text: &str, options: &[u8]) -> PyResult<String> {
    let preparation = Options::parse(options).map_err(to_python)?.protocol().preparation;
    Ok(preparation.prepare(text, &mut String::new()).to_owned())
}

/// A text in the units of a protocol: by turns the text between units, which may be empty, and a unit; `None` if they
/// are code points.
#[pyfunction]
fn units(text: &str, options: &[u8]) -> PyResult<Option<Vec<String>>> {
    let unit = Options::parse(options).map_err(to_python)?.protocol().preparation.unit;
    let mut units = Units::default();
    let parts = units.write([text, ""], unit).parts(0);
    Ok(parts.map(|parts| parts.into_iter().map(str::to_owned).collect()))
}

/// What a page differs in, in the order of the texts: the name of each mark, where it begins in the reference and in the
/// prediction, how many units it has, and where a moved block begins in the other text; `options` is the pickle that the expression `page_errors` takes.
#[pyfunction]
fn page_marks(
    py: Python<'_>,
    prediction: &str,
    reference: &str,
    options: &[u8],
) -> PyResult<Vec<(&'static str, usize, usize, usize, Option<usize>)>> {
    let options = Options::parse(options).map_err(to_python)?;
    let (preparation, rule) = (options.protocol().preparation, options.word_rule());
    Ok(score(py, prediction.len() + reference.len(), || {
        let marks = Pages::default().marks(prediction, reference, preparation, rule, options.min_words());
        marks
            .into_iter()
            .map(|mark| {
                let places = (mark.reference_position, mark.prediction_position);
                (mark.name, places.0, places.1, mark.units, mark.counterpart)
            })
            .collect()
    }))
}

/// Scores batches of pairs by options that were read once: reading them takes longer than a short pair.
#[pyclass(frozen)]
struct PairScorer {
    protocol: Protocol,
    cost: SubstitutionCost,
    threshold: Option<f64>,
}

type Texts = Vec<PyBackedStr>;

#[pymethods]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python lists")]
impl PairScorer {
    /// `options` is the pickle that the expressions take.
    #[new]
    fn new(options: &[u8]) -> PyResult<Self> {
        let options = Options::parse(options).map_err(to_python)?;
        let (protocol, cost) = (options.protocol(), options.substitution_cost());
        Ok(Self { protocol, cost, threshold: options.threshold().ok() })
    }

    /// The similarity of each prediction to its nearest answer.
    fn nls(&self, py: Python<'_>, predictions: Texts, answers: Vec<Texts>) -> PyResult<Vec<f64>> {
        py.detach(|| map_pairs(&predictions, &answers, self.nearest(|nearest| nearest.nls())))
    }

    /// The same after the cut.
    fn anls(&self, py: Python<'_>, predictions: Texts, answers: Vec<Texts>) -> PyResult<Vec<f64>> {
        let threshold =
            self.threshold.ok_or_else(|| PyValueError::new_err("the options have no threshold"))?;
        let anls = |nearest: Nearest| nearest.anls(self.protocol.cut, threshold);
        py.detach(|| map_pairs(&predictions, &answers, self.nearest(anls)))
    }

    /// Edits, reference length and error rate of each prediction, towards the answer with the lowest rate.
    fn char_errors(
        &self,
        py: Python<'_>,
        predictions: Texts,
        answers: Vec<Texts>,
    ) -> PyResult<Vec<(usize, usize, f64)>> {
        let edits = |scorer: &mut Scorer, prediction: &str, answers: &Texts| {
            let edits = scorer.char_errors(prediction, numbered(answers), self.protocol.preparation);
            edits.map(|edits: CharErrors| (edits.errors, edits.reference_length, edits.rate()))
        };
        py.detach(|| map_pairs(&predictions, &answers, edits))
    }
}

impl PairScorer {
    fn nearest<T>(&self, value: impl Fn(Nearest) -> T) -> impl Fn(&mut Scorer, &str, &Texts) -> Option<T> {
        move |scorer, prediction, answers| {
            scorer.nearest(prediction, numbered(answers), &self.protocol, self.cost).map(&value)
        }
    }
}

fn map_pairs<T>(
    predictions: &Texts,
    answers: &[Texts],
    score: impl Fn(&mut Scorer, &str, &Texts) -> Option<T>,
) -> PyResult<Vec<T>> {
    if predictions.len() != answers.len() {
        let message = format!("{} predictions and {} answers", predictions.len(), answers.len());
        return Err(PyValueError::new_err(message));
    }
    let mut scorer = Scorer::default();
    let rows = predictions.iter().zip(answers).map(|(prediction, answers)| {
        score(&mut scorer, prediction, answers).ok_or_else(|| PyValueError::new_err("a pair without answers"))
    });
    rows.collect()
}

fn numbered(answers: &Texts) -> impl Iterator<Item = (usize, &str)> {
    answers.iter().map(|answer| &**answer).enumerate()
}

#[expect(clippy::needless_pass_by_value, reason = "what map_err passes")]
fn to_python(error: crate::plugin::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
