//! Textbook definitions, to hold the fast paths against.

use proptest::sample::Index;

use super::distance::Workspace;
use super::hamming;
use super::weighted::SubstitutionCost;

/// Under a sanitizer (`--cfg sanitized`, from `.ci/heavy`), where a step takes many times as long, random and
/// long cases run one in this many. A prime: it meets every row and every column of a grid of cases.
pub const ONE_IN: u32 = if cfg!(sanitized) { 7 } else { 1 };

/// How many random cases of these are tried: a part on every change, all in a campaign.
pub fn cases(most: u32) -> u32 {
    if cfg!(sanitized) || is_campaign() { most / ONE_IN } else { most / 10 }
}

/// One in how many similar cases is tried: one in `usual` on every change, all in a campaign.
pub fn one_in(usual: usize) -> usize {
    if is_campaign() { 1 } else { usual }
}

fn is_campaign() -> bool {
    std::env::var_os("ANLS_FRAME_CAMPAIGN").is_some()
}

/// These words after edits, each at a place: 0 inserts its word, 1 deletes the word there, others change it.
pub fn edited<'a>(words: &[&'a str], edits: &'a [(Index, usize, String)]) -> Vec<&'a str> {
    let mut words = words.to_vec();
    for (place, kind, word) in edits {
        let place = place.index(words.len() + 1);
        match kind {
            0 => words.insert(place, word),
            1 if place < words.len() => drop(words.remove(place)),
            _ if place < words.len() => words[place] = word,
            _ => {}
        }
    }
    words
}

