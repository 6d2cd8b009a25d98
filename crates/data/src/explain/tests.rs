//! Wrong programs with known faults, as functions, and the explanation of each.

use std::path::Path;
use std::sync::Arc;

use crate::explain::study::study;
use crate::explain::subject::{InputJudge, InputResult};
use juror_core::explanation::ExplanationKind;
use juror_core::stop::Stop;
use juror_grammar::compile::parse_grammar;
use juror_grammar::program::Grammar;

/// Maps numbers to words; None for a crash.
type Program = fn(&[i64]) -> Option<String>;

struct ProgramPair {
    right: Program,
    wrong: Program,
}

impl InputJudge for ProgramPair {
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<InputResult>, Stop> {
        let judged = inputs.into_iter().map(|input| {
            let text = String::from_utf8_lossy(&input).into_owned();
            let mut numbers: Vec<i64> = Vec::new();
            for word in text.split_whitespace() {
                match word.parse() {
                    Ok(number) => numbers.push(number),
                    Err(_) => numbers.extend(word.bytes().map(i64::from)),
                }
            }
            let answer = (self.right)(&numbers).expect("a right program answers");
            let fails = (self.wrong)(&numbers).as_ref() != Some(&answer);
            InputResult { input, answer: Some(answer.into_bytes().into()), fails }
        });
        Ok(judged.collect())
    }

    fn is_over(&self) -> bool {
        false
    }
}

fn grammar(text: &str) -> Grammar {
    parse_grammar(Path::new("g.ctd"), text.as_bytes()).grammar.expect("a grammar")
}

/// Checks the explanation: the hypothesis, after `only` if it is merely necessary; empty if there is none.
#[track_caller]
fn check(grammar_text: &str, right: Program, wrong: Program, wanted: &str) {
    check_from(grammar_text, right, wrong, &[], wanted);
}

