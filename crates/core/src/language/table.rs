//! The languages of the standard's table, one row each.
//!
//! Source: problem package format 2025-09, appendix "Languages".
//!
//! Lists are words separated by spaces. Command lines, additions to the environment and names of products have
//! placeholders. `{sources}` becomes the source files, one argument each; `{main}` the file or class to start,
//! `{class}` the same as a path, `{stem}` the same without its ending; `{binary}` a name for the built program that no
//! file has. `{static}` and `{crt_static}` become the flag for static linking, or nothing if libraries for that are
//! missing, and `{lld}` the flags for the linker that a compiler brings along. `{flags}` and `{checks}` become what a
//! [`BuildVariant`](crate::program::BuildVariant) adds, or nothing. `{heap_mib}` becomes the memory limit in
//! MiB; without a limit, the argument is left out. A
//! [`Tool::placeholder`](crate::language::tool::Tool::placeholder) such as `{g++}` becomes the path of that tool.

use std::path::{Path, PathBuf};

use crate::language::tool::{TOOLS, Tool};

/// The checks of GCC and its library. A program that fails one ends.
const SANITIZERS: &str =
    "-g -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_DEBUG -DLOCAL";

/// A program may keep memory until its end. The detector of leaks would need the right to trace processes. The
/// sandbox lets no program change its limits, so none may try to disable core dumps; it gets none. After `abort`, a
/// trace shows the line that called it.
const SANITIZER_OPTIONS: &str = "ASAN_OPTIONS=detect_leaks=0:disable_coredump=0:handle_abort=1:print_legend=0 UBSAN_OPTIONS=print_stacktrace=1";

/// Compiles without a product. The first kinds say most about a program that fails.
const WARNINGS: &str = "-S -Wreturn-type -Winfinite-recursion -Wuninitialized -Warray-bounds \
    -Waggressive-loop-optimizations -Wdiv-by-zero -Wshift-count-overflow -Woverflow -Wmaybe-uninitialized \
    -Wsign-compare";

/// For the driver of a C or C++ compiler, the pass that it starts, and the assembler.
const COMPILER_PROCESSES: u32 = 16;

/// The linker and the code generator of Rust use a thread for each core, up to some bound.
const RUST_PROCESSES: u32 = 256;

/// For the garbage collector, compilers and signal threads; about 20 were seen.
const JVM_PROCESSES: u32 = 64;

type Text = &'static str;

#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// The code: of the standard's table, unless `is_of_format` says otherwise.
    pub code: Text,
    pub is_standard: bool,
    pub name: Text,
    pub aliases: Text,
    /// File endings, with their dot, of sources in this language.
    pub extensions: Text,
    /// File endings of its sources that count only if the language is named.
    pub further_extensions: Text,
    /// Whether every judge takes validators in it. juror takes them in all languages.
    pub validates_everywhere: bool,
    pub default_entry_point: Text,
    pub entry: EntryPoint,
    /// The command line of the build, run in the box; empty if the sources themselves are started.
    pub build: Text,
    /// The command line that checks the syntax of sources that are started themselves; empty if there is none.
    pub check: Text,
    /// Words for `{flags}` in `build` that add checks, if a program is built to find its faults.
    pub debug_build: Text,
    /// Words after `build`, less its product, for a run of the compiler that only warns. Only these warnings count.
    pub warnings: Text,
    /// Words for `{checks}` in `run`, likewise.
    pub debug_run: Text,
    /// Additions to the environment of its run, likewise.
    pub debug_env: Text,
    pub build_env: Text,
    /// Threads count, too.
    pub build_processes: u32,
    /// The name and the text of a file that is added to the sources.
    pub extra_file: Option<(Text, Text)>,
    pub product: Text,
    pub scratch: Text,
    /// The ending of the source for batches; empty if there are no batches.
    pub batch_source: Text,
    /// Words after `build` for batches, with `{batch}` for this source.
    pub batch_build: Text,
    /// More words after `build`, by which the program tells which edges an input reaches.
    pub batch_coverage: Text,
    /// Words before the last word of `run` for batches.
    pub batch_start: Text,
    /// The ending of a submission of which one function is called, and the text of the main file that calls it.
    pub call: Option<(Text, Text)>,
    /// The command line that starts the program; empty if juror does not build the language.
    pub run: Text,
    pub run_env: Text,
    /// Number of processes and threads of its run time, without those of the program.
    pub run_processes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryPoint {
    /// All sources form one program; the language determines its start.
    AllSources,
    /// One file. These words are all in a file that can start, as far as words can show; empty if they cannot.
    File {
        marks: &'static [&'static str],
    },
    Class,
    /// All sources form one program. A class starts that has the name of its file, or is an object.
    ClassOfFile,
}

