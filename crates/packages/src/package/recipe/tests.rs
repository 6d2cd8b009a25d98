//! Tables of recipes, how they are read, and their faults.

mod documented;
mod earlier;
mod sources;

use std::fs;

use super::*;
use juror_core::recipe::{AnswerSource, GivenContents, GivenFile, InputSource, RecipeCase};
use juror_core::root::FilePath;

/// Reads a recipe in a package with a few files; checks its cases, links, files and diagnostics, one line each.
fn check(recipe: &str, expected: &[&str]) {
    check_in(false, recipe, expected);
}

/// The same in a package before format 2025-09, or in it.
fn check_in(is_old: bool, recipe: &str, expected: &[&str]) {
    let (dir, reading) = read_recipe(is_old, recipe);
    let mut lines: Vec<String> = Vec::new();
    if let Some(recipe) = &reading.recipe {
        lines.extend(recipe.cases.iter().map(case_line));
        let links = recipe.links.iter();
        lines.extend(links.map(|link| format!("{} -> {}", link.name, link.target)));
        let files = recipe.files.iter();
        lines.extend(files.map(|file| format!("{}: {:?}", file.name, file.contents)));
    }
    for diagnostic in &reading.diagnostics {
        let help = diagnostic.help.as_deref().unwrap_or_default();
        let doubt = if diagnostic.is_error() { "" } else { "warning: " };
        lines.push(format!("{doubt}{diagnostic} ({help})"));
    }
    let root = format!("{}/", dir.path().display());
    let strip = |line: &String| {
        let line = line.replace(&root, "");
        line.replace("generators/generators.yaml:", "")
    };
    let lines: Vec<String> = lines.iter().map(strip).collect();
    assert_eq!(lines, expected, "{recipe}");
}

/// Reads a recipe in a package with a few files and constants.
fn read_recipe(is_old: bool, recipe: &str) -> (tempfile::TempDir, RecipeReading) {
    let dir = tempfile::tempdir().unwrap();
    for file in [
        "generators/gen.py",
        "generators/lib.py",
        "generators/deep/lib.py",
        "generators/manual/a.in",
        "generators/manual/b.ans",
        "submissions/accepted/a.py",
        "data/sample/1.in",
    ] {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let path = dir.path().join("generators/generators.yaml");
    fs::write(&path, recipe).unwrap();
    let constants = [("max", "10"), ("max.long", "1 000"), ("quoted", "'a b'"), ("nothing", "")]
        .map(|(key, value)| Constant { key: key.to_owned(), value: value.to_owned() });
    let reading = read(&FilePath::root(&path), &FilePath::root(dir.path()), &constants, is_old);
    (dir, reading)
}

#[test]
fn the_help_names_the_generator_or_solution_that_was_meant() {
    let check = |command: &str, help: &str| {
        let recipe = format!(
            "solution: /submissions/accepted/a\ndata: {{secret: {{data: {{a: '{command}'}}}}}}\n"
        );
        let (_dir, reading) = read_recipe(false, &recipe);
        let helps: Vec<_> = reading
            .diagnostics
            .iter()
            .filter_map(|diagnostic| diagnostic.help.as_deref())
            .collect();
        assert_eq!(helps, ["did you mean `/submissions/accepted/a.py`?", help], "{command}");
    };
    check("gen {seed}", "did you mean `gen.py`?");
    check("generators/gen.py {seed}", "did you mean `gen.py`?");
    check("./gen.py", "did you mean `gen.py`?");
    check("/generators/lib", "did you mean `lib.py`?");
    check("deep/lib", "did you mean `deep/lib.py`?");
}

/// 2025-09, "Test cases": names in a recipe that differ only in case are two test cases, with a warning
#[test]
fn names_that_differ_only_in_case_are_reported() {
    let check = |data: &str, warnings: usize| {
        let (_dir, reading) = read_recipe(false, &format!("data: {{secret: {{data: {data}}}}}\n"));
        let count = reading
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.message.ends_with("only in case"));
        assert_eq!(count.count(), warnings, "{data}");
        assert!(!reading.diagnostics.iter().any(Diagnostic::is_error), "{data}");
    };
    check("{A: {in: '1'}, a: {in: '2'}}", 1);
    check("{Big: {in: '1'}, bIg: {in: '2'}, big: {in: '3'}}", 2);
    check("{G: {data: {x: {in: '1'}}}, g: {data: {x: {in: '2'}}}}", 1);
    check("[{a: {in: '1'}}, {A: {in: '2'}}]", 0);
    check("{G: {data: {x: {in: '1'}}}, h: {data: {X: {in: '2'}}}}", 0);
    check("{a: {in: '1'}, b: {in: '2'}}", 0);
}

