//! Alignments of predictions with their nearest answers, and the counts of their edits.
//!
//! The nearest answer is found block by block, as for scores; then each row is aligned alone, which takes several times
//! as long as its distance. Use it for edits; distances and scores alone come from [`expressions`](super::expressions).

use std::collections::HashMap;
use std::mem::take;
use std::sync::{Mutex, PoisonError};

use arrow_data::ArrayData;
use arrow_schema::Field;

use super::abi::{ForeignColumn, export};
use super::dtype::{Dtype, Role};
use super::inputs::{CheckedPair, Groups, Pair, check_columns};
use super::options::Options;
use super::outputs::edits::{ExportedEdit, counts_column};
use super::outputs::ranges;
use super::{Error, Result, parallel};
use crate::kernel::alignment::{Aligner, EditCounts};
use crate::kernel::confusions::{Counts, RowKind};
use crate::kernel::prepare::Preparation;
use crate::kernel::request::Exact;
use crate::kernel::rows::BlockScorer;
use crate::kernel::score::Nearest;
use crate::kernel::units::Units;
use crate::kernel::weighted::SubstitutionCost;

/// Working memory of alignments after preparation.
#[derive(Default)]
pub struct Alignment {
    aligner: Aligner,
    prediction: String,
    reference: String,
    units: Units,
}

impl Alignment {
    /// How many edits turn the prepared reference into the prepared prediction, unit by unit.
    pub fn counts(&mut self, prediction: &str, reference: &str, preparation: Preparation) -> EditCounts {
        let prediction = preparation.prepare(prediction, &mut self.prediction);
        let reference = preparation.prepare(reference, &mut self.reference);
        let [prediction, reference] = self.units.code_points([prediction, reference], preparation.unit);
        self.aligner.counts(reference, prediction)
    }

    /// The edits that turn the prepared reference into the prepared prediction, unit by unit.
    pub fn edits(
        &mut self,
        prediction: &str,
        reference: &str,
        preparation: Preparation,
    ) -> Vec<ExportedEdit> {
        let prediction = preparation.prepare(prediction, &mut self.prediction);
        let reference = preparation.prepare(reference, &mut self.reference);
        let written = self.units.write([reference, prediction], preparation.unit);
        let edits = self.aligner.edits(written.texts[0], written.texts[1]);
        edits.iter().map(|edit| ExportedEdit::new(edit, &written)).collect()
    }

    fn count(
        &mut self,
        pair: &CheckedPair,
        row: usize,
        index: Option<usize>,
        nearest: Option<Nearest>,
        options: &Options,
        counts: &mut Counts,
    ) {
        let prediction = pair.predicted(row);
        let Some((prediction, index)) = prediction.zip(index) else {
            let is_missing = pair.accepted(row).next().is_some();
            counts.add_row(if is_missing { RowKind::Missing } else { RowKind::Unanswerable });
            return;
        };
        if nearest.zip(options.min_nls()).is_some_and(|(nearest, least)| nearest.nls() < least) {
            counts.add_row(RowKind::Distant);
            return;
        }
        let reference = pair.answer(row, index).expect("the nearest answer is one of them");
        let protocol = options.protocol();
        let preparation = protocol.preparation;
        let prediction = preparation.prepare(prediction, &mut self.prediction);
        let reference = preparation.prepare(reference, &mut self.reference);
        let texts = self.units.write([reference, prediction], preparation.unit);
        let known = nearest.filter(|_| options.substitution_cost() == SubstitutionCost::One);
        let most = known.and_then(|nearest| protocol.most_edits(&nearest, texts.texts));
        counts.add_pair(&mut self.aligner, &texts, most, options.max_length());
    }
}

/// Counts of edits between predictions and their nearest answers, in lists. A row holds the counts of all rows of its
/// group in the same call, if it is the first of them, and nothing otherwise: however rows are cut into calls, the
/// lists add up to the counts of all rows.
struct Counting;

const CONFUSION_COUNTS: Counting = Counting;

impl Counting {
    const NAME: &str = "confusion_counts";

    fn check(columns: &[(String, Dtype)]) -> Result<()> {
        let [prediction, answers, _] = columns else {
            return Err(Error::new(format!("`{}` takes 3 columns, got {}", Self::NAME, columns.len())));
        };
        let columns = [prediction, answers].map(|(name, dtype)| (name.as_str(), dtype));
        check_columns(Self::NAME, &[Role::Prediction, Role::Answers], columns.into_iter())
    }