/// The main file includes the submission.
const CALL_CPP: Option<(&str, &str)> = Some(("h", include_str!("call.cpp")));

pub static LANGUAGES: [Language; 54] = [
    base_language("ada", "Ada", ".adb .ads"),
    base_language("algol68", "Algol 68", ".a68"),
    base_language("apl", "APL", ".apl"),
    interpreted_language("bash", "Bash", ".sh", "{bash} /program/{main}"),
    Language {
        validates_everywhere: true,
        build: "{gcc} -x c -std=gnu17 -O2 -pipe -DONLINE_JUDGE {static} {flags} -o {binary} {sources} -lm",
        ..c_language("c", "C", ".c")
    },
    Language {
        further_extensions: ".c",
        build: "{gcc} -x c -std=gnu17 -O2 -pipe -DONLINE_JUDGE {flags} -o {binary} {sources} -lgmp -lm",
        ..c_language("cgmp", "C with GMP", "")
    },
    base_language("cobol", "COBOL", ".cob"),
    Language {
        aliases: "c++ cc cxx g++ gnu++ clang++",
        further_extensions: ".c",
        validates_everywhere: true,
        build: "{g++} -x c++ -std=gnu++20 -O2 -pipe -DONLINE_JUDGE {static} {flags} -o {binary} {sources}",
        call: CALL_CPP,
        ..c_language("cpp", "C++", ".cc .cpp .cxx .c++ .C")
    },
    Language {
        further_extensions: ".cc .cpp .cxx .c++ .C .c",
        build: "{g++} -x c++ -std=gnu++20 -O2 -pipe -DONLINE_JUDGE {flags} -o {binary} {sources} -lgmpxx -lgmp",
        call: CALL_CPP,
        ..c_language("cppgmp", "C++ with GMP", "")
    },
    base_language("crystal", "Crystal", ".cr"),
    Language {
        aliases: "c# cs",
        debug_build: "-debug -checked+",
        debug_run: "--debug",
        product: "{binary}.exe",
        run: "{mono} {checks} /program/{binary}.exe",
        run_processes: 32,
        build: "{mcs} -nologo -optimize+ -r:System.Numerics {flags} -out:{binary}.exe {sources}",
        ..compiled_language("csharp", "C#", ".cs")
    },
    Language {
        debug_build: "-g",
        build: "{ldc2} -O {flags} -of={binary} {sources}",
        ..compiled_language("d", "D", ".d")
    },
    base_language("dart", "Dart", ".dart"),
    base_language("elixir", "Elixir", ".ex"),
    base_language("erlang", "Erlang", ".erl"),
    base_language("forth", "Forth", ".fth .4th .forth .frt"),
    base_language("fortran", "Fortran", ".f90"),
    base_language("fsharp", "F#", ".fs"),
    base_language("gerbil", "Gerbil", ".ss"),
    Language {
        aliases: "golang",
        build: "{go} build -trimpath {flags} -o {binary} {sources}",
        build_env: "CGO_ENABLED=0 GOCACHE=/box/.go/cache GOPATH=/box/.go/path GOENV=off GOFLAGS= GOPROXY=off \
            GOTELEMETRY=off GOTOOLCHAIN=local GOWORK=off",
        build_processes: 256,
        scratch: ".go",
        run: "/program/{binary}",
        run_processes: 32,
        ..base_language("go", "Go", ".go")
    },
    Language {
        aliases: "hs ghc",
        scratch: ".ghc",
        debug_build: "-fno-ignore-asserts",
        build: "{ghc} -O2 -v0 -outputdir .ghc {flags} -o {binary} {sources}",
        ..compiled_language("haskell", "Haskell", ".hs")
    },
    Language {
        default_entry_point: "Main",
        entry: EntryPoint::Class,
        build: "{javac} -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:-UsePerfData -encoding UTF-8 -proc:none \
            {flags} -d . {sources}",
        build_processes: JVM_PROCESSES,
        product: "{class}.class",
        run: "{java} -XX:+UseSerialGC -XX:-UsePerfData -Xss64m -Xmx{heap_mib}m -Dfile.encoding=UTF-8 {checks} \
            -cp /program {main}",
        debug_build: "-g",
        debug_run: "-ea",
        batch_source: "java",
        batch_build: "{batch}",
        // Most inputs are done before the second compiler is, and the first one pays off late.
        batch_start: "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=5 JurorBatch",
        run_processes: JVM_PROCESSES,
        call: Some(("java", include_str!("call.java"))),
        ..base_language("java", "Java", ".java")
    },
    base_language("javaalgs4", "Java with Algs4", ""),
    Language {
        aliases: "js node nodejs node.js",
        default_entry_point: "main.js",
        check: "{node} --check {main}",
        run: "{node} --stack-size=65536 --max-old-space-size={heap_mib} /program/{main}",
        run_processes: 64,
        ..script_language("javascript", "JavaScript", ".js")
    },
    base_language("julia", "Julia", ".jl"),
    Language {
        aliases: "kt",
        entry: EntryPoint::ClassOfFile,
        build_env: "JAVACMD={java}",
        build_processes: JVM_PROCESSES,
        product: "{binary}.jar",
        debug_run: "-ea",
        run: "{java} -XX:+UseSerialGC -XX:-UsePerfData -Xss64m -Xmx{heap_mib}m -Dfile.encoding=UTF-8 {checks} \
            -cp /program/{binary}.jar {main}",
        run_processes: JVM_PROCESSES,
        build: "{kotlinc} -nowarn -include-runtime {flags} -d {binary}.jar {sources}",
        ..compiled_language("kotlin", "Kotlin", ".kt")
    },
    base_language("lisp", "Common Lisp", ".lisp .cl"),
    interpreted_language("lua", "Lua", ".lua", "{lua} /program/{main}"),
    base_language("modula2", "Modula-2", ".mod .def"),
    Language {
        entry: EntryPoint::File { marks: &[] },
        scratch: ".nim",
        build: "{nim} c -d:release --hints:off --nimcache:.nim {flags} -o:{binary} {main}",
        ..compiled_language("nim", "Nim", ".nim")
    },
    base_language("objectivec", "Objective-C", ".m"),
    Language {
        debug_build: "-g",
        // Libraries of the distribution, which have their own directories since OCaml 5.
        build: "{ocamlopt} -I +unix -I +str unix.cmxa str.cmxa {flags} -o {binary} {sources}",
        ..compiled_language("ocaml", "OCaml", ".ml")
    },
    base_language("octave", "Octave", ""),
    base_language("odin", "Odin", ".odin"),
    Language {
        entry: EntryPoint::File { marks: &["program"] },
        aliases: "fpc pas",
        debug_build: "-Criot -gl",
        build: "{fpc} -v0 -O2 {flags} -o{binary} {main}",
        ..compiled_language("pascal", "Pascal", ".pas")
    },
    Language {
        aliases: "pl",
        further_extensions: ".pl",
        debug_run: "-w",
        run: "{perl} -I/program {checks} /program/{main}",
        ..script_language("perl", "Perl", ".pm")
    },
    Language {
        check: "{php} -n -l {main}",
        debug_run: "-d zend.assertions=1 -d assert.exception=1",
        ..interpreted_language(
            "php",
            "PHP",
            ".php",
            "{php} -n -d memory_limit=-1 {checks} /program/{main}",
        )
    },
    base_language("prolog", "Prolog", ".pl"),
    Language {
        is_standard: false,
        aliases: "pypy",
        further_extensions: ".py .py3",
        check: "{pypy3} -I -S -c {check.py} {sources}",
        run: "{pypy3} /program/{main}",
        debug_run: "",
        ..python_language("pypy3", "Python 3 with PyPy", "")
    },
    base_language("python2", "Python 2", ".py2"),
    Language {
        aliases: "py python cpython",
        validates_everywhere: true,
        batch_source: "py",
        batch_start: "/program/{batch}",
        ..python_language("python3", "Python 3", ".py .py3")
    },
    Language {
        further_extensions: ".py .py3",
        // One thread for linear algebra, because the CPU time of all threads counts.
        run_env: "PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1",
        run_processes: 16,
        ..python_language("python3numpy", "Python 3 with NumPy", "")
    },
    Language {
        is_standard: false,
        ..interpreted_language("r", "R", ".R .r", "{Rscript} --vanilla /program/{main}")
    },
    base_language("racket", "Racket", ".rkt"),
    Language {
        aliases: "rb",
        check: "{ruby} -c {main}",
        debug_run: "-w",
        ..interpreted_language("ruby", "Ruby", ".rb", "{ruby} -I/program {checks} /program/{main}")
    },
    Language {
        aliases: "rs",
        // One unit of code, no symbols and a fast linker: half of the CPU time of a build, and a quarter of the size.
        build: "{rustc} --edition=2021 --crate-name=program --crate-type=bin -Copt-level=3 -Ccodegen-units=1 \
            -Cstrip=symbols {crt_static} -Clinker={gcc} {lld} {flags} -o {binary} {main}",
        debug_build: "-Cdebug-assertions=yes -Coverflow-checks=yes -Cstrip=none -Cdebuginfo=line-tables-only",
        // The linker is the C compiler, which can also compile a source. The source comes after the libraries, and can
        // use what Rust's standard library links.
        batch_source: "c",
        batch_build: "-Clink-arg=-O2 -Clink-arg=-fPIC -Clink-arg={batch} -Clink-arg=-Wl,--wrap=main",
        ..rust_language("rust", "Rust", ".rs")
    },
    Language {
        build_env: "JAVACMD={java}",
        build_processes: JVM_PROCESSES,
        product: "{binary}.jar",
        debug_run: "-J-ea",
        run: "{scala} -J-XX:+UseSerialGC -J-XX:-UsePerfData -J-Xss64m -J-Xmx{heap_mib}m {checks} /program/{binary}.jar",
        run_env: "JAVACMD={java}",
        run_processes: JVM_PROCESSES,
        build: "{scalac} {flags} -d {binary}.jar {sources}",
        ..compiled_language("scala", "Scala", ".scala")
    },
    base_language("simula", "Simula", ".sim"),
    base_language("smalltalk", "Smalltalk", ".st"),
    base_language("snobol", "Snobol", ".sno"),
    Language {
        scratch: ".swift",
        build: "{swiftc} -O -static-stdlib -module-cache-path .swift {flags} -o {binary} {sources}",
        ..compiled_language("swift", "Swift", ".swift")
    },
    Language {
        aliases: "ts",
        entry: EntryPoint::File { marks: &[] },
        build_processes: 64,
        // Makes the build independent of the machine's types for Node.js.
        extra_file: Some((".node.d.ts", include_str!("node.d.ts"))),
        product: "{stem}.js",
        scratch: ".node.d.ts",
        run: "{node} --stack-size=65536 --max-old-space-size={heap_mib} /program/{stem}.js",
        run_processes: 64,
        build: "{node} {tsc} --target es2020 --module commonjs --skipLibCheck .node.d.ts {flags} {sources}",
        ..compiled_language("typescript", "TypeScript", ".ts")
    },
    base_language("visualbasic", "Visual Basic", ".vb"),
    base_language("zig", "Zig", ".zig"),
];

