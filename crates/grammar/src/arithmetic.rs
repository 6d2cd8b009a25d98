//! The effects of the language's operators on values.
//!
//! Source: the language's specification. Where it is silent: integer division truncates towards zero, the remainder
//! has the sign of the dividend, floats are exact.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::ast::{Compare, Operator};
use crate::number::{Int, NUMBER_BITS_MAX};
use crate::value::Value;

pub(super) fn apply_operator(op: Operator, left: &Value, right: &Value) -> Result<Value, String> {
    let result = match (left, right) {
        (Value::Int(a), Value::Int(b)) => integers(op, a, b)?.map(Value::Int),
        _ => floats(op, left, right)?,
    };
    result.filter(|value| value.bits_if_big() <= NUMBER_BITS_MAX).ok_or_else(|| {
        format!(
            "{left} {op} {right} is too large: its result may have up to {NUMBER_BITS_MAX} bits"
        )
    })
}

/// `None` if the result is too large to be computed.
fn integers(op: Operator, a: &Int, b: &Int) -> Result<Option<Int>, String> {
    Ok(match op {
        Operator::Add => Some(a.plus(b)),
        Operator::Sub => Some(a.minus(b)),
        Operator::Mul => Some(a.times(b)),
        Operator::Div => {
            Some(a.divided_by(b).ok_or_else(|| format!("{} is divided by zero", a.short_text()))?)
        }
        Operator::Rem => Some(
            a.remainder(b).ok_or_else(|| format!("the remainder of {} by zero", a.short_text()))?,
        ),
        Operator::Pow => a.power(exponent(b)?),
    })
}

/// `None` if the result is too large to be computed.
fn floats(op: Operator, left: &Value, right: &Value) -> Result<Option<Value>, String> {
    let ratio = |value: &Value| {
        value.to_ratio().ok_or_else(|| {
            format!("{value} is {}, which cannot be used in arithmetic", value.kind())
        })
    };
    let (a, b) = (ratio(left)?, ratio(right)?);
    let [numer, denom] = [a.numer() * b.denom(), a.denom() * b.denom()];
    let result = match op {
        Operator::Add => in_lowest_terms(numer + b.numer() * a.denom(), denom),
        Operator::Sub => in_lowest_terms(numer - b.numer() * a.denom(), denom),
        Operator::Mul => in_lowest_terms(a.numer() * b.numer(), denom),
        Operator::Div if b.is_zero() => return Err(format!("{left} is divided by zero")),
        Operator::Div => in_lowest_terms(numer * b.numer().signum(), a.denom() * b.numer().abs()),
        Operator::Rem => {
            return Err(format!("`%` needs integers, and {left} % {right} has a float"));
        }
        Operator::Pow => {
            let Value::Int(exponent_value) = right else {
                return Err(format!("the exponent {right} is {}, not an integer", right.kind()));
            };
            let exponent = exponent(exponent_value)?;
            let bits = a.numer().bits().max(a.denom().bits());
            match i32::try_from(exponent) {
                Ok(exponent)
                    if bits.saturating_mul(exponent.unsigned_abs().into()) <= NUMBER_BITS_MAX =>
                {
                    a.pow(exponent)
                }
                _ => return Ok(None),
            }
        }
    };
    Ok(Some(float_value(result)))
}

/// A fraction whose denominator is positive. To find the divisor of a long and a short number, the library takes a step
/// for each bit of the long one, so that is divided by the short one before.
fn in_lowest_terms(numer: BigInt, denom: BigInt) -> BigRational {
    let (long, short) =
        if numer.bits() > denom.bits() { (&numer, &denom) } else { (&denom, &numer) };
    if short.is_zero() {
        return BigRational::zero();
    }
    let divisor = short / BigRational::new(long % short, short.clone()).denom();
    let divisor = divisor.abs();
    BigRational::new_raw(numer / &divisor, denom / divisor)
}

fn exponent(value: &Int) -> Result<u64, String> {
    let fits = match value {
        Int::Small(value) => u64::try_from(*value).ok(),
        Int::Big(value) => value.to_u64(),
    };
    fits.ok_or_else(|| format!("the exponent {} is not from 0 to 2^64 - 1", value.short_text()))
}

pub(super) fn negate(value: &Value) -> Result<Value, String> {
    match value {
        Value::Int(value) => Ok(Value::Int(value.negated())),
        Value::Float(value) => Ok(float_value(-(**value).clone())),
        Value::Text(_) => Err(format!("{value} is a string, which cannot be negated")),
    }
}

pub(super) fn float_value(ratio: BigRational) -> Value {
    Value::Float(Box::new(ratio))
}

impl Compare {
    pub(super) fn swapped(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::Greater => Self::Less,
            Self::LessEqual => Self::GreaterEqual,
            Self::GreaterEqual => Self::LessEqual,
            Self::Equal | Self::NotEqual => self,
        }
    }

    pub(super) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::Greater => ordering.is_gt(),
            Self::LessEqual => ordering.is_le(),
            Self::GreaterEqual => ordering.is_ge(),
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_in_lowest_terms() {
        let ratio = |text: &str| text.parse::<BigRational>().unwrap();
        let check = |a: &str, b: &str| {
            let (left, right) = (ratio(a), ratio(b));
            let apply = |op: Operator| {
                let value = |number: &BigRational| float_value(number.clone());
                apply_operator(op, &value(&left), &value(&right)).unwrap().to_ratio()
            };
            assert_eq!(apply(Operator::Add), Some(&left + &right), "{a} + {b}");
            assert_eq!(apply(Operator::Sub), Some(&left - &right), "{a} - {b}");
            assert_eq!(apply(Operator::Mul), Some(&left * &right), "{a} * {b}");
            assert_eq!(apply(Operator::Div), Some(&left / &right), "{a} / {b}");
        };
        check("1/2", "1/2");
        check("-1/6", "1/3");
        check("0/1", "-5/7");
        check("1000000000000000000000000000000000000000000/7", "-14/1");
        check("1/1000000000000000000000000000000000000000000", "5/1");
        check("-123456789012345678901234567890/11", "-22/123456789012345678901234567890");
        check("7/4", "-7/4");
    }
}
