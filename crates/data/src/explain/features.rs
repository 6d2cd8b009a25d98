//! The figures that are measured of an input and its answer.
//!
//! Each figure is a number, even a yes or no: so hypotheses are tests of rows of numbers, and know nothing of inputs.

use std::collections::BTreeSet;

use juror_grammar::number::Int;
use juror_grammar::program::Grammar;
use juror_grammar::tree::{InputNode, InputTree};
use juror_grammar::variables::{InputVariable, split_cases, variables};

/// A figure of a test case: yes is 1, no is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    pub kind: FigureKind,
    pub name: String,
    pub sites: Vec<usize>,
    pub is_per_case: bool,
    /// The variable that it is compared with, with that variable's commands.
    pub other: Option<(String, Vec<usize>)>,
    pub min: Option<i128>,
    pub max: Option<i128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FigureKind {
    Value,
    SameValue,
    SmallerValue,
    Cases,
    /// How many values a row has, if no variable counts them.
    Length,
    Sum,
    Least,
    Greatest,
    AllEqual,
    TwoEqual,
    Neighbours,
    /// Whether no value is smaller than the one before.
    Sorted,
    /// Whether no value is larger than the one before.
    SortedDown,
    EndsEqual,
    Palindrome,
    Zero,
    PowerOfTwo,
    /// Whether a test case has a smaller value than the one before.
    SmallerLater,
    /// Whether a test case has a larger value than the first.
    LargerLater,
    SameCases,
    Bytes,
    Lines,
    Answer,
    FirstAnswer,
    SecondAnswer,
    /// Of three or more numbers.
    GreatestAnswer,
    /// Of three or more numbers.
    LeastAnswer,
    /// Of two numbers.
    AnswersRise,
    AnswersEqual,
    AnswerBytes,
}

impl FigureKind {
    pub fn is_number(self) -> bool {
        !matches!(self.wording(), Wording::Flag(..))
    }

    pub fn depends_on_answer(self) -> bool {
        // These come last.
        self >= Self::Answer
    }

    /// Higher for hypotheses that are less likely.
    pub fn cost(self) -> u32 {
        use FigureKind::*;
        match self {
            Value | Cases | Length | AllEqual | TwoEqual | Zero => 1,
            SameValue | SmallerValue | Sum | Least | Greatest | Sorted | SortedDown | EndsEqual
            | Neighbours | SmallerLater | LargerLater | SameCases | AnswersRise | AnswersEqual => 2,
            Palindrome | PowerOfTwo | Lines | Answer | FirstAnswer | SecondAnswer
            | GreatestAnswer | LeastAnswer => 3,
            Bytes | AnswerBytes => 4,
        }
    }

    pub(super) fn wording(self) -> Wording {
        use FigureKind::*;
        use Wording::{Amount, Extreme, Flag, Number};
        match self {
            Value => Number("{name}"),
            SameValue => Flag("{name} and {other} are equal", "{name} and {other} differ"),
            SmallerValue => {
                Flag("{name} is smaller than {other}", "{name} is not smaller than {other}")
            }
            Cases => Amount("there are", "test cases"),
            Length => Amount("{name} has", "values"),
            Sum => Number("the sum of {name}"),
            Least => Extreme("a value of {name} is", "all values of {name} are"),
            Greatest => Extreme("all values of {name} are", "a value of {name} is"),
            AllEqual => Flag("all values of {name} are equal", "two values of {name} differ"),
            TwoEqual => Flag("two values of {name} are equal", "all values of {name} differ"),
            Neighbours => {
                Flag("two neighbours in {name} are equal", "no two neighbours in {name} are equal")
            }
            Sorted => Flag("{name} is sorted", "{name} is not sorted"),
            SortedDown => Flag("{name} is sorted from the greatest down", "{name} rises somewhere"),
            EndsEqual => Flag(
                "the first and the last value of {name} are equal",
                "the first and the last value of {name} differ",
            ),
            Palindrome => {
                Flag("{name} reads the same backwards", "{name} reads differently backwards")
            }
            Zero => Flag("a value of {name} is zero", "no value of {name} is zero"),
            PowerOfTwo => Flag("{name} is a power of two", "{name} is not a power of two"),
            SmallerLater => Flag(
                "a test case has a smaller {name} than the one before",
                "no test case has a smaller {name} than the one before",
            ),
            LargerLater => Flag(
                "a test case has a larger {name} than the first",
                "no test case has a larger {name} than the first",
            ),
            SameCases => Flag("two test cases are equal", "all test cases differ"),
            Bytes => Amount("the input has", "bytes"),
            Lines => Amount("the input has", "lines"),
            Answer => Number("the answer"),
            FirstAnswer => Number("the first number of the answer"),
            SecondAnswer => Number("the second number of the answer"),
            GreatestAnswer => Number("the greatest number of the answer"),
            LeastAnswer => Number("the least number of the answer"),
            AnswersRise => Flag(
                "the first number of the answer is smaller than the second",
                "the first number of the answer is not smaller than the second",
            ),
            AnswersEqual => {
                Flag("both numbers of the answer are equal", "both numbers of the answer differ")
            }
            AnswerBytes => Amount("the answer has", "bytes"),
        }
    }
}

