//! Options that several operations have.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::door::cases::numbered_cases;
use crate::door::comparison::{ComparisonMode, set_comparison};
use crate::door::given_program::GivenProgram;
use crate::ops::amounts::{parse_memory_limit, parse_time_limit};
use juror_core::grader::Dialect;
use juror_core::isolation::RequiredIsolation;
use juror_core::language::table::Language;
use juror_core::limits::ProblemLimits;
use juror_core::pattern::Pattern;
use juror_core::problem::{Interaction, Problem};
use juror_core::program::{BuildVariant, ProgramKind};
use juror_core::protocol::Protocol;
use juror_core::shard::Shard;
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_judging::cache::store::default_directory;
use juror_packages::package::command_words::split_words;
use juror_packages::package::format_names;

pub const RUNS: &str = "Runs";
pub const STANDARD_INPUT: &str = "/dev/stdin";

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = RUNS)]
pub struct RunOptions {
    /// Run only matching test cases, such as 1,2 or 'secret/edges/*'; can be given several times
    ///
    /// A case is named by its path below data/, without its ending. `*` stands for any characters but
    /// a slash, `{a,b}` for either; a directory stands for all that is in it. Commas separate names.
    #[arg(long, value_name = "GLOB")]
    pub case: Vec<String>,
    #[command(flatten)]
    pub host: HostOptions,
    /// CPU time limit of a run, such as 1.5s or 500ms, instead of the package's; a number alone is in seconds
    #[arg(long, short_alias = 't', aliases = ["timeout", "tle"], value_name = "TIME", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
    /// Memory limit of a run, such as 256M or 1G, instead of the package's; a number alone is in MiB
    #[arg(long, short_alias = 'm', value_name = "SIZE", value_parser = parse_memory_limit)]
    pub memory_limit: Option<Bytes>,
    /// Score groups of legacy packages as kattis or as domjudge does, instead of as the package's files suggest
    ///
    /// Kattis gives the `accept_score` for each accepted test case, DOMjudge once for a group of test cases.
    #[arg(long, value_name = "JUDGE", value_parser = one_of(Dialect::ALL, Dialect::name), hide_possible_values = true)]
    pub dialect: Option<Dialect>,
    /// Save each run's working directory, input and outputs, in DIR or a new directory
    ///
    /// Without DIR it is a new directory below TMPDIR or /tmp. DIR must be new or empty. The working
    /// directory of a run is saved as DIR/SUBMISSION/CASE, with `~-` for each slash in these names; beside it,
    /// CASE.input, CASE.output and CASE.error hold what the submission read and wrote.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    pub keep: Option<Option<PathBuf>>,
    /// Format of the package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()))]
    pub format: Option<String>,
    /// Do only part K of N of the work; `juror merge` joins what each writes with --events
    ///
    /// Submissions, and the checks of each package's data, are dealt out in turn.
    #[arg(long, value_name = "K/N", value_parser = parse_shard)]
    pub shard: Option<Shard>,
}

impl RunOptions {
    /// Applies the memory limit. The time limit is handled where it is measured.
    pub fn apply_limits(&self, limits: &mut ProblemLimits) {
        limits.memory = self.memory_limit.or(limits.memory);
    }
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').map(|(index, count)| (index.parse(), count.parse()));
    match numbers {
        Some((Ok(index), Ok(count))) if (1..=count).contains(&index) && count <= 10_000 => {
            Ok(Shard { index, count })
        }
        _ => Err("expected K/N, such as 2/5 for the second of five parts".to_owned()),
    }
}

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = RUNS)]
pub struct BuildOptions {
    /// Language of the submission, such as pypy3, C++ or 'GNU C++20', if its ending does not say it
    ///
    /// It goes before the package's `language`. `juror languages` lists the codes.
    #[arg(long, value_name = "CODE", value_parser = parse_language, conflicts_with = "program")]
    pub language: Option<&'static Language>,
    /// Build with the checks of the language, to find crashes; memory is not limited, and time is five times as long
    ///
    /// C and C++ get the sanitizers for addresses and undefined behaviour, checked containers, and -DLOCAL. Rust gets
    /// debug assertions and overflow checks. docs/languages.md lists the others. Their reports are on standard error.
    #[arg(long)]
    pub debug: bool,
    /// Add words to the command line that builds the submission, such as --flags='-DLOCAL -O0'
    ///
    /// They are split as in a shell, but no shell runs. Programs of the package do not get them.
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, value_parser = parse_flags)]
    pub flags: Option<Words>,
}

