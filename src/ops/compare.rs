//! Compares an output with a judge answer, as the default output validator does, or by name.

use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::door::comparison::{ComparisonMode, set_comparison};
use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::operation::Operation;
use crate::ops::options::{HostOptions, STANDARD_INPUT, given_file, one_of};
use crate::report::result::CommandResult;
use crate::report::style::TextRole;
use crate::report::terminal::difference;
use crate::report::terminal::page::Page;
use juror_core::check::compare::{CompareError, accepted_remark, compare};
use juror_core::check::diff::diff;
use juror_core::check::named;
use juror_core::check::options::Options;
use juror_core::difference::Difference;
use juror_core::exit_code::ExitCode;
use juror_core::judgement::{Evidence, JudgeError};
use juror_core::problem::Problem;
use juror_core::protocol::Protocol;
use juror_core::root::FilePath;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::test_data::TestCase;
use juror_core::text::printable;
use juror_judging::output_validator::response::{Contract, Opinion};
use juror_judging::output_validator::trial::validator_message;
use juror_judging::output_validator::{OutputValidator, TrialCase};
use juror_sandbox::sandbox::spool;

/// An output compared with a judge answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparisonReport {
    /// The output's file name.
    pub output: String,
    /// Whether it is right.
    pub equal: bool,
    /// What is to be said about it, such as that its lines differ, or what a checker says.
    pub remark: Option<String>,
    /// Where it differs.
    pub difference: Option<Box<Difference>>,
    /// The diff around the difference.
    pub evidence: Option<Box<Evidence>>,
}

#[derive(Debug, Args)]
pub struct CompareOptions {
    /// The judge answer; `-` for standard input
    pub answer: PathBuf,
    /// The output; `-` for standard input
    pub output: PathBuf,
    /// How to compare: words, lines, tokens, exact, float=E or another name
    ///
    /// `juror help comparisons` lists the names, with those of testlib and DMOJ. With --input, HOW is a checker, as in
    /// `juror judge`.
    #[arg(long, alias = "checker", value_name = "HOW", conflicts_with = "validator_args")]
    pub compare: Option<String>,
    /// The input, for a checker
    #[arg(long, value_name = "FILE", requires = "compare")]
    pub input: Option<PathBuf>,
    /// How the checker is called: standard, plain, files, testlib, dmoj, cms, sinol or open-r1 [default: detected]
    #[arg(long, value_name = "NAME", requires = "input", value_parser = one_of(Protocol::ALL, Protocol::name), hide_possible_values = true)]
    pub checker_protocol: Option<Protocol>,
    /// Arguments of the default output validator
    ///
    /// Known arguments: case_sensitive, space_change_sensitive, float_tolerance E,
    /// float_absolute_tolerance E, float_relative_tolerance E.
    #[arg(value_name = "VALIDATOR_ARGUMENT")]
    pub validator_args: Vec<String>,
}

impl CompareOptions {
    fn rules(&self) -> Result<Options, Stop> {
        let options = match (&self.compare, &self.validator_args[..]) {
            (Some(text), _)
                if Path::new(text).exists() && matches!(named::parse(text), Ok(None)) =>
            {
                let what = format!(
                    "{text} is a checker, which also needs the input; give it with --input FILE"
                );
                return Err(Stop::usage(what));
            }
            (Some(text), _) => Options::of_name(text),
            (None, [text]) if matches!(named::parse(text), Ok(Some(_))) => {
                return Err(Stop::usage(format!("write `--compare {text}` for this comparison")));
            }
            (None, arguments) => Options::parse(arguments),
        };
        options.map_err(|error| Stop::usage(error.to_string()))
    }
}

impl Operation for CompareOptions {
    type Result = ComparisonReport;
    const NAME: &'static str = "compare";

    fn run(&self, context: &Context) -> Result<ComparisonReport, Stop> {
        let (answer, output) = (given_file(&self.answer), given_file(&self.output));
        if let (Some(input), Some(how)) = (&self.input, &self.compare)
            && let how @ ComparisonMode::Checker(_) =
                ComparisonMode::parse(how).map_err(Stop::usage)?
        {
            return self.ask_checker(&how, [given_file(input), answer, output], context);
        }
        compare_files(answer, output, self.rules()?)
    }
}

