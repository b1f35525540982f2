//! Grapheme clusters as code points.

use std::collections::HashMap;
use std::ops::Range as Span;
use std::sync::OnceLock;

use rustc_hash::FxBuildHasher;
use unicode_segmentation::UnicodeSegmentation;

use super::{Range, TOO_MANY};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Graphemes {
    /// Code points of clusters of up to [`SHORT`] characters, which are put together to a number.
    short: HashMap<u64, char, FxBuildHasher>,
    long: HashMap<String, char, FxBuildHasher>,
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
        if !texts.into_iter().any(may_join) {
            return false;
        }
        self.short.clear();
        self.long.clear();
        for ((text, ranges), written) in texts.into_iter().zip(ranges).zip(written) {
            ranges.clear();
            written.clear();
            for_each_cluster(text, |cluster| {
                written.push(self.code_point(&text[cluster.clone()]));
                ranges.push([cluster.start, cluster.end]);
            });
        }
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

/// Whether a text may have a cluster of several code points.
fn may_join(text: &str) -> bool {
    let bytes = text.as_bytes();
    // No character below U+0300 is joined to another but CR and LF.
    let may_join = |byte: u8| u8::from(byte >= 0xcc) | u8::from(byte == b'\r');
    if bytes.iter().fold(0, |any, &byte| any | may_join(byte)) == 0 {
        return false;
    }
    // Nor are controls, but for CR.
    text.chars().any(|one| Role::of(one) != Role::Base && (one == '\r' || !one.is_control()))
}

/// Finds the clusters of a text. Most are a base with marks, and end where the next base stands; the library is asked
/// about the others, up to the next border that is certain.
fn for_each_cluster(text: &str, mut found: impl FnMut(Span<usize>)) {
    let (mut start, mut has_others, mut is_open) = (0, false, false);
    let mut end = |start: usize, end: usize, has_others: bool| {
        if !has_others {
            return found(start..end);
        }
        let mut at = start;
        for cluster in text[start..end].graphemes(true) {
            found(at..at + cluster.len());
            at += cluster.len();
        }
    };
    for (at, character) in text.char_indices() {
        match Role::of(character) {
            Role::Base => {
                if !is_open && at > start {
                    end(start, at, has_others);
                    (start, has_others) = (at, false);
                }
                is_open = false;
            }
            Role::Mark => {}
            Role::Other => (has_others, is_open) = (true, true),
        }
    }
    if start < text.len() {
        end(start, text.len(), has_others);
    }
}

/// What a character does in a cluster; see <https://www.unicode.org/reports/tr29/#Grapheme_Cluster_Boundary_Rules>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It begins a cluster, unless one of the others stands before it, with marks between or without.
    Base,
    /// It goes on with the cluster before it, and nothing else.
    Mark,
    /// What also takes the next character in, joins its like, or takes no marks: controls, joiners, viramas, halves of
    /// flags, parts of Hangul syllables, and what stands before a base.
    Other,
}

/// Characters whose roles are found together.
const BLOCK: usize = 256;

type Roles = OnceLock<Box<[Role; BLOCK]>>;

impl Role {
    #[inline]
    fn of(character: char) -> Self {
        static ROLES: [Roles; (char::MAX as usize + 1) / BLOCK] =
            [const { OnceLock::new() }; (char::MAX as usize + 1) / BLOCK];
        if matches!(character, ' '..='~') {
            return Self::Base;
        }
        let (block, place) = (character as usize / BLOCK, character as usize % BLOCK);
        ROLES[block].get_or_init(|| Self::of_block(block))[place]
    }

    #[cold]
    fn of_block(block: usize) -> Box<[Self; BLOCK]> {
        let mut roles = Box::new([Self::Base; BLOCK]);
        for (role, code) in roles.iter_mut().zip((BLOCK * block) as u32..) {
            *role = char::from_u32(code).map_or(Self::Base, Self::by_rule);
        }
        roles
    }

    fn by_rule(character: char) -> Self {
        let is_one = |text: &[char]| text.iter().collect::<String>().graphemes(true).count() == 1;
        let is_mark = is_one(&['a', character]);
        let is_other = is_one(&[character, 'a'])
            || matches!(character, '\r' | '\n')
            || if is_mark {
                // Joiners and viramas.
                is_one(&['😀', character, '😀']) || is_one(&['क', character, 'क'])
            } else {
                is_one(&[character, character]) || !is_one(&[character, '\u{301}'])
            };
        match (is_other, is_mark) {
            (true, _) => Self::Other,
            (false, true) => Self::Mark,
            (false, false) => Self::Base,
        }
    }
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
        fn clusters_are_those_of_the_library(
            parts in prop::collection::vec(prop_oneof![
                "[\u{900}-\u{97f}]{1,9}",
                "[\u{b80}-\u{d7f}\u{e00}-\u{fff}]{1,9}",
                "[\u{1100}-\u{11ff}가각]{1,5}",
                "[a-e\u{300}-\u{36f}\u{200b}-\u{200d}]{1,9}",
                "[👩👦❤🏽\u{200d}\u{fe0f}🇩🇪\u{e0067}]{1,9}",
                any::<char>().prop_map(String::from),
            ], 0..8),
        ) {
            let text = parts.concat();
            let mut clusters = Vec::new();
            for_each_cluster(&text, |cluster| clusters.push(&text[cluster]));
            prop_assert!(text.graphemes(true).eq(clusters));
        }

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
        let is_alone = |character: &char| Role::of(*character) == Role::Base || character.is_control();
        assert!(('\0'..'\u{300}').all(|character| character == '\u{ad}' || is_alone(&character)));
    }

    #[test]
    fn every_character_beside_all_others_that_join() {
        for character in ('\0'..='\u{1ffff}').chain('\u{e0000}'..='\u{e0fff}') {
            let c = character;
            let text = format!(
                "a{c}a{c}{c}क{c}क\u{94d}{c}\u{301}क\u{301}{c}\u{301}b\u{301}{c}😀{c}😀\u{200d}{c}😀\u{fe0f}\u{200d}{c}🇩{c}🇪🇫ᄀ{c}ᅡ{c}ᆨ{c}가{c}각{c}\r{c}\n{c}\u{600}{c}"
            );
            let mut clusters = Vec::new();
            for_each_cluster(&text, |cluster| clusters.push(&text[cluster]));
            assert!(text.graphemes(true).eq(clusters), "{character:?}");
        }
    }
}
