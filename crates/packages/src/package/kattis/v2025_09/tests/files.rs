//! Faults of files, links, statements and programs.

use std::fs;
use std::path::Path;

use super::{Package, check};
use crate::package::read;

/// 2025-09, "General requirements": a name that the format ignores is a warning
#[test]
fn ignored_names_are_reported() {
    check(
        "\
--- data/secret/a b.in
1
--- data/secret/.2.in
1
--- submissions/accepted/-x.py
1
--- .git/config
x
--- submissions/accepted/add.py~
x
--- submissions/accepted/.cache/x
y
",
        &[
            "warning data/secret/.2.in: is ignored: the format does not allow its name; names are letters, digits, `_`, `.` and `-`, and begin with a letter, a digit or `_`",
            "warning data/secret/a b.in: is ignored: the format does not allow its name; names are letters, digits, `_`, `.` and `-`, and begin with a letter, a digit or `_`",
            "warning submissions/accepted/-x.py: is ignored: the format does not allow its name; names are letters, digits, `_`, `.` and `-`, and begin with a letter, a digit or `_`",
        ],
    );
}

#[test]
fn links_stay_in_the_package() {
    check(
        "\
--- data/secret/2.in -> 1.in
--- data/secret/2.ans -> ../secret/1.ans
",
        &[],
    );
    check(
        "\
--- data/secret/2.in -> nowhere.in
",
        &[
            "error data/secret/2.in: is a link to nowhere.in, which does not exist; fix or remove the link",
        ],
    );
    check(
        "\
--- submissions/accepted/host -> /etc/passwd
",
        &[
            "error submissions/accepted/host: is a link to /etc/passwd, which is outside of the package; copy the file into the package",
        ],
    );
    check(
        "\
--- include/default/up -> ../..
--- include/default/x
x
",
        &["error include/default/up: is a link to a directory that contains it; remove the link"],
    );
    check(
        "\
--- data/secret/more -> /usr
",
        &[
            "error data/secret/more: is a link to /usr, which is outside of the package; copy the file into the package",
        ],
    );
    check(
        "\
--- .editor -> /nowhere
",
        &[],
    );
}

#[test]
fn broken_links_prevent_judging_only_in_test_data() {
    let check = |name: &str, preventing: usize| {
        for target in ["/etc/passwd", "nowhere", "."] {
            let package = Package::new(&format!("--- {name} -> {target}\n"));
            let reading = read(&package.dir);
            assert!(reading.problem.is_some());
            let prevents =
                reading.diagnostics.iter().filter(|diagnostic| diagnostic.prevents_judging());
            let counts = (reading.diagnostics.len(), prevents.count());
            assert_eq!(counts, (1, preventing), "{name} to {target}");
        }
    };
    check("submissions/accepted/b.cpp", 0);
    check("attachments/b.txt", 0);
    // A missing test case must not get anyone accepted.
    check("data/secret/2.in", 1);
}

#[test]
fn files_of_another_format_are_reported() {
    check(
        "\
--- problem_statement/problem.tex
x
--- output_validators/v.py
x
--- domjudge-problem.ini
x
--- submission/a.py
x
--- Makefile
x
",
        &[
            "warning domjudge-problem.ini: is ignored: it is not part of the format; in format 2025-09: `limits` of problem.yaml",
            "warning output_validators: is ignored: it is not part of the format; in format 2025-09: `output_validator`, exactly one",
            "warning problem_statement: is ignored: it is not part of the format; in format 2025-09: `statement`",
            "warning submission: is ignored: it is not part of the format; did you mean `submissions`?",
        ],
    );
}

#[test]
fn a_file_in_place_of_a_directory_is_reported() {
    check(
        "--- output_validator\nx\n",
        &[
            "error output_validator: is ignored: it is a file, but must be a directory; move it into a directory of this name",
        ],
    );
}

#[test]
fn an_unused_static_validator_is_a_warning() {
    let ask = "add `static_validation_score: pass-fail` or a number to that of a group";
    check(
        "--- static_validator/x.py\nx\n",
        &[&format!(
            "warning static_validator: is never run: no test_group.yaml has a `static_validation_score`; {ask}"
        )],
    );
    check(
        "--- static_validator/x.py\nx\n--- data/secret/test_group.yaml\nstatic_validation_score: pass-fail\n",
        &[],
    );
}

