//! Blocks of words: those that both texts have in the same order, those that moved, those that are repeated.
//!
//! Runs of equal words are found by hash, the heaviest chain of them stays, and the others are moved or repeated if
//! they are long enough. Blocks then grow over misread words next to them. The time grows with the number of words, and
//! with the misread text near blocks, which is aligned. Fewer words than `min_words` are never a block, even if they
//! moved.

use std::ops::Range;

use super::super::alignment::{Aligner, Edit};
use super::super::length::length;
use super::chain::heaviest;
use super::ngrams::earlier;
use super::run::{Run, runs};
use super::text::{Direction, Text};

/// Words of both texts that belong together, some of them perhaps misread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub reference: Range<usize>,
    pub prediction: Range<usize>,
}

/// The blocks of a page.
#[derive(Default)]
pub struct Blocks {
    /// Equal words that both texts have in the same order.
    pub anchors: Vec<Run>,
    /// Blocks that the prediction has at another place.
    pub moved: Vec<Block>,
    /// Words that the prediction repeats.
    pub repeated: Vec<Range<usize>>,
}

/// Most units of the prediction in which the end of a block is looked for.
const REACH: usize = 1_000;

/// How many right units outweigh an edit, where a block grows: in unrelated texts of one language about every
/// third unit is right in the best alignment.
const EDIT_WEIGHS: isize = 2;

impl Blocks {
    /// The blocks of at least `min_words` words.
    pub fn find(texts: [&Text; 2], min_words: usize, aligner: &mut Aligner) -> Self {
        let [reference, prediction] = texts;
        let runs = runs([&reference.numbers, &prediction.numbers], min_words, 1);
        let chain = heaviest(&runs, |word| reference.first_unit(word));
        let mut page = Page {
            texts,
            min_words,
            taken: texts.map(|text| vec![false; text.numbers.len()]),
            anchors: Vec::with_capacity(chain.len()),
            others: Vec::new(),
            aligner,
        };
        page.divide(&runs, &chain);
        if page.others.is_empty() && !page.has_surplus() {
            return Self { anchors: page.anchors, ..Self::default() };
        }
        let stay = page.grown_anchors();
        let moved = page.moved();
        let repeated = page.repeated(&stay);
        Self { anchors: page.anchors, moved, repeated }
    }
}

impl From<Run> for Block {
    fn from(run: Run) -> Self {
        Self {
            reference: run.reference..run.reference_end(),
            prediction: run.prediction..run.prediction_end(),
        }
    }
}

impl Block {
    /// The border before its words, as a block that can grow.
    fn start(&self) -> Self {
        let Self { reference, prediction } = self;
        Self { reference: reference.start..reference.start, prediction: prediction.start..prediction.start }
    }

    /// The border after its words.
    fn end(&self) -> Self {
        let Self { reference, prediction } = self;
        Self { reference: reference.end..reference.end, prediction: prediction.end..prediction.end }
    }

    /// Which words of either text are in such blocks.
    pub fn taken(moved: &[Self], repeated: &[Range<usize>], texts: [&Text; 2]) -> [Vec<bool>; 2] {
        let mut taken = texts.map(|text| vec![false; text.numbers.len()]);
        for block in moved {
            taken[0][block.reference.clone()].fill(true);
            taken[1][block.prediction.clone()].fill(true);
        }
        for words in repeated {
            taken[1][words.clone()].fill(true);
        }
        taken
    }
}

/// The blocks while they are found.
struct Page<'a, 'b> {
    texts: [&'a Text<'a>; 2],
    min_words: usize,
    /// Words that have a block.
    taken: [Vec<bool>; 2],
    anchors: Vec<Run>,
    /// Runs outside the chain.
    others: Vec<Run>,
    aligner: &'b mut Aligner,
}

impl Page<'_, '_> {
    /// Parts runs into anchors and others.
    fn divide(&mut self, runs: &[Run], chain: &[usize]) {
        let mut chain = chain.iter().copied().peekable();
        let mut end = 0;
        for (place, &run) in runs.iter().enumerate() {
            if chain.next_if_eq(&place).is_none() {
                self.others.push(run);
                continue;
            }
            let shared = end.max(run.reference) - run.reference;
            if shared > 0 {
                self.others.push(Run { words: shared, ..run });
            }
            let anchor = run.behind(shared);
            end = anchor.reference_end();
            self.take(&anchor.into(), Sought::Free);
            self.anchors.push(anchor);
        }
    }

