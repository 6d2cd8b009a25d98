//! Settings for readers: nodes that know their path and report their own faults.
//!
//! A parser is a `fn(&Node) -> ParseResult<T>`. A fault is reported at once, so that one run shows all of them. The
//! `ReportedFault` that a parser returns only proves it. A [`Map`] hands its nodes to parsers, one line for each key.

use std::slice::from_ref;

use crate::package::faults::{Faults, ReportedFault};
use crate::package::suggest::{comma_list, did_you_mean_or};
use crate::package::text::{FileReporter, TextFile, TextRange, excerpt};
use crate::package::yaml::{MapEntry, RawValue, Scalar, ScalarMeaning, Value};
use juror_core::diagnostic::SourcePlace;
use juror_core::root::FilePath;

/// The result of a parser: a value, or proof that its fault is reported.
pub(super) type ParseResult<T> = Result<T, ReportedFault>;

pub(super) struct SettingsFile<'f> {
    file: TextFile,
    faults: &'f Faults,
    pub raw: RawValue,
}

impl<'f> SettingsFile<'f> {
    /// Reads a file with the parser of its language; `None` if it is unreadable, which is reported.
    pub(super) fn read(path: &FilePath, faults: &'f Faults, parse: Parser) -> Option<Self> {
        Self::of(TextFile::read(path, faults)?, faults, parse)
    }

    pub(super) fn of(file: TextFile, faults: &'f Faults, parse: Parser) -> Option<Self> {
        let raw = parse(FileReporter { file: &file, faults }).ok()?;
        Some(Self { file, faults, raw })
    }

    pub(super) fn root(&self) -> Node<'_> {
        let Self { file, faults, raw } = self;
        let page = FileReporter { file, faults };
        Node {
            raw,
            path: String::new(),
            key: "",
            key_range: raw.range,
            range: Some(raw.range),
            page,
        }
    }
}

type Parser = fn(FileReporter<'_>) -> ParseResult<RawValue>;

#[derive(Clone)]
pub(super) struct Node<'a> {
    pub raw: &'a RawValue,
    /// Its name in messages, such as `limits.memory`; empty for the whole file. Items have the name of their sequence.
    pub path: String,
    /// Empty if the value has no key.
    pub key: &'a str,
    key_range: TextRange,
    /// Where its faults are reported; `None` for the file as a whole.
    range: Option<TextRange>,
    page: FileReporter<'a>,
}

impl<'a> Node<'a> {
    fn item_node(&self, raw: &'a RawValue) -> Self {
        Self { raw, key: "", key_range: raw.range, range: Some(raw.range), ..self.clone() }
    }

    fn entry_node(&self, entry: &'a MapEntry) -> Self {
        let MapEntry { key, key_range, value: raw } = entry;
        let dot = if self.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{}", self.path, excerpt(key));
        Self { raw, path, key, key_range: *key_range, range: Some(raw.range), page: self.page }
    }

