//! Files whose contents are in the recipe, and patterns that the others must match.

use regex::bytes::RegexBuilder;

use crate::package::interaction;
use crate::package::node::{Map, Node, ParseResult};
use crate::package::recipe::python_regex;
use crate::package::text::excerpt;
use crate::package::values::text;
use crate::package::yaml::{RawValue, Value};
use crate::package::yaml_text;
use juror_core::recipe::{
    CASE_EXTENSIONS, GivenContents, GivenFile, LEGACY_CASE_EXTENSIONS, MatchPattern,
};

/// Upper bound in bytes on a compiled regular expression; a few characters can ask for gigabytes.
const MAX_REGEX_SIZE: usize = 1 << 20;

/// The files of a case whose contents are in the recipe.
#[derive(Debug, Default)]
pub(super) struct GivenFiles {
    /// The contents under `in`.
    pub input: Option<String>,
    pub files: Vec<GivenFile>,
    /// `output_validator_args` under `yaml`.
    pub output_validator_args: Option<Vec<String>>,
}

/// Takes all keys that are endings of files. `is_old` adds those that only packages before format 2025-09 have.
pub(super) fn read_given_files(map: &mut Map<'_>, is_old: bool) -> ParseResult<GivenFiles> {
    let mut given_files = GivenFiles::default();
    // Reads all files before it fails, so that each fault is reported.
    let mut whole = Ok(());
    let old = LEGACY_CASE_EXTENSIONS.into_iter().filter(|_| is_old);
    for extension in CASE_EXTENSIONS.into_iter().chain(old) {
        match (extension, map.try_get(extension, read_contents)) {
            (_, Ok(None)) => {}
            (_, Err(fault)) => whole = Err(fault),
            ("in", Ok(Some(GivenContents::Text(text)))) => given_files.input = Some(text),
            (_, Ok(Some(contents))) => {
                given_files.files.push(GivenFile { extension: extension.to_owned(), contents });
            }
        }
    }
    given_files.output_validator_args =
        map.node("yaml").and_then(|node| read_output_validator_args(node.raw));
    let target_of = |extension: &str| {
        given_files.files.iter().find_map(|file| match &file.contents {
            GivenContents::Link(target) if file.extension == extension => Some(target.as_str()),
            _ => None,
        })
    };
    for extension in CASE_EXTENSIONS {
        if target_of(extension).and_then(target_of).is_some()
            && let Some(node) = map.node(extension)
        {
            let message = format!("`{extension}` is a link to a link");
            whole = Err(node.error(message, "link to the file itself"));
        }
    }
    whole.map(|()| given_files)
}

/// A text, a map as the same YAML, or a link. A text gets a missing line end, unless it is an output: outputs may be
/// as odd as programs write them.
fn read_contents(node: &Node<'_>) -> ParseResult<GivenContents> {
    match (&node.raw.value, node.key) {
        (Value::Map(_) | Value::Sequence(_), "yaml") => {
            return Ok(GivenContents::Text(yaml_text::write(node.raw)));
        }
        (Value::Map(_), "in.statement" | "in.download" | "ans.statement" | "ans.download") => {
            return read_link(node);
        }
        _ => {}
    }
    let mut text = text(node)?;
    if node.key != "out" && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if node.key == "interaction"
        && let Some(line) = text.lines().find(|line| !interaction::is_line(line.as_bytes()))
    {
        let message = format!("`interaction` has the line `{}`", excerpt(line));
        return Err(node.error(message, "lines begin with `<` or `>`, or are `---`"));
    }
    Ok(GivenContents::Text(text))
}

/// `{link: in}`.
fn read_link(node: &Node<'_>) -> ParseResult<GivenContents> {
    let extension = node.key;
    let mut map = node.named_map("", extension)?;
    let Some(target) = map.node("link") else {
        let message = format!("`{extension}` must be a text or a link");
        return Err(node.error(message, "write the text, or `{link: in}`"));
    };
    let text = text(&target)?;
    let stem = extension.split('.').next().unwrap_or_default();
    let known = [stem.to_owned(), format!("{stem}.statement"), format!("{stem}.download")];
    let known: Vec<&str> =
        known.iter().map(String::as_str).filter(|known| *known != extension).collect();
    if !known.contains(&text.as_str()) {
        let message = format!("`{extension}` cannot be a link to `{}`", excerpt(&text));
        return Err(target.unknown_word(message, &known));
    }
    Ok(GivenContents::Link(text))
}

/// The arguments in a `.yaml` or the settings of a group; their faults are reported when they are read as files.
pub(super) fn read_output_validator_args(raw: &RawValue) -> Option<Vec<String>> {
    if let Some(flags) = raw.get("output_validator_flags") {
        return Some(flags.scalar()?.text.split_whitespace().map(str::to_owned).collect());
    }
    let Value::Sequence(items) = &raw.get("output_validator_args")?.value else { return None };
    items.iter().map(|item| Some(item.scalar()?.text.clone())).collect()
}

/// The value of `match`: one or several patterns for the input, or a map from files to patterns.
pub(super) fn read_patterns(node: &Node<'_>) -> ParseResult<Vec<MatchPattern>> {
    if !node.is_map() {
        return Ok(patterns_for("in", node));
    }
    let mut map = node.map()?;
    let mut patterns = Vec::new();
    for extension in ["in", "ans"] {
        patterns.extend(map.node(extension).iter().flat_map(|node| patterns_for(extension, node)));
    }
    Ok(patterns)
}

fn patterns_for(extension: &'static str, node: &Node<'_>) -> Vec<MatchPattern> {
    let pattern = |node: Node<'_>| {
        let text = text(&node).ok()?;
        let regex = match python_regex::translate(&text) {
            Ok(regex) => regex,
            Err(what) => {
                let message = format!("`{}` is not checked: juror has no {what}", excerpt(&text));
                node.warning(message, "remove it, or write several patterns");
                return None;
            }
        };
        if let Err(error) = RegexBuilder::new(&regex).size_limit(MAX_REGEX_SIZE).build() {
            report_wrong_regex(&text, &error, &node);
            return None;
        }
        Some(MatchPattern { extension, text, regex, place: node.place() })
    };
    let is_empty = matches!(&node.raw.value, Value::Sequence(items) if items.is_empty());
    if is_empty { Vec::new() } else { node.one_or_more().filter_map(pattern).collect() }
}

fn report_wrong_regex(regex: &str, error: &regex::Error, node: &Node<'_>) {
    let (shown, text) = (excerpt(regex), error.to_string());
    let reason = text.lines().last().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    if let regex::Error::CompiledTooBig(_) = error {
        let help = "use smaller repeats in it, such as `[0-9]+` instead of `[0-9]{1,100000}`";
        node.error(format!("`{shown}` is a regular expression that takes too much memory"), help);
    } else {
        let help = "put a backslash before a literal character";
        node.error(format!("`{shown}` is not a regular expression: {reason}"), help);
    }
}
