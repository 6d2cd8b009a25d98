//! `docs/json.md`: the keys of each document, as `juror schema` has them. `INSTA_UPDATE=always cargo test json_page` writes
//! the part after its rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use crate::fixture::Fixture;
use crate::tidy::{renews_snapshots, root};

/// The documents, and the commands that write them. `grade` has its own page.
const DOCUMENTS: [(&str, &str); 14] = [
    ("judge", "`judge`, `verify`, `generate`, `merge`"),
    ("cache", "`cache`"),
    ("compare", "`compare`"),
    ("convert", "`convert`"),
    ("doctor", "`doctor`"),
    ("grammar-bounds", "`grammar bounds`"),
    ("grammar-check", "`grammar check`"),
    ("languages", "`languages`"),
    ("mutants", "`mutants`"),
    ("new", "`new`"),
    ("run", "`run`"),
    ("show", "`show`"),
    ("strength", "`strength`"),
    ("stress", "`stress`"),
];

/// The first line of the part that is made.
const START: &str = "## Every document\n";

/// Objects of which the page lists only the keys: `juror schema` has their types and meanings.
const KEYS_ONLY: [&str; 28] = [
    "DifferenceSide",
    "Evidence",
    "Excerpt",
    "FaultyProgram",
    "Outcome",
    "Strictness",
    "Transcript",
    "TranscriptLine",
    "cases",
    "compiler",
    "edit",
    "equal",
    "fault",
    "features",
    "file",
    "files",
    "gained",
    "hold_out",
    "host",
    "losses",
    "next",
    "origin",
    "probes",
    "proposals",
    "reached",
    "references",
    "runs",
    "tools",
];

/// The column at which lines end.
const WIDTH: usize = 118;

#[test]
fn the_page_of_json_keys_is_made_from_the_schemas() {
    let fixture = Fixture::new();
    let schemas = DOCUMENTS.map(|(name, _)| {
        let output = fixture.juror(&format!("schema {name}")).output().expect("juror runs");
        serde_json::from_slice::<Value>(&output.stdout).expect("a schema")
    });
    let path = root().join("docs/json.md");
    let old = std::fs::read_to_string(&path).expect("docs/json.md");
    let (rules, _) = old.split_once(START).expect("the heading of the part that is made");
    let new = format!("{rules}{START}{}", keys_of_documents(&schemas));
    if renews_snapshots() {
        std::fs::write(&path, &new).expect("docs/json.md");
    }
    assert!(old == new || renews_snapshots(), "INSTA_UPDATE=always");
    let version = format!("`\"version\": {}`", juror::report::document::VERSION);
    assert!(rules.contains(&version), "docs/json.md lacks {version}");
}

fn keys_of_documents(schemas: &[Value]) -> String {
    let is_common =
        |key: &&String| schemas.iter().all(|schema| schema["properties"].get(key).is_some());
    let (common, judging): (Vec<&String>, Vec<&String>) =
        keys(&schemas[0]).into_iter().partition(is_common);
    let is_own = |key: &&String| !common.contains(key);
    let mut uses = BTreeMap::new();
    common.iter().for_each(|key| count_uses(&schemas[0]["properties"][key], &mut uses));
    let mut seen = BTreeSet::new();
    for schema in schemas {
        let own = keys(schema).into_iter().filter(is_own);
        own.for_each(|key| count_uses(&schema["properties"][key], &mut uses));
        let new = definitions(schema).filter(|(name, of)| seen.insert((*name, of.to_string())));
        new.for_each(|(_, of)| count_uses(of, &mut uses));
    }
    let block = |schema, keys: &[&String]| {
        let mut block = Block { schema, uses: &uses, rows: Vec::new() };
        block.add_keys(schema, keys, &[], 0);
        block
    };
    let mut page = format!("\n```text\n{}```\n", block(&schemas[0], &common));
    for (schema, (name, commands)) in schemas.iter().zip(DOCUMENTS) {
        let own: Vec<&String> = match name {
            "judge" => judging.clone(),
            _ => keys(schema).into_iter().filter(is_own).collect(),
        };
        let block = block(schema, &own);
        write!(page, "\n## {commands}\n\n```text\n{block}```\n").expect("memory");
    }
    let shared: BTreeMap<&String, (&Value, &Value)> = schemas
        .iter()
        .flat_map(|schema| definitions(schema).map(move |(name, of)| (name, (schema, of))))
        .filter(|(name, (_, of))| uses.get(*name) > Some(&1) && is_object(of))
        .collect();
    page += "\n## Shared words\n\n```text\n";
    let words: BTreeMap<&String, (&Value, &Value)> = schemas
        .iter()
        .flat_map(|schema| definitions(schema).map(move |(name, of)| (name, (schema, of))))
        .filter(|(name, (schema, of))| {
            uses.get(*name) > Some(&1) && !is_object(of) && !words_of(schema, of).is_empty()
        })
        .collect();
    for (name, (schema, of)) in words {
        writeln!(page, "{name}: {}", words_of(schema, of).join(", ")).expect("memory");
    }
    page += "```\n\n## Shared objects\n\n```text\n";
    for (name, (schema, of)) in shared {
        let mut block = Block { schema, uses: &uses, rows: Vec::new() };
        if KEYS_ONLY.contains(&name.as_str()) {
            let row = Row { key: String::new(), kind: String::new(), meaning: block.key_names(of) };
            block.rows.push(row);
        } else {
            block.add_shapes(of, &[], 1);
        }
        write!(page, "{name}\n{block}").expect("memory");
    }
    page + "```\n"
}

