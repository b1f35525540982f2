//! What models wrap around their answers, and the answer without it.
//!
//! Each step takes off one kind of wrapping, or leaves the text alone: where it is not plain that something is
//! wrapping, it is part of the answer. Signs, units and numbers are never touched.

mod json_answer;
mod marker;
mod reading;
mod wrapping;

use std::borrow::Cow;

use crate::kernel::whitespace::strip;

/// A kind of wrapping, in the order in which they are taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Step {
    /// Tags around reasoning, with what is between them.
    Reasoning,
    /// A tag of reasoning that has no end: the text is no answer.
    UnclosedReasoning,
    /// `<answer>` or `\\boxed{}`.
    AnswerTag,
    /// Backticks around the text.
    CodeFence,
    /// JSON around the answer.
    Json,
    /// "The answer is" before it.
    Marker,
    /// Emphasis or a heading.
    Markdown,
    /// Quotes around the text.
    Quotes,
    /// A full stop after it.
    FinalPunctuation,
}

impl Step {
    /// The name that users read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reasoning => "reasoning",
            Self::UnclosedReasoning => "unclosed_reasoning",
            Self::AnswerTag => "answer_tag",
            Self::CodeFence => "code_fence",
            Self::Json => "json",
            Self::Marker => "marker",
            Self::Markdown => "markdown",
            Self::Quotes => "quotes",
            Self::FinalPunctuation => "final_punctuation",
        }
    }
}

/// The steps after reasoning, which may have to be repeated: a fence around JSON around a marker.
const REPEATED: [Step; 7] = [
    Step::AnswerTag,
    Step::CodeFence,
    Step::Json,
    Step::Marker,
    Step::Markdown,
    Step::Quotes,
    Step::FinalPunctuation,
];

/// How often they are repeated at most.
const MOST_ROUNDS: usize = 3;

/// Which wrapping is taken off.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Unwrapper {
    steps: Vec<Step>,
    /// Texts that announce the answer, in addition to the usual ones.
    markers: Vec<String>,
    /// Tags around reasoning: their beginning and their end.
    reasoning_tags: Vec<(String, String)>,
}

/// A text without its wrapping, and the steps that took some off, in the order of their first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unwrapped {
    /// The answer.
    pub text: String,
    /// What was taken off.
    pub steps: Vec<Step>,
}

impl Unwrapper {
    /// Takes the wrapping off a text; one without any stays as it is, byte for byte.
    pub fn unwrap(&self, text: &str) -> Unwrapped {
        let mut steps = Vec::new();
        let mut answer = Cow::Borrowed(text);
        if self.has(Step::Reasoning) {
            let (without, is_unclosed) = self.without_reasoning(text);
            if is_unclosed {
                return Unwrapped { text: text.to_owned(), steps: vec![Step::UnclosedReasoning] };
            }
            if let Some(without) = without {
                answer = Cow::Owned(without);
                steps.push(Step::Reasoning);
            }
        }
        for _ in 0..MOST_ROUNDS {
            if !self.take_off(&mut answer, &mut steps) {
                break;
            }
        }
        Unwrapped { text: answer.into_owned(), steps }
    }

    fn has(&self, step: Step) -> bool {
        self.steps.contains(&step)
    }

