//! Makes mutants: the same source with one mistake in each.
//!
//! The syntax tree of the source shows where a mistake is possible; [`rules`](self) say which. A mutant replaces one
//! range of one file, so a reader sees its effect.

pub mod bundle;
mod finder;
pub mod operator;
pub mod original;
mod rules;
mod syntax;
#[cfg(test)]
mod tests;
pub mod wrapper;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use tree_sitter::{Parser, Tree};

use crate::faults::finder::{Edit, Finder};
use crate::faults::operator::Operator;
use crate::faults::syntax::{Role, Syntax};

/// Approximate number of bytes that are parsed to check the edits of one file: some seconds. If a file needs more,
/// only every second, third or later edit is checked.
const PARSED_BYTES_MAX: usize = 16 << 20;

/// Upper bound on the bytes of a file to mutate, as on submissions in most contests: the time grows with the square of
/// the number of nodes.
const FILE_BYTES_MAX: usize = 128 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    pub name: PathBuf,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The operator, a digest of the line's words, and a number among the mutants with this operator in equal lines.
    pub id: String,
    pub operator: Operator,
    /// The index of the file with the mistake.
    pub file: usize,
    /// In bytes.
    pub range: Range<usize>,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub before: String,
    pub after: String,
}

impl Mutant {
    /// Changes `text`, the original file.
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.range.start], self.after, &text[self.range.end..])
    }

    /// The changed lines, before and after; `text` is the original file.
    pub fn lines(&self, text: &str) -> [String; 2] {
        let end = self.range.start + self.after.len();
        let before = whole_lines(text, self.range.clone());
        [before, whole_lines(&self.apply(text), self.range.start..end)]
    }
}

fn whole_lines(text: &str, part: Range<usize>) -> String {
    let start = text[..part.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[part.end..].find('\n').map_or(text.len(), |at| part.end + at);
    text[start..end].to_owned()
}

pub fn supports(language: &str) -> bool {
    Syntax::of(language).is_some()
}

/// In the order of files and lines. Empty for a language without a grammar.
pub fn mutants(language: &str, files: &[SourceText]) -> Vec<Mutant> {
    let Some(syntax) = Syntax::of(language) else { return Vec::new() };
    let mut all = Vec::new();
    for (file, source) in files.iter().enumerate() {
        all.extend(
            valid_edits(syntax, &source.text, PARSED_BYTES_MAX)
                .into_iter()
                .map(|edit| mutant(file, &source.text, edit)),
        );
    }
    let mut numbers: BTreeMap<(Operator, String), usize> = BTreeMap::new();
    for mutant in &mut all {
        let digest = line_digest(&files[mutant.file].text, mutant.range.start);
        let number = numbers.entry((mutant.operator, digest.clone())).or_default();
        *number += 1;
        mutant.id = format!("{}-{digest}-{number}", mutant.operator.name());
    }
    all
}

/// A digest of a line's words: names stay the same if other lines come and go.
fn line_digest(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let digest = Sha256::digest(words.join(" "));
    format!("{:02x}{:02x}", digest[0], digest[1])
}

fn mutant(file: usize, text: &str, edit: Edit) -> Mutant {
    let before = &text[..edit.range.start];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    Mutant {
        id: String::new(),
        operator: edit.operator,
        file,
        line: before.matches('\n').count() + 1,
        column: before[line..].chars().count() + 1,
        before: text[edit.range.clone()].to_owned(),
        after: edit.after,
        range: edit.range,
    }
}

/// Each edit yields a different text with no more syntax errors than the file. About `most` bytes are parsed to check
/// this.
fn valid_edits(syntax: &'static Syntax, text: &str, most: usize) -> Vec<Edit> {
    if text.len() > FILE_BYTES_MAX {
        return Vec::new();
    }
    let Some(mut parser) = parser(syntax) else { return Vec::new() };
    let Some(tree) = parser.parse(text, None) else { return Vec::new() };
    let mut finder = Finder { syntax, root: tree.root_node(), text, edits: Vec::new() };
    rules::visit(&mut finder, tree.root_node(), 0);
    let mut edits = finder.edits;
    let rank =
        |edit: &Edit| Operator::RANKED.iter().position(|(operator, _)| *operator == edit.operator);
    edits.sort_by_cached_key(|edit| (rank(edit), edit.range.start, edit.range.end));
    let mut faults = |text: &str| Some(self::syntax_errors(&parser.parse(text, None)?));
    let mut known: HashMap<Range<usize>, Option<usize>> = HashMap::new();
    let mut part = |edit: &Edit, faults: &mut dyn FnMut(&str) -> Option<usize>| {
        let part = enclosing_part(syntax, &tree, &edit.range);
        // A part that is not well-formed on its own proves nothing.
        let before = *known.entry(part.clone()).or_insert_with(|| faults(&text[part.clone()]));
        if before == Some(0) { part } else { 0..text.len() }
    };
    let cost: usize = edits.iter().map(|edit| part(edit, &mut faults).len()).sum();
    let mut number = 0..;
    edits.retain(|_| {
        number.next().is_some_and(|number: usize| number.is_multiple_of(cost / most + 1))
    });
    let errors = self::syntax_errors(&tree);
    let mut digests = HashSet::from([Sha256::digest(text)]);
    edits.retain(|edit| {
        let Edit { range, after, .. } = edit;
        let changed = |of: Range<usize>| {
            format!("{}{after}{}", &text[of.start..range.start], &text[range.end..of.end])
        };
        if !digests.insert(Sha256::digest(changed(0..text.len()))) {
            return false;
        }
        let part = part(edit, &mut faults);
        let before = if part.len() == text.len() { errors } else { 0 };
        faults(&changed(part)).is_some_and(|after| after <= before)
    });
    edits.sort_by_cached_key(|edit| (edit.range.start, edit.range.end, rank(edit)));
    edits
}

/// The smallest function around a range, else the whole top-level item. All of the file if the range is in several.
fn enclosing_part(syntax: &Syntax, tree: &Tree, range: &Range<usize>) -> Range<usize> {
    let root = tree.root_node();
    let Some(inner) = root.descendant_for_byte_range(range.start, range.end) else {
        return root.byte_range();
    };
    let mut part = inner;
    for node in std::iter::once(inner).chain(finder::ancestors(root, inner)) {
        if node == root {
            break;
        }
        part = node;
        let is_around = node.start_byte() < range.start && range.end < node.end_byte();
        if syntax.has_role(node.kind(), Role::Function) && is_around {
            break;
        }
    }
    part.byte_range()
}

fn parse(syntax: &Syntax, text: &str) -> Option<Tree> {
    parser(syntax)?.parse(text, None)
}

fn parser(syntax: &Syntax) -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&(syntax.grammar)()).ok()?;
    Some(parser)
}

fn syntax_errors(tree: &Tree) -> usize {
    let mut count = 0;
    let mut pending = vec![tree.root_node()];
    while let Some(node) = pending.pop() {
        if node.has_error() {
            count += usize::from(node.is_error() || node.is_missing());
            pending.extend(finder::children(node));
        }
    }
    count
}
