//! The exported functions for scores of benchmarks that are no edit distances: see [`crate::kernel::scorers`].

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use serde::de::DeserializeOwned;

use super::Result;
use super::abi::{ForeignColumn, export};
use super::dtype::{Dtype, Role};
use super::inputs::{CheckedPair, Pair, check_columns};
use super::options::read;
use super::outputs::{Extent, map_numbers};
use crate::kernel::scorers::contains::{Buffers, Containment};
use crate::kernel::scorers::relaxed::RelaxedAccuracy;
use crate::kernel::scorers::vqa::VqaAccuracy;

/// A score of rows, null without a prediction or an answer: its name, and how its options score a row.
struct Score<T> {
    name: &'static str,
    row: fn(&T, &CheckedPair, usize, &mut Buffers) -> Option<f64>,
}

const RELAXED_ACCURACY: Score<RelaxedAccuracy> = Score {
    name: "relaxed_accuracy",
    row: |rule, pair, row, _| {
        let is_right = rule.accepts(pair.predicted(row)?, answers(pair, row)?);
        Some(f64::from(u8::from(is_right)))
    },
};

const CONTAINS_ANSWER: Score<Containment> = Score {
    name: "contains_answer",
    row: |rule, pair, row, buffers| {
        let is_right = rule.accepts(pair.predicted(row)?, answers(pair, row)?, buffers);
        Some(f64::from(u8::from(is_right)))
    },
};

const VQA_ACCURACY: Score<VqaAccuracy> = Score {
    name: "vqa_accuracy",
    row: |rule, pair, row, _| rule.score(pair.predicted(row)?, answers(pair, row)?),
};

/// The answers of a row, if it has any.
fn answers<'a>(pair: &CheckedPair<'a>, row: usize) -> Option<impl Iterator<Item = &'a str>> {
    let mut answers = pair.accepted(row).map(|(_, answer)| answer).peekable();
    answers.peek()?;
    Some(answers)
}

impl<T: DeserializeOwned + Sync> Score<T> {
    fn check<'a>(&self, columns: impl ExactSizeIterator<Item = (&'a str, &'a Dtype)>) -> Result<()> {
        check_columns(self.name, &[Role::Prediction, Role::Answers], columns)
    }

    fn field(&self, columns: &[(String, Dtype)], kwargs: &[u8]) -> Result<Field> {
        read::<T>(kwargs)?;
        self.check(columns.iter().map(|(name, dtype)| (name.as_str(), dtype)))?;
        Ok(Field::new(self.name, DataType::Float64, true))
    }

    fn call(&self, columns: Vec<ForeignColumn>, kwargs: &[u8]) -> Result<(&'static str, ArrayData)> {
        let rule = read::<T>(kwargs)?;
        self.check(columns.iter().map(|column| (column.name.as_str(), &column.dtype)))?;
        let pair = Pair::import(columns)?;
        let extent = Extent { has_nulls: true, ..pair.extent() };
        let scores = map_numbers(extent, Buffers::default, |buffers, piece| {
            let pair = pair.check(piece.rows())?;
            piece.rows().for_each(|row| piece.set(row, (self.row)(&rule, &pair, row, buffers)));
            Ok(())
        });
        Ok((self.name, scores?.into_float()))
    }
}

export! {
    RELAXED_ACCURACY: _polars_plugin_field_relaxed_accuracy, _polars_plugin_relaxed_accuracy;
    CONTAINS_ANSWER: _polars_plugin_field_contains_answer, _polars_plugin_contains_answer;
    VQA_ACCURACY: _polars_plugin_field_vqa_accuracy, _polars_plugin_vqa_accuracy;
}
