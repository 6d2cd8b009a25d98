//! The features that inputs can have, in the grammar's names, and which of them the test cases have; and the bounds of
//! numbers that they reach.

use std::path::Path;
use std::sync::Arc;

use crate::explain::features::{Feature, FeatureRow, Features, FigureKind};
use crate::explain::hypothesis::{Atom, FigureTest, Hypothesis};
use crate::inputs::by_grammar;
use crate::inputs::candidates::{CandidateContent, CandidateSource, SourceMix};
use crate::inputs::numbers::special_numbers;
use crate::strength::pool::LONGEST_INPUT;
use crate::strength::result::InputFeature;
use crate::validity::Validity;
use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;
use juror_grammar::tree::parse;
use juror_judging::judge::case::CaseTexts;

const DRAWN_INPUTS: usize = 300;

struct WantedFeature {
    hypothesis: Hypothesis,
    test_case: Option<String>,
    example: Option<Arc<[u8]>>,
}

impl WantedFeature {
    fn is_found(&self) -> bool {
        self.test_case.is_some() || self.example.is_some()
    }
}

/// Finds features of valid inputs, each with an input that has it: from a test case, else from the pool, else
/// drawn. `None` if the time is over before all test cases are read. If it is over later, fewer inputs are drawn.
pub fn find_features(
    validity: &Validity<'_>,
    seed: u64,
    is_over: &dyn Fn() -> bool,
    cases: impl Iterator<Item = Result<Option<(String, CaseTexts)>, JudgeError>>,
    pool: &[CaseTexts],
) -> Result<Option<Vec<InputFeature>>, Stop> {
    let Some(&grammar) = validity.grammars.first() else { return Ok(Some(Vec::new())) };
    let features = Features::new(grammar);
    let rows = |input: &[u8], answer: Option<&[u8]>| {
        let tree = parse(grammar, input, Path::new("input")).ok()?;
        Some(features.rows(&tree, input, answer))
    };
    let mut wanted = wanted_features(&features);
    let mut is_measured = vec![false; features.features.len()];
    for case in cases {
        if is_over() {
            return Ok(None);
        }
        let Some((name, CaseTexts { input, answer })) = case? else { continue };
        let Some(rows) = rows(&input, Some(&answer)) else { continue };
        for (feature, is_measured) in is_measured.iter_mut().enumerate() {
            *is_measured |= rows.iter().any(|row| row[feature].is_some());
        }
        for feature in newly_found(&mut wanted, &rows) {
            feature.test_case = Some(name.clone());
        }
    }
    // A short input may happen to have an answer of two numbers.
    wanted.retain(|feature| {
        let is_usual =
            |at: usize| is_measured[at] || !features.features[at].kind.depends_on_answer();
        feature.hypothesis.atoms.iter().all(|atom| is_usual(atom.feature))
    });
    let known = pool.iter().map(|texts| (Arc::clone(&texts.input), Some(&*texts.answer)));
    let mut mix = SourceMix::default();
    let numbers = special_numbers([], &[], []);
    by_grammar::add_sources(&mut mix, grammar, seed, Some(LONGEST_INPUT), &numbers);
    let drawn = std::iter::from_fn(|| mix.next(is_over).transpose()).take(DRAWN_INPUTS);
    let drawn = drawn.filter_map(|candidate| match candidate {
        Ok(candidate) => match candidate.written(Some(grammar), is_over)?.content {
            CandidateContent::Text(text) => Some(Ok((text, None))),
            _ => None,
        },
        Err(stop) => Some(Err(stop)),
    });
    for input in known.map(Ok).chain(drawn) {
        let (input, answer) = input?;
        if wanted.iter().all(WantedFeature::is_found) || is_over() {
            break;
        }
        let Some(rows) = rows(&input, answer) else { continue };
        let is_of_use = newly_found(&mut wanted, &rows).next().is_some();
        if is_of_use && validity.accepts(&input)? {
            newly_found(&mut wanted, &rows).for_each(|new| new.example = Some(Arc::clone(&input)));
        }
    }
    let feature = |wanted: WantedFeature| {
        let about = wanted.hypothesis.text(&features);
        wanted
            .is_found()
            .then(|| InputFeature::new(about, wanted.test_case, wanted.example.as_deref()))
    };
    Ok(Some(wanted.into_iter().filter_map(feature).collect()))
}

fn newly_found<'w>(
    wanted: &'w mut [WantedFeature],
    rows: &[FeatureRow],
) -> impl Iterator<Item = &'w mut WantedFeature> {
    wanted.iter_mut().filter(move |feature| !feature.is_found() && feature.hypothesis.holds(rows))
}

/// Both values of each yes/no feature; for sizes, odd or even, and one off a bound. The bounds themselves are a part
/// of the score.
fn wanted_features(features: &Features<'_>) -> Vec<WantedFeature> {
    let tests = |feature: &Feature| -> Vec<FigureTest> {
        match feature.kind {
            FigureKind::Value if !features.is_count(feature) => Vec::new(),
            FigureKind::Value | FigureKind::Length | FigureKind::Cases => {
                let beside = feature.min.zip(feature.max).filter(|(min, max)| max - min > 2);
                let beside = beside
                    .map(|(min, max)| [FigureTest::Equals(min + 1), FigureTest::Equals(max - 1)]);
                [FigureTest::Odd, FigureTest::Even]
                    .into_iter()
                    .chain(beside.into_iter().flatten())
                    .collect()
            }
            about if about.is_number() => Vec::new(),
            _ => vec![FigureTest::Yes, FigureTest::No],
        }
    };
    let mut all = Vec::new();
    for (index, feature) in features.features.iter().enumerate() {
        all.extend(tests(feature).into_iter().map(|test| WantedFeature {
            hypothesis: Hypothesis { atoms: vec![Atom { feature: index, test }] },
            test_case: None,
            example: None,
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_grammar::compile::parse_grammar;

    #[test]
    fn answers_of_two_numbers_count_only_if_a_test_case_has_one() {
        let reading = parse_grammar(Path::new("g.ctd"), b"REP(2) INT(0, 9) NEWLINE END");
        let grammar = reading.grammar.unwrap();
        let validity = Validity::of_grammars(vec![&grammar]);
        let check = |answer: &str, is_expected: bool| {
            let texts = |answer: &str| CaseTexts {
                input: Arc::from(&b"1\n2\n"[..]),
                answer: answer.as_bytes().into(),
            };
            let case = Ok(Some(("sample/1".to_owned(), texts(answer))));
            let (cases, pool) = (std::iter::once(case), [texts("3 3\n")]);
            let found = find_features(&validity, 1, &|| false, cases, &pool).unwrap().unwrap();
            let named =
                |feature: &InputFeature| feature.about.contains("both numbers of the answer");
            assert_eq!(found.iter().any(named), is_expected, "{answer}");
        };
        check("1 2\n", true);
        check("1 2 3\n", false);
        check("7\n", false);
    }
}
