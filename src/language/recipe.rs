//! What a program is and where it starts, told from its files alone.

use std::path::{Path, PathBuf};

use crate::language::cargo;
use crate::language::entry::{self, Choice, EntryFault};
use crate::language::executable::{self, Executable, ExecutableError};
use crate::language::fault::{DetectError, DetectFault, FileLanguage};
use crate::language::java_program;
use crate::language::sources::{self, Shape, SourceFile, Sources};
use crate::language::table::{Entry, Language, OtherLanguage};
use crate::model::diagnostic::Diagnostic;
use crate::model::program::{Program, ProgramKind};
use crate::model::tree::FileMode;

/// A program whose language and start are known; no tool was looked for yet.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// What it is.
    pub form: Form,
    /// All files that lie in the box before the build, by name.
    pub files: Vec<SourceFile>,
    /// Doubts: it works here, but other judges may refuse it.
    pub remarks: Vec<Diagnostic>,
}

/// What a program is.
#[derive(Clone, Debug)]
pub enum Form {
    /// Sources in one language.
    Language {
        /// The language.
        language: &'static Language,
        /// The files that are given to the compiler, or from which one is started.
        sources: Vec<PathBuf>,
        /// The file or class that starts; `None` where the language says it.
        main: Option<String>,
    },
    /// A Rust project.
    Cargo {
        /// The program to build.
        binary: String,
    },
    /// A directory with `build` or `run`.
    Scripts {
        /// What `build` is, where there is one.
        build: Option<Executable>,
        /// What `run` is, where it is there before the build.
        run: Option<Executable>,
    },
    /// A ready program.
    Executable {
        /// The file.
        file: PathBuf,
        /// What it is.
        executable: Executable,
    },
}

/// Tells what a program is: from the language that the package names, else from its files' endings.
///
/// Source: problem package format 2025-09, "Languages and compilation".
pub fn recipe(program: &Program, sources: &Sources) -> Result<Recipe, DetectError> {
    tell(program, sources).map_err(|fault| DetectError {
        path: program.path.clone(),
        fault,
    })
}

fn tell(program: &Program, sources: &Sources) -> Result<Recipe, DetectFault> {
    let files = &sources.files;
    if files.iter().all(|it| it.bytes.is_empty()) {
        return Err(DetectFault::Empty);
    }
    if program.kind != ProgramKind::Submission
        && sources.shape == Shape::Directory
        && let Some(form) = scripts(files)?
    {
        return Ok(Recipe {
            form,
            files: files.clone(),
            remarks: Vec::new(),
        });
    }
    if let ([file], Shape::File, None) = (files.as_slice(), sources.shape, &program.language)
        && let Some(form) = ready_executable(program, file)?
    {
        return Ok(Recipe {
            form,
            files: files.clone(),
            remarks: not_portable(program, "a ready executable"),
        });
    }
    let language = language_of(program, sources)?;
    let mut files = sources::lay_over(sources, language.code);
    let form = if language.code == "rust" && named(&files, "Cargo.toml").is_some() {
        cargo_project(program, &files)?
    } else {
        in_language(program, language, sources.shape, &mut files)?
    };
    let portable = matches!(language.code, "python3" | "c" | "cpp");
    let remarks = if portable {
        Vec::new()
    } else {
        not_portable(program, language.name)
    };
    Ok(Recipe {
        form,
        files,
        remarks,
    })
}

/// The language of a program: the one named, or the one that all endings say.
fn language_of(program: &Program, sources: &Sources) -> Result<&'static Language, DetectFault> {
    if let Some(code) = &program.language {
        return Language::by_code(code).ok_or_else(|| match OtherLanguage::by_code(code) {
            Some(other) => DetectFault::NotBuilt {
                name: other.name,
                file: None,
            },
            None => DetectFault::UnknownLanguage { code: code.clone() },
        });
    }
    let files = &sources.files;
    let is_cargo = sources.shape == Shape::Directory && named(files, "Cargo.toml").is_some();
    if let Some(rust) = Language::by_code("rust").filter(|_| is_cargo) {
        return Ok(rust);
    }
    let known: Vec<FileLanguage> = files.iter().filter_map(file_language).collect();
    let Some(first) = known.first() else {
        return Err(no_source(files));
    };
    if known.iter().any(|it| it.language != first.language) {
        return Err(DetectFault::Mixed { files: known });
    }
    Language::of_file(&first.file).ok_or_else(|| DetectFault::NotBuilt {
        name: first.language,
        file: Some(first.file.clone()),
    })
}

