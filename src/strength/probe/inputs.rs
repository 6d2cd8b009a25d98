//! Inputs of growing size, from the grammar or from the package's generators with other numbers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::generate::fresh::FreshInputs;
use crate::grammar::generate::{End, Pin, generate_within};
use crate::grammar::program::Grammar;
use crate::grammar::shape::{self, Shape};
use crate::grammar::tree::parse;
use crate::model::recipe::{GeneratorCommand, InputSource, Recipe};
use crate::model::stop::Stop;
use crate::stress::by_recipe::{Call, Number, numbers};
use crate::stress::validity::Validity;

/// A number that determines the size of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the grammar or the generator.
    pub name: String,
    /// Its least value.
    pub least: u64,
    /// Its greatest value.
    pub most: u64,
}

/// A source of inputs of growing size. Their values are chosen in several manners.
pub trait Inputs: Sync {
    /// The names of the manners.
    fn manners(&self) -> Vec<String>;

    /// The variables that determine the size of an input of this manner.
    fn variables(&self, manner: usize) -> Vec<Variable>;

    /// A valid input with one variable close to this size, and the others at one end; `None` if there is none.
    ///
    /// # Errors
    /// If the judge failed or was interrupted.
    fn make(&self, wanted: &Wanted) -> Result<Option<SizedInput>, Stop>;
}

/// An input that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizedInput {
    /// The input.
    pub input: Arc<[u8]>,
    /// The value of the variable that was to be sized; 0 without one.
    pub size: u64,
}

/// Which input is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The manner in which its values are chosen.
    pub manner: usize,
    /// The index of a variable, and its value.
    pub sized: Option<(usize, u64)>,
    /// Whether the other variables are at their greatest values; otherwise they are at their least.
    pub others_at_most: bool,
}

/// How far a size may be from the wanted one, if it is small.
const CLOSE: u64 = 8;
/// The largest input that is made.
const LARGEST: usize = 32 << 20;
/// The largest input that is kept; larger ones are made again each time.
const KEPT: usize = 1 << 20;
/// The shapes of values to try: programs that are slow only on some values are mostly slow on one of these.
const SHAPES: [&str; 6] = ["random", "zeros", "all-equal", "increasing", "all-most", "alternating"];

/// Inputs from a grammar.
pub struct ByGrammar<'a> {
    grammar: &'a Grammar,
    /// The sites of each variable: sites of the same name belong together.
    sites: Vec<Vec<usize>>,
    variables: Vec<Variable>,
    shapes: Vec<Shape>,
    seed: u64,
    validity: &'a Validity<'a>,
    /// Inputs that were made; `None` if not valid. Only small ones are kept: all submissions get the same.
    made: Mutex<HashMap<Wanted, Option<SizedInput>>>,
}

impl<'a> ByGrammar<'a> {
    /// Inputs from this grammar that the other validators accept, too.
    pub fn new(grammar: &'a Grammar, validity: &'a Validity<'a>, seed: u64) -> Self {
        let mut sites: Vec<Vec<usize>> = Vec::new();
        let label = |site: usize| &grammar.sites[site].label;
        for site in grammar.sizes() {
            match sites.iter_mut().find(|group| label(group[0]) == label(site)) {
                Some(group) => group.push(site),
                None => sites.push(vec![site]),
            }
        }
        let mut variables = Vec::new();
        let all: Vec<usize> = sites.iter().flatten().copied().collect();
        sites.retain(|group| {
            let reach = |size| reached(grammar, group, &all, End::Near(size), seed);
            let Some((least, most)) = reach(0).zip(reach(i64::MAX)) else { return false };
            // A variable that hardly varies shows nothing.
            let varies = most >= least.saturating_add(4);
            if varies {
                variables.push(Variable { name: label(group[0]).clone(), least, most });
            }
            varies
        });
        let applicable = shape::applicable(grammar);
        let named = |name: &&str| applicable.iter().find(|shape| shape.name == *name).cloned();
        let shapes = SHAPES.iter().filter_map(named).collect();
        Self { grammar, sites, variables, shapes, seed, validity, made: Mutex::default() }
    }

    fn pins(&self, wanted: &Wanted) -> Vec<Pin> {
        let groups = self.sites.iter().enumerate();
        let pins = groups.flat_map(|(variable, sites)| {
            let end = match (wanted.sized, wanted.others_at_most) {
                (Some((sized, value)), _) if sized == variable => {
                    End::Near(i64::try_from(value).unwrap_or(i64::MAX))
                }
                (_, true) => End::Most,
                (_, false) => End::Least,
            };
            sites.iter().map(move |site| Pin { site: *site, end })
        });
        pins.collect()
    }
}

