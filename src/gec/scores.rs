//! The counts and formulas of the I-measure.
//!
//! Counts are those of one sentence; add them up before dividing, as the mean of the scores of sentences is another
//! figure.

use super::align::Column;

/// Counts of one aspect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// True positives.
    pub tp: u32,
    /// True negatives.
    pub tn: u32,
    /// False positives.
    pub fp: u32,
    /// False negatives.
    pub fn_: u32,
    /// Both false positive and false negative.
    pub fpn: u32,
}

/// Counts of both aspects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Both {
    /// Whether errors were found.
    pub detection: Counts,
    /// Whether they were put right.
    pub correction: Counts,
}

/// Counts the columns of an alignment.
pub fn count(columns: &[Column]) -> Both {
    let mut both = Both::default();
    for &Column { source, hypothesis, reference } in columns {
        let [detection, correction] = [&mut both.detection, &mut both.correction];
        match (source == hypothesis, source == reference, hypothesis == reference) {
            (true, true, _) => (detection.tn, correction.tn) = (detection.tn + 1, correction.tn + 1),
            (true, false, _) => (detection.fn_, correction.fn_) = (detection.fn_ + 1, correction.fn_ + 1),
            (false, true, _) => (detection.fp, correction.fp) = (detection.fp + 1, correction.fp + 1),
            (false, false, true) => (detection.tp, correction.tp) = (detection.tp + 1, correction.tp + 1),
            (false, false, false) => {
                detection.tp += 1;
                correction.fp += 1;
                correction.fn_ += 1;
                correction.fpn += 1;
            }
        }
    }
    both
}

/// What the best reference is chosen by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Metric {
    /// True positives.
    Tp,
    /// True negatives.
    Tn,
    /// False positives.
    Fp,
    /// False negatives.
    Fn,
    /// Precision.
    #[cfg_attr(feature = "plugin", serde(rename = "p"))]
    Precision,
    /// Recall.
    #[cfg_attr(feature = "plugin", serde(rename = "r"))]
    Recall,
    /// F.
    F,
    /// Accuracy.
    #[cfg_attr(feature = "plugin", serde(rename = "acc"))]
    Accuracy,
    /// Weighted accuracy.
    #[default]
    #[cfg_attr(feature = "plugin", serde(rename = "wacc"))]
    WeightedAccuracy,
    /// The I-measure.
    #[cfg_attr(feature = "plugin", serde(rename = "i"))]
    Improvement,
}

impl Counts {
    /// tp / (tp + fp), 1 where nothing was proposed.
    pub fn precision(&self) -> f64 {
        share(self.tp, self.fp)
    }

    /// tp / (tp + fn), 1 where nothing was to be found.
    pub fn recall(&self) -> f64 {
        share(self.tp, self.fn_)
    }

    /// The F-score.
    pub fn f(&self, beta: f64) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        let divisor = beta * beta * precision + recall;
        if divisor == 0.0 { 0.0 } else { (1.0 + beta * beta) * (precision * recall / divisor) }
    }

    /// The share of columns that are right; none without columns.
    pub fn accuracy(&self) -> Option<f64> {
        let [tp, tn, fp, fn_, fpn] = self.floats();
        quotient(tp + tn, tp + tn + fp + fn_ - fpn)
    }

    /// Accuracy with positives weighted by `w`; none without columns.
    pub fn weighted_accuracy(&self, w: f64) -> Option<f64> {
        let [tp, tn, fp, fn_, fpn] = self.floats();
        quotient(w * tp + tn, w * (tp + fp) + tn + fn_ - (w + 1.0) * (fpn / 2.0))
    }

    fn floats(&self) -> [f64; 5] {
        [self.tp, self.tn, self.fp, self.fn_, self.fpn].map(f64::from)
    }
}

fn share(right: u32, wrong: u32) -> f64 {
    let all = f64::from(right) + f64::from(wrong);
    if all == 0.0 { 1.0 } else { f64::from(right) / all }
}

fn quotient(dividend: f64, divisor: f64) -> Option<f64> {
    (divisor != 0.0).then(|| dividend / divisor)
}

/// The improvement over leaving the source as it is, from -1 to 1.
#[expect(clippy::float_cmp, reason = "the definition")]
pub fn improvement(system: f64, baseline: f64) -> f64 {
    if system == baseline {
        system.floor()
    } else if system > baseline {
        (system - baseline) / (1.0 - baseline)
    } else {
        system / baseline - 1.0
    }
}

/// What references are compared by: the metric, then I, then both accuracies. Without columns there is none,
/// which is below any.
pub fn key(system: &Counts, baseline: &Counts, metric: Metric, w: f64, beta: f64) -> [Option<f64>; 4] {
    let accuracy = system.weighted_accuracy(w);
    let improved =
        accuracy.zip(baseline.weighted_accuracy(w)).map(|(system, base)| improvement(system, base));
    let first = match metric {
        Metric::Tp => Some(f64::from(system.tp)),
        Metric::Tn => Some(f64::from(system.tn)),
        Metric::Fp => Some(f64::from(system.fp)),
        Metric::Fn => Some(f64::from(system.fn_)),
        Metric::Precision => Some(system.precision()),
        Metric::Recall => Some(system.recall()),
        Metric::F => Some(system.f(beta)),
        Metric::Accuracy => system.accuracy(),
        Metric::WeightedAccuracy => accuracy,
        Metric::Improvement => improved,
    };
    [first, improved, accuracy, system.accuracy()]
}
