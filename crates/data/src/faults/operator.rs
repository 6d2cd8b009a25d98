//! The kinds of mistakes that mutants make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use juror_core::words::words;

words! {
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
    )]
    #[serde(rename_all = "lowercase")]
    pub enum Operator {
        Ror = "ror",
        Aor = "aor",
        /// The least for the greatest.
        Minmax = "minmax",
        Off1 = "off1",
        /// A loop that begins, ends or steps otherwise.
        Loop = "loop",
        /// Odd for even.
        Parity = "parity",
        Type = "type",
        Init = "init",
        /// A value that stays from one iteration of a loop to the next.
        Reset = "reset",
        /// A memory of results that does not hold them.
        Memo = "memo",
        Swaparg = "swaparg",
        /// Another result, or the end of a function or loop too early or too late.
        Ret = "ret",
        Tie = "tie",
        Io = "io",
        Arr = "arr",
        /// A condition that is turned round, or always or never holds.
        Cond = "cond",
        Stmt = "stmt",
    }
}

impl Operator {
    /// In the order of lists for people, each with its mistake in a few words. If two operators make the same text,
    /// the first one gets it.
    pub const RANKED: [(Self, &str); 17] = [
        (Self::Parity, "confuses odd and even"),
        (Self::Tie, "decides ties the other way"),
        (Self::Minmax, "takes the least instead of the greatest, or the other way round"),
        (Self::Arr, "makes an array too small"),
        (Self::Reset, "keeps what a loop should reset"),
        (Self::Memo, "forgets or misreads remembered results"),
        (Self::Init, "begins with another value"),
        (Self::Loop, "begins, ends or steps a loop differently"),
        (Self::Io, "reads or writes differently"),
        (Self::Ror, "compares differently"),
        (Self::Aor, "calculates differently"),
        (Self::Off1, "is off by one"),
        (Self::Type, "keeps numbers in a narrower type"),
        (Self::Swaparg, "swaps two values"),
        (Self::Ret, "returns another result, or leaves too early or too late"),
        (Self::Cond, "negates a condition, or makes it constant"),
        (Self::Stmt, "leaves a statement out"),
    ];

    /// The mistake in a few words.
    pub fn description(self) -> &'static str {
        Self::RANKED.into_iter().find(|ranked| ranked.0 == self).map_or("", |ranked| ranked.1)
    }

    pub const fn is_risky(self) -> bool {
        matches!(self, Self::Type | Self::Reset | Self::Init | Self::Swaparg)
    }

    /// Ignores case.
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
    fn operator_names_are_unique() {
        for operator in Operator::ALL {
            assert_eq!(Operator::by_name(operator.name()), Some(operator));
            let json = serde_json::to_string(&operator).unwrap();
            assert_eq!(json, format!("\"{}\"", operator.name()));
        }
        assert_eq!(Operator::by_name("TYPE"), Some(Operator::Type));
        assert_eq!(Operator::by_name("none"), None);
    }

    #[test]
    fn a_seed_holds_out_half_of_the_operators() {
        assert_eq!(Operator::held_out(1), Operator::held_out(1));
        assert_ne!(Operator::held_out(1), Operator::held_out(2));
        for seed in 0..50 {
            let mut half = Operator::held_out(seed);
            half.dedup();
            assert_eq!(half.len(), 8);
        }
    }
}
