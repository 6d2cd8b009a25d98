//! `juror verify`: checks packages, their data, and all their submissions against the expectations.

use clap::Args;

use crate::door::cases;
use crate::ops::assembly::Assembly;
use crate::ops::concurrent_packages::PackageWork;
use crate::ops::context::Context;
use crate::ops::given::GivenOptions;
use crate::ops::host::Host;
use crate::ops::next_steps;
use crate::ops::operation::Operation;
use crate::ops::options::{RUNS, RunOptions};
use crate::ops::package_tree;
use crate::ops::problem::{self, ShownDiagnostics};
use crate::ops::saved_boxes;
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::event::{CommandTask, Event, Note};
use juror_core::file_name::flat_name;
use juror_core::grader::Dialect;
use juror_core::judgement::{CaseJudgement, Judgement};
use juror_core::problem::Problem;
use juror_core::progress::NextStep;
use juror_core::recipe::Recipe;
use juror_core::root::FilePath;
use juror_core::score::TotalScore;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::submission::Submission;
use juror_core::text::{command_line, count};
use juror_core::verdict::Verdict;
use juror_data::recipe::comparison;
use juror_data::validity::test_data::judge_answers::doubtful_answers;
use juror_data::validity::test_data::{self, DataCheck, mutations, undiscriminating};
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::{Detail, RepeatLine};
use juror_judging::judge::images::{self, ImageUse};
use juror_judging::judge::judging::{self, prepare_entries};
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::score::{RunPolicy, points_by_dialect};
use juror_judging::judge::time_limit;
use juror_packages::package::recipe;
use juror_packages::statement::check_statements;
use juror_sandbox::executor::scheduler::SlotQueue;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[derive(Clone, Debug, Args)]
pub struct VerifyOptions {
    #[command(flatten)]
    pub given: GivenOptions<Self>,
    /// Problem packages: directories or archives. Of another directory, the packages below it
    #[arg(required_unless_present = "changed", value_name = "PACKAGE")]
    pub packages: Vec<PathBuf>,
    /// Only packages that hold a file of this list, such as `git diff --name-only` prints it; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub changed: Option<PathBuf>,
    #[command(flatten)]
    pub runs: RunOptions,
    /// Run every submission on every test case, even if that can prove nothing more
    ///
    /// Otherwise, a submission runs until no further run could change whether it is as expected. --verbose runs all,
    /// too, to show which test cases no submission fails on.
    #[arg(long, help_heading = RUNS)]
    pub all: bool,
    /// Make warnings errors
    #[arg(long)]
    pub strict: bool,
}

impl Operation for VerifyOptions {
    type Result = ();
    const NAME: &'static str = "verify";
    const TASK: CommandTask = CommandTask::Verify;

    /// Verifies several packages at the same time.
    fn run(&self, context: &Context) -> Result<(), Stop> {
        let runs = &self.runs;
        context.set_strict(self.strict);
        for dir in &self.packages {
            saved_boxes::refuse_misplaced_value(runs.keep.as_ref(), dir)?;
        }
        let chosen =
            package_tree::choose_packages(&self.packages, self.changed.as_deref(), context)?;
        if chosen.is_empty() {
            return Ok(());
        }
        let packages = context.name_packages(&chosen);
        let keep = saved_boxes::keep_directory(runs.keep.as_ref(), context)?;
        let host = Host::start(&runs.host, context)?;
        if let Some(shard) = runs.shard {
            context.send_event(Event::ShardChosen(shard));
        }
        let units = AtomicUsize::new(0);
        let at_once = host.executor.slots();
        let queue = SlotQueue::new(at_once);
        let work = PackageWork {
            begin: &|dir, context| read_package(runs, dir, context, &units),
            process: &|index, dir, package, context| {
                let host = host.for_user(&queue, index);
                let assembly = &Assembly::new(&host, context);
                let verifier = Verifier { options: self, assembly, context, keep: keep.as_ref() };
                // Only the first shard lists the steps.
                let is_first = runs.shard.is_none_or(|shard| shard.index == 1);
                let steps = match &package {
                    _ if !is_first || !runs.case.is_empty() => Vec::new(),
                    Ok(package) => next_steps::next_steps(dir, &package.problem),
                    Err(_) => next_steps::next_steps_of_faulty_package(dir, runs.format.as_deref()),
                };
                let verified = package.and_then(|package| verifier.verify_package(package));
                context.contain_failure(verified)?;
                if !steps.is_empty() {
                    context.send_event(Event::Noted(Note::NextSteps(steps)));
                }
                Ok(())
            },
            stop_all: &|| host.executor.stop(),
        };
        work.run(context, &packages, at_once)
    }
}

