//! The exported functions: one entry a metric.
//!
//! Null rule of all of them: a null prediction, or no answer that is not null, gives null.

use arrow_buffer::ArrowNativeType;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use super::Result;
use super::abi::{ForeignColumn, export};
use super::alignments::Alignment;
use super::dtype::{Dtype, Role};
use super::inputs::{CheckedPair, Pair, check_columns};
use super::options::Options;
use super::outputs::counts::{self, edit_counts, page_errors};
use super::outputs::edits::EDITS;
use super::outputs::{
    Details, Extent, Numbers, ScoreColumns, count, map_numbers, map_pieces, put, score_details_dtype,
    scores_dtype,
};
use crate::kernel::best_answers::BestAnswers;
use crate::kernel::error_type::{Classifier, ErrorType};
use crate::kernel::pages::Pages;
use crate::kernel::prepare::Preparation;
use crate::kernel::request::{Exact, Request};
use crate::kernel::rows::BlockScorer;
use crate::kernel::score::{Nearest, Scorer};
use crate::kernel::text_style::differing_styles;
use crate::kernel::weighted::SubstitutionCost;
use xxhash_rust::xxh3::xxh3_64;

/// A row expression: its name, what its second input is, and how it computes a column.
struct Metric {
    name: &'static str,
    role: Role,
    dtype: fn() -> DataType,
    column: fn(&Pair, &Options) -> Result<ArrayData>,
}

const LEVENSHTEIN: Metric = Metric {
    name: "levenshtein",
    role: Role::Reference,
    dtype: || DataType::Int64,
    column: |pair, options| distances(pair, options, options.substitution_cost()),
};

/// Insertions and deletions alone: what a substitution costs is then never less than the two that replace it.
const LCS_DISTANCE: Metric = Metric {
    name: "lcs_distance",
    role: Role::Reference,
    dtype: || DataType::Int64,
    column: |pair, options| distances(pair, options, SubstitutionCost::Indel),
};

const HAMMING: Metric = Metric {
    name: "hamming",
    role: Role::Reference,
    dtype: || DataType::Int64,
    column: |pair, options| {
        let preparation = options.protocol().preparation;
        let row = |scorer: &mut Scorer, pair: &CheckedPair, row| {
            let (prediction, reference) = pair.predicted(row).zip(pair.reference(row))?;
            scorer.hamming(prediction, reference, preparation).map(count)
        };
        Ok(map_rows(pair, row)?.into_counts())
    },
};

const NLS: Metric = Metric {
    name: "nls",
    role: Role::Answers,
    dtype: || DataType::Float64,
    column: |pair, options| {
        Ok(map_nearest(pair, &options.best(Exact::All), |nearest| nearest.nls())?.into_float())
    },
};

const ANLS: Metric = Metric {
    name: "anls",
    role: Role::Answers,
    dtype: || DataType::Float64,
    column: |pair, options| {
        let (cut, threshold) = (options.protocol().cut, options.threshold()?);
        let anls = |nearest: Nearest| nearest.anls(cut, threshold);
        Ok(map_nearest(pair, &options.best(Exact::Kept(threshold)), anls)?.into_float())
    },
};

const CER: Metric = Metric {
    name: "cer",
    role: Role::Answers,
    dtype: || DataType::Float64,
    column: |pair, options| {
        let request =
            Request { errors: Some(options.cer_preparation()), any_of_equals: true, ..Request::default() };
        let rates = |values: &mut [f64], best: &BestAnswers| values.copy_from_slice(&best.rates);
        Ok(map_scored(pair, &request, rates)?.into_float())
    },
};

const EXACT_MATCH: Metric = Metric {
    name: "exact_match",
    role: Role::Answers,
    dtype: || DataType::Boolean,
    column: |pair, options| {
        let request = options.best(Exact::Equality);
        Ok(map_nearest(pair, &request, |nearest| u8::from(nearest.is_exact()))?.into_boolean())
    },
};

const NEAREST_ANSWER: Metric = Metric {
    name: "nearest_answer",
    role: Role::Answers,
    dtype: || DataType::Utf8View,
    column: |pair, options| {
        let request = options.nearest(Exact::All);
        let extent = Extent { has_nulls: true, ..pair.extent() };
        let views = map_numbers(extent, BlockScorer::default, |scorer, piece| {
            let (rows, checked) = (piece.rows(), pair.check(piece.rows())?);
            let mut set = |row, index| piece.set(row, checked.answer_view(row, index));
            if pair.has_one_answer() {
                // It is the nearest, however far it is.
                rows.for_each(|row| set(row, checked.predicted(row).map(|_| 0)));
            } else {
                scorer
                    .score(&checked, rows, &request, |row, nearest, _| set(row, nearest.map(|at| at.index)));
            }
            Ok(())
        })?;
        // SAFETY: each row was set to the view of an answer that `check` has passed, or to that of an empty text.
        Ok(unsafe { views.into_texts(pair.answer_buffers()) })
    },
};

