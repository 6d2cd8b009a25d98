//! Writes the files of a package in another format, and reads them again.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::package;
use crate::package::convert::{PlannedContents, PlannedFile};
use juror_core::diagnostic::Diagnostic;
use juror_core::language::constants::replace_constants;
use juror_core::language::sources::is_made_by_build;
use juror_core::limits::LARGE_OUTPUT;
use juror_core::problem::Problem;
use juror_core::root::{FilePath, read_whole};
use juror_core::stop::{Stop, is_interrupted};

/// Fails if another file has this name.
pub fn write_file(dir: &FilePath, file: &PlannedFile) -> io::Result<()> {
    let path = dir.join(&file.name);
    // Some systems do not tell `A.c` from `a.c`.
    if path.link_metadata().is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "another file has this name"));
    }
    if let Some(link) = file.source().filter(|from| is_made_by_build(from)) {
        return path.create_link(&link.link_target()?);
    }
    let mut to = path.create()?;
    let (mut from, constants) = match &file.contents {
        PlannedContents::Text(text) => return to.write_all(text.as_bytes()),
        PlannedContents::File(from, constants) => (from.open()?, constants),
    };
    let rights = from.metadata()?.permissions().mode();
    if constants.is_empty() {
        io::copy(&mut from, &mut to)?;
    } else {
        let bytes = read_whole(&mut from, LARGE_OUTPUT)?;
        to.write_all(&replace_constants(&bytes, constants).map_err(io::Error::other)?)?;
    }
    // Its owner may change a new package, whatever the old one was.
    to.set_permissions(Permissions::from_mode(rights | 0o200))
}

pub fn read_again(dir: &Path) -> Result<Problem, Stop> {
    let reading = package::read(dir);
    let prevents = reading.diagnostics.iter().any(Diagnostic::prevents_judging);
    if let Some(problem) = reading.problem.filter(|_| !prevents) {
        return Ok(problem);
    }
    let faults = reading.diagnostics.into_iter().filter(Diagnostic::prevents_judging);
    let faults = faults.map(|mut fault| {
        // The new package is not kept, so there is no path to it.
        if let Ok(name) = fault.place.path.strip_prefix(dir) {
            fault.place.path = name.to_owned();
            fault.message = format!("the new package would not be valid: {}", fault.message);
        }
        fault
    });
    Err(Stop::Diagnosed(faults.collect()))
}

/// Packs the files into an archive next to their directory. An interruption leaves it incomplete.
pub fn pack_zip(files: &[PlannedFile], dir: &FilePath) -> io::Result<FilePath> {
    let path = dir.with_extension("zip.part");
    let mut archive = ZipWriter::new(path.create()?);
    for file in files {
        if is_interrupted() {
            break;
        }
        let source = dir.join(&file.name);
        if is_made_by_build(&source) {
            let target = source.link_target()?;
            let target = target.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
            let options = SimpleFileOptions::default();
            archive.add_symlink(&*file.name, target, options).map_err(io::Error::other)?;
            continue;
        }
        let mut source = source.open()?;
        let metadata = source.metadata()?;
        let options = SimpleFileOptions::default()
            .unix_permissions(metadata.permissions().mode() & 0o777)
            .large_file(metadata.len() >= u64::from(u32::MAX));
        archive.start_file(&*file.name, options).map_err(io::Error::other)?;
        io::copy(&mut source, &mut archive)?;
    }
    archive.finish().map_err(io::Error::other)?;
    Ok(path)
}

/// An archive of these files.
pub fn zip_files(files: &[(String, Vec<u8>)]) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(&**name, SimpleFileOptions::default()).map_err(io::Error::other)?;
        io::Write::write_all(&mut archive, text)?;
    }
    Ok(archive.finish().map_err(io::Error::other)?.into_inner())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use juror_core::program::Constant;

    #[test]
    fn the_owner_may_change_a_copied_file() {
        let keep = tempfile::TempDir::new().expect("a temporary directory");
        let check = |rights: u32, expected: u32| {
            let old = keep.path().join(format!("old-{rights:o}"));
            fs::write(&old, "1\n").expect("a file");
            fs::set_permissions(&old, Permissions::from_mode(rights)).expect("rights");
            let old = FilePath::root(old);
            let constants = vec![Constant { key: "a".to_owned(), value: "1".to_owned() }];
            for (kind, contents) in [
                ("copy", PlannedContents::File(old.clone(), Vec::new())),
                ("filled", PlannedContents::File(old, constants)),
            ] {
                let name = format!("new-{rights:o}-{kind}");
                let dir = FilePath::root(keep.path());
                write_file(&dir, &PlannedFile { name: name.clone(), contents }).expect(&name);
                let metadata = fs::metadata(keep.path().join(&name)).expect("a file");
                assert_eq!(metadata.permissions().mode() & 0o777, expected, "{name}");
            }
        };
        check(0o444, 0o644);
        check(0o400, 0o600);
        check(0o555, 0o755);
        check(0o440, 0o640);
        check(0o544, 0o744);
        check(0o644, 0o644);
        check(0o755, 0o755);
    }

    #[test]
    fn a_link_to_what_build_makes_stays_one_in_a_directory_and_in_an_archive() {
        let keep = tempfile::TempDir::new().expect("a temporary directory");
        let [old, new, again] = ["old", "new", "again"].map(|name| keep.path().join(name));
        for directory in [&old, &new, &again] {
            fs::create_dir(directory).expect("a directory");
        }
        fs::write(old.join("build"), "x").expect("a file");
        std::os::unix::fs::symlink("out/validate", old.join("run")).expect("a link");
        let files = ["build", "run"].map(|name| {
            let contents = PlannedContents::File(FilePath::root(&*old).join(name), Vec::new());
            PlannedFile { name: format!("validator/{name}"), contents }
        });
        let written = FilePath::root(keep.path()).join("new");
        for file in &files {
            write_file(&written, file).expect("a file");
        }
        let archive = pack_zip(&files, &written).expect("an archive");
        let unpacked = package::archive::unpack(&archive, &again).expect("its files");
        for link in [new.join("validator/run"), unpacked.join("run")] {
            assert_eq!(fs::read_link(&link).expect("a link"), Path::new("out/validate"));
        }
    }
}
