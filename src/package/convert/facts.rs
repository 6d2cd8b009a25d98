//! A problem as a flat list of facts that do not depend on the format. Two problems are equal if their facts are
//! equal; a conversion lost the facts that differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::language::table::{LIBRARY_CHECKER_CODE, Language};
use crate::model::grader::Objective;
use crate::model::limits::{CODE, MEMORY, OUTPUT, ProblemLimits, TIME};
use crate::model::problem::{
    Equivalent, Grading, Interaction, Problem, ProblemKind, ProgramIo, Submitted,
};
use crate::model::program::{IncludedFile, Program};
use crate::model::protocol::Protocol;
use crate::model::submission::{Expectation, Overall, UseForTimeLimit};
use crate::model::test_data::{StaticCase, TestCase, TestData, ValidatorArgs};
use crate::model::verdict::Verdict;
use crate::package::convert::cases::Cases;
use crate::package::convert::settings::languages;
use crate::package::convert::{Lost, rules};

/// Names of files and test cases in the new package.
pub(super) struct Names<'a> {
    pub root: &'a Path,
    /// New names of files and test cases; `None` for the new package itself.
    pub new: Option<(&'a BTreeMap<PathBuf, String>, &'a Cases)>,
}

impl Names<'_> {
    /// The name of a file, or of a directory with files in it; `None` if it is left out.
    pub(super) fn path(&self, path: &Path) -> Option<String> {
        let Some((files, _)) = self.new else {
            return Some(path.strip_prefix(self.root).ok()?.to_str()?.to_owned());
        };
        let (inside, name) = files.range(path.to_owned()..).next()?;
        let deeper = inside.strip_prefix(path).ok()?.components().count();
        let mut parts: Vec<&str> = name.split('/').collect();
        parts.truncate(parts.len().saturating_sub(deeper));
        Some(parts.join("/"))
    }

    /// Like `path`, but with the old name for a file that is left out.
    fn place(&self, path: &Path) -> String {
        let old = || path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().into_owned();
        self.path(path).unwrap_or_else(old)
    }

    /// The name of a test case or a group, below `data/`.
    fn case(&self, name: &str) -> String {
        self.new.map_or_else(|| name.to_owned(), |(_, cases)| cases.name(name))
    }

    /// A pattern of names of test cases.
    fn pattern(&self, pattern: &str) -> String {
        self.new.map_or_else(|| pattern.to_owned(), |(_, cases)| cases.pattern(pattern))
    }
}

/// Place and kind of a fact.
type Key = (String, String);

