//! Builds programs that differ in one file: many in one build, if their language allows it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::build::bench::Bench;
use crate::build::{Built, Prepared, Runnable};
use crate::model::limits::Limits;
use crate::model::stop::Stop;
use crate::mutate::bundle::{Bundle, WHICH, bundle};

#[derive(Clone, Copy, Debug)]
pub struct Variants<'a> {
    /// One of them, or the program from which they were made.
    pub original: &'a Prepared,
    pub language: &'a str,
    pub file: &'a Path,
    pub texts: &'a [String],
}

/// More in one build could exceed the compiler's limits.
pub const AT_ONCE: usize = 50;

impl Variants<'_> {
    /// Builds all programs at once; None for those that do not build. Each behaves as if built alone.
    pub fn build(
        &self,
        bench: &Bench<'_>,
        build_limits: &Limits,
        run_limits: &Limits,
    ) -> Result<Vec<Option<Arc<Runnable>>>, Stop> {
        let builds = Builds { of: *self, bench: *bench, build_limits, run_limits };
        let all: Vec<usize> = (0..self.texts.len()).collect();
        let mut programs: Vec<Option<Arc<Runnable>>> = vec![None; self.texts.len()];
        for (place, program) in builds.together(&all)? {
            programs[place] = Some(program);
        }
        Ok(programs)
    }
}

struct Builds<'a> {
    of: Variants<'a>,
    bench: Bench<'a>,
    build_limits: &'a Limits,
    run_limits: &'a Limits,
}

type Programs = Vec<(usize, Arc<Runnable>)>;

impl Builds<'_> {
    fn together(&self, group: &[usize]) -> Result<Programs, Stop> {
        if group.len() < 2 {
            return self.alone(group);
        }
        let texts: Vec<String> = group.iter().map(|place| self.of.texts[*place].clone()).collect();
        let Some(bundle) = bundle(self.of.language, &texts) else { return self.alone(group) };
        let messages = match self.one(&bundle.text)? {
            Ok(program) => {
                let part = |at: usize| Arc::new(program.with_environment(WHICH, &at.to_string()));
                return Ok(group
                    .iter()
                    .enumerate()
                    .map(|(at, place)| (*place, part(at)))
                    .collect());
            }
            Err(messages) => messages,
        };
        let name = self.of.file.file_name().unwrap_or_default().to_string_lossy();
        let wrong = blamed(&String::from_utf8_lossy(&messages), &name, &bundle);
        // If all seem wrong, the bundle itself is at fault. In C, names may clash: then a blamed source builds alone.
        if wrong.len() == group.len() || self.is_right_alone(group, &wrong)? {
            return self.alone(group);
        }
        if wrong.is_empty() {
            let (one, other) = group.split_at(group.len() / 2);
            return Ok([self.together(one)?, self.together(other)?].concat());
        }
        let right = group.iter().enumerate().filter(|(at, _)| !wrong.contains(at));
        self.together(&right.map(|(_, place)| *place).collect::<Vec<_>>())
    }

    fn alone(&self, group: &[usize]) -> Result<Programs, Stop> {
        let mut programs = Vec::new();
        for place in group {
            if let Ok(program) = self.one(&self.of.texts[*place])? {
                programs.push((*place, Arc::new(program)));
            }
        }
        Ok(programs)
    }

    fn is_right_alone(&self, group: &[usize], wrong: &BTreeSet<usize>) -> Result<bool, Stop> {
        let one = wrong.last().filter(|_| self.of.language == "c");
        Ok(one
            .map(|at| self.one(&self.of.texts[group[*at]]))
            .transpose()?
            .is_some_and(|it| it.is_ok()))
    }

    fn one(&self, text: &str) -> Result<Result<Runnable, Vec<u8>>, Stop> {
        let prepared = self.of.original.with_file(self.of.file, text);
        Ok(match self.bench.builder.build(&prepared, self.build_limits, self.run_limits)? {
            Built::Program(program) => Ok(*program),
            Built::Rejected(report) => Err(report.messages),
        })
    }
}

fn blamed(messages: &str, name: &str, bundle: &Bundle) -> BTreeSet<usize> {
    let at = |line: &str| {
        let number = line.split_once(name)?.1.strip_prefix(':')?;
        let end = number.find(|it: char| !it.is_ascii_digit()).unwrap_or(number.len());
        bundle.at_line(number[..end].parse().ok()?)
    };
    let (mut wrong, mut asked, mut is_error) = (BTreeSet::new(), BTreeSet::new(), false);
    for line in messages.lines() {
        // rustc names the kind of message in a line before the place.
        if line.starts_with("error") || line.starts_with("warning") {
            is_error = line.starts_with("error");
        }
        if line.contains(": error") || is_error && line.trim_start().starts_with("-->") {
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
    fn errors_are_put_to_the_sources_that_have_them() {
        let text = "int main() {\n    return 0;\n}\n".to_owned();
        let bundle = bundle("cpp", &[text.clone(), text.clone(), text]).expect("a bundle");
        let line =
            |start: &str| bundle.text.lines().position(|it| it.starts_with(start)).unwrap() + 3;
        let (first, third) = (line("namespace m0"), line("namespace m2"));
        let check = |messages: &str, expected: &[usize]| {
            let messages =
                messages.replace("FIRST", &first.to_string()).replace("THIRD", &third.to_string());
            let wrong: Vec<usize> = blamed(&messages, "a.cpp", &bundle).into_iter().collect();
            assert_eq!(wrong, expected, "{messages}");
        };
        check("a.cpp:FIRST:5: error: x\na.cpp:THIRD:1: warning: y\n", &[0]);
        check("a.cpp:THIRD: error: x\na.cpp:FIRST: error: x\n", &[0, 2]);
        check("error[E0308]: x\n  --> a.cpp:THIRD:5\nwarning: y\n  --> a.cpp:FIRST:5\n", &[2]);
        check("a.cpp:THIRD:9:   required from here\n/usr/x.h:1:1: error: x\n", &[2]);
        check("ld: relocation truncated\nb.cpp:FIRST:1: error: x", &[]);
    }
}
