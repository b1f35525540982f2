//! The exported functions for grammatical error correction.
//!
//! Edits arrive as lists of texts (see [`crate::gec::edits`]), annotators as lists of their numbers in text:
//! the border knows texts only. Null rule: a null text or a null list of edits gives null.

mod options;
mod outputs;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use self::options::{AlignOptions, ErrantOptions, IMeasureOptions, M2Options};
use super::abi::{ForeignColumn, export};
use super::dtype::{Dtype, Role};
use super::inputs::check_columns;
use super::inputs::table::{CheckedTable, Table};
use super::outputs::{Column, map_pieces};
use super::{Error, Result};
use crate::gec::align::Aligner;
use crate::gec::edits::{Annotator, Edit, by_annotator};
use crate::gec::i_measure::{self, Standard};
use crate::gec::tokens::Vocabulary;
use crate::gec::{errant, m2};

/// Rows of one piece of work: a sentence takes tens of microseconds.
const PIECE: usize = 32;

const TEXT: Role = Role::Prediction;
const LIST: Role = Role::Answers;

/// A function of rows: its name, what it takes, and how it computes a column.
struct Function {
    name: &'static str,
    roles: &'static [Role],
    dtype: fn() -> DataType,
    column: fn(&Table, &[u8]) -> Result<ArrayData>,
}

impl Function {
    fn field(&self, columns: &[(String, Dtype)], _kwargs: &[u8]) -> Result<Field> {
        check_columns(self.name, self.roles, columns.iter().map(|(name, dtype)| (name.as_str(), dtype)))?;
        Ok(Field::new(self.name, (self.dtype)(), true))
    }

    fn call(&self, columns: Vec<ForeignColumn>, kwargs: &[u8]) -> Result<(&'static str, ArrayData)> {
        let fields = columns.iter().map(|column| (column.name.as_str(), &column.dtype));
        check_columns(self.name, self.roles, fields)?;
        Ok((self.name, (self.column)(&Table::import(columns)?, kwargs)?))
    }
}

/// Columns of a call on edits.
const PREDICTION: usize = 0;
const SOURCE: usize = 1;
const EDITS: usize = 2;
const ANNOTATORS: usize = 3;

const M2: Function = Function {
    name: "gec_m2",
    roles: &[TEXT, TEXT, LIST, LIST],
    dtype: || outputs::M2.dtype(),
    column: |table, kwargs| {
        let (options, _) = M2Options::parse(kwargs)?;
        let counts = map_rows(table, m2::Scorer::default, |scorer, table, row| {
            let Some((prediction, source)) = sentence(table, row) else { return Ok(None) };
            let Some(annotators) = annotators(table, row, EDITS, ANNOTATORS)? else { return Ok(None) };
            scorer.counts(prediction, source, &annotators, &options).map(Some)
        })?;
        Ok(outputs::M2.column(counts))
    },
};

const M2_EDITS: Function = Function {
    name: "gec_m2_edits",
    roles: &[TEXT, TEXT, LIST, LIST],
    dtype: || outputs::M2_EDITS.dtype(),
    column: |table, kwargs| {
        let (options, shrink) = M2Options::parse(kwargs)?;
        let edits = map_rows(table, m2::Scorer::default, |scorer, table, row| {
            let Some((prediction, source)) = sentence(table, row) else { return Ok(None) };
            let Some(annotators) = annotators(table, row, EDITS, ANNOTATORS)? else { return Ok(None) };
            scorer.system_edits(prediction, source, &annotators, &options, shrink).map(Some)
        })?;
        Ok(outputs::M2_EDITS.column(edits))
    },
};

const I_MEASURE: Function = Function {
    name: "gec_i_measure",
    roles: &[TEXT, TEXT, LIST, LIST],
    dtype: || outputs::i_measure(Column::default()).data_type().clone(),
    column: |table, kwargs| {
        i_measure_column(table, kwargs, |table, row| {
            Ok(annotators(table, row, EDITS, ANNOTATORS)?.map(Standard::Edits))
        })
    },
};

const I_MEASURE_REFERENCES: Function = Function {
    name: "gec_i_measure_references",
    roles: &[TEXT, TEXT, LIST],
    dtype: || outputs::i_measure(Column::default()).data_type().clone(),
    column: |table, kwargs| {
        i_measure_column(table, kwargs, |table, row| {
            Ok(table.texts(EDITS, row).map(|texts| Standard::Sentences(texts.collect())))
        })
    },
};

