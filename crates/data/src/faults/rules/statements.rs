//! Statements omitted, conditions negated, results forgotten.

use tree_sitter::Node;

use crate::faults::finder::{Finder, children};
use crate::faults::operator::Operator::{Cond, Memo, Ret, Stmt};
use crate::faults::rules::literals::is_recursive;
use crate::faults::syntax::Role;

pub(super) fn statements<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if finder.has_role(node, Role::Expression)
        && let Some(inner) = finder.named_children(node).first().copied()
    {
        let is_plain =
            [Role::Assign, Role::Augment, Role::Call, Role::Update, Role::Macro, Role::Binary];
        if is_plain.into_iter().any(|role| finder.has_role(inner, role)) {
            let is_memo = finder.has_role(inner, Role::Assign)
                && finder
                    .field(inner, &["left"])
                    .is_some_and(|left| finder.has_role(left, Role::Index))
                && is_recursive(finder, node);
            finder.replace(if is_memo { Memo } else { Stmt }, node, finder.syntax.empty_statement);
        }
    }
    if finder.has_role(node, Role::Return)
        && let Some(value) = finder.named_children(node).first().copied()
        && !finder.has_role(value, Role::Integer)
        && !matches!(finder.text_of(value), "true" | "false" | "True" | "False" | "()" | "None")
    {
        finder.replace(Ret, value, "0");
    }
    if (finder.has_role(node, Role::Break) || finder.has_role(node, Role::Continue))
        && finder.parent_has_role(node, Role::Block)
        && !finder.syntax.empty_statement.is_empty()
    {
        finder.replace(Ret, node, finder.syntax.empty_statement);
    }
}

pub(super) fn conditions<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.has_role(node, Role::If) {
        return;
    }
    let Some(mut condition) = finder.field(node, &["condition"]) else { return };
    if condition.kind() == "condition_clause" || condition.kind() == "parenthesized_expression" {
        let [inner] = finder.named_children(condition)[..] else { return };
        condition = inner;
    }
    let text = finder.text_of(condition);
    if condition.kind().starts_with("let_")
        || condition.kind() == "declaration"
        || text.contains("__name__")
    {
        return;
    }
    let not = finder.syntax.negation;
    // If the condition is already negated, another rule removes the negation.
    if !text.starts_with(not) {
        finder.replace(Cond, condition, format!("{not}({text})"));
    }
    for constant in finder.syntax.constants {
        finder.replace(Cond, condition, constant);
    }
}

pub(super) fn memory<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    // `return memo[i] = value`
    if finder.has_role(node, Role::Assign)
        && finder.parent_has_role(node, Role::Return)
        && let Some(value) = finder.field(node, &["right"])
    {
        finder.replace(Memo, node, finder.text_of(value));
    }
    // `int &answer = memo[i]`
    if node.kind() == "init_declarator"
        && let Some(name) = finder.field(node, &["declarator"])
        && name.kind() == "reference_declarator"
        && finder.field(node, &["value"]).is_some_and(|value| finder.has_role(value, Role::Index))
        && let Some(sign) = children(name).first()
    {
        finder.replace(Memo, *sign, "");
    }
}
