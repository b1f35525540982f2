//! The differences of a page for a display of both texts: edits, and blocks as wholes.
//!
//! For pages that people look at. Counts alone come from [`Pages::errors`](super::Pages::errors), without a list.

use std::ops::Range;

use super::super::alignment::Operation;
use super::Separated;
use super::kinds::Kinds;
use super::text::Text;

/// Units that are not the same in both texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// An operation; `"fabricated"` or `"repeated"` in place of an insertion, `"moved"` where a block is in the
    /// prediction, and `"moved_away"` where it does in the reference.
    pub name: &'static str,
    /// Where they begin in the reference.
    pub reference_position: usize,
    /// Where they begin in the prediction.
    pub prediction_position: usize,
    /// How many there are.
    pub units: usize,
    /// Where a moved block begins in the other text.
    pub counterpart: Option<usize>,
}

const REPEATED: &str = "repeated";
/// The names of a moved block in the reference and in the prediction.
const MOVED: [&str; 2] = ["moved_away", "moved"];

/// Words of a block, its name, and where it begins in the other text.
type Named = (Range<usize>, &'static str, Option<usize>);

/// A block in one of the texts.
struct Piece {
    name: &'static str,
    counterpart: Option<usize>,
    /// Units before it that are in no block.
    at: usize,
    units: usize,
}

impl Separated<'_> {
    /// The marks of both texts, in their order.
    pub fn marks(&self, texts: [&Text; 2], kinds: &Kinds) -> Vec<Mark> {
        let moved = |side: usize| {
            self.moved.iter().map(move |block| {
                let words = [&block.reference, &block.prediction];
                let counterpart = texts[1 - side].first_unit(words[1 - side].start);
                (words[side].clone(), MOVED[side], Some(counterpart))
            })
        };
        let repeated = self.repeated.iter().map(|words| (words.clone(), REPEATED, None));
        let blocks: [Vec<Named>; 2] = [moved(0).collect(), moved(1).chain(repeated).collect()];
        let pieces_of = |side: usize, blocks| pieces(texts[side], &self.rest[side].left_out, blocks);
        let [first, second] = blocks;
        let mut pieces =
            [pieces_of(0, first), pieces_of(1, second)].map(|pieces| pieces.into_iter().peekable());
        let mut marks = Vec::new();
        // Units that were passed, in no block and in blocks.
        let (mut at, mut in_blocks) = ([0, 0], [0, 0]);
        let fabricated = kinds.fabricated(&self.edits, &self.rest[1]);
        for edit in self.edits.iter().zip(fabricated).map(Some).chain([None]) {
            let to = edit.map_or(self.rest.each_ref().map(Text::length), |(edit, _)| {
                [edit.reference_position, edit.prediction_position]
            });
            while let Some((passed, side)) = [0, 1]
                .into_iter()
                .filter_map(|side| pieces[side].peek().map(|piece| (piece.at - at[side], side)))
                .filter(|&(passed, side)| passed <= to[side] - at[side])
                .min()
            {
                at = at.map(|units| units + passed);
                let Piece { name, counterpart, units, .. } = pieces[side].next().expect("just seen");
                marks.push(Mark { counterpart, ..Mark::new(name, at, in_blocks, units) });
                in_blocks[side] += units;
            }
            at = to;
            let Some((edit, is_fabricated)) = edit else { break };
            let name = match edit.operation {
                Operation::Replace => "replace",
                Operation::Delete => "delete",
                Operation::Insert if is_fabricated => "fabricated",
                Operation::Insert => "insert",
            };
            marks.push(Mark::new(name, at, in_blocks, 1));
            at[0] += usize::from(edit.operation != Operation::Insert);
            at[1] += usize::from(edit.operation != Operation::Delete);
        }
        marks
    }
}

impl Mark {
    fn new(name: &'static str, at: [usize; 2], in_blocks: [usize; 2], units: usize) -> Self {
        let [reference_position, prediction_position] = [0, 1].map(|side| at[side] + in_blocks[side]);
        Self { name, reference_position, prediction_position, units, counterpart: None }
    }
}

/// The blocks of a text in its order, each with what separates it from the next word, or at the end from the one before.
fn pieces(text: &Text, left_out: &[Range<usize>], mut blocks: Vec<Named>) -> Vec<Piece> {
    blocks.sort_unstable_by_key(|(words, ..)| words.start);
    let mut blocks = blocks.into_iter().peekable();
    let (mut pieces, mut before) = (Vec::new(), 0);
    for units in left_out {
        let is_last = units.end == text.end_before(text.numbers.len()).unit;
        let border = |word: usize| if is_last { text.end_before(word).unit } else { text.first_unit(word) };
        let mut start = units.start;
        while let Some((_, name, counterpart)) =
            blocks.next_if(|(words, ..)| text.first_unit(words.start) < units.end)
        {
            let next = blocks.peek().map_or(units.end, |(words, ..)| border(words.start).min(units.end));
            pieces.push(Piece { name, counterpart, at: units.start - before, units: next - start });
            start = next;
        }
        before += units.len();
    }
    pieces
}
