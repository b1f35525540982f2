//! Columns of a strip of 256 rows, for [`band`](crate::kernel::band): four words of the recurrence side by
//! side, each a column behind the word above it, so that the carry between them comes from the step before.

use crate::kernel::pattern::Unit;

/// Words side by side.
pub const WORDS: usize = 4;

/// A bit for each row of a strip.
pub type Words = [u64; WORDS];

/// The columns of a strip, from the match bits of each unit and the vertical steps of the column before the
/// first one. `steps` holds the horizontal step (+1, 0 or -1) of the row above at each column, and gets that
/// of the lowest row.
pub fn columns<U: Unit>(text: &[U], bits: &[Words], first: Words, steps: &mut [i8]) {
    let (mut up, mut down) = (first, [0; WORDS]);
    let (mut carry_up, mut carry_down): (Words, Words) = ([0; WORDS], [0; WORDS]);
    // Match bits of the last columns, still to be used by the words behind.
    let mut waiting = [[0; WORDS]; WORDS - 1];
    let lag = WORDS - 1;
    for time in 0..text.len() + lag {
        let entering = text.get(time).map_or([0; WORDS], |unit| bits[unit.code() as usize]);
        let eq = [entering[0], waiting[0][1], waiting[1][2], waiting[2][3]];
        waiting = [entering, waiting[0], waiting[1]];
        let above = steps.get(time).copied().unwrap_or(0);
        let in_up = [u64::from(above > 0), carry_up[0], carry_up[1], carry_up[2]];
        let in_down = [u64::from(above < 0), carry_down[0], carry_down[1], carry_down[2]];
        for l in 0..WORDS {
            let eq_in = eq[l] | in_down[l];
            let diagonal = (((eq_in & up[l]).wrapping_add(up[l])) ^ up[l]) | eq_in | down[l];
            let right_up = down[l] | !(diagonal | up[l]);
            let right_down = up[l] & diagonal;
            carry_up[l] = right_up >> 63;
            carry_down[l] = right_down >> 63;
            let right_up = (right_up << 1) | in_up[l];
            let right_down = (right_down << 1) | in_down[l];
            up[l] = right_down | !(diagonal | right_up);
            down[l] = right_up & diagonal;
        }
        if time < lag {
            // Words that have not come to their first column yet.
            for l in time + 1..WORDS {
                (up[l], down[l]) = (first[l], 0);
            }
        } else {
            steps[time - lag] = carry_up[lag] as i8 - carry_down[lag] as i8;
        }
    }
}

/// The same with one vector for all words. Needs in scope the operations of three operands, which one instruction
/// set has and another one puts together.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($feature:literal) => {
        use std::arch::x86_64::{
            __m256i as Vector, _mm_cvtsi64_si128, _mm256_add_epi64 as add, _mm256_blend_epi32,
            _mm256_castsi128_si256, _mm256_castsi256_pd, _mm256_movemask_pd, _mm256_or_si256 as or,
            _mm256_permute4x64_epi64, _mm256_set_epi64x, _mm256_setzero_si256 as zero, _mm256_slli_epi64,
            _mm256_srli_epi64,
        };

        use super::{Unit, WORDS, Words};

        /// Columns between the first word and the last one, two from word to word: then the carry of the word above
        /// is that of the step before the last, and nothing waits for its way from word to word.
        const LAG: usize = 2 * (WORDS - 1);

        /// What goes from column to column.
        struct Column {
            up: Vector,
            down: Vector,
            flat: Vector,
            right_down: Vector,
            /// What the words hand down: the highest bits of the two above, a step earlier.
            carry_flat: Vector,
            carry_down: Vector,
            /// Match bits of the last columns, still to be used by the words behind.
            waiting: [Vector; LAG],
        }

        /// See [`columns`](super::columns).
        #[target_feature(enable = $feature)]
        pub fn columns<U: Unit>(text: &[U], bits: &[Words], first: Words, steps: &mut [i8]) {
            let first = vector(first);
            let mut column = Column {
                up: first,
                down: zero(),
                flat: ones(),
                right_down: zero(),
                carry_flat: zero(),
                carry_down: zero(),
                waiting: [zero(); LAG],
            };
            for time in 0..LAG {
                let entering = text.get(time).map_or(zero(), |unit| vector(bits[unit.code() as usize]));
                column.advance(entering, steps.get(time).copied().unwrap_or(0));
                // Words that have not come to their first column yet.
                (column.up, column.down) = match time / 2 {
                    0 => {
                        (behind::<0b1111_1100>(column.up, first), behind::<0b1111_1100>(column.down, zero()))
                    }
                    1 => {
                        (behind::<0b1111_0000>(column.up, first), behind::<0b1111_0000>(column.down, zero()))
                    }
                    _ => {
                        (behind::<0b1100_0000>(column.up, first), behind::<0b1100_0000>(column.down, zero()))
                    }
                };
            }
            for time in LAG..text.len() {
                column.advance(vector(bits[text[time].code() as usize]), steps[time]);
                steps[time - LAG] = column.lowest_step();
            }
            // The words behind leave the text.
            for time in text.len().max(LAG)..text.len() + LAG {
                column.advance(zero(), 0);
                steps[time - LAG] = column.lowest_step();
            }
        }

        impl Column {
            /// One step: the first word enters a column, the others follow.
            #[inline]
            #[target_feature(enable = $feature)]
            fn advance(&mut self, entering: Vector, above: i8) {
                let [newest, one, next, two, oldest, three] = self.waiting;
                let eq = _mm256_blend_epi32::<0b0000_1100>(entering, one);
                let eq = _mm256_blend_epi32::<0b0011_0000>(eq, two);
                let eq = _mm256_blend_epi32::<0b1100_0000>(eq, three);
                self.waiting = [entering, newest, one, next, two, oldest];
                let Self { up, down, .. } = *self;
                let in_flat = from_above(self.carry_flat, i64::from(above <= 0));
                let in_down = from_above(self.carry_down, i64::from(above < 0));
                (self.carry_flat, self.carry_down) = (below(self.flat), below(self.right_down));
                // As in `columns`, with `flat` for the complement of `right_up` and as few operations as can be
                // between a column and the next one, as each waits for the one before.
                let sum = add(either_and(eq, in_down, up), up);
                let kept = or(or(eq, in_down), down);
                let diagonal = differ_or(sum, up, kept);
                self.flat = not_and_either(down, sum, or(kept, up));
                self.right_down = and_differ_or(sum, up, kept);
                let flat = _mm256_slli_epi64::<1>(self.flat);
                let entering = and_not_or(in_flat, diagonal, in_down);
                let right_down = or(_mm256_slli_epi64::<1>(self.right_down), entering);
                self.up = and_not_or(flat, diagonal, right_down);
                self.down = neither_and(flat, in_flat, diagonal);
            }

            /// Horizontal step of the lowest row.
            #[inline]
            #[target_feature(enable = $feature)]
            fn lowest_step(&self) -> i8 {
                let sign = |x| (_mm256_movemask_pd(_mm256_castsi256_pd(x)) >> (WORDS - 1)) as i8;
                1 - sign(self.flat) - sign(self.right_down)
            }
        }

        /// The highest bit of each word, at the place of the one below.
        #[inline]
        #[target_feature(enable = $feature)]
        fn below(right: Vector) -> Vector {
            _mm256_permute4x64_epi64::<0b10_01_00_00>(_mm256_srli_epi64::<63>(right))
        }

        /// What enters the words: the carries, and `above` for the first one.
        #[inline]
        #[target_feature(enable = $feature)]
        fn from_above(carry: Vector, above: i64) -> Vector {
            _mm256_blend_epi32::<0b0000_0011>(carry, _mm256_castsi128_si256(_mm_cvtsi64_si128(above)))
        }

        /// The second value in the words of the mask, two bits each.
        #[inline]
        #[target_feature(enable = $feature)]
        fn behind<const MASK: i32>(value: Vector, first: Vector) -> Vector {
            _mm256_blend_epi32::<MASK>(value, first)
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn ones() -> Vector {
            vector([u64::MAX; WORDS])
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn vector(words: Words) -> Vector {
            let [a, b, c, d] = words.map(u64::cast_signed);
            _mm256_set_epi64x(d, c, b, a)
        }
    };
}

