//! The columns of a strip with all four words in one vector.

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

/// The method for one instruction set. Needs in scope the operations of three operands, which AVX-512 has and AVX2 puts
/// together: the compiler finds only some of them, and is 8 % slower then.
macro_rules! kernel {
    ($feature:literal) => {
        use super::*;

        /// What goes from column to column.
        struct Column {
            up: Vector,
            down: Vector,
            flat: Vector,
            right_down: Vector,
            /// What the words hand down: the highest bits of the two above, a step earlier.
            carry_flat: Vector,
            carry_down: Vector,
            /// Match bits of the last columns, still to be used by later words.
            waiting: [Vector; LAG],
        }

        /// See [`columns`](super::super::columns).
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
            // The later words leave the text.
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

/// Operations of three operands.
macro_rules! operations {
    ($feature:literal; $($(#[$doc:meta])* $name:ident($a:ident, $b:ident, $c:ident) = $result:expr;)*) => {
        $(
            $(#[$doc])*
            #[inline]
            #[target_feature(enable = $feature)]
            fn $name($a: Vector, $b: Vector, $c: Vector) -> Vector {
                $result
            }
        )*
    };
}

pub mod avx2 {
    use std::arch::x86_64::{
        _mm256_and_si256 as and, _mm256_andnot_si256 as and_not, _mm256_xor_si256 as xor,
    };

    kernel!("avx2,bmi1,bmi2,lzcnt,popcnt");
    operations! {
        "avx2";
        /// `(a | b) & c`
        either_and(a, b, c) = and(or(a, b), c);
        /// `(a ^ b) | c`
        differ_or(a, b, c) = or(xor(a, b), c);
        /// `b & ((a ^ b) | c)`: where `b` is set, `a` differs where it is not.
        and_differ_or(a, b, c) = or(and_not(a, b), and(b, c));
        /// `!a & (b | c)`
        not_and_either(a, b, c) = and_not(a, or(b, c));
        /// `(a & !b) | c`
        and_not_or(a, b, c) = or(and_not(b, a), c);
        /// `!(a | b) & c`
        neither_and(a, b, c) = and_not(or(a, b), c);
    }
}

pub mod avx512 {
    use std::arch::x86_64::_mm256_ternarylogic_epi64 as table;

    kernel!("avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl");
    operations! {
        "avx512f,avx512vl";
        /// `(a | b) & c`
        either_and(a, b, c) = table::<0xa8>(a, b, c);
        /// `(a ^ b) | c`
        differ_or(a, b, c) = table::<0xbe>(a, b, c);
        /// `b & ((a ^ b) | c)`
        and_differ_or(a, b, c) = table::<0x8c>(a, b, c);
        /// `!a & (b | c)`
        not_and_either(a, b, c) = table::<0x0e>(a, b, c);
        /// `(a & !b) | c`
        and_not_or(a, b, c) = table::<0xba>(a, b, c);
        /// `!(a | b) & c`
        neither_and(a, b, c) = table::<0x02>(a, b, c);
    }
}
