//! The compilers and interpreters that juror knows.

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

    /// The placeholder that stands for it in a template: its best name in braces.
    pub fn word(self) -> String {
        format!("{{{}}}", self.names()[0])
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
