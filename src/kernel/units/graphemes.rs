//! Grapheme clusters as code points: a pair of texts is rewritten with one code point per cluster.
//!
//! The library `unicode-segmentation` finds the clusters, in 30 to 80 ns each. Texts whose bytes rule out clusters of
//! several code points, such as those in Latin letters without combining marks, are not rewritten. A pair with more
//! different clusters than there are code points for private use cannot be written, and panics.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use unicode_segmentation::UnicodeSegmentation;

use super::{Range, TOO_MANY};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Graphemes {
    /// The code points of clusters of several code points, or of one for private use.
    known: HashMap<String, char, FxBuildHasher>,
}

/// Code points for clusters: those for private use, in the basic plane and beyond it.
const PRIVATE: [std::ops::RangeInclusive<char>; 3] =
    ['\u{e000}'..='\u{f8ff}', '\u{f0000}'..='\u{ffffd}', '\u{100000}'..='\u{10fffd}'];

impl Graphemes {
    /// Writes both texts with a code point for each cluster; `false` where each code point is a cluster.
    pub fn write(
        &mut self,
        texts: [&str; 2],
        ranges: &mut [Vec<Range>; 2],
        written: &mut [String; 2],
    ) -> bool {
        if texts.into_iter().all(|text| has_only(text, is_start_of_alone)) {
            return false;
        }
        self.known.clear();
        for ((text, ranges), written) in texts.into_iter().zip(ranges).zip(written) {
            ranges.clear();
            written.clear();
            for (start, cluster) in text.grapheme_indices(true) {
                ranges.push([start, start + cluster.len()]);
                written.push(self.code_point(cluster));
            }
        }
        true
    }

    /// The code point for a cluster: its own, if it has only one that is not for private use.
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

/// Whether the bytes of a text show that each code point is a cluster, in lower case too.
pub fn is_code_points(text: &str) -> bool {
    has_only(text, |byte| is_start_of_alone(byte) && byte != LEAD_OF_GROWING)
}

/// The lead byte of İ, whose lower case is one cluster of two code points.
const LEAD_OF_GROWING: u8 = 0xc4;

/// Whether characters that start with this byte never join one another in a cluster: those below U+0300 except CR, Greek,
/// Cyrillic, Armenian, Chinese, and Hangul syllables.
#[expect(clippy::needless_bitwise_bool, reason = "computed for every byte, without a branch")]
fn is_start_of_alone(byte: u8) -> bool {
    // Without a branch, so that vectors test many bytes at once.
    let is_in = |first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    (byte != b'\r') & (byte < 0xcc)
        | is_in(0xce, 0xd1)
        | is_in(0xd3, 0xd5)
        | is_in(0xe4, 0xe9)
        | is_in(0xeb, 0xec)
}

/// Tests all bytes.
fn has_only(text: &str, is: impl Fn(u8) -> bool) -> bool {
    text.bytes().fold(0, |others, byte| others | u8::from(!is(byte))) == 0
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
            let clusters = clusters.concat();
            let (mut forth, mut back) = (HashMap::new(), HashMap::new());
            for (&cluster, code_point) in clusters.iter().zip(written.concat().chars()) {
                prop_assert_eq!(*forth.entry(cluster).or_insert(code_point), code_point);
                prop_assert_eq!(*back.entry(code_point).or_insert(cluster), cluster);
            }
        }
    }

    #[test]
    fn characters_that_start_with_these_bytes_are_clusters_in_lower_case_too() {
        for character in ('\0'..='\u{1ffff}').chain('\u{e0000}'..='\u{e0fff}') {
            let c = character;
            let is_alone = is_start_of_alone(c.to_string().as_bytes()[0]);
            let among_others = format!("{c}{c}a{c}가{c}각{c}©{c}\n{c}\u{1}{c}漢{c}б");
            let lower = among_others.to_lowercase();
            let is_joined = |text: &str| text.graphemes(true).count() < text.chars().count();
            assert!(!is_alone || !is_joined(&among_others), "{c:?}");
            assert!(!is_code_points(&among_others) || !is_joined(&lower), "{c:?}");
        }
        assert!(!is_code_points("İ") && is_code_points("aé漢나\n"));
    }
}
