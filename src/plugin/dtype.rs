//! Which columns the metrics take, decided from the schema before any data is touched.
//!
//! The data is imported only for the layouts named here. Everything else, including what the Arrow library
//! would not survive (128-bit integers, object pointers), ends as an error that names the column.

use arrow_schema::{DataType, Field};
use std::sync::Arc;

use super::schema::RawSchema;
use super::{Error, Result};

/// A column's layout, as far as the metrics can use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// No value at all: Polars' Null dtype.
    Null,
    Text,
    /// Categorical: keys into a dictionary of strings.
    Categories(Key),
    /// Enum: the same layout.
    Enumeration(Key),
    /// `UInt64`: no text, but the groups of rows that are counted together.
    Groups,
    /// List; the child is a text.
    List(Box<Dtype>),
    /// Array of a fixed width; the child is a text.
    Array(Box<Dtype>, i32),
    /// Anything else, by the name that Polars gives it.
    Other(String),
}

/// Integer type of the dictionary keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    U8,
    U16,
    U32,
}

/// What a metric expects of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Exactly one string per row, the one that is scored.
    Prediction,
    /// Exactly one string per row, the one it is compared with.
    Reference,
    /// A string or a list of strings per row.
    Answers,
}

/// Nesting beyond this is not read: no column has it, and a hostile schema must not exhaust the stack.
const MAX_DEPTH: usize = 32;

impl Dtype {
    pub fn read(schema: &RawSchema) -> Result<Self> {
        Self::read_at(schema, 0)
    }

    fn read_at(schema: &RawSchema, depth: usize) -> Result<Self> {
        if depth > MAX_DEPTH {
            return Err(Error::new("the schema of a column is nested too deeply"));
        }
        let format = schema.format()?;
        if schema.has_metadata(b"ARROW:extension:name") {
            return Ok(Self::Other(format!("Extension({})", polars_name(format))));
        }
        if let Some(values) = schema.dictionary() {
            let key = match format {
                "C" => Some(Key::U8),
                "S" => Some(Key::U16),
                "I" => Some(Key::U32),
                _ => None,
            };
            return Ok(match (key, Self::read_at(values, depth + 1)?) {
                (Some(key), Self::Text) if schema.has_metadata(b"_PL_ENUM") => Self::Enumeration(key),
                (Some(key), Self::Text) => Self::Categories(key),
                (_, values) => Self::Other(format!("Dictionary({})", values.name())),
            });
        }
        let child = || Self::read_at(schema.only_child()?, depth + 1).map(Box::new);
        Ok(match format {
            "n" => Self::Null,
            "vu" => Self::Text,
            "L" => Self::Groups,
            "+L" => Self::List(child()?),
            _ => match format.strip_prefix("+w:") {
                Some(width) => {
                    let width = width.parse().ok().filter(|&width: &i32| width >= 0);
                    let width = width.ok_or_else(|| Error::new(format!("bad Arrow format {format:?}")))?;
                    Self::Array(child()?, width)
                }
                None => Self::Other(polars_name(format)),
            },
        })
    }

    /// The Arrow type with which the data is imported; `None` where it is all null or not taken at all.
    pub fn arrow(&self) -> Option<DataType> {
        let item = |child: &Self| child.arrow().map(|child| Arc::new(Field::new("item", child, true)));
        match self {
            Self::Null | Self::Other(_) => None,
            Self::Text => Some(DataType::Utf8View),
            Self::Groups => Some(DataType::UInt64),
            Self::Categories(key) | Self::Enumeration(key) => {
                let key = match key {
                    Key::U8 => DataType::UInt8,
                    Key::U16 => DataType::UInt16,
                    Key::U32 => DataType::UInt32,
                };
                Some(DataType::Dictionary(Box::new(key), Box::new(DataType::Utf8View)))
            }
            Self::List(child) => item(child).map(DataType::LargeList),
            Self::Array(child, width) => item(child).map(|child| DataType::FixedSizeList(child, *width)),
        }
    }

