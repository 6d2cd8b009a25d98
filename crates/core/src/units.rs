//! Amounts whose unit is in the type.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct Bytes(pub u64);

impl Bytes {
    pub const fn kib(n: u64) -> Self {
        Self(n.saturating_mul(1 << 10))
    }

    pub const fn mib(n: u64) -> Self {
        Self(n.saturating_mul(1 << 20))
    }

    /// At most the largest amount.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// At least zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Bytes {
    /// With three digits and a binary unit: `17 B`, `1.50 KiB`, `256 MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let mut unit = 0;
        let mut amount = self.0 as f64;
        while amount >= 1023.5 && unit + 1 < UNITS.len() {
            amount /= 1024.0;
            unit += 1;
        }
        let decimals = match () {
            () if unit == 0 || amount.fract() == 0.0 || amount >= 99.95 => 0,
            () if amount >= 9.995 => 1,
            () => 2,
        };
        write!(f, "{amount:.decimals$} {}", UNITS[unit])
    }
}

/// A duration as people read it: `0.012 s`, `1.02 s`, `61 s`.
pub fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        0.9995.. if seconds >= 59.95 => format!("{seconds:.0} s"),
        0.9995.. if seconds >= 9.995 => format!("{seconds:.1} s"),
        0.9995.. => format!("{seconds:.2} s"),
        _ => format!("{seconds:.3} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_shown_in_seconds() {
        let check = |ms: u64, shown: &str| assert_eq!(seconds(Duration::from_millis(ms)), shown);
        check(0, "0.000 s");
        check(12, "0.012 s");
        check(999, "0.999 s");
        check(1000, "1.00 s");
        check(1016, "1.02 s");
        check(10_000, "10.0 s");
        check(61_400, "61 s");
    }

    #[test]
    fn bytes_are_shown_with_three_digits_and_a_binary_unit() {
        let check = |bytes: u64, shown: &str| assert_eq!(Bytes(bytes).to_string(), shown);
        check(0, "0 B");
        check(17, "17 B");
        check(1023, "1023 B");
        check(1024, "1 KiB");
        check(1536, "1.50 KiB");
        check(12_900, "12.6 KiB");
        check(268_435_456, "256 MiB");
        check(1 << 30, "1 GiB");
        check(1_048_575, "1.00 MiB");
        check(u64::MAX, "16777216 TiB");
    }
}
