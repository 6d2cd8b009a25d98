//! Loops: their beginning and end, and variables that they fail to reset.

use tree_sitter::Node;

use crate::faults::finder::{Finder, field_name};
use crate::faults::operator::Operator::{Loop, Reset};
use crate::faults::syntax::Role;

/// Changes the first and the last iteration of a counting loop, and its step.
pub(super) fn bounds<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.has_role(node, Role::Loop) {
        return;
    }
    if let Some(condition) = finder.field(node, &["condition"])
        && finder.has_role(condition, Role::Binary)
        && let Some(right) = finder.field(condition, &["right"])
    {
        change_by_one(finder, right);
    }
    let starts = finder.field(node, &["initializer", "init"]);
    for start in starts.map(|starts| finder.named_children(starts)).unwrap_or_default() {
        if let Some(value) = finder.field(start, &["value"]) {
            change_by_one(finder, value);
        }
    }
    if let Some(update) = finder.field(node, &["update"])
        && finder.has_role(update, Role::Update)
        && let Some(counter) = finder.named_children(update).first()
    {
        let name = finder.text_of(*counter);
        let sign = if finder.text_of(update).contains("--") { '-' } else { '+' };
        finder.replace(Loop, update, format!("{name} {sign}= 2"));
    }
    let over =
        finder.field(node, &["value", "right"]).filter(|_| node.kind() != "enhanced_for_statement");
    if let Some(over) = over {
        skip_element(finder, node, over);
    }
}

/// Adds or subtracts one, unless the value contains a number: another rule changes numbers.
fn change_by_one<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.descendants(node, Role::Integer).is_empty() {
        return;
    }
    let text = finder.text_of(node);
    let text =
        if finder.has_role(node, Role::Name) { text.to_owned() } else { format!("({text})") };
    finder.replace(Loop, node, format!("{text} - 1"));
    finder.replace(Loop, node, format!("{text} + 1"));
}

fn skip_element<'t>(finder: &mut Finder<'t>, node: Node<'t>, over: Node<'t>) {
    let text = finder.text_of(over);
    match node.kind() {
        "for_statement" if !finder.has_role(over, Role::Call) => {
            finder.replace(Loop, over, format!("{text}[1:]"));
            finder.replace(Loop, over, format!("{text}[:-1]"));
        }
        "for_expression" if !finder.has_role(over, Role::Range) => {
            finder.replace(Loop, over, format!("({text}).into_iter().skip(1)"));
        }
        _ => {}
    }
}

/// Changes ranges as values, and the order of iteration.
pub(super) fn ranges<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if finder.has_role(node, Role::Range) {
        let ends = finder.named_children(node);
        if let [_, end] = ends.as_slice() {
            change_by_one(finder, *end);
        }
        if let [start, _] = ends.as_slice()
            && finder.descendants(*start, Role::Integer).is_empty()
        {
            let text = finder.text_of(*start);
            finder.replace(Loop, *start, format!("{text} + 1"));
        }
    }
    if !finder.has_role(node, Role::Call) {
        return;
    }
    let Some(list) = finder.field(node, &["arguments"]) else { return };
    let arguments = finder.named_children(list);
    match finder.called_name(node) {
        "range" if finder.syntax.is_indented => {
            for bound in arguments.iter().take(2) {
                change_by_one(finder, *bound);
            }
            if let [start, end] = arguments.as_slice() {
                let both = format!("({}, {}, 2)", finder.text_of(*start), finder.text_of(*end));
                finder.replace(Loop, list, both);
            }
        }
        "reversed" => {
            if let [of] = arguments.as_slice() {
                finder.replace(Loop, node, finder.text_of(*of));
            }
        }
        "rev" | "skip" => {
            let function = finder.field(node, &["function"]);
            if let Some(of) = function.and_then(|inner| finder.field_text(inner, &["value"])) {
                finder.replace(Loop, node, of);
            }
        }
        _ => {}
    }
}

const CLEARS: [&str; 9] =
    ["clear", "assign", "fill", "fill_n", "memset", "reset", "truncate", "resize", "iota"];

/// Omits the reset of a variable in a loop, or in a function that is called again.
pub(super) fn drop_resets<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let outer = finder.nearest_ancestor(node, Role::Loop);
    let is_repeated = outer.is_some() || !matches!(finder.function_name(node), "" | "main");
    if !is_repeated || !finder.parent_has_role(node, Role::Block) {
        return;
    }
    if finder.has_role(node, Role::Declaration) {
        let text = finder.text_of(node);
        let is_fresh =
            !text.starts_with("const") && !text.contains('&') && !text.starts_with("static");
        if let Some(keyword) = finder.syntax.static_keyword.filter(|_| is_fresh) {
            finder.replace_range(
                Reset,
                node.start_byte()..node.start_byte(),
                format!("{keyword} "),
            );
        }
        hoist(finder, node, node);
    }
    if !finder.has_role(node, Role::Expression) {
        return;
    }
    let Some(inner) = finder.named_children(node).first().copied() else { return };
    let calls = finder.has_role(inner, Role::Call) && CLEARS.contains(&finder.called_name(inner));
    let sets = finder.has_role(inner, Role::Assign)
        && finder.field(inner, &["right"]).is_some_and(|value| is_fresh(finder, value));
    if calls || sets {
        finder.replace(Reset, node, finder.syntax.empty_statement);
    }
    if sets && finder.syntax.is_indented {
        hoist(finder, node, inner);
    }
}

/// Whether a value does not depend on the loop's variables: a number, an empty list, a new table.
fn is_fresh<'t>(finder: &Finder<'t>, value: Node<'t>) -> bool {
    let text = finder.text_of(value);
    finder.has_role(value, Role::Integer)
        || value.kind().ends_with("literal")
        || [
            "[", "{", "vec!", "new ", "Vec::new", "set(", "dict(", "true", "false", "True",
            "False", "-1",
        ]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Moves a statement from a loop to before it, if its value does not depend on the loop.
fn hoist<'t>(finder: &mut Finder<'t>, statement: Node<'t>, of: Node<'t>) {
    let block = statement.parent();
    let Some(outer) =
        block.and_then(|block| block.parent()).filter(|outer| finder.has_role(*outer, Role::Loop))
    else {
        return;
    };
    let is_statement = outer.parent().is_some_and(|parent| {
        finder.has_role(parent, Role::Block) || parent.kind() == "expression_statement"
    });
    let value = finder.field(of, &["value", "right"]);
    let value = value.or_else(|| {
        let declarator = finder.field(of, &["declarator"])?;
        finder.field(declarator, &["value"])
    });
    let Some(value) = value.filter(|_| is_statement && finder.syntax.static_keyword.is_none())
    else {
        return;
    };
    let before = outer.start_byte()..statement.start_byte();
    let names = |node: Node<'t>| finder.descendants(node, Role::Name).into_iter();
    let seen = names(outer).filter(|name| name.start_byte() < before.end);
    let seen: Vec<&str> = seen.map(|name| finder.text_of(name)).collect();
    if names(value).any(|name| seen.contains(&finder.text_of(name))) {
        return;
    }
    let line = finder.text[..before.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &finder.text[line..before.start];
    if !indent.trim().is_empty() || field_name(outer) == Some("body") {
        return;
    }
    let text = finder.text_of(statement);
    let nothing = finder.syntax.empty_statement;
    let after = format!("{text}\n{indent}{}{nothing}", &finder.text[before.clone()]);
    finder.replace_range(Reset, before.start..statement.end_byte(), after);
}
