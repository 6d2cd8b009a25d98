//! Test data from recipes: every feature of recipes, and their failures.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::fixture::Fixture;

/// A package with generators and this recipe, without data.
pub(crate) fn recipe_fixture(recipe: &str) -> Fixture {
    let fixture = Fixture::new();
    fs::remove_dir_all(fixture.path("sum/data")).expect("data to remove");
    let files = [
        ("gen.sh", "echo \"$1 $2\"\n"),
        ("seed.sh", "echo \"$1 $(( $1 % 7 ))\"\n"),
        ("manual/m.in", "3 4\n"),
        ("manual/m.ans", "7\n"),
        ("manual/m.unknown", "x\n"),
    ];
    for (name, text) in files {
        fixture.write(&format!("sum/generators/{name}"), text);
    }
    fixture.write("sum/generators/generators.yaml", recipe);
    fixture
}

fn read_file(fixture: &Fixture, name: &str) -> String {
    fs::read_to_string(fixture.path(&format!("sum/data/{name}"))).unwrap_or_else(|error| {
        panic!("{name}: {error}");
    })
}

fn data_files(fixture: &Fixture) -> Vec<String> {
    let data = fixture.path("sum/data");
    let walk = walkdir::WalkDir::new(&data).sort_by_file_name();
    let entries = walk.into_iter().map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    let below = files.map(|entry| entry.path().strip_prefix(&data).expect("below").to_owned());
    below.map(|path| path.display().to_string()).collect()
}

pub(crate) const SOLUTION: &str = "solution: /submissions/accepted/right.sh\n";

#[test]
fn everything_in_a_recipe_is_generated_and_verified() {
    let fixture = recipe_fixture(&format!(
        "{SOLUTION}generators:\n  two: [two.py, deep/lib.py]\n\
         data:\n  sample:\n    data:\n    - '': {{in: 1 2, ans: '3', yaml: {{hint: add}}}}\n    - m: {{copy: manual/m}}\n  \
         secret:\n    include: [sample]\n    random_salt: s\n    data:\n    - r: {{generate: 'seed.sh {{seed}}', count: 2}}\n    \
         - two: two 5\n    - own: own.sh {{name}} {{count}}\n  \
         invalid_input:\n    data: {{one: gen.sh 1}}\n"
    ));
    fixture.write("sum/generators/two.py", "import lib, sys\nprint(lib.one, sys.argv[1])\n");
    fixture.write("sum/generators/deep/lib.py", "one = 1\n");
    let own = "echo \"8 $2\" > \"$1.in\"; echo 9 > testcase.ans; echo 'hint: x' > testcase.yaml; echo out\n";
    fixture.write("sum/generators/own.sh", own);
    fixture.check("generate sum", 0, &["9 test cases, 9 created"]);
    assert_eq!(
        data_files(&fixture),
        [
            "invalid_input/one.in",
            "sample/1.ans",
            "sample/1.in",
            "sample/1.yaml",
            "sample/2-m.ans",
            "sample/2-m.in",
            "secret/1.ans",
            "secret/1.in",
            "secret/1.yaml",
            "secret/2-m.ans",
            "secret/2-m.in",
            "secret/3-r-1.ans",
            "secret/3-r-1.in",
            "secret/4-r-2.ans",
            "secret/4-r-2.in",
            "secret/5-two.ans",
            "secret/5-two.in",
            "secret/6-own.ans",
            "secret/6-own.in",
            "secret/6-own.yaml",
        ]
    );
    let link = fs::read_link(fixture.path("sum/data/secret/2-m.in")).expect("a link");
    assert_eq!(link.to_str(), Some("../sample/2-m.in"));
    for (name, text) in [
        ("sample/1.in", "1 2\n"),
        ("secret/1.yaml", "hint: add\n"),
        ("secret/5-two.in", "1 5\n"),
        ("secret/5-two.ans", "6\n"),
        ("secret/6-own.in", "8 1\n"),
        ("secret/6-own.ans", "9\n"),
        ("invalid_input/one.in", "1 \n"),
    ] {
        assert_eq!(read_file(&fixture, name), text, "{name}");
    }
    // SHA-512 of `sseed.sh {seed}` and of `s:1seed.sh {seed}`, modulo 2^31.
    let seeds = ["secret/3-r-1.in", "secret/4-r-2.in"].map(|name| read_file(&fixture, name));
    let first = |text: &String| text.split(' ').next().unwrap_or_default().to_owned();
    assert_eq!(seeds.each_ref().map(first), ["1430821574", "972010258"]);
    fixture.check("generate sum", 0, &["9 unchanged"]);
    fixture.check("generate sum --check", 0, &["9 unchanged"]);
    // A copy with the same bytes is as good as a link.
    fixture.remove("sum/data/secret/2-m.in");
    fixture.write("sum/data/secret/2-m.in", "3 4\n");
    fixture.check("generate sum --check", 0, &["9 unchanged"]);
    fixture.check("verify sum", 0, &["all as expected"]);
}

