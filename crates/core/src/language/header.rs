//! A precompiled header: C++ submissions begin with a line that includes a part of the standard library, or all of it.
//! To read that takes longer than all the rest of their build.
//!
//! g++ takes the compiled header if the line comes first, and the options and macros are the same; otherwise it reads
//! the header itself. Source: GCC's manual, "Using Precompiled Headers".

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::job::{BoxRetention, Job, VisiblePath};
use crate::limits::Limits;
use crate::tree::{Node, Tree, TreeEntry};
use crate::units::Bytes;

/// The headers of the standard library that take longer to read than to load: at least 25 ms longer with g++ 12.
#[rustfmt::skip]
const HEADERS: [&str; 35] = [
    "algorithm", "array", "bits/stdc++.h", "bitset", "chrono", "cmath", "complex", "deque", "fstream", "functional",
    "iomanip", "iostream", "istream", "list", "map", "memory", "numeric", "optional", "ostream", "queue", "random",
    "ranges", "regex", "set", "span", "sstream", "stack", "string", "string_view", "tuple", "unordered_map",
    "unordered_set", "utility", "variant", "vector",
];
/// A header that only includes the other one.
const WRAPPER: &str = "whole.h";
const HEADER_DIR: &str = "/headers";
/// More than the size of the compiled header, which is 118 MiB with g++ 12.
const HEADER_SPACE: Bytes = Bytes::mib(512);

/// The job that compiles the first header of a build. `None` if no header of the list comes first, or it is not a
/// build with g++.
pub fn header_job(job: &Job) -> Option<Job> {
    let (compiler, arguments) = job.command.argv.split_first()?;
    if !Path::new(compiler).file_name()?.to_str()?.contains("g++") {
        return None;
    }
    let header = header_of(job)?;
    let ["-x", "c++", options @ ..] = &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let options = &options[..options.iter().position(|word| *word == "-o")?];
    let mut making = job.clone();
    let command = &mut making.command;
    command.argv = [compiler.as_str(), "-x", "c++-header"].map(str::to_owned).to_vec();
    // An option for the linker would make it link. A macro that no header of the library uses makes no difference.
    let counts = |word: &&&str| **word != "-static" && !word.starts_with("-DPC_BASE_EXIT_CODE=");
    command.argv.extend(options.iter().filter(counts).map(|word| (*word).to_owned()));
    command.argv.extend(["-o", &compiled_name(header), WRAPPER].map(str::to_owned));
    let file = |name, text: String| TreeEntry::new(name, Node::plain(text.into_bytes()));
    making.files = vec![
        file(WRAPPER, format!("#include <{header}>\n")),
        // If another header includes it again, g++ looks for the header itself next to the compiled one.
        file(header, format!("#include_next <{header}>\n")),
    ];
    making.box_size = HEADER_SPACE;
    making.limits = Limits { output: Some(HEADER_SPACE), ..making.limits };
    making.keep = BoxRetention::AllBut(vec![PathBuf::from(WRAPPER)]);
    Some(making)
}

/// `None` if the header was not made.
pub fn add_header(job: &Job, header: &Arc<Tree>) -> Option<Job> {
    header.contains(Path::new(&compiled_name(header_of(job)?))).then_some(())?;
    let mut job = job.clone();
    let argv = &mut job.command.argv;
    // It is the last directory, so that the program's own headers come first.
    let index = argv.iter().position(|word| word == "-o")?;
    argv.insert(index, format!("-I{HEADER_DIR}"));
    job.command.visible.push(VisiblePath::tree(HEADER_DIR, header));
    Some(job)
}

/// g++ looks for this name next to the header's.
fn compiled_name(header: &str) -> String {
    format!("{header}.gch")
}

/// Of the first source that begins with one.
fn header_of(job: &Job) -> Option<&'static str> {
    let argv = &job.command.argv;
    let sources = &argv[argv.iter().position(|word| word == "-o")?..];
    let is_source = |file: &&TreeEntry| sources.iter().any(|word| Path::new(word) == file.name);
    job.files.iter().filter(is_source).find_map(|file| first_header(&file.prefix()))
}