    /// Takes a block of the prediction, and that of the reference if it has to be free.
    fn take(&mut self, block: &Block, sought: Sought) {
        if sought == Sought::Free {
            self.taken[0][block.reference.clone()].fill(true);
        }
        self.taken[1][block.prediction.clone()].fill(true);
    }

    /// How many of these words have no block.
    fn free(&self, side: usize, words: &Range<usize>) -> usize {
        self.taken[side][words.clone()].iter().filter(|&&taken| !taken).count()
    }

    /// The anchors with the misread words next to them. These are taken, so that they do not count as missing where
    /// they were read again, correctly.
    fn grown_anchors(&mut self) -> Vec<Block> {
        let others = std::mem::take(&mut self.others);
        for run in &others {
            self.taken[1][run.prediction..run.prediction_end()].fill(true);
        }
        let mut anchors: Vec<Block> = self.anchors.iter().copied().map(Block::from).collect();
        self.grow_all(&mut anchors, Sought::Free);
        for run in &others {
            self.taken[1][run.prediction..run.prediction_end()].fill(false);
        }
        self.others = others;
        anchors
    }

    /// The words between neighbouring anchors, in both texts.
    fn gaps(&self) -> Vec<Block> {
        let starts = self.anchors.iter().map(|run| (run.reference, run.prediction));
        let ends = self.anchors.iter().map(|run| (run.reference_end(), run.prediction_end()));
        let all = self.texts.map(|text| text.numbers.len());
        let gaps = std::iter::once((0, 0)).chain(ends).zip(starts.chain(std::iter::once((all[0], all[1]))));
        gaps.map(|(from, to)| Block { reference: from.0..to.0, prediction: from.1..to.1 }).collect()
    }

    /// Whether any gap has enough more words in the prediction for a repeated block.
    fn has_surplus(&self) -> bool {
        let least = self.min_words;
        self.gaps().iter().any(|gap| gap.prediction.len() >= gap.reference.len() + least)
    }

    /// Takes the runs outside the chain whose place in the reference is free, each with the misread words next to it.
    fn moved(&mut self) -> Vec<Block> {
        let mut moved = Vec::new();
        let mut rest = Vec::new();
        let mut open = std::mem::take(&mut self.others);
        open.reverse();
        while let Some(run) = open.pop() {
            let free = longest_free(&self.taken[0], run.reference..run.reference_end());
            if free.len() < self.min_words {
                rest.push(run);
                continue;
            }
            let (ahead, end) = (free.start - run.reference, free.end - run.reference);
            let block = Block { reference: free, prediction: run.prediction + ahead..run.prediction + end };
            // Other parts of the same run may be free as well, before and after words that are not.
            open.push(run.behind(end));
            open.push(Run { words: ahead, ..run });
            self.take(&block, Sought::Free);
            moved.push(block);
        }
        self.others = rest.into_iter().filter(|run| run.words > 0).collect();
        moved.sort_unstable_by_key(|block| block.prediction.start);
        self.grow_all(&mut moved, Sought::Free);
        moved
    }

