//! `juror strength`: measures how strong a package's test data is.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use crate::door::cases;
use crate::ops::amounts::parse_span;
use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::next_steps;
use crate::ops::operation::Operation;
use crate::ops::options::HostOptions;
use crate::ops::problem::{self, ShownDiagnostics};
use juror_core::event::{Event, Note};
use juror_core::judgement::Judgement;
use juror_core::stop::Stop;
use juror_core::submission::Submission;
use juror_data::recipe::propose::directories::{PROMOTED_GROUP, parse_directories};
use juror_data::search::arena::Arena;
use juror_data::search::problem_inputs::ProblemInputs;
use juror_data::search::promote::Promotion;
use juror_data::search::reference::{accepted_submissions, default_reference};
use juror_data::strength::gates::Gates;
use juror_data::strength::kill_search::KillSearch;
use juror_data::strength::measure::{DEFAULT_ROUNDS, Measurement};
use juror_data::strength::mutants::{mutant_subjects, wrapper_subjects};
use juror_data::strength::pool::FreshSource;
use juror_data::strength::promote::{ChosenCase, choose_cases};
use juror_data::strength::result::{
    GateState, MissingPrerequisite, RightProgram, Strength, SubjectKind, SubjectStatus,
};
use juror_data::strength::submissions::{
    self, RightSubmission, fastest_by_language, judged_subject,
};
use juror_data::strength::test_bed::TestBed;
use juror_data::strength::{equivalents, history, score, tools};
use juror_data::validity::test_data::coverage::test_case_coverage;
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::{ReadyCase, Rules};
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::validators;
use juror_sandbox::executor::parallel;
use juror_sandbox::executor::scheduler::Scheduler;

#[derive(Clone, Debug, Args)]
pub struct StrengthOptions {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// How long it may take, such as 60s or 5m; what is not done by then is reported as cut off
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_span)]
    pub time: Duration,
    /// Rounds of up to 224 fresh inputs that a program must survive to be presumed equivalent
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ROUNDS)]
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
    /// They become data/secret/strength/NAME, with their judge answers. Run the command again to see the gain.
    #[arg(long)]
    pub promote: bool,
    /// Directory for the added inputs, below the secret test cases; with test groups GROUP/NAME [default: strength]
    #[arg(long, value_name = "DIRECTORY", requires = "promote")]
    pub into: Option<String>,
    /// Write an HTML page: what passes, and which test case rejects which program
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub host: HostOptions,
}

impl Operation for StrengthOptions {
    type Result = Strength;
    const NAME: &'static str = "strength";

    fn html(&self) -> Option<&Path> {
        self.html.as_deref()
    }

