//! Grades for a learning platform: the copy of its export, and the table of a class.

use crate::fixture::{Fixture, RIGHT, WRONG};

/// Tests in two groups, and a class: right, partly right, wrong, and without a program.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    for (name, sum) in [("easy/1", "1 2"), ("easy/2", "0 3"), ("hard/1", "5 8")] {
        let total: i32 = sum.split(' ').filter_map(|number| number.parse::<i32>().ok()).sum();
        fixture.write(&format!("t/{name}.in"), format!("{sum}\n"));
        fixture.write(&format!("t/{name}.out"), format!("{total}\n"));
    }
    for (name, text) in [
        ("Anna Müller/sum.sh", RIGHT),
        ("bert/sum.sh", WRONG),
        ("=carl/sum.sh", "exit 1\n"),
        ("dora/notes.pdf", "%PDF\n"),
        ("Jo\u{308}rg/v2/main.sh", RIGHT),
        ("Jo\u{308}rg/v1/main.sh", WRONG),
    ] {
        fixture.write(&format!("class/{name}"), text);
    }
    fixture
}

const JUDGE: &str = "judge t class --points easy=30,hard=70.5";

/// Checks that only these cells of the export differ in the copy, and the messages.
fn check(export: &str, options: &str, changes: &[(&str, &str)], messages: &[&str]) {
    let fixture = fixture();
    fixture.write("book.csv", export);
    fixture.check(&format!("{JUDGE} --gradebook book.csv {options}"), 1, messages);
    let expected = changes.iter().fold(export.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text.replace(old, new)
    });
    assert_eq!(fixture.read("book-graded.csv"), expected);
    assert_eq!(fixture.read("book.csv"), export);
    // A second run replaces its own copy.
    fixture.check(&format!("{JUDGE} --gradebook book.csv {options}"), 1, &[]);
}

#[test]
fn only_grades_change_in_the_copy() {
    let moodle = "\u{feff}Identifier,\"Full name\",Status,Grade,\"Maximum grade\",\"Last, modified\"\r\n\
                  Participant 7,Anna Müller,\"Submitted, late \"\"1\"\"\nsecond line\",-,\"100,50\",-\r\n\
                  \"Participant 8\",bert,Submitted,\"3,00\",\"100,50\",-\r\n\
                  Participant 9,=carl,,,\"100,50\",-\r\n\
                  Participant 10,J\u{f6}rg,,,\"100,50\",-\r\n\
                  Participant 11,Zo\u{eb},,5,\"100,50\",-";
    check(
        moodle,
        "",
        &[
            ("second line\",-", "second line\",100.5"),
            ("\"3,00\"", "\"30\""),
            ("=carl,,,", "=carl,,0,"),
            ("J\u{f6}rg,,,", "J\u{f6}rg,,100.5,"),
        ],
        &[
            "book-graded.csv: 4 grades filled in",
            "not in the gradebook: dora",
            "left as they are: Zoë",
        ],
    );
    // In a translation, and with semicolons.
    let german =
        "ID;Name;Bewertung;Notiz\nTeilnehmer 7;Anna Müller;;a,b,c,d,e\nTeilnehmer 8;bert;;\n";
    let german = german.replace("ID;Name", "Nummer;Vor- und Nachname");
    let options = "--gradebook-column Bewertung";
    let changes = [("Müller;;", "Müller;100.5;"), ("bert;;", "bert;30;")];
    check(&german, options, &changes, &["2 grades filled in"]);
    let canvas = "Student,ID,SIS Login ID,Section,Sum (47),Max (48),Final Score\n\
                  \"    Points Possible\",,,,10,5,(read only)\n\
                  \"Müller, Anna\",1,am,A,,2,7\n\"B., B.\",2,bert,A,4,,\n\"Student, Test\",9,x,A,,,\n";
    check(
        canvas,
        "--gradebook-column Sum",
        &[("am,A,,", "am,A,100.5,"), ("bert,A,4,", "bert,A,30,")],
        &["2 grades", "left as they are: Student, Test"],
    );
    let one = canvas
        .replace(",Max (48)", "")
        .replace(",5,(", ",(")
        .replace(",,2,7", ",,7")
        .replace("4,,", "4,");
    check(&one, "", &[("am,A,,", "am,A,100.5,"), ("bert,A,4,", "bert,A,30,")], &["2 grades"]);
}

