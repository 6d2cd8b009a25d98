//! Kinds of ready executables: a binary, or a script for an interpreter.

use std::path::Path;

use crate::language::fault::ProgramFault;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executable {
    Binary,
    Script {
        /// The interpreter: a path, or, if the line uses `env`, a name to look up.
        interpreter: String,
        /// The arguments before the script's own name.
        arguments: Vec<String>,
    },
}

/// Reads how a file is started; `None` if it is neither a binary nor a script.
///
/// Source: `execve(2)`.
pub fn inspect(bytes: &[u8]) -> Result<Option<Executable>, ProgramFault> {
    if bytes.starts_with(b"\x7fELF") {
        return Ok(Some(Executable::Binary));
    }
    bytes.strip_prefix(b"#!").map(parse_shebang).transpose()
}

pub(super) fn not_executable_fault(path: &Path) -> ProgramFault {
    let help = format!("run `chmod +x {}`", path.display());
    ProgramFault::new("is not executable", help)
}

/// If the line uses `env`, possibly with `-S`, the name after that is the interpreter.
fn parse_shebang(rest: &[u8]) -> Result<Executable, ProgramFault> {
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.ends_with(b"\r") {
        let message =
            "has a `#!` line that ends with a carriage return, so its interpreter is not found";
        return Err(ProgramFault::new(message, "convert it with `sed -i 's/\\r$//'`"));
    }
    let line = String::from_utf8_lossy(line);
    let line = line.trim_matches([' ', '\t']);
    let (interpreter, argument) = match line.split_once([' ', '\t']) {
        Some((interpreter, argument)) => (interpreter, argument.trim_start_matches([' ', '\t'])),
        None => (line, ""),
    };
    if interpreter.is_empty() {
        let message = "has an empty `#!` line";
        return Err(ProgramFault::new(message, "write the interpreter there"));
    }
    if Path::new(interpreter).file_name().is_some_and(|name| name == "env") {
        let split = argument.strip_prefix("-S").map(str::split_whitespace);
        let mut words = match split {
            Some(words) => words.map(str::to_owned).collect(),
            None => vec![argument.to_owned()],
        };
        // `env A=1 name` and options other than -S need `env` itself, so the line is used as written.
        let plain = words
            .first()
            .is_some_and(|word| !word.is_empty() && !word.starts_with('-') && !word.contains('='));
        if plain {
            let interpreter = words.remove(0);
            return Ok(Executable::Script { interpreter, arguments: words });
        }
    }
    let arguments = if argument.is_empty() { Vec::new() } else { vec![argument.to_owned()] };
    Ok(Executable::Script { interpreter: interpreter.to_owned(), arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], shown: &str) {
        let result = match inspect(bytes) {
            Ok(None) => "no program".to_owned(),
            Ok(Some(Executable::Binary)) => "binary".to_owned(),
            Ok(Some(Executable::Script { interpreter, arguments })) => {
                format!("{interpreter} {arguments:?}")
            }
            Err(fault) => fault.to_string(),
        };
        assert_eq!(result, shown, "{:?}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn a_script_names_its_interpreter() {
        check(b"#!/bin/sh\necho", "/bin/sh []");
        check(b"#! /usr/bin/perl -w -T\n", "/usr/bin/perl [\"-w -T\"]");
        check(b"#!/usr/bin/env python3\n", "python3 []");
        check(b"#!/usr/bin/env -S python3 -u -B\n", "python3 [\"-u\", \"-B\"]");
        check(b"#!/usr/bin/env -i sh\n", "/usr/bin/env [\"-i sh\"]");
        check(b"#!/usr/bin/env -S A=1 sh\n", "/usr/bin/env [\"-S A=1 sh\"]");
        check(b"#!/bin/sh", "/bin/sh []");
    }

    #[test]
    fn a_script_that_cannot_start_has_a_reason() {
        check(
            b"#!/bin/sh\r\necho",
            "has a `#!` line that ends with a carriage return, so its interpreter is not found; \
             convert it with `sed -i 's/\\r$//'`",
        );
        check(b"#!  \n", "has an empty `#!` line; write the interpreter there");
        check(b"\x7fELF\x02", "binary");
        check(b"hello", "no program");
        check(b"", "no program");
    }
}
