//! The arguments of the default output validator.

use crate::check::float::{self, Tolerance};
use crate::check::named::{self, NamedComparison, OptionsError};
use crate::check::token::TokenRules;

/// By default it accepts other blanks and letter case, and compares numbers as text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    pub case_sensitive: bool,
    pub space_change_sensitive: bool,
    /// Whether tokens must be on the same lines, as CMS and sinol compare; empty lines at the end do not count.
    pub line_sensitive: bool,
    /// How far numbers may be from those of the judge answer; `None` compares them as text.
    pub tolerance: Option<Tolerance>,
    /// The comparison that was chosen by name. Unless it is the default output validator's, its rules replace these.
    pub named: Option<NamedComparison>,
}

/// An argument that packages of the Kattis formats cannot give: tokens must be on the same lines.
pub const LINE_SENSITIVE: &str = "line_sensitive, as CMS compares";

/// Names the comparison that a user chose, as the last argument. Packages of the Kattis formats cannot give it, either.
const NAMED: &str = "compared as ";

const CASE: &str = "case_sensitive";
const SPACE: &str = "space_change_sensitive";
const RELATIVE: &str = "float_relative_tolerance";
const ABSOLUTE: &str = "float_absolute_tolerance";
const BOTH: &str = "float_tolerance";

const ARGUMENTS: [&str; 5] = [CASE, SPACE, RELATIVE, ABSOLUTE, BOTH];

impl Options {
    /// The options of a comparison by its name.
    ///
    /// # Errors
    ///
    /// If the name is unknown, or its arguments are wrong.
    pub fn of_name(text: &str) -> Result<Self, OptionsError> {
        let named = named::parse(text)?.ok_or_else(|| unknown_name(text))?;
        Ok(Self::of_comparison(named))
    }

    /// The other options are those that come nearest, for diffs.
    pub(super) fn of_comparison(named: NamedComparison) -> Self {
        let nearest = Self::parse(&named.nearest_arguments()).unwrap_or_default();
        Self { named: Some(named), ..nearest }
    }

    pub(super) fn token_rules(&self) -> TokenRules {
        TokenRules { case_sensitive: self.case_sensitive, tolerance: self.tolerance }
    }

    /// Whether outputs are compared at all.
    pub fn compares(&self) -> bool {
        self.named.is_none_or(|named| named.compares())
    }

    /// Whether an output that equals the judge answer, and begins so, is right.
    pub fn accepts_equal_texts(&self, beginning: &[u8]) -> bool {
        self.named.is_none_or(|named| named.accepts_equal_texts(beginning))
    }

    /// Parses the arguments of a package; each name and each value is one of `args`.
    ///
    /// A repeated `case_sensitive` or `space_change_sensitive` changes nothing; the format forbids only repeated
    /// tolerances.
    ///
    /// Source: problem package format 2025-09, "Default output validator specification".
    ///
    /// # Errors
    ///
    /// If an argument is unknown, repeated, contradicted, or has no valid value.
    pub fn parse(args: &[String]) -> Result<Self, OptionsError> {
        if let Some(text) = comparison_name(args) {
            return Self::of_name(text);
        }
        let mut options = Self::default();
        let mut tolerances: Vec<(&str, f64)> = Vec::new();
        let mut args = args.iter().map(String::as_str);
        while let Some(argument) = args.next() {
            match argument {
                CASE => options.case_sensitive = true,
                SPACE => options.space_change_sensitive = true,
                LINE_SENSITIVE => options.line_sensitive = true,
                RELATIVE | ABSOLUTE | BOTH => {
                    if tolerances.iter().any(|(given, _)| *given == argument) {
                        return Err(OptionsError(format!(
                            "`{argument}` is given more than once; keep one of them"
                        )));
                    }
                    tolerances.push((argument, parse_tolerance(argument, args.next())?));
                }
                _ => return Err(unknown_argument(argument)),
            }
        }
        options.tolerance = tolerance(&tolerances)?;
        Ok(options)
    }
}

/// `given` has each argument at most once.
fn tolerance(given: &[(&str, f64)]) -> Result<Option<Tolerance>, OptionsError> {
    let of = |name| given.iter().find(|(argument, _)| *argument == name).map(|(_, most)| *most);
    let (absolute, relative) = (of(ABSOLUTE), of(RELATIVE));
    Ok(match (of(BOTH), absolute.or(relative)) {
        (None, None) => None,
        (None, Some(_)) => Some(Tolerance { absolute, relative }),
        (both, None) => Some(Tolerance { absolute: both, relative: both }),
        (Some(_), Some(_)) => {
            let other = if absolute.is_some() { ABSOLUTE } else { RELATIVE };
            return Err(OptionsError(format!(
                "`float_tolerance` already sets both tolerances; remove it or `{other}`"
            )));
        }
    })
}

