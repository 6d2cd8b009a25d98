//! A program of Java sources: the names its files must have, and the class that starts.

use std::path::PathBuf;

use crate::language::entry::{missing, none, several};
use crate::language::fault::Fault;
use crate::language::java::{self, Declarations, Main};
use crate::model::tree::TreeEntry;

/// A program of Java sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaProgram {
    /// The sources, by the names that they have now.
    pub sources: Vec<PathBuf>,
    /// The qualified name of the class that starts.
    pub main: String,
}

/// Gives each source the name that its public type asks for, and finds the class that starts.
///
/// A file whose new name another file has keeps its own, and the compiler says what is wrong.
pub fn java_program(
    files: &mut [TreeEntry],
    sources: &[PathBuf],
    wanted: Option<&str>,
    usual: &str,
) -> Result<JavaProgram, Fault> {
    let mut found = Vec::new();
    for at in 0..files.len() {
        if !sources.contains(&files[at].name) {
            continue;
        }
        let declarations = java::declarations(&String::from_utf8_lossy(files[at].bytes()));
        let name = declarations.file_name(&files[at].name);
        if !files.iter().any(|it| it.name == name) {
            files[at].name = name;
        }
        found.push(JavaSource { file: files[at].name.clone(), declarations });
    }
    let main = java_main(&found, sources, wanted, usual)?;
    Ok(JavaProgram { sources: found.into_iter().map(|it| it.file).collect(), main })
}

/// A Java source and what it declares.
struct JavaSource {
    file: PathBuf,
    declarations: Declarations,
}

/// The qualified name of the class that starts: the one asked for, the usual one, or the only one with a
/// `main` method.
fn java_main(
    found: &[JavaSource],
    sources: &[PathBuf],
    wanted: Option<&str>,
    usual: &str,
) -> Result<String, Fault> {
    let mut all = Vec::new();
    for source in found {
        for top_type in &source.declarations.types {
            all.push((source, top_type));
        }
    }
    let by_name = |name: &str| {
        let matches = |source: &JavaSource, own: &str| {
            own == name || source.declarations.qualified(own) == name
        };
        let found = all.iter().find(|(source, it)| matches(source, &it.name));
        found.map(|(source, it)| source.declarations.qualified(&it.name))
    };
    if let Some(wanted) = wanted {
        let name = wanted.strip_suffix(".java").unwrap_or(wanted);
        return by_name(name).ok_or_else(|| missing(wanted, sources));
    }
    if let Some(main) = by_name(usual) {
        return Ok(main);
    }
    let starting: Vec<_> = all.iter().filter(|(_, it)| it.main == Main::Present).collect();
    match starting.as_slice() {
        [] => Err(none(sources, usual)),
        [(source, it)] => Ok(source.declarations.qualified(&it.name)),
        all => {
            let files: Vec<PathBuf> = all.iter().map(|(source, _)| source.file.clone()).collect();
            Err(several(&files, usual))
        }
    }
}
