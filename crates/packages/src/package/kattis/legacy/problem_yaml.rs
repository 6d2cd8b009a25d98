//! The keys of `problem.yaml` in legacy packages and in 2023-07.
//!
//! Source: problem package format legacy, "Problem metadata".

use std::time::Duration;

use crate::package::files::PackageFiles;
use crate::package::kattis::legacy::group_yaml::grading_keys;
use crate::package::kattis::legacy::{LegacyYaml, flags, words};
use crate::package::kattis::problem_type::{ProblemType, TYPES, check_against_earlier};
use crate::package::kattis::statement::LocalizedTexts;
use crate::package::kattis::{constants, problem_yaml};
use crate::package::latex;
use crate::package::node::{Map, Node, ParseResult};
use crate::package::text::{TextFile, excerpt};
use crate::package::values::{NumberBound, boolean, number_or_text, text};
use juror_core::grader::{GradingKeys, Objective};
use juror_core::limits::ProblemLimits;
use juror_core::units::Bytes;

const FOR_PEOPLE: &str = "author credits source source_url license rights_owner keywords uuid version \
                          embargo_until libraries";

pub(super) fn read_keys(map: Map<'_>, is_draft: bool) -> LegacyYaml {
    let mut map = map.without_nulls();
    let mut yaml = LegacyYaml::new(is_draft);
    map.node("problem_format_version");
    map.set("name", &mut yaml.shared.names, read_names);
    map.ignore(FOR_PEOPLE);
    let mut types = map.get("type", read_types).unwrap_or_else(|| vec!["pass-fail".to_owned()]);
    if let Some(node) = map.node("validation") {
        read_validation(&node, &mut types, &mut yaml);
    } else if !is_draft
        && !["interactive", "multi-pass"].iter().any(|word| types.contains(&(*word).to_owned()))
    {
        // DOMjudge takes these types of later versions, too. Then the directory says whether a validator decides.
        yaml.is_custom = Some(false);
    }
    let is_default = yaml.is_custom == Some(false);
    let flags = if is_default { flags::default_validator_flags } else { words };
    map.set("validator_flags", &mut yaml.validator_flags, flags);
    map.get("limits", |node| read_limits(node, &mut yaml.shared.limits, is_draft));
    map.get("grading", |node| read_grading(node, &types, &mut yaml));
    map.set("languages", &mut yaml.shared.languages, problem_yaml::read_languages);
    if is_draft {
        map.set("allow_file_writing", &mut yaml.shared.file_writing, boolean);
        map.set("constants", &mut yaml.shared.constants, constants::read);
    }
    map.warn_of_rest();
    yaml.shared.problem_type = ProblemType::Known(types);
    yaml
}

fn read_names(node: &Node<'_>) -> ParseResult<Vec<(String, String)>> {
    if !node.is_map() {
        return Ok(vec![("en".to_owned(), text(node)?)]);
    }
    let names = node.entries("a map of language codes to names")?;
    let mut names: Vec<_> =
        names.filter_map(|name| Some((name.key.to_owned(), text(&name).ok()?))).collect();
    names.sort();
    Ok(names)
}

/// One word or several; drafts have sequences.
fn read_types(node: &Node<'_>) -> ParseResult<Vec<String>> {
    let words = words(node)?;
    for (number, word) in words.iter().enumerate() {
        check_against_earlier(word, &words[..number], node);
        if !TYPES.contains(&word.as_str()) {
            node.unknown_word(format!("`{}` is not a type of problem", excerpt(word)), &TYPES);
        }
    }
    Ok(words)
}

/// `default`, or `custom` with `score`, `interactive` and, for DOMjudge, `multi-pass`.
fn read_validation(node: &Node<'_>, types: &mut Vec<String>, yaml: &mut LegacyYaml) {
    let Ok(words) = words(node) else { return };
    for word in &words {
        match word.as_str() {
            "default" => yaml.is_custom = Some(false),
            "custom" => yaml.is_custom = Some(true),
            "score" => yaml.has_custom_score = true,
            "interactive" | "multi-pass" => types.push(word.clone()),
            _ => {
                node.error(
                    format!("`{}` is not a kind of validation", excerpt(word)),
                    "write `default`, or `custom` with `score` and `interactive` if they are meant",
                );
            }
        }
    }
    let is_scoring = types.iter().any(|word| word == "scoring");
    let is_late = |word: &String| ["score", "interactive", "multi-pass"].contains(&&**word);
    if yaml.is_custom.is_none() && words.first().is_some_and(is_late) {
        let help = "write `default`, or `custom` before `score` and `interactive`";
        node.error("begins neither with `default` nor with `custom`", help);
    } else if yaml.is_custom == Some(false) && words.len() > 1 {
        node.error("only `custom` validation can be interactive or give scores", "write `custom`");
    } else if yaml.has_custom_score && !is_scoring {
        node.publishing_error("`score` is only for scoring problems", "write `type: scoring`");
        yaml.has_custom_score = false;
    }
}

