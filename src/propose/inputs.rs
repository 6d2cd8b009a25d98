//! The inputs of a first set: written by the grammar, and those left that the package can use.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::build::bench::Bench;
use crate::grammar::bounds::{Coverage, bounds};
use crate::grammar::generate::{Unwritten, generate_within};
use crate::grammar::program::Grammar;
use crate::grammar::validate::{Rejection, validate};
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::judgement::JudgeError;
use crate::model::problem::Problem;
use crate::model::proposal::EqualInput;
use crate::model::recipe::{InputSource, Recipe};
use crate::model::stop::Stop;
use crate::model::text::count;
use crate::propose::ideas::{Idea, at_bounds, ideas};
use crate::validate::single::{InputValidators, Refused};

/// How large inputs may be, in bytes: large ones stand in the package twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Each.
    pub one: usize,
    /// All of them together.
    pub all: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { one: 32 << 20, all: 128 << 20 }
    }
}

/// An input with what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// What was wanted.
    pub idea: Idea,
    /// What came of it.
    pub input: Arc<[u8]>,
}

/// What makes inputs, and what judges them.
pub struct Making<'a> {
    /// For which problem, and where validators run.
    pub bench: Bench<'a>,
    /// How its data is made.
    pub recipe: Option<&'a Recipe>,
    /// Writes the inputs.
    pub grammar: &'a Grammar,
    /// The package's other grammars: all must accept.
    pub others: &'a [Grammar],
    /// The package's other input validators: all must accept.
    pub validators: Option<&'a InputValidators<'a>>,
    /// What random numbers are made of.
    pub seed: u64,
    /// How large inputs may be.
    pub sizes: Sizes,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The new ones, from small to large.
    pub made: Vec<Made>,
    /// Those that are there already, and of two equal new ones the second.
    pub equal: Vec<EqualInput>,
    /// Those that are too large.
    pub too_large: Vec<Idea>,
    /// Why others could not be written, and who refuses them.
    pub diagnostics: Vec<Diagnostic>,
}

/// An input, or why there is none.
enum Came {
    Input(Arc<[u8]>),
    Unwritten(Unwritten),
    Refused(PathBuf, Refused),
}

