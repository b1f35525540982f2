//! Scores of many rows, block by block: short pairs go through the lanes, all others one by one.
//!
//! A block is read in passes, so that no branch is decided by the texts at random: the first looks at the
//! views only and sorts the pairs, the second loads the texts that do not stand in their views and finds the
//! equal ones, and only what is left is prepared and sent to the lanes.
//!
//! The scores are those of [`Scorer::nearest`](super::score::Scorer::nearest) and
//! [`Scorer::char_errors`](super::score::Scorer::char_errors), which take a row at a time.

use std::ops::Range;

use super::block::{Pairs, Place};
use super::choice::Choice;
use super::general::{Best, GeneralScorer, Measured, Text};
use super::lanes::ends;
use super::prepare::Preparation;
use super::queue::{Queue, known};
use super::score::{CharErrors, Denominator, Nearest, Protocol};
use super::short::{Memory, Short};
use super::short_pair::{Inside, ShortPair, Spaced};
use super::weighted::SubstitutionCost;

/// Rows between two looks at the results: few enough to stay in the cache, enough to fill the lanes.
const BLOCK: usize = 1024;

/// Texts above so many bytes seldom fit into lanes, whatever their common ends.
const MIDDLING: usize = 256;

/// The texts of a table, each with its view: 16 bytes that hold the length in bytes and, up to [`INLINE`](super::short::INLINE)
/// bytes, the text itself behind it, followed by zeros; Arrow's layout.
pub trait Rows {
    /// Views of the predictions and of the answers.
    fn views(&self) -> [&[u128]; 2];

    /// Whether row i has prediction i and answer i, and none is null.
    fn is_plain(&self) -> bool;

    /// Where the prediction of a row stands; `None` for null.
    fn prediction(&self, row: usize) -> Option<usize>;

    /// Where the answers of a row stand, null ones included.
    fn answers(&self, row: usize) -> Range<usize>;

    /// Whether any answer is null.
    fn has_null_answers(&self) -> bool;

    /// Whether an answer is not null.
    fn is_answer(&self, index: usize) -> bool;

    /// A prediction that is not null.
    fn prediction_text(&self, index: usize) -> &str;

    /// An answer that is not null.
    fn answer_text(&self, index: usize) -> &str;

    /// The memory of a prediction that is not null.
    fn prediction_memory(&self, index: usize) -> Memory<'_>;

    /// The memory of an answer that is not null.
    fn answer_memory(&self, index: usize) -> Memory<'_>;
}

/// What is computed for each row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The answer with the best similarity.
    pub similarity: Option<Similarity>,
    /// The edits towards the reference with the lowest rate, after this preparation.
    pub errors: Option<Preparation>,
    /// What a substitution costs.
    pub cost: SubstitutionCost,
    /// Whether any of several equally good answers serves, and not the first of them alone.
    pub any_of_equals: bool,
}

/// How the best similarity is computed.
#[derive(Clone, Copy, Debug)]
pub struct Similarity {
    /// The protocol.
    pub protocol: Protocol,
    /// What of it has to be exact.
    pub exact: Exact,
}

/// Which similarities have to be exact. Others only have to lie where these do not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exact {
    /// All.
    All,
    /// Those that the protocol's cut keeps at this threshold.
    Kept(f64),
    /// That of texts that are equal after preparation.
    Equality,
}

/// The rows of a block and what was found for them.
pub struct Block<'a> {
    /// The rows.
    pub rows: Range<usize>,
    /// The best of their answers.
    pub best: &'a Choice,
    /// Whether each row has a prediction and an answer, without which nothing was found; `None` if all have.
    pub answered: Option<&'a [bool]>,
}

/// Working memory for scoring blocks of rows.
#[derive(Default)]
pub struct BlockScorer {
    queue: Queue,
    pairs: Pairs,
    general: GeneralScorer,
    choice: Choice,
    /// Whether texts are compared as they came.
    is_raw: bool,
}

