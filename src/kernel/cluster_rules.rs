//! Where grapheme clusters end: the classes and rules of
//! <https://www.unicode.org/reports/tr29/#Grapheme_Cluster_Boundary_Rules>.
//!
//! The classes of characters are those of the library, which is asked about each character in turn. The rules stand here
//! once more, because to ask it about each cluster takes most of the time.

use std::ops::Range as Span;
use std::sync::OnceLock;

use unicode_segmentation::UnicodeSegmentation;

use super::lanes::each;
use super::ones::ones;
use Class::{
    Base, Consonant, Control, Cr, Extend, ExtendAlone, L, Lf, Linker, Lv, Lvt, Pictograph, Prepend, Regional,
    Spacing, T, V, Zwj,
};

/// What a character does in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// None of the others.
    Base,
    /// A consonant of an Indic script, which a linker joins to the one before it.
    Consonant,
    /// What a zero-width joiner joins to its like: emoji.
    Pictograph,
    /// Half of a flag.
    Regional,
    /// A leading consonant of a Hangul syllable.
    L,
    /// Its vowel.
    V,
    /// Its trailing consonant.
    T,
    /// A syllable of the first two.
    Lv,
    /// A syllable of all three.
    Lvt,
    /// What stands in a cluster with the character behind it.
    Prepend,
    Cr,
    Lf,
    Control,
    /// A mark that may stand between a consonant and the linker, or between a linker and a consonant.
    Extend,
    /// A virama that joins consonants.
    Linker,
    /// A mark that parts consonants, but not pictographs.
    ExtendAlone,
    /// A mark that parts both.
    Spacing,
    /// The zero-width joiner.
    Zwj,
}

const CLASSES: [Class; 18] = [
    Base,
    Consonant,
    Pictograph,
    Regional,
    L,
    V,
    T,
    Lv,
    Lvt,
    Prepend,
    Cr,
    Lf,
    Control,
    Extend,
    Linker,
    ExtendAlone,
    Spacing,
    Zwj,
];

/// A character of each class, in their order.
const EXAMPLES: [char; CLASSES.len()] = [
    'a', 'क', '😀', '🇩', 'ᄀ', 'ᅡ', 'ᆨ', '가', '각', '\u{600}', '\r', '\n', '\u{1}', '\u{301}', '\u{94d}',
    '\u{200c}', '\u{903}', '\u{200d}',
];

/// Whether a character goes on with the cluster before it.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Rule {
    Breaks = 0,
    Joins = 1,
    /// What stands before both decides; see [`joins_behind`].
    Depends = 2,
}

/// A row for each class of the character before, of a power of two.
const RULES: [[Rule; CLASSES.len().next_power_of_two()]; CLASSES.len()] = {
    let mut rules = [[Rule::Breaks; _]; _];
    let mut before = 0;
    while before < CLASSES.len() {
        let mut after = 0;
        while after < CLASSES.len() {
            rules[before][after] = rule(CLASSES[before], CLASSES[after]);
            after += 1;
        }
        before += 1;
    }
    rules
};

const fn rule(before: Class, after: Class) -> Rule {
    match (before, after) {
        // GB3, and GB6 to GB8.
        (Cr, Lf) | (L, L | V | Lv | Lvt) | (Lv | V, V | T) | (Lvt | T, T) => Rule::Joins,
        // GB4 and GB5.
        (Cr | Lf | Control, _) | (_, Cr | Lf | Control) => Rule::Breaks,
        // GB9 to GB9b.
        (_, Extend | Linker | ExtendAlone | Zwj | Spacing) | (Prepend, _) => Rule::Joins,
        // GB9c, GB11, and GB12 with GB13.
        (Extend | Linker | Zwj, Consonant) | (Zwj, Pictograph) | (Regional, Regional) => Rule::Depends,
        _ => Rule::Breaks,
    }
}

/// Whether a character goes on with a cluster, whose classes are told from its end.
#[inline(always)]
fn joins_behind(mut cluster: impl Iterator<Item = Class>, after: Class) -> bool {
    match after {
        Consonant => {
            let mut has_linker = false;
            let last = cluster.find(|&class| {
                has_linker |= class == Linker;
                !matches!(class, Extend | Linker | Zwj)
            });
            has_linker && last == Some(Consonant)
        }
        // Behind the joiner.
        Pictograph => {
            cluster.skip(1).find(|class| !matches!(class, Extend | Linker | ExtendAlone)) == Some(Pictograph)
        }
        _ => cluster.take_while(|&class| class == Regional).count() % 2 == 1,
    }
}

