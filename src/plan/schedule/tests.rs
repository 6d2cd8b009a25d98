//! Tables of which cases are needed.

use super::*;

fn section(parts: Vec<Piece>, requires: &[usize], until: Until, yields: Yields) -> Section {
    Section { parts, requires: requires.to_vec(), until, yields }
}

/// A section with this many cases. Its result does not matter to its parent.
fn alone(cases: usize, requires: &[usize], until: Until) -> Piece {
    Piece::Section(section(vec![Piece::Cases(cases)], requires, until, Yields::Acceptance))
}

/// A section with this many cases. If it ends early, it ends its parent.
fn ending(cases: usize, requires: &[usize], until: Until) -> Piece {
    Piece::Section(section(vec![Piece::Cases(cases)], requires, until, Yields::Unbroken))
}

fn end(letter: char) -> Option<CaseEnd> {
    match letter {
        'a' => Some(CaseEnd::Accepted),
        'r' => Some(CaseEnd::Rejected),
        'p' => Some(CaseEnd::Partial),
        'f' => Some(CaseEnd::Failed),
        _ => None,
    }
}

/// `ends` by letter: `a`ccepted, `r`ejected, `f`ailed, `.` not known. Returns the need for each case: `+` yes, `?`
/// possibly, `!` not yet, `-` no.
fn needs(schedule: &Schedule, ends: &str) -> String {
    let ends: Vec<Option<CaseEnd>> = ends.chars().map(end).collect();
    let letter = |need| match need {
        Need::Yes => '+',
        Need::Perhaps => '?',
        Need::NotYet => '!',
        Need::No => '-',
    };
    let mut needs = String::new();
    schedule.walk(&ends, |_, need| {
        needs.push(letter(need));
        ControlFlow::Continue(())
    });
    needs
}

fn check(root: Section, table: &[(&str, &str)]) {
    let schedule = Schedule { root };
    for (ends, expected) in table {
        assert_eq!(schedule.cases(), ends.len());
        assert_eq!(needs(&schedule, ends), *expected, "{ends}");
    }
}

fn all(parts: Vec<Piece>) -> Section {
    section(parts, &[], Until::Never, Yields::All)
}

#[test]
fn the_first_rejection_ends_a_section() {
    check(
        Schedule::single(4, Until::Rejection).root,
        &[("....", "+???"), ("a...", "++??"), ("aara", "+++-"), ("a.r.", "++?-"), ("f...", "+---")],
    );
    check(
        Schedule::single(3, Until::Never).root,
        &[("...", "+++"), ("ra.", "+++"), ("f..", "+--")],
    );
}

#[test]
fn a_part_of_the_points_ends_a_section_unless_only_nothing_does() {
    let single = |until| Schedule::single(3, until).root;
    check(single(Until::Rejection), &[("p..", "+--"), ("ap.", "++-")]);
    check(single(Until::Worthless), &[("p..", "++?"), ("ppa", "+++"), ("pr.", "++-")]);
    let parts = vec![alone(1, &[], Until::Worthless), alone(1, &[1], Until::Worthless)];
    check(all(parts), &[("p.", "+-"), ("a.", "++")]);
}

#[test]
fn a_section_waits_for_those_that_it_requires() {
    let parts = vec![
        alone(1, &[], Until::Never),
        alone(2, &[1], Until::Never),
        alone(1, &[2], Until::Never),
        alone(1, &[], Until::Never),
    ];
    check(
        all(parts),
        &[
            (".....", "+!!!+"),
            ("a....", "+++!+"),
            ("aaa..", "+++++"),
            ("aaa..", "+++++"),
            ("aar..", "+++-+"),
            ("a.r..", "+++-+"),
            ("r....", "+---+"),
        ],
    );
}

#[test]
fn a_section_that_ends_early_may_end_the_one_around_it() {
    let inner = vec![ending(2, &[1], Until::Rejection), ending(2, &[], Until::Rejection)];
    let around = Piece::Section(section(inner, &[], Until::Rejection, Yields::Unbroken));
    check(
        all(vec![alone(1, &[], Until::Never), around]),
        &[
            ("a....", "++???"),
            ("aaa..", "++++?"),
            ("ar...", "++---"),
            ("a.r..", "++?--"),
            ("r....", "+----"),
            (".....", "+!!??"),
            ("aaar.", "++++-"),
        ],
    );
}

#[test]
fn a_fault_ends_everything_if_its_case_is_needed() {
    check(
        all(vec![alone(2, &[], Until::Rejection), alone(1, &[], Until::Never)]),
        &[("rf.", "+-+"), ("af.", "++-"), (".f.", "+??"), ("f..", "+--")],
    );
}

#[test]
fn what_a_section_yields_decides_whether_the_one_around_it_goes_on() {
    let around = |until: Until, yields: Yields| {
        let inner = Piece::Section(section(vec![Piece::Cases(2)], &[], until, yields));
        section(vec![inner, Piece::Cases(2)], &[], Until::Rejection, Yields::All)
    };
    check(
        around(Until::Rejection, Yields::All),
        &[("....", "+???"), ("aa..", "+++?"), ("r...", "+---"), ("ar..", "++--"), (".r..", "+?--")],
    );
    check(
        around(Until::Never, Yields::All),
        &[("....", "++??"), ("r...", "++--"), (".r..", "++--"), ("aar.", "+++-")],
    );
    check(
        around(Until::Never, Yields::Any),
        &[("a...", "+++?"), ("r...", "++??"), ("ra..", "+++?"), ("rr..", "++--"), (".a..", "+++?")],
    );
    check(
        around(Until::Rejection, Yields::Any),
        &[("a...", "+++?"), ("ar..", "+++?"), ("r...", "+---"), (".a..", "+???")],
    );
    check(
        around(Until::Never, Yields::Last),
        &[("ra..", "+++?"), ("ar..", "++--"), ("r...", "++??"), (".a..", "+++?")],
    );
    check(
        around(Until::Rejection, Yields::Last),
        &[("r...", "+---"), (".a..", "+???"), (".r..", "+?--")],
    );
    check(around(Until::Rejection, Yields::Acceptance), &[("r...", "+-+?"), ("....", "+?+?")]);
}