    fn run(&self, context: &Context) -> Result<Strength, Stop> {
        let started = Instant::now();
        let mut problem =
            problem::read_problem(&self.package, None, ShownDiagnostics::Errors, context)?;
        problem::require_programs(&problem, "not programs; `juror verify` checks the package")?;
        let directories = if self.promote {
            context.check_writable()?;
            Some(parse_directories(self.into.as_deref(), PROMOTED_GROUP, &problem)?)
        } else {
            None
        };
        let host = Host::start(&self.host, context)?;
        let scheduler = &Scheduler::new(Arc::clone(&host.executor));
        let assembly = Assembly::on(scheduler, &host, context);
        let _made = assembly.complete(&mut problem, None)?;
        let mut inputs = ProblemInputs::read(problem, None, &context.event_sender())?;
        if let Some(directories) = &directories {
            inputs.choose_group(directories)?;
        }
        let inputs = &inputs;
        let problem = &inputs.problem;
        context.send_event(Event::package_read(problem, 0, problem.test_data.judged_cases().len()));
        let bench = assembly.bench(problem);
        let validators = Arc::new(validators::build_faultless_validators(&bench)?);
        let ready = ReadyProblem::new(bench, validators, cases::all_cases(problem)?);
        let time_limit = ready.time_limit()?;
        let rules = &ready.announce_limits(&time_limit);
        let gates =
            Gates { inputs, ready: &ready, matrix: self.matrix, kept: host.generated_data.clone() };
        let mut report = Strength { seed: self.seed, time: self.time, ..Strength::default() };
        let judged = gates.check(&time_limit, &mut report)?;
        if report.gates.iter().all(|gate| gate.state != GateState::Shut) {
            let mut cases = ready.cases.clone();
            // A static validator checks sources, which do not change here.
            cases.retain(|case| case.static_args.is_none());
            // The tools have a separate time limit.
            let most = self.time.mul_f64(SPEED_SHARE);
            let time = self.time.saturating_sub(started.elapsed()).clamp(most / 2, most);
            let assembly_beside = Assembly::new(&host, context);
            let bench_beside = assembly_beside.bench(problem);
            let work = StrengthWork {
                options: self,
                directories: directories.as_deref(),
                context,
                inputs,
                bench,
                rules,
                scheduler,
                cases: &cases,
                judged: &judged,
                batch_way: BatchMode::new(problem, host.isolation),
                end: started + self.time,
            };
            let tools = || tools::measure_tools(bench_beside, rules, time);
            let (tools, is_measured) = parallel::both(tools, || work.measure(&mut report))?;
            report.probes = tools.probes;
            report.input_validators = tools.input_validators;
            report.output_validator = tools.output_validator;
            if is_measured {
                let names: Vec<&str> = cases.iter().map(|case| &*case.test_case.name).collect();
                let bounds = match inputs.grammars.first() {
                    Some(grammar) => test_case_coverage(grammar, problem)?
                        .and_then(|coverage| coverage.share(grammar)),
                    None => None,
                };
                score::add_score(&mut report, &names, bounds);
            }
            let path = self.package.canonicalize().unwrap_or_else(|_| self.package.clone());
            let name = format!("strength of {} with seed {}", path.display(), report.seed);
            let noted = host.cache().read_note(&name);
            if let Some(note) = history::report_gain(&mut report, noted.as_deref()) {
                host.cache().write_note(&name, &note);
            }
        }
        report.elapsed = started.elapsed();
        let is_shut = report.gates.iter().any(|gate| gate.state == GateState::Shut);
        if !is_shut && !self.promote && report.count(SubjectStatus::Missed) > 0 {
            let dir = context.archive().unwrap_or_else(|| (&problem.dir).into());
            report.next = vec![next_steps::step_to_promote(&dir, problem)];
            context.send_event(Event::Noted(Note::NextSteps(report.next.clone())));
        }
        Ok(report)
    }
}

/// The share of the time for measuring speed, at the same time as other work. At least half of it is used.
const SPEED_SHARE: f64 = 0.3;
/// The largest share of the time that is reserved for searches while programs run on the test cases.
const SEARCH_SHARE: f64 = 0.15;

struct StrengthWork<'a> {
    options: &'a StrengthOptions,
    /// Where inputs are added, below `data/secret`.
    directories: Option<&'a [String]>,
    context: &'a Context,
    inputs: &'a ProblemInputs,
    bench: Bench<'a>,
    rules: &'a Rules<'a>,
    scheduler: &'a Scheduler,
    cases: &'a [ReadyCase<'a>],
    /// Judged on all test cases.
    judged: &'a [(&'a Submission, Judgement)],
    batch_way: Option<BatchMode>,
    end: Instant,
}

