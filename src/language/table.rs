//! The languages juror builds and starts, as one table.
//!
//! Command lines are templates. `{sources}` becomes the source files, one argument each; `{main}` the
//! file or class to start; `{binary}` the built program; `{static}` and `{crt_static}` the flag that
//! links it statically, or nothing where the libraries for that are missing; `{heap_mib}` the heap that
//! the memory limit leaves room for, in MiB, and an argument with it is left out where there is no
//! limit. A [`Tool::word`] such as `{g++}` becomes the tool that was found.

use std::path::Path;

/// A language: how it is known, built and started.
#[derive(Debug)]
pub struct Language {
    /// The code of the standard's table.
    pub code: &'static str,
    /// The name.
    pub name: &'static str,
    /// File endings, with their dot, that say that a source is in this language.
    pub extensions: &'static [&'static str],
    /// File endings of this language's sources that count only where the language is named.
    pub further_extensions: &'static [&'static str],
    /// Where it starts, if nothing else is said.
    pub default_entry_point: Option<&'static str>,
    /// What starts.
    pub entry: Entry,
    /// How it is built; `None` where the sources themselves are started.
    pub build: Option<Build>,
    /// The template of the command line that starts it.
    pub run: &'static [&'static str],
    /// The additions to the environment of a run.
    pub run_env: &'static [(&'static str, &'static str)],
    /// How many processes and threads the run time has beside those of the program.
    pub run_processes: u32,
}

/// What starts.
#[derive(Debug)]
pub enum Entry {
    /// All sources are one program; the language says where it starts.
    AllSources,
    /// One file, and these words are in one that can be started, as far as words can tell.
    File {
        /// Each of them; none where nothing tells.
        marks: &'static [&'static str],
    },
    /// A class with a `main` method.
    Class,
}

/// How a language is built.
#[derive(Debug)]
pub struct Build {
    /// The template of the command line, started in the box.
    pub argv: &'static [&'static str],
    /// The additions to the environment.
    pub env: &'static [(&'static str, &'static str)],
    /// How many processes and threads the build needs.
    pub processes: u32,
    /// Directories in the box that only the build needs.
    pub scratch: &'static [&'static str],
    /// What stands behind `argv` for a program that is to run on many inputs at once, with `{batch}` for
    /// the source that does it; none where that cannot be.
    pub batch: &'static [&'static str],
}

/// A compiler or interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// The C compiler, also the linker for Rust.
    Cc,
    /// The C++ compiler.
    Cxx,
    /// The Rust compiler.
    Rustc,
    /// The builder of Rust projects.
    Cargo,
    /// The Python 3 interpreter.
    Python,
    /// The Java compiler.
    Javac,
    /// The Java virtual machine.
    Java,
    /// The Go compiler.
    Go,
    /// The JavaScript interpreter.
    Node,
    /// The Perl interpreter.
    Perl,
    /// The Bash interpreter.
    Bash,
}

impl Tool {
    /// All tools.
    pub const ALL: [Self; 11] = [
        Self::Cc,
        Self::Cxx,
        Self::Rustc,
        Self::Cargo,
        Self::Python,
        Self::Javac,
        Self::Java,
        Self::Go,
        Self::Node,
        Self::Perl,
        Self::Bash,
    ];

    /// The names by which it may stand on the search path, the best first.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Cc => &["gcc", "cc", "clang"],
            Self::Cxx => &["g++", "c++", "clang++"],
            Self::Rustc => &["rustc"],
            Self::Cargo => &["cargo"],
            Self::Python => &["python3", "python"],
            Self::Javac => &["javac"],
            Self::Java => &["java"],
            Self::Go => &["go"],
            Self::Node => &["node", "nodejs"],
            Self::Perl => &["perl"],
            Self::Bash => &["bash"],
        }
    }

    /// The placeholder that stands for it in a template.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cc => "{gcc}",
            Self::Cxx => "{g++}",
            Self::Rustc => "{rustc}",
            Self::Cargo => "{cargo}",
            Self::Python => "{python3}",
            Self::Javac => "{javac}",
            Self::Java => "{java}",
            Self::Go => "{go}",
            Self::Node => "{node}",
            Self::Perl => "{perl}",
            Self::Bash => "{bash}",
        }
    }

    /// What to do where it is missing.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Cc => "install gcc (Debian: apt-get install gcc libc6-dev)",
            Self::Cxx => "install g++ (Debian: apt-get install g++)",
            Self::Rustc | Self::Cargo => {
                "install Rust with rustup (Debian: apt-get install rustc cargo)"
            }
            Self::Python => "install Python 3 (Debian: apt-get install python3)",
            Self::Javac => {
                "install a Java development kit (Debian: apt-get install default-jdk-headless)"
            }
            Self::Java => "install a Java run time (Debian: apt-get install default-jre-headless)",
            Self::Go => "install Go (Debian: apt-get install golang-go)",
            Self::Node => "install Node.js (Debian: apt-get install nodejs)",
            Self::Perl => "install Perl (Debian: apt-get install perl)",
            Self::Bash => "install Bash (Debian: apt-get install bash)",
        }
    }
}