/// A case as a line such as `secret/a: gen.py 5 | solution`.
fn case_line(case: &RecipeCase) -> String {
    let input = match &case.input {
        InputSource::File(path) => path.display().to_string(),
        InputSource::Literal(text) => format!("in {text:?}"),
        InputSource::Copy => "copy".to_owned(),
        InputSource::Command(command) => {
            let mut text = format!("{} {}", command.program.path.display(), command.args.join(" "));
            for file in &command.program.included {
                text += &format!(" +{}", file.path.display());
            }
            if command.tries != 1 {
                text += &format!(" tries={}", command.tries);
            }
            if !command.random_salt.is_empty() {
                text += &format!(" salt={}", command.random_salt);
            }
            text
        }
    };
    let copy = case.copy.iter().map(|path| format!(" {}", path.display()));
    let answer = match &case.answer {
        AnswerSource::File(path) => path.display().to_string(),
        AnswerSource::Solution(path) => format!(" ! {}", path.display()),
        AnswerSource::OwnFile => " own".to_owned(),
        AnswerSource::None => String::new(),
    };
    let file = |file: &GivenFile| match &file.contents {
        GivenContents::Text(text) => format!(" .{}={text:?}", file.extension),
        GivenContents::Link(target) => format!(" .{}->{target}", file.extension),
    };
    let patterns = case.patterns.iter();
    let patterns = patterns.map(|pattern| format!(" {}~{}", pattern.extension, pattern.text));
    let args = case.output_validator_args.iter();
    let args = args.map(|args| format!(" args={args:?}"));
    let rest: String = copy
        .chain([answer])
        .chain(case.files.iter().map(file))
        .chain(patterns)
        .chain(args)
        .collect();
    format!("{}: {input}{rest}", case.name)
}

#[test]
fn cases_inherit_from_their_directories() {
    check(
        "solution: /submissions/accepted/a.py\n\
         data:\n  sample:\n    solution:\n    data:\n      '1': {in: \"1\\n\", ans: '2', yaml: {description: small}}\n  \
         secret:\n    retries: 3\n    random_salt: s\n    test_group.yaml: {output_validator_args: [a]}\n    data:\n      \
         b:\n        generate: gen.py {seed} x\n        random_salt: ''\n      \
         a:\n        copy: ./manual/a\n      \
         c: {generate: 'gen.py {seed:2}', retries: 1, yaml: {output_validator_args: []}}\n  \
         invalid_input:\n    data:\n      c: {in: ''}\n  invalid_answer:\n    data:\n      d: {in: x, ans: y}\n",
        &[
            "invalid_answer/d: in \"x\\n\" own .ans=\"y\\n\"",
            "invalid_input/c: in \"\"",
            "sample/1: in \"1\\n\" own .ans=\"2\\n\" .yaml=\"description: small\\n\"",
            "secret/a: copy generators/manual/a ! submissions/accepted/a.py args=[\"a\"]",
            "secret/b: generators/gen.py {seed} x tries=3 ! submissions/accepted/a.py args=[\"a\"]",
            "secret/c: generators/gen.py {seed:2} salt=s ! submissions/accepted/a.py .yaml=\"output_validator_args: []\\n\" args=[]",
            "secret/test_group.yaml: \"output_validator_args:\\n- a\\n\"",
        ],
    );
}

