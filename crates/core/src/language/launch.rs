//! Finds the language and the entry point of a program by its files alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::language::candidates::{without_imported, without_unused_tests};
use crate::language::cargo;
use crate::language::entry::{self, EntryChoice};
use crate::language::executable::{self, Executable};
use crate::language::fault::{ProgramFault, list_first, quoted_list};
use crate::language::sources::{self, SourceShape, Sources};
use crate::language::start;
use crate::language::table::{
    CARGO, EntryPoint, LIBRARY_CHECKER, LIBRARY_CHECKER_CODE, Language, TESTLIB, TESTLIB_CODE,
};
use crate::language::{java, kotlin, ocaml, perl};
use crate::program::{Program, ProgramKind};
use crate::tree::TreeEntry;

/// A program whose language and main file are known, before its tools are found.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    pub form: LaunchForm,
    pub files: Vec<TreeEntry>,
}

#[derive(Clone, Debug)]
pub enum LaunchForm {
    Language {
        language: &'static Language,
        /// The files for the compiler, or those among which one starts.
        sources: Vec<PathBuf>,
        /// The file or class that starts; `None` if the language determines it.
        main: Option<String>,
    },
    /// A directory with `build` or `run`.
    Scripts {
        build: Option<Executable>,
        /// `None` if only the build makes it.
        run: Option<Executable>,
    },
    Answers,
    Executable {
        file: PathBuf,
        executable: Executable,
    },
}

/// The language that the package names comes before the endings of the files.
///
/// Source: problem package format 2025-09, "Languages and compilation".
pub fn launch_spec(program: &Program, sources: &Sources) -> Result<LaunchSpec, ProgramFault> {
    let files = &sources.files;
    if program.kind == ProgramKind::Answers {
        return Ok(LaunchSpec { form: LaunchForm::Answers, files: files.clone() });
    }
    if files.is_empty() {
        return Err(ProgramFault::new(
            "is empty",
            "add a source file; names that begin with `.` or `-` do not count",
        ));
    }
    if program.kind != ProgramKind::Submission
        && sources.shape == SourceShape::Directory
        && let Some(form) = script_form(files)?
    {
        return Ok(LaunchSpec { form, files: files.clone() });
    }
    if let ([file], SourceShape::File, None) = (files.as_slice(), sources.shape, &program.language)
        && let Some(form) = executable_form(program, file)?
    {
        return Ok(LaunchSpec { form, files: files.clone() });
    }
    let language = find_language(program, sources)?;
    let own = entry::names(files);
    let mut files = sources::with_included(sources, language.code);
    let form = if language.code == "rust" && file_named(&files, "Cargo.toml").is_some() {
        cargo_form(program, &files)?
    } else {
        language_form(program, language, sources.shape, &own, &mut files)?
    };
    Ok(LaunchSpec { form, files })
}

fn find_language(program: &Program, sources: &Sources) -> Result<&'static Language, ProgramFault> {
    if let Some(code) = &program.language {
        return match Language::by_code(code) {
            None if code == TESTLIB_CODE => Ok(&TESTLIB),
            None if code == LIBRARY_CHECKER_CODE => Ok(&LIBRARY_CHECKER),
            Some(language) if language.is_supported() => Ok(language),
            Some(language) => Err(unsupported_language(
                language,
                match code.as_str() {
                    "python2" => "set for it, or named in its first line",
                    _ => "the language set for it",
                },
            )),
            None => {
                let message = format!("unknown language `{code}`");
                Err(ProgramFault::new(message, "`juror languages` lists the codes"))
            }
        };
    }
    let files = &sources.files;
    let is_cargo =
        sources.shape == SourceShape::Directory && file_named(files, "Cargo.toml").is_some();
    if let Some(rust) = Language::by_code("rust").filter(|_| is_cargo) {
        return Ok(rust);
    }
    let known = known_sources(files);
    let Some(&(file, first)) = known.first() else { return Err(no_source_fault(files)) };
    if known.iter().any(|(_, language)| language.code != first.code) {
        let all = known.iter();
        let all = all.map(|(file, found)| format!("`{}` is {}", file.name.display(), found.name));
        let message = format!("the files are in several languages: {}", list_first(all));
        let help = "set the language in the package, or keep the files of one language";
        return Err(ProgramFault::new(message, help));
    }
    if !first.is_supported() {
        let because = format!("by the ending of `{}`", file.name.display());
        let fault = unsupported_language(first, &because);
        let help = "if it is Perl, say so: give it a line `use strict;`, or add `--language perl`";
        return Err(match first.code {
            "prolog" => ProgramFault::new(fault.message, help),
            _ => fault,
        });
    }
    Ok(first)
}