/// A package with the work that this shard does on it.
struct AssignedPackage {
    problem: Problem,
    submissions: Vec<Submission>,
    selected: HashSet<String>,
    /// Its recipe, unless that has faults.
    recipe: Option<Recipe>,
    /// Whether this shard checks its data.
    has_data_check: bool,
}

/// `units` counts the units of work that were assigned to shards so far.
fn read_package(
    runs: &RunOptions,
    dir: &Path,
    context: &Context,
    units: &AtomicUsize,
) -> Result<AssignedPackage, Stop> {
    let mut problem =
        problem::read_problem(dir, runs.format.as_deref(), ShownDiagnostics::All, context)?;
    runs.apply_limits(&mut problem.limits);
    problem::set_dialect(&mut problem, runs.dialect);
    context.send_diagnostics(dialect_warning(&problem, runs.dialect));
    let selected = cases::select_names(&problem, &runs.case)?;
    let is_mine = || {
        let unit = units.fetch_add(1, Ordering::Relaxed);
        runs.shard.is_none_or(|shard| shard.contains(unit))
    };
    let is_data_mine = is_mine();
    let mut recipe = None;
    if let Some(path) = problem.recipe.as_ref().filter(|_| is_data_mine) {
        let reading = recipe::read_for_problem(path, &problem);
        // The data exists, so a faulty recipe is only a warning.
        let found: Vec<Diagnostic> =
            reading.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
        recipe = reading.recipe.filter(|_| found.is_empty());
        context.send_diagnostics(
            found.into_iter().map(|fault| Diagnostic { severity: Severity::Warning, ..fault }),
        );
    }
    if is_data_mine && runs.case.is_empty() {
        context.send_diagnostics(check_statements(&problem)?);
    }
    let submissions = problem.submissions.iter().filter(|_| is_mine()).cloned().collect();
    Ok(AssignedPackage { problem, submissions, selected, recipe, has_data_check: is_data_mine })
}

struct Verifier<'a> {
    options: &'a VerifyOptions,
    assembly: &'a Assembly<'a>,
    context: &'a Context,
    keep: Option<&'a FilePath>,
}

