//! Where the files of a package go in another format.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::language::table::{LIBRARY_CHECKER_CODE, Language};
use crate::model::program::{IncludedFile, Program, ProgramKind};
use crate::model::protocol::Protocol;
use crate::model::recipe::CASE_EXTENSIONS;
use crate::model::root::FilePath;
use crate::model::test_data::TestCase;
use crate::package::convert::cases::{directory, first_free, last, valid};
use crate::package::convert::{Contents, PlannedFile, Planner, is_kattis, submissions};
use crate::package::files::Item;
use crate::package::text::MAX_SIZE;

pub(super) fn is_of_library_checker(program: &Program) -> bool {
    program.language.as_deref() == Some(LIBRARY_CHECKER_CODE)
}

enum Fate {
    Keep(String),
    /// Written anew, or the facts of the problem show that it is missing.
    Told,
    Lost(&'static str),
}

pub(super) const SHOWN_INSTEAD: &str = "a text that contestants see instead of the test case's";

const STRANGER: &str = "a file that belongs to no test case";

impl Planner<'_> {
    pub(super) fn keep_files(&mut self) {
        let data = &self.problem.test_data;
        let cases = data.cases.iter().chain(data.examples());
        let cases: BTreeSet<String> = cases.map(|case| format!("data/{}", case.name)).collect();
        for item in self.tree.below("").iter().filter(|item| item.is_file()) {
            match self.fate(item, &cases) {
                Fate::Keep(name) => self.keep(&item.path, name),
                Fate::Told => {}
                Fate::Lost(what) => self.leave_out(&item.name, what),
            }
        }
    }

    /// Copies a file, under a valid name and with its constants filled in.
    fn keep(&mut self, path: &FilePath, name: String) {
        let allowed = self.allowed(&name);
        if allowed != name {
            let what = "a name that the format does not allow";
            self.lost.add(&name, what, Some(allowed.clone()));
        }
        let constants = &self.problem.constants;
        let is_data = name.starts_with("data/") || name.starts_with("attachments/");
        let path = path.clone();
        let contents = if self.to.is_new() || constants.is_empty() || is_data {
            Contents::Copy(path)
        } else {
            Contents::Filled(path, constants.clone())
        };
        self.files.push(PlannedFile { name: allowed, contents });
    }

    /// The name itself, or the nearest one that is allowed and free.
    fn allowed(&self, name: &str) -> String {
        let of_case = name.strip_prefix("data/").filter(|_| is_kattis(self.problem));
        if let Some(name) = of_case.and_then(|name| self.cases.of_file(name)) {
            return valid(&format!("data/{name}"), self.to.is_new());
        }
        let allowed = valid(name, self.to.is_new());
        // A directory as a whole gets no other name, so that its files stay together.
        if allowed == name || directory(&allowed) != directory(name) {
            return allowed;
        }
        let start = allowed.len() - last(&allowed).len();
        let end = allowed[start..].find('.').map_or(allowed.len(), |at| start + at);
        let (stem, ending) = allowed.split_at(end);
        let is_free = |stem: &str| {
            let name = format!("{stem}{ending}");
            self.tree.get(&name).is_none() && self.files.iter().all(|file| file.name != name)
        };
        first_free(stem.to_owned(), is_free) + ending
    }

    fn fate(&self, item: &Item, cases: &BTreeSet<String>) -> Fate {
        let name = item.name.as_str();
        let (top, rest) = name.split_once('/').unwrap_or((name, ""));
        let is_new = self.to.is_new();
        let keep = |dir: &str| Fate::Keep(format!("{dir}/{rest}"));
        match top {
            "problem.yaml" | "domjudge-problem.ini" | ".timelimit" | "juror.toml" => Fate::Told,
            "problem_statement" | "statement" if is_new => {
                let name = rest.strip_prefix("problem.").filter(|it| !it.contains(['.', '/']));
                let name = name.map(|ending| format!("statement/problem.en.{ending}"));
                name.map_or_else(|| keep("statement"), Fate::Keep)
            }
            "problem_statement" | "statement" => keep("problem_statement"),
            "input_format_validators" => keep("input_validators"),
            "output_validator" | "output_validators" => self.output_validator(item, rest),
            "graders" if is_new => match self.problem.graders.as_ref().map(|it| &it.custom) {
                Some(Some(_)) => Fate::Told,
                _ => Fate::Lost("a grader that is not used"),
            },
            "static_validator" | "input_visualizer" | "output_visualizer" if !is_new => Fate::Told,
            "attachments" if is_new && rest.contains('/') && !rest.starts_with("templates/") => {
                Fate::Lost("an attachment in a directory")
            }
            "submissions" => self.submission(item, rest),
            "data" => self.data(item, cases),
            _ => Fate::Keep(name.to_owned()),
        }
    }

