//! What the rules see of a source, and the edits that they make.

use std::ops::Range;

use tree_sitter::Node;

use crate::faults::operator::Operator;
use crate::faults::syntax::{Role, Syntax};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub operator: Operator,
    pub range: Range<usize>,
    pub after: String,
}

pub(super) struct Finder<'t> {
    pub syntax: &'static Syntax,
    pub root: Node<'t>,
    pub text: &'t str,
    pub edits: Vec<Edit>,
}

impl<'t> Finder<'t> {
    /// The children that the compiler sees, without those that the preprocessor removes.
    pub(super) fn compiled_children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let all = children(node);
        let holds = |ifdef: Node<'t>| {
            let is_set = self.field_text(ifdef, &["name"]) == Some("ONLINE_JUDGE");
            is_set == self.text_of(ifdef).starts_with("#ifdef")
        };
        let is_taken = match node.kind() {
            "preproc_ifdef" => holds(node),
            "preproc_if" => self.field_text(node, &["condition"]) == Some("1"),
            // An else branch stays only if the condition is certainly false.
            "preproc_else" => node
                .parent()
                .is_some_and(|parent| parent.kind() == "preproc_ifdef" && !holds(parent)),
            "preproc_elif" | "preproc_elifdef" => false,
            _ => return all,
        };
        let is_else = |child: &Node<'_>| child.kind().starts_with("preproc_el");
        all.into_iter().filter(|child| is_else(child) || is_taken).collect()
    }

    pub(super) fn has_role(&self, node: Node<'t>, role: Role) -> bool {
        self.syntax.has_role(node.kind(), role)
    }

    pub(super) fn parent_has_role(&self, node: Node<'t>, role: Role) -> bool {
        node.parent().is_some_and(|parent| self.has_role(parent, role))
    }

    pub(super) fn text_of(&self, node: Node<'t>) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// The child in the first of these fields that exists.
    pub(super) fn field(&self, node: Node<'t>, names: &[&str]) -> Option<Node<'t>> {
        names.iter().find_map(|name| node.child_by_field_name(name))
    }

    pub(super) fn field_text(&self, node: Node<'t>, names: &[&str]) -> Option<&'t str> {
        self.field(node, names).map(|field| self.text_of(field))
    }

    /// The operands of a node, in the fields left and right, with the text between them.
    pub(super) fn operands(&self, node: Node<'t>) -> Option<(Node<'t>, &'t str, Node<'t>)> {
        let (left, right) = (self.field(node, &["left"])?, self.field(node, &["right"])?);
        Some((left, self.text[left.end_byte()..right.start_byte()].trim(), right))
    }

    /// Without comments.
    pub(super) fn named_children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let all = children(node).into_iter();
        all.filter(|child| child.is_named() && !child.is_extra()).collect()
    }

    /// From the innermost node to the outermost.
    pub(super) fn ancestors(&self, node: Node<'t>) -> impl Iterator<Item = Node<'t>> + use<'t> {
        ancestors(self.root, node)
    }

    pub(super) fn nearest_ancestor(&self, node: Node<'t>, role: Role) -> Option<Node<'t>> {
        self.ancestors(node).find(|ancestor| self.has_role(*ancestor, role))
    }

    /// Includes the node itself.
    pub(super) fn descendants(&self, node: Node<'t>, role: Role) -> Vec<Node<'t>> {
        let mut nodes = Vec::new();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if self.has_role(node, role) {
                nodes.push(node);
            }
            pending.extend(children(node).into_iter().rev());
        }
        nodes
    }

    /// The last part of the name that a call uses.
    pub(super) fn callee(&self, call: Node<'t>) -> Option<Node<'t>> {
        let mut node = self.field(call, &["name", "function"])?;
        while !self.has_role(node, Role::Name) {
            let parts = ["name", "field", "attribute", "function"];
            node = self.field(node, &parts)?;
        }
        Some(node)
    }

    /// Empty if the function has no name.
    pub(super) fn called_name(&self, call: Node<'t>) -> &'t str {
        self.callee(call).map_or("", |name| self.text_of(name))
    }

    /// Empty if no function with a name is around the node.
    pub(super) fn function_name(&self, node: Node<'t>) -> &'t str {
        let Some(mut at) = self.nearest_ancestor(node, Role::Function) else { return "" };
        while !self.has_role(at, Role::Name) {
            let Some(next) = self.field(at, &["declarator", "name"]) else { return "" };
            at = next;
        }
        self.text_of(at)
    }

    pub(super) fn replace(&mut self, operator: Operator, node: Node<'t>, after: impl Into<String>) {
        self.replace_range(operator, node.byte_range(), after);
    }

    pub(super) fn replace_range(
        &mut self,
        operator: Operator,
        range: Range<usize>,
        after: impl Into<String>,
    ) {
        let after = after.into();
        if self.text[range.clone()] != after {
            self.edits.push(Edit { operator, range, after });
        }
    }

    /// Replaces a name by the other one of the pair, if it is one of them.
    pub(super) fn confuse(&mut self, operator: Operator, node: Node<'t>, [one, other]: [&str; 2]) {
        match self.text_of(node) {
            name if name == one => self.replace(operator, node, other),
            name if name == other => self.replace(operator, node, one),
            _ => {}
        }
    }

    /// `first` comes before `second`.
    pub(super) fn exchange(&mut self, operator: Operator, first: Node<'t>, second: Node<'t>) {
        let (one, two) = (self.text_of(first), self.text_of(second));
        let between = &self.text[first.end_byte()..second.start_byte()];
        let after = format!("{two}{between}{one}");
        self.replace_range(operator, first.start_byte()..second.end_byte(), after);
    }
}

/// From the innermost node to the outermost. Asking each node for its parent would search the whole tree each time.
pub(super) fn ancestors<'t>(
    root: Node<'t>,
    node: Node<'t>,
) -> impl Iterator<Item = Node<'t>> + use<'t> {
    let mut path = Vec::new();
    let mut at = Some(root);
    while let Some(above) = at.filter(|at| *at != node) {
        path.push(above);
        at = above.child_with_descendant(node);
    }
    path.into_iter().rev()
}

/// Includes tokens.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The name of the field that a node is in.
pub(super) fn field_name<'t>(node: Node<'t>) -> Option<&'t str> {
    let parent = node.parent()?;
    let index = children(parent).iter().position(|child| *child == node)?;
    parent.field_name_for_child(index as u32)
}
