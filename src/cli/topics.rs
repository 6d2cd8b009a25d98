//! `juror help TOPIC`: the pages of the documentation.

use std::env;
use std::io::{IsTerminal, stdout};

use crate::cli::output::print;
use crate::cli::streams;
use juror_core::exit_code::ExitCode;
use juror_sandbox::sandbox::host_tool::show_in_pager;

struct Topic {
    name: &'static str,
    about: &'static str,
    text: &'static str,
}

macro_rules! topic {
    ($name:literal, $file:literal, $about:literal) => {
        Topic { name: $name, about: $about, text: include_str!(concat!("../../docs/", $file)) }
    };
}

/// A name must not be that of a command: `juror help COMMAND` shows its options.
const TOPICS: [Topic; 36] = [
    topic!("first-problem", "first-problem.md", "from an empty directory to a verified package"),
    topic!("guides", "guides.md", "the commands for contestants, setters, teachers, CI, curators"),
    topic!("judging", "judge.md", "judging one submission, many, or a class"),
    topic!("browser", "listen.md", "problems from the browser"),
    topic!("comparisons", "comparisons.md", "when an output is right: comparisons by name"),
    topic!("streams", "grade.md", "a submission in each line of a stream; public data sets"),
    topic!("http", "serve.md", "a server for trainers and web sites: SandboxFusion, Piston"),
    topic!("report", "html.md", "the HTML report"),
    topic!("verdicts", "verdicts.md", "what each verdict means, and what to try"),
    topic!("time", "time.md", "how times are measured, repeated and trusted"),
    topic!(
        "packages",
        "packages.md",
        "layout of problem packages, expectations, scores, additions"
    ),
    topic!("statements", "statements.md", "statements as pages"),
    topic!("test-data", "generate.md", "recipes for test data"),
    topic!("grammars", "grammar.md", "grammars of inputs"),
    topic!("counterexamples", "stress.md", "how a failing input is found"),
    topic!("mistakes", "mutants.md", "right submissions with one mistake in each"),
    topic!("strong-data", "strength.md", "how strong test data is, and what it misses"),
    topic!("explanations", "explain.md", "why a submission fails"),
    topic!("formats", "formats.md", "packages of library-checker, CMS and sinol"),
    topic!("polygon", "polygon.md", "packages of Polygon, programs with testlib"),
    topic!("converting", "convert.md", "how to convert a package to another format"),
    topic!("coming-from", "coming-from.md", "commands of other tools, and those of juror"),
    topic!("compilers", "languages.md", "languages, compilers and flags"),
    topic!("keeping", "cache.md", "what is kept for later commands"),
    topic!("library", "library.md", "juror in a Rust program"),
    topic!("python", "python.md", "juror in a Python program, and rewards for TRL"),
    topic!("performance", "performance.md", "what juror costs, and how to measure it"),
    topic!("sandbox", "sandbox.md", "isolation, limits and measurement"),
    topic!("security", "security.md", "who is trusted with what, and how that is enforced"),
    topic!("machine", "doctor.md", "what juror needs from the machine"),
    topic!("plain", "plain.md", "systems without isolation"),
    topic!("scale", "scale.md", "programs on other machines"),
    topic!("cluster", "cluster.md", "`juror-nats`: workers behind a NATS server"),
    topic!("ci", "ci.md", "reports for CI"),
    topic!("json", "json.md", "the keys of the JSON document"),
    topic!("conformance", "conformance.md", "rules on which judges differ"),
];

pub(super) fn list_topics() -> String {
    let row = |topic: &Topic| format!("\n  {:<16} {}", topic.name, topic.about);
    let rows: String = TOPICS.iter().map(row).collect();
    format!("Topics, for `juror help TOPIC`:{rows}")
}

pub(super) fn topic_names<'a>() -> impl Iterator<Item = &'a str> {
    TOPICS.iter().map(|topic| topic.name)
}

/// `None` if there is no such page.
pub(super) fn show_topic(words: &[String]) -> Option<ExitCode> {
    let [help, name] = words else { return None };
    let topic = TOPICS.iter().find(|topic| help == "help" && topic.name == name)?;
    if stdout().is_terminal() && show_in_pager(&pager(), topic.text) {
        return Some(ExitCode::Success);
    }
    let printed = print("the page", |out| out.write_all(topic.text.as_bytes()));
    let Err(error) = printed else { return Some(ExitCode::Success) };
    streams::print_remark(&format!("error: cannot {error}"));
    Some(ExitCode::JudgeError)
}

fn pager() -> String {
    env::var("PAGER").ok().filter(|pager| !pager.is_empty()).unwrap_or_else(|| "less".to_owned())
}
