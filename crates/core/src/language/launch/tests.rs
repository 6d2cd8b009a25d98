//! Languages and entry points of programs.

use super::*;
use crate::diagnostic::Diagnostic;
use crate::root::FilePath;
use crate::tree::{FileMode, Node};

/// One program: its kind, `code@entry` if the package names them, then its files as `name`, `name=text`, or
/// `*name=text` with the `x` bit; a single file comes after `file:`.
struct LaunchCase<'a> {
    kind: ProgramKind,
    language: Option<&'a str>,
    entry: Option<&'a str>,
    shape: SourceShape,
    files: &'a [&'a str],
}

const DIRECTORY: LaunchCase<'static> = LaunchCase {
    kind: ProgramKind::Submission,
    language: None,
    entry: None,
    shape: SourceShape::Directory,
    files: &[],
};

fn source(text: &str) -> TreeEntry {
    let (name, bytes) = text.split_once('=').unwrap_or((text, "x"));
    let (name, mode) = match name.strip_prefix('*') {
        Some(name) => (name, FileMode::Executable),
        None => (name, FileMode::Plain),
    };
    TreeEntry::new(name, Node::File { blob: bytes.as_bytes().into(), mode })
}

fn spec_of(
    case: &LaunchCase<'_>,
    included: Vec<(Option<String>, TreeEntry)>,
) -> Result<LaunchSpec, ProgramFault> {
    let files: Vec<TreeEntry> = case.files.iter().map(|file| source(file)).collect();
    let path = match case.shape {
        SourceShape::File => PathBuf::from("sub").join(&files[0].name),
        SourceShape::Directory => PathBuf::from("sub"),
    };
    let program = Program {
        name: "sub".into(),
        path: FilePath::root(path),
        kind: case.kind,
        language: case.language.map(str::to_owned),
        entry_point: case.entry.map(str::to_owned),
        ..Program::default()
    };
    let sources = Sources { shape: case.shape, files, included, ..Sources::default() };
    launch_spec(&program, &sources)
}

fn show_spec(recipe: Result<LaunchSpec, ProgramFault>) -> String {
    let recipe = match recipe {
        Ok(recipe) => recipe,
        Err(fault) => return fault.to_string(),
    };
    match recipe.form {
        LaunchForm::Language { language, sources, main } => {
            let sources: Vec<String> =
                sources.iter().map(|name| name.display().to_string()).collect();
            format!(
                "{}: {} -> {}",
                language.code,
                sources.join(" "),
                main.as_deref().unwrap_or("-")
            )
        }
        LaunchForm::Scripts { build, run } => format!("scripts: {build:?} {run:?}"),
        LaunchForm::Answers => "answers".to_owned(),
        LaunchForm::Executable { file, .. } => format!("executable: {}", file.display()),
    }
}

fn check(files: &[&str], expected: &str) {
    let case = LaunchCase { files, ..DIRECTORY };
    assert_eq!(show_spec(spec_of(&case, Vec::new())), expected, "{files:?}");
}

fn check_file(file: &str, expected: &str) {
    let case = LaunchCase { files: &[file], shape: SourceShape::File, ..DIRECTORY };
    assert_eq!(show_spec(spec_of(&case, Vec::new())), expected, "{file}");
}

#[test]
fn endings_determine_the_language() {
    check_file("sol.py", "python3: sol.py -> sol.py");
    check_file("sol.C", "cpp: sol.C -> -");
    check_file("sol.rs", "rust: sol.rs -> sol.rs");
    check_file("sol.sh", "bash: sol.sh -> sol.sh");
    check(&["a.cpp", "b.cc", "b.h", "data.txt"], "cpp: a.cpp b.cc -> -");
    check(&["main.js", "lib.js"], "javascript: lib.js main.js -> main.js");
    check(&["a.go", "b.go"], "go: a.go b.go -> -");
    check(&["a.go", "go.mod"], "go: . -> -");
    let module = ["a.go=package main\nfunc main() {}", "cmd/a.go=func main() {}", "go.mod"];
    check(&module, "go: . -> -");
}