#[test]
fn there_is_one_output_validator() {
    let none = "add the output validator, or remove the directory: then the format's default output validator decides";
    let none = format!("error output_validator: has no program in it; {none}");
    check("--- output_validator/validate.py\nx\n", &[]);
    check("--- output_validator/validate/run\nx\n", &[]);
    check("--- output_validator/run\nx\n", &[]);
    check("--- output_validator/validate.cpp\nx\n--- output_validator/testlib.h\nx\n", &[]);
    check("--- output_validator/\n", &[&none]);
    check("--- output_validator/README.md\nx\n", &[&none]);
    check(
        "--- output_validator/a/run\nx\n--- output_validator/b/run\nx\n",
        &[
            "error output_validator: has 2 programs in it; the output validator is exactly one program; keep one directory",
        ],
    );
    check(
        "--- output_validator/validate/\n",
        &["error output_validator/validate: is a validator without files; fill it or remove it"],
    );
    check(
        "--- output_validator/validate.rs\nx\n",
        &[
            "warning output_validator/validate.rs: is not in Python 3, C or C++: the format allows no other language for validators; put it into a directory with a `build` script that makes `run`",
        ],
    );
}

/// 2025-09, "Output visualizer": a directory without a program is an error; submissions are
/// judged
#[test]
fn a_visualizer_is_one_program() {
    for what in ["input", "output"] {
        let path = format!("{what}_visualizer");
        check(&format!("--- {path}/draw.py\nx\n--- {path}/README.md\nx\n"), &[]);
        let help = format!(
            "add the {what} visualizer, or remove the directory: then nothing makes images"
        );
        let empty = format!("error {path}: has no program in it; {help}");
        check(&format!("--- {path}/README.md\nx\n"), &[&empty]);
        let package = Package::new(&format!("--- {path}/README.md\nx\n"));
        assert!(
            read(&package.dir).diagnostics.iter().all(|diagnostic| !diagnostic.prevents_judging())
        );
    }
}

#[test]
fn the_program_is_the_file_or_the_directory_that_holds_its_parts() {
    let check = |changes: &str, expected: &str| {
        let package = Package::new(changes);
        let mut problem = read(&package.dir).problem.expect("a problem");
        let validator = problem.output_validators.pop().expect("an output validator");
        assert_eq!(*validator.path, *package.dir.join(expected));
    };
    let file = "--- output_validator/validate.cpp\nx\n";
    check(file, "output_validator/validate.cpp");
    let readme = format!("{file}--- output_validator/README.md\nx\n");
    check(&readme, "output_validator/validate.cpp");
    let header = format!("{file}--- output_validator/validate.h\nx\n");
    check(&header, "output_validator");
    check("--- output_validator/v/run\nx\n", "output_validator/v");
    let two = format!("{file}--- output_validator/more.cpp\nx\n");
    check(&two, "output_validator");
    check("--- output_validator/run\nx\n", "output_validator");
}

#[test]
fn statements_of_another_version_are_reported() {
    check(
        "\
--- statement removed
--- problem_statement/problem.en.tex
x
",
        &[
            "warning problem_statement: is ignored: it is not part of the format; in format 2025-09: `statement`",
            "error statement: is missing: a package needs a statement; add statement/problem.en.md, or .tex or .pdf",
        ],
    );
}

#[test]
fn solutions_have_a_name_of_the_format() {
    for name in ["solution.md", "solution.en.tex", "solution.pt-BR.pdf"] {
        check(&format!("--- solution/{name}\nx\n--- solution/a.png\nx\n"), &[]);
    }
    check(
        "\
--- solution/sol.md
x
",
        &["error solution: has no solution; add solution/solution.en.md, or .tex or .pdf"],
    );
    check(
        "\
--- solution/solution.english.md
x
--- solution/solution.md
x
--- solution/solution.en.tex
x
",
        &[
            "error solution/solution.english.md: `english` is not a language code; use an ISO 639 code: solution.en.md, solution.pt-BR.tex",
            "error solution/solution.md: is a second solution in language `en`; keep one file for each language",
        ],
    );
}

