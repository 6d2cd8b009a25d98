//! YAML files as trees whose nodes know their places.
//!
//! Only this file uses the YAML crate. It uses the event parser, because the deserializer stops at the first fault and
//! a reader of packages must show all of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

use granit_parser::{Event, Parser, ScalarStyle, Span, Tag};

use crate::package::faults::ReportedFault;
use crate::package::text::{FILE_START, FileReporter, TextRange, excerpt};

/// Upper bound on the nodes of a file with its aliases expanded; it stops "alias bombs".
const MAX_NODES: usize = 100_000;

/// A text counts as one node for each of this many bytes: aliases repeat texts, too.
const BYTES_PER_NODE: usize = 100;

/// Upper bound on the bytes of a key. Values are often named after their keys.
const MAX_KEY_LENGTH: usize = 1000;

const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct RawValue {
    pub value: Value,
    pub range: TextRange,
}

impl RawValue {
    pub(super) fn scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The entries of a map; empty for other values.
    pub(super) fn entries(&self) -> &[MapEntry] {
        if let Value::Map(entries) = &self.value { entries } else { &[] }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Scalar),
    Sequence(Vec<RawValue>),
    Map(Vec<MapEntry>),
    Broken,
}

/// A text, number, truth value or nothing.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub text: String,
    /// Quoted scalars and blocks are texts, whatever they look like.
    pub quoted: bool,
}

/// One line of a map. Keys are unique.
#[derive(Clone, Debug)]
pub(super) struct MapEntry {
    /// Empty for `~`, `null` and nothing.
    pub key: String,
    pub key_range: TextRange,
    pub value: RawValue,
}

/// Source: YAML 1.2.2, 10.3.2 "Tag Resolution" (the core schema).
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScalarMeaning {
    Null,
    Boolean(bool),
    /// An integer; `None` if it does not fit.
    Integer(Option<i64>),
    Float(f64),
    Text,
}

impl Scalar {
    pub(super) fn meaning(&self) -> ScalarMeaning {
        if self.quoted {
            return ScalarMeaning::Text;
        }
        match self.text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => return ScalarMeaning::Null,
            "true" | "True" | "TRUE" => return ScalarMeaning::Boolean(true),
            "false" | "False" | "FALSE" => return ScalarMeaning::Boolean(false),
            ".nan" | ".NaN" | ".NAN" => return ScalarMeaning::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
                return ScalarMeaning::Float(f64::INFINITY);
            }
            "-.inf" | "-.Inf" | "-.INF" => return ScalarMeaning::Float(f64::NEG_INFINITY),
            _ => {}
        }
        for (start, radix) in [("0o", 8), ("0x", 16)] {
            let digits = self.text.strip_prefix(start);
            let is_digit = |byte| char::from(byte).is_digit(radix);
            if let Some(digits) = digits.filter(|digits| is_all(digits, is_digit)) {
                return ScalarMeaning::Integer(i64::from_str_radix(digits, radix).ok());
            }
        }
        let unsigned = self.text.strip_prefix(['+', '-']).unwrap_or(&self.text);
        if is_all(unsigned, |b| b.is_ascii_digit()) {
            ScalarMeaning::Integer(self.text.parse().ok())
        } else if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            // Rust has the same floats, and words such as `inf`.
            self.text.parse().map_or(ScalarMeaning::Text, ScalarMeaning::Float)
        } else {
            ScalarMeaning::Text
        }
    }
}

