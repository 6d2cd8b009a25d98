//! `problem.yaml` in another format, and the files next to it: `juror.toml`, `domjudge-problem.ini`, `.timelimit`.
//!
//! Keys are made from the problem, not from the old file: so a default that differs between formats is written out.
//! The old file is read only for what judging does not need, such as credits, and to report keys that are left out.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use crate::package::convert::old_settings::{OldSettings, item_texts, read_settings};
use crate::package::convert::rules::{self, ScoredGroup};
use crate::package::convert::{Planner, is_kattis, map, plain, text, texts};
use crate::package::kattis::LICENSES;
use crate::package::languages::is_natural_language;
use crate::package::text::MAX_SIZE;
use crate::package::yaml::RawValue;
use crate::package::yaml_text;
use juror_core::blob::Blob;
use juror_core::check::options::{comparison_name, is_of_validator};
use juror_core::grader::Objective;
use juror_core::language::table::LANGUAGES;
use juror_core::limits::{PROGRAM_MEMORY, ProblemLimits};
use juror_core::problem::{
    EquivalentMutant, Grading, Interaction, Problem, ProblemKind, ProgramIo, SubmittedContent,
};
use juror_core::protocol::Protocol;
use juror_core::score::{Aggregation, CustomScore};
use juror_core::text::uuid;
use juror_core::units::Bytes;

pub(super) const TIME_LIMIT: &str = ".timelimit";

const DOMJUDGE_INI: &str = "domjudge-problem.ini";

pub const SETTINGS: &str = "problem.yaml";

