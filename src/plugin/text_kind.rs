//! The exported function that tells kinds of texts apart: see [`crate::kernel::text_kind`].

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use super::Result;
use super::abi::{ForeignColumn, export};
use super::dtype::{Dtype, Role};
use super::inputs::check_columns;
use super::inputs::table::Table;
use super::outputs::{Extent, map_numbers};
use crate::kernel::request::Texts;
use crate::kernel::text_kind::TextKind;
use crate::kernel::view::first_bytes;

/// Rows of one piece of work: the first two bytes tell of most texts that they are nothing else.
const PIECE: usize = 8192;

const NAME: &str = "text_kind";

/// The function of one column of texts; the kinds are numbers, which Python names.
struct Kinds;

const TEXT_KIND: Kinds = Kinds;

#[expect(clippy::unused_self, reason = "called as a metric is")]
impl Kinds {
    fn field(&self, columns: &[(String, Dtype)], _kwargs: &[u8]) -> Result<Field> {
        check(columns.iter().map(|(name, dtype)| (name.as_str(), dtype)))?;
        Ok(Field::new(NAME, DataType::UInt8, true))
    }

    fn call(&self, columns: Vec<ForeignColumn>, _kwargs: &[u8]) -> Result<(&'static str, ArrayData)> {
        check(columns.iter().map(|column| (column.name.as_str(), &column.dtype)))?;
        let table = Table::import(columns)?;
        let extent = Extent { rows: table.rows(), piece_rows: PIECE, has_nulls: true, has_one_answer: false };
        let kinds = map_numbers(extent, Vec::new, |room, piece| {
            let checked = table.check(&piece.rows())?;
            let column = checked.column(0);
            for (row, &view) in piece.rows().zip(column.views(piece.rows(), room)) {
                let kind = || {
                    let is_possible = TextKind::is_possible(first_bytes(view));
                    if is_possible { TextKind::of(column.text(row)) } else { TextKind::Other }
                };
                piece.set(row, column.is_valid(row).then(|| kind() as u8));
            }
            Ok(())
        });
        Ok((NAME, kinds?.into_codes()))
    }
}

fn check<'a>(columns: impl ExactSizeIterator<Item = (&'a str, &'a Dtype)>) -> Result<()> {
    check_columns(NAME, &[Role::Prediction], columns)
}

export! {
    TEXT_KIND: _polars_plugin_field_text_kind, _polars_plugin_text_kind;
}
