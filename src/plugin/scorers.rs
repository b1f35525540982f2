//! The exported functions for scores of benchmarks that are no edit distances: see [`crate::kernel::scorers`].

use std::marker::PhantomData;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use serde::de::DeserializeOwned;

use super::Result;
use super::abi::{ForeignColumn, export};
use super::dtype::{Dtype, Role};
use super::inputs::{CheckedPair, Pair, check_columns};
use super::options::read;
use super::outputs::{Extent, map_numbers};
use crate::kernel::prepared::Text;
use crate::kernel::scorers::contains::{Buffers, Containment};
use crate::kernel::scorers::relaxed::RelaxedAccuracy;
use crate::kernel::scorers::vqa::VqaAccuracy;

/// A rule that scores a row, with its options.
trait Rule: DeserializeOwned + Copy + Sync {
    const NAME: &str;
    /// Working memory.
    type Buffers: Default;

    /// The score of a row; nothing without a prediction or an answer.
    fn score(self, pair: &CheckedPair, row: usize, buffers: &mut Self::Buffers) -> Option<f64>;
}

impl Rule for RelaxedAccuracy {
    const NAME: &str = "relaxed_accuracy";
    type Buffers = ();

    #[inline(always)]
    fn score(self, pair: &CheckedPair, row: usize, (): &mut ()) -> Option<f64> {
        let (prediction, mut has_answers) = (pair.predicted(row)?, false);
        let places = pair.accepted_places(row).inspect(|_| has_answers = true);
        let is_right = self.accepts(prediction, places.map(|place| pair.answer_text(place)));
        has_answers.then_some(f64::from(u8::from(is_right)))
    }
}

impl Rule for Containment {
    const NAME: &str = "contains_answer";
    type Buffers = Buffers;

    #[inline(always)]
    fn score(self, pair: &CheckedPair, row: usize, buffers: &mut Buffers) -> Option<f64> {
        let (memory, mut has_answers) = (pair.predicted_memory(row)?, false);
        let places = pair.accepted_places(row).inspect(|_| has_answers = true);
        let are_ascii = pair.are_ascii();
        let finds_all = are_ascii && self.takes_ascii_raw();
        let mut is_right = self.accepts_raw(memory, places.map(|place| pair.answer_memory(place)), are_ascii);
        if !is_right && !finds_all {
            let prediction = Text { text: pair.predicted(row)?, memory };
            let answer = |place| Text { text: pair.answer_text(place), memory: pair.answer_memory(place) };
            is_right = self.accepts_prepared(prediction, pair.accepted_places(row).map(answer), buffers);
        }
        has_answers.then_some(f64::from(u8::from(is_right)))
    }
}

impl Rule for VqaAccuracy {
    const NAME: &str = "vqa_accuracy";
    type Buffers = ();

    fn score(self, pair: &CheckedPair, row: usize, (): &mut ()) -> Option<f64> {
        let places = pair.accepted_places(row);
        VqaAccuracy::score(self, pair.predicted(row)?, places.map(|place| pair.answer_text(place)))
    }
}

/// The expression of a rule.
struct Score<T>(PhantomData<T>);

const RELAXED_ACCURACY: Score<RelaxedAccuracy> = Score(PhantomData);
const CONTAINS_ANSWER: Score<Containment> = Score(PhantomData);
const VQA_ACCURACY: Score<VqaAccuracy> = Score(PhantomData);

#[expect(clippy::unused_self, reason = "called as other expressions are")]
impl<T: Rule> Score<T> {
    fn check<'a>(&self, columns: impl ExactSizeIterator<Item = (&'a str, &'a Dtype)>) -> Result<()> {
        check_columns(T::NAME, &[Role::Prediction, Role::Answers], columns)
    }

    fn field(&self, columns: &[(String, Dtype)], kwargs: &[u8]) -> Result<Field> {
        read::<T>(kwargs)?;
        self.check(columns.iter().map(|(name, dtype)| (name.as_str(), dtype)))?;
        Ok(Field::new(T::NAME, DataType::Float64, true))
    }

    fn call(&self, columns: Vec<ForeignColumn>, kwargs: &[u8]) -> Result<(&'static str, ArrayData)> {
        let rule = read::<T>(kwargs)?;
        self.check(columns.iter().map(|column| (column.name.as_str(), &column.dtype)))?;
        let pair = Pair::import(columns)?;
        let extent = Extent { has_nulls: true, ..pair.extent() };
        let scores = map_numbers(extent, T::Buffers::default, |buffers, piece| {
            // A copy, which stays in registers.
            let (pair, rule) = (pair.check(piece.rows())?, rule);
            piece.rows().for_each(|row| piece.set(row, rule.score(&pair, row, buffers)));
            Ok(())
        });
        Ok((T::NAME, scores?.into_float()))
    }
}

export! {
    RELAXED_ACCURACY: _polars_plugin_field_relaxed_accuracy, _polars_plugin_relaxed_accuracy;
    CONTAINS_ANSWER: _polars_plugin_field_contains_answer, _polars_plugin_contains_answer;
    VQA_ACCURACY: _polars_plugin_field_vqa_accuracy, _polars_plugin_vqa_accuracy;
}
