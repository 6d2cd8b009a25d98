//! `juror strength`: how strong a package's test data is, and what it misses.

mod gates;
mod tools;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::build::bench::Bench;
use crate::build::{Built, Prepared, Runnable};
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::options::{HostOptions, OutputOptions, ReportOptions};
use crate::cli::output::{Output, command_with};
use crate::cli::problem::{self, Remarks};
use crate::cli::strength::gates::Gates;
use crate::cli::strength::tools::{Tooled, Tools};
use crate::cli::stress::span;
use crate::executor::scheduler::Scheduler;
use crate::executor::{Notebook, parallel};
use crate::grammar::bounds::Coverage;
use crate::judge::case::{ReadyCase, Rules, Texts};
use crate::judge::judging::Judging;
use crate::judge::session::refusal;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::Judgement;
use crate::model::limits::Limits;
use crate::model::problem::{Equivalent, Submitted};
use crate::model::stop::{Mend, Stop};
use crate::model::strength::{
    GateState, Kill, Lack, PartName, RightProgram, Strength, Subject, SubjectKind, SubjectStatus,
};
use crate::model::submission::Submission;
use crate::model::text::printable;
use crate::model::verdict::Verdict;
use crate::mutate::mutants;
use crate::mutate::original::original;
use crate::mutate::wrapper::wrappers;
use crate::ops::cases;
use crate::ops::validators;
use crate::package::suggest::nearest;
use crate::strength::kill_search::KillSearch;
use crate::strength::measure::{MeasuredSubject, Measuring, ROUNDS, Unmeasured};
use crate::strength::mutants::{WrongProgram, mutated, wrapped};
use crate::strength::pool::{self, FreshSource};
use crate::strength::promote::{Chosen, choose};
use crate::strength::test_bed::{Suspect, TestBed, groups};
use crate::stress::batch::{Batches, Way};
use crate::stress::comparison::{Answers, Comparison, Unusable, shown};
use crate::stress::problem_inputs::{CandidateKinds, ProblemInputs};
use crate::stress::promote::Promotion;
use crate::stress::reference::{is_accepted, usual};

/// Arguments of `juror strength`.
#[derive(Debug, Args)]
pub struct StrengthArguments {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// How long it may take, such as 60s or 5m; what is not done by then is reported as cut off
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span)]
    pub time: Duration,
    /// Rounds of up to 224 fresh inputs that a program must survive to be presumed equivalent
    #[arg(long, value_name = "N", default_value_t = ROUNDS)]
    pub rounds: usize,
    /// Random seed of fresh inputs; the same seed gives the same report
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Run everything on all test cases, to see which one catches what
    ///
    /// Without it, a program is run until two test cases reject it.
    #[arg(long)]
    pub matrix: bool,
    /// Add inputs that catch what is missed to the package and its recipe, one for each kind of fault
    ///
    /// They become data/secret/strength/NAME, with their judge answers. Run the command again to see what they gain.
    #[arg(long)]
    pub promote: bool,
    /// Write an HTML page: what passes, and which test case rejects which program
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Measures.
pub fn run(arguments: &StrengthArguments) -> ExitCode {
    let reports = ReportOptions { html: arguments.html.clone(), ..ReportOptions::default() };
    command_with(&arguments.output, &reports, "strength", |output| strength(arguments, output))
}

/// The part of the time for measuring speed, beside all other work; at least half of it is used.
const FOR_SPEED: f64 = 0.3;
/// The most of the time that is kept for searches while programs run on the test cases.
const FOR_SEARCH: f64 = 0.15;