/// What judges outputs, if not what the package says.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = RUNS)]
pub struct CheckerOptions {
    /// How to compare outputs: words, lines, tokens, exact, float=E, none, another name or CHECKER [default: as the
    /// package says, else words]
    ///
    /// `juror help comparisons` lists the names, with those of testlib and DMOJ. `none` shows outputs and compares
    /// nothing. CHECKER is a source, a directory, an executable, or a command in quotes. Its text or three trials show
    /// how it is called: as the package format, testlib or DMOJ demand, or as `CHECKER INPUT OUTPUT ANSWER`.
    #[arg(long, alias = "checker", value_name = "HOW", value_parser = ComparisonMode::parse)]
    pub compare: Option<ComparisonMode>,
    /// The tolerance of `--compare float=E`, in the words of other tools.
    #[arg(long, short = 'e', alias = "epsilon", value_name = "E", hide = true, conflicts_with = "compare", value_parser = parse_tolerance)]
    pub eps: Option<ComparisonMode>,
    /// The program that talks with submissions and judges them; no answers are needed
    ///
    /// It is called like a CHECKER, with an OUTPUT that it may write for one.
    #[arg(long, value_name = "PROGRAM")]
    pub interactor: Option<OsString>,
    /// How CHECKER or the interactor is called: standard, plain, files, testlib, dmoj, cms, sinol or open-r1 [default: detected]
    #[arg(long, value_name = "NAME", value_parser = one_of(Protocol::ALL, Protocol::name), hide_possible_values = true)]
    pub checker_protocol: Option<Protocol>,
}

fn parse_tolerance(text: &str) -> Result<ComparisonMode, String> {
    ComparisonMode::parse(&format!("float={text}"))
}

impl CheckerOptions {
    pub fn comparison(&self) -> Option<&ComparisonMode> {
        self.compare.as_ref().or(self.eps.as_ref())
    }

    /// Puts these in the place of the package's.
    pub fn apply(&self, problem: &mut Problem) -> Result<(), Stop> {
        let typed = self.checker_protocol;
        let has_checker = matches!(self.comparison(), Some(ComparisonMode::Checker(_)));
        if typed.is_some() && !has_checker && self.interactor.is_none() {
            let what =
                "--checker-protocol is for a program; give it with --compare or --interactor";
            return Err(Stop::usage(what));
        }
        if let Some(how) = self.comparison() {
            set_comparison("--compare", how, typed, problem)?;
        }
        let Some(text) = &self.interactor else { return Ok(()) };
        if self.comparison().is_some() && !has_checker {
            let what = "--compare: an interactor judges; leave it out, or give a checker of what the interactor writes";
            return Err(Stop::usage(what));
        }
        let given = GivenProgram::read("--interactor", text, ProgramKind::OutputValidator)?;
        problem.interactor = Some(given.talking(typed));
        problem.kind.interaction = Interaction::Interactive;
        if problem.layout.is_guessed && problem.test_data.cases.is_empty() {
            problem.test_data.cases = numbered_cases(1);
            problem.format_reason = "no inputs: the submission runs on an empty one".to_owned();
        }
        for case in &mut problem.test_data.cases {
            case.needs_no_answer = true;
        }
        if !has_checker {
            problem.output_validators.clear();
        }
        // The output that it must accept is known only when the interactor has talked.
        for checker in &mut problem.output_validators {
            checker.protocol.get_or_insert(Protocol::Plain);
        }
        Ok(())
    }
}

/// One value of an option. For clap, a plain `Vec` would be several values.
type Words = Vec<String>;

fn parse_language(name: &str) -> Result<&'static Language, String> {
    let help = "`juror languages` lists the languages";
    Language::by_name(name).ok_or_else(|| format!("there is no such language; {help}"))
}

fn parse_flags(text: &str) -> Result<Words, String> {
    split_words(text).map_err(|reason| format!("it {reason}"))
}

impl BuildOptions {
    pub fn variant(&self) -> BuildVariant {
        BuildVariant {
            language: self.language.map(|language| language.code),
            debug: self.debug,
            flags: self.flags.clone().unwrap_or_default(),
        }
    }
}

