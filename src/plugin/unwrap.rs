//! The exported function that takes the wrapping off answers: see [`crate::unwrap`].

use arrow_array::{Array, StringViewArray};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use std::sync::Arc;

use super::Result;
use super::abi::{ForeignColumn, export};
use super::dtype::{Dtype, Role};
use super::inputs::check_columns;
use super::inputs::table::Table;
use super::options::read;
use super::outputs::lists::{named_fields, structs, texts};
use super::outputs::map_pieces;
use crate::unwrap::{Unwrapped, Unwrapper};

/// Rows of one piece of work: most texts have no wrapping.
const PIECE: usize = 1024;

const NAME: &str = "unwrapped";

/// The function of one column of texts.
struct Unwrapping;

const UNWRAP: Unwrapping = Unwrapping;

fn dtype() -> DataType {
    DataType::Struct(named_fields([("text", DataType::Utf8View), ("steps", DataType::Utf8View)]))
}

impl Unwrapping {
    #[expect(clippy::unused_self, reason = "called as a metric is")]
    fn field(&self, columns: &[(String, Dtype)], kwargs: &[u8]) -> Result<Field> {
        read::<Unwrapper>(kwargs)?;
        check(columns.iter().map(|(name, dtype)| (name.as_str(), dtype)))?;
        Ok(Field::new(NAME, dtype(), true))
    }

    #[expect(clippy::unused_self, reason = "called as a metric is")]
    fn call(&self, columns: Vec<ForeignColumn>, kwargs: &[u8]) -> Result<(&'static str, ArrayData)> {
        let unwrapper: Unwrapper = read(kwargs)?;
        check(columns.iter().map(|column| (column.name.as_str(), &column.dtype)))?;
        let table = Table::import(columns)?;
        let rows = map_pieces(
            table.rows(),
            PIECE,
            || (),
            |(), piece| {
                let checked = table.check(&piece.rows())?;
                piece.rows().for_each(|row| {
                    piece.set(row, checked.text(0, row).map(|text| unwrapper.unwrap(text)));
                });
                Ok(())
            },
        )?;
        let (rows, nulls) = rows.into_parts();
        let answers = rows.iter().map(|row| Some(row.text.as_str()));
        let steps = rows.iter().map(steps);
        let columns =
            vec![("text", texts(answers)), ("steps", Arc::new(steps.collect::<StringViewArray>()) as _)];
        Ok((NAME, structs(columns, nulls).into_data()))
    }
}

fn check<'a>(columns: impl ExactSizeIterator<Item = (&'a str, &'a Dtype)>) -> Result<()> {
    check_columns("unwrap", &[Role::Prediction], columns)
}

/// The names of the steps; none where nothing was taken off.
fn steps(row: &Unwrapped) -> Option<String> {
    let names: Vec<_> = row.steps.iter().map(|step| step.name()).collect();
    (!names.is_empty()).then(|| names.join("+"))
}

export! {
    UNWRAP: _polars_plugin_field_unwrap, _polars_plugin_unwrap;
}