impl Making<'_> {
    /// Makes all that is wanted: shapes first, then what no input has reached.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn make(&self) -> Result<Inputs, Stop> {
        let mut known = Known::of(self.bench.problem, self.recipe)?;
        let mut inputs = Inputs::default();
        let mut left_out = LeftOut::new();
        let mut coverage = Coverage::new(self.grammar);
        for file in known.files() {
            // What the grammar does not allow reaches no bound; `verify` names it.
            let input = fs::read(file).map_err(|error| unread(file, error))?;
            let _ = coverage.add(self.grammar, &input, file);
        }
        let shaped = ideas(self.grammar, self.seed);
        self.round(shaped, &mut known, &mut coverage, &mut left_out, &mut inputs)?;
        let reached = bounds(self.grammar, Some(&coverage));
        let missed = at_bounds(self.grammar, &reached, self.seed);
        // A bound that is out of reach has its own remark in `verify`.
        let mut unreached = LeftOut::new();
        self.round(missed, &mut known, &mut coverage, &mut unreached, &mut inputs)?;
        unreached.retain(|(_, _, by), _| by.is_some());
        for (why, (_, names)) in unreached {
            left_out.entry(why).or_default().1.extend(names);
        }
        inputs.diagnostics = left_out.into_iter().map(remark).collect();
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

    /// Makes some, and sorts out what cannot be used.
    fn round(
        &self,
        ideas: Vec<Idea>,
        known: &mut Known,
        coverage: &mut Coverage,
        left_out: &mut LeftOut,
        inputs: &mut Inputs,
    ) -> Result<(), Stop> {
        let came = self.bench.map("inputs", &ideas, |idea| self.one(idea, known))?;
        for (idea, came) in ideas.into_iter().zip(came) {
            let input = match came {
                Came::Input(input) => input,
                Came::Unwritten(Unwritten::TooLarge) => {
                    inputs.too_large.push(idea);
                    continue;
                }
                Came::Unwritten(Unwritten::Unsatisfied(diagnostic)) => {
                    // What it tried differs from shape to shape; the place does not.
                    let place = &diagnostic.place;
                    let spot = place.spot.as_ref().map(|it| (it.line, it.column));
                    let why = (place.path.clone(), spot, None);
                    let first = || (Some(diagnostic), Vec::new());
                    left_out.entry(why).or_insert_with(first).1.push(idea.name);
                    continue;
                }
                Came::Refused(path, by) => {
                    left_out.entry((path, None, Some(by))).or_default().1.push(idea.name);
                    continue;
                }
            };
            if let Some(same_as) = known.find(&input)? {
                inputs.equal.push(EqualInput { name: idea.name, same_as });
                continue;
            }
            let path = self.grammar.source().path.as_path();
            // It was read again when it was written.
            let _ = coverage.add(self.grammar, &input, path);
            known.add(&idea.name, &input);
            inputs.made.push(Made { idea, input });
        }
        Ok(())
    }

    fn one(&self, idea: &Idea, known: &Known) -> Result<Came, Stop> {
        let grammar = self.grammar;
        let written =
            generate_within(grammar, &idea.shape, &idea.pins, idea.seed, Some(self.sizes.one));
        let input: Arc<[u8]> = match written {
            Ok(input) => input.into(),
            Err(unwritten) => return Ok(Came::Unwritten(unwritten)),
        };
        // What is there is not judged here.
        if known.find(&input)?.is_some() {
            return Ok(Came::Input(input));
        }
        for other in self.others {
            let path = Path::new("the input");
            let Err(Rejection::Invalid(refusal) | Rejection::Grammar(refusal)) =
                validate(other, &input, path)
            else {
                continue;
            };
            let path = other.source().path.clone();
            let by = Refused {
                validator: path.display().to_string(),
                ending: None,
                said: format!(": {}", refusal.message),
            };
            return Ok(Came::Refused(path, by));
        }
        if let Some(validators) = self.validators
            && let Some(refused) = validators.refusal(&input)?
        {
            let problem = self.bench.problem;
            let dir = problem.dir.join(problem.layout.input_validators);
            return Ok(Came::Refused(dir.join(&refused.validator), refused));
        }
        Ok(Came::Input(input))
    }
}

/// Why inputs were left out: which command of the grammar, or which validator and what it said.
type Why = (PathBuf, Option<(u32, u32)>, Option<Refused>);

/// The inputs that were left out for each reason, and the grammar's remark on the first of them.
type LeftOut = BTreeMap<Why, (Option<Diagnostic>, Vec<String>)>;

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
        Some(Refused { ending: None, said, .. }) => format!("refuses {inputs}{said}"),
        Some(Refused { ending: Some(ending), said, .. }) => {
            format!("ends with {ending}{said}, on {inputs}")
        }
    };
    Diagnostic::warning(path, format!("{what} (left out: {names})"))
        .help("make grammar and validator say the same; `juror verify` shows more")
}

/// The inputs that are there.
struct Known {
    /// By their lengths.
    all: BTreeMap<u64, Vec<(String, Content)>>,
}

enum Content {
    File(PathBuf),
    Bytes(Arc<[u8]>),
}

impl Known {
    /// Those of the data, and those that the recipe gives.
    fn of(problem: &Problem, recipe: Option<&Recipe>) -> Result<Self, JudgeError> {
        let mut known = Self { all: BTreeMap::new() };
        for case in &problem.test_data.cases {
            known.add_file(&case.name, &case.input)?;
        }
        for case in recipe.iter().flat_map(|recipe| &recipe.cases) {
            if !case.name.starts_with("secret/") && !case.name.starts_with("sample/") {
                continue;
            }
            match (&case.input, &case.copy) {
                (InputSource::Literal(text), _) => known.add(&case.name, &text.as_bytes().into()),
                (InputSource::Copy, Some(base)) => {
                    let file = base.with_added_extension("in");
                    known.add_file(&case.name, &file)?;
                }
                _ => {}
            }
        }
        Ok(known)
    }

    fn add_file(&mut self, name: &str, path: &Path) -> Result<(), JudgeError> {
        let size = fs::metadata(path).map_err(|error| unread(path, error))?.len();
        let content = Content::File(path.to_owned());
        self.all.entry(size).or_default().push((name.to_owned(), content));
        Ok(())
    }

