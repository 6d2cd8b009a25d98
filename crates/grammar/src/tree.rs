//! An input as the tree of its choices: numbers, texts, answers, and loops with their iterations.
//!
//! A tree has everything that the grammar needs to write the input again. A changed tree also gives a valid input: a
//! value outside of its bounds becomes the nearest one inside, a longer loop is filled with least values, and surplus
//! nodes are skipped.

use std::path::Path;

use num_rational::BigRational;

use crate::chance::Chance;
use crate::draw::{Chooser, DrawRequest};
use crate::float::{self, FloatRules, ScannedFloat};
use crate::number::{Int, power_of_ten};
use crate::port::{LoopObserver, LoopState};
use crate::program::Grammar;
use crate::read::{IntNode, Witness};
use crate::run::Interpreter;
use crate::strings::Length;
use crate::validate::{Error, validate_with};
use crate::write::InputWriter;

#[derive(Clone, Debug, PartialEq)]
pub struct InputTree {
    pub nodes: Vec<InputNode>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InputNode {
    Int(IntNode),
    Float {
        /// An index in [`Grammar::sites`].
        site: usize,
        value: BigRational,
        decimals: u32,
    },
    Text {
        /// An index in [`Grammar::sites`].
        site: usize,
        text: Vec<u8>,
    },
    Answer {
        question: usize,
        answer: bool,
    },
    Loop(LoopNode),
}

impl InputNode {
    pub fn int(&self) -> Option<&IntNode> {
        match self {
            Self::Int(int) => Some(int),
            _ => None,
        }
    }

    pub fn int_mut(&mut self) -> Option<&mut IntNode> {
        match self {
            Self::Int(int) => Some(int),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LoopNode {
    pub id: usize,
    /// The choices of each iteration. First come those of the loop's condition.
    pub iterations: Vec<Vec<InputNode>>,
    /// The choices of the condition that ended the loop.
    pub exit: Vec<InputNode>,
}

/// Fails if the input is not valid. `path` is its name in messages.
pub fn parse(grammar: &Grammar, input: &[u8], path: &Path) -> Result<InputTree, Error> {
    let planter = validate_with(grammar, input, path, InputTreeBuilder::default())?;
    Ok(InputTree { nodes: planter.nodes })
}

/// The caller must check the input against the grammar.
pub(super) fn write_tree(grammar: &Grammar, tree: &InputTree) -> Option<Vec<u8>> {
    let mut writer = InputWriter::new(grammar, ReplayChooser::new(grammar, tree));
    Interpreter::new(grammar).run(&mut writer).ok()?;
    Some(writer.out)
}

impl InputTree {
    /// Every node in the order of choices; a loop comes before its contents.
    pub fn all(&self) -> Vec<&InputNode> {
        all_nodes(&self.nodes)
    }

    /// The integers, each with its index in the order of choices.
    pub(super) fn ints(&self) -> impl Iterator<Item = (usize, &IntNode)> {
        self.all().into_iter().enumerate().filter_map(|(index, node)| Some((index, node.int()?)))
    }

    /// Calls `see` for every node with its index in the order of choices; a loop comes before its contents.
    pub fn each_mut(&mut self, see: &mut dyn FnMut(usize, &mut InputNode)) {
        let mut open: Vec<&mut InputNode> = self.nodes.iter_mut().rev().collect();
        for index in 0.. {
            let Some(node) = open.pop() else { return };
            see(index, node);
            if let InputNode::Loop(LoopNode { iterations, exit, .. }) = node {
                open.extend(iterations.iter_mut().flatten().chain(exit).rev());
            }
        }
    }
}

/// These nodes and all inside of them, in the order of choices.
pub(super) fn all_nodes(nodes: &[InputNode]) -> Vec<&InputNode> {
    let (mut all, mut open) = (Vec::new(), nodes.iter().rev().collect::<Vec<_>>());
    while let Some(node) = open.pop() {
        all.push(node);
        if let InputNode::Loop(LoopNode { iterations, exit, .. }) = node {
            open.extend(iterations.iter().flatten().chain(exit).rev());
        }
    }
    all
}

#[derive(Default)]
struct InputTreeBuilder {
    nodes: Vec<InputNode>,
    /// From the outermost to the innermost.
    open_loops: Vec<OpenLoop>,
}

struct OpenLoop {
    node: LoopNode,
    /// Whether a condition decides about each iteration.
    by_test: bool,
    current: Option<Vec<InputNode>>,
}

impl InputTreeBuilder {
    fn add(&mut self, node: InputNode) {
        match self.open_loops.last_mut() {
            None => self.nodes.push(node),
            Some(open) => open.current.get_or_insert_default().push(node),
        }
    }
}

impl Witness for InputTreeBuilder {
    fn int(&mut self, int: IntNode) {
        self.add(InputNode::Int(int));
    }

    fn float(&mut self, site: usize, _rules: &FloatRules, text: &[u8], scanned: &ScannedFloat) {
        if let Some(value) = float::value(text, scanned) {
            let decimals = u32::try_from(scanned.decimals).unwrap_or(u32::MAX);
            self.add(InputNode::Float { site, value, decimals });
        }
    }

    fn regex(&mut self, site: usize, text: &[u8]) {
        self.add(InputNode::Text { site, text: text.to_vec() });
    }

    fn question(&mut self, question: usize, answer: bool) {
        self.add(InputNode::Answer { question, answer });
    }
}

impl LoopObserver for InputTreeBuilder {
    fn enter(&mut self, id: usize, count: Option<u32>) {
        self.open_loops.push(OpenLoop {
            node: LoopNode { id, iterations: Vec::new(), exit: Vec::new() },
            by_test: count.is_none(),
            current: None,
        });
    }

    fn iteration(&mut self, _id: usize, _index: u64) {
        if let Some(open) = self.open_loops.last_mut() {
            let ended = open.current.replace(Vec::new());
            open.node.iterations.extend(ended);
        }
    }

    fn leave(&mut self, _id: usize) {
        let Some(mut open) = self.open_loops.pop() else { return };
        if open.by_test {
            // The last answers ended the loop.
            open.node.exit = open.current.unwrap_or_default()
        } else {
            open.node.iterations.extend(open.current)
        }
        self.add(InputNode::Loop(open.node));
    }
}

struct ReplayChooser<'a> {
    grammar: &'a Grammar,
    chance: Chance,
    /// From the outermost loop to the innermost.
    positions: Vec<ReplayPosition<'a>>,
}

struct ReplayPosition<'a> {
    nodes: &'a [InputNode],
    at: usize,
    /// `None` if the tree lacks the loop.
    loop_node: Option<&'a LoopNode>,
}

impl<'a> ReplayChooser<'a> {
    fn new(grammar: &'a Grammar, tree: &'a InputTree) -> Self {
        Self {
            grammar,
            chance: Chance::new(0, "replay"),
            positions: vec![ReplayPosition { nodes: &tree.nodes, at: 0, loop_node: None }],
        }
    }

