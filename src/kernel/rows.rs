//! Scores of many rows, block by block: short pairs go through the lanes, all others one by one.
//!
//! The scores are those of [`Scorer::nearest`](super::score::Scorer::nearest) and
//! [`Scorer::char_errors`](super::score::Scorer::char_errors), which take a row at a time.

use std::ops::Range;

use super::distance::Workspace;
use super::prepare::{Preparation, length};
use super::queue::{Queue, Ticket};
use super::score::{CharErrors, Nearest, Protocol, denominator, distance_limit};
use super::short::{Short, Text};
use super::weighted::SubstitutionCost;

/// Rows between two looks at the results: few enough to stay in the cache, enough to fill the lanes.
const BLOCK: usize = 1024;

/// The texts of a table.
pub trait Rows {
    /// The prediction of a row.
    fn prediction(&self, row: usize) -> Option<Text<'_>>;

    /// The answers of a row that are not null, with their positions.
    fn answers(&self, row: usize) -> impl Iterator<Item = (usize, Text<'_>)>;
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
}

/// How the best similarity is computed.
#[derive(Clone, Copy, Debug)]
pub struct Similarity {
    /// The protocol.
    pub protocol: Protocol,
    /// A threshold below which only the cut score counts: such a similarity need not be exact.
    pub threshold: Option<f64>,
}

/// Working memory for scoring blocks of rows.
#[derive(Default)]
pub struct BlockScorer {
    queue: Queue,
    nearest: Vec<Candidate>,
    errors: Vec<Candidate>,
    row: RowScorer,
}

/// A distance to an answer.
#[derive(Clone, Copy)]
struct Candidate {
    row: usize,
    index: usize,
    /// What the distance is divided by.
    length: usize,
    /// `None` where the distance lies beyond the cut.
    ticket: Option<Ticket>,
}

/// Working memory for a row whose texts are long or not ASCII.
#[derive(Default)]
struct RowScorer {
    workspace: Workspace,
    buffers: [[String; 2]; 2],
}

/// A pair of texts after preparation.
struct PreparedPair<'a> {
    prediction: &'a str,
    answer: &'a str,
}

impl BlockScorer {
    /// A scorer that computes with these lanes.
    #[cfg(test)]
    pub fn with_lanes(lanes: super::lanes::Lanes) -> Self {
        Self { queue: Queue::with_lanes(lanes), ..Self::default() }
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
        let mut start = range.start;
        while start < range.end {
            let block = start..range.end.min(start + BLOCK);
            start = block.end;
            self.queue.clear();
            self.nearest.clear();
            self.errors.clear();
            for row in block.clone() {
                if let Some(prediction) = rows.prediction(row) {
                    self.collect(row, prediction, rows.answers(row), request);
                }
            }
            self.queue.flush();
            let Self { queue, nearest, errors, .. } = &*self;
            let (mut nearest, mut errors) = (nearest.iter().peekable(), errors.iter().peekable());
            for row in block {
                let mut best_nearest: Option<Nearest> = None;
                while let Some(candidate) = nearest.next_if(|candidate| candidate.row == row) {
                    let distance = candidate.ticket.map(|ticket| queue.distance(ticket));
                    let candidate = Nearest::new(candidate.index, distance, candidate.length);
                    if best_nearest.is_none_or(|best| candidate.is_better_than(&best)) {
                        best_nearest = Some(candidate);
                    }
                }
                let mut best_errors: Option<CharErrors> = None;
                while let Some(candidate) = errors.next_if(|candidate| candidate.row == row) {
                    let Some(ticket) = candidate.ticket else { continue };
                    let candidate =
                        CharErrors { errors: queue.distance(ticket), reference_length: candidate.length };
                    if best_errors.is_none_or(|best| candidate.rate() < best.rate()) {
                        best_errors = Some(candidate);
                    }
                }
                emit(row, best_nearest, best_errors);
            }
        }
    }

