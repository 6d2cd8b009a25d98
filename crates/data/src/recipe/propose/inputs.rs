//! The inputs of a first set: the grammar writes them, and the package's validators accept them.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use crate::recipe::propose::ideas::{Idea, bound_ideas, ideas};
use crate::validity::{Objection, Validity};
use juror_core::blob::{Blob, Digest};
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::judgement::JudgeError;
use juror_core::problem::Problem;
use juror_core::proposal::EqualInput;
use juror_core::recipe::{InputSource, Recipe};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::text::count;
use juror_grammar::bounds::Coverage;
use juror_grammar::generate::{GenerationFailure, generate_until};
use juror_grammar::program::Grammar;
use juror_grammar::value_bounds::BoundSide;
use juror_grammar::wanted_bounds::{UnreachedBound, unreached};
use juror_judging::build::bench::Bench;

/// Upper bound on the bytes of an input: large ones are in the package twice.
const INPUT_BYTES_MAX: usize = 32 << 20;
/// Upper bound on the bytes of all inputs.
const TOTAL_BYTES_MAX: usize = 128 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInput {
    pub idea: Idea,
    pub input: Arc<[u8]>,
}

pub struct ProposalMaker<'a> {
    pub bench: Bench<'a>,
    pub recipe: Option<&'a Recipe>,
    pub seed: u64,
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
    pub grammar: &'a Grammar,
    /// The package's other grammars and its input validators: all must accept.
    pub validity: &'a Validity<'a>,
}

#[derive(Debug, Default)]
pub struct ProposedInputs {
    pub new: Vec<NewInput>,
    /// Inputs that exist already, and the second one of two equal new inputs.
    pub equal: Vec<EqualInput>,
    pub too_large: Vec<Idea>,
    /// Why inputs could not be written, and which validators refuse inputs.
    pub diagnostics: Vec<Diagnostic>,
}

/// The input, and the bounds that it should reach but does not.
type IdeaResult = Result<(Arc<[u8]>, Vec<UnreachedBound>), IdeaFailure>;

enum IdeaFailure {
    TooLarge,
    Omitted(Box<(OmissionReason, Option<Diagnostic>)>),
}

struct MakerState {
    known: ExistingInputs,
    coverage: Coverage,
    missed: MissedBounds,
    inputs: ProposedInputs,
}

impl ProposalMaker<'_> {
    /// First shapes, then bounds that no input has reached.
    pub fn make(&self) -> Result<ProposedInputs, Stop> {
        let Self { bench, recipe, seed, .. } = *self;
        let mut state = MakerState {
            known: ExistingInputs::collect(bench.problem, recipe)?,
            coverage: Coverage::new(self.grammar),
            missed: MissedBounds::new(),
            inputs: ProposedInputs::default(),
        };
        for file in &state.known.files {
            // An input that the grammar refuses reaches no bound; `verify` reports it.
            let input = file.read().map_err(JudgeError::on_file("read", file))?;
            let _ = state.coverage.add(self.grammar, &input, file);
        }
        let mut omissions = self.make_ideas(ideas(self.grammar, seed), &mut state)?;
        let pinned = bound_ideas(self.grammar, &state.coverage, seed);
        let mut refusals = self.make_ideas(pinned, &mut state)?;
        let MakerState { coverage, mut missed, mut inputs, .. } = state;
        // `verify` reports bounds that cannot be reached.
        refusals.retain(|(_, _, objection), _| objection.is_some());
        for (reason, (_, names)) in refusals {
            omissions.entry(reason).or_default().1.extend(names);
        }
        inputs.diagnostics = omissions.into_iter().map(omission_warning).collect();
        missed.retain(|_, (missed, _)| !coverage.reaches(missed.site, missed.side));
        let missed =
            missed.values().map(|(missed, names)| missed.warning_for_inputs(self.grammar, names));
        inputs.diagnostics.extend(missed);
        inputs.new.sort_by_key(|new| new.input.len());
        let mut sum = 0;
        let is_beyond = |new: &mut NewInput| {
            sum += new.input.len();
            sum > TOTAL_BYTES_MAX
        };
        let beyond = inputs.new.extract_if(.., is_beyond);
        let beyond: Vec<Idea> = beyond.map(|new| new.idea).collect();
        inputs.too_large.extend(beyond);
        Ok(inputs)
    }

    /// Leaves out the inputs that cannot be used.
    fn make_ideas(&self, ideas: Vec<Idea>, state: &mut MakerState) -> Result<Omissions, Stop> {
        let MakerState { known, coverage, missed: unreached, inputs } = state;
        let mut omissions = Omissions::new();
        let results = self.bench.map("inputs", &ideas, |idea| self.make_idea(idea, known))?;
        for (idea, result) in ideas.into_iter().zip(results) {
            let input = match result {
                Ok((input, missed)) => {
                    for missed in missed {
                        let key = (missed.site, missed.side == BoundSide::Most);
                        let first = || (missed, Vec::new());
                        unreached.entry(key).or_insert_with(first).1.push(idea.name.clone());
                    }
                    input
                }
                Err(IdeaFailure::TooLarge) => {
                    inputs.too_large.push(idea);
                    continue;
                }
                Err(IdeaFailure::Omitted(omitted)) => {
                    let (reason, first) = *omitted;
                    omissions.entry(reason).or_insert((first, Vec::new())).1.push(idea.name);
                    continue;
                }
            };
            if let Some(same_as) = known.find(&input)? {
                inputs.equal.push(EqualInput { name: idea.name, same_as });
                continue;
            }
            let path = self.grammar.source.path.as_path();
            // Writing an input includes a check of it.
            let _ = coverage.add(self.grammar, &input, path);
            known.add(&idea.name, &Arc::clone(&input).into())?;
            inputs.new.push(NewInput { idea, input });
        }
        Ok(omissions)
    }

    fn make_idea(&self, idea: &Idea, known: &ExistingInputs) -> Result<IdeaResult, Stop> {
        let grammar = self.grammar;
        let Idea { shape, pins, seed, .. } = idea;
        let (most, is_stopped) = (Some(INPUT_BYTES_MAX), self.is_stopped);
        let input: Arc<[u8]> = match generate_until(grammar, shape, pins, *seed, most, is_stopped) {
            Ok(input) => input.into(),
            Err(GenerationFailure::Stopped) => return Err(Stop::Interrupted),
            Err(GenerationFailure::TooLarge) => return Ok(Err(IdeaFailure::TooLarge)),
            Err(GenerationFailure::Unsatisfied(diagnostic)) => {
                // The message differs from shape to shape, but the place does not.
                let place = &diagnostic.place;
                let spot = place.spot.as_ref().map(|spot| (spot.line, spot.column));
                let reason = (place.path.clone(), spot, None);
                return Ok(Err(IdeaFailure::Omitted(Box::new((reason, Some(diagnostic))))));
            }
        };
        let unreached = unreached(grammar, shape, pins, &input);
        // Existing inputs are not checked here.
        if known.find(&input)?.is_some() {
            return Ok(Ok((input, unreached)));
        }
        Ok(match self.validity.objection(&input)? {
            None => Ok((input, unreached)),
            // The place differs from input to input, but the message does not.
            Some(objection) => {
                let objection = Objection { spot: None, ..objection };
                let reason = (objection.path.clone(), None, Some(objection));
                Err(IdeaFailure::Omitted(Box::new((reason, None))))
            }
        })
    }
}

