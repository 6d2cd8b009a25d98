//! Values that point to nodes of trees and graphs.

use crate::chance::Chance;
use crate::draw::{DrawRequest, ROW_MAX, RowPlace, ShapedChooser};
use crate::graph::{self, GraphSize, NodeOrder};
use crate::number::Int;
use crate::program::{Grammar, Pointer};
use crate::shape::{Shape, Values};

/// How trees and graphs of an input are written.
pub(super) struct GraphStyle {
    labels: NodeOrder,
    edges: NodeOrder,
    ends: NodeOrder,
    /// Whether edges begin at the lesser node.
    is_ordered: bool,
    /// Whether n - 1 edges between n nodes form a tree.
    makes_trees: bool,
    /// Whether numbers of nodes are chosen like counts.
    pub sizes_are_counts: bool,
}

impl GraphStyle {
    pub(super) fn draw(grammar: &Grammar, shape: &Shape, chance: &mut Chance) -> Self {
        let pointers = || grammar.sites.iter().filter_map(|site| site.pointer);
        let has_pointers = pointers().next().is_some();
        let mut order = || if has_pointers { NodeOrder::draw(chance) } else { NodeOrder::Kept };
        let (labels, edges, ends) = (order(), order(), order());
        let is_value = matches!(
            shape.values,
            Values::Least | Values::Most | Values::Zero | Values::Largest | Values::Extremes
        );
        Self {
            labels,
            edges,
            ends,
            is_ordered: pointers()
                .any(|pointer| matches!(pointer, Pointer::EdgeEnd { is_ordered: true, .. })),
            makes_trees: has_pointers && chance.happens(750),
            sizes_are_counts: shape.values.is_graph()
                || (has_pointers && !is_value && chance.happens(500)),
        }
    }
}

pub(super) struct DrawnEdge {
    /// The site of its first end, and its index in the row.
    place: (usize, u64),
    values: Values,
    /// The first node.
    min: Int,
    all_nodes: u64,
    ends: [u64; 2],
}

impl ShapedChooser<'_> {
    /// A value that points to a node of a tree or graph; `None` if its shape is not one of these.
    pub(super) fn graph_value(&mut self, draw: &DrawRequest<'_>) -> Option<Int> {
        let pointer = self.grammar.sites[draw.site].pointer?;
        let RowPlace { index, length } = self.row_place(draw);
        let edge = match pointer {
            Pointer::EdgeEnd { begin, .. } => {
                self.edge.take_if(|edge| edge.place == (begin, index))
            }
            _ => None,
        };
        let (min, all_nodes) = match &edge {
            Some(edge) => (edge.min.clone(), edge.all_nodes),
            None if pointer == Pointer::Parent => (draw.min.clone(), length.saturating_add(1)),
            None => (draw.min.clone(), width(draw)),
        };
        let is_edge = matches!(pointer, Pointer::EdgeBegin | Pointer::EdgeEnd { .. });
        let is_tree = self.graphs.makes_trees && is_edge && length.saturating_add(1) == all_nodes;
        let values = match self.values[draw.site] {
            values if values.is_graph() => values,
            Values::Least | Values::Most | Values::Zero | Values::Largest => return None,
            _ if is_tree => Values::RandomTree,
            _ => return None,
        };
        let size = GraphSize { nodes: all_nodes.min(length.saturating_add(1)), edges: length };
        let chance = &mut self.chance;
        let node = match pointer {
            Pointer::Parent => graph::parent(values, index + 1, size.nodes, chance)?,
            Pointer::Next if all_nodes == length.saturating_add(1) => {
                graph::parent(values, index + 1, all_nodes, chance)?
            }
            Pointer::Next => {
                let size = size.nodes.min(length);
                let node = self.reordered(self.graphs.labels, index, size);
                let next = graph::next(values, node.min(size - 1), size, &mut self.chance)?;
                self.reordered(self.graphs.labels, next, size)
            }
            Pointer::EdgeBegin => {
                let ends = self.new_edge(values, index, size, all_nodes)?;
                let min = draw.min.clone();
                let place = (draw.site, index);
                self.edge = Some(DrawnEdge { place, values, min, all_nodes, ends });
                ends[0]
            }
            Pointer::EdgeEnd { .. } => match edge {
                Some(edge) if edge.values == values => edge.ends[1],
                _ => self.new_edge(values, index, size, all_nodes)?[1],
            },
        };
        Some(draw.clamp(&min.plus(&Int::from(node))))
    }

    /// The nodes of an edge after edges and nodes have got their order.
    fn new_edge(
        &mut self,
        values: Values,
        index: u64,
        size: GraphSize,
        all_nodes: u64,
    ) -> Option<[u64; 2]> {
        let order = match values {
            Values::BackPath => NodeOrder::Reversed,
            _ => self.graphs.edges,
        };
        let index = self.reordered(order, index, size.edges);
        let labels = self.graphs.labels;
        let labelled = if labels == NodeOrder::Shuffled { size.nodes } else { all_nodes };
        let ends = graph::edge(values, index, size, &mut self.chance)?;
        let mut ends = ends.map(|node| self.reordered(labels, node, labelled));
        match self.graphs.ends {
            NodeOrder::Kept => {}
            NodeOrder::Shuffled if self.chance.happens(500) => {}
            _ => ends.reverse(),
        }
        if self.graphs.is_ordered {
            ends.sort_unstable();
        }
        Some(ends)
    }

    fn reordered(&mut self, order: NodeOrder, at: u64, count: u64) -> u64 {
        match order {
            NodeOrder::Shuffled if at < count && count <= ROW_MAX => {
                let chance = &mut self.chance;
                let shuffled = self.shuffled.entry(count);
                shuffled.or_insert_with(|| graph::shuffled(count, chance))[at as usize]
            }
            NodeOrder::Reversed if at < count => count - 1 - at,
            _ => at,
        }
    }
}

/// How many values there are, at most 2^32.
fn width(draw: &DrawRequest<'_>) -> u64 {
    let width = draw.max.minus(draw.min).plus(&Int::ONE).to_small().unwrap_or(i64::MAX);
    width.clamp(1, 1 << 32) as u64
}