fn definitions(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["$defs"].as_object().into_iter().flatten()
}

/// How often each definition is referred to.
fn count_uses(schema: &Value, uses: &mut BTreeMap<String, usize>) {
    match schema {
        Value::Object(object) => {
            for (key, value) in object {
                match value.as_str().filter(|_| key == "$ref") {
                    Some(name) => {
                        let name = name.trim_start_matches("#/$defs/").to_owned();
                        *uses.entry(name).or_default() += 1;
                    }
                    None => count_uses(value, uses),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| count_uses(value, uses)),
        _ => {}
    }
}

/// The keys of an object, in the order of its type: every one is required.
fn keys(schema: &Value) -> Vec<&String> {
    let known = schema["properties"].as_object();
    let required = schema["required"].as_array().into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let known: Vec<&String> = known.into_iter().flatten().map(|(key, _)| key).collect();
    let optional = known.iter().find(|key| !required.contains(&key.as_str()));
    assert_eq!(optional, None, "a key that may be absent: {schema}");
    let mut known = known;
    known.sort_by_key(|key| required.iter().position(|name| name == key));
    known
}

fn is_object(schema: &Value) -> bool {
    schema.get("properties").is_some() || variants(schema).any(|schema| schema["type"] == "object")
}

fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["oneOf"].as_array().into_iter().flatten()
}

/// A block of rows.
struct Block<'a> {
    schema: &'a Value,
    uses: &'a BTreeMap<String, usize>,
    rows: Vec<Row>,
}

/// A key, indented, its type, and its meaning.
struct Row {
    key: String,
    kind: String,
    meaning: String,
}

impl Block<'_> {
    fn add_keys(&mut self, of: &Value, keys: &[&String], above: &[&str], depth: usize) {
        for key in keys {
            let property = &of["properties"][key.as_str()];
            let value = Property::read(self.schema, property);
            let is_nested = is_object(value.schema) && !self.is_shared(value.name);
            let mut words = words_of(self.schema, property).join(", ");
            let mut kind = match value.name {
                _ if is_nested => "object".to_owned(),
                Some(name) if is_object(value.schema) => name.to_owned(),
                Some(name) if !words.is_empty() && self.is_shared(value.name) => {
                    words.clear();
                    name.to_owned()
                }
                _ if !words.is_empty() => "word".to_owned(),
                _ => kind_of(value.schema).to_owned(),
            };
            let has_only_keys = is_nested && KEYS_ONLY.contains(&key.as_str());
            if has_only_keys {
                words = self.key_names(value.schema);
            }
            if value.is_list {
                kind = format!("[{kind}]");
            }
            if value.is_nullable {
                kind += "?";
            }
            let meaning = meaning(value.meaning, &[above, &[key.as_str()]].concat());
            let is_boolean = kind.starts_with("boolean");
            let meaning = match meaning.strip_prefix("whether ") {
                Some(rest) if is_boolean => rest.to_owned(),
                _ => meaning,
            };
            let between = if words.is_empty() || meaning.is_empty() { "" } else { ": " };
            let meaning = format!("{meaning}{between}{words}");
            self.rows.push(Row { key: format!("{}{key}", "  ".repeat(depth)), kind, meaning });
            if is_nested && !has_only_keys {
                self.add_shapes(value.schema, &[key.as_str()], depth + 1);
            }
        }
    }

    /// The keys of an object, or of each of its variants.
    fn add_shapes(&mut self, object: &Value, above: &[&str], depth: usize) {
        for shape in variants(object).chain([object]) {
            self.add_keys(shape, &keys(shape), above, depth);
        }
    }

    /// The keys of an object in one line, with those of objects in it in braces.
    fn key_names(&self, object: &Value) -> String {
        let keys = keys(object).into_iter().map(|key| {
            let value = Property::read(self.schema, &object["properties"][key.as_str()]);
            if variants(value.schema).next().is_none()
                && is_object(value.schema)
                && !self.is_shared(value.name)
            {
                format!("{key} {{{}}}", self.key_names(value.schema))
            } else {
                key.clone()
            }
        });
        keys.collect::<Vec<_>>().join(", ")
    }

    fn is_shared(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.uses[name] > 1)
    }
}