const BINARY: &[&str] = &["/program/{binary}"];

/// What stands before `main` is compiled along; whatever language is in force, it is in that.
const C_BATCH: &[&str] = &["{batch}", "-Wl,--wrap=main"];

/// The linker of Rust is the C compiler, which takes a source as well. That stands behind the libraries, and finds
/// there what the standard library of Rust uses itself.
const RUST_BATCH: &[&str] = &[
    "-Clink-arg=-O2",
    "-Clink-arg=-fPIC",
    "-Clink-arg={batch}",
    "-Clink-arg=-Wl,--wrap=main",
];

/// A C or C++ compiler is a driver and the pass that it starts, with the assembler beside it.
const COMPILER_PROCESSES: u32 = 16;

/// The linker and the code generator of Rust take a thread for each core, up to some bound.
const RUST_PROCESSES: u32 = 256;

/// Garbage collector, compilers and signal threads; seen: about 20.
const JVM_PROCESSES: u32 = 64;

const PYTHON_ENV: &[(&str, &str)] = &[("PYTHONDONTWRITEBYTECODE", "1")];

/// The languages, by code.
pub static LANGUAGES: &[Language] = &[
    Language {
        code: "bash",
        name: "Bash",
        extensions: &[".sh"],
        further_extensions: &[],
        default_entry_point: None,
        entry: Entry::File { marks: &[] },
        build: None,
        run: &["{bash}", "/program/{main}"],
        run_env: &[],
        run_processes: 16,
    },
    Language {
        code: "c",
        name: "C",
        extensions: &[".c"],
        further_extensions: &[],
        default_entry_point: None,
        entry: Entry::AllSources,
        build: Some(Build {
            argv: &[
                "{gcc}",
                "-x",
                "c",
                "-std=gnu17",
                "-O2",
                "-pipe",
                "-DONLINE_JUDGE",
                "{static}",
                "-o",
                "{binary}",
                "{sources}",
                "-lm",
            ],
            env: &[],
            processes: COMPILER_PROCESSES,
            scratch: &[],
            batch: C_BATCH,
        }),
        run: BINARY,
        run_env: &[],
        run_processes: 0,
    },
    Language {
        code: "cgmp",
        name: "C with GMP",
        extensions: &[],
        further_extensions: &[".c"],
        default_entry_point: None,
        entry: Entry::AllSources,
        build: Some(Build {
            argv: &[
                "{gcc}",
                "-x",
                "c",
                "-std=gnu17",
                "-O2",
                "-pipe",
                "-DONLINE_JUDGE",
                "-o",
                "{binary}",
                "{sources}",
                "-lgmp",
                "-lm",
            ],
            env: &[],
            processes: COMPILER_PROCESSES,
            scratch: &[],
            batch: C_BATCH,
        }),
        run: BINARY,
        run_env: &[],
        run_processes: 0,
    },
    Language {
        code: "cpp",
        name: "C++",
        extensions: &[".cc", ".cpp", ".cxx", ".c++", ".C"],
        further_extensions: &[".c"],
        default_entry_point: None,
        entry: Entry::AllSources,
        build: Some(Build {
            argv: &[
                "{g++}",
                "-x",
                "c++",
                "-std=gnu++20",
                "-O2",
                "-pipe",
                "-DONLINE_JUDGE",
                "{static}",
                "-o",
                "{binary}",
                "{sources}",
            ],
            env: &[],
            processes: COMPILER_PROCESSES,
            scratch: &[],
            batch: C_BATCH,
        }),
        run: BINARY,
        run_env: &[],
        run_processes: 0,
    },
    Language {
        code: "cppgmp",
        name: "C++ with GMP",
        extensions: &[],
        further_extensions: &[".cc", ".cpp", ".cxx", ".c++", ".C", ".c"],
        default_entry_point: None,
        entry: Entry::AllSources,
        build: Some(Build {
            argv: &[
                "{g++}",
                "-x",
                "c++",
                "-std=gnu++20",
                "-O2",
                "-pipe",
                "-DONLINE_JUDGE",
                "-o",
                "{binary}",
                "{sources}",
                "-lgmpxx",
                "-lgmp",
            ],
            env: &[],
            processes: COMPILER_PROCESSES,
            scratch: &[],
            batch: C_BATCH,
        }),
        run: BINARY,
        run_env: &[],
        run_processes: 0,
    },
    Language {
        code: "go",
        name: "Go",
        extensions: &[".go"],
        further_extensions: &[],
        default_entry_point: None,
        entry: Entry::AllSources,
        build: Some(Build {
            argv: &["{go}", "build", "-trimpath", "-o", "{binary}", "{sources}"],
            env: &[
                ("CGO_ENABLED", "0"),
                ("GOCACHE", "/box/.go/cache"),
                ("GOPATH", "/box/.go/path"),
                ("GOENV", "off"),
                ("GOFLAGS", ""),
                ("GOPROXY", "off"),
                ("GOTELEMETRY", "off"),
                ("GOTOOLCHAIN", "local"),
                ("GOWORK", "off"),
            ],
            processes: 256,
            scratch: &[".go"],
            batch: &[],
        }),
        run: BINARY,
        run_env: &[],
        run_processes: 32,
    },
    Language {
        code: "java",
        name: "Java",
        extensions: &[".java"],
        further_extensions: &[],
        default_entry_point: Some("Main"),
        entry: Entry::Class,
        build: Some(Build {
            argv: &[
                "{javac}",
                "-J-XX:+UseSerialGC",
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:-UsePerfData",
                "-encoding",
                "UTF-8",
                "-proc:none",
                "-d",
                ".",
                "{sources}",
            ],
            env: &[],
            processes: JVM_PROCESSES,
            scratch: &[],
            batch: &[],
        }),
        run: &[
            "{java}",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xss64m",
            "-Xmx{heap_mib}m",
            "-Dfile.encoding=UTF-8",
            "-cp",
            "/program",
            "{main}",
        ],
        run_env: &[],
        run_processes: JVM_PROCESSES,
    },
    Language {
        code: "javascript",
        name: "JavaScript",
        extensions: &[".js"],
        further_extensions: &[],
        default_entry_point: Some("main.js"),
        entry: Entry::File { marks: &[] },
        build: None,
        run: &[
            "{node}",
            "--stack-size=65536",
            "--max-old-space-size={heap_mib}",
            "/program/{main}",
        ],
        run_env: &[],
        run_processes: 64,
    },
    Language {
        code: "perl",
        name: "Perl",
        extensions: &[".pm"],
        further_extensions: &[".pl"],
        default_entry_point: None,
        entry: Entry::File { marks: &[] },
        build: None,
        run: &["{perl}", "-I/program", "/program/{main}"],
        run_env: &[],
        run_processes: 0,
    },
    Language {
        code: "python3",
        name: "Python 3",
        extensions: &[".py", ".py3"],
        further_extensions: &[],
        default_entry_point: Some("__main__.py"),
        entry: Entry::File {
            marks: &["__name__", "__main__"],
        },
        build: None,
        run: &["{python3}", "/program/{main}"],
        run_env: PYTHON_ENV,
        run_processes: 0,
    },
    Language {
        code: "python3numpy",
        name: "Python 3 with NumPy",
        extensions: &[],
        further_extensions: &[".py", ".py3"],
        default_entry_point: Some("__main__.py"),
        entry: Entry::File {
            marks: &["__name__", "__main__"],
        },
        build: None,
        run: &["{python3}", "/program/{main}"],
        // One thread of linear algebra: CPU time of all threads is what counts.
        run_env: &[
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("OPENBLAS_NUM_THREADS", "1"),
            ("OMP_NUM_THREADS", "1"),
        ],
        run_processes: 16,
    },
    Language {
        code: "rust",
        name: "Rust",
        extensions: &[".rs"],
        further_extensions: &[],
        default_entry_point: None,
        entry: Entry::File {
            marks: &["fn main"],
        },
        build: Some(Build {
            argv: &[
                "{rustc}",
                "--edition=2021",
                "--crate-name=program",
                "--crate-type=bin",
                "-Copt-level=3",
                "{crt_static}",
                "-Clinker={gcc}",
                "-o",
                "{binary}",
                "{main}",
            ],
            env: &[],
            processes: RUST_PROCESSES,
            scratch: &[],
            batch: RUST_BATCH,
        }),
        run: BINARY,
        run_env: &[],
        run_processes: 0,
    },
];

