//! Every verdict on every case of a small problem: what is proved by some runs holds for all.

use super::*;
use crate::executor::scripted::quiet_outcome;
use crate::judge::expect::broken;
use crate::model::judgement::Judgement;
use crate::model::outcome::Outcome;
use crate::model::repeats::Repeats;
use crate::model::submission::{Overall, UseForTimeLimit};

const CASES: [Unproved<'_>; 4] = [
    Unproved { name: "sample/1", size: 4 },
    Unproved { name: "secret/easy/1", size: 10 },
    Unproved { name: "secret/easy/2", size: 30 },
    Unproved { name: "secret/hard/1", size: 20 },
];
const SLOW: Duration = Duration::from_millis(1500);

fn verdict(letter: char) -> Verdict {
    match letter {
        'a' => Verdict::Accepted,
        // `S` may be otherwise in another run.
        'w' | 'S' => Verdict::WrongAnswer,
        // `T` is too slow by the margin, `t` is not.
        't' | 'T' => Verdict::TimeLimitExceeded,
        'r' => Verdict::RunTimeError,
        _ => Verdict::MemoryLimitExceeded,
    }
}

fn verdicts(letters: &str) -> Option<Vec<Verdict>> {
    (letters != "-").then(|| letters.chars().map(verdict).collect())
}

fn rule(cases: &str, permitted: &str, required: &str) -> Expectation {
    Expectation {
        pattern: "p".to_owned(),
        cases: (cases != "-").then(|| cases.to_owned()),
        permitted: verdicts(permitted),
        required: verdicts(required),
        ..Expectation::default()
    }
}

fn overall(letters: &str) -> Expectation {
    let verdicts = letters.chars().map(verdict).collect();
    Expectation { overall: Some(Overall { verdicts, is_partial: false }), ..rule("-", "-", "-") }
}

fn says(message: &str) -> Expectation {
    Expectation { message: Some(message.to_owned()), ..rule("-", "-", "-") }
}

fn upper(rule: Expectation) -> Expectation {
    Expectation { use_for_time_limit: UseForTimeLimit::Upper, ..rule }
}

fn never(rule: Expectation) -> Expectation {
    Expectation { use_for_time_limit: UseForTimeLimit::Never, ..rule }
}

fn case(index: usize, letter: char) -> CaseJudgement {
    let cpu_time = match letter {
        'T' => SLOW,
        't' => Duration::from_millis(1100),
        _ => Duration::from_millis(1),
    };
    CaseJudgement {
        test_case: CASES[index].name.to_owned(),
        verdict: verdict(letter),
        cause: String::new(),
        message: format!("said {letter}"),
        is_told: true,
        team_message: String::new(),
        with_margin: None,
        repeats: (letter == 'S')
            .then(|| Box::new(Repeats { is_sensitive: true, runs: Vec::new() })),
        score: None,
        difference: None,
        evidence: None,
        outcome: Some(Outcome { cpu_time, ..quiet_outcome() }),
    }
}

/// Whether a rule is broken by these runs, by index, if the others are left out.
fn is_broken(rules: &[Expectation], runs: &[Option<char>]) -> bool {
    let cases = runs.iter().enumerate();
    let cases: Vec<CaseJudgement> =
        cases.filter_map(|(index, letter)| Some(case(index, (*letter)?))).collect();
    let mut rejections = cases.iter().map(|case| case.verdict);
    let verdict = rejections.find(|verdict| *verdict != Verdict::Accepted);
    let judgement = Judgement {
        submission: "s".to_owned(),
        path: "s".into(),
        verdict: verdict.unwrap_or(Verdict::Accepted),
        score: None,
        skipped: runs.len() - cases.len(),
        spared: 0,
        cases: cases.into(),
        compiler: None,
        broken: Vec::new(),
    };
    !broken(rules, &judgement, &CASES.map(|case| case.name)).is_empty()
}

/// How many runs prove it if cases come to this, in judging order.
fn runs(rules: &[Expectation], letters: &[char]) -> usize {
    let Some(mut proof) = Proof::of(rules, &CASES, SLOW) else { return letters.len() };
    for taken in 0..letters.len() {
        let index = proof.order()[taken];
        if proof.take(&case(index, letters[index])) {
            return taken + 1;
        }
    }
    letters.len()
}

/// All that these cases can come to.
fn all() -> impl Iterator<Item = Vec<char>> {
    const LETTERS: [char; 6] = ['a', 'w', 't', 'T', 'r', 'm'];
    (0..LETTERS.len().pow(4)).map(|number| {
        (0..4).map(|place| LETTERS[number / LETTERS.len().pow(place) % LETTERS.len()]).collect()
    })
}

