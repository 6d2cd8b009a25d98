//! Proves that generators give the same again: at another time, in another place and language.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use crate::executor::Executor;
use crate::generate::inputs::{command, digest};
use crate::generate::programs::diagnostic;
use crate::generate::run::run;
use crate::generate::stage::Stage;
use crate::generate::{Generating, Made};
use crate::model::blob::{Blob, Digest};
use crate::model::diagnostic::Diagnostic;
use crate::model::recipe::{GeneratorCommand, GeneratorProgram, RecipeCase};
use crate::model::stop::Stop;
use crate::model::text::visible;

/// A clock that counts seconds shows another one after this long.
const A_SECOND: Duration = Duration::from_millis(1100);

/// Starts every generator a second time; `found` takes what comes out otherwise.
pub(super) fn prove(
    generating: &Generating<'_>,
    stage: &Stage,
    made: &Made<'_>,
    found: &mut Vec<Diagnostic>,
) -> Result<(), Stop> {
    let cases: Vec<(&RecipeCase, &GeneratorCommand)> =
        generating.recipe.cases.iter().filter_map(|case| Some((case, command(case)?))).collect();
    if cases.is_empty() {
        return Ok(());
    }
    std::thread::sleep(A_SECOND.saturating_sub(made.at.elapsed()));
    let again = Again { executor: generating.bench.executor, stage, made };
    let bench = &generating.bench;
    let changes = bench
        .map("generators once more", &cases, |(case, command)| again.change(case, command, true))?;
    let mut changed: BTreeMap<&GeneratorProgram, Vec<(usize, String)>> = BTreeMap::new();
    for (at, change) in changes.into_iter().enumerate() {
        if let Some(change) = change {
            let of_program = changed.entry(&cases[at].1.program).or_default();
            of_program.push((at, change));
        }
    }
    for changes in changed.into_values() {
        let Some((at, change)) = changes.first() else { continue };
        let (case, command) = cases[*at];
        let alike = again.change(case, command, false)?;
        found.push(told(case, command, alike.is_some(), change, changes.len() - 1));
    }
    Ok(())
}

fn told(
    case: &RecipeCase,
    command: &GeneratorCommand,
    always: bool,
    change: &str,
    more: usize,
) -> Diagnostic {
    let (message, help) = match always {
        true => (
            "gives something else each time: it depends on the clock, on chance, or on addresses",
            "take everything random from `{seed}`, and do not iterate over a hash table with a random order",
        ),
        false => (
            "depends on the time zone, the locale, its working directory or its process number",
            "use no local time and no absolute path; set the locale or encoding in the generator itself",
        ),
    };
    let more = match more {
        0 => String::new(),
        1 => "; 1 more case of this generator does so too".to_owned(),
        n => format!("; {n} more cases of this generator do so too"),
    };
    diagnostic(case, format!("`{}` {message}: {change}{more}", command.line)).help(help)
}

/// What is needed to start a generator again.
struct Again<'a> {
    executor: &'a dyn Executor,
    stage: &'a Stage,
    made: &'a Made<'a>,
}

impl Again<'_> {
    /// What is otherwise than at the first start, in words.
    fn change(
        &self,
        case: &RecipeCase,
        command: &GeneratorCommand,
        elsewhere: bool,
    ) -> Result<Option<String>, Stop> {
        let generator = &self.made.generators[&command.program];
        let files = match run(self.executor, generator, command, &case.name, elsewhere)? {
            Ok(files) => files,
            Err(refusal) => return Ok(Some(format!("this time, {}", refusal.message))),
        };
        let first = self.made.digests.get(&case.name);
        for made in &files {
            let now = digest(&made.contents)?;
            let before: Option<&Digest> = first.and_then(|first| first.get(made.extension));
            if before.is_none_or(|before| *before != now) {
                let path = self.stage.path(&case.name, made.extension);
                return Ok(Some(difference(made.extension, &path, &made.contents)));
            }
        }
        let is_missing = |extension: &&str| files.iter().all(|made| made.extension != *extension);
        let missing = first.and_then(|first| first.keys().copied().find(|it| is_missing(it)));
        Ok(missing.map(|extension| format!("no `.{extension}` file is left the second time")))
    }
}

/// The first line that differs, in words.
fn difference(extension: &str, first: &Path, second: &Blob) -> String {
    let unseen = || format!("the `.{extension}` files differ");
    let Ok(first) = File::open(first) else { return unseen() };
    let Ok(second) = second.open() else { return unseen() };
    match first_difference(first, second) {
        Some((line, [before, after])) => {
            format!("line {line} of `.{extension}` was {before} and is {after}")
        }
        None => unseen(),
    }
}

/// The number of the first line that differs, and both as a person can read them.
fn first_difference(first: impl Read, second: impl Read) -> Option<(usize, [String; 2])> {
    let mut readers = [
        BufReader::new(Box::new(first) as Box<dyn Read>),
        BufReader::new(Box::new(second) as Box<dyn Read>),
    ];
    for number in 1.. {
        let [first, second] = readers.each_mut().map(line);
        let (first, second) = (first?, second?);
        if first != second {
            return Some((number, [shown(&first), shown(&second)]));
        }
        if first.is_empty() {
            return None;
        }
    }
    None
}

/// A line with its end; empty at the end of the file. Of a very long one, the first part.
fn line(reader: &mut BufReader<Box<dyn Read + '_>>) -> Option<Vec<u8>> {
    const LONGEST: u64 = 1 << 16;
    let mut line = Vec::new();
    reader.take(LONGEST).read_until(b'\n', &mut line).ok()?;
    Some(line)
}

fn shown(line: &[u8]) -> String {
    const LONGEST: usize = 40;
    if line.is_empty() {
        return "missing".to_owned();
    }
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    match line.len() > LONGEST {
        true => format!("`{}…`", visible(&line[..LONGEST])),
        false => format!("`{}`", visible(line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_found() {
        let check = |first: &str, second: &str, expected: Option<(usize, [&str; 2])>| {
            let found = first_difference(first.as_bytes(), second.as_bytes());
            let expected = expected.map(|(line, pair)| (line, pair.map(str::to_owned)));
            assert_eq!(found, expected, "{first:?} {second:?}");
        };
        check("", "", None);
        check("1\n2\n", "1\n2\n", None);
        check("1\n2\n", "1\n3\n", Some((2, ["`2`", "`3`"])));
        check("1\n", "1\n3\n", Some((2, ["missing", "`3`"])));
        check("1", "1\n", Some((1, ["`1`", "`1`"])));
    }
}
