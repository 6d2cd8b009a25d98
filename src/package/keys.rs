//! Takes values out of YAML maps one by one; what nobody took is an unknown key.

use crate::package::languages;
use crate::package::suggest::{list, nearest};
use crate::package::text::{Range, Remarks, shown};
use crate::package::yaml::{Entry, Meaning, Node, Scalar, Value};

/// A map that is being read.
pub(super) struct Keys<'n> {
    /// Which map: empty for the file itself, else such as `limits`.
    name: String,
    entries: &'n [Entry],
    known: Vec<&'static str>,
    replaced: &'static [Replaced],
}

/// A key of another version or tool, and what stands for it here.
pub(super) struct Replaced {
    pub old: &'static str,
    pub help: &'static str,
}

impl<'n> Keys<'n> {
    /// Opens a map; anything else is reported.
    pub(super) fn open(name: &str, node: &'n Node, remarks: &mut Remarks<'_>) -> Option<Self> {
        match &node.value {
            Value::Map(entries) => Some(Self::over(name, entries)),
            Value::Broken => None,
            _ => {
                let what =
                    if name.is_empty() { "the file".to_owned() } else { format!("`{name}`") };
                wrong_type(&what, "a map of keys to values", node, remarks);
                None
            }
        }
    }

    pub(super) fn over(name: &str, entries: &'n [Entry]) -> Self {
        Self { name: name.to_owned(), entries, known: Vec::new(), replaced: &[] }
    }

    /// The same, with keys that deserve a word of their own when they are found.
    pub(super) fn replaced(mut self, replaced: &'static [Replaced]) -> Self {
        self.replaced = replaced;
        self
    }

    /// The entry of this key, if it is there.
    pub(super) fn entry(&mut self, key: &'static str) -> Option<&'n Entry> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of this key, if it is there.
    pub(super) fn take(&mut self, key: &'static str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value of a key that was asked for before, if it is there.
    pub(super) fn take_any(&self, key: &str) -> Option<&'n Node> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.key == key).map(|it| &it.value)
    }

    /// The path of a key in the file, such as `limits.memory`.
    pub(super) fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    pub(super) fn text(&mut self, key: &'static str, remarks: &mut Remarks<'_>) -> Option<String> {
        let node = self.take(key)?;
        text(&self.path(key), node, remarks)
    }

    pub(super) fn boolean(&mut self, key: &'static str, remarks: &mut Remarks<'_>) -> Option<bool> {
        let node = self.take(key)?;
        boolean(&self.path(key), node, remarks)
    }

    /// The keys that were asked for.
    pub(super) fn known(&self) -> Vec<&'static str> {
        self.known.clone()
    }

    /// Entries that nobody took.
    pub(super) fn rest(&self) -> impl Iterator<Item = &'n Entry> + use<'n, '_> {
        let entries = self.entries.iter();
        entries.filter(|entry| !self.known.contains(&entry.key.as_str()))
    }

    /// Reports the keys that nobody took.
    pub(super) fn finish(self, remarks: &mut Remarks<'_>) {
        for entry in self.rest() {
            if remarks.is_full() {
                return;
            }
            let help = self.help_for(&entry.key);
            let place =
                if self.name.is_empty() { String::new() } else { format!(" in `{}`", self.name) };
            let message = format!("unknown key `{}`{place}", shown(&entry.key));
            remarks.error(entry.key_range, message, Some(&help));
        }
    }

    fn help_for(&self, key: &str) -> String {
        if let Some(replaced) = self.replaced.iter().find(|replaced| replaced.old == key) {
            return replaced.help.to_owned();
        }
        if key == "<<" {
            return "merge keys are no part of YAML 1.2; write the keys out".to_owned();
        }
        match nearest(key, self.known.iter().copied()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("known keys: {}", list(self.known.iter().copied())),
        }
    }
}

/// What a node is, for messages.
fn kind(node: &Node) -> String {
    match &node.value {
        Value::Map(_) => "a map".to_owned(),
        Value::Sequence(_) => "a sequence".to_owned(),
        Value::Broken => "broken".to_owned(),
        Value::Scalar(scalar) => format!("{} `{}`", scalar_kind(scalar), shown(&scalar.text)),
    }
}