    /// Goes through the steps once; tells whether one of them took something off.
    fn take_off(&self, answer: &mut Cow<'_, str>, steps: &mut Vec<Step>) -> bool {
        let mut has_changed = false;
        for step in REPEATED.into_iter().filter(|&step| self.has(step)) {
            let inner = self.inner(step, strip(answer));
            let Some(inner) = inner.map(|inner| strip(&inner).to_owned()) else {
                continue;
            };
            *answer = Cow::Owned(inner);
            has_changed = true;
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        has_changed
    }

    /// What is left of a trimmed text after a step; nothing where it does not apply.
    fn inner<'a>(&self, step: Step, text: &'a str) -> Option<Cow<'a, str>> {
        match step {
            Step::Reasoning | Step::UnclosedReasoning => None,
            Step::AnswerTag => wrapping::tagged(text).map(Cow::Borrowed),
            Step::CodeFence => wrapping::fenced(text).map(Cow::Borrowed),
            Step::Json => json_answer::answer(text),
            Step::Marker => marker::marked(text, &self.markers).map(Cow::Borrowed),
            Step::Markdown => wrapping::emphasized(text).map(Cow::Borrowed),
            Step::Quotes => wrapping::quoted(text).map(Cow::Borrowed),
            Step::FinalPunctuation => wrapping::without_full_stop(text).map(Cow::Borrowed),
        }
    }

    /// The trimmed text without reasoning, as lmms-eval's `strip_reasoning_tags` leaves it, unless it has none; and
    /// whether a tag was opened that has no end.
    fn without_reasoning(&self, text: &str) -> (Option<String>, bool) {
        let tags = || self.reasoning_tags.iter().filter(|(start, end)| !start.is_empty() && !end.is_empty());
        if !tags().any(|(start, end)| [start, end].iter().any(|tag| reading::find(text, tag).is_some())) {
            return (None, false);
        }
        let mut left = text.to_owned();
        for (start, end) in tags() {
            left = without_pairs(&left, start, end);
            // The opening tag may be in the prompt.
            if reading::find(&left, start).is_none()
                && let Some(at) = reading::rfind(&left, end)
            {
                left.replace_range(..at + end.len(), "");
            }
        }
        let is_unclosed = tags().any(|(start, _)| reading::find(&left, start).is_some());
        (Some(strip(&left).to_owned()), is_unclosed)
    }
}