/// A Rust project with a `Cargo.toml`: built without a network, from vendored crates only.
pub static CARGO: Language = Language {
    build: "{cargo} build --release --offline --quiet --target-dir target {flags} --bin {main}",
    debug_build: "--config profile.release.debug-assertions=true \
        --config profile.release.overflow-checks=true",
    build_env: "CARGO_HOME=/box/.cargo-home RUSTC={rustc} RUSTFLAGS=-Clinker={gcc}",
    product: "target/release/{main}",
    scratch: ".cargo-home target/release/deps target/release/build target/release/incremental \
        target/release/.fingerprint",
    run: "/program/target/release/{main}",
    ..rust_language("rust", "a Rust project", "")
};

/// The base of most rows: a language that juror does not build.
const fn base_language(code: Text, name: Text, extensions: Text) -> Language {
    Language {
        code,
        is_standard: true,
        name,
        aliases: "",
        extensions,
        further_extensions: "",
        validates_everywhere: false,
        default_entry_point: "",
        entry: EntryPoint::AllSources,
        build: "",
        check: "",
        debug_build: "",
        warnings: "",
        debug_run: "",
        debug_env: "",
        build_env: "",
        build_processes: 0,
        extra_file: None,
        product: "{binary}",
        scratch: "",
        batch_source: "",
        batch_build: "",
        batch_coverage: "",
        batch_start: "",
        call: None,
        run: "",
        run_env: "",
        run_processes: 0,
    }
}

