//! Programs that the command line names: a source, a directory, an executable, or a command in quotes.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::door::files_beside::add_files_beside;
use crate::door::submissions::{current_directory, outside_program, suggest_file};
use juror_core::language::essence::without_strings_and_comments;
use juror_core::language::includes::included_names;
use juror_core::language::table::Language;
use juror_core::problem::Problem;
use juror_core::program::{IncludedFile, Program, ProgramKind, TypedCommand};
use juror_core::protocol::Protocol;
use juror_core::root::FilePath;
use juror_core::stop::{Remark, Stop};
use juror_packages::package::archive::is_archive;
use juror_packages::package::command_words::split_words;
use juror_packages::package::testlib;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenProgram {
    /// Without the words after the path of a source.
    pub program: Program,
    /// The words after the path of a source. A typed command has all its words itself.
    pub words: Vec<String>,
    /// All words as the user wrote them.
    pub shown: Vec<String>,
}

impl GivenProgram {
    /// `option` names it in messages. A source comes with the files beside it that it needs.
    pub fn read(option: &str, text: &OsStr, kind: ProgramKind) -> Result<Self, Stop> {
        let refused = |remark: Remark| Stop::usage(remark.about_option(option));
        let whole = Path::new(text);
        let shown = if whole.exists() {
            vec![text.to_string_lossy().into_owned()]
        } else {
            words_of(text).map_err(refused)?
        };
        let Some((first, words)) = shown.split_first() else {
            return Err(refused("give a program".into()));
        };
        let path = if whole.exists() { whole } else { Path::new(first) };
        let words = words.to_vec();
        let program = match fs::canonicalize(path) {
            Ok(real) if is_archive(&real) => {
                let what = format!("{} is an archive", path.display());
                return Err(refused(Remark::with_help(what, "unpack it and give the directory")));
            }
            Ok(real) => {
                let mut program = Program { kind, ..outside_program(&real) };
                add_files_beside(&mut program, &Problem::default()).map_err(refused)?;
                program
            }
            Err(error) if is_path(first, words.is_empty()) => {
                let what = format!("cannot find {first}: {error}");
                return Err(refused(Remark::with_help(what, suggest_file(path, &[]))));
            }
            Err(_) => {
                let directory = current_directory()?;
                let command =
                    TypedCommand { words: shown.iter().map(Into::into).collect(), directory };
                let program = Program { kind, command: Some(command), ..outside_program(path) };
                return Ok(Self { program, words: Vec::new(), shown });
            }
        };
        Ok(Self { program, words, shown })
    }

    /// A program that judges. It is called by this protocol, or as its text shows, or else as trials show.
    pub fn judging(self, typed: Option<Protocol>) -> Program {
        let Self { mut program, words, .. } = self;
        program.arguments = words;
        let has_testlib = includes_testlib(&program.path);
        if has_testlib {
            add_testlib_header(&mut program);
        }
        let by_text = if has_testlib {
            Some(Protocol::Testlib)
        } else {
            shows_dmoj(&program.path).then_some(Protocol::Dmoj)
        };
        program.is_given = true;
        program.protocol = typed.or(by_text);
        if program.protocol == Some(Protocol::Dmoj) {
            add_dmoj_starter(&mut program);
        }
        program
    }

    /// A program that talks with submissions. One that knows the exit codes 42 and 43 is called as the format demands.
    pub fn talking(self, typed: Option<Protocol>) -> Program {
        let mut program = self.judging(typed);
        if program.protocol.is_none() && shows_standard(&program.path) {
            program.protocol = Some(Protocol::Standard);
        }
        program
    }

    /// A generator may use `testlib.h`, too.
    #[must_use]
    pub fn with_testlib_header(mut self) -> Self {
        if includes_testlib(&self.program.path) {
            add_testlib_header(&mut self.program);
        }
        self
    }
}

fn words_of(text: &OsStr) -> Result<Vec<String>, Remark> {
    let Some(text) = text.to_str() else {
        return Err(format!("`{}` is not UTF-8", text.to_string_lossy()).into());
    };
    split_words(text).map_err(|fault| format!("`{text}` {fault}").into())
}

/// Whether a word that names no file should name one, and not a command on the search path.
fn is_path(first: &str, is_alone: bool) -> bool {
    let has_source_name = Language::of_file(Path::new(first)).is_some();
    has_source_name || first.contains('/') || (is_alone && first.contains('.'))
}

