//! Where the files of a package go in another format.
//!
//! Versions of the Kattis format share most names, so each file of such a package has its fate, whatever it is. Of other
//! packages, only the files that the problem names have a place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::package::convert::cases::{directory, first_free, last_part, nearest_valid_name};
use crate::package::convert::{
    PlannedContents, PlannedFile, Planner, is_kattis, is_of_library_checker, submissions,
};
use crate::package::files::PackageEntry;
use crate::package::text::MAX_SIZE;
use crate::statement::page::is_rendered_page;
use juror_core::language::table::Language;
use juror_core::program::{IncludedFile, Program, ProgramKind};
use juror_core::protocol::Protocol;
use juror_core::recipe::CASE_EXTENSIONS;
use juror_core::root::FilePath;
use juror_core::test_data::TestCase;

enum FileFate {
    Keep(String),
    /// Written anew, or the facts of the problem show that it is missing.
    Omit,
    Lost(&'static str),
}

pub(super) const OTHER_SAMPLE_TEXT: &str = "a text that contestants see instead of the test case's";

const UNRELATED_FILE: &str = "a file that belongs to no test case";

impl Planner<'_> {
    pub(super) fn place_kattis_files(&mut self) {
        let data = &self.problem.test_data;
        let cases = data.cases.iter().chain(data.examples());
        let cases: BTreeSet<String> = cases.map(|case| format!("data/{}", case.name)).collect();
        for item in self.tree.below("").iter().filter(|item| item.is_file()) {
            match self.file_fate(item, &cases) {
                FileFate::Keep(name) => self.add_file(&item.path, name),
                FileFate::Omit => {}
                FileFate::Lost(what) => self.leave_out(&item.name, what),
            }
        }
        if self.to.is_2025_09() {
            self.add_sample_downloads();
        }
    }

    /// In 2025-09, a sample that is shown as an interaction needs files to download; other versions have none.
    fn add_sample_downloads(&mut self) {
        for case in &self.problem.test_data.cases {
            let name = format!("data/{}", case.name);
            if self.tree.file(&format!("{name}.interaction")).is_none() {
                continue;
            }
            for (ending, path) in [("in", Some(&case.input)), ("ans", case.answer.as_ref())] {
                let download = format!("{name}.{ending}.download");
                if let Some(path) = path.filter(|_| self.tree.file(&download).is_none()) {
                    self.add_file(path, download);
                }
            }
        }
    }

    /// Copies a file, under a valid name and with its constants filled in.
    fn add_file(&mut self, path: &FilePath, name: String) {
        let allowed = self.allowed_name(&name);
        if allowed != name {
            let what = "a name that the format does not allow";
            self.losses.add(&name, what, Some(allowed.clone()));
        }
        let is_data = name.starts_with("data/") || name.starts_with("attachments/");
        let keeps_names = self.to.is_2025_09() || is_data;
        let constants = if keeps_names { Vec::new() } else { self.problem.constants.clone() };
        let contents = PlannedContents::File(path.clone(), constants);
        self.files.push(PlannedFile { name: allowed, contents });
    }

    /// The name itself, or the nearest one that is allowed and free.
    fn allowed_name(&self, name: &str) -> String {
        let of_case = name.strip_prefix("data/").filter(|_| is_kattis(self.problem));
        if let Some(name) = of_case.and_then(|name| self.cases.case_file_name(name)) {
            return nearest_valid_name(&format!("data/{name}"), self.to.is_2025_09());
        }
        let allowed = nearest_valid_name(name, self.to.is_2025_09());
        // A directory as a whole gets no other name, so that its files stay together.
        if allowed == name || directory(&allowed) != directory(name) {
            return allowed;
        }
        let start = allowed.len() - last_part(&allowed).len();
        let end = allowed[start..].find('.').map_or(allowed.len(), |index| start + index);
        let (stem, ending) = allowed.split_at(end);
        let is_free = |stem: &str| {
            let name = format!("{stem}{ending}");
            self.tree.get(&name).is_none() && self.files.iter().all(|file| file.name != name)
        };
        first_free(stem.to_owned(), is_free) + ending
    }

    fn file_fate(&self, item: &PackageEntry, cases: &BTreeSet<String>) -> FileFate {
        let name = item.name.as_str();
        let (top, rest) = name.split_once('/').unwrap_or((name, ""));
        let is_new = self.to.is_2025_09();
        let keep = |dir: &str| FileFate::Keep(format!("{dir}/{rest}"));
        match top {
            "problem.yaml" | "domjudge-problem.ini" | ".timelimit" | "juror.toml" => FileFate::Omit,
            // The page that juror made of it.
            "problem.html" if is_rendered(item) => FileFate::Omit,
            "problem_statement" | "statement" if is_new => {
                let name = rest.strip_prefix("problem.").filter(|end| !end.contains(['.', '/']));
                let name = name.map(|end| format!("statement/problem.en.{end}"));
                name.map_or_else(|| keep("statement"), FileFate::Keep)
            }
            "problem_statement" | "statement" => keep("problem_statement"),
            "input_format_validators" => keep("input_validators"),
            "output_validator" | "output_validators" => self.output_validator_fate(item, rest),
            "graders" if is_new => match self.problem.graders.as_ref().map(|all| &all.custom) {
                Some(Some(_)) => FileFate::Omit,
                _ => FileFate::Lost("a grader that is not used"),
            },
            "static_validator" | "input_visualizer" | "output_visualizer" if !is_new => {
                FileFate::Omit
            }
            "attachments" if is_new && rest.contains('/') && !rest.starts_with("templates/") => {
                FileFate::Lost("an attachment in a directory")
            }
            "submissions" => self.submission_fate(item, rest),
            "data" => self.data_fate(item, cases),
            _ => FileFate::Keep(name.to_owned()),
        }
    }