/// The words for a feature; `{name}` stands for its variable, `{other}` for the one that it is compared with.
pub(super) enum Wording {
    Flag(&'static str, &'static str),
    Number(&'static str),
    /// If it is at most so much, and if it is at least so much.
    Extreme(&'static str, &'static str),
    Amount(&'static str, &'static str),
}

const MOST_PAIRED: usize = 4;

/// The figures of one test case, one for each feature.
pub type FeatureRow = Vec<Option<i128>>;

pub struct Features<'g> {
    pub grammar: &'g Grammar,
    variables: Vec<InputVariable>,
    pub features: Vec<Feature>,
}

impl<'g> Features<'g> {
    pub fn new(grammar: &'g Grammar) -> Self {
        use FigureKind::*;
        let variables = variables(grammar);
        let has_cases = variables.iter().any(|variable| variable.is_case_count);
        let mut list = Vec::new();
        let bound = |bound: &Option<Int>| bound.as_ref().and_then(number);
        let is_measured = |variable: &&InputVariable| {
            variable.is_per_case || !has_cases || variable.is_case_count
        };
        for variable in variables.iter().filter(is_measured) {
            let (min, max) = (bound(&variable.min), bound(&variable.max));
            let mut add = |kind: FigureKind, min: Option<i128>, max: Option<i128>| {
                let (name, sites) = (variable.name.clone(), variable.sites.clone());
                let is_per_case = has_cases && variable.is_per_case;
                list.push(Feature { kind, name, sites, is_per_case, other: None, min, max });
            };
            let flag = [AllEqual, TwoEqual, Neighbours, Sorted, SortedDown, EndsEqual, Palindrome];
            match (variable.is_text, variable.is_single) {
                _ if variable.is_case_count => add(Cases, min, max),
                (false, true) => {
                    add(Value, min, max);
                    if variable.is_count {
                        add(PowerOfTwo, None, None);
                    }
                }
                (true, true) => {
                    add(Length, None, None);
                    [AllEqual, Palindrome].into_iter().for_each(|kind| add(kind, None, None));
                }
                (false, false) => {
                    let mut counts = variables.iter().filter(|other| other.is_count);
                    if !counts.any(|count| count.is_per_case == variable.is_per_case) {
                        add(Length, None, None);
                    }
                    add(Sum, None, None);
                    add(Least, min, max);
                    add(Greatest, min, max);
                    flag.into_iter().for_each(|kind| add(kind, None, None));
                    if min.is_none_or(|min| min <= 0) && max.is_none_or(|max| max >= 0) {
                        add(Zero, None, None);
                    }
                }
                (true, false) => {}
            }
        }
        let plain = |kind: FigureKind, name: &str, is_per_case: bool| Feature {
            kind,
            name: name.to_owned(),
            sites: Vec::new(),
            is_per_case,
            other: None,
            min: None,
            max: None,
        };
        let single: Vec<&InputVariable> = variables
            .iter()
            .filter(|variable| variable.is_single && !variable.is_text && !variable.is_case_count)
            .collect();
        // All pairs of many variables would be too many.
        for (at, one) in single.iter().enumerate().take(MOST_PAIRED) {
            for other in single[at + 1..].iter().take(MOST_PAIRED) {
                if one.is_per_case == other.is_per_case && (one.is_per_case || !has_cases) {
                    list.extend([SameValue, SmallerValue].map(|kind| Feature {
                        sites: one.sites.clone(),
                        other: Some((other.name.clone(), other.sites.clone())),
                        ..plain(kind, &one.name, has_cases)
                    }));
                }
            }
        }
        if has_cases {
            let size = variables.iter().find(|variable| variable.is_per_case && variable.is_count);
            if let Some(size) = size {
                list.push(plain(SmallerLater, &size.name, false));
                list.push(plain(LargerLater, &size.name, false));
            }
            list.push(plain(SameCases, "", false));
        }
        list.extend([Bytes, Lines].map(|kind| plain(kind, "", false)));
        list.push(plain(AnswerBytes, "", false));
        let of_answer = [
            Answer,
            FirstAnswer,
            SecondAnswer,
            GreatestAnswer,
            LeastAnswer,
            AnswersRise,
            AnswersEqual,
        ];
        list.extend(of_answer.map(|kind| plain(kind, "", has_cases)));
        Self { grammar, variables, features: list }
    }