/// What a file's ending says, if it says anything.
fn file_language(file: &SourceFile) -> Option<FileLanguage> {
    // Go's own file has the ending of Modula-2.
    if file.name.ends_with("go.mod") {
        return None;
    }
    let here = Language::of_file(&file.name).map(|it| it.name);
    let language = here.or_else(|| OtherLanguage::of_file(&file.name).map(|it| it.name))?;
    Some(FileLanguage {
        file: file.name.clone(),
        language,
    })
}

fn no_source(files: &[SourceFile]) -> DetectFault {
    let names = names(files);
    let is_header = |name: &PathBuf| {
        let extension = name.extension().and_then(|it| it.to_str());
        matches!(extension, Some("h" | "hh" | "hpp" | "hxx" | "H"))
    };
    match names.iter().all(is_header) {
        true => DetectFault::OnlyHeaders { files: names },
        false => DetectFault::NoSource { files: names },
    }
}

/// Sources in one language: which of the files they are, and what starts.
fn in_language(
    program: &Program,
    language: &'static Language,
    shape: Shape,
    files: &mut [SourceFile],
) -> Result<Form, DetectFault> {
    // A single file in a named language is its source, whatever its ending.
    let only = (shape == Shape::File && program.language.is_some())
        .then(|| program.path.file_name().map(PathBuf::from))
        .flatten();
    let is_source = |name: &Path| {
        let reads = match program.language {
            Some(_) => language.reads(name),
            None => Language::of_file(name).is_some_and(|it| it.code == language.code),
        };
        reads || only.as_deref() == Some(name)
    };
    let sources: Vec<PathBuf> = files
        .iter()
        .map(|it| it.name.clone())
        .filter(|name| is_source(name))
        .collect();
    if sources.is_empty() {
        return Err(DetectFault::NoSourceOf {
            language: language.name,
            files: names(files),
        });
    }
    let wanted = program.entry_point.as_deref();
    match language.entry {
        Entry::AllSources => {
            let is_module = language.code == "go" && named(files, "go.mod").is_some();
            Ok(Form::Language {
                language,
                sources: if is_module {
                    vec![PathBuf::from(".")]
                } else {
                    sources
                },
                main: None,
            })
        }
        Entry::File { marks } => {
            let chosen: Vec<&SourceFile> = files
                .iter()
                .filter(|it| sources.contains(&it.name))
                .collect();
            let main_file = usual_name(language);
            let usual: Vec<&str> = language
                .default_entry_point
                .into_iter()
                .chain([main_file.as_str()])
                .collect();
            let choice = Choice {
                wanted,
                usual: &usual,
                marks,
            };
            let main = entry::choose(&chosen, choice)
                .map_err(|fault| entry_fault(fault, &sources, usual[0]))?;
            Ok(Form::Language {
                language,
                main: Some(main.to_string_lossy().into_owned()),
                sources,
            })
        }
        Entry::Class => {
            let usual = language.default_entry_point.unwrap_or_default();
            let java = java_program::java_program(files, &sources, wanted, usual)
                .map_err(|fault| entry_fault(fault, &sources, usual))?;
            Ok(Form::Language {
                language,
                sources: java.sources,
                main: Some(java.main),
            })
        }
    }
}

/// `main` with the language's first ending.
fn usual_name(language: &Language) -> String {
    let endings = language
        .extensions
        .iter()
        .chain(language.further_extensions);
    format!("main{}", endings.copied().next().unwrap_or_default())
}

