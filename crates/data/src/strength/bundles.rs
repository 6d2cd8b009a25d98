//! Builds programs that differ in one file: many in one build, if their language allows it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::faults::bundle::{Bundle, MUTANT_VARIABLE, bundle};
use juror_core::limits::Limits;
use juror_core::stop::Stop;
use juror_judging::build::bench::Bench;
use juror_judging::build::{BuildResult, PreparedProgram, Runnable};

pub struct Variants<'a> {
    pub bench: Bench<'a>,
    pub run_limits: &'a Limits,
    /// One of them, or the program from which they were made.
    pub original: &'a PreparedProgram,
    pub language: &'a str,
    pub file: &'a Path,
    pub texts: &'a [String],
}

type IndexedPrograms = Vec<(usize, Arc<Runnable>)>;

/// More in one build could exceed the compiler's limits.
pub const LARGEST_BUNDLE: usize = 50;

impl Variants<'_> {
    /// Builds all programs at once; None for those that do not build. Each behaves as if built alone.
    pub fn build(&self) -> Result<Vec<Option<Arc<Runnable>>>, Stop> {
        let all: Vec<usize> = (0..self.texts.len()).collect();
        let mut programs: Vec<Option<Arc<Runnable>>> = vec![None; self.texts.len()];
        for (index, program) in self.build_together(&all)? {
            programs[index] = Some(program);
        }
        Ok(programs)
    }

    fn build_together(&self, group: &[usize]) -> Result<IndexedPrograms, Stop> {
        if group.len() < 2 {
            return self.build_each(group);
        }
        let texts: Vec<String> = group.iter().map(|index| self.texts[*index].clone()).collect();
        let Some(bundle) = bundle(self.language, &texts) else {
            return self.build_each(group);
        };
        let messages = match self.build_text(&bundle.text)? {
            Ok(program) => {
                let part = |at: usize| {
                    Arc::new(program.with_environment(MUTANT_VARIABLE, &at.to_string()))
                };
                return Ok(group
                    .iter()
                    .enumerate()
                    .map(|(at, index)| (*index, part(at)))
                    .collect());
            }
            Err(messages) => messages,
        };
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        let wrong = sources_with_errors(&String::from_utf8_lossy(&messages), &name, &bundle);
        // If all seem wrong, the bundle itself is at fault. In C, names may clash: then a blamed source builds alone.
        if wrong.len() == group.len() || self.one_builds_alone(group, &wrong)? {
            return self.build_each(group);
        }
        if wrong.is_empty() {
            let (one, other) = group.split_at(group.len() / 2);
            return Ok([self.build_together(one)?, self.build_together(other)?].concat());
        }
        let right = group.iter().enumerate().filter(|(at, _)| !wrong.contains(at));
        self.build_together(&right.map(|(_, index)| *index).collect::<Vec<_>>())
    }

    fn build_each(&self, group: &[usize]) -> Result<IndexedPrograms, Stop> {
        let mut programs = Vec::new();
        for index in group {
            if let Ok(program) = self.build_text(&self.texts[*index])? {
                programs.push((*index, Arc::new(program)));
            }
        }
        Ok(programs)
    }

    fn one_builds_alone(&self, group: &[usize], wrong: &BTreeSet<usize>) -> Result<bool, Stop> {
        let one = wrong.last().filter(|_| self.language == "c");
        Ok(one
            .map(|at| self.build_text(&self.texts[group[*at]]))
            .transpose()?
            .is_some_and(|built| built.is_ok()))
    }

    fn build_text(&self, text: &str) -> Result<Result<Runnable, Vec<u8>>, Stop> {
        let prepared = self.original.with_file(self.file, text);
        Ok(match self.bench.build_quietly(&prepared, self.run_limits)? {
            BuildResult::Program(program) => Ok(*program),
            BuildResult::Rejected(report) => Err(report.messages),
        })
    }
}

fn sources_with_errors(messages: &str, name: &str, bundle: &Bundle) -> BTreeSet<usize> {
    let at = |line: &str| {
        let number = line.split_once(name)?.1.strip_prefix(':')?;
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        bundle.source_at_line(number[..end].parse().ok()?)
    };
    let (mut wrong, mut asked, mut is_error) = (BTreeSet::new(), BTreeSet::new(), false);
    for line in messages.lines() {
        // rustc names the kind of message in a line before the place.
        if line.starts_with("error") || line.starts_with("warning") {
            is_error = line.starts_with("error");
        }
        if line.contains(": error") || (is_error && line.trim_start().starts_with("-->")) {
            wrong.extend(at(line));
        } else if line.contains("required from") {
            asked.extend(at(line));
        }
    }
    // The cause of an error in a header is where the header's template is used.
    if wrong.is_empty() { asked } else { wrong }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_belong_to_the_sources_that_have_them() {
        let text = "int main() {\n    return 0;\n}\n".to_owned();
        let bundle = bundle("cpp", &[text.clone(), text.clone(), text]).expect("a bundle");
        let line =
            |start: &str| bundle.text.lines().position(|line| line.starts_with(start)).unwrap() + 3;
        let (first, third) = (line("namespace m0"), line("namespace m2"));
        let check = |messages: &str, expected: &[usize]| {
            let messages =
                messages.replace("FIRST", &first.to_string()).replace("THIRD", &third.to_string());
            let wrong: Vec<usize> =
                sources_with_errors(&messages, "a.cpp", &bundle).into_iter().collect();
            assert_eq!(wrong, expected, "{messages}");
        };
        check("a.cpp:FIRST:5: error: x\na.cpp:THIRD:1: warning: y\n", &[0]);
        check("a.cpp:THIRD: error: x\na.cpp:FIRST: error: x\n", &[0, 2]);
        check("error[E0308]: x\n  --> a.cpp:THIRD:5\nwarning: y\n  --> a.cpp:FIRST:5\n", &[2]);
        check("a.cpp:THIRD:9:   required from here\n/usr/x.h:1:1: error: x\n", &[2]);
        check("ld: relocation truncated\nb.cpp:FIRST:1: error: x", &[]);
    }
}
