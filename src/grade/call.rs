//! A call of one function: what a line says about it, and how a submission becomes the program that makes the call.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::grade::asserts::take_apart;
use crate::grade::fault::{FaultyPart, LineFault};
use crate::grade::source::source_name;
use crate::grade::text::{text, text_schema};
use juror_core::check::named::{OptionsError, is_value};
use juror_core::check::options::Options;
use juror_core::language::table::Language;
use juror_core::program::{IncludedFile, Program};
use juror_core::root::FilePath;

/// The name of the file that calls, without its ending.
const CALLER: &str = "JurorCall";

/// The function that is called once for each test case: `input` has its arguments, `answer` what it returns, as JSON.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineCall {
    /// The name of the function.
    pub function: String,
    /// The name of its class; by default `Solution`, if that has the function.
    pub class: Option<String>,
    /// How `input` has the arguments.
    #[serde(default)]
    pub arguments: ArgumentForm,
    /// Whether the order of a returned list does not count.
    #[serde(default)]
    pub any_order: bool,
    /// Whether `answer` may be a list whose first item is what is returned.
    #[serde(default)]
    pub boxed: bool,
    /// How far returned numbers may be off, absolutely or relatively.
    pub tolerance: Option<f64>,
    /// The types of the arguments, in place of annotations, such as `list<integer>` or `TreeNode`.
    #[serde(default)]
    pub types: Vec<String>,
}

/// How an input has the arguments of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentForm {
    /// As one list.
    #[default]
    Json,
    /// As a value in each line.
    Lines,
    /// As a list itself, not as a text; `answer` is a value, too.
    Values,
    /// As one list in which nothing of Python is lost; so is what is returned.
    #[serde(skip)]
    Exact,
    /// As a test that the program's own interpreter runs, and the name of the function.
    #[serde(skip)]
    Test,
}

/// A test in Python with asserts, in place of test cases.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineAsserts {
    /// The test; a list of asserts is joined.
    #[serde(deserialize_with = "text")]
    #[schemars(schema_with = "text_schema")]
    pub test: String,
    /// The function that the test gets, if it is a function `check`.
    pub function: Option<String>,
}

impl LineAsserts {
    /// The call that the asserts make, and its test cases: an input and an answer each. If they are not simple, one test
    /// case has the whole test.
    pub(super) fn to_call(&self) -> (LineCall, Vec<(String, String)>) {
        let test = &self.test;
        let known = self.function.clone();
        let (form, function, cases) = match take_apart(test) {
            Some((name, cases)) => {
                (ArgumentForm::Exact, known.filter(|_| name == CANDIDATE).unwrap_or(name), cases)
            }
            None => {
                let function = known.unwrap_or_default();
                let input = serde_json::json!([test, function]).to_string();
                (ArgumentForm::Test, CANDIDATE.to_owned(), vec![(input, "true".to_owned())])
            }
        };
        (LineCall { function, arguments: form, ..LineCall::default() }, cases)
    }
}

/// What HumanEval's tests call the function.
const CANDIDATE: &str = "candidate";

/// Whether this comparison can judge what a function returned.
pub fn is_comparison_of_calls(name: &str) -> bool {
    name.split([',', '=']).next() == Some("json")
}