#[test]
fn unstable_generators_are_reported() {
    let cases = [
        ("clock", "import time; print(1, int(time.time()))"),
        ("address", "print(1, id(object()))"),
        ("hash", "print(1, abs(hash('a')))"),
        ("nothing", "print(1, 2)"),
        ("file", "open('x', 'w').write('5'); print(1, open('x').read())"),
    ];
    let data: Vec<String> = cases.map(|(name, _)| format!("{name}: {name}.py")).to_vec();
    let fixture =
        recipe_fixture(&format!("{SOLUTION}data: {{secret: {{data: {{{}}}}}}}\n", data.join(", ")));
    for (name, program) in cases {
        fixture.write(&format!("sum/generators/{name}.py"), format!("{program}\n"));
    }
    fixture.check("generate sum", 0, &["5 created"]);
    fixture.check(
        "generate sum --check",
        3,
        &[
            "`clock.py` gives another result the second time: line 1 of `.in` was `1 ",
            "`address.py` gives another result the second time: ",
            "`hash.py` gives another result the second time: ",
            "3 errors",
        ],
    );
}

#[test]
fn a_failing_generator_leaves_no_files() {
    let fixture = recipe_fixture(&format!(
        "{SOLUTION}data:\n  secret:\n    data:\n      a: {{in: 1 2}}\n      b: prints.sh\n      c: outside.py\n      \
         d: silent.sh\n      e: {{in: 1 2, ans: '4'}}\n      f: {{generate: 'never.sh {{seed}}', retries: 3}}\n"
    ));
    fixture.write("sum/generators/prints.sh", "echo 1 2; echo 'bad luck' >&2; exit 3\n");
    fixture.write("sum/generators/outside.py", "open('/usr/x', 'w')\n");
    fixture.write("sum/generators/silent.sh", "exit 0\n");
    fixture.write("sum/generators/never.sh", "exit 1\n");
    fixture.check(
        "generate sum",
        3,
        &[
            "secret/b: `prints.sh` ends with exit code 3: bad luck",
            "what it printed before is not used",
            "secret/c: `outside.py` ends with exit code 1: OSError",
            "secret/d: `silent.sh` prints nothing",
            "secret/e: the solution disagrees with the answer given: token 1 differs",
            "secret/f: `never.sh {seed}` ends with exit code 1, at the last of 3 tries",
        ],
    );
    assert!(!fixture.path("sum/data").exists());
}

#[test]
fn a_generator_with_a_seed_may_be_retried() {
    let fixture = recipe_fixture(&format!(
        "{SOLUTION}data: {{secret: {{retries: 10, data: {{a: 'even.sh {{seed}} {{seed:2}}'}}}}}}\n"
    ).replace(" {seed:2}", ""));
    fixture.write("sum/generators/even.sh", "[ $(($1 % 4)) = 0 ] && echo 1 \"$1\"\n");
    fixture.check("generate sum", 0, &["1 created"]);
    fixture.check("generate sum --check", 0, &["1 unchanged"]);
}

