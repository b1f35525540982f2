//! Any text is refused or read without a panic, and what is written of its values is read as the same.
#![no_main]

use anls_frame::json::{Cell, Kind, Scanner, Table, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(table) = Table::of_lines(text) else { return };
    assert_eq!(table.lines.len(), table.height);
    for column in &table.columns {
        assert_eq!(column.cells.len(), table.height);
        for cell in &column.cells {
            check(text, cell);
        }
        let lists = Kind::Texts.bit() | Kind::List.bit();
        for cell in &column.narrowed(text, lists).expect("the lists were read before").cells {
            check(text, cell);
        }
        let members = Table::of_objects(text, column).expect("the objects were read before");
        assert_eq!(members.height, table.height);
        for cell in members.columns.iter().flat_map(|column| &column.cells) {
            check(text, cell);
        }
        for row in 0..table.height {
            if let Some(value) = column.cells[row].text(text) {
                assert!(table.only(text, column, &value).lines.contains(&table.lines[row]));
            }
        }
    }
});

fn check(text: &str, cell: &Cell) {
    assert_eq!(cell.kind == Kind::Text, cell.text(text).is_some());
    if cell.kind == Kind::Missing {
        assert!(cell.written(text).is_empty());
        return;
    }
    let mut once = String::new();
    if write(&mut cell.scanner(text), &mut once).is_err() {
        return; // a key that only Python writes
    }
    let mut scanner = Scanner::new(&once, 0);
    assert_eq!(scanner.value(), Ok(cell.kind));
    assert_eq!(scanner.at(), once.len());
    let mut twice = String::new();
    write(&mut Scanner::new(&once, 0), &mut twice).expect("its keys can be written");
    assert_eq!(once, twice);
}
