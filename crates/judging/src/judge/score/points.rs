//! Gives points to test cases and groups, whatever the package says.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use juror_core::problem::{Grading, Problem};
use juror_core::score::{Aggregation, Score};
use juror_core::stop::Remark;
use juror_core::test_data::{TestGroup, enclosing_groups, is_inside};
use juror_core::text::{composed, short_list};

#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    Cases,
    /// What the package says. If it has no points, each group of which all test cases are accepted.
    Groups,
    /// By the names of groups, which give all their points or none, and of test cases.
    Named(Vec<(String, Score)>),
}

/// The table of points beside bare tests.
pub const TABLE: &str = "points.csv";

const SAMPLE: &str = "sample";
const SECRET: &str = "secret";

/// How many names a message lists.
const SHOWN: usize = 12;

impl Points {
    /// The value of an option.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let named = |pair: &str| {
            let (name, points) = pair.rsplit_once('=').ok_or(
                "give `cases`, `groups`, or the points of each group, such as easy=30,hard=70",
            )?;
            Ok((name.trim().to_owned(), parse_points(points)?))
        };
        match text {
            "cases" => Ok(Self::Cases),
            "groups" => Ok(Self::Groups),
            _ => text.split(',').map(named).collect::<Result<_, String>>().map(Self::Named),
        }
    }

    /// A table with the columns name and points; a first row without a number is their titles.
    ///
    /// # Errors
    /// Names the line.
    pub fn parse_table(text: &str) -> Result<Self, String> {
        let mut all = Vec::new();
        for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
            let cells: Vec<&str> =
                line.split([',', ';', '\t']).map(|cell| cell.trim().trim_matches('"')).collect();
            match cells[..] {
                [""] => {}
                [name, points, ..] => match parse_points(points) {
                    Ok(points) => all.push((name.to_owned(), points)),
                    Err(_) if number == 1 => {}
                    Err(why) => return Err(format!("line {number}: {why}")),
                },
                _ => return Err(format!("line {number}: `{line}` is no name with its points")),
            }
        }
        Ok(Self::Named(all))
    }
}

fn parse_points(text: &str) -> Result<Score, String> {
    let points = text.trim().parse().ok().filter(|points| *points >= 0.0).and_then(Score::new);
    points.ok_or_else(|| format!("`{text}` is no number of points of at least 0"))
}

/// The words of directories of samples.
fn is_sample(name: &str) -> bool {
    name.split('/').rev().skip(1).any(|part| part == SAMPLE || part == "samples")
}

