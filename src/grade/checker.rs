//! Checkers whose text is in a line.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::door::given_program::add_dmoj_starter;
use crate::grade::fault::{FaultyPart, LineFault};
use crate::grade::source::{check_file_name, find_language, source_name};
use crate::grade::text::{optional_text, text_schema};
use juror_core::language::table::Language;
use juror_core::program::{IncludedFile, Program, ProgramKind};
use juror_core::protocol::Protocol;
use juror_core::root::FilePath;
use juror_packages::package::testlib;

/// A program that decides about outputs.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineChecker {
    /// Its source.
    #[serde(default, deserialize_with = "optional_text")]
    #[schemars(schema_with = "text_schema")]
    pub text: Option<String>,
    /// The code or name of its language.
    pub language: Option<String>,
    /// How it is called, and how it answers.
    #[serde(default)]
    #[schemars(schema_with = "protocol_schema")]
    pub protocol: Option<Protocol>,
    /// The texts of files beside it, by their names, such as headers.
    pub files: Option<BTreeMap<String, String>>,
    /// CPU time for one output, in seconds.
    pub time: Option<f64>,
}

const TESTLIB_HEADER: &str = "testlib.h";
/// Source: open-r1 gives its checkers as long.
const DEFAULT_TIME: Duration = Duration::from_secs(10);
/// In bytes, together. Some are kept.
const LONGEST_TEXTS: usize = 4 << 20;

fn protocol_schema(_: &mut SchemaGenerator) -> Schema {
    let names = Protocol::ALL.map(|protocol| Some(protocol.name()));
    let names = [&names[..], &[Some("icpc"), None]].concat();
    json_schema!({ "enum": names })
}

impl LineChecker {
    pub(super) fn check(&self) -> Result<(), LineFault> {
        let part = |key: &str, has: bool| (!has).then(|| format!("lacks `{key}`"));
        let files = self.files.iter().flatten();
        let length = |text: &String| text.len();
        let texts = self.text.iter().chain(files.clone().map(|(_, text)| text)).map(length);
        let is_long = texts.sum::<usize>() > LONGEST_TEXTS;
        let fault = part("text", self.text.is_some())
            .or_else(|| part("language", self.language.is_some()))
            .or_else(|| part("protocol", self.protocol.is_some()))
            .or_else(|| is_long.then(|| "has more than 4 MiB".to_owned()));
        if let Some(fault) = fault {
            let help = "it needs `text`, `language` and `protocol`; `juror help comparisons` lists the protocols";
            return Err(LineFault::of_line(format!("`/compare/checker` {fault}"), help));
        }
        if let Some(Err(fault)) = self.language.as_deref().map(find_language) {
            let message = format!("`/compare/checker/language`: {}", fault.message);
            return Err(LineFault { kind: FaultyPart::Line, message, ..fault });
        }
        let mut names = files.map(|(name, _)| check_file_name("/compare/checker/files", name));
        names.try_for_each(|name| name.map(drop))
    }

    pub fn time(&self) -> Duration {
        self.time.map_or(DEFAULT_TIME, Duration::from_secs_f64)
    }

    /// Whether it wants the header of testlib, and has none of its own.
    pub fn lacks_header(&self) -> bool {
        let has = self.files.as_ref().is_some_and(|files| files.contains_key(TESTLIB_HEADER));
        !has && self.text.as_ref().is_some_and(|text| text.contains(TESTLIB_HEADER))
    }

    /// `header` is testlib.h, if it lacks it.
    pub fn program(&self, header: Option<&String>) -> Program {
        let language = self.language.as_deref().and_then(Language::by_name);
        let name = language.map_or_else(String::new, |language| source_name("checker", language));
        let path = FilePath::root(&name);
        let header = header.filter(|_| self.lacks_header());
        let header = header.map(|text| (TESTLIB_HEADER, text));
        let files = self.files.iter().flatten().map(|(name, text)| (&**name, text)).chain(header);
        let include = files.map(|(name, text)| IncludedFile {
            name: name.into(),
            path: path.join(name),
            text: Some(text.clone()),
            is_header: true,
            ..IncludedFile::default()
        });
        let mut program = Program {
            include: include.collect(),
            text: self.text.clone(),
            kind: ProgramKind::OutputValidator,
            language: language.map(|language| language.code.to_owned()),
            protocol: self.protocol,
            is_given: true,
            name,
            path,
            ..Program::default()
        };
        if program.text.as_ref().is_some_and(|text| text.contains(TESTLIB_HEADER)) {
            testlib::add_header(&mut program, None);
        }
        if program.protocol == Some(Protocol::Dmoj) {
            add_dmoj_starter(&mut program);
        }
        program
    }
}
