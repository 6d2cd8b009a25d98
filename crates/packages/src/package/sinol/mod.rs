//! Packages of sinol-make and OIOIOI: a `config.yml`, tests by group in `in/` and `out/`, and programs in `prog/`.
//!
//! Sources: the README and the example package of `sio2project/sinol-make`; "Configuration file" in OIOIOI's wiki.

mod limits;
mod solutions;
mod test_data;
#[cfg(test)]
mod tests;

use crate::package::Format;
use crate::package::draft::{Draft, short_name};
use crate::package::files::PackageFiles;
use crate::package::named_programs;
use crate::package::node::{Map, SettingsFile};
use crate::package::statements::Statement;
use crate::package::text::{excerpt, settings_contain};
use crate::package::values::text;
use crate::package::yaml;
use juror_core::layout::Layout;
use juror_core::problem::{Grading, Problem};
use juror_core::program::{Program, ProgramKind};
use juror_core::protocol::Protocol;
use juror_core::root::FilePath;

pub(super) struct Sinol;

const SETTINGS: &str = "config.yml";

const SINOL_MAKE_HELP: &str = "judge this package with sinol-make";

/// Keys about statements, archives and measuring, which do not affect judging.
const TOOL_KEYS: &str = "testrun_soc sinol_latex_compiler sinol_static_tests sinol_undocumented_time_tool \
                        sinol_undocumented_test_limits sinol_total_score";

/// Keys that change judging, each with the value that changes nothing.
const UNSUPPORTED_KEYS: [(&str, &str); 2] = [("num_processes", "1"), ("fake_time", "off")];

/// Kinds of contests, with or without points for groups.
const CONTESTS: [(&str, Grading); 3] =
    [("default", Grading::Scoring), ("oij", Grading::Scoring), ("icpc", Grading::PassFail)];

impl Format for Sinol {
    fn marker_text(&self) -> &'static str {
        "a config.yml of sinol, in/ and prog/"
    }

    fn detect(&self, dir: &FilePath) -> Option<String> {
        let is_there = |name: &&str| dir.join(name).is_dir();
        (settings_contain(&dir.join(SETTINGS), &["time_limit"])
            && ["in", "prog"].iter().all(is_there))
        .then(|| format!("there are {SETTINGS} with a time limit, in/ and prog/"))
    }

    fn layout(&self) -> Layout {
        Layout::with_settings("sinol", SETTINGS, "prog", "change `time_limit` in config.yml")
    }

    fn statements(&self, tree: &PackageFiles) -> Vec<Statement> {
        // Names such as `abczad.pdf` and `abczad-en.pdf`.
        named_programs::find_statements(tree, &["doc"], |name| match name.split_once("zad")?.1 {
            "" => Some("pl".to_owned()),
            end => end.strip_prefix('-').map(str::to_owned),
        })
    }

    fn read(&self, tree: &PackageFiles) -> Option<Draft> {
        let document = SettingsFile::read(&tree.file(SETTINGS)?.path, &tree.faults, yaml::parse)?;
        let mut map = document.root().non_null()?.map().ok()?;
        let mut problem = Problem { layout: self.layout(), ..Problem::default() };
        problem.names.extend(map.get("title", text).map(|title| ("en".to_owned(), title)));
        let id = map.get("sinol_task_id", text).unwrap_or_else(|| short_name(&tree.root));
        let grading = map.get("sinol_contest_type", |node| {
            let found = CONTESTS.iter().find(|(name, _)| node.word().eq_ignore_ascii_case(name));
            found.map(|(_, grading)| *grading).ok_or_else(|| {
                let message =
                    format!("juror does not give points as `{}` contests do", excerpt(node.word()));
                node.error(message, SINOL_MAKE_HELP)
            })
        });
        problem.kind.grading = grading.unwrap_or(Grading::Scoring);
        report_unsupported(tree, &id, &mut map);
        read_validators(tree, &id, &mut problem);
        let tests = test_data::read_tests(tree, &id);
        test_data::add_groups(tree, &tests, &mut map, &mut problem);
        limits::read(&tests, &mut map, &mut problem);
        solutions::read(tree, &id, &mut map, &mut problem);
        test_data::add_cases(tree, &id, tests, &mut problem);
        for node in map.take_rest() {
            match node.key.strip_prefix("title_") {
                Some(language) => {
                    let title = text(&node).ok();
                    problem.names.extend(title.map(|title| (language.to_owned(), title)));
                }
                None => {
                    let message = format!("unknown key `{}` is ignored", excerpt(node.key));
                    node.at_key().warning(message, "remove it, or correct its name");
                }
            }
        }
        Some(Draft::of(problem))
    }
}

fn report_unsupported(tree: &PackageFiles, id: &str, map: &mut Map<'_>) {
    map.ignore(TOOL_KEYS);
    for (key, harmless) in UNSUPPORTED_KEYS {
        if let Some(node) = map.node(key).filter(|node| node.word() != harmless) {
            let message =
                format!("`{key}` changes how submissions are judged, and juror does not know it");
            node.at_key().error(message, SINOL_MAKE_HELP);
        }
    }
    for item in tree.children("prog").filter(|item| item.is_file()) {
        match item.stem().strip_prefix(id) {
            Some("soc") => {
                let message = "is an interactor of sinol, which juror does not support";
                tree.faults.error(item, message, SINOL_MAKE_HELP);
            }
            Some("ingen") => {
                let message = "is not called: only the inputs in in/ are judged";
                let help = "make all of them first: `sinol-make gen`";
                tree.faults.warning(item, message, help);
            }
            _ => {}
        }
    }
}

fn read_validators(tree: &PackageFiles, id: &str, problem: &mut Problem) {
    let program = |suffix: &str, kind| {
        let item = named_programs::find_source(tree, "prog", &[&format!("{id}{suffix}")])?;
        Some(named_programs::new_program(item, kind, named_programs::header_files(tree, "prog")))
    };
    problem.output_protocol = Protocol::Sinol;
    problem.output_validators.extend(program("chk", ProgramKind::OutputValidator));
    problem.input_protocol = Protocol::Sinol;
    let inwer = program("inwer", ProgramKind::InputValidator);
    // sinol-make builds it with this definition.
    let defines = vec!["_INWER".to_owned()];
    problem.input_validators.extend(inwer.map(|program| Program { defines, ..program }));
}