/// 2025-09, "Submissions": a submission without a clear language is not built; the others are
/// judged
#[test]
fn an_unclear_language_names_the_files_and_has_help() {
    check(&[], "is empty; add a source file; names that begin with `.` or `-` do not count");
    check(
        &["a.h", "b.hpp"],
        "there are only headers: `a.h`, `b.hpp`; add the file that includes them",
    );
    check(
        &["a.c", "b.py"],
        "the files are in several languages: `a.c` is C, `b.py` is Python 3; set the language in the package, or keep the files of one language",
    );
    check(
        &["a.zig"],
        "juror does not support Zig (by the ending of `a.zig`); `juror languages` lists the supported languages",
    );
    check_file(
        "notes.txt",
        "no source file of a known language among `notes.txt`; known endings: .sh .c .cc .cpp .cxx \
         .c++ .C .cs .d .go .hs .java .js .kt .lua .nim .ml .pas .pm .php .py .py3 .R .r .rb .rs .scala .swift .ts",
    );
}

/// 2025-09, "Submissions": `language` of submissions.yaml goes before endings
#[test]
fn the_named_language_comes_before_endings() {
    let check = |language, shape, files: &[&str], expected: &str| {
        let case = LaunchCase { language: Some(language), shape, files, ..DIRECTORY };
        assert_eq!(show_spec(spec_of(&case, Vec::new())), expected, "{files:?}");
    };
    check("cpp", SourceShape::Directory, &["a.c", "b.py"], "cpp: a.c -> -");
    check("perl", SourceShape::File, &["a.pl"], "perl: a.pl -> a.pl");
    let prolog = "juror does not support Prolog (the language set for it); `juror languages` lists the supported languages";
    check("prolog", SourceShape::File, &["a.pl=use strict;"], prolog);
    check("python3", SourceShape::File, &["a.pm"], "python3: a.pm -> a.pm");
    check("python3", SourceShape::File, &["a.txt"], "python3: a.txt -> a.txt");
    check("cppgmp", SourceShape::File, &["a.cpp"], "cppgmp: a.cpp -> -");
    check("pypy3", SourceShape::File, &["a.py"], "pypy3: a.py -> a.py");
    check(
        "java",
        SourceShape::Directory,
        &["a.c"],
        "no Java source file among `a.c`; correct `language:` or the file endings",
    );
    check(
        "c99",
        SourceShape::File,
        &["a.c"],
        "unknown language `c99`; `juror languages` lists the codes",
    );
}

/// 2025-09, "Submissions": an `entrypoint` that is not there is an error
#[test]
fn an_unclear_entry_point_has_help() {
    let guard = "if __name__ == '__main__':";
    check(&["a.py=x", &format!("b.py={guard}")], "python3: a.py b.py -> b.py");
    check(
        &["a.py", "b.py"],
        "cannot tell which of `a.py`, `b.py` is the main file; name the main file `__main__.py`, set the entry point in the package, or give --start to `juror judge`",
    );
    check(
        &["a.rs=fn main() {}", "b.rs=fn main() {}"],
        "each of `a.rs`, `b.rs` could be the main file; name the main file `main.rs`, set the entry point in the package, or give --start to `juror judge`",
    );
    let case = LaunchCase { entry: Some("c.py"), files: &["a.py", "b.py"], ..DIRECTORY };
    let expected =
        "entry point `c.py` not found among `a.py`, `b.py`; correct the entry point in the package";
    assert_eq!(show_spec(spec_of(&case, Vec::new())), expected);
}

#[test]
fn java_files_get_the_names_of_their_public_types() {
    let main = "public class Main { public static void main(String[] a) {} }";
    check_file(&format!("solution.java={main}"), "java: Main.java -> Main");
    check_file(
        "x.java=package p; class A { static void main(String[] a) {} }",
        "java: x.java -> p.A",
    );
    check(&[&format!("sol.java={main}"), "B.java=class B {}"], "java: B.java Main.java -> Main");
    check_file("x.java=class A {} public class B {}", "java: B.java -> B");
    check_file("x.java=class A {}", "java: x.java -> A");
    check_file("x.java=not Java", "java: x.java -> x");
    let both = "static void main(String[] a) {}";
    check_file(
        &format!("x.java=class B {{ {both} }} public class A {{ {both} }}"),
        "java: A.java -> A",
    );
    check(
        &["x.java=class A {}", "y.java=class B {}"],
        "cannot tell which of `x.java`, `y.java` is the main file; name the main file `Main`, set the entry point in the package, or give --start to `juror judge`",
    );
    check_file(
        &format!("x.java=class A {{ {both} }} class B {{ {both} }}"),
        "`x.java` has several classes with a `main` method: `A`, `B`; name the file after the class that starts, such as A.java",
    );
}

