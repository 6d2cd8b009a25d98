//! The source texts of a program that mutants are made from.

use crate::faults::{SourceText, supports};
use juror_core::language::launch::{LaunchForm, launch_spec};
use juror_core::language::sources;
use juror_core::program::Program;
use juror_core::stop::Stop;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalSource {
    pub language: &'static str,
    /// Its own source files, with the package's constants filled in.
    pub files: Vec<SourceText>,
}

/// `None` if the sources do not allow mutants.
pub fn read_original(program: &Program) -> Result<Option<OriginalSource>, Stop> {
    let all = sources::read(program)?;
    let spec = launch_spec(program, &all).map_err(|fault| fault.to_diagnostic(&program.path))?;
    let LaunchForm::Language { language, sources, .. } = spec.form else { return Ok(None) };
    if !supports(language.code) {
        return Ok(None);
    }
    let own = all.files.into_iter().filter(|file| sources.contains(&file.name));
    // Comments may be in another encoding.
    let files = own.map(|file| {
        let text = String::from_utf8_lossy(file.bytes()).into_owned();
        SourceText { name: file.name.clone(), text }
    });
    Ok(Some(OriginalSource { language: language.code, files: files.collect() }))
}
