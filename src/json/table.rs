//! The values of objects by key.
//!
//! A column of positions for each key, so a file is read once and values are decoded when they are asked for. Meant for
//! rows with mostly the same keys: each key costs a position in every row.

use std::borrow::Cow;
use std::collections::HashMap;

use super::scan::{Doubt, Kind, Scanner};

/// No table of results has more empty cells than this and less than one filled cell in this many. The Python package
/// has the same limits, and says what is wrong.
const MOST_GAPS: usize = 20_000_000;
const SPARSE: usize = 20;

/// A value and its position.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    start: u32,
    end: u32,
    /// What it is.
    pub kind: Kind,
}

const MISSING: Cell = Cell { start: 0, end: 0, kind: Kind::Missing };

impl Cell {
    /// A scanner before the value.
    pub fn scanner<'a>(&self, text: &'a str) -> Scanner<'a> {
        Scanner::new(text, self.start as usize)
    }

    /// The value as it is written.
    pub fn written<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }

    /// How many bytes it is written in.
    pub fn bytes(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// The only entry, if the value is a list of one entry of these kinds; and so on.
    fn narrowed(mut self, text: &str, kinds: u16) -> Result<Self, Doubt> {
        while matches!(self.kind, Kind::Texts | Kind::List) {
            let (mut found, mut length) = (MISSING, 0);
            self.scanner(text).entries(|scanner| {
                found = Self::next(scanner)?;
                length += 1;
                Ok::<_, Doubt>(())
            })?;
            if length != 1 || kinds & found.kind.bit() == 0 {
                break;
            }
            self = found;
        }
        Ok(self)
    }

    /// Reads the next value.
    fn next(scanner: &mut Scanner) -> Result<Self, Doubt> {
        let start = scanner.at() as u32;
        let kind = scanner.value()?;
        Ok(Self { start, end: scanner.at() as u32, kind })
    }

    /// The string, if it is one.
    pub fn text<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        if self.kind != Kind::Text {
            return None;
        }
        let inner = &text[self.start as usize + 1..self.end as usize - 1];
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        let mut scanner = self.scanner(text);
        scanner.string().ok().map(|span| scanner.decoded(span))
    }
}

/// The values of a key.
#[derive(Debug)]
pub struct Column {
    /// The key.
    pub key: String,
    /// The first row that has it.
    pub first: usize,
    /// How many rows have it.
    pub filled: usize,
    /// A cell for each row.
    pub cells: Vec<Cell>,
}

impl Column {
    /// Which kinds its values have: a bit for each.
    pub fn kinds(&self) -> u16 {
        self.cells.iter().fold(0, |kinds, cell| kinds | cell.kind.bit())
    }

    /// The first row with another value than null.
    pub fn first_value(&self) -> Option<usize> {
        self.cells.iter().position(|cell| !matches!(cell.kind, Kind::Missing | Kind::Null))
    }

    /// The values of these rows, missing without a row; `None` if there is no such row.
    pub fn at(&self, rows: &[Option<usize>]) -> Option<Self> {
        let cell = |row: &Option<usize>| row.map_or(Some(MISSING), |row| self.cells.get(row).copied());
        let cells: Vec<Cell> = rows.iter().map(cell).collect::<Option<_>>()?;
        let has_key = |cell: &Cell| cell.kind != Kind::Missing;
        let first = cells.iter().position(has_key).unwrap_or(cells.len());
        let filled = cells.iter().copied().filter(has_key).count();
        Some(Self { key: self.key.clone(), first, filled, cells })
    }

    /// The column with the only entries of lists in place of these, as long as they are of these kinds.
    pub fn narrowed(&self, text: &str, kinds: u16) -> Result<Self, Doubt> {
        let cells = self.cells.iter().map(|cell| cell.narrowed(text, kinds));
        Ok(Self { key: self.key.clone(), cells: cells.collect::<Result<_, _>>()?, ..*self })
    }
}

/// Objects as columns, one for each key, in the order in which they first appear.
#[derive(Debug, Default)]
pub struct Table {
    /// A column for each key.
    pub columns: Vec<Column>,
    /// How many objects there are.
    pub height: usize,
    /// The number of each row's line, at least 1; none if the rows are no lines.
    pub lines: Vec<u32>,
    by_key: HashMap<String, usize>,
    filled: usize,
}

impl Table {
    /// The objects of JSON Lines, which are shorter than 4 GiB.
    pub fn of_lines(text: &str) -> Result<Self, Doubt> {
        let mut table = Self::default();
        let mut scanner = Scanner::new(text, 0);
        let mut line = 0;
        loop {
            line += 1;
            scanner.skip_blanks();
            if scanner.peek() == b'{' {
                table.push(&mut scanner)?;
                table.lines.push(line);
            }
            scanner.skip_blanks();
            if scanner.at() == text.len() {
                return Ok(table.filled_up());
            }
            if !scanner.take(b'\n') {
                return Err(Doubt);
            }
        }
    }

    /// The rows whose value of a column is this string.
    #[must_use]
    pub fn only(&self, text: &str, column: &Column, wanted: &str) -> Self {
        let is_wanted = |row: &usize| column.cells[*row].text(text).is_some_and(|found| found == wanted);
        let rows: Vec<usize> = (0..self.height).filter(is_wanted).collect();
        let chosen: Vec<Option<usize>> = rows.iter().copied().map(Some).collect();
        let mut columns: Vec<Column> = self.columns.iter().filter_map(|column| column.at(&chosen)).collect();
        columns.retain(|column| column.filled > 0);
        columns.sort_by_key(|column| (column.first, column.cells[column.first].start));
        let lines = rows.iter().map(|&row| self.lines[row]).collect();
        Self { height: rows.len(), columns, lines, ..Self::default() }
    }

    /// A table of this column alone.
    pub fn of_column(column: Column) -> Self {
        Self { height: column.cells.len(), columns: vec![column], ..Self::default() }
    }

    /// The objects of a column; a row with another value has no member.
    pub fn of_objects(text: &str, column: &Column) -> Result<Self, Doubt> {
        let mut table = Self::default();
        for cell in &column.cells {
            if cell.kind == Kind::Object {
                table.push(&mut cell.scanner(text))?;
            } else {
                table.height += 1;
            }
        }
        Ok(table.filled_up())
    }

    fn push(&mut self, scanner: &mut Scanner) -> Result<(), Doubt> {
        // Most objects have the same keys in the same order.
        let mut next = 0;
        scanner.members(|scanner, key| {
            let column = self.column(next, &scanner.decoded(key));
            next = column + 1;
            let column = &mut self.columns[column];
            if column.cells.len() > self.height {
                return Err(Doubt); // a key twice
            }
            column.cells.resize(self.height, MISSING);
            column.cells.push(Cell::next(scanner)?);
            column.filled += 1;
            self.filled += 1;
            Ok(())
        })?;
        self.height += 1;
        let gaps = self.columns.len() * self.height - self.filled;
        if gaps > MOST_GAPS && self.filled * SPARSE < gaps { Err(Doubt) } else { Ok(()) }
    }

    fn column(&mut self, expected: usize, key: &str) -> usize {
        if self.columns.get(expected).is_some_and(|column| column.key == key) {
            return expected;
        }
        if let Some(&column) = self.by_key.get(key) {
            return column;
        }
        let column = self.columns.len();
        self.by_key.insert(key.to_owned(), column);
        self.columns.push(Column { key: key.to_owned(), first: self.height, filled: 0, cells: Vec::new() });
        column
    }

    fn filled_up(mut self) -> Self {
        for column in &mut self.columns {
            column.cells.resize(self.height, MISSING);
        }
        self
    }
}
