//! Integers of any size, fast while they are small.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// Above this many bits, numbers are shown in short form.
const SHOWN_BITS_MAX: u64 = 4096;

/// `Big` holds only numbers that do not fit `Small`, so that equal numbers are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Int {
    Small(i64),
    Big(Box<BigInt>),
}

/// Upper bound on the bits of a result of an operator.
pub const NUMBER_BITS_MAX: u64 = 1 << 22;

impl Int {
    pub const ZERO: Self = Self::Small(0);
    pub const ONE: Self = Self::Small(1);

    /// An optional minus sign may come before the digits.
    pub fn parse(digits: &[u8]) -> Option<Self> {
        BigInt::parse_bytes(digits, 10).map(Self::from)
    }

    pub fn to_big(&self) -> BigInt {
        match self {
            Self::Small(value) => BigInt::from(*value),
            Self::Big(value) => (**value).clone(),
        }
    }

    pub fn to_ratio(&self) -> BigRational {
        BigRational::from_integer(self.to_big())
    }

    pub fn to_small(&self) -> Option<i64> {
        match self {
            Self::Small(value) => Some(*value),
            Self::Big(_) => None,
        }
    }

    /// `None` if the type cannot hold it.
    pub fn to<T: TryFrom<i64>>(&self) -> Option<T> {
        T::try_from(self.to_small()?).ok()
    }

    pub fn is_negative(&self) -> bool {
        match self {
            Self::Small(value) => *value < 0,
            Self::Big(value) => value.is_negative(),
        }
    }

    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// The number of bits of a `Big` number; 0 for a `Small` one.
    pub(super) fn bits_if_big(&self) -> u64 {
        match self {
            Self::Small(_) => 0,
            Self::Big(value) => value.bits(),
        }
    }

    /// Upper bound on the length of the decimal text: exact, or one too many.
    pub(super) fn length_max(&self) -> usize {
        match self {
            Self::Small(value) => value.to_string().len(),
            Self::Big(value) => {
                let digits = value.bits() as f64 * std::f64::consts::LOG10_2;
                digits as usize + 1 + usize::from(value.is_negative())
            }
        }
    }

    /// Shortened if the number has thousands of digits.
    pub(super) fn short_text(&self) -> String {
        if self.bits_if_big() > SHOWN_BITS_MAX {
            approximate(&self.to_ratio())
        } else {
            self.to_string()
        }
    }

    #[must_use]
    pub fn magnitude(&self) -> Self {
        if self.is_negative() { self.negated() } else { self.clone() }
    }

    #[must_use]
    pub fn clamped(&self, min: &Self, max: &Self) -> Self {
        self.clamp(min, max).clone()
    }

    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::Small(value) => match value.checked_neg() {
                Some(value) => Self::Small(value),
                None => Self::from(-BigInt::from(*value)),
            },
            Self::Big(value) => Self::from(-(**value).clone()),
        }
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.apply(other, i64::checked_add, |a, b| a + b)
    }

    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.apply(other, i64::checked_sub, |a, b| a - b)
    }

    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        self.apply(other, i64::checked_mul, |a, b| a * b)
    }

    /// `self / other`, truncated; `None` if `other` is zero.
    pub fn divided_by(&self, other: &Self) -> Option<Self> {
        (!other.is_zero()).then(|| self.apply(other, i64::checked_div, |a, b| a / b))
    }

    /// The remainder of [`Int::divided_by`], with the sign of `self`; `None` if `other` is zero.
    pub fn remainder(&self, other: &Self) -> Option<Self> {
        (!other.is_zero()).then(|| self.apply(other, i64::checked_rem, |a, b| a % b))
    }

    /// `self ^ exponent`; `None` if the result would have more than [`NUMBER_BITS_MAX`] bits.
    pub fn power(&self, exponent: u64) -> Option<Self> {
        match self {
            Self::Small(0 | 1) => {
                return Some(if exponent == 0 { Self::ONE } else { self.clone() });
            }
            Self::Small(-1) => {
                return Some(Self::Small(if exponent.is_multiple_of(2) { 1 } else { -1 }));
            }
            _ => {}
        }
        let base = self.to_big();
        // A number of b bits is at least 2^(b - 1). So the result is at most twice as long as permitted.
        let least = (base.bits() - 1).saturating_mul(exponent).saturating_add(1);
        let exponent = u32::try_from(exponent).ok().filter(|_| least <= NUMBER_BITS_MAX)?;
        let power = base.pow(exponent);
        (power.bits() <= NUMBER_BITS_MAX).then(|| Self::from(power))
    }

    fn apply(
        &self,
        other: &Self,
        small: fn(i64, i64) -> Option<i64>,
        big: fn(BigInt, BigInt) -> BigInt,
    ) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(value) = small(*a, *b)
        {
            return Self::Small(value);
        }
        Self::from(big(self.to_big(), other.to_big()))
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        Self::Small(value)
    }
}

impl From<u64> for Int {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| BigInt::from(value).into(), Self::Small)
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Self {
        match value.to_i64() {
            Some(value) => Self::Small(value),
            None => Self::Big(Box::new(value)),
        }
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small(a), Self::Small(b)) => a.cmp(b),
            (Self::Big(a), Self::Big(b)) => a.cmp(b),
            // A number that does not fit 64 bits is beyond all that do.
            (Self::Big(a), Self::Small(_)) => match a.sign() {
                Sign::Minus => Ordering::Less,
                _ => Ordering::Greater,
            },
            (Self::Small(_), Self::Big(_)) => other.cmp(self).reverse(),
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small(value) => value.fmt(f),
            Self::Big(value) => value.fmt(f),
        }
    }
}