fn unsupported_language(language: &Language, because: &str) -> ProgramFault {
    let message = format!("juror does not support {} ({because})", language.name);
    ProgramFault::new(message, "`juror languages` lists the supported languages")
}

/// The files in a known language. Perl and Prolog share an ending: a text with a mark of Perl is Perl, and what is
/// beside it, too.
pub fn known_sources(files: &[TreeEntry]) -> Vec<(&TreeEntry, &'static Language)> {
    let known = files.iter().filter_map(|file| Some((file, language_of_ending(file)?)));
    let mut known: Vec<(&TreeEntry, &'static Language)> = known.collect();
    let is_perl = |(file, language): &(&TreeEntry, &Language)| {
        language.code == "perl" || (language.code == "prolog" && perl::is_perl(file.bytes()))
    };
    if let Some(perl) = Language::by_code("perl").filter(|_| known.iter().any(is_perl)) {
        let shared = known.iter_mut().filter(|(_, language)| language.code == "prolog");
        shared.for_each(|(_, language)| *language = perl);
    }
    known
}

fn language_of_ending(file: &TreeEntry) -> Option<&'static Language> {
    // Go's own file has the ending of Modula-2.
    if file.name.ends_with("go.mod") { None } else { Language::of_file(&file.name) }
}

/// Whether a file has the name of a header in C or C++.
pub fn is_header(name: &Path) -> bool {
    let extension = name.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("h" | "hh" | "hpp" | "hxx" | "H"))
}

fn no_source_fault(files: &[TreeEntry]) -> ProgramFault {
    let names = entry::names(files);
    if names.iter().all(|name| is_header(name)) {
        let message = format!("there are only headers: {}", quoted_list(&names));
        return ProgramFault::new(message, "add the file that includes them");
    }
    let endings = Language::supported().flat_map(|language| language.extensions.split_whitespace());
    let endings: Vec<&str> = endings.collect();
    let message = format!("no source file of a known language among {}", quoted_list(&names));
    ProgramFault::new(message, format!("known endings: {}", endings.join(" ")))
}

fn language_form(
    program: &Program,
    language: &'static Language,
    shape: SourceShape,
    own: &[PathBuf],
    files: &mut [TreeEntry],
) -> Result<LaunchForm, ProgramFault> {
    // If the language is named, a single file is its source, whatever its ending.
    let only = (shape == SourceShape::File && program.language.is_some())
        .then(|| program.path.file_name().map(PathBuf::from))
        .flatten();
    let is_included =
        |name: &Path| program.include.iter().any(|file| file.is_header && file.name == name);
    let is_named = |name: &Path| language.reads(name) || only.as_deref() == Some(name);
    let mut sources: Vec<&TreeEntry> = match program.language {
        Some(_) => files.iter().filter(|file| is_named(&file.name)).collect(),
        None => known_sources(files)
            .into_iter()
            .filter(|(_, known)| known.code == language.code)
            .map(|(file, _)| file)
            .collect(),
    };
    sources.retain(|file| !is_included(&file.name));
    if sources.is_empty() {
        let files = quoted_list(&entry::names(&*files));
        let message = format!("no {} source file among {files}", language.name);
        return Err(ProgramFault::new(message, "correct `language:` or the file endings"));
    }
    let entry_point = program.entry_point.as_deref();
    if entry_point.is_none() {
        sources = without_unused_tests(language.code, &sources);
    }
    let names = entry::names(sources.iter().copied());
    let (sources, main) = match language.entry {
        EntryPoint::AllSources => match language.code {
            "go" if file_named(files, "go.mod").is_some() => {
                (vec![go_package(&sources, entry_point)?], None)
            }
            "ocaml" => (ocaml::in_order(files, &names), None),
            // What another source includes as text would be compiled twice.
            _ => (entry::names(without_imported(language.code, &sources)), None),
        },
        EntryPoint::ClassOfFile => {
            let main = kotlin::starting_class(&sources, own, entry_point)?;
            (names, Some(main))
        }
        EntryPoint::File { marks } => {
            let usual = usual_names(language);
            let usual: Vec<&str> = usual.iter().map(String::as_str).collect();
            let choice = EntryChoice {
                language: language.code,
                entry_point,
                own_files: own,
                usual_names: &usual,
                marks,
            };
            let main = entry::choose_entry(&sources, choice)?;
            (names, Some(main.to_string_lossy().into_owned()))
        }
        EntryPoint::Class => {
            let usual = language.default_entry_point;
            let java = java::java_program(files, &names, own, entry_point, usual)?;
            (java.sources, Some(java.main))
        }
    };
    Ok(LaunchForm::Language { language, sources, main })
}

