//! The pairs of a block of rows, sorted by what has to be done with them.
//!
//! Every pair passes here first. Views show most of it: of inline text everything, of other text the
//! length. A pair whose views are equal costs 10 ns in all; one of 13 to 32 bytes is loaded and compared for 7 more.
//!
//! Where each row of a block has one answer, which is decided block by block, its views are read in place,
//! and a bit for each row leaves out those with a null. Other rows are gathered pair by pair.

use std::ops::Range;

use super::lanes::{Isa, Shown, VIEWS};
use super::ones::ones;
use super::prepare::Preparation;
use super::prepared::Text;
use super::request::{Place, Request, Rows, Texts};
use super::text32::Text32;
use super::view::{INLINE, Memory};

/// The pairs of a block, sorted.
#[derive(Default)]
pub struct Pairs {
    isa: Isa,
    /// The first row of the block, and its first answer.
    start: [usize; 2],
    /// The indices of each pair, and room for more, unless there is one for each row.
    places: Vec<Place>,
    /// How many of them there are.
    gathered: Option<usize>,
    /// For each row with gathered pairs, the place of its first answer.
    pub first_answers: Vec<u32>,
    /// A bit for each pair without a null.
    valid: Vec<u64>,
    /// What the distance is divided by for the similarity, where it is not 0.
    pub longer: Vec<u32>,
    /// Length of the reference, if errors are asked for.
    pub reference: Vec<u32>,
    /// Where the queue has the errors: with the distance for the similarity, or after all of those.
    pub errors_at: Vec<u32>,
    /// Pairs of different texts, both in their views.
    pub inside: Vec<u32>,
    /// Pairs with at least one text to be loaded.
    pub to_load: Vec<u32>,
    pub loaded: Vec<u32>,
    /// Texts that are too long for the lanes or not ASCII.
    pub fallback: Vec<u32>,
    /// Whether each row has an answer that is not null, and a prediction; empty where all have.
    answered: Vec<bool>,
    /// For each row the first pair that cannot be better than what was found: an equal answer has distance 0, as
    /// have the pairs that are left out for it.
    settled: Vec<u32>,
}

/// Room for views that are not contiguous: those of a block, and those of its pairs.
#[derive(Default)]
pub struct ViewRoom {
    block: [Vec<u128>; 2],
    pairs: [Vec<u128>; 2],
}

/// Answers that are gathered for each row at once, even if it has fewer: the processor could not predict how
/// often a loop over them runs.
const AT_ONCE: usize = 4;

/// Texts of a row with which its answers are compared. Where it has many, most are equal to one of the first.
const COMPARED: usize = 8;

impl Pairs {
    /// Pairs that are sorted with these lanes.
    #[cfg(test)]
    pub fn with_isa(isa: Isa) -> Self {
        Self { isa, ..Self::default() }
    }

