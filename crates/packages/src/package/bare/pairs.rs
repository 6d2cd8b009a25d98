//! Which files are inputs, and which their answers: their names differ in one part, by a table of words.
//!
//! Every two files that may belong together are ranked, and the best come first: each tool names its tests in its own
//! way, and nothing says which tool it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::package::files::join_name;
use juror_core::language::table::Language;
use juror_core::text::composed;

/// The word in the name of an input, and the words of answers. The first answer that exists is taken: some tools write
/// the program's own output to `.out`.
const WORDS: [(&str, &[&str]); 7] = [
    ("in", &["ans", "answer", "a", "sol", "ref", "expected", "out", "output", "ou"]),
    ("input", &["ans", "answer", "sol", "expected", "output", "out"]),
    ("inputs", &["answers", "outputs"]),
    ("inp", &["ans", "out", "oup"]),
    ("dat", &["ans", "answer", "sol", "expected", "out"]),
    ("stdin", &["ans", "ref", "expected", "stdout", "out"]),
    ("i", &["o"]),
];

/// In Polygon, the input `01` has the answer `01.a`.
const ANSWER_TO_DIGITS: &str = "a";

/// A shorter word must be a whole part of a name, since it is also part of other words.
const LONG: usize = 5;

/// The last places of a word in a name are tried, and the first names that differ only in case: more would take work by
/// the square of their number.
const MOST_CHOICES: usize = 4;

/// Directories of tests beside a source.
pub const FOLDERS: [&str; 6] = ["test", "tests", "sample", "samples", "data", "testcases"];

/// With a number, these are directories of some of the tests, such as `subtask1`.
const PARTS: [&str; 10] =
    ["subtask", "sub", "group", "batch", "set", "part", "case", "test", "sample", "testcase"];

/// Directories of groups, as teachers name them. Below a directory of tests, every name is one.
const GROUPS: [&str; 13] = [
    "secret", "visible", "hidden", "public", "private", "example", "examples", "easy", "medium",
    "hard", "small", "large", "extra",
];

/// Of a package, whose settings are missing if it is read as bare tests.
const PACKAGE_DATA: &str = "data";
const PACKAGE_PARTS: [&str; 2] = ["sample", "secret"];

/// Directories below the package, such as `data/subtask1/in`.
const MAX_DEPTH: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair<'a> {
    pub input: &'a str,
    pub answer: &'a str,
    /// The input's name without the part that makes it an input.
    pub case: String,
}

/// A name that the answer to an input could have. The least rank is best.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// 0 if input and answer are in the same directory.
    directory: usize,
    /// Bytes behind the part in which the names of the files differ: the last part says what a file is.
    behind: usize,
    answer_word: usize,
    /// How many letters differ in case.
    case_distance: usize,
    pub(super) name: String,
    pub(super) case: String,
}

/// All pairs, sorted by input. No file is in two pairs, and the order of names does not matter.
pub(super) fn find_pairs<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Pair<'a>> {
    let names: BTreeSet<&str> = names.into_iter().filter(|name| is_test(name)).collect();
    let mut by_lower: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in &names {
        by_lower.entry(composed(name).to_ascii_lowercase()).or_default().push(name);
    }
    let mut choices = Vec::new();
    for input in &names {
        for candidate in candidates(input) {
            // Windows does not tell `1.IN` from `1.in`.
            let similar = by_lower.get(&composed(&candidate.name).to_ascii_lowercase());
            let others = similar.into_iter().flatten().filter(|name| **name != candidate.name);
            let exact = names.get(candidate.name.as_str()).into_iter();
            for answer in exact.chain(others.take(MOST_CHOICES)).filter(|name| *name != input) {
                let case_distance = case_distance(&candidate.name, answer);
                choices.push((Candidate { case_distance, ..candidate.clone() }, *input, *answer));
            }
        }
    }
    choices.sort();
    let mut paired = BTreeSet::new();
    let mut pairs = Vec::new();
    for (Candidate { case, .. }, input, answer) in choices {
        if paired.contains(input) || paired.contains(answer) {
            continue;
        }
        paired.extend([input, answer]);
        pairs.push(Pair { input, answer, case });
    }
    pairs.sort_by_key(|pair| (pair.input.rsplit_once('/').map(|(above, _)| above), pair.input));
    let mut cases = BTreeSet::new();
    for pair in &mut pairs {
        // `7.in` and `input7.txt` are two test cases.
        let file_names = format!("{} {}", pair.input, pair.answer);
        let names = [composed(&pair.case), pair.input.to_owned(), file_names];
        pair.case = names.into_iter().find(|name| !cases.contains(name)).unwrap_or_default();
        cases.insert(pair.case.clone());
    }
    pairs
}

