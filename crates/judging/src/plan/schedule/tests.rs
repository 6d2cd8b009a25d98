//! Tables of which cases are needed.

use super::*;

fn section(
    parts: Vec<SectionPart>,
    requires: &[usize],
    until: EndCondition,
    result: SectionResult,
) -> Section {
    Section { parts, requires: requires.to_vec(), ends_on: until, result }
}

/// A section with this many cases. Its result does not matter to its parent.
fn independent_section(cases: usize, requires: &[usize], until: EndCondition) -> SectionPart {
    SectionPart::Section(section(
        vec![SectionPart::Cases(cases)],
        requires,
        until,
        SectionResult::Acceptance,
    ))
}

/// A section with this many cases. If it ends early, it ends its parent.
fn ending_section(cases: usize, requires: &[usize], until: EndCondition) -> SectionPart {
    SectionPart::Section(section(
        vec![SectionPart::Cases(cases)],
        requires,
        until,
        SectionResult::UnlessCut,
    ))
}

fn end(letter: char) -> Option<CaseEnd> {
    match letter {
        'a' => Some(CaseEnd::Accepted),
        'r' => Some(CaseEnd::Rejected),
        't' => Some(CaseEnd::TooSlow),
        'p' => Some(CaseEnd::Partial),
        'f' => Some(CaseEnd::Failed),
        _ => None,
    }
}

/// `ends` by letter: `a`ccepted, `r`ejected, `t`oo slow, `f`ailed, `.` not known. Returns the need for each case: `+` yes, `?`
/// possibly, `!` not yet, `-` no.
fn needs(schedule: &Schedule, ends: &str) -> String {
    let ends: Vec<Option<CaseEnd>> = ends.chars().map(end).collect();
    let letter = |need| match need {
        CaseNeed::Yes => '+',
        CaseNeed::Possibly => '?',
        CaseNeed::Undecided => '!',
        CaseNeed::No => '-',
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

fn all(parts: Vec<SectionPart>) -> Section {
    section(parts, &[], EndCondition::Never, SectionResult::All)
}

#[test]
fn the_first_rejection_ends_a_section() {
    check(
        Schedule::single(4, EndCondition::Rejection).root,
        &[("....", "+???"), ("a...", "++??"), ("aara", "+++-"), ("a.r.", "++?-"), ("f...", "+---")],
    );
    check(
        Schedule::single(3, EndCondition::Never).root,
        &[("...", "+++"), ("ra.", "+++"), ("f..", "+--")],
    );
}

#[test]
fn the_third_timeout_ends_a_section() {
    check(
        Schedule::single(6, EndCondition::ThirdTimeout).root,
        &[
            ("......", "+++???"),
            ("rararr", "++++++"),
            ("tt....", "+++???"),
            ("ttra..", "+++++?"),
            ("trta.t", "+++++?"),
            ("trtat.", "+++++-"),
            ("ttt...", "+++---"),
            (".ttt..", "+++?--"),
            ("f.....", "+-----"),
        ],
    );
    check(Schedule::single(3, EndCondition::Rejection).root, &[("t..", "+--"), ("at.", "++-")]);
}

#[test]
fn partial_points_end_a_section_unless_only_worthless_rejections_do() {
    let single = |until| Schedule::single(3, until).root;
    check(single(EndCondition::Rejection), &[("p..", "+--"), ("ap.", "++-")]);
    check(
        single(EndCondition::WorthlessRejection),
        &[("p..", "++?"), ("ppa", "+++"), ("pr.", "++-")],
    );
    let parts = vec![
        independent_section(1, &[], EndCondition::WorthlessRejection),
        independent_section(1, &[1], EndCondition::WorthlessRejection),
    ];
    check(all(parts), &[("p.", "+-"), ("a.", "++")]);
}

#[test]
fn a_section_waits_for_the_sections_that_it_requires() {
    let parts = vec![
        independent_section(1, &[], EndCondition::Never),
        independent_section(2, &[1], EndCondition::Never),
        independent_section(1, &[2], EndCondition::Never),
        independent_section(1, &[], EndCondition::Never),
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
fn a_section_that_ends_early_may_end_its_parent() {
    let inner = vec![
        ending_section(2, &[1], EndCondition::Rejection),
        ending_section(2, &[], EndCondition::Rejection),
    ];
    let parent = SectionPart::Section(section(
        inner,
        &[],
        EndCondition::Rejection,
        SectionResult::UnlessCut,
    ));
    check(
        all(vec![independent_section(1, &[], EndCondition::Never), parent]),
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
        all(vec![
            independent_section(2, &[], EndCondition::Rejection),
            independent_section(1, &[], EndCondition::Never),
        ]),
        &[("rf.", "+-+"), ("af.", "++-"), (".f.", "+??"), ("f..", "+--")],
    );
}

#[test]
fn the_result_of_a_section_decides_whether_its_parent_continues() {
    let parent = |until: EndCondition, result: SectionResult| {
        let inner = SectionPart::Section(section(vec![SectionPart::Cases(2)], &[], until, result));
        section(
            vec![inner, SectionPart::Cases(2)],
            &[],
            EndCondition::Rejection,
            SectionResult::All,
        )
    };
    check(
        parent(EndCondition::Rejection, SectionResult::All),
        &[("....", "+???"), ("aa..", "+++?"), ("r...", "+---"), ("ar..", "++--"), (".r..", "+?--")],
    );
    check(
        parent(EndCondition::Never, SectionResult::All),
        &[("....", "++??"), ("r...", "++--"), (".r..", "++--"), ("aar.", "+++-")],
    );
    check(
        parent(EndCondition::Never, SectionResult::Any),
        &[("a...", "+++?"), ("r...", "++??"), ("ra..", "+++?"), ("rr..", "++--"), (".a..", "+++?")],
    );
    check(
        parent(EndCondition::Rejection, SectionResult::Any),
        &[("a...", "+++?"), ("ar..", "+++?"), ("r...", "+---"), (".a..", "+???")],
    );
    check(
        parent(EndCondition::Never, SectionResult::Last),
        &[("ra..", "+++?"), ("ar..", "++--"), ("r...", "++??"), (".a..", "+++?")],
    );
    check(
        parent(EndCondition::Rejection, SectionResult::Last),
        &[("r...", "+---"), (".a..", "+???"), (".r..", "+?--")],
    );
    check(
        parent(EndCondition::Rejection, SectionResult::Acceptance),
        &[("r...", "+-+?"), ("....", "+?+?")],
    );
}
