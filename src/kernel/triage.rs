//! The pairs of a block of rows, sorted by what has to be done with them.
//!
//! Every pair passes here first. Views show most of it: of text that stands in them everything, of other text the
//! length. A pair whose views are equal costs 10 ns in all; one of 13 to 32 bytes is loaded and compared for 7 more.

use std::ops::Range;

use super::lanes::{Isa, Shown, VIEWS};
use super::prepare::Preparation;
use super::request::{Place, Request, Rows};
use super::text32::Text32;

/// The pairs of a block, sorted.
#[derive(Default)]
pub struct Pairs {
    isa: Isa,
    pub start: usize,
    /// Where each pair stands, and room for more.
    room: Vec<Place>,
    /// How many of them there are; none where all rows are plain.
    gathered: usize,
    /// The views of the predictions and the answers of those.
    views: [Vec<u128>; 2],
    /// What the distance is divided by for the similarity, where it is not 0.
    pub longer: Vec<u32>,
    /// Length of the reference, if errors are asked for.
    pub reference: Vec<u32>,
    /// Where the queue has the errors: with the distance for the similarity, or behind all of those.
    pub errors_at: Vec<u32>,
    /// Different texts that stand in their views.
    pub inside: Vec<u32>,
    /// Texts of which one at least has to be loaded.
    pub to_load: Vec<u32>,
    pub loaded: Vec<u32>,
    /// Texts that are too long for the lanes or not ASCII.
    pub fallback: Vec<u32>,
    /// Whether each row has an answer that is not null, and a prediction.
    answered: Vec<bool>,
    /// For each row the first pair that cannot be better than what was found: an equal answer has distance 0, as
    /// have the pairs that are left out for it.
    settled: Vec<u32>,
}

/// Places that are written for each row at once, whether it has so many answers or not: the processor could not
/// predict how often a loop over them runs.
const AT_ONCE: usize = 4;

impl Pairs {
    /// Pairs that are sorted with these lanes.
    #[cfg(test)]
    pub fn with_isa(isa: Isa) -> Self {
        Self { isa, ..Self::default() }
    }

    pub fn sort(&mut self, rows: &impl Rows, block: Range<usize>, request: &Request) {
        self.start = block.start;
        self.gathered = 0;
        let lists = [&mut self.inside, &mut self.to_load, &mut self.loaded, &mut self.fallback];
        lists.into_iter().for_each(Vec::clear);
        let views = rows.views();
        if rows.is_plain() {
            self.sort_views(views.map(|views| &views[block.clone()]), request);
            return;
        }
        self.settled.clear();
        self.settled.resize(block.len(), u32::MAX);
        self.gather(rows, block);
        let mut gathered = std::mem::take(&mut self.views);
        gathered.iter_mut().for_each(Vec::clear);
        gathered[0].extend(self.places().iter().map(|place| views[0][place.prediction]));
        gathered[1].extend(self.places().iter().map(|place| views[1][place.answer]));
        self.sort_views(gathered.each_ref().map(Vec::as_slice), request);
        self.views = gathered;
        for list in [&mut self.to_load, &mut self.fallback] {
            leave_out(list, &self.room, &self.settled);
        }
    }

    fn sort_views(&mut self, [predictions, answers]: [&[u128]; 2], request: &Request) {
        let chunks = predictions.chunks(VIEWS).zip(answers.chunks(VIEWS));
        for (first, (predictions, answers)) in (0..).step_by(VIEWS).zip(chunks) {
            let shown = self.shown(predictions, answers);
            let used = u64::MAX >> (VIEWS - predictions.len());
            let equal = shown.inside & shown.equal & used;
            if self.gathered > 0 {
                for_each_bit(equal, |bit| self.settle(first + bit, true, request));
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
                for_each_bit(bits & used, |bit| list.push((first + bit) as u32));
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

    /// Finds the pairs of rows that are not plain.
    fn gather(&mut self, rows: &impl Rows, block: Range<usize>) {
        let mut len = 0;
        self.answered.clear();
        for (row, index) in (0..).zip(block) {
            let Some(prediction) = rows.prediction(index) else {
                self.answered.push(false);
                continue;
            };
            let answers = rows.answers(index);
            let place =
                |index: usize| Place { row, index: index as u32, prediction, answer: answers.start + index };
            let (before, end) = (len, len + answers.len());
            if self.room.len() < end + AT_ONCE {
                self.room.resize(2 * (end + AT_ONCE), Place::default());
            }
            if rows.has_null_answers() {
                for index in (0..answers.len()).filter(|&index| rows.is_answer(answers.start + index)) {
                    self.room[len] = place(index);
                    len += 1;
                }
                self.answered.push(len > before);
                continue;
            }
            let first: &mut [_; AT_ONCE] = self.room[len..].first_chunk_mut().expect("room was made");
            *first = std::array::from_fn(place);
            for index in AT_ONCE..answers.len() {
                self.room[len + index] = place(index);
            }
            len = end;
            self.answered.push(end > before);
        }
        self.gathered = len;
    }

    /// Notes an equal answer: no later one can be better, and no other one if any of the best will do.
    #[inline(always)]
    fn settle(&mut self, pair: usize, is_equal: bool, request: &Request) {
        let from = if request.any_of_equals { 0 } else { pair as u32 + 1 };
        let settled = &mut self.settled[self.room[pair].row as usize];
        *settled = (*settled).min(if is_equal { from } else { u32::MAX });
    }

    /// Compares the short texts that do not stand in their views.
    pub fn load(&mut self, rows: &impl Rows, request: &Request) {
        for index in 0..self.to_load.len() {
            let pair = self.to_load[index] as usize;
            let place = self.place(pair);
            let prediction = Text32::load(rows.prediction_memory(place.prediction));
            let answer = Text32::load(rows.answer_memory(place.answer));
            let is_equal = prediction == answer;
            let is_ascii = answer.is_some_and(|answer| answer.is_ascii());
            if self.gathered > 0 {
                self.settle(pair, is_equal, request);
            }
            push_if(&mut self.loaded, pair, !is_equal);
            push_if(&mut self.fallback, pair, is_equal & !has_known_length(is_ascii, request));
        }
        if self.gathered > 0 {
            for list in [&mut self.inside, &mut self.loaded, &mut self.fallback] {
                leave_out(list, &self.room, &self.settled);
            }
        }
    }

    #[inline(always)]
    pub fn place(&self, pair: usize) -> Place {
        let row = self.start + pair;
        let plain = Place { row: pair as u32, index: 0, prediction: row, answer: row };
        if self.gathered > 0 { self.room[pair] } else { plain }
    }

    /// Where each pair stands; none where all rows are plain.
    pub fn places(&self) -> &[Place] {
        &self.room[..self.gathered]
    }

    /// Whether each row of the block has a prediction and an answer; unless all are plain.
    pub fn answered(&self) -> &[bool] {
        &self.answered
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

/// Calls with the number of each bit that is set.
#[inline(always)]
fn for_each_bit(mut bits: u64, mut call: impl FnMut(usize)) {
    while bits != 0 {
        call(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
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