/// The header that the first line of a source includes; comments may stand before it.
fn first_header(source: &[u8]) -> Option<&'static str> {
    let mut rest = source.trim_ascii_start();
    loop {
        let end = match rest {
            [b'/', b'/', ..] => memchr::memchr(b'\n', rest)? + 1,
            [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/")? + 2,
            _ => break,
        };
        rest = rest[end..].trim_ascii_start();
    }
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let directive = line.strip_prefix(b"#")?.trim_ascii_start();
    let name = directive.strip_prefix(b"include")?.trim_ascii_start().strip_prefix(b"<")?;
    let name = &name[..memchr::memchr(b'>', name)?];
    HEADERS.into_iter().find(|it| it.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_begins_with_a_header() {
        let check = |source: &str, expected: Option<&str>| {
            assert_eq!(first_header(source.as_bytes()), expected, "{source}");
        };
        let whole = Some("bits/stdc++.h");
        check("#include <bits/stdc++.h>\nint main() {}", whole);
        check("\n  # include<bits/stdc++.h> // all\r\n", whole);
        check("// a\n/* b\n * c */ // d\n#include <bits/stdc++.h>", whole);
        check("#include <vector>\n#include <bits/stdc++.h>\n", Some("vector"));
        check("#pragma GCC optimize(\"O3\")\n#include <bits/stdc++.h>\n", None);
        check("#include <cstdio>\n#include <bits/stdc++.h>\n", None);
        check("#include < vector>", None);
        check("#include <vector", None);
        check("#define x\n#include <bits/stdc++.h>\n", None);
        check("// #include <bits/stdc++.h>", None);
        check("/* #include <bits/stdc++.h>", None);
        check("include <bits/stdc++.h>", None);
        check("#include \"bits/stdc++.h\"", None);
        check("", None);
    }

    #[test]
    fn only_builds_of_gcc_have_a_header() {
        let build = |command: &str, name: &str, header: &str| Job {
            command: crate::job::Command {
                argv: command.split(' ').map(str::to_owned).collect(),
                ..Default::default()
            },
            files: vec![TreeEntry::new(
                name,
                Node::plain(format!("#include <{header}>\n").into_bytes()),
            )],
            ..Job::default()
        };
        let check = |command: &str, name: &str, expected: Option<&str>| {
            let job = header_job(&build(command, name, "bits/stdc++.h"));
            let job = job.map(|job| job.command.argv.join(" "));
            assert_eq!(job.as_deref(), expected, "{command}");
        };
        check(
            "/usr/bin/g++ -x c++ -std=gnu++20 -O2 -DX -static -o a a.cpp -lgmp",
            "a.cpp",
            Some("/usr/bin/g++ -x c++-header -std=gnu++20 -O2 -DX -o bits/stdc++.h.gch whole.h"),
        );
        check(
            "/usr/bin/g++ -x c++ -O2 -static -DPC_BASE_EXIT_CODE=50 -o a a.cpp",
            "a.cpp",
            Some("/usr/bin/g++ -x c++-header -O2 -o bits/stdc++.h.gch whole.h"),
        );
        check("/usr/bin/g++ -x c++ -O2 -o a a.cpp", "b.cpp", None);
        check("/usr/bin/g++ -O2 -o a a.cpp", "a.cpp", None);
        check("/usr/bin/clang -x c++ -O2 -o a a.cpp", "a.cpp", None);
        check("/usr/bin/g++ -x c++ -O2 a.cpp", "a.cpp", None);
        check("/usr/bin/g++", "a.cpp", None);
        let job = build("/usr/bin/g++ -x c++ -Icommon -o a a.cpp", "a.cpp", "map");
        let header = |name: &str| Arc::new(Tree::from(vec![TreeEntry::new(name, Node::Directory)]));
        let fast = add_header(&job, &header("map.gch")).expect("a faster build");
        assert_eq!(
            fast.command.argv.join(" "),
            "/usr/bin/g++ -x c++ -Icommon -I/headers -o a a.cpp"
        );
        assert!(add_header(&job, &header("set.gch")).is_none());
    }
}
