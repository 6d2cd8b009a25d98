//! Faults of the package, or of programs of the command line, that a search shows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::ops::stress::{SHOW_TIME, StressRun};
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::event::Event;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::units::seconds;
use juror_data::inputs::candidates::CandidateSource;
use juror_data::recipe::seeded_generator::SeededProgram;
use juror_data::search::cross_check::UnusableReason;
use juror_data::search::problem_inputs::quote_input;
use juror_data::search::result::{REPEATS, SearchEnd};
use juror_data::search::run::{Failure, PackageFault, SearchResult};
use juror_grammar::generate::{GenerationFailure, generate_until};
use juror_grammar::shape;
use juror_judging::output_validator::OutputValidator;
use juror_packages::package;

/// Upper bound on the bytes of the reference's messages that are shown.
const MESSAGES_MAX: u64 = 4 << 10;
/// A generator repeats itself if fewer than one in so many inputs is new, after so many calls.
const REPETITIONS_MIN: u64 = 4;
const REPEATING_CALLS_MIN: u64 = 40;
/// Number of refused inputs that show that a validator accepts none.
const REFUSED_MIN: u64 = 10;

impl StressRun<'_> {
    pub(super) fn report_package_problems(&self, searched: &SearchResult) {
        let reference = &self.programs.name;
        let inputs = &self.setting.inputs;
        if let Some(refused) = searched.disputed.as_ref().filter(|_| !inputs.is_for_group) {
            self.context.send_diagnostics([inputs.dispute_warning(refused)]);
        }
        if let Some(broken) = &searched.broken_generator {
            let path = inputs.problem.dir.join(package::recipe::DIRECTORY);
            self.context.send_diagnostics([Diagnostic::warning(path, broken.clone())]);
        }
        if let Some(seeded) = &inputs.seeded {
            self.context.send_diagnostics(repetition_warning(seeded, searched));
        }
        if searched.left_out_count() > 0
            && inputs.seeded.is_none()
            && searched.disputed.is_none()
            && searched.broken_generator.is_none()
            && searched.runs == 0
        {
            let message = format!(
                "no input was compared: {reference} solves none of them in time; choose a faster --reference"
            );
            self.context.send_event(Event::Complained { message, help: None });
        }
    }

    /// Fails if nothing was compared, or if the reference or a validator failed.
    pub(super) fn check_compared(
        &self,
        searched: &SearchResult,
        time: Duration,
    ) -> Result<(), Stop> {
        if let Some(fault) = &searched.fault {
            return Err(self.fault_stop(fault)?);
        }
        if self.setting.inputs.seeded.is_some() {
            return self.check_generator_compared(searched);
        }
        if searched.runs == 0
            && searched.left_out.is_empty()
            && searched.end != SearchEnd::Interrupted
            && let Some(grammar) = self.cross_check.arena.grammar()
        {
            let late = Instant::now() + time;
            let is_over = || (self.is_stopped)() || Instant::now() >= late;
            let seed = self.options.seed;
            return Err(match generate_until(grammar, &shape::RANDOM, &[], seed, None, &is_over) {
                Err(GenerationFailure::Unsatisfied(why)) => why.into(),
                _ => Diagnostic::error(&grammar.source.path, "no input was written in time")
                    .help("give more time with --time, or express each ASSERT in the bounds of values")
                    .into(),
            });
        }
        Ok(())
    }

    /// Fails if no input of the generator of the command line was compared.
    fn check_generator_compared(&self, searched: &SearchResult) -> Result<(), Stop> {
        let (inputs, programs) = (&self.setting.inputs, self.programs);
        let refuses_all = searched.allowed == 0 && searched.left_out_count() >= REFUSED_MIN;
        if searched.found.is_some()
            || searched.end == SearchEnd::Interrupted
            || searched.runs > 0 && !(refuses_all && searched.disputed.is_some())
        {
            return Ok(());
        }
        let refused = |diagnostic: Diagnostic| {
            Stop::Refused(RefusalSubject::HelperProgram, vec![diagnostic.into()])
        };
        if let Some(disputed) = &searched.disputed {
            let help = "the generator must print inputs that are valid";
            let dispute = inputs.dispute_warning(disputed);
            return Err(refused(Diagnostic { severity: Severity::Error, ..dispute }.help(help)));
        }
        if !searched.left_out.is_empty() {
            let message = "no input was compared: the reference solves none of them in time";
            let help = "choose a faster --reference, smaller inputs, or a longer --time-limit";
            return Err(refused(Diagnostic::error(&programs.path, message).help(help)));
        }
        let time = seconds(self.options.time);
        let arena = self.cross_check.arena;
        let first = arena.candidates(true, self.options.seed, None).next(&|| false)?;
        let first = first.map(|refusal| refusal.origin.to_string()).unwrap_or_default();
        let diagnostic = match &inputs.seeded {
            Some(seeded) if searched.distinct == 0 => {
                let message = format!("printed no input in {time}: {first}");
                let help = "make it faster, or give more time with --time";
                Diagnostic::error(&seeded.program.path, message).help(help)
            }
            _ => {
                let message = format!("no input was compared in {time}; the first is of {first}");
                let help = "choose a faster --reference, or give more time with --time";
                Diagnostic::error(&programs.path, message).help(help)
            }
        };
        Err(refused(diagnostic))
    }

    /// Fails if another run of the reference does not confirm a failure. Warns if another run of the generator prints
    /// another input.
    pub(super) fn check_helpers(&self, failure: &Failure) -> Result<(), Stop> {
        let arena = self.cross_check.arena;
        let fresh = &failure.fresh;
        for _ in 1..REPEATS {
            let objection = self.cross_check.reference_objection(&fresh.input);
            let Some(objection) = arena.in_time(objection)?.flatten() else { continue };
            if objection != UnusableReason::TooSlow {
                return Err(self.fault_stop(&PackageFault {
                    number: fresh.number,
                    input: Arc::clone(&fresh.input),
                    call: fresh.seeded,
                    reason: objection,
                })?);
            }
        }
        let (Some(generator), Some(call)) = (&arena.seeded, fresh.seeded) else { return Ok(()) };
        let again = arena.in_time(generator.make(call))?;
        if again.is_some_and(|again| again.is_ok_and(|again| again != fresh.input)) {
            let line = generator.given.line(call);
            let message = format!("prints another input when it runs again: `{line}`");
            let help = "let its random numbers depend on the seed alone; until then, the command that repeats the search may \
                        find something else";
            let path = &generator.given.program.path;
            self.context.send_diagnostics([Diagnostic::warning(path, message).help(help)]);
        }
        Ok(())
    }

    /// The error for a fault of the package, or of a program of the command line.
    fn fault_stop(&self, fault: &PackageFault) -> Result<Stop, Stop> {
        let mend = match fault.reason {
            UnusableReason::Checker(_) | UnusableReason::Generator(_) => {
                RefusalSubject::HelperProgram
            }
            UnusableReason::Validator(ref error) => return Ok(Stop::Fault((**error).clone())),
            _ => self.setting.reference_refusal(),
        };
        let diagnostic = self.fault_diagnostic(fault)?;
        Ok(match mend {
            RefusalSubject::Package => diagnostic.into(),
            mend => Stop::Refused(mend, vec![diagnostic.into()]),
        })
    }

    fn fault_diagnostic(&self, fault: &PackageFault) -> Result<Diagnostic, Stop> {
        let input = quote_input(&fault.input);
        let inputs = &self.setting.inputs;
        let line = inputs.seeded.as_ref().zip(fault.call).map(|(given, call)| given.line(call));
        let (origin, name, help) = match &line {
            Some(line) => (
                format!("what `{line}` prints"),
                format!("the reference `{}`", self.programs.name),
                "fix it, or let the generator print only valid inputs",
            ),
            None => (
                "a valid input".to_owned(),
                "the reference".to_owned(),
                "fix it, choose another with --reference, or make the input validators stricter",
            ),
        };
        let reference = |what: &str| {
            let message = format!("{name} fails on {origin}: {what}: {input}");
            Diagnostic::error(&self.programs.path, message).help(help)
        };
        Ok(match &fault.reason {
            UnusableReason::TooSlow => reference("it is too slow"),
            UnusableReason::Reference(verdict, cause) => {
                let diagnostic = reference(&format!("{verdict}, {cause}"));
                if line.is_some() {
                    diagnostic.quote(&self.reference_messages(fault)?)
                } else {
                    diagnostic
                }
            }
            UnusableReason::Validator(_) | UnusableReason::Disagreement => {
                reference(&fault.reason.to_string())
            }
            UnusableReason::Generator(diagnostic) => (**diagnostic).clone(),
            UnusableReason::Checker(stderr) => {
                let checker = self.setting.inputs.problem.output_validators.first();
                let path = checker.map_or(&*self.programs.path, |checker| &*checker.path);
                let built = self.cross_check.arena.rules.validators.output.first();
                let protocol = built.map(OutputValidator::protocol).unwrap_or_default();
                let message =
                    format!("the checker rejects the reference's own output on {origin}: {input}");
                Diagnostic::error(path, message).help(protocol.call_convention()).quote(stderr)
            }
            UnusableReason::Solution(what) => {
                let path =
                    self.setting.inputs.answer_maker.as_deref().unwrap_or(&self.programs.path);
                let message = format!("no judge answer for a valid input: {what}: {input}");
                Diagnostic::error(path, message)
                    .help("fix it, or make the input validators stricter")
            }
        })
    }

    /// What the reference writes on standard error, in another run.
    fn reference_messages(&self, fault: &PackageFault) -> Result<Vec<u8>, Stop> {
        let arena = self.cross_check.arena;
        if self.cross_check.is_judged() {
            return Ok(Vec::new());
        }
        arena.scheduler.set_deadline(Some(Instant::now() + SHOW_TIME));
        let ran = self.cross_check.run(&self.programs.reference, &fault.input);
        let stderr = arena.in_time(ran)?.map(|ran| ran.stderr);
        Ok(stderr.and_then(|blob| blob.prefix(MESSAGES_MAX).ok()).unwrap_or_default())
    }
}

/// Tells that a generator repeats itself, and the likely cause.
fn repetition_warning(generator: &SeededProgram, searched: &SearchResult) -> Option<Diagnostic> {
    let SearchResult { taken, distinct, .. } = *searched;
    if taken < REPEATING_CALLS_MIN || distinct * REPETITIONS_MIN > taken {
        return None;
    }
    let text = generator.text();
    let message = match distinct {
        1 => format!("the generator `{text}` printed the same input each of {taken} times"),
        _ => format!("{distinct} of {taken} calls of the generator `{text}` printed a new input"),
    };
    let help = if generator.has_size() && distinct > 1 {
        "it may read `{n}` as its seed: write `{seed}` there; now its last argument is the seed"
    } else {
        "let its random numbers start from the seed, which is its last argument unless `{seed}` has a place"
    };
    Some(Diagnostic::warning(&generator.program.path, message).help(help))
}
