//! Statements of packages in other formats than those of Kattis.

use std::collections::BTreeSet;
use std::path::Path;

use crate::package::convert::{Contents, PlannedFile, Planner};
use crate::package::files::Item;

/// Definitions of the commands of Polygon's statements; the format itself shows the samples.
const COMMANDS: &str = r"\newenvironment{problem}[5]{\problemname{#1}}{}
\newenvironment{example}{}{}
\newcommand{\exmp}[2]{}
\newcommand{\exmpfile}[2]{}
\newcommand{\Example}{}
\newcommand{\Examples}{}
\newcommand{\InputFile}{\section*{Input}}
\newcommand{\OutputFile}{\section*{Output}}
\newcommand{\Interaction}{\section*{Interaction}}
\newcommand{\Scoring}{\section*{Scoring}}
\newcommand{\Note}{\section*{Note}}
\renewcommand{\t}[1]{\texttt{#1}}
";

/// A statement at a place that only its format has.
pub(in crate::package) struct StatementFile {
    /// The code of its language.
    pub language: String,
    /// Its path, relative to the package's directory.
    pub name: String,
}

impl Planner<'_> {
    /// Places the statements: for each language the PDF, else the TeX source with definitions of its commands.
    pub(super) fn place_statements(&mut self, statements: &[StatementFile]) {
        let directory = if self.to.is_new() { "statement" } else { "problem_statement" };
        let mut placed = BTreeSet::new();
        for ending in ["pdf", "tex"] {
            for StatementFile { language, name } in statements {
                let is_it = Path::new(name).extension().is_some_and(|it| it == ending);
                if !is_it || placed.contains(language) {
                    continue;
                }
                let Some(path) = self.inside(name) else { continue };
                let new = format!("{directory}/problem.{language}.{ending}");
                let contents = match ending {
                    "pdf" => Contents::Copy(path.clone()),
                    _ => match std::fs::read_to_string(&path) {
                        Ok(text) => Contents::Text(format!("{COMMANDS}{text}")),
                        // The statement stays among the files without a place.
                        Err(_) => continue,
                    },
                };
                placed.insert(language);
                self.files.push(PlannedFile { name: new, contents });
                self.used.insert(path);
                if ending == "tex" {
                    self.place_images(name, directory);
                }
            }
        }
    }

    /// Puts the images of a statement beside it; of two with the same name, the first.
    fn place_images(&mut self, statement: &str, directory: &str) {
        let (dir, _) = statement.rsplit_once('/').unwrap_or_default();
        let is_image =
            |item: &&Item| ["png", "jpg", "jpeg", "eps", "pdf", "svg"].contains(&item.ending());
        let images = self.tree.children(dir).filter(is_image);
        let images =
            images.map(|item| (item.path.clone(), format!("{directory}/{}", item.base_name())));
        for (path, name) in images.collect::<Vec<_>>() {
            if self.files.iter().all(|file| file.name != name) {
                self.copy(&path, name);
            }
        }
    }

    /// A file of the package, even in a hidden directory; `None` if it does not exist, or links out of the package.
    fn inside(&self, name: &str) -> Option<std::path::PathBuf> {
        let path = self.tree.path(name);
        let real = path.canonicalize().ok()?;
        (real.is_file() && real.starts_with(self.tree.root.canonicalize().ok()?)).then_some(path)
    }
}