#[test]
fn statements_have_a_language() {
    check(
        "\
--- statement removed
",
        &[
            "error statement: is missing: a package needs a statement; add statement/problem.en.md, or .tex or .pdf",
        ],
    );
    check(
        "\
--- statement/problem.md
x
",
        &[
            "error statement/problem.md: does not name its language; rename it, for example to problem.en.md",
        ],
    );
    check(
        "\
--- statement/problem.en.md removed
--- statement/problem.md
x
",
        &[
            "error statement/problem.md: does not name its language; rename it, for example to problem.en.md",
        ],
    );
    check(
        "\
--- statement/problem.english.md
x
",
        &[
            "error statement/problem.english.md: `english` is not a language code; use an ISO 639 code: problem.en.md, problem.pt-BR.tex",
        ],
    );
    check(
        "\
--- statement/problem.en.tex
x
",
        &[
            "error statement/problem.en.tex: is a second statement in language `en`; keep one file for each language",
        ],
    );
}

/// 2025-09, "LaTeX environment and supported subset": `\nextsample` without a sample that is left is an error
#[test]
fn statements_place_only_existing_samples() {
    let sample = "--- data/sample/1.in\n1 2\n--- data/sample/1.ans\n3\n";
    let check = |name: &str, text: &str, is_right: bool| {
        let word = if name.ends_with("md") { "{{nextsample}}" } else { "\\nextsample" };
        let help = "remove it, or add samples: there are 1";
        let fault =
            format!("error statement/{name}: has a `{word}`, but no sample is left for it; {help}");
        let changes =
            format!("--- statement/problem.en.md removed\n{sample}--- statement/{name}\n{text}\n");
        super::check(&changes, &[fault.as_str()][usize::from(is_right)..]);
    };
    check("problem.en.md", "Add.", true);
    check("problem.en.md", "{{nextsample}} {{remainingsamples}}", true);
    check("problem.en.md", "{{nextsample}} {{nextsample}}", false);
    check("problem.en.md", "{{remainingsamples}} {{nextsample}}", false);
    check("problem.en.tex", "\\nextsample % and not \\nextsample", true);
    check("problem.en.tex", "\\nextsample\n\\nextsample", false);
    check("problem.en.tex", "\\remainingsamples\n\\nextsample", false);
}

/// 2025-09, "Attachments": a directory other than `templates` is an error
#[test]
fn attachments_have_no_directories_but_templates() {
    check(
        "\
--- attachments/tool.py
x
--- attachments/templates/cpp/a.cpp
x
--- attachments/templates/c++/a.cpp
x
--- attachments/extra/a
x
",
        &[
            "error attachments/extra: is a directory, which is not allowed in attachments; attach single files, or a zip file; only `templates` is allowed",
            "warning attachments/templates/c++: is ignored: the format does not allow its name; names are letters, digits, `_`, `.` and `-`, and begin with a letter, a digit or `_`",
        ],
    );
}

/// 2025-09, "Included files": a language that `languages` does not list, and an empty directory, are errors
#[test]
fn included_files_are_for_allowed_languages() {
    check(
        "\
--- include/cpp/a.h
x
--- include/default/sub/a
x
",
        &[],
    );
    check(
        "\
--- include/c++/a.h
x
--- include/a.h
x
--- include/java/
",
        &[
            "warning include/a.h: is ignored: included files belong in include/default or a language's directory; move it to include/default",
            "warning include/c++: is ignored: the format does not allow its name; names are letters, digits, `_`, `.` and `-`, and begin with a letter, a digit or `_`",
            "error include/java: is empty; fill it or remove it",
        ],
    );
    check(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-426614174000
languages: [java]
--- include/cpp/a.h
x
",
        &[
            "error include/cpp: submissions may not be in `cpp`: `languages` of problem.yaml does not list it; add it to `languages`, or remove the directory",
        ],
    );
}