/// 2025-09, "Included files": an included file with the usual name of a main file starts; else
/// a submitted one
#[test]
fn an_included_driver_starts() {
    let driver = (Some("python3".to_owned()), source("__main__.py=import sol"));
    let case = LaunchCase { files: &["sol.py"], shape: SourceShape::File, ..DIRECTORY };
    let expected = "python3: __main__.py sol.py -> __main__.py";
    assert_eq!(show_spec(spec_of(&case, vec![driver])), expected);
}

#[test]
fn a_submitted_file_starts_before_an_included_one() {
    let check = |language: &str, own: &[&str], included: &[&str], expected: &str| {
        let case = LaunchCase { files: own, ..DIRECTORY };
        let included =
            included.iter().map(|file| (Some(language.to_owned()), source(file))).collect();
        assert_eq!(show_spec(spec_of(&case, included)), expected, "{own:?}");
    };
    check("python3", &["sol.py"], &["grader.py"], "python3: grader.py sol.py -> sol.py");
    check(
        "python3",
        &["a.py=x", "b.py=if __name__ == '__main__':"],
        &["c.py=if __name__ == '__main__':"],
        "python3: a.py b.py c.py -> b.py",
    );
    check("rust", &["sol.rs=fn main() {}"], &["lib.rs"], "rust: lib.rs sol.rs -> sol.rs");
    check("python3", &["sol.py"], &["sol.py=import x"], "python3: sol.py -> sol.py");
    let main =
        |class: &str| format!("{class}.java=class {class} {{ static void main(String[] a) {{}} }}");
    let (own, tool, driver) = (main("Sol"), main("Tool"), main("Main"));
    check("java", &[&own], &[&tool], "java: Sol.java Tool.java -> Sol");
    check("java", &[&own], &[&driver], "java: Main.java Sol.java -> Main");
}

#[test]
fn a_named_java_file_starts_before_one_with_the_usual_name() {
    let main = |class: &str| format!("class {class} {{ static void main(String[] a) {{}} }}");
    let other = source(&format!("Main.java={}", main("Main")));
    let check = |file: &str, text: &str, expected: &str| {
        let file_with_text = format!("{file}={text}");
        let files = &[file_with_text.as_str()];
        let case = LaunchCase { files, shape: SourceShape::File, entry: Some(file), ..DIRECTORY };
        let included = vec![(Some("java".to_owned()), other.clone())];
        assert_eq!(show_spec(spec_of(&case, included)), expected, "{text}");
    };
    check("Sum.java", &main("Sum"), "java: Main.java Sum.java -> Sum");
    let two = format!("class B {{}} public {}", main("A"));
    check("mine.java", &two, "java: Main.java A.java -> A");
    let solution = format!("class Solution {{}} {} {}", main("First"), main("Second"));
    check("Solution.java", &solution, "java: Main.java Solution.java -> First");
    // A class that is called like the file may be in another one.
    let other = source(&format!("B.java=class A {{}} {}", main("B")));
    let files = &["A.java=public class Main { public static void main(String[] a) {} }"];
    let case = LaunchCase { files, shape: SourceShape::File, entry: Some("A.java"), ..DIRECTORY };
    let shown = show_spec(spec_of(&case, vec![(Some("java".to_owned()), other)]));
    assert_eq!(shown, "java: Main.java B.java -> Main");
}

#[test]
fn a_cargo_project_is_rust_with_any_other_files() {
    check(&["Cargo.toml=[package]\nname = 'p'", "src/main.rs", "build.py"], "rust:  -> p");
}

#[test]
fn a_file_without_a_known_ending_may_be_a_ready_program() {
    check_file("*sol=#!/bin/sh\n", "executable: sol");
    check_file("sol=#!/bin/sh\n", "`sol` is not executable; run `chmod +x sub/sol`");
    check_file("*sol.py=#!/bin/sh\n", "python3: sol.py -> sol.py");
}

