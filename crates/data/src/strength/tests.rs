//! Test sets of the game of two ends, from poor to good, must be ranked by their scores. Everything but processes is
//! measured.

use std::path::Path;

use crate::inputs::by_grammar;
use crate::inputs::candidates::{CandidateContent, CandidateSource, SourceMix};
use crate::inputs::numbers::special_numbers;
use crate::strength::features::find_features;
use crate::strength::result::{Kill, PartName, Strength, Subject, SubjectKind, SubjectStatus};
use crate::strength::score;
use crate::validity::Validity;
use juror_core::verdict::Verdict;
use juror_grammar::bounds::Coverage;
use juror_grammar::chance::Chance;
use juror_grammar::compile::parse_grammar;
use juror_grammar::program::Grammar;
use juror_judging::judge::case::CaseTexts;

const GRAMMAR: &str = include_str!("../../../../problems/game1/input_validators/input.ctd");
/// The fresh inputs that measure how hard a mistake is to catch.
const POOL_SIZE: usize = 96;

/// The scores of both players; None if the program crashes.
type Scores = Option<[i64; 2]>;
type PlayFn = fn(&[i64]) -> Scores;

fn scores(board: &[i64], first: i64) -> Scores {
    Some([first, board.iter().sum::<i64>() - first])
}

fn right(board: &[i64]) -> Scores {
    let mut lead = board.to_vec();
    for length in 2..=board.len() {
        for at in 0..=board.len() - length {
            lead[at] = (board[at] - lead[at + 1]).max(board[at + length - 1] - lead[at]);
        }
    }
    scores(board, i64::midpoint(board.iter().sum(), lead[0]))
}

/// Plays the game: `takes_left` says whether the first or second player takes the left end of the rest.
fn play(board: &[i64], takes_left: impl Fn(usize, &[i64]) -> bool) -> Scores {
    let (mut rest, mut got) = (board, [0; 2]);
    for turn in 0..board.len() {
        let left = takes_left(turn % 2, rest);
        got[turn % 2] += if left { rest[0] } else { rest[rest.len() - 1] };
        rest = if left { &rest[1..] } else { &rest[..rest.len() - 1] };
    }
    Some(got)
}

/// The first player's score, two moves at a time. A stretch of one number is worth `single`; `then` combines the
/// values after taking the left and the right end, for each answering move.
fn by_two(
    board: &[i64],
    single: fn(i64) -> i64,
    outer: fn(i64, i64) -> i64,
    inner: fn([i64; 3]) -> [i64; 2],
) -> Scores {
    let size = board.len();
    let mut best = vec![vec![0; size + 3]; size + 3];
    for length in 1..=size {
        for at in 0..=size - length {
            let end = at + length;
            best[at][end] = match length {
                1 => single(board[at]),
                _ => {
                    let [left, right] =
                        inner([best[at + 2][end], best[at + 1][end - 1], best[at][end - 2]]);
                    outer(board[at] + left, board[end - 1] + right)
                }
            };
        }
    }
    scores(board, best[0][size])
}

fn usual([left, middle, right]: [i64; 3]) -> [i64; 2] {
    [left.min(middle), middle.min(right)]
}

fn parity(board: &[i64]) -> Scores {
    let even: i64 = board.iter().step_by(2).sum();
    let odd: i64 = board.iter().skip(1).step_by(2).sum();
    scores(board, even.max(odd))
}

fn greedy_opponent(board: &[i64]) -> Scores {
    let size = board.len();
    // The first player's score on a stretch, by its start and length.
    let mut best = vec![vec![0; size + 1]; size + 2];
    for length in 1..=size {
        for at in 0..=size - length {
            let after = |start: usize| match length - 1 {
                0 => 0,
                rest if board[start] >= board[start + rest - 1] => best[start + 1][rest - 1],
                rest => best[start][rest - 1],
            };
            best[at][length] = (board[at] + after(at + 1)).max(board[at + length - 1] + after(at));
        }
    }
    scores(board, best[0][size])
}

fn by_left_end(board: &[i64], known: &mut [Option<i64>], at: usize, last: usize) -> i64 {
    if at == last {
        return board[at];
    }
    if let Some(known) = known[at] {
        return known;
    }
    let left = board[at] - by_left_end(board, known, at + 1, last);
    let best = left.max(board[last] - by_left_end(board, known, at, last - 1));
    known[at] = Some(best);
    best
}