    #[expect(clippy::unused_self, reason = "called as a metric is")]
    fn field(&self, columns: &[(String, Dtype)], kwargs: &[u8]) -> Result<Field> {
        Options::parse(kwargs)?;
        Self::check(columns)?;
        let none = counts_column(0, std::iter::empty());
        Ok(Field::new(Self::NAME, none.data_type().clone(), true))
    }

    #[expect(clippy::unused_self, reason = "called as a metric is")]
    fn call(&self, mut columns: Vec<ForeignColumn>, kwargs: &[u8]) -> Result<(&'static str, ArrayData)> {
        let options = Options::parse(kwargs)?;
        let fields: Vec<_> =
            columns.iter().map(|column| (column.name.clone(), column.dtype.clone())).collect();
        Self::check(&fields)?;
        let groups = columns.pop().ok_or_else(|| Error::new("a column is missing"))?;
        let pair = Pair::import(columns)?;
        let groups = Groups::import(groups, pair.rows())?;
        let mut groups = count_groups(&pair, &groups, &options)?;
        groups.sort_unstable_by_key(|group| group.first_row);
        let lists = groups.into_iter().map(|group| (group.first_row, group.counts));
        Ok((Self::NAME, counts_column(pair.rows(), lists)))
    }
}

#[derive(Default)]
struct GroupCounts {
    groups: Vec<Group>,
    /// Where each group is found.
    places: HashMap<u64, usize>,
}

struct Group {
    number: u64,
    first_row: usize,
    counts: Counts,
}

impl GroupCounts {
    /// The place of a group, which starts with this row if it is new.
    fn place(&mut self, number: u64, row: usize) -> usize {
        let place = *self.places.entry(number).or_insert(self.groups.len());
        if place == self.groups.len() {
            self.groups.push(Group { number, first_row: row, counts: Counts::default() });
        }
        place
    }

    /// Adds counts of other rows. The first ones are taken as they are: there may be as many groups as rows.
    fn extend(&mut self, other: Self) {
        if self.groups.is_empty() {
            *self = other;
            return;
        }
        for Group { number, first_row, counts } in other.groups {
            let place = self.place(number, first_row);
            let group = &mut self.groups[place];
            group.first_row = first_row.min(group.first_row);
            group.counts.extend(counts);
        }
    }
}

/// What one thread has counted; added to the others' at its end.
struct Counter<'a> {
    scorer: BlockScorer,
    alignment: Alignment,
    found: GroupCounts,
    all: &'a Mutex<GroupCounts>,
}

impl Drop for Counter<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(take(&mut self.found));
    }
}

fn count_groups(pair: &Pair, groups: &Groups, options: &Options) -> Result<Vec<Group>> {
    let request = options.nearest(Exact::All);
    // An only answer is the nearest, and its distance matters only if there is a limit.
    let is_given = pair.has_one_answer() && options.min_nls().is_none();
    let all = Mutex::new(GroupCounts::default());
    let counter = || Counter {
        scorer: BlockScorer::default(),
        alignment: Alignment::default(),
        found: GroupCounts::default(),
        all: &all,
    };
    let pieces = ranges(pair.rows(), pair.piece_rows()).collect();
    parallel::for_each(pieces, counter, |counter, piece| {
        let pair = pair.check(piece.clone())?;
        let Counter { scorer, alignment, found, .. } = counter;
        let mut place = 0;
        let mut count = |row: usize, index: Option<usize>, nearest: Option<Nearest>| {
            let number = groups.get(row);
            // Mostly the group of the row before.
            if found.groups.get(place).is_none_or(|group| group.number != number) {
                place = found.place(number, row);
            }
            alignment.count(&pair, row, index, nearest, options, &mut found.groups[place].counts);
        };
        if is_given {
            for row in piece {
                count(row, pair.accepted(row).next().map(|(index, _)| index), None);
            }
        } else {
            scorer.score(&pair, piece, &request, |row, nearest, _| {
                count(row, nearest.map(|nearest| nearest.index), nearest);
            });
        }
        Ok(())
    })?;
    Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner).groups)
}

export! {
    CONFUSION_COUNTS: _polars_plugin_field_confusion_counts, _polars_plugin_confusion_counts;
}
