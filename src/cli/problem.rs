//! Prepares a package for a command: reads it, shows its faults, selects its cases and makes them ready.

use std::collections::HashSet;
use std::path::Path;
use std::slice::from_ref;

use crate::build::Builder;
use crate::build::bench::Bench;
use crate::check::options::Options;
use crate::cli::host::Host;
use crate::cli::output::Output;
use crate::generate::missing::{self, Made};
use crate::judge::case::{ReadyCase, Validators};
use crate::judge::draw::{Seen, Visualizers};
use crate::judge::grader::PackageGrader;
use crate::judge::score::Scheme;
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::grader::Dialect;
use crate::model::limits::Limits;
use crate::model::pattern::Pattern;
use crate::model::problem::Problem;
use crate::model::report::PackageReport;
use crate::model::score::CaseScoring;
use crate::model::stop::{Mend, Remark, Stop};
use crate::model::test_data::{JudgedCase, TestCase};
use crate::model::text::joined;
use crate::package::suggest::paths_near;
use crate::package::{self, Reading};
use crate::validate::trial;
use crate::validator::OutputValidator;

/// Which diagnostics about a package are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remarks {
    /// All: the user works on the package.
    All,
    /// Only errors that prevent judging: the user works on a submission.
    Errors,
}

/// Reads a package, in the named format if there is one, and shows its diagnostics.
///
/// # Errors
/// If it cannot be used.
pub fn read(
    dir: &Path,
    format: Option<&str>,
    remarks: Remarks,
    output: &Output,
) -> Result<Problem, Stop> {
    let dir = output.enter(dir)?;
    let mut reading = package::read_as(&dir, format);
    if remarks == Remarks::Errors {
        reading.diagnostics.retain(Diagnostic::prevents_judging);
    }
    usable(reading, output)
}

/// Sets the judge whose rules are used for scoring groups, if one is named.
pub fn set_dialect(problem: &mut Problem, dialect: Option<Dialect>) {
    if let (Some(graders), Some(dialect)) = (&mut problem.graders, dialect) {
        graders.dialect = dialect;
    }
}

/// The problem, unless reading it gave errors.
///
/// # Errors
/// If it did.
pub fn usable(reading: Reading, output: &Output) -> Result<Problem, Stop> {
    let used = match reading.problem {
        None => Err(Stop::Diagnosed(reading.diagnostics)),
        Some(problem) => {
            let found = &reading.diagnostics;
            let is_empty = problem.test_data.judged().is_empty();
            // Missing parts are reported, and the others are used.
            let prevents = |it: &Diagnostic| it.prevents_judging() || it.is_error() && is_empty;
            if found.iter().any(prevents) {
                Err(Stop::Diagnosed(reading.diagnostics))
            } else {
                output.diagnosed(reading.diagnostics);
                Ok(problem)
            }
        }
    };
    used.inspect_err(|_| output.event(Event::PackageRefused))
}

/// Makes the files that the package only describes: those of these test cases, or of all. They exist as long as the
/// returned value.
///
/// # Errors
/// If something cannot be made, the judge failed, or it was interrupted.
pub fn complete(
    problem: &mut Problem,
    names: Option<&HashSet<String>>,
    host: &Host,
    builder: &Builder<'_>,
    output: &Output,
) -> Result<Option<Made>, Stop> {
    let Some(recipe) = problem.unmade.take() else { return Ok(None) };
    let events = output.sink();
    let bench = host.bench(problem, builder, &events);
    let wanted = |name: &str| names.is_none_or(|names| names.contains(name));
    let made = missing::make(&bench, &recipe, &wanted, host.kept.as_deref())?;
    made.put_into(problem);
    Ok(Some(made))
}

/// The names of the cases that `--case` selects.
///
/// # Errors
/// If no case is selected.
pub fn selected(problem: &Problem, globs: &[String]) -> Result<HashSet<String>, Stop> {
    let cases = select(problem, globs)?;
    Ok(cases.iter().map(|case| case.test_case.name.clone()).collect())
}

/// The cases that `--case` selects, ready to be judged; without the option all.
///
/// # Errors
/// If no case is selected.
pub fn select<'a>(problem: &'a Problem, globs: &[String]) -> Result<Vec<ReadyCase<'a>>, Stop> {
    let judged = problem.test_data.judged();
    // A name may have signs of a pattern in it, such as braces.
    let is_name = |glob: &&String| {
        let name = named_by_file(glob);
        judged.iter().any(|case| case.test_case().name == name)
    };
    let (names, globs_left): (Vec<&String>, Vec<&String>) = globs.iter().partition(is_name);
    let names: HashSet<&str> = names.into_iter().map(|name| named_by_file(name)).collect();
    let mut patterns = Vec::new();
    for glob in globs_left {
        let pattern = Pattern::parse(glob.strip_suffix('/').unwrap_or(glob)).map_err(|error| {
            let help = error.help();
            Stop::usage(format!("--case '{glob}': {error}; {help}"))
        })?;
        patterns.push(pattern);
        patterns.extend(Pattern::parse(named_by_file(glob)));
    }
    let selected = |case: &JudgedCase<'_>| {
        let name = &case.test_case().name;
        globs.is_empty()
            || names.contains(&**name)
            || patterns.iter().any(|pattern| pattern.matches(name))
    };
    let cases: Vec<JudgedCase<'_>> = judged.into_iter().filter(selected).collect();
    if cases.is_empty() {
        let all = &problem.test_data.cases;
        let package = &problem.short_name;
        let remark = match all.len() {
            0 => {
                let help = match problem.recipe.is_some() {
                    true => "`juror generate` makes them from its recipe",
                    false => "`juror verify` shows what is missing",
                };
                Remark::of(format!("{package} has no test cases"), help)
            }
            number => {
                let typed = joined(globs.iter().map(|glob| format!("`{glob}`")), ", ");
                let what =
                    format!("--case {typed} selects none of the {number} test cases of {package}");
                Remark::of(what, meant(globs, all))
            }
        };
        return Err(Stop::Refused(Mend::Selection, vec![remark]));
    }
    ready(problem, cases)
}