/// Wagner and Fischer's table, with a substitution cost.
pub fn edit_distance(left: &str, right: &str, substitution_cost: usize) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &r) in right.iter().enumerate() {
            let substituted = diagonal + if l == r { 0 } else { substitution_cost };
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

mod tests {
    use proptest::prelude::*;

    use super::super::band::Band;
    use super::super::diagonal::{Found, Wavefronts};
    use super::super::lanes::{Batch, Isa, LONGEST, PAIRS, Planes, Register, masks_by_bytes};
    use super::*;

    fn assert_distances(workspace: &mut Workspace, left: &str, right: &str) {
        for cost in 0..=3 {
            let expected = edit_distance(left, right, usize::try_from(cost).unwrap());
            let cost = SubstitutionCost::from_cost(cost);
            assert_eq!(workspace.distance(left, right, cost), expected, "{left:?} {right:?} {cost:?}");
            for limit in [expected.saturating_sub(1), expected, expected + 1] {
                let within = workspace.distance_within(left, right, cost, limit);
                assert_eq!(within, (expected <= limit).then_some(expected), "{left:?} {right:?} {limit}");
            }
        }
        let differing = left.chars().zip(right.chars()).filter(|(left, right)| left != right).count();
        let equal_length = left.chars().count() == right.chars().count();
        assert_eq!(hamming(left, right), equal_length.then_some(differing));
    }

    #[test]
    fn every_pair_over_two_letters_up_to_length_seven() {
        let texts: Vec<String> = (0..=7_u32)
            .flat_map(|n| {
                (0..1_u32 << n)
                    .map(move |w| (0..n).map(|i| if w >> i & 1 == 0 { 'a' } else { 'b' }).collect())
            })
            .collect();
        assert_eq!(texts.len().pow(2), 65_025);
        let mut workspace = Workspace::default();
        for left in &texts {
            for right in &texts {
                assert_distances(&mut workspace, left, right);
            }
        }
    }

    /// A text in `BYTES` bytes a character. The second byte differs for some letters whose first ones are equal.
    fn planes<const BYTES: usize>(text: &[u8]) -> Planes<BYTES> {
        let planes = std::array::from_fn(|byte| {
            let mut padded = [0; LONGEST];
            for (padded, &letter) in padded.iter_mut().zip(text) {
                *padded = match byte {
                    0 if BYTES > 1 => letter & 0x0f,
                    0 => letter,
                    _ => letter & 0xf0,
                };
            }
            Register::load(&padded)
        });
        (planes, text.len())
    }

    /// Distances of all pairs by every instruction set of this machine, in batches.
    fn assert_lanes(pairs: &[(&[u8], &[u8])]) {
        assert_lanes_of::<1>(pairs);
        assert_lanes_of::<2>(pairs);
    }

    fn assert_lanes_of<const BYTES: usize>(pairs: &[(&[u8], &[u8])]) {
        for isa in Isa::available() {
            let mut batch = Batch::<BYTES>::default();
            for pairs in pairs.chunks(PAIRS) {
                for (lane, (left, right)) in pairs.iter().enumerate() {
                    batch.set(lane, planes(left), planes(right));
                }
                let distances = batch.distances(pairs.len(), isa);
                for ((left, right), distance) in pairs.iter().zip(distances) {
                    // One character a byte, so that bytes beyond ASCII can be tried as well.
                    let text = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect::<String>();
                    let expected = edit_distance(&text(left), &text(right), 1);
                    assert_eq!(usize::from(distance), expected, "{left:?} {right:?} {isa:?}");
                }
            }
        }
    }

    #[test]
    fn masks_of_every_byte() {
        for byte in 0..=u8::MAX {
            for position in 0..LONGEST {
                let mut text = [b'a'; LONGEST];
                text[position] = byte;
                assert_eq!(Register::load(&text).masks(), masks_by_bytes(&text));
            }
        }
    }

    #[test]
    fn lanes_on_every_pair_over_two_letters_up_to_length_seven() {
        for letters in [[b'a', b'b'], [0, b'a'], [0, 0xff]] {
            let texts: Vec<Vec<u8>> = (0..=7_u32)
                .flat_map(|n| {
                    (0..1_u32 << n).map(move |w| (0..n).map(|i| letters[(w >> i & 1) as usize]).collect())
                })
                .collect();
            let pairs: Vec<(&[u8], &[u8])> = texts
                .iter()
                .flat_map(|left| texts.iter().map(move |right| (&left[..], &right[..])))
                .collect();
            assert_lanes(&pairs);
        }
    }

    /// Distances by the methods for long text, each alone, in every mode.
    fn assert_long(left: &[u8], right: &[u8]) {
        let (pattern, text) = if left.len() <= right.len() { (left, right) } else { (right, left) };
        let characters = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect::<String>();
        let expected = edit_distance(&characters(pattern), &characters(text), 1);
        let units =
            [pattern, text].map(|bytes| bytes.iter().map(|&byte| u32::from(byte)).collect::<Vec<_>>());
        for isa in Isa::available() {
            let mut wavefronts = Wavefronts::with_isa(isa);
            for budget in [0, 1, expected, expected * expected / 2 + 1, usize::MAX >> 2] {
                for limit in [expected.saturating_sub(1), expected, expected + 1, usize::MAX] {
                    let found = wavefronts.distance(pattern, text, budget, limit);
                    match found {
                        Found::Distance(distance) => {
                            assert_eq!(distance, expected, "{pattern:?} {text:?} {isa:?}");
                        }
                        Found::TooFar => assert!(limit < expected, "{pattern:?} {text:?} {limit} {isa:?}"),
                        // Whether to go on is a matter of speed.
                        Found::Guess(_) => {
                            assert!(budget < usize::MAX >> 2, "{pattern:?} {text:?} {isa:?}");
                        }
                    }
                    let of_units = wavefronts.distance(&units[0], &units[1], budget, limit);
                    assert_eq!(of_units, found, "{pattern:?} {text:?} {isa:?}");
                }
            }
        }
        if pattern.is_empty() {
            return;
        }
        for isa in Isa::available() {
            let mut band = Band::with_isa(isa);
            for guess in [0, expected, expected + 3, text.len(), usize::MAX] {
                for limit in [expected.saturating_sub(1), expected, expected + 1, usize::MAX] {
                    let distance = band.distance(pattern, text, 256, guess, limit);
                    let within = (expected <= limit).then_some(expected);
                    assert_eq!(distance, within, "{pattern:?} {text:?} {guess} {limit} {isa:?}");
                }
            }
        }
    }

    #[test]
    fn long_methods_on_every_pair_over_two_letters_up_to_length_six() {
        let texts: Vec<Vec<u8>> = (0..=6_u32)
            .flat_map(|n| (0..1_u32 << n).map(move |w| (0..n).map(|i| (w >> i & 1) as u8).collect()))
            .collect();
        for left in &texts {
            for right in &texts {
                assert_long(left, right);
            }
        }
    }

    #[test]
    fn strip_borders_and_shifted_texts() {
        let text: Vec<u8> = (0..1_300_u32).map(|i| (i * i % 251 % 7) as u8).collect();
        let pairs =
            [1, 63, 64, 65, 191, 255, 256, 257, 320, 511, 512, 513, 1_000].into_iter().flat_map(|rows| {
                [(0, rows), (0, rows + 1), (40, rows), (300, rows), (3, 1_297)].map(|shifted| (rows, shifted))
            });
        for (rows, (from, length)) in pairs.step_by(ONE_IN as usize) {
            assert_long(&text[..rows], &text[from..from + length]);
        }
    }

    #[test]
    fn word_borders_in_every_script() {
        let mut workspace = Workspace::default();
        for unit in ["a", "é", "漢", "𝄞"] {
            for left in [0, 1, 63, 64, 65, 127, 128, 129, 192] {
                for right in [0, 2, 63, 64, 65, 127, 128, 129, 193] {
                    let left = format!("x{}y", unit.repeat(left));
                    let right = format!("{}yz", unit.repeat(right));
                    assert_distances(&mut workspace, &left, &right);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: cases(1_000), ..ProptestConfig::default() })]

        #[test]
        fn lanes_of_any_lengths(
            longest in 1..=LONGEST,
            letters in 1..=5_u8,
            pairs in prop::collection::vec((prop::collection::vec(0..5_u8, 0..=LONGEST), prop::collection::vec(0..5_u8, 0..=LONGEST)), 1..=40),
        ) {
            // Few letters, NUL among them, and batches whose longest text is on every side of a lane width.
            let cut = |text: &[u8]| text.iter().take(longest).map(|byte| byte % letters).collect::<Vec<_>>();
            let pairs: Vec<_> = pairs.iter().map(|(left, right)| (cut(left), cut(right))).collect();
            assert_lanes(&pairs.iter().map(|(left, right)| (&left[..], &right[..])).collect::<Vec<_>>());
        }

        #[test]
        fn short_texts(left in "[abé漢 \0]{0,80}", right in "[abé漢 \0]{0,80}") {
            assert_distances(&mut Workspace::default(), &left, &right);
        }

        #[test]
        fn long_edited_texts(
            letters in 2..=6_u8,
            base in prop::collection::vec(any::<u8>(), 60..900),
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8, 1..40_usize), 0..120),
        ) {
            let base: Vec<u8> = base.into_iter().map(|byte| byte % letters).collect();
            let mut edited = base.clone();
            for (place, letter, kind, run) in edits {
                let place = place.index(edited.len() + 1);
                match kind {
                    0 => edited.insert(place, letter % letters),
                    1 if place < edited.len() => { edited.remove(place); }
                    // A whole run gone or come.
                    2 if letter < 20 => { edited.drain(place..(place + run).min(edited.len())); }
                    3 if letter < 20 => { edited.splice(place..place, (0..run).map(|i| (i as u8 ^ letter) % letters)); }
                    _ if place < edited.len() => edited[place] = letter % letters,
                    _ => {}
                }
            }
            assert_long(&base, &edited);
        }

        #[test]
        fn paths_along_the_borders_of_the_band(
            letters in 2..=20_u8,
            base in prop::collection::vec(any::<u8>(), 400..1_200),
            runs in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 1..260_usize), 1..4),
            rare in 3..60_usize,
        ) {
            // Long runs gone and come lead the path from one border to the other, with few other errors.
            let base: Vec<u8> = base.into_iter().map(|byte| byte % letters).collect();
            let mut edited = base.clone();
            for (place, is_gone, run) in runs {
                let place = place.index(edited.len() + 1);
                if is_gone {
                    edited.drain(place..(place + run).min(edited.len()));
                } else {
                    edited.splice(place..place, (0..run).map(|i| (i * i % 251) as u8 % letters));
                }
            }
            for place in (0..edited.len()).step_by(rare) {
                edited[place] = letters - 1 - edited[place];
            }
            assert_long(&base, &edited);
        }

        #[test]
        fn edited_texts(base in "[a-f]{50,200}", script in 0..4_usize, edits in prop::collection::vec((0..200_usize, 0..3_u8), 0..20)) {
            let mut edited: Vec<char> = base.chars().collect();
            for (position, kind) in edits {
                let position = position.min(edited.len().saturating_sub(1));
                match kind {
                    0 => edited.insert(position, 'g'),
                    1 if !edited.is_empty() => { edited.remove(position); }
                    _ if !edited.is_empty() => edited[position] = 'h',
                    _ => {}
                }
            }
            // The same pair in ASCII, Latin-1, CJK and beyond the basic plane.
            let shift = [0, 0x100, 0x4e00, 0x1_d100][script];
            let shifted = |text: &mut dyn Iterator<Item = char>| -> String {
                text.map(|c| char::from_u32(u32::from(c) + shift).unwrap()).collect()
            };
            assert_distances(&mut Workspace::default(), &shifted(&mut base.chars()), &shifted(&mut edited.into_iter()));
        }
    }
}
