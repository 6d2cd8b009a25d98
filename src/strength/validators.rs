//! How strict input validators are, and whether the package's own cases would notice faults in its grammar.

use std::collections::BTreeMap;

use crate::build::bench::Bench;
use crate::executor::{Executor, parallel};
use crate::grammar::mutants::mutants;
use crate::grammar::program::Grammar;
use crate::model::judgement::JudgeError;
use crate::model::stop::{Stop, noting};
use crate::model::strictness::{LetThrough, Strictness};
use crate::model::test_data::{TestCase, ValidatorArgs};
use crate::stress::validity::Validity;
use crate::validate::single::InputValidators;
use crate::validate::{FaultyInput, faulty_inputs, input_grammars};

/// How many kinds of faulty inputs the input validators refuse.
///
/// # Errors
/// If it was interrupted, or the judge failed.
pub fn refused_inputs(bench: Bench<'_>) -> Result<Strictness, Stop> {
    let Some(tried) = faulty_inputs(bench)? else {
        return Ok(Strictness::untried("no input validator, or one that does not build"));
    };
    Ok(by_kind(tried))
}

/// A kind of fault counts as refused if every input with it is refused.
fn by_kind(tried: Vec<FaultyInput>) -> Strictness {
    let mut kinds: BTreeMap<String, Option<LetThrough>> = BTreeMap::new();
    for FaultyInput { fault, test_case, let_through } in tried {
        let known = kinds.entry(fault.clone()).or_default();
        // The shortest input is the best example.
        let shorter = |text: &[u8]| known.as_ref().is_none_or(|it| text.len() < it.bytes.len());
        if let Some(text) = let_through.filter(|text| shorter(text)) {
            *known = Some(LetThrough::new(fault, test_case, text.to_vec()));
        }
    }
    let oracle = "a valid input with one fault, which every problem forbids";
    let mut strictness = Strictness { oracle: oracle.to_owned(), ..Strictness::default() };
    kinds.into_values().for_each(|let_through| strictness.add(let_through));
    strictness
}

/// How many changes of the package's grammars its valid and invalid inputs notice: a stricter grammar refuses a valid
/// input, a laxer one accepts an invalid one. Each change that goes unnoticed comes with an input that would notice
/// it.
///
/// # Errors
/// If an input cannot be read, it was interrupted, or the judge failed.
pub fn noticed_changes(bench: Bench<'_>, seed: u64) -> Result<Strictness, Stop> {
    let problem = bench.problem;
    let grammars = input_grammars(problem)?;
    if grammars.is_empty() {
        return Ok(Strictness::untried("no grammar of the input (.ctd)"));
    }
    let read =
        |case: &TestCase| Ok(case.input.read().map_err(JudgeError::on("read", &case.input))?);
    let all = |cases: &[TestCase]| cases.iter().map(read).collect::<Result<Vec<_>, Stop>>();
    let data = &problem.test_data;
    let valid = [all(&data.cases)?, all(&data.valid_inputs)?].concat();
    let invalid = all(&data.invalid_inputs)?;
    let mut strictness = Strictness {
        oracle:
            "an input that only one of the two accepts: the grammar, or the grammar with the change"
                .to_owned(),
        ..Strictness::default()
    };
    let programs =
        InputValidators::build(bench, &problem.input_validators, ValidatorArgs::default());
    let programs = noting(programs, &mut Vec::new())?;
    let validity = Validity::new(grammars.iter().collect(), programs);
    for grammar in &grammars {
        notice(&mut strictness, (grammar, &validity), bench.executor, [&valid, &invalid], seed)?;
    }
    Ok(strictness)
}

fn notice(
    strictness: &mut Strictness,
    (grammar, validity): (&Grammar, &Validity<'_>),
    executor: &dyn Executor,
    [valid, invalid]: [&[Vec<u8>]; 2],
    seed: u64,
) -> Result<(), Stop> {
    let path = grammar.source.path.file_name().unwrap_or_default().to_string_lossy();
    let mutants = mutants(grammar);
    let found = parallel::map(executor, &mutants, |mutant| {
        let inputs = if mutant.is_looser { invalid } else { valid };
        if inputs.iter().any(|input| mutant.differs(grammar, input)) {
            return Ok((true, None));
        }
        let input = mutant.told_apart(grammar, seed).0;
        // An input that only a stricter grammar refuses must be valid.
        match input {
            Some(input) if !mutant.is_looser && !validity.allows(&(&*input).into())? => {
                Ok((false, None))
            }
            input => Ok((false, input)),
        }
    })?;
    for (mutant, (noticed, input)) in mutants.iter().zip(found) {
        let on = format!("{path}:{}", mutant.line);
        match (noticed, input) {
            (true, _) => strictness.add(None),
            (false, Some(input)) => {
                strictness.add(Some(LetThrough::new(mutant.name.clone(), on, input)));
            }
            (false, None) => strictness.equivalent.push(format!("{} ({on})", mutant.name)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::executor::scripted::Scripted;
    use crate::grammar::compile::read;

    #[test]
    fn a_kind_that_is_refused_once_only_is_let_through() {
        let faulty = |fault: &str, text: Option<&str>| FaultyInput {
            fault: fault.to_owned(),
            test_case: "secret/1".to_owned(),
            let_through: text.map(|text| Arc::from(text.as_bytes())),
        };
        let strictness = by_kind(vec![
            faulty("a tab", None),
            faulty("a blank", None),
            faulty("a tab", Some("1\t22\n")),
            faulty("a tab", Some("1\t2\n")),
        ]);
        assert_eq!((strictness.refused, strictness.faults), (1, 2));
        let let_through = &strictness.let_through[0];
        assert_eq!((&*let_through.fault, &*let_through.text), ("a tab", "1\t2\n"));
    }

    /// Checks which changes of a grammar the data does not notice.
    fn check(grammar: &str, valid: &[&str], invalid: &[&str], refused: u64, missed: &[&str]) {
        let grammar = read(Path::new("g.ctd"), grammar.as_bytes()).grammar.unwrap();
        let executor = Scripted::new(1, |_| panic!("nothing is run"));
        let bytes = |texts: &[&str]| -> Vec<Vec<u8>> {
            texts.iter().map(|text| text.as_bytes().to_vec()).collect()
        };
        let mut found = Strictness::default();
        let data = [&*bytes(valid), &bytes(invalid)];
        let validity = Validity::new(vec![&grammar], None);
        notice(&mut found, (&grammar, &validity), &executor, data, 1).unwrap();
        let told: Vec<String> = found
            .let_through
            .iter()
            .map(|it| format!("{}: {} at {}", it.fault, it.text.trim_end(), it.on))
            .collect();
        assert_eq!(told, missed);
        assert_eq!((found.refused, found.faults), (refused, refused + missed.len() as u64));
    }

    #[test]
    fn data_at_its_bounds_notices_changes_of_the_grammar() {
        let grammar = "INT(1, 3, n) NEWLINE ASSERT(n != 2)";
        check(grammar, &["1\n", "3\n"], &["0\n", "2\n", "4\n"], 5, &[]);
        check(
            grammar,
            &["1\n"],
            &["0\n", "x\n"],
            2,
            &[
                "n may be one more: 4 at g.ctd:1",
                "n must be one less: 3 at g.ctd:1",
                "ASSERT(n != 2) is left out: 2 at g.ctd:1",
            ],
        );
    }
}