/// All facts of a problem.
pub(super) struct Facts<'a> {
    names: Names<'a>,
    found: BTreeMap<Key, String>,
    /// The test cases in judging order.
    order: Vec<String>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(problem: &Problem, names: Names<'a>) -> Self {
        let mut facts = Self { names, found: BTreeMap::new(), order: Vec::new() };
        facts.read(problem);
        facts
    }

    /// Adds a fact, unless its value is empty.
    fn say(&mut self, place: impl Into<String>, what: &str, value: impl Into<String>) {
        let value = value.into();
        if !value.is_empty() {
            self.found.insert((place.into(), what.to_owned()), value);
        }
    }

    /// Destructures the whole problem, so that no part is forgotten.
    fn read(&mut self, problem: &Problem) {
        let Problem {
            dir: _,
            layout: _,
            format_reason: _,
            short_name: _,
            names,
            kind,
            limits,
            // Both together are the languages of the new package.
            languages: _,
            unjudged: _,
            allow_file_writing,
            constants,
            io,
            test_data,
            graders,
            include,
            input_validators,
            input_protocol,
            answer_validators,
            output_validators,
            output_protocol,
            interactor,
            static_validator,
            input_grammars,
            submissions,
            recipe,
            generator_header,
            input_visualizer,
            output_visualizer,
            defines,
            // Their files are made before a package is converted.
            equivalents,
            unmade: _,
        } = problem;
        for (language, name) in names {
            self.say(SETTINGS, &format!("name in language {language}"), name);
        }
        self.kind(*kind);
        self.limits(limits);
        let languages = languages(problem).map(|codes| codes.join(" "));
        self.say(SETTINGS, "languages", languages.unwrap_or_default());
        let may_write = if *allow_file_writing { "true" } else { "false" };
        self.say(SETTINGS, "allow_file_writing", may_write);
        let constants: Vec<&str> = constants.iter().map(|it| it.key.as_str()).collect();
        self.say(SETTINGS, "constants", constants.join(" "));
        for Equivalent { subject, reason } in equivalents {
            self.say("juror.toml", &format!("equivalent {subject}"), reason.clone());
        }
        if let ProgramIo::Files { input, output } = io {
            self.say("juror.toml", "input and output files", format!("{input} and {output}"));
        }
        self.say(SETTINGS, "defined names", defines.join(" "));
        self.data(test_data);
        for group in rules::scored(problem) {
            let place = format!("data/{}", self.names.case(group.name));
            self.say(&place, "score", group.rule.to_string());
            let most = group.most.map(|most| most.to_string());
            self.say(&place, GREATEST, most.unwrap_or_default());
            let required: Vec<String> =
                group.require_pass.iter().map(|it| self.names.case(it)).collect();
            self.say(&place, "require_pass", required.join(" "));
        }
        if let Some(graders) = graders {
            for group in &graders.groups {
                let place = format!("data/{}", self.names.case(&group.name));
                let place = place.trim_end_matches('/');
                self.say(place, "verdict", rules::verdict(&group.grading).unwrap_or_default());
            }
            self.say("data", "samples", rules::whole(problem, graders).unwrap_or_default());
            if rules::may_lose_all(problem, graders) {
                self.say("data", "points of a submission that is rejected as a whole", "none");
            }
            if graders.objective == Objective::Min {
                self.say(SETTINGS, "best score", "the least");
            }
            self.programs("grader", graders.custom.as_slice(), Protocol::Standard);
        }
        // These constants are those of the problem, and included files are listed here.
        for IncludedFile { language, name, path, constants: _, text: _ } in include {
            let language = language.as_deref().unwrap_or("all languages");
            let value = format!("{} for {language}", name.display());
            self.file(path, "included file", value);
        }
        self.programs("input validator", input_validators, *input_protocol);
        self.programs("answer validator", answer_validators, Protocol::Standard);
        self.programs("output validator", output_validators, *output_protocol);
        self.programs("interactor", interactor.as_slice(), *output_protocol);
        self.programs("static validator", static_validator.as_slice(), Protocol::Standard);
        self.programs("input visualizer", input_visualizer.as_slice(), Protocol::Standard);
        self.programs("output visualizer", output_visualizer.as_slice(), Protocol::Standard);
        for grammar in input_grammars {
            self.file(&grammar.path, "grammar of the input", &grammar.name);
        }
        // Only such groups decide every verdict on the whole: then AC means that each test case is accepted.
        let is_plain = graders.as_ref().is_none_or(|graders| {
            let mut groups = graders.groups.iter();
            groups.all(|group| rules::verdict(&group.grading).is_none_or(|it| it == rules::WORST))
        });
        for submission in submissions {
            self.programs(
                "submission",
                std::slice::from_ref(&submission.program),
                Protocol::Standard,
            );
            let rules = submission.expectations.iter();
            let (some, all): (Vec<_>, Vec<_>) = rules.partition(|rule| rule.cases.is_some());
            for (what, rules) in [("expected", all), (ON_SOME, some)] {
                let rules = rules.into_iter();
                let said: BTreeSet<String> =
                    rules.filter_map(|rule| expected(rule, is_plain, &self.names)).collect();
                let said: Vec<String> = said.into_iter().collect();
                self.file(&submission.program.path, what, said.join("; "));
            }
        }
        for (what, path) in [("recipe", recipe), ("header of generators", generator_header)] {
            if let Some(path) = path {
                self.file(path, what, "as it is");
            }
        }
    }

    /// A fact about a file or directory.
    fn file(&mut self, path: &Path, what: &str, value: impl Into<String>) {
        self.say(self.names.place(path), what, value);
    }

    fn kind(&mut self, kind: ProblemKind) {
        let ProblemKind { grading, submitted, interaction, passes } = kind;
        let are_answers = submitted == Submitted::Answers;
        for (is_so, what, value) in [
            (are_answers, "submitted", "answers instead of programs"),
            (grading == Grading::Scoring, "type", "scoring"),
            (interaction == Interaction::Interactive, "interactive", "true"),
            (passes > 1, "passes", &passes.to_string()),
        ] {
            self.say(SETTINGS, what, if is_so { value } else { "" });
        }
    }

    fn limits(&mut self, limits: &ProblemLimits) {
        let ProblemLimits {
            time_limit,
            ac_to_time_limit,
            time_limit_to_tle,
            time_resolution,
            memory,
            output,
            unlimited_talk,
            code,
            compilation_time,
            compilation_memory,
            // The kind of the problem already says it.
            validation_passes: _,
            validation_time,
            validation_memory,
            validation_output,
        } = limits;
        let mut say = |what: &str, value: String| {
            self.say(SETTINGS, &format!("limits.{what}"), value);
        };
        let measured = || format!("measured, in steps of {}", exact(*time_resolution));
        say("time_limit", time_limit.map_or_else(measured, exact));
        say("time_multipliers.ac_to_time_limit", ac_to_time_limit.to_string());
        say("time_multipliers.time_limit_to_tle", time_limit_to_tle.to_string());
        say("memory", memory.unwrap_or(MEMORY).to_string());
        say(
            "output",
            if *unlimited_talk {
                "none for what is said in an interaction".to_owned()
            } else {
                output.unwrap_or(OUTPUT).to_string()
            },
        );
        say("code", code.unwrap_or(CODE).to_string());
        say("compilation_time", exact(compilation_time.unwrap_or(TIME)));
        say("compilation_memory", compilation_memory.unwrap_or(MEMORY).to_string());
        say("validation_time", exact(validation_time.unwrap_or(TIME)));
        say("validation_memory", validation_memory.unwrap_or(MEMORY).to_string());
        say("validation_output", validation_output.unwrap_or(OUTPUT).to_string());
    }

    fn data(&mut self, data: &TestData) {
        let TestData {
            // The facts of test cases and scores cover groups.
            groups: _,
            cases,
            static_cases,
            valid_inputs,
            invalid_inputs,
            invalid_answers,
            valid_outputs,
            invalid_outputs,
            output_trials,
        } = data;
        self.order = cases.iter().map(|case| self.names.case(&case.name)).collect();
        let others =
            [valid_inputs, invalid_inputs, invalid_answers, valid_outputs, invalid_outputs];
        for case in cases.iter().chain(others.into_iter().flatten()) {
            self.case(case);
        }
        for trial in output_trials {
            let place = self.names.case(&trial.test_case.name);
            self.say(place, "test of the checker", format!("{:?}", trial.claim).to_lowercase());
        }
        for StaticCase { group, max_score, args, test_case: _ } in static_cases {
            let place = format!("data/{}", self.names.case(group));
            let points = max_score.map_or("passed or not".to_owned(), |it| format!("up to {it}"));
            self.say(place, "static validation", format!("{points} {}", args.join(" ")).trim());
        }
    }

    fn case(&mut self, case: &TestCase) {
        let TestCase {
            name,
            input,
            answer,
            output,
            interaction,
            files,
            args,
            input_validator_args,
            output_validator_args,
            input_visualizer_args,
            output_visualizer_args,
            // It follows from which files exist.
            is_answer_shown: _,
            // The score of the group covers them.
            points: _,
            validator_points: _,
        } = case;
        let place = format!("data/{}", self.names.case(name));
        if self.names.path(input).is_none() {
            // Other formats keep such test cases outside of data/.
            let is_here = place.starts_with("data/invalid_") || place.starts_with("data/valid_");
            let place = if is_here { place } else { name.clone() };
            self.say(place, "test case", "only for validators");
            return;
        }
        let parts = [
            ("input", Some(input)),
            ("judge answer", answer.as_ref()),
            ("output", output.as_ref()),
            ("interaction", interaction.as_ref()),
        ];
        for (what, path) in parts {
            let Some(path) = path else { continue };
            let known = self.names.path(path);
            self.say(&place, what, known.unwrap_or_else(|| "left out".to_owned()));
        }
        for file in files {
            self.say(&place, &format!("file {}", file.name.display()), "in its working directory");
        }
        self.say(&place, "arguments of submissions", words(args));
        let validator_args = match input_validator_args {
            ValidatorArgs::All(args) => words(args),
            ValidatorArgs::ByName(by_name) => {
                let by_name = by_name.iter().filter(|(_, args)| !args.is_empty());
                let by_name: Vec<String> =
                    by_name.map(|(name, args)| format!("{name}: {}", words(args))).collect();
                by_name.join("; ")
            }
        };
        self.say(&place, "arguments of input validators", validator_args);
        self.say(&place, "arguments of the output validator", words(output_validator_args));
        self.say(&place, "arguments of the input visualizer", words(input_visualizer_args));
        self.say(&place, "arguments of the output visualizer", words(output_visualizer_args));
    }

    fn programs(&mut self, what: &str, programs: &[Program], protocol: Protocol) {
        for Program {
            name: _,
            path,
            kind: _,
            language,
            entry_point,
            include,
            constants,
            defines,
            package: _,
            without: _,
        } in programs
        {
            let mut value = vec![match protocol {
                Protocol::Standard => "program".to_owned(),
                Protocol::Testlib => "program with testlib".to_owned(),
                Protocol::Cms => "program of CMS".to_owned(),
                Protocol::Sinol => "program of sinol".to_owned(),
            }];
            // In other formats, such a program is a directory with these files.
            let is_directory = language.as_deref() == Some(LIBRARY_CHECKER_CODE)
                || matches!(protocol, Protocol::Cms | Protocol::Sinol);
            let stated = [language, entry_point].map(|it| it.as_ref().filter(|_| !is_directory));
            let [language, entry_point] = stated;
            value.extend(language.map(|it| format!("in {it}")));
            value.extend(entry_point.map(|it| format!("starting {it}")));
            let beside = include.iter().filter(|_| !is_directory);
            let mut beside: Vec<String> = beside.map(|it| it.name.display().to_string()).collect();
            beside.sort();
            beside.dedup();
            // Files for every submission are listed once. Only C and C++ use the files beside a source.
            let code = Language::of_file(path).filter(|_| path.is_file()).map(|it| it.code);
            let looks = code.is_none_or(|code| ["c", "cpp"].contains(&code));
            if !beside.is_empty() && what != "submission" && looks {
                value.push(format!("with {}", beside.join(" ")));
            }
            if what != "submission" && !defines.is_empty() {
                value.push(format!("with {} defined", defines.join(" ")));
            }
            let _said_of_the_settings = constants;
            self.file(path, what, value.join(" "));
        }
    }
}