impl Request {
    /// Whether texts are compared as they came, and a distance is all that is asked for.
    fn is_raw(&self) -> bool {
        let raw = Preparation::default();
        let is_raw = |Similarity { protocol, exact }: Similarity| {
            protocol.preparation == raw
                && protocol.denominator == Denominator::Prepared
                && exact != Exact::Equality
        };
        self.cost == SubstitutionCost::One
            && self.errors.is_none_or(|preparation| preparation == raw)
            && self.similarity.is_none_or(is_raw)
    }
}

impl BlockScorer {
    /// A scorer that computes with these lanes.
    #[cfg(test)]
    pub fn with_lanes(lanes: super::lanes::Lanes) -> Self {
        Self { queue: Queue::with_lanes(lanes), pairs: Pairs::with_lanes(lanes), ..Self::default() }
    }

    /// Scores rows and hands them over in order. Both results are `None` for a row without a prediction or
    /// without an answer, and where they were not asked for.
    pub fn score(
        &mut self,
        rows: &impl Rows,
        range: Range<usize>,
        request: &Request,
        mut emit: impl FnMut(usize, Option<Nearest>, Option<CharErrors>),
    ) {
        self.score_blocks(rows, range, request, |block| {
            for (index, row) in block.rows.clone().enumerate() {
                let is_answered = block.answered.is_none_or(|answered| answered[index]);
                let nearest = request.similarity.filter(|_| is_answered).map(|_| block.best.nearest(index));
                let errors = request.errors.filter(|_| is_answered).map(|_| block.best.char_errors(index));
                emit(row, nearest, errors);
            }
        });
    }

    /// Scores rows and hands them over block by block, in order.
    pub fn score_blocks(
        &mut self,
        rows: &impl Rows,
        range: Range<usize>,
        request: &Request,
        mut emit: impl FnMut(&Block),
    ) {
        self.is_raw = request.is_raw();
        let mut start = range.start;
        while start < range.end {
            let block = start..range.end.min(start + BLOCK);
            start = block.end;
            self.pairs.sort(rows, block.clone(), request);
            self.pairs.load(rows, request);
            self.queue.clear(2 * self.pairs.longer.len());
            self.queue_inside(rows, request);
            self.queue_spaced(rows, request);
            self.queue_loaded(rows, request);
            self.queue_general(rows, request);
            self.queue.flush();
            self.choose(block.len(), rows.is_plain(), request);
            emit(&Block {
                rows: block,
                best: &self.choice,
                answered: (!rows.is_plain()).then(|| self.pairs.answered()),
            });
        }
    }

    /// Chooses the best answer of each row.
    fn choose(&mut self, rows: usize, is_plain: bool, request: &Request) {
        let Self { queue, pairs, choice, .. } = self;
        let distances = queue.distances();
        let places = || pairs.places().iter().enumerate();
        if request.similarity.is_some() {
            if is_plain {
                choice.only_nearest(&distances[..rows], &pairs.longer);
            } else {
                let nearest = |pair: usize, place: &Place| {
                    let (distance, length) = (known(distances[pair]), pairs.longer[pair] as usize);
                    Nearest::new(place.index as usize, distance, length)
                };
                choice.best_nearest(rows, places().map(|(pair, place)| (place, nearest(pair, place))));
            }
        }
        if request.errors.is_some() {
            if is_plain {
                // The only answer of a row is compared without a limit.
                choice.only_fewest(distances, &pairs.errors_at, &pairs.reference);
            } else {
                let errors = |pair: usize| {
                    let errors = known(distances[pairs.errors_at[pair] as usize])?;
                    Some(CharErrors { errors, reference_length: pairs.reference[pair] as usize })
                };
                choice.best_fewest(rows, places().map(|(pair, place)| (place, errors(pair))));
            }
        }
    }

