//! Distances of a [`Batch`](super::Batch), written once for all instruction sets.

/// The kernel over one instruction set. Needs in scope: `Vector`, `WIDTH` (lanes of a byte each), `load`,
/// `load_rows` and `store`, and the operations used below, under names that say lane width but not vector
/// width. `unpack` and `pack` may work in halves of 128 bits: all vectors share the order that follows, and
/// packing undoes it.
macro_rules! kernel {
    ($feature:literal) => {
        /// Distances of all lanes of a batch whose longest text has `longest` characters.
        #[target_feature(enable = $feature)]
        pub fn distances<const BYTES: usize>(batch: &Batch<BYTES>, longest: u8) -> [u8; PAIRS] {
            let mut result = [0; PAIRS];
            let mut first = 0;
            while first < PAIRS {
                let distances = match longest {
                    ..=8 => lanes8(batch, first, longest),
                    ..=16 => lanes16(batch, first, longest),
                    _ => lanes32(batch, first, longest),
                };
                store(&mut result, first, distances);
                first += WIDTH;
            }
            result
        }

        /// One vector for each character position, from one text a row.
        #[inline]
        #[target_feature(enable = $feature)]
        fn transposed(texts: &[Padded; PAIRS], first: usize, from: usize) -> [Vector; 16] {
            let mut rows: [Vector; 16] = load_rows(texts, first, from);
            for _ in 0..4 {
                let mut next = rows;
                for i in 0..8 {
                    next[2 * i] = unpack_low8(rows[i], rows[i + 8]);
                    next[2 * i + 1] = unpack_high8(rows[i], rows[i + 8]);
                }
                rows = next;
            }
            rows
        }

        /// The first 16 characters of one side from a place on, byte by byte.
        #[inline]
        #[target_feature(enable = $feature)]
        fn planes<const BYTES: usize>(
            batch: &Batch<BYTES>,
            side: usize,
            first: usize,
            from: usize,
        ) -> [[Vector; 16]; BYTES] {
            let mut planes = [[zero(); 16]; BYTES];
            for (plane, texts) in planes.iter_mut().zip(&batch.texts) {
                *plane = transposed(&texts[side], first, from);
            }
            planes
        }

        /// For each lane the bits of the eight rows from `first_row` that lie above its last row.
        #[inline]
        #[target_feature(enable = $feature)]
        fn row_bits(last: Vector, first_row: u8) -> Vector {
            let mut bits = zero();
            for i in 0..8 {
                let row = set8((first_row + i).cast_signed());
                bits = or(bits, and(greater8(last, row), set8((1_u8 << i).cast_signed())));
            }
            bits
        }

        /// The last row of each lane: its pattern's length, and the padding up to the last column.
        #[inline]
        #[target_feature(enable = $feature)]
        fn last_rows<const BYTES: usize>(batch: &Batch<BYTES>, first: usize, longest: u8) -> Vector {
            let pattern = load(&batch.lengths[0], first);
            let text = load(&batch.lengths[1], first);
            sub8(add8(pattern, set8(longest.cast_signed())), text)
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn widen16(planes: [Vector; 2]) -> [Vector; 2] {
            [unpack_low8(planes[0], planes[1]), unpack_high8(planes[0], planes[1])]
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn widen32(planes: [Vector; 4]) -> [Vector; 4] {
            let [a, b] = widen16([planes[0], planes[1]]);
            let [c, d] = widen16([planes[2], planes[3]]);
            [unpack_low16(a, c), unpack_high16(a, c), unpack_low16(b, d), unpack_high16(b, d)]
        }

        kernel!(@step step8, add8, set8, $feature);
        kernel!(@step step16, add16, set16, $feature);
        kernel!(@step step32, add32, set32, $feature);

        #[target_feature(enable = $feature)]
        fn lanes8<const BYTES: usize>(batch: &Batch<BYTES>, first: usize, longest: u8) -> Vector {
            let pattern = planes(batch, 0, first, 0);
            let text = planes(batch, 1, first, 0);
            let (mut up, mut down) = (set8(-1), zero());
            for column in 0..usize::from(longest) {
                (up, down) = step8(match_bits(&pattern, 0, &text, column), up, down);
            }
            let rows = row_bits(last_rows(batch, first, longest), 0);
            let (up, down) = (ones8(and(up, rows)), ones8(and(down, rows)));
            sub8(add8(set8(longest.cast_signed()), up), down)
        }

        #[target_feature(enable = $feature)]
        fn lanes16<const BYTES: usize>(batch: &Batch<BYTES>, first: usize, longest: u8) -> Vector {
            let pattern = planes(batch, 0, first, 0);
            let text = planes(batch, 1, first, 0);
            let (mut up, mut down) = ([set8(-1); 2], [zero(); 2]);
            for column in 0..usize::from(longest) {
                let rows = [match_bits(&pattern, 0, &text, column), match_bits(&pattern, 8, &text, column)];
                let eq = widen16(rows);
                for i in 0..2 {
                    (up[i], down[i]) = step16(eq[i], up[i], down[i]);
                }
            }
            let last = last_rows(batch, first, longest);
            let rows = widen16([row_bits(last, 0), row_bits(last, 8)]);
            let ups = fold16([ones8(and(up[0], rows[0])), ones8(and(up[1], rows[1]))]);
            let downs = fold16([ones8(and(down[0], rows[0])), ones8(and(down[1], rows[1]))]);
            sub8(add8(set8(longest.cast_signed()), ups), downs)
        }

        #[target_feature(enable = $feature)]
        fn lanes32<const BYTES: usize>(batch: &Batch<BYTES>, first: usize, longest: u8) -> Vector {
            let pattern = [planes(batch, 0, first, 0), planes(batch, 0, first, 16)];
            let text = [planes(batch, 1, first, 0), planes(batch, 1, first, 16)];
            let (mut up, mut down) = ([set8(-1); 4], [zero(); 4]);
            for column in 0..usize::from(longest) {
                let text = &text[column / 16 % 2];
                let rows = [
                    match_bits(&pattern[0], 0, text, column),
                    match_bits(&pattern[0], 8, text, column),
                    match_bits(&pattern[1], 0, text, column),
                    match_bits(&pattern[1], 8, text, column),
                ];
                let eq = widen32(rows);
                for i in 0..4 {
                    (up[i], down[i]) = step32(eq[i], up[i], down[i]);
                }
            }
            let last = last_rows(batch, first, longest);
            let rows = widen32([row_bits(last, 0), row_bits(last, 8), row_bits(last, 16), row_bits(last, 24)]);
            let mut ones = ([zero(); 4], [zero(); 4]);
            for i in 0..4 {
                ones.0[i] = ones8(and(up[i], rows[i]));
                ones.1[i] = ones8(and(down[i], rows[i]));
            }
            sub8(add8(set8(longest.cast_signed()), fold32(ones.0)), fold32(ones.1))
        }
    };
    (@step $name:ident, $add:ident, $set:ident, $feature:literal) => {
        /// One column: the vertical steps of all rows from the ones of the column before.
        #[inline]
        #[target_feature(enable = $feature)]
        fn $name(eq: Vector, up: Vector, down: Vector) -> (Vector, Vector) {
            let ones = set8(-1);
            let diagonal = or(or(xor($add(and(eq, up), up), up), eq), down);
            let right_up = or(down, and_not(or(diagonal, up), ones));
            let right_down = and(up, diagonal);
            // The first row of the table grows by one a column.
            let right_up = or($add(right_up, right_up), $set(1));
            let right_down = $add(right_down, right_down);
            (or(right_down, and_not(or(diagonal, right_up), ones)), and(right_up, diagonal))
        }
    };
}