/// The same with inputs that were judged before.
#[track_caller]
fn check_from(
    grammar_text: &str,
    right: Program,
    wrong: Program,
    known: &[&'static str],
    wanted: &str,
) {
    let subject = ProgramPair { right, wrong };
    let known = known.iter().map(|text| Arc::from(text.as_bytes())).collect();
    let known = subject.judge(known).expect("judged");
    let studied = study("", &grammar(grammar_text), &subject, known, 1).expect("judged");
    let explained = studied.explanation.as_ref().map(|explanation| match explanation.kind {
        ExplanationKind::Exactly => explanation.statement.clone(),
        ExplanationKind::OnlyIf => format!("only {}", explanation.statement),
    });
    assert_eq!(explained.unwrap_or_default(), wanted, "{studied:?}");
}

const SIGNED: &str = "INT(1,100,n) NEWLINE REPI(i,n,SPACE) INT(-1000,1000,a[i]) END NEWLINE";
const POSITIVE: &str = "INT(1,100,n) NEWLINE REPI(i,n,SPACE) INT(1,200,a[i]) END NEWLINE";
const LARGE: &str = "INT(1,100,n) NEWLINE REPI(i,n,SPACE) INT(0,1000000000,a[i]) END NEWLINE";
const MIDDLE: &str = "INT(1,60,n) NEWLINE REPI(i,n,SPACE) INT(0,1000000,a[i]) END NEWLINE";
const TWO: &str = "INT(-50,50,a) SPACE INT(-50,50,b) NEWLINE";
const CASES: &str =
    "INT(1,20,t) NEWLINE REP(t) INT(1,30,n) NEWLINE REPI(i,n,SPACE) INT(1,99,a[i]) END NEWLINE END";
const TEXT: &str = "REGEX(\"[a-e]{1,20}\", s) NEWLINE";

fn sum(numbers: &[i64]) -> Option<String> {
    Some(numbers[1..].iter().sum::<i64>().to_string())
}

fn both(numbers: &[i64]) -> Option<String> {
    Some((numbers[0] + numbers[1]).to_string())
}

fn greatest(numbers: &[i64]) -> Option<String> {
    numbers[1..].iter().max().map(i64::to_string)
}

fn unless(is_bad: bool, right: Option<String>) -> Option<String> {
    right.filter(|_| !is_bad)
}

fn case_list(numbers: &[i64]) -> Vec<&[i64]> {
    let mut rest = &numbers[1..];
    let mut all = Vec::new();
    while let [n, more @ ..] = rest {
        let (case, others) = more.split_at(*n as usize);
        all.push(case);
        rest = others;
    }
    all
}

fn lines(lines: impl Iterator<Item = i64>) -> Option<String> {
    Some(lines.map(|line| format!("{line}\n")).collect())
}

fn sums(numbers: &[i64]) -> Option<String> {
    lines(case_list(numbers).iter().map(|case| case.iter().sum()))
}

/// The result of the coin game for both players, who take from the ends.
fn game(numbers: &[i64]) -> Option<String> {
    let row = &numbers[1..];
    let n = row.len();
    let mut lead = row.to_vec();
    for width in 1..n {
        for at in 0..n - width {
            lead[at] = (row[at] - lead[at + 1]).max(row[at + width] - lead[at]);
        }
    }
    let total: i64 = row.iter().sum();
    Some(format!("{} {}", (total + lead[0]) / 2, (total - lead[0]) / 2))
}

fn greedy(numbers: &[i64]) -> Option<String> {
    let mut row = &numbers[1..];
    let mut got = [0, 0];
    for turn in 0..row.len() {
        let (first, last) = (row[0], row[row.len() - 1]);
        got[turn % 2] += first.max(last);
        row = if first > last { &row[1..] } else { &row[..row.len() - 1] };
    }
    Some(format!("{} {}", got[0], got[1]))
}

#[test]
fn faults_of_size_are_explained() {
    check(SIGNED, sum, |input| unless(input[0] % 2 == 1, sum(input)), "n is odd");
    check(SIGNED, sum, |input| unless(input[0] % 2 == 0, sum(input)), "n is even");
    check(SIGNED, sum, |input| unless(input[0] == 1, sum(input)), "n is 1");
    check(SIGNED, sum, |input| unless(input[0] == 100, sum(input)), "n is 100");
    check(SIGNED, sum, |input| unless(input[0] > 64, sum(input)), "n is at least 65");
    check(SIGNED, sum, |input| unless(input[0] < 4, sum(input)), "n is at most 3");
    check(SIGNED, sum, |input| unless(input[0] == 7, sum(input)), "n is 7");
    check(
        SIGNED,
        sum,
        |input| unless(input[0] & (input[0] - 1) == 0, sum(input)),
        "n is a power of two",
    );
    let large = |input: &[i64]| unless(input[0] & (input[0] - 1) == 0 && input[0] >= 8, sum(input));
    check(SIGNED, sum, large, "n is at least 8 and n is a power of two");
    // A program that takes numbers in pairs loses the last one; no harm is done if it is zero.
    check(
        SIGNED,
        sum,
        |input| sum(&input[..input.len() - (input[0] % 2) as usize]),
        "only n is odd",
    );
    check(SIGNED, sum, |input| sum(&input[..input.len().min(65)]), "only n is at least 65");
}

#[test]
fn faults_of_values_are_explained() {
    let zero_at_first =
        |input: &[i64]| input[1..].iter().copied().max().map(|most| most.max(0).to_string());
    check(SIGNED, greatest, zero_at_first, "all values of a are negative");
    let without_signs =
        |input: &[i64]| Some(input[1..].iter().map(|value| value.abs()).sum::<i64>().to_string());
    check(SIGNED, sum, without_signs, "a value of a is negative");
    check(SIGNED, sum, |input| unless(input[1..].contains(&0), sum(input)), "a value of a is zero");
    check(
        SIGNED,
        sum,
        |input| unless(input[1..].contains(&1000), sum(input)),
        "a value of a is 1000",
    );
    let least = |input: &[i64]| input[1..].iter().min().map(i64::to_string);
    let late =
        |input: &[i64]| input[1..].iter().copied().min().map(|least| least.min(0).to_string());
    check(SIGNED, least, late, "all values of a are positive");
    check(
        SIGNED,
        sum,
        |input| unless(input[1..].iter().sum::<i64>() == 0, sum(input)),
        "the sum of a is 0",
    );
    check(
        SIGNED,
        sum,
        |input| unless(input[1..].iter().sum::<i64>() < 0, sum(input)),
        "the sum of a is negative",
    );
    // A program that stops at a zero is right if the rest has the sum zero.
    let until_zero = |input: &[i64]| {
        Some(input[1..].iter().take_while(|value| **value != 0).sum::<i64>().to_string())
    };
    check(SIGNED, sum, until_zero, "only a value of a is zero");
}

#[test]
fn faults_of_order_are_explained() {
    fn tied(input: &[i64]) -> bool {
        (1..input.len()).any(|at| input[1..at].contains(&input[at]))
    }
    check(POSITIVE, sum, |input| unless(tied(input), sum(input)), "two values of a are equal");
    let equal = |input: &[i64]| {
        unless(input.len() > 2 && input[1..].iter().all(|x| *x == input[1]), sum(input))
    };
    check(POSITIVE, sum, equal, "all values of a are equal");
    let neighbours =
        |input: &[i64]| unless(input[1..].windows(2).any(|pair| pair[0] == pair[1]), sum(input));
    check(POSITIVE, sum, neighbours, "two neighbours in a are equal");
    let sorted = |input: &[i64]| unless(input.len() > 2 && input[1..].is_sorted(), sum(input));
    check(POSITIVE, sum, sorted, "a is sorted");
    let not_sorted = |input: &[i64]| input.last().map(i64::to_string);
    // Most inputs are not sorted, so this would say little.
    check(POSITIVE, greatest, not_sorted, "");
    let ends =
        |input: &[i64]| unless(input.len() > 2 && input[1] == input[input.len() - 1], sum(input));
    check(POSITIVE, sum, ends, "the first and the last value of a are equal");
    let distinct = |input: &[i64]| {
        let unique: std::collections::BTreeSet<i64> = input[1..].iter().copied().collect();
        Some(unique.iter().sum::<i64>().to_string())
    };
    check(POSITIVE, sum, distinct, "two values of a are equal");
}

#[test]
fn faults_of_types_are_explained() {
    let byte = |input: &[i64]| Some((input[1..].iter().sum::<i64>() as u8).to_string());
    check(POSITIVE, sum, byte, "the sum of a is at least 256");
    let int = |input: &[i64]| Some((input[1..].iter().sum::<i64>() as i32).to_string());
    check(LARGE, sum, int, "the sum of a is at least 2147483648");
    let unsigned = |input: &[i64]| Some((input[1..].iter().sum::<i64>() as u32).to_string());
    check(LARGE, sum, unsigned, "the sum of a is at least 4294967296");
    let float = |input: &[i64]| Some((input[1..].iter().sum::<i64>() as f32 as i64).to_string());
    check(MIDDLE, sum, float, "only the sum of a is at least 16777217");
    let byte_cells = |input: &[i64]| {
        Some(input[1..].iter().map(|x| i64::from(*x as i8)).sum::<i64>().to_string())
    };
    check(POSITIVE, sum, byte_cells, "a value of a is at least 128");
    fn scores(input: &[i64]) -> Option<String> {
        game(input).map(|answer| {
            answer
                .split(' ')
                .map(|word| (word.parse::<i64>().unwrap() as u8).to_string() + " ")
                .collect::<String>()
                .trim()
                .to_owned()
        })
    }
    check(POSITIVE, game, scores, "the greatest number of the answer is at least 256");
}

#[test]
fn faults_of_several_test_cases_are_explained() {
    check(
        CASES,
        sums,
        |input| lines(case_list(input)[..1].iter().map(|case| case.iter().sum())),
        "there are at least 2 test cases",
    );
    check(
        CASES,
        sums,
        |input| lines(case_list(input).iter().take(5).map(|case| case.iter().sum())),
        "there are at least 6 test cases",
    );
    let kept = |input: &[i64]| {
        let mut total = 0;
        lines(case_list(input).into_iter().map(move |case| {
            total += case.iter().sum::<i64>();
            total
        }))
    };
    check(CASES, sums, kept, "there are at least 2 test cases");
    check(
        CASES,
        sums,
        |input| unless(case_list(input).iter().any(|case| case.len() % 2 == 1), sums(input)),
        "in a test case n is odd",
    );
    check(
        CASES,
        sums,
        |input| {
            unless(
                case_list(input).windows(2).any(|pair| pair[1].len() < pair[0].len()),
                sums(input),
            )
        },
        "a test case has a smaller n than the one before",
    );
    check(
        CASES,
        sums,
        |input| {
            unless(
                case_list(input).iter().any(|c| c.len() > case_list(input)[0].len()),
                sums(input),
            )
        },
        "a test case has a larger n than the first",
    );
    check(
        CASES,
        sums,
        |input| unless(case_list(input).iter().any(|case| case.len() == 30), sums(input)),
        "in a test case n is 30",
    );
}

#[test]
fn two_reasons_are_explained_together() {
    check(
        POSITIVE,
        sum,
        |input| {
            unless(
                input[0] % 2 == 1 && input.len() > 2 && input[1] == input[input.len() - 1],
                sum(input),
            )
        },
        "n is odd and the first and the last value of a are equal",
    );
    check(
        SIGNED,
        sum,
        |input| unless(input[0] % 2 == 0 && input[1..].contains(&0), sum(input)),
        "n is even and a value of a is zero",
    );
    check(
        SIGNED,
        sum,
        |input| unless(input[0] > 10 && input[1..].iter().sum::<i64>() < 0, sum(input)),
        "n is at least 11 and the sum of a is negative",
    );
    check(
        CASES,
        sums,
        |input| {
            unless(
                case_list(input).iter().any(|case| case.len() % 2 == 1 && case.contains(&99)),
                sums(input),
            )
        },
        "in a test case n is odd and a value of a is 99",
    );
}

#[test]
fn faults_in_texts_and_answers_are_explained() {
    fn length(input: &[i64]) -> Option<String> {
        Some(input.len().to_string())
    }
    check(
        TEXT,
        length,
        |input| unless(input.len() > 1 && input.iter().eq(input.iter().rev()), length(input)),
        "s reads the same backwards",
    );
    check(
        TEXT,
        length,
        |input| unless(input.len() % 2 == 1, length(input)),
        "s has an odd number of values",
    );
    // The winner's score comes first.
    let winner = |input: &[i64]| {
        let answer = game(input)?;
        let (one, two) = answer.split_once(' ')?;
        let (one, two): (i64, i64) = (one.parse().ok()?, two.parse().ok()?);
        Some(format!("{} {}", one.max(two), one.min(two)))
    };
    check(POSITIVE, game, winner, "the first number of the answer is smaller than the second");
    check(
        SIGNED,
        sum,
        |input| unless(input[1..].iter().sum::<i64>() == -1, sum(input)),
        "the sum of a is -1",
    );
    check(TWO, both, |input| unless(input[0] == input[1], both(input)), "a and b are equal");
    check(TWO, both, |input| unless(input[0] < input[1], both(input)), "a is smaller than b");
    let large = "a is at least 10 and a and b are equal";
    let wrong = |input: &[i64]| unless(input[0] == input[1] && input[0] > 9, both(input));
    check_from(TWO, both, wrong, &["10 10\n"], large);
}

#[test]
fn a_failure_without_a_simple_reason_is_not_explained() {
    check(POSITIVE, game, greedy, "");
    check(SIGNED, sum, |input| unless(input[1..].iter().sum::<i64>() % 7 == 0, sum(input)), "");
    check(SIGNED, sum, |input| unless((input[1] * 31 + input[0]) % 3 == 0, sum(input)), "");
    check(SIGNED, sum, sum, "");
    check(SIGNED, sum, |_| None, "");
    // Three different faults.
    check(
        SIGNED,
        sum,
        |input| {
            unless(
                input[0] % 3 == 0 || input[1..].iter().sum::<i64>() > 500 || input[1] == 7,
                sum(input),
            )
        },
        "",
    );
}
