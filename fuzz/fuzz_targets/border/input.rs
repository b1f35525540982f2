//! What the fuzzer chooses: two columns, mostly of equal length and mostly sound.
//!
//! Written by hand rather than derived: bytes taken at random would almost never be two columns that fit.

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::damage::{Damage, SchemaDamage};
use crate::harness::describe::{Array, Column, Fault, Schema, inline_view, long_view};

const MOST_ROWS: usize = 6;
const MOST_CHUNKS: usize = 4;

#[derive(Debug)]
pub struct Input {
    pub metric: u8,
    pub columns: [Column; 2],
    /// Nothing is damaged and every text is UTF-8.
    pub is_sound: bool,
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Text,
    Categories,
    Null,
    List,
    Fixed,
    ListOfCategories,
    FixedOfCategories,
    ListOfNull,
}

/// Texts of every kind: none, inside a view, just outside, long, of each script, and spaces that are squeezed.
const TEXTS: [&str; 12] = [
    "",
    "a",
    "Cat",
    "caf\u{e9}",
    "twelve bytes",
    "thirteen byte",
    "thirteen bytes..",
    " two  words\u{a0}and more ",
    "\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}",
    "\u{1d11e}\u{1d11e}\u{1d11e}",
    "a text of more than one word of sixty-four characters, to leave the short methods",
    "A text of more than 1 word of sixty-four characters, to leave the short method",
];

const PADDING: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The source of all choices, which also notes whether what it gave is sound.
struct Choices<'a, 'b> {
    bytes: &'b mut Unstructured<'a>,
    is_sound: bool,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut choices = Choices { bytes, is_sound: true };
        let metric = choices.bytes.arbitrary()?;
        let rows = choices.up_to(MOST_ROWS)?;
        let prediction = choices.one_in(8)?;
        let layout = if prediction { choices.bytes.arbitrary()? } else { Layout::Text };
        let prediction = choices.column("prediction", layout, rows)?;
        let layout = choices.bytes.arbitrary()?;
        let answers = choices.column("answers", layout, rows)?;
        Ok(Self { metric, columns: [prediction, answers], is_sound: choices.is_sound })
    }
}

impl Layout {
    fn schema(self, name: &str, width: usize) -> Schema {
        let text = || Schema::text("item");
        let categories = |name| Schema::categories(name, "I");
        match self {
            Self::Text => Schema::text(name),
            Self::Categories => categories(name),
            Self::Null => Schema::new(name, "n"),
            Self::List => Schema::list(name, text()),
            Self::Fixed => Schema::fixed(name, width, text()),
            Self::ListOfCategories => Schema::list(name, categories("item")),
            Self::FixedOfCategories => Schema::fixed(name, width, categories("item")),
            Self::ListOfNull => Schema::list(name, Schema::new("item", "n")),
        }
    }
}

fn to_long(number: usize) -> i64 {
    i64::try_from(number).expect("small")
}

impl Choices<'_, '_> {
    fn up_to(&mut self, most: usize) -> Result<usize> {
        self.bytes.int_in_range(0..=most)
    }

    /// Never where the bytes have run out, which count as zeros.
    fn one_in(&mut self, number: usize) -> Result<bool> {
        Ok(self.up_to(number - 1)? == number - 1)
    }

    /// A column, mostly of so many rows.
    fn column(&mut self, name: &str, layout: Layout, rows: usize) -> Result<Column> {
        let rows = match self.up_to(15)? {
            0 => 1,
            1 => self.up_to(MOST_ROWS)?,
            _ => rows,
        };
        let width = self.up_to(3)?;
        let mut schema = layout.schema(name, width);
        if self.one_in(16)? {
            self.is_sound = false;
            self.bytes.arbitrary::<SchemaDamage>()?.apply(&mut schema);
        }
        let mut chunks = Vec::new();
        let mut left = rows;
        for chunk in 1..=MOST_CHUNKS {
            let rows = if chunk == MOST_CHUNKS { left } else { self.up_to(left)? };
            chunks.push(self.chunk(layout, width, rows)?);
            left -= rows;
        }
        let column = Column::new(schema, chunks);
        if !self.one_in(32)? {
            return Ok(column);
        }
        self.is_sound = false;
        let fault = [Fault::Released, Fault::NoSchema, Fault::NoChunks, Fault::NoChunk(self.up_to(3)?)];
        Ok(column.with(fault[self.up_to(3)?]))
    }