/// The greatest score of a group whose rule does not say it.
const GREATEST: &str = "greatest score";

/// A fact with many rules, which are too long to show.
const ON_SOME: &str = "rules about single test cases";

/// The file of the settings.
const SETTINGS: &str = "problem.yaml";

fn exact(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// Words as lists show them: those with whitespace are quoted.
fn words(words: &[String]) -> String {
    let quoted = |word: &String| {
        if word.is_empty() || word.contains(char::is_whitespace) {
            format!("{word:?}")
        } else {
            word.clone()
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// What a rule expects; `None` if it expects nothing.
fn expected(rule: &Expectation, is_plain: bool, names: &Names<'_>) -> Option<String> {
    let Expectation {
        pattern: _,
        cases,
        permitted,
        required,
        score,
        overall,
        message,
        use_for_time_limit,
        place: _,
    } = rule;
    let mut said = Vec::new();
    let mut permitted = permitted.clone().filter(|it| it.len() < ALL.len());
    let mut overall = overall.as_ref();
    let right = Overall { verdicts: vec![Verdict::Accepted], is_partial: false };
    if is_plain && overall == Some(&right) {
        permitted = Some(right.verdicts.clone());
        overall = None;
    }
    said.extend(permitted.map(|it| format!("{} on each test case", list(&it))));
    said.extend(required.as_ref().map(|it| format!("{} on some test case", list(it))));
    said.extend(overall.map(|Overall { verdicts, is_partial }| {
        let part = if *is_partial { ", and not the best score" } else { "" };
        format!("{} as a whole{part}", list(verdicts))
    }));
    said.extend(score.map(|score| format!("score {score}")));
    said.extend(message.as_ref().map(|message| format!("message `{message}`")));
    said.extend(match use_for_time_limit {
        UseForTimeLimit::AsExpected => None,
        UseForTimeLimit::Never if said.is_empty() => None,
        UseForTimeLimit::Never => Some("not used for the time limit".to_owned()),
        UseForTimeLimit::Lower => Some("the time limit must be above it".to_owned()),
        UseForTimeLimit::Upper => Some("the time limit must be below it".to_owned()),
    });
    let on = cases.as_ref().map(|cases| format!("on {}: ", names.pattern(cases)));
    (!said.is_empty()).then(|| on.unwrap_or_default() + &said.join(", "))
}

/// The verdicts that a rule can expect.
pub(super) const ALL: [Verdict; 4] =
    [Verdict::Accepted, Verdict::WrongAnswer, Verdict::TimeLimitExceeded, Verdict::RunTimeError];

fn list(verdicts: &[Verdict]) -> String {
    use Verdict::{CompileError, MemoryLimitExceeded, OutputLimitExceeded};
    let of_other_formats = [MemoryLimitExceeded, OutputLimitExceeded, CompileError];
    let all = ALL.into_iter().chain(of_other_formats);
    let named = all.filter(|it| verdicts.contains(it)).map(Verdict::short);
    named.collect::<Vec<_>>().join(" or ")
}

/// Adds the facts that no longer hold, and those that replace them.
pub(super) fn compare(old: &Facts<'_>, new: &Facts<'_>, lost: &mut Lost) {
    let keys: BTreeSet<&Key> = old.found.keys().chain(new.found.keys()).collect();
    for key in keys {
        let [was, is] = [&old.found, &new.found].map(|found| found.get(key));
        if was != is {
            let (place, what) = key;
            // The new rule says it.
            if what == GREATEST && is.is_none() {
                continue;
            }
            if what == ON_SOME {
                lost.add(place, ON_SOME, is.map(|_| "other rules".to_owned()));
                continue;
            }
            let what =
                was.map_or_else(|| format!("{what}: nothing"), |was| format!("{what}: {was}"));
            // The plan may already know the replacement of something that the problem cannot express.
            if !lost.names(place, &what) {
                lost.add(place, what, is.cloned());
            }
        }
    }
    order(&old.order, &new.order, lost);
}

/// Names the first two test cases whose order changes.
fn order(old: &[String], new: &[String], lost: &mut Lost) {
    let places: BTreeMap<&String, usize> = new.iter().zip(0..).collect();
    let kept: Vec<(&String, usize)> =
        old.iter().filter_map(|name| Some((name, *places.get(name)?))).collect();
    if let Some(turned) = kept.windows(2).find(|pair| pair[0].1 > pair[1].1) {
        let [first, second] = [turned[0].0, turned[1].0];
        let what = format!("order of test cases: {first} before {second}");
        lost.add("data", what, Some(format!("{second} before {first}")));
    }
}