    pub(super) fn with_path(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Reports a fault at its place; the help may be empty.
    pub(super) fn error(
        &self,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ReportedFault {
        self.page.faults.error(self.place(), message, help)
    }

    /// Reports an error that does not prevent judging.
    pub(super) fn publishing_error(&self, message: impl Into<String>, help: impl Into<String>) {
        self.page.faults.publishing_error(self.place(), message, help);
    }

    pub(super) fn warning(&self, message: impl Into<String>, help: impl Into<String>) {
        self.page.faults.warning(self.place(), message, help);
    }

    /// The same node, whose remarks are about its key.
    pub(super) fn at_key(&self) -> Self {
        Self { range: Some(self.key_range), ..self.clone() }
    }

    /// The same node, whose remarks are about the file as a whole.
    pub(super) fn at_file(&self) -> Self {
        Self { range: None, ..self.clone() }
    }

    pub(super) fn must_be(&self, expected: &str) -> ReportedFault {
        let name = self.display_name();
        if self.is_null() {
            let message = format!("{name} has no value; it must be {expected}");
            return self.error(message, "give it a value or remove the line");
        }
        match self.raw.value {
            Value::Broken => ReportedFault::already_reported(),
            _ => self.error(format!("{name} must be {expected}, not {}", self.kind_text()), ""),
        }
    }

    pub(super) fn out_of_bounds(&self, expected: &str) -> ReportedFault {
        let message =
            format!("{} must be {expected}, not {}", self.display_name(), excerpt(self.word()));
        self.error(message, "")
    }

    pub(super) fn unknown_word(&self, message: String, known: &[&str]) -> ReportedFault {
        self.error(message, help_for_word(self.word(), known))
    }

    /// Whether further remarks about the file would be dropped, so that callers can skip the work.
    pub(super) fn has_max_errors(&self) -> bool {
        self.page.has_max_errors()
    }

    pub(super) fn place(&self) -> SourcePlace {
        let file = self.page.file;
        self.range.map_or_else(|| file.path.as_path().into(), |range| file.place(range))
    }

    pub(super) fn line(&self) -> u32 {
        self.raw.range.line
    }

    pub(super) fn key_line(&self) -> u32 {
        self.key_range.line
    }

    pub(super) fn display_name(&self) -> String {
        if self.path.is_empty() { "the file".to_owned() } else { format!("`{}`", self.path) }
    }

    pub(super) fn kind_text(&self) -> String {
        let kind = match self.raw.scalar().map(Scalar::meaning) {
            Some(ScalarMeaning::Null) => "nothing",
            Some(ScalarMeaning::Boolean(_)) => "the truth value",
            Some(ScalarMeaning::Integer(_)) => "the integer",
            Some(ScalarMeaning::Float(_)) => "the number",
            Some(ScalarMeaning::Text) => "the text",
            None if self.is_map() => return "a map".to_owned(),
            None => return "a sequence".to_owned(),
        };
        format!("{kind} `{}`", excerpt(self.word()))
    }

    pub(super) fn meaning(&self) -> Option<ScalarMeaning> {
        self.raw.scalar().map(Scalar::meaning)
    }

    /// A scalar as written; empty for a map or a sequence.
    pub(super) fn word(&self) -> &'a str {
        self.raw.scalar().map_or("", |scalar| &scalar.text)
    }

    pub(super) fn is_null(&self) -> bool {
        self.meaning() == Some(ScalarMeaning::Null)
    }

    /// `None` if the value is nothing, as in an empty file.
    pub(super) fn non_null(self) -> Option<Self> {
        Some(self).filter(|node| !node.is_null())
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self.raw.value, Value::Map(_))
    }

    /// The value as a map with known keys; messages call each key by its path.
    pub(super) fn map(&self) -> ParseResult<Map<'a>> {
        self.named_map(&self.path, &self.path)
    }

    /// The value as a map. Messages call it `name`, and its keys `prefix.key`.
    pub(super) fn named_map(&self, prefix: &str, name: &str) -> ParseResult<Map<'a>> {
        match &self.raw.value {
            Value::Map(entries) => Ok(self.clone().with_path(prefix).into_map(name, entries)),
            _ => Err(self.clone().with_path(name).must_be("a map of keys to values")),
        }
    }

    pub(super) fn empty_map(&self) -> Map<'a> {
        self.clone().into_map("", &[])
    }

    fn into_map(self, name: &str, entries: &'a [MapEntry]) -> Map<'a> {
        let name = name.to_owned();
        let known = Vec::new();
        Map {
            node: self,
            name,
            entries,
            known,
            renamed_keys: &[],
            keys_for_people: &[],
            skips_nulls: false,
            is_rest_taken: false,
        }
    }

    /// The values of a map with arbitrary keys.
    pub(super) fn entries(
        &self,
        expected: &str,
    ) -> ParseResult<impl Iterator<Item = Self> + use<'a>> {
        let Value::Map(entries) = &self.raw.value else { return Err(self.must_be(expected)) };
        let node = self.clone();
        Ok(entries.iter().map(move |entry| node.entry_node(entry)))
    }

    /// The items of a sequence, which may be empty.
    pub(super) fn items(
        &self,
        expected: &str,
    ) -> ParseResult<impl Iterator<Item = Self> + use<'a>> {
        let node = self.clone();
        match &self.raw.value {
            Value::Sequence(items) => Ok(items.iter().map(move |item| node.item_node(item))),
            Value::Scalar(scalar) if !self.is_null() => {
                let message =
                    format!("{} must be {expected}, not {}", self.display_name(), self.kind_text());
                Err(self.error(message, format!("put it in brackets: [{}]", excerpt(&scalar.text))))
            }
            _ => Err(self.must_be(expected)),
        }
    }

    /// The value, or the items of a sequence of at least one.
    pub(super) fn one_or_more(&self) -> impl Iterator<Item = Self> + use<'a> {
        let items = match &self.raw.value {
            Value::Sequence(items) => items,
            _ => from_ref(self.raw),
        };
        if items.is_empty() {
            self.error(format!("{} is empty", self.display_name()), "fill it or remove the line");
        }
        let node = self.clone();
        items.iter().map(move |item| node.item_node(item))
    }
}