    /// A chunk of so many rows, often cut out of a longer one.
    fn chunk(&mut self, layout: Layout, width: usize, rows: usize) -> Result<Array> {
        let (before, behind) = if self.one_in(3)? { (self.up_to(9)?, self.up_to(2)?) } else { (0, 0) };
        let all = before + rows + behind;
        let array = match layout {
            Layout::Text => self.texts(all)?,
            Layout::Categories => self.categories(all)?,
            Layout::Null => Array::null(to_long(all)),
            Layout::List | Layout::ListOfCategories | Layout::ListOfNull => {
                let mut offsets = vec![self.up_to(2)?];
                for row in 0..all {
                    offsets.push(offsets[row] + self.up_to(3)?);
                }
                let entries = offsets[all] + self.up_to(2)?;
                let entries = match layout {
                    Layout::List => self.texts(entries)?,
                    Layout::ListOfNull => Array::null(to_long(entries)),
                    _ => self.categories(entries)?,
                };
                Array::list(&offsets.into_iter().map(to_long).collect::<Vec<_>>(), entries)
            }
            Layout::Fixed => Array::fixed(to_long(all), self.texts(all * width)?),
            Layout::FixedOfCategories => Array::fixed(to_long(all), self.categories(all * width)?),
        };
        let array = if layout == Layout::Null { array } else { self.with_nulls(array)? };
        let mut array = array.slice(to_long(before), to_long(rows));
        let damages = if self.one_in(8)? { 1 + self.up_to(2)? } else { 0 };
        for _ in 0..damages {
            self.is_sound = false;
            let target = match self.up_to(2)? {
                0 => Some(&mut array),
                1 => array.children.first_mut(),
                _ => array.dictionary.as_deref_mut(),
            };
            let Some(target) = target else { continue };
            let of_values = self.one_in(2)?;
            let damage =
                if of_values { Damage::of_values(target, self.bytes) } else { self.bytes.arbitrary() };
            damage?.apply(target);
        }
        Ok(array)
    }

    fn with_nulls(&mut self, array: Array) -> Result<Array> {
        let mut nulls = Vec::new();
        for row in 0..usize::try_from(array.length).expect("sound") {
            if self.one_in(8)? {
                nulls.push(row);
            }
        }
        // A validity without nulls is sound as well.
        Ok(if nulls.is_empty() && !self.one_in(8)? { array } else { array.with_nulls(&nulls) })
    }

    fn texts(&mut self, rows: usize) -> Result<Array> {
        // Longer than any text taken from them by a wrong view.
        let mut buffers = vec![PADDING.to_vec(); self.up_to(2)? + 1];
        let mut views = Vec::with_capacity(rows);
        for _ in 0..rows {
            let text = self.text()?;
            let buffer = self.up_to(buffers.len() - 1)?;
            views.push(if text.len() <= 12 {
                inline_view(&text)
            } else {
                let start = buffers[buffer].len();
                buffers[buffer].extend_from_slice(&text);
                long_view(text.len(), u32::try_from(buffer).expect("few"), start)
            });
        }
        let buffers: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
        let array = Array::views(&views, &buffers);
        self.with_nulls(array)
    }

    fn text(&mut self) -> Result<Vec<u8>> {
        Ok(match self.up_to(TEXTS.len() + 1)? {
            0 if self.one_in(8)? => {
                self.is_sound = false;
                self.bytes.arbitrary()?
            }
            0 => self.bytes.arbitrary::<&str>()?.into(),
            choice => TEXTS[choice % TEXTS.len()].into(),
        })
    }

    fn categories(&mut self, rows: usize) -> Result<Array> {
        let values = 1 + self.up_to(3)?;
        let keys = (0..rows).map(|_| Ok(u32::try_from(self.up_to(values - 1)?).expect("few")));
        let keys: Vec<u32> = keys.collect::<Result<_>>()?;
        let values = self.texts(values)?;
        self.with_nulls(Array::dictionary(4, &keys, values))
    }
}
