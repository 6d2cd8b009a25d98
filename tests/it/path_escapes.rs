//! Packages and submissions whose files lead outside: juror reads and writes nothing outside, and does not hang.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::fixture::{Fixture, RIGHT};

/// No command may show or copy this text.
const OUTSIDE_TEXT: &str = "the-text-of-somebody-else";

const SOLUTION: &str = "solution: /submissions/accepted/right.sh\n";

/// A package, and a directory outside of it with a secret that links lead to.
struct TrapPackage(Fixture);

impl TrapPackage {
    fn new() -> Self {
        let fixture = Fixture::new();
        fixture.write("outside/secret", format!("{OUTSIDE_TEXT}\n"));
        fixture.write("outside/secret.in", format!("{OUTSIDE_TEXT}\n"));
        Self(fixture)
    }

    /// The target is next to the package, or absolute.
    fn link(&self, name: &str, target: &str) -> &Self {
        let path = self.0.path("sum").join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        let _ = fs::remove_file(&path);
        let target = match target.strip_prefix("outside") {
            Some(rest) => self.0.path(&format!("outside{rest}")),
            None => PathBuf::from(target),
        };
        symlink(target, path).expect("a link");
        self
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        self.0.write(&format!("sum/{name}"), text);
        self
    }

    fn make_fifo(&self, name: &str) -> &Self {
        let path = self.0.path("sum").join(name);
        let _ = fs::remove_file(&path);
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::from_bits_retain(0o600));
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).expect("a pipe");
        self
    }

    /// Directories that contain each other ten times by links. A few kilobytes would be 10^12 directories.
    fn make_link_loops(&self, dir: &str) -> &Self {
        let top = self.0.path(dir);
        for level in 1..=12 {
            let here = top.join(format!(".c/{level}"));
            fs::create_dir_all(&here).expect("a directory");
            for link in 0..10 {
                symlink(format!("../{}", level + 1), here.join(format!("l{link}")))
                    .expect("a link");
            }
        }
        fs::create_dir(top.join(".c/13")).expect("a directory");
        symlink(".c/1", top.join("many")).expect("a link");
        self
    }

    /// The command must end and print this, and must not copy the secret.
    fn check(&self, command: &str, code: i32, messages: &[&str]) {
        let output =
            self.0.juror(command).env("SECRET_TOKEN", OUTSIDE_TEXT).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "juror {command}:\n{text}");
        for piece in messages {
            assert!(text.contains(piece), "juror {command} lacks `{piece}`:\n{text}");
        }
        assert!(!text.contains(OUTSIDE_TEXT), "juror {command}:\n{text}");
        let outside: Vec<_> = fs::read_dir(self.0.path("outside")).expect("a directory").collect();
        assert_eq!(outside.len(), 2, "juror {command} wrote outside: {outside:?}");
        for name in ["sum", "new"] {
            self.check_no_secret(&self.0.path(name));
        }
    }

    fn check_no_secret(&self, dir: &Path) {
        for entry in walkdir::WalkDir::new(dir).into_iter().flatten() {
            if entry.file_type().is_file() {
                let bytes = fs::read(entry.path()).expect("a file");
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(OUTSIDE_TEXT), "{}", entry.path().display());
            }
        }
    }
}

#[test]
fn a_validator_reads_no_file_outside_of_its_package() {
    let shows = "#!/usr/bin/env bash\ncat \"${0%/*}\"/* >&2\nexit 99\n";
    for target in ["/proc/self/environ", "outside/secret", "/dev/zero", "outside"] {
        for name in ["a+", "a b", "lib.sh"] {
            let trap = TrapPackage::new();
            trap.write("input_validators/validate/run", shows);
            trap.link(&format!("input_validators/validate/{name}"), target);
            trap.check(
                "verify sum",
                3,
                &["outside of the package"][..usize::from(name == "lib.sh")],
            );
        }
    }
    let trap = TrapPackage::new();
    trap.write("output_validator/run", shows).link("output_validator/a+", "outside/secret");
    trap.0.make_executable("sum/output_validator/run");
    trap.check("judge sum sum/submissions/accepted/right.sh", 3, &["leads out of the package"]);
}

