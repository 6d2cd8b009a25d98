//! How validators are called, and how their responses are read.

use serde::{Deserialize, Serialize};

use crate::words::words;

words! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Protocol {
        /// The problem package format: exit codes 42 and 43.
        #[default]
        #[serde(alias = "icpc")]
        Standard = "standard",
        /// Called as testlib calls, and answered as by any program: exit code 0 or 42 is yes, 1 or 43 is no.
        Plain = "plain",
        /// As plain, with the files in another order.
        Files = "files",
        /// Programs with `testlib.h`, as Polygon calls them.
        Testlib = "testlib",
        /// A function `check` in Python. A starter calls it, and answers like a plain program.
        Dmoj = "dmoj",
        /// Checkers of CMS: they print a part of the points.
        Cms = "cms",
        /// Programs of sinol: they print OK or WRONG; exit code 0 is for valid inputs.
        Sinol = "sinol",
        /// Checkers of the data set open-r1/codeforces: they print 1 or 0.
        OpenR1 = "open-r1",
    }
}

impl Protocol {
    /// The exit code for "right" or "valid".
    pub const fn accept_exit_code(self) -> i32 {
        match self {
            Self::Standard => 42,
            _ => 0,
        }
    }

    /// Whether an exit code means "right" or "valid".
    pub fn accepts(self, exit_code: i32) -> bool {
        let is_also_standard = matches!(self, Self::Plain | Self::Files) && exit_code == 42;
        exit_code == self.accept_exit_code() || is_also_standard
    }

    /// How an output validator is called and answers, in short. Follows its name.
    pub const fn usage(self) -> &'static str {
        match self {
            Self::Standard => "INPUT ANSWER FEEDBACK_DIR/ < OUTPUT, exit code 42 or 43",
            Self::Plain => "INPUT OUTPUT ANSWER, exit code 0 or 1",
            Self::Files => "INPUT ANSWER OUTPUT, exit code 0 or 1",
            Self::Testlib => "INPUT OUTPUT ANSWER REPORT, exit codes of testlib",
            Self::Dmoj => "check(process_output, judge_output, ...) returns a bool",
            Self::Cms => "INPUT ANSWER OUTPUT, prints a number from 0.0 to 1.0",
            Self::Sinol => "INPUT OUTPUT ANSWER, prints OK or WRONG",
            Self::OpenR1 => "INPUT ANSWER OUTPUT, prints 1 or 0",
        }
    }

    /// For authors who confuse the arguments of an output validator.
    pub fn call_convention(self) -> String {
        let (words, accepts) = match self {
            Self::Standard => {
                return "it is called with input, judge answer and feedback directory, and reads the output \
                    on standard input; if the .ans file is not an output, put a right output next to it as .out"
                    .to_owned();
            }
            Self::Dmoj => {
                return "its function `check` gets output and judge answer, and must return True or False"
                    .to_owned();
            }
            Self::Testlib => {
                ("input, output, judge answer and a file for its report", "exit with 0")
            }
            Self::Plain => ("input, output and judge answer", "exit with 0 or 42"),
            Self::Files => ("input, judge answer and output", "exit with 0 or 42"),
            Self::Cms => ("input, judge answer and output", "print 1.0"),
            Self::Sinol => ("input, output and judge answer", "print OK"),
            Self::OpenR1 => ("input, judge answer and output", "print 1"),
        };
        format!("it is called with {words}, and must {accepts} if the output is right")
    }

    /// How an output validator rejects an output. Follows "it must".
    pub const fn rejection_rule(self) -> &'static str {
        match self {
            Self::Standard => "exit with 43",
            Self::Testlib => "exit with 1 or 2",
            Self::Plain | Self::Files => "exit with 1 or 43",
            Self::Dmoj => "return False",
            Self::Cms => "print 0.0",
            Self::Sinol => "print WRONG",
            Self::OpenR1 => "print 0",
        }
    }

    /// How an output validator must respond. Follows "it must".
    pub const fn response_rule(self) -> &'static str {
        match self {
            Self::Standard => "exit with 42 or 43",
            Self::Testlib => "accept it or reject it, as a checker with testlib.h does",
            Self::Plain | Self::Files => "exit with 0 or 1, or with 42 or 43",
            Self::Dmoj => "return True or False",
            Self::Cms => "print a number from 0.0 to 1.0, and exit with 0",
            Self::Sinol => "print OK or WRONG, and exit with 0",
            Self::OpenR1 => "print 1 or 0, and exit with 0",
        }
    }
}
