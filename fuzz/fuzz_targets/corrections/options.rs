//! Keyword arguments of the functions, pickled as Python would.

use arbitrary::Arbitrary;

/// Types of edits.
pub const KINDS: [&str; 6] = ["R:VERB", "M:DET", "U:PUNCT", "UNK", "noop", ""];

/// What the fuzzer chooses of the options; each function takes its own.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Options {
    pub flags: [bool; 3],
    pub choices: [u8; 4],
    pub number: u8,
}

/// Of a dictionary of names and pickled values, protocol 2.
fn pickle(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"\x80\x02}(".to_vec();
    for (name, value) in entries {
        bytes.extend(text(name));
        bytes.extend(value);
    }
    bytes.extend(b"u.");
    bytes
}

fn text(value: &str) -> Vec<u8> {
    let length = u32::try_from(value.len()).expect("short").to_le_bytes();
    [b"X", length.as_slice(), value.as_bytes()].concat()
}

fn flag(value: bool) -> Vec<u8> {
    vec![if value { 0x88 } else { 0x89 }]
}

fn number(value: i32) -> Vec<u8> {
    [b"J", value.to_le_bytes().as_slice()].concat()
}

fn float(value: f64) -> Vec<u8> {
    [b"G", value.to_be_bytes().as_slice()].concat()
}

fn texts(values: &[&str]) -> Vec<u8> {
    let entries: Vec<u8> = values.iter().copied().flat_map(text).collect();
    [b"](", entries.as_slice(), b"e"].concat()
}

fn one_of(choices: &[&str], choice: u8) -> Vec<u8> {
    text(choices[usize::from(choice) % choices.len()])
}

impl Options {
    /// Whether the edits of M² are all that there are, as they stand: those of spaces and case stay, none is
    /// shrunk, and insertions before the first word are not written as version 3.2 of the scorer did.
    pub fn keeps_edits(self) -> bool {
        !self.flags[0] && !self.flags[1] && self.choices[1] % 2 == 0
    }

    pub fn of_m2(self) -> Vec<u8> {
        pickle(&self.m2())
    }

    pub fn of_m2_edits(self) -> Vec<u8> {
        let mut entries = self.m2();
        entries.push(("shrink", flag(self.flags[1])));
        pickle(&entries)
    }

    fn m2(self) -> Vec<(&'static str, Vec<u8>)> {
        let [lattice, labels, method, _] = self.choices;
        vec![
            ("max_unchanged", number(i32::from(self.number % 5))),
            ("ignore_whitespace_casing", flag(self.flags[0])),
            ("lattice", one_of(&["official", "paper"], lattice)),
            ("insert_labels", one_of(&["fixed", "v3.2"], labels)),
            ("method", one_of(&["auto", "exact", "dp"], method)),
        ]
    }

    /// Of the I-measure.
    pub fn of_i_measure(self) -> Vec<u8> {
        let [metric, aspect, ..] = self.choices;
        let metrics = ["tp", "tn", "fp", "fn", "p", "r", "f", "acc", "wacc", "i"];
        let [gap, mismatch] = self.costs();
        pickle(&[
            ("w", float(f64::from(self.number % 7) / 2.0)),
            ("beta", float(f64::from(self.number / 7 % 5) / 2.0)),
            ("mix", flag(self.flags[0])),
            ("optimise", one_of(&metrics, metric)),
            ("aspect", one_of(&["correction", "detection"], aspect)),
            ("max_references", number(1 + i32::from(self.number))),
            ("max_cells", self.cells()),
            gap,
            mismatch,
        ])
    }

    /// Of an alignment of three.
    pub fn of_align3(self) -> Vec<u8> {
        let [gap, mismatch] = self.costs();
        pickle(&[("max_cells", self.cells()), gap, mismatch])
    }

    /// The costs of an alignment, those of the paper among them.
    fn costs(self) -> [(&'static str, Vec<u8>); 2] {
        let [.., last] = self.choices;
        [
            ("gap_cost", number(1 + i32::from(last % 4))),
            ("mismatch_cost", number(1 + i32::from(last / 4 % 8))),
        ]
    }

    /// Whether there is room for sentences as short as these.
    pub fn has_cells(self) -> bool {
        self.choices[2] % 8 != 7
    }

    fn cells(self) -> Vec<u8> {
        number(if self.has_cells() { 1 << 20 } else { i32::from(self.choices[2]) })
    }

    pub fn of_errant(self) -> Vec<u8> {
        let [mode, kind, ..] = self.choices;
        let kind = KINDS[usize::from(kind) % KINDS.len()];
        pickle(&[
            ("mode", one_of(&["cs", "cse", "ds", "dt"], mode)),
            ("single", flag(self.flags[0])),
            ("multi", flag(self.flags[1])),
            ("filt", texts(&self.flags[2].then_some(kind).into_iter().collect::<Vec<_>>())),
        ])
    }
}