#[test]
fn hand_made_files_are_reported_and_unchanged() {
    let fixture =
        recipe_fixture(&format!("{SOLUTION}data: {{secret: {{data: {{a: gen.sh 1 2}}}}}}\n"));
    fixture.write("sum/data/secret/mine.in", "5 5\n");
    fixture.write("sum/data/secret/mine.ans", "10\n");
    fixture.write("sum/data/secret/a.png", "picture");
    fixture.check("generate sum", 0, &["unknown secret/a.png", "unknown secret/mine", "1 created"]);
    fixture.check("generate sum --check", 1, &["2 unknown"]);
    assert_eq!(read_file(&fixture, "secret/mine.in"), "5 5\n");
    assert_eq!(read_file(&fixture, "secret/a.png"), "picture");
    fixture.check("generate sum --check --prune", 2, &["--prune"]);
    fixture.write("sum/data/secret/old/1.in", "5 5\n");
    fixture.write("sum/data/secret/old/README.md", "mine");
    fixture.check(
        "generate sum --prune",
        0,
        &["unknown secret/a.png", "removed secret/mine", "removed secret/old/1", "2 removed"],
    );
    let remaining = ["secret/a.ans", "secret/a.in", "secret/a.png", "secret/old/README.md"];
    assert_eq!(data_files(&fixture), remaining);
    // A directory in place of a generated file is not removed either.
    fs::create_dir_all(fixture.path("sum/data/secret/b.in")).expect("a directory");
    let recipe =
        format!("{SOLUTION}data: {{secret: {{data: {{a: gen.sh 1 3, b: gen.sh 4 5}}}}}}\n");
    fixture.write("sum/generators/generators.yaml", recipe);
    fixture.check("generate sum", 3, &["is a directory, but the recipe makes a file here"]);
    assert_eq!(read_file(&fixture, "secret/a.in"), "1 2\n");
}

#[test]
fn files_of_generated_cases_and_groups_are_not_pruned() {
    let recipe = |yaml: &str| {
        format!("{SOLUTION}data: {{secret: {{data: {{g: {{data: {{a: {{in: 1 2{yaml}}}}}}}}}}}}}\n")
    };
    let fixture = recipe_fixture(&recipe(", yaml: {hint: x}"));
    fixture.check_with_cache("generate sum", 0, &["1 created"]);
    let mine = ["test_group.yaml", "g/test_group.yaml", "g/a.files/f", "g/a.desc", "g/a.args"];
    for name in mine {
        fixture.write(&format!("sum/data/secret/{name}"), "");
    }
    fixture.check_with_cache("generate sum --prune", 0, &["5 unknown", "1 unchanged"]);
    assert_eq!(data_files(&fixture).len(), 3 + mine.len());
    // A file that juror made may be removed, even if it was left for some time.
    fixture.write("sum/generators/generators.yaml", recipe(""));
    fixture.check_with_cache("generate sum", 0, &["6 unknown", "1 unchanged"]);
    fixture.check_with_cache("generate sum --prune", 0, &["removed secret/g/a.yaml", "5 unknown"]);
    assert_eq!(data_files(&fixture).len(), 2 + mine.len());
    fixture.write("sum/data/secret/g/a.yaml", "hint: mine\n");
    fixture.check_with_cache("generate sum --prune", 0, &["6 unknown", "1 unchanged"]);
    // A group that the recipe no longer makes is removed with all its files.
    let other =
        format!("{SOLUTION}data: {{secret: {{data: {{h: {{data: {{a: {{in: 1 2}}}}}}}}}}}}\n");
    fixture.write("sum/generators/generators.yaml", other);
    fixture.check("generate sum --prune", 0, &["removed secret/g/a", "unknown secret/test_group"]);
    let left = ["secret/h/a.ans", "secret/h/a.in", "secret/test_group.yaml"];
    assert_eq!(data_files(&fixture), left);
}

