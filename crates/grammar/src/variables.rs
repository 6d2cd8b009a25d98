//! The variables of an input by name, and its choices by test case.

use std::collections::BTreeMap;

use crate::number::Int;
use crate::program::{Grammar, Instruction};
use crate::tree::{InputNode, InputTree, all_nodes};

/// A named variable that integers or texts are read into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputVariable {
    /// Without indices.
    pub name: String,
    /// Indexes in [`Grammar::sites`].
    pub sites: Vec<usize>,
    pub is_text: bool,
    /// Whether it is read once, not in a loop. The loop over test cases does not count.
    pub is_single: bool,
    /// Whether each test case has its own.
    pub is_per_case: bool,
    pub is_count: bool,
    pub is_case_count: bool,
    /// `None` if the bound is not the same everywhere.
    pub min: Option<Int>,
    /// `None` if the bound is not the same everywhere.
    pub max: Option<Int>,
}

/// In the order in which they are first read.
pub fn variables(grammar: &Grammar) -> Vec<InputVariable> {
    let mut by_name: BTreeMap<&str, InputVariable> = BTreeMap::new();
    for (at, site) in grammar.sites.iter().enumerate() {
        let name = site.label.split('[').next().unwrap_or_default();
        let (is_text, bounds) = match &grammar.instructions[site.instruction] {
            Instruction::Int { min, max, .. } => (false, [min.constant_int(), max.constant_int()]),
            Instruction::Regex { .. } => (true, [None, None]),
            _ => continue,
        };
        if site.variable.is_none() {
            continue;
        }
        let is_per_case = site.loops.first().is_some_and(|first| grammar.loops[*first].is_cases);
        let is_single = site.loops.len() == usize::from(is_per_case);
        let [min, max] = bounds;
        let new = || InputVariable {
            name: name.to_owned(),
            sites: Vec::new(),
            is_text,
            is_single,
            is_per_case,
            is_count: false,
            is_case_count: false,
            min: min.cloned(),
            max: max.cloned(),
        };
        let variable = by_name.entry(name).or_insert_with(new);
        let kind = (is_text, is_single, is_per_case);
        if (variable.is_text, variable.is_single, variable.is_per_case) != kind {
            continue;
        }
        variable.sites.push(at);
        variable.is_count |= site.is_count;
        variable.is_case_count |= site.is_case_count;
        variable.min = variable.min.take().filter(|known| Some(known) == min);
        variable.max = variable.max.take().filter(|known| Some(known) == max);
    }
    let mut all: Vec<InputVariable> = by_name.into_values().collect();
    all.sort_by_key(|variable| variable.sites[0]);
    all
}

/// The choices outside of test cases, and those of each test case, with loops flattened. If a grammar has no test
/// cases, all choices form a single one.
pub fn split_cases<'t>(
    grammar: &Grammar,
    tree: &'t InputTree,
) -> (Vec<&'t InputNode>, Vec<Vec<&'t InputNode>>) {
    let (mut shared, mut cases) = (Vec::new(), Vec::new());
    for node in &tree.nodes {
        match node {
            InputNode::Loop(loop_node) if grammar.loops[loop_node.id].is_cases => {
                cases.extend(loop_node.iterations.iter().map(|nodes| flattened(nodes)));
            }
            node => shared.extend(flattened(std::slice::from_ref(node))),
        }
    }
    if !grammar.loops.iter().any(|for_loop| for_loop.is_cases) {
        cases.push(std::mem::take(&mut shared));
    }
    (shared, cases)
}

fn flattened(nodes: &[InputNode]) -> Vec<&InputNode> {
    let mut all = all_nodes(nodes);
    all.retain(|node| !matches!(node, InputNode::Loop(_)));
    all
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::compile::parse_grammar;
    use crate::tree::parse;

    #[test]
    fn variables_have_bounds_and_roles() {
        let check = |text: &str, input: &str, expected: &[&str], sizes: &[usize]| {
            let grammar =
                parse_grammar(Path::new("g.ctd"), text.as_bytes()).grammar.expect("a grammar");
            let found: Vec<String> = variables(&grammar)
                .iter()
                .map(|variable| {
                    let bound =
                        |bound: &Option<Int>| bound.as_ref().map_or("?".to_owned(), Int::to_string);
                    let words = [
                        (variable.is_case_count, "cases"),
                        (variable.is_count && !variable.is_case_count, "count"),
                        (variable.is_text, "text"),
                        (!variable.is_single, "row"),
                        (variable.is_per_case, "each"),
                    ];
                    let words = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
                    let words: Vec<&str> = words.collect();
                    let name = &variable.name;
                    format!(
                        "{name} {}..{} {}",
                        bound(&variable.min),
                        bound(&variable.max),
                        words.join(" ")
                    )
                })
                .collect();
            assert_eq!(found, expected, "{text}");
            let tree = parse(&grammar, input.as_bytes(), Path::new("1.in")).expect("valid");
            let (_, cases) = split_cases(&grammar, &tree);
            assert_eq!(cases.iter().map(Vec::len).collect::<Vec<_>>(), sizes, "{text}");
        };
        check(
            "INT(2,9,n) NEWLINE REPI(i,n,SPACE) INT(1,n,a[i]) END NEWLINE REGEX(\"[ab]+\", s) NEWLINE",
            "2\n1 2\nab\n",
            &["n 2..9 count", "a 1..? row", "s ?..? text"],
            &[4],
        );
        check(
            "INT(1,5,t) NEWLINE REP(t) INT(1,8,n) NEWLINE REPI(i,n) REPI(j,n,SPACE) INT(0,1,a[i,j]) END NEWLINE END END",
            "2\n1\n1\n2\n0 0\n1 1\n",
            &["t 1..5 cases", "n 1..8 count each", "a 0..1 row each"],
            &[2, 5],
        );
    }
}
