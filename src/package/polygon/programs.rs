//! Programs of a package, each with the files that it may include.

use crate::language::table::TESTLIB_CODE;
use crate::model::program::{IncludedFile, Program, ProgramKind};
use crate::package::by_name;
use crate::package::files::{Files, Item};
use crate::package::node::Parse;
use crate::package::polygon::xml::Element;
use crate::package::polygon::{EXPORT, Pack};
use crate::package::text::shown;

#[derive(Default)]
pub(super) struct Resources {
    /// For validators, checkers, interactors and generators, such as `testlib.h`.
    pub own: Vec<IncludedFile>,
    pub of_submissions: Vec<IncludedFile>,
}

impl Resources {
    /// Reads `files/resources`. Files without a type belong to the statement.
    pub(super) fn read(root: Element<'_>, tree: &Files) -> Self {
        let mut resources = Self::default();
        let lists = || root.named("files").flat_map(|files| files.named("resources"));
        lists().for_each(|list| list.knows("file", ""));
        let files = lists().flat_map(|list| list.named("file"));
        for file in files.filter(|file| file.attribute("type").is_some()) {
            let Ok(item) = source(file, tree) else { continue };
            let include = IncludedFile::beside(item.path.clone());
            let is_for = |asset: &str| {
                file.listed("assets", "asset").any(|it| it.attribute("name") == Some(asset))
            };
            if is_for("solution") {
                if file.attribute("type").is_some_and(|it| it.starts_with("h.")) {
                    let of = |code: &str| include.clone().for_language(code);
                    resources.of_submissions.extend(["c", "cpp"].map(of));
                } else {
                    let message = "is a file that is built or run with submissions, not a header";
                    file.error(message, "juror builds submissions with headers only");
                }
            }
            resources.own.push(include);
        }
        resources
    }
}

pub(super) fn source<'t>(element: Element<'_>, tree: &'t Files) -> Parse<&'t Item> {
    let path = element.required("path")?;
    tree.file(path).ok_or_else(|| {
        let message = format!("there is no file `{}` in the package", shown(path));
        element.error(message, EXPORT)
    })
}

/// A validator, checker, interactor or generator from its element, which has a `source`.
pub(super) fn program(pack: &Pack<'_>, element: Element<'_>, kind: ProgramKind) -> Parse<Program> {
    let Some(described) = element.child("source") else {
        let message = format!("`{}` has no `source`", element.name());
        return Err(element.error(message, EXPORT));
    };
    let item = source(described, pack.tree)?;
    let mut program = by_name::program(item, kind, Vec::new());
    program.language = language(described);
    if by_name::code(item) == Some("cpp") {
        let name = program.name.as_str();
        let beside = pack.resources.own.iter().filter(|file| file.name.as_os_str() != name);
        program.include = beside.cloned().collect();
        program.entry_point = Some(program.name.clone());
        program.language = Some(TESTLIB_CODE.to_owned());
    }
    Ok(program)
}

/// The code of the language of a source, if the ending alone does not determine it.
pub(super) fn language(source: Element<'_>) -> Option<String> {
    let is_python2 = source.attribute("type").is_some_and(|it| it.starts_with("python.2"));
    is_python2.then(|| "python2".to_owned())
}