#[test]
fn unwritable_data_is_a_judge_error() {
    let fixture =
        recipe_fixture(&format!("{SOLUTION}data: {{secret: {{data: {{a: gen.sh 1 2}}}}}}\n"));
    let data = fixture.path("sum/data/secret");
    fs::create_dir_all(&data).expect("a directory");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o555)).expect("rights");
    if fs::write(data.join("x"), "").is_ok() {
        return fixture.announce_skip("root may write everywhere");
    }
    fixture.check("generate sum", 4, &["write", "a.ans"]);
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).expect("rights");
}

#[test]
fn patterns_match_the_whole_file_or_its_lines() {
    let fixture = recipe_fixture(&format!(
        "{SOLUTION}data:\n  secret:\n    data:\n      \
         a: {{in: 1 2, match: [^1, 2$, '\\A1.*2\\s*\\Z', '2$.*\\Z']}}\n      \
         b: {{in: 1 2, match: {{ans: ^4}}}}\n      c: {{in: 1 2, match: '2\\Z'}}\n"
    ));
    let expected = ["secret/b: `^4` is not found in its .ans", "secret/c: `2\\Z` is not found"];
    fixture.check("generate sum", 0, &[expected[0], expected[1], "2 warnings"]);
}

#[test]
fn the_last_step_writes_the_input_and_other_files_stay() {
    let fixture = recipe_fixture(&format!(
        "{SOLUTION}data: {{secret: {{data: {{a: {{copy: manual/m, in: 2 5}}, b: {{generate: own.sh, in: 4 5}}, \
         c: {{generate: gen.sh 9 9, copy: manual/m}}}}}}}}\n"
    ));
    fixture.write("sum/generators/own.sh", "echo 1 1; echo 9 > testcase.ans\n");
    fixture.check("generate sum", 0, &["`a` has several inputs: `in` counts", "3 created"]);
    for (name, text) in [
        ("a.in", "2 5\n"),
        ("a.ans", "7\n"),
        ("b.in", "4 5\n"),
        ("b.ans", "9\n"),
        ("c.in", "3 4\n"),
        ("c.ans", "7\n"),
    ] {
        assert_eq!(read_file(&fixture, &format!("secret/{name}")), text, "{name}");
    }
    fixture.check("generate sum --check", 0, &["3 unchanged"]);
}

#[test]
fn generators_and_solutions_get_the_constants_of_the_problem() {
    let fixture = recipe_fixture(
        "solution: /generators/best.sh\ngenerators: {two: [two.sh, lib.sh]}\ndata: {secret: {data: {one: one.sh, \
         dir: dir, two: two, c: c.c, seed: 'one.sh {seed} {{n}}', other: other.sh}}}\n",
    );
    let yaml = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("the settings");
    fixture
        .write("sum/problem.yaml", format!("{yaml}constants: {{n: 3, m: {{value: 4, s: f}}}}\n"));
    for (name, text) in [
        ("best.sh", "read -r a b; echo $((a + b + {{n}} - 3))\n"),
        ("one.sh", "echo \"{{n}} ${1:-1}\"\n"),
        ("dir/main.sh", "echo \"{{m}} 2\"\n"),
        ("two.sh", ". \"$(dirname \"$0\")/lib.sh\"; echo \"{{n}} $x\"\n"),
        ("lib.sh", "x={{m}}\n"),
        ("c.c", "#include <stdio.h>\nint main(void) { print{{m.s}}(\"%d 5\\n\", {{n}}); }\n"),
        ("other.sh", "x='{{x}}'; echo \"${#x} {{n}}\"\n"),
    ] {
        fixture.write(&format!("sum/generators/{name}"), text);
    }
    fixture.check("generate sum", 0, &["6 created"]);
    for (name, text) in [
        ("one.in", "3 1\n"),
        ("one.ans", "4\n"),
        ("dir.in", "4 2\n"),
        ("two.in", "3 4\n"),
        ("c.in", "3 5\n"),
        ("other.in", "5 3\n"),
        // SHA-512 of `one.sh {seed} 3`, modulo 2^31.
        ("seed.in", "3 658281884\n"),
    ] {
        assert_eq!(read_file(&fixture, &format!("secret/{name}")), text, "{name}");
    }
}

