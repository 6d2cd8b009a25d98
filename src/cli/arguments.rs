//! Arguments as typed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::check::options::Options;
use crate::cli::help::{
    COMPARE_EXAMPLES, CONVERT_EXAMPLES, DOCTOR_EXAMPLES, GENERATE_EXAMPLES, GRAMMAR_EXAMPLES,
    JUDGE_EXAMPLES, STRESS_EXAMPLES, VERIFY_EXAMPLES, exit_codes, first_steps,
};
use crate::executor::Around;
use crate::grammar::shape::Scale;
use crate::model::grader::Dialect;
use crate::model::isolation::Demand;
use crate::model::limits::ProblemLimits;
use crate::model::units::Bytes;
use crate::package::convert::Target;
use crate::package::formats;
use crate::report::Recording;

/// Judges programs: runs submissions on test cases in a sandbox with limits, compares
/// their output, and says what happened and why.
///
/// A problem is a directory or an archive of it: a problem package with data, validators and submissions, such as one
/// in the standard format 2025-09, or tests alone, such as 1.in and 1.ans. Results go to standard output, remarks and progress to
/// standard error.
#[derive(Debug, Parser)]
#[command(
    name = "juror",
    version,
    after_help = exit_codes(),
    after_long_help = first_steps(),
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Judge submissions on a problem's test cases
    ///
    /// Builds each submission, runs it on the problem's test cases in a sandbox, and stops at its
    /// first rejection. Shows the verdict, the cause, the first difference, and what the program wrote.
    /// If there are scores, it skips only test cases that cannot change them.
    #[command(
        after_long_help = JUDGE_EXAMPLES,
        override_usage = "juror judge [OPTIONS] <PACKAGE> <SUBMISSION>...\n       \
                          juror judge [OPTIONS] <PACKAGE> -- <PROGRAM> [ARGUMENT]..."
    )]
    Judge(JudgeArguments),
    /// Verify problem packages: data, validators, and all submissions against their expectations
    ///
    /// Runs every input validator on every input, every example submission on every test case, and
    /// compares the results with what their authors expect. Shows every fault, not only the first.
    #[command(after_long_help = VERIFY_EXAMPLES)]
    Verify(VerifyArguments),
    /// Make a problem's test data from its recipe, or verify that it matches its recipe
    ///
    /// The recipe is generators/generators.yaml. Makes everything in a temporary directory first, and
    /// changes the package only if nothing fails. Makes only what changed: a test case stays if its
    /// recipe, programs, tools and files are unchanged.
    #[command(after_long_help = GENERATE_EXAMPLES)]
    Generate(GenerateArguments),
    /// Write a package in another format, beside the old one
    ///
    /// Reads every format that juror reads, and changes nothing in the old package. Reads the new package, too, and lists
    /// everything that it does not say as the old one did. The exit code is 0 even if something has no equivalent.
    #[command(after_long_help = CONVERT_EXAMPLES)]
    Convert(ConvertArguments),
    /// Search for an input on which a submission fails, and make it small
    ///
    /// Runs the submission and a right program on thousands of inputs a second: all small ones in turn,
    /// boundaries, ties, named shapes, the full range, and what the package's own generators print with
    /// fresh seeds. What fails is made as small as possible. The exit code is 1 if such an
    /// input was found, and 0 if not.
    #[command(
        after_long_help = STRESS_EXAMPLES,
        override_usage = "juror stress [OPTIONS] <PACKAGE> <SUBMISSION>\n       \
                          juror stress [OPTIONS] --input-grammar <GRAMMAR> --reference <PROGRAM> <SUBMISSION>"
    )]
    Stress(StressArguments),
    /// Check inputs against a grammar, write inputs by it, list its boundaries
    ///
    /// The grammar is in the language checktestdata, in a file that ends in .ctd; docs/grammar.md has all
    /// of it.
    #[command(after_long_help = GRAMMAR_EXAMPLES)]
    Grammar(GrammarArguments),
    /// Compare an output with a judge answer, as the default output validator does
    ///
    /// Shows the first difference and ends with exit code 1 if there is one.
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare(CompareArguments),
    /// Show which isolation and measurement methods work here, and how to enable better ones
    ///
    /// Tries every isolation method. Says which one juror will use, what measures CPU time and memory,
    /// and which languages can be judged. If something does not work, it gives the reason and the
    /// command that changes it. The exit code is 0 if programs can be isolated fully, and 4 if not.
    #[command(after_long_help = DOCTOR_EXAMPLES)]
    Doctor(DoctorArguments),
    /// List the languages that juror builds, with the tools of this machine and their versions
    ///
    /// If a language's tools are missing, it says what to install. docs/languages.md has the command lines.
    Languages,
    /// Print the JSON Schema of what --json writes
    ///
    /// It follows from the program's own types. docs/json.md explains each key.
    Schema(SchemaArguments),
    /// Print the script that completes commands and options in a shell
    ///
    /// For bash: juror completions bash > ~/.local/share/bash-completion/completions/juror
    Completions(CompletionsArguments),
    /// Write man pages: one for juror, and one for each command
    ///
    /// For example: juror man ~/.local/share/man/man1, then man juror-judge
    Man(ManArguments),
}

