//! Files beside a source that is given alone: what `g++ my.cpp` would find comes along, and nothing else.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::json;

use crate::fixture::Fixture;

const START: &str = "#include <cstdio>\n";
/// Adds with the function `add`, which another file defines.
const MAIN: &str =
    "int main() { int a, b; std::scanf(\"%d %d\", &a, &b); std::printf(\"%d\\n\", add(a, b)); }\n";
const ADD: &str = "inline int add(int a, int b) { return a + b; }\n";

/// Bare tests in `t`.
fn fixture(files: &[(&str, &str)]) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("t/1.in", "1 2\n");
    fixture.write("t/1.out", "3\n");
    files.iter().for_each(|(name, text)| fixture.write(name, text));
    fixture
}

fn source(includes: &[&str]) -> String {
    let lines = includes.iter().map(|name| format!("#include \"{name}\"\n"));
    [START.to_owned(), lines.collect(), MAIN.to_owned()].concat()
}

/// As `g++ my.cpp` does: a quoted file below the directory of the source is found, whatever its ending.
#[test]
fn a_source_alone_comes_with_the_files_that_it_includes() {
    let check = |includes: &[&str], files: &[(&str, &str)], arguments: &str| {
        let fixture = fixture(files);
        fixture.write("t/my.cpp", source(includes));
        fixture.check(arguments, 0, &["AC"]);
    };
    let alone = "judge t/my.cpp";
    check(&["add.h"], &[("t/add.h", ADD)], alone);
    let chain =
        [("t/lib/all.hpp", "#include \"add.inc\"\n#include \"../b.h\"\n"), ("t/lib/add.inc", ADD)];
    check(&["lib/all.hpp"], &[chain[0], chain[1], ("t/b.h", "")], alone);
    // It is not compiled a second time.
    let body = "int add(int a, int b) { return a + b; }\n";
    check(&["add.cpp"], &[("t/add.cpp", body)], alone);
    check(&["add.h", "add.h"], &[("t/add.h", &format!("#pragma once\n{ADD}"))], "judge t t/my.cpp");
    check(&["add.h"], &[("t/add.h", ADD)], "judge sum t/my.cpp");
    let local = format!("#ifdef LOCAL\n#include \"debug.h\"\n#endif\n{ADD}");
    check(&["add.h"], &[("t/add.h", &local), ("t/debug.h", "")], "judge t/my.cpp --debug");
    let fixture = fixture(&[("t/add.h", ADD)]);
    fixture.write("t/my.cpp", source(&["add.h"]));
    fixture.check("run t t/my.cpp --case 1", 0, &["3"]);
}

