//! A moment in the calendar, in UTC.

use std::fmt;
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// A second from 1970 on, in UTC. It is written as `2026-11-21T19:40:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "String", try_from = "String")]
#[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
pub struct Moment(#[cfg_attr(feature = "schema", schemars(with = "String"))] DateTime<Utc>);

/// The last moment with a four-digit year.
const LAST_SECOND: i64 = 253_402_300_799;

impl Moment {
    /// From seconds since the beginning of 1970.
    pub fn new(seconds: u64) -> Self {
        let seconds = i64::try_from(seconds).unwrap_or(LAST_SECOND).min(LAST_SECOND);
        Self(DateTime::from_timestamp(seconds, 0).unwrap_or_default())
    }

    /// Seconds since the beginning of 1970.
    pub fn seconds(self) -> u64 {
        self.0.timestamp().unsigned_abs()
    }

    pub fn day(self) -> String {
        self.0.format("%F").to_string()
    }
}

impl From<SystemTime> for Moment {
    fn from(time: SystemTime) -> Self {
        // A clock that shows a time before 1970 is wrong.
        Self::new(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Secs, true))
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
        let moment = text.parse().ok().filter(|it| *it >= DateTime::UNIX_EPOCH).map(Self);
        // The parser accepts other forms, too.
        let moment = moment.filter(|it| it.to_string() == text);
        moment.ok_or_else(|| format!("`{text}` is not a time such as `2026-11-21T19:40:00Z`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_as_a_date_and_read_again() {
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
        check(253_402_300_799, "9999-12-31T23:59:59Z");
        assert_eq!(Moment::new(u64::MAX), Moment::new(253_402_300_799));
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
            "+026-11-21T19:40:00Z",
        ] {
            assert!(Moment::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
