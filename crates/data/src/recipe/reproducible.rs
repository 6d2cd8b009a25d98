//! Checks that generators are reproducible: a second later, they make the same files again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::recipe::Generation;
use juror_core::blob::{Blob, Digest};
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::placeholder::{ArgumentPiece, occurrences};
use juror_core::recipe::{GeneratorCommand, GeneratorProgram, Recipe, RecipeCase};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::text::{count, visible};
use juror_core::work::RunMode;
use juror_judging::recipe::GeneratorResults;
use juror_judging::recipe::inputs::{generator_command, output_digest};
use juror_judging::recipe::programs::case_diagnostic;
use juror_judging::recipe::run::run_generator;
use juror_judging::recipe::stage::Stage;
use juror_sandbox::executor::Executor;

/// After this time, a clock that counts seconds has moved on.
const CLOCK_TICK: Duration = Duration::from_millis(1100);

/// Runs every generator a second time. Adds differing results to `found`.
pub(super) fn check_reproducible(
    generation: &Generation<'_>,
    stage: &Stage,
    first_results: &GeneratorResults<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), Stop> {
    let cases: Vec<(&RecipeCase, &GeneratorCommand)> = generation
        .recipe
        .cases
        .iter()
        .filter_map(|case| Some((case, generator_command(case)?)))
        .collect();
    if cases.is_empty() {
        return Ok(());
    }
    std::thread::sleep(CLOCK_TICK.saturating_sub(first_results.ended_at.elapsed()));
    let second_run = SecondRun { executor: generation.bench.executor, stage, first_results };
    let bench = &generation.bench;
    let changes = bench.map("generators once more", &cases, |(case, command)| {
        second_run.difference_from_first(case, command)
    })?;
    let mut changed: BTreeMap<&GeneratorProgram, Vec<Diagnostic>> = BTreeMap::new();
    for ((case, command), change) in cases.into_iter().zip(changes) {
        let Some(change) = change else { continue };
        let message = format!("`{}` gives another result the second time: {change}", command.line);
        let warning = case_diagnostic(case, message).help(
            "take everything random from `{seed}`, and do not use the clock; do not iterate over a hash table with \
             a random order",
        );
        changed.entry(&command.program).or_default().push(warning);
    }
    for mut warnings in changed.into_values() {
        let more = warnings.drain(1..).count();
        if more > 0 {
            warnings[0].message +=
                &format!("; the same holds for {} of this generator", count(more, "other case"));
        }
        diagnostics.extend(warnings);
    }
    Ok(())
}

/// Warns about generators that print the same for each seed, whatever their other arguments are.
pub(super) fn find_ignored_seeds(
    recipe: &Recipe,
    stage: &Stage,
) -> Result<Vec<Diagnostic>, JudgeError> {
    // By generator: its cases by all that a command has but the seed.
    let mut by_program: BTreeMap<_, BTreeMap<_, Vec<&RecipeCase>>> = BTreeMap::new();
    for case in &recipe.cases {
        if let Some(command) = generator_command(case)
            && occurrences(&command.args, ArgumentPiece::Seed) > 0
        {
            let by_args = by_program.entry(&command.program).or_default();
            by_args.entry(&command.args).or_default().push(case);
        }
    }
    let is_same = |cases: &Vec<&RecipeCase>| -> Result<bool, JudgeError> {
        let paths = cases.iter().map(|case| stage.path(&case.name, "in"));
        let digests = paths
            .map(|path| Blob::file(&path).digest().map_err(JudgeError::on_file("read", &path)));
        Ok(digests.collect::<Result<BTreeSet<_>, _>>()?.len() == 1)
    };
    let mut warnings = Vec::new();
    for (program, by_args) in by_program {
        let repeated: Vec<_> = by_args.values().filter(|cases| cases.len() > 1).collect();
        let mut same = repeated.iter().map(|cases| is_same(cases));
        let Some(first) = repeated.first() else { continue };
        if same.try_fold(true, |all, is_same| Ok::<_, JudgeError>(all && is_same?))? {
            let number = count(repeated.iter().map(|cases| cases.len()).sum::<usize>(), "case");
            let message = format!(
                "`{}` ignores its seed: {number} differ in nothing else, and their inputs are the same",
                program.name
            );
            let help = "take everything random in the generator from the argument `{seed}`";
            warnings.push(Diagnostic::warning(&first[0].place, message).help(help));
        }
    }
    Ok(warnings)
}