/// As `python3 my.py` and `node my.js` do: modules below the directory of the source are found, and the source is still
/// one submission.
#[test]
fn a_source_alone_comes_with_the_modules_that_it_imports() {
    let check = |source: &str, text: &str, files: &[(&str, &str)]| {
        let fixture = fixture(files);
        fixture.write(&format!("t/{source}"), text);
        fixture.check(&format!("judge t/{source}"), 0, &["AC", source, "1 submission, 1 accepted"]);
    };
    let add = "def add(a, b):\n    return a + b\n";
    let python = |import: &str, call: &str, files: &[(&str, &str)]| {
        let text = format!("{import}\na, b = map(int, input().split())\nprint({call}(a, b))\n");
        check("my.py", &text, files);
    };
    python("from util import add", "add", &[("t/util.py", add)]);
    python("import sys, util as u", "u.add", &[("t/util.py", add), ("t/other.py", "1 / 0\n")]);
    python("from os import path\nimport main; import sys", "main.add", &[("t/main.py", add)]);
    let package = [
        ("t/lib/__init__.py", "from .deep.sums import (\n    zero,  # none\n    add,\n)\n"),
        ("t/lib/deep/sums.py", "from .. import ints\nzero = ints.ZERO\nfrom ..words import add\n"),
        ("t/lib/ints.py", "ZERO = 0\n"),
        ("t/lib/words.py", add),
    ];
    python("import lib", "lib.add", &package);
    python("from lib import words", "words.add", &package);
    let optional =
        "try:\n    import debug\nexcept ImportError:\n    pass\n\"\"\"\nimport fifo\n\"\"\"\n";
    python(&format!("{optional}from util import add"), "add", &[("t/util.py", add)]);
    let sum = "exports.add = (a, b) => a + b;\n";
    let node = |import: &str, files: &[(&str, &str)]| {
        let text = format!(
            "{import}\nconst [a, b] = fs.readFileSync(0, 'utf8').split(' ').map(Number);\nconsole.log(add(a, b));\n"
        );
        check("my.js", &text, files);
    };
    if Command::new("node").arg("--version").output().is_err() {
        return fixture(&[]).announce_skip("no Node.js");
    }
    let fs = "const fs = require('fs');";
    node(&format!("{fs} const {{ add }} = require('./util');"), &[("t/util.js", sum)]);
    let chain =
        [("t/lib/index.js", "module.exports = require(\"../util.js\");\n"), ("t/util.js", sum)];
    node(&format!("{fs} const {{ add }} = require('./lib')"), &chain);
    let module = [
        ("t/package.json", "{ \"type\": \"module\" }\n"),
        ("t/util.js", "export const add = (a, b) => a + b;\n"),
    ];
    node("import fs from 'fs';\nimport { add } from './util.js';", &module);
}

/// No directory is shown to the build: the headers that are included become files of the program.
#[test]
fn headers_of_a_named_directory_come_along() {
    let check = |flags: &str, include: &str, code: i32, messages: &[&str]| {
        let fixture = fixture(&[
            ("lib/far.h", "#include \"deep/near.h\"\n"),
            ("lib/deep/near.h", "#include \"../add.inc\"\n"),
            ("lib/add.inc", ADD),
            ("lib/.secret/add.h", ADD),
            ("add.h", ADD),
            ("t/own/own.h", ADD),
        ]);
        symlink(fixture.path("add.h"), fixture.path("lib/away.h")).expect("a link");
        fixture.write("t/my.cpp", format!("{START}#include {include}\n{MAIN}"));
        let flags = flags.replace("DIR", &fixture.root().display().to_string());
        let mut juror = fixture.juror("judge t/my.cpp");
        let output = juror.arg(format!("--flags={flags}")).output().expect("juror runs");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(code), "{flags} {include}:\n{text}");
        messages.iter().for_each(|part| assert!(text.contains(part), "{flags} {include}:\n{text}"));
    };
    check("-IDIR/lib", "<far.h>", 0, &["AC"]);
    check("-I lib -O1", "\"far.h\"", 0, &["AC"]);
    check("-isystem lib", "<deep/near.h>", 0, &["AC"]);
    check("-It/own", "<own.h>", 0, &["AC"]);
    check("-Inowhere/../lib", "<far.h>", 2, &["--flags: cannot find nowhere/../lib"]);
    check("-I/", "<etc/passwd>", 2, &["--flags: -I/ would let", "--flags=-I../lib"]);
    check("-I/usr/include", "<stdlib.h>", 1, &["add"]);
    // What is not below the directory, and what is hidden there.
    let hint = &["No such file", "hint: headers come along"];
    for include in ["<../add.h>", "<.secret/add.h>", "<away.h>"] {
        check("-IDIR/lib", include, 1, hint);
    }
    check("-DX", "<far.h>", 1, &["CPATH"]);
    check("-iquote t/own", "<own.h>", 1, hint);
}