fn strength(arguments: &StrengthArguments, output: &Output) -> Result<(), Stop> {
    let started = Instant::now();
    let mut problem = problem::read(&arguments.package, None, Remarks::Errors, output)?;
    if problem.kind.submitted == Submitted::Answers {
        let what = "submissions to this problem are answers, not programs; `juror verify` checks the package";
        return Err(Stop::usage(what));
    }
    if arguments.promote {
        output.writable()?;
    }
    let host = Host::start(&arguments.host, output)?;
    let scheduler = &Scheduler::new(Arc::clone(&host.executor));
    let builder = host.builder_on(scheduler);
    let _made = problem::complete(&mut problem, None, &host, &builder, output)?;
    let inputs = ProblemInputs::read(problem, None, &output.sink())?;
    let problem = &inputs.problem;
    output.event(Event::package_read(problem, 0, problem.test_data.judged().len()));
    let sink = output.sink();
    let bench = Bench { problem, executor: scheduler, builder: &builder, events: &sink };
    let validators = validators::build_faultless(&bench)?;
    let mut cases = cases::select(problem, &[])?;
    // A static validator checks sources, which do not change here.
    cases.retain(|case| case.static_args.is_none());
    let judging = Judging::new(bench, &validators, cases::select(problem, &[])?);
    let time_limit = judging.time_limit()?;
    let rules = judging.begin(&time_limit);
    let gates = Gates { inputs: &inputs, bench, validators: &validators, kept: host.kept.clone() };
    let mut report = Strength { seed: arguments.seed, time: arguments.time, ..Strength::default() };
    let judged = gates.look(&time_limit, arguments.matrix, output, &mut report)?;
    if report.gates.iter().all(|gate| gate.state != GateState::Shut) {
        let left = arguments.time.saturating_sub(started.elapsed());
        let most = arguments.time.mul_f64(FOR_SPEED);
        let time = left.clamp(most / 2, most);
        let seed = arguments.seed;
        // The tools have a separate time limit.
        let beside = host.builder();
        let bench_beside = Bench { executor: &*host.executor, builder: &beside, ..bench };
        let tools = Tools { bench: bench_beside, rules: &rules, inputs: &inputs, seed, time };
        let work = Work { arguments, output, inputs: &inputs, bench, rules: &rules, scheduler };
        let way = Way::new(&rules, host.isolation);
        let (tell, told) = mpsc::channel();
        let measured = || {
            let told = told;
            work.measure(&cases, &judged, way, started, &told, &mut report)?;
            // Unless they were added before.
            told.recv().into_iter().for_each(|tooled: Tooled| tooled.put(&mut report));
            Ok(())
        };
        let tooled = move || Ok(tell.send(tools.measure()?).is_ok());
        parallel::both(tooled, measured)?;
        compare(&mut report, &arguments.package, &*host.notebook());
    }
    report.elapsed = started.elapsed();
    let is_shut = report.gates.iter().any(|gate| gate.state == GateState::Shut);
    let is_nothing = report.subjects.is_empty();
    output.event(Event::StrengthMeasured(Box::new(report)));
    match (is_shut, is_nothing) {
        // The gates report what is wrong.
        (true, _) => Err(Stop::Refused(Mend::Package, Vec::new())),
        (false, true) => Err(Stop::Refused(Mend::Selection, Vec::new())),
        (false, false) => Ok(()),
    }
}

/// Reports the gain since the last measurement, and notes this one for the next. Does neither if too many programs
/// were not run in time, and reports no gain if more programs are open than before: missing programs would look like
/// a gain.
fn compare(report: &mut Strength, package: &Path, notebook: &dyn Notebook) {
    let is_whole = report.count(SubjectStatus::NotRun) * 10 <= report.subjects.len();
    let (Some(score), true) = (report.score, is_whole) else { return };
    let path = package.canonicalize().unwrap_or_else(|_| package.to_owned());
    let name = format!("strength of {} with seed {}", path.display(), report.seed);
    let noted = notebook.recall(&name);
    let known = noted.and_then(|text| postcard::from_bytes::<Measured>(&text).ok());
    let known = known.filter(|known| report.open() <= known.open);
    report.gained = known.and_then(|known| report.since(known.score, &known.missed));
    let now = Measured { score, missed: report.missed(), open: report.open() };
    if let Ok(text) = postcard::to_allocvec(&now) {
        notebook.note(&name, &text);
    }
}