#[test]
fn a_command_alone_is_a_case() {
    check(
        "data: {secret: {data: {a: gen.py 5, b: \"gen.py\\n6\\n7\\n\"}}}\n",
        &["secret/a: generators/gen.py 5 own", "secret/b: generators/gen.py 6 7 own"],
    );
}

#[test]
fn a_generator_can_have_several_files() {
    check(
        "generators:\n  tree: [gen.py, deep/lib.py]\n  gen.py: [lib.py]\n\
         data: {secret: {data: {a: tree 5, b: gen.py 6}}}\n",
        &[
            "secret/a: generators/gen.py 5 +generators/deep/lib.py own",
            "secret/b: generators/lib.py 6 own",
        ],
    );
    check(
        "generators:\n  tree: [gen.py, tree.h]\n  two: [lib.py, deep/lib.py]\n  none: []\n  dir: [deep]\n  a/b: [gen.py]\n  out: [../x]\n  text: gen.py\n\
         data: {secret: {data: {a: tre 5}}}\n",
        &[
            "2:18: generator not found: `tree.h` (add generators/tree.h, or define it under `generators:`)",
            "3:17: `generators.two` has two files of the same name (they are copied into one directory; rename one)",
            "4:9: `generators.none` is empty (list its files, the main file first)",
            "5:9: `deep` is not a file (list each file; a directory is already a generator)",
            "6:3: `a/b` cannot be the name of a generator (letters, digits, `_`, `-` and `.`, with a letter, digit or `_` first)",
            "7:9: a generator is below generators/, not `../x` (write its path from there, without `..`)",
            "8:9: `generators.text` must be a sequence of files below generators/, the main file first, not the text `gen.py` (put it in brackets: [gen.py])",
            "9:27: generator not found: `tre` (add generators/tre, or define it under `generators:`)",
        ],
    );
}

#[test]
fn lists_number_cases_through_the_recipe_and_groups_in_their_directory() {
    check(
        "data:\n  sample: {data: [{'': gen.py 1}, {x: gen.py 2}]}\n  \
         secret:\n    data:\n    - a: {data: [{y: {generate: 'gen.py {seed}', count: 7}}]}\n    \
         - b: {data: {plain: gen.py 3, more: {data: [{z: gen.py 4}]}}}\n",
        &[
            "sample/01: generators/gen.py 1 own",
            "sample/02-x: generators/gen.py 2 own",
            "secret/1-a/03-y-1: generators/gen.py {seed} own",
            "secret/1-a/04-y-2: generators/gen.py {seed} salt=:1 own",
            "secret/1-a/05-y-3: generators/gen.py {seed} salt=:2 own",
            "secret/1-a/06-y-4: generators/gen.py {seed} salt=:3 own",
            "secret/1-a/07-y-5: generators/gen.py {seed} salt=:4 own",
            "secret/1-a/08-y-6: generators/gen.py {seed} salt=:5 own",
            "secret/1-a/09-y-7: generators/gen.py {seed} salt=:6 own",
            "secret/2-b/more/10-z: generators/gen.py 4 own",
            "secret/2-b/plain: generators/gen.py 3 own",
        ],
    );
    check(
        "data:\n  secret:\n    data:\n    - {a: gen.py 1, b: gen.py 2}\n    - gen.py 3\n    - []\n",
        &[
            "4:7: an item of a list must have one name: `- NAME: COMMAND` (each item gets a number; write an item for each case)",
            "5:7: an item of a list must have one name: `- NAME: COMMAND` (each item gets a number; write an item for each case)",
            "6:7: an item of a list must have one name: `- NAME: COMMAND` (each item gets a number; write an item for each case)",
        ],
    );
}