/// Samples get no points, unless there is nothing else. Returns the test cases that got no points, in words.
///
/// # Errors
/// If a name is none of a group or a test case, or if two names overlap.
pub fn set_points(problem: &mut Problem, points: &Points) -> Result<Option<String>, Remark> {
    let is_scoring = problem.kind.grading == Grading::Scoring || problem.graders.is_some();
    if *points == Points::Groups && is_scoring {
        return Ok(None);
    }
    let names: Vec<String> = problem.test_data.cases.iter().map(|case| case.name.clone()).collect();
    let is_below = |root: &str| names.iter().any(|name| is_inside(name, root));
    let root = if is_below(SECRET) && !problem.layout.is_guessed { SECRET } else { "" };
    let inside: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| is_inside(name, root)).collect();
    let mut counted: Vec<&str> = inside.iter().filter(|name| !is_sample(name)).copied().collect();
    let has_samples_only = counted.is_empty();
    if has_samples_only {
        counted = inside;
    }
    let directories = directories(&counted);
    let group = |name: &str, most: f64, aggregation| {
        TestGroup::scored(name, Score::new(most), aggregation, Vec::new())
    };
    let of_directories = |most: &dyn Fn(&str) -> usize, aggregation| -> Vec<TestGroup> {
        let groups = directories.iter();
        groups.map(|name| group(name, most(name) as f64, aggregation)).collect()
    };
    let mut own: HashMap<&str, Score> = HashMap::new();
    let mut left_out = None;
    let (groups, of_root) = match points {
        Points::Cases => {
            own.extend(counted.iter().map(|name| (*name, Score::ONE)));
            let number = |group: &str| counted.iter().filter(|name| is_inside(name, group)).count();
            let of_root = group(root, counted.len() as f64, Aggregation::Sum);
            (of_directories(&number, Aggregation::Sum), of_root)
        }
        Points::Groups if directories.is_empty() => {
            (Vec::new(), group(root, 1.0, Aggregation::PassFail))
        }
        Points::Groups => {
            let of_root = group(root, directories.len() as f64, Aggregation::Sum);
            (of_directories(&|_| 1, Aggregation::PassFail), of_root)
        }
        Points::Named(named) => {
            let found = find_names(named, &counted)?;
            let cases: HashSet<&str> = counted.iter().copied().collect();
            let is_case = |(name, _): &&(&str, Score)| cases.contains(name);
            own.extend(found.iter().filter(is_case).copied());
            let groups = found.iter().filter(|named| !is_case(named));
            let groups = groups
                .map(|(name, most)| group(name, most.points(), Aggregation::PassFail))
                .collect();
            let named: HashSet<&str> = found.iter().map(|(name, _)| *name).collect();
            counted.retain(|name| !is_named(name, &named));
            left_out = (!counted.is_empty())
                .then(|| format!("no points are given for {}", short_list(&counted, SHOWN)));
            let total = found.iter().map(|(_, most)| most.points()).sum();
            (groups, group(root, total, Aggregation::Sum))
        }
    };
    let is_all_or_nothing = |group: &TestGroup| {
        group.scoring.as_ref().is_some_and(|scoring| scoring.aggregation == Aggregation::PassFail)
    };
    let mut cases = std::mem::take(&mut problem.test_data.cases);
    for case in &mut cases {
        let group = groups.iter().find(|group| is_inside(&case.name, &group.name));
        let points = own.get(&*case.name).copied().unwrap_or_default();
        let points = (!is_all_or_nothing(group.unwrap_or(&of_root))).then_some(points);
        case.validator_points = points.map(|_| case.points.unwrap_or(Score::ONE));
        case.points = points;
    }
    // Samples first, then group by group.
    cases.sort_by_cached_key(|case| {
        let is_first = !has_samples_only && is_inside(&case.name, SAMPLE);
        let group = groups.iter().position(|group| is_inside(&case.name, &group.name));
        (Reverse(is_first), group.unwrap_or(usize::MAX))
    });
    let samples = TestGroup { name: SAMPLE.to_owned(), scoring: None };
    let samples = (!has_samples_only).then_some(samples);
    problem.kind.grading = Grading::Scoring;
    problem.graders = None;
    problem.test_data.cases = cases;
    problem.test_data.groups = samples.into_iter().chain([of_root]).chain(groups).collect();
    Ok(left_out)
}

/// The directories in which these test cases are; none unless each case is in one, and there are several.
fn directories<'a>(names: &[&'a str]) -> BTreeSet<&'a str> {
    let [first, ..] = names else { return BTreeSet::new() };
    let is_common = |group: &&str| names.iter().all(|name| is_inside(name, group));
    let common = enclosing_groups(first).find(is_common).unwrap_or_default();
    let below = if common.is_empty() { 0 } else { common.len() + 1 };
    let directory = |name: &&'a str| Some(&name[..below + name[below..].find('/')?]);
    let directories: Option<BTreeSet<&str>> = names.iter().map(directory).collect();
    directories.unwrap_or_default()
}

/// The groups and test cases that a user means, with their points.
fn find_names<'a>(
    named: &[(String, Score)],
    counted: &[&'a str],
) -> Result<Vec<(&'a str, Score)>, Remark> {
    let groups: BTreeSet<&'a str> = counted
        .iter()
        .flat_map(|name| enclosing_groups(name))
        .filter(|it| !it.is_empty())
        .collect();
    let cases: BTreeSet<&'a str> = counted.iter().copied().collect();
    let mut found: Vec<(&str, Score)> = Vec::new();
    let mut unknown = Vec::new();
    for (typed, points) in named {
        let name = composed(typed.trim_matches('/'));
        let below = format!("/{name}");
        let mut ends = groups.iter().chain(&cases).filter(|it| it.ends_with(&below));
        let whole = groups.get(&*name).or_else(|| cases.get(&*name));
        match (whole, ends.next(), ends.next()) {
            (Some(name), ..) | (None, Some(name), None) => found.push((name, *points)),
            _ => unknown.push(format!("`{typed}`")),
        }
    }
    if !unknown.is_empty() {
        let what =
            format!("not the name of a group or a test case: {}", short_list(&unknown, SHOWN));
        let known: Vec<&str> = if groups.is_empty() { cases } else { groups }.into_iter().collect();
        let help = format!("names are {}; samples have no points", short_list(&known, SHOWN));
        return Err(Remark::with_help(what, help));
    }
    let mut names: HashSet<&str> = HashSet::new();
    let twice = found.iter().filter(|(name, _)| !names.insert(name));
    let mut overlaps: Vec<&str> = twice.map(|(name, _)| *name).collect();
    let inner = names.iter().filter(|name| enclosing_groups(name).any(|it| names.contains(it)));
    overlaps.extend(inner);
    overlaps.sort_unstable();
    if overlaps.is_empty() {
        return Ok(found);
    }
    let what = format!("points are given twice: {}", short_list(&overlaps, SHOWN));
    Err(Remark::with_help(what, "give them to a group, or to the test cases in it"))
}

