//! `juror.toml`: settings that the format lacks, such as the names of input and output files.

use crate::package::files::{PackageFiles, is_valid_name};
use crate::package::node::{Node, ParseResult, SettingsFile};
use crate::package::testlib;
use crate::package::text::excerpt;
use crate::package::toml;
use crate::package::values::{at_most, positive, seconds};
use juror_core::check::options::comparison_arguments;
use juror_core::problem::{EquivalentMutant, Interaction, Problem, ProgramIo};
use juror_core::protocol::Protocol;
use juror_core::score::CustomScore;
use juror_core::units::Bytes;

pub(super) const NAME: &str = "juror.toml";

/// `file_writing`: whether submissions may write files, if the package says it readably.
pub(super) fn read(tree: &PackageFiles, problem: &mut Problem, file_writing: Option<bool>) {
    let Some(item) = tree.file(NAME) else { return };
    let Some(document) = SettingsFile::read(&item.path, &tree.faults, toml::parse) else { return };
    let Ok(mut map) = document.root().map() else { return };
    map.set("strength", &mut problem.equivalents, read_equivalents);
    let io = map.get("io", |node| read_io(node, problem, file_writing));
    map.get("limits", |node| read_limits(node, problem));
    // For `juror listen`.
    map.ignore("received");
    let testlib = map.node("testlib");
    map.get("compare", |node| read_comparison(node, problem));
    map.get("protocol", |node| read_protocols(node, problem));
    // Its faults are already reported.
    let _reported = testlib.map(|node| testlib::read(&node, tree, problem));
    // Programs with another protocol give points in their own way. They write no file for an output with all points.
    if problem.output_protocol != Protocol::Standard
        && let Some(graders) = &mut problem.graders
        && graders.custom_score == CustomScore::Required
    {
        graders.custom_score = CustomScore::Allowed;
    }
    let Some(io) = io else { return };
    if problem.kind.interaction == Interaction::Interactive && io != ProgramIo::Standard {
        let message =
            "names files, but submissions of an interactive problem talk with the output validator";
        let help = "remove `[io]`: the two talk through standard input and output";
        tree.faults.error(tree.path(NAME), message, help);
    }
    problem.io = io;
}

/// The limits of bare tests. Other formats have their own place for them.
fn read_limits(node: &Node<'_>, problem: &mut Problem) -> ParseResult<()> {
    let layout = &mut problem.layout;
    if !layout.is_guessed {
        let message = format!("{} has its own place for limits", layout.format);
        return Err(node.at_key().error(message, "move them there; `[limits]` is for bare tests"));
    }
    let mut map = node.named_map("limits", "[limits]")?;
    let limits = &mut problem.limits;
    if let Some(time) = map.get("time_limit", seconds) {
        limits.time_limit = Some(time);
        layout.time_limit = NAME;
    }
    map.set("memory", &mut limits.memory, |node| {
        at_most(1 << 20, positive(node, "MiB")?, node).map(Bytes::mib)
    });
    Ok(())
}

/// How the outputs of all test cases are compared, whatever else says so.
fn read_comparison(node: &Node<'_>, problem: &mut Problem) -> ParseResult<()> {
    if !problem.output_validators.is_empty() || problem.interactor.is_some() {
        let help = "remove the line, or the output validator";
        return Err(node.error("the package has an output validator, which compares", help));
    }
    if !node.raw.scalar().is_some_and(|scalar| scalar.quoted) {
        return Err(node.must_be("the name of a comparison in quotes, such as \"lines\""));
    }
    let args = comparison_arguments(node.word()).map_err(|error| {
        node.error(
            error.to_string(),
            "docs/comparisons.md has the names; a checker is an output validator",
        )
    })?;
    let data = &mut problem.test_data;
    let others = [&mut data.invalid_answers, &mut data.valid_outputs, &mut data.invalid_outputs];
    for case in data.cases.iter_mut().chain(others.into_iter().flatten()) {
        case.output_validator_args.clone_from(&args);
    }
    for case in problem.pending_recipe.iter_mut().flat_map(|recipe| &mut recipe.cases) {
        case.output_validator_args = Some(args.clone());
    }
    Ok(())
}