/// Arguments of `juror completions`.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// Which shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Arguments of `juror man`.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// Where to write the pages; created if it does not exist
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// Arguments of `juror schema`.
#[derive(Args, Debug)]
pub struct SchemaArguments {
    /// Which document
    #[arg(value_enum, default_value_t)]
    pub document: Document,
}

/// A JSON document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// The report of every command but `doctor`
    #[default]
    Report,
    /// What `doctor` finds out
    Doctor,
}

/// Arguments of `juror doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Arguments of `juror judge`.
#[derive(Debug, Args)]
pub struct JudgeArguments {
    /// The problem package: a directory, or an archive such as .zip or .tar.gz
    pub package: PathBuf,
    /// Source files, directories of sources, or executables
    #[arg(value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// After `--`: a program that is ready to run, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Run on all cases instead of stopping at the first rejection
    #[arg(long, help_heading = RUNS)]
    pub all: bool,
    /// How to compare outputs, instead of as the package says: exact, tokens, float=E or CHECKER
    ///
    /// `exact` means byte for byte. `tokens` means token by token, in upper or lower case; with `float=1e-6` a number
    /// may have that absolute or relative error. CHECKER is an output validator: a source file, a directory or an
    /// executable, called as `CHECKER INPUT ANSWER FEEDBACK_DIR/ < OUTPUT`; it exits with 42 or 43.
    #[arg(long, value_name = "HOW", value_parser = comparison, help_heading = RUNS)]
    pub compare: Option<Comparison>,
    /// Options about runs.
    #[command(flatten)]
    pub runs: RunOptions,
    /// Options about reports in files.
    #[command(flatten)]
    pub reports: ReportOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// How outputs are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// By the default output validator with these arguments.
    Default(Vec<String>),
    /// By a program.
    Checker(PathBuf),
}

impl Comparison {
    /// As it is typed.
    pub fn typed(&self) -> OsString {
        match self {
            Self::Checker(path) => path.clone().into(),
            Self::Default(words) => match &words[..] {
                [] => "tokens".into(),
                [_, error] if words[0] == "float_tolerance" => format!("float={error}").into(),
                _ => "exact".into(),
            },
        }
    }
}

/// Arguments of `juror verify`.
#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// Problem packages: directories or archives
    #[arg(required = true, value_name = "PACKAGE")]
    pub packages: Vec<PathBuf>,
    /// Options about runs.
    #[command(flatten)]
    pub runs: RunOptions,
    /// Options about reports in files.
    #[command(flatten)]
    pub reports: ReportOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Arguments of `juror generate`.