    /// Finds repeated words of the prediction between blocks that stay: no more words than the reference lacks there.
    fn repeated(&mut self, stay: &[Block]) -> Vec<Range<usize>> {
        let mut repeated = Vec::new();
        let others = std::mem::take(&mut self.others);
        let mut before = None;
        for (place, gap) in self.gaps().into_iter().enumerate() {
            let mut surplus = self.free(1, &gap.prediction).saturating_sub(self.free(0, &gap.reference));
            if surplus < self.min_words {
                continue;
            }
            let before = before.get_or_insert_with(|| earlier(&self.texts[1].numbers, self.min_words));
            // A loop repeats what was read, with its errors; a page that is read twice has others the second time.
            let copies = self.copies(&gap.prediction, before);
            if copies.iter().map(Range::len).sum::<usize>() + self.min_words > surplus {
                for words in copies {
                    self.repeat(words, &mut surplus, &mut repeated);
                }
            }
            let borders =
                [place.checked_sub(1).map(|before| stay[before].end()), stay.get(place).map(Block::start)];
            for block in self.again(&others, &gap.prediction, borders) {
                self.taken[1][block.prediction.clone()].fill(false);
                // Most of what it is like was read elsewhere.
                if 2 * self.free(0, &block.reference) < block.reference.len() {
                    self.repeat(block.prediction, &mut surplus, &mut repeated);
                }
            }
            for words in self.copies(&gap.prediction, before) {
                self.repeat(words, &mut surplus, &mut repeated);
            }
        }
        repeated
    }

    /// Takes the runs among these words that are in no block, each with the misread words next to it, and those at the
    /// borders of these words.
    fn again(
        &mut self,
        others: &[Run],
        gap: &Range<usize>,
        [before, behind]: [Option<Block>; 2],
    ) -> Vec<Block> {
        let first = others.partition_point(|run| run.prediction < gap.start);
        let inside = others[first..].iter().take_while(|run| run.prediction < gap.end);
        let mut blocks: Vec<Block> = before.into_iter().collect();
        for run in inside {
            let prediction = longest_free(&self.taken[1], run.prediction..run.prediction_end());
            if prediction.len() >= self.min_words {
                let start = run.reference + prediction.start - run.prediction;
                let block = Block { reference: start..start + prediction.len(), prediction };
                self.take(&block, Sought::Anywhere);
                blocks.push(block);
            }
        }
        blocks.extend(behind);
        self.grow_all(&mut blocks, Sought::Anywhere);
        blocks
    }

    /// Lets blocks, in the order of the prediction, grow over similar words next to them, and over a few words that are
    /// left between two of them.
    fn grow_all(&mut self, blocks: &mut [Block], sought: Sought) {
        for block in &mut *blocks {
            for direction in [Direction::Back, Direction::Ahead] {
                self.grow(block, direction, sought);
            }
            self.take(block, sought);
        }
        for next in 1..blocks.len() {
            let between = Block {
                reference: blocks[next - 1].reference.end..blocks[next].reference.start,
                prediction: blocks[next - 1].prediction.end..blocks[next].prediction.start,
            };
            if self.are_left(&between, sought) {
                self.take(&between, sought);
                blocks[next - 1].reference.end = between.reference.end;
                blocks[next - 1].prediction.end = between.prediction.end;
            }
        }
    }

    /// Whether words between two blocks are free, and too few for a block of their own.
    fn are_left(&self, between: &Block, sought: Sought) -> bool {
        let are_few = |words: &Range<usize>| words.start <= words.end && words.len() < self.min_words;
        let are_free = |side: usize, words: &Range<usize>| self.free(side, words) == words.len();
        are_few(&between.reference)
            && are_few(&between.prediction)
            && are_free(1, &between.prediction)
            && (sought == Sought::Anywhere || are_free(0, &between.reference))
    }

    /// Takes repeated words, the last ones if there are more than the surplus.
    fn repeat(&mut self, words: Range<usize>, surplus: &mut usize, repeated: &mut Vec<Range<usize>>) {
        let words = words.end - words.len().min(*surplus)..words.end;
        if words.len() >= self.min_words {
            *surplus -= words.len();
            self.taken[1][words.clone()].fill(true);
            repeated.push(words);
        }
    }

    /// Runs of these words that occur earlier in the prediction.
    fn copies(&self, gap: &Range<usize>, before: &[Option<usize>]) -> Vec<Range<usize>> {
        let numbers = &self.texts[1].numbers;
        let mut copies = Vec::new();
        let mut at = gap.start;
        while at + self.min_words <= gap.end {
            let is_copied = |earlier: usize, word: usize| {
                !self.taken[1][word] && numbers[word] == numbers[word - at + earlier]
            };
            let same = before[at]
                .map_or(0, |earlier| (at..gap.end).take_while(|&word| is_copied(earlier, word)).count());
            if same >= self.min_words {
                copies.push(at..at + same);
            }
            at += same.max(1);
        }
        copies
    }

