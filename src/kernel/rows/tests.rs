//! Blocks of rows against one row at a time.

use proptest::prelude::*;

use super::super::lanes::Isa;
use super::super::oracle::cases;
use super::super::prepare::{Preparation, UnicodeForm, Whitespace};
use super::super::request::{Similarity, Texts};
use super::super::score::{Cut, Protocol, Scorer};
use super::super::view::{INLINE, Memory};
use super::*;
use crate::kernel::units::{TextUnit, WordRule};
use crate::kernel::weighted::SubstitutionCost;

/// A prediction and answers, null or not.
type Row = (Option<String>, Vec<Option<String>>);

/// Rows with their views. Those of a long prediction and a long answer may be equal though the texts are not, as in
/// columns that are built in the same way.
struct Table {
    rows: Vec<Row>,
    starts: Vec<usize>,
    columns: [Column; 2],
}

struct Column {
    texts: Vec<Option<String>>,
    views: Vec<u128>,
    /// Whether their views are lent without a copy.
    are_lent: bool,
}

impl Column {
    fn new(texts: impl Iterator<Item = Option<String>>, are_lent: bool) -> Self {
        let texts: Vec<_> = texts.collect();
        // Equal texts may share a place.
        let first = |index: usize| texts[..index].iter().position(|text| *text == texts[index]);
        let place = |index: usize| first(index).filter(|_| are_lent).unwrap_or(index);
        let views =
            texts.iter().enumerate().map(|(index, text)| view(text.as_deref(), place(index))).collect();
        Self { texts, views, are_lent }
    }
}

impl Table {
    fn new(rows: Vec<Row>) -> Self {
        let starts = std::iter::once(0)
            .chain(rows.iter().scan(0, |end, (_, answers)| {
                *end += answers.len();
                Some(*end)
            }))
            .collect();
        let are_lent = rows.len().is_multiple_of(2);
        let columns = [
            Column::new(rows.iter().map(|(text, _)| text.clone()), are_lent),
            Column::new(rows.iter().flat_map(|(_, answers)| answers.clone()), are_lent),
        ];
        Self { rows, starts, columns }
    }

    fn prediction_str(&self, row: usize) -> Option<&str> {
        self.rows[row].0.as_deref()
    }

    fn answer_strs(&self, row: usize) -> impl Iterator<Item = (usize, &str)> {
        self.rows[row].1.iter().enumerate().filter_map(|(index, text)| Some((index, text.as_deref()?)))
    }
}

/// The view of a text, with its place where it is long.
fn view(text: Option<&str>, place: usize) -> u128 {
    let text = text.unwrap_or("garbage of a null");
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
    let kept = if text.len() <= INLINE as usize { text.len() } else { 4 };
    bytes[4..4 + kept].copy_from_slice(&text.as_bytes()[..kept]);
    if text.len() > INLINE as usize {
        bytes[12..].copy_from_slice(&(place as u32).to_le_bytes());
    }
    u128::from_le_bytes(bytes)
}

impl Texts for Column {
    fn views<'a>(&'a self, texts: Range<usize>, room: &'a mut Vec<u128>) -> &'a [u128] {
        let views = &self.views[texts];
        if self.are_lent {
            return views;
        }
        room.clear();
        room.extend_from_slice(views);
        room
    }

    fn has_nulls(&self) -> bool {
        self.texts.iter().any(Option::is_none)
    }

    fn is_valid(&self, index: usize) -> bool {
        self.texts[index].is_some()
    }

    fn clear_nulls(&self, texts: Range<usize>, bits: &mut [u64]) {
        for (bit, text) in self.texts[texts].iter().enumerate() {
            bits[bit / 64] &= !(u64::from(text.is_none()) << (bit % 64));
        }
    }

    fn text(&self, index: usize) -> &str {
        self.texts[index].as_deref().expect("not null")
    }

    fn memory(&self, index: usize) -> Memory<'_> {
        let text = self.text(index);
        Memory::new(text.as_bytes(), text.len())
    }
}

impl Rows for Table {
    type Texts = Column;

    fn texts(&self) -> [&Column; 2] {
        self.columns.each_ref()
    }

