//! What stands at the top of a package.
//!
//! Source: problem package format 2025-09, "Problem package structure overview".

use crate::model::diagnostic::Diagnostic;
use crate::package::draft::short_name;
use crate::package::files::Tree;
use crate::package::kattis_2025_09::statement;
use crate::package::suggest::nearest;

const KNOWN: [&str; 17] = [
    "problem.yaml",
    "juror.toml",
    "statement",
    "attachments",
    "solution",
    "data",
    "generators",
    "include",
    "submissions",
    "input_validators",
    "answer_validators",
    "static_validator",
    "output_validator",
    "input_visualizer",
    "output_visualizer",
    "README.md",
    "LICENSE",
];

/// A name of another format, and what stands for it here.
struct Renamed {
    old: &'static str,
    help: &'static str,
}

const RENAMED: [Renamed; 7] = [
    Renamed { old: "problem_statement", help: "in format 2025-09: `statement`" },
    Renamed {
        old: "output_validators",
        help: "in format 2025-09: `output_validator`, exactly one",
    },
    Renamed { old: "input_format_validators", help: "in format 2025-09: `input_validators`" },
    Renamed { old: "graders", help: "in format 2025-09 there are no graders" },
    Renamed { old: "domjudge-problem.ini", help: "in format 2025-09: `limits` of problem.yaml" },
    Renamed { old: "problem.yml", help: "in format 2025-09: `problem.yaml`" },
    Renamed { old: "submissions.yaml", help: "it belongs into `submissions/`" },
];

/// Doubts the directory's name and misspelt entries.
pub(super) fn check_entries(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let name = short_name(&tree.root);
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        let message =
            format!("the directory's name `{name}` has more than lower-case letters and digits");
        diagnostics.push(Diagnostic::warning(&tree.root, message).help("rename the directory"));
    }
    for item in tree.children("") {
        let name = item.base_name();
        if KNOWN.contains(&name) || name == "problem_statement" && statement::is_renamed(tree) {
            continue;
        }
        let renamed = RENAMED.iter().find(|renamed| renamed.old == name);
        let help = match (renamed, nearest(name, KNOWN)) {
            (Some(renamed), _) => renamed.help.to_owned(),
            (None, Some(known)) => format!("did you mean `{known}`?"),
            (None, None) => continue,
        };
        let message = "is ignored: the format does not know it";
        diagnostics.push(Diagnostic::warning(&item.path, message).help(help));
    }
}