/// The value of a variable that is pinned.
fn reached(grammar: &Grammar, group: &[usize], all: &[usize], end: End, seed: u64) -> Option<u64> {
    // The other variables must leave it room: tries them first at their greatest values, then at their least.
    [End::Most, End::Least].into_iter().find_map(|others| {
        let at = |site: &usize| if group.contains(site) { end } else { others };
        let pins: Vec<Pin> = all.iter().map(|site| Pin { site: *site, end: at(site) }).collect();
        let text = generate_within(grammar, &shape::RANDOM, &pins, seed, Some(LARGEST)).ok()?;
        greatest(grammar, group, &text)
    })
}

/// The greatest value in a text at these sites.
fn greatest(grammar: &Grammar, group: &[usize], text: &[u8]) -> Option<u64> {
    let tree = parse(grammar, text, Path::new("")).ok()?;
    let mut found: Option<u64> = None;
    tree.each(&mut |node| {
        let int = node.int().filter(|int| group.contains(&int.site));
        let value = int.and_then(|int| u64::try_from(int.value.small()?).ok());
        found = found.max(value);
    });
    found
}

impl Inputs for ByGrammar<'_> {
    fn manners(&self) -> Vec<String> {
        self.shapes.iter().map(|shape| shape.name.to_owned()).collect()
    }

    fn variables(&self, _manner: usize) -> Vec<Variable> {
        self.variables.clone()
    }

    fn make(&self, wanted: &Wanted) -> Result<Option<SizedInput>, Stop> {
        let lock = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(wanted) {
            return Ok(known.clone());
        }
        let shape = &self.shapes[wanted.manner];
        let pins = self.pins(wanted);
        let made = generate_within(self.grammar, shape, &pins, self.seed, Some(LARGEST));
        let sized = |text: Vec<u8>| {
            let size = match wanted.sized {
                None => 0,
                Some((variable, size)) => {
                    let found = greatest(self.grammar, &self.sites[variable], &text)?;
                    // The problem may permit only some sizes.
                    (found.abs_diff(size) <= CLOSE.max(size / 64)).then_some(found)?
                }
            };
            Some(SizedInput { input: text.into(), size })
        };
        let mut made = made.ok().and_then(sized);
        if let Some(found) = &made
            && !self.validity.allows(&found.input)?
        {
            made = None;
        }
        if made.as_ref().is_none_or(|made| made.input.len() <= KEPT) {
            lock().insert(*wanted, made.clone());
        }
        Ok(made)
    }
}

/// Inputs from generators: a manner is a line of the recipe, a variable a number in it. That number is its greatest
/// value.
pub struct ByGenerators<'a> {
    lines: Vec<(GeneratorCommand, Vec<Number>)>,
    generators: &'a FreshInputs<'a>,
    seed: u64,
    validity: &'a Validity<'a>,
}

impl<'a> ByGenerators<'a> {
    /// From a few lines of this recipe: those with the largest numbers.
    pub fn new(
        recipe: &Recipe,
        generators: &'a FreshInputs<'a>,
        validity: &'a Validity<'a>,
        seed: u64,
    ) -> Self {
        const LINES: usize = 6;
        const LEAST: u64 = 8;
        let mut lines: Vec<(GeneratorCommand, Vec<Number>)> = Vec::new();
        for case in recipe.cases.iter().filter(|case| !case.name.starts_with("invalid")) {
            let InputSource::Command(command) = &case.input else { continue };
            let mut numbers = numbers(command);
            numbers.retain(|number| number.value >= LEAST);
            let is_new = lines.iter().all(|(other, _)| other.line != command.line);
            if !numbers.is_empty() && is_new {
                lines.push((command.clone(), numbers));
            }
        }
        let greatest = |numbers: &[Number]| numbers.iter().map(|it| it.value).max();
        lines.sort_by_key(|(_, numbers)| std::cmp::Reverse(greatest(numbers)));
        lines.truncate(LINES);
        Self { lines, generators, seed, validity }
    }
}