/// A text without the first pair of tags and what is between them, until it has no such pair.
fn without_pairs(text: &str, start: &str, end: &str) -> String {
    // No opening tag is in what is kept, but one may begin there, because the text around a pair is joined.
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let mut seam = kept.len().saturating_sub(2 * start.len());
        while !kept.is_char_boundary(seam) {
            seam -= 1;
        }
        let Some(at) = reading::find_across(&kept[seam..], rest, start) else { break };
        let from = seam + at;
        let before = from.saturating_sub(kept.len());
        kept.push_str(&rest[..before]);
        rest = &rest[before..];
        let Some(length) = reading::find_across(&kept[from..], rest, end) else { break };
        let to = from + length + end.len();
        rest = &rest[to.saturating_sub(kept.len())..];
        kept.replace_range(from..to.min(kept.len()), "");
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unwrapper() -> Unwrapper {
        let tag = |name: &str| (format!("<{name}>"), format!("</{name}>"));
        let reasoning_tags = ["think", "thinking", "analysis", "reasoning"].map(tag).to_vec();
        let steps = [Step::Reasoning].into_iter().chain(REPEATED).collect();
        Unwrapper { steps, markers: Vec::new(), reasoning_tags }
    }

    fn steps(unwrapped: &Unwrapped) -> String {
        unwrapped.steps.iter().map(|step| step.name()).collect::<Vec<_>>().join("+")
    }

    #[test]
    fn wrapping_is_taken_off() {
        for (text, answer, expected) in [
            ("<think>2 + 2</think>4", "4", "reasoning"),
            ("so it is 4</think>\n 4", "4", "reasoning"),
            ("<answer>1</answer> no: <Answer> 2 </ANSWER>", "2", "answer_tag"),
            (r"It is \boxed{\frac{1}{2}}", r"\frac{1}{2}", "answer_tag"),
            ("```json\n{\"answer\": \"4\",\n \"reasoning\": \"…\"}\n```", "4", "code_fence+json"),
            ("```\na\nb\n```", "a\nb", "code_fence"),
            (r#"{"Final Answer": 12345678901234567890.10}"#, "12345678901234567890.10", "json"),
            (r#"["a\u00e9"]"#, "aé", "json"),
            ("The answer is 42.", "42", "marker+final_punctuation"),
            ("I add them. So, the answer is: 42", "42", "marker"),
            ("**Answer:** 42", "42", "marker"),
            ("**Answer: 42**", "42", "marker"),
            ("### Final answer：\n\n 42\nbecause", "42", "marker"),
            ("Answer: 1\nFinal answer: 2", "2", "marker"),
            ("The answer is **42**.", "42", "marker+final_punctuation+markdown"),
            ("„ja“", "ja", "quotes"),
            ("$5.", "$5", "final_punctuation"),
            ("3.5.", "3.5", "final_punctuation"),
            ("答。", "答", "final_punctuation"),
            ("info@example.org.", "info@example.org", "final_punctuation"),
            ("by bank transfer only.", "by bank transfer only", "final_punctuation"),
        ] {
            let unwrapped = unwrapper().unwrap(text);
            assert_eq!((unwrapped.text.as_str(), steps(&unwrapped).as_str()), (answer, expected), "{text:?}");
            assert_eq!(unwrapper().unwrap(answer).text, answer);
        }
    }

    #[test]
    fn answers_without_wrapping_stay() {
        for text in [
            "~42",
            "<42",
            "U.S.",
            "3.5",
            "No. 5",
            "John F.",
            "{a: b}",
            "`a` and `b`",
            "Is the answer yes?",
            " a b ",
            "Acme Inc.",
            "...",
            "it's",
            "\"a\" or \"b\"",
            "{\"answer\": [1]}",
            "[1, 2]",
            "the answer isn't here",
            "",
            "<b>",
            "the answer",
            "{\"answer\": 1, \"result\": 2}",
            "**a** and **b**",
            "```",
            "\"\n\"",
        ] {
            assert_eq!(unwrapper().unwrap(text), Unwrapped { text: text.into(), steps: vec![] }, "{text:?}");
        }
    }

    #[test]
    fn reasoning_without_an_end_is_no_answer() {
        let text = "<think> The answer is 4.";
        let expected = Unwrapped { text: text.into(), steps: vec![Step::UnclosedReasoning] };
        assert_eq!(unwrapper().unwrap(text), expected);
    }

    /// The texts of up to this many parts.
    pub fn texts_of(parts: &[&str], most: usize) -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut begun = 0;
        for _ in 0..most {
            let end = texts.len();
            for text in begun..end {
                texts.extend(parts.iter().map(|part| texts[text].clone() + part).collect::<Vec<_>>());
            }
            begun = end;
        }
        texts
    }

    #[test]
    fn pairs_are_removed_one_after_the_other() {
        for (start, end) in [("<a>", "</a>"), ("aa", "a"), ("a<a<", "a<"), ("é", "é"), ("<é>", "é")] {
            for text in texts_of(&["<a>", "</a>", "<", "a", ">", "é"], 5) {
                let mut expected = text.clone();
                while let Some(from) = expected.find(start) {
                    let Some(length) = expected[from..].find(end) else { break };
                    expected.replace_range(from..from + length + end.len(), "");
                }
                assert_eq!(without_pairs(&text, start, end), expected, "{text:?} {start} {end}");
            }
        }
    }

    #[test]
    fn texts_twice_as_long_are_read_twice_as_much() {
        let nested = |open: &str, inside: &str, close: &str, n| open.repeat(n) + inside + &close.repeat(n);
        let forms: [(&str, &dyn Fn(usize) -> String); 14] = [
            ("boxes", &|n| r"\boxed{".repeat(n)),
            ("boxes in boxes", &|n| nested(r"\boxed{", "4", "}", n)),
            ("closed boxes", &|n| r"\boxed{}{".repeat(n)),
            ("backslashes", &|n| r"\boxed{".to_owned() + &r"\".repeat(n)),
            ("reasoning", &|n| "a".repeat(n) + &"<think></think>".repeat(n)),
            ("reasoning that joins tags", &|n| nested("<thi", "<think></think>", "nk></think>", n)),
            ("all tags", &|n| "<think></think><analysis></analysis><reasoning></reasoning>".repeat(n)),
            ("opened tags", &|n| "<think>".repeat(n)),
            ("closed tags", &|n| "</think>".repeat(n)),
            ("answer tags", &|n| nested("<answer>", "4", "</answer>", n)),
            ("fences", &|n| nested("```json\n", "4", "\n```", n)),
            ("quotes", &|n| "\"".repeat(n)),
            ("markers", &|n| "\nThe answer is".repeat(n)),
            ("signs", &|n| "Answer: **".repeat(n)),
        ];
        for (name, form) in forms {
            let read = |n| reading::tests::read_by(|| drop(unwrapper().unwrap(&form(n))));
            let (once, twice) = (read(500), read(1000));
            // The first of many tags may take less.
            assert!(once > 0 && twice < 2 * once + 100, "{name}: {once}, {twice}");
        }
    }
}
