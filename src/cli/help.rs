//! What `--help` shows after the options: examples, exit codes, the environment.

use clap::builder::{Resettable, StyledStr};
use clap::{Arg, Command};

use crate::cli::topics;
use juror_core::exit_code::ExitCode;

const EXAMPLES: &str = "\
Examples:
  juror my.cpp
      Is my program right on the samples beside it? If not: on which one, and why?
  juror judge problems/game1 my.cpp
      Is it right on the test cases of a problem?
  juror new hello
      Make a new problem in hello/.
  juror verify problems/game1
      Is the package right? Data, validators, and all its submissions.
  juror generate problems/game1 --check
      Does the test data match its recipe?
  juror grammar check input.ctd data/secret/*.in
      Do the inputs match the grammar?
  juror doctor
      Which isolation and measurement methods work on this machine?";

const ENVIRONMENT: &str = "\
Environment:
  NO_COLOR     no colour, unless --color asks for it
  CI           a line a minute instead of the live view
  TMPDIR       directory for builds and temporary data [default: /tmp]
  JUROR_CACHE  directory for what is kept for later commands, or `off`

`juror help COMMAND` shows the options and examples of each command.";

/// For each command: a remark for the last line, and the examples.
#[rustfmt::skip]
const COMMAND_EXAMPLES: [(&str, &str, &str); 21] = [
    ("new", "docs/first-problem.md continues from here. ", "
  juror new hello
      A problem in hello/, with test data; `juror verify hello` accepts it.
  juror new contest/maze --type interactive
      One with a program that talks with submissions.
  juror new route --type checker --language cpp
      One in which several outputs are right; its programs are in C++."),
    ("grade", "docs/grade.md has the details. ", "
  juror grade < lines.jsonl > results.jsonl
      A result for each line, as soon as it is ready.
  juror grade lines.jsonl.gz --output results.jsonl --resume
      The same; if it is interrupted or killed, run it again to continue.
  juror grade samples.jsonl --output results.jsonl --summary rates.json --k 1,10
      Also pass@1 and pass@10, from lines with a `problem`.
  juror grade lines.jsonl --keep-outputs outputs.gz > results.jsonl
  juror grade --rejudge outputs.gz --compare float=1e-6 > other.jsonl
      The same lines by another comparison, without running them again.
  juror grade --map '{\"id\": \"/name\", \"source\": \"/code\", \"cases\": \"/tests\"}' --defaults '{\"source\": {\"language\": \"python3\"}}' < set.jsonl
      Lines of another form, all with sources in Python.
  echo '{\"package\": \"problems/game1\", \"source\": {\"file\": \"my.cpp\"}}' | juror grade
      One line."),
    ("judge", "", "
  juror judge my.cpp
      Build my.cpp, run it on the tests beside it, such as 1.in and 1.out, show the first difference.
  juror judge my.cpp my.txt
      Run it on an input of your own; if its answer is beside it, judge it.
  juror judge problems/game1 my.cpp
      Build my.cpp, run it on every test case, stop at the first rejection.
  juror judge problems/game1 a.rs b.py c/
      Three submissions: two files and a directory.
  juror judge problems/game1 class/ --csv results.csv --points cases
      A directory for each student in class/; a point for each test case; a file for a spreadsheet.
  juror judge problems/game1 -- ./a.out --fast
      A program that is ready to run, with an argument of its own.
  juror judge problems/game1 my.cpp --case 'secret/edges/*' --all -v
      Only some cases, all of them, with a line for each, and standard error.
  juror judge my.cpp --case 1,3 --time-limit 500ms --memory-limit 1G
      Two cases with other limits.
  juror judge problems/game1 my.cpp --keep=boxes
      See afterwards what the program left in its working directory.
  juror judge problems/game1 my.cpp --json > report.json
      One JSON document, as docs/json.md describes it."),
    ("listen", "docs/listen.md says what it writes. ", "
  juror listen
      A directory for each problem, in the current directory.
  juror listen contest --template ~/main.cpp
      In contest/, with a copy of the template in each."),
    ("serve", "`juror help http` says how to install it. ", "
  juror serve
      For programs on this machine, at http://127.0.0.1:8080/.
  juror serve --listen 0.0.0.0:8080 --token token.txt --packages problems
      For others, who know the token; they name packages below problems/.
  juror serve --listen 127.0.0.1:9000 --jobs 8
      On another port, with eight programs at once."),
    ("run", "", "
  juror run my.py < my.txt
      On a file, without a package.
  juror run hello my.py
      Type the input; Ctrl-D ends it.
  juror run hello my.py --case secret/07-small-1
      On the input of a test case.
  juror run hello accepted/best.rs --input 1.in > 1.out
      Its standard output in a file. A submission of the package has the name that `juror show` lists.
  juror run hello --case secret/07-small-1 -- python3 my.py
      A command of your own.
  juror run maze accepted/halves.rs
      An interactive problem: you answer the submission.
  juror run --play maze --case secret/01-one
      The other way round: you play against the package's interactor."),
    ("show", "", "
  juror show problems/game1
      Which test cases and submissions are there?
  juror show problems/game1 sample/1
      The files of a test case.
  juror show problems/game1 sample/1 --json
      The same as JSON."),
    ("mutants", "", "
  juror mutants problems/game1
      The mutants of all accepted submissions.
  juror mutants problems/game1 accepted/game1.cpp --operator tie
      Those of one submission that decide ties the other way.
  juror mutants problems/game1 accepted/game1.cpp --show off1-6be2-1
      One of them, with its lines.
  juror mutants problems/game1 accepted/game1.cpp --export off1-6be2-1 wrong.cpp
      The same as a submission."),
    ("worker", "docs/scale.md has the details. ", "
  juror judge problems/game1 my.cpp --executor 'ssh a juror worker --stdio'
      Run everything on the machine a.
  juror verify problems/* --executor local --executor 'ssh a juror worker --stdio'
      Use this machine and a.
  ssh a juror worker --stdio
      Try the connection: it prints `juror worker` and waits. Ctrl-D ends it."),
    ("watch", "", "
  juror watch my.cpp
      Judge my.cpp at each save, on the tests beside it.
  juror watch problems/game1 my.cpp
      The same on the test cases of a problem.
  juror watch problems/game1 my.cpp --html report.html
      The same, with a page that is rewritten each time.
  juror watch problems/game1 -- ./a.out
      A program that something else builds: judge it after each build."),
    ("verify", "", "
  juror verify problems
      Everything about every package below problems/: the check to run in CI.
  git diff --name-only main | juror verify --changed -
      Only the packages in which a file differs from the branch main.
  juror verify problems/game1 --case 'sample/*'
      A first look: expectations that need all test cases are not checked.
  juror verify problems/game1 -v
      Every submission with every test case, not only the table."),
    ("grammar", "", "
  juror grammar check input.ctd data/secret/*.in
      Are these inputs valid? If not: where, what was expected, what was found?
  juror grammar generate input.ctd --seed 7 --shape few-distinct
      An input with many ties.
  juror grammar generate input.ctd --shapes
      Which shapes fit this grammar?
  juror grammar generate input.ctd --most n --least 'a[i]'
      An input with n as large and every a[i] as small as allowed.
  juror grammar bounds input.ctd data/secret/*.in
      Which bounds does the data never reach?"),
    ("generate", "", "
  juror generate problems/game1
      Write what generators/generators.yaml describes: inputs by its generators, answers by its
      solution.
  juror generate problems/game1 --check
      Write nothing; compare with what the recipe makes, byte for byte.
  juror generate my-problem --from-grammar
      A first set of test cases, small ones and large ones, from the package's grammar of the input.
  juror generate problems/game1 --prune
      After renaming test cases: remove the files with the old names."),
    ("convert", "docs/convert.md has the details. ", "
  juror convert old --to 2025-09 new
      A package in the current format.
  juror convert problem.zip --to legacy problem-legacy
      One for judges that read only the older format.
  juror convert problems/game1 --to domjudge-zip --time-limit 2 game1.zip
      An archive for DOMjudge, which needs a time limit.
  juror convert old --to 2025-09 new --json
      What had no equivalent, as docs/json.md describes it."),
    ("merge", "", "
  juror verify problems/* --shard 2/5 --events 2.json
      On each of five machines, with its own number.
  juror merge 1.json 2.json 3.json 4.json 5.json --junit report.xml
      The merged report, in the terminal and as a file."),
    ("stress", "", "
  juror stress problems/game1 my.cpp
      On which small input is my program wrong?
  juror stress problems/game1 my.cpp --time 5m --seed 7
      Longer, and with other inputs.
  juror stress problems/game1 my.cpp --promote odd-boards
      Add the input to the package and its recipe: secret/odd-boards.
  juror stress --input-grammar g.ctd --reference slow.py my.cpp
      Without a package: a grammar of the input, and a program that is right.
  juror stress my.cpp --generator gen.py --reference brute.cpp
      With your own generator; it gets a seed as its last argument.
  juror stress my.cpp --generator 'gen.py {n} {seed}' --reference brute.cpp --compare chk.cpp
      With a size that grows from 1 to 1000, and a checker."),
    ("strength", "", "
  juror strength problems/game1
      Which wrong programs does my test data let pass, and which inputs would catch them?
  juror strength problems/game1 --promote
      Add one of these inputs for each kind of fault, with its judge answer, to the package and its recipe.
  juror strength problems/game1 --matrix
      Which test case catches what, and which test cases are needed?"),
    ("statement", "", "
  juror statement problems/game1
      Write game1.html: the statement in every language, ready to print or to put on a page.
  juror statement problems/game1 --language en -o handout.html
      One language; print it from a browser for a PDF.
  juror statement problems/game1 -o site/
      One file for each language, such as site/game1.en.html."),
    ("compare", "", "
  juror compare 1.ans my.out
  ./program < 1.in | juror compare 1.ans -
      Token by token; blanks and letter case do not count.
  juror compare 1.ans my.out float_tolerance 1e-6
      Numbers may differ by 1e-6, absolutely or relatively.
  juror compare 1.ans my.out --compare lines
      The words of each line; letter case counts."),
    ("doctor", "", "
  juror doctor
      What works here, what does not, and what to do about it.
  juror doctor --json
      The same as one JSON document, as docs/json.md describes it.
  juror doctor --quiet && juror verify --isolation=full problems/*
      In CI: stop on a machine that cannot isolate fully."),
    ("cache", "", "
  juror cache
      Its directory, size and age.
  juror cache prune --to 500M
      Keep the 500 MiB that were used last.
  juror cache verify --cache ci-cache
      Check the cache in another directory."),
];

pub(super) fn exit_codes() -> String {
    let row = |code: ExitCode| format!("\n  {:<4} {}", code.number(), code.name());
    format!("Exit codes:{}", ExitCode::ALL.map(row).concat())
}

pub(super) fn first_steps() -> String {
    [EXAMPLES, &exit_codes(), &topics::list_topics(), ENVIRONMENT].join("\n\n")
}

/// Shows its examples and a remark after the options of a command and of its own commands.
pub(super) fn add_examples(command: Command) -> Command {
    let examples = COMMAND_EXAMPLES.iter().find(|(name, ..)| *name == command.get_name());
    let Some((_, remark, examples)) = examples else { return command };
    let text = format!("Examples:{examples}\n\n{remark}Exit codes: see `juror --help`.");
    let text = keep_braces(&text);
    command.mut_subcommands(|own| own.after_long_help(text.clone())).after_long_help(text.clone())
}

/// For arguments with the placeholder `{n}`, which clap would replace with a line end.
pub(super) fn keep_placeholders(arg: Arg) -> Arg {
    let kept = |text: Option<&StyledStr>| -> Resettable<StyledStr> {
        text.map(|text| keep_braces(&text.ansi().to_string()).into()).into()
    };
    let (short, long) = (kept(arg.get_help()), kept(arg.get_long_help()));
    arg.help(short).long_help(long)
}

/// clap drops the code for no style wherever text has no style.
fn keep_braces(text: &str) -> String {
    text.replace("{n}", "{\u{1b}[0mn}")
}
