//! Contractions without their apostrophe, from the evaluation code of VQA (`vqaEval.py`), whose notice this is:
//!
//! Copyright (c) 2014, Aishwarya Agrawal
//! All rights reserved.
//!
//! Redistribution and use in source and binary forms, with or without
//! modification, are permitted provided that the following conditions are met:
//!
//! 1. Redistributions of source code must retain the above copyright notice, this
//!    list of conditions and the following disclaimer.
//! 2. Redistributions in binary form must reproduce the above copyright notice,
//!    this list of conditions and the following disclaimer in the documentation
//!    and/or other materials provided with the distribution.
//!
//! THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
//! AND
//! ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
//! WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
//! DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE
//! FOR
//! ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
//! (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
//! LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND
//! ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
//! (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
//! SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
//!
//! The views and conclusions contained in the software and documentation are
//! those
//! of the authors and should not be interpreted as representing official
//! policies,
//! either expressed or implied, of the FreeBSD Project.

/// The word with its apostrophes. Words of the original that have capitals are left out: no word in lower case is one.
pub fn contraction(word: &str) -> Option<&'static str> {
    let index = CONTRACTIONS.binary_search_by_key(&word, |&(without, _)| without).ok()?;
    Some(CONTRACTIONS[index].1)
}

/// In the order of their bytes.
#[rustfmt::skip]
const CONTRACTIONS: &[(&str, &str)] = &[
    ("'ow'sat", "'ow's'at"), ("'ows'at", "'ow's'at"), ("aint", "ain't"), ("arent", "aren't"),
    ("cant", "can't"), ("couldn'tve", "couldn't've"), ("couldnt", "couldn't"),
    ("couldnt've", "couldn't've"), ("couldve", "could've"), ("didnt", "didn't"), ("doesnt", "doesn't"),
    ("dont", "don't"), ("hadn'tve", "hadn't've"), ("hadnt", "hadn't"), ("hadnt've", "hadn't've"),
    ("hasnt", "hasn't"), ("havent", "haven't"), ("he'dve", "he'd've"), ("hed", "he'd"),
    ("hed've", "he'd've"), ("hes", "he's"), ("howd", "how'd"), ("howll", "how'll"), ("hows", "how's"),
    ("isnt", "isn't"), ("it'dve", "it'd've"), ("itd", "it'd"), ("itd've", "it'd've"), ("itll", "it'll"),
    ("maam", "ma'am"), ("mightn'tve", "mightn't've"), ("mightnt", "mightn't"),
    ("mightnt've", "mightn't've"), ("mightve", "might've"), ("mustnt", "mustn't"), ("mustve", "must've"),
    ("neednt", "needn't"), ("notve", "not've"), ("oclock", "o'clock"), ("oughtnt", "oughtn't"),
    ("ow's'at", "'ow's'at"), ("shant", "shan't"), ("she'dve", "she'd've"), ("shed've", "she'd've"),
    ("shouldn'tve", "shouldn't've"), ("shouldnt", "shouldn't"), ("shouldnt've", "shouldn't've"),
    ("shouldve", "should've"), ("somebody'd", "somebodyd"), ("somebody'dve", "somebody'd've"),
    ("somebodyd've", "somebody'd've"), ("somebodyll", "somebody'll"), ("somebodys", "somebody's"),
    ("someone'dve", "someone'd've"), ("someoned", "someone'd"), ("someoned've", "someone'd've"),
    ("someonell", "someone'll"), ("someones", "someone's"), ("something'dve", "something'd've"),
    ("somethingd", "something'd"), ("somethingd've", "something'd've"), ("somethingll", "something'll"),
    ("thats", "that's"), ("there'dve", "there'd've"), ("thered", "there'd"), ("thered've", "there'd've"),
    ("therere", "there're"), ("theres", "there's"), ("they'dve", "they'd've"), ("theyd", "they'd"),
    ("theyd've", "they'd've"), ("theyll", "they'll"), ("theyre", "they're"), ("theyve", "they've"),
    ("twas", "'twas"), ("wasnt", "wasn't"), ("we'dve", "we'd've"), ("wed've", "we'd've"),
    ("werent", "weren't"), ("weve", "we've"), ("whatll", "what'll"), ("whatre", "what're"),
    ("whats", "what's"), ("whatve", "what've"), ("whens", "when's"), ("whered", "where'd"),
    ("wheres", "where's"), ("whereve", "where've"), ("who'dve", "who'd've"), ("whod", "who'd"),
    ("whod've", "who'd've"), ("wholl", "who'll"), ("whos", "who's"), ("whove", "who've"),
    ("whyll", "why'll"), ("whyre", "why're"), ("whys", "why's"), ("wont", "won't"),
    ("wouldn'tve", "wouldn't've"), ("wouldnt", "wouldn't"), ("wouldnt've", "wouldn't've"),
    ("wouldve", "would've"), ("y'all'dve", "y'all'd've"), ("y'alld've", "y'all'd've"),
    ("y'allll", "y'all'll"), ("yall", "y'all"), ("yall'd've", "y'all'd've"), ("yall'll", "y'all'll"),
    ("you'dve", "you'd've"), ("youd", "you'd"), ("youd've", "you'd've"), ("youll", "you'll"),
    ("youre", "you're"), ("youve", "you've"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(CONTRACTIONS.is_sorted_by_key(|&(without, _)| without));
        assert_eq!(contraction("dont"), Some("don't"));
        assert_eq!(contraction("im"), None);
    }
}
