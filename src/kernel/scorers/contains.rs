//! Containment, as `OCRBench` is scored: an answer stands somewhere in the prediction.

use crate::kernel::case::push_lowercase;
use crate::kernel::prepare::lowercase;
use crate::kernel::whitespace::strip;

/// What is ignored when texts are searched.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Containment {
    /// Whether upper and lower case are equal.
    pub ignore_case: bool,
    /// Whether U+0020 is left out.
    pub remove_spaces: bool,
    /// Whether full-width letters, digits and punctuation count as those of ASCII.
    pub fold_width: bool,
}

/// Working memory: the prepared texts, and one with letters beyond ASCII.
#[derive(Default)]
pub struct Buffers {
    prediction: Vec<u8>,
    answer: Vec<u8>,
    letters: String,
}

impl Containment {
    /// Whether one of the answers stands in a prediction; an empty one stands in each.
    pub fn accepts<'a>(
        self,
        prediction: &str,
        mut answers: impl Iterator<Item = &'a str>,
        buffers: &mut Buffers,
    ) -> bool {
        let Buffers { prediction: prepared, answer: buffer, letters } = buffers;
        self.prepare(prediction, letters, prepared);
        answers.any(|answer| {
            self.prepare(answer, letters, buffer);
            contains(prepared, buffer)
        })
    }

    fn prepare(self, text: &str, letters: &mut String, buffer: &mut Vec<u8>) {
        let mut text = strip(text);
        if (self.ignore_case || self.fold_width) && !text.is_ascii() {
            self.change_letters(text, letters);
            text = letters;
        }
        buffer.clear();
        buffer.extend_from_slice(text.as_bytes());
        self.change_ascii(buffer);
        if self.remove_spaces {
            remove_spaces(buffer);
        }
    }

    /// Folds and lowers what is beyond ASCII.
    fn change_letters(self, text: &str, changed: &mut String) {
        changed.clear();
        let letters = text.chars().map(|letter| if self.fold_width { folded(letter) } else { letter });
        if !self.ignore_case {
            changed.extend(letters);
        } else if text.contains('Σ') {
            // How a sigma is lowered depends on the text around it.
            changed.push_str(&lowercase(&letters.collect::<String>()));
        } else {
            for letter in letters {
                // The others are lowered at once.
                if letter.is_ascii() { changed.push(letter) } else { push_lowercase(changed, letter) }
            }
        }
    }

    /// Lowers ASCII, and makes a space of each end of a line.
    fn change_ascii(self, text: &mut [u8]) {
        let distance = if self.ignore_case { b'a' - b'A' } else { 0 };
        let length = text.len();
        if let Some(last) = text.last_chunk_mut() {
            // Overlaps the block before it, in which nothing is left to change.
            change_block(last, distance);
            text.as_chunks_mut().0.iter_mut().for_each(|block| change_block(block, distance));
        } else {
            let mut block = [0; BLOCK];
            block[..length].copy_from_slice(text);
            change_block(&mut block, distance);
            text.copy_from_slice(&block[..length]);
        }
    }
}

/// Adds the distance to capitals, and makes spaces of ends of lines; without a branch, so with vectors.
fn change_block(block: &mut [u8; BLOCK], distance: u8) {
    for byte in block {
        let added = if byte.is_ascii_uppercase() { distance } else { 0 };
        let replaced = if *byte == b'\n' { b'\n' ^ b' ' } else { 0 };
        *byte = (*byte + added) ^ replaced;
    }
}

/// Bytes that are changed or compared at once: so many are in a vector of every machine.
const BLOCK: usize = 16;

fn remove_spaces(text: &mut Vec<u8>) {
    let bytes = text.as_mut_slice();
    let mut kept = 0;
    for index in 0..bytes.len() {
        let byte = bytes[index];
        bytes[kept] = byte;
        kept += usize::from(byte != b' ');
    }
    text.truncate(kept);
}

/// Whether one text stands in the other.
#[expect(clippy::needless_bitwise_bool, reason = "computed for every byte, without a branch")]
fn contains(text: &[u8], part: &[u8]) -> bool {
    let (Some(&first), Some(&last)) = (part.first(), part.last()) else { return true };
    let Some(more) = text.len().checked_sub(part.len()) else { return false };
    let (starts, ends) = (&text[..=more], &text[part.len() - 1..]);
    let fits = |at: usize| (starts[at] == first) & (ends[at] == last);
    let stands_at = |at: usize| fits(at) && text[at..at + part.len()] == *part;
    let (blocks, _) = starts.as_chunks::<BLOCK>();
    for (block, (starts, ends)) in blocks.iter().zip(ends.as_chunks::<BLOCK>().0).enumerate() {
        // Few places have the first and the last byte where they should be.
        let bytes = starts.iter().zip(ends);
        let fits = bytes.fold(0, |fits, (&start, &end)| fits | u8::from((start == first) & (end == last)));
        if fits != 0 && (block * BLOCK..(block + 1) * BLOCK).any(stands_at) {
            return true;
        }
    }
    (blocks.len() * BLOCK..starts.len()).any(stands_at)
}

fn folded(character: char) -> char {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
        '\u{3000}' => ' ',
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCRBENCH: Containment = Containment { ignore_case: true, remove_spaces: false, fold_width: false };

    fn accepts(rule: Containment, prediction: &str, answer: &str) -> bool {
        rule.accepts(prediction, [answer].into_iter(), &mut Buffers::default())
    }

    #[test]
    fn answers_are_found_as_the_options_say() {
        assert!(accepts(OCRBENCH, "The Answer:\n42 ", " answer: 42"));
        assert!(!accepts(OCRBENCH, "４２", "42"));
        assert!(accepts(Containment { fold_width: true, ..OCRBENCH }, "４２", "42"));
        let formulas = Containment { ignore_case: false, remove_spaces: true, fold_width: false };
        assert!(accepts(formulas, "x ^ 2\n+ y", "x^2 + y"));
        assert!(!accepts(formulas, "X^2", "x^2"));
        assert!(accepts(OCRBENCH, "", ""));
    }

    #[test]
    fn parts_are_found_wherever_they_stand() {
        let text: Vec<u8> = (0..70_u32).map(|index| b"abc"[(index * index % 7 % 3) as usize]).collect();
        for length in 0..=text.len() {
            let text = &text[..length];
            for part in (0..=length).flat_map(|start| (start..=length).map(move |end| &text[start..end])) {
                assert!(contains(text, part));
                // As the standard library finds it.
                for byte in [b'a', b'b', b'd'] {
                    let other = [&part[..part.len() / 2], &[byte], &part[part.len() / 2..]].concat();
                    let [text, other] = [text, &other].map(|text| str::from_utf8(text).unwrap());
                    assert_eq!(contains(text.as_bytes(), other.as_bytes()), text.contains(other));
                }
            }
        }
    }

    #[test]
    fn texts_of_every_length_are_lowered() {
        let texts = "@AZ[`az{\n\t\u{7f}Kk0 ".repeat(4);
        for (start, end) in (0..=texts.len()).flat_map(|end| (0..=end).map(move |start| (start, end))) {
            let text = &texts[start..end];
            let mut changed = text.as_bytes().to_vec();
            OCRBENCH.change_ascii(&mut changed);
            assert_eq!(changed, text.to_ascii_lowercase().replace('\n', " ").into_bytes());
        }
    }
}