/// 2025-09, "Input validators": no input validator is an error; VIVA files are not run, with a warning
#[test]
fn input_validators_are_programs() {
    check(
        "\
--- input_validators removed
",
        &[
            "error input_validators: is missing: a package needs an input validator; add a grammar of the input (.ctd), or a program that reads it and exits with 42 if it is valid",
        ],
    );
    check(
        "\
--- input_validators/validate.py removed
",
        &[
            "error input_validators: has no input validator; add a grammar of the input (.ctd), or a program that reads it and exits with 42 if it is valid",
        ],
    );
    check(
        "\
--- input_validators/validate.py removed
--- input_validators/a.ctd
INT(1,2)
--- input_validators/b.viva
x
",
        &[
            "warning input_validators/b.viva: is a VIVA file, which juror cannot run yet: it checks nothing; write it as a checktestdata file (.ctd), which juror runs",
        ],
    );
    check(
        "\
--- input_validators/README.md
x
--- input_validators/testlib.h
x
--- input_validators/v.sh
x
--- input_validators/dir/a.rs
x
--- input_validators/ok/build
x
--- input_validators/ok/a.rs
x
--- input_validators/none/
",
        &[
            "warning input_validators/dir: has neither `build` nor `run`, and no Python 3, C or C++ file; add a `build` script that makes `run`",
            "error input_validators/none: is a validator without files; fill it or remove it",
            "warning input_validators/testlib.h: is ignored: it is not a program; put a validator of several files into a directory of its own",
            "warning input_validators/v.sh: is not in Python 3, C or C++: the format allows no other language for validators; put it into a directory with a `build` script that makes `run`",
        ],
    );
}

/// 2025-09, "General requirements": a byte-order mark, or text that is not UTF-8, is an error; Windows line ends are a warning
/// 2025-09, "Test cases": an input or answer without a last line end is given as it is, with a warning; a byte-order mark or UTF-16 in it is an error, and a warning for who judges
#[test]
fn encodings_and_line_ends_are_checked() {
    let check = |name: &str, content: &[u8], expected: &[&str]| {
        let package = Package::new("");
        package.write(name, content);
        assert_eq!(package.remarks(), expected, "{name}");
    };
    let yaml = |text: &str| {
        let head = "problem_format_version: 2025-09\nuuid: 123e4567-e89b-42d3-a456-426614174000\n";
        format!("{head}{text}").into_bytes()
    };
    check("problem.yaml", &yaml("name: Zwölf\n"), &[]);
    check(
        "problem.yaml",
        &[b"\xef\xbb\xbf", &yaml("name: Small\n")[..]].concat(),
        &[
            "error problem.yaml: starts with a byte-order mark (BOM); save the file as UTF-8 without BOM",
        ],
    );
    check(
        "problem.yaml",
        &yaml("name: Small\r\nversion: a\r\n"),
        &[
            "warning problem.yaml:3:12: has Windows line ends (CR LF); save the file with Unix line ends (LF)",
        ],
    );
    check(
        "problem.yaml",
        &yaml("name: Small"),
        &["warning problem.yaml: does not end with a line end; add a line end after the last line"],
    );
    check(
        "problem.yaml",
        &[&yaml("name: Sm")[..], b"\xe4ll\n"].concat(),
        &["error problem.yaml:3:9: is not UTF-8 here; save the file as UTF-8"],
    );
    check(
        "problem.yaml",
        &vec![b'#'; 2 << 20],
        &["error problem.yaml: is larger than 1 MiB; juror reads no larger file of settings"],
    );
    check(
        "data/secret/1.in",
        b"\xef\xbb\xbf1 2\n",
        &[
            "error data/secret/1.in: starts with a byte-order mark (BOM); save the file as UTF-8 without BOM",
        ],
    );
    check(
        "data/secret/1.ans",
        b"3\r\n",
        &[
            "warning data/secret/1.ans: has Windows line ends (CR LF); save the file with Unix line ends (LF)",
        ],
    );
    check(
        "data/secret/1.in",
        b"1 2",
        &[
            "warning data/secret/1.in: does not end with a line end; add a line end after the last line",
        ],
    );
    check(
        "data/secret/1.ans",
        b"3\t\n",
        &[
            "warning data/secret/1.ans: has blanks at the ends of lines; make it again by `juror generate`, or remove them: sed -i 's/[ \\t]*$//' FILE",
        ],
    );
    check("data/secret/1.in", b"1 \n", &[]);
    check("data/secret/1.in", b"", &[]);
    check("data/secret/1.in", b"\xff\xfe\n", &[]);
    check("data/secret/1.in", b"\0\0\0\n", &[]);
    let utf16 = "error data/secret/1.in: is in UTF-16, which programs read as junk; save the file as UTF-8 without BOM";
    check("data/secret/1.in", b"\xff\xfe1\0\n\0", &[utf16]);
    check("data/secret/1.in", b"\xfe\xff\x001\0\n", &[utf16]);
    check("data/secret/1.in", b"1\0\n\0", &[utf16]);
    check("data/secret/1.in", b"\x001\0 \x002\0\n", &[utf16]);
    check(
        "data/secret/1.in",
        "\u{feff}\u{4e00}\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>()
            .as_slice(),
        &[utf16],
    );
}