#[test]
fn only_changed_cases_are_generated_again() {
    let fixture = recipe_fixture(&format!(
        "{SOLUTION}data: {{secret: {{data: {{a: chance.py 1, b: {{copy: manual/m}}}}}}}}\n"
    ));
    // Its output shows whether it ran.
    let chance = "import time; print(1, time.time_ns())\n";
    fixture.write("sum/generators/chance.py", chance);
    let check = |message: &str| {
        fixture.check_with_cache("generate sum", 0, &[message]);
        read_file(&fixture, "secret/a.in")
    };
    let first = check("2 created");
    assert_eq!(check("2 unchanged"), first);
    let remade = |why: &str, message: &str, before: &str| {
        let now = check(message);
        assert_ne!(now, before, "{why}");
        now
    };
    fixture.write("sum/generators/chance.py", format!("{chance}#\n"));
    let now = remade("another generator", "1 changed, 1 unchanged", &first);
    // The case is made again, but its programs and inputs are the same, so the results come from the cache.
    fixture.write("sum/data/secret/a.ans", "0\n");
    fixture.check_with_cache("generate sum --force", 0, &["1 changed, 1 unchanged"]);
    assert_eq!(read_file(&fixture, "secret/a.in"), now, "other data");
    fixture.write("sum/submissions/accepted/right.sh", "read -r x y; echo $((x + y))\n");
    assert_eq!(check("2 unchanged"), now, "another solution");
    let recipe =
        fs::read_to_string(fixture.path("sum/generators/generators.yaml")).expect("recipe");
    fixture.write("sum/generators/generators.yaml", recipe.replace("py 1", "py 2"));
    let now = remade("another command", "1 changed, 1 unchanged", &now);
    fs::remove_dir_all(fixture.path("cache")).expect("a memory");
    let now = remade("no memory", "1 changed, 1 unchanged", &now);
    assert_eq!(check("2 unchanged"), now);
    fixture.check_with_cache("generate sum --fresh", 0, &["1 changed, 1 unchanged"]);
    let now = read_file(&fixture, "secret/a.in");
    fixture.write("sum/generators/manual/m.in", "4 5\n");
    fixture.check_with_cache("generate sum", 3, &["the solution disagrees with the answer given"]);
    fixture.write("sum/generators/manual/m.ans", "9\n");
    assert_eq!(check("1 changed, 1 unchanged"), now);
    assert_eq!(read_file(&fixture, "secret/b.in"), "4 5\n");
}

#[test]
fn verify_warns_about_faults_of_a_recipe() {
    let fixture = Fixture::new();
    let broken = "solution: /submissions/none.sh\ndata: {secret: {data: {a: {in: 5, copy: x}}}}\n";
    fixture.write("sum/generators/generators.yaml", broken);
    let expected = ["warning: ", "sum/generators/generators.yaml:1:11", "generators.yaml:2:41"];
    fixture.check("verify sum", 0, &expected);
}

#[test]
fn interactive_and_multi_pass_problems_have_empty_answers() {
    let fixture = recipe_fixture(
        "data: {secret: {data: {a: gen.sh 1 2, b: {copy: manual/m}}}, invalid_input: {data: {c: gen.sh 1}}}\n",
    );
    let problem = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("a package");
    fixture.write("sum/problem.yaml", format!("{problem}type: multi-pass\n"));
    fixture.write("sum/output_validator/validate.py", "raise SystemExit(42)\n");
    fixture.check("generate sum", 0, &["3 created"]);
    assert_eq!(read_file(&fixture, "secret/a.ans"), "");
    assert_eq!(read_file(&fixture, "secret/b.ans"), "7\n");
    assert!(!fixture.path("sum/data/invalid_input/c.ans").exists());

    // A submission makes no answers; a separate program does.
    let recipe = |solution: &str| {
        format!("solution: {solution}\ndata: {{secret: {{data: {{a: gen.sh 1 2}}}}}}\n")
    };
    fixture.write("sum/generators/generators.yaml", recipe("/submissions/accepted/right.sh"));
    fixture.check("generate sum", 0, &[]);
    assert_eq!(read_file(&fixture, "secret/a.ans"), "");
    fixture.write("sum/generators/best.sh", "read -r a b; echo best $a\n");
    fixture.write("sum/generators/generators.yaml", recipe("/generators/best.sh"));
    fixture.check("generate sum", 0, &[]);
    assert_eq!(read_file(&fixture, "secret/a.ans"), "best 1\n");
}