#[derive(Clone, Debug, Default, Args)]
pub struct HostOptions {
    /// How many programs run at once [default: one per physical core]
    #[arg(long, short_alias = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Run one program at a time, so that programs do not slow each other down
    ///
    /// Without --exclusive, runs near a limit are repeated one at a time; `juror help time` explains how.
    #[arg(long, conflicts_with = "jobs")]
    pub exclusive: bool,
    /// How to isolate programs from this machine: full, any or plain
    ///
    /// `full` means with namespaces, or nothing runs. `any` means with the best method that works here; if
    /// that is not full isolation, a warning says so. `plain` means not at all: programs can do whatever you
    /// can; systems other than Linux have only this. `juror doctor` shows what works, and how to enable more.
    #[arg(long, value_parser = one_of(RequiredIsolation::ALL, RequiredIsolation::name), value_name = "HOW", default_value = "any", hide_possible_values = true)]
    pub isolation: RequiredIsolation,
    /// Run programs on the worker that COMMAND connects to, or `local`; can be given several times
    ///
    /// Such as 'ssh host juror worker --stdio'. Compilers and programs run on workers only; `local` makes this
    /// machine one of them. The command is split into words as in a shell, but no shell runs it. Results are cached for
    /// later runs with the same COMMAND. docs/scale.md has the details.
    #[arg(long, value_name = "COMMAND", value_parser = parse_worker)]
    pub executor: Vec<WorkerCommand>,
    #[command(flatten)]
    pub cache: CacheOptions,
    /// Ignore results of earlier commands
    ///
    /// New results are cached. `juror generate` also remakes test cases that are up to date, and `juror stress`
    /// starts both programs for every input. Without --fresh, programs in C, C++ and Rust start once for many small
    /// inputs, and fork before `main`. This finds the same faults, except those that only a new process shows.
    #[arg(long)]
    pub fresh: bool,
}

impl HostOptions {
    /// `None` for one per physical core.
    pub fn slots(&self) -> Option<usize> {
        if self.exclusive { Some(1) } else { self.jobs.map(usize::from) }
    }
}

#[derive(Clone, Debug, Default, Args)]
pub struct CacheOptions {
    /// Keep results for later commands in DIR; `off` keeps none [default: ~/.cache/juror]
    ///
    /// juror builds or runs a program again only if something that it depends on has changed. The default is
    /// below XDG_CACHE_HOME if that is set. JUROR_CACHE sets another one for all commands. See docs/cache.md.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

impl CacheOptions {
    /// From the option or the environment; may be `off`.
    pub fn typed_directory(&self) -> Option<PathBuf> {
        let set = || env::var_os("JUROR_CACHE").filter(|value| !value.is_empty());
        self.cache.clone().or_else(|| set().map(PathBuf::from))
    }

    /// `None` if nothing is cached.
    pub fn directory(&self) -> Option<PathBuf> {
        match self.typed_directory() {
            Some(named) => (named != Path::new("off")).then_some(named),
            None => default_directory(),
        }
    }
}

/// `local`, an address, or the command that starts the worker.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pub text: String,
    pub words: Vec<String>,
}

fn parse_worker(text: &str) -> Result<WorkerCommand, String> {
    match split_words(text) {
        Ok(words) if words.is_empty() => {
            Err("expected a command such as 'ssh host juror worker --stdio', or local".to_owned())
        }
        Ok(words) => Ok(WorkerCommand { text: text.to_owned(), words }),
        Err(reason) => Err(format!("it {reason}")),
    }
}

/// `-` is standard input.
pub fn given_file(path: &Path) -> &Path {
    if path.as_os_str() == "-" { Path::new(STANDARD_INPUT) } else { path }
}

/// A glob of names; with a slash at its end, of what is below.
pub fn parse_pattern(text: &str) -> Result<Pattern, String> {
    let text = text.strip_suffix('/').unwrap_or(text);
    Pattern::parse(text).map_err(|error| format!("{error}; {}", error.help()))
}

pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.map(name));
    names.try_map(move |typed| all.into_iter().find(|value| name(*value) == typed).ok_or("unknown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_a_number_out_of_a_count() {
        for (text, index, count) in [("1/1", 1, 1), ("2/5", 2, 5)] {
            assert_eq!(parse_shard(text), Ok(Shard { index, count }), "{text}");
        }
        for text in ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3", "1/99999"] {
            assert!(parse_shard(text).is_err(), "{text}");
        }
    }
}
