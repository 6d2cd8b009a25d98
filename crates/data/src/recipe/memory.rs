//! Memory of earlier runs. A case is not made again if its recipe, programs and tools are the same, and its files in
//! `data/` are still the results.
//!
//! The memory is a file in the user's cache directory. It has digests of everything that a case is made from, and of
//! each resulting file. Without it, everything is made. Then juror cannot distinguish the author's files from those
//! that the recipe made earlier. `--check` makes everything, and remembers data that is as the recipe makes it.
//! `juror verify` reads the memory to see what changed since then.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha512};

use crate::recipe::files::place_file;
use crate::recipe::{GenerateMode, Generation};
use juror_core::blob::{self, Blob};
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::text::hex;
use juror_core::units::Bytes;
use juror_judging::recipe::keys::CaseParts;
use juror_judging::recipe::stage::{Stage, file_name};

/// By case.
type KnownCases = BTreeMap<String, KnownCase>;

/// What a case was made from, and the resulting files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownCase {
    pub(super) parts: CaseParts,
    /// The digests of the files, by extension.
    files: BTreeMap<String, blob::Digest>,
}

impl KnownCase {
    /// The files of a case that are not the resulting ones.
    pub(super) fn changed_files(
        &self,
        case: &str,
        data: &FilePath,
    ) -> impl Iterator<Item = String> {
        self.files.iter().filter_map(move |(extension, digest)| {
            let name = file_name(case, extension);
            let now = Blob::file(&data.join(&name)).digest();
            now.map_or(true, |now| now != *digest).then_some(name)
        })
    }
}

/// The digests of all files that juror made, by their names below `data/`.
type MadeFiles = BTreeMap<String, blob::Digest>;

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// `None` if nothing is remembered.
    path: Option<FilePath>,
    known: KnownCases,
    made_files: MadeFiles,
}

/// Where the present contents of a file in `data/` come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileOrigin {
    /// An earlier run made them.
    Juror,
    /// They differ from what an earlier run made.
    Edited,
    /// No earlier run is known.
    Unknown,
}

/// Upper bound on a replaced file that is kept.
const KEPT_MAX: Bytes = Bytes::mib(64);

/// The first bytes of the file; another version writes another header.
const HEADER: &str = concat!("juror ", env!("CARGO_PKG_VERSION"), " generated 4");

impl Memory {
    /// Empty if nothing is to be remembered.
    pub(super) fn open(generation: &Generation<'_>) -> Self {
        let directory = generation.memory_dir.as_deref();
        let mut memory = Self::read(directory, &generation.bench.problem.dir);
        if generation.ignores_memory || generation.mode == GenerateMode::Check {
            memory.known.clear();
        }
        memory
    }

    pub(super) fn read(directory: Option<&Path>, package: &FilePath) -> Self {
        let path = directory.and_then(|cache| memory_path(cache, package));
        let Some(path) = path else { return Self::default() };
        let bytes = path.read().unwrap_or_default();
        let (known, made_files) = parse_memory(&bytes).unwrap_or_default();
        Self { path: Some(path), known, made_files }
    }

    /// What an earlier run knew of the case with this name.
    pub(super) fn known_case(&self, name: &str) -> Option<&KnownCase> {
        self.known.get(name)
    }

    pub(super) fn known_cases(&self) -> impl Iterator<Item = &KnownCase> {
        self.known.values()
    }

    pub(super) fn origin(&self, name: &str, data: &FilePath) -> FileOrigin {
        let Some(digest) = self.made_files.get(name) else { return FileOrigin::Unknown };
        match Blob::file(&data.join(name)).digest() {
            Ok(now) if now == *digest => FileOrigin::Juror,
            _ => FileOrigin::Edited,
        }
    }

    /// The directory of files that juror replaced without having made them.
    pub(super) fn replaced_dir(&self) -> Option<FilePath> {
        Some(self.path.as_ref()?.with_added_extension("replaced"))
    }

    /// Keeps a copy of a file below `data/` before it is replaced. Its name has the start of its digest.
    pub(super) fn keep(&self, name: &str, data: &FilePath) -> bool {
        let (Some(dir), file) = (self.replaced_dir(), data.join(name)) else { return false };
        let copy = || {
            if file.metadata()?.len() > KEPT_MAX.0 {
                return Ok(false);
            }
            let digest = hex(&Blob::file(&file).digest()?.0[..4]);
            let target = dir.join(format!("{name}.{digest}"));
            let write = |new: &FilePath| io::copy(&mut file.open()?, &mut new.create()?).map(drop);
            target.prepare_replacement(write)?.commit()?;
            Ok::<bool, io::Error>(true)
        };
        copy().unwrap_or(false)
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.path.is_some()
    }

    /// Adds a case's files from `data/` to the stage if they are made from the same parts. Returns whether they are.
    pub(super) fn recall(
        &self,
        parts: &CaseParts,
        case: &str,
        data: &FilePath,
        stage: &Stage,
    ) -> Result<bool, JudgeError> {
        let known = self.known.get(case).filter(|known| known.parts == *parts);
        let known = known.filter(|known| known.changed_files(case, data).next().is_none());
        let Some(KnownCase { files, .. }) = known else { return Ok(false) };
        for extension in files.keys() {
            let path = data.join(file_name(case, extension));
            let mut file = path.open().map_err(JudgeError::on_file("read", &path))?;
            stage.add(case, extension, &mut file)?;
        }
        Ok(true)
    }

