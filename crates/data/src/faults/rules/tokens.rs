//! Operators: comparisons, arithmetic, parity, and their operands.

use tree_sitter::Node;

use crate::faults::finder::{Finder, children, field_name};
use crate::faults::operator::Operator::{self, Aor, Cond, Loop, Parity, Ret, Ror, Swaparg, Tie};
use crate::faults::syntax::Role;

/// A token, the role of its parent, and the tokens that it is confused with.
struct Mistake {
    operator: Operator,
    role: Role,
    token: &'static str,
    replacements: &'static [&'static str],
}

const fn mistake(
    operator: Operator,
    role: Role,
    token: &'static str,
    replacements: &'static [&'static str],
) -> Mistake {
    Mistake { operator, role, token, replacements }
}

/// All languages that have these tokens write them alike.
const MISTAKES: &[Mistake] = &[
    mistake(Ror, Role::Binary, "<", &["<=", ">"]),
    mistake(Ror, Role::Binary, "<=", &["<", ">="]),
    mistake(Ror, Role::Binary, ">", &[">=", "<"]),
    mistake(Ror, Role::Binary, ">=", &[">", "<="]),
    mistake(Ror, Role::Binary, "==", &["!=", "<=", ">="]),
    mistake(Ror, Role::Binary, "!=", &["==", "<", ">"]),
    mistake(Aor, Role::Binary, "+", &["-"]),
    mistake(Aor, Role::Binary, "-", &["+"]),
    mistake(Aor, Role::Binary, "*", &["+"]),
    mistake(Aor, Role::Binary, "/", &["*"]),
    mistake(Aor, Role::Binary, "//", &["/", "*"]),
    mistake(Aor, Role::Binary, "%", &["/"]),
    mistake(Aor, Role::Binary, "&", &["|"]),
    mistake(Aor, Role::Binary, "|", &["&", "^"]),
    mistake(Aor, Role::Binary, "^", &["|"]),
    mistake(Aor, Role::Tokens, "+", &["-"]),
    mistake(Aor, Role::Tokens, "-", &["+"]),
    mistake(Aor, Role::Tokens, "/", &["*"]),
    mistake(Aor, Role::Augment, "+=", &["-=", "="]),
    mistake(Aor, Role::Augment, "-=", &["+="]),
    mistake(Aor, Role::Augment, "*=", &["+="]),
    mistake(Aor, Role::Augment, "/=", &["*="]),
    mistake(Aor, Role::Augment, "//=", &["*="]),
    mistake(Aor, Role::Augment, "|=", &["="]),
    mistake(Aor, Role::Augment, "^=", &["="]),
    mistake(Aor, Role::Update, "++", &["--"]),
    mistake(Aor, Role::Update, "--", &["++"]),
    mistake(Cond, Role::Binary, "&&", &["||"]),
    mistake(Cond, Role::Binary, "||", &["&&"]),
    mistake(Cond, Role::Binary, "and", &["or"]),
    mistake(Cond, Role::Binary, "or", &["and"]),
    mistake(Loop, Role::Range, "..", &["..="]),
    mistake(Loop, Role::Range, "..=", &[".."]),
    mistake(Ret, Role::Break, "break", &["continue"]),
    mistake(Ret, Role::Continue, "continue", &["break"]),
];

pub(super) fn tokens<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    for child in children(node) {
        if child.is_named() {
            continue;
        }
        for mistake in MISTAKES {
            if mistake.token != child.kind() || !finder.has_role(node, mistake.role) {
                continue;
            }
            // Among the arguments of a macro, only the neighbours show that an operator has two operands.
            let is_named = |sibling: Option<Node<'_>>| sibling.is_some_and(|node| node.is_named());
            if mistake.role == Role::Tokens
                && !(is_named(child.prev_sibling()) && is_named(child.next_sibling()))
            {
                continue;
            }
            for (index, replacement) in mistake.replacements.iter().enumerate() {
                let operator = match mistake.operator {
                    Ror if index == 0 && decides_ties(finder, node) => Tie,
                    Aor if field_name(node) == Some("update") => Loop,
                    operator => operator,
                };
                finder.replace(operator, child, *replacement);
            }
        }
    }
}