#[test]
fn a_package_without_secret_cases_gets_the_next_step() {
    let check = |recipe: &str, steps: [(&str, i32, &str); 3]| {
        let fixture = recipe_fixture(recipe);
        for (arguments, code, message) in steps {
            fixture.check(arguments, code, &[message]);
        }
    };
    let samples = format!("{SOLUTION}data: {{sample: {{data: {{a: gen.sh 1 2}}}}}}\n");
    let under_secret = "add test cases under `secret` in generators/generators.yaml";
    check(
        &samples,
        [
            ("verify sum", 3, under_secret),
            ("generate sum", 0, "makes no secret test case, and the package has none"),
            ("verify sum", 3, under_secret),
        ],
    );
    check(
        &samples.replace("sample", "secret"),
        [
            (
                "judge sum submissions/accepted/right.sh",
                5,
                "`juror generate` makes them from its recipe",
            ),
            ("verify sum", 3, "run `juror generate` to make the test cases"),
            ("generate sum", 0, "1 test case, 1 created"),
        ],
    );
    check(
        "data: {secret: {data: {}}}\n",
        [
            ("verify sum", 3, under_secret),
            ("generate sum", 0, "describes no test case"),
            ("judge sum submissions/accepted/right.sh", 5, "has no test cases"),
        ],
    );
}

#[test]
fn commands_may_have_constants_and_quoted_words() {
    let fixture = recipe_fixture(&format!(
        "{SOLUTION}data: {{secret: {{data: {{a: \"words.sh '{{{{n}}}} 4' {{{{n}}}}\"}}}}}}\n"
    ));
    fixture.write("sum/generators/words.sh", "test \"$#\" = 2 && echo \"$1\"\n");
    let yaml = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("the settings");
    fixture.write("sum/problem.yaml", format!("{yaml}constants:\n  n: 3\n"));
    fixture.check("generate sum", 0, &["1 test case, 1 created"]);
    assert_eq!(read_file(&fixture, "secret/a.in"), "3 4\n");
}

/// A row: what an edited file and the command get, and whether the edit is gone.
#[test]
fn a_file_that_somebody_edited_is_not_overwritten() {
    let fixture = recipe_fixture(&format!(
        "{SOLUTION}data: {{secret: {{data: {{a: gen.sh 1 2, b: {{in: 3 4}}}}}}}}\n"
    ));
    fixture.check_with_cache("generate sum", 0, &["created secret/a", "created secret/b"]);
    let check = |what: &str, options: &str, code: i32, messages: &[&str], is_gone: bool| {
        fixture.write("sum/data/secret/a.in", "5 5\n");
        if what == "without a cache" {
            fixture.check(&format!("generate sum {options}"), code, messages);
        } else {
            fixture.check_with_cache(&format!("generate sum {options}"), code, messages);
        }
        assert_eq!(read_file(&fixture, "secret/a.in") != "5 5\n", is_gone, "{what}");
    };
    let refused = ["sum/data/secret/a.in", "was changed since juror made it", "--force", "1 error"];
    check("with a memory", "", 3, &refused, false);
    check("with a memory", "--prune", 3, &refused, false);
    check("with a memory, nothing kept", "--fresh", 3, &refused, false);
    let replaced = "secret/a.in is replaced, and its contents were not made by juror here";
    let kept = [replaced, "the old contents are in", "changed secret/a"];
    check("asked for", "--force", 0, &kept, true);
    check("without a cache", "", 0, &[replaced, "are lost, because there is no cache"], true);
    fs::remove_dir_all(fixture.path("cache")).expect("a memory");
    check("without a memory", "", 0, &kept, true);
    let walk = walkdir::WalkDir::new(fixture.path("cache")).into_iter().flatten();
    let old: Vec<String> = walk
        .filter(|entry| entry.path().to_string_lossy().contains(".replaced/secret/a.in."))
        .map(|entry| fs::read_to_string(entry.path()).expect("a copy"))
        .collect();
    assert_eq!(old, ["5 5\n"]);
    // An edit that the recipe makes, too, is none.
    fixture.write("sum/data/secret/b.in", "3 5\n");
    fixture.write("sum/data/secret/b.ans", "8\n");
    let recipe = fixture.read("sum/generators/generators.yaml").replace("3 4", "3 5");
    fixture.write("sum/generators/generators.yaml", recipe);
    fixture.check_with_cache("generate sum", 0, &["2 unchanged"]);
}

