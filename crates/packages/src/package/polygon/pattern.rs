//! Patterns of paths such as `tests/%02d`.

use juror_core::file_name::name_fault;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathPattern<'a> {
    start: &'a str,
    end: &'a str,
    digits: usize,
}

impl<'a> PathPattern<'a> {
    /// Reads `%d` or `%02d` with text around it.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (start, rest) = text.split_once('%')?;
        let (number, end) = rest.split_once('d')?;
        let digits = match number {
            "" => 1,
            number => number.strip_prefix('0')?.parse().ok().filter(|digits| *digits <= 9)?,
        };
        let pattern = Self { start, end, digits };
        (!end.contains('%') && name_fault(&pattern.path(1)).is_none()).then_some(pattern)
    }

    pub(super) fn path(self, number: usize) -> String {
        let Self { start, end, digits } = self;
        format!("{start}{number:0digits$}{end}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_pattern_takes_the_number_of_a_test() {
        let check = |pattern: &str, number: usize, expected: Option<&str>| {
            let found = PathPattern::parse(pattern).map(|pattern| pattern.path(number));
            assert_eq!(found.as_deref(), expected, "{pattern}");
        };
        check("tests/%02d", 7, Some("tests/07"));
        check("tests/%02d", 123, Some("tests/123"));
        check("tests/%d.in", 7, Some("tests/7.in"));
        check("tests/%03d.a", 7, Some("tests/007.a"));
        for wrong in [
            "tests/1",
            "tests/%s",
            "%2d",
            "%02d%02d",
            "%0xd",
            "%099999d",
            "/etc/%d",
            "../%d",
            "a/%d/../b",
            "a//%d",
            "%d/",
            "a\\%d",
        ] {
            check(wrong, 1, None);
        }
    }
}
