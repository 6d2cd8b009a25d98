//! The entries at the top of a package.
//!
//! Source: problem package format 2025-09, "Problem package structure overview".

use crate::package::draft::short_name;
use crate::package::files::PackageFiles;
use crate::package::suggest::{did_you_mean, nearest};

const KNOWN_ENTRIES: &str = "problem.yaml juror.toml statement attachments solution data generators include \
                     submissions input_validators answer_validators static_validator output_validator \
                     input_visualizer output_visualizer README.md LICENSE";

/// Names in other formats, each with its replacement here.
const RENAMED_ENTRIES: [(&str, &str); 7] = [
    ("problem_statement", "in format 2025-09: `statement`"),
    ("output_validators", "in format 2025-09: `output_validator`, exactly one"),
    ("input_format_validators", "in format 2025-09: `input_validators`"),
    ("graders", "in format 2025-09 there are no graders"),
    ("domjudge-problem.ini", "in format 2025-09: `limits` of problem.yaml"),
    ("problem.yml", "in format 2025-09: `problem.yaml`"),
    ("submissions.yaml", "it belongs in `submissions/`"),
];

/// Warns about the directory's name and misspelt entries.
pub(super) fn check_entries(tree: &PackageFiles) {
    let name = short_name(&tree.root);
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        let message =
            format!("the directory's name `{name}` should have only lower-case letters and digits");
        tree.faults.warning(&tree.root, message, "rename the directory");
    }
    for item in tree.children("") {
        let name = item.base_name();
        if KNOWN_ENTRIES.split(' ').any(|known| known == name) {
            // Known files have an ending or upper-case letters.
            let is_directory = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            if is_directory && item.is_file() {
                let message = "is ignored: it is a file, but must be a directory";
                tree.faults.publishing_error(
                    item,
                    message,
                    "move it into a directory of this name",
                );
            }
            continue;
        }
        let renamed = RENAMED_ENTRIES.iter().find(|(old, _)| *old == name);
        let known = renamed.map(|(_, help)| (*help).to_owned());
        let Some(help) =
            known.or_else(|| nearest(name, KNOWN_ENTRIES.split(' ')).map(did_you_mean))
        else {
            continue;
        };
        let message = "is ignored: it is not part of the format";
        tree.faults.warning(item, message, help);
    }
}
