//! Tests in one JSON file: `.prob` of the editor extension CPH, or a list of inputs and outputs.
//!
//! Source: CPH, `src/types.ts` and `src/parser.ts`. Its file has the keys of Competitive Companion and `srcPath`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::package::companion::{
    CompanionProblem, CompanionTest, LARGEST_BODY, MOST_TESTS, check_bounds,
};
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::layout::Layout;
use juror_core::problem::Problem;
use juror_core::root::{FilePath, is_outside_error};
use juror_core::stop::Stop;
use juror_core::text::count;
use juror_core::units::Bytes;

/// The ending of files that CPH writes.
pub const CPH_ENDING: &str = "prob";
const ENDINGS: [&str; 2] = [CPH_ENDING, "json"];
/// The directory for files of CPH, beside the sources.
const CPH_DIRECTORY: &str = ".cph";
/// How many values a file has at most, so that they take little memory: far more than [`MOST_TESTS`] need.
const MOST_VALUES: usize = 100 * MOST_TESTS;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestsFile {
    path: PathBuf,
    /// The source that CPH made it for.
    source: Option<PathBuf>,
    /// Its tests and limits.
    problem: CompanionProblem,
}

impl TestsFile {
    pub fn is_one(path: &Path) -> bool {
        let ending = path.extension().unwrap_or_default();
        ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)) && path.is_file()
    }

    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let refused = |message: String| {
            let help = "give a .prob file of CPH, or a list such as [{\"input\": \"1\\n\", \"output\": \"2\\n\"}]";
            Diagnostic::error(path, message).help(help)
        };
        let text = beside_source(path).read_text(LARGEST_BODY as u64);
        let text = text.map_err(|error| refused(format!("cannot be read: {error}")))?;
        let text = text.trim_start_matches('\u{feff}');
        if count_values(text) > MOST_VALUES {
            return Err(refused(format!(
                "has more than {MOST_VALUES} values; at most {MOST_TESTS} tests are read"
            )));
        }
        let document: Value =
            serde_json::from_str(text).map_err(|error| refused(format!("is not JSON: {error}")))?;
        let list = document.as_array().or_else(|| document.get("tests")?.as_array());
        let list = list.ok_or_else(|| refused("has no list of tests".to_owned()))?;
        let limit = |key: &str, unit: &str| {
            let Some(value) = document.get(key) else { return Ok(None) };
            let number = positive_number(value).map(Some);
            number.ok_or_else(|| refused(format!("`{key}` must be a number of {unit}")))
        };
        let limits = [limit("timeLimit", "milliseconds")?, limit("memoryLimit", "MiB")?];
        check_bounds(list.len(), limits).map_err(refused)?;
        let mut tests = Vec::new();
        for (index, test) in list.iter().enumerate() {
            let text = |key: &str| {
                let text = test.get(key).and_then(Value::as_str).map(str::to_owned);
                text.ok_or_else(|| refused(format!("has no text `{key}` in test {}", index + 1)))
            };
            tests.push(CompanionTest { input: text("input")?, output: text("output")? });
        }
        if tests.is_empty() {
            return Err(refused("has no tests".to_owned()));
        }
        Ok(Self {
            path: path.to_owned(),
            source: document.get("srcPath").and_then(Value::as_str).map(PathBuf::from),
            problem: CompanionProblem {
                interactive: document.get("interactive").and_then(Value::as_bool) == Some(true),
                time_limit: limits[0],
                memory_limit: limits[1],
                tests,
                ..CompanionProblem::default()
            },
        })
    }

    /// Writes the tests as files into a directory, and returns the one with them.
    pub fn unpack(&self, into: &Path) -> Result<PathBuf, Stop> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = name_without_digest(&stem).unwrap_or(stem.trim_start_matches('.'));
        let dir = into.join(if name.is_empty() { "tests" } else { name });
        let write = || -> io::Result<()> {
            fs::create_dir(&dir)?;
            for (number, CompanionTest { input, output }) in (1..).zip(&self.problem.tests) {
                fs::write(dir.join(format!("{number}.in")), input)?;
                fs::write(dir.join(format!("{number}.ans")), output)?;
            }
            Ok(())
        };
        write().map_err(|error| JudgeError::new("unpack tests", error))?;
        Ok(dir)
    }

    /// Gives the problem of the unpacked tests the limits of the file.
    pub fn complete(&self, problem: &mut Problem) {
        let limits = &mut problem.limits;
        if let Some(seconds) = self.problem.seconds() {
            limits.time_limit = Some(Duration::from_secs_f64(seconds));
            problem.layout = Layout { time_limit: "the file of tests", ..problem.layout };
        }
        limits.memory = self.problem.mebibytes().map(Bytes::mib).or(limits.memory);
        let tests = count(self.problem.tests.len(), "test");
        let interactive = if self.problem.interactive {
            "; the problem is interactive, but outputs are only compared"
        } else {
            ""
        };
        problem.format_reason = format!("{tests} in {}{interactive}", self.path.display());
        // Their order is that of the file, not of their names.
        problem.test_data.cases.sort_by_key(|case| case.name.parse().unwrap_or(usize::MAX));
    }

    /// The file that CPH made for this source: the only one for its name, or else the only one that names its path.
    pub fn of_source(source: &Path) -> Result<Option<Self>, Diagnostic> {
        let Some(name) = source.file_name().and_then(|name| name.to_str()) else { return Ok(None) };
        let above = source.parent().unwrap_or(Path::new(""));
        let dir = FilePath::root(above).join(CPH_DIRECTORY);
        let names = match dir.names() {
            Err(error) if is_outside_error(&error) => {
                let message = "is a link that leads out of the directory of the source";
                return Err(Diagnostic::error(&dir, message).help("remove it, or give the tests"));
            }
            names => names.unwrap_or_default(),
        };
        let (start, end) = (format!(".{name}_"), format!(".{CPH_ENDING}"));
        let is_of_source = |file: &str| file.starts_with(&start) && file.ends_with(&end);
        let found = names.iter().filter(|file| file.to_str().is_some_and(is_of_source));
        let mut found: Vec<PathBuf> = found.map(|file| dir.join(file).into()).collect();
        found.sort();
        match &found[..] {
            [] => Ok(None),
            [only] => Self::read(only).map(Some),
            [first, ..] => {
                let real = fs::canonicalize(source).ok();
                let all = found.iter().map(|path| Self::read(path));
                let mut all: Vec<Self> = all.collect::<Result<_, _>>()?;
                all.retain(|file| file.source.is_some() && file.source == real);
                let count = all.len();
                all.pop().filter(|_| count == 1).map(Some).ok_or_else(|| {
                    let message = format!("is one of {} files for {name}", found.len());
                    let help = "give one: juror judge FILE.prob SUBMISSION";
                    Diagnostic::error(first, message).help(help)
                })
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The name of the source, if CPH made the file: `.a.cpp_0123456789abcdef` has the digest of the path.
fn name_without_digest(stem: &str) -> Option<&str> {
    let (name, digest) = stem.strip_prefix('.')?.rsplit_once('_')?;
    digest.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(name)
}

/// A limit, which some tools write in quotes; 0 if it is unknown. `None` if it is no limit.
fn positive_number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Null => Some(0.0),
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    };
    number.filter(|number| (0.0..f64::INFINITY).contains(number))
}

/// A file of CPH must be below the directory of its source, even if it is a link.
fn beside_source(path: &Path) -> FilePath {
    let above =
        path.parent().filter(|directory| directory.ends_with(CPH_DIRECTORY)).and_then(Path::parent);
    let Some(above) = above else { return FilePath::root(path) };
    FilePath::root(above).join(CPH_DIRECTORY).join(path.file_name().unwrap_or_default())
}

/// The values and keys of a JSON document, or somewhat more.
fn count_values(json: &str) -> usize {
    let (mut count, mut is_text, mut bytes) = (0, false, json.bytes());
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_text = !is_text,
            b'\\' => _ = bytes.next(),
            b'[' | b'{' | b',' | b':' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[[&str; 2]], &str>) {
        let keep = tempfile::tempdir().expect("a directory");
        let path = keep.path().join(".a.cpp_0123.prob");
        fs::write(&path, text).expect("a file");
        match (TestsFile::read(&path), expected) {
            (Ok(found), Ok(tests)) => {
                let all = found.problem.tests.iter().map(|test| [&*test.input, &*test.output]);
                assert_eq!(all.collect::<Vec<_>>(), tests, "{text}");
                let out = tempfile::tempdir().expect("a directory");
                let dir = found.unpack(out.path()).expect("files");
                assert_eq!(dir.file_name().expect("a name"), "a.cpp");
                assert_eq!(fs::read_to_string(dir.join("1.in")).expect("an input"), tests[0][0]);
            }
            (Err(diagnostic), Err(message)) => {
                assert!(diagnostic.to_string().contains(message), "{text}: {diagnostic}");
            }
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn tests_are_read_from_json() {
        check(r#"[{"input": "1\n", "output": "2\n"}]"#, Ok(&[["1\n", "2\n"]]));
        check(
            r#"{"name": "A", "timeLimit": 1500, "tests": [{"id": 7, "input": "1", "output": "2"}]}"#,
            Ok(&[["1", "2"]]),
        );
        check("\u{feff}[{\"input\": \"1\", \"output\": \"2\"}]", Ok(&[["1", "2"]]));
        check("", Err("is not JSON"));
        check("{\"tests\": [", Err("is not JSON"));
        check("{}", Err("has no list of tests"));
        check("[]", Err("has no tests"));
        check("3", Err("has no list of tests"));
        check(r#"[{"input": "1"}]"#, Err("has no text `output` in test 1"));
        check(r#"[{"input": 1, "output": "1"}]"#, Err("has no text `input` in test 1"));
    }

    #[test]
    fn limits_are_numbers_or_errors() {
        let check = |limits: &str, expected: Result<(u64, u64), &str>| {
            let keep = tempfile::tempdir().expect("a directory");
            let path = keep.path().join("tests.json");
            let text = format!("{{\"tests\": [{{\"input\": \"\", \"output\": \"\"}}]{limits}}}");
            fs::write(&path, text).expect("a file");
            let found = TestsFile::read(&path).map_err(|error| error.message).map(|file| {
                let seconds = file.problem.seconds().unwrap_or_default();
                ((seconds * 1000.0) as u64, file.problem.mebibytes().unwrap_or_default())
            });
            assert_eq!(found.as_ref().copied().map_err(|message| &**message), expected, "{limits}");
        };
        check("", Ok((0, 0)));
        check(r#", "timeLimit": 1500, "memoryLimit": 64"#, Ok((1500, 64)));
        check(r#", "timeLimit": "1000", "memoryLimit": "64""#, Ok((1000, 64)));
        check(r#", "timeLimit": " 2500.0 ""#, Ok((2500, 0)));
        check(r#", "timeLimit": null, "memoryLimit": 0"#, Ok((0, 0)));
        let time = Err("`timeLimit` must be a number of milliseconds");
        check(r#", "timeLimit": "1 s""#, time);
        check(r#", "timeLimit": -5"#, time);
        check(r#", "timeLimit": true"#, time);
        check(r#", "timeLimit": "inf""#, time);
        check(r#", "timeLimit": "1e999""#, time);
        check(r#", "memoryLimit": "64 MB""#, Err("`memoryLimit` must be a number of MiB"));
        check(r#", "memoryLimit": [64]"#, Err("`memoryLimit` must be a number of MiB"));
    }

    #[test]
    fn only_the_digest_of_cph_is_cut_from_a_name() {
        let check = |name: &str, expected: &str| {
            let keep = tempfile::tempdir().expect("a directory");
            let path = keep.path().join(name);
            fs::write(&path, r#"[{"input": "", "output": ""}]"#).expect("a file");
            let out = tempfile::tempdir().expect("a directory");
            let dir = TestsFile::read(&path).expect("tests").unpack(out.path()).expect("files");
            assert_eq!(dir.file_name().expect("a name"), expected, "{name}");
        };
        check(".a.cpp_0123456789abcdef0123456789abcdef.prob", "a.cpp");
        check(".two_words.py_00ff.prob", "two_words.py");
        check("sum_large.json", "sum_large");
        check("sum_2024.json", "sum_2024");
        check("a_b_c.prob", "a_b_c");
        check(".sum_large.prob", "sum_large");
        check("_1.json", "_1");
    }

    #[test]
    fn tests_in_json_have_the_bounds_of_those_from_a_browser() {
        let tests = |count: usize| {
            let test = r#"{"input": "", "output": "[,:{\\\""}"#;
            [test].repeat(count).join(",")
        };
        let with =
            |key: &str, value: &str| format!(r#"{{"{key}": {value}, "tests": [{}]}}"#, tests(1));
        check(&format!("[{}]", tests(1000)), Ok(&[["", "[,:{\\\""]; 1000]));
        let many = "1001 tests are too many: at most 1000 are read";
        check(&format!("[{}]", tests(1001)), Err(many));
        check(&format!(r#"{{"tests": [{}]}}"#, tests(1001)), Err(many));
        check(&with("memoryLimit", "1e308"), Err("`memoryLimit` is too large: at most 1048576"));
        check(&with("memoryLimit", "1048577"), Err("`memoryLimit` is too large"));
        check(&with("timeLimit", "86400001"), Err("`timeLimit` is too large: at most 86400000"));
        check(&with("timeLimit", "86400000"), Ok(&[["", "[,:{\\\""]]));
        let keep = tempfile::tempdir().expect("a directory");
        let path = keep.path().join("a.json");
        let least =
            r#"{"timeLimit": 1e-300, "memoryLimit": 0.5, "tests": [{"input": "", "output": ""}]}"#;
        fs::write(&path, least).expect("a file");
        let found = TestsFile::read(&path).expect("tests");
        assert_eq!(found.problem.seconds(), Some(0.001));
        assert_eq!(found.problem.mebibytes(), Some(1));
        // A value takes forty times the memory of its text.
        let values = "has more than 100000 values; at most 1000 tests are read";
        for value in ["0", "[]", "{}", "\"\"", r#"{"":0}"#] {
            check(&with("x", &format!("[{}]", [value].repeat(100_000).join(","))), Err(values));
        }
        check(&format!("[{}", "[".repeat(100_001)), Err(values));
        check(&"[".repeat(1000), Err("is not JSON: recursion limit"));
        check(&" ".repeat((16 << 20) + 1), Err("it has more than 16 MiB"));
    }

    #[test]
    fn a_file_of_cph_is_below_the_directory_of_its_source() {
        let keep = tempfile::tempdir().expect("a directory");
        let [inside, outside] = ["inside", "outside"].map(|name| keep.path().join(name));
        let text = r#"[{"input": "", "output": "1"}]"#;
        for dir in [&inside, &outside] {
            fs::create_dir_all(dir.join(".cph")).expect("a directory");
            fs::write(dir.join(".cph/.a.py_1.prob"), text).expect("a file");
            fs::write(dir.join("a.py"), "").expect("a source");
        }
        let found = || TestsFile::of_source(&inside.join("a.py")).map(|file| file.is_some());
        let own = inside.join(".cph/.a.py_1.prob");
        let link =
            |target: &str, at: &Path| std::os::unix::fs::symlink(target, at).expect("a link");
        let check = |is_found: Result<bool, &str>| match (found(), is_found) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(diagnostic), Err(expected)) => {
                assert!(diagnostic.to_string().contains(expected), "{diagnostic}");
            }
            (found, _) => panic!("{found:?}"),
        };
        check(Ok(true));
        fs::rename(&own, inside.join("other")).expect("a name");
        link("../other", &own);
        check(Ok(true));
        for target in ["../../outside/.cph/.a.py_1.prob", "/proc/self/environ", "/dev/zero"] {
            fs::remove_file(&own).expect("a link");
            link(target, &own);
            check(Err("cannot be read: "));
            // It is read again when the package is opened.
            assert!(TestsFile::read(&own).is_err(), "{target}");
        }
        fs::remove_dir_all(inside.join(".cph")).expect("a directory");
        check(Ok(false));
        link("../outside/.cph", &inside.join(".cph"));
        check(Err("is a link that leads out of the directory of the source"));
    }

    #[test]
    fn the_file_of_a_source_is_found_by_its_name() {
        let keep = tempfile::tempdir().expect("a directory");
        let source = keep.path().join("a.cpp");
        fs::write(&source, "").expect("a source");
        fs::create_dir(keep.path().join(".cph")).expect("a directory");
        let real = fs::canonicalize(&source).expect("a path");
        let write = |name: &str, source: &str| {
            let text =
                format!(r#"{{"srcPath": "{source}", "tests": [{{"input": "", "output": "1"}}]}}"#);
            fs::write(keep.path().join(".cph").join(name), text).expect("a file");
        };
        let found = || TestsFile::of_source(&source).map(|file| file.map(|file| file.path));
        let path = |name: &str| Ok(Some(keep.path().join(".cph").join(name)));
        write(".b.cpp_1.prob", "");
        write(".a.cpp.prob", "");
        assert_eq!(found(), Ok(None));
        write(".a.cpp_1.prob", "/elsewhere/a.cpp");
        assert_eq!(found(), path(".a.cpp_1.prob"));
        write(".a.cpp_2.prob", &real.display().to_string());
        assert_eq!(found(), path(".a.cpp_2.prob"));
        write(".a.cpp_2.prob", "");
        assert!(found().is_err());
    }
}