fn parse_tolerance(argument: &str, value: Option<&str>) -> Result<f64, OptionsError> {
    let error = |message: String| Err(OptionsError(message));
    let Some(value) = value.filter(|value| !ARGUMENTS.contains(value)) else {
        return error(format!(
            "`{argument}` has no value; write the largest error after it, such as `{argument} 1e-6`"
        ));
    };
    let (what, advice) = match float::parse_number(value.as_bytes()) {
        None => ("not a number", "write one such as `1e-6` or `0.001`"),
        Some(number) if number < 0.0 => {
            ("negative, so nothing would be accepted", "leave out the sign")
        }
        Some(number) if number.is_infinite() => {
            ("too large for a number", "every number would be accepted")
        }
        // The absolute value, because `-0` is 0, too.
        Some(number) => return Ok(number.abs()),
    };
    error(format!("the value `{value}` of `{argument}` is {what}; {advice}"))
}

/// The arguments that choose a comparison by this text. Before its name are those with which the default output
/// validator comes nearest.
///
/// # Errors
///
/// If the name is unknown, or its arguments are wrong.
pub fn comparison_arguments(text: &str) -> Result<Vec<String>, OptionsError> {
    let named = named::parse(text)?.ok_or_else(|| unknown_name(text))?;
    let mut arguments = named.nearest_arguments();
    arguments.push(format!("{NAMED}{text}"));
    Ok(arguments)
}

/// The name of the comparison that these arguments choose, with its own arguments.
pub fn comparison_name(args: &[String]) -> Option<&str> {
    args.last()?.strip_prefix(NAMED)
}

/// Whether the default output validator can compare so. Its blanks are two more than those of `words`.
pub fn is_of_validator(text: &str) -> bool {
    matches!(text, "words" | "wcmp" | "tokens" | "exact" | "identical")
        || text.starts_with("float=")
}

/// The arguments that a package of the Kattis formats can give.
pub fn kattis_arguments(args: &[String]) -> &[String] {
    match args {
        [others @ .., last] if last == LINE_SENSITIVE || last.starts_with(NAMED) => others,
        all => all,
    }
}

fn unknown_name(text: &str) -> OptionsError {
    let help = match named::suggestion(text) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "`juror help comparisons` lists them".to_owned(),
    };
    OptionsError(format!("unknown comparison `{text}`; {help}"))
}

fn unknown_argument(argument: &str) -> OptionsError {
    let (name, value) = match argument.split_once(['=', ' ']) {
        Some((name, value)) => (name, Some(value)),
        None => (argument, None),
    };
    let name = name.trim_start_matches('-').to_lowercase().replace('-', "_");
    let help = match (nearest_argument(&name), value) {
        (Some(known), Some(value)) => format!("write `{known}` and `{value}` as two arguments"),
        (Some(known), None) => format!("did you mean `{known}`?"),
        (None, _) => format!("it has {}", ARGUMENTS.map(|name| format!("`{name}`")).join(", ")),
    };
    OptionsError(format!("the default output validator has no argument `{argument}`; {help}"))
}

