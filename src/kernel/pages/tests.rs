use proptest::prelude::*;

use super::super::oracle::{cases, edit_distance};
use super::super::prepare::Preparation;
use super::super::units::{TextUnit, WordRule};
use super::{PageErrors, Pages};

fn errors(prediction: &str, reference: &str) -> PageErrors {
    Pages::default().errors(prediction, reference, Preparation::NONE, WordRule::Whitespace, 4)
}

/// The counts in the order of their fields, without the length.
fn counts(prediction: &str, reference: &str) -> [usize; 6] {
    let PageErrors { misread, omitted, added, fabricated, repeated, moved, .. } =
        errors(prediction, reference);
    [misread, omitted, added, fabricated, repeated, moved]
}

const FIRST: &str = "the quick brown fox jumps over the lazy dog at noon";
const SECOND: &str = "we hold these truths to be self evident and plain to see";
const THIRD: &str = "call me Ishmael some years ago never mind how long";

#[test]
fn each_kind_alone() {
    let reference = format!("{FIRST} {SECOND} {THIRD}");
    let length = |text: &str| text.len() + 1;
    let cases = [
        (reference.clone(), [0; 6]),
        (reference.replace("quick", "qu1ck").replace("Ishmael", "Ishmel"), [2, 0, 0, 0, 0, 0]),
        (format!("{FIRST} {THIRD}"), [0, length(SECOND), 0, 0, 0, 0]),
        (reference.replace("lazy dog", "dog"), [0, 5, 0, 0, 0, 0]),
        (reference.replace("lazy dog", "lazy old dog"), [0, 0, 4, 0, 0, 0]),
        (format!("{FIRST} a wholly new sentence stands here {SECOND} {THIRD}"), [0, 0, 0, 34, 0, 0]),
        (format!("{FIRST} {SECOND} {SECOND} {THIRD}"), [0, 0, 0, 0, length(SECOND), 0]),
        (format!("{reference} {reference}"), [0, 0, 0, 0, length(&reference), 0]),
        (format!("{SECOND} {FIRST} {THIRD}"), [0, 0, 0, 0, 0, length(FIRST)]),
        (format!("{THIRD} {FIRST} {SECOND}"), [0, 0, 0, 0, 0, length(THIRD)]),
        (reference.replace("to be", &["to be"; 9].join(" ")), [0, 0, 0, 0, 48, 0]),
    ];
    for (prediction, expected) in cases {
        assert_eq!(counts(&prediction, &reference), expected, "{prediction}");
    }
}

#[test]
fn blocks_are_found_though_letters_in_them_are_misread() {
    let misread = |text: &str| text.replace("fox", "fax").replace("truths", "trulhs").replace("be", "bc");
    let reference = format!("{FIRST} {SECOND} {THIRD}");
    let length = |text: &str| text.len() + 1;
    let prediction = misread(&format!("{SECOND} {FIRST} {THIRD}"));
    assert_eq!(counts(&prediction, &reference), [3, 0, 0, 0, 0, length(SECOND) - 2]);
    let prediction = format!("{reference} {}", misread(&reference));
    assert_eq!(counts(&prediction, &reference), [0, 0, 0, 0, length(&reference), 0]);
}

#[test]
fn what_the_reference_says_twice_is_not_repeated() {
    let reference = "Tel 030 1234 5678 home and Tel 030 1234 5679 work";
    assert_eq!(counts("Tel 030 1234 5678 home and Tel 030 1234 5678 work", reference), [1, 0, 0, 0, 0, 0]);
    let reference = "Item A 5.00 EUR ".repeat(3);
    assert_eq!(counts(&reference.replace("It", "lt"), &reference), [3, 0, 0, 0, 0, 0]);
    assert_eq!(counts(&"0 ".repeat(1_000), &"0 ".repeat(6)), [0, 0, 0, 0, 2 * 994, 0]);
}

#[test]
fn texts_without_words_and_of_one_word() {
    assert_eq!(counts("", ""), [0; 6]);
    assert_eq!(counts("", "a b"), [0, 3, 0, 0, 0, 0]);
    assert_eq!(counts("a b c d e", ""), [0, 0, 0, 9, 0, 0]);
    assert_eq!(counts(" \n", "a"), [2, 0, 0, 0, 0, 0]);
    assert_eq!([counts("", "a"), counts("a", "")], [[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]);
    let many = "a ".repeat(100_000);
    assert_eq!(counts(&many, "a"), [1, 0, 0, 0, 199_998, 0]);
    assert_eq!(counts("a", &many), [0, 199_999, 0, 0, 0, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(4_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_order_the_sum_is_the_edit_distance(
        texts in prop::array::uniform2("((ab?|b|cd|[e-p]|é|e\u{301})[ \n]?){0,60}"),
        min_words in 1..5_usize,
        uax29 in any::<bool>(),
    ) {
        let [prediction, reference] = &texts;
        let rule = if uax29 { WordRule::Uax29 } else { WordRule::Whitespace };
        let mut pages = Pages::default();
        let found = pages.errors(prediction, reference, Preparation::NONE, rule, min_words);
        prop_assert_eq!(found.reference_length, reference.chars().count());
        let PageErrors { misread, omitted, added, fabricated, repeated, moved, .. } = found;
        if repeated + moved == 0 {
            let sum = misread + omitted + added + fabricated;
            prop_assert_eq!(sum, edit_distance(reference, prediction, 1));
        }
        prop_assert!(moved + omitted <= found.reference_length);
        for unit in [TextUnit::Grapheme, TextUnit::Word(rule)] {
            let preparation = Preparation { unit, ..Preparation::NONE };
            let found = pages.errors(prediction, reference, preparation, rule, min_words);
            prop_assert!(found.omitted + found.moved <= found.reference_length);
        }
    }

    #[test]
    fn blocks_in_any_order_are_right(
        order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
        again in prop::option::of(0..5_usize),
    ) {
        let block = |block: usize| (0..20 + block).map(|word| format!("w{block}x{word}")).collect::<Vec<_>>().join(" ");
        let reference = (0..5).map(block).collect::<Vec<_>>().join(" ");
        let prediction = order.iter().copied().chain(again).map(block).collect::<Vec<_>>().join(" ");
        let found = errors(&prediction, &reference);
        let PageErrors { misread, omitted, added, fabricated, repeated, moved, .. } = found;
        prop_assert_eq!([misread, omitted, added, fabricated], [0; 4]);
        prop_assert_eq!(repeated, again.map_or(0, |again| block(again).len() + 1));
        // A block that is read again may come at its place the second time.
        prop_assert!(again.is_some() || (moved == 0) == order.is_sorted());
        prop_assert!(moved == 0 || !order.is_sorted());
    }
}