impl Verifier<'_> {
    fn verify_package(&self, package: AssignedPackage) -> Result<(), Stop> {
        let AssignedPackage { mut problem, submissions, selected, recipe, has_data_check: is_mine } =
            package;
        if !is_mine && submissions.is_empty() {
            return Ok(());
        }
        self.context.send_event(Event::package_read(&problem, submissions.len(), selected.len()));
        let programs = [&problem.input_validators, &problem.answer_validators];
        if problem.submissions.is_empty()
            && problem.input_grammars.is_empty()
            && programs.iter().all(|programs| programs.is_empty())
        {
            let what = "nothing to verify: no submission, and no validator of test data";
            return Err(Stop::Refused(RefusalSubject::Selection, vec![what.into()]));
        }
        let only = (!self.options.runs.case.is_empty()).then_some(&selected);
        let _made = self.assembly.complete(&mut problem, only)?;
        let cases = cases::ready_cases(&problem, &selected)?;
        let keep = self.keep_directory();
        let images = ImageUse::from_options(keep.as_ref(), self.context.needs.images);
        let mut ready = ReadyProblem::build(self.assembly.bench(&problem), images, cases)?;
        ready.rules.repeat = self.repeat_line(&problem);
        ready.given_time_limit = self.options.runs.time_limit;
        if let Some(keep) = &keep {
            images::draw_inputs(&ready.bench, &ready.cases, &keep.join("input_visualizer"))?;
        }
        if keep.is_some() || self.context.needs.images {
            ready.rules.detail = Detail::Full;
            ready.rules.keep = keep;
        }
        ready.rules.judged_outputs = Some(Arc::default());
        if is_mine {
            self.check_data(&ready, only, test_data::check_data)?;
            if let Some(recipe) = recipe.filter(|_| only.is_none()) {
                self.compare_with_recipe(ready.bench, &recipe)?;
            }
        }
        self.judge_submissions(&ready, &submissions)?;
        let outputs = ready.rules.judged_outputs.as_ref().filter(|_| is_mine);
        let Some(outputs) = outputs.map(|outputs| outputs.lock().clone()) else { return Ok(()) };
        self.check_data(&ready, only, |check, found| {
            found.extend(check.check_judge_answers(&outputs)?);
            Ok(())
        })
    }

    /// Each of several packages has its own directory.
    fn keep_directory(&self) -> Option<FilePath> {
        let dir = self.keep?;
        Some(
            self.context
                .package_name()
                .map_or_else(|| dir.clone(), |name| dir.join(flat_name(&name))),
        )
    }

    fn check_data(
        &self,
        ready: &ReadyProblem<'_>,
        selected: Option<&HashSet<String>>,
        check: impl FnOnce(&DataCheck<'_>, &mut Vec<Diagnostic>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let data_check = DataCheck {
            bench: ready.bench,
            validators: &ready.rules.validators.output,
            selected,
            mutations: &mutations::GENERIC,
        };
        let mut found = Vec::new();
        let done = check(&data_check, &mut found);
        self.context.send_diagnostics(found);
        done
    }

    /// Warns about data that is not what the recipe makes. Starts no program.
    fn compare_with_recipe(&self, bench: Bench<'_>, recipe: &Recipe) -> Result<(), Stop> {
        let memory = self.assembly.host.generated_data.as_deref();
        let compared = comparison::compare_with_recipe(bench, recipe, memory)?;
        self.context.send_diagnostics(compared.diagnostics);
        if compared.uncompared > 0 {
            let archive = self.context.archive();
            let package = archive.unwrap_or_else(|| (&bench.problem.dir).into());
            let command = next_steps::command("generate", &package, &["--check"]);
            let what = format!(
                "compare {} with the recipe, which takes its generators and solutions",
                count(compared.uncompared, "test case")
            );
            let step = NextStep { what, command: Some(command) };
            self.context.send_event(Event::Noted(Note::NextSteps(vec![step])));
        }
        Ok(())
    }

    fn judge_submissions(
        &self,
        ready: &ReadyProblem<'_>,
        submissions: &[Submission],
    ) -> Result<(), Stop> {
        let Bench { problem, builder, .. } = ready.bench;
        let mut found = Vec::new();
        let entries = prepare_entries(problem, submissions, builder, &mut found)?;
        found.extend(judging::skip_warnings(&entries));
        self.context.send_diagnostics(found);
        if entries.is_empty() && !problem.submissions.is_empty() {
            return Ok(());
        }
        let is_whole = self.options.all || self.context.needs.every_run;
        let policy = if is_whole { RunPolicy::AllAllowed } else { RunPolicy::Proving };
        let finished = ready.judge(&entries, policy)?;
        // A shard does not know the other submissions.
        if self.options.runs.case.is_empty() && self.options.runs.shard.is_none() {
            let is_given = self.options.runs.time_limit.is_some();
            let judged: Vec<_> = finished.judgements(&entries).collect();
            self.context.send_diagnostics(time_limit_warnings(
                problem,
                &judged,
                finished.time_limit.limit,
                is_given,
            ));
            self.context.send_diagnostics(partly_right_warnings(problem, &judged));
            let outputs = ready.rules.judged_outputs.iter();
            let doubts = outputs.flat_map(|it| doubtful_answers(problem, &judged, &it.lock()));
            self.context.send_diagnostics(doubts);
            let judgements: Vec<&Judgement> =
                judged.iter().map(|(_, judgement)| *judgement).collect();
            let idle = undiscriminating::find_undiscriminating(problem, &judgements)
                .filter(|_| self.context.needs.every_run);
            let dir = self.context.archive().unwrap_or_else(|| (&problem.dir).into());
            let steps = next_steps::steps_to_strengthen(&dir, problem, &judged, idle.is_some());
            self.context.send_diagnostics(idle);
            if !steps.is_empty() {
                self.context.send_event(Event::Noted(Note::NextSteps(steps)));
            }
        }
        Ok(())
    }

    fn repeat_line(&self, problem: &Problem) -> RepeatLine {
        let mut words: Vec<OsString> = vec!["juror".into(), "judge".into()];
        let archive = self.context.archive();
        words.push(archive.clone().unwrap_or_else(|| (&problem.dir).into()).into());
        words.extend(self.options.given.words.iter().cloned());
        let directory = match archive {
            // Submissions in an archive are identified by name.
            Some(_) => String::new(),
            None => command_line([problem.dir.join(problem.layout.submissions).as_path()]) + "/",
        };
        RepeatLine { command: command_line(words), directory, ..RepeatLine::default() }
    }
}

