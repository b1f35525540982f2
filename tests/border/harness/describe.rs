//! Columns as plain values: what a test writes down, alters and hands over.

/// A departure from what Polars would send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It was released before it is passed.
    Released,
    /// The pointer to the buffers is null.
    NoBuffers,
    /// The pointer to the children is null, while their number stays.
    NoChildren,
    /// The pointer to the first child is null.
    NoChild,
    /// The pointer to the first child is not aligned.
    MisalignedChild,
    /// The pointer to the dictionary is not aligned.
    MisalignedDictionary,
    /// This number of buffers.
    BufferCount(i64),
    /// This number of children.
    ChildCount(i64),
    /// The pointer to the schema of a column is null.
    NoSchema,
    /// The pointer to the chunks of a column is null, while their number stays.
    NoChunks,
    /// The pointer to this chunk is null.
    NoChunk(usize),
}

/// An `ArrowSchema`.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    pub format: Option<Vec<u8>>,
    pub name: Option<Vec<u8>>,
    pub metadata: Option<Vec<u8>>,
    pub children: Vec<Schema>,
    pub dictionary: Option<Box<Schema>>,
    pub faults: Vec<Fault>,
}

/// A buffer of an array.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    pub bytes: Vec<u8>,
    /// Distance of its address from one that is aligned to 16 bytes.
    pub skew: usize,
}

/// An `ArrowArray`.
#[derive(Clone, Debug, Default)]
pub struct Array {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub buffers: Vec<Option<Bytes>>,
    pub children: Vec<Array>,
    pub dictionary: Option<Box<Array>>,
    pub faults: Vec<Fault>,
}

/// A column in Polars' plugin interface.
#[derive(Clone, Debug)]
pub struct Column {
    pub schema: Schema,
    pub chunks: Vec<Array>,
    pub faults: Vec<Fault>,
}

impl Schema {
    pub fn new(name: &str, format: &str) -> Self {
        Self { format: Some(format.into()), name: Some(name.into()), ..Self::default() }
    }

    pub fn text(name: &str) -> Self {
        Self::new(name, "vu")
    }

    pub fn list(name: &str, entries: Self) -> Self {
        Self { children: vec![entries], ..Self::new(name, "+L") }
    }

    pub fn fixed(name: &str, width: usize, entries: Self) -> Self {
        Self { children: vec![entries], ..Self::new(name, &format!("+w:{width}")) }
    }

    pub fn categories(name: &str, key: &str) -> Self {
        Self { dictionary: Some(Box::new(Self::text(""))), ..Self::new(name, key) }
    }

    pub fn with(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, skew: 0 }
    }
}

impl Bytes {
    pub fn longs(values: &[i64]) -> Self {
        values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<_>>().into()
    }
}

impl Array {
    /// Rows of the Null dtype, with the one null pointer that Polars gives them as a buffer.
    pub fn null(length: i64) -> Self {
        Self { length, null_count: length, buffers: vec![None], ..Self::default() }
    }

    /// Rows of 64-bit numbers.
    pub fn numbers(values: &[i64]) -> Self {
        let buffers = vec![None, Some(Bytes::longs(values))];
        Self { length: length(values), buffers, ..Self::default() }
    }

    /// Views over text buffers, as they stand.
    pub fn views(views: &[u128], texts: &[&[u8]]) -> Self {
        let views_bytes = views.iter().flat_map(|view| view.to_ne_bytes()).collect::<Vec<_>>();
        let lengths: Vec<i64> = texts.iter().map(|text| length(text)).collect();
        let texts = texts.iter().map(|text| Some(text.to_vec().into()));
        Self {
            length: length(views),
            buffers: [None, Some(views_bytes.into())]
                .into_iter()
                .chain(texts)
                .chain([Some(Bytes::longs(&lengths))])
                .collect(),
            ..Self::default()
        }
    }

    /// One text a row, the long ones in one buffer.
    pub fn texts<T: AsRef<[u8]>>(rows: &[T]) -> Self {
        let mut buffer = Vec::new();
        let views: Vec<u128> = rows
            .iter()
            .map(|row| {
                let row = row.as_ref();
                if row.len() <= 12 {
                    return inline_view(row);
                }
                buffer.extend_from_slice(row);
                long_view(row.len(), 0, buffer.len() - row.len())
            })
            .collect();
        if buffer.is_empty() { Self::views(&views, &[]) } else { Self::views(&views, &[&buffer]) }
    }

    /// A list a row; `offsets` holds one number more than there are rows.
    pub fn list(offsets: &[i64], entries: Self) -> Self {
        Self {
            length: length(offsets) - 1,
            buffers: vec![None, Some(Bytes::longs(offsets))],
            children: vec![entries],
            ..Self::default()
        }
    }

    /// A list of fixed width a row.
    pub fn fixed(rows: i64, entries: Self) -> Self {
        Self { length: rows, buffers: vec![None], children: vec![entries], ..Self::default() }
    }

    /// Keys, so many bytes wide, into a dictionary.
    pub fn dictionary(width: usize, keys: &[u32], values: Self) -> Self {
        let bytes = keys.iter().flat_map(|key| key.to_le_bytes()[..width].to_vec());
        Self {
            length: length(keys),
            buffers: vec![None, Some(bytes.collect::<Vec<_>>().into())],
            dictionary: Some(Box::new(values)),
            ..Self::default()
        }
    }

    /// The same array with these rows null; their bytes stay.
    pub fn with_nulls(mut self, rows: &[usize]) -> Self {
        let length = usize::try_from(self.length).expect("not altered yet");
        let mut bits = vec![0xff_u8; length.div_ceil(8)];
        for row in rows {
            bits[row / 8] &= !(1 << (row % 8));
        }
        self.buffers[0] = Some(bits.into());
        self.null_count = self::length(rows);
        self
    }

    /// Rows `offset` to `offset + length`, without touching a buffer.
    pub fn slice(mut self, offset: i64, length: i64) -> Self {
        (self.offset, self.length) = (offset, length);
        if let Some(validity) = &self.buffers[0] {
            let is_null = |row: &i64| {
                let row = usize::try_from(*row).expect("not negative");
                validity.bytes[row / 8] >> (row % 8) & 1 == 0
            };
            let nulls = (offset..offset + length).filter(is_null).count();
            self.null_count = i64::try_from(nulls).expect("small");
        }
        self
    }

    pub fn with(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }
}

impl Column {
    pub fn new(schema: Schema, chunks: impl IntoIterator<Item = Array>) -> Self {
        Self { schema, chunks: chunks.into_iter().collect(), faults: Vec::new() }
    }

    pub fn text(name: &str, chunks: impl IntoIterator<Item = Array>) -> Self {
        Self::new(Schema::text(name), chunks)
    }

    pub fn list(name: &str, chunks: impl IntoIterator<Item = Array>) -> Self {
        Self::new(Schema::list(name, Schema::text("item")), chunks)
    }

    pub fn with(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }
}

/// The view of a text of at most 12 bytes.
pub fn inline_view(text: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&u32::try_from(text.len()).expect("short").to_le_bytes());
    bytes[4..4 + text.len()].copy_from_slice(text);
    u128::from_le_bytes(bytes)
}

/// The view of a longer text. Its first bytes, which the view repeats, are left zero: nothing may rely on
/// them.
pub fn long_view(length: usize, buffer: u32, offset: usize) -> u128 {
    let number = |number: usize| u128::from(u32::try_from(number).expect("small"));
    number(length) | u128::from(buffer) << 64 | number(offset) << 96
}

fn length<T>(values: &[T]) -> i64 {
    i64::try_from(values.len()).expect("small")
}