pub(super) type SettingsKeys = Vec<(&'static str, RawValue)>;

/// The languages of the new package; `None` for all.
pub fn judged_languages(problem: &Problem) -> Option<Vec<String>> {
    let is_judged = |code: &str| !problem.unjudged.iter().any(|unjudged| unjudged == code);
    let all = || LANGUAGES.iter().map(|language| language.code.to_owned()).collect();
    let mut codes = match &problem.languages {
        None if problem.unjudged.is_empty() => return None,
        None => all(),
        Some(codes) => codes.clone(),
    };
    codes.retain(|code: &String| is_judged(code));
    Some(codes)
}

/// Keys of `problem.yaml` that are read, written anew or reported one by one. `data` handles those of `grading`.
const HANDLED_KEYS: &str = "\
    problem_format_version name uuid type version credits author source source_url license rights_owner \
    embargo_until keywords limits languages allow_file_writing constants validation validator_flags grading \
    problem_type judgement_type submission_type domjudge";

impl Planner<'_> {
    pub(super) fn write_settings(&mut self) {
        let path = self.problem.dir.join(SETTINGS);
        let file = is_kattis(self.problem).then(|| read_settings(&path)).flatten();
        let old = OldSettings(file.unwrap_or_else(|| map(SettingsKeys::new())));
        let keys = if self.to.is_2025_09() {
            self.settings_of_2025_09(&old)
        } else {
            self.legacy_settings(&old)
        };
        for entry in old.0.entries() {
            if !HANDLED_KEYS.split(' ').any(|known| known == entry.key) {
                self.leave_out(SETTINGS, format!("key `{}`", entry.key));
            }
        }
        self.write_text(SETTINGS, yaml_text::write(&map(keys)));
        if let Some(text) = self.juror_toml() {
            self.write_text("juror.toml", text);
        }
        self.report_additions();
        let is_scoring = self.problem.kind.grading == Grading::Scoring;
        if let Some(limit) = self.problem.limits.time_limit
            && !self.to.is_2025_09()
            // In problems with scores, the file would change how other judges score groups.
            && !is_scoring
        {
            self.write_text(TIME_LIMIT, format!("{}\n", limit.as_secs_f64()));
        }
    }

    /// Reports files that are kept although the format does not have them, or gives them another meaning.
    fn report_additions(&mut self) {
        let problem = self.problem;
        if let Some(path) = &problem.recipe {
            let became = self.convert_recipe(path);
            self.losses.add(self.old_name(path), "recipe", Some(became));
        }
        if self.to.is_2025_09() {
            return;
        }
        let only_juror = || Some("the same; only juror knows it in this format".to_owned());
        for program in &problem.answer_validators {
            self.losses.add(self.old_name(&program.path), "answer validator", only_juror());
        }
        if problem.include.iter().any(|file| file.language.is_none()) {
            self.losses.add("include/default", "files for every language", only_juror());
        }
    }

    pub(super) fn old_name(&self, path: &Path) -> String {
        let name = path.strip_prefix(&*self.problem.dir).unwrap_or(path);
        name.to_string_lossy().into_owned()
    }

    fn settings_of_2025_09(&mut self, old: &OldSettings) -> SettingsKeys {
        let problem = self.problem;
        let mut keys: SettingsKeys = vec![("problem_format_version", text("2025-09"))];
        keys.extend(self.names_by_language().map(|names| ("name", names)));
        let uuid = self.text_of(old, "uuid").unwrap_or_else(|| {
            let uuid = self.new_uuid();
            self.losses.add(SETTINGS, "uuid: nothing", Some(uuid.clone()));
            uuid
        });
        keys.push(("uuid", text(uuid)));
        keys.push(("type", texts(type_words(problem.kind))));
        let copied = ["version", "credits", "embargo_until"];
        keys.extend(copied.iter().filter_map(|key| Some((*key, old.value(key)?.clone()))));
        self.add_2025_09_people(old, &mut keys);
        keys.extend(old.value("keywords").map(|keywords| ("keywords", keyword_list(keywords))));
        self.add_license(old, &mut keys);
        keys.push(("limits", self.limits_map()));
        keys.extend(judged_languages(problem).map(|codes| ("languages", texts(codes))));
        let may_write = problem.allow_file_writing;
        keys.push(("allow_file_writing", plain(may_write)));
        keys.extend(old.value("constants").map(|constants| ("constants", constants.clone())));
        if old.value("grading").is_some_and(|keys| keys.get("show_test_data_groups").is_some()) {
            self.leave_out(SETTINGS, "grading.show_test_data_groups");
        }
        keys
    }

    fn legacy_settings(&mut self, old: &OldSettings) -> SettingsKeys {
        let problem = self.problem;
        let mut keys: SettingsKeys = vec![("problem_format_version", text("legacy"))];
        match &problem.names[..] {
            [] => {}
            [(_, name)] => keys.push(("name", text(name))),
            names => keys.push(("name", map(names.iter().map(|(code, name)| (code, text(name)))))),
        }
        let is_scoring = problem.kind.grading == Grading::Scoring;
        keys.push(("type", text(if is_scoring { "scoring" } else { "pass-fail" })));
        let mut validation = vec!["default"];
        if !problem.output_validators.is_empty() || problem.interactor.is_some() {
            validation = vec!["custom"];
            validation.extend(self.gives_score().then_some("score"));
            let is_interactive = problem.kind.interaction == Interaction::Interactive;
            validation.extend(is_interactive.then_some("interactive"));
            validation.extend((problem.kind.passes > 1).then_some("multi-pass"));
        }
        keys.push(("validation", text(validation.join(" "))));
        if let Some(flags) = self.common_output_flags() {
            keys.push(("validator_flags", text(flags.join(" "))));
        }
        if problem.graders.as_ref().is_some_and(|graders| graders.objective == Objective::Min) {
            keys.push(("grading", map([("objective", text("min"))])));
        }
        keys.push(("limits", self.limits_map()));
        self.add_legacy_people(old, &mut keys);
        let copied = ["license", "rights_owner", "uuid"];
        keys.extend(copied.iter().filter_map(|key| Some((*key, old.value(key)?.clone()))));
        if let Some(keywords) = old.value("keywords") {
            let keywords = item_texts(keywords);
            if keywords.iter().any(|word| word.contains(char::is_whitespace)) {
                self.losses.add(SETTINGS, "keywords with blanks", Some("several words".to_owned()));
            }
            keys.push(("keywords", text(keywords.join(" "))));
        }
        for key in ["version", "embargo_until"].into_iter().filter(|key| old.value(key).is_some()) {
            self.leave_out(SETTINGS, format!("key `{key}`"));
        }
        if !problem.constants.is_empty() {
            let mut names: Vec<&str> =
                problem.constants.iter().map(|constant| constant.key.as_str()).collect();
            names.sort_unstable();
            let became = "their values in the files".to_owned();
            self.losses.add(SETTINGS, format!("constants: {}", names.join("; ")), Some(became));
        }
        if let Some(codes) = judged_languages(problem) {
            keys.push(("languages", texts(codes)));
            let became = "the same for juror; others do not know the key".to_owned();
            self.losses.add(SETTINGS, "languages", Some(became));
        }
        keys
    }

    /// Whether the output validator gives scores in legacy. With the format's own protocol it must give one, so it has
    /// to mention the file. With another protocol it may give one.
    pub(super) fn gives_score(&self) -> bool {
        let problem = self.problem;
        let may =
            problem.output_protocol != Protocol::Standard || rules::mentions_score_file(problem);
        match &problem.graders {
            None => {
                let scored = rules::scored_groups(problem);
                let of_cases = |group: &ScoredGroup<'_>| {
                    group.cases > 0 && group.aggregation != Aggregation::PassFail
                };
                rules::has_output_program(problem) && may && scored.iter().any(of_cases)
            }
            Some(graders) => graders.custom_score == CustomScore::Required,
        }
    }

    /// One name for each language that has a statement.
    fn names_by_language(&self) -> Option<RawValue> {
        let names = &self.problem.names;
        let statements = self.files.iter().filter_map(|file| {
            let name = file.name.strip_prefix("statement/problem.")?;
            let (language, ending) = name.rsplit_once('.')?;
            ["tex", "md", "pdf"].contains(&ending).then_some(language)
        });
        let mut languages: Vec<&str> = statements.collect();
        // Without statements, the languages of the names.
        if languages.is_empty() {
            let codes = names.iter().map(|(language, _)| language.as_str());
            languages = codes.filter(|code| is_natural_language(code)).collect();
        }
        languages.sort_unstable();
        languages.dedup();
        let fallback = names.iter().find(|(code, _)| code == "en").or(names.first())?;
        let name = |language: &str| {
            let own = names.iter().find(|(code, _)| code == language);
            text(&own.unwrap_or(fallback).1)
        };
        Some(match &languages[..] {
            [] | ["en"] => name("en"),
            _ => map(languages.iter().map(|language| (*language, name(language)))),
        })
    }

    /// A UUID that depends only on the package. The format demands a different one for every package.
    fn new_uuid(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(
            self.tree.path(self.problem.layout.settings).read_prefix(MAX_SIZE).unwrap_or_default(),
        );
        for item in self.tree.below("") {
            hash.update(&item.name);
            if item.is_file() {
                // What cannot be read cannot be converted, either.
                hash.update(Blob::file(&item.path).digest().map_or([0; 32], |digest| digest.0));
            }
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        // Version 8: a custom way to make it.
        uuid(bytes, 8)
    }

    /// The licence, if the new format knows it and the keys that it demands exist.
    fn add_license(&mut self, old: &OldSettings, keys: &mut SettingsKeys) {
        let Some(license) = self.text_of(old, "license") else { return };
        let has = |key| keys.iter().any(|(known, _)| *known == key);
        let has_owner = has("rights_owner") || has("credits") || has("source");
        if !LICENSES.contains(&license.as_str())
            || !has_owner && !matches!(license.as_str(), "unknown" | "public domain")
        {
            self.leave_out(SETTINGS, format!("license: {license}"));
            return;
        }
        if license == "public domain" && has("rights_owner") {
            keys.retain(|(key, _)| *key != "rights_owner");
            self.leave_out(SETTINGS, "rights_owner of a problem in the public domain");
        }
        keys.push(("license", text(license)));
    }

    fn limits_map(&mut self) -> RawValue {
        let is_new = self.to.is_2025_09();
        let limits = &self.problem.limits;
        let whole = |amount: f64| if is_new { amount.ceil() } else { amount };
        let mebibytes = |bytes: Bytes| plain(whole(bytes.0 as f64 / f64::from(1 << 20)));
        let seconds = |time: Duration| plain(whole(time.as_secs_f64()));
        // Legacy has smaller defaults.
        let memory = |bytes: Option<Bytes>| bytes.or((!is_new).then_some(PROGRAM_MEMORY));
        let mut keys: SettingsKeys = if is_new {
            self.time_keys()
        } else {
            vec![
                ("time_multiplier", plain(limits.ac_to_time_limit)),
                ("time_safety_margin", plain(limits.time_limit_to_tle)),
            ]
        };
        let ProblemLimits { compilation_memory, validation_memory, .. } = *limits;
        let kibibytes = |bytes: Bytes| plain(whole(bytes.0 as f64 / 1024.0));
        let others = [
            ("memory", memory(limits.memory).map(mebibytes)),
            ("output", limits.output.map(mebibytes)),
            ("code", limits.code.map(kibibytes)),
            ("compilation_time", limits.compilation_time.map(seconds)),
            ("compilation_memory", memory(compilation_memory).map(mebibytes)),
            ("validation_time", limits.validation_time.map(seconds)),
            ("validation_memory", memory(validation_memory).map(mebibytes)),
            ("validation_output", limits.validation_output.map(mebibytes)),
        ];
        keys.extend(others.into_iter().filter_map(|(key, value)| Some((key, value?))));
        let passes = self.problem.kind.passes;
        keys.extend((passes > 1).then(|| ("validation_passes", plain(passes))));
        map(keys)
    }

    fn time_keys(&self) -> SettingsKeys {
        let limits = &self.problem.limits;
        let multipliers = map([
            ("ac_to_time_limit", plain(limits.ac_to_time_limit)),
            ("time_limit_to_tle", plain(limits.time_limit_to_tle)),
        ]);
        let mut resolution = limits.time_resolution;
        let mut keys = Vec::new();
        if let Some(limit) = limits.time_limit {
            keys.push(("time_limit", plain(limit.as_secs_f64())));
            let times = limit.as_secs_f64() / resolution.as_secs_f64();
            if times < 1.0 || (times - times.round()).abs() > 1e-6 {
                resolution = limit;
            }
        }
        keys.push(("time_multipliers", multipliers));
        if resolution != Duration::from_secs(1) {
            keys.push(("time_resolution", plain(resolution.as_secs_f64())));
        }
        keys
    }

    fn juror_toml(&self) -> Option<String> {
        let problem = self.problem;
        let mut tables: BTreeMap<&str, Table> = BTreeMap::new();
        let mut set = |table, key: &str, value: Value| {
            tables.entry(table).or_default().insert(key.to_owned(), value);
        };
        if let ProgramIo::Files { input, output } = &problem.io {
            set("io", "input", input.as_str().into());
            set("io", "output", output.as_str().into());
        }
        let has_input = !problem.input_validators.is_empty();
        match problem.output_protocol {
            Protocol::Testlib if problem.interactor.is_some() => {
                set("testlib", "output_validator", "interactor".into());
            }
            Protocol::Testlib => set("testlib", "output_validator", "checker".into()),
            _ if problem.output_validators.is_empty() => {}
            Protocol::Cms => set("protocol", "output_validator", "cms".into()),
            Protocol::Sinol => set("protocol", "output_validator", "sinol".into()),
            // No package has such programs.
            _ => {}
        }
        match problem.input_protocol {
            Protocol::Sinol if has_input => set("protocol", "input_validators", "sinol".into()),
            Protocol::Testlib if has_input => set("testlib", "input_validators", true.into()),
            _ => {}
        }
        if problem.generator_header.is_some() {
            set("testlib", "generators", true.into());
        }
        let equivalents = problem.equivalents.iter();
        let equivalents: Table = equivalents
            .map(|EquivalentMutant { subject, reason }| (subject.clone(), reason.as_str().into()))
            .collect();
        if !equivalents.is_empty() {
            set("strength", "equivalent", equivalents.into());
        }
        if let Some(testlib) = tables.get_mut("testlib")
            && let Some(name) = self.testlib_header().and_then(|path| self.new_name(&path))
        {
            testlib.insert("header".to_owned(), name.into());
        }
        let tables = tables.into_iter().map(|(name, table)| (name.to_owned(), table.into()));
        let compare = self.comparison().map(|text| ("compare".to_owned(), text.into()));
        let toml: Table = tables.chain(compare).collect();
        (!toml.is_empty()).then(|| toml.to_string())
    }

    /// The comparison by name, unless the arguments of the default output validator say the same.
    fn comparison(&self) -> Option<&str> {
        let case = self.problem.test_data.cases.first()?;
        let text = comparison_name(&case.output_validator_args)?;
        (!is_of_validator(text)).then_some(text)
    }

    fn new_name(&self, path: &Path) -> Option<String> {
        let file =
            self.files.iter().find(|file| file.source().is_some_and(|from| *from == path))?;
        Some(file.name.clone())
    }

    pub(super) fn add_for_domjudge(&mut self) {
        let own = self.tree.path(DOMJUDGE_INI).read_text(MAX_SIZE).unwrap_or_default();
        let is_other = |line: &&str| line.split('=').next().map(str::trim) != Some("timelimit");
        let mut lines: Vec<String> = own.lines().filter(is_other).map(str::to_owned).collect();
        match self.problem.limits.time_limit {
            Some(limit) => lines.push(format!("timelimit = {}", limit.as_secs_f64())),
            None => {
                let became = "the default of DOMjudge; --time-limit sets another".to_owned();
                self.losses.add(DOMJUDGE_INI, "time limit: nothing", Some(became));
            }
        }
        self.files.retain(|file| file.name != DOMJUDGE_INI);
        if !lines.is_empty() {
            self.write_text(DOMJUDGE_INI, lines.join("\n") + "\n");
        }
    }
}

/// Words separated by whitespace. Some packages also write commas.
/// Words of `type` in format 2025-09.
pub fn type_words(kind: ProblemKind) -> Vec<&'static str> {
    let types = [
        (kind.grading == Grading::PassFail, "pass-fail"),
        (kind.grading == Grading::Scoring, "scoring"),
        (kind.interaction == Interaction::Interactive, "interactive"),
        (kind.passes > 1, "multi-pass"),
        (kind.submitted == SubmittedContent::Answers, "submit-answer"),
    ];
    types.into_iter().filter_map(|(is_so, word)| is_so.then_some(word)).collect()
}

fn keyword_list(value: &RawValue) -> RawValue {
    match value.scalar() {
        Some(scalar) => {
            texts(scalar.text.split([' ', '\t', '\n', ',']).filter(|word| !word.is_empty()))
        }
        None => value.clone(),
    }
}