/// Keys of drafts are also read in legacy packages, if they express what legacy cannot. Numbers may be in quotes, as in
/// problemtools.
fn read_limits(node: &Node<'_>, limits: &mut ProblemLimits, is_draft: bool) -> ParseResult<()> {
    let factor = |node: &Node<'_>| number_or_text(node, NumberBound::Above(0.0));
    let mebibytes = |node: &Node<'_>| size(node, 1 << 20);
    let mut map = node.map()?.without_nulls();
    map.set("time_multiplier", &mut limits.ac_to_time_limit, factor);
    map.set("time_safety_margin", &mut limits.time_limit_to_tle, factor);
    map.set("memory", &mut limits.memory, mebibytes);
    map.set("output", &mut limits.output, mebibytes);
    map.set("code", &mut limits.code, |node| size(node, 1 << 10));
    map.set("compilation_time", &mut limits.compilation_time, seconds);
    map.set("compilation_memory", &mut limits.compilation_memory, mebibytes);
    map.set("validation_time", &mut limits.validation_time, seconds);
    map.set("validation_memory", &mut limits.validation_memory, mebibytes);
    map.set("validation_output", &mut limits.validation_output, mebibytes);
    map.set("validation_passes", &mut limits.validation_passes, passes);
    // DOMjudge reads it in all versions.
    map.set("time_limit", &mut limits.time_limit, seconds);
    if is_draft {
        if let Some(Ok(mut map)) = map.node("time_multipliers").map(|node| node.map()) {
            map.set("ac_to_time_limit", &mut limits.ac_to_time_limit, factor);
            map.set("time_limit_to_tle", &mut limits.time_limit_to_tle, factor);
        }
        map.set("time_resolution", &mut limits.time_resolution, seconds);
    }
    map.warn_of_rest();
    Ok(())
}

fn passes(node: &Node<'_>) -> ParseResult<u32> {
    match number_or_text(node, NumberBound::AtLeast(1.0))? {
        passes if passes.fract() == 0.0 => Ok(passes as u32),
        _ => Err(node.out_of_bounds("an integer above 0, in passes")),
    }
}

fn seconds(node: &Node<'_>) -> ParseResult<Duration> {
    match Duration::try_from_secs_f64(number_or_text(node, NumberBound::Above(0.0))?) {
        Ok(time) if !time.is_zero() && time.as_secs() <= 1_000_000 => Ok(time),
        _ => Err(node.must_be("a number of seconds above 0, at most 1000000")),
    }
}

fn size(node: &Node<'_>, unit: u64) -> ParseResult<Bytes> {
    Ok(Bytes((number_or_text(node, NumberBound::Above(0.0))?.min(1e6) * unit as f64) as u64))
}

/// Reads `grading`: the old place of the grading keys, and keys that exist only there.
fn read_grading(node: &Node<'_>, types: &[String], yaml: &mut LegacyYaml) -> ParseResult<()> {
    let mut map = node.map()?.without_nulls();
    map.node("show_test_data_groups");
    map.set("objective", &mut yaml.objective, |node| match node.word() {
        "max" => Ok(Objective::Max),
        "min" => Ok(Objective::Min),
        _ => Err(node.must_be("`max` or `min`")),
    });
    let keys = grading_keys(&mut map);
    yaml.grading = if types.iter().any(|word| word == "scoring") {
        keys
    } else {
        GradingKeys { accept_score: None, reject_score: None, range: None, ..keys }
    };
    map.warn_of_rest();
    Ok(())
}

/// The names in the statements: `%% plainproblemname: ...`, else `\problemname{...}` without its markup.
pub(super) fn names_of_statements(
    tree: &PackageFiles,
    texts: &LocalizedTexts,
    languages: &[String],
) -> Vec<(String, String)> {
    let name = |language: &String| {
        let LocalizedTexts { directory, stem, .. } = texts;
        let names = [format!("{stem}.{language}.tex"), format!("{stem}.tex")];
        let item = names.iter().find_map(|name| tree.file(&format!("{directory}/{name}")))?;
        let text = TextFile::read(&item.path, &Default::default())?.text;
        let remark = |line: &'_ str| {
            let name = line.strip_prefix("%%")?.trim_start().strip_prefix("plainproblemname:")?;
            Some(name.trim().to_owned())
        };
        let name_in_remark = text.lines().find_map(|line| remark(line.trim()));
        // A definition of the command gives no name.
        let calls = latex::command_arguments(&text, "problemname")
            .into_iter()
            .filter(|[name]| !name.contains('#'));
        let mut names = calls.map(|[name]| latex::plain_text(name)).filter(|name| !name.is_empty());
        Some((language.clone(), name_in_remark.or_else(|| names.next())?))
    };
    languages.iter().filter_map(name).collect()
}
