//! Polygon packages: a `problem.xml` that names the purpose of each file.
//!
//! Sources: packages written by Polygon, and the description of `problem.xml` in `purplesyringa/problem-xml-specs`.

mod assets;
mod judging;
mod missing_files;
mod pattern;
mod programs;
mod scoring;
#[cfg(test)]
mod tests;
mod xml;

use crate::package::Format;
use crate::package::draft::Draft;
use crate::package::faults::Faults;
use crate::package::files::{NAME_HELP, PackageFiles, is_valid_name};
use crate::package::languages::natural_language;
use crate::package::polygon::programs::Resources;
use crate::package::polygon::xml::Element;
use crate::package::statements::{Statement, StatementForm};
use crate::package::text::{FileReporter, MAX_SIZE, TextFile, excerpt, settings_contain};
use juror_core::layout::Layout;
use juror_core::problem::{Grading, Interaction, Problem, ProblemKind};
use juror_core::root::FilePath;

pub(super) struct Polygon;

const SETTINGS: &str = "problem.xml";

const EXPORT_HELP: &str = "export the full package from Polygon";

/// Whether the file exists but has no document in it.
fn is_broken(path: &FilePath) -> bool {
    let Ok(text) = path.read_prefix(MAX_SIZE) else { return false };
    let file = TextFile::new(path, String::from_utf8_lossy(&text).into_owned());
    xml::parse(FileReporter { file: &file, faults: &Faults::default() }).is_none()
}

impl Format for Polygon {
    fn marker_text(&self) -> &'static str {
        "a problem.xml of Polygon"
    }

    fn detect(&self, dir: &FilePath) -> Option<String> {
        let path = dir.join(SETTINGS);
        if settings_contain(&path, &["<problem", "<judging"]) {
            Some(format!("{SETTINGS} has a `judging` of Polygon"))
        } else {
            // A broken file is an error. Otherwise the directory might pass for bare tests.
            is_broken(&path).then(|| format!("{SETTINGS} is not valid XML"))
        }
    }

    /// `problem.xml` sets the names of test cases and programs.
    fn layout(&self) -> Layout {
        Layout::with_settings(
            "Polygon",
            SETTINGS,
            "solutions",
            "change `time-limit` in problem.xml",
        )
    }

    /// Also those in sections, which Polygon keeps for languages without a whole statement.
    fn statements(&self, tree: &PackageFiles) -> Vec<Statement> {
        let directory = tree.path("statement-sections");
        let names = directory.names().unwrap_or_default().into_iter();
        let sections = names.filter_map(|name| {
            let path = directory.join(&name).join("legend.tex");
            let language = natural_language(name.to_str()?).to_owned();
            Some(Statement { language, form: StatementForm::Sections, path })
        });
        let mut all: Vec<Statement> = sections.collect();
        let faults = Faults::default();
        let file = tree.file(SETTINGS).and_then(|item| item.read(&faults));
        let page = file.as_ref().map(|file| FileReporter { file, faults: &faults });
        let document = page.and_then(|page| Some((page, xml::parse(page)?)));
        let Some((page, document)) = &document else { return all };
        let described = Element::root(document, *page).nested("statements", "statement");
        all.extend(described.filter_map(|statement| {
            let language = natural_language(statement.attribute("language")?).to_owned();
            // It becomes a part of the page's name.
            if !is_valid_name(&language) {
                return None;
            }
            Statement::of(language, tree.path(statement.attribute("path")?))
        }));
        all
    }

    fn read(&self, tree: &PackageFiles) -> Option<Draft> {
        let faults = &tree.faults;
        let file = tree.file(SETTINGS)?.read(faults)?;
        let page = FileReporter { file: &file, faults };
        let document = xml::parse(page)?;
        let root = Element::root(&document, page);
        let Some(judging) = root.child("judging") else {
            root.error("has no `judging`", "export the package from Polygon again");
            return None;
        };
        let resources = Resources::read(root, tree);
        let pack = PolygonReader { tree, root, judging, resources };
        let mut problem = Problem {
            layout: self.layout(),
            names: read_names(root),
            include: pack.resources.for_submissions.clone(),
            ..Problem::default()
        };
        pack.report_unknown();
        check_languages(root);
        judging::read_settings(&pack, &mut problem);
        assets::read(&pack, &mut problem);
        let mut kind = ProblemKind::default();
        if problem.interactor.is_some() {
            kind.interaction = Interaction::Interactive;
        }
        if judging::read_test_data(&pack, &mut problem) {
            kind.grading = Grading::Scoring;
        }
        problem.kind = kind;
        Some(Draft::of(problem))
    }
}

struct PolygonReader<'a> {
    tree: &'a PackageFiles,
    root: Element<'a>,
    judging: Element<'a>,
    resources: Resources,
}

impl PolygonReader<'_> {
    /// Reports errors for elements that would change judging, and warnings for unknown ones.
    fn report_unknown(&self) {
        let known = "names statements tutorials judging files assets properties stresses tags documents materials";
        self.root.warn_unless_known(known, "revision short-name url");
        for tag in self.root.nested("tags", "tag") {
            if tag.attribute("value") == Some("run-twice")
                && self.judging.attribute("run-count").is_none()
            {
                tag.error(
                    "the problem runs submissions twice on each test, which juror does not support",
                    "judge it on Polygon or Codeforces",
                );
            }
        }
    }
}

/// Languages are parts of names of files.
fn check_languages(root: Element<'_>) {
    for statement in root.nested("statements", "statement") {
        let language = statement.attribute("language").unwrap_or_default();
        if !language.is_empty() && !is_valid_name(language) {
            let message = format!("`{}` cannot be the name of a language", excerpt(language));
            statement.error(message, NAME_HELP);
        }
    }
}

fn read_names(root: Element<'_>) -> Vec<(String, String)> {
    let named = root.nested("names", "name");
    let names = named.filter_map(|name| {
        let code = natural_language(name.attribute("language")?);
        Some((code.to_owned(), name.attribute("value")?.to_owned()))
    });
    names.collect()
}