#[test]
fn a_recipe_copies_no_file_outside_of_its_package() {
    let check = |spoil: &dyn Fn(&TrapPackage), recipe: &str, code: i32, message: &str| {
        let trap = TrapPackage::new();
        spoil(&trap);
        trap.write("generators/generators.yaml", &format!("{SOLUTION}{recipe}\n"));
        trap.check("generate sum", code, &[message]);
    };
    let copies = "data: {secret: {data: {a: {copy: manual/m}}}}";
    let input = |trap: &TrapPackage| {
        trap.write("generators/manual/m.in", "1 2\n");
    };
    for target in ["outside/secret.in", "/proc/self/environ", "/dev/zero"] {
        check(&|trap| _ = trap.link("generators/manual/m.in", target), copies, 3, "no file");
        let answer = |trap: &TrapPackage| {
            input(trap);
            trap.link("generators/manual/m.ans", target);
        };
        check(&answer, copies, 3, "m.ans cannot be copied");
    }
    let whole = |trap: &TrapPackage| {
        input(trap);
        trap.link("generators/manual/m.files", "outside");
    };
    check(&whole, copies, 3, "m.files cannot be copied");
    let one = |trap: &TrapPackage| {
        input(trap);
        trap.link("generators/manual/m.files/x", "outside/secret");
    };
    check(&one, copies, 3, "m.files/x cannot be copied");
    let hidden = |trap: &TrapPackage| {
        input(trap);
        trap.link("generators/manual/m.files/.x", "outside/secret");
    };
    check(&hidden, copies, 0, "");
    let many = |trap: &TrapPackage| {
        input(trap);
        trap.make_link_loops("sum/generators/manual/m.files");
    };
    check(&many, copies, 3, "has more than 5 links to directories in each other");
    let pipe = |trap: &TrapPackage| {
        input(trap);
        trap.make_fifo("generators/manual/m.ans");
    };
    check(&pipe, copies, 3, "m.ans cannot be copied: it is not a file");
    let directory = |trap: &TrapPackage| {
        trap.write("generators/g/g.sh", "cat lib\n");
        trap.link("generators/g/lib", "outside/secret");
    };
    let command = "data: {secret: {data: {a: g}}}";
    check(&directory, command, 3, "leads out of the package");
    let listed = |trap: &TrapPackage| {
        trap.write("generators/g.sh", "cat lib.txt\n").link("generators/lib.txt", "outside/secret");
    };
    let list = "generators: {g: [g.sh, lib.txt]}\ndata: {secret: {data: {a: g}}}";
    check(&listed, list, 3, "generator not found: `lib.txt`");
}

#[test]
fn test_data_is_written_neither_outside_nor_into_a_pipe() {
    let recipe = format!("{SOLUTION}data: {{secret: {{data: {{a: {{in: \"1 2\\n\"}}}}}}}}\n");
    let check = |spoil: &dyn Fn(&TrapPackage), code: i32, message: &str| {
        let trap = TrapPackage::new();
        trap.write("generators/generators.yaml", &recipe);
        spoil(&trap);
        trap.check("generate sum", code, &[message]);
        trap.check("generate sum --prune", code, &[message]);
    };
    check(&|trap| _ = trap.make_fifo("data/secret/a.in"), 3, "is a pipe, a socket or a device");
    check(&|trap| _ = trap.link("data/secret/a.in", "outside/secret.in"), 0, "");
    check(&|trap| _ = trap.link("data/secret/a.in", "/dev/zero"), 0, "");
    let group = |trap: &TrapPackage| {
        fs::remove_dir_all(trap.0.path("sum/data/secret")).expect("a directory");
        trap.link("data/secret", "outside");
    };
    check(&group, 3, "leads out of the package");
}