    fn output_validator_fate(&self, item: &PackageEntry, rest: &str) -> FileFate {
        let problem = self.problem;
        let mut programs = problem.output_validators.iter().chain(&problem.interactor);
        let Some(first) = programs.clone().next() else {
            return FileFate::Lost("an output validator that is not used");
        };
        let owner = programs.find(|program| item.path.starts_with(&*program.path));
        match (self.to.is_2025_09(), owner) {
            // All output validators must accept, which only legacy can express.
            (true, Some(program)) if program != first => FileFate::Omit,
            (true, _) => FileFate::Keep(format!("output_validator/{rest}")),
            (false, _) if first.path == self.tree.path("output_validator") => {
                FileFate::Keep(format!("output_validators/output_validator/{rest}"))
            }
            (false, _) => FileFate::Keep(format!("output_validators/{rest}")),
        }
    }

    fn submission_fate(&self, item: &PackageEntry, rest: &str) -> FileFate {
        let mut submissions = self.problem.submissions.iter();
        let owner = submissions.find(|submission| item.path.starts_with(&*submission.program.path));
        match owner {
            // Legacy accepts a submission that has some points.
            Some(owner) if !self.to.is_2025_09() && submissions::has_some_points(owner) => {
                let name = rest.split_once('/').map_or(rest, |(_, name)| name);
                let name = format!("submissions/partially_accepted/{name}");
                let is_free = self.tree.file(&name).is_none();
                FileFate::Keep(if is_free { name } else { item.name.clone() })
            }
            Some(_) => FileFate::Keep(item.name.clone()),
            None if rest == "submissions.yaml" => FileFate::Omit,
            None if rest.starts_with("README") => FileFate::Keep(item.name.clone()),
            None => FileFate::Lost("a file that is not a submission"),
        }
    }

    fn data_fate(&self, item: &PackageEntry, cases: &BTreeSet<String>) -> FileFate {
        let name = item.name.as_str();
        let keep = || FileFate::Keep(name.to_owned());
        let is_new = self.to.is_2025_09();
        if matches!(item.base_name(), "testdata.yaml" | "test_group.yaml") {
            return FileFate::Omit;
        }
        if item.base_name().starts_with("README") {
            return keep();
        }
        if let Some((base, _)) = name.split_once(".files/") {
            return if !cases.contains(base) {
                FileFate::Lost(UNRELATED_FILE)
            } else if is_new {
                keep()
            } else {
                FileFate::Omit
            };
        }
        let endings = CASE_EXTENSIONS.into_iter().chain(["hint", "desc"]);
        let mut split =
            endings.filter_map(|end| Some((name.strip_suffix(end)?.strip_suffix('.')?, end)));
        let Some((base, ending)) = split.next() else { return FileFate::Lost(UNRELATED_FILE) };
        let is_shown = ending == "interaction" && name.starts_with("data/sample/");
        let is_judged = name.starts_with("data/sample/") || name.starts_with("data/secret/");
        match ending {
            _ if !cases.contains(base) && !is_shown => FileFate::Lost(UNRELATED_FILE),
            _ if !is_new && !is_judged => FileFate::Omit,
            "yaml" if self.problem.layout.format == "legacy" => FileFate::Lost(UNRELATED_FILE),
            "yaml" => FileFate::Omit,
            "hint" | "desc" if is_new => FileFate::Omit,
            "out" if !is_new => FileFate::Omit,
            "in.statement" | "ans.statement" | "in.download" | "ans.download" if !is_new => {
                FileFate::Lost(OTHER_SAMPLE_TEXT)
            }
            _ => keep(),
        }
    }

