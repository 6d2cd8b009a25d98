//! `[testlib]` in `juror.toml`: programs of a package that are written with `testlib.h`.

use crate::package::files::PackageFiles;
use crate::package::node::{Node, ParseResult};
use crate::package::text::excerpt;
use crate::package::values::boolean;
use juror_core::language::table::{Language, TESTLIB_CODE};
use juror_core::problem::{Interaction, Problem};
use juror_core::program::{IncludedFile, Program};
use juror_core::protocol::Protocol;
use juror_core::root::FilePath;

/// Reads the table, and makes programs of the problem be built and called as testlib programs.
pub(super) fn read(node: &Node<'_>, tree: &PackageFiles, problem: &mut Problem) -> ParseResult<()> {
    let mut map = node.named_map("testlib", "[testlib]")?;
    // All keys are read, so that each fault is reported, and only that.
    let header = map.try_get("header", |node| read_header(node, tree));
    let output_validator = map.try_get("output_validator", |node| check_role(node, problem));
    let input_validators = map.try_get("input_validators", boolean);
    let generators = map.try_get("generators", boolean);
    let (header, output_validator) = (header?, output_validator?);
    let input_validators = input_validators?.unwrap_or_default();
    let generators = generators?.unwrap_or_default();
    if !input_validators && !generators && output_validator.is_none() {
        let help = "known: `output_validator = \"checker\"` or `\"interactor\"`, `input_validators = true`, \
                    `generators = true`";
        return Err(node.error("`[testlib]` names no programs", help));
    }
    if output_validator.is_some() {
        problem.output_protocol = Protocol::Testlib;
        problem.output_validators.iter_mut().for_each(|each| add_header(each, header.as_ref()));
        if problem.kind.interaction == Interaction::Interactive {
            problem.interactor = problem.output_validators.drain(..).next();
        }
    }
    if input_validators {
        problem.input_protocol = Protocol::Testlib;
        problem.input_validators.iter_mut().for_each(|each| add_header(each, header.as_ref()));
    }
    if generators {
        problem.generator_header = header;
    }
    Ok(())
}

fn read_header(node: &Node<'_>, tree: &PackageFiles) -> ParseResult<FilePath> {
    match tree.file(node.word()) {
        Some(item) => Ok(item.path.clone()),
        None => {
            let message = format!("there is no file `{}` in the package", excerpt(node.word()));
            Err(node.error(message, "give the path of the file in the package"))
        }
    }
}

/// Checks the role of the output validator: a checker checks an output, and an interactor talks with the submission.
fn check_role(node: &Node<'_>, problem: &Problem) -> ParseResult<()> {
    let is_interactor = match node.word() {
        "checker" => false,
        "interactor" => true,
        _ => return Err(node.must_be("\"checker\" or \"interactor\"")),
    };
    let talks = problem.kind.interaction == Interaction::Interactive;
    let (message, help) = match (is_interactor, talks) {
        _ if problem.output_validators.is_empty() => {
            ("the package has no output validator", "add one, or remove the line")
        }
        (false, true) => (
            "the problem is interactive, and a checker does not talk",
            "write \"interactor\": it talks with submissions",
        ),
        (true, false) => {
            ("the problem is not interactive", "write \"checker\", or change the type")
        }
        _ => return Ok(()),
    };
    Err(node.error(message, help))
}

/// Puts the header next to a program. A single C++ file is also built as a testlib program.
pub fn add_header(program: &mut Program, header: Option<&FilePath>) {
    let header =
        header.map(|path| IncludedFile::for_all_languages(path.clone()).for_language("cpp"));
    program.include.extend(header);
    let is_cpp = Language::of_file(&program.path).is_some_and(|language| language.code == "cpp");
    if is_cpp && (program.text.is_some() || program.path.is_file()) {
        program.language = Some(TESTLIB_CODE.to_owned());
        program.entry_point = Some(program.name.clone());
    }
}
