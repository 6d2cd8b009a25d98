//! A source → mutants: the same source with one mistake in each.
//!
//! The syntax tree of the source shows where a mistake can be made; [`rules`](self) say which. A mutant replaces one
//! range of one file, so its effect can be read.

pub mod bundle;
mod finder;
pub mod operator;
pub mod original;
mod rules;
mod syntax;
#[cfg(test)]
mod tests;
pub mod wrapper;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use tree_sitter::{InputEdit, Parser, Point, Tree};

use crate::mutate::finder::{Edit, Finder};
use crate::mutate::operator::Operator;
use crate::mutate::syntax::Syntax;

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Its path in the program.
    pub name: PathBuf,
    /// Its content.
    pub text: String,
}

/// A source with one mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Its name: the operator, a digest of the line's words, and a number among those with this operator in equal
    /// lines.
    pub id: String,
    /// The kind of mistake.
    pub operator: Operator,
    /// The index of the file with the mistake.
    pub file: usize,
    /// The range of the change in the file, in bytes.
    pub range: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The original text.
    pub before: String,
    /// The text that replaces it.
    pub after: String,
}

impl Mutant {
    /// The file with the mistake; `text` is the original file.
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.range.start], self.after, &text[self.range.end..])
    }

    /// The lines that it changes, before and after; `text` is the original file.
    pub fn lines(&self, text: &str) -> [Vec<String>; 2] {
        let start = text[..self.range.start].rfind('\n').map_or(0, |at| at + 1);
        let rest = &text[self.range.end..];
        let end = self.range.end + rest.find('\n').unwrap_or(rest.len());
        let after = format!(
            "{}{}{}",
            &text[start..self.range.start],
            self.after,
            &text[self.range.end..end]
        );
        [&text[start..end], &after].map(|lines| lines.lines().map(str::to_owned).collect())
    }
}

/// Whether juror can make mutants in the language with this code.
pub fn knows(language: &str) -> bool {
    Syntax::of(language).is_some()
}

/// The mutants of a program, in the order of its files and lines; none in a language without a grammar.
pub fn mutants(language: &str, files: &[SourceText]) -> Vec<Mutant> {
    let Some(syntax) = Syntax::of(language) else { return Vec::new() };
    let mut all = Vec::new();
    for (file, source) in files.iter().enumerate() {
        all.extend(
            edits(syntax, &source.text).into_iter().map(|edit| mutant(file, &source.text, edit)),
        );
    }
    let mut numbers: BTreeMap<(Operator, String), usize> = BTreeMap::new();
    for mutant in &mut all {
        let mark = mark(&files[mutant.file].text, mutant.line);
        let number = numbers.entry((mutant.operator, mark.clone())).or_default();
        *number += 1;
        mutant.id = format!("{}-{mark}-{number}", mutant.operator.name());
    }
    all
}

/// A digest of a line's words: names stay the same if lines before it come and go.
fn mark(text: &str, line: usize) -> String {
    let line = text.lines().nth(line - 1).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let digest = Sha256::digest(words.join(" "));
    format!("{:02x}{:02x}", digest[0], digest[1])
}

fn mutant(file: usize, text: &str, edit: Edit) -> Mutant {
    let Point { row, column } = point(text, edit.range.start);
    let line = edit.range.start - column;
    Mutant {
        id: String::new(),
        operator: edit.operator,
        file,
        line: row + 1,
        column: text[line..edit.range.start].chars().count() + 1,
        before: text[edit.range.clone()].to_owned(),
        after: edit.after,
        range: edit.range,
    }
}

/// The edits of one file. Each yields a different text with no more syntax errors than the file.
fn edits(syntax: &'static Syntax, text: &str) -> Vec<Edit> {
    let Some(tree) = parse(syntax, text) else { return Vec::new() };
    let mut finder = Finder { syntax, text, edits: Vec::new() };
    finder.visit(tree.root_node());
    let mut edits = finder.edits;
    let rank = |edit: &Edit| Operator::ALL.iter().position(|it| *it == edit.operator);
    edits.sort_by_cached_key(|edit| (rank(edit), edit.range.start, edit.range.end));
    let faults = faults(&tree);
    let mut seen = HashSet::from([text.to_owned()]);
    edits.retain(|edit| {
        let changed =
            format!("{}{}{}", &text[..edit.range.start], edit.after, &text[edit.range.end..]);
        let again = || parse_again(syntax, &tree, edit, text, &changed);
        let is_formed = || again().is_some_and(|tree| self::faults(&tree) <= faults);
        let is_kept = !seen.contains(&changed) && is_formed();
        seen.insert(changed);
        is_kept
    });
    edits.sort_by_cached_key(|edit| (edit.range.start, edit.range.end, rank(edit)));
    edits
}

fn parse(syntax: &Syntax, text: &str) -> Option<Tree> {
    parser(syntax)?.parse(text, None)
}

/// Parses a changed text, reusing the unchanged part of the tree.
fn parse_again(
    syntax: &Syntax,
    tree: &Tree,
    edit: &Edit,
    text: &str,
    changed: &str,
) -> Option<Tree> {
    let mut tree = tree.clone();
    let (start, old_end) = (edit.range.start, edit.range.end);
    let new_end = start + edit.after.len();
    tree.edit(&InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(text, start),
        old_end_position: point(text, old_end),
        new_end_position: point(changed, new_end),
    });
    parser(syntax)?.parse(changed, Some(&tree))
}

fn point(text: &str, at: usize) -> Point {
    let before = &text[..at];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    Point::new(before.matches('\n').count(), at - line)
}

fn parser(syntax: &Syntax) -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&(syntax.grammar)()).ok()?;
    Some(parser)
}

/// The number of syntax errors in a tree.
fn faults(tree: &Tree) -> usize {
    let mut count = 0;
    let mut left = vec![tree.root_node()];
    while let Some(node) = left.pop() {
        if node.has_error() {
            count += usize::from(node.is_error() || node.is_missing());
            left.extend(finder::children(node));
        }
    }
    count
}