/// Each gets one message, and nothing hangs.
#[test]
fn files_that_cannot_come_along_are_said() {
    let check = |source: &str, text: &str, prepare: &dyn Fn(&Fixture), code, messages: &[&str]| {
        let fixture = fixture(&[("secret.py", "key = 1\n"), ("secret.h", ADD)]);
        prepare(&fixture);
        fixture.write(&format!("t/{source}"), text);
        fixture.check(&format!("judge t/{source}"), code, messages);
    };
    let link = |name: &'static str, target: &'static str| {
        move |fixture: &Fixture| symlink(target, fixture.path(name)).expect("a link")
    };
    let pipe = |name: &'static str| {
        move |fixture: &Fixture| {
            let made = Command::new("mkfifo").arg(fixture.path(name)).status();
            assert!(made.expect("mkfifo runs").success());
        }
    };
    let hint = &["No such file", "hint: headers come along", "links do not lead out"];
    let text = source(&["a.h"]);
    let outside = &["outside of the package", "copy the file into the package"];
    check("my.cpp", &text, &link("t/a.h", "../secret.h"), 3, outside);
    check("my.cpp", &text, &link("t/a.h", "/dev/zero"), 3, outside);
    check("my.cpp", &text, &pipe("t/a.h"), 1, hint);
    let copy = "replace it with a copy of the file";
    let python = "import secret\nprint(3)\n";
    let leads_out =
        &["secret.py is a symbolic link that leads out of the source's directory", copy];
    check("my.py", python, &link("t/secret.py", "../secret.py"), 2, leads_out);
    let special = &["secret.py is not a regular file", copy];
    check("my.py", python, &pipe("t/secret.py"), 2, special);
    let hash = "#include \"a.h\"\n";
    check("my.cpp", &text, &|fixture: &Fixture| fixture.write("t/a.h", hash), 1, &["nested depth"]);
    let cycle = |fixture: &Fixture| {
        fixture.write("t/a.h", "#pragma once\n#include \"b.h\"\n");
        fixture.write("t/b.h", format!("#pragma once\n{hash}{ADD}"));
    };
    check("my.cpp", &text, &cycle, 0, &["AC"]);
    let many = |fixture: &Fixture| {
        let names = (0..1000).map(|number| format!("h{number}.h"));
        let lines = names.map(|name| {
            fixture.write(&format!("t/{name}"), "");
            format!("#include \"{name}\"\n")
        });
        let lines: String = lines.collect();
        fixture.write("t/a.h", lines + ADD);
    };
    check("my.cpp", &text, &many, 0, &["AC"]);
    let endless: String = (0..20_000).map(|number| format!("import m{number}\n")).collect();
    check(
        "my.py",
        &endless,
        &|_: &Fixture| {},
        2,
        &["includes too much: at most 10000 names", "directory of"],
    );
}

#[test]
fn test_data_and_files_of_others_do_not_come_along() {
    let check = |fixture: &Fixture, arguments: &str, message: &str| {
        fixture.check(arguments, 1, &["CE", message]);
    };
    let answer = fixture(&[]);
    answer.write("t/my.cpp", source(&["1.out"]));
    check(&answer, "judge t/my.cpp", "1.out");
    check(&answer, "judge t/my.cpp --flags=-It", "1.out");
    let above = fixture(&[("add.h", ADD)]);
    above.write("t/my.cpp", source(&["../add.h"]));
    check(&above, "judge t/my.cpp", "add.h");
    let class = fixture(&[("class/bert.h", ADD)]);
    class.write("class/anna.cpp", source(&["bert.h"]));
    check(&class, "judge t class --class", "bert.h");
    // In a package, a file is a whole program.
    let package = fixture(&[("sum/submissions/accepted/add.h", ADD)]);
    package.write("sum/submissions/accepted/my.cpp", source(&["add.h"]));
    check(&package, "judge sum accepted/my.cpp", "add.h");
    let stream = fixture(&[("t/add.h", ADD)]);
    stream.write("t/my.cpp", source(&["add.h"]));
    let cases = json!([{ "input": "1 2\n", "answer": "3\n" }]);
    let line = json!({ "id": 1, "cases": cases, "source": { "file": "t/my.cpp" } });
    let graded = stream.juror("grade").write_stdin(line.to_string()).output().expect("juror runs");
    let graded = String::from_utf8_lossy(&graded.stdout).into_owned();
    assert!(graded.contains("\"CE\""), "{graded}");
}