/// Inputs without answers, with the names of their test cases: the last word in the name is one of inputs, or else the
/// directory's.
pub(super) fn find_unanswered<'a>(names: &[&'a str], pairs: &[Pair<'a>]) -> Vec<(&'a str, String)> {
    let paired: BTreeSet<&str> = pairs.iter().flat_map(|pair| [pair.input, pair.answer]).collect();
    let mut cases: BTreeSet<String> = pairs.iter().map(|pair| pair.case.clone()).collect();
    let is_lonely = |name: &&&str| !paired.contains(**name) && is_input(name);
    let named = names.iter().filter(is_lonely).map(|name| {
        let case = candidates(name).into_iter().min().map(|candidate| composed(&candidate.case));
        let case = case.filter(|case| cases.insert(case.clone()));
        (*name, case.unwrap_or_else(|| (*name).to_owned()))
    });
    named.collect()
}

fn is_input(name: &str) -> bool {
    let (directory, file) = split(name);
    let is_inputs = |word: &str| WORDS.iter().any(|(input, _)| input.eq_ignore_ascii_case(word));
    let ends = |word: &'static str| {
        places(file, word).last().map(|place| (place.start + word.len(), word))
    };
    match words().filter(|word| word.len() > 1).filter_map(ends).max() {
        Some((_, word)) => is_inputs(word),
        None if directory.split('/').any(is_role) => directory.split('/').any(is_inputs),
        None => !directory.is_empty() && file.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// Which of these inputs are the contestant's own, for trying something out: `input.txt` is, beside numbered ones of
/// other names, such as `1.in`.
pub(super) fn find_scratch<'a>(inputs: &[&'a str]) -> Vec<&'a str> {
    let mut numbered: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (directory, file) in inputs.iter().map(|name| split(name)) {
        if file.bytes().any(|byte| byte.is_ascii_digit()) {
            numbered.entry(directory).or_default().push(file);
        }
    }
    let is_scratch = |name: &&&str| {
        let (directory, file) = split(name);
        let is_stem = |word: &str| rests(file, word).any(|rest| rest.is_none());
        let stem = WORDS.iter().map(|(word, _)| *word).find(|word| is_stem(word));
        let others = numbered.get(directory);
        stem.zip(others)
            .is_some_and(|(stem, others)| !others.iter().any(|name| begins_with_stem(name, stem)))
    };
    inputs.iter().filter(is_scratch).copied().collect()
}

/// How many letters differ in case only.
fn case_distance(name: &str, other: &str) -> usize {
    name.bytes().zip(other.bytes()).filter(|(a, b)| a != b).count()
}

pub(super) fn candidates(input: &str) -> Vec<Candidate> {
    let (directory, file) = split(input);
    let files = replacements(file);
    let in_directory = |directory: &str, rank: usize, replaced: &Replacement| Candidate {
        directory: rank,
        behind: replaced.behind,
        answer_word: replaced.answer_word,
        case_distance: 0,
        name: join_name(directory, &replaced.name),
        case: join_name(split(input).0, &replaced.rest),
    };
    let mut all: Vec<Candidate> =
        files.iter().map(|file| in_directory(directory, 0, file)).collect();
    let same =
        Replacement { name: file.to_owned(), rest: file.to_owned(), ..Replacement::default() };
    for (other, rank) in answer_directories(directory) {
        all.extend([&same].into_iter().chain(&files).map(|file| in_directory(&other, rank, file)));
    }
    all
}

