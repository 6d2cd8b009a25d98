//! Recorded event streams of a scoring problem.

use juror::model::event::Stamped;
use juror::model::judgement::{BrokenExpectation, CaseJudgement, Judgement};
use juror::model::score::{CaseScore, GroupScore, Score, ScoreOrigin, Standing, TotalScore};
use juror::model::verdict::Verdict;

use super::streams::{accepted, finished, judged, judgement, limits_set, rejected, started};

fn score(points: f64) -> Option<Score> {
    Score::new(points)
}

fn group(name: &str, points: Option<f64>, max: f64, standing: Standing) -> GroupScore {
    GroupScore {
        name: format!("secret/{name}"),
        score: points.and_then(score),
        max_score: score(max),
        standing,
    }
}

fn worth(points: f64, case: CaseJudgement) -> CaseJudgement {
    CaseJudgement {
        score: score(points).map(|score| CaseScore { score, origin: ScoreOrigin::Rules }),
        ..case
    }
}

fn with_score(points: f64, groups: Vec<GroupScore>, judgement: Judgement) -> Judgement {
    Judgement {
        score: Some(TotalScore { score: score(points), max_score: score(100.0), groups }),
        ..judgement
    }
}

/// Accepted everywhere.
fn full() -> Judgement {
    let cases = vec![
        accepted("sample/1", 2, 1100),
        accepted("secret/1-small/1", 2, 1100),
        worth(30.0, accepted("secret/2-any/1", 3, 1100)),
        worth(30.0, accepted("secret/2-any/2", 9, 1100)),
    ];
    let groups = vec![
        group("1-small", Some(40.0), 40.0, Standing::Complete),
        group("2-any", Some(60.0), 60.0, Standing::Complete),
    ];
    with_score(100.0, groups, judgement("accepted/fold.cpp", cases))
}

/// Accepted in part.
fn part() -> Judgement {
    let cases = vec![
        accepted("sample/1", 2, 1100),
        accepted("secret/1-small/1", 2, 1100),
        worth(20.0 / 3.0, accepted("secret/2-any/1", 3, 1100)),
        worth(0.0, rejected("secret/2-any/2", Verdict::WrongAnswer, "token 1 differs")),
    ];
    let groups = vec![
        group("1-small", Some(40.0), 40.0, Standing::Complete),
        group("2-any", Some(20.0 / 3.0), 60.0, Standing::Complete),
    ];
    let whole = 40.0 + 20.0 / 3.0;
    with_score(whole, groups, judgement("rejected/greedy.cpp", cases))
}

/// Rejected so early that a group is not run.
fn barred() -> Judgement {
    let cases = vec![
        accepted("sample/1", 2, 1100),
        rejected("secret/1-small/1", Verdict::WrongAnswer, "token 1 differs"),
    ];
    let by = "secret/1-small".to_owned();
    let groups = vec![
        group("1-small", Some(0.0), 40.0, Standing::Partial),
        group("2-any", Some(0.0), 60.0, Standing::Barred { by }),
    ];
    let judgement = with_score(0.0, groups, judgement("wrong_answer/none.cpp", cases));
    Judgement { skipped: 3, ..judgement }
}

/// Run on a part of the cases.
fn selected() -> Judgement {
    let cases = vec![worth(30.0, accepted("secret/2-any/1", 3, 1100))];
    let groups = vec![
        group("1-small", None, 40.0, Standing::Partial),
        group("2-any", None, 60.0, Standing::Partial),
    ];
    Judgement {
        score: Some(TotalScore { score: None, max_score: None, groups }),
        ..judgement("accepted/some.cpp", cases)
    }
}

/// `judge` with submissions of several scores.
pub(super) fn judge() -> Vec<Stamped> {
    let mut events = started("judge", 4);
    events.push(limits_set());
    for judgement in [full(), part(), barred(), selected()] {
        judged(&mut events, judgement);
    }
    finished(events, 110)
}

/// `verify` with a score that is not the expected one.
pub(super) fn verify() -> Vec<Stamped> {
    let mut events = started("verify", 3);
    events.push(limits_set());
    judged(&mut events, full());
    let mut part = part();
    part.broken.push(BrokenExpectation {
        rule: "rejected, secret/2-any".to_owned(),
        reason: "expected a score of secret/2-any of 10 to 30; got 6.666667".to_owned(),
        test_case: None,
    });
    judged(&mut events, part);
    judged(&mut events, barred());
    finished(events, 150)
}