#[test]
fn counts_make_several_cases() {
    let recipe = |count: &str| {
        format!(
            "data: {{secret: {{data: {{a: {{generate: 'gen.py {{count}}', count: {count}}}}}}}}}\n"
        )
    };
    let good = |count: &str, values: &[(&str, i64)]| {
        let line = |(name, count): &(&str, i64)| match count {
            1 => format!("secret/a-{name}: generators/gen.py 1 own"),
            count => {
                format!("secret/a-{name}: generators/gen.py {count} salt=:{} own", count - 1)
            }
        };
        let mut lines: Vec<String> = values.iter().map(line).collect();
        lines.sort();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        check(&recipe(count), &lines);
    };
    good("1", &[("1", 1)]);
    good("2", &[("1", 1), ("2", 2)]);
    good("[7, -3]", &[("7", 7), ("-3", -3)]);
    good("9..=11", &[("09", 9), ("10", 10), ("11", 11)]);
    good("-1..=0", &[("-1", -1), ("00", 0)]);
    let bad = |count: &str, message: &str| {
        let message = format!("1:63: {message}");
        check(&recipe(count), &[message.as_str()]);
    };
    bad("0", "`count` makes no case (remove the entry, or count from 1)");
    bad("[]", "`count` makes no case (remove the entry, or count from 1)");
    bad("5..=4", "`count` makes no case (remove the entry, or count from 1)");
    bad("1000000000", "`count` makes more than 100 cases (write several entries)");
    bad("101", "`count` makes more than 100 cases (write several entries)");
    bad("1..=9223372036854775807", "`count` makes more than 100 cases (write several entries)");
    bad(
        "-9223372036854775808..=9223372036854775807",
        "`count` makes more than 100 cases (write several entries)",
    );
    bad("[1, 1]", "`count` has 1 twice (each value makes one case; remove one)");
    bad("1..3", "`count` is not a range: `1..3` (write `FIRST..=LAST`, such as `1..=5`)");
    bad(
        "[a]",
        "`count` must be a number of cases, a sequence of integers, or a range such as `1..=5`, not a sequence ()",
    );
}

#[test]
fn files_can_be_texts_links_and_patterns() {
    check(
        "data:\n  sample:\n    data:\n      a:\n        in: |\n          1\n          2\n        ans: '3'\n        out: ' 5'\n        \
         in.statement: text\n        in.download: {link: in}\n        interaction: \"<1\\n>2\\n---\\n\"\n        match: ^1$\n      \
         b: {generate: gen.py, copy: manual/b, match: {in: [a, b], ans: c}}\n",
        &[
            "sample/a: in \"1\\n2\\n\" own .ans=\"3\\n\" .out=\" 5\" .interaction=\"<1\\n>2\\n---\\n\" .in.statement=\"text\\n\" .in.download->in in~^1$",
            "sample/b: generators/gen.py  generators/manual/b own in~a in~b ans~c",
        ],
    );
    check(
        "data:\n  sample:\n    data:\n      a: {in: x, match: '('}\n      b: {in: x, match: '(?=a)'}\n      c: {in: x, match: []}\n      \
         d: {in: x, match: {out: a}}\n      e: {in: x, interaction: \"<1\\n2\\n\"}\n      f: {in: x, in.download: {link: ans}}\n      \
         g: {in: x, in.download: {link: in.statement}, in.statement: {link: in.download}}\n      h: {in: x, ans.statement: {}}\n",
        &[
            "sample/a: in \"x\\n\" own",
            "sample/b: in \"x\\n\" own",
            "sample/c: in \"x\\n\" own",
            "sample/d: in \"x\\n\" own",
            "4:25: `(` is not a regular expression: unclosed group (put a backslash before a literal character)",
            "warning: 5:25: `(?=a)` is not checked: juror has no look-arounds (remove it, or write several patterns)",
            "7:26: unknown key `out` in `match` (known keys: in, ans)",
            "8:31: `interaction` has the line `2` (lines begin with `<` or `>`, or are `---`)",
            "9:38: `in.download` cannot be a link to `ans` (known: in, in.statement)",
            "10:31: `in.download` is a link to a link (link to the file itself)",
            "10:67: `in.statement` is a link to a link (link to the file itself)",
            "11:33: `ans.statement` must be a text or a link (write the text, or `{link: in}`)",
        ],
    );
}

