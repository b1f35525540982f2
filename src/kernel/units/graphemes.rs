//! Grapheme clusters as code points.

use std::collections::HashMap;
use std::ops::Range as Span;

use rustc_hash::FxBuildHasher;

use super::super::cluster_rules::{Class, for_each_joined};
use super::{Range, TOO_MANY};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Graphemes {
    /// Code points of clusters of up to [`SHORT`] characters, which are put together to a number.
    short: HashMap<u64, char, FxBuildHasher>,
    long: HashMap<String, char, FxBuildHasher>,
    /// The code points of a text.
    codes: Vec<u32>,
}

/// Most characters that fit into a number.
const SHORT: usize = 3;

/// Bits of a character.
const BITS: u32 = 21;

/// Code points for clusters: those for private use, in the basic plane and beyond it.
const PRIVATE: [std::ops::RangeInclusive<char>; 3] =
    ['\u{e000}'..='\u{f8ff}', '\u{f0000}'..='\u{ffffd}', '\u{100000}'..='\u{10fffd}'];

impl Graphemes {
    /// Writes down the clusters of both texts, a code point for each; `false` where each code point is a cluster.
    pub fn write(
        &mut self,
        texts: [&str; 2],
        ranges: &mut [Vec<Range>; 2],
        written: &mut [String; 2],
    ) -> bool {
        if !texts.into_iter().any(has_joined) {
            return false;
        }
        self.short.clear();
        self.long.clear();
        let mut codes = std::mem::take(&mut self.codes);
        for ((text, ranges), written) in texts.into_iter().zip(ranges).zip(written) {
            ranges.clear();
            written.clear();
            for_each_cluster(text, &mut codes, |cluster| {
                ranges.push([cluster.start, cluster.end]);
                written.push(self.code_point(&text[cluster]));
            });
        }
        self.codes = codes;
        true
    }

    /// The code point for a cluster: its own, if it has but one that is not for private use.
    #[inline]
    fn code_point(&mut self, cluster: &str) -> char {
        if let &[only] = cluster.as_bytes() {
            return char::from(only);
        }
        let mut characters = cluster.chars();
        if let (Some(only), None) = (characters.next(), characters.next())
            && !PRIVATE.iter().any(|range| range.contains(&only))
        {
            return only;
        }
        let next = self.short.len() + self.long.len();
        let next = || PRIVATE.into_iter().flatten().nth(next).expect(TOO_MANY);
        if cluster.chars().nth(SHORT).is_none() {
            // One more than the character, so that none is zero.
            let number = cluster.chars().fold(0, |all, one| all << BITS | (u64::from(u32::from(one)) + 1));
            return *self.short.entry(number).or_insert_with(next);
        }
        if let Some(&known) = self.long.get(cluster) {
            return known;
        }
        let next = next();
        self.long.insert(cluster.to_owned(), next);
        next
    }
}

/// Whether each code point of a text is surely a cluster, in lower case too. Of long texts this is said only where their
/// bytes tell it, as to look at each character would take as long as to compare them.
pub fn is_code_points(text: &str) -> bool {
    let is_known = |byte| is_start_of_alone(byte) && byte != LEAD_OF_GROWING;
    has_only(text, is_known)
        || text.len() <= LOOKED_AT
            && text.chars().all(|one| one != GROWING && Class::of(one.into()).is_alone())
}

/// The letter whose lower case is one cluster of two code points.
const GROWING: char = 'İ';
const LEAD_OF_GROWING: u8 = 0xc4;

/// Bytes of a text that is short beside what it takes to compare it.
const LOOKED_AT: usize = 256;

/// Whether a text may have a cluster of several code points.
fn has_joined(text: &str) -> bool {
    !has_only(text, is_start_of_alone) && !text.chars().all(|one| Class::of(one.into()).is_alone())
}

