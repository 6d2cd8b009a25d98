//! `include`: links to other test cases and to those of other directories.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::recipe::RecipeLink;
use crate::package::files::join;
use crate::package::node::Node;
use crate::package::recipe::MOST_CASES;
use crate::package::suggest::meant_or;
use crate::package::text::shown;

pub(super) struct Directory<'a> {
    /// Its path below `data/`; empty for `data/` itself.
    pub name: String,
    /// The same path as written in the recipe, without numbers.
    pub keys: String,
    pub includes: Vec<Node<'a>>,
    pub cases: Vec<Listed>,
}

/// An entry that makes cases.
pub(super) struct Listed {
    /// Its path below `data/` as written in the recipe, without numbers.
    pub keys: String,
    pub names: Vec<String>,
}

enum Target<'d> {
    Directory(usize),
    Cases(Vec<&'d str>),
}

/// Finds the cases of each `include`, as links with their nodes, and reports those that cannot be included.
pub(super) fn resolve<'a, 'd>(directories: &'d [Directory<'a>]) -> Vec<(RecipeLink, Node<'a>)> {
    let positions = directories.iter().enumerate();
    let by_keys: HashMap<&str, usize> = positions.map(|(at, it)| (it.keys.as_str(), at)).collect();
    let includes: Vec<Vec<(&Node<'a>, Target<'_>)>> = directories
        .iter()
        .map(|it| it.includes.iter().filter_map(|node| Some((node, target(node, directories)?))))
        .map(Iterator::collect)
        .collect();
    // The contents of each directory: inner directories, included ones, and cases.
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); directories.len()];
    let own = |it: &'d Directory<'_>| it.cases.iter().flat_map(|it| &it.names).map(String::as_str);
    let mut cases: Vec<Vec<&str>> = directories.iter().map(|it| own(it).collect()).collect();
    for (at, directory) in directories.iter().enumerate() {
        for (_, target) in &includes[at] {
            match target {
                Target::Directory(to) => inside[at].push(*to),
                Target::Cases(names) => cases[at].extend(names),
            }
        }
        let parent = directory.keys.rsplit_once('/');
        if let Some(parent) = parent.and_then(|(parent, _)| by_keys.get(parent)) {
            inside[*parent].push(at);
        }
    }
    let mut found = Vec::new();
    for (at, directory) in directories.iter().enumerate() {
        // A case may come in several ways, and be in the directory already.
        let mut brought: BTreeMap<&str, &Node<'a>> = BTreeMap::new();
        for (node, target) in &includes[at] {
            let names: Vec<&str> = match target {
                Target::Cases(names) => names.clone(),
                Target::Directory(to) => {
                    let mut reached = BTreeSet::from([*to]);
                    let mut left = vec![*to];
                    while let Some(at) = left.pop() {
                        left.extend(inside[at].iter().filter(|to| reached.insert(**to)));
                    }
                    if reached.contains(&at) {
                        let message = format!("`include` leads back to `{}`", directory.keys);
                        let help = "a directory cannot include one that contains or includes it";
                        node.error(message, help);
                        return Vec::new();
                    }
                    reached.iter().flat_map(|at| cases[*at].iter().copied()).collect()
                }
            };
            for name in names {
                brought.entry(name).or_insert(node);
            }
        }
        // More than any recipe needs; the caller reports it.
        if found.len() > MOST_CASES {
            return found;
        }
        found.extend(brought.into_iter().filter_map(|(case, node)| {
            let base = case.rsplit('/').next().unwrap_or(case);
            let name = join(&directory.name, base);
            (name != case).then(|| (RecipeLink { name, target: case.to_owned() }, node.clone()))
        }));
    }
    found
}

/// The target of an entry: by its path, or by its last name if that is unique.
fn target<'d>(include: &Node<'_>, all: &'d [Directory<'_>]) -> Option<Target<'d>> {
    let text = include.word().trim_matches('/');
    let last = |path: &str| !text.is_empty() && path.rsplit('/').next() == Some(text);
    let by_path = matching(all, |path| path == text);
    let found = if by_path.is_empty() { matching(all, last) } else { by_path };
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some((_, only)), None) => Some(only),
        (None, _) => {
            let message =
                format!("there is no directory or test case `{}` in this recipe", shown(text));
            let cases = all.iter().flat_map(|it| &it.cases).map(|it| &it.keys);
            let known = all.iter().map(|it| &it.keys).chain(cases).map(String::as_str);
            let otherwise = "give its path, such as `secret/group1`";
            let known = known.filter(|known| !known.is_empty());
            include.error(message, meant_or(text, known, otherwise));
            None
        }
        (Some((first, _)), Some((second, _))) => {
            let message = format!("`{}` can be {first} and {second}", shown(text));
            include.error(message, "write the whole path");
            None
        }
    }
}

/// The directories and entries whose paths match, each with its own path.
fn matching<'d>(
    all: &'d [Directory<'_>],
    is_meant: impl Fn(&str) -> bool,
) -> Vec<(&'d str, Target<'d>)> {
    let mut found = Vec::new();
    for (at, directory) in all.iter().enumerate() {
        let Directory { name, keys, .. } = directory;
        if !keys.is_empty() && (is_meant(keys) || is_meant(name)) {
            found.push((name.as_str(), Target::Directory(at)));
        }
        for entry in &directory.cases {
            let names = entry.names.iter().map(String::as_str);
            let names: Vec<&str> =
                names.filter(|name| is_meant(&entry.keys) || is_meant(name)).collect();
            if let Some(first) = names.first() {
                found.push((first, Target::Cases(names)));
            }
        }
    }
    found
}
