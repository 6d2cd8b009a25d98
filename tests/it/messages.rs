//! Lists every message in the source, so that they can be read and compared: the problem, and what to do.
//!
//! A message is an argument of a known call, such as `faults.error(place, message, help)`. If it is a variable, its
//! text comes from the latest `let` of that name in the same function.

use std::collections::HashMap;
use std::fmt::Write as _;

use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprLit, ExprMacro, ExprMethodCall, Lit, Local, Pat};

use crate::golden;
use crate::tidy;

/// The arguments of a call that are texts of a message.
struct MessageCall {
    name: &'static str,
    arguments: usize,
    kind: &'static str,
    message: usize,
    help: Option<usize>,
}

const fn message_call(
    name: &'static str,
    arguments: usize,
    kind: &'static str,
    message: usize,
    help: Option<usize>,
) -> MessageCall {
    MessageCall { name, arguments, kind, message, help }
}

/// Names of functions have two parts, of methods one.
const MESSAGE_CALLS: [MessageCall; 23] = [
    message_call("error", 3, "error", 1, Some(2)),
    message_call("warning", 3, "warning", 1, Some(2)),
    message_call("lack", 3, "error", 1, Some(2)),
    message_call("error", 2, "error", 0, Some(1)),
    message_call("warning", 2, "warning", 0, Some(1)),
    message_call("lack", 2, "error", 0, Some(1)),
    message_call("key_error", 2, "error", 0, Some(1)),
    message_call("key_warning", 2, "warning", 0, Some(1)),
    message_call("unknown", 2, "error", 0, Some(1)),
    message_call("must_be", 1, "error: must be …", 0, None),
    message_call("refused", 1, "error: must be …", 0, None),
    message_call("expected", 2, "error: expected …", 0, Some(1)),
    message_call("complain", 1, "error", 0, None),
    message_call("Diagnostic::error", 2, "error", 1, None),
    message_call("Diagnostic::warning", 2, "warning", 1, None),
    message_call("JudgeError::new", 2, "judge error", 1, None),
    message_call("Stop::usage", 1, "error", 0, None),
    message_call("stuck", 2, "error", 0, None),
    message_call("Remark::of", 2, "error", 0, Some(1)),
    message_call("Clash::new", 2, "error", 0, None),
    message_call("LineFault::line", 2, "error: line", 0, Some(1)),
    message_call("LineFault::of", 3, "error: line", 1, Some(2)),
    message_call("Shortfall::new", 2, "warning", 0, None),
];

/// All texts that may be in the message.
struct SourceMessage {
    kind: &'static str,
    texts: Vec<String>,
    help: Vec<String>,
    /// Whether the help is computed, such as a list of similar names.
    has_other_help: bool,
}

#[derive(Default)]
struct MessageVisitor {
    /// The texts of variables in the current function.
    variables: HashMap<String, Vec<String>>,
    messages: Vec<SourceMessage>,
    /// Arguments of `.help(…)` around the current call.
    helps: Vec<Vec<String>>,
}

impl MessageVisitor {
    fn texts_of(&self, expression: &Expr) -> Vec<String> {
        let mut texts = TextVisitor { variables: &self.variables, found: Vec::new() };
        texts.visit_expr(expression);
        texts.found
    }

    fn visit_call(&mut self, name: &str, arguments: Vec<&Expr>) {
        let form =
            MESSAGE_CALLS.iter().find(|it| it.name == name && it.arguments == arguments.len());
        let Some(form) = form else { return };
        let texts = self.texts_of(arguments[form.message]);
        let mut help = form.help.map(|at| self.texts_of(arguments[at])).unwrap_or_default();
        help.extend(self.helps.iter().flatten().cloned());
        let is_other = |it: &Expr| self.texts_of(it).is_empty();
        let has_other_help = form.help.is_some_and(|at| is_other(arguments[at]))
            || self.helps.iter().any(Vec::is_empty);
        if !texts.is_empty() {
            self.messages.push(SourceMessage { kind: form.kind, texts, help, has_other_help });
        }
    }
}

impl<'a> Visit<'a> for MessageVisitor {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.variables.clear();
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.variables.clear();
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !item.attrs.iter().any(|it| it.path().is_ident("cfg")) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_local(&mut self, local: &'a Local) {
        visit::visit_local(self, local);
        let Some(init) = &local.init else { return };
        let texts = self.texts_of(&init.expr);
        // Each of several names gets all texts.
        for name in pattern_names(&local.pat) {
            self.variables.insert(name, texts.clone());
        }
    }

    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        self.visit_call(&call_name(call), call.args.iter().collect());
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        let name = call.method.to_string();
        if name == "help" && call.args.len() == 1 {
            let help = self.texts_of(&call.args[0]);
            self.helps.push(help);
            self.visit_expr(&call.receiver);
            self.helps.pop();
            self.visit_expr(&call.args[0]);
            return;
        }
        self.visit_call(&name, call.args.iter().collect());
        visit::visit_expr_method_call(self, call);
    }
}