#[test]
fn a_gradebook_that_does_not_fit_is_an_error_and_nothing_is_written() {
    let fixture = fixture();
    let check = |export: &str, options: &str, messages: &[&str]| {
        fixture.write("book.csv", export);
        fixture.check(&format!("judge t class {options} --gradebook book.csv"), 2, messages);
        assert!(!fixture.path("book-graded.csv").exists());
    };
    let points = "--points cases";
    let other = "Identifier,Full name,Grade\nParticipant 1,Xaver,\n";
    check(other, points, &["none of 5 students is in it", "the gradebook of another course?"]);
    let own = "Identifier,Full name,Grade\nParticipant 1,bert,\n";
    check(own, "", &["no submission has points; add --points cases"]);
    let twice = "Identifier,Full name,Grade\nParticipant 1,bert,\nParticipant 2,bert,\n";
    check(twice, points, &["none of 5 students is in it"]);
    let several = "Student,ID,Sum (47),Max (48)\nbert,1,,\n";
    let help = "name one with --gradebook-column: `Sum (47)`, `Max (48)`";
    check(several, points, &["has several columns that can be the grade's", help]);
    let column = "--points cases --gradebook-column Min";
    check(several, column, &["has no column called `Min`", help]);
    check("a,b\n1,2\n", points, &["has no students that juror finds"]);
    check("", points, &["has no students that juror finds"]);
    fixture.write("book.csv", b"Identifier,Full name,Grade\nParticipant 1,J\xf6rg,\n");
    fixture.check("judge t class --points cases --gradebook book.csv", 2, &["it is not UTF-8"]);
    fixture.check("judge t class --gradebook none.csv", 2, &["none.csv", "No such file"]);
    // Another file in the way stays.
    fixture.write("book.csv", own);
    fixture.write("book-graded.csv", "my notes\n");
    let exists = ["it exists and is not such a report"];
    fixture.check("judge t class --points cases --gradebook book.csv", 2, &exists);
    assert_eq!(fixture.read("book-graded.csv"), "my notes\n");
    fixture.remove("book-graded.csv");
    fixture.check(
        "judge t class/bert/sum.sh --points cases --gradebook book.csv",
        2,
        &["no class was judged"],
    );
}

#[test]
fn the_table_of_a_class_has_names_points_and_causes() {
    let fixture = fixture();
    fixture.write("class/emil/a.py", "x = [1]\nprint(x[int(input().split()[0]) + 7])\n");
    fixture.check(&format!("{JUDGE} --csv t.csv"), 1, &[]);
    let table = fixture.read("t.csv");
    let (titles, rows) = table.split_once('\n').expect("rows");
    assert!(titles.ends_with(",easy/2,name,number,late"), "{titles}");
    let row = |name: &str| {
        let found = rows.lines().find(|row| row.contains(&format!("class/{name},")));
        found.unwrap_or_else(|| panic!("{name}: {rows}")).to_owned()
    };
    assert!(
        row("dora").starts_with("t,class/dora,,,0,100.5,0,0,,,,nothing to judge: only notes.pdf"),
        "{table}"
    );
    assert!(row("dora").ends_with(",dora,,"), "{table}");
    assert!(row("bert").contains("WA,,30,100.5,"), "{table}");
    assert!(row("=carl").ends_with(",'=carl,,"), "{table}");
    if crate::builds::has_tool("python3") {
        assert!(row("emil").contains(",IndexError: list index out of range (line 2),"), "{table}");
    }
    // A table with other signs replaces the first one.
    fixture.check(&format!("{JUDGE} --csv t.csv --csv-separator ;"), 1, &[]);
    let table = fixture.read("t.csv");
    assert!(table.starts_with("\u{feff}package;submission;"), "{table}");
    fixture.check(&format!("{JUDGE} --csv t.csv --csv-separator tab"), 1, &[]);
    assert!(fixture.read("t.csv").starts_with("\u{feff}package\tsubmission\t"));
    fixture.check(&format!("{JUDGE} --csv-separator ;"), 2, &["--csv"]);
}
