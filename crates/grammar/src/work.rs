//! The work of a running grammar. It is counted in steps, not in seconds, so that a grammar stops at the same point on
//! every machine, however busy.
//!
//! A step is what takes about 20 ns: an instruction, an operation on small numbers, or `WORD_OPERATIONS` operations on
//! the 64-bit words of large ones. So a limit in seconds is a limit in steps.

use std::cell::Cell;
use std::time::Duration;

use num_rational::BigRational;

use crate::ast::Operator;
use crate::number::{Int, NUMBER_BITS_MAX};
use crate::value::Value;
use juror_core::limits::{Limits, ProblemLimits};
use juror_core::stop::is_interrupted;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkLimits {
    pub steps: u64,
    /// Upper bound on the bytes of all values of variables.
    pub bytes: u64,
}

const STEPS_PER_SECOND: u64 = 50_000_000;
/// Number of operations on words that count as a step.
const WORD_OPERATIONS: u64 = 32;
/// Number of steps after which the interpreter checks whether the user interrupts juror.
const CHECK_EVERY: u64 = 1 << 16;
/// Upper bound on the steps of a single operation, which nothing can interrupt.
const OPERATION_MAX: u64 = STEPS_PER_SECOND;
/// Upper bound on the steps for the constants of a grammar, which are computed when it is parsed.
const CONSTANT_STEPS: u64 = 2 * STEPS_PER_SECOND;

/// The bits of constants count as steps, too, as they take memory.
pub(super) const TOO_MUCH_COMPUTED: &str =
    "the numbers of this grammar are too large to compute them all";

impl WorkLimits {
    /// The limits of the problem's output validator also hold for a grammar.
    pub fn of(limits: &ProblemLimits) -> Self {
        let limits = Limits::of_output_validator(limits);
        let time = limits.cpu_time.unwrap_or(Duration::MAX);
        let steps = u128::from(STEPS_PER_SECOND) * time.as_millis() / 1000;
        Self {
            steps: u64::try_from(steps).unwrap_or(u64::MAX),
            bytes: limits.memory.map_or(u64::MAX, |memory| memory.0),
        }
    }
}

