//! `--gradebook`: a copy of the file that a learning platform exported, with the grades filled in and all else as it
//! is, byte for byte.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::report::document::Report;
use juror_core::class::Student;
use juror_core::root::FilePath;
use juror_core::score::Score;
use juror_core::stop::Remark;
use juror_core::text::{composed, count, joined, short_list};

/// Titles of columns by which a student is known: of Moodle's worksheet, then of Canvas.
const NUMBER_TITLES: [&str; 6] =
    ["identifier", "id", "sis user id", "sis login id", "id number", "username"];
const NAME_TITLES: [&str; 3] = ["full name", "student", "name"];
/// Moodle's columns of grades.
const GRADE_TITLE: &str = "grade";

const MAX_BYTES: u64 = 64 << 20;
const SHOWN: usize = 20;

pub struct Gradebook {
    path: PathBuf,
    text: String,
    /// The bytes of each cell, the titles first.
    rows: Vec<Vec<Range<usize>>>,
    numbers: Vec<usize>,
    names: Vec<usize>,
    grade: usize,
}

impl Gradebook {
    /// # Errors
    /// If it is no gradebook, or nothing says which column has the grades.
    pub fn read(path: &Path, column: Option<&str>) -> Result<Self, Remark> {
        let text = FilePath::root(path).read_text(MAX_BYTES).map_err(|why| why.to_string())?;
        let rows = cells(&text);
        let path = path.to_owned();
        let mut book = Self { path, text, rows, numbers: Vec::new(), names: Vec::new(), grade: 0 };
        let titles: Vec<String> =
            (0..book.rows.first().map_or(0, Vec::len)).map(|column| book.cell(0, column)).collect();
        let find = |known: &[&str]| -> Vec<usize> {
            let columns = known.iter().map(|name| {
                titles.iter().position(|title| title.trim().eq_ignore_ascii_case(name))
            });
            columns.flatten().collect()
        };
        book.numbers = find(&NUMBER_TITLES);
        book.names = find(&NAME_TITLES);
        // Moodle translates titles: its first columns are `Participant 12345` and the name.
        if book.numbers.is_empty()
            && book.names.is_empty()
            && titles.len() > 1
            && (1..book.rows.len()).all(|row| last_number(&book.cell(row, 0)).is_some())
        {
            (book.numbers, book.names) = (vec![0], vec![1]);
        }
        if book.rows.len() < 2 || book.numbers.is_empty() && book.names.is_empty() {
            let what = "has no students that juror finds: no column such as Identifier, ID, Full name or Student";
            let help = "give the grading worksheet of Moodle, or the gradebook that Canvas exports";
            return Err(Remark::with_help(what, help));
        }
        let columns = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..titles.len()).filter(|column| fits(&titles[*column])).collect()
        };
        let assignments = columns(&|title| split_assignment(title).is_some());
        let grades: Vec<usize> = match (column, find(&[GRADE_TITLE])) {
            (Some(name), _) => {
                columns(&|title| title.trim() == name || split_assignment(title) == Some(name))
            }
            (None, own) if own.is_empty() => assignments.clone(),
            (None, own) => own,
        };
        let [grade] = grades[..] else {
            let known = if assignments.is_empty() { columns(&|_| true) } else { assignments };
            let number = if grades.is_empty() { "no column" } else { "several columns" };
            let what = match column {
                Some(name) => format!("has {number} called `{name}`"),
                None => format!("has {number} that can be the grade's"),
            };
            let names =
                joined(known.iter().take(SHOWN).map(|it| format!("`{}`", titles[*it])), ", ");
            let help = format!("name one with --gradebook-column: {names}");
            return Err(Remark::with_help(what, help));
        };
        book.grade = grade;
        Ok(book)
    }

    /// Beside it: nobody's file is changed.
    pub fn filled_path(&self) -> PathBuf {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{stem}-graded.csv"))
    }

    /// The titles, by which an earlier copy is known.
    pub fn signature(&self) -> String {
        const LENGTH: usize = 200;
        self.text.lines().next().unwrap_or_default().chars().take(LENGTH).collect()
    }

    /// The text with the points of the students, and remarks.
    ///
    /// # Errors
    /// If there are no points, or none of the students.
    pub fn fill(&self, report: &Report) -> Result<(String, Vec<String>), Remark> {
        let students: Vec<&Student> = report.students().collect();
        if students.is_empty() {
            return Err("no class was judged; give the folder of one".into());
        }
        if report.submissions.iter().all(|row| row.score().is_none()) {
            return Err("no submission has points; add --points cases, or --points groups".into());
        }
        let mut grades: BTreeMap<usize, Score> = BTreeMap::new();
        let (mut unknown, mut unjudged, mut twice) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = HashSet::new();
        let by_number = self.rows_by(&self.numbers);
        // A platform may know students by their user names.
        let by_name = self.rows_by(&[&self.names[..], &self.numbers].concat());
        for student in &students {
            let rows = match &student.number {
                Some(number) => by_number.get(number.as_str()),
                None => by_name.get(&composed(&student.name)),
            };
            // A name that two rows have tells nothing.
            let Some(row) = rows.filter(|rows| rows.len() == 1).and_then(BTreeSet::first) else {
                unknown.push(student.name.clone());
                continue;
            };
            if !found.insert(*row) {
                twice.push(student.name.clone());
            }
            match points(student, report) {
                Some(points) if grades.get(row).is_some_and(|other| other.exceeds(points)) => {}
                Some(points) => drop(grades.insert(*row, points)),
                None => unjudged.push(student.name.clone()),
            }
        }
        if found.is_empty() {
            let what = format!("none of {} is in it", count(students.len(), "student"));
            return Err(Remark::with_help(what, "is it the gradebook of another course?"));
        }
        let absent =
            (1..self.rows.len()).filter(|row| self.is_student(*row) && !found.contains(row));
        let shown = self.names.first().or(self.numbers.first()).copied().unwrap_or_default();
        let absent = absent.map(|row| self.cell(row, shown)).collect();
        let lists: [(&str, Vec<String>); 4] = [
            ("not in the gradebook", unknown),
            ("not in the class, so left as they are", absent),
            ("not judged, so left as they are", unjudged),
            ("in a row with another entry, the better one counts", twice),
        ];
        let lists = lists.iter().filter(|(_, names)| !names.is_empty());
        let lists = lists.map(|(what, names)| format!("{what}: {}", short_list(names, SHOWN)));
        let filled = format!("{} filled in", count(grades.len(), "grade"));
        let remarks = [filled].into_iter().chain(lists).collect();
        let mut text = String::new();
        let mut end = 0;
        for (row, points) in grades {
            let cell = &self.rows[row][self.grade];
            let is_quoted = self.text[cell.clone()].starts_with('"');
            text.push_str(&self.text[end..cell.start]);
            text.push_str(&if is_quoted { format!("\"{points}\"") } else { points.to_string() });
            end = cell.end;
        }
        text.push_str(&self.text[end..]);
        Ok((text, remarks))
    }

    /// Without quotes; empty if the row is shorter.
    fn cell(&self, row: usize, column: usize) -> String {
        let text = self.rows[row].get(column).map_or("", |cell| &self.text[cell.clone()]);
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(quoted) => quoted.replace("\"\"", "\""),
            None => text.to_owned(),
        }
    }

    /// Canvas has rows with settings of columns before those of students.
    fn is_student(&self, row: usize) -> bool {
        let known = if self.numbers.is_empty() { &self.names } else { &self.numbers };
        self.rows[row].len() > self.grade
            && known.iter().any(|column| !self.cell(row, *column).trim().is_empty())
    }

    /// The rows of students by what is in these columns; the first column that has a text decides.
    fn rows_by(&self, columns: &[usize]) -> HashMap<String, BTreeSet<usize>> {
        let mut all: HashMap<String, BTreeSet<usize>> = HashMap::new();
        for column in columns {
            let mut own: HashMap<String, BTreeSet<usize>> = HashMap::new();
            for row in (1..self.rows.len()).filter(|row| self.is_student(*row)) {
                let text = composed(self.cell(row, *column).trim());
                let number = last_number(&text).map(str::to_owned);
                // Canvas puts the last name first.
                let turned = text.split_once(", ").map(|(last, first)| format!("{first} {last}"));
                let all = [Some(text), number, turned].into_iter().flatten();
                for key in all.filter(|key| !key.is_empty()) {
                    own.entry(key).or_default().insert(row);
                }
            }
            for (key, rows) in own {
                all.entry(key).or_insert(rows);
            }
        }
        all
    }
}