/// Whether nothing is joined to the characters that start with this byte: those below U+0300 but for CR, Greek, Cyrillic,
/// Armenian, Chinese, and Hangul in syllables.
#[expect(clippy::needless_bitwise_bool, reason = "computed for every byte, without a branch")]
fn is_start_of_alone(byte: u8) -> bool {
    // Without a branch, so that many are looked at at once.
    let is_in = |first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    (byte != b'\r') & (byte < 0xcc)
        | is_in(0xce, 0xd1)
        | is_in(0xd3, 0xd5)
        | is_in(0xe4, 0xe9)
        | is_in(0xeb, 0xec)
}

/// Looks at all bytes.
fn has_only(text: &str, is: impl Fn(u8) -> bool) -> bool {
    text.bytes().fold(0, |others, byte| others | u8::from(!is(byte))) == 0
}

/// Finds the clusters of a text.
fn for_each_cluster(text: &str, codes: &mut Vec<u32>, mut found: impl FnMut(Span<usize>)) {
    codes.clear();
    codes.extend(text.chars().map(u32::from));
    let len = |&code: &u32| char::from_u32(code).map_or(0, char::len_utf8);
    let (mut start, mut done) = (0, 0);
    let mut next = |bytes: usize| {
        found(start..start + bytes);
        start += bytes;
    };
    for_each_joined(codes, Class::of, &mut |cluster: Span<usize>| {
        codes[done..cluster.start].iter().for_each(|code| next(len(code)));
        done = cluster.end;
        next(codes[cluster].iter().map(len).sum());
    });
    codes[done..].iter().for_each(|code| next(len(code)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::super::{TextUnit, Units};
    use super::*;
    use crate::kernel::oracle::cases;

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(4_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn code_points_are_equal_where_clusters_are(
            texts in prop::array::uniform2(
                "([a-cé漢\u{e000}\u{f0000}]|[\r\n]|[\u{300}\u{301}\u{200d}\u{fe0f}]|[👩👦❤]|[🇩🇪🇫]|[\u{1100}\u{1161}\u{11a8}가각]|[कष\u{94d}\u{93f}]|\u{600}|\u{e33}){0,40}"
            ),
        ) {
            let texts = texts.each_ref().map(String::as_str);
            let clusters = texts.map(|text| text.graphemes(true).collect::<Vec<_>>());
            let mut units = Units::default();
            units.write(texts, TextUnit::Grapheme);
            let written = units.write(texts, TextUnit::Grapheme);
            for (side, clusters) in clusters.iter().enumerate() {
                let units: Option<Vec<_>> = (0..clusters.len()).map(|place| written.unit(side, place)).collect();
                prop_assert!(units.is_none_or(|units| units == *clusters));
            }
            let written = written.texts;
            for (written, clusters) in written.iter().zip(&clusters) {
                prop_assert_eq!(written.chars().count(), clusters.len());
            }
            let clusters = clusters.concat();
            let (mut forth, mut back) = (HashMap::new(), HashMap::new());
            for (&cluster, code_point) in clusters.iter().zip(written.concat().chars()) {
                prop_assert_eq!(*forth.entry(cluster).or_insert(code_point), code_point);
                prop_assert_eq!(*back.entry(code_point).or_insert(cluster), cluster);
            }
        }
    }

    #[test]
    fn code_points_are_told_by_their_bytes_and_stay_so_in_lower_case() {
        for character in ('\0'..='\u{1ffff}').chain('\u{e0000}'..='\u{e0fff}') {
            let text = String::from(character);
            let is_alone = |character: char| Class::of(character.into()).is_alone();
            assert!(has_joined(&text) != is_alone(character), "{character:?}");
            assert!(!is_start_of_alone(text.as_bytes()[0]) || is_alone(character), "{character:?}");
            assert!(!is_code_points(&text) || text.to_lowercase().chars().all(is_alone), "{character:?}");
        }
        assert!(!is_code_points("İ") && is_code_points("aé漢가\n"));
    }
}
