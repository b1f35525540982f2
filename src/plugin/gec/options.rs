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
    lattice: m2::Tables,
    insert_labels: m2::InsertLabels,
    method: m2::Method,
    #[serde(default)]
    shrink: bool,
}

impl M2Options {
    /// The options, and whether edits are to be shrunk.
    pub fn parse(pickle: &[u8]) -> Result<(m2::Options, bool)> {
        let Self { max_unchanged, ignore_whitespace_casing, lattice, insert_labels, method, shrink } =
            read(pickle)?;
        let max_unchanged = max_unchanged as usize;
        let options =
            m2::Options { max_unchanged, ignore_whitespace_casing, tables: lattice, insert_labels, method };
        Ok((options, shrink))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IMeasureOptions {
    w: f64,
    beta: f64,
    mix: bool,
    optimise: Metric,
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
            metric: options.optimise,
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
    mode: errant::Mode,
    single: bool,
    multi: bool,
    filt: Vec<String>,
}

impl ErrantOptions {
    pub fn parse(pickle: &[u8]) -> Result<errant::Options> {
        let Self { mode, single, multi, filt } = read(pickle)?;
        Ok(errant::Options { mode, single, multi, filter: filt })
    }
}