fn is_all(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

/// Reads the file's single document; an empty file is nothing. As in all readers of packages, the last of several equal
/// keys counts.
pub(super) fn parse(page: FileReporter<'_>) -> Result<RawValue, ReportedFault> {
    TreeBuilder::new(page).build()
}

/// Like [`parse`], but equal keys are an error.
pub(super) fn parse_with_unique_keys(page: FileReporter<'_>) -> Result<RawValue, ReportedFault> {
    TreeBuilder { needs_unique_keys: true, ..TreeBuilder::new(page) }.build()
}

fn report_syntax(error: &granit_parser::ScanError, page: FileReporter<'_>) -> ReportedFault {
    let marker = error.marker();
    let line = saturating_u32(marker.line()).max(1);
    let column = saturating_u32(marker.col()).saturating_add(1);
    let text = page.file.line(line);
    let indentation = text.len() - text.trim_start().len();
    let help = if text[..indentation].contains('\t') {
        "YAML is indented with spaces; replace the tab"
    } else if text.matches('{').count() > 1 {
        "quote a text with `{` in it"
    } else if text.matches(": ").count() > 1 {
        "quote a text with `: ` in it"
    } else {
        ""
    };
    let message = format!("is not valid YAML: {}", lower_first(&error.info()));
    page.error(TextRange { line, column, width: 1 }, message, help)
}

fn lower_first(text: &str) -> String {
    let mut characters = text.trim_end_matches('.').chars();
    let first = characters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(characters).collect()
}

/// Uses the parser's own count of columns: counting again would be quadratic in a long line.
fn text_range(span: &Span) -> TextRange {
    TextRange {
        line: saturating_u32(span.start.line()).max(1),
        column: saturating_u32(span.start.col()).saturating_add(1),
        width: saturating_u32(span.len()).max(1),
    }
}

fn saturating_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

struct TreeBuilder<'a> {
    page: FileReporter<'a>,
    open_collections: Vec<OpenCollection>,
    root: Option<RawValue>,
    documents: usize,
    anchors: HashMap<usize, AnchoredNode>,
    nodes: usize,
    needs_unique_keys: bool,
}

/// A node that aliases may repeat, and its number of nodes.
struct AnchoredNode {
    node: RawValue,
    nodes: usize,
}

struct OpenCollection {
    anchor: usize,
    range: TextRange,
    nodes_before: usize,
    value: Value,
    /// The position of each key among the entries of a map.
    positions: HashMap<String, usize>,
    key: Option<RawValue>,
    /// A key is not a text, so that the meaning of the map is unknown.
    has_bad_key: bool,
}

impl<'a> TreeBuilder<'a> {
    fn new(page: FileReporter<'a>) -> Self {
        Self {
            page,
            open_collections: Vec::new(),
            root: None,
            documents: 0,
            anchors: HashMap::new(),
            nodes: 0,
            needs_unique_keys: false,
        }
    }

    fn build(mut self) -> Result<RawValue, ReportedFault> {
        let options = granit_parser::options! {
            emit_comments: false,
            emit_unresolved_aliases: true,
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
        };
        for next in Parser::new_from_str_with_options(&self.page.file.text, options) {
            let (event, span) = next.map_err(|error| report_syntax(&error, self.page))?;
            self.add_event(event, text_range(&span))?;
        }
        let nothing = || Value::Scalar(Scalar { text: String::new(), quoted: false });
        Ok(self.root.unwrap_or_else(|| RawValue { value: nothing(), range: FILE_START }))
    }