#[test]
fn directories_can_include_others() {
    check(
        "data:\n  sample: {data: [{s: gen.py 1}]}\n  secret:\n    include: [sample]\n    data:\n    \
         - one: {data: {a: gen.py 2}}\n    - two: {include: [one, sample], data: {b: gen.py 3}}\n    \
         - three: {include: [secret/two]}\n",
        &[
            "sample/1-s: generators/gen.py 1 own",
            "secret/1-one/a: generators/gen.py 2 own",
            "secret/2-two/b: generators/gen.py 3 own",
            "secret/1-s -> sample/1-s",
            "secret/2-two/1-s -> sample/1-s",
            "secret/2-two/a -> secret/1-one/a",
            "secret/3-three/1-s -> sample/1-s",
            "secret/3-three/a -> secret/1-one/a",
            "secret/3-three/b -> secret/2-two/b",
        ],
    );
    check(
        "data:\n  sample: {include: [sampel, x], data: {x: {data: {a: gen.py 1}}}}\n  \
         secret: {data: {x: {include: [secret/y]}, y: {include: [secret]}}}\n",
        &[
            "sample/x/a: generators/gen.py 1 own",
            "2:22: there is no directory or test case `sampel` in this recipe (did you mean `sample`?)",
            "2:30: `x` is ambiguous: sample/x or secret/x (write the whole path)",
            "3:33: `include` leads back to `secret/x` (a directory cannot include one that contains or includes it)",
        ],
    );
    check(
        "data:\n  sample: {data: {a: gen.py 1}}\n  secret:\n    include: [sample]\n    data: {a: gen.py 2}\n",
        &[
            "sample/a: generators/gen.py 1 own",
            "secret/a: generators/gen.py 2 own",
            "4:15: `secret/a` is given twice; first on line 5 (rename one of the two)",
        ],
    );
}

#[test]
fn directories_can_include_single_cases() {
    check(
        "data:\n  sample: {data: {a: gen.py 1, b: gen.py 2}}\n  secret:\n    data:\n    \
         - one: {include: [a], data: [c: gen.py 3, d: {generate: 'gen.py 7{count}', count: 2}]}\n    \
         - two: {include: [sample/b, d]}\n    - three: {include: [2-d-1, secret/one/c]}\n    - four: {include: [one]}\n",
        &[
            "sample/a: generators/gen.py 1 own",
            "sample/b: generators/gen.py 2 own",
            "secret/1-one/1-c: generators/gen.py 3 own",
            "secret/1-one/2-d-1: generators/gen.py 71 own",
            "secret/1-one/3-d-2: generators/gen.py 72 salt=:1 own",
            "secret/1-one/a -> sample/a",
            "secret/2-two/2-d-1 -> secret/1-one/2-d-1",
            "secret/2-two/3-d-2 -> secret/1-one/3-d-2",
            "secret/2-two/b -> sample/b",
            "secret/3-three/1-c -> secret/1-one/1-c",
            "secret/3-three/2-d-1 -> secret/1-one/2-d-1",
            "secret/4-four/1-c -> secret/1-one/1-c",
            "secret/4-four/2-d-1 -> secret/1-one/2-d-1",
            "secret/4-four/3-d-2 -> secret/1-one/3-d-2",
            "secret/4-four/a -> sample/a",
        ],
    );
    check(
        "data:\n  sample: {data: {a: gen.py 1, b: gen.py 2}}\n  secret:\n    include: [sample/x, a, b, /]\n    \
         data: [a: gen.py 3, a: gen.py 4, b: {data: {}}, '': gen.py 5]\n",
        &[
            "sample/a: generators/gen.py 1 own",
            "sample/b: generators/gen.py 2 own",
            "secret/1-a: generators/gen.py 3 own",
            "secret/2-a: generators/gen.py 4 own",
            "secret/3: generators/gen.py 5 own",
            "4:15: there is no directory or test case `sample/x` in this recipe (did you mean `sample/a`?)",
            "4:25: `a` is ambiguous: sample/a or secret/1-a (write the whole path)",
            "4:28: `b` is ambiguous: sample/b or secret/1-b (write the whole path)",
            "4:31: there is no directory or test case `` in this recipe (give its path, such as `secret/group1`)",
        ],
    );
}

