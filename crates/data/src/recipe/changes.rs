//! What a run would change in the package: files that somebody edited, and whether new data is valid.

use std::collections::{BTreeMap, BTreeSet};

use crate::recipe::Generation;
use crate::recipe::files::{PreparedFile, display_names};
use crate::recipe::memory::{FileOrigin, Memory};
use crate::validity::test_data::{self, DataCheck};
use juror_core::diagnostic::{Diagnostic, SourcePlace};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::text::{count, short_list};
use juror_judging::build::bench::Bench;
use juror_judging::judge::judged_outputs::OutputsByCase;
use juror_judging::output_validator::OutputValidator;
use juror_judging::recipe::stage::Stage;
use juror_packages::package;

/// The greatest number of names in a list, or of messages of one kind.
pub(super) const NAMES_MAX: usize = 20;

/// Returns the files to replace that juror does not know. Adds an error for each that was changed since juror made it.
pub(super) fn replaced_files(
    generation: &Generation<'_>,
    memory: &Memory,
    data: &FilePath,
    ready: &[PreparedFile],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let (mut unknown, mut edited) = (Vec::new(), Vec::new());
    for file in ready.iter().filter(|file| file.replaces) {
        let name = file.target().strip_prefix(&**data).unwrap_or(file.target());
        let name = name.display().to_string();
        match memory.origin(&name, data) {
            FileOrigin::Juror => {}
            FileOrigin::Edited if generation.overwrites_edits => unknown.push(name),
            FileOrigin::Edited => edited.push(file.target()),
            FileOrigin::Unknown => unknown.push(name),
        }
    }
    let more = edited.len().saturating_sub(NAMES_MAX);
    for (index, path) in edited.into_iter().take(NAMES_MAX).enumerate() {
        let mut message =
            "was changed since juror made it, and the recipe makes something else".to_owned();
        if index == 0 && more > 0 {
            message += &format!("; so were {}", count(more, "further file"));
        }
        let help =
            "move the change into the recipe, or replace the file with `juror generate --force`";
        diagnostics.push(Diagnostic::error(path, message).help(help));
    }
    unknown
}

/// Copies files that will be replaced into the cache, and names them.
pub(super) fn keep_replaced(
    memory: &Memory,
    data: &FilePath,
    replaced: &[String],
) -> Option<Diagnostic> {
    let first = replaced.first()?;
    let kept = replaced.iter().filter(|name| memory.keep(name, data)).count();
    let what = match replaced.len() {
        1 => format!("{first} is replaced, and its contents were not made by juror here"),
        number => format!(
            "{number} files are replaced, and their contents were not made by juror here: {}",
            short_list(replaced, NAMES_MAX)
        ),
    };
    let warning = Diagnostic::warning(data, what);
    Some(match memory.replaced_dir().filter(|_| kept > 0) {
        Some(dir) if kept == replaced.len() => {
            warning.help(format!("the old contents are in {}", dir.display()))
        }
        Some(dir) => warning.help(format!(
            "the old contents of {kept} are in {}; the others are too large, or could not be written",
            dir.display()
        )),
        None => warning.help("the old contents are lost, because there is no cache"),
    })
}

/// Warns about test cases that the recipe does not make, and that submissions are judged by.
pub(super) fn leftover_warning(data: &FilePath, leftover: BTreeSet<String>) -> Option<Diagnostic> {
    let mut names = display_names(leftover.into_iter().collect());
    names.retain(|name| name.starts_with("secret/") || name.starts_with("sample/"));
    let number = match names.len() {
        0 => return None,
        1 => "a test case that the recipe does not make".to_owned(),
        number => format!("{number} test cases that the recipe does not make"),
    };
    let message = format!("has {number}: {}", short_list(&names, NAMES_MAX));
    let help = "remove them with `juror generate --prune`, or add them to the recipe";
    Some(Diagnostic::warning(data, message).help(help))
}

/// Runs the validators on the new and changed cases of the stage. Errors are reported at the line of the recipe.
pub(super) fn check_changed(
    generation: &Generation<'_>,
    stage: &Stage,
    changed: &BTreeSet<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), Stop> {
    let Generation { bench, recipe, .. } = generation;
    for file in &recipe.files {
        stage.add_group_file(&file.name, &file.contents)?;
    }
    let root = stage.root();
    let Some(mut problem) = package::read_with_data(bench.problem, &root) else { return Ok(()) };
    let data = &mut problem.test_data;
    for cases in [&mut data.invalid_inputs, &mut data.invalid_answers, &mut data.invalid_outputs] {
        cases.clear();
    }
    for cases in [&mut data.cases, &mut data.valid_inputs, &mut data.valid_outputs] {
        cases.retain(|case| changed.contains(&*case.name));
    }
    if [&data.cases, &data.valid_inputs, &data.valid_outputs].iter().all(|cases| cases.is_empty()) {
        return Ok(());
    }
    let bench = Bench { problem: &problem, ..*bench };
    let check = DataCheck {
        bench,
        validators: &OutputValidator::build(&bench)?,
        selected: None,
        mutations: &[],
    };
    let mut found = Vec::new();
    test_data::check_cases(&check, &mut found)?;
    found.extend(check.check_judge_answers(&OutputsByCase::default())?);
    let links = recipe.links.iter().map(|link| (&link.name, &link.target));
    let cases = recipe.cases.iter().map(|case| (&*case.name, &case.place));
    let mut places: BTreeMap<&str, &SourcePlace> = cases.collect();
    for (name, target) in links {
        if let Some(place) = places.get(&**target) {
            places.insert(name, place);
        }
    }
    for diagnostic in found {
        let Ok(file) = diagnostic.place.path.strip_prefix(&*root) else {
            diagnostics.extend(Some(diagnostic).filter(Diagnostic::is_error));
            continue;
        };
        let file = file.display().to_string();
        let mut bases = file.rmatch_indices('.').map(|(dot, _)| &file[..dot]);
        let place = bases.find_map(|base| places.get(base));
        let place = place.map_or_else(|| (&recipe.path).into(), |place| (*place).clone());
        let help = diagnostic.help.unwrap_or_default();
        diagnostics.push(Diagnostic {
            place,
            message: format!("{file}: {}", diagnostic.message),
            help: Some(format!("{help}; `juror generate --no-validate` writes it as it is")),
            ..diagnostic
        });
    }
    Ok(())
}
