//! The inputs of a first set: the grammar writes them, and the package's validators accept them.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use crate::build::bench::Bench;
use crate::grammar::bounds::{Coverage, bounds};
use crate::grammar::generate::{End, Unwritten, generate_until};
use crate::grammar::program::Grammar;
use crate::grammar::wanted::{Unreached, unreached};
use crate::model::blob::{Blob, Digest};
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::judgement::JudgeError;
use crate::model::problem::Problem;
use crate::model::proposal::EqualInput;
use crate::model::recipe::{InputSource, Recipe};
use crate::model::root::FilePath;
use crate::model::stop::Stop;
use crate::model::text::count;
use crate::propose::ideas::{Idea, at_bounds, ideas};
use crate::validity::{Objection, Validity};

/// Upper bounds on the bytes of inputs: large ones are in the package twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub one: usize,
    pub all: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { one: 32 << 20, all: 128 << 20 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub idea: Idea,
    pub input: Arc<[u8]>,
}

pub struct Making<'a> {
    pub bench: Bench<'a>,
    pub recipe: Option<&'a Recipe>,
    pub grammar: &'a Grammar,
    /// The package's other grammars and its input validators: all must accept.
    pub validity: &'a Validity<'a>,
    pub seed: u64,
    pub sizes: Sizes,
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

#[derive(Debug, Default)]
pub struct Inputs {
    pub made: Vec<Made>,
    /// Inputs that exist already, and the second one of two equal new inputs.
    pub equal: Vec<EqualInput>,
    pub too_large: Vec<Idea>,
    /// Why inputs could not be written, and which validators refuse inputs.
    pub diagnostics: Vec<Diagnostic>,
}

enum Came {
    Input(Arc<[u8]>, Vec<Unreached>),
    Unwritten(Unwritten),
    Refused(Objection),
}

struct SoFar {
    known: Known,
    coverage: Coverage,
    missed: MissedBounds,
    inputs: Inputs,
}

impl Making<'_> {
    /// First shapes, then bounds that no input has reached.
    pub fn make(&self) -> Result<Inputs, Stop> {
        let mut so_far = SoFar {
            known: Known::of(self.bench.problem, self.recipe)?,
            coverage: Coverage::new(self.grammar),
            missed: MissedBounds::new(),
            inputs: Inputs::default(),
        };
        for file in &so_far.known.files {
            // An input that the grammar refuses reaches no bound; `verify` reports it.
            let input = file.read().map_err(JudgeError::on("read", file))?;
            let _ = so_far.coverage.add(self.grammar, &input, file);
        }
        let mut left_out = self.round(ideas(self.grammar, self.seed), &mut so_far)?;
        let reached = bounds(self.grammar, Some(&so_far.coverage));
        let pinned = at_bounds(self.grammar, &reached, self.seed);
        let mut refused = self.round(pinned, &mut so_far)?;
        let SoFar { coverage, mut missed, mut inputs, .. } = so_far;
        // `verify` reports bounds that cannot be reached.
        refused.retain(|(_, _, by), _| by.is_some());
        for (why, (_, names)) in refused {
            left_out.entry(why).or_default().1.extend(names);
        }
        inputs.diagnostics = left_out.into_iter().map(remark).collect();
        missed.retain(|_, (missed, _)| !coverage.reaches(missed.site, missed.end));
        let missed = missed.values().map(|(missed, names)| missed.remark_on(self.grammar, names));
        inputs.diagnostics.extend(missed);
        inputs.made.sort_by_key(|made| made.input.len());
        let mut sum = 0;
        let is_beyond = |made: &mut Made| {
            sum += made.input.len();
            sum > self.sizes.all
        };
        let beyond = inputs.made.extract_if(.., is_beyond);
        let beyond: Vec<Idea> = beyond.map(|made| made.idea).collect();
        inputs.too_large.extend(beyond);
        Ok(inputs)
    }

    /// Leaves out the inputs that cannot be used.
    fn round(&self, ideas: Vec<Idea>, so_far: &mut SoFar) -> Result<LeftOut, Stop> {
        let SoFar { known, coverage, missed: unreached, inputs } = so_far;
        let mut left_out = LeftOut::new();
        let came = self.bench.map("inputs", &ideas, |idea| self.one(idea, known))?;
        for (idea, came) in ideas.into_iter().zip(came) {
            let input = match came {
                Came::Input(input, missed) => {
                    for missed in missed {
                        let key = (missed.site, missed.end == End::Most);
                        let first = || (missed, Vec::new());
                        unreached.entry(key).or_insert_with(first).1.push(idea.name.clone());
                    }
                    input
                }
                Came::Unwritten(Unwritten::TooLarge | Unwritten::Stopped) => {
                    inputs.too_large.push(idea);
                    continue;
                }
                Came::Unwritten(Unwritten::Unsatisfied(diagnostic)) => {
                    // The message differs from shape to shape, but the place does not.
                    let place = &diagnostic.place;
                    let spot = place.spot.as_ref().map(|it| (it.line, it.column));
                    let why = (place.path.clone(), spot, None);
                    let first = || (Some(diagnostic), Vec::new());
                    left_out.entry(why).or_insert_with(first).1.push(idea.name);
                    continue;
                }
                Came::Refused(by) => {
                    let why = (by.path.clone(), None, Some(by));
                    left_out.entry(why).or_default().1.push(idea.name);
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
            inputs.made.push(Made { idea, input });
        }
        Ok(left_out)
    }

    fn one(&self, idea: &Idea, known: &Known) -> Result<Came, Stop> {
        let grammar = self.grammar;
        let Idea { shape, pins, seed, .. } = idea;
        let most = Some(self.sizes.one);
        let input: Arc<[u8]> =
            match generate_until(grammar, shape, pins, *seed, most, self.is_stopped) {
                Ok(input) => input.into(),
                Err(Unwritten::Stopped) => return Err(Stop::Interrupted),
                Err(unwritten) => return Ok(Came::Unwritten(unwritten)),
            };
        let unreached = unreached(grammar, shape, pins, &input);
        // Existing inputs are not checked here.
        if known.find(&input)?.is_some() {
            return Ok(Came::Input(input, unreached));
        }
        Ok(match self.validity.objection(&input)? {
            None => Came::Input(input, unreached),
            // The place differs from input to input, but the message does not.
            Some(refused) => Came::Refused(Objection { spot: None, ..refused }),
        })
    }
}

/// A command of the grammar, or a validator with its message.
type Why = (PathBuf, Option<(u32, u32)>, Option<Objection>);

/// By reason: the diagnostic on the first input that was left out, and the names of all these inputs.
type LeftOut = BTreeMap<Why, (Option<Diagnostic>, Vec<String>)>;

/// The bounds that inputs should reach but do not, by site and side, with the names of these inputs.
type MissedBounds = BTreeMap<(usize, bool), (Unreached, Vec<String>)>;

fn remark(
    ((path, _, by), (unsatisfied, names)): (Why, (Option<Diagnostic>, Vec<String>)),
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

struct Known {
    names: HashMap<Digest, String>,
    files: Vec<FilePath>,
}

impl Known {
    /// Includes the inputs in the data and those in the recipe.
    fn of(problem: &Problem, recipe: Option<&Recipe>) -> Result<Self, JudgeError> {
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