/// The best of a student's programs, 0 without one; `None` if the judge failed or did not run everything.
fn points(student: &Student, report: &Report) -> Option<Score> {
    let own = report.submissions.iter().filter(|row| student.submissions.contains(&row.name));
    let mut best = Score::ZERO;
    for row in own {
        let points = row.points()?;
        if points.exceeds(best) {
            best = points;
        }
    }
    Some(best)
}

/// The number at the end of a text, such as `Participant 12345`.
fn last_number(text: &str) -> Option<&str> {
    let (_, number) = text.trim().rsplit_once(' ')?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(number)
}

/// The name of an assignment in a title of Canvas, such as `Sum (4711)`.
fn split_assignment(title: &str) -> Option<&str> {
    let (name, number) = title.trim().strip_suffix(')')?.rsplit_once(" (")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(name)
}

/// The cells of each row, with their quotes. The sign that the first line has most often separates them.
fn cells(text: &str) -> Vec<Vec<Range<usize>>> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let titles = text[start..].lines().next().unwrap_or_default();
    let separator = *[b';', b'\t', b',']
        .iter()
        .max_by_key(|sign| titles.bytes().filter(|byte| byte == *sign).count())
        .unwrap_or(&b',');
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let (mut from, mut is_quoted) = (start, false);
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'\n' => {
                let end = if text[..at].ends_with('\r') { at - 1 } else { at };
                row.push(from..end.max(from));
                rows.push(std::mem::take(&mut row));
                from = at + 1;
            }
            _ if byte == separator => {
                row.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    if from < text.len() || !row.is_empty() {
        row.push(from..text.len());
        rows.push(row);
    }
    rows.retain(|row| row.len() > 1 || row.iter().any(|cell| !cell.is_empty()));
    rows
}