    /// Queues the pairs that stand in their views.
    fn queue_inside(&mut self, rows: &impl Rows, request: &Request) {
        let [predictions, answers] = rows.views();
        for index in 0..self.pairs.inside.len() {
            let pair = self.pairs.inside[index] as usize;
            let place = self.pairs.place(pair);
            let views = [predictions[place.prediction], answers[place.answer]];
            if !self.queue_short(pair, &Inside::new(views), request) {
                self.pairs.spaced.push(pair as u32);
            }
        }
    }

    /// Queues those of them whose whitespace has to change.
    fn queue_spaced(&mut self, rows: &impl Rows, request: &Request) {
        let [predictions, answers] = rows.views();
        for index in 0..self.pairs.spaced.len() {
            let pair = self.pairs.spaced[index] as usize;
            let place = self.pairs.place(pair);
            let texts = Inside::new([predictions[place.prediction], answers[place.answer]]);
            if !self.queue_short(pair, &Spaced(texts), request) {
                self.queue_any(rows, pair, request, &mut Best::default());
            }
        }
    }

    /// Queues the short pairs that had to be loaded.
    fn queue_loaded(&mut self, rows: &impl Rows, request: &Request) {
        for index in 0..self.pairs.loaded.len() {
            let pair = self.pairs.loaded[index] as usize;
            let place = self.pairs.place(pair);
            let prediction = Short::load(rows.prediction_memory(place.prediction));
            let answer = Short::load(rows.answer_memory(place.answer));
            let is_queued = prediction
                .zip(answer)
                .is_some_and(|(prediction, answer)| self.queue_short(pair, &[prediction, answer], request));
            if !is_queued {
                self.queue_any(rows, pair, request, &mut Best::default());
            }
        }
    }

    /// Queues all others.
    fn queue_general(&mut self, rows: &impl Rows, request: &Request) {
        let mut best = Best::default();
        let mut current = u32::MAX;
        // The row for which an equal answer was found.
        let mut equal = u32::MAX;
        for index in 0..self.pairs.general.len() {
            let pair = self.pairs.general[index] as usize;
            let place = self.pairs.place(pair);
            if place.row == equal {
                // No later answer can be better, nor is it, at distance 0 as well.
                continue;
            }
            if place.row != current {
                (current, best) = (place.row, Best::default());
            }
            let prediction = rows.prediction_text(place.prediction);
            let answer = rows.answer_text(place.answer);
            if prediction == answer {
                equal = place.row;
                if let Some(preparation) = request.errors {
                    self.pairs.reference[pair] = self.general.length(answer, preparation) as u32;
                }
            } else {
                self.queue_any(rows, pair, request, &mut best);
            }
        }
    }