/// 2025-09, "Other programs": `build` or `run` that cannot be executed is an error
#[test]
fn scripts_count_for_validators_and_generators_only() {
    let check = |kind, files: &[&str], expected: &str| {
        let case = LaunchCase { kind, files, ..DIRECTORY };
        let shown = show_spec(spec_of(&case, Vec::new()));
        assert!(shown.starts_with(expected), "{shown}");
    };
    let validator = ProgramKind::InputValidator;
    check(
        validator,
        &["*build=#!/bin/sh\n", "a.kt"],
        "scripts: Some(Script { interpreter: \"/bin/sh\"",
    );
    check(validator, &["*run=echo"], "scripts: None Some(Script { interpreter: \"/bin/sh\"");
    check(validator, &["run=#!/bin/sh\n"], "`run` is not executable; run `chmod +x run`");
    check(ProgramKind::Generator, &["*run=#!/bin/sh\n"], "scripts: None");
    check(ProgramKind::Submission, &["*build=#!/bin/sh\n", "a.c"], "c: a.c");
}

#[test]
fn a_fault_becomes_a_diagnostic_with_help() {
    let check = |files: &[&str], message: &str, help: &str| {
        let case = LaunchCase { files, ..DIRECTORY };
        let fault = spec_of(&case, Vec::new()).expect_err("a fault");
        let expected = Diagnostic::error("sub", message).help(help);
        assert_eq!(fault.to_diagnostic(Path::new("sub")), expected);
    };
    check(&["a.h"], "there are only headers: `a.h`", "add the file that includes them");
    // A name that contains the end of a message must not mislead the test.
    check(
        &["a; b.cpp", "c.py"],
        "the files are in several languages: `a; b.cpp` is C++, `c.py` is Python 3",
        "set the language in the package, or keep the files of one language",
    );
}

/// 2025-09, "Languages": `.pl` is Perl if its text or a file beside it says so, else Prolog
#[test]
fn an_ending_of_two_languages_is_decided_by_the_text() {
    let perl = |files: &[&str], expected: &str| check(files, &format!("perl: {expected}"));
    perl(&["a.pl=#!/usr/bin/perl\nprint 1;"], "a.pl -> a.pl");
    perl(&["a.pl=use warnings;\nprint 1;"], "a.pl -> a.pl");
    perl(&["a.pl=my $n = <>; print $n", "n.txt"], "a.pl -> a.pl");
    perl(&["a.pl=require './b.pl'; my $x = f();", "b.pl=sub f { 1 }"], "a.pl b.pl -> a.pl");
    perl(&["a.pl=print 1", "b.pm=1;", "main.pl=f()"], "a.pl b.pm main.pl -> main.pl");
    perl(&["Sum.pm=package Sum; sub f { 1 }", "a.pl=use Sum;\nf()"], "Sum.pm a.pl -> a.pl");
    for prolog in ["a.pl=main :- write(1).", "a.pl=% use strict;\nmain.", "a.pl=x('my $x')."] {
        check(
            &[prolog],
            "juror does not support Prolog (by the ending of `a.pl`); if it is Perl, say so: give it a line `use strict;`, or add `--language perl`",
        );
    }
}

/// A directory in one language: its program, a test and another program, and what starts or is compiled.
struct ProgramDirectory<'a> {
    files: &'a [&'a str],
    test: &'a str,
    other: &'a str,
    expected: &'a str,
    with_other: &'a str,
}