/// Whether a comparison decides which of two equal values is taken.
fn decides_ties<'t>(finder: &Finder<'t>, comparison: Node<'t>) -> bool {
    let operands = finder.named_children(comparison);
    let [left, right] = operands.as_slice() else { return false };
    let operands = [finder.text_of(*left), finder.text_of(*right)];
    let holder = finder
        .ancestors(comparison)
        .find(|outer| !outer.kind().contains("paren") && outer.kind() != "condition_clause");
    let Some(holder) = holder else { return false };
    if finder.has_role(holder, Role::Ternary) {
        return finder
            .named_children(holder)
            .iter()
            .any(|part| operands.contains(&finder.text_of(*part)));
    }
    if finder.has_role(holder, Role::If) {
        let assigned = finder.descendants(holder, Role::Assign).into_iter();
        let mut assigned = assigned.filter_map(|assign| finder.field(assign, &["left"]));
        return assigned.any(|left| operands.contains(&finder.text_of(left)));
    }
    let name = finder.function_name(comparison);
    name.contains("cmp")
        || name.contains("less")
        || name.contains("compare")
        || finder.nearest_ancestor(comparison, Role::Lambda).is_some()
}

pub(super) fn parity<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.has_role(node, Role::Binary) {
        return;
    }
    let Some((left, sign, right)) = finder.operands(node) else { return };
    match (sign, finder.text_of(right)) {
        ("^", "1") => finder.replace(Parity, node, finder.text_of(left)),
        ("%", "2") | ("&", "1") => {
            let text = finder.text_of(node);
            finder.replace(Parity, node, format!("(1 - {text})"));
            finder.replace(Parity, node, "0");
            finder.replace(Parity, node, "1");
        }
        _ => {}
    }
}

pub(super) fn operands<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if finder.has_role(node, Role::Unary)
        && let Some(operand) = finder.named_children(node).last().copied()
    {
        let sign = finder.text[node.start_byte()..operand.start_byte()].trim();
        match sign {
            "-" if !finder.has_role(operand, Role::Integer) => {
                finder.replace(Aor, node, finder.text_of(operand))
            }
            "!" | "not" => finder.replace(Cond, node, finder.text_of(operand)),
            _ => {}
        }
    }
    if !finder.has_role(node, Role::Binary) {
        return;
    }
    let Some((left, sign, right)) = finder.operands(node) else { return };
    match sign {
        "&&" | "||" | "and" | "or" => {
            finder.replace(Cond, node, finder.text_of(left));
            finder.replace(Cond, node, finder.text_of(right));
        }
        "-" | "/" | "//" => {
            let (one, two) = (finder.text_of(left), finder.text_of(right));
            let swapped = if finder.has_role(left, Role::Binary) {
                format!("{two} {sign} ({one})")
            } else {
                format!("{two} {sign} {one}")
            };
            finder.replace(Swaparg, node, swapped);
        }
        "<<" | ">>" if is_shift(finder, left, right) => {
            let other = if sign == "<<" { ">>" } else { "<<" };
            let sign = left.end_byte()..right.start_byte();
            finder.replace_range(Aor, sign, format!(" {other} "));
        }
        _ => {}
    }
}

/// Whether `<<` or `>>` is a shift, not a write or read.
fn is_shift<'t>(finder: &Finder<'t>, left: Node<'t>, right: Node<'t>) -> bool {
    finder.has_role(left, Role::Integer)
        || (finder.has_role(right, Role::Integer)
            && matches!(
                left.kind(),
                "identifier"
                    | "parenthesized_expression"
                    | "subscript_expression"
                    | "index_expression"
            )
            && !finder.text_of(left).contains("out"))
}