/// Nothing is written, if one case is not valid; a row has the recipe and the message.
#[test]
fn new_cases_are_validated_before_anything_is_replaced() {
    let check = |data: &str, code: i32, messages: &[&str]| {
        let fixture = recipe_fixture(&format!(
            "{SOLUTION}data:\n  secret:\n    data:\n      old: {{in: 1 2}}\n"
        ));
        let limit =
            "#!/usr/bin/env bash\nread -r a b; [ \"$a\" -le \"${1:-999}\" ] && exit 42; exit 43\n";
        let answer = "#!/usr/bin/env bash\nread -r a; [ \"$a\" = 77 ] && exit 43; [ \"$a\" = 78 ] && exit 1; exit 42\n";
        for (name, text) in
            [("input_validators/limit/run", limit), ("answer_validators/a/run", answer)]
        {
            fixture.write(&format!("sum/{name}"), text);
            fixture.make_executable(&format!("sum/{name}"));
        }
        fixture.check("generate sum", 0, &["1 created"]);
        fixture.write(
            "sum/generators/generators.yaml",
            format!("{SOLUTION}data:\n  secret:\n    data:\n      old: {{in: 2 2}}\n{data}"),
        );
        fixture.check("generate sum", code, messages);
        let (is_old, files) =
            (read_file(&fixture, "secret/old.in") == "1 2\n", data_files(&fixture));
        assert_eq!((is_old, files.len() == 2), (code != 0, code != 0), "{data}: {files:?}");
        if code != 0 {
            fixture.check("generate sum --no-validate", 0, &["1 changed"]);
        }
    };
    let new = "      new: ";
    check(&format!("{new}{{in: 3 4}}\n"), 0, &["1 created, 1 changed"]);
    check(
        &format!("{new}{{generate: gen.sh 3 x, ans: '3'}}\n"),
        3,
        &[
            "secret/new.in: input validator `validate` refuses it: expected two numbers",
            "generators.yaml:6:7",
            "--no-validate",
            "1 error",
        ],
    );
    check(
        &format!("{new}{{in: 1000 1}}\n"),
        3,
        &["secret/new.in: input validator `limit` refuses it", "generators.yaml:6:7"],
    );
    check(&format!("{new}{{in: 70 7}}\n"), 3, &["secret/new.ans: answer validator `a` refuses it"]);
    check(&format!("{new}{{in: 70 8}}\n"), 3, &["answer validator `a` ends with exit code 1"]);
    check("  invalid_input:\n    data: {new: {in: x}}\n", 0, &["1 created, 1 changed"]);
    // The arguments are those of the settings that the recipe makes.
    let group = |most: u32| {
        format!(
            "      g:\n        test_group.yaml: {{input_validator_args: {{limit: ['{most}']}}}}\n        data: {{new: {{in: 9 4}}}}\n"
        )
    };
    check(&group(9), 0, &["3 test cases"]);
    check(
        &group(8),
        3,
        &["secret/g/new.in: input validator `limit` refuses it", "generators.yaml:8:16"],
    );
}

