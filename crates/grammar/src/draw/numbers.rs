//! Special numbers: those of programs, and what is related to them.

use crate::draw::ShapedChooser;
use crate::number::Int;

impl ShapedChooser<'_> {
    /// Mostly one of the special numbers or near a bound, sometimes a small one or any.
    pub(super) fn special_number(&mut self, min: &Int, max: &Int) -> Int {
        let by = Int::Small(self.chance.below(3) as i64);
        let chosen = match self.chance.below(10) {
            0 => Some(min.plus(&by)),
            1 => Some(max.minus(&by)),
            2 => Some(Int::Small(self.chance.below(12) as i64)),
            3 => None,
            4 | 5 => self.related_number(min, max),
            _ => self.special_within(min, max),
        };
        match chosen {
            Some(number) => number.clamped(min, max),
            None => self.chance.between(min, max),
        }
    }

    pub(super) fn special_within(&mut self, min: &Int, max: &Int) -> Option<Int> {
        let numbers: &[Int] = self.shape.numbers.as_deref().map_or(&[], |list| &list.values);
        let from = numbers.partition_point(|number| number < min);
        let to = numbers.partition_point(|number| number <= max);
        let chosen = from + self.chance.below(to.saturating_sub(from) as u64) as usize;
        numbers[from..to].get(chosen - from).cloned()
    }

    /// A number whose sum, difference or product with the one before is special.
    fn related_number(&mut self, min: &Int, max: &Int) -> Option<Int> {
        let last = self.last_number.clone()?;
        let magnitude = |number: &Int| number.magnitude();
        let most = [min, max, &last].into_iter().map(magnitude).max()?.times(&Int::Small(2));
        let (special, number) = match self.chance.below(4) {
            0 => {
                let most = most.times(&magnitude(&last)).plus(&Int::ONE);
                let special = self.special_within(&Int::ONE, &most)?;
                let number = special.divided_by(&last)?;
                (special, number.plus(&Int::Small(self.chance.below(2) as i64)))
            }
            sign => {
                let special = self.special_within(&Int::ONE, &most)?;
                let number = match sign {
                    1 => last.plus(&special),
                    2 => last.minus(&special),
                    _ => special.minus(&last),
                };
                (special, number)
            }
        };
        let is_within = *min <= number && number <= *max;
        Some(if is_within { number } else { special })
    }

    /// Values whose sum, or the sum of the first of which, is special; `None` if bounds rule that out.
    pub(super) fn row_with_sum(&mut self, min: &Int, max: &Int, length: u64) -> Option<Vec<Int>> {
        let count = match self.chance.below(2) {
            0 => length,
            _ => 1 + self.chance.below(length),
        };
        let times = |bound: &Int, count: u64| bound.times(&Int::from(count));
        let (least, most) = (times(min, count), times(max, count));
        let power = Int::from(1_u64 << [31, 32, 63][self.chance.below(3) as usize]);
        let by = Int::Small(self.chance.below(3) as i64 - 1);
        let sum = Some(power.plus(&by)).filter(|sum| least <= *sum && *sum <= most);
        let mut left = sum.or_else(|| self.special_within(&least, &most))?;
        let values = (0..length).map(|at| {
            let Some(later) = (count - 1).checked_sub(at) else {
                return self.chance.between(min, max);
            };
            let low = left.minus(&times(max, later)).clamped(min, max);
            let high = left.minus(&times(min, later)).clamped(min, max);
            let value = self.chance.between(&low, &high);
            left = left.minus(&value);
            value
        });
        Some(values.collect())
    }
}