/// The shortest argument with all words of this name comes before the one with the most similar spelling.
fn nearest_argument(name: &str) -> Option<&'static str> {
    let has_words =
        |known: &&str| name.split('_').all(|word| known.split('_').any(|other| other == word));
    let with_words = ARGUMENTS.into_iter().filter(has_words).min_by_key(|known| known.len());
    let slips = |known: &&str| strsim::osa_distance(name, known);
    let is_near = |known: &&str| slips(known) * 4 <= known.len();
    with_words.or_else(|| ARGUMENTS.into_iter().filter(is_near).min_by_key(slips))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &str) -> Result<Options, OptionsError> {
        let args: Vec<String> =
            args.split(' ').filter(|arg| !arg.is_empty()).map(str::to_owned).collect();
        Options::parse(&args)
    }

    #[test]
    fn good_arguments_set_what_they_name() {
        let check = |args: &str,
                     case_sensitive: bool,
                     space_change_sensitive: bool,
                     tolerance: [Option<f64>; 2]| {
            let [absolute, relative] = tolerance;
            let is_set = absolute.is_some() || relative.is_some();
            let tolerance = is_set.then_some(Tolerance { absolute, relative });
            let options =
                Options { case_sensitive, space_change_sensitive, tolerance, ..Options::default() };
            assert_eq!(parse(args), Ok(options), "{args}");
        };
        check("", false, false, [None, None]);
        check("case_sensitive", true, false, [None, None]);
        check("space_change_sensitive", false, true, [None, None]);
        check("float_tolerance 1e-6", false, false, [Some(1e-6), Some(1e-6)]);
        check("float_absolute_tolerance .5", false, false, [Some(0.5), None]);
        check("float_relative_tolerance 1.", false, false, [None, Some(1.0)]);
        check(
            "float_relative_tolerance 1e-9 space_change_sensitive float_absolute_tolerance 0 case_sensitive",
            true,
            true,
            [Some(0.0), Some(1e-9)],
        );
        check("float_tolerance +1E-4", false, false, [Some(1e-4), Some(1e-4)]);
        check("float_tolerance -0", false, false, [Some(0.0), Some(0.0)]);
    }

    #[test]
    fn a_repeated_flag_is_no_error() {
        assert_eq!(parse("case_sensitive case_sensitive"), parse("case_sensitive"));
    }

    #[test]
    fn bad_arguments_are_named_with_help() {
        let check = |args: &str, message: &str| {
            assert_eq!(parse(args).unwrap_err().to_string(), message, "{args}")
        };
        check(
            "float_tolerance",
            "`float_tolerance` has no value; write the largest error after it, such as `float_tolerance 1e-6`",
        );
        check(
            "float_absolute_tolerance case_sensitive",
            "`float_absolute_tolerance` has no value; write the largest error after it, \
             such as `float_absolute_tolerance 1e-6`",
        );
        for value in ["nan", "inf", "0x1p-3", "1_0", "1e", "1,5", "abc"] {
            check(
                &format!("float_tolerance {value}"),
                &format!(
                    "the value `{value}` of `float_tolerance` is not a number; write one such as `1e-6` or `0.001`"
                ),
            );
        }
        check(
            "float_tolerance -1e-6",
            "the value `-1e-6` of `float_tolerance` is negative, so nothing would be accepted; leave out the sign",
        );
        check(
            "float_tolerance 1e999",
            "the value `1e999` of `float_tolerance` is too large for a number; every number would be accepted",
        );
        let repeated = "is given more than once; keep one of them";
        for argument in [BOTH, ABSOLUTE, RELATIVE] {
            check(
                &format!("{argument} 1 case_sensitive {argument} 1"),
                &format!("`{argument}` {repeated}"),
            );
        }
        let advice = "`float_tolerance` already sets both tolerances; remove it or";
        check(
            "float_tolerance 1 float_absolute_tolerance 1",
            &format!("{advice} `float_absolute_tolerance`"),
        );
        check(
            "float_relative_tolerance 1 float_tolerance 1",
            &format!("{advice} `float_relative_tolerance`"),
        );
    }

    #[test]
    fn an_unknown_argument_gets_the_nearest_known_one() {
        let check = |argument: &str, help: &str| {
            let error = Options::parse(&[argument.to_owned()]).unwrap_err();
            let message =
                format!("the default output validator has no argument `{argument}`; {help}");
            assert_eq!(error.to_string(), message);
        };
        check("case_sensitve", "did you mean `case_sensitive`?");
        check("--case-sensitive", "did you mean `case_sensitive`?");
        check("CASE_SENSITIVE", "did you mean `case_sensitive`?");
        check("space_sensitive", "did you mean `space_change_sensitive`?");
        check("relative_tolerance", "did you mean `float_relative_tolerance`?");
        check("tolerance", "did you mean `float_tolerance`?");
        check("float_tolerence", "did you mean `float_tolerance`?");
        check("float_tolerance=1e-6", "write `float_tolerance` and `1e-6` as two arguments");
        check("float_tolerance 1e-6", "write `float_tolerance` and `1e-6` as two arguments");
        let all = "it has `case_sensitive`, `space_change_sensitive`, `float_relative_tolerance`, \
                   `float_absolute_tolerance`, `float_tolerance`";
        check("1e-6", all);
        check("", all);
        check("presentation", all);
    }
}