/// A stand-in for `testlib.h`. It is called with input, output and answer.
const TESTLIB: &str = "#include <fstream>\n#include <cstdlib>\n";
const TESTLIB_BODY: &str = "int main(int count, char **words) { int a, b; \
    if (count < 4 || !(std::ifstream(words[2]) >> a) || !(std::ifstream(words[3]) >> b)) return 3; \
    return a == b ? 0 : 1; }\n";
/// In the protocol of the package format.
const STANDARD_BODY: &str = "int main(int, char **words) { int a, b; std::cin >> a; \
    return std::ifstream(words[2]) >> b && a == b ? 42 : 43; }\n";

#[test]
fn a_checker_is_called_by_the_protocol_that_its_text_shows() {
    let check = |checker: &str, files: &[(&str, &str)]| {
        let fixture = fixture(files);
        fixture.write("my.sh", "read -r a b; echo $((a + b))\n");
        fixture.write("wrong.sh", "echo 4\n");
        fixture.check(&format!("judge t my.sh --compare {checker}"), 0, &["AC"]);
        fixture.check(&format!("judge t wrong.sh --compare {checker}"), 1, &["WA"]);
    };
    let testlib = format!("#include \"testlib.h\"\n{TESTLIB_BODY}");
    check("chk.cpp", &[("chk.cpp", &testlib), ("testlib.h", TESTLIB)]);
    check("c/chk.cc", &[("c/chk.cc", &testlib), ("c/testlib.h", TESTLIB)]);
    check("c", &[("c/chk.cpp", &testlib), ("c/testlib.h", TESTLIB)]);
    let own = format!("#include \"own.h\"\n{TESTLIB_BODY}");
    let header = "#include \"lib/testlib.h\"\n";
    check("chk.cpp", &[("chk.cpp", &own), ("own.h", header), ("lib/testlib.h", TESTLIB)]);
    // Without testlib.h, it is one of the format.
    let standard = format!("#include \"io.h\" // not testlib.h\n{STANDARD_BODY}");
    let io = "#include <fstream>\n#include <iostream>\n";
    check("chk.cpp", &[("chk.cpp", &standard), ("io.h", io)]);
    check("c", &[("c/chk.cpp", &standard), ("c/io.h", io)]);
    check(
        "chk.sh",
        &[("chk.sh", "# testlib.h\nread -r a; read -r b < $2; exit $((a == b ? 42 : 43))\n")],
    );
}

#[test]
fn each_program_of_a_search_comes_with_the_files_that_it_includes() {
    let generator = "int main(int, char **words) { std::printf(\"%d 2\\n\", std::atoi(words[1]) % 9 * ONE); }\n";
    let checker = "int main(int, char **words) { int a, b; std::ifstream(words[2]) >> a; \
        std::ifstream(words[3]) >> b; return a == b ? 0 : ONE; }\n";
    let programs = |missing: &str| {
        let fixture = fixture(&[]);
        for name in ["my", "right", "gen", "chk"] {
            let header = format!("{name}/one.h");
            let text =
                "#include <cstdio>\n#include <cstdlib>\n#include <fstream>\nconst int ONE = 1;\n";
            if name != missing {
                fixture.write(&header, format!("{text}{ADD}"));
            }
            let body = match name {
                "gen" => generator,
                "chk" => checker,
                _ => MAIN,
            };
            fixture.write(&format!("{name}/{name}.cpp"), format!("#include \"one.h\"\n{body}"));
        }
        fixture
    };
    let line = "stress my/my.cpp --generator gen/gen.cpp --reference right/right.cpp --checker chk/chk.cpp \
                --runs 20 --time 10m --seed 1";
    programs("").check(line, 0, &["nothing found"]);
    for (missing, code) in [("my", 1), ("right", 4), ("gen", 4), ("chk", 4)] {
        programs(missing).check(line, code, &["one.h"]);
    }
}
