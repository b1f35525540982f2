//! Edits of a row, from the texts in which the package hands them over.

use crate::kernel::whitespace::strip;

/// Separates the fields of an edit; the package takes it out of the fields themselves.
const SEPARATOR: char = '\u{1f}';
/// How files write that there is no correction.
const NONE: &str = "-NONE-";

/// One edit of an annotator: `source[start..end]` becomes one of the corrections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit<'a> {
    /// First token.
    pub start: i64,
    /// One after the last token.
    pub end: i64,
    /// Who made the edit.
    pub annotator: i64,
    /// Its type.
    pub kind: &'a str,
    /// The accepted replacements, stripped; empty to delete.
    pub corrections: Vec<&'a str>,
}

impl<'a> Edit<'a> {
    /// Reads `start, end, annotator, type, corrections...`, separated by U+001F; a number that is null is
    /// an empty field. The error names the field, or the span that none can have.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        let mut fields = text.split(SEPARATOR);
        let mut number = |name: &str| {
            let field = fields.next().unwrap_or_default();
            if field.is_empty() {
                return Err(format!("an edit whose `{name}` is null"));
            }
            let number: Result<i32, _> = field.parse();
            let unfit = || format!("an edit whose `{name}` is {field:?}, which is not a 32-bit integer");
            number.map(i64::from).map_err(|_| unfit())
        };
        let (start, end, annotator) = (number("start")?, number("end")?, number("annotator")?);
        let kind = fields.next().unwrap_or_default();
        let corrections =
            fields.map(strip).map(|correction| if correction == NONE { "" } else { correction }).collect();
        let edit = Self { start, end, annotator, kind, corrections };
        if !edit.is_noop() && (start < 0 || end < start) {
            return Err(format!(
                "an edit from {start} to {end}: a span must start at 0 or later and not end before it starts"
            ));
        }
        Ok(edit)
    }

    /// Whether it says that its annotator has nothing to correct.
    pub fn is_noop(&self) -> bool {
        self.kind == "noop" || (self.start == -1 && self.end == -1)
    }

    /// The span; `None` if it goes past the end of a source of `tokens` tokens.
    pub fn span(&self, tokens: usize) -> Option<(usize, usize)> {
        let span = (usize::try_from(self.start).ok()?, usize::try_from(self.end).ok()?);
        (span.1 <= tokens).then_some(span)
    }
}

/// The edits of one annotator in one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotator<'a> {
    /// Who.
    pub id: i64,
    /// The edits in the order of the file, without noop.
    pub edits: Vec<Edit<'a>>,
}

/// Groups edits by annotator, ascending. Annotators without an edit are kept where `ids` names them; a row
/// without any has one annotator, 0, who changes nothing.
pub fn by_annotator(edits: Vec<Edit>, ids: impl Iterator<Item = i64>) -> Vec<Annotator> {
    let mut all: Vec<i64> = ids.chain(edits.iter().map(|edit| edit.annotator)).collect();
    if all.is_empty() {
        all.push(0);
    }
    all.sort_unstable();
    all.dedup();
    let mut annotators: Vec<_> = all.into_iter().map(|id| Annotator { id, edits: Vec::new() }).collect();
    for edit in edits.into_iter().filter(|edit| !edit.is_noop()) {
        let place = annotators.binary_search_by_key(&edit.annotator, |annotator| annotator.id);
        annotators[place.expect("every edit's annotator is listed")].edits.push(edit);
    }
    annotators
}
