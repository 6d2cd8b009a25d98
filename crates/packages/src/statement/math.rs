//! Translates formulas to MathML, which browsers show without a script.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};
use roxmltree::{Attribute, Document};

use crate::statement::html::escape;
use crate::statement::latex::formula::rewrite_formula;
use crate::statement::latex::macros::LatexMacros;

pub(super) const FORMULA_HELP: &str = "write it with the commands of LaTeX and amsmath";

/// In bytes: each byte may begin a group, and each level needs stack.
const LONGEST_FORMULA: usize = 2000;

const PERMITTED_ELEMENTS: &str = "math mi mn mo mtext mspace mrow mfrac msqrt mroot mstyle mpadded mphantom menclose msub msup \
                        msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd merror ms span code \
                        b i em u s a semantics none";

#[derive(Default)]
pub(super) struct FormulaTranslator {
    library: LatexToMathML,
    pub macros: LatexMacros,
}

impl FormulaTranslator {
    pub(super) fn new() -> Self {
        let config = MathCoreConfig { allow_unreliable_rendering: true, ..Default::default() };
        Self { library: LatexToMathML::new(config).unwrap_or_default(), ..Self::default() }
    }

    /// `alone`: the formula has a line for itself.
    ///
    /// # Errors
    /// If it cannot be shown, with the reason.
    pub(super) fn translate(&mut self, formula: &str, alone: bool) -> Result<String, String> {
        if formula.len() > LONGEST_FORMULA {
            return Err(format!("it has more than {LONGEST_FORMULA} bytes"));
        }
        let display = if alone { MathDisplay::Block } else { MathDisplay::Inline };
        let formula = rewrite_formula(formula, alone, &mut self.macros)?;
        let translated = self.library.convert_with_global_state(&formula, display);
        let translated = translated.map_err(|error| error.error_message())?;
        if translated.warnings.has_undefined_references() {
            return Err("there is no such label before it".to_owned());
        }
        if is_harmless(&translated.mathml) {
            Ok(translated.mathml)
        } else {
            Err("it makes more than a formula".to_owned())
        }
    }
}

pub(super) fn as_code(formula: &str) -> String {
    format!("<code>{}</code>", escape(formula))
}

/// The library's input comes from strangers.
fn is_harmless(mathml: &str) -> bool {
    let Ok(document) = Document::parse(mathml) else { return false };
    let is_harmless = |attribute: Attribute<'_, '_>| {
        let (name, value) = (attribute.name(), attribute.value());
        // A reference to an equation is a link in the page.
        let is_address = ["href", "src"].contains(&name) && !value.starts_with('#');
        !name.starts_with("on") && !is_address && !value.contains("url(")
    };
    document.root_element().has_tag_name("math")
        && document.descendants().filter(|node| node.is_element()).all(|node| {
            PERMITTED_ELEMENTS.split(' ').any(|known| node.tag_name().name() == known)
                && node.attributes().all(is_harmless)
        })
}
