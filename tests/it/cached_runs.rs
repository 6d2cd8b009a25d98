//! The cache: counts the programs that each command starts.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::fixture::{Fixture, RIGHT};
use crate::workers::worker;

/// A package with a cache.
struct CachedFixture {
    fixture: Fixture,
}

impl CachedFixture {
    fn new() -> Self {
        Self { fixture: Fixture::new() }
    }

    fn write_script(&self, name: &str, text: &str) {
        self.fixture.write(name, format!("#!/bin/sh\n{text}\n"));
        self.fixture.make_executable(name);
    }

    fn json(&self, line: &str) -> Value {
        let mut juror = self.fixture.juror(line);
        let juror = juror.arg("--json").env("JUROR_CACHE", self.fixture.path("kept"));
        let output = juror.output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// Also returns the document.
    fn count_started(&self, line: &str) -> (u64, Value) {
        let document = self.json(line);
        let started = document["cache"]["started"].as_u64();
        (started.unwrap_or_else(|| panic!("no cache: {document}")), document)
    }

    /// Checks how many programs a command starts.
    fn check(&self, line: &str, started: u64) -> Value {
        let (number, document) = self.count_started(line);
        assert_eq!(number, started, "juror {line}: {document}");
        document
    }
}

fn verdicts(document: &Value) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let submissions = document["submissions"].as_array().expect("submissions");
    let of = |submission: &Value| {
        let cases = submission["judgement"]["test_cases"].as_array().expect("test cases");
        (text(&submission["name"]), cases.iter().map(|case| text(&case["verdict"])).collect())
    };
    submissions.iter().map(of).collect()
}

fn document_cases(document: &Value) -> Vec<&Value> {
    let submissions = document["submissions"].as_array().expect("submissions").iter();
    submissions
        .flat_map(|submission| {
            submission["judgement"]["test_cases"].as_array().expect("test cases")
        })
        .collect()
}

#[test]
fn unchanged_work_starts_nothing_and_an_edited_submission_only_its_own_runs() {
    let juror = CachedFixture::new();
    let (first, before) = juror.count_started("verify sum");
    assert!(first > 8, "{first}");
    assert_eq!(before["cache"]["recalled"], 0);
    assert!(document_cases(&before).iter().all(|case| case["outcome"]["ran_at"].is_null()));
    let again = juror.check("verify sum", 0);
    assert_eq!(verdicts(&again), verdicts(&before));
    assert!(
        document_cases(&again).iter().all(|case| case["outcome"]["ran_at"].is_string()),
        "{again}"
    );
    assert!(again["cache"]["oldest"].is_string());

    // Four test cases, and nothing to build.
    juror.fixture.write("sum/submissions/accepted/right.sh", format!("{RIGHT}\n"));
    let edited = juror.check("verify sum", 4);
    assert_eq!(verdicts(&edited), verdicts(&before));
    juror.check("verify sum", 0);

    // A new input runs its validator and both submissions.
    juror.fixture.write("sum/data/secret/large/2.in", "7 7\n");
    juror.fixture.write("sum/data/secret/large/2.ans", "14\n");
    let (more, document) = juror.count_started("verify sum");
    assert!((3..first).contains(&more), "{document}");
    juror.check("verify sum", 0);
    let fresh = juror.count_started("verify sum --fresh").0;
    assert!(fresh >= first + 3, "{fresh} after {first}");
    juror.check("verify sum", 0);
}

#[test]
fn a_smaller_limit_is_judged_from_cached_results() {
    let juror = CachedFixture::new();
    juror.fixture.write("slow.sh", "while :; do :; done\n");
    let line = "judge sum sum/submissions/accepted/right.sh slow.sh --case sample/1 --time-limit";
    let first = juror.json(&format!("{line} 0.2"));
    for (limit, started) in [("0.16", 0), ("0.2", 0), ("0.12", 0)] {
        let again = juror.check(&format!("{line} {limit}"), started);
        assert_eq!(verdicts(&again), verdicts(&first));
    }
    // The cache does not know how long the run would take with a larger limit.
    let longer = juror.count_started(&format!("{line} 0.3")).0;
    assert!(longer >= 1);
    juror.check(&format!("{line} 0.2"), 0);
}

