//! Numbers in narrower types.

use tree_sitter::Node;

use crate::faults::finder::{Finder, field_name};
use crate::faults::operator::Operator::Type;
use crate::faults::syntax::Role;

pub(super) fn types<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    if !finder.has_role(node, Role::Type) || finder.parent_has_role(node, Role::Type) {
        return;
    }
    let is_of_main = field_name(node) == Some("type")
        && node.parent().is_some_and(|parent| {
            finder.has_role(parent, Role::Function) && finder.text_of(parent).contains("main(")
        });
    let text: Vec<&str> = finder.text_of(node).split_whitespace().collect();
    let text = text.join(" ");
    let narrower =
        finder.syntax.narrower_types.iter().find(|(wide, _)| *wide == text && !is_of_main);
    for narrow in narrower.into_iter().flat_map(|(_, narrower)| *narrower) {
        finder.replace(Type, node, *narrow);
    }
}

/// Compares numbers as floats of 32 bits, which have about seven digits; printed numbers stay exact. Comparisons in
/// loops are not changed: their numbers are too small.
pub(super) fn comparisons<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let (Some(rounded), Some((left, sign, right))) =
        (finder.syntax.rounding_cast, finder.operands(node))
    else {
        return;
    };
    if !finder.has_role(node, Role::Binary) || !["<", "<=", ">", ">="].contains(&sign) {
        return;
    }
    let is_inside = |ancestor: &Node<'t>| {
        finder.has_role(*ancestor, Role::Binary)
            || ancestor.kind().contains("paren")
            || ancestor.kind() == "condition_clause"
    };
    let holder = finder.ancestors(node).find(|ancestor| !is_inside(ancestor));
    let has_literal = [left, right].into_iter().any(|side| finder.has_role(side, Role::Integer));
    if has_literal || holder.is_some_and(|holder| finder.has_role(holder, Role::Loop)) {
        return;
    }
    let [left, right] = [left, right].map(|side| rounded.replace("{}", finder.text_of(side)));
    finder.replace(Type, node, format!("{left} {sign} {right}"));
}

/// Narrows a value before it is stored, in languages in which changing one type is not enough.
pub(super) fn casts<'t>(finder: &mut Finder<'t>, node: Node<'t>) {
    let is_assignment = finder.has_role(node, Role::Assign) || finder.has_role(node, Role::Augment);
    let Some((left, sign, right)) = finder.operands(node) else { return };
    if !is_assignment || finder.syntax.casts.is_empty() {
        return;
    }
    let (name, value) = (finder.text_of(left), finder.text_of(right));
    let is_calculated =
        !finder.descendants(right, Role::Binary).is_empty() && !value.starts_with('[');
    let narrowed = match sign {
        "=" if is_calculated => value.to_owned(),
        "+=" | "-=" | "*=" => format!("{name} {} ({value})", &sign[..1]),
        _ => return,
    };
    // If the program has no wider types, its values are `int` already.
    let lower = finder.text.to_lowercase();
    let is_int = !["long", "double", "float"].iter().any(|wide| lower.contains(wide));
    for cast in finder.syntax.casts.iter().filter(|cast| !(is_int && cast.starts_with("(int) ({")))
    {
        let cast = cast.replace("{}", &narrowed);
        let whole = left.start_byte()..right.end_byte();
        finder.replace_range(Type, whole, format!("{name} = {cast}"));
    }
}