impl CompareOptions {
    fn ask_checker(
        &self,
        how: &ComparisonMode,
        files: [&Path; 3],
        context: &Context,
    ) -> Result<ComparisonReport, Stop> {
        let mut problem = Problem { dir: FilePath::root("."), ..Problem::default() };
        set_comparison("--compare", how, self.checker_protocol, &mut problem)?;
        let [input, answer, output] = files.map(|path| {
            let spooled = File::open(path).and_then(|file| spool(file, 0));
            spooled.map_err(|error| Stop::usage(format!("cannot open {}: {error}", path.display())))
        });
        let test_case =
            &TestCase { name: self.answer.display().to_string(), ..TestCase::default() };
        let case = TrialCase { name: &test_case.name, test_case, input: input?, answer: answer? };
        let host = Host::start(&HostOptions::default(), context)?;
        let assembly = Assembly::new(&host, context);
        let bench = assembly.bench(&problem);
        let helper = |stop: Stop| stop.refused_for(RefusalSubject::HelperProgram);
        let checker = OutputValidator::build(&bench).map_err(helper)?.remove(0);
        checker.find_protocol(bench.executor, &case).map_err(helper)?;
        checker.announce_call(&bench);
        let response = checker.respond(bench.executor, &case, output?, None, Contract::OnePass)?;
        if let Opinion::Broken(what) = &response.opinion {
            let step =
                format!("compare {} with the checker `{}`", self.output.display(), checker.name);
            let message = format!("{what}{}", validator_message(&response));
            return Err(JudgeError::new(step, message).into());
        }
        let message = String::from_utf8_lossy(response.feedback.judge_message.trim_ascii());
        Ok(ComparisonReport {
            output: self.output.display().to_string(),
            equal: response.opinion == Opinion::Accepted,
            remark: Some(message.into_owned()).filter(|message| !message.is_empty()),
            difference: None,
            evidence: None,
        })
    }
}

fn compare_files(answer: &Path, output: &Path, options: Options) -> Result<ComparisonReport, Stop> {
    if !options.compares() {
        return Err(Stop::usage("`none` compares nothing; choose another comparison"));
    }
    if answer == output && answer == Path::new(STANDARD_INPUT) {
        return Err(Stop::usage(
            "only one of the two files can be standard input; give a name for the other",
        ));
    }
    let fault = JudgeError::on_file("compare", output);
    let answer_name = answer;
    let (mut answer, mut output_file) = (open_rewindable(answer)?, open_rewindable(output)?);
    let difference = compare(&answer, &output_file, &options).map_err(|error| match error {
        CompareError::Read(error) => Stop::from(fault(error)),
        CompareError::RefusedAnswer(why) => {
            Stop::usage(format!("the judge answer {} is not right: {why}", answer_name.display()))
        }
    })?;
    let (remark, evidence) = match &difference {
        None => (accepted_remark(&answer, &output_file, &options), None),
        Some(difference) => {
            answer.rewind().and_then(|()| output_file.rewind()).map_err(fault)?;
            let diff = diff(&mut answer, &mut output_file, difference, &options).map_err(fault)?;
            let evidence = Evidence {
                diff: diff.lines,
                diff_lines_left_out: diff.omitted_lines,
                ..Evidence::default()
            };
            (None, Some(evidence))
        }
    };
    Ok(ComparisonReport {
        output: output.display().to_string(),
        equal: difference.is_none(),
        remark: remark.map(str::to_owned),
        difference: difference.map(Box::new),
        evidence: evidence.map(Box::new),
    })
}

/// Opens a file that is read twice. A pipe is copied, since it can be read only once.
fn open_rewindable(path: &Path) -> Result<File, Stop> {
    let opened = || {
        let mut file = File::open(path)?;
        if file.metadata()?.is_file() {
            return Ok(file);
        }
        let mut copy = tempfile::tempfile()?;
        io::copy(&mut file, &mut copy)?;
        copy.rewind()?;
        Ok(copy)
    };
    opened()
        .map_err(|error: io::Error| Stop::usage(format!("cannot open {}: {error}", path.display())))
}

impl CommandResult for ComparisonReport {
    fn render(&self, page: &mut Page<'_>) {
        let style = page.style;
        let name = printable(&self.output);
        let (label, text) = match &self.difference {
            None if !self.equal => {
                (style.paint(TextRole::Bad, "wrong"), format!("{name}: the checker rejects it"))
            }
            None => (
                style.paint(TextRole::Good, "right"),
                format!("{name} agrees with the judge answer"),
            ),
            Some(difference) => {
                (style.paint(TextRole::Bad, "wrong"), format!("{name}: {}", difference.summary()))
            }
        };
        page.line(0, &format!("{label}: {text}"));
        if style.is_quiet() {
            return;
        }
        if let Some(remark) = &self.remark {
            page.labelled(0, "remark: ", remark);
        }
        if let Some(difference) = &self.difference {
            page.blank();
            difference::write(page, difference);
        }
        if let Some(evidence) = &self.evidence {
            difference::write_diff(page, evidence);
        }
    }

    fn exit_code(&self) -> ExitCode {
        if !self.equal { ExitCode::Rejected } else { ExitCode::Success }
    }
}
