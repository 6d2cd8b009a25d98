//! Statements of packages in other formats than those of Kattis.

use std::collections::BTreeSet;
use std::path::Path;

use crate::package::convert::{Contents, PlannedFile, Planner};
use crate::package::files::Item;
use crate::package::statements::{Form, Statement};
use crate::package::text::MAX_SIZE;

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

impl Planner<'_> {
    /// Places the statements: for each language the PDF, else the TeX source with definitions of its commands.
    pub(super) fn place_statements(&mut self, statements: &[Statement]) {
        let directory = if self.to.is_new() { "statement" } else { "problem_statement" };
        let mut placed = BTreeSet::new();
        for (wanted, ending) in [(Form::Pdf, "pdf"), (Form::Latex, "tex")] {
            for Statement { language, form, path } in statements {
                if *form != wanted || placed.contains(language) || !path.is_file() {
                    continue;
                }
                let new = format!("{directory}/problem.{language}.{ending}");
                let contents = match wanted {
                    Form::Pdf => Contents::Copy(path.clone()),
                    _ => match path.text(MAX_SIZE) {
                        Ok(text) => Contents::Text(format!("{COMMANDS}{text}")),
                        // The statement stays among the files without a place.
                        Err(_) => continue,
                    },
                };
                placed.insert(language);
                self.files.push(PlannedFile { name: new, contents });
                self.used.insert(path.clone());
                if wanted == Form::Latex {
                    self.place_images(path, directory);
                }
            }
        }
    }

    /// Puts the images of a statement beside it; of two with the same name, the first.
    fn place_images(&mut self, statement: &Path, directory: &str) {
        let dir = statement.parent().and_then(|dir| dir.strip_prefix(&*self.tree.root).ok());
        let dir = dir.and_then(Path::to_str).unwrap_or_default();
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
}
