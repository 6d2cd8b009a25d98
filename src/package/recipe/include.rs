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

/// Follows all entries; those that lead nowhere or in a circle are reported.
pub(super) fn resolve<'a>(directories: &[Directory<'a>]) -> Vec<Found<'a>> {
    let graph = Graph { directories, edges: edges(directories) };
    if graph.report_circle() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, directory) in directories.iter().enumerate() {
        for edge in &graph.edges[at] {
            let Some(node) = edge.included else { continue };
            // More than anybody wants; the reader of this says so.
            if found.len() > MOST_CASES {
                return found;
            }
            found.extend(graph.cases(edge.to).into_iter().map(|case| {
                let base = case.rsplit('/').next().unwrap_or(case);
                let name = join(&directory.name, base);
                Found { link: RecipeLink { name, target: case.to_owned() }, node: node.clone() }
            }));
        }
    }
    found
}

/// The cases of a directory are also those of another.
struct Edge<'d, 'a> {
    to: usize,
    /// Where that is said; `None` where the other is in the directory.
    included: Option<&'d Node<'a>>,
}

/// For each directory, those whose cases are also its own.
fn edges<'d, 'a>(directories: &'d [Directory<'a>]) -> Vec<Vec<Edge<'d, 'a>>> {
    let by_keys: HashMap<&str, usize> = directories
        .iter()
        .enumerate()
        .map(|(at, directory)| (directory.keys.as_str(), at))
        .collect();
    let mut edges: Vec<Vec<Edge<'_, '_>>> = directories.iter().map(|_| Vec::new()).collect();
    for (to, directory) in directories.iter().enumerate() {
        let parent = directory.keys.rsplit_once('/').map(|(parent, _)| parent);
        if let Some(&parent) = parent.and_then(|parent| by_keys.get(parent)) {
            edges[parent].push(Edge { to, included: None });
        }
    }
    for (at, directory) in directories.iter().enumerate() {
        for include in &directory.includes {
            let target = target(include, directories);
            edges[at].extend(target.map(|to| Edge { to, included: Some(include) }));
        }
    }
    edges
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

struct Graph<'d, 'a> {
    directories: &'d [Directory<'a>],
    edges: Vec<Vec<Edge<'d, 'a>>>,
}

impl Graph<'_, '_> {
    /// The cases of a directory, those in what it includes too.
    fn cases(&self, at: usize) -> BTreeSet<&str> {
        let mut cases = BTreeSet::new();
        let mut seen = BTreeSet::from([at]);
        let mut left = vec![at];
        while let Some(at) = left.pop() {
            cases.extend(self.directories[at].cases.iter().map(String::as_str));
            let edges = self.edges[at].iter();
            left.extend(edges.map(|edge| edge.to).filter(|&to| seen.insert(to)));
        }
        cases
    }

    /// Whether some directory's cases are its own by way of others; the first such way is reported.
    fn report_circle(&self) -> bool {
        let on_circle = self.leading_to_circles();
        let Some(mut at) = on_circle.iter().position(|&on| on) else {
            return false;
        };
        // Each of these leads to another of them, so the way must come back to itself.
        let mut way: Vec<(usize, Option<&Node<'_>>)> = Vec::new();
        while !way.iter().any(|(other, _)| *other == at) {
            let next = self.edges[at].iter().find(|edge| on_circle[edge.to]);
            let Some(edge) = next else { return true };
            way.push((at, edge.included));
            at = edge.to;
        }
        way.drain(..way.iter().position(|(other, _)| *other == at).unwrap_or(0));
        let names = way.iter().map(|(at, _)| *at).chain([at]);
        let names: Vec<&str> = names.map(|at| self.directories[at].keys.as_str()).collect();
        if let Some(include) = way.iter().find_map(|(_, include)| *include) {
            let message = format!("`include` leads in a circle: {}", names.join(" → "));
            let help = "a directory cannot include what it is in, or what includes it; remove one";
            include.error(message, help);
        }
        true
    }

    /// The directories from which one comes to a circle.
    fn leading_to_circles(&self) -> Vec<bool> {
        let mut out: Vec<usize> = self.edges.iter().map(Vec::len).collect();
        let mut into: Vec<Vec<usize>> = self.edges.iter().map(|_| Vec::new()).collect();
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                into[edge.to].push(from);
            }
        }
        let mut ends: Vec<usize> = (0..out.len()).filter(|&at| out[at] == 0).collect();
        while let Some(end) = ends.pop() {
            for &from in &into[end] {
                out[from] -= 1;
                if out[from] == 0 {
                    ends.push(from);
                }
            }
        }
        out.into_iter().map(|left| left > 0).collect()
    }
}
