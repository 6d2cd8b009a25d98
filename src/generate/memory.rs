//! What was made before: a case whose recipe, programs and tools are the same is not made again, as
//! long as its files in `data/` are those that came of it.
//!
//! The memory is a file in the user's cache directory, and only ever a reason to leave out work: it has
//! a digest of all that a case is made of, and of each file that came of it. Without it, everything is
//! made. `--check` never looks at it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha512};

use crate::build::Builder;
use crate::build::bench::Bench;
use crate::generate::programs::{of_generator, of_solution};
use crate::generate::seed::{seed, substituted};
use crate::generate::stage::{Stage, file_name};
use crate::generate::{Generating, Mode};
use crate::model::judgement::JudgeError;
use crate::model::program::Program;
use crate::model::recipe::{AnswerSource, InputSource, RecipeCase};
use crate::model::tree::Node;

/// A digest as text.
type Hex = String;

/// The digests of a case's files, by extension.
type Files = BTreeMap<String, Hex>;

/// What is remembered of a package.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Where it is kept; `None` where nothing is remembered.
    path: Option<PathBuf>,
    /// By the digest of what a case is made of.
    known: BTreeMap<Hex, Files>,
}

/// The first line; another one is the memory of another version.
const HEADER: &str = concat!("juror ", env!("CARGO_PKG_VERSION"), " generated");

impl Memory {
    /// That of a package; empty where data is only checked, or nothing is to be remembered.
    pub(super) fn open(generating: &Generating<'_>) -> Self {
        if generating.mode == Mode::Check || !generating.remembers {
            return Self::default();
        }
        let Some(path) = place(&generating.bench.problem.dir) else { return Self::default() };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let known = parse(&text).filter(|_| !generating.fresh);
        Self { known: known.unwrap_or_default(), path: Some(path) }
    }

    /// Whether anything is remembered or will be.
    pub(super) fn is_on(&self) -> bool {
        self.path.is_some()
    }

    /// Puts a case's files from `data/` on the stage, where they are what came of this key; whether
    /// that was so.
    pub(super) fn recall(
        &self,
        key: &str,
        case: &str,
        data: &Path,
        stage: &Stage,
    ) -> Result<bool, JudgeError> {
        let Some(files) = self.known.get(key) else { return Ok(false) };
        let path = |extension: &str| data.join(file_name(case, extension));
        let is_same = |(extension, digest): (&String, &Hex)| {
            digest_of(&path(extension)).is_some_and(|there| there == *digest)
        };
        if !files.iter().all(is_same) {
            return Ok(false);
        }
        for extension in files.keys() {
            let path = path(extension);
            let fault = |error| JudgeError::new(format!("read {}", path.display()), error);
            stage.add(case, extension, &mut File::open(&path).map_err(fault)?)?;
        }
        Ok(true)
    }

    /// Remembers what these cases are made of and what came of them, and nothing else. That it cannot
    /// be written is no fault: the next time takes longer.
    pub(super) fn keep(&self, cases: &[(String, &str)], stage: &Stage) {
        let Some(path) = &self.path else { return };
        let mut text = format!("{HEADER}\n");
        for (key, case) in cases {
            let _ = writeln!(text, "{key}");
            for extension in stage.extensions(case) {
                let Some(digest) = digest_of(&stage.path(case, &extension)) else { return };
                let _ = writeln!(text, " {digest} {extension}");
            }
        }
        let dir = path.parent().unwrap_or(Path::new("."));
        let write = || {
            fs::create_dir_all(dir)?;
            let mut beside = tempfile::NamedTempFile::new_in(dir)?;
            beside.write_all(text.as_bytes())?;
            beside.persist(path)?;
            Ok::<(), std::io::Error>(())
        };
        let _ = write();
    }
}

/// Where the memory of a package is kept.
fn place(package: &Path) -> Option<PathBuf> {
    let real = package.canonicalize().ok()?;
    let name = hex(&Sha512::digest(real.as_os_str().as_encoded_bytes()));
    Some(cache_dir()?.join("generated").join(&name[..32]))
}

/// The user's directory for what can be made again.
pub(super) fn cache_dir() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value: &OsString| !value.is_empty());
    let cache = match set("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()) {
        Some(cache) => cache,
        None => PathBuf::from(set("HOME")?).join(".cache"),
    };
    Some(cache.join("juror"))
}

/// The memory that a file holds; `None` where it is no such file.
fn parse(text: &str) -> Option<BTreeMap<Hex, Files>> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return None;
    }
    let mut known: BTreeMap<Hex, Files> = BTreeMap::new();
    let mut files: Option<&mut Files> = None;
    for line in lines {
        match line.strip_prefix(' ') {
            None => files = Some(known.entry(line.to_owned()).or_default()),
            Some(file) => {
                let (digest, extension) = file.split_once(' ')?;
                files.as_mut()?.insert(extension.to_owned(), digest.to_owned());
            }
        }
    }
    Some(known)
}

/// The digest of a file; `None` where it cannot be read.
fn digest_of(path: &Path) -> Option<Hex> {
    let mut file = File::open(path).ok()?;
    let mut hasher = Sha512::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        match file.read(&mut chunk).ok()? {
            0 => return Some(hex(&hasher.finalize())),
            length => hasher.update(&chunk[..length]),
        }
    }
}