impl Inputs for ByGenerators<'_> {
    fn manners(&self) -> Vec<String> {
        self.lines.iter().map(|(command, _)| command.line.clone()).collect()
    }

    fn variables(&self, manner: usize) -> Vec<Variable> {
        let (command, numbers) = &self.lines[manner];
        let variable = |it: &Number| Variable { name: it.name(command), least: 1, most: it.value };
        numbers.iter().map(variable).collect()
    }

    fn make(&self, wanted: &Wanted) -> Result<Option<SizedInput>, Stop> {
        let (command, numbers) = &self.lines[wanted.manner];
        let command = match wanted.sized {
            // Nobody knows how small the other numbers may be.
            _ if !wanted.others_at_most => return Ok(None),
            None => command.clone(),
            Some((variable, value)) => numbers[variable].set(command, value),
        };
        let call = Call { command, seed: self.seed };
        let Ok(input) = call.input(self.generators)? else { return Ok(None) };
        let size = wanted.sized.map_or(0, |(_, size)| size);
        Ok(self.validity.allows(&input)?.then_some(SizedInput { input, size }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::compile;

    fn check(text: &str, expected: &[(&str, u64, u64)]) -> Vec<Arc<[u8]>> {
        let reading = compile::read(Path::new("g.ctd"), text.as_bytes());
        let grammar = reading.grammar.expect("a grammar");
        let validity = Validity::new(vec![&grammar], None);
        let inputs = ByGrammar::new(&grammar, &validity, 1);
        let variables = inputs.variables(0);
        let found: Vec<(&str, u64, u64)> =
            variables.iter().map(|it| (it.name.as_str(), it.least, it.most)).collect();
        assert_eq!(found, expected, "{text}");
        let wanted =
            |at, value| Wanted { manner: 0, sized: Some((at, value)), others_at_most: true };
        let middle = |at: usize| wanted(at, variables[at].most / 2);
        let made = (0..variables.len()).filter_map(|at| inputs.make(&middle(at)).unwrap());
        made.map(|made| made.input).collect()
    }

    #[test]
    fn each_size_of_the_grammar_is_scaled_alone() {
        let made = check(
            "INT(1, 10, t) NEWLINE REP(t) INT(2, 40, n) NEWLINE REP(n, SPACE) INT(0, 9) END NEWLINE END",
            &[("t", 1, 10), ("n", 2, 40)],
        );
        let lines = |at: usize| made[at].split(|byte| *byte == b'\n').count() - 1;
        assert_eq!((lines(0), lines(1)), (1 + 2 * 5, 1 + 2 * 10));
        assert!(made[0].starts_with(b"5\n40\n") && made[1].starts_with(b"10\n20\n"));
        // A single number, one that depends on another, and one that hardly varies.
        check("INT(1, 1000000000000, n) NEWLINE", &[("n", 1, 1_000_000_000_000)]);
        check(
            "INT(1, 50, n) SPACE INT(1, n, k) SPACE INT(1, 3, m) NEWLINE",
            &[("n", 1, 50), ("k", 1, 50)],
        );
        check("REP(3) INT(0, 1000, a) NEWLINE END", &[]);
    }

    #[test]
    fn sizes_that_the_problem_forbids_are_not_made() {
        let check = |condition: &str, sizes: &[(u64, Option<u64>)]| {
            let text = format!(
                "INT(1, 10, t) NEWLINE REP(t) INT(2, 1000, n) NEWLINE ASSERT({condition}) REP(n) INT(0, 9) NEWLINE END END"
            );
            let grammar = compile::read(Path::new("g.ctd"), text.as_bytes()).grammar.unwrap();
            let validity = Validity::new(vec![&grammar], None);
            let inputs = ByGrammar::new(&grammar, &validity, 1);
            let variables = inputs.variables(0);
            let at = variables.iter().position(|it| it.name == "n");
            let at = at.unwrap_or_else(|| panic!("{condition}: {variables:?}"));
            for (size, expected) in sizes {
                let sized = Some((at, *size));
                let made = inputs.make(&Wanted { manner: 0, sized, others_at_most: true }).unwrap();
                assert_eq!(made.map(|it| it.size), *expected, "{condition} {size}");
            }
        };
        check("n < 2000", &[(3, Some(3)), (1000, Some(1000))]);
        check("n % 2 == 0", &[(2, Some(2)), (3, Some(2)), (125, Some(124)), (1000, Some(1000))]);
        check("n % 7 == 0", &[(3, Some(7)), (100, Some(98)), (994, Some(994)), (1000, Some(994))]);
        check("n < 9 || n > 600", &[(3, Some(3)), (100, None), (950, Some(950))]);
    }
}