    /// Queues a pair for the lanes; `false` where it does not fit into them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn queue_short<P: ShortPair>(&mut self, pair: usize, texts: &P, request: &Request) -> bool {
        // The lanes know substitutions of cost 1 only.
        if request.cost != SubstitutionCost::One {
            return false;
        }
        let prepared = |preparation| texts.prepared(preparation);
        let similarity = request.similarity.map(|similarity| prepared(similarity.protocol.preparation));
        let errors = request.errors.map(prepared);
        if similarity == Some(None) || errors == Some(None) {
            return false;
        }
        let (similarity, errors) = (similarity.flatten(), errors.flatten());
        let Self { queue, pairs, .. } = self;
        let only_equality = request.similarity.is_some_and(|asked| asked.exact == Exact::Equality);
        if let (Some(prepared), Some(asked)) = (&similarity, request.similarity) {
            let [prediction, answer] = match asked.protocol.denominator {
                Denominator::RawUpper => texts.lengths(),
                // Upper case keeps the length of ASCII.
                Denominator::Prepared | Denominator::PreparedUpper => prepared.lengths(),
            };
            pairs.longer[pair] = prediction.max(answer) as u32;
            if !only_equality {
                prepared.push(queue, pair);
            } else if !prepared.are_equal() {
                queue.set(pair, None);
            }
        }
        if let Some(prepared) = &errors {
            pairs.reference[pair] = prepared.lengths()[1] as u32;
            if similarity != errors || only_equality {
                pairs.errors_at[pair] = pairs.apart(pair) as u32;
                prepared.push(queue, pairs.apart(pair));
            }
        }
        true
    }

    /// Computes the distances of a pair of any kind.
    fn queue_any(&mut self, rows: &impl Rows, pair: usize, request: &Request, best: &mut Best) {
        if !self.queue_raw(rows, pair, request) {
            self.queue_prepared(rows, pair, request, best);
        }
    }

    /// Queues a pair that is compared as it came; `false` where that is not the way, or it does not fit into lanes.
    fn queue_raw(&mut self, rows: &impl Rows, pair: usize, request: &Request) -> bool {
        let Self { queue, pairs, .. } = self;
        let place = pairs.place(pair);
        let texts = [rows.prediction_memory(place.prediction), rows.answer_memory(place.answer)];
        if !self.is_raw || texts.iter().any(|text| text.len() > MIDDLING) {
            return false;
        }
        let ends = ends(texts);
        let [left, right] = ends.different;
        if left.min(right) == 0 {
            // Insertions or deletions alone.
            queue.set(pair, Some(left.max(right)));
        } else if !queue.push_middles(pair, texts, &ends) {
            return false;
        }
        pairs.longer[pair] = ends.characters[0].max(ends.characters[1]) as u32;
        if request.errors.is_some() {
            pairs.reference[pair] = ends.characters[1] as u32;
        }
        true
    }

    /// Computes the distances of a pair that has to be prepared, or is long.
    #[cold]
    fn queue_prepared(&mut self, rows: &impl Rows, pair: usize, request: &Request, best: &mut Best) {
        let Self { queue, pairs, general, .. } = self;
        let place = pairs.place(pair);
        let prediction = Text {
            text: rows.prediction_text(place.prediction),
            memory: rows.prediction_memory(place.prediction),
        };
        let answer = Text { text: rows.answer_text(place.answer), memory: rows.answer_memory(place.answer) };
        let texts = [prediction, answer];
        let places = [pair, pairs.apart(pair)];
        let (near, errors) = general.pair(texts, request, best, queue, places);
        if let Some(Measured { length, .. }) = near {
            pairs.longer[pair] = length as u32;
        }
        if let Some(Measured { length, place }) = errors {
            pairs.reference[pair] = length as u32;
            pairs.errors_at[pair] = place as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lanes::Lanes;
    use super::super::oracle::ONE_IN;
    use super::super::prepare::{UnicodeForm, Whitespace};
    use super::super::score::{Cut, Scorer};
    use super::super::short::INLINE;
    use super::*;

    /// A prediction and answers, null or not.
    type Row = (Option<String>, Vec<Option<String>>);

    /// Rows with their views. Those of long texts tell nothing beyond the length, as in columns that are
    /// built alike: texts that start alike then have equal views.
    struct Table {
        rows: Vec<Row>,
        answers: Vec<Option<String>>,
        starts: Vec<usize>,
        views: [Vec<u128>; 2],
        is_plain: bool,
    }

    impl Table {
        fn new(rows: Vec<Row>) -> Self {
            let answers: Vec<_> = rows.iter().flat_map(|(_, answers)| answers.clone()).collect();
            let starts = std::iter::once(0)
                .chain(rows.iter().scan(0, |end, (_, answers)| {
                    *end += answers.len();
                    Some(*end)
                }))
                .collect();
            let views = [
                rows.iter().map(|(text, _)| view(text.as_deref())).collect(),
                answers.iter().map(|text| view(text.as_deref())).collect(),
            ];
            let is_plain = rows
                .iter()
                .all(|(prediction, answers)| prediction.is_some() && matches!(answers.as_slice(), [Some(_)]));
            Self { rows, answers, starts, views, is_plain }
        }

        fn prediction_str(&self, row: usize) -> Option<&str> {
            self.rows[row].0.as_deref()
        }

        fn answer_strs(&self, row: usize) -> impl Iterator<Item = (usize, &str)> {
            self.rows[row].1.iter().enumerate().filter_map(|(index, text)| Some((index, text.as_deref()?)))
        }
    }

    fn view(text: Option<&str>) -> u128 {
        let text = text.unwrap_or("garbage of a null");
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
        let kept = if text.len() <= INLINE as usize { text.len() } else { 4 };
        bytes[4..4 + kept].copy_from_slice(&text.as_bytes()[..kept]);
        u128::from_le_bytes(bytes)
    }

    impl Rows for Table {
        fn views(&self) -> [&[u128]; 2] {
            [&self.views[0], &self.views[1]]
        }

        fn is_plain(&self) -> bool {
            self.is_plain
        }

        fn prediction(&self, row: usize) -> Option<usize> {
            self.rows[row].0.as_ref().map(|_| row)
        }

        fn answers(&self, row: usize) -> Range<usize> {
            self.starts[row]..self.starts[row + 1]
        }

        fn has_null_answers(&self) -> bool {
            self.answers.iter().any(Option::is_none)
        }

        fn is_answer(&self, index: usize) -> bool {
            self.answers[index].is_some()
        }

        fn prediction_text(&self, index: usize) -> &str {
            self.prediction_str(index).expect("not null")
        }

        fn answer_text(&self, index: usize) -> &str {
            self.answers[index].as_deref().expect("not null")
        }

        fn prediction_memory(&self, index: usize) -> Memory<'_> {
            let text = self.prediction_text(index);
            Memory::new(text.as_bytes(), text.len())
        }

        fn answer_memory(&self, index: usize) -> Memory<'_> {
            let text = self.answer_text(index);
            Memory::new(text.as_bytes(), text.len())
        }
    }

    /// Each scorer's results for the rows, against the definition.
    fn assert_scores(rows: Vec<Row>, request: &Request) {
        let table = &Table::new(rows);
        let mut definition = Scorer::default();
        for lanes in Lanes::available() {
            let mut next = 0;
            let all = 0..table.rows.len();
            BlockScorer::with_lanes(lanes).score(table, all, request, |row, nearest, errors| {
                let context = (&table.rows[row], lanes);
                assert_eq!(row, next);
                next += 1;
                let mut of_row = |similarity: Option<Similarity>| {
                    let prediction = table.prediction_str(row)?;
                    let answers = table.answer_strs(row);
                    definition.nearest(prediction, answers, &similarity?.protocol, request.cost)
                };
                let expected = of_row(request.similarity);
                match request.similarity.map(|similarity| (similarity.exact, similarity.protocol.cut)) {
                    Some((Exact::Kept(threshold), cut)) => {
                        let score = |nearest: Nearest| nearest.anls(cut, threshold).to_bits();
                        assert_eq!(nearest.map(score), expected.map(score), "{context:?}");
                    }
                    Some((Exact::Equality, _)) => {
                        let is_exact = |nearest: Nearest| nearest.is_exact();
                        assert_eq!(nearest.map(is_exact), expected.map(is_exact), "{context:?}");
                    }
                    _ if request.any_of_equals => {
                        let nls = |nearest: Nearest| nearest.nls().to_bits();
                        assert_eq!(nearest.map(nls), expected.map(nls), "{context:?}");
                    }
                    _ => assert_eq!(nearest, expected, "{context:?}"),
                }
                let expected = request.errors.filter(|_| request.cost == SubstitutionCost::One);
                if let Some(preparation) = expected {
                    let expected = table
                        .prediction_str(row)
                        .and_then(|text| definition.char_errors(text, table.answer_strs(row), preparation));
                    if request.any_of_equals {
                        let rate = |errors: CharErrors| errors.rate().to_bits();
                        assert_eq!(errors.map(rate), expected.map(rate), "{context:?}");
                    } else {
                        assert_eq!(errors, expected, "{context:?}");
                    }
                }
            });
            assert_eq!(next, table.rows.len());
        }
    }

    fn preparations() -> impl Strategy<Value = Preparation> {
        let whitespace = [Whitespace::Keep, Whitespace::Strip, Whitespace::Squeeze];
        let form = [None, None, Some(UnicodeForm::Nfkc)];
        (any::<bool>(), prop::sample::select(whitespace.to_vec()), prop::sample::select(form.to_vec()))
            .prop_map(|(ignore_case, whitespace, unicode_form)| Preparation {
                ignore_case,
                whitespace,
                unicode_form,
            })
    }

    fn requests() -> impl Strategy<Value = Request> {
        let denominators = [Denominator::Prepared, Denominator::PreparedUpper, Denominator::RawUpper];
        let similarity = (
            preparations(),
            prop::sample::select(denominators.to_vec()),
            prop::sample::select(vec![Cut::Distance, Cut::Similarity]),
            prop_oneof![
                Just(Exact::All),
                Just(Exact::Equality),
                prop::sample::select(vec![0.0, 0.1, 0.5, 0.9, 1.0]).prop_map(Exact::Kept),
            ],
        )
            .prop_map(|(preparation, denominator, cut, exact)| Similarity {
                protocol: Protocol { preparation, denominator, cut },
                exact,
            });
        let errors = prop::option::of(prop_oneof![Just(Preparation::default()), preparations()]);
        (prop::option::of(similarity), errors, 0..3_u64, any::<bool>()).prop_map(
            |(similarity, errors, cost, any_of_equals)| Request {
                similarity,
                errors,
                cost: SubstitutionCost::from_cost(cost),
                any_of_equals,
            },
        )
    }

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof![
            8 => "[aAb ]{0,10}",
            4 => "[abC\0]{10,34}",
            2 => "[aé ß漢\u{a0}]{0,20}",
            1 => "[a語漢字😀]{0,40}",
            1 => "[ab \t]{30,140}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000 / ONE_IN, ..ProptestConfig::default() })]

        #[test]
        fn blocks_score_as_rows_do(
            rows in prop::collection::vec(
                (
                    prop::option::weighted(0.95, any_text()),
                    prop::collection::vec(prop::option::weighted(0.9, any_text()), 0..4),
                    any::<bool>(),
                ),
                0..80,
            ),
            request in requests(),
        ) {
            let with_equal_answers = rows.into_iter().map(|(prediction, mut answers, equal)| {
                if equal {
                    answers.push(prediction.clone());
                }
                (prediction, answers)
            });
            assert_scores(with_equal_answers.collect(), &request);
        }

        #[test]
        fn blocks_of_single_answers_score_as_rows_do(
            rows in prop::collection::vec((any_text(), any_text(), any::<bool>()), 0..80),
            request in requests(),
        ) {
            let rows = rows.into_iter().map(|(prediction, answer, equal)| {
                let answer = if equal { prediction.clone() } else { answer };
                (Some(prediction), vec![Some(answer)])
            });
            assert_scores(rows.collect(), &request);
        }
    }

    #[test]
    fn blocks_end_where_rows_do() {
        let text = |text: String| Some(text);
        let rows = |answers: fn(usize) -> Vec<String>| {
            (0..2 * BLOCK + 3)
                .map(|row| (text(format!("text {row}")), answers(row).into_iter().map(text).collect()))
                .collect()
        };
        let protocol = Protocol {
            preparation: Preparation::default(),
            denominator: Denominator::Prepared,
            cut: Cut::Distance,
        };
        let similarity = Some(Similarity { protocol, exact: Exact::All });
        let request = Request { similarity, errors: Some(Preparation::default()), ..Request::default() };
        assert_scores(rows(|row| vec![format!("text {}", row / 3), "other".to_owned()]), &request);
        assert_scores(rows(|row| vec![format!("text {}", row / 3)]), &request);
    }
}