    /// Fails if the rest of the file cannot be read.
    fn add_event(&mut self, event: Event<'_>, range: TextRange) -> Result<(), ReportedFault> {
        let page = self.page;
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let help = "a file has one document; remove everything after `---`";
                    return Err(page.error(range, "a second YAML document starts here", help));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let quoted = style != ScalarStyle::Plain || is_text_tag(tag.as_deref());
                check_tag(tag.as_deref(), range, page);
                let nodes_before = self.nodes;
                self.nodes += 1 + text.len() / BYTES_PER_NODE;
                let value = Value::Scalar(Scalar { text: text.into_owned(), quoted });
                self.add_node(RawValue { value, range }, anchor, nodes_before);
            }
            Event::SequenceStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), range, page);
                self.start_collection(Value::Sequence(Vec::new()), anchor, range);
            }
            Event::MappingStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), range, page);
                self.start_collection(Value::Map(Vec::new()), anchor, range);
            }
            Event::SequenceEnd | Event::MappingEnd => self.end_collection(),
            Event::Alias(anchor) => return self.repeat_anchored(anchor, range),
            Event::UnresolvedAlias(name) => {
                let message = format!("`*{}` has no anchor above it", excerpt(&name));
                let help = "put the text in quotes if no alias is meant";
                page.error(range, message, help);
                self.nodes += 1;
                let value = Value::Broken;
                self.add_node(RawValue { value, range }, 0, self.nodes - 1);
            }
            _ => {}
        }
        if self.nodes > MAX_NODES {
            let message = format!("has more than {MAX_NODES} YAML values");
            return Err(page.error(range, message, ""));
        }
        Ok(())
    }

    fn start_collection(&mut self, value: Value, anchor: usize, range: TextRange) {
        self.open_collections.push(OpenCollection {
            anchor,
            range,
            value,
            nodes_before: self.nodes,
            positions: HashMap::new(),
            key: None,
            has_bad_key: false,
        });
        self.nodes += 1;
    }

    fn end_collection(&mut self) {
        let Some(open) = self.open_collections.pop() else { return };
        let value = if open.has_bad_key { Value::Broken } else { open.value };
        let range = open.range;
        self.add_node(RawValue { value, range }, open.anchor, open.nodes_before);
    }

    /// Repeats an anchored node. Its size is known before it is copied, so a bomb never grows.
    fn repeat_anchored(&mut self, anchor: usize, range: TextRange) -> Result<(), ReportedFault> {
        let Some(anchored) = self.anchors.get(&anchor) else {
            let message = "an alias cannot be inside the value that it repeats";
            return Err(self.page.error(range, message, ""));
        };
        let nodes_before = self.nodes;
        self.nodes += anchored.nodes;
        if self.nodes > MAX_NODES {
            let message =
                format!("has more than {MAX_NODES} YAML values once its aliases are filled in");
            return Err(self.page.error(range, message, "shorten it, or write it without aliases"));
        }
        let node = anchored.node.clone();
        self.add_node(node, 0, nodes_before);
        Ok(())
    }

    fn add_node(&mut self, node: RawValue, anchor: usize, nodes_before: usize) {
        if anchor != 0 {
            let nodes = self.nodes - nodes_before;
            let node = node.clone();
            self.anchors.insert(anchor, AnchoredNode { node, nodes });
        }
        let Some(open) = self.open_collections.last_mut() else {
            self.root = Some(node);
            return;
        };
        match (&mut open.value, open.key.take()) {
            (Value::Sequence(items), _) => items.push(node),
            (_, None) => open.key = Some(node),
            (_, Some(key)) => open.add_entry(key, node, self.needs_unique_keys, self.page),
        }
    }
}

impl OpenCollection {
    fn add_entry(
        &mut self,
        key: RawValue,
        value: RawValue,
        must_be_new: bool,
        page: FileReporter<'_>,
    ) {
        let Value::Map(entries) = &mut self.value else { return };
        let Value::Scalar(scalar) = key.value else {
            if !matches!(key.value, Value::Broken) {
                let help = "if the text starts with `{` or `[`, put it in quotes";
                page.error(key.range, "a key must be a text", help);
            }
            self.has_bad_key = true;
            return;
        };
        let is_null = scalar.meaning() == ScalarMeaning::Null;
        let name = if is_null { String::new() } else { scalar.text };
        if name.len() > MAX_KEY_LENGTH {
            let message = format!("key `{}` has more than {MAX_KEY_LENGTH} bytes", excerpt(&name));
            page.error(key.range, message, "");
            return;
        }
        let entry = MapEntry { key: name.clone(), key_range: key.range, value };
        match self.positions.entry(name) {
            Occupied(at) => {
                let first = &mut entries[*at.get()];
                let [name, line] = [excerpt(&entry.key), first.key_range.line.to_string()];
                if must_be_new {
                    let message = format!("key `{name}` is given twice; first on line {line}");
                    page.error(key.range, message, "rename or remove one of the two");
                    return;
                }
                let message = format!("key `{name}` replaces the one on line {line}");
                page.faults.warning(page.file.place(key.range), message, "remove one of the two");
                *first = entry;
            }
            Vacant(at) => {
                at.insert(entries.len());
                entries.push(entry);
            }
        }
    }
}

