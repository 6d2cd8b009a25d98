//! All verdicts on all cases of a small problem: what some runs prove holds for all runs.

use super::*;
use crate::judge::expect::broken_expectations;
use crate::judge::score::{CaseResult, ScoringScheme, score_by_rules};
use juror_core::judgement::Judgement;
use juror_core::outcome::{StopReason, quiet_outcome};
use juror_core::problem::{Grading, Problem};
use juror_core::repeats::Repeats;
use juror_core::score::{Aggregation, GroupScoring, Score, TotalScore};
use juror_core::submission::{OverallExpectation, ScoreRange, UseForTimeLimit};
use juror_core::test_data::{TestCase, TestGroup};

const CASES: [UnprovedCase<'_>; 4] = [
    UnprovedCase { name: "sample/1", size: 4 },
    UnprovedCase { name: "secret/easy/1", size: 10 },
    UnprovedCase { name: "secret/easy/2", size: 30 },
    UnprovedCase { name: "secret/hard/1", size: 20 },
];
const SLOW: Duration = Duration::from_millis(1500);

fn verdict(letter: char) -> Verdict {
    match letter {
        'a' => Verdict::Accepted,
        // `S` may differ in another run.
        'w' | 'S' => Verdict::WrongAnswer,
        // `T` is too slow by the margin, `t` only at the limit. `L` was stopped while others wanted the processor.
        't' | 'T' | 'L' => Verdict::TimeLimitExceeded,
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
    Expectation {
        overall: Some(OverallExpectation { verdicts, is_partial: false }),
        ..rule("-", "-", "-")
    }
}

fn expects_message(message: &str) -> Expectation {
    Expectation { message: Some(message.to_owned()), ..rule("-", "-", "-") }
}

fn upper(rule: Expectation) -> Expectation {
    Expectation { use_for_time_limit: UseForTimeLimit::Upper, ..rule }
}

fn never(rule: Expectation) -> Expectation {
    Expectation { use_for_time_limit: UseForTimeLimit::Never, ..rule }
}

/// Expects this score of the submission or of the named groups.
fn expects_score(cases: &str, points: f64) -> Expectation {
    let score = Score::new(points).unwrap();
    Expectation { score: Some(ScoreRange { from: score, to: score }), ..rule(cases, "-", "-") }
}

/// With scores if `easy` has the aggregation of the group `easy`.
fn problem(easy: Option<Aggregation>) -> Problem {
    let mut problem = Problem::default();
    let Some(easy) = easy else { return problem };
    problem.kind.grading = Grading::Scoring;
    let cases = CASES.map(|case| TestCase { name: case.name.to_owned(), ..TestCase::default() });
    problem.test_data.cases = cases.into();
    for (name, max, aggregation) in [
        ("secret", 100.0, Aggregation::Sum),
        ("secret/easy", 40.0, easy),
        ("secret/hard", 60.0, Aggregation::PassFail),
    ] {
        let max_score = Score::new(max);
        let scoring = Some(GroupScoring { max_score, aggregation, require_pass: Vec::new() });
        problem.test_data.groups.push(TestGroup { name: name.to_owned(), scoring });
    }
    problem
}

fn case(index: usize, letter: char) -> CaseJudgement {
    let cpu_time = match letter {
        'T' | 'L' => SLOW,
        't' => Duration::from_millis(1100),
        _ => Duration::from_millis(1),
    };
    let stopped_by = (letter == 'L').then_some(StopReason::CpuTime);
    CaseJudgement {
        message: format!("said {letter}"),
        repeats: matches!(letter, 'S' | 'L')
            .then(|| Box::new(Repeats { is_sensitive: true, runs: Vec::new() })),
        outcome: Some(Outcome { cpu_time, stopped_by, ..quiet_outcome() }),
        ..CaseJudgement::new(CASES[index].name, verdict(letter))
    }
}

struct ProblemRules<'a> {
    rules: &'a [Expectation],
    problem: &'a Problem,
    scheme: Option<ScoringScheme<'a>>,
}

impl<'a> ProblemRules<'a> {
    fn new(problem: &'a Problem, rules: &'a [Expectation]) -> Self {
        Self { rules, problem, scheme: ScoringScheme::of(problem) }
    }

    fn proof(&self) -> Option<Proof> {
        let brittle =
            self.scheme.as_ref().map(|it| it.all_or_nothing_groups().expect("nothing is required"));
        Proof::of(self.rules, &CASES, brittle.as_deref(), Some(SLOW))
    }

