//! Programs of a package, each with the files that it may include.

use crate::language::table::{Language, TESTLIB_CODE};
use crate::model::program::{IncludedFile, Program, ProgramKind};
use crate::model::recipe::GeneratorProgram;
use crate::package::files::{Files, Item};
use crate::package::node::Parse;
use crate::package::polygon::Pack;
use crate::package::polygon::xml::Element;
use crate::package::text::shown;

/// The files beside programs.
#[derive(Default)]
pub(super) struct Resources {
    /// For validators, checkers, interactors and generators, such as `testlib.h`.
    pub own: Vec<IncludedFile>,
    /// For submissions.
    pub of_submissions: Vec<IncludedFile>,
}

impl Resources {
    /// Reads `files/resources`. Files without a type belong to the statement.
    pub(super) fn read(root: Element<'_>, tree: &Files) -> Self {
        let mut resources = Self::default();
        let lists = || root.named("files").flat_map(|files| files.named("resources"));
        lists().for_each(|list| list.knows(&["file"], &[]));
        let files = lists().flat_map(|list| list.named("file"));
        for file in files.filter(|file| file.attribute("type").is_some()) {
            let Ok(item) = source(file, tree) else { continue };
            let include = IncludedFile::beside(item.path.clone());
            let is_for = |asset: &str| {
                file.listed("assets", "asset").any(|it| it.attribute("name") == Some(asset))
            };
            if is_for("solution") {
                let is_header = file.attribute("type").is_some_and(|it| it.starts_with("h."));
                if is_header {
                    let of = |code: &str| {
                        let language = Some(code.to_owned());
                        IncludedFile { language, ..include.clone() }
                    };
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

/// The file that an element names.
pub(super) fn source<'t>(element: Element<'_>, tree: &'t Files) -> Parse<&'t Item> {
    let path = element.required("path")?;
    tree.file(path).ok_or_else(|| {
        let message = format!("there is no file `{}` in the package", shown(path));
        element.error(message, "export the full package from Polygon")
    })
}

/// A validator, checker, interactor or generator from its element, which has a `source`.
pub(super) fn program(pack: &Pack<'_>, element: Element<'_>, kind: ProgramKind) -> Parse<Program> {
    let Some(described) = element.child("source") else {
        let message = format!("`{}` has no `source`", element.name());
        return Err(element.error(message, "export the full package from Polygon"));
    };
    let item = source(described, pack.tree)?;
    let name = item.base_name().to_owned();
    let is_cpp = is_cpp(&item.name);
    Ok(Program {
        entry_point: is_cpp.then(|| name.clone()),
        language: language(described, is_cpp),
        include: match is_cpp {
            true => beside(&pack.resources.own, &name),
            false => Vec::new(),
        },
        name,
        path: item.path.clone(),
        kind,
        ..Program::default()
    })
}

/// A generator from its element.
pub(super) fn generator(pack: &Pack<'_>, element: Element<'_>) -> Parse<GeneratorProgram> {
    program(pack, element, ProgramKind::Generator).map(GeneratorProgram::from)
}

/// The code of a language, if the ending alone does not determine it.
fn language(source: Element<'_>, is_cpp: bool) -> Option<String> {
    let is_python2 = || source.attribute("type").is_some_and(|it| it.starts_with("python.2"));
    match is_cpp {
        true => Some(TESTLIB_CODE.to_owned()),
        false => is_python2().then(|| "python2".to_owned()),
    }
}

/// The code of a submission's language, if the ending alone does not determine it.
pub(super) fn submission_language(source: Element<'_>) -> Option<String> {
    language(source, false)
}

fn is_cpp(name: &str) -> bool {
    Language::of_file(name.as_ref()).is_some_and(|language| language.code == "cpp")
}

fn beside(resources: &[IncludedFile], name: &str) -> Vec<IncludedFile> {
    resources.iter().filter(|file| file.name.as_os_str() != name).cloned().collect()
}