/// Directories for the answers of inputs in this one, with ranks: one of its parts is another word.
fn answer_directories(directory: &str) -> Vec<(String, usize)> {
    let parts: Vec<&str> = directory.split('/').collect();
    let mut all = Vec::new();
    for (index, part) in parts.iter().enumerate().filter(|(_, part)| is_role(part)) {
        for replaced in replacements(part).iter().filter(|word| is_role(&word.name)) {
            let mut other = parts.clone();
            other[index] = &replaced.name;
            all.push((other.join("/"), replaced.answer_word + 1));
        }
    }
    all
}

#[derive(Clone, Debug, Default)]
struct Replacement {
    name: String,
    /// What is left of the name without the word; the word if nothing is left.
    rest: String,
    behind: usize,
    answer_word: usize,
}

/// Each word of an input in this name, replaced by each word of its answer.
fn replacements(name: &str) -> Vec<Replacement> {
    let mut all = Vec::new();
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
        let (name, rest) = (format!("{name}.{ANSWER_TO_DIGITS}"), name.to_owned());
        all.push(Replacement { name, rest, ..Replacement::default() });
    }
    for (word, answers) in WORDS {
        for place in places(name, word) {
            let (before, after) = (&name[..place.start], &name[place.start + word.len()..]);
            let fits = |answer: &&str| place.is_whole || answer.len() >= LONG;
            for (answer_word, answer) in answers.iter().enumerate().filter(|(_, word)| fits(word)) {
                let written = name[place.start..][..word.len()].to_owned();
                all.push(Replacement {
                    name: format!("{before}{answer}{after}"),
                    rest: name_of_rest(before, after).unwrap_or(written),
                    behind: after.len(),
                    answer_word,
                });
            }
        }
    }
    all
}

/// `None` if nothing but `.txt` is left.
fn name_of_rest(before: &str, after: &str) -> Option<String> {
    const SEPARATORS: [char; 4] = ['.', '-', '_', ' '];
    let has_text_ending = after.to_ascii_lowercase().ends_with(".txt");
    let after = if has_text_ending { &after[..after.len() - ".txt".len()] } else { after };
    let [start, end] = [before.trim_end_matches(SEPARATORS), after.trim_start_matches(SEPARATORS)];
    match (start, end) {
        ("", "") => None,
        ("", end) => Some(end.to_owned()),
        // With the separator, if there is one: `x.in.1` is `x.1`.
        (start, "") => Some(start.to_owned()),
        (start, end) if before.len() > start.len() => {
            Some(format!("{start}{}{end}", &before[start.len()..]))
        }
        (start, end) => Some(format!("{start}{}{end}", &after[..after.len() - end.len()])),
    }
}

/// What is left of a name without a word, at each of its places.
fn rests(name: &str, word: &str) -> impl Iterator<Item = Option<String>> {
    let rest = |start: usize| name_of_rest(&name[..start], &name[start + word.len()..]);
    places(name, word).into_iter().map(move |place| rest(place.start))
}

struct WordPlace {
    start: usize,
    /// Whether there are no letters around it, or a capital begins it.
    is_whole: bool,
}