    /// How many runs prove the rules with these results, in judging order.
    fn runs(&self, letters: &[char]) -> usize {
        let Some(mut proof) = self.proof() else { return letters.len() };
        for taken in 0..letters.len() {
            let index = proof.order[taken];
            if proof.add_result(index, &case(index, letters[index])) {
                return taken + 1;
            }
        }
        letters.len()
    }

    /// The score of some runs, by index.
    fn score(&self, runs: &[Option<char>]) -> Option<TotalScore> {
        let scheme = self.scheme.as_ref()?;
        let result = |name: &str| {
            let index = CASES.iter().position(|case| case.name == name)?;
            let verdict = verdict(runs[index]?);
            let scoring = scheme.case_scoring(&self.problem.test_data.cases[index]);
            Some(CaseResult { verdict, score: score_by_rules(scoring, verdict).map(|it| it.score) })
        };
        let custom = |_: &[String], results: &[CaseResult]| Ok(results[0]);
        scheme.total(&result, &custom).expect("a score").score
    }

    /// Whether a rule is broken by these runs.
    fn is_broken(&self, runs: &[Option<char>]) -> bool {
        let cases = runs.iter().enumerate();
        let cases: Vec<CaseJudgement> =
            cases.filter_map(|(index, letter)| Some(case(index, (*letter)?))).collect();
        let mut rejections = cases.iter().map(|case| case.verdict);
        let verdict = rejections.find(|verdict| *verdict != Verdict::Accepted);
        let judgement = Judgement {
            submission: "s".to_owned(),
            path: "s".into(),
            verdict: verdict.unwrap_or(Verdict::Accepted),
            score: self.score(runs),
            skipped: runs.len() - cases.len(),
            spared: 0,
            cases: cases.into(),
            compiler: None,
            warnings: Vec::new(),
            broken: Vec::new(),
        };
        !broken_expectations(self.rules, &judgement, &CASES.map(|case| case.name)).is_empty()
    }
}

fn all() -> impl Iterator<Item = Vec<char>> {
    const LETTERS: [char; 6] = ['a', 'w', 't', 'T', 'r', 'm'];
    (0..LETTERS.len().pow(4)).map(|number| {
        (0..4).map(|index| LETTERS[number / LETTERS.len().pow(index) % LETTERS.len()]).collect()
    })
}

/// Whether the rules need a run that is too slow by the margin, but there is none.
fn is_doubtful(rules: &[Expectation], letters: &[char]) -> bool {
    rules.iter().filter(|rule| is_upper_bound(rule)).any(|rule| {
        let means = case_filter(rule);
        let mut about = (0..4).filter(|index| means(CASES[*index].name)).peekable();
        about.peek().is_some() && !about.any(|index| letters[index] == 'T')
    })
}

#[test]
fn a_proof_holds_whatever_the_other_runs_give() {
    let sets: [&[Expectation]; 24] = [
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
        &[expects_message("w")],
        &[expects_message("")],
        &[upper(rule("-", "-", "w"))],
        &[upper(rule("secret/hard", "-", "-")), rule("-", "-", "wtr")],
        &[expects_score("-", 0.0)],
        &[expects_score("-", 40.0), rule("secret/hard", "-", "t")],
        &[expects_score("secret/easy", 0.0), rule("secret/easy/1", "a", "-")],
        &[expects_score("secret/hard", 0.0), rule("secret/easy", "a", "-"), rule("-", "-", "w")],
    ];
    for easy in [None, Some(Aggregation::PassFail), Some(Aggregation::Min), Some(Aggregation::Sum)]
    {
        let problem = problem(easy);
        sets.iter().for_each(|rules| check_all(&ProblemRules::new(&problem, rules)));
    }
}

/// What some runs prove must hold for all results of the cases.
fn check_all(rules: &ProblemRules<'_>) {
    for letters in all() {
        let number = rules.runs(&letters);
        let whole: Vec<Option<char>> = letters.iter().copied().map(Some).collect();
        if number == letters.len() {
            continue;
        }
        let shown = format!("{:?} on {letters:?} after {number}", rules.rules);
        let is_broken = rules.is_broken(&whole);
        // Also some runs show a wrong score.
        let is_scored = rules.rules.iter().any(|rule| rule.score.is_some());
        assert!(!is_broken || is_scored, "{shown}: broken by all");
        assert!(!is_doubtful(rules.rules, &letters), "{shown}: doubtful by all");
        let proof = rules.proof().expect("something is left out");
        let mut some: Vec<Option<char>> = vec![None; letters.len()];
        proof.order[..number].iter().for_each(|index| some[*index] = whole[*index]);
        assert_eq!(rules.is_broken(&some), is_broken, "{shown}: broken by some");
        assert!(some.iter().flatten().any(|letter| *letter != 'a'), "{shown}: accepted");
        let points = |runs: &[Option<char>]| {
            let total = rules.score(runs)?;
            let groups = total.groups.iter().map(|group| group.score);
            Some((total.score, groups.collect::<Vec<_>>()))
        };
        assert_eq!(points(&some), points(&whole), "{shown}: another score");
    }
}