fn read_protocols(node: &Node<'_>, problem: &mut Problem) -> ParseResult<()> {
    let mut map = node.named_map("protocol", "[protocol]")?;
    let output = map.try_get("output_validator", |node| match node.word() {
        "cms" => Ok(Protocol::Cms),
        "sinol" => Ok(Protocol::Sinol),
        _ => Err(node.must_be("\"cms\" or \"sinol\"")),
    })?;
    let input = map.try_get("input_validators", |node| match node.word() {
        "sinol" => Ok(Protocol::Sinol),
        _ => Err(node.must_be("\"sinol\"")),
    })?;
    if output.is_some() && problem.kind.interaction == Interaction::Interactive {
        let help = "remove the line: these programs only check an output";
        return Err(node.error("the problem is interactive, and a checker does not talk", help));
    }
    problem.output_protocol = output.unwrap_or(problem.output_protocol);
    problem.input_protocol = input.unwrap_or(problem.input_protocol);
    Ok(())
}

/// Mutants that the author declares equivalent, each with the reason why it is right.
fn read_equivalents(node: &Node<'_>) -> ParseResult<Vec<EquivalentMutant>> {
    let mut map = node.named_map("strength", "[strength]")?;
    let all = map.try_get("equivalent", |node| {
        let mut all = Vec::new();
        for entry in node.entries("a table of names and reasons")? {
            let reason = entry.word();
            if !entry.raw.scalar().is_some_and(|scalar| scalar.quoted) || reason.trim().is_empty() {
                return Err(entry.must_be("a reason in quotes"));
            }
            all.push(EquivalentMutant { subject: entry.key.to_owned(), reason: reason.to_owned() });
        }
        Ok(all)
    })?;
    Ok(all.unwrap_or_default())
}

fn read_io(
    node: &Node<'_>,
    problem: &Problem,
    file_writing: Option<bool>,
) -> ParseResult<ProgramIo> {
    if !node.is_map() {
        return Err(node.error("`io` must be a table", "write `[io]` on a line of its own"));
    }
    let mut map = node.named_map("io", "[io]")?;
    let nodes = [map.node("input"), map.node("output")];
    let names = [map.try_get("input", file_name), map.try_get("output", file_name)];
    let help = "give both files, or neither for standard input and output";
    match &nodes {
        [Some(_), Some(_)] => {}
        [None, None] => {
            let help = "add `input = \"...\"` and `output = \"...\"`, or remove `[io]`";
            node.at_key().error("`[io]` names no files", help);
        }
        [Some(input), None] => drop(input.error("`[io]` has no `output`", help)),
        [None, Some(output)] => drop(output.error("`[io]` has no `input`", help)),
    }
    let ([Ok(Some(input)), Ok(Some(output))], [_, Some(node)]) = (names, nodes) else {
        return Ok(ProgramIo::Standard);
    };
    if input == output {
        node.error("input and output are the same file", "choose two different files");
    }
    if file_writing == Some(false) {
        let layout = &problem.layout;
        let message = format!(
            "programs may not write `{output}`: {} does not allow file writing",
            layout.settings
        );
        node.error(message, layout.allow_file_writing);
    }
    Ok(ProgramIo::Files { input, output })
}

fn file_name(node: &Node<'_>) -> ParseResult<String> {
    if !node.raw.scalar().is_some_and(|scalar| scalar.quoted) {
        return Err(node.must_be("a file name in quotes"));
    }
    let name = node.word();
    if !is_valid_name(name) {
        let help = "letters, digits, `_`, `.` and `-`, without a directory, such as \"game1.in\"";
        return Err(node.error(format!("`{}` is not a plain file name", excerpt(name)), help));
    }
    Ok(name.to_owned())
}
