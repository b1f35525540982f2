//! Where JSON values end, and whether they are valid.
//!
//! One pass, which builds no values. It accepts what Python's parser accepts. Invalid text is a [`Doubt`] without a
//! reason: the Python package reads it again to say what is wrong.

use std::borrow::Cow;

/// Something that is invalid.
#[derive(Debug, PartialEq, Eq)]
pub struct Doubt;

type Result<T, E = Doubt> = std::result::Result<T, E>;

/// Maximum nesting, as in Python's parser.
const MOST_LEVELS: usize = 100;

/// Keys of one object that are compared in pairs; more are sorted.
const FEW: usize = 12;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The row does not have the key.
    Missing,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number, or one of the words `NaN`, `Infinity` and `-Infinity`.
    Number,
    /// A string.
    Text,
    /// A list of nothing but strings, perhaps of none.
    Texts,
    /// Any other list.
    List,
    /// An object.
    Object,
}

impl Kind {
    /// A bit of its own in a set of kinds.
    pub fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A string without its quotes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    start: usize,
    end: usize,
    escaped: bool,
}

/// Reads values of a text from a position on. No value spans several lines.
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
    levels: usize,
    /// Keys of the objects around the position.
    keys: Vec<Span>,
}

impl<'a> Scanner<'a> {
    /// A scanner at this byte.
    pub fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, levels: 0, keys: Vec::new() }
    }

    /// The current byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte; 0, which no JSON contains, at the end.
    #[inline]
    pub fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Goes on if this is the next byte.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips whitespace except ends of lines.
    #[inline]
    pub fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    /// The text of a value between two positions.
    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// Reads a value of any kind.
    pub fn value(&mut self) -> Result<Kind> {
        match self.peek() {
            b'"' => self.string().map(|_| Kind::Text),
            b'{' => self.object(),
            b'[' => {
                let mut kind = Kind::Texts;
                self.entries(|scanner| {
                    if scanner.value()? != Kind::Text {
                        kind = Kind::List;
                    }
                    Ok(())
                })?;
                Ok(kind)
            }
            b'n' => self.word("null", Kind::Null),
            b't' => self.word("true", Kind::Bool),
            b'f' => self.word("false", Kind::Bool),
            b'N' => self.word("NaN", Kind::Number),
            b'I' => self.word("Infinity", Kind::Number),
            _ => self.number(),
        }
    }

    fn object(&mut self) -> Result<Kind> {
        let outer = self.keys.len();
        self.members(|scanner, key| {
            scanner.keys.push(key);
            scanner.value().map(drop)
        })?;
        let distinct = self.are_distinct(&self.keys[outer..]);
        self.keys.truncate(outer);
        if distinct { Ok(Kind::Object) } else { Err(Doubt) }
    }

    /// Reads an object; `member` gets each key, and must read the value. Equal keys are its business.
    pub fn members<E: From<Doubt>>(
        &mut self,
        mut member: impl FnMut(&mut Self, Span) -> Result<(), E>,
    ) -> Result<(), E> {
        self.nested(b'{', b'}', |scanner| {
            let key = scanner.string()?;
            scanner.skip_blanks();
            if !scanner.take(b':') {
                return Err(Doubt.into());
            }
            scanner.skip_blanks();
            member(scanner, key)
        })
    }

    /// Reads a list; `entry` must read each entry.
    pub fn entries<E: From<Doubt>>(
        &mut self,
        entry: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.nested(b'[', b']', entry)
    }

    fn nested<E: From<Doubt>>(
        &mut self,
        open: u8,
        close: u8,
        mut entry: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.levels += 1;
        if !self.take(open) || self.levels > MOST_LEVELS {
            return Err(Doubt.into());
        }
        self.skip_blanks();
        if !self.take(close) {
            loop {
                entry(self)?;
                self.skip_blanks();
                if self.take(close) {
                    break;
                }
                if !self.take(b',') {
                    return Err(Doubt.into());
                }
                self.skip_blanks();
            }
        }
        self.levels -= 1;
        Ok(())
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<Kind> {
        let is_next = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        if is_next { Ok(kind) } else { Err(Doubt) }
    }

    fn number(&mut self) -> Result<Kind> {
        if self.take(b'-') && self.peek() == b'I' {
            return self.word("Infinity", Kind::Number);
        }
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'-') || self.take(b'+');
            self.digits()?;
        }
        Ok(Kind::Number)
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Doubt) }
    }

    /// Reads a string.
    pub fn string(&mut self) -> Result<Span> {
        if !self.take(b'"') {
            return Err(Doubt);
        }
        let mut span = Span { start: self.at, ..Span::default() };
        loop {
            self.at += plain(&self.text.as_bytes()[self.at..]);
            match self.peek() {
                b'"' => break,
                b'\\' => {
                    span.escaped = true;
                    self.at += 1;
                    escape(self.text.as_bytes(), &mut self.at)?;
                }
                _ => return Err(Doubt), // a control character, or the end
            }
        }
        span.end = self.at;
        self.at += 1;
        Ok(span)
    }

    /// The string at the current byte.
    #[inline]
    pub fn decoded(&self, span: Span) -> Cow<'a, str> {
        let written = &self.text[span.start..span.end];
        if span.escaped { Cow::Owned(unescaped(written)) } else { Cow::Borrowed(written) }
    }

    fn are_distinct(&self, keys: &[Span]) -> bool {
        if keys.len() <= FEW && keys.iter().all(|key| !key.escaped) {
            let written = |key: &Span| &self.text.as_bytes()[key.start..key.end];
            return keys
                .iter()
                .enumerate()
                .all(|(index, key)| keys[..index].iter().all(|other| written(other) != written(key)));
        }
        let mut keys: Vec<_> = keys.iter().map(|&key| self.decoded(key)).collect();
        keys.sort_unstable();
        keys.is_sorted_by(|one, next| one < next)
    }
}

