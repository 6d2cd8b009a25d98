//! Numbers: off by one, other initial values, arrays that are too small.

use tree_sitter::Node;

use crate::faults::finder::{Finder, children, field_name};
use crate::faults::operator::Operator::{Arr, Cond, Init, Memo, Off1, Ret};
use crate::faults::syntax::Role;

struct IntegerLiteral<'t> {
    value: i128,
    suffix: &'t str,
}

impl<'t> IntegerLiteral<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        // In some grammars the sign is part of the number.
        let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '_' && c != '\'');
        let (digits, suffix) = text.split_at(digits.unwrap_or(text.len()));
        let plain: String = digits.chars().filter(char::is_ascii_digit).collect();
        let is_octal = plain.len() > 1 && plain.starts_with('0');
        let is_whole = !suffix.starts_with(['.', 'e', 'E', 'x', 'X', 'b', 'B']);
        let value: i128 = plain.parse().ok().filter(|_| is_whole && !is_octal)?;
        Some(Self { value: sign * value, suffix })
    }

    fn with_value(&self, value: i128) -> String {
        format!("{value}{}", self.suffix)
    }
}

/// From here on a number is large: it means "more than anything", or is a limit.
const LARGE: i128 = 100_000;

/// Adds or subtracts one, and replaces initial values.
pub(super) fn integers<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.has_role(node, Role::Integer) || array_size_around(finder, node).is_some() {
        return;
    }
    let Some(written) = IntegerLiteral::parse(finder.text_of(node)) else { return };
    let sign = node.parent().filter(|parent| {
        let is_minus = finder.text_of(*parent).starts_with('-');
        (finder.has_role(*parent, Role::Unary) && is_minus) || parent.kind() == "negative_literal"
    });
    let (whole, value) = sign.map_or((node, written.value), |sign| (sign, -written.value));
    for next in [value + 1, value - 1] {
        finder.replace(Off1, whole, written.with_value(next));
    }
    let is_initial = is_initial(finder, whole);
    if value == -1 {
        let is_memo = is_recursive(finder, node)
            || finder.parent_has_role(whole, Role::Argument)
            || is_compared(finder, whole);
        finder.replace(if is_memo { Memo } else { Init }, whole, written.with_value(0));
    } else if is_initial && value == 0 {
        finder.replace(Init, whole, written.with_value(1000));
    } else if is_initial && value.abs() >= LARGE {
        finder.replace(Init, whole, written.with_value(0));
        finder.replace(Init, whole, written.with_value(1000));
    }
}

fn is_compared<'t>(finder: &Finder<'t>, node: Node<'t>) -> bool {
    node.parent().is_some_and(|parent| {
        finder.has_role(parent, Role::Binary)
            && ["==", "!="].iter().any(|sign| finder.text_of(parent).contains(sign))
    })
}

/// Whether a node is the whole value that a variable is set to.
fn is_initial<'t>(finder: &Finder<'t>, node: Node<'t>) -> bool {
    let is_value = matches!(field_name(node), Some("value" | "right" | "default_value"));
    is_value
        && node.parent().is_some_and(|parent| {
            let kinds = ["init_declarator", "variable_declarator"];
            let is_set = finder.has_role(parent, Role::Assign)
                && finder.field_text(parent, &["operator"]).is_none_or(|sign| sign == "=");
            kinds.contains(&parent.kind()) || finder.has_role(parent, Role::Declaration) || is_set
        })
}

/// Whether the function around a node calls itself.
pub(super) fn is_recursive<'t>(finder: &Finder<'t>, node: Node<'t>) -> bool {
    let name = finder.function_name(node);
    let Some(function) = finder.nearest_ancestor(node, Role::Function).filter(|_| !name.is_empty())
    else {
        return false;
    };
    finder
        .descendants(function, Role::Call)
        .into_iter()
        .any(|call| finder.called_name(call) == name)
}

pub(super) fn indices<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.has_role(node, Role::Index) {
        return;
    }
    let index = finder.field(node, &["indices", "subscript", "index"]);
    let Some(mut index) = index.or_else(|| finder.named_children(node).get(1).copied()) else {
        return;
    };
    if index.kind() == "subscript_argument_list" {
        let Some(inner) = finder.named_children(index).first().copied() else { return };
        index = inner;
    }
    let is_literal = !finder.descendants(index, Role::Integer).is_empty();
    if is_literal || finder.has_role(index, Role::Range) || index.kind() == "slice" {
        return;
    }
    let text = finder.text_of(index);
    finder.replace(Off1, index, format!("{text} + 1"));
    finder.replace(Off1, index, format!("{text} - 1"));
}