#[test]
fn runs_that_prove_nothing_are_left_out() {
    let check = |rules: &[Expectation], letters: &str, expected: usize| {
        check_runs(None, rules, letters, expected);
    };
    // Any rejection suffices: the first one, in order.
    check(&[rule("-", "-", "wtr")], "awaa", 2);
    check(&[rule("-", "-", "wtr")], "maaa", 1);
    check(&[rule("-", "-", "wtr")], "aaaa", 4);
    check(&[rule("-", "-", "wtr")], "Swaa", 2);
    check(&[rule("-", "-", "wtr")], "Laaa", 1);
    // Too slow: the largest case first, until one is too slow by the margin.
    check(&[rule("-", "-", "t")], "aaTa", 1);
    check(&[rule("-", "-", "t")], "aatT", 2);
    check(&[never(rule("-", "-", "t"))], "aatT", 1);
    check(&[rule("-", "-", "t")], "aatt", 4);
    // If other verdicts are not permitted, all cases must run, or all cases of those rules.
    check(&[rule("-", "at", "t")], "aaTT", 4);
    check(&[rule("-", "aw", "w")], "wwww", 4);
    check(&[rule("sample", "a", "-"), rule("-", "-", "t")], "aaTa", 2);
    check(&[rule("sample", "a", "-"), rule("-", "-", "t")], "waTa", 4);
    // The cases of a rule about few cases come first.
    check(&[rule("secret/hard", "-", "t")], "aaaT", 1);
    check(&[rule("secret/easy", "-", "w"), rule("secret/hard", "-", "w")], "awaw", 4);
    // Each rule gets a case before any rule gets a second one.
    let two = [never(rule("sample", "-", "t")), never(rule("secret/easy", "-", "t"))];
    check(&two, "tTTa", 2);
    // The submission as a whole: the first rejection in judging order.
    check(&[overall("t")], "atww", 2);
    check(&[overall("w")], "atww", 4);
    check(&[overall("a")], "atww", 4);
    check(&[overall("w"), rule("secret/easy", "aw", "-")], "waaa", 3);
    check(&[expects_message("w")], "aarw", 4);
    check(&[expects_message("r")], "arww", 2);
    // Without a rule, or if rules demand nothing, every case runs.
    check(&[], "wwww", 4);
    check(&[rule("-", "-", "-")], "wwww", 4);
}

/// How many runs prove these rules if the cases have these results.
fn check_runs(easy: Option<Aggregation>, rules: &[Expectation], letters: &str, expected: usize) {
    let letters: Vec<char> = letters.chars().collect();
    let runs = ProblemRules::new(&problem(easy), rules).runs(&letters);
    assert_eq!(runs, expected, "{easy:?}: {rules:?} on {letters:?}");
}

#[test]
fn a_worthless_group_needs_no_other_run() {
    use Aggregation::{Min, PassFail, Sum};
    let check = |rules: &[Expectation], letters: &str, expected: [usize; 2]| {
        for easy in [PassFail, Min] {
            check_runs(Some(easy), rules, letters, expected[0]);
        }
        // In a sum, each case may count.
        check_runs(Some(Sum), rules, letters, expected[1]);
    };
    // The sample has no points and runs first. A rejection that may be chance proves nothing.
    let nothing = [expects_score("-", 0.0)];
    check(&nothing, "awww", [4, 4]);
    let easy = [expects_score("secret/easy", 0.0), rule("secret/hard", "a", "-")];
    check(&easy, "awwa", [3, 4]);
    check(&easy, "aSwa", [4, 4]);
    check(&easy, "aawa", [4, 4]);
    check(&easy, "awwm", [4, 4]);
    // The most informative cases come first: one of each group.
    let slow = [never(rule("secret/easy", "-", "t")), never(rule("secret/hard", "-", "t"))];
    check(&slow, "attt", [3, 4]);
    check(&slow, "aatt", [3, 4]);
    check(&slow, "atat", [4, 4]);
    // Without a rule about scores or verdicts, every case runs.
    check(&[], "awww", [4, 4]);
}