/// What takes clusters as they are found. Where it is part of a [`Task`](super::lanes::Task), it is no closure, as
/// that could not be marked `#[inline(always)]`.
pub trait Found {
    /// Takes a cluster.
    fn found(&mut self, cluster: Span<usize>);
}

impl<F: FnMut(Span<usize>)> Found for F {
    #[inline]
    fn found(&mut self, cluster: Span<usize>) {
        self(cluster);
    }
}

/// Finds the clusters of several characters, in order.
#[inline(always)]
pub fn for_each_joined<U: Copy>(units: &[U], class_of: impl Fn(U) -> Class, taker: &mut impl Found) {
    // Nothing joins a control. A cluster may go on in the next window.
    let (mut before, mut open) = (Control, None);
    // Behind the last character there is a break, in a window of its own where that is full.
    for base in (0..=units.len()).step_by(WINDOW) {
        let window = &units[base..units.len().min(base + WINDOW)];
        // Without a branch, as nobody could predict which characters are marks.
        let (mut breaks, mut depends) = (u64::MAX, 0);
        let (eights, rest) = window.as_chunks::<EIGHT>();
        let mut at = 0;
        for eight in eights {
            let rules = rules_of(eight, &mut before, &class_of);
            breaks ^= bits(rules, Rule::Joins) << at;
            depends |= bits(rules, Rule::Depends) << at;
            at += EIGHT;
        }
        if !rest.is_empty() {
            let rules = rules_of(rest, &mut before, &class_of);
            breaks ^= bits(rules, Rule::Joins) << at;
            depends |= bits(rules, Rule::Depends) << at;
        }
        for place in ones(depends) {
            let start = match (breaks & !(u64::MAX << place)).checked_ilog2() {
                Some(last) => base + last as usize,
                None => open.unwrap_or(base.saturating_sub(1)),
            };
            let end = base + place;
            let cluster = units[start..end].iter().rev().map(|&unit| class_of(unit));
            breaks ^= u64::from(joins_behind(cluster, class_of(units[end]))) << place;
        }
        let joins = !breaks;
        let behind_joined = joins << 1 | u64::from(open.is_some());
        // The second character of each cluster, and what stands behind the last one: none waits for the one before.
        let (mut seconds, mut ends) = (joins & !behind_joined, breaks & behind_joined);
        while ends != 0 {
            let start = open.take().unwrap_or_else(|| {
                let second = seconds.trailing_zeros() as usize;
                seconds &= seconds - 1;
                base + second - 1
            });
            taker.found(start..base + ends.trailing_zeros() as usize);
            ends &= ends - 1;
        }
        if seconds != 0 {
            open = Some(base + seconds.trailing_zeros() as usize - 1);
        }
    }
}

/// The rules of up to eight characters, a byte each.
#[inline(always)]
fn rules_of<U: Copy>(units: &[U], before: &mut Class, class_of: impl Fn(U) -> Class) -> u64 {
    let mut rules = 0;
    for (place, &unit) in units.iter().enumerate() {
        let after = class_of(unit);
        rules |= u64::from(RULES[*before as usize][after as usize] as u8) << (8 * place);
        *before = after;
    }
    rules
}

