//! Programs of a package, each with the files that it may include.

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::named_programs;
use crate::package::node::ParseResult;
use crate::package::polygon::xml::Element;
use crate::package::polygon::{EXPORT_HELP, PolygonReader};
use crate::package::text::excerpt;
use juror_core::language::table::TESTLIB_CODE;
use juror_core::program::{IncludedFile, Program, ProgramKind};

#[derive(Default)]
pub(super) struct Resources {
    /// For validators, checkers, interactors and generators, such as `testlib.h`.
    pub for_programs: Vec<IncludedFile>,
    pub for_submissions: Vec<IncludedFile>,
}

impl Resources {
    /// Reads `files/resources`. Files without a type belong to the statement.
    pub(super) fn read(root: Element<'_>, tree: &PackageFiles) -> Self {
        let mut resources = Self::default();
        let lists =
            || root.children_named("files").flat_map(|files| files.children_named("resources"));
        lists().for_each(|list| list.warn_unless_known("file", ""));
        let files = lists().flat_map(|list| list.children_named("file"));
        for file in files.filter(|file| file.attribute("type").is_some()) {
            let Ok(item) = find_source(file, tree) else { continue };
            let include = IncludedFile::for_all_languages(item.path.clone());
            let is_for = |asset: &str| {
                file.nested("assets", "asset").any(|entry| entry.attribute("name") == Some(asset))
            };
            if is_for("solution") {
                if file.attribute("type").is_some_and(|kind| kind.starts_with("h.")) {
                    let of = |code: &str| include.clone().for_language(code);
                    resources.for_submissions.extend(["c", "cpp"].map(of));
                } else {
                    let message = "is a file that is built or run with submissions, not a header";
                    file.error(message, "juror builds submissions with headers only");
                }
            }
            resources.for_programs.push(include);
        }
        resources
    }
}

pub(super) fn find_source<'t>(
    element: Element<'_>,
    tree: &'t PackageFiles,
) -> ParseResult<&'t PackageEntry> {
    let path = element.required_attribute("path")?;
    tree.file(path).ok_or_else(|| {
        let message = format!("there is no file `{}` in the package", excerpt(path));
        element.error(message, EXPORT_HELP)
    })
}

/// A validator, checker, interactor or generator from its element, which has a `source`.
pub(super) fn new_program(
    pack: &PolygonReader<'_>,
    element: Element<'_>,
    kind: ProgramKind,
) -> ParseResult<Program> {
    let Some(described) = element.child("source") else {
        let message = format!("`{}` has no `source`", element.name());
        return Err(element.error(message, EXPORT_HELP));
    };
    let item = find_source(described, pack.tree)?;
    let mut program = named_programs::new_program(item, kind, Vec::new());
    program.language = source_language(described);
    if named_programs::language_code(item) == Some("cpp") {
        let name = program.name.as_str();
        let resources =
            pack.resources.for_programs.iter().filter(|file| file.name.as_os_str() != name);
        program.include = resources.cloned().collect();
        program.entry_point = Some(program.name.clone());
        program.language = Some(TESTLIB_CODE.to_owned());
    }
    Ok(program)
}

/// The code of the language of a source, if the ending alone does not determine it.
pub(super) fn source_language(source: Element<'_>) -> Option<String> {
    let is_python2 = source.attribute("type").is_some_and(|kind| kind.starts_with("python.2"));
    is_python2.then(|| "python2".to_owned())
}
