//! The test cases of a problem that a command selects, ready to be judged.

use std::collections::HashSet;
use std::slice::from_ref;

use juror_core::blob::Blob;
use juror_core::check::options::Options;
use juror_core::diagnostic::Diagnostic;
use juror_core::limits::{OUTPUT_WITHOUT_LIMIT, ProblemLimits, TIME_WITHOUT_PACKAGE};
use juror_core::pattern::Pattern;
use juror_core::problem::{Interaction, Problem};
use juror_core::score::CaseScoring;
use juror_core::stop::{RefusalSubject, Remark, Stop};
use juror_core::test_data::{JudgedCase, TestCase};
use juror_core::text::{composed, joined};
use juror_judging::judge::case::ReadyCase;
use juror_judging::judge::score::ScoringScheme;
use juror_packages::package::suggest::paths_near;

/// Outputs for inputs without answers are shown, not judged.
const NO_COMPARISON: &str = "none";

/// All test cases of the problem, ready to be judged.
pub fn all_cases(problem: &Problem) -> Result<Vec<ReadyCase<'_>>, Stop> {
    ready_cases(problem, &select_names(problem, &[])?)
}

/// The names of the test cases that `--case` selects. Each glob must select some, so that a misspelt one is reported.
pub fn select_by_each(problem: &Problem, globs: &[String]) -> Result<HashSet<String>, Stop> {
    if globs.is_empty() {
        return select_names(problem, globs);
    }
    let mut names = HashSet::new();
    for glob in split_at_commas(problem, globs) {
        names.extend(select_names(problem, from_ref(&glob))?);
    }
    Ok(names)
}

/// The names of the test cases that `--case` selects; without the option all.
pub fn select_names(problem: &Problem, globs: &[String]) -> Result<HashSet<String>, Stop> {
    let globs = &split_at_commas(problem, globs);
    let judged = problem.test_data.judged_cases();
    // A name may contain characters of patterns, such as braces.
    let is_name = |glob: &&String| {
        let name = case_name_of_path(glob);
        judged.iter().any(|case| composed(&case.test_case().name) == name)
    };
    let (names, globs_left): (Vec<&String>, Vec<&String>) = globs.iter().partition(is_name);
    let names: HashSet<&str> = names.into_iter().map(|name| case_name_of_path(name)).collect();
    let mut patterns = Vec::new();
    for glob in globs_left {
        let pattern = Pattern::parse(glob.strip_suffix('/').unwrap_or(glob)).map_err(|error| {
            let help = error.help();
            Stop::usage(format!("--case '{glob}': {error}; {help}"))
        })?;
        patterns.push(pattern);
        patterns.extend(Pattern::parse(case_name_of_path(glob)));
    }
    let is_selected = |case: &&JudgedCase<'_>| {
        let name = &*composed(&case.test_case().name);
        globs.is_empty()
            || names.contains(name)
            || patterns.iter().any(|pattern| pattern.matches(name))
    };
    let cases = judged.iter().filter(is_selected);
    let selected: HashSet<String> = cases.map(|case| case.test_case().name.clone()).collect();
    if selected.is_empty() {
        let all = &problem.test_data.cases;
        let package = &problem.short_name;
        let remark = match all.len() {
            0 => {
                let help = if problem.recipe.is_some() {
                    "`juror generate` makes them from its recipe"
                } else {
                    "`juror verify` shows what is missing"
                };
                Remark::with_help(format!("{package} has no test cases"), help)
            }
            number => {
                let typed = joined(globs.iter().map(|glob| format!("`{glob}`")), ", ");
                let what =
                    format!("--case {typed} selects none of the {number} test cases of {package}");
                Remark::with_help(what, suggest_names(globs, all))
            }
        };
        return Err(Stop::Refused(RefusalSubject::Selection, vec![remark]));
    }
    Ok(selected)
}

/// `1,2` means two test cases, unless one of them is called so. Commas in braces separate parts of a glob.
fn split_at_commas(problem: &Problem, globs: &[String]) -> Vec<String> {
    let judged = problem.test_data.judged_cases();
    let is_name = |glob: &str| judged.iter().any(|case| composed(&case.test_case().name) == glob);
    let mut all = Vec::new();
    for glob in globs.iter().map(|glob| composed(glob)) {
        let mut depth = 0_usize;
        let is_comma = |letter: char| {
            match letter {
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            letter == ',' && depth == 0
        };
        let parts: Vec<&str> = glob.split(is_comma).collect();
        if is_name(case_name_of_path(&glob)) {
            all.push(glob.clone());
        } else {
            all.extend(parts.into_iter().map(str::to_owned));
        }
    }
    all
}

/// Also finds test cases that are only for validators.
pub fn find_case<'a>(problem: &'a Problem, typed: &str) -> Result<&'a TestCase, Stop> {
    let data = &problem.test_data;
    let all: Vec<&TestCase> = data.cases.iter().chain(data.examples()).collect();
    let typed = &composed(typed);
    let name = case_name_of_path(typed);
    let found = all.iter().find(|case| composed(&case.name) == name);
    found.copied().ok_or_else(|| {
        let names = all.iter().map(|case| &*case.name);
        let hint = match paths_near(name, names) {
            Some(near) => near,
            None if all.is_empty() => {
                "it has none; `juror verify` shows what is missing".to_owned()
            }
            None => format!("names look like {}", example_names(&data.cases)),
        };
        let what = format!("`{typed}` is not a test case of {}; {hint}", problem.short_name);
        Stop::Refused(RefusalSubject::Selection, vec![what.into()])
    })
}