const SCORE: Metric = Metric {
    name: "score",
    role: Role::Answers,
    dtype: scores_dtype,
    column: |pair, options| {
        Ok(scores(pair, options, None::<&fn(&CheckedPair, usize, _, _, &mut _) -> _>)?.into_scores())
    },
};

/// `score` with what a summary needs in addition: the place on the threshold grid, a digest of the row, and, if it is
/// asked for, whether a wrong prediction is written otherwise than the nearest answer.
const SCORE_DETAILS: Metric = Metric {
    name: "score_details",
    role: Role::Answers,
    dtype: score_details_dtype,
    column: |pair, options| {
        let (cut, styles) = (options.protocol().cut, options.styles());
        let details = |pair: &CheckedPair, row, nearest: Nearest, errors, buffer: &mut Vec<u8>| Details {
            grid_threshold: nearest.grid_threshold(cut),
            row_digest: row_digest(pair, row, buffer),
            style: if styles && errors > 0 { style(pair, row, nearest.index) } else { 0 },
        };
        Ok(scores(pair, options, Some(&details))?.into_score_details())
    },
};

/// The protocol that comes with it counts words.
const WER: Metric = Metric { name: "wer", ..CER };

/// The same.
const WORD_ERRORS: Metric = Metric { name: "word_errors", ..EDIT_COUNTS };

/// How many edits of each kind lead from the answer with the lowest rate to the prediction, and what stays.
const EDIT_COUNTS: Metric = Metric {
    name: "edit_counts",
    role: Role::Answers,
    dtype: || counts::EDIT_COUNTS.dtype(),
    column: |pair, options| {
        let preparation = options.protocol().preparation;
        let state = <(Scorer, Alignment)>::default;
        let counts = map_pieces(pair.rows(), pair.piece_rows(), state, |(scorer, alignment), piece| {
            let pair = pair.check(piece.rows())?;
            piece.rows().for_each(|row| {
                let counts = lowest_rate(scorer, &pair, row, preparation).map(|[prediction, answer]| {
                    edit_counts(alignment.counts(prediction, answer, preparation))
                });
                piece.set(row, counts);
            });
            Ok(())
        });
        Ok(counts::EDIT_COUNTS.column(counts?))
    },
};

/// The errors towards the answer with the lowest rate, by kind.
const PAGE_ERRORS: Metric = Metric {
    name: "page_errors",
    role: Role::Answers,
    dtype: || counts::PAGE_ERRORS.dtype(),
    column: |pair, options| {
        let (preparation, rule) = (options.protocol().preparation, options.word_rule());
        let state = <(Scorer, Pages)>::default;
        let errors = map_pieces(pair.rows(), pair.piece_rows(), state, |(scorer, pages), piece| {
            let pair = pair.check(piece.rows())?;
            piece.rows().for_each(|row| {
                let texts = lowest_rate(scorer, &pair, row, preparation);
                let errors = texts.map(|[prediction, answer]| {
                    page_errors(pages.errors(prediction, answer, preparation, rule, options.min_words()))
                });
                piece.set(row, errors);
            });
            Ok(())
        });
        Ok(counts::PAGE_ERRORS.column(errors?))
    },
};

/// Units that the prediction and the answer with the lowest rate both have, as often as both have them, in whatever
/// order.
const SHARED_UNITS: Metric = Metric {
    name: "shared_units",
    role: Role::Answers,
    dtype: || DataType::Int64,
    column: |pair, options| {
        let preparation = options.protocol().preparation;
        let row = |scorer: &mut Scorer, pair: &CheckedPair, row| {
            let texts = lowest_rate(scorer, pair, row, preparation);
            let shared = texts.map(|[prediction, answer]| scorer.shared(prediction, answer, preparation));
            shared.map(count)
        };
        Ok(map_rows(pair, row)?.into_counts())
    },
};