/// Compares fractions by products: a search for a common divisor takes far longer if both are large.
pub(super) fn compare_ratios(a: &BigRational, b: &BigRational) -> Ordering {
    if a.denom() == b.denom() {
        return a.numer().cmp(b.numer());
    }
    (a.numer() * b.denom()).cmp(&(b.numer() * a.denom()))
}

pub fn power_of_ten(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

/// As a decimal if that is finite, else as `p/q`.
pub fn show_ratio(ratio: &BigRational) -> String {
    if ratio.numer().bits().max(ratio.denom().bits()) > SHOWN_BITS_MAX {
        return approximate(ratio);
    }
    let mut denominator = ratio.denom().clone();
    let mut decimals = 0_usize;
    for factor in [2_u32, 5] {
        let mut times = 0;
        while (&denominator % BigInt::from(factor)).is_zero() {
            denominator /= factor;
            times += 1;
        }
        decimals = decimals.max(times);
    }
    if denominator != BigInt::from(1) {
        return ratio.to_string();
    }
    fixed(ratio, decimals.max(1))
}

/// A number that is too long to read, as `about 1.5e10000`.
fn approximate(ratio: &BigRational) -> String {
    let logarithm = |number: &BigInt| {
        let cut = number.bits().saturating_sub(64);
        let leading = (number.magnitude() >> cut).to_f64().unwrap_or(1.0);
        leading.log10() + cut as f64 * 2_f64.log10()
    };
    let size = logarithm(ratio.numer()) - logarithm(ratio.denom());
    let exponent = (size + 1e-6).floor();
    let mantissa = (10_f64.powf(size - exponent) * 1000.0).round() / 1000.0;
    let sign = if ratio.is_negative() { "-" } else { "" };
    format!("about {sign}{mantissa}e{exponent}")
}

/// Truncated, not rounded.
pub fn fixed(ratio: &BigRational, decimals: usize) -> String {
    let scale = power_of_ten(u32::try_from(decimals).unwrap_or(u32::MAX));
    let scaled = (ratio * BigRational::from_integer(scale)).to_integer();
    scaled_decimal(&scaled, decimals)
}

pub fn scaled_decimal(mantissa: &BigInt, decimals: usize) -> String {
    let digits = format!("{:0>width$}", mantissa.magnitude(), width = decimals + 1);
    let sign = if mantissa.is_negative() { "-" } else { "" };
    let (whole, rest) = digits.split_at(digits.len() - decimals);
    match rest {
        "" => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(digits: &str) -> Int {
        Int::parse(digits.as_bytes()).expect("an integer")
    }

    #[test]
    fn arithmetic_works_beyond_64_bits() {
        let check = |value: Int, expected: &str| {
            assert_eq!(value.to_string(), expected);
            assert_eq!(value, int(expected), "one number, one form");
        };
        let max = Int::Small(i64::MAX);
        let min = Int::Small(i64::MIN);
        check(max.plus(&Int::ONE), "9223372036854775808");
        check(max.plus(&Int::ONE).minus(&Int::ONE), "9223372036854775807");
        check(min.negated(), "9223372036854775808");
        check(min.negated().negated(), "-9223372036854775808");
        check(max.times(&max), "85070591730234615847396907784232501249");
        check(min.divided_by(&Int::Small(-1)).unwrap(), "9223372036854775808");
        check(min.remainder(&Int::Small(-1)).unwrap(), "0");
        check(Int::Small(-7).divided_by(&Int::Small(2)).unwrap(), "-3");
        check(Int::Small(-7).remainder(&Int::Small(2)).unwrap(), "-1");
        check(Int::Small(7).remainder(&Int::Small(-2)).unwrap(), "1");
        check(Int::Small(10).power(20).unwrap(), "100000000000000000000");
        check(Int::Small(-1).power(u64::MAX).unwrap(), "-1");
        check(Int::Small(0).power(0).unwrap(), "1");
        assert_eq!(Int::Small(2).power(u64::MAX), None);
        let bits = |base: i64, exponent| {
            Int::Small(base).power(exponent).map(|power| power.to_big().bits())
        };
        assert_eq!(bits(2, NUMBER_BITS_MAX - 1), Some(NUMBER_BITS_MAX));
        assert_eq!(bits(2, NUMBER_BITS_MAX), None);
        assert_eq!(bits(-3, 2_646_311), Some(NUMBER_BITS_MAX));
        assert_eq!(bits(-3, 2_646_312), None);
        assert_eq!(Int::ONE.divided_by(&Int::ZERO), None);
        assert_eq!(Int::ONE.remainder(&Int::ZERO), None);
    }

    #[test]
    fn small_and_big_numbers_are_ordered() {
        let sorted = [
            "-99999999999999999999",
            "-9223372036854775808",
            "-1",
            "0",
            "9223372036854775807",
            "9223372036854775808",
        ];
        for pair in sorted.windows(2) {
            assert!(int(pair[0]) < int(pair[1]), "{pair:?}");
            assert!(int(pair[1]) > int(pair[0]), "{pair:?}");
        }
    }

    #[test]
    fn fractions_are_shown_as_people_write_them() {
        let check = |numerator: i64, denominator: i64, shown: &str| {
            let ratio = BigRational::new(numerator.into(), denominator.into());
            assert_eq!(show_ratio(&ratio), shown);
        };
        check(1, 2, "0.5");
        check(-1, 8, "-0.125");
        check(3, 1, "3.0");
        check(1, 3, "1/3");
        check(-1, 100, "-0.01");
    }
}
