//! A moment in the calendar, in UTC.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A moment, to the second. It is written as `2026-11-21T19:40:00Z`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(into = "String", try_from = "String")]
#[schemars(extend("format" = "date-time"))]
pub struct Moment(u64);

/// The last moment with a four-digit year.
const LAST: u64 = 253_402_300_799;

const DAY: u64 = 86_400;

impl Moment {
    /// A moment by seconds since the beginning of 1970.
    pub fn new(seconds: u64) -> Self {
        Self(seconds.min(LAST))
    }

    /// Seconds since the beginning of 1970.
    pub fn seconds(self) -> u64 {
        self.0
    }

    /// Year, month and day.
    fn date(self) -> (u64, u64, u64) {
        // In this computation years begin in March, so that the leap day comes last.
        let days = self.0 / DAY + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (era * 400 + year_of_era + u64::from(month <= 2), month, day)
    }

    /// The day, such as `2026-11-21`.
    pub fn day(self) -> String {
        let (year, month, day) = self.date();
        format!("{year:04}-{month:02}-{day:02}")
    }
}

impl From<SystemTime> for Moment {
    fn from(time: SystemTime) -> Self {
        // A clock before 1970 is wrong.
        Self::new(time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.0 % DAY;
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        write!(f, "{}T{hour:02}:{minute:02}:{second:02}Z", self.day())
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.to_string()
    }
}

impl TryFrom<String> for Moment {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a time such as `2026-11-21T19:40:00Z`");
        let number = |range: std::ops::Range<usize>| {
            let digits = text.get(range).filter(|it| it.bytes().all(|it| it.is_ascii_digit()));
            digits.and_then(|digits| digits.parse::<u64>().ok()).ok_or_else(wrong)
        };
        let (year, hour, minute, second) =
            (number(0..4)?, number(11..13)?, number(14..16)?, number(17..19)?);
        let (month, day) = (number(5..7)?, number(8..10)?);
        // The days of a year that begins in March.
        let (year, month) = if month <= 2 { (year, month + 9) } else { (year + 1, month - 3) };
        let year = year.checked_sub(1).ok_or_else(wrong)?;
        let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
        let days = days.checked_sub(719_469).ok_or_else(wrong)?;
        let moment = Self::new(days * DAY + hour * 3600 + minute * 60 + second);
        if moment.to_string() == text { Ok(moment) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_as_the_calendar_has_it_and_read_again() {
        let check = |seconds: u64, text: &str| {
            assert_eq!(Moment::new(seconds).to_string(), text);
            assert_eq!(Moment::try_from(text.to_owned()), Ok(Moment::new(seconds)), "{text}");
        };
        check(0, "1970-01-01T00:00:00Z");
        check(86_399, "1970-01-01T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(951_868_800, "2000-03-01T00:00:00Z");
        check(1_795_290_005, "2026-11-21T19:40:05Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
        check(LAST, "9999-12-31T23:59:59Z");
        assert_eq!(Moment::new(u64::MAX), Moment::new(LAST));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
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
            "+026-11-21T19:40:00Z",
        ] {
            assert!(Moment::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