    /// Remembers the parts of these cases, and those files in `data/` that this run and earlier ones made. A failed
    /// write is not a fault: the next run only takes longer.
    pub(super) fn remember(
        &self,
        cases: &[(CaseParts, &str)],
        stage: &Stage,
        data: &FilePath,
        recipe_files: &BTreeSet<String>,
    ) {
        let Some(path) = &self.path else { return };
        let mut made_files = MadeFiles::new();
        for name in recipe_files {
            let Ok(digest) = Blob::file(&data.join(name)).digest() else { return };
            made_files.insert(name.clone(), digest);
        }
        let mut known = KnownCases::new();
        for (parts, case) in cases {
            let mut files = BTreeMap::new();
            for extension in stage.extensions(case) {
                let Some(digest) = made_files.get(&file_name(case, &extension)) else { return };
                files.insert(extension, *digest);
            }
            known.insert((*case).to_owned(), KnownCase { parts: parts.clone(), files });
        }
        let others = self.made_files.iter().filter(|(name, _)| !recipe_files.contains(*name));
        let present = others.filter(|(name, _)| !data.join(name).is_missing());
        made_files.extend(present.map(|(name, digest)| (name.clone(), *digest)));
        let Ok(bytes) = postcard::to_allocvec(&(HEADER, known, made_files)) else { return };
        let _ = place_file(path, &bytes, GenerateMode::Write);
    }
}

fn memory_path(cache: &Path, package: &Path) -> Option<FilePath> {
    let real = package.canonicalize().ok()?;
    let name = hex(&Sha512::digest(real.as_os_str().as_encoded_bytes()));
    Some(FilePath::root(cache).join("generated").join(&name[..32]))
}

/// `None` if the file is of another kind.
fn parse_memory(bytes: &[u8]) -> Option<(KnownCases, MadeFiles)> {
    let (header, known, made_files): (String, _, _) = postcard::from_bytes(bytes).ok()?;
    (header == HEADER).then_some((known, made_files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_damaged_memory_is_ignored() {
        let check = |bytes: &[u8], expected: Option<usize>| {
            assert_eq!(parse_memory(bytes).map(|(known, _)| known.len()), expected, "{bytes:?}");
        };
        let known = KnownCases::from([
            ("ab".to_owned(), KnownCase::default()),
            ("cd".to_owned(), KnownCase::default()),
        ]);
        let whole = postcard::to_allocvec(&(HEADER, &known, MadeFiles::new())).unwrap();
        check(b"", None);
        check(b"juror 0.0.0 generated\n", None);
        check(&postcard::to_allocvec(&("juror 0.0.0", &known)).unwrap(), None);
        check(&whole, Some(2));
        check(&whole[..whole.len() - 1], None);
    }

    #[test]
    fn changed_or_missing_files_are_not_recalled() {
        let dir = tempfile::tempdir().unwrap();
        let stage = Stage::new().unwrap();
        stage.add("secret/a", "in", &mut &b"1\n"[..]).unwrap();
        let path = Some(FilePath::root(dir.path()).join("deep/memory"));
        let memory = Memory { path, ..Memory::default() };
        fs::create_dir(dir.path().join("secret")).unwrap();
        fs::write(dir.path().join("secret/a.in"), "1\n").unwrap();
        let (data, named) = (FilePath::root(dir.path()), ["secret/a.in".to_owned()].into());
        let parts = |recipe: &str| CaseParts { recipe: recipe.to_owned(), ..CaseParts::default() };
        memory.remember(&[(parts("k"), "secret/a")], &stage, &data, &named);
        let bytes = fs::read(dir.path().join("deep/memory")).unwrap();
        let (known, made_files) = parse_memory(&bytes).unwrap();
        let memory = Memory { path: None, known, made_files };
        let check = |key: &str, contents: Option<&str>, expected: bool| {
            let data = tempfile::tempdir().unwrap();
            fs::create_dir(data.path().join("secret")).unwrap();
            if let Some(contents) = contents {
                fs::write(data.path().join("secret/a.in"), contents).unwrap();
            }
            let stage = Stage::new().unwrap();
            let data = FilePath::root(data.path());
            let recalled = memory.recall(&parts(key), "secret/a", &data, &stage).unwrap();
            assert_eq!(recalled, expected, "{key} {contents:?}");
            let origin = memory.origin("secret/a.in", &data);
            assert_eq!(origin == FileOrigin::Juror, contents == Some("1\n"));
            assert_eq!(memory.origin("secret/b.in", &data), FileOrigin::Unknown);
            assert_eq!(stage.has_file("secret/a", "in"), expected);
        };
        check("k", Some("1\n"), true);
        check("k", Some("2\n"), false);
        check("k", None, false);
        check("other", Some("1\n"), false);
    }
}
