//! `juror new`: makes a package from a template that can be verified at once.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::generate::{self, GenerateOptions};
use crate::ops::host::Host;
use crate::ops::next_steps;
use crate::ops::operation::Operation;
use crate::ops::options::{HostOptions, one_of};
use crate::ops::staging::{self, StagingDirectory, write_error};
use juror_core::judgement::JudgeError;
use juror_core::progress::NextStep;
use juror_core::stop::{Stop, check_interrupted};
use juror_core::text::uuid;
use juror_packages::new::created_package::CreatedPackage;
use juror_packages::new::{ProgramLanguage, Template, TemplateFile};

#[derive(Clone, Debug, Args)]
pub struct NewOptions {
    /// The new package, such as hello: lower-case letters and digits; its directory must not exist yet
    #[arg(value_name = "NAME")]
    pub package: PathBuf,
    /// What kind of problem: pass-fail, checker, interactive, scoring, file-io or game
    ///
    /// `checker`: several outputs are right, and a program says which. `interactive`: submissions talk with the judge. `scoring`: points by test group. `file-io`: input and output
    /// are files such as hello.in and hello.out. `game`: two players, both of whom play as well as possible.
    #[arg(
        long = "type", value_name = "TYPE", default_value = "pass-fail",
        value_parser = one_of(Template::ALL, Template::name), hide_possible_values = true
    )]
    pub template: Template,
    /// The language of its programs: cpp, python, rust or java
    ///
    /// The format allows validators in C++ and Python only: beside rust and java, they are in Python.
    #[arg(
        long, value_name = "LANGUAGE", default_value = "rust",
        value_parser = one_of(ProgramLanguage::ALL, ProgramLanguage::name), hide_possible_values = true
    )]
    pub language: ProgramLanguage,
    #[command(flatten)]
    pub host: HostOptions,
}

impl Operation for NewOptions {
    type Result = CreatedPackage;
    const NAME: &'static str = "new";

    fn run(&self, context: &Context) -> Result<CreatedPackage, Stop> {
        let NewOptions { package, template, language, host } = self;
        let name = short_name(package)?;
        staging::check_absent(package)?;
        let uuid = random_uuid().map_err(|error| JudgeError::new("make a UUID", error))?;
        let files = template.files(name, *language, &uuid);
        write_package(&files, package)?;
        let step = |what: &str, command: Option<&str>| NextStep {
            what: what.to_owned(),
            command: command.map(|name| next_steps::command(name, package, &[])),
        };
        let generated = generate_test_data(package, host, context);
        let next = match &generated {
            Ok(_) => vec![
                step("check all of it:", Some("verify")),
                step("replace this problem with your own, file by file, from top to bottom", None),
                step("after a change in generators/, make the test data again:", Some("generate")),
            ],
            Err(_) => {
                let what = "the package exists, but has no test data yet; make it with:";
                vec![step(what, Some("generate"))]
            }
        };
        let test_cases = generated.unwrap_or_else(|stop| {
            context.report_stop(stop);
            0
        });
        Ok(CreatedPackage {
            name: name.to_owned(),
            kind: template.name(),
            language: language.name(),
            path: package.clone(),
            files: files.into_iter().map(|file| file.created).collect(),
            test_cases,
            next,
        })
    }
}

/// Returns the number of test cases.
fn generate_test_data(
    package: &Path,
    host: &HostOptions,
    context: &Context,
) -> Result<usize, Stop> {
    let host = Host::start(host, context)?;
    let problem = generate::read_unfinished_problem(package, context)?;
    let assembly = Assembly::new(&host, context);
    // The templates are valid.
    let options = GenerateOptions { no_validate: true, ..GenerateOptions::default() };
    generate::generate_data(&options, &problem, &assembly)
}

/// Writes to a temporary directory next to the path and renames it.
fn write_package(files: &[TemplateFile], package: &Path) -> Result<(), Stop> {
    let staging = StagingDirectory::new(package)?;
    let dir = staging.path();
    for file in files {
        check_interrupted()?;
        let path = dir.join(&file.created.path);
        let written = path.create().and_then(|mut new| new.write_all(file.text.as_ref()));
        written.map_err(|error| write_error(&package.join(&file.created.path), error))?;
    }
    staging.move_to(&dir, package)
}

fn short_name(package: &Path) -> Result<&str, Stop> {
    let is_allowed = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
    let name = package.file_name().unwrap_or_default();
    let text = name.to_string_lossy();
    match name.to_str().filter(|name| !name.is_empty() && name.chars().all(is_allowed)) {
        Some(name) => Ok(name),
        None => {
            let likely: String =
                text.to_lowercase().chars().filter(|letter| is_allowed(*letter)).collect();
            let likely = if likely.is_empty() { "hello" } else { &likely };
            let shown = package.display();
            Err(Stop::usage(format!(
                "`{shown}` is not a name for a package; use lower-case letters and digits only, such as {likely}"
            )))
        }
    }
}

fn random_uuid() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(uuid(bytes, 4))
}
