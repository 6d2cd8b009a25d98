//! A header that is compiled ahead: most C++ submissions of contests begin with a line that includes the whole standard
//! library, and reading that takes longer than all the rest of their build.
//!
//! g++ takes the compiled header if the line comes first, and the options and macros are the same; otherwise it reads
//! the header itself. Source: GCC's manual, "Using Precompiled Headers".

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::job::{Job, Keep, Shown};
use crate::model::limits::Limits;
use crate::model::tree::{Node, Tree, TreeEntry};
use crate::model::units::Bytes;

/// The name that the sources include.
const HEADER: &str = "bits/stdc++.h";
/// The name of the compiled header, which g++ looks for beside that of the header.
const COMPILED: &str = "bits/stdc++.h.gch";
/// A header that only includes the other one.
const WRAPPER: &str = "whole.h";
/// Where a build sees the compiled header.
const INSIDE: &str = "/headers";
/// More than the size of the compiled header, which is 118 MiB with g++ 12.
const ROOM: Bytes = Bytes::mib(512);

/// The job that compiles the header for a build; `None` if no source of the build begins with it, or it is not a build
/// with g++.
pub fn of_build(job: &Job) -> Option<Job> {
    let (compiler, arguments) = job.command.argv.split_first()?;
    if !Path::new(compiler).file_name()?.to_str()?.contains("g++") {
        return None;
    }
    let ["-x", "c++", options @ ..] = &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let (options, sources) = options.split_at(options.iter().position(|word| *word == "-o")?);
    let begins = |file: &TreeEntry| {
        sources.iter().any(|word| Path::new(word) == file.name) && begins_with_header(&file.head())
    };
    if !job.files.iter().any(begins) {
        return None;
    }
    let mut making = job.clone();
    let command = &mut making.command;
    command.argv = [compiler.as_str(), "-x", "c++-header"].map(str::to_owned).to_vec();
    // What only the linker reads would make it link.
    command
        .argv
        .extend(options.iter().filter(|word| **word != "-static").map(|it| (*it).to_owned()));
    command.argv.extend(["-o", COMPILED, WRAPPER].map(str::to_owned));
    making.files = vec![
        TreeEntry::new(WRAPPER, Node::plain(format!("#include <{HEADER}>\n").into_bytes())),
        TreeEntry::new(Path::new(COMPILED).parent()?, Node::Directory),
    ];
    making.box_size = ROOM;
    making.limits = Limits { output: Some(ROOM), ..making.limits };
    making.keep = Keep::AllBut(vec![PathBuf::from(WRAPPER)]);
    Some(making)
}

/// The build with a compiled header; `None` if the header was not made.
pub fn with_header(job: &Job, header: &Arc<Tree>) -> Option<Job> {
    header.has(Path::new(COMPILED)).then_some(())?;
    let mut job = job.clone();
    let argv = &mut job.command.argv;
    // Last of the directories, so that nothing of the program's own is found there instead.
    let at = argv.iter().position(|word| word == "-o")?;
    argv.insert(at, format!("-I{INSIDE}"));
    job.command.visible.push(Shown::tree(INSIDE, header));
    Some(job)
}

/// Whether a source begins with the line; comments may stand before it.
fn begins_with_header(source: &[u8]) -> bool {
    let mut rest = source.trim_ascii_start();
    loop {
        let end = match rest {
            [b'/', b'/', ..] => memchr::memchr(b'\n', rest).map(|at| at + 1),
            [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map(|at| at + 2),
            _ => break,
        };
        let Some(end) = end else { return false };
        rest = rest[end..].trim_ascii_start();
    }
    let line = memchr::memchr(b'\n', rest).map_or(rest, |at| &rest[..at]);
    let Some(included) = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else {
        return false;
    };
    let included = included.strip_prefix(b"include").map(<[u8]>::trim_ascii_start);
    included.is_some_and(|it| it.starts_with(format!("<{HEADER}>").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_begins_with_the_header() {
        let check = |source: &str, expected: bool| {
            assert_eq!(begins_with_header(source.as_bytes()), expected, "{source}");
        };
        check("#include <bits/stdc++.h>\nint main() {}", true);
        check("\n  # include<bits/stdc++.h> // all\r\n", true);
        check("// a\n/* b\n * c */ // d\n#include <bits/stdc++.h>", true);
        check("#pragma GCC optimize(\"O3\")\n#include <bits/stdc++.h>\n", false);
        check("#include <vector>\n#include <bits/stdc++.h>\n", false);
        check("#define x\n#include <bits/stdc++.h>\n", false);
        check("// #include <bits/stdc++.h>", false);
        check("/* #include <bits/stdc++.h>", false);
        check("include <bits/stdc++.h>", false);
        check("#include \"bits/stdc++.h\"", false);
        check("", false);
    }

    #[test]
    fn only_builds_of_gcc_have_a_header() {
        let build = |command: &str, name: &str| Job {
            command: crate::model::job::Command {
                argv: command.split(' ').map(str::to_owned).collect(),
                ..Default::default()
            },
            files: vec![TreeEntry::new(name, Node::plain(&b"#include <bits/stdc++.h>\n"[..]))],
            ..Job::default()
        };
        let check = |command: &str, name: &str, expected: Option<&str>| {
            let made = of_build(&build(command, name));
            let made = made.map(|job| job.command.argv.join(" "));
            assert_eq!(made.as_deref(), expected, "{command}");
        };
        check(
            "/usr/bin/g++ -x c++ -std=gnu++20 -O2 -DX -static -o a a.cpp -lgmp",
            "a.cpp",
            Some("/usr/bin/g++ -x c++-header -std=gnu++20 -O2 -DX -o bits/stdc++.h.gch whole.h"),
        );
        check("/usr/bin/g++ -x c++ -O2 -o a a.cpp", "b.cpp", None);
        check("/usr/bin/g++ -O2 -o a a.cpp", "a.cpp", None);
        check("/usr/bin/clang -x c++ -O2 -o a a.cpp", "a.cpp", None);
        check("/usr/bin/g++ -x c++ -O2 a.cpp", "a.cpp", None);
        check("/usr/bin/g++", "a.cpp", None);
        let job = build("/usr/bin/g++ -x c++ -Icommon -o a a.cpp", "a.cpp");
        let header = |name: &str| Arc::new(Tree::from(vec![TreeEntry::new(name, Node::Directory)]));
        let fast = with_header(&job, &header(COMPILED)).expect("a faster build");
        assert_eq!(
            fast.command.argv.join(" "),
            "/usr/bin/g++ -x c++ -Icommon -I/headers -o a a.cpp"
        );
        assert!(with_header(&job, &header("bits/other")).is_none());
    }
}