impl StrengthWork<'_> {
    /// Runs wrong programs on the test cases, then searches inputs that reject the survivors. Returns `false` without
    /// an accepted submission.
    fn measure(&self, report: &mut Strength) -> Result<bool, Stop> {
        let Self { options, inputs, bench, rules, judged, batch_way: way, .. } = *self;
        let problem = bench.problem;
        let Some((reference, _)) = default_reference(problem, inputs.solution.as_ref()) else {
            report.lacking.push(MissingPrerequisite::AcceptedSubmission);
            report.subjects = judged.iter().filter_map(judged_subject).collect();
            return Ok(false);
        };
        let accepted: Vec<&Submission> = accepted_submissions(problem).collect();
        let right = submissions::build_accepted(bench, rules, &accepted)?;
        let Some(main) = right.iter().find(|program| program.submission.name == reference.name)
        else {
            report.lacking.push(MissingPrerequisite::AcceptedSubmission);
            return Ok(false);
        };
        let arena = Arena::open(bench, inputs, rules, self.scheduler, way)?.with_generators()?;
        let grammar = arena.grammar();
        let test_bed = TestBed::new(&arena, &main.suspect.runnable, self.cases, way)?;
        if grammar.is_none() {
            report.lacking.push(MissingPrerequisite::Grammar);
        }
        let source = FreshSource::new(&arena, options.seed);
        if source.is_none() {
            report.lacking.push(MissingPrerequisite::Inputs);
        }
        let mut entries = submissions::wrong_subjects(bench, rules, judged)?;
        if inputs.is_judged() {
            report.lacking.push(MissingPrerequisite::Outputs)
        } else {
            entries.extend(wrapper_subjects(&main.suspect, grammar))
        }
        let right_program = |program: &RightSubmission<'_>, mutants| RightProgram {
            submission: program.submission.name.clone(),
            language: program.prepared.plan.language.name().to_owned(),
            mutants,
        };
        report.references = vec![right_program(main, 0)];
        for right in fastest_by_language(&right, judged) {
            let mutants = mutant_subjects(right.submission, &right.prepared, options.seed)?;
            if mutants.is_empty() {
                continue;
            }
            let name = &right.submission.name;
            report.references.retain(|reference| reference.submission != *name);
            report.references.push(right_program(right, mutants.len()));
            entries.extend(mutants);
        }
        if entries.iter().all(|entry| entry.subject.kind != SubjectKind::Mutant) {
            report.lacking.push(MissingPrerequisite::Mutants);
        }
        self.context.send_diagnostics(equivalents::unknown_equivalents(problem, &entries)?);
        let measuring = Measurement {
            search: KillSearch {
                test_bed: &test_bed,
                end: self.end,
                others: right
                    .iter()
                    .filter(|program| program.submission.name != reference.name)
                    .map(|program| (program.submission.name.clone(), program.suspect.clone()))
                    .collect(),
            },
            search_time: options.time.mul_f64(SEARCH_SHARE),
            rounds: options.rounds,
            matrix: options.matrix,
        };
        let measured = measuring.measure(entries, source, report)?;
        let disputed = arena.validity.disputed.get().filter(|_| !inputs.is_for_group);
        let disputed = disputed.map(|refusal| inputs.dispute_warning(refusal));
        self.context.send_diagnostics(disputed);
        if let Err(unmeasured) = measured {
            return Err(unmeasured.to_stop(problem, reference));
        }
        if let Some(directories) = self.directories {
            self.promote(&test_bed, directories, report)?;
        }
        Ok(true)
    }

    /// Adds inputs that catch missed programs to the package and its recipe.
    fn promote(
        &self,
        test_bed: &TestBed<'_>,
        directories: &[String],
        report: &mut Strength,
    ) -> Result<(), Stop> {
        for ChosenCase { subject: place, name, description } in choose_cases(&report.subjects) {
            let Some(missed) = &mut report.subjects[place].missed else { continue };
            let input: Arc<[u8]> = Arc::from(&*missed.input);
            let Ok(answer) = test_bed.cross_check.answer(&input)? else { continue };
            let name = format!("{}/{name}", directories.join("/"));
            let promotion = Promotion::new(self.bench.problem, &name).map_err(Stop::usage)?;
            // The measurements are reported even if this fails.
            missed.promoted =
                self.context.contain_failure(promotion.add(&input, &answer, &description))?;
        }
        Ok(())
    }
}
