//! Keys of test cases: digests of everything that a case is made from. What has the same key need not be made again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha512};

use crate::build::Builder;
use crate::build::bench::Bench;
use crate::recipe::programs::{generator_program, solution_program};
use crate::recipe::seed::{seed_of, substitute_placeholders};
use juror_core::program::Program;
use juror_core::recipe::{AnswerSource, InputSource, RecipeCase};
use juror_core::root::{FilePath, PathKind, WalkBounds};
use juror_core::text::hex;
use juror_core::tree::Node;

/// In hexadecimal digits.
pub type CaseKey = String;

/// What a case is made from, as digests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseParts {
    /// Its entry in the recipe, and the files that it copies.
    pub recipe: CaseKey,
    pub generator: Option<CaseKey>,
    pub solution: Option<CaseKey>,
    /// The compilers, and how they and the programs are called.
    pub tools: Vec<CaseKey>,
}

impl CaseParts {
    /// Whether the author changed nothing. Another compiler is no change.
    pub fn are_of_same_sources(&self, other: &Self) -> bool {
        self.recipe == other.recipe
            && self.generator == other.generator
            && self.solution == other.solution
    }
}

pub struct CaseKeys<'a> {
    bench: Bench<'a>,
    programs: BTreeMap<PathBuf, Option<ProgramParts>>,
}

#[derive(Clone)]
struct ProgramParts {
    sources: CaseKey,
    tools: CaseKey,
}

impl<'a> CaseKeys<'a> {
    pub fn new(bench: Bench<'a>) -> Self {
        Self { bench, programs: BTreeMap::new() }
    }

    /// `None` if something that the case needs is missing. That is reported when the case is made.
    pub fn key_of(&mut self, case: &RecipeCase) -> Option<CaseKey> {
        let parts = self.parts_of(case)?;
        Some(hex(&Sha512::digest(format!("{parts:?}"))))
    }

    /// `None` as in [`Self::key_of`].
    pub fn parts_of(&mut self, case: &RecipeCase) -> Option<CaseParts> {
        let mut parts = CaseParts::default();
        let mut hasher = Sha512::new();
        let dir = &self.bench.problem.dir;
        let below = |path: &FilePath| path.strip_prefix(&**dir).unwrap_or(path).to_owned();
        let mut part = |name: &str, bytes: &[u8]| {
            hasher.update(format!("{name} {}\n", bytes.len()));
            hasher.update(bytes);
        };
        match &case.input {
            InputSource::Literal(text) => part("in", text.as_bytes()),
            InputSource::Copy => part("copy", b""),
            InputSource::File(path) => part("text", &path.read().ok()?),
            InputSource::Command(command) => {
                let program = generator_program(self.bench.problem, &command.program);
                let ProgramParts { sources, tools } = self.program(&program)?;
                parts.generator = Some(sources);
                parts.tools.push(tools);
                let seed = u64::from(seed_of(command));
                for word in substitute_placeholders(command, &case.name, seed) {
                    part("argument", word.as_bytes());
                }
                part("tries", command.tries.to_string().as_bytes());
            }
        }
        for file in case.copy.iter().flat_map(copied_files) {
            part("file", below(&file).as_os_str().as_encoded_bytes());
            part("contents", &file.read().ok()?);
        }
        part("given", format!("{:?}", case.files).as_bytes());
        part("arguments", format!("{:?}", case.output_validator_args).as_bytes());
        match &case.answer {
            AnswerSource::OwnFile => part("own answer", b""),
            AnswerSource::None => part("no answer", b""),
            AnswerSource::File(path) => part("answer", &path.read().ok()?),
            AnswerSource::Solution(path) => {
                let program = solution_program(self.bench.problem, path);
                let ProgramParts { sources, tools } = self.program(&program)?;
                parts.solution = Some(sources);
                parts.tools.push(tools);
                part("solution", below(path).as_os_str().as_encoded_bytes());
                part("io", format!("{:?}", self.bench.problem.io).as_bytes());
            }
        }
        parts.recipe = hex(&hasher.finalize());
        Some(parts)
    }

    fn program(&mut self, program: &Program) -> Option<ProgramParts> {
        // Two generators may start with the same file, so the name counts too.
        let key = program.path.join(format!(":{}", program.name)).into();
        let builder = self.bench.builder;
        let known = self.programs.entry(key);
        known.or_insert_with(|| program_parts(program, builder)).clone()
    }
}

/// Digests of a program's files, and of the tools and commands that build and run it.
fn program_parts(program: &Program, builder: &Builder<'_>) -> Option<ProgramParts> {
    let plan = builder.prepare(program).ok()?.plan;
    let tools = hex(&Sha512::digest(format!("{:?}", (&plan.tools, &plan.build, &plan.start))));
    let mut hasher = Sha512::new();
    hasher.update(format!("{:?}\n", (plan.language.name(), &plan.entry_point)));
    for file in &plan.files {
        if let Node::File { blob, mode } = &file.node {
            hasher.update(format!("{:?} {mode:?}\n", file.name));
            hasher.update(blob.digest().ok()?.0);
        }
    }
    Some(ProgramParts { sources: hex(&hasher.finalize()), tools })
}

/// The files that `copy` with this base may take: a superset, in which all names begin with the base.
fn copied_files(base: &FilePath) -> Vec<FilePath> {
    let stem = base.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!("{stem}.");
    let Some(dir) = base.directory() else { return Vec::new() };
    let mut files = Vec::new();
    let mut walk = dir.walk(WalkBounds::PACKAGE);
    while let Some(next) = walk.next() {
        // A path that cannot be reached is reported when it is copied.
        let Ok(entry) = next else { continue };
        let is_top = entry.path.parent() == Some(&dir);
        if is_top && !entry.name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        match entry.kind_and_metadata() {
            Ok((PathKind::File, _)) => files.push(entry.path),
            Ok((PathKind::Directory, _)) => drop(walk.enter(&entry)),
            Err(_) => {}
        }
    }
    files
}
