//! `include`: the cases of other directories, linked into this one.

use std::collections::hash_map::Entry;
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
    let graph = Graph::new(directories);
    let mut found = Vec::new();
    for (at, directory) in directories.iter().enumerate() {
        for Include { node, to } in &graph.includes[at] {
            let reached = graph.reached(*to);
            if reached.contains_key(&at) {
                report_circle(node, at, &reached, directories);
                return Vec::new();
            }
            // More than anybody wants; the reader of this says so.
            if found.len() > MOST_CASES {
                return found;
            }
            let cases = reached.keys().flat_map(|at| &directories[*at].cases);
            let cases: BTreeSet<&str> = cases.map(String::as_str).collect();
            found.extend(cases.into_iter().map(|case| {
                let base = case.rsplit('/').next().unwrap_or(case);
                let name = join(&directory.name, base);
                Found { link: RecipeLink { name, target: case.to_owned() }, node: node.clone() }
            }));
        }
    }
    found
}

/// An `include`, and the directory that it names.
struct Include<'a> {
    node: Node<'a>,
    to: usize,
}

/// What each directory has in it, by the positions of directories: those below it, and those it includes.
struct Graph<'a> {
    inner: Vec<Vec<usize>>,
    includes: Vec<Vec<Include<'a>>>,
}

impl<'a> Graph<'a> {
    fn new(directories: &[Directory<'a>]) -> Self {
        let positions = directories.iter().enumerate();
        let by_keys: HashMap<&str, usize> =
            positions.map(|(at, it)| (it.keys.as_str(), at)).collect();
        let mut inner = vec![Vec::new(); directories.len()];
        for (to, directory) in directories.iter().enumerate() {
            let parent =
                directory.keys.rsplit_once('/').and_then(|(parent, _)| by_keys.get(parent));
            if let Some(parent) = parent {
                inner[*parent].push(to);
            }
        }
        let include = |node: &Node<'a>| {
            let to = target(node, directories)?;
            Some(Include { node: node.clone(), to })
        };
        let of_directory = |it: &Directory<'a>| it.includes.iter().filter_map(include).collect();
        Self { inner, includes: directories.iter().map(of_directory).collect() }
    }

    /// All that can be reached from here, each with the one that it was reached from.
    fn reached(&self, from: usize) -> HashMap<usize, usize> {
        let mut reached = HashMap::from([(from, from)]);
        let mut left = vec![from];
        while let Some(at) = left.pop() {
            let included = self.includes[at].iter().map(|it| it.to);
            for to in self.inner[at].iter().copied().chain(included) {
                if let Entry::Vacant(entry) = reached.entry(to) {
                    entry.insert(at);
                    left.push(to);
                }
            }
        }
        reached
    }
}

/// Names the way from what the directory includes back to the directory.
fn report_circle(
    include: &Node<'_>,
    at: usize,
    reached: &HashMap<usize, usize>,
    directories: &[Directory<'_>],
) {
    let back = |at: &usize| reached.get(at).copied().filter(|from| from != at);
    let mut way: Vec<usize> = std::iter::successors(Some(at), back).collect();
    way.push(at);
    let names: Vec<&str> = way.iter().rev().map(|at| directories[*at].keys.as_str()).collect();
    let message = format!("`include` leads in a circle: {}", names.join(" → "));
    let help = "a directory cannot include what it is in, or what includes it; remove one";
    include.error(message, help);
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
