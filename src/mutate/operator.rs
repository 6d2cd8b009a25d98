//! The kinds of mistakes that mutants make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A kind of mistake.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// Another comparison.
    Ror,
    /// Another arithmetic operation.
    Aor,
    /// The least for the greatest.
    Minmax,
    /// Off by one.
    Off1,
    /// A loop that begins, ends or steps otherwise.
    Loop,
    /// Odd for even.
    Parity,
    /// A narrower type.
    Type,
    /// Another initial value.
    Init,
    /// A value that is kept from one turn of a loop to the next.
    Reset,
    /// A memory of results that does not hold them.
    Memo,
    /// Two things in each other's place.
    Swaparg,
    /// Another result, or the end of a function or loop too early or too late.
    Ret,
    /// Equal values decided the other way.
    Tie,
    /// Input read or output written otherwise.
    Io,
    /// An array too small.
    Arr,
    /// A condition that is turned round, or always or never holds.
    Cond,
    /// A statement left out.
    Stmt,
}

impl Operator {
    /// All operators, in the order of lists. If two of them make the same text, the first one gets it.
    pub const ALL: [Self; 17] = [
        Self::Parity,
        Self::Tie,
        Self::Minmax,
        Self::Arr,
        Self::Reset,
        Self::Memo,
        Self::Init,
        Self::Loop,
        Self::Io,
        Self::Ror,
        Self::Aor,
        Self::Off1,
        Self::Type,
        Self::Swaparg,
        Self::Ret,
        Self::Cond,
        Self::Stmt,
    ];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ror => "ror",
            Self::Aor => "aor",
            Self::Minmax => "minmax",
            Self::Off1 => "off1",
            Self::Loop => "loop",
            Self::Parity => "parity",
            Self::Type => "type",
            Self::Init => "init",
            Self::Reset => "reset",
            Self::Memo => "memo",
            Self::Swaparg => "swaparg",
            Self::Ret => "ret",
            Self::Tie => "tie",
            Self::Io => "io",
            Self::Arr => "arr",
            Self::Cond => "cond",
            Self::Stmt => "stmt",
        }
    }

    /// The mistake in a few words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Ror => "compares differently",
            Self::Aor => "calculates differently",
            Self::Minmax => "takes the least instead of the greatest, or the other way round",
            Self::Off1 => "is off by one",
            Self::Loop => "begins, ends or steps a loop differently",
            Self::Parity => "confuses odd and even",
            Self::Type => "keeps numbers in a narrower type",
            Self::Init => "begins with another value",
            Self::Reset => "keeps what a loop should reset",
            Self::Memo => "forgets or misreads remembered results",
            Self::Swaparg => "swaps two values",
            Self::Ret => "returns another result, or leaves too early or too late",
            Self::Tie => "decides ties the other way",
            Self::Io => "reads or writes differently",
            Self::Arr => "makes an array too small",
            Self::Cond => "negates a condition, or makes it constant",
            Self::Stmt => "leaves a statement out",
        }
    }

    /// Whether its mutants often do not compile.
    pub const fn is_risky(self) -> bool {
        matches!(self, Self::Type | Self::Reset | Self::Init | Self::Swaparg)
    }

    /// The operator with this name; case does not matter.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.name().eq_ignore_ascii_case(name))
    }

    /// Half of the operators, chosen by the seed: test data is made without them and measured with them.
    pub fn held_out(seed: u64) -> Vec<Self> {
        let mut all = Self::ALL;
        all.sort_by_key(|operator| Sha256::digest(format!("{seed}:{}", operator.name())));
        let mut half = all[..Self::ALL.len() / 2].to_vec();
        half.sort();
        half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_a_name_of_its_own() {
        for operator in Operator::ALL {
            assert_eq!(Operator::by_name(operator.name()), Some(operator));
            let json = serde_json::to_string(&operator).unwrap();
            assert_eq!(json, format!("\"{}\"", operator.name()));
        }
        assert_eq!(Operator::by_name("TYPE"), Some(Operator::Type));
        assert_eq!(Operator::by_name("none"), None);
    }

    #[test]
    fn a_seed_holds_half_of_them_out() {
        assert_eq!(Operator::held_out(1), Operator::held_out(1));
        assert_ne!(Operator::held_out(1), Operator::held_out(2));
        for seed in 0..50 {
            let mut half = Operator::held_out(seed);
            half.dedup();
            assert_eq!(half.len(), 8);
        }
    }
}