/// The array size that a node is, or is part of.
fn array_size_around<'t>(finder: &Finder<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let mut at = node;
    loop {
        let parent = at.parent()?;
        let is_size = match parent.kind() {
            "array_declarator" => field_name(at) == Some("size"),
            "array_type" | "array_expression" | "new_declarator" => {
                field_name(at) == Some("length")
            }
            "dimensions_expr" => true,
            "template_argument_list" => finder.has_role(at, Role::Integer),
            _ => false,
        };
        if is_size {
            return Some(at);
        }
        if !finder.has_role(parent, Role::Binary) {
            return constant_size(finder, at);
        }
        at = parent;
    }
}

/// `Some` if the node is the value of a constant in capitals and large enough for a size.
fn constant_size<'t>(finder: &Finder<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let holder = node.parent()?;
    let name = finder.field(holder, &["name", "declarator"])?;
    let is_named = finder.text_of(name).chars().all(|c| !c.is_lowercase());
    let value = IntegerLiteral::parse(finder.text_of(node))?.value;
    (field_name(node) == Some("value") && is_named && (16..1_000_000_000).contains(&value))
        .then_some(node)
}

pub(super) fn sizes<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if array_size_around(finder, node) == Some(node) {
        shrink_size(finder, node);
    }
    let callee = finder.has_role(node, Role::Call).then(|| finder.called_name(node));
    if matches!(callee, Some("resize" | "assign" | "with_capacity" | "vector"))
        && let Some(arguments) = finder.field(node, &["arguments"])
        && let Some(size) = finder.named_children(arguments).first()
    {
        shrink_size(finder, *size);
    }
    // `std::vector<int> row(n)`
    if finder.has_role(node, Role::Argument)
        && node.parent().is_some_and(|parent| parent.kind() == "init_declarator")
        && let Some(size) = finder.named_children(node).first()
        && !finder.has_role(*size, Role::Text)
    {
        shrink_size(finder, *size);
    }
    // `[0] * n`
    if node.kind() == "binary_operator"
        && let Some((left, _, right)) = finder.operands(node)
        && left.kind() == "list"
    {
        let text = finder.text_of(right);
        finder.replace(Arr, right, format!("({text} - 1)"));
        finder.replace(Arr, right, format!("({text} // 2)"));
    }
    // `vec![0; n]`
    if finder.has_role(node, Role::Tokens) {
        let parts = children(node);
        let after = parts.iter().position(|token| token.kind() == ";");
        if let Some(after) = after
            && let (Some(first), Some(last)) = (parts.get(after + 1), parts.get(parts.len() - 2))
            && first.start_byte() < last.end_byte()
        {
            let range = first.start_byte()..last.end_byte();
            let text = &finder.text[range.clone()];
            finder.replace_range(Arr, range.clone(), format!("({text}) - 1"));
            finder.replace_range(Arr, range, format!("({text}) / 2"));
        }
    }
}

fn shrink_size<'t>(finder: &mut Finder<'t>, size: Node<'t>) {
    let text = finder.text_of(size);
    let less = match IntegerLiteral::parse(text) {
        Some(written) if written.value < 2 => return,
        Some(written) => {
            [written.with_value(written.value - 1), written.with_value(written.value / 2)]
        }
        None => [format!("({text}) - 1"), format!("({text}) / 2")],
    };
    for less in less {
        finder.replace(Arr, size, less);
    }
}

/// Names of the greatest and the least numbers.
const GREATEST: &str = "INF inf oo INT_MAX INT_MIN LLONG_MAX LLONG_MIN MAX MIN MAX_VALUE MIN_VALUE";

/// Replaces the initial value of a search, if it is an element or a greatest number.
pub(super) fn initial<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !is_initial(finder, node) {
        return;
    }
    let text = finder.text_of(node);
    let last = text.rsplit([':', '.', '(']).next().unwrap_or_default();
    let is_greatest = GREATEST.split(' ').any(|name| name == last.trim_end_matches(')'));
    let is_element = finder.has_role(node, Role::Index)
        && !finder.parent_has_role(node, Role::Assign)
        && !text.contains("..");
    if is_greatest || is_element {
        finder.replace(Init, node, "0");
    }
}

pub(super) fn booleans<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let other = match finder.text_of(node) {
        "true" => "false",
        "false" => "true",
        "True" => "False",
        "False" => "True",
        _ => return,
    };
    if node.child_count() > 0 && !node.kind().starts_with("boolean") {
        return;
    }
    let operator = match node.parent() {
        Some(parent) if finder.has_role(parent, Role::Return) => Ret,
        Some(_) if is_initial(finder, node) => Init,
        _ => Cond,
    };
    finder.replace(operator, node, other);
}