impl Default for WorkLimits {
    fn default() -> Self {
        Self::of(&ProblemLimits::default())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkStop {
    TooMuchWork,
    Interrupted,
}

#[derive(Debug)]
pub(super) struct WorkCounter {
    steps: Cell<u64>,
    /// The number of steps at which the limits are checked next.
    next_check: Cell<u64>,
    limit: u64,
}

impl WorkCounter {
    pub(super) fn new(most: u64) -> Self {
        Self { steps: Cell::new(0), next_check: Cell::new(0), limit: most }
    }

    /// For the constants of a grammar. An interruption does not end them: that would look like a fault.
    pub(super) fn of_constants() -> Self {
        Self { next_check: Cell::new(CONSTANT_STEPS + 1), ..Self::new(CONSTANT_STEPS) }
    }

    #[inline]
    pub(super) fn add(&self, steps: u64) -> Result<(), WorkStop> {
        self.add_unchecked(steps);
        if self.steps.get() < self.next_check.get() { Ok(()) } else { self.check_limits() }
    }

    /// Counts steps that are so few that a later check suffices.
    #[inline]
    pub(super) fn add_unchecked(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    pub(super) fn add_operation(&self, steps: u64) -> Result<(), WorkStop> {
        if steps > OPERATION_MAX { Err(WorkStop::TooMuchWork) } else { self.add(steps) }
    }

    #[cold]
    fn check_limits(&self) -> Result<(), WorkStop> {
        let done = self.steps.get();
        if done > self.limit {
            return Err(WorkStop::TooMuchWork);
        }
        if is_interrupted() {
            return Err(WorkStop::Interrupted);
        }
        self.next_check.set(self.limit.saturating_add(1).min(done.saturating_add(CHECK_EVERY)));
        Ok(())
    }
}

/// In 64-bit words. `bits` is 0 for a small number.
pub(super) fn words_of_bits(bits: u64) -> u64 {
    bits / 64 + 1
}

fn word_steps(operations: u64) -> u64 {
    1 + operations / WORD_OPERATIONS
}

fn ratio_words(ratio: &BigRational) -> u64 {
    words_of_bits(ratio.numer().bits()) + words_of_bits(ratio.denom().bits())
}

pub(super) fn operator_steps(op: Operator, left: &Value, right: &Value) -> u64 {
    let (Value::Int(a), Value::Int(b)) = (left, right) else {
        return ratio_steps(op, left, right);
    };
    if let (Int::Small(_), Int::Small(_)) = (a, b)
        && op != Operator::Pow
    {
        return 1;
    }
    let [a_words, b_words] = [a, b].map(|number| words_of_bits(number.bits_if_big()));
    word_steps(match op {
        Operator::Add | Operator::Sub => a_words + b_words,
        Operator::Mul => product_operations(a_words, b_words),
        Operator::Div | Operator::Rem => a_words.saturating_mul(b_words.min(a_words)),
        Operator::Pow => {
            // A power that is too large is not computed.
            let bits = a.to_big().bits().saturating_mul(b.to_small().map_or(0, i64::unsigned_abs));
            let words = words_of_bits(bits.min(2 * NUMBER_BITS_MAX));
            product_operations(words, words)
        }
    })
}

/// The multiplication of large numbers takes about n^1.5 operations.
fn product_operations(a: u64, b: u64) -> u64 {
    a.max(b).saturating_mul(a.min(b).isqrt() + 1)
}

/// Fractions are in lowest terms.
fn ratio_steps(op: Operator, left: &Value, right: &Value) -> u64 {
    let parts = |value: &Value| match value {
        Value::Int(value) => [words_of_bits(value.bits_if_big()), 1],
        Value::Float(value) => [value.numer(), value.denom()].map(|int| words_of_bits(int.bits())),
        Value::Text(_) => [0, 0],
    };
    let size = |value: &Value| parts(value).iter().sum::<u64>();
    let ([numer, denom], [other_numer, other_denom]) = (parts(left), parts(right));
    match (op, right) {
        (Operator::Pow, Value::Int(exponent)) => {
            let exponent = exponent.to_small().map_or(0, i64::unsigned_abs);
            let most = words_of_bits(2 * NUMBER_BITS_MAX);
            let words = size(left).saturating_mul(exponent).min(most);
            word_steps(product_operations(words, words))
        }
        (Operator::Mul, _) => lowest_terms_steps(numer + other_numer, denom + other_denom),
        (Operator::Div, _) => lowest_terms_steps(numer + other_denom, denom + other_numer),
        _ => {
            let numer = (numer + other_denom).max(other_numer + denom);
            lowest_terms_steps(numer, denom + other_denom)
        }
    }
}

/// The steps to compute a fraction from products of this many words. After the longer part is divided by the shorter
/// one, the search for the common divisor takes a step for each bit of that.
fn lowest_terms_steps(numer: u64, denom: u64) -> u64 {
    let (long, short) = (numer.max(denom), numer.min(denom));
    let division = long.saturating_mul(short).saturating_mul(3);
    let search = short.saturating_mul(short).saturating_mul(64);
    word_steps(division.saturating_add(search))
}

pub(super) fn comparison_steps(left: &Value, right: &Value) -> u64 {
    match (left, right) {
        (Value::Float(a), Value::Float(b)) => ratio_comparison_steps(a, ratio_words(b)),
        (Value::Float(ratio), Value::Int(other)) | (Value::Int(other), Value::Float(ratio)) => {
            ratio_comparison_steps(ratio, words_of_bits(other.bits_if_big()))
        }
        _ => value_steps(left).min(value_steps(right)),
    }
}

/// For a fraction and a number of this many words.
pub(super) fn ratio_comparison_steps(ratio: &BigRational, words: u64) -> u64 {
    let most = ratio_words(ratio).max(words);
    word_steps(product_operations(most, most).saturating_mul(2))
}

/// The steps to copy a value, or to find it.
pub(super) fn value_steps(value: &Value) -> u64 {
    match value {
        Value::Text(text) => byte_steps(text.len()),
        number => word_steps(words_of_bits(number.bits_if_big())),
    }
}

pub(super) fn byte_steps(bytes: usize) -> u64 {
    1 + bytes as u64 / 64
}

/// The steps to read or write a number of this many bits in decimal: quadratic in the length. Measured, 100,000 digits
/// take about 15 ms.
pub(super) fn decimal_steps(bits: u64) -> u64 {
    let words = words_of_bits(bits);
    word_steps(words.saturating_mul(words))
}

/// Approximate.
pub(super) fn bits_of_digits(digits: u64) -> u64 {
    digits.saturating_mul(10) / 3
}

/// Also for a constant.
pub(super) fn float_text_steps(digits: u64, exponent: u64) -> u64 {
    let words = words_of_bits(bits_of_digits(digits.saturating_add(exponent)));
    decimal_steps(bits_of_digits(digits))
        .saturating_add(word_steps(product_operations(words, words)))
}

/// The steps to draw a float between two bounds, to write it with so many decimals, and to read it again.
pub(super) fn drawn_float_steps(min: &BigRational, max: &BigRational, decimals: u32) -> u64 {
    let bounds = ratio_words(min).max(ratio_words(max)).saturating_mul(64);
    let bits = bounds.saturating_add(bits_of_digits(decimals.into()));
    let words = words_of_bits(bits);
    decimal_steps(bits).saturating_add(word_steps(product_operations(words, words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_at_their_limit() {
        let work = WorkCounter::new(100_000);
        for _ in 0..100_000 {
            assert_eq!(work.add(1), Ok(()));
        }
        assert_eq!(work.add(1), Err(WorkStop::TooMuchWork));
        assert_eq!(work.add(0), Err(WorkStop::TooMuchWork));
    }

    #[test]
    fn a_single_operation_ends_within_a_second() {
        let work = WorkCounter::new(u64::MAX);
        assert_eq!(work.add_operation(OPERATION_MAX), Ok(()));
        assert_eq!(work.add_operation(OPERATION_MAX + 1), Err(WorkStop::TooMuchWork));
    }

    #[test]
    fn a_second_of_validation_is_a_number_of_steps() {
        let of = |seconds| {
            let validation_time = Some(Duration::from_secs(seconds));
            WorkLimits::of(&ProblemLimits { validation_time, ..ProblemLimits::default() }).steps
        };
        assert_eq!(of(1), STEPS_PER_SECOND);
        assert_eq!(of(60), WorkLimits::default().steps);
    }
}