    /// Lets a block grow over the words next to it that are similar in both texts.
    fn grow(&mut self, block: &mut Block, direction: Direction, sought: Sought) {
        let prediction = self.beside(1, &block.prediction, direction, REACH, Sought::Free);
        let units = length(self.texts[1].beside(prediction, direction));
        let reference = self.beside(0, &block.reference, direction, similar(units), sought);
        let units = length(self.texts[0].beside(reference.clone(), direction));
        let prediction =
            self.beside(1, &block.prediction, direction, similar(units).min(REACH), Sought::Free);
        if prediction.is_empty() || reference.is_empty() {
            return;
        }
        let texts = [
            self.texts[0].beside(reference.clone(), direction),
            self.texts[1].beside(prediction.clone(), direction),
        ];
        let alike = alike(self.aligner.edits(texts[0], texts[1]), texts.map(length), direction);
        let more = [
            self.texts[0].words_beside(reference, alike[0], direction),
            self.texts[1].words_beside(prediction, alike[1], direction),
        ];
        match direction {
            Direction::Ahead => {
                block.reference.end += more[0];
                block.prediction.end += more[1];
            }
            Direction::Back => {
                block.reference.start -= more[0];
                block.prediction.start -= more[1];
            }
        }
    }

    /// The words next to `words`, as many as fit into `units` units.
    fn beside(
        &self,
        side: usize,
        words: &Range<usize>,
        direction: Direction,
        units: usize,
        sought: Sought,
    ) -> Range<usize> {
        let taken = &self.taken[side];
        let is_free = |&&taken: &&bool| sought == Sought::Anywhere || !taken;
        // No word has less than a unit.
        let all = match direction {
            Direction::Ahead => {
                words.end..words.end + taken[words.end..].iter().take(units).take_while(is_free).count()
            }
            Direction::Back => {
                let free = taken[..words.start].iter().rev().take(units).take_while(is_free).count();
                words.start - free..words.start
            }
        };
        let near = self.texts[side].words_beside(all.clone(), units, direction);
        match direction {
            Direction::Ahead => all.start..all.start + near,
            Direction::Back => all.end - near..all.end,
        }
    }
}

/// How many units of a text may be similar to `units` of another: an alignment with a longer text would spread them.
fn similar(units: usize) -> usize {
    units + units / 4 + 10
}

/// Where words are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sought {
    Free,
    Anywhere,
}

/// The longest part of a run of words that has no block.
fn longest_free(taken: &[bool], words: Range<usize>) -> Range<usize> {
    let mut longest = words.start..words.start;
    let mut start = words.start;
    for parts in taken[words].chunk_by(|left, right| left == right) {
        if !parts[0] && parts.len() > longest.len() {
            longest = start..start + parts.len();
        }
        start += parts.len();
    }
    longest
}

/// How many units of either text at their start, or at their end, are so similar that right ones outweigh edits.
fn alike(edits: &[Edit], lengths: [usize; 2], direction: Direction) -> [usize; 2] {
    let mut best = (0, [0, 0]);
    let (mut score, mut right) = (0, 0);
    let ends = edits.iter().map(|edit| [edit.reference_position, edit.prediction_position]);
    let mut consider = |score: isize, places: [usize; 2]| {
        let score = if direction == Direction::Back { -score } else { score };
        if score > best.0 {
            best = (score, places);
        }
    };
    for (edit, places) in edits.iter().zip(ends) {
        score += (places[0] - right).cast_signed();
        consider(score, places);
        score -= EDIT_WEIGHS;
        right = places[0] + usize::from(edit.reference.is_some());
        consider(score, [right, places[1] + usize::from(edit.prediction.is_some())]);
    }
    score += (lengths[0] - right).cast_signed();
    consider(score, lengths);
    match direction {
        Direction::Ahead => best.1,
        Direction::Back if best.0 == 0 && score > 0 => lengths,
        Direction::Back if score + best.0 > 0 => [0, 1].map(|side| lengths[side] - best.1[side]),
        Direction::Back => [0, 0],
    }
}