#[test]
fn twenty_changes_are_listed_and_cases_without_a_recipe_are_told() {
    let recipe = |items: std::ops::Range<u32>| {
        let cases: Vec<String> = items.map(|at| format!("- c{at}: {{in: {at} 0}}")).collect();
        format!("{SOLUTION}data: {{secret: {{data: [{}]}}}}\n", cases.join(", ").replace("- ", ""))
    };
    let fixture = recipe_fixture(&recipe(0..22));
    fixture.check(
        "generate sum",
        0,
        &["created secret/20-c19 and 2 more: -v lists all", "22 created"],
    );
    let report = fixture.json("generate sum --fresh", 0);
    assert_eq!(report["generated"].as_array().map(Vec::len), Some(22), "{report:#}");
    // Without one of a list, the others have other numbers.
    fixture.write("sum/generators/generators.yaml", recipe(1..22));
    let leftover = [
        "has 22 test cases that the recipe does not make: secret/01-c0, secret/02-c1",
        "and 2 more",
        "generate --prune",
    ];
    fixture.check("generate sum", 0, &leftover);
    fixture.check("generate sum --check", 1, &leftover);
    fixture.check("generate sum --prune -v", 0, &["removed secret/22-c21", "21 unchanged"]);
    fixture.check("generate sum --check", 0, &["21 unchanged"]);
}

#[test]
fn a_case_that_is_twice_in_the_recipe_is_an_error_and_nothing_is_replaced() {
    let check = |before: &str, twice: &str, place: &str| {
        let fixture = recipe_fixture(&format!("{SOLUTION}data:\n{before}"));
        fixture.check("generate sum", 0, &["created"]);
        let old = data_files(&fixture).into_iter().map(|name| read_file(&fixture, &name));
        let old: Vec<String> = old.collect();
        fixture
            .write("sum/generators/generators.yaml", format!("{SOLUTION}data:\n{before}{twice}"));
        let message = "is given twice; first on line";
        fixture.check("generate sum", 3, &[message, place, "1 error"]);
        let now = data_files(&fixture).into_iter().map(|name| read_file(&fixture, &name));
        assert_eq!(now.collect::<Vec<_>>(), old, "{twice}");
    };
    let case = "  secret:\n    data:\n      a: {in: 1 2}\n";
    check(case, "      a: {in: 3 4}\n", "generators.yaml:6:7");
    check(case, "      'a': gen.sh 3 4\n", "generators.yaml:6:7");
    check(case, "  secret:\n    data: {b: {in: 3 4}}\n", "generators.yaml:6:3");
}

#[test]
fn a_generator_that_ignores_its_seed_is_told() {
    let check = |data: &str, expected: Option<&str>| {
        let fixture =
            recipe_fixture(&format!("{SOLUTION}data: {{secret: {{data: {{{data}}}}}}}\n"));
        for options in ["", "--check"] {
            let report = fixture.json(&format!("generate sum {options}"), 0);
            let said = report["diagnostics"].to_string();
            assert_eq!(said.contains("ignores its seed"), expected.is_some(), "{data}: {said}");
            assert!(expected.is_none_or(|expected| said.contains(expected)), "{data}: {said}");
        }
    };
    let same = "a: {generate: 'gen.sh 1 2 {seed}', count: 3}";
    let said = "`gen.sh` ignores its seed: 3 cases differ in nothing else";
    check(same, Some(said));
    check("a: {generate: 'seed.sh {seed}', count: 3}", None);
    // With some arguments, there is only one input.
    check(&format!("{same}, b: {{generate: 'gen.sh {{seed}} 2', count: 2}}"), None);
    check("a: 'gen.sh 1 2 {seed}'", None);
    check("a: gen.sh 1 2, b: gen.sh 1 2", None);
}