const EDIT_OPS: Metric = Metric {
    name: "edit_ops",
    role: Role::Reference,
    dtype: || EDITS.dtype(),
    column: |pair, options| {
        let preparation = options.protocol().preparation;
        let edits = map_pieces(pair.rows(), pair.piece_rows(), Alignment::default, |alignment, piece| {
            let pair = pair.check(piece.rows())?;
            piece.rows().for_each(|row| {
                let texts = pair.predicted(row).zip(pair.reference(row));
                let edits =
                    texts.map(|(prediction, reference)| alignment.edits(prediction, reference, preparation));
                piece.set(row, edits);
            });
            Ok(())
        });
        Ok(EDITS.column(edits?))
    },
};

/// Error types as numbers, which Python names.
const ERROR_TYPE: Metric = Metric {
    name: "error_type",
    role: Role::Answers,
    dtype: || DataType::UInt8,
    column: |pair, options| {
        let (cut, threshold) = (options.protocol().cut, options.threshold()?);
        let request = options.best(Exact::Kept(threshold));
        let state = || (BlockScorer::default(), Classifier::default());
        let extent = Extent { has_nulls: true, ..pair.extent() };
        let codes = map_numbers(extent, state, |(scorer, classifier), piece| {
            let pair = pair.check(piece.rows())?;
            scorer.score(&pair, piece.rows(), &request, |row, nearest, _| {
                let mut answers = pair.accepted(row).map(|(_, answer)| answer);
                let found = match pair.predicted(row) {
                    Some(prediction) => {
                        let is_near = nearest.is_some_and(|nearest| nearest.anls(cut, threshold) > 0.0);
                        classifier.classify(prediction, answers, is_near)
                    }
                    None => answers.next().map(|_| ErrorType::Missing),
                };
                piece.set(row, found.map(|found| found as u8));
            });
            Ok(())
        });
        Ok(codes?.into_codes())
    },
};

/// The prediction of a row and the answer that gives its error rate: the one with the lowest, first of equals.
fn lowest_rate<'a>(
    scorer: &mut Scorer,
    pair: &CheckedPair<'a>,
    row: usize,
    preparation: Preparation,
) -> Option<[&'a str; 2]> {
    let prediction = pair.predicted(row)?;
    let mut answers = pair.accepted(row);
    let (_, first) = answers.next()?;
    if answers.next().is_none() {
        return Some([prediction, first]);
    }
    let (answer, _) = scorer.lowest_rate(prediction, pair.accepted(row), preparation)?;
    Some([prediction, answer])
}

/// A column of the edit distances to the reference.
fn distances(pair: &Pair, options: &Options, cost: SubstitutionCost) -> Result<ArrayData> {
    let request = Request { errors: Some(options.protocol().preparation), cost, ..Request::default() };
    Ok(map_scored(pair, &request, |values, best| put(values, &best.errors, count))?.into_counts())
}

/// A column from the nearest answer of each row.
fn map_nearest<T: ArrowNativeType>(
    pair: &Pair,
    request: &Request,
    value: impl Fn(Nearest) -> T + Sync,
) -> Result<Numbers<T>> {
    map_scored(pair, request, |values, best| {
        put(values, &best.normalized_distances, |distance| value(Nearest::at(0, distance)));
    })
}

/// A column from what was found for blocks of rows.
fn map_scored<T: ArrowNativeType>(
    pair: &Pair,
    request: &Request,
    set: impl Fn(&mut [T], &BestAnswers) + Sync,
) -> Result<Numbers<T>> {
    map_numbers(pair.extent(), BlockScorer::default, |scorer, piece| {
        let pair = pair.check(piece.rows())?;
        scorer.score_blocks(&pair, piece.rows(), request, |block| piece.set_block(block, &set));
        Ok(())
    })
}

/// A column from the texts of each row.
fn map_rows<T: ArrowNativeType>(
    pair: &Pair,
    value: impl Fn(&mut Scorer, &CheckedPair, usize) -> Option<T> + Sync,
) -> Result<Numbers<T>> {
    let extent = Extent { has_nulls: true, ..pair.extent() };
    map_numbers(extent, Scorer::default, |scorer, piece| {
        let pair = pair.check(piece.rows())?;
        piece.rows().for_each(|row| {
            piece.set(row, value(scorer, &pair, row));
        });
        Ok(())
    })
}