/// Where a word is in a name: as a whole part, or anywhere if it is long.
fn places(name: &str, word: &str) -> Vec<WordPlace> {
    let bytes = name.as_bytes();
    let is_border = |at: usize| {
        let (Some(before), Some(after)) = (at.checked_sub(1).map(|at| bytes[at]), bytes.get(at))
        else {
            return true;
        };
        !before.is_ascii_alphabetic()
            || !after.is_ascii_alphabetic()
            || before.is_ascii_lowercase() && after.is_ascii_uppercase()
    };
    let starts = name.char_indices().map(|(start, _)| start);
    let fitting = starts.filter(|start| {
        let found = bytes.get(*start..start + word.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    });
    let places = fitting.map(|start| WordPlace {
        start,
        is_whole: is_border(start) && is_border(start + word.len()),
    });
    let mut places: Vec<WordPlace> =
        places.filter(|place| place.is_whole || word.len() >= LONG).collect();
    places.split_off(places.len().saturating_sub(MOST_CHOICES))
}

/// All words of inputs and answers.
fn words() -> impl Iterator<Item = &'static str> {
    WORDS
        .into_iter()
        .flat_map(|(input, answers)| [input].into_iter().chain(answers.iter().copied()))
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

/// Whether a directory is one of inputs or one of answers. A single letter is too little.
fn is_role(directory: &str) -> bool {
    directory.len() > 1 && words().any(|word| word.eq_ignore_ascii_case(directory))
}

/// Whether tests may be in a directory, by its path below the package.
pub(super) fn is_folder(directory: &str) -> bool {
    let parts: Vec<&str> = directory.split('/').collect();
    let is_of_package =
        matches!(parts[..], [PACKAGE_DATA, part, ..] if PACKAGE_PARTS.contains(&part));
    let is_known = |(depth, part): (usize, &&str)| {
        let lower = part.to_ascii_lowercase();
        let number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | ' ');
        let word = lower.trim_end_matches(number);
        // Below the top, a number is enough.
        let is_part = PARTS.contains(&word) || word.is_empty() && depth > 0;
        is_role(part)
            || FOLDERS.iter().chain(&GROUPS).any(|known| *known == lower)
            || word.len() < lower.len() && is_part
            // But data of a package is not only tests.
            || depth > 0 && parts[0] != PACKAGE_DATA && !part.starts_with('.')
    };
    parts.len() <= MAX_DEPTH && !is_of_package && parts.iter().enumerate().all(is_known)
}

/// Whether a file may be an input or an answer, by its path below the package. Sources never are.
pub(super) fn is_test(name: &str) -> bool {
    let (directory, file) = split(name);
    let is_digits = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let answers_digits = |file: &str| {
        file.rsplit_once('.').is_some_and(|(stem, ending)| {
            is_digits(stem) && ending.eq_ignore_ascii_case(ANSWER_TO_DIGITS)
        })
    };
    (directory.is_empty() || is_folder(directory))
        && Language::of_file(Path::new(file)).is_none()
        && (is_digits(file)
            || answers_digits(file)
            || directory.split('/').any(is_role)
            || words().any(|word| !places(file, word).is_empty()))
}

/// Whether a file without a partner looks like one of a pair.
pub(super) fn is_left_over(name: &str, paired_directories: &BTreeSet<&str>) -> bool {
    let (directory, file) = split(name);
    // `a.out` is the output of a compiler.
    let is_part = |word: &str| rests(file, word).any(|rest| rest.is_some());
    is_test(name)
        && (words().any(|word| word.len() > 1 && file != "a.out" && is_part(word))
            || directory.split('/').any(is_role) && paired_directories.contains(directory))
}

/// Whether a test belongs to the source with this stem: its name begins with it. `a1` does not belong to `a10.in`.
pub(super) fn begins_with_stem(name: &str, stem: &str) -> bool {
    let file = split(name).1;
    let Some((start, rest)) = file.split_at_checked(stem.len()) else { return false };
    let kind = |c: char| (c.is_alphabetic(), c.is_numeric());
    let goes_on = match (start.chars().next_back(), rest.chars().next()) {
        (Some(last), Some(next)) => next.is_alphanumeric() && kind(last) == kind(next),
        _ => false,
    };
    !stem.is_empty() && start.eq_ignore_ascii_case(stem) && !goes_on
}