/// How a Rust project with a `Cargo.toml` is built: without a network, from vendored crates only.
pub static CARGO_BUILD: Build = Build {
    argv: &[
        "{cargo}",
        "build",
        "--release",
        "--offline",
        "--quiet",
        "--target-dir",
        "target",
        "--bin",
        "{main}",
    ],
    env: &[
        ("CARGO_HOME", "/box/.cargo-home"),
        ("RUSTC", "{rustc}"),
        ("RUSTFLAGS", "-Clinker={gcc}"),
    ],
    processes: RUST_PROCESSES,
    scratch: &[
        ".cargo-home",
        "target/release/deps",
        "target/release/build",
        "target/release/incremental",
        "target/release/.fingerprint",
    ],
    batch: &[],
};

/// A language of the standard's table that juror does not build.
#[derive(Debug)]
pub struct OtherLanguage {
    /// The code of the standard's table.
    pub code: &'static str,
    /// The name.
    pub name: &'static str,
    /// File endings, with their dot.
    pub extensions: &'static [&'static str],
}

/// The rest of the standard's table, by code: to tell "not built here" from "unknown".
///
/// Source: problem package format 2025-09, appendix "Languages".
#[rustfmt::skip]
pub static OTHER_LANGUAGES: &[OtherLanguage] = &[
    OtherLanguage { code: "ada", name: "Ada", extensions: &[".adb", ".ads"] },
    OtherLanguage { code: "algol68", name: "Algol 68", extensions: &[".a68"] },
    OtherLanguage { code: "apl", name: "APL", extensions: &[".apl"] },
    OtherLanguage { code: "cobol", name: "COBOL", extensions: &[".cob"] },
    OtherLanguage { code: "crystal", name: "Crystal", extensions: &[".cr"] },
    OtherLanguage { code: "csharp", name: "C#", extensions: &[".cs"] },
    OtherLanguage { code: "d", name: "D", extensions: &[".d"] },
    OtherLanguage { code: "dart", name: "Dart", extensions: &[".dart"] },
    OtherLanguage { code: "elixir", name: "Elixir", extensions: &[".ex"] },
    OtherLanguage { code: "erlang", name: "Erlang", extensions: &[".erl"] },
    OtherLanguage { code: "forth", name: "Forth", extensions: &[".fth", ".4th", ".forth", ".frt"] },
    OtherLanguage { code: "fortran", name: "Fortran", extensions: &[".f90"] },
    OtherLanguage { code: "fsharp", name: "F#", extensions: &[".fs"] },
    OtherLanguage { code: "gerbil", name: "Gerbil", extensions: &[".ss"] },
    OtherLanguage { code: "haskell", name: "Haskell", extensions: &[".hs"] },
    OtherLanguage { code: "javaalgs4", name: "Java with Algs4", extensions: &[] },
    OtherLanguage { code: "julia", name: "Julia", extensions: &[".jl"] },
    OtherLanguage { code: "kotlin", name: "Kotlin", extensions: &[".kt"] },
    OtherLanguage { code: "lisp", name: "Common Lisp", extensions: &[".lisp", ".cl"] },
    OtherLanguage { code: "lua", name: "Lua", extensions: &[".lua"] },
    OtherLanguage { code: "modula2", name: "Modula-2", extensions: &[".mod", ".def"] },
    OtherLanguage { code: "nim", name: "Nim", extensions: &[".nim"] },
    OtherLanguage { code: "objectivec", name: "Objective-C", extensions: &[".m"] },
    OtherLanguage { code: "ocaml", name: "OCaml", extensions: &[".ml"] },
    OtherLanguage { code: "octave", name: "Octave", extensions: &[] },
    OtherLanguage { code: "odin", name: "Odin", extensions: &[".odin"] },
    OtherLanguage { code: "pascal", name: "Pascal", extensions: &[".pas"] },
    OtherLanguage { code: "php", name: "PHP", extensions: &[".php"] },
    OtherLanguage { code: "prolog", name: "Prolog", extensions: &[".pl"] },
    OtherLanguage { code: "python2", name: "Python 2", extensions: &[".py2"] },
    OtherLanguage { code: "racket", name: "Racket", extensions: &[".rkt"] },
    OtherLanguage { code: "ruby", name: "Ruby", extensions: &[".rb"] },
    OtherLanguage { code: "scala", name: "Scala", extensions: &[".scala"] },
    OtherLanguage { code: "simula", name: "Simula", extensions: &[".sim"] },
    OtherLanguage { code: "smalltalk", name: "Smalltalk", extensions: &[".st"] },
    OtherLanguage { code: "snobol", name: "Snobol", extensions: &[".sno"] },
    OtherLanguage { code: "swift", name: "Swift", extensions: &[".swift"] },
    OtherLanguage { code: "typescript", name: "TypeScript", extensions: &[".ts"] },
    OtherLanguage { code: "visualbasic", name: "Visual Basic", extensions: &[".vb"] },
    OtherLanguage { code: "zig", name: "Zig", extensions: &[".zig"] },
];