struct SecondRun<'a> {
    executor: &'a dyn Executor,
    stage: &'a Stage,
    first_results: &'a GeneratorResults<'a>,
}

impl SecondRun<'_> {
    /// The difference from the first run, in words.
    fn difference_from_first(
        &self,
        case: &RecipeCase,
        command: &GeneratorCommand,
    ) -> Result<Option<String>, Stop> {
        let generator = &self.first_results.generators[&command.program];
        let files =
            match run_generator(self.executor, generator, command, &case.name, RunMode::FRESH)? {
                Ok(files) => files,
                Err(refusal) => return Ok(Some(format!("this time, {}", refusal.message))),
            };
        let first = self.first_results.digests.get(&case.name);
        for file in &files {
            let now = output_digest(&file.contents)?;
            let before: Option<&Digest> = first.and_then(|first| first.get(file.extension));
            if before.is_none_or(|before| *before != now) {
                let path = self.stage.path(&case.name, file.extension);
                return Ok(Some(difference(file.extension, &path, &file.contents)));
            }
        }
        let is_missing = |extension: &&str| files.iter().all(|file| file.extension != *extension);
        let missing = first.and_then(|first| first.keys().copied().find(is_missing));
        Ok(missing.map(|extension| format!("no `.{extension}` file is left the second time")))
    }
}

/// The first line that differs, in words.
fn difference(extension: &str, first: &FilePath, second: &Blob) -> String {
    const LOOKED_AT: u64 = 1 << 20;
    match (Blob::file(first).prefix(LOOKED_AT), second.prefix(LOOKED_AT)) {
        (Ok(first), Ok(second)) if first != second => {
            let (line, [before, after]) = first_difference(&first, &second);
            format!("line {line} of `.{extension}` was {before} and is {after}")
        }
        _ => format!("the `.{extension}` files differ"),
    }
}

/// The number of the first line that differs, and both versions in readable form.
fn first_difference(first: &[u8], second: &[u8]) -> (usize, [String; 2]) {
    let same = first.iter().zip(second).take_while(|(a, b)| a == b).count();
    let start = memchr::memrchr(b'\n', &first[..same]).map_or(0, |before| before + 1);
    let line = |text: &[u8]| {
        let mut lines = text[start..].split_inclusive(|byte| *byte == b'\n');
        readable_line(lines.next().unwrap_or_default())
    };
    (memchr::memchr_iter(b'\n', &first[..start]).count() + 1, [line(first), line(second)])
}

/// A line in quotes, without its line end. If it has no byte at all, the text has no such line.
fn readable_line(line: &[u8]) -> String {
    const LONGEST: usize = 40;
    if line.is_empty() {
        return "missing".to_owned();
    }
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if line.len() > LONGEST {
        format!("`{}…`", visible(&line[..LONGEST]))
    } else {
        format!("`{}`", visible(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_found() {
        let check = |first: &str, second: &str, expected: (usize, [&str; 2])| {
            let found = first_difference(first.as_bytes(), second.as_bytes());
            assert_eq!(found, (expected.0, expected.1.map(str::to_owned)), "{first:?} {second:?}");
        };
        check("1\n2\n", "1\n3\n", (2, ["`2`", "`3`"]));
        check("1\n", "1\n3\n", (2, ["missing", "`3`"]));
        check("1", "1\n", (1, ["`1`", "`1`"]));
    }
}