    pub fn is_count(&self, feature: &Feature) -> bool {
        self.variables.iter().any(|variable| variable.is_count && variable.sites == feature.sites)
    }

    /// Measures a valid input, with its answer if that is known: a row for each test case.
    pub fn rows(&self, tree: &InputTree, input: &[u8], answer: Option<&[u8]>) -> Vec<FeatureRow> {
        let (around, cases) = split_cases(self.grammar, tree);
        let size = self.variables.iter().find(|variable| variable.is_per_case && variable.is_count);
        let sizes: Vec<i128> = match size {
            Some(size) => {
                cases.iter().filter_map(|nodes| ints(nodes, &size.sites).first().copied()).collect()
            }
            None => Vec::new(),
        };
        let whole = WholeInput { input, answer, sizes, cases: &cases, shared_nodes: &around };
        let answers = whole.case_answers();
        let shared: Vec<_> = self.features.iter().map(|feature| whole.figure(feature)).collect();
        let row = |(nodes, answer): (&Vec<&InputNode>, Option<Vec<i128>>)| {
            // Features of the same variable are adjacent.
            let mut last: (&[usize], Vec<i128>) = (&[], Vec::new());
            let figures = self.features.iter().zip(&shared);
            figures
                .map(|(feature, shared)| {
                    if feature.kind.depends_on_answer() && feature.kind != FigureKind::AnswerBytes {
                        return answer.as_ref().and_then(|row| answer_figure(feature.kind, row));
                    }
                    if last.0 != feature.sites.as_slice() {
                        last = (&feature.sites, values(nodes, &feature.sites));
                    }
                    if let Some((_, other)) = &feature.other {
                        let pair = last.1.first().zip(values(nodes, other).first().copied());
                        return pair.map(|(one, other)| match feature.kind {
                            FigureKind::SameValue => i128::from(*one == other),
                            _ => i128::from(*one < other),
                        });
                    }
                    shared.or_else(|| case_figure(feature.kind, &last.1))
                })
                .collect()
        };
        cases.iter().zip(answers).map(row).collect()
    }
}

/// `None` if the integer is huge.
pub fn number(int: &Int) -> Option<i128> {
    int.to_small().map_or_else(|| int.to_string().parse().ok(), |small| Some(i128::from(small)))
}

struct WholeInput<'a> {
    input: &'a [u8],
    answer: Option<&'a [u8]>,
    sizes: Vec<i128>,
    cases: &'a [Vec<&'a InputNode>],
    shared_nodes: &'a [&'a InputNode],
}

