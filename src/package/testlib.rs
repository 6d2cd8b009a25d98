//! `[testlib]` in `juror.toml`: programs of a package that are written with `testlib.h`.

use std::path::PathBuf;

use crate::language::table::{Language, TESTLIB_CODE};
use crate::model::problem::{Interaction, Problem};
use crate::model::program::{IncludedFile, Program};
use crate::model::protocol::Protocol;
use crate::package::files::Files;
use crate::package::node::{Node, Parse};
use crate::package::text::shown;
use crate::package::values::boolean;

/// The programs that use testlib.
pub(super) struct Testlib {
    /// The path of `testlib.h`, if it is put beside them.
    header: Option<PathBuf>,
    output_validator: Option<Role>,
    input_validators: bool,
    generators: bool,
}

/// The role of the output validator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It checks an output.
    Checker,
    /// It talks with the submission.
    Interactor,
}

/// Reads the table.
pub(super) fn read(node: &Node<'_>, tree: &Files, problem: &Problem) -> Parse<Testlib> {
    let mut map = node.map_called("testlib", "[testlib]")?;
    let header = map.ask("header", |node| header(node, tree))?;
    let output_validator = map.ask("output_validator", |node| role(node, problem))?;
    let input_validators = map.ask("input_validators", boolean)?.unwrap_or_default();
    let generators = map.ask("generators", boolean)?.unwrap_or_default();
    if !input_validators && !generators && output_validator.is_none() {
        let help = "known: `output_validator = \"checker\"` or `\"interactor\"`, `input_validators = true`, \
                    `generators = true`";
        return Err(node.error("`[testlib]` names no programs", help));
    }
    Ok(Testlib { header, output_validator, input_validators, generators })
}

fn header(node: &Node<'_>, tree: &Files) -> Parse<PathBuf> {
    match tree.file(node.word()) {
        Some(item) => Ok(item.path.clone()),
        None => {
            let message = format!("there is no file `{}` in the package", shown(node.word()));
            Err(node.error(message, "give the path of the file in the package"))
        }
    }
}

fn role(node: &Node<'_>, problem: &Problem) -> Parse<Role> {
    let role = match node.word() {
        "checker" => Role::Checker,
        "interactor" => Role::Interactor,
        _ => return Err(node.must_be("\"checker\" or \"interactor\"")),
    };
    if problem.output_validators.is_empty() {
        return Err(
            node.error("the package has no output validator", "add one, or remove the line")
        );
    }
    let talks = problem.kind.interaction == Interaction::Interactive;
    match (role, talks) {
        (Role::Checker, true) => {
            let help = "write \"interactor\": it talks with submissions";
            Err(node.error("the problem is interactive, and a checker does not talk", help))
        }
        (Role::Interactor, false) => {
            Err(node
                .error("the problem is not interactive", "write \"checker\", or change the type"))
        }
        _ => Ok(role),
    }
}

impl Testlib {
    /// Makes the problem's programs be built and called that way.
    pub(super) fn apply(self, problem: &mut Problem) {
        let header = self.header.as_ref();
        if let Some(role) = self.output_validator {
            problem.output_protocol = Protocol::Testlib;
            problem.output_validators.iter_mut().for_each(|program| prepare(program, header));
            if role == Role::Interactor {
                problem.interactor = problem.output_validators.drain(..).next();
            }
        }
        if self.input_validators {
            problem.input_protocol = Protocol::Testlib;
            problem.input_validators.iter_mut().for_each(|program| prepare(program, header));
        }
        if self.generators {
            problem.generator_header = self.header;
        }
    }
}

/// Puts the header beside a program; a single C++ file is also built as a testlib program.
fn prepare(program: &mut Program, header: Option<&PathBuf>) {
    program.include.extend(header.map(|path| IncludedFile {
        language: Some("cpp".to_owned()),
        ..IncludedFile::beside(path.clone())
    }));
    let is_cpp = Language::of_file(&program.path).is_some_and(|language| language.code == "cpp");
    if is_cpp && program.path.is_file() {
        program.language = Some(TESTLIB_CODE.to_owned());
        program.entry_point = Some(program.name.clone());
    }
}
