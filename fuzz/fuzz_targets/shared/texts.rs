//! Pairs of texts, and their distance as the textbook has it.

use arbitrary::Arbitrary;

/// Longer texts only cost time: the widest method changes at 64 and every 64 from there.
const LONGEST: usize = 400;

#[derive(Arbitrary, Clone, Debug)]
pub enum Texts {
    /// Any two texts.
    Free(String, String),
    /// Two texts of few letters, which have more matches than any, in scripts of one to four bytes.
    Letters { script: u8, left: Vec<u8>, right: Vec<u8> },
    /// A text of many letters and its edited copy: positions and what happens there.
    Edited { script: u8, text: Vec<u8>, edits: Vec<(u16, u8)> },
}

const FIRST_LETTERS: [u32; 4] = ['a' as u32, 'à' as u32, '一' as u32, '𝄀' as u32];

fn letter(script: u8, index: u8) -> char {
    char::from_u32(FIRST_LETTERS[usize::from(script % 4)] + u32::from(index)).expect("a code point")
}

fn spell(script: u8, letters: &[u8], alphabet: u8) -> String {
    letters.iter().take(LONGEST).map(|index| letter(script, index % alphabet)).collect()
}

impl Texts {
    pub fn spell(self) -> (String, String) {
        match self {
            Self::Free(left, right) => {
                let cut = |text: String| text.chars().take(LONGEST).collect();
                (cut(left), cut(right))
            }
            Self::Letters { script, left, right } => (spell(script, &left, 3), spell(script, &right, 3)),
            Self::Edited { script, text, edits } => {
                let left = spell(script, &text, 26);
                let mut right: Vec<char> = left.chars().collect();
                for (position, edit) in edits.into_iter().take(LONGEST) {
                    let position = usize::from(position) % (right.len() + 1);
                    match edit % 3 {
                        0 => right.insert(position, letter(script, edit / 3 % 30)),
                        1 if position < right.len() => drop(right.remove(position)),
                        _ if position < right.len() => right[position] = letter(script, edit / 3 % 30),
                        _ => {}
                    }
                }
                (left, right.into_iter().collect())
            }
        }
    }
}

/// Wagner and Fischer's table, with a substitution cost.
pub fn table(left: &[char], right: &[char], substitution_cost: usize) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, r) in right.iter().enumerate() {
            let substituted = diagonal + if l == r { 0 } else { substitution_cost };
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}