    /// Sorts the pairs of a block, and returns the views of each.
    pub fn sort<'a>(
        &mut self,
        rows: &'a impl Rows,
        block: Range<usize>,
        request: &Request,
        room: &'a mut ViewRoom,
    ) -> [&'a [u128]; 2] {
        let lists = [&mut self.inside, &mut self.to_load, &mut self.loaded, &mut self.fallback];
        lists.into_iter().for_each(Vec::clear);
        self.answered.clear();
        let [predictions, answers] = rows.texts();
        let answers_at = rows.answers_of(block.clone());
        self.start = [block.start, answers_at.start];
        let [of_predictions, of_answers] = &mut room.block;
        let mut views =
            [predictions.views(block.clone(), of_predictions), answers.views(answers_at.clone(), of_answers)];
        if rows.have_one_answer(block.clone()) {
            self.gathered = None;
            self.make_valid(block.len());
            predictions.clear_nulls(block.clone(), &mut self.valid);
            answers.clear_nulls(answers_at, &mut self.valid);
            self.sort_views(views, request);
            self.leave_out_nulls(block.len());
            return views;
        }
        self.settled.clear();
        self.settled.resize(block.len(), u32::MAX);
        let gathered = self.gather(rows, block, views, &mut room.pairs);
        self.gathered = Some(gathered);
        views = room.pairs.each_ref().map(|views| &views[..gathered]);
        self.make_valid(gathered);
        self.sort_views(views, request);
        for list in [&mut self.to_load, &mut self.fallback] {
            leave_out(list, &self.places, &self.settled);
        }
        views
    }

    /// Marks `pairs` pairs as having no null.
    fn make_valid(&mut self, pairs: usize) {
        self.valid.clear();
        self.valid.resize(pairs.div_ceil(VIEWS), u64::MAX);
        if let (Some(last), rest @ 1..) = (self.valid.last_mut(), pairs % VIEWS) {
            *last >>= VIEWS - rest;
        }
    }

    fn sort_views(&mut self, [predictions, answers]: [&[u128]; 2], request: &Request) {
        let chunks = predictions.chunks(VIEWS).zip(answers.chunks(VIEWS));
        for (number, (predictions, answers)) in chunks.enumerate() {
            let (first, valid) = (number * VIEWS, self.valid[number]);
            let shown = self.shown(predictions, answers);
            let equal = shown.inside & shown.equal & valid;
            if self.gathered.is_some() {
                ones(equal).for_each(|pair| self.settle(first + pair, true, request));
            }
            let unknown = match request.errors {
                _ if has_known_length(false, request) => 0,
                Some(_) if has_known_length(true, request) => equal & !shown.ascii,
                _ => equal,
            };
            let different = shown.inside & !shown.equal;
            let lists = [
                (&mut self.inside, different & shown.ascii),
                (&mut self.to_load, shown.short & !shown.inside),
                (&mut self.fallback, !shown.short | (different & !shown.ascii) | unknown),
            ];
            for (list, bits) in lists {
                list.reserve(VIEWS);
                ones(bits & valid).for_each(|pair| list.push((first + pair) as u32));
            }
        }
        self.reference.clear();
        self.errors_at.clear();
        self.longer.resize(predictions.len(), 0);
        if request.errors.is_some() {
            self.reference.extend(answers.iter().map(|&answer| answer as u32));
            self.errors_at.extend(0..predictions.len() as u32);
        }
    }

    fn shown(&self, predictions: &[u128], answers: &[u128]) -> Shown {
        if let (Ok(predictions), Ok(answers)) = (predictions.try_into(), answers.try_into()) {
            return self.isa.shown(predictions, answers);
        }
        let padded = [predictions, answers].map(|views| {
            let mut padded = [0; VIEWS];
            padded[..views.len()].copy_from_slice(views);
            padded
        });
        self.isa.shown(&padded[0], &padded[1])
    }

    /// Notes which of the rows, of one answer each, have a null: only their views were read.
    fn leave_out_nulls(&mut self, rows: usize) {
        let is_valid = |row: usize| self.valid[row / VIEWS] >> (row % VIEWS) & 1 != 0;
        let valid: u32 = self.valid.iter().map(|bits| bits.count_ones()).sum();
        if valid as usize == rows {
            return;
        }
        self.answered.extend((0..rows).map(is_valid));
        for (length, &is_answered) in self.reference.iter_mut().zip(&self.answered) {
            *length *= u32::from(is_answered);
        }
    }

    /// Finds the pairs of rows that have any number of answers, with their views, and returns how many there are.
    fn gather(
        &mut self,
        rows: &impl Rows,
        block: Range<usize>,
        [predictions, answers]: [&[u128]; 2],
        views: &mut [Vec<u128>; 2],
    ) -> usize {
        let [_, texts] = rows.texts();
        let has_null_answers = texts.has_nulls();
        let mut len = 0;
        self.first_answers.clear();
        for (row, index) in (0..).zip(block) {
            let own = rows.answers(index);
            // A null row may have none at a place before all others.
            let first = own.start.wrapping_sub(self.start[1]);
            let count = if rows.texts()[0].is_valid(index) { own.len() } else { 0 };
            self.first_answers.push(first as u32);
            let before = len;
            if self.places.len() < len + count + AT_ONCE {
                self.places.resize(2 * (len + count + AT_ONCE), Place::default());
            }
            if has_null_answers || count > AT_ONCE {
                len += self.gather_different(
                    rows,
                    row,
                    first..first.wrapping_add(count),
                    [predictions, answers],
                    len,
                );
            } else {
                let place = |index: usize| Place { row, answer: first.wrapping_add(index) as u32 };
                self.places[len..][..AT_ONCE].copy_from_slice(&std::array::from_fn::<_, AT_ONCE, _>(place));
                len += count;
            }
            self.answered.push(len > before);
        }
        let places = &self.places[..len];
        views.iter_mut().for_each(Vec::clear);
        views[0].extend(places.iter().map(|place| predictions[place.row as usize]));
        views[1].extend(places.iter().map(|place| answers[place.answer as usize]));
        len
    }

    /// Writes a row's pairs at `at`; returns their number. Skips nulls and duplicates; stops at an exact match.
    fn gather_different<'a, R: Rows>(
        &mut self,
        rows: &'a R,
        row: u32,
        own: Range<usize>,
        [predictions, answers]: [&[u128]; 2],
        at: usize,
    ) -> usize {
        let ([prediction_texts, texts], [first_row, first_answer]) = (rows.texts(), self.start);
        let (first, views) = (own.start, answers.get(own).unwrap_or_default());
        let has_nulls = texts.has_nulls();
        let is_valid = |index: usize| !has_nulls || texts.is_valid(first_answer + first + index);
        let text = |index: usize| texts.memory(first_answer + first + index).text();
        let prediction = predictions[row as usize];
        let is_prediction = |(index, &view): (usize, &u128)| {
            // Of long texts the lower half shows the length and four bytes.
            view as u64 == prediction as u64
                && is_valid(index)
                && if view as u32 <= INLINE {
                    view == prediction
                } else {
                    text(index) == prediction_texts.memory(first_row + row as usize).text()
                }
        };
        let equal = views.iter().enumerate().position(is_prediction);
        let mut different: [(u64, &'a [u8]); COMPARED] = [(0, &[]); COMPARED];
        let (mut known, mut len) = (0, 0);
        for (index, &view) in views[..equal.map_or(views.len(), |equal| equal + 1)].iter().enumerate() {
            if !is_valid(index) {
                continue;
            }
            // Without a branch for each: the processor could not predict which of them are equal.
            let earlier = views[..index.min(COMPARED)].iter().enumerate();
            let is_seen =
                |(index, &earlier): (usize, &u128)| u32::from(earlier == view) & u32::from(is_valid(index));
            let mut is_repeated =
                equal.is_none() && earlier.map(is_seen).fold(0, |any, seen| any | seen) != 0;
            if equal.is_none() && view as u32 > INLINE && !is_repeated {
                let text = text(index);
                is_repeated = different[..known].contains(&(view as u64, text));
                if !is_repeated && known < different.len() {
                    different[known] = (view as u64, text);
                    known += 1;
                }
            }
            self.places[at + len] = Place { row, answer: (first + index) as u32 };
            len += usize::from(!is_repeated);
        }
        len
    }

    /// Notes an equal answer: no later one can be better, and no other one if any of the best will do.
    #[inline(always)]
    fn settle(&mut self, pair: usize, is_equal: bool, request: &Request) {
        let from = if request.any_of_equals { 0 } else { pair as u32 + 1 };
        let settled = &mut self.settled[self.places[pair].row as usize];
        *settled = (*settled).min(if is_equal { from } else { u32::MAX });
    }

    /// Compares the short texts that are not in their views.
    pub fn load(&mut self, rows: &impl Rows, request: &Request) {
        for index in 0..self.to_load.len() {
            let pair = self.to_load[index] as usize;
            let [prediction, answer] = self.memories(rows, pair).map(Text32::load);
            let is_equal = prediction == answer;
            let is_ascii = answer.is_some_and(|answer| answer.is_ascii());
            if self.gathered.is_some() {
                self.settle(pair, is_equal, request);
            }
            push_if(&mut self.loaded, pair, !is_equal);
            push_if(&mut self.fallback, pair, is_equal & !has_known_length(is_ascii, request));
        }
        if self.gathered.is_some() {
            for list in [&mut self.inside, &mut self.loaded, &mut self.fallback] {
                leave_out(list, &self.places, &self.settled);
            }
        }
    }

    /// The row of a pair, counted from the start of the block.
    #[inline(always)]
    pub fn row(&self, pair: usize) -> u32 {
        if self.gathered.is_some() { self.places[pair].row } else { pair as u32 }
    }

    /// The indices of a pair's prediction and answer.
    #[inline(always)]
    pub fn at(&self, pair: usize) -> [usize; 2] {
        let place = match self.gathered {
            Some(_) => self.places[pair],
            None => Place { row: pair as u32, answer: pair as u32 },
        };
        [self.start[0] + place.row as usize, self.start[1] + place.answer as usize]
    }

    /// The texts of a pair.
    #[inline(always)]
    pub fn texts<'a>(&self, rows: &'a impl Rows, pair: usize) -> [Text<'a>; 2] {
        let ([predictions, answers], [prediction, answer]) = (rows.texts(), self.at(pair));
        [
            Text { text: predictions.text(prediction), memory: predictions.memory(prediction) },
            Text { text: answers.text(answer), memory: answers.memory(answer) },
        ]
    }

    /// The memory of both texts of a pair.
    #[inline(always)]
    pub fn memories<'a>(&self, rows: &'a impl Rows, pair: usize) -> [Memory<'a>; 2] {
        let ([predictions, answers], [prediction, answer]) = (rows.texts(), self.at(pair));
        [predictions.memory(prediction), answers.memory(answer)]
    }

    /// The indices of each pair; `None` if there is one for each row.
    pub fn places(&self) -> Option<&[Place]> {
        self.gathered.map(|gathered| &self.places[..gathered])
    }

    /// Whether each row of the block has a prediction and an answer; `None` where all have.
    pub fn answered(&self) -> Option<&[bool]> {
        Some(self.answered.as_slice()).filter(|answered| !answered.is_empty())
    }

    /// Where the errors of a pair go that are not its distance for the similarity.
    pub fn apart(&self, pair: usize) -> usize {
        self.longer.len() + pair
    }
}

/// Leaves out the pairs that cannot be better than what was found for their rows.
fn leave_out(pairs: &mut Vec<u32>, places: &[Place], settled: &[u32]) {
    let mut kept = 0;
    for index in 0..pairs.len() {
        let pair = pairs[index];
        pairs[kept] = pair;
        kept += usize::from(pair < settled[places[pair as usize].row as usize]);
    }
    pairs.truncate(kept);
}

/// Whether the length of a reference is that of its view, or does not matter.
#[inline(always)]
fn has_known_length(is_ascii: bool, request: &Request) -> bool {
    match request.errors {
        None => true,
        // The rate is 0 whatever the length.
        Some(_) if request.any_of_equals => true,
        Some(preparation) => is_ascii & (preparation == Preparation::default()),
    }
}

/// Appends a pair under a condition, without a branch.
#[inline(always)]
fn push_if(pairs: &mut Vec<u32>, pair: usize, condition: bool) {
    let length = pairs.len() + usize::from(condition);
    pairs.push(pair as u32);
    pairs.truncate(length);
}