fn is_named(name: &str, named: &HashSet<&str>) -> bool {
    [name].into_iter().chain(enclosing_groups(name)).any(|name| named.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::test_data::TestCase;

    /// The groups and the test cases with their points, then what is left out; or the error.
    fn points(names: &[&str], points: &str) -> String {
        let case = |name: &&str| TestCase { name: (*name).to_owned(), ..TestCase::default() };
        let mut problem = Problem::default();
        problem.layout.is_guessed = !names.iter().any(|name| is_inside(name, SECRET));
        problem.test_data.cases = names.iter().map(case).collect();
        let points = Points::parse(points).or_else(|_| Points::parse_table(points));
        let result = points.map_err(Remark::from).and_then(|it| set_points(&mut problem, &it));
        let left_out = match result {
            Ok(left_out) => left_out.map_or(String::new(), |what| format!("; {what}")),
            Err(remark) => return remark.into_parts().0,
        };
        let groups = problem.test_data.groups.iter().filter_map(|group| {
            let scoring = group.scoring.as_ref()?;
            Some(format!("{}:{}", group.name, scoring.max_score.unwrap_or_default()))
        });
        let cases = problem.test_data.cases.iter().map(|case| {
            let points = case.points.map_or("-".to_owned(), |points| points.to_string());
            format!("{}={points}", case.name)
        });
        let all: Vec<String> = groups.chain(cases).collect();
        all.join(" ") + &left_out
    }

    #[test]
    fn points_are_given_to_groups_and_test_cases() {
        let check = |names: &[&str], given: &str, expected: &str| {
            assert_eq!(points(names, given), expected, "{names:?} {given}");
        };
        let two = &["easy/1", "easy/2", "hard/1"];
        check(two, "cases", ":3 easy:2 hard:1 easy/1=1 easy/2=1 hard/1=1");
        check(two, "groups", ":2 easy:1 hard:1 easy/1=- easy/2=- hard/1=-");
        check(two, "easy=30,hard=70", ":100 easy:30 hard:70 easy/1=- easy/2=- hard/1=-");
        check(
            two,
            "hard=7,easy/2=0.5",
            ":7.5 hard:7 hard/1=- easy/1=0 easy/2=0.5; no points are given for easy/1",
        );
        check(
            two,
            "\u{feff}name;points\neasy;3\n\nhard/1;2\n",
            ":5 easy:3 easy/1=- easy/2=- hard/1=2",
        );
        check(two, "name,points\neasy,x\n", "line 2: `x` is no number of points of at least 0");
        check(two, "name,points\neasy\n", "line 2: `easy` is no name with its points");
        check(two, "middle=1,easy=2", "not the name of a group or a test case: `middle`");
        check(two, "easy=1,easy/1=2", "points are given twice: easy/1");
        check(two, "easy=1,easy/=2", "points are given twice: easy");
        check(&["a/1", "a-2/1", "a/3"], "a=1,a-2=1,a/3=1", "points are given twice: a/3");
        // Samples have none, wherever they are, and come first if juror knows their group.
        let samples = &["hard/1", "sample/1", "samples/2"];
        check(samples, "cases", ":1 sample/1=0 hard/1=1 samples/2=0");
        check(samples, "sample=1", "not the name of a group or a test case: `sample`");
        check(&["sample/1", "sample/2"], "cases", ":2 sample/1=1 sample/2=1");
        check(
            &["sample/a/1", "sample/b/2"],
            "a=1,b=2",
            ":3 sample/a:1 sample/b:2 sample/a/1=- sample/b/2=-",
        );
        check(
            &["tests/a/1", "tests/b/1"],
            "a=1,b=2",
            ":3 tests/a:1 tests/b:2 tests/a/1=- tests/b/1=-",
        );
        let package = &["sample/1", "secret/a/1", "secret/b/1"];
        check(
            package,
            "groups",
            "secret:2 secret/a:1 secret/b:1 sample/1=0 secret/a/1=- secret/b/1=-",
        );
        check(
            package,
            "a=1,b=2",
            "secret:3 secret/a:1 secret/b:2 sample/1=0 secret/a/1=- secret/b/1=-",
        );
        check(&["1", "2"], "2=5,1=2", ":7 1=2 2=5");
        check(&["a/x", "b/x"], "x=5", "not the name of a group or a test case: `x`");
    }
}