    pub(super) fn place_files(&mut self) {
        let problem = self.problem;
        let judged = problem.test_data.cases.iter().chain(&problem.test_data.invalid_inputs);
        for case in judged {
            let name = format!("data/{}", self.cases.new_name(&case.name));
            let TestCase { input, answer, .. } = case;
            self.add_file(input, format!("{name}.in"));
            if let Some(answer) = answer {
                self.add_file(answer, format!("{name}.ans"));
            }
        }
        let first = problem.interactor.iter().chain(&problem.output_validators).next();
        let directory = if self.to.is_2025_09() { "output_validator" } else { "output_validators" };
        first.into_iter().for_each(|program| self.place_program(program, directory));
        for program in &problem.input_validators {
            self.place_program(program, "input_validators");
        }
        if let Some(header) = self.testlib_header() {
            self.add_file(&header.clone(), format!("testlib/{}", file_name(&header)));
        }
        for IncludedFile { language, name, path, .. } in &problem.include {
            let language = language.as_deref().unwrap_or("default");
            self.add_file(path, format!("include/{language}/{}", name.display()));
        }
        for submission in &problem.submissions {
            let folder = submissions::folder_for(submission);
            self.place_program(&submission.program, &format!("submissions/{folder}"));
        }
        let is_left = |case: &&TestCase| {
            case.is_answer_shown && !self.cases.new_name(&case.name).starts_with("sample/")
        };
        let samples = problem.test_data.cases.iter().filter(is_left).count();
        if samples > 0 {
            let samples = juror_core::text::count(samples, "sample");
            let became = Some("secret test cases".to_owned());
            self.losses.add(problem.layout.settings, samples, became);
        }
        self.report_unplaced();
    }

    /// Places a program: in a directory of its own if other files belong to it, or if another has its name.
    fn place_program(&mut self, program: &Program, directory: &str) {
        let companions = self.companion_files(program);
        let alone = format!("{directory}/{}", program.name);
        let is_taken = |name: &str| {
            let mut rests = self.files.iter().filter_map(|file| file.name.strip_prefix(name));
            rests.any(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
        };
        let is_submission = program.kind == ProgramKind::Submission;
        if companions.is_empty() && !(is_submission && is_taken(&alone)) {
            return self.add_file(&program.path, alone);
        }
        let stem = program.name.split('.').next().unwrap_or_default();
        let own = first_free(format!("{directory}/{stem}"), |name| !is_taken(name));
        for (name, file) in companions {
            match &file.text {
                Some(text) => self.write_text(format!("{own}/{name}"), text.clone()),
                None => self.add_file(&file.path, format!("{own}/{name}")),
            }
        }
        self.add_file(&program.path, format!("{own}/{}", program.name));
        self.program_directories.insert((&program.path).into(), own);
    }

    /// The files that belong to a program alone, by name: headers of library-checker, CMS and sinol, and sources that
    /// call it.
    fn companion_files<'p>(&self, program: &'p Program) -> BTreeMap<String, &'p IncludedFile> {
        let source = || program.path.read_text(MAX_SIZE).unwrap_or_default();
        let is_submission = program.kind == ProgramKind::Submission;
        let code = Language::of_file(&program.path).map(|language| language.code);
        let has_headers = if is_of_library_checker(program) {
            !is_submission || source().contains("#include \"")
        } else {
            let is_testlib = self.problem.output_protocol == Protocol::Testlib;
            !is_submission && !is_testlib && matches!(code, Some("c" | "cpp"))
        };
        let is_source = |file: &IncludedFile| Language::of_file(&file.name).is_some();
        let mut others = program.include.iter().filter(|file| !self.problem.include.contains(file));
        if !has_headers && !others.any(is_source) {
            return BTreeMap::new();
        }
        let name = |file: &IncludedFile| {
            let name = file.name.to_string_lossy();
            name.strip_prefix("common/").unwrap_or(&name).to_owned()
        };
        // Files of the problem come after those for all problems.
        program.include.iter().map(|file| (name(file), file)).collect()
    }

    /// Reports files without a place as lost, once for each top directory.
    fn report_unplaced(&mut self) {
        let placed: BTreeSet<&FilePath> =
            self.files.iter().filter_map(PlannedFile::source).collect();
        let files = self.tree.below("").iter().filter(|item| item.is_file());
        let rest = files.filter(|item| {
            let is_settings = [self.problem.layout.settings, "juror.toml"].contains(&&*item.name);
            let is_used = self.used_files.contains(&item.path);
            !placed.contains(&item.path) && !is_used && !is_settings
        });
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for item in rest {
            *count.entry(item.name.split('/').next().unwrap_or_default()).or_default() += 1;
        }
        for (top, files) in count {
            let files = juror_core::text::count(files, "file");
            self.losses.add(top, format!("{files} that the format has no place for"), None);
        }
    }

    pub(super) fn testlib_header(&self) -> Option<FilePath> {
        let problem = self.problem;
        let output = problem.interactor.iter().chain(&problem.output_validators);
        let output = output.filter(|_| problem.output_protocol == Protocol::Testlib);
        let input = problem.input_validators.iter();
        let input = input.filter(|_| problem.input_protocol == Protocol::Testlib);
        let programs = output.chain(input).filter(|program| !is_of_library_checker(program));
        let files: Vec<&IncludedFile> = programs.flat_map(|program| &program.include).collect();
        let named = files.iter().find(|file| file.name.as_os_str() == "testlib.h");
        let header = named.or(files.last()).map(|file| &file.path);
        header.or(problem.generator_header.as_ref()).cloned()
    }
}

/// Whether juror made this page of the statement.
fn is_rendered(item: &PackageEntry) -> bool {
    item.path.read_text(MAX_SIZE).is_ok_and(|text| is_rendered_page(&text))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