/// What is noted of a measurement.
#[derive(Serialize, Deserialize)]
struct Measured {
    score: f64,
    missed: Vec<String>,
    /// How many programs were not run or undecided.
    open: usize,
}

/// What all parts of the measurement need.
struct Work<'a> {
    arguments: &'a StrengthArguments,
    output: &'a Output,
    inputs: &'a ProblemInputs,
    bench: Bench<'a>,
    rules: &'a Rules<'a>,
    scheduler: &'a Scheduler,
}

impl Work<'_> {
    /// Runs everything on the test cases.
    fn measure(
        &self,
        cases: &[ReadyCase<'_>],
        judged: &[(&Submission, Judgement)],
        way: Option<Way>,
        started: Instant,
        tools: &Receiver<Tooled>,
        report: &mut Strength,
    ) -> Result<(), Stop> {
        let Self { arguments, inputs, bench, rules, scheduler, .. } = *self;
        let problem = bench.problem;
        let Some((reference, _)) = usual(problem, inputs.solution.as_ref()) else {
            report.lacking.push(Lack::AcceptedSubmission);
            report.subjects = judged.iter().filter_map(own).collect();
            return Ok(());
        };
        let accepted: Vec<&Submission> =
            problem.submissions.iter().filter(|it| is_accepted(it)).collect();
        let right = self.right(&accepted)?;
        let Some(main) = right.iter().find(|it| it.submission.name == reference.name) else {
            report.lacking.push(Lack::AcceptedSubmission);
            return Ok(());
        };
        let generators = inputs.generators(bench)?;
        let solution = inputs.answering(&bench)?;
        let validity = inputs.validity(bench)?.in_batches(way);
        let known = Answers::default();
        let texts: Vec<Option<Texts>> = cases.iter().map(text).collect::<Result<_, _>>()?;
        let test_bed = TestBed {
            comparison: Comparison {
                bench,
                rules,
                reference: &main.suspect.runnable,
                submission: &main.suspect.runnable,
                elsewhere: None,
                options: inputs.options,
                test_case: inputs.test_case.clone(),
                answers: inputs.answers(solution.as_ref()),
                known: &known,
            },
            cases,
            groups: groups(&texts),
            texts,
            grammar: inputs.grammars.first(),
            way: way.filter(|_| !inputs.is_judged()),
            accepted: Mutex::new(HashMap::new()),
            doubted: Once::new(),
        };
        if inputs.grammars.is_empty() {
            report.lacking.push(Lack::Grammar);
        }
        // Inputs similar to the test cases show less of what these lack.
        let has_copies = inputs.grammars.is_empty();
        let is_over = || scheduler.is_over();
        let has_generators = generators.is_some();
        let (seed, most) = (arguments.seed, Some(pool::LONGEST));
        let mut mix =
            inputs.candidates(&validity, CandidateKinds { has_generators, has_copies }, seed, most);
        mix.lead(0);
        if mix.is_empty() {
            report.lacking.push(Lack::Inputs);
        }
        let source = (!mix.is_empty()).then(|| FreshSource {
            mix,
            generators: generators.as_ref(),
            validity: &validity,
            taken: 0,
            seen: HashSet::new(),
            is_over: &is_over,
        });
        let mut entries = self.wrong(judged)?;
        if inputs.is_judged() {
            report.lacking.push(Lack::Outputs)
        } else {
            entries.extend(wrapped(&main.suspect, inputs.grammars.first()))
        }
        report.references = vec![RightProgram {
            submission: main.submission.name.clone(),
            language: main.prepared.plan.written.word().to_owned(),
            mutants: 0,
        }];
        for right in fastest(&right, judged) {
            let mutants = mutated(right.submission, &right.prepared, arguments.seed)?;
            if mutants.is_empty() {
                continue;
            }
            let name = &right.submission.name;
            report.references.retain(|it| it.submission != *name);
            report.references.push(RightProgram {
                submission: name.clone(),
                language: right.prepared.plan.written.word().to_owned(),
                mutants: mutants.len(),
            });
            entries.extend(mutants);
        }
        if entries.iter().all(|it| it.subject.kind != SubjectKind::Mutant) {
            report.lacking.push(Lack::Mutants);
        }
        self.output.diagnosed(self.unfitting(&entries)?);
        let bounds = self.bounds()?;
        let measuring = Measuring {
            search: KillSearch {
                test_bed: &test_bed,
                validity: &validity,
                generators: generators.as_ref(),
                scheduler,
                end: started + arguments.time,
                others: right
                    .iter()
                    .filter(|it| it.submission.name != reference.name)
                    .map(|it| (it.submission.name.clone(), it.suspect.clone()))
                    .collect(),
            },
            for_search: arguments.time.mul_f64(FOR_SEARCH),
            rounds: arguments.rounds,
            equivalents: &problem.equivalents,
            matrix: arguments.matrix,
        };
        let measured = measuring.measure(entries, source, report)?;
        let disputed = validity.disputed.get().map(|refusal| inputs.disputed(refusal));
        self.output.diagnosed(disputed);
        if let Err(unmeasured) = measured {
            return Err(self.unmeasured(&unmeasured, reference));
        }
        tools.recv().into_iter().for_each(|tooled| tooled.put(report));
        let parts = report.by_tools();
        measuring.count(report, &|name| match name {
            PartName::Bounds => bounds,
            _ => parts.iter().find(|it| it.0 == name).and_then(|it| it.1),
        });
        if arguments.promote { self.promote(&test_bed, report) } else { Ok(()) }
    }

    /// The wrong submissions of the package: with their judgement if they were judged, otherwise to be built.
    fn wrong(&self, judged: &[(&Submission, Judgement)]) -> Result<Vec<MeasuredSubject>, Stop> {
        let problem = self.bench.problem;
        let mut entries = Vec::new();
        for submission in problem.submissions.iter().filter(|it| !is_accepted(it)) {
            let known = judged.iter().find(|(it, _)| it.name == submission.name);
            let Some(prepared) = prepared(self.bench, submission)? else { continue };
            let (subject, suspect, source) = match known.and_then(own) {
                Some(subject) if subject.status == SubjectStatus::Undecided => {
                    (subject, self.suspect(submission)?.map(|it| it.1), None)
                }
                Some(subject) => (subject, None, None),
                None if refusal(problem, &prepared).is_some() => {
                    let subject = Subject { status: SubjectStatus::Unviable, ..wrong(submission) };
                    (subject, None, None)
                }
                None => {
                    (wrong(submission), None, Some(WrongProgram::Submission(Box::new(prepared))))
                }
            };
            entries.push(MeasuredSubject { subject, suspect, source, signature: None });
        }
        Ok(entries)
    }

    /// Adds inputs that catch what the data misses to the package and its recipe.
    fn promote(&self, test_bed: &TestBed<'_>, report: &mut Strength) -> Result<(), Stop> {
        for Chosen { place, name, description } in choose(&report.subjects) {
            let Some(missed) = &mut report.subjects[place].missed else { continue };
            let input: Arc<[u8]> = Arc::from(&*missed.input);
            let Ok(answer) = test_bed.comparison.answer(&input)? else { continue };
            let promotion = Promotion::new(self.bench.problem, &name).map_err(Stop::usage)?;
            // The measurements are reported in any case.
            missed.promoted = self.output.part(promotion.add(&input, &answer, &description))?;
        }
        Ok(())
    }

    /// The error that two programs cannot both be right.
    fn unmeasured(&self, unmeasured: &Unmeasured, reference: &Submission) -> Stop {
        let path = |name: &str| {
            let mut all = self.bench.problem.submissions.iter();
            let found = all.find(|it| it.name == name).unwrap_or(reference);
            found.program.path.clone()
        };
        let help = "fix it, or the input validators if the input should be invalid; nothing is measured until then";
        match unmeasured {
            Unmeasured::Reference(fault) => {
                let why = match &fault.why {
                    Unusable::TooSlow => "too slow".to_owned(),
                    Unusable::Reference(verdict, cause) => format!("{verdict}, {cause}"),
                    Unusable::Solution(what) => what.clone(),
                    Unusable::Validator(error) => error.to_string(),
                };
                let message = format!("fails on a valid input: {why}: {}", shown(&fault.input));
                Diagnostic::error(path(&reference.name), message).help(help).into()
            }
            Unmeasured::Disagreement(name, small) => {
                let message = format!(
                    "{} and {name} should both be accepted, but differ on a valid input: {}: {}",
                    reference.name,
                    small.judged.cause,
                    shown(&small.input)
                );
                Diagnostic::error(path(name), message).help(help).into()
            }
        }
    }

    /// Warnings about entries of `juror.toml` that match no program.
    fn unfitting(&self, entries: &[MeasuredSubject]) -> Result<Vec<Diagnostic>, Stop> {
        let problem = self.bench.problem;
        let mut known: Vec<String> = entries.iter().map(|it| it.subject.id.clone()).collect();
        let is_known = |known: &[String], it: &Equivalent| known.contains(&it.subject);
        if problem.equivalents.iter().all(|it| is_known(&known, it)) {
            return Ok(Vec::new());
        }
        // Another submission may be the fastest next time.
        for submission in problem.submissions.iter().filter(|it| is_accepted(it)) {
            if let Some(original) = original(&submission.program)? {
                let all = mutants(original.language, &original.files);
                known.extend(all.iter().map(|it| format!("{}:{}", submission.name, it.id)));
            }
        }
        known.extend(wrappers().iter().map(|wrapper| wrapper.name.to_owned()));
        let unknown = problem.equivalents.iter().filter(|it| !is_known(&known, it));
        let told = unknown.map(|it| {
            let name = printable(&it.subject);
            let near = nearest(&it.subject, known.iter().map(String::as_str));
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let message = format!("unknown program in [strength.equivalent]: `{name}`");
            let help =
                format!("{near}`juror mutants` and the report of `juror strength` list the names");
            Diagnostic::warning(problem.dir.join("juror.toml"), message).help(help)
        });
        Ok(told.collect())
    }

    /// The accepted submissions, built.
    fn right<'s>(&self, accepted: &[&'s Submission]) -> Result<Vec<Right<'s>>, Stop> {
        let built = parallel::map(self.bench.executor, accepted, |submission| {
            let built = self.suspect(submission)?;
            Ok(built.map(|(prepared, suspect)| Right { submission, prepared, suspect }))
        })?;
        Ok(built.into_iter().flatten().collect())
    }

    /// Builds a submission for single runs, and for batches if its language allows it.
    fn suspect(&self, submission: &Submission) -> Result<Option<(Prepared, Suspect)>, Stop> {
        let Some(prepared) = prepared(self.bench, submission)? else { return Ok(None) };
        let build = |prepared: &Prepared| -> Result<Option<Arc<Runnable>>, Stop> {
            Ok(runnable(self.bench, self.rules, submission, prepared)?.map(Arc::from))
        };
        let Some(runnable) = build(&prepared)? else { return Ok(None) };
        let batched = match prepared.for_batches().filter(|_| is_accepted(submission)) {
            Some(prepared) => build(&prepared)?,
            None => None,
        };
        let suspect = Suspect::new(&prepared, runnable, batched);
        Ok(Some((prepared, suspect)))
    }

    /// The share of the grammar's number bounds that the test cases reach.
    fn bounds(&self) -> Result<Option<f64>, Stop> {
        let Some(grammar) = self.inputs.grammars.first() else { return Ok(None) };
        let mut coverage = Coverage::new(grammar);
        for case in &self.bench.problem.test_data.cases {
            let input = case
                .input
                .read()
                .map_err(crate::model::judgement::JudgeError::on("read", &case.input))?;
            if coverage.add(grammar, &input, &case.input).is_err() {
                return Ok(None);
            }
        }
        Ok(coverage.share(grammar))
    }
}

