//! The command line: its commands and their arguments.

use std::path::PathBuf;

use clap::{Arg, Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::cli::grammar::{GrammarArguments, GrammarCommand};
use crate::cli::help::{add_examples, exit_codes, first_steps, keep_placeholders};
use crate::cli::options::{LogOptions, ReportOptions, TableReports};
use crate::cli::output::{AnyCommand, CommandArguments};
use crate::cli::schema::SchemaOptions;
use crate::cli::serve::ServeArguments;
use crate::cli::worker::WorkerArguments;
use crate::doctor::DoctorOptions;
use crate::ops::cache::ManageOptions;
use crate::ops::compare::CompareOptions;
use crate::ops::convert::ConvertOptions;
use crate::ops::generate::GenerateOptions;
use crate::ops::grade::GradeOptions;
use crate::ops::judge::JudgeOptions;
use crate::ops::languages::LanguagesOptions;
use crate::ops::listen::ListenOptions;
use crate::ops::merge::MergeOptions;
use crate::ops::mutants::MutantsOptions;
use crate::ops::new::NewOptions;
use crate::ops::run::RunOnceOptions;
use crate::ops::show::ShowOptions;
use crate::ops::statement::StatementOptions;
use crate::ops::strength::StrengthOptions;
use crate::ops::stress::StressOptions;
use crate::ops::verify::VerifyOptions;

pub type JudgeArguments = CommandArguments<JudgeOptions, TableReports>;
/// Of a command that prints text, and nothing about submissions.
type PlainArguments<O> = CommandArguments<O, (), ()>;

#[derive(Args, Debug)]
pub struct CompletionsOptions {
    /// Which shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Args, Debug)]
pub struct ManOptions {
    /// Where to write the pages; created if it does not exist
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

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
    mut_subcommands = add_examples,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a new problem package that passes `juror verify`, as a start for your own
    ///
    /// Writes a complete small problem: settings, statement, grammar of the input, recipe, generator, and a right, a
    /// wrong and a slow submission in Rust. Then it makes the test data, as `juror generate` does.
    New(CommandArguments<NewOptions>),
    /// Judge submissions on a problem's test cases
    ///
    /// Builds each submission, runs it on the problem's test cases in a sandbox, and stops at its
    /// first rejection. Shows the verdict, the cause, the first difference, and what the program wrote.
    /// If there are scores, it skips only test cases that cannot change them. `juror SUBMISSION` does the same.
    #[command(
        visible_alias = "test",
        override_usage = "juror judge [OPTIONS] <SUBMISSION> [INPUT]...\n       \
                          juror judge [OPTIONS] <PACKAGE> <SUBMISSION>...\n       \
                          juror judge [OPTIONS] <PACKAGE> -- <PROGRAM> [ARGUMENT]..."
    )]
    Judge(JudgeArguments),
    /// Run a submission once, and show everything it writes
    ///
    /// Runs it in the sandbox under the problem's limits, on a file, on standard input or on a test case. Shows its
    /// output as it comes, how it ended, its time and memory; judges nothing. If standard output is not a terminal, it
    /// gets what the program writes there, byte for byte. An interactive problem is played by hand: you play the interactor, or
    /// with --play the submission. The exit code is 1 if the program crashed or exceeded a limit.
    #[command(override_usage = "juror run [OPTIONS] <SUBMISSION> [INPUT]\n       \
                          juror run [OPTIONS] <PACKAGE> <SUBMISSION>\n       \
                          juror run [OPTIONS] <PACKAGE> -- <PROGRAM> [ARGUMENT]...\n       \
                          juror run [OPTIONS] --play <PACKAGE>")]
    Run(CommandArguments<RunOnceOptions>),
    /// Show the contents of a package, or the files of one test case
    ///
    /// Lists limits, test cases with their sizes and descriptions, submissions with their expectations, and the
    /// package's programs. Runs nothing.
    Show(CommandArguments<ShowOptions>),
    /// Judge a submission now, and again whenever it or the package is saved
    ///
    /// Takes the arguments of `juror judge`. The test cases that failed last are run first. A change while it judges ends
    /// that judgement and starts a new one. Ends at Ctrl-C, with exit code 130.
    #[command(
        mut_args = hide_refused_option,
        override_usage = "juror watch [OPTIONS] <SUBMISSION> [INPUT]...\n       \
                          juror watch [OPTIONS] <PACKAGE> <SUBMISSION>...\n       \
                          juror watch [OPTIONS] <PACKAGE> -- <PROGRAM> [ARGUMENT]..."
    )]
    Watch(JudgeArguments),
    /// Receive problems from the browser extension Competitive Companion
    ///
    /// Writes a directory for each problem: its tests, its limits in juror.toml, and a source from the template. If a
    /// problem comes again, its tests are replaced, and the source stays. Only programs on this machine can send.
    /// Ends at Ctrl-C, with exit code 0.
    Listen(PlainArguments<ListenOptions>),
    /// Verify problem packages: data, validators, and all submissions against their expectations
    ///
    /// Runs every input validator on every input, every example submission on every test case, and
    /// compares the results with what their authors expect. Shows every fault, not only the first.
    Verify(CommandArguments<VerifyOptions, TableReports>),
    /// Make a problem's test data from its recipe, or verify that it matches its recipe
    ///
    /// The recipe is generators/generators.yaml. Makes everything in a temporary directory first, and
    /// changes the package only if nothing fails. Makes only what changed: a test case stays if its
    /// recipe, programs, tools and files are unchanged.
    #[command(mut_args(|option| match option.get_id().as_str() {
        "csv" | "feedback" | "hidden" | "show_hidden" => option.hide(true),
        _ => option,
    }))]
    Generate(CommandArguments<GenerateOptions, ReportOptions>),
    /// Judge a stream of submissions: one JSON object per line of input, one result per line of output
    ///
    /// A line names a problem package or contains test cases, and contains or names a source. Memory does not grow
    /// with the number of lines. A broken line gets an error, and the others are judged. `juror schema grade` prints
    /// the form of lines and results; see also `juror help streams`.
    Grade(CommandArguments<GradeOptions, (), LogOptions>),
    /// Judge and run programs that come over HTTP, for trainers and web sites
    ///
    /// Starts juror-serve, a program of its own, from the directory of juror or the search path. It answers /grade with
    /// lines of `juror grade`, /run_code as SandboxFusion does, and /api/v2/execute as Piston does. `juror help http`
    /// has the details.
    Serve(ServeArguments),
    /// Convert a package to another format
    ///
    /// The old package stays unchanged. Reads the new package again, and lists everything that has no equivalent. The
    /// exit code is 0 even if something was lost.
    Convert(CommandArguments<ConvertOptions>),
    /// Search for an input on which a submission fails, and shrink it
    ///
    /// Runs the submission and a right program on thousands of inputs a second: all small ones in turn,
    /// boundaries, ties, named shapes, the full range, and what the package's own generators print with
    /// fresh seeds. A failing input is made as small as possible. The exit code is 1 if such an
    /// input was found, and 0 if not.
    #[command(
        mut_args = keep_placeholders,
        override_usage = "juror stress [OPTIONS] <PACKAGE> <SUBMISSION>\n       \
                          juror stress [OPTIONS] <SUBMISSION> <GENERATOR> <REFERENCE>\n       \
                          juror stress [OPTIONS] --generator <PROGRAM> --reference <PROGRAM> <SUBMISSION>\n       \
                          juror stress [OPTIONS] --input-grammar <GRAMMAR> --reference <PROGRAM> <SUBMISSION>\n       \
                          juror stress [OPTIONS] --generator <PROGRAM> --interactor <PROGRAM> <SUBMISSION>"
    )]
    Stress(CommandArguments<StressOptions>),
    /// Measure how strong a package's test data is: which wrong programs it lets pass, and what would catch them
    ///
    /// Runs the package's wrong submissions, and changed copies of its right ones, on the test cases. If no test
    /// case rejects one, searches for an input that does, shrinks it, and shows it. The score sums up the result:
    /// `juror help strong-data` explains it. The exit code is 3 if the package has faults to fix first.
    Strength(CommandArguments<StrengthOptions>),
    /// List mutants, which are right submissions with one mistake in each; show one, or write one as a submission
    ///
    /// Makes mutants of the sources of accepted submissions in C, C++, Rust, Python and Java. Test data that rejects them
    /// is strong. Runs nothing. docs/mutants.md lists the kinds of mistakes.
    Mutants(CommandArguments<MutantsOptions>),
    /// Join the events of several machines into one report, or show a report again
    ///
    /// Reads files that `judge`, `verify` or `generate` wrote with --events, and reports them as one run: in the
    /// terminal, as JSON, and in files. The exit code is that of the whole run.
    Merge(CommandArguments<MergeOptions, ReportOptions>),
    /// Convert a problem's statement to a page: one HTML file
    ///
    /// Reads statements in Markdown and in the LaTeX of the package format. The page has title, limits, formulas,
    /// samples and images, and needs no network. Unsupported parts get a warning with their line.
    Statement(CommandArguments<StatementOptions>),
    /// Check inputs against a grammar, generate inputs from it, list its bounds
    ///
    /// The grammar is in the language checktestdata, in a file that ends in .ctd; docs/grammar.md
    /// describes it.
    Grammar(GrammarArguments),
    /// Compare an output with a judge answer, as the default output validator does
    ///
    /// Shows the first difference and ends with exit code 1 if there is one.
    Compare(CommandArguments<CompareOptions>),
    /// Show which isolation and measurement methods work here, and how to enable better ones
    ///
    /// Tries every isolation method. Shows which one juror will use, what measures CPU time and memory,
    /// and which languages can be judged. If something does not work, it gives the reason and the
    /// command that fixes it. The exit code is 0 if programs can be isolated fully, and 4 if not.
    Doctor(CommandArguments<DoctorOptions>),
    /// Run jobs for a juror on another machine, which starts this command
    ///
    /// `juror judge --executor 'ssh host juror worker --stdio'` starts it: it reads jobs from standard input, runs them in
    /// the sandbox of its machine, and writes results to standard output. It ends when standard input does, and keeps
    /// nothing. `juror help scale` has the commands for ssh, Slurm and containers.
    Worker(WorkerArguments),
    /// Show, prune or check the cache of results for later commands
    ///
    /// juror builds or runs a program again only if something that it depends on has changed, or with --fresh.
    /// The cache can be deleted at any time. docs/cache.md describes its contents.
    Cache(CommandArguments<ManageOptions>),
    /// List the languages that juror builds, with the tools of this machine and their versions
    ///
    /// If a language's tools are missing, it says what to install. docs/languages.md has the command lines.
    Languages(CommandArguments<LanguagesOptions>),
    /// Print the JSON Schema of the output of --json
    ///
    /// It is derived from the program's own types. docs/json.md explains each key.
    Schema(PlainArguments<SchemaOptions>),
    /// Print the script that completes commands, options, packages, cases and submissions in a shell
    ///
    /// For bash: juror completions bash > ~/.local/share/bash-completion/completions/juror
    Completions(PlainArguments<CompletionsOptions>),
    /// Write man pages: one for juror, and one for each command
    ///
    /// For example: juror man ~/.local/share/man/man1, then man juror-judge
    Man(PlainArguments<ManOptions>),
}