    fn add(&mut self, name: &str, input: &Arc<[u8]>) {
        let of_size = self.all.entry(input.len() as u64).or_default();
        of_size.push((name.to_owned(), Content::Bytes(Arc::clone(input))));
    }

    /// The case that has this input.
    fn find(&self, input: &[u8]) -> Result<Option<String>, JudgeError> {
        let of_size = self.all.get(&(input.len() as u64));
        for (name, content) in of_size.into_iter().flatten() {
            let is_same = match content {
                Content::Bytes(bytes) => **bytes == *input,
                Content::File(path) => {
                    fs::read(path).map_err(|error| unread(path, error))? == input
                }
            };
            if is_same {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        self.all.values().flatten().filter_map(|(_, content)| match content {
            Content::File(path) => Some(path.as_path()),
            Content::Bytes(_) => None,
        })
    }
}

fn unread(path: &Path, error: std::io::Error) -> JudgeError {
    JudgeError::new(format!("read {}", path.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::executor::scripted::Scripted;
    use crate::grammar::compile::read;
    use crate::package;

    /// What is made of a grammar for an empty package.
    fn inputs(text: &str, sizes: Sizes) -> Inputs {
        let dir = tempfile::tempdir().unwrap();
        let yaml = "problem_format_version: 2025-09\nname: A\n\
                    uuid: 9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10\nlicense: cc0\nrights_owner: B\n";
        fs::write(dir.path().join("problem.yaml"), yaml).unwrap();
        let problem = package::read(dir.path()).problem.unwrap();
        let grammar = read(Path::new("g.ctd"), text.as_bytes()).grammar.unwrap();
        let executor = Scripted::new(2, |_| Err(Stop::Interrupted));
        let builder = Builder::new(&executor);
        let making = Making {
            bench: Bench {
                problem: &problem,
                executor: &executor,
                builder: &builder,
                events: &|_| {},
            },
            recipe: None,
            grammar: &grammar,
            others: &[],
            validators: None,
            seed: 1,
            sizes,
        };
        making.make().unwrap()
    }

    #[test]
    fn what_is_too_large_is_named() {
        let row = "INT(1, 1000, n) NEWLINE REP(n, SPACE) INT(1, 9) END NEWLINE";
        let check = |one, all, largest: usize, is_cut: bool| {
            let inputs = inputs(row, Sizes { one, all });
            let sizes: Vec<usize> = inputs.made.iter().map(|made| made.input.len()).collect();
            assert!(sizes.is_sorted() && sizes.last() <= Some(&largest), "{sizes:?}");
            assert!(sizes.iter().sum::<usize>() <= all);
            let mut options = inputs.too_large.iter().map(|idea| idea.options.as_str());
            assert_eq!(options.any(|it| it == "--shape all-most --size large --seed 1"), is_cut);
        };
        check(1 << 20, 1 << 20, 2005, false);
        check(500, 1 << 20, 500, true);
        check(1 << 20, 5000, 2005, true);
    }

    #[test]
    fn equal_inputs_are_made_once() {
        let inputs = inputs("INT(3, 3, n) NEWLINE", Sizes::default());
        let names: Vec<&str> = inputs.made.iter().map(|made| &*made.idea.name).collect();
        assert_eq!(names, ["smallest"]);
        assert!(inputs.equal.iter().all(|equal| equal.same_as == "smallest"));
        assert!(inputs.equal.iter().any(|equal| equal.name == "largest"));
    }

    #[test]
    fn every_bound_is_reached() {
        let text = "INT(2, 30, n) SPACE INT(1, n, k) SPACE INT(-7, 1000, x) NEWLINE \
                    REPI(i, n, SPACE) INT(0, x + 10, a[i]) END NEWLINE";
        let grammar = read(Path::new("g.ctd"), text.as_bytes()).grammar.unwrap();
        let mut coverage = Coverage::new(&grammar);
        for made in inputs(text, Sizes::default()).made {
            let path = Path::new("1.in");
            coverage.add(&grammar, &made.input, path).unwrap();
        }
        for bounds in bounds(&grammar, Some(&coverage)) {
            assert_eq!(bounds.missed(), None, "{}", bounds.name);
        }
    }
}