impl std::fmt::Display for Block<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widest = |of: fn(&Row) -> &String| self.rows.iter().map(|row| of(row).len()).max();
        let key_width = widest(|row| &row.key).unwrap_or_default();
        let kind_width = widest(|row| &row.kind).unwrap_or_default();
        let indent = " ".repeat(key_width + kind_width + 4);
        for row in &self.rows {
            let start = format!("{:key_width$}  {:kind_width$}  ", row.key, row.kind);
            let mut line = start;
            for word in row.meaning.split_whitespace() {
                if line.len() + word.len() > WIDTH {
                    writeln!(out, "{}", line.trim_end())?;
                    line = indent.clone();
                }
                line += word;
                line.push(' ');
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// What a key holds.
struct Property<'a> {
    schema: &'a Value,
    /// The definition that it refers to.
    name: Option<&'a str>,
    meaning: &'a str,
    is_list: bool,
    is_nullable: bool,
}

impl<'a> Property<'a> {
    fn read(root: &'a Value, schema: &'a Value) -> Self {
        let (mut is_list, mut is_nullable) = (false, false);
        let (mut schema, mut name, mut meaning) = (schema, None, "");
        loop {
            if let Some(description) = schema["description"].as_str().filter(|_| meaning.is_empty())
            {
                meaning = description;
            }
            is_nullable |=
                schema["type"].as_array().is_some_and(|kinds| kinds.contains(&"null".into()));
            if let Some(choices) = schema["anyOf"].as_array() {
                let is_null = |choice: &Value| choice["type"] == "null";
                is_nullable |= choices.iter().any(is_null);
                schema = choices.iter().find(|choice| !is_null(choice)).expect("a type");
            } else if schema["type"] == "array" {
                is_list = true;
                schema = &schema["items"];
            } else if let Some(of) = schema["$ref"].as_str() {
                name = of.strip_prefix("#/$defs/");
                schema = &root["$defs"][name.expect("a definition")];
            } else {
                return Self { schema, name, meaning, is_list, is_nullable };
            }
        }
    }
}

/// The words that a value may be.
fn words_of<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a str> {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        return words_of(root, &root["$defs"][name]);
    }
    let constant = schema["const"].as_str().filter(|word| *word != juror::report::document::FORMAT);
    let listed = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    let items = schema.get("items").into_iter();
    let others = choices.chain(items).flat_map(|schema| words_of(root, schema));
    constant.into_iter().chain(listed).chain(others).collect()
}

fn kind_of(schema: &Value) -> &str {
    let kinds =
        schema["type"].as_array().and_then(|kinds| kinds.iter().find(|kind| *kind != "null"));
    match kinds.unwrap_or(&schema["type"]).as_str() {
        Some("string") => "text",
        Some(kind) => kind,
        None => "null",
    }
}

/// The start of a comment, and when the value is missing; empty if it says no more than the key and those above it.
fn meaning(comment: &str, keys: &[&str]) -> String {
    const EMPTY: [&str; 51] = [
        "1", "a", "about", "all", "an", "and", "are", "at", "be", "by", "do", "each", "error",
        "for", "from", "had", "has", "have", "how", "in", "is", "it", "its", "kind", "many", "may",
        "name", "number", "of", "on", "one", "output", "s", "size", "standard", "text", "that",
        "the", "there", "they", "to", "was", "were", "what", "when", "whether", "which", "why",
        "words", "writes", "wrote",
    ];
    let text = comment.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let text = text.replace("`None`", "null").replace("absent if", "null if");
    let sentence = text.split(". ").next().unwrap_or_default().trim_end_matches('.');
    let mut clauses = sentence.split("; ");
    let first = clauses.next().unwrap_or_default();
    let short = first.split([',', ':']).next().unwrap_or_default();
    let is_whole = short.split(' ').count() > 2 && !short.starts_with("If ");
    let first = if is_whole { short } else { first };
    let says_absence =
        |part: &&str| ["null if", "empty if", "0 if"].iter().any(|at| part.contains(at));
    let text = [first].into_iter().chain(clauses.filter(says_absence)).collect::<Vec<_>>();
    let text = text.join("; ").replace(['[', ']'], "");
    const STARTS: [&str; 5] = ["Number of ", "The ", "Its ", "A ", "An "];
    let article = STARTS.into_iter().find(|start| text.starts_with(start));
    let mut text = text[article.map_or(0, str::len)..].to_owned();
    if text.chars().nth(1).is_some_and(char::is_lowercase) {
        text[..1].make_ascii_lowercase();
    }
    let stem = |word: &str| word.trim_end_matches('s').to_lowercase();
    let known: BTreeSet<String> = keys.iter().flat_map(|key| key.split('_')).map(stem).collect();
    let mut words =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let says_more = words
        .any(|word| !EMPTY.contains(&word.to_lowercase().as_str()) && !known.contains(&stem(word)));
    if says_more { text } else { String::new() }
}