/// Accepts the path of a file, and the path in the package.
fn case_name_of_path(glob: &str) -> &str {
    let name = glob.strip_prefix("data/").unwrap_or(glob);
    name.strip_suffix(".in").or_else(|| name.strip_suffix(".ans")).unwrap_or(name)
}

/// Test cases or directories with similar names; otherwise examples of names.
fn suggest_names(globs: &[String], cases: &[TestCase]) -> String {
    let names = cases.iter().flat_map(|case| {
        let ends = case.name.match_indices('/').map(|(end, _)| &case.name[..end]);
        ends.chain([case.name.as_str()])
    });
    let names: Vec<&str> = names.collect();
    let hint = globs.iter().find_map(|glob| {
        let name = case_name_of_path(glob).trim_end_matches(['*', '/']);
        paths_near(name, names.iter().copied())
    });
    hint.unwrap_or_else(|| format!("names look like {}", example_names(cases)))
}

fn example_names(cases: &[TestCase]) -> String {
    let shown = [cases.first(), cases.last()];
    let mut names: Vec<String> =
        shown.into_iter().flatten().map(|case| format!("`{}`", case.name)).collect();
    names.dedup();
    names.join(" and ")
}

/// The test cases with these names, ready to be judged, in the order of the problem.
pub fn ready_cases<'a>(
    problem: &'a Problem,
    names: &HashSet<String>,
) -> Result<Vec<ReadyCase<'a>>, Stop> {
    let mut ready = Vec::new();
    let mut wrong = Vec::new();
    let scheme = ScoringScheme::of(problem);
    let is_named = |case: &JudgedCase<'_>| names.contains(&case.test_case().name);
    for case in problem.test_data.judged_cases().into_iter().filter(is_named) {
        let test_case = case.test_case();
        let is_unanswered = test_case.answer.is_none() && test_case.needs_no_answer;
        let options = if is_unanswered && problem.kind.interaction != Interaction::Interactive {
            Options::of_name(NO_COMPARISON)
        } else if problem.output_validators.is_empty() {
            Options::parse(&test_case.output_validator_args)
        } else {
            // Only the package's own validators know what their arguments mean.
            Ok(Options::default())
        };
        match options {
            Ok(options) => ready.push(ReadyCase {
                test_case,
                static_args: match case {
                    JudgedCase::Run(_) => None,
                    JudgedCase::Static(case) => Some(&case.args),
                },
                scoring: scheme
                    .as_ref()
                    .map_or(CaseScoring::Ignored, |scheme| scheme.case_scoring(test_case)),
                options,
                input: case_input(test_case),
                answer: match &test_case.answer {
                    Some(path) => Some(Blob::file(path)),
                    None => is_unanswered.then(Blob::default),
                },
            }),
            Err(error) => {
                let config = test_case.input.with_extension("yaml");
                let what =
                    format!("arguments of the output validator for {}: {error}", test_case.name);
                wrong.push(Diagnostic::error(config, what));
            }
        }
    }
    if wrong.is_empty() { Ok(ready) } else { Err(Stop::Diagnosed(wrong)) }
}

/// Empty if the test case has no file.
pub fn case_input(test_case: &TestCase) -> Blob {
    let is_there = !test_case.input.as_os_str().is_empty();
    if is_there { Blob::file(&test_case.input) } else { Blob::default() }
}

pub fn problem_without_package() -> Problem {
    let limits = ProblemLimits {
        time_limit: Some(TIME_WITHOUT_PACKAGE),
        output: Some(OUTPUT_WITHOUT_LIMIT),
        ..ProblemLimits::default()
    };
    Problem { limits, ..Problem::default() }
}

/// Named `1`, `2` and so on; they have no files.
pub fn numbered_cases(count: usize) -> Vec<TestCase> {
    let named = |number: usize| TestCase { name: number.to_string(), ..TestCase::default() };
    (1..=count).map(named).collect()
}

pub fn inline_cases<'a>(
    named: &'a [TestCase],
    texts: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>,
    options: Options,
) -> Vec<ReadyCase<'a>> {
    let all = named.iter().zip(texts).map(|(test_case, (input, answer))| {
        ReadyCase::without_score(test_case, options, input.into(), answer.into())
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has it an answer for its judge, and is its output compared?
    #[test]
    fn a_missing_answer_is_an_empty_one_only_if_the_case_needs_none() {
        let check = |needs_no_answer: bool, interaction: Interaction, expected: (bool, bool)| {
            let name = "1".to_owned();
            let mut problem = Problem::default();
            problem.kind.interaction = interaction;
            let case = TestCase { name: name.clone(), needs_no_answer, ..TestCase::default() };
            problem.test_data.cases.push(case);
            let ready = ready_cases(&problem, &HashSet::from([name])).expect("a case");
            let found = (ready[0].answer.is_some(), ready[0].options.compares());
            assert_eq!(found, expected, "{needs_no_answer} {interaction:?}");
        };
        check(false, Interaction::None, (false, true));
        check(false, Interaction::Interactive, (false, true));
        check(true, Interaction::None, (true, false));
        check(true, Interaction::Interactive, (true, true));
    }
}