/// A bit for each of eight characters that has this rule.
#[inline(always)]
fn bits(rules: u64, rule: Rule) -> u64 {
    let own = (rules >> (rule as u32 / 2)) & each(1);
    // The bit of each byte comes to a place of its own in the highest byte.
    own.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Characters whose rules stand in a word.
const EIGHT: usize = 8;

/// Characters whose borders are found at once.
const WINDOW: usize = u64::BITS as usize;

/// Characters whose classes are found together.
const BLOCK: usize = 256;

/// Blocks of Chinese characters, of which nobody has to be asked about each.
const CHINESE: Span<usize> = 0x34..0xa0;

type Classes = OnceLock<Box<[Class; BLOCK]>>;

impl Class {
    /// The class of a code point; of what is none, any.
    #[inline]
    pub fn of(code: u32) -> Self {
        const BLOCKS: usize = (char::MAX as usize + 1) / BLOCK;
        static CLASSES: [Classes; BLOCKS] = [const { OnceLock::new() }; BLOCKS];
        let (block, place) = (code as usize / BLOCK % BLOCKS, code as usize % BLOCK);
        CLASSES[block].get_or_init(|| Self::of_block(block))[place]
    }

    /// Whether there are clusters of several characters without one of this class only where another one is there for
    /// which this is true.
    #[inline]
    pub fn is_alone(self) -> bool {
        matches!(self, Base | Consonant | Pictograph | Lv | Lvt | Lf | Control)
    }

    #[cold]
    fn of_block(block: usize) -> Box<[Self; BLOCK]> {
        let mut classes = Box::new([Base; BLOCK]);
        if CHINESE.contains(&block) {
            return classes;
        }
        let of_examples = EXAMPLES.map(traits);
        for (class, code) in classes.iter_mut().zip((BLOCK * block) as u32..) {
            if let Some(character) = char::from_u32(code) {
                let traits = traits(character);
                let place = of_examples.iter().position(|&of_example| of_example == traits);
                *class = CLASSES[place.expect("a character like one of the examples")];
            }
        }
        classes
    }
}

/// How many clusters the library finds where a character stands beside others.
fn traits(character: char) -> [usize; 17] {
    let c = character;
    let texts: [&[char]; _] = [
        &['a', c],
        &[c, 'a'],
        &[c, c],
        &[c, '\u{301}'],
        &['\r', c],
        &[c, '\n'],
        &['ᄀ', c],
        &['가', c],
        &['각', c],
        &[c, 'ᅡ'],
        &[c, 'ᆨ'],
        &['क', '\u{94d}', c],
        &['क', c, 'क'],
        &['क', c, '\u{94d}', 'क'],
        &['😀', '\u{200d}', c],
        &['😀', c, '\u{200d}', '😀'],
        &['😀', c, '😀'],
    ];
    texts.map(|text| text.iter().collect::<String>().graphemes(true).count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::oracle::cases;

    fn clusters(text: &str) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let (mut clusters, mut done) = (Vec::new(), 0);
        for_each_joined(&characters, |character| Class::of(character.into()), &mut |cluster: Span<usize>| {
            clusters.extend(characters[done..cluster.start].iter().map(char::to_string));
            done = cluster.end;
            assert!(cluster.len() > 1);
            clusters.push(characters[cluster].iter().collect());
        });
        clusters.extend(characters[done..].iter().map(char::to_string));
        clusters
    }

    fn are_those_of_the_library(text: &str) -> bool {
        text.graphemes(true).eq(clusters(text))
    }

    #[test]
    fn all_classes_behind_each_other() {
        let numbers = |len: u32| 0..EXAMPLES.len().pow(len);
        let text = |len: u32, number: usize| -> String {
            (0..len).map(|place| EXAMPLES[number / EXAMPLES.len().pow(place) % EXAMPLES.len()]).collect()
        };
        // Of each length alone, because a text starts and ends there, and longer ones one behind the other.
        for len in 1..4 {
            assert!(numbers(len).all(|number| are_those_of_the_library(&text(len, number))));
        }
        assert!(are_those_of_the_library(&numbers(4).map(|number| text(4, number)).collect::<String>()));
    }

    #[test]
    fn every_character_beside_all_others_that_join() {
        for character in ('\0'..='\u{1ffff}').chain('\u{e0000}'..='\u{e0fff}') {
            let c = character;
            let text = format!(
                "a{c}a{c}{c}क{c}क\u{94d}{c}\u{301}क\u{301}{c}\u{301}b\u{301}{c}😀{c}😀\u{200d}{c}😀\u{fe0f}\u{200d}{c}🇩{c}🇪🇫ᄀ{c}ᅡ{c}ᆨ{c}가{c}각{c}\r{c}\n{c}\u{600}{c}"
            );
            assert!(are_those_of_the_library(&text), "{character:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(4_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn clusters_are_those_of_the_library(
            parts in prop::collection::vec(prop_oneof![
                "[\u{900}-\u{97f}]{1,9}",
                "[\u{b80}-\u{d7f}\u{e00}-\u{fff}]{1,9}",
                "[\u{1000}-\u{11ff}가각]{1,5}",
                "[a-e\u{300}-\u{36f}\u{200b}-\u{200d}]{1,9}",
                "[א-ת\u{5b0}-\u{5bd}ا-ي\u{64b}-\u{652}\u{600}]{1,9}",
                "[ -\u{7f}]{1,80}[\u{7f}\u{301}\n]{0,2}",
                "[👩👦❤🏽\u{200d}\u{fe0f}🇩🇪\u{e0067}]{1,9}",
                "\u{301}{50,150}|🇩{50,150}|(क\u{94d}){30,50}",
                any::<char>().prop_map(String::from),
            ], 0..8),
        ) {
            let text = parts.concat();
            prop_assert!(are_those_of_the_library(&text), "{:?}", text);
        }
    }
}
