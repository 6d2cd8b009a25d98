//! Names of pages, and what a report for a student has.

use super::*;

#[test]
fn names_of_pages_are_safe_and_different() {
    let check = |students: &[(&str, Option<&str>)], expected: &[&str]| {
        let mut taken = HashSet::new();
        let students = students.iter().map(|(name, number)| Student {
            name: (*name).to_owned(),
            number: number.map(str::to_owned),
            ..Student::default()
        });
        let names: Vec<String> = students.map(|one| unique_name(&one, &mut taken)).collect();
        assert_eq!(names, expected);
    };
    check(&[("Anna Müller", Some("12345"))], &["Anna Müller_12345_assignsubmission_file_"]);
    check(&[("anna", None), ("Anna", None), ("anna", None)], &["anna", "Anna (2)", "anna (3)"]);
    // Composed or not, it is one name.
    check(&[("M\u{fc}ller", None), ("Mu\u{308}ller", None)], &["Müller", "Müller (2)"]);
    check(
        &[("../../etc/passwd", None), ("..", None), ("", None)],
        &["_.._etc_passwd", "student", "student (2)"],
    );
    check(
        &[("CON", None), ("com1.py", None), ("nul.txt", None)],
        &["_CON", "_com1.py", "_nul.txt"],
    );
    check(&[("a:b\\c\n", Some("1/2"))], &["a_b_c__1_2_assignsubmission_file_"]);
    check(&[("-rf", None), ("x. ", None)], &["rf", "x"]);
}

#[test]
fn hidden_is_what_is_outside_of_samples() {
    let check = |hidden: &Hidden, name: &str, is_hidden: bool| {
        assert_eq!(hidden.hides(name), is_hidden, "{hidden:?}: {name}");
    };
    let globs = |text: &str| Hidden::Matching(vec![Pattern::parse(text).unwrap()]);
    check(&Hidden::OutsideSamples, "sample/1", false);
    check(&Hidden::OutsideSamples, "secret/group/1", true);
    check(&Hidden::OutsideSamples, "secret/sample", true);
    check(&Hidden::OutsideSamples, "1", true);
    check(&globs("hidden"), "hidden/1", true);
    check(&globs("hidden"), "visible/1", false);
    check(&globs("*/2"), "visible/2", true);
    check(&Hidden::Nothing, "secret/1", false);
}