/// The bytes before the first quote, backslash or control character; a few at once.
#[inline]
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    // The high bit of each byte below a limit, and perhaps of bytes after the first of them.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES << 7);
    let mut words = bytes.chunks_exact(8);
    for (index, word) in words.by_ref().enumerate() {
        let word = u64::from_le_bytes(word.try_into().expect("a chunk of eight"));
        let marks = below(word, 0x20)
            | below(word ^ (ONES * u64::from(b'"')), 1)
            | below(word ^ (ONES * u64::from(b'\\')), 1);
        if marks != 0 {
            return 8 * index + (marks.trailing_zeros() / 8) as usize;
        }
    }
    let is_special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    let rest = words.remainder();
    bytes.len() - rest.len() + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// The character of an escape; the position is after its backslash, and then after its end. Half of a
/// surrogate pair is none.
fn escape(bytes: &[u8], at: &mut usize) -> Result<char> {
    let letter = bytes.get(*at).ok_or(Doubt)?;
    *at += 1;
    Ok(match letter {
        b'"' | b'\\' | b'/' => char::from(*letter),
        b'b' => '\x08',
        b'f' => '\x0c',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let unit = hex(bytes, at)?;
            let code = if (0xd800..0xdc00).contains(&unit) && bytes[*at..].starts_with(b"\\u") {
                *at += 2;
                let low = hex(bytes, at)?.checked_sub(0xdc00).filter(|low| *low < 0x400).ok_or(Doubt)?;
                0x10000 + ((unit - 0xd800) << 10) + low
            } else {
                unit
            };
            char::from_u32(code).ok_or(Doubt)?
        }
        _ => return Err(Doubt),
    })
}

fn hex(bytes: &[u8], at: &mut usize) -> Result<u32> {
    let digits = bytes.get(*at..*at + 4).ok_or(Doubt)?;
    *at += 4;
    let digit = |number: u32, byte: &u8| Some(16 * number + char::from(*byte).to_digit(16)?);
    digits.iter().try_fold(0, digit).ok_or(Doubt)
}

/// A string of valid JSON without its escapes.
fn unescaped(written: &str) -> String {
    let mut found = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(backslash) = rest.find('\\') {
        found.push_str(&rest[..backslash]);
        let mut at = backslash + 1;
        found.extend(escape(rest.as_bytes(), &mut at));
        rest = &rest[at..];
    }
    found + rest
}