    /// Sends the pairs of a row on their way.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn collect<'a>(
        &mut self,
        row: usize,
        prediction: Text,
        answers: impl Iterator<Item = (usize, Text<'a>)>,
        request: &Request,
    ) {
        let short_prediction = Short::load(&prediction);
        let mut best = Best::default();
        for (index, answer) in answers {
            let shorts = short_prediction.as_ref().zip(Short::load(&answer));
            let equal = match &shorts {
                Some((prediction, answer)) => *prediction == answer,
                None => prediction.as_str() == answer.as_str(),
            };
            if equal {
                // No later answer can be better.
                self.push_equal(row, index, answer.as_str(), request);
                return;
            }
            let done = shorts.is_some_and(|(prediction, answer)| {
                self.push_short(row, index, prediction, &answer, request)
            });
            if !done {
                self.push_long(row, index, prediction.as_str(), answer.as_str(), request, &mut best);
            }
        }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn push_equal(&mut self, row: usize, index: usize, answer: &str, request: &Request) {
        let ticket = Some(Ticket::ZERO);
        if request.similarity.is_some() {
            // Distance 0 is the same part of any length.
            self.nearest.push(Candidate { row, index, length: 0, ticket });
        }
        if let Some(preparation) = request.errors {
            let length = if preparation == Preparation::default() {
                length(answer)
            } else {
                length(preparation.prepare(answer, &mut self.row.buffers[1][1]))
            };
            self.errors.push(Candidate { row, index, length, ticket });
        }
    }

    /// Takes a pair for the lanes; `false` where it does not fit into them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn push_short(
        &mut self,
        row: usize,
        index: usize,
        prediction: &Short,
        answer: &Short,
        request: &Request,
    ) -> bool {
        // The lanes know substitutions of cost 1 only.
        if request.cost != SubstitutionCost::One {
            return false;
        }
        let prepared = |preparation| prediction.prepared(preparation).zip(answer.prepared(preparation));
        let similarity = request.similarity.map(|similarity| prepared(similarity.protocol.preparation));
        let errors = request.errors.map(prepared);
        if similarity == Some(None) || errors == Some(None) {
            return false;
        }
        let (similarity, errors) = (similarity.flatten(), errors.flatten());
        let mut shared = None;
        if let Some((prediction, answer)) = &similarity {
            let ticket = self.queue.push(prediction, answer);
            let length = prediction.length().max(answer.length());
            self.nearest.push(Candidate { row, index, length, ticket: Some(ticket) });
            shared = Some(ticket).filter(|_| similarity == errors);
        }
        if let Some((prediction, answer)) = &errors {
            let ticket = shared.unwrap_or_else(|| self.queue.push(prediction, answer));
            self.errors.push(Candidate { row, index, length: answer.length(), ticket: Some(ticket) });
        }
        true
    }

    #[cold]
    fn push_long(
        &mut self,
        row: usize,
        index: usize,
        prediction: &str,
        answer: &str,
        request: &Request,
        best: &mut Best,
    ) {
        let Self { queue, nearest, errors, row: long } = self;
        let (near, edits) = long.pair(prediction, answer, request, best);
        let mut candidate = |(length, distance): Measured| {
            let ticket = distance.map(|distance| queue.push_known(distance));
            Candidate { row, index, length, ticket }
        };
        nearest.extend(near.map(&mut candidate));
        errors.extend(edits.map(&mut candidate));
    }
}

/// The best of a row among the distances that are known already: others need not be exact beyond it.
#[derive(Clone, Copy, Default)]
struct Best {
    nearest: Option<Nearest>,
    errors: Option<CharErrors>,
}

/// A length, and a distance unless it is beyond a limit.
type Measured = (usize, Option<usize>);