#[test]
fn a_first_recipe_is_written_into_the_package_only() {
    let trap = TrapPackage::new();
    fs::remove_dir_all(trap.0.path("sum/input_validators/validate")).expect("a directory");
    trap.write("input_validators/i.ctd", "INT(0,100000) SPACE INT(0,100000) NEWLINE EOF\n");
    trap.link("data/secret/small/1.files/.x", "outside/secret");
    trap.link("generators", "outside");
    trap.check("generate sum --from-grammar", 3, &["leads out of the package"]);
    fs::remove_file(trap.0.path("sum/generators")).expect("a link");
    trap.check("generate sum --from-grammar", 0, &[]);
    assert!(trap.0.path("sum/generators/given/secret/small/1.in").is_file());
}

#[test]
fn endless_link_trees_fail_only_their_own_program() {
    let trap = TrapPackage::new();
    let check = |command: &str, code: i32| {
        trap.check(command, code, &["links to directories in each other"])
    };
    trap.0.write("s/main.sh", RIGHT);
    trap.make_link_loops("s");
    check("judge sum s", 2);
    trap.0.write("class/anna/main.sh", RIGHT);
    trap.make_link_loops("class/anna");
    trap.0.write("class/bert/main.sh", RIGHT);
    trap.check("judge sum class", 0, &["1 accepted, 1 skipped"]);
    trap.make_link_loops("sum/input_validators/validate");
    check("verify sum", 3);
    trap.make_link_loops("sum/attachments");
    check("verify sum", 3);
}

#[test]
fn show_prints_only_files_of_the_package() {
    let trap = TrapPackage::new();
    trap.make_fifo("data/secret/small/1.desc").make_fifo("data/secret/small/1.hint");
    trap.check("show sum secret/small/1", 0, &["5 8"]);
    let trap = TrapPackage::new();
    trap.link("data/secret/small/1.desc", "outside/secret");
    trap.link("data/secret/small/1.yaml", "outside/secret");
    trap.check("show sum secret/small/1", 3, &["outside of the package"]);
    trap.link("statement/a.png", "outside/secret").write("statement/problem.en.md", "![](a.png)\n");
    trap.check("statement sum --out page.html", 0, &["a.png"]);
    let page = trap.0.read("page.html");
    assert!(
        !page.contains(OUTSIDE_TEXT) && !page.contains("dGhlLXRleHQ"),
        "its text, also in base 64"
    );
}

#[test]
fn a_conversion_reads_only_the_files_it_builds() {
    let convert = |spoil: &dyn Fn(&TrapPackage), code: i32, message: &str| {
        let trap = TrapPackage::new();
        let settings = trap.0.read("sum/problem.yaml");
        trap.write("problem.yaml", &format!("{settings}type: scoring\n"));
        for group in ["small", "large"] {
            trap.write(&format!("data/secret/{group}/test_group.yaml"), "max_score: 50\n");
        }
        trap.write("output_validator/v.sh", "exit 42\n");
        spoil(&trap);
        trap.check("convert sum --to legacy new", code, &[message]);
    };
    convert(&|trap| _ = trap.link("output_validator/a+", "."), 0, "");
    convert(&|trap| _ = trap.link("output_validator/a+", "/dev/zero"), 0, "");
    convert(&|trap| _ = trap.make_fifo("output_validator/a+"), 0, "");
    convert(&|trap| _ = trap.link("output_validator/a+", "outside"), 0, "");
    convert(
        &|trap| _ = trap.make_link_loops("sum/output_validator"),
        3,
        "links to directories in each other",
    );
}

#[test]
fn a_socket_in_a_program_is_named() {
    let trap = TrapPackage::new();
    let _socket = UnixListener::bind(trap.0.path("sum/input_validators/validate/a+"));
    trap.check("verify sum", 3, &["is neither a file nor a directory"]);
}