fn scalar_kind(scalar: &Scalar) -> &'static str {
    match scalar.meaning() {
        Meaning::Null => "nothing",
        Meaning::Boolean(_) => "the truth value",
        Meaning::Integer(_) => "the integer",
        Meaning::Float(_) => "the number",
        Meaning::Text => "the text",
    }
}

/// Reports that `what` is not `wanted`.
pub(super) fn wrong_type(what: &str, wanted: &str, node: &Node, remarks: &mut Remarks<'_>) {
    if is_null(node) {
        let message = format!("{what} has no value; it must be {wanted}");
        remarks.error(node.range, message, Some("give it a value or remove the line"));
    } else if !matches!(node.value, Value::Broken) {
        let message = format!("{what} must be {wanted}, not {}", kind(node));
        remarks.error(node.range, message, None);
    }
}

pub(super) fn is_null(node: &Node) -> bool {
    matches!(&node.value, Value::Scalar(scalar) if scalar.meaning() == Meaning::Null)
}

fn scalar(node: &Node) -> Option<&Scalar> {
    match &node.value {
        Value::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}

/// A text. Plain numbers and truth values are taken as they are written, with a warning: other
/// readers see `1.0` as a number and may write it differently.
pub(super) fn text(what: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<String> {
    match scalar(node).map(|scalar| (scalar, scalar.meaning())) {
        Some((scalar, Meaning::Text)) => Some(scalar.text.clone()),
        None | Some((_, Meaning::Null)) => {
            wrong_type(&format!("`{what}`"), "a text", node, remarks);
            None
        }
        Some((scalar, _)) => {
            let message = format!("`{what}` must be a text, but YAML sees {}", kind(node));
            let help = format!("put it in quotes: \"{}\"", shown(&scalar.text));
            remarks.warning(node.range, message, Some(&help));
            Some(scalar.text.clone())
        }
    }
}

/// A text with something in it.
pub(super) fn filled_text(what: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<String> {
    let text = text(what, node, remarks)?;
    if text.trim().is_empty() {
        remarks.error(node.range, format!("`{what}` is empty"), None);
        return None;
    }
    Some(text)
}

pub(super) fn boolean(what: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<bool> {
    if let Some(Meaning::Boolean(value)) = scalar(node).map(Scalar::meaning) {
        return Some(value);
    }
    let yes_or_no = ["yes", "no", "on", "off"];
    match scalar(node).map(|scalar| scalar.text.to_lowercase()) {
        Some(word) if yes_or_no.contains(&word.as_str()) => {
            let meant = matches!(word.as_str(), "yes" | "on");
            let message = format!("`{what}` must be `true` or `false`, not {}", kind(node));
            remarks.error(node.range, message, Some(&format!("write `{meant}`")));
        }
        _ => wrong_type(&format!("`{what}`"), "`true` or `false`", node, remarks),
    }
    None
}

/// An integer of at least 0.
pub(super) fn natural(
    what: &str,
    wanted: &str,
    node: &Node,
    remarks: &mut Remarks<'_>,
) -> Option<u32> {
    match scalar(node).map(Scalar::meaning) {
        Some(Meaning::Integer(value)) if value.is_none_or(|value| value > i64::from(u32::MAX)) => {
            remarks.error(node.range, format!("`{what}` is too large"), None);
            None
        }
        Some(Meaning::Integer(Some(value))) if value >= 0 => u32::try_from(value).ok(),
        Some(Meaning::Integer(_) | Meaning::Float(_)) => {
            let text = scalar(node).map_or("", |scalar| &scalar.text);
            let message = format!("`{what}` must be {wanted}, not {}", shown(text));
            remarks.error(node.range, message, None);
            None
        }
        _ => {
            wrong_type(&format!("`{what}`"), wanted, node, remarks);
            None
        }
    }
}

/// An integer above 0, in this unit.
pub(super) fn positive_integer(
    what: &str,
    unit: &str,
    node: &Node,
    remarks: &mut Remarks<'_>,
) -> Option<u64> {
    let wanted = &format!("an integer above 0, in {unit}");
    match scalar(node).map(Scalar::meaning) {
        Some(Meaning::Integer(Some(value))) if value > 0 => u64::try_from(value).ok(),
        Some(Meaning::Integer(None)) => {
            remarks.error(node.range, format!("`{what}` is too large"), None);
            None
        }
        Some(Meaning::Integer(_) | Meaning::Float(_)) => {
            let text = scalar(node).map_or("", |scalar| &scalar.text);
            let message = format!("`{what}` must be {wanted}, not {}", shown(text));
            remarks.error(node.range, message, None);
            None
        }
        _ => {
            wrong_type(&format!("`{what}`"), wanted, node, remarks);
            None
        }
    }
}

/// A finite number, at least `least` or above it.
pub(super) fn number(
    what: &str,
    bound: Bound,
    node: &Node,
    remarks: &mut Remarks<'_>,
) -> Option<f64> {
    let wanted = match bound {
        Bound::Above(least) => format!("a number above {least}"),
        Bound::AtLeast(least) => format!("a number of at least {least}"),
    };
    let value = match scalar(node).map(Scalar::meaning) {
        Some(Meaning::Integer(Some(value))) => value as f64,
        Some(Meaning::Integer(None)) => f64::INFINITY,
        Some(Meaning::Float(value)) => value,
        _ => {
            wrong_type(&format!("`{what}`"), &wanted, node, remarks);
            return None;
        }
    };
    let holds = match bound {
        Bound::Above(least) => value > least,
        Bound::AtLeast(least) => value >= least,
    };
    if !(holds && value.is_finite()) {
        let text = scalar(node).map_or("", |scalar| &scalar.text);
        let message = format!("`{what}` must be {wanted}, not {}", shown(text));
        remarks.error(node.range, message, None);
        return None;
    }
    Some(value)
}

/// What a number must not fall below.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Above(f64),
    AtLeast(f64),
}

/// A sequence; anything else is reported.
pub(super) fn sequence<'n>(
    what: &str,
    wanted: &str,
    node: &'n Node,
    remarks: &mut Remarks<'_>,
) -> Option<&'n [Node]> {
    match &node.value {
        Value::Sequence(items) => Some(items),
        Value::Scalar(scalar) if scalar.meaning() != Meaning::Null => {
            let message = format!("`{what}` must be {wanted}, not {}", kind(node));
            let help = format!("put it in brackets: [{}]", shown(&scalar.text));
            remarks.error(node.range, message, Some(&help));
            None
        }
        _ => {
            wrong_type(&format!("`{what}`"), wanted, node, remarks);
            None
        }
    }
}

/// A sequence of texts; may be empty.
pub(super) fn texts(what: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<Vec<String>> {
    let items = sequence(what, "a sequence of texts", node, remarks)?;
    let texts = items.iter().map(|item| text(what, item, remarks));
    // Reads all items before giving up, so that each fault is reported.
    let texts: Vec<Option<String>> = texts.collect();
    texts.into_iter().collect()
}

/// One value, or a sequence of at least one.
pub(super) fn one_or_more<'n>(what: &str, node: &'n Node, remarks: &mut Remarks<'_>) -> &'n [Node] {
    match &node.value {
        Value::Sequence(items) => {
            if items.is_empty() {
                let help = "fill it or remove the line";
                remarks.error(node.range, format!("`{what}` is empty"), Some(help));
            }
            items
        }
        _ => std::slice::from_ref(node),
    }
}

/// One of the words of `known`; another is reported with the nearest one.
pub(super) fn unknown_word(
    message: &str,
    word: &str,
    known: &[&str],
    range: Range,
    remarks: &mut Remarks<'_>,
) {
    let help = match nearest(word, known.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("known: {}", list(known.iter().copied())),
    };
    remarks.error(range, message, Some(&help));
}

/// The code of a programming language; another word is reported.
pub(super) fn programming_language(
    what: &str,
    node: &Node,
    remarks: &mut Remarks<'_>,
) -> Option<String> {
    let code = text(what, node, remarks)?;
    if !languages::is_programming_language(&code) {
        let message = format!("`{}` is no language code", shown(&code));
        remarks.error(node.range, message, Some(&languages::help_for(&code)));
        return None;
    }
    Some(code)
}