/// The last two parts of the function's path; empty if it has no path.
fn call_name(call: &ExprCall) -> String {
    let Expr::Path(path) = &*call.func else { return String::new() };
    let segments: Vec<String> = path.path.segments.iter().map(|it| it.ident.to_string()).collect();
    segments[segments.len().saturating_sub(2)..].join("::")
}

struct TextVisitor<'a> {
    variables: &'a HashMap<String, Vec<String>>,
    found: Vec<String>,
}

impl<'a> Visit<'a> for TextVisitor<'_> {
    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        // Such a call is a message by itself.
        if call_name(call) != "Remark::of" {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        if call.method == "about" {
            self.visit_expr(&call.receiver)
        } else {
            visit::visit_expr_method_call(self, call)
        }
    }

    fn visit_expr_lit(&mut self, literal: &'a ExprLit) {
        if let Lit::Str(text) = &literal.lit {
            self.found.push(text.value());
        }
    }

    fn visit_expr_macro(&mut self, call: &'a ExprMacro) {
        let parse = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        let arguments = call.mac.parse_body_with(parse);
        for argument in arguments.iter().flatten() {
            self.visit_expr(argument);
        }
    }

    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        let name = path.path.get_ident().map(ToString::to_string);
        let texts = name.and_then(|name| self.variables.get(&name));
        self.found.extend(texts.into_iter().flatten().cloned());
    }
}

fn pattern_names(pattern: &Pat) -> Vec<String> {
    match pattern {
        Pat::Ident(ident) => vec![ident.ident.to_string()],
        Pat::Type(it) => pattern_names(&it.pat),
        Pat::Tuple(it) => it.elems.iter().flat_map(pattern_names).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_message_is_listed_and_has_help() {
    let mut list = String::new();
    let mut helpless = Vec::new();
    for path in tidy::source_files("src") {
        let name = path.strip_prefix(tidy::root()).unwrap().display().to_string();
        if name.contains("/tests") {
            continue;
        }
        let file = syn::parse_file(&tidy::read_text(&path)).unwrap();
        let mut reader = MessageVisitor::default();
        reader.visit_file(&file);
        if reader.messages.is_empty() {
            continue;
        }
        writeln!(list, "{name}").unwrap();
        for SourceMessage { kind, texts, help, has_other_help } in reader.messages {
            let texts = texts.join(" | ");
            writeln!(list, "  {kind}: {}", texts.escape_debug()).unwrap();
            match help.join(" | ") {
                help if !help.trim_matches([' ', '|']).is_empty() => {
                    writeln!(list, "    {}", help.escape_debug()).unwrap();
                }
                _ if has_other_help || has_help_in_message(kind, &texts) => {}
                _ => helpless.push(format!("{name}: {kind}: {texts}")),
            }
        }
    }
    golden::file::compare_with_golden("messages.txt", &list);
    helpless.retain(|it| !NEEDS_NO_HELP.iter().any(|part| it.contains(part)));
    assert!(helpless.is_empty(), "say what to do:\n{}", helpless.join("\n"));
}

/// Messages that need no help: values that are too many, too large, empty or duplicate; features that juror lacks;
/// errors of the system or a compiler; missing tools, whose help is elsewhere; and messages of the input generator,
/// after which a search tries another input.
const NEEDS_NO_HELP: [&str; 21] = [
    "is skipped: {why}",
    "no {tool}",
    "src/grammar/write.rs",
    "src/grammar/generate.rs",
    "does not build: {cause}",
    " is a directory",
    "has more than",
    "would have more than",
    "is too large",
    "is empty",
    "is given twice",
    "less than a nanosecond",
    "which juror does not",
    "it checks nothing",
    "is left out",
    "cannot be inside the value",
    "there is no such file",
    "there is no input validator",
    "is neither a file nor a directory",
    "has no `{name}`",
    "accepts {tried}",
];

/// Whether the message itself says what is expected, what was tried, or what the system reported.
fn has_help_in_message(kind: &str, texts: &str) -> bool {
    let says_what_must_be =
        kind.contains('…') || ["must", "; ", ": juror "].iter().any(|it| texts.contains(it));
    let is_of_the_system =
        ["{error}", "{source}", "{reason}", "{}"].iter().any(|end| texts.ends_with(end));
    says_what_must_be || is_of_the_system || kind == "judge error" || texts.contains("is ignored")
}