#[cfg(target_arch = "aarch64")]
pub mod neon;

#[cfg(target_arch = "x86_64")]
pub mod avx2 {
    use std::arch::x86_64::{
        _mm256_and_si256 as and, _mm256_andnot_si256 as and_not, _mm256_xor_si256 as xor,
    };

    kernel!("avx2");

    /// `(a | b) & c`
    #[inline]
    #[target_feature(enable = "avx2")]
    fn either_and(a: Vector, b: Vector, c: Vector) -> Vector {
        and(or(a, b), c)
    }

    /// `(a ^ b) | c`
    #[inline]
    #[target_feature(enable = "avx2")]
    fn differ_or(a: Vector, b: Vector, c: Vector) -> Vector {
        or(xor(a, b), c)
    }

    /// `b & ((a ^ b) | c)`
    #[inline]
    #[target_feature(enable = "avx2")]
    fn and_differ_or(a: Vector, b: Vector, c: Vector) -> Vector {
        // Where b is set, a differs where it is not.
        or(and_not(a, b), and(b, c))
    }

    /// `!a & (b | c)`
    #[inline]
    #[target_feature(enable = "avx2")]
    fn not_and_either(a: Vector, b: Vector, c: Vector) -> Vector {
        and_not(a, or(b, c))
    }

    /// `(a & !b) | c`
    #[inline]
    #[target_feature(enable = "avx2")]
    fn and_not_or(a: Vector, b: Vector, c: Vector) -> Vector {
        or(and_not(b, a), c)
    }

    /// `!(a | b) & c`
    #[inline]
    #[target_feature(enable = "avx2")]
    fn neither_and(a: Vector, b: Vector, c: Vector) -> Vector {
        and_not(or(a, b), c)
    }
}

#[cfg(target_arch = "x86_64")]
pub mod avx512 {
    use std::arch::x86_64::_mm256_ternarylogic_epi64;

    kernel!("avx2,avx512f,avx512vl");

    /// `(a | b) & c`
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    fn either_and(a: Vector, b: Vector, c: Vector) -> Vector {
        _mm256_ternarylogic_epi64::<0xa8>(a, b, c)
    }

    /// `(a ^ b) | c`
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    fn differ_or(a: Vector, b: Vector, c: Vector) -> Vector {
        _mm256_ternarylogic_epi64::<0xbe>(a, b, c)
    }

    /// `b & ((a ^ b) | c)`
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    fn and_differ_or(a: Vector, b: Vector, c: Vector) -> Vector {
        _mm256_ternarylogic_epi64::<0x8c>(a, b, c)
    }

    /// `!a & (b | c)`
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    fn not_and_either(a: Vector, b: Vector, c: Vector) -> Vector {
        _mm256_ternarylogic_epi64::<0x0e>(a, b, c)
    }

    /// `(a & !b) | c`
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    fn and_not_or(a: Vector, b: Vector, c: Vector) -> Vector {
        _mm256_ternarylogic_epi64::<0xba>(a, b, c)
    }

    /// `!(a | b) & c`
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    fn neither_and(a: Vector, b: Vector, c: Vector) -> Vector {
        _mm256_ternarylogic_epi64::<0x02>(a, b, c)
    }
}