    fn answers(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    fn answers_of(&self, rows: Range<usize>) -> Range<usize> {
        self.starts[rows.start]..self.starts[rows.end]
    }

    fn have_one_answer(&self, rows: Range<usize>) -> bool {
        self.rows[rows].iter().all(|(_, answers)| answers.len() == 1)
    }
}

/// Each scorer's results for the rows, against the definition.
fn assert_scores(rows: Vec<Row>, request: &Request) {
    let table = &Table::new(rows);
    let mut definition = Scorer::default();
    for isa in Isa::available() {
        let mut next = 0;
        let all = 0..table.rows.len();
        BlockScorer::with_isa(isa).score(table, all, request, |row, nearest, errors| {
            let context = (&table.rows[row], isa);
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
    let words = [WordRule::Whitespace, WordRule::Spaces].map(TextUnit::Word);
    let unit = prop_oneof![
        6 => Just(TextUnit::Codepoint),
        1 => Just(TextUnit::Grapheme),
        2 => prop::sample::select(words.to_vec()),
    ];
    let whitespace = prop::sample::select(whitespace.to_vec());
    (any::<bool>(), prop::bool::weighted(0.2), whitespace, prop::sample::select(form.to_vec()), unit)
        .prop_map(|(ignore_case, ignore_punctuation, whitespace, unicode_form, unit)| Preparation {
            ignore_case,
            ignore_punctuation,
            whitespace,
            unicode_form,
            unit,
            ..Preparation::NONE
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
        .prop_map(|(preparation, denominator, cut, exact)| {
            // Upper case is counted in code points alone.
            let is_text = preparation.unit == TextUnit::Codepoint;
            let denominator = if is_text { denominator } else { Denominator::Prepared };
            Similarity { protocol: Protocol { preparation, denominator, cut }, exact }
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
        // Around the longest texts of two words, and those whose common ends are looked for at once.
        1 => "[abc]{124,132}",
        1 => "[abé]{110,130}",
        1 => "[ab ]{250,262}",
    ]
}

/// What the texts of a pair have in common.
#[derive(Clone, Copy, Debug)]
enum Likeness {
    Everything,
    /// Start and end: what differs may be short in a text that is long.
    Ends,
}

fn likenesses() -> impl Strategy<Value = Option<Likeness>> {
    prop::option::of(prop::sample::select(vec![Likeness::Everything, Likeness::Ends]))
}

/// Two similar texts.
fn alike(text: &str, other: &str, likeness: Likeness) -> [String; 2] {
    match likeness {
        Likeness::Everything => [text.to_owned(), text.to_owned()],
        Likeness::Ends => ["x", other].map(|middle| format!("{text}{middle}{text}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: cases(2_000), ..ProptestConfig::default() })]

    #[test]
    fn blocks_score_as_rows_do(
        rows in prop::collection::vec(
            (
                prop::option::weighted(0.95, any_text()),
                prop::collection::vec(prop::option::weighted(0.9, any_text()), 0..4),
                likenesses(),
                prop::sample::select(vec![1, 1, 1, 3, 5]),
            ),
            0..80,
        ),
        request in requests(),
    ) {
        let with_like_answers = rows.into_iter().map(|(prediction, answers, likeness, times)| {
            let mut answers = vec![answers; times].concat();
            let (Some(text), Some(likeness)) = (&prediction, likeness) else { return (prediction, answers) };
            let other = answers.iter().flatten().next().map_or("", String::as_str);
            let [prediction, answer] = alike(text, other, likeness);
            answers.push(Some(answer));
            (Some(prediction), answers)
        });
        assert_scores(with_like_answers.collect(), &request);
    }

    #[test]
    fn blocks_of_single_answers_score_as_rows_do(
        rows in prop::collection::vec((any_text(), any_text(), likenesses(), 0..40), 0..80),
        has_nulls: bool,
        request in requests(),
    ) {
        let rows = rows.into_iter().map(|(text, other, likeness, null)| {
            let [prediction, answer] = match likeness {
                Some(likeness) => alike(&text, &other, likeness),
                None => [text, other],
            };
            let unless = |number, text| Some(text).filter(|_| !has_nulls || null != number);
            (unless(0, prediction), vec![unless(1, answer)])
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
    let single = rows(|row| vec![format!("text {}", row / 3)]);
    assert_scores(single.clone(), &request);
    for null in [0, 63, 64, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 2] {
        let mut rows = single.clone();
        rows[null].0 = None;
        rows[2 * BLOCK - null.min(BLOCK)].1[0] = None;
        assert_scores(rows, &request);
    }
}