/// A command of the grammar, or a validator with its message.
type OmissionReason = (PathBuf, Option<(u32, u32)>, Option<Objection>);

/// By reason: the diagnostic on the first input that was left out, and the names of all these inputs.
type Omissions = BTreeMap<OmissionReason, (Option<Diagnostic>, Vec<String>)>;

/// The bounds that inputs should reach but do not, by site and side, with the names of these inputs.
type MissedBounds = BTreeMap<(usize, bool), (UnreachedBound, Vec<String>)>;

fn omission_warning(
    ((path, _, by), (unsatisfied, names)): (OmissionReason, (Option<Diagnostic>, Vec<String>)),
) -> Diagnostic {
    let inputs = format!("{} that the grammar allows", count(names.len(), "input"));
    let names = names.join(", ");
    if let Some(mut diagnostic) = unsatisfied {
        diagnostic.severity = Severity::Warning;
        diagnostic.message = format!("{} (left out: {names})", diagnostic.message);
        return diagnostic;
    }
    let what = match by {
        None => String::new(),
        Some(Objection { ending: None, message, .. }) => format!("refuses {inputs}{message}"),
        Some(Objection { ending: Some(ending), message, .. }) => {
            format!("ends with {ending}{message}, on {inputs}")
        }
    };
    Diagnostic::warning(path, format!("{what} (left out: {names})"))
        .help("make grammar and validator agree; `juror verify` shows more")
}

struct ExistingInputs {
    names: HashMap<Digest, String>,
    files: Vec<FilePath>,
}

impl ExistingInputs {
    /// Includes the inputs in the data and those in the recipe.
    fn collect(problem: &Problem, recipe: Option<&Recipe>) -> Result<Self, JudgeError> {
        let mut known = Self { names: HashMap::new(), files: Vec::new() };
        for case in &problem.test_data.cases {
            known.add(&case.name, &Blob::file(&case.input))?;
        }
        for case in recipe.iter().flat_map(|recipe| &recipe.cases) {
            if !case.name.starts_with("secret/") && !case.name.starts_with("sample/") {
                continue;
            }
            match (&case.input, &case.copy) {
                (InputSource::Literal(text), _) => {
                    known.add(&case.name, &text.as_bytes().into())?;
                }
                (InputSource::Copy, Some(base)) => {
                    known.add(&case.name, &Blob::file(&base.with_added_extension("in")))?;
                }
                _ => {}
            }
        }
        Ok(known)
    }

    fn add(&mut self, name: &str, input: &Blob) -> Result<(), JudgeError> {
        self.names.entry(digest(input)?).or_insert_with(|| name.to_owned());
        self.files.extend(input.path().cloned());
        Ok(())
    }

    fn find(&self, input: &Arc<[u8]>) -> Result<Option<String>, JudgeError> {
        Ok(self.names.get(&digest(&Arc::clone(input).into())?).cloned())
    }
}

fn digest(input: &Blob) -> Result<Digest, JudgeError> {
    input.digest().map_err(|error| JudgeError::new(format!("read {input}"), error))
}
