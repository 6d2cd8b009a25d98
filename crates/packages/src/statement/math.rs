//! Translates formulas to MathML, which browsers show without a script.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};
use roxmltree::{Attribute, Document};

use crate::statement::html::escape;

/// In bytes: each byte may begin a group, and each level needs stack.
const LONGEST_FORMULA: usize = 2000;

/// To define a command costs as much as all before it together, and statements come from strangers.
const MOST_COMMANDS: usize = 500;

/// Commands in statements that the library lacks.
const MACROS: [(&str, &str); 3] = [("textcolor", "{#2}"), ("href", "{#2}"), ("bm", r"\mathbf{#1}")];

const PERMITTED_ELEMENTS: &str = "math mi mn mo mtext mspace mrow mfrac msqrt mroot mstyle mpadded mphantom menclose msub msup \
                        msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd merror ms span code \
                        b i em u s semantics none";

pub(super) struct FormulaTranslator {
    library: LatexToMathML,
    macros: Vec<(String, String)>,
}

impl FormulaTranslator {
    pub(super) fn new() -> Self {
        let macros = MACROS.map(|(name, body)| (name.to_owned(), body.to_owned())).to_vec();
        Self { library: new_library(&macros).unwrap_or_default(), macros }
    }

    /// A command that has no meaning in a formula stays unknown.
    pub(super) fn define(&mut self, name: &str, body: &str) {
        self.macros.retain(|(known, _)| known != name);
        if self.macros.len() >= MOST_COMMANDS {
            return;
        }
        self.macros.push((name.to_owned(), body.to_owned()));
        match new_library(&self.macros) {
            Some(library) => self.library = library,
            None => drop(self.macros.pop()),
        }
    }

    /// `alone`: the formula has a line for itself.
    ///
    /// # Errors
    /// If it cannot be shown, with the reason.
    pub(super) fn translate(&self, formula: &str, alone: bool) -> Result<String, String> {
        if formula.len() > LONGEST_FORMULA {
            return Err(format!("it has more than {LONGEST_FORMULA} bytes"));
        }
        let display = if alone { MathDisplay::Block } else { MathDisplay::Inline };
        let formula = formula.replace(r"\mbox{", r"\text{");
        let mut formula = normalize_commands(&split_texts_at_formulas(&formula));
        for name in ["eqnarray*", "eqnarray"] {
            formula = formula.replace(&format!("\\begin{{{name}}}"), r"\begin{array}{rcl}");
            formula = formula.replace(&format!("\\end{{{name}}}"), r"\end{array}");
        }
        let translated = self.library.convert_with_local_state(&formula, display);
        let mathml = translated.map_err(|error| error.error_message())?.mathml;
        if is_harmless(&mathml) {
            Ok(mathml)
        } else {
            Err("it makes more than a formula".to_owned())
        }
    }
}

/// Removes the enclosing `\[` and `\]`, and the space after a line: `\\[4pt]`.
fn normalize_commands(formula: &str) -> String {
    let mut text = String::with_capacity(formula.len());
    let mut rest = formula;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(command) = rest.chars().next() else {
            text.push('\\');
            break;
        };
        rest = &rest[command.len_utf8()..];
        match command {
            '[' | ']' => continue,
            command => text.extend(['\\', command]),
        }
        let space = rest.strip_prefix('[').filter(|_| command == '\\');
        let is_length =
            |it: &str| it.starts_with(|it: char| it.is_ascii_digit() || "-.".contains(it));
        if let Some((_, after)) =
            space.and_then(|it| it.split_once(']').filter(|it| is_length(it.0)))
        {
            rest = after;
        }
    }
    text + rest
}

/// Splits texts at the formulas in them: `\text{if $n$ is}` becomes `\text{if }n\text{ is}`.
fn split_texts_at_formulas(formula: &str) -> String {
    const TEXT: &str = r"\text{";
    let mut all = String::with_capacity(formula.len());
    let mut rest = formula;
    while let Some((before, after)) = rest.split_once(TEXT) {
        let mut depth = 1;
        let end = after.find(|it| {
            depth += i32::from(it == '{') - i32::from(it == '}');
            depth == 0
        });
        let Some(end) = end else { break };
        let parts: Vec<&str> = after[..end].split('$').collect();
        let is_plain = parts.len().is_multiple_of(2) || after[..end].contains(r"\$");
        all.push_str(before);
        if is_plain {
            all.extend([TEXT, &after[..end], "}"])
        } else {
            parts.iter().enumerate().for_each(|(at, part)| match at % 2 {
                0 => all.extend([TEXT, part, "}"]),
                _ => all.push_str(part),
            })
        }
        rest = &after[end + 1..];
    }
    all + rest
}

pub(super) fn as_code(formula: &str) -> String {
    format!("<code>{}</code>", escape(formula))
}

fn new_library(macros: &[(String, String)]) -> Option<LatexToMathML> {
    let macros = macros.to_vec();
    let config =
        MathCoreConfig { macros, allow_unreliable_rendering: true, ..MathCoreConfig::default() };
    LatexToMathML::new(config).ok()
}

/// The library's input comes from strangers.
fn is_harmless(mathml: &str) -> bool {
    let Ok(document) = Document::parse(mathml) else { return false };
    let is_harmless = |attribute: Attribute<'_, '_>| {
        let (name, value) = (attribute.name(), attribute.value());
        !name.starts_with("on") && !["href", "src"].contains(&name) && !value.contains("url(")
    };
    document.root_element().has_tag_name("math")
        && document.descendants().filter(|node| node.is_element()).all(|node| {
            PERMITTED_ELEMENTS.split(' ').any(|known| node.tag_name().name() == known)
                && node.attributes().all(is_harmless)
        })
}