#[test]
fn commands_are_split_as_by_a_shell() {
    check(
        "data:\n  secret:\n    data:\n      a: gen.py 'a b' \"c d\" e\\ f '' #x\n      b: gen.py \"--n={seed}\"\n      \
         c: gen.py don't\n      d: {generate: \"gen.py x\\\\\"}\n      e: \"'gen.py' x\"\n      f: \"'' x\"\n",
        &[
            "secret/a: generators/gen.py a b c d e f  own",
            "secret/b: generators/gen.py --n={seed} own",
            "secret/e: generators/gen.py x own",
            "6:10: the command has an unclosed quote (quotes and backslashes are as in a shell; put a backslash before a literal one)",
            "7:21: the command ends with a backslash (quotes and backslashes are as in a shell; put a backslash before a literal one)",
            "9:10: a generator is below generators/, not `` (write its path from there, without `..`)",
        ],
    );
}

#[test]
fn constants_are_filled_into_commands() {
    check(
        "data:\n  secret:\n    data:\n      a: gen.py {{max}} --n={{max.long}} {{quoted}} {seed}\n      b: gen.py {{maxx}}\n      \
         c: gen.py {max}\n      d: gen.py {{n}}\n",
        &[
            "secret/a: generators/gen.py 10 --n=1 000 a b {seed} own",
            "5:10: unknown constant `maxx` (did you mean `max`?)",
            "6:10: `{max}` is not a placeholder (known: {seed}, {seed:1}, {seed:2} and so on, {name}, {count}; constants have two braces)",
            "7:10: unknown constant `n` (define it under `constants:` of problem.yaml)",
        ],
    );
}

#[test]
fn the_same_command_with_the_same_seed_is_refused() {
    check(
        "data:\n  secret:\n    data:\n      a: gen.py {seed}\n      b: gen.py {seed}\n      c: {generate: 'gen.py {seed}', random_salt: x}\n      \
         d: gen.py {seed:1} {seed}\n      e: gen.py {sed}\n      f: {generate: gen.py 1, count: 2}\n      g: {in: x, count: 2}\n      \
         h: gen.py 1\n      i: gen.py 1\n",
        &[
            "secret/a: generators/gen.py {seed} own",
            "secret/c: generators/gen.py {seed} salt=x own",
            "secret/f-1: generators/gen.py 1 own",
            "secret/f-2: generators/gen.py 1 salt=:1 own",
            "secret/g-1: in \"x\\n\" own",
            "secret/g-2: in \"x\\n\" own",
            "secret/h: generators/gen.py 1 own",
            "secret/i: generators/gen.py 1 own",
            "5:10: this is the same command as on line 4, with the same seed (make them differ by a number, such as `{seed:2}`; or use `count` or `include`)",
            "7:10: `{seed}` appears more than once (one seed is enough: the generator can derive others)",
            "8:10: `{sed}` is not a placeholder (known: {seed}, {seed:1}, {seed:2} and so on, {name}, {count}; constants have two braces)",
            "warning: 9:38: `count` makes 2 equal cases (to make them differ, put `{seed}` or `{count}` into their command)",
            "warning: 10:25: `count` makes 2 equal cases (to make them differ, put `{seed}` or `{count}` into their command)",
            "warning: 11:10: this is the same command as on line 9: the cases are equal (make them differ, or use `include`)",
            "warning: 12:10: this is the same command as on line 11: the cases are equal (make them differ, or use `include`)",
        ],
    );
}

#[test]
fn entries_without_cases_and_directories_called_like_files_are_refused() {
    check(
        "data:\n  secret:\n    data:\n      a: {random_salt: x}\n      b.in: {data: {}}\n      c: {}\n      d: {data: {}}\n      \
         e: gen.py {seed}\n",
        &[
            "secret/e: generators/gen.py {seed} own",
            "4:7: `a` has no input and no `data` (give a test case one of `generate`, `copy` and `in`; give a directory `data`)",
            "5:7: `b.in` cannot be the name of a directory (rename it: files of test cases end in .in)",
        ],
    );
}

