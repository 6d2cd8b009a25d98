//! `include`: links to other test cases and to those of other directories.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::package::files::join_name;
use crate::package::node::Node;
use crate::package::recipe::MAX_CASES;
use crate::package::suggest::did_you_mean_or;
use crate::package::text::excerpt;
use juror_core::recipe::RecipeLink;

pub(super) struct RecipeDirectory<'a> {
    /// Its path below `data/`; empty for `data/` itself.
    pub name: String,
    /// The same path as written in the recipe, without numbers.
    pub key_path: String,
    pub includes: Vec<Node<'a>>,
    pub cases: Vec<EntryCases>,
}

/// An entry that makes cases.
pub(super) struct EntryCases {
    /// Its path below `data/` as written in the recipe, without numbers.
    pub key_path: String,
    pub names: Vec<String>,
}

enum IncludeTarget<'d> {
    Directory(usize),
    Cases(Vec<&'d str>),
}

/// Finds the cases of each `include`, as links with their nodes, and reports those that cannot be included.
pub(super) fn resolve_includes<'a, 'd>(
    directories: &'d [RecipeDirectory<'a>],
) -> Vec<(RecipeLink, Node<'a>)> {
    let positions = directories.iter().enumerate();
    let by_keys: HashMap<&str, usize> =
        positions.map(|(index, directory)| (directory.key_path.as_str(), index)).collect();
    let includes: Vec<Vec<(&Node<'a>, IncludeTarget<'_>)>> = directories
        .iter()
        .map(|dir| {
            dir.includes.iter().filter_map(|node| Some((node, find_target(node, directories)?)))
        })
        .map(Iterator::collect)
        .collect();
    // The contents of each directory: inner directories, included ones, and cases.
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); directories.len()];
    let own = |dir: &'d RecipeDirectory<'_>| {
        dir.cases.iter().flat_map(|case| &case.names).map(String::as_str)
    };
    let mut cases: Vec<Vec<&str>> = directories.iter().map(|dir| own(dir).collect()).collect();
    for (index, directory) in directories.iter().enumerate() {
        for (_, target) in &includes[index] {
            match target {
                IncludeTarget::Directory(to) => inside[index].push(*to),
                IncludeTarget::Cases(names) => cases[index].extend(names),
            }
        }
        let parent = directory.key_path.rsplit_once('/');
        if let Some(parent) = parent.and_then(|(parent, _)| by_keys.get(parent)) {
            inside[*parent].push(index);
        }
    }
    let mut found = Vec::new();
    for (index, directory) in directories.iter().enumerate() {
        // A case may come in several ways, and be in the directory already.
        let mut included: BTreeMap<&str, &Node<'a>> = BTreeMap::new();
        for (node, target) in &includes[index] {
            let names: Vec<&str> = match target {
                IncludeTarget::Cases(names) => names.clone(),
                IncludeTarget::Directory(to) => {
                    let mut reached = BTreeSet::from([*to]);
                    let mut pending = vec![*to];
                    while let Some(index) = pending.pop() {
                        pending.extend(inside[index].iter().filter(|to| reached.insert(**to)));
                    }
                    if reached.contains(&index) {
                        let message = format!("`include` leads back to `{}`", directory.key_path);
                        let help = "a directory cannot include one that contains or includes it";
                        node.error(message, help);
                        return Vec::new();
                    }
                    reached.iter().flat_map(|index| cases[*index].iter().copied()).collect()
                }
            };
            for name in names {
                included.entry(name).or_insert(node);
            }
        }
        // More than any recipe needs; the caller reports it.
        if found.len() > MAX_CASES {
            return found;
        }
        found.extend(included.into_iter().filter_map(|(case, node)| {
            let base = case.rsplit('/').next().unwrap_or(case);
            let name = join_name(&directory.name, base);
            (name != case).then(|| (RecipeLink { name, target: case.to_owned() }, node.clone()))
        }));
    }
    found
}

/// The target of an entry: by its path, or by its last name if that is unique.
fn find_target<'d>(
    include: &Node<'_>,
    all: &'d [RecipeDirectory<'_>],
) -> Option<IncludeTarget<'d>> {
    let text = include.word().trim_matches('/');
    let last = |path: &str| !text.is_empty() && path.rsplit('/').next() == Some(text);
    let by_path = find_matching(all, |path| path == text);
    let targets = if by_path.is_empty() { find_matching(all, last) } else { by_path };
    let mut matching = targets.into_iter();
    match (matching.next(), matching.next()) {
        (Some((_, only)), None) => Some(only),
        (None, _) => {
            let message =
                format!("there is no directory or test case `{}` in this recipe", excerpt(text));
            let cases = all.iter().flat_map(|dir| &dir.cases).map(|case| &case.key_path);
            let known = all.iter().map(|dir| &dir.key_path).chain(cases).map(String::as_str);
            let otherwise = "give its path, such as `secret/group1`";
            let known = known.filter(|known| !known.is_empty());
            include.error(message, did_you_mean_or(text, known, otherwise));
            None
        }
        (Some((first, _)), Some((second, _))) => {
            let message = format!("`{}` is ambiguous: {first} or {second}", excerpt(text));
            include.error(message, "write the whole path");
            None
        }
    }
}

/// The directories and entries whose paths match, each with its own path.
fn find_matching<'d>(
    all: &'d [RecipeDirectory<'_>],
    is_meant: impl Fn(&str) -> bool,
) -> Vec<(&'d str, IncludeTarget<'d>)> {
    let mut targets = Vec::new();
    for (index, directory) in all.iter().enumerate() {
        let RecipeDirectory { name, key_path: keys, .. } = directory;
        if !keys.is_empty() && (is_meant(keys) || is_meant(name)) {
            targets.push((name.as_str(), IncludeTarget::Directory(index)));
        }
        for entry in &directory.cases {
            let names = entry.names.iter().map(String::as_str);
            let names: Vec<&str> =
                names.filter(|name| is_meant(&entry.key_path) || is_meant(name)).collect();
            if let Some(first) = names.first() {
                targets.push((first, IncludeTarget::Cases(names)));
            }
        }
    }
    targets
}