/// How to build a submission; None if this machine cannot, or it cannot be built at all.
fn prepared(bench: Bench<'_>, submission: &Submission) -> Result<Option<Prepared>, Stop> {
    match bench.builder.prepare(&submission.program) {
        Err(Stop::Fault(_) | Stop::Diagnosed(_) | Stop::Refused(..)) => Ok(None),
        prepared => prepared.map(Some),
    }
}

/// The built submission; None if it does not build.
fn runnable(
    bench: Bench<'_>,
    rules: &Rules<'_>,
    submission: &Submission,
    prepared: &Prepared,
) -> Result<Option<Box<Runnable>>, Stop> {
    let limits = Limits::of_compiler(&bench.problem.limits);
    Ok(match bench.build(&submission.name, prepared, &limits, &rules.limits)? {
        Built::Program(runnable) => Some(runnable),
        Built::Rejected(_) => None,
    })
}

/// An accepted submission, built.
struct Right<'a> {
    submission: &'a Submission,
    prepared: Prepared,
    suspect: Suspect,
}

/// For each language, the accepted submission that is fastest on its slowest test case. Languages whose mutants are
/// built and run fastest come first.
fn fastest<'r, 's>(
    right: &'r [Right<'s>],
    judged: &[(&Submission, Judgement)],
) -> Vec<&'r Right<'s>> {
    const LANGUAGES: [&str; 5] = ["c", "cpp", "rust", "python3", "java"];
    let slowest = |right: &&Right<'_>| {
        let judgement = judged.iter().find(|(it, _)| it.name == right.submission.name);
        let cases = judgement.into_iter().flat_map(|(_, judgement)| judgement.cases.iter());
        cases.filter_map(|case| Some(case.outcome.as_ref()?.cpu_time.as_millis())).max()
    };
    let of = |language: &&str| {
        let mut all: Vec<&Right<'_>> =
            right.iter().filter(|it| it.prepared.plan.written.code() == Some(language)).collect();
        // If they differ only by chance, the first by name.
        all.sort_by_key(|right| (slowest(right).map(|time| time / 10), &right.submission.name));
        all.into_iter().next()
    };
    LANGUAGES.iter().filter_map(of).collect()
}

/// The texts of a test case, if they fit into a batch.
fn text(case: &ReadyCase<'_>) -> Result<Option<Texts>, Stop> {
    if case.size() > Batches::LONGEST {
        return Ok(None);
    }
    Ok(case.read()?)
}

/// A submission of the package that should be rejected, with the results of the test cases.
fn own((submission, judgement): &(&Submission, Judgement)) -> Option<Subject> {
    if is_accepted(submission) {
        return None;
    }
    let rejects = judgement.cases.iter().filter(|case| case.verdict != Verdict::Accepted);
    let killers: Vec<Kill> = rejects
        .map(|case| Kill { test_case: case.test_case.clone(), verdict: case.verdict })
        .collect();
    let status = match (judgement.verdict, killers.is_empty()) {
        (Verdict::CompileError, _) => SubjectStatus::Unviable,
        (_, true) => SubjectStatus::Undecided,
        (_, false) => SubjectStatus::Caught,
    };
    Some(Subject { status, killers, ..wrong(submission) })
}

/// A submission of the package that should be rejected, without results.
fn wrong(submission: &Submission) -> Subject {
    let fault = submission.name.split('/').next().unwrap_or_default();
    Subject::new(&submission.name, SubjectKind::Submission, fault)
}
