//! Chooses which of the inputs that catch missed subjects become test cases.

use std::collections::{HashMap, HashSet};

use crate::strength::result::{MissedInput, Subject, SubjectStatus};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenCase {
    pub subject: usize,
    /// Without directories.
    pub name: String,
    pub description: String,
}

/// Chooses one input for each kind of fault, and none for what an earlier one catches. Inputs that catch most of what
/// is hard to catch come first. Held-out subjects are ignored: they show whether the others are enough.
pub fn choose_cases(subjects: &[Subject]) -> Vec<ChosenCase> {
    let missed = |subject: &Subject| -> Option<MissedInput> {
        let is_open = subject.status == SubjectStatus::Missed && !subject.held_out;
        subject.missed.clone().filter(|_| is_open)
    };
    let hardness: HashMap<&str, f64> = subjects
        .iter()
        .filter(|subject| missed(subject).is_some())
        .map(|subject| (subject.id.as_str(), subject.hardness))
        .collect();
    let value = |(index, missed): &(usize, MissedInput)| -> f64 {
        let all = missed.also.iter().chain([&subjects[*index].id]);
        all.filter_map(|id| hardness.get(id.as_str())).sum()
    };
    let all = subjects.iter().enumerate();
    let mut open: Vec<_> = all.filter_map(|(at, subject)| Some((at, missed(subject)?))).collect();
    open.sort_by(|one, other| value(other).total_cmp(&value(one)));
    let (mut faults, mut caught) = (HashSet::new(), HashSet::new());
    let mut chosen = Vec::new();
    for (index, missed) in open {
        let subject = &subjects[index];
        if caught.contains(&subject.id) || !faults.insert(&subject.fault) {
            continue;
        }
        caught.insert(subject.id.clone());
        caught.extend(missed.also);
        chosen.push(ChosenCase {
            subject: index,
            name: case_name(subject),
            description: format!("Catches {}: {}", subject.id, missed.cause),
        });
    }
    chosen
}

/// Keeps the characters that test case names allow.
fn case_name(subject: &Subject) -> String {
    let last = subject.id.rsplit(['/', ':']).next().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let name: String = last.chars().map(plain).collect();
    name.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strength::result::SubjectKind;
    use juror_core::verdict::Verdict;

    /// Checks the choice for subjects with id, kind of fault, hardness (none if held out), and the other subjects
    /// caught.
    fn check(subjects: &[(&str, &str, Option<f64>, &[&str])], expected: &[&str]) {
        let subject = |&(id, fault, hardness, also): &(&str, &str, Option<f64>, &[&str])| Subject {
            status: SubjectStatus::Missed,
            held_out: hardness.is_none(),
            hardness: hardness.unwrap_or(9.0),
            missed: Some(MissedInput {
                input: Vec::new(),
                verdict: Verdict::WrongAnswer,
                cause: String::new(),
                origin: String::new(),
                gain: 0.0,
                also: also.iter().map(|id| (*id).to_owned()).collect(),
                promoted: None,
            }),
            ..Subject::new(id, SubjectKind::Mutant, fault)
        };
        let subjects: Vec<Subject> = subjects.iter().map(subject).collect();
        let names: Vec<String> =
            choose_cases(&subjects).into_iter().map(|case| case.name).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn one_input_for_each_kind_of_fault_is_enough() {
        check(&[], &[]);
        check(&[("a.c:off1-1-1", "off1", Some(1.0), &[])], &["off1-1-1"]);
        let two = [
            ("a.c:off1-1-1", "off1", Some(1.0), &[][..]),
            ("a.c:off1-2-1", "off1", Some(2.0), &[]),
        ];
        check(&two, &["off1-2-1"]);
        let by_other = [
            ("a.c:tie-1-1", "tie", Some(1.0), &[][..]),
            ("a.c:ror-2-1", "ror", Some(2.0), &["a.c:tie-1-1"]),
        ];
        check(&by_other, &["ror-2-1"]);
        check(&[("a.c:off1-1-1", "off1", None, &[])], &[]);
        // Subjects that are held out have no influence on the order.
        let by_held_out = [
            ("a.c:tie-1-1", "tie", Some(1.0), &["a.c:ror-1-1"][..]),
            ("a.c:ror-1-1", "ror", None, &[]),
            ("a.c:tie-2-1", "tie", Some(2.0), &[]),
        ];
        check(&by_held_out, &["tie-2-1"]);
        check(&[("wrong_answer/odd_n.py", "wrong_answer", Some(1.0), &[])], &["odd-n-py"]);
    }
}