/// All scores of each row, and the place on the threshold grid and the digest, if there are `details`, which get
/// a buffer to work in.
fn scores(
    pair: &Pair,
    options: &Options,
    details: Option<&(impl Fn(&CheckedPair, usize, Nearest, usize, &mut Vec<u8>) -> Details + Sync)>,
) -> Result<ScoreColumns> {
    let (protocol, threshold) = (options.protocol(), options.threshold()?);
    let request = Request { errors: Some(options.cer_preparation()), ..options.nearest(Exact::All) };
    let state = <(BlockScorer, Vec<u8>)>::default;
    ScoreColumns::compute(pair.extent(), details.is_some(), state, |(scorer, buffer), piece| {
        let pair = pair.check(piece.rows())?;
        scorer.score_blocks(&pair, piece.rows(), &request, |block| {
            piece.set_block(block, protocol.cut, threshold);
            let Some(details) = details else { return };
            for (index, row) in block.rows.clone().enumerate() {
                let is_answered = block.answered.is_none_or(|answered| answered[index]);
                let best = block.best;
                let details =
                    is_answered.then(|| details(&pair, row, best.nearest(index), best.errors[index], buffer));
                piece.set_details(row, details);
            }
        });
        Ok(())
    })
}

/// Hash of the texts of a row, the same on every machine and in every version: sums of it tell whether two
/// reports have scored the same rows.
fn row_digest(pair: &CheckedPair, row: usize, bytes: &mut Vec<u8>) -> u64 {
    bytes.clear();
    let prediction = pair.predicted(row).map(|text| (usize::MAX, text));
    for (position, text) in prediction.into_iter().chain(pair.accepted(row)) {
        bytes.extend((position as u64).to_le_bytes());
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    xxh3_64(bytes)
}

/// How a prediction is written otherwise than the answer with this index.
fn style(pair: &CheckedPair, row: usize, index: usize) -> u8 {
    let answer = pair.accepted(row).find(|&(position, _)| position == index);
    match (pair.predicted(row), answer) {
        (Some(prediction), Some((_, answer))) => differing_styles(prediction, answer),
        _ => 0,
    }
}

impl Metric {
    fn check<'a>(&self, columns: impl ExactSizeIterator<Item = (&'a str, &'a Dtype)>) -> Result<()> {
        check_columns(self.name, &[Role::Prediction, self.role], columns)
    }

    fn field(&self, columns: &[(String, Dtype)], kwargs: &[u8]) -> Result<Field> {
        Options::parse(kwargs)?;
        self.check(columns.iter().map(|(name, dtype)| (name.as_str(), dtype)))?;
        Ok(Field::new(self.name, (self.dtype)(), true))
    }

    fn call(&self, columns: Vec<ForeignColumn>, kwargs: &[u8]) -> Result<(&'static str, ArrayData)> {
        let options = Options::parse(kwargs)?;
        self.check(columns.iter().map(|column| (column.name.as_str(), &column.dtype)))?;
        Ok((self.name, (self.column)(&Pair::import(columns)?, &options)?))
    }
}

export! {
    LEVENSHTEIN: _polars_plugin_field_levenshtein, _polars_plugin_levenshtein;
    LCS_DISTANCE: _polars_plugin_field_lcs_distance, _polars_plugin_lcs_distance;
    HAMMING: _polars_plugin_field_hamming, _polars_plugin_hamming;
    NLS: _polars_plugin_field_nls, _polars_plugin_nls;
    ANLS: _polars_plugin_field_anls, _polars_plugin_anls;
    CER: _polars_plugin_field_cer, _polars_plugin_cer;
    EXACT_MATCH: _polars_plugin_field_exact_match, _polars_plugin_exact_match;
    NEAREST_ANSWER: _polars_plugin_field_nearest_answer, _polars_plugin_nearest_answer;
    SCORE: _polars_plugin_field_score, _polars_plugin_score;
    EDIT_OPS: _polars_plugin_field_edit_ops, _polars_plugin_edit_ops;
    WER: _polars_plugin_field_wer, _polars_plugin_wer;
    EDIT_COUNTS: _polars_plugin_field_edit_counts, _polars_plugin_edit_counts;
    WORD_ERRORS: _polars_plugin_field_word_errors, _polars_plugin_word_errors;
    PAGE_ERRORS: _polars_plugin_field_page_errors, _polars_plugin_page_errors;
    SHARED_UNITS: _polars_plugin_field_shared_units, _polars_plugin_shared_units;
    ERROR_TYPE: _polars_plugin_field_error_type, _polars_plugin_error_type;
    SCORE_DETAILS: _polars_plugin_field_score_details, _polars_plugin_score_details;
}