/// Warns if judges score the package differently and no dialect is given.
fn dialect_warning(problem: &Problem, dialect: Option<Dialect>) -> Option<Diagnostic> {
    let points = points_by_dialect(problem).filter(|_| dialect.is_none())?;
    let [kattis, domjudge] = points.map(|points| points.to_string());
    let what = format!(
        "all points together are {kattis} for Kattis, which gives `accept_score` for each test case, and \
         {domjudge} for DOMjudge, which gives it once for a group: scores are those of Kattis"
    );
    let path = problem.dir.join("data");
    let help = "choose with --dialect kattis or --dialect domjudge";
    Some(Diagnostic::warning(path, what).help(help))
}

/// Warns if submissions in `accepted/` fail on a sample or lack points, and no expectation says so.
///
/// Source: problemtools, `Submissions.check_submission`.
fn partly_right_warnings(
    problem: &Problem,
    judged: &[(&Submission, &Judgement)],
) -> Vec<Diagnostic> {
    // In 2025-09, a submission that is accepted passes all test cases.
    if problem.graders.is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (submission, judgement) in judged {
        if !submission.name.starts_with("accepted/") || !judgement.broken.is_empty() {
            continue;
        }
        let mut warn = |message: String| {
            let help = "fix it, or move it to submissions/partially_accepted";
            found.push(Diagnostic::warning(&submission.program.path, message).help(help));
        };
        let is_wrong = |case: &&CaseJudgement| {
            case.test_case.starts_with("sample/") && case.verdict != Verdict::Accepted
        };
        if let Some(case) = judgement.cases.iter().find(is_wrong) {
            warn(format!("is accepted as a whole, but {} on {}", case.verdict, case.test_case));
        }
        if let Some(TotalScore {
            score: Some(score), max_score: Some(most), is_best: false, ..
        }) = &judgement.score
        {
            warn(format!("is accepted, but has {score} of {most} points"));
        }
    }
    found
}

fn time_limit_warnings(
    problem: &Problem,
    judged: &[(&Submission, &Judgement)],
    limit: Duration,
    is_given: bool,
) -> Vec<Diagnostic> {
    // A broken expectation already reports a submission that is too slow.
    let is_told = |judgement: &Judgement| {
        let is_slow = judgement.cases.iter().any(|case| case.verdict == Verdict::TimeLimitExceeded);
        is_slow && !judgement.broken.is_empty()
    };
    let judged = judged.iter().copied().filter(|(_, judgement)| !is_told(judgement));
    let bounds = time_limit::bounds(judged);
    let is_inferred = !is_given && problem.limits.time_limit.is_none();
    time_limit::margin_doubts(limit, &bounds, &problem.limits, is_inferred)
        .into_iter()
        .map(|(severity, doubt)| {
            let path = problem.dir.join(problem.layout.time_limit);
            let remark = Diagnostic::warning(path, doubt).help(problem.layout.change_time_limit);
            Diagnostic { severity, ..remark }
        })
        .collect()
}
