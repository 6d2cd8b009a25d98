//! Statements omitted, conditions negated, results forgotten.

use tree_sitter::Node;

use crate::mutate::finder::{Finder, children};
use crate::mutate::operator::Operator::{Cond, Memo, Ret, Stmt};
use crate::mutate::rules::literals::is_recursive;
use crate::mutate::syntax::Role;

pub(super) fn statements<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if finder.is(node, Role::Expression)
        && let Some(inner) = finder.named(node).first().copied()
    {
        let is_plain =
            [Role::Assign, Role::Augment, Role::Call, Role::Update, Role::Macro, Role::Binary];
        if is_plain.into_iter().any(|role| finder.is(inner, role)) {
            let is_memo = finder.is(inner, Role::Assign)
                && finder.field(inner, &["left"]).is_some_and(|it| finder.is(it, Role::Index))
                && is_recursive(finder, node);
            finder.put(if is_memo { Memo } else { Stmt }, node, finder.syntax.nothing);
        }
    }
    if finder.is(node, Role::Return)
        && let Some(value) = finder.named(node).first().copied()
        && !finder.is(value, Role::Integer)
        && !matches!(finder.src(value), "true" | "false" | "True" | "False" | "()" | "None")
    {
        finder.put(Ret, value, "0");
    }
    if finder.is(node, Role::Break) || finder.is(node, Role::Continue) {
        let by_itself = node.parent().is_some_and(|it| finder.is(it, Role::Block));
        if by_itself && !finder.syntax.nothing.is_empty() {
            finder.put(Ret, node, finder.syntax.nothing);
        }
    }
}

pub(super) fn conditions<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.is(node, Role::If) {
        return;
    }
    let Some(mut condition) = finder.field(node, &["condition"]) else { return };
    if condition.kind() == "condition_clause" || condition.kind() == "parenthesized_expression" {
        let [inner] = finder.named(condition)[..] else { return };
        condition = inner;
    }
    let text = finder.src(condition);
    if condition.kind().starts_with("let_")
        || condition.kind() == "declaration"
        || text.contains("__name__")
    {
        return;
    }
    let not = finder.syntax.not;
    // If the condition is already negated, another rule removes the negation.
    if !text.starts_with(not) {
        finder.put(Cond, condition, format!("{not}({text})"));
    }
    for constant in finder.syntax.constants {
        finder.put(Cond, condition, constant);
    }
}

pub(super) fn memory<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    // `return memo[i] = value`
    if finder.is(node, Role::Assign)
        && node.parent().is_some_and(|it| finder.is(it, Role::Return))
        && let Some(value) = finder.field(node, &["right"])
    {
        finder.put(Memo, node, finder.src(value));
    }
    // `int &answer = memo[i]`
    if node.kind() == "init_declarator"
        && let Some(name) = finder.field(node, &["declarator"])
        && name.kind() == "reference_declarator"
        && finder.field(node, &["value"]).is_some_and(|it| finder.is(it, Role::Index))
        && let Some(sign) = children(name).first()
    {
        finder.put(Memo, *sign, "");
    }
}