    pub fn check(&self, column: &str, metric: &str, role: Role) -> Result<()> {
        let (child, entry) = match self {
            Self::List(child) => (Some(child.as_ref()), ".list.get(0)"),
            Self::Array(child, _) => (Some(child.as_ref()), ".arr.get(0)"),
            _ => (None, ""),
        };
        let one = "one string per row (String)";
        let (fits, wanted, advice) = match role {
            Role::Prediction if child.is_some_and(Self::is_text) => {
                (false, one, format!("Use `explode`, or take one entry with `{entry}`."))
            }
            Role::Reference if child.is_some_and(Self::is_text) => {
                let others = "use `nls`, `anls` or `cer`, which accept several answers";
                (false, one, format!("Use `explode`, take one entry with `{entry}`, or {others}."))
            }
            Role::Prediction | Role::Reference => (self.is_text(), one, self.advice(column)),
            Role::Answers => (
                child.unwrap_or(self).is_text(),
                "a string or a list of strings per row (String, List(String) or Array(String))",
                self.advice(column),
            ),
        };
        if fits {
            return Ok(());
        }
        Err(Error::new(format!(
            "`{metric}` needs {wanted}, but column '{column}' has dtype {}. {advice}",
            self.name()
        )))
    }

    /// What to do about a column that is no text. Numbers, truth values and times were texts in the file.
    fn advice(&self, column: &str) -> String {
        let (inner, cast) = match self {
            Self::List(child) | Self::Array(child, _) => {
                (Some(child.as_ref()), "`.cast(pl.List(pl.String))`")
            }
            _ => (None, "`.cast(pl.String)`"),
        };
        let (is_list, inner) = (inner.is_some(), inner.unwrap_or(self));
        let name = inner.name();
        if name == "Struct" {
            let field =
                if is_list { "list.eval(pl.element().struct.field(...))" } else { "struct.field(...)" };
            return format!("Take the field with the text, as with `.{field}`.");
        }
        if is_list && matches!(inner, Self::List(_) | Self::Array(..)) {
            return "Flatten its lists.".to_owned();
        }
        let was_read = ["Int", "UInt", "Float", "Decimal", "Boolean", "Date", "Time", "Duration"]
            .iter()
            .any(|kind| name.starts_with(kind));
        if !was_read {
            return format!("Cast it with {cast} if it holds text.");
        }
        let overrides = if is_list {
            String::new()
        } else {
            format!("with `schema_overrides={{'{column}': pl.String}}`, or ")
        };
        format!(
            "Read the file {overrides}with `anls_frame.read_results`, which keeps numbers as they are written \
             (42, 42.0, 042), or make texts of whole numbers with {cast}."
        )
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Null | Self::Text | Self::Categories(_) | Self::Enumeration(_))
    }

    fn name(&self) -> String {
        match self {
            Self::Null => "Null".to_owned(),
            Self::Text => "String".to_owned(),
            Self::Groups => "UInt64".to_owned(),
            Self::Categories(_) => "Categorical".to_owned(),
            Self::Enumeration(_) => "Enum".to_owned(),
            Self::List(child) => format!("List({})", child.name()),
            Self::Array(child, width) => format!("Array({}, shape={width})", child.name()),
            Self::Other(name) => name.clone(),
        }
    }
}

/// Polars' name of an Arrow format string, of those that Polars sends.
fn polars_name(format: &str) -> String {
    let name = match format {
        "n" => "Null",
        "b" => "Boolean",
        "c" => "Int8",
        "C" => "UInt8",
        "s" => "Int16",
        "S" => "UInt16",
        "i" => "Int32",
        "I" => "UInt32",
        "l" => "Int64",
        "_pli128" => "Int128",
        "_plu128" => "UInt128",
        "e" => "Float16",
        "f" => "Float32",
        "g" => "Float64",
        "z" | "Z" | "vz" => "Binary",
        "vu" => "String",
        "tdD" | "tdm" => "Date",
        "+s" => "Struct",
        "+m" => "Map",
        "+L" => "List",
        "w:8" => "Object",
        _ if format.starts_with("d:") => "Decimal",
        _ if format.starts_with("ts") => "Datetime",
        _ if format.starts_with("tD") => "Duration",
        _ if format.starts_with("tt") => "Time",
        _ if format.starts_with("+w:") => "Array",
        _ => return format!("with Arrow format {format:?}"),
    };
    name.to_owned()
}