#[derive(Clone, Debug, Args)]
pub struct GenerateArguments {
    /// Problem packages: directories or archives
    #[arg(required_unless_present = "from_grammar", value_name = "PACKAGE")]
    pub packages: Vec<PathBuf>,
    /// Write nothing; fail if anything differs from what the recipe makes
    ///
    /// Everything is made anew, and every generator is started twice: the second time later, in another
    /// directory, time zone and locale. One that does not give the same is named.
    #[arg(long, conflicts_with_all = ["fresh", "prune", "from_grammar"])]
    pub check: bool,
    /// Add a first set of test cases, made by the grammar of the input, to the recipe and the data
    ///
    /// The grammar is the first of the package's own, or the one that is named here.
    /// Existing test cases stay as they are, and existing inputs are not added again.
    #[arg(long, value_name = "GRAMMAR", num_args = 0..=1, conflicts_with = "prune")]
    pub from_grammar: Option<Option<PathBuf>>,
    /// Where below the secret test cases those from the grammar go [default: from-grammar]
    #[arg(long, value_name = "DIRECTORY", requires = "from_grammar")]
    pub into: Option<String>,
    /// Random seed of the test cases from the grammar [default: 1]
    #[arg(long, value_name = "N", requires = "from_grammar")]
    pub seed: Option<u64>,
    /// Rebuild everything, including up-to-date test cases
    #[arg(long)]
    pub fresh: bool,
    /// Remove files of data/ that the recipe does not make
    ///
    /// Without it they are named and left alone.
    #[arg(long)]
    pub prune: bool,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// Options about reports in files.
    #[command(flatten)]
    pub reports: ReportOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Arguments of `juror convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// The new package, which must not exist yet
    pub out: PathBuf,
    /// Format of the new package: 2025-09, legacy or domjudge-zip
    ///
    /// `domjudge-zip` is a zip archive in the legacy format, with domjudge-problem.ini.
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    pub to: Target,
    /// Format of the old package [default: the one that it names or looks like]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(formats()))]
    pub format: Option<String>,
    /// Time limit for DOMjudge, instead of the package's
    #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
    pub time_limit: Option<Duration>,
    /// Options about the machine: for test data that the package only describes
    #[command(flatten)]
    pub host: HostOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Arguments of `juror stress`.
#[derive(Debug, Args)]
pub struct StressArguments {
    /// The problem package, then the submission; with --input-grammar and --reference the
    /// submission alone
    #[arg(required = true, num_args = 1..=2, value_name = "PACKAGE> <SUBMISSION")]
    pub targets: Vec<PathBuf>,
    /// The program whose output counts as right [default: the package's fastest accepted one]
    ///
    /// A file, or the name of one of the package's submissions, such as accepted/slow.py.
    #[arg(long, visible_alias = "against", value_name = "PROGRAM")]
    pub reference: Option<PathBuf>,
    /// The grammar of the input, in the language checktestdata [default: the package's .ctd files]
    #[arg(long, value_name = "GRAMMAR")]
    pub input_grammar: Option<PathBuf>,
    /// How long to search, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = span)]
    pub time: Duration,
    /// How long to make smaller what is found [default: as long as --time, at most 20s]
    ///
    /// What --time leaves is used as well. When the time is over, a run under way is ended.
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub shrink_time: Option<Duration>,
    /// How many inputs to try at most
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// Random seed [default: new each run]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Start both programs anew for every input
    ///
    /// Without this, programs in C, C++ and Rust start once for many small inputs, and fork before `main`. That
    /// finds the same faults, except those that show only in a fresh process.
    #[arg(long)]
    pub fresh: bool,
    /// Add what is found to the package as data/secret/NAME, with its judge answer, and to its recipe
    #[arg(long, value_name = "NAME")]
    pub promote: Option<String>,
    /// Write the input that is found to FILE, whole
    ///
    /// FILE is replaced if it is there, in one step, and left alone if nothing is found.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// CPU time of a run, instead of the package's
    #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
    pub time_limit: Option<Duration>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Arguments of `juror grammar`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct GrammarArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: GrammarCommand,
}

/// What to do with a grammar.
#[derive(Debug, Subcommand)]
pub enum GrammarCommand {
    /// Check inputs against a grammar: exit code 0 if all are valid, 1 if one is not
    #[command(after_long_help = GRAMMAR_EXAMPLES)]
    Check(CheckArguments),
    /// Write an input to standard output
    ///
    /// The same seed gives the same bytes on every machine. What is written is always accepted by the
    /// grammar; if an ASSERT cannot be satisfied, the command says which, with exit code 1.
    #[command(after_long_help = GRAMMAR_EXAMPLES)]
    Generate(InputArguments),
    /// List the bounds of a grammar's values, and which of them the inputs reach
    #[command(after_long_help = GRAMMAR_EXAMPLES)]
    Bounds(BoundsArguments),
}

/// Arguments of `juror grammar check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The grammar
    pub grammar: PathBuf,
    /// Inputs
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Arguments of `juror grammar generate`.
#[derive(Debug, Args)]
pub struct InputArguments {
    /// The grammar
    pub grammar: PathBuf,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How values are chosen [default: random]
    #[arg(long, value_name = "NAME")]
    pub shape: Option<String>,
    /// Size of the counts that the shape leaves open: small or large
    ///
    /// Small is about ten; large is as large as allowed, and a single test case if the input can
    /// have several.
    #[arg(long, value_parser = named(Scale::ALL, Scale::name), value_name = "SIZE", hide_possible_values = true)]
    pub size: Option<Scale>,
    /// List the shapes that make a difference for the grammar
    #[arg(long, conflicts_with_all = ["seed", "shape", "size", "least", "most"])]
    pub shapes: bool,
    /// Give a variable its least value; can be given several times
    #[arg(long, value_name = "VARIABLE")]
    pub least: Vec<String>,
    /// Give a variable its greatest value; can be given several times
    #[arg(long, value_name = "VARIABLE")]
    pub most: Vec<String>,
}

/// Arguments of `juror grammar bounds`.
#[derive(Debug, Args)]
pub struct BoundsArguments {
    /// The grammar
    pub grammar: PathBuf,
    /// Inputs, to see which bounds they reach
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Arguments of `juror compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The judge answer
    pub answer: PathBuf,
    /// The output
    pub output: PathBuf,
    /// Arguments of the default output validator
    ///
    /// Known arguments: case_sensitive, space_change_sensitive, float_tolerance E,
    /// float_absolute_tolerance E, float_relative_tolerance E.
    #[arg(value_name = "VALIDATOR_ARGUMENT")]
    pub validator_args: Vec<String>,
    /// Options about output.
    #[command(flatten)]
    pub show: OutputOptions,
}

/// The heading above options about runs.
const RUNS: &str = "Runs";
/// The heading above options about output.
const REPORTS: &str = "Reports";
const OUTPUT: &str = "Output";

/// Options about runs.
#[derive(Debug, Args)]
#[command(next_help_heading = RUNS)]
pub struct RunOptions {
    /// Only test cases that match, such as 'secret/edges/*'; can be given several times
    ///
    /// A case is named by its path below data/, without its ending. `*` stands for any characters but
    /// a slash, `{a,b}` for either; a directory stands for all that is in it.
    #[arg(long, value_name = "GLOB")]
    pub case: Vec<String>,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// CPU time of a run, instead of the package's
    #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
    pub time_limit: Option<Duration>,
    /// Memory of a run in MiB, instead of the package's
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub memory_limit: Option<u64>,
    /// Score groups of legacy packages as kattis or as domjudge does, instead of as the package's files suggest
    ///
    /// Kattis gives the `accept_score` for each accepted test case, DOMjudge once for a group of test cases.
    #[arg(long, value_name = "JUDGE", value_parser = named(Dialect::ALL, Dialect::name), hide_possible_values = true)]
    pub dialect: Option<Dialect>,
    /// Save each run's working directory, input and outputs, in DIR or a new directory
    ///
    /// Without DIR it is a new directory below TMPDIR or /tmp. DIR must be new or empty. The working
    /// directory of a run is saved as DIR/SUBMISSION/CASE; beside it, CASE.input, CASE.output and
    /// CASE.error hold what the submission read and wrote.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    pub keep: Option<Option<PathBuf>>,
    /// Format of the package [default: the one that it names or looks like]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(formats()))]
    pub format: Option<String>,
}

impl RunOptions {
    /// The options that a line which repeats a run needs, too.
    pub fn again(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        if let Some(limit) = self.time_limit {
            words.extend(["--time-limit".into(), limit.as_secs_f64().to_string().into()]);
        }
        if let Some(limit) = self.memory_limit {
            words.extend(["--memory-limit".into(), limit.to_string().into()]);
        }
        if let Some(format) = &self.format {
            words.extend(["--format".into(), format.into()]);
        }
        words.extend(self.host.again());
        words
    }

    /// Puts the given limits in place of those of a package. The time limit is handled where it is measured.
    pub fn limit(&self, limits: &mut ProblemLimits) {
        limits.memory = self.memory_limit.map(Bytes::mib).or(limits.memory);
    }
}

/// Options about the machine.
#[derive(Clone, Copy, Debug, Args)]
pub struct HostOptions {
    /// How many programs run at once [default: one per physical core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// How to isolate programs from this machine: full, any or plain
    ///
    /// `full` means by namespaces, or nothing runs. `any` means by the best method that works here; if
    /// that is not full isolation, a warning says so. `plain` means not at all: programs can do whatever you
    /// can; systems other than Linux have only this. `juror doctor` shows what works, and how to enable more.
    #[arg(long, value_parser = named(Demand::ALL, Demand::name), value_name = "HOW", default_value = "any", hide_possible_values = true)]
    pub isolation: Demand,
}

impl HostOptions {
    /// The option that a line which repeats a run needs, too: it trusts the program as far.
    pub fn again(&self) -> Option<OsString> {
        let name = self.isolation.name();
        (self.isolation != Demand::default()).then(|| format!("--isolation={name}").into())
    }
}

/// Options about output.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct OutputOptions {
    /// Write one JSON document to standard output instead of text
    ///
    /// docs/json.md describes it. It is complete however the command ends, once its arguments
    /// are understood.
    #[arg(long)]
    pub json: bool,
    /// Say less: a line for each submission, errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: a line for each test case
    #[arg(short, long)]
    pub verbose: bool,
    /// Whether to use colour: auto, always or never
    ///
    /// `auto` means on a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, hide_possible_values = true)]
    pub color: Color,
    /// Where events go instead, for who runs a command from within a program.
    #[arg(skip)]
    pub recording: Option<Recording>,
    /// What stands around the executor, for who runs a command from within a program.
    #[arg(skip)]
    pub around: Option<Around>,
}

/// Options about reports in files.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = REPORTS)]
pub struct ReportOptions {
    /// Write a table with a row for each submission
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write test suites in JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Annotate files and lines, and add a summary to the job, in GitHub Actions
    #[arg(long)]
    pub github: bool,
}

/// Whether to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Yes.
    Always,
    /// No.
    Never,
}

/// Reads the name of one of these.
fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.map(name));
    names.try_map(move |typed| all.into_iter().find(|it| name(*it) == typed).ok_or("unknown"))
}

fn target(text: &str) -> Result<Target, String> {
    let named = Target::ALL.into_iter().find(|target| target.name() == text);
    named.ok_or_else(|| "expected 2025-09, legacy or domjudge-zip".to_owned())
}

/// A positive number of seconds, up to a day.
fn time_limit(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 86_400.0;
    let seconds: f64 =
        text.parse().map_err(|_| "expected a number of seconds, such as 1.5".to_owned())?;
    if seconds.is_nan() || seconds <= 0.0 || seconds > LONGEST {
        return Err(format!("a time limit is more than 0 and at most {LONGEST} seconds"));
    }
    let limit = Duration::from_secs_f64(seconds);
    if limit < Duration::from_millis(1) {
        return Err("a time limit is at least 0.001 seconds".to_owned());
    }
    Ok(limit)
}

/// A way to compare. All but the known words is the path of a checker.
fn comparison(text: &str) -> Result<Comparison, String> {
    let words = match text.split_once('=') {
        None if text == "exact" => vec!["case_sensitive", "space_change_sensitive"],
        None if text == "tokens" => Vec::new(),
        None if text == "float" => return Err("write the largest error: float=1e-6".to_owned()),
        Some(("float", error)) => vec!["float_tolerance", error],
        _ => return Ok(Comparison::Checker(text.into())),
    };
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    Options::parse(&words).map_err(|error| error.to_string())?;
    Ok(Comparison::Default(words))
}

/// A span of time: a number, with `ms`, `s`, `m` or `h` behind it; seconds if there is no unit.
fn span(text: &str) -> Result<Duration, String> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time; use ms, s, m or h")),
    };
    let number: f64 =
        number.parse().map_err(|_| "expected a span of time, such as 30s or 5m".to_owned())?;
    let seconds = number * factor;
    match Duration::try_from_secs_f64(seconds) {
        Ok(span) if !span.is_zero() && seconds <= 366.0 * 86_400.0 => Ok(span),
        _ => Err("expected more than no time, and at most a year".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_span_of_time_has_a_unit() {
        let check = |text: &str, milliseconds: Option<u128>| {
            let span = span(text).ok().map(|span| span.as_millis());
            assert_eq!(span, milliseconds, "{text}");
        };
        check("30s", Some(30_000));
        check("30", Some(30_000));
        check("0.5m", Some(30_000));
        check("250ms", Some(250));
        check("1h", Some(3_600_000));
        for text in ["", "s", "0", "0s", "-1s", "1d", "nan", "1e99s", "inf"] {
            check(text, None);
        }
    }

    #[test]
    fn a_comparison_is_a_word_or_a_checker() {
        let check = |text: &str, words: &[&str]| {
            let words = words.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(comparison(text), Ok(Comparison::Default(words)), "{text}");
        };
        check("exact", &["case_sensitive", "space_change_sensitive"]);
        check("tokens", &[]);
        check("float=1e-6", &["float_tolerance", "1e-6"]);
        for text in ["check.py", "./exact", "a=b.cpp"] {
            assert_eq!(comparison(text), Ok(Comparison::Checker(text.into())));
        }
        for text in ["float", "float=", "float=x", "float=-1"] {
            assert!(comparison(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_limit_is_a_positive_number_of_seconds() {
        let check = |text: &str, milliseconds: Option<u128>| {
            let limit = time_limit(text).ok().map(|limit| limit.as_millis());
            assert_eq!(limit, milliseconds, "{text}");
        };
        check("1", Some(1000));
        check("0.25", Some(250));
        check("1e1", Some(10_000));
        for text in ["0", "-1", "nan", "inf", "1e99", "", "1s", "0.0001"] {
            check(text, None);
        }
    }
}