fn entry_fault(fault: EntryFault, sources: &[PathBuf], usual: &str) -> DetectFault {
    let usual = format!("`{usual}`");
    match fault {
        EntryFault::Missing { wanted } => DetectFault::NoSuchEntry {
            wanted,
            files: sources.to_vec(),
        },
        EntryFault::None => DetectFault::NoEntry {
            files: sources.to_vec(),
            usual,
        },
        EntryFault::Several { candidates } => DetectFault::SeveralEntries {
            files: candidates,
            usual,
        },
    }
}

fn cargo_project(program: &Program, files: &[SourceFile]) -> Result<Form, DetectFault> {
    let manifest = named(files, "Cargo.toml").map_or(&[][..], |it| &it.bytes);
    let paths: Vec<&Path> = files.iter().map(|it| it.name.as_path()).collect();
    let binary = cargo::binary(
        &String::from_utf8_lossy(manifest),
        &paths,
        program.entry_point.as_deref(),
    )
    .map_err(DetectFault::Cargo)?;
    Ok(Form::Cargo { binary })
}

/// A directory with `build` or `run`, if it is one.
///
/// Source: problem package format 2025-09, "Other programs".
fn scripts(files: &[SourceFile]) -> Result<Option<Form>, DetectFault> {
    let build = named(files, "build");
    let run = named(files, "run");
    if build.is_none() && run.is_none() {
        return Ok(None);
    }
    // Where both are there, `build` may well write `run` anew: what `run` is shows only afterwards.
    let run = run.filter(|_| build.is_none());
    Ok(Some(Form::Scripts {
        build: build.map(startable).transpose()?,
        run: run.map(startable).transpose()?,
    }))
}

/// A single file whose ending says nothing, if it is a program.
fn ready_executable(program: &Program, file: &SourceFile) -> Result<Option<Form>, DetectFault> {
    if file_language(file).is_some() {
        return Ok(None);
    }
    match executable::inspect(&file.bytes) {
        Err(ExecutableError::NoProgram) => return Ok(None),
        _ if file.mode == FileMode::Plain => {
            return Err(DetectFault::Executable {
                file: file.name.clone(),
                fault: ExecutableError::NotExecutable {
                    path: program.path.clone(),
                },
            });
        }
        _ => {}
    }
    Ok(Some(Form::Executable {
        file: file.name.clone(),
        executable: startable(file)?,
    }))
}

/// What an executable file is, or why it cannot be started.
fn startable(file: &SourceFile) -> Result<Executable, DetectFault> {
    let fault = |fault| DetectFault::Executable {
        file: file.name.clone(),
        fault,
    };
    if file.mode == FileMode::Plain {
        return Err(fault(ExecutableError::NotExecutable {
            path: file.name.clone(),
        }));
    }
    match executable::inspect(&file.bytes) {
        // A text without `#!` is a script for the shell, as the shell itself would take it.
        Err(ExecutableError::NoProgram) => Ok(Executable::Script(executable::Shebang {
            interpreter: "/bin/sh".to_owned(),
            arguments: Vec::new(),
        })),
        other => other.map_err(fault),
    }
}

/// The remark that the standard does not have validators of this form.
fn not_portable(program: &Program, what: &str) -> Vec<Diagnostic> {
    let of = match program.kind {
        ProgramKind::InputValidator => "an input validator",
        ProgramKind::OutputValidator => "an output validator",
        ProgramKind::StaticValidator => "a static validator",
        ProgramKind::Submission | ProgramKind::AnswerValidator | ProgramKind::Generator => {
            return Vec::new();
        }
    };
    let message = format!("{of} that is {what} works here, but the format does not allow it");
    let help = "other judges accept Python 3, C, C++, or a directory with `build` or `run`";
    vec![Diagnostic::warning(&program.path, message).help(help)]
}

fn named<'a>(files: &'a [SourceFile], name: &str) -> Option<&'a SourceFile> {
    files.iter().find(|it| it.name == Path::new(name))
}

fn names(files: &[SourceFile]) -> Vec<PathBuf> {
    files.iter().map(|it| it.name.clone()).collect()
}

#[cfg(test)]
mod tests;