fn is_text_tag(tag: Option<&Tag>) -> bool {
    tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"))
}

/// Reports tags: they would change the type of a value, and the format does not use them.
fn check_tag(tag: Option<&Tag>, range: TextRange, page: FileReporter<'_>) {
    if let Some(tag) = tag.filter(|tag| !is_text_tag(Some(tag))) {
        let message = format!("YAML tag `{}` is not supported", excerpt(&tag.original()));
        page.error(range, message, "remove the tag");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::faults::Faults;
    use crate::package::text::TextFile;
    use std::path::Path;

    #[test]
    fn scalars_mean_what_the_core_schema_says() {
        let check = |text: &str, expected: ScalarMeaning| {
            let scalar = Scalar { text: text.to_owned(), quoted: false };
            assert_eq!(scalar.meaning(), expected, "{text}");
        };
        check("", ScalarMeaning::Null);
        check("~", ScalarMeaning::Null);
        check("yes", ScalarMeaning::Text);
        check("True", ScalarMeaning::Boolean(true));
        check("17", ScalarMeaning::Integer(Some(17)));
        check("+17", ScalarMeaning::Integer(Some(17)));
        check("-0", ScalarMeaning::Integer(Some(0)));
        check("0x1F", ScalarMeaning::Integer(Some(31)));
        check("0o17", ScalarMeaning::Integer(Some(15)));
        check("99999999999999999999", ScalarMeaning::Integer(None));
        check("1_000", ScalarMeaning::Text);
        check("2025-09", ScalarMeaning::Text);
        check("1.", ScalarMeaning::Float(1.0));
        check(".5", ScalarMeaning::Float(0.5));
        check("-1.5e-3", ScalarMeaning::Float(-0.0015));
        check("1e", ScalarMeaning::Text);
        check(".", ScalarMeaning::Text);
        check("--1", ScalarMeaning::Text);
        check("infinity", ScalarMeaning::Text);
        check("-.inf", ScalarMeaning::Float(f64::NEG_INFINITY));
    }

    fn check(text: &str, expected: &[&str]) {
        let file = TextFile::new(Path::new("a.yaml"), text.to_owned());
        let faults = Faults::default();
        let _reported = parse(FileReporter { file: &file, faults: &faults });
        let got: Vec<String> = faults.into_sorted().iter().map(ToString::to_string).collect();
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn yaml_faults_name_their_line_and_column() {
        check("a: 1\nb: [1, 2]\n", &[]);
        check("", &[]);
        check("# only a comment\n", &[]);
        check("a: 1\na: 2\n", &["a.yaml:2:1: key `a` replaces the one on line 1"]);
        check("a: 1\n---\nb: 2\n", &["a.yaml:2:1: a second YAML document starts here"]);
        check("{{x}}: 1\n", &["a.yaml:1:2: a key must be a text"]);
        check("a: *b\n", &["a.yaml:1:4: `*b` has no anchor above it"]);
        check("a: &b [*b]\n", &["a.yaml:1:8: an alias cannot be inside the value that it repeats"]);
        check("a: !!int 5\n", &["a.yaml:1:10: YAML tag `!!int` is not supported"]);
        check("a: !!str 5\n", &[]);
        check("a: é ö\nü: [\n", &["a.yaml:2:4: is not valid YAML: unclosed bracket '['"]);
    }

    #[test]
    fn an_alias_bomb_is_stopped_before_it_grows() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let below = format!("*a{}", level - 1);
            let items = vec![below; 10].join(", ");
            text += &format!("a{level}: &a{level} [{items}]\n");
        }
        check(
            &text,
            &["a.yaml:5:45: has more than 100000 YAML values once its aliases are filled in"],
        );
        check(&"[".repeat(1000), &["a.yaml:1:65: is not valid YAML: recursion limit exceeded"]);
    }
}