    fn output_validator(&self, item: &Item, rest: &str) -> Fate {
        let problem = self.problem;
        let mut programs = problem.output_validators.iter().chain(&problem.interactor);
        let Some(first) = programs.clone().next() else {
            return Fate::Lost("an output validator that is not used");
        };
        let owner = programs.find(|program| item.path.starts_with(&*program.path));
        match (self.to.is_new(), owner) {
            // All output validators must accept, which only legacy can express.
            (true, Some(program)) if program != first => Fate::Told,
            (true, _) => Fate::Keep(format!("output_validator/{rest}")),
            (false, _) if first.path == self.tree.path("output_validator") => {
                Fate::Keep(format!("output_validators/output_validator/{rest}"))
            }
            (false, _) => Fate::Keep(format!("output_validators/{rest}")),
        }
    }

    fn submission(&self, item: &Item, rest: &str) -> Fate {
        let mut submissions = self.problem.submissions.iter();
        let owner = submissions.find(|it| item.path.starts_with(&*it.program.path));
        match owner {
            // Legacy accepts a submission that has some points.
            Some(owner) if !self.to.is_new() && submissions::has_some_points(owner) => {
                let name = rest.split_once('/').map_or(rest, |(_, name)| name);
                let name = format!("submissions/partially_accepted/{name}");
                let is_free = self.tree.file(&name).is_none();
                Fate::Keep(if is_free { name } else { item.name.clone() })
            }
            Some(_) => Fate::Keep(item.name.clone()),
            None if rest == "submissions.yaml" => Fate::Told,
            None if rest.starts_with("README") => Fate::Keep(item.name.clone()),
            None => Fate::Lost("a file that is not a submission"),
        }
    }

    fn data(&self, item: &Item, cases: &BTreeSet<String>) -> Fate {
        let name = item.name.as_str();
        let keep = || Fate::Keep(name.to_owned());
        let is_new = self.to.is_new();
        if matches!(item.base_name(), "testdata.yaml" | "test_group.yaml") {
            return Fate::Told;
        }
        if item.base_name().starts_with("README") {
            return keep();
        }
        if let Some((base, _)) = name.split_once(".files/") {
            return if !cases.contains(base) {
                Fate::Lost(STRANGER)
            } else if is_new {
                keep()
            } else {
                Fate::Told
            };
        }
        let endings = CASE_EXTENSIONS.into_iter().chain(["hint", "desc"]);
        let mut split =
            endings.filter_map(|it| Some((name.strip_suffix(it)?.strip_suffix('.')?, it)));
        let Some((base, ending)) = split.next() else { return Fate::Lost(STRANGER) };
        let is_shown = ending == "interaction" && name.starts_with("data/sample/");
        let is_judged = name.starts_with("data/sample/") || name.starts_with("data/secret/");
        match ending {
            _ if !cases.contains(base) && !is_shown => Fate::Lost(STRANGER),
            _ if !is_new && !is_judged => Fate::Told,
            "yaml" if self.problem.layout.format == "legacy" => Fate::Lost(STRANGER),
            "yaml" => Fate::Told,
            "hint" | "desc" if is_new => Fate::Told,
            "out" if !is_new => Fate::Told,
            "in.statement" | "ans.statement" | "in.download" | "ans.download" if !is_new => {
                Fate::Lost(SHOWN_INSTEAD)
            }
            _ => keep(),
        }
    }

