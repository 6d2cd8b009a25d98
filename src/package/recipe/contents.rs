//! The files that a recipe gives as they are, and what it wants to find in the others.

use regex::RegexBuilder;

use crate::model::recipe::{CASE_EXTENSIONS, GivenContents, GivenFile, MatchPattern};
use crate::package::keys::{self, Keys};
use crate::package::text::{Remarks, shown};
use crate::package::yaml::{Node, Value};
use crate::package::yaml_text;

/// The files of a case whose contents stand in the recipe.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// What is under `in`.
    pub input: Option<String>,
    /// The others.
    pub files: Vec<GivenFile>,
    /// `output_validator_args` of what is under `yaml`.
    pub output_validator_args: Option<Vec<String>>,
}

/// Takes all keys that are extensions; `None` where one has a fault.
pub(super) fn given(keys: &mut Keys<'_>, remarks: &mut Remarks<'_>) -> Option<Given> {
    let mut given = Given::default();
    let mut whole = true;
    for extension in CASE_EXTENSIONS {
        let Some(node) = keys.take(extension) else {
            continue;
        };
        match (extension, contents(extension, node, remarks)) {
            (_, None) => whole = false,
            ("in", Some(GivenContents::Text(text))) => given.input = Some(text),
            (_, Some(contents)) => {
                given.files.push(GivenFile { extension: extension.to_owned(), contents })
            }
        }
        if extension == "yaml" {
            given.output_validator_args = output_validator_args(node);
        }
    }
    for file in &given.files {
        let GivenContents::Link(target) = &file.contents else {
            continue;
        };
        let is_link = |other: &&GivenFile| {
            other.extension == *target && matches!(other.contents, GivenContents::Link(_))
        };
        if given.files.iter().any(|other| is_link(&other))
            && let Some(node) = keys.take_any(&file.extension)
        {
            let message = format!("`{}` is a link to a link", file.extension);
            remarks.error(node.range, message, Some("link to the file itself"));
            whole = false;
        }
    }
    whole.then_some(given)
}

/// A text, which gets a line end where it has none, unless it is an output: those may be as odd as
/// programs write them; a map as the YAML that says the same; or a link.
fn contents(extension: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<GivenContents> {
    match (&node.value, extension) {
        (Value::Map(_) | Value::Sequence(_), "yaml") => {
            return Some(GivenContents::Text(yaml_text::write(node)));
        }
        (Value::Map(_), "in.statement" | "in.download" | "ans.statement" | "ans.download") => {
            return link(extension, node, remarks);
        }
        _ => {}
    }
    let mut text = keys::text(extension, node, remarks)?;
    if extension != "out" && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if extension == "interaction"
        && let Some(line) = text.lines().find(|line| !is_turn(line))
    {
        let message = format!("`interaction` has the line `{}`", shown(line));
        let help = "lines begin with `<` or `>`, or are `---`";
        remarks.error(node.range, message, Some(help));
        return None;
    }
    Some(GivenContents::Text(text))
}

/// Source: problem package format 2025-09, "Sample data".
fn is_turn(line: &str) -> bool {
    line.starts_with(['<', '>']) || line == "---"
}

/// `{link: in}`.
fn link(extension: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<GivenContents> {
    let mut keys = Keys::open(extension, node, remarks)?;
    let target = keys.take("link");
    keys.finish(remarks);
    let Some(target) = target else {
        let message = format!("`{extension}` must be a text or a link");
        remarks.error(node.range, message, Some("write the text, or `{link: in}`"));
        return None;
    };
    let text = keys::text("link", target, remarks)?;
    let (stem, _) = extension.split_once('.')?;
    let known = [stem.to_owned(), format!("{stem}.statement"), format!("{stem}.download")];
    let known: Vec<&str> =
        known.iter().map(String::as_str).filter(|known| *known != extension).collect();
    if !known.contains(&text.as_str()) {
        let message = format!("`{extension}` cannot be a link to `{}`", shown(&text));
        keys::unknown_word(&message, &text, &known, target.range, remarks);
        return None;
    }
    Some(GivenContents::Link(text))
}

/// The arguments that a `.yaml` or `test_group.yaml` sets; its faults are told where it is read as a file.
pub(super) fn output_validator_args(node: &Node) -> Option<Vec<String>> {
    let Value::Map(entries) = &node.value else {
        return None;
    };
    let args = entries.iter().find(|it| it.key == "output_validator_args")?;
    let Value::Sequence(items) = &args.value.value else {
        return None;
    };
    let text = |item: &Node| match &item.value {
        Value::Scalar(scalar) => Some(scalar.text.clone()),
        _ => None,
    };
    items.iter().map(text).collect()
}

/// What is under `match`: a pattern or several for the input, or a map of files to such.
pub(super) fn patterns(node: &Node, remarks: &mut Remarks<'_>) -> Vec<MatchPattern> {
    if !matches!(node.value, Value::Map(_)) {
        return patterns_for("in", "match", node, remarks);
    }
    let Some(mut keys) = Keys::open("match", node, remarks) else {
        return Vec::new();
    };
    let mut patterns = Vec::new();
    for extension in ["in", "ans"] {
        if let Some(node) = keys.take(extension) {
            patterns.extend(patterns_for(extension, &format!("match.{extension}"), node, remarks));
        }
    }
    keys.finish(remarks);
    patterns
}

fn patterns_for(
    extension: &'static str,
    what: &str,
    node: &Node,
    remarks: &mut Remarks<'_>,
) -> Vec<MatchPattern> {
    let mut patterns = Vec::new();
    for item in keys::one_or_more(what, node, remarks) {
        let Some(regex) = keys::text(what, item, remarks) else {
            continue;
        };
        match RegexBuilder::new(&regex).multi_line(true).build() {
            Ok(_) => patterns.push(MatchPattern {
                extension,
                regex,
                place: remarks.file.place(item.range),
            }),
            Err(error) => wrong_regex(&regex, &error, item, remarks),
        }
    }
    patterns
}

/// What other tools allow and juror has not is no fault of the recipe.
fn wrong_regex(regex: &str, error: &regex::Error, item: &Node, remarks: &mut Remarks<'_>) {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    match is_unsupported(regex) {
        true => {
            let message = format!("is not checked: {reason}");
            let help = "write it without, or as several patterns";
            remarks.warning(item.range, message, Some(help));
        }
        false => {
            let message = format!("is no regular expression: {reason}");
            let help = "put a backslash before a character that is to stand for itself";
            remarks.error(item.range, message, Some(help));
        }
    }
}

/// Whether this is well formed elsewhere: it looks around, or refers to what was matched before.
fn is_unsupported(regex: &str) -> bool {
    use regex_syntax::ast::ErrorKind::{UnsupportedBackreference, UnsupportedLookAround};
    let parsed = regex_syntax::Parser::new().parse(regex);
    matches!(parsed, Err(regex_syntax::Error::Parse(error))
        if matches!(error.kind(), UnsupportedBackreference | UnsupportedLookAround))
}
