//! A moment in the calendar, in UTC.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use serde_with::{DeserializeFromStr, SerializeDisplay};

/// A second from 1970 on, in UTC. It is written as `2026-11-21T19:40:00Z`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, SerializeDisplay, DeserializeFromStr,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
pub struct Moment(#[cfg_attr(feature = "schema", schemars(with = "String"))] u64);

/// The last moment with a four-digit year.
const LAST_SECOND: u64 = 253_402_300_799;
const SECONDS_OF_DAY: u64 = 24 * 60 * 60;

impl Moment {
    /// From seconds since the beginning of 1970.
    pub fn new(seconds: u64) -> Self {
        Self(seconds.min(LAST_SECOND))
    }

    /// Seconds since the beginning of 1970.
    pub fn seconds(self) -> u64 {
        self.0
    }

    /// As `2026-11-21`.
    pub fn day(self) -> String {
        let days = self.0 / SECONDS_OF_DAY;
        let is_reached = |year, month| days_before(year, month).is_some_and(|start| start <= days);
        // No year has more days: this one or a later one.
        let mut year = 1970 + days / 366;
        while is_reached(year + 1, 1) {
            year += 1;
        }
        let month = (1..=12).rev().find(|month| is_reached(year, *month)).unwrap_or(1);
        let day = days + 1 - days_before(year, month).unwrap_or_default();
        format!("{year:04}-{month:02}-{day:02}")
    }
}

/// Days from the beginning of 1970 to that of a month.
///
/// Months are counted from March, so a leap day ends its year. From March on, months have 31 and 30 days in turn, but
/// July and August, December and January both have 31: five have 153.
fn days_before(year: u64, month: u64) -> Option<u64> {
    /// From 1 March of the year 0.
    const DAYS_TO_1970: u64 = 719_468;
    let march_year = year.checked_sub(u64::from(month <= 2))?;
    let leap_days = march_year / 4 - march_year / 100 + march_year / 400;
    let days_of_year = (153 * ((month + 9) % 12) + 2) / 5;
    (365 * march_year + leap_days + days_of_year).checked_sub(DAYS_TO_1970)
}

impl From<SystemTime> for Moment {
    fn from(time: SystemTime) -> Self {
        // A clock that shows a time before 1970 is wrong.
        Self::new(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [hour, minute, second] = [self.0 / 3600 % 24, self.0 / 60 % 60, self.0 % 60];
        write!(f, "{}T{hour:02}:{minute:02}:{second:02}Z", self.day())
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let moment = parse(text);
        moment.ok_or_else(|| format!("`{text}` is not a time such as `2026-11-21T19:40:00Z`"))
    }
}

fn parse(text: &str) -> Option<Moment> {
    let numbers = text.split(['-', 'T', ':', 'Z']).map_while(|number| number.parse::<u16>().ok());
    let numbers: Vec<u64> = numbers.map(u64::from).collect();
    let [year, month, day, hour, minute, second] = numbers[..] else { return None };
    let days = days_before(year, month)? + day.checked_sub(1)?;
    let moment = Moment::new(days * SECONDS_OF_DAY + hour * 3600 + minute * 60 + second);
    // A date that does not exist is written as another one.
    Some(moment).filter(|moment| moment.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_as_a_date_and_read_again() {
        let check = |seconds: u64, text: &str| {
            assert_eq!(Moment::new(seconds).to_string(), text);
            assert_eq!(text.parse(), Ok(Moment::new(seconds)), "{text}");
        };
        check(0, "1970-01-01T00:00:00Z");
        check(86_399, "1970-01-01T23:59:59Z");
        check(31_536_000, "1971-01-01T00:00:00Z");
        check(68_169_599, "1972-02-28T23:59:59Z");
        check(68_169_600, "1972-02-29T00:00:00Z");
        check(94_694_399, "1972-12-31T23:59:59Z");
        check(94_694_400, "1973-01-01T00:00:00Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(951_868_800, "2000-03-01T00:00:00Z");
        check(1_795_290_005, "2026-11-21T19:40:05Z");
        check(4_107_542_399, "2100-02-28T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
        check(253_402_300_799, "9999-12-31T23:59:59Z");
        assert_eq!(Moment::new(u64::MAX), Moment::new(253_402_300_799));
    }

    /// To the last day of 2399, after which the calendar repeats.
    #[test]
    fn each_day_comes_after_the_one_before() {
        let mut days = 0;
        for year in 1970..2400 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(months) {
                for day in 1..=length {
                    let shown = Moment::new(days * SECONDS_OF_DAY).day();
                    assert_eq!(shown, format!("{year}-{month:02}-{day:02}"));
                    days += 1;
                }
            }
        }
    }

    #[test]
    fn other_texts_are_no_moments() {
        for text in [
            "",
            "2026-11-21",
            "2026-11-21 19:40:00Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "0000-01-01T00:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T19:60:00Z",
            "2026-11-21T19:40:60Z",
            "2026-11-00T19:40:00Z",
            "2026-11-31T19:40:00Z",
            "2100-02-29T00:00:00Z",
            "1970-01-00T00:00:00Z",
            "10000-01-01T00:00:00Z",
            "65535-65535-65535T65535:65535:65535Z",
            "2026-11-21T19:40:00",
            "2026-11-21T19:40:00ZZ",
            "2026-11-21T19:40:00+00:00",
            "2026-11-21T19:40:00.5Z",
            "2026-1-21T19:40:00Z",
            "+026-11-21T19:40:00Z",
        ] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}