impl RowScorer {
    /// Distances of a pair in text of any kind: for the similarity and for the error rate.
    fn pair(
        &mut self,
        prediction: &str,
        answer: &str,
        request: &Request,
        best: &mut Best,
    ) -> (Option<Measured>, Option<Measured>) {
        let Self { workspace, buffers: [[p, a], [error_p, error_a]] } = self;
        let cost = request.cost;
        let mut known = None;
        let mut near = None;
        let rate = request.errors.map(|preparation| {
            let prediction = preparation.prepare(prediction, error_p);
            let answer = preparation.prepare(answer, error_a);
            (PreparedPair { prediction, answer }, length(answer))
        });
        if let Some(Similarity { protocol, threshold }) = request.similarity {
            let preparation = protocol.preparation;
            let prepared = PreparedPair {
                prediction: preparation.prepare(prediction, p),
                answer: preparation.prepare(answer, a),
            };
            let of = |raw, prepared| denominator(raw, prepared, protocol.denominator);
            let length = of(prediction, prepared.prediction).max(of(answer, prepared.answer));
            // The distance serves the rate as well, where both agree; then it is computed without a limit.
            let shared = rate.as_ref().is_some_and(|(pair, _)| {
                pair.prediction == prepared.prediction && pair.answer == prepared.answer
            });
            let limit = if shared {
                usize::MAX
            } else {
                let cut = threshold.map_or(usize::MAX, |t| protocol.cut.distance_limit(t, length));
                best.nearest.map_or(usize::MAX, |best| best.distance_limit(length)).min(cut)
            };
            let distance = workspace.distance_within(prepared.prediction, prepared.answer, cost, limit);
            if distance.is_some() {
                let candidate = Nearest::new(0, distance, length);
                if best.nearest.is_none_or(|best| candidate.is_better_than(&best)) {
                    best.nearest = Some(candidate);
                }
            }
            known = distance.filter(|_| shared);
            near = Some((length, distance));
        }
        let edits = rate.map(|(pair, reference_length)| {
            let limit = best.errors.map_or(usize::MAX, |best| {
                // An empty reference is not divided, as if its length were one.
                distance_limit(best.rate(), reference_length.max(1))
            });
            let distance =
                known.or_else(|| workspace.distance_within(pair.prediction, pair.answer, cost, limit));
            if let Some(errors) = distance {
                let candidate = CharErrors { errors, reference_length };
                if best.errors.is_none_or(|best| candidate.rate() < best.rate()) {
                    best.errors = Some(candidate);
                }
            }
            (reference_length, distance)
        });
        (near, edits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lanes::Lanes;
    use super::super::prepare::{UnicodeForm, Whitespace};
    use super::super::score::{Cut, Denominator, Scorer};
    use super::*;

    type Table = Vec<(Option<String>, Vec<String>)>;

    impl Rows for Table {
        fn prediction(&self, row: usize) -> Option<Text<'_>> {
            self[row].0.as_deref().map(Text::new)
        }

        fn answers(&self, row: usize) -> impl Iterator<Item = (usize, Text<'_>)> {
            // Positions count the null answers that are left out.
            self[row].1.iter().enumerate().map(|(index, text)| (2 * index + 1, Text::new(text)))
        }
    }

    /// Each scorer's results for the rows, against the definition.
    fn assert_scores(table: &Table, request: &Request) {
        let mut definition = Scorer::default();
        let texts = |row| table.answers(row).map(|(index, text)| (index, text.as_str()));
        for lanes in Lanes::available() {
            let mut next = 0;
            BlockScorer::with_lanes(lanes).score(table, 0..table.len(), request, |row, nearest, errors| {
                assert_eq!(row, next);
                next += 1;
                let mut row_of = |similarity: Option<Similarity>| {
                    let prediction = table.prediction(row)?.as_str();
                    definition.nearest(prediction, texts(row), &similarity?.protocol, request.cost)
                };
                let expected = row_of(request.similarity);
                let threshold = request.similarity.and_then(|similarity| similarity.threshold);
                if let (Some(threshold), Some(similarity)) = (threshold, request.similarity) {
                    let cut = |nearest: Nearest| nearest.anls(similarity.protocol.cut, threshold).to_bits();
                    assert_eq!(nearest.map(cut), expected.map(cut), "{:?} {lanes:?}", table[row]);
                } else {
                    assert_eq!(nearest, expected, "{:?} {lanes:?}", table[row]);
                }
                let expected = request.errors.filter(|_| request.cost == SubstitutionCost::One);
                if let Some(preparation) = expected {
                    let expected = table
                        .prediction(row)
                        .and_then(|text| definition.char_errors(text.as_str(), texts(row), preparation));
                    assert_eq!(errors, expected, "{:?} {lanes:?}", table[row]);
                }
            });
            assert_eq!(next, table.len());
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
            prop::option::of(prop::sample::select(vec![0.0, 0.1, 0.5, 0.9, 1.0])),
        )
            .prop_map(|(preparation, denominator, cut, threshold)| Similarity {
                protocol: Protocol { preparation, denominator, cut },
                threshold,
            });
        let errors = prop::option::of(prop_oneof![Just(Preparation::default()), preparations()]);
        (prop::option::of(similarity), errors, 0..3_u64).prop_map(|(similarity, errors, cost)| Request {
            similarity,
            errors,
            cost: SubstitutionCost::from_cost(cost),
        })
    }

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof![
            8 => "[aAb ]{0,10}",
            4 => "[abC\0]{10,34}",
            2 => "[aé ß漢\u{a0}]{0,20}",
            1 => "[ab \t]{30,140}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn blocks_score_as_rows_do(
            table in prop::collection::vec((prop::option::weighted(0.95, any_text()), prop::collection::vec(any_text(), 0..4), any::<bool>()), 0..80),
            request in requests(),
        ) {
            let table = table.into_iter().map(|(prediction, mut answers, equal)| {
                if equal {
                    answers.extend(prediction.clone());
                }
                (prediction, answers)
            });
            assert_scores(&table.collect(), &request);
        }
    }

    #[test]
    fn blocks_end_where_rows_do() {
        let table: Table = (0..2 * BLOCK + 3)
            .map(|row| (Some(format!("text {row}")), vec![format!("text {}", row / 3), "other".to_owned()]))
            .collect();
        let protocol = Protocol {
            preparation: Preparation::default(),
            denominator: Denominator::Prepared,
            cut: Cut::Distance,
        };
        let similarity = Some(Similarity { protocol, threshold: None });
        assert_scores(
            &table,
            &Request { similarity, errors: Some(Preparation::default()), ..Request::default() },
        );
    }
}