/// 2025-09, "Programs": a file that another one imports does not start, and a test does not; what is left is named
#[test]
fn the_program_is_neither_a_test_nor_imported() {
    let could = |both: &str| format!("each of {both} could be the main file; ");
    let directories = [
        ProgramDirectory {
            files: &["solve.py=from util import f", "util.py=if __name__ == '__main__':\n f()"],
            test: "test_solve.py=import solve",
            other: "old.py=f()",
            expected: "-> solve.py",
            with_other: "cannot tell which of `old.py`, `solve.py` is the main file; ",
        },
        ProgramDirectory {
            files: &["solve.js=const { f } = require('./util')", "util.js=exports.f = 1"],
            test: "solve.test.js=require('./solve')",
            other: "old.js=f()",
            expected: "-> solve.js",
            with_other: &could("`old.js`, `solve.js`"),
        },
        ProgramDirectory {
            files: &["solve.ts=import { f } from \"./util.js\"", "util.ts=export const f = 1"],
            test: "solve.spec.ts=import './solve'",
            other: "old.ts=f()",
            expected: "-> solve.ts",
            with_other: &could("`old.ts`, `solve.ts`"),
        },
        ProgramDirectory {
            files: &["solve.rb=require_relative 'util'", "util.rb=f if __FILE__ == $0"],
            test: "solve_test.rb=require_relative 'solve'",
            other: "old.rb=f",
            expected: "-> solve.rb",
            with_other: &could("`old.rb`, `solve.rb`"),
        },
        ProgramDirectory {
            files: &["solve.lua=local u = require(\"lib.util\")", "lib/util.lua=return {}"],
            test: "spec/solve.lua=require 'solve'",
            other: "old.lua=f()",
            expected: "-> solve.lua",
            with_other: &could("`old.lua`, `solve.lua`"),
        },
        ProgramDirectory {
            files: &["solve.php=<?php require_once __DIR__ . '/util.php';", "util.php=<?php"],
            test: "tests/SolveTest.php=<?php require '../solve.php';",
            other: "old.php=<?php",
            expected: "-> solve.php",
            with_other: &could("`old.php`, `solve.php`"),
        },
        ProgramDirectory {
            files: &["solve.pl=use strict;\nuse My::Util;", "My/Util.pm=1;"],
            test: "test-solve.pl=require './solve.pl';",
            other: "old.pl=1",
            expected: "-> solve.pl",
            with_other: &could("`old.pl`, `solve.pl`"),
        },
        ProgramDirectory {
            files: &["solve.sh=source \"$(dirname \"$0\")/util.sh\"", "util.sh=f() { :; }"],
            test: "test_solve.sh=. ./solve.sh",
            other: "old.sh=f",
            expected: "-> solve.sh",
            with_other: &could("`old.sh`, `solve.sh`"),
        },
        ProgramDirectory {
            files: &["solve.nim=import std/math, util", "util.nim=proc f*() = discard"],
            test: "tests/t.nim=import ../solve",
            other: "old.nim=f()",
            expected: "-> solve.nim",
            with_other: &could("`old.nim`, `solve.nim`"),
        },
        ProgramDirectory {
            files: &["solve.rs=mod util;\nfn main() {}", "util.rs=fn main() {}"],
            test: "tests/solve.rs=fn main() {}",
            other: "old.rs=fn main() {}",
            expected: "-> solve.rs",
            with_other: &could("`old.rs`, `solve.rs`"),
        },
        ProgramDirectory {
            files: &["Solve.kt=fun main() = f()", "Util.kt=fun f() = 1"],
            test: "SolveTest.kt=import kotlin.test.Test",
            other: "Old.kt=fun main() = f()",
            expected: "kotlin: Solve.kt Util.kt -> SolveKt",
            with_other: &could("`OldKt`, `SolveKt`"),
        },
        ProgramDirectory {
            files: &[
                "Solve.java=class Solve { public static void main(String[] a) {} }",
                "Util.java=class Util {}",
            ],
            test: "SolveTest.java=import org.junit.Test; class SolveTest { Solve s; }",
            other: "Old.java=class Old { public static void main(String[] a) {} }",
            expected: "java: Solve.java Util.java -> Solve",
            with_other: &could("`Old.java`, `Solve.java`"),
        },
        ProgramDirectory {
            files: &[
                "go.mod",
                "cmd/solve/a.go=package main\nfunc main() {}",
                "lib/b.go=package lib",
            ],
            test: "lib/b_test.go=package lib",
            other: "cmd/old/a.go=package main\nfunc main() {}",
            expected: "go: ./cmd/solve -> -",
            with_other: &could("`./cmd/old`, `./cmd/solve`"),
        },
        ProgramDirectory {
            files: &["solve.ml=let () = Util.f ()", "util.ml=let f () = ()"],
            test: "test_util.ml=let () = assert (Util.f () = ())",
            other: "old.ml=let () = Solve.f ()",
            expected: "ocaml: util.ml solve.ml -> -",
            with_other: "ocaml: util.ml solve.ml old.ml -> -",
        },
        ProgramDirectory {
            files: &["solve.cpp=#include \"util.cpp\"\nint main() {}", "util.cpp=int f();"],
            test: "solve_test.cpp=#include <gtest/gtest.h>",
            other: "old.cpp=int f();",
            expected: "cpp: solve.cpp -> -",
            with_other: "cpp: old.cpp solve.cpp -> -",
        },
    ];
    for ProgramDirectory { files, test, other, expected, with_other } in directories {
        check_part(files, expected);
        check_part(&[files, &[test]].concat(), expected);
        check_part(&[files, &[test, other]].concat(), with_other);
    }
}

