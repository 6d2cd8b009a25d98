//! The work of a running grammar. It is counted in steps, not in seconds, so that a grammar ends at the same place on
//! every machine, however busy.
//!
//! A step is about what takes 20 ns: a command, an operation on small numbers, or `WORDS` operations on the 64-bit
//! words of large ones. So a limit in seconds is one in steps.

use std::cell::Cell;
use std::time::Duration;

use num_rational::BigRational;

use crate::grammar::ast::Operator;
use crate::grammar::number::{Int, NUMBER_BITS_MAX};
use crate::grammar::value::Value;
use crate::model::limits::{Limits, ProblemLimits};
use crate::model::stop::is_interrupted;

/// Limits of a grammar that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkLimits {
    pub steps: u64,
    /// Bytes of all values of variables.
    pub bytes: u64,
}

/// How many steps count as a second.
const STEPS_PER_SECOND: u64 = 50_000_000;
/// How many operations on words count as a step.
const WORDS: u64 = 32;
/// After how many steps the interpreter looks whether somebody stopped juror.
const LOOK_EVERY: u64 = 1 << 16;
/// Upper bound on the steps of a single operation, which nothing can interrupt.
const OPERATION_MAX: u64 = STEPS_PER_SECOND;
/// Upper bound on the steps for the constants of a grammar, which are computed when it is read.
const CONSTANT_STEPS: u64 = 10 * STEPS_PER_SECOND;

/// The fault of a grammar whose constants take too long. Their bits count as steps, too, as they take memory.
pub(super) const TOO_MUCH_COMPUTED: &str =
    "the numbers of this grammar are too large to compute them all";

impl WorkLimits {
    /// A grammar has the limits of a validator.
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

/// Why a grammar may not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    TooMuch,
    Interrupted,
}

/// The steps so far, and their limit.
#[derive(Debug)]
pub(super) struct Steps {
    done: Cell<u64>,
    /// The number of steps at which it looks up.
    look: Cell<u64>,
    most: u64,
}

impl Steps {
    pub(super) fn new(most: u64) -> Self {
        Self { done: Cell::new(0), look: Cell::new(0), most }
    }

    /// For the constants of a grammar. They do not end early if somebody stops juror: that would look like a fault.
    pub(super) fn of_constants() -> Self {
        Self { look: Cell::new(CONSTANT_STEPS + 1), ..Self::new(CONSTANT_STEPS) }
    }

    /// Counts steps.
    #[inline]
    pub(super) fn add(&self, steps: u64) -> Result<(), Over> {
        self.note(steps);
        if self.done.get() < self.look.get() { Ok(()) } else { self.look() }
    }

    /// Counts steps that are so few that it suffices to stop later.
    #[inline]
    pub(super) fn note(&self, steps: u64) {
        self.done.set(self.done.get().saturating_add(steps));
    }

    /// Counts the steps of a single operation before it is done.
    pub(super) fn operation(&self, steps: u64) -> Result<(), Over> {
        if steps > OPERATION_MAX { Err(Over::TooMuch) } else { self.add(steps) }
    }

    #[cold]
    fn look(&self) -> Result<(), Over> {
        let done = self.done.get();
        if done > self.most {
            return Err(Over::TooMuch);
        }
        if is_interrupted() {
            return Err(Over::Interrupted);
        }
        self.look.set(self.most.saturating_add(1).min(done.saturating_add(LOOK_EVERY)));
        Ok(())
    }
}

/// The 64-bit words of a number with this many bits beyond a small one.
pub(super) fn words(bits: u64) -> u64 {
    bits / 64 + 1
}

fn of_words(operations: u64) -> u64 {
    1 + operations / WORDS
}

fn ratio_words(ratio: &BigRational) -> u64 {
    words(ratio.numer().bits()) + words(ratio.denom().bits())
}

/// The steps of `left op right`.
pub(super) fn of_operator(op: Operator, left: &Value, right: &Value) -> u64 {
    let (Value::Int(a), Value::Int(b)) = (left, right) else {
        return of_fractions(op, left, right);
    };
    if let (Int::Small(_), Int::Small(_)) = (a, b)
        && op != Operator::Pow
    {
        return 1;
    }
    let [a_words, b_words] = [a, b].map(|number| words(number.more_bits()));
    of_words(match op {
        Operator::Add | Operator::Sub => a_words + b_words,
        Operator::Mul => product(a_words, b_words),
        Operator::Div | Operator::Rem => a_words.saturating_mul(b_words.min(a_words)),
        Operator::Pow => {
            // A power that is too large is not computed.
            let bits = a.big().bits().saturating_mul(b.small().map_or(0, i64::unsigned_abs));
            let words = words(bits.min(2 * NUMBER_BITS_MAX));
            product(words, words)
        }
    })
}