/// Typical mistakes, each with a description; the last program cannot be distinguished from a right one.
const MISTAKES: [(&str, PlayFn); 24] = [
    ("greedy, ties left", |board| play(board, |_, rest| rest[0] >= rest[rest.len() - 1])),
    ("greedy, ties right", |board| play(board, |_, rest| rest[0] > rest[rest.len() - 1])),
    ("takes the other for greedy", greedy_opponent),
    ("looks two moves ahead", |board| {
        play(board, |_, rest| {
            let last = rest.len() - 1;
            let best = |rest: &[i64]| rest.first().max(rest.last()).copied().unwrap_or_default();
            rest[0] - best(&rest[1..]) >= rest[last] - best(&rest[..last])
        })
    }),
    ("all odd or all even places", parity),
    ("the first, third, ... place", |board| scores(board, board.iter().step_by(2).sum())),
    ("sorts", |board| {
        let mut sorted = board.to_vec();
        sorted.sort_unstable();
        scores(board, sorted.iter().rev().step_by(2).sum())
    }),
    ("takes N to be even", |board| {
        let [first, _] = right(&board[..board.len() - board.len() % 2])?;
        scores(board, first + board.iter().skip(board.len() - board.len() % 2).sum::<i64>())
    }),
    ("a single number is worth nothing", |board| by_two(board, |_| 0, i64::max, usual)),
    ("writes the winner first", |board| {
        right(board).map(|[one, other]| [one.max(other), one.min(other)])
    }),
    ("the other one helps", |board| {
        let most = |[left, middle, right]: [i64; 3]| [left.max(middle), middle.max(right)];
        by_two(board, |value| value, i64::max, most)
    }),
    ("takes the worse end", |board| by_two(board, |value| value, i64::min, usual)),
    ("the same neighbour twice", |board| {
        by_two(board, |value| value, i64::max, |values| [values[1]; 2])
    }),
    ("remembers by the left end", |board| {
        let lead = by_left_end(board, &mut vec![None; board.len()], 0, board.len() - 1);
        scores(board, i64::midpoint(board.iter().sum(), lead))
    }),
    ("scores of 8 bits", |board| right(board).map(|scores| scores.map(|value| value % 256))),
    ("reads 8 bits", |board| {
        right(&board.iter().map(|value| (value + 128) % 256 - 128).collect::<Vec<_>>())
    }),
    ("room for 64", |board| right(board).filter(|_| board.len() <= 64)),
    ("room for 99", |board| right(board).filter(|_| board.len() <= 99)),
    ("without the last", |board| right(&board[..board.len() - 1])),
    ("without the first", |board| right(&board[1..])),
    ("half of the total", |board| scores(board, board.iter().sum::<i64>() / 2)),
    ("writes player 2 first", |board| right(board).map(|[one, other]| [other, one])),
    (
        "odd boards by places",
        |board| if board.len() % 2 == 1 { parity(board) } else { right(board) },
    ),
    ("scores of 16 bits", |board| {
        right(board).map(|scores| scores.map(|value| (value + (1 << 15)) % (1 << 16) - (1 << 15)))
    }),
];

fn board(input: &[u8]) -> Vec<i64> {
    let text = std::str::from_utf8(input).expect("text");
    text.split_whitespace().skip(1).map(|word| word.parse().expect("a number")).collect()
}

fn texts(board: &[i64]) -> CaseTexts {
    let words: Vec<String> = board.iter().map(i64::to_string).collect();
    let [one, other] = right(board).expect("scores");
    let input = format!("{}\n{}\n", board.len(), words.join(" "));
    CaseTexts {
        input: input.into_bytes().into(),
        answer: format!("{one} {other}\n").into_bytes().into(),
    }
}

fn pool(grammar: &Grammar) -> Vec<CaseTexts> {
    let mut mix = SourceMix::default();
    by_grammar::add_sources(&mut mix, grammar, 1, None, &special_numbers([], &[], []));
    mix.set_first_turns(0);
    let made =
        std::iter::from_fn(|| mix.next(&|| false).unwrap()).filter_map(|candidate| match candidate
            .written(Some(grammar), &|| false)?
            .content
        {
            CandidateContent::Text(text) => Some(texts(&board(&text))),
            _ => None,
        });
    made.take(POOL_SIZE).collect()
}

fn measure(
    grammar: &Grammar,
    pool: &[CaseTexts],
    on_pool: &[usize],
    cases: &[Vec<i64>],
) -> Strength {
    let mut report = Strength::default();
    let largest = vec![200; 100];
    for ((name, wrong), &on_pool) in MISTAKES.into_iter().zip(on_pool) {
        let fails = |board: &[i64]| wrong(board) != right(board);
        let killers = (1..).zip(cases).filter(|(_, board)| fails(board)).map(|(number, _)| Kill {
            test_case: number.to_string(),
            verdict: Verdict::WrongAnswer,
        });
        let killers: Vec<Kill> = killers.collect();
        let status = match (killers.is_empty(), on_pool > 0 || fails(&largest)) {
            (false, _) => SubjectStatus::Caught,
            (true, true) => SubjectStatus::Missed,
            (true, false) => SubjectStatus::PresumedEquivalent,
        };
        let hardness = score::hardness(on_pool, pool.len());
        let subject = Subject::new(name, SubjectKind::Mutant, name);
        report.subjects.push(Subject { status, killers, hardness, ..subject });
    }
    let mut coverage = Coverage::new(grammar);
    let given: Vec<CaseTexts> = cases.iter().map(|board| texts(board)).collect();
    for texts in &given {
        coverage.add(grammar, &texts.input, Path::new("input")).expect("a valid input");
    }
    let validity = Validity::of_grammars(vec![grammar]);
    let named = (1..).zip(given).map(|(number, texts)| Ok(Some((number.to_string(), texts))));
    let features = find_features(&validity, 1, &|| false, named, pool);
    report.features = features.ok().flatten().unwrap_or_default();
    report.parts = score::weighted_parts(|name| match name {
        PartName::Kills => score::kill_share(&report.subjects, &|_| false),
        PartName::Twice => score::twice_share(&report.subjects),
        PartName::Bounds => coverage.share(grammar),
        PartName::Features => report.feature_share(),
        _ => None,
    });
    report.score = score::score(&report.parts);
    report
}

