//! The compilers and interpreters that juror knows, one row each.

const RUST: &str = "Rust with rustup";

const RUST_PACKAGES: &str = "rustc cargo";

/// Its home, and the directory of its libraries for this machine.
const ASK_RUSTC: &str = "--print sysroot --print target-libdir";

/// A compiler or interpreter. Lists are words separated by spaces.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// The names under which it is searched, the usual one first.
    names: &'static str,
    product: &'static str,
    packages: &'static str,
    pub(super) query: ToolQuery,
}

/// Asks for the version and the real path, behind any wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolQuery {
    /// Like C compilers; the tool can link statically if it has these archives.
    Compiler(&'static str),
    /// With arguments for its home and others for its version; `program` is its path in its home. A second line of the
    /// first answer is the directory of its libraries. Its linker may be beside that.
    Home {
        home: &'static str,
        version: &'static str,
        program: &'static str,
    },
    /// Like Cargo, which is next to the compiler of Rust.
    Cargo,
    Java,
    /// With options, the last with a script. It prints the tool's path, its version and its directories, one on each
    /// line.
    Script {
        options: &'static str,
        script: &'static str,
    },
    /// With this option for its version. The tool stays where it is found, with settings or libraries in these places.
    Version {
        option: &'static str,
        visible: &'static str,
    },
}

const ASK_PYTHON: &str = "import sys, platform\n\
    print(sys.executable)\n\
    print(platform.python_implementation(), platform.python_version())\n\
    print(sys.prefix, sys.base_prefix, sep='\\n')\n\
    sys.exit(sys.version_info < (3,) and 'is Python 2')";

const ASK_NODE: &str = "const { dirname } = require('path'), own = process.execPath;\n\
    [own, 'node ' + process.version, dirname(dirname(own))].join('\\n')";

const ASK_PERL: &str = "print join(\"\\n\", $^X, \"perl $Config{version}\", $Config{prefix}, $Config{privlibexp}, \
    $Config{archlibexp}), \"\\n\"";

/// All tools. A command line names one by its usual name in braces, such as `{gcc}`.
pub static TOOLS: [Tool; 28] = [
    tool("gcc cc clang", "gcc", "gcc libc6-dev", ToolQuery::Compiler("libc.a libm.a libgcc_eh.a")),
    tool(
        "g++ c++ clang++",
        "g++",
        "g++",
        ToolQuery::Compiler("libc.a libm.a libgcc_eh.a libstdc++.a"),
    ),
    tool("rustc", RUST, RUST_PACKAGES, home(ASK_RUSTC, "--version", "bin/rustc")),
    tool("cargo", RUST, RUST_PACKAGES, ToolQuery::Cargo),
    tool("python3 python", "Python 3", "python3", script("-I -c", ASK_PYTHON)),
    tool("javac", "a Java development kit", "default-jdk-headless", ToolQuery::Java),
    tool("java", "a Java run time", "default-jre-headless", ToolQuery::Java),
    tool("go", "Go", "golang-go", home("env GOROOT", "env GOVERSION", "bin/go")),
    tool("node nodejs", "Node.js", "nodejs", script("-p", ASK_NODE)),
    tool("perl", "Perl", "perl", script("-MConfig -e", ASK_PERL)),
    tool("bash", "Bash", "bash", version("--version", "")),
    tool("fpc", "Free Pascal", "fp-compiler", version("-iV", "")),
    tool("ghc", "GHC", "ghc", version("--version", "/var/lib/ghc")),
    tool("kotlinc", "Kotlin", "kotlin", version("-version", "")),
    tool("ldc2", "LDC", "ldc", version("--version", "/etc/ldc2.conf")),
    tool("lua lua5.4 lua5.3", "Lua", "lua5.4", version("-v", "")),
    tool("mcs", "Mono", "mono-mcs", version("--version", "")),
    tool("mono", "Mono", "mono-runtime", version("--version", "")),
    tool("nim", "Nim", "nim", version("--version", "/etc/nim")),
    tool("ocamlopt", "OCaml", "ocaml-nox", version("-version", "")),
    tool("php", "PHP", "php-cli", version("--version", "")),
    tool("pypy3", "PyPy", "pypy3", script("-I -c", ASK_PYTHON)),
    tool("Rscript", "R", "r-base-core", version("--version", "/etc/R")),
    tool("ruby", "Ruby", "ruby", version("--version", "")),
    tool("scala", "Scala", "scala", version("-version", "")),
    tool("scalac", "Scala", "scala", version("-version", "")),
    tool("swiftc", "Swift", "swiftlang", version("--version", "")),
    tool("tsc", "TypeScript", "node-typescript", version("--version", "")),
];

const fn tool(
    names: &'static str,
    product: &'static str,
    packages: &'static str,
    ask: ToolQuery,
) -> Tool {
    Tool { names, product, packages, query: ask }
}

const fn home(home: &'static str, version: &'static str, program: &'static str) -> ToolQuery {
    ToolQuery::Home { home, version, program }
}

const fn version(option: &'static str, visible: &'static str) -> ToolQuery {
    ToolQuery::Version { option, visible }
}

const fn script(options: &'static str, script: &'static str) -> ToolQuery {
    ToolQuery::Script { options, script }
}

impl Tool {
    pub fn name(&self) -> &'static str {
        self.names().next().unwrap_or_default()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split_whitespace()
    }

    pub fn placeholder(&self) -> String {
        format!("{{{}}}", self.name())
    }

    pub fn help(&self) -> String {
        format!("install {} (Debian: apt-get install {})", self.product, self.packages)
    }

    pub fn is_expected(&self) -> bool {
        !matches!(self.query, ToolQuery::Version { .. }) || self.name() == "bash"
    }

    /// Ignores a version in the name.
    pub(super) fn by_interpreter_name(name: &str) -> Option<&'static Self> {
        let plain = |name: &str| {
            name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.').to_owned()
        };
        let name = plain(name);
        let starts =
            |tool: &&Self| matches!(tool.query, ToolQuery::Script { .. }) || tool.name() == "java";
        TOOLS.iter().filter(starts).find(|tool| tool.names().any(|known| plain(known) == name))
    }
}