fn hex(bytes: &[u8]) -> Hex {
    bytes.iter().fold(Hex::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Makes keys: digests of all that a case is made of.
pub(super) struct Keys<'a> {
    bench: Bench<'a>,
    programs: BTreeMap<PathBuf, Option<Hex>>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(bench: Bench<'a>) -> Self {
        Self { bench, programs: BTreeMap::new() }
    }

    /// The key of a case; `None` where something that it needs is missing, which is told when it is made.
    pub(super) fn of(&mut self, case: &RecipeCase) -> Option<Hex> {
        let mut hasher = Sha512::new();
        let mut part = |name: &str, bytes: &[u8]| {
            hasher.update(format!("{name} {}\n", bytes.len()));
            hasher.update(bytes);
        };
        match &case.input {
            InputSource::Literal(text) => part("in", text.as_bytes()),
            InputSource::Copy => part("copy", b""),
            InputSource::File(path) => part("text", &fs::read(path).ok()?),
            InputSource::Command(command) => {
                let program = of_generator(self.bench.problem, &command.program);
                part("generator", self.program(&program)?.as_bytes());
                let seed = u64::from(seed(command));
                for word in substituted(command, &case.name, seed) {
                    part("argument", word.as_bytes());
                }
                part("tries", command.tries.to_string().as_bytes());
            }
        }
        for file in case.copy.iter().flat_map(|base| copied(base)) {
            part("file", file.as_os_str().as_encoded_bytes());
            part("contents", &fs::read(&file).ok()?);
        }
        part("given", format!("{:?}", case.files).as_bytes());
        part("arguments", format!("{:?}", case.output_validator_args).as_bytes());
        match &case.answer {
            AnswerSource::Own => part("own answer", b""),
            AnswerSource::None => part("no answer", b""),
            AnswerSource::File(path) => part("answer", &fs::read(path).ok()?),
            AnswerSource::Solution(path) => {
                let program = of_solution(self.bench.problem, path);
                part("solution", self.program(&program)?.as_bytes());
                part("io", format!("{:?}", self.bench.problem.io).as_bytes());
            }
        }
        Some(hex(&hasher.finalize()))
    }

    fn program(&mut self, program: &Program) -> Option<Hex> {
        // Two generators may start with the same file, so the name counts too.
        let key = program.path.join(format!(":{}", program.name));
        let builder = self.bench.builder;
        let known = self.programs.entry(key);
        known.or_insert_with(|| digest(program, builder)).clone()
    }
}

/// A digest of a program's files, of the tools that build and start it, and of how they do.
fn digest(program: &Program, builder: &Builder<'_>) -> Option<Hex> {
    let plan = builder.prepare(program).ok()?.plan;
    let mut hasher = Sha512::new();
    let how = (plan.written.word(), &plan.tools, &plan.build, &plan.start, &plan.entry_point);
    hasher.update(format!("{how:?}\n"));
    for file in &plan.files {
        if let Node::File { blob, mode } = &file.node {
            hasher.update(format!("{:?} {mode:?}\n", file.name));
            hasher.update(blob.digest().ok()?.0);
        }
    }
    Some(hex(&hasher.finalize()))
}

/// The files that `copy` with this base may take, and more: those whose names begin with it.
fn copied(base: &Path) -> Vec<PathBuf> {
    let stem = base.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!("{stem}.");
    let dir = base.parent().unwrap_or(Path::new("."));
    let walk = walkdir::WalkDir::new(dir).follow_links(true).sort_by_file_name();
    let is_meant = |entry: &walkdir::DirEntry| {
        entry.depth() != 1 || entry.file_name().to_string_lossy().starts_with(&prefix)
    };
    let entries = walk.into_iter().filter_entry(is_meant).flatten();
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(walkdir::DirEntry::into_path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_memory_is_none() {
        let check = |text: &str, expected: Option<usize>| {
            assert_eq!(parse(text).map(|known| known.len()), expected, "{text}");
        };
        check("", None);
        check("juror 0.0.0 generated\n", None);
        check(&format!("{HEADER}\n"), Some(0));
        check(&format!("{HEADER}\nab\n 01 in\n 02 ans\ncd\n"), Some(2));
        check(&format!("{HEADER}\n 01 in\n"), None);
        check(&format!("{HEADER}\nab\n 01\n"), None);
    }

    #[test]
    fn what_is_remembered_must_be_there_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let stage = Stage::new().unwrap();
        stage.add("secret/a", "in", &mut &b"1\n"[..]).unwrap();
        let memory = Memory { path: Some(dir.path().join("deep/memory")), known: BTreeMap::new() };
        memory.keep(&[("k".to_owned(), "secret/a")], &stage);
        let text = fs::read_to_string(dir.path().join("deep/memory")).unwrap();
        let memory = Memory { path: None, known: parse(&text).unwrap() };
        let check = |key: &str, contents: Option<&str>, expected: bool| {
            let data = tempfile::tempdir().unwrap();
            fs::create_dir(data.path().join("secret")).unwrap();
            if let Some(contents) = contents {
                fs::write(data.path().join("secret/a.in"), contents).unwrap();
            }
            let stage = Stage::new().unwrap();
            let recalled = memory.recall(key, "secret/a", data.path(), &stage).unwrap();
            assert_eq!(recalled, expected, "{key} {contents:?}");
            assert_eq!(stage.has("secret/a", "in"), expected);
        };
        check("k", Some("1\n"), true);
        check("k", Some("2\n"), false);
        check("k", None, false);
        check("other", Some("1\n"), false);
    }
}
