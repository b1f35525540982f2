//! The I-measure of a row: counts against its best reference.
//!
//! References are sentences, or are made from edits, and can be mixed from several annotators. Their number then
//! multiplies, and so does the time: more than `max_references` is an error.

use super::align::{Aligner, Costs};
use super::edits::Annotator;
use super::references;
use super::scores::{Both, Metric, count, improvement, key};
use super::tokens::Vocabulary;

/// Options of the I-measure.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Weight of positives.
    pub w: f64,
    /// Beta of F, where references are chosen by it.
    pub beta: f64,
    /// Whether references are mixed from the edits of several annotators.
    pub mix: bool,
    /// What references are chosen by.
    pub metric: Metric,
    /// Whether by detection rather than correction.
    pub by_detection: bool,
    /// More references are an error.
    pub max_references: usize,
    /// A larger table is an error.
    pub max_cells: usize,
    /// Costs of the alignment.
    pub costs: Costs,
}

/// What the references are made of.
pub enum Standard<'a> {
    /// Edits.
    Edits(Vec<Annotator<'a>>),
    /// Sentences.
    Sentences(Vec<&'a str>),
}

/// The result of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Counts of the system.
    pub system: Both,
    /// Counts of the source in its place.
    pub baseline: Both,
    /// The reference chosen.
    pub reference: u32,
    /// Weighted accuracy of the system, where there is a column.
    pub accuracy: Option<f64>,
    /// That of the source.
    pub base_accuracy: Option<f64>,
    /// The I-measure.
    pub improvement: Option<f64>,
}

/// Scores rows, keeping its memory from one to the next.
pub struct Scorer {
    aligner: Aligner,
    options: Options,
}

impl Scorer {
    /// A scorer with these options.
    pub fn new(options: Options) -> Self {
        Self { aligner: Aligner::new(options.costs), options }
    }

    /// Scores a row; none where there is no reference.
    pub fn score<'a>(
        &mut self,
        hypothesis: &'a str,
        source: &'a str,
        standard: &Standard<'a>,
    ) -> Result<Option<Row>, String> {
        let options = self.options;
        let mut vocabulary = Vocabulary::default();
        let (source, hypothesis) = (vocabulary.numbers(source), vocabulary.numbers(hypothesis));
        let references = match standard {
            Standard::Edits(annotators) => references::from_edits(
                &source,
                annotators,
                &mut vocabulary,
                options.mix,
                options.max_references,
            )?,
            Standard::Sentences(texts) => texts.iter().map(|text| vocabulary.numbers(text)).collect(),
        };
        let mut best: Option<([[Option<f64>; 4]; 2], Row)> = None;
        for (index, reference) in references.iter().enumerate() {
            if references[..index].contains(reference) {
                continue;
            }
            self.aligner.align(&source, &hypothesis, reference, options.max_cells)?;
            let system = count(&self.aligner.columns);
            // On an alignment of its own: that of the system has columns for words that the system alone
            // has, where source and reference would agree in having none.
            self.aligner.align(&source, &source, reference, options.max_cells)?;
            let baseline = count(&self.aligner.columns);
            let of_correction =
                key(&system.correction, &baseline.correction, options.metric, options.w, options.beta);
            let of_detection =
                key(&system.detection, &baseline.detection, options.metric, options.w, options.beta);
            let (keys, own, base) = if options.by_detection {
                ([of_detection, of_correction], system.detection, baseline.detection)
            } else {
                ([of_correction, of_detection], system.correction, baseline.correction)
            };
            if best.as_ref().is_none_or(|(known, _)| keys > *known) {
                let accuracy = own.weighted_accuracy(options.w);
                let base_accuracy = base.weighted_accuracy(options.w);
                let improvement = accuracy.zip(base_accuracy).map(|(own, base)| improvement(own, base));
                let reference = index as u32;
                let row = Row { system, baseline, reference, accuracy, base_accuracy, improvement };
                best = Some((keys, row));
            }
        }
        Ok(best.map(|(_, row)| row))
    }
}
