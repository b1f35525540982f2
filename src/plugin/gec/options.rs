//! The keyword arguments of the functions, as the Python package sends them.

use serde::Deserialize;

use super::super::options::read;
use super::{Error, Result, errant, i_measure, m2};
use crate::gec::align::Costs;
use crate::gec::scores::Metric;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct M2Options {
    max_unchanged: u32,
    ignore_whitespace_casing: bool,
    lattice: LatticeName,
    insert_labels: LabelsName,
    method: MethodName,
    #[serde(default)]
    shrink: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LatticeName {
    Official,
    Paper,
}

#[derive(Deserialize)]
enum LabelsName {
    #[serde(rename = "fixed")]
    Fixed,
    #[serde(rename = "v3.2")]
    Version32,
}

#[derive(Deserialize)]
enum MethodName {
    #[serde(rename = "auto")]
    Auto,
    #[serde(rename = "exact")]
    Exact,
    #[serde(rename = "dp")]
    Dynamic,
}

impl M2Options {
    /// The options, and whether edits are to be shrunk.
    pub fn parse(pickle: &[u8]) -> Result<(m2::Options, bool)> {
        let options: Self = read(pickle)?;
        let shrink = options.shrink;
        let options = m2::Options {
            max_unchanged: options.max_unchanged as usize,
            ignore_whitespace_casing: options.ignore_whitespace_casing,
            tables: match options.lattice {
                LatticeName::Official => m2::Tables::Official,
                LatticeName::Paper => m2::Tables::Paper,
            },
            insert_labels: match options.insert_labels {
                LabelsName::Fixed => m2::InsertLabels::Fixed,
                LabelsName::Version32 => m2::InsertLabels::Version32,
            },
            method: match options.method {
                MethodName::Auto => m2::Method::Auto,
                MethodName::Exact => m2::Method::Exact,
                MethodName::Dynamic => m2::Method::Dynamic,
            },
        };
        Ok((options, shrink))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IMeasureOptions {
    w: f64,
    beta: f64,
    mix: bool,
    optimise: MetricName,
    aspect: AspectName,
    max_references: u32,
    max_cells: u64,
    gap_cost: u32,
    mismatch_cost: u32,
}

fn costs(gap: u32, mismatch: u32) -> Result<Costs> {
    let unfit = || {
        let most = Costs::MAX;
        Error::new(format!("costs must be integers from 1 to {most}, got {gap} and {mismatch}"))
    };
    Costs::new(gap, mismatch).ok_or_else(unfit)
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum MetricName {
    Tp,
    Tn,
    Fp,
    Fn,
    P,
    R,
    F,
    Acc,
    Wacc,
    I,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum AspectName {
    Correction,
    Detection,
}

impl IMeasureOptions {
    pub fn parse(pickle: &[u8]) -> Result<i_measure::Options> {
        let options: Self = read(pickle)?;
        Ok(i_measure::Options {
            w: options.w,
            beta: options.beta,
            mix: options.mix,
            metric: match options.optimise {
                MetricName::Tp => Metric::Tp,
                MetricName::Tn => Metric::Tn,
                MetricName::Fp => Metric::Fp,
                MetricName::Fn => Metric::Fn,
                MetricName::P => Metric::Precision,
                MetricName::R => Metric::Recall,
                MetricName::F => Metric::F,
                MetricName::Acc => Metric::Accuracy,
                MetricName::Wacc => Metric::WeightedAccuracy,
                MetricName::I => Metric::Improvement,
            },
            by_detection: matches!(options.aspect, AspectName::Detection),
            max_references: options.max_references as usize,
            max_cells: usize::try_from(options.max_cells).unwrap_or(usize::MAX),
            costs: costs(options.gap_cost, options.mismatch_cost)?,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlignOptions {
    max_cells: u64,
    gap_cost: u32,
    mismatch_cost: u32,
}

impl AlignOptions {
    /// The largest table, and the costs.
    pub fn parse(pickle: &[u8]) -> Result<(usize, Costs)> {
        let options: Self = read(pickle)?;
        let max_cells = usize::try_from(options.max_cells).unwrap_or(usize::MAX);
        Ok((max_cells, costs(options.gap_cost, options.mismatch_cost)?))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrantOptions {
    mode: ModeName,
    single: bool,
    multi: bool,
    filt: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ModeName {
    Cs,
    Cse,
    Ds,
    Dt,
}

impl ErrantOptions {
    pub fn parse(pickle: &[u8]) -> Result<errant::Options> {
        let options: Self = read(pickle)?;
        Ok(errant::Options {
            mode: match options.mode {
                ModeName::Cs => errant::Mode::Correction,
                ModeName::Cse => errant::Mode::TypedCorrection,
                ModeName::Ds => errant::Mode::Span,
                ModeName::Dt => errant::Mode::Token,
            },
            single: options.single,
            multi: options.multi,
            filter: options.filt,
        })
    }
}