pub(super) type OptionTest = fn(&JudgeArguments) -> bool;

/// Options that `juror watch` refuses, because it judges many times.
pub(super) const SINGLE_RUN_OPTIONS: [(&str, OptionTest); 4] = [
    ("json", |judge| judge.output.json),
    ("keep", |judge| judge.options.runs.keep.is_some()),
    ("shard", |judge| judge.options.runs.shard.is_some()),
    ("github", |judge| judge.reports.files.github),
];

fn hide_refused_option(arg: Arg) -> Arg {
    if SINGLE_RUN_OPTIONS.iter().any(|(name, _)| arg.get_id() == name) {
        arg.hide(true)
    } else {
        arg
    }
}

impl Command {
    pub fn with_command<T>(&self, call: impl FnOnce(&dyn AnyCommand) -> T) -> T {
        match self {
            Self::New(arguments) => call(arguments),
            Self::Judge(arguments) => call(arguments),
            Self::Run(arguments) => call(arguments),
            Self::Show(arguments) => call(arguments),
            Self::Verify(arguments) => call(arguments),
            Self::Generate(arguments) => call(arguments),
            Self::Grade(arguments) => call(arguments),
            Self::Convert(arguments) => call(arguments),
            Self::Listen(arguments) => call(arguments),
            Self::Merge(arguments) => call(arguments),
            Self::Statement(arguments) => call(arguments),
            Self::Stress(arguments) => call(arguments),
            Self::Strength(arguments) => call(arguments),
            Self::Mutants(arguments) => call(arguments),
            Self::Grammar(arguments) => match &arguments.command {
                GrammarCommand::Check(arguments) => call(arguments),
                GrammarCommand::Generate(arguments) => call(arguments),
                GrammarCommand::Bounds(arguments) => call(arguments),
            },
            Self::Compare(arguments) => call(arguments),
            Self::Doctor(arguments) => call(arguments),
            Self::Cache(arguments) => call(arguments),
            Self::Languages(arguments) => call(arguments),
            Self::Schema(arguments) => call(arguments),
            Self::Completions(arguments) => call(arguments),
            Self::Man(arguments) => call(arguments),
            Self::Watch(_) | Self::Worker(_) | Self::Serve(_) => {
                unreachable!("these have no result")
            }
        }
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
}
