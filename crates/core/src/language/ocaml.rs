//! The order of OCaml's sources: a module comes before those that use it, as `ocamldep -sort` prints them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::language::essence;
use crate::tree::TreeEntry;

/// Where the name of a module stands: after a keyword, as an alias or an argument, before a dot.
const MODULE_NAMES: &str =
    r"(?:\b(?:open!?|include|of)\s+|[=(]\s*)(?<used>[A-Z]\w*)|\b(?<before_dot>[A-Z]\w*)\s*\.";

/// The sources and their interfaces, in the order of dependencies, else of names. The compiler reports a circle.
pub fn in_order(files: &[TreeEntry], sources: &[PathBuf]) -> Vec<PathBuf> {
    let is_unit = |file: &&TreeEntry| {
        let source = file.name.with_extension("ml");
        (file.name == source || is_interface(&file.name)) && sources.contains(&source)
    };
    let units: Vec<&TreeEntry> = files.iter().filter(is_unit).collect();
    let key = |unit: &TreeEntry| (module_name(&unit.name), is_interface(&unit.name));
    let indexes = units.iter().enumerate().map(|(at, unit)| (key(unit), at));
    let indexes: HashMap<(String, bool), usize> = indexes.collect();
    let mut order = Vec::new();
    let mut is_seen = vec![false; units.len()];
    // Indexes, and whether all that it needs is in order.
    let mut open: Vec<(usize, bool)> = (0..units.len()).rev().map(|at| (at, false)).collect();
    while let Some((at, is_ready)) = open.pop() {
        if is_ready {
            order.push(units[at].name.clone());
        } else if !std::mem::replace(&mut is_seen[at], true) {
            open.push((at, true));
            open.extend(needed_units(units[at], &indexes).into_iter().map(|unit| (unit, false)));
        }
    }
    order
}

fn is_interface(unit: &Path) -> bool {
    unit.extension().is_some_and(|extension| extension == "mli")
}

/// The name of the file, with a capital letter.
fn module_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let (first, rest) = stem.split_at_checked(1).unwrap_or_default();
    first.to_uppercase() + rest
}

/// A source needs its interface, and the sources of other modules, which are linked before it. An interface needs
/// interfaces.
fn needed_units(unit: &TreeEntry, indexes: &HashMap<(String, bool), usize>) -> Vec<usize> {
    let (own, is_interface) = (module_name(&unit.name), is_interface(&unit.name));
    let code = essence::without_strings_and_comments("ocaml", unit.bytes());
    let code = String::from_utf8_lossy(&code);
    let pattern = Regex::new(MODULE_NAMES).ok();
    let matches = pattern.iter().flat_map(|pattern| pattern.captures_iter(&code));
    let names = matches.filter_map(|groups| groups.name("used").or(groups.name("before_dot")));
    let find = |name: &str, is_interface| indexes.get(&(name.to_owned(), is_interface)).copied();
    let others = names.map(|name| name.as_str()).filter(|name| *name != own);
    let units = others.filter_map(|name| find(name, is_interface).or(find(name, !is_interface)));
    let mut needed: Vec<usize> = units.chain(find(&own, true).filter(|_| !is_interface)).collect();
    needed.sort_unstable_by(|a, b| b.cmp(a));
    needed.dedup();
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Node;

    #[test]
    fn a_module_comes_before_those_that_use_it() {
        let check = |files: &[&str], expected: &str| {
            let entry =
                |(name, text): (&str, &str)| TreeEntry::new(name, Node::plain(text.as_bytes()));
            let files: Vec<TreeEntry> =
                files.iter().filter_map(|file| file.split_once('=')).map(entry).collect();
            let names = files.iter().map(|file| file.name.clone());
            let sources: Vec<PathBuf> = names
                .filter(|name| name.extension().is_some_and(|extension| extension == "ml"))
                .collect();
            let order = in_order(&files, &sources);
            let order: Vec<_> = order.iter().map(|name| name.to_string_lossy()).collect();
            assert_eq!(order.join(" "), expected, "{files:?}");
        };
        check(&["main.ml=let () = Util.f ()", "util.ml=let f () = ()"], "util.ml main.ml");
        check(&["a.ml=open Z", "z.ml=include Deep", "deep.ml=let x = 1"], "deep.ml z.ml a.ml");
        check(&["a.ml=module M = B", "b.ml=module S = Set.Make(C)", "c.ml="], "c.ml b.ml a.ml");
        check(&["a.ml=let x : 'a B.t -> 'b C.t = f", "b.ml=", "c.ml="], "b.ml c.ml a.ml");
        check(&["a.ml=(* B.f *) let s = \"B.f\"", "b.ml=open! A"], "a.ml b.ml");
        check(&["a.ml=let x = B.x", "b.ml=let x = A.x"], "b.ml a.ml");
        check(
            &["a.ml=B.f ()", "b.ml=let f = C.g", "b.mli=val f : C.t", "c.ml="],
            "c.ml b.mli b.ml a.ml",
        );
        check(
            &["a.ml=let f = B.g", "a.mli=type t", "b.ml=let g = 1", "b.mli=val g : A.t"],
            "a.mli b.mli b.ml a.ml",
        );
        check(&["a.ml=1", "alone.mli=val x : int"], "a.ml");
        check(&["b.ml=1", "c.ml=2"], "b.ml c.ml");
    }
}