#[test]
fn equal_submissions_run_once() {
    let juror = CachedFixture::new();
    juror.fixture.write("a.sh", RIGHT);
    juror.fixture.write("b.sh", format!("{RIGHT}# another\n"));
    let line = "judge sum a.sh --case secret/small/*";
    let alone = juror.count_started(line).0;
    let both = juror.count_started("judge sum a.sh b.sh --fresh --case secret/small/*").0;
    assert_eq!(both, 2 * alone);
}

#[test]
fn damaged_entries_are_recomputed() {
    let juror = CachedFixture::new();
    let line = "judge sum sum/submissions/accepted/right.sh";
    let first = juror.count_started(line).0;
    juror.check(line, 0);
    for path in files(&juror.fixture.path("kept")) {
        let mut bytes = fs::read(&path).expect("a file");
        if let Some(byte) = bytes.last_mut() {
            *byte ^= 0xff;
        }
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 0x55;
        }
        fs::write(&path, bytes).expect("it is written");
    }
    let second = juror.json(line);
    assert_eq!(second["summary"]["accepted"], 1, "{second}");
    let started = second["cache"]["started"].as_u64().unwrap_or_default();
    assert!((1..=first).contains(&started), "{second}");
    juror.check(line, 0);
}

fn files(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let walk = walkdir::WalkDir::new(dir).into_iter().map(|entry| entry.expect("an entry"));
    walk.filter(|it| it.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// The submission knows the path of the cache, tries to write to it, and leaves links to it in its box. Only entries
/// of its own runs may change.
#[test]
fn a_submission_cannot_write_into_the_cache() {
    let juror = CachedFixture::new();
    // With all test cases, since another case may or may not run when the first is rejected.
    let honest = "judge sum sum/submissions/wrong_answer/wrong.sh --all";
    let before = juror.json(honest);
    let cache = juror.fixture.path("kept");
    let contents = |path: &std::path::PathBuf| fs::read(path).expect("a file");
    let known: Vec<_> = files(&cache).into_iter().map(|path| (contents(&path), path)).collect();
    assert!(!known.is_empty());
    let dir = cache.display();
    let attack = format!(
        "for root in '' /proc/1/root /proc/self/root /proc/$PPID/root /box/.. ; do\n\
         for file in $(find \"$root{dir}\" -type f 2>/dev/null) ; do echo AC > \"$file\"; rm -f \"$file\"; done\n\
         mkdir -p \"$root{dir}/facts\" 2>/dev/null && echo planted > \"$root{dir}/facts/planted.data\"\n\
         done\n\
         ln -s {dir} kept; ln -s {dir}/facts/version version; ln -s {dir} out; echo x > kept/planted 2>/dev/null\n\
         for fd in 3 4 5 6 7 8 9; do echo AC >&$fd; done 2>/dev/null\n\
         read -r a b; echo $((a + b))\n"
    );
    juror.fixture.write("hostile.sh", attack);
    let hostile = juror.json("judge sum hostile.sh --keep=boxes");
    assert_eq!(hostile["submissions"].as_array().map(Vec::len), Some(1), "{hostile}");
    for (bytes, path) in &known {
        let now = fs::read(path).unwrap_or_default();
        // Results of this command are appended.
        assert!(now.starts_with(bytes), "{} is not as it was", path.display());
    }
    let planted = |path: &std::path::PathBuf| {
        let bytes = contents(path);
        path.ends_with("planted.data") || memchr::memmem::find(&bytes, b"planted\n").is_some()
    };
    assert_eq!(
        files(&cache).into_iter().filter(planted).collect::<Vec<_>>(),
        Vec::<std::path::PathBuf>::new()
    );
    let after = juror.check(honest, 0);
    assert_eq!(verdicts(&after), verdicts(&before));
}

/// Another user may have made the directory of the cache.
#[test]
fn a_link_instead_of_the_cache_is_not_followed() {
    let juror = CachedFixture::new();
    fs::create_dir(juror.fixture.path("elsewhere")).expect("a directory");
    symlink(juror.fixture.path("elsewhere/deep"), juror.fixture.path("kept")).expect("a link");
    let document = juror.json("judge sum sum/submissions/accepted/right.sh");
    assert_eq!(document["summary"]["accepted"], 1, "{document}");
    assert!(!juror.fixture.path("elsewhere/deep").exists());
}

#[test]
fn runs_without_isolation_are_cached_only_on_request() {
    let juror = CachedFixture::new();
    let line = "judge sum sum/submissions/accepted/right.sh --isolation plain --json";
    let cache = |set: bool| {
        let mut command = juror.fixture.juror(line);
        if set {
            command.env("JUROR_CACHE", juror.fixture.path("kept"))
        } else {
            command.env_remove("JUROR_CACHE")
        };
        let output = command.output().expect("juror runs");
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        document["cache"].is_object()
    };
    assert!(!cache(false));
    assert!(cache(true));
}

#[test]
fn results_of_workers_are_kept_for_the_same_command_only() {
    let juror = CachedFixture::new();
    for name in ["a", "b"] {
        juror.write_script(name, &worker(""));
    }
    let line = |workers: &str| {
        let options = workers.split(' ').map(|it| format!(" --executor {it}"));
        format!("verify sum{}", options.collect::<String>())
    };
    let (here, _) = juror.count_started("verify sum");
    let first = juror.check(&line("./a"), here);
    let again = juror.check(&line("./a"), 0);
    assert_eq!(verdicts(&again), verdicts(&first));
    for case in document_cases(&again) {
        assert!(
            case["outcome"]["ran_at"].is_string() && case["outcome"]["worker"].is_string(),
            "{case}"
        );
    }
    juror.check(&line("./b"), here);
    juror.check(&line("./b ./a"), 0);
    juror.check(&line("./a local"), 0);
    juror.check(&format!("{} --fresh", line("./a")), here);
}

/// The command ends while the worker runs programs, also when it is started once more.
#[test]
fn what_a_lost_worker_has_done_is_kept() {
    let juror = CachedFixture::new();
    for number in 0..20 {
        juror.fixture.write(&format!("sum/data/secret/{number}.in"), format!("1 {number}\n"));
        juror.fixture.write(&format!("sum/data/secret/{number}.ans"), format!("{}\n", number + 1));
    }
    let line = "judge sum sum/submissions/accepted/right.sh --all --executor ./worker";
    juror.write_script("worker", &format!("{} | dd bs=1 count=800 2>/dev/null", worker("")));
    let lost = juror.json(line);
    assert_ne!(lost["summary"]["judge_errors"], 0, "{lost}");
    juror.write_script("worker", &worker(""));
    let (started, document) = juror.count_started(line);
    let recalled = document["cache"]["recalled"].as_u64().expect("a number");
    assert!(recalled > 0 && started > 0 && started + recalled >= 20, "{document}");
    juror.check(line, 0);
}

/// Who judges on own tests may wonder why nothing changes: a program may depend on the clock.
#[test]
fn on_bare_tests_the_cache_is_named_and_a_source_that_is_saved_again_runs_again() {
    let juror = CachedFixture::new();
    let fixture = &juror.fixture;
    fixture.write("t/1.in", "1 2\n");
    fixture.write("t/1.out", "3\n");
    fixture.write("t/my.c", "#include <stdio.h>\nint main(void) { puts(\"3\"); }\n");
    let save = |is_later: bool| {
        let file = fs::File::options().write(true).open(fixture.path("t/my.c")).expect("a file");
        let (now, hour) = (SystemTime::now(), Duration::from_secs(3600));
        file.set_modified(if is_later { now + hour } else { now - hour }).expect("a time");
    };
    save(false);
    // A build and a run.
    juror.check("judge t/my.c", 2);
    juror.check("judge t/my.c", 0);
    save(true);
    juror.check("judge t t/my.c", 0);
    juror.check("judge t/my.c", 1);
    save(false);
    juror.check("judge t/my.c", 0);
    let note = "my.c (from the cache; --fresh runs again)";
    let shown = |line: &str, expected: bool| {
        let mut juror = fixture.juror(line);
        let output = juror.env("JUROR_CACHE", fixture.path("kept")).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(text.contains(note), expected, "juror {line}:\n{text}");
    };
    shown("t/my.c", true);
    shown("judge t t/my.c", true);
    shown("judge t t/my.c --fresh", false);
    shown("judge sum t/my.c", false);
    shown("judge sum t/my.c", false);
}