/// The spec, or the fault, contains this.
fn check_part(files: &[&str], expected: &str) {
    let mut files = files.to_vec();
    files.sort_unstable();
    let case = LaunchCase { files: &files, ..DIRECTORY };
    let shown = show_spec(spec_of(&case, Vec::new()));
    assert!(shown.contains(expected), "{files:?}: {shown}");
}

#[test]
fn an_import_is_code_and_names_a_file_of_the_directory() {
    let several = "each of `a.py`, `b.py` could be the main file";
    let guard = "if __name__ == '__main__': f()";
    let guarded = |text: &str| format!("{text}\n{guard}");
    let check_two = |first: &str, second: &str, expected: &str| {
        check_part(&[&guarded(first), &guarded(second)], expected);
    };
    check_two("a.py=", "b.py=# import a", several);
    check_two("a.py=", "b.py='''\nimport a\n'''", several);
    check_two("a.py=import b", "b.py=import a", several);
    check_two("a.py=import b", "b.py=", "-> a.py");
    let neither = "cannot tell which of `gcd.py`, `util.py`";
    check_part(&["gcd.py=f()", "util.py=from math import gcd"], neither);
    for import in [
        "import sys, b as c",
        "x = 1; import b",
        "from . import b",
        "from .b import (\n f,\n g)",
        "b = __import__('b')",
        "try: import b\nexcept: pass",
    ] {
        check_part(&[&format!("a.py={import}"), "b.py=x"], "-> a.py");
    }
    check_part(&["src/a.py=from src.b import f", "src/b.py=f"], "-> src/a.py");
    check_part(&["a.js=import f from \"./lib/b.js\"", "lib/b.js=x"], "-> a.js");
    check_part(&["a.js=// require('./b')", "b.js=x"], "each of `a.js`, `b.js` could be");
    check_part(&["a.lua=dofile('b.lua')", "b.lua=x"], "-> a.lua");
    check_part(&["a.rb=require './b'", "b.rb=x"], "-> a.rb");
    check_part(&["a.php=<?php include('b.php');", "b.php=x"], "-> a.php");
    check_part(&["a.r=source('b.r')", "b.r=x"], "-> a.r");
}

#[test]
fn a_test_starts_only_if_there_is_nothing_else() {
    check_part(&["conftest.py=x", "sum.py=x"], "-> sum.py");
    check_part(&["__init__.py=x", "sum.py=x"], "-> sum.py");
    check_part(&["sum.py=x", "test.py=import sum\nassert sum.f(1) == 2"], "-> sum.py");
    check_part(&["sum.py=x", "test.py=y"], "cannot tell which of `sum.py`, `test.py`");
    check_part(&["test.py=import util\nutil.f()", "util.py=x"], "-> test.py");
    check_part(&["test_a.py=x"], "-> test_a.py");
    check_part(&["test_a.py=import test_b", "test_b.py=x"], "-> test_a.py");
    check_part(&["contest.py=import latest", "latest.py=x"], "-> contest.py");
}

#[test]
fn a_test_that_the_program_names_is_compiled() {
    let header = "a.cpp=#include \"test_io.h\"";
    check(&[header, "test_io.cpp", "test_io.h"], "cpp: a.cpp test_io.cpp -> -");
    check(&["CaseTest.cs", "a.cs=new CaseTest()"], "csharp: CaseTest.cs a.cs -> -");
    check(&["test_a.c", "test_b.c"], "c: test_a.c test_b.c -> -");
    check(&["a.spec.ts=describe()", "a.ts=1"], "typescript: a.ts -> a.ts");
    check(&["a.py=1", "test_a.py=print 1"], "python3: a.py -> a.py");
    check(&["SumSpec.hs=main = g", "sum.hs=main = f"], "haskell: sum.hs -> -");
}