/// The five test sets, from poor to good, different for each seed.
fn test_sets(seed: u64) -> [(&'static str, Vec<Vec<i64>>); 5] {
    let mut chance = Chance::new(seed, "sets");
    let mut drawn = |sizes: [u64; 2], most: u64| {
        let size = sizes[0] + chance.below(sizes[1] - sizes[0] + 1);
        (0..size).map(|_| 1 + chance.below(most) as i64).collect::<Vec<i64>>()
    };
    let mut ten = |sizes, most| (0..10).map(|_| drawn(sizes, most)).collect::<Vec<_>>();
    let (small, most, uniform) = (ten([2, 8], 5), ten([100, 100], 200), ten([2, 100], 200));
    let mut mixed = vec![vec![1, 200, 1], vec![7; 9], vec![200; 100]];
    for (sizes, most) in [
        ([2, 2], 200),
        ([99, 99], 200),
        ([99, 99], 5),
        ([100, 100], 200),
        ([100, 100], 5),
        ([3, 9], 4),
        ([3, 9], 4),
    ] {
        mixed.push(drawn(sizes, most));
    }
    let sample = vec![vec![4, 7, 2, 9, 5, 2]];
    [("sample", sample), ("small", small), ("most", most), ("uniform", uniform), ("mixed", mixed)]
}

#[test]
fn better_test_data_has_a_higher_score() {
    let grammar =
        parse_grammar(Path::new("input.ctd"), GRAMMAR.as_bytes()).grammar.expect("a grammar");
    let pool = pool(&grammar);
    let boards: Vec<Vec<i64>> = pool.iter().map(|texts| board(&texts.input)).collect();
    let rejecting =
        |wrong: PlayFn| boards.iter().filter(|board| wrong(board) != right(board)).count();
    let on_pool = MISTAKES.map(|(_, wrong)| rejecting(wrong));
    for seed in 0..3 {
        let scores = test_sets(seed).map(|(name, cases)| {
            let report = measure(&grammar, &pool, &on_pool, &cases);
            (name, report.score.expect("a score"))
        });
        assert!(scores.is_sorted_by(|(_, one), (_, other)| one < other), "{seed} {scores:?}");
    }
}

#[test]
fn a_program_counts_with_its_hardness_up_to_one_bit() {
    let check = |subjects: &[(f64, SubjectStatus, Verdict)], waits: bool, expected| {
        let subjects: Vec<Subject> = subjects
            .iter()
            .map(|&(hardness, status, verdict)| Subject {
                status,
                hardness,
                killers: match status {
                    SubjectStatus::Caught => vec![Kill { test_case: "1".to_owned(), verdict }],
                    _ => Vec::new(),
                },
                ..Subject::new("a", SubjectKind::Submission, "a")
            })
            .collect();
        assert_eq!(score::kill_share(&subjects, &|_| waits), expected, "{subjects:?}");
    };
    let caught = |bits| (bits, SubjectStatus::Caught, Verdict::WrongAnswer);
    let missed = |bits| (bits, SubjectStatus::Missed, Verdict::WrongAnswer);
    let slow = (1.0, SubjectStatus::Caught, Verdict::TimeLimitExceeded);
    check(&[], false, None);
    check(&[caught(0.5), missed(0.5)], false, Some(0.5));
    check(&[caught(0.25), missed(0.75)], false, Some(0.25));
    check(&[caught(6.0), missed(1.0)], false, Some(0.5));
    // One that is too slow counts as speed, but not if it waits.
    check(&[slow, missed(2.0)], false, Some(0.0));
    check(&[slow, missed(2.0)], true, Some(0.5));
}

#[test]
fn programs_that_are_too_slow_are_not_counted_as_caught_twice() {
    let (wrong, slow) = (Verdict::WrongAnswer, Verdict::TimeLimitExceeded);
    for (kills, expected) in [
        (&[&[][..]][..], None),
        (&[&[slow]], None),
        (&[&[wrong]], Some(0.0)),
        (&[&[wrong, wrong], &[wrong]], Some(0.5)),
        (&[&[wrong, slow], &[slow], &[slow, slow]], Some(1.0)),
    ] {
        let subject = |verdicts: &&[Verdict]| Subject {
            status: if verdicts.is_empty() {
                SubjectStatus::PresumedEquivalent
            } else {
                SubjectStatus::Caught
            },
            killers: verdicts
                .iter()
                .map(|&verdict| Kill { test_case: "1".to_owned(), verdict })
                .collect(),
            ..Subject::new("a", SubjectKind::Mutant, "a")
        };
        let subjects: Vec<Subject> = kills.iter().map(subject).collect();
        assert_eq!(score::twice_share(&subjects), expected, "{kills:?}");
    }
}