#[test]
fn a_missing_package_is_reported_with_help() {
    let keep = tempfile::TempDir::new().expect("a temporary directory");
    let dir = keep.path();
    let check = |path: &Path, message: &str, help: &str| {
        let reading = read(path);
        assert!(reading.problem.is_none());
        let [diagnostic] = &reading.diagnostics[..] else {
            panic!("one remark expected: {:?}", reading.diagnostics);
        };
        let shown = |text: &str| text.replace(&dir.display().to_string(), "DIR");
        assert_eq!(shown(&diagnostic.message), message);
        assert_eq!(shown(diagnostic.help.as_deref().unwrap_or_default()), help);
    };
    let ask = "is this a problem package?";
    let hint = "give the directory of a problem package, an archive of one (.zip, .kpp, .tar.gz or .tgz), or tests in \
         a .prob or .json file";
    check(&dir.join("a"), "DIR/a: no such directory", hint);
    fs::write(dir.join("a"), "x").expect("a file");
    check(&dir.join("a"), "DIR/a is neither a directory nor an archive", hint);
    let nothing = "a package is a directory with a file problem.yaml, or with a problem.xml of Polygon, or with an \
         info.toml of library-checker, or with a task.yaml of CMS and input/input0.txt or gen/GEN, or with a \
         config.yml of sinol, in/ and prog/, or with tests in pairs, such as 1.in and 1.ans, in1.txt and out1.txt, or \
         01 and 01.a; files there: a";
    check(dir, &format!("no problem.yaml in DIR; {ask}"), nothing);
    for name in ["one", "two"] {
        fs::create_dir_all(dir.join(name).join("data")).expect("a directory");
        fs::write(dir.join(name).join("problem.yaml"), "x").expect("a file");
        let help = match name {
            "one" => "did you mean DIR/one?",
            _ => "packages in it: DIR/one, DIR/two",
        };
        check(dir, &format!("no problem.yaml in DIR; {ask}"), help);
        check(&dir.join("oen"), "DIR/oen: no such directory", "did you mean `one`?");
    }
    check(
        &dir.join("one/data"),
        &format!("no problem.yaml in DIR/one/data; {ask}"),
        "did you mean DIR/one?",
    );
}

/// 2025-09, "General requirements": a directory name with more than lower-case letters and digits is a warning
#[test]
fn an_unusual_directory_name_is_a_warning() {
    let keep = tempfile::TempDir::new().expect("a temporary directory");
    let dir = keep.path().join("My-Problem");
    fs::rename(&Package::new("").dir, &dir).expect("the same file system");
    let diagnostics = read(&dir).diagnostics;
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(
        diagnostics[0].message,
        "the directory's name `My-Problem` should have only lower-case letters and digits"
    );
}

#[test]
fn a_link_to_what_build_makes_belongs_to_the_package() {
    let check = |directory: &str, link: &str, expected: &[&str]| {
        let build = format!("--- {directory}/build\nx\n--- {directory}/v.c\nx\n");
        let package = Package::new(&format!("{build}--- {directory}/{link}\n"));
        assert_eq!(package.remarks(), expected, "{directory} {link}");
    };
    check("output_validator", "run -> validate", &[]);
    check("output_validator", "run -> out/validate", &[]);
    check("input_validators/v", "run -> v", &[]);
    check("output_visualizer", "run -> ./v", &[]);
    check("generators/g", "run -> bin/g", &[]);
    let nowhere = "which does not exist; fix or remove the link";
    let lost = format!("error output_validator/start: is a link to validate, {nowhere}");
    check("output_validator", "start -> validate", &[&lost]);
    let lost = format!("error output_validator/run: is a link to ../v, {nowhere}");
    check("output_validator", "run -> ../v", &[&lost]);
}

#[test]
fn a_pipe_in_the_package_is_never_opened() {
    let package = Package::new("");
    let pipe = package.dir.join("data/secret/2.in");
    let status = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(status.is_ok_and(|status| status.success()), "mkfifo is there");
    assert_eq!(
        package.remarks(),
        ["error data/secret/2.in: is neither a file nor a directory; remove it from the package"]
    );
}