    /// What the next wanted node has. Skips those before it.
    fn take_next<T>(&mut self, wanted: impl Fn(&'a InputNode) -> Option<T>) -> Option<T> {
        let position = self.positions.last_mut()?;
        let mut ahead = position.nodes.iter().enumerate().skip(position.at);
        let (index, found) = ahead.find_map(|(index, node)| Some((index, wanted(node)?)))?;
        position.at = index + 1;
        Some(found)
    }
}

impl Chooser for ReplayChooser<'_> {
    fn number(&mut self, draw: &DrawRequest<'_>) -> Int {
        let value = self.take_next(|node| match node {
            InputNode::Int(int) if int.site == draw.site => Some(int.value.clone()),
            InputNode::Float { site, value, .. } if *site == draw.site => {
                let unit = BigRational::from_integer(power_of_ten(draw.unit));
                Some(Int::from((value * unit).floor().to_integer()))
            }
            _ => None,
        });
        value.unwrap_or_else(|| draw.min.clone())
    }

    fn text(&mut self, site: usize) -> Option<Vec<u8>> {
        self.take_next(|node| match node {
            InputNode::Text { site: own, text } if *own == site => Some(text.clone()),
            _ => None,
        })
    }

    fn length(&mut self, _site: usize) -> Length {
        Length::Least
    }

    fn decimals(&mut self, site: usize, min: u32, max: u32) -> u32 {
        let position = self.positions.last();
        let mut ahead = position.into_iter().flat_map(|position| &position.nodes[position.at..]);
        let decimals = ahead.find_map(|node| match node {
            InputNode::Float { site: own, decimals, .. } if *own == site => Some(*decimals),
            _ => None,
        });
        decimals.map_or(min, |decimals| decimals.clamp(min, max))
    }

    fn answer(&mut self, question: usize, _loops: &[LoopState]) -> bool {
        let answer = self.take_next(|node| match node {
            InputNode::Answer { question: own, answer } if *own == question => Some(*answer),
            _ => None,
        });
        // By default, a loop ends and a condition holds.
        let lookahead = &self.grammar.questions[question];
        answer.unwrap_or(lookahead.is_positive == lookahead.of_loop.is_none())
    }

    fn note_forced(&mut self, question: usize) {
        if let Some(position) = self.positions.last_mut()
            && let Some(InputNode::Answer { question: next, .. }) = position.nodes.get(position.at)
            && *next == question
        {
            position.at += 1;
        }
    }

    fn chance(&mut self) -> &mut Chance {
        &mut self.chance
    }
}

impl LoopObserver for ReplayChooser<'_> {
    fn enter(&mut self, id: usize, _count: Option<u32>) {
        let loop_node = self.take_next(|node| match node {
            InputNode::Loop(loop_node) if loop_node.id == id => Some(loop_node),
            _ => None,
        });
        self.positions.push(ReplayPosition { nodes: &[], at: 0, loop_node });
    }

    fn iteration(&mut self, _id: usize, index: u64) {
        let Some(position) = self.positions.last_mut() else { return };
        position.at = 0;
        position.nodes = match position.loop_node {
            None => &[],
            Some(loop_node) => {
                let iteration =
                    usize::try_from(index).ok().and_then(|index| loop_node.iterations.get(index));
                iteration.unwrap_or(&loop_node.exit)
            }
        };
    }

    fn leave(&mut self, _id: usize) {
        self.positions.pop();
    }
}