/// The multiplication of large numbers takes about n^1.5 operations.
fn product(a: u64, b: u64) -> u64 {
    a.max(b).saturating_mul(a.min(b).isqrt() + 1)
}

/// Fractions are kept in lowest terms, by a search for the common divisor that takes a step for each bit.
fn of_fractions(op: Operator, left: &Value, right: &Value) -> u64 {
    let size = |value: &Value| match value {
        Value::Int(value) => words(value.more_bits()) + 1,
        Value::Float(value) => ratio_words(value),
        Value::Text(_) => 0,
    };
    match (op, right) {
        (Operator::Pow, Value::Int(exponent)) => {
            let exponent = exponent.small().map_or(0, i64::unsigned_abs);
            let most = words(2 * NUMBER_BITS_MAX);
            let words = size(left).saturating_mul(exponent).min(most);
            of_words(product(words, words))
        }
        _ => common_divisor(size(left) + size(right)),
    }
}

fn common_divisor(words: u64) -> u64 {
    of_words(words.saturating_mul(words).saturating_mul(64))
}

/// The steps to compare two values. Fractions are compared by products.
pub(super) fn of_comparison(left: &Value, right: &Value) -> u64 {
    match (left, right) {
        (Value::Float(a), Value::Float(b)) => of_meeting(a, ratio_words(b)),
        (Value::Float(ratio), Value::Int(other)) | (Value::Int(other), Value::Float(ratio)) => {
            of_meeting(ratio, words(other.more_bits()))
        }
        _ => of_value(left).min(of_value(right)),
    }
}

/// The steps to compare a fraction with another of so many words.
pub(super) fn of_meeting(ratio: &BigRational, words: u64) -> u64 {
    let most = ratio_words(ratio).max(words);
    of_words(product(most, most).saturating_mul(2))
}

/// The steps to copy a value, or to look for it.
pub(super) fn of_value(value: &Value) -> u64 {
    match value {
        Value::Text(text) => of_bytes(text.len()),
        number => of_words(words(number.more_bits())),
    }
}

/// The steps to go through so many bytes.
pub(super) fn of_bytes(bytes: usize) -> u64 {
    1 + bytes as u64 / 64
}

/// The steps to read or write a number of so many bits in decimal: these take time with the square of the length.
pub(super) fn of_decimal(bits: u64) -> u64 {
    let words = words(bits);
    of_words(words.saturating_mul(words).saturating_mul(4))
}

/// About how many bits so many decimal digits have.
pub(super) fn bits_of_digits(digits: u64) -> u64 {
    digits.saturating_mul(10) / 3
}

/// The steps to read a float of so many digits and with this exponent, or a constant with them.
pub(super) fn of_float_text(digits: u64, exponent: u64) -> u64 {
    let words = words(bits_of_digits(digits.saturating_add(exponent)));
    of_decimal(bits_of_digits(digits)).saturating_add(of_words(product(words, words)))
}

/// The steps to draw a float between two bounds, to write it with so many decimals, and to read it again.
pub(super) fn of_drawn_float(min: &BigRational, max: &BigRational, decimals: u32) -> u64 {
    let bounds = ratio_words(min).max(ratio_words(max)).saturating_mul(64);
    let bits = bounds.saturating_add(bits_of_digits(decimals.into()));
    let words = words(bits);
    of_decimal(bits).saturating_add(of_words(product(words, words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_at_their_limit() {
        let work = Steps::new(100_000);
        for _ in 0..100_000 {
            assert_eq!(work.add(1), Ok(()));
        }
        assert_eq!(work.add(1), Err(Over::TooMuch));
        assert_eq!(work.add(0), Err(Over::TooMuch));
    }

    #[test]
    fn a_single_operation_ends_within_a_second() {
        let work = Steps::new(u64::MAX);
        assert_eq!(work.operation(OPERATION_MAX), Ok(()));
        assert_eq!(work.operation(OPERATION_MAX + 1), Err(Over::TooMuch));
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