const ALIGN3: Function = Function {
    name: "gec_align3",
    roles: &[TEXT, TEXT, TEXT],
    dtype: || outputs::ALIGN3.dtype(),
    column: |table, kwargs| {
        let (max_cells, costs) = AlignOptions::parse(kwargs)?;
        let columns = map_rows(
            table,
            || Aligner::new(costs),
            |aligner, table, row| {
                let [prediction, source, reference] = [0, 1, 2].map(|column| table.text(column, row));
                let (Some(prediction), Some(source), Some(reference)) = (prediction, source, reference)
                else {
                    return Ok(None);
                };
                let mut words = Vocabulary::default();
                let [source, prediction, reference] =
                    [source, prediction, reference].map(|text| words.numbers(text));
                aligner.align(&source, &prediction, &reference, max_cells)?;
                let word = |token: Option<u32>| token.map(|token| words.join(&[token]));
                let texts = aligner
                    .columns
                    .iter()
                    .map(|column| (word(column.source), word(column.hypothesis), word(column.reference)));
                Ok(Some(texts.collect::<Vec<_>>()))
            },
        )?;
        Ok(outputs::ALIGN3.column(columns))
    },
};

const ERRANT: Function = Function {
    name: "gec_errant",
    roles: &[LIST, LIST, LIST, LIST],
    dtype: || outputs::ERRANT.dtype(),
    column: |table, kwargs| {
        let options = ErrantOptions::parse(kwargs)?;
        let comparisons = map_rows(
            table,
            || (),
            |(), table, row| {
                let hypothesis = annotators(table, row, 0, 1)?;
                let reference = annotators(table, row, 2, 3)?;
                let Some((hypothesis, reference)) = hypothesis.zip(reference) else { return Ok(None) };
                errant::compare(&hypothesis, &reference, &options).map(Some)
            },
        )?;
        Ok(outputs::ERRANT.column(comparisons))
    },
};

fn i_measure_column(
    table: &Table,
    kwargs: &[u8],
    standard: impl for<'a> Fn(&CheckedTable<'a>, usize) -> std::result::Result<Option<Standard<'a>>, String>
    + Sync,
) -> Result<ArrayData> {
    let options = IMeasureOptions::parse(kwargs)?;
    let rows = map_rows(
        table,
        || i_measure::Scorer::new(options),
        |scorer, table, row| {
            let Some((prediction, source)) = sentence(table, row) else { return Ok(None) };
            let Some(standard) = standard(table, row)? else { return Ok(None) };
            scorer.score(prediction, source, &standard)
        },
    )?;
    Ok(outputs::i_measure(rows))
}

/// The prediction of a row and its source; none where one of them is null.
fn sentence<'a>(table: &CheckedTable<'a>, row: usize) -> Option<(&'a str, &'a str)> {
    table.text(PREDICTION, row).zip(table.text(SOURCE, row))
}

/// The edits of a row by annotator; none where the list of edits is null. A null list of annotators leaves
/// them to the edits.
fn annotators<'a>(
    table: &CheckedTable<'a>,
    row: usize,
    edits: usize,
    annotators: usize,
) -> std::result::Result<Option<Vec<Annotator<'a>>>, String> {
    let Some(texts) = table.texts(edits, row) else { return Ok(None) };
    let edits = texts.map(Edit::parse).collect::<std::result::Result<Vec<_>, _>>()?;
    let ids = table.texts(annotators, row).into_iter().flatten();
    let number = |text: &str| {
        let number: std::result::Result<i32, _> = text.parse();
        number.map(i64::from).map_err(|_| format!("an annotator {text:?}, which is not a 32-bit integer"))
    };
    let ids = ids.map(number).collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(Some(by_annotator(edits, ids.into_iter())))
}

/// A value for each row; errors name the row.
fn map_rows<T: Clone + Default + Send, S>(
    table: &Table,
    state: impl Fn() -> S + Sync,
    value: impl Fn(&mut S, &CheckedTable, usize) -> std::result::Result<Option<T>, String> + Sync,
) -> Result<Column<T>> {
    map_pieces(table.rows(), PIECE, state, |state, piece| {
        let checked = table.check(&piece.rows())?;
        piece.rows().try_for_each(|row| {
            let value = value(state, &checked, row).map_err(|message| table.at(row, &message))?;
            piece.set(row, value);
            Ok(())
        })
    })
}

export! {
    M2: _polars_plugin_field_gec_m2, _polars_plugin_gec_m2;
    M2_EDITS: _polars_plugin_field_gec_m2_edits, _polars_plugin_gec_m2_edits;
    I_MEASURE: _polars_plugin_field_gec_i_measure, _polars_plugin_gec_i_measure;
    I_MEASURE_REFERENCES:
        _polars_plugin_field_gec_i_measure_references, _polars_plugin_gec_i_measure_references;
    ALIGN3: _polars_plugin_field_gec_align3, _polars_plugin_gec_align3;
    ERRANT: _polars_plugin_field_gec_errant, _polars_plugin_gec_errant;
}
