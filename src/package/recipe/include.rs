//! `include`: the cases of other directories, linked into this one.

use std::collections::{BTreeSet, HashMap};

use crate::model::recipe::RecipeLink;
use crate::package::node::Node;
use crate::package::recipe::{MOST_CASES, join};
use crate::package::suggest::meant_or;
use crate::package::text::shown;

/// A directory of the recipe.
pub(super) struct Directory<'a> {
    /// Its path below `data/`, empty for that itself.
    pub name: String,
    /// The same as the recipe spells it, without numbers.
    pub keys: String,
    /// What it includes.
    pub includes: Vec<Node<'a>>,
    /// The names of the cases directly in it.
    pub cases: Vec<String>,
}

/// A link, and the entry that it comes from.
pub(super) struct Found<'a> {
    pub link: RecipeLink,
    pub node: Node<'a>,
}

/// Finds the cases that each `include` brings, and says what cannot be included.
pub(super) fn resolve<'a>(directories: &[Directory<'a>]) -> Vec<Found<'a>> {
    let positions = directories.iter().enumerate();
    let by_keys: HashMap<&str, usize> = positions.map(|(at, it)| (it.keys.as_str(), at)).collect();
    let includes: Vec<Vec<(&Node<'a>, usize)>> = directories
        .iter()
        .map(|it| it.includes.iter().filter_map(|node| Some((node, target(node, directories)?))))
        .map(Iterator::collect)
        .collect();
    // What each directory has in it: those below it, and those it includes.
    let mut inside: Vec<Vec<usize>> =
        includes.iter().map(|it| it.iter().map(|(_, to)| *to).collect()).collect();
    for (to, directory) in directories.iter().enumerate() {
        let parent = directory.keys.rsplit_once('/').and_then(|(parent, _)| by_keys.get(parent));
        if let Some(parent) = parent {
            inside[*parent].push(to);
        }
    }
    let mut found = Vec::new();
    for (at, directory) in directories.iter().enumerate() {
        for (node, to) in &includes[at] {
            let mut reached = BTreeSet::from([*to]);
            let mut left = vec![*to];
            while let Some(at) = left.pop() {
                left.extend(inside[at].iter().filter(|to| reached.insert(**to)));
            }
            if reached.contains(&at) {
                let help = "a directory cannot include what it is in, or what includes it";
                node.error(format!("`include` leads back to `{}`", directory.keys), help);
                return Vec::new();
            }
            // More than anybody wants; the reader of this says so.
            if found.len() > MOST_CASES {
                return found;
            }
            let cases: BTreeSet<&String> =
                reached.iter().flat_map(|at| &directories[*at].cases).collect();
            found.extend(cases.into_iter().map(|case| {
                let name = join(&directory.name, case.rsplit('/').next().unwrap_or(case));
                let link = RecipeLink { name, target: case.clone() };
                Found { link, node: (*node).clone() }
            }));
        }
    }
    found
}

/// The directory that an entry means: by its path, or by its last name where only one has that.
fn target(include: &Node<'_>, all: &[Directory<'_>]) -> Option<usize> {
    let text = include.word().trim_matches('/');
    let is_path = |it: &Directory<'_>| it.keys == text || it.name == text;
    if let Some(at) = all.iter().position(|it| !it.keys.is_empty() && is_path(it)) {
        return Some(at);
    }
    let last = |path: &str| path.rsplit('/').next() == Some(text);
    let named: Vec<usize> =
        (0..all.len()).filter(|&at| last(&all[at].keys) || last(&all[at].name)).collect();
    match named[..] {
        [only] => Some(only),
        [] => {
            let message = format!("there is no directory `{}` in this recipe", shown(text));
            let known = all.iter().map(|it| it.keys.as_str());
            let otherwise = "name a directory by its path, such as `secret/group1`";
            let known = known.filter(|known| !known.is_empty());
            include.error(message, meant_or(text, known, otherwise));
            None
        }
        _ => {
            let names: Vec<&str> = named.iter().map(|&at| all[at].keys.as_str()).collect();
            let message = format!("`{}` can be {}", shown(text), names.join(" and "));
            include.error(message, "write the whole path");
            None
        }
    }
}