impl WholeInput<'_> {
    fn figure(&self, feature: &Feature) -> Option<i128> {
        let sizes = &self.sizes;
        let yes = |is: bool| Some(i128::from(is));
        match feature.kind {
            FigureKind::Cases => ints(self.shared_nodes, &feature.sites).first().copied(),
            FigureKind::SmallerLater => yes(sizes.windows(2).any(|pair| pair[1] < pair[0])),
            FigureKind::LargerLater => yes(sizes.iter().any(|size| *size > sizes[0])),
            FigureKind::SameCases => {
                let known = |nodes: &Vec<&'_ InputNode>| {
                    let ints = nodes.iter().filter_map(|node| Some(node.int()?.value.clone()));
                    let texts = nodes.iter().filter_map(|node| node.text().map(<[u8]>::to_vec));
                    (ints.collect::<Vec<Int>>(), texts.collect::<Vec<_>>())
                };
                let different: BTreeSet<_> = self.cases.iter().map(known).collect();
                yes(different.len() < self.cases.len())
            }
            FigureKind::Bytes => Some(self.input.len() as i128),
            FigureKind::Lines => Some(self.input.split(|byte| *byte == b'\n').count() as i128 - 1),
            FigureKind::AnswerBytes => self.answer.map(|answer| answer.len() as i128),
            _ => None,
        }
    }

    /// The numbers of each test case's answer, if they can be assigned to test cases.
    fn case_answers(&self) -> Vec<Option<Vec<i128>>> {
        let none = vec![None; self.cases.len()];
        let Some(text) = self.answer.and_then(|answer| std::str::from_utf8(answer).ok()) else {
            return none;
        };
        let numbers = |text: &str| {
            let words: Vec<Option<i128>> =
                text.split_whitespace().map(|word| word.parse().ok()).collect();
            let numbers: Vec<i128> = words.iter().flatten().copied().collect();
            (!numbers.is_empty()).then_some(numbers)
        };
        if self.cases.len() == 1 {
            return vec![numbers(text)];
        }
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.len() == self.cases.len() {
            lines.into_iter().map(numbers).collect()
        } else {
            none
        }
    }
}

fn ints(nodes: &[&InputNode], sites: &[usize]) -> Vec<i128> {
    let ints = nodes.iter().filter_map(|node| node.int());
    ints.filter(|int| sites.contains(&int.site)).filter_map(|int| number(&int.value)).collect()
}

/// The values of a variable in a test case: integers, or bytes of a text.
fn values(nodes: &[&InputNode], sites: &[usize]) -> Vec<i128> {
    let text = nodes.iter().find_map(|node| match node {
        InputNode::Text { site, text } if sites.contains(site) => Some(text),
        _ => None,
    });
    match text {
        Some(text) => text.iter().map(|byte| i128::from(*byte)).collect(),
        None => ints(nodes, sites),
    }
}

fn case_figure(kind: FigureKind, row: &[i128]) -> Option<i128> {
    use FigureKind::*;
    let pairs = || row.windows(2).map(|pair| (pair[0], pair[1]));
    let yes = |is: bool| Some(i128::from(is));
    // A single value has no order.
    let is_row = row.len() > 1;
    match kind {
        Length => Some(row.len() as i128),
        _ if row.is_empty() => None,
        Value => Some(row[0]),
        PowerOfTwo => yes(row[0] > 0 && row[0] & (row[0] - 1) == 0),
        Sum => Some(row.iter().fold(0, |sum: i128, value| sum.saturating_add(*value))),
        Least => row.iter().min().copied(),
        Greatest => row.iter().max().copied(),
        Zero => yes(row.contains(&0)),
        _ if !is_row => None,
        AllEqual => yes(pairs().all(|(a, b)| a == b)),
        TwoEqual => yes(row.iter().collect::<BTreeSet<_>>().len() < row.len()),
        Neighbours => yes(pairs().any(|(a, b)| a == b)),
        Sorted => yes(pairs().all(|(a, b)| a <= b)),
        SortedDown => yes(pairs().all(|(a, b)| a >= b)),
        EndsEqual => yes(row.first() == row.last()),
        Palindrome => yes(row.iter().eq(row.iter().rev())),
        _ => None,
    }
}

fn answer_figure(kind: FigureKind, numbers: &[i128]) -> Option<i128> {
    use FigureKind::*;
    match (kind, numbers) {
        (Answer, [only]) => Some(*only),
        (FirstAnswer, [first, _]) => Some(*first),
        (SecondAnswer, [_, second]) => Some(*second),
        (AnswersRise, [first, second]) => Some(i128::from(first < second)),
        (AnswersEqual, [first, second]) => Some(i128::from(first == second)),
        (GreatestAnswer, [_, _, ..]) => numbers.iter().max().copied(),
        (LeastAnswer, [_, _, ..]) => numbers.iter().min().copied(),
        _ => None,
    }
}