/// A map with known keys: when it is dropped, keys that nobody asked for are reported.
pub(super) struct Map<'a> {
    pub node: Node<'a>,
    name: String,
    entries: &'a [MapEntry],
    known: Vec<&'static str>,
    renamed_keys: RenamedKeys,
    keys_for_people: &'static [&'static str],
    skips_nulls: bool,
    is_rest_taken: bool,
}

/// Keys of another version or tool, each with its replacement here.
pub(super) type RenamedKeys = &'static [(&'static str, &'static str)];

impl<'a> Map<'a> {
    /// Keys of other versions get a message of their own.
    pub(super) fn with_renamed_keys(mut self, renamed: RenamedKeys) -> Self {
        self.renamed_keys = renamed;
        self
    }

    /// These unknown keys mean nothing to judges.
    pub(super) fn with_keys_for_people(mut self, keys: &'static [&'static str]) -> Self {
        self.keys_for_people = keys;
        self
    }

    /// Keys without a value count as absent.
    pub(super) fn without_nulls(mut self) -> Self {
        self.skips_nulls = true;
        self
    }

    pub(super) fn node(&mut self, key: &'static str) -> Option<Node<'a>> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(self.node.entry_node(entry)).filter(|node| !(self.skips_nulls && node.is_null()))
    }

    /// Makes keys known that mean nothing to juror. Blanks separate them.
    pub(super) fn ignore(&mut self, keys: &'static str) {
        for key in keys.split(' ') {
            self.node(key);
        }
    }

    /// The value of a key; `None` if the key is absent.
    pub(super) fn try_get<T>(
        &mut self,
        key: &'static str,
        parse: impl FnOnce(&Node<'a>) -> ParseResult<T>,
    ) -> ParseResult<Option<T>> {
        self.node(key).as_ref().map(parse).transpose()
    }

    /// The value of a key; `None` if it is absent or invalid.
    pub(super) fn get<T>(
        &mut self,
        key: &'static str,
        parse: impl FnOnce(&Node<'a>) -> ParseResult<T>,
    ) -> Option<T> {
        self.try_get(key, parse).ok().flatten()
    }

    /// Sets `into` to the value of a key. Keeps it if the key is absent or invalid.
    pub(super) fn set<T, U: From<T>>(
        &mut self,
        key: &'static str,
        into: &mut U,
        parse: impl FnOnce(&Node<'a>) -> ParseResult<T>,
    ) {
        if let Some(value) = self.get(key, parse) {
            *into = value.into();
        }
    }

    pub(super) fn known_keys(&self) -> &[&'static str] {
        &self.known
    }

    /// Takes the keys that nobody asked for so far; the caller reports them.
    pub(super) fn take_rest(&mut self) -> Vec<Node<'a>> {
        self.is_rest_taken = true;
        let rest = self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str()));
        rest.map(|entry| self.node.entry_node(entry)).collect()
    }

    /// Warns of keys that nobody asked for: other judges ignore unknown keys.
    pub(super) fn warn_of_rest(&mut self) {
        for node in self.take_rest() {
            if node.has_max_errors() {
                return;
            }
            let message = format!("unknown key `{}` is ignored", excerpt(node.key));
            node.at_key().warning(message, self.help_for_key(node.key));
        }
    }

    pub(super) fn help_for_key(&self, key: &str) -> String {
        if let Some((_, help)) = self.renamed_keys.iter().find(|(old, _)| *old == key) {
            return (*help).to_owned();
        }
        if key == "<<" {
            return "merge keys are not part of YAML 1.2; write the keys out".to_owned();
        }
        let known = || self.known.iter().copied();
        did_you_mean_or(key, known(), format!("known keys: {}", comma_list(known())))
    }
}

impl Drop for Map<'_> {
    fn drop(&mut self) {
        if self.is_rest_taken {
            return;
        }
        let name = &self.name;
        let in_map = if name.is_empty() { String::new() } else { format!(" in `{name}`") };
        for node in self.take_rest() {
            if node.has_max_errors() {
                return;
            }
            let message = format!("unknown key `{}`{in_map}", excerpt(node.key));
            let help = self.help_for_key(node.key);
            if self.keys_for_people.contains(&node.key) {
                node.at_key().publishing_error(message, help);
            } else {
                node.at_key().error(message, help);
            }
        }
    }
}

pub(super) fn help_for_word(word: &str, known: &[&str]) -> String {
    let otherwise = match known {
        [] => "there are none".to_owned(),
        _ => format!("known: {}", comma_list(known.iter().copied())),
    };
    did_you_mean_or(word, known.iter().copied(), otherwise)
}