#[test]
fn every_fault_has_its_place_and_help() {
    check(
        "solution: submissions/accepted/a.py\ndata:\n  secrt: {data: {}}\n  secret:\n    count: 3\n    data:\n      \
         a: {generate: nobody.py}\n      b: {in: x, copy: manual/a}\n      c:\n      d: {in: x, descripton: y, desc: z}\n      \
         ../e: {in: x}\n      f: {copy: ../../etc/passwd}\n      g: {data: {}, yaml: {}}\n      h: {copy: manual/a.in}\n      \
         i: {ans: x}\n      test_group: {in: x}\n      j: {copy: manual/b}\n  sample: {in: x}\n",
        &[
            "secret/b: copy generators/manual/a own .in=\"x\\n\"",
            "secret/d: in \"x\\n\" own",
            "1:11: `solution` must start with `/`, not `submissions/accepted/a.py` (the package is the root: /submissions/accepted/a.py)",
            "3:3: `data/secrt` holds no test cases (the directories are sample, secret, invalid_input, invalid_answer, invalid_output, valid_output, fuzz)",
            "5:5: unknown key `count` in `secret` (`count` belongs to a test case, next to its `generate`)",
            "7:21: generator not found: `nobody.py` (add generators/nobody.py, or define it under `generators:`)",
            "warning: 8:7: `b` has several inputs: `in` counts (give it one of `generate`, `copy` and `in`)",
            "9:7: `c` has no input (give it one of `generate`, `copy` and `in`)",
            "10:18: unknown key `descripton` in `secret/d` (known keys: solution, random_salt, retries, generate, copy, count, match, in, ans, out, yaml, interaction, in.statement, ans.statement, in.download, ans.download, png, jpg, jpeg, svg)",
            "10:33: unknown key `desc` in `secret/d` (in format 2025-09: `description` under `yaml`)",
            "11:7: `../e` cannot be the name of a file (letters, digits, `_`, `-` and `.`, with a letter, digit or `_` first)",
            "12:17: `copy` leads out of the package: `../../etc/passwd` (give a file in the package)",
            "13:21: unknown key `yaml` in `secret/g` (known keys: solution, random_salt, retries, test_group.yaml, include, data)",
            "14:17: `copy` names a file: `manual/a.in` (leave out the ending: copy: manual/a)",
            "15:7: `i` has no input (give it one of `generate`, `copy` and `in`)",
            "16:7: a test case must not be called `test_group` (rename it: its .yaml file would be that of the group)",
            "17:7: `j` has no input (give it one of `generate`, `copy` and `in`)",
            "18:3: `sample` must be a directory (write `sample: { data: ... }`)",
        ],
    );
}

#[test]
fn directories_may_have_keys_of_other_tools() {
    check(
        "version: 2026-05\ngitignore_generated: true\nsolutoin: /x\ninclude: [sample]\nvisualizer: /v\n\
         data: {secret: {parallel: false, retires: 3, <<: {}, data: {a: {generate: gen.py 1, visualizer: /v}, b: {in: x, visualizer: }}}}\n",
        &[
            "secret/a: generators/gen.py 1 own",
            "secret/b: in \"x\\n\" own",
            "warning: 2:1: `gitignore_generated` is ignored: juror has no such key (fine if another tool reads it; known keys: visualizer, solution, random_salt, retries, test_group.yaml, generators, version, data)",
            "3:1: unknown key `solutoin` (did you mean `solution`?)",
            "4:1: unknown key `include` (write it in the directory for the cases)",
            "warning: 5:1: `visualizer` is ignored (remove it: juror draws no pictures from recipes; in format 2025-09 visualizers have directories)",
            "warning: 6:17: `parallel` is ignored: juror has no such key (fine if another tool reads it; known keys: solution, random_salt, retries, test_group.yaml, include, data)",
            "6:34: unknown key `retires` in `secret` (did you mean `retries`?)",
            "6:46: unknown key `<<` in `secret` (merge keys are not part of YAML 1.2; write the keys out)",
            "warning: 6:85: `visualizer` is ignored (remove it: juror draws no pictures from recipes; in format 2025-09 visualizers have directories)",
        ],
    );
}

