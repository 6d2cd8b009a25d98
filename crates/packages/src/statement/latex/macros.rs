//! Macros that a statement defines, for its text and its formulas.

use std::collections::HashMap;
use std::rc::Rc;

use crate::statement::latex::scanner::LatexScanner;

/// In bytes of text that macros make.
const MOST_EXPANDED: usize = 1 << 20;

#[derive(Clone, Debug, Default)]
pub(super) struct LatexMacro {
    parameters: usize,
    /// The default of the first parameter, which is then an argument in brackets.
    default: Option<String>,
    body: String,
}

#[derive(Debug, Default)]
pub(in crate::statement) struct LatexMacros {
    by_name: HashMap<String, Rc<LatexMacro>>,
    expanded_bytes: usize,
}

impl LatexMacros {
    pub(super) fn get(&self, name: &str) -> Option<Rc<LatexMacro>> {
        self.by_name.get(name).map(Rc::clone)
    }

    pub(super) fn is_definition(command: &str) -> bool {
        let known = ["newcommand", "renewcommand", "providecommand", "def", "let"];
        known.contains(&command) || command == "DeclareMathOperator"
    }

    /// Reads a definition: `\newcommand{\name}[2][default]{text}`, `\def\name{text}`, `\let\name=\other`.
    ///
    /// # Errors
    /// If the definition has no effect, with the reason.
    pub(super) fn define(
        &mut self,
        command: &str,
        text: &str,
        scanner: &mut LatexScanner<'_>,
    ) -> Result<(), String> {
        let name = text[scanner.argument()].trim().trim_start_matches('\\').to_owned();
        let mut new = LatexMacro::default();
        match command.trim_end_matches('*') {
            "let" => {
                scanner.accept('=');
                let other = &text[scanner.argument()];
                let known = other.strip_prefix('\\').and_then(|other| self.get(other));
                match known {
                    Some(known) => new = (*known).clone(),
                    None => new.body = other.to_owned(),
                }
            }
            "DeclareMathOperator" => {
                let star = if command.ends_with('*') { "*" } else { "" };
                new.body = format!("\\operatorname{star}{{{}}}", &text[scanner.argument()]);
            }
            _ => {
                let parameters = scanner.option();
                new.parameters =
                    parameters.and_then(|range| text[range].trim().parse().ok()).unwrap_or(0);
                new.default = scanner.option().map(|range| text[range].to_owned());
                let is_def = command == "def";
                let pattern = if is_def { &text[scanner.range_before_brace()] } else { "" };
                let numbers = (0..10).find(|count| parameter_pattern(*count) == pattern.trim());
                let body = scanner.argument();
                new.parameters += numbers.unwrap_or(0);
                if numbers.is_none() {
                    self.by_name.insert(name.clone(), Rc::default());
                    return Err(format!("the macro \\{name} has a pattern, so it is left out"));
                }
                new.body = text[body].to_owned();
            }
        }
        if ["labelenum", "theenum", "labelitem"].iter().any(|label| name.starts_with(label)) {
            return Err(format!("\\{name} has no effect: the labels of a list stay as they are"));
        }
        if command != "providecommand" || !self.by_name.contains_key(&name) {
            self.by_name.insert(name, Rc::new(new));
        }
        Ok(())
    }

    /// Reads the arguments of a macro and returns its text; `None` if all macros make too much text.
    pub(super) fn expand(
        &mut self,
        called: &LatexMacro,
        text: &str,
        scanner: &mut LatexScanner<'_>,
    ) -> Option<String> {
        let mut arguments = Vec::new();
        for index in 0..called.parameters.min(9) {
            let default = called.default.as_deref().filter(|_| index == 0);
            arguments.push(match default {
                Some(default) => scanner.option().map_or(default, |range| &text[range]),
                None => &text[scanner.argument()],
            });
        }
        self.substitute(&called.body, &arguments)
    }

    /// Replaces `#1` by the first argument.
    pub(super) fn substitute(&mut self, body: &str, arguments: &[&str]) -> Option<String> {
        let mut text = String::new();
        let mut rest = if self.expanded_bytes > MOST_EXPANDED { "" } else { body };
        while let Some((before, after)) = rest.split_once('#') {
            let number = after.chars().next().and_then(|c| c.to_digit(10)).unwrap_or(0) as usize;
            let argument = arguments.get(number.wrapping_sub(1));
            text.extend([before, argument.unwrap_or(&"#")]);
            rest = if argument.is_some() { &after[1..] } else { after };
            if self.expanded_bytes + text.len() > MOST_EXPANDED {
                break;
            }
        }
        self.expanded_bytes = self.expanded_bytes.saturating_add(text.len() + rest.len());
        (self.expanded_bytes <= MOST_EXPANDED).then(|| text + rest)
    }
}

/// `#1#2`, as in `\def\name#1#2{text}`.
fn parameter_pattern(count: usize) -> String {
    (1..=count).map(|number| format!("#{number}")).collect()
}