const fn compiled_language(code: Text, name: Text, extensions: Text) -> Language {
    let build_processes = COMPILER_PROCESSES;
    let run = "/program/{binary}";
    Language { build_processes, run, ..base_language(code, name, extensions) }
}

const fn interpreted_language(code: Text, name: Text, extensions: Text, run: Text) -> Language {
    Language { run, run_processes: 16, ..script_language(code, name, extensions) }
}

/// A language for which the C or C++ compiler makes a binary from the sources.
const fn c_language(code: Text, name: Text, extensions: Text) -> Language {
    Language {
        build_processes: COMPILER_PROCESSES,
        debug_build: SANITIZERS,
        warnings: WARNINGS,
        debug_env: SANITIZER_OPTIONS,
        // The code that runs before `main` is compiled along, in the language of the sources.
        batch_source: "c",
        batch_build: "{batch} -Wl,--wrap=main",
        batch_coverage: "-fsanitize-coverage=trace-pc,trace-cmp",
        run: "/program/{binary}",
        ..base_language(code, name, extensions)
    }
}

/// C++ for programs with `testlib.h`: only the named file is a source; it can include files next to it.
pub static TESTLIB: Language = single_source_cpp(
    "{g++} -x c++ -std=gnu++20 -O2 -pipe -DONLINE_JUDGE {static} {flags} -o {binary} {main}",
);

