//! Loops: their beginning and end, and variables that they fail to reset.

use tree_sitter::Node;

use crate::mutate::finder::{Finder, children, slot};
use crate::mutate::operator::Operator::{Loop, Reset};
use crate::mutate::syntax::Role;

/// Changes the first and the last iteration of a counting loop, and its step.
pub(super) fn bounds<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.is(node, Role::Loop) {
        return;
    }
    let condition = finder.field(node, &["condition"]).filter(|it| finder.is(*it, Role::Binary));
    if let Some(condition) = condition
        && let Some(right) = finder.field(condition, &["right"])
    {
        by_one(finder, right);
    }
    let starts = finder.field(node, &["initializer", "init"]).map(|it| finder.named(it));
    for start in starts.unwrap_or_default() {
        if let Some(value) = finder.field(start, &["value"]) {
            by_one(finder, value);
        }
    }
    if let Some(update) = finder.field(node, &["update"])
        && finder.is(update, Role::Update)
        && let Some(counter) = finder.named(update).first()
    {
        let name = finder.src(*counter);
        let sign = if finder.src(update).contains("--") { '-' } else { '+' };
        finder.put(Loop, update, format!("{name} {sign}= 2"));
    }
    let over =
        finder.field(node, &["value", "right"]).filter(|_| node.kind() != "enhanced_for_statement");
    if let Some(over) = over {
        elements(finder, node, over);
    }
}

/// Adds or subtracts one, unless the value contains a number: another rule changes numbers.
fn by_one<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.below(node, Role::Integer).is_empty() {
        return;
    }
    let text = finder.src(node);
    let text = if finder.is(node, Role::Name) { text.to_owned() } else { format!("({text})") };
    finder.put(Loop, node, format!("{text} - 1"));
    finder.put(Loop, node, format!("{text} + 1"));
}

fn elements<'t>(finder: &mut Finder<'t>, node: Node<'t>, over: Node<'t>) {
    let text = finder.src(over);
    match node.kind() {
        "for_statement" if !finder.is(over, Role::Call) => {
            finder.put(Loop, over, format!("{text}[1:]"));
            finder.put(Loop, over, format!("{text}[:-1]"));
        }
        "for_expression" if !finder.is(over, Role::Range) => {
            finder.put(Loop, over, format!("({text}).into_iter().skip(1)"));
        }
        _ => {}
    }
}

/// Changes ranges as values, and the order of iteration.
pub(super) fn ranges<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if finder.is(node, Role::Range) {
        let ends = finder.named(node);
        if let [_, end] = ends.as_slice() {
            by_one(finder, *end);
        }
        if let [start, _] = ends.as_slice()
            && finder.below(*start, Role::Integer).is_empty()
        {
            let text = finder.src(*start);
            finder.put(Loop, *start, format!("{text} + 1"));
        }
    }
    if !finder.is(node, Role::Call) {
        return;
    }
    let Some(arguments) = finder.field(node, &["arguments"]) else { return };
    let given = finder.named(arguments);
    match finder.called(node) {
        "range" if finder.syntax.is_by_indent => {
            for bound in given.iter().take(2) {
                by_one(finder, *bound);
            }
            if let [start, end] = given.as_slice() {
                let both = format!("({}, {}, 2)", finder.src(*start), finder.src(*end));
                finder.put(Loop, arguments, both);
            }
        }
        "reversed" => {
            if let [of] = given.as_slice() {
                finder.put(Loop, node, finder.src(*of));
            }
        }
        "rev" | "skip" => {
            let of = finder.field(node, &["function"]).and_then(|it| finder.field(it, &["value"]));
            if let Some(of) = of {
                finder.put(Loop, node, finder.src(of));
            }
        }
        _ => {}
    }
}

const CLEARS: [&str; 9] =
    ["clear", "assign", "fill", "fill_n", "memset", "reset", "truncate", "resize", "iota"];

/// Omits the reset of a variable in a loop, or in a function that is called again.
pub(super) fn resets<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let around = finder.nearest(node, Role::Loop);
    let is_repeated = around.is_some() || !matches!(finder.function(node), "" | "main");
    if !is_repeated || !node.parent().is_some_and(|it| finder.is(it, Role::Block)) {
        return;
    }
    if finder.is(node, Role::Declaration) {
        let text = finder.src(node);
        let is_fresh =
            !text.starts_with("const") && !text.contains('&') && !text.starts_with("static");
        if let Some(kept) = finder.syntax.kept.filter(|_| is_fresh) {
            finder.edit(Reset, node.start_byte()..node.start_byte(), format!("{kept} "));
        }
        hoist(finder, node, node);
    }
    if !finder.is(node, Role::Expression) {
        return;
    }
    let Some(inner) = finder.named(node).first().copied() else { return };
    let calls = finder.is(inner, Role::Call) && CLEARS.contains(&finder.called(inner));
    let sets = finder.is(inner, Role::Assign)
        && finder.field(inner, &["right"]).is_some_and(|it| is_fresh(finder, it));
    if calls || sets {
        finder.put(Reset, node, finder.syntax.nothing);
    }
    if sets && finder.syntax.is_by_indent {
        hoist(finder, node, inner);
    }
}

/// Whether a value does not depend on the loop's variables: a number, an empty list, a new table.
fn is_fresh<'t>(finder: &Finder<'t>, value: Node<'t>) -> bool {
    let text = finder.src(value);
    finder.is(value, Role::Integer)
        || value.kind().ends_with("literal")
        || [
            "[", "{", "vec!", "new ", "Vec::new", "set(", "dict(", "true", "false", "True",
            "False", "-1",
        ]
        .iter()
        .any(|it| text.starts_with(it))
}

/// Moves a statement from a loop to before it, if its value does not depend on the loop.
fn hoist<'t>(finder: &mut Finder<'t>, statement: Node<'t>, of: Node<'t>) {
    let block = statement.parent();
    let Some(around) = block.and_then(|it| it.parent()).filter(|it| finder.is(*it, Role::Loop))
    else {
        return;
    };
    let is_statement = around
        .parent()
        .is_some_and(|it| finder.is(it, Role::Block) || it.kind() == "expression_statement");
    let value = finder.field(of, &["value", "right"]);
    let value = value.or_else(|| {
        let declarator = finder.field(of, &["declarator"])?;
        finder.field(declarator, &["value"])
    });
    let Some(value) = value.filter(|_| is_statement && finder.syntax.kept.is_none()) else {
        return;
    };
    let before = around.start_byte()..statement.start_byte();
    let mut seen = Vec::new();
    let mut left = vec![around];
    while let Some(node) = left.pop() {
        if finder.is(node, Role::Name) && node.start_byte() < before.end {
            seen.push(finder.src(node));
        }
        left.extend(children(node));
    }
    let names = finder.below(value, Role::Name).into_iter();
    if names.map(|it| finder.src(it)).any(|it| seen.contains(&it)) {
        return;
    }
    let line = finder.text[..before.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &finder.text[line..before.start];
    if !indent.trim().is_empty() || slot(around) == Some("body") {
        return;
    }
    let text = finder.src(statement);
    let nothing = finder.syntax.nothing;
    let after = format!("{text}\n{indent}{}{nothing}", &finder.text[before.clone()]);
    finder.edit(Reset, before.start..statement.end_byte(), after);
}
