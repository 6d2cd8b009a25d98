//! Adds a first set of test cases from the grammar of the input to a package, and makes their data.

use std::path::Path;

use crate::recipe::propose::directories::{parse_directories, similar_test_case};
use crate::recipe::propose::import;
use crate::recipe::propose::inputs::{NewInput, ProposalMaker, ProposedInputs};
use crate::recipe::propose::write::Addition;
use crate::recipe::{GenerateMode, Generation, add_cases};
use crate::validity::Validity;
use crate::validity::grammars;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, Note};
use juror_core::problem::Problem;
use juror_core::proposal::{Proposal, ProposedCase};
use juror_core::recipe::Recipe;
use juror_core::stop::Stop;
use juror_core::text::shell_word;
use juror_core::units::Bytes;
use juror_grammar::program::Grammar;
use juror_judging::build::bench::Bench;

/// The default group of new cases.
const DEFAULT_GROUP: &str = "from-grammar";

pub struct GrammarProposal<'a> {
    pub bench: Bench<'a>,
    pub recipe: Option<&'a Recipe>,
    /// If `None`, the package's first grammar.
    pub grammar: Option<&'a Path>,
    /// The directory for the new cases, below the secret ones.
    pub directory: Option<&'a str>,
    pub seed: u64,
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl GrammarProposal<'_> {
    /// Returns diagnostics about the data that was made.
    pub fn add(&self) -> Result<Vec<Diagnostic>, Stop> {
        let Self { bench, recipe, seed, is_stopped, .. } = *self;
        let problem = bench.problem;
        let directories = parse_directories(self.directory, DEFAULT_GROUP, problem)?;
        let (grammars, diagnostics) = grammars::problem_grammars(self.grammar, problem, true)?;
        self.bench.send_diagnostics(diagnostics);
        let Some((grammar, others)) = grammars.split_first() else {
            return Err(no_grammar(problem).into());
        };
        let test_case = similar_test_case(problem, &directories);
        let validity = &Validity::build(bench, others.iter().collect(), &test_case)?;
        let maker = ProposalMaker { bench, recipe, seed, is_stopped, grammar, validity };
        let inputs = maker.make()?;
        let imported = match problem.recipe {
            None => import::all_cases(problem),
            Some(_) => Vec::new(),
        };
        let addition = Addition {
            problem,
            recipe,
            directories: &directories,
            comments: vec![
                "Added by `juror generate --from-grammar`. Each input is what this prints, with the options above it:"
                    .to_owned(),
                print_command(grammar, &problem.dir, self.grammar.is_some()),
            ],
            makes_answers: true,
            imported: &imported,
        };
        self.write(&addition, inputs, grammar)
    }

    fn write(
        &self,
        addition: &Addition<'_>,
        inputs: ProposedInputs,
        grammar: &Grammar,
    ) -> Result<Vec<Diagnostic>, Stop> {
        let diagnostics = inputs.diagnostics;
        let mut proposal = Proposal {
            grammar: grammar.source.path.clone(),
            seed: self.seed,
            cases: Vec::new(),
            equal: inputs.equal,
            too_large: inputs.too_large.into_iter().map(|idea| idea.options).collect(),
            imported: 0,
        };
        if inputs.new.is_empty() {
            let is_all_unusable = proposal.equal.is_empty() && !diagnostics.is_empty();
            (self.bench.events)(Event::Noted(Note::Proposal(Box::new(proposal))));
            if is_all_unusable {
                return Err(Stop::Diagnosed(diagnostics));
            }
            self.bench.send_diagnostics(diagnostics);
            return Ok(Vec::new());
        }
        self.bench.send_diagnostics(diagnostics);
        let extended = addition.write(&addition.number_cases(&inputs.new))?;
        proposal.imported = addition.imported.len();
        let case = |(name, new): (&String, &NewInput)| ProposedCase {
            name: name.clone(),
            description: new.idea.purpose.clone(),
            size: Bytes(new.input.len() as u64),
        };
        proposal.cases = extended.names.iter().zip(&inputs.new).map(case).collect();
        (self.bench.events)(Event::Noted(Note::Proposal(Box::new(proposal))));
        let generation = Generation {
            bench: self.bench,
            recipe: &extended.recipe,
            mode: GenerateMode::Write,
            ignores_memory: true,
            removes_leftovers: false,
            validates: false,
            overwrites_edits: false,
            memory_dir: None,
        };
        Ok(add_cases(&generation, &extended.names)?.diagnostics)
    }
}

fn no_grammar(problem: &Problem) -> Diagnostic {
    let dir = problem.dir.join(problem.layout.input_validators);
    Diagnostic::error(dir, "has no input grammar (*.ctd)")
        .help("write one, as docs/grammar.md describes, or give its path: --from-grammar GRAMMAR")
}

/// The command that prints the inputs, run in the package's directory. The options of each input are missing.
fn print_command(grammar: &Grammar, package: &Path, is_given: bool) -> String {
    let path = &grammar.source.path;
    let path = if is_given {
        // The user named this file.
        path.file_name().map_or(path.as_path(), Path::new)
    } else {
        path.strip_prefix(package).unwrap_or(path)
    };
    let path = shell_word(path.as_os_str().as_encoded_bytes());
    format!("juror grammar generate {path}")
}