/// C++ as library-checker builds it: the files for all problems are in `common`.
pub static LIBRARY_CHECKER: Language = single_source_cpp(
    "{g++} -x c++ -std=c++17 -O2 -pipe -Icommon {static} {flags} -o {binary} {main}",
);

const fn single_source_cpp(build: Text) -> Language {
    Language {
        validates_everywhere: true,
        entry: EntryPoint::File { marks: &[] },
        build,
        batch_source: "",
        batch_build: "",
        ..c_language("cpp", "C++", ".cc .cpp .cxx .c++ .C")
    }
}

/// The code of [`LIBRARY_CHECKER`] in readers; no package can name it.
pub const LIBRARY_CHECKER_CODE: &str = "cpp, library-checker";

/// The code of [`TESTLIB`] in readers; no package can name it.
pub const TESTLIB_CODE: &str = "cpp, testlib";

const fn script_language(code: Text, name: Text, extensions: Text) -> Language {
    Language { entry: EntryPoint::File { marks: &[] }, ..base_language(code, name, extensions) }
}

const fn python_language(code: Text, name: Text, extensions: Text) -> Language {
    Language {
        default_entry_point: "__main__.py",
        entry: EntryPoint::File { marks: &["__name__", "__main__"] },
        // Isolated: files of the submission with names of Python's own modules do not take part.
        check: "{python3} -I -S -c {check.py} {sources}",
        call: Some(("py", include_str!("call.py"))),
        run: "{python3} {checks} /program/{main}",
        debug_run: "-X dev",
        run_env: "PYTHONDONTWRITEBYTECODE=1",
        ..base_language(code, name, extensions)
    }
}

const fn rust_language(code: Text, name: Text, extensions: Text) -> Language {
    Language {
        entry: EntryPoint::File { marks: &["fn main"] },
        build_processes: RUST_PROCESSES,
        debug_env: "RUST_BACKTRACE=1",
        run: "/program/{binary}",
        ..base_language(code, name, extensions)
    }
}

