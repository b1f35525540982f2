//! Grapheme clusters as code points.

use std::collections::HashMap;
use std::sync::OnceLock;

use rustc_hash::FxBuildHasher;
use unicode_segmentation::UnicodeSegmentation;

use super::super::pattern::BASIC;
use super::{Range, TOO_MANY};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Graphemes {
    known: HashMap<String, char, FxBuildHasher>,
}

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
        if !texts.into_iter().any(may_join) {
            return false;
        }
        self.known.clear();
        for ((text, ranges), written) in texts.into_iter().zip(ranges).zip(written) {
            ranges.clear();
            written.clear();
            let mut start = 0;
            while start < text.len() {
                let chunk = &text[start..start + together(&text[start..])];
                for cluster in chunk.graphemes(true) {
                    ranges.push(start..start + cluster.len());
                    start += cluster.len();
                    written.push(self.code_point(cluster));
                }
            }
        }
        true
    }

    /// The code point for a cluster: its own, if it has but one that is not for private use.
    fn code_point(&mut self, cluster: &str) -> char {
        let mut characters = cluster.chars();
        if let (Some(only), None) = (characters.next(), characters.next())
            && !PRIVATE.iter().any(|range| range.contains(&only))
        {
            return only;
        }
        if let Some(&known) = self.known.get(cluster) {
            return known;
        }
        let next = PRIVATE.into_iter().flatten().nth(self.known.len()).expect(TOO_MANY);
        self.known.insert(cluster.to_owned(), next);
        next
    }
}

/// Whether a text may have a cluster of several code points.
fn may_join(text: &str) -> bool {
    let bytes = text.as_bytes();
    // No character below U+0300 is joined to another but CR and LF.
    let may_join = |byte: u8| u8::from(byte >= 0xcc) | u8::from(byte == b'\r');
    if bytes.iter().fold(0, |any, &byte| any | may_join(byte)) == 0 {
        return false;
    }
    text.chars().any(joins)
}

/// Bytes up to the first border between two characters that never join.
fn together(text: &str) -> usize {
    let mut before = true;
    for (place, character) in text.char_indices() {
        let joins = joins(character);
        if place > 0 && !before && !joins {
            return place;
        }
        before = joins;
    }
    text.len()
}

/// Whether a character may stand in one cluster with another one. Of two neighbours in a cluster one does; see
/// <https://www.unicode.org/reports/tr29/#Grapheme_Cluster_Boundary_Rules>.
fn joins(character: char) -> bool {
    static BASIC_JOINS: OnceLock<Box<[bool; BASIC]>> = OnceLock::new();
    let joins = BASIC_JOINS.get_or_init(|| {
        let all = (0..BASIC as u32).map(|code| char::from_u32(code).is_some_and(joins_by_rule));
        all.collect::<Vec<_>>().try_into().expect("as many as there are")
    });
    joins.get(character as usize).copied().unwrap_or_else(|| joins_by_rule(character))
}

fn joins_by_rule(character: char) -> bool {
    let is_one = |text: &[char]| text.iter().collect::<String>().graphemes(true).count() == 1;
    // In this order: what goes on with the character before, what takes the next one in, and what joins its like, as
    // halves of flags and the parts of Hangul syllables do.
    is_one(&['a', character])
        || is_one(&[character, 'a'])
        || is_one(&[character, character])
        || character == '\r'
        || character == '\n'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            let code_points: Vec<_> = written.concat().chars().collect();
            let (mut forth, mut back) = (HashMap::new(), HashMap::new());
            for (cluster, code_point) in clusters.concat().into_iter().zip(code_points) {
                prop_assert_eq!(*forth.entry(cluster).or_insert(code_point), code_point);
                prop_assert_eq!(*back.entry(code_point).or_insert(cluster), cluster);
            }
        }
    }

    #[test]
    fn characters_below_the_combining_ones_do_not_join() {
        let below = (0..0x300).filter_map(char::from_u32).filter(|&character| joins(character));
        assert_eq!(below.collect::<Vec<_>>(), ['\n', '\r']);
    }
}