    pub(super) fn place_files(&mut self) {
        let problem = self.problem;
        let judged = problem.test_data.cases.iter().chain(&problem.test_data.invalid_inputs);
        for case in judged {
            let name = format!("data/{}", self.cases.name(&case.name));
            let TestCase { input, answer, .. } = case;
            self.keep(input, format!("{name}.in"));
            if let Some(answer) = answer {
                self.keep(answer, format!("{name}.ans"));
            }
        }
        let first = problem.interactor.iter().chain(&problem.output_validators).next();
        let directory = if self.to.is_new() { "output_validator" } else { "output_validators" };
        first.into_iter().for_each(|program| self.place_program(program, directory));
        for program in &problem.input_validators {
            self.place_program(program, "input_validators");
        }
        if let Some(header) = self.testlib_header() {
            self.keep(&header.clone(), format!("testlib/{}", file_name(&header)));
        }
        for IncludedFile { language, name, path, .. } in &problem.include {
            let language = language.as_deref().unwrap_or("default");
            self.keep(path, format!("include/{language}/{}", name.display()));
        }
        for submission in &problem.submissions {
            let folder = submissions::folder(submission);
            self.place_program(&submission.program, &format!("submissions/{folder}"));
        }
        let is_left = |case: &&TestCase| {
            case.is_answer_shown && !self.cases.name(&case.name).starts_with("sample/")
        };
        let samples = problem.test_data.cases.iter().filter(is_left).count();
        if samples > 0 {
            let samples = crate::model::text::count(samples, "sample");
            let became = Some("secret test cases".to_owned());
            self.lost.add(problem.layout.settings, samples, became);
        }
        self.name_rest();
    }

    /// Places a program: in a directory of its own if other files belong to it, or if another has its name.
    fn place_program(&mut self, program: &Program, directory: &str) {
        let beside = self.beside(program);
        let alone = format!("{directory}/{}", program.name);
        let is_taken = |name: &str| {
            let mut rests = self.files.iter().filter_map(|file| file.name.strip_prefix(name));
            rests.any(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
        };
        let is_submission = program.kind == ProgramKind::Submission;
        if beside.is_empty() && !(is_submission && is_taken(&alone)) {
            return self.keep(&program.path, alone);
        }
        let stem = program.name.split('.').next().unwrap_or_default();
        let own = first_free(format!("{directory}/{stem}"), |name| !is_taken(name));
        for (name, file) in beside {
            match &file.text {
                Some(text) => self.write(format!("{own}/{name}"), text.clone()),
                None => self.keep(&file.path, format!("{own}/{name}")),
            }
        }
        self.keep(&program.path, format!("{own}/{}", program.name));
        self.directories.insert((&program.path).into(), own);
    }

    /// The files that belong to a program alone, by name: headers of library-checker, CMS and sinol, and sources that
    /// call it.
    fn beside<'p>(&self, program: &'p Program) -> BTreeMap<String, &'p IncludedFile> {
        let source = || program.path.text(MAX_SIZE).unwrap_or_default();
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
    fn name_rest(&mut self) {
        let placed: BTreeSet<&FilePath> =
            self.files.iter().filter_map(PlannedFile::source).collect();
        let files = self.tree.below("").iter().filter(|item| item.is_file());
        let rest = files.filter(|item| {
            let is_settings = [self.problem.layout.settings, "juror.toml"].contains(&&*item.name);
            let is_used = self.used.contains(&item.path);
            !placed.contains(&item.path) && !is_used && !is_settings
        });
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for item in rest {
            *count.entry(item.name.split('/').next().unwrap_or_default()).or_default() += 1;
        }
        for (top, files) in count {
            let files = crate::model::text::count(files, "file");
            self.lost.add(top, format!("{files} that the format has no place for"), None);
        }
    }

    pub(super) fn testlib_header(&self) -> Option<FilePath> {
        let problem = self.problem;
        let output = problem.interactor.iter().chain(&problem.output_validators);
        let output = output.filter(|_| problem.output_protocol == Protocol::Testlib);
        let input = problem.input_validators.iter();
        let input = input.filter(|_| problem.input_protocol == Protocol::Testlib);
        let programs = output.chain(input).filter(|program| !is_of_library_checker(program));
        let files: Vec<&IncludedFile> = programs.flat_map(|it| &it.include).collect();
        let named = files.iter().find(|file| file.name.as_os_str() == "testlib.h");
        let header = named.or(files.last()).map(|file| &file.path);
        header.or(problem.generator_header.as_ref()).cloned()
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
