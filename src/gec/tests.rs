//! Small cases worked out by hand, and the two methods of M² against each other; the definitions are held to
//! a slow program of their own in `tests/`.

use proptest::prelude::*;

use super::align::{Aligner, Costs};
use super::edits::{Edit, by_annotator};
use super::i_measure::{self, Standard};
use super::m2::{Counts, Method, Options, Scorer};
use super::scores::{Metric, count};
use super::tokens::Vocabulary;

fn counts(source: &str, hypothesis: &str, golds: &[&str], method: Method) -> Counts {
    let edits = golds.iter().map(|gold| Edit::parse(gold).unwrap()).collect();
    let annotators = by_annotator(edits, [0].into_iter());
    let options = Options { method, ..Options::default() };
    Scorer::default().counts(hypothesis, source, &annotators, &options).unwrap()[0]
}

#[test]
fn an_edit_is_read_field_by_field() {
    let edit = Edit::parse("3\u{1f}4\u{1f}1\u{1f}Prep\u{1f} off \u{1f}-NONE-").unwrap();

    assert_eq!((edit.start, edit.end, edit.annotator, edit.kind), (3, 4, 1, "Prep"));
    assert_eq!(edit.corrections, ["off", ""]);
    assert!(Edit::parse("3\u{1f}x").unwrap_err().contains("`end` is \"x\""));
    assert!(Edit::parse("3").unwrap_err().contains("`end` is null"));
    assert!(Edit::parse("3\u{1f}4\u{1f}\u{1f}").unwrap_err().contains("`annotator` is null"));
    for span in ["2\u{1f}1", "-1\u{1f}1", "-2\u{1f}-1"] {
        assert!(
            Edit::parse(&format!("{span}\u{1f}0\u{1f}R")).unwrap_err().contains("a span must start at 0")
        );
        assert!(Edit::parse(&format!("{span}\u{1f}0\u{1f}noop")).unwrap().is_noop());
    }
    assert!(Edit::parse("4294967296").unwrap_err().contains("`start`"));
}

#[test]
fn annotators_without_edits_are_kept_and_there_is_always_one() {
    let noop = Edit::parse("-1\u{1f}-1\u{1f}2\u{1f}noop\u{1f}").unwrap();
    let all = by_annotator(vec![noop], [5, 0].into_iter());

    assert_eq!(all.iter().map(|one| one.id).collect::<Vec<_>>(), [0, 2, 5]);
    assert!(all.iter().all(|one| one.edits.is_empty()));
    assert_eq!(by_annotator(Vec::new(), [].into_iter())[0].id, 0);
}

#[test]
fn an_annotators_way_of_grouping_words_is_followed() {
    let gold = ["0\u{1f}3\u{1f}0\u{1f}R\u{1f}x b y"];

    for method in [Method::Auto, Method::Exact, Method::Dynamic] {
        let grouped = counts("a b c d", "x b y d", &gold, method);
        assert_eq!((grouped.correct, grouped.proposed, grouped.gold), (1, 1, 1));
        assert_eq!(counts("a b c d", "x b y d", &[], method).correct, 0);
    }
}

#[test]
fn an_alignment_and_its_counts() {
    let mut words = Vocabulary::default();
    let [source, hypothesis, reference] = ["a b c", "a x c", "a y c d"].map(|text| words.numbers(text));
    let mut aligner = Aligner::default();
    aligner.align(&source, &hypothesis, &reference, 80).unwrap();
    let both = count(&aligner.columns);

    assert_eq!((both.correction.tn, both.correction.fn_, both.correction.fpn), (2, 2, 1));
    assert_eq!((both.detection.tp, both.detection.fn_), (1, 1));
    assert!(aligner.align(&source, &hypothesis, &reference, 79).unwrap_err().contains("80 cells"));
}

#[test]
fn costs_count_by_their_ratio() {
    assert_eq!(Costs::new(20, 30), Some(Costs::default()));
    for (gap, mismatch) in [(0, 3), (2, 0), (1001, 3), (2, 1001), (65_538, 3)] {
        assert_eq!(Costs::new(gap, mismatch), None);
    }
    // Two gaps are dearer than a mismatch, or cheaper.
    for (gap, mismatch, columns) in [(2, 3, 1), (1000, 999, 1), (1, 999, 2)] {
        let mut aligner = Aligner::new(Costs::new(gap, mismatch).unwrap());
        aligner.align(&[0], &[1], &[1], 100).unwrap();
        assert_eq!(aligner.columns.len(), columns);
    }
    let words = vec![0; 11];
    let mut dear = Aligner::new(Costs::new(1000, 999).unwrap());
    assert!(dear.align(&words, &[1], &[2], 1000).is_ok());
    assert!(dear.align(&words, &[1, 1, 1, 1], &[2, 2], 1000).unwrap_err().contains("16 words"));
}

#[test]
fn the_baseline_has_no_column_for_a_word_of_the_system_alone() {
    let standard = Standard::Sentences(vec!["a x c d"]);
    let options = i_measure::Options {
        w: 2.0,
        beta: 1.0,
        mix: true,
        metric: Metric::WeightedAccuracy,
        by_detection: false,
        max_references: 1,
        max_cells: 1000,
        costs: Costs::default(),
    };
    let row = i_measure::Scorer::new(options).score("a x c d e f g h", "a b c d", &standard);
    let row = row.unwrap().unwrap();

    assert_eq!((row.system.correction.tp, row.system.correction.tn, row.system.correction.fp), (1, 3, 4));
    assert_eq!((row.baseline.correction.tn, row.baseline.correction.fn_), (3, 1));
    assert_eq!(row.base_accuracy, Some(0.75));
}

#[test]
fn improvements() {
    use super::scores::improvement;

    assert!((improvement(0.9, 0.625) - 0.733_333).abs() < 1e-6);
    assert!((improvement(0.7, 0.75) + 0.066_667).abs() < 1e-6);
    assert!((improvement(0.5, 0.5) - 0.0).abs() < 1e-15);
    assert!((improvement(1.0, 1.0) - 1.0).abs() < 1e-15);
}

proptest! {
    #[test]
    fn equal_sentences_alone_have_no_edit(
        source in "([ab] ){0,8}",
        hypothesis in "([abc] ){0,8}",
    ) {
        let exact = counts(&source, &hypothesis, &[], Method::Exact);
        let dynamic = counts(&source, &hypothesis, &[], Method::Dynamic);

        prop_assert_eq!(exact.proposed == 0, source == hypothesis);
        prop_assert_eq!(dynamic.proposed == 0, source == hypothesis);
    }
}