impl LineCall {
    pub(super) fn check<'c>(
        &self,
        cases: impl Iterator<Item = (&'c str, &'c str)>,
    ) -> Result<(), LineFault> {
        for (key, name) in [("function", Some(&self.function)), ("class", self.class.as_ref())] {
            let is_name = |name: &String| {
                let mut letters = name.chars();
                letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
                    && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
            };
            if let Some(name) = name.filter(|name| !is_name(name)) {
                let message = format!("`/call/{key}`: `{name}` is not a name");
                return Err(LineFault::of_line(message, "write the name alone, such as `twoSum`"));
            }
        }
        if let Err(error) = self.options() {
            let help = "give an error from 0, such as 1e-6";
            return Err(LineFault::of_line(format!("`/call/tolerance`: {error}"), help));
        }
        let wrong = |number: usize, key: &str, what: &str, help: &str| {
            Err(LineFault::of_line(format!("`/cases/{number}/{key}`: {what}"), help))
        };
        for (number, (input, answer)) in cases.enumerate() {
            let input = input.trim();
            let mut lines = input.lines().filter(|line| !line.trim().is_empty());
            let (is_right, what, help) = match self.arguments {
                ArgumentForm::Json
                | ArgumentForm::Values
                | ArgumentForm::Exact
                | ArgumentForm::Test => (
                    input.starts_with('[') && is_value(input),
                    "is not a JSON list of arguments",
                    "write `[[2, 7], 9]` for two arguments; if each has a line of its own, set `/call/arguments` to `lines`",
                ),
                ArgumentForm::Lines => (
                    lines.all(is_value),
                    "has a line that is not a JSON value",
                    "write a value in each line; if the input is one list, set `/call/arguments` to `json`",
                ),
            };
            if !is_right {
                return wrong(number, "input", what, help);
            }
            if !is_value(answer) {
                return wrong(
                    number,
                    "answer",
                    "is not a JSON value",
                    "write what the function returns, as JSON",
                );
            }
        }
        Ok(())
    }

    /// How what it returns is compared.
    ///
    /// # Errors
    /// If the tolerance is no error.
    pub fn options(&self) -> Result<Options, OptionsError> {
        let tolerance = self.tolerance.map(|most| format!(",tolerance={most:e}"));
        let order = if self.any_order { ",any_order=true" } else { "" };
        let boxed = if self.boxed { ",boxed=true" } else { "" };
        Options::of_name(&format!("json{}{order}{boxed}", tolerance.unwrap_or_default()))
    }

    /// Adds the file that calls the function, which starts. Returns the text of the program's own file.
    ///
    /// # Errors
    /// If the language has no such file.
    pub fn add_caller(
        &self,
        program: &mut Program,
        language: &Language,
        text: &str,
    ) -> Result<String, LineFault> {
        let is_of_python = matches!(self.arguments, ArgumentForm::Exact | ArgumentForm::Test);
        if is_of_python && !language.code.starts_with("py") {
            let message = format!("asserts in Python cannot call a program in {}", language.name);
            let help = "give a `call` and `cases` instead of `asserts`";
            return Err(LineFault::new(FaultyPart::Source, message, Some(help.to_owned())));
        }
        let Some((ending, caller_text)) = language.call else {
            let known = Language::supported().filter(|language| language.call.is_some());
            let known: Vec<&str> = known.map(|language| language.code).collect();
            let message = format!("juror calls no functions in {}", language.name);
            let help = format!("it does in {}; in others, give a program", known.join(", "));
            return Err(LineFault::new(FaultyPart::Source, message, Some(help)));
        };
        let caller = source_name(CALLER, language);
        program.name = format!("submission.{ending}");
        program.path = FilePath::root(&program.name);
        program.language = Some(language.code.to_owned());
        let (form, is_by_lines) = match self.arguments {
            ArgumentForm::Json | ArgumentForm::Values => ("json", 0),
            ArgumentForm::Lines => ("lines", 1),
            ArgumentForm::Exact => ("exact", 0),
            ArgumentForm::Test => ("test", 0),
        };
        // Interpreters read words, and compilers macros.
        let class = self.class.clone().unwrap_or_default();
        let is_usual = class.is_empty()
            && ["class Solution", "struct Solution"].iter().any(|it| text.contains(it));
        let class_of_macro = if is_usual { "Solution" } else { &class };
        let path = format!("/program/{}", program.name);
        program.arguments = vec![path, self.function.clone(), class.clone(), form.to_owned()];
        program.arguments.extend(self.types.iter().cloned());
        program.defines.extend([
            format!("JUROR_SUBMISSION=\"{}\"", program.name),
            format!("JUROR_FUNCTION={}", self.function),
            format!("JUROR_CLASS={class_of_macro}"),
            format!("JUROR_LINES={is_by_lines}"),
        ]);
        // LeetCode's submissions in Java lack imports. The first line of the caller has them.
        let imports = caller_text.lines().next().filter(|line| line.starts_with("import java."));
        let text = format!("{}{text}", imports.unwrap_or_default());
        let mut texts = [&*text, caller_text];
        // A header is added to the file that includes it; else, the caller is added to the sources.
        let is_header = ending == "h";
        if is_header {
            texts.reverse();
            program.path = FilePath::root(&caller);
        }
        let [own, added] = texts;
        program.include.push(IncludedFile {
            name: PathBuf::from(if is_header { &program.name } else { &caller }),
            text: Some(added.to_owned()),
            is_header,
            ..IncludedFile::default()
        });
        program.entry_point = Some(caller);
        Ok(own.to_owned())
    }
}