/// Whether a rule that asks for too slow runs would see no run that is too slow by the margin, though it asks for one.
fn is_doubtful(rules: &[Expectation], letters: &[char]) -> bool {
    rules.iter().filter(|rule| is_upper(rule)).any(|rule| {
        let means = means(rule);
        let mut about = (0..4).filter(|index| means(CASES[*index].name)).peekable();
        about.peek().is_some() && !about.any(|index| letters[index] == 'T')
    })
}

#[test]
fn what_some_runs_prove_holds_whatever_the_others_come_to() {
    let sets: [&[Expectation]; 20] = [
        &[rule("-", "-", "wtr")],
        &[rule("-", "-", "t")],
        &[never(rule("-", "-", "t"))],
        &[rule("-", "-", "a")],
        &[rule("-", "a", "-")],
        &[rule("-", "at", "t")],
        &[rule("-", "aw", "w")],
        &[rule("-", "awtr", "w")],
        &[rule("sample", "a", "-"), rule("-", "-", "t")],
        &[rule("secret/easy", "-", "w"), rule("secret/hard", "-", "t")],
        &[rule("secret/none", "-", "w"), rule("-", "-", "r")],
        &[rule("secret/easy", "aw", "-"), never(rule("secret/easy", "-", "t"))],
        &[overall("a")],
        &[overall("w")],
        &[overall("tr")],
        &[overall("w"), rule("secret/easy", "aw", "-")],
        &[says("w")],
        &[says("")],
        &[upper(rule("-", "-", "w"))],
        &[upper(rule("secret/hard", "-", "-")), rule("-", "-", "wtr")],
    ];
    for rules in sets {
        for letters in all() {
            let number = runs(rules, &letters);
            let whole: Vec<Option<char>> = letters.iter().copied().map(Some).collect();
            if number == letters.len() {
                continue;
            }
            let shown = format!("{rules:?} on {letters:?} after {number}");
            assert!(!is_broken(rules, &whole), "{shown}: broken by all");
            assert!(!is_doubtful(rules, &letters), "{shown}: doubtful by all");
            let proof = Proof::of(rules, &CASES, SLOW).expect("something is left out");
            let mut some: Vec<Option<char>> = vec![None; letters.len()];
            proof.order()[..number].iter().for_each(|index| some[*index] = whole[*index]);
            assert!(!is_broken(rules, &some), "{shown}: broken by some");
            assert!(some.iter().flatten().any(|letter| *letter != 'a'), "{shown}: accepted");
        }
    }
}

#[test]
fn nothing_runs_that_proves_nothing() {
    let check = |rules: &[Expectation], letters: &str, expected: usize| {
        let letters: Vec<char> = letters.chars().collect();
        assert_eq!(runs(rules, &letters), expected, "{rules:?} on {letters:?}");
    };
    // Any rejection: the first one, in order.
    check(&[rule("-", "-", "wtr")], "awaa", 2);
    check(&[rule("-", "-", "wtr")], "maaa", 1);
    check(&[rule("-", "-", "wtr")], "aaaa", 4);
    check(&[rule("-", "-", "wtr")], "Swaa", 2);
    // Too slow: the largest case first, until one is so by the margin.
    check(&[rule("-", "-", "t")], "aaTa", 1);
    check(&[rule("-", "-", "t")], "aatT", 2);
    check(&[never(rule("-", "-", "t"))], "aatT", 1);
    check(&[rule("-", "-", "t")], "aatt", 4);
    // Where other verdicts are not permitted, all must be seen; where rules are about some, those.
    check(&[rule("-", "at", "t")], "aaTT", 4);
    check(&[rule("-", "aw", "w")], "wwww", 4);
    check(&[rule("sample", "a", "-"), rule("-", "-", "t")], "aaTa", 2);
    check(&[rule("sample", "a", "-"), rule("-", "-", "t")], "waTa", 4);
    // A rule about few cases has them first.
    check(&[rule("secret/hard", "-", "t")], "aaaT", 1);
    check(&[rule("secret/easy", "-", "w"), rule("secret/hard", "-", "w")], "awaw", 4);
    // A case for each rule before a second one for any.
    let two = [never(rule("sample", "-", "t")), never(rule("secret/easy", "-", "t"))];
    check(&two, "tTTa", 2);
    // As a whole: the first rejection, in judging order.
    check(&[overall("t")], "atww", 2);
    check(&[overall("w")], "atww", 4);
    check(&[overall("a")], "atww", 4);
    check(&[overall("w"), rule("secret/easy", "aw", "-")], "waaa", 3);
    check(&[says("w")], "aarw", 4);
    check(&[says("r")], "arww", 2);
    // Without a rule, or with one that asks for nothing, nothing is left out.
    check(&[], "wwww", 4);
    check(&[rule("-", "-", "-")], "wwww", 4);
}