/// The package of a module that starts: the module's own, else the only one with a `main`.
fn go_package(sources: &[&TreeEntry], entry_point: Option<&str>) -> Result<PathBuf, ProgramFault> {
    let texts: Vec<&[u8]> = sources.iter().map(|file| file.bytes()).collect();
    let starting = start::starting_sources("go", &texts);
    let starting = starting.into_iter().map(|at| &sources[at].name);
    let is_meant = |name: &&PathBuf| entry_point.is_none_or(|dir| name.starts_with(dir));
    let packages = starting.filter(is_meant).filter_map(|name| name.parent());
    // The compiler takes a path without a dot for a package of its library.
    let packages = packages.map(|dir| Path::new(".").join(dir).components().collect());
    let packages: BTreeSet<PathBuf> = packages.collect();
    let module = Path::new(".");
    match (packages.first(), packages.len()) {
        (Some(first), count) if count == 1 || first == module => Ok(first.clone()),
        (Some(_), _) => Err(entry::several_main_files(&Vec::from_iter(packages), "main.go")),
        (None, _) => Ok(module.to_owned()),
    }
}

fn usual_names(language: &Language) -> Vec<String> {
    let named = Some(language.default_entry_point.to_owned()).filter(|name| !name.is_empty());
    let endings = [language.extensions, language.further_extensions];
    let endings = endings.into_iter().flat_map(str::split_whitespace);
    named.into_iter().chain(endings.map(|ending| format!("main{ending}"))).collect()
}

fn cargo_form(program: &Program, files: &[TreeEntry]) -> Result<LaunchForm, ProgramFault> {
    let manifest = file_named(files, "Cargo.toml").map_or(&[][..], TreeEntry::bytes);
    let binary =
        cargo::choose_binary(&String::from_utf8_lossy(manifest), program.entry_point.as_deref())?;
    Ok(LaunchForm::Language { language: &CARGO, sources: Vec::new(), main: Some(binary) })
}

/// `None` for directories without `build` and `run`.
///
/// Source: problem package format 2025-09, "Other programs".
fn script_form(files: &[TreeEntry]) -> Result<Option<LaunchForm>, ProgramFault> {
    let build = file_named(files, "build");
    let run = file_named(files, "run");
    if build.is_none() && run.is_none() {
        return Ok(None);
    }
    // If both exist, `build` may overwrite `run`, so its kind is known only afterwards.
    let run = run.filter(|_| build.is_none());
    Ok(Some(LaunchForm::Scripts {
        build: build.map(executable_kind).transpose()?,
        run: run.map(executable_kind).transpose()?,
    }))
}

/// For a single file without a known ending.
fn executable_form(
    program: &Program,
    file: &TreeEntry,
) -> Result<Option<LaunchForm>, ProgramFault> {
    if language_of_ending(file).is_some() || matches!(executable::inspect(&file.prefix()), Ok(None))
    {
        return Ok(None);
    }
    if !file.is_executable() {
        return Err(executable::not_executable_fault(&program.path).about_file(&file.name));
    }
    Ok(Some(LaunchForm::Executable { file: file.name.clone(), executable: executable_kind(file)? }))
}

fn executable_kind(file: &TreeEntry) -> Result<Executable, ProgramFault> {
    if !file.is_executable() {
        return Err(executable::not_executable_fault(&file.name).about_file(&file.name));
    }
    let found =
        executable::inspect(&file.prefix()).map_err(|fault| fault.about_file(&file.name))?;
    // A text without `#!` is a shell script, as the shell itself would treat it.
    Ok(found.unwrap_or_else(|| Executable::Script {
        interpreter: "/bin/sh".to_owned(),
        arguments: Vec::new(),
    }))
}

fn file_named<'a>(files: &'a [TreeEntry], name: &str) -> Option<&'a TreeEntry> {
    files.iter().find(|file| file.name == Path::new(name))
}

#[cfg(test)]
mod tests;
