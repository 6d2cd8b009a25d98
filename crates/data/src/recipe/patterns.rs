//! `match`: patterns that a recipe expects in the files of a case.

use regex::bytes::Regex;

use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::recipe::Recipe;
use juror_judging::recipe::stage::Stage;

/// Warns about cases whose files lack a pattern. Fails if a file cannot be read.
pub(super) fn find_missing_patterns(
    recipe: &Recipe,
    stage: &Stage,
) -> Result<Vec<Diagnostic>, JudgeError> {
    let mut warnings = Vec::new();
    for case in &recipe.cases {
        for pattern in &case.patterns {
            let path = stage.path(&case.name, pattern.extension);
            let text = if stage.has_file(&case.name, pattern.extension) {
                path.read().map_err(JudgeError::on_file("read", &path))?
            } else {
                Vec::new()
            };
            if Regex::new(&pattern.regex).is_ok_and(|regex| regex.is_match(&text)) {
                continue;
            }
            let message = format!(
                "{}: `{}` is not found in its .{}",
                case.name, pattern.text, pattern.extension
            );
            let help = "the case is not as intended: change the command, the seed or the pattern";
            warnings.push(Diagnostic::warning(&pattern.place, message).help(help));
        }
    }
    Ok(warnings)
}