impl Language {
    /// The language with this code.
    pub fn by_code(code: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|it| it.code == code)
    }

    /// The language that this file's ending says.
    pub fn of_file(name: &Path) -> Option<&'static Self> {
        LANGUAGES.iter().find(|it| has_ending(name, it.extensions))
    }

    /// Whether the file is a source of this language, where the language is named.
    pub fn reads(&self, name: &Path) -> bool {
        has_ending(name, self.extensions) || has_ending(name, self.further_extensions)
    }
}

impl OtherLanguage {
    /// The language with this code.
    pub fn by_code(code: &str) -> Option<&'static Self> {
        OTHER_LANGUAGES.iter().find(|it| it.code == code)
    }

    /// The language that this file's ending says.
    pub fn of_file(name: &Path) -> Option<&'static Self> {
        OTHER_LANGUAGES
            .iter()
            .find(|it| has_ending(name, it.extensions))
    }
}

/// Whether the file's name ends in one of these; upper and lower case differ, as `.C` and `.c` do.
fn has_ending(name: &Path, endings: &[&str]) -> bool {
    let Some(extension) = name.extension().and_then(|it| it.to_str()) else {
        return false;
    };
    endings
        .iter()
        .any(|ending| ending.strip_prefix('.') == Some(extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn an_ending_says_one_language_at_most() {
        let mut seen = HashSet::new();
        let endings = LANGUAGES.iter().flat_map(|it| it.extensions);
        for ending in endings.chain(OTHER_LANGUAGES.iter().flat_map(|it| it.extensions)) {
            assert!(seen.insert(ending), "{ending} stands twice");
        }
        assert_eq!(seen.len(), 58);
    }

    #[test]
    fn codes_are_sorted_and_stand_once() {
        let codes: Vec<&str> = LANGUAGES.iter().map(|it| it.code).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        let others: Vec<&str> = OTHER_LANGUAGES.iter().map(|it| it.code).collect();
        assert!(others.is_sorted_by(|a, b| a < b), "{others:?}");
        assert!(codes.iter().all(|code| !others.contains(code)));
        assert_eq!(codes.len() + others.len(), 52);
    }

    #[test]
    fn upper_and_lower_case_of_an_ending_differ() {
        let check = |name: &str, code: &str| {
            let found = Language::of_file(Path::new(name)).map_or("-", |it| it.code);
            assert_eq!(found, code, "{name}");
        };
        check("a.c", "c");
        check("a.C", "cpp");
        check("a.c++", "cpp");
        check("a.PY", "-");
        check("a.pl", "-");
        check("a.pm", "perl");
        check("a.h", "-");
        check("py", "-");
        check(".py", "-");
    }

    /// The table of the document says what the data say.
    #[test]
    fn the_document_has_this_table() {
        let document = include_str!("../../docs/languages.md");
        let words = |words: &[&str]| match words.is_empty() {
            true => "-".to_owned(),
            false => words.join(" ").replace("{static}", "[-static]"),
        };
        let mut missing = Vec::new();
        for language in LANGUAGES {
            let further = language
                .further_extensions
                .iter()
                .map(|it| format!("({it})"));
            let endings: Vec<String> = language
                .extensions
                .iter()
                .map(|it| (*it).to_owned())
                .chain(further)
                .collect();
            let build = language.build.as_ref().map_or(&[][..], |it| it.argv);
            let row = format!(
                "| {} | {} | {} | {} | `{}` | `{}` |",
                language.code,
                language.name,
                endings.join(" "),
                language.default_entry_point.unwrap_or("-"),
                words(build).replace("{crt_static}", "[-Ctarget-feature=+crt-static]"),
                words(language.run),
            );
            if !document.contains(&row) {
                missing.push(row);
            }
        }
        let missing = missing.join("\n");
        assert!(missing.is_empty(), "docs/languages.md lacks:\n{missing}");
    }
}