/// The test case with this name or file, including those only for validators.
///
/// # Errors
/// If there is none.
pub fn find_case<'a>(problem: &'a Problem, typed: &str) -> Result<&'a TestCase, Stop> {
    let data = &problem.test_data;
    let all: Vec<&TestCase> = data.cases.iter().chain(data.examples()).collect();
    let name = named_by_file(typed);
    let found = all.iter().find(|case| case.name == name);
    found.copied().ok_or_else(|| {
        let names = all.iter().map(|case| &*case.name);
        let near = paths_near(name, names);
        let hint = match (near.is_empty(), all.is_empty()) {
            (false, _) => near,
            (true, false) => format!("names look like {}", examples(&data.cases)),
            (true, true) => "it has none; `juror verify` shows what is missing".to_owned(),
        };
        let what = format!("`{typed}` is not a test case of {}; {hint}", problem.short_name);
        Stop::Refused(Mend::Selection, vec![what.into()])
    })
}

/// The name of the test case for a path of its file, or its path in the package.
fn named_by_file(glob: &str) -> &str {
    let name = glob.strip_prefix("data/").unwrap_or(glob);
    name.strip_suffix(".in").or_else(|| name.strip_suffix(".ans")).unwrap_or(name)
}

/// Builds the package's own validators, if it has some, and tests the output validator before it judges. Reports what it
/// breaks down on.
///
/// # Errors
/// If one does not build, if verdicts of the output validator would mean nothing, if the judge failed or was interrupted.
pub fn validators(bench: &Bench<'_>, seen: Seen) -> Result<Validators, Stop> {
    tried_validators(bench, seen, |fault| fault.is_fatal)
}

/// The same, but refuses an output validator that breaks down on anything.
///
/// # Errors
/// As [`validators`], and for each fault of the output validator.
pub fn faultless_validators(bench: &Bench<'_>) -> Result<Validators, Stop> {
    tried_validators(bench, Seen::Never, |_| true)
}

fn tried_validators(
    bench: &Bench<'_>,
    seen: Seen,
    stops: impl Fn(&trial::TrialFault) -> bool,
) -> Result<Validators, Stop> {
    let build_limits = Limits::of_compiler(&bench.problem.limits);
    let validators = Validators {
        output: OutputValidator::build(bench, &build_limits)?,
        interactor: OutputValidator::interactor(bench, &build_limits)?,
        visualizers: Visualizers::build(bench, seen)?,
        static_validator: OutputValidator::static_validator(bench, &build_limits)?,
        grader: PackageGrader::build(bench, &build_limits)?,
    };
    // If there is an interactor, only it can write the output for the output validators.
    let tried = match &validators.interactor {
        Some(interactor) => from_ref(interactor),
        None => &validators.output,
    };
    for validator in tried {
        let found = trial::faults(bench, validator)?;
        let is_over = found.iter().any(|fault| fault.remark.is_error() && stops(fault));
        let remarks = found.into_iter().map(|fault| fault.remark);
        if is_over {
            return Err(Stop::Diagnosed(remarks.collect()));
        }
        remarks.map(Event::Diagnosed).for_each(bench.events);
    }
    Ok(validators)
}

/// The test cases or directories that were probably meant; otherwise examples of names.
fn meant(globs: &[String], cases: &[TestCase]) -> String {
    let names = cases.iter().flat_map(|case| {
        let ends = case.name.match_indices('/').map(|(end, _)| &case.name[..end]);
        ends.chain([case.name.as_str()])
    });
    let names: Vec<&str> = names.collect();
    let near = globs.iter().map(|glob| {
        let name = named_by_file(glob).trim_end_matches(['*', '/']);
        paths_near(name, names.iter().copied())
    });
    let mut near = near.filter(|near| !near.is_empty());
    near.next().unwrap_or_else(|| format!("names look like {}", examples(cases)))
}

fn examples(cases: &[TestCase]) -> String {
    let shown = [cases.first(), cases.last()];
    let mut names: Vec<String> =
        shown.into_iter().flatten().map(|case| format!("`{}`", case.name)).collect();
    names.dedup();
    names.join(" and ")
}

fn ready<'a>(problem: &Problem, cases: Vec<JudgedCase<'a>>) -> Result<Vec<ReadyCase<'a>>, Stop> {
    let mut ready = Vec::new();
    let mut wrong = Vec::new();
    let scheme = Scheme::of(problem);
    for case in cases {
        let test_case = case.test_case();
        let options = match problem.output_validators.is_empty() {
            // Only the package's own validators know what their arguments mean.
            false => Ok(Options::default()),
            true => Options::parse(&test_case.output_validator_args),
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
                    .map_or(CaseScoring::Ignored, |scheme| scheme.case(test_case)),
                options,
                input: Blob::file(&test_case.input),
                answer: test_case.answer.as_ref().map(Blob::file),
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

/// The event that names the current package.
pub fn package_read(problem: &Problem, submissions: usize, test_cases: usize) -> Event {
    Event::PackageRead(Box::new(PackageReport {
        name: problem.short_name.clone(),
        path: (&problem.dir).into(),
        title: problem.name("en").unwrap_or_default().to_owned(),
        format: problem.layout.format.to_owned(),
        format_reason: problem.format_reason.clone(),
        format_is_guessed: problem.layout.is_guessed,
        submissions,
        test_cases,
        all_test_cases: problem.test_data.judged().len(),
        limits: None,
    }))
}