#[test]
fn a_recipe_without_cases_is_a_warning() {
    let doubt = "warning:  describes no test case (add cases under `data:`)";
    check("data: {secret: {data: {}}}\n", &[doubt]);
    check("solution:\n", &[doubt]);
    check("", &[" is empty (describe the test data under `data:`)"]);
}

#[test]
fn the_number_of_cases_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("generators/generators.yaml");
    fs::create_dir(dir.path().join("generators")).unwrap();
    fs::write(dir.path().join("generators/g"), "").unwrap();
    let many = |entry: &dyn Fn(usize) -> String| -> String { (0..1000).map(entry).collect() };
    let check = |recipe: String| {
        fs::write(&path, recipe).unwrap();
        let reading = read(&FilePath::root(&path), &FilePath::root(dir.path()), &[], false);
        let recipe = reading.recipe.unwrap();
        assert_eq!(recipe.cases.len() + recipe.links.len(), MAX_CASES);
        let messages = reading.diagnostics.iter();
        let full =
            messages.filter(|diagnostic| diagnostic.message.contains("makes too many cases"));
        assert_eq!(full.count(), 1);
    };
    let counted = |index| format!("  a{index}: {{generate: 'g {index} {{seed}}', count: 100}}\n");
    check(format!("data:\n secret:\n  data:\n{}", many(&|index| format!(" {}", counted(index)))));
    let (cases, groups) = (
        many(&|index| format!("    c{index}: g {index}\n")),
        many(&|index| format!("    g{index}: {{include: [sample]}}\n")),
    );
    check(format!("data:\n  sample:\n   data:\n{cases}  secret:\n   data:\n{groups}"));
}

const WORDS: [&str; 41] = [
    "data:",
    "sample:",
    "secret:",
    "include:",
    "generators:",
    "solution:",
    "random_salt:",
    "retries:",
    "generate:",
    "copy:",
    "count:",
    "match:",
    "in:",
    "ans:",
    "yaml:",
    "in.download:",
    "link:",
    "test_group.yaml:",
    "gen.py",
    "{seed}",
    "{count}",
    "{x}",
    "manual/a",
    "/submissions/accepted/a.py",
    "1..=3",
    "3",
    "0",
    "'",
    "{",
    "}",
    "[",
    "]",
    "- ",
    ": ",
    ", ",
    " ",
    "\n",
    "\n  ",
    "\n    ",
    "\n      ",
    "\u{e4}",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_recipes_are_read(
        words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..60),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("generators.yaml");
        fs::write(&path, words.concat()).unwrap();
        let reading = read(&FilePath::root(&path), &FilePath::root(dir.path()), &[], false);
        for diagnostic in &reading.diagnostics {
            let spot = diagnostic.place.spot.as_ref();
            assert!(spot.is_none_or(|spot| spot.line > 0 && spot.column > 0 && spot.width > 0));
        }
        // Names are unique, and every link leads to a case.
        let recipe = reading.recipe.iter();
        for recipe in recipe {
            let names: std::collections::BTreeSet<&str> = recipe.cases.iter().map(|case| case.name.as_str()).collect();
            assert_eq!(names.len(), recipe.cases.len());
            assert!(recipe.links.iter().all(|link| names.contains(&*link.target) && !names.contains(&*link.name)));
        }
    }
}

#[test]
fn the_demands_of_a_small_recipe_are_bounded() {
    check(
        "data: {secret: {retries: 1000000000, data: {a: {in: x, match: 'x{1000}{1000}{1000}'}}}}\n",
        &[
            "secret/a: in \"x\\n\" own",
            "1:26: `retries` is too large (at most 1000)",
            "1:63: `x{1000}{1000}{1000}` is a regular expression that takes too much memory (use smaller repeats in it, such as `[0-9]+` instead of `[0-9]{1,100000}`)",
        ],
    );
}