impl Language {
    pub fn by_code(code: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|language| language.code == code)
    }

    /// Also for languages that juror does not build. Upper case counts as lower case if it has no meaning of its own.
    pub fn of_file(name: &Path) -> Option<&'static Self> {
        Self::by_ending(name).or_else(|| Self::by_ending(&Self::with_lower_case_ending(name)?))
    }

    /// `None` if the ending has a language as it is. Some systems write `A.CPP`, which compilers may not know.
    pub fn with_lower_case_ending(name: &Path) -> Option<PathBuf> {
        let lower = name.with_extension(name.extension()?.to_str()?.to_lowercase());
        let is_needed = Self::by_ending(name).is_none() && Self::by_ending(&lower).is_some();
        is_needed.then_some(lower)
    }

    fn by_ending(name: &Path) -> Option<&'static Self> {
        let extension = name.extension()?.to_str()?;
        LANGUAGES.iter().find(|language| has_ending(extension, language.extensions))
    }

    pub fn supported() -> impl Iterator<Item = &'static Self> {
        LANGUAGES.iter().filter(|language| language.is_supported())
    }

    pub fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        let lines = [self.build, self.check, self.build_env, self.run, self.run_env];
        TOOLS.iter().filter(move |tool| lines.iter().any(|line| line.contains(&tool.placeholder())))
    }

    pub fn is_supported(&self) -> bool {
        !self.run.is_empty()
    }

    pub fn is_c_family(&self) -> bool {
        ["c", "cgmp", "cpp", "cppgmp"].contains(&self.code)
    }

    /// For a language that is named.
    pub fn reads(&self, name: &Path) -> bool {
        let endings = [self.extensions, self.further_extensions];
        let extension = name.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|own| endings.iter().any(|endings| has_ending(own, endings)))
    }
}

/// Whether a file ending without its dot is among these. Upper and lower case differ, as in `.C` and `.c`.
pub fn has_ending(extension: &str, endings: &str) -> bool {
    let mut endings = endings.split_whitespace();
    endings.any(|ending| ending.strip_prefix('.') == Some(extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn an_ending_belongs_to_one_language_at_most() {
        let mut seen = HashSet::new();
        for ending in LANGUAGES.iter().flat_map(|language| language.extensions.split(' ')) {
            assert!(ending.is_empty() || seen.insert(ending), "{ending} stands twice");
        }
        assert_eq!(seen.len(), 60);
    }

    #[test]
    fn codes_are_sorted_and_no_alias_is_one() {
        assert!(LANGUAGES.is_sorted_by(|a, b| a.code < b.code));
        let mut aliases = LANGUAGES.iter().flat_map(|language| language.aliases.split(' '));
        assert!(aliases.all(|alias| Language::by_code(alias).is_none()));
    }

    #[test]
    fn upper_case_counts_as_lower_case_unless_it_has_a_meaning() {
        let check = |name: &str, code: &str| {
            let found = Language::of_file(Path::new(name)).map_or("-", |language| language.code);
            assert_eq!(found, code, "{name}");
        };
        check("a.c", "c");
        check("a.C", "cpp");
        check("a.c++", "cpp");
        check("a.PY", "python3");
        check("a.CPP", "cpp");
        check("a.PM", "perl");
        check("a.pl", "prolog");
        check("a.pm", "perl");
        check("a.h", "-");
        check("py", "-");
        check(".py", "-");
    }

    #[test]
    fn the_document_matches_the_table() {
        let document = include_str!("../../../../docs/languages.md");
        let or_dash = |words: &str| match words {
            "" => "-".to_owned(),
            words => words.to_owned(),
        };
        let mut missing = Vec::new();
        for language in Language::supported() {
            let Language { code, name, .. } = language;
            let run = language.run.replace("{checks} ", "");
            let own = language.extensions.split_whitespace().map(str::to_owned);
            let further = language.further_extensions.split_whitespace();
            let endings: Vec<String> =
                own.chain(further.map(|ending| format!("({ending})"))).collect();
            let endings = endings.join(" ");
            let entry = or_dash(language.default_entry_point);
            let build =
                or_dash(if language.build.is_empty() { language.check } else { language.build })
                    .replace("{static}", "[-static]")
                    .replace("{crt_static}", "[-Ctarget-feature=+crt-static]")
                    .replace("{lld}", "[-Clink-arg=-fuse-ld=lld]")
                    .replace("{flags} ", "");
            let row = format!("| {code} | {name} | {endings} | {entry} | `{build}` | `{run}` |");
            let Language { debug_build, debug_run, .. } = language;
            let [debug_build, debug_run] = [debug_build, debug_run]
                .map(|words| or_dash(words).replace(SANITIZERS, "sanitizers"));
            let debug = format!("| {code} | `{debug_build}` | `{debug_run}` |");
            let has_checks = debug_build != "-" || debug_run != "-";
            let rows = [Some(row), has_checks.then_some(debug)];
            missing.extend(rows.into_iter().flatten().filter(|row| !document.contains(row)));
        }
        let missing = missing.join("\n");
        assert!(missing.is_empty(), "docs/languages.md lacks:\n{missing}");
    }
}