/// The header beside a source is found as by a compiler that starts there.
fn add_testlib_header(program: &mut Program) {
    let beside = program.path.parent().map(|dir| dir.join("testlib.h"));
    let header = beside.filter(|header| header.is_file()).map(FilePath::root);
    testlib::add_header(program, header.as_ref());
}

/// Starts a checker of DMOJ, which is only a function.
pub fn add_dmoj_starter(program: &mut Program) {
    const NAME: &str = "juror_dmoj.py";
    program.include.push(IncludedFile {
        name: NAME.into(),
        path: program.path.clone(),
        text: Some(include_str!("dmoj.py").to_owned()),
        ..IncludedFile::default()
    });
    program.entry_point = Some(NAME.to_owned());
    program.arguments.insert(0, program.name.clone());
}

/// Whether a source in Python defines `check(process_output, ...)` as DMOJ demands.
fn shows_dmoj(path: &FilePath) -> bool {
    let is_python = Language::of_file(path).is_some_and(|language| language.code == "python3");
    let text = if is_python { source_text(path) } else { String::new() };
    let code = without_strings_and_comments("python3", text.as_bytes());
    let code = format!("\n{}", String::from_utf8_lossy(&code));
    let mut definitions = code.split("\ndef check(").skip(1);
    definitions.any(|parameters| parameters.trim_start().starts_with("process_output"))
}

/// Whether a source has both numbers of the format's exit codes.
fn shows_standard(path: &FilePath) -> bool {
    let Some(language) = Language::of_file(path) else { return false };
    let code = without_strings_and_comments(language.code, source_text(path).as_bytes());
    let code = String::from_utf8_lossy(&code);
    let has = |number| code.split(|c: char| !c.is_alphanumeric()).any(|word| word == number);
    has("42") && has("43")
}

/// Empty for a directory and for a file that is not text.
fn source_text(path: &FilePath) -> String {
    const TEXT_MAX: u64 = 1 << 20;
    path.read_text(TEXT_MAX).unwrap_or_default()
}

/// Whether a source, or a file of a directory, includes `testlib.h`.
fn includes_testlib(path: &Path) -> bool {
    let files = fs::read_dir(path).into_iter().flatten().flatten().map(|file| file.path());
    files.chain([path.to_owned()]).any(|file| included_names(&file, &[]).has_testlib)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_a_path_or_words() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        fs::write(path("gen.py"), "").unwrap();
        fs::write(path("my gen.py"), "").unwrap();
        let read = |text: &str| {
            GivenProgram::read("--generator", OsStr::new(text), ProgramKind::Generator)
        };
        let check = |text: &str, file: &str, words: &[&str]| {
            let given = read(text).unwrap();
            assert_eq!(given.program.path.file_name(), Some(OsStr::new(file)), "{text}");
            assert_eq!((given.words, given.program.command), (words_vec(words), None), "{text}");
        };
        check(&path("gen.py"), "gen.py", &[]);
        check(&path("my gen.py"), "my gen.py", &[]);
        check(&format!("{} 10 '{{seed}} x'", path("gen.py")), "gen.py", &["10", "{seed} x"]);
        check(&format!("'{}' 10", path("my gen.py")), "my gen.py", &["10"]);
        let typed = read("python3 -c 'print(1)' {seed}").unwrap();
        assert_eq!(typed.program.command.map(|command| command.words.len()), Some(4));
        let refuse = |text: &str, expected: &str| {
            let message = read(text).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{text}: {message}");
        };
        refuse("", "--generator: give a program");
        refuse("gen 'a", "--generator: `gen 'a` has an unclosed quote");
        refuse("none.py 10", "--generator: cannot find none.py: ");
        refuse("./none {seed}", "--generator: cannot find ./none: ");
    }

    fn words_vec(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_program_with_testlib_includes_its_header() {
        let dir = tempfile::tempdir().unwrap();
        let check = |name: &str, text: &str, expected: bool| {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            assert_eq!(includes_testlib(&path), expected, "{name}: {text}");
        };
        check("a.cpp", "#include \"testlib.h\"\n", true);
        check("b.cpp", "  # include <testlib.h>\n", true);
        check("c.cpp", "// like testlib.h\n", false);
        check("d.py", "#include testlib.h\n", false);
        assert!(includes_testlib(dir.path()));
    }
}
