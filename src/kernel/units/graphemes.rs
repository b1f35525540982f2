//! Grapheme clusters as code points.

use std::collections::HashMap;
use std::ops::Range as Span;
use std::sync::OnceLock;

use rustc_hash::FxBuildHasher;
use unicode_segmentation::UnicodeSegmentation;

use super::super::lanes::{LONGEST, Register};
use super::super::utf8::character;
use super::{Range, TOO_MANY};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Graphemes {
    /// Code points of clusters of up to [`SHORT`] characters, which are put together to a number.
    short: HashMap<u64, char, FxBuildHasher>,
    long: HashMap<String, char, FxBuildHasher>,
    /// Bytes of clusters beyond ASCII, which are put together to a number.
    bytes: HashMap<u64, u8, FxBuildHasher>,
    /// Both texts with a byte for each cluster.
    written: [Vec<u8>; 2],
}

/// Most characters that fit into a number.
const SHORT: usize = 3;

/// Bytes that are no ASCII.
const BEYOND_ASCII: usize = 0x80;

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
            for_each_cluster(text, |cluster, is_run| {
                if is_run {
                    written.push_str(&text[cluster.clone()]);
                    ranges.extend(cluster.map(|at| [at, at + 1]));
                } else {
                    written.push(self.code_point(&text[cluster.clone()]));
                    ranges.push([cluster.start, cluster.end]);
                }
            });
        }
        true
    }

    /// Both texts with a byte for each cluster; `None` where each code point is a cluster, or there are too many
    /// different ones beyond ASCII.
    pub fn bytes(&mut self, texts: [&str; 2]) -> Option<[&[u8]; 2]> {
        if !texts.into_iter().any(may_join) {
            return None;
        }
        self.short.clear();
        self.long.clear();
        self.bytes.clear();
        let mut written = std::mem::take(&mut self.written);
        for (text, written) in texts.into_iter().zip(&mut written) {
            written.clear();
            for_each_cluster(text, |cluster, is_run| {
                let bytes = &text.as_bytes()[cluster.clone()];
                if is_run || bytes.len() == 1 {
                    written.extend_from_slice(bytes);
                } else {
                    written.push(self.byte(&text[cluster]));
                }
            });
        }
        self.written = written;
        (self.bytes.len() <= BEYOND_ASCII).then(|| self.written.each_ref().map(Vec::as_slice))
    }

    /// The byte for a cluster of more than one, as long as there are any left.
    #[inline]
    fn byte(&mut self, cluster: &str) -> u8 {
        let number = if cluster.len() <= size_of::<u64>() {
            cluster.bytes().rev().fold(0, |all, byte| all << u8::BITS | u64::from(byte))
        } else if self.bytes.len() > BEYOND_ASCII {
            return 0;
        } else {
            // No text has such bytes.
            !u64::from(u32::from(self.code_point(cluster)))
        };
        let next = (BEYOND_ASCII + self.bytes.len() % BEYOND_ASCII) as u8;
        if self.bytes.len() > BEYOND_ASCII {
            return next;
        }
        *self.bytes.entry(number).or_insert(next)
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

/// Finds the clusters of a text, and runs of bytes that are a cluster each, which are said to be so. Most clusters are a
/// base with marks, and end where the next base stands; the library is asked about the others, up to the next border
/// that is certain.
fn for_each_cluster(text: &str, mut found: impl FnMut(Span<usize>, bool)) {
    let (mut start, mut has_others, mut is_open) = (0, false, false);
    let mut end = |start: usize, end: usize, has_others: bool, is_run: bool| {
        if !has_others {
            return found(start..end, is_run);
        }
        let mut at = start;
        for cluster in text[start..end].graphemes(true) {
            found(at..at + cluster.len(), false);
            at += cluster.len();
        }
    };
    let mut at = 0;
    while at < text.len() {
        let (code, width) = character(text.as_bytes(), at);
        match Role::of(char::from_u32(code).expect("a character of the text")) {
            Role::Base => {
                if !is_open {
                    if at > start {
                        end(start, at, has_others, false);
                        (start, has_others) = (at, false);
                    }
                    // What follows can join the last letter of a run alone.
                    let last = at + letters(&text.as_bytes()[at..]).saturating_sub(1);
                    if last > at {
                        end(at, last, false, true);
                        (start, at) = (last, last);
                    }
                }
                is_open = false;
            }
            Role::Mark => {}
            Role::Other => (has_others, is_open) = (true, true),
        }
        at += width;
    }
    if start < text.len() {
        end(start, text.len(), has_others, false);
    }
}

/// How many printable characters of ASCII a text begins with, if two and more.
#[inline]
fn letters(text: &[u8]) -> usize {
    let others = |block: &[u8; LONGEST]| {
        let masks = Register::load(block).masks();
        masks.controls | masks.beyond_ascii
    };
    let are_letters = |ends: &[u8; 2]| ends.iter().all(|end| (b' '..DELETE).contains(end));
    if !text.first_chunk().is_some_and(are_letters) {
        return 0;
    }
    let (blocks, rest) = text.as_chunks();
    let whole = blocks.iter().map(others).enumerate().find(|&(_, others)| others != 0);
    let (block, others) = whole.unwrap_or_else(|| {
        let mut last = [0; LONGEST];
        last[..rest.len()].copy_from_slice(rest);
        (blocks.len(), others(&last))
    });
    // Behind as many as fill the last block stands nothing.
    let mut len = LONGEST * block + others.trailing_zeros() as usize;
    while len > 0 && text[len - 1] == DELETE {
        len -= 1;
    }
    len
}

/// The one control that is not told by its upper bits.
const DELETE: u8 = 0x7f;

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

    fn clusters(text: &str) -> Vec<&str> {
        let mut clusters = Vec::new();
        for_each_cluster(text, |cluster, is_run| {
            if is_run {
                clusters.extend(cluster.map(|at| &text[at..=at]));
            } else {
                clusters.push(&text[cluster]);
            }
        });
        clusters
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(4_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn clusters_are_those_of_the_library(
            parts in prop::collection::vec(prop_oneof![
                "[\u{900}-\u{97f}]{1,9}",
                "[\u{b80}-\u{d7f}\u{e00}-\u{fff}]{1,9}",
                "[\u{1100}-\u{11ff}가각]{1,5}",
                "[a-e\u{300}-\u{36f}\u{200b}-\u{200d}]{1,9}",
                "[ -\u{7f}]{1,80}[\u{7f}\u{301}\n]{0,2}",
                "[👩👦❤🏽\u{200d}\u{fe0f}🇩🇪\u{e0067}]{1,9}",
                any::<char>().prop_map(String::from),
            ], 0..8),
        ) {
            let text = parts.concat();
            prop_assert!(text.graphemes(true).eq(clusters(&text)));
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
            let mut graphemes = Graphemes::default();
            graphemes.bytes(texts);
            let bytes = graphemes.bytes(texts);
            // No other clusters than code points need no bytes.
            let joined = clusters.iter().flatten().any(|cluster| cluster.chars().nth(1).is_some());
            prop_assert!(bytes.is_some() || !joined);
            let bytes = bytes.map(|bytes| bytes.concat().into_iter().map(char::from).collect());
            let clusters = clusters.concat();
            for written in bytes.into_iter().chain([written.concat()]) {
                prop_assert_eq!(written.chars().count(), clusters.len());
                let (mut forth, mut back) = (HashMap::new(), HashMap::new());
                for (&cluster, code_point) in clusters.iter().zip(written.chars()) {
                    prop_assert_eq!(*forth.entry(cluster).or_insert(code_point), code_point);
                    prop_assert_eq!(*back.entry(code_point).or_insert(cluster), cluster);
                }
            }
        }
    }

    #[test]
    fn there_are_bytes_for_as_many_clusters() {
        let text = |clusters: usize| -> String {
            let letters = ('\u{4e00}'..).take(clusters);
            letters
                .flat_map(|letter| [letter, '\u{301}', 'a', '\u{fe0f}', '\u{301}', '\u{302}', '\u{303}'])
                .collect()
        };
        let (fits, most) = (text(127), text(128));
        let mut graphemes = Graphemes::default();
        for _ in 0..2 {
            assert_eq!(graphemes.bytes(["", &fits]).map(|[_, bytes]| bytes.len()), Some(2 * 127));
            assert_eq!(graphemes.bytes([&fits, &most]), None);
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
            assert!(text.graphemes(true).eq(clusters(&text)), "{character:?}");
        }
    }
}
